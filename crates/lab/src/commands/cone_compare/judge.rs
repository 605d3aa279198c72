//! Two measures of how far impulses are from a solution, for all programs alike.

use stickslip_contact::{ContactProblem, Kind};

/// The names of the measures, in the order of [`judge`].
pub(crate) const JUDGES: [&str; 2] = ["our residual", "Siconos' error"];

/// The scaled residual of this library, and the error that Siconos documents for its own solvers:
/// ‖Λ − P_K(Λ − ξ − μ|ξ_T| e_N)‖ / ‖b‖ over all contacts, in the units of the problem.
pub(crate) fn judge(problem: &ContactProblem, impulse: &[f64]) -> [f64; 2] {
    let ours = problem.certificate(impulse).map_or(f64::INFINITY, |c| c.worst);
    [ours, natural_map(problem, impulse)]
}

fn natural_map(problem: &ContactProblem, impulse: &[f64]) -> f64 {
    let b = problem.bias();
    if impulse.len() != b.len() || impulse.iter().any(|x| !x.is_finite()) {
        return f64::INFINITY;
    }
    let mut velocity = vec![0.0; b.len()];
    problem.velocity_into(impulse, &mut velocity);
    let mut sum = 0.0;
    for (i, law) in problem.laws().iter().enumerate() {
        if law.kind != Kind::Disc {
            return f64::INFINITY;
        }
        let mu = law.mu;
        let (lam, xi) = (&impulse[problem.rows(i)], &velocity[problem.rows(i)]);
        let shift = mu * xi[1].hypot(xi[2]);
        let landed = on_cone(mu, [lam[0] - xi[0] - shift, lam[1] - xi[1], lam[2] - xi[2]]);
        sum += lam.iter().zip(landed).map(|(l, p)| (l - p).powi(2)).sum::<f64>();
    }
    let norm = b.iter().map(|x| x * x).sum::<f64>().sqrt();
    sum.sqrt() / if norm > 0.0 { norm } else { 1.0 }
}

/// The nearest point of the cone |x_T| ≤ μ x_N.
fn on_cone(mu: f64, x: [f64; 3]) -> [f64; 3] {
    let t = x[1].hypot(x[2]);
    if t <= mu * x[0] {
        return x;
    }
    let n = (x[0] + mu * t) / (1.0 + mu * mu);
    if n <= 0.0 {
        return [0.0; 3];
    }
    let part = mu * n / t;
    [n, part * x[1], part * x[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_contact::Law;
    use stickslip_contact::block::BlockMatrix;

    /// A unit mass that slides at speed 1 while it is pressed to the ground at speed 2.
    fn slider() -> ContactProblem {
        let identity = vec![1., 0., 0., 0., 1., 0., 0., 0., 1.];
        let w = BlockMatrix::from_one_triangle(&[3], vec![(0, 0, identity)]).unwrap();
        ContactProblem::new(w, vec![-2.0, 1.0, 0.0], vec![Law::disc(0.25)]).unwrap()
    }

    #[test]
    fn both_measures_vanish_at_the_solution_and_nowhere_near_it() {
        for value in judge(&slider(), &[2.0, -0.5, 0.0]) {
            assert!(value < 1e-15, "{value}");
        }
        for wrong in [[2.001, -0.5, 0.0], [2.0, -0.499, 0.0], [2.0, -0.5, 0.001], [0.0; 3]] {
            for value in judge(&slider(), &wrong) {
                assert!(value > 1e-4, "{wrong:?}: {value}");
            }
        }
    }

    #[test]
    fn the_convexified_answer_is_refused_by_both() {
        // Without the correction the velocity leaves the ground: ξ_N = μ|ξ_T|.
        let (mu, n) = (0.25, (2.0 + 0.25) / (1.0 + 0.0625));
        for value in judge(&slider(), &[n, -mu * n, 0.0]) {
            assert!(value > 1e-2, "{value}");
        }
    }
}
