//! Dry friction in joints that goes by their reactions.
//!
//! What a joint transmits to the links beyond it is the change of their momentum over the step less the impulses of gravity,
//! forces and candidates on them. The momenta are those of the coordinates and velocities at the ends of the step.

use super::contacts::Source;
use super::place::{TreePlace, Work};
use super::placement::Placement;
use super::tree::{LinkId, Tree};
use super::{TreeJoint, motion};
use crate::bodies::acting::Acting;
use crate::bodies::tolerance::LEAST_LOAD;
use crate::contact::set::ConvexSet;
use crate::error::{Error, check};
use crate::model::{FrictionLimit, Model};
use glam::DVec3;

/// Friction of a link's joint: μ, times the radius of a pin.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoadFriction {
    pub(super) link: usize,
    lever: f64,
}

/// The step whose reactions load friction.
#[derive(Debug, Default)]
pub(super) struct LoadFrictionWork {
    q: Vec<f64>,
    u: Vec<f64>,
    t: f64,
    dt: f64,
    /// θ of forces and of the displacement; none for the midpoint rule.
    weights: Option<[f64; 2]>,
    at: Placement,
    there: Vec<f64>,
    mean: Vec<f64>,
    /// By link: the impulse that its joint transmits, and the momenta of what is beyond.
    through: Vec<(DVec3, f64)>,
}

impl Tree {
    /// Dry friction of a pin or a ball of this radius: a torque of at most μ · radius · |reaction|, where the reaction is the
    /// force across the axis of a revolute joint, or the whole force of a spherical one. Thrust along an axis and moments across
    /// it are borne without friction. The limit belongs to the reaction of the same step.
    ///
    /// # Errors
    /// If the link is not of this tree, its joint is neither revolute nor spherical, or a number is out of range.
    pub fn pin_friction(&mut self, link: LinkId, mu: f64, radius: f64) -> Result<(), Error> {
        let place = || format!("the pin radius of link {}", link.0);
        check(place, radius, radius >= 0.0, "a finite number >= 0")?;
        let kinds = [TreeJoint::Revolute, TreeJoint::Spherical];
        self.load_friction(link, mu, radius, &kinds, "revolute and spherical joints have pins")
    }

    /// Dry friction of a guide: a force of at most μ · |reaction| along a prismatic joint, where the reaction is the force across
    /// its axis. Moments are borne without friction. The limit belongs to the reaction of the same step.
    ///
    /// # Errors
    /// If the link is not of this tree, its joint is not prismatic, or a number is out of range.
    pub fn guide_friction(&mut self, link: LinkId, mu: f64) -> Result<(), Error> {
        self.load_friction(link, mu, 1.0, &[TreeJoint::Prismatic], "prismatic joints have guides")
    }

    fn load_friction(
        &mut self,
        link: LinkId,
        mu: f64,
        radius: f64,
        kinds: &[TreeJoint],
        reason: &'static str,
    ) -> Result<(), Error> {
        let joint = self.jointed(link, || "the link of joint friction".into())?.joint;
        check(|| format!("mu of link {}", link.0), mu, mu >= 0.0, "a finite number >= 0")?;
        if !kinds.contains(&joint) {
            let (part, other) = ("this friction", "this kind of joint");
            return Err(Error::Combination { part, other, reason });
        }
        self.load_frictions.retain(|r| r.link + 1 != link.0);
        self.load_frictions.push(LoadFriction { link: link.0 - 1, lever: mu * radius });
        Ok(())
    }

    /// What friction of a joint may be, at the limit 1.
    pub(super) fn rub_set(&self, load_friction: usize) -> ConvexSet {
        match self.links[self.load_frictions[load_friction].link].joint {
            TreeJoint::Spherical => ConvexSet::Ellipsoid(vec![1.0; 3]),
            _ => ConvexSet::Interval,
        }
    }

    /// Takes the beginning of a step.
    pub(super) fn begin(
        &self,
        place: &mut TreePlace,
        (q, u, t): (&[f64], &[f64], f64),
        dt: f64,
        weights: Option<[f64; 2]>,
    ) {
        if self.load_frictions.is_empty() {
            return;
        }
        let r = &mut place.load_friction;
        (r.t, r.dt, r.weights) = (t, dt, weights);
        r.q.clear();
        r.q.extend_from_slice(q);
        r.u.clear();
        r.u.extend_from_slice(u);
    }

    /// μ r |reaction| of each collected candidate that is such friction.
    pub(super) fn rub_limits(
        &self,
        place: &mut TreePlace,
        impulse: &[f64],
        end: &[f64],
        limits: &mut Vec<Option<FrictionLimit>>,
    ) {
        if !place.collected.iter().any(|s| matches!(s, Source::LoadFriction(_))) {
            return;
        }
        let TreePlace { work, collected, load_friction: r, .. } = place;
        r.through.clear();
        r.through.resize(self.links.len(), (DVec3::ZERO, 0.0));
        self.candidate_forces(&work.at, (collected, impulse), &mut r.through);
        self.transmit(work, r, end);
        limits.extend(collected.iter().map(|source| {
            let Source::LoadFriction(i) = *source else { return None };
            let LoadFriction { link, lever } = self.load_frictions[i];
            let (force, momenta) = r.through[link];
            let axis = work.at.frames[link] * DVec3::Z;
            let load = match self.links[link].joint {
                TreeJoint::Spherical => force,
                _ => force - axis * axis.dot(force),
            };
            let limit = lever * load.length();
            Some(FrictionLimit { limit, scale: limit.max(LEAST_LOAD * lever * momenta) })
        }));
    }

