//! What a sweep reads of the contacts, side by side in the order in which it reads it.

use super::slide::LocalSolver;
use crate::body_rows::{BodyRows, NONE, Six, dot};
use crate::law::{Friction, Law, Rule};
use crate::set::ConvexSet;
use crate::solvers::BlockForm;

/// Rows of a contact; those that it does not have are zero.
pub(super) const ROWS: usize = 3;
pub(super) type Vector = [f64; ROWS];

/// The share of their bound that the sums of terms have in piles, about.
const BOUND: f64 = 0.65;

/// One contact. What most sweeps need stands first.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    /// The bodies; what does not move is a body after the last, on which all rows are zero.
    bodies: [u32; 2],
    rows: [[Six; ROWS]; 2],
    /// The inverse of the diagonal block of W; not a number where there is none.
    inverse: [Vector; ROWS],
    /// W_NN and W_NT.
    pub(super) normal: Vector,
    bias: Vector,
    /// The square of μ.
    limit: f64,
    /// μ.
    pub(super) mu: f64,
    /// What turns a normal impulse into a velocity.
    pub(super) scale: f64,
    /// The mean diagonal entry of W of the tangents.
    slip_scale: f64,
    n: usize,
    /// The one diagonal entry of the tangents where the diagonal block of W is diagonal, as that of spheres: slip is then written down.
    tangent: Option<f64>,
}

/// All contacts and bodies of a problem, with impulses and velocities that belong together.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    pub(super) contacts: Vec<Contact>,
    /// The diagonal blocks of W, and what is prepared of them: for contacts that do not stick.
    blocks: Vec<[f64; ROWS * ROWS]>,
    locals: Vec<Option<LocalSolver>>,
    pub(super) impulse: Vec<Vector>,
    /// u = A Λ, with the body that does not move at the end.
    pub(super) velocity: Vec<Six>,
    /// What the velocities of each contact are made of: the largest sum of the sizes of the terms of a row.
    terms: Vec<f64>,
    /// |A||Λ|.
    sizes: Vec<Six>,
    /// How far each contact is from its law.
    pub(super) wrong: Vec<f64>,
}

/// Whether sweeps over bodies take a law: Coulomb friction on an interval or a disc, or none.
pub(super) fn takes(law: &Law) -> bool {
    match law.rule() {
        Rule::Normal => true,
        Rule::Friction(Friction { radius, set, normals, .. }) => {
            radius == 0.0 && normals == 1 && matches!(set, ConvexSet::Interval | ConvexSet::Disc)
        }
        Rule::Bilateral | Rule::Sliding(_) => false,
    }
}

impl Packed {
    /// Takes over a problem with W by bodies, and impulses.
    pub(super) fn fill(&mut self, problem: &BlockForm, rows: &BodyRows, impulse: &[f64]) {
        self.contacts.clear();
        self.blocks.clear();
        self.locals.clear();
        for (i, law) in problem.laws().iter().enumerate() {
            let n = law.components();
            let own = rows.diagonal(i);
            let mut block = [0.0; ROWS * ROWS];
            block[..n * n].copy_from_slice(&own[..n * n]);
            self.locals.push(None);
            self.blocks.push(block);
            self.contacts.push(Contact::new(problem, rows, i, &block));
        }
        self.set_impulse(problem, impulse);
    }

    fn set_impulse(&mut self, problem: &BlockForm, impulse: &[f64]) {
        self.impulse.clear();
        self.impulse.extend((0..self.contacts.len()).map(|i| {
            let mut lam = [0.0; ROWS];
            let rows = problem.rows(i);
            lam[..rows.len()].copy_from_slice(&impulse[rows]);
            lam
        }));
        let bodies = problem.bodies().map_or(0, BodyRows::bodies);
        self.velocity.clear();
        self.velocity.resize(bodies + 1, [0.0; 6]);
        self.refresh();
    }

    /// u from scratch, which keeps rounding from adding up.
    pub(super) fn refresh(&mut self) {
        self.velocity.fill([0.0; 6]);
        for (contact, lam) in self.contacts.iter().zip(&self.impulse) {
            contact.add(lam, &mut self.velocity);
        }
    }

    /// Finds out anew what the velocities of each contact are made of, about: the largest of |A|ᵀ|A||Λ| + |b| of a row, which bounds the
    /// sum Σ|W Λ| + |b| that the certificate goes by, and costs a sweep where that costs ten.
    pub(super) fn measure(&mut self) {
        let Self { contacts, impulse, velocity, terms, sizes, .. } = self;
        sizes.clear();
        sizes.resize(velocity.len(), [0.0; 6]);
        for (contact, lam) in contacts.iter().zip(&*impulse) {
            contact.add_sizes(&lam.map(f64::abs), sizes);
        }
        terms.clear();
        terms.extend(contacts.iter().map(|contact| {
            let largest = contact.terms(sizes).into_iter().fold(0.0, f64::max);
            if largest > 0.0 { BOUND * largest } else { 1.0 }
        }));
    }

