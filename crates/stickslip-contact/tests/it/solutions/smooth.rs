//! Smooth friction sets: nothing is missed, and what is listed is alone.

use super::common::{Random, all, near, same, solve};
use complementarity::Matrix;
use complementarity::enumerate::Count;
use stickslip_contact::analysis::solutions::{Cases, SearchLimit, Solutions, Source};
use stickslip_contact::set::ConvexSet;
use stickslip_contact::{ContactProblem, Law, Mode};

/// All solutions with one disc contact: take-off, stick, and slip by the sign changes of a function of the direction.
fn one_disc(p: &ContactProblem) -> Vec<Vec<f64>> {
    let (w, b, mu) = (p.delassus().to_dense(), p.bias(), p.laws()[0].mu);
    let mut found = Vec::new();
    if b[0] >= 0.0 {
        found.push(vec![0.0; 3]);
    }
    let rows = (0..3).map(|i| w.row(i).to_vec()).collect();
    if let Some(lam) = solve(rows, b.iter().map(|b| -b).collect())
        && lam[0] >= 0.0
        && lam[1].hypot(lam[2]) <= mu * lam[0]
    {
        found.push(lam);
    }
    let at = |phi: f64| {
        let u = [phi.cos(), phi.sin()];
        let k: Vec<f64> =
            (0..3).map(|i| w.row(i)[0] + mu * (w.row(i)[1] * u[0] + w.row(i)[2] * u[1])).collect();
        let lam = -b[0] / k[0];
        let xi = [k[1] * lam + b[1], k[2] * lam + b[2]];
        (lam, xi[0] * u[1] - xi[1] * u[0], xi[0] * u[0] + xi[1] * u[1], u)
    };
    let n = 40_000;
    let step = std::f64::consts::TAU / n as f64;
    for i in 0..n {
        let (mut low, mut high) = (step * i as f64, step * (i + 1) as f64);
        if at(low).1 * at(high).1 > 0.0 || at(low).0 * at(high).0 < 0.0 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if at(low).1 * at(middle).1 <= 0.0 { high = middle } else { low = middle }
        }
        let (lam, _, along, u) = at(0.5 * (low + high));
        if lam >= 0.0 && along <= 0.0 {
            found.push(vec![lam, mu * lam * u[0], mu * lam * u[1]]);
        }
    }
    found
}

fn impulses(found: &Solutions) -> Vec<Vec<f64>> {
    found.solutions.iter().map(|s| s.impulse.clone()).collect()
}

#[test]
fn one_disc_contact_has_the_solutions_of_a_scan_over_all_directions() {
    let mut random = Random(11);
    let mut counts = [0; 5];
    for trial in 0..300 {
        let law = Law::disc(random.between(0.1, 4.0));
        let p = random.problem(3, vec![law]);
        let found = all(&p);
        let expected = one_disc(&p);
        assert!(found.is_complete(), "trial {trial}: {found:?}");
        assert!(same(&impulses(&found), &expected, 1e-6), "trial {trial}: {found:?} {expected:?}");
        assert!(found.solutions.iter().all(|s| s.proved));
        counts[expected.len().min(4)] += 1;
    }
    assert!(counts[1] > 100 && counts[2] + counts[3] > 5, "{counts:?}");
}

/// The nearest point of the cone |(y, z)| ≤ μ x.
fn project(mu: f64, v: &[f64]) -> [f64; 3] {
    let t = v[1].hypot(v[2]);
    if t <= mu * v[0] {
        return [v[0], v[1], v[2]];
    }
    if mu * t <= -v[0] {
        return [0.0; 3];
    }
    let x = (v[0] + mu * t) / (1.0 + mu * mu);
    [x, mu * x * v[1] / t, mu * x * v[2] / t]
}

