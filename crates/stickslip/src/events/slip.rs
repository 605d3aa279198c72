//! Closed contacts, and slip in space: its direction, how friction follows it, and how it is carried along.

use super::linear::Solved;
use super::motion::Motion;
use super::slip_newton::Slip;
use crate::contact::{Law, Mode};
use crate::dynamics::dot;
use std::ops::Range;

/// A closed contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed {
    pub(super) contact: usize,
    pub(super) mode: Mode,
    /// Its first row, and how many it has.
    pub(super) start: usize,
    pub(super) rows: usize,
    /// The direction of slip at the beginning of the step; zero where it does not slide.
    pub(super) along: [f64; 3],
    /// The same in the frame of the last evaluation.
    pub(super) now: [f64; 3],
    /// The slip that rounding makes of none.
    pub(super) noise: f64,
    /// f at the last evaluation; zero where it does not slide.
    pub(super) friction: [f64; 3],
    /// The coefficient of friction at the last evaluation.
    pub(super) mu: f64,
    /// It slides without load: Λ_N = 0, and friction of the size `share`, up to the constant a of the law, keeps γ̇_N = 0.
    pub(super) skims: bool,
    pub(super) share: f64,
    /// Where the direction of slip in space is an unknown of the step: its value, or none for that of the beginning. Else f is
    /// against the velocity.
    pub(super) steered: Option<Option<[f64; 2]>>,
}

impl Closed {
    /// Its tangential rows.
    pub(super) fn tangents(&self) -> Range<usize> {
        self.start + 1..self.start + self.rows
    }

    /// Whether its friction follows the velocity.
    fn follows(&self) -> bool {
        self.mode == Mode::Slip && self.rows == 3
    }

    /// f at these relative velocities. Past the end of a slip it goes on as before: the event is where γ_T vanishes.
    pub(super) fn find_friction(&mut self, gamma: &[f64]) {
        if !self.follows() {
            return;
        }
        let [x, y] = match self.steered {
            Some(heading) => heading.unwrap_or([self.now[0], self.now[1]]),
            None => self.heading(gamma),
        };
        self.friction = [-x, -y, 0.0];
    }

    /// μ at these relative velocities. Past the end of a slip it goes on smoothly, as 2 μ(0) − μ(−s): the event is where γ_T vanishes.
    pub(super) fn find_coefficient(&mut self, law: &Law, gamma: &[f64]) {
        self.mu = law.mu;
        if law.curve().is_none() || !matches!(self.mode, Mode::Slide(_) | Mode::Slip) {
            return;
        }
        let along = self.slip(gamma);
        let speed = Law::slip_speed(&gamma[self.tangents()]);
        let mu = law.coefficient(speed);
        self.mu = if along >= 0.0 { mu } else { 2.0 * law.mu - mu };
    }

    /// The limit of friction while it slides, at a normal force.
    pub(super) fn limit(&self, law: &Law, normal: f64) -> f64 {
        self.mu * normal + law.radius
    }

    /// The slip along the direction that it had at the beginning of the step, at the last evaluation.
    pub(super) fn slip(&self, gamma: &[f64]) -> f64 {
        self.now.iter().zip(&gamma[self.tangents()]).map(|(d, g)| d * g).sum()
    }

    /// The direction of slip in space at these relative velocities, continued past its end.
    fn heading(&self, gamma: &[f64]) -> [f64; 2] {
        let (x, y) = (gamma[self.start + 1], gamma[self.start + 2]);
        let [dx, dy, _] = self.now;
        let speed = x.hypot(y);
        if !(speed > self.noise) {
            return [dx, dy];
        }
        let side = if x * dx + y * dy < 0.0 { -1.0 } else { 1.0 };
        [side * x / speed, side * y / speed]
    }
}

impl Motion {
    /// Contacts whose friction follows the velocity.
    pub(super) fn followers(&self) -> impl Iterator<Item = &Closed> {
        let friction = |c: &&Closed| c.follows() && self.laws[c.contact].has_free_friction();
        self.closed.iter().filter(friction)
    }

