//! The case distinction: one cell for each part of each contact, pruned by linear programs.

use super::piece::{Piece, velocity_sizes};
use super::smooth::Known;
use super::space::Space;
use super::{SearchLimit, Settings, Solution, Solutions, Statistics};
use crate::ContactProblem;
use crate::error::Error;
use crate::proof::cells::{Cell, Factor, Row, Shape, reach};
use crate::proof::{Cases, Proof, Source, Term, bound};
use complementarity::Matrix;
use complementarity::linear::{Feasibility, LinearSystem};

/// Operations on words of 64 bits that exact arithmetic may spend on one contradiction.
const PROOF_WORK: u64 = 50_000_000;

/// Polyhedra with too many vertices of which one solution is listed.
const SAMPLES: usize = 16;

/// Follows the whole case distinction.
pub(super) fn search(
    problem: &ContactProblem,
    factors: Vec<Factor>,
    settings: &Settings,
) -> Result<Solutions, Error> {
    let mut search = Search::new(problem, factors, settings)?;
    let outcome = search.start();
    Ok(search.finish(outcome))
}

/// What became of a branch.
pub(super) enum Outcome {
    /// It holds no solution. The parts whose cells the contradiction needs, as bits, and the cases.
    Empty { uses: u64, cases: Option<Cases<f64>> },
    /// It holds one, or the search ended, or could not decide.
    Open,
}

/// Rows as functions of x.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// The first component of the contact, and the row in its components.
    pub(super) given: Vec<(usize, Row)>,
    coefficients: Vec<f64>,
    constants: Vec<f64>,
}

impl Block {
    pub(super) fn clear(&mut self) {
        self.given.clear();
        self.coefficients.clear();
        self.constants.clear();
    }

    pub(super) fn push(&mut self, space: &Space, first: usize, row: Row) {
        let start = self.coefficients.len();
        self.coefficients.resize(start + space.len(), 0.0);
        let constant = space.coefficients(first, &row, &mut self.coefficients[start..]);
        self.constants.push(constant);
        self.given.push((first, row));
    }
}

pub(super) struct Search<'a> {
    pub(super) problem: &'a ContactProblem,
    pub(super) settings: &'a Settings,
    pub(super) space: Space,
    pub(super) factors: Vec<Factor>,
    /// The factor of the contact's normal, for each factor.
    normal_of: Vec<Option<usize>>,
    pub(super) cells: Vec<Cell>,
    /// What holds in any case, and for each row the factor whose decision makes it needless.
    base: Block,
    base_sources: Vec<(Source, usize)>,
    /// The rows of each factor's cell.
    parts: Vec<Block>,
    /// Tangents to smooth sets.
    pub(super) cuts: Block,
    pub(super) cut_sources: Vec<Source>,
    pub(super) lp: LinearSystem,
    /// The system in the linear program, row by row with its source.
    pub(super) a: Matrix,
    pub(super) b: Vec<f64>,
    pub(super) sources: Vec<Source>,
    equations: Vec<bool>,
    /// The unknowns that open contacts make zero.
    zeros: Vec<usize>,
    scratch: Vec<Row>,
    pieces: Vec<Piece>,
    /// Solutions of smooth cells.
    pub(super) found: Vec<Solution>,
    /// Of each of them the units in which its velocities are compared.
    pub(super) sizes: Vec<Vec<f64>>,
    /// Roots of the equations of smooth cells.
    pub(super) known: Vec<Known>,
    pub(super) regions: Vec<super::Region>,
    /// Sectors that are narrower are not halved.
    pub(super) resolution: f64,
    /// Leaves whose linear program was not decided.
    pub(super) undecided: usize,
    /// Whether something was excluded by other means than a contradiction of rows.
    pub(super) unproved: bool,
    pub(super) incomplete: Option<SearchLimit>,
    ended: bool,
    pub(super) statistics: Statistics,
}

