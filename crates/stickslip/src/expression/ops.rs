//! The operations an expression is made of, and their values.

/// An operation on one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unary {
    Neg,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Sqrt,
    Abs,
    Sign,
}

impl Unary {
    #[inline]
    pub(super) fn apply(self, x: f64) -> f64 {
        match self {
            Self::Neg => -x,
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Tan => x.tan(),
            Self::Asin => x.asin(),
            Self::Acos => x.acos(),
            Self::Atan => x.atan(),
            Self::Sinh => x.sinh(),
            Self::Cosh => x.cosh(),
            Self::Tanh => x.tanh(),
            Self::Exp => x.exp(),
            Self::Log => x.ln(),
            Self::Sqrt => x.sqrt(),
            Self::Abs => x.abs(),
            Self::Sign => sign(x),
        }
    }

    /// f(−x) = −f(x).
    pub(super) fn is_odd(self) -> bool {
        use Unary::*;
        matches!(self, Sin | Tan | Asin | Atan | Sinh | Tanh | Sign)
    }

    /// f(−x) = f(x).
    pub(super) fn is_even(self) -> bool {
        matches!(self, Self::Cos | Self::Cosh | Self::Abs)
    }
}

/// −1, 0 or 1; unlike `f64::signum` zero at zero, as the derivative of |x| has to be.
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Atan2,
    Hypot,
    Min,
    Max,
    /// 1 where a ≤ b, else 0: also chooses the branch in the derivatives of `min` and `max`.
    NotAbove,
    /// 1 where a < b, else 0.
    Below,
    /// 1 where a = b, else 0.
    Equal,
}

impl Binary {
    #[inline]
    pub(super) fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Div => a / b,
            Self::Pow => a.powf(b),
            Self::Atan2 => a.atan2(b),
            Self::Hypot => a.hypot(b),
            // Unlike `f64::min`, a number that is not one comes through.
            Self::Min => {
                if a <= b || a.is_nan() {
                    a
                } else {
                    b
                }
            }
            Self::Max => {
                if a >= b || a.is_nan() {
                    a
                } else {
                    b
                }
            }
            Self::NotAbove => f64::from(u8::from(a <= b)),
            Self::Below => f64::from(u8::from(a < b)),
            Self::Equal => f64::from(u8::from(a == b)),
        }
    }
}

/// xⁿ by repeated squaring, the same bits on every machine.
#[inline]
pub(super) fn power(x: f64, n: u32) -> f64 {
    let (mut base, mut left, mut product) = (x, n, 1.0);
    while left > 0 {
        if left & 1 == 1 {
            product *= base;
        }
        base *= base;
        left >>= 1;
    }
    product
}

/// What a name with parentheses behind it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    One(Unary),
    Two(Binary),
    /// The derivative with respect to time along a motion.
    Rate,
    /// The second argument where the first is not zero, else the third.
    If,
    /// The fourth argument, added up for an index, the first, from the second to the third.
    Sum,
}

impl Call {
    pub(super) fn arguments(self) -> usize {
        match self {
            Self::Sum => 4,
            Self::If => 3,
            Self::Two(_) => 2,
            Self::One(_) | Self::Rate => 1,
        }
    }
}

/// All functions by name.
pub(super) const FUNCTIONS: [(&str, Call); 21] = [
    ("sin", Call::One(Unary::Sin)),
    ("cos", Call::One(Unary::Cos)),
    ("tan", Call::One(Unary::Tan)),
    ("asin", Call::One(Unary::Asin)),
    ("acos", Call::One(Unary::Acos)),
    ("atan", Call::One(Unary::Atan)),
    ("sinh", Call::One(Unary::Sinh)),
    ("cosh", Call::One(Unary::Cosh)),
    ("tanh", Call::One(Unary::Tanh)),
    ("exp", Call::One(Unary::Exp)),
    ("log", Call::One(Unary::Log)),
    ("sqrt", Call::One(Unary::Sqrt)),
    ("abs", Call::One(Unary::Abs)),
    ("sign", Call::One(Unary::Sign)),
    ("atan2", Call::Two(Binary::Atan2)),
    ("hypot", Call::Two(Binary::Hypot)),
    ("min", Call::Two(Binary::Min)),
    ("max", Call::Two(Binary::Max)),
    ("rate", Call::Rate),
    ("if", Call::If),
    ("sum", Call::Sum),
];

/// The function of a name.
pub(super) fn function(name: &str) -> Option<Call> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|&(_, call)| call)
}
