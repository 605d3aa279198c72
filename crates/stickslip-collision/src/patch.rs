//! Flat ends of cylinders and cones that lie on a plane with all of their area.
//!
//! Such an end is found by its points: four on its rim over one face, and none where its rim crosses a side of the face or a corner of it
//! is below the end.

use crate::feature::{FeaturePair, Features};
use crate::narrow::{FACE, FACING, Found, LOWEST, VERTEX};
use crate::pose::Relative;
use crate::shape::{Part, Shape};

/// A flat round end over a plane: a contact at its middle that stands for all of its area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Of the end.
    pub radius: f64,
    /// The contacts at four points of its rim, by their places in the list.
    pub rim: [u32; 4],
    /// If it is tilted a little, that at its lowest point.
    pub lowest: Option<u32>,
}

impl Patch {
    /// All contacts on its rim.
    pub fn points(&self) -> impl Iterator<Item = usize> + use<> {
        self.rim.into_iter().chain(self.lowest).map(|k| k as usize)
    }
}

/// An end with its place among the points of a pair.
pub(crate) struct FlatEnd {
    pub(crate) codes: [u32; 2],
    pub(crate) feature: FeaturePair,
    patch: Patch,
}

impl FlatEnd {
    /// The patch, if the points of the pair begin at this place of the list.
    pub(crate) fn patch_from(&self, start: usize) -> Patch {
        let Patch { radius, rim, lowest } = self.patch;
        let place = |k: u32| start as u32 + k;
        Patch { radius, rim: rim.map(place), lowest: lowest.map(place) }
    }
}

/// The codes of the points of rims and of an apex are below this.
const ROUND_POINTS: u32 = LOWEST + 2;
/// The kind of a feature in its code.
const KIND: u32 = 3 << 30;
/// The code of a whole end, beside its number: no other feature of a cylinder or cone has this bit.
const WHOLE: u32 = FACE | 1 << 27;

/// The ends of these parts that lie flat, from their points in the order of their codes; `relative` leads from the axes of the first body to
/// those of the second.
pub(crate) fn flat_ends<'a>(
    parts: [&'a Part; 2],
    relative: &'a Relative,
    found: &'a [Found],
) -> impl Iterator<Item = FlatEnd> + use<'a> {
    let ends = [(0, 0), (0, 1), (1, 0), (1, 1)];
    ends.into_iter().filter_map(move |(side, end)| flat_end(parts, side, end, relative, found))
}

fn flat_end(
    parts: [&Part; 2],
    side: usize,
    end: u32,
    relative: &Relative,
    found: &[Found],
) -> Option<FlatEnd> {
    let Shape::Round(round) = &parts[side].shape else { return None };
    let plane = &parts[1 - side].shape;
    let whole = found.iter().all(|f| f.codes[side] < ROUND_POINTS);
    if !whole || !matches!(plane, Shape::HalfSpace { .. } | Shape::Polytope(_) | Shape::Surface(_))
    {
        return None;
    }
    let cap = round.caps().nth(end as usize)?;
    let place = |code| found.iter().position(|f| f.codes[side] == code).map(|k| k as u32);
    let mut rim = [0; 4];
    for (to, code) in rim.iter_mut().zip((VERTEX | (4 * end))..) {
        *to = place(code)?;
    }
    let lowest = place(LOWEST + end);
    let face = found[rim[0] as usize].codes[1 - side];
    let one_face = rim.into_iter().chain(lowest).all(|k| found[k as usize].codes[1 - side] == face);
    // The first point may be one that goes round as the body rolls.
    let FeaturePair { features, swapped } = found[rim[1] as usize].feature;
    let Features::BallPlane { origin, normal, .. } = features else { return None };
    // Points of the end over a plane of the other body, not the other way round.
    if !one_face || face & KIND != FACE || swapped != (side == 1) {
        return None;
    }
    let facing = match side {
        0 => relative.vector(cap.normal).dot(normal),
        _ => relative.vector(normal).dot(cap.normal),
    };
    let mut codes = [face; 2];
    codes[side] = WHOLE | end;
    let features = Features::BallPlane { centre: cap.centre, radius: 0.0, origin, normal };
    (facing < FACING).then_some(FlatEnd {
        codes,
        feature: FeaturePair { features, swapped },
        patch: Patch { radius: round.radius, rim, lowest },
    })
}
