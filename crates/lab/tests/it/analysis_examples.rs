//! What the pages on analysis claim, against closed forms.

use stickslip::analysis::state::{LevelAnalysis, StateAnalysis};
use stickslip::contact::ContactProblem;
use stickslip::contact::analysis::Theorem;
use stickslip::contact::analysis::solutions::{Count, Solutions, all_solutions};
use stickslip::contact::analysis::theorem::Meaning;
use stickslip::contact::{Law, Mode};
use stickslip::level::{Level, pose};
use stickslip::model::Generalised;
use stickslip_lab::analysis::closed_forms::{
    Bar, disc_friction, grasp_limit, peg_limit, peg_work, rod_count, rod_limit, tip_limit,
};
use stickslip_lab::analysis::problems::{Disc, G, Grasp, Tip};
use stickslip_lab::analysis::{analyse, only_count, scene};

fn find(problem: &ContactProblem) -> Solutions {
    all_solutions(problem, &Default::default()).unwrap()
}

fn accelerations(analysis: &StateAnalysis) -> &LevelAnalysis {
    analysis.accelerations.as_ref().unwrap()
}

fn close(found: &[f64], wanted: &[f64]) -> bool {
    let size = wanted.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
    found.len() == wanted.len()
        && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9 * size)
}

/// The rod's problem with other friction.
fn with_mu(problem: &ContactProblem, mu: f64) -> ContactProblem {
    let laws = problem.laws().iter().map(|l| Law { mu, ..l.clone() }).collect();
    ContactProblem::new(problem.delassus().to_dense(), problem.bias().to_vec(), laws).unwrap()
}

/// Cells whose number of solutions is not that of the closed form, near the boundary and away from it, and how many have each number.
fn rod_map(cells: usize, omega: f64) -> ([usize; 2], [usize; 3]) {
    let (thetas, mus) = ((0.02, 1.55), (0.01, 4.0));
    let value =
        |(from, to): (f64, f64), i: usize| from + (to - from) * i as f64 / (cells - 1) as f64;
    let lift = |theta: f64| omega * omega * 0.5 * theta.sin() / G;
    let (mut odd, mut seen) = ([0; 2], [0; 3]);
    for i in 0..cells {
        let theta = value(thetas, i);
        // The tip slides at 2 m/s, whatever the rod turns.
        let u = [
            ("v", -2.0 - 0.5 * omega * theta.sin()),
            ("w", 0.5 * omega * theta.cos()),
            ("omega", omega),
        ];
        let (system, state) = scene("painleve_rod", &[("theta_0", theta)], &u).unwrap();
        let base =
            pose(&Generalised::new(&system).unwrap(), &state, &[0], Level::Acceleration(1e-9))
                .unwrap();
        for j in 0..cells {
            let mu = value(mus, j);
            let wanted = rod_count(theta, mu, lift(theta));
            let Count::Exactly(found) =
                all_solutions(&with_mu(&base, mu), &only_count()).unwrap().count()
            else {
                panic!("not decided at {theta} {mu}")
            };
            seen[found] += 1;
            if found != wanted {
                let (dt, dm) = (value(thetas, 1) - thetas.0, value(mus, 1) - mus.0);
                let near = [(-dt, -dm), (-dt, dm), (dt, -dm), (dt, dm)]
                    .iter()
                    .any(|(a, b)| rod_count(theta + a, mu + b, lift(theta + a)) != wanted);
                odd[usize::from(!near)] += 1;
            }
        }
    }
    (odd, seen)
}

#[test]
fn the_rod_has_as_many_solutions_as_the_closed_form_on_a_grid_of_400_by_400() {
    for (omega, several) in [(0.0, 0), (8.0, 2)] {
        let (odd, seen) = rod_map(400, omega);
        assert_eq!(odd, [0, 0], "omega {omega}");
        assert!(seen[1] > 40_000 && seen[several] > 40_000, "{seen:?}");
    }
}

