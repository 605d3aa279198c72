//! The cells of a contact: sets of (Λ, ξ) given by linear equations and inequalities that together cover its law.
//!
//! A contact is a list of *factors*: its normal, and the factors of its friction set (one, or an ellipse and an interval).
//! Each factor is in one of its cells. For a smooth set a slip cell is a sector of directions; it contains the true set,
//! and can be halved.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | limit | μ Λ_N + a |
//! | F | the factor of the friction set; Λ_T ∈ limit F, −ξ_T in the normal cone of limit F at Λ_T |
//! | λ, ζ | Λ_T / e and e ξ_T for semi-axes e: in these a smooth F is the unit ball |
//! | s | a direction as σ (1, s) along an axis and the others: the sector of a box of s is a polyhedral cone |

use super::faces::polyhedral_cells;
use crate::set::ConvexSet;
use crate::set::Polyhedron;
use crate::{ContactProblem, Law};

/// lam·Λ + xi·ξ + constant ≥ 0, or = 0, in the components of one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) lam: [f64; 4],
    pub(crate) xi: [f64; 4],
    pub(crate) constant: f64,
    pub(crate) equation: bool,
}

/// A part of a contact with cells of its own.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub(crate) contact: usize,
    /// Its first component within the contact, and how many it has.
    pub(crate) first: usize,
    pub(crate) dimension: usize,
    mu: f64,
    pub(crate) radius: f64,
    normals: usize,
    pub(crate) shape: Shape,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// 0 ≤ ξ_N ⊥ Λ_N ≥ 0.
    Normal,
    /// A polyhedral factor: the rows of each cell, stick first.
    Polyhedral(Vec<Vec<Row>>),
    /// An ellipse or ellipsoid with these semi-axes.
    Ball([f64; 3]),
}

/// Where a factor is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    Undecided,
    /// ξ_N = 0.
    Closed,
    /// Λ_N = 0.
    Open,
    /// The friction on this face of a polyhedral factor; 0 is the whole of it, stick.
    Face(usize),
    /// A smooth factor without slip.
    Stick,
    /// A smooth factor that slips, with the friction in a sector of directions.
    Sector(Sector),
}

/// The directions σ (1, s) with s in a box; the 1 stands at `axis`, the s at the other axes in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sector {
    pub(crate) axis: usize,
    pub(crate) sign: f64,
    pub(crate) low: [f64; 2],
    pub(crate) high: [f64; 2],
}

impl Sector {
    /// The widest side of the box of s.
    pub(crate) fn width(&self, dimension: usize) -> f64 {
        (0..dimension - 1).fold(0.0, |w: f64, k| w.max(self.high[k] - self.low[k]))
    }

    /// The two halves across the widest side.
    pub(crate) fn halves(&self, dimension: usize) -> [Self; 2] {
        let wider = dimension == 3 && self.high[1] - self.low[1] > self.high[0] - self.low[0];
        let k = usize::from(wider);
        let middle = 0.5 * (self.low[k] + self.high[k]);
        let mut halves = [*self; 2];
        halves[0].high[k] = middle;
        halves[1].low[k] = middle;
        halves
    }

    /// The direction of parameters s, not normalised.
    pub(crate) fn direction(&self, s: &[f64], dimension: usize) -> [f64; 3] {
        let mut p = [0.0; 3];
        p[self.axis] = self.sign;
        for k in 0..dimension - 1 {
            p[self.other(k)] = self.sign * s[k];
        }
        p
    }

    /// The component that s_k stands for.
    pub(crate) fn other(&self, k: usize) -> usize {
        if k < self.axis { k } else { k + 1 }
    }

    pub(crate) fn middle(&self) -> [f64; 2] {
        [0.5 * (self.low[0] + self.high[0]), 0.5 * (self.low[1] + self.high[1])]
    }
}