    /// Takes these directions of slip in space in place of those of the velocities, or none.
    pub(super) fn steer(&mut self, headings: Option<&[Option<[f64; 2]>]>) {
        let (laws, mut next) = (&self.laws, 0);
        for c in self.closed.iter_mut().filter(|c| c.follows()) {
            if laws[c.contact].has_free_friction() {
                c.steered = headings.map(|h| h[next]);
                next += 1;
            }
        }
    }

    /// Begins a step where the last evaluation was made: slips in space are measured along their directions there.
    ///
    /// The frame in which a contact is measured may turn and even jump while it moves. A direction is carried along as the motion
    /// M⁻¹ H_T W_TT⁻¹ d that has the slip d and nothing else of the contact's tangents.
    pub(super) fn turn_slips(&mut self) {
        self.carriers.clear();
        let f = self.at.free.len();
        for c in self.closed.iter_mut().filter(|c| c.follows()) {
            let [x, y] = c.heading(&self.gamma);
            (c.along, c.now) = ([x, y, 0.0], [x, y, 0.0]);
            let (t, start) = (c.start + 1, self.carriers.len());
            let w = |r: usize, s: usize| self.w.row(t + r)[t + s];
            let det = w(0, 0) * w(1, 1) - w(0, 1) * w(1, 0);
            let both = if det > 0.0 {
                [(w(1, 1) * x - w(0, 1) * y) / det, (w(0, 0) * y - w(1, 0) * x) / det]
            } else {
                [x, y]
            };
            self.carriers.resize(start + f, 0.0);
            for (i, factor) in both.into_iter().enumerate() {
                let to = self.carriers[start..].iter_mut();
                to.zip(self.at.response(t + i)).for_each(|(c, y)| *c += factor * y);
            }
        }
    }

    /// Carries the directions of slips in space into the frames of the last evaluation.
    pub(super) fn carry_slips(&mut self) {
        let (f, mut start) = (self.at.free.len(), 0);
        for c in self.closed.iter_mut().filter(|c| c.follows()) {
            if let Some(carrier) = self.carriers.get(start..start + f) {
                let slip = [c.start + 1, c.start + 2].map(|r| dot(self.at.direction(r), carrier));
                c.now = direction(&slip, 0.0).unwrap_or(c.along);
            }
            start += f;
        }
    }

    /// For each contact whose friction follows the velocity, of the direction of slip d that it was evaluated with and the one
    /// across, e: appends the row of velocities along e to `rows`, the derivative of the accelerations by the angle of d to
    /// `answer`, and the slip itself to `slips`.
    pub(super) fn slip_derivatives(
        &mut self,
        rows: &mut Vec<f64>,
        answer: &mut Vec<f64>,
        slips: &mut Vec<Slip>,
    ) {
        let f = self.at.free.len();
        for k in 0..self.closed.len() {
            let c = self.closed[k];
            let law = &self.laws[c.contact];
            if !c.follows() || !law.has_free_friction() {
                continue;
            }
            let (start, t) = (rows.len(), c.start + 1);
            rows.resize(start + f, 0.0);
            answer.resize(start + f, 0.0);
            let d = [-c.friction[0], -c.friction[1]];
            let e = [-d[1], d[0]];
            let row = &mut rows[start..];
            for (i, e) in e.iter().enumerate() {
                row.iter_mut().zip(self.at.direction(t + i)).for_each(|(x, h)| *x += e * h);
            }
            let gamma = [self.gamma[t], self.gamma[t + 1]];
            let [along, across] = [d, e].map(|d| d[0] * gamma[0] + d[1] * gamma[1]);
            slips.push(Slip { heading: d, along, across });
            let limit = if c.skims { c.share } else { c.limit(law, self.lam[c.start]) };
            let [x, y] = e.map(|e| -limit * e);
            self.answer_to(k, [x, y, 0.0]);
            self.at.apply(&self.shared, &mut answer[start..]);
            self.shared.clear();
        }
    }

