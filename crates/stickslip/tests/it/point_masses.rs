//! Bodies of four point masses: the same bodies, the same contact problems, the same motion as rigid ones.

use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;
use std::sync::Arc;
use stickslip::bodies::forces::{BodyIndex, Custom};
use stickslip::bodies::point_masses::{ContactRows, DistanceStep, Tetrahedron};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, PointMassWorld, Pose, Shape, SpinUpdate, Twist, World};
use stickslip::contact::Law;
use stickslip::model::{Model, Span};
use stickslip::step::{self, Stepper};
use stickslip::system::State;

const BOX: DVec3 = DVec3::new(0.4, 0.25, 0.1);

fn cuboid() -> MassProperties {
    MassProperties::cuboid(1.3, BOX).unwrap()
}

fn tumble() -> (Pose, Twist) {
    let rotation = DQuat::from_scaled_axis(DVec3::new(0.3, -0.8, 0.5));
    let pose = Pose { position: DVec3::new(0.1, 0.2, 0.3), rotation };
    (pose, Twist { linear: DVec3::new(0.5, -0.2, 0.1), angular: DVec3::new(1.0, 4.0, -2.0) })
}

fn march<M: Model>(world: &M, state: &mut State, steps: usize, dt: f64) -> f64 {
    let mut stepper = Stepper::new(world, step::Settings::default()).unwrap();
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        stepper.step(world, state, dt, &mut ()).unwrap().done().unwrap();
        worst = worst.max(stepper.outcome().certificate.worst);
    }
    worst
}

/// Any tensor of inertia that a body which is not flat can have, in any axes.
fn any_body() -> impl Strategy<Value = MassProperties> {
    let moments = prop::array::uniform3(0.01..1.0_f64);
    (0.1..10.0_f64, moments, prop::array::uniform3(-3.0..3.0_f64)).prop_map(|(mass, s, turn)| {
        let r = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::from(turn)));
        let i = mass * DVec3::new(s[1] + s[2], s[0] + s[2], s[0] + s[1]);
        MassProperties::new(mass, r * DMat3::from_diagonal(i) * r.transpose()).unwrap()
    })
}

fn vector() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-2.0..2.0_f64).prop_map(DVec3::from)
}

proptest! {
    #[test]
    fn four_masses_have_the_mass_centre_and_inertia_of_the_body(body in any_body()) {
        let each = 0.25 * body.mass();
        let local = Tetrahedron::new(body).unwrap().local();
        let centre: DVec3 = local.iter().sum();
        prop_assert!(centre.length() < 1e-14 * local[0].length() * 10.0);
        let mut inertia = DMat3::ZERO;
        for x in local {
            let outer = DMat3::from_cols(x.x * x, x.y * x, x.z * x);
            inertia += each * (DMat3::from_diagonal(DVec3::splat(x.length_squared())) - outer);
        }
        let off = (inertia - body.inertia()).to_cols_array().map(f64::abs);
        let size = body.inertia().to_cols_array().map(f64::abs);
        let most = |x: [f64; 9]| x.into_iter().fold(0.0, f64::max);
        prop_assert!(most(off) < 1e-14 * most(size), "{off:?}");
    }

    #[test]
    fn motions_survive_the_way_to_masses_and_back(
        body in any_body(), turn in vector(), place in vector(), v in vector(), w in vector(),
    ) {
        let masses = Tetrahedron::new(body).unwrap();
        let rotation = DQuat::from_scaled_axis(turn);
        let pose = Pose { position: place, rotation };
        let (q, u) = masses.masses(&pose, &Twist { linear: v, angular: w });
        let (pose, twist) = masses.motion(&q, &u);
        prop_assert!((pose.position - place).length() < 1e-14);
        prop_assert!(1.0 - pose.rotation.dot(rotation).abs() < 1e-13);
        prop_assert!((twist.linear - v).length() < 1e-14);
        prop_assert!((twist.angular - w).length() < 1e-11 * (1.0 + v.length() + w.length()));
    }

    #[test]
    fn both_contact_rows_give_the_velocity_of_the_point_on_rigid_motions(
        body in any_body(), turn in vector(), v in vector(), w in vector(), p in vector(), d in vector(),
    ) {
        let masses = Tetrahedron::new(body).unwrap();
        let pose = Pose { position: DVec3::new(0.3, 0.1, -0.2), rotation: DQuat::from_scaled_axis(turn) };
        let twist = Twist { linear: v, angular: w };
        let (q, u) = masses.masses(&pose, &twist);
        let expected = d.dot(twist.at(p - pose.position));
        for rows in ContactRows::ALL {
            let found: f64 = rows.along(&q, p, d).iter().zip(u).map(|(r, u)| r.dot(u)).sum();
            prop_assert!((found - expected).abs() < 1e-11, "{rows:?}: {found} {expected}");
        }
    }
}

