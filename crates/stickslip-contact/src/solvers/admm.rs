//! ADMM with De Saxcé's correction and spectral penalties per block, accelerated (Carpentier, Le Lidec,
//! Montaut 2024; Xu, Figueiredo, Goldstein 2017 for the penalties; Zhang, O'Donoghue, Boyd 2020 for the
//! acceleration).
//!
//! Notation, in units in which every block of W has 1 as its normal diagonal entry: v the point; y = P_K(v)
//! the impulse; z = R (y − v) the velocity, with R the penalties; s = μ h_F(−z_T) e_N; x the answer to
//!
//! ```text
//! (W + R) x = R y + z − b − s,       v⁺ = v + ω (x − y)
//! ```
//!
//! At rest x = y, so that y ∈ K, z = W y + b + s, and y ⊥ z. This is ADMM in the form of Douglas and Rachford:
//! one vector v holds all that one step hands to the next, which is what extrapolation needs. R takes
//! the place of the proximal term: it is never small, so W + R is regular whatever W, and is factorised
//! once per R. A block with no friction has its normal row alone.
//!
//! R_i = |Δz_i| / |Δy_i| over the last steps, block by block: what a heavy body rests on gets a small
//! one, what is about to open a large one. Every law is served for which the
//! projection on K and h_F are enough: all but sliding contacts.

use super::anderson::{self, Anderson};
use super::{BlockForm, FormBuffer, MAX_ROWS, check_tolerance, method};
use crate::Error;
use crate::block::{BlockLlt, BlockLu, BlockMatrix, Blocks, FrontTree, SYMMETRIC};
use crate::error::check_setting;
use crate::law::{Friction, Law, Rule};
use crate::projection::FrictionCone;
use crate::solve::ContactSolution;
use complementarity::Failure;

/// Settings of [`Admm`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual that counts as solved. Default 10⁻⁹.
    pub tolerance: f64,
    /// The most steps. Default 10 000.
    pub max_steps: usize,
    /// The least penalty over the largest eigenvalue of W; the largest penalty is that eigenvalue. Default
    /// 10⁻⁵.
    pub least_penalty: f64,
    /// ω, from 1 for plain steps to less than 2. Default 1.6.
    pub relaxation: f64,
    /// Differences of steps that are kept to extrapolate from; 0 for none, at most 20. Default 10.
    pub memory: usize,
    /// Steps between two looks at the penalties. Default 100.
    pub look_every: usize,
    /// By which factor the penalty of a block has to change before all are changed. Default 3.
    pub imbalance: f64,
    /// The most factorisations. Default 30.
    pub max_factorisations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            max_steps: 10_000,
            least_penalty: 1e-5,
            relaxation: 1.6,
            memory: 10,
            look_every: 100,
            imbalance: 3.0,
            max_factorisations: 30,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        check_tolerance("admm", self.tolerance)?;
        let check =
            |setting, value, range, wanted| check_setting("admm", setting, value, range, wanted);
        let wanted = "greater than 0 and at most 0.1";
        check("least_penalty", self.least_penalty, (0.0, 0.1), wanted)?;
        let most = 2.0_f64.next_down();
        check("relaxation", self.relaxation, (0.0, most), "greater than 0 and less than 2")?;
        let most = anderson::MAX_MEMORY as f64;
        check("memory", self.memory as f64, (-1.0, most), "from 0 to 20")?;
        check("look_every", self.look_every as f64, (0.0, f64::INFINITY), "at least 1")?;
        check("imbalance", self.imbalance, (1.0, 1e6), "greater than 1 and at most 1e6")
    }
}

/// Whether a law is one of a cone and its dual.
pub(crate) fn takes(law: &Law) -> bool {
    law.sliding.is_none()
}

/// ADMM; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Admm {
    settings: Settings,
    /// Per block, Λ = unit x.
    units: Vec<f64>,
    penalties: Vec<f64>,
    /// The first row of each block among those that take part, and their number.
    offsets: Vec<usize>,
    tree: FrontTree,
    lu: BlockLu,
    llt: BlockLlt,
    /// Whether the factors are those of L Lᵀ.
    definite: bool,
    anderson: Anderson,
    v: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    /// ω (x − y).
    g: Vec<f64>,
    /// y and z at the last look.
    seen: [Vec<f64>; 2],
    best: Vec<f64>,
    buffer: FormBuffer,
    pub(crate) solution: ContactSolution,
}

