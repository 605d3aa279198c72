//! Sensors of robots and joints that follow others, against closed forms.

use crate::sensed::Run;
use std::path::{Path, PathBuf};
use stickslip::model::Model;
use stickslip::run::{Report, Settings, run};
use stickslip::step::Integrator;
use stickslip_scene::{Scene, Visitor};

fn folder(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("robot.xml"), text).unwrap();
    folder
}

/// A lamp of 2 kg that hangs on a hinge, above a block of 3 kg on the ground.
const SENSED: &str = r#"<mujoco>
  <option timestep="0.002" gravity="0 0 -10"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="lamp" pos="0 0 2">
      <joint name="swing" axis="0 1 0"/>
      <site name="hook" euler="90 0 0"/>
      <site name="end" pos="0 0 -0.5"/>
      <geom name="bulb" pos="0 0 -0.4" size="0.1" mass="2"/>
    </body>
    <body name="block" pos="0 0 0.2">
      <freejoint/>
      <site name="pad"/>
      <geom name="cube" type="box" size="0.2 0.2 0.2" mass="3"/>
    </body>
  </worldbody>
  <sensor>
    <force name="pull" site="hook"/>
    <torque name="twist" site="hook"/>
    <jointpos name="swing" joint="swing"/>
    <jointvel name="rate" joint="swing"/>
    <framepos name="tip" objtype="site" objname="end"/>
    <framequat name="turned" objtype="site" objname="hook"/>
    <framelinvel name="moves" objtype="body" objname="lamp" noise="0.1"/>
    <touch name="press" site="pad"/>
    <distance name="gap" geom1="bulb" geom2="cube"/>
    <accelerometer name="shake" site="hook"/>
    <framequat name="inertial" objtype="body" objname="lamp"/>
    <subtreecom name="whole" body="lamp"/>
  </sensor>
</mujoco>"#;

#[test]
fn sensors_of_mjcf_measure_and_those_that_do_not_are_named() {
    let folder = folder("robot_sensors", SENSED);
    let text = "[[robot]]\nfile = \"robot.xml\"\n[run]\nt_end = 0.1\n";
    let run = Run::within(&folder, text);
    // The site is turned by a quarter about x: its y axis points along z of the world.
    run.last("pull.fx", 0.0, 1e-9);
    run.last("pull.fy", 20.0, 1e-9);
    run.last("twist.tz", 0.0, 1e-9);
    run.last("swing_sensor.angle", 0.0, 1e-12);
    run.last("rate.rate", 0.0, 1e-12);
    run.last("tip.z", 1.5, 1e-12);
    run.last("turned.qx", 0.5_f64.sqrt(), 1e-12);
    run.last("moves.vx", 0.0, 1e-12);
    run.last("press.normal", 30.0, 1e-6);
    run.last("gap", 2.0 - 0.5 - 0.4, 1e-9);
    let scene = Scene::from_str_in(text, "scene", &folder).unwrap();
    let all = scene.warnings().join("\n");
    for said in [
        "the sensor `shake` (accelerometer) is left out: scenes have no such sensor",
        "the sensor `inertial` (framequat) is left out: principal axes",
        "the sensor `whole` (subtreecom) is left out",
        "the sensor `moves` (framelinvel) is recorded without the noise that it is given",
        "the sensor `press` (touch) sums the normal forces of all contacts",
    ] {
        assert!(all.contains(said), "{said} is not in\n{all}");
    }
    assert_eq!(scene.warnings().len(), 5, "{all}");
    // The step is that of the file, unless the scene says another.
    assert_eq!(scene.settings().dt, 2e-3);
    assert!(scene.file_dt().unwrap().1.ends_with("robot.xml"));
    let other = Scene::from_str_in(&format!("{text}dt = 1e-3\n"), "scene", &folder).unwrap();
    assert_eq!(other.settings().dt, 1e-3);
}

struct Whole<'s>(&'s Scene, Settings);

impl Visitor for Whole<'_> {
    type Output = Report;

    fn visit<M: Model>(self, model: &M) -> Report {
        run(model, &self.0.start(), &self.1, &mut (), &mut ()).unwrap()
    }
}

