//! Bodies whose contacts are found by collision detection.

use glam::{DQuat, DVec3};
use stickslip::bodies::{Collider, Geometry, MassProperties, Pose, Twist, World};
use stickslip::contact::Law;
use stickslip::run::{End, Event, EventKind, Flow, Observer, Report, Sample, Settings, run};
use stickslip::step::{self, Integrator};
use stickslip::{Error, State};

const G: f64 = 9.81;

fn cube(edge: f64) -> Geometry {
    Geometry::Box { half_lengths: DVec3::splat(0.5 * edge) }
}

/// A world with a floor at z = 0, and this law between all bodies.
struct Scene {
    world: World,
    material: stickslip::bodies::Material,
    start: Vec<(Pose, Twist)>,
}

impl Scene {
    fn new(law: Law) -> Self {
        let mut world = World::new(DVec3::new(0.0, 0.0, -G)).unwrap();
        let material = world.materials().add(law).unwrap();
        world.collider(World::GROUND, material, &Collider::new(0, Geometry::HalfSpace)).unwrap();
        Self { world, material, start: Vec::new() }
    }

    fn add(&mut self, mass: MassProperties, geometry: Geometry, start: (Pose, Twist)) {
        let body = self.world.body(mass);
        self.world.collider(body, self.material, &Collider::new(0, geometry)).unwrap();
        self.start.push(start);
    }

    fn cube(&mut self, mass: f64, edge: f64, at: DVec3) {
        let properties = MassProperties::cuboid(mass, DVec3::splat(edge)).unwrap();
        self.add(properties, cube(edge), (Pose::at(at), Twist::default()));
    }

    fn ball(&mut self, mass: f64, radius: f64, at: DVec3, velocity: DVec3) {
        let properties = MassProperties::sphere(mass, radius).unwrap();
        let twist = Twist { linear: velocity, ..Twist::default() };
        self.add(properties, Geometry::Sphere { radius }, (Pose::at(at), twist));
    }

    fn state(&self) -> State {
        self.world.state(&self.start).unwrap()
    }

    fn run(&self, integrator: Integrator, dt: f64, t_end: f64) -> Report {
        let step = step::Settings { integrator, ..step::Settings::default() };
        let settings = Settings { t_end, dt, step, ..Settings::default() };
        let report = run(&self.world, &self.state(), &settings, &mut (), &mut ()).unwrap();
        assert_eq!(report.end, End::Finished);
        report
    }
}

const STEPPING: [Integrator; 3] =
    [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }, Integrator::GapLevel];

