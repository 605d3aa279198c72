//! Dry friction of joints that goes by their load: closed forms, both ways to the reactions, no silent failure.

use super::AnyModel;
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use stickslip::Error;
use stickslip::bodies::articulated::{self, Tree};
use stickslip::bodies::forces::{Anchor, Constant};
use stickslip::bodies::{Joint, JointKind, MassProperties, Pose, Reaction, Twist, World};
use stickslip::contact::{ContactProblem, Law};
use stickslip::model::{Candidate, FrictionLimit, Model, Span};
use stickslip::step::{self, Integrator, Stepper};
use stickslip::system::{Energy, State};

const G: f64 = 9.81;
/// Joints of rigid bodies inside the model and in the contact problem, and those of a tree.
const WAYS: [Way; 3] = [Way::World(Reaction::Inside), Way::World(Reaction::InProblem), Way::Tree];

#[derive(Clone, Copy, Debug)]
enum Way {
    World(Reaction),
    Tree,
}

/// The lever of the centre of mass, and μ times the pin radius.
const LEVER: f64 = 0.5;
const RUB: f64 = 0.3 * 0.1;

fn rod() -> MassProperties {
    MassProperties::cuboid(2.0, DVec3::new(1.0, 0.1, 0.1)).unwrap()
}

/// A rod on a pin along y through the origin, at an angle from hanging down.
fn pendulum(way: Way, angle: f64) -> (AnyModel, State) {
    let about_y = DQuat::from_rotation_x(-FRAC_PI_2);
    let on = |x: f64| Pose { position: DVec3::new(x, 0.0, 0.0), rotation: about_y };
    let gravity = DVec3::new(0.0, 0.0, -G);
    let Way::World(reaction) = way else {
        let mut tree = Tree::new(gravity).unwrap();
        let joint = articulated::TreeJoint::Revolute;
        let link = tree.link(Tree::GROUND, joint, on(0.0), on(-LEVER), rod()).unwrap();
        tree.pin_friction(link, 0.3, 0.1).unwrap();
        let state = tree.state(&[FRAC_PI_2 - angle], &[0.0]).unwrap();
        return (AnyModel::Tree(Box::new(tree)), state);
    };
    let mut world = World::new(gravity).unwrap().with_reactions(reaction);
    let body = world.body(rod());
    let joint = Joint { kind: JointKind::Revolute, on_first: on(0.0), on_second: on(-LEVER) };
    let pin = world.joint(World::GROUND, body, joint).unwrap();
    world.pin_friction(pin, 0.3, 0.1).unwrap();
    // The rod's x-axis points down at 0.
    let rotation = DQuat::from_rotation_y(FRAC_PI_2 - angle);
    let pose = Pose { position: rotation * DVec3::new(LEVER, 0.0, 0.0), rotation };
    let state = world.state(&[(pose, Twist::default())]).unwrap();
    (AnyModel::World(Box::new(world)), state)
}

/// The angle from hanging down, and its velocity.
fn angle(state: &State) -> [f64; 2] {
    if state.q.len() == 1 {
        return [FRAC_PI_2 - state.q[0], -state.u[0]];
    }
    [state.q[0].atan2(-state.q[2]), -state.u[4]]
}

fn march(m: &AnyModel, state: &mut State, steps: usize, dt: f64, method: Integrator) -> f64 {
    let settings = step::Settings { integrator: method, ..step::Settings::default() };
    let mut stepper = m.stepper(settings).unwrap();
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        stepper.step(m, state, dt).unwrap().done().unwrap();
        worst = worst.max(stepper.outcome().load_error);
    }
    worst
}

#[test]
fn a_pendulum_with_pin_friction_rests_within_its_band_and_no_farther() {
    // m g l sin φ = μ r m g.
    let band = (RUB / LEVER).asin();
    for way in WAYS {
        for method in Integrator::STEPPING {
            let (world, mut state) = pendulum(way, band * (1.0 - 1e-6));
            march(&world, &mut state, 50, 1e-2, method);
            let [found, speed] = angle(&state);
            let off = (found / band - 1.0).abs();
            assert!(off < 2e-6 && speed.abs() < 1e-9, "{way:?} {method}: {off} {speed}");
            let (world, mut state) = pendulum(way, band * 1.01);
            march(&world, &mut state, 50, 1e-2, method);
            assert!(angle(&state)[0] < band * 1.005, "{way:?} {method}: {state:?}");
        }
    }
}

