//! Redundant contacts: in how many dimensions the impulses are not unique, and the least of them.

use complementarity::Matrix;
use proptest::prelude::*;
use std::sync::Arc;
use stickslip_contact::Error;
use stickslip_contact::redundancy::minimum_norm;
use stickslip_contact::set::ConvexSet;
use stickslip_contact::set::{Polyhedron, UniformDisc};
use stickslip_contact::solve::{ContactSolver, Formulation, Redundancy, Settings, SolverChoice};
use stickslip_contact::{ContactProblem, Law};

/// A rigid box of mass 1 on contacts with upward normals at points (x, y), half a unit below its centre; `twist` is its
/// free velocity (linear, angular). Components of a contact: N, T, O and R as far as its law has them.
fn box_on(points: &[[f64; 2]], law: &Law, twist: [f64; 6]) -> ContactProblem {
    let inertia = [0.4, 0.5, 0.6];
    let mut h: Vec<[f64; 6]> = Vec::new();
    for &[x, y] in points {
        for e in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].iter().take(law.components()) {
            let z = -0.5;
            let arm = [y * e[2] - z * e[1], z * e[0] - x * e[2], x * e[1] - y * e[0]];
            h.push([e[0], e[1], e[2], arm[0], arm[1], arm[2]]);
        }
        if law.components() == 4 {
            h.push([0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        }
    }
    let mass = [1.0, 1.0, 1.0, inertia[0], inertia[1], inertia[2]];
    let w =
        Matrix::from_fn(h.len(), h.len(), |i, j| (0..6).map(|k| h[i][k] * h[j][k] / mass[k]).sum());
    let bias = h.iter().map(|h| h.iter().zip(twist).map(|(h, v)| h * v).sum()).collect();
    ContactProblem::new(w, bias, vec![law.clone(); points.len()]).unwrap()
}

const CORNERS: [[f64; 2]; 4] = [[1.0, 0.7], [-1.0, 0.7], [-1.0, -0.7], [1.0, -0.7]];

fn solver(solver: SolverChoice, minimum_norm: bool) -> ContactSolver {
    let formulation = Formulation::Cone;
    let settings = Settings { formulation, solver, minimum_norm, ..Settings::default() };
    ContactSolver::new(settings).unwrap()
}

fn least(problem: &ContactProblem) -> (Vec<f64>, Redundancy) {
    let (formulation, minimum_norm, tolerance) = (Formulation::Cone, true, 1e-12);
    let settings = Settings { formulation, minimum_norm, tolerance, ..Settings::default() };
    let mut solver = ContactSolver::new(settings).unwrap();
    let answer = solver.solve(problem);
    assert!(answer.is_solved(), "{:?}", answer);
    let impulse = answer.impulse.clone();
    let redundancy = solver.redundancy(problem).unwrap();
    assert!(redundancy.decided);
    (impulse, redundancy)
}

fn near(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance, "{a:?} and {b:?}");
    }
}

/// Σ W_ii Λ_i², T and O with their mean weight.
fn norm(problem: &ContactProblem, impulse: &[f64]) -> f64 {
    let mut d = problem.delassus().diagonal();
    for (i, law) in problem.laws().iter().enumerate() {
        let first = problem.rows(i).start;
        if law.tangents() >= 2 {
            let mean = 0.5 * (d[first + 1] + d[first + 2]);
            (d[first + 1], d[first + 2]) = (mean, mean);
        }
    }
    impulse.iter().zip(d).map(|(x, d)| d * x * x).sum()
}

