//! One or two planar contacts: every problem ends in a certified answer or a checked proof.

use complementarity::{Matrix, Status};
use proptest::prelude::*;
use stickslip_contact::solve::{ContactSolution, ContactSolver, SolverChoice};
use stickslip_contact::{Cases, ContactProblem, Law};

/// A problem as given: not even W needs to be symmetric.
fn problem(w: &[Vec<f64>], b: &[f64], laws: &[Law]) -> ContactProblem {
    let mut p = ContactProblem::default();
    let (m, bias, given) = p.planar_parts_mut();
    *m = Matrix::from_rows(w).unwrap();
    *bias = b.to_vec();
    *given = laws.to_vec();
    p
}

fn solve(p: &ContactProblem) -> ContactSolution {
    ContactSolver::default().solve(p).clone()
}

/// The worst of the natural maps of all contacts over the scale of each, beyond the rounding of its row: a backward error.
fn natural_map(p: &ContactProblem, lam: &[f64]) -> f64 {
    let w = p.planar_delassus();
    let mut worst = 0.0_f64;
    for (i, law) in p.laws().iter().enumerate() {
        let (n, t) = (2 * i, 2 * i + 1);
        let rows = [n, t].map(|r| {
            let terms: Vec<f64> = w.row(r).iter().zip(lam).map(|(w, l)| w * l).collect();
            let size = terms.iter().map(|x| x.abs()).sum::<f64>() + p.bias()[r].abs();
            (terms.iter().sum::<f64>() + p.bias()[r], size)
        });
        let trace = w.row(n)[n] + w.row(t)[t];
        let rho = if trace > 0.0 { 2.0 / trace } else { 1.0 };
        let size = rows[0].1.max(rows[1].1);
        let scale = (lam[n].abs().max(lam[t].abs())).max(rho * size);
        let rounding = 16.0 * f64::EPSILON * rho * size;
        let normal = lam[n] - (lam[n] - rho * rows[0].0).max(0.0);
        let limit = law.mu * lam[n].max(0.0) + law.radius;
        let friction = match law.sliding {
            Some(slip) => lam[t] + slip[0].signum() * limit,
            None => lam[t] - (lam[t] - rho * rows[1].0).clamp(-limit, limit),
        };
        let off = (normal.abs().max(friction.abs()) - rounding).max(0.0);
        worst = worst.max(if scale > 0.0 { off / scale } else { off });
    }
    worst
}

/// Solved and certified, or proved to have no solution.
fn decided(p: &ContactProblem) -> Result<ContactSolution, TestCaseError> {
    let answer = solve(p);
    match answer.status {
        Status::Solved => {
            prop_assert!(answer.certificate.worst <= 1e-10 && answer.proof.is_none());
        }
        Status::NoSolution => {
            prop_assert_eq!(answer.proof.as_ref().unwrap().check(p), Ok(()));
        }
        // Right answers that the measures refuse are right all the same.
        Status::Failed(_) => {
            let off = natural_map(p, &answer.impulse);
            prop_assert!(off <= 1e-10, "{:?} {} {:?}", answer, off, p);
        }
    }
    Ok(answer)
}

fn friction() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 3 => (-3.0..1.0_f64).prop_map(|e| 10_f64.powf(e)), 3 => (1.0..14.0_f64).prop_map(|e| 10_f64.powf(e))]
}

fn law() -> impl Strategy<Value = Law> {
    let slides = prop_oneof![4 => Just(None), 1 => Just(Some([1.0, 0.0, 0.0])), 1 => Just(Some([-1.0, 0.0, 0.0]))];
    (friction(), slides, prop_oneof![4 => Just(0.0), 1 => 0.0..2.0_f64])
        .prop_map(|(mu, sliding, radius)| Law { sliding, radius, ..Law::coulomb(mu) })
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// GᵀG with columns of G that nearly depend on each other, to a condition of 1e12.
    Ill(f64),
    Unsymmetric,
    /// GᵀG with fewer rows than columns, in small integers.
    Singular,
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        3 => (-6.0..0.0_f64).prop_map(|e| Shape::Ill(10_f64.powf(e))),
        1 => Just(Shape::Unsymmetric),
        1 => Just(Shape::Singular),
    ]
}