    /// How far each contact is from its law, as the certificate will see it, about; returns the worst.
    pub(super) fn judge(&mut self) -> f64 {
        let Self { contacts, impulse, velocity, terms, wrong, .. } = self;
        wrong.clear();
        let mut worst: f64 = 0.0;
        for ((contact, lam), terms) in contacts.iter().zip(&*impulse).zip(&*terms) {
            let off = contact.natural_map(lam, &contact.velocity(velocity), *terms);
            worst = worst.max(off);
            wrong.push(off);
        }
        worst
    }

    /// The impulses, row after row.
    pub(super) fn store(&self, problem: &BlockForm, impulse: &mut [f64]) {
        for (i, lam) in self.impulse.iter().enumerate() {
            let rows = problem.rows(i);
            let n = rows.len();
            impulse[rows].copy_from_slice(&lam[..n]);
        }
    }

    /// One sweep forth and one back, with the widest vectors that the machine has; what is computed is the same.
    pub(super) fn sweep_both_ways(&mut self, laws: &[Law]) {
        pulp::Arch::new().dispatch(BothWays { packed: self, laws });
    }

    /// Solves contact i, all others held.
    #[inline(always)]
    fn solve(&mut self, laws: &[Law], i: usize) {
        let contact = &self.contacts[i];
        let old = self.impulse[i];
        let xi = contact.velocity(&self.velocity);
        let new = match contact.stick_or_open(&old, &xi).or_else(|| contact.slide(&old, &xi)) {
            Some(new) => new,
            None => {
                let local = self.locals[i]
                    .get_or_insert_with(|| LocalSolver::new(&laws[i], &self.blocks[i], contact.n));
                local.solve((&laws[i], &self.blocks[i]), contact, &old, &xi)
            }
        };
        let change = std::array::from_fn(|r| new[r] - old[r]);
        if change != [0.0; ROWS] {
            self.impulse[i] = new;
            contact.add(&change, &mut self.velocity);
        }
    }
}

struct BothWays<'a> {
    packed: &'a mut Packed,
    laws: &'a [Law],
}

impl pulp::WithSimd for BothWays<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let k = self.packed.contacts.len();
        (0..k).for_each(|i| self.packed.solve(self.laws, i));
        (0..k).rev().for_each(|i| self.packed.solve(self.laws, i));
    }
}

impl Contact {
    fn new(problem: &BlockForm, rows: &BodyRows, i: usize, w: &[f64; ROWS * ROWS]) -> Self {
        let still = u32::try_from(rows.bodies()).unwrap_or(NONE);
        let n = rows.range(i).len();
        let mut sides = [[[0.0; 6]; ROWS]; 2];
        for (r, row) in rows.contact(i).iter().enumerate() {
            (0..2).for_each(|side| sides[side][r] = row[side]);
        }
        let mut bias = [0.0; ROWS];
        bias[..n].copy_from_slice(&problem.b()[problem.rows(i)]);
        let mu = match problem.laws()[i].rule() {
            Rule::Friction(law) => law.mu,
            _ => 0.0,
        };
        Self {
            bodies: rows.link(i).map(|b| if b == NONE { still } else { b }),
            rows: sides,
            inverse: inverse(w, n),
            normal: std::array::from_fn(|r| if r < n { w[r] } else { 0.0 }),
            bias,
            limit: mu * mu,
            mu,
            scale: if w[0] > 0.0 { w[0] } else { problem.scale(i) },
            slip_scale: (1..n).map(|r| w[r * (n + 1)]).sum::<f64>() / (n - 1).max(1) as f64,
            n,
            tangent: tangent(w, n),
        }
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.n
    }

    /// ξ.
    #[inline(always)]
    pub(super) fn velocity(&self, u: &[Six]) -> Vector {
        let (a, b) = (&u[self.bodies[0] as usize], &u[self.bodies[1] as usize]);
        std::array::from_fn(|r| self.bias[r] + dot(&self.rows[0][r], a) + dot(&self.rows[1][r], b))
    }

    /// u += A_i λ.
    #[inline(always)]
    pub(super) fn add(&self, lam: &Vector, u: &mut [Six]) {
        for side in 0..2 {
            let ([n, t, o], u) = (&self.rows[side], &mut u[self.bodies[side] as usize]);
            for x in 0..6 {
                u[x] += n[x] * lam[0] + t[x] * lam[1] + o[x] * lam[2];
            }
        }
    }

    /// u += |A_i| λ.
    fn add_sizes(&self, lam: &Vector, u: &mut [Six]) {
        for side in 0..2 {
            let ([n, t, o], u) = (&self.rows[side], &mut u[self.bodies[side] as usize]);
            for x in 0..6 {
                u[x] += n[x].abs() * lam[0] + t[x].abs() * lam[1] + o[x].abs() * lam[2];
            }
        }
    }

    /// |A_i|ᵀ u + |b|.
    fn terms(&self, u: &[Six]) -> Vector {
        let (a, b) = (&u[self.bodies[0] as usize], &u[self.bodies[1] as usize]);
        let size = |row: &Six, u: &Six| dot(&row.map(f64::abs), u);
        std::array::from_fn(|r| {
            self.bias[r].abs() + size(&self.rows[0][r], a) + size(&self.rows[1][r], b)
        })
    }

