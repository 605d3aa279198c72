//! Islands of bodies that are still are put to sleep, and wake when something acts on them.

use glam::DVec3;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use stickslip::bodies::forces::Custom;
use stickslip::bodies::{
    Body, Collider, Geometry, Joint, JointKind, MassProperties, Material, Pose, Twist, World,
};
use stickslip::contact::Law;
use stickslip::model::{Generalised, Model};
use stickslip::models::Woodpecker;
use stickslip::run::{
    End, Event, EventKind, Flow, Memory, Observer, Report, Sample, Settings, Stage, StepByStep,
    Stopwatch, resume_until, run,
};
use stickslip::step::{self, Integrator, Sleep};
use stickslip::{Error, State};

const G: f64 = 9.81;
const DT: f64 = 5e-3;
const EDGE: f64 = 0.2;
const STILL_FOR: f64 = 0.1;

struct Scene {
    world: World,
    material: Material,
    start: Vec<(Pose, Twist)>,
}

impl Scene {
    fn new() -> Self {
        let mut world = World::new(DVec3::new(0.0, 0.0, -G)).unwrap();
        let material = world.materials().add(Law::disc(0.5)).unwrap();
        world.collider(World::GROUND, material, &Collider::new(0, Geometry::HalfSpace)).unwrap();
        Self { world, material, start: Vec::new() }
    }

    fn cube(&mut self, at: DVec3) -> Body {
        let body = self.world.body(MassProperties::cuboid(1.0, DVec3::splat(EDGE)).unwrap());
        let geometry = Geometry::Box { half_lengths: DVec3::splat(0.5 * EDGE) };
        self.world.collider(body, self.material, &Collider::new(0, geometry)).unwrap();
        self.start.push((Pose::at(at), Twist::default()));
        body
    }

    fn stack(&mut self, cubes: usize, x: f64) {
        for i in 0..cubes {
            self.cube(DVec3::new(x, 0.0, EDGE * (i as f64 + 0.5)));
        }
    }

    fn ball(&mut self, at: DVec3, velocity: DVec3) {
        let body = self.world.body(MassProperties::sphere(1.0, 0.1).unwrap());
        let geometry = Geometry::Sphere { radius: 0.1 };
        self.world.collider(body, self.material, &Collider::new(0, geometry)).unwrap();
        self.start.push((Pose::at(at), Twist { linear: velocity, ..Twist::default() }));
    }

    /// A plate of 1 m whose motion is prescribed, with its upper side at z = 0.5 at first.
    fn plate(&mut self, motion: impl Fn(f64) -> (Pose, Twist) + Send + Sync + 'static) -> Body {
        let plate = self.world.prescribed(motion);
        let geometry = Geometry::Box { half_lengths: DVec3::new(0.5, 0.5, 0.05) };
        self.world.collider(plate, self.material, &Collider::new(0, geometry)).unwrap();
        plate
    }

    fn state(&self) -> State {
        self.world.state(&self.start).unwrap()
    }

    fn motion(&self, sleep: bool) -> StepByStep<World> {
        StepByStep::new(&self.world, &self.state(), &settings(1.0, sleep)).unwrap()
    }

    fn report(&self, t_end: f64, sleep: bool) -> Report {
        let report =
            run(&self.world, &self.state(), &settings(t_end, sleep), &mut (), &mut ()).unwrap();
        assert_eq!(report.end, End::Finished);
        report
    }
}

fn settings(t_end: f64, sleep: bool) -> Settings {
    let sleep = sleep.then_some(Sleep { still_for: STILL_FOR, ..Sleep::default() });
    let step = step::Settings { sleep, ..step::Settings::default() };
    Settings { t_end, dt: DT, step, ..Settings::default() }
}

/// Makes steps; how many contact problems were posed in them.
fn go(motion: &mut StepByStep<World>, world: &World, steps: usize) -> usize {
    struct Posed(usize);
    impl Stopwatch for Posed {
        fn lap(&mut self, stage: Stage) {
            self.0 += usize::from(stage == Stage::Pose);
        }
    }
    let mut posed = Posed(0);
    for _ in 0..steps {
        assert!(motion.step(world, &mut posed).is_ok());
    }
    posed.0
}

fn asleep(motion: &StepByStep<World>) -> usize {
    motion.stepper().outcome().asleep_bodies
}

