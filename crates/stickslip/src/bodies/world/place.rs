//! A world at a configuration and time, with the contacts collected there and the storage of a step.

use super::forces::Loads;
use super::friction::{self, LoadFrictionWork};
use super::rattle::Ends;
use super::reactions::Reactions;
use super::rows::{Rows, Source};
use super::{Reaction, Role, World};
use crate::bodies::contact_pair::ContactLaws;
use crate::bodies::contacts::{Contacts, FoundContacts};
use crate::bodies::pose::Coordinates;
use crate::bodies::seen_contact::SeenContact;
use crate::bodies::spin::in_world;
use crate::bodies::tolerance::JOINT_IDENTITIES;
use crate::bodies::{Pose, Twist};
use crate::bodies::{joint, roles};
use crate::contact::Law;
use crate::contact::block::BlockList;
use crate::contact::set::ConvexSet;
use crate::error::Error;
use crate::model::{Candidate, Span};
use glam::DMat3;

/// Identities of load-dependent friction, after those of joints.
const LOAD_FRICTIONS: u64 = 1 << 41;

/// A [`World`] at a configuration and time: its bodies, candidates and reactions there, the rows collected, and what a step
/// from or to there has found so far.
#[derive(Debug, Default)]
pub struct WorldPlace {
    pub(super) bodies: Bodies,
    /// The candidates and what they are: contacts of pairs, then those of joints, with their laws, then the contacts that were found.
    pub(super) candidates: Vec<Candidate>,
    pub(super) sources: Vec<Source>,
    pub(super) contact_laws: ContactLaws,
    pub(super) found: FoundContacts,
    pub(super) joint_laws: Vec<Law>,
    /// Those that were collected, and their rows.
    pub(super) collected: Vec<Source>,
    pub(super) rows: Rows,
    /// M⁻¹ times the collected rows with the reactions of joints, 6 numbers per free body and row.
    pub(super) held: Vec<f64>,
    pub(super) posing: Posing,
    pub(super) reactions: Reactions,
    /// Whether the reactions are those of the bodies here.
    pub(super) fresh: bool,
    /// Rows of joints less their rank, at the last factorisation.
    pub(super) redundancy: usize,
    pub(super) loads: Loads,
    /// The velocities that impulses of the step are added to by M⁻¹ of the place, without the reactions of joints; empty before any
    /// were found.
    pub(super) base: Vec<f64>,
    /// Coordinates in the middle of a step that is made in halves, and the velocities before forces and impulses act there; empty otherwise.
    pub(super) middle: Vec<f64>,
    pub(super) before: Vec<f64>,
    /// The step as joints inside let it end.
    pub(super) ends: Ends,
    /// The velocity and the coordinates of a displacement.
    pub(super) mean: Vec<f64>,
    pub(super) there: Vec<f64>,
    pub(super) load_friction: LoadFrictionWork,
}

impl WorldPlace {
    /// In how many parts the last step with joints was made: 1, or a power of 2 where bodies turned too far in the step for their joints.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.ends.parts.max(1)
    }
}

/// The bodies at a configuration.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    /// Of all bodies, with the twists of those that are prescribed.
    pub(super) poses: Vec<(Pose, Twist)>,
    /// M and M⁻¹ of those that are free.
    pub(super) masses: Vec<(f64, DMat3)>,
    pub(super) inverse: Vec<(f64, DMat3)>,
}

/// Storage of the contact problem.
#[derive(Debug, Default)]
pub(super) struct Posing {
    pub(super) sizes: Vec<usize>,
    /// The candidates collected at each free body.
    pub(super) at_body: Vec<Vec<usize>>,
    pub(super) list: BlockList,
    pub(super) gamma: Vec<f64>,
    pub(super) reaction: Vec<f64>,
    /// √(1/m) and a factor of the inverse inertia of each free body.
    pub(super) factors: Vec<(f64, DMat3)>,
}

