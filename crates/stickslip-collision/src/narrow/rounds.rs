//! Balls against cylinders and cones in closed form; cylinders and cones against each other.

use super::curved_features::{Cap, FACING};
use super::{EDGE, FACE, Sink, VERTEX, nearest};
use crate::feature::Features;
use crate::pose::Relative;
use crate::shape::Round;
use crate::tolerance::{ON_SIDE, PARALLEL, PREFERENCE};
use glam::DVec3;
use std::f64::consts::TAU;

pub(crate) fn ball(
    (centre, radius): (DVec3, f64),
    round: &Round,
    relative: &Relative,
    sink: &mut Sink<'_>,
) {
    let (features, gap) = point((centre, radius), relative.point(centre), round, round);
    let part = match features {
        Features::BallPlane { origin, .. } => {
            FACE | u32::from((origin - round.centre).dot(round.axis()) > 0.0)
        }
        Features::BallRim { middle, .. } => {
            EDGE | u32::from((middle - round.centre).dot(round.axis()) > 0.0)
        }
        Features::Balls { .. } => VERTEX,
        _ => FACE | 2,
    };
    sink.push([VERTEX, part], features, false, gap);
}

/// A ball, whose centre is at `at` in the axes in which `round` is given, against a round shape: what it is nearest to, and
/// the gap. Inside it is the nearest part of the surface.
pub(crate) fn point(
    (centre, radius): (DVec3, f64),
    at: DVec3,
    round: &Round,
    own: &Round,
) -> (Features, f64) {
    let (z, rho, _) = round.cylindrical(at);
    let (h, r) = (round.half_height, round.radius);
    let cap = |end: usize| {
        let normal = if end == 0 { -own.axis() } else { own.axis() };
        Features::BallPlane { centre, radius, origin: own.centre + h * normal, normal }
    };
    let rim = |end: usize| {
        let middle = own.centre + if end == 0 { -h } else { h } * own.axis();
        Features::BallRim { centre, radius, middle, axis: own.axis(), rim_radius: r }
    };
    if !round.cone {
        let (end, up, out) = (usize::from(z > 0.0), z.abs() - h, rho - r);
        if up > 0.0 && out > 0.0 {
            return (rim(end), up.hypot(out) - radius);
        }
        if up > out {
            return (cap(end), up - radius);
        }
        let (origin, direction) = (own.centre, own.axis());
        let side = Features::BallLine { centre, radius, origin, direction, line_radius: r };
        return (side, out - radius);
    }
    let [sine, cosine] = round.slope();
    let (out, below) = (rho * cosine + (z - h) * sine, -h - z);
    let (along, slant) = (rho * sine - (z - h) * cosine, r.hypot(2.0 * h));
    let (apex, axis) = (own.apex(), own.axis());
    let side = Features::BallCone { centre, radius, apex, axis, slope: [sine, cosine] };
    if out <= 0.0 && below <= 0.0 {
        return if below > out { (cap(0), below - radius) } else { (side, out - radius) };
    }
    if below > 0.0 && rho <= r {
        return (cap(0), below - radius);
    }
    if along <= 0.0 {
        let features = Features::Balls { centres: [centre, apex], radii: [radius, 0.0] };
        return (features, rho.hypot(z - h) - radius);
    }
    if along < slant {
        return (side, out - radius);
    }
    (rim(0), (rho - r).hypot(z + h) - radius)
}