/// The factors of all contacts, contact by contact, normals first. Friction sets of a user's own have none.
pub(crate) fn factors(problem: &ContactProblem) -> Vec<Factor> {
    let mut list = Vec::with_capacity(2 * problem.contacts());
    for (contact, law) in problem.laws().iter().enumerate() {
        let normals = law.kind.normals();
        let factor = |first, dimension, shape| Factor {
            contact,
            first,
            dimension,
            mu: law.mu,
            radius: law.radius,
            normals,
            shape,
        };
        if normals == 1 {
            list.push(factor(0, 1, Shape::Normal));
        }
        let (true, Some(set)) = (law.has_free_friction(), law.kind.set()) else { continue };
        let d = set.dimension();
        let polyhedral = |first: usize, normals_of: &[[f64; 3]], corners: &[[f64; 3]], d: usize| {
            let mut f = factor(first, d, Shape::Normal);
            let cells = polyhedral_cells(normals_of, corners, d);
            let rows = |cell: &Vec<TangentRow>| cell.iter().map(|r| f.row(r)).collect();
            let rows = cells.iter().map(rows).collect();
            f.shape = Shape::Polyhedral(rows);
            f
        };
        let interval = |first: usize, e: f64| {
            let on_axis = |v: f64| [v, 0.0, 0.0];
            polyhedral(first, &[1.0 / e, -1.0 / e].map(on_axis), &[e, -e].map(on_axis), 1)
        };
        match set {
            ConvexSet::Interval => list.push(interval(normals, 1.0)),
            ConvexSet::Disc => list.push(factor(normals, 2, Shape::Ball([1.0; 3]))),
            ConvexSet::Ellipsoid(axes) => list.push(match axes[..] {
                [e] => interval(normals, e),
                _ => factor(normals, d, Shape::Ball(vector(axes))),
            }),
            ConvexSet::Polyhedron(p) => {
                let (rows, corners) = lists(p);
                list.push(polyhedral(normals, &rows, &corners, d));
            }
            ConvexSet::Mixed { ellipse, spin } => {
                list.push(factor(normals, 2, Shape::Ball([ellipse[0], ellipse[1], 1.0])));
                list.push(interval(normals + 2, *spin));
            }
            ConvexSet::Custom(_) => {}
        }
    }
    list
}

fn vector(values: &[f64]) -> [f64; 3] {
    let mut v = [0.0; 3];
    v.iter_mut().zip(values).for_each(|(v, x)| *v = *x);
    v
}

fn lists(p: &Polyhedron) -> (Vec<[f64; 3]>, Vec<[f64; 3]>) {
    (p.normals().map(vector).collect(), p.vertices().map(vector).collect())
}

/// lam·Λ_T + limit (μ Λ_N + a) + xi·ξ_T ≥ 0, or = 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TangentRow {
    pub(crate) lam: [f64; 3],
    pub(crate) limit: f64,
    pub(crate) xi: [f64; 3],
    pub(crate) equation: bool,
}

impl Factor {
    fn row(&self, r: &TangentRow) -> Row {
        let mut row = Row { equation: r.equation, ..Row::default() };
        for t in 0..self.dimension {
            row.lam[self.first + t] = r.lam[t];
            row.xi[self.first + t] = r.xi[t];
        }
        if self.normals == 1 {
            row.lam[0] += self.mu * r.limit;
        }
        row.constant = self.radius * r.limit;
        row
    }

    /// λ_t and ζ_t of a smooth factor as rows, and the limit.
    pub(crate) fn scaled_force(&self, t: usize) -> Row {
        let mut row = Row::default();
        row.lam[self.first + t] = 1.0 / self.axes()[t];
        row
    }

    pub(crate) fn scaled_slip(&self, t: usize) -> Row {
        let mut row = Row::default();
        row.xi[self.first + t] = self.axes()[t];
        row
    }

    pub(crate) fn limit(&self) -> Row {
        self.row(&TangentRow { limit: 1.0, ..TangentRow::default() })
    }

    fn axes(&self) -> [f64; 3] {
        match self.shape {
            Shape::Ball(axes) => axes,
            _ => [1.0; 3],
        }
    }

    pub(crate) fn is_smooth(&self) -> bool {
        matches!(self.shape, Shape::Ball(_))
    }

