//! The equations of motion at a state, on the level of accelerations.

use crate::dynamics::{add_rows, dot, gram_rows, row_products};

/// What models without these equations are refused for, in messages.
pub(crate) const LEVEL: &str = "the level of accelerations (which the integrator event_driven and the analysis of states need)";

/// W_rr with the reactions inside, as a share of that without them, below which they leave no motion: the square of a share of 10⁻¹⁰, which is
/// half-way, in digits, between rounding and what lengths and masses of bodies lead to.
const NO_MOTION: f64 = 1e-20;

/// What [`Model::accelerations`](super::Model::accelerations) says of a state and some candidates. Rows are those of the candidates'
/// components, one after the other, each with one number per velocity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accelerations {
    /// u̇ = M⁻¹ h: the accelerations if none of these candidates acts, with the reactions that are inside.
    pub free: Vec<f64>,
    /// The columns of H, row after row.
    pub directions: Vec<f64>,
    /// Those of M⁻¹ H, with the reactions that are inside.
    pub responses: Vec<f64>,
    /// Those of M times M⁻¹ H where reactions are inside: what is left of H with them, of which W is made. Empty where these are the columns
    /// of H.
    pub left: Vec<f64>,
    /// The sizes of what reactions inside add to u̇, and then to each row of M⁻¹ H. What they hold is the difference of two numbers of this
    /// size, and its rounding a share of them. Empty where none are inside.
    pub held: Vec<f64>,
    /// ŵ: what of each relative velocity γ = Hᵀ u + ŵ does not come from u.
    pub drive: Vec<f64>,
    /// What is left of γ̇ at u̇ = 0: d/dt of γ along the motion is Hᵀ u̇ plus this, in co-moving frames.
    pub convective: Vec<f64>,
    /// The reactions of connections of one component that act inside, where the model tells them.
    pub inside: Inside,
}

/// Reactions of connections of one component that act inside a model. They are affine in the forces of the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inside {
    /// The candidates.
    pub candidates: Vec<usize>,
    /// ŵ of each: what of its relative velocity does not come from u.
    pub drive: Vec<f64>,
    /// The reactions where no row acts, one of each; then what a unit force of each row adds to them.
    pub reactions: Vec<f64>,
}

impl Inside {
    /// Each candidate with its reaction to the forces Λ of the rows, with the part that is there without them if `free` says so: an impact
    /// has none of it.
    pub fn of<'a>(
        &'a self,
        forces: &'a [f64],
        free: bool,
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        let k = self.candidates.len();
        self.candidates.iter().enumerate().map(move |(i, &candidate)| {
            let rows =
                forces.iter().enumerate().map(|(r, lam)| lam * self.reactions[(1 + r) * k + i]);
            (candidate, rows.sum::<f64>() + if free { self.reactions[i] } else { 0.0 })
        })
    }
}

impl Accelerations {
    /// Makes room for this many velocities, and none for rows. What `free` holds is old.
    pub fn begin(&mut self, velocities: usize) {
        self.free.resize(velocities, 0.0);
        let Self { directions, responses, left, held, drive, convective, .. } = self;
        for rows in [directions, responses, left, held, drive, convective] {
            rows.clear();
        }
        let Inside { candidates, drive, reactions } = &mut self.inside;
        candidates.clear();
        drive.clear();
        reactions.clear();
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.drive.len()
    }

    /// Puts reactions that are inside into u̇: `hold` makes of it what they let the model do.
    pub(crate) fn hold_free(&mut self, hold: impl FnOnce(&mut [f64])) {
        self.held.clear();
        self.held.extend_from_slice(&self.free);
        hold(&mut self.free);
        self.held.iter_mut().zip(&self.free).for_each(|(a, b)| *a = (*a - b).abs());
    }

    /// Puts reactions that are inside into the rows, after [`hold_free`](Self::hold_free): `hold` makes of a row of M⁻¹ H what they let the model answer, and `times_mass` M times
    /// that. A direction in which they leave no motion but for rounding is answered by none.
    pub(crate) fn hold_responses(
        &mut self,
        mut hold: impl FnMut(&mut [f64]),
        mut times_mass: impl FnMut(&[f64], &mut [f64]),
    ) {
        let n = self.free.len().max(1);
        self.left.resize(self.responses.len(), 0.0);
        let both = self.responses.chunks_exact_mut(n).zip(self.left.chunks_exact_mut(n));
        for (direction, (response, left)) in self.directions.chunks_exact(n).zip(both) {
            let (alone, start) = (dot(direction, response), self.held.len());
            self.held.extend_from_slice(response);
            hold(response);
            self.held[start..].iter_mut().zip(&*response).for_each(|(a, b)| *a = (*a - b).abs());
            times_mass(response, left);
            if dot(left, response) <= NO_MOTION * alone {
                response.fill(0.0);
                left.fill(0.0);
            }
        }
    }

    /// One row of H.
    #[must_use]
    pub fn direction(&self, row: usize) -> &[f64] {
        &self.directions[row * self.free.len()..(row + 1) * self.free.len()]
    }

    /// One row of M⁻¹ H.
    #[must_use]
    pub fn response(&self, row: usize) -> &[f64] {
        &self.responses[row * self.free.len()..(row + 1) * self.free.len()]
    }

    /// The sizes of the parts that u̇ is a sum of while these forces act, those of u̇ without them and of what each of them adds; and the
    /// sizes of what reactions inside take away again.
    pub(crate) fn parts(&self, forces: &[f64], parts: &mut [f64], held: &mut [f64]) {
        let n = self.free.len().max(1);
        let add = |sizes: &mut [f64], row: &[f64], force: f64| {
            sizes.iter_mut().zip(row).for_each(|(size, x)| *size += (force * x).abs());
        };
        parts.fill(0.0);
        held.fill(0.0);
        add(parts, &self.free, 1.0);
        let rows = self.responses.chunks_exact(n).zip(forces);
        rows.for_each(|(row, force)| add(parts, row, *force));
        let rows = self.held.chunks_exact(n).zip([&1.0].into_iter().chain(forces));
        rows.for_each(|(row, force)| add(held, row, *force));
    }

    /// γ = Hᵀ u + ŵ.
    pub fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        gamma.resize(self.drive.len(), 0.0);
        row_products(&self.directions, u, &self.drive, gamma);
    }

    /// x += M⁻¹ H Λ.
    pub fn apply(&self, impulse: &[f64], x: &mut [f64]) {
        add_rows(&self.responses, impulse, x);
    }

    /// W = Hᵀ M⁻¹ H, row by row.
    pub fn delassus(&self, w: &mut [f64]) {
        let columns = if self.left.is_empty() { &self.directions } else { &self.left };
        gram_rows((self.free.len(), self.rows()), columns, &self.responses, w);
    }
}
