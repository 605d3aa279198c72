//! Sleeping in scenes.

use stickslip::model::Model;
use stickslip::run::{Report, Settings, run};
use stickslip::step::Sleep;
use stickslip_scene::{RunChoices, Scene, Visitor, gallery_entry, settings_json};

/// Two boxes, one on the other.
fn scene(model: &str, keys: &str) -> Scene {
    let bodies = ["a", "b"].iter().zip([0.1, 0.3]).map(|(name, z)| {
        format!("[[body]]\nname = \"{name}\"\nshape = {{ box = [0.2, 0.2, 0.2] }}\nmass = 1\nposition = [0, 0, {z}]\n")
    });
    let bodies: String = bodies.collect();
    let text = format!(
        "model = \"{model}\"\ngravity = [0, 0, -9.81]\n[collision]\nmu = 0.5\n{bodies}[run]\nt_end = 1.0\ndt = 5e-3\n{keys}"
    );
    Scene::from_str(&text, "scene").unwrap_or_else(|e| panic!("{e}"))
}

struct Whole<'s>(&'s Scene, &'s Settings);

impl Visitor for Whole<'_> {
    type Output = Result<Report, stickslip::Error>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        run(model, &self.0.start(), self.1, &mut (), &mut ())
    }
}

fn whole(scene: &Scene, settings: &Settings) -> Result<Report, stickslip::Error> {
    scene.model().visit(Whole(scene, settings))
}

#[test]
fn bodies_sleep_where_the_scene_says_so() {
    let scene = scene("rigid", "sleep = true\nstill_for = \"1/5\"\nslower_than = 0.01");
    let settings = scene.settings();
    assert_eq!(settings.step.sleep, Some(Sleep { still_for: 0.2, slower_than: 0.01 }));
    assert_eq!(settings_json(&settings)["sleep"]["still_for"], 0.2);
    let report = whole(&scene, &settings).unwrap();
    assert_eq!((report.asleep, report.woken), (2, 0));
}

#[test]
fn bodies_sleep_where_it_is_chosen_and_never_by_default() {
    let scene = scene("rigid", "slower_than = 0.01");
    assert_eq!(scene.settings().step.sleep, None);
    let chosen = RunChoices { sleep: true, ..RunChoices::default() };
    let settings = scene.settings_for(&chosen).unwrap();
    assert_eq!(settings.step.sleep, Some(Sleep { slower_than: 0.01, ..Sleep::default() }));
    assert_eq!(whole(&scene, &settings).unwrap().asleep, 2);
    let awake = whole(&scene, &scene.settings()).unwrap();
    assert_eq!(awake.asleep, 0);
}

#[test]
fn models_that_cannot_sleep_are_refused() {
    let points = scene("point_masses", "sleep = true");
    let bird = Scene::from_str(gallery_entry("woodpecker").unwrap().text, "woodpecker").unwrap();
    let mut settings = bird.settings();
    settings.step.sleep = Some(Sleep::default());
    for refused in [whole(&points, &points.settings()), whole(&bird, &settings)] {
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("sleep") && message.contains("rigid bodies"), "{message}");
    }
}
