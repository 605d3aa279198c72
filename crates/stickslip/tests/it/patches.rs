//! Cylinders and cones whose flat ends are one distributed contact with a plane.

use glam::{DQuat, DVec3};
use stickslip::bodies::{
    Collider, Geometry, MassProperties, PointMassWorld, Pose, Tree, Twist, World,
};
use stickslip::contact::Law;
use stickslip::impact::ImpactLaw;
use stickslip::model::ContactImpulse;
use stickslip::run::{End, Event, Flow, Observer, PassedStep, Report, Sample, Settings, run};
use stickslip::step::{self, Integrator};
use stickslip::{Error, State};

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;

const STEPPING: [Integrator; 4] = [
    Integrator::MoreauMidpoint,
    Integrator::MoreauJean { theta: 0.5 },
    Integrator::GapLevel,
    Integrator::PaoliSchatzman,
];

/// A cylinder on the half-space below z = 0, with gravity in this direction.
struct Scene {
    world: World,
    start: State,
}

impl Scene {
    fn new(sizes: (f64, f64), down: DVec3, start: (Pose, Twist)) -> Self {
        Self::with(sizes, down, start, &cylinder(sizes.1))
    }

    fn with(
        (mu, height): (f64, f64),
        down: DVec3,
        start: (Pose, Twist),
        collider: &Collider,
    ) -> Self {
        let mut world = World::new(G * down).unwrap();
        let material = world.materials().add(Law::disc(mu)).unwrap();
        world.collider(World::GROUND, material, &Collider::new(0, Geometry::HalfSpace)).unwrap();
        let body = world.body(MassProperties::cylinder(1.0, RADIUS, height).unwrap());
        world.collider(body, material, collider).unwrap();
        let start = world.state(&[start]).unwrap();
        Self { world, start }
    }

    fn run<O: Observer>(
        &self,
        integrator: Integrator,
        (dt, t_end): (f64, f64),
        observer: &mut O,
    ) -> Report {
        let step = step::Settings { integrator, ..step::Settings::default() };
        let settings = Settings { t_end, dt, sample_dt: dt, step };
        let report = run(&self.world, &self.start, &settings, observer, &mut ()).unwrap();
        assert_eq!(report.end, End::Finished, "{integrator}");
        assert!(report.certificate.worst < 1e-9, "{integrator}: {:?}", report.certificate);
        report
    }
}

fn cylinder(height: f64) -> Collider {
    Collider::new(0, Geometry::Cylinder { half_height: 0.5 * height, radius: RADIUS }).with_patch()
}

fn at_rest(height: f64) -> (Pose, Twist) {
    (Pose::at(DVec3::new(0.0, 0.0, 0.5 * height)), Twist::default())
}

/// Gravity on a slope that falls by `angle` in the direction `heading`.
fn slope(angle: f64, heading: f64) -> DVec3 {
    DVec3::new(angle.sin() * heading.cos(), angle.sin() * heading.sin(), -angle.cos())
}

/// Twists at all samples.
#[derive(Default)]
struct Twists(Vec<(f64, [f64; 6])>);

impl Observer for Twists {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.0.push((sample.t, sample.u.try_into().unwrap()));
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}
}

/// A disc that slides and spins to rest under uniform pressure ends with v/(R ω) = 0.6530 whatever its start: the fixed point of the
/// ratio, as in the tests of the set.
#[test]
fn a_disc_that_slides_and_spins_ends_at_the_ratio_0_6530() {
    for integrator in STEPPING {
        for (start, side) in [([0.5, 5.0], 1.0), ([0.25, 4.5], -1.0)] {
            let (pose, mut twist) = at_rest(0.02);
            (twist.linear.x, twist.angular.z) = (start[0], start[1]);
            let scene = Scene::new((0.3, 0.02), DVec3::NEG_Z, (pose, twist));
            let mut twists = Twists::default();
            let report = scene.run(integrator, (2e-4, 0.4), &mut twists);
            let slides = twists.0.iter().filter(|(_, u)| u[0] > 2e-3);
            let off: Vec<f64> =
                slides.map(|(_, u)| side * (u[0] / (RADIUS * u[5]) - 0.6530)).collect();
            assert!(off.windows(2).all(|pair| pair[1] < pair[0] && pair[1] > 0.0), "{integrator}");
            assert!(off.last().unwrap().abs() < 0.02, "{integrator}: {:?}", off.last());
            let rest = report.state.u.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(rest < 1e-9, "{integrator}: {rest:.1e}");
        }
    }
}

