//! Scenes with bodies in space, in every body model, against closed forms and against each other.

use crate::gallery::{Go, Record, near};
use stickslip::run::{End, Report, Settings};
use stickslip::step::Integrator;
use stickslip::system::State;
use stickslip_scene::Scene;

pub(crate) const MODELS: [&str; 3] = ["rigid", "articulated", "point_masses"];

/// A scene with a model in front.
pub(crate) fn scene(model: &str, text: &str) -> Scene {
    match Scene::from_str(&format!("model = \"{model}\"\n{text}"), "scene") {
        Ok(scene) => scene,
        Err(error) => panic!("{error}"),
    }
}

/// Its end by the names of bodies, and the report.
pub(crate) fn end(scene: &Scene, change: impl Fn(&mut Settings)) -> (State, Report, Record) {
    let mut settings = scene.settings();
    change(&mut settings);
    let mut record = Record::default();
    let report = scene.model().visit(Go(scene, &settings, &mut record));
    assert_eq!(report.end, End::Finished);
    assert!(report.certificate.worst <= 1e-9, "{:?}", report.certificate);
    (scene.observe(&report.state), report, record)
}

/// A coordinate or velocity by its name.
pub(crate) fn value(scene: &Scene, state: &State, name: &str) -> f64 {
    let at = |names: &[String]| names.iter().position(|n| n == name);
    match (at(&scene.info().coordinates), at(&scene.info().velocities)) {
        (Some(i), _) => state.q[i],
        (_, Some(i)) => state.u[i],
        _ => panic!("there is no {name}"),
    }
}

const THROWN: &str = r#"
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
[[body]]
name = "ball"
shape = { sphere = 0.1 }
density = 1000
position = [0, 1, 2]
velocity = [3, 0, 4]
angular_velocity = [0, 0, 2]
[run]
t_end = 0.5
dt = 1e-3
"#;

#[test]
fn a_thrown_ball_flies_on_its_parabola_in_every_model() {
    for model in MODELS {
        for integrator in Integrator::ALL {
            let scene = scene(model, THROWN);
            let (state, report, _) = end(&scene, |s| s.step.integrator = integrator);
            let of = |name: &str| value(&scene, &state, name);
            // Methods at the level of positions have the forces of the beginning: first order.
            let explicit = matches!(integrator, Integrator::GapLevel | Integrator::PaoliSchatzman);
            let tolerance = if explicit { 3e-3 } else { 1e-9 };
            near(of("ball.x"), 1.5, 1e-9);
            near(of("ball.y"), 1.0, 1e-9);
            near(of("ball.z"), 2.0 + 4.0 * 0.5 - 9.81 / 8.0, tolerance);
            near(of("ball.vz"), 4.0 - 9.81 / 2.0, 1e-9);
            near(of("ball.wz"), 2.0, tolerance);
            // It has turned by 1 rad about z, to the order of the method.
            near(2.0 * of("ball.qz").atan2(of("ball.qw")), 1.0, tolerance.max(1e-5));
            let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
            let spin = 0.5 * 0.4 * mass * 0.01 * 4.0;
            near(report.energy_start.kinetic, 0.5 * mass * 25.0 + spin, 1e-9);
        }
    }
}

#[test]
fn parameters_set_gravity_and_expressions_know_the_names_of_bodies() {
    for model in MODELS {
        let base = scene(model, THROWN);
        let moon = base.with_overrides(&[("g", 1.62)]).unwrap();
        let (state, ..) = end(&moon, |_| ());
        near(value(&moon, &state, "ball.vz"), 4.0 - 1.62 / 2.0, 1e-9);
        let start = base.start();
        let of = |text: &str| base.function(text).unwrap().value(&start.q, &start.u, start.t);
        near(of("ball.x + ball.y^2 + ball.vz"), 5.0, 1e-12);
        near(of("ball.wz"), 2.0, 1e-12);
        near(of("rate(ball.z)"), 4.0, 1e-12);
        assert!(base.function("ball.xx").is_err());
    }
}

const SLOPE: &str = r#"
gravity = [0, 0, -9.81]
[parameters]
alpha = 0.5
mu = 0.3
[[body]]
name = "slope"
fixed = true
shape = { plane = [0, 0, 1] }
orientation = { axis = [0, 1, 0], angle = "alpha" }
[[body]]
name = "block"
shape = { box = [0.2, 0.1, 0.1] }
mass = 2
position = ["0.05*sin(alpha)", 0, "0.05*cos(alpha)"]
orientation = { axis = [0, 1, 0], angle = "alpha" }
[[contact]]
name = "feet"
between = ["block.bottom", "slope"]
mu = "mu"
[run]
t_end = 0.5
dt = 1e-3
"#;

