//! Interior point for friction sets of any shape, with the normal and the frictional part of the law apart.
//!
//! Notation, per block: Λ the impulse, ξ = W Λ + b. The set is written by cones of Lorentz, one for an ellipsoid and one of a
//! single row for each facet: p = C Λ + a e_0 ∈ L with C = [μ, 0; 0, 1/axes], or C = [μ, −a_j] for the
//! facet a_j. q ∈ L is the multiplier of p, v that of Λ_N. The path is
//!
//! ```text
//! Λ_N v = τ ω,     p∘q = τ ω e,     ξ_N = v,     ξ_T = Σ (Cᵀ q)_T,       τ → 0,
//! ```
//!
//! which at τ = 0 is the exact law: −ξ_T is normal to r F at Λ_T, r = μ Λ_N + a. No correction appears, since q
//! does not act on the normal row; without De Saxcé's correction it does, ξ_N = v + Σ (Cᵀ q)_N. ω are weights: 1, and one over the number of cones of the block. p stays C Λ + a e_0 from the first step on, so that Newton's equations have the size of Λ whatever
//! the number of facets: (W + diag(v/Λ_N, 0) + Σ (Cᵀ S² C)_T) dΛ = …, S the scaling of Nesterov and Todd.
//!
//! It tolerates redundancy and mass ratios, and takes a constant radius. A user's set is replaced by a polyhedron
//! with [`FACETS`] facets: the answer is then a start for Newton's method.

use super::jordan::{Scaling, Vector, divide, product, to_boundary};
use super::local::round_axes;
use super::{BlockForm, FormBuffer, MAX_ROWS, MAX_TANGENTS, check_tolerance, method};
use crate::Error;
use crate::block::{BlockLu, BlockMatrix, Blocks, FrontTree};
use crate::error::check_setting;
use crate::law::{Friction, Law, Rule};
use crate::set::ConvexSet;
use crate::solve::ContactSolution;
use complementarity::Failure;
use std::ops::Range;

#[cfg(test)]
mod tests;
mod trace;

/// Settings of [`SplitInteriorPoint`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual that counts as solved. Default 10⁻⁹.
    pub tolerance: f64,
    /// The most steps. Default 100.
    pub max_steps: usize,
    /// The least factor by which a step means to reduce τ, from 0 to 1. Default 0.05; more is slower and
    /// safer.
    pub centring: f64,
    /// How much of the way to the boundary of the cones a step may go, less than 1. Default 0.95; less is
    /// slower and safer.
    pub boundary: f64,
    /// Follows the path through its folds instead of striding along it, and takes `max_steps`
    /// factorisations at most: slow and safe. Default false.
    pub trace: bool,
    /// Which path: 0 for the one with equal weights; others draw weights, and so go another way to the same
    /// solutions, or to others. Default 0.
    pub path: u32,
    /// Whether the products of each contact are weighed by the scale of its impulse and speed, instead of all alike: for
    /// problems whose contacts differ by many decades. Default false.
    pub own_scales: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            max_steps: 100,
            centring: 0.05,
            boundary: 0.95,
            trace: false,
            path: 0,
            own_scales: false,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        check_tolerance("split_point", self.tolerance)?;
        let range = (-f64::MIN_POSITIVE, 1.0);
        check_setting("split_point", "centring", self.centring, range, "from 0 to 1")?;
        let wanted = "greater than 0 and at most 0.9999";
        check_setting("split_point", "boundary", self.boundary, (0.0, 0.9999), wanted)
    }
}

/// Facets of the polyhedron that stands for a user's set.
pub const FACETS: usize = 64;

/// The weight of the proximal step of bilateral rows, relative to the diagonal.
const PROXIMAL: f64 = 1e-9;
/// Steps without a residual half as large after which the solve ends as stalled.
const STALL_AFTER: usize = 25;

/// How far out the path is met that is followed, over the usual impulses and velocities.
const FAR: f64 = 30.0;

const N: usize = MAX_ROWS;
const D: usize = 1 + MAX_TANGENTS;

/// Whether a law is of the form that this method takes.
pub(crate) fn takes(law: &Law) -> bool {
    law.sliding.is_none()
}