/// ω̇ = −⅔ μ m g R / (½ m R²) of a disc that spins in place; four points on its rim would brake it half as much again.
#[test]
fn a_disc_that_spins_in_place_is_braked_by_two_thirds_of_its_radius() {
    let (mu, height, t) = (0.3, 0.02, 0.1);
    let (pose, mut twist) = at_rest(height);
    twist.angular.z = 20.0;
    let points = Collider { patch: false, ..cylinder(height) };
    for integrator in STEPPING {
        let off = |collider: &Collider, share: f64| {
            let scene = Scene::with((mu, height), DVec3::NEG_Z, (pose, twist), collider);
            let end = scene.run(integrator, (1e-3, t), &mut ()).state;
            (end.u[5] - (20.0 - share * mu * G / (0.5 * RADIUS) * t)).abs()
        };
        // 100 steps, each with a certificate of 10⁻⁹ of its velocities.
        let patch = off(&cylinder(height), 2.0 / 3.0);
        assert!(patch < 1e-9 * 20.0 * 100.0, "{integrator}: {patch:.1e}");
        // Points turn by 0.02 in a step, by whose square their friction is off.
        let points = off(&points, 1.0);
        assert!(points < 0.02_f64.powi(2), "{integrator}: {points:.1e}");
    }
}

#[test]
fn a_cylinder_holds_on_a_slope_below_the_angle_of_friction_and_slides_above() {
    let (height, angle) = (0.05, 20.0_f64.to_radians());
    for integrator in STEPPING {
        for heading in [0.0, 0.3, 0.25 * std::f64::consts::PI] {
            let down = slope(angle, heading);
            let scene = Scene::new((0.4, height), down, at_rest(height));
            let end = scene.run(integrator, (5e-3, 10.0), &mut ()).state;
            let way =
                scene.start.q.iter().zip(&end.q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(way / 10.0 < 1e-12, "{integrator}: creep {:.1e} m/s", way / 10.0);
            let scene = Scene::new((0.3, height), down, at_rest(height));
            let end = scene.run(integrator, (5e-3, 1.0), &mut ()).state;
            let speed = (angle.sin() - 0.3 * angle.cos()) * G;
            let off = (DVec3::from_slice(&end.u)
                - speed * DVec3::new(heading.cos(), heading.sin(), 0.0))
            .length();
            assert!(off < 1e-9, "{integrator}: {off:.1e}");
        }
    }
}

/// A cylinder tips over the edge of its end when its centre of mass is beyond it: tan α = R / (h/2), in every direction. Between the four
/// points of its rim it leans on the lowest point, which it meets after a step.
#[test]
fn a_cylinder_tips_where_its_height_demands_it() {
    let height = 0.4;
    let critical = (RADIUS / (0.5 * height)).atan();
    for integrator in STEPPING {
        for (heading, stands) in [(0.0, 0.99), (0.3, 0.9), (0.25 * std::f64::consts::PI, 0.9)] {
            for (share, falls) in [(stands, false), (1.01, true)] {
                let down = slope(share * critical, heading);
                let scene = Scene::new((2.0, height), down, at_rest(height));
                let end = scene.run(integrator, (5e-3, 1.5), &mut ()).state;
                let tilt = 2.0 * end.q[4].hypot(end.q[5]);

                assert!(
                    if falls { tilt > 0.1 } else { tilt < 5e-3 },
                    "{integrator} {heading}: {tilt:.1e}"
                );
            }
        }
    }
}

/// What contacts did in all steps.
#[derive(Default)]
struct Steps {
    /// With patches, and without.
    counts: [usize; 2],
    last: Vec<ContactImpulse>,
    rise: f64,
    energies: Vec<f64>,
}

impl Observer for Steps {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        let now = sample.energy.total();
        self.rise = self.energies.last().map_or(0.0, |last| self.rise.max(now - last));
        self.energies.push(now);
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}

    fn watches_steps(&self) -> bool {
        true
    }

    fn step(&mut self, step: &PassedStep<'_>) {
        let whole = step.contacts.iter().any(|c| c.point.normals == 0);
        self.counts[usize::from(!whole)] += 1;
        self.last = step.contacts.to_vec();
    }
}

#[test]
fn a_patch_and_its_rim_carry_the_weight_and_the_push_of_a_slope() {
    let down = slope(0.3, 0.2);
    let scene = Scene::new((0.4, 0.05), down, at_rest(0.05));
    for integrator in STEPPING {
        let (mut steps, dt) = (Steps::default(), 5e-3);
        scene.run(integrator, (dt, 0.1), &mut steps);
        // Impulses are those on the first body, the ground.
        let vectors = steps.last.iter().map(|c| DVec3::from_array(c.point.vector(&c.impulse)));
        let off = (vectors.sum::<DVec3>() / dt - G * down).length();
        assert!(off < 1e-8, "{integrator}: {off:.1e}");
        // The rim bears no friction, and the patch no load.
        assert_eq!(steps.last.len(), 5);
        for contact in &steps.last {
            let [n, t, o, r] = contact.impulse;
            let none = if contact.point.normals == 0 { n.abs() } else { t.hypot(o) + r.abs() };
            assert!(none == 0.0, "{integrator}: {contact:?}");
        }
    }
}

