//! Classical motions of rolling bodies, by their invariants.

use super::space::{G, on_ground};
use super::systems::Log;
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;
use stickslip::bodies::proximity::{Pair, Proximity};
use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip::events::{Settings, run_event_driven};
use stickslip::run::{End, Event, EventKind, Flow, Observer, Report, Sample};
use stickslip::system::State;

/// The energies of all samples, and the spins about the vertical.
#[derive(Default)]
struct Energies {
    totals: Vec<f64>,
    spins: Vec<f64>,
}

impl Observer for Energies {
    fn sample(&mut self, s: &Sample<'_>) -> Flow {
        self.totals.push(s.energy.total());
        self.spins.push(s.u[5]);
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}
}

fn watch(world: &World, start: &State, t_end: f64) -> (Report, Energies) {
    let mut seen = Energies::default();
    let settings = Settings { t_end, sample_every: 0.005, ..Settings::default() };
    let report = run_event_driven(world, start, &settings, &mut seen).unwrap();
    (report, seen)
}

/// A thin disc of radius 0.1 on the ground, inclined by an angle to it.
fn disc(angle: f64, mu: f64, angular: DVec3) -> (World, State) {
    let r = 0.1;
    let mass = MassProperties::cylinder(0.4, r, 0.0).unwrap();
    let world = on_ground(mass, &[Shape::Disc(DVec3::ZERO, DVec3::Z, r)], &Law::disc(mu));
    let (s, c) = angle.sin_cos();
    let rotation = DQuat::from_rotation_y(angle);
    let position = r * s * DVec3::Z;
    // Without slip at the lowest point of the edge.
    let lowest = r * DVec3::new(c, 0.0, -s);
    let twist = Twist { linear: -angular.cross(lowest), angular };
    let start = world.state(&[(Pose { position, rotation }, twist)]).unwrap();
    (world, start)
}

#[test]
fn an_eulers_disc_that_rolls_keeps_its_energy() {
    let axis = DVec3::new(1.2_f64.sin(), 0.0, 1.2_f64.cos());
    let (world, start) = disc(1.2, 5.0, -20.0 * axis + DVec3::new(0.3, 0.0, 0.5));
    let (report, seen) = watch(&world, &start, 3.0);
    assert_eq!(report.end, End::Finished);
    assert_eq!(report.impacts, 0);
    let first = seen.totals[0];
    let worst = seen.totals.iter().fold(0.0_f64, |m, e| m.max((e - first).abs() / first));
    assert!(worst < 1e-12, "{worst:e}");
}

#[test]
fn an_eulers_disc_on_a_slippery_table_never_gains_energy() {
    for mu in [0.05, 0.2] {
        let (world, start) = disc(0.6, mu, DVec3::new(0.0, 0.0, 9.0));
        let (report, seen) = watch(&world, &start, 2.0);
        let size = seen.totals[0];
        let gains = seen.totals.windows(2).map(|e| (e[1] - e[0]) / size);
        assert!(gains.fold(0.0_f64, f64::max) < 1e-12, "{mu}");
        let change = report.energy_end.total() - report.energy_start.total();
        assert!((change - report.contact_work).abs() < 1e-11 * size, "{mu} {change} {report:?}");
        assert_eq!(report.end, End::Finished, "{mu}");
        assert!(change < 0.0, "{mu} {change}");
    }
}

#[test]
fn an_eulers_disc_dropped_without_spin_ends_with_a_reason() {
    // It falls flat, where its edge has no lowest point.
    let (world, start) = disc(0.3, 0.3, DVec3::ZERO);
    let mut log = Log::default();
    let settings = Settings { t_end: 1.0, max_steps: 20_000, ..Settings::default() };
    let report = run_event_driven(&world, &start, &settings, &mut log).unwrap();
    let gained = report.energy_end.total() - report.energy_start.total();
    assert!(gained < 1e-12, "{gained}");
    assert!(log.times(0, EventKind::Impact).len() < 1000);
    assert!(matches!(&report.end, End::Failed(why) if why.contains("t = 0.")), "{:?}", report.end);
}

/// An ellipsoid above the ground: its centre, and the squares of its half axes.
#[derive(Debug)]
struct Ellipsoid(DVec3, DVec3);

impl Pair for Ellipsoid {
    fn proximity(&self, first: &Pose, _: &Pose) -> Proximity {
        let down = first.rotation.inverse() * -DVec3::Z;
        let scaled = self.1 * down;
        let on_first = first.point(self.0 + scaled / down.dot(scaled).sqrt());
        let on_second = DVec3::new(on_first.x, on_first.y, 0.0);
        Proximity { gap: on_first.z, on_first, on_second, normal: DVec3::Z }
    }
}

/// The rattleback of Kane and Levinson (1982): half axes 0.2, 0.03 and 0.02, the centre of mass 0.01 below that of the ellipsoid.
fn rattleback(turning: f64) -> (Report, Energies) {
    let (e, tilt) = (1e-4, 0.5_f64.to_radians());
    let inertia = DMat3::from_cols(
        e * DVec3::new(2.0, -0.2, 0.0),
        e * DVec3::new(-0.2, 16.0, 0.0),
        e * DVec3::new(0.0, 0.0, 17.0),
    );
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(MassProperties::new(1.0, inertia).unwrap());
    let squares = DVec3::new(0.04, 0.0009, 0.0004);
    let shape = Ellipsoid(0.01 * DVec3::Z, squares);
    let pose = Pose {
        position: DVec3::ZERO,
        rotation: DQuat::from_rotation_y(tilt) * DQuat::from_rotation_x(tilt),
    };
    let near = shape.proximity(&pose, &Pose::default());
    let angular = turning * DVec3::Z;
    let twist = Twist { linear: -angular.cross(near.on_first), angular };
    let pose = Pose { position: -near.gap * DVec3::Z, ..pose };
    world.contact(body, World::GROUND, Arc::new(shape), Law::disc(20.0)).unwrap();
    let start = world.state(&[(pose, twist)]).unwrap();
    watch(&world, &start, 6.0)
}

#[test]
fn a_rattleback_reverses_its_spin_in_one_direction_alone_and_keeps_its_energy() {
    let extremes =
        |seen: &Energies, sign: f64| seen.spins.iter().fold(f64::INFINITY, |m, w| m.min(sign * w));
    let mut least = Vec::new();
    for sign in [1.0, -1.0] {
        let (report, seen) = rattleback(5.0 * sign);
        assert_eq!(report.end, End::Finished, "{report:?}");
        let first = seen.totals[0];
        let worst = seen.totals.iter().fold(0.0_f64, |m, e| m.max((e - first).abs() / first));
        // The rates of a pair of one's own are differences; this ellipsoid has its curvature change over a tenth of a radian.
        assert!(worst < 1e-9, "{worst:e}");
        least.push(extremes(&seen, sign));
    }
    // The spin that it favours lasts; the other turns round.
    let (lasts, turns) = (least[0].max(least[1]), least[0].min(least[1]));
    assert!(lasts > 0.0 && turns < -0.5, "{least:?}");
}
