//! Samples just before and just after impacts.

use super::systems::point;
use stickslip::State;
use stickslip::contact::Law;
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Generalised;
use stickslip::run::{End, Event, EventKind, Flow, Observer, Sample};

/// t, velocity and normal impulse of every sample; the times of impacts. Stops at the first sample with this velocity or more.
struct Jumps {
    samples: Vec<(f64, f64, f64)>,
    impacts: Vec<f64>,
    stop: f64,
}

impl Jumps {
    fn new(stop: f64) -> Self {
        Self { samples: Vec::new(), impacts: Vec::new(), stop }
    }
}

impl Observer for Jumps {
    fn sample(&mut self, s: &Sample<'_>) -> Flow {
        self.samples.push((s.t, s.u[1], s.impulses[0]));
        if s.u[1] >= self.stop { Flow::Stop } else { Flow::Continue }
    }

    fn event(&mut self, e: &Event) {
        if e.kind == EventKind::Impact {
            self.impacts.push(e.t);
        }
    }
}

const G: f64 = 9.81;
const EPS: f64 = 0.7;

fn bounce(seen: &mut Jumps, sample_every: f64) -> End {
    let law = Law::coulomb(0.0).with_restitution(EPS, 0.0);
    let ball = point(1.0, G, law, |_, _, _| 0.0, |_| 0.0);
    let start = State::new(vec![0.0, 1.0], vec![0.0, 0.0]);
    let settings = Settings { t_end: 1.6, sample_every, ..Settings::default() };
    let model = Generalised::new(&ball).unwrap();
    run_event_driven(&model, &start, &settings, seen).unwrap().end
}

#[test]
fn velocities_jump_between_two_samples_at_the_time_of_an_impact() {
    let mut seen = Jumps::new(f64::INFINITY);
    assert_eq!(bounce(&mut seen, 0.1), End::Finished);
    let mut speed = (2.0 * G).sqrt();
    assert_eq!(seen.impacts.len(), 3);
    for t in &seen.impacts {
        let there: Vec<_> = seen.samples.iter().filter(|s| s.0 == *t).collect();
        assert_eq!(there.len(), 2, "{:?}", seen.samples);
        let (before, after) = (there[0], there[1]);
        assert!((before.1 + speed).abs() < 1e-12 && before.2 == 0.0, "{before:?} {speed}");
        assert!((after.1 - EPS * speed).abs() < 1e-12, "{after:?} {speed}");
        assert!((after.2 - (1.0 + EPS) * speed).abs() < 1e-12, "{after:?} {speed}");
        speed *= EPS;
    }
    let regular: Vec<f64> =
        seen.samples.iter().map(|s| s.0).filter(|t| !seen.impacts.contains(t)).collect();
    assert_eq!(regular.len(), 17, "{regular:?}");
    assert!(regular.iter().enumerate().all(|(i, t)| (t - 0.1 * i as f64).abs() < 1e-15));
    assert!(seen.samples.is_sorted_by(|a, b| a.0 <= b.0));
}

#[test]
fn a_run_without_samples_has_none_at_impacts_either() {
    let mut seen = Jumps::new(f64::INFINITY);
    assert_eq!(bounce(&mut seen, 0.0), End::Finished);
    assert_eq!((seen.samples.len(), seen.impacts.len()), (2, 3));
}

#[test]
fn an_observer_can_stop_a_run_at_an_impact() {
    let mut seen = Jumps::new(3.0);
    assert_eq!(bounce(&mut seen, 0.1), End::Stopped);
    let last = seen.samples.last().unwrap();
    assert_eq!(seen.impacts, [last.0]);
    assert!((last.1 - EPS * (2.0 * G).sqrt()).abs() < 1e-12, "{last:?}");
}
