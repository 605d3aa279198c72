//! The scheme of Paoli and Schatzman against closed forms.

use stickslip::Error;
use stickslip::contact::Law;
use stickslip::contact::solve::{self, Formulation};
use stickslip::impact::ImpactLaw;
use stickslip::model::{Generalised, Model};
use stickslip::models::{Linear, LinearContact};
use stickslip::run::{End, Event, Flow, Observer, Report, Sample, Settings, run};
use stickslip::step::{self, Integrator, Stepper};
use stickslip::system::State;

const G: f64 = 9.81;

/// A ball above a floor, with this gravity.
fn ball(eps: f64, gravity: f64) -> Linear {
    let law = Law::coulomb(0.0).with_restitution(eps, 0.0);
    let floor = LinearContact::new(vec![1.0], vec![0.0], law);
    Linear::diagonal(&[1.0], &[-gravity], vec![floor]).unwrap()
}

fn scheme() -> step::Settings {
    step::Settings { integrator: Integrator::PaoliSchatzman, ..step::Settings::default() }
}

/// All states at the ends of steps.
#[derive(Default)]
struct States(Vec<State>);

impl Observer for States {
    fn sample(&mut self, s: &Sample<'_>) -> Flow {
        self.0.push(State { t: s.t, q: s.q.to_vec(), u: s.u.to_vec() });
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}
}

fn march(system: &Linear, q: &[f64], u: &[f64], dt: f64, t_end: f64) -> (Report, Vec<State>) {
    let settings = Settings { step: scheme(), dt, t_end, sample_dt: dt };
    let model = Generalised::new(system.clone()).unwrap();
    let mut states = States::default();
    let start = State::new(q.to_vec(), u.to_vec());
    let report = run(&model, &start, &settings, &mut states, &mut ()).unwrap();
    assert_eq!(report.end, End::Finished);
    assert!(report.certificate.worst <= 1e-10, "{:?}", report.certificate);
    (report, states.0)
}

/// In the last step before the first impact a ball is this share of its way in a step above the floor.
const SHARES: [f64; 4] = [0.05, 0.35, 0.65, 0.95];

#[test]
fn a_ball_without_gravity_comes_back_at_its_restitution_after_two_steps() {
    let dt = 0.01;
    for eps in [0.0, 0.3, 0.5, 0.9, 1.0] {
        for share in SHARES {
            let (report, states) = march(&ball(eps, 0.0), &[(3.0 + share) * dt], &[-1.0], dt, 0.2);
            let up = states.last().unwrap().u[0];
            assert!((up - eps).abs() < 1e-13, "{eps} {share}: {up}");
            // All but two of the steps have one of the two velocities.
            let other = |s: &&State| (s.u[0] + 1.0).abs() > 1e-9 && (s.u[0] - eps).abs() > 1e-9;
            assert!(states.iter().filter(other).count() <= 1, "{eps} {share}");
            let deepest = 2.0 * eps / (1.0 + eps) * dt;
            assert!(report.drift.depth <= deepest + 1e-15, "{eps} {share}: {:?}", report.drift);
            assert_eq!((report.impacts, report.energy_created), (1, (0, 0.0)), "{eps} {share}");
            let most = states.iter().map(|s| s.u[0].abs()).fold(0.0, f64::max);
            assert!(most <= 1.0 + 1e-13, "{eps} {share}: {most}");
        }
    }
}

/// The height of a ball that falls from 1 m and bounces, at a time after two impacts or fewer.
fn height(eps: f64, t: f64) -> f64 {
    let (mut up, mut left) = (0.0, t - (2.0 / G).sqrt());
    let mut fast = (2.0 * G).sqrt();
    if left < 0.0 {
        return 1.0 - 0.5 * G * t * t;
    }
    for _ in 0..2 {
        fast *= eps;
        up = fast * left - 0.5 * G * left * left;
        left -= 2.0 * fast / G;
        if left < 0.0 {
            break;
        }
    }
    up
}

