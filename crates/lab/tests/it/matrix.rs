//! Model, integrator, impact law and formulation, each with each: the motion of the closed form, or a refusal that names a cure.

use std::path::Path;
use stickslip::Error;
use stickslip::contact::solve::Formulation;
use stickslip::impact::ImpactLaw;
use stickslip::step::Integrator;
use stickslip_lab::matrix::{Choice, DT, Friction, Kind, Motion, Outcome, cells, table};

/// The words with which a cure begins.
const CURES: [&str; 4] = ["; use ", "; choose ", "; set ", "; take "];

#[test]
fn every_cell_agrees_with_the_closed_form_or_is_refused_with_a_cure_and_the_page_says_so() {
    let cells = cells();
    let rows = Kind::ALL.len() * Integrator::ALL.len() * ImpactLaw::ALL.len();
    assert_eq!(cells.len(), rows * Formulation::ALL.len());
    let wrong: Vec<_> = cells.iter().flat_map(|cell| cell.wrong()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (motion, outcome) in cells.iter().flat_map(|cell| &cell.outcomes) {
        let Outcome::Refused(error) = outcome else { continue };
        assert!(matches!(error, Error::Combination { .. }), "{motion:?}: {error:?}");
        let text = error.to_string();
        assert!(CURES.iter().any(|cure| text.contains(cure)), "{text}");
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/measurements/matrix.md");
    let page = std::fs::read_to_string(page).unwrap();
    let written = page.split("<!-- matrix:begin -->").nth(1).unwrap();
    let written = written.split("<!-- matrix:end -->").next().unwrap();
    let cure = "cargo run -p stickslip-lab -- matrix --write book/src/measurements/matrix.md";
    assert_eq!(written.trim(), table(&cells).trim(), "the page is another; write it by `{cure}`");
}

#[test]
fn what_is_refused_is_what_has_a_reason() {
    for choice in Choice::all() {
        let Choice { model, integrator, impact, formulation } = choice;
        let spatial = model != Kind::Generalised;
        let always = spatial && formulation == Formulation::GlockerStuder;
        let two_phases = formulation == Formulation::AnitescuPotra && impact == ImpactLaw::Newton;
        let other_law = impact == ImpactLaw::Poisson || formulation == Formulation::ConvexifiedCone;
        let over_two_steps = integrator == Integrator::PaoliSchatzman && other_law;
        let bouncing = integrator == Integrator::GapLevel || two_phases || over_two_steps;
        for motion in Motion::ALL {
            let expected = always || (bouncing && motion == Motion::Bounces);
            // A refusal comes before the first step, whatever its size.
            let outcome = choice.outcome(motion, 0.01);
            let refused = matches!(outcome, Outcome::Refused(_));
            assert_eq!(refused, expected, "{choice}, {}: {outcome:?}", motion.name());
        }
    }
}

#[test]
fn bodies_that_bounce_over_two_steps_converge_to_the_closed_form() {
    let (model, integrator) = (Kind::Generalised, Integrator::PaoliSchatzman);
    let (impact, formulation) = (ImpactLaw::Newton, Formulation::Cone);
    let choice = Choice { model, integrator, impact, formulation };
    for dt in [DT / 4.0, DT / 16.0] {
        let outcome = choice.outcome(Motion::Bounces, dt);
        let Outcome::Finished(error) = outcome else { panic!("{outcome:?}") };
        assert!(error <= choice.bound(dt), "{dt}: {error}");
    }
}

#[test]
fn bodies_that_hop_by_the_convexified_cone_converge_to_its_own_closed_form() {
    let mut seen = 0;
    let model = Kind::Generalised;
    for choice in Choice::all().into_iter().filter(|choice| choice.model == model) {
        let stepping = choice.integrator != Integrator::EventDriven;
        if choice.friction() != Friction::Convexified || !stepping {
            continue;
        }
        let fine = DT / 16.0;
        let Outcome::Finished(error) = choice.outcome(Motion::Lands, fine) else {
            panic!("{choice}");
        };
        assert!(error <= choice.bound(fine), "{choice}: {error}");
        seen += 1;
    }
    assert_eq!(seen, 4);
}
