//! Leaves with smooth sets: no slip, decided by tangents; slip, by halving sectors until a solution is shown to be alone.
//!
//! A sector is closed in one of three ways: a linear program shows that it holds nothing; it lies in the box in which
//! Krawczyk's test shows a listed solution to be the only one; or the program shows that its velocities are those of
//! a listed solution. The last is enough because with ξ given the impulses that obey the laws are a convex set, which the
//! listed solution stands for.

use super::equations::{Equations, Root, units};
use super::piece::{basis, describe, isolated, velocity_sizes};
use super::tree::{Outcome, Search};
use super::{Region, SearchLimit, Solution};
use crate::proof::Source;
use crate::proof::cells::Cell;
use crate::redundancy::{Redundancy, minimum_norm};
use crate::tolerance::NOT_TOLD_APART;
use crate::tolerance::SAME_VELOCITY;
use complementarity::Matrix;
use complementarity::linear::{Feasibility, LinearSystem, Maximum};
use nalgebra::{DMatrix, SVD};

/// Tangents after which a leaf without slip is given up.
const CUTS: usize = 80;
/// A root of the equations with a larger certificate is no solution.
const CLEARLY: f64 = 1e-6;
/// Regions that stay open after which the search looks half as closely, as often as it takes; and sectors whose linear
/// program is not decided after which such are not halved.
const PATIENCE: usize = 64;
/// The coarsest it gets.
const COARSEST: f64 = 0.5;
/// Equations are independent if their singular values are above this share of the largest.
const RANK: f64 = 1e-9;
/// A force that is outside of its set by less than this share needs no tangent.
const INSIDE: f64 = 1e-13;

/// A root of the equations and the cells it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Known {
    cells: Vec<Cell>,
    root: Root,
    /// Whether it is a solution; else its box holds none.
    valid: bool,
}

