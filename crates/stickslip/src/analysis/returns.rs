//! The return map: from one crossing of a surface to the next, by the event-driven motion.

use crate::contact::Mode;
use crate::error::{Error, check};
use crate::events::{EventDriven, Phase, Reached, Section, Settings};
use crate::model::{Model, is_curved};
use crate::run::{Event, Flow, Observer, Sample};
use crate::system::{Directions, State, System};
use complementarity::Matrix;

/// The share of the time of a return in which a crossing is the start itself, not a return.
const SKIPPED: f64 = 0.02;

/// Where a motion is looked at.
pub enum Surface<'a> {
    /// Where σ(q, u, t) rises through zero; a return that takes longer than the number given is none.
    Section(&'a mut dyn Section, f64),
    /// After every period of a system that is driven with that period.
    Period(f64),
}

/// What happened between two crossings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Return {
    /// How long it took.
    pub time: f64,
    /// Events, with times from the crossing at which the return began.
    pub events: Vec<Event>,
    /// The modes, with times from there.
    pub phases: Vec<Phase>,
}

/// The map from crossing to crossing. Coordinates named cyclic take part in the motion but not in the map.
pub struct ReturnMap<'a, M: Model> {
    pub(super) motion: EventDriven<'a, M>,
    surface: Surface<'a>,
    cyclic: Vec<bool>,
    /// The time of the last return.
    last: f64,
}

struct Recorder<'r> {
    start: f64,
    events: &'r mut Vec<Event>,
}

impl Observer for Recorder<'_> {
    fn sample(&mut self, _: &Sample<'_>) -> Flow {
        Flow::Continue
    }

    fn event(&mut self, event: &Event) {
        self.events.push(Event { t: event.t - self.start, ..*event });
    }
}

impl<'a, M: Model> ReturnMap<'a, M> {
    /// A return map of a model that begins at a state, which need not be on the surface.
    ///
    /// # Errors
    /// If the start, the model, the surface, a cyclic coordinate or a setting is refused, or coordinates do not move with the
    /// velocities themselves.
    pub fn new(
        model: &'a M,
        start: &State,
        surface: Surface<'a>,
        cyclic: &[usize],
        settings: &Settings,
    ) -> Result<Self, Error> {
        let dof = model.coordinates();
        if is_curved(model) {
            return Err(Error::Combination {
                part: "a return map",
                other: "coordinates with quaternions",
                reason: "points on the surface are compared coordinate by coordinate; make the mechanism a Tree whose joints \
                         have angles and lengths",
            });
        }
        let time = match &surface {
            Surface::Section(_, longest) => *longest,
            Surface::Period(period) => *period,
        };
        let place = || "the time of a return".to_string();
        check(place, time, time > 0.0, "a finite number > 0")?;
        if let Some(&wrong) = cyclic.iter().find(|&&c| c >= dof) {
            let (place, value) = ("a cyclic coordinate".into(), wrong as f64);
            return Err(Error::Range { place, value, requirement: "the number of a coordinate" });
        }
        let motion = EventDriven::new(model, start, settings)?;
        let cyclic = (0..dof).map(|i| cyclic.contains(&i)).collect();
        Ok(Self { motion, surface, cyclic, last: 0.0 })
    }

    /// The state now.
    #[must_use]
    pub fn state(&self) -> &State {
        self.motion.state()
    }

    /// What the contacts do now.
    #[must_use]
    pub fn modes(&self) -> &[Mode] {
        self.motion.modes()
    }

    /// Goes on to the next crossing. `Err` inside says why there is none.
    ///
    /// # Errors
    /// If the model returns what is not finite.
    pub fn next_return(&mut self) -> Result<Result<Return, String>, Error> {
        let mut made = Return::default();
        let start = self.motion.state().t;
        self.motion.record_phases();
        let mut recorder = Recorder { start, events: &mut made.events };
        let reached = match &mut self.surface {
            Surface::Period(period) => self.motion.advance(start + *period, None, &mut recorder)?,
            Surface::Section(section, longest) => {
                let away = start + SKIPPED * self.last;
                match self.motion.advance(away, None, &mut recorder)? {
                    Reached::Time => self.motion.advance(
                        start + *longest,
                        Some(&mut **section),
                        &mut recorder,
                    )?,
                    other => other,
                }
            }
        };
        made.time = self.motion.state().t - start;
        let since = |p: &Phase| Phase { t: p.t - start, modes: p.modes.clone() };
        made.phases = self.motion.phases().iter().map(since).collect();
        let by_time = matches!(self.surface, Surface::Period(_));
        Ok(match reached {
            Reached::Section => {
                self.last = made.time;
                Ok(made)
            }
            // The drive is the same a period later, and small times are more exact.
            Reached::Time if by_time => {
                self.motion.rewind(start);
                Ok(made)
            }
            Reached::Time => Err(format!("no return to the section within {}", made.time)),
            Reached::Stopped => Err("stopped".into()),
            Reached::Failed(why) => Err(why),
        })
    }

