//! The functions whose zeros are events, and where in a step they first reach zero.
//!
//! Every function is positive while the mode holds. A function that begins at zero (a contact that has just
//! opened, a slip that has just begun) is not armed: it must first rise above rounding. Slip in space is measured along its
//! direction at the beginning of the step.

use super::gauss::STAGES;
use super::motion::{Motion, Trouble};
use super::roots::{dip, zero};
use super::slip::Closed;
use super::step::Step;
use super::tolerance::{RESOLVED, TOGETHER};
use crate::contact::{Law, Mode, Slip};
use crate::error::Error;
use crate::model::{Candidate, Model};

/// What an event function is about. Contacts by their number in the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Subject {
    /// The gap of an open contact.
    Gap(usize),
    /// The normal force of a closed one.
    Force(usize),
    /// The slip of a sliding one.
    Slip(usize),
    /// What sticking friction has left before it slips in this direction; in space the square of its limit less its own.
    Reserve(usize, Option<Slip>),
    /// The friction of one that skims.
    Share(usize),
    /// What that friction has left before the contact takes up load.
    Slack(usize),
    /// The section.
    Section,
}

/// Where in a step, as a share of it, and the value of a function there.
type Point = (f64, f64);

/// A surface in the state space, for returns: σ(q, u, t) = 0.
pub trait Section {
    /// σ. The surface is crossed where σ rises through 0.
    fn value(&mut self, q: &[f64], u: &[f64], t: f64) -> f64;
}

impl<F: FnMut(&[f64], &[f64], f64) -> f64> Section for F {
    fn value(&mut self, q: &[f64], u: &[f64], t: f64) -> f64 {
        self(q, u, t)
    }
}

/// What a step shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sight {
    /// Nothing happens in it.
    Nothing,
    /// The first event is at this share of the step.
    Event(f64),
    /// The step is too long to see what its functions do.
    TooLong,
    /// A function that began at zero is below zero at the first stage.
    AtOnce,
}

/// What rounding makes of the value of a section, as a share of the largest that it had.
const SECTION_NOISE: f64 = 256.0 * f64::EPSILON;

/// The event functions of a mode and their values at the start, at the stages and at the end of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    subjects: Vec<Subject>,
    values: Vec<[f64; STAGES + 2]>,
    noise: Vec<f64>,
    armed: Vec<bool>,
    /// Those of the last event.
    pub(super) fired: Vec<Subject>,
    /// What rounding makes of the gap of each contact, and of its slip.
    pub(super) gap_noise: Vec<f64>,
    pub(super) slip_noise: Vec<f64>,
    /// The largest value of the section so far: beside it the rounding of a motion that has come to rest on the section is no crossing.
    pub(super) section_size: f64,
    gaps: Vec<f64>,
    seen: Vec<Candidate>,
    q: Vec<f64>,
    u: Vec<f64>,
    xi: Vec<f64>,
    acc: Vec<f64>,
}

/// Takes the gaps at (q, t); those of connections are 0.
pub(super) fn read_gaps<M: Model>(
    (model, place): (&M, &mut M::Place),
    (q, t): (&[f64], f64),
    seen: &mut Vec<Candidate>,
    gaps: &mut Vec<f64>,
) -> Result<(), Error> {
    seen.clear();
    model.gaps(place, q, t, seen)?;
    gaps.clear();
    gaps.extend(seen.iter().map(|c| c.gap.unwrap_or(0.0)));
    Ok(())
}

/// What sticking friction has left of its limit.
fn reserve(law: &Law, side: Option<Slip>, force: &[f64]) -> f64 {
    let limit = law.limit(force[0]);
    match side {
        Some(slip) => limit + slip.sign() * force[1],
        None => limit * limit - force[1..].iter().map(|x| x * x).sum::<f64>(),
    }
}

/// The parts that evaluating a function inside a step needs.
pub(super) struct Scene<'a, M: Model> {
    pub(super) model: (&'a M, &'a mut M::Place),
    pub(super) motion: &'a mut Motion,
    pub(super) step: &'a Step,
    pub(super) section: Option<&'a mut dyn Section>,
}

impl Watch {
    pub(super) fn new(coordinates: usize, dof: usize, contacts: usize) -> Self {
        Self {
            gap_noise: vec![0.0; contacts],
            slip_noise: vec![0.0; contacts],
            gaps: vec![0.0; contacts],
            q: vec![0.0; coordinates],
            u: vec![0.0; dof],
            xi: vec![0.0; dof],
            acc: vec![0.0; dof],
            ..Self::default()
        }
    }

