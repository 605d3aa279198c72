//! From impulses that cancel each other to a proof that contacts contradict each other.
//!
//! Where contacts contradict each other (two sides of a body that both approach it, a connection that is there twice at two speeds) a
//! method drives their impulses up along a direction y in which nothing moves, W y = 0, and that b asks to be gone in for ever,
//! bᵀy < 0. When they are so large that rounding hides b, they meet the certificate: they solve a problem whose W differs
//! by rounding. The direction, made exact, shows that the given problem has no solution.

use super::leaf::LeafDecision;
use super::{Cases, Proof, Source, Term, Walk};
use crate::{ContactProblem, Delassus, Kind, Law};
use complementarity::exact::Dyadic;

/// The most rows of a problem in which directions of more than two rows are looked for, or made exact by elimination.
const MOST_ROWS: usize = 300;
/// The most of which all normals and connections are decided together, where no direction is found.
const MOST_ROWS_EXACT: usize = 60;
/// What is left of the velocity that an impulse gives its contact, if others cancel it.
const CANCELLED: f64 = 1e-6;
/// What is small beside what: impulses beside the largest, as energies; W y and bᵀy beside their terms.
const SMALL: f64 = 1e-3;
/// The share of what moves a contact that may be rounding of b: some hundred units in the last place.
const ROUNDING: f64 = 1e-13;
/// Contacts that contradict each other are not looked for behind answers closer to the laws than this.
const CLOSE: f64 = 1e-12;
/// By how much rows of W differ from multiples of each other if that is rounding.
const PARALLEL: f64 = 1e-12;
/// A pivot of a matrix with the diagonal 1 that is rounding.
const SINGULAR: f64 = 1e-13;
/// What a direction is rounded to: contacts that contradict each other are mostly the same but for a sign, and friction elsewhere
/// bears what their impulses differ by. The last of them leaves it as it is.
const FEW_DIGITS: [f64; 3] = [16.0, 4096.0, (1_u64 << 52) as f64];
/// Operations on words of 64 bits to make one direction exact.
const WORK: u64 = 20_000_000;

/// Storage for the search of directions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ray {
    /// The impulses that are cancelled and were not looked at yet, and zero elsewhere.
    left: Vec<f64>,
    /// Those that are looked at.
    direction: Vec<f64>,
    /// Whether each row is one of a connection.
    fixed: Vec<bool>,
    /// The diagonal of W.
    diagonal: Vec<f64>,
    /// Whether two of its rows can be multiples of each other; none before it is asked.
    may_have_pairs: Option<bool>,
    /// Rows whose neighbours are still to be looked for.
    waiting: Vec<usize>,
    /// Of the factorisation of W of the rows at hand.
    rows: Vec<usize>,
    factor: Vec<f64>,
    units: Vec<f64>,
    rest: Vec<[f64; 2]>,
    left_over: Vec<usize>,
    /// One row of W.
    line: Vec<f64>,
}

impl Ray {
    /// The proof that these impulses and their velocities ξ = W Λ + b suggest, if they do; `worst` is the certificate's measure of them.
    /// Allocates nothing if they do not, but for storage that is kept.
    pub(crate) fn proof(
        &mut self,
        problem: &ContactProblem,
        impulse: &[f64],
        xi: &[f64],
        worst: f64,
    ) -> Option<Proof> {
        if problem.is_associated() {
            return None;
        }
        self.fixed.clear();
        for law in problem.laws() {
            let fixed = matches!(law.kind, Kind::Bilateral(_));
            self.fixed.extend(std::iter::repeat_n(fixed, law.components()));
        }
        problem.delassus().diagonal_into(&mut self.diagonal);
        // Where neighbours move contacts much faster than they contradict each other, no impulse grows: their velocities show it.
        self.may_have_pairs = None;
        if worst > CLOSE && self.may_have_pairs(problem) {
            self.take_broken(problem, impulse, xi);
            let of_rows = (self.fixed.as_slice(), self.diagonal.as_slice());
            let found = by_pairs(problem, &self.direction, &self.left, of_rows);
            if found.as_ref().is_some_and(|p| is_more_than_rounding(problem, impulse, p)) {
                return found;
            }
        }
        if impulse.len() > MOST_ROWS {
            return None;
        }
        self.find_cancelled(problem, impulse, xi);
        while let Some(row) = self.left.iter().position(|y| *y != 0.0) {
            self.take_connected(problem, row);
            self.leave_out_small();
            let found = self.contradiction(problem);
            if found.as_ref().is_some_and(|p| is_more_than_rounding(problem, impulse, p)) {
                return found;
            }
        }
        None
    }

