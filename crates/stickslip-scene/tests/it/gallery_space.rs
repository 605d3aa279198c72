//! The gallery's scenes with bodies in space, held against closed forms and independent integration.

use crate::gallery::{Go, Record, STEPPING_ALONE, near};
use stickslip::contact::solve::Formulation;
use stickslip::model::Model;
use stickslip::run::{End, EventKind, Report, Settings, run};
use stickslip::step::Integrator;
use stickslip::system::State;
use stickslip_scene::{Scene, Visitor, gallery_entry};

/// A run of a scene.
pub(crate) struct Run {
    pub(crate) scene: Scene,
    pub(crate) report: Report,
    pub(crate) record: Record,
    pub(crate) sample_dt: f64,
}

impl Run {
    /// A coordinate or velocity by its name, at the end.
    pub(crate) fn end(&self, name: &str) -> f64 {
        self.value(&self.report.state, name)
    }

    pub(crate) fn value(&self, state: &State, name: &str) -> f64 {
        let state = self.scene.observe(state);
        let at = |names: &[String]| names.iter().position(|n| n == name);
        match (at(&self.scene.info().coordinates), at(&self.scene.info().velocities)) {
            (Some(i), _) => state.q[i],
            (_, Some(i)) => state.u[i],
            _ => panic!("there is no {name}"),
        }
    }

    /// Values by their names at all samples, the time in front.
    pub(crate) fn over_time<const N: usize>(&self, names: [&str; N]) -> Vec<(f64, [f64; N])> {
        let state =
            |(t, q, u): &(f64, Vec<f64>, Vec<f64>)| State { t: *t, q: q.clone(), u: u.clone() };
        let each = self.record.samples.iter().map(state);
        each.map(|s| (s.t, names.map(|name| self.value(&s, name)))).collect()
    }

    /// How much the energy has changed, as a share of its size.
    fn energy_change(&self) -> f64 {
        let (start, end) = (self.report.energy_start, self.report.energy_end);
        (end.total() - start.total()).abs() / (start.kinetic.abs() + end.kinetic.abs()).max(1e-12)
    }
}

/// Runs a scene of the gallery with another line in place of that with the same key, e.g. as another model, with changed parameters and
/// settings; every step must be certified.
pub(crate) fn go(
    (name, other): (&str, &str),
    parameters: &[(&str, f64)],
    change: impl Fn(&mut Settings),
) -> Run {
    let text = gallery_entry(name).unwrap().text;
    let key = other.split_inclusive('=').next().unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(key)).unwrap();
    let text = if other.is_empty() { text.to_owned() } else { text.replace(line, other) };
    go_text((name, &text), parameters, change)
}

/// The same with the text of a scene.
pub(crate) fn go_text(
    (name, text): (&str, &str),
    parameters: &[(&str, f64)],
    change: impl Fn(&mut Settings),
) -> Run {
    let scene = Scene::from_str(text, name).unwrap().with_overrides(parameters).unwrap();
    let mut settings = scene.settings();
    change(&mut settings);
    let mut record = Record::default();
    let report = scene.model().visit(Go(&scene, &settings, &mut record));
    assert_eq!(report.end, End::Finished, "{name}");
    let tolerance = settings.step.solve.unwrap().tolerance;
    assert!(report.certificate.worst <= tolerance, "{name}: {:?}", report.certificate);
    Run { scene, report, record, sample_dt: settings.sample_dt }
}

pub(crate) const RIGID: &str = "model = \"rigid\"";
pub(crate) const ARTICULATED: &str = "model = \"articulated\"";
const POINT_MASSES: &str = "model = \"point_masses\"";

pub(crate) fn event_driven(s: &mut Settings) {
    s.step.integrator = Integrator::EventDriven;
}

