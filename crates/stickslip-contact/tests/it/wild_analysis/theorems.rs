//! Theorem 1 and derivatives beside the search for all solutions.

use super::made::{Random, gram, laws, solutions_of};
use stickslip_contact::analysis::sensitivity::{Sensitivity, Variation};
use stickslip_contact::analysis::solutions::{Count, Settings};
use stickslip_contact::analysis::theorem::{Meaning, Theorem};
use stickslip_contact::{ContactProblem, Law};

/// One to three contacts, planar or discs, some sliding, with masses of different sizes.
fn random_problem(random: &mut Random, disc: bool) -> ContactProblem {
    let k = 1 + random.below(3);
    let laws: Vec<Law> = (0..k)
        .map(|_| {
            let mu = 10.0_f64.powf(0.8 * random.unit());
            let law = if disc { Law::disc(mu) } else { Law::coulomb(mu) };
            let slip = [random.unit(), random.unit(), 0.0];
            if random.below(2) == 0 { law.sliding_with(slip) } else { law }
        })
        .collect();
    let n: usize = laws.iter().map(Law::components).sum();
    let rows = (n + random.below(3)).saturating_sub(1);
    let cells: Vec<f64> = (0..n * rows).map(|_| random.unit()).collect();
    let mut cells = cells.into_iter();
    let w = gram(n, rows, || cells.next().unwrap_or(0.0), || 10.0_f64.powf(random.unit()));
    let b = (0..n).map(|_| random.unit()).collect();
    ContactProblem::new(w, b, laws).unwrap()
}

/// The same with all friction times a factor.
fn with_friction(p: &ContactProblem, factor: f64) -> ContactProblem {
    let laws = p.laws().iter().map(|l| Law { mu: factor * l.mu, ..l.clone() }).collect();
    ContactProblem::new(p.delassus().to_dense(), p.bias().to_vec(), laws).unwrap()
}

/// Just below a bound the list of all solutions is what the bound promises.
#[test]
fn below_the_bounds_solutions_exist_and_are_the_only_ones() {
    let mut random = Random(31);
    let (mut unique, mut exist) = (0, 0);
    for trial in 0..600 {
        let p = random_problem(&mut random, trial % 3 == 0);
        let bounds = Theorem::of(&p).unwrap().bounds;
        let below = |factor: f64| if factor > 1e6 { 1e3 } else { 0.999 * factor };
        let one = bounds.best_uniqueness().factor;
        if one > 0.0 {
            let q = with_friction(&p, below(one));
            let found = solutions_of(&q, &Settings::default()).unwrap();
            unique += usize::from(found.is_complete());
            let wrong = found.is_complete() && found.count() != Count::Exactly(1)
                || found.solutions.len() > 1;
            assert!(!wrong, "{trial}: {} {q:?} {bounds:?}", found.summary());
        }
        let any = bounds.best_existence().factor;
        if any > 0.0 {
            let q = with_friction(&p, below(any));
            let found = solutions_of(&q, &Settings::default()).unwrap();
            exist += usize::from(found.is_complete());
            assert!(found.proof.is_none(), "{trial}: {} {q:?} {bounds:?}", found.summary());
        }
    }
    assert!(unique > 300 && exist > 300, "{unique} {exist}");
}

/// Problems with self-stresses: where part (B) promises a solution nothing proves that there is none, and its minimiser does the
/// work that it says.
#[test]
fn where_the_program_promises_a_solution_there_is_one() {
    let mut random = Random(77);
    let mut promised = 0;
    for trial in 0..600 {
        let k = 1 + random.below(3);
        let law = |random: &mut Random| Law::coulomb(random.pick(&[0.0, 0.5, 1.0, 2.0]));
        let laws: Vec<Law> = (0..k).map(|_| law(&mut random)).collect();
        let n = 2 * k;
        let rows = 1 + random.below(3);
        let cells: Vec<f64> = (0..n * rows).map(|_| random.whole()).collect();
        let mut cells = cells.into_iter();
        let w = gram(n, rows, || cells.next().unwrap_or(0.0), || 1.0);
        let b: Vec<f64> = (0..n).map(|_| random.whole()).collect();
        let p = ContactProblem::new(w.clone(), b.clone(), laws).unwrap();
        let Some(program) = Theorem::of(&p).unwrap().program else { continue };
        if let Some(c) = &program.minimiser {
            let largest = c.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            assert!(w.mul_vec(c).iter().all(|v| v.abs() <= 1e-7 * largest.max(1.0)), "{trial}");
            if program.meaning != Meaning::Contradiction {
                let work: f64 = b.iter().zip(c).map(|(b, c)| b * c).sum();
                assert!((work - program.upper).abs() <= 1e-6, "{trial}: {work} {program:?}");
                assert!(program.lower <= program.upper + 1e-7, "{trial}: {program:?}");
            }
        }
        let promises = [Meaning::NoSelfStress, Meaning::Exists, Meaning::Edge];
        if promises.contains(&program.meaning) {
            promised += 1;
            let found = solutions_of(&p, &Settings::default()).unwrap();
            assert!(found.proof.is_none(), "{trial}: {program:?} {p:?}");
        }
    }
    assert!(promised > 200, "{promised}");
}