impl Admm {
    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        Ok(Self { settings, ..Self::default() })
    }

    /// The solution of the last solve.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    pub(super) fn run(&mut self, problem: &BlockForm, guess: Option<&[f64]>) {
        self.solution.reset(problem.len(), guess);
        self.prepare(problem);
        let reason = if problem.laws().iter().all(takes) {
            self.iterate(problem)
        } else {
            Failure::WrongClass
        };
        self.put_best(problem);
        self.solution.certify(problem, self.settings.tolerance, reason);
    }

    fn iterate(&mut self, problem: &BlockForm) -> Failure {
        let settings = self.settings;
        let largest = self.largest_eigenvalue(problem);
        let least = settings.least_penalty * largest;
        self.penalties.fill((least * largest).sqrt());
        if !self.change_penalties(problem) {
            return Failure::Numerical;
        }
        let reference = problem.reference();
        let (mut ask_at, mut best) = (settings.tolerance, f64::INFINITY);
        for step in 1..=settings.max_steps {
            self.solution.iterations = step;
            self.step(problem);
            let error = self.error() / reference;
            if error < best {
                best = error;
                self.best.copy_from_slice(&self.y);
            }
            if error <= ask_at {
                self.put_best(problem);
                if self.solution.certify(problem, settings.tolerance, Failure::IterationLimit) {
                    break;
                }
                ask_at = 0.3 * error;
            }
            self.anderson.advance(&mut self.v, &self.g);
            if self.v.iter().any(|v| !v.is_finite()) {
                return Failure::Numerical;
            }
            let more = self.solution.factorisations < settings.max_factorisations;
            let look = step % settings.look_every == 0 && more;
            if look && self.spectral_penalties(least, largest) && !self.change_penalties(problem) {
                return Failure::Numerical;
            }
        }
        Failure::IterationLimit
    }

    /// y, z, x and ω (x − y) of the point v.
    fn step(&mut self, problem: &BlockForm) {
        for (i, law) in problem.laws().iter().enumerate() {
            let (rows, first) = (self.rows(i), problem.w().offset(i));
            let (unit, rho) = (self.units[i], self.penalties[i]);
            let mut p = [0.0; MAX_ROWS];
            project(law, unit, &self.v[rows.clone()], &mut p);
            for (k, r) in rows.clone().enumerate() {
                self.y[r] = p[k];
                self.z[r] = rho * (p[k] - self.v[r]);
                self.x[r] = rho * p[k] + self.z[r] - unit * problem.b()[first + k];
            }
            let corrected =
                if problem.is_associated() { 0.0 } else { correction(law, &self.z[rows.clone()]) };
            if corrected != 0.0 {
                self.x[rows.start] -= corrected;
            }
        }
        if self.definite {
            self.llt.solve(&mut self.x);
        } else {
            self.lu.solve(&mut self.x);
        }
        for (g, (x, y)) in self.g.iter_mut().zip(self.x.iter().zip(&self.y)) {
            *g = self.settings.relaxation * (x - y);
        }
    }

    /// The largest |x − y| as a velocity. Not a number counts as infinite.
    fn error(&self) -> f64 {
        let mut error: f64 = 0.0;
        for i in 0..self.units.len() {
            let velocity = self.penalties[i].max(1.0) / self.units[i];
            for r in self.rows(i) {
                let apart = (self.x[r] - self.y[r]).abs() * velocity;
                error = if apart.is_nan() { f64::INFINITY } else { error.max(apart) };
            }
        }
        error
    }

    /// Penalties from what y and z did since the last look. True if one of them changed by much; else
    /// they stay as they were.
    fn spectral_penalties(&mut self, least: f64, largest: f64) -> bool {
        let apart = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let mut wish = std::mem::take(&mut self.x);
        let mut much = false;
        for (i, &rho) in self.penalties.iter().enumerate() {
            let rows = self.rows(i);
            let [y, z] = &self.seen;
            let dy = apart(&self.y[rows.clone()], &y[rows.clone()]);
            let dz = apart(&self.z[rows.clone()], &z[rows.clone()]);
            let spectral = if dy + dz > 0.0 { (dz / dy).clamp(least, largest) } else { rho };
            if rows.is_empty() {
                continue;
            }
            // Half of the way, on a logarithmic scale.
            wish[rows.start] = (rho * spectral).sqrt();
            let factor = wish[rows.start] / rho;
            much |= factor.max(1.0 / factor) > self.settings.imbalance;
        }
        if much {
            for (i, rho) in self.penalties.iter_mut().enumerate() {
                if self.offsets[i] < self.offsets[i + 1] {
                    *rho = wish[self.offsets[i]];
                }
            }
        }
        self.x = wish;
        self.seen[0].copy_from_slice(&self.y);
        self.seen[1].copy_from_slice(&self.z);
        much
    }

    /// Factorises W + R for new penalties, and goes on from the same y and z.
    fn change_penalties(&mut self, problem: &BlockForm) -> bool {
        for i in 0..self.units.len() {
            for r in self.rows(i) {
                self.v[r] = self.y[r] - self.z[r] / self.penalties[i];
            }
        }
        self.anderson.forget();
        self.solution.factorisations += 1;
        let (w, units, penalties) = (problem.w(), &self.units, &self.penalties);
        let matrix = Penalised { w, units, penalties, offsets: &self.offsets };
        // Definite for every symmetric W of inverse masses; a W of another kind goes on with the other factors.
        self.definite =
            w.asymmetry() <= SYMMETRIC && self.llt.factorise(&self.tree, &self.offsets, &matrix);
        self.definite || self.lu.factorise(&self.tree, &self.offsets, &matrix)
    }

    fn rows(&self, i: usize) -> std::ops::Range<usize> {
        self.offsets[i]..self.offsets[i + 1]
    }

    fn prepare(&mut self, problem: &BlockForm) {
        let k = problem.contacts();
        self.units.clear();
        self.penalties.clear();
        self.penalties.resize(k, 1.0);
        self.offsets.clear();
        self.offsets.push(0);
        let mut n = 0;
        for (i, law) in problem.laws().iter().enumerate() {
            self.units.push(1.0 / problem.scale(i).sqrt());
            n += active_rows(law);
            self.offsets.push(n);
        }
        let [y_seen, z_seen] = &mut self.seen;
        for store in [&mut self.v, &mut self.x, &mut self.y, &mut self.z, &mut self.g] {
            store.clear();
            store.resize(n, 0.0);
        }
        self.anderson.reset(n, self.settings.memory);
        self.tree = FrontTree::new(k, |i| problem.w().row_arrays(i).0);
        let velocity = &mut self.solution.velocity;
        problem.w().multiply_add(&self.solution.impulse, problem.b(), velocity);
        for i in 0..k {
            let first = problem.w().offset(i);
            for (a, r) in (self.offsets[i]..self.offsets[i + 1]).enumerate() {
                self.y[r] = self.solution.impulse[first + a] / self.units[i];
                self.z[r] = self.solution.velocity[first + a] * self.units[i];
            }
        }
        for (store, from) in [(y_seen, &self.y), (z_seen, &self.z), (&mut self.best, &self.y)] {
            store.clear();
            store.extend_from_slice(from);
        }
    }

    fn put_best(&mut self, problem: &BlockForm) {
        self.solution.impulse.fill(0.0);
        for (i, unit) in self.units.iter().enumerate() {
            let best = &self.best[self.offsets[i]..self.offsets[i + 1]];
            let to = &mut self.solution.impulse[problem.rows(i)];
            to.iter_mut().zip(best).for_each(|(l, y)| *l = unit * y);
        }
    }

    /// Of W in its units, by the power method, from a start that no eigenvector is likely to be
    /// orthogonal to.
    fn largest_eigenvalue(&self, problem: &BlockForm) -> f64 {
        let n = problem.len();
        let mut v: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * ((i * 7919) % 101) as f64).collect();
        let (mut product, zero) = (vec![0.0; n], vec![0.0; n]);
        let mut size = 1.0;
        for _ in 0..30 {
            let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(norm > 0.0 && norm.is_finite()) {
                return 1.0;
            }
            v.iter_mut().for_each(|x| *x /= norm);
            scale_by(problem, &self.units, &mut v);
            problem.w().multiply_add(&v, &zero, &mut product);
            std::mem::swap(&mut v, &mut product);
            scale_by(problem, &self.units, &mut v);
            size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        }
        if size > 0.0 && size.is_finite() { size } else { 1.0 }
    }
}

