//! Tests over all parts of cone problems: the judge, one block, factorisation, every solver.

mod laws;

use super::*;
use crate::block::BlockMatrix;
use crate::law::Law;
use crate::set::ConvexSet;
use complementarity::Matrix;
use proptest::prelude::*;

/// W = H Hᵀ with H of `rank` columns, from a stream of numbers; singular if the rank is small.
fn gram(n: usize, rank: usize, numbers: &[f64]) -> Matrix {
    let h = |i: usize, j: usize| {
        numbers[(i * i + 3 * i * j + 5 * j) % numbers.len()] + 0.1 * ((i + 2 * j) % 3) as f64
    };
    Matrix::from_fn(n, n, |i, j| (0..rank).map(|k| h(i, k) * h(j, k)).sum())
}

/// b in the range of W, so that a solution exists whatever its rank.
fn in_range(w: &Matrix, numbers: &[f64]) -> Vec<f64> {
    let v: Vec<f64> = (0..w.rows()).map(|i| numbers[(3 * i + 1) % numbers.len()] - 0.5).collect();
    w.mul_vec(&v)
}

fn laws_of_every_kind(mu: f64) -> Vec<Law> {
    vec![
        Law::disc(mu),
        Law::coulomb(mu),
        Law::frictionless(),
        Law::with_set(mu, ConvexSet::Ellipsoid(vec![1.0, 0.5, 0.2])),
    ]
}

fn mass_point(mu: f64, b: [f64; 3]) -> ContactProblem {
    ContactProblem::new(Matrix::identity(3), b.to_vec(), vec![Law::disc(mu)]).unwrap()
}

fn every_solver() -> Vec<Box<dyn Method>> {
    vec![
        Box::new(Cascade::default()),
        Box::new(Nsgs::default()),
        Box::new(ConeInteriorPoint::default()),
        Box::new(ConeNewton::default()),
        Box::new(Admm::default()),
    ]
}

#[test]
fn a_mass_point_takes_off_sticks_and_slides_as_the_closed_form_says() {
    let cases = [
        ([1.0, 0.5, 0.0], [0.0, 0.0, 0.0]),
        ([-2.0, 0.3, -0.4], [2.0, -0.3, 0.4]),
        ([-2.0, 3.0, -4.0], [2.0, -0.6, 0.8]),
    ];
    for (b, expected) in cases {
        for solver in &mut every_solver() {
            let solution = solver.solve(&mass_point(0.5, b)).clone();
            assert!(solution.is_solved(), "{} {:?}", solver.name(), solution.certificate);
            for (x, e) in solution.impulse.iter().zip(expected) {
                assert!((x - e).abs() < 1e-7, "{}: {:?}", solver.name(), solution.impulse);
            }
        }
    }
}

#[test]
fn the_judge_names_what_is_wrong() {
    // Sliding along x at speed 4 with normal impulse 2: Λ = (2, −1, 0).
    let problem = mass_point(0.5, [-2.0, 5.0, 0.0]);
    let named = |impulse: [f64; 3]| {
        let r = problem.certificate(&impulse).unwrap();
        let worst =
            r.measures().into_iter().max_by(|a, b| a.1.value.total_cmp(&b.1.value)).unwrap();
        (worst.0, r.worst)
    };
    assert_eq!(problem.certificate(&[2.0, -1.0, 0.0]).unwrap().worst, 0.0);
    let wrong = [
        ([1.0, -0.5, 0.0], "penetration"),
        ([-1.0, 0.0, 0.0], "penetration"),
        ([2.0, -1.5, 0.0], "cone"),
        ([2.0, 0.0, 0.0], "dissipation"),
        ([4.0, -2.0, 0.0], "complementarity"),
    ];
    for (impulse, expected) in wrong {
        let (name, size) = named(impulse);
        assert_eq!(name, expected, "{impulse:?}");
        assert!(size > 0.05, "{impulse:?}: {size}");
    }
    assert!(problem.certificate(&[-1.0, 0.0, 0.0]).unwrap().tension.value > 0.1);
    assert_eq!(problem.certificate(&[f64::NAN, 0.0, 0.0]).unwrap().worst, f64::INFINITY);
}

