//! From impulses that cancel each other to a proof that contacts contradict each other.
//!
//! Where contacts contradict each other (two sides of a body that both approach it, a connection that is there twice at two speeds) a
//! method drives their impulses up along a direction y in which nothing moves, W y = 0, and that b asks to be gone in for ever,
//! bᵀy < 0. When they are so large that rounding hides b, they meet the certificate: they solve a problem whose W differs
//! by rounding. The direction, made exact, shows that the given problem has no solution.

use super::leaf::LeafDecision;
use super::{Cases, Proof, Source, Term, Walk};
use crate::{ContactProblem, Delassus, Kind};

/// The most rows of a problem that impulses are turned into a proof about.
const MOST_ROWS: usize = 300;
/// The most of which all normals and connections are decided together, where no direction is found.
const MOST_ROWS_EXACT: usize = 60;
/// What is left of the velocity that an impulse gives its contact, if others cancel it.
const CANCELLED: f64 = 1e-6;
/// What is small beside what: impulses beside the largest, as energies; W y and bᵀy beside their terms.
const SMALL: f64 = 1e-3;
/// What a direction is rounded to: contacts that contradict each other are mostly the same but for a sign, and friction elsewhere
/// bears what their impulses differ by. The last of them leaves it as it is.
const FEW_DIGITS: [f64; 3] = [16.0, 4096.0, (1_u64 << 52) as f64];
/// Operations on words of 64 bits to make one direction exact.
const WORK: u64 = 20_000_000;

impl Proof {
    /// The proof that these impulses and their velocities ξ = W Λ + b suggest, if they do. Allocates nothing if they do not, but for the
    /// storage that is given.
    pub(crate) fn along(
        problem: &ContactProblem,
        impulse: &[f64],
        xi: &[f64],
        direction: &mut Vec<f64>,
    ) -> Option<Self> {
        if problem.is_associated() || impulse.len() > MOST_ROWS {
            return None;
        }
        cancelled(problem, impulse, xi, direction);
        if !is_asked_for(problem, direction) || !moves_nothing(problem, direction) {
            return None;
        }
        let largest = direction.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
        let draft = |digits: f64| {
            let rounded = direction.iter().map(|y| (y / largest * digits).round() / digits);
            let terms = rounded.enumerate().filter(|(_, y)| *y != 0.0);
            let term = |(row, multiplier)| Term { row: Source::Velocity { row }, multiplier };
            Cases::Contradiction { terms: terms.map(term).collect() }
        };
        let near = |&digits: &f64| Self::near(problem, &draft(digits), WORK);
        FEW_DIGITS.iter().find_map(near).or_else(|| by_all_normals(problem))
    }
}

/// The impulses of normals and connections that others cancel, and zero elsewhere.
fn cancelled(problem: &ContactProblem, impulse: &[f64], xi: &[f64], direction: &mut Vec<f64>) {
    direction.clear();
    direction.resize(impulse.len(), 0.0);
    let mut largest = 0.0_f64;
    let own = |row: usize, contact: usize| problem.delassus().entry(row, row, (contact, contact));
    for (contact, law) in problem.laws().iter().enumerate() {
        let fixed = matches!(law.kind, Kind::Bilateral(_));
        let components = if fixed { law.components() } else { law.kind.normals() };
        for row in problem.rows(contact).take(components) {
            let (own, moved) = (own(row, contact), (xi[row] - problem.bias()[row]).abs());
            if moved <= CANCELLED * (own * impulse[row]).abs() {
                direction[row] = impulse[row];
                largest = largest.max(own.abs() * impulse[row] * impulse[row]);
            }
        }
    }
    for contact in 0..problem.contacts() {
        for row in problem.rows(contact) {
            let energy = own(row, contact).abs() * direction[row] * direction[row];
            direction[row] *= if energy >= SMALL * SMALL * largest { 1.0 } else { 0.0 };
        }
    }
}

/// Whether bᵀy is clearly negative.
fn is_asked_for(problem: &ContactProblem, direction: &[f64]) -> bool {
    let gains = direction.iter().zip(problem.bias()).map(|(y, b)| -y * b);
    let (gain, size) = gains.fold((0.0, 0.0), |(sum, size), g| (sum + g, size + g.abs()));
    gain > SMALL * size
}

/// Whether W y is small in every row, beside its terms.
fn moves_nothing(problem: &ContactProblem, direction: &[f64]) -> bool {
    let add = |(sum, size): (f64, f64), (w, y): (&f64, &f64)| (sum + w * y, size + (w * y).abs());
    (0..direction.len()).all(|row| {
        let (sum, size) = match problem.delassus() {
            Delassus::Dense(w) => w.row(row).iter().zip(direction).fold((0.0, 0.0), add),
            Delassus::Sparse(w) => w.scalar_row(row).fold((0.0, 0.0), |sums, (first, entries)| {
                entries.iter().zip(&direction[first..]).fold(sums, add)
            }),
        };
        sum.abs() <= SMALL * size
    })
}

/// All normals and connections together, where the problem is small.
fn by_all_normals(problem: &ContactProblem) -> Option<Proof> {
    let small = problem.bias().len() <= MOST_ROWS_EXACT;
    let decision = small.then(|| Walk::new(problem).leaf().decide(&mut { WORK }))?;
    let LeafDecision::Contradiction(cases) = decision else { return None };
    Some(Proof { cases })
}
