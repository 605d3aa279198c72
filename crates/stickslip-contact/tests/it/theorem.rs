//! Theorem 1 of paper 2 as numbers: closed forms, order of the bounds, and no counter-example below them.

use complementarity::Matrix;
use complementarity::enumerate::{self, enumerate};
use nalgebra::{DMatrix, SymmetricEigen};
use proptest::prelude::*;
use stickslip_contact::analysis::theorem::{
    Limit, MAX_ROWS, MAX_SELF_STRESSES, Meaning, Program, Theorem,
};
use stickslip_contact::set::{ConvexSet, Polyhedron};
use stickslip_contact::solve::{ContactSolver, Formulation};
use stickslip_contact::{ContactProblem, Error, Law};

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
fn more_self_stresses_than_the_limit_leave_the_program_undecided() {
    for (extra, wanted) in [(1, Meaning::NoConclusion), (2, Meaning::Undecided)] {
        // Contacts from both sides on one coordinate, coming closer.
        let n = MAX_SELF_STRESSES + extra;
        let side = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let w = Matrix::from_fn(n, n, |i, j| side(i) * side(j));
        let p = ContactProblem::new(w, vec![-1.0; n], vec![Law::frictionless(); n]).unwrap();
        let found = program(&p);
        assert_eq!((found.meaning, found.dimension), (wanted, n - 1));
        assert!(extra > 1 || (found.upper + 1.0).abs() < 1e-12);
    }
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

/// A point between two walls that lean by α from the vertical: the normals point inwards and up.
fn wedge(alpha: f64, law: &Law, rel: [f64; 2]) -> ContactProblem {
    let (s, c) = alpha.sin_cos();
    let rows = [[c, s], [-s, c], [-c, s], [s, c]];
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let w = Matrix::from_fn(4, 4, |i, j| dot(rows[i], rows[j]));
    // The first wall's side of the point is accelerated by rel, the other side not at all.
    let b = vec![dot(rows[0], rel), dot(rows[1], rel), 0.0, 0.0];
    ContactProblem::new(w, b, vec![law.clone(); 2]).unwrap()
}

fn program(p: &ContactProblem) -> Program {
    Theorem::of(p).unwrap().program.unwrap()
}

#[test]
fn a_wedge_has_self_stresses_above_the_angle_of_its_walls_and_the_program_is_its_closed_form() {
    let mut seen = [0; 3];
    for i in 0..12 {
        let (alpha, mu) = (0.3, 0.05 + 0.1 * f64::from(i));
        for rel in [[1.0, 0.4], [-1.0, 0.2], [0.2, -3.0], [0.0, 0.0]] {
            let found = program(&wedge(alpha, &Law::coulomb(mu), rel));
            let beta = mu.atan() - alpha;
            if beta < 0.0 {
                assert_eq!(found.meaning, Meaning::NoSelfStress);
                assert_eq!(found.dimension, 2);
                seen[0] += 1;
                continue;
            }
            let value = (rel[0] - rel[1].abs() * beta.tan()) / (2.0 * alpha.cos());
            assert!((found.lower - value).abs() < 1e-9, "{mu} {rel:?}: {found:?} {value}");
            assert!((found.upper - value).abs() < 1e-9, "{mu} {rel:?}: {found:?} {value}");
            assert_eq!(found.value(), found.upper.min(0.0));
            let wanted = match value {
                v if v > 0.0 => Meaning::Exists,
                v if v < 0.0 => Meaning::NoConclusion,
                _ => Meaning::Edge,
            };
            assert_eq!(found.meaning, wanted, "{mu} {rel:?} {found:?}");
            seen[1 + usize::from(value < 0.0)] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 3), "{seen:?}");
}

#[test]
fn a_box_squeezed_between_two_walls_has_a_self_stress_against_b_and_no_solution() {
    // A box of mass 1 and unit inertia; walls at x = ∓1 come closer with acceleration 1 each.
    let rows = [[1.0, 0.0, 0.0], [0.0, 1.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 1.0]];
    let w = Matrix::from_fn(4, 4, |i, j| (0..3).map(|k| rows[i][k] * rows[j][k]).sum());
    for (push, meaning) in
        [(-1.0, Meaning::NoConclusion), (1.0, Meaning::Exists), (0.0, Meaning::Edge)]
    {
        let b = vec![push, -9.81, push, -9.81];
        let p = ContactProblem::new(w.clone(), b, vec![Law::coulomb(0.7); 2]).unwrap();
        let theorem = Theorem::of(&p).unwrap();
        let found = theorem.program.clone().unwrap();
        assert_eq!(found.meaning, meaning, "{theorem}");
        assert!((found.upper - push).abs() < 1e-12 && (found.lower - push).abs() < 1e-12);
        let lcp = ContactSolver::encode(&p, Formulation::StewartTrinkle).unwrap();
        let all = enumerate(&lcp, &enumerate::Settings::default()).unwrap();
        assert_eq!(all.solutions.is_empty(), push < 0.0);
        if push < 0.0 {
            let c = found.minimiser.unwrap();
            assert!((c[0] - 0.5).abs() < 1e-12 && (c[2] - 0.5).abs() < 1e-12);
            assert!(theorem.to_string().contains("does work against b, -1.000000"), "{theorem}");
        }
    }
}

#[test]
fn connections_that_contradict_each_other_are_told() {
    let w = Matrix::from_rows(&[[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]]).unwrap();
    let laws = vec![Law::bilateral(2), Law::frictionless()];
    let p = ContactProblem::new(w.clone(), vec![1.0, 1.0, 0.0], laws.clone()).unwrap();
    assert_eq!(program(&p).meaning, Meaning::NoSelfStress);
    let p = ContactProblem::new(w, vec![1.0, 2.0, 0.0], laws).unwrap();
    let found = program(&p);
    assert_eq!(found.meaning, Meaning::Contradiction);
    let c = found.minimiser.unwrap();
    assert!(c[0] + 2.0 * c[1] < 0.0 && (c[0] + c[1]).abs() < 1e-12 && c[2].abs() < 1e-12);
}

#[test]
fn a_contact_that_slides_has_no_program() {
    let sliding = wedge(0.3, &Law::coulomb(0.5).sliding_with([1.0, 0.0, 0.0]), [1.0, 0.0]);
    assert!(Theorem::of(&sliding).unwrap().program.is_none());
}

/// A Gram matrix with `rows` rows over `width` coordinates, of sizes over decades.
fn gram(rows: usize, width: usize, seed: u64) -> Matrix {
    let mut state = seed;
    let mut draw = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    };
    let rows: Vec<Vec<f64>> = (0..rows)
        .map(|_| {
            let size = 10.0_f64.powf(2.0 * draw());
            (0..width).map(|_| size * draw()).collect()
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
        let w = gram(rows, rows + 4, seed);
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
    fn the_program_is_enclosed_by_a_self_stress_and_by_accelerations(
        kinds in prop::collection::vec(0_u8..6, 1..5),
        mus in prop::collection::vec(0.1..1.5_f64, 4),
        b in prop::collection::vec(-1.0..1.0_f64, 16),
        seed in any::<u64>(),
    ) {
        let laws = laws(&kinds, &mus);
        let rows: usize = laws.iter().map(Law::components).sum();
        let w = gram(rows, rows / 2 + 1, seed);
        let p = ContactProblem::new(w.clone(), b[..rows].to_vec(), laws.clone()).unwrap();
        let theorem = Theorem::of(&p).unwrap();
        let found = theorem.program.clone().unwrap();
        prop_assert!(found.meaning != Meaning::Undecided, "{:?}", found);
        let Some(c) = &found.minimiser else {
            prop_assert_eq!(found.meaning, Meaning::NoSelfStress);
            return Ok(());
        };
        // The self-stress: it moves nothing, obeys the limits, and does the work that is reported.
        let size = |v: &[f64]| v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let moved = w.mul_vec(c);
        let (mut sum, mut work) = (0.0, 0.0);
        for i in 0..rows {
            let terms: f64 = (0..rows).map(|j| (w[(i, j)] * c[j]).abs()).sum();
            prop_assert!(moved[i].abs() <= 1e-7 * terms, "{} {} {:?}", i, moved[i], found);
            work += b[i] * c[i];
        }
        // The accelerations: some forces reach them, and every contact lifts by as much as is reported.
        let a = &found.acceleration;
        for z in &theorem.bounds.definiteness.null {
            let off: f64 = (0..rows).map(|i| (a[i] - b[i]) * z[i]).sum();
            let terms: f64 = (0..rows).map(|i| (a[i].abs() + b[i].abs()) * z[i].abs()).sum();
            prop_assert!(off.abs() <= 1e-9 * terms, "{}", off);
        }
        for (i, law) in laws.iter().enumerate() {
            let r = p.rows(i);
            sum += c[r.start];
            let mut lift = a[r.start];
            if let Some(set) = law.kind.set() {
                let t = r.start + 1..r.end;
                prop_assert!(set.gauge(&c[t.clone()]) <= law.mu * c[r.start] * (1.0 + 1e-9) + 1e-12);
                let against: Vec<f64> = a[t].iter().map(|a| -a).collect();
                lift -= law.mu * set.support(&against);
            }
            prop_assert!(lift >= found.lower - 1e-12 * size(a));
        }
        prop_assert!((sum - 1.0).abs() < 1e-12);
        prop_assert!((work - found.upper).abs() <= 1e-9 * size(c));
        prop_assert!(found.lower <= found.upper + 1e-9 * size(c), "{:?}", found);
        prop_assert!(found.upper - found.lower <= 1e-6 * size(c), "{:?}", found);
    }

    #[test]
    fn the_bound_of_the_design_is_never_the_larger_one(
        contacts in 1_usize..4,
        seed in any::<u64>(),
    ) {
        let rows = 3 * contacts;
        let w = gram(rows, rows + 4, seed);
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

#[test]
fn a_matrix_that_is_not_symmetric_is_refused_with_how_far_it_is() {
    let w = Matrix::from_rows(&[[1.0, 0.001], [0.0, 1.0]]).unwrap();
    let problem = ContactProblem::new(w, vec![-1.0, 0.0], vec![Law::coulomb(0.3)]).unwrap();
    let error = Theorem::of(&problem).unwrap_err();
    assert!(
        matches!(error, Error::NotSymmetric { asymmetry, .. } if (asymmetry - 1e-3).abs() < 1e-9)
    );
    assert!(
        error.to_string().contains("theorem 1") && error.to_string().contains("1.0e-3"),
        "{error}"
    );
}