    /// The exact direction near to the one at hand, or another one with the same rows.
    fn contradiction(&mut self, problem: &ContactProblem) -> Option<Proof> {
        let may_have_pairs = self.may_have_pairs(problem);
        let of_rows = (self.fixed.as_slice(), self.diagonal.as_slice());
        let pairs = || by_pairs(problem, &self.direction, &self.direction, of_rows);
        let found = may_have_pairs.then(pairs).flatten();
        let more = found.is_none() && moves_nothing(problem, &self.direction);
        if !(more && self.may_contradict(problem)) {
            return found;
        }
        let y = &self.direction;
        // Where there are many such directions, the impulses may have grown in another one.
        let near = |&digits: &f64| {
            Proof::near(problem, &draft(y.iter().copied().enumerate(), digits), WORK)
        };
        let found = is_asked_for(problem, y).then(|| FEW_DIGITS.iter().find_map(near));
        found.flatten().or_else(|| by_all_normals(problem))
    }

    fn may_have_pairs(&mut self, problem: &ContactProblem) -> bool {
        *self.may_have_pairs.get_or_insert_with(|| may_have_pairs(problem))
    }

    /// Takes the normals that approach and the connections that move, by more than rounding of what moves them; `left` are all of them.
    fn take_broken(&mut self, problem: &ContactProblem, impulse: &[f64], xi: &[f64]) {
        let Self { direction, left, .. } = self;
        for storage in [&mut *direction, left] {
            storage.clear();
            storage.resize(impulse.len(), 0.0);
        }
        for (contact, law) in problem.laws().iter().enumerate() {
            let fixed = matches!(law.kind, Kind::Bilateral(_));
            for row in problem.rows(contact).take(committed(law)) {
                left[row] = 1.0;
                let off = if fixed { xi[row].abs() } else { -xi[row] };
                if off <= 0.0 {
                    continue;
                }
                let terms =
                    problem.delassus().row_entries(row).map(|(c, w)| (w * impulse[c]).abs());
                if off > ROUNDING * (terms.sum::<f64>() + problem.bias()[row].abs()) {
                    direction[row] = 1.0;
                }
            }
        }
    }

    /// The impulses of normals and connections that others cancel.
    fn find_cancelled(&mut self, problem: &ContactProblem, impulse: &[f64], xi: &[f64]) {
        self.left.clear();
        self.left.resize(impulse.len(), 0.0);
        for (contact, law) in problem.laws().iter().enumerate() {
            for row in problem.rows(contact).take(committed(law)) {
                let own = self.diagonal[row];
                let moved = (xi[row] - problem.bias()[row]).abs();
                if moved <= CANCELLED * (own * impulse[row]).abs() {
                    self.left[row] = impulse[row];
                }
            }
        }
    }

