//! Expressions as a list of instructions, evaluated without recursion and without allocation.

use super::arena::{Arena, Id, Node};
use super::ops::{self, Binary, Unary};
use super::table::Interpolation;

/// An instruction; operands are places among the values.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    Square(u32),
    Unary(Unary, u32),
    Binary(Binary, u32, u32),
    Power(u32, u32),
    Choose(u32, u32, u32),
    Table(u32, u8, u32),
}

/// Coordinates, velocities, time, and what is given beside them.
pub(super) type Inputs<'a> = (&'a [f64], &'a [f64], f64, &'a [f64]);

/// A group of expressions that are evaluated together; what they share is computed once.
#[derive(Clone, Debug, Default)]
pub(super) struct Tape {
    /// The first of the values: constants, and room for the variables. One value per step follows them.
    leaves: Vec<f64>,
    /// (place, index) of the coordinates that occur.
    coordinates: Vec<(u32, u32)>,
    /// (place, index) of the velocities that occur.
    velocities: Vec<(u32, u32)>,
    time: Option<u32>,
    /// (place, index) of what is given beside the state.
    others: Vec<(u32, u32)>,
    tables: Vec<Interpolation>,
    steps: Vec<Step>,
    /// The places of the outputs.
    outputs: Vec<u32>,
}

/// Values on the stack, up to this many; longer tapes evaluate on the heap.
const STACK: usize = 4096;

impl Tape {
    /// Compiles the roots, which become the outputs in the same order.
    pub(super) fn new(arena: &Arena, roots: &[Id]) -> Self {
        let mut tape = Self::default();
        let nodes = arena.reachable(roots);
        let mut place = vec![0; nodes.last().map_or(0, |id| id.index() + 1)];
        let (leaves, inner): (Vec<Id>, Vec<Id>) = nodes
            .into_iter()
            .partition(|&id| matches!(arena.node(id), Node::Number(_) | Node::Variable(_)));
        for id in leaves {
            place[id.index()] = tape.add_leaf(arena, id);
        }
        for (k, id) in (tape.leaves.len() as u32..).zip(inner) {
            place[id.index()] = k;
            tape.steps.push(step(arena.node(id), |c| place[c.index()]));
        }
        if tape.steps.iter().any(|step| matches!(step, Step::Table(..))) {
            tape.tables = arena.tables().to_vec();
        }
        tape.outputs = roots.iter().map(|&r| place[r.index()]).collect();
        tape
    }

    fn add_leaf(&mut self, arena: &Arena, id: Id) -> u32 {
        let (place, dof) = (self.leaves.len() as u32, arena.dof() as u32);
        self.leaves.push(arena.number(id).unwrap_or(0.0));
        match arena.node(id) {
            Node::Variable(k) if k < dof => self.coordinates.push((place, k)),
            Node::Variable(k) if k < 2 * dof => self.velocities.push((place, k - dof)),
            Node::Variable(k) if k == 2 * dof => self.time = Some(place),
            Node::Variable(k) => self.others.push((place, k - 2 * dof - 1)),
            _ => {}
        }
        place
    }

    /// Evaluates the outputs, one for each number of `out`. `u` may be empty where no velocity occurs.
    #[inline]
    pub(super) fn evaluate<'a>(
        &self,
        (q, u, t): (&[f64], &[f64], f64),
        out: impl IntoIterator<Item = &'a mut f64>,
    ) {
        self.evaluate_with((q, u, t, &[]), out);
    }

    /// The same with what is given beside the state.
    #[inline]
    pub(super) fn evaluate_with<'a>(
        &self,
        (q, u, t, others): Inputs<'_>,
        out: impl IntoIterator<Item = &'a mut f64>,
    ) {
        // Room that is cleared costs less than the instructions it is for.
        match self.leaves.len() + self.steps.len() {
            0..=16 => self.evaluate_on(&mut [0.0; 16], (q, u, t, others), out),
            17..=64 => self.evaluate_on(&mut [0.0; 64], (q, u, t, others), out),
            65..=256 => self.evaluate_on(&mut [0.0; 256], (q, u, t, others), out),
            257..=1024 => self.evaluate_on(&mut [0.0; 1024], (q, u, t, others), out),
            1025..=STACK => self.evaluate_on(&mut [0.0; STACK], (q, u, t, others), out),
            many => self.evaluate_on(&mut vec![0.0; many], (q, u, t, others), out),
        }
    }

    fn evaluate_on<'a>(
        &self,
        values: &mut [f64],
        at: Inputs<'_>,
        out: impl IntoIterator<Item = &'a mut f64>,
    ) {
        self.go(values, at);
        for (out, place) in out.into_iter().zip(&self.outputs) {
            *out = values[*place as usize];
        }
    }

    fn go(&self, values: &mut [f64], (q, u, t, others): Inputs<'_>) {
        let first = self.leaves.len();
        values[..first].copy_from_slice(&self.leaves);
        for &(place, i) in &self.coordinates {
            values[place as usize] = q[i as usize];
        }
        for &(place, i) in &self.velocities {
            values[place as usize] = u[i as usize];
        }
        if let Some(place) = self.time {
            values[place as usize] = t;
        }
        for &(place, i) in &self.others {
            values[place as usize] = others.get(i as usize).copied().unwrap_or(f64::NAN);
        }
        for (k, step) in (first..).zip(&self.steps) {
            let v = |place: u32| values[place as usize];
            values[k] = match *step {
                Step::Add(a, b) => v(a) + v(b),
                Step::Sub(a, b) => v(a) - v(b),
                Step::Mul(a, b) => v(a) * v(b),
                Step::Square(a) => v(a) * v(a),
                Step::Unary(op, a) => op.apply(v(a)),
                Step::Binary(op, a, b) => op.apply(v(a), v(b)),
                Step::Power(a, n) => ops::power(v(a), n),
                Step::Choose(c, a, b) => v(if v(c) != 0.0 { a } else { b }),
                Step::Table(k, order, a) => self.tables[k as usize].value(v(a), order),
            };
        }
    }

    /// The number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// The number of instructions.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }
}

fn step(node: Node, place: impl Fn(Id) -> u32) -> Step {
    match node {
        Node::Binary(Binary::Add, a, b) => Step::Add(place(a), place(b)),
        Node::Binary(Binary::Sub, a, b) => Step::Sub(place(a), place(b)),
        Node::Binary(Binary::Mul, a, b) => Step::Mul(place(a), place(b)),
        Node::Binary(op, a, b) => Step::Binary(op, place(a), place(b)),
        Node::Unary(op, a) => Step::Unary(op, place(a)),
        Node::Power(a, 2) => Step::Square(place(a)),
        Node::Power(a, n) => Step::Power(place(a), n),
        Node::Choose(c, a, b) => Step::Choose(place(c), place(a), place(b)),
        Node::Table(table, order, a) => Step::Table(table, order, place(a)),
        // Leaves have places of their own and are never steps.
        Node::Number(_) | Node::Variable(_) => Step::Power(0, 0),
    }
}
