//! The equations of a choice of cells with slip on smooth sets: Newton's method, and Krawczyk's test that a solution is alone.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | x | the unknowns of the search, here in units of their own: x_j = unit_j u_j |
//! | s | directions: σ (1, s) along the axes of a sector, p = (1, s), û = σ p / \|p\| |
//! | z | (u, s), as many as there are equations |
//! | λ, ζ, limit | force, slip and limit of a smooth factor, linear in x |
//! | C | the inverse of the Jacobian J at a solution |
//! | r | radii of a box around it, ρ times a shape |
//! | D | how far J can change in that box |
//!
//! Equations: those of the cells, which are linear; for each sector λ = limit û(s) and ζ_k = s_k ζ_axis.
//!
//! Krawczyk's test (Krawczyk 1969; Moore 1977): if |C F(z)| + (|I − C J| + |C| D) r < r in every component, the box holds
//! one solution and no other. The sums are in floating point with a share for their rounding.

use super::tree::Search;
use crate::proof::cells::{Cell, Row, Sector};
use nalgebra::{DMatrix, DVector, SVD};

/// Steps of Newton's method.
const STEPS: usize = 15;
/// Newton's method has arrived where a step is this short.
const ARRIVED: f64 = 1e-12;
/// Bounds of the second derivatives of û, for any s: 4 / |p|² ≤ 4.
const BEND: f64 = 4.0;
/// The largest and least radius that is tried.
const RADII: [f64; 2] = [0.5, 1e-7];

/// A linear function of u.
#[derive(Clone, Debug)]
struct Linear {
    row: Vec<f64>,
    constant: f64,
}

impl Linear {
    fn at(&self, u: &[f64]) -> f64 {
        self.row.iter().zip(u).fold(self.constant, |sum, (r, u)| sum + r * u)
    }

    /// How much it changes in a box with these radii.
    fn spread(&self, radii: &[f64]) -> f64 {
        self.row.iter().zip(radii).map(|(a, r)| a.abs() * r).sum()
    }

    fn scale(&mut self, factor: f64) {
        self.row.iter_mut().for_each(|r| *r *= factor);
        self.constant *= factor;
    }

    fn largest(&self) -> f64 {
        self.row.iter().fold(0.0, |m, r| m.max(r.abs()))
    }
}

/// A smooth factor that slips.
#[derive(Clone, Debug)]
struct Slip {
    sector: Sector,
    d: usize,
    /// Where its s begin among the unknowns.
    at: usize,
    force: Vec<Linear>,
    slip: Vec<Linear>,
    limit: Linear,
}

/// The equations of the chosen cells.
#[derive(Clone, Debug)]
pub(super) struct Equations {
    unit: Vec<f64>,
    linear: Vec<Linear>,
    slips: Vec<Slip>,
    n: usize,
}

/// A solution of the equations.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) x: Vec<f64>,
    /// In the order of the sectors.
    pub(super) s: Vec<[f64; 2]>,
    pub(super) unit: Vec<f64>,
    /// No other lies within these distances of x and then of s, sector by sector; `None` if that is not shown.
    pub(super) radii: Option<Radii>,
}

/// The box in which a root is alone.
#[derive(Clone, Debug)]
pub(super) struct Radii {
    pub(super) x: Vec<f64>,
    pub(super) s: Vec<[f64; 2]>,
}

impl Equations {
    /// The equations of the cells that a search has chosen; x gives the units.
    pub(super) fn new(search: &Search<'_>, x: &[f64]) -> Self {
        let unit = units(search, x);
        let columns = unit.len();
        let make = |part: usize, row: &Row| {
            let first = search.problem.rows(search.factors[part].contact).start;
            let mut out = vec![0.0; columns];
            let constant = search.space.coefficients(first, row, &mut out);
            out.iter_mut().zip(&unit).for_each(|(o, unit)| *o *= unit);
            Linear { row: out, constant }
        };
        let mut linear: Vec<Linear> = Vec::with_capacity(columns);
        for &j in search.zeros() {
            let mut row = vec![0.0; columns];
            row[j] = 1.0;
            linear.push(Linear { row, constant: 0.0 });
        }
        for (row, constant) in search.equation_rows() {
            let row = row.iter().zip(&unit).map(|(a, unit)| a * unit).collect();
            linear.push(Linear { row, constant });
        }
        for l in &mut linear {
            let largest = l.largest();
            l.scale(if largest > 0.0 { 1.0 / largest } else { 1.0 });
        }
        let (mut slips, mut n) = (Vec::new(), columns);
        for (part, cell) in search.cells.iter().enumerate() {
            let Cell::Sector(sector) = *cell else { continue };
            let f = &search.factors[part];
            let d = f.dimension;
            let mut force: Vec<Linear> = (0..d).map(|t| make(part, &f.scaled_force(t))).collect();
            let mut slip: Vec<Linear> = (0..d).map(|t| make(part, &f.scaled_slip(t))).collect();
            let mut limit = make(part, &f.limit());
            let scale = |list: &[Linear]| list.iter().fold(0.0_f64, |m, l| m.max(l.largest()));
            let (by_force, by_slip) = (scale(&force).max(limit.largest()), scale(&slip));
            let per = |v: f64| if v > 0.0 { 1.0 / v } else { 1.0 };
            force.iter_mut().for_each(|l| l.scale(per(by_force)));
            limit.scale(per(by_force));
            slip.iter_mut().for_each(|l| l.scale(per(by_slip)));
            slips.push(Slip { sector, d, at: n, force, slip, limit });
            n += d - 1;
        }
        Self { unit, linear, slips, n }
    }