#[test]
fn a_box_at_rest_on_four_corners_shares_its_weight_equally() {
    let fall = [0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
    let (impulse, redundancy) = least(&box_on(&CORNERS, &Law::frictionless(), fall));
    near(&impulse, &[0.25; 4], 1e-12);
    assert_eq!((redundancy.rank, redundancy.components, redundancy.dimension), (3, 4, 1));

    let (impulse, redundancy) = least(&box_on(&CORNERS, &Law::disc(0.5), fall));
    near(&impulse, &[[0.25, 0.0, 0.0]; 4].concat(), 1e-12);
    assert_eq!((redundancy.rank, redundancy.components, redundancy.dimension), (6, 12, 6));

    let ellipsoid = Law::with_set(0.5, ConvexSet::Ellipsoid(vec![1.0, 1.0, 0.1]));
    let (impulse, redundancy) = least(&box_on(&CORNERS, &ellipsoid, fall));
    near(&impulse, &[[0.25, 0.0, 0.0, 0.0]; 4].concat(), 1e-12);
    assert_eq!((redundancy.rank, redundancy.components, redundancy.dimension), (6, 16, 10));
}

#[test]
fn where_a_box_slides_only_the_loads_are_free() {
    let (impulse, redundancy) =
        least(&box_on(&CORNERS, &Law::disc(0.3), [3.0, 0.0, -1.0, 0.0, 0.0, 0.0]));
    assert_eq!((redundancy.rank, redundancy.dimension), (6, 1));
    for lam in impulse.chunks(3) {
        near(&lam[1..], &[-0.3 * lam[0], 0.0], 1e-9);
    }
    // Mirrored in the direction of motion, so are the loads; the friction below the centre presses the front.
    near(&impulse[..3], &impulse[9..], 1e-9);
    near(&impulse[3..6], &impulse[6..9], 1e-9);
    assert!(impulse[0] > impulse[3]);
}

#[test]
fn a_load_over_a_corner_or_an_edge_leaves_no_choice() {
    // A push through one corner: the other three touch, and bear nothing.
    let [x, y] = CORNERS[0];
    for (point, expected) in [([x, y], [1.0, 0.0, 0.0, 0.0]), ([0.0, y], [0.5, 0.5, 0.0, 0.0])] {
        let [x, y] = point;
        let twist = [0.0, 0.0, -1.0, -y / 0.4, x / 0.5, 0.0];
        let problem = box_on(&CORNERS, &Law::frictionless(), twist);
        let (impulse, redundancy) = least(&problem);
        near(&impulse, &expected, 1e-9);
        assert_eq!((redundancy.rank, redundancy.dimension), (3, 0), "{expected:?}");
    }
}

#[test]
fn a_stick_wedged_between_walls_is_held_by_the_least_squeeze_at_the_edge_of_friction() {
    // Ends at ±1, normals to the inside, tangents up; a fall by 1 that friction takes.
    let (mass, inertia, mu) = (1.0, 0.3, 0.5);
    let h = [[1.0, 0.0, 0.0], [0.0, 1.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 1.0]];
    let per = [1.0 / mass, 1.0 / mass, 1.0 / inertia];
    let w = Matrix::from_fn(4, 4, |i, j| (0..3).map(|k| h[i][k] * h[j][k] * per[k]).sum());
    let laws = vec![Law::coulomb(mu); 2];
    let problem = ContactProblem::new(w, vec![0.0, -1.0, 0.0, -1.0], laws).unwrap();
    let tight = [5.0, 0.5, 5.0, 0.5];
    let redundancy = Redundancy::of(&problem, &tight).unwrap();
    assert_eq!((redundancy.rank, redundancy.dimension), (3, 1));
    let direction = &redundancy.basis[0];
    assert!((direction[0] - direction[2]).abs() < 1e-12 && direction[1].abs() < 1e-12);
    let least = minimum_norm(&problem, &tight, 1e-10).unwrap().unwrap();
    near(&least, &[1.0, 0.5, 1.0, 0.5], 1e-11);
    // The same by a vertex: from the least squeeze it can only grow.
    assert_eq!(Redundancy::of(&problem, &[1.0, 0.5, 1.0, 0.5]).unwrap().dimension, 1);
    // The stick may as well fall.
    let falls = Redundancy::of(&problem, &[0.0; 4]).unwrap();
    assert_eq!(falls.dimension, 0);
}

#[test]
fn connections_that_repeat_each_other_share_alike() {
    let w = Matrix::from_fn(6, 6, |i, j| if i % 2 == j % 2 { 2.0 } else { 0.5 });
    let bias = [[1.0, -2.0]; 3].concat();
    let problem = ContactProblem::new(w, bias, vec![Law::bilateral(2); 3]).unwrap();
    let (impulse, redundancy) = least(&problem);
    assert_eq!((redundancy.rank, redundancy.dimension), (2, 4));
    near(&impulse[..2], &impulse[2..4], 1e-12);
    near(&impulse[..2], &impulse[4..], 1e-12);
}

#[test]
fn independent_contacts_have_unique_impulses() {
    let w = Matrix::from_fn(6, 6, |i, j| if i == j { 1.0 } else { 0.1 });
    let bias = vec![-1.0, 0.3, 0.0, -1.0, 2.0, 1.0];
    let problem = ContactProblem::new(w, bias, vec![Law::disc(0.5); 2]).unwrap();
    let (impulse, redundancy) = least(&problem);
    assert_eq!((redundancy.rank, redundancy.dimension), (6, 0));
    let plain = solver(SolverChoice::Auto, false).solve(&problem).impulse.clone();
    assert_eq!(impulse, plain, "nothing to choose, nothing changed");
}

#[test]
fn three_supports_in_a_line_have_the_closed_form() {
    // Mass 1, inertia 1/3, supports at −1, 0, 1: W_ii = 4, 1, 4, so that 4·2 l² + (1 − 2 l)² is least at l = 1/6.
    let at = [-1.0, 0.0, 1.0];
    let w = Matrix::from_fn(3, 3, |i, j| 1.0 + 3.0 * at[i] * at[j]);
    let problem = ContactProblem::new(w, vec![-1.0; 3], vec![Law::frictionless(); 3]).unwrap();
    let (impulse, redundancy) = least(&problem);
    assert_eq!((redundancy.rank, redundancy.dimension), (2, 1));
    near(&impulse, &[1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0], 1e-12);
}

#[test]
fn planar_problems_take_the_same_way() {
    // The same beam with planar contacts: T of all three is one velocity.
    let at = [-1.0, 0.0, 1.0];
    let w = Matrix::from_fn(6, 6, |i, j| match (i % 2, j % 2) {
        (0, 0) => 1.0 + 3.0 * at[i / 2] * at[j / 2],
        (1, 1) => 1.0,
        _ => 0.0,
    });
    let bias = [[-1.0, 0.1]; 3].concat();
    let problem = ContactProblem::new(w, bias, vec![Law::coulomb(0.5); 3]).unwrap();
    for formulation in [Formulation::GlockerStuder, Formulation::StewartTrinkle, Formulation::Cone]
    {
        let settings = Settings { formulation, minimum_norm: true, ..Settings::default() };
        let mut solver = ContactSolver::new(settings).unwrap();
        let answer = solver.solve(&problem);
        assert!(answer.is_solved(), "{formulation}: {answer:?}");
        let third = -0.1 / 3.0;
        near(&answer.impulse, &[1.0 / 6.0, third, 2.0 / 3.0, third, 1.0 / 6.0, third], 1e-10);
        assert_eq!(solver.redundancy(&problem).unwrap().dimension, 3);
    }
}

#[test]
fn a_polyhedral_model_is_reduced_within_its_polyhedron() {
    let problem = box_on(&CORNERS, &Law::disc(0.3), [3.0, 0.1, -1.0, 0.0, 0.0, 0.4]);
    for formulation in
        [Formulation::StewartTrinkle, Formulation::PhantomInertia, Formulation::ConvexifiedCone]
    {
        let plain = Settings { formulation, ..Settings::default() };
        let mut reduced =
            ContactSolver::new(Settings { minimum_norm: true, ..plain.clone() }).unwrap();
        let mut plain = ContactSolver::new(plain).unwrap();
        let (a, b) = (plain.solve(&problem), reduced.solve(&problem));
        assert!(a.is_solved() && b.is_solved(), "{formulation}: {b:?}");
        near(&a.velocity, &b.velocity, 1e-9);
        assert!(norm(&problem, &b.impulse) <= norm(&problem, &a.impulse) + 1e-9);
        assert!(b.model.is_some());
    }
}

#[test]
fn friction_on_an_edge_of_a_polygon_is_free_along_the_edge() {
    // A square friction set, a slip across one of its edges: Λ_O of a point mass is free, but for the sum of two contacts.
    let square = Polyhedron::hull(&[[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]).unwrap();
    let law = Law::with_set(0.5, ConvexSet::Polyhedron(square));
    let w = Matrix::from_fn(6, 6, |i, j| f64::from(u8::from(i % 3 == j % 3)));
    let bias = [[-1.0, 3.0, 0.0]; 2].concat();
    let problem = ContactProblem::new(w, bias, vec![law; 2]).unwrap();
    let uneven = [0.8, -0.4, 0.1, 0.2, -0.1, -0.1];
    let redundancy = Redundancy::of(&problem, &uneven).unwrap();
    assert_eq!((redundancy.rank, redundancy.dimension), (3, 2));
    let least = minimum_norm(&problem, &uneven, 1e-10).unwrap().unwrap();
    near(&least, &[0.5, -0.25, 0.0, 0.5, -0.25, 0.0], 1e-11);
}

#[test]
fn every_friction_set_has_its_least_impulse() {
    let uniform = ConvexSet::Custom(Arc::new(UniformDisc::new(0.5).unwrap()));
    let prism: Vec<[f64; 3]> = (0..6)
        .map(|i| f64::from(i) * std::f64::consts::PI / 3.0)
        .map(|a| [a.cos(), a.sin(), 0.0])
        .chain([[0.0, 0.0, 4.0], [0.0, 0.0, -4.0]])
        .collect();
    for set in [
        ConvexSet::Ellipsoid(vec![1.0, 0.8, 0.3]),
        ConvexSet::Mixed { ellipse: [1.0, 0.8], spin: 0.3 },
        ConvexSet::Polyhedron(Polyhedron::new(&prism).unwrap()),
        uniform,
    ] {
        for twist in [[0.1, 0.0, -1.0, 0.0, 0.0, 0.1], [2.0, 1.0, -1.0, 0.1, 0.2, 1.0]] {
            let problem = box_on(&CORNERS, &Law::with_set(0.4, set.clone()), twist);
            let plain = solver(SolverChoice::Auto, false).solve(&problem).clone();
            assert!(plain.is_solved(), "{set:?} {plain:?}");
            let (impulse, redundancy) = least(&problem);
            let least_norm = norm(&problem, &impulse);
            assert!(least_norm <= norm(&problem, &plain.impulse) + 1e-12, "{set:?}");
            // No feasible change along the basis makes it smaller: the norm can fall only out of the laws.
            for d in &redundancy.basis {
                for step in [1e-3, -1e-3] {
                    let moved: Vec<f64> =
                        impulse.iter().zip(d).map(|(x, d)| x + step * d).collect();
                    let obeys = problem.certificate(&moved).unwrap().worst <= 1e-10;
                    assert!(!obeys || norm(&problem, &moved) >= least_norm - 1e-12, "{set:?}");
                }
            }
        }
    }
}

#[test]
fn tangential_directions_do_not_matter() {
    let twist = [0.2, 0.1, -1.0, 0.1, -0.2, 0.3];
    let problem = box_on(&CORNERS, &Law::disc(0.4), twist);
    // Turn T and O of each contact by its own angle.
    let (n, angle) = (12, |i: usize| 0.3 + 0.5 * i as f64);
    let mut q = Matrix::zeros(n, n);
    for i in 0..4 {
        let (c, s) = (angle(i).cos(), angle(i).sin());
        q.row_mut(3 * i)[3 * i] = 1.0;
        (q.row_mut(3 * i + 1)[3 * i + 1], q.row_mut(3 * i + 1)[3 * i + 2]) = (c, s);
        (q.row_mut(3 * i + 2)[3 * i + 1], q.row_mut(3 * i + 2)[3 * i + 2]) = (-s, c);
    }
    let w = problem.delassus().to_dense();
    let turned = Matrix::from_fn(n, n, |i, j| {
        (0..n)
            .flat_map(|k| (0..n).map(move |l| (k, l)))
            .map(|(k, l)| q.row(i)[k] * w.row(k)[l] * q.row(j)[l])
            .sum()
    });
    let turn = |x: &[f64]| -> Vec<f64> {
        (0..n).map(|i| q.row(i).iter().zip(x).map(|(q, x)| q * x).sum()).collect()
    };
    let other = ContactProblem::new(turned, turn(problem.bias()), problem.laws().to_vec()).unwrap();
    let (a, ra) = least(&problem);
    let (b, rb) = least(&other);
    near(&turn(&a), &b, 1e-8);
    assert_eq!(ra.dimension, rb.dimension);
}

#[test]
fn impulses_that_are_no_answer_are_refused() {
    let problem = box_on(&CORNERS, &Law::disc(0.5), [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
    let error = Redundancy::of(&problem, &[0.0; 12]).unwrap_err();
    assert!(error.to_string().contains("certificate of the impulses"), "{error}");
    assert!(matches!(Redundancy::of(&problem, &[0.0]), Err(Error::Size { .. })));
    assert!(minimum_norm(&problem, &[0.0; 12], 1e-10).is_err());
    let mut solver = solver(SolverChoice::Auto, false);
    assert!(matches!(solver.redundancy(&problem), Err(Error::Size { .. })));
    solver.solve(&problem);
    assert!(solver.redundancy(&problem).is_ok());
}

#[test]
fn empty_and_massive_problems_have_an_answer_too() {
    let empty = ContactProblem::default();
    let redundancy = Redundancy::of(&empty, &[]).unwrap();
    assert_eq!((redundancy.rank, redundancy.components, redundancy.dimension), (0, 0, 0));
    assert_eq!(minimum_norm(&empty, &[], 1e-10), Ok(Some(vec![])));
    // Bodies that nothing moves: any push and any friction within its limit do the same.
    let laws = vec![Law::disc(0.5), Law::bilateral(2)];
    let problem = ContactProblem::new(Matrix::zeros(5, 5), vec![0.0; 5], laws).unwrap();
    let pressed = [1.0, 0.1, 0.2, 3.0, -1.0];
    let redundancy = Redundancy::of(&problem, &pressed).unwrap();
    assert_eq!((redundancy.rank, redundancy.dimension), (0, 5));
    near(&minimum_norm(&problem, &pressed, 1e-10).unwrap().unwrap(), &[0.0; 5], 1e-15);
    let redundancy = Redundancy::of(&problem, &[0.0; 5]).unwrap();
    assert_eq!((redundancy.rank, redundancy.dimension, redundancy.decided), (0, 5, true));
}

const SOLVERS: [SolverChoice; 4] =
    [SolverChoice::Nsgs, SolverChoice::Newton, SolverChoice::InteriorPoint, SolverChoice::Admm];

#[test]
fn with_slips_in_several_directions_velocities_differ_too_and_each_answer_stands_alone() {
    // A box that spins on four corners: how they share the load decides the moment of friction, and so the velocities.
    // Only impulses with the same velocities are compared, and there is one for each.
    let problem = box_on(&CORNERS, &Law::disc(0.05), [0.0, 0.0, -1.0, 0.0, -0.09, 0.55]);
    let answers = [SolverChoice::Newton, SolverChoice::InteriorPoint].map(|choice| {
        let answer = solver(choice, false).solve(&problem).clone();
        assert!(answer.certificate.worst <= 1e-10, "{choice}: {:?}", answer.certificate);
        let redundancy = Redundancy::of(&problem, &answer.impulse).unwrap();
        assert_eq!((redundancy.rank, redundancy.dimension), (6, 0), "{choice}");
        answer
    });
    let [a, b] = &answers;
    let off = a.velocity.iter().zip(&b.velocity).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(off > 1e-7, "{off}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_solver_is_reduced_to_the_same_impulse(
        extra in prop::collection::vec((-1.0..1.0_f64, -0.7..0.7_f64), 0..3),
        mu in 0.05..1.0_f64,
        slide in (-1.0..1.0_f64, -1.0..1.0_f64),
        turn in (-0.3..0.3_f64, -0.3..0.3_f64, -1.0..1.0_f64),
        sticks in any::<bool>(),
    ) {
        let mut points = CORNERS.to_vec();
        points.extend(extra.into_iter().map(|(x, y)| [x, y]));
        // Well inside of what friction can hold, or anything.
        let share = if sticks { 0.1 * mu } else { 1.0 };
        let twist = [slide.0, slide.1, -1.0 / share, turn.0, turn.1, turn.2].map(|v| v * share);
        let problem = box_on(&points, &Law::disc(mu), twist);
        let mut first: Option<(Vec<f64>, Vec<f64>, Redundancy)> = None;
        for choice in SOLVERS {
            let plain = solver(choice, false).solve(&problem).clone();
            if !plain.is_solved() {
                continue;
            }
            let mut reduced = solver(choice, true);
            let answer = reduced.solve(&problem).clone();
            prop_assert!(answer.is_solved(), "{} {:?}", choice, answer);
            let redundancy = reduced.redundancy(&problem).unwrap();
            prop_assert!(redundancy.decided);
            // What is reduced is solved to a tenth of the tolerance.
            let settings = Settings { tolerance: 0.1 * Settings::default().tolerance, ..solver(choice, false).settings().clone() };
            let given = ContactSolver::new(settings).unwrap().solve(&problem).clone();
            prop_assert!(norm(&problem, &answer.impulse) <= norm(&problem, &given.impulse) + 1e-9, "{} {} {}", choice, norm(&problem, &answer.impulse), norm(&problem, &given.impulse));
            let Some((impulse, velocity, other)) = &first else {
                first = Some((answer.impulse, answer.velocity, redundancy));
                continue;
            };
            if !sticks {
                // Neither velocities nor, at velocities that are almost the same, impulses are unique.
                continue;
            }
            for (x, y) in answer.velocity.iter().zip(velocity) {
                prop_assert!((x - y).abs() < 1e-9, "{}", choice);
            }
            for (x, y) in answer.impulse.iter().zip(impulse) {
                let text = (&answer.impulse, impulse);
                prop_assert!((x - y).abs() < 1e-7, "{} {:?}", choice, text);
            }
            prop_assert_eq!(redundancy.dimension, other.dimension, "{}", choice);
        }
        let (impulse, v, redundancy) = first.expect("one of four solvers");
        for d in &redundancy.basis {
            let moved: Vec<f64> = impulse.iter().zip(d).map(|(x, d)| x + 0.1 * d).collect();
            let mut velocity = vec![0.0; v.len()];
            problem.velocity_into(&moved, &mut velocity);
            for (a, b) in velocity.iter().zip(&v) {
                prop_assert!((a - b).abs() < 1e-10);
            }
        }
    }
}

/// Both rows see only the sum of the impulses, the second a thousandth more of it. The mean of W and its mirror image has
/// no null direction.
#[test]
fn the_null_space_of_an_unsymmetric_matrix_is_that_of_its_columns() {
    let w = Matrix::from_rows(&[[1.0, 1.0], [1.001, 1.001]]).unwrap();
    let problem = ContactProblem::new(w, vec![-1.0, -1.001], vec![Law::frictionless(); 2]).unwrap();
    let redundancy = Redundancy::of(&problem, &[0.5, 0.5]).unwrap();
    assert_eq!((redundancy.rank, redundancy.dimension, redundancy.decided), (1, 1, true));
    let along = &redundancy.basis[0];
    assert!((along[0] + along[1]).abs() < 1e-9 * along[0].abs(), "{along:?}");
}
