//! Conditions: comparisons and what joins them, numbers that are 1 where they hold and 0 where they do not.
//!
//! ```text
//! condition  = both { "or" both }
//! both       = negation { "and" negation }
//! negation   = "not" negation | comparison
//! comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//! ```
//!
//! A comparison with what is not a number does not hold, but for `!=`.

use super::arena::{Arena, Id};
use super::error::Fault;
use super::lexer::{Comparison, Token};
use super::ops::Binary;
use super::parser::{Parser, Term};

/// Words that are no names.
pub(super) const WORDS: [&str; 3] = ["and", "or", "not"];

impl Parser<'_> {
    /// An expression that may be a condition.
    pub(super) fn condition(&mut self) -> Result<Term, Fault> {
        let mut left = self.both()?;
        while self.takes_word("or") {
            let right = self.both()?;
            let right = self.truth(right);
            left = self.truth_value(|arena| arena.choose(left.id, Arena::ONE, right));
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Term, Fault> {
        let mut left = self.negation()?;
        while self.takes_word("and") {
            let right = self.negation()?;
            let right = self.truth(right);
            left = self.truth_value(|arena| arena.choose(left.id, right, Arena::ZERO));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Term, Fault> {
        if !self.takes_word("not") {
            return self.comparison();
        }
        let inner = self.deeper(Self::negation)?;
        Ok(self.truth_value(|arena| arena.choose(inner.id, Arena::ZERO, Arena::ONE)))
    }

    fn comparison(&mut self) -> Result<Term, Fault> {
        let start = self.start();
        let left = self.sum()?;
        let Token::Compare(comparison) = self.peek() else { return Ok(left) };
        self.next += 1;
        let right = self.sum()?;
        if let Token::Compare(_) = self.peek() {
            let fault = Fault::new(self.span(), "comparisons cannot be chained");
            return Err(fault.cure("write `a < b and b < c`"));
        }
        self.joined(start, "compared", left, right)?;
        let (left, right) = (left.id, right.id);
        Ok(self.truth_value(|arena| match comparison {
            Comparison::Below => arena.binary(Binary::Below, left, right),
            Comparison::NotAbove => arena.binary(Binary::NotAbove, left, right),
            Comparison::Above => arena.binary(Binary::Below, right, left),
            Comparison::NotBelow => arena.binary(Binary::NotAbove, right, left),
            Comparison::Equal => arena.binary(Binary::Equal, left, right),
            Comparison::Unequal => {
                let equal = arena.binary(Binary::Equal, left, right);
                arena.choose(equal, Arena::ZERO, Arena::ONE)
            }
        }))
    }

    /// 1 where a number is not zero, else 0.
    fn truth(&mut self, a: Term) -> Id {
        self.arena.choose(a.id, Arena::ONE, Arena::ZERO)
    }

    fn truth_value(&mut self, make: impl FnOnce(&mut Arena) -> Id) -> Term {
        let id = make(self.arena);
        Term { id, dim: self.names.pure() }
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Token::Name && &self.text[self.span()] == word;
        self.next += usize::from(found);
        found
    }
}

#[cfg(test)]
mod tests {
    use crate::expression::{Coordinate, Definition, ExpressionSystem};
    use crate::system::System;
    use proptest::prelude::*;

    fn definition(potential: Option<&str>) -> Definition {
        let coordinate = |name: &str, velocity: &str| Coordinate {
            name: name.into(),
            velocity: velocity.into(),
        };
        Definition {
            coordinates: vec![coordinate("x", "u"), coordinate("y", "v")],
            kinetic: "(u^2 + v^2)/2".into(),
            potential: potential.map(str::to_owned),
            ..Definition::default()
        }
    }

    fn value(text: &str, q: [f64; 2]) -> f64 {
        definition(None).function("test", text).unwrap().value(&q, &[0.0, 0.0], 0.0)
    }

    fn message(text: &str) -> String {
        definition(None).function("test", text).unwrap_err().to_string()
    }

    proptest! {
        #[test]
        fn conditions_are_those_of_rust(x in -3.0..3.0_f64, y in -3.0..3.0_f64, equal: bool) {
            let y = if equal { x } else { y };
            let cases = [
                ("x < y", x < y),
                ("x <= y", x <= y),
                ("x > y", x > y),
                ("x >= y", x >= y),
                ("x == y", x == y),
                ("x != y", x != y),
                ("x < y and y < 1", x < y && y < 1.0),
                ("x < y or y < 1 and x > 0", x < y || y < 1.0 && x > 0.0),
                ("not x < y", x >= y),
                ("not (x < 0 or y < 0)", !(x < 0.0 || y < 0.0)),
                ("x + 1 < 2*y", x + 1.0 < 2.0 * y),
            ];
            for (text, expected) in cases {
                prop_assert_eq!(value(text, [x, y]), f64::from(u8::from(expected)), "{}", text);
                let chosen = format!("if({text}, x + 1, 2*y)");
                prop_assert_eq!(value(&chosen, [x, y]), if expected { x + 1.0 } else { 2.0 * y });
            }
        }

        #[test]
        fn derivatives_are_those_of_the_branch(x in -3.0..3.0_f64, y in -3.0..3.0_f64) {
            prop_assume!((x - y).abs() > 1e-9);
            let potential = "if(x < y, x^2*y, sin(x) + y^3)";
            let system = ExpressionSystem::new(&definition(Some(potential))).unwrap();
            let mut h = [0.0; 2];
            system.forces(&[x, y], &[0.3, -0.2], 0.0, &mut h);
            let slopes = if x < y { [2.0 * x * y, x * x] } else { [x.cos(), 3.0 * y * y] };
            prop_assert!((h[0] + slopes[0]).abs() < 1e-12 && (h[1] + slopes[1]).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_chosen_by_parameters_alone_is_folded_and_the_other_branch_does_not_matter() {
        assert_eq!(value("if(1 < 2, x, y)", [5.0, 7.0]), 5.0);
        assert_eq!(value("if(x > 0, sqrt(x), sqrt(-x))", [-4.0, 0.0]), 2.0);
        assert_eq!(value("3*(x > 1)", [2.0, 0.0]), 3.0);
    }

    #[test]
    fn a_slip_or_a_mass_that_depends_on_velocities_by_a_condition_is_refused() {
        let mut bad = definition(None);
        bad.kinetic = "if(u > 0, 1, 2)*u^2 + v^2".into();
        assert!(ExpressionSystem::new(&bad).is_err());
    }

    #[test]
    fn messages_say_what_would_be_right() {
        for (text, word) in [
            ("0 < x < 1", "write `a < b and b < c`"),
            ("x = 1", "`==`"),
            ("x && y", "`and`"),
            ("x | y", "`or`"),
            ("!x", "`not`"),
            ("if(x > 0, 1)", "takes 3 arguments; 2 given"),
            ("x and", "a number, a name or `(`"),
            ("and", "joins conditions"),
            ("x < ", "the expression ends"),
        ] {
            let found = message(text);
            assert!(found.contains(word), "{text}: {found}");
        }
        let mut named = definition(None);
        named.coordinates[0].name = "and".into();
        assert!(
            ExpressionSystem::new(&named).unwrap_err().to_string().contains("choose another name")
        );
    }
}