impl<'a> Search<'a> {
    fn new(
        problem: &'a ContactProblem,
        factors: Vec<Factor>,
        settings: &'a Settings,
    ) -> Result<Self, Error> {
        let space = match problem.delassus().as_dense() {
            Some(w) => Space::new(problem, w)?,
            None => Space::new(problem, &problem.delassus().to_dense())?,
        };
        let mut normal_of: Vec<Option<usize>> = Vec::with_capacity(factors.len());
        let mut last = None;
        for (i, f) in factors.iter().enumerate() {
            if let Shape::Normal = f.shape {
                last = Some((f.contact, i));
            }
            normal_of.push(last.filter(|(contact, _)| *contact == f.contact).map(|(_, i)| i));
        }
        let mut search = Self {
            problem,
            settings,
            space,
            normal_of,
            cells: vec![Cell::Undecided; factors.len()],
            parts: vec![Block::default(); factors.len()],
            factors,
            base: Block::default(),
            base_sources: Vec::new(),
            cuts: Block::default(),
            cut_sources: Vec::new(),
            lp: LinearSystem::default(),
            a: Matrix::default(),
            b: Vec::new(),
            sources: Vec::new(),
            equations: Vec::new(),
            zeros: Vec::new(),
            scratch: Vec::new(),
            pieces: Vec::new(),
            found: Vec::new(),
            sizes: Vec::new(),
            known: Vec::new(),
            regions: Vec::new(),
            resolution: settings.resolution,
            undecided: 0,
            unproved: false,
            incomplete: None,
            ended: false,
            statistics: Statistics::default(),
        };
        search.fill_base();
        Ok(search)
    }

    /// What holds in any case: ξ_N ≥ 0, and the upper bound of each friction component.
    fn fill_base(&mut self) {
        for (i, f) in self.factors.iter().enumerate() {
            let (contact, law) = (f.contact, &self.problem.laws()[f.contact]);
            let start = self.problem.rows(contact).start;
            if let Shape::Normal = f.shape {
                let row = Row { xi: [1.0, 0.0, 0.0, 0.0], ..Row::default() };
                self.base.push(&self.space, start, row);
                self.base_sources.push((Source::Velocity { row: start }, i));
                continue;
            }
            let first = f.first - law.kind.normals();
            for component in first..first + f.dimension {
                self.base.push(&self.space, start, bound(law, component));
                self.base_sources.push((Source::Bound { contact, component }, i));
            }
        }
    }

    /// The root: contradictory bilateral rows need no cases.
    fn start(&mut self) -> Outcome {
        let Some(y) = self.space.contradiction.clone() else { return self.visit() };
        let rows = self.space.bilateral.iter().zip(y);
        let terms = rows
            .filter(|(_, y)| *y != 0.0)
            .map(|(&row, multiplier)| Term { row: Source::Velocity { row }, multiplier });
        Outcome::Empty { uses: 0, cases: Some(Cases::Contradiction { terms: terms.collect() }) }
    }

    /// Decides the node whose cells are chosen.
    pub(super) fn visit(&mut self) -> Outcome {
        if self.statistics.nodes >= self.settings.max_nodes {
            self.end(SearchLimit::Nodes);
            return Outcome::Open;
        }
        if self.statistics.work >= self.settings.max_work {
            self.end(SearchLimit::Work);
            return Outcome::Open;
        }
        self.statistics.nodes += 1;
        let feasibility = self.solve();
        if feasibility == Feasibility::Infeasible {
            return self.contradiction();
        }
        match self.next_part() {
            Some(part) => self.branch(part),
            None if self.cells.iter().any(|c| matches!(c, Cell::Stick | Cell::Sector(_))) => {
                self.smooth_leaf(feasibility)
            }
            None => {
                self.exact_leaf(feasibility);
                Outcome::Open
            }
        }
    }

    /// Splits the cell of a part and visits each.
    pub(super) fn branch(&mut self, part: usize) -> Outcome {
        let before = self.cells[part];
        let mut cases = self.wants_proof().then(Vec::new);
        let (mut uses, mut all_empty) = (0, true);
        for cell in self.factors[part].split(before) {
            self.choose(part, cell);
            let outcome = self.visit();
            if self.ended {
                self.choose(part, before);
                return Outcome::Open;
            }
            match outcome {
                // The contradiction does not use this cell, so it holds for the others as well.
                Outcome::Empty { uses, .. } if uses >> part & 1 == 0 => {
                    self.choose(part, before);
                    return outcome;
                }
                Outcome::Empty { uses: more, cases: case } => {
                    uses |= more;
                    cases = cases.zip(case).map(|(mut list, case)| {
                        list.push(case);
                        list
                    });
                }
                Outcome::Open => all_empty = false,
            }
        }
        self.choose(part, before);
        if !all_empty {
            return Outcome::Open;
        }
        if before == Cell::Undecided {
            uses &= !(1 << part);
        }
        Outcome::Empty { uses, cases: cases.map(|cases| Cases::Split { part, cases }) }
    }

