//! The complementarity problem of contacts whose friction is known.

use super::form::factor;
use super::layout::Layout;
use crate::error::Error;
use complementarity::Matrix;
use complementarity::classes::{Classes, Settings, classify};

/// More contacts are not classified.
const CONTACTS: usize = 10;

/// Where no friction is unknown the normal accelerations are B c_n + b': with ξ_N ≥ 0, c_n ≥ 0 and their product zero this
/// is a linear complementarity problem, and the classes of B say what holds for every b.
#[derive(Clone, Debug, PartialEq)]
pub struct Effective {
    /// B = A_nn + A_nT μ f, connections eliminated; one row per contact with a normal.
    pub matrix: Matrix,
    /// Its classes: P if and only if there is exactly one solution for every b.
    pub classes: Classes,
}

impl Effective {
    /// None if some contact's friction is unknown, if there are more than ten, or if connections are redundant.
    pub(super) fn of(layout: &Layout, mu: &[f64]) -> Result<Option<Self>, Error> {
        let unknown = layout.parts.iter().zip(mu).any(|(p, &mu)| {
            let loaded = p.has_friction() && mu > 0.0;
            p.slides.is_none() && (loaded || p.constant)
        });
        let normals: Vec<usize> = layout.parts.iter().filter_map(|p| p.normal).collect();
        if unknown || normals.is_empty() || normals.len() > CONTACTS {
            return Ok(None);
        }
        let base = layout.base();
        let mut b = layout.block(&base, &base);
        for (col, (part, mu)) in
            layout.parts.iter().zip(mu).filter(|(p, _)| p.normal.is_some()).enumerate()
        {
            let Some(f) = part.slides else { continue };
            for (row, f) in layout.friction(part, &f) {
                for (i, &to) in base.iter().enumerate() {
                    b[(i, col)] += mu * f * layout.a[(to, row)];
                }
            }
        }
        let k = normals.len();
        let fixed: Vec<usize> = (k..base.len()).collect();
        let mut top = b.view((0, 0), (k, k)).into_owned();
        if !fixed.is_empty() {
            let rows = &base[k..];
            let Some((chol, _)) = factor(layout.block(rows, rows)) else { return Ok(None) };
            let across = b.view((0, k), (k, fixed.len()));
            let down = b.view((k, 0), (fixed.len(), k)).into_owned();
            top -= across * chol.solve(&down);
        }
        let s = |i: usize| layout.s[normals[i]];
        let matrix = Matrix::from_fn(k, k, |i, j| s(i) * top[(i, j)] * s(j));
        let classes = classify(&matrix, &Settings::default())?;
        Ok(Some(Self { matrix, classes }))
    }
}
