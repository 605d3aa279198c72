//! A small part of the command `gauntlet`.

use stickslip::step::Integrator;
use stickslip_lab::gauntlet::{Case, cases, go, throw};

#[test]
fn what_stands_still_stands_still_by_every_integrator() {
    let still = |case: &Case| case.exact == 0.0 && !case.name.contains("10⁶");
    for mut case in cases(false).into_iter().filter(still) {
        case.t_end = case.t_end.min(0.3);
        for integrator in Integrator::STEPPING {
            let went = go(&case, integrator).unwrap();
            assert!(went.lost.is_none(), "{} {integrator}: {went:?}", case.name);
            assert!(went.found < 1e-9, "{} {integrator}: {went:?}", case.name);
            assert!(
                went.created == 0.0 && went.worst <= 1e-9,
                "{} {integrator}: {went:?}",
                case.name
            );
        }
    }
}

#[test]
fn what_moves_ends_where_it_should() {
    for case in cases(false).into_iter().filter(|case| case.exact != 0.0) {
        for integrator in [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }] {
            let went = go(&case, integrator).unwrap();
            let off = (went.found / case.exact - 1.0).abs();
            assert!(went.lost.is_none() && off < 1e-3, "{} {integrator}: {went:?}", case.name);
        }
    }
}

#[test]
fn thrown_boxes_are_not_lost_and_gain_nothing_unsaid() {
    for seed in (0..12).chain([33]) {
        for integrator in Integrator::STEPPING {
            let thrown = throw(seed, integrator, 2e-3).unwrap();
            assert!(thrown.lost.is_none(), "{seed} {integrator}: {thrown:?}");
            let gained = thrown.energy - 1.0 - thrown.created;
            assert!(gained < 1e-6 && thrown.depth < 0.1, "{seed} {integrator}: {thrown:?}");
        }
    }
}

/// Stacks whose corners have to slip at 10⁻⁸ of the velocities of their contacts, and light boxes between heavy ones, which the
/// iteration of the θ-method goes round for long.
#[test]
fn stacks_that_bodies_force_to_slip_a_little_are_not_lost() {
    use Integrator::MoreauMidpoint;
    let jean = Integrator::STEPPING[1];
    for (seed, integrator) in
        [(18, MoreauMidpoint), (18, jean), (52, jean), (91, jean), (1673, jean)]
    {
        let thrown = throw(seed, integrator, 1e-3).unwrap();
        assert!(thrown.lost.is_none(), "{seed} {integrator}: {thrown:?}");
    }
}
