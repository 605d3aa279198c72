//! Column sufficient: x_i (Mx)_i ≤ 0 for all i only where x_i (Mx)_i = 0 for all i.
//!
//! Notation: σ signs of x; for σ fixed, the x with σ_i x_i ≥ 0 and σ_i (Mx)_i ≤ 0 form a convex
//! cone. M fails if for some σ and k the cone has a point with x_k ≠ 0 and one with (Mx)_k ≠ 0:
//! their sum has x_k (Mx)_k < 0.

use super::{Class, Evidence, Finding, Settings};
use crate::Matrix;
use crate::exact::elimination::{Budget, Cone, ray};
use crate::exact::number::{Number, integers, intervals};
use crate::exact::wide::{WIDE_COST, wide};

/// Decides column sufficiency; row sufficiency if asked of the transpose.
///
/// A tree over the signs of x, cut where the cone of the signs chosen so far has no such point:
/// at worst n 2^n linear programs.
pub(super) fn column_sufficient(m: &Matrix, transposed: bool, settings: &Settings) -> Finding {
    let turned = if transposed { m.transposed() } else { m.clone() };
    let mut budget = Budget(settings.max_work);
    let finding = if m.rows() <= settings.max_unknowns {
        search(&turned, &mut budget)
    } else {
        pairs(&turned, &mut budget)
    };
    match finding {
        Finding::No(Evidence::Reversal { x, .. }) => {
            Finding::No(Evidence::Reversal { x, transposed })
        }
        other => other,
    }
}

fn search(m: &Matrix, budget: &mut Budget) -> Finding {
    if let Some(entries) = integers(m) {
        return Search::new(m, &entries, budget).run();
    }
    let whole = *budget;
    let found = Search::new(m, &intervals(m), budget).run();
    match wide(m) {
        Some(entries) if matches!(found, Finding::TooClose) => {
            Search::new(m, &entries, &mut Budget(whole.0 / WIDE_COST)).run()
        }
        _ => found,
    }
}

/// Sufficiency of order two, which is necessary; the only test that a large matrix gets.
fn pairs(m: &Matrix, budget: &mut Budget) -> Finding {
    for i in 0..m.rows() {
        for j in 0..i {
            // A block with both diagonal entries and the determinant positive is P.
            let [a, b, c, d] = [m[(i, i)], m[(i, j)], m[(j, i)], m[(j, j)]];
            if a > 0.0 && d > 0.0 && a * d > b * c {
                continue;
            }
            if !budget.spend(100) {
                return Finding::TooLarge;
            }
            let block = Matrix::from_fn(2, 2, |r, s| [a, b, c, d][2 * r + s]);
            if let Finding::No(Evidence::Reversal { x, .. }) = search(&block, budget) {
                let mut full = vec![0.0; m.rows()];
                (full[i], full[j]) = (x[0], x[1]);
                let evidence = reversal(full);
                if let Finding::No(e) = Finding::checked(m, Class::ColumnSufficient, evidence) {
                    return Finding::No(e);
                }
            }
        }
    }
    Finding::TooLarge
}

fn reversal(x: Vec<f64>) -> Evidence {
    Evidence::Reversal { x, transposed: false }
}

/// What a branch of the tree came to.
enum Branch {
    Done,
    Found(Evidence),
    Spent,
}

struct Search<'a, N> {
    m: &'a Matrix,
    entries: &'a [N],
    n: usize,
    budget: &'a mut Budget,
    /// 1 and −1 where the sign is chosen, else 0.
    signs: Vec<i8>,
    unsure: bool,
}

impl<'a, N: Number> Search<'a, N> {
    fn new(m: &'a Matrix, entries: &'a [N], budget: &'a mut Budget) -> Self {
        Self { m, entries, n: m.rows(), budget, signs: vec![0; m.rows()], unsure: false }
    }

    fn run(mut self) -> Finding {
        for k in 0..self.n {
            // x and −x are alike, so x_k > 0.
            self.signs.fill(0);
            self.signs[k] = 1;
            match self.branch(k) {
                Branch::Done => {}
                Branch::Found(evidence) => return Finding::No(evidence),
                Branch::Spent => return Finding::TooLarge,
            }
        }
        if self.unsure { Finding::TooClose } else { Finding::yes("search over the signs of x") }
    }

