//! Bodies in the plane: the gallery's scenes against closed forms, the same motions as expressions and in space, and the language.

use crate::gallery::near;
use crate::gallery_space::{Run, go, go_text};
use stickslip::contact::solve::Formulation;
use stickslip::run::Settings;
use stickslip::step::Integrator;
use stickslip_scene::recording::Units;
use stickslip_scene::{Scene, SceneModel};

const G: f64 = 9.81;

const STEPPING: [Integrator; 3] =
    [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }, Integrator::GapLevel];

fn run(name: &str, parameters: &[(&str, f64)], change: impl Fn(&mut Settings)) -> Run {
    go((name, ""), parameters, change)
}

fn by(integrator: Integrator) -> impl Fn(&mut Settings) {
    move |s: &mut Settings| s.step.integrator = integrator
}

#[test]
fn the_box_slides_down_the_incline_or_stays() {
    let (a, h) = (0.5_f64, 0.1);
    for integrator in STEPPING {
        let end = run("plane_incline", &[], by(integrator));
        let way =
            |x: f64, y: f64| (x - 0.5 * h * a.sin()) * a.cos() - (y - 0.5 * h * a.cos()) * a.sin();
        let found = way(end.end("box.x"), end.end("box.y"));
        let rate = G * (a.sin() - 0.3 * a.cos());
        // By gap_level the displacement of a step is that of its end.
        let late = if integrator == Integrator::GapLevel { 0.5 * rate * 1e-3 } else { 0.0 };
        near(found, 0.5 * rate + late, 1e-10);
        near(end.end("box.angle"), -a, 1e-12);
        let still = run("plane_incline", &[("mu", a.tan() + 1e-3)], by(integrator));
        near(way(still.end("box.x"), still.end("box.y")), 0.0, 1e-12);
    }
}

#[test]
fn the_disc_rolls_down_the_incline_or_slips() {
    let (a, r) = (0.4_f64, 0.1);
    let end = run("plane_rolling_disc", &[], |_| ());
    near(end.end("disc.spin"), -2.0 / 3.0 * G * a.sin() / r * 2.0, 1e-9);
    // Turns are counted: it has rolled its way.
    let way = 2.0 / 3.0 * G * a.sin() * 2.0;
    near(end.end("disc.angle"), -way / r, 1e-8);
    let end = run("plane_rolling_disc", &[("mu", 0.1)], |_| ());
    near(end.end("disc.spin"), -2.0 * 0.1 * G * a.cos() / r * 2.0, 1e-9);
}

