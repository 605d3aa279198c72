//! The certificate's definition again, in extended precision and in the plainest way: all faces of a polyhedron are tried.

use super::extended::{Extended, dot, norm, x};
use complementarity::Matrix;
use stickslip_contact::set::ConvexSet;
use stickslip_contact::{Kind, Law};

/// What the definition says of one contact.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    /// The largest map over its scale, without allowance for rounding. Not known for the sets of a user.
    pub(super) worst: Option<f64>,
    /// How much of it may be rounding.
    pub(super) rounding: f64,
    /// The units of velocity and impulse of each row, for tests that plant errors.
    #[cfg_attr(not(test), allow(dead_code, reason = "tests plant errors in these units"))]
    pub(super) velocity: Vec<f64>,
    #[cfg_attr(not(test), allow(dead_code, reason = "tests plant errors in these units"))]
    pub(super) impulse: Vec<f64>,
}

pub(super) struct Data<'a> {
    pub(super) w: &'a Matrix,
    pub(super) b: &'a [f64],
    pub(super) laws: &'a [Law],
}

type Vector = Vec<Extended>;

/// The extents of F over the larger of the first two, and that one.
pub(super) fn stretch(set: &ConvexSet) -> (Vec<f64>, f64) {
    let d = set.dimension();
    let along = |axis: usize, sign: f64| {
        let mut e = vec![0.0; d];
        e[axis] = sign;
        set.support(&e)
    };
    let extents: Vec<f64> = (0..d).map(|t| along(t, 1.0).max(along(t, -1.0))).collect();
    let largest = extents[..d.min(2)].iter().fold(0.0_f64, |m, e| m.max(*e));
    (extents.iter().map(|e| e / largest).collect(), largest)
}

impl Data<'_> {
    pub(super) fn judge(&self, impulse: &[f64]) -> Vec<Judged> {
        let starts: Vec<usize> = self
            .laws
            .iter()
            .scan(0, |at, law| {
                *at += law.components();
                Some(*at - law.components())
            })
            .collect();
        (0..self.laws.len()).map(|i| self.contact(i, &starts, impulse)).collect()
    }

    fn contact(&self, i: usize, starts: &[usize], impulse: &[f64]) -> Judged {
        let law = &self.laws[i];
        let rows: Vec<usize> = (starts[i]..starts[i] + law.components()).collect();
        let mut s = vec![1.0; rows.len()];
        if let Some(set) = law.kind.set() {
            s[law.kind.normals()..].copy_from_slice(&stretch(set).0);
        }
        let s: Vector = s.into_iter().map(x).collect();
        let terms = |r: usize| -> Vec<Extended> {
            let products = self.w.row(r).iter().zip(impulse).map(|(w, l)| x(*w) * x(*l));
            products.chain([x(self.b[r])]).collect()
        };
        let over = |r: &usize, s: &Extended, f: fn(Extended) -> Extended| {
            terms(*r).into_iter().fold(x(0.0), |sum, t| sum + f(t)) * *s
        };
        let xi: Vector = rows.iter().zip(&s).map(|(r, s)| over(r, s, |t| t)).collect();
        let t: Vector = rows.iter().zip(&s).map(|(r, s)| over(r, s, Extended::abs)).collect();
        let lam: Vector = rows.iter().zip(&s).map(|(r, s)| x(impulse[*r]) / *s).collect();
        let diagonal: Vector =
            rows.iter().zip(&s).map(|(r, s)| x(self.w.row(*r)[*r]) * *s * *s).collect();
        if let Kind::Bilateral(_) = law.kind {
            return connection(&xi, &t, &diagonal);
        }
        let v = t.iter().fold(x(0.0), |m, t| m.max(*t));
        let n = law.kind.normals();
        let mut units = vec![lam[0].abs().max(v / diagonal[0]); n];
        if n < rows.len() {
            let mean =
                diagonal[n..].iter().fold(x(0.0), |sum, d| sum + *d) / x((rows.len() - n) as f64);
            units.resize(rows.len(), norm(&lam[n..]).max(v / mean));
        }
        Judged {
            worst: maps(law, v, &units, &lam, &xi).map(Extended::value),
            rounding: 8.0 * f64::EPSILON,
            velocity: vec![v.value(); rows.len()],
            impulse: units.iter().map(|l| l.value()).collect(),
        }
    }
}

fn connection(xi: &Vector, t: &Vector, diagonal: &Vector) -> Judged {
    let energy = t.iter().zip(diagonal).fold(x(0.0), |m, (t, w)| m.max(*t * *t / *w));
    let unit = |r: usize| t[r].value().max((energy * diagonal[r]).value().sqrt());
    let velocity: Vec<f64> = (0..xi.len()).map(unit).collect();
    let worst = xi.iter().zip(&velocity).fold(0.0, |m: f64, (x, v)| m.max(x.abs().value() / v));
    let impulse = velocity.clone();
    Judged { worst: Some(worst), rounding: 8.0 * f64::EPSILON, velocity, impulse }
}

