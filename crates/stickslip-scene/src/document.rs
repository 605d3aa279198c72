//! A scene as entries that know where they stand.

use crate::tree::{Field, Node, Site, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use stickslip::expression::{DefinitionError, Scalar, nearest};

/// A mistake, and what it is about.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) mark: Mark,
    pub(crate) reason: String,
    pub(crate) cure: Option<String>,
}

/// What a mistake is about.
#[derive(Clone, Debug)]
pub(crate) enum Mark {
    /// Some bytes of a file.
    Bytes(Site),
    /// The value at a path such as `contact[1].gap`, or a part of its text.
    Value(String, Option<Range<usize>>),
    /// The key at a path.
    Key(String),
    /// A place in a file that is not a scene, such as one of a robot.
    Foreign(Foreign),
}

/// A place in a file that is not a scene.
#[derive(Clone, Debug)]
pub(crate) struct Foreign {
    pub(crate) file: String,
    /// The text of the file and a byte of it, if it is text.
    pub(crate) at: Option<(String, usize)>,
}

impl Problem {
    pub(crate) fn at(site: Site, reason: impl Into<String>) -> Self {
        Self { mark: Mark::Bytes(site), reason: reason.into(), cure: None }
    }

    pub(crate) fn of(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { mark: Mark::Value(path.into(), None), reason: reason.into(), cure: None }
    }

    pub(crate) fn cure(self, cure: impl Into<String>) -> Self {
        Self { cure: Some(cure.into()), ..self }
    }
}

impl From<DefinitionError> for Problem {
    fn from(error: DefinitionError) -> Self {
        let DefinitionError { place, span, name, reason, cure, .. } = error;
        let mark = if name { Mark::Key(place) } else { Mark::Value(place, span) };
        Self { mark, reason, cure }
    }
}

/// Where the values of a document stand, by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(BTreeMap<String, Place>);

#[derive(Clone, Debug)]
struct Place {
    key: Site,
    node: Option<Node>,
}

impl Places {
    /// The bytes of a file that a mark means; a path that does not stand there is cut short.
    pub(crate) fn bytes(&self, mark: &Mark) -> Option<Site> {
        let (mut path, span, key) = match mark {
            Mark::Bytes(site) => return Some(site.clone()),
            Mark::Value(path, span) => (path.as_str(), span.as_ref(), false),
            Mark::Key(path) => (path.as_str(), None, true),
            Mark::Foreign(_) => return None,
        };
        // An entry may be written as a number or text, or as a table that has it as `value`.
        let inner = format!("{path}.value");
        let found = self.0.get(&inner).filter(|_| !key).or_else(|| self.0.get(path));
        if let Some(place) = found {
            return Some(match (&place.node, span) {
                (Some(node), _) if !key => part(node, span),
                _ => place.key.clone(),
            });
        }
        while let Some(cut) = path.rfind('.') {
            path = &path[..cut];
            if let Some(place) = self.0.get(path) {
                return Some(place.key.clone());
            }
        }
        None
    }
}

/// The place of a value, or of some bytes of its text.
fn part(node: &Node, span: Option<&Range<usize>>) -> Site {
    let bytes = match (&node.value, span) {
        (Value::Text(text), Some(span)) => text.bytes(span),
        _ => None,
    };
    let bytes = bytes.unwrap_or_else(|| node.site.bytes.clone());
    Site { bytes, ..node.site.clone() }
}

/// A table of the document, its entries in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Table<'a> {
    pub(crate) entries: Vec<Entry<'a>>,
    pub(crate) span: Site,
    path: String,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) key: &'a str,
    pub(crate) path: String,
    key_site: Site,
    node: &'a Node,
}

impl<'a> Table<'a> {
    /// The whole document.
    pub(crate) fn root(fields: &'a [Field]) -> Self {
        Self::new(fields, Site::default(), String::new())
    }

