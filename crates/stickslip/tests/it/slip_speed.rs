//! Friction that depends on the slip speed, on the configuration and on time, in motions that are known otherwise.

use stickslip::contact::Law;
use stickslip::events::{EventDriven, Reached, Settings as EventSettings, run_event_driven};
use stickslip::expression::{
    Contact, Coordinate, Definition, ExpressionSystem, ForceExpression, Parameter,
};
use stickslip::impact::ImpactLaw;
use stickslip::model::Generalised;
use stickslip::run::{End, Event, EventKind, Flow, Observer, Report, Sample, Settings, run};
use stickslip::step::{self, Integrator, Stepper};
use stickslip::{State, System};

const G: f64 = 9.81;

#[derive(Default)]
struct Events(Vec<Event>);

impl Observer for Events {
    fn sample(&mut self, _: &Sample<'_>) -> Flow {
        Flow::Continue
    }

    fn event(&mut self, event: &Event) {
        self.0.push(*event);
    }
}

impl Events {
    fn times(&self, kind: EventKind) -> Vec<f64> {
        self.0.iter().filter(|e| e.kind == kind).map(|e| e.t).collect()
    }
}

/// A block of mass 1 on a floor or a belt.
fn definition(mu: &str, parameters: &[(&str, f64)]) -> Definition {
    let coordinate =
        |name: &str, velocity: &str| Coordinate { name: name.into(), velocity: velocity.into() };
    let parameter = |&(name, x): &(&str, f64)| Parameter { name: name.into(), value: x.into() };
    let named = [("k", 0.0), ("c", 0.0), ("belt", 0.0)];
    let defaults = named.iter().filter(|(name, _)| parameters.iter().all(|(p, _)| p != name));
    Definition {
        coordinates: vec![coordinate("x", "v"), coordinate("y", "w")],
        parameters: defaults.chain(parameters).map(parameter).collect(),
        kinetic: "(v^2 + w^2)/2".into(),
        potential: Some(format!("k/2*x^2 + {G}*y")),
        forces: vec![ForceExpression { coordinate: "x".into(), expression: "-c*v".into() }],
        contacts: vec![Contact {
            name: "floor".into(),
            gap: "y".into(),
            slip: Some("v - belt".into()),
            mu: Some(mu.into()),
            ..Contact::default()
        }],
        ..Definition::default()
    }
}

fn block(mu: &str, parameters: &[(&str, f64)]) -> Generalised<ExpressionSystem> {
    Generalised::new(ExpressionSystem::new(&definition(mu, parameters)).unwrap()).unwrap()
}

fn at(x: f64, v: f64) -> State {
    State::new(vec![x, 0.0], vec![v, 0.0])
}

fn events(block: &Generalised<ExpressionSystem>, start: &State, t_end: f64) -> (Report, Events) {
    let (settings, mut log) =
        (EventSettings { t_end, ..EventSettings::default() }, Events::default());
    let report = run_event_driven(block, start, &settings, &mut log).unwrap();
    assert_eq!(report.end, End::Finished);
    assert!(report.certificate.worst <= 1e-10, "{:?}", report.certificate);
    (report, log)
}

fn steps(
    block: &Generalised<ExpressionSystem>,
    start: &State,
    (integrator, dt, t_end): (Integrator, f64, f64),
) -> Report {
    let step = step::Settings { integrator, ..step::Settings::default() };
    let settings = Settings { step, dt, t_end, ..Settings::default() };
    let report = run(block, start, &settings, &mut (), &mut ()).unwrap();
    assert_eq!(report.end, End::Finished);
    assert!(report.certificate.worst <= 1e-10, "{:?}", report.certificate);
    report
}

#[test]
fn a_step_is_implicit_in_the_slip_speed() {
    // v⁺ = v − Δt g (0.5 − 0.2 v⁺).
    let (dt, v) = (0.05, 1.0);
    let system = block("0.5 - 0.2*slip", &[]);
    for integrator in Integrator::STEPPING {
        let found = steps(&system, &at(0.0, v), (integrator, dt, dt)).state.u[0];
        let wanted = (v - dt * G * 0.5) / (1.0 - dt * G * 0.2);
        assert!((found - wanted).abs() < 1e-12, "{integrator}: {found} {wanted}");
    }
}

