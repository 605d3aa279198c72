//! Known matrices of each class and of each gap between two classes.

use super::*;

fn matrix<const N: usize>(rows: [[f64; N]; N]) -> Matrix {
    Matrix::from_rows(&rows).unwrap()
}

pub(super) fn classes(m: &Matrix) -> Classes {
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
        let right = if expected { verdict.is_yes() } else { verdict.is_no() };
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
    assert_members(matrix([[1.0, 1.0], [1.0, 1.0]]), &and(&[Symmetric, StrictlyCopositive, R0]));
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
        &[Symmetric, StrictlyCopositive, CopositivePlus, Copositive, R0],
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
    assert!(classes(&scaled(horn(1.0 + 1e-6))).strictly_copositive.is_yes());
    let close = classes(&scaled(horn(1.0)));
    assert!(close.copositive.is_yes(), "{close}");
    assert!(!close.strictly_copositive.is_yes());
}

#[test]
fn a_gram_matrix_off_the_boundary_by_rounding_is_semidefinite_to_rounding() {
    let g = Matrix::from_fn(3, 8, |i, j| (1.3 * i as f64 + 0.7 * (j * j) as f64 + 0.1).sin());
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
    let bad = Settings { rounding: 0.0, ..settings };
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
    let w_negative = Witness { class: R0, evidence: Evidence::Kernel { z: vec![1.0, 0.0] } };
    assert!(w_negative.check(&matrix([[0.0, 2.0], [1.0, 1.0]])));
    assert!(!w_negative.check(&matrix([[0.0, 2.0], [-1.0, 1.0]])));
    let reversal = |transposed| Evidence::Reversal { x: vec![1.0, 1.0], transposed };
    assert!(!check(P, reversal(false)) && !check(P0, reversal(true)));
    assert!(check(Symmetric, Evidence::Entry { row: 0, col: 1 }));
    assert!(!check(Z, Evidence::Entry { row: 0, col: 1 }));
    assert!(!check(Symmetric, Evidence::Entry { row: 0, col: 2 }));
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
        Matrix::from_fn(n, n, |i, j| if i == j { n as f64 } else { -off * r().abs() })
    };
    assert!(classes(&z(1.5)).m.is_yes());
    let found = classes(&z(3.0));
    assert!(found.m.is_no() && found.p0.is_no() && found.sufficient.is_no(), "{found}");
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
    matrix([[n, c, -c, 0.0], [c, t, -t, 1.0], [-c, -t, t, 1.0], [mu, -1.0, -1.0, 0.0]])
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
    let m =
        Matrix::from_fn(
            30,
            30,
            |i, j| {
                if i == j { 0.3 } else { ((7 * i * j + i + j) % 5) as f64 - 0.5 }
            },
        );
    let found = classes(&m);
    assert!(found.iter().all(|(_, v)| *v != Verdict::Undecided(Undecided::TooClose)), "{found}");
    let little = Settings { max_work: 10, ..Settings::default() };
    let found = classify(&horn(1.0), &little).unwrap();
    assert_eq!(found.copositive, Verdict::Undecided(Undecided::TooLarge));
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
