//! Good files changed at random: each is read or refused, and nothing panics, hangs or leaves the model inconsistent.
//!
//! The cases of a run are the same each time. `STICKSLIP_FUZZ_SECONDS` makes it go on for that long per format, and
//! `STICKSLIP_FUZZ_SEED` begins elsewhere.

use crate::shared::{file, folder};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use stickslip_robots::{Error, RobotModel, UrdfBase, read_mesh, read_mjcf, read_urdf};

/// How many changed files of each format a plain run reads.
const CASES: u64 = 1500;

/// How long one small file may take, even on a busy machine.
const SLOWEST: Duration = Duration::from_secs(5);

/// What numbers, names and tags are replaced by.
const NASTY: [&str; 30] = [
    "0",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-320",
    "1e400",
    "1,5",
    "",
    "x",
    "4294967295",
    "18446744073709551615",
    "-9223372036854775808",
    "0 0 0",
    "1 0 0 0",
    "<",
    ">",
    "\"",
    "&amp;",
    "&#0;",
    "<!--",
    "]]>",
    "world",
    "mesh",
    "true",
    "false",
    "../../x",
    "\u{fffd}é",
];

/// Random numbers by a multiplicative generator (Steele, Lea and Flood 2014).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Changes a file in one to four ways, mostly in one, so that many are read beyond the first mistake.
fn mutate(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seeds[dice.below(seeds.len())].clone();
    let most = 1 + dice.below(4);
    for _ in 0..=dice.below(most) {
        change(&mut bytes, seeds, dice);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], dice: &mut Dice) {
    let at = dice.below(bytes.len() + 1);
    let end = (at + dice.below(40)).min(bytes.len());
    match dice.below(14) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let copy = bytes[at..end].to_vec();
            bytes.splice(at..at, copy);
        }
        3 => {
            let other = &seeds[dice.below(seeds.len())];
            let from = dice.below(other.len() + 1);
            let part = other[from..(from + dice.below(200)).min(other.len())].to_vec();
            bytes.splice(at..end, part);
        }
        4 | 5 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = if dice.below(2) == 0 {
                    dice.next() as u8
                } else {
                    *byte ^ (1 << dice.below(8))
                };
            }
        }
        6 => lines(bytes, dice),
        _ => words(bytes, dice),
    }
}

/// Removes, doubles or swaps lines.
fn lines(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let mut all: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
    if all.is_empty() {
        return;
    }
    let (a, b) = (dice.below(all.len()), dice.below(all.len()));
    match dice.below(3) {
        0 => drop(all.remove(a)),
        1 => all.insert(b, all[a]),
        _ => all.swap(a, b),
    }
    *bytes = all.concat();
}

/// Replaces a word or number by a nasty one, or by another word of the file.
fn words(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || b"_.-+".contains(b);
    let mut ranges = Vec::new();
    let mut start = None;
    for (at, byte) in bytes.iter().chain(b" ").enumerate() {
        match (start, is_word(byte)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                ranges.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    if ranges.is_empty() {
        return;
    }
    let place = ranges[dice.below(ranges.len())].clone();
    let new = match dice.below(6) {
        0..3 => number(&bytes[place.clone()], dice),
        3 => bytes[ranges[dice.below(ranges.len())].clone()].to_vec(),
        _ => NASTY[dice.below(NASTY.len())].as_bytes().to_vec(),
    };
    bytes.splice(place, new);
}

/// A number near to one of the file, or the word as it is.
fn number(word: &[u8], dice: &mut Dice) -> Vec<u8> {
    let value = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok());
    let factors = [0.5, 2.0, -1.0, 1e-3, 1e3, 1.0000001, 1e150];
    value.map_or(word.to_vec(), |x| {
        (x * factors[dice.below(factors.len())]).to_string().into_bytes()
    })
}

/// The good files of some endings, as often as the malformed ones of the same kind.
fn seeds(endings: &[&str], kind: &str) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    for place in ["", "parts", "meshes"] {
        let entries = std::fs::read_dir(folder().join(place)).unwrap();
        paths.extend(entries.map(|entry| entry.unwrap().path()));
    }
    paths.sort();
    let wanted = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending))
    };
    let good = paths.iter().filter(|path| wanted(path)).map(|path| std::fs::read(path).unwrap());
    let good: Vec<Vec<u8>> = good.collect();
    let bad = crate::malformed::cases().into_iter().filter(|case| case[1] == kind);
    let bad: Vec<Vec<u8>> = bad.map(|case| case[2].as_bytes().to_vec()).collect();
    let count = bad.len();
    bad.into_iter().chain(good.iter().cycle().take(count).cloned()).collect()
}

