//! The pages of the book that are made from the command: they are current.

use crate::common::{stdout, stickslip};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Compares a page of the book; with `STICKSLIP_BLESS=1`, as `cargo xtask book-reference` sets it, it is written anew.
fn current(page: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/reference").join(page);
    if std::env::var_os("STICKSLIP_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{} is not current: `cargo xtask book-reference`", path.display());
}

/// The help of a command, as wide as it gets.
fn help(command: &[&str]) -> String {
    let mut stickslip = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    let out = stickslip.args(command).arg("--help").env("COLUMNS", "100").output().unwrap();
    assert!(out.status.success());
    stdout(&out)
}

/// The names under `Commands:` of a help text.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let listed =
        lines.take_while(|line| !line.is_empty() && !line.starts_with(char::is_alphabetic));
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

fn section(page: &mut String, level: &str, command: &[&str]) {
    let text = help(command);
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    let name = [&["stickslip"], command].concat().join(" ");
    page.push_str(&format!("\n{level} `{name}`\n\n```text\n{}\n```\n", lines.join("\n")));
}

#[test]
fn page_of_commands_is_current() {
    let mut page = "# Commands\n\n\
        This page is made from the command itself by `cargo xtask book-reference`; it is what `stickslip COMMAND --help` prints. What files and\n\
        JSON contain is in the [guide](../guide/command.md).\n"
        .to_owned();
    section(&mut page, "##", &[]);
    for command in commands(&help(&[])) {
        section(&mut page, "##", &[&command]);
        for inner in commands(&help(&[&command])) {
            section(&mut page, "###", &[&command, &inner]);
        }
    }
    assert!(page.matches("\n## ").count() > 10, "{page}");
    current("commands.md", &page);
}

#[test]
fn page_of_the_gallery_is_current() {
    let scenes: Value = serde_json::from_str(&stdout(&stickslip(&["gallery", "--json"]))).unwrap();
    let mut page = "# Scenes of the gallery\n\n\
        This page is made by `cargo xtask book-reference` from what `stickslip gallery --json` prints. `stickslip run NAME` runs a scene,\n\
        `stickslip gallery NAME` prints its file, and `--set NAME=VALUE` changes a parameter. Pictures are on the [tour](../gallery/tour.md).\n\n\
        | scene | title | what it shows | parameters |\n|---|---|---|---|\n"
        .to_owned();
    for scene in scenes.as_array().unwrap() {
        let text = |key: &str| {
            scene[key].as_str().unwrap_or_default().replace('|', "\\|").replace('\n', " ")
        };
        let names = scene["parameters"].as_object().map(|p| p.keys().cloned().collect::<Vec<_>>());
        let names = names.unwrap_or_default().iter().map(|n| format!("`{n}`")).collect::<Vec<_>>();
        let (name, title, about) = (text("name"), text("title"), text("description"));
        page.push_str(&format!("| `{name}` | {title} | {about} | {} |\n", names.join(", ")));
    }
    current("gallery.md", &page);
}
