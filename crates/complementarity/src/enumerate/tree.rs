//! The case distinction: which of z_i and w_i is zero, pair by pair.
//!
//! Notation: variable j < n is z_j, variable n + i is w_i; sets of variables are bits. A *key* is the
//! set of variables that are positive somewhere on a face. It determines the face, and one face
//! contains another if and only if its key does.

use super::exact::{Exact, Leaf};
use super::polyhedron::{Generator, dimension, generators};
use super::refine::{Refiner, positive};
use super::{Enumeration, Face, Incomplete, Settings, Statistics};
use crate::linalg::{Dictionary, Exponents, Feasibility, LinearProgram, Maximum};
use crate::tolerance::FACE_ROUNDING;
use crate::{Lcp, LcpCases, Matrix, Proof};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Faces that may wait: the storage of each is that of the problem.
const PENDING: usize = 4096;

/// Undecided linear programs after which the search ends incomplete.
const UNDECIDED: usize = 100;

/// Follows the whole case distinction.
pub(super) fn search(problem: &Lcp, settings: &Settings) -> Enumeration {
    let mut search = Search::new(problem, settings);
    let outcome = search.visit(0, 0);
    let postponed = std::mem::take(&mut search.postponed);
    search.postpones = false;
    if search.faces.is_empty() && search.pending.is_empty() && !postponed.is_empty() {
        // A proof needs the whole tree in its order.
        search = Search { postpones: false, ..Search::new(problem, settings) };
        let outcome = search.visit(0, 0);
        return search.finish(outcome);
    }
    for node in postponed {
        search.lp.restore(&node.state);
        search.visit(node.depth, node.required);
    }
    search.finish(outcome)
}

/// A node that floating point would cut and exact arithmetic does not: a solution below it, if there is
/// one, lies far out. The others come first.
struct Postponed {
    state: Dictionary,
    depth: usize,
    required: u64,
}

/// What became of a branch.
pub(super) enum Outcome {
    /// It holds no solution. The variables that had to be fixed for that, and the cases.
    Empty { needed: u64, cases: Option<LcpCases> },
    /// It holds one, or the search ended, or could not decide.
    Open,
}

