//! Takes a world of the gauntlet through time with Rapier.
//!
//! Usage: rapier_gauntlet, with a JSON object on its input as `lab peers` writes it: `world`, `dt`, `steps`. Output: a JSON
//! object with `q`, seven numbers per body (position, quaternion w x y z), and `u`, six (velocity of the centre, angular velocity). Settings are
//! Rapier's own but for the step, for sleeping, which is off, and for the rule of friction, which is the smaller coefficient.

use rapier3d_f64::prelude::*;
use serde_json::{Value, json};
use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::io::Read;

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let asked: Value = serde_json::from_str(&text)?;
    let mut world = PhysicsWorld::new();
    world.gravity = vector(&asked["world"]["gravity"]);
    world.integration_parameters.dt = number(&asked["dt"]);
    for part in list(&asked["world"]["fixed"]) {
        insert(&mut world, part, false)?;
    }
    let mut bodies = Vec::new();
    for part in list(&asked["world"]["bodies"]) {
        bodies.push(insert(&mut world, part, true)?);
    }
    for force in list(&asked["world"]["forces"]) {
        let body = bodies[force[0].as_u64().ok_or("the number of a body")? as usize];
        world.bodies[body].add_force(vector(&force[1]), true);
    }
    for _ in 0..asked["steps"].as_u64().ok_or("steps")? {
        world.step();
    }
    let (mut q, mut u) = (Vec::new(), Vec::new());
    for &body in &bodies {
        let body = &world.bodies[body];
        let (p, r) = (body.translation(), body.rotation());
        q.extend([p.x, p.y, p.z, r.w, r.x, r.y, r.z]);
        let (v, w) = (body.linvel(), body.angvel());
        u.extend([v.x, v.y, v.z, w.x, w.y, w.z]);
    }
    println!("{}", json!({ "q": q, "u": u }));
    Ok(())
}

fn insert(
    world: &mut PhysicsWorld,
    part: &Value,
    free: bool,
) -> Result<RigidBodyHandle, Box<dyn Error>> {
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
fn shapes(geometry: &Value, at: Pose) -> Result<Vec<(Pose, SharedShape)>, Box<dyn Error>> {
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
