//! Motions that are known in closed form.

use super::systems::{Log, Parts, point};
use stickslip::contact::Slip;
use stickslip::contact::{Law, Mode};
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Generalised;
use stickslip::run::{End, EventKind, Report};
use stickslip::{State, System};

const G: f64 = 9.81;

fn run<S: System>(system: &S, start: State, t_end: f64) -> (Report, Log) {
    run_with(system, start, Settings { t_end, ..Settings::default() })
}

fn run_with<S: System>(system: &S, start: State, settings: Settings) -> (Report, Log) {
    let mut log = Log::default();
    let report =
        run_event_driven(&Generalised::new(system).unwrap(), &start, &settings, &mut log).unwrap();
    assert_eq!(report.end, End::Finished);
    assert!(report.certificate.worst <= 1e-10, "{:?}", report.certificate);
    (report, log)
}

fn ball(eps: f64) -> Parts {
    point(0.7, G, Law::coulomb(0.0).with_restitution(eps, 0.0), |_, _, _| 0.0, |_| 0.0)
}

#[test]
fn a_bouncing_ball_comes_to_rest_at_its_zeno_time() {
    for (eps, h) in [(0.5, 1.0), (0.8, 0.3), (0.95, 2.0), (0.1, 1e-3)] {
        let zeno = (2.0 * h / G).sqrt() * (1.0 + eps) / (1.0 - eps);
        let start = State::new(vec![0.0, h], vec![0.25, 0.0]);
        let (report, log) = run(&ball(eps), start, 1.5 * zeno);
        let ends = log.times(0, EventKind::Accumulation);
        assert_eq!(ends.len(), 1);
        assert!((ends[0] / zeno - 1.0).abs() < 1e-11, "{eps} {} {zeno}", ends[0]);
        // At rest the weight and the force that carries it differ by their rounding.
        let speed = 1e-15 * G * report.state.t;
        assert!(report.state.u[1].abs() < speed, "{:?}", report.state);
        assert!(report.state.q[1].abs() < speed * report.state.t);
        assert!((report.state.q[0] - 0.25 * 1.5 * zeno).abs() < 1e-13);
        // All of the energy of the fall is lost in impacts.
        assert!((report.contact_work / (-0.7 * G * h) - 1.0).abs() < 1e-12);
        let times = log.times(0, EventKind::Impact);
        assert!((times[0] - (2.0 * h / G).sqrt()).abs() < 1e-15 * 4.0);
    }
}

#[test]
fn what_came_to_rest_goes_on_from_there() {
    // All that bounces that pile up leave of the height, far below what the time can tell.
    let rest = State { t: 2.0, ..State::new(vec![0.25, -7e-43], vec![0.0, 0.0]) };
    let (report, _) = run(&ball(0.5), rest, 2.5);
    assert!(report.state.q[1].abs() < 1e-15 * G, "{:?}", report.state);
    // What is deeper than rounding of the time is another start.
    let deep = State { t: 2.0, ..State::new(vec![0.25, -1e-9], vec![0.0, 0.0]) };
    let ball = ball(0.5);
    let model = Generalised::new(&ball).unwrap();
    let settings = Settings { t_end: 2.5, ..Settings::default() };
    assert!(run_event_driven(&model, &deep, &settings, &mut Log::default()).is_err());
}

#[test]
fn a_ball_without_loss_bounces_on() {
    let start = State::new(vec![0.0, 1.0], vec![0.0, 0.0]);
    let (report, log) = run(&ball(1.0), start, 100.0);
    let period = 2.0 * (2.0 / G).sqrt();
    let times = log.times(0, EventKind::Impact);
    assert_eq!(times.len(), ((100.0 / period) + 0.5).floor() as usize);
    assert!((times[times.len() - 1] - period * (times.len() as f64 - 0.5)).abs() < 1e-11);
    assert!((report.energy_end.total() / report.energy_start.total() - 1.0).abs() < 1e-12);
}

#[test]
fn a_block_slides_to_rest_at_the_time_v_over_mu_g() {
    let (mu, v) = (0.3, 2.0);
    let block = point(1.7, G, Law::coulomb(mu), |_, _, _| 0.0, |_| 0.0);
    let (report, log) = run(&block, State::new(vec![0.0, 0.0], vec![v, 0.0]), 2.0);
    let sticks = log.times(0, EventKind::Sticks);
    assert_eq!(sticks.len(), 1);
    assert!((sticks[0] - v / (mu * G)).abs() < 1e-15);
    assert!((report.state.q[0] - v * v / (2.0 * mu * G)).abs() < 1e-15);
    assert_eq!(report.state.u, [0.0, 0.0]);
    assert!((report.contact_work + 0.5 * 1.7 * v * v).abs() < 1e-14);
    assert!((log.impulses[0] - 1.7 * G * 2.0).abs() < 1e-12);
    assert!((log.impulses[1] + 1.7 * v).abs() < 1e-13);
}

