//! Boxes.
use stickslip_harness::boxes::*;
use stickslip::contact::solve::Formulation;
fn main() {
    let steps: usize = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(100);
    let law = stickslip::contact::Law::disc(0.4);
    for directions in [4, 8, 16] {
        for motion in Motion::ALL {
            for rho in [None, Some(0.0), Some(0.01), Some(1.0), Some(100.0)] {
                for relaxation in [0.0, 1e-6] {
                    if relaxation > 0.0 && rho.is_some() { continue; }
                    let s = stickslip::contact::solve::Settings { rho: rho.into(), relaxation, ..alone(Formulation::PhantomInertia, directions) };
                    let t = std::time::Instant::now();
                    let o = run(motion, &law, &s, steps);
                    println!("{directions} {} rho {rho:?} relax {relaxation}: {} steps cert {:.1e} model {:?} failed {:?} {:?} {:.2?}", motion.name(), o.steps, o.certificate, o.model, o.failed.as_ref().map(|f| &f.reason), o.refused, t.elapsed());
                    if let Some(f) = &o.failed { if std::env::args().nth(2).is_some() { std::fs::write(format!("/tmp/ph_{directions}_{}_{rho:?}_{relaxation}.json", motion.name().replace(' ', "_")), f.problem.to_json().unwrap()).unwrap(); } }
                }
            }
        }
    }
}
