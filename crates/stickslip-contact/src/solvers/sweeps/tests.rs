//! Sweeps over bodies, regions and the interior point by bodies find what the methods on blocks find.

use super::*;
use crate::body_rows::{BodyRows, Six};
use crate::solve::Effort;
use crate::solvers::{Cascade, ConeInteriorPoint, Method, cascade, interior_point};
use crate::{ContactProblem, Law};

/// A wall of cubes, each on two below with two contacts on either; those of the lowest row on the ground.
pub(in crate::solvers) fn wall(base: usize, mu: f64, motion: f64) -> ContactProblem {
    let mut rows = BodyRows::default();
    let count = base * (base + 1) / 2;
    rows.start(count);
    let mut seed = 5_u64;
    let mut random = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005_u64)
            .wrapping_add(1_442_695_040_888_963_407_u64);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let speeds: Vec<Six> = (0..count)
        .map(|_| std::array::from_fn(|x| motion * random() - if x == 2 { 1.0 } else { 0.0 }))
        .collect();
    let mut bias = Vec::new();
    let inertia = 6.0_f64.sqrt();
    let side = |sign: f64, lever: [f64; 3], axis: usize| -> Six {
        let mut d = [0.0; 3];
        d[axis] = sign;
        let turn = [
            lever[1] * d[2] - lever[2] * d[1],
            lever[2] * d[0] - lever[0] * d[2],
            lever[0] * d[1] - lever[1] * d[0],
        ];
        [d[0], d[1], d[2], inertia * turn[0], inertia * turn[1], inertia * turn[2]]
    };
    let mut contact = |on: usize, lever: [f64; 3], below: Option<(usize, [f64; 3])>| {
        for axis in [2, 0, 1] {
            let speed = |body: usize, row: &Six| -> f64 {
                (0..6).map(|x| row[x] * speeds[body][x] / if x < 3 { 1.0 } else { inertia }).sum()
            };
            let own = speed(on, &side(1.0, lever, axis));
            bias.push(own + below.map_or(0.0, |(b, lever)| speed(b, &side(-1.0, lever, axis))));
        }
        let row =
            |axis| [side(1.0, lever, axis), below.map_or([0.0; 6], |(_, l)| side(-1.0, l, axis))];
        rows.push([Some(on), below.map(|b| b.0)], [row(2), row(0), row(1)]);
    };
    let (mut first, mut under) = (0, 0);
    for level in 0..base {
        for i in 0..base - level {
            for (x, y, left) in
                [(-0.5, -0.5, true), (-0.5, 0.5, true), (0.5, -0.5, false), (0.5, 0.5, false)]
            {
                let centre = if left { -0.5 } else { 0.5 };
                let below = under + i + usize::from(!left);
                let below = (level > 0).then_some((below, [x - centre, y, 0.5]));
                contact(first + i, [x, y, -0.5], below);
            }
        }
        (under, first) = (first, first + base - level);
    }
    let laws = vec![Law::disc(mu); bias.len() / 3];
    rows.finish().unwrap();
    ContactProblem::new(rows, bias, laws).unwrap()
}

fn by_blocks(problem: &ContactProblem) -> ContactProblem {
    let w = problem.delassus().to_blocks(problem.laws());
    ContactProblem::new(w, problem.bias().to_vec(), problem.laws().to_vec()).unwrap()
}

#[test]
fn many_contacts_are_solved_by_sweeps_over_bodies_and_the_blocks_agree() {
    for (mu, motion) in [(0.5, 0.0), (0.3, 0.4)] {
        let problem = wall(18, mu, motion);
        assert!(problem.contacts() > BodyRows::MANY);
        let settings = cascade::Settings { tolerance: 1e-6, ..Default::default() };
        let mut solver = Cascade::new(settings).unwrap();
        let found = solver.solve(&problem).clone();
        assert!(found.is_solved(), "{:?}", found.certificate);
        assert_eq!(solver.attempts()[0].method, "sweeps");
        // The certificate of the same impulses with W by blocks.
        assert!(by_blocks(&problem).certificate(&found.impulse).unwrap().worst <= 1.0001e-6);
        assert_eq!(&found, Cascade::new(settings).unwrap().solve(&problem), "not the same twice");
    }
}

#[test]
fn the_least_effort_among_many_contacts_ends_with_the_sweeps() {
    // A row of bodies between two walls that come nearer: no impulse keeps them apart.
    let bodies = BodyRows::MANY;
    let mut rows = BodyRows::default();
    rows.start(bodies);
    let axis = |x: usize, sign: f64| std::array::from_fn(|r| if r == x { sign } else { 0.0 });
    for i in 0..=bodies {
        let (left, right) = (i.checked_sub(1), (i < bodies).then_some(i));
        rows.push([right, left], [0, 1, 2].map(|x| [axis(x, 1.0), axis(x, -1.0)]));
    }
    rows.finish().unwrap();
    let laws = vec![Law::disc(0.5); bodies + 1];
    let bias = [-1.0, 0.0, 0.0].repeat(bodies + 1);
    let problem = ContactProblem::new(rows, bias, laws).unwrap();
    let methods = [Effort::Least, Effort::Brief].map(|effort| {
        let mut solver = Cascade::default();
        solver.set_effort(effort);
        assert!(!solver.solve(&problem).is_solved());
        let methods: Vec<&str> = solver.attempts().iter().map(|a| a.method).collect();
        methods
    });
    assert_eq!(methods[0], ["sweeps"]);
    assert_eq!(methods[1][..2], ["sweeps", "interior_point"]);
}