#[test]
fn the_turning_points_of_a_spring_block_drop_by_2_mu_m_g_over_k() {
    let (m, k, mu) = (0.5, 80.0, 0.2);
    let drop = 2.0 * mu * m * G / k;
    let x0 = 7.3 * drop;
    let block = point(m, G, Law::coulomb(mu), move |x, _, _| -k * x, move |x| 0.5 * k * x * x);
    let settings = Settings { t_end: 5.0, sample_every: 0.05, ..Settings::default() };
    let (report, log) = run_with(&block, State::new(vec![x0, 0.0], vec![0.0, 0.0]), settings);
    let half = std::f64::consts::PI * (m / k).sqrt();
    // Turning points x0 − n drop, until a spring force within the friction holds the block.
    let swings = (0..).find(|&n| (x0 - n as f64 * drop).abs() <= 0.5 * drop).unwrap();
    assert_eq!(swings, 7);
    let sign = if swings % 2 == 0 { 1.0 } else { -1.0 };
    assert!((report.state.q[0] - sign * (x0 - swings as f64 * drop)).abs() < 1e-13);
    let rest = log.times(0, EventKind::Sticks);
    assert_eq!(rest.len(), 1);
    assert!((rest[0] - swings as f64 * half).abs() < 1e-13);
    let turns = log.events.iter().filter(|e| matches!(e.kind, EventKind::Slides(_)));
    for (n, e) in (1..).zip(turns) {
        assert!((e.t - n as f64 * half).abs() < 1e-13, "{n} {}", e.t);
    }
    // Samples between the events lie on the arcs of cosines.
    for (t, q, _, _) in log.samples.iter().filter(|s| s.0 < rest[0]) {
        let n = (t / half).floor();
        let (amplitude, side) = (x0 - (n + 0.5) * drop, if n % 2.0 == 0.0 { 1.0 } else { -1.0 });
        let phase = (k / m).sqrt() * (t - n * half);
        let exact = side * (amplitude * phase.cos() + 0.5 * drop);
        assert!((q[0] - exact).abs() < 1e-13, "{t} {} {exact}", q[0]);
    }
    let lost = report.energy_start.total() - report.energy_end.total();
    assert!((lost + report.contact_work).abs() < 1e-14 * report.energy_start.total());
}

#[test]
fn constant_friction_needs_no_load() {
    // Two coordinates; the contact presses with nothing, its friction is a force of 0.6.
    let (m, a, v) = (2.0, 0.6, 1.5);
    let block = point(m, 0.0, Law::constant(a), |_, _, _| 0.0, |_| 0.0);
    let (report, log) = run(&block, State::new(vec![0.0, 0.0], vec![v, 0.0]), 10.0);
    assert!((log.times(0, EventKind::Sticks)[0] - m * v / a).abs() < 1e-14);
    assert!((report.state.q[0] - 0.5 * m * v * v / a).abs() < 1e-13);
}

/// A block on a belt of speed `belt`, held by a spring.
fn belt_block(m: f64, k: f64, mu: f64, belt: f64) -> Parts {
    Parts::new(
        &[m, m],
        move |q, _, _| vec![-k * q[0], -m * G],
        move |q, _| 0.5 * k * q[0] * q[0] + m * G * q[1],
    )
    .contact(
        Law::coulomb(mu),
        |q, _| q[1],
        move |_, _, _| (vec![0.0, 1.0], vec![1.0, 0.0], [0.0, -belt], [0.0; 2]),
    )
}

#[test]
fn a_block_on_a_moving_belt_sticks_and_slips() {
    let (m, k, mu, belt) = (1.0, 100.0, 0.4, 0.3);
    let block = belt_block(m, k, mu, belt);
    let (report, log) = run(&block, State::new(vec![0.0, 0.0], vec![belt, 0.0]), 3.0);
    // It rides along until the spring pulls with μ m g; then it swings about that point with ω, and meets the
    // belt's speed again after a whole turn: equal friction coefficients leave no stick phase but a point.
    let limit = mu * m * G / k;
    let first = log.times(0, EventKind::Slides(Slip::Negative))[0];
    assert!((first - limit / belt).abs() < 1e-14, "{first}");
    let omega = (k / m).sqrt();
    let t = report.state.t - first;
    let exact = limit + belt / omega * (omega * t).sin();
    assert!((report.state.q[0] - exact).abs() < 1e-12, "{} {exact}", report.state.q[0]);
    let change = report.energy_end.total() - report.energy_start.total();
    assert!((change - report.contact_work).abs() < 1e-13 * report.energy_end.total());
}

#[test]
fn a_block_on_a_belt_that_starts_slow_slips_then_rides() {
    let (m, k, mu, belt) = (1.0, 100.0, 0.4, 0.3);
    let block = belt_block(m, k, mu, belt);
    // Starts at rest at the spring's zero: friction drives it, it reaches the belt's speed and rides.
    let (report, log) = run(&block, State::new(vec![0.0, 0.0], vec![0.0, 0.0]), 0.12);
    let (omega, limit) = ((k / m).sqrt(), mu * m * G / k);
    let meets = (belt / (omega * limit)).asin() / omega;
    let sticks = log.times(0, EventKind::Sticks);
    assert!((sticks[0] - meets).abs() < 1e-14, "{sticks:?} {meets}");
    let x = limit * (1.0 - (omega * meets).cos());
    let exact = x + belt * (report.state.t - meets);
    assert!((report.state.q[0] - exact).abs() < 1e-14);
}

