//! A motion of any model, step by step or as a run.

use super::difference::Deed;
use super::run::{LastSample, Watched};
use super::system::{Control, Controlled, ControlledBodies};
use crate::patience::Lookout;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stickslip::analysis::Search;
use stickslip::analysis::state::{self, StateAnalysis};
use stickslip::bodies::World;
use stickslip::bodies::articulated::Tree;
use stickslip::bodies::forces::BodyIndex;
use stickslip::contact::Mode;
use stickslip::events::Section;
use stickslip::model::{Candidate, ContactPoint, Generalised, Model, Span};
use stickslip::run::{
    End, Event, Flow, Observer, Report, Sample, Settings, StepByStep, StepEnd, run_until,
};
use stickslip::step::{Integrator, Stepper};
use stickslip::system::{Energy, System};
use stickslip::{Error, State};
use stickslip_scene::answers::cycle::PosedQuestion;
use stickslip_scene::{Scene, SceneModel};

/// What the simulation asks of its model, whatever that is.
pub(crate) trait Motion: Send + Sync {
    fn state(&self) -> &State;
    fn set_state(&mut self, state: &State) -> Result<(), Error>;
    fn dt(&self) -> f64;
    fn set_dt(&mut self, dt: f64) -> Result<(), Error>;
    /// The next step; Ctrl-C ends one that is event-driven.
    fn step(&mut self, lookout: &mut Lookout) -> Result<StepEnd, Error>;
    /// How long so many steps take as a program in Rust makes them.
    fn time_steps(&mut self, steps: usize) -> Result<Duration, Error>;
    /// Goes to the end of a run, whose last sample this is.
    fn end_run(&mut self, state: &State, sample: &LastSample) -> Result<(), Error>;
    fn contacts(&self) -> Result<Vec<ContactNow>, Error>;
    fn energy(&self) -> Energy;
    fn save(&self) -> Vec<u8>;
    fn restore(&mut self, bytes: &[u8]) -> Result<(), Error>;

    /// Another motion from the state of this one, which stays where it is.
    fn run(
        &self,
        settings: &Settings,
        stop: Option<&mut dyn Section>,
        observer: &mut dyn Observer,
    ) -> Result<Report, Error>;

    /// All solutions of the state.
    fn analyse(&self, settings: &state::Settings) -> Result<StateAnalysis, Error>;

    /// A limit cycle from the state.
    fn cycle(&self, question: PosedQuestion) -> Result<Search, Error>;

    /// Another motion of the same model, where this one is, with the same force.
    fn probe(&self) -> Result<Box<dyn Motion>, Error>;

    /// Whether it has steps of a given size.
    fn has_steps(&self) -> bool;

    /// Goes from a state to a time, in one step where it has steps, and tells what contacts did.
    fn leap(&mut self, from: &State, t_end: f64, lookout: &mut Lookout) -> Result<Deeds, String>;

    /// A state moved in local coordinates and velocities.
    fn displaced(&self, state: &State, way: &[f64]) -> State;

    /// A state in local coordinates about these coordinates, and velocities.
    fn point(&self, about: &[f64], state: &State) -> Vec<f64>;
}

/// A contact after a step.
pub(crate) struct ContactNow {
    pub(crate) gap: Option<f64>,
    pub(crate) point: Option<ContactPoint>,
    /// Of the last step; open and without impulse where it did not participate. None if no step has led to the state.
    pub(crate) last: Option<LastImpulse>,
}

/// What a contact did in a step, or between the last two samples of a run.
pub(crate) struct LastImpulse {
    pub(crate) mode: Mode,
    pub(crate) impulse: Vec<f64>,
    /// The mean force; not a number where an impact acted in no time.
    pub(crate) force: Vec<f64>,
}

/// A motion and its model.
struct Moved<M: Model> {
    model: Arc<M>,
    settings: Settings,
    /// None of an event-driven motion, whose state is below.
    steps: Option<StepByStep<M>>,
    state: State,
    last: Option<Last>,
}

/// The contacts that participated in the last step, or between the last two samples of a run.
#[derive(Default)]
struct Last {
    impulses: Vec<(u64, Mode, Vec<f64>)>,
    /// The length of the step so far.
    passed: f64,
}

impl Last {
    /// What a contact did.
    fn of(&self, identity: u64, components: usize) -> LastImpulse {
        let known = self.impulses.iter().find(|(id, ..)| *id == identity);
        let (mode, impulse) = known.map_or_else(
            || (Mode::Open, vec![0.0; components]),
            |(_, mode, sum)| (*mode, sum.clone()),
        );
        let passed = if self.passed > 0.0 { self.passed } else { f64::NAN };
        let force = impulse.iter().map(|x| x / passed).collect();
        LastImpulse { mode, impulse, force }
    }

