//! Scene files as a tree of values of its own, in which every value knows the file and the bytes where it stands.

use crate::substitute::Text;
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file that belongs to a scene.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Some bytes of one of the files, and for a repeated entry the indices that it was made with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Site {
    pub(crate) file: usize,
    pub(crate) bytes: Range<usize>,
    pub(crate) note: Option<Arc<str>>,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) site: Site,
}

/// A value of TOML.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(Text),
    /// None if it is too large to be read.
    Number(Option<f64>),
    Truth(bool),
    Date,
    List(Vec<Node>),
    Table(Vec<Field>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) key: String,
    pub(crate) key_site: Site,
    pub(crate) node: Node,
}

impl Node {
    /// The keys of a table, in the order of the file.
    pub(crate) fn fields(&self) -> Option<&[Field]> {
        match &self.value {
            Value::Table(fields) => Some(fields),
            _ => None,
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Field> {
        self.fields()?.iter().find(|field| field.key == key)
    }
}

/// The tree of a table of TOML. How deep tables are nested is bounded by the reader of TOML.
pub(crate) fn tree(table: &DeTable<'_>, file: usize, source: &str) -> Vec<Field> {
    let site = |bytes| Site { file, bytes, note: None };
    let field = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name: &std::borrow::Cow<'_, str> = key.get_ref();
        Field {
            key: name.clone().into_owned(),
            key_site: site(key.span()),
            node: node(value, file, source),
        }
    };
    let mut fields: Vec<Field> = table.iter().map(field).collect();
    fields.sort_by_key(|field| field.key_site.bytes.start);
    fields
}

fn node(value: &Spanned<DeValue<'_>>, file: usize, source: &str) -> Node {
    let bytes = value.span();
    let value = match value.get_ref() {
        DeValue::String(text) => {
            Value::Text(Text::new(text, text_start(source, bytes.clone(), text)))
        }
        DeValue::Float(x) => Value::Number(x.as_str().parse().ok()),
        DeValue::Integer(n) => {
            let whole = i64::from_str_radix(n.as_str(), n.radix());
            Value::Number(whole.ok().map(|n| n as f64))
        }
        DeValue::Boolean(x) => Value::Truth(*x),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(list) => Value::List(list.iter().map(|v| node(v, file, source)).collect()),
        DeValue::Table(table) => Value::Table(tree(table, file, source)),
    };
    Node { value, site: Site { file, bytes, note: None } }
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
