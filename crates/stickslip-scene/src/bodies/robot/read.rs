//! The table `[[robot]]`.

use super::RobotDraft;
use super::load::{Ending, ending, load};
use super::skeleton::Skeleton;
use crate::bodies::draft::Numbers;
use crate::bodies::read::{name, number, orientation, vector};
use crate::document::{Entry, Problem, Table};
use crate::include::Document;
use crate::keys::known;
use crate::read::optional;
use crate::tree::Site;
use std::sync::Arc;
use stickslip_robots::UrdfBase;

/// How the first link of a URDF file hangs on the world.
pub(crate) const BASES: &[&str] = &["fixed", "free"];

/// Reads a `[[robot]]`, and the file that it names.
pub(crate) fn read(table: &Table<'_>, document: &Document) -> Result<RobotDraft, Problem> {
    table.refuse_others(&known("robot"))?;
    let file = table.need("file", "file = \"arm.urdf\"")?;
    let base = optional(table, "base", |e| e.choice(BASES))?;
    let mjcf = ending(file.text("a path in quotes")?) == Some(Ending::Mjcf);
    if let (Some(entry), true) = (table.get("base"), mjcf) {
        let reason = "`base` is for URDF, which does not say how a robot hangs on the world";
        return Err(Problem::at(entry.span(), reason)
            .cure("leave it out; in MJCF a body with <freejoint/> moves freely"));
    }
    let base = if base == Some("free") { UrdfBase::Free } else { UrdfBase::Fixed };
    let source = Arc::new(load(file, base, document)?);
    let prefix = optional(table, "name", name)?;
    let skeleton = Arc::new(Skeleton::new(&source.model, prefix.as_deref()));
    Ok(RobotDraft {
        path: table.path().to_owned(),
        source,
        skeleton,
        position: optional(table, "position", vector)?,
        orientation: optional(table, "orientation", orientation)?,
        keyframe: optional(table, "keyframe", |e| {
            Ok((e.text("the name of a keyframe in quotes")?.to_owned(), e.span()))
        })?,
        joints: optional(table, "joints", named_numbers)?.unwrap_or_default(),
        controls: optional(table, "controls", named_numbers)?.unwrap_or_default(),
        collides: optional(table, "collides", Entry::truth)?.unwrap_or(true),
    })
}

fn named_numbers(entry: &Entry<'_>) -> Result<Vec<(String, Site, Numbers)>, Problem> {
    let table = entry.table("`{ shoulder = 0.3 }`")?;
    let one = |e: &Entry<'_>| Ok((e.key.to_owned(), e.key_span(), number(e)?));
    table.entries.iter().map(one).collect()
}
