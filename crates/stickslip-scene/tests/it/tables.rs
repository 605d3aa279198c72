//! Tables of Apache Arrow beside those of text: the same bits, in both directions, and what goes wrong with files.

use std::fs;
use std::path::{Path, PathBuf};
use stickslip::contact::{Law, Mode, Slip};
use stickslip::model::ContactPoint;
use stickslip::run::{End, Event, EventKind, Observer, Report, Sample};
use stickslip::system::{ContactInfo, Energy, State, SystemInfo};
use stickslip_scene::recording::{
    Facts, Format, RecordError, Recorder, Recording, Summary, Tail, Timing, Units, arrow_to_csv,
    csv_to_arrow,
};

fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("stickslip-tables-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    dir
}

fn info() -> SystemInfo {
    SystemInfo {
        coordinates: vec!["x".into()],
        velocities: vec!["v".into()],
        contacts: vec![ContactInfo { name: "1, left".into(), law: Law::coulomb(0.3) }],
        bodies: Vec::new(),
        constant_mass: true,
    }
}

fn report() -> Report {
    Report { end: End::Finished, state: State { t: 1.0, q: vec![0.0], u: vec![0.0] }, ..empty() }
}

fn empty() -> Report {
    use stickslip::model::Generalised;
    use stickslip::models::Woodpecker;
    use stickslip::run::{Settings, run};
    let settings = Settings { t_end: 0.001, ..Settings::default() };
    let bird = Generalised::new(Woodpecker::default().system()).unwrap();
    run(&bird, &Woodpecker::start(), &settings, &mut (), &mut ()).unwrap()
}

fn finish(recorder: Recorder) -> Recording {
    let summary = Summary::new(Facts::default(), &info(), &report(), Timing::default());
    recorder.finish(&summary).unwrap()
}

/// Numbers of every kind: both zeros, the least, the largest, and those that are not finite.
fn wild(i: usize) -> f64 {
    let some = [0.0, -0.0, 5e-324, f64::MAX, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.1];
    some.get(i)
        .copied()
        .unwrap_or_else(|| (i as f64).sqrt().sin() * 10f64.powi(i as i32 % 600 - 300))
}

fn show(recorder: &mut Recorder, i: usize) {
    let modes = [if i.is_multiple_of(2) { Mode::Stick } else { Mode::Slide(Slip::Positive) }];
    recorder.sample(&Sample {
        t: i as f64 / 3.0,
        q: &[wild(i)],
        u: &[wild(i + 1)],
        gaps: &[wild(i + 2)],
        impulses: &[wild(i + 3), wild(i + 4)],
        modes: &modes,
        points: &[],
        energy: Energy::default(),
        certificate: 0.0,
    });
    let mut event = Event::change(i as f64, 0, EventKind::Impact);
    event.impulse = [wild(i), wild(i + 1)];
    recorder.event(&event);
}

fn bytes(path: impl AsRef<Path>) -> Vec<u8> {
    fs::read(path).unwrap()
}

