//! Derivatives of where a motion ends, with respect to where it starts, to parameters and to forces: those of its steps, one after the other.

use super::Simulation;
use super::difference::{Arrival, Deed, NoSlope, Scale, Side, Slope, slope};
use super::motion::{self, Deeds, MotionAndControl};
use crate::error::{Raise, misuse};
use crate::patience::Lookout;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeSet;
use stickslip::State;
use stickslip::run::Settings;

/// A last step that is shorter than the others by less than this share is one of them.
const ROUNDING: f64 = 1e-9;

/// What is differentiated by, and to which side.
pub(super) struct Question {
    pub(super) t_end: f64,
    /// Whether by the state at the start.
    pub(super) state: bool,
    pub(super) parameters: Vec<String>,
    /// Forces that are held over parts of the motion of equal length; none for those that act anyway.
    pub(super) controls: Vec<Vec<f64>>,
    pub(super) side: Side,
}

/// A number that a derivative is with respect to.
#[derive(Clone, Copy, PartialEq)]
enum Cause {
    /// A local coordinate or a velocity at the start.
    State(usize),
    Parameter(usize),
    /// A force over one of the parts.
    Force(usize, usize),
}

impl Cause {
    /// The field of the answer that its derivative is in.
    fn kind(self) -> &'static str {
        match self {
            Self::State(_) => "state",
            Self::Parameter(_) => "parameters",
            Self::Force(..) => "controls",
        }
    }
}

/// A derivative so far.
struct Column {
    cause: Cause,
    rate: Vec<f64>,
}

impl Column {
    fn is_zero(&self) -> bool {
        self.rate.iter().all(|x| *x == 0.0)
    }
}

/// A stretch of the motion: from a state, and what the motion keeps there, to a time.
struct Stretch<'a> {
    from: &'a State,
    saved: Vec<u8>,
    t_end: f64,
    /// The force that is held over it, and of which part.
    force: Option<&'a [f64]>,
    part: usize,
    /// Where it ends.
    base: Arrival,
    about: Vec<f64>,
}

/// How a motion is divided: stretches of equal length, but that the last one ends at the end.
struct Stretches {
    t: f64,
    length: f64,
    count: usize,
    t_end: f64,
}

impl Stretches {
    fn end(&self, k: usize) -> f64 {
        if k + 1 == self.count { self.t_end } else { self.t + (k + 1) as f64 * self.length }
    }
}

/// The motions that stretches are gone over with.
struct Motions<'a> {
    sim: &'a Simulation,
    probe: MotionAndControl,
    variants: Vec<Variant>,
    lookout: Lookout,
}

/// The same scene with one parameter at other values; each is read once.
struct Variant {
    name: String,
    value: f64,
    motions: Vec<(f64, MotionAndControl)>,
}

impl Variant {
    /// The motion with the parameter this much off its value.
    fn at(&mut self, sim: &Simulation, by: f64) -> Result<&mut MotionAndControl, String> {
        let known = self.motions.iter().position(|(at, _)| *at == by);
        let place = known.unwrap_or(self.motions.len());
        if known.is_none() {
            self.motions.push((by, sim.varied(&self.name, self.value + by)?));
        }
        Ok(&mut self.motions[place].1)
    }
}

/// The end of a motion, the derivatives there, and the contacts at whose change of mode they are one-sided.
type Followed = (State, Vec<Column>, BTreeSet<String>);

