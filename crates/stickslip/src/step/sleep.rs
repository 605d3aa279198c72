//! Sleeping: islands of bodies that have been still for some time are left as they are until something wakes them.
//!
//! An island is made of bodies that joints or contacts of the last step connect. A body that moves by itself is awake, and so is a
//! prescribed one that moves; whatever they touch wakes before the contact problem of that step is posed. A sleeping body has no velocity
//! and has not moved, so that it is in the same state awake: nothing has to be taken back, and no impulse is lost.

use super::{StepOutcome, Stepper};
use crate::contact::Mode;
use crate::error::{Error, check};
use crate::memory::{Archive, Archived, Unreadable};
use crate::model::{Model, Sleepers, Span, Surroundings};
use crate::system::State;
use std::ops::Range;

/// When bodies are put to sleep. This is not exact: motion below the threshold is suppressed, and the contact forces of a body that
/// sleeps are those of its last step awake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleep {
    /// How long all bodies of an island must have been still, in seconds, at least 0. Default 0.5.
    pub still_for: f64,
    /// A body is still while its fastest point is slower than this, in m/s, greater than 0. Default 10⁻³.
    pub slower_than: f64,
}

impl Default for Sleep {
    fn default() -> Self {
        Self { still_for: 0.5, slower_than: 1e-3 }
    }
}

impl Sleep {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        let (time, speed) = (self.still_for, self.slower_than);
        check(|| "still_for".into(), time, time >= 0.0, "a finite number >= 0")?;
        check(|| "slower_than".into(), speed, speed > 0.0, "a finite number > 0")
    }

    /// Refuses models whose bodies cannot sleep.
    pub(super) fn fits<M: Model>(model: &M) -> Result<(), Error> {
        let (other, reason) = if model.sleepers().is_none() {
            (model.kind(), "only rigid bodies in maximal coordinates can sleep; leave sleep out")
        } else if model.laws_vary() {
            let reason = "nothing would wake a body whose friction changes; leave sleep out, or take friction that does not depend on \
                          the place or on time";
            ("friction that depends on the place or on time", reason)
        } else {
            return Ok(());
        };
        Err(Error::Combination { part: "sleep", other, reason })
    }
}

/// A contact that holds a body asleep, in [`StepOutcome::asleep`].
#[derive(Clone, Debug, PartialEq)]
pub struct AsleepContact {
    /// The candidate.
    pub candidate: usize,
    /// What it did when its bodies fell asleep.
    pub mode: Mode,
    /// Which numbers of [`StepOutcome::asleep_impulse`] are its own.
    pub rows: Range<usize>,
}

/// A contact of a sleeping island.
#[derive(Clone, Debug, Default)]
struct Held {
    identity: u64,
    island: usize,
    mode: Mode,
    /// Its impulse over the length of its last step awake.
    force: Vec<f64>,
}

/// Which bodies sleep, and what they need to sleep on; all lists are by body.
#[derive(Clone, Debug, Default)]
pub(super) struct Sleeping {
    /// The first body of the island that a body sleeps in; 0, the ground, while it is awake.
    islands: Vec<usize>,
    /// For how long it has been still.
    still: Vec<f64>,
    /// What it was subject to in the last step, where it sleeps or does not move freely.
    around: Vec<Surroundings>,
    /// The coordinates of the model; of bodies asleep those with which they fell asleep.
    q: Vec<f64>,
    /// The contacts of sleeping islands, in the order of their identities.
    held: Vec<Held>,
    /// Bodies that sleep, each with a body that touches or holds it and does not move freely.
    supports: Vec<(usize, usize)>,
    /// How many islands woke since the last step ended.
    woken: usize,
    /// What bodies are subject to in this step.
    now: Vec<Surroundings>,
}