/// A block.
#[derive(Clone, Debug)]
struct Cell {
    /// Rows that take part: all, or only the normal one where friction vanishes.
    n: usize,
    /// Whether it has a normal row with v as its multiplier.
    normal: bool,
    /// Whether its rows are equations.
    bilateral: bool,
    /// The first row that the multipliers of friction act on.
    first: usize,
    /// Its cones.
    pairs: Range<usize>,
    lambda: Vector,
    v: f64,
    /// ω of its normal row.
    weight: f64,
    d_lambda: Vector,
    dv: f64,
    /// What makes up the right side: (τ − Λ_N v − second order) / Λ_N.
    target: f64,
}

/// A cone of a block, with its multiplier.
#[derive(Clone, Debug)]
struct Pair {
    m: usize,
    c: [[f64; D]; D],
    /// ω.
    weight: f64,
    p: Vector,
    q: Vector,
    dp: Vector,
    dq: Vector,
    /// S (λ \ (τ ω e − λ∘λ − second order)).
    target: Vector,
    scaling: Scaling,
}

/// Interior point for any set; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct SplitInteriorPoint {
    settings: Settings,
    /// The speed of each contact, where they have scales of their own.
    speeds: Vec<f64>,
    cells: Vec<Cell>,
    pairs: Vec<Pair>,
    offsets: Vec<usize>,
    tree: FrontTree,
    lu: BlockLu,
    rhs: Vec<f64>,
    velocity: Vec<f64>,
    best: Vec<f64>,
    buffer: FormBuffer,
    pub(crate) solution: ContactSolution,
}