    /// Lists the functions of a mode.
    pub(super) fn set_modes(&mut self, modes: &[Mode], skims: &[bool], laws: &[Law]) {
        self.subjects.clear();
        for (contact, mode) in modes.iter().enumerate() {
            match mode {
                // Connections, which nothing happens to.
                Mode::Fixed => {}
                Mode::Open => self.subjects.push(Subject::Gap(contact)),
                Mode::Closed => self.subjects.push(Subject::Force(contact)),
                Mode::Slide(_) | Mode::Slip if skims[contact] => {
                    let all = [Subject::Share, Subject::Slack, Subject::Slip];
                    self.subjects.extend(all.map(|subject| subject(contact)));
                }
                Mode::Slide(_) | Mode::Slip => {
                    self.subjects.push(Subject::Force(contact));
                    if laws[contact].has_free_friction() {
                        self.subjects.push(Subject::Slip(contact));
                    }
                }
                Mode::Stick => {
                    self.subjects.push(Subject::Force(contact));
                    let sides: &[_] = match laws[contact].tangents() {
                        1 => &[Some(Slip::Positive), Some(Slip::Negative)],
                        _ => &[None],
                    };
                    self.subjects.extend(sides.iter().map(|s| Subject::Reserve(contact, *s)));
                }
            }
        }
        self.subjects.push(Subject::Section);
        let n = self.subjects.len();
        self.values.resize(n, [0.0; STAGES + 2]);
        self.noise.resize(n, 0.0);
        self.armed.clear();
        self.armed.resize(n, false);
    }

    /// Values at the start of a step: state (q, u, t), after `motion` was evaluated there.
    pub(super) fn start<M: Model>(&mut self, scene: &mut Scene<'_, M>) -> Result<(), Error> {
        let step = scene.step;
        read_gaps(
            (scene.model.0, scene.model.1),
            (&step.q0, step.t),
            &mut self.seen,
            &mut self.gaps,
        )?;
        let section = scene.section.as_mut().map_or(1.0, |s| -s.value(&step.q0, &step.u0, step.t));
        self.take_section(scene, section);
        for i in 0..self.subjects.len() {
            self.noise[i] = self.noise_of(i, scene.motion);
            let value = self.read(self.subjects[i], scene.motion, section);
            self.values[i][0] = value;
            self.armed[i] = value > self.noise[i];
        }
        Ok(())
    }

    /// The values at the end become those at the start of the next step.
    pub(super) fn follow(&mut self) {
        for (i, v) in self.values.iter_mut().enumerate() {
            v[0] = v[STAGES + 1];
            let section = self.subjects[i] == Subject::Section;
            if section {
                self.noise[i] = SECTION_NOISE * self.section_size;
            }
            self.armed[i] = (self.armed[i] && !section) || v[0] > self.noise[i];
        }
    }

    /// Takes the slips at the start of a step from the motion there.
    pub(super) fn restart_slips(&mut self, motion: &Motion) {
        for (subject, v) in self.subjects.iter().zip(&mut self.values) {
            if let Subject::Slip(contact) = subject {
                v[0] = motion.find(*contact).map_or(0.0, |c| c.slip(&motion.gamma));
            }
        }
    }

    /// Slips in space that have vanished but for rounding in the step that was accepted become the event at its end: their
    /// directions may turn ever faster, and steps would shrink with them. Says whether there are such.
    pub(super) fn fade(&mut self, laws: &[Law]) -> bool {
        self.fired.clear();
        for (subject, v) in self.subjects.iter().zip(&self.values) {
            if let Subject::Slip(contact) = *subject {
                let (start, end) = (v[0], v[STAGES + 1]);
                let noise = self.slip_noise[contact];
                let faint = start > noise && end <= noise;
                if faint && laws[contact].tangents() > 1 {
                    self.fired.push(*subject);
                }
            }
        }
        !self.fired.is_empty()
    }

    /// Looks through a step that was solved: the first event in it, if any.
    pub(super) fn look<M: Model>(&mut self, scene: &mut Scene<'_, M>) -> Result<Sight, Trouble> {
        self.fill(scene)?;
        let mut first = f64::INFINITY;
        self.fired.clear();
        for i in 0..self.subjects.len() {
            if !self.resolved(i, scene.step) {
                return Ok(Sight::TooLong);
            }
            let Some((low, high)) = self.bracket(scene, i)? else { continue };
            let subject = self.subjects[i];
            if high.0 <= 0.0 {
                self.fired.clear();
                self.fired.push(subject);
                return Ok(Sight::AtOnce);
            }
            let root = zero(low, high, |tau| self.value_at(scene, subject, tau))?;
            if root < first - TOGETHER {
                self.fired.clear();
            }
            if root <= first + TOGETHER {
                first = first.min(root);
                self.fired.push(subject);
            }
        }
        Ok(if first.is_finite() { Sight::Event(first) } else { Sight::Nothing })
    }