    /// The point on the surface: coordinates that are not cyclic, then velocities.
    #[must_use]
    pub fn point(&self) -> Vec<f64> {
        self.point_of(self.motion.state())
    }

    /// The point of a state.
    pub(super) fn point_of(&self, state: &State) -> Vec<f64> {
        let q = state.q.iter().zip(&self.cyclic).filter(|(_, cyclic)| !**cyclic).map(|(q, _)| *q);
        q.chain(state.u.iter().copied()).collect()
    }

    /// A state with the coordinates and velocities of a point, and the rest from another.
    pub(super) fn lift(&self, point: &[f64], rest: &State) -> State {
        let mut state = rest.clone();
        let mut values = point.iter();
        let free = state.q.iter_mut().zip(&self.cyclic).filter(|(_, cyclic)| !**cyclic);
        for (to, from) in free.map(|(q, _)| q).zip(&mut values) {
            *to = *from;
        }
        for (to, from) in state.u.iter_mut().zip(values) {
            *to = *from;
        }
        state
    }

    /// Sizes to measure points with: velocities by their largest values, coordinates by how far those carry
    /// in a radian of the time given.
    pub(super) fn sizes(&self, time: f64) -> Vec<f64> {
        let u = self.motion.velocity_sizes();
        let reach = time / std::f64::consts::TAU;
        let q = u.iter().zip(&self.cyclic).filter(|(_, cyclic)| !**cyclic);
        q.map(|(u, _)| u * reach).chain(u.iter().copied()).collect()
    }

    /// The cyclic coordinates.
    pub(super) fn cyclic(&self) -> impl Iterator<Item = usize> + '_ {
        self.cyclic.iter().enumerate().filter(|(_, c)| **c).map(|(i, _)| i)
    }
}

/// Coordinates on which, near a state, neither masses nor forces nor gaps nor directions depend: found by
/// shifting each of them. A coordinate on which they depend only far from the state is not found out.
pub fn cyclic_coordinates<S: System + ?Sized>(system: &S, state: &State) -> Vec<usize> {
    let dof = system.info().dof();
    let mut plain = Vec::new();
    let mut shifted = Vec::new();
    let mut cyclic = Vec::new();
    footprint(system, state, &mut plain);
    for i in 0..dof {
        let free = [0.37, -1.9, 14.3].iter().all(|by| {
            let mut moved = state.clone();
            moved.q[i] += by * (1.0 + state.q[i].abs());
            footprint(system, &moved, &mut shifted);
            let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-13 * a.abs().max(b.abs());
            plain.iter().zip(&shifted).all(same)
        });
        if free {
            cyclic.push(i);
        }
    }
    cyclic
}

/// All that the system says of a state, except for energies.
fn footprint<S: System + ?Sized>(system: &S, state: &State, out: &mut Vec<f64>) {
    let (dof, contacts) = (system.info().dof(), system.info().contacts.len());
    let State { t, q, u } = state;
    let mut mass = Matrix::zeros(dof, dof);
    let (mut h, mut gaps) = (vec![0.0; dof], vec![0.0; contacts]);
    system.mass(q, *t, &mut mass);
    system.forces(q, u, *t, &mut h);
    system.gaps(q, *t, &mut gaps);
    out.clear();
    out.extend(mass.as_slice().iter().chain(&h).chain(&gaps));
    let (mut normal, mut tangent) = (vec![0.0; dof], vec![0.0; dof]);
    for contact in 0..contacts {
        let mut d = Directions {
            normal: &mut normal,
            tangent: &mut tangent,
            normal_drive: 0.0,
            tangent_drive: 0.0,
        };
        system.directions(contact, q, *t, &mut d);
        out.extend([d.normal_drive, d.tangent_drive]);
        out.extend(system.convective(contact, q, u, *t));
        out.extend(normal.iter().chain(&tangent));
    }
}