    fn choose(&mut self, part: usize, cell: Cell) {
        let factor = &self.factors[part];
        self.cells[part] = cell;
        factor.rows(&cell, &mut self.scratch);
        let start = self.problem.rows(factor.contact).start;
        let block = &mut self.parts[part];
        block.clear();
        self.scratch.iter().for_each(|row| block.push(&self.space, start, *row));
    }

    /// The first part that is not decided. Friction without a limit has nothing to decide.
    fn next_part(&self) -> Option<usize> {
        (0..self.factors.len()).find(|&i| self.cells[i] == Cell::Undecided && !self.is_zero(i))
    }

    /// Loads the rows of the chosen cells and looks for a point.
    pub(super) fn solve(&mut self) -> Feasibility {
        self.assemble();
        self.statistics.programs += 1;
        let equations = &self.equations;
        if self.lp.load(&self.a, &self.b, |i| equations[i]).is_err() {
            return Feasibility::Undecided;
        }
        self.zeros.iter().for_each(|&j| self.lp.fix_variable(j));
        let before = self.lp.pivots();
        let feasibility = self.lp.feasible();
        // Making and scaling a system takes about as long as some pivots.
        self.spend((self.lp.pivots() - before + 16) * self.b.len() * self.space.len());
        feasibility
    }

    /// Counts multiplications.
    pub(super) fn spend(&mut self, multiplications: usize) {
        self.statistics.work = self.statistics.work.saturating_add(multiplications as u64);
    }

    pub(super) fn zeros(&self) -> &[usize] {
        &self.zeros
    }

    pub(super) fn is_equation(&self, row: usize) -> bool {
        self.equations[row]
    }

    /// The equations in the linear program, each as a row and its constant.
    pub(super) fn equation_rows(&self) -> impl Iterator<Item = (&[f64], f64)> {
        let rows = (0..self.b.len()).filter(|&i| self.equations[i]);
        rows.map(|i| (self.a.row(i), self.b[i]))
    }

    /// Whether a part is the normal of an open contact, or friction that has no limit there.
    fn is_zero(&self, part: usize) -> bool {
        let open = self.normal_of[part].is_some_and(|n| self.cells[n] == Cell::Open);
        let normal = matches!(self.factors[part].shape, Shape::Normal);
        open && (normal || self.factors[part].radius == 0.0)
    }

    /// The components of a part.
    fn components(&self, part: usize) -> std::ops::Range<usize> {
        let f = &self.factors[part];
        let first = self.problem.rows(f.contact).start + f.first;
        first..first + f.dimension
    }

    fn find_zeros(&mut self) {
        self.zeros.clear();
        for (j, &component) in self.space.own.iter().enumerate() {
            let of = (0..self.factors.len()).find(|&p| self.components(p).contains(&component));
            if of.is_some_and(|part| self.is_zero(part)) {
                self.zeros.push(j);
            }
        }
    }

    fn assemble(&mut self) {
        self.find_zeros();
        let n = self.space.len();
        let blocks = self.parts.iter().map(|p| p.constants.len()).sum::<usize>();
        self.a.reshape(self.base.constants.len() + blocks + self.cuts.constants.len(), n);
        self.b.clear();
        self.sources.clear();
        self.equations.clear();
        for i in 0..self.base_sources.len() {
            let (source, part) = self.base_sources[i];
            let decided =
                matches!(self.cells[part], Cell::Closed | Cell::Face(_) | Cell::Sector(_));
            let bound = matches!(source, Source::Bound { .. });
            if !(decided || bound && self.is_zero(part)) {
                self.take(i, source, None);
            }
        }
        for part in 0..self.parts.len() {
            if self.cells[part] == Cell::Open {
                continue;
            }
            for index in 0..self.parts[part].constants.len() {
                self.take(index, Source::Cell { part, index }, Some(part));
            }
        }
        for i in 0..self.cut_sources.len() {
            self.take(i, self.cut_sources[i], None);
        }
        self.a.reshape(self.b.len(), n);
    }

    fn take(&mut self, index: usize, source: Source, part: Option<usize>) {
        let n = self.space.len();
        let block = match (part, source) {
            (Some(part), _) => &self.parts[part],
            (None, Source::Tangent { .. }) => &self.cuts,
            _ => &self.base,
        };
        let row = self.a.row_mut(self.b.len());
        row.copy_from_slice(&block.coefficients[index * n..(index + 1) * n]);
        self.b.push(block.constants[index]);
        self.equations.push(block.given[index].1.equation);
        self.sources.push(source);
    }