#[test]
fn a_block_slides_down_a_slope_in_every_model() {
    let (sin, cos) = 0.5_f64.sin_cos();
    let a = 9.81 * (sin - 0.3 * cos);
    for model in MODELS {
        let scene = scene(model, SLOPE);
        let names: Vec<&str> = scene.info().contacts.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["feet.corner1", "feet.corner2", "feet.corner3", "feet.corner4"]);
        for integrator in [Integrator::MoreauMidpoint, Integrator::EventDriven] {
            let (state, ..) = end(&scene, |s| s.step.integrator = integrator);
            near(value(&scene, &state, "block.vx"), a * 0.5 * cos, 1e-7);
            near(value(&scene, &state, "block.vz"), -a * 0.5 * sin, 1e-7);
            near(value(&scene, &state, "block.y"), 0.0, 1e-7);
        }
        // It stays where friction holds it.
        let held = scene.with_overrides(&[("mu", 0.6)]).unwrap();
        let (state, ..) = end(&held, |_| ());
        near(value(&held, &state, "block.vx"), 0.0, 1e-9);
    }
}

#[test]
fn a_ball_slides_until_it_rolls_with_five_sevenths_of_its_speed() {
    let text = r#"
        gravity = [0, 0, -9.81]
        [[body]]
        name = "ball"
        shape = { sphere = 0.1 }
        mass = 1
        position = [0, 0, 0.1]
        velocity = [2, 0, 0]
        [[contact]]
        name = "floor"
        between = ["ball", "ground"]
        mu = 0.2
        [run]
        t_end = 0.5
        dt = 1e-3
    "#;
    for model in MODELS {
        let scene = scene(model, text);
        let (state, ..) = end(&scene, |_| ());
        near(value(&scene, &state, "ball.vx"), 10.0 / 7.0, 1e-6);
        near(value(&scene, &state, "ball.wy"), 100.0 / 7.0, 1e-5);
        // It slides for 2 v₀ / (7 μ g).
        let (_, _, record) = end(&scene, |s| s.step.integrator = Integrator::EventDriven);
        let rolls = record.events.iter().find(|e| e.kind.name() == "sticks").unwrap();
        near(rolls.t, 4.0 / (7.0 * 0.2 * 9.81), 1e-8);
    }
}

#[test]
fn every_formulation_takes_the_block_and_polygons_turn_its_heading() {
    let text = SLOPE
        .replace("angle = \"alpha\"", "angle = 0")
        .replace("mass = 2", "mass = 2\nvelocity = [1, 0.3, 0]");
    let text = text.replace("\"0.05*sin(alpha)\", 0, \"0.05*cos(alpha)\"", "0, 0, 0.05");
    let heading = |formulation: &str| {
        let polygon = if formulation == "cone" { "" } else { "directions = 4" };
        let run = format!("[run]\nformulation = \"{formulation}\"\n{polygon}");
        let scene = scene("rigid", &text.replace("[run]", &run));
        let (state, ..) = end(&scene, |s| s.t_end = 0.2);
        value(&scene, &state, "block.vy") / value(&scene, &state, "block.vx")
    };
    near(heading("cone"), 0.3, 1e-6);
    for formulation in ["stewart_trinkle", "phantom_inertia"] {
        let found = heading(formulation);
        assert!((found - 0.3).abs() > 0.01, "{formulation}: {found}");
    }
}

/// μ = a + b |γ_T|, through a function with an argument: v̇ = −g (a + b v), which stops after ln(1 + b v₀/a)/(g b).
#[test]
fn friction_between_bodies_follows_the_slip_speed() {
    let text = r#"
gravity = [0, 0, -9.81]
[parameters]
a = 0.2
b = 0.3
[functions]
"line(s)" = "a + b*s"
[[body]]
name = "block"
shape = { box = [0.2, 0.2, 0.1] }
mass = 2
position = [0, 0, 0.05]
velocity = [1.2, 1.6, 0]
[[contact]]
name = "floor"
between = ["block.bottom", "ground"]
mu = "line(slip)"
[run]
t_end = 1
dt = 1e-4
"#;
    let (a, b, g, v) = (0.2_f64, 0.3, 9.81, 2.0);
    let stop = (b * v / a).ln_1p() / (g * b);
    let way = (v + a / b) * (1.0 - (-g * b * stop).exp()) / (g * b) - a * stop / b;
    // The law is that of the slip at the end of each step, which is first order in its length.
    for model in ["rigid", "point_masses"] {
        let scene = scene(model, text);
        let (state, ..) = end(&scene, |_| ());
        near(value(&scene, &state, "block.x"), 0.6 * way, g * b * 1e-4 * way);
        near(value(&scene, &state, "block.y"), 0.8 * way, g * b * 1e-4 * way);
        near(value(&scene, &state, "block.vx"), 0.0, 1e-12);
    }
}
