//! Interior point for the exact law: predictor and corrector on the second-order cones of friction,
//! with De Saxcé's correction inside of Newton's equations.
//!
//! Notation, per block, in units in which the cone is Lorentz's, L = { x_0 ≥ |x_1| }: x the impulse,
//! x_0 = μ Λ_N; z the velocity with the correction, z_0 = ξ_N/μ + |z_1|; J = diag(1, −1, …); x∘y the
//! product of the cone's Jordan algebra, e its unit. The path is x∘z = τ e with z = W x + b + |z_1| e, τ → 0
//! (Acary, Armand, Nguyen, Shpakovych 2023 for the symmetric part; the correction's derivative makes
//! the diagonal blocks unsymmetric). S is the scaling of Nesterov and Todd, S x = S⁻¹ z = λ:
//! S = η [w_0, w_1ᵀ; w_1, 1 + w_1 w_1ᵀ/(1 + w_0)].
//!
//! It tolerates redundancy and mass ratios, and takes 10 to 40 factorisations. Blocks with a
//! constant radius, sets that are not round and sliding contacts are not of this form. A problem
//! without the correction is the same one with z = W x + b. Where W is given by bodies and there are no bilateral rows, the
//! linear systems are solved in the velocities of bodies.

mod bodies;

use super::jordan::{Scaling, Vector, divide, dot, product, tail, to_boundary};
use super::local::round_axes;
use super::{BlockForm, FormBuffer, MAX_ROWS, method};
use crate::block::{BlockLu, BlockMatrix, Blocks, FrontTrees};
use crate::error::check_setting;
use crate::law::{Friction, Law, Rule};
use crate::solve::ContactSolution;
use crate::{BodyRows, Error};
use bodies::BodySystem;
use complementarity::Failure;

/// Settings of [`ConeInteriorPoint`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual that counts as solved. Default 10⁻⁹.
    pub tolerance: f64,
    /// The most steps. Default 100.
    pub max_steps: usize,
    /// How much the correction |z_1| is rounded off on the way, relative to the velocity of a contact
    /// that sticks on the path; it vanishes with τ. Default 0.1.
    pub smoothing: f64,
    /// How much of the correction's derivative enters the equations: 1 for Newton's method, 0 for a
    /// correction that lags behind, which converges linearly and from farther away. Default 1.
    pub coupling: f64,
    /// How much of the way to the boundary of the cones a step may go, less than 1. Default 0.95; less is
    /// slower and safer.
    pub boundary: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_steps: 100, smoothing: 0.1, coupling: 1.0, boundary: 0.95 }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        let wanted = "greater than 0 and at most 0.1";
        check_setting("interior_point", "tolerance", self.tolerance, (0.0, 0.1), wanted)?;
        let range = (-f64::MIN_POSITIVE, 100.0);
        check_setting("interior_point", "smoothing", self.smoothing, range, "from 0 to 100")?;
        let range = (-f64::MIN_POSITIVE, 1.0);
        check_setting("interior_point", "coupling", self.coupling, range, "from 0 to 1")?;
        let wanted = "greater than 0 and at most 0.9999";
        check_setting("interior_point", "boundary", self.boundary, (0.0, 0.9999), wanted)
    }
}

/// The weight of the proximal step of bilateral rows, relative to the diagonal.
const PROXIMAL: f64 = 1e-9;
/// Steps without a residual half as large after which the solve ends as stalled.
const STALL_AFTER: usize = 25;

/// The least σ without the correction. Steps that aim at τ = 0 there leave the path: the angle between x and z then
/// falls as √τ, and rounding ends the solve before the angle is small.
const CENTRING: f64 = 0.1;

/// Whether a law is of the form that this method takes.
pub(crate) fn takes(law: &Law) -> bool {
    Cell::new(law).is_some()
}

const N: usize = MAX_ROWS;

