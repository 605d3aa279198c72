//! Scratch.
use stickslip::models::Woodpecker;
use stickslip::run::*;
fn main() {
    let mut b = Woodpecker::default().system();
    let s = Settings { t_end: 1.0, dt: 1e-5, sample_dt: 10.0, ..Default::default() };
    let r = run(&mut b, &Woodpecker::start(), &s, &mut (), &mut ()).unwrap();
    println!("{} {} {}", r.steps, r.contact_steps, r.iterations);
}
