//! What a study found: tables, numbers, pictures.

use crate::{Error, write_between_markers};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;
use std::io;
use std::path::Path;

type Show<'a> = Box<dyn FnMut(&str) -> io::Result<()> + 'a>;

/// What a study found so far; it is shown line by line, since a study may take minutes.
pub struct StudyReport<'a> {
    show: Show<'a>,
    sections: Vec<(&'static str, String)>,
    facts: Map<String, Value>,
    pictures: Vec<(String, String)>,
}

impl<'a> StudyReport<'a> {
    /// A report whose lines are given to a function as they are found.
    pub fn new(show: impl FnMut(&str) -> io::Result<()> + 'a) -> Self {
        let (sections, pictures) = (Vec::new(), Vec::new());
        Self { show: Box::new(show), sections, facts: Map::new(), pictures }
    }

    /// A report that shows nothing.
    pub fn quiet() -> Self {
        Self::new(|_| Ok(()))
    }

    /// The tables, in Markdown.
    pub fn text(&self) -> String {
        self.sections.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// The same facts, for programs: an array of objects for each table.
    pub fn facts(&self) -> &Map<String, Value> {
        &self.facts
    }

    /// File names and SVG texts.
    pub fn pictures(&self) -> &[(String, String)] {
        &self.pictures
    }

    /// Puts each section between its markers on a page, and the pictures beside the page.
    ///
    /// # Errors
    /// If a file cannot be read or written, or the page lacks a marker.
    pub fn write_page(&self, page: &Path) -> io::Result<()> {
        for (marker, text) in &self.sections {
            write_between_markers(page, marker, text)?;
        }
        for (name, svg) in &self.pictures {
            std::fs::write(page.with_file_name(name), svg)?;
        }
        Ok(())
    }

    /// What follows stands between these markers of the book's page.
    pub(crate) fn section(&mut self, marker: &'static str) {
        self.sections.push((marker, String::new()));
    }

    /// Adds a line of text.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Error> {
        if let Some((_, text)) = self.sections.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
        Ok((self.show)(line)?)
    }

    /// Adds a line with the titles of a table, and the one below it: `left` columns of words, then numbers.
    pub(crate) fn titles(&mut self, titles: &str, left: usize) -> Result<(), Error> {
        let columns = titles.matches(" | ").count() + 1;
        self.line(titles)?;
        let right = columns.saturating_sub(left);
        self.line(&format!("|{}{}", "---|".repeat(left), "---:|".repeat(right)))
    }

    /// Adds a row to the facts of a table.
    pub(crate) fn row(&mut self, table: &str, row: impl Serialize) {
        // Numbers and texts can always be written; those that are not finite become null.
        let row = serde_json::to_value(row).unwrap_or(Value::Null);
        let rows = self.facts.entry(table).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(rows) = rows {
            rows.push(row);
        }
    }

    /// Adds a single fact.
    pub(crate) fn fact(&mut self, name: &str, value: impl Into<Value>) {
        self.facts.insert(name.to_owned(), value.into());
    }

    /// Adds a picture.
    pub(crate) fn picture(&mut self, name: impl Into<String>, svg: String) {
        self.pictures.push((name.into(), svg));
    }
}

impl fmt::Debug for StudyReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pictures: Vec<&str> = self.pictures.iter().map(|p| p.0.as_str()).collect();
        f.debug_struct("StudyReport")
            .field("sections", &self.sections)
            .field("facts", &self.facts)
            .field("pictures", &pictures)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_have_a_mark_for_each_column() {
        let mut shown = String::new();
        let mut report = StudyReport::new(|line| {
            shown.push_str(line);
            Ok(())
        });
        report.titles("| a | b | c |", 1).unwrap();
        drop(report);
        assert_eq!(shown, "| a | b | c ||---|---:|---:|");
    }

    #[test]
    fn a_line_that_cannot_be_shown_ends_the_study() {
        let mut report = StudyReport::new(|_| Err(io::ErrorKind::BrokenPipe.into()));
        assert!(
            matches!(report.line("a"), Err(Error::Show(e)) if e.kind() == io::ErrorKind::BrokenPipe)
        );
    }
}
