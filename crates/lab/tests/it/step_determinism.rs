//! The same start gives the same bits.

use stickslip::model::Generalised;
use stickslip::models::Woodpecker;
use stickslip::run::{Event, Flow, Observer, Sample, Settings, run};
use stickslip::step::{self, Integrator, Stepper};
use stickslip_lab::{JEAN, March};

const METHODS: [Integrator; 2] = [Integrator::MoreauMidpoint, JEAN];

/// Everything that a run shows, bit by bit.
#[derive(Debug, Default, PartialEq, Eq)]
struct Bits(Vec<u64>, Vec<String>);

impl Observer for Bits {
    fn sample(&mut self, s: &Sample<'_>) -> Flow {
        let numbers = s.q.iter().chain(s.u).chain(s.gaps).chain(s.impulses);
        self.0.extend(numbers.map(|x| x.to_bits()));
        Flow::Continue
    }

    fn event(&mut self, event: &Event) {
        self.1.push(format!("{event:?}"));
    }
}

fn recorded(integrator: Integrator) -> (Bits, String) {
    let step = step::Settings { integrator, ..step::Settings::default() };
    let settings = Settings { step, t_end: 0.3, dt: 1e-4, ..Settings::default() };
    let mut bits = Bits::default();
    let bird = Generalised::new(Woodpecker::default().system()).unwrap();
    let report = run(&bird, &Woodpecker::start(), &settings, &mut bits, &mut ()).unwrap();
    (bits, format!("{report:?}"))
}

#[test]
fn a_run_repeats_itself_to_the_last_bit() {
    for method in METHODS {
        let once = recorded(method);
        assert!(once.0.1.len() > 10, "{method}: only {} events", once.0.1.len());
        assert_eq!(once, recorded(method), "{method}");
        let threads: Vec<_> =
            (0..4).map(|_| std::thread::spawn(move || recorded(method))).collect();
        for other in threads {
            assert_eq!(once, other.join().unwrap(), "{method}, on another thread");
        }
    }
    assert_ne!(recorded(METHODS[0]), recorded(METHODS[1]));
}

#[test]
fn a_stepper_with_a_past_gives_the_same_bits_as_a_new_one() {
    let bits = |march: &mut March<_>, stepper: Option<Stepper<_>>| {
        march.state = Woodpecker::start();
        if let Some(stepper) = stepper {
            march.stepper = stepper;
        }
        march.steps(3000, 1e-4).unwrap();
        march.state.q.iter().chain(&march.state.u).map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    for method in METHODS {
        let mut fresh = March::woodpecker(method).unwrap();
        let once = bits(&mut fresh, None);
        assert_eq!(once, bits(&mut fresh, None), "{method}, the same stepper again");
        let new = March::woodpecker(method).unwrap().stepper;
        assert_eq!(once, bits(&mut fresh, Some(new)), "{method}, a new stepper");
    }
}
