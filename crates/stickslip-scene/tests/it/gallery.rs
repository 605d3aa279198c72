//! Every scene of the gallery, run and held against its closed form or a published value.

use stickslip::model::Model;
use stickslip::run::{End, Event, EventKind, Flow, Observer, Report, Sample, Settings, run};
use stickslip::step::Integrator;
use stickslip_scene::{Scene, Visitor, gallery};

#[derive(Default)]
pub(crate) struct Record {
    pub(crate) events: Vec<Event>,
    pub(crate) samples: Vec<(f64, Vec<f64>, Vec<f64>)>,
    /// Of all contacts, since the sample before.
    pub(crate) impulses: Vec<Vec<f64>>,
}

impl Observer for Record {
    fn sample(&mut self, s: &Sample<'_>) -> Flow {
        self.samples.push((s.t, s.q.to_vec(), s.u.to_vec()));
        self.impulses.push(s.impulses.to_vec());
        Flow::Continue
    }

    fn event(&mut self, event: &Event) {
        self.events.push(*event);
    }
}

/// Runs a scene with changed parameters and settings; every step must be certified.
fn go(name: &str, parameters: &[(&str, f64)], change: impl Fn(&mut Settings)) -> (Report, Record) {
    let scene = Scene::from_gallery(name).unwrap().with_overrides(parameters).unwrap();
    let mut settings = scene.settings();
    change(&mut settings);
    let mut record = Record::default();
    let report = scene.model().visit(Go(&scene, &settings, &mut record));
    assert_eq!(report.end, End::Finished, "{name}");
    let tolerance = settings.step.solve.unwrap().tolerance;
    assert!(report.certificate.worst <= tolerance, "{name}: {:?}", report.certificate);
    (report, record)
}

pub(crate) struct Go<'a>(pub &'a Scene, pub &'a Settings, pub &'a mut Record);

impl Visitor for Go<'_> {
    type Output = Report;

    fn visit<M: Model>(self, model: &M) -> Report {
        run(model, &self.0.start(), self.1, self.2, &mut ()).unwrap()
    }
}

fn stepping(integrator: Integrator, dt: f64) -> impl Fn(&mut Settings) {
    move |s: &mut Settings| (s.step.integrator, s.dt) = (integrator, dt)
}

/// Those that take restitution.
const ALL: [Integrator; 3] =
    [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }, Integrator::EventDriven];

/// Scenes that the event-driven integrator refuses.
pub(crate) const STEPPING_ALONE: [&str; 19] = [
    "sliding_disc",
    "uniform_disc",
    "puck",
    "mixed_disc",
    "polyhedron_disc",
    "pushed_part",
    "patch_box",
    "patch_onset",
    "motor_rod",
    "tippe_top",
    "overhanging_bricks",
    "pile",
    "ball_in_a_bowl",
    "plane_incline",
    "plane_rolling_disc",
    "plane_stack",
    "plane_pile",
    "plane_rocking_block",
    "plane_kink",
];

pub(crate) fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "found {found}, wanted {wanted}");
}

#[test]
fn every_scene_runs_with_every_integrator() {
    for entry in gallery() {
        for integrator in ALL {
            if integrator == Integrator::EventDriven && STEPPING_ALONE.contains(&entry.name) {
                continue;
            }
            let (report, record) = go(entry.name, &[], |s| {
                s.step.integrator = integrator;
                s.t_end = s.t_end.min(0.3);
            });
            assert!(report.steps > 0 && record.samples.len() > 2);
        }
    }
}

#[test]
fn the_ball_comes_to_rest_at_its_zeno_time() {
    let (report, record) = go("bouncing_ball", &[], |_| ());
    let zeno = (2.0_f64 / 9.81).sqrt() * (1.0 + 0.5) / (1.0 - 0.5);
    let last = record.events.iter().find(|e| e.kind == EventKind::Accumulation).unwrap();
    near(last.t, zeno, 1e-10);
    near(report.state.q[0], 0.0, 1e-12);
    // Time stepping comes to rest about there, to the order of its step.
    let (report, record) = go("bouncing_ball", &[], stepping(Integrator::MoreauMidpoint, 1e-5));
    let last = record.events.iter().rev().find(|e| e.kind == EventKind::Impact).unwrap();
    near(last.t, zeno, 1e-2);
    near(report.state.q[0], 0.0, 1e-4);
}

