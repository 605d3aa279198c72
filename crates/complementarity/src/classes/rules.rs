//! What one class says about another, applied until nothing changes.

use super::minors::strict_reversal;
use super::{Basis, Class, Classes, Evidence, Finding, Reason, Undecided, Verdict, Witness};
use crate::Matrix;

/// Every matrix of the first class is in each of the others. Cottle, Pang and Stone: sections 3.1
/// (definite), 3.3 (P), 3.4 (P0), 3.5 (sufficient), 3.8 (copositive), 3.9 (R0), 3.11 (Z and M).
const CONTAINED: [(Class, &[Class]); 9] = {
    use Class::*;
    [
        (PositiveDefinite, &[PositiveSemidefinite, P, StrictlyCopositive, CopositivePlus]),
        (PositiveSemidefinite, &[P0, CopositivePlus, Copositive, RowSufficient, ColumnSufficient]),
        (M, &[Z, P]),
        (P, &[P0, R0, RowSufficient, ColumnSufficient]),
        (StrictlyCopositive, &[CopositivePlus, Copositive, R0]),
        (CopositivePlus, &[Copositive]),
        (RowSufficient, &[P0]),
        (ColumnSufficient, &[P0]),
        (Sufficient, &[RowSufficient, ColumnSufficient]),
    ]
};

/// The same among symmetric matrices: each of these is then definite or semidefinite.
const CONTAINED_IF_SYMMETRIC: [(Class, &[Class]); 4] = {
    use Class::*;
    [
        (P, &[PositiveDefinite]),
        (P0, &[PositiveSemidefinite]),
        (RowSufficient, &[PositiveSemidefinite]),
        (ColumnSufficient, &[PositiveSemidefinite]),
    ]
};

/// Verdicts as they come in.
pub(super) struct Board<'a> {
    m: &'a Matrix,
    verdicts: [Option<Verdict>; Class::ALL.len()],
    why: [Undecided; Class::ALL.len()],
}

impl<'a> Board<'a> {
    pub(super) fn new(m: &'a Matrix) -> Self {
        Self {
            m,
            verdicts: [const { None }; Class::ALL.len()],
            why: [Undecided::TooClose; Class::ALL.len()],
        }
    }

    pub(super) fn any_open(&self, classes: &[Class]) -> bool {
        classes.iter().any(|&c| self.get(c).is_none())
    }

    /// Takes in what a test found, unless the question is settled, and all that follows.
    pub(super) fn record(&mut self, class: Class, finding: Finding) {
        if self.get(class).is_some() {
            return;
        }
        match finding {
            Finding::Yes { by, within } => self.yes(class, Basis::Test(by), within),
            Finding::No(evidence) => {
                self.try_no(class, evidence);
            }
            Finding::TooLarge => self.why[class as usize] = Undecided::TooLarge,
            Finding::TooClose => self.why[class as usize] = Undecided::TooClose,
        }
        while self.infer() {}
    }

    /// If P0 is refuted, a strict reversal by M (or by Mᵀ) on the same indices.
    pub(super) fn reversal_of_transpose(&self, transposed: bool) -> Option<Evidence> {
        match self.get(Class::P0) {
            Some(Verdict::No(Witness { evidence: Evidence::Reversal { x, .. }, .. })) => {
                let gamma: Vec<usize> = (0..x.len()).filter(|&i| x[i] != 0.0).collect();
                strict_reversal(self.m, &gamma, transposed)
            }
            _ => None,
        }
    }

