//! Expressions as a list of instructions, evaluated without recursion and without allocation.

use super::arena::{Arena, Id, Node};
use super::ops::{self, Binary, Unary};

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
}

/// A group of expressions that are evaluated together; what they share is computed once.
#[derive(Clone, Debug, Default)]
pub(super) struct Tape {
    /// Constants, then variables, then one value per step.
    values: Vec<f64>,
    /// (place, index) of the coordinates that occur.
    coordinates: Vec<(u32, u32)>,
    /// (place, index) of the velocities that occur.
    velocities: Vec<(u32, u32)>,
    time: Option<u32>,
    steps: Vec<Step>,
    /// The outputs; those that are constant never change.
    outputs: Vec<f64>,
    /// (output, place) of the others.
    moving: Vec<(u32, u32)>,
}

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
        for (k, id) in (tape.values.len() as u32..).zip(inner) {
            place[id.index()] = k;
            tape.steps.push(step(arena.node(id), |c| place[c.index()]));
        }
        tape.values.resize(tape.values.len() + tape.steps.len(), 0.0);
        tape.outputs = roots.iter().map(|&r| arena.number(r).unwrap_or(0.0)).collect();
        let places = (0..).zip(roots.iter().map(|&r| (arena.number(r), place[r.index()])));
        tape.moving = places.filter(|(_, (n, _))| n.is_none()).map(|(k, (_, p))| (k, p)).collect();
        tape
    }

    fn add_leaf(&mut self, arena: &Arena, id: Id) -> u32 {
        let (place, dof) = (self.values.len() as u32, arena.dof() as u32);
        self.values.push(arena.number(id).unwrap_or(0.0));
        match arena.node(id) {
            Node::Variable(k) if k < dof => self.coordinates.push((place, k)),
            Node::Variable(k) if k < 2 * dof => self.velocities.push((place, k - dof)),
            Node::Variable(_) => self.time = Some(place),
            _ => {}
        }
        place
    }

    /// Evaluates the outputs. `u` may be empty where no velocity occurs.
    #[inline]
    pub(super) fn evaluate(&mut self, q: &[f64], u: &[f64], t: f64) -> &[f64] {
        let values = self.values.as_mut_slice();
        for &(place, i) in &self.coordinates {
            values[place as usize] = q[i as usize];
        }
        for &(place, i) in &self.velocities {
            values[place as usize] = u[i as usize];
        }
        if let Some(place) = self.time {
            values[place as usize] = t;
        }
        let first = values.len() - self.steps.len();
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
            };
        }
        for &(k, place) in &self.moving {
            self.outputs[k as usize] = values[place as usize];
        }
        &self.outputs
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
        // Leaves have places of their own and are never steps.
        Node::Number(_) | Node::Variable(_) => Step::Power(0, 0),
    }
}
