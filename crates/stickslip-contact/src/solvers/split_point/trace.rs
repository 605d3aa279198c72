//! The path followed step by step, round the points where it turns back.
//!
//! With friction the problem is not monotone: τ may have to rise for a while before it can fall to 0, and an interior
//! point that insists on smaller τ stalls at such a turn. Here τ is an unknown like the others.
//!
//! Notation: t the share of the first τ, 1 at the start; lengths are relative, as the cones measure them: dΛ_N/Λ_N,
//! dv/v, S dp/√τ, S⁻¹dq/√τ, dt/t. A step goes along the
//! tangent, which keeps its sense by its product with the last one, and then back to the path across the
//! tangent by Newton's method (Allgower and Georg, Numerical Continuation Methods, 1990).

use super::super::jordan::dot;
use super::*;

/// The longest step, and the shortest before it gives up.
const LONGEST: f64 = 0.4;
const SHORTEST: f64 = 1e-5;
/// Corrections of one step, and how far from the path it may be after them.
const CORRECTIONS: usize = 4;
const NEAR: f64 = 0.03;
/// What a correction may leave of the distance to the path.
const CONTRACTION: f64 = 0.5;
/// The least cosine between one tangent and the next.
const STRAIGHT: f64 = 0.8;
/// Steps of Newton's method to the first point of the path.
const FIRST_STEPS: usize = 50;

/// Where the path has been followed to.
#[derive(Clone, Debug, Default)]
struct Trail {
    tau: f64,
    t: f64,
    /// The last tangent, not scaled.
    tangent: Vec<f64>,
}

impl SplitInteriorPoint {
    pub(super) fn trace(&mut self, problem: &BlockForm) -> Failure {
        let Some(mut trail) = self.begin(problem) else { return Failure::Stalled };
        let (mut length, mut least) = (0.1, f64::INFINITY);
        if self.tangent(problem, &mut trail).is_none() {
            return Failure::Numerical;
        }
        let mut kept = (self.cells.clone(), self.pairs.clone(), trail.clone());
        while self.solution.factorisations < self.settings.max_steps {
            let reach = self.relative_reach(&trail);
            let step = (length / reach).min(0.9 * self.longest_step());
            self.go(step);
            trail.t += step * trail.last();
            self.solution.iterations += 1;
            let corrections = self.return_to_path(problem, &mut trail);
            let turned = corrections.and_then(|_| self.tangent(problem, &mut trail));
            // A sharp turn may be a leap to another part of the path.
            if turned.is_none_or(|cosine| cosine < STRAIGHT) {
                length *= 0.3;
                if !(length > SHORTEST) {
                    return Failure::Stalled;
                }
                self.cells.clone_from(&kept.0);
                self.pairs.clone_from(&kept.1);
                trail.clone_from(&kept.2);
                continue;
            }
            length = match corrections {
                Some(0 | 1) => (2.0 * length).min(LONGEST),
                Some(2) => length,
                _ => 0.7 * length,
            };
            kept.0.clone_from(&self.cells);
            kept.1.clone_from(&self.pairs);
            kept.2.clone_from(&trail);
            if self.solution.certify(problem, self.settings.tolerance, Failure::IterationLimit) {
                break;
            }
            let residual = self.solution.certificate.worst;
            if residual < least {
                least = residual;
                self.best.copy_from_slice(&self.solution.impulse);
            }
        }
        Failure::IterationLimit
    }

    /// The point of the path at the first τ; none if Newton's method does not get there.
    fn begin(&mut self, problem: &BlockForm) -> Option<Trail> {
        self.store(problem);
        let trail = Trail { tau: self.measure(problem), t: 1.0, tangent: Vec::new() };
        for _ in 0..FIRST_STEPS {
            if !self.factorise(problem) {
                return None;
            }
            self.back(problem, &trail, true);
            let length = (0.9 * self.longest_step()).min(1.0);
            self.go(length);
            self.store(problem);
            self.measure(problem);
            // A full step leaves no gap, as the equations of the gaps are linear.
            if length == 1.0 && self.off_path(&trail) <= NEAR {
                return Some(trail);
            }
        }
        None
    }

