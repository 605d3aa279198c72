//! Errors that point at the line of the user's file.

use std::fmt;
use std::ops::Range;

/// The most characters of a line that are shown.
const WIDEST: usize = 100;

/// What is wrong with a scene, where, and what would be right.
///
/// Its `Display` has several lines:
///
/// ```text
/// ball.toml:9:10: unknown name `hight`
///   |
/// 9 | gap = "y - hight"
///   |            ^^^^^
///   = did you mean `height`?
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneError {
    /// The file, or the name of the scene.
    pub file: String,
    /// Where in the file, if the mistake stands in it.
    pub position: Option<Position>,
    /// What is wrong.
    pub reason: String,
    /// What would be right, if that can be said.
    pub cure: Option<String>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted in characters from 1.
    pub column: usize,
    /// How many characters are meant, at least 1.
    pub width: usize,
    /// The text of the line.
    pub text: String,
}

impl std::error::Error for SceneError {}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, position, reason, cure } = self;
        let Some(Position { line, column, .. }) = position else {
            write!(f, "{file}: {reason}")?;
            return cure.as_ref().map_or(Ok(()), |cure| write!(f, "\n  = {cure}"));
        };
        let (margin, number) = (" ".repeat(line.to_string().len()), line);
        let (shown, marks) = position.as_ref().map(excerpt).unwrap_or_default();
        writeln!(f, "{file}:{line}:{column}: {reason}")?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {shown}")?;
        write!(f, "{margin} | {marks}")?;
        cure.as_ref().map_or(Ok(()), |cure| write!(f, "\n{margin} = {cure}"))
    }
}

/// The part of the line around the mark that fits, and the carets below it.
fn excerpt(at: &Position) -> (String, String) {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let line: Vec<char> = at.text.chars().map(printable).collect();
    let mark = at.column.saturating_sub(1).min(line.len());
    let first = if line.len() <= WIDEST { 0 } else { mark.saturating_sub(WIDEST / 2) };
    let last = line.len().min(first + WIDEST);
    let (front, back) =
        (if first > 0 { "…" } else { "" }, if last < line.len() { "…" } else { "" });
    let shown: String = line[first..last].iter().collect();
    let before = mark - first + front.chars().count();
    let width = at.width.clamp(1, (last - mark).max(1));
    (format!("{front}{shown}{back}"), " ".repeat(before) + &"^".repeat(width))
}

impl SceneError {
    /// A mistake that stands nowhere in the file.
    pub fn unplaced(file: &str, reason: impl Into<String>) -> Self {
        Self { file: file.into(), position: None, reason: reason.into(), cure: None }
    }

    pub(crate) fn cure(self, cure: impl Into<String>) -> Self {
        Self { cure: Some(cure.into()), ..self }
    }

    /// A mistake at some bytes of the text of the file.
    pub(crate) fn placed(file: &str, text: &str, span: Range<usize>, reason: String) -> Self {
        let start = floor(text, span.start);
        let end = floor(text, span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |k| k + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |k| start + k);
        let position = Position {
            line: 1 + text[..start].matches('\n').count(),
            column: 1 + text[line_start..start].chars().count(),
            width: text[start..end.min(line_end)].chars().count().max(1),
            text: text[line_start..line_end].trim_end_matches('\r').to_owned(),
        };
        Self { position: Some(position), ..Self::unplaced(file, reason) }
    }
}

/// The last place at which a character begins, at or before a byte.
fn floor(text: &str, byte: usize) -> usize {
    let within = byte.min(text.len());
    (0..=within).rev().find(|&k| text.is_char_boundary(k)).unwrap_or(0)
}
