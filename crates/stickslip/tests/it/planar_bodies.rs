//! Bodies in the plane whose contacts are found by collision detection.

use glam::{DQuat, DVec2, DVec3};
use stickslip::bodies::articulated::{Closure, LinkId, Tree, TreeJoint};
use stickslip::bodies::{Collider, Geometry, MassProperties, Material, Pose, Twist, World};
use stickslip::contact::Law;
use stickslip::contact::solve::{self, Formulation};
use stickslip::model::{Model, Span};
use stickslip::run::{End, Report, Settings, run};
use stickslip::step::{self, Integrator};
use stickslip::{Error, State};

const G: f64 = 9.81;

const STEPPING: [Integrator; 3] =
    [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }, Integrator::GapLevel];

/// The half-space below the line y = 0.
fn half_plane() -> Collider {
    let rotation = DQuat::from_rotation_arc(DVec3::Z, DVec3::Y);
    Collider::new(0, Geometry::HalfSpace).with_pose(Pose { rotation, ..Pose::default() })
}

/// A tree in the plane with the ground below y = 0, and this law between all bodies.
struct Plane {
    tree: Tree,
    material: Material,
    q: Vec<f64>,
    u: Vec<f64>,
}

impl Plane {
    fn new(law: Law, gravity: DVec2) -> Self {
        let mut tree = Tree::in_plane(gravity).unwrap();
        let material = tree.materials().add(law).unwrap();
        tree.collider(Tree::GROUND, material, &half_plane()).unwrap();
        Self { tree, material, q: Vec::new(), u: Vec::new() }
    }

    fn level(law: Law) -> Self {
        Self::new(law, DVec2::new(0.0, -G))
    }

    fn add(
        &mut self,
        mass: MassProperties,
        geometry: Geometry,
        q: [f64; 3],
        u: [f64; 3],
    ) -> LinkId {
        let here = Pose::default();
        let link = self.tree.link(Tree::GROUND, TreeJoint::Planar, here, here, mass).unwrap();
        self.tree.collider(link, self.material, &Collider::new(0, geometry)).unwrap();
        self.q.extend(q);
        self.u.extend(u);
        link
    }

    fn plate(&mut self, lengths: DVec2, q: [f64; 3], u: [f64; 3]) -> LinkId {
        let geometry = Geometry::rectangle(lengths);
        let made = geometry.mass_properties(1.0 / (lengths.x * lengths.y)).unwrap();
        let mass = MassProperties::new(made.mass, made.inertia).unwrap();
        self.add(mass, geometry, q, u)
    }

    fn state(&self) -> State {
        self.tree.state(&self.q, &self.u).unwrap()
    }

    fn run(&self, step: step::Settings, dt: f64, t_end: f64) -> Report {
        let settings = Settings { t_end, dt, step, ..Settings::default() };
        let report = run(&self.tree, &self.state(), &settings, &mut (), &mut ()).unwrap();
        assert_eq!(report.end, End::Finished);
        assert!(report.certificate.worst < 1e-9, "{:?}", report.certificate);
        report
    }
}

