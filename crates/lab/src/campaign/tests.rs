//! The judge is judged: by its definition in extended precision, by answers that are known to be right, and by errors that
//! are known to be there.

use super::problems::{Known, Random, State, farthest};
use super::reference::stretch;
use complementarity::Matrix;
use stickslip_contact::block::BlockMatrix;
use stickslip_contact::{Certificate, ContactProblem, Kind, Law};

const PROBLEMS: u64 = 2000;

/// The contact that is worst in any measure.
fn accused(c: &Certificate) -> Option<u32> {
    let worst = c.measures().into_iter().map(|(_, m)| m).max_by(|a, b| a.value.total_cmp(&b.value));
    worst.and_then(|m| m.contact)
}

#[test]
fn no_right_answer_is_refused() {
    let mut worst = 0.0_f64;
    for seed in 0..PROBLEMS {
        let known = Known::random(&mut Random(seed), 1 + seed as usize % 6);
        let c = known.problem().certificate(&known.impulse()).unwrap();
        assert!(c.worst <= 1e-12, "{seed}: {c:?} {:?} {:?}", known.laws, known.states);
        worst = worst.max(c.worst);
    }
    println!("worst certificate of a right answer: {worst:.1e}");
}

#[test]
fn wrong_answers_measure_what_the_definition_says() {
    let mut compared = 0;
    for seed in 0..PROBLEMS {
        let mut r = Random(seed ^ 0x55);
        let mut known = Known::random(&mut r, 1 + seed as usize % 6);
        let size = r.decades(-12.0, 1.0);
        for (lam, xi) in known.lam.iter_mut().zip(&mut known.xi) {
            lam.iter_mut().for_each(|l| *l *= 1.0 + size * r.signed());
            xi.iter_mut().for_each(|x| *x *= 1.0 + size * r.signed());
        }
        let reference = known.reference();
        let Some(exact) = reference.iter().map(|j| j.worst).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let high = exact.iter().fold(0.0_f64, |m, v| m.max(*v));
        let less = exact.iter().zip(&reference).map(|(v, j)| v - j.rounding);
        let low = less.fold(0.0_f64, f64::max);
        let c = known.problem().certificate(&known.impulse()).unwrap();
        // What the fast evaluation loses on these problems: 2·10⁻¹⁰ of the value at most was seen.
        let slack = 1e-14 + 1e-9 * high;
        assert!(
            c.worst <= high + slack && c.worst >= low - slack,
            "{seed}: {} is not in [{low}, {high}]: {:?} {c:?}",
            c.worst,
            known.laws
        );
        compared += 1;
    }
    assert!(compared > PROBLEMS / 3, "{compared}");
}

/// The ways in which one contact can break its law by a small amount.
const FAULTS: [&str; 6] =
    ["penetration", "tension", "complementarity", "cone", "dissipation", "bilateral"];

/// Plants an error of this share of the scale of a contact; false where the state of the contact does not admit it.
fn plant(known: &mut Known, i: usize, fault: &str, share: f64) -> bool {
    let judged = &known.reference()[i];
    let law = known.laws[i].clone();
    let (speed, push) = (share * judged.velocity[0], share * judged.impulse[0]);
    // Of the tangents, if there are any.
    let delta = share * judged.impulse[judged.impulse.len() - 1];
    let (lam, xi, n) = (&mut known.lam[i], &mut known.xi[i], law.kind.normals());
    let closed = known.states[i] != State::Open;
    let limit = if n == 1 { law.limit(lam[0]) } else { law.radius };
    let set = law.kind.set();
    match fault {
        "bilateral" => {
            if !matches!(law.kind, Kind::Bilateral(_)) {
                return false;
            }
            let r = xi.len() - 1;
            xi[r] = share * judged.velocity[r];
            true
        }
        "penetration" if n == 1 => {
            xi[0] = -speed;
            true
        }
        // Without load, so that only friction of constant size is left.
        "tension" if n == 1 && !closed => {
            (lam[0], xi[0]) = (-push, 0.0);
            true
        }
        "complementarity" if n == 1 && closed && lam[0] > push => {
            xi[0] = speed;
            true
        }
        "cone" if closed => {
            let Some(set) = set else { return false };
            let (s, _) = stretch(set);
            let slip: Vec<f64> =
                if let Some(slip) = law.sliding { slip.to_vec() } else { vec![1.0; 3] };
            let f = farthest(&law, &slip);
            let length = f.iter().zip(&s).fold(0.0_f64, |m, (f, s)| m.hypot(f / s));
            for ((l, x), f) in lam[n..].iter_mut().zip(&mut xi[n..]).zip(&f) {
                (*l, *x) = ((limit + delta / length) * f, 0.0);
            }
            true
        }
        // A creep, with friction that could stop it.
        "dissipation" if known.states[i] == State::Stick && law.sliding.is_none() => {
            let Some(set) = set else { return false };
            let (s, _) = stretch(set);
            let Some(t) = (0..s.len()).find(|_| 0.1 * limit > delta) else { return false };
            xi[n + t] = speed / s[t];
            true
        }
        _ => false,
    }
}

