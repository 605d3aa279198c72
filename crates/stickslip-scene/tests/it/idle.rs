//! Settings that do nothing with the others: each file in `idle/` is in order, and gives exactly the warnings that stand beside it.
//!
//! To write the warnings anew after a change, run the test with `STICKSLIP_BLESS=1` and read what changed.

use std::path::{Path, PathBuf};
use stickslip::contact::solve::Formulation;
use stickslip::run::Settings;
use stickslip::step::Integrator;
use stickslip_scene::{Scene, gallery};

fn scenes() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/idle");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let scenes = files.filter(|path| path.extension().is_some_and(|e| e == "toml"));
    scenes.map(|path| (name(&path), path)).collect()
}

fn scene(path: &Path, name: &str) -> Scene {
    Scene::from_str(&std::fs::read_to_string(path).unwrap(), name).unwrap()
}

fn warnings(scene: &Scene, settings: &Settings) -> String {
    scene.idle(settings).iter().map(|warning| format!("{warning}\n")).collect()
}

#[test]
fn every_idle_setting_of_a_file_gives_its_warning() {
    let (scenes, bless) = (scenes(), std::env::var_os("STICKSLIP_BLESS").is_some());
    assert!(scenes.len() >= 7, "only {} scenes were found", scenes.len());
    for (name, path) in scenes {
        let scene = scene(&path, &name);
        let (found, beside) = (warnings(&scene, &scene.settings()), path.with_extension("txt"));
        if bless {
            std::fs::write(&beside, &found).unwrap();
        }
        assert!(found.contains("does nothing"), "{name}: {found}");
        assert_eq!(found, std::fs::read_to_string(&beside).unwrap_or_default(), "{name}");
    }
}

/// Whether a setting does something is judged by what is used, whatever the file says of it.
#[test]
fn a_choice_from_outside_of_the_file_makes_settings_idle_and_wakes_them() {
    let all = scenes();
    let load = |name: &str| {
        let (name, path) = all.iter().find(|(n, _)| n == name).unwrap();
        scene(path, name)
    };
    let theta = load("theta_with_midpoint.toml");
    let mut settings = theta.settings();
    settings.step.integrator = Integrator::MoreauJean { theta: 0.5 };
    assert_eq!(warnings(&theta, &settings), "");
    settings.step.integrator = Integrator::GapLevel;
    let found = warnings(&theta, &settings);
    let both = "`theta` does nothing with the integrator gap_level, which was chosen instead of moreau_midpoint of the file";
    assert!(found.contains(both), "{found}");

    let rho = load("contact_rho_without_formulation.toml");
    let mut settings = rho.settings();
    settings.step.solve.as_mut().unwrap().formulation = Formulation::PhantomInertia;
    assert_eq!(warnings(&rho, &settings), "");
    settings.step.solve.as_mut().unwrap().formulation = Formulation::StewartTrinkle;
    let found = warnings(&rho, &settings);
    let one =
        "`rho` does nothing with the formulation stewart_trinkle, which was chosen for this run";
    assert!(found.contains(one), "{found}");
}

#[test]
fn no_scene_of_the_gallery_has_settings_that_do_nothing() {
    for entry in gallery() {
        let scene = Scene::from_gallery(entry.name).unwrap();
        assert_eq!(warnings(&scene, &scene.settings()), "", "{}", entry.name);
    }
}
