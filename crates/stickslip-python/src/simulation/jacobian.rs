//! Derivatives of where a motion ends, with respect to where it starts, to parameters and to forces: those of its steps, one after the other.

use super::Simulation;
use super::difference::{Arrival, Deed, NoSlope, Side, Slope, slope};
use super::motion::{self, MotionAndControl};
use crate::error::{Raise, misuse};
use crate::patience::Lookout;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeSet;
use stickslip::State;

/// A last step that is shorter than the others by less than this share is one of them.
const ROUNDING: f64 = 1e-9;

/// The columns of a matrix.
type Columns = Vec<Vec<f64>>;

/// What is differentiated by beside the state, and to which side.
pub(super) struct Question {
    pub(super) t_end: f64,
    pub(super) parameters: Vec<String>,
    /// Forces that are held over parts of the motion of equal length; none for those that act anyway.
    pub(super) controls: Vec<Vec<f64>>,
    pub(super) side: Side,
}

/// The derivatives so far.
struct Chain {
    state: Columns,
    parameters: Columns,
    controls: Columns,
    changes: BTreeSet<String>,
}

impl Chain {
    /// Goes on over a stretch whose derivatives with respect to its own start are these.
    fn pass(&mut self, stretch: &Columns) {
        let all = self.state.iter_mut().chain(&mut self.parameters).chain(&mut self.controls);
        for column in all {
            let mut moved = vec![0.0; column.len()];
            for (rate, by) in stretch.iter().zip(&*column) {
                add(&mut moved, rate, *by);
            }
            *column = moved;
        }
    }
}

fn add(to: &mut [f64], rate: &[f64], by: f64) {
    to.iter_mut().zip(rate).for_each(|(to, rate)| *to += rate * by);
}

/// A stretch of the motion: from a state, and what the motion keeps there, to a time.
struct Stretch<'a> {
    from: &'a State,
    saved: Vec<u8>,
    t_end: f64,
    force: Option<&'a [f64]>,
    side: Side,
    /// Where it ends.
    base: Arrival,
    about: Vec<f64>,
}

impl Stretch<'_> {
    /// The end of a motion over it from another state.
    fn arrive(
        &self,
        (motion, control): &mut MotionAndControl,
        from: &State,
    ) -> Result<Arrival, String> {
        if let (Some(control), Some(force)) = (control.as_ref(), self.force) {
            control.set(force);
        }
        motion.restore(&self.saved).map_err(|e| e.to_string())?;
        let deeds = motion.leap(from, self.t_end)?;
        Ok(Arrival { point: motion.point(&self.about, motion.state()), deeds })
    }

    /// The derivatives with respect to its start.
    fn by_state(&self, moved: &mut MotionAndControl) -> Result<Vec<Slope>, (usize, NoSlope)> {
        let own = moved.0.point(&self.from.q, self.from);
        let sizes = self.from.q.iter().chain(&self.from.u).map(|x| x.abs().max(1.0));
        // Bodies have more coordinates than local ones, and these are of the size of the unit.
        let plain = self.from.q.len() == self.from.u.len();
        let sizes: Vec<f64> = if plain { sizes.collect() } else { vec![1.0; own.len()] };
        let one = |i: usize| {
            slope(&self.base, sizes[i], self.side, |by| {
                let from = moved.0.displaced(self.from, i, by);
                self.arrive(moved, &from)
            })
            .map_err(|why| (i, why))
        };
        (0..own.len()).map(one).collect()
    }

    /// The derivatives with respect to the force that is held over it.
    fn by_force(&self, moved: &mut MotionAndControl) -> Result<Vec<Slope>, (usize, NoSlope)> {
        let force = self.force.unwrap_or_default();
        let one = |i: usize| {
            slope(&self.base, force[i].abs().max(1.0), self.side, |by| {
                let mut other = force.to_vec();
                other[i] += by;
                let (saved, about) = (self.saved.clone(), self.about.clone());
                let stretch = Stretch {
                    force: Some(&other),
                    saved,
                    about,
                    base: Arrival::default(),
                    ..*self
                };
                stretch.arrive(moved, self.from)
            })
            .map_err(|why| (i, why))
        };
        (0..force.len()).map(one).collect()
    }
}

/// The same scene with one parameter at other values; each is read once.
struct Variant {
    name: String,
    value: f64,
    motions: Vec<(f64, MotionAndControl)>,
}

impl Variant {
    fn slope(&mut self, sim: &Simulation, stretch: &Stretch<'_>) -> Result<Slope, NoSlope> {
        let size = if self.value == 0.0 { 1.0 } else { self.value.abs() };
        slope(&stretch.base, size, stretch.side, |by| {
            let known = self.motions.iter().position(|(at, _)| *at == by);
            let place = match known {
                Some(place) => place,
                None => {
                    let motion = sim.varied(&self.name, self.value + by)?;
                    self.motions.push((by, motion));
                    self.motions.len() - 1
                }
            };
            stretch.arrive(&mut self.motions[place].1, stretch.from)
        })
    }
}

impl Simulation {
    /// The motion of the scene with another value of a parameter.
    fn varied(&self, name: &str, value: f64) -> Result<MotionAndControl, String> {
        let scene =
            self.source.as_scene().ok_or("a system of Python functions has no parameters")?;
        let scene = scene.with_overrides(&[(name, value)]).map_err(|e| e.to_string())?;
        let (motion, control) =
            motion::of_scene(&scene, &self.settings).map_err(|e| e.to_string())?;
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
        &self,
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
        let (end, chain) = found?;
        let answer = PyDict::new(py);
        answer.set_item("t", end.t)?;
        answer.set_item("q", PyArray1::from_slice(py, &end.q))?;
        answer.set_item("u", PyArray1::from_slice(py, &end.u))?;
        let parts = [
            ("state", chain.state),
            ("parameters", chain.parameters),
            ("controls", chain.controls),
        ];
        for (name, columns) in parts {
            answer.set_item(name, PyArray1::from_vec(py, columns.concat()))?;
        }
        answer.set_item("one_sided", chain.changes.into_iter().collect::<Vec<_>>())?;
        Ok(answer)
    }

