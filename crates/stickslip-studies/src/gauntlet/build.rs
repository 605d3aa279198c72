//! What the worlds of the gauntlet are put together from: bodies that touch wherever they meet.

use super::Built;
use glam::{DMat3, DQuat, DVec3};
use serde::Serialize;
use stickslip::Error;
use stickslip::bodies::forces::{Anchor, Constant};
use stickslip::bodies::{
    Body, Collider, Geometry, Joint, JointKind, MassProperties, Material, Pose, Twist, World,
};
use stickslip::contact::Law;

/// The acceleration of gravity, in m/s².
pub(super) const G: f64 = 9.81;

/// A world as plain data, for other programs. Friction between two parts is the smaller of their coefficients, and so is restitution.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Description {
    /// The acceleration of gravity.
    pub gravity: DVec3,
    /// What does not move, or moves with the velocity of its start for ever.
    pub fixed: Vec<Part>,
    /// What moves freely, in the order of the coordinates.
    pub bodies: Vec<Part>,
    /// Constant forces at the centres of bodies: the number among `bodies`, and the force in world axes.
    pub forces: Vec<(usize, DVec3)>,
    /// Bodies that only shift along a direction: the number among `bodies`, and the direction in world axes.
    pub guides: Vec<(usize, DVec3)>,
    /// Distances that are kept between the centres of two bodies, by their numbers.
    pub links: Vec<(usize, usize, f64)>,
}

/// A body as plain data.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// Its shape, in body axes from its centre of mass.
    pub geometry: Geometry,
    /// Where it starts.
    pub pose: Pose,
    /// The velocity of its centre of mass at the start.
    pub linear: DVec3,
    /// Its angular velocity at the start, in world axes.
    pub angular: DVec3,
    /// Its mass.
    pub mass: f64,
    /// Its inertia in body axes.
    pub inertia: DMat3,
    /// Its coefficient of friction.
    pub mu: f64,
    /// Its coefficient of restitution.
    pub eps: f64,
}