struct Search<'a> {
    problem: &'a Lcp,
    settings: &'a Settings,
    n: usize,
    /// The problem in scaled units.
    m: Matrix,
    q: Vec<f64>,
    scaling: Exponents,
    exact: Exact<'a>,
    lp: LinearProgram,
    /// The dictionary of the open node at each depth.
    kept: Vec<Dictionary>,
    values: Vec<f64>,
    refiner: Refiner,
    faces: Vec<(u64, Face)>,
    keys: BTreeSet<u64>,
    /// Faces of more than a point that wait, by decreasing size and then by what was seen of them.
    pending: BTreeMap<(Reverse<u32>, u64), Dictionary>,
    /// The keys of faces that are more than a point.
    wide: Vec<u64>,
    /// Linear programs that could not be decided.
    undecided: usize,
    /// Whether these wait for the end, and those that do.
    postpones: bool,
    postponed: Vec<Postponed>,
    incomplete: Option<Incomplete>,
    ended: bool,
    statistics: Statistics,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Lcp, settings: &'a Settings) -> Self {
        let n = problem.len();
        let (mut m, mut q) = (Matrix::default(), Vec::new());
        let mut scaling = Exponents::default();
        scaling.choose(problem.m(), problem.q(), &mut m, &mut q);
        let mut lp = LinearProgram::default();
        lp.load(&m, &q);
        Self {
            problem,
            settings,
            n,
            m,
            q,
            scaling,
            exact: Exact::new(problem),
            lp,
            kept: vec![Dictionary::default(); n],
            values: vec![0.0; 2 * n],
            refiner: Refiner::default(),
            faces: Vec::new(),
            keys: BTreeSet::new(),
            pending: BTreeMap::new(),
            wide: Vec::new(),
            undecided: 0,
            postpones: true,
            postponed: Vec::new(),
            incomplete: None,
            ended: false,
            statistics: Statistics::default(),
        }
    }

    /// Decides the node whose zeros are fixed in the linear program. Only solutions in which some
    /// point of their face has z_i > 0 are new, for each i in `required`.
    fn visit(&mut self, depth: usize, required: u64) -> Outcome {
        if self.statistics.nodes >= self.settings.max_nodes {
            self.end(Incomplete::Nodes);
            return Outcome::Open;
        }
        self.statistics.nodes += 1;
        self.statistics.programs += 1;
        let sure = self.lp.feasible() == Feasibility::Feasible;
        if !sure {
            if let Some(y) = self.exact.contradiction(&self.lp, &self.scaling) {
                return self.exact.empty(&self.lp, y);
            }
            if self.postpones && self.postponed.len() <= UNDECIDED {
                let state = self.lp.state().clone();
                self.postponed.push(Postponed { state, depth, required });
                return Outcome::Open;
            }
            // Where programs stay undecided nothing is pruned, and the search can become long.
            self.undecided += 1;
            if self.undecided > UNDECIDED {
                self.end(Incomplete::Numerical);
                return Outcome::Open;
            }
        }
        if sure && !self.can_be_positive(required) {
            return Outcome::Empty { needed: u64::MAX, cases: None };
        }
        let mut seen = 0;
        let Some(pair) = self.pair_to_split(sure, &mut seen) else {
            self.leaf(sure, seen);
            return Outcome::Open;
        };
        self.kept[depth].copy_from(self.lp.state());
        let zero_z = self.branch(depth, pair, required);
        match &zero_z {
            // The contradiction does not use z_pair = 0, so it holds for the other case as well.
            Outcome::Empty { needed, .. } if needed >> pair & 1 == 0 => return zero_z,
            _ if self.ended => return Outcome::Open,
            _ => {}
        }
        // What has z_pair = 0 throughout was found in the first case; but a proof needs both.
        let proving = self.wants_proof() && matches!(zero_z, Outcome::Empty { .. });
        let required = required | u64::from(!proving) << pair;
        let zero_w = self.branch(depth, self.n + pair, required);
        self.join(pair, zero_z, zero_w)
    }

    fn branch(&mut self, depth: usize, variable: usize, required: u64) -> Outcome {
        self.lp.restore(&self.kept[depth]);
        if variable < self.n {
            self.lp.fix_variable(variable);
        } else {
            self.lp.fix_row(variable - self.n);
        }
        self.visit(depth + 1, required)
    }

    fn join(&self, pair: usize, zero_z: Outcome, zero_w: Outcome) -> Outcome {
        let w = self.n + pair;
        match (zero_z, zero_w) {
            (_, empty @ Outcome::Empty { needed, .. }) if needed >> w & 1 == 0 => empty,
            (
                Outcome::Empty { needed: a, cases: zero_z },
                Outcome::Empty { needed: b, cases: zero_w },
            ) => Outcome::Empty {
                needed: (a | b) & !(1 << pair | 1 << w),
                cases: zero_z.zip(zero_w).map(|(zero_z, zero_w)| LcpCases::Split {
                    index: pair,
                    zero_z: Box::new(zero_z),
                    zero_w: Box::new(zero_w),
                }),
            },
            _ => Outcome::Open,
        }
    }

    fn wants_proof(&self) -> bool {
        let none = self.faces.is_empty() && self.pending.is_empty();
        self.settings.proof && none && self.incomplete.is_none()
    }

    /// A pair that is not complementary all over the node's polyhedron; `None` if there is none,
    /// which makes the polyhedron a face of solutions.
    ///
    /// The vertex at hand gives the pair that it violates most. If it violates none, the polyhedron
    /// is searched for points where both members of a pair are positive: if each of them is so
    /// somewhere, both are at a point between.
    fn pair_to_split(&mut self, sure: bool, seen: &mut u64) -> Option<usize> {
        let n = self.n;
        let open = self.open_pairs();
        self.lp.scaled_values(&mut self.values);
        let violation = |i: usize| self.values[i].min(self.values[n + i]);
        let worst = bits(open).max_by(|&i, &j| violation(i).total_cmp(&violation(j)));
        if worst.is_some_and(|i| violation(i) > 0.0) || !sure {
            return worst;
        }
        self.see_vertex(seen);
        self.see_directions(seen);
        for i in bits(open) {
            for v in [i, n + i] {
                if let Some(pair) = bits(open & *seen & *seen >> n).next() {
                    return Some(pair);
                }
                // w_i may be anything where z_i vanishes.
                if *seen >> v & 1 == 0 && (v == i || *seen >> i & 1 == 1) {
                    self.see_maximum(v, seen);
                }
            }
        }
        bits(open & *seen & *seen >> n).next()
    }

    /// Whether each of these variables is positive somewhere on the node's polyhedron.
    fn can_be_positive(&mut self, required: u64) -> bool {
        let mut seen = 0;
        self.see_vertex(&mut seen);
        for v in bits(required) {
            if seen >> v & 1 == 0 {
                self.see_maximum(v, &mut seen);
                if seen >> v & 1 == 0 && self.exact.stays_zero(&self.lp, v) {
                    return false;
                }
            }
        }
        true
    }

    fn open_pairs(&self) -> u64 {
        let is_open = |&i: &usize| !self.lp.is_fixed(i) && !self.lp.is_fixed(self.n + i);
        (0..self.n).filter(is_open).fold(0, |b, i| b | 1 << i)
    }

    /// Adds the variables that are positive at the vertex.
    fn see_vertex(&mut self, seen: &mut u64) {
        self.lp.scaled_values(&mut self.values);
        *seen |= positive_bits(&self.values);
    }

    /// Adds the variables that become positive along an edge from the vertex.
    fn see_directions(&mut self, seen: &mut u64) {
        let at_vertex = *seen;
        let mut column = std::mem::take(&mut self.values);
        for c in self.lp.open_columns() {
            self.lp.column(c, &mut column);
            let blocked = |v: usize| column[v] < 0.0 && at_vertex >> v & 1 == 0;
            if !(0..column.len()).any(blocked) {
                *seen |= positive_bits(&column);
            }
        }
        self.values = column;
    }

    /// Adds the variables that are positive where variable v is largest.
    fn see_maximum(&mut self, v: usize, seen: &mut u64) {
        self.statistics.programs += 1;
        let maximum = if v < self.n {
            self.lp.maximize_variable(v)
        } else {
            self.lp.maximize_row(v - self.n)
        };
        if maximum != Maximum::Optimal {
            // Splitting a pair is right in any case.
            *seen |= 1 << v;
        }
        self.see_vertex(seen);
    }

    /// Records the node's polyhedron as a face of solutions: a point at once, anything larger later,
    /// since many that are met turn out to be parts of others. `seen` are variables that are
    /// positive on it.
    fn leaf(&mut self, sure: bool, mut seen: u64) {
        if !sure || self.lp.open_columns().next().is_none() {
            self.add_point(sure);
            return;
        }
        for v in 0..2 * self.n {
            if seen >> v & 1 == 0 && !self.lp.is_fixed(v) {
                self.see_maximum(v, &mut seen);
            }
        }
        if !self.is_known(seen) {
            let order = (Reverse(seen.count_ones()), seen);
            let state = self.lp.state();
            self.pending.entry(order).or_insert_with(|| state.clone());
        }
        if self.pending.len() >= PENDING {
            self.add_pending_faces();
        }
    }

    /// Whether a polyhedron is part of a known face of more than a point. Rounding can only add to
    /// what was seen of it, and so only keep it.
    fn is_known(&self, seen: u64) -> bool {
        self.wide.iter().any(|key| seen & !key == 0)
    }

    /// Turns what [`leaf`](Self::leaf) left into faces, the largest first.
    fn add_pending_faces(&mut self) {
        for ((_, seen), state) in std::mem::take(&mut self.pending) {
            if !self.is_known(seen) {
                self.lp.restore(&state);
                if !self.exact.is_complementary(&self.lp) {
                    self.incomplete.get_or_insert(Incomplete::Numerical);
                }
                self.add_face();
            }
        }
    }

    /// Adds the only point of the polyhedron of the linear program, from exact arithmetic where
    /// floating point does not determine it.
    fn add_point(&mut self, sure: bool) {
        let leaf = match sure.then(|| self.determined_point()).flatten() {
            Some((z, key)) => Leaf::Point(z, key),
            None => self.exact.only_point(&self.lp),
        };
        match leaf {
            Leaf::Empty => {}
            Leaf::Point(z, key) => {
                let (vertices, rays) = (vec![z], Vec::new());
                let mut face = Face { vertices, rays, dimension: 0, residual: 0.0 };
                face.residual = worst_residual(self.problem, &face);
                if face.residual <= self.settings.tolerance {
                    self.keep_face(key, face);
                } else {
                    // A solution whose nearest vector of floating-point numbers is none.
                    self.incomplete.get_or_insert(Incomplete::Numerical);
                }
            }
            Leaf::Unknown => {
                self.incomplete.get_or_insert(Incomplete::Numerical);
                self.add_face();
            }
        }
    }

    /// The only point, solved for in floating point and held against intervals.
    fn determined_point(&mut self) -> Option<(Vec<f64>, u64)> {
        let (intervals, key) = self.exact.determined(&self.lp)?;
        let is_positive = |j: usize| key >> j & 1 == 1;
        let mut z: Vec<f64> = (0..self.n).map(|j| f64::from(u8::from(is_positive(j)))).collect();
        self.refiner.vertex(&self.m, &self.q, &mut z, is_positive);
        let z = self.unscaled_point(&z);
        intervals.iter().zip(&z).all(|(x, &z)| x.nearly_holds(z)).then_some((z, key))
    }

    /// Adds the polyhedron of the linear program to the faces of solutions.
    fn add_face(&mut self) {
        let Some(list) = generators(&self.lp, self.settings.max_vertices) else {
            self.incomplete.get_or_insert(Incomplete::Vertices);
            return;
        };
        let Some((key, face)) = self.face(&list) else {
            self.incomplete.get_or_insert(Incomplete::Numerical);
            return;
        };
        // Its vertices are those of floating point; far from rounding they may not be all, or others.
        if face.residual > FACE_ROUNDING {
            self.incomplete.get_or_insert(Incomplete::Numerical);
        }
        self.keep_face(key, face);
    }

    fn keep_face(&mut self, key: u64, face: Face) {
        if !self.keys.insert(key) {
            return;
        }
        if self.faces.len() >= self.settings.max_solutions {
            self.end(Incomplete::Solutions);
            return;
        }
        if face.dimension > 0 {
            self.wide.push(key);
        }
        self.faces.push((key, face));
    }

    /// The face with these generators and its key; `None` if it does not meet the tolerance.
    fn face(&mut self, list: &[Generator]) -> Option<(u64, Face)> {
        let n = self.n;
        let mut key = 0;
        let mut patterns = BTreeSet::new();
        let (mut vertices, mut rays) = (Vec::new(), Vec::new());
        for g in list {
            let weight = g.weight();
            let mut z = g.values[..n].to_vec();
            let zero_w = |i: usize| g.values[n + i] == 0.0;
            let pattern = if weight > 0.0 {
                z.iter_mut().for_each(|z| *z /= weight);
                self.refiner.vertex(&self.m, &self.q, &mut z, zero_w);
                positive(&self.m, Some(&self.q), &z, self.settings.tolerance)
            } else {
                self.refiner.ray(&self.m, &mut z, zero_w);
                positive(&self.m, None, &z, self.settings.tolerance)
            };
            (0..n).filter(|&j| pattern >> j & 1 == 0).for_each(|j| z[j] = 0.0);
            key |= pattern;
            if !patterns.insert((weight > 0.0, pattern)) {
                continue;
            }
            if weight > 0.0 {
                vertices.push(z);
            } else if pattern != 0 {
                rays.push(z);
            }
        }
        let dimension = dimension(&vertices, &rays);
        let vertices = vertices.iter().map(|z| self.unscaled_point(z)).collect();
        let rays = rays.iter().map(|z| self.unscaled_ray(z)).collect();
        let mut face = Face { vertices, rays, dimension, residual: 0.0 };
        face.residual = worst_residual(self.problem, &face);
        (face.residual <= self.settings.tolerance).then_some((key, face))
    }

    fn unscaled_point(&self, z: &[f64]) -> Vec<f64> {
        let scale = |(j, &z): (usize, &f64)| self.scaling.point(j, z);
        z.iter().enumerate().map(scale).collect()
    }

    fn unscaled_ray(&self, z: &[f64]) -> Vec<f64> {
        let mut ray = vec![0.0; self.n];
        self.scaling.direction(z, &mut ray);
        let largest = ray.iter().copied().fold(0.0, f64::max);
        ray.iter_mut().for_each(|r| *r /= largest);
        ray
    }

    fn end(&mut self, why: Incomplete) {
        self.incomplete.get_or_insert(why);
        self.ended = true;
    }

    fn finish(mut self, outcome: Outcome) -> Enumeration {
        self.add_pending_faces();
        let mut proof = None;
        if self.faces.is_empty() && self.incomplete.is_none() && self.settings.proof {
            proof = match outcome {
                Outcome::Empty { cases: Some(LcpCases::Contradiction { y }), .. } => {
                    Some(Proof::Infeasible { y })
                }
                Outcome::Empty { cases: Some(cases), .. } => Some(Proof::Exhausted { cases }),
                _ => None,
            };
            debug_assert!(proof.as_ref().is_none_or(|p| p.check(self.problem).is_ok()));
            if proof.is_none() {
                self.incomplete = Some(Incomplete::Numerical);
            }
        }
        self.statistics.pivots = self.lp.pivots();
        Enumeration {
            solutions: maximal(self.faces),
            incomplete: self.incomplete,
            proof,
            statistics: self.statistics,
        }
    }
}

