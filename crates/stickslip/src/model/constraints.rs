//! Constraints φ(q, t) = 0 between generalised coordinates: how far a state is off them, and what holds it there.

use super::generalised::{Generalised, GeneralisedPlace};
use super::{Accelerations, DenseReactions};
use crate::dynamics::{Assembly, dot};
use crate::error::Error;
use crate::system::{Directions, System};

/// Corrections at most.
const ITERATIONS: usize = 50;
/// A constraint is met if what is left of it is less than this share of the terms that it is made up of.
const MET: f64 = 1e-10;
/// What is left is rounding below this share.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl<S: System> Generalised<S> {
    /// Brings coordinates and velocities onto the constraints by the shortest way in the metric of M (Newton's method on φ, then one
    /// projection); returns how far the coordinates were off, as a share of the terms that φ is made up of.
    #[inline(never)]
    pub(super) fn meet_constraints(
        &self,
        place: &mut GeneralisedPlace,
        (q, u, t): (&mut [f64], &mut [f64], f64),
    ) -> Result<f64, Error> {
        self.fit(place);
        let (mut drift, mut last) = (None, f64::INFINITY);
        let mut corrections = 0;
        loop {
            let (worst, off) = self.values(place, q, t)?;
            drift.get_or_insert(off);
            // Rounding, or no more progress.
            if off <= ROUNDING || (off >= 0.5 * last && off <= MET) {
                break;
            }
            if corrections == ITERATIONS || !off.is_finite() {
                let name = self.system.info().contacts[worst].name.clone();
                let value = place.gaps[worst];
                return Err(Error::Constraint { name, value, t, corrections });
            }
            (last, corrections) = (off, corrections + 1);
            let shift = place.reactions.correction();
            q.iter_mut().zip(shift).for_each(|(q, shift)| *q += shift);
        }
        place.reactions.hold_with_rest(u);
        place.redundancy = place.reactions.redundancy;
        Ok(drift.unwrap_or(0.0))
    }

    /// Takes the rows and values of all constraints at a configuration; returns the constraint that is farthest off, and how far.
    fn values(
        &self,
        place: &mut GeneralisedPlace,
        q: &[f64],
        t: f64,
    ) -> Result<(usize, f64), Error> {
        let GeneralisedPlace { assembly, gaps, reactions, .. } = place;
        self.factorize(assembly, q, t)?;
        self.system.gaps(q, t, gaps);
        let all = self.contacts..self.laws.len();
        self.rows(reactions, all.clone(), (q, t));
        answer(reactions, assembly);
        let (mut worst, mut off) = (self.contacts, 0.0);
        for (row, i) in reactions.rows.chunks_exact(q.len()).zip(all) {
            let share = share_off(gaps[i], row, q);
            if !(share <= off) {
                (worst, off) = (i, share);
            }
        }
        reactions.lam.clear();
        reactions.lam.extend_from_slice(&gaps[self.contacts..]);
        Ok((worst, off))
    }

    /// Puts the rows of these constraints and ∂φ/∂t into the storage of reactions.
    fn rows(
        &self,
        reactions: &mut DenseReactions,
        constraints: impl Iterator<Item = usize>,
        (q, t): (&[f64], f64),
    ) {
        let f = q.len();
        reactions.begin(f);
        for i in constraints {
            let start = reactions.rows.len();
            reactions.rows.resize(start + 2 * f, 0.0);
            let (normal, tangent) = reactions.rows[start..].split_at_mut(f);
            let mut at = Directions { normal, tangent, normal_drive: 0.0, tangent_drive: 0.0 };
            self.system.directions(i, q, t, &mut at);
            reactions.rest.push(at.normal_drive);
            reactions.rows.truncate(start + f);
        }
    }

    /// Adds the reactions of the constraints that are not among the candidates to the accelerations and to the responses of the rows.
    pub(super) fn constrain(
        &self,
        place: &mut GeneralisedPlace,
        (q, u, t): (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) {
        let inside = |i: &usize| !candidates.contains(i);
        let held = || (self.contacts..self.laws.len()).filter(inside);
        if held().next().is_none() {
            return;
        }
        let GeneralisedPlace { assembly, reactions, redundancy, .. } = place;
        self.rows(reactions, held(), (q, t));
        answer(reactions, assembly);
        *redundancy = reactions.redundancy;
        let mut inside = std::mem::take(&mut out.inside);
        inside.candidates.extend(held());
        inside.drive.extend_from_slice(&reactions.rest);
        reactions.rest.clear();
        reactions.rest.extend(held().map(|i| self.system.convective(i, q, u, t)[0]));
        out.hold_free(|free| reactions.hold_with_rest(free));
        inside.reactions.extend(reactions.lam.iter().map(|lam| -lam));
        let mass = assembly.mass();
        out.hold_responses(
            |response| {
                reactions.hold(response);
                inside.reactions.extend(reactions.lam.iter().map(|lam| -lam));
            },
            |response, left| {
                left.iter_mut().enumerate().for_each(|(i, x)| *x = dot(mass.row(i), response));
            },
        );
        out.inside = inside;
    }
}

/// Factorises the rows by the mass matrix of the assembly.
fn answer(reactions: &mut DenseReactions, assembly: &Assembly) {
    reactions.factorize(|h, y| {
        y.copy_from_slice(h);
        assembly.solve_mass(y);
    });
}

/// |φ| as a share of the terms that it is made up of: ∂φ/∂q_i q_i, and what remains.
fn share_off(value: f64, row: &[f64], q: &[f64]) -> f64 {
    let (mut sum, mut size) = (0.0, 0.0);
    for (w, q) in row.iter().zip(q) {
        sum += w * q;
        size += (w * q).abs();
    }
    size += (value - sum).abs();
    if value == 0.0 { 0.0 } else { value.abs() / size }
}
