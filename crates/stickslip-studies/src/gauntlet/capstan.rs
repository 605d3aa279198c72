//! A chain over a drum: row H.

use super::limits::both;
use super::{Case, Goal, Span, Yard};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use stickslip::Error;
use stickslip::bodies::{Geometry, Pose, Twist};
use stickslip::contact::Law;

/// Blocks of the chain, which lies on half of the drum.
const BLOCKS: usize = 10;
const MU: f64 = 0.3;
/// The distance of the faces of the drum from its axis, in m.
const RADIUS: f64 = 0.5;
/// Length, width and height of a block, in m.
const BLOCK: DVec3 = DVec3::new(0.05, 0.03, 0.01);
/// The smaller tension, in N.
const TENSION: f64 = 10.0;

/// The angle between neighbouring blocks.
fn step() -> f64 {
    PI / BLOCKS as f64
}

/// The largest ratio of the tensions at both ends of the chain.
///
/// A block lies flat on a face of the drum, between links that are inclined to it by half the angle δ between blocks. Tensions T and T' press it on the face with
/// N = (T + T') sin δ/2, and friction carries (T' − T) cos δ/2 ≤ μN: T'/T is at most (1 + μ tan δ/2) / (1 − μ tan δ/2), and for n blocks its power n. In
/// the limit of many this is e^{μφ} for the angle φ = nδ.
fn critical_ratio() -> f64 {
    let share = MU * (0.5 * step()).tan();
    ((1.0 + share) / (1.0 - share)).powi(BLOCKS as i32)
}

/// Both of them. A chain that slides by s has links that are inclined by s/R more before its blocks and less behind them, which holds it again after some 0.3 mm: the
/// way in which 0.1 % of the ratio is made up for.
pub(super) fn cases() -> [Case; 2] {
    let (exact, limit) = (critical_ratio(), (MU * PI).exp());
    let name = format!(
        "capstan with {BLOCKS} blocks, critical ratio {exact:.6} (many: e^(μπ) = {limit:.6})"
    );
    let [stands, falls] = both('H', &name, |share| chain(critical_ratio() / share));
    let span = Span { t_end: 0.4, dt: 1e-3 };
    [Case { span, ..stands }, Case { span, goal: Goal::More(1e-4), ..falls }]
}

/// Blocks on the faces of a drum with a horizontal axis along y, linked from centre to centre, and pulled at both ends along links that
/// would go on.
fn chain(ratio: f64) -> Result<Yard, Error> {
    let mut yard = Yard::without_ground(DVec3::ZERO, Law::disc(MU))?;
    yard.fix(drum(), Pose::default())?;
    let far = RADIUS + 0.5 * BLOCK.z;
    let turn = |k: f64| DQuat::from_rotation_y((k + 0.5) * step() - 0.5 * PI);
    let centre = |k: f64| turn(k) * DVec3::Z * far;
    let mut blocks = Vec::new();
    for k in 0..BLOCKS {
        let pose = Pose { position: centre(k as f64), rotation: turn(k as f64) };
        blocks.push(yard.cuboid(0.02, BLOCK, (pose, Twist::default()))?);
    }
    for pair in blocks.windows(2) {
        yard.link(pair[0], pair[1], 2.0 * far * (0.5 * step()).sin())?;
    }
    let outwards = |from: f64, to: f64| (centre(to) - centre(from)).normalize();
    let last = BLOCKS as f64 - 1.0;
    yard.pull(blocks[0], TENSION * outwards(0.0, -1.0))?;
    yard.pull(blocks[BLOCKS - 1], TENSION * ratio * outwards(last, last + 1.0))?;
    Ok(yard)
}

/// A prism with as many faces on its upper half as there are blocks, and as many below.
fn drum() -> Geometry {
    let far = RADIUS / (0.5 * step()).cos();
    let edge = |k: usize| DQuat::from_rotation_y(k as f64 * step() - 0.5 * PI) * DVec3::Z * far;
    let ends = |k: usize| [edge(k) - 0.05 * DVec3::Y, edge(k) + 0.05 * DVec3::Y];
    Geometry::Hull { points: (0..2 * BLOCKS).flat_map(ends).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ratio exceeds that of a rope, and comes near it with the square of the half angle h = δ/2 between blocks: from 2n artanh(μ tan h) its logarithm
    /// exceeds μφ by φ h² (μ + μ³)/3 + φ h⁴ (2μ/15 + μ³/3 + μ⁵/5) + O(h⁶).
    #[test]
    fn many_blocks_hold_like_a_rope() {
        let off = critical_ratio().ln() - MU * PI;
        let square = (0.5 * step()).powi(2);
        let second = (MU + MU.powi(3)) / 3.0;
        let fourth = 2.0 * MU / 15.0 + MU.powi(3) / 3.0 + MU.powi(5) / 5.0;
        let series = PI * square * (second + square * fourth);
        assert!((off / series - 1.0).abs() < square.powi(2), "{off} {series}");
    }
}