/// A block in the units of its cone.
#[derive(Clone, Debug)]
struct Cell {
    /// Rows that take part: all, or only the normal one where friction vanishes.
    n: usize,
    free: bool,
    /// Λ = `units` x.
    units: Vector,
    x: Vector,
    z: Vector,
    /// An impulse x_0 that turns the reference velocity round.
    usual: f64,
    /// Slip below which the correction is smooth.
    epsilon: f64,
    coupling: f64,
    scaling: Scaling,
    dx: Vector,
    dz: Vector,
    /// What makes up the right side: S m of the last direction.
    target: Vector,
    /// W x + b + |z_1| e − z.
    gap: Vector,
}

/// Interior point; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct ConeInteriorPoint {
    settings: Settings,
    cells: Vec<Cell>,
    offsets: Vec<usize>,
    trees: FrontTrees,
    lu: BlockLu,
    bodies: BodySystem,
    rhs: Vec<f64>,
    velocity: Vec<f64>,
    best: Vec<f64>,
    buffer: FormBuffer,
    pub(crate) solution: ContactSolution,
}

impl ConeInteriorPoint {
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

    pub(super) fn run(&mut self, problem: &BlockForm, guess: Option<&[f64]>) {
        self.solution.reset(problem.len(), guess);
        self.best.clear();
        self.best.extend_from_slice(&self.solution.impulse);
        let reason =
            if self.prepare(problem) { self.iterate(problem) } else { Failure::WrongClass };
        if !self.solution.certify(problem, self.settings.tolerance, reason) {
            self.solution.impulse.copy_from_slice(&self.best);
            self.solution.certify(problem, self.settings.tolerance, reason);
        }
    }

