//! W by the bodies of its contacts: W = AᵀA, where a contact has rows for at most two bodies.
//!
//! With M = L Lᵀ the mass matrix, block by block, and H the directions of the contacts, A = L⁻¹ H: one column per component of a
//! contact, six numbers per body. A Λ is then the change of the bodies' velocities in units of the square root of energy, and a
//! product W Λ = Aᵀ (A Λ) costs the contacts, however many others touch the same bodies. What needs the blocks of W has them
//! assembled, once per problem, on storage that is kept.

mod terms;

use crate::block::{BlockList, BlockMatrix};
use crate::error::{Error, check};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
pub(crate) use terms::Terms;

/// Velocities or forces of one body, or its part of a row.
pub type Six = [f64; 6];

/// No body: what does not move.
pub(crate) const NONE: u32 = u32::MAX;

/// The factor A of W = AᵀA, by contacts and bodies.
#[derive(Debug, Default)]
pub struct BodyRows {
    bodies: usize,
    /// The first row of each contact, and the number of rows at the end; empty before the first contact.
    offsets: Vec<usize>,
    /// The bodies of each contact, or [`NONE`].
    links: Vec<[u32; 2]>,
    /// Per row what belongs to the first and to the second body.
    values: Vec<[Six; 2]>,
    /// The contacts of each body: where they begin, and at the end their number.
    starts: Vec<u32>,
    /// Contact and side.
    at_body: Vec<(u32, u8)>,
    blocks: OnceLock<BlockMatrix>,
    storage: Mutex<Storage>,
    terms: Mutex<Terms>,
}

/// What assembled the blocks of the last problem.
#[derive(Debug, Default)]
struct Storage {
    blocks: Option<BlockMatrix>,
    list: BlockList,
    sizes: Vec<usize>,
    /// A Λ of the last product.
    velocities: Vec<Six>,
}

impl Clone for BodyRows {
    fn clone(&self) -> Self {
        Self {
            bodies: self.bodies,
            offsets: self.offsets.clone(),
            links: self.links.clone(),
            values: self.values.clone(),
            starts: self.starts.clone(),
            at_body: self.at_body.clone(),
            blocks: self.blocks.clone(),
            storage: Mutex::default(),
            terms: Mutex::default(),
        }
    }
}

impl PartialEq for BodyRows {
    fn eq(&self, other: &Self) -> bool {
        (self.bodies, &self.offsets, &self.links, &self.values)
            == (other.bodies, &other.offsets, &other.links, &other.values)
    }
}

impl BodyRows {
    /// With more contacts than this the default solver sweeps over the bodies; with fewer, methods that need the blocks of W are faster.
    pub const MANY: usize = 500;

    /// With more contacts than this W by bodies costs less than its blocks where bodies rest, and hardly more where they do not.
    pub const FEW: usize = 64;

    /// Starts a matrix of contacts between so many bodies, on the storage of the last one. [`push`](Self::push) adds the contacts,
    /// [`finish`](Self::finish) ends it.
    pub fn start(&mut self, bodies: usize) {
        self.bodies = bodies;
        self.offsets.clear();
        self.links.clear();
        self.values.clear();
        if let Some(blocks) = self.blocks.take() {
            self.storage().blocks = Some(blocks);
        }
    }

