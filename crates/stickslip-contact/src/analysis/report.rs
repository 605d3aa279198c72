//! What can be told of one contact problem: solutions, their uniqueness, the matrix behind it, theorem 1.

use super::solutions::{self, Solutions, all_solutions};
use super::theorem::Theorem;
use crate::error::Error;
use crate::solve::{ContactSolver, Formulation, Redundancy};
use crate::{ContactProblem, Kind};
use complementarity::Matrix;
use complementarity::classes::{self, Classes, classify};

/// Limits of an [`Analysis`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Of the search for all solutions.
    pub solutions: solutions::Settings,
    /// Of the matrix classes.
    pub classes: classes::Settings,
}

/// The matrix of the complementarity problem behind a contact problem, with its classes.
#[derive(Clone, Debug)]
pub struct MatrixReport {
    /// Which matrix it is, in words.
    pub name: &'static str,
    /// The matrix.
    pub matrix: Matrix,
    /// Its classes, each with a witness.
    pub classes: Classes,
}

/// Something that was not computed, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// What.
    pub what: &'static str,
    /// Why.
    pub why: String,
}

/// Everything about one contact problem.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The number of components of all contacts.
    pub rows: usize,
    /// The rank of W, that of the Jacobian; `None` above 300 rows or without a solution to look from.
    pub rank: Option<usize>,
    /// All solutions.
    pub solutions: Solutions,
    /// Of each solution: how far its impulses are not unique at the same velocities; `None` where that was not found.
    pub redundancy: Vec<Option<Redundancy>>,
    /// The matrix classes, for planar problems and those without unknown friction.
    pub matrix: Option<MatrixReport>,
    /// Theorem 1 of paper 2. On the levels of velocities all contacts count as rolling.
    pub theorem: Option<Theorem>,
    /// What was asked for and not computed.
    pub left_out: Vec<LeftOut>,
}

/// Redundancy is looked for up to this many rows, and of so many solutions.
const MOST_ROWS: usize = 300;
const MOST_SOLUTIONS: usize = 32;

impl Analysis {
    /// Analyses a problem.
    ///
    /// # Errors
    /// If a setting is out of range or numbers overflow. What is too large is left out and listed.
    pub fn of(problem: &ContactProblem, settings: &Settings) -> Result<Self, Error> {
        let solutions = all_solutions(problem, &settings.solutions)?;
        let rows = problem.bias().len();
        let mut left_out = Vec::new();
        let few = rows <= MOST_ROWS;
        if !few {
            let why = format!("{rows} rows are more than {MOST_ROWS}");
            left_out.push(LeftOut { what: "rank and redundancy", why });
        }
        let redundant = |impulse: &[f64]| Redundancy::of(problem, impulse).ok().filter(|_| few);
        let redundancy: Vec<_> = solutions
            .solutions
            .iter()
            .enumerate()
            .map(|(i, s)| if i < MOST_SOLUTIONS { redundant(&s.impulse) } else { None })
            .collect();
        let found = redundancy.len();
        if found > MOST_SOLUTIONS {
            let why = format!("looked for at the first {MOST_SOLUTIONS} of {found} solutions");
            left_out.push(LeftOut { what: "redundancy", why });
        }
        let theorem = match Theorem::of(problem) {
            Ok(theorem) => Some(theorem),
            Err(error) => {
                left_out.push(LeftOut { what: "theorem 1", why: error.to_string() });
                None
            }
        };
        let rank = match (&theorem, redundancy.iter().flatten().next()) {
            (Some(theorem), _) => Some(theorem.bounds.definiteness.rank),
            (None, Some(r)) => Some(r.rank),
            (None, None) => None,
        };
        let matrix = match matrix(problem, &settings.classes) {
            Ok(matrix) => matrix,
            Err(error) => {
                left_out.push(LeftOut { what: "matrix classes", why: error.to_string() });
                None
            }
        };
        Ok(Self { rows, rank, solutions, redundancy, matrix, theorem, left_out })
    }
}

/// The matrix whose class decides existence and uniqueness for every b: that of the normals, where all friction follows
/// from them; else that of the slip-slack problem in the plane. Problems in space with unknown friction have none.
fn matrix(
    problem: &ContactProblem,
    settings: &classes::Settings,
) -> Result<Option<MatrixReport>, Error> {
    let (name, matrix) = if problem.laws().iter().all(|law| !law.has_free_friction()) {
        let Some(matrix) = effective(problem) else { return Ok(None) };
        ("the normals, with the friction of sliding contacts: W_NN + W_NT mu f", matrix)
    } else if problem.is_planar() {
        let lcp = ContactSolver::encode(problem, Formulation::StewartTrinkle)?;
        ("the slip-slack problem of Stewart and Trinkle", lcp.m().clone())
    } else {
        return Ok(None);
    };
    let classes = classify(&matrix, settings)?;
    Ok(Some(MatrixReport { name, matrix, classes }))
}

/// W_NN + W_NT μ f, if every contact has a normal and friction that follows from it.
fn effective(problem: &ContactProblem) -> Option<Matrix> {
    let k = problem.contacts();
    let plain = |kind: &Kind| kind.normals() == 1;
    if k == 0 || !problem.laws().iter().all(|l| plain(&l.kind) && l.radius == 0.0) {
        return None;
    }
    let w = problem.delassus().to_dense();
    let mut m = Matrix::zeros(k, k);
    for (j, law) in problem.laws().iter().enumerate() {
        let columns = problem.rows(j);
        let friction = law.sliding_friction().unwrap_or([0.0; 3]);
        for i in 0..k {
            let row = w.row(problem.rows(i).start);
            let tangential = columns.clone().skip(1).zip(friction);
            let sum: f64 = tangential.map(|(c, f)| row[c] * law.mu * f).sum();
            m.row_mut(i)[j] = row[columns.start] + sum;
        }
    }
    Some(m)
}