/// Coordinates and the report at the end of a run.
fn end(folder: &Path, text: &str, integrator: Integrator, t_end: f64) -> (Scene, Report) {
    let scene = Scene::from_str_in(text, "scene", folder).unwrap_or_else(|e| panic!("{e}"));
    let mut settings = scene.settings();
    (settings.t_end, settings.dt, settings.step.integrator) = (t_end, 1e-3, integrator);
    let report = scene.model().visit(Whole(&scene, settings));
    (scene, report)
}

/// Two slides along z, of 1 kg and 3 kg, and a relation between them.
fn slides(coefficients: &str) -> String {
    format!(
        r#"<mujoco><option gravity="0 0 -10"/><worldbody>
        <body name="a"><joint name="first" type="slide" axis="0 0 1"/><geom size="0.1" mass="1"/></body>
        <body name="b" pos="1 0 0"><joint name="second" type="slide" axis="0 0 1"/><geom size="0.1" mass="3"/></body>
        </worldbody>
        <equality><joint name="link" joint1="first" joint2="second" polycoef="{coefficients}"/></equality></mujoco>"#
    )
}

const ALL: [Integrator; 4] = [
    Integrator::MoreauMidpoint,
    Integrator::MoreauJean { theta: 0.5 },
    Integrator::GapLevel,
    Integrator::EventDriven,
];

#[test]
fn slides_that_are_coupled_fall_as_one_mass() {
    // q₁ = −2 q₂: (4 m₁ + m₂) q₂¨ = −g (m₂ − 2 m₁).
    let folder = folder("coupled_slides", &slides("0 -2"));
    let text = "[[robot]]\nfile = \"robot.xml\"\ncollides = false\n";
    for integrator in ALL {
        let (_, report) = end(&folder, text, integrator, 0.5);
        let [first, second] = report.state.q[..] else { panic!("{:?}", report.state.q) };
        let expected = -0.5 * 10.0 * (3.0 - 2.0) / (4.0 + 3.0) * 0.25;
        assert!((second - expected).abs() < 1e-3, "{integrator:?}: {second} is not {expected}");
        assert!((first + 2.0 * second).abs() < 1e-12, "{integrator:?}: {first} {second}");
        if integrator != Integrator::GapLevel {
            assert!((second - expected).abs() < 1e-12, "{integrator:?}: {second}");
        }
    }
}

#[test]
fn a_polynomial_between_coordinates_keeps_energy() {
    // The first rides on a parabola of the second.
    let folder = folder("coupled_cam", &slides("0 0.5 1.5 -0.2"));
    let text = "[[robot]]\nfile = \"robot.xml\"\ncollides = false\n";
    for (integrator, tolerance) in [(ALL[0], 1e-4), (ALL[3], 1e-9)] {
        let (_, report) = end(&folder, text, integrator, 0.8);
        let [first, second] = report.state.q[..] else { panic!("{:?}", report.state.q) };
        let expected = 0.5 * second + 1.5 * second.powi(2) - 0.2 * second.powi(3);
        assert!((first - expected).abs() < 1e-9, "{integrator:?}: {first} is not {expected}");
        assert!(second.abs() > 0.1, "it moves: {second}");
        let total = |e: &stickslip::system::Energy| e.kinetic + e.potential;
        let change = total(&report.energy_end) - total(&report.energy_start);
        let size = report.energy_end.kinetic.max(1.0);
        assert!(change.abs() < tolerance * size, "{integrator:?}: {change:e}");
    }
}

#[test]
fn a_finger_that_mimics_another_follows_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../stickslip-robots/models");
    let text = "[[robot]]\nfile = \"gripper.urdf\"\njoints = { left = 0.01 }\n";
    let scene = Scene::from_str_in(text, "gripper", &folder).unwrap();
    assert!(!scene.warnings().iter().any(|w| w.contains("mimic")), "{:?}", scene.warnings());
    let names = &scene.own_info().coordinates;
    let at = |name: &str| names.iter().position(|n| n == name).unwrap();
    let (left, right) = (at("left.shift"), at("right.shift"));
    assert!((scene.start().q[right] - 0.011).abs() < 1e-12);
    let (_, report) = end(&folder, text, Integrator::MoreauMidpoint, 0.2);
    let q = &report.state.q;
    assert!((q[right] - q[left] - 0.001).abs() < 1e-12, "{} {}", q[left], q[right]);
}
