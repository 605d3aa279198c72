//! Impulses that drift: where bodies are held by more contacts than they need and not all of these can stick, sweeps change impulses by
//! the same little from pair to pair, while velocities stay, until a contact reaches the limit of its friction and slips.
//! They are moved there at once.
//!
//! Notation: d and d₋ are the changes by the last two pairs of plain sweeps, r = d₋·d / d₋·d₋ in the norm that weighs each contact with its W_NN.
//! Pairs go on like a geometric series, so r/(1 − r) d is what is left of it (Aitken), unless a contact does something else before.

use super::packed::{Packed, ROWS, Vector, Wide};

/// The least cosine between two changes that are a drift.
const STRAIGHT: f64 = 0.95;
/// The least number of pairs that a jump is worth.
const LEAST: f64 = 8.0;

/// What the last pair but one changed, in the order of a sweep.
#[derive(Clone, Debug, Default)]
pub(super) struct Drift {
    before: Vec<Vector>,
}

impl Drift {
    /// Takes in the change by the pair that was just made.
    pub(super) fn see(&mut self, packed: &Packed) {
        self.before.clear();
        self.before.extend(packed.impulse.iter().map(|lam| change(&lam.now, &lam.last)));
    }

    /// Moves these contacts of the problem along their last change, if they drift; `last` are the velocities before it. Returns by how
    /// many pairs of sweeps.
    pub(super) fn jump(&self, packed: &mut Packed, members: &[u32], last: &[Wide]) -> f64 {
        let [mut old, mut both, mut new] = [0.0; 3];
        for &i in members {
            let at = packed.order.number[i as usize] as usize;
            let (scale, lam) = (packed.contacts[at].scale, &packed.impulse[at]);
            let (a, b) = (&self.before[at], change(&lam.now, &lam.last));
            old += scale * dot(a, a);
            both += scale * dot(a, &b);
            new += scale * dot(&b, &b);
        }
        if !(both > STRAIGHT * (old * new).sqrt()) {
            return 0.0;
        }
        let left = if both < old { both / (old - both) } else { f64::INFINITY };
        let mut pairs = left;
        for &i in members {
            pairs = pairs.min(packed.pairs_to_change(i as usize, last));
        }
        if !(pairs >= LEAST && pairs.is_finite()) {
            return 0.0;
        }
        members.iter().for_each(|&i| packed.go_on(i as usize, pairs));
        pairs
    }
}

impl Packed {
    /// Gives a contact the impulse that it has after so many more pairs like the last one, within the limit of its friction.
    fn go_on(&mut self, i: usize, pairs: f64) {
        let at = self.order.number[i] as usize;
        let lam = &self.impulse[at];
        let d = change(&lam.now, &lam.last);
        let [n, t, o] = std::array::from_fn(|r| lam.now[r] + pairs * d[r]);
        let n: f64 = n.max(0.0);
        let (size, limit) = ((t * t + o * o).sqrt(), self.contacts[at].mu * n);
        let kept = if size > limit { limit / size } else { 1.0 };
        self.set_impulse(i, &[n, kept * t, kept * o]);
    }

    /// After how many more pairs like the last one a contact does something else: opens, closes, or slips.
    fn pairs_to_change(&self, i: usize, last: &[Wide]) -> f64 {
        /// What is nearer to the limit of friction than this share slides.
        const SLIDES: f64 = 1e-12;
        let at = self.order.number[i] as usize;
        let (contact, lam) = (&self.contacts[at], &self.impulse[at]);
        let d = change(&lam.now, &lam.last);
        let [n, t, o] = lam.now;
        if n <= 0.0 {
            let (now, before) = (contact.velocity(&self.velocity)[0], contact.velocity(last)[0]);
            let closes = now > 0.0 && now < before;
            return if closes { now / (before - now) } else { f64::INFINITY };
        }
        let opens = if d[0] < 0.0 { -n / d[0] } else { f64::INFINITY };
        // |T + x d_T|² = μ² (N + x d_N)².
        let limit = contact.mu * contact.mu;
        let room = limit * n * n - (t * t + o * o);
        if room <= SLIDES * limit * n * n {
            return opens;
        }
        let half = limit * n * d[0] - (t * d[1] + o * d[2]);
        let square = limit * d[0] * d[0] - (d[1] * d[1] + d[2] * d[2]);
        // room + 2 half x + square x² = 0.
        let root = half * half - square * room;
        if root < 0.0 {
            return opens;
        }
        let root = root.sqrt();
        let slips = if half < 0.0 {
            room / (root - half)
        } else if square < 0.0 {
            (half + root) / -square
        } else {
            f64::INFINITY
        };
        opens.min(slips)
    }
}

fn change(now: &Vector, last: &Vector) -> Vector {
    std::array::from_fn(|r| now[r] - last[r])
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    (0..ROWS).map(|r| a[r] * b[r]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body_rows::BodyRows;
    use crate::solvers::FormBuffer;
    use crate::solvers::team::Team;
    use crate::{ContactProblem, Law};

    /// A particle that rests in a groove whose sides come nearer: it sticks to both while it is squeezed, and slips at the smoother one
    /// after thousands of pairs of sweeps.
    fn groove() -> ContactProblem {
        let (sine, cosine) = (0.2_f64, 0.96_f64.sqrt());
        let free = [0.0, 0.0, -0.05];
        let mut rows = BodyRows::default();
        rows.start(1);
        let mut bias = Vec::new();
        for side in [1.0, -1.0] {
            let frame = [[side * cosine, 0.0, sine], [-side * sine, 0.0, cosine], [0.0, 1.0, 0.0]];
            let squeezed = [-1e-5, 0.0, 0.0];
            for (row, more) in frame.iter().zip(squeezed) {
                bias.push((0..3).map(|x| row[x] * free[x]).sum::<f64>() + more);
            }
            rows.push([Some(0), None], frame.map(|[x, y, z]| [[x, y, z, 0.0, 0.0, 0.0], [0.0; 6]]));
        }
        rows.finish().unwrap();
        ContactProblem::new(rows, bias, vec![Law::disc(0.5), Law::disc(0.15)]).unwrap()
    }

    #[test]
    fn a_jump_is_as_many_pairs_of_sweeps_and_ends_where_a_contact_slips() {
        let problem = groove();
        let mut buffer = FormBuffer::default();
        let form = buffer.form(&problem);
        let rows = form.bodies().unwrap();
        let (team, mut last) = (Team::new(1).unwrap(), vec![[0.0; 8]; 1]);
        let mut packed = Packed::default();
        packed.fill(&form, rows, &[0.125, 0.0, 0.0, 0.125, 0.0, 0.0]);
        let mut drift = Drift::default();
        for _ in 0..200 {
            drift.see(&packed);
            packed.extrapolate_and_sweep(form.laws(), &team, (0.0, &mut last));
        }
        let mut plain = packed.clone();
        let pairs = drift.jump(&mut packed, &[0, 1], &last);
        assert!(pairs > 1e3 && pairs < 1e6, "{pairs}");
        for _ in 0..pairs as usize {
            plain.extrapolate_and_sweep(form.laws(), &team, (0.0, &mut last));
        }
        for (jumped, swept) in packed.impulse.iter().zip(&plain.impulse) {
            let off = change(&jumped.now, &swept.now);
            assert!(dot(&off, &off) <= 1e-8 * dot(&swept.now, &swept.now), "{jumped:?} {swept:?}");
        }
        let [n, t, o] = packed.contact(1).1;
        assert!((t * t + o * o - (0.15 * n).powi(2)).abs() <= 1e-12 * n * n);
    }
}