/// Rows that take part: all, or the normal one where friction vanishes.
fn active_rows(law: &Law) -> usize {
    let vanishes = law.mu == 0.0 && law.radius == 0.0 && law.kind.set().is_some();
    if vanishes { law.kind.normals() } else { law.components() }
}

/// The nearest point of the cone of a block, whose impulses are counted in this unit.
fn project(law: &Law, unit: f64, v: &[f64], p: &mut [f64; MAX_ROWS]) {
    match law.rule() {
        Rule::Friction(Friction { radius, set, normals: 0, .. }) => {
            set.project(radius / unit, v, &mut p[..v.len()]);
        }
        Rule::Friction(Friction { mu, radius, set, .. }) if v.len() > 1 => {
            let cone = FrictionCone { set, mu, radius: radius / unit };
            cone.project(v, &mut p[..v.len()]);
        }
        Rule::Bilateral | Rule::Sliding(_) => p[..v.len()].copy_from_slice(v),
        _ => p[0] = v[0].max(0.0),
    }
}

/// De Saxcé's correction μ h_F(−z_T).
fn correction(law: &Law, z: &[f64]) -> f64 {
    let Rule::Friction(Friction { mu, set, normals: 1, .. }) = law.rule() else { return 0.0 };
    let (mut back, d) = ([0.0; MAX_ROWS], z.len() - 1);
    if d == 0 {
        return 0.0;
    }
    back.iter_mut().zip(&z[1..]).for_each(|(b, z)| *b = -z);
    mu * set.support(&back[..d])
}

