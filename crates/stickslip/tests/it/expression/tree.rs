//! Expressions written by the tests: their text, and their value and derivatives by dual numbers,
//! which share nothing with the library.

use proptest::prelude::*;

/// A number with its derivatives by x and y.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dual(pub(crate) f64, pub(crate) [f64; 2]);

impl Dual {
    fn map(self, value: f64, slope: f64) -> Self {
        Self(value, self.1.map(|d| slope * d))
    }

    fn join(self, other: Self, value: f64, slopes: [f64; 2]) -> Self {
        let sum = |i: usize| slopes[0] * self.1[i] + slopes[1] * other.1[i];
        Self(value, [sum(0), sum(1)])
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Tree {
    X,
    Y,
    Number(f64),
    One(&'static str, Box<Tree>),
    Two(&'static str, Box<Tree>, Box<Tree>),
    Power(Box<Tree>, i32),
}

impl Tree {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::X => "x".into(),
            Self::Y => "y".into(),
            Self::Number(c) if *c < 0.0 => format!("({c})"),
            Self::Number(c) => format!("{c}"),
            Self::One("-", a) => format!("(-{})", a.text()),
            Self::One(name, a) => format!("{name}({})", a.text()),
            Self::Two(name @ ("+" | "-" | "*" | "/"), a, b) => {
                format!("({} {name} {})", a.text(), b.text())
            }
            Self::Two(name, a, b) => format!("{name}({}, {})", a.text(), b.text()),
            Self::Power(a, n) => format!("{}^{n}", wrapped(a)),
        }
    }

    pub(crate) fn value(&self, x: f64, y: f64) -> Dual {
        match self {
            Self::X => Dual(x, [1.0, 0.0]),
            Self::Y => Dual(y, [0.0, 1.0]),
            Self::Number(c) => Dual(*c, [0.0, 0.0]),
            Self::One(name, a) => unary(name, a.value(x, y)),
            Self::Two(name, a, b) => binary(name, a.value(x, y), b.value(x, y)),
            Self::Power(a, n) => {
                let v = a.value(x, y);
                v.map(v.0.powi(*n), f64::from(*n) * v.0.powi(n - 1))
            }
        }
    }
}

fn wrapped(tree: &Tree) -> String {
    match tree {
        Tree::Power(..) => format!("({})", tree.text()),
        _ => tree.text(),
    }
}

fn unary(name: &str, v: Dual) -> Dual {
    let a = v.0;
    let (value, slope) = match name {
        "-" => (-a, -1.0),
        "sin" => (a.sin(), a.cos()),
        "cos" => (a.cos(), -a.sin()),
        "tan" => (a.tan(), a.cos().powi(-2)),
        "asin" => (a.asin(), 1.0 / (1.0 - a * a).sqrt()),
        "acos" => (a.acos(), -1.0 / (1.0 - a * a).sqrt()),
        "atan" => (a.atan(), 1.0 / (1.0 + a * a)),
        "sinh" => (a.sinh(), a.cosh()),
        "cosh" => (a.cosh(), a.sinh()),
        "tanh" => (a.tanh(), a.cosh().powi(-2)),
        "exp" => (a.exp(), a.exp()),
        "log" => (a.ln(), 1.0 / a),
        "sqrt" => (a.sqrt(), 0.5 / a.sqrt()),
        "abs" => (a.abs(), if a == 0.0 { 0.0 } else { a.signum() }),
        "sign" => (if a == 0.0 { 0.0 } else { a.signum() }, 0.0),
        _ => unreachable!("{name}"),
    };
    v.map(value, slope)
}

fn binary(name: &str, v: Dual, w: Dual) -> Dual {
    let (a, b) = (v.0, w.0);
    let (value, slopes) = match name {
        "+" => (a + b, [1.0, 1.0]),
        "-" => (a - b, [1.0, -1.0]),
        "*" => (a * b, [b, a]),
        "/" => (a / b, [1.0 / b, -a / (b * b)]),
        "atan2" => (a.atan2(b), [b / (a * a + b * b), -a / (a * a + b * b)]),
        "hypot" => (a.hypot(b), [a / a.hypot(b), b / a.hypot(b)]),
        "min" => (a.min(b), if a <= b { [1.0, 0.0] } else { [0.0, 1.0] }),
        "max" => (a.max(b), if a >= b { [1.0, 0.0] } else { [0.0, 1.0] }),
        _ => unreachable!("{name}"),
    };
    v.join(w, value, slopes)
}

/// Any expression; it may have no value at some points.
pub(crate) fn any_tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        3 => Just(Tree::X),
        3 => Just(Tree::Y),
        1 => prop_oneof![Just(0.0), Just(1.0), Just(-1.0), Just(2.0), Just(0.5)].prop_map(Tree::Number),
        1 => (-3.0..3.0).prop_map(Tree::Number),
    ];
    let one = prop::sample::select(vec![
        "-", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log",
        "sqrt", "abs", "sign",
    ]);
    let two = prop::sample::select(vec![
        "+", "-", "*", "/", "+", "-", "*", "atan2", "hypot", "min", "max",
    ]);
    leaf.prop_recursive(5, 40, 2, move |inner| {
        prop_oneof![
            2 => (one.clone(), inner.clone()).prop_map(|(f, a)| Tree::One(f, Box::new(a))),
            4 => (two.clone(), inner.clone(), inner.clone())
                .prop_map(|(f, a, b)| Tree::Two(f, Box::new(a), Box::new(b))),
            1 => (inner, -3..5_i32).prop_map(|(a, n)| Tree::Power(Box::new(a), n)),
        ]
    })
}
