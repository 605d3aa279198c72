//! The other families in bad units: rows and unknowns multiplied by up to 10^±8.
//!
//! If z solves (M, q) then C⁻¹z solves (RMC, Rq) for positive diagonal R and C, so what is known
//! stays true. The factors are the powers of two nearest to powers of ten: no digit is lost.

use super::{copositive, degenerate as ties, friction as contacts, p_matrix, semidefinite as psd};
use crate::instance::Plain;
use stickslip_studies::Draw;

type Make = fn(&mut Draw, usize) -> Plain;

pub(super) fn definite(d: &mut Draw, n: usize) -> Plain {
    use super::definite::{ill_conditioned, symmetric, unsymmetric};
    any_of(d, n, &[symmetric, unsymmetric, ill_conditioned])
}

pub(super) fn semidefinite(d: &mut Draw, n: usize) -> Plain {
    any_of(d, n, &[psd::symmetric, psd::unsymmetric, psd::quadratic_program])
}

pub(super) fn infeasible(d: &mut Draw, n: usize) -> Plain {
    any_of(d, n, &[psd::laplacian, psd::infeasible_program])
}

pub(super) fn p(d: &mut Draw, n: usize) -> Plain {
    any_of(d, n, &[p_matrix::triangular, p_matrix::m_matrix, p_matrix::h_matrix])
}

pub(super) fn copositive(d: &mut Draw, n: usize) -> Plain {
    any_of(d, n, &[copositive::blocks, copositive::strict])
}

pub(super) fn friction(d: &mut Draw, n: usize) -> Plain {
    any_of(
        d,
        n,
        &[
            contacts::planar_glocker_studer,
            contacts::planar_stewart_trinkle,
            contacts::spatial_stewart_trinkle,
            contacts::spatial_phantom_inertia,
            contacts::stack_glocker_studer,
            contacts::stack_stewart_trinkle,
            contacts::stack_boxes,
        ],
    )
}

pub(super) fn degenerate(d: &mut Draw, n: usize) -> Plain {
    any_of(d, n, &[ties::ties, ties::duplicates, ties::identity, ties::transport])
}

fn any_of(d: &mut Draw, n: usize, families: &[Make]) -> Plain {
    let make = families[d.index(families.len())];
    let plain = make(d, n);
    rescale(d, plain)
}

fn rescale(d: &mut Draw, mut plain: Plain) -> Plain {
    let n = plain.q.len();
    let mut factor = || (d.between(-8.0, 8.0) * std::f64::consts::LOG2_10).round().exp2();
    let rows: Vec<f64> = (0..n).map(|_| factor()).collect();
    let cols: Vec<f64> = (0..n).map(|_| factor()).collect();
    for i in 0..n {
        for (v, c) in plain.m.row_mut(i).iter_mut().zip(&cols) {
            *v *= rows[i] * c;
        }
        plain.q[i] *= rows[i];
    }
    if let Some(z) = &mut plain.solution {
        for (z, c) in z.iter_mut().zip(&cols) {
            *z /= c;
        }
    }
    plain
}
