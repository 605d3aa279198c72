//! Impulses of impacts are no forces.

use stickslip::model::Model;
use stickslip::run::{Event, EventKind, Flow, Observer, Sample, run};
use stickslip_scene::recording::Units;
use stickslip_scene::recording::replay::Replay;
use stickslip_scene::{Scene, Visitor};

const BALLS: &str = "gravity = [0, 0, -9.81]\n[collision]\nmu = 0.5\n[run]\nt_end = 0.2\ndt = 1e-3\n\
                     [[body]]\nname = \"rests\"\nmass = 1\nshape = { sphere = 0.1 }\nposition = [0, 0, 0.1]\n\
                     [[body]]\nname = \"falls\"\nmass = 1\nshape = { sphere = 0.1 }\nposition = [1, 0, 0.15]\n";

/// Keeps the replay of a run, and the forces on both balls at the impact and at the end, upwards; none where a contact struck.
struct Seen {
    replay: Replay,
    strikes: bool,
    at_impact: Vec<Option<f32>>,
    last: Vec<Option<f32>>,
}

impl Observer for Seen {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        let forces: Vec<f64> = sample.impulses.iter().map(|x| x / 1e-3).collect();
        self.replay.push(sample, &forces, &[]);
        let up = self.replay.last_contacts().iter();
        self.last = up.map(|c| (!c.struck).then_some(c.force[2].abs())).collect();
        if std::mem::take(&mut self.strikes) {
            self.at_impact = self.last.clone();
        }
        Flow::Continue
    }

    fn event(&mut self, event: &Event) {
        self.replay.note(event);
        self.strikes |= event.kind == EventKind::Impact;
    }
}

struct Run<'a>(&'a Scene, &'a mut Seen);

impl Visitor for Run<'_> {
    type Output = ();

    fn visit<M: Model>(self, model: &M) {
        let Self(scene, seen) = self;
        let settings = stickslip::run::Settings { sample_dt: 1e-3, ..scene.settings() };
        run(model, &scene.start(), &settings, seen, &mut ()).unwrap();
    }
}

#[test]
fn a_contact_that_strikes_has_no_force_and_others_keep_theirs() {
    let scene = Scene::from_str(BALLS, "balls").unwrap();
    let replay = Replay::new(&scene, &Units::of_scene(&scene));
    let mut seen = Seen { replay, strikes: false, at_impact: Vec::new(), last: Vec::new() };
    scene.model().visit(Run(&scene, &mut seen));
    let weight = |force: &Option<f32>| force.is_some_and(|f| (f - 9.81).abs() < 1e-3);
    assert_eq!(seen.at_impact.len(), 2, "{:?}", seen.at_impact);
    assert!(weight(&seen.at_impact[0]) && seen.at_impact[1].is_none(), "{:?}", seen.at_impact);
    assert!(seen.last.len() == 2 && seen.last.iter().all(weight), "{:?}", seen.last);
}
