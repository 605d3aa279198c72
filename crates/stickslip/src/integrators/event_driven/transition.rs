//! What happens at an event: impacts, then the contact problem on the level of accelerations, which decides
//! the next mode.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | touching | contacts with g = 0, in the order of `motion.assembly` |
//! | slips | of each touching contact: none where γ_T = 0 |
//! | γ⁻, γ⁺ | relative velocities before and after an impact |

use super::flow::EventDriven;
use super::linear::{Small, Solved};
use super::motion::closed_mode;
use super::watch::Subject;
use crate::contact::{ContactProblem, Law, Mode, Slip};
use crate::dynamics::{add_scaled, dot};
use crate::error::Error;
use crate::run::{Drift, Event, EventKind, Observer};
use crate::system::{Directions, System};
use complementarity::Matrix;

/// Relative velocities and accelerations below this share of the largest at the event count as zero.
const ZERO: f64 = 1e-9;

/// Rounding of a sum of terms, relative to the largest of them.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A touching contact while an event is resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Touch {
    contact: usize,
    /// None where γ_T = 0.
    slip: Option<Slip>,
    /// It leaves: γ_N > 0, or its force has just vanished.
    leaves: bool,
    /// The end of a series of impacts that is closed ahead of its time.
    series: Option<f64>,
}

