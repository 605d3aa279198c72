//! What the page on schemes claims: the fast part.

use stickslip::contact::solve::SolverChoice;
use stickslip::step::Integrator;
use stickslip_lab::schemes::{Family, Motion, SCHEMES, error, order, tally};

#[test]
fn schemes_converge_with_first_order_but_where_friction_differs_between_the_steps_of_an_impact() {
    for motion in Motion::ALL {
        let exact = motion.exact().unwrap();
        for scheme in SCHEMES {
            let takes = match scheme {
                Integrator::GapLevel => {
                    matches!(motion, Motion::Block | Motion::PlasticWoodpecker)
                }
                Integrator::PaoliSchatzman => motion != Motion::Superball,
                _ => true,
            };
            // A bird has many impacts in a short time.
            let most = if motion.time() < 0.15 { 12_800 } else { 1600 };
            let found = [400, most].map(|n| error(motion, scheme, n, exact));
            let [Ok(coarse), Ok(fine)] = found else {
                assert!(!takes, "{} {scheme}: {found:?}", motion.name());
                continue;
            };
            if motion.splits_impacts(scheme) {
                assert!(takes && fine.1 > 2e-3, "{} {scheme}: {fine:?}", motion.name());
                continue;
            }
            let order = order(&[coarse, fine]);
            assert!(takes && order > 0.6, "{} {scheme}: {order}", motion.name());
            assert!(fine.1 < 2e-2, "{} {scheme}: {fine:?}", motion.name());
        }
    }
}

#[test]
fn the_alternating_iteration_solves_what_has_little_friction_and_not_what_has_much() {
    let share = |family: Family, solver: SolverChoice, mu: f64| {
        tally(family, solver, mu, 6).unwrap().solved
    };
    for family in Family::ALL {
        assert_eq!(share(family, SolverChoice::Alternating, 0.05), 1.0, "{family:?}");
        assert_eq!(share(family, SolverChoice::Auto, 1.2), 1.0, "{family:?}");
    }
    // The factor per round is 3/2 μ.
    assert_eq!(share(Family::Contact, SolverChoice::Alternating, 0.6), 1.0);
    assert_eq!(share(Family::Contact, SolverChoice::Alternating, 0.7), 0.0);
}
