//! How much work two friction forces can do on each other: bounds on |fᵀ B g| over f in one set and g in another.

use crate::set::ConvexSet;
use nalgebra::DMatrix;

/// A polyhedron with more corners is replaced by the box around it.
const CORNERS: usize = 64;
/// What rounding may take from a norm.
const UP: f64 = 1.0 + 1e-12;
/// Products of numbers below this do not overflow.
const HUGE: f64 = 1e150;

/// A friction set, or something around it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// A sum of ellipsoids in components of their own: first component and semi-axes of each.
    Round(Vec<(usize, Vec<f64>)>),
    /// The hull of points.
    Hull(Vec<Vec<f64>>),
}

impl Shape {
    /// The set itself but for polyhedra with many corners and a user's own, of which it is the box around them.
    pub(super) fn around(set: &ConvexSet) -> Self {
        let d = set.dimension();
        match set {
            ConvexSet::Interval => Self::Round(vec![(0, vec![1.0])]),
            ConvexSet::Disc => Self::Round(vec![(0, vec![1.0; 2])]),
            ConvexSet::Ellipsoid(axes) => Self::Round(vec![(0, axes.clone())]),
            ConvexSet::Mixed { ellipse, spin } => {
                Self::Round(vec![(0, ellipse.to_vec()), (2, vec![*spin])])
            }
            ConvexSet::Polyhedron(p) if p.vertices().len() <= CORNERS => {
                Self::Hull(p.vertices().map(<[f64]>::to_vec).collect())
            }
            _ => Self::Hull(box_around(set, d)),
        }
    }

    /// Semi-axes of an ellipsoid that contains the set.
    pub(super) fn ellipsoid(&self) -> Vec<f64> {
        match self {
            Self::Round(parts) => {
                // In each part |x/a| ≤ 1, so that the sum of the squares is at most their number.
                let stretch = (parts.len() as f64).sqrt();
                parts.iter().flat_map(|(_, axes)| axes.iter().map(move |a| stretch * a)).collect()
            }
            Self::Hull(points) => {
                let d = points.first().map_or(0, Vec::len);
                let reach = |k: usize| points.iter().fold(0.0_f64, |m, p| m.max(p[k].abs()));
                let axes: Vec<f64> = (0..d).map(reach).collect();
                let size = |p: &Vec<f64>| {
                    let squares = p.iter().zip(&axes).map(|(p, a)| (p / a).powi(2));
                    squares.sum::<f64>().sqrt()
                };
                let stretch = UP * points.iter().map(size).fold(0.0, f64::max);
                axes.iter().map(|a| stretch * a).collect()
            }
        }
    }

    /// max xᵀf.
    fn support(&self, x: &[f64]) -> f64 {
        match self {
            Self::Round(parts) => parts
                .iter()
                .map(|(first, axes)| {
                    let squares = axes.iter().zip(&x[*first..]).map(|(a, x)| (a * x).powi(2));
                    squares.sum::<f64>().sqrt()
                })
                .sum(),
            Self::Hull(points) => points.iter().map(|p| dot(p, x)).fold(0.0, f64::max),
        }
    }
}

/// At least max |fᵀ B g| over f in the first set and g in the second; infinite where numbers overflow.
pub(super) fn work(f: &Shape, b: &DMatrix<f64>, g: &Shape) -> f64 {
    // A maximum passes over what is not a number, and would then be too small.
    if !is_moderate(b) {
        return f64::INFINITY;
    }
    let value = match (f, g) {
        (Shape::Round(f), Shape::Round(g)) => {
            let pairs = f.iter().flat_map(|p| g.iter().map(move |q| (p, q)));
            pairs
                .map(|((r, p), (c, q))| {
                    let part =
                        DMatrix::from_fn(p.len(), q.len(), |i, j| p[i] * b[(r + i, c + j)] * q[j]);
                    if !is_moderate(&part) {
                        return f64::INFINITY;
                    }
                    part.singular_values().iter().fold(0.0_f64, |m, v| m.max(*v))
                })
                .sum()
        }
        (Shape::Hull(points), other) => farthest(points, b, other),
        (other, Shape::Hull(points)) => farthest(points, &b.transpose(), other),
    };
    UP * value
}

fn is_moderate(b: &DMatrix<f64>) -> bool {
    b.iter().all(|v| v.abs() < HUGE)
}

fn farthest(points: &[Vec<f64>], b: &DMatrix<f64>, other: &Shape) -> f64 {
    let sides = points.iter().flat_map(|p| {
        let x: Vec<f64> = (0..b.ncols())
            .map(|j| p.iter().enumerate().map(|(i, p)| p * b[(i, j)]).sum())
            .collect();
        let back: Vec<f64> = x.iter().map(|v| -v).collect();
        [other.support(&x), other.support(&back)]
    });
    sides.fold(0.0, f64::max)
}

fn box_around(set: &ConvexSet, d: usize) -> Vec<Vec<f64>> {
    let reach = |k: usize, sign: f64| {
        let mut x = vec![0.0; d];
        x[k] = sign;
        sign * set.support(&x)
    };
    (0..1_usize << d)
        .map(|c| (0..d).map(|k| reach(k, if c >> k & 1 == 0 { -1.0 } else { 1.0 })).collect())
        .collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Polyhedron;

    #[test]
    fn no_pair_of_friction_forces_does_more_work_than_the_bound_and_corners_reach_it() {
        let square = Polyhedron::symmetric(&[[1.0, 0.0], [0.0, 2.0]]).unwrap();
        let sets = [
            ConvexSet::Disc,
            ConvexSet::Ellipsoid(vec![0.5, 2.0]),
            ConvexSet::Ellipsoid(vec![1.0, 0.4, 0.1]),
            ConvexSet::Mixed { ellipse: [1.0, 0.4], spin: 0.3 },
            ConvexSet::Polyhedron(square),
        ];
        let mut seed = 1_u64;
        let mut draw = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005_u64).wrapping_add(1);
            (seed >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        };
        for f in &sets {
            for g in &sets {
                let b = DMatrix::from_fn(f.dimension(), g.dimension(), |_, _| draw());
                let (outer_f, outer_g) = (Shape::around(f), Shape::around(g));
                let most = work(&outer_f, &b, &outer_g);
                let mut best = 0.0_f64;
                for _ in 0..2000 {
                    let (mut p, mut q) = ([0.0; 3], [0.0; 3]);
                    let x: Vec<f64> = (0..f.dimension()).map(|_| draw()).collect();
                    let y: Vec<f64> = (0..g.dimension()).map(|_| draw()).collect();
                    f.support_point(&x, &mut p[..x.len()]);
                    g.support_point(&y, &mut q[..y.len()]);
                    let value: f64 = (0..x.len())
                        .map(|i| (0..y.len()).map(|j| p[i] * b[(i, j)] * q[j]).sum::<f64>())
                        .sum();
                    best = best.max(value.abs());
                    let axes = outer_f.ellipsoid();
                    let inside: f64 = (0..x.len()).map(|i| (p[i] / axes[i]).powi(2)).sum();
                    assert!(inside <= 1.0 + 1e-9, "{f:?}: {inside}");
                }
                assert!(best <= most, "{f:?} {g:?}: {best} {most}");
                let exact =
                    !matches!(f, ConvexSet::Mixed { .. }) && !matches!(g, ConvexSet::Mixed { .. });
                assert!(!exact || best > 0.9 * most, "{f:?} {g:?}: {best} {most}");
            }
        }
    }
}
