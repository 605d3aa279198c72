//! What \[1\] says of phantom inertia, and what it does not: rank, ρ, the friction polygon.

use complementarity::classes::{self, classify};
use complementarity::{Lcp, Lemke, Matrix, Solver};
use stickslip::contact::set::ConvexSet;
use stickslip::contact::solve::{ContactSolution, ContactSolver, Formulation, Settings};
use stickslip::contact::solve::{Rho, default_rho, eliminate_free};
use stickslip::contact::{ContactProblem, Law};
use stickslip_studies::phantom::{
    Comparison, Form, LINES, Lead, breakaway, chosen_rho, dips, lead_matrix, relative_sigma,
    singular_rhos, sliding, solver, support_formula, systems,
};

const MU: f64 = 0.5;

fn nullity(
    problem: &ContactProblem,
    f: Formulation,
    k: usize,
    rho: Option<f64>,
    form: Form,
) -> usize {
    let lead = Lead::of(&lead_matrix(problem, f, k, rho, form).unwrap().unwrap());
    assert!(lead.counted > 1e-5 && lead.neglected < 1e-14, "the rank is not in doubt: {lead:?}");
    lead.size - lead.rank
}

fn schur(problem: &ContactProblem, k: usize) -> Lcp {
    let (encoding, model) =
        solver(Formulation::PhantomInertia, k, Rho::Chosen).unwrap().encoding(problem).unwrap();
    let mixed = encoding.mixed(model.as_ref().unwrap_or(problem)).unwrap();
    eliminate_free(&mixed).unwrap().unwrap().lcp
}

#[test]
fn independent_contacts_have_full_rank_with_phantom_inertia_alone() {
    for problem in [systems::particle(2.0, MU, 1.0, [0.8, 0.3]), systems::tripod(MU)] {
        let contacts = problem.contacts();
        for k in LINES {
            for form in [Form::Schur, Form::Mixed] {
                let of = |rho| nullity(&problem, Formulation::PhantomInertia, k, rho, form);
                assert_eq!(of(None), 0, "k = {k}, {form:?}");
                // Also for k = 2: the columns of κ₊ and κ₋ are opposite, whatever the directions.
                assert_eq!(of(Some(0.0)), contacts * (2 * k - 2), "k = {k}, {form:?}");
            }
            let others = [Formulation::StewartTrinkle, Formulation::AnitescuPotra];
            for f in others {
                assert_eq!(nullity(&problem, f, k, None, Form::Mixed), contacts * (2 * k - 3));
            }
            let [a, b] =
                others.map(|f| lead_matrix(&problem, f, k, Rho::Chosen, Form::Mixed).unwrap());
            assert_eq!(a, b);
        }
    }
}

#[test]
fn of_redundant_contacts_only_redundant_normals_cost_rank_and_there_is_no_schur_form() {
    let phantom = Formulation::PhantomInertia;
    for (problem, normals) in
        [(systems::block_on_three(MU), 0), (systems::block_on_four(MU, 0.0), 1)]
    {
        for k in LINES {
            assert!(lead_matrix(&problem, phantom, k, Rho::Chosen, Form::Schur).unwrap().is_none());
            assert_eq!(nullity(&problem, phantom, k, None, Form::Mixed), normals);
            let without = nullity(&problem, phantom, k, Some(0.0), Form::Mixed);
            assert_eq!(without, problem.contacts() * (2 * k - 2));
        }
    }
}

#[test]
fn full_rank_does_not_make_impulses_unique() {
    // The matrix of the block on three points has full rank, but feet that stick can be pushed apart.
    let problem = systems::block_on_three(MU);
    let mut resting = vec![0.0; 9];
    resting.iter_mut().step_by(3).for_each(|b| *b = -1.0);
    let problem =
        ContactProblem::new(problem.delassus().clone(), resting, problem.laws().to_vec()).unwrap();
    let mut solver = solver(Formulation::PhantomInertia, 4, Rho::Chosen).unwrap();
    let answer = solver.solve(&problem).clone();
    assert!(answer.is_solved());
    // Along the line from the first point to the second, which is that of T: equal and opposite.
    let mut other = answer.impulse.clone();
    other[1] += 0.05;
    other[4] -= 0.05;
    assert!(problem.certificate(&other).unwrap().worst < 1e-9);
}

