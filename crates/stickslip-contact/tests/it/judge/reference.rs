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
    /// ρ and the scale of each row; the same for all rows of a contact.
    pub(super) rho: Vec<f64>,
    pub(super) scale: Vec<f64>,
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
        let product = |r: usize, j: usize| {
            (starts[j]..starts[j] + self.laws[j].components())
                .fold(x(0.0), |sum, c| sum + x(self.w.row(r)[c]) * x(impulse[c]))
        };
        let b: Vector = rows.iter().zip(&s).map(|(r, s)| x(self.b[*r]) * *s).collect();
        let products: Vec<Vector> = (0..self.laws.len())
            .map(|j| rows.iter().zip(&s).map(|(r, s)| product(*r, j) * *s).collect())
            .collect();
        let xi: Vector =
            (0..rows.len()).map(|r| products.iter().fold(b[r], |sum, p| sum + p[r])).collect();
        let lam: Vector = rows.iter().zip(&s).map(|(r, s)| x(impulse[*r]) / *s).collect();
        let size: Vec<f64> = rows
            .iter()
            .zip(&s)
            .map(|(r, s)| {
                let terms = self.w.row(*r).iter().zip(impulse).map(|(w, l)| (w * l).abs());
                (self.b[*r].abs() + terms.sum::<f64>()) * s.value()
            })
            .collect();
        let diagonal: Vector =
            rows.iter().zip(&s).map(|(r, s)| x(self.w.row(*r)[*r]) * *s * *s).collect();
        if let Kind::Bilateral(_) = law.kind {
            return connection(&b, &products, &xi, &lam, &size, &diagonal);
        }
        let trace = diagonal.iter().fold(x(0.0), |sum, d| sum + *d);
        let rho = x(rows.len() as f64) / trace;
        let terms = products.iter().fold(norm(&b), |sum, p| sum + norm(p));
        let scale = norm(&lam).max(rho * terms);
        let noise = size.iter().fold(0.0_f64, |m, v| m.hypot(*v)) * 4.0 * f64::EPSILON;
        Judged {
            worst: maps(law, rho, &lam, &xi).map(|map| (map / scale).value()),
            rounding: (rho * x(noise) / scale).value(),
            rho: vec![rho.value(); rows.len()],
            scale: vec![scale.value(); rows.len()],
        }
    }
}

fn connection(
    b: &Vector,
    products: &[Vector],
    xi: &Vector,
    lam: &Vector,
    size: &[f64],
    diagonal: &Vector,
) -> Judged {
    let mut judged = Judged { worst: Some(0.0), rounding: 0.0, rho: Vec::new(), scale: Vec::new() };
    for r in 0..xi.len() {
        let rho = x(1.0) / diagonal[r];
        let terms = products.iter().fold(b[r].abs(), |sum, p| sum + p[r].abs());
        let scale = lam[r].abs().max(rho * terms);
        let value = (rho * xi[r].abs() / scale).value();
        judged.worst = judged.worst.map(|w| w.max(value));
        let noise = x(4.0 * f64::EPSILON * size[r]);
        judged.rounding = judged.rounding.max((rho * noise / scale).value());
        judged.rho.push(rho.value());
        judged.scale.push(scale.value());
    }
    judged
}

/// The larger of the two natural maps.
fn maps(law: &Law, rho: Extended, lam: &Vector, xi: &Vector) -> Option<Extended> {
    let n = law.kind.normals();
    let zero = x(0.0);
    let (normal, load) = match n {
        0 => (zero, zero),
        _ => (lam[0].min(rho * xi[0]).abs(), lam[0].max(zero)),
    };
    let Some(set) = law.kind.set() else { return Some(normal) };
    let limit = x(law.mu) * load + x(law.radius);
    let landed = if law.sliding.is_some() {
        let f = law.sliding_friction()?;
        f.iter().zip(stretch(set).0).map(|(f, s)| limit * x(*f) / x(s)).collect()
    } else {
        let aim: Vector = (n..lam.len()).map(|r| lam[r] - rho * xi[r]).collect();
        project(set, limit, &aim)?
    };
    Some(normal.max(norm(&sub(&lam[n..], &landed))))
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
        ConvexSet::Custom(_) => None,
    }
}

/// The nearest point to `aim` among those of all faces that lie in the polyhedron.
fn nearest(rows: &[Vector], limit: Extended, aim: &Vector) -> Option<Vector> {
    let mut best: Option<(f64, Vector)> = None;
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
        let distance = norm(&sub(aim, &p)).value();
        if inside && best.as_ref().is_none_or(|(d, _)| distance < *d) {
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