/// A cylinder that is dropped lands on its rim, wobbles and comes to lie: from points with friction to a patch, with less energy from step to
/// step.
#[test]
fn what_is_dropped_goes_from_points_to_a_patch_without_energy() {
    for integrator in STEPPING {
        let mut lie = 0;
        for k in 0..8 {
            let tilt = 0.02 + 0.01 * f64::from(k);
            let rotation = DQuat::from_rotation_z(f64::from(k)) * DQuat::from_rotation_x(tilt);
            let pose = Pose { position: DVec3::new(0.0, 0.0, 0.06), rotation };
            let linear = DVec3::new(0.3, 0.2, 0.0);
            let angular = DVec3::new(0.0, 0.0, f64::from(k % 3));
            let scene = Scene::new((0.4, 0.05), DVec3::NEG_Z, (pose, Twist { linear, angular }));
            let mut steps = Steps::default();
            let report = scene.run(integrator, (1e-3, 1.0), &mut steps);
            let rise = steps.rise / steps.energies[0];
            lie += usize::from(steps.counts[0] > 10);
            let rest = report.state.u.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(rest < 1e-9 && rise < 1e-9, "{integrator} {k}: {rest:.1e} {rise:.1e}");
            let created = report.energy_created.1 / steps.energies[0];
            assert!(created < 1e-9, "{integrator} {k}: {created:.1e}");
        }
        // Others come to rest inside of the plane by what they moved in the step of their impact, too oblique to lie on it.
        assert!(lie >= 4, "{integrator}: {lie}");
    }
}

/// A square of two triangles at the height of the top of the table.
fn square(half: f64) -> Geometry {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let vertices = corners.map(|[x, y]| DVec3::new(x * half, y * half, 0.1)).to_vec();
    Geometry::Mesh { vertices, triangles: vec![[0, 1, 2], [0, 2, 3]] }
}

/// The end of a cylinder on a box or a flat mesh, and the base of a cone, are patches as on a half-space; where a box is too small they are
/// points.
#[test]
fn faces_of_boxes_and_bases_of_cones_make_patches_where_they_are_large_enough() {
    let height = 0.02;
    let cone = Geometry::Cone { half_height: 0.5 * height, radius: RADIUS };
    let turns = [
        (cylinder(height), 0.0),
        (Collider { geometry: cone, ..cylinder(height) }, 0.0),
        (cylinder(height), 0.3),
    ];
    for (collider, turned) in turns {
        let table = |half: f64| Geometry::Box { half_lengths: DVec3::new(half, half, 0.1) };
        for (table, whole) in [(table(0.3), true), (table(0.06), false), (square(0.3), true)] {
            let mut world = World::new(G * DVec3::NEG_Z).unwrap();
            let material = world.materials().add(Law::disc(0.3)).unwrap();
            let pose = Pose { position: -0.1 * DVec3::Z, rotation: DQuat::from_rotation_z(turned) };
            world
                .collider(World::GROUND, material, &Collider::new(0, table).with_pose(pose))
                .unwrap();
            let body = world.body(MassProperties::cylinder(1.0, RADIUS, height).unwrap());
            world.collider(body, material, &collider).unwrap();
            let (pose, mut twist) = at_rest(height);
            twist.angular.z = 5.0;
            let scene = Scene { start: world.state(&[(pose, twist)]).unwrap(), world };
            let mut steps = Steps::default();
            let end = scene.run(Integrator::MoreauMidpoint, (1e-3, 0.05), &mut steps).state;
            let all = 50;
            assert_eq!(steps.counts, if whole { [all, 0] } else { [0, all] }, "{collider:?}");
            let off = (end.u[5] - (5.0 - 4.0 / 3.0 * 0.3 * G / RADIUS * 0.05)).abs();
            assert!((off < 1e-9 * 5.0 * 50.0) == whole, "{off:.1e}");
        }
    }
}

