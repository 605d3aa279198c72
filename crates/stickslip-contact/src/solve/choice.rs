//! Which solver of the linear complementarity or cone problem, by name.

use crate::error::Error;
use complementarity::{
    Auto, InteriorPoint, Lcp, Lemke, MixedSolver, Mlcp, Newton, Pgs, PrincipalPivoting, Solution,
    Solver, auto, interior_point, lemke, newton, pgs, principal_pivoting,
};
use std::fmt;
use std::str::FromStr;

/// The solver of what a formulation makes: a linear complementarity problem or a cone problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolverChoice {
    /// One method after the other until an answer is certified.
    #[default]
    Auto,
    /// Lemke's method.
    Lemke,
    /// Principal pivoting; friction without restitution at small μ, and constant friction.
    PrincipalPivoting,
    /// Projected Gauss-Seidel.
    Pgs,
    /// Semismooth Newton.
    Newton,
    /// Interior point; constant friction as a linear complementarity problem, round friction sets as a cone problem.
    InteriorPoint,
    /// Block Gauss-Seidel, for cone problems.
    Nsgs,
    /// Proximal ADMM, for cone problems.
    Admm,
    /// All normals and all tangents in turn, for cone problems with little friction: for comparison.
    Alternating,
}

/// How long the default solver searches for answers by cones. By default as long as its bound on work allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// As [`Brief`](Self::Brief), but among many contacts between free bodies until sweeps come to a halt: where they fail a longer search finds
    /// one answer in four, in three times the time.
    Least,
    /// Until the methods that find nearly all answers have failed: for problems that can be posed in another way if this one has no answer. The
    /// work of a failure is then a small part of that of a full search.
    Brief,
    /// Until all methods have failed.
    #[default]
    Full,
}

impl SolverChoice {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Auto,
        Self::Lemke,
        Self::PrincipalPivoting,
        Self::Pgs,
        Self::Newton,
        Self::InteriorPoint,
        Self::Nsgs,
        Self::Admm,
        Self::Alternating,
    ];

    /// Whether it solves linear complementarity problems.
    #[must_use]
    pub fn takes_lcps(self) -> bool {
        !matches!(self, Self::Nsgs | Self::Admm | Self::Alternating)
    }

    /// Whether it solves cone problems.
    #[must_use]
    pub fn takes_cones(self) -> bool {
        !matches!(self, Self::Lemke | Self::PrincipalPivoting | Self::Pgs)
    }

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Lemke => "lemke",
            Self::PrincipalPivoting => "principal_pivoting",
            Self::Pgs => "pgs",
            Self::Newton => "newton",
            Self::InteriorPoint => "interior_point",
            Self::Nsgs => "nsgs",
            Self::Admm => "admm",
            Self::Alternating => "alternating",
        }
    }
}

impl fmt::Display for SolverChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SolverChoice {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self, Error> {
        choose("solver", s, &Self::ALL, Self::name)
    }
}

/// The one of `all` that has this name.
///
/// # Errors
/// If none has it; the message lists the names.
pub fn choose<T: Copy>(
    what: &'static str,
    found: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, Error> {
    all.iter().copied().find(|&c| name(c) == found).ok_or_else(|| {
        let choices = all.iter().map(|&c| name(c)).collect::<Vec<_>>().join(", ");
        Error::Choice { what, found: found.to_owned(), choices }
    })
}

/// The chosen solver with its storage.
#[derive(Clone, Debug)]
pub(super) struct Engine {
    named: Named,
    /// For convex programs, before `auto`.
    program: PrincipalPivoting,
}

#[derive(Clone, Debug)]
enum Named {
    Auto(Box<Auto>),
    Lemke(Box<Lemke>),
    PrincipalPivoting(Box<PrincipalPivoting>),
    Pgs(Box<Pgs>),
    Newton(Box<Newton>),
    InteriorPoint(Box<InteriorPoint>),
}

impl Default for Engine {
    fn default() -> Self {
        let program = PrincipalPivoting::default();
        Self { named: Named::Auto(Box::default()), program }
    }
}

impl Engine {
    /// The tolerance is that of the certificate; the solvers are asked for at least as much.
    pub(super) fn new(choice: SolverChoice, tolerance: f64) -> Result<Self, Error> {
        let tolerance = tolerance.min(1e-10);
        let named = match choice {
            // The last three take cone problems only, for which this engine is not asked.
            SolverChoice::Auto
            | SolverChoice::Nsgs
            | SolverChoice::Admm
            | SolverChoice::Alternating => Named::Auto(Box::new(Auto::new(auto::Settings {
                tolerance,
                ..Default::default()
            })?)),
            SolverChoice::Lemke => {
                let settings = lemke::Settings { tolerance, ..Default::default() };
                Named::Lemke(Box::new(Lemke::new(settings)?))
            }
            SolverChoice::PrincipalPivoting => {
                let settings = principal_pivoting::Settings { tolerance, ..Default::default() };
                Named::PrincipalPivoting(Box::new(PrincipalPivoting::new(settings)?))
            }
            SolverChoice::Pgs => {
                Named::Pgs(Box::new(Pgs::new(pgs::Settings { tolerance, ..Default::default() })?))
            }
            SolverChoice::Newton => {
                let settings = newton::Settings { tolerance, ..Default::default() };
                Named::Newton(Box::new(Newton::new(settings)?))
            }
            SolverChoice::InteriorPoint => {
                let settings = interior_point::Settings { tolerance, ..Default::default() };
                Named::InteriorPoint(Box::new(InteriorPoint::new(settings)?))
            }
        };
        let program = principal_pivoting::Settings { tolerance, ..Default::default() };
        Ok(Self { named, program: PrincipalPivoting::new(program)? })
    }

    /// Solves; `quadratic` says that the problem is that of a convex quadratic program, which `auto` then gives
    /// to principal pivoting, an active-set method for it.
    pub(super) fn solve(&mut self, lcp: &Lcp, quadratic: bool) -> (&'static str, &Solution) {
        match &mut self.named {
            Named::Auto(auto) => {
                if quadratic && self.program.solve(lcp).is_solved() {
                    return ("principal_pivoting", self.program.solution());
                }
                auto.solve(lcp);
                let method = auto.attempts().last().map_or("auto", |a| a.method);
                (method, auto.solution())
            }
            Named::Lemke(s) => ("lemke", s.solve(lcp)),
            Named::PrincipalPivoting(s) => ("principal_pivoting", s.solve(lcp)),
            Named::Pgs(s) => ("pgs", s.solve(lcp)),
            Named::Newton(s) => ("newton", s.solve(lcp)),
            Named::InteriorPoint(s) => ("interior_point", s.solve(lcp)),
        }
    }

    /// Solves a mixed problem; none if the solver is for plain ones.
    pub(super) fn solve_mixed(&mut self, problem: &Mlcp) -> Option<(&'static str, &Solution)> {
        Some(match &mut self.named {
            Named::Auto(auto) => {
                auto.solve_mixed(problem);
                let method = auto.attempts().last().map_or("auto", |a| a.method);
                (method, auto.solution())
            }
            Named::Lemke(s) => ("lemke", s.solve_mixed(problem)),
            Named::PrincipalPivoting(_) => return None,
            Named::Pgs(s) => ("pgs", s.solve_mixed(problem)),
            Named::Newton(s) => ("newton", s.solve_mixed(problem)),
            Named::InteriorPoint(s) => ("interior_point", s.solve_mixed(problem)),
        })
    }
}