impl Search<'_> {
    /// A leaf whose linear program has a point, or is not decided.
    pub(super) fn smooth_leaf(&mut self, feasibility: Feasibility) -> Outcome {
        let widest = self.widest_sector();
        if feasibility != Feasibility::Feasible {
            return match widest {
                Some((part, width)) if width > self.resolution && self.undecided < PATIENCE => {
                    self.undecided += 1;
                    self.branch(part)
                }
                _ => {
                    self.lacks(SearchLimit::Numerical);
                    Outcome::Open
                }
            };
        }
        let mut x = vec![0.0; self.space.len()];
        self.lp.point(&mut x);
        let Some((part, width)) = widest else { return self.leaf_without_slip(x) };
        if self.has_known_velocity(&x) {
            return Outcome::Open;
        }
        if !self.inside_known(true) {
            self.try_newton(&x);
        }
        if self.closed_by_known(true) {
            return Outcome::Open;
        }
        if let Some(near) = self.is_near_continuum(&x) {
            let impulse = self.space.impulse(&x);
            self.record_region(impulse, Some(near));
            return Outcome::Open;
        }
        if width > self.resolution {
            return self.branch(part);
        }
        if self.closed_by_known(false) {
            // Right, but no product shows it.
            self.unproved = true;
            return Outcome::Open;
        }
        self.leave_open(&x);
        Outcome::Open
    }

    /// Whether all of the node has nearly the velocities of a continuum that is listed, where halving would never end.
    fn is_near_continuum(&mut self, x: &[f64]) -> Option<usize> {
        let here = self.place(x);
        // Self-stresses of bilateral rows alone do not keep a sector from being closed.
        let lines = self.space.lines.len();
        (0..self.found.len())
            .find(|&i| self.found[i].dimension > lines && self.is_within(&here, i, NOT_TOLD_APART))
    }

    /// The sector with the widest box, if there is one.
    fn widest_sector(&self) -> Option<(usize, f64)> {
        let mut widest: Option<(usize, f64)> = None;
        for (part, cell) in self.cells.iter().enumerate() {
            let Cell::Sector(sector) = cell else { continue };
            let width = sector.width(self.factors[part].dimension);
            if widest.is_none_or(|(_, w)| width > w) {
                widest = Some((part, width));
            }
        }
        widest
    }

    /// A convex set: equations, inequalities, and forces within balls. Tangents are added where the point at hand
    /// violates one, until it does not or nothing is left.
    fn leaf_without_slip(&mut self, mut x: Vec<f64>) -> Outcome {
        if self.has_known_velocity(&x) {
            return Outcome::Open;
        }
        let unique = self.equations_are_independent();
        let unit = units(self, &x);
        let mut outcome = None;
        for _ in 0..CUTS {
            if !unique {
                x = self.centre(&unit).unwrap_or(x);
            }
            let impulse = self.space.impulse(&x);
            if !self.cut(&impulse) {
                break;
            }
            match self.solve() {
                Feasibility::Infeasible => {
                    outcome = Some(self.contradiction());
                    break;
                }
                Feasibility::Feasible => self.lp.point(&mut x),
                Feasibility::Undecided => {
                    self.lacks(SearchLimit::Numerical);
                    outcome = Some(Outcome::Open);
                    break;
                }
            }
        }
        self.cuts.clear();
        self.cut_sources.clear();
        outcome.unwrap_or_else(|| {
            let impulse = self.space.impulse(&x);
            self.add_without_slip(impulse, unique)
        })
    }

    /// The point of the linear program that is farthest from all inequalities, in these units: where the set has an
    /// inside, few tangents lead there.
    fn centre(&mut self, unit: &[f64]) -> Option<Vec<f64>> {
        let (n, m) = (self.space.len(), self.b.len());
        let mut a = Matrix::zeros(m + n + 1, n + 1);
        let mut b = vec![0.0; m + n + 1];
        for i in 0..m {
            let row = a.row_mut(i);
            row[..n].copy_from_slice(self.a.row(i));
            if !self.is_equation(i) {
                let terms = self.a.row(i).iter().zip(unit);
                row[n] = -terms.fold(0.0_f64, |m, (a, u)| m.max((a * u).abs()));
            }
            b[i] = self.b[i];
        }
        for j in (0..n).filter(|j| !self.zeros().contains(j)) {
            (a[(m + j, j)], a[(m + j, n)]) = (1.0, -unit[j]);
        }
        (a[(m + n, n)], b[m + n]) = (-1.0, 1.0);
        let mut lp = LinearSystem::default();
        lp.load(&a, &b, |i| i < m && self.is_equation(i)).ok()?;
        self.zeros().iter().for_each(|&j| lp.fix_variable(j));
        self.statistics.programs += 1;
        let mut objective = vec![0.0; n + 1];
        objective[n] = 1.0;
        let found =
            lp.feasible() == Feasibility::Feasible && lp.maximize(&objective) == Maximum::Optimal;
        self.spend((lp.pivots() + 1) * b.len() * (n + 1));
        if !found {
            return None;
        }
        let mut x = vec![0.0; n + 1];
        lp.point(&mut x);
        x.truncate(n);
        Some(x)
    }

    /// Adds a tangent to each ball that a force is outside of; false if there is none.
    fn cut(&mut self, impulse: &[f64]) -> bool {
        let mut any = false;
        for part in 0..self.factors.len() {
            let f = &self.factors[part];
            if !f.is_smooth() {
                continue;
            }
            let first = self.problem.rows(f.contact).start;
            let value = |row: &crate::proof::cells::Row| {
                (0..4).fold(row.constant, |sum, c| {
                    let lam = impulse.get(first + c).copied().unwrap_or(0.0);
                    sum + row.lam[c] * lam
                })
            };
            let mut force = [0.0; 3];
            (0..f.dimension).for_each(|t| force[t] = value(&f.scaled_force(t)));
            let size = force.iter().map(|f| f * f).sum::<f64>().sqrt();
            if size <= value(&f.limit()) * (1.0 + INSIDE) || size == 0.0 {
                continue;
            }
            let row = f.tangent(force);
            self.cuts.push(&self.space, first, row);
            self.cut_sources.push(Source::Tangent { part, direction: force });
            any = true;
        }
        any
    }

    /// Whether the equations of the cells determine x.
    fn equations_are_independent(&self) -> bool {
        let n = self.space.len();
        let rows: Vec<Vec<f64>> = self.equation_rows().map(|(row, _)| row.to_vec()).collect();
        let m = rows.len() + self.zeros().len();
        let finite = rows.iter().flatten().all(|v| v.is_finite());
        if m < n || !finite {
            return false;
        }
        let mut a = DMatrix::zeros(m, n);
        for (i, row) in rows.iter().enumerate() {
            let largest = row.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            row.iter().enumerate().for_each(|(j, v)| a[(i, j)] = v * scale);
        }
        self.zeros().iter().enumerate().for_each(|(i, &j)| a[(rows.len() + i, j)] = 1.0);
        let Some(svd) = SVD::try_new(a, false, false, f64::EPSILON, 100 * m + 100) else {
            return false;
        };
        svd.singular_values.min() > RANK * svd.singular_values.max()
    }

    fn add_without_slip(&mut self, impulse: Vec<f64>, unique: bool) -> Outcome {
        let solution = if unique {
            self.alone(impulse.clone())
        } else {
            self.with_redundancy(impulse.clone())
        };
        match solution {
            Some(solution) => self.add(solution),
            None => self.record_region(impulse, None),
        }
        Outcome::Open
    }

    /// A solution whose x is the only one near: isolated, but for self-stresses of bilateral rows.
    fn alone(&self, impulse: Vec<f64>) -> Option<Solution> {
        let found = isolated(self.problem, self.settings, impulse, true)?;
        let lines = &self.space.lines;
        if lines.is_empty() {
            return Some(found);
        }
        let both = lines.iter().flat_map(|l| [l.clone(), l.iter().map(|v| -v).collect()]);
        let rays: Vec<Vec<f64>> = both.collect();
        let basis = basis(&[], &rays);
        Some(Solution { dimension: lines.len(), rays, basis, ..found })
    }

    /// A solution with the dimension of the impulses that have its velocities.
    pub(super) fn with_redundancy(&self, impulse: Vec<f64>) -> Option<Solution> {
        let found = describe(self.problem, impulse)?;
        if !(found.worst <= self.settings.tolerance) {
            return None;
        }
        let redundancy = Redundancy::of(self.problem, &found.impulse).ok()?;
        let proved = redundancy.decided && self.widest_sector().is_none();
        let (dimension, basis) = (redundancy.dimension, basis(&[], &redundancy.basis));
        // The least impulses lie inside of the set as a rule, where a vertex of a linear program does not; but at b = 0 the
        // set is a cone, and they are its apex.
        let is_cone = self.problem.bias().iter().all(|b| *b == 0.0);
        let tolerance = self.settings.tolerance;
        let least = minimum_norm(self.problem, &found.impulse, tolerance).ok().flatten();
        let least =
            least.filter(|_| dimension > 0 && !is_cone).and_then(|l| describe(self.problem, l));
        let found = least.filter(|l| l.worst <= self.settings.tolerance).unwrap_or(found);
        let vertices = if dimension == 0 { vec![found.impulse.clone()] } else { Vec::new() };
        Some(Solution { dimension, basis, vertices, proved, ..found })
    }

    /// Newton's method from the middle of the sectors; what it finds is remembered.
    fn try_newton(&mut self, x: &[f64]) {
        self.statistics.newton += 1;
        let equations = Equations::new(self, x);
        self.spend(equations.cost());
        let Some(root) = equations.solve(x) else { return };
        let impulse = self.space.impulse(&root.x);
        let off = self.problem.certificate(&impulse).map_or(0.0, |c| c.worst);
        let solution = match root.radii {
            Some(_) => self.alone(impulse),
            None => self.with_redundancy(impulse),
        };
        let valid = solution.is_some();
        if let Some(solution) = solution {
            self.add(solution);
        }
        // A root that is neither a solution nor clearly none excludes nothing.
        let decided = valid || off > CLEARLY.max(1e3 * self.settings.tolerance);
        let alone = root.radii.is_some();
        if decided && alone && !self.known.iter().any(|k| self.is_same(k, &root)) {
            self.known.push(Known { cells: self.cells.clone(), root, valid });
        }
    }

    fn is_same(&self, known: &Known, root: &Root) -> bool {
        let near = |a: f64, b: f64, unit: f64| (a - b).abs() <= SAME_VELOCITY * unit;
        let mut pairs = known.root.x.iter().zip(&root.x).zip(&root.unit);
        same_charts(&known.cells, &self.cells)
            && pairs.all(|((a, b), unit)| near(*a, *b, *unit))
            && known
                .root
                .s
                .iter()
                .flatten()
                .zip(root.s.iter().flatten())
                .all(|(a, b)| near(*a, *b, 1.0))
    }

    /// Whether the sectors lie in the box of a known root, as far as directions go.
    fn inside_known(&self, valid: bool) -> bool {
        self.known.iter().any(|k| k.valid == valid && self.directions_inside(k))
    }

    fn directions_inside(&self, known: &Known) -> bool {
        let Some(radii) = &known.root.radii else { return false };
        if !same_charts(&known.cells, &self.cells) {
            return false;
        }
        let sectors = self.cells.iter().enumerate().filter_map(|(part, cell)| match cell {
            Cell::Sector(sector) => Some((sector, self.factors[part].dimension)),
            _ => None,
        });
        sectors.zip(known.root.s.iter().zip(&radii.s)).all(|((sector, d), (s, r))| {
            (0..d - 1).all(|k| sector.low[k] >= s[k] - r[k] && sector.high[k] <= s[k] + r[k])
        })
    }

    /// Whether all of the node lies in the box of a known root, which then is the only one in it.
    fn closed_by_known(&mut self, valid: bool) -> bool {
        for i in 0..self.known.len() {
            if self.known[i].valid != valid || !self.directions_inside(&self.known[i]) {
                continue;
            }
            let Known { root, .. } = self.known[i].clone();
            let Some(radii) = root.radii else { continue };
            let mut inside = true;
            for j in 0..root.x.len() {
                let reach = radii.x[j];
                let low = (root.x[j] - reach).max(0.0);
                let mut c = vec![0.0; root.x.len()];
                c[j] = 1.0;
                inside = inside
                    && self.at_most(&c, root.x[j] + reach)
                    && (low == 0.0 || {
                        c[j] = -1.0;
                        self.at_most(&c, -low)
                    });
            }
            if inside {
                return true;
            }
        }
        false
    }

    /// Whether cᵀx is at most this all over the linear program.
    fn at_most(&mut self, c: &[f64], bound: f64) -> bool {
        if c.iter().all(|c| *c == 0.0) {
            return bound >= 0.0;
        }
        self.statistics.programs += 1;
        let before = self.lp.pivots();
        let maximum = self.lp.maximize(c);
        self.spend((self.lp.pivots() - before + 1) * self.b.len() * c.len());
        if maximum != Maximum::Optimal {
            return false;
        }
        let mut x = vec![0.0; c.len()];
        self.lp.point(&mut x);
        c.iter().zip(&x).map(|(c, x)| c * x).sum::<f64>() <= bound
    }

    /// Whether all of the node has the velocities of a listed solution.
    fn has_known_velocity(&mut self, x: &[f64]) -> bool {
        let here = self.place(x);
        (0..self.found.len()).any(|i| self.is_within(&here, i, SAME_VELOCITY))
    }

    /// Whether all of the node, of which one point has velocities `here` with these units, has the velocities of a listed
    /// solution to a share of the units of each contact.
    fn is_within(&mut self, here: &(Vec<f64>, Vec<f64>), listed: usize, share: f64) -> bool {
        let there = self.found[listed].velocity.clone();
        let (here, sizes) = here;
        let both = self.sizes[listed].iter().zip(sizes);
        let reach: Vec<f64> = both.map(|(a, b)| share * a.max(*b)).collect();
        if !here.iter().zip(&there).zip(&reach).all(|((a, b), reach)| (a - b).abs() <= *reach) {
            return false;
        }
        (0..there.len())
            .filter(|r| !self.space.bilateral.contains(r))
            .collect::<Vec<_>>()
            .iter()
            .all(|&r| {
                let up: Vec<f64> = self.space.xi.row(r).to_vec();
                let down: Vec<f64> = up.iter().map(|c| -c).collect();
                let off = there[r] - self.space.xi0[r];
                self.at_most(&up, off + reach[r]) && self.at_most(&down, reach[r] - off)
            })
    }

    /// The velocities at x, and the units in which they are compared.
    fn place(&self, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut xi = self.space.xi.mul_vec(x);
        xi.iter_mut().zip(&self.space.xi0).for_each(|(v, c)| *v += c);
        (xi, velocity_sizes(self.problem, &self.space.impulse(x)))
    }

    /// Lists a solution, unless one with the same velocities is listed that says as much.
    pub(super) fn add(&mut self, solution: Solution) {
        let sizes = velocity_sizes(self.problem, &solution.impulse);
        let same = self.found.iter().zip(&self.sizes).position(|(s, other)| {
            let units = sizes.iter().zip(other).map(|(a, b)| a.max(*b));
            let mut pairs = s.velocity.iter().zip(&solution.velocity).zip(units);
            pairs.all(|((a, b), unit)| (a - b).abs() <= SAME_VELOCITY * unit)
        });
        let says_less =
            |s: &Solution| (s.dimension, s.proved) < (solution.dimension, solution.proved);
        match same {
            Some(i) if !says_less(&self.found[i]) => {}
            Some(i) => {
                self.found[i] = solution;
                self.sizes[i] = sizes;
            }
            None => {
                self.found.push(solution);
                self.sizes.push(sizes);
                self.check_number();
            }
        }
    }

    fn leave_open(&mut self, x: &[f64]) {
        let impulse = self.space.impulse(x);
        self.record_region(impulse, None);
    }

    /// Notes that the node stays open; it has the velocities of a listed solution, nearly, if one is given.
    fn record_region(&mut self, impulse: Vec<f64>, near: Option<usize>) {
        self.lacks(if near.is_some() { SearchLimit::Continuum } else { SearchLimit::Regions });
        let Some(found) = describe(self.problem, impulse) else { return };
        self.regions.push(Region { modes: found.modes, impulse: found.impulse, near });
        if self.regions.len().is_multiple_of(PATIENCE) {
            self.resolution = (2.0 * self.resolution).min(COARSEST);
        }
    }
}

/// Whether two choices of cells differ in the boxes of their sectors alone.
fn same_charts(a: &[Cell], b: &[Cell]) -> bool {
    a.iter().zip(b).all(|(a, b)| match (a, b) {
        (Cell::Sector(a), Cell::Sector(b)) => a.axis == b.axis && a.sign == b.sign,
        _ => a == b,
    })
}
