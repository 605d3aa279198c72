//! LcpCases that a sceptical reader found: each one broke a promise of the documentation.
//!
//! The truth of each case is stated beside it, in a few lines that can be checked by hand.

use complementarity::{
    Auto, InteriorPoint, Lcp, Lemke, Matrix, MixedSolver, Mlcp, Newton, PrincipalPivoting, Problem,
    Proof, Solver, Status, auto, lemke, solve, solve_mixed,
};

const TOLERANCE: f64 = 1e-10;

fn lcp(text: &str) -> Lcp {
    Lcp::from_json(text).expect("the case is well formed")
}

fn mlcp(text: &str) -> Mlcp {
    Mlcp::from_json(text).expect("the case is well formed")
}

/// SplitMix64 as numbers between 0 and 1.
struct Draw(u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn whole(&mut self, low: i64, high: i64) -> i64 {
        low + (self.bits() % (high - low + 1) as u64) as i64
    }
}

mod proofs {
    use super::*;

    /// w1 = 2 z1 − 10⁷ z2 = −w2, z1 free, z2 ≥ 2: solved by z = (10⁷, 2), where w = 0 exactly.
    /// y1 and y2 differ in the last bit, and that bit times the bound is the whole conclusion.
    const ROUNDING_TIMES_A_BOUND: &str = r#"{"kind":"mlcp","m":[[2,-10000000],[-2,10000000]],
        "q":[0,0],"lower":[null,2],"upper":[null,null]}"#;

    #[test]
    fn rounding_times_a_bound_proves_nothing() {
        let p = mlcp(ROUNDING_TIMES_A_BOUND);
        assert_eq!(p.residual(&[1e7, 2.0]).scaled, 0.0);
        let y = vec![8.056919593974543e-5, 8.056919593974542e-5];
        assert!(Proof::infeasible(&y).unwrap().check_mixed(&p).is_err());
    }

    #[test]
    fn interior_point_calls_no_solvable_problem_unsolvable() {
        let p = mlcp(ROUNDING_TIMES_A_BOUND);
        let mut solver = InteriorPoint::default();
        assert_ne!(solver.solve_mixed(&p).status, Status::NoSolution);
    }

    /// In floating point the last column adds up to +0.5 (1e16 − 1 rounds to 1e16), exactly to −0.5;
    /// z = (1e16, −1, −1e16, 0, −1) is an exact solution.
    #[test]
    fn a_sum_with_the_sign_of_its_rounding_proves_nothing() {
        let m = Matrix::from_rows(&[
            [1.0, 0.0, 0.0, 0.0, 1e16],
            [0.0, 1.0, 0.0, 0.0, -1.0],
            [0.0, 0.0, 1.0, 0.0, -1e16],
            [-1.0, -1.0, -1.0, 0.0, 0.5],
            [0.0; 5],
        ]);
        let inf = f64::INFINITY;
        let (lower, upper) = (vec![-inf, -inf, -inf, 0.0, -inf], vec![inf, inf, inf, inf, -1.0]);
        let p = Mlcp::new(m.unwrap(), vec![0.0; 5], lower, upper).unwrap();
        let y = vec![1.0, 1.0, 1.0, 1.0, 0.0];
        assert!(Proof::infeasible(&y).unwrap().check_mixed(&p).is_err());
    }

    /// z1 = z2 = 1/d solves it exactly up to the rounding of 1/d; with k = 10⁸ that is about 10⁴. The
    /// wrong sign of the second column's sum, d > 0, is far above the rounding of that sum (10⁻⁸).
    #[test]
    fn a_proof_and_a_solution_exclude_each_other() {
        for k in [1e2, 1e4, 1e6, 1e8] {
            let d = 1e-12 * (1.0 + k);
            let m = Matrix::from_rows(&[
                [-1.0, 1.0 + d, 0.0, 0.0],
                [1.0, -1.0, 0.0, 0.0],
                [-k, k, 0.0, 0.0],
                [k, -k, 0.0, 0.0],
            ]);
            let p = Lcp::new(m.unwrap(), vec![-1.0, 0.0, 0.0, 0.0]).unwrap();
            let z = 1.0 / ((1.0 + d) - 1.0);
            let solved = p.residual(&[z, z, 0.0, 0.0]).scaled <= TOLERANCE;
            assert!(solved || z > 1e9, "k = {k}, z = {z}");
            let proof = Proof::infeasible(&[1.0; 4]).unwrap();
            assert!(!solved || proof.check(&p).is_err(), "k = {k}, z = {z}");
        }
    }
}

