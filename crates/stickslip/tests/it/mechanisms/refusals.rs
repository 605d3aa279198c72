//! What a step refuses in every model and by every method, with the state left alone.

use super::{AnyModel, AnyStepper};
use glam::{DQuat, DVec3};
use stickslip::bodies::{MassProperties, Pose, Twist};
use stickslip::step::{self, Integrator};
use stickslip::system::State;

fn ball() -> MassProperties {
    MassProperties::sphere(1.0, 0.1).unwrap()
}

fn refused(model: &AnyModel, stepper: &mut AnyStepper, state: &State, dt: f64) -> String {
    let mut moved = state.clone();
    let error = stepper.step(model, &mut moved, dt).unwrap_err();
    assert_eq!(format!("{moved:?}"), format!("{state:?}"));
    error.to_string()
}

/// Each model with one body, by each method.
fn every(check: impl Fn(&mut AnyModel, &mut AnyStepper, &State)) {
    for method in Integrator::STEPPING {
        for mut model in AnyModel::all(DVec3::ZERO) {
            model.body(ball());
            let state = model.state(&[(Pose::default(), Twist::default())]);
            let settings = step::Settings { integrator: method, ..step::Settings::default() };
            let mut stepper = model.stepper(settings).unwrap();
            check(&mut model, &mut stepper, &state);
        }
    }
}

#[test]
fn steps_that_are_not_positive_and_times_that_are_not_finite_are_refused() {
    every(|model, stepper, state| {
        for (dt, shown) in
            [(0.0, "0"), (-1e-3, "-0.001"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")]
        {
            let error = refused(model, stepper, state, dt);
            assert!(error.contains(&format!("the length of a step is {shown};")), "{error}");
        }
        let late = State { t: f64::NAN, ..state.clone() };
        let error = refused(model, stepper, &late, 1e-3);
        assert!(error.contains("the time of a state is NaN"), "{error}");
    });
}

#[test]
fn states_and_models_of_another_size_are_refused() {
    every(|model, stepper, state| {
        for wrong in [
            State { q: Vec::new(), ..state.clone() },
            State { u: vec![0.0; state.u.len() + 1], ..state.clone() },
        ] {
            let error = refused(model, stepper, &wrong, 1e-3);
            assert!(error.contains("of a state has"), "{error}");
        }
        // The stepper was made for one body.
        model.body(ball());
        let two = model.state(&[(Pose::default(), Twist::default()); 2]);
        let error = refused(model, stepper, &two, 1e-3);
        assert!(error.contains("a model that a stepper was not made for"), "{error}");
    });
}

#[test]
fn prescribed_motions_that_are_none_are_refused_with_the_body_and_the_time() {
    type Motion = fn(f64) -> (Pose, Twist);
    let cases: [(Motion, &str); 3] = [
        (|_| (Pose::at(DVec3::new(0.0, f64::NAN, 0.0)), Twist::default()), "the position of"),
        (
            |_| (Pose::default(), Twist { angular: DVec3::INFINITY, ..Twist::default() }),
            "the angular velocity of",
        ),
        (
            |_| {
                let rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0);
                (Pose { rotation, ..Pose::default() }, Twist::default())
            },
            "the length of the quaternion of",
        ),
    ];
    for (motion, what) in cases {
        every(|model, _, state| {
            model.prescribed(motion);
            let mut stepper = model.stepper(step::Settings::default()).unwrap();
            let error = refused(model, &mut stepper, state, 1e-3);
            let wanted = format!("{what} the prescribed body 2 at t = 0.0005");
            assert!(error.contains(&wanted), "{error}");
        });
    }
}

#[test]
fn more_passes_than_a_step_may_make_are_refused() {
    for passes in [0, usize::MAX] {
        let settings = step::Settings { passes, ..step::Settings::default() };
        let error = settings.validate().unwrap_err().to_string();
        assert!(error.contains("passes") && error.contains("from 1 to 100"), "{error}");
    }
}