    /// Adds a part of a step.
    fn add<M: Model>(&mut self, stepper: &Stepper<M>, before: &State, after: &State) {
        self.passed += after.t - before.t;
        let outcome = stepper.outcome();
        for (k, &candidate) in outcome.active.iter().enumerate() {
            let identity = outcome.candidates[candidate].identity;
            let impulse = &outcome.impulse[stepper.problem().rows(k)];
            match self.impulses.iter_mut().find(|(known, ..)| *known == identity) {
                Some((_, mode, sum)) => {
                    *mode = outcome.modes[k];
                    sum.iter_mut().zip(impulse).for_each(|(sum, x)| *sum += x);
                }
                None => self.impulses.push((identity, outcome.modes[k], impulse.to_vec())),
            }
        }
        for contact in &outcome.asleep {
            let identity = outcome.candidates[contact.candidate].identity;
            let impulse = outcome.asleep_impulse[contact.rows.clone()].to_vec();
            self.impulses.push((identity, contact.mode, impulse));
        }
    }
}

/// A motion, and the force that controls it, where that can be.
pub(crate) type MotionAndControl = (Box<dyn Motion>, Option<Arc<Control>>);

/// The motion of a scene from its start. Scenes in generalised coordinates always have a control; bodies have one if asked for, since
/// forces change the way in which their steps are computed.
pub(crate) fn of_scene(
    scene: &Scene,
    settings: &Settings,
    controlled: bool,
) -> Result<MotionAndControl, Error> {
    let start = scene.start();
    let control = Arc::new(Control::default());
    let motion = match scene.model() {
        SceneModel::Rigid(world, free) if controlled => {
            let mut world = World::clone(world);
            let bodies = free.iter().map(|body| BodyIndex::from(*body).index()).collect();
            world.force(ControlledBodies { bodies, control: control.clone() })?;
            return Ok((moved(Arc::new(world), &start, settings)?, Some(control)));
        }
        SceneModel::Articulated(tree, _) if controlled => {
            let (mut tree, own) = (Tree::clone(tree), control.clone());
            tree.joint_force(move |_, _, _, tau| own.add(tau));
            return Ok((moved(Arc::new(tree), &start, settings)?, Some(control)));
        }
        SceneModel::Rigid(world, _) => moved(world.clone(), &start, settings)?,
        SceneModel::Articulated(tree, _) => moved(tree.clone(), &start, settings)?,
        SceneModel::PointMasses(world, _) => moved(world.clone(), &start, settings)?,
        _ => {
            let Some(system) = scene.system() else {
                return Err(Error::Combination {
                    part: "a simulation",
                    other: "this kind of model",
                    reason: "it is neither one of bodies nor in generalised coordinates",
                });
            };
            return of_system(system, &start, settings);
        }
    };
    Ok((motion, None))
}

/// The motion of a system from a start.
pub(crate) fn of_system<S>(
    system: S,
    start: &State,
    settings: &Settings,
) -> Result<MotionAndControl, Error>
where
    S: System + Send + Sync + 'static,
{
    let control = Arc::new(Control::default());
    let system = Controlled { system, control: control.clone() };
    let model = Arc::new(Generalised::new(system)?);
    Ok((moved(model, start, settings)?, Some(control)))
}

fn moved<M>(model: Arc<M>, start: &State, settings: &Settings) -> Result<Box<dyn Motion>, Error>
where
    M: Model + Send + Sync + 'static,
    M::Place: Send + Sync,
{
    let event_driven = settings.step.integrator == Integrator::EventDriven;
    let steps = match event_driven {
        true => None,
        false => Some(StepByStep::new(&*model, start, settings)?),
    };
    let (settings, state) = (settings.clone(), start.clone());
    Ok(Box::new(Moved { model, settings, steps, state, last: None }))
}

impl<M: Model> Moved<M> {
    fn state(&self) -> &State {
        self.steps.as_ref().map_or(&self.state, StepByStep::state)
    }

    /// The contacts at the state.
    fn candidates(&self) -> Result<(M::Place, Vec<Candidate>), Error> {
        let (mut place, mut candidates) = (M::Place::default(), Vec::new());
        self.model.detect(&mut place, &Span::still(self.state()), &mut candidates)?;
        Ok((place, candidates))
    }
}

