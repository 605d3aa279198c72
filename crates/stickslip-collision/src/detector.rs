//! The detector: colliders in, contacts out.

use crate::broad::Broad;
use crate::error::{Error, check};
use crate::feature::{FeaturePair, Proximity};
use crate::geometry::{Geometry, check_pose};
use crate::narrow::{Scratch, narrow};
use crate::patch::{self, Patch};
use crate::pose::{Pose, Relative};
use crate::shape::{Part, Shape, build};

/// A geometry fixed to a body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Collider {
    /// The body.
    pub body: usize,
    /// In the axes of the body.
    pub pose: Pose,
    /// The geometry.
    pub geometry: Geometry,
    /// Handed on to contacts; the detector does not look at it.
    pub material: usize,
    /// The groups that it belongs to, one bit each.
    pub membership: u32,
    /// The groups that it meets. Two colliders meet if each belongs to a group that the other meets.
    pub filter: u32,
    /// Whether a flat end of it that lies on a plane is shown as one [`Patch`] beside its points: of cylinders and cones.
    #[cfg_attr(feature = "serde", serde(default))]
    pub patch: bool,
}

impl Collider {
    /// A collider at the origin of its body, of all groups, with material 0, without patches.
    #[must_use]
    pub fn new(body: usize, geometry: Geometry) -> Self {
        let (pose, material, all) = (Pose::default(), 0, u32::MAX);
        Self { body, pose, geometry, material, membership: all, filter: all, patch: false }
    }

    /// At a pose in the axes of the body.
    #[must_use]
    pub fn with_pose(mut self, pose: Pose) -> Self {
        self.pose = pose;
        self
    }

    /// With a material.
    #[must_use]
    pub fn with_material(mut self, material: usize) -> Self {
        self.material = material;
        self
    }

    /// With groups, see [`Collider::membership`] and [`Collider::filter`].
    #[must_use]
    pub fn with_groups(mut self, membership: u32, filter: u32) -> Self {
        (self.membership, self.filter) = (membership, filter);
        self
    }

    /// With patches, see [`Collider::patch`].
    #[must_use]
    pub fn with_patch(mut self) -> Self {
        self.patch = true;
        self
    }
}

/// The number of a collider in its detector, from 0 in the order of adding.
pub type ColliderIndex = usize;

/// A point where two bodies touch or may touch within their reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The same from step to step while the same features touch, and different for different points of one detection.
    pub identity: u64,
    /// The bodies; the first is that of the collider that was added first.
    pub bodies: [usize; 2],
    /// The colliders.
    pub colliders: [ColliderIndex; 2],
    /// The materials of the colliders.
    pub materials: [usize; 2],
    /// What touches.
    pub feature: FeaturePair,
    /// If it stands for a whole flat end: which points of the list lie on its rim. Others have none.
    pub patch: Option<Patch>,
}

impl Contact {
    /// Gap, points and normal at the poses of all bodies.
    #[must_use]
    pub fn proximity(&self, poses: &[Pose]) -> Proximity {
        self.feature.proximity(&poses[self.bodies[0]], &poses[self.bodies[1]])
    }
}

/// Points of two parts of which one is within reach are listed as far as this many reaches: an impact there may put all the energy that a body
/// moves with into the motion of another point. A box that falls and is struck at a corner may come down with the next one faster than it
/// fell, by at most √(1 + m ρ²/I) times: 2.35 for a cube and √7 for a plate, the most of all homogeneous boxes.
pub const THROWN: f64 = 2.65;

const SURFACES: &str =
    "make one of them a compound of convex geometries, fix both bodies, or exclude the pair";

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) body: usize,
    material: usize,
    membership: u32,
    filter: u32,
    patch: bool,
}

/// All colliders, and which of them meet. Nothing in it changes while contacts are detected, so several threads may use one
/// detector, each with its own [`Cache`].
#[derive(Clone, Debug, Default)]
pub struct Detector {
    pub(crate) colliders: Vec<Entry>,
    pub(crate) parts: Vec<Part>,
    /// Parts with a bounding box.
    bounded: Vec<u32>,
    /// Half-spaces.
    unbounded: Vec<u32>,
    /// Ordered pairs of bodies, sorted.
    excluded: Vec<(usize, usize)>,
    /// Bodies that never move, sorted.
    fixed: Vec<usize>,
    bodies: usize,
}

