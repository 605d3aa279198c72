//! Indices put into texts: `{i+1}` becomes a number in every text, and `i` itself in expressions.

use std::ops::Range;

/// A text, what it is as an expression, and where its letters stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    /// With numbers for braces.
    pub(crate) plain: String,
    /// With numbers for indices too, where that differs.
    expression: Option<Written>,
    /// The first byte in the file, unless escapes shift the letters.
    start: Option<usize>,
}

/// A text whose parts stand for parts of another.
#[derive(Clone, Debug, Default)]
struct Written {
    text: String,
    /// Where each part begins here, the bytes that it stands for, and whether it is the same letters.
    parts: Vec<(usize, Range<usize>, bool)>,
}

impl Written {
    fn keep(&mut self, from: &str, bytes: Range<usize>) {
        if !bytes.is_empty() {
            self.parts.push((self.text.len(), bytes.clone(), true));
            self.text.push_str(&from[bytes]);
        }
    }

    fn replace(&mut self, bytes: Range<usize>, by: &str) {
        self.parts.push((self.text.len(), bytes, false));
        self.text.push_str(by);
    }

    /// The bytes that a span of this text stands for.
    fn original(&self, span: &Range<usize>) -> Range<usize> {
        let last = span.end.max(span.start + 1) - 1;
        let part = |at: usize| {
            let k = self.parts.partition_point(|(start, ..)| *start <= at);
            self.parts.get(k.checked_sub(1)?)
        };
        let start = part(span.start).map_or(0, |(here, there, same)| {
            if *same { (there.start + span.start - here).min(there.end) } else { there.start }
        });
        let end = part(last).map_or(start, |(here, there, same)| {
            if *same { (there.start + last + 1 - here).min(there.end) } else { there.end }
        });
        start..end.max(start)
    }
}

/// An index and its value.
pub(crate) type Index = (String, i64);

impl Text {
    pub(crate) fn new(text: &str, start: Option<usize>) -> Self {
        Self { plain: text.to_owned(), expression: None, start }
    }

    /// The text as an expression.
    pub(crate) fn expression(&self) -> &str {
        self.expression.as_ref().map_or(&self.plain, |written| &written.text)
    }

    /// The bytes of the file that some bytes of the expression stand for, if that can be said.
    pub(crate) fn bytes(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let span = match &self.expression {
            Some(written) => written.original(span),
            None => span.clone(),
        };
        self.start.map(|start| start + span.start..start + span.end)
    }

    /// The same with numbers for indices. `value` evaluates what stands in braces; braces for which it has none stay, for they may
    /// hold the index of a sum.
    pub(crate) fn with_indices(
        &self,
        indices: &[Index],
        value: &dyn Fn(&str) -> Option<f64>,
    ) -> Self {
        // Every text is made from what stands in the file, so that places are not shifted twice.
        let source = &self.plain;
        let (mut plain, mut expression) = (Written::default(), Written::default());
        let mut at = 0;
        while at < source.len() {
            let rest = &source[at..];
            let open = rest.find('{').map_or(source.len(), |k| at + k);
            plain.keep(source, at..open);
            bind_names(source, at..open, indices, &mut expression);
            let Some(close) = source[open..].find('}').map(|k| open + k + 1) else {
                plain.keep(source, open..source.len());
                expression.keep(source, open..source.len());
                break;
            };
            let mut inner = Written::default();
            bind_names(source, open + 1..close - 1, indices, &mut inner);
            match value(&inner.text).filter(|x| x.fract() == 0.0 && x.abs() < 1e15) {
                Some(x) => {
                    plain.replace(open..close, &format!("{x}"));
                    expression.replace(open..close, &format!("{x}"));
                }
                None => {
                    plain.keep(source, open..close);
                    expression.keep(source, open..open + 1);
                    bind_names(source, open + 1..close - 1, indices, &mut expression);
                    expression.keep(source, close - 1..close);
                }
            }
            at = close;
        }
        Self { plain: plain.text, expression: Some(expression), start: self.start }
    }
}

/// Copies a part of an expression with numbers for the names of indices.
fn bind_names(source: &str, bytes: Range<usize>, indices: &[Index], out: &mut Written) {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut kept = bytes.start;
    let mut at = bytes.start;
    while let Some(c) = source[at..bytes.end].chars().next() {
        if !letter(c) {
            at += c.len_utf8();
            continue;
        }
        let word = &source[at..bytes.end];
        let end = at + word.find(|c: char| !letter(c)).unwrap_or(word.len());
        // A part of a longer name, or of a number such as 1e5, is none.
        let before = source[..at].chars().next_back();
        let alone = !before.is_some_and(|c| letter(c) || c == '.' || c == '}')
            && !source[end..].starts_with(['{', '.']);
        let index = indices.iter().rev().find(|(name, _)| *name == source[at..end]);
        if let (Some((_, k)), true) = (index, alone) {
            out.keep(source, kept..at);
            out.replace(at..end, &if *k < 0 { format!("({k})") } else { k.to_string() });
            kept = end;
        }
        at = end;
    }
    out.keep(source, kept..bytes.end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Option<f64> {
        let sum: Option<Vec<f64>> = text.split('+').map(|x| x.trim().parse().ok()).collect();
        sum.map(|x| x.into_iter().sum())
    }

    #[test]
    fn indices_become_numbers_in_names_and_in_expressions() {
        let text = Text::new("x{i+1} - x{i} + i*d_i - sum(j, 0, i, y{j}*i2)", Some(100));
        let indices = [("i".to_owned(), 2)];
        let found = text.with_indices(&indices, &whole);
        assert_eq!(found.expression(), "x3 - x2 + 2*d_i - sum(j, 0, 2, y{j}*i2)");
        assert_eq!(found.plain, "x3 - x2 + i*d_i - sum(j, 0, i, y{j}*i2)");
        // `d_i` stands 18 bytes behind the beginning in the file.
        let at = found.expression().find("d_i").unwrap();
        assert_eq!(found.bytes(&(at..at + 3)), Some(118..121));
        assert_eq!(found.bytes(&(0..2)), Some(100..106));
        assert_eq!(found.bytes(&(at..found.expression().len())), Some(118..145));
    }

    #[test]
    fn negative_indices_are_put_in_parentheses() {
        let found = Text::new("2-i^2", Some(0)).with_indices(&[("i".to_owned(), -3)], &whole);
        assert_eq!(found.expression(), "2-(-3)^2");
    }
}