    /// A function at the share τ of the step.
    pub(super) fn value_at<M: Model>(
        &mut self,
        scene: &mut Scene<'_, M>,
        subject: Subject,
        tau: f64,
    ) -> Result<f64, Trouble> {
        let to = (&mut self.q[..], &mut self.u[..]);
        let t = scene.step.at(scene.model.0, tau, to, &mut self.xi);
        self.value(scene, subject, t)
    }

    /// A function at the end of the step.
    pub(super) fn value_at_end<M: Model>(
        &mut self,
        scene: &mut Scene<'_, M>,
        subject: Subject,
    ) -> Result<f64, Trouble> {
        self.q.copy_from_slice(&scene.step.q1);
        self.u.copy_from_slice(&scene.step.u1);
        self.value(scene, subject, scene.step.t + scene.step.h)
    }

    fn value<M: Model>(
        &mut self,
        scene: &mut Scene<'_, M>,
        subject: Subject,
        t: f64,
    ) -> Result<f64, Trouble> {
        match subject {
            Subject::Gap(contact) => {
                read_gaps(
                    (scene.model.0, scene.model.1),
                    (&self.q, t),
                    &mut self.seen,
                    &mut self.gaps,
                )?;
                Ok(self.gaps[contact])
            }
            Subject::Section => {
                Ok(scene.section.as_mut().map_or(1.0, |s| -s.value(&self.q, &self.u, t)))
            }
            _ => {
                scene.motion.evaluate(
                    (scene.model.0, scene.model.1),
                    &self.q,
                    &self.u,
                    t,
                    &mut self.acc,
                )?;
                Ok(self.read(subject, scene.motion, 1.0))
            }
        }
    }

    /// A function from the gaps at hand and the last evaluation of the motion.
    fn read(&self, subject: Subject, motion: &Motion, section: f64) -> f64 {
        let force = |c: &Closed| &motion.lam[c.start..c.start + c.rows];
        match subject {
            Subject::Gap(contact) => self.gaps[contact],
            Subject::Section => section,
            Subject::Force(contact) => motion.find(contact).map_or(0.0, |c| force(c)[0]),
            Subject::Slip(contact) => motion.find(contact).map_or(0.0, |c| c.slip(&motion.gamma)),
            Subject::Reserve(contact, side) => {
                let law = &motion.laws[contact];
                motion.find(contact).map_or(0.0, |c| reserve(law, side, force(c)))
            }
            Subject::Share(contact) => motion.find(contact).map_or(0.0, |c| c.share),
            Subject::Slack(contact) => {
                motion.find(contact).map_or(0.0, |c| motion.laws[contact].radius - c.share)
            }
        }
    }

    fn take_section<M: Model>(&mut self, scene: &Scene<'_, M>, value: f64) {
        if scene.section.is_some() {
            self.section_size = self.section_size.max(value.abs());
        }
    }

    fn noise_of(&self, i: usize, motion: &Motion) -> f64 {
        let force = |contact: usize, r: usize| {
            motion.find(contact).map_or(0.0, |c| motion.force_noise(c.start + r))
        };
        match self.subjects[i] {
            Subject::Gap(contact) => self.gap_noise[contact],
            Subject::Slip(contact) => self.slip_noise[contact],
            Subject::Force(contact) => force(contact, 0),
            Subject::Share(contact) | Subject::Slack(contact) => force(contact, 1),
            Subject::Reserve(contact, side) => {
                let noise = force(contact, 0).max(force(contact, 1));
                let normal = motion.find(contact).map_or(0.0, |c| motion.lam[c.start]);
                let limit = motion.laws[contact].limit(normal).abs();
                if side.is_some() { noise } else { noise * (2.0 * limit + noise) }
            }
            Subject::Section => SECTION_NOISE * self.section_size,
        }
    }

    /// Values at the stages and at the end.
    fn fill<M: Model>(&mut self, scene: &mut Scene<'_, M>) -> Result<(), Trouble> {
        let step = scene.step;
        for j in 0..STAGES {
            let (q, u) = (step.stage_q.row(j), step.stage_u.row(j));
            let t = step.t + step.gauss.c[j] * step.h;
            read_gaps((scene.model.0, scene.model.1), (q, t), &mut self.seen, &mut self.gaps)?;
            for i in 0..self.subjects.len() {
                let section = &mut scene.section;
                self.values[i][j + 1] = match self.subjects[i] {
                    Subject::Gap(contact) => self.gaps[contact],
                    Subject::Section => section.as_mut().map_or(1.0, |s| -s.value(q, u, t)),
                    subject => at_stage(subject, scene.motion, step, j),
                };
            }
        }
        let t = step.t + step.h;
        read_gaps((scene.model.0, scene.model.1), (&step.q1, t), &mut self.seen, &mut self.gaps)?;
        let section = scene.section.as_mut().map_or(1.0, |s| -s.value(&step.q1, &step.u1, t));
        self.take_section(scene, section);
        scene.motion.evaluate(
            (scene.model.0, scene.model.1),
            &step.q1,
            &step.u1,
            t,
            &mut self.acc,
        )?;
        for i in 0..self.subjects.len() {
            self.values[i][STAGES + 1] = self.read(self.subjects[i], scene.motion, section);
        }
        Ok(())
    }

