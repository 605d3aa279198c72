//! Expressions as one table of nodes in which equal expressions are the same entry.
//!
//! A node's children stand before it, so that every pass over an expression is a loop over the table
//! and no depth of nesting can exhaust the stack.

use super::ops::{Binary, Unary};
use super::table::Interpolation;
use std::collections::{BTreeMap, BTreeSet};

/// The most nodes a table may have: far beyond what a system of a hundred coordinates needs.
pub(super) const MOST_NODES: usize = 1 << 20;

/// The place of a node in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id(u32);

impl Id {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operation on nodes before it, or a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    /// A number, as its bits so that numbers can be looked up.
    Number(u64),
    /// A coordinate, a velocity, time, or what is given beside them, in this order.
    Variable(u32),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
    /// A whole power, at least 2.
    Power(Id, u32),
    /// The second where the first is not zero, else the third.
    Choose(Id, Id, Id),
    /// A derivative of a table, 0 for the table itself.
    Table(u32, u8, Id),
}

/// What an expression depends on, as a set of bits.
pub(super) mod depends {
    pub(crate) const COORDINATES: u8 = 1;
    pub(crate) const VELOCITIES: u8 = 2;
    pub(crate) const TIME: u8 = 4;
    pub(crate) const OTHERS: u8 = 8;
}

/// The table.
#[derive(Clone, Debug)]
pub(super) struct Arena {
    nodes: Vec<Node>,
    depends: Vec<u8>,
    ids: BTreeMap<Node, Id>,
    dof: usize,
    full: bool,
    tables: Vec<Interpolation>,
    /// The derivatives along the motion that were asked for.
    pub(super) rates: BTreeMap<Id, Id>,
    /// Bytes that sums and functions may still read again.
    work: usize,
}

/// Up to this many nodes are looked up one by one, and not in the whole table.
const FEW: usize = 256;

/// The most bytes of text that sums and functions read again, over all expressions of a system.
const MOST_WORK: usize = 1 << 22;

impl Arena {
    pub(super) const ZERO: Id = Id(0);
    pub(super) const ONE: Id = Id(1);

    /// A table for expressions in `dof` coordinates, `dof` velocities and time.
    pub(super) fn new(dof: usize) -> Self {
        let mut arena = Self {
            nodes: vec![],
            depends: vec![],
            ids: BTreeMap::new(),
            dof,
            full: false,
            tables: vec![],
            rates: BTreeMap::new(),
            work: MOST_WORK,
        };
        arena.constant(0.0);
        arena.constant(1.0);
        arena
    }

    pub(super) fn dof(&self) -> usize {
        self.dof
    }

