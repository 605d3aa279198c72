//! What the worlds of the gauntlet are put together from: bodies that touch wherever they meet.

use super::Built;
use glam::DVec3;
use stickslip::Error;
use stickslip::bodies::{Body, Collider, Geometry, MassProperties, Material, Pose, Twist, World};
use stickslip::contact::Law;

/// The acceleration of gravity, in m/s².
pub(super) const G: f64 = 9.81;

/// A world whose bodies have colliders of one material.
pub(super) struct Yard {
    pub(super) world: World,
    pub(super) material: Material,
    start: Vec<(Pose, Twist)>,
}

impl Yard {
    /// With gravity along −z, the ground below z = 0, and this law between all that touches.
    pub(super) fn new(law: Law) -> Result<Self, Error> {
        Self::with_gravity(DVec3::NEG_Z * G, law)
    }

    /// The same with another gravity.
    pub(super) fn with_gravity(gravity: DVec3, law: Law) -> Result<Self, Error> {
        let mut yard = Self::without_ground(gravity, law)?;
        yard.fix(Geometry::HalfSpace, Pose::default())?;
        Ok(yard)
    }

    /// The same without the ground.
    pub(super) fn without_ground(gravity: DVec3, law: Law) -> Result<Self, Error> {
        let mut world = World::new(gravity)?;
        let material = world.materials().add(law)?;
        Ok(Self { world, material, start: Vec::new() })
    }

    /// Adds a geometry that does not move.
    pub(super) fn fix(&mut self, geometry: Geometry, pose: Pose) -> Result<(), Error> {
        let collider = Collider::new(0, geometry).with_pose(pose);
        self.world.collider(World::GROUND, self.material, &collider).map(|_| ())
    }

    /// Adds a body.
    pub(super) fn add(
        &mut self,
        properties: MassProperties,
        geometry: Geometry,
        start: (Pose, Twist),
    ) -> Result<Body, Error> {
        let body = self.world.body(properties);
        self.world.collider(body, self.material, &Collider::new(0, geometry))?;
        self.start.push(start);
        Ok(body)
    }

    /// Adds a box of this mass and these edges.
    pub(super) fn cuboid(
        &mut self,
        mass: f64,
        edges: DVec3,
        start: (Pose, Twist),
    ) -> Result<Body, Error> {
        let geometry = Geometry::Box { half_lengths: 0.5 * edges };
        self.add(MassProperties::cuboid(mass, edges)?, geometry, start)
    }

    /// Adds a ball of this mass and radius.
    pub(super) fn ball(
        &mut self,
        mass: f64,
        radius: f64,
        start: (Pose, Twist),
    ) -> Result<Body, Error> {
        self.add(MassProperties::sphere(mass, radius)?, Geometry::Sphere { radius }, start)
    }

    /// The world and its start.
    pub(super) fn built(self) -> Built {
        let start = self.world.state(&self.start)?;
        Ok((self.world, start))
    }
}

/// At rest at this place.
pub(super) fn at(position: DVec3) -> (Pose, Twist) {
    (Pose::at(position), Twist::default())
}
