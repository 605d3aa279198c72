//! A reformulation: bounded variables written symmetrically.
//!
//! Notation: a pair of indices (r, l) where z_l is the multiplier of an upper bound on z_r, that is
//! w_l = 2h(z) − c z_r with h linear, and z_l occurs in row r alone, there with c' > 0. So
//! 0 ≤ z_r ≤ 2h/c. Glocker and Studer 2005 write dry friction this way (Λ_R and ξ_L in eq. 33).
//!
//! The same condition, centred: z_r = h/c + β₁ − β₂ with
//! 0 ≤ β₁ ⊥ ξ + s ≥ 0,  0 ≤ β₂ ⊥ −ξ + s ≥ 0,  0 ≤ s ⊥ h/c − β₁ − β₂ ≥ 0,
//! where ξ = w_r − c' z_l. Stewart and Trinkle 1996 write dry friction this way. Both problems have the same
//! solutions, but the matrix of the second one is copositive where that of the first is not, and
//! Lemke's method then cannot end on a ray although a solution exists.

use crate::{Lcp, Matrix};

/// A problem with its bounded variables centred.
pub(crate) struct Centred {
    pairs: Vec<Pair>,
    /// The centred problem: index r holds β₁, index l holds β₂, and s follows at the end.
    pub(crate) problem: Lcp,
}

struct Pair {
    r: usize,
    l: usize,
    /// c' of row r.
    multiplier: f64,
    /// h/c as a linear function: entries (index, factor) and a constant.
    centre: Vec<(usize, f64)>,
    constant: f64,
}

impl Centred {
    /// Finds the bounded variables of a problem and centres them; `None` if there are none.
    pub(crate) fn find(problem: &Lcp) -> Option<Self> {
        let n = problem.len();
        let mut taken = vec![false; n];
        let mut pairs = Vec::new();
        for l in 0..n {
            if let Some(pair) = bounded_by(problem, l)
                && !taken[pair.r]
                && !taken[l]
            {
                taken[pair.r] = true;
                taken[l] = true;
                pairs.push(pair);
            }
        }
        // A bound must not depend on a variable that is itself replaced.
        pairs.retain(|p| p.centre.iter().all(|&(k, _)| !taken[k]));
        if pairs.is_empty() {
            return None;
        }
        let problem = centre(problem, &pairs)?;
        Some(Self { pairs, problem })
    }

    /// The unknowns of the given problem from those of the centred one.
    pub(crate) fn expand(&self, original: &Lcp, x: &[f64], z: &mut [f64]) {
        z.copy_from_slice(&x[..z.len()]);
        for p in &self.pairs {
            let centre = p.centre.iter().fold(p.constant, |h, &(k, f)| h + f * x[k]);
            z[p.r] = (centre + x[p.r] - x[p.l]).clamp(0.0, (2.0 * centre).max(0.0));
            z[p.l] = 0.0;
        }
        for p in &self.pairs {
            let row = original.m().row(p.r);
            let xi = row.iter().zip(&*z).fold(original.q()[p.r], |w, (m, z)| w + m * z);
            z[p.l] = (-xi / p.multiplier).max(0.0);
        }
    }
}

/// The pair (r, l), if z_l is the multiplier of an upper bound on some z_r.
fn bounded_by(problem: &Lcp, l: usize) -> Option<Pair> {
    let m = problem.m();
    let row = m.row(l);
    if row[l] != 0.0 {
        return None;
    }
    let mut negative = row.iter().enumerate().filter(|(_, v)| **v < 0.0);
    let (r, &c) = negative.next()?;
    if negative.next().is_some() {
        return None;
    }
    let alone = (0..m.rows()).all(|i| (m[(i, l)] != 0.0) == (i == r));
    let multiplier = m[(r, l)];
    if !alone || multiplier <= 0.0 {
        return None;
    }
    let factor = -0.5 / c;
    let positive = row.iter().enumerate().filter(|(_, v)| **v > 0.0);
    let centre = positive.map(|(k, v)| (k, v * factor)).collect();
    Some(Pair { r, l, multiplier, centre, constant: problem.q()[l] * factor })
}