    /// The larger of the natural maps of the normal and of friction, velocities in units of `terms`.
    #[inline(always)]
    fn natural_map(&self, lam: &Vector, xi: &Vector, terms: f64) -> f64 {
        let push = lam[0] / lam[0].abs().max(terms / self.scale);
        let gap = xi[0] / terms;
        let normal = (-gap).max(-push).max(push.min(gap));
        if self.n == 1 {
            return normal;
        }
        let size = (lam[1] * lam[1] + lam[2] * lam[2]).sqrt();
        let unit = 1.0 / size.max(terms / self.slip_scale);
        let limit = self.mu * lam[0].max(0.0) * unit;
        let (t, o) = (lam[1] * unit - xi[1] / terms, lam[2] * unit - xi[2] / terms);
        let away = (t * t + o * o).sqrt();
        let kept = if away > limit { limit / away } else { 1.0 };
        let (t, o) = (lam[1] * unit - kept * t, lam[2] * unit - kept * o);
        normal.max((t * t + o * o).sqrt())
    }

    /// The impulse of a contact that neither sticks nor opens, where the diagonal block of W is diagonal: friction is then against
    /// what the tangents do without it.
    #[inline(always)]
    fn slide(&self, old: &Vector, xi: &Vector) -> Option<Vector> {
        let tangent = self.tangent?;
        let normal = old[0] - xi[0] / self.normal[0];
        let (t, o) = (xi[1] - tangent * old[1], xi[2] - tangent * old[2]);
        let size = (t * t + o * o).sqrt();
        let friction = if size > 0.0 { self.mu * normal / size } else { 0.0 };
        Some([normal, -friction * t, -friction * o])
    }

    /// No impulse, if the contact opens without it; or the impulse that ends all motion, if the contact can bear it.
    #[inline(always)]
    fn stick_or_open(&self, old: &Vector, xi: &Vector) -> Option<Vector> {
        let new: Vector = std::array::from_fn(|r| {
            let m = &self.inverse[r];
            old[r] - (m[0] * xi[0] + m[1] * xi[1] + m[2] * xi[2])
        });
        let bears =
            new[0] >= 0.0 && new[1] * new[1] + new[2] * new[2] <= self.limit * (new[0] * new[0]);
        if bears {
            return Some(new);
        }
        let w = &self.normal;
        let opens = xi[0] - (w[0] * old[0] + w[1] * old[1] + w[2] * old[2]) >= 0.0;
        opens.then_some([0.0; ROWS])
    }

    /// The nearest impulse in the cone; `None` if it is this one.
    #[inline(always)]
    pub(super) fn project(&self, lam: &Vector) -> Option<Vector> {
        let [n, t, o] = *lam;
        let size = (t * t + o * o).sqrt();
        if n >= 0.0 && size <= self.mu * n {
            return None;
        }
        if self.mu * size <= -n {
            return Some([0.0; ROWS]);
        }
        let normal = (n + self.mu * size) / (1.0 + self.limit);
        let shrink = if size > 0.0 { self.mu * normal / size } else { 0.0 };
        Some([normal, shrink * t, shrink * o])
    }
}

/// The diagonal entry of both tangents if a block of three rows is diagonal but for rounding, and the same in both.
fn tangent(w: &[f64; ROWS * ROWS], n: usize) -> Option<f64> {
    /// Rounding of the sums of products that the entries are.
    const ROUNDING: f64 = 32.0 * f64::EPSILON;
    let least = w[0].min(w[4]).min(w[8]);
    let others = [w[1], w[2], w[5], w[4] - w[8]];
    let diagonal = others.iter().all(|x| x.abs() <= ROUNDING * least);
    (n == ROWS && least > 0.0 && diagonal).then_some(0.5 * (w[4] + w[8]))
}

/// The inverse of a symmetric block with n rows, zero elsewhere; not a number where it is singular but for rounding.
fn inverse(w: &[f64; ROWS * ROWS], n: usize) -> [Vector; ROWS] {
    /// The least share of the product of the diagonal that is no rounding.
    const REGULAR: f64 = 1e-12;
    let at = |r: usize, c: usize| match (r < n && c < n, r == c) {
        (true, _) => w[r * n + c],
        (false, same) => f64::from(u8::from(same)),
    };
    let minor = |r: usize, c: usize| {
        let (a, b, x, y) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        at(a, x) * at(b, y) - at(a, y) * at(b, x)
    };
    let determinant: f64 = (0..3).map(|c| at(0, c) * minor(0, c)).sum();
    let regular = determinant > REGULAR * at(0, 0) * at(1, 1) * at(2, 2);
    std::array::from_fn(|r| {
        std::array::from_fn(|c| match (regular, r < n && c < n) {
            (false, _) => f64::NAN,
            (true, true) => minor(c, r) / determinant,
            (true, false) => 0.0,
        })
    })
}