impl<S: System + ?Sized> EventDriven<'_, S> {
    /// The first mode: contacts with g ≤ 0 touch.
    pub(super) fn touching(&mut self) -> Result<(), Error> {
        self.measure_noise()?;
        let touching = |(c, g): (usize, &f64)| (*g <= self.watch.gap_noise[c]).then_some(c);
        let contacts: Vec<usize> = self.gaps.iter().enumerate().filter_map(touching).collect();
        self.watch.fired.clear();
        self.touches = !contacts.is_empty();
        self.mode_chosen();
        self.watch.fired.extend(contacts.into_iter().map(Subject::Gap));
        let touch = self.touched();
        self.project_position(&touch)
    }

    /// Resolves an event at the state. `Err` inside says why the motion cannot go on.
    pub(super) fn transition<O: Observer + ?Sized>(
        &mut self,
        observer: &mut O,
    ) -> Result<Result<(), String>, Error> {
        self.counts.transitions += 1;
        self.measure_noise()?;
        let mut touch = self.touched();
        self.project_position(&touch)?;
        let impact = match self.collide(&mut touch, observer)? {
            Ok(impact) => impact,
            Err(why) => return Ok(Err(why)),
        };
        self.project_velocity(&touch)?;
        let old = self.modes.clone();
        if let Err(why) = self.choose(&mut touch, impact, observer)? {
            return Ok(Err(why));
        }
        self.mode_chosen();
        self.show_changes(&old, &touch, observer);
        Ok(Ok(()))
    }

    /// Gaps, and what rounding makes of them and of the slips.
    fn measure_noise(&mut self) -> Result<(), Error> {
        let crate::system::State { t, q, u } = &self.state;
        self.system.gaps(q, *t, &mut self.gaps);
        let (mut normal, mut tangent) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        for contact in 0..self.gaps.len() {
            let mut out = Directions {
                normal: &mut normal,
                tangent: &mut tangent,
                normal_drive: 0.0,
                tangent_drive: 0.0,
            };
            self.system.directions(contact, q, *t, &mut out);
            let (n, d) = (out.normal_drive.abs(), out.tangent_drive.abs());
            let sum =
                |w: &[f64], x: &[f64]| w.iter().zip(x).map(|(a, b)| (a * b).abs()).sum::<f64>();
            self.watch.gap_noise[contact] = ROUNDING * sum(&normal, q);
            self.watch.slip_noise[contact] = ROUNDING * (sum(&tangent, u) + n + d);
        }
        if self.gaps.iter().all(|g| g.is_finite()) {
            Ok(())
        } else {
            Err(Error::NotFinite { what: "a gap", t: *t })
        }
    }

    /// The contacts with g = 0, with the slips that their modes and the event say.
    fn touched(&self) -> Vec<Touch> {
        let fired = |s: Subject| self.watch.fired.contains(&s);
        let mut touch = Vec::new();
        for (contact, mode) in self.modes.iter().enumerate() {
            let slip = match *mode {
                Mode::Open if !fired(Subject::Gap(contact)) => continue,
                Mode::Slide(slip) if !fired(Subject::Slip(contact, slip)) => Some(slip),
                _ => None,
            };
            touch.push(Touch { contact, slip, leaves: false, series: None });
        }
        touch
    }

    fn collect(&mut self, touch: &[Touch]) -> Result<(), Error> {
        let contacts: Vec<usize> = touch.iter().map(|c| c.contact).collect();
        let (q, t) = (&self.state.q, self.state.t);
        self.motion.assembly.factorize(self.system, q, t)?;
        self.motion.assembly.collect(self.system, &contacts, q, t);
        Ok(())
    }

    /// Puts g = 0 by the smallest change of q in the norm of the mass matrix; two steps of Newton.
    fn project_position(&mut self, touch: &[Touch]) -> Result<(), Error> {
        for round in 0..3 {
            self.system.gaps(&self.state.q, self.state.t, &mut self.gaps);
            let depth: Vec<f64> = touch.iter().map(|c| -self.gaps[c.contact]).collect();
            let deepest = depth.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
            let Some((worst, size)) = deepest.map(|(i, d)| (touch[i].contact, d.abs())) else {
                return Ok(());
            };
            if round == 0 && size > self.counts.drift.depth {
                let (contact, t) = (Some(worst), self.state.t);
                self.counts.drift = Drift { depth: size, contact, t };
            }
            if size <= self.watch.gap_noise[worst] {
                return Ok(());
            }
            self.collect(touch)?;
            let rows: Vec<usize> = (0..touch.len()).map(|i| 2 * i).collect();
            let mut q = std::mem::take(&mut self.state.q);
            self.shift(&rows, &depth, &mut q);
            self.state.q = q;
        }
        Ok(())
    }

    /// x += M⁻¹ H Λ such that the components `rows` of Hᵀ x change by `by`; nothing if they contradict.
    fn shift(&mut self, rows: &[usize], by: &[f64], x: &mut [f64]) -> Vec<f64> {
        let assembly = &self.motion.assembly;
        let mut problem = ContactProblem::default();
        let n = 2 * assembly.contacts().len();
        assembly.pose(&self.info, &vec![0.0; n], |l| *l, &mut problem);
        let w = problem.delassus();
        let unit = |r: usize| if w[(r, r)] > 0.0 { 1.0 / w[(r, r)].sqrt() } else { 1.0 };
        let a = Matrix::from_fn(rows.len(), rows.len(), |i, j| {
            unit(rows[i]) * w[(rows[i], rows[j])] * unit(rows[j])
        });
        let mut y: Vec<f64> = rows.iter().zip(by).map(|(&r, b)| unit(r) * b).collect();
        let mut lam = vec![0.0; n];
        if Small::default().solve(&a, &mut y) != Solved::No {
            for (&r, y) in rows.iter().zip(&y) {
                lam[r] = unit(r) * y;
            }
            assembly.apply(&lam, x);
        }
        lam
    }

    /// An impact, if a touching contact approaches. Fills slips and what leaves; says whether there was one.
    fn collide<O: Observer + ?Sized>(
        &mut self,
        touch: &mut [Touch],
        observer: &mut O,
    ) -> Result<Result<bool, String>, Error> {
        self.collect(touch)?;
        let mut gamma = Vec::new();
        self.motion.assembly.relative_velocity(&self.state.u, &mut gamma);
        let largest = gamma.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let noise = |c: &Touch| self.watch.slip_noise[c.contact].max(1e-14 * largest);
        let approaches = |(i, c): (usize, &Touch)| {
            self.watch.fired.contains(&Subject::Gap(c.contact)) && gamma[2 * i] < -noise(c)
        };
        if !touch.iter().enumerate().any(approaches) {
            for (i, c) in touch.iter_mut().enumerate() {
                if self.modes[c.contact] == Mode::Open {
                    let slides = gamma[2 * i + 1].abs() > noise(c);
                    c.slip = if slides { Slip::of(gamma[2 * i + 1]) } else { None };
                    c.leaves = gamma[2 * i] > noise(c);
                }
            }
            return Ok(Ok(false));
        }
        if !self.resolve_impact() {
            let t = self.state.t;
            let status = self.impact.status;
            return Ok(Err(format!(
                "the impact at t = {t} has no answer by the law `{}` ({status:?})",
                self.settings.impact
            )));
        }
        self.after_impact(touch, observer);
        Ok(Ok(true))
    }

    fn resolve_impact(&mut self) -> bool {
        let (law, u) = (self.settings.impact, &mut self.state.u);
        let solved =
            self.impact.resolve(&self.info, &self.motion.assembly, law, &mut self.solver, u);
        self.counts.iterations += self.impact.iterations;
        if solved {
            self.certify(self.impact.certificate);
        }
        solved
    }

    /// Books the impact and reads from it what the contacts do.
    fn after_impact<O: Observer + ?Sized>(&mut self, touch: &mut [Touch], observer: &mut O) {
        let impact = std::mem::take(&mut self.impact);
        let largest = impact.before.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let t = self.state.t;
        let apart = (0..touch.len()).fold(0.0_f64, |m, i| m.max(impact.after[2 * i]));
        for (i, c) in touch.iter_mut().enumerate() {
            let (n, s) = (2 * i, 2 * i + 1);
            let lam = [impact.impulse[n], impact.impulse[s]];
            if lam != [0.0; 2] {
                self.book(c.contact, lam, impact.energy[i]);
                // γ⁺ = Hᵀu⁺ + ŵ.
                for r in [n, s] {
                    let moved = dot(self.motion.assembly.direction(r), &self.state.u);
                    self.totals.drive[c.contact] -= impact.impulse[r] * (impact.after[r] - moved);
                }
                let kind = EventKind::Impact;
                let (contact, energy) = (c.contact, impact.energy[i]);
                self.show(Event { t, contact, kind, impulse: lam, energy }, observer);
            }
            c.leaves = impact.after[n] > ZERO * largest;
            let slides = impact.after[s].abs() > ZERO * largest;
            c.slip = if slides { Slip::of(impact.after[s]) } else { None };
            if lam[0] > 0.0 && impact.before[n] < 0.0 {
                self.counts.impacts += 1;
                if apart > ZERO * largest {
                    let share = self.settings.accumulation;
                    c.series = self.accumulation.note(c.contact, t, apart, share);
                }
            }
        }
        let added: f64 = impact.energy.iter().sum();
        let size: f64 = impact.energy.iter().map(|e| e.abs()).sum();
        if added > 1e-12 * size {
            self.counts.created.0 += 1;
            self.counts.created.1 += added;
        }
        self.impact = impact;
        self.close_series(touch);
    }

    fn book(&mut self, contact: usize, impulse: [f64; 2], energy: f64) {
        self.totals.impulse[2 * contact] += impulse[0];
        self.totals.impulse[2 * contact + 1] += impulse[1];
        self.totals.impacts[contact] += energy;
        self.sampling.add(contact, impulse);
    }

    /// Closes all touching contacts if their bounces have become too low to follow.
    fn close_series(&mut self, touch: &mut [Touch]) {
        let Some(end) = touch.iter().filter_map(|c| c.series).reduce(f64::max) else { return };
        for c in touch {
            c.leaves = false;
            if c.series.is_some() {
                self.accumulation.wait(c.contact, end);
            }
            self.accumulation.end(c.contact);
        }
    }

    /// Puts γ_N = 0 at contacts that stay closed and γ_T = 0 at those that do not slide.
    fn project_velocity(&mut self, touch: &[Touch]) -> Result<(), Error> {
        let mut rows = Vec::new();
        for (i, c) in touch.iter().enumerate().filter(|(_, c)| !c.leaves) {
            rows.push(2 * i);
            if c.slip.is_none() && self.info.contacts[c.contact].law.has_free_friction() {
                rows.push(2 * i + 1);
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        self.collect(touch)?;
        let mut gamma = Vec::new();
        self.motion.assembly.relative_velocity(&self.state.u, &mut gamma);
        let by: Vec<f64> = rows.iter().map(|&r| -gamma[r]).collect();
        let mut u = std::mem::take(&mut self.state.u);
        let lam = self.shift(&rows, &by, &mut u);
        self.state.u = u;
        let mut after = Vec::new();
        self.motion.assembly.relative_velocity(&self.state.u, &mut after);
        // What a series of bounces had left is lost here.
        for (i, c) in touch.iter().enumerate() {
            let part = |r: usize| 0.5 * lam[r] * (gamma[r] + after[r]);
            self.totals.impacts[c.contact] += part(2 * i) + part(2 * i + 1);
        }
        Ok(())
    }

    /// Closed contacts on g = 0 and γ = 0, for a start in given modes.
    pub(super) fn enter_modes(&mut self) -> Result<(), Error> {
        self.measure_noise()?;
        self.watch.fired.clear();
        let touch = self.touched();
        self.project_position(&touch)?;
        self.project_velocity(&touch)?;
        self.totals.impacts.fill(0.0);
        self.counts.drift = Drift::default();
        Ok(())
    }

    /// The next mode. Where forces alone cannot hold the contact law (Painlevé), an impact without collision.
    fn choose<O: Observer + ?Sized>(
        &mut self,
        touch: &mut [Touch],
        impact: bool,
        observer: &mut O,
    ) -> Result<Result<(), String>, Error> {
        if self.decide(touch, impact)? {
            return Ok(Ok(()));
        }
        let t = self.state.t;
        let status = self.solver.solution().status;
        if self.jam(touch, observer)? {
            self.project_velocity(touch)?;
            if self.decide(touch, true)? {
                return Ok(Ok(()));
            }
        }
        Ok(Err(format!(
            "no contact forces obey the laws at t = {t} ({status:?}), and no impact without collision resolves it"
        )))
    }

    /// Solves the problem of accelerations and takes the modes from it; false if it has no answer.
    fn decide(&mut self, touch: &[Touch], impact: bool) -> Result<bool, Error> {
        let fired = |s: Subject| !impact && self.watch.fired.contains(&s);
        let stays: Vec<Touch> = touch.iter().copied().filter(|c| !c.leaves).collect();
        // At the event itself the force that vanishes and the acceleration it held back are both zero; the
        // event says which of them grows.
        let opens = |c: &Touch| fired(Subject::Force(c.contact));
        let guided: Vec<Touch> = stays
            .iter()
            .filter(|c| !opens(c))
            .map(|c| {
                let breaks = |s: Slip| fired(Subject::Reserve(c.contact, s));
                let slip = match c.slip {
                    None if breaks(Slip::Positive) => Some(Slip::Positive),
                    None if breaks(Slip::Negative) => Some(Slip::Negative),
                    slip => slip,
                };
                Touch { slip, ..*c }
            })
            .collect();
        let by_event = guided != stays;
        if by_event && self.solve_accelerations(&guided)? && self.agrees(&stays, &guided)? {
            self.take_modes(&guided);
            return Ok(true);
        }
        if !self.solve_accelerations(&stays)? {
            return Ok(false);
        }
        self.take_modes(&stays);
        Ok(true)
    }

    /// Poses and solves W Λ + b with accelerations, sliding contacts with their direction.
    fn solve_accelerations(&mut self, touch: &[Touch]) -> Result<bool, Error> {
        let mut acc = std::mem::take(&mut self.sampling.acc);
        let crate::system::State { t, q, u } = &self.state;
        let free = self.motion.free(self.system, q, u, *t, &mut acc);
        let (q, u, t) = (q.clone(), u.clone(), *t);
        free?;
        self.collect(touch)?;
        let mut bias = Vec::with_capacity(2 * touch.len());
        for (i, c) in touch.iter().enumerate() {
            let convective = self.system.convective(c.contact, &q, &u, t);
            for (d, v) in convective.iter().enumerate() {
                bias.push(dot(self.motion.assembly.direction(2 * i + d), &acc) + v);
            }
        }
        self.sampling.acc = acc;
        if !bias.iter().all(|v| v.is_finite()) {
            return Err(Error::NotFinite { what: "a contact's acceleration", t });
        }
        let problem = &mut self.motion.problem;
        self.motion.assembly.pose(&self.info, &bias, |l| *l, problem);
        let (_, _, laws) = problem.parts_mut();
        for (law, c) in laws.iter_mut().zip(touch) {
            law.sliding = c.slip;
        }
        let solution = self.solver.solve(&self.motion.problem);
        self.counts.iterations += solution.iterations;
        let (solved, certificate) = (solution.is_solved(), solution.certificate);
        if solved {
            self.certify(certificate);
        }
        Ok(solved)
    }

    /// Whether accelerations bear out what the event said: contacts left out do not approach, slips begun
    /// do not reverse.
    fn agrees(&mut self, stays: &[Touch], guided: &[Touch]) -> Result<bool, Error> {
        let force = self.solver.solution().impulse.clone();
        let mut acc = self.sampling.acc.clone();
        self.motion.assembly.apply(&force, &mut acc);
        let (q, u, t) = (self.state.q.clone(), self.state.u.clone(), self.state.t);
        self.collect(stays)?;
        let mut good = true;
        for (i, c) in stays.iter().enumerate() {
            let convective = self.system.convective(c.contact, &q, &u, t);
            let rate = |d: usize| {
                let w = self.motion.assembly.direction(2 * i + d);
                let inverse_mass = dot(w, self.motion.assembly.response(2 * i + d));
                let size = self.motion.load() * inverse_mass.max(0.0).sqrt();
                (dot(w, &acc) + convective[d], 1e-7 * size)
            };
            match guided.iter().find(|g| g.contact == c.contact) {
                None => good &= rate(0).0 >= -rate(0).1,
                Some(g) => {
                    if let (None, Some(slip)) = (c.slip, g.slip) {
                        good &= slip.sign() * rate(1).0 >= -rate(1).1;
                    }
                }
            }
        }
        Ok(good)
    }

    /// The modes of all contacts from the last solution, which is about the contacts of `touch`.
    fn take_modes(&mut self, touch: &[Touch]) {
        self.modes.fill(Mode::Open);
        let solution = self.solver.solution();
        let problem = &self.motion.problem;
        let largest = problem.bias().iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        for (i, c) in touch.iter().enumerate() {
            let (lam, xi) = (&solution.impulse, &solution.velocity);
            let load = lam.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            if xi[2 * i] > ZERO * largest && lam[2 * i] <= ZERO * load {
                continue;
            }
            let rate = xi[2 * i + 1];
            let law = self.info.contacts[c.contact].law;
            let begins = if rate.abs() > ZERO * largest { Slip::of(rate) } else { None };
            let slip = match c.slip.or(begins) {
                // Without friction there is nothing to stick by.
                None if !law.has_free_friction() => Some(Slip::Positive),
                slip => slip,
            };
            self.modes[c.contact] = closed_mode(slip);
        }
    }

    /// An impact without collision: the step on the level of velocities in the limit of no time, where the
    /// problem of accelerations has no answer but impulses have.
    fn jam<O: Observer + ?Sized>(
        &mut self,
        touch: &mut [Touch],
        observer: &mut O,
    ) -> Result<bool, Error> {
        self.collect(touch)?;
        let mut before = Vec::new();
        self.motion.assembly.relative_velocity(&self.state.u, &mut before);
        let largest = before.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        // Any approach, however small, calls for the impulse; its size does not depend on the approach.
        let mut bias = before.clone();
        for (i, _) in touch.iter().enumerate() {
            bias[2 * i] = -1e-9 * largest;
        }
        let mut problem = ContactProblem::default();
        let law = |l: &Law| Law { radius: 0.0, ..*l };
        self.motion.assembly.pose(&self.info, &bias, law, &mut problem);
        let solution = self.solver.solve(&problem);
        self.counts.iterations += solution.iterations;
        if !solution.is_solved() {
            return Ok(false);
        }
        let lam = solution.impulse.clone();
        let small =
            solution.velocity.iter().zip(&before).all(|(a, b)| (a - b).abs() <= 1e-6 * largest);
        if small {
            return Ok(false);
        }
        let mut u = vec![0.0; self.state.u.len()];
        self.motion.assembly.apply(&lam, &mut u);
        add_scaled(&mut self.state.u, 1.0, &u);
        let mut after = Vec::new();
        self.motion.assembly.relative_velocity(&self.state.u, &mut after);
        for (i, c) in touch.iter_mut().enumerate() {
            let (n, s) = (2 * i, 2 * i + 1);
            let impulse = [lam[n], lam[s]];
            let energy = 0.5 * (lam[n] * (before[n] + after[n]) + lam[s] * (before[s] + after[s]));
            self.book(c.contact, impulse, energy);
            let (t, contact, kind) = (self.state.t, c.contact, EventKind::Impact);
            self.show(Event { t, contact, kind, impulse, energy }, observer);
            c.leaves = after[n] > 1e-6 * largest;
            c.slip = if after[s].abs() > 1e-6 * largest { Slip::of(after[s]) } else { None };
        }
        Ok(true)
    }

    /// Shows what has changed at the contacts.
    fn show_changes<O: Observer + ?Sized>(
        &mut self,
        old: &[Mode],
        touch: &[Touch],
        observer: &mut O,
    ) {
        let t = self.state.t;
        for (contact, &before) in old.iter().enumerate() {
            let now = self.modes[contact];
            let silent = touch.iter().any(|c| c.contact == contact && c.series.is_some());
            let friction = self.info.contacts[contact].law.has_free_friction();
            let kind = match (before, now) {
                (a, b) if a == b => continue,
                (Mode::Open, _) => EventKind::Closes,
                (_, Mode::Open) => EventKind::Opens,
                _ if !friction => continue,
                (_, Mode::Stick) => EventKind::Sticks,
                (_, Mode::Slide(slip)) => EventKind::Slides(slip),
            };
            // The end of a series of impacts is shown when it is reached.
            if !(silent && kind == EventKind::Closes) {
                self.show(Event::change(t, contact, kind), observer);
            }
        }
    }
}