#[test]
fn the_stack_stands_still_by_every_formulation() {
    for formulation in [Formulation::GlockerStuder, Formulation::StewartTrinkle, Formulation::Cone]
    {
        for integrator in STEPPING {
            let end = run("plane_stack", &[], |s| {
                s.step.integrator = integrator;
                s.t_end = if formulation == Formulation::GlockerStuder { 0.5 } else { 0.05 };
                s.step.solve.as_mut().unwrap().formulation = formulation;
            });
            let (from, to) = (end.scene.start(), &end.report.state);
            let moved = from.q.iter().zip(&to.q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(moved < 1e-9, "{formulation:?} {integrator:?}: {moved:e}");
        }
    }
}

#[test]
fn the_pile_holds_above_the_tangent_of_15_degrees_and_falls_below() {
    let height = |share: f64| run("plane_pile", &[("share", share)], |_| ()).end("upper.y");
    let start = 0.1 * (1.0 + 3.0_f64.sqrt());
    near(height(1.001), start, 1e-9);
    assert!(height(0.999) < start - 1e-3);
}

#[test]
fn the_spin_of_a_disc_at_the_foot_of_a_ramp_is_that_of_its_angular_momentum() {
    for a in [0.3, 0.6, 0.9_f64] {
        let end = run("plane_kink", &[("a", a)], |s| s.t_end = 0.7);
        let (v, r) = (1.5, 0.1);
        let spins = end.over_time(["disc.spin"]);
        let after = spins.iter().find(|(_, [spin])| (spin + v / r).abs() > 1e-6).unwrap();
        // From the foot on it slows down, by 2/3 g sin(a) at most over the steps of a sample.
        let exact = (1.0 + 2.0 * a.cos()) / 3.0 * v;
        near(-after.1[0] * r, exact, 2.0 / 3.0 * G * a.sin() * 6e-3);
        assert!(-after.1[0] * r <= exact + 1e-9);
    }
}

#[test]
fn the_rocking_block_moves_as_the_one_by_expressions() {
    let change = |s: &mut Settings| {
        (s.step.integrator, s.dt, s.t_end) = (Integrator::MoreauMidpoint, 1e-3, 1.0);
        // Systems in generalised coordinates keep their contacts where they are for a step.
        s.step.follow = false;
    };
    let (body, system) = (
        run("plane_rocking_block", &[], change),
        crate::gallery_space::go(("rocking_block", ""), &[], change),
    );
    let (found, wanted) = (
        body.over_time(["block.x", "block.y", "block.angle"]),
        system.over_time(["x", "y", "theta"]),
    );
    assert_eq!(found.len(), wanted.len());
    for ((t, a), (_, b)) in found.iter().zip(&wanted) {
        for k in 0..3 {
            assert!((a[k] - b[k]).abs() < 1e-9, "t = {t}: {a:?} {b:?}");
        }
    }
    // Housner: the spin is multiplied by 0.85 where the block changes its corner; gravity changes it by g b / (4/3 (b² + h²)) a second.
    let rocks = run("plane_rocking_block", &[], |s| s.t_end = 0.6);
    let spins = rocks.over_time(["block.angle", "block.spin"]);
    let k = spins.windows(2).position(|w| w[0].1[0] < 0.0 && w[1].1[0] >= 0.0).unwrap();
    let ((before, [_, from]), (after, [_, to])) = (spins[k], spins[k + 2]);
    let by_gravity = G * 0.1 / (4.0 / 3.0 * 0.1) * (after - before);
    near(to / from, 0.85, by_gravity / from);
}

const PENDULUM: &str = r#"
dimension = 2
gravity = [0, -9.81]

[[body]]
name = "upper"
mass = 2
inertia = 0.05
position = [0.3, 0]

[[body]]
name = "lower"
mass = 1
inertia = 0.02
position = [0.6, -0.2]
angle = 0.4

[[joint]]
name = "shoulder"
kind = "revolute"
between = ["ground", "upper"]
at = [0, 0]
damping = 0.1

[[joint]]
name = "elbow"
kind = "revolute"
between = ["lower", "upper"]
at = [0.6, 0]
spring = { stiffness = 3 }

[[force]]
body = "lower"
at = [0, -0.2]
force = ["sin(3*t)", "-0.1*lower.vy"]
torque = "0.05*cos(lower.angle)"

[run]
t_end = 1
dt = 1e-3
integrator = "moreau_midpoint"
"#;

/// The same in space, where it moves in the plane of x and y.
fn in_space() -> String {
    let mut text = PENDULUM.replace("dimension = 2", "model = \"articulated\"");
    for (flat, solid) in [
        ("gravity = [0, -9.81]", "gravity = [0, -9.81, 0]"),
        ("inertia = 0.05", "inertia = [0.03, 0.03, 0.05]"),
        ("inertia = 0.02", "inertia = [0.02, 0.02, 0.02]"),
        ("[0.3, 0]", "[0.3, 0, 0]"),
        ("[0.6, -0.2]", "[0.6, -0.2, 0]"),
        ("angle = 0.4", "orientation = { axis = [0, 0, 1], angle = 0.4 }"),
        ("at = [0, 0]", "at = [0, 0, 0]\naxis = [0, 0, 1]"),
        ("at = [0.6, 0]", "at = [0.6, 0, 0]\naxis = [0, 0, 1]"),
        ("at = [0, -0.2]", "at = [0, -0.2, 0]"),
        ("\"-0.1*lower.vy\"]", "\"-0.1*lower.vy\", 0]"),
        ("\"0.05*cos(lower.angle)\"", "[0, 0, \"0.05*(lower.qw^2 - lower.qz^2)\"]"),
    ] {
        assert!(text.contains(flat), "{flat}");
        text = text.replace(flat, solid);
    }
    text
}

#[test]
fn joints_springs_and_forces_in_the_plane_do_what_they_do_in_space() {
    let (flat, solid) =
        (go_text(("flat", PENDULUM), &[], |_| ()), go_text(("solid", &in_space()), &[], |_| ()));
    for name in ["upper.x", "upper.y", "lower.x", "lower.y", "lower.vx", "lower.vy"] {
        near(flat.end(name), solid.end(name), 1e-9);
    }
    near(flat.end("lower.spin"), solid.end("lower.wz"), 1e-9);
    let (z, w) = (solid.end("lower.qz"), solid.end("lower.qw"));
    near((0.5 * flat.end("lower.angle")).tan(), z / w, 1e-9);
    // Event-driven too, where no contacts are found on the way.
    let exact = go_text(("flat", PENDULUM), &[], by(Integrator::EventDriven));
    near(exact.end("lower.x"), flat.end("lower.x"), 1e-4);
}

#[test]
fn a_guide_and_a_weld_hold_bodies_in_the_plane() {
    let text = r#"
dimension = 2
gravity = [0, -9.81]

[[body]]
name = "slider"
mass = 1
inertia = 0.01

[[body]]
name = "arm"
mass = 1
inertia = 0.01
position = [0, 0.3]

[[joint]]
name = "guide"
kind = "prismatic"
between = ["ground", "slider"]
at = [0, 0]
axis = ["cos(0.3)", "-sin(0.3)"]

[[joint]]
name = "weld"
kind = "fixed"
between = ["slider", "arm"]
at = [0, 0.1]

[run]
t_end = 1
dt = 1e-3
integrator = "moreau_midpoint"
"#;
    let end = go_text(("guide", text), &[], |_| ());
    let way = 0.5 * G * 0.3_f64.sin();
    near(end.end("slider.x"), way * 0.3_f64.cos(), 1e-9);
    near(end.end("arm.y"), 0.3 - way * 0.3_f64.sin(), 1e-9);
    near(end.end("arm.angle"), 0.0, 1e-12);
}

#[test]
fn a_compound_by_its_density_stands_on_its_feet_on_a_table_that_moves() {
    let text = r#"
dimension = 2
gravity = [0, -9.81]

[collision]
mu = 0.8
ground = false

[[body]]
name = "table"
shape = { polygon = [[-1, -0.1], [1, -0.1], [1, 0], [-1, 0]] }
motion = { position = ["0.02*sin(5*t)", "0.3*t"] }

[[body]]
name = "stool"
density = 10
shape = { compound = [
  { box = [0.4, 0.1], at = [0, 0.125] },
  { box = [0.05, 0.3], at = [-0.15, -0.075] },
  { capsule = { radius = 0.025, length = 0.25 }, at = [0.15, -0.075], angle = "pi/2" },
] }
position = [0, 0.225]
velocity = [0.1, 0.3]

[run]
t_end = 1
dt = 1e-3
integrator = "moreau_midpoint"
"#;
    let error = Scene::from_str(text, "stool").unwrap_err().to_string();
    assert!(error.contains("the centre of mass of the shape of `stool` is at ["), "{error}");
    let given = text.replace("density = 10", "mass = 1\ninertia = 0.02");
    let end = go_text(("stool", &given), &[], |_| ());
    near(end.end("stool.x"), 0.02 * 5.0_f64.sin(), 1e-3);
    near(end.end("stool.vy"), 0.3, 1e-9);
    near(end.end("stool.angle"), 0.0, 1e-9);
}

#[test]
fn names_units_and_outputs_are_those_of_the_plane() {
    let scene = Scene::from_gallery("plane_rolling_disc").unwrap();
    assert!(matches!(scene.model(), SceneModel::Articulated(..)));
    assert_eq!(scene.info().coordinates, ["disc.x", "disc.y", "disc.angle"]);
    assert_eq!(scene.info().velocities, ["disc.vx", "disc.vy", "disc.spin"]);
    assert_eq!(scene.own_info().coordinates, scene.info().coordinates);
    let units = Units::of_scene(&scene);
    assert_eq!(units.coordinates, ["m", "m", "rad"]);
    assert_eq!(units.velocities, ["m/s", "m/s", "rad/s"]);
    let start = scene.start();
    assert_eq!(scene.observe(&start), start);
    let angle = scene.function("disc.angle + t").unwrap();
    near(angle.value(&[0.0, 0.0, 9.0], &[0.0; 3], 1.0), 10.0, 1e-14);
}
