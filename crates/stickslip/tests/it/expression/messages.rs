//! Mistakes are found where they are, and the message says what would be right.

use super::definition;
use stickslip::expression::{
    Contact, Definition, DefinitionError, ExpressionSystem, Helper, Parameter,
};

/// The mistake in an expression of the state: what is marked, and the message.
#[track_caller]
fn mistake(text: &str) -> (String, String) {
    let system = definition(&[("phi_M", "omega"), ("y", "v")], &[("mu", 0.3)]);
    let error = system.function("test", text).unwrap_err();
    let span = error.span.clone().unwrap();
    let cure = error.cure.map(|cure| format!("; {cure}")).unwrap_or_default();
    (text[span].to_owned(), error.reason + &cure)
}

#[test]
fn each_mistake_in_an_expression_is_marked_and_explained() {
    let cases = [
        ("2*phi_m", "phi_m", "unknown name `phi_m`; did you mean `phi_M`?"),
        ("2*(mu + 1", "(", "expected `)`: this `(` is never closed"),
        ("sin(mu, 2)", "sin(mu, 2)", "`sin` takes 1 argument; 2 given"),
        ("atan2(mu)", "atan2(mu)", "`atan2` takes 2 arguments; 1 given"),
        ("sin", "sin", "`sin` is a function; write `sin(...)`"),
        ("mu(3)", "mu", "`mu` is a parameter, not a function; a product is written `mu*(...)`"),
        ("2 mu", "mu", "expected an operator, found `mu`; a product is written `*`"),
        ("mu)", ")", "expected an operator, found `)`; there is no `(` for it"),
        ("1 + ", "", "expected a number, a name or `(`, but the expression ends"),
        ("1 + * 2", "*", "expected a number, a name or `(`, found `*`"),
        ("mu**2", "**", "`**` is not an operator; a power is written `^`"),
        ("1.2.3", "1.2.3", "`1.2.3` is not a number"),
        ("1e999", "1e999", "the number `1e999` is too large"),
        ("3 + 1/(mu - mu)", "(mu - mu)", "division by zero"),
        (
            "y + sqrt(-mu)",
            "sqrt(-mu)",
            "this is not a number; check the arguments of roots, logarithms, powers, inverse functions and tables",
        ),
        ("exp(1000)*y", "exp(1000)", "this is infinite"),
        ("ln(y)", "ln", "unknown name `ln`; the natural logarithm is `log`"),
        ("y ! 2", "!", "`!` has no meaning here; negation is written `not`"),
        ("0 < y < 2", "<", "comparisons cannot be chained; write `a < b and b < c`"),
        ("rate(v)", "rate(v)", "`rate` of what depends on velocities would need accelerations"),
        ("  ", "  ", "the expression is empty; write `0` for zero"),
    ];
    for (text, marked, message) in cases {
        assert_eq!(mistake(text), (marked.to_owned(), message.to_owned()), "{text}");
    }
}

#[test]
fn nesting_beyond_the_limit_is_refused_and_not_crashed() {
    for text in ["(".repeat(60_000), "-".repeat(60_000), "2^".repeat(30_000), "sin(".repeat(15_000)]
    {
        assert_eq!(mistake(&text).1, "nested more than 200 deep; use [definitions] for the parts");
    }
    assert!(mistake(&"1+".repeat(40_000)).1.contains("65536 is the most"));
}

fn refusal(change: impl FnOnce(&mut Definition)) -> DefinitionError {
    let mut system = Definition {
        kinetic: "v^2/2".into(),
        contacts: vec![Contact { name: "floor".into(), gap: "y".into(), ..Contact::default() }],
        ..definition(&[("y", "v")], &[("m", 1.0)])
    };
    change(&mut system);
    ExpressionSystem::new(&system).unwrap_err()
}

fn parameter(name: &str, text: &str) -> Parameter {
    Parameter { name: name.into(), value: text.into() }
}

fn helper(name: &str, expression: &str) -> Helper {
    Helper { name: name.into(), expression: expression.into() }
}