impl SplitInteriorPoint {
    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        Ok(Self { settings, ..Self::default() })
    }

    /// Takes other settings and keeps the storage.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn set(&mut self, settings: Settings) -> Result<(), Error> {
        settings.validate()?;
        self.settings = settings;
        Ok(())
    }

    /// The solution of the last solve.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    /// The guess is where it returns to if it fails, not where it starts.
    pub(super) fn run(&mut self, problem: &BlockForm, guess: Option<&[f64]>) {
        self.solution.reset(problem.len(), guess);
        self.best.clear();
        self.best.extend_from_slice(&self.solution.impulse);
        let reason = match (self.prepare(problem), self.settings.trace) {
            (false, _) => Failure::WrongClass,
            (true, false) => self.iterate(problem),
            (true, true) => self.trace(problem),
        };
        if !self.solution.certify(problem, self.settings.tolerance, reason) {
            self.solution.impulse.copy_from_slice(&self.best);
            self.solution.certify(problem, self.settings.tolerance, reason);
        }
    }

    fn iterate(&mut self, problem: &BlockForm) -> Failure {
        let Settings { tolerance, max_steps, centring, boundary, .. } = self.settings;
        let (mut least, mut least_tau, mut improved) = (f64::INFINITY, f64::INFINITY, 0);
        for step in 0..max_steps {
            self.store(problem);
            let tau = self.measure(problem);
            if self.solution.certify(problem, tolerance, Failure::IterationLimit) {
                break;
            }
            let residual = self.solution.certificate.worst;
            if residual < 0.5 * least || tau < 0.5 * least_tau {
                improved = step;
                least_tau = least_tau.min(tau);
            } else if step - improved >= STALL_AFTER {
                return Failure::Stalled;
            }
            if residual < least {
                least = residual;
                self.best.copy_from_slice(&self.solution.impulse);
            }
            self.solution.iterations = step + 1;
            if !self.factorise(problem) {
                return Failure::Numerical;
            }
            self.aim(0.0, 0.0);
            self.direction(problem);
            let after = self.complementarity_after(self.longest_step().min(1.0));
            let sigma = (after / tau).clamp(0.0, 1.0).powi(3).max(centring);
            self.aim(sigma * tau, 1.0);
            self.direction(problem);
            let length = (boundary * self.longest_step()).min(1.0);
            if !(length > 1e-10) {
                return Failure::Stalled;
            }
            self.go(length);
        }
        Failure::IterationLimit
    }

    /// Cones, a first point inside of all of them, the tree of fronts. False for laws of another form.
    fn prepare(&mut self, problem: &BlockForm) -> bool {
        let reference = problem.reference();
        self.cells.clear();
        self.pairs.clear();
        self.offsets.clear();
        self.offsets.push(0);
        let mut heaviest: f64 = 0.0;
        for (i, law) in problem.laws().iter().enumerate() {
            let first = self.pairs.len();
            let Some(n) = cones(law, &mut self.pairs) else { return false };
            let (normal, bilateral) =
                (law.kind.normals() == 1, matches!(law.rule(), Rule::Bilateral));
            if !bilateral {
                heaviest = heaviest.max(reference / problem.scale(i));
            }
            self.cells.push(Cell {
                n,
                normal,
                bilateral,
                first: usize::from(normal && !problem.is_associated()),
                pairs: first..self.pairs.len(),
                lambda: [0.0; N],
                v: reference,
                weight: 1.0,
                d_lambda: [0.0; N],
                dv: 0.0,
                target: 0.0,
            });
            self.offsets.push(self.offsets[i] + n);
        }
        // All products begin alike, with impulses that the heaviest contact needs. Where the path is followed it
        // begins far out, where it is easily met.
        let lift = if self.settings.trace { FAR } else { 1.0 };
        let (heaviest, reference) = (lift * heaviest, lift * reference);
        self.draw_weights();
        if self.settings.own_scales {
            self.own_speeds(problem);
        }
        for (i, cell) in self.cells.iter_mut().enumerate().filter(|(_, c)| !c.bilateral) {
            let (mut impulse, mut share) = (heaviest, 1.0);
            if self.settings.own_scales {
                let speed = lift * self.speeds[i];
                impulse = speed / problem.scale(i);
                share = (impulse / heaviest) * (speed / reference);
                cell.weight *= share;
            }
            if cell.normal {
                cell.lambda[0] = impulse;
                cell.v = cell.weight * (heaviest / impulse) * reference;
            }
            for pair in &mut self.pairs[cell.pairs.clone()] {
                pair.weight *= share;
                pair.p[0] += if cell.normal { pair.c[0][0] * impulse } else { 0.0 };
                pair.q[0] = pair.weight * heaviest * reference / pair.p[0];
            }
        }
        self.velocity.clear();
        self.velocity.resize(problem.len(), 0.0);
        self.tree = FrontTree::new(problem.contacts(), |i| problem.w().row_arrays(i).0);
        true
    }

    /// The speed that each contact is about to have: that of b, or what its neighbours give to it when they are stopped.
    fn own_speeds(&mut self, problem: &BlockForm) {
        let w = problem.w();
        let largest = |v: &[f64]| v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let speed = |i: usize| largest(&problem.b()[problem.rows(i)]);
        self.speeds.clear();
        for i in 0..problem.contacts() {
            let given = w.row(i).filter(|(j, _)| *j != i);
            let given = given.map(|(j, block)| largest(block) * speed(j) / problem.scale(j));
            let size = given.fold(speed(i), f64::max);
            self.speeds.push(if size > 0.0 { size } else { problem.reference() });
        }
    }

    /// Weights between 1/2 and 2 for paths other than the first, by a linear congruence.
    fn draw_weights(&mut self) {
        let mut state = u64::from(self.settings.path);
        if state == 0 {
            return;
        }
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005_u64)
                .wrapping_add(1_442_695_040_888_963_407_u64);
            4.0_f64.powf((state >> 40) as f64 / (1_u64 << 24) as f64 - 0.5)
        };
        self.cells.iter_mut().for_each(|c| c.weight *= draw());
        self.pairs.iter_mut().for_each(|p| p.weight *= draw());
    }

    /// The impulses of the present point.
    fn store(&mut self, problem: &BlockForm) {
        for (i, cell) in self.cells.iter().enumerate() {
            let to = &mut self.solution.impulse[problem.rows(i)];
            to.fill(0.0);
            to[..cell.n].copy_from_slice(&cell.lambda[..cell.n]);
        }
    }

    /// Velocities and scalings; returns τ, the mean of what the products are to be.
    fn measure(&mut self, problem: &BlockForm) -> f64 {
        problem.w().multiply_add(&self.solution.impulse, problem.b(), &mut self.velocity);
        for pair in &mut self.pairs {
            pair.scaling = Scaling::new(&pair.p, &pair.q, pair.m);
        }
        self.complementarity_after(0.0)
    }

    fn complementarity_after(&self, length: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        // Of scales that differ by decades the largest alone would count.
        let unit = |weight: f64| if self.settings.own_scales { weight } else { 1.0 };
        for c in self.cells.iter().filter(|c| c.normal) {
            let product = (c.lambda[0] + length * c.d_lambda[0]) * (c.v + length * c.dv);
            sum += product / unit(c.weight);
            count += c.weight / unit(c.weight);
        }
        for pair in &self.pairs {
            let product = (0..pair.m)
                .map(|r| (pair.p[r] + length * pair.dp[r]) * (pair.q[r] + length * pair.dq[r]))
                .sum::<f64>();
            sum += product / unit(pair.weight);
            count += pair.weight / unit(pair.weight);
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }

    fn factorise(&mut self, problem: &BlockForm) -> bool {
        let (w, cells, pairs) = (problem.w(), &self.cells, &self.pairs);
        self.solution.factorisations += 1;
        let matrix = Split { w, cells, pairs };
        self.lu.factorise(&self.tree, &self.offsets, &matrix)
    }

    fn aim(&mut self, tau: f64, second_order: f64) {
        for c in self.cells.iter_mut().filter(|c| c.normal) {
            c.target = (tau * c.weight - c.lambda[0] * c.v - second_order * c.d_lambda[0] * c.dv)
                / c.lambda[0];
        }
        for pair in &mut self.pairs {
            pair.aim(tau, second_order);
        }
    }

    /// The changes of all unknowns for the targets.
    fn direction(&mut self, problem: &BlockForm) {
        self.rhs.clear();
        for (i, c) in self.cells.iter().enumerate() {
            let mut rhs = [0.0; N];
            if c.normal {
                rhs[0] = c.v + c.target;
            }
            for pair in &self.pairs[c.pairs.clone()] {
                for (r, rhs) in rhs.iter_mut().enumerate().take(c.n).skip(c.first) {
                    *rhs += (0..pair.m)
                        .map(|k| pair.c[k][r] * (pair.q[k] + pair.target[k]))
                        .sum::<f64>();
                }
            }
            let velocity = &self.velocity[problem.rows(i)];
            self.rhs.extend(rhs[..c.n].iter().zip(velocity).map(|(r, v)| r - v));
        }
        self.solve_for_changes();
    }

    /// The changes of all unknowns for a right side.
    fn solve_for_changes(&mut self) {
        self.lu.solve(&mut self.rhs);
        for (i, c) in self.cells.iter_mut().enumerate() {
            c.d_lambda[..c.n].copy_from_slice(&self.rhs[self.offsets[i]..self.offsets[i + 1]]);
            if c.normal {
                c.dv = c.target - c.v / c.lambda[0] * c.d_lambda[0];
            }
            for pair in &mut self.pairs[c.pairs.clone()] {
                pair.follow(&c.d_lambda, c.n);
            }
        }
    }

    fn longest_step(&self) -> f64 {
        let mut longest = f64::INFINITY;
        for c in self.cells.iter().filter(|c| c.normal) {
            for (x, d) in [(c.lambda[0], c.d_lambda[0]), (c.v, c.dv)] {
                longest = longest.min(if d < 0.0 { -x / d } else { f64::INFINITY });
            }
        }
        self.pairs.iter().fold(longest, |l, pair| {
            let p = to_boundary(&pair.p, &pair.dp, pair.m);
            l.min(p).min(to_boundary(&pair.q, &pair.dq, pair.m))
        })
    }

    fn go(&mut self, length: f64) {
        let advance = |x: &mut Vector, d: &Vector| {
            x.iter_mut().zip(d).for_each(|(x, d)| *x += length * d);
        };
        for c in &mut self.cells {
            advance(&mut c.lambda, &c.d_lambda);
            c.v += length * c.dv;
        }
        for pair in &mut self.pairs {
            advance(&mut pair.p, &pair.dp);
            advance(&mut pair.q, &pair.dq);
        }
    }
}

