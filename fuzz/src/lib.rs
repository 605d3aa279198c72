//! From bytes to problems, and what must hold for every answer.

use complementarity::{Lcp, Matrix, Mlcp, Solution, Status};

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

/// Panics unless the status is one that the residual and the proof bear out.
pub fn assert_honest(name: &str, solution: &Solution, scaled: f64, proof_holds: bool) {
    match solution.status {
        Status::Solved => assert!(scaled <= 1e-10, "{name}: solved with residual {scaled:e}"),
        Status::NoSolution => assert!(proof_holds, "{name}: {:?}", solution.proof),
        Status::Failed(_) => {}
    }
}
