//! Friction between bodies that depends on where they are and on time, in every body model, against closed forms.

use crate::gallery::{Record, near};
use crate::space::{MODELS, end, scene, value};
use stickslip::model::Model;
use stickslip::run::{Settings, run};
use stickslip::step::Integrator;
use stickslip_scene::{Scene, Visitor};

/// A block that slides on its four corners with 2 m/s.
fn sliding(mu: &str) -> String {
    format!(
        r#"
gravity = [0, 0, -10]
[[body]]
name = "base"
fixed = true
[[body]]
name = "block"
shape = {{ box = [0.4, 0.4, 0.02] }}
mass = 2
position = [0, 0, 0.01]
velocity = [2, 0, 0]
[[contact]]
between = ["block.bottom", "ground"]
mu = "{mu}"
[run]
t_end = 1
dt = 1e-2
"#
    )
}

/// v²/2 = v₀²/2 − g (μ₀ x + k x²/2), which ends where x = (√(μ₀² + k v₀²/g) − μ₀)/k.
#[test]
fn a_floor_that_gets_rougher_stops_a_block_where_its_energy_is_spent() {
    let (rough, k): (f64, f64) = (0.1, 0.5);
    let stop = ((rough * rough + k * 4.0 / 10.0).sqrt() - rough) / k;
    for model in MODELS {
        let scene = scene(model, &sliding("0.1 + 0.5*block.x"));
        let error = |dt: f64| {
            let (state, ..) = end(&scene, |s| s.dt = dt);
            near(value(&scene, &state, "block.vx"), 0.0, 1e-9);
            (value(&scene, &state, "block.x") - stop).abs()
        };
        let (coarse, fine) = (error(1e-2), error(2.5e-3));
        // The step in which the block stops is cut off: second order in the distance.
        assert!(coarse < 3e-4 && fine < 3e-5, "{model}: {coarse:e}, {fine:e}");
    }
}

/// The midpoint of every step lies on one side of the switch, so that the impulse μ m g t is exact.
#[test]
fn friction_that_is_switched_off_leaves_the_velocity_alone_from_then_on() {
    for model in MODELS {
        let scene = scene(model, &sliding("if(t < 0.3, 0.4, 0)"));
        let (state, ..) = end(&scene, |_| ());
        near(value(&scene, &state, "block.vx"), 2.0 - 0.4 * 10.0 * 0.3, 1e-9);
        near(value(&scene, &state, "block.x"), 2.0 * 0.3 - 2.0 * 0.09 + 0.8 * 0.7, 1e-9);
    }
}

/// v̇ = −g (0.2 − 0.05 v) while μ is that of the slip speed; none after t = 0.2.
#[test]
fn place_time_and_slip_speed_go_together() {
    for model in MODELS {
        let scene = scene(model, &sliding("(0.2 - 0.05*slip)*(t < 0.2)*(block.y < 1)"));
        let (state, ..) = end(&scene, |s| s.dt = 1e-3);
        // v − 4 grows by the factor e^(g 0.05 t).
        near(value(&scene, &state, "block.vx"), 4.0 - 2.0 * (0.1_f64).exp(), 1e-4);
    }
}

/// Why a run is refused, or fails.
struct Refused<'a>(&'a Scene, Settings);

impl Visitor for Refused<'_> {
    type Output = String;

    fn visit<M: Model>(self, model: &M) -> String {
        let run = run(model, &self.0.start(), &self.1, &mut Record::default(), &mut ());
        match run {
            Ok(report) => format!("{:?}", report.end),
            Err(error) => error.to_string(),
        }
    }
}

#[test]
fn a_coefficient_that_becomes_negative_ends_the_run_with_its_time() {
    for model in MODELS {
        let scene = scene(model, &sliding("0.1 - t"));
        let text = scene.model().visit(Refused(&scene, scene.settings()));
        assert!(text.contains("mu of contact 0 at t = 0.1"), "{model}: {text}");
    }
}

#[test]
fn event_driven_refuses_it_with_the_reason() {
    for model in MODELS {
        let scene = scene(model, &sliding("0.1 + 0.5*block.x"));
        let mut settings = scene.settings();
        settings.step.integrator = Integrator::EventDriven;
        let text = scene.model().visit(Refused(&scene, settings));
        assert!(text.contains("depends on the configuration or on time"), "{model}: {text}");
    }
}