impl Stretch<'_> {
    /// The end of a motion over it from a state near its own.
    fn arrive(
        &self,
        ((motion, control), lookout): (&mut MotionAndControl, &mut Lookout),
        from: &State,
        force: Option<&[f64]>,
    ) -> Result<Arrival, String> {
        if lookout.interrupted() {
            return Err("it was interrupted".to_owned());
        }
        if let (Some(control), Some(force)) = (control.as_ref(), force) {
            control.set(force);
        }
        motion.restore(&self.saved).map_err(|e| e.to_string())?;
        let Deeds { list: deeds, pace } = motion.leap(from, self.t_end, lookout)?;
        Ok(Arrival { point: motion.point(&self.about, motion.state()), deeds, pace })
    }

    /// Goes over it with a cause changed, and its start with it.
    fn changed(&self, all: &mut Motions<'_>, column: &Column, by: f64) -> Result<Arrival, String> {
        let way: Vec<f64> = column.rate.iter().map(|x| x * by).collect();
        let from = match column.is_zero() {
            true => self.from.clone(),
            false => all.probe.0.displaced(self.from, &way),
        };
        let Motions { sim, probe, variants, lookout } = all;
        match (column.cause, self.force) {
            (Cause::Parameter(i), force) => {
                self.arrive((variants[i].at(sim, by)?, lookout), &from, force)
            }
            (Cause::Force(part, i), Some(force)) if part == self.part => {
                let mut force = force.to_vec();
                force[i] += by;
                self.arrive((probe, lookout), &from, Some(&force))
            }
            (_, force) => self.arrive((probe, lookout), &from, force),
        }
    }

    /// How much a cause changes for the largest differences.
    fn size(&self, all: &Motions<'_>, cause: Cause) -> f64 {
        match (cause, self.force) {
            (Cause::Parameter(i), _) if all.variants[i].value != 0.0 => all.variants[i].value.abs(),
            (Cause::Force(part, i), Some(force)) if part == self.part => force[i].abs().max(1.0),
            // Of bodies in space local coordinates are counted from where they are.
            (Cause::State(i), _) if self.from.q.len() == self.from.u.len() => {
                let entry = self.from.q.iter().chain(&self.from.u).nth(i);
                entry.map_or(1.0, |x| x.abs().max(1.0))
            }
            _ => 1.0,
        }
    }

    fn along(&self, all: &mut Motions<'_>, column: &Column, side: Side) -> Result<Slope, NoSlope> {
        let numbers = self.about.iter().chain(&self.base.point);
        let state = numbers.fold(self.base.pace, |m, x| m.max(x.abs()));
        let scale = Scale::new(self.size(all, column.cause), state);
        slope(&self.base, scale, side, |by| self.changed(all, column, by))
    }

    /// The derivatives with respect to its start, if they are the same to both sides.
    fn by_start(&self, all: &mut Motions<'_>) -> Option<Vec<Vec<f64>>> {
        let rows = 2 * self.from.u.len();
        let one = |i: usize| {
            let rate = (0..rows).map(|j| f64::from(i == j)).collect();
            let column = Column { cause: Cause::State(i), rate };
            self.along(all, &column, Side::Both).ok().map(|slope| slope.rate)
        };
        (0..rows).map(one).collect()
    }

    /// A column at the end of the stretch. Derivatives with respect to its start are multiplied where they exist. At a change of mode they do not, but
    /// that of all that a cause changes may, to either side.
    fn pass(
        &self,
        all: &mut Motions<'_>,
        column: &Column,
        by_start: Option<&[Vec<f64>]>,
        side: Side,
    ) -> Result<Slope, NoSlope> {
        let acts = match column.cause {
            Cause::State(_) => false,
            Cause::Parameter(_) => true,
            Cause::Force(part, _) => part == self.part,
        };
        if !acts && column.is_zero() {
            return Ok(Slope { rate: column.rate.clone(), changes: None });
        }
        let Some(by_start) = by_start else { return self.along(all, column, side) };
        let mut rate = vec![0.0; column.rate.len()];
        for (rates, by) in by_start.iter().zip(&column.rate) {
            rate.iter_mut().zip(rates).for_each(|(to, rate)| *to += rate * by);
        }
        if acts {
            let fixed = Column { cause: column.cause, rate: vec![0.0; rate.len()] };
            match self.along(all, &fixed, Side::Both) {
                Ok(own) => rate.iter_mut().zip(own.rate).for_each(|(to, own)| *to += own),
                Err(_) => return self.along(all, column, side),
            }
        }
        Ok(Slope { rate, changes: None })
    }
}

