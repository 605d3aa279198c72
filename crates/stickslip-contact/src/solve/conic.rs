//! The exact law for any friction set, and the convexified one: the chosen method with its storage, and warm starts.

use super::{ContactSolution, ContactSolver, Effort, SolverChoice};
use crate::solvers::{
    Admm, Alternating, Cascade, ConeInteriorPoint, ConeNewton, Method, Nsgs, admm, alternating,
    cascade, interior_point, newton, nsgs,
};
use crate::{ContactProblem, Error};
use complementarity::{Failure, Status};

/// The chosen method with its storage, and the impulses of the last solve by contact.
#[derive(Clone, Debug)]
pub(super) struct ConeEngine {
    named: Named,
    memory: Memory,
}

#[derive(Clone, Debug)]
enum Named {
    Auto(Box<Cascade>),
    Nsgs(Box<Nsgs>),
    Newton(Box<ConeNewton>),
    Admm(Box<Admm>),
    Alternating(Box<Alternating>),
    InteriorPoint(Box<ConeInteriorPoint>),
}

impl ConeEngine {
    pub(super) fn new(choice: SolverChoice, tolerance: f64, threads: usize) -> Result<Self, Error> {
        let named = match choice {
            SolverChoice::Nsgs => {
                let settings = nsgs::Settings { tolerance, ..Default::default() };
                Named::Nsgs(Box::new(Nsgs::new(settings)?))
            }
            SolverChoice::Newton => {
                let settings = newton::Settings { tolerance, ..Default::default() };
                Named::Newton(Box::new(ConeNewton::new(settings)?))
            }
            SolverChoice::Admm => {
                let settings = admm::Settings { tolerance, ..Default::default() };
                Named::Admm(Box::new(Admm::new(settings)?))
            }
            SolverChoice::Alternating => {
                let settings = alternating::Settings { tolerance, ..Default::default() };
                Named::Alternating(Box::new(Alternating::new(settings)?))
            }
            SolverChoice::InteriorPoint => {
                let settings = interior_point::Settings { tolerance, ..Default::default() };
                Named::InteriorPoint(Box::new(ConeInteriorPoint::new(settings)?))
            }
            _ => {
                let settings = cascade::Settings { tolerance, threads, ..Default::default() };
                Named::Auto(Box::new(Cascade::new(settings)?))
            }
        };
        Ok(Self { named, memory: Memory::default() })
    }

    /// The default method, for clusters of a larger problem.
    pub(super) fn of_clusters(tolerance: f64) -> Result<Self, Error> {
        let settings = cascade::Settings { tolerance, ..Default::default() };
        let named = Named::Auto(Box::new(Cascade::of_clusters(settings)?));
        Ok(Self { named, memory: Memory::default() })
    }

    /// How long the default method searches.
    pub(super) fn set_effort(&mut self, effort: Effort) {
        if let Named::Auto(auto) = &mut self.named {
            auto.set_effort(effort);
        }
    }

    /// Solves the problem and puts the answer with its certificate into `out`; the contacts may have identities, by which they
    /// start at the impulses of the last solve.
    pub(super) fn solve(
        &mut self,
        problem: &ContactProblem,
        identities: Option<&[u64]>,
        out: &mut ContactSolution,
    ) {
        let guess = identities.and_then(|ids| self.memory.guess(problem, ids));
        let answer = match &mut self.named {
            Named::Auto(s) => run(s.as_mut(), problem, guess),
            Named::Nsgs(s) => run(s.as_mut(), problem, guess),
            Named::Newton(s) => run(s.as_mut(), problem, guess),
            Named::Admm(s) => run(s.as_mut(), problem, guess),
            Named::Alternating(s) => run(s.as_mut(), problem, guess),
            Named::InteriorPoint(s) => run(s.as_mut(), problem, guess),
        };
        let Some(answer) = answer else {
            (out.status, out.method) = (Status::Failed(Failure::Numerical), "warm start");
            return;
        };
        out.impulse.clone_from(&answer.impulse);
        out.velocity.clone_from(&answer.velocity);
        (out.status, out.certificate, out.method) =
            (answer.status, answer.certificate, answer.method);
        out.iterations += answer.iterations;
        out.factorisations += answer.factorisations;
        let mut sharpened = None;
        if let Named::Auto(auto) = &self.named {
            out.method = auto.attempts().last().map_or("auto", |a| a.method);
            sharpened = auto.sharpened();
        }
        if let Some(identities) = identities {
            self.memory.keep(problem, identities, out, sharpened);
        }
    }
}