mod residuals {
    use super::*;

    /// w2 ≥ 0 makes z1 ≥ 1; then w1 ≥ 0 makes w3 = z3 − z2 ≥ z1 > 0, so z3 = 0 and w1 < 0.
    const NULL_DIRECTION: &str = r#"{"kind":"lcp","m":[[-1,-1,1],[1,0,0],[0,-1,1]],"q":[0,-1,0]}"#;

    #[test]
    fn a_huge_vector_hides_no_fault_in_a_row_whose_q_is_zero() {
        // w3 = 1 although z3 > 0. Row 3 has no q of its own.
        let r = lcp(NULL_DIRECTION).residual(&[1.0, 1e13, 1e13 + 1.0]);
        assert!(r.scaled > TOLERANCE, "{r:?}");
    }

    #[test]
    fn newton_does_not_solve_what_has_no_solution() {
        assert!(!Newton::default().solve(&lcp(NULL_DIRECTION)).is_solved());
    }

    /// w2 + w3 = −3 always, and y = (0, 1, 1) proves it.
    #[test]
    fn auto_does_not_solve_a_problem_that_has_a_proof_against_it() {
        let p =
            lcp(r#"{"kind":"lcp","m":[[0,-1,2],[0,199999999,-200000001],[0,-199999999,200000001]],
            "q":[-1,-1,-2]}"#);
        assert_eq!(Proof::infeasible(&[0.0, 1.0, 1.0]).unwrap().check(&p), Ok(()));
        let solution = solve(&p);
        assert!(!solution.is_solved(), "{solution:?}");
    }