#[test]
fn a_block_comes_to_rest_when_linear_friction_says() {
    // v̇ = −g (μ_0 − κ v): v = μ_0/κ + (v_0 − μ_0/κ) exp(κ g t).
    let (mu, slope, v) = (0.5, 0.2, 1.5);
    let system = block("0.5 - 0.2*slip", &[]);
    let speed = |t: f64| mu / slope + (v - mu / slope) * (slope * G * t).exp();
    let stops = (mu / slope / (mu / slope - v)).ln() / (slope * G);
    let (report, log) = events(&system, &at(0.0, v), 2.0 * stops);
    let sticks = log.times(EventKind::Sticks);
    assert!(sticks.len() == 1 && (sticks[0] - stops).abs() < 1e-12, "{sticks:?} {stops}");
    let path =
        mu / slope * stops + (v - mu / slope) * ((slope * G * stops).exp() - 1.0) / (slope * G);
    assert!((report.state.q[0] - path).abs() < 1e-12, "{:?} {path}", report.state);
    for integrator in Integrator::STEPPING {
        let error = |dt: f64| {
            let t = 0.5 * stops;
            let n = (t / dt).round();
            steps(&system, &at(0.0, v), (integrator, t / n, t)).state.u[0] - speed(t)
        };
        let (coarse, fine) = (error(2e-3), error(1e-3));
        let ratio = coarse / fine;
        assert!(
            (ratio - 2.0).abs() < 0.05 && fine.abs() < 2e-3,
            "{integrator}: {coarse:e} {fine:e}"
        );
    }
}

#[test]
fn a_block_slows_down_as_friction_of_exponential_law_says() {
    // v̇ = −g μ_0 exp(−v/v_s): exp(v/v_s) falls by g μ_0 t/v_s.
    let (mu, scale, v) = (0.4, 0.7, 2.0_f64);
    let system = block("0.4*exp(-slip/0.7)", &[]);
    let stops = ((v / scale).exp() - 1.0) * scale / (G * mu);
    let t = 0.6 * stops;
    let wanted = scale * ((v / scale).exp() - G * mu * t / scale).ln();
    let found = events(&system, &at(0.0, v), t).0.state.u[0];
    assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
    let (_, log) = events(&system, &at(0.0, v), 1.1 * stops);
    assert!((log.times(EventKind::Sticks)[0] - stops).abs() < 1e-11);
}

/// Stribeck's law on a belt.
const BELT: &str = "0.2 + 0.2*exp(-slip/0.1)";

#[test]
fn sliding_on_a_belt_loses_its_stability_where_friction_outweighs_the_damper() {
    // m δ̈ + (c + m g μ′(v_B)) δ̇ + k δ = 0 about x = μ(v_B) m g / k.
    let (k, belt) = (100.0, 0.1_f64);
    let slope = -0.2 / 0.1 * (-belt / 0.1).exp();
    let critical = -G * slope;
    for share in [0.97, 0.99, 1.01, 1.03] {
        let c = share * critical;
        let system = block(BELT, &[("k", k), ("c", c), ("belt", belt)]);
        let rest = (0.2 + 0.2 * (-belt / 0.1).exp()) * G / k;
        let (damping, off) = (0.5 * (c - critical), 1e-6);
        let w = (k - damping * damping).sqrt();
        let periods = 10.0 * 2.0 * std::f64::consts::PI / w;
        let (report, _) = events(&system, &at(rest + off, 0.0), periods);
        let wanted = off * (-damping * periods).exp();
        let found = report.state.q[0] - rest;
        assert!((found / wanted - 1.0).abs() < 1e-3, "{share}: {found:e} {wanted:e}");
        assert_eq!(found > off, share < 1.0, "{share}");
    }
}

/// How long a block on a belt slips, and where it sticks again, by the classical Runge-Kutta method; friction goes on smoothly beyond
/// the end of the slip.
fn slip_phase(k: f64, belt: f64, h: f64) -> (f64, f64) {
    let rate = |[x, v]: [f64; 2]| [v, (0.2 + 0.2 * (-(belt - v) / 0.1).exp()) * G - k * x];
    let step = |y: [f64; 2], h: f64| {
        let add = |a: [f64; 2], h: f64| [y[0] + h * a[0], y[1] + h * a[1]];
        let (k1, k2) = (rate(y), rate(add(rate(y), 0.5 * h)));
        let k3 = rate(add(k2, 0.5 * h));
        let k4 = rate(add(k3, h));
        let mean = |i: usize| (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]) / 6.0;
        [y[0] + h * mean(0), y[1] + h * mean(1)]
    };
    let (mut y, mut t) = ([0.4 * G / k, belt], 0.0);
    loop {
        let next = step(y, h);
        if t > 0.01 && next[1] >= belt {
            let (mut low, mut high) = (0.0, h);
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                if step(y, middle)[1] >= belt { high = middle } else { low = middle }
            }
            return (t + low, step(y, low)[0]);
        }
        (y, t) = (next, t + h);
    }
}

