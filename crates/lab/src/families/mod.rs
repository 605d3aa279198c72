//! The families: a new one is a function in one of the files here and a line in the list.
//!
//! Each function says in its comment by which theorem its instances are solvable or not. "CPS" is
//! Cottle, Pang and Stone, "The Linear Complementarity Problem".

mod copositive;
mod definite;
mod degenerate;
mod friction;
mod hard;
mod mixed;
mod p_matrix;
mod scaled;
mod semidefinite;

use crate::instance::{Family, MixedFamily};

const fn demanded(
    group: &'static str,
    name: &'static str,
    make: fn(&mut stickslip_studies::Draw, usize) -> crate::instance::Plain,
) -> Family {
    Family { name, group, demanded: true, make }
}

const fn extra(
    name: &'static str,
    make: fn(&mut stickslip_studies::Draw, usize) -> crate::instance::Plain,
) -> Family {
    Family { name, group: "hard", demanded: false, make }
}

const PLAIN: &[Family] = &[
    demanded("positive definite", "pd_symmetric", definite::symmetric),
    demanded("positive definite", "pd_unsymmetric", definite::unsymmetric),
    demanded("positive definite", "pd_ill_conditioned", definite::ill_conditioned),
    demanded("semidefinite, solvable", "psd_symmetric", semidefinite::symmetric),
    demanded("semidefinite, solvable", "psd_unsymmetric", semidefinite::unsymmetric),
    demanded("semidefinite, solvable", "psd_quadratic_program", semidefinite::quadratic_program),
    demanded("semidefinite, unsolvable", "psd_laplacian_infeasible", semidefinite::laplacian),
    demanded("semidefinite, unsolvable", "psd_skew_infeasible", semidefinite::infeasible_program),
    demanded("P, unsymmetric", "p_triangular", p_matrix::triangular),
    demanded("P, unsymmetric", "p_murty", p_matrix::murty),
    demanded("P, unsymmetric", "p_fathi", p_matrix::fathi),
    demanded("P, unsymmetric", "p_m_matrix", p_matrix::m_matrix),
    demanded("P, unsymmetric", "p_h_matrix", p_matrix::h_matrix),
    demanded("copositive-plus", "copositive_blocks", copositive::blocks),
    demanded("copositive-plus", "copositive_strict", copositive::strict),
    demanded("friction, planar", "planar_glocker_studer", friction::planar_glocker_studer),
    demanded("friction, planar", "planar_stewart_trinkle", friction::planar_stewart_trinkle),
    demanded("friction, spatial", "spatial_stewart_trinkle", friction::spatial_stewart_trinkle),
    demanded("friction, spatial", "spatial_phantom_inertia", friction::spatial_phantom_inertia),
    demanded("stacks", "stack_glocker_studer", friction::stack_glocker_studer),
    demanded("stacks", "stack_stewart_trinkle", friction::stack_stewart_trinkle),
    demanded("stacks", "stack_boxes", friction::stack_boxes),
    demanded("degenerate", "degenerate_ties", degenerate::ties),
    demanded("degenerate", "degenerate_zero_q", degenerate::zero_q),
    demanded("degenerate", "degenerate_duplicates", degenerate::duplicates),
    demanded("degenerate", "degenerate_identity", degenerate::identity),
    demanded("degenerate", "degenerate_transport", degenerate::transport),
    demanded("badly scaled", "scaled_definite", scaled::definite),
    demanded("badly scaled", "scaled_semidefinite", scaled::semidefinite),
    demanded("badly scaled", "scaled_infeasible", scaled::infeasible),
    demanded("badly scaled", "scaled_p", scaled::p),
    demanded("badly scaled", "scaled_copositive", scaled::copositive),
    demanded("badly scaled", "scaled_friction", scaled::friction),
    demanded("badly scaled", "scaled_degenerate", scaled::degenerate),
    extra("hard_planted", hard::planted),
    extra("hard_copositive", copositive::large_blocks),
    extra("hard_triangular", hard::triangular),
    extra("hard_any", hard::any),
    extra("hard_feasible_unsolvable", hard::feasible_unsolvable),
];

const MIXED: &[MixedFamily] = &[
    demanded_mixed("mixed, joints", "mixed_joints", mixed::joints),
    demanded_mixed("mixed, joints", "mixed_joints_friction", mixed::joints_friction),
    demanded_mixed("mixed, joints", "mixed_chain", mixed::chain),
    demanded_mixed("mixed, boxed", "mixed_box_definite", mixed::box_definite),
    demanded_mixed("mixed, boxed", "mixed_box_friction", mixed::box_friction),
    demanded_mixed("mixed, programs", "mixed_quadratic_program", mixed::quadratic_program),
    demanded_mixed("mixed, programs", "mixed_inconsistent", mixed::inconsistent),
    MixedFamily { name: "mixed_box_any", group: "hard", demanded: false, make: mixed::box_any },
];

const fn demanded_mixed(
    group: &'static str,
    name: &'static str,
    make: fn(&mut stickslip_studies::Draw, usize) -> crate::instance::Mixed,
) -> MixedFamily {
    MixedFamily { name, group, demanded: true, make }
}

/// Every family of plain problems, in the order of reports.
pub fn plain_families() -> &'static [Family] {
    PLAIN
}

/// Every family of mixed problems, in the order of reports.
pub fn mixed_families() -> &'static [MixedFamily] {
    MIXED
}

/// The plain family with this name.
pub fn plain_family(name: &str) -> Option<&'static Family> {
    PLAIN.iter().find(|f| f.name == name)
}

/// The mixed family with this name.
pub fn mixed_family(name: &str) -> Option<&'static MixedFamily> {
    MIXED.iter().find(|f| f.name == name)
}
