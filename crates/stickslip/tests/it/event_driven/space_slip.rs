//! Slip in space that begins, turns and ends, and rolling.

use super::rocking;
use super::space::{G, balances, go, on_ground, place, position, spin, velocity};
use super::systems::Log;
use glam::{DQuat, DVec3};
use std::sync::Arc;
use stickslip::Error;
use stickslip::bodies::forces::{Force, Load};
use stickslip::bodies::proximity::{Pair, Proximity, pair};
use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Generalised;
use stickslip::run::{End, EventKind};
use stickslip::system::State;

/// A force on the first body that depends on time.
struct Pull<F>(F);

impl<F: Fn(f64) -> DVec3 + Send + Sync> Force for Pull<F> {
    fn validate(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn act(&self, _: &[(Pose, Twist)], t: f64, loads: &mut [Load]) {
        loads[1].push(DVec3::ZERO, (self.0)(t));
    }
}

const FLAT: f64 = 0.02;

/// A low block on four corners.
fn block(mass: f64, mu: f64) -> World {
    let body = MassProperties::cuboid(mass, DVec3::new(0.6, 0.4, 2.0 * FLAT)).unwrap();
    let corner = |x: f64, y: f64| Shape::Point(DVec3::new(0.3 * x, 0.2 * y, -FLAT));
    let corners = [corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(-1.0, -1.0)];
    on_ground(body, &corners, &Law::disc(mu))
}

#[test]
fn a_block_slips_when_a_growing_force_reaches_the_limit_of_friction() {
    let (m, mu, k) = (1.7, 0.4, 9.0);
    for degrees in [0.0_f64, 30.0, 77.0] {
        let (s, c) = degrees.to_radians().sin_cos();
        let heading = DVec3::new(c, s, 0.0);
        let mut world = block(m, mu);
        world.force(Pull(move |t: f64| k * t * heading)).unwrap();
        let start = place(&world, FLAT * DVec3::Z, DVec3::ZERO, DVec3::ZERO);
        let t_end = 1.3;
        let (report, log) = go(&world, &start, t_end);
        let slips = mu * m * G / k;
        let times = log.times(0, EventKind::Slips);
        assert!(times.len() == 1 && (times[0] - slips).abs() < 1e-13, "{times:?} {slips}");
        let since = t_end - slips;
        let v = k / m * since * since / 2.0 * heading;
        let x = k / m * since.powi(3) / 6.0 * heading + FLAT * DVec3::Z;
        assert!((velocity(&report.state) - v).length() < 1e-12, "{degrees} {:?} {v}", report.state);
        assert!((position(&report.state) - x).length() < 1e-12, "{degrees} {:?} {x}", report.state);
        assert!(spin(&report.state).length() < 1e-11, "{:?}", report.state);
    }
}

#[test]
fn a_force_that_turns_drives_a_block_round_a_circle() {
    // F along the slip balances friction, F across it turns the velocity.
    let (m, mu, w) = (0.9, 0.35, 4.0);
    let f = 1.6 * mu * m * G;
    let v = (f * f - (mu * m * G).powi(2)).sqrt() / (m * w);
    let ahead = (mu * m * G / f).acos();
    let mut world = block(m, mu);
    world
        .force(Pull(move |t: f64| {
            let (s, c) = (w * t + ahead).sin_cos();
            f * DVec3::new(c, s, 0.0)
        }))
        .unwrap();
    let start = place(&world, FLAT * DVec3::Z, v * DVec3::X, DVec3::ZERO);
    let t = 3.0;
    let (report, log) = go(&world, &start, t);
    assert!(log.times(0, EventKind::Sticks).is_empty());
    let (s, c) = (w * t).sin_cos();
    let exact = v * DVec3::new(c, s, 0.0);
    assert!((velocity(&report.state) - exact).length() < 1e-11, "{:?} {exact}", report.state);
    let place = v / w * DVec3::new(s, 1.0 - c, 0.0) + FLAT * DVec3::Z;
    assert!((position(&report.state) - place).length() < 1e-11, "{:?} {place}", report.state);
}

#[test]
fn a_slip_that_starts_along_a_turning_force_does_not_depend_on_the_length_of_steps() {
    let (m, mu) = (1.0, 0.3);
    let ends: Vec<State> = [f64::INFINITY, 0.02, 0.005]
        .into_iter()
        .map(|max_step| {
            let mut world = block(m, mu);
            world
                .force(Pull(move |t: f64| {
                    let (s, c) = (5.0 * t).sin_cos();
                    8.0 * t * DVec3::new(c, s, 0.0)
                }))
                .unwrap();
            let start = place(&world, FLAT * DVec3::Z, DVec3::ZERO, DVec3::ZERO);
            let settings = Settings { t_end: 1.0, max_step, ..Settings::default() };
            let report = run_event_driven(&world, &start, &settings, &mut ()).unwrap();
            assert_eq!(report.end, End::Finished, "{max_step}");
            report.state
        })
        .collect();
    for other in &ends[1..] {
        let off = (velocity(&ends[0]) - velocity(other)).length();
        assert!(off < 1e-11 && velocity(other).length() > 0.1, "{off} {other:?}");
        assert!((position(&ends[0]) - position(other)).length() < 1e-11);
    }
}

#[test]
fn a_spinning_block_comes_to_rest_with_its_energy_accounted_for() {
    let world = block(1.0, 0.4);
    let start = place(&world, FLAT * DVec3::Z, DVec3::new(0.8, 0.3, 0.0), 2.5 * DVec3::Z);
    let (report, _) = go(&world, &start, 1.0);
    assert!(velocity(&report.state).length() < 1e-12, "{:?}", report.state);
    assert!(spin(&report.state).length() < 1e-12, "{:?}", report.state);
    balances(&report);
}

#[test]
fn a_ball_on_a_turning_table_goes_round_with_two_sevenths_of_its_speed() {
    let (r, turn) = (0.1, 3.0);
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(MassProperties::sphere(0.4, r).unwrap());
    let table = world.prescribed(move |t| {
        let rotation = DQuat::from_rotation_z(turn * t);
        let pose = Pose { position: DVec3::ZERO, rotation };
        (pose, Twist { linear: DVec3::ZERO, angular: turn * DVec3::Z })
    });
    let touching =
        pair(Shape::Sphere(DVec3::ZERO, r), Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
    world.contact(body, table, touching, Law::disc(1.0)).unwrap();
    // v + ω × (−r z) = Ω z × x.
    let (x, v) = (DVec3::new(0.5, 0.2, 0.0), DVec3::new(0.3, -0.4, 0.0));
    let rolls = (turn * DVec3::Z.cross(x) - v) / r;
    let w = DVec3::new(rolls.y, -rolls.x, 0.7);
    let start = place(&world, x + r * DVec3::Z, v, w);
    let t = 5.0;
    let (report, _) = go(&world, &start, t);
    let round = 2.0 / 7.0 * turn;
    let turned = DQuat::from_rotation_z(round * t);
    assert!((velocity(&report.state) - turned * v).length() < 1e-12, "{:?}", report.state);
    let centre = x + DVec3::Z.cross(v) / round;
    let exact = centre + turned * (x - centre) + r * DVec3::Z;
    assert!((position(&report.state) - exact).length() < 1e-12, "{:?} {exact}", report.state);
    balances(&report);
}

#[test]
fn a_ball_on_a_shaken_table_that_holds_it_moves_with_two_sevenths_of_the_table() {
    // Rolling on a table that moves by s(t): v̇ = 2/7 s̈.
    let (r, a, w) = (0.2, 0.05, 7.0);
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(MassProperties::sphere(1.0, r).unwrap());
    let table = world.prescribed(move |t| {
        let (s, c) = (w * t).sin_cos();
        let pose = Pose::at(a * s * DVec3::X);
        (pose, Twist { linear: a * w * c * DVec3::X, angular: DVec3::ZERO })
    });
    let touching =
        pair(Shape::Sphere(DVec3::ZERO, r), Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
    world.contact(body, table, touching, Law::disc(0.8)).unwrap();
    let start = place(
        &world,
        r * DVec3::Z,
        2.0 / 7.0 * a * w * DVec3::X,
        DVec3::new(0.0, -5.0 / 7.0 * a * w / r, 0.0),
    );
    let t = 2.0;
    let (report, _) = go(&world, &start, t);
    let exact = 2.0 / 7.0 * a * (w * t).sin() * DVec3::X + r * DVec3::Z;
    assert!((position(&report.state) - exact).length() < 1e-11, "{:?} {exact}", report.state);
}

#[test]
fn a_disc_rolls_round_a_circle_at_the_angle_that_holds_it() {
    // Ω² sin α (J₁ cos α + J₃ ρ/R + m R ρ) = m g R cos α for a disc inclined by α whose centre goes round a circle of radius ρ.
    let (m, r) = (0.7, 0.2);
    let (across, axial) = (0.25 * m * r * r, 0.5 * m * r * r);
    for (degrees, circle) in [(60.0_f64, 0.5), (75.0, 1.5)] {
        let alpha = degrees.to_radians();
        let (s, c) = alpha.sin_cos();
        let round =
            (m * G * r * c / (s * (across * c + axial * circle / r + m * r * circle))).sqrt();
        let mass = MassProperties::cylinder(m, r, 0.0).unwrap();
        let edge = Shape::Disc(DVec3::ZERO, DVec3::Z, r);
        let world = on_ground(mass, &[edge], &Law::disc(1.0));
        let axis = DVec3::new(s, 0.0, c);
        let angular = round * DVec3::Z - round * (circle / r + c) * axis;
        let pose = Pose {
            position: DVec3::new(circle, 0.0, r * s),
            rotation: DQuat::from_rotation_arc(DVec3::Z, axis),
        };
        let twist = Twist { linear: round * circle * DVec3::Y, angular };
        let start = world.state(&[(pose, twist)]).unwrap();
        let t = 1.5;
        let (report, log) = go(&world, &start, t);
        assert!(log.times(0, EventKind::Slips).is_empty());
        let exact = DQuat::from_rotation_z(round * t) * pose.position;
        let off = (position(&report.state) - exact).length();
        assert!(off < 1e-11, "{degrees} {off} {:?} {exact}", report.state);
        balances(&report);
    }
}

#[test]
fn an_upright_disc_rolls_straight_on() {
    let (m, r, v) = (0.7, 0.2, 3.0);
    let mass = MassProperties::cylinder(m, r, 0.0).unwrap();
    let world = on_ground(mass, &[Shape::Disc(DVec3::ZERO, DVec3::Z, r)], &Law::disc(0.5));
    let pose =
        Pose { position: r * DVec3::Z, rotation: DQuat::from_rotation_arc(DVec3::Z, DVec3::Y) };
    let twist = Twist { linear: v * DVec3::X, angular: v / r * DVec3::Y };
    let start = world.state(&[(pose, twist)]).unwrap();
    let (report, _) = go(&world, &start, 2.0);
    let exact = DVec3::new(2.0 * v, 0.0, r);
    assert!((position(&report.state) - exact).length() < 1e-12, "{:?}", report.state);
}

/// A ball on top of a fixed sphere, both of given radii, with a small speed.
fn ball_on_sphere(radius: f64, r: f64, speed: f64, law: Law) -> (World, State) {
    ball_towards(DVec3::new(0.8, 0.6, 0.0), radius, r, speed, law)
}

fn ball_towards(along: DVec3, radius: f64, r: f64, speed: f64, law: Law) -> (World, State) {
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(MassProperties::sphere(1.3, r).unwrap());
    let touching = pair(Shape::Sphere(DVec3::ZERO, r), Shape::Sphere(DVec3::ZERO, radius)).unwrap();
    world.contact(body, World::GROUND, touching, law).unwrap();
    let rolls = speed / r * DVec3::Z.cross(along);
    let start = place(&world, (radius + r) * DVec3::Z, speed * along, rolls);
    (world, start)
}

#[test]
fn a_ball_without_friction_leaves_a_sphere_at_two_thirds_of_its_height() {
    let (radius, r, v) = (1.0, 0.2, 0.5);
    for law in [Law::frictionless(), Law::disc(0.0)] {
        let (world, start) = ball_on_sphere(radius, r, v, law);
        let (_, log) = go(&world, &start, 1.0);
        let leaves = log.times(0, EventKind::Opens)[0];
        let (report, _) = go(&world, &start, leaves);
        let cosine = position(&report.state).z / (radius + r);
        let exact = 2.0 / 3.0 + v * v / (3.0 * G * (radius + r));
        assert!((cosine - exact).abs() < 1e-12, "{cosine} {exact}");
    }
}

#[test]
fn a_ball_that_rolls_down_a_sphere_slips_where_friction_reaches_its_limit_and_then_leaves() {
    let (radius, r, v, mu) = (1.0, 0.2, 0.5, 0.4);
    let (world, start) = ball_on_sphere(radius, r, v, Law::disc(mu));
    let (report, log) = go(&world, &start, 1.0);
    balances(&report);
    let slips = log.times(0, EventKind::Slips)[0];
    assert!(!log.times(0, EventKind::Opens).is_empty(), "{:?}", log.events);
    let (report, _) = go(&world, &start, slips);
    let c = position(&report.state).z / (radius + r);
    // Rolling: v² = v₀² + 10/7 g (R + r)(1 − c); F = 2/7 m g sin, N = m g c − m v²/(R + r).
    let square = v * v + 10.0 / 7.0 * G * (radius + r) * (1.0 - c);
    let (friction, normal) = (2.0 / 7.0 * G * (1.0 - c * c).sqrt(), G * c - square / (radius + r));
    assert!((friction - mu * normal).abs() < 1e-11, "{friction} {normal}");
    assert!((velocity(&report.state).length_squared() - square).abs() < 1e-11);
}

#[test]
fn a_ball_leaves_a_rough_sphere_at_the_same_height_in_every_direction() {
    // The frame of the tangents jumps on the way for some directions, and not for others.
    let ends: Vec<(f64, f64)> = (0..12)
        .map(|i| {
            let (s, c) = (0.3 + 0.5 * f64::from(i)).sin_cos();
            let along = DVec3::new(c, s, 0.0);
            let (world, start) = ball_towards(along, 1.0, 0.2, 0.8, Law::disc(0.02));
            let (report, log) = go(&world, &start, 0.9);
            balances(&report);
            let end = position(&report.state);
            assert!((end - end.z * DVec3::Z).normalize().dot(along) > 1.0 - 1e-12, "{end}");
            (log.times(0, EventKind::Opens)[0], end.z)
        })
        .collect();
    for (leaves, z) in &ends {
        assert!((leaves - ends[0].0).abs() < 1e-11 && (z - ends[0].1).abs() < 1e-11, "{ends:?}");
    }
}

/// A sphere that the integrator knows nothing of but where it is.
#[derive(Debug)]
struct Own(Arc<dyn Pair>);

impl Pair for Own {
    fn proximity(&self, first: &Pose, second: &Pose) -> Proximity {
        self.0.proximity(first, second)
    }
}

#[test]
fn pairs_of_the_users_own_move_as_built_in_ones() {
    let (r, off) = (0.3, DVec3::new(0.05, 0.02, -0.04));
    let mass = MassProperties::cuboid(1.0, DVec3::new(0.3, 0.25, 0.2)).unwrap();
    let built = pair(Shape::Sphere(off, r), Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
    let own: Arc<dyn Pair> = Arc::new(Own(built.clone()));
    let ends: Vec<State> = [built, own]
        .into_iter()
        .map(|touching| {
            let mut world = World::new(-G * DVec3::Z).unwrap();
            let body = world.body(mass);
            world.contact(body, World::GROUND, touching, Law::disc(0.3)).unwrap();
            let height = (r - off.z) * DVec3::Z;
            let start = place(&world, height, DVec3::X, DVec3::new(1.0, 2.0, 3.0));
            let (report, _) = go(&world, &start, 1.0);
            balances(&report);
            report.state
        })
        .collect();
    let off = ends[0].q.iter().chain(&ends[0].u).zip(ends[1].q.iter().chain(&ends[1].u));
    let worst = off.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(worst < 1e-10, "{worst}");
}

#[test]
fn a_block_that_slides_and_tips_is_the_same_in_the_plane_and_in_space() {
    let (m, b, h, mu) = (2.0, 0.1, 0.25, 0.7);
    let plane = rocking::block(m, b, h, Law::coulomb(mu), 0.0);
    let start = State::new(vec![0.0, h, 0.0], vec![1.6, 0.0, 0.0]);
    let settings = Settings { t_end: 0.6, ..Settings::default() };
    let mut log = Log::default();
    let flat =
        run_event_driven(&Generalised::new(&plane).unwrap(), &start, &settings, &mut log).unwrap();
    assert_eq!(flat.end, End::Finished);

    let depth = 0.3;
    let inertia = m * (b * b + h * h) / 3.0;
    let other = m * (b * b + depth * depth) / 3.0;
    let third = m * (h * h + depth * depth) / 3.0;
    let tensor = glam::DMat3::from_diagonal(DVec3::new(third, inertia, other));
    let mass = MassProperties::new(m, tensor).unwrap();
    let corner = |x: f64, y: f64| Shape::Point(DVec3::new(b * x, depth * y, -h));
    let corners = [corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
    let world = on_ground(mass, &corners, &Law::disc(mu));
    let start = place(&world, h * DVec3::Z, 1.6 * DVec3::X, DVec3::ZERO);
    let (report, solid) = go(&world, &start, 0.6);
    let (p, v, w) = (position(&report.state), velocity(&report.state), spin(&report.state));
    let off = [
        p.x - flat.state.q[0],
        p.z - flat.state.q[1],
        p.y,
        v.x - flat.state.u[0],
        v.z - flat.state.u[1],
        v.y,
        w.y + flat.state.u[2],
        w.x,
        w.z,
    ];
    assert!(off.iter().all(|x| x.abs() < 1e-10), "{off:?}");
    for kind in [EventKind::Opens, EventKind::Sticks, EventKind::Impact] {
        let (a, b) = (log.times(0, kind), solid.times(0, kind));
        assert!(
            a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9),
            "{kind:?} {a:?} {b:?}"
        );
    }
}
