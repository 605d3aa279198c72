//! An elimination order by approximate minimum degree, and the tree of fronts that comes with it
//! (Amestoy, Davis, Duff 1996).
//!
//! The graph is kept as a quotient: a variable knows variables and elements next to it; an element is
//! an eliminated pivot and knows the variables of its front. Variables with the same neighbours
//! become one and are eliminated together.

use super::dissection::phases;
use super::{DISSECT_ABOVE, FEW_PIVOTS, FEW_ZEROS, TREES_KEPT};
use crate::block::BlockMatrix;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One front: nodes eliminated in it, and nodes that it updates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Front {
    pub(crate) pivots: Vec<usize>,
    pub(crate) rows: Vec<usize>,
    /// Number of children, which are the fronts left on the stack before this one.
    pub(crate) children: usize,
}

/// Fronts in an order in which children come before their parent, and last children last.
#[derive(Clone, Debug, Default)]
pub struct FrontTree {
    pub(crate) fronts: Vec<Front>,
}

/// The trees of the patterns that were met last: a contact that opens and closes brings the same patterns back.
#[derive(Clone, Debug, Default)]
pub struct FrontTrees {
    /// Pattern, as starts of the rows and columns, and tree.
    kept: Vec<(Vec<usize>, Vec<usize>, FrontTree)>,
    chosen: usize,
    /// The one that gives way to the next new one.
    next: usize,
}

impl FrontTrees {
    /// Finds the tree of a matrix, or makes it.
    pub fn choose(&mut self, w: &BlockMatrix) {
        let (starts, columns) = w.pattern();
        if let Some(at) = self.kept.iter().position(|(s, c, _)| s == starts && c == columns) {
            self.chosen = at;
            return;
        }
        let made = (starts.to_vec(), columns.to_vec(), FrontTree::of(w));
        self.chosen = self.next;
        if self.kept.len() < TREES_KEPT {
            self.kept.push(made);
        } else {
            self.kept[self.next] = made;
        }
        self.next = (self.next + 1) % TREES_KEPT;
    }

    /// The tree found last.
    ///
    /// # Panics
    /// If none was.
    #[must_use]
    pub fn chosen(&self) -> &FrontTree {
        &self.kept[self.chosen].2
    }
}

#[derive(Default)]
struct Quotient {
    /// Neighbouring variables of each variable.
    variables: Vec<Vec<usize>>,
    /// Neighbouring elements of each variable.
    elements: Vec<Vec<usize>>,
    /// Variables of each element; empty once absorbed.
    fronts: Vec<Vec<usize>>,
    /// Original nodes of each variable; empty once eliminated or merged into another.
    members: Vec<Vec<usize>>,
    degree: Vec<usize>,
    /// When each node is due: all of an earlier phase go before.
    phase: Vec<usize>,
    heap: BinaryHeap<Reverse<(usize, usize, usize)>>,
    mark: Vec<usize>,
    stamp: usize,
}

/// A front as it is found: its pivot's nodes, the nodes it updates, the elements it absorbs.
struct Found {
    pivots: Vec<usize>,
    rows: Vec<usize>,
    absorbed: Vec<usize>,
}

