//! From tokens to nodes, by recursive descent; conditions are in a file of their own:
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
use super::derive::Direction;
use super::error::Fault;
use super::lexer::{Token, tokens};
use super::names::{Allow, Kind, Names};
use super::ops::{Binary, Call, function};
use std::ops::Range;

/// How deep parentheses, signs and powers may be nested.
const DEEPEST: usize = 200;

/// Reads an expression. What is not finite although it depends on nothing is refused.
pub(super) fn parse(
    text: &str,
    names: &Names,
    allow: Allow,
    arena: &mut Arena,
) -> Result<Id, Fault> {
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens, next: 0, depth: 0, names, allow, arena };
    if parser.peek() == Token::End {
        return Err(Fault::new(0..text.len(), "the expression is empty").cure("write `0` for zero"));
    }
    let id = parser.condition()?;
    match parser.peek() {
        Token::End if !parser.arena.is_full() => Ok(id),
        Token::End => Err(Fault::new(0..text.len(), "the expressions are too large together")),
        _ => Err(parser.unexpected("an operator")),
    }
}

/// The names that occur in a text, with their places.
pub(super) fn names_in(text: &str) -> Result<Vec<(&str, Range<usize>)>, Fault> {
    let tokens = tokens(text)?.into_iter().filter(|(token, _)| *token == Token::Name);
    Ok(tokens.map(|(_, span)| (&text[span.clone()], span)).collect())
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    tokens: Vec<(Token, Range<usize>)>,
    pub(super) next: usize,
    depth: usize,
    names: &'a Names,
    allow: Allow,
    pub(super) arena: &'a mut Arena,
}

