//! What holds constraints at a configuration: loops of a tree, constraints between generalised coordinates.

use crate::bodies::psd::Psd;
use crate::dynamics::dot;

/// H, M⁻¹ H, and W = Hᵀ M⁻¹ H factorised, with redundant equations dropped.
#[derive(Debug, Default)]
pub(crate) struct DenseReactions {
    /// Velocities.
    n: usize,
    /// The columns of H, row after row.
    pub(crate) rows: Vec<f64>,
    responses: Vec<f64>,
    /// The lower triangle of W, row by row.
    w: Vec<f64>,
    psd: Psd,
    /// Equations that the factors are laid out for.
    equations: usize,
    /// Equations less their rank.
    pub(crate) redundancy: usize,
    /// Values or rates of the constraints, and then the impulses that take them away.
    pub(crate) lam: Vec<f64>,
    change: Vec<f64>,
    /// What of each equation does not come from the vector that is held: ∂φ/∂t for velocities, Ḣᵀ u for accelerations.
    pub(crate) rest: Vec<f64>,
}

impl DenseReactions {
    /// Makes room for rows of this many velocities, which are then put into `rows`.
    pub(crate) fn begin(&mut self, n: usize) {
        self.n = n.max(1);
        self.rows.clear();
        self.rest.clear();
    }

    /// Factorises the rows; `solve` makes M⁻¹ h of one. Cost: one product with M⁻¹ per row, and a dense factorisation.
    pub(crate) fn factorize(&mut self, mut solve: impl FnMut(&[f64], &mut [f64])) {
        let (n, k) = (self.n, self.rows.len() / self.n);
        self.responses.resize(self.rows.len(), 0.0);
        let both = self.rows.chunks_exact(n).zip(self.responses.chunks_exact_mut(n));
        both.for_each(|(h, y)| solve(h, y));
        if self.equations != k {
            let places: Vec<_> = (0..k).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
            self.psd = Psd::new(k, &places, &(0..k).collect::<Vec<_>>());
            self.equations = k;
        }
        self.w.clear();
        for i in 0..k {
            let row = &self.rows[i * n..][..n];
            self.w.extend((0..=i).map(|j| dot(row, &self.responses[j * n..][..n])));
        }
        self.redundancy = k - self.psd.factorize(&self.w);
    }

    /// The least displacement, in the metric of M, that takes the values in `lam` away to first order.
    pub(crate) fn correction(&mut self) -> &[f64] {
        let mut change = std::mem::take(&mut self.change);
        change.clear();
        change.resize(self.n, 0.0);
        self.answer(&mut change);
        self.change = change;
        &self.change
    }

    /// x −= M⁻¹ H λ such that Hᵀ x = 0.
    pub(crate) fn hold(&mut self, x: &mut [f64]) {
        self.lam.clear();
        let rows = self.rows.chunks_exact(self.n);
        self.lam.extend(rows.map(|row| dot(row, x)));
        self.answer(x);
    }

    /// x −= M⁻¹ H λ such that Hᵀ x + rest = 0.
    pub(crate) fn hold_with_rest(&mut self, x: &mut [f64]) {
        self.lam.clear();
        let rows = self.rows.chunks_exact(self.n).zip(&self.rest);
        self.lam.extend(rows.map(|(row, rest)| dot(row, x) + rest));
        self.answer(x);
    }

    /// x −= M⁻¹ H W⁺ b for the b in the storage of λ.
    fn answer(&mut self, x: &mut [f64]) {
        self.psd.solve(&mut self.lam);
        for (y, lam) in self.responses.chunks_exact(self.n).zip(&self.lam) {
            x.iter_mut().zip(y).for_each(|(x, y)| *x -= lam * y);
        }
    }
}