/// The classical method of Runge and Kutta, independent of the program's integrators.
pub(crate) fn runge_kutta<const N: usize>(
    f: impl Fn([f64; N]) -> [f64; N],
    mut y: [f64; N],
    t_end: f64,
) -> [f64; N] {
    let steps = 20_000;
    let h = t_end / f64::from(steps);
    let moved = |y: [f64; N], k: [f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    for _ in 0..steps {
        let k1 = f(y);
        let k2 = f(moved(y, k1, 0.5 * h));
        let k3 = f(moved(y, k2, 0.5 * h));
        let k4 = f(moved(y, k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    y
}

#[test]
fn the_block_at_45_degrees_goes_as_far_as_its_friction_set_says() {
    let exact = 1.0 / (2.0 * 0.3 * 9.81);
    let far = |run: &Run| run.end("block.x").hypot(run.end("block.y"));
    let found = go(("heading_block", ""), &[], event_driven);
    near(far(&found), exact, 1e-8);
    near(found.end("block.y") / found.end("block.x"), 1.0, 1e-8);
    let root = 2.0_f64.sqrt();
    for (formulation, directions, share) in [
        (Formulation::Cone, 4, 1.0),
        (Formulation::StewartTrinkle, 4, root),
        (Formulation::PhantomInertia, 4, 1.0 / root),
        (Formulation::StewartTrinkle, 8, 1.0),
        (Formulation::PhantomInertia, 8, 1.0),
    ] {
        let found = go(("heading_block", ""), &[], |s| {
            let solve = s.step.solve.as_mut().unwrap();
            (solve.formulation, solve.directions) = (formulation, directions);
            s.dt = 4e-3;
        });
        near(far(&found), share * exact, 2e-5);
    }
}

#[test]
fn the_box_of_point_masses_stands_on_four_equal_forces() {
    for model in [POINT_MASSES, RIGID] {
        let found = go(("point_mass_box", model), &[], |_| ());
        let last = found.record.impulses.last().unwrap();
        assert_eq!(last.len(), 12);
        for contact in last.chunks(3) {
            near(contact[0] / found.sample_dt, 2.0 * 9.81 / 4.0, 1e-9);
            near(contact[1].hypot(contact[2]) / found.sample_dt, 0.0, 1e-9);
        }
        near(found.end("box.z"), 0.05, 1e-12);
        near(found.report.energy_end.total(), 2.0 * 9.81 * 0.05, 1e-12);
    }
}

#[test]
fn the_disc_slows_along_the_power_law_of_its_ellipsoid() {
    // With e_r² = J/m both slow down alike, exactly.
    let found = go(("sliding_disc", ""), &[("e_r", 0.005_f64.sqrt())], |_| ());
    for (_, [v, w]) in found.over_time(["disc.vx", "disc.wz"]) {
        near(v, w / 20.0, 1e-12);
    }
    // Else friction is that of the end of a step, whose error halves with the step: twice the fine less the coarse is right.
    let off = |dt: f64| {
        let found = go(("sliding_disc", ""), &[], |s| (s.dt, s.t_end) = (dt, 0.5));
        assert!(found.end("disc.wz") < 9.0);
        found.end("disc.vx") / (found.end("disc.wz") / 20.0).powi(2) - 1.0
    };
    let (coarse, fine) = (off(1e-3), off(5e-4));
    near(fine, 0.0, 2e-3);
    near(2.0 * fine - coarse, 0.0, 1e-5);
    // Both end together.
    let found = go(("sliding_disc", ""), &[], |_| ());
    let rests = found.record.events.iter().find(|e| e.kind == EventKind::Sticks).unwrap();
    near(rests.t, 0.780016, 2e-3);
    near(found.end("disc.vx").hypot(found.end("disc.wz")), 0.0, 1e-9);
}

#[test]
fn the_disc_under_uniform_pressure_ends_at_the_ratio_0_6530() {
    // From above and from below, and never past it.
    for (start, side) in [([0.5, 5.0], 1.0), ([0.25, 4.5], -1.0)] {
        let parameters = [("v_0", start[0]), ("w_0", start[1])];
        let found = go(("uniform_disc", ""), &parameters, |s| (s.dt, s.sample_dt) = (2e-4, 2e-4));
        let all = found.over_time(["disc.vx", "disc.wz"]);
        let slides = all.iter().filter(|(_, [v, _])| *v > 2e-3);
        let off: Vec<f64> = slides.map(|(_, [v, w])| side * (v / (0.1 * w) - 0.6530)).collect();
        assert!(off.windows(2).all(|pair| pair[1] < pair[0] && pair[1] > 0.0));
        near(*off.last().unwrap(), 0.0, 0.02);
        near(found.end("disc.vx").hypot(found.end("disc.wz")), 0.0, 1e-9);
    }
}

#[test]
fn the_puck_comes_to_rest_as_the_disc_under_uniform_pressure_does() {
    let set = |s: &mut Settings| (s.dt, s.sample_dt) = (2e-4, 2e-4);
    let all = |name: &str, body: &str| {
        let names = [format!("{body}.vx"), format!("{body}.wz")];
        go((name, ""), &[], set).over_time([&names[0], &names[1]])
    };
    let (puck, disc) = (all("puck", "puck"), all("uniform_disc", "disc"));
    assert_eq!(puck.len(), disc.len());
    for ((_, [v, w]), (_, [speed, spin])) in puck.iter().zip(&disc) {
        near(*v, *speed, 1e-7);
        near(*w, *spin, 1e-6);
    }
    let mut slides = puck.iter().filter(|(_, [v, _])| *v > 2e-3);
    let (_, [v, w]) = slides.next_back().unwrap();
    near(v / (0.1 * w), 0.6530, 0.02);
}

#[test]
fn the_top_goes_round_steadily() {
    let (l, theta) = (0.1, 0.5_f64);
    for (model, integrator, tolerance) in [
        (RIGID, Integrator::EventDriven, 1e-7),
        (ARTICULATED, Integrator::EventDriven, 1e-7),
        (RIGID, Integrator::MoreauMidpoint, 1e-4),
    ] {
        let found = go(("spinning_top", model), &[], |s| s.step.integrator = integrator);
        for (t, [x, y, z]) in found.over_time(["top.x", "top.y", "top.z"]) {
            let (sin, cos) = (3.0 * t).sin_cos();
            near(z, l * theta.cos(), tolerance * l);
            near(x, l * theta.sin() * cos, tolerance * l);
            near(y, l * theta.sin() * sin, tolerance * l);
        }
    }
    // In coordinates of the joint steps are of second order too, with a larger error.
    let off = |dt: f64| {
        let found = go(("spinning_top", ARTICULATED), &[], |s| s.dt = dt);
        found.end("top.y").atan2(found.end("top.x")) - 3.0
    };
    near(off(5e-4) / off(2.5e-4), 4.0, 0.1);
    // A step turns the axis about the angular velocity of its ends, so that the axis of the middle is off to the side. The gyroscopic
    // torque (A − C) ω₃ W follows it, and makes an error of what it leaves, m g l: the precession is slower by (ω₃ Δt)²/12 times their ratio.
    let (m, g, a, c, w) = (0.5, 9.81, 6e-3, 8e-4, 3.0);
    let spin = (m * g * l + a * w * w * theta.cos()) / (c * w);
    let slower = |dt: f64| (spin * dt).powi(2) / 12.0 * (a - c) * spin * w / (m * g * l);
    near(off(2.5e-4) / (-3.0 * slower(2.5e-4)), 1.0, 0.1);
}

#[test]
fn the_ball_rolls_with_five_sevenths_of_its_speed() {
    let found = go(("rolling_ball", ""), &[], |_| ());
    near(found.end("ball.vx"), 10.0 / 7.0, 1e-10);
    near(found.end("ball.wy"), 100.0 / 7.0, 1e-9);
    let rolls = found.record.events.iter().find(|e| e.kind == EventKind::Sticks).unwrap();
    near(rolls.t, 4.0 / (7.0 * 0.2 * 9.81), 1e-9);
}

#[test]
fn the_parallelogram_swings_as_one_pendulum() {
    let w2 = 6.0 * 9.81 / (5.0 * 0.3);
    let [phi, rate] = runge_kutta(|[phi, rate]| [rate, -w2 * phi.sin()], [0.6, 0.0], 0.5);
    for model in [ARTICULATED, RIGID] {
        for (integrator, tolerance) in
            [(Integrator::EventDriven, 1e-6), (Integrator::MoreauMidpoint, 1e-3)]
        {
            let found = go(("four_bar", model), &[], |s| s.step.integrator = integrator);
            near(found.end("coupler.x"), 0.25 - 0.3 * phi.sin(), tolerance);
            near(found.end("coupler.z"), -0.3 * phi.cos(), tolerance);
            near(found.end("coupler.qy"), 0.0, tolerance);
            near(found.end("crank2.wy"), rate, 10.0 * tolerance);
        }
    }
}

#[test]
fn the_chain_keeps_its_energy_and_falls_alike_in_both_models() {
    let ends = [ARTICULATED, RIGID].map(|model| {
        let found = go(("chain", model), &[], event_driven);
        assert!(found.energy_change() < 1e-6, "{model}: {}", found.energy_change());
        ["rod4.x", "rod4.z", "rod2.x", "rod4.wy"].map(|name| found.end(name))
    });
    for (one, other) in ends[0].iter().zip(ends[1]) {
        near(*one, other, 1e-5);
    }
    // A single rod is a pendulum.
    let found = go(("chain", ""), &[("n", 1.0)], event_driven);
    let [_, rate] =
        runge_kutta(|[phi, rate]: [f64; 2]| [rate, 1.5 * 9.81 / 0.2 * phi.cos()], [0.0, 0.0], 0.3);
    near(found.end("rod1.wy"), rate, 1e-6);
}

#[test]
fn the_cradle_hands_the_speed_to_the_last_ball() {
    for n in [2, 5, 7] {
        let found = go(("newtons_cradle", ""), &[("n", f64::from(n))], |_| ());
        for i in 1..n {
            near(found.end(&format!("ball{i}.vx")), 0.0, 1e-10);
        }
        near(found.end(&format!("ball{n}.vx")), 1.0, 1e-10);
        let gaps = 0.05 + f64::from(n - 2) * 0.004;
        let x = f64::from(n - 2) * 0.044 + 0.1 - gaps;
        near(found.end(&format!("ball{n}.x")), x, 1e-9);
        let hits = found.record.events.iter().filter(|e| e.kind == EventKind::Impact);
        assert_eq!(hits.count(), n as usize - 1);
    }
}

#[test]
fn the_pile_comes_to_rest_in_its_tray() {
    let found = go(("pile", ""), &[], |_| ());
    assert!(found.report.energy_end.kinetic < 1e-9, "{:?}", found.report.energy_end);
    for name in &found.scene.info().coordinates {
        let value = found.end(name);
        match name.rsplit('.').next() {
            Some("x" | "y") => assert!(value.abs() < 0.36, "{name} = {value}"),
            Some("z") => assert!(value > 0.03, "{name} = {value}"),
            _ => {}
        }
    }
}

#[test]
fn bricks_overhang_by_half_the_sum_of_inverse_numbers_and_no_more() {
    for model in ["rigid", "articulated", "point_masses"] {
        let line = format!("gravity = [0, 0, -9.81]\nmodel = \"{model}\"");
        let way = |share: f64| {
            let found = go(("overhanging_bricks", &line), &[("share", share)], |s| s.t_end = 0.3);
            (found.end("brick1.z") - 4.5 * 0.05).abs()
        };
        assert!(way(0.999) < 1e-9, "{model}: {:e}", way(0.999));
        assert!(way(1.001) > 1e-6, "{model}: {:e}", way(1.001));
    }
}

#[test]
fn the_spring_of_the_hinge_swings_the_rod() {
    for model in [ARTICULATED, RIGID, POINT_MASSES] {
        for (integrator, tolerance) in
            [(Integrator::EventDriven, 1e-6), (Integrator::MoreauMidpoint, 1e-4)]
        {
            let found = go(("torsion_pendulum", model), &[], |s| s.step.integrator = integrator);
            let phi = found.end("rod.y").atan2(found.end("rod.x"));
            near(phi, 0.5 * 5.0_f64.cos(), tolerance);
            near(found.end("rod.wz"), -5.0 * 5.0_f64.sin(), 20.0 * tolerance);
        }
    }
}

#[test]
fn the_motor_speeds_up_with_its_largest_torque_and_then_holds_its_speed() {
    for model in [ARTICULATED, RIGID, POINT_MASSES] {
        let found = go(("motor_rod", model), &[], |_| ());
        for (t, [w]) in found.over_time(["rod.wz"]) {
            near(w, (10.0 * t).min(2.0), 1e-4);
        }
        let phi = found.end("rod.y").atan2(found.end("rod.x"));
        near(phi, 0.2 + 2.0 * 0.1, 1e-4);
    }
}

#[test]
fn motors_and_friction_sets_are_refused_by_the_event_driven_integrator() {
    struct Refused<'a>(&'a Scene, &'a Settings);
    impl Visitor for Refused<'_> {
        type Output = String;
        fn visit<M: Model>(self, model: &M) -> String {
            let mut record = Record::default();
            run(model, &self.0.start(), self.1, &mut record, &mut ()).unwrap_err().to_string()
        }
    }
    for name in STEPPING_ALONE {
        let scene = Scene::from_gallery(name).unwrap();
        let mut settings = scene.settings();
        event_driven(&mut settings);
        let message = scene.model().visit(Refused(&scene, &settings));
        assert!(message.contains("time-stepping"), "{name}: {message}");
    }
}

#[test]
fn the_box_flips_as_eulers_equations_say() {
    let j: [f64; 3] = [0.2 * 0.2 + 0.01, 0.09 + 0.01, 0.09 + 0.04].map(|x: f64| x / 12.0);
    let euler = |w: [f64; 3]| {
        [
            (j[1] - j[2]) / j[0] * w[1] * w[2],
            (j[2] - j[0]) / j[1] * w[2] * w[0],
            (j[0] - j[1]) / j[2] * w[0] * w[1],
        ]
    };
    let wanted = runge_kutta(euler, [0.1, 10.0, 0.0], 1.5);
    assert!(wanted[1] < -8.0, "it has not flipped: {wanted:?}");
    let momentum = (j[0] * 0.1_f64).hypot(j[1] * 10.0);
    let variant = |name: &str| format!("{POINT_MASSES}\nvariant = \"{name}\"");
    let (shake, half, as_printed) = (variant("shake"), variant("half"), variant("as_printed"));
    let at = |model: &str, integrator: Integrator, dt: f64| {
        go(("tumbling_box", model), &[], |s| {
            (s.step.integrator, s.dt, s.t_end) = (integrator, dt, 1.5);
        })
    };
    for (model, integrator, tolerance, kept) in [
        (RIGID, Integrator::EventDriven, 1e-4, 1e-7),
        (ARTICULATED, Integrator::EventDriven, 1e-4, 1e-7),
        (RIGID, Integrator::MoreauMidpoint, 1e-2, 1e-10),
        (&shake, Integrator::MoreauMidpoint, 1e-2, 1e-10),
        (&half, Integrator::MoreauMidpoint, 1e-2, 1e-5),
    ] {
        let found = at(model, integrator, 1e-3);
        let spin = spin(&found);
        for (found, wanted) in spin.iter().zip(wanted) {
            assert!((found - wanted).abs() <= tolerance, "{model} {integrator}: {spin:?} {wanted}");
        }
        let size = (0..3).map(|i| (j[i] * spin[i]).powi(2)).sum::<f64>().sqrt();
        assert!((size / momentum - 1.0).abs() <= kept, "{model} {integrator}: {size} {momentum}");
        let change = found.energy_change();
        assert!(change <= kept, "{model} {integrator}: {change}");
    }
    // As printed the step is of first order, and adds energy.
    let gain = |dt: f64| {
        let found = at(&as_printed, Integrator::MoreauMidpoint, dt);
        found.report.energy_end.total() / found.report.energy_start.total() - 1.0
    };
    let (coarse, fine) = (gain(1e-3), gain(5e-4));
    assert!(fine > 0.01 && (1.7..2.5).contains(&(coarse / fine)), "{coarse} {fine}");
}

/// The angular velocity in the axes of the box at the end.
fn spin(found: &Run) -> [f64; 3] {
    let q = ["qx", "qy", "qz", "qw"].map(|name| found.end(&format!("box.{name}")));
    let w = ["wx", "wy", "wz"].map(|name| found.end(&format!("box.{name}")));
    (glam::DQuat::from_array(q).conjugate() * glam::DVec3::from_array(w)).to_array()
}