#[test]
fn a_block_on_a_belt_sticks_and_slips_as_long_as_quadrature_says() {
    let (k, belt) = (100.0, 0.1);
    let (slip, back) = slip_phase(k, belt, 1e-5);
    let stick = (0.4 * G / k - back) / belt;
    let system = block(BELT, &[("k", k), ("belt", belt)]);
    let (_, log) = events(&system, &at(0.0, belt), 3.0);
    let begins = log.times(EventKind::Slides(stickslip::contact::Slip::Negative));
    let ends = log.times(EventKind::Sticks);
    assert!(begins.len() >= 3, "{begins:?} {ends:?}");
    assert!((begins[0] - 0.4 * G / k / belt).abs() < 1e-12);
    for i in 0..2 {
        assert!((ends[i] - begins[i] - slip).abs() < 1e-9, "{begins:?} {ends:?} {slip}");
        assert!((begins[i + 1] - ends[i] - stick).abs() < 1e-9, "{begins:?} {ends:?} {stick}");
    }
}

#[test]
fn time_stepping_converges_to_the_motion_between_events() {
    let system = block(BELT, &[("k", 100.0), ("belt", 0.1)]);
    let (start, t_end) = (at(0.0, 0.1), 2.0);
    let exact = events(&system, &start, t_end).0.state;
    for integrator in [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }] {
        let error = |dt: f64| {
            let found = steps(&system, &start, (integrator, dt, t_end)).state;
            (found.q[0] - exact.q[0]).abs().max(0.1 * (found.u[0] - exact.u[0]).abs())
        };
        let errors = [error(1e-3), error(1e-4)];
        assert!(errors[1] < 0.2 * errors[0] && errors[1] < 1e-4, "{integrator}: {errors:?}");
    }
}

#[test]
fn friction_of_place_and_time_is_that_of_the_midpoint() {
    // μ = 0.1 + 0.2 t: v = v_0 − g (0.1 t + 0.1 t²), exact by the midpoint rule.
    let found =
        steps(&block("0.1 + 0.2*t", &[]), &at(0.0, 2.0), (Integrator::MoreauMidpoint, 0.01, 0.5));
    let wanted = 2.0 - G * (0.1 * 0.5 + 0.1 * 0.25);
    assert!((found.state.u[0] - wanted).abs() < 1e-12, "{:?} {wanted}", found.state);
    // μ = 0.3 x: a spring of stiffness 0.3 m g, as long as the block slides.
    let w = (0.3 * G).sqrt();
    let system = block("0.3*x", &[]);
    let error = |dt: f64| {
        let found = steps(&system, &at(0.0, 1.0), (Integrator::MoreauMidpoint, dt, 0.8)).state;
        (found.q[0] - (w * 0.8).sin() / w).abs()
    };
    let ratio = error(2e-3) / error(1e-3);
    assert!((ratio - 4.0).abs() < 0.2, "second order: {ratio}");
}

#[test]
fn friction_of_place_and_slip_together_is_solved_for_the_slip() {
    // The first half of the floor is dry: μ = 0.5 − 0.2 s for x < 0.3, μ = 0 beyond.
    let system = block("if(x < 0.3, 0.5 - 0.2*slip, 0)", &[]);
    let start = at(0.0, 2.0);
    let mut stepper = Stepper::new(&system, step::Settings::default()).unwrap();
    let (mut state, dt) = (start, 1e-2);
    for _ in 0..40 {
        let (x, v) = (state.q[0] + 0.5 * dt * state.u[0], state.u[0]);
        let wanted = if x < 0.3 { (v - dt * G * 0.5) / (1.0 - dt * G * 0.2) } else { v };
        stepper.step(&system, &mut state, dt, &mut ()).unwrap().done().unwrap();
        assert!((state.u[0] - wanted).abs() < 1e-12, "{state:?} {wanted}");
    }
    assert!(state.q[0] > 0.3);
    let info = allocation_counter::measure(|| {
        for _ in 0..20 {
            let _ = stepper.step(&system, &mut state, dt, &mut ()).unwrap();
        }
    });
    assert_eq!(info.count_total, 0, "further steps allocate nothing");
}