#[test]
fn every_planted_error_is_found_at_its_contact() {
    let mut found = [0; FAULTS.len()];
    for seed in 0..PROBLEMS {
        let contacts = 1 + seed as usize % 6;
        let right = Known::random(&mut Random(seed), contacts);
        let i = (seed / 7) as usize % contacts;
        for (fault, found) in FAULTS.iter().zip(&mut found) {
            let mut known = right.clone();
            if !plant(&mut known, i, fault, 1e-6) {
                continue;
            }
            let c = known.problem().certificate(&known.impulse()).unwrap();
            let law = &known.laws[i];
            assert!(c.worst >= 1e-7, "{seed} {fault}: {c:?} {law:?}");
            assert_eq!(accused(&c), Some(i as u32), "{seed} {fault}: {c:?} {law:?}");
            let (_, measure) = c.measures().into_iter().find(|(name, _)| name == fault).unwrap();
            assert_eq!(measure.contact, Some(i as u32), "{seed} {fault}: {c:?} {law:?}");
            assert!(measure.value > 0.5 * c.worst, "{seed} {fault}: {c:?} {law:?}");
            *found += 1;
        }
    }
    println!("planted and found: {FAULTS:?} {found:?}");
    assert!(found.iter().all(|n| *n > 100), "{found:?}");
}

#[test]
fn a_light_contact_that_bears_four_times_its_impulse_beside_a_heavy_one_is_refused() {
    // Two bodies on the ground, 1e9 kg and 1 kg, that fall at 1 m/s; then with a link of one per cent between them.
    for coupling in [0.0, 1e-2] {
        let entry = |i: usize, j: usize| match (i, j) {
            (0, 0) | (1, 1) => 1e-9,
            (2, 2) | (3, 3) => 1.0,
            (0, 2) | (2, 0) => coupling * 1e-9,
            _ => 0.0,
        };
        let w = Matrix::from_fn(4, 4, entry);
        let mut lam = [1e9, 0.0, 1.0, 0.0];
        let xi =
            |lam: &[f64; 4], r: usize| w.row(r).iter().zip(lam).map(|(w, l)| w * l).sum::<f64>();
        let b = (0..4).map(|r| -xi(&lam, r)).collect();
        let laws = vec![Law::coulomb(0.5); 2];
        let p = ContactProblem::new(w.clone(), b, laws).unwrap();
        assert!(p.certificate(&lam).unwrap().worst < 1e-15);
        lam[2] = 4.0;
        let c = p.certificate(&lam).unwrap();
        assert_eq!(c.complementarity.contact, Some(1));
        assert!(c.worst > 0.5, "{c:?}");
    }
}

#[test]
fn a_right_answer_at_a_coefficient_of_1e8_is_accepted() {
    let entries = [[1.5, 1.0], [1.0, 0.75]];
    for (lam, xi) in
        [([0.7, 1.3e5], [0.0, 0.0]), ([0.7, -0.7e8], [0.0, 0.3]), ([0.0, 0.0], [0.1, 3.0])]
    {
        let w = Matrix::from_rows(&entries).unwrap();
        let known = Known {
            laws: vec![Law::coulomb(1e8)],
            w,
            states: vec![State::Stick],
            lam: vec![lam.to_vec()],
            xi: vec![xi.to_vec()],
        };
        let c = known.problem().certificate(&lam).unwrap();
        assert!(c.worst < 1e-15, "{c:?}");
        // And so by answers that are off in the last digits.
        let c = known.problem().certificate(&lam.map(|l| l * (1.0 + 4e-16))).unwrap();
        assert!(c.worst < 2e-15, "{c:?}");
    }
}