#[test]
fn the_least_friction_of_painleves_rod_is_four_thirds_at_a_slope_of_two() {
    assert!((rod_limit(2.0_f64.atan()) - 4.0 / 3.0).abs() < 1e-15);
    for theta in [0.3, 1.0, 1.1, 1.107, 1.108, 1.2, 1.5] {
        assert!(rod_limit(theta) > 4.0 / 3.0);
    }
    let analysis = analyse("painleve_rod", &[], &[]).unwrap();
    let bounds = &accelerations(&analysis).analysis.theorem.as_ref().unwrap().bounds;
    assert!((bounds.existence.common - 4.0 / 3.0).abs() < 1e-9 && !bounds.existence.holds());
    assert!(analysis.jams());
}

#[test]
fn an_elastic_rod_gains_energy_under_newtons_law() {
    let parameters = [("e", 1.0), ("mu", 0.5), ("v_0", -0.75)];
    let analysis = analyse("painleve_rod", &parameters, &[("w", -1.0)]).unwrap();
    let impact = analysis.impact.as_ref().unwrap();
    assert_eq!(impact.analysis.solutions.count(), Count::Exactly(1));
    assert!((impact.energy[0] - (0.425 - 0.3125)).abs() < 1e-12);
}

#[test]
fn walls_that_close_leave_no_acceleration_and_no_impulse() {
    for mu in [0.0, 0.5, 3.0] {
        let analysis = analyse("pressed_box", &[("c", 1.0), ("mu", mu)], &[]).unwrap();
        let posed = accelerations(&analysis);
        let proof = posed.analysis.solutions.proof.as_ref().unwrap();
        assert_eq!(proof.contradictions(), 1);
        proof.check(&posed.problem).unwrap();
        assert!(!analysis.jams() && analysis.jump == Some(0.0));
        let program = posed.analysis.theorem.as_ref().unwrap().program.as_ref().unwrap();
        assert_eq!(program.meaning, Meaning::NoConclusion);
        assert!((program.upper + 1.0).abs() < 1e-9, "{}", program.upper);
    }
    for e in [0.0, 0.5, 1.0] {
        let analysis = analyse("pressed_box", &[("v", 0.1), ("e", e)], &[]).unwrap();
        let impact = analysis.impact.as_ref().unwrap();
        assert!(impact.analysis.solutions.proof.is_some());
        assert!(analysis.step.analysis.solutions.proof.is_some());
    }
}

#[test]
fn walls_that_part_leave_one_and_parallel_walls_leave_every_fall() {
    let analysis = analyse("pressed_box", &[], &[]).unwrap();
    let posed = accelerations(&analysis);
    assert_eq!(posed.analysis.solutions.count(), Count::Exactly(1));
    assert!(close(&posed.motions[0], &[3.0, -G + 0.5 * 3.0]), "{:?}", posed.motions);

    let analysis = analyse("pressed_box", &[("c", 0.0)], &[]).unwrap();
    let all = &accelerations(&analysis).analysis.solutions;
    assert!(all.is_complete() && all.count() == Count::Infinite);
    let held = all.solutions.iter().find(|s| s.modes == [Mode::Stick; 2]).unwrap();
    assert!(held.velocity_unique && !held.rays.is_empty());
    // Every fall between that of a box which only the wall behind pushes and none at all.
    let falls = all.solutions.iter().find(|s| !s.velocity_unique).unwrap();
    assert_eq!((falls.dimension, falls.rays.len()), (1, 0));
    let problem = &accelerations(&analysis).problem;
    let mut ends: Vec<f64> = falls
        .vertices
        .iter()
        .map(|v| {
            let mut xi = vec![0.0; 4];
            problem.velocity_into(v, &mut xi);
            xi[1]
        })
        .collect();
    ends.sort_by(f64::total_cmp);
    assert!(close(&ends, &[-G + 0.5 * 4.0, 0.0]), "{ends:?}");
}

