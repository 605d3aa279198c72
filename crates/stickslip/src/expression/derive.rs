//! Derivatives, as expressions.

use super::arena::{Arena, Id, Node, children};
use super::ops::{Binary, Unary};

/// Along which variables to differentiate, and how fast each moves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Direction {
    /// ∂/∂q_i.
    Coordinate(usize),
    /// ∂/∂u_i.
    Velocity(usize),
    /// ∂/∂t.
    Time,
    /// d/dt along a motion with constant velocities: q̇ = u, u̇ = 0.
    Motion,
}

impl Arena {
    /// The derivative of every root. Costs a constant times n log n for the n nodes that they are made of, however many others there are.
    pub(super) fn derive(&mut self, roots: &[Id], direction: Direction) -> Vec<Id> {
        if roots.is_empty() || self.is_full() {
            return vec![Self::ZERO; roots.len()];
        }
        let nodes = self.reachable(roots);
        // In the order of the nodes, which is that of their numbers; children come first.
        let mut slopes = vec![Self::ZERO; nodes.len()];
        let place = |id: Id| nodes.binary_search(&id).unwrap_or_default();
        for (k, &id) in nodes.iter().enumerate() {
            if self.is_full() {
                break;
            }
            slopes[k] = self.slope(id, direction, |id: Id| slopes[place(id)]);
        }
        roots.iter().map(|&r| slopes[place(r)]).collect()
    }

    /// The derivative along the motion. A node that was derived before is not derived again, so that all rates together cost no more
    /// than the table has nodes, however often sums and functions ask for them.
    pub(super) fn rate(&mut self, root: Id) -> Id {
        let mut known = std::mem::take(&mut self.rates);
        let mut open = vec![root];
        while let Some(&id) = open.last() {
            if self.is_full() {
                break;
            }
            let first = open.len();
            let unknown = |c: &Id| !known.contains_key(c);
            open.extend(children(self.node(id)).into_iter().flatten().filter(unknown));
            if open.len() > first {
                continue;
            }
            open.pop();
            if unknown(&id) {
                let slope = |c: Id| known.get(&c).copied().unwrap_or(Self::ZERO);
                let slope = self.slope(id, Direction::Motion, slope);
                known.insert(id, slope);
            }
        }
        let found = known.get(&root).copied().unwrap_or(Self::ZERO);
        self.rates = known;
        found
    }

    /// The derivative of a node from those of its children.
    fn slope(&mut self, id: Id, direction: Direction, slope: impl Fn(Id) -> Id) -> Id {
        match self.node(id) {
            Node::Number(_) => Self::ZERO,
            Node::Variable(k) => self.seed(k as usize, direction),
            Node::Unary(op, a) => self.slope_of_unary(op, a, id, slope(a)),
            Node::Binary(op, a, b) => self.slope_of_binary(op, [a, b], id, [slope(a), slope(b)]),
            Node::Power(a, n) => {
                let (factor, rest) = (self.constant(f64::from(n)), self.power(a, n - 1));
                self.product_of([factor, rest, slope(a)])
            }
            Node::Choose(c, a, b) => self.choose(c, slope(a), slope(b)),
            Node::Table(_, _, a) if slope(a) == Self::ZERO => Self::ZERO,
            Node::Table(table, order, a) => {
                let steepness = self.table(table, order + 1, a);
                self.mul(steepness, slope(a))
            }
        }
    }

    /// [`derive`](Self::derive) of one root.
    pub(super) fn derivative(&mut self, root: Id, direction: Direction) -> Id {
        self.derive(&[root], direction).first().copied().unwrap_or(Self::ZERO)
    }

    fn seed(&mut self, k: usize, direction: Direction) -> Id {
        let dof = self.dof();
        let hit = match direction {
            Direction::Coordinate(i) => k == i,
            Direction::Velocity(i) => k == dof + i,
            Direction::Time => k == 2 * dof,
            Direction::Motion if k < dof => return self.velocity(k),
            Direction::Motion => k == 2 * dof,
        };
        if hit { Self::ONE } else { Self::ZERO }
    }