impl Parser<'_> {
    pub(super) fn sum(&mut self) -> Result<Id, Fault> {
        let start = self.start();
        let mut left = self.product()?;
        while let Token::Sign(c @ ('+' | '-')) = self.peek() {
            self.next += 1;
            let right = self.product()?;
            let op = if c == '+' { Binary::Add } else { Binary::Sub };
            left = self.checked(start, |arena| arena.binary(op, left, right))?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Id, Fault> {
        let start = self.start();
        let mut left = self.sign()?;
        while let Token::Sign(c @ ('*' | '/')) = self.peek() {
            self.next += 1;
            let divisor = self.start();
            let right = self.sign()?;
            if c == '/' && right == Arena::ZERO {
                let span = divisor..self.end();
                return Err(Fault::new(span, "division by zero"));
            }
            let op = if c == '*' { Binary::Mul } else { Binary::Div };
            left = self.checked(start, |arena| arena.binary(op, left, right))?;
        }
        Ok(left)
    }

    fn sign(&mut self) -> Result<Id, Fault> {
        let Token::Sign(c @ ('-' | '+')) = self.peek() else { return self.power() };
        self.next += 1;
        let inner = self.deeper(Self::sign)?;
        Ok(if c == '-' { self.arena.neg(inner) } else { inner })
    }

    fn power(&mut self) -> Result<Id, Fault> {
        let start = self.start();
        let base = self.atom()?;
        if self.peek() != Token::Sign('^') {
            return Ok(base);
        }
        self.next += 1;
        let exponent = self.deeper(Self::sign)?;
        self.checked(start, |arena| arena.binary(Binary::Pow, base, exponent))
    }

    fn atom(&mut self) -> Result<Id, Fault> {
        match self.peek() {
            Token::Number(x) => {
                self.next += 1;
                Ok(self.arena.constant(x))
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

    fn name(&mut self, span: Range<usize>) -> Result<Id, Fault> {
        let name = &self.text[span.clone()];
        let Some((kind, id)) = self.names.get(name) else { return Err(self.unknown(span)) };
        let allowed = self.allow != Allow::Constants || !matches!(kind, Kind::Definition);
        match id {
            Some(id) if kind == Kind::SlipSpeed => Ok(id),
            Some(id) if allowed && self.arena.depends(id) & !self.allow.mask() == 0 => Ok(id),
            Some(id) if allowed && kind == Kind::Definition => {
                let on = if self.arena.depends(id) & depends::VELOCITIES != 0 {
                    "velocities"
                } else {
                    "the configuration"
                };
                let reason = format!("`{name}` depends on {on}; {}", self.allow.sentence());
                Err(Fault::new(span, reason))
            }
            _ => {
                let reason = format!("`{name}` is {}; {}", kind.noun(), self.allow.sentence());
                Err(Fault::new(span, reason))
            }
        }
    }

    fn call(&mut self, span: Range<usize>) -> Result<Id, Fault> {
        let name = &self.text[span.clone()];
        let Some(call) = function(name) else {
            if let Some((kind, _)) = self.names.get(name) {
                let fault =
                    Fault::new(span, format!("`{name}` is {}, not a function", kind.noun()));
                return Err(fault.cure(format!("a product is written `{name}*(...)`")));
            }
            return Err(self.unknown(span));
        };
        let open = self.span();
        self.next += 1;
        let arguments = self.arguments(open)?;
        let whole = span.start..self.end();
        match (call, arguments.as_slice()) {
            (Call::One(op), &[a]) => self.checked(span.start, |arena| arena.unary(op, a)),
            (Call::Two(op), &[a, b]) => self.checked(span.start, |arena| arena.binary(op, a, b)),
            (Call::Rate, &[a]) => self.rate(a, whole),
            (Call::If, &[condition, a, b]) => Ok(self.arena.choose(condition, a, b)),
            (_, given) => {
                let (need, given) = (call.arguments(), given.len());
                let plural = if need == 1 { "" } else { "s" };
                let reason = format!("`{name}` takes {need} argument{plural}; {given} given");
                Err(Fault::new(whole, reason))
            }
        }
    }

    fn arguments(&mut self, open: Range<usize>) -> Result<Vec<Id>, Fault> {
        let mut arguments = vec![];
        if self.peek() != Token::Sign(')') {
            arguments.push(self.deeper(Self::condition)?);
            while self.peek() == Token::Sign(',') {
                self.next += 1;
                arguments.push(self.deeper(Self::condition)?);
            }
        }
        self.close(open)?;
        Ok(arguments)
    }

    fn rate(&mut self, a: Id, span: Range<usize>) -> Result<Id, Fault> {
        if self.arena.depends(a) & depends::VELOCITIES != 0 {
            let reason = "`rate` of what depends on velocities would need accelerations";
            return Err(Fault::new(span, reason));
        }
        if self.allow != Allow::State {
            let reason = format!("`rate` depends on velocities; {}", self.allow.sentence());
            return Err(Fault::new(span, reason));
        }
        Ok(self.arena.derivative(a, Direction::Motion))
    }

    /// Makes a node, and refuses a constant that is not finite.
    fn checked(&mut self, start: usize, make: impl FnOnce(&mut Arena) -> Id) -> Result<Id, Fault> {
        let id = make(self.arena);
        let span = start..self.end();
        match self.arena.number(id) {
            Some(x) if x.is_nan() => {
                Err(Fault::new(span, "this is not a number").cure(self.domain()))
            }
            Some(x) if x.is_infinite() => Err(Fault::new(span, "this is infinite")),
            _ => Ok(id),
        }
    }

    fn domain(&self) -> &'static str {
        "check the arguments of roots, logarithms, powers and inverse functions"
    }

    pub(super) fn deeper(
        &mut self,
        inner: fn(&mut Self) -> Result<Id, Fault>,
    ) -> Result<Id, Fault> {
        if self.depth == DEEPEST {
            let reason = format!("nested more than {DEEPEST} deep");
            return Err(Fault::new(self.span(), reason).cure("use [definitions] for the parts"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn close(&mut self, open: Range<usize>) -> Result<(), Fault> {
        if self.peek() == Token::Sign(')') {
            self.next += 1;
            return Ok(());
        }
        if self.peek() == Token::End {
            return Err(Fault::new(open, "expected `)`: this `(` is never closed"));
        }
        Err(self.unexpected("`)`"))
    }

    fn unknown(&self, span: Range<usize>) -> Fault {
        let name = &self.text[span.clone()];
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
                None => fault.cure("declare it under [parameters], [coordinates] or [definitions]"),
            },
        }
    }

    fn unexpected(&self, expected: &str) -> Fault {
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

    fn start(&self) -> usize {
        self.span().start
    }

    /// Where the last token read ends.
    fn end(&self) -> usize {
        let last = self.next.checked_sub(1).and_then(|k| self.tokens.get(k));
        last.map_or(0, |(_, span)| span.end)
    }
}
