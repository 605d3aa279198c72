//! The woodpecker of [3], section 4.

use crate::systems::Log;
use stickslip::integrators::event_driven::{EventDriven, Reached, Settings};
use stickslip::models::Woodpecker;

#[test]
fn probe() {
    let mut system = Woodpecker::default().system();
    let settings = Settings { t_end: 0.5, ..Settings::default() };
    let mut log = Log::default();
    let mut motion = EventDriven::new(&mut system, &Woodpecker::start(), &settings).unwrap();
    let start = motion.energy().total();
    let reached = motion.advance(0.5, None, &mut log).unwrap();
    for e in &log.events {
        println!("{:.12} {} {} {:?} {:e}", e.t, e.contact, e.kind.name(), e.impulse, e.energy);
    }
    let t = motion.totals().clone();
    let work: f64 = t.friction.iter().chain(&t.impacts).chain(&t.drive).sum();
    let end = motion.energy().total();
    println!("{:e} {:e} {:e}", end - start, work, end - start - work);
    println!("evaluations {}", motion.evaluations());
    println!("{:?}", motion.report(stickslip::run::End::Finished));
    assert_eq!(reached, Reached::Time);
}
