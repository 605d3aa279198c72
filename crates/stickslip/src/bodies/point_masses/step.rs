//! One body over one step: \[5\] eq. (3) and its two cousins.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | q, v | places and velocities of the masses at the beginning |
//! | load | force and torque about the centre |
//! | middle | the velocity that moves the masses |

use super::DistanceStep;
use super::tetrahedron::{
    Bars, Quad, Tetrahedron, centre, largest, moved, unit_inertia, unit_momentum,
};
use glam::DVec3;

/// Most iterations for the places that belong to given velocities; their ratio is the angle per step.
const MOST_ITERATIONS: usize = 60;

impl DistanceStep {
    /// The velocities at the end of a step without contact; None if the bars cannot hold, which tells that the body turns
    /// by more than about a radian in the step.
    pub(crate) fn free(
        self,
        body: &Tetrahedron,
        q: &Quad,
        v: &Quad,
        load: (DVec3, DVec3),
        dt: f64,
    ) -> Option<Quad> {
        let bars = Bars::new(q)?;
        let share = if self == Self::AsPrinted { 1.0 } else { 0.5 };
        let mut middle = moved(v, &body.acceleration(q, load), share * dt);
        // [5] eq. (3), second row.
        bars.hold(&mut middle, bars.centrifugal(v).map(|x| -share * dt * x));
        if self == Self::AsPrinted {
            return Some(middle);
        }
        if self == Self::Shake && !body.shake(&bars, q, &mut middle, dt) {
            return None;
        }
        let there = moved(q, &middle, dt);
        let mut end = moved(&middle, &body.acceleration(&there, load), 0.5 * dt);
        Bars::new(&there)?.hold(&mut end, [0.0; 6]);
        Some(end)
    }

    /// The places at the end of a step, from the velocities at its ends.
    ///
    /// Whatever acted besides the bars is a rigid impulse, and half of it acts before the masses move: it is half of what
    /// the momentum and the angular momentum, the latter at the new places, have changed by.
    pub(crate) fn advance(
        self,
        body: &Tetrahedron,
        q: &Quad,
        before: &Quad,
        after: &Quad,
        dt: f64,
    ) -> Quad {
        let straight = || moved(&moved(q, before, 0.5 * dt), after, 0.5 * dt);
        let Some(bars) = Bars::new(q).filter(|_| self != Self::AsPrinted) else {
            return moved(q, after, dt);
        };
        let target = bars.centrifugal(before).map(|x| -0.5 * dt * x);
        let push = 0.5 * (centre(after) - centre(before));
        let (inverse, momentum) = (unit_inertia(q).inverse(), unit_momentum(q, before));
        let (c, enough) = (centre(q), body.rounding(q));
        let mut end = straight();
        let mut lambda = [0.0; 6];
        for _ in 0..MOST_ITERATIONS {
            let turn = 0.5 * (inverse * (unit_momentum(&end, after) - momentum));
            let mut middle: Quad =
                std::array::from_fn(|i| before[i] + (push + turn.cross(q[i] - c)));
            if self == Self::Half {
                bars.hold(&mut middle, target);
            } else {
                bars.push(&mut middle, &lambda);
                let off = body.excess(&moved(q, &middle, dt));
                let more = bars.solve(off.map(|x| -x / dt));
                bars.push(&mut middle, &more);
                lambda.iter_mut().zip(more).for_each(|(a, b)| *a += b);
            }
            let next = moved(q, &middle, dt);
            let change = next.iter().zip(&end).map(|(a, b)| (*a - *b).abs().max_element());
            let change = change.fold(0.0, f64::max);
            end = next;
            let held = self == Self::Half || largest(&body.excess(&end)) <= enough;
            if held && change <= enough {
                break;
            }
        }
        end
    }
}

/// Σ x × v of one mass after another, about the origin.
pub(crate) fn momenta(q: &Quad, v: &Quad) -> (DVec3, DVec3) {
    q.iter().zip(v).fold((DVec3::ZERO, DVec3::ZERO), |s, (x, v)| (s.0 + *v, s.1 + x.cross(*v)))
}
