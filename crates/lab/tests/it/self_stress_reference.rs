//! The convex program of theorem 1 (B) against Clarabel, a conic solver that shares nothing with ours.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus,
    SupportedConeT, ZeroConeT,
};
use stickslip::contact::Law;
use stickslip::contact::analysis::Theorem;
use stickslip::contact::analysis::theorem::Meaning;
use stickslip::contact::set::ConvexSet;
use stickslip_lab::existence::{Draft, Family};

/// Rows A c + s = b of a conic program, with s in cones.
#[derive(Default)]
struct Rows {
    entries: Vec<(usize, usize, f64)>,
    right: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Rows {
    /// The combinations of forces, plus constants, that lie in a cone.
    fn put(&mut self, cone: SupportedConeT<f64>, rows: Vec<(Vec<(usize, f64)>, f64)>) {
        for (row, constant) in rows {
            let at = self.right.len();
            self.entries.extend(row.into_iter().map(|(j, v)| (at, j, -v)));
            self.right.push(constant);
        }
        self.cones.push(cone);
    }

    fn friction(&mut self, law: &Law, n: usize) {
        self.put(NonnegativeConeT(1), vec![(vec![(n, 1.0)], 0.0)]);
        let round = |first: usize, axes: &[f64]| {
            let rows = axes.iter().enumerate().map(|(k, a)| (vec![(first + k, 1.0 / a)], 0.0));
            std::iter::once((vec![(n, law.mu)], 0.0)).chain(rows).collect::<Vec<_>>()
        };
        let mut soc = |first: usize, axes: &[f64]| {
            self.put(SecondOrderConeT(axes.len() + 1), round(first, axes));
        };
        match law.kind.set() {
            None => {}
            Some(ConvexSet::Interval) => soc(n + 1, &[1.0]),
            Some(ConvexSet::Disc) => soc(n + 1, &[1.0, 1.0]),
            Some(ConvexSet::Ellipsoid(axes)) => soc(n + 1, axes),
            Some(ConvexSet::Mixed { ellipse, spin }) => {
                soc(n + 1, ellipse);
                soc(n + 3, &[*spin]);
            }
            Some(ConvexSet::Polyhedron(p)) => {
                let facet = |a: &[f64]| {
                    let row = a.iter().enumerate().map(|(k, a)| (n + 1 + k, -a));
                    (row.chain([(n, law.mu)]).collect(), 0.0)
                };
                let facets: Vec<_> = p.normals().map(facet).collect();
                self.put(NonnegativeConeT(facets.len()), facets);
            }
            Some(other) => unreachable!("{other:?} is not drawn"),
        }
    }
}

/// The least bᵀc, or none if there is no self-stress.
fn reference(laws: &[Law], h: &[Vec<f64>], b: &[f64]) -> Option<f64> {
    let (n, width) = (b.len(), h[0].len());
    let mut rows = Rows::default();
    let moves = |k: usize| (h.iter().enumerate().map(|(i, h)| (i, h[k])).collect(), 0.0);
    rows.put(ZeroConeT(width), (0..width).map(moves).collect());
    let (mut first, mut sum) = (0, Vec::new());
    for law in laws {
        rows.friction(law, first);
        sum.push((first, 1.0));
        first += law.components();
    }
    rows.put(ZeroConeT(1), vec![(sum, -1.0)]);
    let (i, (j, v)) = rows.entries.iter().map(|&(i, j, v)| (i, (j, v))).unzip();
    let a = CscMatrix::new_from_triplets(rows.right.len(), n, i, j, v);
    let p = CscMatrix::zeros((n, n));
    let settings = DefaultSettings { verbose: false, ..Default::default() };
    let mut solver = DefaultSolver::new(&p, b, &a, &rows.right, &rows.cones, settings).unwrap();
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved | SolverStatus::AlmostSolved => Some(solver.solution.obj_val),
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_value_of_the_program_is_that_of_an_independent_conic_solver() {
    let (mut values, mut empty, mut worst) = (0, 0, 0.0_f64);
    for seed in 0..120 {
        for contacts in 1..=4 {
            let (draft, h, mut draw) = Draft::redundant(Family::Space, contacts, seed);
            let b = draft.bias(1.0, &mut draw);
            let p = draft.problem(1.0, b.clone());
            let found = Theorem::of(&p).unwrap().program.unwrap();
            let place = format!("seed {seed}, {contacts} contacts: {found:?}");
            let Some(value) = reference(&draft.laws, &h, &b) else {
                assert_eq!(found.meaning, Meaning::NoSelfStress, "{place}");
                empty += 1;
                continue;
            };
            assert!(found.meaning != Meaning::NoSelfStress, "{place} {value}");
            let c = found.minimiser.as_ref().unwrap();
            let size: f64 = b.iter().zip(c).map(|(b, c)| (b * c).abs()).sum::<f64>().max(1.0);
            let off = (found.lower - value).abs().max((found.upper - value).abs()) / size;
            assert!(off < 1e-6, "{place} {value} {off:e}");
            worst = worst.max(off);
            values += 1;
        }
    }
    println!("{values} values, {empty} without self-stress, worst difference {worst:e}");
    assert!(values > 100 && empty > 30, "{values} {empty}");
}
