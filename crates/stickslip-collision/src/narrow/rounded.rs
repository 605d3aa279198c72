//! Balls and capsules against each other, in closed form.

use super::{EDGE, Sink, VERTEX};
use crate::feature::Features;
use crate::narrow::nearest::feet;
use crate::pose::Relative;
use crate::tolerance::{ON_SIDE, PARALLEL};
use glam::DVec3;

pub(crate) fn balls(
    (p, r): (DVec3, f64),
    (q, s): (DVec3, f64),
    relative: &Relative,
    sink: &mut Sink<'_>,
) {
    let gap = (relative.point(p) - q).length() - r - s;
    let features = Features::Balls { centres: [p, q], radii: [r, s] };
    sink.push([VERTEX, VERTEX], features, false, gap);
}

pub(crate) fn ball_capsule(
    (p, r): (DVec3, f64),
    (ends, s): ([DVec3; 2], f64),
    relative: &Relative,
    sink: &mut Sink<'_>,
) {
    end_against((p, r), VERTEX, relative.point(p), (ends, s), false, sink);
}

/// A ball, at `at` in the axes of the capsule, against a capsule: its end or its side.
fn end_against(
    (centre, radius): (DVec3, f64),
    code: u32,
    at: DVec3,
    (ends, s): ([DVec3; 2], f64),
    flip: bool,
    sink: &mut Sink<'_>,
) {
    let along = ends[1] - ends[0];
    let t = (at - ends[0]).dot(along) / along.length_squared();
    let order = |a: u32, b: u32| if flip { [b, a] } else { [a, b] };
    if t > 0.0 && t < 1.0 {
        let gap = (at - (ends[0] + t * along)).length() - radius - s;
        let (origin, direction) = (ends[0], along.normalize());
        let features = Features::BallLine { centre, radius, origin, direction, line_radius: s };
        return sink.push(order(code, EDGE), features, flip, gap);
    }
    let end = usize::from(t >= 1.0);
    let gap = (at - ends[end]).length() - radius - s;
    let features = Features::Balls { centres: [centre, ends[end]], radii: [radius, s] };
    sink.push(order(code, VERTEX | end as u32), features, flip, gap);
}

/// Capsules: one point, or two where they are parallel side by side.
pub(crate) fn capsules(
    (a, r): ([DVec3; 2], f64),
    (b, s): ([DVec3; 2], f64),
    relative: &Relative,
    sink: &mut Sink<'_>,
) {
    let p = a.map(|x| relative.point(x));
    let back = b.map(|x| relative.back(x));
    let (length, span) = ((p[1] - p[0]).length(), (b[1] - b[0]).length());
    let (u, v) = ((p[1] - p[0]) / length, (b[1] - b[0]) / span);
    let cross = u.cross(v);
    let sine = cross.length();
    if sine > PARALLEL {
        let (x, y) = feet(p[0], u, b[0], v);
        if x > 0.0 && x < length && y > 0.0 && y < span {
            let own = (a[1] - a[0]).normalize();
            let distance = (p[0] - b[0]).dot(cross) / sine;
            let directions = [if distance < 0.0 { -own } else { own }, v];
            let features = Features::Lines { origins: [a[0], b[0]], directions, radii: [r, s] };
            sink.push([EDGE, EDGE], features, false, distance.abs() - r - s);
            if sine > SIDE_BY_SIDE {
                return;
            }
        }
    }
    if sine <= SIDE_BY_SIDE && stretch(((a, p), r), ((b, back), s), v, sink) {
        return;
    }
    // Of ends against the other capsule only the nearest counts.
    let mark = sink.found.len();
    for k in 0..2 {
        end_against((a[k], r), VERTEX | k as u32, p[k], (b, s), false, sink);
        end_against((b[k], s), VERTEX | k as u32, back[k], (a, r), true, sink);
    }
    let nearest =
        (mark..sink.found.len()).min_by(|&i, &j| sink.found[i].gap.total_cmp(&sink.found[j].gap));
    if let Some(k) = nearest {
        sink.found.swap(mark, k);
        sink.found.truncate(mark + 1);
    }
}

/// Capsules whose axes have a sine below this touch along a stretch within reach: the ends of the stretch are the points.
const SIDE_BY_SIDE: f64 = 1e-2;

/// Adds the two ends of the stretch along which two capsules are side by side; false if there is none. Ends that are level up to
/// a tolerance count as those of the one capsule, so that rounding does not choose.
fn stretch(
    ((a, p), r): (([DVec3; 2], [DVec3; 2]), f64),
    ((b, back), s): (([DVec3; 2], [DVec3; 2]), f64),
    v: DVec3,
    sink: &mut Sink<'_>,
) -> bool {
    let span = (b[1] - b[0]).length();
    let own = (a[1] - a[0]).normalize();
    let along = p.map(|x| (x - b[0]).dot(v));
    let slack = ON_SIDE * span.min((a[1] - a[0]).length());
    let order = if along[0] < along[1] { [0, 1] } else { [1, 0] };
    if along[order[1]] < 10.0 * slack || along[order[0]] > span - 10.0 * slack {
        return false;
    }
    for end in 0..2 {
        let k = order[end];
        let inside = if end == 0 { along[k] > -slack } else { along[k] < span + slack };
        if inside {
            let foot = b[0] + along[k] * v;
            let gap = (p[k] - foot).length() - r - s;
            let features = Features::BallLine {
                centre: a[k],
                radius: r,
                origin: b[0],
                direction: v,
                line_radius: s,
            };
            sink.push([VERTEX | k as u32, EDGE], features, false, gap);
        } else {
            let way = back[end] - a[0];
            let gap = (way - way.dot(own) * own).length() - r - s;
            let features = Features::BallLine {
                centre: b[end],
                radius: s,
                origin: a[0],
                direction: own,
                line_radius: r,
            };
            sink.push([EDGE, VERTEX | end as u32], features, true, gap);
        }
    }
    true
}