impl Simulation {
    /// The motion of the scene with another value of a parameter.
    fn varied(&self, name: &str, value: f64) -> Result<MotionAndControl, String> {
        let scene =
            self.source.as_scene().ok_or("a system of Python functions has no parameters")?;
        let scene = scene.with_overrides(&[(name, value)]).map_err(|e| e.to_string())?;
        let (motion, control) = motion::of_scene(&scene, &self.settings, self.control.is_some())
            .map_err(|e| e.to_string())?;
        if let (Some(own), Some(control)) = (&self.control, &control) {
            control.set(&own.get());
        }
        Ok((motion, control))
    }

    fn variants(&self, names: &[String]) -> PyResult<Vec<Variant>> {
        let known = self.source.parameters();
        let one = |name: &String| {
            let value = *known.get(name).ok_or_else(|| {
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                misuse(format!("`{name}` is no parameter; parameters are {}", names.join(", ")))
            })?;
            Ok(Variant { name: name.clone(), value, motions: Vec::new() })
        };
        names.iter().map(one).collect()
    }

    /// The derivatives of where the motion is at the end time.
    pub(super) fn differentiate<'py>(
        &mut self,
        py: Python<'py>,
        question: &Question,
    ) -> PyResult<Bound<'py, PyDict>> {
        let variants = self.variants(&question.parameters)?;
        if !question.controls.is_empty() {
            self.controlled()?;
        }
        let held = self.control.as_ref().map(|control| control.get());
        let found = py.detach(|| self.follow(question, variants));
        if let (Some(held), Some(control)) = (held, &self.control) {
            control.set(&held);
        }
        self.check_functions()?;
        let (end, columns, changes) = found?;
        let answer = PyDict::new(py);
        answer.set_item("t", end.t)?;
        answer.set_item("q", PyArray1::from_slice(py, &end.q))?;
        answer.set_item("u", PyArray1::from_slice(py, &end.u))?;
        for name in ["state", "parameters", "controls"] {
            let own = columns.iter().filter(|column| column.cause.kind() == name);
            let numbers = own.flat_map(|column| column.rate.iter().copied()).collect();
            answer.set_item(name, PyArray1::from_vec(py, numbers))?;
        }
        answer.set_item("one_sided", changes.into_iter().collect::<Vec<_>>())?;
        Ok(answer)
    }

    /// What is asked for, at the start.
    fn causes(&self, question: &Question) -> Vec<Column> {
        let f = self.motion.state().u.len();
        let states = if question.state { 2 * f } else { 0 };
        let parts = question.controls.len();
        let forces = (0..parts).flat_map(|part| (0..f).map(move |i| Cause::Force(part, i)));
        let parameters = (0..question.parameters.len()).map(Cause::Parameter);
        let all = (0..states).map(Cause::State).chain(parameters).chain(forces);
        let rate = |cause| (0..2 * f).map(|j| f64::from(cause == Cause::State(j))).collect();
        all.map(|cause| Column { cause, rate: rate(cause) }).collect()
    }

    /// Goes along the motion; Ctrl-C and exceptions of functions come before what they make of the differences.
    fn follow(&self, question: &Question, variants: Vec<Variant>) -> PyResult<Followed> {
        let probe = (self.checked(self.motion.probe())?, self.control.clone());
        let mut all = Motions { sim: self, probe, variants, lookout: Lookout::new(&self.failure) };
        let found = self.follow_with(&mut all, question);
        all.lookout.raised()?;
        found
    }

    /// Goes along the motion, step by step or from force to force.
    fn follow_with(&self, all: &mut Motions<'_>, question: &Question) -> PyResult<Followed> {
        let (mut state, mut changes) = (self.motion.state().clone(), BTreeSet::new());
        let parts = question.controls.len();
        let stretches = self.stretches(question.t_end, parts)?;
        let mut columns = self.causes(question);
        for k in 0..stretches.count {
            let (t_end, part) = (stretches.end(k), k * parts / stretches.count);
            let force = question.controls.get(part).map(Vec::as_slice);
            let (saved, about, base) = (all.probe.0.save(), state.q.clone(), Arrival::default());
            let mut stretch = Stretch { from: &state, saved, t_end, force, part, base, about };
            let refused = |why: String| {
                misuse(format!("there is no motion to differentiate from t = {}: {why}", state.t))
            };
            stretch.arrive((&mut all.probe, &mut all.lookout), &state, force).map_err(refused)?;
            let (next, kept) = (all.probe.0.state().clone(), all.probe.0.save());
            stretch.about.clone_from(&next.q);
            let again = stretch.arrive((&mut all.probe, &mut all.lookout), &state, force);
            stretch.base = again.map_err(refused)?;
            // Few columns are cheaper one by one.
            let moving = columns.iter().filter(|column| !column.is_zero()).count();
            let by_start = (moving >= 2 * state.u.len()).then(|| stretch.by_start(all));
            let by_start = by_start.flatten();
            for column in &mut columns {
                let found = stretch.pass(all, column, by_start.as_deref(), question.side);
                let slope = found.map_err(|why| {
                    self.no_slope(&self.cause_name(column.cause, question), state.t, why)
                })?;
                changes.extend(slope.changes.map(|deed| self.contact_name(&deed)));
                column.rate = slope.rate;
            }
            all.probe.0.restore(&kept).raise()?;
            state = next;
        }
        Ok((state, columns, changes))
    }

    /// The steps of a motion, or the parts of an event-driven one between which forces change.
    fn stretches(&self, t_end: f64, parts: usize) -> PyResult<Stretches> {
        let (t, dt) = (self.motion.state().t, self.motion.dt());
        if !(t_end > t && t_end.is_finite()) {
            return Err(misuse(format!("t_end is {t_end}; it must be after t = {t}")));
        }
        if !self.motion.has_steps() {
            let count = parts.max(1);
            return Ok(Stretches { t, length: (t_end - t) / count as f64, count, t_end });
        }
        Settings { t_end, dt, ..self.settings.clone() }.validate(t).raise()?;
        let steps = ((t_end - t) / dt - ROUNDING).ceil().max(1.0);
        if steps < parts as f64 {
            return Err(misuse(format!("controls has {parts} rows; there are {steps} steps")));
        }
        Ok(Stretches { t, length: dt, count: steps as usize, t_end })
    }

    fn contact_name(&self, deed: &Deed) -> String {
        self.source.info().contact_name(deed.contact, deed.bodies)
    }

    fn cause_name(&self, cause: Cause, question: &Question) -> String {
        match cause {
            Cause::State(i) => self.point_names().swap_remove(i),
            Cause::Parameter(i) => question.parameters[i].clone(),
            Cause::Force(part, i) => format!("controls[{part}][{i}]"),
        }
    }

    /// The names of local coordinates and velocities.
    pub(super) fn point_names(&self) -> Vec<String> {
        let info = self.source.own_info();
        let local =
            self.source.as_scene().map(|scene| scene.local().iter().map(|c| c.name.clone()));
        let q: Vec<String> = local.map_or_else(|| info.coordinates.clone(), Iterator::collect);
        q.into_iter().chain(info.velocities.iter().cloned()).collect()
    }

    fn no_slope(&self, name: &str, t: f64, why: NoSlope) -> PyErr {
        let who = |deed: Option<Deed>| match deed {
            Some(deed) => {
                let (name, what) = (self.contact_name(&deed), deed.what);
                format!("the mode of contact `{name}` changes there, from or to `{what}`")
            }
            None => "contacts change their modes there".to_owned(),
        };
        let reason = match why {
            NoSlope::Motion(why) => format!("the motion nearby has no answer: {why}"),
            NoSlope::Kink(deed) => {
                let who = who(deed);
                format!(
                    "{who}, and it is another one to either side; ask for side=\"up\" or \"down\""
                )
            }
            NoSlope::Jump(to, deed) => format!("{}, and the motion jumps just {to}", who(deed)),
            NoSlope::Rough => "differences do not settle as they get shorter".to_owned(),
        };
        misuse(format!("there is no derivative with respect to `{name}` at t = {t:.9}: {reason}"))
    }
}
