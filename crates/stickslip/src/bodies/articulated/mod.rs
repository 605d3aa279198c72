//! Trees of links in the coordinates of their joints.
//!
//! A tree has no constraint but its loops: joints need no rows in the contact problem and cannot drift. The accelerations of n
//! links cost O(n) by the articulated body algorithm, so does a product with M⁻¹; the k rows of the contact problem cost
//! O(k n). Many bodies that do not hang on each other are better kept in a [`World`](super::World), whose M⁻¹ is local.
//!
//! | part | in the contact problem |
//! |---|---|
//! | joint | nothing |
//! | [`Tree::close`] | bilateral rows; put back by projection after each step |
//! | [`Tree::couple`] | a bilateral row; the same |
//! | [`Tree::friction`] | dry friction, without a normal |
//! | [`Tree::pin_friction`], [`Tree::guide_friction`] | load-dependent dry friction, by the reaction of the joint |
//! | [`Tree::limit`] | a contact without friction |
//! | [`Tree::contact`] | a contact |
//!
//! A tree [in the plane](Tree::in_plane) has planar contacts, which it finds between rounded polygons, chains and half-spaces:
//!
//! ```
//! use glam::{DQuat, DVec2, DVec3};
//! use stickslip::bodies::articulated::{Tree, TreeJoint};
//! use stickslip::bodies::{Collider, Geometry, MassProperties, Pose};
//! use stickslip::contact::Law;
//! use stickslip::run::{Settings, run};
//!
//! // A disc rolls down a slope of 0.3 rad, seen along the slope.
//! let g = 9.81 * DVec2::new(0.3_f64.sin(), -0.3_f64.cos());
//! let mut tree = Tree::in_plane(g)?;
//! let steel = tree.materials().add(Law::coulomb(0.5))?;
//! let up = Pose { rotation: DQuat::from_rotation_arc(DVec3::Z, DVec3::Y), ..Pose::default() };
//! tree.collider(Tree::GROUND, steel, &Collider::new(0, Geometry::HalfSpace).with_pose(up))?;
//! let (here, mass) = (Pose::default(), MassProperties::cylinder(1.0, 0.1, 0.0)?);
//! let disc = tree.link(Tree::GROUND, TreeJoint::Planar, here, here, mass)?;
//! tree.collider(disc, steel, &Collider::new(0, Geometry::disc(0.1)))?;
//! let start = tree.state(&[0.0, 0.1, 0.0], &[0.0; 3])?;
//! let settings = Settings { t_end: 1.0, dt: 0.01, ..Settings::default() };
//! let end = run(&tree, &start, &settings, &mut (), &mut ())?.state;
//! assert!((end.u[0] - 2.0 / 3.0 * g.x).abs() < 1e-12);
//! # Ok::<(), stickslip::Error>(())
//! ```
//!
//! Written by hand: the crates that have the algorithm (`featherstone` 0.1, in single precision; `phyz-rigid` 0.4, on the
//! model and state types of its own engine) are young, bring their own contacts, and do not hand out the factorised
//! articulated inertias, on which the contact problem stands. The algorithm itself is some 300 lines.
//!
//! ```
//! use glam::DVec3;
//! use stickslip::bodies::articulated::{TreeJoint, Tree};
//! use stickslip::bodies::{MassProperties, Pose};
//!
//! // A rod of length 1 that swings about the z-axis of the ground.
//! let mut tree = Tree::new(DVec3::new(0.0, -9.81, 0.0))?;
//! let rod = MassProperties::cuboid(2.0, DVec3::new(0.05, 1.0, 0.05))?;
//! let top = Pose::at(DVec3::new(0.0, 0.5, 0.0));
//! tree.link(Tree::GROUND, TreeJoint::Revolute, Pose::default(), top, rod)?;
//! let state = tree.state(&[0.1], &[0.0])?;
//! let moment = rod.inertia().z_axis.z + 2.0 * 0.25;
//! let expected = -2.0 * 9.81 * 0.5 * 0.1_f64.sin() / moment;
//! assert!((tree.acceleration(&state)?[0] - expected).abs() < 1e-12);
//! # Ok::<(), stickslip::Error>(())
//! ```

mod closure;
mod contacts;
mod coupling;
mod friction;
mod joint;
mod model;
mod motion;
mod place;
mod placement;
mod query;
mod smooth;
mod spatial;
mod tree;

pub use closure::Closure;
pub use coupling::Coupling;
pub use joint::TreeJoint;
pub use place::TreePlace;
pub use tree::{JointForce, LinkId, Tree};
