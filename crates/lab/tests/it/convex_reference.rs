//! Cone problems against Clarabel, a conic solver that shares nothing with ours, where they are convex programs.
//!
//! Notation: W = H Hᵀ, b = H v, ξ = H u with u = v + Hᵀ Λ; a the constant radius. The first column of H is 1 in normal rows and 0 elsewhere: all contacts can open at
//! once, so that impulses exist whatever the rank of W. The velocities are unique, the impulses need not be.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, SecondOrderConeT, SolverStatus, SupportedConeT,
};
use complementarity::{Failure, Matrix, Status};
use stickslip_contact::set::ConvexSet;
use stickslip_contact::solvers::{Admm, Cascade, ConeInteriorPoint, ConeNewton, Method, Nsgs};
use stickslip_contact::{ContactProblem, Kind, Law};
use stickslip_studies::Draw;

/// How far velocities may differ, in units of the largest |b|.
const AGREE: f64 = 1e-8;
const PROBLEMS: u64 = 300;

fn law(draw: &mut Draw, kinds: &[fn(&mut Draw) -> Law]) -> Law {
    kinds[draw.index(kinds.len())](draw)
}

fn friction(mu: f64, radius: f64, set: ConvexSet) -> Law {
    Law { radius, ..Law::with_set(mu, set) }
}

fn ellipsoid(draw: &mut Draw) -> ConvexSet {
    ConvexSet::Ellipsoid((0..1 + draw.index(3)).map(|_| draw.between(0.2, 1.0)).collect())
}

/// Every kind of cone: with a radius and without, flat and round.
const CONES: [fn(&mut Draw) -> Law; 6] = [
    |_| Law::frictionless(),
    |d| Law::bilateral(1 + d.index(2)),
    |d| Law::disc(d.between(0.05, 2.0)),
    |d| Law::coulomb(d.between(0.05, 2.0)),
    |d| friction(d.between(0.05, 2.0), 0.0, ellipsoid(d)),
    |d| friction(d.between(0.0, 1.0), d.between(0.05, 1.0), ellipsoid(d)),
];

/// Laws that are convex as they are: friction that does not depend on the normal impulse.
const EXACT: [fn(&mut Draw) -> Law; 4] = [
    |_| Law::frictionless(),
    |d| Law::bilateral(1 + d.index(2)),
    |d| friction(0.0, d.between(0.05, 1.0), ConvexSet::Disc),
    |d| friction(0.0, d.between(0.05, 1.0), ellipsoid(d)),
];

/// H, v and the problem, of one to eight blocks; W is regular in every second one.
fn problem(
    name: &str,
    seed: u64,
    kinds: &[fn(&mut Draw) -> Law],
) -> (Matrix, Vec<f64>, ContactProblem) {
    let mut draw = Draw::new(name, 0, seed);
    let laws: Vec<Law> = (0..1 + draw.index(8)).map(|_| law(&mut draw, kinds)).collect();
    let n: usize = laws.iter().map(Law::components).sum();
    let joints: usize =
        laws.iter().map(|l| if let Kind::Bilateral(k) = l.kind { k } else { 0 }).sum();
    let rank = if seed.is_multiple_of(2) { n + 3 } else { 2 + joints + n / 2 };
    let mut h = Matrix::from_fn(n, rank, |_, _| draw.normal());
    let mut row = 0;
    for law in &laws {
        for r in 0..law.components() {
            let normal = r == 0 && law.kind.normals() == 1;
            h[(row + r, 0)] = if normal { 1.0 } else { 0.0 };
        }
        row += law.components();
    }
    let v = draw.normals(rank);
    let w = Matrix::from_fn(n, n, |i, j| {
        let (i, j) = (i.min(j), i.max(j));
        (0..rank).map(|k| h[(i, k)] * h[(j, k)]).sum()
    });
    let b = h.mul_vec(&v);
    let problem = ContactProblem::new(w.clone(), b, laws).unwrap();
    (h, v, problem)
}

