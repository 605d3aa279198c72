//! Sections: where states of a motion are compared.

use crate::answers::AnswerError;
use crate::scene::Scene;
use crate::spec::{Crossing as Direction, CycleSpec};
use crate::view::StateFunction;
use stickslip::contact::Slip;
use stickslip::run::EventKind;

/// Where states are kept.
#[derive(Clone, Debug)]
pub struct Section {
    /// What it is called in reports.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

/// What a section is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// An event of a contact.
    Event(usize, EventKind),
    /// Where a function of the state rises through zero, or falls.
    Surface(Box<Surface>),
    /// After every such time.
    Period(f64),
}

/// A function of the state and the direction in which it passes zero.
#[derive(Clone, Debug)]
pub struct Surface {
    function: StateFunction,
    sign: f64,
}

impl Surface {
    /// Rises through zero where the section is crossed.
    pub fn value(&mut self, q: &[f64], u: &[f64], t: f64) -> f64 {
        self.sign * self.function.value(q, u, t)
    }
}

impl Section {
    /// A period, `CONTACT[:EVENT]` or an expression, in the names and with the parameters of this scene; else where the scene looks
    /// for its limit cycle, else impacts of the first contact.
    ///
    /// # Errors
    /// If the text is none of these, or there is neither a section nor a contact.
    pub fn parse(
        text: Option<&str>,
        period: Option<&str>,
        scene: &Scene,
    ) -> Result<Self, AnswerError> {
        match (text, period, &scene.cycle, scene.info().contacts.first()) {
            (_, Some(period), ..) => Self::period(period, scene),
            (Some(text), ..) => Self::named(text, scene),
            (_, _, Some(cycle), _) => Self::of_cycle(cycle, scene),
            (.., Some(first)) => Self::named(&first.name, scene),
            _ => Err(AnswerError::option(
                "section",
                " is missing: the scene has neither contacts nor a [cycle]; give an expression of the state, or a period",
            )),
        }
    }

    fn period(text: &str, scene: &Scene) -> Result<Self, AnswerError> {
        let value = scene.constant(text).map_err(|error| {
            AnswerError::option(
                "period",
                format!(" is a number or an expression in parameters:\n{error}"),
            )
        })?;
        if !(value > 0.0) {
            return Err(AnswerError::option("period", format!(" is {value}; it must be above 0")));
        }
        Ok(Self { name: format!("every {text}"), kind: Kind::Period(value) })
    }

    fn of_cycle(cycle: &CycleSpec, scene: &Scene) -> Result<Self, AnswerError> {
        let (sign, word) = match cycle.direction {
            Direction::Rising => (1.0, "rising"),
            Direction::Falling => (-1.0, "falling"),
        };
        match (scene.section(), &cycle.section, cycle.period) {
            (Some(function), Some(text), _) => {
                let kind = Kind::Surface(Box::new(Surface { function, sign }));
                Ok(Self { name: format!("{text} = 0, {word}"), kind })
            }
            (_, _, Some(period)) => Ok(Self {
                name: "every period of the scene".to_owned(),
                kind: Kind::Period(period),
            }),
            _ => Err(AnswerError::misuse("the section of the scene cannot be read")),
        }
    }

    fn named(text: &str, scene: &Scene) -> Result<Self, AnswerError> {
        let contacts = &scene.info().contacts;
        let (contact, event) = text.split_once(':').unwrap_or((text, "impact"));
        match contacts.iter().position(|c| c.name == contact) {
            Some(index) => Self::event(index, contact, event),
            None => Self::surface(text, scene),
        }
    }

    fn event(contact: usize, name: &str, event: &str) -> Result<Self, AnswerError> {
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
            return Err(AnswerError::option(
                "section",
                format!(": `{event}` is not an event; choose one of {names}"),
            ));
        };
        Ok(Self { name: format!("{name}:{event}"), kind: Kind::Event(contact, kind) })
    }

    fn surface(text: &str, scene: &Scene) -> Result<Self, AnswerError> {
        let function = scene.function(text).map_err(|error| {
            let contacts = &scene.info().contacts;
            let names = contacts.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
            AnswerError::option("section", format!(
                ": `{text}` is neither one of the contacts ({names}) nor an expression:\n{error}"
            ))
        })?;
        let kind = Kind::Surface(Box::new(Surface { function, sign: 1.0 }));
        Ok(Self { name: format!("{text} = 0, rising"), kind })
    }
}