/// Every derivative of a listed solution obeys ξ' = W Λ' + b', also where forces are redundant.
#[test]
fn derivatives_of_listed_solutions_are_consistent() {
    let mut random = Random(12);
    let pool = laws(0.6);
    let mut looked = 0;
    for _ in 0..200 {
        let k = 1 + random.below(2);
        let laws: Vec<Law> = (0..k).map(|_| random.pick(&pool)).collect();
        let n: usize = laws.iter().map(Law::components).sum();
        let rows = 1 + random.below(n + 1);
        let cells: Vec<f64> = (0..n * rows).map(|_| random.unit()).collect();
        let mut cells = cells.into_iter();
        let w = gram(n, rows, || cells.next().unwrap_or(0.0), || 1.0);
        let b: Vec<f64> = w.mul_vec(&(0..n).map(|_| random.unit()).collect::<Vec<_>>());
        let p = ContactProblem::new(w.clone(), b, laws).unwrap();
        let settings = Settings { max_nodes: 5_000, ..Settings::default() };
        let Some(found) = solutions_of(&p, &settings) else { continue };
        for s in &found.solutions {
            let Ok(sensitivity) = Sensitivity::of(&p, &s.impulse) else { continue };
            let mut v = Variation::none(&p);
            v.bias = w.mul_vec(&(0..n).map(|_| random.unit()).collect::<Vec<_>>());
            for d in sensitivity.along(&v).unwrap().derivatives {
                looked += 1;
                let moved = w.mul_vec(&d.impulse);
                let size = d.impulse.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
                for i in 0..n {
                    let off = d.velocity[i] - moved[i] - v.bias[i];
                    assert!(off.abs() <= 1e-9 * size, "{p:?} {d:?}");
                }
            }
        }
    }
    assert!(looked > 100, "{looked}");
}

/// A planar contact exactly where its mode changes: opens or closes, sticks or slips. The one-sided derivative is the quotient
/// of solutions at a small step, to either side.
#[test]
fn one_sided_derivatives_are_quotients_to_that_side() {
    let mut random = Random(8);
    let mut compared = 0;
    for trial in 0..400 {
        let k = 1 + random.below(2);
        let (mut lam, mut xi) = (Vec::new(), Vec::new());
        for _ in 0..k {
            let n = 1.0 + random.unit().abs();
            let (l, x) = match random.below(5) {
                0 => ([0.0, 0.0], [0.0, 0.0]),
                1 => ([0.0, 0.0], [0.0, n]),
                2 => ([n, 0.5 * n], [0.0, 0.0]),
                3 => ([n, -0.5 * n], [0.0, 0.0]),
                _ => ([n, 0.1 * n], [0.0, 0.0]),
            };
            lam.extend(l);
            xi.extend(x);
        }
        let n = 2 * k;
        let cells: Vec<f64> = (0..n * (n + 2)).map(|_| random.unit()).collect();
        let mut cells = cells.into_iter();
        let mut w = gram(n, n + 2, || cells.next().unwrap_or(0.0), || 1.0);
        (0..n).for_each(|i| w[(i, i)] += 1.0);
        let b: Vec<f64> = xi.iter().zip(w.mul_vec(&lam)).map(|(x, m)| x - m).collect();
        let problem = |b: Vec<f64>| ContactProblem::new(w.clone(), b, vec![Law::coulomb(0.5); k]);
        let p = problem(b.clone()).unwrap();
        let mut v = Variation::none(&p);
        v.bias = (0..n).map(|_| random.unit()).collect();
        let Ok(sensitivity) = Sensitivity::of(&p, &lam) else { continue };
        for (side, v) in [(1.0, v.clone()), (-1.0, v.reversed())] {
            let slope = sensitivity.along(&v).unwrap();
            let Some(d) = slope.unique() else { continue };
            let step = 1e-6;
            let q = problem(b.iter().zip(&v.bias).map(|(b, v)| b + step * v).collect()).unwrap();
            let found = solutions_of(&q, &Settings::default()).unwrap();
            if found.count() != Count::Exactly(1) {
                continue;
            }
            compared += 1;
            for i in 0..n {
                let quotient = (found.solutions[0].impulse[i] - lam[i]) / step;
                let size = 1.0 + d.impulse.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                let off = (quotient - d.impulse[i]).abs();
                assert!(off <= 1e-6 * size, "{trial} {side}: {quotient} {d:?} {p:?} at {lam:?}");
            }
        }
    }
    assert!(compared > 400, "{compared}");
}
