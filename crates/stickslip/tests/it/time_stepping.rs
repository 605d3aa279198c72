//! The time-stepping methods against closed forms.

use complementarity::Matrix;
use stickslip::Error;
use stickslip::contact::solve;
use stickslip::contact::{Law, Mode, Slip};
use stickslip::impact::ImpactLaw;
use stickslip::model::Generalised;
use stickslip::models::{Linear, LinearContact, Woodpecker};
use stickslip::run::{End, Event, EventKind, Flow, Observer, Report, Sample, Settings, run};
use stickslip::step::{self, Integrator};
use stickslip::system::{State, System};

const G: f64 = 9.81;
const JEAN: Integrator = Integrator::MoreauJean { theta: 0.5 };

/// A block of 2 kg on a plane tilted by `angle`; x along it, y away from it.
fn block(mu: f64, angle: f64) -> Linear {
    let floor = LinearContact::new(vec![0.0, 1.0], vec![1.0, 0.0], Law::coulomb(mu));
    let weight = [2.0 * G * angle.sin(), -2.0 * G * angle.cos()];
    Linear::diagonal(&[2.0, 2.0], &weight, vec![floor]).unwrap()
}

/// A ball above a floor.
fn ball(eps: f64) -> Linear {
    let law = Law::coulomb(0.0).with_restitution(eps, 0.0);
    let floor = LinearContact::new(vec![1.0], vec![0.0], law);
    Linear::diagonal(&[1.0], &[-G], vec![floor]).unwrap()
}

fn settings(integrator: Integrator, theta: f64, dt: f64, t_end: f64) -> Settings {
    let integrator = integrator.with_theta(theta);
    let step = step::Settings { integrator, ..step::Settings::default() };
    Settings { step, dt, t_end, ..Settings::default() }
}

fn march<S: System, O: Observer>(
    system: S,
    start: &State,
    settings: &Settings,
    observer: &mut O,
) -> Result<Report, Error> {
    run(&Generalised::new(system)?, start, settings, observer, &mut ())
}

fn go(system: &Linear, q: &[f64], u: &[f64], settings: &Settings) -> Report {
    let start = State::new(q.to_vec(), u.to_vec());
    let report = march(system, &start, settings, &mut ()).unwrap();
    assert_eq!(report.end, End::Finished);
    assert!(report.certificate.worst <= 1e-10, "{:?}", report.certificate);
    report
}

#[test]
fn a_block_slides_its_discrete_distance() {
    // v is a whole number of steps' friction, so that the block stops at the end of a step.
    let (mu, dt) = (0.25, 1e-3);
    let v = 400.0 * mu * G * dt;
    let exact = v * v / (2.0 * mu * G);
    for (integrator, theta, lost) in
        [(Integrator::MoreauMidpoint, 0.5, 0.0), (JEAN, 0.5, 0.0), (JEAN, 1.0, 0.5 * v * dt)]
    {
        let s = settings(integrator, theta, dt, 0.5);
        let r = go(&block(mu, 0.0), &[0.0, 0.0], &[v, 0.0], &s);
        assert!((r.state.q[0] - (exact - lost)).abs() < 1e-13, "{integrator} {:?}", r.state);
        // The last of 400 sums leaves rounding, which the next step removes.
        assert!(r.state.u[0].abs() < 1e-16 && r.drift.depth == 0.0, "{:?}", r.state);
    }
}

#[test]
fn a_block_on_an_incline_does_not_creep() {
    for integrator in [Integrator::MoreauMidpoint, JEAN] {
        let s = settings(integrator, 0.5, 1e-3, 100.0);
        let r = go(&block(0.5, 0.46), &[0.0, 0.0], &[0.0, 0.0], &s);
        assert!(r.state.q[0].abs() < 1e-13, "{:?}", r.state);
    }
    let (mu, angle, t) = (0.5_f64, 0.6_f64, 2.0_f64);
    let s = settings(Integrator::MoreauMidpoint, 0.5, 1e-3, t);
    let r = go(&block(mu, angle), &[0.0, 0.0], &[0.0, 0.0], &s);
    let wanted = 0.5 * G * (angle.sin() - mu * angle.cos()) * t * t;
    assert!((r.state.q[0] - wanted).abs() < 1e-12 * wanted, "{} {wanted}", r.state.q[0]);
}

