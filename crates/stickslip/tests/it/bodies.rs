//! Rigid bodies in space against closed forms.

use glam::{DMat3, DQuat, DVec3};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, SpinUpdate, Twist, World};
use stickslip::contact::{ContactProblem, Law};
use stickslip::model::{Model, Span};
use stickslip::step::{self, Stepper};
use stickslip::system::State;

const G: f64 = 9.81;

fn go(world: &World, state: &mut State, t_end: f64, dt: f64) -> f64 {
    let mut stepper = Stepper::new(world, step::Settings::default()).unwrap();
    let steps = (t_end / dt).round() as usize;
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        stepper.step(world, state, dt, &mut ()).unwrap().done().unwrap();
        worst = worst.max(stepper.outcome().certificate.worst);
    }
    worst
}

fn sphere_on_ground(mu: f64, radius: f64) -> World {
    let mut world = World::new(DVec3::new(0.0, 0.0, -G)).unwrap();
    let ball = world.body(MassProperties::sphere(2.0, radius).unwrap());
    let touching =
        pair(Shape::Sphere(DVec3::ZERO, radius), Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
    world.contact(ball, World::GROUND, touching, Law::disc(mu)).unwrap();
    world
}

#[test]
fn a_ball_that_slides_rolls_after_its_time_with_five_sevenths_of_its_speed() {
    let (mu, radius, v0) = (0.2, 0.5, 3.0);
    let world = sphere_on_ground(mu, radius);
    let start = Pose::at(DVec3::new(0.0, 0.0, radius));
    let twist = Twist { linear: DVec3::new(v0, 0.0, 0.0), angular: DVec3::ZERO };
    let mut state = world.state(&[(start, twist)]).unwrap();
    // While it slides: v = v₀ − μ g t and ω = 5 μ g t / (2 r).
    let slide = 2.0 * v0 / (7.0 * mu * G);
    let t = 0.5 * slide;
    let worst = go(&world, &mut state, t, t / 500.0);
    assert!(worst < 1e-9, "{worst}");
    assert!((state.u[0] - (v0 - mu * G * t)).abs() < 1e-9, "{:?}", state.u);
    assert!((state.u[4] - 2.5 * mu * G * t / radius).abs() < 1e-9, "{:?}", state.u);
    go(&world, &mut state, slide, slide / 500.0);
    assert!((state.u[0] - 5.0 / 7.0 * v0).abs() < 1e-9, "{:?}", state.u);
    assert!((state.u[4] - 5.0 / 7.0 * v0 / radius).abs() < 1e-9);
    assert!(state.u[2].abs() < 1e-12 && (state.q[2] - radius).abs() < 1e-12);
}

#[test]
fn free_rotation_keeps_what_its_update_promises() {
    let body = MassProperties::new(1.0, DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.5))).unwrap();
    for update in SpinUpdate::ALL {
        let mut world = World::new(DVec3::ZERO).unwrap().with_update(update);
        world.body(body);
        let twist = Twist { linear: DVec3::ZERO, angular: DVec3::new(0.1, 3.0, 0.2) };
        let mut state = world.state(&[(Pose::default(), twist)]).unwrap();
        let (energy, momentum) =
            (world.energy(&state.q, &state.u, 0.0).total(), world.momentum(&state).1);
        go(&world, &mut state, 4.0, 1e-3);
        let lost = (world.energy(&state.q, &state.u, 0.0).total() / energy - 1.0).abs();
        let turned = (world.momentum(&state).1 - momentum).length() / momentum.length();
        match update {
            SpinUpdate::SemiImplicit => assert!(lost < 0.1 && turned < 0.1, "{lost} {turned}"),
            SpinUpdate::ImplicitMidpoint => assert!(lost < 1e-13, "{lost}"),
            SpinUpdate::Variational => assert!(turned < 1e-13, "{turned}"),
        }
    }
}

