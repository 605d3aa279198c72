//! Sets of the user's own.

use std::fmt::Debug;

use super::vector::{Vector, add_scaled, dot, load, max_abs, norm, scale, store, sub, unit};

/// A convex compact set F with the origin in its interior, given by functions.
///
/// [`dimension`](UserSet::dimension), [`project`](UserSet::project) and
/// [`support`](UserSet::support) are needed; the rest follows from them, and may be given where a
/// closed form is known. Where the farthest points are known and the projection is not,
/// [`project_by_support_point`] is one. [`UniformDisc`](super::UniformDisc) is an
/// example.
///
/// A method gets slices of length `dimension`, finite numbers, and a radius ≥ 0. It must not panic.
pub trait UserSet: Debug + Send + Sync {
    /// The dimension of the space F lives in: 1, 2 or 3.
    fn dimension(&self) -> usize;

    /// The nearest point to x of radius · F.
    fn project(&self, radius: f64, x: &[f64], out: &mut [f64]);

    /// h(x) = max { x·f : f in F }.
    fn support(&self, x: &[f64]) -> f64;

    /// A point of F with x·f = h(x).
    ///
    /// The default projects a point far out in direction x; on a strictly convex set it is good to
    /// about 10⁻⁸, on a polyhedron to rounding.
    fn support_point(&self, x: &[f64], out: &mut [f64]) {
        let direction = unit(&load(x));
        if max_abs(&direction) == 0.0 {
            out.fill(0.0);
            return;
        }
        let far = 1e8 * self.support(&direction[..x.len().min(direction.len())]);
        self.project(1.0, &scale(far, &direction)[..x.len().min(3)], out);
    }

    /// The least t ≥ 0 with x in t F.
    ///
    /// The default raises t along supporting planes, t ← n·x / h(n) with n normal to t F at the
    /// projection of x: Newton's method on the distance, from below. A few projections.
    fn gauge(&self, x: &[f64]) -> f64 {
        gauge_by_projection(self, x)
    }
}

fn gauge_by_projection<S: UserSet + ?Sized>(set: &S, x: &[f64]) -> f64 {
    let v = load(x);
    let big = max_abs(&v);
    if !(big > 0.0) {
        return big;
    }
    let dimension = x.len().min(3);
    let v = scale(1.0 / big, &v);
    let mut t = 0.0;
    let mut normal = v;
    for _ in 0..100 {
        let raised = dot(&normal, &v) / set.support(&normal[..dimension]);
        if !(raised > t * (1.0 + f64::EPSILON)) {
            break;
        }
        t = raised;
        let mut nearest = [0.0; 3];
        set.project(t, &v[..dimension], &mut nearest[..dimension]);
        normal = unit(&sub(&v, &nearest));
        if max_abs(&normal) == 0.0 {
            break;
        }
    }
    t * big
}

/// The nearest point to x of radius · F, for a strictly convex F of which only the farthest points are known.
///
/// `support_point(y, out)` gives the point of F that is farthest in direction y. What is left of x,
/// y = x − p, solves y + radius · s(y) = x (Moreau): a strongly monotone equation, whose residual
/// bounds the error of p. It is solved by Newton's method with differences of s and a line search on
/// ½|y|² + radius · h(y) − x·y; each step asks for at most four points and those of the search.
///
/// Where the residual does not come down to rounding (F has corners or edges: s jumps), `out` is filled with NaN.
pub fn project_by_support_point(
    support_point: impl Fn(&[f64], &mut [f64]),
    radius: f64,
    x: &[f64],
    out: &mut [f64],
) {
    let d = x.len().min(3);
    let full = load(x);
    let unit_of_length = max_abs(&full).max(radius);
    if !(unit_of_length > 0.0) || !unit_of_length.is_finite() {
        out.fill(if unit_of_length == 0.0 { 0.0 } else { f64::NAN });
        return;
    }
    let problem = Prox {
        support_point: |y: &Vector| {
            let mut s = [0.0; 3];
            support_point(&y[..d], &mut s[..d]);
            s
        },
        dimension: d,
        radius: radius / unit_of_length,
        x: full.map(|c| c / unit_of_length),
    };
    match problem.solve() {
        Some(p) => store(&scale(unit_of_length, &p), out),
        None => out.fill(f64::NAN),
    }
}

struct Prox<S> {
    support_point: S,
    dimension: usize,
    radius: f64,
    x: Vector,
}

