//! What a sweep reads of the contacts, side by side in the order in which it reads it.

use super::order::Order;
use super::slide::LocalSolver;
use crate::body_rows::{BodyRows, NONE};
use crate::law::{Friction, Law, Rule};
use crate::set::ConvexSet;
use crate::solvers::BlockForm;

/// Rows of a contact; those that it does not have are zero.
pub(super) const ROWS: usize = 3;
pub(super) type Vector = [f64; ROWS];
/// What belongs to one body: six numbers, and two zeros that make it as wide as vectors of the machine.
pub(super) type Wide = [f64; 8];

/// The share of their bound that the sums of terms have in piles, about.
const BOUND: f64 = 0.65;

/// One contact. What most sweeps need stands first.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    /// The numbers of the bodies. Where there is one only, it is both, and all rows of the second are zero.
    pub(super) bodies: [u32; 2],
    rows: [[Wide; ROWS]; 2],
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

/// The impulse of a contact, that after the pair of sweeps before, and the one from which the last pair set out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Impulse {
    pub(super) now: Vector,
    pub(super) last: Vector,
    pub(super) from: Vector,
}

/// All contacts and bodies of a problem in the order of a sweep, with impulses and velocities that belong together.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    pub(super) order: Order,
    pub(super) contacts: Vec<Contact>,
    /// The diagonal blocks of W, and what is prepared of them: for contacts that do not stick.
    pub(super) blocks: Vec<[f64; ROWS * ROWS]>,
    pub(super) locals: Vec<Option<LocalSolver>>,
    pub(super) impulse: Vec<Impulse>,
    /// u = A Λ.
    pub(super) velocity: Vec<Wide>,
    /// What the velocities of each contact are made of: the largest sum of the sizes of the terms of a row.
    terms: Vec<f64>,
    /// |A||Λ|.
    sizes: Vec<Wide>,
    /// How far each contact of the problem is from its law.
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
        self.order.fill(rows);
        self.contacts.clear();
        self.blocks.clear();
        self.locals.clear();
        self.impulse.clear();
        for &i in &self.order.contact {
            let i = i as usize;
            let n = problem.laws()[i].components();
            let own = rows.diagonal(i);
            let mut block = [0.0; ROWS * ROWS];
            block[..n * n].copy_from_slice(&own[..n * n]);
            self.locals.push(None);
            self.blocks.push(block);
            self.contacts.push(Contact::new(problem, rows, i, &block, &self.order));
            let mut now = [0.0; ROWS];
            now[..n].copy_from_slice(&impulse[problem.rows(i)]);
            self.impulse.push(Impulse { now, ..Impulse::default() });
        }
        self.velocity.clear();
        self.velocity.resize(rows.bodies().max(1), [0.0; 8]);
        self.refresh();
    }

    /// u from scratch, which keeps rounding from adding up.
    pub(super) fn refresh(&mut self) {
        self.velocity.fill([0.0; 8]);
        for (contact, lam) in self.contacts.iter().zip(&self.impulse) {
            contact.add(&lam.now, &mut self.velocity);
        }
    }

    /// u of the impulses before the last pair of sweeps, from scratch.
    pub(super) fn last_velocities(&self, velocity: &mut [Wide]) {
        velocity.fill([0.0; 8]);
        for (contact, lam) in self.contacts.iter().zip(&self.impulse) {
            contact.add(&lam.last, velocity);
        }
    }

    /// Finds out anew what the velocities of each contact are made of, about: the largest of |A|ᵀ|A||Λ| + |b| of a row, which bounds the
    /// sum Σ|W Λ| + |b| that the certificate goes by, and costs a sweep where that costs ten.
    pub(super) fn measure(&mut self) {
        let Self { contacts, impulse, velocity, terms, sizes, .. } = self;
        sizes.clear();
        sizes.resize(velocity.len(), [0.0; 8]);
        for (contact, lam) in contacts.iter().zip(&*impulse) {
            contact.add_sizes(&lam.now.map(f64::abs), sizes);
        }
        terms.clear();
        terms.extend(contacts.iter().map(|contact| {
            let largest = contact.terms(sizes).into_iter().fold(0.0, f64::max);
            if largest > 0.0 { BOUND * largest } else { 1.0 }
        }));
    }

    /// How far each contact is from its law, as the certificate will see it, about; returns the worst.
    pub(super) fn judge(&mut self) -> f64 {
        self.wrong.resize(self.contacts.len(), 0.0);
        on_vectors(Judge { packed: self })
    }

    /// The impulses, row after row.
    pub(super) fn store(&self, problem: &BlockForm, impulse: &mut [f64]) {
        for (lam, &i) in self.impulse.iter().zip(&self.order.contact) {
            let rows = problem.rows(i as usize);
            let n = rows.len();
            impulse[rows].copy_from_slice(&lam.now[..n]);
        }
    }

    /// A contact of the problem, and its impulse.
    pub(super) fn contact(&self, i: usize) -> (&Contact, &Vector) {
        let at = self.order.number[i] as usize;
        (&self.contacts[at], &self.impulse[at].now)
    }

    /// Takes these impulses, in the order of a sweep.
    pub(super) fn set_impulses(&mut self, impulse: &[Vector]) {
        self.impulse.iter_mut().zip(impulse).for_each(|(lam, new)| lam.now = *new);
        self.refresh();
    }

    /// Gives a contact of the problem another impulse.
    pub(super) fn set_impulse(&mut self, i: usize, new: &[f64]) {
        let at = self.order.number[i] as usize;
        let mut change = [0.0; ROWS];
        for (r, new) in new.iter().enumerate() {
            change[r] = new - self.impulse[at].now[r];
            self.impulse[at].now[r] = *new;
        }
        self.contacts[at].add(&change, &mut self.velocity);
    }
}