/// Everything that a model refers to exists, and all its numbers are finite.
fn consistent(model: &RobotModel) {
    for (k, body) in model.bodies.iter().enumerate() {
        assert!(body.parent.map_or(k == 0, |parent| parent < k));
        assert!(body.joints.iter().all(|&j| model.joints[j].body == k));
        assert!(body.geometries.iter().all(|&g| model.geometries[g].body == k));
        assert!(
            body.inertia.is_none_or(|i| i.mass > 0.0 && i.tensor.is_finite()),
            "{:?}",
            body.inertia
        );
    }
    assert!(model.world_poses().iter().all(|p| p.position.is_finite() && p.rotation.is_finite()));
    for joint in &model.joints {
        assert!((joint.axis.length() - 1.0).abs() < 1e-9);
        assert!(joint.limits.is_none_or(|limits| limits.lower <= limits.upper));
        assert!(joint.mimic.is_none_or(|mimic| mimic.joint < model.joints.len()));
    }
    for mesh in &model.meshes {
        let count = mesh.mesh.vertices.len();
        assert!(mesh.mesh.triangles.iter().flatten().all(|i| (*i as usize) < count));
    }
    assert!(model.warnings.iter().all(|warning| !warning.to_string().is_empty()));
}

/// Files that the model asks for, some of them changed too.
fn changed_files(seed: u64) -> impl Fn(&str) -> Result<Vec<u8>, String> {
    let dice = RefCell::new(Dice(seed));
    move |name: &str| {
        let bytes = file(name)?;
        let dice = &mut *dice.borrow_mut();
        Ok(if dice.below(4) == 0 { mutate(&[bytes], dice) } else { bytes })
    }
}

fn outcome(result: Result<RobotModel, Error>) -> bool {
    match result {
        Ok(model) => {
            consistent(&model);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Reads changed files; says how many were accepted.
fn campaign(kind: &str, seeds: &[Vec<u8>], read: impl Fn(&[u8], u64) -> bool) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let limit = number("STICKSLIP_FUZZ_SECONDS").map(Duration::from_secs);
    let first = number("STICKSLIP_FUZZ_SEED").unwrap_or(1);
    let (begin, mut made, mut accepted, mut panics) = (Instant::now(), 0, 0, 0);
    let (mut slowest, scratch) =
        (Duration::ZERO, std::path::Path::new(env!("CARGO_TARGET_TMPDIR")));
    while limit.map_or(made < CASES, |limit| begin.elapsed() < limit) {
        let seed = first.wrapping_mul(1 << 40).wrapping_add(made);
        let bytes = mutate(seeds, &mut Dice(seed));
        let start = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| read(&bytes, seed))) {
            Ok(fine) => accepted += u64::from(fine),
            Err(_) => {
                panics += 1;
                std::fs::write(scratch.join(format!("panic-{kind}-{panics}")), &bytes).unwrap();
            }
        }
        slowest = slowest.max(start.elapsed());
        made += 1;
    }
    println!(
        "{kind}: {made} files, {accepted} accepted, {panics} panics, the slowest took {slowest:?}"
    );
    assert_eq!(panics, 0, "the files are in {}", scratch.display());
    assert!(slowest < SLOWEST, "one file took {slowest:?}");
    assert!(accepted > 0 && accepted < made, "{accepted} of {made} say nothing");
}

#[test]
fn urdf_changed_at_random_is_read_or_refused() {
    campaign("urdf", &seeds(&["urdf"], "urdf"), |bytes, seed| {
        let base = if seed % 2 == 0 { UrdfBase::Fixed } else { UrdfBase::Free };
        outcome(read_urdf(bytes, "case.urdf", base, &changed_files(seed)))
    });
}

#[test]
fn mjcf_changed_at_random_is_read_or_refused() {
    campaign("mjcf", &seeds(&["xml"], "mjcf"), |bytes, seed| {
        outcome(read_mjcf(bytes, "case.xml", &changed_files(seed)))
    });
}

fn mesh_campaign(kind: &str, endings: &[&str]) {
    campaign(kind, &seeds(endings, kind), |bytes, _| {
        let name =
            if bytes.starts_with(b"glTF") { "case.glb".to_owned() } else { format!("case.{kind}") };
        let Ok(mesh) = read_mesh(bytes, &name, &file) else { return false };
        let place = stickslip_robots::Place {
            file: "case".into(),
            position: stickslip_robots::Position::Whole,
        };
        if let Ok(mass) = mesh.mass(&place) {
            assert!(mass.volume > 0.0 && mass.center.is_finite());
        }
        true
    });
}

#[test]
fn stl_changed_at_random_is_read_or_refused() {
    mesh_campaign("stl", &["stl"]);
}

#[test]
fn obj_changed_at_random_is_read_or_refused() {
    mesh_campaign("obj", &["obj"]);
}

#[test]
fn gltf_changed_at_random_is_read_or_refused() {
    mesh_campaign("gltf", &["gltf", "glb"]);
}
