//! Contact systems drawn at random.

use super::{Builder, Side, System, friction_coefficients, planar_body, point, spatial_body, unit};
use crate::dense::{add_diagonal, normal_matrix, transposed_product};
use stickslip_studies::Draw;

/// A system with `k` contacts of any kind: points, rigid bodies, abstract directions; well posed
/// or redundant; without restitution or with a coefficient of its own per contact.
pub(crate) fn random(d: &mut Draw, tangents: usize, k: usize) -> System {
    match d.index(4) {
        0 => definite(d, tangents, k),
        1 => rigid(d, tangents, k, 2),
        2 => rigid(d, tangents, k, 4),
        _ => abstract_rows(d, tangents, k, 0.7),
    }
}

/// A system with `k` contacts and W positive definite.
///
/// Contact i belongs to body i and meets bodies of smaller index only, so H is block triangular
/// with full diagonal blocks.
pub(crate) fn definite(d: &mut Draw, tangents: usize, k: usize) -> System {
    loop {
        let system = match d.index(3) {
            0 => points(d, tangents, k),
            1 => rigid(d, tangents, k, 1),
            _ => abstract_rows(d, tangents, k, 1.3),
        };
        if system.is_definite() {
            return system;
        }
    }
}

/// Rigid bodies with contacts and joints to bodies of smaller index; every other joint twice if
/// `redundant`. No restitution.
pub(crate) fn with_joints(
    d: &mut Draw,
    tangents: usize,
    k: usize,
    joints: usize,
    redundant: bool,
) -> System {
    let mut builder = empty(tangents);
    for _ in 0..k.max(joints).max(1) {
        add_rigid(d, &mut builder, tangents);
    }
    for i in 0..k {
        touch_at_random(d, &mut builder, tangents, i);
    }
    for i in 0..joints {
        let (on, against) = sides(d, tangents, i);
        let dir = direction(d, tangents);
        builder.join(on, against, dir);
        if redundant && i % 2 == 0 {
            builder.join(on, against, dir);
        }
    }
    let v = velocities(d, &builder);
    let mu = friction_coefficients(d, k);
    builder.pose(&v, mu)
}

fn empty(tangents: usize) -> Builder {
    if tangents == 1 { Builder::planar() } else { Builder::spatial() }
}

fn velocities(d: &mut Draw, builder: &Builder) -> Vec<f64> {
    let spread = d.log_between(0.1, 3.0);
    let up = builder.tangents;
    builder.falling(d, up, spread)
}

fn finish(d: &mut Draw, builder: &Builder) -> System {
    let k = builder.contacts();
    let v = velocities(d, builder);
    let mut system = builder.pose(&v, friction_coefficients(d, k));
    if d.chance(0.3) {
        // b_N += ε γ⁻: out of the range of Hᵀ unless all coefficients are equal.
        let before = velocities(d, builder);
        let gamma = builder.directions().transposed().mul_vec(&before);
        for i in 0..k {
            system.b[i] += d.unit() * gamma[i].min(0.0);
        }
        system.in_range = false;
    }
    system
}

fn points(d: &mut Draw, tangents: usize, k: usize) -> System {
    let mut builder = empty(tangents);
    for i in 0..k {
        let mass = d.log_between(0.1, 10.0);
        builder.body(point(1 + tangents, mass));
        let against = (i > 0 && d.chance(0.5)).then(|| (d.index(i), [0.0; 3]));
        let normal = direction(d, tangents);
        builder.contact((i, [0.0; 3]), against, normal);
    }
    finish(d, &builder)
}

/// Rigid bodies with `per_body` contacts each; more than one makes W singular.
fn rigid(d: &mut Draw, tangents: usize, k: usize, per_body: usize) -> System {
    let mut builder = empty(tangents);
    for i in 0..k {
        if i % per_body == 0 {
            add_rigid(d, &mut builder, tangents);
        }
        touch_at_random(d, &mut builder, tangents, i / per_body);
    }
    finish(d, &builder)
}

fn add_rigid(d: &mut Draw, builder: &mut Builder, tangents: usize) {
    let mass = d.log_between(0.1, 10.0);
    let mut inertia = || mass * d.log_between(0.05, 1.0);
    if tangents == 1 {
        builder.body(planar_body(mass, inertia()));
    } else {
        builder.body(spatial_body(mass, [inertia(), inertia(), inertia()]));
    }
}

fn touch_at_random(d: &mut Draw, builder: &mut Builder, tangents: usize, body: usize) {
    let (on, against) = sides(d, tangents, body);
    let normal = direction(d, tangents);
    builder.contact(on, against, normal);
}

fn sides(d: &mut Draw, tangents: usize, body: usize) -> (Side, Option<Side>) {
    let against = (body > 0 && d.chance(0.6)).then(|| (d.index(body), lever(d, tangents)));
    ((body, lever(d, tangents)), against)
}

fn lever(d: &mut Draw, tangents: usize) -> [f64; 3] {
    let z = if tangents == 1 { 0.0 } else { d.between(-1.0, 1.0) };
    [d.between(-1.0, 1.0), d.between(-1.0, 1.0), z]
}

fn direction(d: &mut Draw, tangents: usize) -> [f64; 3] {
    let z = if tangents == 1 { 0.0 } else { d.normal() };
    unit([d.normal(), d.normal() + 0.1, z])
}

/// One body with a full random mass matrix and `freedom` times as many degrees of freedom as there
/// are contact rows, pushed along random directions.
fn abstract_rows(d: &mut Draw, tangents: usize, k: usize, freedom: f64) -> System {
    let per = 1 + tangents;
    let dof = ((per * k) as f64 * freedom).ceil() as usize;
    let g = normal_matrix(d, dof + 2, dof);
    let mut inverse_mass = transposed_product(&g, &g);
    for v in inverse_mass.as_mut_slice() {
        *v /= dof as f64;
    }
    add_diagonal(&mut inverse_mass, 0.1);
    let mut builder = empty(tangents);
    builder.body(inverse_mass);
    for _ in 0..k {
        let rows = (0..per).map(|_| vec![(0, d.normals(dof))]).collect();
        builder.touch_rows(rows);
    }
    let v = d.normals(dof);
    let mu = friction_coefficients(d, k);
    builder.pose(&v, mu)
}