#[test]
fn a_block_on_a_belt_is_carried_along() {
    let mut floor = LinearContact::new(vec![0.0, 1.0], vec![1.0, 0.0], Law::coulomb(0.5));
    floor.belt = -0.3;
    let s = Linear::diagonal(&[1.0, 1.0], &[0.0, -G], vec![floor]).unwrap();
    let r = go(&s, &[0.0, 0.0], &[0.0, 0.0], &settings(Integrator::MoreauMidpoint, 0.5, 1e-4, 1.0));
    assert!((r.state.u[0] - 0.3).abs() < 1e-14);
    // It slipped for v/(μ g) and then kept up: the lag is v²/(2 μ g).
    let wanted = 0.3 - 0.3 * 0.3 / (2.0 * 0.5 * G);
    assert!((r.state.q[0] - wanted).abs() < 1e-7, "{} {wanted}", r.state.q[0]);
}

#[test]
fn a_rising_floor_carries_a_ball() {
    let mut floor = LinearContact::new(vec![1.0], vec![0.0], Law::coulomb(0.0));
    floor.rate = -0.2;
    let s = Linear::diagonal(&[1.0], &[-G], vec![floor]).unwrap();
    let r = go(&s, &[0.0], &[0.2], &settings(JEAN, 0.5, 1e-3, 1.0));
    // Rounding of the gap must not open the contact, which would let the ball fall for a step.
    assert!((r.state.q[0] - 0.2).abs() < 1e-13, "{:?}", r.state);
    assert!((r.state.u[0] - 0.2).abs() < 1e-14, "{:?}", r.state);
}

/// An oscillator without contact: position at t = 1 against cos.
fn oscillator_error(integrator: Integrator, theta: f64, dt: f64) -> f64 {
    let spring = Linear::diagonal(&[1.0], &[0.0], vec![]).unwrap();
    let k = Matrix::from_rows(&[[4.0]]).unwrap();
    let s = spring.with_springs(k, Matrix::zeros(1, 1)).unwrap();
    let r = go(&s, &[1.0], &[0.0], &settings(integrator, theta, dt, 1.0));
    (r.state.q[0] - 2.0_f64.cos()).abs()
}

#[test]
fn smooth_motion_converges_with_the_order_of_the_method() {
    for (integrator, theta, order) in
        [(Integrator::MoreauMidpoint, 0.5, 2.0), (JEAN, 0.5, 2.0), (JEAN, 1.0, 1.0)]
    {
        let (a, b) =
            (oscillator_error(integrator, theta, 2e-3), oscillator_error(integrator, theta, 1e-3));
        let observed = (a / b).log2();
        assert!((observed - order).abs() < 0.05, "{integrator} {theta}: {observed}");
    }
}

#[test]
fn the_theta_method_is_stable_on_a_stiff_spring() {
    let k = Matrix::from_rows(&[[1e10]]).unwrap();
    let spring = Linear::diagonal(&[1.0], &[0.0], vec![]).unwrap();
    let s = spring.with_springs(k, Matrix::zeros(1, 1)).unwrap();
    let r = go(&s, &[1.0], &[0.0], &settings(JEAN, 1.0, 1e-2, 1.0));
    assert!(r.state.q[0].abs() < 1e-6);
    let r = go(&s, &[1.0], &[0.0], &settings(JEAN, 0.5, 1e-2, 1.0));
    assert!((r.energy_end.total() / r.energy_start.total() - 1.0).abs() < 1e-9);
}

#[test]
fn energy_is_lost_only_by_the_work_of_contacts() {
    for integrator in [Integrator::MoreauMidpoint, JEAN] {
        let s = settings(integrator, 0.5, 1e-4, 1.5);
        let r = go(&block(0.3, 0.2), &[0.0, 0.5], &[2.0, 0.0], &s);
        let change = r.energy_end.total() - r.energy_start.total();
        assert!(r.contact_work < -1.0 && (change - r.contact_work).abs() < 1e-10);
        assert_eq!(r.energy_created.0, 0);
    }
}

#[derive(Default)]
struct Log {
    events: Vec<Event>,
    last: Option<Mode>,
    samples: usize,
    stop_after: Option<usize>,
}

impl Observer for Log {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.samples += 1;
        self.last = sample.modes.first().copied();
        if self.stop_after == Some(self.samples) { Flow::Stop } else { Flow::Continue }
    }

    fn event(&mut self, event: &Event) {
        self.events.push(*event);
    }
}

