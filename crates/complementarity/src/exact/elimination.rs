//! Elimination on numbers with trusted signs: solving, determinants, definiteness, rays of cones.
//!
//! Notation: matrices are row-major slices of order n; p is the pivot, `previous` the one before
//! (the common denominator of integers, see [`Number::eliminate`]).

use super::number::{Number, Sign};

/// Scalar operations that a search may still spend; the measure of "too large".
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(pub(crate) u64);

impl Budget {
    /// Takes `work` from the budget; false if it is spent.
    pub(crate) fn spend(&mut self, work: usize) -> bool {
        let work = work as u64;
        let enough = self.0 >= work;
        self.0 = self.0.saturating_sub(work);
        enough
    }
}

/// The rows and columns `ids` of a matrix of order n.
pub(crate) fn principal<N: Number>(a: &[N], n: usize, ids: &[usize]) -> Vec<N> {
    let entry = |i: usize| ids.iter().map(move |&j| a[i * n + j]);
    ids.iter().flat_map(|&i| entry(i)).collect()
}

/// What elimination found out about A x = b.
pub(crate) enum Linear<N> {
    /// Regular: the sign of det A, and x up to a positive factor.
    Regular {
        determinant: Sign,
        x: Vec<N>,
    },
    Singular,
    Unsure,
}

/// Solves A x = b by Gauss-Jordan elimination with row pivoting. O(n³).
pub(crate) fn solve<N: Number>(mut a: Vec<N>, mut b: Vec<N>) -> Linear<N> {
    let n = b.len();
    let mut previous = N::ONE;
    let mut negative = false;
    for k in 0..n {
        let column = (k..n).map(|i| (i, a[i * n + k]));
        let (row, _) = column.fold(
            (k, -1.0),
            |best, (i, v)| {
                if v.size() > best.1 { (i, v.size()) } else { best }
            },
        );
        if !matches!(a[row * n + k].sign(), Sign::Negative | Sign::Positive) {
            let zero = (k..n).all(|i| a[i * n + k].sign() == Sign::Zero);
            return if zero { Linear::Singular } else { Linear::Unsure };
        }
        if row != k {
            for j in 0..n {
                a.swap(row * n + j, k * n + j);
            }
            b.swap(row, k);
            negative = !negative;
        }
        let p = a[k * n + k];
        // Integers carry the whole determinant in the last pivot, intervals a factor in each.
        if p.sign() == Sign::Negative && (!N::FRACTION_FREE || k + 1 == n) {
            negative = !negative;
        }
        for i in (0..n).filter(|&i| i != k) {
            let f = a[i * n + k];
            for j in k + 1..n {
                a[i * n + j] = N::eliminate(a[i * n + j], f, a[k * n + j], p, previous);
            }
            b[i] = N::eliminate(b[i], f, b[k], p, previous);
            if N::FRACTION_FREE && i < k {
                a[i * n + i] = p;
            }
            a[i * n + k] = N::ZERO;
        }
        previous = p;
    }
    Linear::Regular {
        determinant: if negative { Sign::Negative } else { Sign::Positive },
        x: (0..n).map(|i| b[i].over(a[i * n + i])).collect(),
    }
}

/// Where a symmetric matrix stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definiteness {
    Definite,
    /// Positive semidefinite and singular.
    Semidefinite,
    Indefinite,
    Unsure,
}

/// Whether a symmetric matrix is positive (semi)definite, by elimination with diagonal pivots.
/// O(n³).
pub(crate) fn definiteness<N: Number>(mut a: Vec<N>, n: usize) -> Definiteness {
    let mut left: Vec<usize> = (0..n).collect();
    let mut previous = N::ONE;
    while !left.is_empty() {
        let signs = || left.iter().map(|&i| a[i * n + i].sign());
        if signs().any(|s| s == Sign::Negative) {
            return Definiteness::Indefinite;
        }
        if !signs().any(|s| s == Sign::Positive) {
            return rest_of_semidefinite(&a, n, &left);
        }
        let mut at = 0;
        for (position, &i) in left.iter().enumerate() {
            if a[i * n + i].size() > a[left[at] * n + left[at]].size() {
                at = position;
            }
        }
        let k = left.swap_remove(at);
        let p = a[k * n + k];
        for &i in &left {
            let f = a[i * n + k];
            for &j in &left {
                a[i * n + j] = N::eliminate(a[i * n + j], f, a[k * n + j], p, previous);
            }
        }
        previous = p;
    }
    Definiteness::Definite
}

/// The part that is left has no diagonal entry that is surely positive.
fn rest_of_semidefinite<N: Number>(a: &[N], n: usize, left: &[usize]) -> Definiteness {
    let mut all_zero = true;
    for &i in left {
        for &j in left {
            match a[i * n + j].sign() {
                Sign::Zero => {}
                Sign::Unsure => all_zero = false,
                // A zero on the diagonal with something beside it.
                _ if a[i * n + i].sign() == Sign::Zero => return Definiteness::Indefinite,
                _ => all_zero = false,
            }
        }
    }
    if all_zero { Definiteness::Semidefinite } else { Definiteness::Unsure }
}

/// Whether the cone {u ≥ 0, G u ≤ 0} has a point with cᵀu > 0.
pub(crate) enum Cone<N> {
    /// Such a point u.
    Ray(Vec<N>),
    Empty,
    Unsure,
    /// The budget is spent.
    Spent,
}

