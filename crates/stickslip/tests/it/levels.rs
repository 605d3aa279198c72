//! States of models in space and of trees, at the levels of accelerations, steps and impacts, against planar systems and closed
//! forms.

use glam::{DMat3, DQuat, DVec3};
use stickslip::analysis::state::{LevelAnalysis, Settings, StateAnalysis};
use stickslip::bodies::articulated::{self, Tree};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{Joint, JointKind, MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::analysis::solutions::{Count, SearchLimit};
use stickslip::contact::set::ConvexSet;
use stickslip::contact::{Law, Mode};
use stickslip::expression::{Contact, Coordinate, Definition, ExpressionSystem};
use stickslip::level::{Level, change, pose, rel_velocity};
use stickslip::model::{Generalised, Model};
use stickslip::{Error, State};

const G: f64 = 9.81;

fn analyse(model: &impl Model, state: &State) -> StateAnalysis {
    StateAnalysis::of(model, state, &Settings::default()).unwrap()
}

fn levels(analysis: &StateAnalysis) -> Vec<&LevelAnalysis> {
    analysis.accelerations.iter().chain(&analysis.impact).chain([&analysis.step]).collect()
}

fn near(found: &[f64], wanted: &[f64], size: f64) {
    let off = found.iter().zip(wanted).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(found.len() == wanted.len() && off < 1e-9 * size, "{found:?} {wanted:?}");
}

/// Feet of a block that stands on a step, in the plane of its motion, with the heights of the ground under them.
const FEET: [([f64; 2], f64); 2] = [([-0.5, -0.3], 0.0), ([0.6, -0.2], 0.1)];
const MASS: f64 = 1.7;
/// About the normal of the plane.
const MOMENT: f64 = 0.4;

fn planar_block(mu: f64) -> Generalised<ExpressionSystem> {
    let coordinate =
        |name: &str, velocity: &str| Coordinate { name: name.into(), velocity: velocity.into() };
    let foot = |(i, ([a, b], ground)): (usize, ([f64; 2], f64))| Contact {
        name: format!("foot_{i}"),
        gap: format!("y + {a}*sin(th) + {b}*cos(th) - {ground}"),
        slip: Some(format!("rate(x + {a}*cos(th) - {b}*sin(th))")),
        mu: Some(mu.into()),
        eps_n: Some(0.4.into()),
        ..Contact::default()
    };
    let definition = Definition {
        coordinates: vec![coordinate("x", "vx"), coordinate("y", "vy"), coordinate("th", "om")],
        kinetic: format!("{MASS}/2*(vx^2 + vy^2) + {MOMENT}/2*om^2"),
        potential: Some(format!("{MASS}*{G}*y")),
        contacts: FEET.into_iter().enumerate().map(foot).collect(),
        ..Definition::default()
    };
    Generalised::new(ExpressionSystem::new(&definition).unwrap()).unwrap()
}

fn block_in_space(mu: f64) -> World {
    let inertia = DMat3::from_diagonal(DVec3::new(0.3, MOMENT, 0.5));
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(MassProperties::new(MASS, inertia).unwrap());
    for ([a, b], ground) in FEET {
        let floor = Shape::Plane(ground * DVec3::Z, DVec3::Z);
        let touching = pair(Shape::Point(DVec3::new(a, 0.0, b)), floor).unwrap();
        world
            .contact(body, World::GROUND, touching, Law::disc(mu).with_restitution(0.4, 0.0))
            .unwrap();
    }
    world
}

/// A state of the plane in space: x, z and the turn from x to z.
fn in_space(world: &World, plane: &State) -> State {
    let ([x, y, th], [vx, vy, om]) =
        (plane.q[..].try_into().unwrap(), plane.u[..].try_into().unwrap());
    let rotation = DQuat::from_rotation_y(-th);
    let twist = Twist { linear: DVec3::new(vx, 0.0, vy), angular: DVec3::new(0.0, -om, 0.0) };
    world.state(&[(Pose { position: DVec3::new(x, 0.0, y), rotation }, twist)]).unwrap()
}

/// What the plane sees of twists in space, which must not leave it.
fn in_plane(u: &[f64]) -> [f64; 3] {
    near(&[u[1], u[3], u[5]], &[0.0; 3], 1.0);
    [u[0], u[2], -u[4]]
}

#[test]
fn a_block_in_space_and_its_plane_agree_at_every_level() {
    let (mut seen, mut standing) = ([0; 3], 0);
    for mu in [0.0, 0.3] {
        for u in [[0.0; 3], [1.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [0.8, -1.0, 0.3], [0.1, -1.5, -0.4]]
        {
            let state = State::new(vec![0.2, 0.3, 0.0], u.to_vec());
            let (planar, world) = (planar_block(mu), block_in_space(mu));
            let twin = in_space(&world, &state);
            let (flat, space) = (analyse(&planar, &state), analyse(&world, &twin));
            assert_eq!(flat.touching.len(), 2);
            for (a, b) in flat.touching.iter().zip(&space.touching) {
                near(&b.velocity, &[a.velocity[0], a.velocity[1], 0.0], 1.0);
            }
            let (flat, space) = (levels(&flat), levels(&space));
            assert_eq!(flat.len(), space.len());
            for (a, b) in flat.into_iter().zip(space) {
                assert_eq!(a.level, b.level);
                let [one, two] = [a, b].map(|p| &p.analysis.solutions);
                // Where both feet stick, four forces hold three velocities: the motion is unique, the forces are not.
                let count = one.count();
                assert_eq!(count, two.count(), "{mu} {u:?} {:?}", a.level);
                let (one, two) = (&one.solutions[0], &two.solutions[0]);
                let stands = mu > 0.0 && one.modes == [Mode::Stick; 2];
                assert_eq!(count, if stands { Count::Infinite } else { Count::Exactly(1) });
                assert!(one.velocity_unique && two.velocity_unique);
                for c in 0..2 {
                    let motion = [one.velocity[2 * c], one.velocity[2 * c + 1], 0.0];
                    near(&two.velocity[3 * c..3 * c + 3], &motion, G);
                    if !stands {
                        let force = [one.impulse[2 * c], one.impulse[2 * c + 1], 0.0];
                        near(&two.impulse[3 * c..3 * c + 3], &force, MASS * G);
                    }
                }
                standing += usize::from(stands);
                near(&in_plane(&b.motions[0]), &a.motions[0], G);
                near(&b.energy, &a.energy, 1.0);
                seen[match a.level {
                    Level::Acceleration(_) => 0,
                    Level::Impact => 1,
                    Level::Step(_) => 2,
                }] += 1;
            }
        }
    }
    assert!(seen == [6, 4, 10] && standing > 0, "{seen:?} {standing}");
}

/// A ball of mass 2 and radius 1/2 on a plane that is inclined by `slope` towards x.
fn ball(mu: f64, slope: f64) -> World {
    let mut world = World::new(G * DVec3::new(slope.sin(), 0.0, -slope.cos())).unwrap();
    let body = world.body(MassProperties::sphere(2.0, 0.5).unwrap());
    let floor = Shape::Plane(DVec3::ZERO, DVec3::Z);
    let touching = pair(Shape::Sphere(DVec3::ZERO, 0.5), floor).unwrap();
    world.contact(body, World::GROUND, touching, Law::disc(mu)).unwrap();
    world
}

fn ball_at(world: &World, linear: DVec3, angular: DVec3) -> State {
    world.state(&[(Pose::at(0.5 * DVec3::Z), Twist { linear, angular })]).unwrap()
}

#[test]
fn friction_on_a_sliding_ball_is_mu_times_its_weight_against_the_slip() {
    let mu = 0.2;
    let world = ball(mu, 0.0);
    for (v, w) in [(DVec3::X, DVec3::ZERO), (DVec3::new(0.3, -0.4, 0.0), DVec3::new(2.0, 1.0, 7.0))]
    {
        let state = ball_at(&world, v, w);
        let slip = v + w.cross(-0.5 * DVec3::Z);
        let force = DVec3::Z * 2.0 * G - mu * 2.0 * G * slip.normalize();
        let analysis = analyse(&world, &state);
        near(&analysis.touching[0].velocity, &[0.0, slip.x, slip.y], 1.0);
        let posed = analysis.accelerations.unwrap();
        assert_eq!(posed.analysis.solutions.count(), Count::Exactly(1));
        near(&posed.analysis.solutions.solutions[0].impulse, &[force.z, force.x, force.y], 2.0 * G);
        near(&posed.motions[0][..3], &[0.5 * force.x, 0.5 * force.y, 0.0], G);
        assert!(analysis.impact.is_none() && analysis.jump.is_none());
    }
}

#[test]
fn a_ball_on_a_slope_rolls_by_two_sevenths_of_the_pull_where_friction_reaches_it() {
    for slope in [0.1_f64, 0.4, 0.9] {
        let least = 2.0 / 7.0 * slope.tan();
        for (mu, rolls) in [(least + 1e-3, true), (least - 1e-3, false)] {
            let world = ball(mu, slope);
            let rolling = ball_at(&world, 0.7 * DVec3::X, 1.4 * DVec3::Y);
            let posed = analyse(&world, &rolling).accelerations.unwrap();
            let all = &posed.analysis.solutions;
            assert_eq!(all.count(), Count::Exactly(1), "{slope} {mu} {all:?}");
            let (pull, load) = (2.0 * G * slope.sin(), 2.0 * G * slope.cos());
            let friction = if rolls { 2.0 / 7.0 * pull } else { mu * load };
            let found = &all.solutions[0];
            assert_eq!(found.modes, [if rolls { Mode::Stick } else { Mode::Slip }]);
            near(&found.impulse, &[load, -friction, 0.0], 2.0 * G);
            near(&posed.motions[0][..3], &[0.5 * (pull - friction), 0.0, 0.0], G);
            near(&posed.motions[0][3..], &[0.0, 0.5 * friction / 0.2, 0.0], 10.0 * G);
        }
    }
}

/// A box of mass 1.3 on some corners of its base.
fn on_corners(corners: &[(f64, f64)]) -> World {
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(MassProperties::cuboid(1.3, DVec3::new(0.6, 0.4, 0.1)).unwrap());
    for (x, y) in corners {
        let corner = Shape::Point(DVec3::new(0.3 * x, 0.2 * y, -0.05));
        let touching = pair(corner, Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
        world.contact(body, World::GROUND, touching, Law::disc(0.3)).unwrap();
    }
    world
}

#[test]
fn forces_at_corners_are_unique_or_a_continuum_and_what_the_search_leaves_open_is_said() {
    let corners = [(1.0, 1.0), (-1.0, 1.0), (0.0, -1.0), (1.0, -1.0)];
    let at = |world: &World, v, w| {
        let twist = Twist { linear: v, angular: w };
        world.state(&[(Pose::at(0.05 * DVec3::Z), twist)]).unwrap()
    };
    let three = on_corners(&corners[..3]);
    for (v, w, count) in [
        (DVec3::ZERO, DVec3::ZERO, Count::Infinite),
        (DVec3::X, DVec3::ZERO, Count::Exactly(1)),
        (DVec3::X, DVec3::Z, Count::Exactly(1)),
        (DVec3::new(0.5, 0.0, -1.0), DVec3::ZERO, Count::Exactly(1)),
    ] {
        let state = at(&three, v, w);
        for posed in levels(&analyse(&three, &state)) {
            let all = &posed.analysis.solutions;
            assert!(all.is_complete() && all.count() == count, "{v} {w} {:?} {all:?}", posed.level);
            assert!(all.solutions.iter().all(|s| s.velocity_unique));
        }
    }
    // The loads of four corners are not unique, nor is the friction that they let slide: a continuum that is not polyhedral.
    let four = on_corners(&corners);
    let state = at(&four, DVec3::X, DVec3::ZERO);
    let analysis = analyse(&four, &state);
    let [forces, step] = levels(&analysis)[..] else { panic!("{analysis:?}") };
    assert_eq!(forces.analysis.solutions.count(), Count::Infinite);
    assert!(forces.analysis.solutions.is_complete());
    assert_eq!(step.analysis.solutions.incomplete, Some(SearchLimit::Continuum));
}

/// Painlevé's rod in space, of mass 1 and half length 1, on its lower end.
fn rod(mu: f64) -> World {
    let inertia = DMat3::from_diagonal(DVec3::new(1e-3, 1.0 / 3.0, 1.0 / 3.0));
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(MassProperties::new(1.0, inertia).unwrap());
    let tip = pair(Shape::Point(-DVec3::X), Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
    world.contact(body, World::GROUND, tip, Law::disc(mu)).unwrap();
    world
}

/// The rod with tan θ = 2, its end sliding back with this speed, turning up with `omega`.
fn rod_at(world: &World, speed: f64, omega: f64) -> State {
    let (s, c) = (2.0 / 5.0_f64.sqrt(), 1.0 / 5.0_f64.sqrt());
    let u = vec![-speed - omega * s, omega * c, omega];
    in_space(world, &State::new(vec![c, s, 2.0_f64.atan()], u))
}

#[test]
fn a_rod_in_space_jams_where_that_of_the_plane_does() {
    for (mu, omega, wanted) in [(1.5, 0.0, 0), (1.2, 0.0, 1), (1.5, 5.0, 2), (1.2, 5.0, 1)] {
        let world = rod(mu);
        let state = rod_at(&world, 1.0, omega);
        let analysis = analyse(&world, &state);
        let posed = analysis.accelerations.as_ref().unwrap();
        let all = &posed.analysis.solutions;
        assert_eq!(all.count(), Count::Exactly(wanted), "{mu} {omega} {all:?}");
        assert_eq!(all.proof.is_some(), wanted == 0);
        assert_eq!(analysis.jams(), wanted == 0, "{:?}", analysis.jump);
        let step = &analysis.step.analysis.solutions;
        assert_eq!(step.count(), Count::Exactly([1, 1, 3][wanted]), "{mu} {omega} {step:?}");
    }
}

#[test]
fn a_step_of_a_turning_rod_in_space_opens_slides_or_sticks() {
    let world = rod(2.0);
    let state = rod_at(&world, 1.0, 5.0);
    let analysis = analyse(&world, &state);
    let step = &analysis.step.analysis.solutions;
    assert_eq!(step.count(), Count::Exactly(3), "{step:?}");
    let mut modes: Vec<Mode> = step.solutions.iter().map(|s| s.modes[0]).collect();
    modes.sort();
    assert_eq!(modes, [Mode::Open, Mode::Stick, Mode::Slip]);
    assert!(step.solutions.iter().all(|s| s.impulse[2].abs() < 1e-9), "{step:?}");
}

/// A rod of mass 1.5 and length 1 that hangs from a hinge.
fn pendulum() -> (Tree, articulated::LinkId) {
    let mut tree = Tree::new(-G * DVec3::Y).unwrap();
    let mass = MassProperties::cuboid(1.5, DVec3::new(0.0, 1.0, 0.02)).unwrap();
    let top = Pose::at(0.5 * DVec3::Y);
    let hinge = articulated::TreeJoint::Revolute;
    let link = tree.link(Tree::GROUND, hinge, Pose::default(), top, mass).unwrap();
    (tree, link)
}

/// About the hinge.
const PENDULUM: f64 = 1.5 / 3.0;

#[test]
fn a_pendulum_rests_on_its_stop_and_bounces_off_it() {
    let (angle, eps) = (0.6_f64, 0.4);
    let (mut tree, link) = pendulum();
    tree.limit(link, 0, [angle, 2.0], eps).unwrap();
    let torque = 1.5 * G * 0.5 * angle.sin();
    let rest = tree.state(&[angle], &[0.0]).unwrap();
    let analysis = analyse(&tree, &rest);
    assert_eq!(analysis.touching.len(), 1);
    for (posed, force) in levels(&analysis).into_iter().zip([torque, 1e-4 * torque]) {
        assert_eq!(posed.analysis.solutions.count(), Count::Exactly(1));
        near(&posed.analysis.solutions.solutions[0].impulse, &[force], 1.0);
        near(&posed.motions[0], &[0.0], 1.0);
    }
    let speed = 1.3;
    let hits = tree.state(&[angle], &[-speed]).unwrap();
    let analysis = analyse(&tree, &hits);
    assert!(analysis.accelerations.is_none());
    let impact = analysis.impact.unwrap();
    near(&impact.before, &[-speed], 1.0);
    near(&impact.analysis.solutions.solutions[0].impulse, &[(1.0 + eps) * PENDULUM * speed], 1.0);
    near(&impact.motions[0], &[(1.0 + eps) * speed], 1.0);
    near(&impact.energy, &[-0.5 * (1.0 - eps * eps) * PENDULUM * speed * speed], 1.0);
}

#[test]
fn friction_in_a_joint_takes_part_as_a_connection() {
    let angle = 0.6_f64;
    let torque = 1.5 * G * 0.5 * angle.sin();
    for (most, speed) in [(1.2 * torque, 0.0), (0.5 * torque, 0.0), (0.5 * torque, -2.0)] {
        let (mut tree, link) = pendulum();
        tree.friction(link, Law::dry(most, ConvexSet::Interval)).unwrap();
        let state = tree.state(&[angle], &[speed]).unwrap();
        let analysis = analyse(&tree, &state);
        assert_eq!((analysis.touching[0].gap, analysis.touching[0].opening()), (None, None));
        let posed = analysis.accelerations.unwrap();
        assert_eq!(posed.analysis.solutions.count(), Count::Exactly(1));
        let friction = most.min(torque);
        near(&posed.analysis.solutions.solutions[0].impulse, &[friction], 1.0);
        near(&posed.motions[0], &[(friction - torque) / PENDULUM], 1.0);
    }
}

#[test]
fn rates_at_normals_that_turn_are_those_of_differences() {
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let mass = MassProperties::sphere(1.0, 0.5).unwrap();
    let (a, b) = (world.body(mass), world.body(mass));
    let patch = Law::with_set(0.5, ConvexSet::Ellipsoid(vec![1.0, 1.0, 0.2]));
    let spheres = [Shape::Sphere(DVec3::ZERO, 0.5); 2];
    world.contact(a, b, pair(spheres[0], spheres[1]).unwrap(), patch).unwrap();
    let twist = |linear, angular| Twist { linear, angular };
    let apart = Pose::at(DVec3::new(0.6, 0.0, 0.8));
    let state = world
        .state(&[
            (Pose::default(), twist(DVec3::new(0.3, 1.0, -0.2), DVec3::new(2.0, -1.0, 0.5))),
            (apart, twist(DVec3::new(-0.4, 0.2, 0.7), DVec3::new(0.1, 3.0, -2.0))),
        ])
        .unwrap();
    let posed = pose(&world, &state, &[0], Level::Acceleration(1e-9)).unwrap();
    let free = change(&world, &state, &[0], &[0.0; 4], 1.0).unwrap();
    let h = 1e-4;
    let [after, before] = [h, -h].map(|h| {
        let shift = state.u.iter().zip(&free).map(|(u, a)| h * u + 0.5 * h * h * a);
        let mut there = state.clone();
        world.displace(&state.q, &shift.collect::<Vec<_>>(), &mut there.q);
        there.u.iter_mut().zip(&free).for_each(|(u, a)| *u += h * a);
        rel_velocity(&world, &there, &[0]).unwrap()
    });
    // Velocity along the normal and spin about it do not depend on the choice of tangents.
    for row in [0, 3] {
        let rate = (after[row] - before[row]) / (2.0 * h);
        assert!((posed.bias()[row] - rate).abs() < 1e-6, "{row} {rate} {:?}", posed.bias());
    }
    assert!(posed.bias()[3].abs() > 0.1, "the normal turns");
}

#[test]
fn what_a_model_does_not_know_of_its_accelerations_is_refused() {
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(MassProperties::sphere(1.0, 0.5).unwrap());
    let frame = Pose::default();
    let hinge = Joint { kind: JointKind::Spherical, on_first: frame, on_second: frame };
    let joint = world.joint(World::GROUND, body, hinge).unwrap();
    world.pin_friction(joint, 0.3, 0.02).unwrap();
    let state = world.state(&[Default::default()]).unwrap();
    let refused = StateAnalysis::of(&world, &state, &Settings::default()).unwrap_err();
    assert!(matches!(refused, Error::Combination { .. }), "{refused}");

    let (mut tree, link) = pendulum();
    tree.pin_friction(link, 0.3, 0.02).unwrap();
    let state = tree.rest();
    let refused = StateAnalysis::of(&tree, &state, &Settings::default()).unwrap_err();
    assert!(refused.to_string().contains("load-dependent friction"), "{refused}");

    let ball = ball(0.2, 0.0);
    let state = ball_at(&ball, DVec3::ZERO, DVec3::ZERO);
    assert!(pose(&ball, &state, &[1], Level::Impact).is_err());
    assert!(pose(&ball, &State { t: f64::NAN, ..state.clone() }, &[0], Level::Impact).is_err());
    assert!(pose(&ball, &state, &[0], Level::Acceleration(-1.0)).is_err());
    let wrong = State::new(state.q[..6].to_vec(), state.u);
    assert!(rel_velocity(&ball, &wrong, &[0]).is_err());
}