#[test]
fn events_tell_the_story_of_a_thrown_block() {
    let mut log = Log::default();
    let s = settings(Integrator::MoreauMidpoint, 0.5, 1e-4, 2.0);
    let start = State::new(vec![0.0, 0.3], vec![1.0, 0.0]);
    let report = march(block(0.2, 0.0), &start, &s, &mut log).unwrap();
    let story: Vec<_> = log.events.iter().map(|e| e.kind).collect();
    assert_eq!(story, [EventKind::Impact, EventKind::Closes, EventKind::Sticks]);
    let fall = (2.0 * 0.3 / G).sqrt();
    assert!((log.events[0].t - fall).abs() < 2e-4);
    // The impact takes μ times the normal impulse from the slip.
    let slip = 1.0 - 0.2 * G * fall;
    assert!((log.events[2].t - (fall + slip / (0.2 * G))).abs() < 5e-4);
    assert_eq!((report.impacts, report.events, log.last), (1, 3, Some(Mode::Stick)));
    assert!((log.events[0].impulse[1] + 0.2 * log.events[0].impulse[0]).abs() < 1e-14);
    assert!(log.events.iter().all(|e| e.kind != EventKind::Slides(Slip::Negative)));
}

#[test]
fn an_observer_can_stop_a_run_which_is_then_complete() {
    let mut log = Log { stop_after: Some(11), ..Log::default() };
    let s = settings(Integrator::MoreauMidpoint, 0.5, 1e-3, 1.0);
    let start = State::new(vec![1.0], vec![0.0]);
    let report = march(ball(0.5), &start, &s, &mut log).unwrap();
    assert_eq!((report.end, report.steps), (End::Stopped, 10));
    assert!((report.state.t - 0.01).abs() < 1e-15);
}

#[test]
fn the_last_step_ends_at_the_end_time() {
    let s = Settings { sample_dt: 0.3, ..settings(Integrator::MoreauMidpoint, 0.5, 0.3, 1.0) };
    let r = go(&ball(0.5), &[10.0], &[0.0], &s);
    assert_eq!((r.steps, r.state.t), (4, 1.0));
    assert!((r.state.u[0] + G).abs() < 1e-14);
}

#[test]
fn both_impact_laws_bounce_a_ball_alike() {
    let mut ends = Vec::new();
    for impact in ImpactLaw::ALL {
        let mut s = settings(Integrator::MoreauMidpoint, 0.5, 1e-4, 0.8);
        s.step.impact = impact;
        ends.push(go(&ball(0.7), &[1.0], &[0.0], &s).state);
    }
    assert!((ends[0].q[0] - ends[1].q[0]).abs() < 1e-3 && ends[0].q[0] > 0.05, "{ends:?}");
    // A ball at rest stays at rest under both.
    for impact in ImpactLaw::ALL {
        let mut s = settings(JEAN, 0.5, 1e-3, 1.0);
        s.step.impact = impact;
        let r = go(&ball(0.7), &[0.0], &[0.0], &s);
        assert!(r.state.q[0].abs() < 1e-15 && r.impacts == 0, "{:?}", r.state);
    }
}

#[test]
fn drift_is_reported_and_can_be_corrected() {
    let mut s = settings(Integrator::MoreauMidpoint, 0.5, 1e-3, 1.0);
    let plain = go(&ball(0.0), &[0.5], &[0.0], &s);
    assert!(plain.drift.depth > 1e-5 && plain.drift.contact == Some(0), "{:?}", plain.drift);
    assert!(plain.state.q[0] < -1e-5);
    s.step.correction = true;
    let corrected = go(&ball(0.0), &[0.5], &[0.0], &s);
    assert!(corrected.state.q[0].abs() < 1e-15, "{:?}", corrected.state);
}

#[test]
fn formulations_take_the_woodpecker_the_same_way() {
    use solve::Formulation::{Cone, GlockerStuder, PhantomInertia, StewartTrinkle};
    let mut ends = Vec::new();
    for formulation in [GlockerStuder, StewartTrinkle, PhantomInertia, Cone] {
        let solve = solve::Settings { formulation, cases: false, ..solve::Settings::default() };
        let step = step::Settings { solve: Some(solve), ..step::Settings::default() };
        let s = Settings { step, t_end: 0.15, dt: 2e-5, ..Settings::default() };
        let bird = Woodpecker::default().system();
        let report = march(&bird, &Woodpecker::start(), &s, &mut ()).unwrap();
        assert!(report.certificate.worst < 1e-12);
        ends.push(report.state);
    }
    for end in &ends[1..] {
        for (a, b) in ends[0].q.iter().chain(&ends[0].u).zip(end.q.iter().chain(&end.u)) {
            assert!((a - b).abs() < 1e-9, "{ends:?}");
        }
    }
}

