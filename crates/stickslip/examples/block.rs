//! A block that is thrown onto rough ground, slides and comes to rest.

use stickslip::contact::Law;
use stickslip::model::Generalised;
use stickslip::models::{Linear, LinearContact};
use stickslip::run::{Event, Flow, Observer, Sample, Settings, run};
use stickslip::system::State;

// ANCHOR: run
/// Prints what happens.
struct Story;

impl Observer for Story {
    fn sample(&mut self, _: &Sample<'_>) -> Flow {
        Flow::Continue
    }

    fn event(&mut self, event: &Event) {
        println!("t = {:.4} s: contact {} {}", event.t, event.contact, event.kind.name());
    }
}

fn main() -> Result<(), stickslip::Error> {
    // Coordinates x and y of a point of 2 kg; the ground is y = 0.
    let ground = LinearContact::new(vec![0.0, 1.0], vec![1.0, 0.0], Law::coulomb(0.2));
    let block = Linear::diagonal(&[2.0, 2.0], &[0.0, -2.0 * 9.81], vec![ground])?;

    let start = State::new(vec![0.0, 0.3], vec![1.0, 0.0]);
    let settings = Settings { t_end: 1.0, dt: 1e-4, ..Settings::default() };
    let report = run(&Generalised::new(block)?, &start, &settings, &mut Story, &mut ())?;

    println!("came to rest at x = {:.4} m", report.state.q[0]);
    println!("worst certificate {:.1e}", report.certificate.worst);
    Ok(())
}
// ANCHOR_END: run