    /// About how many multiplications Newton's method and Krawczyk's test take.
    pub(super) fn cost(&self) -> usize {
        (STEPS + 40) * self.n.pow(3)
    }

    /// Newton's method from x and the middles of the sectors; `None` if it does not arrive.
    pub(super) fn solve(&self, x: &[f64]) -> Option<Root> {
        let equations = self.linear.len() + self.slips.iter().map(|s| 2 * s.d - 1).sum::<usize>();
        if equations != self.n {
            return None;
        }
        let mut z: Vec<f64> = x.iter().zip(&self.unit).map(|(x, unit)| x / unit).collect();
        for slip in &self.slips {
            z.extend_from_slice(&slip.sector.middle()[..slip.d - 1]);
        }
        for _ in 0..STEPS {
            let (f, j) = self.evaluate(&z);
            let step = newton_step(&j, &f)?;
            z.iter_mut().zip(step.iter()).for_each(|(z, d)| *z -= d);
            let (length, size) = (step.amax(), z.iter().fold(1.0_f64, |m, z| m.max(z.abs())));
            if !(size < 1e6) {
                return None;
            }
            if length <= ARRIVED * size {
                return Some(self.root(&z));
            }
        }
        None
    }

    fn root(&self, z: &[f64]) -> Root {
        let radii = self.alone(z).map(|r| {
            let (x, s) = self.given_units(&r);
            Radii { x, s }
        });
        let (x, s) = self.given_units(z);
        Root { x, s, unit: self.unit.clone(), radii }
    }

    /// x in its own units, and s sector by sector.
    fn given_units(&self, z: &[f64]) -> (Vec<f64>, Vec<[f64; 2]>) {
        let x = self.unit.iter().zip(z).map(|(unit, u)| unit * u).collect();
        let s = self.slips.iter().map(|slip| {
            let mut s = [0.0; 2];
            s[..slip.d - 1].copy_from_slice(&z[slip.at..slip.at + slip.d - 1]);
            s
        });
        (x, s.collect())
    }

    /// F and J.
    fn evaluate(&self, z: &[f64]) -> (DVector<f64>, DMatrix<f64>) {
        let (mut f, mut j) = (DVector::zeros(self.n), DMatrix::zeros(self.n, self.n));
        let mut i = 0;
        for l in &self.linear {
            f[i] = l.at(z);
            l.row.iter().enumerate().for_each(|(k, r)| j[(i, k)] = *r);
            i += 1;
        }
        for slip in &self.slips {
            let s = &z[slip.at..slip.at + slip.d - 1];
            let (u, du) = direction(&slip.sector, s, slip.d);
            let limit = slip.limit.at(z);
            for t in 0..slip.d {
                f[i] = slip.force[t].at(z) - limit * u[t];
                for (k, (a, l)) in slip.force[t].row.iter().zip(&slip.limit.row).enumerate() {
                    j[(i, k)] = a - l * u[t];
                }
                (0..slip.d - 1).for_each(|k| j[(i, slip.at + k)] = -limit * du[k][t]);
                i += 1;
            }
            let along = &slip.slip[slip.sector.axis];
            for k in 0..slip.d - 1 {
                let other = &slip.slip[slip.sector.other(k)];
                f[i] = other.at(z) - s[k] * along.at(z);
                for (c, (a, b)) in other.row.iter().zip(&along.row).enumerate() {
                    j[(i, c)] = a - s[k] * b;
                }
                j[(i, slip.at + k)] = -along.at(z);
                i += 1;
            }
        }
        (f, j)
    }