    /// w1 = 3e6 z1 − 2e5 z2 and w2 = −w1 − 2: the two are never both non-negative.
    #[test]
    fn auto_does_not_solve_a_mixed_problem_that_has_a_proof_against_it() {
        let p = mlcp(
            r#"{"kind":"mlcp","m":[[3000000,-200000],[-3000000,200000]],"q":[0,-2],
            "lower":[0,2],"upper":[null,null]}"#,
        );
        assert_eq!(Proof::infeasible(&[1.0, 1.0]).unwrap().check_mixed(&p), Ok(()));
        let solution = solve_mixed(&p);
        assert!(!solution.is_solved(), "{solution:?}");
    }

    /// w1 + w2 = −1e-5 always: a fault of 1e-5 in data of size one.
    #[test]
    fn a_large_vector_hides_no_fault_that_a_proof_can_see() {
        let p = lcp(r#"{"kind":"lcp","m":[[1,-1],[-1,1]],"q":[1,-1.00001]}"#);
        assert_eq!(Proof::infeasible(&[1.0, 1.0]).unwrap().check(&p), Ok(()));
        let r = p.residual(&[1e6, 1e6 + 1.0]);
        assert!(r.scaled > TOLERANCE, "{r:?}");
    }

    /// z2 > 0 would need w2 = 0, but w2 ≥ 1; so z2 = 0 and w3 = −1.
    #[test]
    fn a_large_unknown_hides_no_fault_in_a_row_that_does_not_contain_it() {
        let p = lcp(r#"{"kind":"lcp","m":[[0,0,2],[3,1,3],[0,300000000,0]],"q":[-1,1,-1]}"#);
        let r = p.residual(&[4.5e7, 0.0, 0.5]);
        assert!(r.scaled > TOLERANCE, "{r:?}");
    }

    /// The units of a chain of unknowns drift from one end to the other.
    #[test]
    fn a_change_of_units_along_a_chain_does_not_change_the_verdict() {
        let two = |e: i64| 2f64.powi(e as i32);
        let mut draw = Draw(4);
        let mut changed = Vec::new();
        for (n, reach) in [(10, 25), (50, 5), (50, 25), (200, 5)] {
            for _ in 0..40 {
                let m = Matrix::from_fn(n, n, |i, j| match i.checked_sub(j) {
                    Some(0) => 1.0 + draw.unit(),
                    Some(1) => -draw.unit(),
                    _ => 0.0,
                });
                let z: Vec<f64> = (0..n).map(|_| 2.0 * draw.unit()).collect();
                let mut q: Vec<f64> = m.mul_vec(&z).iter().map(|w| -w).collect();
                let fault = draw.whole(0, n as i64 - 1) as usize;
                q[fault] += 10f64.powi(-(draw.whole(6, 12) as i32));
                let drift = |i: usize| 2 * (i as i64 * reach / n as i64) - reach;
                let c: Vec<i64> = (0..n).map(|j| draw.whole(-reach, reach) - drift(j)).collect();
                let other_m = Matrix::from_fn(n, n, |i, j| m[(i, j)] * two(drift(i) + c[j]));
                let other_q = (0..n).map(|i| q[i] * two(drift(i))).collect();
                let other_z: Vec<f64> = (0..n).map(|j| z[j] * two(-c[j])).collect();
                let a = Lcp::new(m, q).unwrap().residual(&z).scaled;
                let b = Lcp::new(other_m, other_q).unwrap().residual(&other_z).scaled;
                if (a <= TOLERANCE) != (b <= TOLERANCE) {
                    changed.push((n, reach, a, b));
                }
            }
        }
        assert!(changed.is_empty(), "{} verdicts changed: {changed:?}", changed.len());
    }

    #[test]
    fn the_residual_of_a_solution_is_that_of_its_problem() {
        let p = mlcp(
            r#"{"kind":"mlcp","m":[[3,1],[-3,2]],"q":[-3,2],"lower":[0,0],"upper":[null,null]}"#,
        );
        let solution = solve_mixed(&p);
        assert_eq!(solution.residual, p.residual(&solution.z));
    }
}

mod default_method {
    use super::*;

    /// Each has a solution that is written beside it.
    #[test]
    fn small_mixed_problems_with_a_solution_are_solved() {
        let cases: &[(&str, &[f64])] = &[
            (
                r#"{"kind":"mlcp","m":[[0,-2],[-200,0]],"q":[1,0],"lower":[null,0],"upper":[null,1]}"#,
                &[0.0, 0.5],
            ),
            (
                r#"{"kind":"mlcp","m":[[-1,-20],[-2,-2]],"q":[-1,-3],"lower":[0,null],"upper":[null,0]}"#,
                &[0.0, -1.5],
            ),
            (
                r#"{"kind":"mlcp","m":[[-2,0],[-2,0]],"q":[-3,1],"lower":[null,0],"upper":[1,null]}"#,
                &[-1.5, 0.0],
            ),
            (
                r#"{"kind":"mlcp","m":[[-2,-1],[-2,-1]],"q":[-2,2],"lower":[null,0],"upper":[-2,null]}"#,
                &[-2.0, 6.0],
            ),
            (
                r#"{"kind":"mlcp","m":[[0,2,0],[2,0,2],[0,1,0]],"q":[-1,2,0],"lower":[0,0,-1],"upper":[null,1,0]}"#,
                &[0.0, 0.5, -1.0],
            ),
            (
                r#"{"kind":"mlcp","m":[[0,1,1],[1,1,0],[1,0,-1]],"q":[-1,1,1],"lower":[0,0,0],"upper":[null,2,1]}"#,
                &[0.0, 0.0, 1.0],
            ),
        ];
        let mut failed = Vec::new();
        for (text, answer) in cases {
            let p = mlcp(text);
            assert!(p.residual(answer).scaled <= 1e-15, "{text} {:?}", p.residual(answer));
            let status = solve_mixed(&p).status;
            if status != Status::Solved {
                failed.push((text, status));
            }
        }
        assert!(failed.is_empty(), "{failed:?}");
    }

    /// The settings of `Auto` hold for the methods that it calls.
    #[test]
    fn what_misses_the_tolerance_is_not_called_solved() {
        let tolerance = 1e-16;
        let mut auto = Auto::new(auto::Settings { tolerance, ..Default::default() }).unwrap();
        let mut draw = Draw(5);
        let mut wrong = Vec::new();
        for _ in 0..2000 {
            let n = draw.whole(2, 8) as usize;
            let m = Matrix::from_fn(n, n, |_, _| 2.0 * draw.unit() - 1.0);
            let q: Vec<f64> = (0..n).map(|_| 2.0 * draw.unit() - 1.0).collect();
            let plain = Lcp::new(m.clone(), q.clone()).unwrap();
            let mixed = Mlcp::new(m, q, vec![-1.0; n], vec![1.0; n]).unwrap();
            for solution in [auto.solve(&plain).clone(), auto.solve_mixed(&mixed).clone()] {
                if solution.is_solved() && solution.residual.scaled > tolerance {
                    wrong.push(solution.residual.scaled);
                }
            }
        }
        assert!(wrong.is_empty(), "{} of 4000, such as {:?}", wrong.len(), wrong.first());
    }
}

/// Solutions that are exact in floating point: every product and sum is a whole number below 2⁵³.
mod exact_solutions {
    use super::*;

    const PLAIN: &str =
        r#"{"kind":"lcp","m":[[0,-1,1],[100000001,-1,1],[-1,1,1000000]],"q":[-1,-1,-1]}"#;
    const MIXED: &str = r#"{"kind":"mlcp","m":[[2,3],[200000000,1]],"q":[0,-2],
        "lower":[-1,0],"upper":[null,null]}"#;

    #[test]
    fn an_exact_solution_of_a_plain_problem_has_no_residual() {
        // w = (0, 100000001 · 999999, 0): rounding in w2, which is not small, is no fault.
        let r = lcp(PLAIN).residual(&[999999.0, 0.0, 1.0]);
        assert!(r.scaled <= TOLERANCE, "{r:?}");
    }

    #[test]
    fn an_exact_solution_of_a_mixed_problem_has_no_residual() {
        // w = (600000004, 0), and z1 is at its lower bound.
        let r = mlcp(MIXED).residual(&[-1.0, 200000002.0]);
        assert!(r.scaled <= TOLERANCE, "{r:?}");
    }

    #[test]
    fn auto_finds_them() {
        assert_eq!(solve(&lcp(PLAIN)).status, Status::Solved);
        assert_eq!(solve_mixed(&mlcp(MIXED)).status, Status::Solved);
    }
}

