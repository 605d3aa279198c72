//! The scheme of Paoli and Schatzman against closed forms.

use stickslip::Error;
use stickslip::contact::Law;
use stickslip::contact::solve::{self, Formulation};
use stickslip::impact::ImpactLaw;
use stickslip::model::{Generalised, Model};
use stickslip::models::{Linear, LinearContact};
use stickslip::run::{End, Event, Flow, Observer, Report, Sample, Settings, run};
use stickslip::step::{self, Integrator, Stepper};
use stickslip::system::State;

const G: f64 = 9.81;

/// A ball above a floor, with this gravity.
fn ball(eps: f64, gravity: f64) -> Linear {
    let law = Law::coulomb(0.0).with_restitution(eps, 0.0);
    let floor = LinearContact::new(vec![1.0], vec![0.0], law);
    Linear::diagonal(&[1.0], &[-gravity], vec![floor]).unwrap()
}

fn scheme() -> step::Settings {
    step::Settings { integrator: Integrator::PaoliSchatzman, ..step::Settings::default() }
}

/// All states at the ends of steps.
#[derive(Default)]
struct States(Vec<State>);

impl Observer for States {
    fn sample(&mut self, s: &Sample<'_>) -> Flow {
        self.0.push(State { t: s.t, q: s.q.to_vec(), u: s.u.to_vec() });
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}
}

fn march(system: &Linear, q: &[f64], u: &[f64], dt: f64, t_end: f64) -> (Report, Vec<State>) {
    let settings = Settings { step: scheme(), dt, t_end, sample_dt: dt, ..Settings::default() };
    let model = Generalised::new(system.clone()).unwrap();
    let mut states = States::default();
    let start = State::new(q.to_vec(), u.to_vec());
    let report = run(&model, &start, &settings, &mut states, &mut ()).unwrap();
    assert_eq!(report.end, End::Finished);
    assert!(report.certificate.worst <= 1e-10, "{:?}", report.certificate);
    (report, states.0)
}

#[test]
fn three() {
    for e in [0.0, 0.5, 0.9, 1.0] {
        for a in [0.05, 0.35, 0.65, 0.95] {
    let law = Law::coulomb(0.0).with_restitution(e, 0.0);
    let touch = |normal: [f64; 3]| LinearContact::new(normal.to_vec(), vec![0.0; 3], law.clone());
    let contacts = vec![touch([-1.0, 1.0, 0.0]), touch([0.0, -1.0, 1.0])];
    let s = Linear::diagonal(&[1.0; 3], &[0.0; 3], contacts).unwrap();
    let (r, st) = march(&s, &[-0.01 * (3.0 + a), 0.0, 0.0], &[1.0, 0.0, 0.0], 0.01, 0.5);
    println!("e {e} a {a}: {:?} created {:?}", st.last().unwrap().u, r.energy_created);
        }
    }
    for e in [0.0, 0.5, 1.0] {
        for a in [0.05, 0.35, 0.65, 0.95] {
            let (r, st) = march(&ball(e, 0.0), &[0.01 * (3.0 + a)], &[-1.0], 0.01, 0.2);
            println!("e {e} a {a} {:?} {:?} impacts {}", st.last().unwrap(), r.energy_created, r.impacts);
        }
        let (r, st) = march(&ball(e, G), &[1.0], &[0.0], 0.001, 5.0);
        println!("gravity e {e} {:?} {:?} impacts {} depth {:?}", st.last().unwrap(), r.energy_created, r.impacts, r.drift);
        let top = st.iter().map(|s| 0.5*s.u[0]*s.u[0]+G*s.q[0]).fold(0.0, f64::max);
        println!("top {}", top/G);
        let (r, st) = march(&ball(e, G), &[0.0], &[0.0], 0.001, 1.0);
        println!("rest e {e} {:?} {:?} impacts {}", st.last().unwrap(), r.energy_created, r.impacts);
        let (r, st) = march(&ball(e, G), &[-0.01], &[0.0], 0.001, 0.1);
        println!("inside e {e} {:?} {:?} impacts {}", st[3], r.energy_created, r.impacts);
    }
}
