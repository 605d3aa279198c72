//! Bodies of point masses at a configuration and time, with the contacts collected there and the storage of a step.

use super::block::{PointRows, Posing, Source};
use super::loads::Loads;
use super::reactions::Reactions;
use super::tetrahedron::{Bars, Quad};
use super::world::{PointMassWorld, Role, read};
use crate::bodies::contact_pair::ContactLaws;
use crate::bodies::contacts::{Contacts, FoundContacts};
use crate::bodies::seen_contact::SeenContact;
use crate::bodies::{Pose, Twist, roles};
use crate::contact::Law;
use crate::error::Error;
use crate::model::{Candidate, Span};

/// A [`PointMassWorld`] at a configuration and time: its bodies, candidates and reactions there, the rows collected, and what a
/// step from or to there has found so far.
#[derive(Debug, Default)]
pub struct PointMassPlace {
    pub(super) bodies: Bodies,
    /// What the candidates are: contacts of pairs, then those of joints, with their laws, then the contacts that were found.
    pub(super) sources: Vec<Source>,
    pub(super) contact_laws: ContactLaws,
    pub(super) found: FoundContacts,
    pub(super) joint_laws: Vec<Law>,
    pub(super) reactions: Reactions,
    /// The candidates that were collected, and their rows.
    pub(super) active: Vec<Source>,
    pub(super) collected: PointRows,
    /// M⁻¹ times the collected rows with the reactions of joints, 12 numbers per free body and row.
    pub(super) held: Vec<f64>,
    /// ω × (ω × x) of all masses, for accelerations.
    pub(super) centripetal: Vec<f64>,
    pub(super) seen: Vec<Candidate>,
    pub(super) posing: Posing,
    pub(super) loads: Loads,
    /// The velocities that impulses of the step are added to by M⁻¹ at its midpoint, without the reactions of joints.
    pub(super) base: Vec<f64>,
    /// The velocity and the coordinates of a displacement.
    pub(super) mean: Vec<f64>,
    pub(super) there: Vec<f64>,
}

/// The bodies at a configuration.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    /// Of all bodies, with the twists of those that are prescribed.
    pub(super) poses: Vec<(Pose, Twist)>,
    /// Places of the masses of those that are free, and their bars.
    pub(super) masses: Vec<Quad>,
    pub(super) bars: Vec<Bars>,
}

impl PointMassWorld {
    /// Takes poses, masses and bars at a configuration.
    pub(super) fn locate(&self, q: &[f64], t: f64, out: &mut Bodies) -> Result<(), Error> {
        out.poses.clear();
        out.masses.clear();
        out.bars.clear();
        for role in &self.roles {
            out.poses.push(match role {
                Role::Free(i, ()) => {
                    let x = read(&q[12 * i..]);
                    let bars = Bars::new(&x)
                        .ok_or(Error::NotFinite { what: "a place of a point mass", t })?;
                    out.bars.push(bars);
                    out.masses.push(x);
                    (self.bodies[*i].pose(&x), Twist::default())
                }
                Role::Prescribed(motion) => motion(t),
            });
        }
        Ok(())
    }

    /// The candidates where the bodies are.
    pub(super) fn find_candidates(
        &self,
        place: &mut PointMassPlace,
        at: &Span<'_>,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        let t = at.t;
        let poses = &place.bodies.poses;
        roles::check_motions(&self.roles, poses, t)?;
        place.sources.clear();
        place.joint_laws.clear();
        let pairs = &self.contacts.pairs;
        place.contact_laws.update(pairs, poses.iter().map(|p| p.0), t)?;
        for (index, pair) in pairs.iter().enumerate() {
            let (a, b) = (&poses[pair.first].0, &poses[pair.second].0);
            let seen = SeenContact::given(&self.contacts, index, a, b);
            out.push(Candidate { identity: index as u64, gap: Some(seen.close.gap) });
            place.sources.push(Source::Contact(seen));
        }
        (0..self.joints.len()).for_each(|i| self.find_joint(i, place, out));
        self.find_contacts(place, at, out)
    }

    /// The contacts between colliders.
    fn find_contacts(
        &self,
        place: &mut PointMassPlace,
        at: &Span<'_>,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        let PointMassPlace { bodies, sources, found, .. } = place;
        let motions = self.roles.iter().zip(&bodies.poses).map(|(role, (pose, moved))| {
            let twist = match role {
                Role::Free(i, ()) if at.dt > 0.0 => {
                    self.bodies[*i].twist(&bodies.masses[*i], &read(&at.u[12 * i..]))
                }
                _ => *moved,
            };
            (*pose, twist)
        });
        self.contacts.find(found, motions, at.dt)?;
        for (k, contact) in found.list.iter().enumerate() {
            let [a, b] = contact.bodies.map(|body| &bodies.poses[body].0);
            let seen = SeenContact::found(&self.contacts, (k, contact), a, b);
            out.push(Contacts::found_candidate(contact, seen.close.gap));
            sources.push(Source::Contact(seen));
        }
        Ok(())
    }
}
