//! Runs that are killed or interrupted, and go on.

use crate::common::{Scratch, stdout, stickslip};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A run by every kind of integrator and model, of a second or so.
const RUNS: [&[&str]; 4] = [
    &["run", "woodpecker", "--t-end", "8", "--dt", "1e-4", "--sample-dt", "2e-3"],
    &["run", "woodpecker", "--t-end", "15", "--integrator", "event_driven"],
    &["run", "dominoes", "--sample-dt", "0.01", "--integrator", "moreau_jean"],
    &["run", "corner_box", "--t-end", "4", "--dt", "1e-3", "--integrator", "gap_level"],
];

const KEEPING: [&str; 5] = ["-q", "--format", "both", "--checkpoint-every", "0.03"];

fn begin(run: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.args(run).args(KEEPING).arg("--out").arg(dir).stderr(Stdio::null());
    command
}

fn go_on(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.args(["run", "-q", "--resume"]).arg(dir).stderr(Stdio::null());
    command
}

/// A number between 0 and 1 that differs from call to call (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }
}

/// Kills a process after a time, without a word of warning; says whether it was still running.
fn kill(mut child: Child, after: Duration) -> bool {
    std::thread::sleep(after);
    let running = child.try_wait().unwrap().is_none();
    let _ = child.kill();
    let _ = child.wait();
    running
}

/// Every file with its bytes; of the summary without the time that it took.
fn content(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut bytes = fs::read(&path).unwrap();
        if name == "summary.json" {
            let mut summary: Value = serde_json::from_slice(&bytes).unwrap();
            summary.as_object_mut().unwrap().remove("timing");
            bytes = summary.to_string().into_bytes();
        }
        files.push((name, bytes));
    }
    files.sort();
    files
}

fn assert_same(found: &Path, expected: &Path, what: &str) {
    let (found, expected) = (content(found), content(expected));
    let names = |files: &[(String, Vec<u8>)]| -> Vec<String> {
        files.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&found), names(&expected), "{what}");
    for ((name, a), (_, b)) in found.iter().zip(&expected) {
        assert!(a == b, "{what}: {name} differs, {} and {} bytes", a.len(), b.len());
    }
}

/// `STICKSLIP_KILLS` says how often; `cargo xtask kill-test` sets it.
#[test]
fn runs_that_are_killed_at_any_moment_go_on_to_the_same_files() {
    let kills: usize =
        std::env::var("STICKSLIP_KILLS").map_or(3, |n| n.parse().expect("a number of kills"));
    let seed = std::env::var("STICKSLIP_KILL_SEED").map_or(2026, |n| n.parse().expect("a seed"));
    let scratch = Scratch::new("kills");
    let mut dice = Dice(seed);
    let mut references = Vec::new();
    for (i, run) in RUNS.iter().enumerate().take(kills) {
        let (dir, start) = (scratch.file(&format!("whole-{i}")), Instant::now());
        assert!(begin(run, &dir).status().unwrap().success(), "{run:?}");
        references.push((*run, dir, start.elapsed()));
    }
    let (mut done, mut attempts, mut twice, mut early) = (0, 0, 0, 0);
    while done < kills {
        attempts += 1;
        assert!(attempts < 20 * kills + 20, "runs end before they can be killed");
        let (run, whole, time) = &references[done % references.len()];
        let dir = scratch.file(&format!("killed-{attempts}"));
        let moment = time.mul_f64(dice.roll());
        if !kill(begin(run, &dir).spawn().unwrap(), moment) {
            continue;
        }
        // Half of them are killed once more while they go on.
        if dice.roll() < 0.5 {
            let again = kill(go_on(&dir).spawn().unwrap(), time.mul_f64(0.5 * dice.roll()));
            twice += usize::from(again);
        }
        let out = go_on(&dir).stderr(Stdio::piped()).output().unwrap();
        let (resumed, said) = (out.status, String::from_utf8_lossy(&out.stderr).into_owned());
        if resumed.code() == Some(2) && !dir.join("checkpoint.bin").exists() {
            // Killed before its first checkpoint, or resumed to its end by the attempt that was to be killed.
            if !dir.join("summary.json").exists() {
                early += 1;
                assert!(begin(run, &dir).status().unwrap().success());
            }
        } else {
            assert!(resumed.success(), "{run:?} killed after {moment:?}: {said}");
        }
        assert_same(&dir, whole, &format!("{run:?} killed after {moment:?}"));
        done += 1;
        println!("{done}: {} killed after {moment:?}", run.join(" "));
        fs::remove_dir_all(dir).unwrap();
    }
    println!("{done} runs killed, {twice} of them twice, {early} before their first checkpoint");
    assert!(early < kills, "no run was resumed");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_complete_tables_and_a_run_that_goes_on_to_the_same_files() {
    let scratch = Scratch::new("interrupted");
    let (whole, cut) = (scratch.file("whole"), scratch.file("cut"));
    let run = RUNS[0];
    let start = Instant::now();
    assert!(begin(run, &whole).status().unwrap().success());
    let time = start.elapsed();
    let mut child = begin(run, &cut).spawn().unwrap();
    let begun = || cut.join("checkpoint.bin").exists();
    while !begun() && start.elapsed() < 20 * time {
        std::thread::sleep(Duration::from_millis(2));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    for name in ["trajectory.csv", "trajectory.arrows", "summary.json", "checkpoint.bin"] {
        assert!(cut.join(name).exists(), "{name}");
    }
    assert!(go_on(&cut).status().unwrap().success());
    assert_same(&cut, &whole, "interrupted");
}

#[test]
fn a_run_is_not_resumed_with_another_scene_or_without_a_checkpoint() {
    let scratch = Scratch::new("refused");
    let dir = scratch.file("out");
    let out = stickslip(&["run", "--resume", dir.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.code() == Some(2) && text.contains("no checkpoint"), "{text}");
    for option in ["--dt", "--rho", "--t-end", "--tol"] {
        let out = stickslip(&["run", "--resume", dir.to_str().unwrap(), option, "1"]);
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && text.contains("cannot be used with"), "{text}");
    }
    let scene = scratch.file("own.toml");
    fs::write(&scene, stdout(&stickslip(&["gallery", "woodpecker"]))).unwrap();
    let run = ["run", scene.to_str().unwrap(), "--t-end", "60", "--dt", "1e-4"];
    let mut child = begin(&run, &dir).spawn().unwrap();
    while !dir.join("checkpoint.bin").exists() {
        std::thread::sleep(Duration::from_millis(2));
        assert!(child.try_wait().unwrap().is_none(), "it ended");
    }
    let _ = child.kill();
    let _ = child.wait();
    let text = fs::read_to_string(&scene).unwrap();
    fs::write(&scene, format!("{text}\n# another line\n")).unwrap();
    let out = stickslip(&["run", "--resume", dir.to_str().unwrap()]);
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.code() == Some(2) && error.contains("own.toml has changed"), "{error}");
    fs::write(&scene, text).unwrap();
    let whole = fs::read(dir.join("checkpoint.bin")).unwrap();
    fs::write(dir.join("checkpoint.bin"), &whole[..whole.len() / 2]).unwrap();
    let _ = fs::remove_file(dir.join("checkpoint.previous.bin"));
    let out = stickslip(&["run", "--resume", dir.to_str().unwrap()]);
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.code() == Some(2) && error.contains("torn"), "{error}");
}

