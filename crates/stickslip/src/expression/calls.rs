//! Calls: the functions of the language, those of a scene, tables, and sums.

use super::arena::{Arena, depends};
use super::error::Fault;
use super::lexer::{Token, is_name};
use super::names::Called;
use super::ops::{Binary, Call, Unary, function};
use super::parser::{Inside, Parser, Term, parse_with};
use super::units::{Dim, Dimension};
use std::ops::Range;

/// The most terms of one sum.
const MOST_TERMS: f64 = 100_000.0;

impl Parser<'_> {
    pub(super) fn call(&mut self, span: Range<usize>) -> Result<Term, Fault> {
        let text = self.text;
        let name = &text[span.clone()];
        let Some(call) = function(name) else {
            if let Some(called) = self.names.called(name) {
                return self.call_own(span, &called);
            }
            if let Some((kind, _)) = self.names.get(name) {
                let fault =
                    Fault::new(span, format!("`{name}` is {}, not a function", kind.noun()));
                return Err(fault.cure(format!("a product is written `{name}*(...)`")));
            }
            return Err(self.unknown(name, span));
        };
        let open = self.span();
        self.next += 1;
        if call == Call::Sum {
            return self.sum_over(span.start, open);
        }
        let arguments = self.arguments(open)?;
        let start = span.start;
        let whole = start..self.end();
        match (call, arguments.as_slice()) {
            (Call::One(op), &[a]) => {
                let dim = self.dim_of_unary(op, name, start, a)?;
                self.checked(start, dim, |arena| arena.unary(op, a.id))
            }
            (Call::Two(op), &[a, b]) => {
                let joined = self.joined(start, "compared", a, b)?;
                let dim = if op == Binary::Atan2 { self.names.pure() } else { joined };
                self.checked(start, dim, |arena| arena.binary(op, a.id, b.id))
            }
            (Call::Rate, &[a]) => self.rate(a, whole),
            (Call::If, &[condition, a, b]) => {
                let dim = self.joined(start, "alternatives", a, b)?;
                Ok(Term { id: self.arena.choose(condition.id, a.id, b.id), dim })
            }
            (_, given) => Err(wrong_count(name, call.arguments(), given.len(), whole)),
        }
    }

    fn dim_of_unary(&self, op: Unary, name: &str, start: usize, a: Term) -> Result<Dim, Fault> {
        match op {
            Unary::Abs | Unary::Neg => Ok(a.dim),
            Unary::Sqrt => Ok(a.dim.power(Some(0.5))),
            Unary::Sign => Ok(self.names.pure()),
            _ => self.pure(start, &format!("the argument of `{name}`"), a),
        }
    }

    fn arguments(&mut self, open: Range<usize>) -> Result<Vec<Term>, Fault> {
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

    fn rate(&mut self, a: Term, span: Range<usize>) -> Result<Term, Fault> {
        if self.arena.depends(a.id) & depends::VELOCITIES != 0 {
            let reason = "`rate` of what depends on velocities would need accelerations";
            return Err(Fault::new(span, reason));
        }
        if self.allow.mask() & depends::VELOCITIES == 0 {
            let reason = format!("`rate` depends on velocities; {}", self.allow.sentence());
            return Err(Fault::new(span, reason));
        }
        let id = self.arena.rate(a.id);
        Ok(Term { id, dim: a.dim.over(Dim::Known(Dimension::TIME)) })
    }

    /// A function or a table of the scene.
    fn call_own(&mut self, span: Range<usize>, called: &Called) -> Result<Term, Fault> {
        let (text, open) = (self.text, self.span());
        let name = &text[span.clone()];
        self.next += 1;
        let arguments = self.arguments(open)?;
        let whole = span.start..self.end();
        match called {
            Called::Table(table) => match arguments.as_slice() {
                &[a] => {
                    let make = |arena: &mut Arena| arena.table(*table, 0, a.id);
                    self.checked(span.start, Dim::Unknown, make)
                }
                given => Err(wrong_count(name, 1, given.len(), whole)),
            },
            Called::Function(names, body) => {
                if names.len() != arguments.len() {
                    return Err(wrong_count(name, names.len(), arguments.len(), whole));
                }
                if self.inside.calls.iter().any(|c| c == name) {
                    return Err(Fault::new(whole, format!("`{name}` calls itself")));
                }
                self.spend(body.len(), whole.clone())?;
                self.refuse_depth()?;
                let locals = names.iter().cloned().zip(arguments).collect();
                let mut calls = self.inside.calls.clone();
                calls.push(name.to_owned());
                let inside = Inside { locals, calls, depth: self.inside.depth + 1 };
                parse_with(body, (self.names, self.allow), self.arena, inside)
                    .map_err(|fault| fault.inside(name, whole))
            }
        }
    }

    /// `sum(i, from, to, term)`, after its parenthesis.
    fn sum_over(&mut self, start: usize, open: Range<usize>) -> Result<Term, Fault> {
        let index = self.index()?;
        self.comma()?;
        let from = self.bound()?;
        self.comma()?;
        let to = self.bound()?;
        self.comma()?;
        if to - from >= MOST_TERMS {
            let reason = format!("the sum has {} terms; {MOST_TERMS} is the most", to - from + 1.0);
            return Err(Fault::new(start..self.end(), reason));
        }
        let (body, mut total) = (self.next, Term::number(Arena::ZERO));
        if to < from {
            self.skip();
        }
        let mut k = from;
        while k <= to {
            self.next = body;
            let number = self.arena.constant(k);
            self.inside.locals.push((index.clone(), Term::number(number)));
            let term = self.deeper(Self::condition);
            self.inside.locals.pop();
            let term = term.map_err(|fault| fault.with(&format!("{index} = {k}")))?;
            self.spend(self.end().saturating_sub(start), start..self.end())?;
            let dim = self.joined(start, "added", total, term)?;
            total = self.checked(start, dim, |arena| arena.add(total.id, term.id))?;
            k += 1.0;
        }
        if self.peek() == Token::Sign(',') {
            let fault = Fault::new(self.span(), "`sum` takes 4 arguments; more are given");
            return Err(fault.cure("write sum(i, from, to, term)"));
        }
        self.close(open)?;
        Ok(total)
    }

    /// The name of an index.
    fn index(&mut self) -> Result<String, Fault> {
        let (text, span) = (self.text, self.span());
        let name = &text[span.clone()];
        let cure =
            "write sum(i, from, to, term), with a name for the index that is not used elsewhere";
        if self.peek() != Token::Name || !is_name(name) {
            let reason =
                format!("the first argument of `sum` is the name of its index, found `{name}`");
            return Err(Fault::new(span, reason).cure(cure));
        }
        let taken = self.names.get(name).map(|(kind, _)| kind.noun()).or_else(|| {
            let local = self.inside.locals.iter().any(|(local, _)| local == name);
            local.then_some("an index or an argument")
        });
        let taken = taken.or(function(name).map(|_| "a function"));
        if let Some(noun) = taken {
            let reason = format!("the name `{name}` is taken: it is {noun}");
            return Err(Fault::new(span, reason).cure(cure));
        }
        self.next += 1;
        Ok(name.to_owned())
    }

    /// A whole number.
    fn bound(&mut self) -> Result<f64, Fault> {
        let start = self.start();
        let term = self.deeper(Self::condition)?;
        let span = start..self.end();
        match self.arena.number(term.id) {
            Some(x) if x.fract() == 0.0 && x.abs() <= 1e9 => Ok(x),
            Some(x) => Err(Fault::new(
                span,
                format!("a sum goes from one whole number to another; this is {x}"),
            )),
            None => Err(Fault::new(
                span,
                "a sum goes from one whole number to another; this depends on the state",
            )
            .cure("use numbers, parameters and indices")),
        }
    }

    fn comma(&mut self) -> Result<(), Fault> {
        if self.peek() != Token::Sign(',') {
            return Err(self.unexpected("`,`").cure("write sum(i, from, to, term)"));
        }
        self.next += 1;
        Ok(())
    }

    /// Goes to the parenthesis that closes what is open.
    fn skip(&mut self) {
        let mut open = 0;
        loop {
            match self.peek() {
                Token::End => return,
                Token::Sign(')') if open == 0 => return,
                Token::Sign(')') => open -= 1,
                Token::Sign('(') => open += 1,
                _ => {}
            }
            self.next += 1;
        }
    }

    fn spend(&mut self, work: usize, span: Range<usize>) -> Result<(), Fault> {
        if self.arena.spend(work + 1) {
            return Ok(());
        }
        let reason = "sums and functions make the expressions too large";
        Err(Fault::new(span, reason).cure("use fewer terms, or [definitions] for what repeats"))
    }
}

fn wrong_count(name: &str, need: usize, given: usize, span: Range<usize>) -> Fault {
    let plural = if need == 1 { "" } else { "s" };
    Fault::new(span, format!("`{name}` takes {need} argument{plural}; {given} given"))
}
