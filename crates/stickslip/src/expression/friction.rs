//! Coefficients of friction as expressions: numbers, of the configuration and time, and of the slip speed.

use super::arena::{Arena, Id, depends};
use super::definition::{Definition, Scalar};
use super::error::{DefinitionError, Fault};
use super::model::Scope;
use super::names::{Allow, Kind};
use super::parser::{Term, names_in, parse};
use super::tape::Tape;
use super::units::Dim;
use crate::contact::{FrictionCurve, Law, UserCurve};
use crate::system::PlacedFriction;
use std::sync::Arc;

/// The name of the slip speed |γ_T| in `mu`.
pub(super) const SLIP: &str = "slip";

/// A coefficient that is not a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mu {
    id: Id,
    depends: u8,
}

impl Scope {
    /// Reads `mu`: a number, or what it varies with.
    pub(super) fn coefficient(
        &mut self,
        place: &str,
        value: &Scalar,
    ) -> Result<Result<f64, Mu>, DefinitionError> {
        let Scalar::Expression(text) = value else { return self.constant(place, value).map(Ok) };
        let used = names_in(text).map_err(|fault| fault.at(place))?;
        if let Some((_, span)) = used.iter().find(|(name, _)| *name == SLIP)
            && let Some((kind, _)) = self.names.get(SLIP)
        {
            let reason =
                format!("in `mu` the name `slip` is the slip speed, but it is {}", kind.noun());
            let fault = Fault::new(span.clone(), reason);
            return Err(fault.cure("give the other another name").at(place));
        }
        let mut names = self.names.clone();
        let speed = Term { id: self.arena.other(0), dim: Dim::Unknown };
        let _ = names.introduce(SLIP, Kind::SlipSpeed, Some(speed));
        let Term { id, .. } = parse(text, &names, Allow::Friction, &mut self.arena)
            .map_err(|fault| fault.at(place))?;
        Ok(self.arena.number(id).ok_or(Mu { id, depends: self.arena.depends(id) }))
    }
}

/// A coefficient of friction between bodies.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Friction {
    /// A number.
    Constant(f64),
    /// Of the slip speed alone.
    Curve(FrictionCurve),
    /// Of coordinates or time, and perhaps of the slip speed. Its configuration is the coordinates of the definition.
    Placed(Arc<dyn PlacedFriction>),
}

impl Definition {
    /// A coefficient of friction between bodies: a number, or an expression of coordinates, time and the slip speed, whose name is
    /// `slip`.
    pub fn friction(&self, place: &str, value: &Scalar) -> Result<Friction, DefinitionError> {
        let mut scope = Scope::new(self)?;
        let mu = match scope.coefficient(place, value)? {
            Ok(number) => return Ok(Friction::Constant(number)),
            Err(mu) => mu,
        };
        scope.refuse_overflow(place)?;
        let mu_there =
            Compiled { tape: Tape::new(&scope.arena, &[mu.id]), by_speed: mu.by_speed() };
        if mu.by_place() {
            return Ok(Friction::Placed(Arc::new(mu_there)));
        }
        refuse_rest(&mu_there, place.to_owned())?;
        Ok(Friction::Curve(FrictionCurve::User(Arc::new(mu_there))))
    }
}

impl Mu {
    fn by_speed(self) -> bool {
        self.depends & depends::OTHERS != 0
    }

    fn by_place(self) -> bool {
        self.depends & (depends::COORDINATES | depends::TIME) != 0
    }

    /// Puts the coefficient into a law where it depends on the slip speed alone; else returns what the system evaluates.
    pub(super) fn compile(self, arena: &Arena, law: &mut Law) -> Option<Arc<dyn PlacedFriction>> {
        let friction =
            Arc::new(Compiled { tape: Tape::new(arena, &[self.id]), by_speed: self.by_speed() });
        if self.by_place() {
            return Some(friction);
        }
        *law = std::mem::take(law).with_curve(FrictionCurve::User(friction));
        None
    }
}

/// The coefficient as instructions.
#[derive(Debug)]
struct Compiled {
    tape: Tape,
    by_speed: bool,
}

impl UserCurve for Compiled {
    fn coefficient(&self, speed: f64) -> f64 {
        PlacedFriction::coefficient(self, &[], 0.0, speed)
    }
}

impl PlacedFriction for Compiled {
    fn coefficient(&self, q: &[f64], t: f64, speed: f64) -> f64 {
        let mut mu = 0.0;
        self.tape.evaluate_with((q, &[], t, &[speed]), [&mut mu]);
        mu
    }

    fn by_speed(&self) -> bool {
        self.by_speed
    }
}

/// Refuses a coefficient at rest that is negative or not finite, and what does not go together with one that varies.
pub(super) fn check(
    mu: Mu,
    scope: &Scope,
    law: &Law,
    place: &dyn Fn(&str) -> String,
) -> Result<(), DefinitionError> {
    if law.slip_dependence != crate::contact::SlipDependence::None {
        let reason = "mu_static stands beside a mu that varies";
        return Err(DefinitionError::whole(place("mu_static"), reason)
            .cure("leave it out: the static coefficient is that of `mu` at slip = 0"));
    }
    if mu.by_speed() && law.eps_t != 0.0 {
        let reason = "eps_t > 0 cannot be used with a `mu` of the slip speed: the law of friction is about the slip at the end of an impact alone";
        return Err(DefinitionError::whole(place("eps_t"), reason).cure("set eps_t to 0"));
    }
    if !mu.by_place() {
        let curve = Compiled { tape: Tape::new(&scope.arena, &[mu.id]), by_speed: true };
        refuse_rest(&curve, place("mu"))?;
    }
    Ok(())
}

/// Refuses a coefficient that is not one at rest.
fn refuse_rest(curve: &Compiled, place: String) -> Result<(), DefinitionError> {
    let rest = UserCurve::coefficient(curve, 0.0);
    if rest >= 0.0 && rest.is_finite() {
        return Ok(());
    }
    let reason = format!("mu is {rest} at slip = 0; it must be at least 0");
    Err(DefinitionError::whole(place, reason))
}
