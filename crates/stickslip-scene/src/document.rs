//! A TOML document whose entries know where they stand.

use std::collections::BTreeMap;
use std::ops::Range;
use stickslip::expression::{DefinitionError, Scalar, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

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
    /// Some bytes of the file.
    Bytes(Range<usize>),
    /// The value at a path such as `contact[1].gap`, or a part of its text.
    Value(String, Option<Range<usize>>),
    /// The key at a path.
    Key(String),
}

impl Problem {
    pub(crate) fn at(span: Range<usize>, reason: impl Into<String>) -> Self {
        Self { mark: Mark::Bytes(span), reason: reason.into(), cure: None }
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
    key: Range<usize>,
    value: Range<usize>,
    /// The first byte of the text of a string, unless escapes shift its characters.
    text: Option<usize>,
}

impl Places {
    /// The bytes of the file that a mark means; a path that does not stand there is cut short.
    pub(crate) fn bytes(&self, mark: &Mark) -> Option<Range<usize>> {
        let (mut path, span, key) = match mark {
            Mark::Bytes(bytes) => return Some(bytes.clone()),
            Mark::Value(path, span) => (path.as_str(), span.as_ref(), false),
            Mark::Key(path) => (path.as_str(), None, true),
        };
        if let Some(place) = self.0.get(path) {
            return Some(match (key, span, place.text) {
                (true, ..) => place.key.clone(),
                (_, Some(span), Some(start)) => start + span.start..start + span.end,
                _ => place.value.clone(),
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

/// A table of the document, its entries in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Table<'a> {
    pub(crate) entries: Vec<Entry<'a>>,
    pub(crate) span: Range<usize>,
    path: String,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) key: &'a str,
    pub(crate) path: String,
    key_span: Range<usize>,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Table<'a> {
    /// The whole document.
    pub(crate) fn root(table: &'a Spanned<DeTable<'a>>) -> Self {
        Self::new(table.get_ref(), 0..0, String::new())
    }

    fn new(table: &'a DeTable<'a>, span: Range<usize>, path: String) -> Self {
        let entry = |(key, value): (&'a Spanned<_>, _)| {
            let name: &'a std::borrow::Cow<'a, str> = key.get_ref();
            let dot = if path.is_empty() { "" } else { "." };
            Entry { key: name, path: format!("{path}{dot}{name}"), key_span: key.span(), value }
        };
        let mut entries: Vec<Entry<'a>> = table.iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.key_span.start);
        Self { entries, span, path }
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
        let problem = Problem::at(entry.key_span.clone(), reason);
        Err(problem.cure(meant(entry.key, known)))
    }

    /// Its path, such as `contact[1]`.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    fn name(&self) -> String {
        match self.path.split_once('[') {
            _ if self.path.is_empty() => "the scene".into(),
            Some((list, _)) => format!("[[{list}]]"),
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
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        Problem::at(self.value.span(), format!("`{}` is {found}; it must be {expected}", self.key))
    }

    pub(crate) fn span(&self) -> Range<usize> {
        self.value.span()
    }

    pub(crate) fn text(&self, what: &str) -> Result<&'a str, Problem> {
        self.value.get_ref().as_str().ok_or_else(|| self.wrong(what))
    }

    /// A number, or an expression in parameters.
    pub(crate) fn scalar(&self) -> Result<Scalar, Problem> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(Scalar::Expression(text.to_string())),
            _ => self.number("a number, or a string with an expression").map(Scalar::Number),
        }
    }

    fn number(&self, what: &str) -> Result<f64, Problem> {
        let unreadable = || {
            let problem = Problem::at(self.value.span(), "this number cannot be read");
            problem.cure("write large numbers with an exponent, e.g. 1e20")
        };
        match self.value.get_ref() {
            DeValue::Float(x) => x.as_str().parse().map_err(|_| unreadable()),
            DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix())
                .map(|n| n as f64)
                .map_err(|_| unreadable()),
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
        Err(Problem::at(
            self.value.span(),
            format!("`{}` is {number}; it must be {what}", self.key),
        ))
    }