/// Drops the faces that are part of another.
fn maximal(faces: Vec<(u64, Face)>) -> Vec<Face> {
    let larger: Vec<(u64, usize)> =
        faces.iter().filter(|(_, f)| f.dimension > 0).map(|(key, f)| (*key, f.dimension)).collect();
    let is_part = |key: u64, face: &Face| {
        let contains = |&(k, d): &(u64, usize)| d > face.dimension && key & !k == 0;
        larger.iter().any(contains)
    };
    let kept = faces.into_iter().filter(|(key, face)| !is_part(*key, face));
    kept.map(|(_, face)| face).collect()
}

/// The worst scaled residual over the vertices, sums of a vertex and a ray in which each occurs,
/// and a point inside.
pub(super) fn worst_residual(problem: &Lcp, face: &Face) -> f64 {
    let residual = |z: &[f64]| problem.residual(z).scaled;
    if face.vertices.is_empty() {
        return f64::INFINITY;
    }
    let mut worst = face.vertices.iter().map(|v| residual(v)).fold(0.0, f64::max);
    if face.vertices.len() + face.rays.len() > 1 {
        worst = worst.max(residual(&face.interior_point()));
    }
    if !face.rays.is_empty() {
        for k in 0..face.vertices.len().max(face.rays.len()) {
            let v = &face.vertices[k % face.vertices.len()];
            let r = &face.rays[k % face.rays.len()];
            let sum: Vec<f64> = v.iter().zip(r).map(|(v, r)| v + r).collect();
            worst = worst.max(residual(&sum));
        }
    }
    worst
}

fn positive_bits(values: &[f64]) -> u64 {
    let is_positive = values.iter().enumerate().filter(|(_, v)| **v > 0.0);
    is_positive.fold(0, |bits, (v, _)| bits | 1 << v)
}

fn bits(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |i| set >> i & 1 == 1)
}