/// W with what the laws add on the diagonal, for the factorisation.
struct Split<'a> {
    w: &'a BlockMatrix,
    cells: &'a [Cell],
    pairs: &'a [Pair],
}

impl Blocks for Split<'_> {
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        self.w.row(i)
    }

    fn add(&self, i: usize, j: usize, w: &[f64], to: &mut [f64], stride: usize) {
        let (m, n, width) = (self.cells[i].n, self.cells[j].n, self.w.size(j));
        let mut block = [0.0; N * N];
        for r in 0..m {
            block[r * n..(r + 1) * n].copy_from_slice(&w[r * width..r * width + n]);
        }
        if i == j {
            let cell = &self.cells[i];
            cell.add_diagonal(&self.pairs[cell.pairs.clone()], &mut block);
        }
        for (to, row) in to.chunks_mut(stride).zip(block.chunks_exact(n)).take(m) {
            to.iter_mut().zip(row).for_each(|(t, x)| *t += x);
        }
    }

    fn unlike_mirror(&self, i: usize, j: usize) -> Option<&[f64]> {
        self.w.unlike_mirror(i, j)
    }

    fn add_mirrored(&self, i: usize, j: usize, w: &[f64], to: &mut [f64], stride: usize) {
        let (m, n, width) = (self.cells[i].n, self.cells[j].n, self.w.size(j));
        for (s, to) in to.chunks_mut(stride).take(n).enumerate() {
            for (r, to) in to.iter_mut().take(m).enumerate() {
                *to += w[r * width + s];
            }
        }
    }
}

