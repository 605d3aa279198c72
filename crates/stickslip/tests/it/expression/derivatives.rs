//! Values and derivatives of single expressions.

use super::tree::{Tree, any_tree};
use super::{assert_close, definition};
use proptest::prelude::*;
use stickslip::expression::{DefinitionError, Function, Helper};

fn function(text: &str) -> Result<Function, DefinitionError> {
    definition(&[("x", "vx"), ("y", "vy")], &[("a", 1.5)]).function("test", text)
}

/// Value, ∂/∂x and ∂/∂y.
fn jet(f: &mut Function, x: f64, y: f64) -> [f64; 3] {
    let mut gradient = [0.0; 5];
    f.gradient(&[x, y], &[0.0; 2], 0.0, &mut gradient);
    [f.value(&[x, y], &[0.0; 2], 0.0), gradient[0], gradient[1]]
}

#[test]
fn every_function_has_its_closed_form_as_derivative() {
    let (x, y) = (0.6_f64, -0.7_f64);
    let cases: [(&str, f64, f64, f64); 29] = [
        ("sin(x)", x.sin(), x.cos(), 0.0),
        ("cos(x)", x.cos(), -x.sin(), 0.0),
        ("tan(x)", x.tan(), 1.0 / x.cos().powi(2), 0.0),
        ("asin(x)", x.asin(), 1.0 / (1.0 - x * x).sqrt(), 0.0),
        ("acos(x)", x.acos(), -1.0 / (1.0 - x * x).sqrt(), 0.0),
        ("atan(x)", x.atan(), 1.0 / (1.0 + x * x), 0.0),
        ("sinh(x)", x.sinh(), x.cosh(), 0.0),
        ("cosh(x)", x.cosh(), x.sinh(), 0.0),
        ("tanh(x)", x.tanh(), 1.0 / x.cosh().powi(2), 0.0),
        ("exp(x)", x.exp(), x.exp(), 0.0),
        ("log(x)", x.ln(), 1.0 / x, 0.0),
        ("sqrt(x)", x.sqrt(), 0.5 / x.sqrt(), 0.0),
        ("abs(y)", 0.7, 0.0, -1.0),
        ("sign(y)", -1.0, 0.0, 0.0),
        ("atan2(y, x)", y.atan2(x), -y / (x * x + y * y), x / (x * x + y * y)),
        ("hypot(x, y)", x.hypot(y), x / x.hypot(y), y / x.hypot(y)),
        ("min(x, y)", y, 0.0, 1.0),
        ("max(x, y)", x, 1.0, 0.0),
        ("x*y", x * y, y, x),
        ("x/y", x / y, 1.0 / y, -x / (y * y)),
        ("x^3", x.powi(3), 3.0 * x * x, 0.0),
        ("x^-2", x.powi(-2), -2.0 * x.powi(-3), 0.0),
        ("x^2.5", x.powf(2.5), 2.5 * x.powf(1.5), 0.0),
        ("x^y", x.powf(y), y * x.powf(y - 1.0), x.powf(y) * x.ln()),
        ("2^y", 2.0_f64.powf(y), 0.0, 2.0_f64.powf(y) * 2.0_f64.ln()),
        ("a*x - pi*y + 3", 1.5 * x - std::f64::consts::PI * y + 3.0, 1.5, -std::f64::consts::PI),
        ("-x^2 - -y", -x * x + y, -2.0 * x, 1.0),
        ("2*sin(x)^2 + 3*cos(x)^2", 2.0 + x.cos().powi(2), -(2.0 * x).sin(), 0.0),
        ("y*sin(x)^2 + y*cos(x)^2", y, 0.0, 1.0),
    ];
    for (text, value, dx, dy) in cases {
        let found = jet(&mut function(text).unwrap(), x, y);
        for (found, expected) in found.into_iter().zip([value, dx, dy]) {
            assert!(
                (found - expected).abs() <= 4e-16 * (1.0 + expected.abs()),
                "{text}: {found} is not {expected}"
            );
        }
    }
}

#[test]
fn operators_bind_as_in_mathematics() {
    let cases = [
        ("2 + 3*4", 14.0),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("(1 + 1)*3", 6.0),
        ("8/4/2", 1.0),
        ("8 - 4 - 2", 2.0),
        ("1e3 + 2.5E-1 + .5 + 1.", 1001.75),
        ("- - 3", 3.0),
        ("2*-3", -6.0),
        ("sign(0) + abs(0)", 0.0),
    ];
    for (text, expected) in cases {
        assert_eq!(jet(&mut function(text).unwrap(), 0.0, 0.0)[0], expected, "{text}");
    }
}

#[test]
fn a_velocity_and_time_have_derivatives_too() {
    let f = function("vx*x + t^2*vy").unwrap();
    let mut gradient = [0.0; 5];
    f.gradient(&[2.0, 0.0], &[3.0, 5.0], 7.0, &mut gradient);
    assert_eq!(gradient, [3.0, 0.0, 2.0, 49.0, 70.0]);
}

#[test]
fn rate_is_the_derivative_along_the_motion() {
    let f = function("rate(x*sin(y) + t^2)").unwrap();
    let (x, y, u, v, t) = (0.3_f64, 0.8_f64, 1.1, -0.4, 2.0);
    assert_close(f.value(&[x, y], &[u, v], t), u * y.sin() + x * y.cos() * v + 2.0 * t, 1e-15);
}