#[test]
fn the_answer_does_not_depend_on_rho_over_twelve_decades() {
    for factor in [0.0, 1e-10, 1e-7, 1e-4, 0.1, 1.0, 1e2, 1e4] {
        let mut definite = Comparison::default();
        let mut singular = Comparison::default();
        for k in LINES {
            for seed in 0..6 {
                for (c, redundant) in [(&mut definite, false), (&mut singular, true)] {
                    let problem = systems::random(1 + seed as usize % 3, redundant, 0.3, seed);
                    let mut solver = solver(Formulation::PhantomInertia, k, Rho::Chosen).unwrap();
                    let reference = solver.solve(&problem);
                    assert!(reference.is_solved());
                    let rho = chosen_rho(&problem, k).unwrap().iter().map(|r| r * factor).collect();
                    c.take(&problem, k, Rho::PerContact(rho), reference).unwrap();
                }
            }
        }
        assert_eq!((definite.certified, singular.certified), (24, 24), "{factor}");
        assert_eq!((definite.others, singular.others), (0, 0), "{factor}");
        assert!(definite.impulse < 1e-9 && definite.velocity < 1e-9, "{factor}: {definite:?}");
        assert!(singular.velocity < 1e-9, "{factor}: {singular:?}");
    }
}

#[test]
fn the_matrix_is_singular_exactly_at_k_times_the_eigenvalues_of_the_inverse() {
    let heavy = systems::particle(2.5, MU, 1.0, [0.8, 0.3]);
    for k in LINES {
        for rho in singular_rhos(&heavy, k).unwrap() {
            assert!((rho - 2.5 * k as f64).abs() < 1e-12, "a point mass: k m, not {rho}");
        }
    }
    let tripod = systems::tripod(MU);
    let k = 3;
    let wanted = singular_rhos(&tripod, k).unwrap();
    let found = dips(&tripod, k, (0.3 * wanted[0], 3.0 * wanted[5]), 250).unwrap();
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(&wanted) {
        assert!((found - wanted).abs() < 1e-9 * wanted, "{found} {wanted}");
    }
    let chosen = chosen_rho(&tripod, k).unwrap();
    // Each is a hundredth of a bound; below the least bound no ρ that all contacts share is singular.
    let least = chosen.iter().fold(f64::INFINITY, |m, rho| m.min(*rho));
    assert!(least <= 0.01 * wanted[0], "{chosen:?} {wanted:?}");
}

#[test]
fn solving_works_where_rho_is_singular() {
    let mut c = Comparison::default();
    for seed in 0..10 {
        let problem = systems::random(2, false, 0.3, seed);
        let mut solver = solver(Formulation::PhantomInertia, 3, Rho::Chosen).unwrap();
        let reference = solver.solve(&problem);
        for rho in singular_rhos(&problem, 3).unwrap() {
            c.take(&problem, 3, rho, reference).unwrap();
        }
    }
    assert_eq!((c.certified, c.others), (40, 0));
    assert!(c.impulse < 1e-9, "{c:?}");
}