/// φ̈ with the friction of the reaction that it leads to.
fn acceleration([phi, rate]: [f64; 2]) -> f64 {
    let (m, inertia) = (2.0, rod().inertia().y_axis.y + 2.0 * LEVER * LEVER);
    let mut found = 0.0;
    for _ in 0..60 {
        let along = m * (G * phi.cos() + LEVER * rate * rate);
        let across = m * (G * phi.sin() + LEVER * found);
        let friction = RUB * along.hypot(across) * rate.signum();
        found = (-m * G * LEVER * phi.sin() - friction) / inertia;
    }
    found
}

/// By Runge and Kutta's method of order four, until a time or the end of a swing.
fn reference(mut x: [f64; 2], t_end: f64, turns: bool) -> [f64; 2] {
    let dt = 1e-5;
    let f = |x: [f64; 2]| [x[1], acceleration(x)];
    let add = |x: [f64; 2], h: f64, d: [f64; 2]| [x[0] + h * d[0], x[1] + h * d[1]];
    // From rest it begins to fall.
    x[1] = -1e-300;
    for _ in 0..(t_end / dt).round() as usize {
        let a = f(x);
        let b = f(add(x, 0.5 * dt, a));
        let c = f(add(x, 0.5 * dt, b));
        let d = f(add(x, dt, c));
        let slope = |i: usize| (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0;
        let next = add(x, dt, [slope(0), slope(1)]);
        if turns && next[1] >= 0.0 {
            return x;
        }
        x = next;
    }
    x
}

#[test]
fn a_swing_against_pin_friction_is_of_the_order_of_the_method_inside_in_the_problem_and_in_a_tree()
{
    let exact = reference([1.0, 0.0], 0.5, false);
    for (method, expected) in [
        (Integrator::MoreauMidpoint, 2.0),
        (Integrator::MoreauJean { theta: 0.5 }, 2.0),
        (Integrator::GapLevel, 1.0),
    ] {
        let mut ends = Vec::new();
        for way in WAYS {
            let errors = [2e-3, 1e-3].map(|dt| {
                let (world, mut state) = pendulum(way, 1.0);
                let worst = march(&world, &mut state, (0.5 / dt) as usize, dt, method);
                assert!(worst <= 1e-9, "{worst}");
                ends.push(angle(&state)[0]);
                (angle(&state)[0] - exact[0]).abs()
            });
            let order = (errors[0] / errors[1]).log2();
            assert!((order - expected).abs() < 0.2, "{way:?} {method}: {errors:?} {order}");
        }
        assert!((ends[1] - ends[3]).abs() < 1e-8, "{method}: {ends:?}");
    }
}

#[test]
fn the_energy_lost_per_swing_is_that_of_the_reference() {
    let turned = reference([1.0, 0.0], 3.0, true)[0];
    let height = |phi: f64| 2.0 * G * LEVER * (1.0 - phi.cos());
    let lost = height(1.0) - height(turned);
    for way in WAYS {
        let (world, mut state) = pendulum(way, 1.0);
        let settings = step::Settings::default();
        let mut stepper = world.stepper(settings).unwrap();
        let mut least = f64::INFINITY;
        for _ in 0..1200 {
            stepper.step(&world, &mut state, 1e-3).unwrap().done().unwrap();
            let now = angle(&state)[0];
            if now > least {
                break;
            }
            least = now;
        }
        let found = height(1.0) - height(least);
        assert!((found / lost - 1.0).abs() < 1e-4, "{way:?}: {found} {lost}");
        assert!(lost > 0.05 * height(1.0), "friction took something");
    }
}

/// A body that a joint of this kind at `on` holds to the ground, with a force on it.
fn held(
    way: Way,
    kind: JointKind,
    on: [Pose; 2],
    mass: MassProperties,
    (gravity, force): (DVec3, DVec3),
    (mu, radius): (f64, f64),
) -> AnyModel {
    let load = |at: Anchor| Constant { at, force, torque: DVec3::ZERO, turns: false };
    if let Way::World(reaction) = way {
        let mut world = World::new(gravity).unwrap().with_reactions(reaction);
        let body = world.body(mass);
        let joint = Joint { kind, on_first: on[0], on_second: on[1] };
        let joint = world.joint(World::GROUND, body, joint).unwrap();
        match kind {
            JointKind::Prismatic => world.guide_friction(joint, mu).unwrap(),
            _ => world.pin_friction(joint, mu, radius).unwrap(),
        }
        world.force(load(Anchor::on(body, DVec3::ZERO))).unwrap();
        return AnyModel::World(Box::new(world));
    }
    let mut tree = Tree::new(gravity).unwrap();
    let guide = kind == JointKind::Prismatic;
    let joint =
        if guide { articulated::TreeJoint::Prismatic } else { articulated::TreeJoint::Spherical };
    let link = tree.link(Tree::GROUND, joint, on[0], on[1], mass).unwrap();
    let done =
        if guide { tree.guide_friction(link, mu) } else { tree.pin_friction(link, mu, radius) };
    done.unwrap();
    tree.force(load(Anchor::on(link, DVec3::ZERO))).unwrap();
    AnyModel::Tree(Box::new(tree))
}

#[test]
fn a_slider_under_a_side_load_slows_by_mu_times_load_over_mass_and_stops() {
    let (m, mu, load, v) = (2.0, 0.25, DVec3::new(0.0, 3.0, -4.0), 1.0);
    let mass = MassProperties::cuboid(m, DVec3::splat(0.2)).unwrap();
    let frame = Pose { position: DVec3::ZERO, rotation: DQuat::from_rotation_y(FRAC_PI_2) };
    for way in WAYS {
        for method in Integrator::STEPPING {
            let loads = (DVec3::ZERO, load);
            let model = held(way, JointKind::Prismatic, [frame; 2], mass, loads, (mu, 0.0));
            let (n, f) = (model.coordinates(), model.velocities());
            let mut state = State::new(vec![0.0; n], vec![0.0; f]);
            state.u[0] = v;
            if n == 7 {
                state.q[3] = 1.0;
            }
            march(&model, &mut state, 100, 1e-2, method);
            let slowed = v - mu * 5.0 / m;
            assert!((state.u[0] - slowed).abs() < 1e-8, "{way:?} {method}: {}", state.u[0]);
            march(&model, &mut state, 100, 1e-2, method);
            assert!(state.u[0].abs() < 1e-9, "{way:?} {method}: {}", state.u[0]);
        }
    }
}

#[test]
fn a_ball_joint_slows_the_spin_of_what_hangs_on_it_by_its_weight() {
    let (m, mu, radius, spin) = (1.5, 0.2, 0.05, 6.0);
    let mass = MassProperties::cuboid(m, DVec3::new(0.4, 0.4, 0.2)).unwrap();
    let on = [Pose::default(), Pose::at(DVec3::new(0.0, 0.0, 0.3))];
    for way in WAYS {
        // Half of the weight by gravity, half by a force.
        let half = DVec3::new(0.0, 0.0, -0.5 * G);
        let model = held(way, JointKind::Spherical, on, mass, (half, m * half), (mu, radius));
        let (n, f) = (model.coordinates(), model.velocities());
        let mut state = State::new(vec![0.0; n], vec![0.0; f]);
        state.q[n - 4] = 1.0;
        if n == 7 {
            state.q[2] = -0.3;
        }
        state.u[f - 1] = spin;
        march(&model, &mut state, 200, 5e-3, Integrator::MoreauMidpoint);
        let expected = spin - mu * radius * m * G / mass.inertia().z_axis.z;
        let found = state.u[f - 1];
        assert!(expected > 0.0 && (found - expected).abs() < 1e-7, "{way:?}: {found} {expected}");
    }
}

#[test]
fn friction_that_does_not_fit_a_joint_is_refused() {
    let text = |r: Result<(), Error>| r.unwrap_err().to_string();
    let (still, mut world) = (Pose::default(), World::default());
    let body = world.body(rod());
    let joint = Joint { kind: JointKind::Revolute, on_first: still, on_second: still };
    world.joint(World::GROUND, body, joint).unwrap();
    assert!(text(world.guide_friction(0, 0.1)).contains("prismatic joints have guides"));
    assert!(text(world.pin_friction(1, 0.1, 0.1)).contains("the number of a joint is 1"));
    assert!(text(world.pin_friction(0, -0.1, 0.1)).contains("mu of joint 0"));
    assert!(text(world.pin_friction(0, 0.1, f64::NAN)).contains("the pin radius of joint 0"));
    let mut tree = Tree::new(DVec3::ZERO).unwrap();
    let joint = articulated::TreeJoint::Revolute;
    let link = tree.link(Tree::GROUND, joint, still, still, rod()).unwrap();
    assert!(text(tree.guide_friction(link, 0.1)).contains("prismatic joints have guides"));
    assert!(text(tree.pin_friction(Tree::GROUND, 0.1, 0.1)).contains("the ground has no joint"));
    assert!(text(tree.pin_friction(link, 0.1, -1.0)).contains("the pin radius of link 1"));
}

/// A unit mass whose friction is loaded twice as much by itself: no limit settles while it slides.
struct Fickle;

impl Model for Fickle {
    type Place = ();

    fn coordinates(&self) -> usize {
        1
    }
    fn velocities(&self) -> usize {
        1
    }
    fn detect(&self, _: &mut (), _: &Span<'_>, out: &mut Vec<Candidate>) -> Result<(), Error> {
        out.push(Candidate { identity: 0, gap: None });
        Ok(())
    }
    fn law<'a>(&'a self, _: &'a (), _: usize) -> &'a Law {
        static LAW: std::sync::LazyLock<Law> = std::sync::LazyLock::new(|| {
            Law::dry(0.0, stickslip::contact::set::ConvexSet::Interval)
        });
        &LAW
    }
    fn free(&self, _: &mut (), step: &Span<'_>, out: &mut [f64]) -> Result<(), Error> {
        out.copy_from_slice(step.u);
        Ok(())
    }
    fn collect(&self, _: &mut (), _: &[usize]) {}
    fn relative_velocity(&self, _: &(), u: &[f64], gamma: &mut Vec<f64>) {
        gamma.clear();
        gamma.extend_from_slice(u);
    }
    fn friction_limits(
        &self,
        _: &mut (),
        l: &[f64],
        _: &[f64],
        out: &mut Vec<Option<FrictionLimit>>,
    ) {
        let limit = 2.0 * l[0].abs() + 1e-3;
        out.push(Some(FrictionLimit { limit, scale: limit }));
    }
    fn pose(
        &self,
        _: &mut (),
        b: &[f64],
        laws: &[Law],
        p: &mut ContactProblem,
    ) -> Result<(), Error> {
        *p = ContactProblem::new(complementarity::Matrix::identity(1), b.to_vec(), laws.to_vec())?;
        Ok(())
    }
    fn apply(&self, _: &(), impulse: &[f64], u: &mut [f64]) {
        u[0] += impulse[0];
    }
    fn momentum_error(&self, _: &mut (), _: &[f64], _: &[f64], _: &[f64]) -> f64 {
        0.0
    }
    fn advance(&self, q: &[f64], a: &[f64], b: &[f64], dt: f64, out: &mut [f64]) {
        out[0] = q[0] + 0.5 * dt * (a[0] + b[0]);
    }
    fn energy(&self, _: &[f64], _: &[f64], _: f64) -> Energy {
        Energy::default()
    }
}

#[test]
fn friction_whose_limit_does_not_settle_leaves_the_step_unsolved_and_the_state_alone() {
    // At 1e40 the limit would settle only where friction stops the mass.
    let mut state = State::new(vec![0.0], vec![1e40]);
    let before = state.clone();
    let mut stepper = Stepper::new(&Fickle, step::Settings::default()).unwrap();
    let unsolved = stepper.step(&Fickle, &mut state, 0.1, &mut ()).unwrap().done().unwrap_err();
    assert!(unsolved.worst > 1e-3, "{unsolved:?}");
    assert_eq!(state, before);
    // A user's own mechanism has the midpoint rule alone, and says so.
    let method = Integrator::GapLevel;
    let settings = step::Settings { integrator: method, ..step::Settings::default() };
    let mut stepper = Stepper::new(&Fickle, settings).unwrap();
    let error = stepper.step(&Fickle, &mut state, 0.1, &mut ()).unwrap_err().to_string();
    assert!(error.contains("gap_level") && error.contains("user's own"), "{error}");
}