/// Storage of a detection, which is reused. What is detected does not depend on what was in it.
#[derive(Default)]
pub struct Cache {
    broad: Broad,
    pub(crate) pairs: Vec<[u32; 2]>,
    order: Vec<u128>,
    pub(crate) scratch: Scratch,
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cache").field("pairs", &self.pairs.len()).finish_non_exhaustive()
    }
}

impl Detector {
    /// A detector without colliders.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a collider.
    ///
    /// # Errors
    /// If its geometry or pose is not valid; see [`Geometry::validate`].
    pub fn add(&mut self, collider: &Collider) -> Result<ColliderIndex, Error> {
        let index = self.colliders.len();
        let named = |error| in_collider(index, error);
        check_pose(&collider.pose, || format!("collider {index}"))?;
        collider.geometry.validate().map_err(named)?;
        let first = self.parts.len();
        build(&collider.geometry, &collider.pose, index, &mut self.parts).map_err(named)?;
        let Collider { body, material, membership, filter, patch, .. } = *collider;
        let flat = |part: &Part| matches!(part.shape, Shape::Round(_));
        if patch && !self.parts[first..].iter().any(flat) {
            self.parts.truncate(first);
            return Err(named(no_flat_end(&collider.geometry)));
        }
        self.number_parts(first);
        self.colliders.push(Entry { body, material, membership, filter, patch });
        self.bodies = self.bodies.max(body + 1);
        Ok(index)
    }

    /// Lists the parts from this one on by whether they have bounding boxes.
    fn number_parts(&mut self, first: usize) {
        for (k, part) in self.parts.iter().enumerate().skip(first) {
            match part.shape {
                Shape::HalfSpace { .. } => self.unbounded.push(k as u32),
                _ => self.bounded.push(k as u32),
            }
        }
    }

    /// Lets two bodies pass through each other: those of a joint, say.
    pub fn exclude(&mut self, body_a: usize, body_b: usize) {
        let pair = (body_a.min(body_b), body_a.max(body_b));
        if let Err(at) = self.excluded.binary_search(&pair) {
            self.excluded.insert(at, pair);
        }
    }

    /// Declares that a body never moves. Such bodies do not meet each other.
    pub fn fix(&mut self, body: usize) {
        if let Err(at) = self.fixed.binary_search(&body) {
            self.fixed.insert(at, body);
        }
    }

    /// The largest distance of a point of the colliders of a body from its origin, or a little more: that of the corners of their
    /// bounding boxes. Half-spaces, which have no end, count with their origin. It goes through all colliders.
    #[must_use]
    pub fn extent(&self, body: usize) -> f64 {
        let own = self.parts.iter().filter(|part| self.colliders[part.collider].body == body);
        own.fold(0.0, |most, part| {
            let half = match part.shape {
                Shape::HalfSpace { .. } => glam::DVec3::ZERO,
                _ => part.half,
            };
            most.max((part.middle.abs() + half).length())
        })
    }

    /// How many colliders there are.
    #[must_use]
    pub fn colliders(&self) -> usize {
        self.colliders.len()
    }