#[test]
fn flat_bodies_are_refused_with_the_reason() {
    for flat in [
        MassProperties::cylinder(1.0, 0.5, 0.0).unwrap(),
        MassProperties::new(2.0, DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0))).unwrap(),
    ] {
        let error = Tetrahedron::new(flat).unwrap_err().to_string();
        assert!(error.contains("flat body") && error.contains("rigid model"), "{error}");
    }
    assert!(Tetrahedron::new(MassProperties::cylinder(1.0, 0.5, 0.01).unwrap()).is_ok());
}

#[test]
fn states_off_the_distances_are_refused_by_name() {
    let mut world = PointMassWorld::new(DVec3::ZERO).unwrap();
    world.body(cuboid()).unwrap();
    let good = world.state(&[tumble()]).unwrap();
    let mut stretched = good.clone();
    stretched.q[0] += 1e-3;
    let error = world.validate(&stretched.q, &stretched.u).unwrap_err().to_string();
    assert!(error.contains("distances of the masses of body 1"), "{error}");
    let mirrored: Vec<f64> = good.q.iter().map(|x| -x).collect();
    let error = world.validate(&mirrored, &good.u).unwrap_err().to_string();
    assert!(error.contains("mirrored"), "{error}");
}

fn with_contacts<W>(
    world: &mut W,
    body: stickslip::bodies::Body,
    law: &Law,
    touch: impl Fn(&mut W, stickslip::bodies::Body, DVec3, &Law),
) {
    for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        touch(world, body, 0.5 * BOX * DVec3::new(x, y, -1.0), law);
    }
}

fn rigid_box(gravity: f64, law: &Law) -> World {
    let mut world = World::new(DVec3::new(0.0, 0.0, -gravity)).unwrap();
    let body = world.body(cuboid());
    with_contacts(&mut world, body, law, |w, body, point, law| {
        let touching = pair(Shape::Point(point), Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
        w.contact(body, World::GROUND, touching, law.clone()).unwrap();
    });
    world
}

fn point_box(gravity: f64, law: &Law) -> PointMassWorld {
    let mut world = PointMassWorld::new(DVec3::new(0.0, 0.0, -gravity)).unwrap();
    let body = world.body(cuboid()).unwrap();
    with_contacts(&mut world, body, law, |w, body, point, law| {
        let touching = pair(Shape::Point(point), Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
        w.contact(body, PointMassWorld::GROUND, touching, law.clone()).unwrap();
    });
    world
}

/// W of all candidates at a pose.
fn delassus<M: Model>(world: &M, state: &State) -> Vec<f64> {
    let (mut place, mut candidates) = (M::Place::default(), Vec::new());
    world.detect(&mut place, &Span::still(state), &mut candidates).unwrap();
    let all: Vec<usize> = (0..candidates.len()).collect();
    world.collect(&mut place, &all);
    let laws: Vec<Law> = all.iter().map(|&i| world.law(&place, i).clone()).collect();
    let bias = vec![0.0; laws.iter().map(Law::components).sum()];
    let mut problem = Default::default();
    world.pose(&mut place, &bias, &laws, &mut problem).unwrap();
    let w = problem.delassus().to_dense();
    (0..w.rows()).flat_map(|i| w.row(i).to_vec()).collect()
}

#[test]
fn the_contact_problem_is_that_of_the_rigid_body() {
    let law = Law::disc(0.5);
    let rigid = rigid_box(9.81, &law);
    let start = rigid.state(&[tumble()]).unwrap();
    let expected = delassus(&rigid, &start);
    for rows in ContactRows::ALL {
        let world = point_box(9.81, &law).with_rows(rows);
        let state = world.state(&[tumble()]).unwrap();
        let found = delassus(&world, &state);
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-11 * expected[0], "{rows:?}: {a} {b}");
        }
    }
}

