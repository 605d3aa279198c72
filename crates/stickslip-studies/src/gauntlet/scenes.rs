//! Boxes and balls that stand, slide, roll and bounce: rows A to F and H.

use super::build::{G, at};
use super::{Built, Case, Goal, Measure, Span, Yard, place, velocity};
use glam::{DQuat, DVec3};
use stickslip::bodies::{Pose, Twist};
use stickslip::contact::Law;
use stickslip::{Error, State};

/// All of them.
pub(super) fn cases() -> Vec<Case> {
    let mut all = launched();
    all.extend(slopes());
    all.extend(heavy_on_light());
    all.extend(rolling());
    all.extend(headings());
    all.extend(stacks());
    all.extend(bouncing());
    all
}

/// Row A: a cube of 0.1 m, launched flat at 6 m/s with μ 0.5, does not lift and stops after v²/2μg. A displacement by the
/// velocity at the end of each step is less by v Δt/2. The step in which it stops is a part of one: what is left of a motion
/// of less than a step is at most a Δt²/8.
fn launched() -> Vec<Case> {
    let (speed, mu, edges) = (6.0, 0.5, DVec3::splat(0.1));
    let mut all = Vec::new();
    for dt in [5e-3, 1e-3] {
        let build = move || launch(edges, mu, &[DVec3::X * speed]);
        let name = format!("cube of 0.1 m at 6 m/s, μ 0.5, steps of {} ms", 1e3 * dt);
        let case = || Case { span: Span { t_end: 1.5, dt }, ..Case::still('A', &name, build) };
        all.push(Case {
            quantity: "lift, m",
            measure: Measure::ends(|a, b| b.q[2] - a.q[2]),
            ..case()
        });
        all.push(Case {
            quantity: "distance, m",
            goal: Goal::Near(speed * speed / (2.0 * mu * G), mu * G * dt * dt / 8.0 + 1e-9),
            late: -0.5 * speed * dt,
            measure: Measure::ends(|a, b| b.q[0] - a.q[0]),
            ..case()
        });
    }
    all
}

/// Row B: friction that suffices holds a cube without creep; friction that does not lets it go by
/// ½ (sin α − μ cos α) g t².
fn slopes() -> Vec<Case> {
    let cube = || slope(20.0, 0.4, DVec3::splat(0.2));
    let down = 0.5 * G * (30f64.to_radians().sin() - 0.3 * 30f64.to_radians().cos());
    let (t_end, dt) = (1.0, 1e-3);
    vec![
        Case {
            quantity: "creep, m/s",
            goal: Goal::Zero(1e-12),
            measure: Measure::ends(|a, b| (place(b, 0) - place(a, 0)).length() / b.t),
            ..Case::still('B', "cube of 0.2 m on a slope of 20°, μ 0.4", cube)
        },
        Case {
            quantity: "way in 1 s, m",
            goal: Goal::Near(down, 1e-9),
            late: down * t_end * dt,
            span: Span { t_end, dt },
            measure: Measure::ends(|a, b| b.q[0] - a.q[0]),
            ..Case::still('B', "box on a slope of 30°, μ 0.3", || {
                slope(30.0, 0.3, DVec3::new(0.4, 0.3, 0.2))
            })
        },
    ]
}

/// Row C: a heavy cube on one of 1 kg does not sink.
fn heavy_on_light() -> Vec<Case> {
    let ratios = [("1 kg", 1.0), ("100 kg", 1e2), ("1 t", 1e3), ("10³ t", 1e6), ("10⁶ t", 1e9)];
    let case = |(name, ratio)| Case {
        quantity: "sink, m",
        measure: Measure::ends(|a, b| (a.q[9] - b.q[9]).abs()),
        ..Case::still('C', format!("cube of {name} on a cube of 1 kg"), move || {
            column(&[1.0, ratio])
        })
    };
    ratios.map(case).into()
}

/// Row D: 25 balls of 1 kg on a box of 10 kg that is pulled with 150 N. With μ 0.4 below the box and 0.8 above it,
/// the box slides and the balls roll: a ball on a plate with acceleration a has 2/7 a (its friction f gives it f/m and its
/// surface 5/2 f/m more), so a = (150 N − 0.4 · 35 kg · g) / (10 kg + 25 · 2/7 kg).
fn rolling() -> Vec<Case> {
    let span = Span { t_end: 4.0, dt: 1e-3 };
    let roll = 5.0 / 7.0 * 2.0;
    vec![
        Case {
            quantity: "largest squared error of velocity, m²/s²",
            goal: Goal::Zero(1e-16),
            span,
            measure: Measure::ends(|_, b| rolling_error(b)),
            ..Case::still('D', "25 balls on a box that is pulled, μ 0.8 and 0.4", balls_on_a_box)
        },
        Case {
            quantity: "velocity, m/s",
            goal: Goal::Near(roll, 1e-9),
            span: Span { t_end: 2.0, ..span },
            measure: Measure::ends(|_, b| b.u[0]),
            // Friction has no moment about the point of contact: 5/7 of the velocity is left.
            ..Case::still('D', "ball at 2 m/s that comes to roll, μ 0.3", || {
                balls(&Law::disc(0.3), &[0.0], 2.0)
            })
        },
    ]
}

