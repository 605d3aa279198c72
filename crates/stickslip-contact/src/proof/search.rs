//! Contact problems decided case by case in exact arithmetic: a solution, or a proof that there is none.
//!
//! For a planar contact or two this always ends with one of them: at most six cases for each contact, of which each is a linear
//! program with a few unknowns. With more contacts the work is bounded. Smooth friction sets and those of a user's own are not
//! divided into cases: with them only a contradiction in the other parts is found.

use super::cells::{Cell, Factor, Shape};
use super::leaf::LeafDecision;
use super::{Cases, Proof, Walk};
use crate::ContactProblem;

/// Operations on words of 64 bits in all cases together, some tenths of a second: many times what two planar contacts can need.
const WORK: u64 = 100_000_000;
/// The same where a case is no linear program, so that no solution is found in it, and seldom a proof.
const SMOOTH_WORK: u64 = WORK / 20;

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Search {
    /// The last impulses that were offered were accepted.
    Accepted,
    /// No case holds a solution.
    Proved(Proof),
    /// There are solutions, and none of those that were offered was accepted.
    NotAccepted,
    /// The limit on work was reached, or a friction set that is smooth or a user's own decides.
    Unknown,
}

/// Goes through the cases until `accept` takes the impulses of one, which are exact but for rounding.
pub(crate) fn decide(problem: &ContactProblem, accept: &mut dyn FnMut(&[f64]) -> bool) -> Search {
    if problem.is_associated() {
        return Search::Unknown;
    }
    let walk = Walk::new(problem);
    let divisible = !problem.laws().iter().any(|l| l.has_free_friction() && l.has_user_set())
        && !walk.factors.iter().any(Factor::is_smooth);
    let work = if divisible { WORK } else { SMOOTH_WORK };
    let mut decider = Decider { walk, accept, divisible, work, offered: false, unknown: false };
    match decider.visit() {
        Visit::Accepted => Search::Accepted,
        Visit::Empty(cases) => Search::Proved(Proof { cases }),
        Visit::Open if decider.offered => Search::NotAccepted,
        Visit::Open => Search::Unknown,
    }
}

struct Decider<'a> {
    walk: Walk<'a>,
    accept: &'a mut dyn FnMut(&[f64]) -> bool,
    /// Whether a choice of cells is one linear program.
    divisible: bool,
    /// Operations that are left.
    work: u64,
    offered: bool,
    unknown: bool,
}

enum Visit {
    Accepted,
    Empty(Cases),
    Open,
}

impl Decider<'_> {
    fn visit(&mut self) -> Visit {
        match self.walk.leaf().decide(&mut self.work) {
            LeafDecision::Contradiction(cases) => Visit::Empty(cases),
            LeafDecision::Unknown => {
                self.unknown = true;
                Visit::Open
            }
            LeafDecision::Impulse(impulse) => match self.next_part() {
                Some(part) => self.branch(part),
                None if !self.divisible => {
                    self.unknown = true;
                    Visit::Open
                }
                None => {
                    self.offered = true;
                    if (self.accept)(&impulse) { Visit::Accepted } else { Visit::Open }
                }
            },
        }
    }

    fn branch(&mut self, part: usize) -> Visit {
        let before = self.walk.cells[part];
        let mut all = Vec::new();
        let cells = self.walk.factors[part].split(before);
        let number = cells.len();
        for cell in cells {
            self.walk.cells[part] = cell;
            match self.visit() {
                Visit::Accepted => return Visit::Accepted,
                Visit::Empty(cases) => all.push(cases),
                Visit::Open if self.unknown => break,
                Visit::Open => {}
            }
        }
        self.walk.cells[part] = before;
        if all.len() == number {
            Visit::Empty(Cases::Split { part, cases: all })
        } else {
            Visit::Open
        }
    }

    /// The first part that is not decided and can be. Friction without a limit has nothing to decide.
    fn next_part(&self) -> Option<usize> {
        let Walk { factors, cells, .. } = &self.walk;
        let open = |contact: usize| {
            let normal = (0..factors.len()).find(|&i| {
                factors[i].contact == contact && matches!(factors[i].shape, Shape::Normal)
            });
            normal.is_some_and(|i| cells[i] == Cell::Open)
        };
        (0..factors.len()).find(|&i| {
            let slack = factors[i].radius == 0.0 && open(factors[i].contact);
            cells[i] == Cell::Undecided && !slack && !factors[i].is_smooth()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Law;
    use complementarity::Matrix;

    #[test]
    fn a_matrix_that_is_definite_by_its_last_bit_has_the_solution_of_exact_arithmetic() {
        let (nn, nt, tt) = (0.7593541035073406, 0.7593541091958633, 0.7593541148843864);
        let w = Matrix::from_rows(&[[nn, nt], [nt, tt]]).unwrap();
        let law = Law::coulomb(155623948.21778122);
        let p = ContactProblem::new(w, vec![-0.6071622271795125, 0.0], vec![law]).unwrap();
        let mut seen = Vec::new();
        let found = decide(&p, &mut |x| {
            seen.push(x.to_vec());
            false
        });
        // By rational arithmetic elsewhere.
        assert_eq!(
            (found, seen),
            (Search::NotAccepted, vec![vec![2090399868192832.5, -2090399852533092.5]])
        );
    }
}