#[test]
fn anitescu_and_potra_take_impacts_in_two_phases() {
    let settings = |impact| {
        let formulation = solve::Formulation::AnitescuPotra;
        let solve = solve::Settings { formulation, ..solve::Settings::default() };
        let step = step::Settings { solve: Some(solve), impact, ..step::Settings::default() };
        Settings { step, t_end: 0.15, dt: 2e-5, ..Settings::default() }
    };
    let start = State::new(vec![1.0], vec![0.0]);
    let refused = march(ball(0.5), &start, &settings(ImpactLaw::Newton), &mut ());
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("anitescu_potra cannot be used with impact law newton"), "{refused}");
    let s = Settings { t_end: 0.5, ..settings(ImpactLaw::Poisson) };
    let report = go(&ball(0.5), &[0.5], &[0.0], &s);
    // One bounce with ε = ½ from height ½.
    let (fall, up) = ((1.0 / G).sqrt(), 0.5 * G.sqrt());
    let t = 0.5 - fall;
    let height = up * t - 0.5 * G * t * t;
    assert!((report.state.q[0] - height).abs() < 1e-3, "{:?} {height}", report.state);
    assert!(report.impacts == 1 && report.certificate.worst < 1e-10);
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let start = State::new(vec![1.0], vec![0.0]);
    let attempt = |start: &State, change: &dyn Fn(&mut Settings)| {
        let mut s = Settings::default();
        change(&mut s);
        march(ball(0.5), start, &s, &mut ()).unwrap_err().to_string()
    };
    let with = |change: &dyn Fn(&mut Settings)| attempt(&start, change);
    assert_eq!(with(&|s| s.dt = 0.0), "dt is 0; it must be a finite number > 0");
    assert!(with(&|s| s.dt = f64::NAN).starts_with("dt is NaN"));
    assert!(with(&|s| s.t_end = -1.0).starts_with("t_end is -1"));
    assert!(with(&|s| s.t_end = 1e300).contains("at most 1e10 steps"));
    assert!(with(&|s| s.step.integrator = JEAN.with_theta(0.3)).starts_with("theta is 0.3"));
    assert!(
        with(&|s| s.step.solve.get_or_insert_default().tolerance = 0.0)
            .starts_with("tolerance is 0")
    );
    let short = attempt(&State::new(vec![], vec![0.0]), &|_| ());
    assert_eq!(short, "the coordinates q has 0 entries where 1 are needed");
    let lost = attempt(&State::new(vec![f64::INFINITY], vec![0.0]), &|_| ());
    assert!(lost.starts_with("the state is not finite"));

    let massless = Linear::diagonal(&[0.0], &[-G], vec![]).unwrap();
    let refused = march(&massless, &start, &Settings::default(), &mut ());
    assert!(matches!(refused, Err(Error::Mass { coordinate, .. }) if coordinate == "q1"));
    let heavy = Linear::diagonal(&[1.0], &[f64::NAN], vec![]).unwrap();
    let refused = march(&heavy, &start, &Settings::default(), &mut ());
    assert!(matches!(refused, Err(Error::NotFinite { what: "a force", .. })));
    let wrong = ball(1.5);
    assert!(wrong.info().validate().is_err());
    assert!(march(&wrong, &start, &Settings::default(), &mut ()).is_err());
}

#[test]
fn a_model_that_breaks_down_on_the_way_leaves_a_complete_report() {
    let spring = Linear::diagonal(&[1.0], &[0.0], vec![]).unwrap();
    let k = Matrix::from_rows(&[[-1e300]]).unwrap();
    let runaway = spring.with_springs(k, Matrix::zeros(1, 1)).unwrap();
    let start = State::new(vec![1e-300], vec![0.0]);
    let s = settings(Integrator::MoreauMidpoint, 0.5, 1e-3, 1.0);
    let report = march(&runaway, &start, &s, &mut ()).unwrap();
    match report.end {
        End::Failed(why) => assert!(why.contains("not finite"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(report.steps > 0 && report.state.q[0].is_finite());
    // The θ-method's own matrix is to blame, not the mass.
    let s = settings(JEAN, 0.5, 1e-3, 1.0);
    let refused = march(&runaway, &start, &s, &mut ());
    assert!(matches!(refused, Err(Error::ImplicitStep { .. })), "{refused:?}");
}