fn moved(from: &State, to: &State) -> f64 {
    from.q.iter().zip(&to.q).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

#[test]
fn a_stack_of_cubes_stands_still() {
    let mut scene = Scene::new(Law::disc(0.5));
    for i in 0..10 {
        scene.cube(1.0, 0.2, DVec3::new(0.0, 0.0, 0.2 * f64::from(i) + 0.1));
    }
    for integrator in STEPPING {
        let report = scene.run(integrator, 5e-3, 1.0);
        let moved = moved(&scene.state(), &report.state);
        assert!(moved < 1e-9, "{integrator:?} {moved:.1e}");
        assert!(report.certificate.worst < 1e-9);
    }
}

#[test]
fn a_million_tonnes_stand_on_a_kilogram() {
    let mut scene = Scene::new(Law::disc(0.5));
    scene.cube(1.0, 0.2, DVec3::new(0.0, 0.0, 0.1));
    scene.cube(1e9, 0.2, DVec3::new(0.0, 0.0, 0.3));
    for integrator in STEPPING {
        let report = scene.run(integrator, 1e-3, 1.0);
        let moved = moved(&scene.state(), &report.state);
        assert!(moved < 1e-13, "{integrator:?} {moved:.1e}");
        assert!(report.certificate.worst < 1e-9);
    }
}

#[test]
fn a_cube_slides_as_far_as_friction_lets_it_and_does_not_lift() {
    let (mu, v, dt) = (0.5, 6.0, 1e-3);
    let mut scene = Scene::new(Law::disc(mu));
    scene.cube(1.0, 0.1, DVec3::new(0.0, 0.0, 0.05));
    scene.start[0].1.linear = DVec3::new(v, 0.0, 0.0);
    let report = scene.run(Integrator::MoreauMidpoint, dt, 2.0);
    let exact = v * v / (2.0 * mu * G);
    assert!((report.state.q[0] - exact).abs() < 0.51 * v * dt, "{}", report.state.q[0] - exact);
    assert!((report.state.q[2] - 0.05).abs() < 1e-9, "{:e}", report.state.q[2] - 0.05);
}

#[test]
fn what_is_found_agrees_with_pairs_that_are_given() {
    let law = Law::disc(0.3).with_restitution(0.5, 0.0);
    let pose = Pose {
        position: DVec3::new(0.0, 0.0, 0.5),
        rotation: DQuat::from_scaled_axis(DVec3::new(0.3, -0.4, 0.2)),
    };
    let twist = Twist { linear: DVec3::new(1.0, 0.3, -1.0), angular: DVec3::new(2.0, 1.0, -3.0) };
    let properties = MassProperties::cuboid(1.0, DVec3::splat(0.2)).unwrap();
    let mut found = Scene::new(law.clone());
    found.add(properties, cube(0.2), (pose, twist));
    let mut given = World::new(DVec3::new(0.0, 0.0, -G)).unwrap();
    let body = given.body(properties);
    for i in 0..8 {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 0.1 } else { -0.1 };
        let corner = stickslip::bodies::Shape::Point(DVec3::new(sign(0), sign(1), sign(2)));
        let floor = stickslip::bodies::Shape::Plane(DVec3::ZERO, DVec3::Z);
        let pair = stickslip::bodies::proximity::pair(corner, floor).unwrap();
        given.contact(body, World::GROUND, pair, law.clone()).unwrap();
    }
    let settings = Settings { t_end: 0.5, dt: 1e-3, ..Settings::default() };
    let of = |world: &World, start: &State| {
        run(world, start, &settings, &mut (), &mut ()).unwrap().state
    };
    let (a, b) = (of(&found.world, &found.state()), of(&given, &found.state()));
    assert!(moved(&a, &b) < 1e-9, "{:e}", moved(&a, &b));
}

#[test]
fn balls_that_fall_on_balls_come_to_rest_without_creating_energy() {
    let mut scene = Scene::new(Law::disc(0.4));
    let mut shift = 0.0;
    for layer in 0..3 {
        for i in 0..3 {
            for j in 0..3 {
                shift += 0.0013;
                let at = DVec3::new(
                    0.11 * f64::from(i) + shift,
                    0.11 * f64::from(j) - shift,
                    0.06 + 0.11 * f64::from(layer),
                );
                scene.ball(1.0, 0.05, at, DVec3::ZERO);
            }
        }
    }
    for integrator in STEPPING {
        let report = scene.run(integrator, 2e-3, 1.0);
        assert!(report.energy_end.total() < report.energy_start.total());
        assert!(report.drift.depth < 0.01, "{integrator:?} {:?}", report.drift);
    }
}

#[test]
fn event_driven_motion_of_colliders_is_refused_with_a_cure() {
    let mut scene = Scene::new(Law::disc(0.5));
    scene.cube(1.0, 0.1, DVec3::new(0.0, 0.0, 0.05));
    let step = step::Settings { integrator: Integrator::EventDriven, ..step::Settings::default() };
    let settings = Settings { t_end: 1.0, step, ..Settings::default() };
    let error = run(&scene.world, &scene.state(), &settings, &mut (), &mut ()).unwrap_err();
    assert!(matches!(error, Error::Combination { .. }), "{error}");
}

