//! A sweep forth and one back over the parts of an [`Order`]: both halves of a part, perhaps at the same time, then the contacts between
//! them; and the other way round.

use super::super::team::Team;
use super::packed::{Contact, Impulse, Packed, ROWS, Vector, Wide, on_vectors};
use super::slide::LocalSolver;
use crate::law::Law;

/// What a sweep over one part reads and writes.
struct Part<'a> {
    contacts: &'a [Contact],
    blocks: &'a [[f64; ROWS * ROWS]],
    /// The contacts of the problem, for their laws.
    of_problem: &'a [u32],
    locals: &'a mut [Option<LocalSolver>],
    impulse: &'a mut [Impulse],
    velocity: &'a mut [Wide],
    /// The number of the first body.
    first: u32,
}

/// What all parts share.
struct Walk<'a> {
    order: &'a super::order::Order,
    laws: &'a [Law],
    team: &'a Team,
    /// How far impulses are extrapolated before each contact is solved.
    beta: f64,
}

impl Packed {
    /// Extrapolates impulses and velocities by β of their last change, then sweeps forth and back. Returns Σ W_NN g·d, where g is the
    /// step from the extrapolated impulse and d the whole change.
    pub(super) fn extrapolate_and_sweep(
        &mut self,
        laws: &[Law],
        team: &Team,
        (beta, last): (f64, &mut [Wide]),
    ) -> f64 {
        for (now, last) in self.velocity.iter_mut().zip(last) {
            let before = *now;
            for x in 0..8 {
                now[x] += beta * (now[x] - last[x]);
            }
            *last = before;
        }
        let walk = Walk { order: &self.order, laws, team, beta };
        let mut whole = Part {
            contacts: &self.contacts,
            blocks: &self.blocks,
            of_problem: &self.order.contact,
            locals: &mut self.locals,
            impulse: &mut self.impulse,
            velocity: &mut self.velocity,
            first: 0,
        };
        walk.forth(1, &mut whole);
        walk.back(1, &mut whole)
    }
}

impl Walk<'_> {
    fn forth(&self, part: usize, data: &mut Part<'_>) {
        let mut own = 0;
        if let Some((contacts, bodies)) = self.order.halves(part) {
            own = contacts[0] + contacts[1];
            let (mut a, mut b) = data.halves(contacts, bodies);
            self.team.join(|| self.forth(2 * part, &mut a), || self.forth(2 * part + 1, &mut b));
        }
        on_vectors(Forth { walk: self, data, own });
    }

    fn back(&self, part: usize, data: &mut Part<'_>) -> f64 {
        let halves = self.order.halves(part);
        let own = halves.map_or(0, |(contacts, _)| contacts[0] + contacts[1]);
        let along = on_vectors(Back { walk: self, data, own });
        let Some((contacts, bodies)) = halves else { return along };
        let (mut a, mut b) = data.halves(contacts, bodies);
        let (first, second) =
            self.team.join(|| self.back(2 * part, &mut a), || self.back(2 * part + 1, &mut b));
        along + (first + second)
    }
}

impl Part<'_> {
    /// Both halves, with so many contacts, and so many bodies in the first.
    fn halves(&mut self, [a, b]: [usize; 2], bodies: usize) -> (Part<'_>, Part<'_>) {
        let (locals, impulse) = (&mut self.locals[..a + b], &mut self.impulse[..a + b]);
        let (first_locals, second_locals) = locals.split_at_mut(a);
        let (first_impulse, second_impulse) = impulse.split_at_mut(a);
        let (first_velocity, second_velocity) = self.velocity.split_at_mut(bodies);
        let first = Part {
            contacts: &self.contacts[..a],
            blocks: &self.blocks[..a],
            of_problem: &self.of_problem[..a],
            locals: first_locals,
            impulse: first_impulse,
            velocity: first_velocity,
            first: self.first,
        };
        let second = Part {
            contacts: &self.contacts[a..a + b],
            blocks: &self.blocks[a..a + b],
            of_problem: &self.of_problem[a..a + b],
            locals: second_locals,
            impulse: second_impulse,
            velocity: second_velocity,
            first: self.first + bodies as u32,
        };
        (first, second)
    }

    /// Solves contact i, all others held.
    #[inline(always)]
    fn solve(&mut self, laws: &[Law], i: usize, old: &Vector) -> Vector {
        let contact = &self.contacts[i];
        let [first, second] = contact.bodies.map(|b| (b - self.first) as usize);
        let (mut a, mut b) = (self.velocity[first], self.velocity[second]);
        let xi = contact.velocity_of(&a, &b);
        let new = match contact.stick_or_open(old, &xi).or_else(|| contact.slide(old, &xi)) {
            Some(new) => new,
            None => {
                let law = &laws[self.of_problem[i] as usize];
                let block = &self.blocks[i];
                let local = self.locals[i]
                    .get_or_insert_with(|| LocalSolver::new(law, block, contact.rows()));
                local.solve((law, block), contact, old, &xi)
            }
        };
        let change = [new[0] - old[0], new[1] - old[1], new[2] - old[2]];
        contact.add_to(&change, &mut a, &mut b);
        // The one body of a contact with what does not move is both; what it gets stands in the first.
        self.velocity[second] = b;
        self.velocity[first] = a;
        new
    }
}

struct Forth<'a, 'p, 'd> {
    walk: &'a Walk<'a>,
    data: &'d mut Part<'p>,
    own: usize,
}

impl pulp::WithSimd for Forth<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let (beta, laws) = (self.walk.beta, self.walk.laws);
        for i in self.own..self.data.contacts.len() {
            let Impulse { now, last, .. } = self.data.impulse[i];
            let mut from = now;
            for r in 0..ROWS {
                from[r] += beta * (now[r] - last[r]);
            }
            let new = self.data.solve(laws, i, &from);
            self.data.impulse[i] = Impulse { now: new, last: now, from };
        }
    }
}

struct Back<'a, 'p, 'd> {
    walk: &'a Walk<'a>,
    data: &'d mut Part<'p>,
    own: usize,
}

impl pulp::WithSimd for Back<'_, '_, '_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        let mut along = 0.0;
        for i in (self.own..self.data.contacts.len()).rev() {
            let old = self.data.impulse[i].now;
            let new = self.data.solve(self.walk.laws, i, &old);
            let Impulse { now, last, from } = &mut self.data.impulse[i];
            *now = new;
            let mut product = 0.0;
            for r in 0..ROWS {
                product += (new[r] - from[r]) * (new[r] - last[r]);
            }
            along += self.data.contacts[i].scale * product;
        }
        along
    }
}
