//! The cone of admissible forces at large loads, and half-spaces that contain it.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | c | forces on the rows that take part: normals, connections, friction with μ > 0 |
//! | d | a half-space dᵀc ≥ 0: (μ h(x), −x) for a direction x of friction, or (1, 0) |

use super::super::layout::{Layout, Part};
use crate::ContactProblem;
use crate::set::ConvexSet;
use nalgebra::DVector;

/// A polyhedron with more facets enters facet by facet, where it is cut.
const FACETS: usize = 32;

/// One contact: its places among the rows that take part.
struct Member<'a> {
    normal: usize,
    tangents: std::ops::Range<usize>,
    set: Option<&'a ConvexSet>,
    mu: f64,
}

/// c_n ≥ 0, c_T ∈ μ c_n F at every contact; connections are free.
pub(super) struct Cone<'a> {
    members: Vec<Member<'a>>,
    /// The rows of the problem that take part.
    pub(super) rows: Vec<usize>,
    /// Places of connections among them.
    pub(super) fixed: Vec<usize>,
    /// Whether every friction set is a polyhedron.
    pub(super) polyhedral: bool,
}

impl<'a> Cone<'a> {
    pub(super) fn of(problem: &'a ContactProblem, layout: &Layout) -> Self {
        let mut cone =
            Self { members: Vec::new(), rows: Vec::new(), fixed: Vec::new(), polyhedral: true };
        for (law, part) in problem.laws().iter().zip(&layout.parts) {
            let Part { normal, tangents, fixed, .. } = part;
            cone.fixed.extend(cone.rows.len()..cone.rows.len() + fixed.len());
            cone.rows.extend(fixed.clone());
            let Some(n) = *normal else { continue };
            let place = cone.rows.len();
            cone.rows.push(n);
            let set = law.kind.set().filter(|_| law.mu > 0.0);
            let first = cone.rows.len();
            if let Some(set) = set {
                cone.rows.extend(tangents.clone());
                cone.polyhedral &= matches!(set, ConvexSet::Interval | ConvexSet::Polyhedron(_));
            }
            let tangents = first..cone.rows.len();
            cone.members.push(Member { normal: place, tangents, set, mu: law.mu });
        }
        cone
    }

    /// One in the rows of normals: a direction into the cone.
    pub(super) fn inwards(&self) -> DVector<f64> {
        let mut e = DVector::zeros(self.rows.len());
        self.members.iter().for_each(|m| e[m.normal] = 1.0);
        e
    }

    /// Half-spaces to begin with: all of them for intervals and polyhedra with few facets, a box else.
    pub(super) fn first_cuts(&self) -> Vec<DVector<f64>> {
        let mut cuts = Vec::new();
        for m in &self.members {
            cuts.push(self.cut(m, 1.0, &[]));
            let Some(set) = m.set else { continue };
            if let ConvexSet::Polyhedron(p) = set
                && p.normals().len() <= FACETS
            {
                cuts.extend(p.normals().map(|a| self.cut(m, m.mu, a)));
                continue;
            }
            for k in 0..set.dimension() {
                for sign in [1.0, -1.0] {
                    let mut x = vec![0.0; set.dimension()];
                    x[k] = sign;
                    cuts.push(self.cut(m, m.mu * set.support(&x), &x));
                }
            }
        }
        cuts
    }

    /// (n, −x) of a contact, with length one.
    fn cut(&self, m: &Member<'_>, n: f64, x: &[f64]) -> DVector<f64> {
        let mut d = DVector::zeros(self.rows.len());
        d[m.normal] = n;
        for (row, x) in m.tangents.clone().zip(x) {
            d[row] = -x;
        }
        let length = d.norm();
        if length > 0.0 { d / length } else { d }
    }

    /// How far forces are outside, at most over contacts: −c_n, or the normal force that is missing for the friction.
    pub(super) fn outside(&self, c: &DVector<f64>) -> f64 {
        self.members.iter().map(|m| self.excess(m, c)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn excess(&self, m: &Member<'_>, c: &DVector<f64>) -> f64 {
        let n = c[m.normal];
        let friction = m.set.map_or(f64::NEG_INFINITY, |set| {
            set.gauge(&c.as_slice()[m.tangents.clone()]) / m.mu - n
        });
        friction.max(-n)
    }

    /// A half-space per contact that the forces are outside of by more than `least`.
    pub(super) fn violated(&self, c: &DVector<f64>, least: f64) -> Vec<DVector<f64>> {
        let mut cuts = Vec::new();
        for m in &self.members {
            let Some(set) = m.set else { continue };
            if !(self.excess(m, c) > least) {
                continue;
            }
            let t = &c.as_slice()[m.tangents.clone()];
            let mut near = vec![0.0; t.len()];
            set.project((m.mu * c[m.normal]).max(0.0), t, &mut near);
            let x: Vec<f64> = t.iter().zip(&near).map(|(t, p)| t - p).collect();
            if x.iter().any(|x| *x != 0.0) && x.iter().all(|x| x.is_finite()) {
                cuts.push(self.cut(m, m.mu * set.support(&x), &x));
            }
        }
        cuts
    }

    /// The largest v for which accelerations a − v (one in every normal) are in the dual cone: min a_n − μ h(−a_T).
    pub(super) fn lift(&self, a: &DVector<f64>) -> f64 {
        let lifts = self.members.iter().map(|m| {
            let against: Vec<f64> = m.tangents.clone().map(|row| -a[row]).collect();
            a[m.normal] - m.set.map_or(0.0, |set| m.mu * set.support(&against))
        });
        lifts.fold(f64::INFINITY, f64::min)
    }
}
