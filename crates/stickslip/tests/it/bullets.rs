//! Fast bodies do not pass through thin ones: bullets at walls, surfaces and each other, beside closed forms.

use glam::{DQuat, DVec3};
use stickslip::bodies::articulated::TreeJoint;
use stickslip::bodies::{
    Collider, Geometry, MassProperties, Material, PointMassWorld, Pose, Tree, Twist, World,
};
use stickslip::contact::Law;
use stickslip::model::Model;
use stickslip::run::{End, Report, Settings, run};
use stickslip::step::{self, Integrator, Stepper};
use stickslip::{Error, State};

const RADIUS: f64 = 5e-3;
const DT: f64 = 5e-3;

const METHODS: [Integrator; 3] = [
    Integrator::MoreauMidpoint,
    Integrator::MoreauJean { theta: 0.5 },
    Integrator::MoreauJean { theta: 0.8 },
];

/// Random numbers that are the same everywhere (SplitMix64).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) as f64 / u64::MAX as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn turn(&mut self) -> DQuat {
        let axis = DVec3::from_array([(); 3].map(|()| self.between(-1.0, 1.0)));
        DQuat::from_scaled_axis(3.0 * axis)
    }
}

/// A model of one ball, and of what it is shot at.
trait Range: Model + Sized {
    fn new(target: Option<(Geometry, Pose)>, law: Law, balls: usize) -> Result<Self, Error>;
    fn start(&self, motions: &[(Pose, Twist)]) -> State;
    fn motions(&self, state: &State) -> Vec<(Pose, Twist)>;
}

fn target_collider((geometry, pose): (Geometry, Pose)) -> Collider {
    Collider::new(0, geometry).with_pose(pose)
}

fn ball() -> (MassProperties, Collider) {
    let properties = MassProperties::sphere(4e-3, RADIUS).unwrap();
    (properties, Collider::new(0, Geometry::Sphere { radius: RADIUS }))
}

impl Range for World {
    fn new(target: Option<(Geometry, Pose)>, law: Law, balls: usize) -> Result<Self, Error> {
        let mut world = Self::new(DVec3::ZERO)?;
        let material = world.materials().add(law)?;
        if let Some(target) = target {
            world.collider(Self::GROUND, material, &target_collider(target))?;
        }
        for _ in 0..balls {
            let body = world.body(ball().0);
            world.collider(body, material, &ball().1)?;
        }
        Ok(world)
    }

    fn start(&self, motions: &[(Pose, Twist)]) -> State {
        self.state(motions).unwrap()
    }

    fn motions(&self, state: &State) -> Vec<(Pose, Twist)> {
        self.bodies().skip(1).map(|body| self.motion(body, state)).collect()
    }
}

impl Range for PointMassWorld {
    fn new(target: Option<(Geometry, Pose)>, law: Law, balls: usize) -> Result<Self, Error> {
        let mut world = Self::new(DVec3::ZERO)?;
        let material = world.materials().add(law)?;
        if let Some(target) = target {
            world.collider(Self::GROUND, material, &target_collider(target))?;
        }
        for _ in 0..balls {
            let body = world.body(ball().0)?;
            world.collider(body, material, &ball().1)?;
        }
        Ok(world)
    }

    fn start(&self, motions: &[(Pose, Twist)]) -> State {
        self.state(motions).unwrap()
    }

    fn motions(&self, state: &State) -> Vec<(Pose, Twist)> {
        self.bodies().skip(1).map(|body| self.motion(body, state)).collect()
    }
}

impl Range for Tree {
    fn new(target: Option<(Geometry, Pose)>, law: Law, balls: usize) -> Result<Self, Error> {
        let mut tree = Self::new(DVec3::ZERO)?;
        let material = tree.materials().add(law)?;
        if let Some(target) = target {
            tree.collider(Self::GROUND, material, &target_collider(target))?;
        }
        for _ in 0..balls {
            let still = Pose::default();
            let link = tree.link(Self::GROUND, TreeJoint::Free, still, still, ball().0)?;
            tree.collider(link, material, &ball().1)?;
        }
        Ok(tree)
    }

    fn start(&self, motions: &[(Pose, Twist)]) -> State {
        let (mut q, mut u) = (Vec::new(), Vec::new());
        for (Pose { position: p, rotation: r }, Twist { linear: v, angular: w }) in motions {
            q.extend([p.x, p.y, p.z, r.w, r.x, r.y, r.z]);
            u.extend([v.x, v.y, v.z, w.x, w.y, w.z]);
        }
        self.state(&q, &u).unwrap()
    }

