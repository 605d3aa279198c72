//! The table `[[sensor]]`.

use crate::bodies::draft::Numbers;
use crate::bodies::read::{name, reference, vector};
use crate::document::{Problem, Table};
use crate::keys::{Form, Kind, TableKeys, key, known, need};
use crate::read::optional;
use crate::tree::Site;

/// Its keys.
pub(crate) const KEYS: TableKeys = TableKeys {
    name: "sensor",
    form: Form::List,
    either: &[&["contact"], &["reaction"], &["pose"], &["coordinate"], &["distance"]],
    meaning: "what is measured while a run goes on: columns of trajectory.csv, and names in outputs, plots and, but for forces, conditions",
    keys: &[
        need("name", Kind::Text, "the first part of the names of its columns, e.g. `load.fx`"),
        key(
            "contact",
            Kind::Text,
            "a body: the force of all contacts on it, `.fx`, `.fy`, `.fz` in world axes, and the sum of the normal forces, `.normal`; means since the sample before",
        ),
        key("against", Kind::Text, "of a contact sensor: the other body, if not all count"),
        key(
            "reaction",
            Kind::Text,
            "a joint: what passes through it to its second body, `.fx` to `.fz` and the torque `.tx` to `.tz` about its point on that body, in world axes; means since the sample before",
        ),
        key(
            "pose",
            Kind::Text,
            "a body: `.x`, `.y`, `.z`, `.qw` to `.qz`, `.vx` to `.vz`, `.wx` to `.wz` of a point of it",
        ),
        key(
            "at",
            Kind::Vector(3),
            "of a pose sensor: the point, in the axes of the body, default its centre of mass",
        ),
        key(
            "coordinate",
            Kind::Text,
            "a revolute or prismatic joint: `.angle` and `.rate`, or `.shift` and `.speed`; the model `articulated` counts turns, others show angles up to half a turn",
        ),
        key(
            "distance",
            Kind::Texts,
            "two bodies with shapes, `ground` being z ≤ 0: the distance between them, under the name of the sensor alone; 0 where they overlap",
        ),
    ],
};

/// A `[[sensor]]`.
#[derive(Clone, Debug)]
pub(crate) struct SensorDraft {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) kind: DraftKind,
}

/// Something of another table by its name, with the place where that stands.
pub(super) type Named = (String, Site);

#[derive(Clone, Debug)]
pub(super) enum DraftKind {
    Contact { body: Named, against: Option<Named> },
    Reaction(Named),
    Pose { body: Named, at: Option<Numbers> },
    Coordinate(Named),
    Distance([Named; 2]),
}

/// The keys of which each sensor has one.
const KINDS: [&str; 5] = ["contact", "reaction", "pose", "coordinate", "distance"];

/// Reads a `[[sensor]]`.
pub(crate) fn read(table: &Table<'_>) -> Result<SensorDraft, Problem> {
    table.refuse_others(&known("sensor"))?;
    let name = name(table.need("name", "name = \"load\"")?)?;
    let given: Vec<_> = KINDS.iter().filter_map(|key| table.get(key)).collect();
    let [entry] = given[..] else {
        let found = given.iter().map(|e| format!("`{}`", e.key)).collect::<Vec<_>>().join(" and ");
        let reason = match given.is_empty() {
            true => "a sensor needs to know what it measures".to_owned(),
            false => format!("a sensor measures one thing; this one has {found}"),
        };
        let site = given.last().map_or_else(|| table.span.clone(), |entry| entry.key_span());
        let cure = "give it one of `contact`, `reaction`, `pose`, `coordinate`, `distance`";
        return Err(Problem::at(site, reason).cure(cure));
    };
    for (key, kind) in [("against", "contact"), ("at", "pose")] {
        if let (Some(other), true) = (table.get(key), entry.key != kind) {
            let reason = format!("`{key}` is for sensors with `{kind}`");
            return Err(Problem::at(other.key_span(), reason).cure("leave it out"));
        }
    }
    let kind = match entry.key {
        "contact" => DraftKind::Contact {
            body: reference(entry)?,
            against: optional(table, "against", reference)?,
        },
        "reaction" => DraftKind::Reaction(reference(entry)?),
        "pose" => DraftKind::Pose { body: reference(entry)?, at: optional(table, "at", vector)? },
        "coordinate" => DraftKind::Coordinate(reference(entry)?),
        _ => {
            let ends = entry.items("a list of two bodies")?;
            let [a, b] = &ends[..] else {
                let reason = format!("a distance is between two bodies; here are {}", ends.len());
                return Err(Problem::at(entry.span(), reason));
            };
            DraftKind::Distance([reference(a)?, reference(b)?])
        }
    };
    Ok(SensorDraft { path: table.path().to_owned(), name, kind })
}
