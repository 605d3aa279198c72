//! The last digits: from a vector near a solution to one that solves it up to rounding.
//!
//! Notation: α holds the unknowns strictly between their bounds, whose rows are equations; all
//! others stand exactly on a bound. s_i, t_i, ω_i = w_i / s_i and ζ_i = (z_i − l_i) / t_i are the
//! scaled quantities of `residual.rs`.

use super::view::View;
use crate::linalg::{FullPivot, Lu, Scaling};
use crate::residual::Scratch;
use crate::tolerance::{POLISH_DONE, POLISH_POOR, REMOTE};
use crate::{Residual, Statistics};

/// Guesses the active set, solves M_αα z_α = −q_α − M_αβ z_β with iterative refinement and keeps
/// the outcome if the independent residual is smaller. Costs a few factorisations of M_αα.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polisher {
    /// Work since the owner last reset it; `iterations` stays zero.
    pub(crate) statistics: Statistics,
    scratch: Scratch,
    size: Vec<f64>,
    /// 1/t_i.
    unit: Vec<f64>,
    /// 1/t_i at the vector that was given.
    unit_given: Vec<f64>,
    w: Vec<f64>,
    place: Vec<Place>,
    basic: Vec<usize>,
    trial: Vec<f64>,
    correction: Vec<f64>,
    scaling: Scaling,
    lu: Lu,
    full: FullPivot,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Place {
    #[default]
    Lower,
    Between,
    Upper,
}

/// How M_αα is factorised: as a regular matrix, or up to its rank.
#[derive(Clone, Copy, PartialEq)]
enum Factors {
    Regular,
    Rank { drop: f64 },
}

/// How often the guess of the active set is corrected.
const FLIPS: usize = 10;
/// Steps of the solve: one, and up to three of refinement.
const STEPS: usize = 4;

