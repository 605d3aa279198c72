//! From bytes to problems, and what must hold for every answer.

use complementarity::{Lcp, Matrix, Mlcp, Solution, Status};
use stickslip_contact::set::ConvexSet;
use stickslip_contact::set::Polyhedron;
use stickslip_contact::{ContactProblem, Law};

/// The most unknowns.
const MOST: usize = 6;

/// Bytes, read as numbers; zeros after the end.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// One byte.
    pub fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&b, rest)) => {
                self.0 = rest;
                b
            }
            None => 0,
        }
    }

    /// A number: often a small whole one, so that ties happen, at times any bits at all.
    pub fn number(&mut self) -> f64 {
        match self.byte() {
            b @ 0..=99 => f64::from(b % 9) - 4.0,
            b @ 100..=179 => f64::from(i16::from_le_bytes([self.byte(), b])) / 256.0,
            180..=219 => f64::from_bits(u64::from_le_bytes(std::array::from_fn(|_| self.byte()))),
            b => NASTY[usize::from(b) % NASTY.len()],
        }
    }

    /// A square matrix of numbers with a vector of its size.
    pub fn data(&mut self) -> (Matrix, Vec<f64>) {
        let n = usize::from(self.byte()) % (MOST + 1);
        let m = Matrix::from_fn(n, n, |_, _| self.number());
        (m, (0..n).map(|_| self.number()).collect())
    }
}

const NASTY: [f64; 14] = [
    0.0,
    -0.0,
    1e308,
    -1e308,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e200,
    -1e-200,
    1e-12,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// A plain problem, unless a number is not finite.
pub fn lcp(bytes: &mut Bytes<'_>) -> Option<Lcp> {
    let (m, q) = bytes.data();
    Lcp::new(m, q).ok()
}

/// A mixed problem, unless a number is not finite.
pub fn mlcp(bytes: &mut Bytes<'_>) -> Option<Mlcp> {
    let (m, q) = bytes.data();
    let n = q.len();
    let (mut lower, mut upper) = (vec![0.0; n], vec![f64::INFINITY; n]);
    for i in 0..n {
        match bytes.byte() % 5 {
            0 => {}
            1 => lower[i] = f64::NEG_INFINITY,
            2 => (lower[i], upper[i]) = (f64::NEG_INFINITY, bytes.number()),
            3 => upper[i] = bytes.number().abs(),
            _ => {
                let bound = bytes.number();
                (lower[i], upper[i]) = (bound, bound);
            }
        }
    }
    Mlcp::new(m, q, lower, upper).ok()
}

/// The most blocks of a cone problem.
const MOST_BLOCKS: usize = 4;

/// A cone problem, unless its data is refused: W as it comes, its upper triangle mirrored, or HᵀH.
pub fn cone(bytes: &mut Bytes<'_>) -> Option<ContactProblem> {
    let blocks = usize::from(bytes.byte()) % (MOST_BLOCKS + 1);
    let laws: Vec<Law> = (0..blocks).map(|_| law(bytes)).collect();
    let n = laws.iter().map(Law::components).sum();
    let kind = bytes.byte() % 4;
    let h = Matrix::from_fn(n, n, |_, _| bytes.number());
    let w = match kind {
        0 => h,
        1 => Matrix::from_fn(n, n, |i, j| h[(i.min(j), i.max(j))]),
        _ => Matrix::from_fn(n, n, |i, j| (0..n).map(|k| h[(k, i)] * h[(k, j)]).sum()),
    };
    let b = (0..n).map(|_| bytes.number()).collect();
    ContactProblem::new(w.clone(), b, laws).ok()
}

/// A law, with numbers that may be out of range.
fn law(bytes: &mut Bytes<'_>) -> Law {
    let set = match bytes.byte() % 9 {
        0 => return Law::frictionless(),
        1 => return Law::bilateral(usize::from(bytes.byte()) % 8),
        2 => ConvexSet::Interval,
        3 => ConvexSet::Disc,
        4 => {
            let axes = usize::from(bytes.byte()) % 5;
            ConvexSet::Ellipsoid((0..axes).map(|_| size(bytes)).collect())
        }
        5 => ConvexSet::Mixed { ellipse: [size(bytes), size(bytes)], spin: size(bytes) },
        kind => {
            let corners = 1 + usize::from(bytes.byte()) % 8;
            let dimension = if kind == 6 { 2 } else { 3 };
            let rows: Vec<Vec<f64>> =
                (0..corners).map(|_| (0..dimension).map(|_| bytes.number()).collect()).collect();
            let made =
                if kind == 8 { Polyhedron::symmetric(&rows) } else { Polyhedron::hull(&rows) };
            made.map_or(ConvexSet::Disc, ConvexSet::Polyhedron)
        }
    };
    let radius = if bytes.byte().is_multiple_of(4) { size(bytes) } else { 0.0 };
    Law { radius, ..Law::with_set(size(bytes), set) }
}

/// A number that is often in the range of a coefficient.
fn size(bytes: &mut Bytes<'_>) -> f64 {
    match bytes.byte() {
        b @ 0..=199 => f64::from(b) / 100.0,
        _ => bytes.number(),
    }
}

/// Panics unless the status is one that the residual and the proof bear out.
pub fn assert_honest(name: &str, solution: &Solution, scaled: f64, proof_holds: bool) {
    match solution.status {
        Status::Solved => assert!(scaled <= 1e-10, "{name}: solved with residual {scaled:e}"),
        Status::NoSolution => assert!(proof_holds, "{name}: {:?}", solution.proof),
        Status::Failed(_) => {}
    }
}