#[test]
fn a_bouncing_ball_converges_with_first_order_and_loses_energy_at_every_impact() {
    let error = |n: usize| {
        let runs = (n..n + 4).map(|n| {
            let (_, states) = march(&ball(0.5, G), &[1.0], &[0.0], 0.8 / n as f64, 0.8);
            (states.last().unwrap().q[0] - height(0.5, 0.8)).powi(2)
        });
        (runs.sum::<f64>() / 4.0).sqrt()
    };
    let (coarse, fine) = (error(400), error(1600));
    let order = (coarse / fine).ln() / 4.0_f64.ln();
    assert!((order - 1.0).abs() < 0.3 && fine < 5e-3, "{coarse} {fine} {order}");
    // ½ u² + g (q + q⁻)/2 is constant in flight, exactly.
    let dt = 1e-3;
    let (report, states) = march(&ball(0.5, G), &[1.0], &[0.0], dt, 3.0);
    let energy = |s: &State| 0.5 * s.u[0] * s.u[0] + G * (s.q[0] - 0.5 * dt * s.u[0]);
    let most = states.iter().map(energy).fold(0.0, f64::max);
    assert!(most <= energy(&states[0]) * (1.0 + 1e-12), "{most}");
    assert_eq!(report.energy_created.0, 0);
    // In the end it rests, to rounding.
    let State { q, u, .. } = states.last().unwrap();
    assert!(q[0].abs() < 1e-15 && u[0].abs() < 1e-12, "{q:?} {u:?}");
}

#[test]
fn elastic_impacts_with_gravity_gain_or_lose_energy_of_the_order_of_the_step_and_say_so() {
    let gained = |dt: f64| {
        let (report, _) = march(&ball(1.0, G), &[1.0], &[0.0], dt, 5.0);
        (report.energy_end.total() / G - 1.0, report.energy_created.1)
    };
    let (coarse, fine) = (gained(1e-3), gained(1e-4));
    assert!(coarse.0.abs() < 2e-2 && fine.0.abs() < 2e-3, "{coarse:?} {fine:?}");
    assert!(coarse.1 >= 0.0 && fine.1 < 0.1, "{coarse:?} {fine:?}");
}

#[test]
fn a_ball_that_starts_inside_is_thrown_out_and_the_energy_is_reported() {
    let (report, _) = march(&ball(0.5, 0.0), &[-1e-3], &[0.0], 1e-3, 0.01);
    // (1 + ε) depth / Δt.
    assert!((report.state.u[0] - 1.5).abs() < 1e-12, "{:?}", report.state);
    let (times, energy) = report.energy_created;
    assert!(times == 1 && (energy - 0.5 * 1.5 * 1.5).abs() < 1e-12, "{times} {energy}");
}

#[test]
fn three_balls_end_as_by_newtons_law() {
    for eps in [0.0, 0.5, 0.9, 1.0] {
        for share in SHARES {
            let law = Law::coulomb(0.0).with_restitution(eps, 0.0);
            let touch =
                |normal: [f64; 3]| LinearContact::new(normal.to_vec(), vec![0.0; 3], law.clone());
            let contacts = vec![touch([-1.0, 1.0, 0.0]), touch([0.0, -1.0, 1.0])];
            let balls = Linear::diagonal(&[1.0; 3], &[0.0; 3], contacts).unwrap();
            let start = [-0.01 * (3.0 + share), 0.0, 0.0];
            let (report, states) = march(&balls, &start, &[1.0, 0.0, 0.0], 0.01, 0.5);
            let wanted = [(1.0 - 2.0 * eps) / 3.0, (1.0 + eps) / 3.0, (1.0 + eps) / 3.0];
            let u = &states.last().unwrap().u;
            let off = u.iter().zip(wanted).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(off < 1e-13, "{eps} {share}: {u:?}");
            assert_eq!(report.energy_created.0, 0, "{eps} {share}");
        }
    }
}

/// A point mass above a floor with friction.
fn block(mu: f64, eps: f64, load: [f64; 2]) -> Linear {
    let law = Law::coulomb(mu).with_restitution(eps, 0.0);
    let floor = LinearContact::new(vec![0.0, 1.0], vec![1.0, 0.0], law);
    Linear::diagonal(&[1.0, 1.0], &load, vec![floor]).unwrap()
}

#[test]
fn what_rests_stays_and_what_slides_stops_where_it_should() {
    for eps in [0.0, 0.7, 1.0] {
        let rest = block(0.5, eps, [0.4 * G, -G]);
        let (_, states) = march(&rest, &[0.0, 0.0], &[0.0, 0.0], 1e-3, 1.0);
        assert_eq!(states.last().unwrap().q, [0.0, 0.0], "{eps}");
        // By u⁺ it slides v²/(2 μ g) less half a step.
        let v = 200.0 * 0.25 * G * 1e-3;
        let slides = block(0.25, eps, [0.0, -G]);
        let (_, states) = march(&slides, &[0.0, 0.0], &[v, 0.0], 1e-3, 0.5);
        let wanted = v * v / (0.5 * G) - 0.5 * v * 1e-3;
        let found = states.last().unwrap();
        assert!((found.q[0] - wanted).abs() < 1e-12 && found.u[0].abs() < 1e-13, "{found:?}");
        assert_eq!(found.q[1], 0.0, "{eps}");
    }
}