    /// The table is full, and what was added since stands for nothing.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    pub(super) fn node(&self, id: Id) -> Node {
        self.nodes[id.index()]
    }

    /// What an expression depends on; see [`depends`].
    pub(super) fn depends(&self, id: Id) -> u8 {
        self.depends[id.index()]
    }

    pub(super) fn number(&self, id: Id) -> Option<f64> {
        match self.node(id) {
            Node::Number(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub(super) fn constant(&mut self, x: f64) -> Id {
        // One zero and one NaN, so that they are found again.
        let x = if x == 0.0 { 0.0 } else { x };
        self.push(Node::Number(if x.is_nan() { f64::NAN } else { x }.to_bits()))
    }

    /// A table that expressions can then use by its place among the tables.
    pub(super) fn add_table(&mut self, table: Interpolation) -> u32 {
        self.tables.push(table);
        self.tables.len() as u32 - 1
    }

    pub(super) fn tables(&self) -> &[Interpolation] {
        &self.tables
    }

    /// Takes work from what is left; false if there is none.
    pub(super) fn spend(&mut self, work: usize) -> bool {
        self.work = self.work.saturating_sub(work);
        self.work > 0
    }

    pub(super) fn coordinate(&mut self, i: usize) -> Id {
        self.variable(i)
    }

    pub(super) fn velocity(&mut self, i: usize) -> Id {
        self.variable(self.dof + i)
    }

    pub(super) fn time(&mut self) -> Id {
        self.variable(2 * self.dof)
    }

    /// What is given beside the state.
    pub(super) fn other(&mut self, i: usize) -> Id {
        self.variable(2 * self.dof + 1 + i)
    }

    fn variable(&mut self, k: usize) -> Id {
        self.push(Node::Variable(u32::try_from(k).unwrap_or(u32::MAX)))
    }

    /// The node as it is, without any simplification.
    pub(super) fn push(&mut self, node: Node) -> Id {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        if self.nodes.len() >= MOST_NODES {
            self.full = true;
            return Self::ZERO;
        }
        let id = Id(self.nodes.len() as u32);
        let depends = match node {
            Node::Number(_) => 0,
            Node::Variable(k) if (k as usize) < self.dof => depends::COORDINATES,
            Node::Variable(k) if (k as usize) < 2 * self.dof => depends::VELOCITIES,
            Node::Variable(k) if k as usize == 2 * self.dof => depends::TIME,
            Node::Variable(_) => depends::OTHERS,
            _ => children(node).into_iter().flatten().fold(0, |all, c| all | self.depends(c)),
        };
        self.nodes.push(node);
        self.depends.push(depends);
        self.ids.insert(node, id);
        id
    }

    /// All nodes that these expressions are made of, children first, in the order of their numbers.
    pub(super) fn reachable(&self, roots: &[Id]) -> Vec<Id> {
        self.few_reachable(roots).unwrap_or_else(|| self.many_reachable(roots))
    }

    /// The same in a time that does not grow with the table; none if they are many.
    fn few_reachable(&self, roots: &[Id]) -> Option<Vec<Id>> {
        let mut open: BTreeSet<Id> = roots.iter().copied().collect();
        let mut found = vec![];
        while let Some(id) = open.pop_last() {
            if found.len() == FEW {
                return None;
            }
            found.push(id);
            if let Some(&node) = self.nodes.get(id.index()) {
                open.extend(children(node).into_iter().flatten());
            }
        }
        found.reverse();
        Some(found)
    }

    fn many_reachable(&self, roots: &[Id]) -> Vec<Id> {
        let Some(last) = roots.iter().max() else { return vec![] };
        let mut marked = vec![false; last.index() + 1];
        roots.iter().for_each(|r| marked[r.index()] = true);
        for k in (0..marked.len()).rev().filter(|&k| self.nodes.len() > k) {
            if marked[k] {
                children(self.nodes[k])
                    .into_iter()
                    .flatten()
                    .for_each(|c| marked[c.index()] = true);
            }
        }
        (0..).zip(&marked).filter(|(_, m)| **m).map(|(k, _)| Id(k)).collect()
    }

    /// The expressions with velocities replaced by zero.
    pub(super) fn at_rest(&mut self, root: Id) -> Id {
        let mut image = vec![Self::ZERO; root.index() + 1];
        for id in self.reachable(&[root]) {
            let at = |c: Id| image[c.index()];
            image[id.index()] = match self.node(id) {
                Node::Variable(_) if self.depends(id) == depends::VELOCITIES => Self::ZERO,
                leaf @ (Node::Number(_) | Node::Variable(_)) => self.push(leaf),
                Node::Unary(op, a) => self.unary(op, at(a)),
                Node::Binary(op, a, b) => self.binary(op, at(a), at(b)),
                Node::Power(a, n) => self.power(at(a), n),
                Node::Choose(c, a, b) => self.choose(at(c), at(a), at(b)),
                Node::Table(table, order, a) => self.table(table, order, at(a)),
            };
        }
        image[root.index()]
    }

    /// The first velocity that an expression depends on.
    pub(super) fn first_velocity(&self, root: Id) -> Option<usize> {
        if self.depends(root) & depends::VELOCITIES == 0 {
            return None;
        }
        self.reachable(&[root]).into_iter().find_map(|id| match self.node(id) {
            Node::Variable(k) => (k as usize).checked_sub(self.dof).filter(|&i| i < self.dof),
            _ => None,
        })
    }
}

pub(super) fn children(node: Node) -> [Option<Id>; 3] {
    match node {
        Node::Number(_) | Node::Variable(_) => [None; 3],
        Node::Unary(_, a) | Node::Power(a, _) | Node::Table(_, _, a) => [Some(a), None, None],
        Node::Binary(_, a, b) => [Some(a), Some(b), None],
        Node::Choose(c, a, b) => [Some(c), Some(a), Some(b)],
    }
}