    /// Searches the cone of the signs chosen so far for x_k (Mx)_k < 0.
    fn branch(&mut self, k: usize) -> Branch {
        let mut x = vec![N::ZERO; self.n];
        let mut unsure = false;
        for of_row in [false, true] {
            match self.point(k, of_row) {
                Cone::Empty => return Branch::Done,
                Cone::Spent => return Branch::Spent,
                Cone::Unsure => unsure = true,
                Cone::Ray(u) => self.add_point(&u, &mut x),
            }
        }
        if !unsure && let Some(evidence) = self.refutation(&x) {
            return Branch::Found(evidence);
        }
        let free = |i: &usize| self.signs[*i] == 0;
        let Some(i) = (0..self.n).filter(free).max_by(|&i, &j| {
            let (a, b) = (self.product_size(&x, i), self.product_size(&x, j));
            a.total_cmp(&b).then(j.cmp(&i))
        }) else {
            return self.inner_point();
        };
        for sign in [1, -1] {
            self.signs[i] = sign;
            match self.branch(k) {
                Branch::Done => {}
                end => return end,
            }
        }
        self.signs[i] = 0;
        Branch::Done
    }

    /// The cone of a full choice of signs has the points that were looked for, but their sum lies
    /// on faces where rounding turns a product that should be zero positive. The sum of points
    /// away from each face has negative products wherever the cone allows it.
    fn inner_point(&mut self) -> Branch {
        let mut sum = vec![0.0; self.n];
        for i in 0..self.n {
            for of_row in [false, true] {
                match self.point(i, of_row) {
                    Cone::Spent => return Branch::Spent,
                    Cone::Ray(u) => {
                        let mut x = vec![N::ZERO; self.n];
                        self.add_point(&u, &mut x);
                        let x = N::direction(&x);
                        let largest = x.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
                        crate::matrix::axpy(1.0 / largest, &x, &mut sum);
                    }
                    Cone::Empty | Cone::Unsure => {}
                }
            }
        }
        match Finding::checked(self.m, Class::ColumnSufficient, reversal(sum)) {
            Finding::No(evidence) => Branch::Found(evidence),
            _ => {
                self.unsure = true;
                Branch::Done
            }
        }
    }

    /// A point of the cone with σ_k x_k > 0 or, `of_row`, with σ_k (Mx)_k < 0.
    ///
    /// The unknowns of the linear program are σ_i x_i where the sign is chosen, and the positive
    /// and the negative part of x_i where it is not.
    fn point(&mut self, k: usize, of_row: bool) -> Cone<N> {
        let times = |v: N, sign: i8| if sign < 0 { v.negate() } else { v };
        let row = |i: usize, sign: i8| {
            let mut row = Vec::with_capacity(2 * self.n);
            for j in 0..self.n {
                let v = times(self.entries[i * self.n + j], sign);
                if self.signs[j] == 0 {
                    row.push(v);
                    row.push(v.negate());
                } else {
                    row.push(times(v, self.signs[j]));
                }
            }
            row
        };
        let chosen = (0..self.n).filter(|&i| self.signs[i] != 0);
        let g: Vec<Vec<N>> = chosen.map(|i| row(i, self.signs[i])).collect();
        let cost = if of_row {
            row(k, -self.signs[k])
        } else {
            let columns = |j: &usize| if self.signs[*j] == 0 { 2 } else { 1 };
            let mut cost = vec![N::ZERO; (0..self.n).map(|j| columns(&j)).sum()];
            cost[(0..k).map(|j| columns(&j)).sum::<usize>()] = N::ONE;
            cost
        };
        ray(&g, &cost, self.budget)
    }

    /// x += the x that the unknowns u of the linear program stand for.
    fn add_point(&self, u: &[N], x: &mut [N]) {
        let mut u = u.iter().copied();
        let mut next = || u.next().unwrap_or(N::ZERO);
        for j in 0..self.n {
            let value = match self.signs[j] {
                0 => next().plus(next().negate()),
                1 => next(),
                _ => next().negate(),
            };
            x[j] = x[j].plus(value);
        }
    }

    fn refutation(&self, x: &[N]) -> Option<Evidence> {
        let evidence = reversal(N::direction(x));
        match Finding::checked(self.m, Class::ColumnSufficient, evidence) {
            Finding::No(evidence) => Some(evidence),
            _ => None,
        }
    }

    /// How far x_i (Mx)_i is above zero, to choose where to branch.
    fn product_size(&self, x: &[N], i: usize) -> f64 {
        let d = N::direction(x);
        d[i] * crate::matrix::dot(self.m.row(i), &d)
    }
}
