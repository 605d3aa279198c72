//! Polyhedral friction: exact answers.

use super::common::{Random, all, near, same, solve};
use complementarity::enumerate::{self, Count, enumerate};
use complementarity::{Lcp, Matrix};
use stickslip_contact::analysis::solutions::{Settings, all_solutions};
use stickslip_contact::solve::{ContactSolver, Formulation};
use stickslip_contact::{ContactProblem, Law, Mode};

/// All solutions of a planar problem, mode by mode, with plain solves.
fn brute_force(p: &ContactProblem) -> Vec<Vec<f64>> {
    let (k, w, b) = (p.contacts(), p.delassus().to_dense(), p.bias());
    let n = 2 * k;
    let mut found: Vec<Vec<f64>> = Vec::new();
    for choice in 0..4_usize.pow(k as u32) {
        let mode = |i: usize| choice / 4_usize.pow(i as u32) % 4;
        let (mut a, mut r) = (vec![vec![0.0; n]; n], vec![0.0; n]);
        for i in 0..k {
            let (nn, t) = (2 * i, 2 * i + 1);
            let law = &p.laws()[i];
            if mode(i) == 0 {
                a[nn][nn] = 1.0;
            } else {
                a[nn] = w.row(nn).to_vec();
                r[nn] = -b[nn];
            }
            match mode(i) {
                1 => {
                    a[t] = w.row(t).to_vec();
                    r[t] = -b[t];
                }
                m => {
                    a[t][t] = 1.0;
                    let side = [0.0, 0.0, -1.0, 1.0][m];
                    a[t][nn] = -side * law.mu;
                }
            }
        }
        let Some(lam) = solve(a, r) else { continue };
        let xi: Vec<f64> = w.mul_vec(&lam).iter().zip(b).map(|(x, b)| x + b).collect();
        let fine = (0..k).all(|i| {
            let (nn, t) = (2 * i, 2 * i + 1);
            match mode(i) {
                0 => xi[nn] >= 0.0,
                1 => lam[nn] >= 0.0 && lam[t].abs() <= p.laws()[i].mu * lam[nn],
                2 => lam[nn] >= 0.0 && xi[t] >= 0.0,
                _ => lam[nn] >= 0.0 && xi[t] <= 0.0,
            }
        });
        if fine && !found.iter().any(|f| near(f, &lam, 1e-9)) {
            found.push(lam);
        }
    }
    found
}

#[test]
fn planar_problems_agree_with_all_modes_tried_one_by_one() {
    let mut random = Random(1);
    let mut counts = [0; 5];
    for trial in 0..400 {
        let k = 1 + trial % 3;
        let laws = (0..k).map(|_| Law::coulomb(random.between(0.0, 3.0))).collect();
        let p = random.problem(2 * k + 1, laws);
        let found = all(&p);
        assert!(found.is_complete(), "trial {trial}: {found:?} {:?} {p:?}", brute_force(&p));
        let points: Vec<Vec<f64>> = found.solutions.iter().map(|s| s.impulse.clone()).collect();
        let expected = brute_force(&p);
        assert!(same(&points, &expected, 1e-7), "trial {trial}: {points:?} {expected:?}");
        counts[points.len().min(4)] += 1;
    }
    assert!(counts[1] > 100 && counts[2] + counts[3] + counts[4] > 0, "{counts:?}");
}

#[test]
fn six_planar_contacts_agree_with_all_4096_modes() {
    let mut random = Random(7);
    for trial in 0..6 {
        let k = 4 + trial % 3;
        let laws = (0..k).map(|_| Law::coulomb(random.between(0.2, 2.0))).collect();
        let p = random.problem(2 * k + 1, laws);
        let found = all(&p);
        assert!(found.is_complete());
        let points: Vec<Vec<f64>> = found.solutions.iter().map(|s| s.impulse.clone()).collect();
        let expected = brute_force(&p);
        assert!(same(&points, &expected, 1e-6), "trial {trial}: {points:?} {expected:?}");
    }
}

