//! Random matrices against the definitions of the classes, in exact arithmetic.

use super::Class::{ColumnSufficient, M, P, P0, R0, RowSufficient, Z};
use super::tests::classes;
use super::{Class, Classes, Verdict, copositive};
use crate::Matrix;
use proptest::prelude::*;

/// Laplace expansion.
fn determinant(a: &[Vec<i128>]) -> i128 {
    let n = a.len();
    if n == 0 {
        return 1;
    }
    let minor = |k: usize| -> Vec<Vec<i128>> {
        let without = |row: &Vec<i128>| {
            let kept = row.iter().enumerate().filter(|&(j, _)| j != k);
            kept.map(|(_, &v)| v).collect()
        };
        a[1..].iter().map(without).collect()
    };
    (0..n).map(|k| [1, -1][k % 2] * a[0][k] * determinant(&minor(k))).sum()
}

/// A matrix of small integers, and its entries.
#[derive(Clone, Debug)]
struct Integers(Vec<Vec<i128>>);

impl Integers {
    fn matrix(&self) -> Matrix {
        let n = self.0.len();
        Matrix::from_fn(n, n, |i, j| self.0[i][j] as f64)
    }

    fn principal_submatrices(&self) -> impl Iterator<Item = Vec<Vec<i128>>> {
        let n = self.0.len();
        (1usize..1 << n).map(move |set| {
            let ids: Vec<usize> = (0..n).filter(|i| set >> i & 1 == 1).collect();
            let row = |&i: &usize| ids.iter().map(|&j| self.0[i][j]).collect();
            ids.iter().map(row).collect()
        })
    }

    fn principal_minors(&self) -> Vec<i128> {
        self.principal_submatrices().map(|s| determinant(&s)).collect()
    }

    /// Copositive, strictly copositive, by the criteria of Hadeler (1983): no principal submatrix
    /// has a negative determinant and a non-negative adjugate; none has a determinant ≤ 0 and a
    /// positive adjugate.
    fn hadeler(&self) -> (bool, bool) {
        let cofactor = |s: &Vec<Vec<i128>>, i: usize, k: usize| {
            let mut replaced = s.clone();
            replaced[i] = (0..s.len()).map(|j| i128::from(j == k)).collect();
            determinant(&replaced)
        };
        let mut found = (true, true);
        for s in self.principal_submatrices() {
            let d = determinant(&s);
            let places = || (0..s.len()).flat_map(|i| (0..s.len()).map(move |k| (i, k)));
            found.0 &= d >= 0 || !places().all(|(i, k)| cofactor(&s, i, k) >= 0);
            found.1 &= d > 0 || !places().all(|(i, k)| cofactor(&s, i, k) > 0);
        }
        found
    }

    fn twice_symmetric(&self) -> Self {
        let n = self.0.len();
        let row = |i: usize| (0..n).map(|j| self.0[i][j] + self.0[j][i]).collect();
        Self((0..n).map(row).collect())
    }

    fn times(&self, x: &[i128]) -> Vec<i128> {
        let dot = |row: &Vec<i128>| row.iter().zip(x).map(|(a, b)| a * b).sum();
        self.0.iter().map(dot).collect()
    }

    fn products(&self, x: &[i128]) -> Vec<i128> {
        self.times(x).iter().zip(x).map(|(y, x)| x * y).collect()
    }
}

/// Zeros are frequent, so that the boundaries of the classes are met.
fn small_integers() -> impl Strategy<Value = Integers> {
    integers_up_to(4)
}

fn integers_up_to(order: usize) -> impl Strategy<Value = Integers> {
    let entry = prop_oneof![3 => Just(0i128), 4 => -3i128..4, 1 => Just(1)];
    (1..=order).prop_flat_map(move |n| {
        let rows = prop::collection::vec(prop::collection::vec(entry.clone(), n), n);
        (rows, any::<bool>()).prop_map(|(rows, symmetric)| {
            let m = Integers(rows);
            if symmetric { m.twice_symmetric() } else { m }
        })
    })
}

/// All vectors with entries from −bound to bound, but for zero.
fn grid(n: usize, bound: i128) -> impl Iterator<Item = Vec<i128>> {
    let side = 2 * bound + 1;
    (0..side.pow(n as u32))
        .map(move |k| (0..n).map(|i| k / side.pow(i as u32) % side - bound).collect())
        .filter(|x: &Vec<i128>| x.iter().any(|&v| v != 0))
}

