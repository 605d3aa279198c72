//! Known matrices of each class and of each gap between two classes, and random ones against the
//! definitions.

use super::*;
use proptest::prelude::*;

fn matrix<const N: usize>(rows: [[f64; N]; N]) -> Matrix {
    Matrix::from_rows(&rows).unwrap()
}

fn classes(m: &Matrix) -> Classes {
    let found = classify(m, &Settings::default()).unwrap();
    assert_sound(m, &found);
    found
}

/// Every no passes its check and names its class.
fn assert_sound(m: &Matrix, found: &Classes) {
    for (class, verdict) in found.iter() {
        if let Some(witness) = verdict.witness() {
            assert_eq!(witness.class, class);
            assert!(witness.check(m), "{class}: {witness:?} for {m:?}");
        }
    }
}

/// Asserts that exactly the classes of `members` say yes and all others no.
fn assert_members(m: Matrix, members: &[Class]) {
    let found = classes(&m);
    for (class, verdict) in found.iter() {
        let expected = members.contains(&class);
        let right = if expected {
            verdict.is_yes()
        } else {
            verdict.is_no()
        };
        assert!(right, "{class} should be {expected}:\n{found}");
    }
}

use Class::*;

#[test]
fn the_identity_is_in_every_class_and_so_is_the_empty_matrix() {
    assert_members(Matrix::identity(3), &Class::ALL);
    assert_members(Matrix::zeros(0, 0), &Class::ALL);
    assert_members(matrix([[1e-300]]), &Class::ALL);
    assert_members(matrix([[1e300]]), &Class::ALL);
}

#[test]
fn a_single_entry_decides_by_its_sign() {
    assert_members(matrix([[-1.0]]), &[Symmetric, Z, R0]);
    assert_members(
        matrix([[0.0]]),
        &[
            Symmetric,
            Z,
            PositiveSemidefinite,
            P0,
            CopositivePlus,
            Copositive,
            RowSufficient,
            ColumnSufficient,
            Sufficient,
        ],
    );
}

#[test]
fn p_but_not_positive_semidefinite() {
    assert_members(
        matrix([[1.0, -3.0], [0.0, 1.0]]),
        &[Z, M, P, P0, R0, RowSufficient, ColumnSufficient, Sufficient],
    );
}

#[test]
fn semidefinite_and_not_definite_with_and_without_symmetry() {
    let weak = [
        PositiveSemidefinite,
        P0,
        CopositivePlus,
        Copositive,
        RowSufficient,
        ColumnSufficient,
        Sufficient,
    ];
    let and = |more: &[Class]| [&weak[..], more].concat();
    assert_members(matrix([[1.0, -1.0], [-1.0, 1.0]]), &and(&[Symmetric, Z]));
    assert_members(
        matrix([[1.0, 1.0], [1.0, 1.0]]),
        &and(&[Symmetric, StrictlyCopositive, R0]),
    );
    // Skew: z = e_0 solves LCP(0, M).
    assert_members(matrix([[0.0, -2.0], [2.0, 0.0]]), &weak);
    // Singular symmetric part, but all principal minors positive.
    assert_members(matrix([[1.0, -2.0], [0.0, 1.0]]), &and(&[Z, M, P, R0]));
}

#[test]
fn z_but_not_m() {
    assert_members(matrix([[1.0, -2.0], [-2.0, 1.0]]), &[Symmetric, Z, R0]);
}

#[test]
fn strictly_copositive_but_not_p0() {
    assert_members(
        matrix([[1.0, 2.0], [2.0, 1.0]]),
        &[
            Symmetric,
            StrictlyCopositive,
            CopositivePlus,
            Copositive,
            R0,
        ],
    );
}

#[test]
fn p0_but_not_sufficient() {
    // x = (1, −1): products −1 and 0, for M and for Mᵀ.
    assert_members(matrix([[0.0, 1.0], [0.0, 0.0]]), &[P0, Copositive]);
    // Column but not row sufficient, and its transpose.
    let m = matrix([[0.0, 1.0], [0.0, 1.0]]);
    assert_members(m.transposed(), &[P0, RowSufficient, Copositive]);
    assert_members(m, &[P0, ColumnSufficient, Copositive]);
}

#[test]
fn copositive_but_not_plus() {
    // The form 2xy vanishes at e_0, where (M + Mᵀ)e_0 = (0, 2).
    let m = matrix([[0.0, 1.0], [1.0, 0.0]]);
    assert_members(m, &[Symmetric, Copositive]);
}