/// The impulses of all solutions of Glocker and Studer's complementarity problem, whose slack of an open contact need not be
/// unique.
fn lcp_impulses(p: &ContactProblem) -> Vec<Vec<f64>> {
    let lcp: Lcp = ContactSolver::encode(p, Formulation::GlockerStuder).unwrap();
    let all = enumerate(&lcp, &enumerate::Settings::default()).unwrap();
    assert!(all.is_complete());
    let k = p.contacts();
    let mut found: Vec<Vec<f64>> = Vec::new();
    for z in all.solutions.iter().flat_map(|f| &f.vertices) {
        let (mut lam, mut full) = (vec![0.0; 2 * k], 0);
        for (i, law) in p.laws().iter().enumerate() {
            lam[2 * i] = z[i];
            lam[2 * i + 1] = law.slip().map_or(-1.0, |s| -s.sign()) * law.mu * z[i];
            if law.has_free_friction() {
                lam[2 * i + 1] += z[k + full];
                full += 1;
            }
        }
        if !found.iter().any(|f| near(f, &lam, 1e-9)) {
            found.push(lam);
        }
    }
    found
}

#[test]
fn planar_problems_with_sliding_contacts_agree_with_their_lcp() {
    let mut random = Random(3);
    let mut seen = [0; 3];
    for trial in 0..600 {
        let k = 1 + trial % 3;
        let law = |r: &mut Random| {
            let law = Law::coulomb(r.between(0.0, 3.0));
            let slides = r.next() > -0.3;
            if slides { law.sliding_with([r.next(), 0.0, 0.0]) } else { law }
        };
        let laws = (0..k).map(|_| law(&mut random)).collect();
        let p = random.problem(2 * k + 1, laws);
        let found = all(&p);
        let points: Vec<Vec<f64>> = found.solutions.iter().map(|s| s.impulse.clone()).collect();
        let expected = lcp_impulses(&p);
        assert!(same(&points, &expected, 1e-7), "trial {trial}: {points:?} {expected:?}");
        seen[found.solutions.len().min(2)] += 1;
        if found.solutions.is_empty() {
            let answer = ContactSolver::default().solve(&p).clone();
            assert_eq!(answer.proof.unwrap().check(&p), Ok(()));
        }
    }
    assert!(seen.iter().all(|&n| n > 10), "{seen:?}");
}

#[test]
fn a_constant_friction_acts_on_an_open_contact_too() {
    // The normal separates; friction of size 0.3 slows the slip down.
    let w = Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let p = ContactProblem::new(w, vec![1.0, 2.0], vec![Law::constant(0.3)]).unwrap();
    let found = all(&p);
    assert_eq!(found.count(), Count::Exactly(1));
    assert_eq!(found.solutions[0].impulse, [0.0, -0.3]);
}

/// A uniform rod of mass 1 and half length 1 whose end slides and jams: W and b of the closed form.
fn rod(theta: f64, mu: f64, omega: f64) -> ContactProblem {
    let (s, c) = theta.sin_cos();
    let (nn, nt) = (1.0 + 3.0 * c * c, 3.0 * s * c);
    let w = Matrix::from_rows(&[[nn, -nt], [-nt, 1.0 + 3.0 * s * s]]).unwrap();
    let b = vec![-9.81 + omega * omega * s, omega * omega * c];
    let law = Law::coulomb(mu).sliding_with([-1.0, 0.0, 0.0]);
    ContactProblem::new(w, b, vec![law]).unwrap()
}

