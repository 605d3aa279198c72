//! Sets of the user's own.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

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
pub trait UserSet: Any + Debug + Send + Sync {
    /// The dimension of the space F lives in: 1, 2 or 3.
    fn dimension(&self) -> usize;

    /// The nearest point to x of radius · F; x itself, to the last bit, where it is in that set.
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

    /// For a set in three dimensions: the one with its third axis multiplied by a factor > 0, where that is known to be a set
    /// of the same kind. The solver uses it to make the units of spin like those of force; without it, it makes such a set by
    /// [`project_by_support_point`], which is slower.
    fn stretched(&self, _factor: f64) -> Option<Arc<dyn UserSet>> {
        None
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
        // A little below t: x − p keeps enough digits for a normal good to 10⁻⁸, and t is good to its square.
        set.project(t * (1.0 - 1e-8), &v[..dimension], &mut nearest[..dimension]);
        normal = unit(&sub(&v, &nearest));
        if max_abs(&normal) == 0.0 {
            break;
        }
    }
    t * big
}

/// The nearest point to x of radius · F, for a strictly convex F of which only the farthest points are known.
///
/// `support_point(y, out)` gives the point of F that is farthest in direction y. First the gauge of x is
/// found, as h(y) at the minimum of ½ h(y)² − x·y: x is in the set, or y points from the set to x. From there what is
/// left of x, y = x − p, solves y + radius · s(y) = x (Moreau), the minimum of ½|y|² + radius · h(y) − x·y: a strongly
/// monotone equation, whose residual bounds the error of p. Both by Newton's method with differences of s and a
/// line search; each step asks for four points and those of the search, ten steps are usual.
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
    let big = max_abs(&full);
    if !(big > 0.0 && big.is_finite() && radius > 0.0) {
        // Zero stays, radius 0 is a point, and the rest is not a question.
        out.fill(if radius >= 0.0 { 0.0 * big } else { f64::NAN });
        return;
    }
    let problem = SupportOnly {
        support_point: |y: &Vector| {
            let mut s = [0.0; 3];
            support_point(&y[..d], &mut s[..d]);
            s
        },
        dimension: d,
        x: full.map(|c| c / big),
    };
    match problem.project(radius / big) {
        Some(Nearest::Itself) => store(&full, out),
        Some(Nearest::Farthest(s)) => store(&scale(radius, &s), out),
        None => out.fill(f64::NAN),
    }
}

/// The gauge of x, the least t ≥ 0 with x in t F, for a strictly convex F of which only the farthest points are known:
/// the first half of [`project_by_support_point`], with the same cost per step. NaN where it does not converge.
pub fn gauge_by_support_point(support_point: impl Fn(&[f64], &mut [f64]), x: &[f64]) -> f64 {
    let d = x.len().min(3);
    let full = load(x);
    let big = max_abs(&full);
    if !(big > 0.0 && big.is_finite()) {
        return big;
    }
    let problem = SupportOnly {
        support_point: |y: &Vector| {
            let mut s = [0.0; 3];
            support_point(&y[..d], &mut s[..d]);
            s
        },
        dimension: d,
        x: full.map(|c| c / big),
    };
    match problem.normal_on_ray() {
        // The gauge to the square of the error of y.
        Some((y, s)) => big * (dot(&problem.x, &y) / dot(&y, &s)),
        None => f64::NAN,
    }
}

/// A point and a set of which the farthest points are known.
struct SupportOnly<S> {
    support_point: S,
    dimension: usize,
    x: Vector,
}

enum Nearest {
    /// The point is in the set.
    Itself,
    /// This point of F, times the radius.
    Farthest(Vector),
}

/// Which function of y is made least.
#[derive(Clone, Copy)]
enum Merit {
    /// ½ h² − x·y
    Gauge,
    /// ½ |y|² + r h − x·y
    Distance(f64),
}

impl<S: Fn(&Vector) -> Vector> SupportOnly<S> {
    /// The projection, or nothing if a method did not converge.
    fn project(&self, radius: f64) -> Option<Nearest> {
        let (y, s) = self.normal_on_ray()?;
        let normal = unit(&y);
        let distance = dot(&self.x, &normal) - radius * dot(&normal, &s);
        if distance <= 4.0 * f64::EPSILON {
            return Some(Nearest::Itself);
        }
        let (_, s) = self.least(Merit::Distance(radius), scale(distance, &normal))?;
        Some(Nearest::Farthest(s))
    }