/// The natural map of the law with De Saxcé's correction, scaled by the diagonal of W.
fn natural_map(p: &ContactProblem, w: &Matrix, lam: &[f64]) -> Vec<f64> {
    let xi: Vec<f64> = w.mul_vec(lam).iter().zip(p.bias()).map(|(x, b)| x + b).collect();
    let mut f = Vec::with_capacity(lam.len());
    for (i, law) in p.laws().iter().enumerate() {
        let r = 3 * i..3 * i + 3;
        let (l, x) = (&lam[r.clone()], &xi[r]);
        let lifted = [x[0] + law.mu * x[1].hypot(x[2]), x[1], x[2]];
        let moved = [l[0] - lifted[0], l[1] - lifted[1], l[2] - lifted[2]];
        let back = project(law.mu, &moved);
        f.extend((0..3).map(|c| l[c] - back[c]));
    }
    f
}

/// Newton's method with numerical derivatives on the natural map, from many random starts.
fn sampled(p: &ContactProblem, random: &mut Random, starts: usize) -> Vec<Vec<f64>> {
    let w = p.delassus().to_dense();
    let n = p.bias().len();
    let mut found: Vec<Vec<f64>> = Vec::new();
    for _ in 0..starts {
        let size = 10_f64.powf(random.between(-1.0, 1.5));
        let mut lam: Vec<f64> = random.vector(n).iter().map(|v| size * v).collect();
        for _ in 0..40 {
            let f = natural_map(p, &w, &lam);
            let norm = f.iter().map(|f| f * f).sum::<f64>();
            if norm < 1e-24 {
                break;
            }
            let mut j = vec![vec![0.0; n]; n];
            for k in 0..n {
                let h = 1e-7 * (1.0 + lam[k].abs());
                let mut moved = lam.clone();
                moved[k] += h;
                for (row, (a, b)) in j.iter_mut().zip(natural_map(p, &w, &moved).iter().zip(&f)) {
                    row[k] = (a - b) / h;
                }
            }
            let Some(step) = solve(j, f) else { break };
            let mut share = 1.0;
            for _ in 0..12 {
                let next: Vec<f64> = lam.iter().zip(&step).map(|(l, d)| l - share * d).collect();
                let after = natural_map(p, &w, &next).iter().map(|f| f * f).sum::<f64>();
                if after < norm || share < 1e-3 {
                    lam = next;
                    break;
                }
                share *= 0.5;
            }
        }
        let solved = p.certificate(&lam).is_ok_and(|c| c.worst < 1e-9);
        if solved && !found.iter().any(|f| near(f, &lam, 1e-5)) {
            found.push(lam);
        }
    }
    found
}

#[test]
fn no_solution_that_sampling_finds_is_missed_with_two_or_three_discs() {
    let mut random = Random(23);
    let mut several = 0;
    for trial in 0..60 {
        let k = 2 + usize::from(trial % 4 == 0);
        let laws = (0..k).map(|_| Law::disc(random.between(0.2, 4.0))).collect();
        let p = random.problem(3 * k, laws);
        let found = all(&p);
        assert!(
            found.is_complete(),
            "trial {trial}: {:?} {:?}",
            found.incomplete,
            found.statistics
        );
        let listed = impulses(&found);
        for lam in sampled(&p, &mut random, 60) {
            let is_listed = listed.iter().any(|l| near(l, &lam, 1e-4));
            assert!(is_listed, "trial {trial}: {lam:?} is not in {listed:?}");
        }
        several += usize::from(listed.len() > 1);
    }
    assert!(several > 0);
}

#[test]
fn rotating_the_tangents_rotates_the_solutions() {
    let mut random = Random(31);
    for trial in 0..20 {
        let laws = vec![Law::disc(random.between(0.3, 3.0)), Law::disc(random.between(0.3, 3.0))];
        let p = random.problem(6, laws.clone());
        let turns = [random.between(0.0, 6.0), random.between(0.0, 6.0)];
        let r = Matrix::from_fn(6, 6, |i, j| match (i / 3 == j / 3, i % 3, j % 3) {
            (true, 0, 0) => 1.0,
            (true, a, b) if a > 0 && b > 0 => {
                let (s, c) = turns[i / 3].sin_cos();
                if a == b {
                    c
                } else if a < b {
                    s
                } else {
                    -s
                }
            }
            _ => 0.0,
        });
        let w = p.delassus().to_dense();
        let product = |a: &Matrix, b: &Matrix| {
            Matrix::from_fn(6, 6, |i, j| (0..6).map(|k| a[(i, k)] * b[(k, j)]).sum())
        };
        let turned = product(&product(&r, &w), &r.transposed());
        let symmetric = Matrix::from_fn(6, 6, |i, j| 0.5 * (turned[(i, j)] + turned[(j, i)]));
        let q = ContactProblem::new(symmetric, r.mul_vec(p.bias()), laws).unwrap();
        let (one, other) = (all(&p), all(&q));
        assert!(one.is_complete() && other.is_complete(), "trial {trial}");
        let expected: Vec<Vec<f64>> = impulses(&one).iter().map(|l| r.mul_vec(l)).collect();
        assert!(same(&impulses(&other), &expected, 1e-6), "trial {trial}");
    }
}