impl Polisher {
    /// Improves `z`, or leaves it as it is; returns its residual.
    pub(crate) fn polish<'a>(&mut self, problem: impl Into<View<'a>>, z: &mut [f64]) -> Residual {
        let view = problem.into();
        let mut best = view.residual(z, &mut self.scratch);
        if !best.scaled.is_finite() || best.scaled <= POLISH_DONE {
            return best;
        }
        self.trial.clear();
        self.trial.extend_from_slice(z);
        self.guess(view);
        self.unit_given.clear();
        self.unit_given.extend_from_slice(&self.unit);
        for _ in 0..=FLIPS {
            self.solve(view, Factors::Regular);
            self.keep_if_better(view, z, &mut best);
            if best.scaled <= POLISH_DONE || !self.flip(view) {
                break;
            }
        }
        for drop in [1e-12, 1e-8] {
            if best.scaled <= POLISH_POOR {
                break;
            }
            self.trial.copy_from_slice(z);
            self.guess(view);
            for _ in 0..3 {
                self.solve(view, Factors::Rank { drop });
                self.keep_if_better(view, z, &mut best);
                if best.scaled <= POLISH_DONE || !self.flip(view) {
                    break;
                }
            }
        }
        best
    }

    /// Makes room for n unknowns, so that no active set, however large, allocates.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.lu.reserve(n);
        self.full.reserve(n);
        self.scaling.reserve(n);
        self.basic.reserve(n.saturating_sub(self.basic.len()));
        self.place.reserve(n.saturating_sub(self.place.len()));
        for v in [
            &mut self.size,
            &mut self.unit,
            &mut self.unit_given,
            &mut self.w,
            &mut self.trial,
            &mut self.correction,
        ] {
            v.reserve(n.saturating_sub(v.len()));
        }
    }

    fn keep_if_better(&mut self, view: View<'_>, z: &mut [f64], best: &mut Residual) {
        let growth = self.trial.iter().zip(&self.unit_given);
        if growth.fold(0.0, |g: f64, (z, u)| g.max((z * u).abs())) > REMOTE {
            return;
        }
        self.correction.clear();
        self.correction.extend_from_slice(&self.trial);
        for (i, v) in self.correction.iter_mut().enumerate() {
            let (l, u) = view.bounds(i);
            *v = v.clamp(l, u);
        }
        let r = view.residual(&self.correction, &mut self.scratch);
        if r.scaled < best.scaled {
            *best = r;
            z.copy_from_slice(&self.correction);
        }
    }

    /// Fills w, s and t for `trial`.
    fn measure(&mut self, view: View<'_>) {
        let n = view.len();
        for v in [&mut self.w, &mut self.size, &mut self.unit] {
            v.clear();
            v.resize(n, 0.0);
        }
        for i in 0..n {
            (self.w[i], self.size[i]) = row_value(view, i, &self.trial);
        }
        for i in 0..n {
            if self.size[i] > 0.0 {
                for (t, v) in self.unit.iter_mut().zip(view.m().row(i)) {
                    *t = t.max(v.abs() / self.size[i]);
                }
            }
        }
    }

    /// Places each unknown where the scaled natural map has its kink.
    fn guess(&mut self, view: View<'_>) {
        self.measure(view);
        self.place.clear();
        for i in 0..view.len() {
            let (l, u) = view.bounds(i);
            let omega = ratio(self.w[i], self.size[i]);
            let (above, below) = (self.trial[i] - l, u - self.trial[i]);
            let place = if l == u || omega > above * self.unit[i] {
                Place::Lower
            } else if -omega > below * self.unit[i] {
                Place::Upper
            } else if above == 0.0 {
                Place::Lower
            } else if below == 0.0 {
                Place::Upper
            } else {
                Place::Between
            };
            self.place.push(place);
        }
    }

    /// Moves `trial` to where the rows of α vanish and all else stands on its bound.
    fn solve(&mut self, view: View<'_>, factors: Factors) {
        self.basic.clear();
        for i in 0..view.len() {
            let (l, u) = view.bounds(i);
            match self.place[i] {
                Place::Lower => self.trial[i] = l,
                Place::Upper => self.trial[i] = u,
                Place::Between => self.basic.push(i),
            }
        }
        let factors = self.factor(view, factors);
        self.correction.clear();
        self.correction.resize(self.basic.len(), 0.0);
        let mut before = f64::INFINITY;
        for step in 0..STEPS {
            let mut worst: f64 = 0.0;
            for (k, &i) in self.basic.iter().enumerate() {
                let (w, s) = row_value(view, i, &self.trial);
                worst = worst.max(ratio(w, s).abs());
                self.correction[k] = -w * self.scaling.row[k];
            }
            if worst <= f64::EPSILON || worst > 0.5 * before {
                return;
            }
            before = worst;
            self.statistics.refinements += usize::from(step > 0);
            match factors {
                Factors::Regular => self.lu.solve(&mut self.correction),
                Factors::Rank { .. } => self.full.solve(&mut self.correction),
            }
            for (k, &i) in self.basic.iter().enumerate() {
                self.trial[i] += self.scaling.col[k] * self.correction[k];
            }
        }
    }

    /// Factorises M_αα; a matrix that turns out to be singular is factorised up to its rank.
    fn factor(&mut self, view: View<'_>, wanted: Factors) -> Factors {
        let Self { basic, scaling, lu, full, statistics, .. } = self;
        let (m, k) = (view.m(), basic.len());
        scaling.equilibrate(k, 2, false, |i, j| m[(basic[i], basic[j])]);
        let fill = |i: usize, row: &mut [f64]| {
            let from = m.row(basic[i]);
            for (j, to) in row.iter_mut().enumerate() {
                *to = from[basic[j]] * scaling.row[i] * scaling.col[j];
            }
        };
        if wanted == Factors::Regular {
            statistics.factorizations += 1;
            if lu.factor(k, 1e-13, fill) {
                return Factors::Regular;
            }
        }
        let drop = match wanted {
            Factors::Regular => 1e-12,
            Factors::Rank { drop } => drop,
        };
        statistics.factorizations += 1;
        full.factor(k, drop, fill);
        Factors::Rank { drop }
    }

    /// Moves every unknown that `trial` has on the wrong side; false if there is none.
    fn flip(&mut self, view: View<'_>) -> bool {
        if self.trial.iter().any(|v| !v.is_finite()) {
            return false;
        }
        self.measure(view);
        let mut flipped = false;
        for i in 0..view.len() {
            let (l, u) = view.bounds(i);
            let omega = ratio(self.w[i], self.size[i]);
            let place = match self.place[i] {
                Place::Between if self.trial[i] < l => Place::Lower,
                Place::Between if self.trial[i] > u => Place::Upper,
                Place::Lower if l < u && omega < -POLISH_DONE => Place::Between,
                Place::Upper if l < u && omega > POLISH_DONE => Place::Between,
                same => same,
            };
            flipped |= place != self.place[i];
            self.place[i] = place;
        }
        flipped
    }
}

