//! Robots in scenes: all models of our own run, smooth motion agrees with MuJoCo, wrong files are reported by their lines.

use std::path::{Path, PathBuf};
use stickslip::model::Model;
use stickslip::run::{End, Report, Settings, run};
use stickslip::step::Integrator;
use stickslip::system::Energy;
use stickslip_scene::{Scene, Visitor};

/// The folder of the models.
fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../stickslip-robots/models")
}

struct Whole<'s>(&'s Scene, Settings);

impl Visitor for Whole<'_> {
    type Output = Report;

    fn visit<M: Model>(self, model: &M) -> Report {
        run(model, &self.0.start(), &self.1, &mut (), &mut ()).unwrap()
    }
}

fn go(scene: &Scene, change: impl FnOnce(&mut Settings)) -> Report {
    let mut settings = scene.settings();
    change(&mut settings);
    scene.model().visit(Whole(scene, settings))
}

/// A scene with robots of the models.
fn scene(text: &str) -> Scene {
    Scene::from_str_in(text, "robots.toml", &models()).unwrap_or_else(|e| panic!("{e}"))
}

/// Every model, and how many things in it have no place or another form, with a part of the first.
const MODELS: [(&str, usize, &str); 15] = [
    ("biped.xml", 8, "`knee_r` would start at 0, outside of its limits"),
    ("cart_pole.xml", 0, ""),
    ("double_pendulum.urdf", 1, "28:5: the file gives no friction"),
    ("four_bar.xml", 3, "26:5: the constraint `same_pin` is left out: it is not active"),
    ("frames.xml", 1, "7:57: the geometry `geometry_3` is an ellipsoid"),
    (
        "furuta.xml",
        1,
        "22:5: the sensor `pendulum_rate` (jointvel) is recorded without the noise that it is given",
    ),
    ("gripper.urdf", 2, "19:3: no controller keeps the greatest speeds of left, right"),
    ("gripper.xml", 2, "25:7: the geometry `ball_geom` has no rolling friction"),
    ("hopper.xml", 0, ""),
    ("masses.xml", 0, ""),
    ("quadruped.urdf", 6, "27:3: the joint `fl_knee` would start at 0"),
    ("quadruped.xml", 9, "27:5: <light> in <worldbody> is not supported"),
    ("rover.xml", 1, "18:5: the body `target` is moved from outside"),
    ("scara.urdf", 4, "63:5: <safety_controller> in <joint> is not supported"),
    ("six_axis_arm.urdf", 2, "32:3: no controller keeps the greatest speeds of a1"),
];

/// How well energies balance: the change beside the work of contacts and forces, as a share of all that was done.
fn imbalance(report: &Report) -> f64 {
    let total = |e: &Energy| e.kinetic + e.potential;
    let change = total(&report.energy_end) - total(&report.energy_start);
    let size = total(&report.energy_start).abs()
        + report.energy_end.kinetic
        + report.contact_work.abs()
        + report.force_work.abs();
    (change - report.contact_work - report.force_work).abs() / size
}

