//! Sums, functions with arguments, indices in names, tables, margins of conditions and dimensions.

use super::definition;
use proptest::prelude::*;
use stickslip::expression::{
    Between, Definition, Dimension, ExpressionSystem, Interpolation, Outside, OwnFunction,
    TableFunction,
};

fn chain() -> Definition {
    definition(&[("x1", "v1"), ("x2", "v2"), ("x3", "v3")], &[("n", 3.0), ("k", 2.0)])
}

fn function(name: &str, arguments: &[&str], expression: &str) -> OwnFunction {
    OwnFunction {
        name: name.into(),
        arguments: arguments.iter().map(|a| (*a).into()).collect(),
        expression: expression.into(),
        declared: format!("{name}({})", arguments.join(", ")),
    }
}

fn value(definition: &Definition, text: &str, q: &[f64; 3]) -> f64 {
    let function = definition.function("test", text).unwrap_or_else(|error| panic!("{error}"));
    function.value(q, &[0.5, 1.5, 2.5], 0.25)
}

proptest! {
    #[test]
    fn sums_are_their_terms(q in prop::array::uniform3(-2.0..2.0_f64)) {
        let [x1, x2, x3] = q;
        for (text, wanted) in [
            ("sum(i, 1, n, x{i})", x1 + x2 + x3),
            ("sum(i, 1, n-1, k/2*(x{i+1} - x{i})^2)", (x2 - x1).powi(2) + (x3 - x2).powi(2)),
            ("sum(i, 1, n, i^2*x{n+1-i})", x3 + 4.0 * x2 + 9.0 * x1),
            ("sum(i, 1, n, sum(j, i, n, x{i}*x{j}))", x1 * (x1 + x2 + x3) + x2 * (x2 + x3) + x3 * x3),
            ("sum(i, 2, 1, x{i}) + 7", 7.0),
            ("sum(i, 1, n, if(x{i} > 0, x{i}, 0))", x1.max(0.0) + x2.max(0.0) + x3.max(0.0)),
        ] {
            let found = value(&chain(), text, &q);
            prop_assert!((found - wanted).abs() <= 1e-12 * (1.0 + wanted.abs()), "{}", text);
        }
    }

    /// Gauß: n (n + 1)/2.
    #[test]
    fn sums_of_indices_are_closed_forms(n in 0..2000_u32) {
        let text = format!("sum(i, 1, {n}, i)");
        prop_assert_eq!(value(&chain(), &text, &[0.0; 3]), f64::from(n * (n + 1) / 2));
    }

    /// The gradient of a function through a table is the chain rule.
    #[test]
    fn gradients_go_through_functions_and_tables(q in prop::array::uniform3(0.1..1.9_f64)) {
        let mut all = chain();
        let points = Interpolation::new(&[0.0, 1.0, 2.0], &[0.0, 1.0, 0.5], Between::Cubic, Outside::Error);
        all.tables.push(TableFunction { name: "tab".into(), points: points.unwrap() });
        all.functions.push(function("f", &["a", "b"], "a^2*tab(b)"));
        let f = all.function("test", "f(x1*x2, x3) + tab(t)").unwrap();
        let tab = |x: f64, order| all.tables[0].points.value(x, order);
        let mut slopes = [0.0; 7];
        f.gradient(&q, &[0.0; 3], 0.25, &mut slopes);
        let p = q[0] * q[1];
        let wanted = [2.0 * p * q[1] * tab(q[2], 0), 2.0 * p * q[0] * tab(q[2], 0), p * p * tab(q[2], 1)];
        for (found, wanted) in slopes.iter().zip(wanted).chain([(&slopes[6], tab(0.25, 1))]) {
            prop_assert!((found - wanted).abs() < 1e-12, "{} {}", found, wanted);
        }
    }

    /// The margin has the sign of the condition.
    #[test]
    fn margins_are_positive_where_conditions_hold(q in prop::array::uniform3(-2.0..2.0_f64)) {
        let [x, y, z] = q;
        for (text, holds) in [
            ("x1 < x2", x < y),
            ("x1 >= x2", x >= y),
            ("x1 < x2 and x2 < x3", x < y && y < z),
            ("x1 < x2 or x2 < x3 or x3 < x1", x < y || y < z || z < x),
            ("not (x1 < x2 or x2 < x3)", !(x < y || y < z)),
            ("x1 > 0 and not x2 > 0 or x3 > 1", x > 0.0 && y <= 0.0 || z > 1.0),
        ] {
            let margin = chain().margin("test", text).unwrap().value(&q, &[0.0; 3], 0.0);
            prop_assert_eq!(margin > 0.0, holds, "{}: {}", text, margin);
        }
    }
}

#[test]
fn definitions_are_bound_after_what_functions_and_sums_use() {
    let mut all = chain();
    all.functions.push(function("twice", &["z"], "2*z + later"));
    let helper = |name: &str, expression: &str| stickslip::expression::Helper {
        name: name.into(),
        expression: expression.into(),
    };
    all.definitions = vec![
        helper("first", "twice(x1)"),
        helper("all", "sum(i, 1, 2, part{i})"),
        helper("part1", "x1"),
        helper("part2", "part1*x2"),
        helper("later", "x3"),
    ];
    assert_eq!(value(&all, "first + all", &[2.0, 3.0, 5.0]), 4.0 + 5.0 + 2.0 + 6.0);
}

/// An argument has the name of a coordinate without being it.
#[test]
fn arguments_are_names_of_their_own() {
    let mut all = chain();
    all.functions.push(function("f", &["x1"], "x1 + x2"));
    assert_eq!(value(&all, "f(10)", &[1.0, 2.0, 3.0]), 12.0);
}

#[test]
fn dimensions_are_those_of_mechanics() {
    let mut all = chain();
    for (name, unit) in [("x1", "m"), ("x2", "m"), ("x3", "rad"), ("k", "N/m"), ("n", "1")] {
        all.units.insert(name.into(), Dimension::of_unit(unit).unwrap());
    }
    for text in [
        "x1 + x2",
        "hypot(x1, x2) - max(x1, 3)",
        "v1*t + x1",
        "rate(x1) - v2",
        "sqrt(x1*x2) + x1",
        "x1^n*x2 + x2^4",
        "sin(x3) + x3^2 + 1",
        "sin(v3*t)",
        "atan2(x1, x2) + x3",
        "k*x1^2/2 - k*x2*x1",
        "x1*(x1 > 1) + if(x3 > 2, x2, 0)",
        "exp(-x1/x2) + tanh(x1/0.1*x2/x2^2*x2/x1)",
    ] {
        all.function("test", text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    for (text, words) in [
        ("x1 + x3", "the first is in m, the second in 1"),
        ("x1 + v1", "the second in m s^-1"),
        ("sin(x1)", "the argument of `sin` is in m"),
        ("2^x1", "an exponent is in m"),
        ("x1 < t", "cannot be compared"),
        ("max(x1, t)", "cannot be compared"),
        ("if(t > 1, x1, v1)", "cannot be alternatives"),
        ("sum(i, 1, 3, x{i})", "cannot be added"),
        ("rate(x1) + x1", "cannot be added"),
        ("sqrt(x1) + x1", "the first is in m^0.5"),
    ] {
        let found = all.function("test", text).unwrap_err().to_string();
        assert!(found.contains(words), "{text}: {found}");
    }
    all.kinetic = "v1^2 + v2^2 + v3^2".into();
    assert!(ExpressionSystem::new(&all).is_err());
    all.units.clear();
    assert!(ExpressionSystem::new(&all).is_ok());
}
