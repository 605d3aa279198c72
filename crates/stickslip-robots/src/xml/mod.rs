//! XML as a tree of elements that know their places, from text of any origin.

pub(crate) mod schema;
mod values;

use crate::error::{Error, Place, Problem};
use roxmltree::{Document, Node, ParsingOptions};
use std::sync::Arc;

/// The deepest nesting that is read. Chains of bodies nest once per body.
pub(crate) const DEEPEST: usize = 256;

/// The most attributes of one element; formats have fewer than a hundred.
const MOST_ATTRIBUTES: usize = 256;

/// The most elements of one file.
const MOST_ELEMENTS: u32 = 500_000;

/// An element with its attributes and the elements inside of it.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) children: Vec<Element>,
    /// The text right inside of it, without space around it.
    pub(crate) text: String,
}

/// An attribute.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) place: Place,
}

/// Reads a file. Entities of its own are refused, so that nothing expands.
pub(crate) fn parse(bytes: &[u8], file: &str) -> Result<Element, Error> {
    let whole = Place::whole(file);
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let before = &bytes[..e.valid_up_to()];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        Place::text(&whole.file, line, column).error(Problem::NotText)
    })?;
    check_size(text, &whole)?;
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: MOST_ELEMENTS, ..Default::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|e| malformed(&e, &whole))?;
    let mut cursor = Cursor { text, at: 0, line: 1, column: 1, file: whole.file };
    Ok(convert(document.root_element(), &mut cursor))
}

/// Refuses nesting and numbers of attributes beyond what a model needs, before anything is built from them.
fn check_size(text: &str, whole: &Place) -> Result<(), Error> {
    let (mut depth, mut rest, mut at) = (0_usize, text, 0);
    while let Some(found) = rest.find('<') {
        let tag = &rest[found..];
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        let end = match skipped.iter().find(|(begin, _)| tag.starts_with(begin)) {
            Some((_, end)) => tag.find(end).map(|n| n + end.len()),
            None => tag_end(tag),
        };
        let Some(end) = end else { return Ok(()) };
        if tag.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !tag.starts_with("<!") && !tag.starts_with("<?") && !tag[..end].ends_with("/>") {
            depth += 1;
        }
        let crowded = tag[..end].bytes().filter(|b| *b == b'=').count() > MOST_ATTRIBUTES
            && attributes(&tag[..end]) > MOST_ATTRIBUTES;
        if crowded || depth > DEEPEST {
            let mut cursor = Cursor { text, at: 0, line: 1, column: 1, file: whole.file.clone() };
            let place = cursor.place(at + found);
            return Err(place.error(match crowded {
                true => Problem::TooManyAttributes { limit: MOST_ATTRIBUTES },
                false => Problem::TooDeep { limit: DEEPEST },
            }));
        }
        at += found + end;
        rest = &text[at..];
    }
    Ok(())
}

/// The equal signs of a tag outside of quotes.
fn attributes(tag: &str) -> usize {
    let (mut quote, mut count) = (None, 0);
    for byte in tag.bytes() {
        match (quote, byte) {
            (None, b'=') => count += 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    count
}

/// The end of a tag, beyond any `>` inside of quotes.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn malformed(error: &roxmltree::Error, whole: &Place) -> Error {
    use roxmltree::Error as Xml;
    match error {
        Xml::NodesLimitReached | Xml::AttributesLimitReached => {
            whole.error(Problem::TooMany { limit: MOST_ELEMENTS as usize })
        }
        Xml::DtdDetected => {
            let text = "it has a document type (<!DOCTYPE …>), which models do not need; remove it";
            whole.error(Problem::Xml(text.to_owned()))
        }
        Xml::NoRootNode | Xml::UnclosedRootNode => whole.error(Problem::Xml(error.to_string())),
        _ => {
            let at = error.pos();
            let place = Place::text(&whole.file, at.row as usize, at.col as usize);
            // The position is part of the library's sentence too; ours stands in front.
            let text = error.to_string().replace(&format!(" at {at}"), "");
            place.error(Problem::Xml(text))
        }
    }
}

/// Elements in the order of the document; the depth is bounded by `check_size`.
fn convert(node: Node<'_, '_>, cursor: &mut Cursor<'_>) -> Element {
    let place = cursor.place(node.range().start);
    let mut attributes = Vec::with_capacity(node.attributes().len());
    for attribute in node.attributes() {
        let place = cursor.place(attribute.range().start);
        let prefix = attribute.namespace().and_then(|uri| node.lookup_prefix(uri));
        let name = qualified(prefix, attribute.name());
        attributes.push(Attribute { name, value: attribute.value().to_owned(), place });
    }
    let text: String =
        node.children().filter(Node::is_text).filter_map(|child| child.text()).collect();
    let children =
        node.children().filter(Node::is_element).map(|child| convert(child, cursor)).collect();
    let tag = node.tag_name();
    let prefix = tag.namespace().and_then(|uri| node.lookup_prefix(uri));
    let name = qualified(prefix, tag.name());
    Element { name, place, attributes, children, text: text.trim().to_owned() }
}

fn qualified(prefix: Option<&str>, name: &str) -> String {
    match prefix {
        Some(prefix) if !prefix.is_empty() => format!("{prefix}:{name}"),
        _ => name.to_owned(),
    }
}

/// Lines and columns of ascending positions, in one pass over the text.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    column: usize,
    file: Arc<str>,
}

impl Cursor<'_> {
    fn place(&mut self, to: usize) -> Place {
        for c in self.text.get(self.at..to).unwrap_or_default().chars() {
            (self.line, self.column) =
                if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.at = self.at.max(to);
        Place::text(&self.file, self.line, self.column)
    }
}

impl Element {
    pub(crate) fn error(&self, problem: Problem) -> Error {
        self.place.error(problem)
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    pub(crate) fn children_named<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = &'a Element> + 'a {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The one element of a name, if it is there; two are an error.
    pub(crate) fn child(&self, name: &str) -> Result<Option<&Element>, Error> {
        let mut found = self.children.iter().filter(|child| child.name == name);
        let first = found.next();
        match found.next() {
            None => Ok(first),
            Some(second) => Err(second
                .error(Problem::Repeated { element: name.to_owned(), parent: self.name.clone() })),
        }
    }

    pub(crate) fn required_child(&self, name: &'static str) -> Result<&Element, Error> {
        self.child(name)?.ok_or_else(|| {
            self.error(Problem::MissingElement { element: name, parent: self.name.clone() })
        })
    }

    /// How many elements are inside of it, at any depth.
    pub(crate) fn count_inside(&self) -> usize {
        self.children.iter().map(|child| 1 + child.count_inside()).sum()
    }
}