    fn motions(&self, state: &State) -> Vec<(Pose, Twist)> {
        self.motions(state).unwrap().into_iter().collect()
    }
}

fn settings(integrator: Integrator, t_end: f64) -> Settings {
    let step = step::Settings { integrator, ..step::Settings::default() };
    Settings { t_end, dt: DT, step, ..Settings::default() }
}

fn shoot<M: Model>(model: &M, start: &State, integrator: Integrator, t_end: f64) -> Report {
    let report = run(model, start, &settings(integrator, t_end), &mut (), &mut ()).unwrap();
    assert_eq!(report.end, End::Finished);
    let (before, after) = (report.energy_start.total(), report.energy_end.total());
    assert!(after <= before * (1.0 + 1e-12), "{integrator}: energy {before} -> {after}");
    report
}

fn flat(columns: usize, spacing: f64) -> Geometry {
    let heights = vec![0.0; columns * columns];
    Geometry::HeightField { columns, heights, spacing: [spacing; 2] }
}

/// A plate of triangles one millimetre thick, whose top is at z = 0.
fn plate() -> Geometry {
    let corner = |k: usize| {
        let side = |bit: usize| if k >> bit & 1 == 1 { 2.0 } else { -2.0 };
        DVec3::new(side(0), side(1), if k >> 2 == 1 { 0.0 } else { -1e-3 })
    };
    let quads =
        [[4, 5, 7, 6], [0, 2, 3, 1], [0, 1, 5, 4], [1, 3, 7, 5], [3, 2, 6, 7], [2, 0, 4, 6]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    Geometry::Mesh { vertices: (0..8).map(corner).collect(), triangles }
}

/// Targets whose surface is z = 0 in their own axes.
fn targets() -> [(Geometry, Pose); 3] {
    let wall = Geometry::Box { half_lengths: DVec3::new(2.0, 2.0, 0.5e-3) };
    [
        (wall, Pose::at(DVec3::new(0.0, 0.0, -0.5e-3))),
        (plate(), Pose::default()),
        (flat(21, 0.2), Pose::default()),
    ]
}

/// Bullets from all sides at a target, against the closed form: they come back with ε times the speed.
fn volley<M: Range>(integrator: Integrator, rounds: usize, seed: u64) {
    let mut random = Random(seed);
    for k in 0..rounds {
        let eps = [0.0, 0.5, 1.0][k % 3];
        let law = Law::frictionless().with_restitution(eps, 0.0);
        let (geometry, inner) = targets()[k / 3 % 3].clone();
        let outer = Pose { position: DVec3::ZERO, rotation: random.turn() };
        let model = M::new(Some((geometry, outer.then(&inner))), law, 1).unwrap();
        let (speed, angle) = (random.between(100.0, 1000.0), random.between(0.0, 1.2));
        let heading = random.between(0.0, 6.3);
        let along = angle.sin() * DVec3::new(heading.cos(), heading.sin(), 0.0);
        let velocity = speed * (along - angle.cos() * DVec3::Z);
        let time = random.between(0.1, 3.7) * DT;
        let hit = DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), RADIUS);
        // It hits at this time; the target is wide enough for what follows.
        // Bodies of point masses have errors of their own where they turn.
        let spins = if model.kind() == "bodies of point masses" { 0.0 } else { 50.0 };
        let spin = DVec3::from_array([(); 3].map(|()| random.between(-spins, spins)));
        let motion = |at: DVec3, v: DVec3| {
            let twist = Twist { linear: outer.rotation * v, angular: spin };
            (Pose::at(outer.point(at)), twist)
        };
        let start = model.start(&[motion(hit - time * velocity, velocity)]);
        let t_end = time + 1e-3;
        let report = shoot(&model, &start, integrator, t_end);
        let after = DVec3::new(velocity.x, velocity.y, -eps * velocity.z);
        let (pose, twist) = model.motions(&report.state)[0];
        let expected = motion(hit + (t_end - time) * after, after);
        let (off, speed_off) = (
            (pose.position - expected.0.position).length(),
            (twist.linear - expected.1.linear).length() / speed,
        );
        // Contact problems are solved to 1e-9. Beyond θ = ½ an impact is exact to a hundredth of the thickness.
        let allowed = if integrator.name() == "moreau_midpoint" { 1e-7 } else { 2e-4 };
        let what = format!("{integrator} {k}: {} at {speed:.0} m/s", model.kind());
        assert!(speed_off < 1e-9, "{what}: velocity off by {speed_off:.1e}");
        assert!(off < allowed, "{what}: off by {off:.1e} m");
        assert!(report.drift.depth <= 0.01 * RADIUS, "{what}: {:?}", report.drift);
        assert!(report.impacts <= 1 && report.swept_steps >= 1, "{what}");
    }
}