/// A plank on three cylinders, on a slope: six patches whose loads depend on each other's friction.
#[test]
fn a_plank_on_cylinders_stands_on_a_slope() {
    let (height, thick) = (0.1, 0.04);
    let mut world = World::new(G * slope(0.2, 0.4)).unwrap();
    let material = world.materials().add(Law::disc(0.5)).unwrap();
    world.collider(World::GROUND, material, &Collider::new(0, Geometry::HalfSpace)).unwrap();
    let mut start = Vec::new();
    for (x, y) in [(-0.3, -0.3), (0.3, -0.3), (0.0, 0.3)] {
        let body = world.body(MassProperties::cylinder(1.0, RADIUS, height).unwrap());
        world.collider(body, material, &cylinder(height)).unwrap();
        start.push((Pose::at(DVec3::new(x, y, 0.5 * height)), Twist::default()));
    }
    let lengths = DVec3::new(1.0, 1.0, thick);
    let plank = world.body(MassProperties::cuboid(2.0, lengths).unwrap());
    let geometry = Geometry::Box { half_lengths: 0.5 * lengths };
    world.collider(plank, material, &Collider::new(0, geometry)).unwrap();
    start.push((Pose::at(DVec3::new(0.0, 0.0, height + 0.5 * thick)), Twist::default()));
    let scene = Scene { start: world.state(&start).unwrap(), world };
    for integrator in STEPPING {
        let mut steps = Steps::default();
        let end = scene.run(integrator, (5e-3, 1.0), &mut steps).state;
        assert_eq!(steps.last.iter().filter(|c| c.point.normals == 0).count(), 6);
        let way = scene.start.q.iter().zip(&end.q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(way < 1e-9, "{integrator}: {way:.1e}");
    }
}

#[test]
fn a_disc_that_strikes_is_slowed_by_the_load_of_its_impact() {
    let (mu, eps, height) = (0.1, 0.5, 0.02);
    let mut world = World::new(DVec3::ZERO).unwrap();
    let material = world.materials().add(Law::disc(mu).with_restitution(eps, 0.0)).unwrap();
    world.collider(World::GROUND, material, &Collider::new(0, Geometry::HalfSpace)).unwrap();
    let body = world.body(MassProperties::cylinder(1.0, RADIUS, height).unwrap());
    world.collider(body, material, &cylinder(height)).unwrap();
    let (pose, mut twist) = at_rest(height);
    twist.linear = DVec3::new(1.0, 0.0, -1.0);
    let start = world.state(&[(pose, twist)]).unwrap();
    let strike = |impact| {
        let step = step::Settings { impact, ..step::Settings::default() };
        let settings = Settings { t_end: 0.01, dt: 1e-3, step, ..Settings::default() };
        run(&world, &start, &settings, &mut (), &mut ())
    };
    let u = strike(ImpactLaw::Newton).unwrap().state.u;
    let expected = DVec3::new(1.0 - mu * (1.0 + eps), 0.0, eps);
    assert!((DVec3::from_slice(&u) - expected).length() < 1e-9, "{u:?}");
    assert!(DVec3::from_slice(&u[3..]).length() < 1e-9, "{u:?}");
    // In two phases the rim parts before the load of both is known.
    let refused = strike(ImpactLaw::Poisson).unwrap_err();
    assert!(matches!(refused, Error::Combination { part: "impact law poisson", .. }), "{refused}");
}

#[test]
fn patches_are_refused_where_they_would_do_nothing() {
    let ball = Collider::new(0, Geometry::Sphere { radius: 0.1 }).with_patch();
    let mut world = World::new(DVec3::NEG_Z).unwrap();
    let material = world.materials().add(Law::disc(0.3)).unwrap();
    let body = world.body(MassProperties::sphere(1.0, 0.1).unwrap());
    let refused = world.collider(body, material, &ball).unwrap_err().to_string();
    assert!(refused.contains("no flat round end"), "{refused}");
    // What was refused is not there.
    assert_eq!(world.collider(body, material, &cylinder(0.1)).unwrap(), 0);

    let mut points = PointMassWorld::new(DVec3::NEG_Z).unwrap();
    let material = points.materials().add(Law::disc(0.3)).unwrap();
    let body = points.body(MassProperties::cylinder(1.0, RADIUS, 0.1).unwrap()).unwrap();
    let refused = points.collider(body, material, &cylinder(0.1)).unwrap_err();
    assert!(matches!(refused, Error::Combination { part: "a collider with patches", .. }));

    let mut tree = Tree::new(DVec3::NEG_Z).unwrap();
    let material = tree.materials().add(Law::disc(0.3)).unwrap();
    let refused = tree.collider(Tree::GROUND, material, &cylinder(0.1)).unwrap_err();
    assert!(matches!(refused, Error::Combination { part: "a collider with patches", .. }));
}

#[test]
fn a_patch_of_materials_with_more_than_one_coefficient_is_refused() {
    let mut world = World::new(G * DVec3::NEG_Z).unwrap();
    let material = world.materials().add(Law::disc(0.3).with_static(0.4)).unwrap();
    world.collider(World::GROUND, material, &Collider::new(0, Geometry::HalfSpace)).unwrap();
    let body = world.body(MassProperties::cylinder(1.0, RADIUS, 0.1).unwrap());
    world.collider(body, material, &cylinder(0.1)).unwrap();
    let start = world.state(&[at_rest(0.1)]).unwrap();
    let refused = run(&world, &start, &Settings::default(), &mut (), &mut ()).unwrap_err();
    assert!(matches!(refused, Error::Combination { part: "a patch", .. }), "{refused}");
}
