//! The pivoting methods and the automatic choice, on problems whose answer is known.

use complementarity::lemke::{self, CoveringVector, Units};
use complementarity::principal_pivoting::{self, Rule};
use complementarity::{Auto, Failure, Lcp, Lemke, Matrix, PrincipalPivoting, Ray, Solver, Status};
use proptest::prelude::*;

fn lcp<const N: usize>(m: [[f64; N]; N], q: [f64; N]) -> Lcp {
    Lcp::new(Matrix::from_rows(&m).unwrap(), q.to_vec()).unwrap()
}

/// Paper 3, eq. (33), for W = [[1.5, 1], [1, 0.75]], μ = 2, b = (−0.5, 0): the only solution is
/// Λ = (3, −4), and Lemke's method ends on a ray.
fn ray_although_solvable() -> Lcp {
    lcp([[-0.5, 1.0, 0.0], [-0.5, 0.75, 1.0], [4.0, -1.0, 0.0]], [-0.5, 0.0, 0.0])
}

/// Ones on the diagonal and twos below it: Murty's matrix.
fn murty(n: usize) -> Lcp {
    let m = Matrix::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Greater => 2.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Less => 0.0,
    });
    Lcp::new(m, vec![-1.0; n]).unwrap()
}

/// Whether every point of the ray is what the documentation says.
fn check_ray(p: &Lcp, ray: &Ray) {
    for t in [0.0, 1.0, 1e3] {
        let z: Vec<f64> = ray.origin.iter().zip(&ray.direction).map(|(o, d)| o + t * d).collect();
        let a = ray.origin_cover + t * ray.direction_cover;
        let w = p.m().mul_vec(&z);
        for i in 0..p.len() {
            let w = w[i] + p.q()[i] + a * ray.cover[i];
            let size = 1.0 + t;
            assert!(w >= -1e-12 * size && z[i] >= -1e-12 * size && a >= 0.0, "{ray:?}");
            assert!((w * z[i]).abs() <= 1e-12 * size * size, "{ray:?}");
        }
    }
    assert!(ray.origin_cover > 0.0);
}

#[test]
fn lemke_ends_on_a_ray_that_is_one_and_proves_nothing() {
    let p = ray_although_solvable();
    let mut lemke = Lemke::default();
    let s = lemke.solve(&p);
    assert_eq!(s.status, Status::Failed(Failure::Ray));
    assert!(s.proof.is_none());
    check_ray(&p, s.ray.as_ref().expect("the ray is returned"));
}

#[test]
fn a_ray_that_proves_is_returned_beside_the_proof() {
    let p = lcp([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0]);
    for (limit, guess) in [(30, [0.0, 0.0]), (30, [1.0, 0.0]), (0, [0.0, 0.0]), (0, [1.0, 0.0])] {
        let settings = lemke::Settings { tableau_limit: limit, ..Default::default() };
        let mut lemke = Lemke::new(settings).unwrap();
        let s = lemke.solve_from(&p, &guess).unwrap();
        assert_eq!(s.status, Status::NoSolution);
        check_ray(&p, s.ray.as_ref().expect("the ray is returned"));
    }
}

#[test]
fn auto_finds_what_lemke_misses_and_tells_its_way() {
    let p = ray_although_solvable();
    let mut auto = Auto::default();
    let s = auto.solve(&p).clone();
    assert_eq!(s.status, Status::Solved);
    // Λ_N = z_0, Λ_T = Λ_R − μ Λ_N
    assert!((s.z[0] - 3.0).abs() < 1e-13 && (s.z[1] - 2.0 * s.z[0] + 4.0).abs() < 1e-13);
    let last = auto.attempts().last().unwrap();
    assert_eq!((last.status, last.residual), (Status::Solved, s.residual.scaled));
}

#[test]
fn an_infeasible_semidefinite_problem_is_refuted_by_every_pivoting_method() {
    let p = lcp([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0]);
    let cottle = principal_pivoting::Settings { rule: Rule::CottleDantzig, ..Default::default() };
    let solvers: [&mut dyn Solver; 4] = [
        &mut Lemke::default(),
        &mut PrincipalPivoting::default(),
        &mut PrincipalPivoting::new(cottle).unwrap(),
        &mut Auto::default(),
    ];
    for solver in solvers {
        let s = solver.solve(&p);
        assert_eq!(s.status, Status::NoSolution);
        assert_eq!(s.proof.as_ref().unwrap().check(&p), Ok(()));
    }
}

#[test]
fn feasible_but_unsolvable_is_proved_by_cases() {
    // w1 = z2 − 1 and w2 = z1 + 1 > 0, so z2 = 0 and w1 = −1.
    let p = lcp([[0.0, 1.0], [1.0, 0.0]], [-1.0, 1.0]);
    let mut auto = Auto::default();
    let s = auto.solve(&p);
    assert_eq!(s.status, Status::NoSolution);
    assert_eq!(s.proof.as_ref().unwrap().check(&p), Ok(()));
}

