//! The terms of W Λ, row by row, from the rows of bodies: what the certificate measures a contact by.
//!
//! The entry of W of two rows that meet at one body is the product of their six numbers there, so the terms W_rc Λ_c of row r are its
//! products with the columns A_c Λ_c. These stand side by side, body after body, number after number, so that several products are made
//! at once; no block of W is.

use super::{BodyRows, NONE, Six};
use pulp::{Simd, WithSimd};

/// The products that are made at once; the columns of a body are filled up with zeros to a multiple.
const LANES: usize = 8;
type Lanes = [f64; LANES];
/// The most rows of a contact.
const ROWS: usize = 6;

/// The columns A_c Λ_c of all contacts at their bodies, and the storage of the terms of one contact.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    /// Where the columns of each body begin, in units of lanes.
    starts: Vec<usize>,
    /// Where the columns of each contact begin among those of its first and of its second body.
    places: Vec<[usize; 2]>,
    /// The six numbers of as many columns as there are lanes.
    columns: Vec<[Lanes; 6]>,
    /// The terms of the rows of one contact at its first and at its second body.
    products: [[Vec<Lanes>; ROWS]; 2],
}

impl Terms {
    /// Takes over the rows and impulses of a problem.
    pub(super) fn fill(&mut self, rows: &BodyRows, impulse: &[f64]) {
        let Self { starts, places, columns, .. } = self;
        starts.clear();
        columns.clear();
        places.clear();
        places.resize(rows.len(), [0; 2]);
        for body in 0..rows.bodies() as u32 {
            starts.push(columns.len());
            let mut at = 0;
            for &(i, side) in rows.at(body) {
                let (i, side) = (i as usize, usize::from(side));
                places[i][side] = at;
                for (row, lam) in rows.contact(i).iter().zip(&impulse[rows.range(i)]) {
                    if at % LANES == 0 {
                        columns.push([[0.0; LANES]; 6]);
                    }
                    if let Some(last) = columns.last_mut() {
                        last.iter_mut().zip(&row[side]).for_each(|(c, a)| c[at % LANES] = a * lam);
                    }
                    at += 1;
                }
            }
        }
        starts.push(columns.len());
    }

    /// Adds the terms of the rows of contact i to `sum`, and their sizes to `size`.
    pub(crate) fn add(&mut self, rows: &BodyRows, i: usize, sum: &mut [f64], size: &mut [f64]) {
        pulp::Arch::new().dispatch(Add { terms: self, rows, i, sum, size });
    }

    /// The products of a row at a body with the columns there.
    #[inline(always)]
    fn multiply<S: Simd>(simd: S, columns: &[[Lanes; 6]], a: &Six, of: &mut Vec<Lanes>) {
        let a = a.map(|a| simd.splat_f64s(a));
        of.resize(columns.len(), [0.0; LANES]);
        for (column, out) in columns.iter().zip(of) {
            let b = column.each_ref().map(|b| S::as_simd_f64s(b).0);
            for (l, out) in S::as_mut_simd_f64s(out).0.iter_mut().enumerate() {
                let [p0, p1, p2, p3, p4, p5] =
                    std::array::from_fn(|x| simd.mul_f64s(a[x], b[x][l]));
                let first = simd.add_f64s(simd.add_f64s(p0, p1), p2);
                let second = simd.add_f64s(simd.add_f64s(p3, p4), p5);
                *out = simd.add_f64s(first, second);
            }
        }
    }

    /// An entry of W of two contacts that share both bodies is one term: what it has at the second is added to what it has at the first.
    #[inline(always)]
    fn join(&mut self, rows: &BodyRows, [first, second]: [u32; 2], n: usize) {
        let [to, from] = &mut self.products;
        for &(j, side) in rows.at(first) {
            let (j, side) = (j as usize, usize::from(side));
            if rows.link(j)[1 - side] != second {
                continue;
            }
            let [a, b] = [self.places[j][side], self.places[j][1 - side]];
            for c in 0..rows.contact(j).len() {
                for (to, from) in to[..n].iter_mut().zip(&mut from[..n]) {
                    let term = &mut from[(b + c) / LANES][(b + c) % LANES];
                    to[(a + c) / LANES][(a + c) % LANES] += std::mem::take(term);
                }
            }
        }
    }
}

struct Add<'a> {
    terms: &'a mut Terms,
    rows: &'a BodyRows,
    i: usize,
    sum: &'a mut [f64],
    size: &'a mut [f64],
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { terms, rows, i, sum, size } = self;
        let (link, own) = (rows.link(i), rows.contact(i));
        for side in 0..2 {
            let Terms { starts, columns, products, .. } = &mut *terms;
            let columns = match link[side] {
                NONE => &[],
                body => &columns[starts[body as usize]..starts[body as usize + 1]],
            };
            for (row, of) in own.iter().zip(&mut products[side]) {
                Terms::multiply(simd, columns, &row[side], of);
            }
        }
        if !link.contains(&NONE) {
            terms.join(rows, link, own.len());
        }
        for side in &terms.products {
            for (r, line) in side[..own.len()].iter().enumerate() {
                let (s, t) = sums(simd, line);
                sum[r] += s;
                size[r] += t;
            }
        }
    }
}

/// The sum of terms, and that of their sizes. Each lane is summed for itself, so that it does not depend on how many the machine adds at once.
#[inline(always)]
fn sums<S: Simd>(simd: S, terms: &[Lanes]) -> (f64, f64) {
    let (mut sum, mut size) = ([0.0; LANES], [0.0; LANES]);
    let (sums, sizes) = (S::as_mut_simd_f64s(&mut sum).0, S::as_mut_simd_f64s(&mut size).0);
    for term in terms {
        for (l, &term) in S::as_simd_f64s(term).0.iter().enumerate() {
            sums[l] = simd.add_f64s(sums[l], term);
            sizes[l] = simd.add_f64s(sizes[l], simd.abs_f64s(term));
        }
    }
    let fold = |x: Lanes| ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
    (fold(sum), fold(size))
}