impl Sleeping {
    /// All bodies awake, unless there are as many as before.
    pub(super) fn fit(&mut self, bodies: usize, coordinates: usize) {
        if !self.is_of(bodies, coordinates) {
            *self = Self {
                islands: vec![0; bodies],
                still: vec![0.0; bodies],
                around: vec![Surroundings::default(); bodies],
                q: vec![0.0; coordinates],
                ..Self::default()
            };
        }
    }

    fn is_of(&self, bodies: usize, coordinates: usize) -> bool {
        let known = |body: &usize| *body < bodies;
        [self.islands.len(), self.still.len(), self.around.len()] == [bodies; 3]
            && self.q.len() == coordinates
            && self.islands.iter().chain(self.held.iter().map(|held| &held.island)).all(known)
            && self.supports.iter().all(|(a, b)| known(a) && known(b))
    }

    fn is_idle(&self) -> bool {
        self.islands.iter().all(|island| *island == 0)
    }

    fn is_asleep(&self, body: usize) -> bool {
        self.islands.get(body).is_some_and(|island| *island != 0)
    }

    /// Whether a contact took part when its bodies fell asleep.
    pub(super) fn holds(&self, identity: u64) -> bool {
        self.find(identity).is_some()
    }

    fn find(&self, identity: u64) -> Option<&Held> {
        let at = self.held.binary_search_by_key(&identity, |held| held.identity);
        at.ok().map(|at| &self.held[at])
    }

    /// Wakes the island of a body.
    fn wake(&mut self, body: usize) {
        let island = self.islands[body];
        if island == 0 {
            return;
        }
        self.woken += 1;
        for (of, still) in self.islands.iter_mut().zip(&mut self.still) {
            if *of == island {
                (*of, *still) = (0, 0.0);
            }
        }
    }

    /// Whether a body that does not move freely moves, or is elsewhere than in the last step.
    fn has_moved(&self, body: usize) -> bool {
        self.now[body].moves() || self.now[body] != self.around[body]
    }

    /// The first body of the island that each body can be put to sleep in; 0 for those that cannot.
    fn rested<P>(
        &self,
        bodies: &dyn Sleepers<P>,
        links: &[[usize; 2]],
        still_for: f64,
    ) -> Vec<usize> {
        let free = |body: usize| bodies.ranges(body).is_some();
        let mut first: Vec<usize> = (0..self.islands.len()).collect();
        for &[a, b] in links.iter().filter(|link| link.iter().all(|body| free(*body))) {
            let (a, b) = (first_of(&first, a), first_of(&first, b));
            first[a.max(b)] = a.min(b);
        }
        // Numbers go down along the way to the first of an island, so one pass ends at it.
        (0..first.len()).for_each(|body| first[body] = first[first[body]]);
        let mut rests = vec![true; first.len()];
        for body in 0..first.len() {
            let still = free(body) && !self.is_asleep(body) && self.still[body] >= still_for;
            rests[first[body]] &= still;
        }
        for &[a, b] in links {
            // A body that is moved keeps what it touches awake.
            rests[first[a]] &= free(b) || !self.now[b].moves();
            rests[first[b]] &= free(a) || !self.now[a].moves();
        }
        first.into_iter().map(|first| if rests[first] { first } else { 0 }).collect()
    }

    /// Wakes what is not as it was, by what bodies are subject to now, and what a moving body holds.
    fn wake_disturbed<P>(&mut self, bodies: &dyn Sleepers<P>, span: &Span<'_>) {
        for body in 0..self.islands.len() {
            let Some([q, u]) = bodies.ranges(body).filter(|_| self.is_asleep(body)) else {
                continue;
            };
            let moved = span.q[q.clone()] != self.q[q] || span.u[u].iter().any(|u| *u != 0.0);
            if moved || self.now[body] != self.around[body] {
                self.wake(body);
            }
        }
        for k in 0..self.supports.len() {
            let (body, support) = self.supports[k];
            if self.has_moved(support) {
                self.wake(body);
            }
        }
    }

