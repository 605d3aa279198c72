//! What the law of one contact asks of the derivatives of its impulse and velocity.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | r | the limit μ Λ_N + a of friction; r' = μ Λ_N' + (μ' Λ_N + a') |
//! | f | a point of F; friction at the limit is r f |
//! | n | the outward normal at f with n·f = 1 |
//!
//! Away from a change of mode the law is a set of equations, one per component. At a change it is one of several such sets,
//! each with inequalities that say when it holds: a *branch*.

use crate::set::ConvexSet;
use crate::{ContactProblem, Kind, Law};
use complementarity::Matrix;

/// Corners whose power differs by less than this share take the same power.
const FLAT: f64 = 1e-9;
/// The most components of a contact.
const MOST: usize = 6;

/// lam·Λ' + xi·ξ' against what the parameter itself adds: drift (μ' Λ_N + a') + turn·f'.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    pub(super) lam: [f64; MOST],
    pub(super) xi: [f64; MOST],
    pub(super) drift: f64,
    pub(super) turn: [f64; 3],
}

impl Row {
    fn velocity(component: usize) -> Self {
        let mut row = Self::default();
        row.xi[component] = 1.0;
        row
    }

    fn impulse(component: usize) -> Self {
        let mut row = Self::default();
        row.lam[component] = 1.0;
        row
    }

    fn negated(&self) -> Self {
        let lam = self.lam.map(|v| -v);
        let xi = self.xi.map(|v| -v);
        Self { lam, xi, drift: -self.drift, turn: self.turn.map(|v| -v) }
    }
}

/// Equations (as many as components) and inequalities (`>=`) of the derivatives.
#[derive(Clone, Debug, Default)]
pub(super) struct Branch {
    pub(super) equations: Vec<Row>,
    pub(super) inequalities: Vec<Row>,
}

impl Branch {
    fn and(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.equations.extend_from_slice(&other.equations);
        sum.inequalities.extend_from_slice(&other.inequalities);
        sum
    }
}

/// Why a contact has no derivative that is known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unknown {
    /// A contact in space that neither slips nor bears a load: its law has a corner there that no list of linear cases
    /// describes.
    Apex,
    /// Friction at a corner or edge of F, or along a whole face of it.
    Corner,
    /// A friction set of the user's own, whose curvature is not known.
    OwnSet,
    /// A contact that bears a load and opens, both by more than counts as zero in its own units: the impulses solve the
    /// problem as a whole, but not as closely as a derivative of this contact needs.
    Inexact,
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Apex => "a contact in space about to take up a load without slip",
            Self::Corner => "friction at a corner, edge or whole face of its set",
            Self::OwnSet => "a friction set of one's own, whose curvature is not known",
            Self::Inexact => "a contact whose impulses solve its law too coarsely",
        })
    }
}

/// A contact at a solution.
pub(super) struct Place<'a> {
    pub(super) law: &'a Law,
    pub(super) lam: &'a [f64],
    pub(super) xi: &'a [f64],
    /// Velocities and impulses below these are zero.
    pub(super) still: f64,
    pub(super) idle: f64,
    /// Shares of the limit and angles below this are none.
    pub(super) zero: f64,
}

/// The branches of a contact; one if it is away from a change of mode.
pub(super) fn branches(place: &Place<'_>) -> Result<Vec<Branch>, Unknown> {
    let law = place.law;
    if let Kind::Bilateral(rows) = law.kind {
        let equations = (0..rows).map(Row::velocity).collect();
        return Ok(vec![Branch { equations, inequalities: Vec::new() }]);
    }
    let normals = law.kind.normals();
    let mut out = Vec::new();
    for (normal, loaded) in normal_branches(place, normals) {
        for friction in friction_branches(place, normals, loaded)? {
            out.push(normal.and(&friction));
        }
    }
    if out.is_empty() {
        return Err(Unknown::Inexact);
    }
    Ok(out)
}

/// What becomes of the normal, and whether it bears or takes up a load.
fn normal_branches(place: &Place<'_>, normals: usize) -> Vec<(Branch, bool)> {
    if normals == 0 {
        return vec![(Branch::default(), true)];
    }
    let open = place.xi[0] > place.still;
    let loaded = place.lam[0] > place.idle;
    let mut out = Vec::new();
    if !loaded {
        let mut inequalities = Vec::new();
        if !open {
            inequalities.push(Row::velocity(0));
        }
        out.push((Branch { equations: vec![Row::impulse(0)], inequalities }, false));
    }
    if !open {
        let mut inequalities = Vec::new();
        if !loaded {
            inequalities.push(Row::impulse(0));
        }
        out.push((Branch { equations: vec![Row::velocity(0)], inequalities }, true));
    }
    out
}

