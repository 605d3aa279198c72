//! Making nodes: constants are folded, coefficients collected, equal terms joined.
//!
//! The rules are those that bring derivatives of energies to a short form: the mass matrix of a linear
//! system becomes numbers. A rule may change the last bits of a value and may take away a removable
//! singularity (v²/v is v). Each looks at one or two levels only.

use super::arena::{Arena, Id, Node};
use super::ops::{self, Binary, Unary};

/// The largest whole exponent that is kept apart from real ones.
const LARGEST_POWER: u32 = 64;

impl Arena {
    pub(super) fn unary(&mut self, op: Unary, a: Id) -> Id {
        if let Some(x) = self.number(a) {
            return self.constant(op.apply(x));
        }
        match (op, self.node(a)) {
            (Unary::Neg, _) => self.scale(-1.0, a),
            (_, Node::Unary(Unary::Neg, x)) if op.is_odd() => {
                let value = self.unary(op, x);
                self.scale(-1.0, value)
            }
            (_, Node::Unary(Unary::Neg, x)) if op.is_even() => self.unary(op, x),
            (Unary::Abs, Node::Unary(Unary::Abs | Unary::Sqrt | Unary::Exp, _)) => a,
            (Unary::Sqrt, Node::Power(x, 2)) => self.unary(Unary::Abs, x),
            _ => self.push(Node::Unary(op, a)),
        }
    }

    pub(super) fn binary(&mut self, op: Binary, a: Id, b: Id) -> Id {
        match op {
            Binary::Add => self.add(a, b),
            Binary::Sub => self.sub(a, b),
            Binary::Mul => self.mul(a, b),
            Binary::Div => self.div(a, b),
            Binary::Pow => self.pow(a, b),
            Binary::Min | Binary::Max if a == b => a,
            _ => match (self.number(a), self.number(b)) {
                (Some(x), Some(y)) => self.constant(op.apply(x, y)),
                _ => self.push(Node::Binary(op, a, b)),
            },
        }
    }

    pub(super) fn choose(&mut self, condition: Id, a: Id, b: Id) -> Id {
        match self.number(condition) {
            _ if a == b => a,
            Some(x) => {
                if x != 0.0 {
                    a
                } else {
                    b
                }
            }
            None => self.push(Node::Choose(condition, a, b)),
        }
    }

    /// A derivative of a table, 0 for the table itself. Those beyond the third vanish.
    pub(super) fn table(&mut self, table: u32, order: u8, a: Id) -> Id {
        match (self.number(a), self.tables().get(table as usize)) {
            _ if order > 3 => Self::ZERO,
            (Some(x), Some(points)) => {
                let value = points.value(x, order);
                self.constant(value)
            }
            _ => self.push(Node::Table(table, order, a)),
        }
    }

    pub(super) fn neg(&mut self, a: Id) -> Id {
        self.unary(Unary::Neg, a)
    }

