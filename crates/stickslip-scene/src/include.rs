//! The files of a scene: the one that was named, and those that it includes.

use crate::document::{Foreign, Mark, Problem};
use crate::error::SceneError;
use crate::tree::{Field, File, Node, Site, Value, tree};
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// The largest scene file, in bytes.
const LARGEST: usize = 1 << 20;

/// The most files of a scene.
const MOST_FILES: usize = 64;

/// The files of a scene, and what they hold together.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) files: Vec<File>,
    pub(crate) root: Vec<Field>,
    /// Where the paths in each file are looked up; none if the scene did not come from a file.
    pub(crate) folders: Vec<Option<PathBuf>>,
}

impl Document {
    /// Reads a text and what it includes.
    pub(crate) fn read(text: &str, name: &str, folder: Option<&Path>) -> Result<Self, SceneError> {
        let mut reader = Reader { files: vec![], folders: vec![], seen: vec![] };
        let root = reader.file(text.to_owned(), name, folder.map(Path::to_owned))?;
        Ok(Self { files: reader.files, root, folders: reader.folders })
    }

    /// The path that a text in one of the files means, for people and for opening it.
    pub(crate) fn path(&self, file: usize, path: &str) -> Option<PathBuf> {
        self.folders.get(file)?.as_ref().map(|folder| folder.join(path))
    }

    /// A problem as it is shown.
    pub(crate) fn error(&self, problem: Problem, site: Option<Site>) -> SceneError {
        show(&self.files, problem, site)
    }
}

/// A problem at a place in one of several files.
fn show(files: &[File], problem: Problem, site: Option<Site>) -> SceneError {
    let note = site.as_ref().and_then(|site| site.note.as_deref());
    let reason = match note {
        Some(note) => format!("{} (with {note})", problem.reason),
        None => problem.reason,
    };
    let main = files.first().map_or("", |file| &file.name);
    let placed = site.and_then(|site| Some((files.get(site.file)?, site.bytes)));
    let mut error = match (placed, &problem.mark) {
        (_, Mark::Foreign(Foreign { file, at: Some((text, byte)) })) => {
            SceneError::placed(file, text, *byte..*byte, reason)
        }
        (_, Mark::Foreign(Foreign { file, at: None })) => SceneError::unplaced(file, reason),
        (Some((file, bytes)), _) => SceneError::placed(&file.name, &file.text, bytes, reason),
        (None, _) => SceneError::unplaced(main, reason),
    };
    error.cure = problem.cure;
    error
}

struct Reader {
    files: Vec<File>,
    folders: Vec<Option<PathBuf>>,
    /// The files that were included, by their full paths; the last part of the list includes one another.
    seen: Vec<PathBuf>,
}

impl Reader {
    fn file(
        &mut self,
        text: String,
        name: &str,
        folder: Option<PathBuf>,
    ) -> Result<Vec<Field>, SceneError> {
        if text.len() > LARGEST {
            let reason = format!("the file has {} bytes; {LARGEST} is the most", text.len());
            return Err(SceneError::unplaced(name, reason));
        }
        let table = DeTable::parse(&text).map_err(|error| syntax_error(&text, name, &error))?;
        let file = self.files.len();
        let mut fields = tree(table.get_ref(), file, &text);
        self.files.push(File { name: name.to_owned(), text });
        self.folders.push(folder);
        let Some(at) = fields.iter().position(|field| field.key == "include") else {
            return Ok(fields);
        };
        let include = fields.remove(at);
        let mut all = vec![];
        for (path, site) in paths(&include).map_err(|p| self.shown(p))? {
            let included = self.included(file, &path, &site)?;
            merge(&mut all, included, "").map_err(|p| self.shown(p))?;
        }
        merge(&mut all, fields, "").map_err(|p| self.shown(p))?;
        Ok(all)
    }

    fn shown(&self, problem: Problem) -> SceneError {
        let site = match &problem.mark {
            Mark::Bytes(site) => Some(site.clone()),
            _ => None,
        };
        show(&self.files, problem, site)
    }

