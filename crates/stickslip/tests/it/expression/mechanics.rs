//! Systems whose equations are known.

use super::{assert_close, definition};
use complementarity::Matrix;
use proptest::prelude::*;
use stickslip::expression::{Contact, Definition, ExpressionSystem, ForceExpression, Helper};
use stickslip::system::{Directions, System};

fn helper(name: &str, expression: &str) -> Helper {
    Helper { name: name.into(), expression: expression.into() }
}

/// M, h, ∂h/∂q and ∂h/∂u.
fn equations(
    system: &mut ExpressionSystem,
    q: &[f64],
    u: &[f64],
    t: f64,
) -> (Matrix, Vec<f64>, Matrix, Matrix) {
    let f = q.len();
    let (mut m, mut h) = (Matrix::zeros(f, f), vec![0.0; f]);
    let (mut dq, mut du) = (Matrix::zeros(f, f), Matrix::zeros(f, f));
    system.mass(q, t, &mut m);
    system.forces(q, u, t, &mut h);
    system.force_jacobians(q, u, t, &mut dq, &mut du);
    (m, h, dq, du)
}

fn double_pendulum() -> Definition {
    let parameters = [("m1", 1.3), ("m2", 0.7), ("l1", 0.9), ("l2", 0.4), ("g", 9.81)];
    Definition {
        definitions: vec![
            helper("y2", "y1 - l2*cos(b)"),
            helper("x2", "x1 + l2*sin(b)"),
            helper("x1", "l1*sin(a)"),
            helper("y1", "-l1*cos(a)"),
        ],
        kinetic: "m1/2*(rate(x1)^2 + rate(y1)^2) + m2/2*(rate(x2)^2 + rate(y2)^2)".into(),
        potential: Some("g*(m1*y1 + m2*y2)".into()),
        ..definition(&[("a", "va"), ("b", "vb")], &parameters)
    }
}

proptest! {
    #[test]
    fn double_pendulum_has_the_equations_of_the_textbook(
        a in -3.0..3.0_f64, b in -3.0..3.0_f64, va in -5.0..5.0_f64, vb in -5.0..5.0_f64
    ) {
        let (m1, m2, l1, l2, g) = (1.3, 0.7, 0.9, 0.4, 9.81);
        let mut system = ExpressionSystem::new(&double_pendulum()).unwrap();
        let (m, h, dq, du) = equations(&mut system, &[a, b], &[va, vb], 0.0);
        let (c, s) = ((a - b).cos(), (a - b).sin());
        assert_close(m[(0, 0)], (m1 + m2) * l1 * l1, 1e-14);
        assert_close(m[(0, 1)], m2 * l1 * l2 * c, 1e-14);
        assert_close(m[(1, 0)], m2 * l1 * l2 * c, 1e-14);
        assert_close(m[(1, 1)], m2 * l2 * l2, 1e-14);
        let k = m2 * l1 * l2;
        assert_close(h[0], -k * s * vb * vb - (m1 + m2) * g * l1 * a.sin(), 1e-13);
        assert_close(h[1], k * s * va * va - m2 * g * l2 * b.sin(), 1e-13);
        assert_close(dq[(0, 0)], -k * c * vb * vb - (m1 + m2) * g * l1 * a.cos(), 1e-13);
        assert_close(dq[(0, 1)], k * c * vb * vb, 1e-13);
        assert_close(dq[(1, 0)], k * c * va * va, 1e-13);
        assert_close(dq[(1, 1)], -k * c * va * va - m2 * g * l2 * b.cos(), 1e-13);
        assert_close(du[(0, 0)], 0.0, 1e-13);
        assert_close(du[(0, 1)], -2.0 * k * s * vb, 1e-13);
        assert_close(du[(1, 0)], 2.0 * k * s * va, 1e-13);
        assert_close(du[(1, 1)], 0.0, 1e-13);
    }
}

/// A bead on a hoop that turns about its vertical diameter at a speed that grows with time: the
/// kinetic energy has parts with and without the velocity.
#[test]
fn bead_on_a_turning_hoop_feels_the_centrifugal_force() {
    let hoop = Definition {
        definitions: vec![
            helper("x", "r*sin(phi)*cos(turn)"),
            helper("y", "r*sin(phi)*sin(turn)"),
            helper("z", "-r*cos(phi)"),
            helper("turn", "w*t^2/2"),
        ],
        kinetic: "m/2*(rate(x)^2 + rate(y)^2 + rate(z)^2)".into(),
        potential: Some("m*g*z".into()),
        forces: vec![ForceExpression { coordinate: "phi".into(), expression: "-d*v".into() }],
        ..definition(
            &[("phi", "v")],
            &[("r", 0.3), ("m", 0.2), ("g", 9.81), ("w", 4.0), ("d", 0.01)],
        )
    };
    let mut system = ExpressionSystem::new(&hoop).unwrap();
    for (phi, v, t) in [(0.4_f64, 1.5, 0.7), (2.0, -3.0, 2.0), (-1.0, 0.0, 0.0)] {
        let (m, h, dq, du) = equations(&mut system, &[phi], &[v], t);
        let spin: f64 = 4.0 * t;
        assert_close(m[(0, 0)], 0.2 * 0.09, 1e-15);
        let centrifugal = 0.2 * 0.09 * spin * spin;
        let weight = 0.2 * 9.81 * 0.3;
        assert_close(
            h[0],
            centrifugal * phi.sin() * phi.cos() - weight * phi.sin() - 0.01 * v,
            1e-13,
        );
        assert_close(dq[(0, 0)], centrifugal * (2.0 * phi).cos() - weight * phi.cos(), 1e-13);
        assert_close(du[(0, 0)], -0.01, 1e-13);
        let energy = system.energy(&[phi], &[v], t);
        assert_close(energy.kinetic, 0.1 * 0.09 * (v * v + (spin * phi.sin()).powi(2)), 1e-14);
    }
}

