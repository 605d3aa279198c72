//! When fast bodies first meet. Between two looks at a motion, bodies may pass through each other that move by more than their thickness: here
//! their way is followed by conservative advancement (Mirtich, *Impulse-based dynamic simulation of rigid body systems*, 1996), pair by
//! pair of shapes. As a gap closes no faster than a bound, time may go on by the gap over the bound.
//!
//! # Notation
//! s is the time since the beginning, g(s) the gap of a pair, d the sum of the thicknesses of both shapes.

use crate::detector::{Cache, Detector};
use crate::narrow::{Scratch, narrow};
use crate::pose::{Pose, Relative, matrix};
use crate::shape::Shape;
use glam::DVec3;

/// A pair is fast if it moves in the time by more than this share of d: two looks cannot miss what is slower, and see it before it has gone
/// half through.
const FAST: f64 = 0.5;

/// A pair that touches at the beginning meets again where it gets deeper by this share of d. A search goes no deeper at once.
const DEEP: f64 = 0.25;

/// A pair touches at the beginning if its gap is less than this share of d.
const TOUCHING: f64 = 1e-3;

/// A meeting is no nearer than the way of this share of d.
const NEAR: f64 = 0.01;

/// Where bodies meet, they are inside of each other by this share of d, so that rounding does not decide whether they touch.
const INSIDE: f64 = 1e-6;

/// What rounding is, as a share of coordinates and of the way in the time that has passed.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Most gaps that are asked for in the search for one meeting; then time goes on to where it has come.
const MOST_GAPS: usize = 10_000;

/// Most halvings of the time in which a pair meets.
const HALVINGS: usize = 60;

/// How a body moves over some time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyMotion {
    /// The velocity of its origin, in world axes.
    pub linear: DVec3,
    /// Its angular velocity, in world axes.
    pub angular: DVec3,
    /// By how much both change at most.
    pub change: [f64; 2],
}

/// Where a motion has to be looked at so that no bodies pass through each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// When two bodies have just met: they overlap by a millionth of their thickness.
    pub time: f64,
    /// When other bodies meet, or infinity.
    pub next: f64,
    /// For how long after `time` the overlap stays below a hundredth of their thickness.
    pub slack: f64,
    /// Whether a look in the middle of the time sees them within that.
    pub seen: bool,
}

impl Detector {
    /// Half of the least width of the shapes of a body: infinite of half-spaces and of bodies without a collider, 0 of surfaces.
    #[must_use]
    pub fn thickness(&self, body: usize) -> f64 {
        let own = self.parts.iter().filter(|part| self.colliders[part.collider].body == body);
        own.fold(f64::INFINITY, |least, part| least.min(part.thickness))
    }

    /// Whether a body of this thickness may pass through others that makes this way between two looks.
    #[must_use]
    pub fn is_fast(thickness: f64, way: f64) -> bool {
        way > FAST * thickness
    }

    /// The first meeting of two bodies in a time from `t` on of length `dt`, among pairs of shapes that move by more than half of their
    /// thicknesses in the time `whole`, of which this one is a part. The cache is that of a [`detect`](Self::detect) in the middle of the motion with the reach of its full length, `motions` are those of all
    /// bodies, and `pose` tells where a body is after some time. Surfaces are met from outside; half-spaces have no other
    /// side, and are left out.
    pub fn first_meeting(
        &self,
        cache: &mut Cache,
        motions: &[BodyMotion],
        pose: &mut dyn FnMut(usize, f64) -> Pose,
        (t, dt, whole): (f64, f64, f64),
    ) -> Option<Meeting> {
        let Cache { pairs, scratch, .. } = cache;
        let mut first: Option<Meeting> = None;
        for &pair in pairs.iter() {
            let time = (t, dt, whole);
            let Some(mut sweep) = Sweep::new(self, pair, motions, pose, scratch, time) else {
                continue;
            };
            let Some([before, time]) = sweep.meet() else { continue };
            let slack = sweep.slack();
            let middle = 0.5 * dt;
            let seen = (before..=time + slack).contains(&middle)
                && sweep.gap(middle, 0.0).is_some_and(|(gap, _)| gap <= 0.0);
            first = Some(match first {
                None => Meeting { time, next: f64::INFINITY, slack, seen },
                Some(old) => old.and(Meeting { time, next: f64::INFINITY, slack, seen }),
            });
        }
        first
    }
}

impl Meeting {
    /// The earlier of two; the later is the next, unless both are one.
    fn and(self, other: Self) -> Self {
        let (first, then) = if other.time < self.time { (other, self) } else { (self, other) };
        if then.time <= first.time + first.slack {
            let seen = first.seen && then.seen;
            let slack = first.slack.min(then.slack);
            return Self { next: first.next.min(then.next), seen, slack, ..first };
        }
        Self { next: first.next.min(then.time), ..first }
    }
}

