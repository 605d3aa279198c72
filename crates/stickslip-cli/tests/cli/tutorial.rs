//! The tutorial of the book, followed to the letter: files as they are shown are written, commands are run, and what they print and draw must be
//! what the pages show.
//!
//! A block of `toml` after a comment `<!-- file: NAME -->` is a file; of a block of `sh` every line is a command; a block of `text` after it is what the last
//! of them prints, where `…` stands for anything, alone on its line for any lines. A picture of the page is one that its commands
//! have drawn as SVG, after a comment `<!-- picture: FILE -->`, or `<!-- rounding: FILE -->` where it shows rounding, which processors need not
//! share: then its lengths are less than nanometres.

use crate::common::Scratch;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/start")
}

/// What a page asks for, in order.
#[derive(Debug, PartialEq)]
enum Item {
    File { name: String, text: String },
    Command { words: Vec<String>, code: i32 },
    Prints(Vec<String>),
    Picture { drawn: String, shown: String, exact: bool },
}

fn items(page: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let (mut file, mut picture): (Option<String>, Option<(String, bool)>) = (None, None);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let comment = |word: &str| {
            let inner = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
            inner.strip_prefix(word).map(|rest| rest.trim().to_owned())
        };
        if let Some(name) = comment("file:") {
            file = Some(name);
        } else if let Some(drawn) = comment("picture:") {
            picture = Some((drawn, true));
        } else if let Some(drawn) = comment("rounding:") {
            picture = Some((drawn, false));
        } else if let Some(kind) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            match (kind, file.take()) {
                ("toml" | "json", Some(name)) => {
                    items.push(Item::File { name, text: block.join("\n") + "\n" });
                }
                ("sh", _) => items.extend(block.iter().map(|line| command(line))),
                ("text", _) => {
                    items.push(Item::Prints(block.iter().map(|l| (*l).to_owned()).collect()))
                }
                _ => {}
            }
        } else if let Some((_, target)) = line.split_once("](").filter(|_| line.starts_with("![")) {
            let shown = target.trim_end_matches(')').to_owned();
            let from = picture.take();
            let (drawn, exact) = from.unwrap_or_else(|| panic!("where does {shown} come from?"));
            items.push(Item::Picture { drawn, shown, exact });
        }
    }
    items
}

/// The words of a command without quotes, and how it ends: well unless a comment says `# exit code 1`.
fn command(line: &str) -> Item {
    let (line, comment) = line.split_once(" #").unwrap_or((line, ""));
    let code = comment.trim().strip_prefix("exit code ").map_or(0, |code| code.parse().unwrap());
    let words = line.split_whitespace().map(|word| word.trim_matches('\'').to_owned());
    Item::Command { words: words.collect(), code }
}

/// Whether lines are those of a pattern, in which `…` ends a line that may go on, and alone stands for any lines.
fn matches(pattern: &[String], lines: &[&str]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return lines.is_empty() };
    if first.trim() == "…" {
        return (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]));
    }
    let Some((line, others)) = lines.split_first() else { return false };
    let fits = match first.split_once('…') {
        Some((start, end)) => line.starts_with(start) && line.ends_with(end),
        None => line.trim_end() == first.trim_end(),
    };
    fits && matches(rest, others)
}

/// Follows a page in an empty directory.
fn follow(name: &str) {
    let page = fs::read_to_string(folder().join(name)).unwrap();
    let scratch = Scratch::new(&format!("tutorial-{name}"));
    let (mut printed, mut commands) = (String::new(), 0);
    for item in items(&page) {
        match item {
            Item::File { name, text } => fs::write(scratch.file(&name), text).unwrap(),
            Item::Command { words, code } => {
                assert_eq!(words[0], "stickslip", "{name}: {words:?}");
                let out = Command::new(env!("CARGO_BIN_EXE_stickslip"))
                    .args(&words[1..])
                    .current_dir(scratch.path())
                    .output()
                    .unwrap();
                printed = String::from_utf8(out.stdout).unwrap();
                let error = String::from_utf8_lossy(&out.stderr);
                assert_eq!(out.status.code(), Some(code), "{name}: {words:?}\n{error}");
                commands += 1;
            }
            Item::Prints(pattern) => {
                let lines: Vec<&str> = printed.trim_end().lines().collect();
                assert!(
                    matches(&pattern, &lines),
                    "{name} shows\n{}\n\nprinted is\n{printed}",
                    pattern.join("\n")
                );
            }
            Item::Picture { drawn, shown, exact } => {
                same_picture(&scratch.file(&drawn), &folder().join(shown), exact);
            }
        }
    }
    assert!(commands > 0, "{name} has no commands");
}

