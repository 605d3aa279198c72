//! Bilateral constraints between generalised coordinates: against the same mechanisms in coordinates that need none.

use stickslip::run::{End, Event, Flow, Observer, Report, Sample, run};
use stickslip::step::Integrator;
use stickslip::system::State;
use stickslip_scene::Scene;

fn scene(text: &str) -> Scene {
    Scene::from_str(text, "scene").unwrap_or_else(|error| panic!("{error}"))
}

/// A run with an integrator, a step and an end.
fn run_scene<O: Observer>(
    scene: &Scene,
    integrator: Integrator,
    (dt, t_end): (f64, f64),
    observer: &mut O,
) -> Report {
    struct Run<'a, O>(&'a State, stickslip::run::Settings, &'a mut O);

    impl<O: Observer> stickslip_scene::Visitor for Run<'_, O> {
        type Output = Report;

        fn visit<M: stickslip::model::Model>(self, model: &M) -> Report {
            run(model, self.0, &self.1, self.2, &mut ()).unwrap()
        }
    }

    let mut settings = scene.settings();
    (settings.dt, settings.t_end, settings.sample_dt) = (dt, t_end, t_end / 50.0);
    settings.step.integrator = integrator;
    let report = scene.model().visit(Run(&scene.start(), settings, observer));
    assert_eq!(report.end, End::Finished, "{integrator}");
    report
}

fn end(scene: &Scene, integrator: Integrator, run: (f64, f64)) -> State {
    run_scene(scene, integrator, run, &mut ()).state
}

/// The last column of a run's outputs: the force of the constraint with index `row` among the impulses, per sample.
struct Forces {
    row: usize,
    last: f64,
    found: Vec<(f64, f64)>,
}

impl Observer for Forces {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        let span = sample.t - self.last;
        if span > 0.0 {
            let middle = 0.5 * (sample.t + self.last);
            self.found.push((middle, sample.impulses[self.row] / span));
        }
        self.last = sample.t;
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}
}

const ROD: &str = r#"
[parameters]
m = 2.0
l = 1.5
g = 9.81
e = 0.0
wall = -10.0

[coordinates]
x = { velocity = "vx", start = "l*sin(1)" }
y = { velocity = "vy", start = "-l*cos(1)" }

[energy]
kinetic = "m/2*(vx^2 + vy^2)"
potential = "m*g*y"

[[contact]]
name = "stop"
gap = "x - wall"
eps_n = "e"

[[constraint]]
name = "rod"
zero = "x^2 + y^2 - l^2"
"#;

const ANGLE: &str = r#"
[parameters]
m = 2.0
l = 1.5
g = 9.81
e = 0.0
wall = -10.0

[coordinates]
phi = { velocity = "w", start = 1 }

[energy]
kinetic = "m/2*l^2*w^2"
potential = "-m*g*l*cos(phi)"

[[contact]]
name = "stop"
gap = "l*sin(phi) - wall"
eps_n = "e"
"#;

/// x and y of the pendulum with one coordinate.
fn place(angle: &State, l: f64) -> [f64; 2] {
    [l * angle.q[0].sin(), -l * angle.q[0].cos()]
}