    /// The normal of the surface where the ray through x meets it, and that point of it.
    fn normal_on_ray(&self) -> Option<(Vector, Vector)> {
        let s = (self.support_point)(&self.x);
        let h = dot(&self.x, &s);
        let start = scale(dot(&self.x, &self.x) / (h * h), &self.x);
        self.least(Merit::Gauge, start)
    }

    /// Where the merit is least, and the farthest point there. The start has a negative merit, so that no
    /// later y is zero, where s jumps.
    fn least(&self, merit: Merit, start: Vector) -> Option<(Vector, Vector)> {
        let mut y = start;
        let mut s = (self.support_point)(&y);
        for _ in 0..100 {
            let g = self.gradient(merit, &y, &s);
            let size = norm(&g);
            if !size.is_finite() {
                return None;
            }
            if size <= 4.0 * f64::EPSILON {
                return Some((y, s));
            }
            let step = self.newton_step(merit, &y, &s, &g);
            match self.search(merit, &y, &s, &step, &g) {
                Some(next) => (y, s) = next,
                None => return (size <= 1e-13).then_some((y, s)),
            }
        }
        None
    }

    fn value(&self, merit: Merit, y: &Vector, s: &Vector) -> f64 {
        let h = dot(y, s);
        match merit {
            Merit::Gauge => 0.5 * h * h - dot(&self.x, y),
            Merit::Distance(radius) => 0.5 * dot(y, y) + radius * h - dot(&self.x, y),
        }
    }

    fn gradient(&self, merit: Merit, y: &Vector, s: &Vector) -> Vector {
        let of_set = match merit {
            Merit::Gauge => scale(dot(y, s), s),
            Merit::Distance(radius) => add_scaled(y, radius, s),
        };
        sub(&of_set, &self.x)
    }

    /// −(second derivative)⁻¹ g: s sᵀ + h ∇s, or I + r ∇s.
    fn newton_step(&self, merit: Merit, y: &Vector, s: &Vector, g: &Vector) -> Vector {
        let curvature = self.curvature(y, s);
        let mut m = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                let bend = 0.5 * (curvature[i][j] + curvature[j][i]);
                m[i][j] = match merit {
                    Merit::Gauge => s[i] * s[j] + dot(y, s) * bend,
                    Merit::Distance(radius) => radius * bend,
                };
            }
            if matches!(merit, Merit::Distance(_)) || i >= self.dimension {
                m[i][i] += 1.0;
            }
        }
        super::matrix3::solve(&m, &scale(-1.0, g)).unwrap_or(scale(-1.0, g))
    }

    /// ∇s by differences of a length that balances truncation and rounding. s depends on the direction of y alone
    /// and ∇s is symmetric: only differences across y count.
    fn curvature(&self, y: &Vector, s: &Vector) -> [Vector; 3] {
        let length = norm(y);
        let along = scale(1.0 / length, y);
        let mut h = [[0.0; 3]; 3];
        for j in 0..self.dimension {
            let mut e = [0.0; 3];
            e[j] = 1.0;
            let across = add_scaled(&e, -along[j], &along);
            let moved = (self.support_point)(&add_scaled(y, 1e-6 * length, &across));
            let change = scale(1.0 / (1e-6 * length), &sub(&moved, s));
            let change = add_scaled(&change, -dot(&change, &along), &along);
            for i in 0..3 {
                h[i][j] = change[i];
            }
        }
        h
    }

    /// Halves the step until the merit, or the gradient where the merit is rounding, comes down.
    fn search(
        &self,
        merit: Merit,
        y: &Vector,
        s: &Vector,
        step: &Vector,
        g: &Vector,
    ) -> Option<(Vector, Vector)> {
        let value = self.value(merit, y, s);
        let slope = dot(g, step);
        let size = norm(g);
        let mut length = 1.0;
        for _ in 0..50 {
            let next = add_scaled(y, length, step);
            let t = (self.support_point)(&next);
            // Differences of the merit are rounding below this; the gradient still tells.
            let tells = -length * slope > 8.0 * f64::EPSILON * norm(y);
            let lower = tells && self.value(merit, &next, &t) <= value + 1e-4 * length * slope;
            if lower || (size <= 1e-6 && norm(&self.gradient(merit, &next, &t)) < 0.9 * size) {
                return Some((next, t));
            }
            length *= 0.5;
        }
        None
    }
}