/// Multiplies each block of v by its unit.
fn scale_by(problem: &BlockForm, units: &[f64], v: &mut [f64]) {
    for (i, unit) in units.iter().enumerate() {
        v[problem.rows(i)].iter_mut().for_each(|x| *x *= unit);
    }
}

/// W + R in the units of the blocks.
struct Penalised<'a> {
    w: &'a BlockMatrix,
    units: &'a [f64],
    penalties: &'a [f64],
    offsets: &'a [usize],
}

impl Blocks for Penalised<'_> {
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        self.w.row(i)
    }

    fn add(&self, i: usize, j: usize, w: &[f64], to: &mut [f64], stride: usize) {
        let size = |i: usize| self.offsets[i + 1] - self.offsets[i];
        let lines = to.chunks_mut(stride).zip(w.chunks_exact(self.w.size(j)));
        for (r, (to, w)) in lines.take(size(i)).enumerate() {
            for (to, w) in to.iter_mut().zip(w).take(size(j)) {
                *to += self.units[i] * self.units[j] * w;
            }
            if i == j {
                to[r] += self.penalties[i];
            }
        }
    }

    fn unlike_mirror(&self, i: usize, j: usize) -> Option<&[f64]> {
        self.w.unlike_mirror(i, j)
    }

    fn add_mirrored(&self, i: usize, j: usize, w: &[f64], to: &mut [f64], stride: usize) {
        let size = |i: usize| self.offsets[i + 1] - self.offsets[i];
        for (c, to) in to.chunks_mut(stride).take(size(j)).enumerate() {
            for (r, to) in to.iter_mut().take(size(i)).enumerate() {
                *to += self.units[i] * self.units[j] * w[r * self.w.size(j) + c];
            }
        }
    }
}

method!(Admm, "admm");
