//! Position correction: the least move, in the metric of the mass matrix, that takes a configuration out of
//! every contact. Velocities stay as they are.

use super::activation::is_connection;
use crate::contact::solve::{self, ContactSolver};
use crate::contact::{ContactProblem, Law};
use crate::error::Error;
use crate::model::{Candidate, Model, Span};
use crate::system::State;

#[derive(Debug)]
pub(super) struct Correction {
    solver: ContactSolver,
    problem: ContactProblem,
    candidates: Vec<Candidate>,
    inside: Vec<usize>,
    bias: Vec<f64>,
    laws: Vec<Law>,
    shift: Vec<f64>,
    q: Vec<f64>,
}

impl Correction {
    /// With the solver of the contact problems.
    pub(super) fn new(solve: &solve::Settings) -> Result<Self, Error> {
        Ok(Self {
            solver: ContactSolver::new(solve.clone())?,
            problem: ContactProblem::default(),
            candidates: Vec::new(),
            inside: Vec::new(),
            bias: Vec::new(),
            laws: Vec::new(),
            shift: Vec::new(),
            q: Vec::new(),
        })
    }

    /// Solves 0 ≤ g + W_NN p ⊥ p ≥ 0 over the contacts with g < 0, with connections that hold, and moves q by M⁻¹ H p. A problem
    /// without solution leaves q as it is: the depth is reported in any case. Candidates of bodies that are asleep are left out.
    pub(super) fn apply<M: Model>(
        &mut self,
        model: &M,
        place: &mut M::Place,
        state: &mut State,
        asleep: impl Fn(&M::Place, usize) -> bool,
    ) -> Result<(), Error> {
        self.candidates.clear();
        model.detect(place, &Span::still(state), &mut self.candidates)?;
        if !self.candidates.iter().any(|c| c.gap.is_some_and(|g| g < 0.0)) {
            return Ok(());
        }
        self.inside.clear();
        self.bias.clear();
        self.laws.clear();
        for (i, c) in self.candidates.iter().enumerate() {
            let law = model.law(place, i);
            let connection = c.gap.is_none() && is_connection(&law.kind);
            if (connection || c.gap.is_some_and(|g| g < 0.0)) && !asleep(place, i) {
                self.inside.push(i);
                self.bias.push(c.gap.unwrap_or(0.0));
                let rest = law.components() - 1;
                self.bias.extend(std::iter::repeat_n(0.0, rest));
                self.laws.push(Law { kind: law.kind.clone(), ..Law::default() });
            }
        }
        if self.inside.is_empty() {
            return Ok(());
        }
        model.collect(place, &self.inside);
        model.pose(place, &self.bias, &self.laws, &mut self.problem)?;
        let answer = self.solver.solve(&self.problem);
        if answer.is_solved() {
            self.shift.clear();
            self.shift.resize(state.u.len(), 0.0);
            model.apply(place, &answer.impulse, &mut self.shift);
            self.q.resize(state.q.len(), 0.0);
            model.advance(&state.q, &self.shift, &self.shift, 1.0, &mut self.q);
            state.q.copy_from_slice(&self.q);
        }
        Ok(())
    }
}
