//! Every answer is checked by products with the data alone.

use super::*;
use proptest::prelude::*;

fn solve(a: &Matrix, b: &[f64]) -> (LinearProgram, Feasibility) {
    let mut lp = LinearProgram::default();
    lp.load(a, b);
    let outcome = lp.feasible();
    (lp, outcome)
}

/// The certificate of either answer, computed from the data alone.
fn check(a: &Matrix, b: &[f64], zero: &[bool], lp: &LinearProgram, outcome: Feasibility) {
    let (m, n) = (a.rows(), a.cols());
    match outcome {
        Feasibility::Feasible => {
            let mut x = vec![0.0; n];
            lp.point(&mut x);
            assert!((0..n).all(|j| x[j] >= 0.0 && (!zero[j] || x[j] == 0.0)), "{x:?}");
            for (i, s) in a.mul_vec(&x).iter().enumerate() {
                let s = s + b[i];
                let terms: f64 = (0..n).map(|j| (a[(i, j)] * x[j]).abs()).sum();
                let size = terms + b[i].abs();
                assert!(s >= -1e-12 * size, "row {i}: {s}");
                assert!(!zero[n + i] || s <= 1e-12 * size, "row {i}: {s}");
            }
        }
        Feasibility::Infeasible => {
            let mut y = vec![0.0; m];
            lp.farkas(&mut y);
            assert!((0..m).all(|i| y[i] >= 0.0 || zero[n + i]), "{y:?}");
            assert!(y.iter().zip(b).map(|(y, b)| y * b).sum::<f64>() < 0.0);
            for (j, v) in a.transposed().mul_vec(&y).iter().enumerate() {
                let size: f64 = (0..m).map(|i| (a[(i, j)] * y[i]).abs()).sum();
                assert!(zero[j] || *v <= 1e-12 * size, "column {j}: {v}");
            }
        }
        Feasibility::Undecided => panic!("undecided"),
    }
}

fn system() -> impl Strategy<Value = (Matrix, Vec<f64>, Vec<f64>, Vec<u8>)> {
    (1usize..9, 1usize..9, any::<bool>()).prop_flat_map(|(m, n, whole)| {
        let number =
            if whole { (-2i32..3).prop_map(f64::from).boxed() } else { (-1.0..1.0).boxed() };
        (
            prop::collection::vec(number.clone(), m * n),
            prop::collection::vec(number.clone(), m),
            prop::collection::vec(number, n),
            prop::collection::vec(0u8..5, m + n),
        )
            .prop_map(move |(a, b, c, zero)| (Matrix::from_vec(m, n, a).unwrap(), b, c, zero))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_system_has_a_vertex_or_a_farkas_vector((a, b, _, fix) in system()) {
        let n = a.cols();
        let mut zero = vec![false; fix.len()];
        let (mut lp, mut outcome) = solve(&a, &b);
        check(&a, &b, &zero, &lp, outcome);
        for v in (0..fix.len()).filter(|&v| fix[v] == 0) {
            zero[v] = true;
            if v < n { lp.fix_variable(v) } else { lp.fix_row(v - n) }
            let before = outcome;
            outcome = lp.feasible();
            prop_assert!(before == Feasibility::Feasible || outcome == before);
            check(&a, &b, &zero, &lp, outcome);
        }
    }

    #[test]
    fn a_maximum_equals_that_of_the_dual((a, b, c, _) in system()) {
        let (mut lp, outcome) = solve(&a, &b);
        if outcome != Feasibility::Feasible {
            return Ok(());
        }
        let n = a.cols();
        let negative: Vec<f64> = c.iter().map(|c| -c).collect();
        let transposed = a.transposed();
        let minus = Matrix::from_fn(n, a.rows(), |i, j| -transposed[(i, j)]);
        let (mut dual, dual_outcome) = solve(&minus, &negative);
        let mut x = vec![0.0; n];
        match lp.maximize(&c) {
            Maximum::Optimal => {
                lp.point(&mut x);
                prop_assert_eq!(dual_outcome, Feasibility::Feasible);
                let minus_b: Vec<f64> = b.iter().map(|b| -b).collect();
                prop_assert_eq!(dual.maximize(&minus_b), Maximum::Optimal);
                let mut y = vec![0.0; b.len()];
                dual.point(&mut y);
                let primal: f64 = x.iter().zip(&c).map(|(x, c)| x * c).sum();
                let dual: f64 = y.iter().zip(&b).map(|(y, b)| y * b).sum();
                prop_assert!((primal - dual).abs() <= 1e-9 * (1.0 + primal.abs()), "{} {}", primal, dual);
            }
            Maximum::Unbounded => {
                lp.ray(&mut x);
                prop_assert!(x.iter().zip(&c).map(|(x, c)| x * c).sum::<f64>() > 0.0);
                prop_assert!(x.iter().all(|&x| x >= 0.0));
                prop_assert!(a.mul_vec(&x).iter().all(|&s| s >= -1e-10));
                prop_assert_eq!(dual_outcome, Feasibility::Infeasible);
            }
            Maximum::Undecided => prop_assert!(false, "undecided"),
        }
    }

    #[test]
    fn powers_of_two_in_rows_and_columns_change_no_answer(
        (a, b, _, fix) in system(),
        exponents in prop::collection::vec(-40i32..40, 16),
    ) {
        let two = |k: usize| 2f64.powi(exponents[k]);
        let scaled = Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] * two(i) * two(8 + j));
        let scaled_b: Vec<f64> = b.iter().enumerate().map(|(i, b)| b * two(i)).collect();
        let ((_, plain), (lp, outcome)) = (solve(&a, &b), solve(&scaled, &scaled_b));
        prop_assert_eq!(plain, outcome);
        check(&scaled, &scaled_b, &vec![false; fix.len()], &lp, outcome);
    }

    #[test]
    fn wild_numbers_end(
        a in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO, 16),
        b in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO, 4),
    ) {
        let (mut lp, outcome) = solve(&Matrix::from_vec(4, 4, a).unwrap(), &b);
        if outcome == Feasibility::Feasible {
            lp.maximize(&b);
        }
    }
}
