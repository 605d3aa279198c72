//! Scenes changed at random, by pieces of the language and by bytes: each is read or refused with a message, and nothing panics.
//!
//! The test makes a fixed number of them. `cargo xtask fuzz-scenes SECONDS` runs it for a time; then scenes that panic are kept in the
//! folder for temporary files of the build, and the slowest is named.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip_scene::{Scene, gallery};

/// Scenes that the test makes.
const CASES: u64 = 300;

/// Pieces of the language, put in at any place.
const PIECES: &[&str] = &[
    "repeat = { i = \"0:n-1\" }\n",
    "repeat = { i = \"0:3\", j = \"i:3\" }\n",
    "repeat = { i = \"-3:1e9\" }\n",
    "{i}",
    "{i+1}",
    "{",
    "}",
    "sum(i, 0, n-1, x{i})",
    "sum(i, 1, 9999, sum(j, 1, 99, i*j))",
    "sum(i, 5, 1, ",
    "if(t > 1, 0, 1/0)",
    "rate(",
    "[functions]\n\"f(x, a)\" = \"x/a\"\n",
    "[functions]\n\"f(x)\" = \"f(x)\"\n",
    "f(1, 2)",
    "[tables.table]\nfile = \"tables/torque.csv\"\nx = \"rpm\"\ny = \"Nm\"\n",
    "table(t)",
    "include = [\"parts/common.toml\"]\n",
    "include = [\"parts/circle.toml\"]\n",
    "[[output]]\nname = \"o\"\nvalue = \"energy + force.floor.normal\"\nunit = \"J\"\n",
    "[stop]\nwhen = \"t > 1 and not (t < 2 or t == 3)\"\n",
    "{ value = 2.0, unit = \"kg*m^2/s^-2\" }",
    "unit = \"mm\"",
    "[parameters]\nn = 4\n",
    "[[contact]]\n",
    "[coordinates]\n",
    "[definitions]\n",
    "\"x{i}\" = { repeat = { i = \"1:3\" }, velocity = \"v{i}\" }\n",
    "1e308",
    "-1e-308",
    "nan",
    "99999999999999999999",
    "0x7f",
    "\"\"\"",
    "'",
    "\\u0000",
    "\u{0}",
    "ünïcödé",
    "𝛗",
    "^-^",
    "((((((((",
    ".",
    "force.floor.normal",
    "== != <= >= and or not",
];

/// A sequence of numbers that is the same on every machine (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

fn bad() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad")
}

/// The gallery, broken scenes, and scenes with the whole language.
fn seeds() -> Vec<String> {
    let mut seeds: Vec<String> = gallery().iter().map(|entry| entry.text.to_owned()).collect();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(bad()).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let scenes = files.iter().filter(|path| path.extension().is_some_and(|e| e == "toml"));
    seeds.extend(scenes.filter_map(|path| std::fs::read_to_string(path).ok()));
    let own = [include_str!("language.rs")];
    // The scenes in the tests of the language, between `r#"` and `"#`.
    seeds.extend(own.iter().flat_map(|code| {
        code.split("r#\"").skip(1).filter_map(|part| part.split("\"#").next()).map(String::from)
    }));
    seeds
}

fn mutate(seeds: &[String], dice: &mut Dice) -> String {
    let mut text = seeds[dice.below(seeds.len())].clone();
    for _ in 0..1 + dice.below(4) {
        change(&mut text, seeds, dice);
    }
    text.truncate(
        (0..=text.len().min(20_000)).rev().find(|&k| text.is_char_boundary(k)).unwrap_or(0),
    );
    text
}