/// A box of mass 1 with four corners (±a, ±b) at height h below its centre, inertia j about all axes.
fn four_corners(mu: f64, push: [f64; 3], law: impl Fn(f64) -> Law) -> ContactProblem {
    let corners = [[1.0, 0.7, -0.5], [-1.0, 0.7, -0.5], [-1.0, -0.7, -0.5], [1.0, -0.7, -0.5]];
    let inverse_inertia = [3.0, 2.0, 1.5];
    let mut h: Vec<[f64; 6]> = Vec::new();
    for c in corners {
        for e in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
            let m: [f64; 3] =
                [c[1] * e[2] - c[2] * e[1], c[2] * e[0] - c[0] * e[2], c[0] * e[1] - c[1] * e[0]];
            h.push([e[0], e[1], e[2], m[0], m[1], m[2]]);
        }
    }
    let w = Matrix::from_fn(12, 12, |i, j| {
        (0..6).map(|k| h[i][k] * h[j][k] * if k < 3 { 1.0 } else { inverse_inertia[k - 3] }).sum()
    });
    let b = h.iter().map(|r| r[0] * push[0] + r[1] * push[1] + r[2] * push[2]).collect();
    ContactProblem::new(w, b, vec![law(mu); 4]).unwrap()
}

#[test]
fn a_box_at_rest_on_four_corners_has_one_motion_and_many_forces() {
    let p = four_corners(0.5, [0.1, 0.0, -1.0], Law::disc);
    let found = all(&p);
    assert!(found.is_complete(), "{:?} {:?}", found.incomplete, found.statistics);
    assert_eq!(found.count(), Count::Infinite);
    assert_eq!(found.solutions.len(), 1);
    let s = &found.solutions[0];
    assert_eq!((s.dimension, s.basis.len(), s.velocity_unique), (6, 6, true));
    assert_eq!(s.modes, [Mode::Stick; 4]);
}

#[test]
fn a_box_that_slides_on_four_corners_is_a_continuum_of_loads_with_one_motion() {
    let p = four_corners(0.3, [0.8, 0.3, -1.0], Law::disc);
    let found = all(&p);
    assert!(
        matches!(found.incomplete, None | Some(SearchLimit::Continuum)),
        "{:?}",
        found.incomplete
    );
    assert_eq!((found.solutions.len(), found.solutions[0].dimension), (1, 1));
    assert_eq!(found.solutions[0].modes, [Mode::Slip; 4]);
    assert!(found.regions.iter().all(|r| r.near == Some(0)));
    // Coulomb: the push less the friction 0.3 along it.
    let (push, size) = ([0.8, 0.3], 0.8_f64.hypot(0.3));
    for (corner, along) in [(0, 1), (3, 2)] {
        let v = &found.solutions[0].velocity[3 * corner..];
        let expected = push[along - 1] * (1.0 - 0.3 / size);
        assert!((v[along] - expected).abs() < 1e-9, "{v:?}");
    }
}

/// The number of contradictions that use a row of a smooth part's sector.
fn sector_terms(cases: &Cases, smooth: usize) -> usize {
    match cases {
        Cases::Split { cases, .. } => cases.iter().map(|c| sector_terms(c, smooth)).sum(),
        Cases::Contradiction { terms } => usize::from(
            terms.iter().any(|t| matches!(t.row, Source::Cell { part, .. } if part == smooth)),
        ),
    }
}

/// Takes the last case of the last split away.
fn shorten(cases: &mut Cases) -> bool {
    let Cases::Split { cases, .. } = cases else { return false };
    if !cases.last_mut().is_some_and(shorten) {
        cases.pop();
    }
    true
}

