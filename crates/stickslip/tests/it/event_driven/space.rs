//! Bodies in space by the event-driven integrator, against closed forms.

use super::systems::Log;
use glam::{DMat3, DQuat, DVec3};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::{Law, Mode};
use stickslip::events::{Settings, run_event_driven};
use stickslip::run::{End, EventKind, Report};
use stickslip::system::State;

pub(super) const G: f64 = 9.81;

pub(super) fn go(world: &World, start: &State, t_end: f64) -> (Report, Log) {
    let mut log = Log::default();
    let settings = Settings { t_end, ..Settings::default() };
    let report = run_event_driven(world, start, &settings, &mut log).unwrap();
    assert_eq!(report.end, End::Finished, "{report:?}");
    assert!(report.certificate.worst < 1e-9, "{report:?}");
    (report, log)
}

pub(super) fn balances(report: &Report) {
    let change = report.energy_end.total() - report.energy_start.total();
    let size = report.energy_start.total().abs() + report.energy_end.total().abs();
    assert!((change - report.contact_work).abs() < 1e-12 * size, "{change} {report:?}");
}

/// A world with one body that touches the ground by these shapes.
pub(super) fn on_ground(mass: MassProperties, shapes: &[Shape], law: &Law) -> World {
    let mut world = World::new(DVec3::new(0.0, 0.0, -G)).unwrap();
    let body = world.body(mass);
    for shape in shapes {
        let touching = pair(*shape, Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
        world.contact(body, World::GROUND, touching, law.clone()).unwrap();
    }
    world
}

fn ball(radius: f64, law: Law) -> World {
    let mass = MassProperties::sphere(2.0, radius).unwrap();
    on_ground(mass, &[Shape::Sphere(DVec3::ZERO, radius)], &law)
}

pub(super) fn place(world: &World, position: DVec3, linear: DVec3, angular: DVec3) -> State {
    world.state(&[(Pose::at(position), Twist { linear, angular })]).unwrap()
}

pub(super) fn position(state: &State) -> DVec3 {
    DVec3::from_slice(&state.q)
}

pub(super) fn velocity(state: &State) -> DVec3 {
    DVec3::from_slice(&state.u)
}

pub(super) fn spin(state: &State) -> DVec3 {
    DVec3::from_slice(&state.u[3..])
}

#[test]
fn a_ball_slides_until_it_rolls_with_five_sevenths_of_its_speed() {
    let (mu, radius, v0) = (0.2, 0.5, 3.0);
    let world = ball(radius, Law::disc(mu));
    let start = place(&world, radius * DVec3::Z, v0 * DVec3::X, DVec3::ZERO);
    let (report, log) = go(&world, &start, 1.0);
    let rolls = 2.0 * v0 / (7.0 * mu * G);
    let sticks = log.times(0, EventKind::Sticks);
    assert!(sticks.len() == 1 && (sticks[0] - rolls).abs() < 1e-13, "{sticks:?} {rolls}");
    let v = 5.0 / 7.0 * v0;
    assert!((velocity(&report.state) - v * DVec3::X).length() < 1e-12, "{:?}", report.state);
    let path = v0 * rolls - 0.5 * mu * G * rolls * rolls + v * (1.0 - rolls);
    assert!((position(&report.state) - DVec3::new(path, 0.0, radius)).length() < 1e-12);
    assert_eq!(log.samples.last().unwrap().3, [Mode::Stick]);
    balances(&report);
}

#[test]
fn a_ball_with_side_spin_goes_along_a_parabola_and_then_straight() {
    // The slip velocity of a homogeneous ball keeps its direction, and falls at 7/2 μ g.
    let (mu, r) = (0.15, 0.3);
    let world = ball(r, Law::disc(mu));
    let (v0, w0) = (DVec3::new(2.0, 0.7, 0.0), DVec3::new(4.0, -3.0, 6.0));
    let start = place(&world, r * DVec3::Z, v0, w0);
    let t_end = 1.2;
    let (report, log) = go(&world, &start, t_end);
    let slip = v0 + w0.cross(-r * DVec3::Z);
    let (along, ends) = (slip.normalize(), slip.length() / (3.5 * mu * G));
    let sticks = log.times(0, EventKind::Sticks)[0];
    assert!((sticks - ends).abs() < 1e-13, "{sticks} {ends}");
    let v = v0 - mu * G * ends * along;
    let way = v0 * ends - 0.5 * mu * G * ends * ends * along + v * (t_end - ends);
    assert!((velocity(&report.state) - v).length() < 1e-12, "{:?} {v}", report.state);
    assert!((position(&report.state) - way - r * DVec3::Z).length() < 1e-12);
    assert!((spin(&report.state).z - 6.0).abs() < 1e-12, "spin about the normal is kept");
    balances(&report);
}

#[test]
fn a_block_slides_straight_on_in_every_direction_and_stops_at_v_squared_over_2_mu_g() {
    let (mu, v0, h) = (0.3, 1.5, 0.05);
    let mass = MassProperties::cuboid(1.3, DVec3::new(0.6, 0.4, 2.0 * h)).unwrap();
    let corner = |x: f64, y: f64| Shape::Point(DVec3::new(0.3 * x, 0.2 * y, -h));
    let corners = [corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(-1.0, -1.0)];
    for degrees in [0.0_f64, 15.0, 30.0, 45.0] {
        let world = on_ground(mass, &corners, &Law::disc(mu));
        let (s, c) = degrees.to_radians().sin_cos();
        let heading = DVec3::new(c, s, 0.0);
        let start = place(&world, h * DVec3::Z, v0 * heading, DVec3::ZERO);
        let (report, log) = go(&world, &start, 1.0);
        let stop = v0 * v0 / (2.0 * mu * G) * heading + h * DVec3::Z;
        assert!((position(&report.state) - stop).length() < 1e-12, "{degrees} {:?}", report.state);
        let sticks = log.times(0, EventKind::Sticks);
        assert!((sticks[0] - v0 / (mu * G)).abs() < 1e-12, "{degrees} {sticks:?}");
        assert!(velocity(&report.state).length() < 1e-14, "{:?}", report.state);
        assert!(spin(&report.state).length() < 1e-12, "{:?}", report.state);
        balances(&report);
    }
}

#[test]
fn a_free_body_keeps_energy_and_momentum() {
    let mut world = World::new(DVec3::ZERO).unwrap();
    let inertia = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.5));
    world.body(MassProperties::new(1.0, inertia).unwrap());
    // Close to the unstable axis: it turns over again and again.
    let start = place(&world, DVec3::ZERO, DVec3::X, DVec3::new(0.1, 3.0, 0.2));
    let (report, _) = go(&world, &start, 100.0);
    let (before, after) = (world.momentum(&start), world.momentum(&report.state));
    // The momentum about the origin has a part of the path.
    assert!((before.0 - after.0).length() < 1e-13);
    assert!(
        (before.1 - after.1).length() < 1e-13 * before.1.length() * 30.0,
        "{before:?} {after:?}"
    );
    let (a, b) = (report.energy_start.total(), report.energy_end.total());
    assert!((a - b).abs() < 1e-13 * a * 10.0, "{a} {b}");
    let length = DQuat::from_slice(&report.state.q[3..]).length();
    assert!((length - 1.0).abs() < 1e-15);
}

