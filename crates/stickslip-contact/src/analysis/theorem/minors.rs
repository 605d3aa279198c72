//! Bounds by all modes, where friction has one direction or is known.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | α | the rows that take part: those of closed contacts, tangential ones where the contact sticks, connections |
//! | U | one column per slipping contact in α: what a unit of its normal force does by friction at the limit |
//! | C | the rows of A_αα⁻¹ U_α that are normals of slipping contacts |
//!
//! det(A_αα + s U_α E) = det(A_αα) det(1 + s C) vanishes where −1/s is an eigenvalue of C.

use super::form::{CEILING, factor, is_definite};
use super::layout::Layout;
use nalgebra::{DMatrix, DVector, SVD, Schur};

/// More combinations of modes are not gone through.
const COMBINATIONS: usize = 20_000;
/// Steps of the QR iteration per eigenvalue, of which three are usual.
const SCHUR_STEPS: usize = 200;
/// Eigenvalues with a smaller share of imaginary part count as real, which can only lower a bound.
const REAL: f64 = 1e-6;
/// Inequalities of a solution at b = 0 may be off by this share of its size, which can only lower a bound.
const SIGN: f64 = 1e-7;

/// Bounds on the factor of the coefficients.
pub(super) struct Found {
    pub(super) existence: f64,
    pub(super) uniqueness: f64,
    pub(super) sharp: bool,
}

/// What a contact does in a mode.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
    /// No row takes part.
    Nothing,
    /// Closed, without friction that depends on an unknown.
    Presses,
    /// Closed, with this point of F times the limit; false: the contact is known to slide.
    Slips([f64; 3], bool),
    /// Closed, with unknown friction.
    Sticks,
    /// Unknown friction alone: no solution does this, but two can differ by it.
    Shifts,
}

/// None if a friction set has several directions and does not slide, if there are too many modes, or if A is singular on
/// the rows that matter.
pub(super) fn search(layout: &Layout, mu: &[f64]) -> Option<Found> {
    let options: Option<Vec<Vec<Does>>> =
        (0..mu.len()).map(|i| choices(layout, i, mu[i])).collect();
    let options = options?;
    let count = options.iter().try_fold(1_usize, |n, o| n.checked_mul(o.len()))?;
    if count > COMBINATIONS || !is_definite(all_rows(layout, &options), 0.0) {
        return None;
    }
    let mut found = Found { existence: f64::INFINITY, uniqueness: f64::INFINITY, sharp: true };
    for number in 0..count {
        let mut rest = number;
        let mode: Vec<Does> = options
            .iter()
            .map(|o| {
                let does = o[rest % o.len()];
                rest /= o.len();
                does
            })
            .collect();
        let case = Case::of(layout, mu, &mode);
        if case.slipping.is_empty() {
            continue;
        }
        let (c, x) = case.reduced(layout)?;
        for s in roots(&c)? {
            let real = !mode.contains(&Does::Shifts);
            if s < found.uniqueness {
                (found.uniqueness, found.sharp) = (s, real);
            }
            if real && s < found.existence && case.has_solution(layout, mu, &mode, &c, &x, s) {
                found.existence = s;
            }
        }
    }
    Some(found)
}

/// The modes of a contact.
fn choices(layout: &Layout, i: usize, mu: f64) -> Option<Vec<Does>> {
    use Does::{Nothing, Presses, Shifts, Slips, Sticks};
    let p = &layout.parts[i];
    if !p.fixed.is_empty() {
        return Some(vec![Nothing]);
    }
    let loaded = p.has_friction() && mu > 0.0;
    if let Some(f) = p.slides {
        return Some(match (p.normal, loaded) {
            (None, _) => vec![Nothing],
            (_, true) => vec![Nothing, Slips(f, false)],
            (_, false) => vec![Nothing, Presses],
        });
    }
    let line = p.interval;
    match (p.normal.is_some(), loaded, p.constant) {
        (true, false, false) => Some(vec![Nothing, Presses]),
        (false, _, false) => Some(vec![Nothing]),
        (false, _, true) => line.map(|_| vec![Nothing, Shifts]),
        (true, false, true) => line.map(|_| vec![Nothing, Presses, Sticks, Shifts]),
        (true, true, _) => line.map(|[low, high]| {
            let slip = |f| Slips([f, 0.0, 0.0], true);
            vec![Nothing, slip(low), slip(high), Sticks, Shifts]
        }),
    }
}

/// A on all rows that any mode uses.
fn all_rows(layout: &Layout, options: &[Vec<Does>]) -> DMatrix<f64> {
    let mut rows = layout.base();
    for (p, o) in layout.parts.iter().zip(options) {
        if o.contains(&Does::Sticks) || o.contains(&Does::Shifts) {
            rows.extend(p.tangents.clone());
        }
    }
    layout.block(&rows, &rows)
}