    /// The cells that a cell is split into: together they cover it.
    pub(crate) fn split(&self, cell: Cell) -> Vec<Cell> {
        match (&self.shape, cell) {
            (_, Cell::Sector(sector)) => {
                sector.halves(self.dimension).into_iter().map(Cell::Sector).collect()
            }
            (Shape::Normal, _) => vec![Cell::Closed, Cell::Open],
            (Shape::Polyhedral(cells), _) => (0..cells.len()).map(Cell::Face).collect(),
            (Shape::Ball(_), _) => {
                let all = (0..self.dimension).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]);
                let sectors = all.map(|(axis, sign)| {
                    Cell::Sector(Sector { axis, sign, low: [-1.0; 2], high: [1.0; 2] })
                });
                [Cell::Stick].into_iter().chain(sectors).collect()
            }
        }
    }

    /// The rows of a cell.
    pub(crate) fn rows(&self, cell: &Cell, out: &mut Vec<Row>) {
        out.clear();
        match (&self.shape, cell) {
            (_, Cell::Closed) => {
                out.push(Row { xi: [1.0, 0.0, 0.0, 0.0], equation: true, ..Row::default() });
            }
            (_, Cell::Open) => {
                out.push(Row { lam: [1.0, 0.0, 0.0, 0.0], equation: true, ..Row::default() });
            }
            (Shape::Polyhedral(cells), Cell::Face(i)) => {
                out.extend(cells.get(*i).into_iter().flatten());
            }
            (_, Cell::Stick) => {
                out.extend((0..self.dimension).map(|t| {
                    let mut row = self.scaled_slip(t);
                    row.equation = true;
                    row
                }));
            }
            (_, Cell::Sector(sector)) => self.sector_rows(sector, out),
            _ => {}
        }
    }

    /// λ and −ζ in the cone of the sector; λ between the plane through its corners and tangent planes.
    fn sector_rows(&self, sector: &Sector, out: &mut Vec<Row>) {
        let d = self.dimension;
        let e = self.axes();
        let add = |lam: [f64; 3], limit: f64, zeta: [f64; 3]| {
            let mut r = TangentRow { lam, limit, xi: zeta, equation: false };
            for t in 0..d {
                r.lam[t] /= e[t];
                r.xi[t] *= e[t];
            }
            self.row(&r)
        };
        for k in 0..d - 1 {
            for (bound, side) in [(sector.low[k], 1.0), (sector.high[k], -1.0)] {
                // side (s_k − bound) ≥ 0 for the direction σ (1, s).
                let mut plane = [0.0; 3];
                plane[sector.other(k)] = side * sector.sign;
                plane[sector.axis] = -side * bound * sector.sign;
                out.push(add(plane, 0.0, [0.0; 3]));
                out.push(add([0.0; 3], 0.0, plane.map(|p| -p)));
            }
        }
        // The two planes of a side together say that the component along the axis has the sign σ.
        let middle = unit(sector.direction(&sector.middle(), d));
        let mut least = 1.0_f64;
        for corner in 0..1 << (d - 1) {
            let pick = |k: usize| if corner >> k & 1 == 0 { sector.low[k] } else { sector.high[k] };
            let u = unit(sector.direction(&[pick(0), pick(1)], d));
            least = least.min(dot(&u, &middle));
            out.push(add(u.map(|u| -u), 1.0, [0.0; 3]));
        }
        out.push(add(middle.map(|u| -u), 1.0, [0.0; 3]));
        // The smallest λ·m over the sector is at a corner.
        out.push(add(middle, -least * (1.0 - 1e-14), [0.0; 3]));
    }

    /// limit − λ·u ≥ 0 for a direction u: true in every cell of a smooth factor.
    pub(crate) fn tangent(&self, direction: [f64; 3]) -> Row {
        let u = unit(direction);
        let mut r = TangentRow { limit: 1.0, ..TangentRow::default() };
        for t in 0..self.dimension {
            r.lam[t] = -u[t] / self.axes()[t];
        }
        self.row(&r)
    }
}

/// What holds for a friction component in all cells: |Λ_t| ≤ limit h_F(±e_t), as the two supports.
pub(crate) fn reach(law: &Law, t: usize) -> [f64; 2] {
    let Some(set) = law.kind.set() else { return [0.0; 2] };
    let d = set.dimension().min(3);
    [1.0, -1.0].map(|side| {
        let mut e = [0.0; 3];
        e[t] = side;
        set.support(&e[..d])
    })
}

/// Λ_t over the limit where it is known: the friction of a sliding contact; where it is not, the least that the set has.
pub(crate) fn known_share(law: &Law, t: usize) -> f64 {
    if law.has_free_friction() {
        return -reach(law, t)[1];
    }
    law.sliding_friction().map_or(0.0, |f| f[t])
}