    fn new(fields: &'a [Field], span: Site, path: String) -> Self {
        let entry = |field: &'a Field| {
            let dot = if path.is_empty() { "" } else { "." };
            Entry {
                key: &field.key,
                path: format!("{path}{dot}{}", field.key),
                key_site: field.key_site.clone(),
                node: &field.node,
            }
        };
        Self { entries: fields.iter().map(entry).collect(), span, path }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The entry of a key that has to be there.
    pub(crate) fn need(&self, key: &str, example: &str) -> Result<&Entry<'a>, Problem> {
        self.get(key).ok_or_else(|| {
            let problem =
                Problem::at(self.span.clone(), format!("`{key}` is missing in {}", self.name()));
            problem.cure(format!("add e.g. `{example}`"))
        })
    }

    /// Refuses keys that nobody reads.
    pub(crate) fn refuse_others(&self, known: &[&'static str]) -> Result<(), Problem> {
        let Some(entry) = self.entries.iter().find(|entry| !known.contains(&entry.key)) else {
            return Ok(());
        };
        let reason = format!("unknown key `{}` in {}", entry.key, self.name());
        let problem = Problem::at(entry.key_site.clone(), reason);
        let of_bodies = self.path.starts_with("contact[") && entry.key == "friction";
        if of_bodies && known.contains(&"gap") {
            return Err(Problem::at(
                entry.key_site.clone(),
                "`friction` is for contacts `between` bodies; this one has a gap and a slip in the plane",
            )
            .cure("leave it out: friction in the plane is given by mu, mu_static and radius"));
        }
        Err(problem.cure(meant(entry.key, known)))
    }

    /// Its path, such as `contact[1]`.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    fn name(&self) -> String {
        match self.path.split_once('[') {
            _ if self.path.is_empty() => "the scene".into(),
            Some((list, rest)) => match rest.split_once("].") {
                Some((_, inner)) => format!("`{inner}` of [[{list}]]"),
                None => format!("[[{list}]]"),
            },
            None => format!("[{}]", self.path),
        }
    }
}