#[test]
fn no_bullet_passes_a_thin_wall_a_mesh_or_a_height_field() {
    for (k, integrator) in METHODS.into_iter().enumerate() {
        volley::<World>(integrator, 200, k as u64);
        volley::<Tree>(integrator, 200, 10 + k as u64);
        volley::<PointMassWorld>(integrator, 200, 20 + k as u64);
    }
}

/// Two balls of the same mass that meet, with restitution 1 and without friction, exchange their velocities along the normal.
fn duel<M: Range>(integrator: Integrator, rounds: usize, seed: u64) {
    let mut random = Random(seed);
    for k in 0..rounds {
        let law = Law::frictionless().with_restitution(1.0, 0.0);
        let model = M::new(None, law, 2).unwrap();
        let (turn, angle) = (random.turn(), random.between(0.0, 1.1));
        let normal = turn * DVec3::new(angle.cos(), angle.sin(), 0.0);
        let speeds = [random.between(100.0, 1000.0), random.between(100.0, 1000.0)];
        let velocities = [turn * DVec3::X * speeds[0], turn * -DVec3::X * speeds[1]];
        let time = random.between(0.1, 2.7) * DT;
        let meet = [-RADIUS * normal, RADIUS * normal];
        let motion = |k: usize, v: DVec3, s: f64| {
            let twist = Twist { linear: v, angular: DVec3::ZERO };
            (Pose::at(meet[k] + s * v), twist)
        };
        let start = [0, 1].map(|k| motion(k, velocities[k], -time));
        let report = shoot(&model, &model.start(&start), integrator, 3.0 * DT);
        let exchanged = (velocities[0] - velocities[1]).dot(normal) * normal;
        let after = [velocities[0] - exchanged, velocities[1] + exchanged];
        let found = model.motions(&report.state);
        for i in 0..2 {
            let expected = motion(i, after[i], 3.0 * DT - time);
            let v = (found[i].1.linear - expected.1.linear).length() / (speeds[0] + speeds[1]);
            let x = (found[i].0.position - expected.0.position).length();
            let what = format!("{integrator} {k}: {} angle {angle:.2}", model.kind());
            // Where they meet is known to a millionth of the radius, and what is left of the way to where they end magnifies it.
            assert!(v < 1e-5 && x < 2e-3, "{what}: velocity off by {v:.1e}, place by {x:.1e}");
        }
    }
}

#[test]
fn bullets_that_meet_bounce_off_each_other() {
    for integrator in &METHODS[..2] {
        duel::<World>(*integrator, 200, 1);
        duel::<Tree>(*integrator, 100, 2);
        duel::<PointMassWorld>(*integrator, 100, 3);
    }
}

/// A rod that turns beside a post strikes it, with the impulse (1 + ε) ω a / (1/m + a²/J) at the lever a.
#[test]
fn a_rod_that_spins_fast_strikes_the_post_beside_it() {
    let (mass, half, lever) = (0.3, 0.5, 0.4);
    for (integrator, spin) in METHODS.into_iter().zip([150.0, 300.0, 600.0]) {
        for angle in [0.4, 0.9, 1.7, 2.6] {
            let mut world = World::new(DVec3::ZERO).unwrap();
            let law = Law::frictionless().with_restitution(1.0, 0.0);
            let material = world.materials().add(law).unwrap();
            let post = Geometry::Cylinder { half_height: 0.2, radius: RADIUS };
            let post = Collider::new(0, post).with_pose(Pose::at(DVec3::new(lever, 0.0, 0.0)));
            world.collider(World::GROUND, material, &post).unwrap();
            let properties =
                MassProperties::cuboid(mass, DVec3::new(2.0 * half, 2.0 * RADIUS, 2.0 * RADIUS));
            let inertia = mass / 12.0 * (4.0 * half * half + 4.0 * RADIUS * RADIUS);
            let rod = world.body(properties.unwrap());
            let along = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
            let capsule = Geometry::Capsule { half_length: half, radius: RADIUS };
            let capsule = Collider::new(0, capsule)
                .with_pose(Pose { position: DVec3::ZERO, rotation: along });
            world.collider(rod, material, &capsule).unwrap();
            let pose = Pose { position: DVec3::ZERO, rotation: DQuat::from_rotation_z(-angle) };
            let twist = Twist { linear: DVec3::ZERO, angular: spin * DVec3::Z };
            let start = world.state(&[(pose, twist)]).unwrap();
            // Sides touch where the distance of the post from the axis is two radii.
            let touch = (2.0 * RADIUS / lever).asin();
            let arm = (lever * lever - 4.0 * RADIUS * RADIUS).sqrt();
            let impulse = 2.0 * spin * arm / (1.0 / mass + arm * arm / inertia);
            let t_end = (angle - touch) / spin + 2e-4;
            let report = shoot(&world, &start, integrator, t_end);
            let (_, after) = world.motion(rod, &report.state);
            let (v, w) = (after.linear.length(), after.angular.z);
            let expected = (impulse / mass, spin - impulse * arm / inertia);
            let what = format!("{integrator} {spin} {angle}: {v} {w}, expected {expected:?}");
            assert!((v - expected.0).abs() < 1e-3 * expected.0, "{what}");
            assert!((w - expected.1).abs() < 1e-3 * spin, "{what}");
            assert!(report.swept_steps > 0, "{what}");
        }
    }
}