    /// Takes a row, and those that move each other with it.
    fn take_connected(&mut self, problem: &ContactProblem, row: usize) {
        let Self { left, direction, waiting, .. } = self;
        direction.clear();
        direction.resize(left.len(), 0.0);
        waiting.clear();
        // One that is met at both bodies is taken once.
        let mut take = |row: usize, left: &mut [f64]| {
            if left[row] != 0.0 {
                direction[row] = std::mem::take(&mut left[row]);
            }
        };
        take(row, left);
        waiting.push(row);
        while let Some(row) = waiting.pop() {
            let first = waiting.len();
            match problem.delassus() {
                Delassus::Bodies(w) => w.for_columns(row, |c| left[c] != 0.0, |c| waiting.push(c)),
                w => waiting.extend(w.row_entries(row).map(|x| x.0).filter(|&c| left[c] != 0.0)),
            }
            waiting[first..].iter().for_each(|&c| take(c, left));
        }
    }

    /// Whether b of the rows at hand is not a sum of columns of their W, but for rounding: only then is there a y with W y = 0 and
    /// bᵀy ≠ 0. This distinguishes contacts whose impulses cancel because a light body bears a heavy one, at the cost of one
    /// factorisation: by Cholesky's method with pivoting, in units in which W has a diagonal of 1.
    fn may_contradict(&mut self, problem: &ContactProblem) -> bool {
        let Self { direction, factor, rest, rows, units, left_over, line, .. } = self;
        rows.clear();
        rows.extend((0..direction.len()).filter(|&r| direction[r] != 0.0));
        let n = rows.len();
        factor.clear();
        line.resize(direction.len(), 0.0);
        for &r in &*rows {
            problem.delassus().copy_row(r, line);
            factor.extend(rows.iter().map(|&c| line[c]));
        }
        units.clear();
        units.extend((0..n).map(|i| factor[i * n + i].sqrt().recip()));
        if !units.iter().all(|u| u.is_finite()) {
            return true;
        }
        for i in 0..n {
            (0..n).for_each(|j| factor[i * n + j] *= units[i] * units[j]);
        }
        // What is left of b, and the size of its terms.
        rest.clear();
        rest.extend(rows.iter().zip(&*units).map(|(&r, u)| [problem.bias()[r] * u; 2]));
        let left = left_over;
        left.clear();
        left.extend(0..n);
        let mut least = 1.0;
        while let Some(k) = (0..left.len()).max_by(|&a, &b| {
            let pivot = |k: usize| factor[left[k] * n + left[k]];
            pivot(a).total_cmp(&pivot(b))
        }) {
            let p = left.swap_remove(k);
            let pivot = factor[p * n + p];
            if !(pivot > SINGULAR) {
                left.push(p);
                break;
            }
            least = pivot;
            for &i in &*left {
                let share = factor[i * n + p] / pivot;
                let [value, size] = rest[p];
                rest[i] = [rest[i][0] - share * value, rest[i][1].abs() + (share * size).abs()];
                for &j in &*left {
                    factor[i * n + j] -= share * factor[p * n + j];
                }
            }
        }
        // Rounding of W is as many times larger as pivots are smaller.
        let lost = (SINGULAR / least).max(ROUNDING);
        left.iter().any(|&i| !(rest[i][0].abs() <= lost * rest[i][1].abs()))
    }

    /// What is much smaller than the largest is no part of the direction.
    fn leave_out_small(&mut self) {
        let mut largest = 0.0_f64;
        for pass in 0..2 {
            for (y, own) in self.direction.iter_mut().zip(&self.diagonal) {
                let energy = own.abs() * *y * *y;
                if pass == 0 {
                    largest = largest.max(energy);
                } else if energy < SMALL * SMALL * largest {
                    *y = 0.0;
                }
            }
        }
    }
}

/// The contradiction that a direction would be, in so many digits.
fn draft(direction: impl Iterator<Item = (usize, f64)> + Clone, digits: f64) -> Cases<f64> {
    let largest = direction.clone().fold(0.0, |m: f64, (_, y)| m.max(y.abs()));
    let rounded = direction.map(|(row, y)| (row, (y / largest * digits).round() / digits));
    let terms = rounded.filter(|(_, y)| *y != 0.0);
    let term = |(row, multiplier)| Term { row: Source::Velocity { row }, multiplier };
    Cases::Contradiction { terms: terms.map(term).collect() }
}

