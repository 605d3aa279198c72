//! Static and kinetic friction in time stepping, against closed forms.

use complementarity::Matrix;
use stickslip::State;
use stickslip::contact::Law;
use stickslip::impact::ImpactLaw;
use stickslip::model::Generalised;
use stickslip::models::{Linear, LinearContact};
use stickslip::run::{End, Settings, run};
use stickslip::step::{self, Integrator, Stepper};

const G: f64 = 9.81;
const MU_STATIC: f64 = 0.5;
const MU_KINETIC: f64 = 0.3;

fn floor(belt: f64) -> LinearContact {
    let law = Law::coulomb_static(MU_STATIC, MU_KINETIC);
    LinearContact { belt, ..LinearContact::new(vec![0.0, 1.0], vec![1.0, 0.0], law) }
}

#[test]
fn a_block_on_a_slope_holds_to_the_static_angle_and_slides_with_kinetic_friction() {
    for (share, holds) in [(0.999, true), (1.001, false), (1.5, false)] {
        let angle = (share * MU_STATIC).atan();
        let weight = [2.0 * G * angle.sin(), -2.0 * G * angle.cos()];
        for integrator in [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }] {
            let block = Linear::diagonal(&[2.0, 2.0], &weight, vec![floor(0.0)]).unwrap();
            let block = Generalised::new(block).unwrap();
            let step = step::Settings { integrator, ..step::Settings::default() };
            let settings = Settings { step, t_end: 0.5, ..Settings::default() };
            let start = State::new(vec![0.0; 2], vec![0.0; 2]);
            let report = run(&block, &start, &settings, &mut (), &mut ()).unwrap();
            assert_eq!(report.end, End::Finished);
            let acceleration = G * (angle.sin() - MU_KINETIC * angle.cos());
            let wanted = if holds { 0.0 } else { 0.5 * acceleration };
            let found = report.state.u[0];
            assert!((found - wanted).abs() < 1e-12, "{integrator} {share}: {found} {wanted}");
            assert!(report.certificate.worst <= 1e-10);
        }
    }
}

/// The times at which a block on a spring, carried by a belt, lets go of it.
fn releases(dt: f64, t_end: f64, stiffness: f64, belt: f64) -> Vec<f64> {
    let system = Linear::diagonal(&[1.0, 1.0], &[0.0, -G], vec![floor(-belt)])
        .unwrap()
        .with_springs(
            Matrix::from_rows(&[[stiffness, 0.0], [0.0, 0.0]]).unwrap(),
            Matrix::zeros(2, 2),
        )
        .unwrap();
    let system = Generalised::new(system).unwrap();
    let mut stepper = Stepper::new(&system, step::Settings::default()).unwrap();
    let mut state = State::new(vec![0.0; 2], vec![belt, 0.0]);
    let (mut times, mut stuck) = (Vec::new(), true);
    while state.t < t_end {
        stepper.step(&system, &mut state, dt, &mut ()).unwrap().done().unwrap();
        let sticks = (state.u[0] - belt).abs() < 1e-9;
        if stuck && !sticks {
            times.push(state.t);
        }
        stuck = sticks;
    }
    times
}

#[test]
fn stick_slip_on_a_belt_has_the_period_of_the_closed_form_to_first_order() {
    let (stiffness, belt) = (100.0_f64, 0.1);
    let omega = stiffness.sqrt();
    // The spring is released at x_s and stretched about x_k while the block slips: stick from 2 x_k - x_s to x_s.
    let reach = (MU_STATIC - MU_KINETIC) * G / stiffness;
    let period =
        2.0 * reach / belt + 2.0 / omega * (std::f64::consts::PI - (omega * reach / belt).atan());
    for dt in [2e-3, 1e-3, 5e-4, 2.5e-4] {
        let times = releases(dt, 8.0, stiffness, belt);
        assert!(times.len() >= 8, "{} periods of {period} s in 8 s", times.len());
        let found = (times[times.len() - 1] - times[0]) / (times.len() - 1) as f64;
        assert!((found - period).abs() < 2.0 * dt, "dt = {dt}: {found} for {period}");
    }
}

#[test]
fn what_knows_one_coefficient_refuses_two() {
    let system = Linear::diagonal(&[1.0, 1.0], &[0.0, -G], vec![floor(0.0)]).unwrap();
    let system = Generalised::new(system).unwrap();
    let start = State::new(vec![0.0; 2], vec![0.0; 2]);
    let integrator = Integrator::EventDriven;
    let driven = step::Settings { integrator, ..step::Settings::default() };
    let poisson = step::Settings { impact: ImpactLaw::Poisson, ..step::Settings::default() };
    for step in [driven, poisson] {
        let settings = Settings { step, ..Settings::default() };
        let refused = run(&system, &start, &settings, &mut (), &mut ()).unwrap_err();
        assert!(refused.to_string().contains("mu_static > mu"), "{refused}");
    }
}
