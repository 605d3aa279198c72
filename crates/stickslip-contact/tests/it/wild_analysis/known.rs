//! Problems around a solution that is known: it must be listed, and nothing may prove that there is none.

use super::made::{Random, gram, holds, laws, solutions_of};
use complementarity::Matrix;
use complementarity::enumerate::{self, enumerate};
use stickslip_contact::analysis::solutions::Settings;
use stickslip_contact::solve::{ContactSolver, Formulation};
use stickslip_contact::{ContactProblem, Kind, Law};

/// What a contact does at the solution that is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Open,
    /// Λ_N = 0 = ξ_N.
    Touches,
    Sticks,
    /// Without slip and with the friction at its limit.
    Verge,
    Slips,
}

const PLACES: [Place; 5] = [Place::Open, Place::Touches, Place::Sticks, Place::Verge, Place::Slips];

/// Impulses and velocities of one contact that obey its law.
fn obey(law: &Law, place: Place, random: &mut Random, whole: bool) -> (Vec<f64>, Vec<f64>) {
    let n = law.components();
    let mut number = |low: usize| match whole {
        true => low as f64 + random.below(3) as f64,
        false => low as f64 + 0.5 + 0.5 * random.unit(),
    };
    let (mut lam, mut xi) = (vec![0.0; n], vec![0.0; n]);
    if let Kind::Bilateral(_) = law.kind {
        lam.iter_mut().for_each(|l| *l = number(0) - 1.0);
        return (lam, xi);
    }
    let normals = law.kind.normals();
    if normals == 1 {
        match place {
            Place::Open => xi[0] = number(1),
            Place::Touches => {}
            _ => lam[0] = number(1),
        }
    }
    let limit = law.mu * if normals == 1 { lam[0] } else { 0.0 } + law.radius;
    let Some(set) = law.kind.set() else { return (lam, xi) };
    let d = set.dimension();
    let mut slip: Vec<f64> = (0..d).map(|_| number(0) - 1.0).collect();
    if slip.iter().all(|v| *v == 0.0) {
        slip[0] = 1.0;
    }
    let mut f = law.sliding_friction().unwrap_or([0.0; 3]);
    if law.sliding.is_none() {
        let against: Vec<f64> = slip.iter().map(|v| -v).collect();
        set.support_point(&against, &mut f[..d]);
    }
    let moves = limit == 0.0 || place == Place::Slips || law.sliding.is_some();
    let share = if place == Place::Sticks && law.sliding.is_none() { 0.5 } else { 1.0 };
    for t in 0..d {
        lam[normals + t] = share * limit * f[t];
        if moves {
            xi[normals + t] = slip[t];
        }
    }
    if place == Place::Touches {
        xi.fill(0.0);
    }
    (lam, xi)
}

