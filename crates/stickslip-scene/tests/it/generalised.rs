//! Systems of scenes by every method and formulation.

use stickslip::contact::solve::{self, Formulation};
use stickslip::model::{Generalised, Model};
use stickslip::step::{self, Integrator, Stepper};
use stickslip_scene::Scene;

#[test]
fn systems_run_by_every_method_and_formulation() {
    for method in Integrator::STEPPING {
        for formulation in Formulation::ALL {
            let scene = Scene::from_gallery("sliding_block").unwrap();
            let model = Generalised::new(scene.system().unwrap()).unwrap();
            let solve = solve::Settings { formulation, ..solve::Settings::default() };
            let settings = step::Settings {
                integrator: method,
                solve: Some(solve),
                ..step::Settings::default()
            };
            let mut stepper = Stepper::new(&model, settings).unwrap();
            let mut state = scene.start();
            let before = model.energy(&state.q, &state.u, 0.0).total();
            for _ in 0..100 {
                stepper.step(&model, &mut state, 1e-3, &mut ()).unwrap().done().unwrap();
            }
            let after = model.energy(&state.q, &state.u, 0.1).total();
            assert!(after < before, "{method} {formulation}: {before} {after}");
        }
    }
}
