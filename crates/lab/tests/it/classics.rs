//! Classical motions of bodies in space against closed forms: the fast part of the command `classics`.

use stickslip::bodies::Reaction;
use stickslip::contact::Law;
use stickslip::step;
use stickslip_lab::classics::{
    self, Knocks, Loss, Measure, Rolling, Start, TippeTop, Top, chain, falling,
};

/// Errors, of the default update of free rotation, are at most and orders at least these, certificates are tight, and energy rises by at
/// most `rise`: by rounding where contacts alone act, with the square of the step where RATTLE holds joints.
fn check(measures: &[Measure], wanted: &[(f64, Option<f64>)], rise: f64) {
    assert_eq!(measures.len(), wanted.len());
    for (m, &(error, order)) in measures.iter().zip(wanted) {
        let found = m.order();
        assert!(m.error() < error, "{m:?}: {} {found:?}", m.error());
        if let Some(order) = order {
            assert!(found.is_some_and(|o| o > order), "{m:?}: {found:?}");
        }
        assert!(m.worst < 1e-12, "{m:?}");
        assert!(m.rise < if m.driven { f64::INFINITY } else { rise }, "{m:?}");
    }
}

#[test]
fn a_top_precesses_at_its_rate() {
    let found = classics::precession(&Top::default(), &[1e-3, 5e-4]).unwrap();
    // The energy error stays bounded, O(Δt²).
    check(&found, &[(4e-4, Some(1.9)), (4e-5, Some(1.9))], 1e-7);
}

#[test]
fn a_top_nods_between_the_roots_of_its_cubic_and_keeps_energy_and_momenta() {
    let found = classics::nutation(&Top::default(), &[1e-3, 5e-4]).unwrap();
    let wanted =
        [(6e-4, Some(1.9)), (4e-5, Some(1.9)), (2e-5, Some(1.9)), (1e-12, None), (1e-12, None)];
    check(&found, &wanted, 1e-4);
}

#[test]
fn balls_roll_and_slip_as_they_must() {
    let found = classics::slide_to_roll(&[4e-3, 1e-3]).unwrap();
    check(&found, &[(1e-12, None), (1e-6, None), (3e-3, None)], 1e-12);
    let found = classics::slope(&[1e-3]).unwrap();
    check(&found, &[(1e-12, None), (1e-12, None), (1e-12, None)], 1e-12);
    check(&classics::critical_friction(&[1e-3]).unwrap(), &[(1e-10, None)], 1e-12);
}

#[test]
fn a_ball_on_a_turntable_closes_its_orbit() {
    let found = classics::turntable(&step::Settings::default(), &[1e-3, 5e-4]).unwrap();
    check(&found, &[(5e-8, Some(1.9)), (1e-6, Some(1.9)), (2e-6, Some(1.9))], 0.0);
}

#[test]
fn contacts_taken_at_the_midpoint_are_of_first_order() {
    let settings = step::Settings { follow: false, ..step::Settings::default() };
    let found = classics::turntable(&settings, &[4e-3, 2e-3]).unwrap();
    assert!(found.iter().all(|m| m.order().is_some_and(|o| o < 1.2)), "{found:?}");
}

#[test]
fn rotation_has_no_impulses_to_answer_in_a_second_pass() {
    let roll = |passes| {
        let settings = step::Settings { passes, ..step::Settings::default() };
        classics::rolling(&CIRCLE, &settings, &[4e-3]).unwrap()[0].computed.clone()
    };
    assert_eq!(roll(1), roll(2));
}

const CIRCLE: Rolling = Rolling { lean: 1.2, circle: 1.0 };

#[test]
fn a_disc_rolls_round_its_circle() {
    let found = classics::rolling(&CIRCLE, &step::Settings::default(), &[2e-3, 1e-3]).unwrap();
    let wanted = [(6e-6, Some(1.9)), (4e-5, Some(1.9)), (2e-6, Some(1.9)), (3e-7, Some(2.8))];
    check(&found, &wanted, 1e-12);
}