    pub(super) fn add(&mut self, a: Id, b: Id) -> Id {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => return self.constant(x + y),
            (Some(0.0), _) => return b,
            (_, Some(0.0)) => return a,
            _ => {}
        }
        let ((p, x), (q, y)) = (self.split(a), self.split(b));
        if x == y && (p + q).is_finite() {
            return self.scale(p + q, x);
        }
        if p == q && self.is_sine_and_cosine(x, y) {
            return self.constant(p);
        }
        if q < 0.0 && self.number(b).is_none() {
            let positive = self.scale(-q, y);
            return self.push_difference(a, positive);
        }
        if p < 0.0 && self.number(a).is_none() {
            let positive = self.scale(-p, x);
            return self.push_difference(b, positive);
        }
        let (first, second) = self.ordered(a, b);
        self.push(Node::Binary(Binary::Add, first, second))
    }

    pub(super) fn sub(&mut self, a: Id, b: Id) -> Id {
        let negative = self.neg(b);
        self.add(a, negative)
    }

    /// a − b, where b has no sign to pull out; as −(x + b) where a is −x.
    fn push_difference(&mut self, a: Id, b: Id) -> Id {
        if let Node::Unary(Unary::Neg, x) = self.node(a) {
            let (first, second) = self.ordered(x, b);
            let sum = self.push(Node::Binary(Binary::Add, first, second));
            return self.push(Node::Unary(Unary::Neg, sum));
        }
        self.push(Node::Binary(Binary::Sub, a, b))
    }

    pub(super) fn mul(&mut self, a: Id, b: Id) -> Id {
        if let (Some(x), Some(y)) = (self.number(a), self.number(b)) {
            return self.constant(x * y);
        }
        if a == Self::ZERO || b == Self::ZERO {
            return Self::ZERO;
        }
        let ((p, x), (q, y)) = (self.split(a), self.split(b));
        if !(p * q).is_normal() {
            let (first, second) = self.ordered(a, b);
            return self.push(Node::Binary(Binary::Mul, first, second));
        }
        let product = self.product(x, y);
        self.scale(p * q, product)
    }

    pub(super) fn div(&mut self, a: Id, b: Id) -> Id {
        if let (Some(x), Some(y)) = (self.number(a), self.number(b)) {
            return self.constant(x / y);
        }
        if a == Self::ZERO || b == Self::ONE {
            return a;
        }
        let ((p, x), (q, y)) = (self.split(a), self.split(b));
        // x/3 stays as it is written: a product with 1/3 would be rounded twice.
        let exact = q == 1.0 || p != 1.0 || y != Self::ONE || q.to_bits() << 12 == 0;
        if !(p / q).is_normal() || !exact {
            return self.push(Node::Binary(Binary::Div, a, b));
        }
        let quotient = self.quotient(x, y);
        self.scale(p / q, quotient)
    }

    /// xⁿ.
    pub(super) fn power(&mut self, a: Id, n: u32) -> Id {
        if let Some(x) = self.number(a) {
            return self.constant(ops::power(x, n));
        }
        let halved = n.is_multiple_of(2).then_some(n / 2);
        match (self.node(a), halved) {
            _ if n == 0 => Self::ONE,
            _ if n == 1 => a,
            (Node::Power(x, m), _) if m.saturating_mul(n) <= LARGEST_POWER => self.power(x, m * n),
            (Node::Unary(Unary::Neg, _) | Node::Binary(Binary::Mul, ..), _) => {
                let (p, x) = self.split(a);
                let factor = ops::power(p, n);
                if p == 1.0 || !factor.is_normal() {
                    return self.push(Node::Power(a, n));
                }
                let rest = self.power(x, n);
                self.scale(factor, rest)
            }
            (Node::Unary(Unary::Sqrt, x), Some(half)) => self.power(x, half),
            (Node::Unary(Unary::Abs, x), Some(_)) => self.power(x, n),
            (Node::Binary(Binary::Hypot, x, y), Some(half)) => {
                let (xx, yy) = (self.power(x, 2), self.power(y, 2));
                let sum = self.add(xx, yy);
                self.power(sum, half)
            }
            _ => self.push(Node::Power(a, n)),
        }
    }

    /// a to a power that need not be whole.
    fn pow(&mut self, a: Id, b: Id) -> Id {
        let Some(y) = self.number(b) else {
            return if a == Self::ONE { a } else { self.push(Node::Binary(Binary::Pow, a, b)) };
        };
        if y.fract() == 0.0 && y.abs() <= f64::from(LARGEST_POWER) {
            let whole = self.power(a, y.abs() as u32);
            return if y < 0.0 { self.div(Self::ONE, whole) } else { whole };
        }
        if let Some(x) = self.number(a) {
            return self.constant(x.powf(y));
        }
        if y == 0.5 {
            self.unary(Unary::Sqrt, a)
        } else {
            self.push(Node::Binary(Binary::Pow, a, b))
        }
    }

    /// c a.
    fn scale(&mut self, c: f64, a: Id) -> Id {
        if let Some(x) = self.number(a) {
            return self.constant(c * x);
        }
        let (p, x) = self.split(a);
        let (k, x) = if (c * p).is_normal() { (c * p, x) } else { (c, a) };
        if c == 0.0 {
            return Self::ZERO;
        }
        if k == 1.0 {
            return x;
        }
        match self.node(x) {
            Node::Binary(Binary::Div, Self::ONE, y) => {
                let numerator = self.constant(k);
                self.push(Node::Binary(Binary::Div, numerator, y))
            }
            // −(y − z) is z − y, and −(3 + z) is −3 − z.
            Node::Binary(Binary::Sub, y, z) if k < 0.0 => {
                let flipped = self.push_difference(z, y);
                self.scale(-k, flipped)
            }
            Node::Binary(Binary::Add, y, z) if k == -1.0 && self.number(y).is_some() => {
                let negative = self.neg(y);
                self.push(Node::Binary(Binary::Sub, negative, z))
            }
            _ if k == -1.0 => self.push(Node::Unary(Unary::Neg, x)),
            _ => {
                let factor = self.constant(k);
                self.push(Node::Binary(Binary::Mul, factor, x))
            }
        }
    }

    /// An expression as a number times a rest; the rest of a number is one.
    fn split(&mut self, a: Id) -> (f64, Id) {
        match self.node(a) {
            Node::Number(bits) => (f64::from_bits(bits), Self::ONE),
            Node::Unary(Unary::Neg, x) => (-1.0, x),
            Node::Binary(Binary::Mul, c, x) => self.number(c).map_or((1.0, a), |c| (c, x)),
            Node::Binary(Binary::Div, c, y) => match self.number(c) {
                Some(c) if c != 1.0 => (c, self.push(Node::Binary(Binary::Div, Self::ONE, y))),
                _ => (1.0, a),
            },
            _ => (1.0, a),
        }
    }

    /// x y of expressions without coefficients.
    fn product(&mut self, x: Id, y: Id) -> Id {
        if x == Self::ONE || y == Self::ONE {
            return if x == Self::ONE { y } else { x };
        }
        let ((a, n), (b, m)) = (self.base(x), self.base(y));
        if a == b && n + m <= LARGEST_POWER {
            return self.power(a, n + m);
        }
        match (self.node(x), self.node(y)) {
            (_, Node::Binary(Binary::Div, Self::ONE, d)) => self.quotient(x, d),
            (Node::Binary(Binary::Div, Self::ONE, d), _) => self.quotient(y, d),
            _ => {
                let (first, second) = self.ordered(x, y);
                self.push(Node::Binary(Binary::Mul, first, second))
            }
        }
    }

    /// x/y of expressions without coefficients.
    fn quotient(&mut self, x: Id, y: Id) -> Id {
        if y == Self::ONE {
            return x;
        }
        let ((a, n), (b, m)) = (self.base(x), self.base(y));
        if a == b && n >= m {
            return self.power(a, n - m);
        }
        if a == b {
            let rest = self.power(a, m - n);
            return self.push(Node::Binary(Binary::Div, Self::ONE, rest));
        }
        self.push(Node::Binary(Binary::Div, x, y))
    }

    fn base(&self, a: Id) -> (Id, u32) {
        match self.node(a) {
            Node::Power(x, n) => (x, n),
            _ => (a, 1),
        }
    }

    /// sin² and cos² of the same, in either order.
    fn is_sine_and_cosine(&self, x: Id, y: Id) -> bool {
        let square = |id| match self.node(id) {
            Node::Power(root, 2) => Some(self.node(root)),
            _ => None,
        };
        match (square(x), square(y)) {
            (Some(Node::Unary(Unary::Sin, a)), Some(Node::Unary(Unary::Cos, b)))
            | (Some(Node::Unary(Unary::Cos, a)), Some(Node::Unary(Unary::Sin, b))) => a == b,
            _ => false,
        }
    }

    /// Numbers first, then by place: a + b and b + a are the same entry.
    fn ordered(&self, a: Id, b: Id) -> (Id, Id) {
        let key = |id| (self.number(id).is_none(), id);
        if key(b) < key(a) { (b, a) } else { (a, b) }
    }
}
