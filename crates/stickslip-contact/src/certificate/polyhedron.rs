//! The nearest point of a polyhedron { c : a_j·c ≤ r } in at most three dimensions, by the dual active-set method of Goldfarb
//! and Idnani: the most violated facet joins the active ones, those whose multiplier would turn negative leave.
//!
//! The end is checked: the point is inside, and what is left of x is a sum of active normals with multipliers ≥ 0. By
//! convexity it is then the nearest one.

use super::ROUNDING;
use super::norm;
use crate::set::Polyhedron;

type Vector = [f64; 3];

/// How much of an end that fails its check is still rounding of the steps to it.
const PRECISION: f64 = 1e-13;

/// A normal is one of the active ones combined if no more than this is left of it; two facets differ by more than that, as
/// a polyhedron reaches at most 10⁸ times as far as its nearest facet.
const DEPENDENT: f64 = 1e-12;

/// The method ends by itself, after a few facets per dimension; this is a bound for numbers that are not finite.
const MOST_STEPS: usize = 1000;

/// The nearest point of `radius` times the polyhedron with rows a_j `stretch`, and how far it can be from that: 0 where the
/// check holds to rounding.
pub(super) fn project(
    set: &Polyhedron,
    stretch: &Vector,
    radius: f64,
    x: &Vector,
) -> (Vector, f64) {
    let facets = Facets { set, stretch, radius, rounding: ROUNDING * norm(x) };
    let mut active =
        Active { count: 0, most: set.dimension(), normals: [[0.0; 3]; 3], multipliers: [0.0; 3] };
    let mut p = *x;
    for _ in 0..MOST_STEPS {
        let Some((normal, violation)) = facets.most_violated(&p) else { break };
        if !active.join(normal, violation, &mut p) {
            break;
        }
    }
    let error = facets.worst(&p).max(active.left_over(x, &p));
    let rounding = PRECISION * (norm(x) + norm(&p));
    (p, if error <= rounding { 0.0 } else { error })
}

struct Facets<'a> {
    set: &'a Polyhedron,
    stretch: &'a Vector,
    radius: f64,
    /// Of a distance.
    rounding: f64,
}

impl Facets<'_> {
    /// Unit normals, and how far p is beyond each facet.
    fn distances(&self, p: &Vector) -> impl Iterator<Item = (Vector, f64)> {
        let p = *p;
        self.set.normals().map(move |row| {
            let mut a = [0.0; 3];
            for ((a, r), s) in a.iter_mut().zip(row).zip(self.stretch) {
                *a = r * s;
            }
            let length = norm(&a);
            let unit = a.map(|c| c / length);
            (unit, dot(&unit, &p) - self.radius / length)
        })
    }

    /// The facet that p is farthest beyond, by more than rounding.
    fn most_violated(&self, p: &Vector) -> Option<(Vector, f64)> {
        let mut most = None;
        for (normal, distance) in self.distances(p) {
            if distance > most.map_or(self.rounding, |(_, d)| d) {
                most = Some((normal, distance));
            }
        }
        most
    }

    /// How far p is beyond the worst facet; not a number if one of them is.
    fn worst(&self, p: &Vector) -> f64 {
        let larger = |m: f64, d: f64| if m.is_nan() || m >= d { m } else { d };
        self.distances(p).fold(0.0, |m, (_, d)| larger(m, d))
    }
}

/// Facets that hold the point, with x − p = Σ multiplier · normal.
struct Active {
    count: usize,
    most: usize,
    normals: [Vector; 3],
    multipliers: [f64; 3],
}

impl Active {
    /// Moves p on to a facet beyond which it lies, along the active ones as far as they hold. False where no point of the
    /// polyhedron is left, which its own checks exclude: numbers are not finite.
    fn join(&mut self, normal: Vector, mut violation: f64, p: &mut Vector) -> bool {
        let mut multiplier = 0.0;
        loop {
            let (shares, rest) = self.split(&normal);
            let square = dot(&rest, &rest);
            let full = if self.count < self.most && square > DEPENDENT * DEPENDENT {
                violation / square
            } else {
                f64::INFINITY
            };
            let (mut step, mut leaves) = (full, None);
            for k in 0..self.count {
                if shares[k] > 0.0 && self.multipliers[k] < step * shares[k] {
                    (step, leaves) = (self.multipliers[k] / shares[k], Some(k));
                }
            }
            if !step.is_finite() {
                return false;
            }
            for k in 0..self.count {
                self.multipliers[k] -= step * shares[k];
            }
            multiplier += step;
            if full < f64::INFINITY {
                for (p, r) in p.iter_mut().zip(&rest) {
                    *p -= step * r;
                }
                violation -= step * square;
            }
            let Some(k) = leaves else {
                self.normals[self.count] = normal;
                self.multipliers[self.count] = multiplier;
                self.count += 1;
                return true;
            };
            self.count -= 1;
            self.normals.swap(k, self.count);
            self.multipliers.swap(k, self.count);
        }
    }

    /// A vector as a combination of the active normals, and what is left of it, at right angles to all of them.
    fn split(&self, v: &Vector) -> (Vector, Vector) {
        // Gram-Schmidt, twice for its rounding: N = Q R.
        let (mut q, mut r) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
        for k in 0..self.count {
            let mut a = self.normals[k];
            for _ in 0..2 {
                for j in 0..k {
                    let along = dot(&q[j], &a);
                    r[j][k] += along;
                    a = add_scaled(&a, -along, &q[j]);
                }
            }
            r[k][k] = norm(&a);
            q[k] = a.map(|c| c / r[k][k]);
        }
        let (mut rest, mut shares) = (*v, [0.0; 3]);
        for _ in 0..2 {
            for k in 0..self.count {
                let along = dot(&q[k], &rest);
                shares[k] += along;
                rest = add_scaled(&rest, -along, &q[k]);
            }
        }
        for k in (0..self.count).rev() {
            for j in k + 1..self.count {
                shares[k] -= r[k][j] * shares[j];
            }
            shares[k] /= r[k][k];
        }
        (shares, rest)
    }

    /// How much of x − p is not a sum of active normals with multipliers ≥ 0.
    fn left_over(&self, x: &Vector, p: &Vector) -> f64 {
        let mut left = add_scaled(x, -1.0, p);
        for k in 0..self.count {
            left = add_scaled(&left, -self.multipliers[k].max(0.0), &self.normals[k]);
        }
        norm(&left)
    }
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn add_scaled(a: &Vector, s: f64, b: &Vector) -> Vector {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}
