//! Systems of scenes as mechanisms: the steps of bodies in space are those of the planar integrators.

use stickslip::Error;
use stickslip::contact::solve::{self, Formulation};
use stickslip::impact::ImpactLaw;
use stickslip::integrators::{JeanSettings, SpaceMethod, SpaceSettings, SpaceStepper, Stepper};
use stickslip::mechanism::{Generalised, Mechanism};
use stickslip::system::System;
use stickslip_scene::Scene;

/// Takes a scene through `steps` planar steps, each of which the mechanism repeats from the same state; returns in how many
/// of them contacts took part.
fn side_by_side(name: &str, method: SpaceMethod, formulation: Formulation, steps: usize) -> usize {
    let scene = Scene::from_gallery(name).unwrap();
    let mut system = scene.system();
    let mut mechanism = Generalised::new(scene.system()).unwrap();
    let solve = solve::Settings { formulation, ..solve::Settings::default() };
    let info = system.info().clone();
    let impact = ImpactLaw::Newton;
    let mut planar = match method {
        SpaceMethod::MoreauJean { theta } => {
            let jean = JeanSettings { theta, ..JeanSettings::default() };
            Stepper::jean(&info, jean, solve.clone(), impact).unwrap()
        }
        _ => Stepper::midpoint(&info, solve.clone(), impact).unwrap(),
    };
    let settings = SpaceSettings { method, solve, ..SpaceSettings::default() };
    let mut space = SpaceStepper::new(&mechanism, settings).unwrap();
    let dt = 1e-3;
    let (mut state, mut contacts) = (scene.start(), 0);
    for i in 0..steps {
        let mut other = state.clone();
        space.step(&mut mechanism, &mut other, dt, &mut ()).unwrap().unwrap();
        planar.step(&mut system, &mut state, dt, &mut ()).unwrap().unwrap();
        let (a, b) = (planar.outcome(), space.outcome());
        assert_eq!(a.active, b.active, "{name} {method} {formulation} {i}");
        contacts += usize::from(!a.active.is_empty());
        let size = state.u.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
        let numbers = state.q.iter().chain(&state.u).zip(other.q.iter().chain(&other.u));
        for (x, y) in numbers {
            assert!((x - y).abs() <= 1e-9 * size, "{name} {method} {formulation} {i}: {x} {y}");
        }
    }
    contacts
}

#[test]
fn steps_of_systems_as_mechanisms_are_those_of_the_planar_integrators() {
    for name in ["woodpecker", "sliding_block", "rocking_block", "belt_block", "bouncing_ball"] {
        for method in [
            SpaceMethod::MoreauMidpoint,
            SpaceMethod::MoreauJean { theta: 0.5 },
            SpaceMethod::MoreauJean { theta: 0.8 },
        ] {
            for formulation in [Formulation::GlockerStuder, Formulation::StewartTrinkle] {
                let contacts = side_by_side(name, method, formulation, 600);
                assert!(contacts > 0, "{name} {method}: no contact took part");
            }
        }
    }
}

#[test]
fn systems_as_mechanisms_run_by_every_method_and_formulation() {
    for method in SpaceMethod::ALL {
        for formulation in Formulation::ALL {
            let scene = Scene::from_gallery("sliding_block").unwrap();
            let mut mechanism = Generalised::new(scene.system()).unwrap();
            let solve = solve::Settings { formulation, ..SpaceSettings::default().solve };
            let settings = SpaceSettings { method, solve, ..SpaceSettings::default() };
            let mut stepper = SpaceStepper::new(&mechanism, settings).unwrap();
            let mut state = scene.start();
            let before = mechanism.energy(&state.q, &state.u, 0.0).total();
            for _ in 0..100 {
                stepper.step(&mut mechanism, &mut state, 1e-3, &mut ()).unwrap().unwrap();
            }
            let after = mechanism.energy(&state.q, &state.u, 0.1).total();
            assert!(after < before, "{method} {formulation}: {before} {after}");
        }
    }
    let error = SpaceMethod::named("event_driven", "a system in generalised coordinates");
    assert!(matches!(error, Err(Error::Combination { .. })));
}
