//! Recordings: what is read back from the files is what the run showed.

use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use stickslip::contact::{Law, Mode, Slip};
use stickslip::model::Generalised;
use stickslip::models::Woodpecker;
use stickslip::run::{Event, EventKind, Flow, Observer, Sample, Settings, run};
use stickslip::system::{ContactInfo, Energy, System, SystemInfo};
use stickslip_scene::recording::{Facts, Format, Recorder, StageTimer, Summary, Timing, Units};

fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("stickslip-rec-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    dir
}

fn info(contact: &str) -> SystemInfo {
    SystemInfo {
        coordinates: vec!["x".into()],
        velocities: vec!["v".into()],
        contacts: vec![ContactInfo { name: contact.into(), law: Law::coulomb(0.0) }],
        bodies: Vec::new(),
        constant_mass: true,
    }
}

fn summary(info: &SystemInfo) -> Summary {
    let settings = Settings { t_end: 0.01, ..Settings::default() };
    let bird = Woodpecker::default().system();
    let report =
        run(&Generalised::new(bird).unwrap(), &Woodpecker::start(), &settings, &mut (), &mut ())
            .unwrap();
    Summary::new(Facts::default(), info, &report, Timing::default())
}

fn sample<'a>(numbers: &'a [f64], mode: &'a [Mode]) -> Sample<'a> {
    Sample {
        t: numbers[0],
        q: &numbers[1..2],
        u: &numbers[2..3],
        gaps: &numbers[3..4],
        impulses: &numbers[4..6],
        modes: mode,
        points: &[],
        energy: Energy { kinetic: numbers[2], potential: numbers[1] },
        certificate: 0.0,
    }
}

/// Any finite number, also the least and the largest and both zeros.
fn number() -> impl Strategy<Value = f64> {
    let wild = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |v| v.is_finite());
    prop_oneof![wild, Just(0.0), Just(-0.0), Just(f64::MAX), Just(5e-324), -1.0..1.0]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn every_number_is_read_back_with_the_same_bits_and_every_plot_is_drawn(
        rows in prop::collection::vec(prop::collection::vec(number(), 6), 1..20),
    ) {
        let (dir, info) = (scratch("bits"), info("floor"));
        let mut recorder = Recorder::create(&dir, "bits", &info, Units::default(), Format::Csv).unwrap();
        for row in &rows {
            let flow = recorder.sample(&sample(row, &[Mode::Slide(Slip::Negative)]));
            prop_assert_eq!(flow, Flow::Continue);
            let impulse = [row[4], row[5]];
            let event = Event { t: row[0], contact: 0, bodies: None, kind: EventKind::Impact, impulse, energy: row[3] };
            recorder.event(&event);
        }
        let recording = recorder.finish(&summary(&info)).unwrap();
        prop_assert_eq!(recording.files.len(), 15);
        let read = |name: &str, columns: &[usize]| -> Vec<Vec<u64>> {
            let text = fs::read_to_string(dir.join(name)).unwrap();
            let bits = |line: &str| {
                let cells: Vec<&str> = line.split(',').collect();
                columns.iter().map(|&c| cells[c].parse::<f64>().unwrap().to_bits()).collect()
            };
            text.lines().skip(1).map(bits).collect()
        };
        let expected = |columns: &[usize]| -> Vec<Vec<u64>> {
            rows.iter().map(|r| columns.iter().map(|&c| r[c].to_bits()).collect()).collect()
        };
        prop_assert_eq!(read("trajectory.csv", &[0, 1, 2, 3, 4, 5]), expected(&[0, 1, 2, 3, 4, 5]));
        prop_assert_eq!(read("events.csv", &[0, 3, 4, 5]), expected(&[0, 4, 5, 3]));
        fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn a_recorder_that_is_dropped_leaves_no_file() {
    let (dir, info) = (scratch("dropped"), info("floor"));
    let mut recorder = Recorder::create(&dir, "", &info, Units::default(), Format::Csv).unwrap();
    recorder.sample(&sample(&[0.0; 6], &[Mode::Open]));
    drop(recorder);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn names_with_commas_and_quotes_do_not_break_the_table() {
    let (dir, info) = (scratch("names"), info("left, \"upper\""));
    let recorder = Recorder::create(&dir, "", &info, Units::default(), Format::Csv).unwrap();
    recorder.finish(&summary(&info)).unwrap();
    let text = fs::read_to_string(dir.join("trajectory.csv")).unwrap();
    assert!(text.starts_with("t,x,v,\"left, \"\"upper\"\".gap\","), "{text}");
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_long_run_has_small_plots_and_its_stages_are_timed() {
    let dir = scratch("long");
    let bird = Woodpecker::default().system();
    let info = bird.info().clone();
    let units = Units::si(&info, &["m", "rad", "rad"]);
    let mut recorder = Recorder::create(&dir, "woodpecker", &info, units, Format::Csv).unwrap();
    let mut timer = StageTimer::default();
    let settings = Settings { t_end: 20.0, dt: 1e-4, ..Settings::default() };
    let start = Woodpecker::start();
    let report =
        run(&Generalised::new(bird).unwrap(), &start, &settings, &mut recorder, &mut timer)
            .unwrap();
    let timing = Timing::of(&timer, timer.total().as_secs_f64());
    let sum: f64 = timing.stages.values().sum();
    assert!(sum > 0.0 && sum <= timing.total);
    assert_eq!(recorder.samples(), 200_001);
    let recording =
        recorder.finish(&Summary::new(Facts::default(), &info, &report, timing)).unwrap();
    for file in recording.files.iter().filter(|f| f.extension().is_some_and(|e| e == "svg")) {
        let size = fs::metadata(file).unwrap().len();
        assert!(size > 2_000 && size < 1_000_000, "{}: {size}", file.display());
    }
    fs::remove_dir_all(dir).unwrap();
}
