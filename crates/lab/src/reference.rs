//! A solver that is slow and simple enough to trust: the yardstick of this crate's own tests.
//!
//! If a problem has a solution, one of the polyhedra {z at its bounds outside of U, w = 0 on E} holds
//! one; without the free directions that no row feels these have vertices, and a vertex is the only
//! point where some set of bounds and rows is tight. All such sets are tried: 3ⁿ for a plain
//! problem, 5ⁿ at most for a mixed one.

use complementarity::{
    Error, Failure, Lcp, Matrix, MixedSolver, Mlcp, Solution, Solver, Statistics, Status,
};

const TOLERANCE: f64 = 1e-10;
/// Pivots below this, in a matrix whose rows and columns have size 1, count as zero.
const SINGULAR: f64 = 1e-12;

/// Tries every set of tight constraints; for up to eight unknowns.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    solution: Solution,
}

impl Reference {
    /// The most unknowns it takes.
    pub const LIMIT: usize = 8;
}

impl Solver for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn solve(&mut self, problem: &Lcp) -> &Solution {
        self.solve_mixed(&problem.to_mlcp())
    }

    fn solve_from(&mut self, problem: &Lcp, _: &[f64]) -> Result<&Solution, Error> {
        Ok(self.solve(problem))
    }
}

impl MixedSolver for Reference {
    fn solve_mixed(&mut self, problem: &Mlcp) -> &Solution {
        let n = problem.len();
        self.solution = Solution { z: vec![0.0; n], ..Solution::default() };
        if n > Self::LIMIT {
            self.solution.status = Status::Failed(Failure::WrongClass);
        } else if let Some(z) = search(problem, &mut self.solution.statistics) {
            self.solution.z = z;
            self.solution.status = Status::Solved;
        }
        let mut w = problem.m().mul_vec(&self.solution.z);
        w.iter_mut().zip(problem.q()).for_each(|(w, q)| *w += q);
        self.solution.w = w;
        self.solution.residual = problem.residual(&self.solution.z);
        &self.solution
    }

    fn solve_mixed_from(&mut self, problem: &Mlcp, _: &[f64]) -> Result<&Solution, Error> {
        Ok(self.solve_mixed(problem))
    }
}

/// What is tight at one index: z at this value or loose, w = 0 or loose.
#[derive(Clone, Copy)]
struct Tight {
    z: Option<f64>,
    w: bool,
}

fn search(problem: &Mlcp, statistics: &mut Statistics) -> Option<Vec<f64>> {
    let n = problem.len();
    let choices = choices(problem);
    let mut place = vec![0; n];
    loop {
        let tight: Vec<Tight> = (0..n).map(|i| choices[i][place[i]]).collect();
        statistics.iterations += 1;
        if let Some(z) = point(problem, &tight)
            && problem.residual(&z).scaled <= TOLERANCE
        {
            return Some(z);
        }
        let next = (0..n).find(|&i| place[i] + 1 < choices[i].len())?;
        place[..next].fill(0);
        place[next] += 1;
    }
}

fn choices(problem: &Mlcp) -> Vec<Vec<Tight>> {
    let redundant = redundant_free(problem);
    let of = |i: usize| {
        if redundant.contains(&i) {
            let z = Some(0.0);
            return vec![Tight { z, w: true }];
        }
        let mut list = vec![Tight { z: None, w: true }];
        for bound in [problem.lower()[i], problem.upper()[i]] {
            if bound.is_finite() {
                let z = Some(bound);
                list.extend([Tight { z, w: false }, Tight { z, w: true }]);
            }
        }
        list
    };
    (0..problem.len()).map(of).collect()
}

/// Free unknowns whose columns depend on those of earlier free ones.
fn redundant_free(problem: &Mlcp) -> Vec<usize> {
    let n = problem.len();
    let free = |i: &usize| problem.lower()[*i].is_infinite() && problem.upper()[*i].is_infinite();
    let mut kept: Vec<usize> = Vec::new();
    let mut redundant = Vec::new();
    for i in (0..n).filter(free) {
        kept.push(i);
        let columns = Matrix::from_fn(n, kept.len(), |r, c| problem.m()[(r, kept[c])]);
        if eliminate(columns, vec![0.0; n]).is_none() {
            kept.pop();
            redundant.push(i);
        }
    }
    redundant
}

