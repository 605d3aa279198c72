//! Numbers drawn from a seed, the same on every run.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of random numbers that depends on the family's name, the size and the seed alone.
#[derive(Clone, Debug)]
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// The stream of instance `(family, n, seed)`.
    pub fn new(family: &str, n: usize, seed: u64) -> Self {
        // FNV-1a, so that families with the same seed do not share numbers.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let numbers = (n as u64).to_le_bytes().into_iter().chain(seed.to_le_bytes());
        for byte in family.bytes().chain(numbers) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Self(ChaCha8Rng::seed_from_u64(hash))
    }

    /// A number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number from `low` to `high`, both included.
    pub fn whole(&mut self, low: i64, high: i64) -> i64 {
        low + (self.unit() * (high - low + 1) as f64) as i64
    }

    /// An index below `n`.
    pub fn index(&mut self, n: usize) -> usize {
        self.whole(0, n as i64 - 1) as usize
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Log-uniform in `[low, high)`.
    pub fn log_between(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// Mean 0 and variance 1, bell-shaped: the sum of twelve uniform numbers less 6.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// `n` of the latter.
    pub fn normals(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.normal()).collect()
    }

    /// A permutation of `0..n`.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut p: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            p.swap(i, self.index(i + 1));
        }
        p
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_instance_draws_the_same_numbers_and_another_one_others() {
        let numbers = |family: &str, n, seed| Draw::new(family, n, seed).normals(5);
        assert_eq!(numbers("a", 3, 1), numbers("a", 3, 1));
        for other in [numbers("b", 3, 1), numbers("a", 4, 1), numbers("a", 3, 2)] {
            assert_ne!(numbers("a", 3, 1), other);
        }
    }

    #[test]
    fn ranges_are_kept() {
        let mut d = Draw::new("ranges", 1, 1);
        for _ in 0..1000 {
            assert!((2.0..3.0).contains(&d.between(2.0, 3.0)));
            assert!((-2..=2).contains(&d.whole(-2, 2)));
            assert!(d.index(3) < 3);
        }
        let mut p = d.permutation(9);
        p.sort_unstable();
        assert_eq!(p, (0..9).collect::<Vec<_>>());
    }
}