    fn slope_of_unary(&mut self, op: Unary, a: Id, value: Id, da: Id) -> Id {
        if da == Self::ZERO {
            return Self::ZERO;
        }
        let slope = match op {
            Unary::Neg => return self.neg(da),
            Unary::Sin => self.unary(Unary::Cos, a),
            Unary::Cos => {
                let sine = self.unary(Unary::Sin, a);
                self.neg(sine)
            }
            Unary::Sinh => self.unary(Unary::Cosh, a),
            Unary::Cosh => self.unary(Unary::Sinh, a),
            Unary::Exp => value,
            Unary::Abs => self.unary(Unary::Sign, a),
            Unary::Sign => return Self::ZERO,
            Unary::Tan => {
                let square = self.power(value, 2);
                self.add(Self::ONE, square)
            }
            Unary::Tanh => {
                let square = self.power(value, 2);
                self.sub(Self::ONE, square)
            }
            Unary::Log => return self.div(da, a),
            Unary::Sqrt => {
                let two = self.constant(2.0);
                let twice = self.mul(two, value);
                return self.div(da, twice);
            }
            Unary::Atan => {
                let square = self.power(a, 2);
                let below = self.add(Self::ONE, square);
                return self.div(da, below);
            }
            Unary::Asin | Unary::Acos => {
                let square = self.power(a, 2);
                let rest = self.sub(Self::ONE, square);
                let root = self.unary(Unary::Sqrt, rest);
                let quotient = self.div(da, root);
                return if op == Unary::Asin { quotient } else { self.neg(quotient) };
            }
        };
        self.mul(slope, da)
    }

    fn slope_of_binary(&mut self, op: Binary, [a, b]: [Id; 2], value: Id, [da, db]: [Id; 2]) -> Id {
        if da == Self::ZERO && db == Self::ZERO {
            return Self::ZERO;
        }
        match op {
            Binary::Add => self.add(da, db),
            Binary::Sub => self.sub(da, db),
            Binary::Mul => {
                let (x, y) = (self.mul(da, b), self.mul(a, db));
                self.add(x, y)
            }
            Binary::Div => {
                // (a' − (a/b) b')/b.
                let carried = self.mul(value, db);
                let above = self.sub(da, carried);
                self.div(above, b)
            }
            Binary::Pow => self.slope_of_power([a, b], value, [da, db]),
            Binary::Atan2 => {
                let (x, y) = (self.mul(b, da), self.mul(a, db));
                let (aa, bb) = (self.power(a, 2), self.power(b, 2));
                let (above, below) = (self.sub(x, y), self.add(aa, bb));
                self.div(above, below)
            }
            Binary::Hypot => {
                let (x, y) = (self.mul(a, da), self.mul(b, db));
                let above = self.add(x, y);
                self.div(above, value)
            }
            Binary::Min => {
                let first = self.binary(Binary::NotAbove, a, b);
                self.choose(first, da, db)
            }
            Binary::Max => {
                let first = self.binary(Binary::NotAbove, b, a);
                self.choose(first, da, db)
            }
            Binary::NotAbove | Binary::Below | Binary::Equal => Self::ZERO,
        }
    }

    /// (aᵇ)' = b aᵇ⁻¹ a' + aᵇ log(a) b'.
    fn slope_of_power(&mut self, [a, b]: [Id; 2], value: Id, [da, db]: [Id; 2]) -> Id {
        let mut slope = Self::ZERO;
        if da != Self::ZERO {
            let less = self.sub(b, Self::ONE);
            let lower = self.binary(Binary::Pow, a, less);
            slope = self.product_of([b, lower, da]);
        }
        if db != Self::ZERO {
            let log = self.unary(Unary::Log, a);
            let second = self.product_of([value, log, db]);
            slope = self.add(slope, second);
        }
        slope
    }

    fn product_of(&mut self, [x, y, z]: [Id; 3]) -> Id {
        if z == Self::ZERO {
            return Self::ZERO;
        }
        let xy = self.mul(x, y);
        self.mul(xy, z)
    }
}