#[test]
fn the_block_stops_where_friction_stops_it() {
    let (mu_g, v) = (0.3 * 9.81, 2.0);
    let exact = v * v / (2.0 * mu_g);
    let (report, record) =
        go("sliding_block", &[], |s| s.step.integrator = Integrator::EventDriven);
    near(report.state.q[0], exact, 1e-12);
    near(record.events.last().unwrap().t, v / mu_g, 1e-12);
    // A speed whose stop falls on the end of a step: θ = 1 is short of the distance by v Δt/2.
    let (dt, steps) = (1e-3, 500.0);
    let v = steps * mu_g * dt;
    let exact = v * v / (2.0 * mu_g);
    let (report, _) = go("sliding_block", &[("v_0", v)], |s| {
        (s.step.integrator, s.dt) = (Integrator::MoreauJean { theta: 1.0 }, dt);
    });
    near(report.state.q[0], exact - 0.5 * v * dt, 1e-13);
}

#[test]
fn the_block_on_the_incline_sticks_or_slides() {
    for integrator in ALL {
        let (report, _) =
            go("incline_block", &[], |s| (s.step.integrator, s.t_end) = (integrator, 20.0));
        assert!(report.state.q[0].abs() < 1e-14, "{integrator}: {:?}", report.state);
        let (report, _) = go("incline_block", &[("mu", 0.2)], |s| s.step.integrator = integrator);
        let a = 9.81 * (0.3_f64.sin() - 0.2 * 0.3_f64.cos());
        near(report.state.q[0], 0.5 * a, 1e-12);
    }
}

#[test]
fn the_spring_block_loses_the_same_length_each_half_turn() {
    let lost = 2.0 * 0.2 * 9.81 / 100.0;
    let half = std::f64::consts::PI * 0.1;
    let (report, record) = go("spring_block", &[], |s| {
        (s.step.integrator, s.sample_dt) = (Integrator::EventDriven, half);
    });
    for (i, (t, q, u)) in record.samples.iter().enumerate().take(6) {
        near(*t, i as f64 * half, 1e-12);
        let turn = (0.2 - i as f64 * lost) * if i % 2 == 0 { 1.0 } else { -1.0 };
        near(q[0], turn, 1e-11);
        near(u[0], 0.0, 1e-9);
    }
    near(report.state.q[0], -(0.2 - 5.0 * lost), 1e-11);
    let (report, _) = go("spring_block", &[], stepping(Integrator::MoreauMidpoint, 1e-4));
    near(report.state.q[0], -(0.2 - 5.0 * lost), 1e-5);
    near(report.state.u[0], 0.0, 1e-18);
}

#[test]
fn the_belt_carries_the_block_until_the_spring_wins() {
    let (w, x_s, v_b) = (10.0_f64, 0.2 * 9.81 / 100.0, 0.1);
    let caught = (v_b / (w * x_s)).asin() / w;
    let carried = (x_s - x_s * (1.0 - (w * caught).cos())) / v_b;
    let (_, record) = go("belt_block", &[], |s| s.step.integrator = Integrator::EventDriven);
    let times: Vec<f64> = record.events.iter().map(|e| e.t).filter(|t| *t > 0.0).collect();
    near(times[0], caught, 1e-11);
    near(times[1], caught + carried, 1e-11);
    let at = |t: f64| record.samples.iter().find(|s| s.0 >= t).unwrap();
    let (t, q, _) = at(1.0);
    near(q[0], x_s + v_b / w * (w * (t - caught - carried)).sin(), 1e-10);
}

