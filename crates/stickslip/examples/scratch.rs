//! Scratch.
use stickslip::integrators::Integrator;
use stickslip::models::Woodpecker;
use stickslip::run::*;
struct P(usize);
impl Observer for P {
    fn sample(&mut self, _: &Sample<'_>) -> Flow {
        Flow::Continue
    }
    fn event(&mut self, e: &Event) {
        if self.0 < 60 {
            println!("{:.6} {} {} {:?} {:.3e}", e.t, e.contact, e.kind.name(), e.impulse, e.energy);
        }
        self.0 += 1;
    }
}
fn main() {
    for integ in [Integrator::MoreauMidpoint, Integrator::MoreauJean] {
        for dt in [1e-4, 1e-5, 1e-6] {
            let mut b = Woodpecker::default().system();
            let s = Settings {
                t_end: 3.0,
                dt,
                sample_dt: 10.0,
                integrator: integ,
                ..Default::default()
            };
            let t = std::time::Instant::now();
            let r = run(&mut b, &Woodpecker::start(), &s, &mut (), &mut ()).unwrap();
            let el = t.elapsed().as_secs_f64();
            println!(
                "{integ} {dt} {:?} steps {} contact {} ns/step {:.0} y {:?} worst {:.1e} drift {:?} impacts {} work {:e} dE {:e}",
                r.end,
                r.steps,
                r.contact_steps,
                el / r.steps as f64 * 1e9,
                r.state.q,
                r.certificate.worst,
                r.drift,
                r.impacts,
                r.contact_work,
                r.energy_end.total() - r.energy_start.total()
            );
        }
    }
    let mut b = Woodpecker::default().system();
    let s = Settings { t_end: 0.16, dt: 1e-5, ..Default::default() };
    run(&mut b, &Woodpecker::start(), &s, &mut P(0), &mut ()).unwrap();
}