impl ContactSolver {
    /// The impulses at which contacts of the next [`solve_identified`](Self::solve_identified) start, by identity.
    pub fn warm_start(&self) -> impl Iterator<Item = (u64, &[f64])> {
        self.cone.iter().flat_map(|engine| engine.memory.all())
    }

    /// The worst measure of the answer that they are from; 0 without one.
    #[must_use]
    pub fn warm_start_error(&self) -> f64 {
        self.cone.as_ref().map_or(0.0, |engine| engine.memory.error)
    }

    /// Lets contacts of the next [`solve_identified`](Self::solve_identified) start at these impulses, those of
    /// [`warm_start`](Self::warm_start) of another solver, from an answer with this
    /// [`warm_start_error`](Self::warm_start_error).
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn set_warm_start(&mut self, contacts: &[(u64, &[f64])], error: f64) -> Result<(), Error> {
        if !contacts.is_empty() {
            self.cone_engine()?.memory.set(contacts, error);
        }
        Ok(())
    }
}

fn run<'a, S: Method>(
    solver: &'a mut S,
    problem: &ContactProblem,
    guess: Option<&[f64]>,
) -> Option<&'a ContactSolution> {
    match guess {
        Some(guess) => solver.solve_from(problem, guess).ok(),
        None => Some(solver.solve(problem)),
    }
}

/// The impulses that the next solve starts at, by the identity of the contact.
///
/// Bodies at rest are held by the same impulses in every step, and what these leave of velocities adds up until it is seen. The impulses of the
/// step in which it is taken away would put it back with the other sign in the next. Of that change is therefore kept what the
/// step itself called for: the error of the guess less that of the step before, as a share of it.
#[derive(Clone, Debug, Default)]
struct Memory {
    /// Identity, first entry and number of entries, in the order of the identities.
    places: Vec<(u64, usize, usize)>,
    impulse: Vec<f64>,
    guess: Vec<f64>,
    /// The worst measure of the last answer.
    error: f64,
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

    fn all(&self) -> impl Iterator<Item = (u64, &[f64])> {
        self.places.iter().map(|&(id, first, size)| (id, &self.impulse[first..first + size]))
    }

    fn set(&mut self, contacts: &[(u64, &[f64])], error: f64) {
        self.error = error;
        self.places.clear();
        self.impulse.clear();
        for &(id, impulse) in contacts {
            self.places.push((id, self.impulse.len(), impulse.len()));
            self.impulse.extend_from_slice(impulse);
        }
        self.places.sort_unstable();
    }

    /// Keeps an answer, which may be one for which a guess with an error was sharpened.
    fn keep(
        &mut self,
        problem: &ContactProblem,
        identities: &[u64],
        answer: &ContactSolution,
        sharpened: Option<f64>,
    ) {
        self.places.clear();
        for (i, &id) in identities.iter().enumerate() {
            let rows = problem.rows(i);
            self.places.push((id, rows.start, rows.len()));
        }
        self.places.sort_unstable();
        self.impulse.clear();
        self.impulse.extend_from_slice(&answer.impulse);
        if let Some(error) = sharpened.filter(|e| *e > self.error) {
            let old = self.error / error;
            let both = self.impulse.iter_mut().zip(&self.guess);
            both.for_each(|(new, guess)| *new += old * (guess - *new));
        }
        self.error = answer.certificate.worst;
    }
}