/// What to do to a definition, and what is said then.
type Case = (fn(&mut Definition), &'static str);

#[test]
fn each_mistake_in_a_definition_names_its_place() {
    let cases: [Case; 17] = [
        (
            |d| d.kinetic = "v^3".into(),
            "energy.kinetic, byte 0: the kinetic energy is not quadratic in the velocities: its second derivative by `v` and `v` depends on `v`",
        ),
        (
            |d| d.potential = Some("m*v".into()),
            "energy.potential, byte 2: `v` is a velocity; only coordinates, parameters and time `t` can be used here",
        ),
        (
            |d| d.contacts[0].gap = "y + rate(y)".into(),
            "contact[0].gap, byte 4: `rate` depends on velocities; only coordinates, parameters and time `t` can be used here",
        ),
        (
            |d| d.contacts[0].gap = "1 + t".into(),
            "contact[0].gap, byte 0: the gap depends on no coordinate",
        ),
        (
            |d| d.contacts[0].slip = Some("sin(v)".into()),
            "contact[0].slip, byte 0: the slip velocity is not affine in the velocities: its derivative by `v` depends on `v`; a tangential velocity is w·u + ŵ, where w and ŵ depend on the configuration only",
        ),
        (
            |d| d.contacts[0].mu = Some((-0.1).into()),
            "contact[0].mu: mu is -0.1; it must be at least 0",
        ),
        (
            |d| d.contacts[0].mu = Some(0.1.into()),
            "contact[0].mu: friction needs to know the tangential velocity; give the contact a `slip`, or leave friction out",
        ),
        (
            |d| d.contacts[0].eps_n = Some("m + 1".into()),
            "contact[0].eps_n: eps_n = `m + 1` is 2; it must be between 0 and 1",
        ),
        (
            |d| d.contacts[0].eps_n = Some("y".into()),
            "contact[0].eps_n, byte 0: `y` is a coordinate; only numbers and parameters can be used here",
        ),
        (
            |d| d.contacts.push(d.contacts[0].clone()),
            "contact[1].name: the name `floor` is taken by contact 0; choose another name",
        ),
        (
            |d| d.parameters.push(parameter("m", "2")),
            "parameters.m: the name `m` is taken: it is a parameter; choose another name",
        ),
        (
            |d| d.parameters.push(parameter("sin", "2")),
            "parameters.sin: `sin` is a function; choose another name",
        ),
        (
            |d| d.parameters.push(parameter("2m", "2")),
            "parameters.2m: `2m` cannot be used as a name; a name has letters, digits and `_`, and no digit in front",
        ),
        (
            |d| d.parameters.push(Parameter { name: "k".into(), value: f64::NAN.into() }),
            "parameters.k: NaN is not a finite number; give a number",
        ),
        (
            |d| d.parameters.extend([parameter("a", "2*b"), parameter("b", "a + 1")]),
            "parameters.b, byte 0: `a` depends on itself: a → b → a",
        ),
        (
            |d| d.definitions.push(helper("x", "x + 1")),
            "definitions.x, byte 0: `x` depends on itself: x → x",
        ),
        (
            |d| {
                d.forces.push(stickslip::expression::ForceExpression {
                    coordinate: "Y".into(),
                    expression: "1".into(),
                })
            },
            "forces.Y: there is no coordinate `Y`; did you mean `y`?",
        ),
    ];
    for (change, message) in cases {
        assert_eq!(refusal(change).to_string(), message);
    }
}

#[test]
fn an_unknown_parameter_is_not_set() {
    let mut system = definition(&[("y", "v")], &[("mu", 0.3), ("mass", 1.0)]);
    assert_eq!(system.set("mu", 0.4), Ok(()));
    assert_eq!(system.parameter_values().unwrap()[0], ("mu".to_owned(), 0.4));
    let error = system.set("mas", 2.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "parameters.mas: there is no parameter `mas`; did you mean `mass`?"
    );
}

#[test]
fn a_system_with_too_many_derivatives_is_refused() {
    let names: Vec<(String, String)> =
        (0..60).map(|i| (format!("q{i}"), format!("u{i}"))).collect();
    let pairs: Vec<(&str, &str)> = names.iter().map(|(q, u)| (q.as_str(), u.as_str())).collect();
    let mut wild = definition(&pairs, &[]);
    wild.definitions.push(helper("d0", "q0"));
    for k in 1..2000 {
        let text = format!("sin(d{} + q{})", k - 1, k % 60);
        wild.definitions.push(helper(&format!("d{k}"), &text));
    }
    (wild.kinetic, wild.potential) = ("u0^2".into(), Some("d1999".into()));
    let error = ExpressionSystem::new(&wild).unwrap_err();
    assert!(error.reason.contains("derivatives have more than"), "{error}");
}
