//! Numbers that several models of bodies decide by, each with its reason. What one file alone decides by stands there.

/// Loads below this share of the momenta that they act on are no longer distinguished from the rounding of these.
pub(super) const LEAST_LOAD: f64 = 1e-6;

/// Passes in which forces, rotations and joints answer each other end when velocities change by no more than this share: some units in the
/// last place.
pub(super) const SETTLED: f64 = 4.0 * f64::EPSILON;
/// Most passes for the mean velocity that forces follow.
pub(super) const FORCE_PASSES: usize = 100;
/// The change below which that velocity is found where rounding keeps it from falling.
pub(super) const MEAN: f64 = 1e-9;
/// Changes of it that are larger than this and do not fall will not.
pub(super) const DIVERGED: f64 = 0.5;

/// Newton steps that put bodies back on their joints: they converge quadratically from any state that a step leaves.
pub(super) const JOINT_STEPS: usize = 30;
/// Joints that are off by more than this share of the size of the mechanism cannot be closed.
pub(super) const JOINT_OPEN: f64 = 1e-9;

/// Identities: contacts by number, then those of joints from here on, four each.
pub(super) const JOINT_IDENTITIES: u64 = 1 << 40;
