//! The woodpecker of [3], section 4.

use stickslip::analysis::{Search, Surface, cycle, cyclic_coordinates, find_cycle};
use stickslip::integrators::event_driven::Settings;
use stickslip::models::Woodpecker;

#[test]
fn probe() {
    let mut reference = 0.0;
    for (tolerance, k) in [(1e-12, 1), (1e-10, 1), (1e-13, 1), (1e-11, 2)] {
        let mut system = Woodpecker::default().system();
        let cyclic = cyclic_coordinates(&mut system, &Woodpecker::start());
        assert_eq!(cyclic, [0]);
        let motion = Settings { tolerance, ..Settings::default() };
        let settings = cycle::Settings { motion, ..cycle::Settings::default() };
        let mut section = |_: &[f64], u: &[f64], _: f64| u[2] - if k == 1 { 0.0 } else { 3.0 };
        let surface = Surface::Section(&mut section, 1.0);
        let search =
            find_cycle(&mut system, &Woodpecker::start(), surface, &cyclic, &settings).unwrap();
        match search {
            Search::Found(c) => {
                println!("{:.15} {:e} {:?} {} {}", c.period, c.period - reference, c.drop, c.returns, c.settling);
                println!("{:?} {:?}", c.state, c.modes);
                println!("{:?} res {:e}", c.multipliers, c.residual);
                println!("{:?}", c.energy);
                for p in &c.phases {
                    println!("{:.12} {:?}", p.t, p.modes);
                }
                reference = c.period;
            }
            Search::Lost(l) => panic!("{l:?}"),
        }
    }
}