#[test]
fn a_wrong_direction_of_friction_counts_in_first_order() {
    let problem = mass_point(0.5, [-2.0, 5.0, 0.0]);
    let angle: f64 = 1e-4;
    let r = problem.certificate(&[2.0, -angle.cos(), -angle.sin()]).unwrap();
    assert!(r.worst > 0.1 * angle && r.worst < angle);
}

#[test]
fn misuse_is_refused_by_name() {
    let ok = || vec![Law::disc(0.5)];
    let skew = Matrix::from_rows(&[[1., 0.5, 0.], [0., 1., 0.], [0., 0., 1.]]).unwrap();
    let accepted = ContactProblem::new(skew, vec![0.0; 3], ok()).unwrap();
    assert_eq!(accepted.delassus().asymmetry(), 0.5);
    let nan = BlockMatrix::from_one_triangle(&[1], vec![(0, 0, vec![f64::NAN])]);
    assert!(matches!(nan, Err(Error::Range { .. })));
    let outside = BlockMatrix::from_one_triangle(&[1], vec![(0, 1, vec![1.0])]);
    assert!(matches!(outside, Err(Error::OutOfRange { .. })));
    let one = Matrix::identity(3);
    for law in [Law::disc(-0.1), Law::disc(f64::NAN), Law::bilateral(7), Law::frictionless()] {
        assert!(ContactProblem::new(one.clone(), vec![0.0; 3], vec![law]).is_err());
    }
    assert!(ContactProblem::new(one.clone(), vec![f64::INFINITY; 3], ok()).is_err());
    assert!(Nsgs::default().solve_from(&mass_point(0.5, [0.0; 3]), &[1.0]).is_err());
}

#[test]
fn a_bilateral_row_holds_and_a_redundant_one_does_no_harm() {
    // Two equal joints on one coordinate, a contact on another that is coupled to it.
    let h = [[1.0, 0.0], [1.0, 0.0], [0.5, 1.0]];
    let w = Matrix::from_fn(3, 3, |i, j| h[i][0] * h[j][0] + h[i][1] * h[j][1]);
    let laws = vec![Law::bilateral(1), Law::bilateral(1), Law::frictionless()];
    let problem = ContactProblem::new(w.clone(), w.mul_vec(&[0.3, 0.0, -1.0]), laws).unwrap();
    for solver in [&mut Cascade::default() as &mut dyn Method, &mut Nsgs::default()] {
        let s = solver.solve(&problem);
        assert!(s.is_solved(), "{:?}", s);
        assert!(s.velocity[0].abs() < 1e-8 && s.velocity[2].abs() < 1e-8 && s.impulse[2] > 0.5);
    }
}

#[test]
fn sets_that_are_not_round_and_constant_radii_are_solved() {
    let octagon = ConvexSet::Disc.polyhedron_outside(8).unwrap();
    let laws = vec![
        Law::with_set(0.4, ConvexSet::Polyhedron(octagon)),
        Law { radius: 0.3, ..Law::with_set(0.2, ConvexSet::Disc) },
        Law::with_set(0.3, ConvexSet::Mixed { ellipse: [1.0, 0.7], spin: 0.2 }),
    ];
    let numbers = [0.3, -0.7, 0.9, 0.11, -0.4, 0.62, -0.13];
    let w = gram(10, 14, &numbers);
    let w = Matrix::from_fn(10, 10, |i, j| w[(i, j)] + if i == j { 2.0 } else { 0.0 });
    let problem = ContactProblem::new(w.clone(), in_range(&w, &numbers), laws).unwrap();
    let (mut a, mut b) = (Cascade::default(), Admm::default());
    let a = a.solve(&problem);
    assert!(a.is_solved(), "{:?}", a.certificate);
    let b = b.solve(&problem);
    assert!(b.is_solved(), "{:?}", b.certificate);
    for (x, y) in a.velocity.iter().zip(&b.velocity) {
        assert!((x - y).abs() < 1e-6, "{:?} {:?}", a.velocity, b.velocity);
    }
}