/// The largest file that a process may write stands for a disk that is full.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_what_was_written_can_be_read_and_goes_on() {
    let scratch = Scratch::new("full");
    let dir = scratch.file("out");
    let exe = env!("CARGO_BIN_EXE_stickslip");
    let run = ["run", "woodpecker", "--t-end", "10", "--dt", "1e-4", "--sample-dt", "1e-3"];
    let typed = format!("{} -q --format both --checkpoint-every 0", run.join(" "));
    let script =
        format!("trap '' XFSZ; ulimit -f 1000; exec {exe} {typed} --out {}", dir.display());
    let out = Command::new("sh").args(["-c", &script]).output().unwrap();
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(1), "{error}");
    assert!(error.contains("cannot be written") && error.contains("free some space"), "{error}");
    assert!(error.contains("--resume"), "{error}");
    let partial = dir.join("trajectory.arrows.partial");
    let table = scratch.file("so-far.csv");
    let (from, to) = (partial.to_str().unwrap(), table.to_str().unwrap());
    let out = stickslip(&["convert", from, "--to", "csv", "--partial", "--out", to]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(fs::read_to_string(table).unwrap().lines().count() > 256);
    assert!(go_on(&dir).args(["--checkpoint-every", "60"]).status().unwrap().success());
    let whole = scratch.file("whole");
    assert!(begin(&run, &whole).status().unwrap().success());
    assert_same(&dir, &whole, "after a full disk");
}

#[test]
fn tables_are_converted_both_ways_and_nothing_is_replaced_unasked() {
    let scratch = Scratch::new("convert");
    let dir = scratch.file("out");
    let place = dir.to_str().unwrap();
    let out = stickslip(&["run", "bouncing_ball", "-q", "--format", "arrow", "--out", place]);
    assert!(out.status.success());
    let (arrow, csv) = (dir.join("trajectory.arrows"), dir.join("trajectory.csv"));
    assert!(!csv.exists());
    let out = stickslip(&["convert", arrow.to_str().unwrap(), "--to", "csv"]);
    assert!(stdout(&out).contains("lines"), "{}", String::from_utf8_lossy(&out.stderr));
    let text = fs::read_to_string(&csv).unwrap();
    let again = ["convert", csv.to_str().unwrap(), "--to", "arrow"];
    let out = stickslip(&again);
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.code() == Some(2) && error.contains("--force"), "{error}");
    assert!(stickslip(&[&again[..], &["--force"]].concat()).status.success());
    let back = scratch.file("back.csv");
    let args = ["convert", arrow.to_str().unwrap(), "--to", "csv", "--out", back.to_str().unwrap()];
    assert!(stickslip(&args).status.success());
    assert_eq!(fs::read_to_string(back).unwrap(), text);
    let out = stickslip(&["convert", csv.to_str().unwrap(), "--to", "csv", "--force"]);
    assert_eq!(out.status.code(), Some(2));
}