#[test]
fn sweeps_without_regions_go_on_to_the_answer() {
    let problem = wall(8, 0.5, 0.3);
    let settings = Settings { tolerance: 1e-8, regions: false, ..Default::default() };
    let found = Sweeps::new(settings).unwrap().solve(&problem).clone();
    assert!(found.is_solved(), "{:?}", found.certificate);
}

#[test]
fn the_interior_point_takes_the_same_steps_by_bodies_and_by_blocks() {
    let problem = wall(8, 0.5, 0.3);
    let settings = interior_point::Settings { tolerance: 1e-8, ..Default::default() };
    let [bodies, blocks] = [problem.clone(), by_blocks(&problem)]
        .map(|p| ConeInteriorPoint::new(settings).unwrap().solve(&p).clone());
    assert!(bodies.is_solved() && blocks.is_solved(), "{bodies:?} {blocks:?}");
    assert_eq!(bodies.factorisations, blocks.factorisations);
    let pairs = bodies.velocity.iter().zip(&blocks.velocity);
    assert!(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-5);
}

#[test]
fn sweeps_refuse_what_is_not_by_bodies_and_other_laws() {
    let problem = wall(3, 0.5, 0.0);
    let found = Sweeps::default().solve(&by_blocks(&problem)).clone();
    assert_eq!(found.status, complementarity::Status::Failed(Failure::WrongClass));
    let ellipse = crate::set::ConvexSet::Ellipsoid(vec![1.0, 0.5]);
    let laws = vec![Law::with_set(0.5, ellipse); problem.contacts()];
    let other =
        ContactProblem::new(problem.delassus().clone(), problem.bias().to_vec(), laws).unwrap();
    let found = Sweeps::default().solve(&other).clone();
    assert_eq!(found.status, complementarity::Status::Failed(Failure::WrongClass));
}

#[test]
fn sweeps_that_start_at_the_answer_stay_there() {
    let problem = wall(8, 0.5, 0.3);
    let settings = Settings { tolerance: 1e-8, regions: false, ..Default::default() };
    let mut solver = Sweeps::new(settings).unwrap();
    let answer = solver.solve(&problem).impulse.clone();
    let again = solver.solve_from(&problem, &answer).unwrap();
    assert!(again.is_solved() && again.iterations <= 20, "{}", again.iterations);
}

/// So many pairs of sweeps, which never meet the tolerance.
fn swept(problem: &ContactProblem, max_pairs: usize) -> Sweeps {
    let settings = Settings { tolerance: 1e-300, max_pairs, regions: false, ..Default::default() };
    let mut solver = Sweeps::new(settings).unwrap();
    solver.solve(problem);
    solver
}

/// The velocities of bodies stay those of the impulses, however long it takes: else sweeps go on to something else.
#[test]
fn sweeps_that_go_on_for_long_find_all_digits() {
    for (mu, motion) in [(0.3, 1.0), (0.8, 0.5), (2.0, 1.0)] {
        let found = swept(&wall(12, mu, motion), 12050).solution.certificate;
        assert!(found.worst < 1e-12, "{found:?} with {mu}");
    }
}

#[test]
fn sweeps_that_end_early_return_what_they_have() {
    let worst = |pairs: usize| swept(&wall(8, 0.5, 0.3), pairs).solution.certificate.worst;
    let (few, many) = (worst(23), worst(203));
    assert!(few < 0.1 && many < 0.05 * few, "{few} {many}");
}

#[test]
fn a_second_solve_allocates_nothing() {
    let problem = wall(10, 0.5, 0.3);
    let settings = Settings { tolerance: 1e-3, regions: false, ..Default::default() };
    let mut solver = Sweeps::new(settings).unwrap();
    solver.solve(&problem);
    let info = allocation_counter::measure(|| {
        assert!(solver.solve(&problem).is_solved());
    });
    assert_eq!(info.count_total, 0);
}

#[cfg(feature = "parallel")]
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let problem = wall(40, 0.4, 0.3);
    let with = |threads: usize| {
        let settings = Settings { tolerance: 1e-4, threads, ..Default::default() };
        Sweeps::new(settings).unwrap().solve(&problem).clone()
    };
    let one = with(1);
    assert!(one.is_solved(), "{:?}", one.certificate);
    for threads in [2, 3] {
        let more = with(threads);
        let bits = |s: &ContactSolution| s.impulse.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(
            (bits(&one), one.iterations),
            (bits(&more), more.iterations),
            "{threads} threads"
        );
    }
}

#[test]
fn numbers_of_threads_that_there_cannot_be_are_refused() {
    for threads in [0, 5000] {
        assert!(Sweeps::new(Settings { threads, ..Default::default() }).is_err());
    }
}