fn matrix(g: &[f64], n: usize, shape: Shape) -> Vec<Vec<f64>> {
    let at = |k: usize, i: usize| match shape {
        // The last column is the first but for a little.
        Shape::Ill(e) if i + 1 == n => g[k * 4] + e * g[k * 4 + i],
        Shape::Singular => (4.0 * g[k * 4 + i]).round(),
        _ => g[k * 4 + i],
    };
    let rows = if let Shape::Singular = shape { n - 1 } else { n };
    let entry = |i: usize, j: usize| match shape {
        Shape::Unsymmetric => g[i * 4 + j] + if i == j { 0.5 } else { 0.0 },
        _ => (0..rows).map(|k| at(k, i) * at(k, j)).sum(),
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_problem_is_solved_or_proved_to_have_no_solution(
        k in 1..3_usize,
        g in prop::collection::vec(-1.0..1.0_f64, 16),
        b in prop::collection::vec(prop_oneof![1 => Just(0.0), 4 => -1.0..1.0_f64], 4),
        laws in prop::collection::vec(law(), 2),
        shape in shape(),
    ) {
        let w = matrix(&g, 2 * k, shape);
        let p = problem(&w, &b[..2 * k], &laws[..k]);
        decided(&p)?;
    }

    // Λ and ξ obey the law in small integers, and b = ξ − W Λ is exact.
    #[test]
    fn a_planted_solution_is_never_proved_away(
        k in 1..3_usize,
        w in prop::collection::vec(-64..64_i64, 16),
        scale in prop::collection::vec(-20..20_i32, 2),
        mu in prop::collection::vec(prop_oneof![Just(0_i64), 1..4_i64, (20..46_u32).prop_map(|e| 1 << e)], 2),
        normal in prop::collection::vec(0..4_i64, 2),
        state in prop::collection::vec(0..4_usize, 2),
        speed in prop::collection::vec(0..8_i64, 4),
    ) {
        let n = 2 * k;
        let (mut lam, mut xi) = (vec![0_i64; n], vec![0_i64; n]);
        for i in 0..k {
            let (load, limit) = (1 + normal[i], mu[i] * (1 + normal[i]));
            match state[i] {
                0 => (xi[2 * i], xi[2 * i + 1]) = (speed[2 * i], speed[2 * i + 1] - 4),
                1 => (lam[2 * i], lam[2 * i + 1], xi[2 * i + 1]) = (load, limit, -speed[2 * i]),
                2 => (lam[2 * i], lam[2 * i + 1], xi[2 * i + 1]) = (load, -limit, speed[2 * i]),
                _ => (lam[2 * i], lam[2 * i + 1]) = (load, limit.min(speed[2 * i])),
            }
        }
        let rows: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| w[4 * i + j] as f64).collect()).collect();
        let exact: Vec<i64> =
            (0..n).map(|i| xi[i] - (0..n).map(|j| w[4 * i + j] * lam[j]).sum::<i64>()).collect();
        prop_assume!(exact.iter().all(|b| b.abs() < 1 << 53));
        // Units: a power of two for each contact keeps every number exact.
        let unit = |i: usize| 2_f64.powi(scale[i / 2]);
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| rows[i][j] * unit(i) * unit(j)).collect())
            .collect();
        let b: Vec<f64> = (0..n).map(|i| exact[i] as f64 * unit(i)).collect();
        let laws: Vec<Law> = (0..k).map(|i| Law::coulomb(mu[i] as f64)).collect();
        let p = problem(&rows, &b, &laws);
        let answer = decided(&p)?;
        prop_assert!(answer.status != Status::NoSolution, "{:?} {:?}", lam, p);
    }
}

