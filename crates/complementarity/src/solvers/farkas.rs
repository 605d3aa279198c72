//! Infeasibility by linear programming: the best Farkas vector in a box.
//!
//! Notation: min over y in Y, max over l ≤ z ≤ u of yᵀ(M z + q), where Y bounds y by one and gives
//! it the signs that [`Proof::Infeasible`] asks for. Its optimality conditions are the skew, hence
//! monotone, mixed problem with matrix [[0, M], [−Mᵀ, 0]]. It always has a solution if the given
//! problem is infeasible, and then its value is negative.

use super::MixedSolver;
use super::interior_point::{InteriorPoint, Settings};
use super::view::{Scaled, View};
use crate::proof::{prove, prove_mixed};
use crate::{Matrix, Mlcp, Proof};

/// Looks for a Farkas vector with interior-point solves of twice the size, in equilibrated and then
/// in balanced units; `Some` only if the proof holds by its own check.
pub(crate) fn prove_infeasible(view: View<'_>) -> Option<Proof> {
    if view.len() == 0 {
        return None;
    }
    let mut scaled = Scaled::default();
    [false, true].into_iter().find_map(|balanced| {
        let loaded = if balanced { scaled.load_balanced(view) } else { scaled.load(view, false) };
        let mut tries = REACH.iter().filter(|_| loaded);
        tries.find_map(|&reach| prove_within(view, &scaled, reach))
    })
}

/// Bounds on z, first a close one, then a remote one. A saddle point of a bounded problem is where
/// an interior-point method is at its best; the bound is exact if it does not bind.
const REACH: [f64; 2] = [1e3, 1e7];

fn prove_within(view: View<'_>, scaled: &Scaled, reach: f64) -> Option<Proof> {
    let problem = farkas_problem(scaled, reach)?;
    let settings = Settings { prove_up_to: 0, ..Settings::default() };
    let mut solver = InteriorPoint::new(settings).ok()?;
    let solution = solver.solve_mixed(&problem);
    let y: Vec<f64> = (0..view.len()).map(|i| solution.z[i] * scaled.row_factor(i)).collect();
    match view {
        View::Plain(p) => prove(p, &y),
        View::Mixed(p) => prove_mixed(p, &y),
    }
}

fn farkas_problem(scaled: &Scaled, reach: f64) -> Option<Mlcp> {
    let n = scaled.q.len();
    let skew = Matrix::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
        (true, false) => scaled.m[(i, j - n)],
        (false, true) => -scaled.m[(j, i - n)],
        _ => 0.0,
    });
    let mut q = scaled.q.clone();
    q.resize(2 * n, 0.0);
    let (mut lower, mut upper) = (Vec::with_capacity(2 * n), Vec::with_capacity(2 * n));
    for i in 0..n {
        let (below, above) = (scaled.lower[i].is_finite(), scaled.upper[i].is_finite());
        lower.push(if below { 0.0 } else { -1.0 });
        upper.push(if above { 0.0 } else { 1.0 });
    }
    for (&l, &u) in scaled.lower.iter().zip(&scaled.upper) {
        let near = 0.0_f64.clamp(l, u);
        lower.push(l.max(near - reach));
        upper.push(u.min(near + reach));
    }
    Mlcp::new(skew, q, lower, upper).ok()
}