impl Cell {
    /// v/Λ_N and (Cᵀ S² C)_T; of bilateral rows a weight on the change of Λ, not on Λ: a proximal step,
    /// which leaves the solutions what they are and redundant rows regular.
    fn add_diagonal(&self, pairs: &[Pair], block: &mut [f64]) {
        let n = self.n;
        if self.bilateral {
            (0..n).for_each(|r| block[r * (n + 1)] *= 1.0 + PROXIMAL);
            return;
        }
        if self.normal {
            block[0] += self.v / self.lambda[0];
        }
        for pair in pairs {
            for col in 0..n {
                let mut column = [0.0; N];
                (0..pair.m).for_each(|k| column[k] = pair.c[k][col]);
                let bent = pair.scaling.square(&column, pair.m);
                for r in self.first..n {
                    let sum: f64 = (0..pair.m).map(|k| pair.c[k][r] * bent[k]).sum();
                    block[r * n + col] += sum;
                }
            }
        }
    }
}

impl Pair {
    fn new(c: [[f64; D]; D], m: usize, radius: f64) -> Self {
        let (zero, scaling) = ([0.0; N], Scaling::default());
        let mut p = zero;
        p[0] = radius;
        Self { m, c, weight: 1.0, p, q: zero, dp: zero, dq: zero, target: zero, scaling }
    }

    fn aim(&mut self, tau: f64, second_order: f64) {
        let (s, m) = (&self.scaling, self.m);
        let mut c = product(&s.lambda, &s.lambda, m).map(|x| -x);
        c[0] += tau * self.weight;
        if second_order > 0.0 {
            let both = product(&s.apply(&self.dp, m), &s.invert(&self.dq, m), m);
            (0..m).for_each(|r| c[r] -= second_order * both[r]);
        }
        self.target = s.apply(&divide(&s.lambda, &c, m), m);
    }

    /// dp = C dΛ and dq = target − S² dp.
    fn follow(&mut self, d_lambda: &Vector, n: usize) {
        for k in 0..self.m {
            self.dp[k] = (0..n).map(|r| self.c[k][r] * d_lambda[r]).sum();
        }
        let bent = self.scaling.square(&self.dp, self.m);
        (0..self.m).for_each(|k| self.dq[k] = self.target[k] - bent[k]);
    }
}

/// Adds the cones of a law; returns the rows that take part.
fn cones(law: &Law, pairs: &mut Vec<Pair>) -> Option<usize> {
    let Friction { mu, radius, set, normals } = match law.rule() {
        Rule::Normal | Rule::Bilateral => return Some(law.components()),
        Rule::Friction(friction) => friction,
        Rule::Sliding(_) => return None,
    };
    if !(mu > 0.0 || radius > 0.0) {
        return Some(normals);
    }
    let first = pairs.len();
    let mut facet = |normal: &[f64]| {
        let mut c = [[0.0; D]; D];
        c[0][0] = mu;
        c[0][normals..].iter_mut().zip(normal).for_each(|(c, a)| *c = -a);
        pairs.push(Pair::new(c, 1, radius));
    };
    let round = |axes: &[f64]| {
        let mut c = [[0.0; D]; D];
        c[0][0] = mu;
        axes.iter().enumerate().for_each(|(k, a)| c[k + 1][k + normals] = 1.0 / a);
        Pair::new(c, 1 + axes.len(), radius)
    };
    match set {
        ConvexSet::Polyhedron(polyhedron) => polyhedron.normals().for_each(facet),
        ConvexSet::Mixed { ellipse, spin } => {
            facet(&[0.0, 0.0, 1.0 / spin]);
            facet(&[0.0, 0.0, -1.0 / spin]);
            pairs.push(round(ellipse));
        }
        ConvexSet::Custom(_) => {
            set.polyhedron_outside(FACETS).ok()?.normals().for_each(facet);
        }
        _ => pairs.push(round(&round_axes(set)?[..set.dimension()])),
    }
    let weight = 1.0 / (pairs.len() - first).max(1) as f64;
    pairs[first..].iter_mut().for_each(|p| p.weight = weight);
    Some(law.components())
}

method!(SplitInteriorPoint, "split_point");
