//! What the papers on contact with friction do not say, as problems. The page "What we found in the
//! papers" of the book names these tests.

use complementarity::classes::{self, classify};
use complementarity::enumerate::{Count, Settings, enumerate};
use complementarity::{Auto, Failure, Lcp, Lemke, Matrix, Proof, Solver, Status, lemke, solve};
use stickslip_lab::{Expected, plain_family};

/// One planar contact: W = [[1.5, 1], [1, 0.75]], b = (−0.5, 0), μ = 2.
const W: [[f64; 2]; 2] = [[1.5, 1.0], [1.0, 0.75]];
const MU: f64 = 2.0;
const B: [f64; 2] = [-0.5, 0.0];

/// In the unknowns (Λ_N, Λ_R, ξ_L) of Glocker and Studer 2005, eq. 33.
fn glocker_studer() -> Lcp {
    let [[nn, nt], [tn, tt]] = W;
    let rows = [[nn - nt * MU, nt, 0.0], [tn - tt * MU, tt, 1.0], [2.0 * MU, -1.0, 0.0]];
    Lcp::new(Matrix::from_rows(&rows).unwrap(), vec![B[0], B[1], 0.0]).unwrap()
}

/// The same contact with friction to either side and the slip speed as unknowns.
fn slip_slack() -> Lcp {
    let [[nn, nt], [tn, tt]] = W;
    let rows = [[nn, nt, -nt, 0.0], [tn, tt, -tt, 1.0], [-tn, -tt, tt, 1.0], [MU, -1.0, -1.0, 0.0]];
    Lcp::new(Matrix::from_rows(&rows).unwrap(), vec![B[0], B[1], -B[1], 0.0]).unwrap()
}

#[test]
fn the_planar_matrix_is_not_copositive_and_lemke_ends_on_a_ray_before_its_solution() {
    let problem = glocker_studer();
    let found = classify(problem.m(), &classes::Settings::default()).unwrap();
    assert!(found.copositive.witness().unwrap().check(problem.m()));

    let all = enumerate(&problem, &Settings::default()).unwrap();
    assert_eq!(all.count(), Count::Exactly(1));
    assert_eq!(Lemke::default().solve(&problem).status, Status::Failed(Failure::Ray));

    // In other units the form is not recognised at sight, and the way is longer.
    let rescaled =
        Matrix::from_fn(3, 3, |i, j| problem.m()[(i, j)] * if i == 2 { 2.0 } else { 1.0 });
    let rescaled = Lcp::new(rescaled, problem.q().to_vec()).unwrap();
    for (problem, method) in [(problem, "lemke, centred"), (rescaled, "lemke, centred")] {
        let mut auto = Auto::default();
        let z = &auto.solve(&problem).z;
        let (normal, tangent) = (z[0], z[1] - MU * z[0]);
        assert!((normal - 3.0).abs() < 1e-12 && (tangent + 4.0).abs() < 1e-12);
        assert_eq!(auto.attempts().last().unwrap().method, method);
    }
}

#[test]
fn with_the_slip_speed_as_an_unknown_the_same_contact_is_copositive_and_lemke_arrives() {
    let problem = slip_slack();
    let found = classify(problem.m(), &classes::Settings::default()).unwrap();
    assert!(found.copositive.is_yes());

    let mut lemke = Lemke::default();
    let solution = lemke.solve(&problem);
    assert!(solution.is_solved());
    let (normal, tangent) = (solution.z[0], solution.z[1] - solution.z[2]);
    assert!((normal - 3.0).abs() < 1e-12 && (tangent + 4.0).abs() < 1e-12);
}

/// The share of friction problems with a solution that Lemke's method solves.
fn solved_with(tie_tolerance: f64, rounding: f64) -> f64 {
    let settings = lemke::Settings { tie_tolerance, rounding, ..Default::default() };
    let mut lemke = Lemke::new(settings).unwrap();
    let (mut solved, mut all) = (0, 0);
    for family in ["planar_glocker_studer", "planar_stewart_trinkle", "spatial_stewart_trinkle"] {
        let family = plain_family(family).unwrap();
        for n in [12, 24, 40] {
            for seed in 0..20 {
                let instance = family.instance(n, seed);
                if instance.expected == Expected::Solvable {
                    all += 1;
                    solved += usize::from(lemke.solve(&instance.problem).is_solved());
                }
            }
        }
    }
    f64::from(solved as u32) / f64::from(all as u32)
}

/// The defaults are 1e-10 and 1e-14.
#[test]
fn ties_that_are_compared_to_the_last_bit_lose_a_third_of_the_friction_problems() {
    let none = f64::MIN_POSITIVE;
    for tie in [1e-6, 1e-8, 1e-10, 1e-12, 1e-14] {
        assert_eq!(solved_with(tie, none), 1.0, "{tie:e}");
    }
    assert!(solved_with(none, none) < 0.67);
}

/// A ball between two walls which touches both and moves to the first at speed one: γ₁ = −1, γ₂ = 1.
/// Newton's law asks for γ₁⁺ ≥ ε₁ and γ₂⁺ = −γ₁⁺ ≥ −ε₂.
fn ball_between_walls(eps: [f64; 2]) -> Lcp {
    let delassus = Matrix::from_rows(&[[1.0, -1.0], [-1.0, 1.0]]).unwrap();
    Lcp::new(delassus, vec![-1.0 - eps[0], 1.0 + eps[1]]).unwrap()
}

#[test]
fn newtons_restitution_has_no_solution_for_a_ball_between_walls_of_different_coefficients() {
    assert!(solve(&ball_between_walls([0.5, 0.5])).is_solved());
    assert!(solve(&ball_between_walls([0.2, 0.5])).is_solved());

    let problem = ball_between_walls([0.5, 0.2]);
    let solution = solve(&problem);
    assert_eq!(solution.status, Status::NoSolution);
    let by_hand = Proof::infeasible(&[1.0, 1.0]).unwrap();
    for proof in [solution.proof.unwrap(), by_hand] {
        assert_eq!(proof.check(&problem), Ok(()));
    }
}
