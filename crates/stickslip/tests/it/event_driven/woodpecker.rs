//! The woodpecker of [3], section 4: its limit cycle.

use stickslip::State;
use stickslip::analysis::{
    Cycle, ReturnMap, Search, Surface, cycle, cyclic_coordinates, find_cycle,
};
use stickslip::contact::Mode;
use stickslip::contact::Slip;
use stickslip::events::Settings;
use stickslip::model::Generalised;
use stickslip::models::Woodpecker;
use stickslip::run::EventKind;

fn woodpecker_cycle(tolerance: f64, omega: f64, start: &State) -> Cycle {
    let system = Woodpecker::default().system();
    let cyclic = cyclic_coordinates(&system, start);
    assert_eq!(cyclic, [0], "the height y alone is cyclic");
    let motion = Settings { tolerance, ..Settings::default() };
    let settings = cycle::Settings { motion, ..cycle::Settings::default() };
    let mut section = |_: &[f64], u: &[f64], _: f64| u[2] - omega;
    let surface = Surface::Section(&mut section, 1.0);
    match find_cycle(&Generalised::new(&system).unwrap(), start, surface, &cyclic, &settings)
        .unwrap()
    {
        Search::Found(cycle) => *cycle,
        Search::Lost(lost) => panic!("{lost:?}"),
    }
}

#[test]
fn the_period_does_not_depend_on_tolerance_section_or_start() {
    let reference = woodpecker_cycle(1e-12, 0.0, &Woodpecker::start());
    // Known before from time stepping: about 0.146 s and 19.4 mm of fall.
    assert!((reference.period - 0.146).abs() < 5e-5, "{}", reference.period);
    assert!((reference.drop[0].1 + 0.0194).abs() < 5e-5, "{:?}", reference.drop);
    let mut later = Woodpecker::start();
    (later.q[2], later.u[0]) = (-0.27, -0.33);
    let others = [
        (1e-13, 0.0, Woodpecker::start()),
        (1e-10, 0.0, Woodpecker::start()),
        (1e-12, 3.0, Woodpecker::start()),
        (1e-12, 0.0, later),
    ];
    for (tolerance, omega, start) in others {
        let c = woodpecker_cycle(tolerance, omega, &start);
        assert!((c.period / reference.period - 1.0).abs() < 1e-12, "{} {tolerance}", c.period);
        assert!((c.drop[0].1 / reference.drop[0].1 - 1.0).abs() < 1e-11);
        let (a, b) = (c.multipliers[0], reference.multipliers[0]);
        assert!((a.re - b.re).abs() < 1e-7, "{a:?} {b:?}");
    }
}

/// Two stable cycles: from a slower start the bird settles on hard and soft strokes in turn, and it is this cycle that is found, although
/// Newton's method from there also leads to the one of equal strokes.
#[test]
fn from_another_start_the_bird_settles_on_two_strokes_in_turn() {
    let mut start = Woodpecker::start();
    (start.q[2], start.u[0]) = (-0.25, -0.2);
    let found = woodpecker_cycle(1e-12, 0.0, &start);
    assert_eq!((found.returns, found.stable), (2, true));
    // The motion itself, without any shooting.
    let system = Woodpecker::default().system();
    let model = Generalised::new(&system).unwrap();
    let mut section = |_: &[f64], u: &[f64], _: f64| u[2];
    let surface = Surface::Section(&mut section, 1.0);
    let mut map = ReturnMap::new(&model, &start, surface, &[0], &Settings::default()).unwrap();
    let times: Vec<f64> = (0..200).map(|_| map.next_return().unwrap().unwrap().time).collect();
    let last = times[198] + times[199];
    assert!((last / found.period - 1.0).abs() < 1e-9, "{last} {}", found.period);
    assert!((times[198] - times[199]).abs() > 1e-3, "{times:?}");
}

#[test]
fn the_energy_of_a_cycle_balances() {
    let c = woodpecker_cycle(1e-12, 0.0, &Woodpecker::start());
    // Work of gravity on the drop = friction + impacts.
    let gravity = (0.0003 + 0.0045) * 9.81 * c.drop[0].1;
    let lost: f64 = c.energy.friction.iter().chain(&c.energy.impacts).sum();
    assert!((lost / gravity - 1.0).abs() < 1e-12, "{lost} {gravity}");
    assert!(c.energy.relative < 1e-12, "{:?}", c.energy);
    assert!(c.energy.friction.iter().chain(&c.energy.impacts).all(|w| *w <= 0.0));
}

#[test]
fn the_cycle_is_stable_and_goes_through_the_modes_of_the_paper() {
    let c = woodpecker_cycle(1e-12, 0.0, &Woodpecker::start());
    assert!(c.stable && c.returns == 1 && c.residual < 1e-11);
    // One multiplier is not zero; it is negative, on the way to a doubled period.
    assert!(c.multipliers[0].im == 0.0 && (-0.95..-0.7).contains(&c.multipliers[0].re));
    assert!(c.multipliers[1..].iter().all(|m| m.norm() < 1e-9), "{:?}", c.multipliers);
    let (open, stick) = (Mode::Open, Mode::Stick);
    let (down, up) = (Mode::Slide(Slip::Negative), Mode::Slide(Slip::Positive));
    let modes: Vec<_> = c.phases.iter().map(|p| p.modes.clone()).collect();
    let expected = [
        [open, stick, open],
        [open, down, open],
        [open, open, open],
        [open, open, up],
        [open, open, open],
        [open, down, open],
        [open, stick, open],
    ];
    assert_eq!(modes, expected);
    // The beak strikes once, the upper edge twice, the lower edge twice.
    let strikes: Vec<_> =
        c.events.iter().filter(|e| e.kind == EventKind::Impact).map(|e| e.contact).collect();
    assert_eq!(strikes, [2, 0, 2, 1, 1]);
}
