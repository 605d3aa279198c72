//! Every solver, in one list each: a new one is one line, and all tests and tables pick it up.

use complementarity::classes::{self, classify};
use complementarity::enumerate::{self, enumerate};
use complementarity::{
    Auto, InteriorPoint, Lcp, Lemke, MixedSolver, Newton, Pgs, PrincipalPivoting, Problem, Solver,
};

/// The name under which the default method runs.
pub const AUTO: &str = "auto";

/// Solvers of which a second solve of the same size must not allocate.
pub const ALLOCATION_FREE: &[&str] = &["lemke", "principal_pivoting", "pgs"];

/// Every solver for plain problems, with default settings.
pub fn plain_solvers() -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(Lemke::default()),
        Box::new(PrincipalPivoting::default()),
        Box::new(Pgs::default()),
        Box::new(Newton::default()),
        Box::new(InteriorPoint::default()),
        Box::new(Auto::default()),
    ]
}

/// Every solver for mixed problems, by name, with default settings.
pub fn mixed_solvers() -> Vec<(&'static str, Box<dyn MixedSolver>)> {
    vec![
        ("lemke", Box::new(Lemke::default())),
        ("pgs", Box::new(Pgs::default())),
        ("newton", Box::new(Newton::default())),
        ("interior_point", Box::new(InteriorPoint::default())),
        (AUTO, Box::new(Auto::default())),
    ]
}

/// The solver for plain problems with this name.
pub fn plain_solver(name: &str) -> Option<Box<dyn Solver>> {
    plain_solvers().into_iter().find(|s| s.name() == name)
}

/// A name, and something that takes a problem.
pub type Analysis = (&'static str, fn(&Lcp));

/// Everything else that takes a problem, by name: it must come back whatever it is given.
pub fn analyses() -> Vec<Analysis> {
    vec![
        ("enumerate", |problem| {
            let _ = enumerate(problem, &enumerate::Settings::default());
        }),
        ("classify", |problem| {
            let _ = classify(problem.m(), &classes::Settings::default());
        }),
    ]
}

/// The path that `auto` takes through a problem, in words.
pub fn auto_path(problem: &Problem) -> String {
    let mut auto = Auto::default();
    match problem {
        Problem::Lcp(p) => drop(auto.solve(p)),
        Problem::Mlcp(p) => drop(auto.solve_mixed(p)),
    }
    let step = |a: &complementarity::auto::Attempt| {
        format!("{}: {} ({:.1e}, {} steps)", a.method, a.status, a.residual, a.iterations)
    };
    auto.attempts().iter().map(step).collect::<Vec<_>>().join("; ")
}
