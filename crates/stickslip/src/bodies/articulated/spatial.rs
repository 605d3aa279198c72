//! Motion, force and inertia of a link, in world axes about its centre of mass.
//!
//! # Notation
//! With r from the parent's centre to the link's and r̂ its cross-product matrix, motions go out by X = [[1, 0], [−r̂, 1]],
//! forces and inertias come in by Xᵀ f and Xᵀ I X (Featherstone, *Rigid Body Dynamics Algorithms*, 2008, chapter 2). No
//! rotation takes part, and no length but that of one link enters, so that long chains lose no digits.

use glam::{DMat3, DVec3};

/// Angular and linear part of a velocity or an acceleration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Motion {
    pub(super) angular: DVec3,
    pub(super) linear: DVec3,
}

impl Motion {
    /// What the link at `r` has of a motion of its parent.
    pub(super) fn outward(self, r: DVec3) -> Self {
        Self { angular: self.angular, linear: self.linear + self.angular.cross(r) }
    }

    pub(super) fn dot(self, f: Wrench) -> f64 {
        self.angular.dot(f.torque) + self.linear.dot(f.force)
    }

    pub(super) fn add_scaled(&mut self, s: f64, m: Self) {
        self.angular += s * m.angular;
        self.linear += s * m.linear;
    }
}

impl std::ops::Add for Motion {
    type Output = Self;

    fn add(self, o: Self) -> Self {
        Self { angular: self.angular + o.angular, linear: self.linear + o.linear }
    }
}

/// Torque about the centre, and force.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Wrench {
    pub(super) torque: DVec3,
    pub(super) force: DVec3,
}

impl Wrench {
    /// The same about the centre of the parent.
    pub(super) fn inward(self, r: DVec3) -> Self {
        Self { torque: self.torque + r.cross(self.force), force: self.force }
    }

    pub(super) fn add_scaled(&mut self, s: f64, f: Self) {
        self.torque += s * f.torque;
        self.force += s * f.force;
    }
}

impl std::ops::AddAssign for Wrench {
    fn add_assign(&mut self, o: Self) {
        self.add_scaled(1.0, o);
    }
}

/// [[J, H], [Hᵀ, M]]: torque = J α + H a, force = Hᵀ α + M a.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Inertia {
    pub(super) j: DMat3,
    pub(super) h: DMat3,
    pub(super) m: DMat3,
}

impl Inertia {
    pub(super) fn rigid(mass: f64, j: DMat3) -> Self {
        Self { j, h: DMat3::ZERO, m: DMat3::from_diagonal(DVec3::splat(mass)) }
    }

    pub(super) fn times(&self, a: Motion) -> Wrench {
        Wrench {
            torque: self.j * a.angular + self.h * a.linear,
            force: self.h.transpose() * a.angular + self.m * a.linear,
        }
    }

    /// Takes away y yᵀ.
    pub(super) fn reduce(&mut self, y: Wrench) {
        self.j -= outer(y.torque, y.torque);
        self.h -= outer(y.torque, y.force);
        self.m -= outer(y.force, y.force);
    }

    /// Xᵀ I X.
    pub(super) fn inward(&self, r: DVec3) -> Self {
        let cross = DMat3::from_cols(r.cross(DVec3::X), r.cross(DVec3::Y), r.cross(DVec3::Z));
        let left = cross * self.m;
        let turned = cross * self.h.transpose();
        // −H r̂ is the transpose of r̂ Hᵀ, and −r̂ M r̂ is symmetric.
        let j = self.j + turned + turned.transpose() - left * cross;
        Self { j, h: self.h + left, m: self.m }
    }
}

impl std::ops::AddAssign for Inertia {
    fn add_assign(&mut self, o: Self) {
        self.j += o.j;
        self.h += o.h;
        self.m += o.m;
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
