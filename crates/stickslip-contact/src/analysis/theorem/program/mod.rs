//! Part (B): whether a self-stress does work against b.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | z | orthonormal columns with A z = 0, in scaled forces |
//! | c | forces on the rows that take part |

mod cone;
mod search;

use super::layout::Layout;
use crate::ContactProblem;
use crate::redundancy::RANK;
use crate::tolerance::VALUE_ROUNDING;
use cone::Cone;
use nalgebra::{DMatrix, DVector, SVD, SymmetricEigen};
use search::{Optimum, minimise};
use std::fmt;

/// The most dimensions of self-stresses (friction limits aside) over which the program is solved: each of up to 3,000
/// pivots factorises a matrix of that size.
pub const MAX_SELF_STRESSES: usize = 60;

/// Accelerations that lift every contact by more than this prove that there is no self-stress; their size is about one.
const APART: f64 = 1e-10;

/// Normal force to spare, of one in all, that makes a self-stress one well inside of the cone.
const INSIDE: f64 = 1e-3;

/// Part (B) of theorem 1, for a problem in which no contact slides: the least work bᵀc of a self-stress, that is of forces
/// c that obey the friction limits (at large loads: without constant friction), move nothing, W c = 0, and have normal
/// forces that sum to one. The paper's program has Σ c_n ≤ 1, and with it the value min(0, this).
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// What it means.
    pub meaning: Meaning,
    /// No self-stress does less work than this: proved by [`acceleration`](Self::acceleration).
    pub lower: f64,
    /// The work of [`minimiser`](Self::minimiser); infinite if there is no self-stress.
    pub upper: f64,
    /// A self-stress of least work, with the rows of the problem; of contradicting connections if
    /// [`meaning`](Self::meaning) says so.
    pub minimiser: Option<Vec<f64>>,
    /// By how much it is outside of the friction limits, as a normal force that is missing; 0 but where the only
    /// self-stresses are at the limit.
    pub outside: f64,
    /// Accelerations a = b + W z that some forces z, of whatever sign, give: all of them with
    /// a_n − μ h(−a_T) ≥ [`lower`](Self::lower), so that a self-stress has bᵀc = aᵀc ≥ lower Σ c_n.
    pub acceleration: Vec<f64>,
    /// The dimension of the space of self-stresses, friction limits aside.
    pub dimension: usize,
    /// Whether all friction sets are polyhedra.
    pub polyhedral: bool,
}

/// What the value of the program says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// There is no self-stress within the friction limits: a solution exists for every b.
    NoSelfStress,
    /// Every self-stress does positive work: a solution exists, and also for every b near to this one.
    Exists,
    /// The least work is zero to rounding, as it is for every system at rest: the theorem gives a solution, at the edge of
    /// what it covers. For polyhedral friction sets the proof is in the book.
    Edge,
    /// A self-stress does negative work: the theorem says nothing.
    NoConclusion,
    /// Connections contradict each other: there is no solution.
    Contradiction,
    /// The value is not known well enough, or there are more than [`MAX_SELF_STRESSES`] dimensions.
    Undecided,
}

impl Program {
    /// The value of the paper's program, whose forces may vanish: min(0, upper).
    #[must_use]
    pub fn value(&self) -> f64 {
        self.upper.min(0.0)
    }

    /// None if a contact slides.
    pub(super) fn of(problem: &ContactProblem, layout: &Layout) -> Option<Self> {
        if layout.parts.iter().any(|p| p.slides.is_some()) {
            return None;
        }
        let cone = Cone::of(problem, layout);
        let scale = DVector::from_iterator(cone.rows.len(), cone.rows.iter().map(|&r| layout.s[r]));
        let b =
            DVector::from_iterator(cone.rows.len(), cone.rows.iter().map(|&r| problem.bias()[r]));
        let stage = Stage { cone, scale, b, size: problem.bias().len() };
        Some(stage.solve(layout))
    }
}

struct Stage<'a> {
    cone: Cone<'a>,
    /// Units of the rows that take part.
    scale: DVector<f64>,
    b: DVector<f64>,
    size: usize,
}