/// A term a(q, t) u of the kinetic energy acts by ∂a/∂t alone where there is one coordinate.
#[test]
fn kinetic_energy_linear_in_the_velocity_acts_through_time_alone() {
    let cart = Definition {
        kinetic: "v^2/2 + sin(3*t)*x*v + x^2*t".into(),
        ..definition(&[("x", "v")], &[])
    };
    let mut system = ExpressionSystem::new(&cart).unwrap();
    let (x, v, t) = (0.8, 2.0, 0.3_f64);
    let (m, h, ..) = equations(&mut system, &[x], &[v], t);
    assert_eq!(m[(0, 0)], 1.0);
    // ∂T/∂x − d/dt(∂T/∂v) + v̇: s v + 2 x t − (3 cos(3t) x + s v).
    assert_close(h[0], 2.0 * x * t - 3.0 * (3.0 * t).cos() * x, 1e-15);
}

#[test]
fn constants_of_a_linear_system_are_folded() {
    let parts = "(u + l*v)^2/2 + v*v + 3*u*v";
    let linear = Definition {
        kinetic: parts.into(),
        ..definition(&[("x", "u"), ("y", "v")], &[("l", 0.25)])
    };
    let mut system = ExpressionSystem::new(&linear).unwrap();
    assert!(system.info().constant_mass);
    assert_eq!(system.operations(), [0; 4]);
    let (m, h, ..) = equations(&mut system, &[1.0, 2.0], &[3.0, 4.0], 5.0);
    assert_eq!(m.as_slice(), [1.0, 3.25, 3.25, 2.0625]);
    assert_eq!(h, [0.0, 0.0]);
}

#[test]
fn squares_of_lengths_count_as_quadratic() {
    for kinetic in ["hypot(u, v)^2/2", "sqrt(u^2 + v^2)^2/2", "abs(u)^2/2 + v*v*v/v/2"] {
        let system =
            Definition { kinetic: kinetic.into(), ..definition(&[("x", "u"), ("y", "v")], &[]) };
        let mut system = ExpressionSystem::new(&system).unwrap();
        let (m, ..) = equations(&mut system, &[0.0; 2], &[0.0; 2], 0.0);
        assert_eq!(m.as_slice(), [1.0, 0.0, 0.0, 1.0], "{kinetic}");
    }
}

/// A disc under a wall that swings: everything that depends on time and configuration at once.
#[test]
fn directions_of_a_moving_wall_are_derivatives_of_gap_and_slip() {
    let wall = Definition {
        kinetic: "(u^2 + v^2)/2".into(),
        contacts: vec![Contact {
            name: "wall".into(),
            gap: "y*cos(x) - A*sin(w*t)".into(),
            slip: Some("u*y - v/x + A*w*t*x".into()),
            mu: Some(0.3.into()),
            eps_n: Some("mu0/2".into()),
            ..Contact::default()
        }],
        ..definition(&[("x", "u"), ("y", "v")], &[("A", 0.2), ("w", 3.0), ("mu0", 0.8)])
    };
    let system = ExpressionSystem::new(&wall).unwrap();
    let (x, y, u, v, t) = (0.7_f64, 1.2, -0.4, 2.5, 0.6);
    let (mut n, mut s) = ([0.0; 2], [0.0; 2]);
    let mut out =
        Directions { normal: &mut n, tangent: &mut s, normal_drive: 9.0, tangent_drive: 9.0 };
    system.directions(0, &[x, y], t, &mut out);
    let (normal_drive, tangent_drive) = (out.normal_drive, out.tangent_drive);
    assert_close(n[0], -y * x.sin(), 1e-15);
    assert_close(n[1], x.cos(), 1e-15);
    assert_close(normal_drive, -0.6 * (3.0 * t).cos(), 1e-15);
    assert_close(s[0], y, 1e-15);
    assert_close(s[1], -1.0 / x, 1e-15);
    assert_close(tangent_drive, 0.6 * t * x, 1e-15);
    // d/dt of n₀ u + n₁ v + n̂ and of s₀ u + s₁ v + ŝ at constant u, v.
    let convective = system.convective(0, &[x, y], &[u, v], t);
    let normal = -y * x.cos() * u * u - 2.0 * x.sin() * u * v + 1.8 * (3.0 * t).sin();
    let tangent = v * u + v * u / (x * x) + 0.6 * (x + t * u);
    assert_close(convective[0], normal, 1e-14);
    assert_close(convective[1], tangent, 1e-14);
    let law = &system.info().contacts[0].law;
    assert_eq!((law.mu, law.eps_n), (0.3, 0.4));
}

#[test]
fn a_contact_without_slip_has_no_friction() {
    let ball = Definition {
        kinetic: "v^2/2".into(),
        contacts: vec![Contact { name: "floor".into(), gap: "y".into(), ..Contact::default() }],
        ..definition(&[("y", "v")], &[])
    };
    let system = ExpressionSystem::new(&ball).unwrap();
    let (mut n, mut s) = ([7.0], [7.0]);
    let mut out =
        Directions { normal: &mut n, tangent: &mut s, normal_drive: 7.0, tangent_drive: 7.0 };
    system.directions(0, &[1.0], 0.0, &mut out);
    assert_eq!((out.normal_drive, out.tangent_drive), (0.0, 0.0));
    assert_eq!((n, s), ([1.0], [0.0]));
}
