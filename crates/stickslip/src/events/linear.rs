//! Small dense systems of equations: elimination where the matrix is regular, and the shortest solution
//! where it is not (redundant contacts).

use super::tolerance::{CONSISTENT, RANK};
use complementarity::Matrix;

/// How a system was solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solved {
    /// It has one solution.
    Unique,
    /// It has many; this is the shortest.
    Shortest,
    /// It has none.
    No,
}

/// Solves A x = r for square matrices, on storage that is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Small {
    lu: Matrix,
    v: Matrix,
    x: Vec<f64>,
}

impl Small {
    /// Overwrites the right side `r` with a solution.
    pub(crate) fn solve(&mut self, a: &Matrix, r: &mut [f64]) -> Solved {
        self.solve_within(a, r, 0.0)
    }

    /// The same for a right side with errors as large as `rounding`: what is left of singular equations may be as large.
    pub(crate) fn solve_within(&mut self, a: &Matrix, r: &mut [f64], rounding: f64) -> Solved {
        self.lu.reshape(a.rows(), a.cols());
        self.lu.as_mut_slice().copy_from_slice(a.as_slice());
        self.x.clear();
        self.x.extend_from_slice(r);
        if self.eliminate() {
            r.copy_from_slice(&self.x);
            return Solved::Unique;
        }
        self.shortest(a, r, rounding)
    }

    /// The same, but of many solutions the nearest to this one.
    pub(crate) fn solve_near(&mut self, a: &Matrix, r: &mut [f64], near: &[f64]) -> Solved {
        let scale = r.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let dot = |row: &[f64]| row.iter().zip(near).map(|(a, x)| a * x).sum::<f64>();
        r.iter_mut().enumerate().for_each(|(i, r)| *r -= dot(a.row(i)));
        let solved = self.solve_within(a, r, CONSISTENT * scale);
        r.iter_mut().zip(near).for_each(|(r, x)| *r += x);
        solved
    }

    /// Gaussian elimination with row pivoting; false if the matrix is singular.
    fn eliminate(&mut self) -> bool {
        let n = self.x.len();
        let largest = self.lu.as_slice().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for k in 0..n {
            let size = |i: usize| self.lu[(i, k)].abs();
            let p = (k..n).fold(k, |p, i| if size(i) > size(p) { i } else { p });
            if !(self.lu[(p, k)].abs() > RANK * largest) {
                return false;
            }
            if p != k {
                for c in k..n {
                    let (upper, lower) = (self.lu[(k, c)], self.lu[(p, c)]);
                    (self.lu[(k, c)], self.lu[(p, c)]) = (lower, upper);
                }
                self.x.swap(k, p);
            }
            for i in k + 1..n {
                let l = self.lu[(i, k)] / self.lu[(k, k)];
                if l != 0.0 {
                    for c in k + 1..n {
                        let upper = self.lu[(k, c)];
                        self.lu[(i, c)] -= l * upper;
                    }
                    self.x[i] -= l * self.x[k];
                }
            }
        }
        for k in (0..n).rev() {
            let known: f64 = (k + 1..n).map(|c| self.lu[(k, c)] * self.x[c]).sum();
            self.x[k] = (self.x[k] - known) / self.lu[(k, k)];
        }
        true
    }

    /// The least-squares solution of least length, by Jacobi rotations of the columns of A: A V = U Σ.
    fn shortest(&mut self, a: &Matrix, r: &mut [f64], rounding: f64) -> Solved {
        let n = r.len();
        self.lu.as_mut_slice().copy_from_slice(a.as_slice());
        self.v.reshape(n, n);
        for i in 0..n {
            self.v.row_mut(i).fill(0.0);
            self.v[(i, i)] = 1.0;
        }
        for _ in 0..60 {
            if !self.sweep() {
                break;
            }
        }
        let squared = |m: &Matrix, j: usize| (0..n).map(|i| m[(i, j)] * m[(i, j)]).sum::<f64>();
        let largest = (0..n).fold(0.0_f64, |m, j| m.max(squared(&self.lu, j)));
        self.x.fill(0.0);
        for j in 0..n {
            let s = squared(&self.lu, j);
            if s > RANK * RANK * largest {
                let y = (0..n).map(|i| self.lu[(i, j)] * r[i]).sum::<f64>() / s;
                for i in 0..n {
                    self.x[i] += y * self.v[(i, j)];
                }
            }
        }
        let scale = r.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let left = (0..n).fold(0.0_f64, |m, i| {
            let row: f64 = a.row(i).iter().zip(&self.x).map(|(a, x)| a * x).sum();
            m.max((row - r[i]).abs())
        });
        let finite = self.x.iter().chain(&*r).all(|v| v.is_finite());
        r.copy_from_slice(&self.x);
        if finite && left <= CONSISTENT * scale + rounding { Solved::Shortest } else { Solved::No }
    }