impl<S: Fn(&Vector) -> Vector> Prox<S> {
    /// The projection, or nothing if the method did not converge.
    fn solve(&self) -> Option<Vector> {
        let mut y = self.start()?;
        for _ in 0..100 {
            let s = (self.support_point)(&y);
            let residual = self.residual(&y, &s);
            let size = norm(&residual);
            // x lies in the set: y has shrunk to nothing.
            if norm(&y) <= 4.0 * f64::EPSILON {
                return Some(self.x);
            }
            if size <= 8.0 * f64::EPSILON {
                return Some(scale(self.radius, &s));
            }
            let step = self.newton_step(&y, &s, &residual);
            match self.search(&y, &s, &step, &residual) {
                Some(next) => y = next,
                None if size <= 1e-13 => return Some(scale(self.radius, &s)),
                None => return None,
            }
        }
        None
    }

    /// A first y: what a ball of about the right size leaves. Nothing if numbers are not finite.
    fn start(&self) -> Option<Vector> {
        let direction = unit(&self.x);
        let s = (self.support_point)(&direction);
        let y = sub(&self.x, &scale(self.radius, &s));
        let fits = norm(&y).is_finite();
        // Along x itself if that passed the surface: any y ≠ 0 will do.
        fits.then(|| if dot(&y, &self.x) > 0.0 { y } else { scale(0.1, &direction) })
    }

    fn residual(&self, y: &Vector, s: &Vector) -> Vector {
        let mut g = [0.0; 3];
        for i in 0..3 {
            g[i] = y[i] + self.radius * s[i] - self.x[i];
        }
        g
    }

    /// −(I + radius ∇s)⁻¹ g with ∇s by differences of a length that balances truncation and rounding.
    ///
    /// s depends on the direction of y alone and ∇s is symmetric: along y the step is −g, and across it the matrix is
    /// that of differences, symmetric, with the part along y replaced by one that does not spoil its condition.
    fn newton_step(&self, y: &Vector, s: &Vector, g: &Vector) -> Vector {
        let length = norm(y);
        let along = scale(1.0 / length, y);
        let h = self.curvature(y, s, &along);
        let largest = h.iter().fold(1.0_f64, |m, row| m.max(max_abs(row)));
        let mut m = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] = 0.5 * (h[i][j] + h[j][i]) + largest * along[i] * along[j];
            }
            m[i][i] += 1.0;
        }
        let radial = dot(g, &along);
        let across = add_scaled(g, -radial, &along);
        let step = super::matrix3::solve(&m, &scale(-1.0, &across)).unwrap_or(scale(-1.0, &across));
        let step = add_scaled(&step, -dot(&step, &along), &along);
        // Short of the origin, where s jumps.
        add_scaled(&step, (-radial).max(-0.9 * length), &along)
    }

    /// radius ∇s by differences across y.
    fn curvature(&self, y: &Vector, s: &Vector, along: &Vector) -> [Vector; 3] {
        let difference = 1e-6 * norm(y);
        let mut h = [[0.0; 3]; 3];
        for j in 0..self.dimension {
            let mut e = [0.0; 3];
            e[j] = 1.0;
            let across = add_scaled(&e, -along[j], along);
            let moved = (self.support_point)(&add_scaled(y, difference, &across));
            let change = scale(self.radius / difference, &sub(&moved, s));
            let change = add_scaled(&change, -dot(&change, along), along);
            for i in 0..3 {
                h[i][j] = change[i];
            }
        }
        h
    }

    /// Halves the step until the merit, or the residual where the merit is rounding, comes down.
    fn search(&self, y: &Vector, s: &Vector, step: &Vector, g: &Vector) -> Option<Vector> {
        let merit = self.merit(y, s);
        let slope = dot(g, step);
        let size = norm(g);
        let mut length = 1.0;
        for _ in 0..50 {
            let next = add_scaled(y, length, step);
            let t = (self.support_point)(&next);
            let lower = self.merit(&next, &t) <= merit + 1e-4 * length * slope;
            let nearer = norm(&self.residual(&next, &t)) < 0.9 * size;
            if (slope < 0.0 && lower && size > 1e-7) || nearer {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }

    fn merit(&self, y: &Vector, s: &Vector) -> f64 {
        0.5 * dot(y, y) + self.radius * dot(y, s) - dot(&self.x, y)
    }
}
