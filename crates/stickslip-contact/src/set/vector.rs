//! Vectors of up to three components, on the stack, safe against overflow.

use super::MAX_DIMENSION;

/// A vector; components beyond the dimension of a set are zero.
pub(crate) type Vector = [f64; MAX_DIMENSION];

/// The first components of a slice; those that it lacks are zero.
pub(crate) fn load(x: &[f64]) -> Vector {
    let mut v = [0.0; MAX_DIMENSION];
    for (a, b) in v.iter_mut().zip(x) {
        *a = *b;
    }
    v
}

/// Writes as many components as both have.
pub(crate) fn store(v: &Vector, out: &mut [f64]) {
    for (a, b) in out.iter_mut().zip(v) {
        *a = *b;
    }
}

pub(crate) fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn sub(a: &Vector, b: &Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn add_scaled(a: &Vector, s: f64, b: &Vector) -> Vector {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

pub(crate) fn scale(s: f64, a: &Vector) -> Vector {
    a.map(|x| s * x)
}

/// The largest magnitude; NaN if any component is NaN.
pub(crate) fn max_abs(v: &Vector) -> f64 {
    let mut m = 0.0_f64;
    for &x in v {
        if x.is_nan() {
            return x;
        }
        m = m.max(x.abs());
    }
    m
}

/// The Euclidean norm, right wherever it is representable.
pub(crate) fn norm(v: &Vector) -> f64 {
    let s = dot(v, v);
    // Squares neither overflow nor lose digits to underflow in this range.
    if s > 1e-280 && s < 1e280 {
        return s.sqrt();
    }
    let m = max_abs(v);
    if m == 0.0 || !m.is_finite() {
        return m;
    }
    let w = v.map(|x| x / m);
    m * dot(&w, &w).sqrt()
}

/// v/|v|, or zero for zero.
pub(crate) fn unit(v: &Vector) -> Vector {
    let m = max_abs(v);
    if m == 0.0 {
        return *v;
    }
    let w = v.map(|x| x / m);
    let n = dot(&w, &w).sqrt();
    w.map(|x| x / n)
}