fn by(integrator: Integrator) -> step::Settings {
    step::Settings { integrator, ..step::Settings::default() }
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

#[test]
fn a_stack_of_plates_stands_still_on_two_corners_each() {
    let mut plane = Plane::level(Law::coulomb(0.5));
    for i in 0..8 {
        plane.plate(DVec2::splat(0.2), [0.0, 0.2 * f64::from(i) + 0.1, 0.0], [0.0; 3]);
    }
    assert!(plane.tree.is_planar());
    let (mut place, mut found) = Default::default();
    plane.tree.detect(&mut place, &Span::still(&plane.state()), &mut found).unwrap();
    assert_eq!(found.len(), 16);
    assert!((0..16).all(|i| plane.tree.law(&place, i).components() == 2));
    for integrator in STEPPING {
        let report = plane.run(by(integrator), 5e-3, 1.0);
        let moved = apart(&plane.q, &report.state.q);
        assert!(moved < 1e-9, "{integrator:?} {moved:.1e}");
        let mut after = Vec::new();
        plane.tree.detect(&mut place, &Span::still(&report.state), &mut after).unwrap();
        let identities = |list: &[stickslip::model::Candidate]| -> Vec<u64> {
            list.iter().map(|c| c.identity).collect()
        };
        assert_eq!(identities(&found), identities(&after));
    }
}

#[test]
fn planar_formulations_and_the_cone_agree_on_a_plate_that_slides_and_tips() {
    let mut plane = Plane::level(Law::coulomb(0.4).with_restitution(0.3, 0.0));
    plane.plate(DVec2::new(0.2, 0.1), [0.0, 0.3, 0.5], [1.5, 0.0, -2.0]);
    let with = |formulation| {
        let solve = solve::Settings { formulation, ..solve::Settings::default() };
        let settings = step::Settings { solve: Some(solve), ..step::Settings::default() };
        plane.run(settings, 1e-3, 1.0)
    };
    let reference = with(Formulation::GlockerStuder);
    assert!(reference.impacts > 2);
    for formulation in [Formulation::StewartTrinkle, Formulation::Cone] {
        let other = with(formulation);
        let off = apart(&reference.state.q, &other.state.q);
        assert!(off < 1e-8, "{formulation:?} {off:.1e}");
    }
}

/// A ball that spins about z is the same body in the plane and in space.
#[test]
fn a_disc_moves_as_a_ball_does_that_stays_in_the_plane() {
    let (mass, radius) = (0.7, 0.12);
    let properties = MassProperties::sphere(mass, radius).unwrap();
    let (gravity, law) = (DVec2::new(2.0, -9.0), (0.35, 0.4));
    let (position, velocity, spin) = (DVec2::new(0.0, 0.5), DVec2::new(1.0, 0.0), 30.0);
    let mut plane = Plane::new(Law::coulomb(law.0).with_restitution(law.1, 0.0), gravity);
    let [q, u] = [[position.x, position.y, 0.0], [velocity.x, velocity.y, spin]];
    plane.add(properties, Geometry::disc(radius), q, u);

    let mut world = World::new(gravity.extend(0.0)).unwrap();
    let material = world.materials().add(Law::disc(law.0).with_restitution(law.1, 0.0)).unwrap();
    world.collider(World::GROUND, material, &half_plane()).unwrap();
    let ball = world.body(properties);
    world.collider(ball, material, &Collider::new(0, Geometry::Sphere { radius })).unwrap();
    let twist = Twist { linear: velocity.extend(0.0), angular: spin * DVec3::Z };
    let start = world.state(&[(Pose::at(position.extend(0.0)), twist)]).unwrap();

    for (integrator, eps) in [(STEPPING[0], 0.4), (STEPPING[1], 0.4)] {
        assert_eq!(eps, law.1);
        let settings =
            Settings { t_end: 1.0, dt: 1e-3, step: by(integrator), ..Settings::default() };
        let flat = run(&plane.tree, &plane.state(), &settings, &mut (), &mut ()).unwrap();
        let round = run(&world, &start, &settings, &mut (), &mut ()).unwrap();
        let (pose, twist) = world.motion(ball, &round.state);
        let u = [twist.linear.x, twist.linear.y, twist.angular.z];
        assert!(apart(&flat.state.q[..2], &pose.position.to_array()[..2]) < 1e-9);
        assert!(apart(&flat.state.u, &u) < 1e-8, "{integrator:?} {:?} {u:?}", flat.state.u);
        let turn = DQuat::from_rotation_z(flat.state.q[2]);
        assert!((turn.dot(pose.rotation).abs() - 1.0).abs() < 1e-9);
        assert!(flat.state.q[2].abs() > std::f64::consts::TAU, "turns are counted");
    }
}

#[test]
fn a_disc_rolls_down_an_incline_with_two_thirds_of_g_sin_a_or_slips() {
    let angle = 0.4_f64;
    let gravity = G * DVec2::new(angle.sin(), -angle.cos());
    let radius = 0.1;
    // It rolls where μ is at least tan(a) / 3.
    for (mu, rolls) in [(angle.tan() / 3.0 + 0.01, true), (angle.tan() / 3.0 - 0.05, false)] {
        let mut plane = Plane::new(Law::coulomb(mu), gravity);
        let mass = MassProperties::cylinder(2.0, radius, 0.0).unwrap();
        plane.add(mass, Geometry::disc(radius), [0.0, radius, 0.0], [0.0; 3]);
        let (a, alpha) = match rolls {
            true => (2.0 / 3.0 * G * angle.sin(), -2.0 / 3.0 * G * angle.sin() / radius),
            false => {
                let rub = mu * G * angle.cos();
                (G * angle.sin() - rub, -2.0 * rub / radius)
            }
        };
        for integrator in STEPPING {
            let report = plane.run(by(integrator), 1e-2, 2.0);
            let u = &report.state.u;
            assert!((u[0] - 2.0 * a).abs() < 1e-11, "{integrator:?} {} {}", u[0], 2.0 * a);
            assert!((u[2] - 2.0 * alpha).abs() < 1e-9, "{integrator:?} {}", u[2]);
            assert!((report.state.q[1] - radius).abs() < 1e-12);
        }
    }
}

/// A plate on a belt and a plate pushed by a wall: bodies that are moved.
#[test]
fn prescribed_bodies_carry_and_push() {
    let mut plane = Plane::level(Law::coulomb(0.5));
    let belt = |t: f64| {
        let pose = Pose::at(DVec3::new(0.3 * t, 0.1, 0.0));
        (pose, Twist { linear: DVec3::new(0.3, 0.0, 0.0), ..Twist::default() })
    };
    let link = plane.tree.prescribed(belt).unwrap();
    let slab = Collider::new(0, Geometry::rectangle(DVec2::new(4.0, 0.2)));
    plane.tree.collider(link, plane.material, &slab).unwrap();
    plane.plate(DVec2::new(0.2, 0.1), [0.0, 0.25, 0.0], [0.0; 3]);
    let report = plane.run(by(Integrator::MoreauMidpoint), 1e-3, 1.0);
    // It slips for v / (μ g), and is carried from then on.
    let slip = 0.3 / (0.5 * G);
    let x = 0.3 - 0.5 * 0.3 * slip;
    assert!((report.state.u[0] - 0.3).abs() < 1e-11);
    assert!((report.state.q[0] - x).abs() < 2e-4, "{} {x}", report.state.q[0]);
    let (mut place, mut found) = Default::default();
    plane.tree.detect(&mut place, &Span::still(&report.state), &mut found).unwrap();
    assert_eq!(found.len(), 2, "the slab and the ground do not meet");
}

/// A square that four bars make: the loop has two equations, none of them redundant.
#[test]
fn loops_in_the_plane_are_not_redundant() {
    let mut tree = Tree::in_plane(DVec2::new(0.0, -G)).unwrap();
    let bar = MassProperties::cuboid(1.0, DVec3::new(1.0, 0.1, 0.0)).unwrap();
    let (left, right) = (Pose::at(DVec3::new(-0.5, 0.0, 0.0)), Pose::at(DVec3::new(0.5, 0.0, 0.0)));
    let quarter =
        |pose: Pose| Pose { rotation: DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), ..pose };
    let revolute = TreeJoint::Revolute;
    let a = tree.link(Tree::GROUND, revolute, quarter(Pose::default()), left, bar).unwrap();
    let b = tree.link(a, revolute, quarter(right), left, bar).unwrap();
    let c = tree.link(b, revolute, quarter(right), left, bar).unwrap();
    let end = Pose::at(DVec3::new(-1.0, 0.0, 0.0));
    tree.close(Closure::Hinge, (Tree::GROUND, end), (c, right)).unwrap();
    let state = tree.state(&[0.1, -0.1, 0.1], &[0.0; 3]).unwrap();
    let settings = Settings { t_end: 0.5, dt: 1e-3, ..Settings::default() };
    let report = run(&tree, &state, &settings, &mut (), &mut ()).unwrap();
    assert_eq!(report.end, End::Finished);
    let mut place = Default::default();
    let State { t, mut q, mut u } = report.state;
    tree.stabilise(&mut place, &mut q, &mut u, t).unwrap();
    assert_eq!(tree.redundancy(&place), 0);
    let (before, after) = (tree.energy(&state.q, &state.u, 0.0), report.energy_end);
    assert!((after.total() - before.total()).abs() < 1e-4);
}

