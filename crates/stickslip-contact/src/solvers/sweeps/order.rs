//! The order of a sweep: bodies halved again and again, with the contacts between two halves after those inside of them.
//!
//! Bodies are numbered by breadth first from one at the rim, so that contacts join bodies with near numbers; halves are halves of these
//! numbers. The contacts of both halves have no body in common, and may be swept at the same time; what comes out does not depend on
//! whether they are. Where halves end depends on the problem alone.

use crate::body_rows::{BodyRows, NONE};
use std::ops::Range;

/// Parts with fewer contacts than twice this are not halved: to hand out a half costs as much as to sweep over tens of contacts.
const LEAF: usize = 512;

/// A numbering of bodies and contacts, and the tree of the parts. The children of part n are 2n and 2n + 1; the whole is part 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// The number of each body of the problem.
    pub(super) body: Vec<u32>,
    /// The contact of the problem that has a number, and the number of each contact.
    pub(super) contact: Vec<u32>,
    pub(super) number: Vec<u32>,
    bodies: usize,
    depth: u32,
    /// Where the contacts of a part that are not in its halves end.
    ends: Vec<usize>,
    queue: Vec<u32>,
}

impl Order {
    pub(super) fn fill(&mut self, rows: &BodyRows) {
        let k = rows.len();
        self.bodies = rows.bodies();
        self.depth = (k / LEAF).max(1).ilog2().min(self.bodies.max(1).ilog2());
        self.number_bodies(rows);
        self.number_contacts(rows);
    }

    /// The contacts of a part's halves, how many bodies the first half has, if it is halved; with the contacts of the second counted from
    /// the end of those of the first.
    pub(super) fn halves(&self, part: usize) -> Option<([usize; 2], usize)> {
        let level = part.ilog2();
        if level == self.depth {
            return None;
        }
        let contacts = [2 * part, 2 * part + 1].map(|half| self.contacts(half).len());
        let bodies = self.first_body(2 * part + 1) - self.first_body(part);
        Some((contacts, bodies))
    }

    /// All contacts of a part.
    fn contacts(&self, part: usize) -> Range<usize> {
        let leftmost = part << (self.depth - part.ilog2());
        // The part before the leftmost of all parts of this one in the order of the sweep ends where it begins.
        let begin = if leftmost.is_power_of_two() { 0 } else { self.begin(leftmost) };
        begin..self.ends[part]
    }

    /// Where the contacts of an undivided part begin: behind those of the parts before, which are the ancestors' first halves.
    fn begin(&self, leaf: usize) -> usize {
        let mut part = leaf;
        while part.is_multiple_of(2) {
            part /= 2;
        }
        self.ends[part - 1]
    }

    fn first_body(&self, part: usize) -> usize {
        let level = part.ilog2();
        ((part - (1 << level)) * self.bodies) >> level
    }

    fn number_bodies(&mut self, rows: &BodyRows) {
        self.body.clear();
        if self.depth == 0 {
            return self.body.extend(0..self.bodies as u32);
        }
        self.body.resize(self.bodies, NONE);
        self.queue.clear();
        for seed in 0..self.bodies as u32 {
            if self.body[seed as usize] != NONE {
                continue;
            }
            // The last of those that hang together is at their rim.
            let first = self.queue.len();
            self.spread(rows, seed);
            let rim = self.queue[self.queue.len() - 1];
            self.queue[first..].iter().for_each(|&b| self.body[b as usize] = NONE);
            self.queue.truncate(first);
            self.spread(rows, rim);
        }
    }

    /// Numbers a body and all that hang together with it, the near ones first.
    fn spread(&mut self, rows: &BodyRows, seed: u32) {
        let Self { body, queue, .. } = self;
        let mut at = queue.len();
        body[seed as usize] = at as u32;
        queue.push(seed);
        while let Some(&here) = queue.get(at) {
            at += 1;
            for &(contact, side) in rows.at(here) {
                let other = rows.link(contact as usize)[1 - usize::from(side)];
                if other != NONE && body[other as usize] == NONE {
                    body[other as usize] = queue.len() as u32;
                    queue.push(other);
                }
            }
        }
    }

    fn number_contacts(&mut self, rows: &BodyRows) {
        let k = rows.len();
        self.ends.clear();
        self.ends.resize(2 << self.depth, 0);
        self.number.clear();
        for i in 0..k {
            let part = self.part(rows.link(i));
            self.ends[part] += 1;
            self.number.push(part as u32);
        }
        let mut begin = 0;
        self.begin_contacts(1, &mut begin);
        self.contact.clear();
        self.contact.resize(k, 0);
        for i in 0..k {
            let end = &mut self.ends[self.number[i] as usize];
            self.contact[*end] = i as u32;
            self.number[i] = *end as u32;
            *end += 1;
        }
    }

    /// Puts where the contacts of each part begin in place of how many there are.
    fn begin_contacts(&mut self, part: usize, begin: &mut usize) {
        if part.ilog2() < self.depth {
            self.begin_contacts(2 * part, begin);
            self.begin_contacts(2 * part + 1, begin);
        }
        let count = std::mem::replace(&mut self.ends[part], *begin);
        *begin += count;
    }

    /// The smallest part that has all bodies of a contact.
    fn part(&self, link: [u32; 2]) -> usize {
        let leaf = |b: u32| {
            let number = self.body[b as usize] as usize;
            (1 << self.depth) + (((number + 1) << self.depth) - 1) / self.bodies
        };
        let [mut a, mut b] = match link {
            [NONE, NONE] => return 1 << self.depth,
            [a, NONE] | [NONE, a] => [leaf(a); 2],
            [a, b] => [leaf(a), leaf(b)],
        };
        while a != b {
            (a, b) = (a / 2, b / 2);
        }
        a
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::wall;
    use super::*;

    #[test]
    fn halves_have_no_body_in_common_and_every_contact_comes_once() {
        let problem = wall(60, 0.5, 0.0);
        let crate::Delassus::Bodies(rows) = problem.delassus() else { panic!() };
        let mut order = Order::default();
        order.fill(rows);
        assert!(order.depth >= 3, "{}", order.depth);
        let mut seen = order.contact.clone();
        seen.sort_unstable();
        assert!(seen.iter().enumerate().all(|(i, &c)| i == c as usize));
        let mut bodies = order.body.clone();
        bodies.sort_unstable();
        assert!(bodies.iter().enumerate().all(|(i, &b)| i == b as usize));
        for part in 1..1 << order.depth {
            let Some(([first, second], _)) = order.halves(part) else { panic!() };
            let all = order.contacts(part);
            let own = first + second..all.len();
            for (half, from, to) in [(2 * part, 0, first), (2 * part + 1, first, first + second)] {
                let (low, high) = (order.first_body(half), order.first_body(half + 1));
                let high = if high > low { high } else { rows.bodies() };
                for at in all.start + from..all.start + to {
                    for b in
                        rows.link(order.contact[at] as usize).into_iter().filter(|b| *b != NONE)
                    {
                        let number = order.body[b as usize] as usize;
                        assert!((low..high).contains(&number), "part {half}");
                    }
                }
            }
            // Few contacts are between halves.
            assert!(own.len() < all.len() / 2, "{} of {}", own.len(), all.len());
        }
    }
}