#[test]
fn a_disc_beside_a_jammed_contact_has_no_solution_and_the_proof_uses_its_sectors() {
    let mut random = Random(61);
    let (mut empty, mut with_sectors) = (0, 0);
    for _ in 0..400 {
        let jammed = Law::coulomb(random.between(1.0, 8.0)).sliding_with([random.next(), 0.0, 0.0]);
        let disc = Law::disc(random.between(0.1, 2.0));
        let p = random.problem(5, vec![jammed, disc]);
        let found = all(&p);
        let Some(mut proof) = found.proof else { continue };
        empty += 1;
        // Parts: the jammed normal, the disc's normal, the disc.
        with_sectors += usize::from(sector_terms(&proof.cases, 2) > 0);
        assert!(!shorten(&mut proof.cases) || proof.check(&p).is_err());
    }
    assert!(empty > 3 && with_sectors > 0, "{empty} {with_sectors}");
}

#[test]
fn what_solves_a_planar_problem_solves_it_with_a_disc() {
    // A rod that may stick, slip or lift: the planar answers, with nothing across.
    let planar = Matrix::from_rows(&[[1.0, 0.9], [0.9, 1.0]]).unwrap();
    let mut seen = 0;
    for b in [[0.3, 1.0], [0.2, 0.5], [1.0, 2.0], [-1.0, 0.3]] {
        let p = ContactProblem::new(planar.clone(), b.to_vec(), vec![Law::coulomb(2.0)]).unwrap();
        let w = Matrix::from_fn(3, 3, |i, j| match (i, j) {
            (2, 2) => 0.8,
            (2, _) | (_, 2) => 0.0,
            _ => planar[(i, j)],
        });
        let q = ContactProblem::new(w, vec![b[0], b[1], 0.0], vec![Law::disc(2.0)]).unwrap();
        let (flat, disc) = (all(&p), impulses(&all(&q)));
        for l in impulses(&flat) {
            let lam = vec![l[0], l[1], 0.0];
            assert!(disc.iter().any(|d| near(d, &lam, 1e-7)), "{disc:?} {lam:?}");
        }
        seen += usize::from(flat.solutions.len() == 3);
    }
    assert_eq!(seen, 3);
}