    /// Wakes what touches a body that is awake or moves, until nothing more wakes.
    fn wake_touched<P>(&mut self, bodies: &dyn Sleepers<P>, place: &P, active: &[usize]) {
        loop {
            let before = self.woken;
            for &candidate in active {
                let [a, b] = bodies.ends(place, candidate);
                for (sleeper, other) in [(a, b), (b, a)] {
                    let free = bodies.ranges(other).is_some();
                    let wakes = if free { !self.is_asleep(other) } else { self.has_moved(other) };
                    if wakes {
                        self.wake(sleeper);
                    }
                }
            }
            if self.woken == before {
                return;
            }
        }
    }
}

impl<M: Model> Stepper<M> {
    /// Wakes the islands that something acts on in this step, and takes the contacts of those that sleep on out of the active ones.
    pub(super) fn wake(&mut self, model: &M, span: &Span<'_>) {
        let (s, o) = (&mut self.sleeping, &mut self.outcome);
        o.asleep.clear();
        o.asleep_impulse.clear();
        let Some(bodies) = model.sleepers().filter(|_| !s.is_idle()) else { return };
        s.fit(bodies.bodies(), span.q.len());
        let middle = (span.q, span.u, span.t + 0.5 * span.dt);
        bodies.surroundings(&mut self.place, middle, &mut s.now);
        s.wake_disturbed(bodies, span);
        s.wake_touched(bodies, &self.place, &o.active);
        for body in (0..s.now.len()).filter(|&body| bodies.ranges(body).is_none()) {
            s.around[body] = s.now[body];
        }
        let StepOutcome { active, candidates, asleep, asleep_impulse, .. } = o;
        active.retain(|&i| {
            let sleeps = bodies.ends(&self.place, i).into_iter().any(|body| s.is_asleep(body));
            if let Some(held) = s.find(candidates[i].identity).filter(|_| sleeps) {
                let start = asleep_impulse.len();
                asleep_impulse.extend(held.force.iter().map(|force| span.dt * force));
                let rows = start..asleep_impulse.len();
                asleep.push(AsleepContact { candidate: i, mode: held.mode, rows });
            }
            !sleeps
        });
    }

    /// Leaves the bodies that sleep where they are, in place of where the step without their contacts leads to.
    pub(super) fn keep_asleep(&mut self, model: &M, span: &Span<'_>) {
        let s = &self.sleeping;
        let Some(bodies) = model.sleepers().filter(|_| !s.is_idle()) else { return };
        for body in (0..s.islands.len()).filter(|&body| s.is_asleep(body)) {
            if let Some([q, u]) = bodies.ranges(body) {
                self.q[q.clone()].copy_from_slice(&span.q[q]);
                self.end[u.clone()].fill(0.0);
                self.last[u].fill(0.0);
            }
        }
    }

    /// Puts islands to sleep in which all bodies have been still for long enough at the end of this step, and says what has become of those
    /// that slept.
    pub(super) fn fall_asleep(&mut self, model: &M, span: &Span<'_>) {
        let Some((sleep, bodies)) = self.settings.sleep.zip(model.sleepers()) else { return };
        let s = &mut self.sleeping;
        s.fit(bodies.bodies(), self.q.len());
        self.outcome.woken = std::mem::take(&mut s.woken);
        self.outcome.sleep_energy = 0.0;
        let Sleeping { islands, held, supports, .. } = s;
        // The first body of an island is in it while it sleeps.
        held.retain(|held| islands[held.island] == held.island);
        supports.retain(|(body, _)| islands[*body] != 0);
        let mut tired = false;
        for body in 0..s.islands.len() {
            if bodies.ranges(body).is_none() || s.is_asleep(body) {
                continue;
            }
            let still = bodies.speed(body, &self.end) < sleep.slower_than;
            s.still[body] = if still { s.still[body] + span.dt } else { 0.0 };
            tired |= still && s.still[body] >= sleep.still_for;
        }
        if tired {
            self.put_to_sleep(model, bodies, span, sleep.still_for);
        }
        let s = &self.sleeping;
        self.outcome.asleep_bodies = s.islands.iter().filter(|island| **island != 0).count();
    }

