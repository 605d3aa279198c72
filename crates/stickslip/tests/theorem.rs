//! Theorem 1 of paper 2 as numbers: closed forms, order of the bounds, and no counter-example below them.

use complementarity::Matrix;
use complementarity::cone::{ConvexSet, set::Polyhedron};
use nalgebra::{DMatrix, SymmetricEigen};
use proptest::prelude::*;
use stickslip::analysis::theorem::{Limit, MAX_ROWS, Theorem};
use stickslip::contact::{ContactProblem, Law};

/// W of Painlevé's rod of mass 1 and half length 1 at the angle θ.
fn rod(theta: f64, law: Law) -> ContactProblem {
    let (s, c) = theta.sin_cos();
    let w =
        Matrix::from_rows(&[[1.0 + 3.0 * c * c, 3.0 * s * c], [3.0 * s * c, 1.0 + 3.0 * s * s]]);
    ContactProblem::new(w.unwrap(), vec![-9.81, 0.0], vec![law]).unwrap()
}

fn critical(theta: f64) -> f64 {
    (1.0 + 3.0 * theta.cos().powi(2)) / (3.0 * theta.sin() * theta.cos())
}

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * b.abs()
}

#[test]
fn for_the_rod_the_bound_at_its_velocity_is_the_closed_form_and_the_other_is_safe() {
    for i in 1..30 {
        let theta = 1.5 * f64::from(i) / 30.0;
        let jams = rod(theta, Law::coulomb(0.5).sliding_with([1.0, 0.0, 0.0]));
        let bounds = Theorem::of(&jams).unwrap().bounds;
        let wanted = critical(theta);
        assert!(close(bounds.existence.common, wanted), "{theta}: {bounds}");
        assert!(close(bounds.existence.factor, 2.0 * wanted));
        assert!(close(bounds.uniqueness.common, wanted));
        let modes = bounds.modes.unwrap();
        assert!(close(modes.existence.common, wanted) && close(modes.uniqueness.common, wanted));
        assert!(modes.sharp);
        // 2 √(S / W_TT) with det W = 4.
        let safe = 4.0 / (1.0 + 3.0 * theta.sin().powi(2));
        assert!(close(bounds.at_any_velocity.common, safe), "{theta}: {bounds}");
        assert!(safe <= wanted * (1.0 + 1e-12));

        let away = rod(theta, Law::coulomb(0.5).sliding_with([-1.0, 0.0, 0.0]));
        let bounds = Theorem::of(&away).unwrap().bounds;
        assert_eq!(bounds.existence.common, f64::INFINITY);
        assert_eq!(bounds.best_uniqueness().factor, f64::INFINITY);

        // At rest any friction has a solution; it is the only one up to the same coefficient.
        let bounds = Theorem::of(&rod(theta, Law::coulomb(0.5))).unwrap().bounds;
        assert_eq!(bounds.existence.common, f64::INFINITY);
        assert!(close(bounds.modes.unwrap().uniqueness.common, wanted));
        assert!(close(bounds.uniqueness.common, safe));
    }
    let smallest = Theorem::of(&rod(2.0_f64.atan(), Law::coulomb(1.0).sliding_with([1.0; 3])));
    assert!((smallest.unwrap().bounds.existence.common - 4.0 / 3.0).abs() < 1e-12);
}

#[test]
fn the_effective_matrix_of_the_rod_is_p_up_to_the_closed_form() {
    for (factor, wanted) in [(0.999, true), (1.001, false)] {
        let mu = factor * critical(1.0);
        let p = rod(1.0, Law::coulomb(mu).sliding_with([1.0, 0.0, 0.0]));
        let theorem = Theorem::of(&p).unwrap();
        assert_eq!(theorem.bounds.existence.holds(), wanted);
        let classes = theorem.bounds.effective.as_ref().unwrap().classes.clone();
        assert_eq!(classes.p.is_yes(), wanted);
        assert_eq!(classes.p.is_no(), !wanted);
        let text = theorem.to_string();
        assert!(
            text.contains(if wanted { "99.9 % of the bound" } else { "beyond, 1.0010 times" }),
            "{text}"
        );
    }
}

#[test]
fn a_box_on_four_corners_has_self_stresses_and_no_bound() {
    // Corners at (±1, ±1) of a box that can fall and turn about two axes, without friction.
    let row = |x: f64, y: f64| [1.0, x, y];
    let rows = [row(1.0, 1.0), row(-1.0, 1.0), row(-1.0, -1.0), row(1.0, -1.0)];
    let w = Matrix::from_fn(4, 4, |i, j| (0..3).map(|k| rows[i][k] * rows[j][k]).sum());
    let p = ContactProblem::new(w.clone(), vec![-1.0; 4], vec![Law::frictionless(); 4]).unwrap();
    let bounds = Theorem::of(&p).unwrap().bounds;
    let d = &bounds.definiteness;
    assert!(d.is_singular() && !d.is_definite());
    assert_eq!((d.rank, d.rows, d.null.len()), (3, 4, 1));
    assert!(w.mul_vec(&d.null[0]).iter().all(|v| v.abs() < 1e-12));
    let norm: f64 = d.null[0].iter().map(|c| 3.0 * c * c).sum();
    assert!((norm - 1.0).abs() < 1e-12);
    assert_eq!(bounds.best_existence().common, 0.0);
    assert!(bounds.to_string().contains("self-stresses of dimension 1"));
}

#[test]
fn a_problem_beyond_the_limit_is_refused_with_the_limit() {
    let n = MAX_ROWS + 1;
    let laws = vec![Law::frictionless(); n];
    let p = ContactProblem::new(Matrix::identity(n), vec![1.0; n], laws).unwrap();
    let message = Theorem::of(&p).unwrap_err().to_string();
    assert!(message.contains("301") && message.contains("300"), "{message}");
}