/// A ball at rest between a bullet and a wall: the impulse of the bullet drives it at the wall within the same step.
#[test]
fn what_a_bullet_strikes_does_not_pass_either() {
    for integrator in METHODS {
        for gap in [1e-7, 1e-4, 3e-3, 0.2, 1.5] {
            let law = Law::frictionless().with_restitution(1.0, 0.0);
            let wall = targets()[0].clone();
            let world = <World as Range>::new(Some(wall), law, 2).unwrap();
            let still = Pose::at(DVec3::new(0.0, 0.0, RADIUS + gap));
            let shot = Pose::at(DVec3::new(0.0, 0.0, RADIUS + gap + 1.3));
            let down = Twist { linear: DVec3::new(0.0, 0.0, -700.0), ..Twist::default() };
            let start = world.state(&[(still, Twist::default()), (shot, down)]).unwrap();
            let report = shoot(&world, &start, integrator, 4.0 * DT);
            let found = Range::motions(&world, &report.state);
            // The ball takes the speed of the bullet to the wall and back, and gives it back to the bullet.
            assert!(found[0].1.linear.length() < 1e-6 * 700.0, "{integrator} {gap}: {found:?}");
            assert!((found[1].1.linear.z - 700.0).abs() < 1e-6 * 700.0, "{integrator} {gap}");
            assert!(found[0].0.position.z > 0.0, "{integrator} {gap}: {found:?}");
        }
    }
}

/// The states of a run are those of plain steps, bit by bit, where nothing is fast.
#[test]
fn slow_motions_have_the_bits_of_plain_steps() {
    let mut world = World::new(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    let law = Law::disc(0.5).with_restitution(0.3, 0.0);
    let material: Material = world.materials().add(law).unwrap();
    world.collider(World::GROUND, material, &Collider::new(0, Geometry::HalfSpace)).unwrap();
    let mut motions = Vec::new();
    for k in 0..8 {
        let (x, z) = (0.03 * f64::from(k), 0.06 + 0.13 * f64::from(k));
        let (properties, geometry) = if k % 2 == 0 {
            let half_lengths = DVec3::splat(0.05);
            (MassProperties::cuboid(1.0, 2.0 * half_lengths), Geometry::Box { half_lengths })
        } else {
            (MassProperties::sphere(1.0, 0.05), Geometry::Sphere { radius: 0.05 })
        };
        let body = world.body(properties.unwrap());
        world.collider(body, material, &Collider::new(0, geometry)).unwrap();
        let twist = Twist { linear: DVec3::new(0.2, 0.1 * x, 0.0), angular: DVec3::X };
        motions.push((Pose::at(DVec3::new(x, 0.0, z)), twist));
    }
    let start = world.state(&motions).unwrap();
    for integrator in &METHODS {
        let settings = settings(*integrator, 0.5);
        let (mut plain, mut swept) = (start.clone(), start.clone());
        let [mut one, mut other] =
            [(); 2].map(|()| Stepper::new(&world, settings.step.clone()).unwrap());
        for _ in 0..100 {
            one.step(&world, &mut plain, DT, &mut ()).unwrap().done().unwrap();
            let (status, made) = other.step_within(&world, &mut swept, (DT, DT), &mut ()).unwrap();
            status.done().unwrap();
            assert_eq!(made, DT);
        }
        assert_eq!(plain, swept, "{integrator}");
    }
}