#[test]
fn what_is_not_of_the_plane_is_refused_there_and_the_other_way_round() {
    let mut plane = Plane::level(Law::coulomb(0.5));
    let mass = MassProperties::sphere(1.0, 0.1).unwrap();
    let here = Pose::default();
    let refused = |error: Error| error.to_string();
    let says = |text: String, words: &str| assert!(text.contains(words), "{text}");
    let tree = &mut plane.tree;
    says(refused(tree.materials().add(Law::disc(0.5)).unwrap_err()), "planar");
    for joint in [TreeJoint::Free, TreeJoint::Spherical, TreeJoint::Universal] {
        let error = tree.link(Tree::GROUND, joint, here, here, mass).unwrap_err();
        says(refused(error), "the tree is in the plane");
    }
    let tilted = Pose { rotation: DQuat::from_rotation_x(0.1), ..here };
    let error = tree.link(Tree::GROUND, TreeJoint::Revolute, tilted, tilted, mass).unwrap_err();
    says(refused(error), "the tree is in the plane");
    let above = Pose::at(DVec3::Z);
    let error = tree.link(Tree::GROUND, TreeJoint::Planar, above, here, mass).unwrap_err();
    says(refused(error), "the tree is in the plane");
    for collider in [
        Collider::new(0, Geometry::Sphere { radius: 0.1 }),
        Collider::new(0, Geometry::HalfSpace),
        Collider::new(0, Geometry::disc(0.1)).with_pose(tilted),
    ] {
        let error = tree.collider(Tree::GROUND, plane.material, &collider).unwrap_err();
        says(refused(error), "bodies in the plane");
    }
    let mut space = Tree::new(DVec3::ZERO).unwrap();
    says(refused(space.materials().add(Law::coulomb(0.5)).unwrap_err()), "in space");
    let material = space.materials().add(Law::disc(0.5)).unwrap();
    let flat = Collider::new(0, Geometry::disc(0.1));
    says(refused(space.collider(Tree::GROUND, material, &flat).unwrap_err()), "in space");
    // A motion that leaves the plane is found where it is looked at.
    let moved = plane.tree.prescribed(|t| (Pose::at(t * DVec3::Z), Twist::default())).unwrap();
    plane.tree.collider(moved, plane.material, &flat).unwrap();
    let settings = Settings { t_end: 0.5, dt: 1e-2, ..Settings::default() };
    let state = plane.tree.state(&[], &[]).unwrap();
    let error = run(&plane.tree, &state, &settings, &mut (), &mut ());
    says(format!("{error:?}"), "in the plane");
}