    fn included(&mut self, file: usize, path: &str, site: &Site) -> Result<Vec<Field>, SceneError> {
        let wrong = |reason: String| Problem::at(site.clone(), reason);
        let Some(folder) = &self.folders[file] else {
            let problem = wrong("a scene that is no file cannot include files".into());
            return Err(self.shown(problem.cure("save it, and name the file")));
        };
        let full = folder.join(path);
        if self.files.len() >= MOST_FILES {
            let reason = format!("a scene has at most {MOST_FILES} files");
            return Err(self.shown(wrong(reason)));
        }
        let real = full.canonicalize();
        let text = real
            .as_ref()
            .map_err(|e| e.kind())
            .and_then(|real| std::fs::read(real).map_err(|e| e.kind()));
        let (real, text) = match (real, text) {
            (Ok(real), Ok(text)) => (real, text),
            (_, Err(kind)) => {
                let reason = format!("`{path}` cannot be read: {kind}");
                let cure = "the path is relative to the file in which it stands";
                return Err(self.shown(wrong(reason).cure(cure)));
            }
            (Err(e), Ok(_)) => return Err(self.shown(wrong(e.to_string()))),
        };
        if self.seen.contains(&real) {
            let reason = format!("`{path}` is included a second time, or includes itself");
            return Err(self.shown(wrong(reason).cure("include every file once")));
        }
        let Ok(text) = String::from_utf8(text) else {
            return Err(self.shown(wrong(format!("`{path}` is not UTF-8 text"))));
        };
        self.seen.push(real);
        let name = match Path::new(&self.files[file].name).parent() {
            Some(parent) => parent.join(path).display().to_string(),
            None => path.to_owned(),
        };
        let folder = full.parent().map(Path::to_owned);
        self.file(text, &name, folder)
    }
}

/// The texts of `include`.
fn paths(include: &Field) -> Result<Vec<(String, Site)>, Problem> {
    let wrong = || {
        let problem = Problem::at(include.node.site.clone(), "`include` must be a list of files");
        problem.cure("write e.g. include = [\"common.toml\"]")
    };
    let Value::List(list) = &include.node.value else { return Err(wrong()) };
    let path = |node: &Node| match &node.value {
        Value::Text(text) if !text.plain.is_empty() => Ok((text.plain.clone(), node.site.clone())),
        _ => Err(wrong()),
    };
    list.iter().map(path).collect()
}

/// Adds the fields of one file to those of others: tables are joined, lists of tables continued, and nothing may stand in both.
fn merge(all: &mut Vec<Field>, more: Vec<Field>, table: &str) -> Result<(), Problem> {
    for field in more {
        let Some(known) = all.iter_mut().find(|known| known.key == field.key) else {
            all.push(field);
            continue;
        };
        let key = field.key.clone();
        match (&mut known.node.value, field.node.value) {
            (Value::Table(known), Value::Table(more)) if table.is_empty() => {
                merge(known, more, &key)?;
            }
            (Value::List(known), Value::List(more)) if table.is_empty() => known.extend(more),
            _ => {
                let of = if table.is_empty() { String::new() } else { format!(" of [{table}]") };
                let reason = format!("`{key}`{of} is given in an included file already");
                return Err(Problem::at(field.key_site, reason).cure("leave one of the two out"));
            }
        }
    }
    Ok(())
}

fn syntax_error(text: &str, name: &str, error: &toml::de::Error) -> SceneError {
    let span = error.span().unwrap_or(0..0);
    let before = text.get(..span.start).unwrap_or("").trim_end_matches([' ', '\t']);
    let after = text.get(span.start..).unwrap_or("").trim_start_matches([' ', '\t']);
    if before.ends_with('=') && (after.is_empty() || after.starts_with(['\n', '\r', '#'])) {
        return SceneError::placed(name, text, span, "this key has no value".into());
    }
    let word: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '.').collect();
    let digits = word.trim_end_matches(char::is_alphabetic);
    let number = digits.parse::<f64>().is_ok() && digits.len() < word.len();
    if before.ends_with('=') && number {
        let reason =
            format!("`{word}` is not a number; numbers are in SI units and stand without them");
        return SceneError::placed(name, text, span, reason);
    }
    if comma_in_a_number(before, after) {
        let reason = "a comma stands in a number; decimals are written with a point, e.g. `0.6`";
        return SceneError::placed(name, text, span, reason.into());
    }
    let reason = format!("this is not TOML: {}", error.message().trim_end().replace('\n', ", "));
    SceneError::placed(name, text, span, reason)
}

/// Whether the text is at the comma of `0,6`, or behind it as in `{ start = 0,6, unit = "m" }`.
fn comma_in_a_number(before: &str, after: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let at = after.strip_prefix(',').is_some_and(|rest| digit(rest.chars().next()))
        && digit(before.chars().next_back());
    let whole = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let behind = whole.len() < before.len()
        && whole.strip_suffix(',').is_some_and(|rest| digit(rest.chars().next_back()));
    at || behind
}