/// Whether bᵀy is clearly negative.
fn is_asked_for(problem: &ContactProblem, direction: &[f64]) -> bool {
    let gains = direction.iter().zip(problem.bias()).map(|(y, b)| -y * b);
    let (gain, size) = gains.fold((0.0, 0.0), |(sum, size), g| (sum + g, size + g.abs()));
    gain > SMALL * size
}

/// Whether W y is small in every row, beside its terms.
fn moves_nothing(problem: &ContactProblem, direction: &[f64]) -> bool {
    if let Delassus::Bodies(w) = problem.delassus() {
        let mut terms = w.terms(direction);
        return (0..w.len()).all(|i| {
            let (mut sum, mut size) = ([0.0_f64; 6], [0.0; 6]);
            terms.add(w, i, &mut sum, &mut size);
            sum.iter().zip(&size).all(|(sum, size)| sum.abs() <= SMALL * size)
        });
    }
    (0..direction.len()).all(|row| {
        let terms = problem.delassus().row_entries(row).map(|(c, w)| w * direction[c]);
        let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()));
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

/// Two rows of which one is a multiple of the other, the first among those that are suspected: what contradicts itself is mostly of this
/// kind, also where impulses have grown in a mixture of directions. Signs and b rule most pairs out, and rows that are no multiples mostly
/// show it in their first entries, so that this costs about as much as one look at the rows.
fn by_pairs(
    problem: &ContactProblem,
    suspected: &[f64],
    others: &[f64],
    (fixed, diagonal): (&[bool], &[f64]),
) -> Option<Proof> {
    let contradicting = |r: usize, s: usize, f: f64| {
        contradicting(problem.bias(), (r, s, f))
            .filter(|pair| pair.iter().all(|&(row, y)| y > 0.0 || fixed[row]))
    };
    let w = problem.delassus();
    for r in (0..suspected.len()).filter(|&r| suspected[r] != 0.0) {
        let own = diagonal[r];
        // Two that are suspected are met once. If W is symmetric, W_r = f W_s has f = W_rr / W_rs = W_rs / W_ss.
        let may = |s: usize, entry: f64| {
            let met = s == r || others[s] == 0.0 || s < r && suspected[s] != 0.0;
            !met && entry * entry >= (1.0 - SMALL) * own * diagonal[s]
                && entry != 0.0
                && contradicting(r, s, own / entry).is_some()
        };
        for (first, run) in w.row_runs(r) {
            for (s, _) in (first..).zip(run).filter(|(s, entry)| may(*s, **entry)) {
                let factor = multiple(w, r, s);
                let Some(pair) = factor.and_then(|f| contradicting(r, s, f)) else { continue };
                let mut proofs =
                    FEW_DIGITS.iter().map(|&digits| pair_proof(problem, &pair, digits));
                if let Some(found) = proofs.find_map(|proof| proof) {
                    return Some(found);
                }
            }
        }
    }
    None
}

/// Whether two rows of normals or connections can be multiples of each other. Of W by bodies they are if those of A are, which are then rows of
/// the same bodies; the blocks of W are not needed to see that there are none.
fn may_have_pairs(problem: &ContactProblem) -> bool {
    let Delassus::Bodies(rows) = problem.delassus() else { return true };
    let square = |x: &[[f64; 6]; 2], y: &[[f64; 6]; 2]| -> f64 {
        x.iter().flatten().zip(y.iter().flatten()).map(|(a, b)| a * b).sum()
    };
    let of = |i: usize| rows.contact(i).iter().take(committed(&problem.laws()[i]));
    (0..rows.len()).any(|i| {
        rows.twins(i).any(|(j, swapped)| {
            of(i).any(|a| {
                of(j).any(|b| {
                    let b = if swapped { [b[1], b[0]] } else { *b };
                    let (both, own) = (square(a, &b), square(a, a) * square(&b, &b));
                    own > 0.0 && both * both >= (1.0 - SMALL * SMALL) * own
                })
            })
        })
    })
}

/// How many rows of a contact, the first ones, have velocities that the law commits to a sign or to zero: normals, and all of a connection.
fn committed(law: &Law) -> usize {
    if matches!(law.kind, Kind::Bilateral(_)) { law.components() } else { law.kind.normals() }
}

/// The direction in which b lets rows W_r = factor W_s contradict each other: (1, −factor) or its negative.
fn contradicting(b: &[f64], (r, s, factor): (usize, usize, f64)) -> Option<[(usize, f64); 2]> {
    let (first, second) = (b[r], factor * b[s]);
    let sign = if second > first { 1.0 } else { -1.0 };
    let asked = (second - first).abs() > SMALL * (second.abs() + first.abs());
    asked.then_some([(r, sign), (s, -sign * factor)])
}

/// f of W_r = f W_s, if it is so but for rounding.
fn multiple(w: &Delassus, r: usize, s: usize) -> Option<f64> {
    let factor = w.at(r, s) / w.at(s, s);
    let near = |(a, b): (&f64, &f64)| (a - factor * b).abs() <= PARALLEL * a.abs();
    let (mut first, mut second) = (w.row_runs(r), w.row_runs(s));
    loop {
        match (first.next(), second.next()) {
            (None, None) => return Some(factor),
            (Some(a), Some(b)) if a.0 == b.0 && a.1.iter().zip(b.1).all(near) => {}
            _ => return None,
        }
    }
}

/// The contradiction of two rows with multipliers of so many digits; as they are, or made exact where the problem is small.
fn pair_proof(problem: &ContactProblem, pair: &[(usize, f64)], digits: f64) -> Option<Proof> {
    let cases = draft(pair.iter().copied(), digits);
    let Cases::Contradiction { terms } = &cases else { return None };
    let exact =
        |t: &Term<f64>| Some(Term { row: t.row, multiplier: Dyadic::from_f64(t.multiplier)? });
    let terms: Vec<Term> = terms.iter().map(exact).collect::<Option<_>>()?;
    let proof = Proof { cases: Cases::Contradiction { terms } };
    if proof.check(problem).is_ok() {
        return Some(proof);
    }
    let small = problem.bias().len() <= MOST_ROWS;
    small.then(|| Proof::near(problem, &cases, WORK)).flatten()
}

/// Whether the velocity by which rows contradict each other is more than the rounding of b: of velocities as large as what the impulses
/// of their neighbours do in these rows, as far as each is no larger than what would stop its contact alone.
fn is_more_than_rounding(problem: &ContactProblem, impulse: &[f64], proof: &Proof) -> bool {
    let Cases::Contradiction { terms } = &proof.cases else { return true };
    let w = problem.delassus();
    let (mut gain, mut size) = (0.0, 0.0);
    for term in terms {
        let Source::Velocity { row } = term.row else { continue };
        let y = term.multiplier.to_f64();
        let mut largest = problem.bias()[row].abs();
        for (other, entry) in w.row_entries(row) {
            let stop = problem.bias()[other] / w.at(other, other);
            let needed = impulse[other].abs().min(stop.abs());
            largest = largest.max(entry.abs() * needed);
        }
        gain -= y * problem.bias()[row];
        size += y.abs() * largest;
    }
    gain > ROUNDING * size
}

#[cfg(test)]
mod tests {
    use super::*;
    use complementarity::Matrix;

    /// A light body between the ground and a heavy one, with contacts at these places, and impulses that bear both.
    fn light_under_heavy(places: &[f64]) -> (ContactProblem, Vec<f64>) {
        let n = places.len();
        let h = |row: usize| {
            let x = places[row % n];
            if row < n { [1.0, x, 0.0, 0.0] } else { [-1.0, -x, 1.0, x] }
        };
        let inverse = [1.0, 1.0, 1e-9, 1e-9];
        let entry = |i, j| (0..4).map(|k| h(i)[k] * inverse[k] * h(j)[k]).sum();
        let bias = (0..2 * n).map(|row| if row < n { -1.0 } else { 0.0 }).collect();
        let laws = vec![Law::frictionless(); 2 * n];
        let problem =
            ContactProblem::new(Matrix::from_fn(2 * n, 2 * n, entry), bias, laws).unwrap();
        let load = |row| if row < n { 1e9 + 1.0 } else { 1e9 } / n as f64;
        (problem, (0..2 * n).map(load).collect())
    }

    /// Two contacts on the two sides of a body approach it at 10⁻⁹ of the velocity that a neighbour gives it: within the tolerance they are
    /// met, and yet they contradict each other.
    #[test]
    fn a_contradiction_far_smaller_than_what_moves_its_contacts_is_proved() {
        let rows = [1.0, -1.0, 1.0];
        let w =
            Matrix::from_fn(3, 3, |i, j| rows[i] * rows[j] + f64::from(u8::from(i == 2 && j == 2)));
        let (b, laws) = (vec![-1e-9, -1e-9, -200.0], vec![Law::frictionless(); 3]);
        let problem = ContactProblem::new(w, b, laws).unwrap();
        let mut solver = crate::solve::ContactSolver::default();
        let answer = solver.solve(&problem);
        assert_eq!(answer.status, complementarity::Status::NoSolution, "{answer:?}");
        assert!(answer.proof.as_ref().unwrap().check(&problem).is_ok());
        // These meet the laws to within the default tolerance of 1e-10.
        let (impulse, mut xi) = ([0.0, 200.0, 200.0], vec![0.0; 3]);
        let worst = crate::Certificate::judge(&problem, &impulse, &mut xi).worst;
        assert!(worst > 1e-12 && worst < 1e-11, "{worst}");
        let proof = Ray::default().proof(&problem, &impulse, &xi, worst);
        assert!(proof.is_some_and(|p| p.check(&problem).is_ok()));
    }

    #[test]
    fn what_bears_a_heavy_body_is_no_contradiction_and_leaves_nothing_for_the_next_problem() {
        let mut ray = Ray::default();
        // Three contacts where two would do leave rows that are sums of others.
        for places in [&[-1.0, 0.0, 1.0][..], &[-1.0, 1.0]] {
            let (problem, impulse) = light_under_heavy(places);
            problem.delassus().diagonal_into(&mut ray.diagonal);
            ray.find_cancelled(&problem, &impulse, &vec![0.0; impulse.len()]);
            assert!(ray.left.iter().all(|y| *y != 0.0), "{:?}", ray.left);
            ray.take_connected(&problem, 0);
            assert!(!ray.may_contradict(&problem));
            assert!(ray.waiting.is_empty());
            assert!(ray.proof(&problem, &impulse, &vec![0.0; impulse.len()], 0.0).is_none());
        }
    }

    #[test]
    fn a_body_between_two_walls_that_approach_is_seen_without_the_blocks_of_w() {
        let posed = |second: [f64; 6]| {
            let mut rows = crate::BodyRows::default();
            rows.start(1);
            let first = [1.0, 0.0, 0.0, 0.0, 0.2, 0.0];
            rows.push([Some(0), None], [[first, [0.0; 6]]]);
            rows.push([None, Some(0)], [[[0.0; 6], second]]);
            rows.finish().unwrap();
            ContactProblem::new(
                Delassus::Bodies(Box::new(rows)),
                vec![-1.0; 2],
                vec![Law::frictionless(); 2],
            )
            .unwrap()
        };
        assert!(may_have_pairs(&posed([-1.0, 0.0, 0.0, 0.0, -0.2, 0.0])));
        assert!(!may_have_pairs(&posed([-1.0, 0.0, 0.0, 0.0, 0.2, 0.0])));
    }
}