fn apart(a: &State, b: &State) -> f64 {
    a.q.iter().zip(&b.q).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

#[test]
fn a_stack_that_sleeps_poses_no_contact_problem_and_does_not_move() {
    let mut scene = Scene::new();
    scene.stack(10, 0.0);
    for integrator in Integrator::STEPPING {
        let mut settings = settings(1.0, true);
        settings.step.integrator = integrator;
        let mut motion = StepByStep::new(&scene.world, &scene.state(), &settings).unwrap();
        assert!(go(&mut motion, &scene.world, 10) > 0);
        assert_eq!(asleep(&motion), 0);
        go(&mut motion, &scene.world, 15);
        assert_eq!(asleep(&motion), 10, "{integrator}");
        let state = motion.state().clone();
        assert!(state.u.iter().all(|u| *u == 0.0));
        assert_eq!(go(&mut motion, &scene.world, 100), 0, "{integrator}");
        assert_eq!(motion.state().q, state.q, "{integrator}");
    }
}

#[test]
fn contacts_of_sleeping_bodies_carry_the_load_and_do_not_open() {
    #[derive(Default)]
    struct Loads {
        opened: usize,
        last: f64,
    }
    impl Observer for Loads {
        fn sample(&mut self, sample: &Sample<'_>) -> Flow {
            let normal = sample.points.iter().zip(sample.impulses.chunks(3));
            let floor = normal.filter(|(p, _)| p.is_some_and(|p| p.bodies.contains(&0)));
            self.last = floor.map(|(_, impulse)| impulse[0]).sum();
            Flow::Continue
        }

        fn event(&mut self, event: &Event) {
            self.opened += usize::from(event.kind == EventKind::Opens);
        }
    }
    let mut scene = Scene::new();
    scene.stack(3, 0.0);
    let mut loads = Loads::default();
    let settings = settings(0.5, true);
    let report = run(&scene.world, &scene.state(), &settings, &mut loads, &mut ()).unwrap();
    assert_eq!((report.asleep, report.woken, loads.opened), (3, 0, 0));
    assert!((loads.last - 3.0 * G * DT).abs() < 1e-9, "{}", loads.last);
    assert!(report.sleep_energy >= 0.0 && report.sleep_energy < 1e-12);
}

#[test]
fn a_ball_wakes_a_stack_which_then_moves_as_if_it_had_not_slept() {
    let mut scene = Scene::new();
    scene.stack(3, 0.0);
    scene.ball(DVec3::new(-1.6, 0.0, 0.5), DVec3::new(5.0, 0.0, 1.0));
    let (slept, awake) = (scene.report(0.6, true), scene.report(0.6, false));
    assert_eq!((slept.woken, slept.asleep), (1, 0));
    assert!(apart(&awake.state, &scene.state()) > 0.1);
    // What a stack at rest moves by in a few steps is rounding, which impacts make larger.
    assert!(apart(&slept.state, &awake.state) < 1e-6, "{}", apart(&slept.state, &awake.state));
    assert!(slept.energy_end.total() < slept.energy_start.total());
    assert!((slept.energy_created.1 - awake.energy_created.1).abs() < 1e-6);
}

#[test]
fn the_step_that_wakes_a_body_balances_momentum() {
    let mut scene = Scene::new();
    scene.world = World::new(DVec3::ZERO).unwrap();
    scene.material = scene.world.materials().add(Law::disc(0.0)).unwrap();
    scene.cube(DVec3::ZERO);
    scene.ball(DVec3::new(-0.5, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0));
    let mut motion = scene.motion(true);
    let before = scene.world.momentum(motion.state());
    let (mut slept, mut most) = (false, 0.0_f64);
    for _ in 0..100 {
        go(&mut motion, &scene.world, 1);
        let now = scene.world.momentum(motion.state());
        most = most.max((now.0 - before.0).length()).max((now.1 - before.1).length());
        slept |= asleep(&motion) == 1;
    }
    assert!(slept && motion.state().u[0] > 0.4);
    assert!(most < 1e-14, "{most:.1e}");
}

#[test]
fn where_nothing_falls_asleep_the_bits_are_those_without_sleeping() {
    let mut scene = Scene::new();
    scene.stack(3, 0.0);
    scene.ball(DVec3::new(-1.6, 0.0, 0.5), DVec3::new(5.0, 0.0, 1.0));
    let mut restless = settings(0.6, true);
    restless.step.sleep = Some(Sleep { still_for: 10.0, ..Sleep::default() });
    let report = run(&scene.world, &scene.state(), &restless, &mut (), &mut ()).unwrap();
    assert_eq!(report, scene.report(0.6, false));
}

#[test]
fn of_two_stacks_one_wakes_and_the_other_sleeps_on() {
    let mut scene = Scene::new();
    scene.stack(3, 0.0);
    scene.stack(3, 3.0);
    scene.ball(DVec3::new(-1.6, 0.0, 0.5), DVec3::new(5.0, 0.0, 1.0));
    let mut motion = scene.motion(true);
    go(&mut motion, &scene.world, 40);
    assert_eq!(asleep(&motion), 6);
    go(&mut motion, &scene.world, 60);
    assert_eq!(asleep(&motion), 3);
    let far = motion.state().q[21..42].to_vec();
    assert!(far.iter().zip(&scene.state().q[21..42]).all(|(a, b)| (a - b).abs() < 1e-9));
    go(&mut motion, &scene.world, 20);
    assert_eq!(motion.state().q[21..42], far);
}

#[test]
fn a_belt_that_starts_and_a_hand_that_is_lowered_wake_what_lies_on_them() {
    let belt = |t: f64| {
        let speed = if t > 0.3 { 0.5 } else { 0.0 };
        let twist = Twist { linear: DVec3::X * speed, ..Twist::default() };
        (Pose::at(DVec3::Z * 0.45), twist)
    };
    let hand = |t: f64| {
        let down = if t > 0.3 { 30.0 } else { 0.0 };
        let twist = Twist { linear: DVec3::NEG_Z * down, ..Twist::default() };
        (Pose::at(DVec3::Z * (0.45 - down * (t - 0.3))), twist)
    };
    type Moved = fn(f64) -> (Pose, Twist);
    let moves: [(Moved, usize); 2] = [(belt, 0), (hand, 2)];
    for (motion, axis) in moves {
        let mut scene = Scene::new();
        scene.plate(motion);
        scene.cube(DVec3::Z * 0.6);
        let mut steps = scene.motion(true);
        go(&mut steps, &scene.world, 59);
        assert_eq!(asleep(&steps), 1);
        go(&mut steps, &scene.world, 2);
        assert_eq!(asleep(&steps), 0);
        let (slept, awake) = (scene.report(0.4, true), scene.report(0.4, false));
        assert_eq!((slept.woken, slept.asleep), (1, 0));
        assert!((slept.state.q[axis] - scene.state().q[axis]).abs() > 0.01);
        assert!(apart(&slept.state, &awake.state) < 1e-9);
    }
}

#[test]
fn a_running_belt_keeps_a_body_awake_that_is_held_on_it() {
    let mut scene = Scene::new();
    let twist = Twist { linear: DVec3::X * 0.5, ..Twist::default() };
    scene.plate(move |_| (Pose::at(DVec3::Z * 0.45), twist));
    let cube = scene.cube(DVec3::Z * 0.6);
    let slider = Joint {
        kind: JointKind::Prismatic,
        on_first: Pose::at(DVec3::Z * 0.6),
        on_second: Pose::default(),
    };
    scene.world.joint(World::GROUND, cube, slider).unwrap();
    let report = scene.report(0.5, true);
    assert!(report.state.u.iter().all(|u| u.abs() < 1e-6));
    assert_eq!(report.asleep, 0);
}

#[test]
fn a_force_that_is_switched_on_wakes_a_body_in_the_same_step() {
    let on = Arc::new(AtomicBool::new(false));
    let mut scene = Scene::new();
    let cube = scene.cube(DVec3::Z * 0.1);
    let pushes = Arc::clone(&on);
    let push = Custom::new(move |_, _, loads| {
        if pushes.load(Ordering::Relaxed) {
            loads[1].force.x += 20.0;
        }
    });
    scene.world.force(push).unwrap();
    assert_eq!(cube, scene.world.bodies().nth(1).unwrap());
    let mut motion = scene.motion(true);
    go(&mut motion, &scene.world, 30);
    assert_eq!(asleep(&motion), 1);
    on.store(true, Ordering::Relaxed);
    go(&mut motion, &scene.world, 1);
    let expected = (20.0 - 0.5 * G) * DT;
    assert!((motion.state().u[0] - expected).abs() < 1e-9, "{}", motion.state().u[0]);
}

#[test]
fn joined_bodies_sleep_and_wake_together() {
    let mut scene = Scene::new();
    let cubes = [0.0, 0.3].map(|x| scene.cube(DVec3::new(x, 0.0, 0.1)));
    let hinge = Joint {
        kind: JointKind::Revolute,
        on_first: Pose::at(DVec3::X * 0.15),
        on_second: Pose::at(DVec3::X * -0.15),
    };
    scene.world.joint(cubes[0], cubes[1], hinge).unwrap();
    let mut motion = scene.motion(true);
    go(&mut motion, &scene.world, 30);
    assert_eq!(asleep(&motion), 2);
    assert_eq!(go(&mut motion, &scene.world, 20), 0);
    let mut pushed = motion.state().clone();
    pushed.u[7] = 1.0;
    motion.set_state(&scene.world, &pushed).unwrap();
    go(&mut motion, &scene.world, 1);
    assert_eq!((asleep(&motion), motion.stepper().outcome().woken), (0, 1));
}

#[test]
fn position_correction_leaves_sleeping_bodies_where_they_are() {
    let mut scene = Scene::new();
    scene.cube(DVec3::Z * 0.1);
    scene.ball(DVec3::new(1.0, 0.0, 0.3), DVec3::ZERO);
    let mut settings = settings(1.0, true);
    settings.step.correction = true;
    let mut motion = StepByStep::new(&scene.world, &scene.state(), &settings).unwrap();
    go(&mut motion, &scene.world, 40);
    assert_eq!(asleep(&motion), 1);
    let q = motion.state().q[..7].to_vec();
    go(&mut motion, &scene.world, 20);
    assert_eq!(motion.state().q[..7], q);
}

/// Stops at the end of the first leg after a time, with its memory as bytes.
struct Killed(f64, Option<Vec<u8>>);

impl Observer for Killed {
    fn sample(&mut self, _: &Sample<'_>) -> Flow {
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}

    fn leg(&mut self, memory: &Memory) -> Flow {
        if memory.t() < self.0 {
            return Flow::Continue;
        }
        self.1 = Some(memory.to_bytes());
        Flow::Stop
    }
}

#[test]
fn a_run_that_is_killed_while_bodies_sleep_goes_on_with_the_same_bits() {
    let mut scene = Scene::new();
    scene.stack(3, 0.0);
    scene.stack(3, 3.0);
    scene.ball(DVec3::new(-4.8, 0.0, 0.5), DVec3::new(5.0, 0.0, 4.6));
    // A leg of seven bodies has 195 steps.
    let settings = Settings { dt: 2e-3, sample_dt: 0.1, ..settings(1.1, true) };
    let whole = run(&scene.world, &scene.state(), &settings, &mut (), &mut ()).unwrap();
    assert_eq!((whole.woken, whole.asleep), (1, 3));
    let mut killed = Killed(0.3, None);
    let stopped = run(&scene.world, &scene.state(), &settings, &mut killed, &mut ()).unwrap();
    assert_eq!((stopped.end, stopped.asleep), (End::Stopped, 6));
    let memory = Memory::from_bytes(&killed.1.unwrap()).unwrap();
    let resumed = resume_until(&scene.world, &memory, &settings, None, &mut (), &mut ()).unwrap();
    assert_eq!(resumed.state, whole.state);
    assert_eq!((resumed.woken, resumed.asleep), (whole.woken, whole.asleep));
    assert_eq!(resumed.sleep_energy.to_bits(), whole.sleep_energy.to_bits());
}

#[test]
fn energy_never_grows_where_bodies_fall_asleep_and_wake() {
    let mut scene = Scene::new();
    scene.stack(3, 0.0);
    scene.ball(DVec3::new(-2.0, 0.05, 0.5), DVec3::new(3.0, 0.0, 2.0));
    let mut motion = scene.motion(true);
    let energy = |state: &State| scene.world.energy(&state.q, &state.u, state.t).total();
    let mut last = energy(motion.state());
    let (mut woken, mut fell) = (0, 0);
    for _ in 0..600 {
        let before = asleep(&motion);
        go(&mut motion, &scene.world, 1);
        let (now, o) = (energy(motion.state()), motion.stepper().outcome());
        woken += o.woken;
        if o.asleep_bodies > before {
            fell += 1;
            let taken = last - now;
            assert!(taken >= o.sleep_energy - 1e-12, "{taken:.1e} {:.1e}", o.sleep_energy);
        }
        // Contacts whose points move may add energy in a step, awake as they are.
        if o.woken > 0 || o.asleep_bodies > 0 {
            assert!(now - last < 1e-12, "{:.1e}", now - last);
        }
        last = now;
    }
    assert_eq!((woken, fell > 1), (1, true));
}

#[test]
fn sleeping_is_refused_where_it_makes_no_sense() {
    let mut scene = Scene::new();
    scene.cube(DVec3::Z * 0.1);
    let refused = |sleep: Sleep, integrator: Integrator| {
        let step = step::Settings { sleep: Some(sleep), integrator, ..step::Settings::default() };
        let settings = Settings { step, ..Settings::default() };
        run(&scene.world, &scene.state(), &settings, &mut (), &mut ()).unwrap_err()
    };
    let stepping = Integrator::MoreauMidpoint;
    for still_for in [-1.0, f64::NAN] {
        let error = refused(Sleep { still_for, ..Sleep::default() }, stepping);
        assert!(matches!(error, Error::Range { place, .. } if place == "still_for"));
    }
    for slower_than in [0.0, f64::INFINITY] {
        let error = refused(Sleep { slower_than, ..Sleep::default() }, stepping);
        assert!(matches!(error, Error::Range { place, .. } if place == "slower_than"));
    }
    let error = refused(Sleep::default(), Integrator::EventDriven);
    assert!(matches!(error, Error::Combination { part: "sleep", other: "event_driven", .. }));
    let bird = Generalised::new(Woodpecker::default().system()).unwrap();
    let error = run(&bird, &Woodpecker::start(), &settings(1.0, true), &mut (), &mut ());
    assert!(matches!(error, Err(Error::Combination { part: "sleep", .. })));
}