/// A problem with a solution that is known, and that solution.
fn around(seed: u64, whole: bool, pool: &[Law]) -> Option<(ContactProblem, Vec<f64>, Vec<Place>)> {
    let mut random = Random(seed);
    let k = 1 + random.below(3);
    let laws: Vec<Law> = (0..k).map(|_| random.pick(pool)).collect();
    let n: usize = laws.iter().map(Law::components).sum();
    let rows = [1, 2, 3, n, n + 1][random.below(5)];
    let cells: Vec<f64> =
        (0..rows * n).map(|_| if whole { random.whole() } else { random.unit() }).collect();
    let mut cells = cells.into_iter();
    let w = gram(n, rows, || cells.next().unwrap_or(0.0), || 1.0);
    let (mut lam, mut xi, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for law in &laws {
        let place = random.pick(&PLACES);
        let (l, x) = obey(law, place, &mut random, whole);
        places.push(place);
        lam.extend(l);
        xi.extend(x);
    }
    let moved = w.mul_vec(&lam);
    let b: Vec<f64> = xi.iter().zip(&moved).map(|(x, m)| x - m).collect();
    let problem = ContactProblem::new(w, b, laws).ok()?;
    (problem.certificate(&lam).ok()?.worst <= 1e-12).then_some((problem, lam, places))
}

/// The number of problems whose list is complete.
fn hold_what_is_known(seeds: std::ops::Range<u64>, whole: bool, pool: &[Law]) -> [usize; 2] {
    let (mut complete, mut all) = (0, 0);
    let settings = Settings { max_nodes: 20_000, ..Settings::default() };
    for seed in seeds {
        let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let Some((problem, lam, places)) = around(seed, whole, pool) else { continue };
        all += 1;
        let Some(found) = solutions_of(&problem, &settings) else { panic!("{seed} {problem:?}") };
        let what = || format!("{seed} {places:?} {lam:?}\n{problem:?}\n{found:?}");
        assert!(found.proof.is_none(), "a false proof: {}", what());
        if !found.is_complete() {
            continue;
        }
        complete += 1;
        assert!(holds(&problem, &found, &lam, 1e-6), "missed: {}", what());
    }
    [complete, all]
}

fn planar() -> Vec<Law> {
    let slides = |mu: f64, side: f64| Law::coulomb(mu).sliding_with([side, 0.0, 0.0]);
    let plain = [0.5, 1.0, 2.0].map(Law::coulomb);
    let sliding = [slides(0.5, 1.0), slides(1.0, -1.0), slides(2.0, 1.0)];
    plain.into_iter().chain(sliding).chain([Law::frictionless()]).collect()
}

#[test]
fn known_solutions_of_planar_problems_are_listed() {
    for whole in [true, false] {
        let [complete, all] = hold_what_is_known(0..1500, whole, &planar());
        assert!(complete * 100 >= all * 97, "only {complete} of {all}");
    }
}

#[test]
fn known_solutions_with_all_laws_are_listed() {
    for whole in [true, false] {
        let [complete, all] = hold_what_is_known(0..300, whole, &laws(0.5));
        assert!(complete * 2 >= all, "only {complete} of {all}");
    }
}

/// The solutions of the linear complementarity problem as impulses.
fn impulses(problem: &ContactProblem, z: &[f64]) -> Vec<f64> {
    let k = problem.contacts();
    let (mut lam, mut free) = (vec![0.0; 2 * k], 0);
    for (i, law) in problem.laws().iter().enumerate() {
        let side = match law.slip() {
            Some(s) => -s.sign(),
            None if law.has_free_friction() => -1.0,
            None => 0.0,
        };
        lam[2 * i] = z[i];
        lam[2 * i + 1] = side * law.mu * z[i];
        if law.has_free_friction() {
            lam[2 * i + 1] += z[k + free];
            free += 1;
        }
    }
    lam
}

/// Whole numbers give ties of every kind; the same question as a linear complementarity problem, whose faces are
/// enumerated, must have the same answer.
#[test]
fn degenerate_planar_problems_have_the_solutions_of_their_complementarity_problem() {
    let mut random = Random(4242);
    let (mut decided, mut compared) = (0, 0);
    for trial in 0..3000 {
        let (k, rows) = (1 + trial % 3, 1 + trial / 3 % 4);
        let n = 2 * k;
        let h: Vec<f64> = (0..rows * n).map(|_| random.whole()).collect();
        let w = Matrix::from_fn(n, n, |i, j| (0..rows).map(|r| h[r * n + i] * h[r * n + j]).sum());
        let v: Vec<f64> = (0..rows).map(|_| random.whole()).collect();
        let reachable = |i: usize| (0..rows).map(|r| h[r * n + i] * v[r]).sum();
        let b =
            (0..n).map(|i| if trial % 2 == 0 { reachable(i) } else { random.whole() }).collect();
        let law = |random: &mut Random| {
            let law = Law::coulomb(random.pick(&[0.0, 0.5, 1.0, 2.0]));
            if random.below(2) == 0 { law.sliding_with([random.unit(), 0.0, 0.0]) } else { law }
        };
        let laws = (0..k).map(|_| law(&mut random)).collect();
        let problem = ContactProblem::new(w, b, laws).unwrap();
        let found = solutions_of(&problem, &Settings::default()).unwrap();
        let lcp = ContactSolver::encode(&problem, Formulation::GlockerStuder).unwrap();
        let all = enumerate(&lcp, &enumerate::Settings::default()).unwrap();
        if !(found.is_complete() && all.is_complete()) {
            continue;
        }
        decided += 1;
        assert_eq!(found.solutions.is_empty(), all.solutions.is_empty(), "{trial} {problem:?}");
        for face in &all.solutions {
            let ends = face.vertices.iter().cloned().chain([face.interior_point()]);
            for lam in ends.map(|z| impulses(&problem, &z)) {
                let is_one = problem.certificate(&lam).unwrap().worst < 1e-9;
                compared += usize::from(is_one);
                let listed = holds(&problem, &found, &lam, 1e-9);
                assert!(!is_one || listed, "{trial} {lam:?}\n{problem:?}\n{found:?}");
            }
        }
    }
    assert!(decided >= 2980, "only {decided} of 3000 were decided");
    assert!(compared > 4000, "only {compared}");
}

/// At b = 0 every velocity is rounding of W Λ: contacts stick, and forces are free in all directions that W does not feel.
#[test]
fn at_rest_without_any_velocity_contacts_stick() {
    let h = [2.0, -1.0, 2.0, 0.0, 0.0, 1.0, 1.0];
    let w = Matrix::from_fn(7, 7, |i, j| h[i] * h[j]);
    let mixed = stickslip_contact::set::ConvexSet::Mixed { ellipse: [1.0, 0.8], spin: 0.2 };
    let laws = vec![Law::with_set(0.5, mixed), Law::disc(0.5)];
    let problem = ContactProblem::new(w, vec![0.0; 7], laws).unwrap();
    let found = solutions_of(&problem, &Settings::default()).unwrap();
    assert!(found.is_complete(), "{} {:?}", found.summary(), found.statistics);
    assert_eq!(found.solutions.len(), 1);
    let s = &found.solutions[0];
    assert_eq!(s.dimension, 6, "{s:?}");
    assert!(s.modes.iter().all(|m| *m != stickslip_contact::Mode::Slip), "{s:?}");
}

/// Connections with redundant rows beside a contact that slips in space: their forces are not unique.
#[test]
fn self_stresses_of_connections_are_part_of_every_solution() {
    let h = [2.0, -2.0, 0.0, -1.0, -2.0, 1.0];
    let w = Matrix::from_fn(6, 6, |i, j| h[i] * h[j]);
    let root = 0.5_f64.sqrt();
    let lam = [-0.5 * root, 0.5 * root, 0.0, 1.0, 1.0, -1.0];
    let moved = w.mul_vec(&lam);
    let xi = [1.0, -1.0, 0.0, 0.0, 0.0, 0.0];
    let b = xi.iter().zip(&moved).map(|(x, m)| x - m).collect();
    let dry = Law::dry(0.5, stickslip_contact::set::ConvexSet::Disc);
    let laws = vec![dry, Law::bilateral(2), Law::bilateral(2)];
    let problem = ContactProblem::new(w, b, laws).unwrap();
    let found = solutions_of(&problem, &Settings::default()).unwrap();
    assert!(found.is_complete(), "{} {:?}", found.summary(), found.statistics);
    assert_eq!(found.solutions.len(), 1);
    assert_eq!(found.solutions[0].dimension, 3, "{found:?}");
    assert!(holds(&problem, &found, &lam, 1e-9));
}

/// A contact whose velocity two redundant rows of a connection fix: its force is any, and theirs with it. What rounding
/// leaves of its velocity must not choose one.
#[test]
fn a_contact_that_a_connection_holds_bears_any_load() {
    let h = [0.7, 0.9, 0.3, 0.1];
    let w = Matrix::from_fn(3, 3, |i, j| h[i] * h[j]);
    let lam = [0.0, -0.37, -0.59];
    let b: Vec<f64> = w.mul_vec(&lam).iter().map(|v| -v).collect();
    let laws = vec![Law::frictionless(), Law::bilateral(2)];
    let problem = ContactProblem::new(w, b, laws).unwrap();
    let found = solutions_of(&problem, &Settings::default()).unwrap();
    assert!(found.is_complete(), "{} {:?}", found.summary(), found.statistics);
    assert_eq!(found.solutions.len(), 1);
    assert_eq!(found.solutions[0].dimension, 2);
    assert!(holds(&problem, &found, &lam, 1e-9));
}

/// The friction of a sliding contact takes away all of its effective mass: ξ_N does not depend on Λ_N.
#[test]
fn a_sliding_contact_without_effective_mass_bears_any_load_or_none() {
    let w = || Matrix::from_rows(&[[1.0, 1.0], [1.0, 2.0]]).unwrap();
    let law = || Law::coulomb(1.0).sliding_with([1.0, 0.0, 0.0]);
    for (b, count) in [(-1.0, 0), (0.0, 1), (1.0, 1)] {
        let problem = ContactProblem::new(w(), vec![b, 0.0], vec![law()]).unwrap();
        let found = solutions_of(&problem, &Settings::default()).unwrap();
        assert!(found.is_complete());
        assert_eq!(found.solutions.len(), count, "{b}");
        assert_eq!(found.solutions.iter().any(|s| s.dimension == 1), b == 0.0);
    }
}