#[test]
fn the_default_rho_is_far_from_singular_for_small_and_stretched_friction_sets() {
    // The normals of a set of size 1/√10 are √10 long: 10 k is singular there.
    let small = 0.1_f64.sqrt();
    for axes in [[small, small], [1.0, small], [0.01, 0.02], [50.0, 1.0]] {
        let law = Law::with_set(MU, ConvexSet::Ellipsoid(axes.to_vec()));
        let problem =
            ContactProblem::new(Matrix::identity(3), vec![-1.0, 0.4, 0.2], vec![law]).unwrap();
        let (encoding, model) = solver(Formulation::PhantomInertia, 4, Rho::Chosen)
            .unwrap()
            .encoding(&problem)
            .unwrap();
        let model = model.unwrap();
        let rho = default_rho(&model).unwrap()[0];
        let ConvexSet::Polyhedron(p) = model.laws()[0].kind.set().unwrap() else { panic!() };
        // W = 1: singular where ρ is an eigenvalue of Σ a aᵀ.
        let sum = |i: usize, j: usize| p.normals().map(|a| a[i] * a[j]).sum::<f64>();
        assert!(sum(0, 1).abs() < 1e-9 * sum(0, 0).max(sum(1, 1)));
        let least = sum(0, 0).min(sum(1, 1));
        assert!(rho <= 0.01 * least && rho >= 1e-4 * least, "{axes:?}: {rho}");
        assert!(relative_sigma(&problem, 4, sum(0, 0)).unwrap() < 1e-14, "{axes:?}");
        let lead = Lead::of(
            &lead_matrix(&problem, Formulation::PhantomInertia, 4, Rho::Chosen, Form::Mixed)
                .unwrap()
                .unwrap(),
        );
        assert!(lead.is_full(), "{axes:?} {lead:?}");
        assert!(encoding.mixed(&model).is_ok());
    }
}

#[test]
fn the_schur_form_is_copositive_and_lemke_solves_it_for_definite_matrices() {
    for k in [2, 3, 4] {
        let lcp = schur(&systems::random(1, false, 1.0, k as u64), k);
        let found = classify(lcp.m(), &classes::Settings::default()).unwrap();
        assert!(found.copositive.is_yes(), "k = {k}: {:?}", found.copositive);
    }
    let mut lemke = Lemke::default();
    for seed in 0..40 {
        let k = LINES[seed as usize % 4];
        let lcp = schur(&systems::random(1 + seed as usize % 4, false, 1.0, seed), k);
        assert!(lemke.solve(&lcp).is_solved(), "seed {seed}, k = {k}");
    }
}

#[test]
fn kappa_is_not_unique_at_an_open_contact_of_three_lines() {
    let problem = systems::random(1, false, 1.0, 5);
    let (w, laws) = (problem.delassus().clone(), problem.laws().to_vec());
    let lcp = schur(&ContactProblem::new(w, vec![1.0, 0.0, 0.0], laws).unwrap(), 3);
    // Directions 60° apart: ±e₁ ± e₂ ± e₃ = 0 for one choice of signs and its opposite, so that this κ is no slip.
    let solves = |signs: usize| {
        let sign = |j: usize| f64::from(u8::from(signs >> j & 1 == 1));
        let kappa = (0..3).map(sign).chain((0..3).map(|j| 1.0 - sign(j)));
        let z: Vec<f64> = std::iter::once(0.0).chain(kappa).collect();
        lcp.residual(&z).scaled < 1e-12
    };
    assert!(lcp.residual(&[0.0; 7]).scaled < 1e-12);
    assert_eq!((0..8).filter(|&signs| solves(signs)).count(), 2);
}

#[test]
fn a_block_that_slides_and_spins_on_four_corners_has_several_velocities() {
    // How the load is shared between corners is open, and each corner slides its own way.
    let problem = systems::block_on_four(MU, 0.6);
    let [a, b] = both(&problem, Formulation::StewartTrinkle, 2);
    let model =
        solver(Formulation::StewartTrinkle, 2, Rho::Chosen).unwrap().encoding(&problem).unwrap().1;
    let model = model.unwrap();
    for answer in [&a, &b] {
        assert!(model.certificate(&answer.impulse).unwrap().worst <= 1e-10);
    }
    let apart = a.velocity.iter().zip(&b.velocity).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(apart > 1e-3, "{apart}");
}