fn change(text: &mut String, seeds: &[String], dice: &mut Dice) {
    let place = |text: &str, dice: &mut Dice| {
        let at = dice.below(text.len() + 1);
        (0..=at).rev().find(|&k| text.is_char_boundary(k)).unwrap_or(0)
    };
    match dice.below(9) {
        0 | 1 => {
            let at = place(text, dice);
            text.insert_str(at, PIECES[dice.below(PIECES.len())]);
        }
        2 => {
            // A piece between quotes, where expressions and names stand.
            let quotes: Vec<usize> = text.match_indices('"').map(|(k, _)| k).collect();
            if let Some(&at) = quotes.get(dice.below(quotes.len())) {
                text.insert_str(at + 1, PIECES[dice.below(PIECES.len())]);
            }
        }
        3 => lines(text, dice, |lines, k, _| drop(lines.remove(k))),
        4 => lines(text, dice, |lines, k, dice| {
            let line = lines[k].clone();
            lines.insert(dice.below(lines.len()), line);
        }),
        5 => {
            let other = &seeds[dice.below(seeds.len())];
            let theirs: Vec<&str> = other.lines().collect();
            let line = theirs.get(dice.below(theirs.len())).map_or("", |line| line).to_owned();
            lines(text, dice, |lines, k, _| lines[k] = line);
        }
        6 => {
            // A number becomes another.
            let digits: Vec<usize> =
                text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(k, _)| k).collect();
            if let Some(&at) = digits.get(dice.below(digits.len())) {
                let numbers = ["0", "-1", "1e9", "1e400", "0.5", "7", "1_000"];
                text.replace_range(at..=at, numbers[dice.below(numbers.len())]);
            }
        }
        7 => {
            let (a, b) = (place(text, dice), place(text, dice));
            let length = (b.max(a) - a.min(b)).min(40);
            let end = (0..=a.min(b) + length).rev().find(|&k| text.is_char_boundary(k));
            text.replace_range(a.min(b)..end.unwrap_or(a.min(b)).max(a.min(b)), "");
        }
        _ => {
            let mut bytes = std::mem::take(text).into_bytes();
            for _ in 0..1 + dice.below(4) {
                let (at, byte) = (dice.below(bytes.len()), dice.next() as u8);
                if let Some(slot) = bytes.get_mut(at) {
                    *slot = byte;
                }
            }
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
}

/// Changes a text line by line, if it has any.
fn lines(
    text: &mut String,
    dice: &mut Dice,
    change: impl FnOnce(&mut Vec<String>, usize, &mut Dice),
) {
    let mut all: Vec<String> = text.lines().map(String::from).collect();
    if !all.is_empty() {
        let k = dice.below(all.len());
        change(&mut all, k, dice);
        *text = all.join("\n");
    }
}

/// Reads a scene, and what it says when it is refused.
fn read(text: &str) {
    match Scene::from_str_in(text, "scene", &bad()) {
        Ok(scene) => {
            let _ = (scene.settings(), scene.section(), scene.stop_margin());
            for output in &scene.outputs {
                let _ = scene.output(&output.value);
            }
            if let Some((name, value)) = scene.parameters.first() {
                let _ = scene.with_overrides(&[(name, value + 1.0)]);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

#[test]
fn scenes_changed_at_random_are_read_or_refused() {
    let seconds = std::env::var("STICKSLIP_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let (begin, limit) = (Instant::now(), seconds.map(Duration::from_secs));
    let (seeds, mut made, mut panics) = (seeds(), 0, 0);
    let (mut slowest, mut slow_text) = (Duration::ZERO, String::new());
    let first: u64 =
        std::env::var("STICKSLIP_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    loop {
        let go_on = limit.map_or(made < CASES, |limit| begin.elapsed() < limit);
        if !go_on {
            break;
        }
        let text = mutate(&seeds, &mut Dice(first.wrapping_mul(1 << 40).wrapping_add(made)));
        let start = Instant::now();
        if catch_unwind(AssertUnwindSafe(|| read(&text))).is_err() {
            panics += 1;
            std::fs::write(scratch.join(format!("panic-{panics}.toml")), &text).unwrap();
        }
        if start.elapsed() > slowest {
            (slowest, slow_text) = (start.elapsed(), text);
        }
        made += 1;
    }
    if limit.is_some() {
        std::fs::write(scratch.join("slowest.toml"), slow_text).unwrap();
        println!(
            "{made} scenes, {panics} panics, the slowest took {slowest:?}; see {}",
            scratch.display()
        );
    }
    assert_eq!(panics, 0, "the scenes are in {}", scratch.display());
}
