//! Which bodies of a world move freely, and which are moved.

use super::forces::Part;
use super::pose::check_motion;
use super::{Pose, Twist};
use crate::error::{Error, check};
use std::sync::Arc;

/// A body of a world, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Body(pub(crate) usize);

impl From<Body> for Part {
    fn from(body: Body) -> Self {
        Self(body.0)
    }
}

/// A motion that is prescribed.
pub type Motion = Arc<dyn Fn(f64) -> (Pose, Twist) + Send + Sync>;

/// What moves a body. `B` is what a model keeps of a free one.
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
