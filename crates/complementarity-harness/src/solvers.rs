//! Every solver, in one list each: a new one is one line, and all tests and tables pick it up.

use complementarity::{Lcp, MixedSolver, Problem, Solver};

/// The name under which the default method runs.
pub const AUTO: &str = "auto";

/// Solvers of which a second solve of the same size must not allocate.
pub const ALLOCATION_FREE: &[&str] = &["lemke", "principal_pivoting", "pgs"];

/// Every solver for plain problems, with default settings.
pub fn plain_solvers() -> Vec<Box<dyn Solver>> {
    vec![]
}

/// Every solver for mixed problems, by name, with default settings.
pub fn mixed_solvers() -> Vec<(&'static str, Box<dyn MixedSolver>)> {
    vec![]
}

/// The solver for plain problems with this name.
pub fn plain_solver(name: &str) -> Option<Box<dyn Solver>> {
    plain_solvers().into_iter().find(|s| s.name() == name)
}

/// Everything else that takes a problem, by name: it must come back whatever it is given.
pub fn analyses() -> Vec<(&'static str, fn(&Lcp))> {
    vec![]
}

/// The path that `auto` takes through a problem, in words.
pub fn auto_path(_: &Problem) -> Option<String> {
    None
}
