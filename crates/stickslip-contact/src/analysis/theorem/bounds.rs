//! Part (A): bounds on friction below which a solution exists, or is unique.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | b | base: the rows of normals and connections |
//! | t | tangential rows whose friction is an unknown |
//! | u | columns of known friction: A p + s U p are the accelerations by p, forces on the base, and friction that slides |
//! | K | Uₜᵀ A_tt⁻¹ Uₜ |
//! | L | a diagonal with wᵀ A w ≤ s² pᵀ L p for all friction w_i in μ_i p_i F_i |
//! | θ | the weight of rolling against sliding friction in a product of both |
//!
//! The page `analysis/theorem` of the book derives H(s) = H0 + s H1 − s² H2 with
//! H0 = A_bb − A_bt A_tt⁻¹ A_tb, H1 = sym(U_b − A_bt A_tt⁻¹ U_t), H2 = ¼ (1 + 1/θ) K + ¼ (1 + θ) L.

use super::definite::Definiteness;
use super::effective::Effective;
use super::form::{Form, factor};
use super::layout::{Layout, Part};
use super::minors;
use super::outer::work;
use crate::ContactProblem;
use crate::error::Error;
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Weights θ that are tried where some contacts roll and others slide.
const WEIGHTS: [f64; 7] = [0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

/// A bound on friction in two forms. Both hold strictly below; 0 means that nothing is guaranteed, infinity that no
/// friction is too large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// If all contacts with a friction set had the same coefficient: the bound on it.
    pub common: f64,
    /// If all coefficients of the problem are multiplied by a factor: the bound on that. Above 1 the problem as it
    /// stands is within.
    pub factor: f64,
}

impl Limit {
    /// Whether the problem as it stands is within the bound.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.factor > 1.0
    }

    /// The friction of the problem as a share of the bound: below 1 within it.
    #[must_use]
    pub fn share(&self) -> f64 {
        1.0 / self.factor
    }

    pub(super) fn largest(self, other: Self) -> Self {
        let (common, factor) = (self.common.max(other.common), self.factor.max(other.factor));
        Self { common, factor }
    }
}

/// What is found by going through all modes, where friction has one direction (planar contacts) or is known (contacts
/// that slide): sharper than the forms, and for uniqueness exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// Below, a solution exists for every b: no factor up to here has a solution other than zero at b = 0.
    pub existence: Limit,
    /// Below, it is unique for every b: all principal minors are positive up to here.
    pub uniqueness: Limit,
    /// Whether the first minor that vanishes belongs to a mode that a b realises, so that at the bound (of the factor)
    /// uniqueness does fail. True if the bound is infinite.
    pub sharp: bool,
}

/// Part (A) of theorem 1 as numbers. All bounds are for every b: they depend on W, the friction sets and, but for
/// those `at_any_velocity`, on which contacts slide and where to.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Whether W is positive definite.
    pub definiteness: Definiteness,
    /// Below: there is exactly one solution, whichever contacts slide in whichever directions.
    pub at_any_velocity: Limit,
    /// Below: there is a solution, whichever contacts slide in whichever directions.
    pub existence_at_any_velocity: Limit,
    /// Below: there is a solution, for the contacts that slide as they do. Only their friction counts.
    pub existence: Limit,
    /// Below: there is exactly one, for the contacts that slide as they do.
    pub uniqueness: Limit,
    /// By all modes, where that applies and they are few enough.
    pub modes: Option<Modes>,
    /// If no friction is unknown: the matrix of the complementarity problem, with its classes.
    pub effective: Option<Effective>,
}

impl Bounds {
    /// The largest of the bounds for existence.
    #[must_use]
    pub fn best_existence(&self) -> Limit {
        let at_all = self.existence_at_any_velocity.largest(self.at_any_velocity);
        let forms = self.existence.largest(at_all).largest(self.best_uniqueness());
        self.modes.map_or(forms, |m| forms.largest(m.existence))
    }

    /// The largest of the bounds for uniqueness.
    #[must_use]
    pub fn best_uniqueness(&self) -> Limit {
        let forms = self.uniqueness.largest(self.at_any_velocity);
        self.modes.map_or(forms, |m| forms.largest(m.uniqueness))
    }