/// The only point at which these constraints are tight, if there is just one.
fn point(problem: &Mlcp, tight: &[Tight]) -> Option<Vec<f64>> {
    let n = tight.len();
    let loose: Vec<usize> = (0..n).filter(|&i| tight[i].z.is_none()).collect();
    let rows: Vec<usize> = (0..n).filter(|&i| tight[i].w).collect();
    let mut z: Vec<f64> = tight.iter().map(|t| t.z.unwrap_or(0.0)).collect();
    if loose.is_empty() {
        return Some(z);
    }
    let (m, q) = (problem.m(), problem.q());
    let fixed = m.mul_vec(&z);
    let a = Matrix::from_fn(rows.len(), loose.len(), |r, c| m[(rows[r], loose[c])]);
    let b = rows.iter().map(|&i| -q[i] - fixed[i]).collect();
    for (&i, x) in loose.iter().zip(eliminate(a, b)?) {
        // Rounding must not push a point out of its box.
        z[i] = x.clamp(problem.lower()[i], problem.upper()[i]);
    }
    Some(z)
}

/// Solves Ax = b by elimination with complete pivoting; `None` unless A has full column rank.
/// Rows beyond the rank are not checked: the residual will tell.
fn eliminate(mut a: Matrix, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let (rows, cols) = (a.rows(), a.cols());
    let scale = equilibrate(&mut a, &mut b)?;
    let mut order: Vec<usize> = (0..cols).collect();
    for k in 0..cols {
        let places = (k..rows).flat_map(|i| (k..cols).map(move |j| (i, j)));
        let size = |p: &(usize, usize)| a[*p].abs();
        let (pi, pj) = places.max_by(|x, y| size(x).total_cmp(&size(y)))?;
        if a[(pi, pj)].abs() <= SINGULAR {
            return None;
        }
        for j in 0..cols {
            let t = a[(k, j)];
            a[(k, j)] = a[(pi, j)];
            a[(pi, j)] = t;
        }
        b.swap(k, pi);
        for i in 0..rows {
            let t = a[(i, k)];
            a[(i, k)] = a[(i, pj)];
            a[(i, pj)] = t;
        }
        order.swap(k, pj);
        for i in k + 1..rows {
            let f = a[(i, k)] / a[(k, k)];
            for j in k..cols {
                a[(i, j)] -= f * a[(k, j)];
            }
            b[i] -= f * b[k];
        }
    }
    let mut x = vec![0.0; cols];
    for k in (0..cols).rev() {
        let s: f64 = (k + 1..cols).map(|j| a[(k, j)] * x[order[j]]).sum();
        x[order[k]] = (b[k] - s) / a[(k, k)];
    }
    for (x, c) in x.iter_mut().zip(&scale) {
        *x *= c;
    }
    x.iter().all(|v| v.is_finite()).then_some(x)
}

/// Brings rows and columns to size 1 by alternating passes; the column factors, or `None` if a
/// column is zero.
fn equilibrate(a: &mut Matrix, b: &mut [f64]) -> Option<Vec<f64>> {
    let (rows, cols) = (a.rows(), a.cols());
    let mut scale = vec![1.0; cols];
    for _ in 0..4 {
        for i in 0..rows {
            let size = (0..cols).map(|j| a[(i, j)].abs()).fold(0.0, f64::max);
            if size > 0.0 {
                a.row_mut(i).iter_mut().for_each(|v| *v /= size);
                b[i] /= size;
            }
        }
        for j in 0..cols {
            let size = (0..rows).map(|i| a[(i, j)].abs()).fold(0.0, f64::max);
            if size == 0.0 {
                return None;
            }
            (0..rows).for_each(|i| a[(i, j)] /= size);
            scale[j] /= size;
        }
    }
    Some(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_finds_a_vertex_that_no_complementary_basis_has() {
        // M_αα is singular on the support {1, 2} of the only solutions; w₃ = 0 and z₃ = 0 together
        // single out (1, 1, 0).
        let rows = [[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        let m = Matrix::from_rows(&rows).unwrap();
        let p = Lcp::new(m, vec![0.0, 0.0, -2.0]).unwrap();
        let mut solver = Reference::default();
        assert_eq!(solver.solve(&p).status, Status::Solved);
        assert_eq!(solver.solution.z, vec![1.0, 1.0, 0.0]);
    }

    #[test]
    fn the_reference_finds_nothing_where_there_is_nothing() {
        let m = Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0]]).unwrap();
        let p = Lcp::new(m, vec![-1.0, 1.0]).unwrap();
        assert!(!Reference::default().solve(&p).is_solved());
    }
}