fn friction_branches(
    place: &Place<'_>,
    normals: usize,
    loaded: bool,
) -> Result<Vec<Branch>, Unknown> {
    let law = place.law;
    let Some(set) = law.kind.set() else { return Ok(vec![Branch::default()]) };
    let d = set.dimension();
    let limit = if normals == 0 { law.radius } else { law.limit(place.lam[0].max(0.0)) };
    if let Some(f) = law.sliding_friction() {
        let row = |r: usize| {
            let mut row = friction_row(law, normals, normals + r, f[r]);
            row.turn[r] = limit;
            row
        };
        return Ok(vec![Branch { equations: (0..d).map(row).collect(), inequalities: Vec::new() }]);
    }
    if !loaded && law.radius == 0.0 {
        let equations = (0..d).map(|r| Row::impulse(normals + r)).collect();
        return Ok(vec![Branch { equations, inequalities: Vec::new() }]);
    }
    let mut out = vec![Branch::default()];
    for part in parts(set) {
        let cases = part_branches(place, normals, limit, &part)?;
        out = out.iter().flat_map(|a| cases.iter().map(|b| a.and(b))).collect();
    }
    Ok(out)
}

/// Λ'_component − f r' : the friction that stays at the point f of its set.
fn friction_row(law: &Law, normals: usize, component: usize, f: f64) -> Row {
    let mut row = Row::impulse(component);
    if normals == 1 {
        row.lam[0] = -law.mu * f;
    }
    row.drift = f;
    row
}

/// A factor of a friction set: its first component and shape.
struct Part {
    first: usize,
    set: ConvexSet,
}

fn parts(set: &ConvexSet) -> Vec<Part> {
    match set {
        ConvexSet::Mixed { ellipse, spin } => vec![
            Part { first: 0, set: ConvexSet::Ellipsoid(ellipse.to_vec()) },
            Part { first: 2, set: ConvexSet::Ellipsoid(vec![*spin]) },
        ],
        set => vec![Part { first: 0, set: set.clone() }],
    }
}

fn part_branches(
    place: &Place<'_>,
    normals: usize,
    limit: f64,
    part: &Part,
) -> Result<Vec<Branch>, Unknown> {
    let d = part.set.dimension();
    let first = normals + part.first;
    let xi = &place.xi[first..first + d];
    let against: Vec<f64> = xi.iter().map(|v| -v).collect();
    if part.set.support(&against) > place.still {
        return Ok(vec![slip(place.law, normals, first, limit, part, &against)?]);
    }
    if limit <= place.idle {
        return if d == 1 { Ok(apex(place.law, normals, first, part)) } else { Err(Unknown::Apex) };
    }
    let f: Vec<f64> = place.lam[first..first + d].iter().map(|v| v / limit).collect();
    let stick: Vec<Row> = (0..d).map(|r| Row::velocity(first + r)).collect();
    if part.set.gauge(&f) < 1.0 - place.zero {
        return Ok(vec![Branch { equations: stick, inequalities: Vec::new() }]);
    }
    let n = normal_at(&part.set, &f, place.zero)?;
    // Friction may not leave the surface: r' − n·Λ_T' >= 0, and what slips does so against n.
    let mut inside = Row { drift: -1.0, ..Row::default() };
    let mut outward = Row::default();
    for (r, n) in n.iter().enumerate() {
        inside.lam[first + r] = -n;
        outward.xi[first + r] = -n;
    }
    if normals == 1 {
        inside.lam[0] = place.law.mu;
    }
    let mut slide = vec![inside];
    slide.extend(across(&n).into_iter().map(|e| {
        let mut row = Row::default();
        row.xi[first..first + d].copy_from_slice(&e);
        row
    }));
    Ok(vec![
        Branch { equations: stick, inequalities: vec![inside] },
        Branch { equations: slide, inequalities: vec![outward] },
    ])
}

/// Λ_T = r s(−ξ_T) with s the farthest point of F: Λ_T' = r' s − r ∇s ξ_T'.
fn slip(
    law: &Law,
    normals: usize,
    first: usize,
    limit: f64,
    part: &Part,
    against: &[f64],
) -> Result<Branch, Unknown> {
    let d = against.len();
    let mut s = [0.0; 3];
    part.set.support_point(against, &mut s[..d]);
    let power = part.set.support(against);
    let curvature = curvature(&part.set, against, &s, power)?;
    let mut equations = Vec::with_capacity(d);
    for r in 0..d {
        let mut row = friction_row(law, normals, first + r, s[r]);
        for (c, slope) in curvature[r][..d].iter().enumerate() {
            row.xi[first + c] = limit * slope;
        }
        equations.push(row);
    }
    Ok(Branch { equations, inequalities: Vec::new() })
}

/// ∇s = ∇²h at x: how the farthest point s of F moves with the direction.
fn curvature(
    set: &ConvexSet,
    x: &[f64],
    s: &[f64; 3],
    power: f64,
) -> Result<[[f64; 3]; 3], Unknown> {
    let axes = match set {
        ConvexSet::Interval => return Ok([[0.0; 3]; 3]),
        ConvexSet::Disc => &[1.0, 1.0][..],
        ConvexSet::Ellipsoid(axes) => axes,
        ConvexSet::Polyhedron(polyhedron) => {
            let reach = |v: &[f64]| v.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
            let near = polyhedron.vertices().filter(|v| reach(v) >= power * (1.0 - FLAT));
            return if near.count() == 1 { Ok([[0.0; 3]; 3]) } else { Err(Unknown::Corner) };
        }
        ConvexSet::Mixed { .. } | ConvexSet::Custom(_) => return Err(Unknown::OwnSet),
    };
    // (E² − s sᵀ)/h for h(x) = |E x|.
    let mut slope = [[0.0; 3]; 3];
    for (r, axis) in axes.iter().enumerate() {
        for c in 0..axes.len() {
            let square = if r == c { axis * axis } else { 0.0 };
            slope[r][c] = (square - s[r] * s[c]) / power;
        }
    }
    Ok(slope)
}

