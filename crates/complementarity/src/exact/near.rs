//! From a Farkas vector that holds up to rounding to one that holds.
//!
//! Notation: y is the given vector, v = Aᵀy, S the rows with y_i ≠ 0, T the columns in which v_j is zero
//! up to rounding though its sign matters. First y is changed so that v_T is clearly negative,
//! which needs no more than floating point; where v_T must vanish (dependent columns, free unknowns) the
//! system in the rows S and columns T is solved in integers, and then the whole one.

use super::dyadic::Dyadic;
use super::prime;
use super::system::{Decision, ExactSystem, dyadic};
use crate::linalg::FullPivot;
use crate::tolerance::{FARKAS_NEAR, FARKAS_PIVOT, FARKAS_STRICT};

/// Where to start, and what to leave out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hint {
    /// Rows that are nonbasic, as far as they can be.
    pub(super) rows: Vec<usize>,
    /// Columns that are basic, as far as they can be.
    pub(super) columns: Vec<usize>,
    /// The value at which an unknown is held, which leaves its column out.
    pub(super) held: Option<Vec<Option<f64>>>,
    /// Whether rows that are not in `rows` are left out.
    pub(super) only_rows: bool,
}

impl Hint {
    /// The basis with these nonbasic rows and basic columns.
    pub(crate) fn basis(rows: Vec<usize>, columns: Vec<usize>) -> Self {
        Self { rows, columns, held: None, only_rows: false }
    }

    pub(super) fn keeps_row(&self, i: usize) -> bool {
        !self.only_rows || self.rows.contains(&i)
    }

    pub(super) fn holds(&self, j: usize) -> bool {
        self.held.as_ref().is_some_and(|held| held[j].is_some())
    }
}

pub(super) fn farkas_near(system: &ExactSystem<'_>, y: &[f64], work: u64) -> Option<Vec<Dyadic>> {
    let mut sums = None;
    let found = short(system, y, &mut sums);
    if found.is_some() {
        return found;
    }
    let sums = sums?;
    let checked = |y: Vec<Dyadic>| system.check(&y).is_ok().then_some(y);
    let mut hint = sums.hint(system);
    // Without a dependence between the rows S in the columns T there is nothing to find there.
    let dependent = rank(system, &sums) < sums.rows.len();
    if dependent && let Decision::Infeasible(y) = system.decide_from(&hint, work) {
        let found = checked(y);
        if found.is_some() {
            return found;
        }
    }
    if y.len() > WHOLE_SYSTEM {
        return None;
    }
    (hint.only_rows, hint.held) = (false, None);
    match system.decide_from(&hint, work) {
        Decision::Infeasible(y) => checked(y),
        _ => None,
    }
}

/// A Farkas vector of floating-point numbers near to `y`; what was found out about y stays in `sums`.
pub(super) fn short(
    system: &ExactSystem<'_>,
    y: &[f64],
    sums: &mut Option<Sums>,
) -> Option<Vec<Dyadic>> {
    let exact =
        |y: &[f64]| -> Option<Vec<Dyadic>> { y.iter().map(|&v| Dyadic::from_f64(v)).collect() };
    let checked = |y: Vec<f64>| {
        let holds = match system.check_quickly(&y) {
            Some(holds) => holds,
            None => exact(&y).is_some_and(|y| system.check(&y).is_ok()),
        };
        if holds { exact(&y) } else { None }
    };
    let found = checked(y.to_vec());
    if found.is_some() {
        return found;
    }
    *sums = Sums::new(system, y);
    let sums = sums.as_ref()?;
    let found = strict(system, y, sums).and_then(checked);
    found.or_else(|| rounded(y, sums).find_map(checked))
}

/// More rows than these are not decided as a whole: it takes about n⁵ operations.
const WHOLE_SYSTEM: usize = 40;

/// y in few digits, relative to its largest and to its smallest entry: what it is in problems of integers.
fn rounded<'a>(y: &'a [f64], sums: &'a Sums) -> impl Iterator<Item = Vec<f64>> + 'a {
    let sizes = || sums.rows.iter().map(|&i| y[i].abs());
    let units = [sizes().fold(0.0, f64::max), sizes().fold(f64::INFINITY, f64::min)];
    let candidates = units.into_iter().flat_map(|unit| [1u64 << 46, 1 << 36].map(|d| (unit, d)));
    candidates.filter(|(unit, _)| unit.is_finite() && *unit > 0.0).map(|(unit, dropped)| {
        let round = |v: f64| {
            // Half of what is dropped, and then without it: the nearest number with fewer bits.
            let bits = (v / unit).to_bits().saturating_add(dropped / 2);
            f64::from_bits(bits & !(dropped - 1))
        };
        let kept = |i: usize| if sums.rows.contains(&i) { round(y[i]) } else { 0.0 };
        (0..y.len()).map(kept).collect()
    })
}