    /// Adds a contact: its bodies, of which one may be absent, and per row the column of A, six numbers for each of them. What is
    /// given for an absent body does not count.
    pub fn push(&mut self, bodies: [Option<usize>; 2], rows: impl IntoIterator<Item = [Six; 2]>) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        let link = bodies.map(|b| b.map_or(NONE, |b| u32::try_from(b).unwrap_or(NONE - 1)));
        self.values.extend(rows.into_iter().map(|row| {
            std::array::from_fn(|side| if link[side] == NONE { [0.0; 6] } else { row[side] })
        }));
        self.links.push(link);
        self.offsets.push(self.values.len());
    }

    /// Ends the matrix.
    ///
    /// # Errors
    /// If a body is not one of those that there are or meets itself, or if a number or its square is not finite.
    pub fn finish(&mut self) -> Result<(), Error> {
        for (i, link) in self.links.iter().enumerate() {
            let absent = |b: u32| b != NONE && b as usize >= self.bodies;
            if link.iter().any(|&b| absent(b)) || (link[0] == link[1] && link[0] != NONE) {
                let body = if absent(link[0]) { link[0] } else { link[1] };
                return Err(Error::OutOfRange { row: i, col: body as usize, size: self.bodies });
            }
        }
        for (r, row) in self.values.iter().enumerate() {
            let square: f64 = row.iter().flatten().map(|x| x * x).sum();
            check(|| format!("the square of row {r} of A"), square, true, "a finite number")?;
        }
        self.list_contacts();
        Ok(())
    }

    fn list_contacts(&mut self) {
        let Self { bodies, links, starts, at_body, .. } = self;
        starts.clear();
        starts.resize(*bodies + 2, 0);
        let sides = || {
            let of = |(i, link): (usize, &[u32; 2])| {
                let link = *link;
                (0..2_u8).map(move |side| (i as u32, side, link[usize::from(side)]))
            };
            links.iter().enumerate().flat_map(of).filter(|x| x.2 != NONE)
        };
        sides().for_each(|(_, _, body)| starts[body as usize + 2] += 1);
        for b in 2..starts.len() {
            starts[b] += starts[b - 1];
        }
        at_body.clear();
        at_body.resize(starts[*bodies + 1] as usize, (0, 0));
        for (contact, side, body) in sides() {
            let next = &mut starts[body as usize + 1];
            at_body[*next as usize] = (contact, side);
            *next += 1;
        }
        starts.pop();
    }

    /// The number of bodies.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.bodies
    }

    /// The number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether there is no contact.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The number of rows of W.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.values.len()
    }

    /// Whether a row of W is zero: where that of A is.
    pub(crate) fn is_zero(&self, row: usize) -> bool {
        self.values[row].iter().flatten().all(|a| *a == 0.0)
    }

    /// The bodies of a contact, [`NONE`] for what does not move.
    pub(crate) fn link(&self, contact: usize) -> [u32; 2] {
        self.links[contact]
    }

    /// The rows of a contact, each with the part of its first and of its second body.
    pub(crate) fn contact(&self, contact: usize) -> &[[Six; 2]] {
        &self.values[self.offsets[contact]..self.offsets[contact + 1]]
    }

    /// The contacts of a body, each with the side on which the body is.
    pub(crate) fn at(&self, body: u32) -> &[(u32, u8)] {
        let body = body as usize;
        &self.at_body[self.starts[body] as usize..self.starts[body + 1] as usize]
    }

    /// The contacts before this one that have the same bodies, and whether they have them the other way round.
    pub(crate) fn twins(&self, contact: usize) -> impl Iterator<Item = (usize, bool)> {
        let link = self.links[contact];
        let body = link.into_iter().find(|b| *b != NONE);
        let near = body.map_or(&[][..], |b| self.at(b)).iter();
        let before = near.map(|x| x.0 as usize).take_while(move |j| *j < contact);
        before.filter_map(move |j| match self.links[j] {
            theirs if theirs == link => Some((j, false)),
            [b, a] if [a, b] == link => Some((j, true)),
            _ => None,
        })
    }

    /// The rows of one contact as a range of rows of W.
    pub(crate) fn range(&self, contact: usize) -> std::ops::Range<usize> {
        self.offsets[contact]..self.offsets[contact + 1]
    }

    /// u = A Λ, body after body.
    pub(crate) fn bodies_into(&self, impulse: &[f64], u: &mut Vec<Six>) {
        u.clear();
        u.resize(self.bodies, [0.0; 6]);
        for (i, link) in self.links.iter().enumerate() {
            for r in self.range(i) {
                for (side, &body) in link.iter().enumerate().filter(|(_, b)| **b != NONE) {
                    let row = &self.values[r][side];
                    let u = &mut u[body as usize];
                    u.iter_mut().zip(row).for_each(|(u, a)| *u += a * impulse[r]);
                }
            }
        }
    }

    /// out = W x + b.
    pub(crate) fn multiply_add(&self, x: &[f64], b: &[f64], out: &mut [f64]) {
        let u = &mut self.storage().velocities;
        self.bodies_into(x, u);
        self.contacts_into(u, b, out);
    }

    /// out = Aᵀ u + b.
    pub(crate) fn contacts_into(&self, u: &[Six], b: &[f64], out: &mut [f64]) {
        for (i, link) in self.links.iter().enumerate() {
            for r in self.range(i) {
                out[r] = b[r];
                for (side, &body) in link.iter().enumerate().filter(|(_, b)| **b != NONE) {
                    out[r] += dot(&self.values[r][side], &u[body as usize]);
                }
            }
        }
    }

    /// Calls `each` with every block of row i of blocks of W, made on the spot: its column, and its entries row by row. The first
    /// body's contacts come first; one that shares both bodies comes once, with all its terms.
    #[inline]
    pub(crate) fn for_blocks(&self, i: usize, mut each: impl FnMut(usize, &[f64])) {
        let link = self.links[i];
        if link == [NONE; 2] {
            return each(i, &[0.0; 36][..self.range(i).len().pow(2)]);
        }
        for (side, &body) in link.iter().enumerate().filter(|(_, b)| **b != NONE) {
            for &(j, other) in self.at(body) {
                let theirs = self.links[j as usize];
                let both = link[1 - side] != NONE && link[1 - side] == theirs[1 - other as usize];
                if both && side == 1 {
                    continue;
                }
                let sides = [(side, other.into()), (1 - side, 1 - usize::from(other))];
                self.with_block(i, j as usize, &sides[..1 + usize::from(both)], &mut each);
            }
        }
    }

    /// The block of two contacts, over these sides of the first and the second.
    #[inline]
    fn with_block(
        &self,
        i: usize,
        j: usize,
        sides: &[(usize, usize)],
        each: &mut impl FnMut(usize, &[f64]),
    ) {
        let (rows, columns) = (self.contact(i), self.contact(j));
        let mut block = [0.0; 36];
        // Most contacts have three rows: the compiler unrolls what it knows.
        if let ([a, b, c], [x, y, z]) = (rows, columns) {
            for &(p, q) in sides {
                for (line, row) in block.chunks_exact_mut(3).zip([a, b, c]) {
                    for (w, column) in line.iter_mut().zip([x, y, z]) {
                        *w += dot(&row[p], &column[q]);
                    }
                }
            }
            return each(j, &block[..9]);
        }
        for &(p, q) in sides {
            for (line, row) in block.chunks_exact_mut(columns.len().max(1)).zip(rows) {
                for (w, column) in line.iter_mut().zip(columns) {
                    *w += dot(&row[p], &column[q]);
                }
            }
        }
        each(j, &block[..rows.len() * columns.len()]);
    }

    /// What the terms of W Λ are made from; others that ask for it wait.
    pub(crate) fn terms(&self, impulse: &[f64]) -> MutexGuard<'_, Terms> {
        let mut terms = self.terms.lock().unwrap_or_else(PoisonError::into_inner);
        terms.fill(self, impulse);
        terms
    }

    /// An entry of the diagonal of W.
    pub(crate) fn own(&self, row: usize) -> f64 {
        let [a, b] = &self.values[row];
        dot(a, a) + dot(b, b)
    }

    /// The entry of W of two rows, which belong to these contacts.
    pub(crate) fn entry(&self, row: usize, col: usize, (i, j): (usize, usize)) -> f64 {
        let mut sum = 0.0;
        for (a, body) in self.links[i].into_iter().enumerate().filter(|(_, b)| *b != NONE) {
            for (b, _) in self.links[j].into_iter().enumerate().filter(|(_, b)| *b == body) {
                sum += dot(&self.values[row][a], &self.values[col][b]);
            }
        }
        sum
    }

    /// Calls `each` with the columns of the entries of a row that are not zero, among those that `which` asks for.
    pub(crate) fn for_columns(
        &self,
        row: usize,
        which: impl Fn(usize) -> bool,
        mut each: impl FnMut(usize),
    ) {
        let i = self.offsets.partition_point(|&first| first <= row) - 1;
        for body in self.links[i].into_iter().filter(|b| *b != NONE) {
            for j in self.at(body).iter().map(|x| x.0 as usize) {
                let asked = self.range(j).filter(|&col| which(col));
                asked.filter(|&col| self.entry(row, col, (i, j)) != 0.0).for_each(&mut each);
            }
        }
    }

    /// The diagonal block of a contact, row by row; returns its entries on the stack.
    pub(crate) fn diagonal(&self, i: usize) -> [f64; 36] {
        let rows = self.contact(i);
        let mut block = [0.0; 36];
        for (line, a) in block.chunks_exact_mut(rows.len().max(1)).zip(rows) {
            for (w, b) in line.iter_mut().zip(rows) {
                *w = dot(&a[0], &b[0]) + dot(&a[1], &b[1]);
            }
        }
        block
    }

    /// W by blocks, assembled when it is first asked for.
    pub(crate) fn blocks(&self) -> &BlockMatrix {
        self.blocks.get_or_init(|| {
            let storage = &mut *self.storage();
            let mut blocks = storage.blocks.take().unwrap_or_default();
            self.assemble(&mut blocks, &mut storage.list, &mut storage.sizes);
            blocks
        })
    }

    /// A copy of the blocks on other storage.
    pub(crate) fn blocks_into(&self, list: &mut BlockList, to: &mut BlockMatrix) {
        match self.blocks.get() {
            Some(blocks) => to.assign(blocks),
            None => self.assemble(to, list, &mut Vec::new()),
        }
    }

    fn assemble(&self, to: &mut BlockMatrix, list: &mut BlockList, sizes: &mut Vec<usize>) {
        sizes.clear();
        sizes.extend((0..self.len()).map(|i| self.range(i).len()));
        list.clear();
        for i in 0..self.len() {
            self.for_blocks(i, |j, block| {
                if j <= i {
                    list.push(i, j, block.iter().copied());
                }
            });
        }
        // Squares of rows are finite, so the products of two are too, and a·b is b·a to the last bit.
        let made = to.refill_one_triangle(sizes, list);
        debug_assert!(made.is_ok(), "{made:?}");
    }

    fn storage(&self) -> MutexGuard<'_, Storage> {
        self.storage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[inline(always)]
pub(crate) fn dot(a: &Six, b: &Six) -> f64 {
    let pairs = (a[0] * b[0] + a[1] * b[1], a[2] * b[2] + a[3] * b[3]);
    pairs.0 + pairs.1 + (a[4] * b[4] + a[5] * b[5])
}

#[cfg(test)]
mod tests;