#[test]
fn shake_moves_the_masses_as_the_variational_update_turns_the_body() {
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    let mut rigid = World::new(gravity).unwrap().with_update(SpinUpdate::Variational);
    let mut masses = PointMassWorld::new(gravity).unwrap().with_step(DistanceStep::Shake);
    let (a, b) = (rigid.body(cuboid()), masses.body(cuboid()).unwrap());
    // A torque, so that forces are compared too.
    let part = BodyIndex::from(a).index();
    let torque = Arc::new(Custom::new(move |_, t, loads| {
        loads[part].torque += DVec3::new(0.02 * t, -0.01, 0.03);
    }));
    rigid.force(torque.clone()).unwrap();
    masses.force(torque).unwrap();
    let mut x = rigid.state(&[tumble()]).unwrap();
    let mut y = masses.state(&[tumble()]).unwrap();
    march(&rigid, &mut x, 200, 5e-3);
    march(&masses, &mut y, 200, 5e-3);
    let ((pose, twist), (p, t)) = (rigid.motion(a, &x), masses.motion(b, &y));
    assert!((pose.position - p.position).length() < 1e-11);
    assert!(1.0 - pose.rotation.dot(p.rotation).abs() < 1e-11, "{pose:?} {p:?}");
    assert!((twist.angular - t.angular).length() < 1e-9, "{twist:?} {t:?}");
    assert!((twist.angular - tumble().1.angular).length() > 1.0, "nothing happened");
}

#[test]
fn bars_keep_momentum_to_rounding_and_distances_to_their_order() {
    for step in DistanceStep::ALL {
        let mut world = PointMassWorld::new(DVec3::ZERO).unwrap().with_step(step);
        world.body(cuboid()).unwrap();
        let mut state = world.state(&[tumble()]).unwrap();
        let before = world.momentum(&state);
        march(&world, &mut state, 2000, 1e-3);
        world.validate(&state.q, &state.u).unwrap();
        let after = world.momentum(&state);
        let lost = (after.1 - before.1).length() / before.1.length();
        assert!((after.0 - before.0).length() < 1e-12 * before.0.length(), "{step}");
        let bound = if step == DistanceStep::Shake { 1e-11 } else { 1e-2 };
        assert!(lost < bound, "{step}: {lost}");
    }
}

#[test]
fn a_box_lands_the_same_way_in_both_models_with_every_row_and_solver_tolerance() {
    let law = Law::disc(0.3);
    let start = Pose { position: DVec3::new(0.0, 0.0, 0.2), ..tumble().0 };
    let twist = Twist { linear: DVec3::new(0.4, 0.1, 0.0), angular: DVec3::new(0.5, 0.3, 1.0) };
    let rigid = rigid_box(9.81, &law);
    let mut x = rigid.state(&[(start, twist)]).unwrap();
    assert!(march(&rigid, &mut x, 300, 1e-3) < 1e-9);
    let reference = Pose { position: DVec3::new(x.q[0], x.q[1], x.q[2]), ..Pose::default() };
    for rows in ContactRows::ALL {
        for step in DistanceStep::ALL {
            let world = point_box(9.81, &law).with_rows(rows).with_step(step);
            let mut y = world.state(&[(start, twist)]).unwrap();
            assert!(march(&world, &mut y, 300, 1e-3) < 1e-9);
            let centre = (0..3).map(|k| 0.25 * (0..4).map(|i| y.q[3 * i + k]).sum::<f64>());
            let centre: Vec<f64> = centre.collect();
            let off = (DVec3::new(centre[0], centre[1], centre[2]) - reference.position).length();
            assert!(off < 5e-3, "{rows:?} {step}: {off}");
        }
    }
}
