//! How large pages are, and what is kept of long runs.

use stickslip::contact::Mode;
use stickslip::model::ContactPoint;
use stickslip::run::Sample;
use stickslip::system::{Energy, State};
use stickslip_report::{Page, page};
use stickslip_scene::Scene;
use stickslip_scene::recording::Units;
use stickslip_scene::recording::replay::{Replay, ReplayFile};

const BODIES: usize = 100;

fn heap() -> Scene {
    let text = format!(
        "gravity = [0, 0, -9.81]\n[collision]\nmu = 0.5\n[[body]]\nrepeat = {{ i = \"1:{BODIES}\" }}\nname = \"box{{i}}\"\n\
         mass = 1\nshape = {{ box = [0.1, 0.1, 0.1] }}\nposition = [\"i\", 0, 1]\n"
    );
    Scene::from_str(&text, "heap").unwrap()
}

/// Numbers that look random, the same every time.
fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*seed >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
}

/// A replay of bodies that shake without end, each of them with three contacts.
fn shaken(frames: usize) -> Replay {
    let scene = heap();
    let mut replay = Replay::new(&scene, &Units::of_scene(&scene));
    let State { mut q, u, .. } = scene.start();
    let mut seed = 7;
    let found = |seed: &mut u64, i: usize| {
        Some(ContactPoint {
            bodies: [i % BODIES + 1, 0],
            position: [noise(seed), noise(seed), noise(seed)],
            normal: [0.0, 0.0, 1.0],
            tangent: [1.0, 0.0, 0.0],
            components: 3,
            normals: 1,
            mu: 0.5,
        })
    };
    for frame in 0..frames {
        for body in q.chunks_mut(7) {
            (0..3).for_each(|k| body[k] += 0.004 * noise(&mut seed));
            (3..7).for_each(|k| body[k] += 0.02 * noise(&mut seed));
            let size = body[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
            body[3..].iter_mut().for_each(|x| *x /= size);
        }
        let points: Vec<_> = (0..3 * BODIES).map(|i| found(&mut seed, i)).collect();
        let forces: Vec<f64> = (0..9 * BODIES).map(|_| 9.81 + noise(&mut seed)).collect();
        let sample = Sample {
            t: 1e-3 * frame as f64,
            q: &q,
            u: &u,
            gaps: &[0.0; 3 * BODIES],
            impulses: &forces,
            modes: &[Mode::Slip; 3 * BODIES],
            points: &points,
            energy: Energy::default(),
            certificate: 1e-12,
        };
        replay.push(&sample, &forces, &[]);
    }
    replay
}

#[test]
fn ten_thousand_frames_of_a_hundred_shaken_bodies_stay_under_20_mb() {
    let file = shaken(10_000).file();
    assert_eq!((file.frames, file.stride), (10_000, 1));
    let text = page(&Page { replay: &file, summary: None, live: false }).unwrap();
    println!("{:.1} MB", text.len() as f64 / 1e6);
    assert!(text.len() < 20_000_000, "{} bytes", text.len());
}

#[test]
fn a_long_run_keeps_every_second_frame_and_says_so() {
    let replay = shaken(17_000);
    let file = replay.file();
    assert_eq!((file.samples, file.stride), (17_000, 2));
    assert!(file.frames > 8_000 && file.frames <= 16_384, "{}", file.frames);
    let times = file.frame_times().unwrap();
    assert!(times.windows(2).all(|w| (w[1] - w[0] - 2e-3).abs() < 1e-9));
    assert!(file.contacts.every > 1);
    let contacts = file.contacts.contacts().unwrap();
    assert!(contacts.iter().all(|c| (c.frame as usize).is_multiple_of(file.contacts.every)));
}

#[test]
fn numbers_come_back_to_the_rounding_that_is_documented() {
    let replay = shaken(50);
    let file = ReplayFile::from_json(&replay.file().to_json().unwrap()).unwrap();
    let numbers = file.numbers().unwrap();
    let last = replay.last_frame();
    // The extent is that of 100 bodies in a row.
    for (c, value) in last.iter().enumerate() {
        let found = numbers[c][49];
        let step = file.channels[c].row.step;
        let difference = (found - f64::from(*value)).abs();
        assert!(difference <= 0.5001 * step, "{}: {found} {value}", file.channels[c].name);
        if file.channels[c].name.ends_with(".qw") {
            assert_eq!(step, 1.0 / 8192.0);
        }
    }
}