impl Stage<'_> {
    fn solve(&self, layout: &Layout) -> Program {
        let mut out = Program {
            meaning: Meaning::NoSelfStress,
            lower: f64::INFINITY,
            upper: f64::INFINITY,
            minimiser: None,
            outside: 0.0,
            acceleration: self.to_rows(&self.b),
            dimension: 0,
            polyhedral: self.cone.polyhedral,
        };
        let undecided =
            |out: Program| Program { meaning: Meaning::Undecided, lower: f64::NEG_INFINITY, ..out };
        if self.cone.rows.is_empty() {
            return out;
        }
        let Some(z) = null_space(layout.block(&self.cone.rows, &self.cone.rows)) else {
            return undecided(out);
        };
        out.dimension = z.ncols();
        if z.ncols() == 0 {
            return out;
        }
        if z.ncols() > MAX_SELF_STRESSES {
            return undecided(out);
        }
        let Some((fixed, mixed)) = self.split(&z) else { return undecided(out) };
        if let Some(c) = self.contradiction(&fixed) {
            let (meaning, lower, upper) =
                (Meaning::Contradiction, f64::NEG_INFINITY, f64::NEG_INFINITY);
            return Program { meaning, lower, upper, minimiser: Some(self.to_rows(&c)), ..out };
        }
        // Forces from scaled ones.
        let columns =
            DMatrix::from_fn(mixed.nrows(), mixed.ncols(), |i, j| mixed[(i, j)] / self.scale[i]);
        let h = columns.tr_mul(&self.cone.inwards());
        if columns.ncols() == 0 || h.norm() <= RANK * columns.norm() {
            return out;
        }
        let Some(centre) = self.centre(&columns, &h) else { return undecided(out) };
        let apart = self.reachable(&z, &DVector::zeros(self.b.len()), &centre);
        if self.cone.lift(&apart) > APART {
            return Program { acceleration: self.to_rows(&apart), ..out };
        }
        let work = columns.tr_mul(&self.b);
        let Some(optimum) = minimise(&self.cone, &columns, &work, &h, |_| false) else {
            return undecided(out);
        };
        let a = self.reachable(&z, &self.b, &optimum);
        out.lower = self.cone.lift(&a);
        out.acceleration = self.to_rows(&a);
        let p = columns.ncols();
        let c = self.pulled_in(&columns * &optimum.y, &columns * centre.y.rows(0, p));
        out.upper = self.b.dot(&c);
        out.outside = self.cone.outside(&c).max(0.0);
        let sizes = self.b.component_div(&self.scale).norm() * c.component_mul(&self.scale).norm();
        out.minimiser = Some(self.to_rows(&c));
        out.meaning = meaning(out.lower, out.upper, VALUE_ROUNDING * sizes);
        out
    }

    fn to_rows(&self, part: &DVector<f64>) -> Vec<f64> {
        let mut all = vec![0.0; self.size];
        for (row, v) in self.cone.rows.iter().zip(part.iter()) {
            all[*row] = *v;
        }
        all
    }

    /// The null space in two: forces of connections alone, and what is beside them.
    fn split(&self, z: &DMatrix<f64>) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
        let p = z.ncols();
        let mut rest = DMatrix::zeros(z.nrows().max(p), p);
        for i in (0..z.nrows()).filter(|i| !self.cone.fixed.contains(i)) {
            rest.set_row(i, &z.row(i));
        }
        if !rest.iter().all(|v| v.is_finite()) {
            return None;
        }
        let svd = SVD::try_new(rest, false, true, f64::EPSILON, 100 * p + 100)?;
        let v = svd.v_t?.transpose();
        let (fixed, mixed): (Vec<usize>, Vec<usize>) =
            (0..p).partition(|&i| svd.singular_values[i] <= 1e-8);
        Some((z * v.select_columns(&fixed), z * v.select_columns(&mixed)))
    }

    /// A self-stress of connections that does work.
    fn contradiction(&self, fixed: &DMatrix<f64>) -> Option<DVector<f64>> {
        let b = self.b.component_div(&self.scale);
        let along = fixed.tr_mul(&b);
        let work = along.norm();
        let own: f64 = self.cone.fixed.iter().map(|&i| b[i] * b[i]).sum::<f64>().sqrt();
        (work > 1e-8 * own).then(|| -(fixed * (along / work)).component_div(&self.scale))
    }

    /// Accelerations that forces can reach from b, nearest (scaled) to those that the multipliers of an optimum name:
    /// a + z zᵀ(b − a) with a = v e + Σ λ d.
    fn reachable(&self, z: &DMatrix<f64>, b: &DVector<f64>, optimum: &Optimum) -> DVector<f64> {
        let a = optimum.value * self.cone.inwards() + &optimum.dual;
        let off = (b - &a).component_div(&self.scale);
        a + (z * z.tr_mul(&off)).component_mul(&self.scale)
    }

    /// The largest τ with c − τ e in the cone for a self-stress c, as an optimum with −τ for its last unknown: a linear
    /// program that always has a solution. Where τ < 0 its multipliers name accelerations that forces alone can reach
    /// and that lift every contact: there is no self-stress.
    fn centre(&self, columns: &DMatrix<f64>, h: &DVector<f64>) -> Option<Optimum> {
        let (p, inwards) = (columns.ncols(), self.cone.inwards());
        let wider = DMatrix::from_fn(columns.nrows(), p + 1, |i, j| {
            if j < p { columns[(i, j)] } else { -inwards[i] }
        });
        let g = DVector::from_fn(p + 1, |i, _| if i < p { 0.0 } else { -1.0 });
        let h = DVector::from_fn(p + 1, |i, _| if i < p { h[i] } else { 0.0 });
        // Any self-stress well inside will do, and any proof that there is none.
        let inside = |o: &Optimum| self.cone.outside(&(columns * o.y.rows(0, p))) < -INSIDE;
        minimise(&self.cone, &wider, &g, &h, |o| o.value > INSIDE || inside(o))
    }

    /// The forces, moved by no more than it takes towards a self-stress inside of the cone, if there is one.
    fn pulled_in(&self, c: DVector<f64>, inner: DVector<f64>) -> DVector<f64> {
        let inwards = self.cone.inwards();
        let (c, inner) = (&c / c.dot(&inwards), &inner / inner.dot(&inwards));
        if self.cone.outside(&c) <= 0.0 {
            return c;
        }
        let between = |t: f64| (1.0 - t) * &c + t * &inner;
        if self.cone.outside(&inner) > 0.0 {
            return c;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..80 {
            // Shares of very different sizes are looked for: the geometric mean, once there is a lower end.
            let middle: f64 = if low > 0.0 { f64::sqrt(low * high) } else { high * 1e-2 };
            if self.cone.outside(&between(middle)) <= 0.0 {
                high = middle;
            } else {
                low = middle;
            }
            if high < 1e-18 {
                break;
            }
        }
        between(high)
    }
}

