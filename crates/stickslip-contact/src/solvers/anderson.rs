//! Anderson's acceleration of a fixed-point iteration v⁺ = v + g(v) (Anderson 1965; Walker and Ni 2011).
//!
//! Notation: v the point, g its step; dv, dg differences of the last points and steps; γ minimises
//! |g − Σ γ_j dg_j|. The next point is v + g − Σ γ_j (dv_j + dg_j): what a secant method makes of all
//! differences kept.
//!
//! It needs no derivative and costs products of `memory` vectors. Where g is smooth it
//! converges much faster than the iteration itself. It may also lead astray: a point whose step is
//! longer than twice the last one is given up for the plain successor of the point before.

/// Most differences that are kept.
pub const MAX_MEMORY: usize = 20;
/// How much longer than the last step that of an extrapolated point may be.
const GUARD: f64 = 2.0;
/// Weight of |γ|² beside |g − Σ γ_j dg_j|² with dg_j of length one: differences that are parallel
/// up to rounding share their part.
const RIDGE: f64 = 1e-12;

/// The differences kept, on storage that is reused.
#[derive(Clone, Debug, Default)]
pub struct Anderson {
    memory: usize,
    n: usize,
    /// Differences that are there, and where the next one goes.
    count: usize,
    next: usize,
    dv: Vec<f64>,
    dg: Vec<f64>,
    /// dgᵀ dg, `memory` wide.
    gram: Vec<f64>,
    last_v: Vec<f64>,
    last_g: Vec<f64>,
    started: bool,
    /// |g| of the last point that was kept, and its plain successor.
    last_size: f64,
    plain: Vec<f64>,
    /// Whether the present point is extrapolated.
    extrapolated: bool,
}

impl Anderson {
    /// Forgets everything; for points with n components. With memory 0 all steps are plain.
    pub fn reset(&mut self, n: usize, memory: usize) {
        self.memory = memory.min(MAX_MEMORY);
        self.n = n;
        for store in [&mut self.dv, &mut self.dg] {
            store.clear();
            store.resize(self.memory * n, 0.0);
        }
        for store in [&mut self.last_v, &mut self.last_g, &mut self.plain] {
            store.clear();
            store.resize(n, 0.0);
        }
        self.gram.clear();
        self.gram.resize(self.memory * self.memory, 0.0);
        self.forget();
    }

    /// Forgets all points.
    pub fn forget(&mut self) {
        (self.count, self.next, self.started) = (0, 0, false);
        (self.last_size, self.extrapolated) = (f64::INFINITY, false);
    }

    /// Replaces the point v, whose step is g, by the next point: the extrapolated one, or v + g where there
    /// is none, or the plain successor of the point before v where v has led astray.
    pub fn advance(&mut self, v: &mut [f64], g: &[f64]) {
        let size = dot(g, g).sqrt();
        if self.extrapolated && !(size <= GUARD * self.last_size) {
            v.copy_from_slice(&self.plain);
            self.forget();
            return;
        }
        if self.memory > 0 && self.started {
            self.note(v, g);
        }
        self.started = true;
        self.last_size = size;
        self.last_v.copy_from_slice(v);
        self.last_g.copy_from_slice(g);
        v.iter_mut().zip(g).for_each(|(v, g)| *v += g);
        self.plain.copy_from_slice(v);
        let Some(gamma) = self.weights(g) else {
            self.extrapolated = false;
            return;
        };
        let n = self.n;
        for (j, gamma) in gamma[..self.count].iter().enumerate() {
            let (dv, dg) = (&self.dv[j * n..(j + 1) * n], &self.dg[j * n..(j + 1) * n]);
            for (v, (dv, dg)) in v.iter_mut().zip(dv.iter().zip(dg)) {
                *v -= gamma * (dv + dg);
            }
        }
        self.extrapolated = true;
    }

    fn note(&mut self, v: &[f64], g: &[f64]) {
        let (n, m, at) = (self.n, self.memory, self.next);
        self.next = (at + 1) % m;
        self.count = (self.count + 1).min(m);
        for i in 0..n {
            self.dv[at * n + i] = v[i] - self.last_v[i];
            self.dg[at * n + i] = g[i] - self.last_g[i];
        }
        for j in 0..self.count {
            let x = dot(&self.dg[at * n..(at + 1) * n], &self.dg[j * n..(j + 1) * n]);
            self.gram[at * m + j] = x;
            self.gram[j * m + at] = x;
        }
    }

    /// γ by Cholesky's method on the normal equations, differences scaled to length one.
    fn weights(&self, g: &[f64]) -> Option<[f64; MAX_MEMORY]> {
        let (n, m, k) = (self.n, self.memory, self.count);
        let mut length = [0.0; MAX_MEMORY];
        let mut gamma = [0.0; MAX_MEMORY];
        for j in 0..k {
            length[j] = self.gram[j * (m + 1)].sqrt();
            if !(length[j] > 0.0 && length[j].is_finite()) {
                return None;
            }
            gamma[j] = dot(&self.dg[j * n..(j + 1) * n], g) / length[j];
        }
        let mut a = [[0.0; MAX_MEMORY]; MAX_MEMORY];
        for i in 0..k {
            for j in 0..=i {
                let own = if i == j { RIDGE } else { 0.0 };
                let mut x = self.gram[i * m + j] / (length[i] * length[j]) + own;
                x -= (0..j).map(|l| a[i][l] * a[j][l]).sum::<f64>();
                a[i][j] = if i == j { x.max(RIDGE).sqrt() } else { x / a[j][j] };
            }
        }
        for i in 0..k {
            let known: f64 = (0..i).map(|l| a[i][l] * gamma[l]).sum();
            gamma[i] = (gamma[i] - known) / a[i][i];
        }
        for i in (0..k).rev() {
            let known: f64 = (i + 1..k).map(|l| a[l][i] * gamma[l]).sum();
            gamma[i] = (gamma[i] - known) / a[i][i];
        }
        (0..k).for_each(|j| gamma[j] /= length[j]);
        (k > 0).then_some(gamma)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// g(v) = c − A v with eigenvalues of A from 0.01 to 1.9: the plain iteration needs over a thousand steps.
    fn step(v: &[f64], g: &mut [f64]) {
        for (i, (g, v)) in g.iter_mut().zip(v).enumerate() {
            *g = 1.0 - [0.01, 0.1, 0.7, 1.3, 1.9][i] * v;
        }
    }

    fn steps_to_rest(memory: usize) -> usize {
        let (mut v, mut g) = (vec![0.0; 5], vec![0.0; 5]);
        let mut anderson = Anderson::default();
        anderson.reset(5, memory);
        for k in 0..5000 {
            step(&v, &mut g);
            if dot(&g, &g).sqrt() < 1e-10 {
                return k;
            }
            anderson.advance(&mut v, &g);
        }
        5000
    }

    #[test]
    fn a_linear_iteration_ends_after_as_many_differences_as_it_has_dimensions() {
        assert!(steps_to_rest(8) <= 10, "{}", steps_to_rest(8));
        assert!(steps_to_rest(0) > 1000);
    }

    #[test]
    fn a_point_that_leads_astray_is_given_up() {
        let mut anderson = Anderson::default();
        anderson.reset(1, 2);
        let mut v = [0.0];
        anderson.advance(&mut v, &[1.0]);
        assert_eq!(v, [1.0]);
        anderson.advance(&mut v, &[0.9]);
        assert!(v[0] > 5.0);
        anderson.advance(&mut v, &[f64::NAN]);
        assert_eq!(v, [1.9]);
    }
}
