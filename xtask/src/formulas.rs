//! Formulas of the book: LaTeX between dollar signs in the pages, MathML in what is built.
//!
//! Browsers set MathML by themselves, so that the book needs neither a script nor a network. mdBook runs `cargo xtask formulas`
//! as a preprocessor: the book goes in as JSON, and comes out with every formula replaced.

use crate::Outcome;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Storage, push_mathml};
use serde_json::Value;
use std::io::{Read, Write};
use std::ops::Range;

/// A formula that cannot be set: its line from 1, and why.
pub(crate) type Unset = (usize, String);

/// Answers mdBook: whether its output is served (HTML is), or the book from the standard input with its formulas set.
pub(crate) fn preprocess(arguments: &[String]) -> Outcome {
    if let [question, renderer] = arguments {
        let served = question == "supports" && renderer == "html";
        return if served { Ok(()) } else { Err(format!("`{renderer}` is not served")) };
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|e| format!("no book came in: {e}"))?;
    let mut input: Value = serde_json::from_str(&text)
        .map_err(|e| format!("mdBook sends a pair of context and book as JSON: {e}"))?;
    let mut book = input.get_mut(1).map(Value::take).ok_or("the input has no book")?;
    set_chapters(&mut book)?;
    write!(std::io::stdout(), "{book}").map_err(|e| format!("the book could not go out: {e}"))
}

/// Sets the formulas of every chapter, however deep it stands.
fn set_chapters(value: &mut Value) -> Outcome {
    match value {
        Value::Array(list) => list.iter_mut().try_for_each(set_chapters),
        Value::Object(map) => {
            let path = map.get("path").and_then(Value::as_str).unwrap_or("a chapter").to_owned();
            if let Some(Value::String(content)) = map.get_mut("content") {
                *content = set(content).map_err(|unset| {
                    let all = unset.iter().map(|(line, why)| format!("{path}:{line}: {why}"));
                    all.collect::<Vec<_>>().join("\n")
                })?;
            }
            map.values_mut().try_for_each(set_chapters)
        }
        _ => Ok(()),
    }
}

/// A page with MathML in the place of its formulas.
pub(crate) fn set(page: &str) -> Result<String, Vec<Unset>> {
    let (mut out, mut done, mut unset) = (String::new(), 0, strays(page));
    for (range, latex, display) in formulas(page) {
        match mathml(&latex, display) {
            Ok(formula) => {
                out.push_str(&page[done..range.start]);
                out.push_str(&formula);
                done = range.end;
            }
            Err(why) => unset.push((1 + page[..range.start].matches('\n').count(), why)),
        }
    }
    out.push_str(&page[done..]);
    if unset.is_empty() { Ok(out) } else { Err(unset) }
}

/// Dollar signs that are meant as a formula and read as text: a line that begins with `=`, say, makes a heading of what is above it.
fn strays(page: &str) -> Vec<Unset> {
    let (mut strays, mut in_code) = (Vec::new(), false);
    let options = Options::ENABLE_MATH | Options::ENABLE_TABLES;
    for (event, range) in Parser::new_ext(page, options).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(_) if !in_code && page[range.start..].starts_with("$$") => {
                let line = 1 + page[..range.start].matches('\n').count();
                strays.push((line, "`$$` that begins or ends no formula".to_owned()));
            }
            _ => {}
        }
    }
    strays
}

/// Where formulas stand on a page, outside of code, and whether they are displayed.
fn formulas(page: &str) -> Vec<(Range<usize>, String, bool)> {
    let options = Options::ENABLE_MATH | Options::ENABLE_TABLES;
    let events = Parser::new_ext(page, options).into_offset_iter();
    let found = events.filter_map(|(event, range)| match event {
        Event::InlineMath(latex) => Some((range, latex.into_string(), false)),
        Event::DisplayMath(latex) => Some((range, latex.into_string(), true)),
        _ => None,
    });
    found.collect()
}

/// One formula as MathML on one line, safe inside of Markdown.
fn mathml(latex: &str, display: bool) -> Result<String, String> {
    let storage = Storage::new();
    let parser = pulldown_latex::Parser::new(latex, &storage);
    let events: Vec<_> = parser.collect();
    if let Some(error) = events.iter().find_map(|event| event.as_ref().err()) {
        return Err(format!("`{}` is not LaTeX: {error}", latex.trim()));
    }
    let display_mode = if display { DisplayMode::Block } else { DisplayMode::Inline };
    let mut out = String::new();
    push_mathml(
        &mut out,
        events.into_iter(),
        RenderConfig { display_mode, ..RenderConfig::default() },
    )
    .map_err(|e| format!("`{}` cannot be set: {e}", latex.trim()))?;
    // The renderer forgets a space before this attribute.
    Ok(guarded(&out.replace("\"minsize", "\" minsize")))
}

/// Keeps Markdown from reading marks of its own, and HTML from reading tags, in the text between the tags.
fn guarded(mathml: &str) -> String {
    let (mut out, mut in_tag) = (String::with_capacity(mathml.len()), false);
    let mut rest = mathml.chars();
    while let Some(c) = rest.next() {
        let opens =
            c == '<' && rest.as_str().starts_with(|n: char| n.is_ascii_alphabetic() || n == '/');
        match c {
            '\n' => out.push(' '),
            _ if in_tag || opens || !"<>*_`[]\\~|!()'\"".contains(c) => out.push(c),
            _ => out.push_str(&format!("&#{};", u32::from(c))),
        }
        in_tag = opens || in_tag && c != '>';
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_mathml_and_code_stays() {
        let page =
            "Let $x_N \\ge 0$ and `$x$`.\n\n$$ a * b * c $$\n\n```sh\necho $HOME $PATH\n```\n";
        let out = set(page).unwrap();
        assert!(out.contains("<msub><mi>x</mi><mi>N</mi></msub>"), "{out}");
        assert!(out.contains("`$x$`") && out.contains("echo $HOME $PATH"), "{out}");
        assert!(out.contains("display=\"block\"") && !out.contains("<mo>*</mo>"), "{out}");
        let less = set("$a < b > c$").unwrap();
        assert!(less.contains("<mo>&#60;</mo><mi>b</mi><mo>&#62;</mo>"), "{less}");
    }

    #[test]
    fn a_formula_that_is_none_is_found_with_its_line() {
        let unset = set("fine\n\nnot $\\frac{1}$ fine\n").unwrap_err();
        assert_eq!(unset[0].0, 3, "{unset:?}");
        assert!(unset[0].1.contains("\\frac{1}"), "{unset:?}");
        let broken = set("$$\na\n=\nb\n$$\n").unwrap_err();
        assert!(broken[0].1.contains("no formula"), "{broken:?}");
    }

    #[test]
    fn chapters_are_set_at_every_depth() {
        let mut book: Value = serde_json::from_str(
            r#"{"items":[{"Chapter":{"content":"$x$","path":"a.md","sub_items":[{"Chapter":{"content":"$y$","sub_items":[]}}]}}]}"#,
        )
        .unwrap();
        set_chapters(&mut book).unwrap();
        assert_eq!(book.to_string().matches("<math").count(), 2, "{book}");
        let mut bad: Value =
            serde_json::from_str(r#"{"content":"$\\frac$","path":"a.md"}"#).unwrap();
        assert!(set_chapters(&mut bad).unwrap_err().starts_with("a.md:1: "));
    }
}
