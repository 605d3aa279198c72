//! Vertices and rays of a polyhedron, by the double description method (Motzkin et al. 1953).
//!
//! Notation: a generator is the vector (x, s, τ) of the homogenised polyhedron {x ≥ 0, s = A x + b ≥ 0}, in scaled
//! units; τ > 0 makes it the vertex (x, s)/τ, τ = 0 a ray. In a complementarity problem x is z and s is w.

use crate::linalg::LinearProgram;
use crate::tolerance::{DEPENDENT_DIRECTION, GENERATOR_CANCELLED};

/// Comparisons of generators after which the method is given up, over the square of the limit on generators: a list that
/// stays below the limit can still take its cube.
const EFFORT: usize = 40;
/// An extreme ray of the homogenised polyhedron.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    /// x, then s, then τ.
    pub(crate) values: Vec<f64>,
    /// The inequalities met so far that hold with equality, as bits.
    zeros: u128,
}

/// The bit of τ ≥ 0; those of the other inequalities are below it.
const TAU: usize = 127;

impl Generator {
    /// τ.
    pub(crate) fn weight(&self) -> f64 {
        self.values[self.values.len() - 1]
    }
}

/// The generators of the polyhedron of a feasible linear program; `None` beyond the limit, with more than 127
/// inequalities, or where it takes more than 40 times the limit's square comparisons.
///
/// The cone at the vertex at hand is simplicial: its generators are the vertex and the open columns
/// of the dictionary. The inequalities of the basic variables are then added one by one.
pub(crate) fn generators(lp: &LinearProgram, limit: usize) -> Option<Vec<Generator>> {
    let open: Vec<usize> = (0..lp.len()).filter(|&v| !lp.is_fixed(v)).collect();
    if open.len() > TAU {
        return None;
    }
    let mut list = simplicial_cone(lp);
    let dimension = list.len();
    // Inequalities that hold for all come first: the sign conditions of the columns are among them,
    // and adjacency is right only once these are recorded.
    let (held, cut): (Vec<_>, Vec<_>) =
        open.into_iter().enumerate().partition(|&(_, v)| list.iter().all(|g| g.values[v] >= 0.0));
    held.iter().for_each(|&inequality| mark(&mut list, inequality));
    let mut effort = EFFORT.saturating_mul(limit).saturating_mul(limit.max(1000));
    for inequality in cut {
        add_inequality(&mut list, inequality, dimension, limit, &mut effort)?;
    }
    Some(list)
}

fn simplicial_cone(lp: &LinearProgram) -> Vec<Generator> {
    let n = lp.len();
    let mut vertex = vec![0.0; n + 1];
    lp.scaled_values(&mut vertex[..n]);
    vertex[n] = 1.0;
    let columns: Vec<usize> = lp.open_columns().collect();
    let mut list = vec![vertex];
    for &c in &columns {
        let mut values = vec![0.0; n + 1];
        lp.column(c, &mut values[..n]);
        list.push(values);
    }
    let tau_zero = |values: &[f64]| u128::from(values[n] == 0.0) << TAU;
    let generators = list.into_iter().map(|values| Generator { zeros: tau_zero(&values), values });
    generators.collect()
}

/// Records which generators lie on an inequality: its bit, and its variable.
fn mark(list: &mut [Generator], (bit, v): (usize, usize)) {
    for g in list {
        g.zeros |= u128::from(g.values[v] == 0.0) << bit;
    }
}

/// Cuts the cone with v ≥ 0: generators on the wrong side are replaced by the points where the
/// edges that lead to them meet v = 0. `None` if there are more than the limit, or the effort is spent.
fn add_inequality(
    list: &mut Vec<Generator>,
    (bit, v): (usize, usize),
    dimension: usize,
    limit: usize,
    effort: &mut usize,
) -> Option<()> {
    mark(list, (bit, v));
    let kept = list.iter().filter(|g| g.values[v] >= 0.0).count();
    let mut fresh = Vec::new();
    for (i, up) in list.iter().enumerate().filter(|(_, g)| g.values[v] > 0.0) {
        for (j, down) in list.iter().enumerate().filter(|(_, g)| g.values[v] < 0.0) {
            if adjacent(list, i, j, dimension, effort) {
                fresh.push(meet(up, down, (bit, v)));
            }
            if *effort == 0 || kept + fresh.len() > limit {
                return None;
            }
        }
    }
    list.retain(|g| g.values[v] >= 0.0);
    list.append(&mut fresh);
    (list.len() <= limit).then_some(())
}

/// Two generators span an edge if no third lies on all the inequalities that both lie on.
fn adjacent(list: &[Generator], i: usize, j: usize, dimension: usize, effort: &mut usize) -> bool {
    let common = list[i].zeros & list[j].zeros;
    *effort = effort.saturating_sub(1);
    if (common.count_ones() as usize) + 2 < dimension {
        return false;
    }
    let third =
        list.iter().enumerate().position(|(k, g)| k != i && k != j && g.zeros & common == common);
    *effort = effort.saturating_sub(third.unwrap_or(list.len()));
    third.is_none()
}

fn meet(up: &Generator, down: &Generator, (bit, v): (usize, usize)) -> Generator {
    let (a, b) = (-down.values[v], up.values[v]);
    let mut values: Vec<f64> = Vec::with_capacity(up.values.len());
    for (x, y) in up.values.iter().zip(&down.values) {
        let sum = a * x + b * y;
        let size = (a * x).abs() + (b * y).abs();
        values.push(if sum.abs() <= GENERATOR_CANCELLED * size { 0.0 } else { sum });
    }
    values[v] = 0.0;
    let largest = values.iter().fold(0.0, |l: f64, x| l.max(x.abs()));
    if largest > 0.0 {
        values.iter_mut().for_each(|x| *x /= largest);
    }
    Generator { values, zeros: up.zeros & down.zeros | 1 << bit }
}

/// The dimension of the affine hull of vertices and rays, by Gram-Schmidt.
pub(crate) fn dimension(vertices: &[Vec<f64>], rays: &[Vec<f64>]) -> usize {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let edges = vertices.iter().skip(1).map(|v| {
        let pairs = v.iter().zip(&vertices[0]);
        pairs.map(|(a, b)| a - b).collect::<Vec<f64>>()
    });
    for mut x in edges.chain(rays.iter().cloned()) {
        let size = normalise(&mut x);
        for b in basis.iter().chain(&basis.clone()) {
            let along = crate::matrix::dot(b, &x);
            crate::matrix::axpy(-along, b, &mut x);
        }
        if size > 0.0 && normalise(&mut x) > DEPENDENT_DIRECTION {
            basis.push(x);
        }
    }
    basis.len()
}

fn normalise(x: &mut [f64]) -> f64 {
    let size = crate::matrix::dot(x, x).sqrt();
    if size > 0.0 {
        x.iter_mut().for_each(|x| *x /= size);
    }
    size
}