impl<M> Motion for Moved<M>
where
    M: Model + Send + Sync + 'static,
    M::Place: Send + Sync,
{
    fn state(&self) -> &State {
        Self::state(self)
    }

    fn set_state(&mut self, state: &State) -> Result<(), Error> {
        self.last = None;
        match &mut self.steps {
            Some(steps) => steps.set_state(&self.model, state),
            None => {
                self.model.validate(&state.q, &state.u)?;
                self.state.clone_from(state);
                Ok(())
            }
        }
    }

    fn dt(&self) -> f64 {
        self.steps.as_ref().map_or(self.settings.dt, StepByStep::dt)
    }

    fn set_dt(&mut self, dt: f64) -> Result<(), Error> {
        if let Some(steps) = &mut self.steps {
            return steps.set_dt(dt);
        }
        if !(dt > 0.0 && dt.is_finite()) {
            let (place, requirement) = ("dt".to_owned(), "a finite number > 0");
            return Err(Error::Range { place, value: dt, requirement });
        }
        self.settings.dt = dt;
        Ok(())
    }

    fn step(&mut self, lookout: &mut Lookout) -> Result<StepEnd, Error> {
        let Self { model, steps, last, .. } = self;
        if let Some(steps) = steps {
            let own = last.get_or_insert_default();
            own.impulses.clear();
            own.passed = 0.0;
            let end = steps.step_with(&**model, &mut (), |stepper, before, after| {
                own.add(stepper, before, after);
                Ok(())
            });
            last.take_if(|own| own.passed <= 0.0);
            return end;
        }
        let (t, dt) = (self.state.t, self.settings.dt);
        let settings = Settings { t_end: t + dt, sample_dt: dt, ..self.settings.clone() };
        let mut sample = LastSample::default();
        let mut watched = Watched { observer: &mut sample, lookout };
        let report = run_until(&*self.model, &self.state, &settings, None, &mut watched, &mut ())?;
        self.end_run(&report.state, &sample)?;
        Ok(match report.end {
            End::Failed(reason) => StepEnd::Failed(reason),
            _ => StepEnd::Done { split: false, swept: false },
        })
    }

    fn time_steps(&mut self, steps: usize) -> Result<Duration, Error> {
        self.last = None;
        let (start, model) = (Instant::now(), &*self.model);
        if let Some(own) = &mut self.steps {
            (0..steps).try_for_each(|_| own.step(model, &mut ()).map(|_| ()))?;
        }
        Ok(start.elapsed())
    }

    fn end_run(&mut self, state: &State, sample: &LastSample) -> Result<(), Error> {
        self.set_state(state)?;
        let Some(passed) = sample.passed else { return Ok(()) };
        let (place, candidates) = self.candidates()?;
        let (mut impulses, mut row) = (Vec::new(), 0);
        for (i, candidate) in candidates.iter().enumerate() {
            let own = row..row + self.model.law(&place, i).components();
            row = own.end;
            if let (Some(mode), Some(impulse)) = (sample.modes.get(i), sample.impulses.get(own)) {
                impulses.push((candidate.identity, *mode, impulse.to_vec()));
            }
        }
        self.last = Some(Last { impulses, passed });
        Ok(())
    }

    fn contacts(&self) -> Result<Vec<ContactNow>, Error> {
        let (place, candidates) = self.candidates()?;
        let one = |(i, candidate): (usize, &Candidate)| {
            let components = self.model.law(&place, i).components();
            ContactNow {
                gap: candidate.gap,
                point: self.model.contact_point(&place, i),
                last: self.last.as_ref().map(|last| last.of(candidate.identity, components)),
            }
        };
        Ok(candidates.iter().enumerate().map(one).collect())
    }

    fn energy(&self) -> Energy {
        let State { t, q, u } = self.state();
        self.model.energy(q, u, *t)
    }

    fn save(&self) -> Vec<u8> {
        match &self.steps {
            Some(steps) => steps.save(),
            None => {
                let State { t, q, u } = &self.state;
                let numbers = std::iter::once(t).chain(q).chain(u);
                numbers.flat_map(|x| x.to_le_bytes()).collect()
            }
        }
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.last = None;
        if let Some(steps) = &mut self.steps {
            return steps.restore(&self.model, bytes);
        }
        let (chunks, rest) = bytes.as_chunks::<8>();
        let numbers: Vec<f64> = chunks.iter().map(|b| f64::from_le_bytes(*b)).collect();
        let (n, f) = (self.state.q.len(), self.state.u.len());
        if !rest.is_empty() || numbers.len() != 1 + n + f {
            let (expected, found) = (8 * (1 + n + f), bytes.len());
            return Err(Error::Size { what: "the saved state", expected, found });
        }
        let (q, u) = (numbers[1..=n].to_vec(), numbers[1 + n..].to_vec());
        self.set_state(&State { t: numbers[0], q, u })
    }

    fn run(
        &self,
        settings: &Settings,
        stop: Option<&mut dyn Section>,
        observer: &mut dyn Observer,
    ) -> Result<Report, Error> {
        run_until(&*self.model, self.state(), settings, stop, observer, &mut ())
    }

    fn analyse(&self, settings: &state::Settings) -> Result<StateAnalysis, Error> {
        StateAnalysis::of(&*self.model, self.state(), settings)
    }

    fn cycle(&self, question: PosedQuestion) -> Result<Search, Error> {
        question.search(&*self.model, self.state())
    }

    fn probe(&self) -> Result<Box<dyn Motion>, Error> {
        let mut probe = moved(self.model.clone(), self.state(), &self.settings)?;
        probe.set_dt(self.dt())?;
        probe.restore(&self.save())?;
        Ok(probe)
    }

    fn has_steps(&self) -> bool {
        self.steps.is_some()
    }

    fn leap(&mut self, from: &State, t_end: f64, lookout: &mut Lookout) -> Result<Deeds, String> {
        let mut deeds = Deeds::default();
        match &mut self.steps {
            Some(steps) => steps.displace(&self.model, from),
            None => self.set_state(from),
        }
        .map_err(|e| e.to_string())?;
        self.set_dt(t_end - from.t).map_err(|e| e.to_string())?;
        let Self { model, steps, .. } = self;
        let Some(steps) = steps else {
            let settings = Settings { t_end, sample_dt: t_end - from.t, ..self.settings.clone() };
            let mut watched = Watched { observer: &mut deeds, lookout };
            let report = run_until(&**model, from, &settings, None, &mut watched, &mut ());
            let report = report.map_err(|e| e.to_string())?;
            self.state = report.state;
            return match report.end {
                End::Failed(reason) => Err(reason),
                _ => Ok(deeds),
            };
        };
        let end = steps.step_with(&**model, &mut (), |stepper, _, _| {
            deeds.add(&**model, stepper);
            Ok(())
        });
        match end.map_err(|e| e.to_string())? {
            StepEnd::Done { .. } => Ok(deeds),
            StepEnd::Failed(reason) => Err(reason),
        }
    }

    fn displaced(&self, state: &State, way: &[f64]) -> State {
        let mut moved = state.clone();
        let (xi, change) = way.split_at(state.u.len());
        self.model.displace(&state.q, xi, &mut moved.q);
        moved.u.iter_mut().zip(change).for_each(|(u, change)| *u += change);
        moved
    }

    fn point(&self, about: &[f64], state: &State) -> Vec<f64> {
        let mut xi = vec![0.0; state.u.len()];
        self.model.local(about, &state.q, &mut xi);
        xi.extend_from_slice(&state.u);
        xi
    }
}

