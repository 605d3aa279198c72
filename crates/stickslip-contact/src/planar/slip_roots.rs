//! One planar contact whose coefficient of friction depends on the slip speed: every slip speed that the law allows lies in an interval
//! that is found, halved and narrowed, the slowest first.
//!
//! With slip in the direction σ = ±1 at the speed s the coefficient μ(s) gives the impulses, and these give the speed back:
//!
//! ```text
//! Λ_N(μ) = (σ a W_NT − b_N) / D,   D = W_NN − σ μ W_NT,   S(μ) = σ (b_T + W_TN Λ_N) − W_TT (μ Λ_N + a),   S(μ(s)) = s
//! ```
//!
//! While D > 0, S falls with μ (its derivative has the sign of −det W), so that speeds from l to h lead to those between S of the
//! largest and of the least μ there. What is outside of both intervals is no solution. Where D ≤ 0 (Painlevé) nothing is said.
//!
//! Of several solutions it is the open one, then stick, then the slowest slip; with that the answer depends on the problem alone, and a
//! curve that falls within ever smaller speeds tends to a static and a kinetic coefficient.

use crate::{ContactProblem, FrictionCurve};

/// Intervals that are looked at, at most.
const MOST: usize = 2000;
/// A friction beyond its limit by less than this share of it is rounding.
const ROUNDING: f64 = 1e-14;
/// A speed that leads to itself but for this share of the velocities of the problem is a solution; the certificate judges it.
const SAME: f64 = 1e-13;

/// Impulses of one planar contact with a curve that obey its law but for rounding, and how many intervals were looked at. `None` for
/// other problems, and where none are found.
pub(crate) fn solve(problem: &ContactProblem, impulse: &mut Vec<f64>) -> Option<usize> {
    let [law] = problem.laws() else { return None };
    let (curve, [bn, bt]) = (law.curve()?, *<&[f64; 2]>::try_from(problem.bias()).ok()?);
    let w = |r: usize, c: usize| problem.delassus().entry(r, c, (0, 0));
    if !problem.is_planar() || problem.is_associated() {
        return None;
    }
    let (nn, nt, tn, tt) = (w(0, 0), w(0, 1), w(1, 0), w(1, 1));
    let contact = Contact { nn, nt, tn, tt, bn, bt, a: law.radius, curve };
    let (answer, intervals) = contact.solve()?;
    impulse.clear();
    impulse.extend(answer);
    Some(intervals)
}

struct Contact<'a> {
    nn: f64,
    nt: f64,
    tn: f64,
    tt: f64,
    bn: f64,
    bt: f64,
    a: f64,
    curve: &'a FrictionCurve,
}

impl Contact<'_> {
    fn solve(&self) -> Option<([f64; 2], usize)> {
        let det = self.nn * self.tt - self.nt * self.tn;
        if !(self.nn > 0.0 && self.tt > 0.0 && det > ROUNDING * self.nn * self.tt) {
            return None;
        }
        if let Some(open) = self.open() {
            return Some((open, 0));
        }
        let normal = (self.bt * self.nt - self.bn * self.tt) / det;
        let friction = (self.bn * self.tn - self.bt * self.nn) / det;
        let limit = self.curve.coefficient(0.0) * normal + self.a;
        if normal >= 0.0 && friction.abs() <= limit * (1.0 + ROUNDING) {
            return Some(([normal, friction], 0));
        }
        // The contact slips against the friction that it would need to stick.
        let first = if friction > 0.0 { -1.0 } else { 1.0 };
        let mut intervals = 0;
        for side in [first, -first] {
            if let Some(answer) = self.slip(side, &mut intervals) {
                return Some((answer, intervals));
            }
        }
        None
    }

    /// Λ_N = 0, with friction of constant size if there is any.
    fn open(&self) -> Option<[f64; 2]> {
        let friction = (-self.bt / self.tt).clamp(-self.a, self.a);
        (self.bn + self.nt * friction >= 0.0).then_some([0.0, friction])
    }

    /// Λ_N and the slip speed in the direction σ at a coefficient; none where D is not positive.
    fn at(&self, side: f64, mu: f64) -> Option<[f64; 2]> {
        let d = self.nn - side * mu * self.nt;
        if !(d > ROUNDING * self.nn) {
            return None;
        }
        let normal = (side * self.a * self.nt - self.bn) / d;
        let speed = side * (self.bt + self.tn * normal) - self.tt * (mu * normal + self.a);
        Some([normal, speed])
    }

    /// The slowest slip in the direction σ.
    fn slip(&self, side: f64, intervals: &mut usize) -> Option<[f64; 2]> {
        let [normal, fastest] = self.at(side, 0.0)?;
        let scale = self.bt.abs() + (self.tn * normal).abs() + self.tt * self.a;
        if !(normal >= 0.0 && fastest > 0.0) {
            return None;
        }
        // Disjoint intervals in the order of their speeds, the slowest last; one more at most for every halving.
        let mut open = [[0.0; 2]; 64];
        (open[0], *intervals) = ([0.0, fastest], *intervals + 1);
        let mut count = 1;
        while count > 0 && *intervals < MOST {
            *intervals += 1;
            let [low, high] = open[count - 1];
            let [least, most] = self.curve.range(low, high);
            let ([_, slow], [_, fast]) = (self.at(side, most)?, self.at(side, least)?);
            // Rounding of a speed must not exclude it.
            let rounding = 4.0 * f64::EPSILON * scale;
            let (from, to) = (low.max(slow - rounding), high.min(fast + rounding));
            if !(from <= to) {
                count -= 1;
                continue;
            }
            let narrow = to - from <= SAME * scale;
            if narrow {
                let answer = self.settle(side, from, to, scale);
                if answer.is_some() {
                    return answer;
                }
                count -= 1;
                continue;
            }
            open[count - 1] = [from, to];
            if to - from > 0.5 * (high - low) {
                let middle = 0.5 * (from + to);
                if count == open.len() {
                    return None;
                }
                open[count - 1] = [middle, to];
                open[count] = [from, middle];
                count += 1;
            }
        }
        None
    }

    /// The impulses of a speed in a narrow interval, if it leads to itself.
    fn settle(&self, side: f64, from: f64, to: f64, scale: f64) -> Option<[f64; 2]> {
        let mut speed = 0.5 * (from + to);
        for _ in 0..2 {
            speed = self.at(side, self.curve.coefficient(speed))?[1].clamp(from, to);
        }
        let leads = self.leads_to_itself(side, speed, scale);
        // Where friction rises steeply, speeds of the interval lead to others far beyond it, on either side.
        leads.or_else(|| self.leads_to_itself(side, self.halved(side, from, to)?, scale))
    }

    fn leads_to_itself(&self, side: f64, speed: f64, scale: f64) -> Option<[f64; 2]> {
        let mu = self.curve.coefficient(speed);
        let [normal, back] = self.at(side, mu)?;
        let same = (back - speed).abs() <= 4.0 * SAME * scale;
        same.then_some([normal, -side * (mu * normal + self.a)])
    }

    /// The speed between slower ones that lead to faster ones and faster ones that lead to slower ones, or the reverse, by halving.
    fn halved(&self, side: f64, mut from: f64, mut to: f64) -> Option<f64> {
        let gains = |speed| Some(self.at(side, self.curve.coefficient(speed))?[1] > speed);
        let first = gains(from)?;
        loop {
            let middle = 0.5 * (from + to);
            if !(from < middle && middle < to) {
                return Some(middle);
            }
            if gains(middle)? == first { from = middle } else { to = middle }
        }
    }
}