/// Two round shapes, of which the one is moved to the axes of the other. Normals point from the other to the one.
pub(crate) fn meet(own: &Round, other: &Round, relative: &Relative, sink: &mut Sink<'_>) {
    let rounds = Rounds { one: own.moved(relative), own, other, relative };
    let size = rounds.one.size().min(other.size());
    let slack = PREFERENCE * size;
    let mut best: Option<(f64, DVec3, Kind)> = None;
    let mut offer = |normal: DVec3, kind: Kind| {
        let separation = rounds.separation(normal);
        if best.is_none_or(|b| separation > b.0 + slack) {
            best = Some((separation, normal, kind));
        }
    };
    for cap in other.caps() {
        offer(cap.normal, Kind::Other(cap));
    }
    for cap in rounds.one.caps() {
        offer(-cap.normal, Kind::One(cap));
    }
    let cross = rounds.one.axis().cross(other.axis());
    let sides = !own.cone && !other.cone;
    if sides && cross.length() > PARALLEL {
        offer(cross.normalize(), Kind::Crossed);
        offer(-cross.normalize(), Kind::Crossed);
    } else if sides {
        offer(other.cylindrical(rounds.one.centre).2, Kind::Parallel);
    }
    let Some((separation, normal, kind)) = best else { return };
    if separation > sink.reach {
        return;
    }
    let mark = sink.found.len();
    let nearest = match kind {
        Kind::Other(cap) => rounds.add_cap(&cap, false, size, sink),
        Kind::One(cap) => rounds.add_cap(&cap, true, size, sink),
        Kind::Crossed => rounds.add_crossed(separation, normal, slack, sink),
        Kind::Parallel => rounds.add_parallel(separation, size, sink),
    };
    let attained = nearest <= separation + slack;
    if attained && separation > -1e-3 * slack {
        return;
    }
    let enough = if attained { separation + slack } else { separation - slack };
    if let Some((separation, normal)) = rounds.search().filter(|f| f.0 > enough) {
        sink.found.truncate(mark);
        let origin = other.farthest(normal);
        let centre = own.farthest(relative.rotation.transpose() * -normal);
        // The nearer of the two support points is the more certain one where one of them lies on a straight line.
        let centre = if (relative.point(centre) - origin - separation * normal).length() < slack {
            centre
        } else {
            relative.back(origin + separation * normal)
        };
        let features = Features::BallPlane { centre, radius: 0.0, origin, normal };
        sink.push([FACE | 1 << 29, FACE | 1 << 29], features, false, separation);
    }
}

/// The unit normal of a round shape where it is nearest to a point.
pub(crate) fn outward(at: DVec3, round: &Round) -> DVec3 {
    let (_, _, out) = round.cylindrical(at);
    let axis = round.axis();
    match point((at, 0.0), at, round, round).0 {
        Features::BallPlane { normal, .. } => normal,
        Features::BallRim { middle, .. } => {
            (at - (middle + round.radius * out)).try_normalize().unwrap_or(out)
        }
        Features::BallCone { slope: [sine, cosine], .. } => cosine * out + sine * axis,
        Features::Balls { .. } => (at - round.apex()).try_normalize().unwrap_or(axis),
        _ => out,
    }
}

/// Where a function of an angle is largest: the best of some samples, improved by the golden section. The angle is good to about 1e-8, as
/// the function does not tell nearer angles apart.
pub(crate) fn maximise(function: impl Fn(f64) -> f64, from: f64, to: f64, samples: usize) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let width = (to - from) / samples as f64;
    let place = |k: usize| from + width * k as f64;
    let best = (0..=samples)
        .map(|k| (function(place(k)), k))
        .fold((f64::NEG_INFINITY, 0), |a, b| if b.0 > a.0 { b } else { a });
    let (mut low, mut high) = (place(best.1) - width, place(best.1) + width);
    let inner = |low: f64, high: f64| (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut x, mut y) = inner(low, high);
    let (mut fx, mut fy) = (function(x), function(y));
    for _ in 0..44 {
        if fx >= fy {
            (high, y, fy) = (y, x, fx);
            x = inner(low, high).0;
            fx = function(x);
        } else {
            (low, x, fx) = (x, y, fy);
            y = inner(low, high).1;
            fy = function(y);
        }
    }
    if fx >= fy { x } else { y }
}

/// Directions all round, from which the search for the axis of two round shapes starts.
const SPHERE: usize = 64;

/// Directions spread evenly over the sphere on a spiral.
fn spiral(k: usize) -> DVec3 {
    let z = (2 * k + 1) as f64 / SPHERE as f64 - 1.0;
    let angle = 2.399_963_229_728_653 * k as f64;
    let r = (1.0 - z * z).sqrt();
    DVec3::new(r * angle.cos(), r * angle.sin(), z)
}

/// Most steps of a climb: thirty halvings, and as many steps again on the way.
const CLIMBS: usize = 80;

/// Improves a direction by steps to all sides that become shorter when none of them helps.
fn climb(function: impl Fn(DVec3) -> f64, start: DVec3) -> DVec3 {
    let (mut best, mut value, mut step) = (start, function(start), 0.2);
    for _ in 0..CLIMBS {
        if step < 1e-9 {
            break;
        }
        let (x, y) = best.any_orthonormal_pair();
        let sides = [x, y, -x, -y, x + y, x - y, y - x, -x - y];
        let next = sides
            .into_iter()
            .map(|side| (best + step * side).normalize())
            .map(|n| (function(n), n))
            .fold((value, best), |a, b| if b.0 > a.0 { b } else { a });
        if next.0 > value {
            (value, best) = next;
        } else {
            step *= 0.5;
        }
    }
    best
}