/// Row E: a block goes equally far in every direction, and straight.
fn headings() -> Vec<Case> {
    let degrees = [0.0, 15.0, 30.0, 45.0_f64];
    let along = move |i: usize| DQuat::from_rotation_z(degrees[i].to_radians()) * DVec3::X;
    let case = || Case {
        span: Span { t_end: 0.8, dt: 1e-3 },
        ..Case::still('E', "block at 3 m/s to 0, 15, 30 and 45°, μ 0.5", move || {
            let velocities: Vec<DVec3> = (0..4).map(|i| 3.0 * along(i)).collect();
            launch(DVec3::new(0.4, 0.3, 0.2), 0.5, &velocities)
        })
    };
    let way = |a: &State, b: &State, i: usize| place(b, i) - place(a, i);
    vec![
        Case {
            quantity: "difference of distances, m",
            measure: Measure::ends(move |a, b| {
                let far = |i: usize| (way(a, b, i).length() - way(a, b, 0).length()).abs();
                (1..4).map(far).fold(0.0, f64::max)
            }),
            ..case()
        },
        Case {
            quantity: "change of heading, rad",
            measure: Measure::ends(move |a, b| {
                let turn = |i: usize| way(a, b, i).normalize().cross(along(i)).length();
                (0..4).map(turn).fold(0.0, f64::max)
            }),
            ..case()
        },
    ]
}

/// Row F: cubes on each other do not move.
fn stacks() -> Vec<Case> {
    vec![
        Case::still('F', "stack of 20 cubes", || column(&[1.0; 20])),
        Case::still('F', "pyramid of 15 cubes, 5 wide", || wall(5)),
        Case { long: true, ..Case::still('F', "pyramid of 55 cubes, 10 wide", || wall(10)) },
        Case { long: true, ..Case::still('F', "pyramid of 210 cubes, 20 wide", || wall(20)) },
    ]
}

/// Row H: a ball that is dropped from h hits the ground at v = √(2gh) after t = v/g, and rises to ε² h, and so on; with
/// ε < 1 it rests after t (1 + ε) / (1 − ε). Time stepping makes an impact over a step, with the velocity and at the height h' of its
/// beginning: |h'| ≤ v Δt, of which 1 − ε² is lost too much or too little, and the flight is late by 2 Δt at most for each impact.
fn bouncing() -> Vec<Case> {
    let (height, dt) = (1.0, 1e-3);
    let (speed, fall) = ((2.0 * G * height).sqrt(), (2.0 * height / G).sqrt());
    let drop =
        move |eps: f64| move || balls(&Law::disc(0.3).with_restitution(eps, 0.0), &[height], 0.0);
    let rise = |a: &State, b: &State| b.q[2] - a.q[2];
    let case = |name: &str, eps: f64, t_end: f64, exact: f64, impacts: f64| Case {
        quantity: "height, m",
        goal: Goal::Near(
            exact,
            impacts * speed * dt * (1.0 - eps * eps) + 0.5 * G * (2.0 * impacts * dt).powi(2),
        ),
        bounces: true,
        span: Span { t_end, dt },
        measure: Measure::ends(move |a, b| height + rise(a, b)),
        ..Case::still('H', name, drop(eps))
    };
    // At the top of its flight after the third impact: the fall, two flights of ε and ε², and half of one of ε³.
    let eps: f64 = 0.8;
    let third = fall * (1.0 + 2.0 * eps + 2.0 * eps * eps + eps.powi(3));
    vec![
        case("ball with ε 1, after five impacts from 1 m", 1.0, 10.0 * fall, height, 5.0),
        case("ball with ε 0.8, after three impacts from 1 m", eps, third, eps.powi(6), 3.0),
        case("ball with ε 0.5, after it came to rest", 0.5, 4.0 * fall, 0.0, 1.0),
        many_balls(),
    ]
}

/// 49 balls with ε = 1 that bounce for 20 s: no energy is lost or made.
fn many_balls() -> Case {
    let heights: Vec<f64> = (0..49).map(|i| 0.5 + 0.03 * f64::from(i)).collect();
    let energy = |state: &State| {
        let one = |i: usize| G * place(state, i).z + 0.5 * velocity(state, i).length_squared();
        (0..49).map(one).sum::<f64>()
    };
    Case {
        quantity: "change of energy, as a share",
        goal: Goal::Zero(1e-10),
        bounces: true,
        span: Span { t_end: 20.0, dt: 1e-3 },
        measure: Measure::ends(move |a, b| energy(b) / energy(a) - 1.0),
        ..Case::still('H', "49 balls with ε 1, 20 s", move || {
            balls(&Law::disc(0.3).with_restitution(1.0, 0.0), &heights, 0.0)
        })
    }
}

