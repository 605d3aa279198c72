//! Refusals of the library in the words of a scene: contacts and joints by their names, and cures that are keys of the file.

use crate::error::SceneError;
use crate::scene::Scene;
use stickslip::Error;
use stickslip::contact::{Kind, Law};

/// The integrators that know every friction set, motors and friction of joints.
const STEPPING: &str =
    "choose a time-stepping integrator (moreau_midpoint, moreau_jean or gap_level)";

impl Scene {
    /// A refusal that the library gives in its own terms, in those of the scene; none where its own words say it.
    #[must_use]
    pub fn explain(&self, error: &Error) -> Option<SceneError> {
        let say = |reason: String, cure: String| {
            Some(SceneError::unplaced(&self.name, reason).cure(cure))
        };
        match error {
            Error::StartInside { contact, depth, .. } => say(
                format!("the contact `{}` starts inside, with a gap of -{depth}", self.name_of(*contact)?),
                format!("event_driven begins outside of contacts or on them: change the start so that the gap is 0 or more, or {STEPPING}"),
            ),
            Error::StartOff { moved, .. } => say(
                format!("the start does not fit the joints and constraints: it would have to be moved by {moved}"),
                format!("event_driven begins where they fit: check `at`, `axis` and the positions, or {STEPPING}"),
            ),
            Error::Combination { part, .. } if part.contains("event_driven") => {
                let refused = |law: &Law| not_known_to_events(law).is_some();
                let i = self.info().contacts.iter().position(|c| refused(&c.law))?;
                let (what, cure) = not_known_to_events(&self.info().contacts[i].law)?;
                let name = self.name_of(i)?;
                say(
                    format!("`{name}` has {what}, which event_driven does not know"),
                    format!("{cure}, or {STEPPING}"),
                )
            }
            Error::Combination { other, .. } if other.contains("load-dependent friction in joints") => {
                say(
                    "friction of joints by their load (`friction = { mu, radius }`) cannot be used here: the load is not known between events".into(),
                    format!("give the friction of the joint as a number, or {STEPPING}"),
                )
            }
            _ => None,
        }
    }

    fn name_of(&self, contact: usize) -> Option<&str> {
        self.info().contacts.get(contact).map(|c| c.name.as_str())
    }
}

/// What of a law the event-driven integrator refuses, and what to write instead.
fn not_known_to_events(law: &Law) -> Option<(&'static str, &'static str)> {
    match law.kind {
        Kind::Bilateral(_) => None,
        Kind::Frictionless | Kind::Planar | Kind::Disc => law
            .distinct_static()
            .map(|_| ("a coefficient of its own at rest (mu_static)", "leave mu_static out")),
        Kind::Dry(_) => Some((
            "a motor or friction of a joint",
            "leave `motor` and `friction` of the joint out (a damper is `damping`)",
        )),
        _ => Some(("a friction set other than the disc", "write friction = \"disc\", the default")),
    }
}