mod lemke_in_a_box {
    use super::*;

    /// One equation in effect, 0.3 z = 0.1, far from both bounds: z as a distance from −10⁶ has too few
    /// digits left.
    #[test]
    fn remote_bounds_cost_no_accuracy() {
        let failed: Vec<f64> = [1e4, 1e6, 1e8, 1e12, 1e20]
            .into_iter()
            .filter(|&b| {
                let m = Matrix::from_rows(&[[0.2972533701683633]]).unwrap();
                let q = vec![-0.09962264320964409];
                let p = Mlcp::new(m, q, vec![-b], vec![b]).unwrap();
                !Lemke::default().solve_mixed(&p).is_solved()
            })
            .collect();
        assert!(failed.is_empty(), "failed with bounds ± {failed:?}");
    }

    /// A failure returns "the best vector found, and its residual says how good it is".
    #[test]
    fn a_failure_returns_finite_numbers() {
        let overflow = lcp(r#"{"kind":"lcp","m":[[2,1],[-100000,2]],"q":[-1e308,0]}"#);
        let mut solver = Lemke::default();
        let plain = solver.solve(&overflow).clone();
        assert!(plain.z.iter().all(|z| z.is_finite()), "{plain:?}");
        let remote = r#"{"kind":"mlcp","m":[[1,1],[-1,0]],"q":[0,1],
            "lower":[null,null],"upper":[1e308,null]}"#;
        let mixed = solver.solve_mixed(&mlcp(remote)).clone();
        assert!(mixed.z.iter().all(|z| z.is_finite()), "{mixed:?}");
    }
}

mod limits {
    use super::*;

    /// The documentation of `max_pivots` says 100 (n + 1); a matrix of ±1 and 0 has no class.
    #[test]
    fn principal_pivoting_keeps_its_limit() {
        let n = 40;
        let mut draw = Draw(9);
        let m = Matrix::from_fn(n, n, |_, _| draw.whole(-1, 1) as f64);
        let q = (0..n).map(|_| draw.whole(-2, 1) as f64).collect();
        let p = Lcp::new(m, q).unwrap();
        let pivots = PrincipalPivoting::default().solve(&p).statistics.iterations;
        assert!(pivots <= 100 * (n + 1), "{pivots} pivots");
    }