#[test]
fn the_block_sticks_to_the_belt_and_slips_back_in_the_period_of_quadrature() {
    let (period, stick, slip) = (0.882_885_093_632, 0.431_219_678_209, 0.451_665_415_424);
    let (_, record) = go("stick_slip_belt", &[], |s| s.step.integrator = Integrator::EventDriven);
    let times = |wanted: fn(EventKind) -> bool| -> Vec<f64> {
        record.events.iter().filter(|e| e.t > 0.0 && wanted(e.kind)).map(|e| e.t).collect()
    };
    let sticks = times(|kind| kind == EventKind::Sticks);
    let slips = times(|kind| matches!(kind, EventKind::Slides(_)));
    assert!(sticks.len() >= 4 && slips.len() >= 4, "{sticks:?} {slips:?}");
    for i in 1..3 {
        near(sticks[i + 1] - sticks[i], period, 1e-9);
        let next = *slips.iter().find(|t| **t > sticks[i]).unwrap();
        near(next - sticks[i], stick, 1e-9);
        near(sticks[i + 1] - next, slip, 1e-9);
    }
    // The amplitude of time stepping is that of the law to the order of its step.
    for integrator in [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }] {
        let (_, record) = go("stick_slip_belt", &[], stepping(integrator, 1e-4));
        let late = record.samples.iter().filter(|s| s.0 > 2.0);
        let highest = late.map(|s| s.1[0]).fold(f64::NEG_INFINITY, f64::max);
        let (_, exact) =
            go("stick_slip_belt", &[], |s| s.step.integrator = Integrator::EventDriven);
        let late = exact.samples.iter().filter(|s| s.0 > 2.0);
        near(highest, late.map(|s| s.1[0]).fold(f64::NEG_INFINITY, f64::max), 1e-4);
    }
}

#[test]
fn the_block_follows_the_table_while_friction_lasts() {
    for integrator in ALL {
        let (report, _) = go("table_block", &[], |s| s.step.integrator = integrator);
        // A step ends with the velocity of the table at its midpoint.
        let tolerance = if integrator == Integrator::EventDriven { 1e-12 } else { 1e-5 };
        near(report.state.q[0], 0.01 * 20.0_f64.sin(), tolerance);
    }
    let (_, record) =
        go("table_block", &[("mu", 0.3)], |s| s.step.integrator = Integrator::EventDriven);
    assert!(record.events.iter().any(|e| matches!(e.kind, EventKind::Slides(_))));
    // Up and down, gently: it never leaves.
    let (_, record) = go("table_block", &[("A", 0.0), ("B", 0.02)], |s| {
        s.step.integrator = Integrator::EventDriven;
    });
    assert!(record.events.iter().all(|e| e.kind != EventKind::Opens));
    let (_, record) = go("table_block", &[("A", 0.0), ("B", 0.03)], |s| {
        s.step.integrator = Integrator::EventDriven;
    });
    let opens = record.events.iter().find(|e| e.kind == EventKind::Opens).unwrap();
    // It leaves where B Ω² sin(Ω t) = g.
    near(opens.t, (9.81_f64 / (0.03 * 400.0)).asin() / 20.0, 1e-11);
}

#[test]
fn the_rocking_block_keeps_housners_share() {
    let (_, record) = go("rocking_block", &[], |s| s.sample_dt = 1e-4);
    let impact = record.events.iter().find(|e| e.kind == EventKind::Impact).unwrap();
    let before = record.samples.iter().rev().find(|s| s.0 < impact.t).unwrap();
    let after = record.samples.iter().find(|s| s.0 > impact.t).unwrap();
    // A sample lies within 1e-4 s of the impact, in which the velocity changes by less than 1e-3.
    near(after.2[2] / before.2[2], 1.0 - 1.5 * 0.1, 2e-3);
}

#[test]
fn three_balls_share_the_blow() {
    for integrator in ALL {
        for e in [0.0, 0.5, 1.0] {
            let (report, _) = go("three_balls", &[("e", e)], |s| s.step.integrator = integrator);
            let wanted = [(1.0 - 2.0 * e) / 3.0, (1.0 + e) / 3.0, (1.0 + e) / 3.0];
            for (found, wanted) in report.state.u.iter().zip(wanted) {
                near(*found, wanted, 1e-13);
            }
        }
    }
}

#[test]
fn the_disc_rolls_with_two_thirds_of_its_speed() {
    let (report, record) = go("rolling_disc", &[], |s| s.step.integrator = Integrator::EventDriven);
    near(report.state.u[0], 2.0, 1e-12);
    near(record.events.last().unwrap().t, 3.0 / (3.0 * 0.2 * 9.81), 1e-12);
    let (report, _) = go("rolling_disc", &[], |_| ());
    near(report.state.u[0], 2.0, 1e-12);
    near(report.state.u[2], -20.0, 1e-11);
}

