//! Contact problems as cone problems: the exact law for any friction set, and the convexified one.

use super::{ContactSolution, SolverChoice};
use crate::block::{BlockList, BlockMatrix};
use crate::cone::{self, ConeProblem, ConeSolution, ConeSolver};
use crate::error::Error;
use crate::{ContactProblem, Kind, Law};
use complementarity::Failure;
use complementarity::Status;

/// A contact problem as a cone problem, on storage that is kept.
#[derive(Clone, Debug, Default)]
struct Posed {
    /// None before the first problem, and after one that was refused.
    cone: Option<ConeProblem>,
    /// Where the components of the contacts stand in it, if not in the same rows.
    places: Option<Vec<usize>>,
    sizes: Vec<usize>,
    list: BlockList,
    /// The blocks of W without those of open normals.
    plain: BlockMatrix,
    spread: Vec<f64>,
}

impl Posed {
    /// The cone problem of a contact problem.
    ///
    /// # Errors
    /// If a law is out of range or a number is not finite.
    fn pose(&mut self, problem: &ContactProblem, convexified: bool) -> Result<(), Error> {
        let parts = self.cone.take().map(ConeProblem::into_parts);
        let (mut w, mut b, mut laws) = parts.unwrap_or_default();
        self.sizes.clear();
        self.sizes.extend(problem.laws().iter().map(Law::components));
        laws.clear();
        laws.extend(problem.laws().iter().map(law));
        b.clear();
        if problem.laws().iter().any(|l| matches!(l.kind, Kind::Dry(_))) {
            problem.delassus().blocks_into(&self.sizes, &mut self.list, &mut self.plain)?;
            self.add_open_normals(problem, &mut b);
            w.refill_both_triangles(&self.sizes, &mut self.list)?;
        } else {
            self.places = None;
            b.extend_from_slice(problem.bias());
            problem.delassus().blocks_into(&self.sizes, &mut self.list, &mut w)?;
        }
        let cone = ConeProblem::new(w, b, laws)?;
        self.cone = Some(if convexified { cone.associated() } else { cone });
        Ok(())
    }

    /// Blocks of friction have a normal: dry friction gets one that stays open, ξ_N = b_N > 0, with no part in the others, in
    /// units that the problem has already.
    fn add_open_normals(&mut self, problem: &ContactProblem, b: &mut Vec<f64>) {
        let or_one = |top: f64| if top > 0.0 { top } else { 1.0 };
        let open = or_one(problem.bias().iter().fold(0.0_f64, |m, x| m.max(x.abs())));
        let entry = |(i, row)| problem.delassus().diagonal_entry(i, row).abs();
        let rows = (0..problem.contacts()).flat_map(|i| problem.rows(i).map(move |r| (i, r)));
        let own = or_one(rows.map(entry).fold(0.0_f64, f64::max));
        let extra = |i: usize| usize::from(matches!(problem.laws()[i].kind, Kind::Dry(_)));
        let (w, sizes, list) = (&self.plain, &mut self.sizes, &mut self.list);
        sizes.iter_mut().enumerate().for_each(|(i, n)| *n += extra(i));
        let places = self.places.get_or_insert_default();
        places.clear();
        list.clear();
        for i in 0..w.len() {
            if extra(i) == 1 {
                b.push(open);
            }
            for bias in &problem.bias()[problem.rows(i)] {
                places.push(b.len());
                b.push(*bias);
            }
            for (j, block) in w.row(i) {
                let columns = w.size(j);
                let (above, left) = (extra(i), extra(j));
                let entries = (0..sizes[i]).flat_map(|r| (0..sizes[j]).map(move |c| (r, c)));
                list.push(
                    i,
                    j,
                    entries.map(|(r, c)| match (r.checked_sub(above), c.checked_sub(left)) {
                        (Some(r), Some(c)) => block[r * columns + c],
                        (None, None) if i == j => own,
                        _ => 0.0,
                    }),
                );
            }
        }
    }

    /// Impulses of the contacts as unknowns of the cone problem.
    fn spread<'a>(
        places: Option<&Vec<usize>>,
        len: usize,
        from: &'a [f64],
        out: &'a mut Vec<f64>,
    ) -> &'a [f64] {
        let Some(places) = places else { return from };
        out.clear();
        out.resize(len, 0.0);
        places.iter().zip(from).for_each(|(&p, x)| out[p] = *x);
        out
    }
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
    posed: Posed,
    /// For the last digits where the certificate asks for them.
    newton: Option<Box<cone::Newton>>,
    xi: Vec<f64>,
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
        let (memory, posed, newton) = (Memory::default(), Posed::default(), None);
        Ok(Self { named, memory, posed, newton, xi: Vec::new() })
    }

    /// Makes the cone problem of a contact problem, to be solved next.
    ///
    /// # Errors
    /// If a law is out of range or a number is not finite.
    pub(super) fn pose(
        &mut self,
        problem: &ContactProblem,
        convexified: bool,
    ) -> Result<(), Error> {
        self.posed.pose(problem, convexified)
    }

    /// Solves the problem posed last and puts impulses, status, method and iterations into `out`; the contacts may have identities, by
    /// which they start at the impulses of the last solve.
    pub(super) fn solve(
        &mut self,
        contacts: &ContactProblem,
        identities: Option<&[u64]>,
        out: &mut ContactSolution,
    ) {
        let Posed { cone: Some(problem), places, spread, .. } = &mut self.posed else { return };
        let places = places.as_ref();
        let guess = identities.and_then(|ids| self.memory.guess(contacts, ids));
        let guess = guess.map(|g| Posed::spread(places, problem.len(), g, spread));
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
        match places {
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

    /// Newton's method from the impulses in `out` to a tolerance below the given one: the certificate has references of its own, and
    /// can ask for a little more than the residual by which the solver stopped.
    pub(super) fn sharpen(&mut self, tolerance: f64, out: &mut ContactSolution) {
        let Posed { cone: Some(problem), places, spread, .. } = &mut self.posed else { return };
        let start = Posed::spread(places.as_ref(), problem.len(), &out.impulse, spread);
        let settings = cone::newton::Settings {
            tolerance: 0.01 * tolerance,
            first_sweeps: 0,
            max_steps: 10,
            ..Default::default()
        };
        let newton = self.newton.get_or_insert_default();
        if newton.set(settings).is_err() {
            return;
        }
        let Ok(before) = problem.residual_into(start, &mut self.xi) else { return };
        let Ok(answer) = newton.solve_from(problem, start) else { return };
        out.iterations += answer.statistics.iterations;
        if answer.residual.scaled.value < before.scaled.value {
            match places {
                Some(places) => {
                    let found = places.iter().map(|&p| answer.impulse[p]);
                    out.impulse.iter_mut().zip(found).for_each(|(to, x)| *to = x);
                }
                None => out.impulse.copy_from_slice(&answer.impulse),
            }
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