/// The rank of A in the rows S and columns T modulo a prime: at most the true one.
fn rank(system: &ExactSystem<'_>, sums: &Sums) -> usize {
    let mut rows: Vec<Vec<u64>> = Vec::with_capacity(sums.rows.len());
    for &i in &sums.rows {
        let entry = |&j: &usize| dyadic(system.a[(i, j)]).modulo_prime();
        rows.push(sums.columns.iter().map(entry).collect());
    }
    let mut rank = 0;
    for c in 0..sums.columns.len() {
        let Some(r) = (rank..rows.len()).find(|&r| rows[r][c] != 0) else { continue };
        rows.swap(rank, r);
        let (top, below) = rows.split_at_mut(rank + 1);
        let pivot = &top[rank];
        let inverse = prime::inverse(pivot[c]);
        for row in below.iter_mut().filter(|row| row[c] != 0) {
            let factor = prime::times(row[c], inverse);
            for (v, p) in row[c..].iter_mut().zip(&pivot[c..]) {
                *v = prime::minus(*v, prime::times(factor, *p));
            }
        }
        rank += 1;
    }
    rank
}

/// v and what its terms add up to, row by row and column by column.
pub(super) struct Sums {
    v: Vec<f64>,
    size: Vec<f64>,
    /// S, without the rows that no sum feels.
    rows: Vec<usize>,
    /// T.
    columns: Vec<usize>,
}

impl Sums {
    /// `None` if y is far from a Farkas vector.
    fn new(system: &ExactSystem<'_>, y: &[f64]) -> Option<Self> {
        if y.len() != system.b.len() || !y.iter().all(|v| v.is_finite()) {
            return None;
        }
        let n = system.lower.len();
        let (mut v, mut size) = (vec![0.0; n], vec![0.0; n]);
        for (i, &y) in y.iter().enumerate().filter(|(_, y)| **y != 0.0) {
            for (j, a) in system.a.row(i).iter().enumerate() {
                v[j] += a * y;
                size[j] += (a * y).abs();
            }
        }
        let columns: Vec<usize> =
            (0..n).filter(|&j| size[j] > 0.0 && v[j].abs() <= FARKAS_NEAR * size[j]).collect();
        let mut constant: f64 = y.iter().zip(system.b).map(|(y, b)| (y * b).abs()).sum();
        let mut value: f64 = y.iter().zip(system.b).map(|(y, b)| y * b).sum();
        for j in (0..n).filter(|j| !columns.contains(j)) {
            let at = bound(system, j, v[j]);
            if !at.is_finite() {
                return None;
            }
            value += at * v[j];
            constant += at.abs() * size[j];
        }
        if !(value <= FARKAS_NEAR * constant) {
            return None;
        }
        let felt = |i: &usize| {
            let in_column = |j: usize| (system.a[(*i, j)] * y[*i]).abs() > FARKAS_NEAR * size[j];
            y[*i] != 0.0
                && ((system.b[*i] * y[*i]).abs() > FARKAS_NEAR * constant || (0..n).any(in_column))
        };
        Some(Self { rows: (0..y.len()).filter(felt).collect(), columns, v, size })
    }

    fn hint(&self, system: &ExactSystem<'_>) -> Hint {
        let held = (0..self.v.len()).map(|j| {
            let open = self.columns.contains(&j);
            (!open).then(|| bound(system, j, self.v[j]))
        });
        let (rows, columns) = (self.rows.clone(), self.columns.clone());
        Hint { rows, columns, held: Some(held.collect()), only_rows: true }
    }
}

/// Where v_j x_j is largest.
fn bound(system: &ExactSystem<'_>, j: usize, v: f64) -> f64 {
    match () {
        () if v > 0.0 => system.upper[j],
        () if v < 0.0 => system.lower[j],
        () => 0.0_f64.clamp(system.lower[j], system.upper[j]),
    }
}

/// y with v_T clearly on the side where each unknown has a bound; `None` if one has none.
fn strict(system: &ExactSystem<'_>, y: &[f64], sums: &Sums) -> Option<Vec<f64>> {
    let Sums { rows, columns, size, .. } = sums;
    let side = |j: usize| match (system.lower[j].is_finite(), system.upper[j].is_finite()) {
        (true, _) => Some(-1.0),
        (false, true) => Some(1.0),
        (false, false) => None,
    };
    let sides: Option<Vec<f64>> = columns.iter().map(|&j| side(j)).collect();
    let sides = sides?;
    let order = rows.len().max(columns.len());
    let mut y: Vec<f64> =
        (0..y.len()).map(|i| if rows.contains(&i) { y[i] } else { 0.0 }).collect();
    let mut full = FullPivot::default();
    full.factor(order, FARKAS_PIVOT, |k, row| {
        if let Some(&j) = columns.get(k) {
            for (to, &i) in row.iter_mut().zip(rows) {
                *to = system.a[(i, j)] * y[i] / size[j];
            }
        }
    });
    let start: Vec<f64> = rows.iter().map(|&i| y[i]).collect();
    // Twice: the second round takes away the rounding of the first.
    for _ in 0..2 {
        let mut change = vec![0.0; order];
        for ((to, &j), side) in change.iter_mut().zip(columns).zip(&sides) {
            let v: f64 = rows.iter().map(|&i| system.a[(i, j)] * y[i]).sum();
            *to = side * FARKAS_STRICT - v / size[j];
        }
        full.solve(&mut change);
        for ((&i, start), d) in rows.iter().zip(&start).zip(change) {
            y[i] += start * d;
        }
    }
    y.iter().all(|v| v.is_finite()).then_some(y)
}
