//! Contact problems as cone problems: the exact law for any friction set, and the convexified one.

use super::{ContactSolution, SolverChoice};
use crate::contact::{ContactProblem, Kind, Law};
use crate::error::Error;
use complementarity::Failure;
use complementarity::Status;
use complementarity::cone::{self, BlockMatrix, ConeProblem, ConeSolution, ConeSolver};

/// The cone problem of a contact problem.
///
/// # Errors
/// If an entry of W and its mirror image differ by more than rounding.
pub(super) fn encode(problem: &ContactProblem, convexified: bool) -> Result<Posed, Error> {
    let sizes: Vec<usize> = problem.laws().iter().map(Law::components).collect();
    let w = problem.delassus().to_blocks(&sizes)?;
    let laws = problem.laws().iter().map(law).collect();
    let dry = problem.laws().iter().any(|l| matches!(l.kind, Kind::Dry(_)));
    let (w, b, places) = if dry {
        let (w, b, places) = with_open_normals(problem, &w)?;
        (w, b, Some(places))
    } else {
        (w, problem.bias().to_vec(), None)
    };
    let cone = ConeProblem::new(w, b, laws)?;
    Ok(Posed { cone: if convexified { cone.associated() } else { cone }, places })
}

/// A contact problem as a cone problem.
pub(super) struct Posed {
    cone: ConeProblem,
    /// Where the components of the contacts stand in it, if not in the same rows.
    places: Option<Vec<usize>>,
}

impl Posed {
    fn spread(&self, from: &[f64]) -> Option<Vec<f64>> {
        let places = self.places.as_ref()?;
        let mut out = vec![0.0; self.cone.len()];
        places.iter().zip(from).for_each(|(&p, x)| out[p] = *x);
        Some(out)
    }
}

