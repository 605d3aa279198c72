//! What time stepping on the woodpecker is compared with: the event-driven integrator.

use stickslip::model::Generalised;
use stickslip::models::Woodpecker;
use stickslip::run::{End, Event, EventKind, Flow, Observer, Report, Sample, Settings, run};
use stickslip::step::{self, Integrator};
use stickslip::{State, System};

/// The contact at the lower edge of the sleeve, which sticks once per cycle.
const LOWER: usize = 1;

/// The start of Table I moved out of the contact, in which it begins 0.9 µm deep: there methods may differ. The gap
/// is zero or, by rounding, the least below.
pub fn start_on_contact() -> State {
    let bird = Woodpecker::default().system();
    let (mut state, mut gaps) = (Woodpecker::start(), [0.0; 3]);
    let p = Woodpecker::default();
    state.q[1] = -(p.r_m - p.r_o) / p.h_m;
    for _ in 0..4 {
        bird.gaps(&state.q, 0.0, &mut gaps);
        if gaps[LOWER] <= 0.0 {
            break;
        }
        state.q[1] = state.q[1].next_down();
    }
    state
}

/// The state at a time.
///
/// # Errors
/// If the run fails.
pub fn event_driven_state(start: &State, t: f64) -> Result<State, String> {
    Ok(event_driven(start, t, &mut ())?.state)
}

/// The period of the limit cycle, after so many cycles: from the beginning of sticking to the next, as a mean of two,
/// since deviations alternate in sign.
///
/// # Errors
/// If the run fails or sticks too seldom.
pub fn event_driven_period(cycles: usize) -> Result<f64, String> {
    let mut log = Sticks::default();
    let t_end = crate::CYCLE * (cycles + 3) as f64;
    event_driven(&Woodpecker::start(), t_end, &mut log)?;
    match log.0[..] {
        [.., a, _, b] if log.0.len() >= cycles => Ok(0.5 * (b - a)),
        _ => Err(format!("only {} cycles in {t_end} s", log.0.len())),
    }
}

#[derive(Default)]
struct Sticks(Vec<f64>);

impl Observer for Sticks {
    fn sample(&mut self, _: &Sample<'_>) -> Flow {
        Flow::Continue
    }

    fn event(&mut self, event: &Event) {
        if event.contact == LOWER && event.kind == EventKind::Sticks {
            self.0.push(event.t);
        }
    }
}

fn event_driven<O: Observer>(start: &State, t_end: f64, log: &mut O) -> Result<Report, String> {
    let integrator = Integrator::EventDriven;
    let step = step::Settings { integrator, ..step::Settings::default() };
    let settings = Settings { step, t_end, sample_dt: t_end, ..Settings::default() };
    let bird = Woodpecker::default().system();
    let bird = Generalised::new(bird).map_err(|e| e.to_string())?;
    let report = run(&bird, start, &settings, log, &mut ()).map_err(|e| e.to_string())?;
    match &report.end {
        End::Finished => Ok(report),
        end => Err(format!("the event-driven run ended at t = {}: {end:?}", report.state.t)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_lies_on_the_contact() {
        let mut gaps = [0.0; 3];
        Woodpecker::default().system().gaps(&start_on_contact().q, 0.0, &mut gaps);
        assert!(gaps[LOWER] <= 0.0 && gaps[LOWER] > -1e-17, "{gaps:?}");
    }

    #[test]
    fn the_period_settles() {
        let (a, b) = (event_driven_period(120).unwrap(), event_driven_period(140).unwrap());
        assert!((a - b).abs() < 1e-11, "{a} {b}");
    }
}