/// Simplex method on the tableau G u + s = 0 with the cost cᵀu, from the apex u = 0, where every
/// step is degenerate: it ends with a ray or with a proof that there is none. Least index rule
/// (Bland 1977), so it ends.
///
/// `g` holds the rows of G, each as long as `c`.
pub(crate) fn ray<N: Number>(g: &[Vec<N>], c: &[N], budget: &mut Budget) -> Cone<N> {
    let (rows, cols) = (g.len(), c.len());
    // Column j stands for the non-basic variable outside[j]; row i for the basic inside[i].
    let mut outside: Vec<usize> = (0..cols).collect();
    let mut inside: Vec<usize> = (cols..cols + rows).collect();
    let mut t: Vec<Vec<N>> = g.to_vec();
    t.push(c.to_vec());
    let mut previous = N::ONE;
    loop {
        if !budget.spend((rows + 1) * cols + 1) {
            return Cone::Spent;
        }
        let least = |sign: Sign| {
            let fits = |j: &usize| t[rows][*j].sign() == sign;
            (0..cols).filter(fits).min_by_key(|&j| outside[j])
        };
        let Some(enter) = least(Sign::Positive) else {
            let unsure = least(Sign::Unsure).is_some();
            return if unsure { Cone::Unsure } else { Cone::Empty };
        };
        let least = |sign: Sign| {
            let fits = |i: &usize| t[*i][enter].sign() == sign;
            (0..rows).filter(fits).min_by_key(|&i| inside[i])
        };
        let Some(leave) = least(Sign::Positive) else {
            if least(Sign::Unsure).is_some() {
                return Cone::Unsure;
            }
            let mut u = vec![N::ZERO; cols];
            let mut set = |v: usize, value: N| {
                if v < cols {
                    u[v] = value;
                }
            };
            set(outside[enter], previous);
            (0..rows).for_each(|i| set(inside[i], t[i][enter].negate()));
            return Cone::Ray(u);
        };
        previous = exchange(&mut t, leave, enter, previous);
        std::mem::swap(&mut inside[leave], &mut outside[enter]);
    }
}

/// Exchanges the basic variable of row r with the non-basic one of column e; returns the common
/// denominator of the new tableau.
fn exchange<N: Number>(t: &mut [Vec<N>], r: usize, e: usize, previous: N) -> N {
    let p = t[r][e];
    let pivot_row = t[r].clone();
    for (i, row) in t.iter_mut().enumerate() {
        if i == r {
            row.iter_mut().for_each(|v| *v = v.over(p));
            row[e] = previous.over(p);
        } else {
            let f = row[e];
            for (v, &c) in row.iter_mut().zip(&pivot_row) {
                *v = N::eliminate(*v, f, c, p, previous);
            }
            row[e] = f.negate().over(p);
        }
    }
    if N::FRACTION_FREE { p } else { N::ONE }
}

#[cfg(test)]
mod tests {
    use super::super::number::{Interval, integers, intervals};
    use super::*;
    use crate::Matrix;
    use proptest::prelude::*;

    fn matrix(n: usize, entries: &[i32]) -> Matrix {
        Matrix::from_fn(n, n, |i, j| f64::from(entries[i * n + j]))
    }

    fn determinant(a: &[i128], n: usize) -> i128 {
        if n == 0 {
            return 1;
        }
        let minor = |k: usize| {
            let cols: Vec<usize> = (0..n).filter(|&j| j != k).collect();
            let entries: Vec<i128> =
                (1..n).flat_map(|i| cols.iter().map(move |&j| a[i * n + j])).collect();
            determinant(&entries, n - 1)
        };
        (0..n).map(|k| if k % 2 == 0 { a[k] * minor(k) } else { -a[k] * minor(k) }).sum()
    }

    proptest! {
        #[test]
        fn elimination_gives_the_sign_of_the_determinant_and_a_solution(
            entries in prop::collection::vec(-4i32..5, 16), b in prop::collection::vec(-4i128..5, 4),
        ) {
            let a = integers(&matrix(4, &entries)).unwrap();
            match solve(a.clone(), b.clone()) {
                Linear::Singular => prop_assert_eq!(determinant(&a, 4), 0),
                Linear::Unsure => prop_assert!(false, "integers are never unsure"),
                Linear::Regular { determinant: d, x } => {
                    let exact = determinant(&a, 4);
                    prop_assert_eq!(d, exact.sign());
                    for i in 0..4 {
                        let product: i128 = (0..4).map(|j| a[i * 4 + j] * x[j]).sum();
                        prop_assert_eq!(product, exact.abs() * b[i]);
                    }
                }
            }
            let b: Vec<Interval> = b.iter().map(|&v| Interval::point(v as f64)).collect();
            match solve(intervals(&matrix(4, &entries)), b) {
                Linear::Regular { determinant: d, .. } => {
                    prop_assert_eq!(d, determinant(&a, 4).sign());
                }
                Linear::Singular => prop_assert_eq!(determinant(&a, 4), 0),
                Linear::Unsure => {}
            }
        }

        #[test]
        fn a_ray_lies_in_the_cone_and_an_empty_one_has_no_grid_point(
            entries in prop::collection::vec(-3i128..4, 9), c in prop::collection::vec(-3i128..4, 3),
        ) {
            let g: Vec<Vec<i128>> = entries.chunks(3).map(<[i128]>::to_vec).collect();
            let dot = |a: &[i128], u: &[i128]| a.iter().zip(u).map(|(a, u)| a * u).sum::<i128>();
            let inside = |u: &[i128]| {
                u.iter().all(|&v| v >= 0) && g.iter().all(|r| dot(r, u) <= 0) && dot(&c, u) > 0
            };
            match ray(&g, &c, &mut Budget(1_000_000)) {
                Cone::Ray(u) => prop_assert!(inside(&u), "{u:?}"),
                Cone::Empty => {
                    for k in 0..1000 {
                        prop_assert!(!inside(&[k % 10, k / 10 % 10, k / 100]));
                    }
                }
                _ => prop_assert!(false, "integers are never unsure"),
            }
        }
    }
}