/// Blocks of friction have a normal: dry friction gets one that stays open, ξ_N = b_N > 0, with no part in the others, in
/// units that the problem has already.
fn with_open_normals(
    problem: &ContactProblem,
    w: &BlockMatrix,
) -> Result<(BlockMatrix, Vec<f64>, Vec<usize>), Error> {
    let largest = |all: &[f64]| {
        let top = all.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if top > 0.0 { top } else { 1.0 }
    };
    let (own, open) = (largest(&problem.delassus().diagonal()), largest(problem.bias()));
    let extra = |i: usize| usize::from(matches!(problem.laws()[i].kind, Kind::Dry(_)));
    let sizes: Vec<usize> = (0..w.len()).map(|i| w.size(i) + extra(i)).collect();
    let (mut blocks, mut b, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..w.len() {
        if extra(i) == 1 {
            b.push(open);
        }
        for bias in &problem.bias()[problem.rows(i)] {
            places.push(b.len());
            b.push(*bias);
        }
        for (j, block) in w.row(i).filter(|(j, _)| *j <= i) {
            let mut entries = vec![0.0; sizes[i] * sizes[j]];
            for (r, row) in block.chunks_exact(w.size(j).max(1)).enumerate() {
                let at = (r + extra(i)) * sizes[j] + extra(j);
                entries[at..at + row.len()].copy_from_slice(row);
            }
            if i == j && extra(i) == 1 {
                entries[0] = own;
            }
            blocks.push((i, j, entries));
        }
    }
    Ok((BlockMatrix::from_blocks(&sizes, blocks)?, b, places))
}

fn law(law: &Law) -> cone::Law {
    let (mu, radius) = (law.mu, law.radius);
    match (&law.kind, law.kind.set(), law.sliding_friction()) {
        (Kind::Bilateral(rows), ..) => cone::Law::Bilateral(*rows),
        (_, Some(set), Some(friction)) => {
            cone::Law::Sliding { mu, radius, friction, tangents: set.dimension() }
        }
        (_, Some(set), None) => cone::Law::Friction { mu, radius, set: set.clone() },
        _ => cone::Law::Frictionless,
    }
}

/// The chosen solver with its storage, and the impulses of the last solve by contact.
#[derive(Clone, Debug)]
pub(super) struct ConeEngine {
    named: Named,
    memory: Memory,
}

#[derive(Clone, Debug)]
enum Named {
    Auto(Box<cone::Auto>),
    Nsgs(Box<cone::Nsgs>),
    Newton(Box<cone::Newton>),
    Admm(Box<cone::Admm>),
    InteriorPoint(Box<cone::InteriorPoint>),
}

impl ConeEngine {
    pub(super) fn new(choice: SolverChoice, tolerance: f64) -> Result<Self, Error> {
        let named = match choice {
            SolverChoice::Nsgs => {
                let settings = cone::nsgs::Settings { tolerance, ..Default::default() };
                Named::Nsgs(Box::new(cone::Nsgs::new(settings)?))
            }
            SolverChoice::Newton => {
                let settings = cone::newton::Settings { tolerance, ..Default::default() };
                Named::Newton(Box::new(cone::Newton::new(settings)?))
            }
            SolverChoice::Admm => {
                let settings = cone::admm::Settings { tolerance, ..Default::default() };
                Named::Admm(Box::new(cone::Admm::new(settings)?))
            }
            SolverChoice::InteriorPoint => {
                let settings = cone::interior_point::Settings { tolerance, ..Default::default() };
                Named::InteriorPoint(Box::new(cone::InteriorPoint::new(settings)?))
            }
            _ => {
                let settings = cone::auto::Settings { tolerance, ..Default::default() };
                Named::Auto(Box::new(cone::Auto::new(settings)?))
            }
        };
        Ok(Self { named, memory: Memory::default() })
    }

    /// Solves and puts impulses, status, method and iterations into `out`; the contacts may have identities, by which
    /// they start at the impulses of the last solve.
    pub(super) fn solve(
        &mut self,
        contacts: &ContactProblem,
        posed: &Posed,
        identities: Option<&[u64]>,
        out: &mut ContactSolution,
    ) {
        let guess = identities.and_then(|ids| self.memory.guess(contacts, ids));
        let spread = guess.and_then(|g| posed.spread(g));
        let (problem, guess) = (&posed.cone, spread.as_deref().or(guess));
        let answer = match &mut self.named {
            Named::Auto(s) => run(s.as_mut(), problem, guess),
            Named::Nsgs(s) => run(s.as_mut(), problem, guess),
            Named::Newton(s) => run(s.as_mut(), problem, guess),
            Named::Admm(s) => run(s.as_mut(), problem, guess),
            Named::InteriorPoint(s) => run(s.as_mut(), problem, guess),
        };
        let Some((name, answer)) = answer else {
            (out.status, out.method) = (Status::Failed(Failure::Numerical), "warm start");
            return;
        };
        match &posed.places {
            None => out.impulse.clone_from(&answer.impulse),
            Some(places) => {
                out.impulse.clear();
                out.impulse.extend(places.iter().map(|&p| answer.impulse[p]));
            }
        }
        out.status = answer.status;
        out.iterations += answer.statistics.iterations;
        out.method = name;
        if let Named::Auto(auto) = &self.named {
            out.method = auto.attempts().last().map_or(name, |a| a.method);
        }
        if let Some(identities) = identities {
            self.memory.keep(contacts, identities, &out.impulse);
        }
    }
}

/// Newton's method from the impulses in `out` to a tolerance below the given one: the certificate has references of its own, and
/// can ask for a little more than the residual by which the solver stopped.
pub(super) fn sharpen(posed: &Posed, tolerance: f64, out: &mut ContactSolution) {
    let (problem, spread) = (&posed.cone, posed.spread(&out.impulse));
    let start = spread.as_deref().unwrap_or(&out.impulse);
    let settings = cone::newton::Settings {
        tolerance: 0.01 * tolerance,
        first_sweeps: 0,
        max_steps: 10,
        ..Default::default()
    };
    let Ok(mut newton) = cone::Newton::new(settings) else { return };
    let Ok(before) = problem.residual(start) else { return };
    let Ok(answer) = newton.solve_from(problem, start) else { return };
    out.iterations += answer.statistics.iterations;
    if answer.residual.scaled.value < before.scaled.value {
        match &posed.places {
            Some(places) => {
                let found = places.iter().map(|&p| answer.impulse[p]);
                out.impulse.iter_mut().zip(found).for_each(|(to, x)| *to = x);
            }
            None => out.impulse.copy_from_slice(&answer.impulse),
        }
    }
}

fn run<'a, S: ConeSolver>(
    solver: &'a mut S,
    problem: &ConeProblem,
    guess: Option<&[f64]>,
) -> Option<(&'static str, &'a ConeSolution)> {
    let name = solver.name();
    let solution = match guess {
        Some(guess) => solver.solve_from(problem, guess).ok()?,
        None => solver.solve(problem),
    };
    Some((name, solution))
}

/// The impulses of the last solve by the identity of the contact.
#[derive(Clone, Debug, Default)]
struct Memory {
    /// Identity, first entry and number of entries, in the order of the identities.
    places: Vec<(u64, usize, usize)>,
    impulse: Vec<f64>,
    guess: Vec<f64>,
}

impl Memory {
    /// Where the contacts start; none if none of them is known.
    fn guess(&mut self, problem: &ContactProblem, identities: &[u64]) -> Option<&[f64]> {
        self.guess.clear();
        self.guess.resize(problem.bias().len(), 0.0);
        let mut known = false;
        for (i, id) in identities.iter().enumerate() {
            let Ok(at) = self.places.binary_search_by_key(id, |p| p.0) else { continue };
            let (_, first, size) = self.places[at];
            let rows = problem.rows(i);
            if rows.len() == size {
                self.guess[rows].copy_from_slice(&self.impulse[first..first + size]);
                known = true;
            }
        }
        known.then_some(self.guess.as_slice())
    }

    fn keep(&mut self, problem: &ContactProblem, identities: &[u64], impulse: &[f64]) {
        self.places.clear();
        for (i, &id) in identities.iter().enumerate() {
            let rows = problem.rows(i);
            self.places.push((id, rows.start, rows.len()));
        }
        self.places.sort_unstable();
        self.impulse.clear();
        self.impulse.extend_from_slice(impulse);
    }
}