#[test]
fn a_long_sum_and_a_long_chain_of_definitions_need_no_stack() {
    let sum = vec!["x*y + sin(x)"; 4000].join(" + ");
    let found = jet(&mut function(&sum).unwrap(), 0.5, 2.0);
    assert_close(found[1], 4000.0 * (2.0 + 0.5_f64.cos()), 1e-12);
    let mut chain = definition(&[("x", "v")], &[]);
    for k in 0..5000 {
        let expression = if k == 0 { "x".into() } else { format!("sin(d{})", k - 1) };
        chain.definitions.push(stickslip::expression::Helper { name: format!("d{k}"), expression });
    }
    let f = chain.function("test", "d4999").unwrap();
    assert!(f.value(&[1.0], &[0.0], 0.0) > 0.0);
}

/// All values on the way are moderate, so that rounding is bounded and differences are sharp.
fn is_tame(tree: &Tree, x: f64, y: f64) -> bool {
    let v = tree.value(x, y);
    let here = [v.0, v.1[0], v.1[1]].iter().all(|d| d.is_finite() && d.abs() < 1e3);
    let below = match tree {
        Tree::One(name, a) => {
            let below = a.value(x, y);
            let (inside, slope) = (below.0, below.1);
            // As far as a stencil of differences reaches.
            let near = 4e-3 * (slope[0].abs() + slope[1].abs());
            let clear = match *name {
                "tan" => inside.cos().abs() > 1e-2,
                "asin" | "acos" => inside.abs() < 0.99,
                "log" | "sqrt" => inside > 1e-2,
                "abs" | "sign" => inside == 0.0 && near == 0.0 || inside.abs() > 1e-2 + near,
                _ => true,
            };
            clear && is_tame(a, x, y)
        }
        Tree::Two(name, a, b) => {
            let (p, q) = (a.value(x, y).0, b.value(x, y).0);
            let clear = match *name {
                "/" => q.abs() > 1e-2,
                "atan2" => p.hypot(q) > 1e-1 && (q > 0.0 || p.abs() > 1e-2),
                "hypot" => p.hypot(q) > 1e-2,
                "min" | "max" => (p - q).abs() > 1e-2,
                _ => true,
            };
            clear && is_tame(a, x, y) && is_tame(b, x, y)
        }
        Tree::Power(a, n) => (*n > 0 || a.value(x, y).0.abs() > 0.1) && is_tame(a, x, y),
        _ => true,
    };
    here && below
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 200_000, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn values_and_derivatives_agree_with_dual_numbers(
        tree in any_tree(), x in -2.0..2.0_f64, y in -2.0..2.0_f64
    ) {
        prop_assume!(is_tame(&tree, x, y));
        let expected = tree.value(x, y);
        let found = jet(&mut function(&tree.text()).unwrap(), x, y);
        // Condition: values up to 1e3 divided by 1e-2 a few times over.
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-8 * (1.0 + a.abs());
        prop_assert!(near(expected.0, found[0]), "{}: {found:?}, not {expected:?}", tree.text());
        prop_assert!(near(expected.1[0], found[1]), "{}: {found:?}, not {expected:?}", tree.text());
        prop_assert!(near(expected.1[1], found[2]), "{}: {found:?}, not {expected:?}", tree.text());
    }

    #[test]
    fn derivatives_agree_with_differences_of_values(
        tree in any_tree(), x in -2.0..2.0_f64, y in -2.0..2.0_f64
    ) {
        let d = 1e-3;
        let mut points = [-2.0, -1.0, 0.0, 1.0, 2.0].into_iter().flat_map(|k| [(k, 0.0), (0.0, k)]);
        prop_assume!(points.all(|(i, j)| is_tame(&tree, x + i * d, y + j * d)));
        let mut f = function(&tree.text()).unwrap();
        let found = jet(&mut f, x, y);
        for (k, e) in [(1, [d, 0.0]), (2, [0.0, d])] {
            let mut at = |s: f64| jet(&mut f, x + s * e[0], y + s * e[1]);
            let values = [at(-2.0)[0], at(-1.0)[0], at(1.0)[0], at(2.0)[0]];
            let difference = (values[0] - 8.0 * values[1] + 8.0 * values[2] - values[3]) / (12.0 * d);
            // How much the derivative itself changes over the stencil bounds the error of the difference.
            let slopes = [at(-2.0)[k], at(-1.0)[k], at(1.0)[k], at(2.0)[k]];
            let spread = slopes.iter().map(|s| (s - found[k]).abs()).fold(0.0, f64::max);
            // Beside a pole the stencil says nothing.
            prop_assume!(spread <= 0.1 * (1.0 + found[k].abs()));
            prop_assert!(
                (difference - found[k]).abs() <= 1e-7 * (1.0 + found[k].abs()) + 0.5 * spread,
                "{}: {} is not {difference}", tree.text(), found[k]
            );
        }
    }

    #[test]
    fn no_text_is_too_odd(text in "[-xyat0-9.e+*/^(), sincoqrt\\[=é]{0,60}") {
        if let Ok(f) = function(&text) {
            std::hint::black_box(f.value(&[0.3, 0.4], &[0.0; 2], 1.0));
        }
    }
}

/// An expression that many rates share is derived once; one by one, each over the whole table, they would take minutes.
#[test]
fn a_hundred_thousand_rates_of_one_expression_are_its_derivative_times_their_factors() {
    let mut shared = definition(&[("x", "v")], &[]);
    let expression = "sum(j, 1, 1000, sin(j*x))".to_owned();
    shared.definitions.push(Helper { name: "f".into(), expression });
    let f = shared.function("test", "sum(i, 1, 100000, rate(i*f))").unwrap();
    let (x, v) = (0.3_f64, 0.7);
    let slope: f64 = (1..=1000).map(f64::from).map(|j| j * (j * x).cos()).sum();
    let expected = 0.5 * 1e5 * (1e5 + 1.0) * slope * v;
    assert_close(f.value(&[x], &[v], 0.0) / expected, 1.0, 1e-9);
}