#[test]
fn sliding_discs_have_known_friction_and_may_have_none_or_two_solutions() {
    let w = Matrix::from_rows(&[[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    let law = Law::disc(2.0).sliding_with([1.0, 0.0, 0.0]);
    let down = ContactProblem::new(w.clone(), vec![-1.0, 0.0, 0.0], vec![law.clone()]).unwrap();
    assert_eq!(all(&down).count(), Count::Exactly(0));
    let up = ContactProblem::new(w, vec![1.0, 0.0, 0.0], vec![law]).unwrap();
    assert_eq!(all(&up).count(), Count::Exactly(2));
}

#[test]
fn an_ellipse_is_a_disc_in_other_units() {
    let mut random = Random(41);
    for trial in 0..20 {
        let mu = random.between(0.2, 3.0);
        let p = random.problem(3, vec![Law::disc(mu)]);
        let e = [random.between(0.3, 2.0), random.between(0.3, 2.0)];
        let unit = [1.0, 1.0 / e[0], 1.0 / e[1]];
        let w = p.delassus().to_dense();
        let scaled = Matrix::from_fn(3, 3, |i, j| unit[i] * w[(i, j)] * unit[j]);
        let b = p.bias().iter().zip(unit).map(|(b, u)| b * u).collect();
        let law = Law::with_set(mu, ConvexSet::Ellipsoid(e.to_vec()));
        let q = ContactProblem::new(scaled, b, vec![law]).unwrap();
        let expected: Vec<Vec<f64>> = impulses(&all(&p))
            .iter()
            .map(|l| l.iter().zip(unit).map(|(l, u)| l / u).collect())
            .collect();
        assert!(same(&impulses(&all(&q)), &expected, 1e-6), "trial {trial}");
    }
}

#[test]
fn limit_surfaces_and_mixed_sets_are_decided() {
    let mut random = Random(43);
    let sets = [
        ConvexSet::Ellipsoid(vec![1.0, 0.8, 0.3]),
        ConvexSet::Mixed { ellipse: [1.0, 0.8], spin: 0.3 },
    ];
    for trial in 0..20 {
        let law = Law::with_set(random.between(0.1, 1.5), sets[trial % 2].clone());
        let p = random.problem(5, vec![law]);
        let found = all(&p);
        assert!(found.is_complete(), "trial {trial} {:?} {:?}", found.incomplete, found.statistics);
        assert!(!found.solutions.is_empty());
    }
}

#[test]
fn dry_friction_with_a_disc_has_its_one_solution() {
    // W = I: ξ = Λ + b, so Λ = −b cut to the disc of radius 0.5.
    let w = Matrix::identity(2);
    let p = ContactProblem::new(w, vec![3.0, 4.0], vec![Law::dry(0.5, ConvexSet::Disc)]).unwrap();
    let found = all(&p);
    assert_eq!(found.count(), Count::Exactly(1));
    assert!(same(&impulses(&found), &[vec![-0.3, -0.4]], 1e-12));
}

#[test]
fn joints_are_eliminated_and_redundant_ones_are_lines_of_the_answer() {
    // A mass on a rail (two equal bilateral rows) against the ground.
    let h = [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]];
    let w = Matrix::from_fn(3, 3, |i, j| h[i][0] * h[j][0] + h[i][1] * h[j][1]);
    let laws = vec![Law::frictionless(), Law::bilateral(2)];
    let p = ContactProblem::new(w.clone(), vec![-1.0, 0.5, 0.5], laws.clone()).unwrap();
    let found = all(&p);
    assert_eq!((found.solutions.len(), found.solutions[0].dimension), (1, 1));
    assert_eq!(found.solutions[0].modes, [Mode::Closed, Mode::Fixed]);
    // The two rows contradict each other.
    let q = ContactProblem::new(w, vec![-1.0, 0.5, -0.5], laws).unwrap();
    assert_eq!(all(&q).count(), Count::Exactly(0));
}

/// The same problem without its last rows, which are bilateral: W and b by the Schur complement.
fn eliminated(p: &ContactProblem, rows: usize, laws: Vec<Law>) -> ContactProblem {
    let (w, b, n) = (p.delassus().to_dense(), p.bias(), p.bias().len());
    let m = n - rows;
    let block: Vec<Vec<f64>> = (m..n).map(|i| w.row(i)[m..].to_vec()).collect();
    let column = |c: usize| {
        let right = (m..n).map(|i| if c < m { w[(i, c)] } else { b[i] }).collect();
        solve(block.clone(), right).unwrap()
    };
    let columns: Vec<Vec<f64>> = (0..=m).map(column).collect();
    let less = |i: usize, c: usize| (0..rows).map(|k| w[(i, m + k)] * columns[c][k]).sum::<f64>();
    let reduced = Matrix::from_fn(m, m, |i, j| w[(i, j)] - 0.5 * (less(i, j) + less(j, i)));
    ContactProblem::new(reduced, (0..m).map(|i| b[i] - less(i, m)).collect(), laws).unwrap()
}

#[test]
fn joints_do_what_their_elimination_does_and_take_part_in_proofs() {
    let mut random = Random(71);
    let mut empty = 0;
    for trial in 0..200 {
        let jammed = Law::coulomb(random.between(0.5, 8.0)).sliding_with([random.next(), 0.0, 0.0]);
        let other = if trial % 2 == 0 { Law::disc(0.7) } else { Law::coulomb(0.7) };
        let laws = vec![jammed, other];
        let with_joint = laws.iter().cloned().chain([Law::bilateral(2)]).collect();
        let p = random.problem(9, with_joint);
        let q = eliminated(&p, 2, laws);
        let (one, other) = (all(&p), all(&q));
        let n = q.bias().len();
        let cut: Vec<Vec<f64>> = impulses(&one).iter().map(|l| l[..n].to_vec()).collect();
        assert!(same(&cut, &impulses(&other), 1e-6), "trial {trial}");
        empty += usize::from(one.proof.is_some());
    }
    assert!(empty > 2, "{empty}");
}