struct Judge<'a> {
    packed: &'a mut Packed,
}

impl pulp::WithSimd for Judge<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        let Packed { order, contacts, impulse, velocity, terms, wrong, .. } = self.packed;
        let mut worst: f64 = 0.0;
        for (at, contact) in contacts.iter().enumerate() {
            let off = contact.natural_map(&impulse[at].now, &contact.velocity(velocity), terms[at]);
            worst = worst.max(off);
            wrong[order.contact[at] as usize] = off;
        }
        worst
    }
}

impl Contact {
    fn new(
        problem: &BlockForm,
        rows: &BodyRows,
        i: usize,
        w: &[f64; ROWS * ROWS],
        order: &Order,
    ) -> Self {
        let n = rows.range(i).len();
        let link = rows.link(i);
        // What does not move comes second, since the first body is written last.
        let sides = if link[0] == NONE { [1, 0] } else { [0, 1] };
        let number = |b: u32| if b == NONE { 0 } else { order.body[b as usize] };
        let first = number(link[sides[0]]);
        let second = if link[sides[1]] == NONE { first } else { number(link[sides[1]]) };
        let mut wide = [[[0.0; 8]; ROWS]; 2];
        for (r, row) in rows.contact(i).iter().enumerate() {
            (0..2).for_each(|at| wide[at][r][..6].copy_from_slice(&row[sides[at]]));
        }
        let mut bias = [0.0; ROWS];
        bias[..n].copy_from_slice(&problem.b()[problem.rows(i)]);
        let mu = match problem.laws()[i].rule() {
            Rule::Friction(law) => law.mu,
            _ => 0.0,
        };
        Self {
            bodies: [first, second],
            rows: wide,
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
    pub(super) fn velocity(&self, u: &[Wide]) -> Vector {
        self.velocity_of(&u[self.bodies[0] as usize], &u[self.bodies[1] as usize])
    }

    /// ξ of two bodies with these velocities.
    #[inline(always)]
    pub(super) fn velocity_of(&self, a: &Wide, b: &Wide) -> Vector {
        let [[an, at, ao], [bn, bt, bo]] = &self.rows;
        let [n, t, o] = &self.bias;
        [n + dot(an, a, bn, b), t + dot(at, a, bt, b), o + dot(ao, a, bo, b)]
    }

    /// u += A_i λ.
    #[inline(always)]
    pub(super) fn add(&self, lam: &Vector, u: &mut [Wide]) {
        let [first, second] = self.bodies.map(|b| b as usize);
        let (mut a, mut b) = (u[first], u[second]);
        self.add_to(lam, &mut a, &mut b);
        // The one body of a contact with what does not move is both; what it gets stands in the first.
        u[second] = b;
        u[first] = a;
    }

    /// The velocities of both bodies after an impulse.
    #[inline(always)]
    pub(super) fn add_to(&self, lam: &Vector, a: &mut Wide, b: &mut Wide) {
        for ([n, t, o], u) in self.rows.iter().zip([a, b]) {
            for x in 0..8 {
                u[x] += n[x] * lam[0] + t[x] * lam[1] + o[x] * lam[2];
            }
        }
    }

    /// u += |A_i| λ.
    fn add_sizes(&self, lam: &Vector, u: &mut [Wide]) {
        for ([n, t, o], &body) in self.rows.iter().zip(&self.bodies) {
            let u = &mut u[body as usize];
            for x in 0..8 {
                u[x] += n[x].abs() * lam[0] + t[x].abs() * lam[1] + o[x].abs() * lam[2];
            }
        }
    }

    /// |A_i|ᵀ u + |b|.
    fn terms(&self, u: &[Wide]) -> Vector {
        let (a, b) = (&u[self.bodies[0] as usize], &u[self.bodies[1] as usize]);
        let [first, second] = self.rows.map(|side| side.map(|row| row.map(f64::abs)));
        let size = |r: usize| self.bias[r].abs() + dot(&first[r], a, &second[r], b);
        [size(0), size(1), size(2)]
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
    pub(super) fn slide(&self, old: &Vector, xi: &Vector) -> Option<Vector> {
        let tangent = self.tangent?;
        let normal = old[0] - xi[0] / self.normal[0];
        let (t, o) = (xi[1] - tangent * old[1], xi[2] - tangent * old[2]);
        let size = (t * t + o * o).sqrt();
        let friction = if size > 0.0 { self.mu * normal / size } else { 0.0 };
        Some([normal, -friction * t, -friction * o])
    }

    /// No impulse, if the contact opens without it; or the impulse that ends all motion, if the contact can bear it.
    #[inline(always)]
    pub(super) fn stick_or_open(&self, old: &Vector, xi: &Vector) -> Option<Vector> {
        let [n, t, o] = &self.inverse;
        let part = |m: &Vector| m[0] * xi[0] + m[1] * xi[1] + m[2] * xi[2];
        let new = [old[0] - part(n), old[1] - part(t), old[2] - part(o)];
        let bears =
            new[0] >= 0.0 && new[1] * new[1] + new[2] * new[2] <= self.limit * (new[0] * new[0]);
        if bears {
            return Some(new);
        }
        let w = &self.normal;
        let opens = xi[0] - (w[0] * old[0] + w[1] * old[1] + w[2] * old[2]) >= 0.0;
        opens.then_some([0.0; ROWS])
    }
}

/// Runs a kernel on vectors of four numbers where the machine has them. Each contact waits for the one before it, and wider vectors take a
/// sixth longer.
pub(super) fn on_vectors<K: pulp::WithSimd>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return pulp::Simd::vectorize(simd, kernel);
    }
    pulp::Arch::new().dispatch(kernel)
}

/// a·u + b·v.
#[inline(always)]
fn dot(a: &Wide, u: &Wide, b: &Wide, v: &Wide) -> f64 {
    let mut p = [0.0; 8];
    for x in 0..8 {
        p[x] = a[x] * u[x] + b[x] * v[x];
    }
    ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]))
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
