//! Sources are short, finished and tested.

use super::Finding;
use crate::workspace::Tree;

/// The most lines a file may have.
const LONGEST: usize = 600;

/// What must not be committed, each with the reason. Split so that this file passes its own check.
const FORBIDDEN: [(&str, &str); 5] = [
    (concat!("TO", "DO"), "open an issue instead"),
    (concat!("FIX", "ME"), "open an issue instead"),
    (concat!("todo", "!"), "finish it or leave it out"),
    (concat!("unimplemented", "!"), "finish it or leave it out"),
    (concat!("#[", "ignore"), "a test that does not run guards nothing"),
];

/// What `complementarity` must do without, so that a solve depends on its input alone and the crate
/// builds anywhere.
const PURE: &str = "crates/complementarity/src/";
const IMPURE: [&str; 14] = [
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::process",
    "std::thread",
    "std::time",
    "Instant",
    "HashMap",
    "HashSet",
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.under("", "rs") {
        let lines = text.lines().count();
        if lines > LONGEST {
            let message = format!("{lines} lines; split it, {LONGEST} is the most");
            findings.push(Finding::new(path, message));
        }
        for (number, line) in text.lines().enumerate() {
            let messages = unfinished(line).chain(impure(path, line));
            findings.extend(messages.map(|message| Finding::at(path, number + 1, message)));
        }
    }
    findings
}

fn unfinished(line: &str) -> impl Iterator<Item = String> {
    let found = FORBIDDEN.iter().filter(|(word, _)| contains_word(line, word));
    found.map(|(word, cure)| format!("`{word}`: {cure}"))
}

/// Comments may name and doc tests may use what the code must not.
fn impure(path: &str, line: &str) -> impl Iterator<Item = String> {
    let concerned = path.starts_with(PURE) && !line.trim_start().starts_with("//");
    let found = IMPURE.iter().filter(move |word| concerned && contains_word(line, word));
    found.map(|word| format!("`{word}`: no I/O, threads, clocks or random order here"))
}

/// Whether `word` occurs with no letter, digit or underscore right before or after it.
fn contains_word(line: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        !before.ends_with(part_of_name) && !after.starts_with(part_of_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_forbidden_word_is_found_with_its_line() {
        for (word, cure) in FORBIDDEN {
            let text = format!("fn f() {{}}\n{word}\n");
            let findings = check(&Tree::of(&[("a.rs", &text)]));
            assert_eq!(findings, [Finding::at("a.rs", 2, format!("`{word}`: {cure}"))]);
        }
    }

    #[test]
    fn a_solver_that_looks_at_the_clock_is_found_and_its_examples_may_print() {
        let text = "/// println!(\"{z}\");\nuse std::time::Instant;\n";
        let findings = check(&Tree::of(&[
            ("crates/complementarity/src/pgs.rs", text),
            ("crates/complementarity/examples/tour.rs", text),
        ]));
        let places: Vec<&str> = findings.iter().map(|f| f.place.as_str()).collect();
        assert_eq!(places, ["crates/complementarity/src/pgs.rs:2"; 2]);
    }

    #[test]
    fn words_inside_of_names_pass() {
        let text = format!("let {0}_list = my_{0}; // m{1}ology", "todo", FORBIDDEN[0].0);
        assert_eq!(check(&Tree::of(&[("a.rs", &text)])), []);
    }

    #[test]
    fn a_file_that_is_too_long_is_found() {
        let text = "\n".repeat(LONGEST);
        assert_eq!(check(&Tree::of(&[("a.rs", &text)])), []);
        let findings = check(&Tree::of(&[("a.rs", &(text + "\n")), ("b.md", "x")]));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].message.starts_with("601 lines"));
    }
}
