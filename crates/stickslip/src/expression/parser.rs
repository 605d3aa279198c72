//! From tokens to nodes, by recursive descent; conditions and calls are in files of their own:
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = sign { ("*" | "/") sign }
//! sign    = ("-" | "+") sign | power
//! power   = atom [ "^" sign ]                      so that -x^2 is -(x^2) and 2^3^2 is 2^9
//! atom    = number | name | name "(" condition { "," condition } ")" | "(" condition ")"
//! ```

use super::arena::{Arena, Id, depends};
use super::conditions::WORDS;
use super::error::Fault;
use super::lexer::{Token, tokens};
use super::names::{Allow, Kind, Names};
use super::ops::{Binary, function};
use super::units::{Dim, Dimension};
use std::borrow::Cow;
use std::ops::Range;

/// How deep parentheses, signs and powers may be nested.
const DEEPEST: usize = 200;

/// The largest number in a name such as `x{i}`.
const LARGEST_INDEX: f64 = 1e9;

/// A node and what is known of its dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) id: Id,
    pub(super) dim: Dim,
}

impl Term {
    /// A number as it is written.
    pub(super) fn number(id: Id) -> Self {
        Self { id, dim: Dim::Number }
    }
}

/// Reads an expression. What is not finite although it depends on nothing is refused.
pub(super) fn parse(
    text: &str,
    names: &Names,
    allow: Allow,
    arena: &mut Arena,
) -> Result<Term, Fault> {
    parse_with(text, (names, allow), arena, Inside::default())
}

/// Where an expression stands inside of others.
#[derive(Clone, Debug, Default)]
pub(super) struct Inside {
    /// Indices of sums and arguments of functions, the innermost last.
    pub(super) locals: Vec<(String, Term)>,
    /// The functions whose bodies are being read, the innermost last.
    pub(super) calls: Vec<String>,
    /// How deep it is nested.
    pub(super) depth: usize,
}

/// The same inside of other expressions.
pub(super) fn parse_with(
    text: &str,
    (names, allow): (&Names, Allow),
    arena: &mut Arena,
    inside: Inside,
) -> Result<Term, Fault> {
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens, next: 0, names, allow, arena, inside };
    if parser.peek() == Token::End {
        return Err(Fault::new(0..text.len(), "the expression is empty").cure("write `0` for zero"));
    }
    let term = parser.condition()?;
    match parser.peek() {
        Token::End if !parser.arena.is_full() => Ok(term),
        Token::End => Err(Fault::new(0..text.len(), "the expressions are too large together")),
        _ => Err(parser.unexpected("an operator")),
    }
}

/// What to write where a name behind a number reads as its unit; none if it is no unit.
fn unit_of_a_number(name: &str) -> Option<String> {
    match Dimension::of_unit(name) {
        Ok(_) => Some("numbers are in SI units and stand without them: leave it out".into()),
        Err(error) if error.reason.starts_with("unknown unit") => None,
        Err(_) => Some(format!(
            "numbers are in SI units and stand without them: convert it, and leave `{name}` out"
        )),
    }
}

/// The names that occur in a text, with their places; one with an index as it is written, `x{i+1}`.
pub(super) fn names_in(text: &str) -> Result<Vec<(&str, Range<usize>)>, Fault> {
    let tokens = tokens(text)?.into_iter().filter(|(token, _)| *token == Token::Name);
    Ok(tokens.map(|(_, span)| (&text[span.clone()], span)).collect())
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    tokens: Vec<(Token, Range<usize>)>,
    pub(super) next: usize,
    pub(super) names: &'a Names,
    pub(super) allow: Allow,
    pub(super) arena: &'a mut Arena,
    pub(super) inside: Inside,
}

