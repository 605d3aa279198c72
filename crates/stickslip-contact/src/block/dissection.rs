//! Nested dissection: which nodes to eliminate last (George 1973).
//!
//! The graph is halved by a small set of nodes without which its halves do not touch, and the halves
//! are halved again. A separator is found by the distances from two far ends, and made smaller by
//! moving its nodes to one half or the other (Fiduccia and Mattheyses 1982).

use super::{BALANCE, FRUITLESS, LEAF, PASSES, TRIES};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const LEFT: u8 = 0;
const RIGHT: u8 = 1;
const CUT: u8 = 2;
const OUTSIDE: u8 = 3;

/// The phase in which each of `n` nodes is to be eliminated: 0 inside of the smallest parts, more for
/// separators, the most for the first. Cost: a few passes over the graph per halving.
pub(super) fn phases<'a>(n: usize, neighbours: &impl Fn(usize) -> &'a [usize]) -> Vec<usize> {
    let mut d = Dissection {
        neighbours,
        side: vec![OUTSIDE; n],
        distance: vec![[usize::MAX; 2]; n],
        locked: vec![false; n],
        queue: Vec::with_capacity(n),
    };
    let mut depth = vec![usize::MAX; n];
    let mut parts: Vec<(usize, Vec<usize>)> = vec![(0, (0..n).collect())];
    let mut deepest = 0;
    while let Some((level, part)) = parts.pop() {
        if part.len() <= LEAF {
            continue;
        }
        let (left, right, cut) = d.halve(&part);
        if left.is_empty() || right.is_empty() {
            continue;
        }
        cut.iter().for_each(|&v| depth[v] = level);
        deepest = deepest.max(level);
        parts.push((level + 1, left));
        parts.push((level + 1, right));
    }
    depth.into_iter().map(|d| if d == usize::MAX { 0 } else { deepest + 1 - d }).collect()
}

struct Dissection<'f, F> {
    neighbours: &'f F,
    /// Half of each node of the present part; `OUTSIDE` for all others.
    side: Vec<u8>,
    /// Distances from the two ends.
    distance: Vec<[usize; 2]>,
    locked: Vec<bool>,
    queue: Vec<usize>,
}