/// The larger of the two natural maps.
fn maps(law: &Law, v: Extended, units: &[Extended], lam: &Vector, xi: &Vector) -> Option<Extended> {
    let n = law.kind.normals();
    let zero = x(0.0);
    let (normal, load) = match n {
        0 => (zero, zero),
        _ => ((lam[0] / units[0]).min(xi[0] / v).abs(), lam[0].max(zero)),
    };
    let Some(set) = law.kind.set() else { return Some(normal) };
    let l = units[n];
    let limit = (x(law.mu) * load + x(law.radius)) / l;
    let lam: Vector = lam[n..].iter().map(|x| *x / l).collect();
    let landed = if law.sliding.is_some() {
        let f = law.sliding_friction()?;
        f.iter().zip(stretch(set).0).map(|(f, s)| limit * x(*f) / x(s)).collect()
    } else {
        let aim: Vector = lam.iter().zip(&xi[n..]).map(|(lam, xi)| *lam - *xi / v).collect();
        project(set, limit, &aim)?
    };
    Some(normal.max(norm(&sub(&lam, &landed))))
}

fn sub(a: &[Extended], b: &[Extended]) -> Vector {
    a.iter().zip(b).map(|(a, b)| *a - *b).collect()
}

fn project(set: &ConvexSet, limit: Extended, aim: &Vector) -> Option<Vector> {
    let (s, largest) = stretch(set);
    let reach = limit * x(largest);
    let ball = |v: &[Extended]| -> Vector {
        let length = norm(v);
        if (length - reach).value() <= 0.0 {
            return v.to_vec();
        }
        v.iter().map(|c| *c * reach / length).collect()
    };
    match set {
        ConvexSet::Interval | ConvexSet::Disc | ConvexSet::Ellipsoid(_) => Some(ball(aim)),
        ConvexSet::Mixed { .. } => {
            let mut p = ball(&aim[..2]);
            p.push(aim[2].max(-reach).min(reach));
            Some(p)
        }
        ConvexSet::Polyhedron(p) => {
            let rows: Vec<Vector> = p
                .normals()
                .map(|a| a.iter().zip(&s).map(|(a, s)| x(*a) * x(*s)).collect())
                .collect();
            nearest(&rows, limit, aim)
        }
        // Of sets of a user's own nothing is known.
        _ => None,
    }
}

/// The nearest point to `aim` among those of all faces that lie in the polyhedron.
fn nearest(rows: &[Vector], limit: Extended, aim: &Vector) -> Option<Vector> {
    // Compared in extended precision: on a small set seen from afar, points of a face differ by a square in their distance.
    let mut best: Option<(Extended, Vector)> = None;
    let m = rows.len();
    for choice in 0..(1_usize << m) {
        if choice.count_ones() as usize > aim.len() {
            continue;
        }
        let face: Vec<&Vector> =
            (0..m).filter(|j| choice >> j & 1 == 1).map(|j| &rows[j]).collect();
        let Some(p) = on_face(&face, limit, aim) else { continue };
        let size = norm(aim).value() + limit.value();
        let inside =
            rows.iter().all(|a| (dot(a, &p) - limit).value() <= 1e-25 * size * norm(a).value());
        let away = sub(aim, &p);
        let distance = dot(&away, &away);
        if inside && best.as_ref().is_none_or(|(d, _)| (distance - *d).value() < 0.0) {
            best = Some((distance, p));
        }
    }
    best.map(|(_, p)| p)
}

/// aim − Nᵀ (N Nᵀ)⁻¹ (N aim − limit).
fn on_face(face: &[&Vector], limit: Extended, aim: &Vector) -> Option<Vector> {
    let n = face.len();
    let mut g: Vec<Vector> = (0..n)
        .map(|i| {
            let mut row: Vector = (0..n).map(|j| dot(face[i], face[j])).collect();
            row.push(dot(face[i], aim) - limit);
            row
        })
        .collect();
    for k in 0..n {
        let size = dot(face[k], face[k]).value();
        if g[k][k].value() <= 1e-12 * size {
            return None;
        }
        for i in 0..n {
            if i != k {
                let factor = g[i][k] / g[k][k];
                for c in 0..=n {
                    g[i][c] = g[i][c] - factor * g[k][c];
                }
            }
        }
    }
    let mut p = aim.clone();
    for (k, a) in face.iter().enumerate() {
        let multiplier = g[k][n] / g[k][k];
        p = p.iter().zip(a.iter()).map(|(p, a)| *p - multiplier * *a).collect();
    }
    Some(p)
}
