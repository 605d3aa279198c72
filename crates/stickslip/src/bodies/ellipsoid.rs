//! The point of an ellipsoid that lies farthest against a direction, and how it moves along the surface as the direction turns.

use glam::DVec3;

/// The point of the ellipsoid with these half axes that lies farthest against `n`, from its centre and in its axes.
///
/// On the surface xᵀ A⁻² x = 1 the outer normal at x is along A⁻² x. It is along −n for x = −A² n / √(nᵀ A² n).
pub(super) fn lowest(axes: DVec3, n: DVec3) -> DVec3 {
    let (down, size) = scaled(axes, n);
    -down / size
}

/// The rate of [`lowest`] as `n` changes with the rate `turn`, all in the axes of the ellipsoid.
pub(super) fn lowest_rate(axes: DVec3, n: DVec3, turn: DVec3) -> DVec3 {
    let (down, size) = scaled(axes, n);
    let (change, _) = scaled(axes, turn);
    (down * (down.dot(turn) / (size * size)) - change) / size
}

/// A² n and √(nᵀ A² n).
fn scaled(axes: DVec3, n: DVec3) -> (DVec3, f64) {
    (axes * axes * n, (axes * n).length())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_point_is_on_the_surface_and_no_other_is_lower() {
        let (axes, n) = (DVec3::new(0.2, 0.03, 0.02), DVec3::new(0.36, -0.48, 0.8));
        let found = lowest(axes, n);
        assert!(((found / axes).length() - 1.0).abs() < 1e-15);
        for i in 0..1000 {
            let i = f64::from(i);
            let (height, around) = ((0.7 * i).sin(), 2.4 * i);
            let (sin, cos) = around.sin_cos();
            let out = (1.0 - height * height).sqrt();
            let other = axes * DVec3::new(out * cos, out * sin, height);
            assert!(other.dot(n) >= found.dot(n));
        }
    }
}