fn meaning(lower: f64, upper: f64, rounding: f64) -> Meaning {
    if lower > rounding {
        Meaning::Exists
    } else if upper < -rounding {
        Meaning::NoConclusion
    } else if lower >= -rounding && upper <= rounding {
        Meaning::Edge
    } else {
        Meaning::Undecided
    }
}

/// Orthonormal columns with A z = 0; none if eigenvalues are not found.
fn null_space(a: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = a.nrows();
    let eigen = SymmetricEigen::try_new(a, f64::EPSILON, 100 * n + 100)?;
    let largest = eigen.eigenvalues.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
    let null: Vec<usize> =
        (0..n).filter(|&i| eigen.eigenvalues[i].abs() <= RANK * largest).collect();
    Some(eigen.eigenvectors.select_columns(&null))
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lower, upper, dimension, .. } = self;
        match self.meaning {
            Meaning::NoSelfStress if *dimension == 0 => f.write_str(
                "no forces but zero move nothing: at rest a solution exists, whatever b and μ",
            ),
            Meaning::NoSelfStress => write!(
                f,
                "no self-stress within the friction limits (of {dimension} dimensions without them): a solution exists for every b"
            ),
            Meaning::Exists => {
                write!(
                    f,
                    "every self-stress does work with b, at least {lower:.6} per unit of normal force: a solution exists"
                )
            }
            Meaning::Edge => {
                let proof =
                    if self.polyhedral { "" } else { " by the paper's theorem, at its edge" };
                write!(
                    f,
                    "self-stresses do no work against b, to rounding: a solution exists{proof}"
                )
            }
            Meaning::NoConclusion => write!(
                f,
                "a self-stress does work against b, {upper:.6} per unit of normal force: the theorem says nothing"
            ),
            Meaning::Contradiction => {
                f.write_str("connections contradict each other: there is no solution")
            }
            Meaning::Undecided if *dimension > MAX_SELF_STRESSES => write!(
                f,
                "self-stresses of {dimension} dimensions: the program is solved up to {MAX_SELF_STRESSES}"
            ),
            Meaning::Undecided => {
                write!(
                    f,
                    "the least work of a self-stress lies between {lower:.3e} and {upper:.3e}: not decided"
                )
            }
        }
    }
}
