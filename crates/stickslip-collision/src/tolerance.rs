//! The tolerances of the crate, each with its reason. Those of length are shares of the size of the pair.

/// By how much the separation along another axis must exceed that of the preferred face before the other is chosen, as a share of
/// the size. Poses change in their last digits from step to step; a choice must not. Turned by this angle, two faces
/// are still taken for parallel; gaps are exact all the same, because each point has its own.
pub(crate) const PREFERENCE: f64 = 1e-6;

/// A vertex that is outside of the side of a face by no more than this share of the size is taken to be over the face: aligned
/// edges of stacked bodies are off by rounding and by what a solver leaves.
pub(crate) const ON_SIDE: f64 = 1e-7;

/// Lines whose directions have a sine below this are parallel: they touch along a stretch, and the direction of their
/// common perpendicular has lost too many digits.
pub(crate) const PARALLEL: f64 = 1e-6;

/// Faces whose normals differ by less than this are one: of hulls, and of surfaces for which the edge between them is none.
pub(crate) const COPLANAR: f64 = 1e-7;

/// A disc tilted by less than this angle lies flat: the direction of its lowest point is rounding.
pub(crate) const FLAT: f64 = 1e-7;

/// The least area of a triangle, as a share of the square of its longest side, for which a normal has digits left.
pub(crate) const FLAT_TRIANGLE: f64 = 1e-10;

/// The least thickness of a hull as a share of its size.
pub(crate) const FLAT_HULL: f64 = 1e-9;

/// How far the length of a quaternion may be off 1.
pub(crate) const UNIT: f64 = 1e-6;

/// By how much the two bounds of a distance may differ, as a share of the size: the iteration ends at 5e-8 of the distance on cylinders and
/// cones; between polyhedra, spheres and capsules the two agree to rounding.
pub(crate) const DISTANCE: f64 = 1e-7;
