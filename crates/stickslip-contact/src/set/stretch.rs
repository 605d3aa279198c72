//! Friction sets in other units of spin.

use super::{ConvexSet, Polyhedron, UserSet, project_by_support_point};
use std::sync::Arc;

/// The set with its third axis multiplied by a factor > 0.
pub(crate) fn stretched(set: &ConvexSet, factor: f64) -> ConvexSet {
    if factor == 1.0 || set.dimension() < 3 {
        return set.clone();
    }
    match set {
        ConvexSet::Ellipsoid(axes) => {
            let mut axes = axes.clone();
            axes[2] *= factor;
            ConvexSet::Ellipsoid(axes)
        }
        ConvexSet::Mixed { ellipse, spin } => {
            ConvexSet::Mixed { ellipse: *ellipse, spin: spin * factor }
        }
        ConvexSet::Polyhedron(polyhedron) => {
            let rows: Vec<[f64; 3]> =
                polyhedron.normals().map(|a| [a[0], a[1], a[2] / factor]).collect();
            Polyhedron::new(&rows).map_or_else(|_| set.clone(), ConvexSet::Polyhedron)
        }
        ConvexSet::Custom(inner) => {
            let general = || Arc::new(Stretched { inner: Arc::clone(inner), factor }) as Arc<_>;
            ConvexSet::Custom(inner.stretched(factor).unwrap_or_else(general))
        }
        ConvexSet::Interval | ConvexSet::Disc => set.clone(),
    }
}

#[derive(Clone, Debug)]
struct Stretched {
    inner: Arc<dyn UserSet>,
    factor: f64,
}

impl Stretched {
    fn times(x: &[f64], factor: f64) -> [f64; 3] {
        [x[0], x[1], x[2] * factor]
    }
}

impl UserSet for Stretched {
    fn dimension(&self) -> usize {
        3
    }

    fn project(&self, radius: f64, x: &[f64], out: &mut [f64]) {
        project_by_support_point(|y, out| self.support_point(y, out), radius, x, out);
    }

    fn support(&self, x: &[f64]) -> f64 {
        self.inner.support(&Self::times(x, self.factor))
    }

    fn support_point(&self, x: &[f64], out: &mut [f64]) {
        self.inner.support_point(&Self::times(x, self.factor), out);
        out[2] *= self.factor;
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        self.inner.gauge(&Self::times(x, 1.0 / self.factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::UniformDisc;

    #[test]
    fn every_kind_of_set_is_stretched_alike() {
        let octahedron: Vec<[f64; 3]> = (0..8)
            .map(|i| std::array::from_fn(|j| if i >> j & 1 == 0 { 1.0 } else { -1.0 }))
            .collect();
        for set in [
            ConvexSet::Ellipsoid(vec![1.0, 0.7, 0.3]),
            ConvexSet::Mixed { ellipse: [1.0, 0.7], spin: 0.3 },
            ConvexSet::Polyhedron(Polyhedron::new(&octahedron).unwrap()),
            ConvexSet::Custom(Arc::new(UniformDisc::new(0.8).unwrap())),
        ] {
            let wide = stretched(&set, 5.0);
            for x in [[0.3, -0.2, 0.5], [1.0, 0.0, 0.0], [0.0, 0.1, -2.0]] {
                let gauge = set.gauge(&[x[0], x[1], x[2] / 5.0]);
                assert!((wide.gauge(&x) - gauge).abs() < 1e-9 * gauge, "{set:?}");
                let support = set.support(&[x[0], x[1], x[2] * 5.0]);
                assert!((wide.support(&x) - support).abs() < 1e-9 * support, "{set:?}");
                let mut p = [0.0; 3];
                wide.project(0.1, &x, &mut p);
                assert!(wide.gauge(&p) <= 0.1 + 1e-9, "{set:?}");
                let off: [f64; 3] = std::array::from_fn(|i| x[i] - p[i]);
                let power: f64 = off.iter().zip(p).map(|(o, p)| o * p).sum();
                assert!((power - 0.1 * wide.support(&off)).abs() < 1e-8, "{set:?}");
            }
        }
    }
}