    fn iterate(&mut self, problem: &BlockForm) -> Failure {
        let least_sigma = if problem.is_associated() { CENTRING } else { 0.0 };
        let (mut least, mut least_tau, mut improved) = (f64::INFINITY, f64::INFINITY, 0);
        for step in 0..self.settings.max_steps {
            self.store(problem);
            let tau = self.measure(problem);
            if self.solution.certify(problem, self.settings.tolerance, Failure::IterationLimit) {
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
            for cell in &mut self.cells {
                cell.aim(0.0, 0.0);
            }
            self.direction(problem);
            let length = self.longest_step();
            let after = self.complementarity_after(length);
            let sigma = (after / tau).clamp(0.0, 1.0).powi(3).max(least_sigma);
            for cell in &mut self.cells {
                cell.aim(sigma * tau, 1.0);
            }
            self.direction(problem);
            let length = self.settings.boundary * self.longest_step();
            if !(length > 1e-10) {
                return Failure::Stalled;
            }
            let length = length.min(1.0);
            for cell in &mut self.cells {
                for r in 0..cell.n {
                    cell.x[r] += length * cell.dx[r];
                    cell.z[r] += length * cell.dz[r];
                }
            }
        }
        Failure::IterationLimit
    }

    /// Units, a first point inside of all cones, the tree of fronts. False for laws of another form.
    fn prepare(&mut self, problem: &BlockForm) -> bool {
        let reference = problem.reference();
        self.cells.clear();
        let mut heaviest: f64 = 0.0;
        self.offsets.clear();
        self.offsets.push(0);
        for (i, law) in problem.laws().iter().enumerate() {
            let Some(mut cell) = Cell::new(law) else { return false };
            cell.coupling = if problem.is_associated() { 0.0 } else { self.settings.coupling };
            let w = problem.scale(i);
            let impulse = &self.solution.impulse[problem.rows(i)];
            for r in 0..cell.n {
                cell.x[r] = impulse[r] / cell.units[r];
            }
            if !cell.free {
                cell.usual = reference / w / cell.units[0];
                heaviest = heaviest.max(reference / w);
                cell.z[0] = reference * cell.units[0];
            }
            self.offsets.push(self.offsets[i] + cell.n);
            self.cells.push(cell);
        }
        // All products x·z begin alike, with impulses that the heaviest contact needs.
        for cell in self.cells.iter_mut().filter(|c| !c.free) {
            cell.x[0] = tail(&cell.x, cell.n).max(cell.x[0]) + heaviest / cell.units[0];
        }
        self.velocity.clear();
        self.velocity.resize(problem.len(), 0.0);
        match self.by_bodies(problem) {
            Some(rows) => self.bodies.prepare(rows),
            None => self.trees.choose(problem.w()),
        }
        true
    }

    /// The impulses of the present point.
    fn store(&mut self, problem: &BlockForm) {
        for (i, cell) in self.cells.iter().enumerate() {
            let rows = problem.rows(i);
            for (r, l) in self.solution.impulse[rows].iter_mut().enumerate() {
                *l = if r < cell.n { cell.units[r] * cell.x[r] } else { 0.0 };
            }
        }
    }

    /// Gaps and scalings; returns τ, the mean of x·z.
    fn measure(&mut self, problem: &BlockForm) -> f64 {
        problem.problem().velocity_into(&self.solution.impulse, &mut self.velocity);
        let (mut sum, mut count) = (0.0, 0);
        for (i, cell) in self.cells.iter_mut().enumerate() {
            let velocity = &self.velocity[problem.rows(i)];
            for r in 0..cell.n {
                cell.gap[r] = cell.units[r] * velocity[r] - cell.z[r];
            }
            if cell.free {
                continue;
            }

            cell.scaling = Scaling::new(&cell.x, &cell.z, cell.n);
            sum += dot(&cell.x, &cell.z, cell.n);
            count += 1;
        }
        let tau = sum / f64::from(count.max(1));
        if problem.is_associated() {
            return tau;
        }
        let c = self.settings.smoothing;
        for cell in self.cells.iter_mut().filter(|c| !c.free && c.n > 1) {
            cell.epsilon = (c * tau / (cell.x[0] + cell.usual)).min(cell.z[0]);
            cell.gap[0] += cell.slip();
        }
        tau
    }

    fn complementarity_after(&self, length: f64) -> f64 {
        let length = length.min(1.0);
        let (mut sum, mut count) = (0.0, 0);
        for c in self.cells.iter().filter(|c| !c.free) {
            sum += (0..c.n)
                .map(|r| (c.x[r] + length * c.dx[r]) * (c.z[r] + length * c.dz[r]))
                .sum::<f64>();
            count += 1;
        }
        sum / f64::from(count.max(1))
    }

    fn factorise(&mut self, problem: &BlockForm) -> bool {
        self.solution.factorisations += 1;
        if let Some(rows) = self.by_bodies(problem) {
            return self.bodies.factorise(rows, &self.cells);
        }
        let matrix = Scaled { w: problem.w(), cells: &self.cells };
        self.lu.factorise(self.trees.chosen(), &self.offsets, &matrix)
    }

    /// W by bodies, if the linear systems are to be solved in their velocities: bilateral rows have no D to divide by.
    fn by_bodies<'a>(&self, problem: &BlockForm<'a>) -> Option<&'a BodyRows> {
        problem.bodies().filter(|_| self.cells.iter().all(|c| !c.free))
    }

    /// dx and dz for the targets of the cells.
    fn direction(&mut self, problem: &BlockForm) {
        self.rhs.clear();
        for c in &self.cells {
            let correction = if c.free { 0.0 } else { c.along(&c.target) };
            for r in 0..c.n {
                let first = if r == 0 { correction } else { 0.0 };
                self.rhs.push(c.target[r] - c.gap[r] - first);
            }
        }
        match self.by_bodies(problem) {
            Some(rows) => self.bodies.solve(rows, &self.cells, &mut self.rhs),
            None => self.lu.solve(&mut self.rhs),
        }
        for (i, c) in self.cells.iter_mut().enumerate() {
            c.dx[..c.n].copy_from_slice(&self.rhs[self.offsets[i]..self.offsets[i + 1]]);
            if !c.free {
                let bent = c.scaling.square(&c.dx, c.n);
                c.dz = std::array::from_fn(|r| if r < c.n { c.target[r] - bent[r] } else { 0.0 });
            }
        }
    }

    fn longest_step(&self) -> f64 {
        let cones = self.cells.iter().filter(|c| !c.free);
        cones.fold(f64::INFINITY, |l, c| {
            l.min(to_boundary(&c.x, &c.dx, c.n)).min(to_boundary(&c.z, &c.dz, c.n))
        })
    }
}

/// W in the units of the cells, and on the diagonal what they add.
struct Scaled<'a> {
    w: &'a BlockMatrix,
    cells: &'a [Cell],
}