impl FrontTree {
    /// The tree for a graph of `n` nodes. `neighbours(i)` need not leave out i itself, and has to be
    /// symmetric. By minimum degree, or by nested dissection where that makes less work. Cost: nearly
    /// linear in the entries of the factors' pattern.
    pub fn new<'a>(n: usize, neighbours: impl Fn(usize) -> &'a [usize]) -> Self {
        let tree = Self::ordered(n, &neighbours, vec![0; n]);
        let work = tree.work(|_| 1);
        if work < DISSECT_ABOVE {
            return tree;
        }
        let dissected = Self::ordered(n, &neighbours, phases(n, &neighbours));
        if dissected.work(|_| 1) < work { dissected } else { tree }
    }

    /// The tree of a matrix.
    #[must_use]
    pub fn of(w: &BlockMatrix) -> Self {
        Self::new(w.len(), |i| w.row_arrays(i).0)
    }

    /// All nodes in the order of their elimination.
    pub fn order(&self) -> impl Iterator<Item = usize> {
        self.fronts.iter().flat_map(|f| f.pivots.iter().copied())
    }

    /// The tree by minimum degree within each phase.
    pub(super) fn ordered<'a>(
        n: usize,
        neighbours: &impl Fn(usize) -> &'a [usize],
        phase: Vec<usize>,
    ) -> Self {
        let mut q = Quotient {
            variables: (0..n)
                .map(|i| neighbours(i).iter().copied().filter(|&j| j != i).collect())
                .collect(),
            elements: vec![Vec::new(); n],
            fronts: vec![Vec::new(); n],
            members: (0..n).map(|i| vec![i]).collect(),
            degree: vec![0; n],
            phase,
            heap: BinaryHeap::new(),
            mark: vec![0; n],
            stamp: 0,
        };
        for i in 0..n {
            q.degree[i] = q.variables[i].len();
            q.heap.push(Reverse((q.phase[i], q.degree[i], i)));
        }
        let mut found: Vec<Option<Found>> = (0..n).map(|_| None).collect();
        let mut order = Vec::new();
        while let Some(Reverse((_, degree, p))) = q.heap.pop() {
            if q.members[p].is_empty() || degree != q.degree[p] {
                continue;
            }
            found[p] = Some(q.eliminate(p));
            order.push(p);
        }
        Self { fronts: arrange(found, &order) }
    }
}

impl FrontTree {
    /// Multiplications and additions of a factorisation with these sizes of nodes.
    pub fn work(&self, size: impl Fn(usize) -> usize) -> f64 {
        let count = |nodes: &[usize]| nodes.iter().map(|&v| size(v)).sum::<usize>() as f64;
        let of = |f: &Front| {
            let (p, r) = (count(&f.pivots), count(&f.rows));
            2.0 * p * (p * p / 3.0 + p * r + r * r)
        };
        self.fronts.iter().map(of).sum()
    }
}

impl Quotient {
    fn eliminate(&mut self, p: usize) -> Found {
        self.stamp += 1;
        let stamp = self.stamp;
        self.mark[p] = stamp;
        let absorbed = std::mem::take(&mut self.elements[p]);
        let mut front = Vec::new();
        let near = std::mem::take(&mut self.variables[p]);
        for &e in &absorbed {
            for v in std::mem::take(&mut self.fronts[e]) {
                self.take(v, stamp, &mut front);
            }
        }
        for v in near {
            self.take(v, stamp, &mut front);
        }
        let pivots = std::mem::take(&mut self.members[p]);
        for &v in &front {
            let (mark, members) = (&self.mark, &self.members);
            self.variables[v].retain(|&x| mark[x] != stamp && !members[x].is_empty());
            self.elements[v].retain(|e| !absorbed.contains(e));
            self.elements[v].push(p);
        }
        let rows = front.iter().flat_map(|&v| self.members[v].iter().copied()).collect();
        let front = self.merge_equal(front);
        self.fronts[p] = front;
        self.update_degrees(p);
        Found { pivots, rows, absorbed }
    }

    fn take(&mut self, v: usize, stamp: usize, front: &mut Vec<usize>) {
        if self.mark[v] != stamp && !self.members[v].is_empty() {
            self.mark[v] = stamp;
            front.push(v);
        }
    }