    pub(super) fn of(problem: &ContactProblem, layout: &Layout) -> Result<Self, Error> {
        let definiteness = Definiteness::of(layout)?;
        let given: Vec<f64> = problem.laws().iter().map(|l| l.mu).collect();
        let ones: Vec<f64> =
            layout.parts.iter().map(|p| f64::from(u8::from(p.has_friction()))).collect();
        let limit = |question: Question| Limit {
            common: bound(layout, &ones, question),
            factor: bound(layout, &given, question),
        };
        let modes =
            minors::search(layout, &ones).zip(minors::search(layout, &given)).map(|(one, all)| {
                Modes {
                    existence: Limit { common: one.existence, factor: all.existence },
                    uniqueness: Limit { common: one.uniqueness, factor: all.uniqueness },
                    sharp: all.sharp,
                }
            });
        let mut existence_at_any_velocity = limit(Question::ExistsAtAnyVelocity);
        let at_any_velocity = limit(Question::OneAtAnyVelocity);
        existence_at_any_velocity = existence_at_any_velocity.largest(at_any_velocity);
        Ok(Self {
            definiteness,
            at_any_velocity,
            existence_at_any_velocity,
            existence: limit(Question::Exists),
            uniqueness: limit(Question::One),
            modes,
            effective: Effective::of(layout, &given)?,
        })
    }
}

/// What a form decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Exists,
    One,
    ExistsAtAnyVelocity,
    OneAtAnyVelocity,
}

impl Question {
    /// Whether the direction of sliding is used.
    fn knows_velocity(self) -> bool {
        matches!(self, Self::Exists | Self::One)
    }

    /// Whether friction of constant size counts: it drops out of large forces, but not of differences.
    fn has_constant(self) -> bool {
        matches!(self, Self::One | Self::OneAtAnyVelocity)
    }
}

/// The largest factor of these coefficients that the best of the forms allows.
fn bound(layout: &Layout, mu: &[f64], question: Question) -> f64 {
    let base = layout.base();
    let slides = |p: &Part| question.knows_velocity() && p.slides.is_some();
    let contacts: Vec<(&Part, f64)> = layout.parts.iter().zip(mu.iter().copied()).collect();
    let tangents: Vec<usize> = contacts
        .iter()
        .filter(|(p, mu)| {
            let loaded = *mu > 0.0 && p.has_friction();
            let constant = p.constant && p.slides.is_none() && question.has_constant();
            (loaded && !slides(p)) || constant
        })
        .flat_map(|(p, _)| p.tangents.clone())
        .collect();
    let sliding = contacts.iter().filter(|(p, mu)| *mu > 0.0 && slides(p));
    let Some(reduced) = Reduced::of(layout, &base, &tangents, sliding.copied()) else { return 0.0 };
    if question == Question::Exists {
        return reduced.form(1.0, None).limit();
    }
    let rolling: Vec<(&Part, f64)> = contacts
        .iter()
        .filter(|(p, mu)| *mu > 0.0 && p.has_friction() && !slides(p))
        .copied()
        .collect();
    if rolling.is_empty() {
        return reduced.form(1.0, None).limit();
    }
    let pairs = Pairs::of(layout, &rolling);
    let place: Vec<usize> = rolling
        .iter()
        .filter_map(|(p, _)| base.iter().position(|&row| Some(row) == p.normal))
        .collect();
    if question == Question::ExistsAtAnyVelocity {
        // Normal forces are not negative, so that the matrix of works itself serves, and less friction does less.
        return reduced.form(0.0, Some(&spread(&pairs.works, &place, base.len()))).limit();
    }
    let diagonal: Vec<f64> = place.iter().map(|&i| reduced.h0[(i, i)]).collect();
    let weights: &[f64] = if reduced.k.iter().all(|v| *v == 0.0) { &[0.0] } else { &WEIGHTS };
    let mut best = 0.0_f64;
    for l in pairs.majorants(&diagonal) {
        let l = spread(&DMatrix::from_diagonal(&l), &place, base.len());
        for &weight in weights {
            best = best.max(reduced.form(weight, Some(&l)).limit());
        }
    }
    best
}