#[test]
fn the_rod_jams_without_a_collision() {
    let (_, record) = go("painleve_rod", &[], |_| ());
    // Its end stops in the first step, from 2 m/s.
    let (t, q, u) = &record.samples[1];
    let slip = u[0] + 0.5 * q[2].sin() * u[2];
    assert!(*t < 2e-4 && slip.abs() < 1e-3, "{t} {slip}");
    // Below 4/3 nothing of the kind happens.
    let (_, record) = go("painleve_rod", &[("mu", 1.2)], |_| ());
    let (_, q, u) = &record.samples[1];
    assert!(u[0] + 0.5 * q[2].sin() * u[2] < -1.9);
}

#[test]
fn the_superball_turns_speed_into_spin_and_back() {
    let (v, r, flight) = (1.0, 0.025, 2.0 * (2.0_f64 / 9.81).sqrt());
    let (report, record) = go("superball", &[], |_| ());
    // Impacts at half a flight, and one flight after the other: speed 3/7 and 1 in turn.
    let speeds = [3.0 / 7.0, 1.0, 3.0 / 7.0, 1.0];
    let impacts: Vec<&Event> =
        record.events.iter().filter(|e| e.kind == EventKind::Impact).collect();
    assert_eq!(impacts.len(), 4);
    let mut x = 0.5 * flight * v;
    for (n, (impact, speed)) in impacts.iter().zip(speeds).enumerate() {
        let t = (n as f64 + 0.5) * flight;
        near(impact.t, t, 1e-12);
        x += speed * v * if n == 3 { report.state.t - t } else { flight };
    }
    near(report.state.q[0], x, 1e-11);
    near(report.state.u[0], v, 1e-12);
    near(report.state.u[2], 0.0, 1e-10);
    near(report.energy_end.total(), report.energy_start.total(), 1e-13);
    // Without tangential restitution it rolls after the first impact.
    let (report, _) = go("superball", &[("e_T", 0.0)], |_| ());
    near(report.state.u[0], 5.0 / 7.0 * v, 1e-12);
    near(report.state.u[2] * r, -5.0 / 7.0 * v, 1e-12);
    // Time stepping comes to the same.
    let (report, _) = go("superball", &[], stepping(Integrator::MoreauMidpoint, 1e-3));
    near(report.state.u[0], v, 1e-9);
}

#[test]
fn the_woodpeckers_hammer() {
    for (name, period) in [("woodpecker", 0.1456), ("woodpecker_constant_friction", 0.1746)] {
        let (_, record) = go(name, &[], |s| (s.t_end, s.dt, s.sample_dt) = (2.5, 2e-5, 2e-5));
        let falls: Vec<f64> = record
            .samples
            .windows(2)
            .filter(|w| w[0].1[2] > 0.0 && w[1].1[2] <= 0.0)
            .map(|w| w[1].0)
            .collect();
        let n = falls.len();
        let found = (falls[n - 1] - falls[n - 6]) / 5.0;
        near(found, period, 1e-3);
        let beaks = record.events.iter().filter(|e| e.contact == 0 && e.kind == EventKind::Impact);
        assert!(beaks.count() >= 10);
    }
}

#[test]
fn contacts_that_move_do_the_work_that_the_energy_shows() {
    for integrator in ALL {
        for name in ["belt_block", "table_block"] {
            let (report, _) = go(name, &[], |s| s.step.integrator = integrator);
            let change = report.energy_end.total() - report.energy_start.total();
            assert!(
                (report.contact_work - change).abs() < 1e-5 * (1.0 + change.abs()),
                "{name} {integrator}"
            );
        }
    }
}

#[test]
fn rounding_creates_no_energy() {
    let (report, _) =
        go("bouncing_ball", &[("e", 1.0)], stepping(Integrator::MoreauMidpoint, 1e-3));
    assert_eq!(report.energy_created, (0, 0.0));
}

#[test]
fn a_step_that_overshoots_is_reported_as_depth() {
    let (report, _) = go("bouncing_ball", &[("g", 0.6)], |s| {
        (s.step.integrator, s.dt, s.t_end) = (Integrator::MoreauMidpoint, 1.0, 2.0);
    });
    near(report.drift.depth, 0.2, 1e-12);
}