#[test]
fn the_same_start_gives_the_same_bits() {
    let mut scene = Scene::new(Law::disc(0.5).with_restitution(0.3, 0.0));
    for i in 0..6 {
        scene.cube(1.0, 0.2, DVec3::new(0.03 * f64::from(i), 0.0, 0.25 * f64::from(i) + 0.15));
    }
    let one = scene.run(Integrator::MoreauMidpoint, 2e-3, 0.6);
    let other = scene.run(Integrator::MoreauMidpoint, 2e-3, 0.6);
    assert_eq!(one.state, other.state);
}

/// The sum of all normal impulses that samples show, and what contacts began to do.
#[derive(Default)]
struct Watched {
    impulse: f64,
    closes: usize,
    opens: usize,
    /// Whether bodies were told of every event.
    named: bool,
}

impl Observer for Watched {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        assert_eq!(sample.points.len(), sample.modes.len());
        assert_eq!(sample.points.len(), sample.gaps.len());
        let mut row = 0;
        for point in sample.points.iter().flatten() {
            self.impulse += sample.impulses[row];
            row += point.components;
        }
        assert_eq!(row, sample.impulses.len());
        Flow::Continue
    }

    fn event(&mut self, event: &Event) {
        self.closes += usize::from(event.kind == EventKind::Closes);
        self.opens += usize::from(event.kind == EventKind::Opens);
        self.named &= event.bodies.is_some();
    }
}

#[test]
fn contacts_that_vanish_between_samples_open_and_leave_their_impulses() {
    // A block slides over the edge of a table and falls beside it: what bears it until then is its weight.
    let (mass, edge, law) = (2.0, 0.1, Law::frictionless());
    let mut world = World::new(DVec3::new(0.0, 0.0, -G)).unwrap();
    let material = world.materials().add(law).unwrap();
    let table = Geometry::Box { half_lengths: DVec3::new(1.0, 1.0, 0.5) };
    let table = Collider::new(0, table).with_pose(Pose::at(DVec3::new(-1.0, 0.0, -0.5)));
    world.collider(World::GROUND, material, &table).unwrap();
    let body = world.body(MassProperties::sphere(mass, 0.5 * edge).unwrap());
    let ball = Collider::new(0, Geometry::Sphere { radius: 0.5 * edge });
    world.collider(body, material, &ball).unwrap();
    let twist = Twist { linear: DVec3::new(2.0, 0.0, 0.0), ..Twist::default() };
    let start = world.state(&[(Pose::at(DVec3::new(-0.5, 0.0, 0.5 * edge)), twist)]).unwrap();
    for sample_dt in [0.0, 0.07, 1.0] {
        let settings = Settings { t_end: 1.0, dt: 5e-3, sample_dt, ..Settings::default() };
        let mut watched = Watched { named: true, ..Watched::default() };
        let report = run(&world, &start, &settings, &mut watched, &mut ()).unwrap();
        assert_eq!(report.end, End::Finished);
        // All that changes the momentum upwards beside gravity.
        let fallen = mass * (report.state.u[2] + G * 1.0);
        assert!(
            (watched.impulse - fallen).abs() < 1e-9 * fallen,
            "{sample_dt}: {}",
            watched.impulse
        );
        assert_eq!(watched.closes, watched.opens, "{sample_dt}");
        assert!(watched.opens > 0 && watched.named);
    }
}

#[test]
fn contacts_that_position_correction_opens_are_those_of_the_step_all_the_same() {
    let law = Law { eps_n: 0.5, ..Law::disc(0.3) };
    let mut scene = Scene::new(law);
    scene.cube(1.0, 0.2, DVec3::Z * 0.4);
    scene.start[0].1.angular = DVec3::new(3.0, 1.0, 0.5);
    let step = step::Settings { correction: true, ..step::Settings::default() };
    let settings = Settings { t_end: 2.0, dt: 5e-3, step, ..Settings::default() };
    let report = run(&scene.world, &scene.state(), &settings, &mut (), &mut ()).unwrap();
    assert_eq!(report.end, End::Finished);
    assert!((report.state.q[2] - 0.1).abs() < 1e-9, "{:?}", report.state.q);
}