#[test]
fn a_symmetric_body_precesses_about_its_momentum() {
    // J₁ = J₂: the axis turns about the momentum with L / J₁.
    let (across, axial) = (2.0, 3.0);
    let mut world = World::new(DVec3::ZERO).unwrap();
    let inertia = DMat3::from_diagonal(DVec3::new(across, across, axial));
    world.body(MassProperties::new(1.0, inertia).unwrap());
    let w = DVec3::new(0.8, 0.0, 5.0);
    let start = place(&world, DVec3::ZERO, DVec3::ZERO, w);
    let t = 7.3;
    let (report, _) = go(&world, &start, t);
    let l = DVec3::new(across * w.x, 0.0, axial * w.z);
    let axis = DQuat::from_axis_angle(l.normalize(), l.length() / across * t) * DVec3::Z;
    let turned = DQuat::from_xyzw(
        report.state.q[4],
        report.state.q[5],
        report.state.q[6],
        report.state.q[3],
    );
    assert!((turned * DVec3::Z - axis).length() < 1e-12, "{} {axis}", turned * DVec3::Z);
}

#[test]
fn a_bouncing_ball_comes_to_rest_where_its_impacts_accumulate() {
    let (r, drop, eps) = (0.1, 0.8, 0.7);
    let world = ball(r, Law::disc(0.3).with_restitution(eps, 0.0));
    let start = place(&world, (r + drop) * DVec3::Z, DVec3::ZERO, DVec3::ZERO);
    let (report, log) = go(&world, &start, 4.0);
    let fall = (2.0 * drop / G).sqrt();
    let impacts = log.times(0, EventKind::Impact);
    let (mut t, mut flight) = (fall, 2.0 * eps * fall);
    for impact in impacts.iter().take(12) {
        assert!((impact - t).abs() < 1e-13, "{impact} {t}");
        t += flight;
        flight *= eps;
    }
    let ends = fall * (1.0 + eps) / (1.0 - eps);
    let rests = log.times(0, EventKind::Accumulation);
    assert!(rests.len() == 1 && (rests[0] - ends).abs() < 1e-10, "{rests:?} {ends}");
    assert!((position(&report.state) - r * DVec3::Z).length() < 1e-12, "{:?}", report.state);
}
