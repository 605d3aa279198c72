//! Polygons, polyhedra, sets of a user's own, and properties that hold for every kind.

use super::common::{Random, all, near, same};
use complementarity::Matrix;
use complementarity::enumerate::{self, Count, enumerate};
use proptest::prelude::*;
use std::sync::Arc;
use stickslip_contact::analysis::solutions::{SearchLimit, Settings, Solutions, all_solutions};
use stickslip_contact::set::ConvexSet;
use stickslip_contact::set::{Polyhedron, UniformDisc};
use stickslip_contact::solve::{self, ContactSolver, Formulation};
use stickslip_contact::{ContactProblem, Law, Mode};

fn impulses(found: &Solutions) -> Vec<Vec<f64>> {
    found.solutions.iter().map(|s| s.impulse.clone()).collect()
}

/// The impulses of all solutions of Stewart and Trinkle's complementarity problem, whose other unknowns need not be unique.
/// Its vectors are redundant, so that rounding may decide which pairs are zero: also whether the list is known to be complete.
fn slip_slack(p: &ContactProblem) -> (Vec<Vec<f64>>, bool) {
    let formulation = Formulation::StewartTrinkle;
    let solver =
        ContactSolver::new(solve::Settings { formulation, ..solve::Settings::default() }).unwrap();
    let (encoding, model) = solver.encoding(p).unwrap();
    let own = model.as_ref().unwrap_or(p);
    let lcp = encoding.mixed(own).unwrap().to_lcp().unwrap();
    let all = enumerate(&lcp, &enumerate::Settings::default()).unwrap();
    let mut found: Vec<Vec<f64>> = Vec::new();
    for z in all.solutions.iter().flat_map(|f| &f.vertices) {
        let mut lam = vec![0.0; p.bias().len()];
        encoding.decode(z, &mut lam);
        if !found.iter().any(|f| near(f, &lam, 1e-7)) {
            found.push(lam);
        }
    }
    (found, all.is_complete())
}

/// Both lists are the same, or one that may not be complete is part of the other.
fn agree(found: &[Vec<f64>], (expected, complete): &(Vec<Vec<f64>>, bool)) -> bool {
    let among = |x: &Vec<f64>| found.iter().any(|f| near(f, x, 1e-6));
    if *complete { same(found, expected, 1e-6) } else { expected.iter().all(among) }
}

fn polygon(corners: usize, turn: f64) -> ConvexSet {
    let points: Vec<[f64; 2]> = (0..corners)
        .map(|i| {
            let phi = turn + std::f64::consts::TAU * i as f64 / corners as f64;
            [phi.cos(), 0.7 * phi.sin()]
        })
        .collect();
    ConvexSet::Polyhedron(Polyhedron::hull(&points).unwrap())
}

#[test]
fn polygons_have_the_solutions_of_their_complementarity_problem() {
    let mut random = Random(51);
    let mut counts = [0; 4];
    for trial in 0..60 {
        let k = 1 + trial % 2;
        let laws = (0..k)
            .map(|_| {
                let set = polygon(3 + trial % 4, random.between(0.0, 1.0));
                Law::with_set(random.between(0.2, 4.0), set)
            })
            .collect();
        let p = random.problem(3 * k, laws);
        let found = all(&p);
        assert!(found.is_complete(), "trial {trial}");
        let expected = slip_slack(&p);
        assert!(agree(&impulses(&found), &expected), "trial {trial} {found:?} {expected:?}");
        counts[expected.0.len().min(3)] += 1;
    }
    assert!(counts[1] > 20 && counts[2] + counts[3] > 0, "{counts:?}");
}

#[test]
fn polyhedra_in_three_dimensions_have_the_solutions_of_their_complementarity_problem() {
    let mut random = Random(53);
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.4]];
    let octahedron: Vec<[f64; 3]> = axes.iter().flat_map(|a| [*a, a.map(|x| -x)]).collect();
    let cube: Vec<[f64; 3]> =
        (0..8).map(|i| [0, 1, 2].map(|k| if i >> k & 1 == 0 { 0.6 } else { -0.5 })).collect();
    let sets = [octahedron, cube].map(|p| ConvexSet::Polyhedron(Polyhedron::hull(&p).unwrap()));
    for trial in 0..40 {
        let law = Law::with_set(random.between(0.2, 3.0), sets[trial % 2].clone());
        let p = random.problem(4, vec![law]);
        let found = all(&p);
        assert!(found.is_complete(), "trial {trial}");
        let expected = slip_slack(&p);
        assert!(agree(&impulses(&found), &expected), "trial {trial} {found:?} {expected:?}");
    }
}

#[test]
fn fine_polygons_approach_the_disc() {
    let mut random = Random(57);
    for trial in 0..10 {
        let mu = random.between(0.2, 1.0);
        let p = random.problem(4, vec![Law::disc(mu)]);
        let points: Vec<[f64; 2]> = (0..48)
            .map(|i| (std::f64::consts::TAU * f64::from(i) / 48.0).sin_cos())
            .map(|(s, c)| [c, s])
            .collect();
        let set = ConvexSet::Polyhedron(Polyhedron::hull(&points).unwrap());
        let w = p.delassus().to_dense();
        let q = ContactProblem::new(w, p.bias().to_vec(), vec![Law::with_set(mu, set)]).unwrap();
        let (disc, fine) = (all(&p), all(&q));
        if disc.count() == Count::Exactly(1) && fine.count() == Count::Exactly(1) {
            assert!(same(&impulses(&fine), &impulses(&disc), 0.1), "trial {trial}");
        }
    }
}