#[test]
fn r0_alone() {
    assert_members(matrix([[-1.0, -1.0], [-1.0, -2.0]]), &[Symmetric, Z, R0]);
    assert_members(matrix([[-1.0, 2.0], [3.0, -1.0]]), &[R0]);
}

/// Copositive, but not the sum of a semidefinite and a non-negative matrix (Hall and Newman 1963).
fn horn(diagonal: f64) -> Matrix {
    Matrix::from_fn(5, 5, |i, j| match (i + 5 - j) % 5 {
        0 => diagonal,
        1 | 4 => -1.0,
        _ => 1.0,
    })
}

#[test]
fn the_horn_matrix_is_copositive_and_with_a_smaller_diagonal_it_is_not() {
    assert_members(horn(1.0), &[Symmetric, Copositive]);
    assert!(classes(&horn(1.0 - 1e-6)).copositive.is_no());
    assert!(classes(&horn(1.0 + 1e-6)).strictly_copositive.is_yes());
    // The same in numbers that are no short binary fractions.
    let d = [0.3, 1.7, 11.0 / 7.0, 1e-5, 3e4];
    let scaled = |h: Matrix| Matrix::from_fn(5, 5, |i, j| h[(i, j)] * d[i] * d[j]);
    assert!(classes(&scaled(horn(1.0 - 1e-6))).copositive.is_no());
    assert!(
        classes(&scaled(horn(1.0 + 1e-6)))
            .strictly_copositive
            .is_yes()
    );
    let close = classes(&scaled(horn(1.0)));
    assert!(close.copositive.is_yes(), "{close}");
    assert!(!close.strictly_copositive.is_yes());
}

#[test]
fn a_gram_matrix_off_the_boundary_by_rounding_is_semidefinite_to_rounding() {
    let g = Matrix::from_fn(3, 8, |i, j| {
        (1.3 * i as f64 + 0.7 * (j * j) as f64 + 0.1).sin()
    });
    let m = Matrix::from_fn(8, 8, |i, j| (0..3).map(|k| g[(k, i)] * g[(k, j)]).sum());
    let found = classes(&m);
    let Verdict::Yes(reason) = found.positive_semidefinite else {
        panic!("{found}");
    };
    assert!(reason.within > 0.0 && reason.within < 1e-11);
    assert!(found.sufficient.is_yes() && found.p0.is_yes());
    assert!(found.positive_definite.is_undecided());
}

#[test]
fn misuse_is_refused() {
    let settings = Settings::default();
    assert!(matches!(
        classify(&Matrix::zeros(2, 3), &settings),
        Err(Error::NotSquare { rows: 2, cols: 3 })
    ));
    assert!(classify(&matrix([[f64::NAN]]), &settings).is_err());
    let bad = Settings {
        rounding: 0.0,
        ..settings
    };
    assert!(classify(&Matrix::identity(1), &bad).is_err());
}

#[test]
fn a_false_witness_is_refused() {
    let m = matrix([[1.0, -3.0], [0.0, 1.0]]);
    let check = |class, evidence| Witness { class, evidence }.check(&m);
    let form = |x: &[f64]| Evidence::Form { x: x.to_vec() };
    assert!(check(PositiveSemidefinite, form(&[1.0, 1.0])));
    for x in [&[1.0, -1.0][..], &[0.0, 0.0], &[1.0], &[f64::NAN, 1.0]] {
        assert!(!check(PositiveSemidefinite, form(x)));
    }
    assert!(!check(Copositive, form(&[-1.0, -1.0])));
    assert!(!check(P, form(&[1.0, 1.0])));
    assert!(!check(R0, Evidence::Kernel { z: vec![1.0, 0.0] }));
    let w_negative = Witness {
        class: R0,
        evidence: Evidence::Kernel { z: vec![1.0, 0.0] },
    };
    assert!(w_negative.check(&matrix([[0.0, 2.0], [1.0, 1.0]])));
    assert!(!w_negative.check(&matrix([[0.0, 2.0], [-1.0, 1.0]])));
    let reversal = |transposed| Evidence::Reversal {
        x: vec![1.0, 1.0],
        transposed,
    };
    assert!(!check(P, reversal(false)) && !check(P0, reversal(true)));
    assert!(check(Symmetric, Evidence::Entry { row: 0, col: 1 }));
    assert!(!check(Z, Evidence::Entry { row: 0, col: 1 }));
    assert!(!check(Symmetric, Evidence::Entry { row: 0, col: 2 }));
}

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
    (0..n)
        .map(|k| [1, -1][k % 2] * a[0][k] * determinant(&minor(k)))
        .sum()
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
        self.principal_submatrices()
            .map(|s| determinant(&s))
            .collect()
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
        .map(move |k| {
            (0..n)
                .map(|i| k / side.pow(i as u32) % side - bound)
                .collect()
        })
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
}