fn apart(a: [f64; 2], b: &[f64]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

#[test]
fn pendulum_in_x_and_y_is_the_one_of_the_angle() {
    let (rod, angle) = (scene(ROD), scene(ANGLE));
    let exact = end(&angle, Integrator::EventDriven, (1e-3, 2.0));
    let exact = place(&exact, 1.5);
    let found = end(&rod, Integrator::EventDriven, (1e-3, 2.0));
    assert!(apart(exact, &found.q) < 1e-9, "event-driven: {}", apart(exact, &found.q));
    // Midpoint rules have second order, the method of gaps has first.
    for (integrator, order) in [
        (Integrator::MoreauMidpoint, 4.0),
        (Integrator::MoreauJean { theta: 0.5 }, 4.0),
        (Integrator::GapLevel, 2.0),
    ] {
        let [coarse, fine] =
            [8e-3, 4e-3].map(|dt| apart(exact, &end(&rod, integrator, (dt, 2.0)).q));
        assert!(fine < 0.05, "{integrator}: {fine}");
        let ratio = coarse / fine;
        assert!((ratio / order - 1.0).abs() < 0.2, "{integrator}: {coarse} {fine}, {ratio}");
    }
}

#[test]
fn constraint_holds_and_does_no_work() {
    let rod = scene(ROD);
    for integrator in Integrator::ALL {
        let report = run_scene(&rod, integrator, (2e-3, 2.0), &mut ());
        let q = &report.state.q;
        assert!((q[0].hypot(q[1]) - 1.5).abs() < 1e-12, "{integrator}");
        let u = &report.state.u;
        assert!((q[0] * u[0] + q[1] * u[1]).abs() < 1e-9, "{integrator}");
        assert!(report.certificate.worst <= 1e-9, "{integrator}");
        assert_eq!(report.energy_created.0, 0, "{integrator}");
        let change = |r: &Report| r.energy_end.total() - r.energy_start.total();
        if matches!(integrator, Integrator::GapLevel | Integrator::PaoliSchatzman) {
            // Methods of first order at the level of positions lose energy with the length of a step.
            let finer = run_scene(&rod, integrator, (1e-3, 2.0), &mut ());
            let (coarse, fine) = (change(&report), change(&finer));
            let halves = (coarse / fine - 2.0).abs() < 0.2;
            assert!(coarse < 0.0 && halves, "{integrator}: {coarse} {fine}");
        } else {
            assert!(change(&report).abs() < 2e-3, "{integrator}: {}", change(&report));
        }
    }
}

/// λ of φ = x² + y² − l²: the rod pulls with 2 l |λ| = m (g cos φ + l φ̇²), which at rest at φ = 1 and by energy is
/// m g (3 cos φ − 2 cos 1).
#[test]
fn force_of_a_constraint_is_the_tension_of_the_rod() {
    let (m, l, g) = (2.0, 1.5, 9.81);
    let (rod, angle) = (scene(ROD), scene(ANGLE));
    for (integrator, within) in
        [(Integrator::MoreauMidpoint, 2e-3), (Integrator::EventDriven, 2e-3)]
    {
        let mut forces = Forces { row: 2, last: 0.0, found: Vec::new() };
        run_scene(&rod, integrator, (1e-3, 0.5), &mut forces);
        assert!(forces.found.len() >= 50, "{integrator}");
        for &(t, lam) in forces.found.iter().step_by(7) {
            let phi = end(&angle, Integrator::EventDriven, (1e-3, t)).q[0];
            let tension = m * g * (3.0 * phi.cos() - 2.0 * 1.0_f64.cos());
            assert!((-2.0 * l * lam / tension - 1.0).abs() < within, "{integrator} {t}: {lam}");
        }
    }
}

#[test]
fn pendulum_that_hits_a_wall_bounces_as_the_one_of_the_angle() {
    for impact in ["newton", "poisson"] {
        let with = |text: &str| {
            let text = format!("{text}\n[run]\nimpact = \"{impact}\"\n");
            scene(&text).with_overrides(&[("wall", -0.3), ("e", 0.6)]).unwrap()
        };
        let (rod, angle) = (with(ROD), with(ANGLE));
        let exact = run_scene(&angle, Integrator::EventDriven, (1e-3, 1.6), &mut ());
        let found = run_scene(&rod, Integrator::EventDriven, (1e-3, 1.6), &mut ());
        assert_eq!((exact.impacts, found.impacts), (1, 1), "{impact}");
        let off = apart(place(&exact.state, 1.5), &found.state.q);
        assert!(off < 1e-9, "{impact}: {off}");
        let stepped = run_scene(&rod, Integrator::MoreauMidpoint, (2e-4, 1.6), &mut ());
        let off = apart(place(&exact.state, 1.5), &stepped.state.q);
        assert!(stepped.impacts == 1 && off < 2e-3, "{impact}: {off}");
    }
}

/// A bead on the parabola y = x², from rest at x = 1: v² = 2 g (1 − y) where it comes through the bottom at y = 0.
#[test]
fn bead_on_a_wire_has_the_speed_of_its_fall() {
    let text = r#"
[coordinates]
x = { velocity = "vx", start = 1 }
y = { velocity = "vy", start = 1 }
[energy]
kinetic = "(vx^2 + vy^2)/2"
potential = "9.81*y"
[[constraint]]
name = "wire"
zero = "y - x^2"
[stop]
when = "x < 0"
"#;
    let bead = scene(text);
    let mut last = [0.0; 2];
    struct Fastest<'a>(&'a mut [f64; 2]);
    impl Observer for Fastest<'_> {
        fn sample(&mut self, s: &Sample<'_>) -> Flow {
            let speed = s.u[0].hypot(s.u[1]);
            if speed > self.0[0] {
                *self.0 = [speed, s.q[0]];
            }
            Flow::Continue
        }

        fn event(&mut self, _: &Event) {}
    }
    for integrator in [Integrator::EventDriven, Integrator::MoreauMidpoint] {
        let report = run_scene(&bead, integrator, (1e-3, 1.0), &mut Fastest(&mut last));
        let speed = (2.0 * 9.81_f64).sqrt();
        // Samples are 0.02 s apart: the fastest is within 0.05 m of the bottom.
        assert!(
            (last[0] / speed - 1.0).abs() < 3e-3 && last[1].abs() < 0.1,
            "{integrator}: {last:?}"
        );
        let q = report.state.q;
        assert!((q[1] - q[0] * q[0]).abs() < 1e-12, "{integrator}");
    }
}