    pub(crate) fn truth(&self) -> Result<bool, Problem> {
        self.value.get_ref().as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    /// One of several words.
    pub(crate) fn choice(&self, known: &[&'static str]) -> Result<&'static str, Problem> {
        let found = self.text("a word in quotes")?;
        known.iter().copied().find(|k| *k == found).ok_or_else(|| {
            let reason = format!("`{found}` is not a choice for `{}`", self.key);
            Problem::at(self.value.span(), reason).cure(meant(found, known))
        })
    }

    pub(crate) fn table(&self, example: &str) -> Result<Table<'a>, Problem> {
        let what = format!("a table, e.g. {example}");
        let table = self.value.get_ref().as_table().ok_or_else(|| self.wrong(&what))?;
        Ok(Table::new(table, self.key_span.clone(), self.path.clone()))
    }

    /// The tables of `[[key]]`.
    pub(crate) fn tables(&self) -> Result<Vec<Table<'a>>, Problem> {
        let what = format!("a list of tables, each under [[{}]]", self.key);
        let array = self.value.get_ref().as_array().ok_or_else(|| self.wrong(&what))?;
        let table = |(i, value): (usize, &'a Spanned<DeValue<'a>>)| {
            let table = value.get_ref().as_table().ok_or_else(|| self.wrong(&what))?;
            Ok(Table::new(table, value.span(), format!("{}[{i}]", self.path)))
        };
        array.iter().enumerate().map(table).collect()
    }

    /// The items of a list, each under the key and the path of the list.
    pub(crate) fn items(&self, what: &str) -> Result<Vec<Entry<'a>>, Problem> {
        let array = self.value.get_ref().as_array().ok_or_else(|| self.wrong(what))?;
        Ok(array.iter().map(|value| Entry { value, ..self.clone() }).collect())
    }

    /// Whether it is a table or a string, to those who take several kinds of values.
    pub(crate) fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    pub(crate) fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }

    /// A list of strings with their places.
    pub(crate) fn texts(&self) -> Result<Vec<(&'a str, Range<usize>)>, Problem> {
        let what = "a list of names, e.g. [\"y\"]";
        let array = self.value.get_ref().as_array().ok_or_else(|| self.wrong(what))?;
        let text = |value: &'a Spanned<DeValue<'a>>| {
            let text = value.get_ref().as_str().ok_or_else(|| self.wrong(what))?;
            Ok((text, value.span()))
        };
        array.iter().map(text).collect()
    }
}

/// Where everything in a document stands.
pub(crate) fn places(source: &str, root: &Table<'_>) -> Places {
    let mut places = Places::default();
    let mut open = vec![root.clone()];
    // The reader of TOML bounds how deep tables can be nested.
    while let Some(table) = open.pop() {
        for entry in &table.entries {
            let value = entry.value.span();
            let text = entry.value.get_ref().as_str();
            let place = Place {
                key: entry.key_span.clone(),
                text: text.and_then(|text| text_start(source, value.clone(), text)),
                value,
            };
            places.0.insert(entry.path.clone(), place);
            open.extend(entry.table(""));
            for inner in entry.tables().into_iter().flatten() {
                let (key, value) = (inner.span.clone(), inner.span.clone());
                places.0.insert(inner.path.clone(), Place { key, value, text: None });
                open.push(inner);
            }
        }
    }
    places
}

/// Where the text of a string begins in the file, if it stands there letter by letter.
fn text_start(source: &str, span: Range<usize>, text: &str) -> Option<usize> {
    let raw = source.get(span.clone())?;
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|q| raw.starts_with(q))?;
    let inner = raw.strip_prefix(quote)?.strip_suffix(quote)?;
    let line_end = match quote.len() {
        3 if inner.starts_with("\r\n") => 2,
        3 if inner.starts_with('\n') => 1,
        _ => 0,
    };
    (&inner[line_end..] == text).then_some(span.start + quote.len() + line_end)
}