    /// The row of a source, as it was given.
    fn given(&self, source: Source) -> Option<&(usize, Row)> {
        match source {
            Source::Cell { part, index } => self.parts[part].given.get(index),
            Source::Tangent { .. } => {
                let at = self.cut_sources.iter().position(|s| *s == source)?;
                self.cuts.given.get(at)
            }
            _ => {
                let at = self.base_sources.iter().position(|(s, _)| *s == source)?;
                self.base.given.get(at)
            }
        }
    }

    pub(super) fn contradiction(&self) -> Outcome {
        let mut y = vec![0.0; self.b.len()];
        self.lp.farkas(&mut y);
        let used = self.sources.iter().zip(&y).filter(|(_, y)| **y != 0.0);
        let mut terms: Vec<Term<f64>> =
            used.map(|(&row, &multiplier)| Term { row, multiplier }).collect();
        self.add_zeros(&y, &mut terms);
        let uses = terms.iter().fold(0_u64, |uses, term| match term.row {
            Source::Cell { part, .. } => uses | 1 << part,
            _ => uses,
        });
        let cases = self.wants_proof().then(|| {
            self.add_bilateral(&mut terms);
            Cases::Contradiction { terms }
        });
        Outcome::Empty { uses, cases }
    }

    /// What takes the unknowns of open contacts out of a combination: 0 ≤ x_t ≤ (h_F(e_t) + h_F(−e_t)) μ Λ_N and
    /// Λ_N = 0.
    fn add_zeros(&self, y: &[f64], terms: &mut Vec<Term<f64>>) {
        for part in (0..self.factors.len()).filter(|&p| self.cells[p] == Cell::Open) {
            let contact = self.factors[part].contact;
            let law = &self.problem.laws()[contact];
            let normal = self.problem.rows(contact).start;
            let (mut excess, mut size) = (0.0, 0.0);
            for &j in &self.zeros {
                let component = self.space.own[j];
                if !self.problem.rows(contact).contains(&component) {
                    continue;
                }
                let column = (0..y.len()).map(|i| y[i] * self.a.row(i)[j]);
                let (value, terms_size) =
                    column.fold((0.0, 0.0), |(v, s), t: f64| (v + t, s + t.abs()));
                if component == normal {
                    excess += value;
                    size += terms_size;
                } else if value > 0.0 {
                    let component = component - normal - 1;
                    let row = Source::Bound { contact, component };
                    terms.push(Term { row, multiplier: value });
                    let both = reach(law, component).iter().sum::<f64>() * law.mu;
                    excess += value * both;
                    size += terms_size * both;
                }
            }
            if excess > f64::EPSILON * size {
                let row = Source::Cell { part, index: 0 };
                terms.push(Term { row, multiplier: -excess });
            }
        }
    }

    /// The multipliers of bilateral equations that take their impulses out of a combination.
    fn add_bilateral(&self, terms: &mut Vec<Term<f64>>) {
        if self.space.bilateral.is_empty() {
            return;
        }
        // The coefficients of Λ are those of lam plus W times those of xi; the search keeps no W, so by unit vectors.
        let n = self.problem.bias().len();
        let (mut lam, mut xi, zeros) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for term in &*terms {
            let Some((first, row)) = self.given(term.row) else { continue };
            for c in (0..4).filter(|c| first + c < n) {
                lam[first + c] += term.multiplier * row.lam[c];
                xi[first + c] += term.multiplier * row.xi[c];
            }
        }
        let mut sum = zeros.clone();
        self.problem.delassus().multiply_add(&xi, &lam, &mut sum);
        let y = self.space.bilateral_multipliers(&sum);
        let rows = self.space.bilateral.iter().zip(y).filter(|(_, y)| *y != 0.0);
        terms.extend(
            rows.map(|(&row, multiplier)| Term { row: Source::Velocity { row }, multiplier }),
        );
    }

    /// Records the polyhedron of the linear program as solutions, unless it is part of one that is known.
    fn exact_leaf(&mut self, feasibility: Feasibility) {
        if feasibility != Feasibility::Feasible {
            self.lacks(SearchLimit::Numerical);
            return;
        }
        let Some(generators) = self.lp.generators(self.settings.max_vertices) else {
            self.spend(self.settings.max_vertices.saturating_pow(2).saturating_mul(40));
            self.lacks(SearchLimit::Vertices);
            self.one_of_many();
            return;
        };
        let number = generators.vertices.len() + generators.rays.len();
        self.spend(number * number * self.b.len() + number * self.space.len().pow(3));
        self.spend(self.pieces.len() * number * self.b.len() * self.space.len());
        if self.pieces.iter().any(|p| p.contains(&generators)) {
            return;
        }
        let (a, b) = (self.a.clone(), self.b.clone());
        let (equations, zeros) = (self.equations.clone(), self.zeros.clone());
        let piece = Piece { generators, a, b, equations, zeros };
        self.pieces.retain(|p| !piece.contains(&p.generators));
        self.pieces.push(piece);
        self.check_number();
    }

