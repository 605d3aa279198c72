//! Exact scaling of rows and columns, so that tolerances mean the same everywhere.

use crate::Matrix;

/// Powers of two r and c such that the largest entry of each row and column of r_i |m_ij| c_j is
/// near one. Multiplying by them rounds nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Equilibration {
    r: Vec<f64>,
    c: Vec<f64>,
    largest: Vec<f64>,
}

impl Equilibration {
    /// Ruiz 2001: both sides by the square root of the largest entry, a few times over.
    pub(crate) fn compute(&mut self, m: &Matrix) {
        const SWEEPS: usize = 10;
        let n = m.rows();
        for v in [&mut self.r, &mut self.c] {
            v.clear();
            v.resize(n, 1.0);
        }
        for _ in 0..SWEEPS {
            self.largest.clear();
            self.largest.resize(n, 0.0);
            let mut worst = 0.0_f64;
            for i in 0..n {
                let r = self.r[i];
                let mut in_row = 0.0;
                for ((v, c), column) in m.row(i).iter().zip(&self.c).zip(&mut self.largest) {
                    let v = v.abs() * r * c;
                    in_row = if v > in_row { v } else { in_row };
                    *column = if v > *column { v } else { *column };
                }
                if in_row > 0.0 {
                    worst = worst.max(in_row.log2().abs());
                    self.r[i] *= inverse_root(in_row);
                }
            }
            for (c, &largest) in self.c.iter_mut().zip(&self.largest) {
                if largest > 0.0 {
                    *c *= inverse_root(largest);
                }
            }
            if worst <= 1.0 {
                break;
            }
        }
    }

    /// The factors of the rows.
    pub(crate) fn rows(&self) -> &[f64] {
        &self.r
    }

    /// The factors of the columns.
    pub(crate) fn columns(&self) -> &[f64] {
        &self.c
    }
}

/// The power of two next to 1/√v, kept away from overflow.
fn inverse_root(v: f64) -> f64 {
    (-0.5 * v.log2()).round().clamp(-200.0, 200.0).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_come_close_to_one_by_powers_of_two() {
        let m = Matrix::from_fn(6, 6, |i, j| {
            (1.0 + (i * j) as f64) * 10f64.powi(3 * i as i32 - 8) * 10f64.powi(7 - 2 * j as i32)
        });
        let mut e = Equilibration::default();
        e.compute(&m);
        for k in 0..6 {
            let row = (0..6)
                .map(|j| e.r[k] * m[(k, j)] * e.c[j])
                .fold(0.0, f64::max);
            let column = (0..6)
                .map(|i| e.r[i] * m[(i, k)] * e.c[k])
                .fold(0.0, f64::max);
            assert!(
                (0.2..5.0).contains(&row) && (0.2..5.0).contains(&column),
                "{row} {column}"
            );
            assert_eq!(e.r[k].log2().fract(), 0.0);
        }
    }

    #[test]
    fn empty_rows_and_wild_numbers_are_survived() {
        let m = Matrix::from_rows(&[[0.0, 0.0], [1e308, 5e-324]]).unwrap();
        let mut e = Equilibration::default();
        e.compute(&m);
        assert!(
            e.rows()
                .iter()
                .chain(e.columns())
                .all(|v| v.is_finite() && *v > 0.0)
        );
    }
}
