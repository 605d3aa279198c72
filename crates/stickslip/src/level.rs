//! The contact problem of a state, at each of the levels at which there is one: to look at it, save it, or
//! enumerate its solutions. Integrators pose theirs on storage that they keep.

mod snapshot;
mod vary;

pub use snapshot::Snapshot;

use crate::contact::{ContactProblem, Law};
use crate::dynamics::{Assembly, dot};
use crate::error::Error;
use crate::system::{State, System};

/// The level at which a contact problem is posed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// Impulses over a step of this length from the state, with restitution. W is that of the state; γ at the end of the step has
    /// the convective part Δt Ḣᵀu, without which a rod that turns while it slides would not lift off.
    Step(f64),
    /// Impulses in no time, with restitution.
    Impact,
    /// Forces and accelerations. A contact whose slip is larger than this velocity has its friction fixed; the others
    /// roll, \[2\] (iv).
    Acceleration(f64),
}

/// γ of the given contacts, N and T in turn.
///
/// # Errors
/// As [`pose`].
pub fn rel_velocity<S: System + ?Sized>(
    system: &mut S,
    state: &State,
    contacts: &[usize],
) -> Result<Vec<f64>, Error> {
    let assembly = assemble(system, state, contacts)?;
    let mut gamma = Vec::new();
    assembly.relative_velocity(&state.u, &mut gamma);
    Ok(gamma)
}

/// M⁻¹ (h dt + H Λ): the change of u over a step of length `dt` with impulses Λ at the given contacts; with `dt` = 1 and
/// forces in place of impulses the acceleration.
///
/// # Errors
/// As [`pose`], and if there are not two impulses per contact.
pub fn change<S: System + ?Sized>(
    system: &mut S,
    state: &State,
    contacts: &[usize],
    impulse: &[f64],
    dt: f64,
) -> Result<Vec<f64>, Error> {
    let (expected, found) = (2 * contacts.len(), impulse.len());
    if expected != found {
        return Err(Error::Size { what: "impulse", expected, found });
    }
    let assembly = assemble(system, state, contacts)?;
    let mut out = vec![0.0; state.u.len()];
    if dt != 0.0 {
        system.forces(&state.q, &state.u, state.t, &mut out);
        assembly.solve_mass(&mut out);
        out.iter_mut().for_each(|v| *v *= dt);
    }
    assembly.apply(impulse, &mut out);
    Ok(out)
}

fn assemble<S: System + ?Sized>(
    system: &mut S,
    state: &State,
    contacts: &[usize],
) -> Result<Assembly, Error> {
    system.info().validate()?;
    state.validate(system.info())?;
    let available = system.info().contacts.len();
    if let Some(&found) = contacts.iter().find(|&&c| c >= available) {
        return Err(Error::Size { what: "the list of contacts", expected: available, found });
    }
    let mut assembly = Assembly::new(system.info());
    assembly.factorize(system, &state.q, state.t)?;
    assembly.collect(system, contacts, &state.q, state.t);
    Ok(assembly)
}

/// Poses the problem of `state` for the given contacts.
///
/// # Errors
/// If the mass matrix cannot be factorised, a contact does not exist, or a number is not finite.
pub fn pose<S: System + ?Sized>(
    system: &mut S,
    state: &State,
    contacts: &[usize],
    level: Level,
) -> Result<ContactProblem, Error> {
    let assembly = assemble(system, state, contacts)?;
    let State { t, q, u } = state;
    let mut gamma = Vec::new();
    assembly.relative_velocity(u, &mut gamma);
    let mut acceleration = vec![0.0; u.len()];
    system.forces(q, u, *t, &mut acceleration);
    assembly.solve_mass(&mut acceleration);

    let pull = |r: usize| dot(assembly.direction(r), &acceleration);
    let laws: Vec<Law> = contacts.iter().map(|&c| system.info().contacts[c].law.clone()).collect();
    let mut bias = vec![0.0; gamma.len()];
    for (i, law) in laws.iter().enumerate() {
        let convective = system.convective(contacts[i], q, u, *t);
        for (r, eps) in [(2 * i, law.eps_n), (2 * i + 1, law.eps_t)] {
            bias[r] = bias_at(level, eps, gamma[r], pull(r) + convective[r % 2]);
        }
    }
    let laws = laws.iter().zip(gamma.chunks_exact(2)).map(|(l, g)| law_at(level, l, g));
    let mut problem = ContactProblem::default();
    assembly.pose(&bias, laws, &mut problem);
    problem.validate()?;
    Ok(problem)
}

/// b of a row with relative velocity γ, and with this γ̇ where no contact acts.
fn bias_at(level: Level, eps: f64, gamma: f64, rate: f64) -> f64 {
    match level {
        Level::Step(dt) => (1.0 + eps) * gamma + dt * rate,
        Level::Impact => (1.0 + eps) * gamma,
        Level::Acceleration(_) => rate,
    }
}

/// The law of a contact with relative velocity γ, in the units of the level.
fn law_at(level: Level, law: &Law, gamma: &[f64]) -> Law {
    match level {
        Level::Step(dt) => Law { radius: law.radius * dt, ..law.clone() },
        Level::Impact => Law { radius: 0.0, ..law.clone() },
        Level::Acceleration(still) => {
            let Some(set) = law.kind.set() else { return law.clone() };
            let mut slip = [0.0; 3];
            for (s, g) in slip.iter_mut().zip(gamma.iter().skip(law.kind.normals())) {
                *s = *g;
            }
            let against = slip.map(|v| -v);
            let moves = set.support(&against[..set.dimension().min(3)]) > still;
            Law { sliding: moves.then_some(slip), ..law.clone() }
        }
    }
}
