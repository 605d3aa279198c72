//! Paper 4: the unknowns of the slip-slack problem through the steps of a scene, held against closed forms.

use crate::gallery::near;
use complementarity::enumerate::{Count, Enumeration, enumerate};
use complementarity::{Lcp, Matrix};
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::{ContactSolver, Formulation};
use stickslip::model::Model;
use stickslip::step::Stepper;
use stickslip_scene::{Scene, Visitor};

/// The contact problems of all steps of a scene, each with the time at which its step ends.
struct Problems<'a>(&'a Scene);

impl Visitor for Problems<'_> {
    type Output = Vec<(f64, ContactProblem)>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        let settings = self.0.settings();
        let mut state = self.0.start();
        let mut stepper = Stepper::new(model, settings.step).unwrap();
        let mut all = Vec::new();
        while state.t < settings.t_end - 0.5 * settings.dt {
            stepper.step(model, &mut state, settings.dt, &mut ()).unwrap().done().unwrap();
            all.push((state.t, stepper.problem().clone()));
        }
        all
    }
}

pub(crate) fn problems(name: &str) -> Vec<(f64, ContactProblem)> {
    let scene = Scene::from_gallery(name).unwrap();
    scene.model().visit(Problems(&scene))
}

fn all_solutions(problem: &Lcp) -> Enumeration {
    let found = enumerate(problem, &Default::default()).unwrap();
    assert!(found.is_complete());
    if let Some(proof) = &found.proof {
        proof.check(problem).unwrap();
    }
    found
}

/// λ_f1, λ_f2 and v of the pushed particle at the end of a step.
fn pushed(t: f64, dt: f64) -> [f64; 3] {
    let (f, limit, a) = (3.0_f64, 0.2 * 9.81, 3.0 - 0.2 * 9.81);
    let v_1 = 0.5 * f * (1.0 - limit / f).powi(2);
    let v_2 = v_1 + 0.5 * a;
    let rest = 2.0 + v_2 / limit;
    let again = 3.0 + 0.4 * a / limit;
    // Friction that holds is that of the middle of the step.
    match t {
        t if t < limit / f => [0.0, f * (t - 0.5 * dt), 0.0],
        t if t < 1.0 + 0.5 * dt => [0.0, limit, 0.5 * f * (t - limit / f).powi(2)],
        t if t < 1.5 + 0.5 * dt => [0.0, limit, v_1 + a * (t - 1.0)],
        t if t < 2.0 + 0.5 * dt => [0.0, 0.0, v_2],
        t if t < rest => [0.0, limit, v_2 - limit * (t - 2.0)],
        t if t < 2.6 + 0.5 * dt => [0.0; 3],
        t if t < 3.0 + 0.5 * dt => [limit, 0.0, -a * (t - 2.6)],
        t if t < again => [limit, 0.0, -0.4 * a + limit * (t - 3.0)],
        _ => [0.0; 3],
    }
}

#[test]
fn the_slip_slack_is_the_slip_speed_where_there_is_a_load_and_undetermined_where_not() {
    let dt = 5e-3;
    let mut unloaded = 0;
    for (t, problem) in problems("pushed_particle") {
        // In the steps in which slip begins or ends, and that after it, friction is a mean of both.
        let ends = [0.654, 2.0 + 0.698574 / 1.962, 3.0 + 0.4152 / 1.962];
        if ends.iter().any(|end| (t - end).abs() < 1.5 * dt) {
            continue;
        }
        let [f_1, f_2, v] = pushed(t, dt);
        let lcp = ContactSolver::encode(&problem, Formulation::StewartTrinkle).unwrap();
        let found = all_solutions(&lcp);
        assert_eq!(found.solutions.len(), 1, "t = {t}");
        let face = &found.solutions[0];
        // While it holds, both parts may grow alike up to the cone: their difference alone is determined.
        let holds = v == 0.0 && f_1 + f_2 < 0.2 * 9.81 - 1e-9;
        let sum = |z: &[f64]| z[1] + z[2];
        let least = face.vertices.iter().min_by(|a, b| sum(a).total_cmp(&sum(b))).unwrap();
        near(least[1] / dt, f_1, 1e-9);
        near(least[2] / dt, f_2, 1e-9);
        near(least[3], v.abs(), 1e-5);
        if (1.5 + 0.5 * dt..2.0 + 0.5 * dt).contains(&t) {
            unloaded += 1;
            near(least[0], 0.0, 1e-15);
            assert_eq!(face.rays, [[0.0, 0.0, 0.0, 1.0]], "every larger s is a solution, t = {t}");
        } else {
            near(least[0] / dt, 9.81, 1e-9);
            assert_eq!(face.vertices.len(), if holds { 2 } else { 1 }, "t = {t}");
            assert_eq!(found.count() == Count::Infinite, holds, "t = {t}");
            for z in &face.vertices {
                near((z[1] - z[2]) / dt, f_1 - f_2, 1e-9);
                near(z[3], v.abs(), 1e-5);
            }
            if holds {
                let most = face.vertices.iter().map(|z| sum(z)).fold(0.0, f64::max);
                near(most / dt, 0.2 * 9.81, 1e-9);
            }
        }
    }
    assert_eq!(unloaded, 100);
}

/// Page 1 of the notes: P = μ λ_n + λ_t ≥ 0 ⊥ v_t ≥ 0 and Q = μ λ_n − λ_t ≥ 0 ⊥ −v_t ≥ 0, in the unknowns λ_n, P, Q. The last two rows say
/// that P + Q = 2 μ λ_n.
fn first_conditions(problem: &ContactProblem, mu: f64) -> Lcp {
    let (w, b) = (1.0, problem.bias());
    let rows = [
        [w, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.5 * w, -0.5 * w, 0.0, 0.0],
        [0.0, -0.5 * w, 0.5 * w, 0.0, 0.0],
        [-2.0 * mu, 1.0, 1.0, 0.0, 0.0],
        [2.0 * mu, -1.0, -1.0, 0.0, 0.0],
    ];
    Lcp::new(Matrix::from_rows(&rows).unwrap(), vec![b[0], b[1], -b[1], 0.0, 0.0]).unwrap()
}

#[test]
fn the_first_conditions_of_the_notes_have_a_solution_only_where_nothing_slips() {
    let slips = |t: f64| pushed(t, 5e-3)[2] != 0.0;
    let mut seen = [0, 0];
    for (t, problem) in problems("pushed_particle").into_iter().step_by(20) {
        let loaded = !(1.5..2.01).contains(&t);
        if !loaded || (t - 3.21162).abs() < 0.01 {
            continue;
        }
        seen[usize::from(slips(t))] += 1;
        // [4] page 1: both pairs together ask for v_t = 0.
        let first = all_solutions(&first_conditions(&problem, 0.2));
        assert_eq!(first.solutions.is_empty(), slips(t), "t = {t}");
        // [4] page 3: 0 ≤ λ_f ⊥ f̂ᵀv ≥ 0 beside (3), that is (4) without s.
        let slack = ContactSolver::encode(&problem, Formulation::StewartTrinkle).unwrap();
        let mut m = slack.m().clone();
        (m[(1, 3)], m[(2, 3)]) = (0.0, 0.0);
        let second = all_solutions(&Lcp::new(m, slack.q().to_vec()).unwrap());
        assert_eq!(second.solutions.is_empty(), slips(t), "t = {t}");
        // [4] page 4: with s there is one.
        assert_eq!(all_solutions(&slack).solutions.len(), 1, "t = {t}");
    }
    assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
}