#[test]
fn a_good_guess_ends_at_once() {
    let numbers = [0.31, -0.7, 0.93, 0.11, -0.4];
    let w = gram(9, 12, &numbers);
    let problem = ContactProblem::new(w.clone(), in_range(&w, &numbers), vec![Law::disc(0.3); 3]);
    let problem = problem.unwrap();
    let mut solver = Nsgs::default();
    let cold = solver.solve(&problem).clone();
    assert!(cold.is_solved());
    let warm = solver.solve_from(&problem, &cold.impulse).unwrap();
    assert!(warm.is_solved() && warm.iterations <= 2);
    assert!(cold.iterations > 5);
}

#[test]
fn the_product_of_a_block_matrix_is_that_of_the_dense_one() {
    let numbers = [0.3, -0.7, 0.9, 0.11];
    let m = gram(7, 4, &numbers);
    let sparse = BlockMatrix::from_dense(&[3, 1, 3], &m).unwrap();
    assert_eq!(sparse.to_dense(), m);
    let x: Vec<f64> = (0..7).map(|i| i as f64 - 2.5).collect();
    let mut y = vec![0.0; 7];
    sparse.multiply_add(&x, &[1.0; 7], &mut y);
    for (y, e) in y.iter().zip(m.mul_vec(&x)) {
        assert!((y - e - 1.0).abs() < 1e-12);
    }
    let entries = (0..49).map(|e| (e / 7, e % 7, m[(e / 7, e % 7)]));
    assert_eq!(BlockMatrix::from_triplets(&[3, 1, 3], entries).unwrap(), sparse);
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0f64, 7..40)
}

/// A matrix by its entries, in blocks.
struct Entries<'a, F> {
    near: &'a [Vec<usize>],
    offsets: &'a [usize],
    entry: &'a F,
}