/// A form without rolling friction.
struct Reduced {
    h0: DMatrix<f64>,
    h1: DMatrix<f64>,
    k: DMatrix<f64>,
    error: f64,
}

impl Reduced {
    fn of<'a>(
        layout: &Layout,
        base: &[usize],
        tangents: &[usize],
        sliding: impl Iterator<Item = (&'a Part, f64)>,
    ) -> Option<Self> {
        let m = base.len();
        let mut u = DMatrix::zeros(layout.a.nrows(), m);
        for (part, mu) in sliding {
            let (Some(f), Some(col)) =
                (part.slides, base.iter().position(|&row| Some(row) == part.normal))
            else {
                continue;
            };
            for (row, f) in layout.friction(part, &f) {
                u[(row, col)] = mu * f;
            }
        }
        let moved = &layout.a * &u;
        let (u_b, u_t) = (moved.select_rows(base), moved.select_rows(tangents));
        let a_bb = layout.block(base, base);
        let symmetric = |x: DMatrix<f64>| 0.5 * (&x + x.transpose());
        let rounding = 8.0 * f64::EPSILON * (layout.a.nrows() + 1) as f64;
        if tangents.is_empty() {
            let (h1, k) = (symmetric(u_b), DMatrix::zeros(m, m));
            return Some(Self { h0: a_bb, h1, k, error: rounding });
        }
        let (chol, size) = factor(layout.block(tangents, tangents))?;
        let a_tb = layout.block(tangents, base);
        let solved = chol.solve(&a_tb);
        Some(Self {
            h0: &a_bb - a_tb.tr_mul(&solved),
            h1: symmetric(u_b - solved.tr_mul(&u_t)),
            k: u_t.tr_mul(&chol.solve(&u_t)),
            error: rounding * (1.0 + size),
        })
    }

    /// H with ¼ (1 + 1/θ) K + ¼ (1 + θ) L; without L it is ¼ K, and θ = 0 stands for K = 0.
    fn form(&self, weight: f64, l: Option<&DMatrix<f64>>) -> Form {
        let h2 = match l {
            None => 0.25 * &self.k,
            Some(l) if weight == 0.0 => 0.25 * l,
            Some(l) => 0.25 * ((1.0 + 1.0 / weight) * &self.k + (1.0 + weight) * l),
        };
        Form { h0: self.h0.clone(), h1: self.h1.clone(), h2, error: self.error }
    }
}

/// A matrix over some contacts as one over the base.
fn spread(x: &DMatrix<f64>, place: &[usize], size: usize) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(size, size);
    for (i, &row) in place.iter().enumerate() {
        for (j, &col) in place.iter().enumerate() {
            out[(row, col)] = x[(i, j)];
        }
    }
    out
}

/// What friction forces at the limit can do to each other, contact by contact.
struct Pairs {
    /// max wᵀ A w' over friction at unit (scaled) normal forces.
    works: DMatrix<f64>,
    /// A in coordinates in which ellipsoids around the friction sets are unit balls, and the contact of each row.
    round: DMatrix<f64>,
    owner: Vec<usize>,
    /// The diagonal that is one in forces that are not scaled.
    plain: Vec<f64>,
}