#[test]
fn a_disc_that_rolls_straight_stays_up_above_its_speed_alone() {
    let found = classics::wobble(&[2e-3, 1e-3]).unwrap();
    check(&found, &[(7e-6, None), (7e-6, Some(1.9)), (7e-6, Some(1.9))], 1e-12);
}

#[test]
fn eulers_disc_spins_at_its_rate_and_never_gains_energy() {
    let found = classics::spinning(0.3, &[1e-3, 5e-4]).unwrap();
    check(&found, &[(1e-6, None), (1e-5, Some(1.9)), (3e-5, Some(2.8))], 1e-12);
    for loss in [Loss::Drilling(5e-3), Loss::Rolling(0.02)] {
        let run = falling(0.3, loss, 3.0, 1e-3).unwrap();
        assert!(run.stopped.is_none() && run.worst < 1e-12 && run.rise < 1e-12, "{loss:?}");
        let (first, last) = (run.samples[0], run.samples[run.samples.len() - 1]);
        assert!(last[1] < 0.95 * first[1] && last[3] < 0.95 * first[3], "{last:?}");
    }
}

#[test]
fn a_tippe_top_turns_over_and_keeps_jelletts_invariant() {
    check(&classics::tippe_top(&[4e-4, 2e-4]).unwrap(), &[(1e-12, None), (5e-5, Some(1.9))], 1e-5);
    let run = TippeTop::default().run(3.0, 4e-4).unwrap();
    let last = run.samples[run.samples.len() - 1];
    assert!(last[1] > 2.8, "{last:?}");
    // Friction at a point sticks before the lean has grown: it rolls, and stays.
    let run = TippeTop { patch: 0.0, ..TippeTop::default() }.run(3.0, 4e-4).unwrap();
    assert!(run.samples.iter().all(|s| s[1] < 0.2));
}

#[test]
fn linkages_move_as_their_geometry_says() {
    let found = classics::four_bar(&[4e-3, 2e-3]).unwrap();
    let wanted = [(2e-4, Some(1.9)), (4e-5, Some(1.9)), (5e-4, Some(1.9)), (1e-14, None)];
    check(&found, &wanted, 0.0);
    let found = classics::slider_crank(&[1e-3, 5e-4]).unwrap();
    // The energy oscillates within each turn of the crank.
    check(&found, &[(3e-5, Some(1.9)), (6e-4, Some(1.9)), (2e-5, Some(1.9))], 4e-4);
}

#[test]
fn a_loose_pin_knocks_stays_in_its_hole_and_takes_energy() {
    let found = classics::loose_slider_crank(&[1e-4, 5e-5]).unwrap();
    check(&found, &[(1e-6, None), (2e-8, Some(1.9))], 1e-7);
    let law = Law::disc(0.1).with_restitution(0.5, 0.0);
    let run = Knocks::run(1e-3, law, 1.0, 1e-4).unwrap();
    assert!(run.impacts.len() > 3, "{:?}", run.impacts);
    assert!(run.samples.last().is_some_and(|s| s[3] < 0.95));
}

#[test]
fn a_hundred_links_keep_their_energy() {
    let run = chain(classics::LINKS, Start::FALL, Reaction::Inside, 0.5, 2e-3).unwrap();
    assert!(
        run.stopped.is_none() && run.largest < 1e-6 && run.drift < 1e-13,
        "{} {}",
        run.largest,
        run.drift
    );
    let (a, b) = (
        chain(5, Start::FALL, Reaction::Inside, 0.5, 1e-3).unwrap(),
        chain(5, Start::FALL, Reaction::InProblem, 0.5, 1e-3).unwrap(),
    );
    let off =
        a.samples.iter().zip(&b.samples).fold(0.0_f64, |m, (a, b)| m.max((a[1] - b[1]).abs()));
    assert!(off < 1e-9 && b.worst < 1e-9, "{off} {}", b.worst);
}