#[test]
fn friction_of_an_impact_is_that_of_both_of_its_steps() {
    // The normal impulses of both add up to (1 + ε) v, friction to μ times that, or to what stops the slip.
    for (mu, v, wanted) in [(0.2, 1.0, 1.0 - 0.2 * 1.5), (0.8, 1.0, 0.0)] {
        for share in SHARES {
            let start = [0.0, 0.01 * (3.0 + share)];
            let (report, states) =
                march(&block(mu, 0.5, [0.0, 0.0]), &start, &[v, -1.0], 0.01, 0.2);
            let u = &states.last().unwrap().u;
            assert!((u[0] - wanted).abs() < 1e-12 && (u[1] - 0.5).abs() < 1e-12, "{u:?}");
            assert_eq!(report.energy_created.0, 0);
        }
    }
}

#[test]
fn contacts_with_restitutions_of_their_own_keep_them() {
    // A point between a floor and a wall at right angles.
    let contact = |normal: [f64; 2], eps: f64| {
        let law = Law::coulomb(0.0).with_restitution(eps, 0.0);
        LinearContact::new(normal.to_vec(), vec![0.0; 2], law)
    };
    let contacts = vec![contact([1.0, 0.0], 0.3), contact([0.0, 1.0], 0.8)];
    let corner = Linear::diagonal(&[1.0, 2.0], &[0.0, 0.0], contacts).unwrap();
    let (_, states) = march(&corner, &[0.035, 0.052], &[-1.0, -2.0], 0.01, 0.2);
    let u = &states.last().unwrap().u;
    assert!((u[0] - 0.3).abs() < 1e-12 && (u[1] - 1.6).abs() < 1e-12, "{u:?}");
}

#[test]
fn a_motion_goes_on_from_its_coordinates_and_velocities_alone_to_the_bit() {
    let model = Generalised::new(block(0.3, 0.6, [0.1, -G])).unwrap();
    let start = State::new(vec![0.0, 0.05], vec![1.0, 0.0]);
    let stepper = || Stepper::new(&model, scheme()).unwrap();
    let (mut one, mut whole) = (stepper(), start.clone());
    let mut split = start;
    for _ in 0..400 {
        one.step(&model, &mut whole, 1e-3, &mut ()).unwrap().done().unwrap();
        // A new stepper for every step, in the middle of impacts too.
        stepper().step(&model, &mut split, 1e-3, &mut ()).unwrap().done().unwrap();
        assert_eq!(whole, split);
    }
    assert!(model.energy(&whole.q, &whole.u, 0.4).total() < 0.5 + 0.05 * G);
}

#[test]
fn what_the_mean_of_positions_does_not_express_is_refused_with_a_cure() {
    let refused = |law: Law, step: step::Settings| {
        let floor = LinearContact::new(vec![0.0, 1.0], vec![1.0, 0.0], law);
        let system = Linear::diagonal(&[1.0, 1.0], &[0.0, -G], vec![floor]).unwrap();
        let settings = Settings { step, ..Settings::default() };
        let start = State::new(vec![0.0, 1.0], vec![0.0, 0.0]);
        let model = Generalised::new(system).unwrap();
        run(&model, &start, &settings, &mut (), &mut ()).unwrap_err()
    };
    let bounces = Law::coulomb(0.2).with_restitution(0.5, 0.0);
    let convexified = solve::Settings {
        formulation: Formulation::ConvexifiedCone,
        tolerance: 1e-9,
        ..solve::Settings::default()
    };
    for (law, step, what) in [
        (Law::coulomb(0.2).with_restitution(0.5, 0.1), scheme(), "tangential restitution"),
        (bounces.clone(), step::Settings { impact: ImpactLaw::Poisson, ..scheme() }, "poisson"),
        (bounces.clone(), step::Settings { correction: true, ..scheme() }, "position correction"),
        (bounces, step::Settings { solve: Some(convexified), ..scheme() }, "convexified_cone"),
    ] {
        let error = refused(law, step);
        let named = matches!(error, Error::Combination { part: "paoli_schatzman", .. });
        let text = error.to_string();
        assert!(named && text.contains(what) && text.contains("use"), "{text}");
    }
}