#[test]
fn painleves_rod_has_none_one_or_two_solutions_as_in_the_closed_form() {
    let mut seen = [0; 3];
    for i in 1..60 {
        let theta = 0.3 + 1.2 * f64::from(i) / 60.0;
        let critical = (1.0 + 3.0 * theta.cos().powi(2)) / (3.0 * theta.sin() * theta.cos());
        for j in 1..60 {
            let mu = 3.0 * f64::from(j) / 60.0 + 1e-4;
            for omega in [0.0, 6.0] {
                let p = rod(theta, mu, omega);
                let wanted = match (mu > critical, omega > 0.0) {
                    (false, _) => 1,
                    (true, false) => 0,
                    (true, true) => 2,
                };
                let found = all(&p);
                assert_eq!(found.count(), Count::Exactly(wanted), "theta {theta} mu {mu}");
                seen[wanted] += 1;
                if wanted == 2 {
                    let words: Vec<&str> =
                        found.solutions.iter().map(|s| s.modes[0].name()).collect();
                    assert!(words.contains(&"open") && words.contains(&"slip-"), "{words:?}");
                }
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

#[test]
fn a_proof_that_is_tampered_with_is_refused() {
    use stickslip_contact::analysis::solutions::Cases;
    let p = rod(1.0, 2.5, 0.0);
    let proof = all(&p).proof.unwrap();
    assert_eq!(proof.check(&p), Ok(()));
    // Another state, in which the rod has a solution.
    assert!(proof.check(&rod(1.0, 0.5, 0.0)).is_err());
    fn first(cases: &mut Cases) -> &mut Vec<stickslip_contact::analysis::solutions::Term> {
        match cases {
            Cases::Contradiction { terms } => terms,
            Cases::Split { cases, .. } => first(&mut cases[0]),
        }
    }
    let mut wrong = proof.clone();
    let term = &mut first(&mut wrong.cases)[0];
    term.multiplier = -&term.multiplier;
    assert!(wrong.check(&p).is_err());
    let mut wrong = proof.clone();
    first(&mut wrong.cases).clear();
    assert!(wrong.check(&p).is_err());
    if let Cases::Split { cases, .. } = &mut wrong.cases {
        cases.pop();
    }
    assert!(wrong.check(&p).is_err());
}

#[test]
fn a_plank_on_four_supports_has_a_continuum_of_forces_and_one_motion() {
    // Four frictionless supports at x = -3, -1, 1, 3 under a plank of mass and inertia 1 that falls with speed 1.
    let x = [-3.0, -1.0, 1.0, 3.0];
    let w = Matrix::from_fn(4, 4, |i, j| 1.0 + x[i] * x[j]);
    let p = ContactProblem::new(w, vec![-1.0; 4], vec![Law::frictionless(); 4]).unwrap();
    let found = all(&p);
    assert_eq!(found.count(), Count::Infinite);
    assert_eq!(found.solutions.len(), 1);
    let s = &found.solutions[0];
    assert_eq!((s.dimension, s.velocity_unique, s.basis.len()), (2, true, 2));
    assert_eq!(s.modes, [Mode::Closed; 4]);
    // Two supports, one on each side, bear it alone: four vertices.
    assert_eq!(s.vertices.len(), 4);
    for v in &s.vertices {
        assert!((v.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_bar_pressed_between_two_walls_can_bear_any_pressure() {
    // Normals along ±x on one body: Λ1 − Λ2 is determined, Λ1 + Λ2 is not; friction of both carries the weight.
    let h = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, 1.0]];
    let w = Matrix::from_fn(4, 4, |i, j| h[i][0] * h[j][0] + h[i][1] * h[j][1]);
    let p = ContactProblem::new(w, vec![0.0, -1.0, 0.0, -1.0], vec![Law::coulomb(0.5); 2]).unwrap();
    let found = all(&p);
    let s = found.solutions.iter().find(|s| s.dimension == 2).unwrap();
    assert!(!s.rays.is_empty());
    assert_eq!(s.modes, [Mode::Stick; 2]);
    // Beside it there is what holds without enough pressure: the bar slips down.
    assert!(found.solutions.iter().any(|s| s.velocity[1] < -0.1));
}

#[test]
fn impacts_have_energies() {
    // A ball on the ground with restitution ε: ΔT = −½ (1 − ε²) m v².
    let w = Matrix::from_rows(&[[0.5]]).unwrap();
    let (eps, v) = (0.5, -2.0);
    let law = Law::frictionless().with_restitution(eps, 0.0);
    let p = ContactProblem::new(w, vec![(1.0 + eps) * v], vec![law]).unwrap();
    let found = all(&p);
    let change = found.solutions[0].energy_change(&p, &[v]).unwrap();
    assert!((change + 0.5 * (1.0 - eps * eps) * 2.0 * v * v).abs() < 1e-12);
    assert!(found.solutions[0].energy_change(&p, &[v, v]).is_err());
}

#[test]
fn bad_settings_and_too_many_contacts_are_named() {
    let mut random = Random(5);
    let p = random.problem(5, vec![Law::coulomb(0.5); 2]);
    for settings in [
        Settings { max_contacts: 0, ..Settings::default() },
        Settings { tolerance: f64::NAN, ..Settings::default() },
        Settings { resolution: 0.0, ..Settings::default() },
    ] {
        assert!(all_solutions(&p, &settings).is_err());
    }
    let few = Settings { max_contacts: 1, ..Settings::default() };
    let found = all_solutions(&p, &few).unwrap();
    assert!(!found.is_complete() && found.count() == Count::AtLeast(1));
    let short = Settings { max_nodes: 2, ..Settings::default() };
    assert!(!all_solutions(&p, &short).unwrap().is_complete());
}
