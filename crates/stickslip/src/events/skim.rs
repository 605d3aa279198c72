//! Contacts with constant friction that slide without load.
//!
//! Friction of the size a acts on a closed contact and not on an open one, so that forces jump where a contact opens. Let it slide, with
//! friction along f, and let w = W_NT f > 0: friction pushes the contact open. Closed, γ̇_N = W_NN Λ_N + w a + b_N; open, γ̇_N = b_N.
//! For −w a < b_N < 0 neither holds: closed without tension it separates, open it approaches. The law that is posed has no motion from
//! there on. Its convex closure has (Filippov 1988, chapter 2): where g = 0 and Λ_N = 0 friction may have any size r from 0 to a, and
//! r = −b_N / w alone keeps the contact closed. The contact skims. It ends
//!
//! - at r = 0, where the contact opens without a jump,
//! - at r = a, where it takes up load,
//! - where the slip ends.
//!
//! A contact that sticks and loses its load begins to skim if it would close without friction: its slip then begins against the
//! friction that holds it open.
//!
//! Where w < 0 friction pulls the contact shut. For 0 < b_N < −w a it can be closed and open; a closed contact stays closed until its
//! load vanishes.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | rest, lost | touching contacts that obey the law as it is posed, and those that lost their load, in this order | |
//! | w, bias | γ̇ = W Λ + b of all of them | n × n, n |
//! | m | components of the rest | |
//! | r, f | size and direction of the friction of a lost contact | |

use super::flow::EventDriven;
use super::motion::{Trouble, accelerations, closed_mode, pose};
use super::roots::zero;
use super::tolerance::SETTLED;
use super::transition::{ClosedContact, spans};
use crate::contact::{Law, Mode};
use crate::error::Error;
use crate::model::Model;
use crate::system::State;
use complementarity::Matrix;
use std::ops::Range;

/// Rounds over several contacts that skim at once, each with the friction of the others held.
const ROUNDS: usize = 100;

/// A contact that has lost its load.
struct Lost {
    contact: ClosedContact,
    span: Range<usize>,
    radius: f64,
    /// f; none where no direction is known yet.
    friction: Option<[f64; 3]>,
    /// r.
    share: f64,
}

/// What the friction of a lost contact came to.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    /// It opens, or skims.
    Share,
    /// All of its friction cannot keep it from approaching, or its slip would not begin against the friction: it takes up load.
    Load,
    /// Nothing obeys the laws.
    Nothing,
}

/// The problem of accelerations with contacts that have lost their load.
struct Balance {
    w: Matrix,
    bias: Vec<f64>,
    m: usize,
    laws: Vec<Law>,
    lost: Vec<Lost>,
}

impl Balance {
    /// The accelerations with the friction of the lost contacts and forces of the rest.
    fn rate(&self, row: usize, rest: &[f64]) -> f64 {
        let line = self.w.row(row);
        let forces: f64 = line.iter().zip(rest).map(|(w, x)| w * x).sum();
        self.bias[row] + forces + self.lost.iter().map(|l| l.push(line)).sum::<f64>()
    }
}

impl Lost {
    /// What the friction adds to a component, given the row of W.
    fn push(&self, line: &[f64]) -> f64 {
        let Some(f) = self.friction else { return 0.0 };
        let tangents = &line[self.span.start + 1..self.span.end];
        self.share * f.iter().zip(tangents).map(|(f, w)| f * w).sum::<f64>()
    }
}

