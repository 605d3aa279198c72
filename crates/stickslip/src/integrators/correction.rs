//! Position correction: the least move, in the metric of the mass matrix, that takes a configuration out of
//! every contact. Velocities stay as they are.

use crate::dynamics::{Assembly, dot};
use crate::error::Error;
use crate::system::{State, System, SystemInfo};
use complementarity::{Auto, Lcp, Matrix, Solver};

#[derive(Debug)]
pub(super) struct Correction {
    assembly: Assembly,
    gaps: Vec<f64>,
    inside: Vec<usize>,
    impulse: Vec<f64>,
    auto: Auto,
    lcp: Option<Lcp>,
}

impl Correction {
    pub(super) fn new(info: &SystemInfo) -> Self {
        Self {
            assembly: Assembly::new(info),
            gaps: vec![0.0; info.contacts.len()],
            inside: Vec::new(),
            impulse: Vec::new(),
            auto: Auto::default(),
            lcp: None,
        }
    }

    /// Solves 0 ≤ g + W_NN p ⊥ p ≥ 0 over the contacts with g < 0 and moves q by M⁻¹ H_N p. A problem without
    /// solution leaves q as it is: the depth is reported in any case.
    pub(super) fn apply<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        state: &mut State,
    ) -> Result<(), Error> {
        system.gaps(&state.q, state.t, &mut self.gaps);
        self.inside.clear();
        self.inside.extend((0..self.gaps.len()).filter(|&i| self.gaps[i] < 0.0));
        if self.inside.is_empty() {
            return Ok(());
        }
        self.assembly.factorize(system, &state.q, state.t)?;
        self.assembly.collect(system, &self.inside, &state.q, state.t);
        let (mut m, mut q) = match self.lcp.take() {
            Some(lcp) => lcp.into_parts(),
            None => (Matrix::zeros(0, 0), Vec::new()),
        };
        let k = self.inside.len();
        m.reshape(k, k);
        q.clear();
        q.extend(self.inside.iter().map(|&i| self.gaps[i]));
        for i in 0..k {
            for j in 0..k {
                m.row_mut(i)[j] =
                    dot(self.assembly.direction(2 * i), self.assembly.response(2 * j));
            }
        }
        let lcp = Lcp::new(m, q)?;
        let answer = self.auto.solve(&lcp);
        if answer.is_solved() {
            self.impulse.clear();
            self.impulse.extend(answer.z.iter().flat_map(|&p| [p, 0.0]));
            self.assembly.apply(&self.impulse, &mut state.q);
        }
        self.lcp = Some(lcp);
        Ok(())
    }
}