/// Boxes of these edges side by side on the level, one for each velocity.
fn launch(edges: DVec3, mu: f64, velocities: &[DVec3]) -> Result<Yard, Error> {
    let mut yard = Yard::new(Law::disc(mu))?;
    for (i, &linear) in velocities.iter().enumerate() {
        let position = DVec3::new(0.0, i as f64, 0.5 * edges.z);
        let twist = Twist { linear, ..Twist::default() };
        yard.cuboid(2.0, edges, (Pose::at(position), twist))?;
    }
    Ok(yard)
}

/// A box on a slope, whose directions are those of the axes.
fn slope(degrees: f64, mu: f64, edges: DVec3) -> Result<Yard, Error> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let mut yard = Yard::with_gravity(G * DVec3::new(sin, 0.0, -cos), Law::disc(mu))?;
    yard.cuboid(2.0, edges, at(DVec3::Z * 0.5 * edges.z))?;
    Ok(yard)
}

/// Cubes of 0.2 m on each other, of these masses from below.
pub fn stack(masses: &[f64]) -> Built {
    column(masses)?.built()
}

/// So many stacks of ten cubes of 1 kg in a row, which do not touch each other.
pub fn columns(count: usize) -> Built {
    let mut yard = Yard::new(Law::disc(0.5))?;
    for i in 0..10 * count {
        let (column, level) = ((i / 10) as f64, (i % 10) as f64);
        let position = DVec3::new(0.5 * column, 0.0, 0.1 + 0.2 * level);
        yard.cuboid(1.0, DVec3::splat(0.2), at(position))?;
    }
    yard.built()
}

/// Rows of cubes of 0.2 m, 10 mm apart, each on two of the row below.
pub fn pyramid(rows: usize) -> Built {
    wall(rows)?.built()
}

fn column(masses: &[f64]) -> Result<Yard, Error> {
    let mut yard = Yard::new(Law::disc(0.5))?;
    for (i, &mass) in masses.iter().enumerate() {
        yard.cuboid(mass, DVec3::splat(0.2), at(DVec3::Z * (0.1 + 0.2 * i as f64)))?;
    }
    Ok(yard)
}

fn wall(rows: usize) -> Result<Yard, Error> {
    let mut yard = Yard::new(Law::disc(0.5))?;
    for row in 0..rows {
        for i in 0..rows - row {
            let x = 0.21 * (i as f64 + 0.5 * row as f64);
            let position = DVec3::new(x, 0.0, 0.1 + 0.2 * row as f64);
            yard.cuboid(1.0, DVec3::splat(0.2), at(position))?;
        }
    }
    Ok(yard)
}

/// Balls of 0.1 m side by side above the ground, at these heights, with a velocity along x.
fn balls(law: &Law, heights: &[f64], speed: f64) -> Result<Yard, Error> {
    let mut yard = Yard::new(law.clone())?;
    for (i, height) in heights.iter().enumerate() {
        let twist = Twist { linear: DVec3::X * speed, ..Twist::default() };
        let position = DVec3::new(0.0, 0.5 * i as f64, height + 0.1);
        yard.ball(1.0, 0.1, (Pose::at(position), twist))?;
    }
    Ok(yard)
}

/// The pull of row D.
const PULL: f64 = 150.0;

/// Its direction, (0.5, 0.866) as a unit vector.
fn pull() -> DVec3 {
    DVec3::new(0.5, 0.75f64.sqrt(), 0.0)
}

/// A box of 20 × 20 × 1 m and 10 kg with 25 balls of 1 kg and 0.5 m in rows of five on it.
fn balls_on_a_box() -> Result<Yard, Error> {
    let mut yard = Yard::new(Law::disc(0.4))?;
    yard.switch_to(Law::disc(0.8))?;
    let plate = yard.cuboid(10.0, DVec3::new(20.0, 20.0, 1.0), at(DVec3::Z * 0.5))?;
    yard.pull(plate, PULL * pull())?;
    for i in 0..25 {
        let grid = |k: usize| 2.0 * (k as f64 - 2.0);
        yard.ball(1.0, 0.5, at(DVec3::new(grid(i % 5), grid(i / 5), 1.5)))?;
    }
    Ok(yard)
}

/// How far velocities of box and balls are from the exact ones, squared, at worst.
fn rolling_error(end: &State) -> f64 {
    let plate = (PULL - 0.4 * 35.0 * G) / (10.0 + 25.0 * 2.0 / 7.0) * end.t;
    let off = |i: usize| {
        let exact = if i == 0 { plate } else { 2.0 / 7.0 * plate };
        (velocity(end, i) - exact * pull()).length_squared()
    };
    (0..26).map(off).fold(0.0, f64::max)
}
