//! A linear objective over a section of a cone, by half-spaces that are added where the optimum is outside.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | y | unknowns; the forces are `columns` · y |
//! | g, h | objective gᵀy, section hᵀy = 1 |
//! | v, λ | multipliers of the section and of the half-spaces: g = v h + Σ λ_j (columnsᵀ d_j) |

use super::cone::{Cone, in_columns};
use complementarity::{Matrix, Mlcp, Status, solve_mixed};
use nalgebra::{DMatrix, DVector};

/// Linear programs that are solved at most.
const ROUNDS: usize = 120;
/// Half-spaces that are kept at most.
const CUTS: usize = 400;
/// Forces outside of the cone by less than this, with normal forces that sum to one, are not cut.
const OUTSIDE: f64 = 1e-11;

/// An optimum over half-spaces around the cone.
pub(super) struct Optimum {
    pub(super) y: DVector<f64>,
    /// The multiplier v.
    pub(super) value: f64,
    /// Σ λ_j d_j, in the dual cone.
    pub(super) dual: DVector<f64>,
}

/// min gᵀy over `columns` y in the cone, hᵀy = 1; of all linear programs on the way the optimum that is least outside.
/// None if not even the first was solved. Ends early at an optimum that is `enough`.
///
/// Half-spaces that do not bind are dropped where the value has risen, so that none comes back for ever.
pub(super) fn minimise(
    cone: &Cone<'_>,
    columns: &DMatrix<f64>,
    g: &DVector<f64>,
    h: &DVector<f64>,
    enough: impl Fn(&Optimum) -> bool,
) -> Option<Optimum> {
    let mut cuts = cone.first_cuts();
    let (kept, mut highest) = (cuts.len(), f64::NEG_INFINITY);
    let mut best: Option<(f64, Optimum)> = None;
    for _ in 0..ROUNDS {
        let Some(solved) = program(&in_columns(&cuts, columns), g, h) else { break };
        let c = columns * &solved.y;
        let outside = cone.outside(&c);
        let weighted = cuts.iter().zip(solved.multipliers.iter()).map(|(d, l)| d * l.max(0.0));
        let dual = weighted.fold(DVector::zeros(columns.nrows()), |sum, d| sum + d);
        let optimum = Optimum { y: solved.y, value: solved.v, dual };
        let done = enough(&optimum);
        if optimum.value > highest {
            highest = optimum.value;
            let mut place = 0..;
            let binds = |i: usize| i < kept || solved.multipliers[i] > 0.0;
            cuts.retain(|_| place.next().is_some_and(binds));
        }
        if best.as_ref().is_none_or(|(o, _)| outside < *o) || done {
            best = Some((outside, optimum));
        }
        if done {
            break;
        }
        let new = cone.violated(&c, OUTSIDE);
        if new.is_empty() || cuts.len() + new.len() > CUTS {
            break;
        }
        cuts.extend(new);
    }
    best.map(|(_, optimum)| optimum)
}

struct Solved {
    y: DVector<f64>,
    v: f64,
    multipliers: DVector<f64>,
}

/// min gᵀy with A y ≥ 0 and hᵀy = 1, by its conditions of optimality: a monotone complementarity problem.
fn program(a: &DMatrix<f64>, g: &DVector<f64>, h: &DVector<f64>) -> Option<Solved> {
    let (m, p) = (a.nrows(), a.ncols());
    let n = p + 1 + m;
    let matrix = Matrix::from_fn(n, n, |i, j| match (i, j) {
        (i, j) if i < p && j == p => -h[i],
        (i, j) if i < p && j > p => -a[(j - p - 1, i)],
        (i, j) if i == p && j < p => h[j],
        (i, j) if i > p && j < p => a[(i - p - 1, j)],
        _ => 0.0,
    });
    let q: Vec<f64> =
        (0..n).map(|i| if i < p { g[i] } else { -f64::from(u8::from(i == p)) }).collect();
    let lower = (0..n).map(|i| if i <= p { f64::NEG_INFINITY } else { 0.0 }).collect();
    let problem = Mlcp::new(matrix, q, lower, vec![f64::INFINITY; n]).ok()?;
    let solution = solve_mixed(&problem);
    match solution.status {
        Status::Solved => Some(Solved {
            y: DVector::from_column_slice(&solution.z[..p]),
            v: solution.z[p],
            multipliers: DVector::from_column_slice(&solution.z[p + 1..]),
        }),
        _ => {
            eprintln!("LP {m} cuts, {p}: {:?}", solution.status);
            None
        }
    }
}
