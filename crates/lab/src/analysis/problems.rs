//! Contact problems of examples in space.

use complementarity::Matrix;
use glam::{DMat3, DVec3};
use stickslip::Error;
use stickslip::contact::set::ConvexSet;
use stickslip::contact::{ContactProblem, Law};

/// Gravity, m/s².
pub const G: f64 = 9.81;

/// A force or a torque of unit size on a body, as force and torque about its centre.
type Wrench = (DVec3, DVec3);

fn force(at: DVec3, along: DVec3) -> Wrench {
    (along, at.cross(along))
}

/// W = Hᵀ M⁻¹ H of one body.
fn delassus(wrenches: &[Wrench], mass: f64, inertia: DMat3) -> Vec<Vec<f64>> {
    let inverse = inertia.inverse();
    let entry = |a: &Wrench, b: &Wrench| a.0.dot(b.0) / mass + a.1.dot(inverse * b.1);
    wrenches.iter().map(|a| wrenches.iter().map(|b| entry(a, b)).collect()).collect()
}

fn problem(w: &[Vec<f64>], bias: Vec<f64>, laws: Vec<Law>) -> Result<ContactProblem, Error> {
    Ok(ContactProblem::new(Matrix::from_rows(w)?, bias, laws)?)
}

/// A disc that lies flat: 1 kg, radius 0.1 m, with the limit surface of semi-axes 1, 1, 2R/3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Friction.
    pub mu: f64,
    /// A push along x, N.
    pub push: f64,
    /// How far beside the centre it acts, m.
    pub beside: f64,
    /// The velocity v_t, v_o, ω with which the disc slides.
    pub sliding: Option<[f64; 3]>,
}

impl Disc {
    /// Mass, kg.
    pub const MASS: f64 = 1.0;
    /// Radius, m.
    pub const RADIUS: f64 = 0.1;
    /// The friction radius: torque over force of the limit surface, m.
    pub const SPIN: f64 = 2.0 * Self::RADIUS / 3.0;
    /// Moment of inertia, kg m².
    pub const INERTIA: f64 = 0.5 * Self::MASS * Self::RADIUS * Self::RADIUS;

    /// At rest, pushed beside its centre.
    pub fn pushed(push: f64) -> Self {
        Self { mu: 0.4, push, beside: 0.05, sliding: None }
    }

    /// The problem of accelerations.
    ///
    /// # Errors
    /// If a number is not finite or friction is negative.
    pub fn problem(&self) -> Result<ContactProblem, Error> {
        let mut w = vec![vec![0.0; 4]; 4];
        for (i, inverse) in [1.0, 1.0, 1.0, Self::MASS / Self::INERTIA].into_iter().enumerate() {
            w[i][i] = inverse / Self::MASS;
        }
        let turn = -self.push * self.beside / Self::INERTIA;
        let law = Law::with_set(self.mu, ConvexSet::Ellipsoid(vec![1.0, 1.0, Self::SPIN]));
        let law = match self.sliding {
            Some(velocity) => law.sliding_with(velocity),
            None => law,
        };
        problem(&w, vec![-G, self.push / Self::MASS, 0.0, turn], vec![law])
    }
}

/// A thin uniform rod, 1 kg and 1 m long, that slides on a tip which is a small patch, at an angle θ to the ground and with its tip
/// ahead; it spins about its own axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tip {
    /// Angle to the ground.
    pub theta: f64,
    /// Friction.
    pub mu: f64,
    /// e_r ω/v: how fast the tip spins about the normal over how fast it slides, in units of the friction radius.
    pub spin: f64,
}

impl Tip {
    /// The friction radius of the tip, m.
    pub const RADIUS: f64 = 0.01;

    /// The problem of accelerations.
    ///
    /// # Errors
    /// If a number is not finite or friction is negative.
    pub fn problem(&self) -> Result<ContactProblem, Error> {
        let (l, mass, thick) = (0.5, 1.0, 0.01);
        let axis = DVec3::new(self.theta.cos(), self.theta.sin(), 0.0);
        let across = mass * l * l / 3.0;
        let along = 0.5 * mass * thick * thick;
        let outer = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        let inertia = DMat3::IDENTITY * across + outer * (along - across);
        let tip = -l * axis;
        let wrenches = [
            force(tip, DVec3::Y),
            force(tip, DVec3::X),
            force(tip, DVec3::Z),
            (DVec3::ZERO, DVec3::Y),
        ];
        let w = delassus(&wrenches, mass, inertia);
        let set = ConvexSet::Ellipsoid(vec![1.0, 1.0, Self::RADIUS]);
        let law = Law::with_set(self.mu, set).sliding_with([-1.0, 0.0, self.spin / Self::RADIUS]);
        problem(&w, vec![-G, 0.0, 0.0, 0.0], vec![law])
    }
}

/// A ball, 0.5 kg and 4 cm in radius, between fingers that stand around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grasp {
    /// How many.
    pub fingers: usize,
    /// Friction.
    pub mu: f64,
    /// How far above the equator they touch, rad.
    pub latitude: f64,
    /// Each finger has this mass, kg, and is pressed inwards with this force, N; without, it is fixed.
    pub driven: Option<(f64, f64)>,
}

impl Grasp {
    /// Mass, kg.
    pub const MASS: f64 = 0.5;
    /// Radius, m.
    pub const RADIUS: f64 = 0.04;

    /// Three fingers of 50 g at the equator that press with a force.
    pub fn pressed(mu: f64, force: f64) -> Self {
        Self { fingers: 3, mu, latitude: 0.0, driven: Some((0.05, force)) }
    }

    /// Where the fingers touch, with the normal into the ball, the horizontal and the upward tangent.
    pub fn frames(&self) -> Vec<(DVec3, [DVec3; 3])> {
        let frame = |i: usize| {
            let angle = std::f64::consts::TAU * i as f64 / self.fingers as f64;
            let out = DVec3::new(angle.cos(), angle.sin(), 0.0);
            let (s, c) = self.latitude.sin_cos();
            let radial = c * out + s * DVec3::Z;
            let around = DVec3::new(-angle.sin(), angle.cos(), 0.0);
            (Self::RADIUS * radial, [-radial, around, c * DVec3::Z - s * out])
        };
        (0..self.fingers).map(frame).collect()
    }

    /// The problem of accelerations, at rest.
    ///
    /// # Errors
    /// If a number is not finite or friction is negative.
    pub fn problem(&self) -> Result<ContactProblem, Error> {
        let frames = self.frames();
        let all = frames.iter().flat_map(|(at, axes)| axes.map(|axis| force(*at, axis)));
        let wrenches: Vec<Wrench> = all.collect();
        let inertia = DMat3::IDENTITY * (0.4 * Self::MASS * Self::RADIUS * Self::RADIUS);
        let mut w = delassus(&wrenches, Self::MASS, inertia);
        let mut bias: Vec<f64> = wrenches.iter().map(|(along, _)| -G * along.z).collect();
        if let Some((mass, press)) = self.driven {
            for n in (0..bias.len()).step_by(3) {
                w[n][n] += 1.0 / mass;
                bias[n] -= press / mass;
            }
        }
        problem(&w, bias, vec![Law::disc(self.mu); self.fingers])
    }
}
