//! Sections: where states of a motion are compared.

use crate::error::CliError;
use stickslip::contact::Slip;
use stickslip::expression::Function;
use stickslip::run::EventKind;
use stickslip_scene::{Crossing as Direction, Scene};

/// Where states are kept.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// An event of a contact.
    Event(usize, EventKind),
    /// Where a function of the state rises through zero, or falls.
    Surface(Box<Surface>),
}

/// A function of the state and the direction in which it passes zero.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    function: Function,
    sign: f64,
}

impl Surface {
    /// Rises through zero where the section is crossed.
    pub(crate) fn value(&mut self, q: &[f64], u: &[f64], t: f64) -> f64 {
        self.sign * self.function.value(q, u, t)
    }
}

impl Section {
    /// `CONTACT[:EVENT]` or an expression; else the section of the scene's limit cycle, else impacts of the
    /// first contact.
    pub(crate) fn parse(text: Option<&str>, scene: &Scene) -> Result<Self, CliError> {
        let contacts = &scene.info().contacts;
        let text = match (text, scene.section(), &scene.cycle, contacts.first()) {
            (Some(text), ..) => text,
            (None, Some(function), Some(cycle), _) => {
                let (sign, word) = match cycle.direction {
                    Direction::Rising => (1.0, "rising"),
                    Direction::Falling => (-1.0, "falling"),
                };
                let name = format!("{} = 0, {word}", cycle.section);
                return Ok(Self {
                    name,
                    kind: Kind::Surface(Box::new(Surface { function, sign })),
                });
            }
            (.., Some(first)) => &first.name,
            _ => {
                let reason =
                    "the scene has neither contacts nor a [cycle]; give --section an expression";
                return Err(CliError::misuse(reason));
            }
        };
        let (contact, event) = text.split_once(':').unwrap_or((text, "impact"));
        match contacts.iter().position(|c| c.name == contact) {
            Some(index) => Self::event(index, contact, event),
            None => Self::surface(text, scene),
        }
    }

    fn event(contact: usize, name: &str, event: &str) -> Result<Self, CliError> {
        let kinds = [
            EventKind::Impact,
            EventKind::Closes,
            EventKind::Opens,
            EventKind::Sticks,
            EventKind::Slides(Slip::Positive),
            EventKind::Slides(Slip::Negative),
        ];
        let Some(kind) = kinds.into_iter().find(|k| k.name() == event) else {
            let names = kinds.map(EventKind::name).join(", ");
            return Err(CliError::misuse(format!("--section: `{event}` is none of {names}")));
        };
        Ok(Self { name: format!("{name}:{event}"), kind: Kind::Event(contact, kind) })
    }

    fn surface(text: &str, scene: &Scene) -> Result<Self, CliError> {
        let function = scene.function(text).map_err(|error| {
            let contacts = &scene.info().contacts;
            let names = contacts.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
            CliError::misuse(format!(
                "--section: `{text}` is neither one of the contacts ({names}) nor an expression:\n{error}"
            ))
        })?;
        let kind = Kind::Surface(Box::new(Surface { function, sign: 1.0 }));
        Ok(Self { name: format!("{text} = 0, rising"), kind })
    }
}