#[test]
fn the_contact_on_which_lemke_ends_on_a_ray_has_its_one_solution() {
    let p = problem(&[vec![1.5, 1.0], vec![1.0, 0.75]], &[-0.5, 0.0], &[Law::coulomb(2.0)]);
    let answer = solve(&p);
    assert!(answer.is_solved() && answer.method == "cases");
    assert!((answer.impulse[0] - 3.0).abs() < 1e-12 && (answer.impulse[1] + 4.0).abs() < 1e-12);
}

/// A uniform rod of mass 1 and half length 1 whose end slides on the ground.
fn rod(theta: f64, mu: f64) -> ContactProblem {
    let (s, c) = theta.sin_cos();
    let (nn, nt) = (1.0 + 3.0 * c * c, 3.0 * s * c);
    let w = [vec![nn, -nt], vec![-nt, 1.0 + 3.0 * s * s]];
    problem(&w, &[-9.81, 0.0], &[Law::coulomb(mu).sliding_with([-1.0, 0.0, 0.0])])
}

#[test]
fn painleves_rod_is_proved_to_have_no_solution_by_every_solver_that_says_so() {
    for solver in [SolverChoice::Auto, SolverChoice::Lemke, SolverChoice::PrincipalPivoting] {
        let settings = stickslip_contact::solve::Settings { solver, ..Default::default() };
        let mut solver = ContactSolver::new(settings).unwrap();
        let jammed = rod(1.0, 2.5);
        let answer = solver.solve(&jammed);
        let Some(proof) = &answer.proof else {
            assert_ne!(answer.status, Status::NoSolution);
            assert_ne!(solver.settings().solver, SolverChoice::Auto);
            continue;
        };
        assert_eq!((answer.status, proof.check(&jammed)), (Status::NoSolution, Ok(())));
        // It is no proof about a rod that has a solution.
        let free = rod(1.0, 0.5);
        assert!(proof.check(&free).is_err());
        assert!(solve(&free).is_solved());
    }
}

#[test]
fn a_proof_holds_for_its_problem_to_the_last_bit() {
    // Λ_N + Λ_T with Λ_T = −Λ_N is zero: nothing stops the approach; the next number below 1 does, with Λ_N = 2⁵³.
    let slides = |mu: f64| Law::coulomb(mu).sliding_with([1.0, 0.0, 0.0]);
    let w = [vec![1.0, 1.0], vec![1.0, 2.0]];
    let never = problem(&w, &[-1.0, 0.0], &[slides(1.0)]);
    let barely = problem(&w, &[-1.0, 0.0], &[slides(1.0_f64.next_down())]);
    let proof = solve(&never).proof.unwrap();
    assert_eq!(proof.check(&never), Ok(()));
    assert!(proof.check(&barely).is_err());
    let answer = solve(&barely);
    assert!(answer.proof.is_none());
    assert_eq!(answer.impulse[0], 2_f64.powi(53));
    let mut short = proof.clone();
    if let Cases::Split { cases, .. } = &mut short.cases {
        cases.pop();
    } else {
        short.cases = Cases::Contradiction { terms: Vec::new() };
    }
    assert!(short.check(&never).is_err());
}

#[test]
fn definite_contacts_with_huge_friction_are_solved() {
    // A solution exists whatever b and μ where W is definite.
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for trial in 0..400 {
        let g: Vec<f64> = (0..16).map(|_| random()).collect();
        let k = 1 + trial % 2;
        let mut w = matrix(&g, 2 * k, Shape::Ill(10_f64.powf(3.0 * random() - 3.0)));
        (0..2 * k).for_each(|i| w[i][i] *= 1.0 + 1e-12);
        let b: Vec<f64> = (0..2 * k).map(|_| random()).collect();
        let laws: Vec<Law> =
            (0..k).map(|_| Law::coulomb(10_f64.powf(8.5 + 5.5 * random()))).collect();
        let p = problem(&w, &b, &laws);
        let answer = solve(&p);
        assert_ne!(answer.status, Status::NoSolution, "{p:?}");
        let off = natural_map(&p, &answer.impulse);
        assert!(answer.is_solved() || off <= 1e-10, "{answer:?} {off} {p:?}");
    }
}