/// The picture of the page is the one that was drawn; with `STICKSLIP_BLESS=1`, as `cargo xtask book-figures` sets it, it is replaced.
fn same_picture(drawn: &Path, shown: &Path, exact: bool) {
    let made = fs::read(drawn).unwrap_or_else(|e| panic!("{} was not drawn: {e}", drawn.display()));
    if std::env::var_os("STICKSLIP_BLESS").is_some() {
        fs::create_dir_all(shown.parent().unwrap()).unwrap();
        fs::write(shown, &made).unwrap();
    }
    let kept = fs::read(shown).unwrap_or_else(|e| panic!("{}: {e}", shown.display()));
    let [made, kept] = [made, kept].map(|bytes| String::from_utf8(bytes).expect("an SVG"));
    let same = match exact {
        true => near(&numbers(&made), &numbers(&kept)),
        false => shows_rounding(&made) && shows_rounding(&kept),
    };
    assert!(same, "{} is not what the page draws: `cargo xtask book-figures`", shown.display());
}

/// The numbers of an SVG.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// Whether two pictures have as many numbers, of which all but a few in a hundred agree within pixels: another processor may round another way.
fn near(a: &[f64], b: &[f64]) -> bool {
    let off = a.iter().zip(b).filter(|(x, y)| (*x - *y).abs() > 2.0).count();
    a.len() == b.len() && off * 20 <= b.len()
}

/// Whether an axis of a picture is labelled in picometres or less.
fn shows_rounding(svg: &str) -> bool {
    svg.lines()
        .any(|line| ["pm", "fm", "am", "zm"].iter().any(|u| line.ends_with(&format!("/ {u}"))))
}

#[test]
fn first_scene_gives_what_the_page_shows() {
    follow("first_scene.md");
}

#[test]
fn first_contact_in_space_gives_what_the_page_shows() {
    follow("first_contact.md");
}

#[test]
fn certificates_are_those_that_the_page_shows() {
    follow("certificate.md");
}

#[test]
fn bifurcation_diagram_is_the_one_that_the_page_shows() {
    follow("bifurcation.md");
}

#[test]
fn pages_are_read_as_they_are_meant() {
    let page = "<!-- file: a.toml -->\n```toml\nx = 1\n```\n\n```sh\nstickslip run a.toml --section 'x' # exit code 1\n```\n\n\
                ```text\nok\n```\n\n<!-- picture: out/a/x.svg -->\n![x](figures/x.svg)\n";
    let strings = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        items(page),
        [
            Item::File { name: "a.toml".into(), text: "x = 1\n".into() },
            Item::Command {
                words: strings(&["stickslip", "run", "a.toml", "--section", "x"]),
                code: 1
            },
            Item::Prints(strings(&["ok"])),
            Item::Picture {
                drawn: "out/a/x.svg".into(),
                shown: "figures/x.svg".into(),
                exact: true
            },
        ]
    );
    let pattern = strings(&["a", "…", "time … s", "z"]);
    assert!(matches(&pattern, &["a", "b", "c", "time 3.1 s", "z"]));
    assert!(matches(&pattern, &["a", "time 3.1 s", "z"]));
    assert!(
        !matches(&pattern, &["a", "b", "time 3.1 s"])
            && !matches(&pattern, &["b", "time 1 s", "z"])
    );
}

#[test]
fn pictures_that_differ_are_told_apart() {
    let line = |dy: f64| (0..100).map(|i| f64::from(i) + dy).collect::<Vec<_>>();
    assert!(near(&line(0.0), &line(1.0)) && !near(&line(0.0), &line(3.0)));
    assert!(!near(&line(0.0), &line(0.0)[..50]) && !near(&line(0.0), &line(0.0)[..99]));
    assert!(shows_rounding("<text>\nsinks / fm\n</text>"));
    assert!(!shows_rounding("<text>\nsinks / mm\n</text>"));
}