/// What contacts do.
#[derive(Default)]
pub(crate) struct Deeds {
    pub(crate) list: Vec<Deed>,
    /// The largest relative velocity that a step would have without them, which is what is rounded where they hold something still.
    pub(crate) pace: f64,
}

impl Deeds {
    /// Adds the contacts that transmit something in a part of a step. Those that are open change nothing.
    fn add<M: Model>(&mut self, model: &M, stepper: &Stepper<M>) {
        let outcome = stepper.outcome();
        if outcome.active.is_empty() {
            return;
        }
        let bias = stepper.problem().bias().iter();
        self.pace = bias.fold(self.pace, |m, b| m.max(b.abs()));
        for (k, &contact) in outcome.active.iter().enumerate() {
            let mode = outcome.modes[k];
            let idle = outcome.impulse[stepper.problem().rows(k)].iter().all(|x| *x == 0.0);
            if mode == Mode::Open && idle {
                continue;
            }
            let point = model.contact_point(stepper.place(), contact);
            self.list.push(Deed {
                identity: outcome.candidates[contact].identity,
                contact,
                bodies: point.map(|point| point.bodies),
                what: mode.name(),
            });
        }
    }
}

impl Observer for Deeds {
    fn sample(&mut self, _: &Sample<'_>) -> Flow {
        Flow::Continue
    }

    fn event(&mut self, event: &Event) {
        let Event { contact, bodies, kind, .. } = *event;
        self.list.push(Deed { identity: contact as u64, contact, bodies, what: kind.name() });
    }
}
