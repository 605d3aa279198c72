//! Shapes in space that move as one.

use super::collision::of_shape;
use super::draft::{Numbers, OrientationDraft, ShapeDraft};
use super::orientation::rotation;
use super::read::{orientation, shape_of, vector};
use super::values::Values;
use crate::document::{Entry, Problem};
use crate::include::Document;
use crate::read::optional;
use stickslip::bodies::{Geometry, Pose};

/// What parts may be: convex, each with its inside.
const KINDS: [&str; 6] = ["box", "sphere", "cylinder", "capsule", "cone", "hull"];
const EXAMPLE: &str = "`{ sphere = 0.1, at = [0, 0, 0.2] }`";

/// A part of a compound: a shape, where it is and how it is turned.
#[derive(Clone, Debug)]
pub(crate) struct CompoundPart {
    shape: ShapeDraft,
    at: Option<Numbers>,
    orientation: Option<OrientationDraft>,
}

/// Reads the list of its parts.
pub(super) fn read(entry: &Entry<'_>, document: &Document) -> Result<Vec<CompoundPart>, Problem> {
    let parts = entry.items("a list of shapes")?;
    if parts.is_empty() {
        return Err(Problem::at(entry.span(), "this compound has no parts")
            .cure(format!("write e.g. [{EXAMPLE}]")));
    }
    parts.iter().map(|part| part_of(part, document)).collect()
}

fn part_of(entry: &Entry<'_>, document: &Document) -> Result<CompoundPart, Problem> {
    let table = entry.table(EXAMPLE)?;
    table.refuse_others(&[&KINDS[..], &["at", "orientation"]].concat())?;
    let mut kinds = KINDS.iter().filter_map(|key| table.get(key));
    let (Some(one), None) = (kinds.next(), kinds.next()) else {
        let reason = format!("a part of a compound is one of {}", KINDS.join(", "));
        return Err(Problem::at(entry.span(), reason).cure(format!("write e.g. {EXAMPLE}")));
    };
    let shape = shape_of(one, document)?;
    if shape.patch.is_some() {
        let reason = "the parts of a compound have no patches";
        return Err(Problem::at(one.span(), reason).cure("leave `patch` out"));
    }
    Ok(CompoundPart {
        shape,
        at: optional(&table, "at", vector)?,
        orientation: optional(&table, "orientation", orientation)?,
    })
}

/// The parts in the axes of the compound.
pub(super) fn geometry(values: &Values, parts: &[CompoundPart]) -> Result<Geometry, Problem> {
    let one = |part: &CompoundPart| {
        // Not about the centre of mass: what is written is where its own axes are.
        let (geometry, _) = of_shape(values, &part.shape, false)?;
        geometry
            .validate()
            .map_err(|e| Problem::of(part.shape.numbers.path.clone(), e.to_string()))?;
        let rotation = rotation(values, &part.orientation)?;
        Ok((Pose { position: values.vector(&part.at)?, rotation }, geometry))
    };
    Ok(Geometry::Compound { parts: parts.iter().map(one).collect::<Result<_, Problem>>()? })
}