    /// Lists one solution of a polyhedron that has too many vertices, with the dimension of those that have its
    /// velocities.
    fn one_of_many(&mut self) {
        let mut x = vec![0.0; self.space.len()];
        self.lp.point(&mut x);
        let impulse = self.space.impulse(&x);
        if self.found.len() < SAMPLES
            && let Some(solution) = self.with_redundancy(impulse)
        {
            self.add(Solution { proved: false, ..solution });
        }
    }

    pub(super) fn check_number(&mut self) {
        if self.pieces.len() + self.found.len() > self.settings.max_solutions {
            self.end(SearchLimit::Solutions);
        }
    }

    fn wants_proof(&self) -> bool {
        let none = self.pieces.is_empty() && self.found.is_empty();
        self.settings.proof && none && self.incomplete.is_none()
    }

    fn end(&mut self, why: SearchLimit) {
        self.lacks(why);
        self.ended = true;
    }

    /// Notes why the list may lack something: the first reason stays, but for the mildest.
    pub(super) fn lacks(&mut self, why: SearchLimit) {
        if matches!(self.incomplete, None | Some(SearchLimit::Continuum)) {
            self.incomplete = Some(why);
        }
    }

    fn finish(mut self, outcome: Outcome) -> Solutions {
        let mut solutions = Vec::with_capacity(self.pieces.len() + self.found.len());
        for piece in std::mem::take(&mut self.pieces) {
            match piece.solution(self.problem, &self.space, self.settings) {
                Some(solution) => solutions.push(solution),
                None => self.lacks(SearchLimit::Numerical),
            }
        }
        let found = std::mem::take(&mut self.found);
        let places = merge(self.problem, &mut solutions, found);
        for region in &mut self.regions {
            region.near = region.near.and_then(|i| places.get(i).copied());
        }
        let mut proof = None;
        if solutions.is_empty() && self.unproved {
            self.lacks(SearchLimit::Regions);
        }
        if solutions.is_empty() && self.incomplete.is_none() && self.settings.proof {
            if let Outcome::Empty { cases: Some(cases), .. } = outcome {
                proof = Proof::near(self.problem, &cases, PROOF_WORK);
            }
            if proof.is_none() {
                self.incomplete = Some(SearchLimit::Numerical);
            }
        }
        self.statistics.pivots = self.lp.pivots();
        let (regions, incomplete, statistics) = (self.regions, self.incomplete, self.statistics);
        Solutions { solutions, incomplete, proof, regions, statistics }
    }
}

/// Adds solutions of smooth cells to those of polyhedra, without those that one of them contains; where each is then.
fn merge(
    problem: &ContactProblem,
    solutions: &mut Vec<Solution>,
    found: Vec<Solution>,
) -> Vec<usize> {
    /// Numbers that differ by less than this share of a contact's are the same.
    const SAME: f64 = 1e-7;
    let same_impulse = |a: &[f64], b: &[f64]| {
        (0..problem.contacts()).map(|i| problem.rows(i)).all(|rows| {
            let (a, b) = (&a[rows.clone()], &b[rows]);
            let largest = a.iter().chain(b).fold(0.0_f64, |m, v| m.max(v.abs()));
            a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * largest)
        })
    };
    let mut places = Vec::with_capacity(found.len());
    for s in found {
        let sizes = velocity_sizes(problem, &s.impulse);
        let same_velocity = |t: &Solution| {
            let mut pairs = t.velocity.iter().zip(&s.velocity).zip(&sizes);
            pairs.all(|((a, b), size)| (a - b).abs() <= SAME * size)
        };
        let listed = solutions.iter().position(|t| {
            t.velocity_unique && same_velocity(t) || same_impulse(&t.impulse, &s.impulse)
        });
        places.push(listed.unwrap_or(solutions.len()));
        match listed {
            Some(i) if solutions[i].dimension >= s.dimension => {}
            Some(i) => solutions[i] = s,
            None => solutions.push(s),
        }
    }
    places
}
