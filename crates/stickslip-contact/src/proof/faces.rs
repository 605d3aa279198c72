//! The faces of a friction polyhedron, each as a cell: the friction on it, the slip in its normal cone.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | a_j | normals: F = { c : a_j·c ≤ 1 } |
//! | v_k | corners |
//! | e | along an edge |

use super::cells::{TangentRow, dot};

/// A corner lies on a facet if a·v is 1 to this.
const ON: f64 = 1e-9;

type Vector = [f64; 3];

/// The cells of limit F: stick (the whole of F) first, then facets, edges, corners. Every cell has as many equations as
/// dimensions.
pub(crate) fn polyhedral_cells(
    normals: &[Vector],
    corners: &[Vector],
    d: usize,
) -> Vec<Vec<TangentRow>> {
    // On each facet that is one: its normal and corners.
    let mut facets: Vec<(Vector, Vec<usize>)> = Vec::with_capacity(normals.len());
    for a in normals {
        let on: Vec<usize> =
            (0..corners.len()).filter(|&k| (dot(a, &corners[k]) - 1.0).abs() <= ON).collect();
        if on.len() >= d && !facets.iter().any(|(_, other)| *other == on) {
            facets.push((*a, on));
        }
    }
    let mut cells = vec![stick(&facets, d)];
    if d == 3 {
        cells.extend((0..facets.len()).map(|j| facet(&facets, corners, j)));
    }
    if d >= 2 {
        for_each_edge(&facets, d, |on, ends| cells.push(edge(&facets, corners, on, ends)));
    }
    for k in 0..corners.len() {
        cells.push(corner(&facets, corners, k, d));
    }
    cells
}

fn axis(t: usize) -> Vector {
    let mut e = [0.0; 3];
    e[t] = 1.0;
    e
}

fn slip(xi: Vector, equation: bool) -> TangentRow {
    TangentRow { xi, equation, ..TangentRow::default() }
}

/// limit − a·Λ_T ≥ 0, or = 0.
fn inside(a: &Vector, equation: bool) -> TangentRow {
    TangentRow { lam: a.map(|x| -x), limit: 1.0, equation, ..TangentRow::default() }
}

fn stick(facets: &[(Vector, Vec<usize>)], d: usize) -> Vec<TangentRow> {
    let rows = (0..d).map(|t| slip(axis(t), true));
    rows.chain(facets.iter().map(|(a, _)| inside(a, false))).collect()
}

/// A facet in three dimensions: −ξ_T = κ a.
fn facet(facets: &[(Vector, Vec<usize>)], corners: &[Vector], j: usize) -> Vec<TangentRow> {
    let (a, on) = &facets[j];
    let neighbours = facets
        .iter()
        .enumerate()
        .filter(|(i, (_, other))| *i != j && other.iter().filter(|k| on.contains(k)).count() >= 2);
    let along = sub(&corners[on[1]], &corners[on[0]]);
    let across = cross(a, &along);
    let mut rows =
        vec![inside(a, true), slip(along, true), slip(across, true), slip(a.map(|x| -x), false)];
    rows.extend(neighbours.map(|(_, (a, _))| inside(a, false)));
    rows
}

/// The edges, each once: the facets it lies on (one in two dimensions) and its two ends.
fn for_each_edge(
    facets: &[(Vector, Vec<usize>)],
    d: usize,
    mut visit: impl FnMut(&[usize], [usize; 2]),
) {
    for (j, (_, on)) in facets.iter().enumerate() {
        if d == 2 {
            visit(&[j], [on[0], on[1]]);
            continue;
        }
        for (i, (_, other)) in facets.iter().enumerate().skip(j + 1) {
            let common: Vec<usize> = on.iter().copied().filter(|k| other.contains(k)).collect();
            if let [from, to] = common[..] {
                visit(&[j, i], [from, to]);
            }
        }
    }
}

fn edge(
    facets: &[(Vector, Vec<usize>)],
    corners: &[Vector],
    on: &[usize],
    [from, to]: [usize; 2],
) -> Vec<TangentRow> {
    let e = sub(&corners[to], &corners[from]);
    let mut rows: Vec<TangentRow> = on.iter().map(|&j| inside(&facets[j].0, true)).collect();
    rows.push(slip(e, true));
    // limit v_from ≤ Λ_T ≤ limit v_to along the edge.
    let (low, high) = (dot(&corners[from], &e), dot(&corners[to], &e));
    rows.push(TangentRow { lam: e, limit: -low, ..TangentRow::default() });
    rows.push(TangentRow { lam: e.map(|x| -x), limit: high, ..TangentRow::default() });
    if let [j] = on {
        rows.push(slip(facets[*j].0.map(|x| -x), false));
    }
    for &j in on.iter().filter(|_| on.len() == 2) {
        // Of a facet's corners the one farthest from the edge bounds the normal cone.
        let depth = |k: usize| distance(&sub(&corners[k], &corners[from]), &e);
        let far = facets[j].1.iter().copied().max_by(|&k, &l| depth(k).total_cmp(&depth(l)));
        if let Some(far) = far {
            rows.push(slip(sub(&corners[far], &corners[from]), false));
        }
    }
    rows
}

/// Λ_T = limit v; −ξ_T·(v − v_k) ≥ 0 for the corners of the facets around.
fn corner(
    facets: &[(Vector, Vec<usize>)],
    corners: &[Vector],
    at: usize,
    d: usize,
) -> Vec<TangentRow> {
    let v = corners[at];
    let mut rows: Vec<TangentRow> = (0..d)
        .map(|t| TangentRow { lam: axis(t), limit: -v[t], equation: true, ..TangentRow::default() })
        .collect();
    if d == 1 {
        rows.push(slip(v.map(|x| -x), false));
        return rows;
    }
    let around = facets.iter().filter(|(_, on)| on.contains(&at));
    let mut near: Vec<usize> = around.flat_map(|(_, on)| on.iter().copied()).collect();
    near.sort_unstable();
    near.dedup();
    for k in near.into_iter().filter(|&k| k != at) {
        rows.push(slip(sub(&corners[k], &v), false));
    }
    rows
}

fn sub(a: &Vector, b: &Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// How far v is from the line along e, times |e|.
fn distance(v: &Vector, e: &Vector) -> f64 {
    let c = cross(v, e);
    dot(&c, &c)
}