fn centre(problem: &Lcp, pairs: &[Pair]) -> Option<Lcp> {
    let n = problem.len();
    let size = n + pairs.len();
    let mut m = Matrix::zeros(size, size);
    let mut q = problem.q().to_vec();
    q.resize(size, 0.0);
    for i in 0..n {
        m.row_mut(i)[..n].copy_from_slice(problem.m().row(i));
    }
    for p in pairs {
        for i in 0..n {
            let v = m[(i, p.r)];
            for &(k, f) in &p.centre {
                m[(i, k)] += v * f;
            }
            q[i] += v * p.constant;
        }
    }
    for (at, p) in pairs.iter().enumerate() {
        // Columns: β₁ acts as z_r did, β₂ against it; row l is the opposite of row r.
        for i in 0..n {
            m[(i, p.l)] = -m[(i, p.r)];
        }
        let s = n + at;
        m[(p.r, s)] = 1.0;
        for &(k, f) in &p.centre {
            m[(s, k)] = f;
        }
        m[(s, p.r)] = -1.0;
        m[(s, p.l)] = -1.0;
        q[s] = p.constant;
    }
    for (at, p) in pairs.iter().enumerate() {
        let opposite: Vec<f64> = m.row(p.r)[..n].iter().map(|v| -v).collect();
        m.row_mut(p.l)[..n].copy_from_slice(&opposite);
        m.row_mut(p.l)[n..].fill(0.0);
        m[(p.l, n + at)] = 1.0;
        q[p.l] = -q[p.r];
    }
    Lcp::new(m, q).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lemke, Solver};

    /// Glocker and Studer 2005 (paper 3 of the book), eq. (33), one contact.
    fn friction(w: [[f64; 2]; 2], mu: f64, b: [f64; 2]) -> Lcp {
        let m = Matrix::from_rows(&[
            [w[0][0] - w[0][1] * mu, w[0][1], 0.0],
            [w[1][0] - w[1][1] * mu, w[1][1], 1.0],
            [2.0 * mu, -1.0, 0.0],
        ]);
        Lcp::new(m.unwrap(), vec![b[0], b[1], 0.0]).unwrap()
    }

    #[test]
    fn centring_turns_the_matrix_of_paper_3_into_that_of_paper_4() {
        let p = friction([[1.5, 1.0], [1.0, 0.75]], 2.0, [-0.5, 0.0]);
        let centred = Centred::find(&p).unwrap();
        let slip_slack = Matrix::from_rows(&[
            [1.5, 1.0, -1.0, 0.0],
            [1.0, 0.75, -0.75, 1.0],
            [-1.0, -0.75, 0.75, 1.0],
            [2.0, -1.0, -1.0, 0.0],
        ]);
        assert_eq!(centred.problem.m(), &slip_slack.unwrap());
        assert_eq!(centred.problem.q(), &[-0.5, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn what_ends_on_a_ray_is_solved_when_centred() {
        let p = friction([[1.5, 1.0], [1.0, 0.75]], 2.0, [-0.5, 0.0]);
        let mut lemke = Lemke::default();
        assert!(!lemke.solve(&p).is_solved());
        let centred = Centred::find(&p).unwrap();
        let x = lemke.solve(&centred.problem);
        assert!(x.is_solved());
        let mut z = vec![0.0; 3];
        centred.expand(&p, &x.z, &mut z);
        assert!(p.residual(&z).scaled < 1e-14);
        assert!((z[0] - 3.0).abs() < 1e-12 && (z[1] - 2.0 * z[0] + 4.0).abs() < 1e-12, "{z:?}");
    }

    #[test]
    fn a_matrix_without_bounded_variables_is_left_alone() {
        let p = Lcp::new(Matrix::identity(3), vec![-1.0; 3]).unwrap();
        assert!(Centred::find(&p).is_none());
    }
}