    /// How many poses a detection needs: one more than the highest body.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.bodies
    }

    /// Finds all contacts of parts whose gap is at most the sum of the reaches of their bodies: how far any point of the body may move.
    /// Other points of such parts are found up to [`THROWN`] times as far, since an impact may throw them there.
    ///
    /// The list is cleared first. Contacts are ordered by their colliders, then by their features, with patches after the points of
    /// their pair. The same poses give the same
    /// bits, whatever the cache was used for before; once it is warm, nothing is allocated.
    ///
    /// # Errors
    /// If there are fewer poses or reaches than bodies, or one of them is not finite or a reach is negative; if a mesh or height
    /// field may meet another one.
    pub fn detect(
        &self,
        cache: &mut Cache,
        poses: &[Pose],
        reach: &[f64],
        out: &mut Vec<Contact>,
    ) -> Result<(), Error> {
        out.clear();
        self.check(poses, reach)?;
        let Cache { broad, pairs, order, scratch } = cache;
        pairs.clear();
        let place = |k: u32| {
            let part = &self.parts[k as usize];
            let body = self.colliders[part.collider].body;
            (part, &poses[body], reach[body])
        };
        let meet = |a: u32, b: u32| self.meet(a, b);
        broad.pairs(&self.bounded, place, meet, pairs);
        for &a in &self.unbounded {
            broad.below(&self.bounded, a, place, meet, pairs);
        }
        let collider = |k: u32| self.parts[k as usize].collider;
        // One number says by colliders, then by parts.
        let key = |&[a, b]: &[u32; 2]| {
            let [a, b] = [a, b].map(u128::from);
            let [first, second] = [a, b].map(|k| self.parts[k as usize].collider as u128);
            first << 96 | second << 64 | a << 32 | b
        };
        order.clear();
        order.extend(pairs.iter().map(key));
        order.sort_unstable();
        pairs.clear();
        pairs.extend(order.iter().map(|key| [(key >> 32) as u32, *key as u32]));
        for &[a, b] in pairs.iter() {
            let bodies = [a, b].map(|k| self.colliders[collider(k)].body);
            let near = reach[bodies[0]] + reach[bodies[1]];
            let relative = Relative::between(&poses[bodies[0]], &poses[bodies[1]]);
            let parts = [a, b].map(|k| &self.parts[k as usize]);
            if !narrow(parts[0], parts[1], &relative, THROWN * near, scratch) {
                let [first, second] = parts.map(|part| part.shape.name());
                return Err(Error::Pair { first, second, bodies, cure: SURFACES });
            }
            if !scratch.found.iter().any(|f| f.gap <= near) {
                continue;
            }
            scratch
                .found
                .sort_unstable_by(|f, g| f.codes.cmp(&g.codes).then(f.gap.total_cmp(&g.gap)));
            scratch.found.dedup_by_key(|f| f.codes);
            let start = out.len();
            out.extend(scratch.found.iter().map(|f| self.contact(parts, f.codes, f.feature)));
            if parts.iter().any(|part| self.colliders[part.collider].patch) {
                for end in patch::flat_ends(parts, &relative, &scratch.found) {
                    let patch = Some(end.patch_from(start));
                    out.push(Contact { patch, ..self.contact(parts, end.codes, end.feature) });
                }
            }
        }
        Ok(())
    }

    fn contact(&self, parts: [&Part; 2], codes: [u32; 2], feature: FeaturePair) -> Contact {
        let colliders = parts.map(|p| p.collider);
        let words = [
            (colliders[0] as u64) << 32 | colliders[1] as u64,
            u64::from(parts[0].number) << 32 | u64::from(parts[1].number),
            u64::from(codes[0]) << 32 | u64::from(codes[1]),
        ];
        Contact {
            identity: words.into_iter().fold(0, |h, w| mix(h ^ w)),
            bodies: colliders.map(|c| self.colliders[c].body),
            colliders,
            materials: colliders.map(|c| self.colliders[c].material),
            feature,
            patch: None,
        }
    }

    fn meet(&self, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|k| &self.colliders[self.parts[k as usize].collider]);
        let bodies = (a.body.min(b.body), a.body.max(b.body));
        let fixed = |body| self.fixed.binary_search(&body).is_ok();
        a.body != b.body
            && a.membership & b.filter != 0
            && b.membership & a.filter != 0
            && self.excluded.binary_search(&bodies).is_err()
            && !(fixed(a.body) && fixed(b.body))
    }

    fn check(&self, poses: &[Pose], reach: &[f64]) -> Result<(), Error> {
        let size = |what, found| {
            if found < self.bodies {
                return Err(Error::Size { what, found, expected: self.bodies });
            }
            Ok(())
        };
        size("the list of poses", poses.len())?;
        size("the list of reaches", reach.len())?;
        for (k, (pose, &reach)) in poses.iter().zip(reach).enumerate() {
            if !pose.is_finite() || !((pose.rotation.length_squared() - 1.0).abs() < 1e-6) {
                check_pose(pose, || format!("body {k}"))?;
            }
            check(|| format!("the reach of body {k}"), reach, reach >= 0.0, "a finite number ≥ 0")?;
        }
        Ok(())
    }
}

fn no_flat_end(geometry: &Geometry) -> Error {
    Error::Degenerate {
        place: geometry.name().into(),
        problem: "has no flat round end that could be a patch",
        cure: "patches are of cylinders and cones; leave `patch` out",
    }
}

fn in_collider(index: usize, error: Error) -> Error {
    let named = |place: String| format!("{place}, collider {index}");
    match error {
        Error::Range { place, value, requirement } => {
            Error::Range { place: named(place), value, requirement }
        }
        Error::Index { place, index, count } => Error::Index { place: named(place), index, count },
        Error::Degenerate { place, problem, cure } => {
            Error::Degenerate { place: named(place), problem, cure }
        }
        other => other,
    }
}

/// Mixes all bits of a word (the finaliser of Steele, Lea and Flood's SplitMix64, 2014): different words stay different.
fn mix(word: u64) -> u64 {
    let z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