impl Blocks for Scaled<'_> {
    #[inline]
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        self.w.row(i)
    }

    #[inline]
    fn add(&self, i: usize, j: usize, w: &[f64], to: &mut [f64], stride: usize) {
        let (a, b, width) = (&self.cells[i], &self.cells[j], self.w.size(j));
        for (r, (to, w)) in to.chunks_mut(stride).zip(w.chunks_exact(width)).take(a.n).enumerate() {
            for (s, (to, w)) in to.iter_mut().zip(w).take(b.n).enumerate() {
                *to += a.units[r] * w * b.units[s];
            }
        }
        if i == j {
            a.add_diagonal(to, stride);
        }
    }

    fn unlike_mirror(&self, i: usize, j: usize) -> Option<&[f64]> {
        self.w.unlike_mirror(i, j)
    }

    #[inline]
    fn add_mirrored(&self, i: usize, j: usize, w: &[f64], to: &mut [f64], stride: usize) {
        let (a, b, width) = (&self.cells[i], &self.cells[j], self.w.size(j));
        for (s, to) in to.chunks_mut(stride).take(b.n).enumerate() {
            for (r, to) in to.iter_mut().take(a.n).enumerate() {
                *to += a.units[r] * w[r * width + s] * b.units[s];
            }
        }
    }
}

impl Cell {
    fn new(law: &Law) -> Option<Self> {
        let mut units = [1.0; N];
        let mut n = law.components();
        match law.rule() {
            Rule::Normal | Rule::Bilateral => {}
            Rule::Friction(Friction { mu, radius: 0.0, set, normals: 1 }) => {
                units[1..n].copy_from_slice(&round_axes(set)?[..n - 1]);
                if mu > 0.0 {
                    units[0] = 1.0 / mu;
                } else {
                    n = 1;
                }
            }
            _ => return None,
        }
        let zero = [0.0; N];
        Some(Self {
            n,
            free: matches!(law.rule(), Rule::Bilateral),
            units,
            x: zero,
            z: zero,
            usual: 0.0,
            epsilon: 0.0,
            coupling: 1.0,
            scaling: Scaling::default(),
            dx: zero,
            dz: zero,
            target: zero,
            gap: zero,
        })
    }

    /// |z_1|, rounded off where it is below ε.
    fn slip(&self) -> f64 {
        tail(&self.z, self.n).hypot(self.epsilon)
    }

    /// t·v, where t is the direction of z_1: the rate of |z_1|.
    fn along(&self, v: &Vector) -> f64 {
        let size = self.slip();
        if !(size > 0.0) {
            return 0.0;
        }
        self.coupling * (1..self.n).map(|r| self.z[r] * v[r]).sum::<f64>() / size
    }

    /// Adds S² − e tᵀ S²; of bilateral rows a weight on the change of x, not on x: a proximal step, which
    /// leaves the solutions what they are and redundant rows regular.
    fn add_diagonal(&self, block: &mut [f64], stride: usize) {
        let n = self.n;
        if self.free {
            (0..n).for_each(|r| block[r * (stride + 1)] *= 1.0 + PROXIMAL);
            return;
        }
        for c in 0..n {
            let mut unit = [0.0; N];
            unit[c] = 1.0;
            let column = self.scaling.square(&unit, n);
            for r in 0..n {
                block[r * stride + c] += column[r];
            }
            block[c] -= self.along(&column);
        }
    }

    /// S m, m = λ \ (τ e − λ∘λ − second-order terms).
    fn aim(&mut self, tau: f64, second_order: f64) {
        let n = self.n;
        if self.free {
            self.target = [0.0; N];
            return;
        }
        let s = &self.scaling;
        let square = product(&s.lambda, &s.lambda, n);
        let mut c = square.map(|x| -x);
        c[0] += tau;
        if second_order > 0.0 {
            let both = product(&s.apply(&self.dx, n), &s.invert(&self.dz, n), n);
            (0..n).for_each(|r| c[r] -= second_order * both[r]);
        }
        self.target = s.apply(&divide(&s.lambda, &c, n), n);
    }
}

method!(ConeInteriorPoint, "interior_point");