impl Parser<'_> {
    pub(super) fn sum(&mut self) -> Result<Term, Fault> {
        let start = self.start();
        let mut left = self.product()?;
        while let Token::Sign(c @ ('+' | '-')) = self.peek() {
            self.next += 1;
            let right = self.product()?;
            let op = if c == '+' { Binary::Add } else { Binary::Sub };
            let verb = if c == '+' { "added" } else { "subtracted" };
            let dim = self.joined(start, verb, left, right)?;
            left = self.checked(start, dim, |arena| arena.binary(op, left.id, right.id))?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Term, Fault> {
        let start = self.start();
        let mut left = self.sign()?;
        while let Token::Sign(c @ ('*' | '/')) = self.peek() {
            self.next += 1;
            let divisor = self.start();
            let right = self.sign()?;
            if c == '/' && right.id == Arena::ZERO {
                let span = divisor..self.end();
                return Err(Fault::new(span, "division by zero"));
            }
            let (op, dim) = match c {
                '*' => (Binary::Mul, left.dim.times(right.dim)),
                _ => (Binary::Div, left.dim.over(right.dim)),
            };
            left = self.checked(start, dim, |arena| arena.binary(op, left.id, right.id))?;
        }
        Ok(left)
    }

    fn sign(&mut self) -> Result<Term, Fault> {
        let Token::Sign(c @ ('-' | '+')) = self.peek() else { return self.power() };
        self.next += 1;
        let inner = self.deeper(Self::sign)?;
        let id = if c == '-' { self.arena.neg(inner.id) } else { inner.id };
        Ok(Term { id, ..inner })
    }

    fn power(&mut self) -> Result<Term, Fault> {
        let start = self.start();
        let base = self.atom()?;
        if self.peek() != Token::Sign('^') {
            return Ok(base);
        }
        self.next += 1;
        let from = self.start();
        let exponent = self.deeper(Self::sign)?;
        self.pure(from, "an exponent", exponent)?;
        let dim = base.dim.power(self.arena.number(exponent.id));
        self.checked(start, dim, |arena| arena.binary(Binary::Pow, base.id, exponent.id))
    }

    fn atom(&mut self) -> Result<Term, Fault> {
        match self.peek() {
            Token::Number(x) => {
                self.next += 1;
                Ok(Term::number(self.arena.constant(x)))
            }
            Token::Name => {
                let span = self.span();
                self.next += 1;
                if self.peek() == Token::Sign('(') { self.call(span) } else { self.name(span) }
            }
            Token::Sign('(') => {
                let open = self.span();
                self.next += 1;
                let inner = self.deeper(Self::condition)?;
                self.close(open)?;
                Ok(inner)
            }
            _ => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    fn name(&mut self, span: Range<usize>) -> Result<Term, Fault> {
        let text = self.text;
        let name = self.resolved(&text[span.clone()], span.start)?;
        if let Some((_, term)) = self.inside.locals.iter().rev().find(|(local, _)| *local == name) {
            return match self.arena.depends(term.id) & !self.allow.mask() {
                0 => Ok(*term),
                _ => Err(Fault::new(
                    span,
                    format!(
                        "`{name}` depends on more than is allowed here; {}",
                        self.allow.sentence()
                    ),
                )),
            };
        }
        let Some((kind, term)) = self.names.get(&name) else {
            return Err(self.unknown(&name, span));
        };
        let allowed = self.allow != Allow::Constants || !matches!(kind, Kind::Definition);
        match term {
            Some(term) if allowed && self.arena.depends(term.id) & !self.allow.mask() == 0 => {
                Ok(term)
            }
            Some(term) if allowed && kind == Kind::Definition => {
                let on = if self.arena.depends(term.id) & depends::VELOCITIES != 0 {
                    "velocities"
                } else {
                    "the configuration"
                };
                let reason = format!("`{name}` depends on {on}; {}", self.allow.sentence());
                Err(Fault::new(span, reason))
            }
            _ if kind.is_called() => {
                let fault = Fault::new(span, format!("`{name}` is {}", kind.noun()));
                Err(fault.cure(format!("write `{name}(...)`")))
            }
            _ => {
                let reason = format!("`{name}` is {}; {}", kind.noun(), self.allow.sentence());
                Err(Fault::new(span, reason))
            }
        }
    }

    /// A name with the numbers in braces put in: `x{i+1}` is `x3` where i is 2.
    pub(super) fn resolved<'t>(
        &mut self,
        written: &'t str,
        start: usize,
    ) -> Result<Cow<'t, str>, Fault> {
        if !written.contains('{') {
            return Ok(Cow::Borrowed(written));
        }
        let (mut name, mut at) = (String::new(), 0);
        while let Some(open) = written[at..].find('{').map(|k| at + k) {
            let Some(close) = written[open..].find('}').map(|k| open + k) else { break };
            name.push_str(&written[at..open]);
            let inner = &written[open + 1..close];
            let inside = Inside { depth: self.inside.depth + 1, ..self.inside.clone() };
            self.refuse_depth()?;
            let parsed = parse_with(inner, (self.names, Allow::Constants), self.arena, inside);
            let term = parsed.map_err(|fault| fault.shifted(start + open + 1))?;
            let whole = self.arena.number(term.id).filter(|x| x.fract() == 0.0);
            match whole.filter(|x| (0.0..=LARGEST_INDEX).contains(x)) {
                Some(x) => name.push_str(&format!("{x}")),
                None => {
                    let value = self.arena.number(term.id).unwrap_or(f64::NAN);
                    let span = start + open..start + close + 1;
                    let reason = format!("the index `{{{inner}}}` is {value}");
                    return Err(Fault::new(span, reason)
                        .cure("an index in a name is a whole number, and not negative"));
                }
            }
            at = close + 1;
        }
        name.push_str(&written[at..]);
        Ok(Cow::Owned(name))
    }

    /// The dimension of what is made of two terms of the same dimension.
    pub(super) fn joined(&self, start: usize, verb: &str, a: Term, b: Term) -> Result<Dim, Fault> {
        a.dim.joined(b.dim).map_err(|(first, second)| {
            let reason = format!(
                "quantities of different units cannot be {verb}: the first is in {first}, the second in {second}"
            );
            Fault::new(start..self.end(), reason).cure("check the units of the names in it")
        })
    }

    /// Refuses what is no pure number or angle.
    pub(super) fn pure(&self, start: usize, what: &str, term: Term) -> Result<Dim, Fault> {
        match term.dim {
            Dim::Known(found) if !found.is(Dimension::NONE) => {
                let reason = format!("{what} is in {found}; it must be a pure number or an angle");
                Err(Fault::new(start..self.end(), reason)
                    .cure("check the units of the names in it"))
            }
            Dim::Number => Ok(Dim::Number),
            _ => Ok(self.names.pure()),
        }
    }

    /// Makes a node, and refuses a constant that is not finite.
    pub(super) fn checked(
        &mut self,
        start: usize,
        dim: Dim,
        make: impl FnOnce(&mut Arena) -> Id,
    ) -> Result<Term, Fault> {
        let id = make(self.arena);
        let span = start..self.end();
        match self.arena.number(id) {
            Some(x) if x.is_nan() => {
                Err(Fault::new(span, "this is not a number").cure(self.domain()))
            }
            Some(x) if x.is_infinite() => Err(Fault::new(span, "this is infinite")),
            _ => Ok(Term { id, dim }),
        }
    }

    fn domain(&self) -> &'static str {
        "check the arguments of roots, logarithms, powers, inverse functions and tables"
    }

    pub(super) fn deeper(
        &mut self,
        inner: fn(&mut Self) -> Result<Term, Fault>,
    ) -> Result<Term, Fault> {
        self.refuse_depth()?;
        self.inside.depth += 1;
        let result = inner(self);
        self.inside.depth -= 1;
        result
    }

    pub(super) fn refuse_depth(&self) -> Result<(), Fault> {
        if self.inside.depth < DEEPEST {
            return Ok(());
        }
        let reason = format!("nested more than {DEEPEST} deep");
        Err(Fault::new(self.span(), reason).cure("use [definitions] for the parts"))
    }

    pub(super) fn close(&mut self, open: Range<usize>) -> Result<(), Fault> {
        if self.peek() == Token::Sign(')') {
            self.next += 1;
            return Ok(());
        }
        if self.peek() == Token::End {
            return Err(Fault::new(open, "expected `)`: this `(` is never closed"));
        }
        Err(self.unexpected("`)`"))
    }

    pub(super) fn unknown(&self, name: &str, span: Range<usize>) -> Fault {
        if function(name).is_some() {
            let fault = Fault::new(span, format!("`{name}` is a function"));
            return fault.cure(format!("write `{name}(...)`"));
        }
        if WORDS.contains(&name) {
            let fault =
                Fault::new(span, format!("`{name}` joins conditions, and none stands here"));
            return fault.cure("put conditions into parentheses, e.g. `2*(x > 0 and y > 0)`");
        }
        let fault = Fault::new(span, format!("unknown name `{name}`"));
        match name {
            "ln" => fault.cure("the natural logarithm is `log`"),
            "sgn" => fault.cure("did you mean `sign`?"),
            "pow" => fault.cure("a power is written `^`"),
            _ => match self.names.nearest(name) {
                Some(near) => fault.cure(format!("did you mean `{near}`?")),
                None if name.starts_with("force.") => fault.cure(
                    "in [[output]] and [[plot]] there are `force.CONTACT.normal` and `force.CONTACT.tangential`",
                ),
                None if name.contains('.') => fault.cure(
                    "names with a point are those of bodies, e.g. `block.x`, `block.vx`, `block.wz`, where an expression may depend on the state",
                ),
                None => fault.cure("declare it under [parameters], [coordinates] or [definitions]"),
            },
        }
    }

    /// A number with its unit, or with a comma, where an operator is expected.
    fn mistaken_number(&self) -> Option<Fault> {
        let (Token::Number(_), number) = self.tokens.get(self.next.checked_sub(1)?)? else {
            return None;
        };
        let (span, after) = (self.span(), self.tokens.get(self.next + 1));
        let found = &self.text[span.clone()];
        match (self.peek(), after) {
            (Token::Name, _) if self.names.get(found).is_none() => {
                let cure = unit_of_a_number(found)?;
                Some(Fault::new(span, format!("`{found}` stands behind a number")).cure(cure))
            }
            (Token::Sign(','), Some((Token::Number(_), rest)))
                if number.end == span.start && span.end == rest.start =>
            {
                let (whole, part) = (&self.text[number.clone()], &self.text[rest.clone()]);
                let cure = format!("decimals are written with a point: {whole}.{part}");
                Some(Fault::new(number.start..rest.end, "a comma stands in a number").cure(cure))
            }
            _ => None,
        }
    }

    pub(super) fn unexpected(&self, expected: &str) -> Fault {
        if let Some(fault) = self.mistaken_number().filter(|_| expected == "an operator") {
            return fault;
        }
        let span = self.span();
        let found = &self.text[span.clone()];
        let fault = match self.peek() {
            Token::End => Fault::new(span, format!("expected {expected}, but the expression ends")),
            _ => Fault::new(span, format!("expected {expected}, found `{found}`")),
        };
        let after_value = self.next > 0 && expected == "an operator";
        match self.peek() {
            Token::Sign(')') if after_value => fault.cure("there is no `(` for it"),
            Token::Name | Token::Number(_) | Token::Sign('(') if after_value => {
                fault.cure("a product is written `*`")
            }
            _ => fault,
        }
    }

    pub(super) fn peek(&self) -> Token {
        self.tokens.get(self.next).map_or(Token::End, |(token, _)| *token)
    }

    pub(super) fn span(&self) -> Range<usize> {
        let end = self.text.len();
        self.tokens.get(self.next).map_or(end..end, |(_, span)| span.clone())
    }

    pub(super) fn start(&self) -> usize {
        self.span().start
    }

    /// Where the last token read ends.
    pub(super) fn end(&self) -> usize {
        let last = self.next.checked_sub(1).and_then(|k| self.tokens.get(k));
        last.map_or(0, |(_, span)| span.end)
    }
}