/// The answer of a polyhedral formulation, and that of the exact law with its polyhedron as friction set.
fn both(problem: &ContactProblem, f: Formulation, k: usize) -> [ContactSolution; 2] {
    let mut polyhedral = solver(f, k, Rho::Chosen).unwrap();
    let model = polyhedral.encoding(problem).unwrap().1.unwrap();
    let settings = Settings { formulation: Formulation::Cone, ..Settings::default() };
    let mut cone = ContactSolver::new(settings).unwrap();
    [polyhedral.solve(problem).clone(), cone.solve(&model).clone()]
}

#[test]
fn polyhedral_formulations_are_the_cone_of_their_polygon() {
    let formulations = [Formulation::PhantomInertia, Formulation::StewartTrinkle];
    for k in LINES {
        let random = (0..4).map(|seed| systems::random(2, seed > 1, 0.3, seed));
        let blocks =
            [systems::tripod(MU), systems::block_on_three(MU), systems::block_on_four(MU, 0.0)];
        for (i, problem) in blocks.into_iter().chain(random).enumerate() {
            for f in formulations {
                let [polyhedral, cone] = both(&problem, f, k);
                assert!(polyhedral.is_solved(), "{f} {i} k = {k}: {:?}", polyhedral.status);
                assert!(cone.is_solved(), "cone of {f} {i} k = {k}: {:?}", cone.certificate);
                for (a, b) in polyhedral.velocity.iter().zip(&cone.velocity) {
                    assert!((a - b).abs() < 1e-7, "{f} {i} k = {k}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn friction_of_the_polygons_lies_between_one_and_the_cosine_around_it() {
    let ends = |all: &[stickslip_studies::phantom::Strength]| {
        let values = all.iter().map(|s| s.against);
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max))
    };
    for k in LINES {
        let extreme = (0.5 * std::f64::consts::PI / k as f64).cos();
        for (f, low, high) in [
            (Formulation::PhantomInertia, 1.0, extreme.recip()),
            (Formulation::StewartTrinkle, extreme, 1.0),
        ] {
            // Multiples of π/48: normals and corners of every k are among them.
            let slides = sliding(f, k, 96).unwrap();
            assert_eq!(slides.len(), 96);
            for s in &slides {
                let wanted = support_formula(f, k, s.heading);
                assert!((s.against - wanted).abs() < 1e-9, "{f} {k}: {s:?} {wanted}");
            }
            for (a, b) in [ends(&slides), ends(&breakaway(f, k, 96).unwrap())] {
                assert!((a - low).abs() < 1e-6 && (b - high).abs() < 1e-6, "{f} {k}: {a} {b}");
            }
        }
    }
    assert!(
        (support_formula(Formulation::PhantomInertia, 2, 0.25 * std::f64::consts::PI)
            - 2.0_f64.sqrt())
        .abs()
            < 1e-12
    );
}

#[test]
fn one_rho_per_contact_has_the_same_answer_and_is_refused_in_another_number() {
    let problem = systems::random(3, false, 0.3, 4);
    let mut uniform = solver(Formulation::PhantomInertia, 4, 0.3).unwrap();
    let reference = uniform.solve(&problem);
    assert!(reference.is_solved());
    let mut c = Comparison::default();
    c.take(&problem, 4, Rho::PerContact(vec![0.2, 7.0, 0.0]), reference).unwrap();
    assert_eq!((c.certified, c.others), (1, 0));
    assert!(c.impulse < 1e-9, "{c:?}");

    let two = solver(Formulation::PhantomInertia, 4, Rho::PerContact(vec![0.2, 7.0])).unwrap();
    let refused = two.check(&problem).unwrap_err().to_string();
    assert_eq!(refused, "rho (one per contact) has 2 entries where 3 are needed");
    let negative = solver(Formulation::PhantomInertia, 4, Rho::PerContact(vec![0.2, -7.0]));
    let refused = negative.unwrap_err().to_string();
    assert_eq!(refused, "rho of contact 1 is -7; it must be a finite number >= 0");
}
