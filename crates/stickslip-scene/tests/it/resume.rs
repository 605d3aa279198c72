//! Runs that are resumed: from every memory on they are the run that was not interrupted, bit by bit.

use stickslip::State;
use stickslip::events::Section;
use stickslip::model::Model;
use stickslip::run::{
    Event, Flow, Memory, Observer, Report, Sample, Settings, check, resume_until, run_until,
};
use stickslip::step::Integrator;
use stickslip_scene::{Scene, Visitor};

/// Everything that a run shows, as bits, and the memories between its legs with what had been shown until then.
#[derive(Default)]
struct Shown {
    bits: Vec<u64>,
    memories: Vec<(Vec<u8>, usize)>,
    /// Stops at the end of this leg.
    stop_at: Option<usize>,
}

impl Observer for Shown {
    fn sample(&mut self, s: &Sample<'_>) -> Flow {
        let energies = [s.energy.kinetic, s.energy.potential];
        let numbers = [s.t].into_iter().chain(energies);
        let lists = s.q.iter().chain(s.u).chain(s.gaps).chain(s.impulses).copied();
        self.bits.extend(numbers.chain(lists).map(f64::to_bits));
        self.bits.extend(s.modes.iter().map(|mode| mode.name().len() as u64));
        Flow::Continue
    }

    fn event(&mut self, e: &Event) {
        let numbers = [e.t, e.impulse[0], e.impulse[1], e.energy];
        self.bits.extend(numbers.map(f64::to_bits));
        self.bits.extend([e.contact as u64, e.kind.name().len() as u64]);
    }

    fn leg(&mut self, memory: &Memory) -> Flow {
        self.memories.push((memory.to_bytes(), self.bits.len()));
        if self.stop_at == Some(self.memories.len()) { Flow::Stop } else { Flow::Continue }
    }
}

/// What a report says, with every number as bits: its text is the shortest that reads the same.
fn text(report: &Report) -> String {
    format!("{report:?}")
}

/// A function of a state and time.
type Condition<'a> = Box<dyn Fn(&[f64], &[f64], f64) -> f64 + 'a>;

/// Runs a model, then resumes it from all its memories; returns how many there were.
struct EveryLeg<'a> {
    start: State,
    settings: Settings,
    stop: Option<Condition<'a>>,
    what: String,
}

impl Visitor for EveryLeg<'_> {
    type Output = Option<usize>;

    fn visit<M: Model>(self, model: &M) -> Option<usize> {
        check(model, &self.start, &self.settings).ok()?;
        let mut stop = self.stop.as_ref().map(|stop| |q: &[f64], u: &[f64], t: f64| stop(q, u, t));
        fn lend<S: Section>(stop: &mut Option<S>) -> Option<&mut dyn Section> {
            stop.as_mut().map(|stop| stop as &mut dyn Section)
        }
        let mut whole = Shown::default();
        let settings = &self.settings;
        let report =
            run_until(model, &self.start, settings, lend(&mut stop), &mut whole, &mut ()).unwrap();
        for (i, (bytes, shown)) in whole.memories.iter().enumerate() {
            let memory = Memory::from_bytes(bytes).unwrap();
            let mut rest = Shown::default();
            let resumed =
                resume_until(model, &memory, settings, lend(&mut stop), &mut rest, &mut ());
            let place = format!("{}, leg {i}", self.what);
            assert_eq!(text(&resumed.unwrap()), text(&report), "{place}");
            assert!(rest.bits == whole.bits[*shown..], "{place}: samples or events differ");
            let later: Vec<_> = whole.memories[i + 1..].iter().map(|(bytes, _)| bytes).collect();
            assert!(rest.memories.iter().map(|(bytes, _)| bytes).eq(later), "{place}: memories");
        }
        let n = whole.memories.len();
        let mut stopped = Shown { stop_at: Some(n.div_ceil(2)), ..Shown::default() };
        if n > 0 {
            run_until(model, &self.start, settings, lend(&mut stop), &mut stopped, &mut ())
                .unwrap();
            let half = stopped.memories.len();
            assert_eq!(stopped.memories[half - 1].0, whole.memories[half - 1].0, "{}", self.what);
        }
        Some(n)
    }
}

/// How often a scene was resumed with this integrator and step; none if they do not go together.
fn resumed(name: &str, integrator: Integrator, change: impl Fn(&mut Settings)) -> Option<usize> {
    let mut scene = Scene::from_gallery(name).unwrap();
    if integrator == Integrator::GapLevel {
        let none: Vec<(String, f64)> = scene.parameters.clone();
        let none = none.iter().filter(|(n, v)| n.starts_with("eps") && *v != 0.0);
        let none: Vec<(&str, f64)> = none.map(|(n, _)| (n.as_str(), 0.0)).collect();
        scene = scene.with_overrides(&none).unwrap();
    }
    let mut settings = scene.settings();
    settings.step.integrator = integrator;
    change(&mut settings);
    let margin = scene.stop_margin();
    let every = EveryLeg {
        start: scene.start(),
        settings,
        stop: margin.map(|m| Box::new(move |q: &[f64], u: &[f64], t| m.value(q, u, t)) as _),
        what: format!("{name} by {integrator}"),
    };
    scene.model().visit(every)
}

/// A run of as many steps of the scene's own length, sampled now and then.
fn steps(n: f64) -> impl Fn(&mut Settings) {
    move |s| (s.t_end, s.sample_dt) = (n * s.dt, 7.0 * s.dt)
}

#[test]
fn planar_systems_go_on_to_the_same_bits_by_every_stepping_integrator() {
    for integrator in Integrator::STEPPING {
        let mut most = 0;
        for name in ["woodpecker", "rocking_block", "bouncing_ball", "stick_slip_belt"] {
            most = most.max(resumed(name, integrator, steps(3500.0)).unwrap_or(0));
        }
        assert!(most >= 3, "{integrator}: {most}");
    }
}

#[test]
fn bodies_in_space_go_on_to_the_same_bits_by_every_stepping_integrator() {
    for integrator in Integrator::STEPPING {
        let mut most = 0;
        for name in
            ["corner_box", "tumbling_box", "dominoes", "four_bar", "point_mass_box", "chain"]
        {
            let n = resumed(name, integrator, steps(3300.0));
            most = most.max(n.unwrap_or(0));
        }
        assert!(most >= 3, "{integrator}: {most}");
    }
}

#[test]
fn event_driven_motion_goes_on_to_the_same_bits() {
    let times = [("woodpecker", 3.0), ("bouncing_ball", 1.0), ("stick_slip_belt", 20.0)];
    let space = [("corner_box", 2.0), ("four_bar", 5.0), ("spinning_top", 2.0), ("tippe_top", 2.0)];
    let mut resumes = Vec::new();
    for (name, t_end) in times.into_iter().chain(space) {
        let n = resumed(name, Integrator::EventDriven, |s| s.t_end = t_end);
        resumes.extend(n.map(|n| (name, n)));
    }
    assert!(resumes.iter().filter(|(_, n)| *n >= 2).count() >= 3, "{resumes:?}");
}