#[test]
fn a_ball_thrown_on_a_vibrating_table_lands_where_the_gap_closes() {
    // y = A sin ω t is the table; the ball starts on it and leaves where its acceleration is −g.
    let (a, omega, eps) = (0.01_f64, 60.0_f64, 0.4);
    let table = move |t: f64| a * (omega * t).sin();
    let ball = Parts::new(&[0.2], |_, _, _| vec![-0.2 * G], |q, _| 0.2 * G * q[0]).contact(
        Law::coulomb(0.0).with_restitution(eps, 0.0),
        move |q, t| q[0] - table(t),
        move |_, _, t| {
            let drive = -a * omega * (omega * t).cos();
            let convective = a * omega * omega * (omega * t).sin();
            (vec![1.0], vec![0.0], [drive, 0.0], [convective, 0.0])
        },
    );
    let (report, log) = run(&ball, State::new(vec![0.0], vec![a * omega]), 0.4);
    let leaves = (G / (a * omega * omega)).asin() / omega;
    let opens = log.times(0, EventKind::Opens)[0];
    assert!((opens - leaves).abs() < 1e-14, "{opens} {leaves}");
    let (y, v) = (table(leaves), a * omega * (omega * leaves).cos());
    let lands = log.times(0, EventKind::Impact)[0];
    let t = lands - leaves;
    assert!((y + v * t - 0.5 * G * t * t - table(lands)).abs() < 1e-16 * 10.0);
    let change = report.energy_end.total() - report.energy_start.total();
    assert!((change - report.contact_work).abs() < 1e-13 * report.energy_start.total());
}

#[test]
fn a_disc_slips_until_it_rolls() {
    // Coordinates x, y, φ of a disc of radius r: v = ⅔ v₀ after v₀/(3 μ g).
    let (m, r, mu, v0) = (0.8, 0.1, 0.25, 1.2);
    let disc = Parts::new(
        &[m, m, 0.5 * m * r * r],
        move |_, _, _| vec![0.0, -m * G, 0.0],
        move |q, _| m * G * q[1],
    )
    .contact(
        Law::coulomb(mu),
        move |q, _| q[1] - r,
        move |_, _, _| (vec![0.0, 1.0, 0.0], vec![1.0, 0.0, r], [0.0; 2], [0.0; 2]),
    );
    let (report, log) = run(&disc, State::new(vec![0.0, r, 0.0], vec![v0, 0.0, 0.0]), 1.0);
    assert!((log.times(0, EventKind::Sticks)[0] - v0 / (3.0 * mu * G)).abs() < 1e-15);
    assert!((report.state.u[0] - 2.0 / 3.0 * v0).abs() < 1e-15);
    assert_eq!(log.samples.last().unwrap().3, [Mode::Stick]);
}

#[test]
fn a_graze_between_two_stages_is_seen() {
    // A projectile whose parabola dips under a bump: y = x²/2 − d over the floor, with a tiny d.
    for (depth, hits) in [(1e-7, true), (-1e-7, false)] {
        let particle = Parts::new(&[1.0, 1.0], |_, _, _| vec![0.0, 2.0], |q, _| -2.0 * q[1])
            .contact(
                Law::coulomb(0.0),
                |q, _| q[1],
                |_, _, _| (vec![0.0, 1.0], vec![1.0, 0.0], [0.0; 2], [0.0; 2]),
            );
        // ÿ = 2: y = (t − 0.537)² − depth.
        let y0 = 0.537_f64 * 0.537 - depth;
        let start = State::new(vec![0.0, y0], vec![1.0, -2.0 * 0.537]);
        let (_, log) = run(&particle, start, 1.0);
        assert_eq!(log.times(0, EventKind::Impact).len(), usize::from(hits), "{depth}");
    }
}

#[test]
fn a_graze_is_seen_wherever_it_falls_in_a_step() {
    // y = (t − t₀)² − depth: the contact is below zero for 2 √depth, far less than a step.
    for i in 0..900 {
        let (t0, depth) = (0.3 + 0.000_05 * f64::from(i), 1e-10_f64);
        let particle = Parts::new(&[1.0], |_, _, _| vec![2.0], |q, _| -2.0 * q[0]).contact(
            Law::coulomb(0.0).with_restitution(1.0, 0.0),
            |q, _| q[0],
            |_, _, _| (vec![1.0], vec![0.0], [0.0; 2], [0.0; 2]),
        );
        let start = State::new(vec![t0 * t0 - depth], vec![-2.0 * t0]);
        let settings = Settings { t_end: 1.0, max_step: 0.0213, ..Settings::default() };
        let (_, log) = run_with(&particle, start, settings);
        let hits = log.times(0, EventKind::Impact);
        assert_eq!(hits.len(), 1, "{t0}");
        assert!((hits[0] - (t0 - depth.sqrt())).abs() < 1e-10, "{t0} {}", hits[0]);
    }
}