#[test]
fn murty_needs_every_basis_and_the_limit_is_kept() {
    let settings = principal_pivoting::Settings {
        rule: Rule::LeastIndex,
        fall_back: false,
        max_pivots: Some(5000),
        ..Default::default()
    };
    let mut least_index = PrincipalPivoting::new(settings).unwrap();
    let (m, q) = murty(10).into_parts();
    let reversed = Lcp::new(m.transposed(), q).unwrap();
    let s = least_index.solve_from(&reversed, &[0.0; 10]).unwrap().clone();
    assert!(s.is_solved());
    assert_eq!(s.statistics.iterations, 1 << 10);
    let settings = lemke::Settings { max_pivots: Some(50), ..Default::default() };
    let s = Lemke::new(settings).unwrap().solve(&murty(40)).clone();
    assert_eq!(s.status, Status::Failed(Failure::IterationLimit));
    assert!(Auto::default().solve(&murty(40)).is_solved());
}

#[test]
fn bad_settings_and_bad_guesses_are_refused() {
    let bad = lemke::Settings { tolerance: 0.0, ..Default::default() };
    assert!(Lemke::new(bad).is_err());
    let bad = principal_pivoting::Settings { pivot_tolerance: f64::NAN, ..Default::default() };
    assert!(PrincipalPivoting::new(bad).is_err());
    let p = murty(3);
    assert!(Lemke::default().solve_from(&p, &[1.0]).is_err());
    assert!(Auto::default().solve_from(&p, &[1.0, f64::NAN, 0.0]).is_err());
}

#[test]
fn nothing_to_solve_is_solved() {
    let p = Lcp::new(Matrix::zeros(0, 0), vec![]).unwrap();
    for solver in [&mut Lemke::default() as &mut dyn Solver, &mut Auto::default()] {
        assert!(solver.solve(&p).is_solved());
    }
    assert!(PrincipalPivoting::default().solve(&p).is_solved());
}

prop_compose! {
    /// Positive definite, with entries that are multiples of 1/64 so that nothing rounds.
    fn definite(most: usize)(n in 1..=most)(
        n in Just(n),
        a in prop::collection::vec(-8i32..=8, n * n),
        q in prop::collection::vec(-64i32..=64, n),
    ) -> Lcp {
        let entry = |i: usize, k: usize| f64::from(a[i * n + k]) / 8.0;
        let m = Matrix::from_fn(n, n, |i, j| {
            let s: f64 = (0..n).map(|k| entry(i, k) * entry(j, k)).sum();
            if i == j { s + 0.25 } else { s }
        });
        Lcp::new(m, q.iter().map(|&q| f64::from(q) / 16.0).collect()).unwrap()
    }
}

proptest! {
    #[test]
    fn all_roads_lead_to_the_one_solution(p in definite(40)) {
        let path = lemke::Settings { tableau_limit: 0, ..Default::default() };
        let balanced =
            lemke::Settings { cover: CoveringVector::Spread(3), units: Units::Balanced, ..Default::default() };
        let cottle = principal_pivoting::Settings { rule: Rule::CottleDantzig, ..Default::default() };
        let reference = Lemke::default().solve(&p).clone();
        prop_assert!(reference.is_solved());
        let largest = reference.z.iter().fold(1.0_f64, |a, z| a.max(*z));
        let solvers: [&mut dyn Solver; 5] = [
            &mut Lemke::new(path).unwrap(),
            &mut Lemke::new(balanced).unwrap(),
            &mut PrincipalPivoting::default(),
            &mut PrincipalPivoting::new(cottle).unwrap(),
            &mut Auto::default(),
        ];
        for solver in solvers {
            let s = solver.solve(&p);
            prop_assert!(s.residual.scaled <= 1e-12, "{} {:?}", solver.name(), p);
            for (a, b) in s.z.iter().zip(&reference.z) {
                prop_assert!((a - b).abs() <= 1e-9 * largest);
            }
        }
    }

    #[test]
    fn a_solution_is_its_own_warm_start(p in definite(40)) {
        for limit in [0, 30] {
            let settings = lemke::Settings { tableau_limit: limit, ..Default::default() };
            let mut lemke = Lemke::new(settings).unwrap();
            let cold = lemke.solve(&p).clone();
            let support = cold.z.iter().filter(|z| **z > 0.0).count();
            let warm = lemke.solve_from(&p, &cold.z).unwrap();
            prop_assert!(warm.is_solved());
            // The dictionary counts the exchanges that bring the guess into the basis.
            let most = if p.len() <= limit { support } else { 0 };
            prop_assert!(warm.statistics.iterations <= most, "{:?}", warm.statistics);
        }
    }

    #[test]
    fn any_guess_is_survived(p in definite(40), seed in any::<u64>()) {
        let guess: Vec<f64> = (0..p.len()).map(|i| ((seed >> (i % 64)) & 1) as f64).collect();
        for limit in [0, 30] {
            let settings = lemke::Settings { tableau_limit: limit, ..Default::default() };
            prop_assert!(Lemke::new(settings).unwrap().solve_from(&p, &guess).unwrap().is_solved());
        }
        prop_assert!(Auto::default().solve_from(&p, &guess).unwrap().is_solved());
        prop_assert!(PrincipalPivoting::default().solve_from(&p, &guess).unwrap().is_solved());
    }
}