/// Samples of a whole turn: cylinders and cones bend so little that no maximum of theirs hides between them.
pub(crate) const TURN: usize = 16;

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A cap of the other shape.
    Other(Cap),
    /// A cap of the one.
    One(Cap),
    /// Sides that cross.
    Crossed,
    /// Sides along each other.
    Parallel,
}

struct Rounds<'a> {
    one: Round,
    own: &'a Round,
    other: &'a Round,
    relative: &'a Relative,
}

impl Rounds<'_> {
    fn separation(&self, normal: DVec3) -> f64 {
        self.one.farthest(-normal).dot(normal) - self.other.farthest(normal).dot(normal)
    }

    /// The best axis of sides and rims: normals of either side, and of either shape at points of the rim of the other.
    fn search(&self) -> Option<(f64, DVec3)> {
        let mut best: Option<(f64, DVec3)> = None;
        let mut offer = |normal: DVec3| {
            let separation = self.separation(normal);
            if best.is_none_or(|b| separation > b.0) {
                best = Some((separation, normal));
            }
        };
        for (round, beyond, sign) in [(self.other, &self.one, 1.0), (&self.one, self.other, -1.0)] {
            let (x, y, axis) = (round.axes.x_axis, round.axes.y_axis, round.axis());
            let [sine, cosine] = round.slope();
            let out = |angle: f64| angle.cos() * x + angle.sin() * y;
            let side = |angle: f64| sign * (cosine * out(angle) + sine * axis);
            offer(side(maximise(|angle| self.separation(side(angle)), 0.0, TAU, TURN)));
            for cap in round.caps() {
                let rim = |angle: f64| cap.centre + round.radius * out(angle);
                let depth = |angle: f64| -point((DVec3::ZERO, 0.0), rim(angle), beyond, beyond).1;
                let angle = maximise(depth, 0.0, TAU, TURN);
                offer(-sign * outward(rim(angle), beyond));
            }
            if round.cone {
                offer(-sign * outward(round.apex(), beyond));
            }
        }
        // The best directions all round, in case that the best axis is none of these.
        let mut starts = [(f64::NEG_INFINITY, DVec3::Z); 5];
        starts[4] = best?;
        for normal in (0..SPHERE).map(spiral) {
            let least = (0..4).min_by(|&i, &j| starts[i].0.total_cmp(&starts[j].0)).unwrap_or(0);
            let separation = self.separation(normal);
            if separation > starts[least].0 {
                starts[least] = (separation, normal);
            }
        }
        starts
            .into_iter()
            .map(|(_, start)| climb(|n| self.separation(n), start))
            .map(|n| (self.separation(n), n))
            .max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// What is over a cap: a cap that faces it, or the lowest points of a side or rim. `flip` says that the cap is one of the one shape.
    fn add_cap(&self, cap: &Cap, flip: bool, size: f64, sink: &mut Sink<'_>) -> f64 {
        let (reference, incident) =
            if flip { (&self.one, self.other) } else { (self.other, &self.one) };
        let slack = ON_SIDE * size;
        let to_reference = |p: DVec3| if flip { self.relative.back(p) } else { p };
        let to_incident = |p: DVec3| if flip { p } else { self.relative.back(p) };
        let normal =
            if flip { self.relative.rotation.transpose() * cap.normal } else { cap.normal };
        let origin = to_reference(cap.centre);
        let mut least = f64::INFINITY;
        let mut add = |code: u32, p: DVec3, features: Option<Features>, sink: &mut Sink<'_>| {
            let gap = (p - cap.centre).dot(cap.normal);
            least = least.min(gap);
            let centre = to_incident(p);
            let features =
                features.unwrap_or(Features::BallPlane { centre, radius: 0.0, origin, normal });
            let codes = [code, FACE | cap.end];
            let codes = if flip { [codes[1], codes[0]] } else { codes };
            sink.push(codes, features, flip, gap);
        };
        let over = |p: DVec3| {
            let way = p - cap.centre;
            (way - way.dot(cap.normal) * cap.normal).length() <= reference.radius + slack
        };
        if incident.cone && over(incident.apex()) {
            add(VERTEX | 8, incident.apex(), None, sink);
        }
        for low in incident.caps() {
            let down = low.normal * low.normal.dot(cap.normal) - cap.normal;
            let tilt = down.length();
            let flat = tilt <= crate::tolerance::FLAT;
            let (x, y) = (incident.axes.x_axis, incident.axes.y_axis);
            let first = if flat { x } else { incident.outward(-cap.normal) };
            let second = if flat { y } else { incident.axis().cross(first) };
            let mut all = true;
            for (k, way) in [first, second, -first, -second].into_iter().enumerate() {
                let p = low.centre + incident.radius * way;
                all &= over(p);
                if over(p) {
                    let rim = (k == 0 && !flat).then(|| Features::RimPlane {
                        centre: to_incident(low.centre),
                        axis: if flip { self.other.axis() } else { self.own.axis() },
                        radius: incident.radius,
                        origin,
                        normal,
                    });
                    add(VERTEX | (4 * low.end + k as u32), p, rim, sink);
                }
            }
            if low.normal.dot(cap.normal) < FACING && !all {
                self.rims(cap, &low, (reference, incident), slack, |code, p| {
                    add(code, p, None, sink);
                });
            }
        }
        least
    }

    /// Points of two caps that face each other where the rim of the reference is below the incident cap, and where rims cross.
    fn rims(
        &self,
        cap: &Cap,
        low: &Cap,
        (reference, incident): (&Round, &Round),
        slack: f64,
        mut add: impl FnMut(u32, DVec3),
    ) {
        let lift = |p: DVec3| {
            p + (low.centre - p).dot(low.normal) / cap.normal.dot(low.normal) * cap.normal
        };
        let (x, y) = (reference.axes.x_axis, reference.axes.y_axis);
        for (k, way) in [x, y, -x, -y].into_iter().enumerate() {
            let p = lift(cap.centre + reference.radius * way);
            if (p - low.centre).length() <= incident.radius + slack {
                add(FACE | (8 + 4 * low.end + k as u32), p);
            }
        }
        let between = low.centre - cap.centre;
        let between = between - between.dot(cap.normal) * cap.normal;
        let d = between.length();
        let (r, s) = (reference.radius, incident.radius);
        // Tilted by more, the incident rim is no circle seen from above.
        let flat = cap.normal.cross(low.normal).length() < 1e-4;
        if flat && d > (r - s).abs() + slack && d < r + s - slack {
            let along = (d * d + r * r - s * s) / (2.0 * d);
            let across = (r * r - along * along).max(0.0).sqrt();
            let (u, v) = (between / d, cap.normal.cross(between / d));
            for (k, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let p = lift(cap.centre + along * u + sign * across * v);
                add(EDGE | (2 * low.end + k as u32), p);
            }
        }
    }

    fn add_crossed(&self, separation: f64, normal: DVec3, slack: f64, sink: &mut Sink<'_>) -> f64 {
        let (one, other) = (&self.one, self.other);
        let (s, t) = nearest::feet(one.centre, one.axis(), other.centre, other.axis());
        if s.abs() > one.half_height + slack || t.abs() > other.half_height + slack {
            return f64::INFINITY;
        }
        let forward = one.axis().cross(other.axis()).dot(normal) > 0.0;
        let own = self.own.axis();
        let features = Features::Lines {
            origins: [self.own.centre, other.centre],
            directions: [if forward { own } else { -own }, other.axis()],
            radii: [one.radius, other.radius],
        };
        sink.push([EDGE | 1 << 29; 2], features, false, separation);
        separation
    }

    /// The ends of the stretch along which two cylinders touch.
    fn add_parallel(&self, separation: f64, size: f64, sink: &mut Sink<'_>) -> f64 {
        let (one, other) = (&self.one, self.other);
        let slack = ON_SIDE * size;
        let middle = other.cylindrical(one.centre).0;
        let (low, high) = (middle - one.half_height, middle + one.half_height);
        let h = other.half_height;
        if high < -h + 10.0 * slack || low > h - 10.0 * slack {
            return f64::INFINITY;
        }
        let same = one.axis().dot(other.axis()) > 0.0;
        for (end, (mine, theirs)) in [(low, -h), (high, h)].into_iter().enumerate() {
            let inside = mine.abs() <= h + slack;
            let z = if inside { mine } else { theirs };
            let along = if same { z - middle } else { middle - z };
            let features = Features::BallLine {
                centre: self.own.centre + along * self.own.axis(),
                radius: one.radius,
                origin: other.centre,
                direction: other.axis(),
                line_radius: other.radius,
            };
            let code = end as u32 | if inside { 0 } else { 2 };
            sink.push([EDGE | code, EDGE | 1 << 29], features, false, separation);
        }
        separation
    }
}