/// A pair of shapes in motion.
struct Sweep<'a, 'b> {
    detector: &'a Detector,
    pair: [u32; 2],
    bodies: [usize; 2],
    pose: &'b mut dyn FnMut(usize, f64) -> Pose,
    scratch: &'b mut Scratch,
    dt: f64,
    /// The velocity of the first body against the second.
    linear: DVec3,
    /// How fast rotation and changes of velocities close gaps at most.
    loose: f64,
    /// Whether both are convex: then they stay apart along a normal that separates them.
    convex: bool,
    /// d.
    thickness: f64,
    /// How deep bodies are where they meet.
    inside: f64,
}

impl<'a, 'b> Sweep<'a, 'b> {
    /// None where the pair is not fast.
    fn new(
        detector: &'a Detector,
        pair: [u32; 2],
        motions: &[BodyMotion],
        pose: &'b mut dyn FnMut(usize, f64) -> Pose,
        scratch: &'b mut Scratch,
        (t, dt, whole): (f64, f64, f64),
    ) -> Option<Self> {
        let parts = pair.map(|k| &detector.parts[k as usize]);
        let bodies = parts.map(|part| detector.colliders[part.collider].body);
        let thickness = parts[0].thickness + parts[1].thickness;
        if thickness == f64::INFINITY {
            return None;
        }
        let moving = bodies.map(|body| motions[body]);
        let linear = moving[0].linear - moving[1].linear;
        let start = bodies.map(|body| pose(body, 0.0));
        let turning =
            |k: usize| parts[k].turning(matrix(start[k].rotation).transpose() * moving[k].angular);
        let turns = turning(0) + turning(1);
        if !Detector::is_fast(thickness, whole * (linear.length() + turns)) {
            return None;
        }
        let change = |k: usize| moving[k].change[0] + moving[k].change[1] * parts[k].extent();
        let loose = turns + change(0) + change(1);
        let place = start.iter().map(|p| p.position.abs().max_element()).fold(0.0, f64::max);
        let rounding = ROUNDING * (place + (t.abs() + dt) * (linear.length() + loose));
        Some(Self {
            detector,
            pair,
            bodies,
            pose,
            scratch,
            dt,
            linear,
            loose,
            convex: !parts
                .iter()
                .any(|part| matches!(part.shape, Shape::Surface(_) | Shape::Segment(_))),
            thickness,
            inside: (INSIDE * thickness).max(rounding),
        })
    }

    /// The bound of the speed of approach.
    fn bound(&self) -> f64 {
        self.linear.length() + self.loose
    }

    fn slack(&self) -> f64 {
        NEAR * self.thickness / self.bound()
    }

    /// g(s), if it is within reach, and the normal where it is.
    fn gap(&mut self, s: f64, reach: f64) -> Option<(f64, DVec3)> {
        let [a, b] = self.bodies.map(|body| (self.pose)(body, s));
        let parts = self.pair.map(|k| &self.detector.parts[k as usize]);
        let reach = reach.max(self.inside);
        narrow(parts[0], parts[1], &Relative::between(&a, &b), reach, self.scratch);
        let found = self.scratch.found.drain(..);
        let least = found.min_by(|f, g| f.gap.total_cmp(&g.gap))?;
        Some((least.gap, least.feature.proximity(&a, &b).normal))
    }

    /// The time before and just after the first meeting.
    fn meet(&mut self) -> Option<[f64; 2]> {
        let bound = self.bound();
        let deep = DEEP * self.thickness;
        // All triangles of a large surface within the way are many: there the search begins in the neighbourhood.
        let mut reach = if self.convex { f64::INFINITY } else { 2.0 * self.thickness };
        let (mut s, mut before) = (0.0, 0.0);
        // How deep the pair was at the beginning, and how deep it meets.
        let (mut level, mut goal) = (None, -self.inside);
        for _ in 0..MOST_GAPS {
            let most = bound * (self.dt - s) + deep;
            let Some((gap, normal)) = self.gap(s, reach.min(most)) else {
                if reach >= most {
                    return None;
                }
                level.get_or_insert(0.0);
                before = s;
                s += (reach - goal) / bound;
                reach *= 2.0;
                if s >= self.dt {
                    s = self.dt;
                }
                continue;
            };
            if level.is_none() && gap <= TOUCHING * self.thickness {
                goal = gap.min(0.0) - deep;
            }
            let depth = *level.get_or_insert(gap.min(0.0));
            if gap <= goal {
                let from = if goal < -self.inside { 0.0 } else { before };
                return Some(self.refine(from, s, depth - self.inside));
            }
            if s >= self.dt {
                return None;
            }
            let towards = if self.convex { self.loose - normal.dot(self.linear) } else { bound };
            if towards <= 0.0 {
                return None;
            }
            before = s;
            s = (s + (gap - goal + deep) / towards).min(self.dt);
        }
        Some([before, s])
    }

    /// Where between two times the pair gets deeper than a level, by halving.
    fn refine(&mut self, mut before: f64, mut after: f64, level: f64) -> [f64; 2] {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (before + after);
            if middle <= before || middle >= after {
                break;
            }
            match self.gap(middle, 0.0) {
                Some((gap, _)) if gap <= level => {
                    after = middle;
                    if gap >= level - self.inside {
                        break;
                    }
                }
                _ => before = middle,
            }
        }
        [before, after.max(self.slack())]
    }
}