    /// Orthogonal directions that the matrix of the last solve does not answer to, where that solve had many solutions.
    pub(crate) fn kernel(&self) -> Vec<Vec<f64>> {
        let n = self.x.len();
        let squared = |j: usize| (0..n).map(|i| self.lu[(i, j)] * self.lu[(i, j)]).sum::<f64>();
        let largest = (0..n).fold(0.0_f64, |m, j| m.max(squared(j)));
        let silent = (0..n).filter(|&j| !(squared(j) > RANK * RANK * largest));
        silent.map(|j| (0..n).map(|i| self.v[(i, j)]).collect()).collect()
    }

    /// One round of rotations over all pairs of columns; false if none was needed.
    fn sweep(&mut self) -> bool {
        let n = self.x.len();
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let (mut alpha, mut beta, mut gamma) = (0.0, 0.0, 0.0);
                for i in 0..n {
                    let (x, y) = (self.lu[(i, p)], self.lu[(i, q)]);
                    alpha += x * x;
                    beta += y * y;
                    gamma += x * y;
                }
                if !(gamma.abs() > 1e-16 * (alpha * beta).sqrt()) {
                    continue;
                }
                turned = true;
                let zeta = (beta - alpha) / (2.0 * gamma);
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                for m in [&mut self.lu, &mut self.v] {
                    for i in 0..n {
                        let (x, y) = (m[(i, p)], m[(i, q)]);
                        m[(i, p)] = c * (x - t * y);
                        m[(i, q)] = c * (t * x + y);
                    }
                }
            }
        }
        turned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_system_has_its_one_solution() {
        let a = Matrix::from_rows(&[[0.0, 2.0, 1.0], [1.0, -1.0, 0.5], [3.0, 0.0, 4.0]]).unwrap();
        let x = [0.3, -2.0, 5.0];
        let mut r = a.mul_vec(&x);
        assert_eq!(Small::default().solve(&a, &mut r), Solved::Unique);
        assert!(r.iter().zip(x).all(|(r, x)| (r - x).abs() < 1e-13));
    }

    #[test]
    fn a_redundant_system_is_solved_by_equal_shares() {
        let a = Matrix::from_rows(&[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]).unwrap();
        let mut r = vec![3.0, 3.0, 1.0];
        assert_eq!(Small::default().solve(&a, &mut r), Solved::Shortest);
        assert!(r.iter().zip([1.5, 1.5, 0.5]).all(|(r, x)| (r - x).abs() < 1e-14), "{r:?}");
    }

    #[test]
    fn of_many_solutions_the_nearest_is_found() {
        let a = Matrix::from_rows(&[[1.0, 1.0], [1.0, 1.0]]).unwrap();
        let mut r = vec![3.0, 3.0];
        assert_eq!(Small::default().solve_near(&a, &mut r, &[2.0, 0.0]), Solved::Shortest);
        assert!((r[0] - 2.5).abs() < 1e-15 && (r[1] - 0.5).abs() < 1e-15, "{r:?}");
        let mut r = vec![3.0, 3.0];
        assert_eq!(Small::default().solve_near(&a, &mut r, &[2.9, 0.1]), Solved::Shortest);
        assert!((r[0] - 2.9).abs() < 1e-15, "{r:?}");
    }

    #[test]
    fn the_kernel_of_a_redundant_system_is_what_its_matrix_does_not_answer_to() {
        let a = Matrix::from_rows(&[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]).unwrap();
        let mut small = Small::default();
        assert_eq!(small.solve(&a, &mut [3.0, 3.0, 1.0]), Solved::Shortest);
        let kernel = small.kernel();
        assert_eq!(kernel.len(), 1);
        assert!(a.mul_vec(&kernel[0]).iter().all(|x| x.abs() < 1e-15));
        assert!((kernel[0].iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_contradiction_is_told() {
        let a = Matrix::from_rows(&[[1.0, 1.0], [1.0, 1.0]]).unwrap();
        assert_eq!(Small::default().solve(&a, &mut [1.0, 2.0]), Solved::No);
        assert_eq!(Small::default().solve(&Matrix::zeros(1, 1), &mut [f64::NAN]), Solved::No);
    }
}
