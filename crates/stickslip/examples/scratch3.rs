//! Scratch.
use stickslip::models::Woodpecker;
use stickslip::run::*;
fn main() {
    let mut best = f64::INFINITY;
    for _ in 0..60 {
        let mut b = Woodpecker::default().system();
        let s = Settings { t_end: 0.2, dt: 1e-5, sample_dt: 10.0, ..Default::default() };
        let t = std::time::Instant::now();
        let r = run(&mut b, &Woodpecker::start(), &s, &mut (), &mut ()).unwrap();
        best = best.min(t.elapsed().as_secs_f64() / r.steps as f64 * 1e9);
    }
    println!("best {best:.0} ns/step");
}