#[test]
fn both_formats_hold_the_same_bits_and_convert_into_each_other() {
    let dir = scratch("both");
    let mut recorder =
        Recorder::create(&dir, "both", &info(), Units::si(&info(), &["m"]), Format::Both).unwrap();
    recorder.describe("parameters", "{\"mu\":0.3}");
    (0..700).for_each(|i| show(&mut recorder, i));
    let recording = finish(recorder);
    assert_eq!(
        recording.files.iter().filter(|f| f.extension().is_some_and(|e| e == "arrows")).count(),
        2
    );
    for table in ["trajectory", "events"] {
        let (csv, arrow) = (dir.join(format!("{table}.csv")), dir.join(format!("{table}.arrows")));
        let (there, back) = (dir.join("there.csv"), dir.join("back.arrows"));
        let converted = arrow_to_csv(&arrow, &there, false).unwrap();
        assert_eq!((converted.lines, converted.tail), (700, Tail::Complete));
        assert!(bytes(&csv) == bytes(&there), "{table}");
        csv_to_arrow(&csv, &back, false).unwrap();
        arrow_to_csv(&back, &there, false).unwrap();
        assert!(bytes(&csv) == bytes(&there), "{table} and back");
    }
    // About 48 bytes of numbers and 10 of words in a line.
    let size = bytes(dir.join("trajectory.arrows")).len();
    assert!(size < 700 * 64 + 6000, "{size}");
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_table_can_be_read_while_it_is_written() {
    let dir = scratch("meanwhile");
    let mut recorder =
        Recorder::create(&dir, "", &info(), Units::default(), Format::Arrow).unwrap();
    (0..600).for_each(|i| show(&mut recorder, i));
    let (partial, out) = (dir.join("trajectory.arrows.partial"), dir.join("so-far.csv"));
    let converted = arrow_to_csv(&partial, &out, false).unwrap();
    assert_eq!((converted.lines, converted.tail), (512, Tail::Open));
    let busy = Recorder::create(&dir, "", &info(), Units::default(), Format::Arrow).unwrap_err();
    assert!(busy.to_string().contains("another run"), "{busy}");
    drop(recorder);
    assert!(!partial.exists());
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn torn_and_foreign_tables_are_refused_and_their_complete_part_is_taken_if_asked_for() {
    let dir = scratch("torn");
    let mut recorder = Recorder::create(&dir, "", &info(), Units::default(), Format::Both).unwrap();
    (0..300).for_each(|i| show(&mut recorder, i));
    finish(recorder);
    let (csv, arrow) = (bytes(dir.join("trajectory.csv")), bytes(dir.join("trajectory.arrows")));
    let (torn, out) = (dir.join("torn"), dir.join("out"));
    let refused = |error: RecordError, word: &str| {
        assert!(error.to_string().contains(word), "{error}");
        assert!(!out.exists());
    };
    fs::write(&torn, &arrow[..arrow.len() - 20]).unwrap();
    refused(arrow_to_csv(&torn, &out, false).unwrap_err(), "--partial");
    assert_eq!(arrow_to_csv(&torn, &out, true).unwrap().lines, 256);
    fs::remove_file(&out).unwrap();
    fs::write(&torn, &csv[..csv.len() - 3]).unwrap();
    refused(csv_to_arrow(&torn, &out, false).unwrap_err(), "--partial");
    assert_eq!(csv_to_arrow(&torn, &out, true).unwrap().lines, 299);
    fs::remove_file(&out).unwrap();
    refused(arrow_to_csv(&dir.join("trajectory.csv"), &out, true).unwrap_err(), "no Apache Arrow");
    refused(csv_to_arrow(&dir.join("summary.json"), &out, true).unwrap_err(), "cannot be read");
    refused(
        csv_to_arrow(&dir.join("trajectory.arrows"), &out, true).unwrap_err(),
        "cannot be read",
    );
    refused(arrow_to_csv(&dir.join("nothing"), &out, true).unwrap_err(), "nothing");
    fs::write(&torn, "t,x\n0,1\n1\n").unwrap();
    refused(csv_to_arrow(&torn, &out, false).unwrap_err(), "cannot be read");
    fs::write(&torn, "").unwrap();
    refused(csv_to_arrow(&torn, &out, false).unwrap_err(), "no line");
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn contacts_that_a_model_finds_have_a_table_of_their_own() {
    let dir = scratch("found");
    let info = SystemInfo { bodies: ["floor", "cube", "ball"].map(Into::into).into(), ..info() };
    let mut recorder = Recorder::create(&dir, "", &info, Units::default(), Format::Both).unwrap();
    recorder.record_found_contacts(&info.bodies).unwrap();
    let at = |bodies: [usize; 2], x: f64, components: usize| {
        let (position, normal) = ([x, 2.0, 3.0], [0.0, 0.0, 1.0]);
        Some(ContactPoint {
            bodies,
            position,
            normal,
            tangent: [1.0, 0.0, 0.0],
            components,
            normals: 1,
            mu: 0.3,
        })
    };
    for found in [0, 2, 1] {
        let points = [None, at([1, 0], 0.5, 1), at([1, 2], -0.5, 3)];
        let numbers: Vec<f64> = (0..8).map(f64::from).collect();
        recorder.sample(&Sample {
            t: found as f64,
            q: &[0.0],
            u: &[0.0],
            gaps: &[9.0, 0.25, -0.25][..=found],
            impulses: &numbers[..[2, 3, 6][found]],
            modes: &[Mode::Open, Mode::Stick, Mode::Slip][..=found],
            points: &points[..=found],
            energy: Energy::default(),
            certificate: 0.0,
        });
    }
    let closes = Event::change(1.0, 2, EventKind::Closes);
    recorder.event(&Event { bodies: Some([1, 2]), ..closes });
    finish(recorder);
    let text = String::from_utf8(bytes(dir.join("contacts.csv"))).unwrap();
    let expected = "t,first,second,x,y,z,normal_x,normal_y,normal_z,tangent_x,tangent_y,tangent_z,gap,\
                    impulse_n,impulse_t,impulse_o,impulse_r,mode\n\
                    2.0,cube,floor,0.5,2.0,3.0,0.0,0.0,1.0,1.0,0.0,0.0,0.25,2.0,0.0,0.0,0.0,stick\n\
                    2.0,cube,ball,-0.5,2.0,3.0,0.0,0.0,1.0,1.0,0.0,0.0,-0.25,3.0,4.0,5.0,0.0,slip\n\
                    1.0,cube,floor,0.5,2.0,3.0,0.0,0.0,1.0,1.0,0.0,0.0,0.25,2.0,0.0,0.0,0.0,stick\n";
    assert_eq!(text, expected);
    let there = dir.join("there.csv");
    arrow_to_csv(&dir.join("contacts.arrows"), &there, false).unwrap();
    assert_eq!(String::from_utf8(bytes(there)).unwrap(), expected);
    let events = String::from_utf8(bytes(dir.join("events.csv"))).unwrap();
    assert!(events.contains("1.0,cube-ball,closes,"), "{events}");
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_recording_goes_on_where_its_memory_was_taken_and_ends_with_the_same_bytes() {
    let (whole, cut) = (scratch("whole"), scratch("cut"));
    let begin =
        |dir: &Path| Recorder::create(dir, "", &info(), Units::default(), Format::Both).unwrap();
    let mut recorder = begin(&whole);
    (0..900).for_each(|i| show(&mut recorder, i));
    let expected = finish(recorder);
    for stop in [1, 255, 256, 600] {
        let mut recorder = begin(&cut);
        (0..stop).for_each(|i| show(&mut recorder, i));
        let memory = recorder.memory().unwrap();
        (stop..stop + 300).for_each(|i| show(&mut recorder, i));
        drop(recorder);
        let mut recorder =
            Recorder::reopen(&cut, "", &info(), Units::default(), Format::Both).unwrap();
        assert!(recorder.recall(&memory[..memory.len() - 1]).is_err());
        recorder.recall(&memory).unwrap();
        assert_eq!(recorder.samples(), stop);
        (stop..900).for_each(|i| show(&mut recorder, i));
        let found = finish(recorder);
        assert_eq!(found.files.len(), expected.files.len());
        for (a, b) in found.files.iter().zip(&expected.files) {
            assert!(bytes(a) == bytes(b), "{} after {stop}", a.display());
        }
    }
    fs::remove_dir_all(whole).unwrap();
    fs::remove_dir_all(cut).unwrap();
}