#[test]
fn the_smallest_eigenvalue_lies_within_its_error() {
    // 1 and 1 − r twice over a diagonal of ones have the eigenvalues 1 ± r.
    for r in [0.5, 1.0 - 1e-6, 1.0 - 1e-9] {
        let w = Matrix::from_rows(&[[4.0, 2.0 * r], [2.0 * r, 1.0]]).unwrap();
        let p = ContactProblem::new(w, vec![0.0; 2], vec![Law::coulomb(0.1)]).unwrap();
        let d = Theorem::of(&p).unwrap().bounds.definiteness;
        assert!((d.smallest - (1.0 - r)).abs() <= d.error && d.error < 1e-13);
        assert!(d.is_definite());
    }
}

/// A Gram matrix with `rows` rows over more coordinates than rows, of sizes over decades.
fn gram(rows: usize, seed: u64) -> Matrix {
    let mut state = seed;
    let mut draw = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    };
    let rows: Vec<Vec<f64>> = (0..rows)
        .map(|_| {
            let size = 10.0_f64.powf(2.0 * draw());
            (0..rows + 4).map(|_| size * draw()).collect()
        })
        .collect();
    let dot = |i: usize, j: usize| rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b).sum();
    Matrix::from_fn(rows.len(), rows.len(), dot)
}

fn laws(kinds: &[u8], mus: &[f64]) -> Vec<Law> {
    let square = || Polyhedron::symmetric(&[[1.0, 0.2], [0.0, 1.5]]).unwrap();
    let law = |(i, k): (usize, &u8)| {
        let mu = mus[i];
        let law = match k % 6 {
            0 => Law::coulomb(mu),
            1 => Law::disc(mu),
            2 => Law::with_set(mu, ConvexSet::Ellipsoid(vec![1.0, 0.4, 0.2])),
            3 => Law::with_set(mu, ConvexSet::Mixed { ellipse: [1.0, 0.5], spin: 0.3 }),
            4 => Law::with_set(mu, ConvexSet::Polyhedron(square())),
            _ => Law::frictionless(),
        };
        if k / 6 % 2 == 1 && k % 6 != 5 { law.sliding_with([mu - 0.3, 0.4, 0.2]) } else { law }
    };
    kinds.iter().enumerate().map(law).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sharper_bounds_are_larger_and_none_knows_units(
        kinds in prop::collection::vec(0_u8..12, 1..4),
        mus in prop::collection::vec(0.1..1.0_f64, 4),
        seed in any::<u64>(),
        unit in 0.001..1000.0_f64,
    ) {
        let laws = laws(&kinds, &mus);
        let rows = laws.iter().map(Law::components).sum();
        let w = gram(rows, seed);
        let p = ContactProblem::new(w.clone(), vec![0.0; rows], laws.clone()).unwrap();
        let b = Theorem::of(&p).unwrap().bounds;
        let scaled = Matrix::from_fn(rows, rows, |i, j| unit * w[(i, j)]);
        let q = ContactProblem::new(scaled, vec![0.0; rows], laws).unwrap();
        let other = Theorem::of(&q).unwrap().bounds;
        for pick in [|b: &Limit| b.common, |b: &Limit| b.factor] {
            let at_least = |large: f64, small: f64| large >= small * (1.0 - 1e-6);
            let (any, exists) = (pick(&b.at_any_velocity), pick(&b.existence));
            prop_assert!(at_least(pick(&b.existence_at_any_velocity), any), "{}", b);
            prop_assert!(at_least(exists, pick(&b.uniqueness)), "{}", b);
            prop_assert!(at_least(exists, any), "{}", b);
            if let Some(modes) = b.modes {
                prop_assert!(at_least(pick(&modes.uniqueness), pick(&b.uniqueness)), "{}", b);
                prop_assert!(at_least(pick(&modes.uniqueness), any), "{}", b);
                prop_assert!(at_least(pick(&modes.existence), exists), "{}", b);
                prop_assert!(at_least(pick(&modes.existence), pick(&b.existence_at_any_velocity)), "{}", b);
                prop_assert!(at_least(pick(&modes.existence), pick(&modes.uniqueness)), "{}", b);
            }
            for (x, y) in [(any, pick(&other.at_any_velocity)), (exists, pick(&other.existence))] {
                prop_assert!(x == y || (x - y).abs() <= 1e-6 * x, "{} {}", x, y);
            }
        }
    }

    #[test]
    fn the_bound_of_the_design_is_never_the_larger_one(
        contacts in 1_usize..4,
        seed in any::<u64>(),
    ) {
        let rows = 3 * contacts;
        let w = gram(rows, seed);
        let p = ContactProblem::new(w.clone(), vec![0.0; rows], vec![Law::disc(0.2); contacts]);
        let found = Theorem::of(&p.unwrap()).unwrap().bounds.at_any_velocity.common;
        let normal: Vec<usize> = (0..contacts).map(|i| 3 * i).collect();
        let tangent: Vec<usize> = (0..rows).filter(|i| i % 3 != 0).collect();
        let block = |r: &[usize], c: &[usize]| DMatrix::from_fn(r.len(), c.len(), |i, j| w[(r[i], c[j])]);
        let tt = block(&tangent, &tangent);
        let nt = block(&normal, &tangent);
        let schur = block(&normal, &normal) - &nt * tt.clone().try_inverse().unwrap() * nt.transpose();
        let smallest = SymmetricEigen::new(schur).eigenvalues.min();
        let design = 2.0 * (smallest.max(0.0) / SymmetricEigen::new(tt).eigenvalues.max()).sqrt();
        prop_assert!(found >= design * (1.0 - 1e-6), "{} {}", found, design);
    }
}