    fn resolved(&self, i: usize, step: &Step) -> bool {
        let v = &self.values[i];
        let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        step.gauss.tail(|j| v[j + 1]) <= RESOLVED * largest + self.noise[i]
    }

    /// The first interval in which the function falls to zero, as two points with their values; an interval of
    /// no length if the function fell below zero before it was armed.
    fn bracket<M: Model>(
        &mut self,
        scene: &mut Scene<'_, M>,
        i: usize,
    ) -> Result<Option<(Point, Point)>, Trouble> {
        let (v, noise, subject) = (self.values[i], self.noise[i], self.subjects[i]);
        let tau = |j: usize| match j {
            0 => 0.0,
            j if j <= STAGES => scene.step.gauss.c[j - 1],
            _ => 1.0,
        };
        let mut armed = self.armed[i];
        // Between two steps no stage shows a dip: a point half-way does.
        let edges =
            [(armed, 0.0, v[0], tau(1), v[1]), (true, 1.0, v[STAGES + 1], tau(STAGES), v[STAGES])];
        for (armed, end, at_end, inner, at_inner) in edges {
            let steep = armed && at_end > 0.0 && at_inner > 2.0 * at_end;
            if steep && self.value_at(scene, subject, 0.5 * (end + inner))? < at_end {
                let (left, right) = (end.min(inner), end.max(inner));
                let (x, fx) = dip(left, right, |tau| self.value_at(scene, subject, tau))?;
                let start = if end == 0.0 { at_end } else { at_inner };
                if fx <= 0.0 && (end == 0.0 || v[1..=STAGES].iter().all(|v| *v > 0.0)) {
                    return Ok(Some(((left, start), (x, fx))));
                }
            }
        }
        for j in 1..STAGES + 2 {
            if !armed {
                if v[j] < v[0].min(0.0) - noise && subject != Subject::Section {
                    return Ok(Some(((0.0, 0.0), (0.0, 0.0))));
                }
                armed = v[j] > noise;
                continue;
            }
            if v[j] <= 0.0 {
                return Ok(Some(((tau(j - 1), v[j - 1]), (tau(j), v[j]))));
            }
            if j <= STAGES && v[j - 1] > v[j] && v[j] < v[j + 1] {
                let (left, right) = (tau(j - 1), tau(j + 1));
                if lowest(left, v[j - 1], tau(j), v[j], right, v[j + 1]) > 0.5 * v[j] {
                    continue;
                }
                let (x, fx) = dip(left, right, |tau| self.value_at(scene, subject, tau))?;
                if fx <= 0.0 {
                    return Ok(Some(((left, v[j - 1]), (x, fx))));
                }
            }
        }
        Ok(None)
    }
}

/// A function of forces or slips at stage `j`.
fn at_stage(subject: Subject, motion: &Motion, step: &Step, j: usize) -> f64 {
    let find =
        |contact: usize| motion.closed.iter().enumerate().find(|(_, c)| c.contact == contact);
    match subject {
        Subject::Force(contact) => find(contact).map_or(0.0, |c| step.stage_force(j, c)[0]),
        Subject::Slip(contact) => find(contact).map_or(0.0, |(i, _)| step.stage_slip(j, i)),
        Subject::Reserve(contact, side) => {
            let law = &motion.laws[contact];
            find(contact).map_or(0.0, |c| reserve(law, side, step.stage_force(j, c)))
        }
        Subject::Share(contact) => find(contact).map_or(0.0, |(i, _)| step.stage_share(j, i)),
        Subject::Slack(contact) => {
            find(contact).map_or(0.0, |(i, _)| motion.laws[contact].radius - step.stage_share(j, i))
        }
        Subject::Gap(_) | Subject::Section => 0.0,
    }
}

/// The least value of the parabola through three points.
fn lowest(x0: f64, y0: f64, x1: f64, y1: f64, x2: f64, y2: f64) -> f64 {
    let (d0, d2) = ((y0 - y1) / (x0 - x1), (y2 - y1) / (x2 - x1));
    let curvature = (d2 - d0) / (x2 - x0);
    let slope = d0 - curvature * (x0 - x1);
    if curvature > 0.0 { y1 - 0.25 * slope * slope / curvature } else { y1 }
}