/// How the friction at limit 1 of a contact that slides moves with its slip: f' = −∇s γ_T'.
pub fn turned(law: &Law, rate: &[f64]) -> Result<[f64; 3], Unknown> {
    let (Some(slip), Some(set)) = (law.sliding, law.kind.set()) else { return Ok([0.0; 3]) };
    let mut out = [0.0; 3];
    for part in parts(set) {
        let range = part.first..part.first + part.set.dimension();
        let against: Vec<f64> = slip[range.clone()].iter().map(|v| -v).collect();
        let rate = &rate[range];
        let power = part.set.support(&against);
        if power == 0.0 {
            if rate.iter().any(|&v| v != 0.0) {
                return Err(Unknown::Corner);
            }
            continue;
        }
        let mut s = [0.0; 3];
        part.set.support_point(&against, &mut s[..against.len()]);
        let slope = curvature(&part.set, &against, &s, power)?;
        for (r, row) in slope[..rate.len()].iter().enumerate() {
            out[part.first + r] = -row.iter().zip(rate).map(|(a, b)| a * b).sum::<f64>();
        }
    }
    Ok(out)
}

/// One direction of friction at limit zero and without slip: the whole law holds for the derivatives.
fn apex(law: &Law, normals: usize, component: usize, part: &Part) -> Vec<Branch> {
    let reach = part.set.support(&[1.0]);
    let at = |sign: f64| friction_row(law, normals, component, sign * reach);
    let (upper, lower) = (at(1.0), at(-1.0));
    let stick = Branch {
        equations: vec![Row::velocity(component)],
        inequalities: vec![upper.negated(), lower],
    };
    let slides = |row: Row, slip: Row| Branch { equations: vec![row], inequalities: vec![slip] };
    vec![
        stick,
        slides(upper, Row::velocity(component).negated()),
        slides(lower, Row::velocity(component)),
    ]
}

/// The normal n at a point f of the surface of F, with n·f = 1.
fn normal_at(set: &ConvexSet, f: &[f64], zero: f64) -> Result<Vec<f64>, Unknown> {
    match set {
        ConvexSet::Interval => Ok(vec![f[0].signum()]),
        ConvexSet::Disc => Ok(f.to_vec()),
        ConvexSet::Ellipsoid(axes) => Ok(f.iter().zip(axes).map(|(f, e)| f / (e * e)).collect()),
        ConvexSet::Polyhedron(polyhedron) => {
            let value = |a: &[f64]| a.iter().zip(f).map(|(a, f)| a * f).sum::<f64>();
            let mut active = polyhedron.normals().filter(|a| value(a) >= 1.0 - zero);
            match (active.next(), active.next()) {
                (Some(n), None) => Ok(n.to_vec()),
                _ => Err(Unknown::Corner),
            }
        }
        ConvexSet::Mixed { .. } | ConvexSet::Custom(_) => Err(Unknown::OwnSet),
    }
}

/// An orthonormal basis of the directions across n.
fn across(n: &[f64]) -> Vec<Vec<f64>> {
    let length = n.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut basis = vec![n.iter().map(|v| v / length).collect::<Vec<f64>>()];
    // The axes that n has least of keep the basis well conditioned.
    let mut order: Vec<usize> = (0..n.len()).collect();
    order.sort_by(|&a, &b| n[a].abs().total_cmp(&n[b].abs()));
    for axis in order.into_iter().take(n.len() - 1) {
        let mut e: Vec<f64> = (0..n.len()).map(|i| if i == axis { 1.0 } else { 0.0 }).collect();
        for b in &basis {
            let share: f64 = e.iter().zip(b).map(|(e, b)| e * b).sum();
            e.iter_mut().zip(b).for_each(|(e, b)| *e -= share * b);
        }
        let length = e.iter().map(|v| v * v).sum::<f64>().sqrt();
        basis.push(e.iter().map(|v| v / length).collect());
    }
    basis.split_off(1)
}

/// Velocities and impulses that count as zero, from the sizes of what the rows of a contact add up.
pub(super) fn smallest(
    problem: &ContactProblem,
    w: &Matrix,
    impulse: &[f64],
    contact: usize,
    zero: f64,
) -> (f64, f64) {
    let (mut speed, mut load) = (0.0_f64, 0.0_f64);
    for r in problem.rows(contact) {
        let terms: f64 = w.row(r).iter().zip(impulse).map(|(w, l)| (w * l).abs()).sum();
        let size = terms.max(problem.bias()[r].abs());
        speed = speed.max(size);
        if w.row(r)[r] > 0.0 {
            load = load.max(size / w.row(r)[r]);
        }
    }
    (zero * speed, zero * load)
}
