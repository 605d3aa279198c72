//! Which bodies of a world move freely, and which are moved.

use super::forces::BodyIndex;
use super::pose::check_motion;
use super::{Pose, Twist};
use crate::error::{Error, check};
use glam::DVec3;
use std::sync::Arc;

/// A body of a world, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Body(pub(crate) usize);

impl From<Body> for BodyIndex {
    fn from(body: Body) -> Self {
        Self(body.0)
    }
}

/// A motion that is prescribed.
pub type Motion = Arc<dyn Fn(f64) -> (Pose, Twist) + Send + Sync>;

/// What moves a body. `B` is what a model keeps of a free one.
#[derive(Clone)]
pub(super) enum Role<B> {
    /// Number among the bodies that move freely.
    Free(usize, B),
    Prescribed(Motion),
}

impl<B> Role<B> {
    pub(super) fn prescribed(
        motion: impl Fn(f64) -> (Pose, Twist) + Send + Sync + 'static,
    ) -> Self {
        Self::Prescribed(Arc::new(motion))
    }

    /// The first body of every world: the ground.
    pub(super) fn still() -> Self {
        Self::prescribed(|_| (Pose::default(), Twist::default()))
    }

    /// The number among the free bodies.
    pub(super) fn free(&self) -> Option<usize> {
        match self {
            Self::Free(i, _) => Some(*i),
            Self::Prescribed(_) => None,
        }
    }
}

/// Refuses two bodies that are not of a world with these roles, are the same, or are both moved.
pub(super) fn check_pair<B>(
    roles: &[Role<B>],
    what: &str,
    first: Body,
    second: Body,
) -> Result<(), Error> {
    for body in [first, second] {
        let place = || format!("a body of {what}");
        check(place, body.0 as f64, body.0 < roles.len(), "one of this world")?;
    }
    let place = || format!("the second body of {what}");
    check(place, second.0 as f64, first != second, "another than the first")?;
    let free = |b: Body| roles[b.0].free().is_some();
    let place = || format!("the bodies of {what}");
    let wanted = "such that one of them moves freely";
    check(place, first.0 as f64, free(first) || free(second), wanted)
}

/// Refuses non-finite motions of prescribed bodies, as evaluated at a time.
pub(super) fn check_motions<B>(
    roles: &[Role<B>],
    motions: &[(Pose, Twist)],
    t: f64,
) -> Result<(), Error> {
    let all = roles.iter().zip(motions).enumerate();
    for (i, (_, motion)) in all.filter(|(_, (role, _))| role.free().is_none()) {
        check_motion(i, t, motion)?;
    }
    Ok(())
}

/// The widest difference in time, and by what it shrinks where the motion is too fast for it.
const WIDEST: f64 = 1e-2;
const SHRINK: f64 = 0.37;
const WIDTHS: usize = 10;

/// How well differences of sixth and eighth order agree where the latter are good to about 1e-12.
const AGREE: f64 = 1e-9;

/// The accelerations of a prescribed motion at a time, by central differences of eighth order of its velocities.
pub(super) fn motion_rate(motion: &Motion, t: f64) -> Twist {
    let now = motion(t).1;
    let mut h = WIDEST;
    let mut best = Twist::default();
    for _ in 0..WIDTHS {
        let (mut eighth, mut sixth) = (Twist::default(), Twist::default());
        let mut size = [0.0_f64; 2];
        let weights = [(0.8, 0.75), (-0.2, -0.15), (4.0 / 105.0, 1.0 / 60.0), (-1.0 / 280.0, 0.0)];
        for (k, (a, b)) in weights.into_iter().enumerate() {
            let tau = (k + 1) as f64 * h;
            let (after, before) = (motion(t + tau).1, motion(t - tau).1);
            let changes =
                [after.linear - before.linear, after.angular - before.angular].map(|d| d / h);
            eighth.linear += a * changes[0];
            eighth.angular += a * changes[1];
            sixth.linear += b * changes[0];
            sixth.angular += b * changes[1];
            let far = |x: DVec3, y: DVec3, z: DVec3| (x - z).length().max((y - z).length()) / h;
            size[0] = size[0].max(far(after.linear, before.linear, now.linear));
            size[1] = size[1].max(far(after.angular, before.angular, now.angular));
        }
        best = eighth;
        let off =
            [(eighth.linear - sixth.linear).length(), (eighth.angular - sixth.angular).length()];
        let noise = [now.linear, now.angular].map(|v| 16.0 * f64::EPSILON * v.length() / h);
        if (0..2).all(|i| off[i] <= AGREE * size[i] + noise[i]) {
            break;
        }
        h *= SHRINK;
    }
    best
}
