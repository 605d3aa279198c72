//! Records a motion that is known in closed form: a ball that bounces and is thrown sideways onto a
//! floor that brakes it. `cargo run -p stickslip-scene --example recording` writes into
//! `out/recording`.

use std::path::Path;
use stickslip::contact::{Certificate, Law, Mode, Slip};
use stickslip::run::{Drift, End, Event, EventKind, Observer, Report, Sample};
use stickslip::system::{ContactInfo, Energy, State, SystemInfo};
use stickslip_scene::recording::{Facts, Format, RecordError, Recorder, Summary, Timing, Units};

const G: f64 = 9.81;
const E: f64 = 0.8;
const SAMPLES: usize = 20_000;
const T_END: f64 = 4.0;

fn main() -> Result<(), RecordError> {
    let info = SystemInfo {
        coordinates: vec!["x".into(), "y".into()],
        velocities: vec!["v_x".into(), "v_y".into()],
        contacts: vec![ContactInfo { name: "floor".into(), law: Law::coulomb(0.2) }],
        bodies: Vec::new(),
        constant_mass: true,
    };
    let units = Units::si(&info, &["m", "m"]);
    let mut recorder =
        Recorder::create(Path::new("out/recording"), "bouncing ball", &info, units, Format::Csv)?;

    let dt = T_END / SAMPLES as f64;
    let (mut state, mut impacts) = (State::new(vec![0.0, 1.0], vec![1.0, 0.0]), 0);
    let energy = |s: &State| Energy {
        kinetic: 0.5 * (s.u[0] * s.u[0] + s.u[1] * s.u[1]),
        potential: G * s.q[1],
    };
    let start = energy(&state);
    for i in 0..=SAMPLES {
        state.t = i as f64 * dt;
        let mut impulse = [0.0; 2];
        let rest = state.q[1] <= 0.0 && state.u[1].abs() < 2.0 * G * dt;
        if state.q[1] <= 0.0 && state.u[1] < 0.0 && !rest {
            let normal = -(1.0 + E) * state.u[1];
            impulse = [normal, -(0.2 * normal).min(state.u[0])];
            let before = energy(&state).kinetic;
            state.u = vec![state.u[0] + impulse[1], -E * state.u[1]];
            let energy = energy(&state).kinetic - before;
            recorder.event(&Event {
                t: state.t,
                contact: 0,
                bodies: None,
                kind: EventKind::Impact,
                impulse,
                energy,
            });
            impacts += 1;
        }
        let mode = match (rest, Slip::of(state.u[0])) {
            (false, _) => Mode::Open,
            (true, None) => Mode::Stick,
            (true, Some(slip)) => Mode::Slide(slip),
        };
        recorder.sample(&Sample {
            t: state.t,
            q: &state.q,
            u: &state.u,
            gaps: &[state.q[1]],
            impulses: &impulse,
            modes: &[mode],
            points: &[],
            energy: energy(&state),
            certificate: 0.0,
        });
        if rest {
            state.q[1] = 0.0;
            state.u = vec![(state.u[0] - 0.2 * G * dt).max(0.0), 0.0];
        } else {
            state.q[1] += dt * (state.u[1] - 0.5 * G * dt);
            state.u[1] -= G * dt;
        }
        state.q[0] += dt * state.u[0];
    }

    let report = Report {
        end: End::Finished,
        energy_end: energy(&state),
        state,
        steps: SAMPLES,
        split_steps: 0,
        plastic_steps: 0,
        missed_steps: 0,
        swept_steps: 0,
        contact_steps: impacts,
        asleep: 0,
        woken: 0,
        sleep_energy: 0.0,
        impacts,
        events: impacts,
        iterations: 0,
        certificate: Certificate::default(),
        certificate_t: 0.0,
        certificate_bodies: None,
        energy_start: start,
        contact_work: 0.0,
        force_work: 0.0,
        energy_created: (0, 0.0),
        drift: Drift::default(),
        constraint_drift: 0.0,
        settling: 0.0,
        redundancy: 0,
        start_moved: None,
    };
    let facts = Facts { scene: "bouncing ball".into(), samples: SAMPLES + 1, ..Facts::default() };
    let recording = recorder.finish(&Summary::new(facts, &info, &report, Timing::default()))?;
    println!("{} files in {}", recording.files.len(), recording.dir.display());
    Ok(())
}