fn assert_decided(found: &Classes) {
    for (class, verdict) in found.iter() {
        assert!(!verdict.is_undecided(), "{class}:\n{found}");
        if let Verdict::Yes(reason) = verdict {
            assert_eq!(reason.within, 0.0, "{class}:\n{found}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn small_integers_are_decided_and_agree_with_the_definitions(a in small_integers()) {
        let n = a.0.len();
        let m = a.matrix();
        let found = classes(&m);
        assert_decided(&found);
        let minors = a.principal_minors();
        prop_assert_eq!(found.p.is_yes(), minors.iter().all(|&d| d > 0));
        prop_assert_eq!(found.p0.is_yes(), minors.iter().all(|&d| d >= 0));
        let of_form = a.twice_symmetric().principal_minors();
        prop_assert_eq!(found.positive_definite.is_yes(), of_form.iter().all(|&d| d > 0));
        prop_assert_eq!(found.positive_semidefinite.is_yes(), of_form.iter().all(|&d| d >= 0));
        let (copositive, strictly) = a.twice_symmetric().hadeler();
        prop_assert_eq!(found.copositive.is_yes(), copositive);
        prop_assert_eq!(found.strictly_copositive.is_yes(), strictly);
        prop_assert_eq!(found.m.is_yes(), found.z.is_yes() && found.p.is_yes());
        let transposed = Integers((0..n).map(|i| (0..n).map(|j| a.0[j][i]).collect()).collect());
        // A yes is tried on every vector of a grid; a no has its witness.
        for x in grid(n, 4) {
            let products = a.products(&x);
            let form: i128 = products.iter().sum();
            let w = a.times(&x);
            if x.iter().all(|&v| v >= 0) {
                prop_assert!(form >= 0 || !found.copositive.is_yes());
                prop_assert!(form > 0 || !found.strictly_copositive.is_yes());
                let moved = a.twice_symmetric().times(&x).iter().any(|&v| v != 0);
                prop_assert!(form > 0 || form == 0 && !moved || !found.copositive_plus.is_yes());
                let solves = form == 0 && w.iter().all(|&v| v >= 0);
                prop_assert!(!solves || !found.r0.is_yes());
            }
            let reverses = |p: &[i128]| p.iter().all(|&v| v <= 0) && p.iter().any(|&v| v < 0);
            prop_assert!(!reverses(&products) || !found.column_sufficient.is_yes());
            prop_assert!(!reverses(&transposed.products(&x)) || !found.row_sufficient.is_yes());
        }
    }

    #[test]
    fn copositivity_agrees_with_the_criteria_of_hadeler(a in integers_up_to(5), ones in any::<bool>()) {
        // With ones on the diagonal and −1, 0, 1 beside it the boundary is met often.
        let n = a.0.len();
        let sign = |i: usize, j: usize| if i == j { 1 } else { a.0[i.min(j)][i.max(j)].signum() };
        let row = |i: usize| (0..n).map(|j| if ones { sign(i, j) } else { a.0[i][j] }).collect();
        let a = Integers((0..n).map(row).collect());
        let found = classes(&a.matrix());
        let (copositive, strictly) = a.twice_symmetric().hadeler();
        prop_assert_eq!(found.copositive.is_yes(), copositive);
        prop_assert_eq!(found.strictly_copositive.is_yes(), strictly);
        let search = copositive::search_integers(&a.matrix());
        prop_assert_eq!(search, Some((copositive, strictly)));
    }

    #[test]
    fn intervals_say_the_same_as_integers_or_nothing(a in small_integers()) {
        // Times a third, no entry is a short number; signs stay.
        let exact = classes(&a.matrix());
        let n = a.0.len();
        let m = Matrix::from_fn(n, n, |i, j| a.0[i][j] as f64 * 0.371);
        let found = classes(&m);
        for class in Class::ALL {
            let (x, y) = (exact.get(class), found.get(class));
            let near = matches!(y, Verdict::Yes(r) if r.within > 0.0);
            prop_assert!(
                !(x.is_yes() && y.is_no() || x.is_no() && y.is_yes() && !near),
                "{class}: {x} but {y}"
            );
        }
    }

    #[test]
    fn the_answers_do_not_depend_on_order_or_units(
        a in small_integers(), e in prop::collection::vec(-8i32..9, 4), seed in any::<u64>(),
    ) {
        let n = a.0.len();
        let m = a.matrix();
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, (seed >> (8 * i)) as usize % (i + 1));
        }
        let two = |i: usize| 2f64.powi(e[order[i]]);
        let turned = Matrix::from_fn(n, n, |i, j| two(i) * m[(order[i], order[j])] * two(j));
        let (x, y) = (classes(&m), classes(&turned));
        for class in Class::ALL {
            let same = x.get(class).is_yes() == y.get(class).is_yes();
            prop_assert!(same || y.get(class).is_undecided(), "{class}:\n{x}\n{y}");
        }
        // P, P0, R0 and column sufficiency allow different scales for rows and columns.
        let rows = Matrix::from_fn(n, n, |i, j| m[(i, j)] * 2f64.powi(e[i]));
        let y = classes(&rows);
        for class in [P, P0, R0, ColumnSufficient, RowSufficient, Z, M] {
            let same = x.get(class).is_yes() == y.get(class).is_yes();
            prop_assert!(same || y.get(class).is_undecided(), "{class}:\n{x}\n{y}");
        }
    }
}

proptest! {
    #[test]
    fn wild_numbers_do_not_panic_and_every_no_is_proved(
        n in 0usize..5,
        entries in prop::collection::vec(
            prop_oneof![
                -2.0..2.0f64, Just(0.0), Just(1e308), Just(-1e308), Just(f64::MAX), Just(5e-324),
                Just(-5e-324), Just(1e-308), Just(-1.0), Just(1.0),
            ],
            25,
        ),
    ) {
        let m = Matrix::from_fn(n, n, |i, j| entries[5 * i + j]);
        classes(&m);
    }

    #[test]
    fn integers_near_the_limit_of_the_exact_path_do_not_overflow(
        n in 1usize..8, bits in 1u32..24, entries in prop::collection::vec(-1.0..1.0f64, 49),
    ) {
        let scale = 2f64.powi(bits as i32);
        let m = Matrix::from_fn(n, n, |i, j| (entries[7 * i + j] * scale).round());
        classes(&m);
        classes(&Matrix::from_fn(n, n, |i, j| if i == j { 0.0 } else { m[(i, j)] }));
    }
}