impl World {
    /// Poses, masses and inverse masses at a configuration.
    pub(super) fn locate(&self, q: &[f64], t: f64, out: &mut Bodies) {
        out.poses.clear();
        out.masses.clear();
        out.inverse.clear();
        for role in &self.roles {
            out.poses.push(match role {
                Role::Free(i, p) => {
                    let pose = Pose::read(&q[7 * i..]);
                    out.masses.push((p.mass(), in_world(p.inertia(), pose.rotation)));
                    let inverse = in_world(p.inverse_inertia(), pose.rotation);
                    out.inverse.push((1.0 / p.mass(), inverse));
                    (pose, Twist::default())
                }
                Role::Prescribed(motion) => motion(t),
            });
        }
    }

    /// Takes the place to a configuration, without its candidates.
    pub(super) fn move_to(&self, place: &mut WorldPlace, q: &[f64], t: f64) {
        self.locate(q, t, &mut place.bodies);
        place.base.clear();
        place.fresh = false;
    }

    /// The candidates where the bodies are.
    pub(super) fn find_candidates(
        &self,
        place: &mut WorldPlace,
        at: &Span<'_>,
    ) -> Result<(), Error> {
        let t = at.t;
        let poses = &place.bodies.poses;
        roles::check_motions(&self.roles, poses, t)?;
        place.candidates.clear();
        place.sources.clear();
        place.joint_laws.clear();
        let pairs = &self.contacts.pairs;
        place.contact_laws.update(pairs, poses.iter().map(|p| p.0), t)?;
        for (index, pair) in pairs.iter().enumerate() {
            let (a, b) = (&poses[pair.first].0, &poses[pair.second].0);
            let seen = SeenContact::given(&self.contacts, index, a, b);
            place.candidates.push(Candidate { identity: index as u64, gap: Some(seen.close.gap) });
            place.sources.push(Source::Contact(seen));
        }
        (0..self.joints.len()).for_each(|i| self.find_joint(i, place));
        self.find_contacts(place, at)
    }

    /// The contacts between colliders.
    fn find_contacts(&self, place: &mut WorldPlace, at: &Span<'_>) -> Result<(), Error> {
        let WorldPlace { bodies, candidates, sources, found, .. } = place;
        let motions = self.roles.iter().zip(&bodies.poses).map(|(role, (pose, moved))| {
            let twist = match role {
                Role::Free(i, _) if at.dt > 0.0 => Twist::read(&at.u[6 * i..]),
                _ => *moved,
            };
            (*pose, twist)
        });
        self.contacts.find(found, motions, at.dt)?;
        for (k, contact) in found.list.iter().enumerate() {
            let [a, b] = contact.bodies.map(|body| &bodies.poses[body].0);
            let seen = SeenContact::found(&self.contacts, (k, contact), a, b);
            candidates.push(Contacts::found_candidate(contact, seen.close.gap));
            sources.push(Source::Contact(seen));
        }
        Ok(())
    }

    /// The candidates of a joint: its rows in the contact problem, its stops, its drive.
    fn find_joint(&self, i: usize, place: &mut WorldPlace) {
        let WorldPlace { bodies, candidates, sources, joint_laws, .. } = place;
        let mut add = |source, identity, gap, law| {
            sources.push(source);
            joint_laws.push(law);
            candidates.push(Candidate { identity, gap });
        };
        let j = &self.joints[i];
        let identity = JOINT_IDENTITIES + 4 * i as u64;
        if self.reaction == Reaction::InProblem {
            let law = Law::bilateral(j.kind.rows()).with_restitution(1.0, 1.0);
            add(Source::Joint(i), identity, None, law);
        }
        if j.load_friction.is_some() {
            let law = Law::dry(0.0, friction::set(j.kind));
            add(Source::LoadFriction(i), LOAD_FRICTIONS + i as u64, None, law);
        }
        if j.limits.is_none() && j.drive.is_none() {
            return;
        }
        let (a, b) = (&bodies.poses[j.first].0, &bodies.poses[j.second].0);
        let (x, _) = joint::motion(j.kind, (a, &j.on_first), (b, &j.on_second));
        if let Some([low, high]) = j.limits {
            let x = j.kind.between_limits(x, [low, high]);
            for (k, sign, gap) in [(1, 1.0, x - low), (2, -1.0, high - x)] {
                add(Source::Stop(i, sign), identity + k, Some(gap), Law::frictionless());
            }
        }
        if let Some((target, most)) = j.drive {
            let law = Law::dry(most, ConvexSet::Interval);
            add(Source::Drive(i, target), identity + 3, None, law);
        }
    }
}