    pub(super) fn finish(mut self) -> Classes {
        if self.within(Class::Symmetric).is_some() {
            // P and positive definite are then one question.
            self.why[Class::P as usize] = self.why[Class::PositiveDefinite as usize];
        }
        self.why[Class::M as usize] = self.why[Class::P as usize];
        let mut take = |c: Class| {
            let open = Verdict::Undecided(self.why[c as usize]);
            self.verdicts[c as usize].take().unwrap_or(open)
        };
        let (row, column) = (take(Class::RowSufficient), take(Class::ColumnSufficient));
        let mut sufficient = take(Class::Sufficient);
        if sufficient.is_undecided() {
            let open = [&row, &column].into_iter().find(|v| v.is_undecided());
            sufficient = open.cloned().unwrap_or(sufficient);
        }
        Classes {
            symmetric: take(Class::Symmetric),
            z: take(Class::Z),
            m: take(Class::M),
            positive_definite: take(Class::PositiveDefinite),
            positive_semidefinite: take(Class::PositiveSemidefinite),
            p: take(Class::P),
            p0: take(Class::P0),
            strictly_copositive: take(Class::StrictlyCopositive),
            copositive_plus: take(Class::CopositivePlus),
            copositive: take(Class::Copositive),
            r0: take(Class::R0),
            row_sufficient: row,
            column_sufficient: column,
            sufficient,
        }
    }

    fn get(&self, class: Class) -> Option<&Verdict> {
        self.verdicts[class as usize].as_ref()
    }

    /// Applies every rule once; true if something new follows.
    fn infer(&mut self) -> bool {
        let mut news = false;
        for (small, larger) in CONTAINED {
            for &large in larger {
                news |= self.contained(small, large);
            }
        }
        if self.within(Class::Symmetric).is_some() {
            for (small, larger) in CONTAINED_IF_SYMMETRIC {
                for &large in larger {
                    news |= self.contained(small, large);
                }
            }
        }
        news |= self.both(Class::Z, Class::P, Class::M);
        news | self.both(Class::RowSufficient, Class::ColumnSufficient, Class::Sufficient)
    }

    /// `small` ⊆ `large`, used in both directions.
    fn contained(&mut self, small: Class, large: Class) -> bool {
        if let (Some(within), None) = (self.within(small), self.get(large)) {
            self.yes(large, Basis::Class(small), within);
            return true;
        }
        if let (None, Some(Verdict::No(witness))) = (self.get(small), self.get(large)) {
            let evidence = witness.evidence.clone();
            return self.try_no(small, evidence);
        }
        false
    }

    /// a ∩ b = `meet`.
    fn both(&mut self, a: Class, b: Class, meet: Class) -> bool {
        if let (Some(first), Some(second), None) = (self.within(a), self.within(b), self.get(meet))
        {
            self.yes(meet, Basis::Class(b), first.max(second));
            return true;
        }
        false
    }

    fn yes(&mut self, class: Class, basis: Basis, within: f64) {
        self.verdicts[class as usize] = Some(Verdict::Yes(Reason { basis, within }));
    }

    /// The distance within which the matrix is known to be in the class.
    fn within(&self, class: Class) -> Option<f64> {
        match self.get(class) {
            Some(Verdict::Yes(reason)) => Some(reason.within),
            _ => None,
        }
    }

    /// Says no if the evidence, in the shape that the class asks for, passes its check.
    fn try_no(&mut self, class: Class, evidence: Evidence) -> bool {
        for evidence in shapes(class, evidence) {
            let witness = Witness { class, evidence };
            if witness.check(self.m) {
                self.verdicts[class as usize] = Some(Verdict::No(witness));
                return true;
            }
        }
        false
    }
}

/// The ways in which evidence against one class can speak against `class`.
fn shapes(class: Class, evidence: Evidence) -> Vec<Evidence> {
    let vector = match &evidence {
        Evidence::Entry { .. } => return vec![evidence],
        Evidence::Form { x } | Evidence::Reversal { x, .. } | Evidence::Kernel { z: x } => x,
    };
    let reversal = |transposed| Evidence::Reversal { x: vector.clone(), transposed };
    match class {
        Class::PositiveDefinite
        | Class::PositiveSemidefinite
        | Class::StrictlyCopositive
        | Class::CopositivePlus
        | Class::Copositive => vec![Evidence::Form { x: vector.clone() }],
        Class::R0 | Class::Symmetric | Class::Z => vec![evidence],
        Class::RowSufficient => vec![reversal(true)],
        Class::ColumnSufficient => vec![reversal(false)],
        Class::M | Class::P | Class::P0 | Class::Sufficient => {
            vec![reversal(false), reversal(true)]
        }
    }
}
