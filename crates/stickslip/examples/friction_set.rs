//! A friction set of one's own: the skin of a ski, which glides forwards and holds backwards.

use complementarity::Matrix;
use std::sync::Arc;
use stickslip::contact::Law;
use stickslip::contact::set::ConvexSet;
use stickslip::contact::set::UserSet;
use stickslip::contact::solve::ContactSolver;
use stickslip::level::{Level, Snapshot};

// ANCHOR: set
/// All points within `width` of the segment from (0, 0) to (`hold`, 0). Friction against a slip forwards (+t) is `width`,
/// against one backwards `width + hold`, sideways `width`.
#[derive(Debug)]
struct Skin {
    width: f64,
    hold: f64,
}

impl UserSet for Skin {
    fn dimension(&self) -> usize {
        2
    }

    /// The nearest point to x of radius · F; x itself where it is inside.
    fn project(&self, radius: f64, x: &[f64], out: &mut [f64]) {
        let along = x[0].clamp(0.0, radius * self.hold);
        let (dx, dy) = (x[0] - along, x[1]);
        let (away, width) = (dx.hypot(dy), radius * self.width);
        let share = if away > width { width / away } else { 1.0 };
        // Not along + dx inside of the set, which would round.
        out[0] = if share < 1.0 { along + share * dx } else { x[0] };
        out[1] = share * dy;
    }

    /// h(x) = max { x·f : f in F }.
    fn support(&self, x: &[f64]) -> f64 {
        self.width * x[0].hypot(x[1]) + self.hold * x[0].max(0.0)
    }

    /// Where that maximum is. May be left out: then it is a projection from far away, good to 8 digits.
    fn support_point(&self, x: &[f64], out: &mut [f64]) {
        let size = x[0].hypot(x[1]);
        let unit = |c: f64| if size > 0.0 { c / size } else { 0.0 };
        out[0] = self.width * unit(x[0]) + if x[0] > 0.0 { self.hold } else { 0.0 };
        out[1] = self.width * unit(x[1]);
    }
}
// ANCHOR_END: set

fn main() -> Result<(), stickslip::Error> {
    // ANCHOR: use
    let set = ConvexSet::Custom(Arc::new(Skin { width: 0.1, hold: 0.5 }));
    let law = Law::with_set(1.0, set);

    // A ski of 2 kg under 80 kg: velocities z, x, y; 800 N of load; and a push along x.
    let mass = Matrix::from_fn(3, 3, |i, j| if i == j { [2.0, 2.0, 2.0][i] } else { 0.0 });
    let mut ski = Snapshot::new(mass, Matrix::identity(3), vec![-800.0, 0.0, 0.0], vec![0.0; 3])?;
    let mut solver = ContactSolver::default();
    for push in [70.0, 90.0, -90.0, -470.0, -490.0] {
        ski.forces[1] = push;
        let problem = ski.pose(std::slice::from_ref(&law), Level::Acceleration(0.0))?;
        let answer = solver.solve(&problem);
        println!(
            "push {push:>6} N: {:<5} friction {:>6.1} N, acceleration {:>5.1} m/s², certificate {:.0e}",
            answer.mode(&problem, 0).name(),
            answer.impulse[1],
            answer.velocity[1],
            answer.certificate.worst,
        );
        let holds = (-0.6 * 800.0..=0.1 * 800.0).contains(&push);
        assert!(answer.is_solved() && holds == (answer.velocity[1].abs() < 1e-6));
    }
    // ANCHOR_END: use
    Ok(())
}