impl<'a, F: Fn(usize) -> &'a [usize]> Dissection<'_, F> {
    /// Two halves that do not touch, and what separates them.
    fn halve(&mut self, part: &[usize]) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
        let mut best: Option<(usize, Vec<u8>)> = None;
        for attempt in 0..TRIES {
            let start = part[attempt * (part.len() - 1) / TRIES];
            part.iter().for_each(|&v| self.side[v] = LEFT);
            self.walk(part, start, 0);
            let end = self.queue.last().copied().unwrap_or(start);
            self.walk(part, end, 0);
            let other = self.queue.last().copied().unwrap_or(end);
            self.walk(part, other, 1);
            self.first_cut(part);
            for _ in 0..PASSES {
                if !self.improve(part) {
                    break;
                }
            }
            let size = part.iter().filter(|&&v| self.side[v] == CUT).count();
            if best.as_ref().is_none_or(|b| size < b.0) {
                best = Some((size, part.iter().map(|&v| self.side[v]).collect()));
            }
        }
        let (mut left, mut right, mut cut) = (Vec::new(), Vec::new(), Vec::new());
        for (&v, side) in part.iter().zip(best.map(|b| b.1).unwrap_or_default()) {
            self.side[v] = OUTSIDE;
            match side {
                LEFT => left.push(v),
                RIGHT => right.push(v),
                _ => cut.push(v),
            }
        }
        (left, right, cut)
    }

    /// Distances from `start` inside of the part; components that it does not reach follow one by one,
    /// each farther than the last.
    fn walk(&mut self, part: &[usize], start: usize, slot: usize) {
        part.iter().for_each(|&v| self.distance[v][slot] = usize::MAX);
        self.queue.clear();
        self.queue.push(start);
        self.distance[start][slot] = 0;
        let (mut at, mut unseen) = (0, part.iter());
        loop {
            while let Some(&v) = self.queue.get(at) {
                at += 1;
                let next = self.distance[v][slot] + 1;
                for &u in (self.neighbours)(v) {
                    if self.side[u] != OUTSIDE && self.distance[u][slot] == usize::MAX {
                        self.distance[u][slot] = next;
                        self.queue.push(u);
                    }
                }
            }
            let Some(&v) = unseen.find(|&&v| self.distance[v][slot] == usize::MAX) else { break };
            let far = self.queue.last().map_or(0, |&l| self.distance[l][slot] + 1);
            self.distance[v][slot] = far;
            self.queue.push(v);
        }
    }

    /// Halves by the difference of the distances; nodes of the right half that touch the left one
    /// become the separator.
    fn first_cut(&mut self, part: &[usize]) {
        let key = |v: usize| {
            let [near, far] = self.distance[v];
            (near.wrapping_sub(far) as isize, near, v)
        };
        let mut sorted: Vec<usize> = part.to_vec();
        sorted.sort_unstable_by_key(|&v| key(v));
        for (at, &v) in sorted.iter().enumerate() {
            self.side[v] = if 2 * at < sorted.len() { LEFT } else { RIGHT };
        }
        for &v in &sorted {
            let touches = |&&u: &&usize| self.side[u] == LEFT;
            if self.side[v] == RIGHT && (self.neighbours)(v).iter().any(|u| touches(&u)) {
                self.side[v] = CUT;
            }
        }
    }

    /// What moving v out of the separator to `to` makes it smaller by.
    fn gain(&self, v: usize, to: u8) -> isize {
        let other = 1 - to;
        1 - (self.neighbours)(v).iter().filter(|&&u| self.side[u] == other).count() as isize
    }

    /// One pass: moves each node out of the separator at most once, the most useful first, and takes
    /// back what came after the smallest separator. Whether it became smaller.
    fn improve(&mut self, part: &[usize]) -> bool {
        let most = (BALANCE * part.len() as f64) as usize;
        let mut sizes = [0usize; 3];
        part.iter().for_each(|&v| sizes[usize::from(self.side[v])] += 1);
        part.iter().for_each(|&v| self.locked[v] = false);
        let mut heap = BinaryHeap::new();
        for &v in part.iter().filter(|&&v| self.side[v] == CUT) {
            [LEFT, RIGHT].iter().for_each(|&to| heap.push((self.gain(v, to), Reverse(v), to)));
        }
        let first = sizes[2];
        let (mut least, mut undo): (usize, Vec<(usize, u8)>) = (first, Vec::new());
        let mut since = 0;
        while let Some((gain, Reverse(v), to)) = heap.pop() {
            if self.side[v] != CUT || self.locked[v] || gain != self.gain(v, to) {
                continue;
            }
            let other = 1 - to;
            if sizes[usize::from(to)] + 1 > most {
                continue;
            }
            since += 1;
            if since > FRUITLESS {
                break;
            }
            self.locked[v] = true;
            undo.push((v, CUT));
            self.side[v] = to;
            sizes[usize::from(to)] += 1;
            sizes[2] -= 1;
            for &u in (self.neighbours)(v) {
                if self.side[u] == other {
                    undo.push((u, other));
                    self.side[u] = CUT;
                    sizes[usize::from(other)] -= 1;
                    sizes[2] += 1;
                    for to in [LEFT, RIGHT] {
                        heap.push((self.gain(u, to), Reverse(u), to));
                    }
                    for &x in (self.neighbours)(u) {
                        if self.side[x] == CUT && !self.locked[x] {
                            heap.push((self.gain(x, to), Reverse(x), to));
                        }
                    }
                } else if self.side[u] == CUT && !self.locked[u] {
                    heap.push((self.gain(u, other), Reverse(u), other));
                }
            }
            if sizes[2] < least {
                least = sizes[2];
                undo.clear();
                since = 0;
            }
        }
        for &(v, side) in undo.iter().rev() {
            self.side[v] = side;
        }
        least < first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::FrontTree;

    /// Neighbours in a cube of `side`³ nodes.
    fn cube(side: usize) -> Vec<Vec<usize>> {
        let at = |x: usize, y: usize, z: usize| (z * side + y) * side + x;
        let mut near = vec![Vec::new(); side * side * side];
        for (x, y, z) in
            (0..side).flat_map(|z| (0..side).flat_map(move |y| (0..side).map(move |x| (x, y, z))))
        {
            for (dx, dy, dz) in [(1, 0, 0), (0, 1, 0), (0, 0, 1)] {
                let (u, v, w) = (x + dx, y + dy, z + dz);
                if u < side && v < side && w < side {
                    near[at(x, y, z)].push(at(u, v, w));
                    near[at(u, v, w)].push(at(x, y, z));
                }
            }
        }
        near
    }

    /// Nodes of the largest component, without the nodes that `skip` names.
    fn largest_component(near: &[Vec<usize>], skip: impl Fn(usize) -> bool) -> usize {
        let mut seen: Vec<bool> = (0..near.len()).map(&skip).collect();
        let mut largest = 0;
        for start in 0..near.len() {
            let mut stack = vec![start];
            let mut size = 0;
            while let Some(v) = stack.pop() {
                if !std::mem::replace(&mut seen[v], true) {
                    size += 1;
                    stack.extend(&near[v]);
                }
            }
            largest = largest.max(size);
        }
        largest
    }

    #[test]
    fn separators_leave_small_parts_that_do_not_touch() {
        let near = cube(12);
        let phase = phases(near.len(), &|i| near[i].as_slice());
        assert!(largest_component(&near, |v| phase[v] > 0) <= LEAF);
        let last = phase.iter().copied().max().unwrap();
        let half = largest_component(&near, |v| phase[v] == last);
        assert!(half <= (BALANCE * near.len() as f64) as usize, "{half}");
        let first = phase.iter().filter(|&&p| p == last).count();
        assert!(first <= 2 * 12 * 12, "{first}");
    }

    #[test]
    fn parts_that_never_touched_need_no_separator() {
        let near: Vec<Vec<usize>> = (0..1000).map(|i| vec![i ^ 1]).collect();
        let phase = phases(near.len(), &|i| near[i].as_slice());
        assert!(phase.iter().filter(|&&p| p > 0).count() <= 16);
    }

    #[test]
    fn a_large_cube_is_dissected_because_that_makes_less_work() {
        let near = cube(16);
        let neighbours = |i: usize| near[i].as_slice();
        let by_degree = FrontTree::ordered(near.len(), &neighbours, vec![0; near.len()]);
        let dissected =
            FrontTree::ordered(near.len(), &neighbours, phases(near.len(), &neighbours));
        assert!(dissected.work(|_| 1) < by_degree.work(|_| 1));
    }
}