    /// Goes along the motion, step by step or from force to force.
    fn follow(&self, question: &Question, mut variants: Vec<Variant>) -> PyResult<(State, Chain)> {
        let mut probe = (self.motion.probe().raise()?, self.control.clone());
        let mut state = self.motion.state().clone();
        let parts = question.controls.len();
        let ends = self.ends(question.t_end, parts)?;
        let (rows, f) = (2 * state.u.len(), state.u.len());
        let unit = |i: usize| (0..rows).map(|j| f64::from(i == j)).collect();
        let mut chain = Chain {
            state: (0..rows).map(unit).collect(),
            parameters: vec![vec![0.0; rows]; variants.len()],
            controls: vec![vec![0.0; rows]; parts * f],
            changes: BTreeSet::new(),
        };
        let mut lookout = Lookout::new();
        for (k, &t_end) in ends.iter().enumerate() {
            lookout.look()?;
            let part = k * parts / ends.len();
            let force = question.controls.get(part).map(Vec::as_slice);
            let (saved, about, base) = (probe.0.save(), state.q.clone(), Arrival::default());
            let mut stretch =
                Stretch { from: &state, saved, t_end, force, side: question.side, base, about };
            let refused = |why: String| self.no_motion(state.t, &why);
            stretch.arrive(&mut probe, &state).map_err(refused)?;
            let next = (probe.0.state().clone(), probe.0.save());
            stretch.about.clone_from(&next.0.q);
            stretch.base = stretch.arrive(&mut probe, &state).map_err(refused)?;
            let slopes = stretch.by_state(&mut probe);
            let columns = self.columns(slopes, &mut chain, |i| self.entry_name(i), state.t)?;
            chain.pass(&columns);
            let slopes = stretch.by_force(&mut probe);
            let name = |i: usize| format!("the force of {}", self.source.own_info().velocities[i]);
            let forced = self.columns(slopes, &mut chain, name, state.t)?;
            for (i, column) in forced.iter().enumerate() {
                add(&mut chain.controls[part * f + i], column, 1.0);
            }
            for (i, variant) in variants.iter_mut().enumerate() {
                let slope = variant.slope(self, &stretch).map_err(|why| (i, why));
                let name = |i: usize| question.parameters[i].clone();
                let columns = self.columns(slope.map(|s| vec![s]), &mut chain, name, state.t)?;
                add(&mut chain.parameters[i], &columns[0], 1.0);
            }
            probe.0.restore(&next.1).raise()?;
            state = next.0;
        }
        Ok((state, chain))
    }

    /// Where steps end, or parts of an event-driven motion between which forces change.
    fn ends(&self, t_end: f64, parts: usize) -> PyResult<Vec<f64>> {
        let (t, dt) = (self.motion.state().t, self.motion.dt());
        if !(t_end > t && t_end.is_finite()) {
            return Err(misuse(format!("t_end is {t_end}; it must be after t = {t}")));
        }
        if !self.motion.has_steps() {
            let n = parts.max(1);
            return Ok((1..=n).map(|k| t + (t_end - t) * k as f64 / n as f64).collect());
        }
        let steps = ((t_end - t) / dt - ROUNDING).ceil().max(1.0);
        if steps < parts as f64 {
            return Err(misuse(format!("controls has {parts} rows; there are {steps} steps")));
        }
        let mut ends: Vec<f64> = (1..=steps as u64).map(|k| t + k as f64 * dt).collect();
        if let Some(last) = ends.last_mut() {
            *last = t_end;
        }
        Ok(ends)
    }

    /// The derivatives, or the refusal in the names of the scene.
    fn columns(
        &self,
        slopes: Result<Vec<Slope>, (usize, NoSlope)>,
        chain: &mut Chain,
        name: impl Fn(usize) -> String,
        t: f64,
    ) -> PyResult<Columns> {
        let slopes = slopes.map_err(|(i, why)| self.no_slope(&name(i), t, why))?;
        let keep = |slope: Slope| {
            chain.changes.extend(slope.changes.map(|deed| self.contact_name(&deed)));
            slope.rate
        };
        Ok(slopes.into_iter().map(keep).collect())
    }

    fn contact_name(&self, deed: &Deed) -> String {
        self.source.info().contact_name(deed.contact, deed.bodies)
    }

    fn entry_name(&self, i: usize) -> String {
        let names = self.point_names();
        names.get(i).cloned().unwrap_or_else(|| format!("entry {i} of the state"))
    }

    /// The names of local coordinates and velocities.
    pub(super) fn point_names(&self) -> Vec<String> {
        let info = self.source.own_info();
        let local =
            self.source.as_scene().map(|scene| scene.local().iter().map(|c| c.name.clone()));
        let q: Vec<String> = local.map_or_else(|| info.coordinates.clone(), Iterator::collect);
        q.into_iter().chain(info.velocities.iter().cloned()).collect()
    }

    fn no_motion(&self, t: f64, why: &str) -> PyErr {
        misuse(format!("there is no motion to differentiate from t = {t}: {why}"))
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