/// The choice most like what was written, or all of them.
pub(crate) fn meant(found: &str, known: &[&'static str]) -> String {
    let list = || known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
    let near = nearest(found, known.iter().copied());
    near.map_or_else(
        || format!("choose one of {}", list()),
        |near| format!("did you mean `{near}`?"),
    )
}

impl<'a> Entry<'a> {
    pub(crate) fn wrong(&self, expected: &str) -> Problem {
        let found = match &self.node.value {
            Value::Text(_) => "a string",
            Value::Number(_) => "a number",
            Value::Truth(_) => "a boolean",
            Value::Date => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        };
        Problem::at(self.span(), format!("`{}` is {found}; it must be {expected}", self.key))
    }

    pub(crate) fn span(&self) -> Site {
        self.node.site.clone()
    }

    /// Where the key stands.
    pub(crate) fn key_span(&self) -> Site {
        self.key_site.clone()
    }

    /// The file in which it stands.
    pub(crate) fn file(&self) -> usize {
        self.node.site.file
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self.node.value, Value::List(_))
    }

    pub(crate) fn is_table(&self) -> bool {
        matches!(self.node.value, Value::Table(_))
    }

    pub(crate) fn text(&self, what: &str) -> Result<&'a str, Problem> {
        match &self.node.value {
            Value::Text(text) => Ok(&text.plain),
            _ => Err(self.wrong(what)),
        }
    }

    /// A number, or an expression in parameters.
    pub(crate) fn scalar(&self) -> Result<Scalar, Problem> {
        match &self.node.value {
            Value::Text(text) => Ok(Scalar::Expression(text.expression().to_owned())),
            _ => self.number("a number, or a string with an expression").map(Scalar::Number),
        }
    }

    fn number(&self, what: &str) -> Result<f64, Problem> {
        match &self.node.value {
            Value::Number(Some(x)) => Ok(*x),
            Value::Number(None) => {
                let problem = Problem::at(self.span(), "this number cannot be read");
                Err(problem.cure("write large numbers with an exponent, e.g. 1e20"))
            }
            _ => Err(self.wrong(what)),
        }
    }

    /// A whole number in a range.
    pub(crate) fn count(&self, range: Range<usize>) -> Result<usize, Problem> {
        let what = format!("a whole number from {} to {}", range.start, range.end - 1);
        let number = self.number(&what)?;
        if number.fract() == 0.0 && number >= range.start as f64 && number < range.end as f64 {
            return Ok(number as usize);
        }
        Err(Problem::at(self.span(), format!("`{}` is {number}; it must be {what}", self.key)))
    }

    pub(crate) fn truth(&self) -> Result<bool, Problem> {
        match self.node.value {
            Value::Truth(truth) => Ok(truth),
            _ => Err(self.wrong("true or false")),
        }
    }

    /// One of several words.
    pub(crate) fn choice(&self, known: &[&'static str]) -> Result<&'static str, Problem> {
        let found = self.text("a word in quotes")?;
        known.iter().copied().find(|k| *k == found).ok_or_else(|| {
            let reason = format!("`{found}` is not a choice for `{}`", self.key);
            Problem::at(self.span(), reason).cure(meant(found, known))
        })
    }

    pub(crate) fn table(&self, example: &str) -> Result<Table<'a>, Problem> {
        match &self.node.value {
            Value::Table(fields) => {
                Ok(Table::new(fields, self.key_site.clone(), self.path.clone()))
            }
            _ => Err(self.wrong(&format!("a table, e.g. {example}"))),
        }
    }

    /// The elements of a list.
    fn list(&self, what: &str) -> Result<&'a [Node], Problem> {
        match &self.node.value {
            Value::List(list) => Ok(list),
            _ => Err(self.wrong(what)),
        }
    }

    /// The tables of `[[key]]`.
    pub(crate) fn tables(&self) -> Result<Vec<Table<'a>>, Problem> {
        let what = format!("a list of tables, each under [[{}]]", self.key);
        let table = |(i, node): (usize, &'a Node)| match &node.value {
            Value::Table(fields) => {
                Ok(Table::new(fields, node.site.clone(), format!("{}[{i}]", self.path)))
            }
            _ => Err(self.wrong(&what)),
        };
        self.list(&what)?.iter().enumerate().map(table).collect()
    }

    /// The items of a list, each under the key and the path of the list.
    pub(crate) fn items(&self, what: &str) -> Result<Vec<Entry<'a>>, Problem> {
        Ok(self.list(what)?.iter().map(|node| Entry { node, ..self.clone() }).collect())
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self.node.value, Value::Text(_))
    }

    /// A list of strings with their places.
    pub(crate) fn texts(&self) -> Result<Vec<(&'a str, Site)>, Problem> {
        let what = "a list of names, e.g. [\"y\"]";
        let text = |node: &'a Node| match &node.value {
            Value::Text(text) => Ok((text.plain.as_str(), node.site.clone())),
            _ => Err(self.wrong(what)),
        };
        self.list(what)?.iter().map(text).collect()
    }
}

/// Where everything in a document stands.
pub(crate) fn places(root: &Table<'_>) -> Places {
    let mut places = Places::default();
    let mut open = vec![root.clone()];
    // The reader of TOML bounds how deep tables can be nested.
    while let Some(table) = open.pop() {
        for entry in &table.entries {
            let place = Place { key: entry.key_site.clone(), node: Some(entry.node.clone()) };
            places.0.insert(entry.path.clone(), place);
            open.extend(entry.table(""));
            for inner in entry.tables().into_iter().flatten() {
                let place = Place { key: inner.span.clone(), node: None };
                places.0.insert(inner.path.clone(), place);
                open.push(inner);
            }
        }
    }
    places
}