#[test]
fn a_set_without_structure_gets_one_certified_solution_and_is_called_incomplete() {
    let set = ConvexSet::Custom(Arc::new(UniformDisc::new(0.5).unwrap()));
    let p = Random(59).problem(5, vec![Law::with_set(0.4, set)]);
    let found = all_solutions(&p, &Settings::default()).unwrap();
    assert_eq!(found.incomplete, Some(SearchLimit::UserSet { contact: 0 }));
    assert!(found.solutions.iter().all(|s| s.worst <= 1e-9 && !s.proved));
    assert!(found.proof.is_none() && found.summary().contains("user's own"));
}

#[test]
fn a_problem_without_contacts_has_the_empty_solution() {
    let p = ContactProblem::default();
    let found = all(&p);
    assert_eq!(found.count(), Count::Exactly(1));
    assert!(found.solutions[0].impulse.is_empty());
}

#[test]
fn a_contact_at_which_nothing_happens_is_one_solution() {
    // b = 0: open, stick and every direction of slip are the same point.
    for law in [Law::coulomb(0.5), Law::disc(0.5), Law::with_set(0.5, polygon(5, 0.1))] {
        let n = law.components();
        let p = ContactProblem::new(Matrix::identity(n), vec![0.0; n], vec![law]).unwrap();
        let found = all(&p);
        assert_eq!(found.count(), Count::Exactly(1), "{found:?}");
        assert_eq!(found.solutions[0].modes, [Mode::Open]);
    }
}

fn laws(kinds: &[u8], mu: f64) -> Vec<Law> {
    let law = |kind: &u8| match kind % 6 {
        0 => Law::coulomb(mu),
        1 => Law::disc(mu),
        2 => Law::frictionless(),
        3 => Law::coulomb(mu).sliding_with([1.0, 0.0, 0.0]),
        4 => Law::with_set(mu, polygon(4, 0.3)),
        _ => Law::dry(0.2 * mu, ConvexSet::Interval),
    };
    kinds.iter().map(law).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn units_do_not_matter(
        kinds in prop::collection::vec(any::<u8>(), 1..3), mu in 0.1..2.0f64, seed in any::<u64>(),
        (mass, speed) in (-3..4i32, -3..4i32),
    ) {
        let mut random = Random(seed);
        let n: usize = laws(&kinds, mu).iter().map(Law::components).sum();
        let p = random.problem(n + 1, laws(&kinds, mu));
        let (mass, speed) = (10f64.powi(mass), 10f64.powi(speed));
        let w = p.delassus().to_dense();
        let w = Matrix::from_fn(n, n, |i, j| w[(i, j)] / mass);
        let b = p.bias().iter().map(|b| b * speed).collect();
        // A constant radius is an impulse, and has to be scaled with them.
        let scaled = laws(&kinds, mu).into_iter().map(|l| Law { radius: l.radius * mass * speed, ..l });
        let q = ContactProblem::new(w, b, scaled.collect()).unwrap();
        let (one, other) = (all(&p), all(&q));
        prop_assume!(one.is_complete() && other.is_complete());
        let expected: Vec<Vec<f64>> =
            impulses(&one).iter().map(|l| l.iter().map(|v| v * mass * speed).collect()).collect();
        let size = mass * speed;
        let unit = |list: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
            list.into_iter().map(|l| l.into_iter().map(|v| v / size).collect()).collect()
        };
        prop_assert!(same(&unit(impulses(&other)), &unit(expected), 1e-5));
    }

    #[test]
    fn the_order_of_the_contacts_does_not_matter(
        kinds in prop::collection::vec(any::<u8>(), 2..4), mu in 0.1..2.0f64, seed in any::<u64>(),
    ) {
        let list = laws(&kinds, mu);
        let n: usize = list.iter().map(Law::components).sum();
        let p = Random(seed).problem(n + 1, list);
        let order: Vec<usize> = (0..kinds.len()).rev().flat_map(|i| p.rows(i)).collect();
        let w = p.delassus().to_dense();
        let w = Matrix::from_fn(n, n, |i, j| w[(order[i], order[j])]);
        let b = order.iter().map(|&i| p.bias()[i]).collect();
        let reversed: Vec<u8> = kinds.iter().rev().copied().collect();
        let q = ContactProblem::new(w, b, laws(&reversed, mu)).unwrap();
        let (one, other) = (all(&p), all(&q));
        prop_assume!(one.is_complete() && other.is_complete());
        let expected: Vec<Vec<f64>> =
            impulses(&one).iter().map(|l| order.iter().map(|&i| l[i]).collect()).collect();
        prop_assert!(same(&impulses(&other), &expected, 1e-5), "{:?} {:?}", other, expected);
    }
}