/// A combination of modes.
struct Case {
    rows: Vec<usize>,
    /// Of each slipping contact: the place of its normal in `rows`, and its friction at a factor of one.
    slipping: Vec<(usize, Vec<(usize, f64)>)>,
}

impl Case {
    fn of(layout: &Layout, mu: &[f64], mode: &[Does]) -> Self {
        let mut case = Self { rows: Vec::new(), slipping: Vec::new() };
        for ((p, does), mu) in layout.parts.iter().zip(mode).zip(mu) {
            case.rows.extend(p.fixed.clone());
            if let Does::Slips(f, _) = does {
                let friction =
                    layout.friction(p, f).into_iter().map(|(row, f)| (row, mu * f)).collect();
                case.slipping.push((case.rows.len(), friction));
            }
            if matches!(does, Does::Presses | Does::Slips(..) | Does::Sticks) {
                case.rows.extend(p.normal);
            }
            if matches!(does, Does::Sticks | Does::Shifts) {
                case.rows.extend(p.tangents.clone());
            }
        }
        case
    }

    /// C and A_αα⁻¹ U_α.
    fn reduced(&self, layout: &Layout) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
        let (chol, _) = factor(layout.block(&self.rows, &self.rows))?;
        let u = DMatrix::from_fn(self.rows.len(), self.slipping.len(), |i, j| {
            self.slipping[j].1.iter().map(|(row, f)| layout.a[(self.rows[i], *row)] * f).sum()
        });
        let x = chol.solve(&u);
        let normals: Vec<usize> = self.slipping.iter().map(|s| s.0).collect();
        Some((x.select_rows(&normals), x))
    }

    /// Whether this mode has a solution other than zero at b = 0 and the factor s, at which 1 + s C is singular.
    fn has_solution(
        &self,
        layout: &Layout,
        mu: &[f64],
        mode: &[Does],
        c: &DMatrix<f64>,
        x: &DMatrix<f64>,
        s: f64,
    ) -> bool {
        let k = c.nrows();
        let system = DMatrix::identity(k, k) + s * c;
        let size = system.norm().max(1.0);
        if !size.is_finite() {
            return true;
        }
        let Some(svd) = SVD::try_new(system, false, true, f64::EPSILON, 1000) else { return true };
        let Some(v) = svd.v_t else { return true };
        let small = svd.singular_values.iter().filter(|v| **v <= REAL * size).count();
        let Some(last) =
            (0..k).min_by(|&i, &j| svd.singular_values[i].total_cmp(&svd.singular_values[j]))
        else {
            return true;
        };
        // Several dimensions of solutions: not told apart, which can only lower the bound.
        if small > 1 {
            return true;
        }
        let slips = DVector::from_fn(k, |i, _| v[(last, i)]);
        let forces = x * (-s * &slips);
        [1.0, -1.0].iter().any(|sign| {
            let mut full = DVector::zeros(layout.a.nrows());
            for (row, f) in self.rows.iter().zip(forces.iter()) {
                full[*row] += sign * f;
            }
            for ((_, friction), p) in self.slipping.iter().zip(slips.iter()) {
                for (row, f) in friction {
                    full[*row] += sign * s * p * f;
                }
            }
            self.obeys(layout, mu, mode, &full, s)
        })
    }

    /// The inequalities of the mode.
    fn obeys(
        &self,
        layout: &Layout,
        mu: &[f64],
        mode: &[Does],
        force: &DVector<f64>,
        s: f64,
    ) -> bool {
        let moved = &layout.a * force;
        let slack = SIGN * force.amax().max(moved.amax());
        layout.parts.iter().zip(mode).zip(mu).all(|((p, does), mu)| {
            let Some(n) = p.normal else { return true };
            let t = p.tangents.start;
            match does {
                Does::Nothing => moved[n] >= -slack,
                Does::Presses => force[n] >= -slack,
                Does::Slips(_, false) => force[n] >= -slack,
                Does::Slips(f, true) => force[n] >= -slack && f[0].signum() * moved[t] <= slack,
                Does::Sticks => {
                    let [low, high] = p.interval.unwrap_or([0.0; 2]);
                    let limit = s * mu * force[n] * layout.s[t] / layout.s[n];
                    let reach = slack * (1.0 + s * mu);
                    force[n] >= -slack
                        && force[t] >= low * limit - reach
                        && force[t] <= high * limit + reach
                }
                Does::Shifts => false,
            }
        })
    }
}

/// The factors s > 0 at which 1 + s C is singular; none if the eigenvalues are not found.
fn roots(c: &DMatrix<f64>) -> Option<Vec<f64>> {
    if c.is_empty() {
        return Some(Vec::new());
    }
    let schur = Schur::try_new(c.clone(), f64::EPSILON, SCHUR_STEPS * c.nrows())?;
    let values = schur.complex_eigenvalues();
    let real = values.iter().filter(|v| v.re < 0.0 && v.im.abs() <= REAL * v.re.abs());
    Some(real.map(|v| -1.0 / v.re).filter(|s| *s < CEILING).collect())
}