#[test]
fn what_does_not_go_together_is_refused_by_name() {
    let place = block("0.1 + 0.2*t", &[]);
    let refused =
        run_event_driven(&place, &at(0.0, 1.0), &EventSettings::default(), &mut ()).unwrap_err();
    assert!(refused.to_string().contains("depends on the configuration or on time"), "{refused}");
    let slip = block(BELT, &[]);
    let poisson = step::Settings { impact: ImpactLaw::Poisson, ..step::Settings::default() };
    let settings = Settings { step: poisson, ..Settings::default() };
    let refused = run(&slip, &at(0.0, 1.0), &settings, &mut (), &mut ()).unwrap_err();
    assert!(refused.to_string().contains("slip speed"), "{refused}");
    let negative = block("0.1 - t", &[]);
    let mut stepper = Stepper::new(&negative, step::Settings::default()).unwrap();
    let mut state = State { t: 1.0, ..at(0.0, 1.0) };
    let refused = stepper.step(&negative, &mut state, 0.01, &mut ()).unwrap_err();
    assert!(refused.to_string().contains("mu of contact 0"), "{refused}");
}

#[test]
fn names_in_mu_are_the_slip_speed_the_configuration_and_time() {
    let error = |mu: &str, parameters: &[(&str, f64)]| {
        ExpressionSystem::new(&definition(mu, parameters)).unwrap_err().to_string()
    };
    for (mu, message) in [
        (
            "0.3*v",
            "`v` is a velocity; only coordinates, parameters, time `t` and the slip speed `slip`",
        ),
        ("0.3*rate(x)", "`rate` depends on velocities"),
        ("0.3*slop", "did you mean `slip`?"),
        ("0.3 - slip - 1", "mu is -0.7 at slip = 0"),
        ("-1", "it must be at least 0"),
    ] {
        let found = error(mu, &[]);
        assert!(found.contains(message), "{mu}: {found}");
    }
    let taken = error("0.3*slip", &[("slip", 2.0)]);
    assert!(taken.contains("in `mu` the name `slip` is the slip speed"), "{taken}");
    // Elsewhere it is a name like any other.
    assert!(ExpressionSystem::new(&definition("0.3", &[("slip", 2.0)])).is_ok());
    let number = ExpressionSystem::new(&definition("0.1 + 0.2", &[])).unwrap();
    let law = &number.info().contacts[0].law;
    assert!((law.mu - 0.3).abs() < 1e-15 && *law == Law::coulomb(law.mu));
}

/// A coefficient that falls below zero at a slip speed that is reached would make friction a drive: no answer obeys it.
#[test]
fn friction_that_becomes_negative_with_slip_is_refused_where_it_does() {
    let model = block("0.5 - 0.5*slip", &[("belt", 0.0)]);
    let start = State { q: vec![0.0, 0.0], u: vec![3.0, 0.0], t: 0.0 };
    for integrator in Integrator::STEPPING {
        let step = step::Settings { integrator, ..step::Settings::default() };
        let mut stepper = Stepper::new(&model, step).unwrap();
        let error = stepper.step(&model, &mut start.clone(), 1e-3, &mut ()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("mu of contact 0 at the slip speed 3.0"), "{integrator}: {text}");
        assert!(text.contains("max(0, ...)"), "{text}");
    }
    let settings = EventSettings { t_end: 0.1, ..EventSettings::default() };
    let error = run_event_driven(&model, &start, &settings, &mut Events::default());
    let text = match error {
        Ok(report) => format!("{:?}", report.end),
        Err(error) => error.to_string(),
    };
    assert!(text.contains("mu of contact 0"), "{text}");
}

/// Where a motion comes to rest on its section, rounding takes it over the section again and again: that is no return.
#[test]
fn a_motion_that_rests_on_its_section_does_not_cross_it_by_rounding() {
    // An oscillator with frequency (1 − 1/16)^½ that decays by exp(−t/4): 19 maxima until 256 ε of the first speed are left.
    let model = block("0", &[("k", 1.0), ("c", 0.5)]);
    let settings = EventSettings { t_end: 600.0, ..EventSettings::default() };
    let mut motion = EventDriven::new(&model, &at(1.0, 0.0), &settings).unwrap();
    let mut crossings = 0;
    loop {
        let mut section = |_: &[f64], u: &[f64], _: f64| -u[0];
        match motion.advance(600.0, Some(&mut section), &mut Events::default()).unwrap() {
            Reached::Section => crossings += 1,
            reached => break assert_eq!(reached, Reached::Time),
        }
        assert!(crossings < 30, "{:?}", motion.state());
    }
    assert!((15..=20).contains(&crossings), "{crossings}");
}