#[test]
fn bad_bodies_are_refused_by_name() {
    for (mass, moments, expected) in [
        (0.0, DVec3::ONE, "mass is 0"),
        (-1.0, DVec3::ONE, "mass is -1"),
        (f64::NAN, DVec3::ONE, "mass is NaN"),
        (1.0, DVec3::new(1.0, 1.0, 3.0), "triangle inequality"),
        (1.0, DVec3::new(0.0, 1.0, 1.0), "least principal moment"),
        (1.0, DVec3::new(1.0, 1.0, f64::INFINITY), "inertia[2][2]"),
    ] {
        let error =
            MassProperties::new(mass, DMat3::from_diagonal(moments)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    for (made, expected) in [
        (MassProperties::sphere(1.0, -0.1), "the radius of a sphere is -0.1"),
        (
            MassProperties::cuboid(1.0, DVec3::new(1.0, -1.0, 1.0)),
            "the edge of a box along y is -1",
        ),
        (MassProperties::cylinder(1.0, -1.0, 1.0), "the radius of a cylinder is -1"),
        (MassProperties::cylinder(1.0, 1.0, -1.0), "the height of a cylinder is -1"),
        (MassProperties::new(1e-320, DMat3::IDENTITY), "inverse of mass and inertia is inf"),
    ] {
        let error = made.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let world = sphere_on_ground(0.1, 1.0);
    let off = Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 1.1), ..Pose::default() };
    let error = world.state(&[(off, Twist::default())]).unwrap_err().to_string();
    assert!(error.contains("quaternion of body 1 is 1.1"), "{error}");
}

#[test]
fn the_inverse_of_an_inertia_is_right_far_from_the_size_one() {
    for size in [1e-200, 1e-110, 1.0, 1e110, 1e200] {
        let inertia = DMat3::from_diagonal(size * DVec3::new(2.0, 3.0, 4.0));
        let inverse = MassProperties::new(1.0, inertia).unwrap().inverse_inertia();
        let off = (inverse * inertia - DMat3::IDENTITY).to_cols_array();
        assert!(off.iter().all(|x| x.abs() < 1e-14), "{size:e}: {inverse:?}");
    }
}

/// W by bodies, which many contacts have, is W by blocks, which few of the same contacts have.
#[test]
fn many_contacts_have_the_same_matrix_as_few() {
    let mut world = World::new(DVec3::new(0.0, 0.0, -G)).unwrap();
    let sizes = [DVec3::new(0.4, 0.3, 0.2), DVec3::new(0.5, 0.7, 0.1)];
    let bodies = sizes.map(|size| world.body(MassProperties::cuboid(1.5, size).unwrap()));
    let plane = Shape::Plane(0.1 * DVec3::X, DVec3::Z);
    let count = 510;
    for i in 0..count {
        let point = Shape::Point(DVec3::new((i as f64).sin(), (2.0 * i as f64).cos(), 0.1));
        let against = if i % 3 == 0 { World::GROUND } else { bodies[i % 2] };
        world
            .contact(bodies[1 - i % 2], against, pair(point, plane).unwrap(), Law::disc(0.5))
            .unwrap();
    }
    let turned = |x: f64| Pose {
        position: x * DVec3::ONE,
        rotation: DQuat::from_scaled_axis(DVec3::new(0.3 + x, -0.8, 0.5)),
    };
    let state = world.state(&[(turned(0.1), Twist::default()), (turned(0.6), Twist::default())]);
    let state = state.unwrap();
    let matrix = |active: &[usize]| {
        let (mut place, mut candidates) = (Default::default(), Vec::new());
        world.detect(&mut place, &Span::still(&state), &mut candidates).unwrap();
        world.collect(&mut place, active);
        let laws: Vec<Law> = active.iter().map(|&i| world.law(&place, i).clone()).collect();
        let mut problem = ContactProblem::default();
        world.pose(&mut place, &vec![0.0; 3 * laws.len()], &laws, &mut problem).unwrap();
        (problem.delassus().as_bodies().is_some(), problem.delassus().to_dense())
    };
    let (many, some) = ((0..count).collect::<Vec<_>>(), (200..260).collect::<Vec<_>>());
    let ((by_bodies, all), (also, few)) = (matrix(&many), matrix(&some));
    assert!(by_bodies && !also);
    for r in 0..few.rows() {
        for c in 0..few.rows() {
            let (a, b) = (few.row(r)[c], all.row(600 + r)[600 + c]);
            assert!((a - b).abs() < 1e-12 * few.row(r)[r].max(few.row(c)[c]), "{r} {c}: {a} {b}");
        }
    }
}