/// A world in the making.
pub struct Yard {
    world: World,
    /// The materials so far; the last one is that of what is added.
    materials: Vec<(Material, Law)>,
    start: Vec<(Pose, Twist)>,
    bodies: Vec<Body>,
    description: Description,
    /// What there is that the description does not say.
    more: Option<&'static str>,
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
        let materials = vec![(world.materials().add(law.clone())?, law)];
        let description = Description { gravity, ..Description::default() };
        let (start, bodies) = (Vec::new(), Vec::new());
        Ok(Self { world, materials, start, bodies, description, more: None })
    }

    /// What is added from here on has this law, and with what there is already the one with the smaller coefficient of friction.
    pub(super) fn switch_to(&mut self, law: Law) -> Result<(), Error> {
        let new = self.world.materials().add(law.clone())?;
        for (other, old) in &self.materials {
            let smaller = if old.mu < law.mu { old } else { &law };
            self.world.materials().set_pair(new, *other, smaller.clone())?;
        }
        self.materials.push((new, law));
        Ok(())
    }

    /// Adds a geometry that does not move.
    pub(super) fn fix(&mut self, geometry: Geometry, pose: Pose) -> Result<(), Error> {
        self.give(World::GROUND, geometry.clone(), pose)?;
        let part = self.part(geometry, (pose, Twist::default()), None);
        self.description.fixed.push(part);
        Ok(())
    }

    /// Adds a geometry that moves with a constant velocity.
    pub(super) fn convey(&mut self, geometry: Geometry, velocity: DVec3) -> Result<(), Error> {
        let twist = Twist { linear: velocity, ..Twist::default() };
        let belt = self.world.prescribed(move |t| (Pose::at(velocity * t), twist));
        self.give(belt, geometry.clone(), Pose::default())?;
        let part = self.part(geometry, (Pose::default(), twist), None);
        self.description.fixed.push(part);
        Ok(())
    }

    /// Adds a body.
    pub(super) fn add(
        &mut self,
        properties: MassProperties,
        geometry: Geometry,
        start: (Pose, Twist),
    ) -> Result<Body, Error> {
        let body = self.world.body(properties);
        self.give(body, geometry.clone(), Pose::default())?;
        let part = self.part(geometry, start, Some(&properties));
        self.description.bodies.push(part);
        self.start.push(start);
        self.bodies.push(body);
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

    /// Pulls at the centre of a body with a constant force.
    pub(super) fn pull(&mut self, body: Body, force: DVec3) -> Result<(), Error> {
        let (at, torque) = (Anchor::on(body, DVec3::ZERO), DVec3::ZERO);
        self.world.force(Constant { at, force, torque, turns: false })?;
        let number = self.number(body);
        self.description.forces.extend(number.map(|i| (i, force)));
        Ok(())
    }

    /// Keeps the distance of the centres of two bodies.
    pub(super) fn link(&mut self, a: Body, b: Body, distance: f64) -> Result<(), Error> {
        let kind = JointKind::Distance(distance);
        let joint = Joint { kind, on_first: Pose::default(), on_second: Pose::default() };
        self.world.joint(a, b, joint)?;
        let pair = self.number(a).zip(self.number(b));
        self.description.links.extend(pair.map(|(a, b)| (a, b, distance)));
        Ok(())
    }

    /// Lets a body, now at this place, only shift along a direction as seen from what holds it.
    pub(super) fn guide(
        &mut self,
        holder: Body,
        (body, place): (Body, DVec3),
        along: DVec3,
    ) -> Result<(), Error> {
        let rotation = DQuat::from_rotation_arc(DVec3::Z, along);
        let joint = Joint {
            kind: JointKind::Prismatic,
            on_first: Pose { position: place, rotation },
            on_second: Pose { position: DVec3::ZERO, rotation },
        };
        self.world.joint(holder, body, joint)?;
        let number = self.number(body);
        self.description.guides.extend(number.map(|i| (i, along)));
        Ok(())
    }

    /// Adds what moves as given, which the description does not say.
    pub(super) fn prescribe(
        &mut self,
        motion: impl Fn(f64) -> (Pose, Twist) + Send + Sync + 'static,
    ) -> Body {
        self.more = Some("a motion that is prescribed");
        self.world.prescribed(motion)
    }

    /// The world and its start.
    ///
    /// # Errors
    /// If the start is refused.
    pub fn built(self) -> Built {
        let start = self.world.state(&self.start)?;
        Ok((self.world, start))
    }

    /// The same as plain data.
    ///
    /// # Errors
    /// What there is to it that this cannot say.
    pub fn description(&self) -> Result<&Description, &'static str> {
        self.more.map_or(Ok(&self.description), Err)
    }

    /// The number of a body among those that move freely.
    fn number(&self, body: Body) -> Option<usize> {
        self.bodies.iter().position(|&b| b == body)
    }

    /// Gives a body a collider of the last material.
    fn give(&mut self, body: Body, geometry: Geometry, pose: Pose) -> Result<(), Error> {
        let collider = Collider::new(0, geometry).with_pose(pose);
        let material = self.materials[self.materials.len() - 1].0;
        self.world.collider(body, material, &collider).map(|_| ())
    }

    fn part(
        &self,
        geometry: Geometry,
        (pose, twist): (Pose, Twist),
        properties: Option<&MassProperties>,
    ) -> Part {
        let law = &self.materials[self.materials.len() - 1].1;
        let Twist { linear, angular } = twist;
        let (mass, inertia) = properties.map_or_else(Default::default, |p| (p.mass(), p.inertia()));
        Part { geometry, pose, linear, angular, mass, inertia, mu: law.mu, eps: law.eps_n }
    }
}

/// At rest at this place.
pub(super) fn at(position: DVec3) -> (Pose, Twist) {
    (Pose::at(position), Twist::default())
}