    /// "Default, and the most, 30."
    #[test]
    fn a_tableau_limit_beyond_the_documented_most_is_refused() {
        let settings = lemke::Settings { tableau_limit: 1000, ..Default::default() };
        assert!(settings.validate().is_err());
    }
}

mod json {
    use super::*;

    fn message(text: &str) -> String {
        Problem::from_json(text).expect_err("the text has a mistake").to_string()
    }

    /// "A mistake is reported with its line and column."
    #[test]
    fn a_value_of_the_wrong_type_is_reported_with_its_line() {
        let wrong_type = "{\"kind\":\"lcp\",\n\"m\":[[1]],\n\"q\":[\"a\"]\n}";
        assert!(message(wrong_type).starts_with("line 3,"), "{}", message(wrong_type));
        let null = "{\"kind\":\"lcp\",\n\"m\":[[1]],\n\"q\":[null]\n}";
        assert!(message(null).starts_with("line 3,"), "{}", message(null));
        let twice = "{\"kind\":\"lcp\",\n\"m\":[[1]],\n\"m\":[[1]],\"q\":[1]}";
        assert!(message(twice).starts_with("line 3,"), "{}", message(twice));
    }

    #[test]
    fn only_the_documented_format_is_read() {
        assert!(Problem::from_json(r#"["lcp",[[1]],[1]]"#).is_err());
    }
}

mod exact_proofs {
    use super::*;

    /// z = (2, 1) solves it in integers: the rows are nearly opposite, and their sum decides.
    #[test]
    fn a_problem_with_a_solution_in_integers_is_never_called_unsolvable() {
        let p = lcp(r#"{"kind":"lcp","m":[[-999999999997,2000000000001],
            [999999999999,-2000000000003]],"q":[-7,5]}"#);
        assert_eq!(p.residual(&[2.0, 1.0]).scaled, 0.0);
        let solution = solve(&p);
        assert_eq!(solution.status, Status::Solved, "{solution:?}");
        for mut solver in solvers() {
            let status = solver.solve(&p).status;
            assert_ne!(status, Status::NoSolution, "{}", solver.name());
        }
    }

    /// Rows that nearly depend on each other, entries to 10¹², and a solution in integers.
    #[test]
    fn no_planted_solution_is_disproved() {
        for seed in 0..300 {
            let mut draw = Draw(seed);
            let n = draw.whole(1, 6) as usize;
            let most = 10i64.pow(draw.whole(1, 12) as u32);
            let mut m = Matrix::from_fn(n, n, |_, _| draw.whole(-most, most) as f64);
            for i in 1..n {
                let (other, factor) = (draw.whole(0, i as i64 - 1) as usize, draw.whole(-2, 2));
                for j in (0..n).filter(|_| factor != 0) {
                    m[(i, j)] = factor as f64 * m[(other, j)] + draw.whole(-1, 1) as f64;
                }
            }
            let z: Vec<f64> = (0..n).map(|_| draw.whole(0, 3) as f64).collect();
            let w = z.iter().map(|&z| if z == 0.0 { draw.whole(0, 3) as f64 } else { 0.0 });
            let w: Vec<f64> = w.collect();
            let q: Vec<f64> = m.mul_vec(&z).iter().zip(&w).map(|(v, w)| w - v).collect();
            let p = Lcp::new(m, q).unwrap();
            for mut solver in solvers() {
                let status = solver.solve(&p).status;
                assert_ne!(status, Status::NoSolution, "{} {p:?} {z:?}", solver.name());
            }
            let mixed = solve_mixed(&p.to_mlcp());
            assert_ne!(mixed.status, Status::NoSolution, "{p:?} {z:?}");
        }
    }

    fn solvers() -> Vec<Box<dyn Solver>> {
        vec![
            Box::new(Auto::default()),
            Box::new(lemke::Lemke::default()),
            Box::new(complementarity::PrincipalPivoting::default()),
            Box::new(Newton::default()),
            Box::new(InteriorPoint::default()),
        ]
    }
}
