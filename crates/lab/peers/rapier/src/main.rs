//! Takes a world through time with Rapier.
//!
//! Usage: rapier_worlds, with a JSON object on its input and answers as `crates/lab/peers/worlds` has them. Settings are Rapier's own but for the step, for
//! sleeping, which is off, and for the rule of friction, which is the smaller coefficient. Its friction at every point, `Coulomb`, lets the cube of row A go 7 %
//! too far, so that the one for four points together, which is its own, is taken. Tight: many iterations, and contacts that are found anew in every step.

use rapier3d_f64::prelude::*;
use serde_json::{Value, json};
use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::fs::File;
use std::io::{BufWriter, Read, Write};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let asked: Value = serde_json::from_str(&text)?;
    let (mut world, bodies) = match prepare(&asked) {
        Ok(prepared) => prepared,
        Err(why) => {
            println!("{}", json!({ "refused": why.to_string() }));
            return Ok(());
        }
    };
    let steps = asked["steps"].as_u64().ok_or("steps")?;
    let Some(path) = asked["states"].as_str() else {
        for _ in 0..steps {
            world.step();
        }
        let (q, u) = state(&world, &bodies);
        println!("{}", json!({ "q": q, "u": u }));
        return Ok(());
    };
    let mut file = BufWriter::new(File::create(path)?);
    for _ in 0..steps {
        let begin = processor_time()?;
        world.step();
        let spent = processor_time()? - begin;
        let (q, u) = state(&world, &bodies);
        for number in [spent].iter().chain(&q).chain(&u) {
            file.write_all(&number.to_le_bytes())?;
        }
        file.flush()?;
    }
    Ok(())
}

/// Seconds that the processor spent on this thread.
fn processor_time() -> Outcome<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = told.split_whitespace().next().ok_or("no time")?.parse()?;
    Ok(1e-9 * nanoseconds)
}

fn prepare(asked: &Value) -> Outcome<(PhysicsWorld, Vec<RigidBodyHandle>)> {
    let mut world = PhysicsWorld::new();
    world.gravity = vector(&asked["world"]["gravity"]);
    let settings = &mut world.integration_parameters;
    settings.dt = number(&asked["dt"]);
    if asked["tight"] == true {
        settings.num_solver_iterations = 100;
        settings.contact_recycling = false;
    }
    for part in list(&asked["world"]["fixed"]) {
        insert(&mut world, part, false)?;
    }
    let mut bodies = Vec::new();
    for part in list(&asked["world"]["bodies"]) {
        bodies.push(insert(&mut world, part, true)?);
    }
    let body = |value: &Value| -> Outcome<RigidBodyHandle> {
        Ok(bodies[value.as_u64().ok_or("the number of a body")? as usize])
    };
    for force in list(&asked["world"]["forces"]) {
        world.bodies[body(&force[0])?].add_force(vector(&force[1]), true);
    }
    for guide in list(&asked["world"]["guides"]) {
        let (body, along) = (&mut world.bodies[body(&guide[0])?], vector(&guide[1]));
        body.lock_rotations(true, true);
        body.set_enabled_translations(along.x != 0.0, along.y != 0.0, along.z != 0.0, true);
    }
    for link in list(&asked["world"]["links"]) {
        // All links of these worlds are pulled: a rope of this length does the same.
        let rope = RopeJointBuilder::new(number(&link[2])).build();
        world.insert_impulse_joint(body(&link[0])?, body(&link[1])?, rope);
    }
    Ok((world, bodies))
}

fn state(world: &PhysicsWorld, bodies: &[RigidBodyHandle]) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut u) = (Vec::new(), Vec::new());
    for &body in bodies {
        let body = &world.bodies[body];
        let (p, r) = (body.translation(), body.rotation());
        q.extend([p.x, p.y, p.z, r.w, r.x, r.y, r.z]);
        let (v, w) = (body.linvel(), body.angvel());
        u.extend([v.x, v.y, v.z, w.x, w.y, w.z]);
    }
    (q, u)
}

fn insert(world: &mut PhysicsWorld, part: &Value, free: bool) -> Outcome<RigidBodyHandle> {
    let (linear, angular) = (vector(&part["linear"]), vector(&part["angular"]));
    let body = if free {
        let inertia: Vec<f64> = list(&part["inertia"]).iter().map(number).collect();
        let principal = Vector::new(inertia[0], inertia[4], inertia[8]);
        let properties = MassProperties::new(Vector::ZERO, number(&part["mass"]), principal);
        RigidBodyBuilder::dynamic().additional_mass_properties(properties).can_sleep(false)
    } else if linear == Vector::ZERO {
        RigidBodyBuilder::fixed()
    } else {
        RigidBodyBuilder::kinematic_velocity_based()
    };
    let body = body.pose(pose(&part["pose"])).linvel(linear).angvel(angular);
    let body = world.insert_body(body);
    for (at, shape) in shapes(&part["geometry"], Pose::IDENTITY)? {
        let collider = ColliderBuilder::new(shape)
            .position(at)
            .density(0.0)
            .friction(number(&part["mu"]))
            .friction_combine_rule(CoefficientCombineRule::Min)
            .restitution(number(&part["eps"]))
            .restitution_combine_rule(CoefficientCombineRule::Min);
        world.insert_collider(collider, Some(body));
    }
    Ok(body)
}

/// The shapes of a geometry, each with its pose.
fn shapes(geometry: &Value, at: Pose) -> Outcome<Vec<(Pose, SharedShape)>> {
    if geometry == "half_space" {
        return Ok(vec![(at, SharedShape::halfspace(Vector::Z))]);
    }
    let (name, of) = geometry.as_object().and_then(|o| o.iter().next()).ok_or("a geometry")?;
    let get = |key: &str| number(&of[key]);
    let one = |shape| Ok(vec![(at, shape)]);
    match name.as_str() {
        "sphere" => one(SharedShape::ball(get("radius"))),
        "box" => {
            let half = vector(&of["half_lengths"]);
            one(SharedShape::cuboid(half.x, half.y, half.z))
        }
        "capsule" => one(SharedShape::capsule_z(get("half_length"), get("radius"))),
        "cylinder" => {
            let upright = Pose::from_rotation(Rotation::from_rotation_x(FRAC_PI_2));
            Ok(vec![(at * upright, SharedShape::cylinder(get("half_height"), get("radius")))])
        }
        "hull" => {
            let points: Vec<Vector> = list(&of["points"]).iter().map(vector).collect();
            one(SharedShape::convex_hull(&points).ok_or("a hull without volume")?)
        }
        "compound" => {
            let mut all = Vec::new();
            for part in list(&of["parts"]) {
                all.extend(shapes(&part[1], at * pose(&part[0]))?);
            }
            Ok(all)
        }
        other => Err(format!("no shape {other} here").into()),
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn vector(value: &Value) -> Vector {
    Vector::new(number(&value[0]), number(&value[1]), number(&value[2]))
}

fn pose(value: &Value) -> Pose {
    let r = &value["rotation"];
    let [x, y, z, w] = [0, 1, 2, 3].map(|i| number(&r[i]));
    Pose::from_parts(vector(&value["position"]), Rotation::from_xyzw(x, y, z, w))
}
