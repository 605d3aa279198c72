//! From text to tokens.

use super::error::Fault;
use std::ops::Range;

/// The longest text of one expression, in bytes.
pub(super) const LONGEST: usize = 64 * 1024;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name,
    /// One of `+ - * / ^ ( ) ,`.
    Sign(char),
    Compare(Comparison),
    End,
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Below,
    NotAbove,
    Above,
    NotBelow,
    Equal,
    Unequal,
}

/// The comparison at the beginning of a text, and its length.
fn comparison(text: &str) -> Option<(Comparison, usize)> {
    // The longer ones first.
    let all = [
        ("<=", Comparison::NotAbove),
        (">=", Comparison::NotBelow),
        ("==", Comparison::Equal),
        ("!=", Comparison::Unequal),
        ("<", Comparison::Below),
        (">", Comparison::Above),
    ];
    let found = all.into_iter().find(|(sign, _)| text.starts_with(sign))?;
    Some((found.1, found.0.len()))
}

/// The tokens of a text with their places; the last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, Fault> {
    if text.len() > LONGEST {
        let reason = format!("the expression has {} bytes; {LONGEST} is the most", text.len());
        return Err(Fault::new(0..0, reason).cure("split it with the help of [definitions]"));
    }
    let mut tokens = vec![];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        at += c.len_utf8();
        let token = match c {
            _ if c.is_whitespace() => continue,
            '0'..='9' | '.' => {
                at = start + number_length(&text.as_bytes()[start..]);
                number(text, start..at)?
            }
            _ if starts_name(c) => {
                at = start + name_length(&text[start..]);
                Token::Name
            }
            '*' if text[at..].starts_with('*') => {
                let fault = Fault::new(start..at + 1, "`**` is not an operator");
                return Err(fault.cure("a power is written `^`"));
            }
            '+' | '-' | '*' | '/' | '^' | '(' | ')' | ',' => Token::Sign(c),
            _ => match comparison(&text[start..]) {
                Some((found, length)) => {
                    at = start + length;
                    Token::Compare(found)
                }
                None => return Err(stray(c, start..at)),
            },
        };
        tokens.push((token, start..at));
    }
    tokens.push((Token::End, text.len()..text.len()));
    Ok(tokens)
}

/// Whether a text can be the name of a coordinate, a parameter or a definition.
pub(super) fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(starts_name) && name_length(text) == text.len()
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// A point joins words to one name, as in `box.x`.
fn name_length(text: &str) -> usize {
    let mut end = 0;
    loop {
        let word = |c: char| !(c.is_alphanumeric() || c == '_');
        end += text[end..].find(word).unwrap_or(text.len() - end);
        match text[end..].strip_prefix('.') {
            Some(rest) if rest.starts_with(starts_name) => end += 1,
            _ => return end,
        }
    }
}

/// Digits and points, then an exponent if a digit follows.
fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize, point: bool| {
        let part = |b: &&u8| b.is_ascii_digit() || (point && **b == b'.');
        from + bytes[from.min(bytes.len())..].iter().take_while(part).count()
    };
    let mantissa = digits(0, true);
    if !matches!(bytes.get(mantissa), Some(b'e' | b'E')) {
        return mantissa;
    }
    let signed = matches!(bytes.get(mantissa + 1), Some(b'+' | b'-'));
    let exponent = mantissa + 1 + usize::from(signed);
    let end = digits(exponent, false);
    if end > exponent { end } else { mantissa }
}

fn number(text: &str, span: Range<usize>) -> Result<Token, Fault> {
    let digits = &text[span.clone()];
    match digits.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(Token::Number(x)),
        Ok(_) => Err(Fault::new(span, format!("the number `{digits}` is too large"))),
        Err(_) => Err(Fault::new(span, format!("`{digits}` is not a number"))),
    }
}

fn stray(c: char, span: Range<usize>) -> Fault {
    let cure = match c {
        '[' | '{' | ']' | '}' => "group with `(` and `)`",
        '=' => "equality is written `==`",
        '!' => "negation is written `not`",
        '&' => "conditions are joined by `and`",
        '|' => "conditions are joined by `or`",
        '≤' => "it is written `<=`",
        '≥' => "it is written `>=`",
        '·' | '×' | '⋅' => "a product is written `*`",
        '−' | '–' => "minus is written `-`",
        '\'' => "a derivative with respect to time is written `rate(...)`",
        ';' => "arguments are separated by `,`",
        _ => "an expression has numbers, names, + - * / ^ , comparisons and parentheses",
    };
    Fault::new(span, format!("`{c}` has no meaning here")).cure(cure)
}
