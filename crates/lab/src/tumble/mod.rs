//! Free rotation and a box that falls on a plane, with rigid bodies and with bodies of four point masses.

mod drop;
mod elliptic;
mod free;
mod taylor;

pub use drop::{Landed, drop_box, edges};
pub use elliptic::{FreeRotor, jacobi};
pub use free::{Errors, Variant, nanoseconds_per_step, run_free};
pub use taylor::taylor;

/// The slope of the line through the logarithms of points, by least squares.
pub fn fitted_order(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let logs: Vec<(f64, f64)> = points.map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let top: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    top / logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}
