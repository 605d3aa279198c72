//! Friction sets.

use crate::Error;

/// A convex compact set F with 0 in its interior.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ConvexSet {
    /// The interval [−1, 1].
    Interval,
    /// The unit disc.
    Disc,
    /// An ellipsoid with these semi-axes.
    Ellipsoid(Vec<f64>),
}

impl ConvexSet {
    /// The dimension of the space.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Interval => 1,
            Self::Disc => 2,
            Self::Ellipsoid(e) => e.len(),
        }
    }

    /// Refuses bad data.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }

    /// The nearest point of radius F.
    pub fn project(&self, radius: f64, x: &[f64], out: &mut [f64]) {
        let g = self.gauge(x);
        let s = if g <= radius { 1.0 } else { radius / g };
        out.iter_mut().zip(x).for_each(|(o, x)| *o = s * x);
    }

    /// sup xᵀf over F.
    pub fn support(&self, x: &[f64]) -> f64 {
        match self {
            Self::Ellipsoid(e) => x.iter().zip(e).map(|(x, e)| (x * e).powi(2)).sum::<f64>().sqrt(),
            _ => x.iter().map(|x| x * x).sum::<f64>().sqrt(),
        }
    }

    /// The least t ≥ 0 with x ∈ t F.
    pub fn gauge(&self, x: &[f64]) -> f64 {
        match self {
            Self::Ellipsoid(e) => x.iter().zip(e).map(|(x, e)| (x / e).powi(2)).sum::<f64>().sqrt(),
            _ => x.iter().map(|x| x * x).sum::<f64>().sqrt(),
        }
    }
}