    /// The velocity that multipliers amount to.
    fn held(&self, c: &Cell, q: impl Fn(&Pair, usize) -> f64, v: f64) -> Vector {
        let mut held = [0.0; N];
        if c.normal {
            held[0] = v;
        }
        for pair in &self.pairs[c.pairs.clone()] {
            for (r, held) in held.iter_mut().enumerate().take(c.n).skip(c.first) {
                *held += (0..pair.m).map(|k| pair.c[k][r] * q(pair, k)).sum::<f64>();
            }
        }
        held
    }

    /// The tangent, in the sense of the last one, left in the changes of all unknowns; returns the cosine of the
    /// angle to the last one.
    fn tangent(&mut self, problem: &BlockForm, trail: &mut Trail) -> Option<f64> {
        if !self.factorise(problem) {
            return None;
        }
        self.along(trail);
        let mut raw = Vec::new();
        self.write(&mut raw, -1.0);
        let size = self.scaled_product(&raw, &raw, trail.t).sqrt();
        let mut cosine = 1.0;
        if !trail.tangent.is_empty() {
            let last = &trail.tangent;
            let before = self.scaled_product(last, last, trail.t).sqrt();
            cosine = self.scaled_product(&raw, last, trail.t) / (size * before);
        }
        if !(cosine.is_finite() && size > 0.0) {
            return None;
        }
        let factor = if cosine < 0.0 { -1.0 / size } else { 1.0 / size };
        raw.iter_mut().for_each(|x| *x *= factor);
        self.read(&raw);
        trail.tangent = raw;
        Some(cosine.abs())
    }

    /// The change of all unknowns per dt = −1.
    fn along(&mut self, trail: &Trail) {
        for c in self.cells.iter_mut().filter(|c| c.normal) {
            c.target = -trail.tau * c.weight / c.lambda[0];
        }
        for pair in &mut self.pairs {
            let mut c = [0.0; N];
            c[0] = -trail.tau * pair.weight;
            let s = &pair.scaling;
            pair.target = s.apply(&divide(&s.lambda, &c, pair.m), pair.m);
        }
        self.rhs.clear();
        for c in &self.cells {
            let held = self.held(c, |pair, k| pair.target[k], c.target);
            self.rhs.extend_from_slice(&held[..c.n]);
        }
        self.solve_for_changes();
    }

    /// Newton's method across the tangent; the number of steps it took, none if it fails.
    fn return_to_path(&mut self, problem: &BlockForm, trail: &mut Trail) -> Option<usize> {
        let mut before = f64::INFINITY;
        let (mut across, mut along) = (Vec::new(), Vec::new());
        for step in 0..=CORRECTIONS {
            self.store(problem);
            self.measure(problem);
            let error = self.off_path(trail);
            if !(error < CONTRACTION * before) || !(trail.t > 0.0) {
                return None;
            }
            if error <= NEAR {
                return Some(step);
            }
            before = error;
            if step == CORRECTIONS || !self.factorise(problem) {
                return None;
            }
            self.along(trail);
            self.write(&mut along, -1.0);
            self.back(problem, trail, false);
            self.write(&mut across, 0.0);
            let slope = self.scaled_product(&along, &trail.tangent, trail.t);
            let share = -self.scaled_product(&across, &trail.tangent, trail.t) / slope;
            across.iter_mut().zip(&along).for_each(|(a, d)| *a += share * d);
            self.read(&across);
            let length = (0.9 * self.longest_step()).min(1.0);
            self.go(length);
            trail.t += length * across.last().copied().unwrap_or(0.0);
        }
        None
    }

    /// The change of all unknowns that returns to the path at the same t. Gaps are closed at the start only: steps
    /// leave none, and where masses differ much, the rounding of W Λ + b is larger than the velocities that hold.
    fn back(&mut self, problem: &BlockForm, trail: &Trail, close_gaps: bool) {
        self.aim(trail.t * trail.tau, 0.0);
        self.rhs.clear();
        for (i, c) in self.cells.iter().enumerate() {
            let mut rhs = self.held(c, |pair, k| pair.target[k], c.target);
            if close_gaps {
                let held = self.held(c, |pair, k| pair.q[k], c.v);
                let velocity = &self.velocity[problem.rows(i)];
                (0..c.n).for_each(|r| rhs[r] += held[r] - velocity[r]);
            }
            self.rhs.extend_from_slice(&rhs[..c.n]);
        }
        self.solve_for_changes();
    }