impl<F: Fn(usize, usize) -> f64> crate::block::Blocks for Entries<'_, F> {
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        self.near[i].iter().map(|&j| (j, [].as_slice()))
    }

    fn add(&self, i: usize, j: usize, _: &[f64], to: &mut [f64], stride: usize) {
        for r in self.offsets[i]..self.offsets[i + 1] {
            for c in self.offsets[j]..self.offsets[j + 1] {
                to[(r - self.offsets[i]) * stride + c - self.offsets[j]] += (self.entry)(r, c);
            }
        }
    }

    fn add_mirrored(&self, i: usize, j: usize, _: &[f64], to: &mut [f64], stride: usize) {
        self.add(j, i, &[], to, stride);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_block_is_solved_to_rounding(numbers in numbers(), mu in 0.0..2.0f64, kind in 0..4usize) {
        let law = laws_of_every_kind(mu).swap_remove(kind);
        let n = law.components();
        let w = gram(n, n + 2, &numbers);
        let problem = ContactProblem::new(w.clone(), in_range(&w, &numbers), vec![law]).unwrap();
        let mut solver = Nsgs::new(nsgs::Settings { max_sweeps: 3, ..Default::default() }).unwrap();
        let s = solver.solve(&problem);
        prop_assert!(s.certificate.worst < 1e-9, "{:?}", s);
    }

    #[test]
    fn auto_solves_what_has_a_solution(
        numbers in numbers(), mu in 0.0..2.0f64, k in 1..6usize, rank in 1..12usize,
    ) {
        let laws: Vec<Law> = laws_of_every_kind(mu).into_iter().cycle().take(k).collect();
        let n = laws.iter().map(Law::components).sum();
        let w = gram(n, rank, &numbers);
        let problem = ContactProblem::new(w.clone(), in_range(&w, &numbers), laws).unwrap();
        let mut auto = Cascade::default();
        let solution = auto.solve(&problem).clone();
        prop_assert!(solution.is_solved(), "{:?} {:?}", auto.attempts(), solution.certificate);
        prop_assert!(problem.certificate(&solution.impulse).unwrap().worst <= 1e-9);
        let again = Cascade::default().solve(&problem).clone();
        prop_assert_eq!(solution, again);
    }

    #[test]
    fn the_verdict_has_no_units(numbers in numbers(), mass in -6..6i32, velocity in -6..6i32) {
        let w = gram(6, 8, &numbers);
        let b = in_range(&w, &numbers);
        let laws = vec![Law::disc(0.4); 2];
        let lam: Vec<f64> = (0..6).map(|i| numbers[i].abs()).collect();
        let before = ContactProblem::new(w.clone(), b.clone(), laws.clone()).unwrap().certificate(&lam).unwrap();
        // Powers of two, so that nothing is rounded.
        let (m, v) = (2f64.powi(mass), 2f64.powi(velocity));
        let w = Matrix::from_fn(6, 6, |i, j| w[(i, j)] / m);
        let b = b.iter().map(|x| x * v).collect();
        let lam: Vec<f64> = lam.iter().map(|x| x * m * v).collect();
        let after = ContactProblem::new(w.clone(), b, laws).unwrap().certificate(&lam).unwrap();
        prop_assert_eq!(before, after);
    }

    #[test]
    fn wild_matrices_give_an_honest_status(
        numbers in prop::collection::vec(prop::num::f64::NORMAL, 12), mu in 0.0..10.0f64,
    ) {
        let w = Matrix::from_fn(6, 6, |i, j| numbers[(i * j + i + j) % 12]);
        let b = numbers[..6].to_vec();
        let laws = vec![Law::disc(mu), Law::disc(2.0 * mu)];
        let Ok(problem) = ContactProblem::new(w.clone(), b, laws) else { return Ok(()) };
        for solver in &mut every_solver() {
            let s = solver.solve(&problem);
            let judged = problem.certificate(&s.impulse).unwrap().worst;
            prop_assert_eq!(s.is_solved(), judged <= 1e-9);
        }
    }

    #[test]
    fn the_factors_solve_what_was_factorised(
        numbers in numbers(), sizes in prop::collection::vec(0..4usize, 1..12), gap in 1..4usize,
    ) {
        let k = sizes.len();
        let near: Vec<Vec<usize>> =
            (0..k).map(|i| (0..k).filter(|j| i.abs_diff(*j) % gap == 0 || i.abs_diff(*j) < 2).collect()).collect();
        let offsets: Vec<usize> = (0..=k).map(|i| sizes[..i].iter().sum()).collect();
        let n = offsets[k];
        let block_of = |r: usize| offsets.partition_point(|&o| o <= r) - 1;
        let entry = |r: usize, c: usize| {
            let linked = near[block_of(r)].contains(&block_of(c));
            let own = if r == c { 6.0 } else { 0.0 };
            if linked { numbers[(5 * r + 3 * c) % numbers.len()] + own } else { 0.0 }
        };
        let tree = crate::block::FrontTree::new(k, |i| near[i].as_slice());
        let mut lu = crate::block::BlockLu::default();
        let matrix = Entries { near: &near, offsets: &offsets, entry: &entry };
        let regular = lu.factorise(&tree, &offsets, &matrix);
        prop_assume!(regular);
        let x: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
        let mut b: Vec<f64> = (0..n).map(|r| (0..n).map(|c| entry(r, c) * x[c]).sum()).collect();
        lu.solve(&mut b);
        for (b, x) in b.iter().zip(&x) {
            prop_assert!((b - x).abs() < 1e-7 * (n as f64).powi(2), "{:?}", b);
        }
    }
}

/// Impulses of contacts at rest stay the same: they are looked at before anything is done, and those that are good enough for one step
/// alone are made better, so that their errors do not add up.
#[test]
fn a_guess_that_is_the_answer_is_taken_and_one_that_is_nearly_so_is_sharpened() {
    let problem = mass_point(0.5, [-2.0, 0.3, -0.4]);
    let mut auto = Cascade::default();
    let cold = auto.solve(&problem).impulse.clone();
    let warm = auto.solve_from(&problem, &cold).unwrap();
    assert_eq!((warm.iterations, warm.is_solved()), (0, true));
    assert_eq!(auto.attempts()[0].method, "warm start");
    assert_eq!(auto.attempts().len(), 1);
    let near: Vec<f64> = cold.iter().map(|x| x * (1.0 + 4e-10)).collect();
    let before = problem.certificate(&near).unwrap().worst;
    assert!(before > 1e-10 && before < 1e-9, "{before}");
    let sharp = auto.solve_from(&problem, &near).unwrap();
    assert!(sharp.is_solved() && sharp.certificate.worst < 1e-13, "{:?}", sharp.certificate);
}