impl<M: Model> EventDriven<'_, M> {
    /// Takes the modes with contacts of constant friction that have lost their load: they open, skim, or take load again. False if
    /// there is no answer.
    pub(super) fn skim(
        &mut self,
        rest: &[ClosedContact],
        lost: &[ClosedContact],
    ) -> Result<bool, Error> {
        let (mut rest, mut lost) = (rest.to_vec(), lost.to_vec());
        // Each contact changes its side twice at most, or there is no answer.
        for _ in 0..=2 * (rest.len() + lost.len()) {
            let mut balance = self.balance(&rest, &lost)?;
            let found = self.share_friction(&mut balance)?;
            let load = found.iter().position(|f| *f == Found::Load);
            if found.contains(&Found::Nothing) {
                return Ok(false);
            }
            if let Some(i) = load {
                rest.push(lost.remove(i));
                continue;
            }
            if self.rates(&balance)?.is_none() {
                return Ok(false);
            }
            self.certify(self.solver.solution().certificate);
            let more = self.unloaded(&rest);
            if more.is_empty() {
                self.take_modes(&rest);
                balance.lost.iter().filter(|l| l.share > 0.0).for_each(|l| self.take_skim(l));
                return Ok(true);
            }
            rest.retain(|c| !more.contains(c));
            lost.extend(more);
        }
        Ok(false)
    }

    /// Contacts with constant friction that separate in the last solution, which is about these: friction does not act on them any
    /// more, though the solution has it.
    pub(super) fn unloaded(&self, closed: &[ClosedContact]) -> Vec<ClosedContact> {
        let constant = |c: &ClosedContact| self.motion.laws[c.contact].radius > 0.0;
        let all = spans(closed).zip(closed);
        all.filter(|(span, c)| constant(c) && self.separates(span.start)).map(|(_, c)| *c).collect()
    }

    /// Finds which sliding contacts skim, for a start in given modes: those that only tension would keep closed.
    pub(super) fn find_skims(&mut self) -> Result<(), Error> {
        let constant = |c: usize| self.motion.laws[c].radius > 0.0;
        let slides = |m: &Mode| matches!(m, Mode::Slide(_) | Mode::Slip);
        if !self.modes.iter().enumerate().any(|(c, m)| slides(m) && constant(c)) {
            return Ok(());
        }
        let State { t, q, u } = &self.state;
        let at =
            self.motion.evaluate((self.model, &mut self.place), q, u, *t, &mut self.sampling.acc);
        if let Err(Trouble::Model(error)) = at {
            return Err(error);
        }
        let motion = &self.motion;
        for c in motion.closed.iter().filter(|c| at.is_ok() && slides(&c.mode)) {
            let tension = motion.lam[c.start] < -motion.force_noise(c.start);
            self.skims[c.contact] = tension && motion.laws[c.contact].radius > 0.0;
        }
        if self.skims.contains(&true) {
            self.mode_chosen();
        }
        Ok(())
    }

    fn take_skim(&mut self, lost: &Lost) {
        let (contact, slip) = (lost.contact.contact, lost.friction.map(|f| f.map(|x| -x)));
        self.modes[contact] = closed_mode(&self.motion.laws[contact], slip);
        self.slips[contact] = slip.unwrap_or_default();
        self.skims[contact] = true;
    }

    fn balance(
        &mut self,
        rest: &[ClosedContact],
        lost: &[ClosedContact],
    ) -> Result<Balance, Error> {
        let all: Vec<ClosedContact> = rest.iter().chain(lost).copied().collect();
        self.collect(&all)?;
        let mut bias = Vec::new();
        accelerations(&self.local, &self.local.free, &mut bias);
        let mut w = Matrix::zeros(bias.len(), bias.len());
        self.local.delassus(w.as_mut_slice());
        let own = |c: &ClosedContact| &self.motion.laws[c.contact];
        let lost: Vec<Lost> = spans(&all)
            .zip(&all)
            .skip(rest.len())
            .map(|(span, c)| Lost {
                contact: *c,
                span,
                radius: own(c).radius,
                friction: c.slip.map(|s| s.map(|x| -x)),
                share: 0.0,
            })
            .collect();
        let mut laws = self.posed_laws(&all);
        laws.truncate(rest.len());
        let m = lost.first().map_or(bias.len(), |l| l.span.start);
        Ok(Balance { w, bias, m, laws, lost })
    }

    /// All accelerations with the friction at hand, once the rest has found its forces; none if there are no such forces.
    fn rates(&mut self, balance: &Balance) -> Result<Option<Vec<f64>>, Error> {
        let Balance { w, m, .. } = balance;
        let bias: Vec<f64> = (0..*m).map(|r| balance.rate(r, &[])).collect();
        let part: Vec<f64> = (0..*m).flat_map(|r| w.row(r)[..*m].iter().copied()).collect();
        pose(&part, &bias, &balance.laws, &mut self.problem)?;
        let solution = self.solver.solve(&self.problem);
        self.counts.iterations += solution.iterations;
        if !solution.is_solved() {
            return Ok(None);
        }
        let lam = &solution.impulse;
        Ok(Some((0..balance.bias.len()).map(|r| balance.rate(r, lam)).collect()))
    }

    /// The friction of all lost contacts, each in turn with that of the others held.
    fn share_friction(&mut self, balance: &mut Balance) -> Result<Vec<Found>, Error> {
        let mut found = vec![Found::Share; balance.lost.len()];
        for _ in 0..ROUNDS {
            let mut change = 0.0_f64;
            for i in 0..balance.lost.len() {
                let before = balance.lost[i].share;
                found[i] = self.share_one(balance, i)?;
                let l = &balance.lost[i];
                change = change.max((l.share - before).abs() / l.radius);
            }
            let settled = found.len() == 1 || change <= SETTLED;
            if settled || found.iter().any(|f| *f != Found::Share) {
                return Ok(found);
            }
        }
        Ok(vec![Found::Nothing])
    }

    /// The friction of one lost contact that keeps it closed, or none if it opens.
    fn share_one(&mut self, balance: &mut Balance, i: usize) -> Result<Found, Error> {
        let n = balance.lost[i].span.start;
        balance.lost[i].share = 0.0;
        let Some(open) = self.rates(balance)? else { return Ok(Found::Nothing) };
        if open[n] >= 0.0 {
            return Ok(Found::Share);
        }
        let (known, planar) = (balance.lost[i].contact.slip, balance.lost[i].contact.rows == 2);
        if let Some(slip) = known {
            return self.share_along(balance, i, slip.map(|x| -x), open[n]);
        }
        // From rest the friction that pushes the contact open is the one along W_NT. In space its slip would have to begin just
        // against it, which is not looked for.
        if !planar {
            return Ok(Found::Nothing);
        }
        let f = [balance.w.row(n)[n + 1].signum(), 0.0, 0.0];
        let found = self.share_along(balance, i, f, open[n])?;
        if found != Found::Share {
            return Ok(found);
        }
        let Some(rates) = self.rates(balance)? else { return Ok(Found::Nothing) };
        let begins = -f[0] * rates[n + 1] >= -self.rate_noise(balance.w.row(n + 1)[n + 1]);
        Ok(if begins { Found::Share } else { Found::Load })
    }

    /// The same with friction along f, where the contact approaches without friction, with γ̇_N = `open`.
    fn share_along(
        &mut self,
        balance: &mut Balance,
        i: usize,
        f: [f64; 3],
        open: f64,
    ) -> Result<Found, Error> {
        let (n, radius) = (balance.lost[i].span.start, balance.lost[i].radius);
        balance.lost[i].friction = Some(f);
        let mut rate = |share: f64| {
            balance.lost[i].share = share;
            // No answer, or an error.
            self.rates(balance).map_err(Some)?.map(|rates| rates[n]).ok_or(None)
        };
        let root = rate(radius).and_then(|full| {
            if full <= 0.0 {
                Ok((radius, full))
            } else {
                zero((0.0, open), (radius, full), &mut rate).map(|r| (r, 0.0))
            }
        });
        match root {
            Ok((share, left)) => {
                balance.lost[i].share = share;
                // An event says that the load has just vanished: all of the friction holds it but for rounding.
                let holds = left >= -self.rate_noise(balance.w.row(n)[n]);
                Ok(if holds { Found::Share } else { Found::Load })
            }
            Err(None) => Ok(Found::Nothing),
            Err(Some(error)) => Err(error),
        }
    }
}
