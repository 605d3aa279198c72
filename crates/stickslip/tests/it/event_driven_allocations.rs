//! The smooth motion of the event-driven integrator allocates nothing, however long it is.

use stickslip::events::{EventDriven, Settings};
use stickslip::models::Woodpecker;
use stickslip::system::State;

/// Allocations and evaluations in a motion without events.
fn count(system: Woodpecker, start: &State) -> (u64, usize) {
    let mut system = system.system();
    let mut motion = EventDriven::new(&mut system, start, &Settings::default()).unwrap();
    motion.advance(0.05, None, &mut ()).unwrap();
    let (modes, before) = (motion.modes().to_vec(), motion.evaluations());
    let made = allocation_counter::measure(|| {
        motion.advance(20.0, None, &mut ()).unwrap();
    });
    assert_eq!(motion.modes(), modes, "the test is about a motion without events");
    (made.count_total, motion.evaluations() - before)
}

#[test]
fn steps_of_a_free_motion_allocate_nothing() {
    // A sleeve too wide and a beak too short to touch.
    let free = Woodpecker { r_m: 1.0, l_s: -1.0, ..Woodpecker::default() };
    let (allocations, evaluations) = count(free, &Woodpecker::start());
    assert!(evaluations > 100_000, "{evaluations}");
    assert_eq!(allocations, 0);
}

#[test]
fn steps_of_a_sticking_motion_allocate_where_rounding_is_projected_away() {
    // The sleeve clamped on its lower edge, the bird at a small swing: it sticks for ever.
    let clamped = Woodpecker { mu: 5.0, ..Woodpecker::default() };
    let start = State::new(vec![0.0, -0.6e-3 / 5.8e-3, -0.25], vec![0.0, 0.0, 0.5]);
    let (allocations, evaluations) = count(clamped, &start);
    assert!(evaluations > 10_000, "{evaluations}");
    assert!(allocations < evaluations as u64 / 100, "{allocations} {evaluations}");
}