    /// Puts the islands to sleep that have rested.
    fn put_to_sleep(
        &mut self,
        model: &M,
        bodies: &dyn Sleepers<M::Place>,
        span: &Span<'_>,
        still_for: f64,
    ) {
        let middle = span.t + 0.5 * span.dt;
        let s = &mut self.sleeping;
        bodies.surroundings(&mut self.place, (&self.q, &self.end, middle), &mut s.now);
        let touching = self.outcome.active.iter().map(|&i| bodies.ends(&self.place, i));
        let links: Vec<[usize; 2]> = touching.chain(bodies.joined()).collect();
        let rested = s.rested(bodies, &links, still_for);
        if rested.iter().all(|island| *island == 0) {
            return;
        }
        let mut taken = vec![0.0; self.end.len()];
        for (body, island) in rested.iter().enumerate().filter(|(_, island)| **island != 0) {
            s.islands[body] = *island;
            let Some([q, u]) = bodies.ranges(body) else { continue };
            s.q[q.clone()].copy_from_slice(&self.q[q]);
            taken[u.clone()].copy_from_slice(&self.end[u.clone()]);
            self.end[u].fill(0.0);
        }
        self.outcome.sleep_energy = model.energy(&self.q, &taken, span.t + span.dt).kinetic;
        // Forces that follow velocities are those of bodies at rest from here on.
        bodies.surroundings(&mut self.place, (&self.q, &self.end, middle), &mut s.now);
        for body in 0..rested.len() {
            if rested[body] != 0 || bodies.ranges(body).is_none() {
                s.around[body] = s.now[body];
            }
        }
        for (k, [a, b]) in links.into_iter().enumerate() {
            let island = rested[a].max(rested[b]);
            if island == 0 {
                continue;
            }
            let fixed = [(a, b), (b, a)].into_iter().filter(|(_, b)| bodies.ranges(*b).is_none());
            s.supports.extend(fixed);
            if let Some(&i) = self.outcome.active.get(k) {
                let identity = self.outcome.candidates[i].identity;
                let impulse = &self.outcome.impulse[self.problem.rows(k)];
                let force = impulse.iter().map(|impulse| impulse / span.dt).collect();
                s.held.push(Held { identity, island, mode: self.outcome.modes[k], force });
            }
        }
        s.held.sort_by_key(|held| held.identity);
    }

    /// Moves bodies that are awake out of contacts.
    pub(super) fn correct(&mut self, model: &M, state: &mut State) -> Result<(), Error> {
        let Self { correction: Some(correction), elsewhere, sleeping, .. } = self else {
            return Ok(());
        };
        let bodies = model.sleepers().filter(|_| !sleeping.is_idle());
        correction.apply(model, elsewhere, state, |place, candidate| {
            bodies.is_some_and(|bodies| {
                bodies.ends(place, candidate).into_iter().any(|body| sleeping.is_asleep(body))
            })
        })
    }
}

/// The first body of an island.
fn first_of(first: &[usize], mut body: usize) -> usize {
    while first[body] != body {
        body = first[body];
    }
    body
}

impl Archived for Sleeping {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { islands, still, around, q, held, supports, woken, now: _ } = self;
        islands.pass(archive)?;
        still.pass(archive)?;
        around.pass(archive)?;
        q.pass(archive)?;
        held.pass(archive)?;
        supports.pass(archive)?;
        woken.pass(archive)
    }
}

impl Archived for Held {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { identity, island, mode, force } = self;
        identity.pass(archive)?;
        island.pass(archive)?;
        mode.pass(archive)?;
        force.pass(archive)
    }
}

impl Archived for Surroundings {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { load, pose, twist } = self;
        load.pass(archive)?;
        pose.pass(archive)?;
        twist.pass(archive)
    }
}