    /// Variables of a front with the same neighbours become one.
    fn merge_equal(&mut self, front: Vec<usize>) -> Vec<usize> {
        let mut keyed: Vec<(usize, usize, usize)> = front
            .iter()
            .enumerate()
            .map(|(at, &v)| {
                self.variables[v].sort_unstable();
                self.elements[v].sort_unstable();
                let sum = self.variables[v].iter().chain(&self.elements[v]);
                let key = sum.fold(0usize, |k, &x| k.wrapping_add(x.wrapping_mul(0x9e37_79b9)));
                (key, at, v)
            })
            .collect();
        keyed.sort_unstable();
        for i in 0..keyed.len() {
            let (key, _, v) = keyed[i];
            if self.members[v].is_empty() {
                continue;
            }
            for &(_, _, u) in keyed[i + 1..].iter().take_while(|k| k.0 == key) {
                let same = !self.members[u].is_empty()
                    && self.phase[u] == self.phase[v]
                    && self.variables[u] == self.variables[v]
                    && self.elements[u] == self.elements[v];
                if same {
                    let gone = std::mem::take(&mut self.members[u]);
                    self.members[v].extend(gone);
                }
            }
        }
        front.into_iter().filter(|&v| !self.members[v].is_empty()).collect()
    }

    /// Upper bounds of the degrees of the variables in front p, by sizes of elements outside of it.
    fn update_degrees(&mut self, p: usize) {
        let front = std::mem::take(&mut self.fronts[p]);
        let weight = |q: &Self, v: usize| q.members[v].len();
        let own: usize = front.iter().map(|&v| weight(self, v)).sum();
        for &v in &front {
            let near: usize = self.variables[v].iter().map(|&u| weight(self, u)).sum();
            let mut degree = near + own - weight(self, v);
            for &e in self.elements[v].iter().filter(|&&e| e != p) {
                let stamp = self.stamp;
                let outside = self.fronts[e].iter().filter(|&&u| self.mark[u] != stamp);
                degree += outside.map(|&u| weight(self, u)).sum::<usize>();
            }
            self.degree[v] = degree;
            self.heap.push(Reverse((self.phase[v], degree, v)));
        }
        self.fronts[p] = front;
    }
}

/// Merges small fronts into their parents and puts all in the order of a depth-first walk.
fn arrange(mut found: Vec<Option<Found>>, order: &[usize]) -> Vec<Front> {
    let mut parent = vec![usize::MAX; found.len()];
    for &p in order {
        let Some(f) = &found[p] else { continue };
        for &e in &f.absorbed {
            parent[e] = p;
        }
    }
    let mut merged_into: Vec<usize> = (0..found.len()).collect();
    for &c in order {
        let p = parent[c];
        let (Some(child), Some(up)) = (&found[c], found.get(p).and_then(Option::as_ref)) else {
            continue;
        };
        let all = up.pivots.len() + up.rows.len();
        let zeros = all.saturating_sub(child.rows.len()) * child.pivots.len();
        let few = child.pivots.len() + up.pivots.len() <= FEW_PIVOTS;
        let small = zeros * FEW_ZEROS <= child.pivots.len() * all;
        if zeros == 0 || few || small {
            let gone = found[c].take();
            if let (Some(mut gone), Some(up)) = (gone, found[p].as_mut()) {
                gone.pivots.append(&mut up.pivots);
                up.pivots = gone.pivots;
                merged_into[c] = p;
            }
        }
    }
    for &c in order.iter().rev() {
        // Parents come later in the order, so theirs is final.
        merged_into[c] = merged_into[merged_into[c]];
        if let Some(&p) = merged_into.get(parent[c]) {
            parent[c] = p;
        }
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); found.len()];
    let mut roots = Vec::new();
    for &c in order.iter().filter(|&&c| found[c].is_some()) {
        match children.get_mut(parent[c]) {
            Some(list) => list.push(c),
            None => roots.push(c),
        }
    }
    let mut fronts = Vec::new();
    let mut stack: Vec<(usize, bool)> = roots.into_iter().rev().map(|r| (r, false)).collect();
    while let Some((node, entered)) = stack.pop() {
        if !entered {
            stack.push((node, true));
            stack.extend(children[node].iter().rev().map(|&c| (c, false)));
        } else if let Some(f) = found[node].take() {
            let children = children[node].len();
            fronts.push(Front { pivots: f.pivots, rows: f.rows, children });
        }
    }
    fronts
}