    /// How far J can change in a box with these radii around z.
    fn change(&self, z: &[f64], r: &[f64]) -> DMatrix<f64> {
        let mut change = DMatrix::zeros(self.n, self.n);
        let mut i = self.linear.len();
        for slip in &self.slips {
            let turn: f64 = r[slip.at..slip.at + slip.d - 1].iter().sum();
            let (limit, spread) = (slip.limit.at(z).abs(), slip.limit.spread(r));
            for _ in 0..slip.d {
                for (k, l) in slip.limit.row.iter().enumerate() {
                    // |∂û| ≤ 1 for each s.
                    change[(i, k)] = turn * l.abs();
                }
                for k in 0..slip.d - 1 {
                    change[(i, slip.at + k)] = (limit + spread) * BEND * turn + spread;
                }
                i += 1;
            }
            let along = &slip.slip[slip.sector.axis];
            for k in 0..slip.d - 1 {
                for (c, b) in along.row.iter().enumerate() {
                    change[(i, c)] = r[slip.at + k] * b.abs();
                }
                change[(i, slip.at + k)] = along.spread(r);
                i += 1;
            }
        }
        change
    }

    /// The radii of a box around z in which Krawczyk's test shows one solution alone.
    fn alone(&self, z: &[f64]) -> Option<Vec<f64>> {
        let (f, j) = self.evaluate(z);
        let c = j.clone().try_inverse()?;
        let rounding = 4.0 * self.n as f64 * f64::EPSILON;
        let size = c.abs() * j.abs() * rounding;
        let off = (DMatrix::identity(self.n, self.n) - &c * &j).abs() + size;
        let here = c.abs() * f.abs() + DVector::from_element(self.n, rounding);
        let c = c.abs();
        let shape = self.shape(z, &c);
        let mut radius = RADII[0];
        while radius >= RADII[1] {
            let r = &shape * radius;
            let moved = &here + (&off + &c * self.change(z, r.as_slice())) * &r;
            if moved.iter().zip(r.iter()).all(|(m, r)| *m < 0.99 * r) {
                return Some(r.iter().copied().collect());
            }
            radius *= 0.5;
        }
        None
    }

    /// The shape of the box: proportions for which the test's |C| D r is about a multiple of r, so that no component alone
    /// makes the box small. The largest radius of s is 1.
    fn shape(&self, z: &[f64], c: &DMatrix<f64>) -> DVector<f64> {
        const SWEEPS: usize = 12;
        let columns = self.unit.len();
        let mut shape = DVector::from_element(self.n, 1.0);
        for _ in 0..SWEEPS {
            let moved = c * self.change(z, shape.as_slice()) * &shape;
            let mut next = DVector::from_iterator(
                self.n,
                shape.iter().zip(moved.iter()).map(|(s, m)| (s * m).sqrt()),
            );
            let turn = next.iter().skip(columns).fold(0.0_f64, |m, v| m.max(*v));
            if !(turn > 0.0 && turn.is_finite()) {
                break;
            }
            next /= turn;
            // An unknown that the test does not move may have any radius.
            shape = next.map(|v| v.clamp(1e-6, 1e6));
        }
        shape
    }
}

/// û and its derivatives by s.
fn direction(sector: &Sector, s: &[f64], d: usize) -> ([f64; 3], [[f64; 3]; 2]) {
    let p = sector.direction(s, d);
    let r = (1.0 + s.iter().map(|s| s * s).sum::<f64>()).sqrt();
    let mut du = [[0.0; 3]; 2];
    for k in 0..d - 1 {
        for t in 0..d {
            let own = if t == sector.other(k) { sector.sign / r } else { 0.0 };
            du[k][t] = own - p[t] * s[k] / (r * r * r);
        }
    }
    (p.map(|p| p / r), du)
}

/// J⁻¹ F, or the shortest step where J is singular.
fn newton_step(j: &DMatrix<f64>, f: &DVector<f64>) -> Option<DVector<f64>> {
    const SINGULAR: f64 = 1e-10;
    let lu = j.clone().lu();
    let diagonal = lu.u().diagonal().abs();
    if diagonal.min() > SINGULAR * diagonal.max() {
        return lu.solve(f);
    }
    if !j.iter().chain(f.iter()).all(|v| v.is_finite()) {
        return None;
    }
    let svd = SVD::try_new(j.clone(), true, true, f64::EPSILON, 100 * j.nrows() + 100)?;
    let largest = svd.singular_values.max();
    svd.solve(f, SINGULAR * largest).ok()
}

/// Units of x: the impulses that have the largest energy found in x or asked for by b.
pub(super) fn units(search: &Search<'_>, x: &[f64]) -> Vec<f64> {
    let diagonal = search.problem.delassus().diagonal();
    let impulse = search.space.impulse(x);
    let asked = search.problem.bias().iter().zip(&diagonal).filter(|(_, d)| **d > 0.0);
    let asked = asked.map(|(b, d)| b * b / d).fold(0.0, f64::max);
    let energy = impulse.iter().zip(&diagonal).map(|(l, d)| l * l * d.abs()).fold(asked, f64::max);
    let of = |d: f64| {
        let unit = (energy / d).sqrt();
        if unit > 0.0 && unit.is_finite() { unit } else { 1.0 }
    };
    search.space.own.iter().map(|&i| of(diagonal[i])).collect()
}