    /// The impulses that joints transmit, by link, where those of candidates are taken away already.
    fn transmit(&self, work: &mut Work, r: &mut LoadFrictionWork, end: &[f64]) {
        r.there.resize(r.q.len(), 0.0);
        if let Some([theta, motion]) = r.weights {
            r.mean.clear();
            r.mean.extend(r.u.iter().zip(end).map(|(a, b)| motion * b + (1.0 - motion) * a));
            self.advance(&r.q, &r.mean, &r.mean, r.dt, &mut r.there);
            self.add_momenta(work, r, None, 1.0 - theta);
            self.add_momenta(work, r, Some(end), theta);
        } else {
            self.advance(&r.q, &r.u, end, r.dt, &mut r.there);
            self.add_momenta(work, r, None, 0.0);
            self.add_momenta(work, r, Some(end), 0.0);
            self.add_forces_of_middle(work, r, end);
        }
        for i in (0..self.links.len()).rev() {
            let link = &self.links[i];
            r.through[i].0 -= r.dt * link.mass.mass() * self.gravity;
            let own = r.through[i];
            if let Some(parent) = link.parent {
                r.through[parent].0 += own.0;
                r.through[parent].1 += own.1;
            }
        }
    }

    /// Takes away what candidates push links by. Friction and limits of joints act along what joints leave.
    fn candidate_forces(
        &self,
        at: &Placement,
        (collected, impulse): (&[Source], &[f64]),
        to: &mut [(DVec3, f64)],
    ) {
        let mut row = 0;
        for source in collected {
            match *source {
                Source::Contact(contact) => {
                    let shifts = contact.frame().into_iter().zip(&impulse[row..]);
                    let shifts = shifts.take(contact.components);
                    let force = shifts.fold(DVec3::ZERO, |sum, (d, lam)| sum + *lam * d);
                    for (body, sign, _) in contact.sides() {
                        if let Some(link) = body.checked_sub(1) {
                            to[link].0 -= sign * force;
                        }
                    }
                }
                Source::Closure(i) => {
                    // A coupling acts along what its joints leave.
                    let Ok(closing) = self.connection(i) else {
                        row += 1;
                        continue;
                    };
                    let axes = closing.axes(at);
                    let shifts =
                        closing.equations().iter().filter(|e| **e < 3).zip(&impulse[row..]);
                    let force = shifts.fold(DVec3::ZERO, |s, (&e, lam)| s + *lam * axes[e]);
                    for (link, sign) in closing.links.iter().zip([-1.0, 1.0]) {
                        if let Some(link) = link {
                            to[*link].0 -= sign * force;
                        }
                    }
                }
                Source::Friction(_) | Source::LoadFriction(_) | Source::Limit(..) => {}
            }
            row += self.components(*source);
        }
    }

    /// Adds the momenta of one end of the step, that of this velocity or the beginning, with their sign, and takes away a share of the
    /// forces there.
    fn add_momenta(
        &self,
        work: &mut Work,
        r: &mut LoadFrictionWork,
        end: Option<&[f64]>,
        share: f64,
    ) {
        let (q, u, t, sign) = match end {
            Some(end) => (&r.there, end, r.t + r.dt, 1.0),
            None => (&r.q, &r.u[..], r.t, -1.0),
        };
        let Work { moving, acting, .. } = work;
        r.at.locate(&self.links, q, t);
        moving.velocities(&self.links, &r.at, u);
        for ((link, v), to) in self.links.iter().zip(&moving.v).zip(&mut r.through) {
            to.0 += sign * link.mass.mass() * v.linear;
            to.1 += link.mass.mass() * v.linear.length();
        }
        if share > 0.0 && !self.forces.is_empty() {
            motion::show(&r.at, &moving.v, &mut acting.bodies);
            self.forces.act(acting, t);
            take_forces(acting, share * r.dt, &mut r.through);
        }
    }

    /// Takes away the forces in the middle of the step, at the mean velocity.
    fn add_forces_of_middle(&self, work: &mut Work, r: &mut LoadFrictionWork, end: &[f64]) {
        if self.forces.is_empty() {
            return;
        }
        let Work { at, moving, acting, .. } = work;
        r.mean.clear();
        r.mean.extend(r.u.iter().zip(end).map(|(a, b)| 0.5 * (a + b)));
        moving.velocities(&self.links, at, &r.mean);
        motion::show(at, &moving.v, &mut acting.bodies);
        self.forces.act(acting, r.t + 0.5 * r.dt);
        take_forces(acting, r.dt, &mut r.through);
    }
}

/// Takes away the forces that acted on links over a time.
fn take_forces(acting: &Acting, time: f64, through: &mut [(DVec3, f64)]) {
    let loads = acting.loads.iter().skip(1);
    through.iter_mut().zip(loads).for_each(|(to, load)| to.0 -= time * load.force);
}