#[test]
fn both_paths_of_planar_problems_agree() {
    for seed in 0..PROBLEMS {
        let mut r = Random(seed);
        let law = |r: &mut Random| Law {
            radius: if r.below(3) == 0 { r.decades(-6.0, 0.0) } else { 0.0 },
            sliding: (r.below(4) == 0).then(|| [r.signed(), 0.0, 0.0]),
            ..Law::coulomb(r.decades(-2.0, 1.0))
        };
        let laws = (0..1 + seed as usize % 5).map(|_| law(&mut r)).collect();
        let mut known = Known::with_laws(&mut r, laws);
        let size = r.decades(-16.0, 1.0);
        known.lam.iter_mut().flatten().for_each(|l| *l *= 1.0 + size * r.signed());
        let dense = known.problem();
        let sizes = vec![2; known.laws.len()];
        let blocks = BlockMatrix::from_dense(&sizes, &known.w).unwrap();
        let sparse = ContactProblem::new(blocks, known.bias(), known.laws.clone()).unwrap();
        let lam = known.impulse();
        let (a, b) = (dense.certificate(&lam).unwrap(), sparse.certificate(&lam).unwrap());
        for ((name, a), (_, b)) in a.measures().into_iter().zip(b.measures()) {
            assert!(
                (a.value - b.value).abs() <= 1e-15 * (1.0 + a.value),
                "{seed} {name}: {a:?} {b:?}"
            );
            assert!(a.contact == b.contact || a.value < 1e-13, "{seed} {name}: {a:?} {b:?}");
        }
        assert!((a.worst - b.worst).abs() <= 1e-15 * (1.0 + a.worst), "{seed}: {a:?} {b:?}");
        let (mut u, mut v) = (vec![0.0; lam.len()], vec![0.0; lam.len()]);
        sparse.velocity_into(&lam, &mut u);
        dense.velocity_into(&lam, &mut v);
        for (r, (u, v)) in u.iter().zip(&v).enumerate() {
            let terms = known.w.row(r).iter().zip(&lam).map(|(w, l)| (w * l).abs()).sum::<f64>();
            assert!((u - v).abs() <= 1e-15 * (terms + dense.bias()[r].abs()), "{seed}: {u} {v}");
        }
    }
}

#[test]
fn a_small_campaign_finds_nothing_false() {
    let tally = super::campaign(0..300, 5);
    assert!(tally.is_honest(), "{tally:?}");
    let of = |m: &std::collections::BTreeMap<&'static str, u64>| m.values().sum::<u64>();
    assert_eq!(of(&tally.problems), 300);
    // Those without a solution are not solved, and of the others next to all are.
    assert!(of(&tally.solved) >= 262, "{tally:?}");
    let small = "one or two planar contacts";
    assert_eq!(tally.solved[small] + tally.proved.get(small).unwrap_or(&0), tally.problems[small]);
}

/// A contact that bears 10⁻¹⁰ of what its velocities are made of, and slides at right angles to an edge of its polygon.
#[test]
fn the_definition_finds_the_nearest_point_of_a_polygon_that_is_small_and_far() {
    let tally = super::campaign(10_065_998..10_065_999, 20);
    assert!(tally.is_honest() && tally.solved["redundant"] == 1, "{tally:?}");
}

/// Contacts that contradict each other by 10⁻¹⁰ to 10⁻¹² of what moves them: within the tolerance impulses meet them, and there is a proof.
#[test]
fn contradictions_below_the_tolerance_are_proved() {
    let small = [20_075_119, 20_120_299, 20_118_679, 20_208_839].map(|seed| (seed, 20));
    // Many rows approach within the tolerance, and there are more of them than a proof by elimination could take.
    let large = [30_000_179, 30_000_199].map(|seed| (seed, 200));
    for (seed, most) in small.into_iter().chain(large) {
        let tally = super::campaign(seed..seed + 1, most);
        assert_eq!(tally.proved.values().sum::<u64>(), 1, "{seed}: {tally:?}");
        assert!(tally.is_honest(), "{seed}: {tally:?}");
    }
}

/// Masses over twelve decades and friction to 10¹⁴ stall every method that moves all contacts at once.
#[test]
fn what_stalls_all_methods_is_solved_cluster_by_cluster() {
    let small = [20_301_277, 20_305_207, 20_309_178].map(|seed| (seed, 20));
    let large = [30_000_047, 30_000_057, 30_000_070].map(|seed| (seed, 200));
    for (seed, most) in small.into_iter().chain(large) {
        let tally = super::campaign(seed..seed + 1, most);
        assert_eq!(tally.solved.values().sum::<u64>(), 1, "{seed}: {tally:?}");
        assert!(tally.is_honest(), "{seed}: {tally:?}");
    }
}