/// The velocities ξ = H u of min ½|u − v|² + Σ a h_F(−ξ_T) with ξ_N ≥ μ h_F(−ξ_T), by Clarabel: the dual program, in
/// which u is unique and impulses do not occur. t ≥ h_F(−ξ_T) takes the place of h_F; the unknowns are (u, t).
fn reference(h: &Matrix, v: &[f64], problem: &ContactProblem) -> Vec<f64> {
    let (rank, mut n) = (v.len(), v.len());
    let (mut a, mut offset, mut cones) = (Vec::new(), 0, Vec::new());
    let mut q: Vec<f64> = v.iter().map(|v| -v).collect();
    // s = −A x: a row of H times a factor, and some multiple of the last t.
    let mut row = |from: usize, factor: f64, t: Option<(usize, f64)>| {
        a.extend((0..rank).map(|k| (offset, k, -factor * h[(from, k)])));
        a.extend(t.map(|(k, by)| (offset, k, -by)));
        offset += 1;
    };
    for (i, law) in problem.laws().iter().enumerate() {
        let first = problem.rows(i).start;
        match (&law.kind, law.kind.set()) {
            (Kind::Bilateral(rows), _) => {
                (0..*rows).for_each(|r| row(first + r, 1.0, None));
                cones.push(SupportedConeT::ZeroConeT(*rows));
            }
            (Kind::Frictionless, _) => {
                row(first, 1.0, None);
                cones.push(SupportedConeT::NonnegativeConeT(1));
            }
            (_, Some(set)) => {
                row(first, 1.0, Some((n, -law.mu)));
                cones.push(SupportedConeT::NonnegativeConeT(1));
                row(first, 0.0, Some((n, 1.0)));
                for t in 0..set.dimension() {
                    let axis = match set {
                        ConvexSet::Ellipsoid(axes) => axes[t],
                        _ => 1.0,
                    };
                    row(first + 1 + t, axis, None);
                }
                cones.push(SecondOrderConeT(1 + set.dimension()));
                q.push(law.radius);
                n += 1;
            }
            _ => panic!("not a convex law"),
        }
    }
    // Shorter steps than the default keep it on the central path: with 0.99 the direction of slip is known
    // to the root of the gap only, 10⁻⁵ at worst.
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-13,
        tol_gap_rel: 1e-13,
        tol_feas: 1e-13,
        max_step_fraction: 0.6,
        ..Default::default()
    };
    let one: Vec<_> = (0..rank).map(|i| (i, i, 1.0)).collect();
    let (p, a) = (sparse(n, n, &one), sparse(offset, n, &a));
    let mut solver = DefaultSolver::new(&p, &q, &a, &vec![0.0; offset], &cones, settings).unwrap();
    solver.solve();
    let status = solver.solution.status;
    assert!(matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved), "{status:?}");
    h.mul_vec(&solver.solution.x[..rank])
}

fn sparse(m: usize, n: usize, entries: &[(usize, usize, f64)]) -> CscMatrix<f64> {
    let (i, (j, v)) = entries.iter().map(|&(i, j, v)| (i, (j, v))).unzip();
    CscMatrix::new_from_triplets(m, n, i, j, v)
}

fn distance(problem: &ContactProblem, a: &[f64], b: &[f64]) -> f64 {
    let scale = problem.bias().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / scale
}

#[test]
fn without_the_correction_the_velocities_are_those_of_the_convex_program() {
    let mut worst: f64 = 0.0;
    for seed in 0..PROBLEMS {
        let (h, v, problem) = problem("convexified", seed, &CONES);
        let problem = problem.associated();
        let expected = reference(&h, &v, &problem);
        let solution = Cascade::default().solve(&problem).clone();
        assert!(solution.is_solved(), "{seed}: {:?}", solution.certificate);
        let off = distance(&problem, &solution.velocity, &expected);
        worst = worst.max(off);
        assert!(off <= AGREE, "{seed}: {off:e}");
    }
    println!("convexified: worst difference {worst:e}");
}

#[test]
fn where_the_exact_law_is_convex_its_velocities_are_those_of_the_convex_program() {
    let mut worst: f64 = 0.0;
    for seed in 0..PROBLEMS {
        let (h, v, problem) = problem("convex as it is", seed, &EXACT);
        let expected = reference(&h, &v, &problem);
        let solution = Cascade::default().solve(&problem).clone();
        assert!(solution.is_solved(), "{seed}: {:?}", solution.certificate);
        let off = distance(&problem, &solution.velocity, &expected);
        worst = worst.max(off);
        assert!(off <= AGREE, "{seed}: {off:e}");
    }
    println!("exact: worst difference {worst:e}");
}

#[test]
fn each_solver_has_the_velocities_of_a_convexified_problem_or_declines_it() {
    let mut solvers: [(Box<dyn Method>, u32); 4] = [
        (Box::new(Nsgs::default()), 0),
        (Box::new(ConeInteriorPoint::default()), 0),
        (Box::new(ConeNewton::default()), 0),
        (Box::new(Admm::default()), 0),
    ];
    for seed in 0..PROBLEMS / 3 {
        let (h, v, problem) = problem("each solver", seed, &CONES);
        let problem = problem.associated();
        let expected = reference(&h, &v, &problem);
        for (solver, solved) in &mut solvers {
            let solution = solver.solve(&problem).clone();
            if solution.status == Status::Failed(Failure::WrongClass) {
                continue;
            }
            let (status, residual) = (solution.status, solution.certificate);
            assert!(solution.is_solved(), "{} {seed}: {status}, {residual:?}", solver.name());
            *solved += 1;
            let off = distance(&problem, &solution.velocity, &expected);
            assert!(off <= AGREE, "{} {seed}: {off:e}", solver.name());
        }
    }
    for (solver, solved) in &solvers {
        println!("{}: solved {solved} of {}", solver.name(), PROBLEMS / 3);
        let all = solver.name() != "interior_point";
        assert!(u64::from(*solved) >= if all { PROBLEMS / 3 } else { 30 }, "{}", solver.name());
    }
}