/// A fixed sequence of numbers in [−1, 1).
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

#[test]
fn a_large_definite_matrix_is_decided_in_every_class() {
    let n = 200;
    let mut r = noise(1);
    let a = Matrix::from_fn(n, n, |_, _| r());
    let gram = |i: usize, j: usize| (0..n).map(|k| a[(i, k)] * a[(j, k)]).sum::<f64>();
    // The skew part does not alter the form.
    let m = Matrix::from_fn(n, n, |i, j| gram(i, j) + (i as f64 - j as f64));
    let found = classes(&m);
    for class in [PositiveDefinite, P, StrictlyCopositive, R0, Sufficient] {
        assert!(found.get(class).is_yes(), "{found}");
    }
    let symmetric = Matrix::from_fn(n, n, |i, j| if i == j { -1.0 } else { 0.0 } + gram(i, j));
    let lowered = classes(&symmetric);
    for class in [PositiveSemidefinite, P0, RowSufficient, ColumnSufficient] {
        assert!(lowered.get(class).is_no(), "{lowered}");
    }
}

#[test]
fn a_large_z_matrix_is_m_or_is_not() {
    let n = 150;
    let z = |off: f64| {
        let mut r = noise(3);
        Matrix::from_fn(
            n,
            n,
            |i, j| if i == j { n as f64 } else { -off * r().abs() },
        )
    };
    assert!(classes(&z(1.5)).m.is_yes());
    let found = classes(&z(3.0));
    assert!(
        found.m.is_no() && found.p0.is_no() && found.sufficient.is_no(),
        "{found}"
    );
}

#[test]
fn a_large_triangular_matrix_is_p() {
    let mut r = noise(5);
    let upper = |i: usize, j: usize, v: f64| if i < j { v } else { f64::from(i == j) };
    let m = Matrix::from_fn(100, 100, |i, j| upper(i, j, r()));
    let found = classes(&m);
    assert!(found.p.is_yes() && found.copositive.is_no(), "{found}");
}

/// One planar contact with a slip speed: normal impulse, friction both ways, slip.
fn contact([n, c, t]: [f64; 3], mu: f64) -> Matrix {
    matrix([
        [n, c, -c, 0.0],
        [c, t, -t, 1.0],
        [-c, -t, t, 1.0],
        [mu, -1.0, -1.0, 0.0],
    ])
}

#[test]
fn a_contact_with_slip_speed_is_copositive_and_not_plus() {
    for mu in [0.1, 0.3, 2.0, 10.0] {
        let found = classes(&contact([1.5, 1.0, 0.75], mu));
        assert!(found.copositive.is_yes(), "{found}");
        for class in [CopositivePlus, StrictlyCopositive, R0, PositiveSemidefinite] {
            assert!(found.get(class).is_no(), "{found}");
        }
    }
}

#[test]
fn too_large_is_said_where_it_is() {
    let m = Matrix::from_fn(30, 30, |i, j| {
        if i == j {
            0.3
        } else {
            ((7 * i * j + i + j) % 5) as f64 - 0.5
        }
    });
    let found = classes(&m);
    assert!(
        found
            .iter()
            .all(|(_, v)| *v != Verdict::Undecided(Why::TooClose)),
        "{found}"
    );
    let little = Settings {
        max_work: 10,
        ..Settings::default()
    };
    let found = classify(&horn(1.0), &little).unwrap();
    assert_eq!(found.copositive, Verdict::Undecided(Why::TooLarge));
    assert_sound(&horn(1.0), &found);
}

#[test]
fn the_table_names_every_class_and_what_follows() {
    let text = classes(&matrix([[1.0, -3.0], [0.0, 1.0]])).to_string();
    for class in Class::ALL {
        assert!(text.contains(class.name()));
    }
    assert!(text.contains("exactly one solution; Lemke finds it"));
    let texts =
        |m: &Matrix| -> Vec<&str> { classes(m).consequences().iter().map(|c| c.text).collect() };
    assert!(texts(&matrix([[1.0, 1.0], [1.0, 1.0]])).contains(&"w is the same for all solutions"));
    assert!(texts(&matrix([[-1.0, 2.0], [3.0, -1.0]])).len() == 1);
}