    /// The largest relative deviation of a product from τ.
    fn off_path(&self, trail: &Trail) -> f64 {
        let tau = trail.t * trail.tau;
        let mut error: f64 = 0.0;
        let mut raise = |e: f64| error = if e.is_nan() { f64::INFINITY } else { error.max(e) };
        for c in self.cells.iter().filter(|c| c.normal) {
            raise((c.lambda[0] * c.v / (tau * c.weight) - 1.0).abs());
        }
        for pair in &self.pairs {
            let square = product(&pair.scaling.lambda, &pair.scaling.lambda, pair.m);
            for (r, x) in square[..pair.m].iter().enumerate() {
                let own = if r == 0 { 1.0 } else { 0.0 };
                raise((x / (tau * pair.weight) - own).abs());
            }
        }
        error
    }

    /// The largest relative change of a cone, for a step of length 1.
    fn relative_reach(&self, trail: &Trail) -> f64 {
        let mut reach = (trail.last() / trail.t).abs();
        for c in self.cells.iter().filter(|c| c.normal) {
            reach = reach.max((c.d_lambda[0] / c.lambda[0]).abs()).max((c.dv / c.v).abs());
        }
        for pair in &self.pairs {
            let (m, s) = (pair.m, &pair.scaling);
            let size = dot(&s.lambda, &s.lambda, m);
            for d in [s.apply(&pair.dp, m), s.invert(&pair.dq, m)] {
                reach = reach.max((dot(&d, &d, m) / size).sqrt());
            }
        }
        reach
    }

    /// All changes in one row, that of t at the end.
    fn write(&self, to: &mut Vec<f64>, dt: f64) {
        to.clear();
        for c in &self.cells {
            to.extend_from_slice(&c.d_lambda[..c.n]);
            to.push(c.dv);
        }
        for pair in &self.pairs {
            to.extend_from_slice(&pair.dp[..pair.m]);
            to.extend_from_slice(&pair.dq[..pair.m]);
        }
        to.push(dt);
    }

    fn read(&mut self, from: &[f64]) {
        let mut at = 0;
        let mut fill = |to: &mut [f64]| {
            to.copy_from_slice(&from[at..at + to.len()]);
            at += to.len();
        };
        for c in &mut self.cells {
            fill(&mut c.d_lambda[..c.n]);
            fill(std::slice::from_mut(&mut c.dv));
        }
        for pair in &mut self.pairs {
            fill(&mut pair.dp[..pair.m]);
            fill(&mut pair.dq[..pair.m]);
        }
    }

    /// The product of two rows of changes, in relative lengths. Free impulses have none.
    fn scaled_product(&self, a: &[f64], b: &[f64], t: f64) -> f64 {
        let (mut sum, mut at) = (0.0, 0);
        for c in &self.cells {
            let v = at + c.n;
            if c.normal {
                sum += a[at] * b[at] / (c.lambda[0] * c.lambda[0]) + a[v] * b[v] / (c.v * c.v);
            }
            at = v + 1;
        }
        let load = |x: &[f64]| {
            let mut out = [0.0; N];
            out[..x.len()].copy_from_slice(x);
            out
        };
        for pair in &self.pairs {
            let (m, s) = (pair.m, &pair.scaling);
            let size = dot(&s.lambda, &s.lambda, m);
            let (p, q) = (at..at + m, at + m..at + 2 * m);
            sum += dot(&s.apply(&load(&a[p.clone()]), m), &s.apply(&load(&b[p]), m), m) / size;
            sum += dot(&s.invert(&load(&a[q.clone()]), m), &s.invert(&load(&b[q]), m), m) / size;
            at += 2 * m;
        }
        sum + a[at] * b[at] / (t * t)
    }
}

impl Trail {
    /// dt of the tangent.
    fn last(&self) -> f64 {
        self.tangent.last().copied().unwrap_or(0.0)
    }
}