pub(crate) fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn unit(v: [f64; 3]) -> [f64; 3] {
    let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if !(largest > 0.0) {
        return v;
    }
    let v = v.map(|x| x / largest);
    let size = dot(&v, &v).sqrt();
    v.map(|x| x / size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Polyhedron;
    use complementarity::Matrix;

    /// Numbers in (−1, 1).
    fn random(state: &mut u64) -> f64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005_u64)
            .wrapping_add(1_442_695_040_888_963_407_u64);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn sets() -> Vec<ConvexSet> {
        let hull = |points: &[[f64; 3]]| Polyhedron::hull(points).map(ConvexSet::Polyhedron);
        let flat = [[1.0, 0.1], [-0.3, 0.9], [-0.8, -0.2], [0.1, -0.7]];
        let mut list = vec![
            ConvexSet::Interval,
            ConvexSet::Disc,
            ConvexSet::Ellipsoid(vec![0.5]),
            ConvexSet::Ellipsoid(vec![2.0, 0.5]),
            ConvexSet::Ellipsoid(vec![1.0, 0.5, 0.2]),
            ConvexSet::Mixed { ellipse: [1.0, 0.6], spin: 0.3 },
        ];
        list.extend(Polyhedron::hull(&flat).map(ConvexSet::Polyhedron));
        let corners: Vec<[f64; 3]> =
            (0..8).map(|i| [0, 1, 2].map(|k| if i >> k & 1 == 0 { 0.6 } else { -0.5 })).collect();
        list.extend(hull(&corners));
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.4], [-0.7, -0.6, -0.5]];
        list.extend(hull(&axes));
        list
    }

    fn holds(row: &Row, lam: &[f64], xi: &[f64]) -> bool {
        let terms = (0..lam.len()).map(|c| row.lam[c] * lam[c] + row.xi[c] * xi[c]);
        let value = row.constant + terms.sum::<f64>();
        if row.equation { value.abs() < 1e-9 } else { value > -1e-9 }
    }

    /// Whether a cell, or any of the cells that it is split into down to some depth, each time admits the point.
    fn covered(f: &Factor, cell: Cell, depth: usize, lam: &[f64], xi: &[f64]) -> bool {
        let mut rows = Vec::new();
        f.rows(&cell, &mut rows);
        let here = rows.iter().all(|r| holds(r, lam, xi));
        let splits = depth > 0 && matches!(cell, Cell::Undecided | Cell::Sector(_));
        here && (!splits || f.split(cell).into_iter().any(|c| covered(f, c, depth - 1, lam, xi)))
    }

    #[test]
    fn cells_cover_the_law_of_every_set() {
        let mut state = 3;
        let all = sets();
        assert_eq!(all.len(), 9);
        for set in all {
            let d = set.dimension();
            let law = Law { radius: 0.2, ..Law::with_set(0.7, set.clone()) };
            let n = 1 + d;
            let problem =
                ContactProblem::new(Matrix::identity(n), vec![0.0; n], vec![law.clone()]).unwrap();
            let factors = factors(&problem);
            for trial in 0..300 {
                let mut slip = [0.0; 3];
                // Along an axis now and then, where polyhedra have facets and edges.
                slip[..d].iter_mut().for_each(|v| *v = random(&mut state));
                if trial % 3 == 0 {
                    slip[trial % d] = 0.0;
                }
                let mut f = [0.0; 3];
                set.support_point(&slip.map(|v| -v)[..d], &mut f[..d]);
                let sticks = trial % 5 == 0;
                let (normal, share) = (random(&mut state).abs(), random(&mut state).abs());
                let limit = law.limit(normal);
                let (mut lam, mut xi) = (vec![normal], vec![0.0]);
                for t in 0..d {
                    lam.push(limit * f[t] * if sticks { share } else { 1.0 });
                    xi.push(if sticks { 0.0 } else { slip[t] });
                }
                for (i, factor) in factors.iter().enumerate() {
                    let found = covered(factor, Cell::Undecided, 12, &lam, &xi);
                    assert!(found, "{set:?} {i} {lam:?} {xi:?}");
                }
            }
        }
    }
}