#[test]
fn all_models_run_half_a_second_with_certificates_and_balanced_energies() {
    let mut wrong = Vec::new();
    for (file, count, first) in MODELS {
        let scene = Scene::load(models().join(file)).unwrap_or_else(|e| panic!("{e}"));
        let warnings = scene.warnings();
        // The 4 ms that `quadruped.xml` asks for are too long for its servo of 16,000 N m/rad.
        let report = go(&scene, |s| (s.t_end, s.dt) = (0.5, 1e-4));
        let (worst, off) = (report.certificate.worst, imbalance(&report));
        println!("{file}: {} warnings, certificate {worst:e}, energy {off:e}", warnings.len());
        warnings.iter().for_each(|w| println!("  {}", w.rsplit('/').next().unwrap_or(w)));
        let finite = report.state.q.iter().chain(&report.state.u).all(|x| x.is_finite());
        if report.end != End::Finished || !finite || !(worst <= 1e-9) || !(off < 1e-2) {
            wrong.push(format!("{file}: {:?} {worst:e} {off:e}", report.end));
        }
        if warnings.len() != count || !warnings.iter().take(1).all(|w| w.contains(first)) {
            wrong.push(format!("{file}: {} warnings, {:?}", warnings.len(), warnings.first()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_start_inside_of_others_is_said() {
    let start = Scene::load(models().join("quadruped.xml")).unwrap();
    let said = start.warnings().last().unwrap();
    assert!(said.starts_with("bodies start inside of each other at 4 points, by 4.5"), "{said}");
}

/// What MuJoCo made of the models in `compare/motions`: see `record_motions.py` there.
const MOTIONS: &str = include_str!("../../../stickslip-robots/compare/motions.json");

/// The largest difference from the coordinates of hinges and slides, and from the orientations of links, that MuJoCo recorded.
fn off(file: &str, recorded: &serde_json::Value, integrator: Integrator) -> f64 {
    let folder = models().join("../compare/motions");
    let text = format!("[[robot]]\nfile = \"{file}\"\nkeyframe = \"start\"\n");
    let scene = Scene::from_str_in(&text, file, &folder).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.warnings(), [""; 0], "{file}");
    let report = go(&scene, |s| {
        (s.t_end, s.dt, s.step.integrator) = (0.5, 1e-4, integrator);
    });
    assert_eq!(report.end, End::Finished, "{file}");
    let (own, mut worst) = (&scene.own_info().coordinates, 0.0_f64);
    for (joint, theirs) in recorded["joints"].as_object().unwrap() {
        let named =
            |name: &String| [".angle", ".shift"].iter().any(|e| *name == format!("{joint}{e}"));
        let ours = report.state.q[own.iter().position(named).unwrap()];
        let difference = ours - theirs.as_f64().unwrap();
        println!("{file} {joint} {ours} {difference:e}");
        worst = worst.max(difference.abs());
    }
    let seen = scene.observe(&report.state);
    for (body, theirs) in recorded["bodies"].as_object().unwrap() {
        let qw = format!("{body}.qw");
        let Some(at) = scene.info().coordinates.iter().position(|c| *c == qw) else {
            assert_eq!(body, "tool", "only what is welded on has no coordinates");
            continue;
        };
        let ours = &seen.q[at..at + 4];
        let theirs: Vec<f64> =
            theirs.as_array().unwrap()[3..].iter().map(|x| x.as_f64().unwrap()).collect();
        let sign = ours.iter().zip(&theirs).map(|(a, b)| a * b).sum::<f64>().signum();
        let difference = ours.iter().zip(&theirs).map(|(a, b)| (a - sign * b).abs());
        worst = difference.fold(worst, f64::max);
    }
    worst
}

#[test]
fn smooth_motion_agrees_with_mujoco() {
    let recorded: serde_json::Value = serde_json::from_str(MOTIONS).unwrap();
    let recorded = recorded.as_object().unwrap();
    assert_eq!(recorded.len(), 4);
    for (file, recorded) in recorded {
        let exact = off(file, recorded, Integrator::EventDriven);
        let stepped = off(file, recorded, Integrator::MoreauMidpoint);
        println!("{file}: event_driven {exact:e}, moreau_midpoint {stepped:e}");
        assert!(exact < 1e-11, "{file}: {exact:e}");
        assert!(stepped < 1e-6, "{file}: {stepped:e}");
    }
}

#[test]
fn robots_are_bodies_of_a_scene_with_names_and_places() {
    let both = scene(
        r#"
        [collision]
        mu = 0.4
        [[robot]]
        file = "scara.urdf"
        name = "left"
        joints = { j1 = 0.5, j3 = 0.1 }
        [[robot]]
        file = "scara.urdf"
        name = "right"
        position = [2, 1, 0]
        orientation = { axis = [0, 0, 1], angle = "pi/2" }
        joints = { j1 = 0.5, j3 = 0.1 }
        [[body]]
        name = "box"
        shape = { box = [0.1, 0.1, 0.1] }
        mass = 0.5
        position = [0.5, 0.5, 0.06]
        [[output]]
        name = "height"
        value = "right_quill.z - left_quill.z"
        "#,
    );
    let start = both.observe(&both.start());
    let at = |name: &str| start.q[both.info().coordinates.iter().position(|c| c == name).unwrap()];
    let place = |body: &str| ["x", "y", "z"].map(|axis| at(&format!("{body}.{axis}")));
    let ([x, y, z], [p, q, r]) = (place("left_quill"), place("right_quill"));
    assert!((p - (2.0 - y)).abs() < 1e-12 && (q - (1.0 + x)).abs() < 1e-12, "{p} {q} {x} {y}");
    assert!((z - r).abs() < 1e-12 && (z - (0.33 + 0.02 - 0.1)).abs() < 1e-12, "{z} {r}");
    assert!((x.hypot(y) - 0.45).abs() < 1e-12, "{x} {y}");
    let report = go(&both, |s| (s.t_end, s.dt) = (0.1, 1e-3));
    assert_eq!(report.end, End::Finished);
    assert!(report.certificate.worst <= 1e-9, "{:e}", report.certificate.worst);
    let end = both.observe(&report.state);
    let height = both.info().coordinates.iter().position(|c| c == "box.z").unwrap();
    assert!((end.q[height] - 0.05).abs() < 5e-4, "the box lies on the ground: {}", end.q[height]);
}

#[test]
fn a_robot_moves_alike_in_coordinates_of_joints_and_of_bodies() {
    let folder = models().join("../compare/motions");
    let [joints, bodies] = ["articulated", "rigid"].map(|model| {
        let text = format!(
            "model = \"{model}\"\n[[robot]]\nfile = \"double_pendulum.xml\"\nkeyframe = \"start\"\n"
        );
        let scene = Scene::from_str_in(&text, model, &folder).unwrap_or_else(|e| panic!("{e}"));
        let report = go(&scene, |s| {
            (s.t_end, s.step.integrator) = (0.5, Integrator::EventDriven);
        });
        assert_eq!(report.end, End::Finished);
        scene.observe(&report.state).q
    });
    let off = joints.iter().zip(&bodies).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(off < 1e-9, "{off:e}");
}
