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

const LADDER: &str = r#"
[coordinates]
x = { velocity = "vx" }
y = { velocity = "vy" }
[energy]
kinetic = "(vx^2 + vy^2)/2"
potential = "9.81*y"
[forces]
x = "4 + 2*sin(20*t)"
[[contact]]
name = "left"
gap = "y"
slip = "vx"
mu = 0.3
rho = 0.02
[[contact]]
name = "right"
gap = "y + x/100"
slip = "vx"
mu = "0.2"
[run]
formulation = "phantom_inertia"
rho = 0.5
"#;

/// ρ of single contacts comes before that of the run, and what is typed before both; the motion does not depend on it.
#[test]
fn phantom_inertia_of_single_contacts_changes_no_motion() {
    let scene = Scene::from_str(LADDER, "scene").unwrap();
    let rhos = |scene: &Scene| scene.info().contacts.iter().map(|c| c.law.rho).collect::<Vec<_>>();
    assert_eq!(rhos(&scene), [Some(0.02), None]);
    let typed = scene.with_rho(&[0.1, 0.7]).unwrap();
    assert_eq!(rhos(&typed), [Some(0.1), Some(0.7)]);
    assert_eq!(rhos(&scene.with_rho(&[3.0]).unwrap()), [Some(3.0), Some(3.0)]);
    let error = scene.with_rho(&[1.0, 2.0, 3.0]).unwrap_err();
    assert!(error.reason.contains("rho has 3 numbers; the scene has 2 tables"), "{error}");
    let end = |scene: &Scene, formulation| {
        let model = Generalised::new(scene.system().unwrap()).unwrap();
        let mut settings = scene.settings().step;
        if let Some(solve) = &mut settings.solve {
            (solve.formulation, solve.cases) = (formulation, false);
        }
        let mut stepper = Stepper::new(&model, settings).unwrap();
        let mut state = scene.start();
        for _ in 0..100 {
            stepper.step(&model, &mut state, 2e-3, &mut ()).unwrap().done().unwrap();
        }
        state.q[0]
    };
    let exact = end(&scene, Formulation::GlockerStuder);
    assert!(exact > 0.01, "{exact}");
    for scene in [&scene, &typed] {
        let found = end(scene, Formulation::PhantomInertia);
        assert!((found - exact).abs() < 1e-9, "{found} {exact}");
    }
}
