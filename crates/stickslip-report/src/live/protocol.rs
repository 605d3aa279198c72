//! What goes over the socket, as JSON.

use serde::{Deserialize, Serialize};
use stickslip_scene::recording::replay::{BodyFile, DrawnFile, EventFile};

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(super) enum Command {
    Pause,
    Resume,
    /// One step, or one sample of an event-driven run; the run then stands.
    Step,
    /// Back to the start, with the parameters as they are.
    Reset,
    /// Begins to record, or ends and writes a report.
    Record,
    /// Seconds of the run in a second.
    Speed {
        value: f64,
    },
    /// Another value of a parameter.
    Set {
        name: String,
        value: f64,
    },
    /// Pulls a point of a body, in its axes, to a target; or a part of the drawing by its centre.
    Drag {
        body: usize,
        point: [f64; 3],
        target: [f64; 3],
    },
    /// Lets go.
    Release,
    /// A page was opened, and wants to know how things stand.
    #[serde(skip)]
    Hello,
    /// The program ends.
    #[serde(skip)]
    End,
}

/// Messages to the page.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Message<'a> {
    /// A frame; what is no number is null.
    Frame { t: f64, values: Vec<Option<f32>>, contacts: Vec<ContactText> },
    /// How things stand, and what happened last.
    State {
        running: bool,
        recording: bool,
        speed: f64,
        parameters: Vec<(String, f64)>,
        text: String,
    },
    /// What happened since the frame before.
    Events { events: Vec<EventFile> },
    /// The drawing and the bodies, which parameters may change.
    Looks { drawing: &'a [DrawnFile], bodies: &'a [BodyFile] },
    /// What was shown so far is of another run.
    Clear,
}

/// Bodies, mode, whether it struck, position, normal, force, coefficient of friction.
pub(super) type ContactText = (u32, u32, u8, bool, [f32; 3], [f32; 3], [f32; 3], f32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_others_refused() {
        let read = |text: &str| serde_json::from_str::<Command>(text).ok();
        assert_eq!(read(r#"{"do":"pause"}"#), Some(Command::Pause));
        let set = Command::Set { name: "mu".into(), value: 0.5 };
        assert_eq!(read(r#"{"do":"set","name":"mu","value":0.5}"#), Some(set));
        assert_eq!(read(r#"{"do":"hello"}"#), None);
        assert_eq!(read(r#"{"do":"end"}"#), None);
        assert_eq!(read(r#"{"do":"launch"}"#), None);
    }
}
