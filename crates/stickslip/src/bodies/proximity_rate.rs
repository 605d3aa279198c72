//! How nearest points and normals move along with the bodies, for contact on the level of accelerations.

use super::pose::exponential;
use super::proximity::{Pair, ProximityRate, Shape};
use super::{Pose, Twist, ellipsoid};
use glam::DVec3;

/// The rotation, in radians, and the way, as a share of the distance from the contact to the centres, between two points of a
/// difference: rounding (ε/h) is then near 1e-13, and truncation is far below it, also where a normal or a nearest point turns
/// thirty times as fast as the bodies.
const WIDTH: f64 = 0.003;

/// Weights of the central difference of eighth order.
const WEIGHTS: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];

/// Rates by central differences of eighth order of [`Pair::proximity`].
pub(super) fn differences<P: Pair + ?Sized>(
    pair: &P,
    (a, v): (&Pose, &Twist),
    (b, w): (&Pose, &Twist),
) -> ProximityRate {
    // Seen from a frame that moves with the second body, so that a common velocity is not differenced.
    let relative = v.linear - w.linear;
    let now = pair.proximity(a, b);
    let levers = [now.on_first - a.position, now.on_second - b.position];
    let size = levers[0].length().max(levers[1].length());
    let way = if size > 0.0 { relative.length() / size } else { relative.length() };
    let rate = v.angular.length().max(w.angular.length()).max(way);
    let mut sum = ProximityRate::default();
    if rate > 0.0 {
        let h = WIDTH / rate;
        let at = |tau: f64| {
            let rotation = exponential(tau * v.angular) * a.rotation;
            let first = Pose { position: a.position + tau * relative, rotation };
            let second =
                Pose { rotation: exponential(tau * w.angular) * b.rotation, position: b.position };
            pair.proximity(&first, &second)
        };
        for (k, weight) in WEIGHTS.into_iter().enumerate() {
            let tau = (k + 1) as f64 * h;
            let (after, before) = (at(tau), at(-tau));
            let weight = weight / h;
            sum.gap += weight * (after.gap - before.gap);
            sum.on_first += weight * (after.on_first - before.on_first);
            sum.on_second += weight * (after.on_second - before.on_second);
            sum.normal += weight * (after.normal - before.normal);
        }
    }
    sum.on_first += w.linear;
    sum.on_second += w.linear;
    sum
}

/// The velocity of a point of a body given in its own axes.
fn velocity((pose, twist): (&Pose, &Twist), local: DVec3) -> DVec3 {
    twist.at(pose.rotation * local)
}

/// Rates of a shape against a plane of the second body.
pub(super) fn against_plane(
    shape: Shape,
    first: (&Pose, &Twist),
    (point, normal): (DVec3, DVec3),
    second: (&Pose, &Twist),
) -> ProximityRate {
    let n = second.0.rotation * normal;
    let turn = second.1.angular.cross(n);
    let (nearest, moves) = match shape {
        Shape::Point(p) | Shape::Plane(p, _) => (first.0.point(p), velocity(first, p)),
        Shape::Sphere(p, r) => (first.0.point(p) - r * n, velocity(first, p) - r * turn),
        Shape::Disc(p, axis, r) => {
            let a = first.0.rotation * axis;
            let turns = first.1.angular.cross(a);
            let down = a * a.dot(n) - n;
            let change = turns * a.dot(n) + a * (turns.dot(n) + a.dot(turn)) - turn;
            let (centre, moves) = (first.0.point(p), velocity(first, p));
            match down.try_normalize() {
                Some(d) => {
                    let rate = (change - d * d.dot(change)) / down.length();
                    (centre + r * d, moves + r * rate)
                }
                None => (centre, moves),
            }
        }
        Shape::Ellipsoid(p, axes) => {
            let back = first.0.rotation.conjugate();
            let (seen, turns) = (back * n, back * (turn - first.1.angular.cross(n)));
            let lowest = p + ellipsoid::lowest(axes, seen);
            let along = first.0.rotation * ellipsoid::lowest_rate(axes, seen, turns);
            (first.0.point(lowest), velocity(first, lowest) + along)
        }
    };
    let (origin, shifts) = (second.0.point(point), velocity(second, point));
    let gap = (nearest - origin).dot(n);
    let opens = (moves - shifts).dot(n) + (nearest - origin).dot(turn);
    let on_second = moves - opens * n - gap * turn;
    ProximityRate { gap: opens, on_first: moves, on_second, normal: turn }
}

/// Rates of two balls, of which points are some.
pub(super) fn between_balls(
    [a, b]: [Shape; 2],
    first: (&Pose, &Twist),
    second: (&Pose, &Twist),
) -> ProximityRate {
    let ball = |shape| match shape {
        Shape::Point(p) | Shape::Plane(p, _) | Shape::Ellipsoid(p, _) => (p, 0.0),
        Shape::Sphere(p, r) | Shape::Disc(p, _, r) => (p, r),
    };
    let ((p, r), (q, s)) = (ball(a), ball(b));
    let between = first.0.point(p) - second.0.point(q);
    let (v, w) = (velocity(first, p), velocity(second, q));
    let distance = between.length();
    let (gap, turn) = if distance > 0.0 {
        let n = between / distance;
        let moves = v - w;
        (n.dot(moves), (moves - n * n.dot(moves)) / distance)
    } else {
        (0.0, DVec3::ZERO)
    };
    ProximityRate { gap, on_first: v - r * turn, on_second: w + s * turn, normal: turn }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::proximity::pair;
    use glam::DQuat;

    #[test]
    fn closed_forms_agree_with_differences() {
        let (x, axis) = (DVec3::new(0.1, -0.2, 0.3), DVec3::new(0.36, 0.48, 0.8));
        let shapes = [
            Shape::Point(x),
            Shape::Sphere(x, 0.4),
            Shape::Disc(x, axis, 0.4),
            Shape::Ellipsoid(x, DVec3::new(0.5, 0.4, 0.3)),
        ];
        let others =
            [Shape::Plane(x, axis), Shape::Sphere(DVec3::new(0.2, 0.1, 0.0), 0.7), Shape::Point(x)];
        let turned = |v: DVec3| DQuat::from_scaled_axis(v);
        let a = Pose {
            position: DVec3::new(1.0, 2.0, 3.0),
            rotation: turned(DVec3::new(0.3, 0.9, -0.4)),
        };
        let b = Pose {
            position: DVec3::new(-0.5, 0.3, 0.2),
            rotation: turned(DVec3::new(-0.2, 0.5, 0.7)),
        };
        let v = Twist { linear: DVec3::new(1.0, -2.0, 0.5), angular: DVec3::new(2.0, 0.3, -1.0) };
        let w = Twist { linear: DVec3::new(0.2, 0.1, 3.0), angular: DVec3::new(-0.7, 1.1, 0.4) };
        for first in shapes {
            for second in others {
                let Ok(pair) = pair(first, second) else { continue };
                let exact = pair.rate((&a, &v), (&b, &w));
                let near = differences(&*pair, (&a, &v), (&b, &w));
                assert!((exact.gap - near.gap).abs() < 1e-11, "{first:?} {second:?}");
                let off = [
                    exact.on_first - near.on_first,
                    exact.on_second - near.on_second,
                    exact.normal - near.normal,
                ];
                for off in off {
                    assert!(off.length() < 1e-11, "{first:?} {second:?} {}", off.length());
                }
            }
        }
    }
}