    /// Whether more friction at a sliding contact would speed its slip up, at the last evaluation, while its direction is kept: friction
    /// across it, in space, holds the slip across at zero.
    ///
    /// One contact in the plane: where friction grows by δ along f, Λ_N changes by −W_NT f δ / D and the slip along f by
    /// δ (W_TT W_NN − W_NT²) / D with D = W_NN + μ W_NT f, so that D is negative (Painlevé).
    pub(super) fn slips_the_faster(&mut self, contact: usize) -> bool {
        let Some(k) = self.closed.iter().position(|c| c.contact == contact) else { return false };
        let c = self.closed[k];
        let [x, y, _] = c.friction;
        let (f, e) = (c.friction, [-y, x, 0.0]);
        let [ff, ef] = self.slip_answer(k, f, [f, e]);
        if !c.follows() {
            return ff < 0.0;
        }
        let [fe, ee] = self.slip_answer(k, e, [f, e]);
        ff - fe * ef / ee < 0.0
    }

    /// The accelerations of a contact's slip in two directions that a change of its friction leads to, while the mode holds.
    fn slip_answer(&mut self, k: usize, change: [f64; 3], directions: [[f64; 3]; 2]) -> [f64; 2] {
        self.answer_to(k, change);
        let (w, lam) = (&self.w, &self.shared);
        let rate = |d: [f64; 3]| {
            d.iter().zip(self.closed[k].tangents()).map(|(d, t)| d * dot(w.row(t), lam)).sum()
        };
        let rates = directions.map(rate);
        self.shared.clear();
        rates
    }

    /// The forces that a change of the friction of one sliding contact leads to, with it, while the mode holds; in `shared`.
    fn answer_to(&mut self, k: usize, change: [f64; 3]) {
        let tangents = self.closed[k].tangents();
        self.y.clear();
        for &(r, _) in &self.rows {
            let line = &self.w.row(r)[tangents.clone()];
            let push: f64 = change.iter().zip(line).map(|(x, w)| x * w).sum();
            self.y.push(-self.unit[r] * push);
        }
        self.answer();
        self.shared[tangents].iter_mut().zip(change).for_each(|(s, x)| *s += x);
    }

    /// Takes away what rounding of the forces has left of γ̇ at closed contacts: large forces that cancel each other leave their last digits
    /// in accelerations that should be zero.
    pub(super) fn hold_contacts(&mut self, acc: &mut [f64]) {
        self.y.clear();
        for &(r, _) in &self.rows {
            let left = dot(self.at.direction(r), acc) + self.at.convective[r];
            self.y.push(-self.unit[r] * left);
        }
        self.answer();
        self.at.apply(&self.shared, acc);
        self.lam.iter_mut().zip(&self.shared).for_each(|(lam, more)| *lam += more);
        self.shared.clear();
    }

    /// The forces that solve the equations of the mode for the right side in `y`, with the friction that follows from them; in `shared`.
    fn answer(&mut self) {
        let solved = self.small.solve(&self.a, &mut self.y) != Solved::No;
        self.shared.clear();
        self.shared.resize(self.lam.len(), 0.0);
        if solved {
            for (&row, y) in self.rows.iter().zip(&self.y) {
                self.shared[row.0] = self.unknown_unit(row) * y;
            }
        }
        for c in self.closed.iter().filter(|c| matches!(c.mode, Mode::Slide(_) | Mode::Slip)) {
            let mut more = c.mu * self.shared[c.start];
            if c.skims {
                more = std::mem::take(&mut self.shared[c.start]);
            }
            for (f, t) in c.friction.iter().zip(c.tangents()) {
                self.shared[t] = f * more;
            }
        }
    }
}

/// The direction of a tangential velocity, if it is larger than this.
pub(super) fn direction(velocity: &[f64], noise: f64) -> Option<[f64; 3]> {
    let size = match velocity {
        [one] => one.abs(),
        several => several.iter().map(|v| v * v).sum::<f64>().sqrt(),
    };
    if !(size > noise) {
        return None;
    }
    let mut along = [0.0; 3];
    along.iter_mut().zip(velocity).for_each(|(a, v)| *a = v / size);
    Some(along)
}