/// w_i and s_i.
fn row_value(view: View<'_>, i: usize, z: &[f64]) -> (f64, f64) {
    let q = view.q()[i];
    let terms = view.m().row(i).iter().zip(z).map(|(m, z)| m * z);
    terms.fold((q, q.abs()), |(w, s), t| (w + t, s + t.abs()))
}

fn ratio(w: f64, s: f64) -> f64 {
    if w == 0.0 { 0.0 } else { w / s }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lcp, Matrix, Mlcp};

    #[test]
    fn a_rough_vector_becomes_the_solution() {
        let m = Matrix::from_rows(&[[4.0, -1.0, 0.5], [0.3, 2.0, 1.0], [-1.0, 0.2, 3.0]]).unwrap();
        let p = Lcp::new(m, vec![-1.0, 2.0, -0.5]).unwrap();
        let mut z = [0.3, 0.01, 0.2];
        let mut polisher = Polisher::default();
        assert!(polisher.polish(&p, &mut z).scaled <= POLISH_DONE);
        assert!(p.residual(&z).scaled <= POLISH_DONE && z[1] == 0.0);
    }

    #[test]
    fn a_wrong_active_set_is_corrected() {
        let p = Lcp::new(Matrix::identity(3), vec![-1.0, 1.0, -2.0]).unwrap();
        let mut z = [0.0, 5.0, 0.0];
        assert_eq!(Polisher::default().polish(&p, &mut z).scaled, 0.0);
        assert_eq!(z, [1.0, 0.0, 2.0]);
    }

    #[test]
    fn a_box_keeps_its_bounds_exactly() {
        let inf = f64::INFINITY;
        let m = Matrix::from_rows(&[[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
        let bounds = (vec![-inf, 0.0, 0.1], vec![inf, 0.3, 0.1]);
        let p = Mlcp::new(m, vec![1.0, -5.0, 7.0], bounds.0, bounds.1).unwrap();
        let mut z = [-0.6, 0.29, 0.1];
        assert!(Polisher::default().polish(&p, &mut z).scaled <= POLISH_DONE);
        assert_eq!(z[1..], [0.3, 0.1]);
        assert!((z[0] + 0.65).abs() < 1e-15);
    }

    #[test]
    fn dependent_rows_are_polished_along_the_face() {
        // z1 + z2 = 1 is all that is asked.
        let p = Lcp::new(Matrix::from_fn(2, 2, |_, _| 1.0), vec![-1.0, -1.0]).unwrap();
        let mut z = [0.5 + 1e-6, 0.5];
        assert!(Polisher::default().polish(&p, &mut z).scaled <= POLISH_DONE);
        assert!(z[0] > 0.4 && z[1] > 0.4);
    }

    #[test]
    fn a_vector_that_cannot_be_improved_is_left_alone() {
        let p = Lcp::new(Matrix::zeros(1, 1), vec![-1.0]).unwrap();
        let mut z = [0.25];
        let before = p.residual(&z).scaled;
        assert_eq!(Polisher::default().polish(&p, &mut z).scaled, before);
        assert_eq!(z, [0.25]);
    }
}