/// A crank of length r turned by time, φ = ω t, a rod l, and a slider: x = r cos φ + √(l² − r² sin² φ). Constraints depend on time, and the
/// piston's force is that of its acceleration.
#[test]
fn slider_crank_is_driven_by_constraints_of_time() {
    let text = r#"
[parameters]
r = 0.1
l = 0.3
w = 10.0
[coordinates]
a = { velocity = "va", start = "r" }
b = { velocity = "vb", start_velocity = "r*w" }
x = { velocity = "v", start = "r + l" }
[energy]
kinetic = "0.1*(va^2 + vb^2)/2 + 0.5*v^2/2"
[[constraint]]
name = "crank_a"
zero = "a - r*cos(w*t)"
[[constraint]]
name = "crank_b"
zero = "b - r*sin(w*t)"
[[constraint]]
name = "rod"
zero = "(x - a)^2 + b^2 - l^2"
"#;
    let crank = scene(text);
    let (r, l, w, t) = (0.1_f64, 0.3_f64, 10.0_f64, 0.37_f64);
    let x = r * (w * t).cos() + (l * l - (r * (w * t).sin()).powi(2)).sqrt();
    let unbalanced = |integrator, dt| {
        let report = run_scene(&crank, integrator, (dt, t), &mut ());
        // All coordinates are given by time: what is left is rounding.
        assert!((report.state.q[2] - x).abs() < 1e-12, "{integrator}: {}", report.state.q[2] - x);
        let change = report.energy_end.total() - report.energy_start.total();
        (change - report.contact_work).abs()
    };
    assert!(unbalanced(Integrator::EventDriven, 1e-3) < 1e-9);
    // What putting velocities back on the constraints of time does to the energy is not in the work of their forces: it is of first order.
    for integrator in [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }] {
        let [coarse, fine] = [1e-3, 5e-4].map(|dt| unbalanced(integrator, dt));
        assert!(fine < 2e-3 && coarse / fine > 1.8, "{integrator}: {coarse} {fine}");
    }
    unbalanced(Integrator::GapLevel, 1e-3);
}

#[test]
fn starts_off_constraints_are_put_right_and_said_or_refused() {
    let near = ROD.replace("l*sin(1)", "l*sin(1) + 1e-3");
    let moved = scene(&near).joined().unwrap();
    assert!(moved.coordinate > 1e-4 && moved.coordinate < 1e-3, "{moved:?}");
    let q = scene(&near).start().q;
    assert!((q[0].hypot(q[1]) - 1.5).abs() < 1e-14);
    assert_eq!(scene(ROD).joined(), None);
    let fast = ROD.replace("\"l*sin(1)\"", "\"l*sin(1)\", start_velocity = 1");
    assert!(scene(&fast).joined().unwrap().velocity > 0.1);
    let far = ROD.replace("l*sin(1)", "l*sin(1) + 0.1");
    let error = Scene::from_str(&far, "scene").unwrap_err();
    assert!(
        error.reason.starts_with("the start breaks the constraint `rod`: it is 2.6"),
        "{error}"
    );
}

/// Two constraints that say the same: the motion is that of one, and the redundancy is reported.
#[test]
fn redundant_constraints_are_counted_and_contradictory_ones_refused() {
    let twice = format!("{ROD}\n[[constraint]]\nname = \"again\"\nzero = \"hypot(x, y) - l\"\n");
    let exact = end(&scene(ROD), Integrator::MoreauMidpoint, (1e-3, 1.0));
    let report = run_scene(&scene(&twice), Integrator::MoreauMidpoint, (1e-3, 1.0), &mut ());
    assert!(report.redundancy == 1, "{}", report.redundancy);
    assert!(apart([exact.q[0], exact.q[1]], &report.state.q) < 1e-6);
    let never =
        format!("{ROD}\n[[constraint]]\nname = \"never\"\nzero = \"hypot(x, y) - 1.001*l\"\n");
    let error = Scene::from_str(&never, "scene").unwrap_err();
    assert!(error.reason.contains("cannot be met"), "{error}");
}