impl Pairs {
    fn of(layout: &Layout, contacts: &[(&Part, f64)]) -> Self {
        let rows = |i: usize| contacts[i].0.tangents.clone();
        // Friction (scaled) at a unit of normal force (scaled): a point of F times this.
        let scale = |i: usize, row: usize| {
            let (part, mu) = contacts[i];
            part.normal.map_or(0.0, |n| mu * layout.s[row] / layout.s[n])
        };
        let k = contacts.len();
        let mut works = DMatrix::zeros(k, k);
        for i in 0..k {
            for j in 0..=i {
                let (Some(f), Some(g)) = (&contacts[i].0.shape, &contacts[j].0.shape) else {
                    continue;
                };
                let block = DMatrix::from_fn(rows(i).len(), rows(j).len(), |r, c| {
                    let (r, c) = (rows(i).start + r, rows(j).start + c);
                    scale(i, r) * layout.a[(r, c)] * scale(j, c)
                });
                works[(i, j)] = work(f, &block, g);
                works[(j, i)] = works[(i, j)];
            }
        }
        let mut stretch = Vec::new();
        for (i, (part, _)) in contacts.iter().enumerate() {
            let axes = part.shape.as_ref().map(super::outer::Shape::ellipsoid).unwrap_or_default();
            stretch.extend(rows(i).zip(axes).map(|(row, axis)| (i, row, axis * scale(i, row))));
        }
        let round = DMatrix::from_fn(stretch.len(), stretch.len(), |i, j| {
            let ((_, r, x), (_, c, y)) = (stretch[i], stretch[j]);
            x * layout.a[(r, c)] * y
        });
        let plain = |(p, _): &(&Part, f64)| p.normal.map_or(1.0, |n| layout.s[n].powi(-2));
        let (owner, plain) = (stretch.iter().map(|s| s.0).collect(), contacts.iter().map(plain));
        Self { works, round, owner, plain: plain.collect() }
    }

    /// Diagonals L with wᵀ A w ≤ pᵀ L p for every friction within its limits; none is always the best.
    fn majorants(&self, diagonal: &[f64]) -> Vec<DVector<f64>> {
        let k = self.works.nrows();
        let own: Vec<f64> = (0..k).map(|i| self.works[(i, i)]).collect();
        let mut found: Vec<DVector<f64>> = [self.plain.clone(), own, diagonal.to_vec()]
            .iter()
            .filter_map(|d| self.by_eigenvalue(d))
            .collect();
        found.extend(self.by_works(diagonal));
        found
    }

    /// λ D for any D > 0, where λ is the largest eigenvalue of D^(-1/2) A D^(-1/2) in the round coordinates.
    fn by_eigenvalue(&self, d: &[f64]) -> Option<DVector<f64>> {
        if !d.iter().all(|d| *d > 0.0 && d.is_finite()) {
            return None;
        }
        let n = self.owner.len();
        let root = |i: usize| d[self.owner[i]].sqrt();
        let scaled = DMatrix::from_fn(n, n, |i, j| self.round[(i, j)] / root(i) / root(j));
        if !scaled.iter().all(|v| v.is_finite()) {
            return None;
        }
        let values = SymmetricEigen::try_new(scaled, f64::EPSILON, 100 * n + 100)?.eigenvalues;
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(*v)) * (1.0 + 1e-12 * n as f64);
        Some(DVector::from_fn(d.len(), |i, _| largest * d[i]))
    }

    /// Σ_j M_ij d_j / d_i with the works M, for any d > 0: 2 |p_i p_j| ≤ p_i² d_j/d_i + p_j² d_i/d_j. With d from the
    /// Perron vector of M relative to the diagonal of H0 the sums are a multiple of that diagonal.
    fn by_works(&self, diagonal: &[f64]) -> Option<DVector<f64>> {
        let finite = self.works.iter().all(|w| w.is_finite());
        if !finite || !diagonal.iter().all(|d| *d > 0.0 && d.is_finite()) {
            return None;
        }
        let k = diagonal.len();
        let root: Vec<f64> = diagonal.iter().map(|d| d.sqrt()).collect();
        let relative = DMatrix::from_fn(k, k, |i, j| self.works[(i, j)] / root[i] / root[j]);
        let mut v = DVector::from_element(k, 1.0);
        for _ in 0..200 {
            v = &relative * &v;
            let size = v.max();
            if !(size > 0.0 && size.is_finite()) {
                return None;
            }
            // No entry may vanish: any d > 0 is right, and the sums divide by it.
            v.apply(|x| *x = (*x / size).max(1e-6));
        }
        let d: Vec<f64> = (0..k).map(|i| v[i] / root[i]).collect();
        let sum = |i: usize| (0..k).map(|j| self.works[(i, j)] * d[j]).sum::<f64>() / d[i];
        Some(DVector::from_fn(k, |i, _| sum(i) * (1.0 + 1e-12)))
    }
}