#[test]
fn the_peg_has_a_ray_of_forces_exactly_where_the_line_between_its_contacts_is_in_both_cones() {
    let mut seen = [0; 2];
    for i in 0..12 {
        let l = 0.04 * (0.1 + 0.1 * f64::from(i));
        for j in 0..16 {
            let mu = 0.05 + 0.1 * f64::from(j);
            for (tilt, beta) in [(0.02, 0.0), (0.1, 0.5), (0.05, -0.8)] {
                let parameters = [("l", l), ("mu", mu), ("tilt", tilt), ("beta", beta)];
                let (system, state) = scene("wedged_peg", &parameters, &[]).unwrap();
                let problem = pose(
                    &Generalised::new(&system).unwrap(),
                    &state,
                    &[0, 1],
                    Level::Acceleration(1e-9),
                )
                .unwrap();
                let all = find(&problem);
                assert!(all.is_complete(), "{parameters:?}");
                let limit = peg_limit(tilt, l, 0.04);
                assert!((mu - limit).abs() > 1e-6);
                let stays = |s: &&stickslip::contact::analysis::solutions::Solution| {
                    s.modes == [Mode::Stick; 2]
                };
                let ray = all.solutions.iter().find(stays).is_some_and(|s| !s.rays.is_empty());
                assert_eq!(ray, mu > limit, "{parameters:?}");
                seen[usize::from(ray)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|n| *n > 100), "{seen:?}");
}

#[test]
fn the_ray_of_the_peg_is_the_line_between_its_contacts() {
    let analysis = analyse("wedged_peg", &[], &[]).unwrap();
    let all = &accelerations(&analysis).analysis.solutions;
    let held = all.solutions.iter().find(|s| s.modes == [Mode::Stick; 2]).unwrap();
    assert_eq!((held.dimension, held.vertices.len(), held.rays.len()), (1, 1, 1));
    let (tilt, l, d) = (0.02_f64, 0.02, 0.04);
    let hole = (d + l * tilt.sin()) / tilt.cos();
    let ray = &held.rays[0];
    let wanted = [d, -(hole * tilt.sin() + l * tilt.cos()), hole, l];
    let scaled: Vec<f64> = ray.iter().map(|r| r * d / ray[0]).collect();
    assert!(close(&scaled, &wanted), "{scaled:?} {wanted:?}");
}

#[test]
fn a_wedged_peg_that_bounces_has_no_impact_and_one_that_is_not_wedged_has_one() {
    let state = [("omega", 3.0), ("u", -0.1)];
    let none = analyse("wedged_peg", &[("e", 0.5)], &state).unwrap();
    let impact = none.impact.as_ref().unwrap();
    impact.analysis.solutions.proof.as_ref().unwrap().check(&impact.problem).unwrap();
    let one = analyse("wedged_peg", &[("e", 0.5), ("mu", 0.4)], &state).unwrap();
    let impact = one.impact.as_ref().unwrap();
    assert_eq!(impact.analysis.solutions.count(), Count::Exactly(1));
    assert!(impact.energy[0] < 0.0);
    let two = analyse("wedged_peg", &[("e", 0.5)], &[("w", -0.5)]).unwrap();
    let impact = two.impact.as_ref().unwrap();
    assert_eq!(impact.analysis.solutions.count(), Count::Exactly(2));
    assert!(impact.energy.iter().all(|e| *e < 0.0));
}

#[test]
fn impacts_of_a_wedged_peg_fail_to_be_unique_exactly_where_its_self_stress_loses_work() {
    let mut seen = [0; 3];
    for i in 0..24 {
        for j in 0..24 {
            let (omega, u) = (-2.9 + 0.25 * f64::from(i), -0.1 + 0.0083 * f64::from(j));
            for (mu, wedged) in [(0.6, true), (0.4, false)] {
                let state = [("omega", omega), ("u", u)];
                let (system, state) =
                    scene("wedged_peg", &[("e", 0.5), ("mu", mu)], &state).unwrap();
                let problem =
                    pose(&Generalised::new(&system).unwrap(), &state, &[0, 1], Level::Impact)
                        .unwrap();
                let Count::Exactly(n) = find(&problem).count() else { panic!("{omega} {u}") };
                assert_eq!(n != 1, wedged && peg_work(omega, u) < 0.0, "{omega} {u} {mu}: {n}");
                seen[n] += 1;
            }
        }
    }
    assert!(seen.iter().all(|n| *n > 20), "{seen:?}");
}

#[test]
fn the_bar_tips_back_tips_forward_or_goes_on_as_its_levers_say() {
    let mut seen = [0; 4];
    for i in 0..24 {
        for j in 0..24 {
            let mu = [0.01 + f64::from(i) / 24.0, 0.01 + f64::from(j) * 3.0 / 24.0];
            let parameters = [("mu_1", mu[0]), ("mu_2", mu[1])];
            let (system, state) = scene("two_footed_bar", &parameters, &[]).unwrap();
            let problem = pose(
                &Generalised::new(&system).unwrap(),
                &state,
                &[0, 1],
                Level::Acceleration(1e-9),
            )
            .unwrap();
            let all = find(&problem);
            let wanted = Bar::of_scene(mu).forces();
            assert_eq!(all.count(), Count::Exactly(wanted.len()), "{mu:?}");
            for forces in &wanted {
                let is = |s: &stickslip::contact::analysis::solutions::Solution| {
                    close(&[s.impulse[0], s.impulse[2]], forces)
                };
                assert!(all.solutions.iter().any(is), "{mu:?}: {forces:?}");
            }
            seen[wanted.len()] += 1;
        }
    }
    assert!(seen.iter().all(|n| *n > 10), "{seen:?}");
}

#[test]
fn a_disc_on_its_limit_surface_has_one_answer_and_it_is_the_closed_form() {
    let w = [1.0 / Disc::MASS, 1.0 / Disc::INERTIA];
    let mut seen = [0; 2];
    for push in [1.0, 2.0, 3.0, 3.2, 4.0, 10.0] {
        for beside in [-0.1, 0.0, 0.02, 0.05, 0.1] {
            let disc = Disc { beside, ..Disc::pushed(push) };
            let all = find(&disc.problem().unwrap());
            assert_eq!(all.count(), Count::Exactly(1), "{disc:?}");
            let s = &all.solutions[0];
            let limit = disc.mu * G * Disc::MASS;
            let b = [push / Disc::MASS, -push * beside / Disc::INERTIA];
            let wanted = disc_friction(b, w, Disc::SPIN, limit);
            assert!(close(&[s.impulse[1], s.impulse[3]], &wanted), "{disc:?} {wanted:?}");
            let sticks = push.hypot(push * beside / Disc::SPIN) <= limit;
            assert_eq!(s.modes == [Mode::Stick], sticks, "{disc:?}");
            seen[usize::from(sticks)] += 1;
        }
    }
    assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
    let slides = Disc { sliding: Some([1.0, 0.0, 10.0]), ..Disc::pushed(0.0) };
    let bounds = Theorem::of(&slides.problem().unwrap()).unwrap().bounds;
    assert!(bounds.uniqueness.common.is_infinite(), "{bounds}");
}

#[test]
fn a_tip_that_spins_fast_enough_does_not_jam() {
    let theta = 2.0_f64.atan();
    for spin in [0.0, 0.3, 1.0, 2.0] {
        let limit = tip_limit(theta, spin);
        for (mu, wanted) in [(0.999 * limit, 1), (1.001 * limit, 0)] {
            let problem = Tip { theta, mu, spin }.problem().unwrap();
            assert_eq!(find(&problem).count(), Count::Exactly(wanted), "{spin} {mu}");
            let bound = Theorem::of(&problem).unwrap().bounds.existence;
            assert!((bound.common / limit - 1.0).abs() < 1e-9, "{bound}");
        }
    }
}

#[test]
fn a_grasp_holds_from_the_friction_that_carries_the_weight_and_slips_below() {
    let weight = Grasp::MASS * G;
    for press in [2.0, 5.0, 20.0] {
        let limit = grasp_limit(weight, 3, press);
        for share in [0.8, 0.99, 1.01, 1.5] {
            let all = find(&Grasp::pressed(share * limit, press).problem().unwrap());
            assert_eq!(all.count(), Count::Exactly(1), "{press} {share}");
            let (s, holds) = (&all.solutions[0], share > 1.0);
            let mode = if holds { Mode::Stick } else { Mode::Slip };
            assert_eq!(s.modes, [mode; 3]);
            for c in 0..3 {
                let up = if holds { weight / 3.0 } else { share * weight / 3.0 };
                assert!(close(&s.impulse[3 * c..3 * c + 3], &[press, 0.0, up]), "{:?}", s.impulse);
                let falls = if holds { 0.0 } else { -(1.0 - share) * G };
                assert!((s.velocity[3 * c + 2] - falls).abs() < 1e-9 * G);
            }
        }
    }
}

#[test]
fn a_fixed_grasp_has_three_internal_forces_and_a_driven_one_none() {
    let rank = |g: Grasp| Theorem::of(&g.problem().unwrap()).unwrap();
    let fixed = rank(Grasp { fingers: 3, mu: 0.5, latitude: 0.3, driven: None });
    assert_eq!((fixed.bounds.definiteness.rank, fixed.bounds.definiteness.null.len()), (6, 3));
    // Squeezing pushes the ball down; friction takes it up from tan(latitude) on.
    for (mu, closed) in [(0.95 * 0.3_f64.tan(), false), (1.05 * 0.3_f64.tan(), true)] {
        let t = rank(Grasp { fingers: 3, mu, latitude: 0.3, driven: None });
        let program = t.program.as_ref().unwrap();
        assert_eq!(program.meaning == Meaning::NoSelfStress, !closed, "{mu}: {program}");
    }
    let low = Grasp { fingers: 3, mu: 0.9 * 0.3_f64.tan(), latitude: 0.3, driven: None };
    let drops = find(&low.problem().unwrap()).solutions;
    assert!(!drops.is_empty() && drops.iter().all(|s| s.modes == [Mode::Open; 3]));
    let pressed = rank(Grasp::pressed(0.4, 5.0));
    assert!(pressed.bounds.definiteness.is_definite());
}

#[test]
fn problem_files_are_those_of_the_examples() {
    let examples = [
        ("disc_pushed.json", Disc::pushed(4.0).problem()),
        ("spinning_tip.json", Tip { theta: 2.0_f64.atan(), mu: 1.5, spin: 1.0 }.problem()),
        ("grasp.json", Grasp::pressed(0.36, 5.0).problem()),
        ("grasp_slips.json", Grasp::pressed(0.3, 5.0).problem()),
        ("grasp_fixed.json", Grasp { fingers: 3, mu: 0.5, latitude: 0.3, driven: None }.problem()),
    ];
    for (name, problem) in examples {
        let path = format!("{}/../../problems/{name}", env!("CARGO_MANIFEST_DIR"));
        let read = ContactProblem::from_json(&std::fs::read_to_string(path).unwrap()).unwrap();
        let problem = problem.unwrap();
        assert_eq!(read.laws(), problem.laws(), "{name}");
        assert!(close(read.bias(), problem.bias()), "{name}");
        let (a, b) = (read.delassus().to_dense(), problem.delassus().to_dense());
        assert!(close(a.as_slice(), b.as_slice()), "{name}");
    }
}
