//! Laws of contacts whose friction depends on the configuration or on time.

use crate::contact::{FrictionCurve, Law, SlipDependence, UserCurve};
use crate::error::{Error, check};
use crate::system::{PlacedFriction, System};
use std::sync::Arc;

/// The contacts of a system whose friction depends on the place, and what it is there.
#[derive(Debug, Default)]
pub(super) struct Placed {
    contacts: Vec<(usize, Arc<dyn PlacedFriction>)>,
}

/// The laws of all contacts at a place.
#[derive(Debug, Default)]
pub(super) struct LawsThere {
    laws: Vec<Law>,
    /// Curves at places, to be used again when no law holds them any more.
    curves: Vec<Arc<CurveThere>>,
}

/// The coefficient of friction over the slip speed at a place.
#[derive(Clone, Debug)]
pub(crate) struct CurveThere {
    friction: Arc<dyn PlacedFriction>,
    q: Vec<f64>,
    t: f64,
}

impl UserCurve for CurveThere {
    fn coefficient(&self, speed: f64) -> f64 {
        self.friction.coefficient(&self.q, self.t, speed)
    }
}

impl Placed {
    pub(super) fn of<S: System>(system: &S) -> Self {
        let contacts = 0..system.info().contacts.len();
        let varies = |i: usize| system.friction(i).map(|f| (i, Arc::clone(f)));
        Self { contacts: contacts.filter_map(varies).collect() }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// Evaluates friction at a place.
    pub(super) fn update(
        &self,
        laws: &[Law],
        there: &mut LawsThere,
        (q, t): (&[f64], f64),
    ) -> Result<(), Error> {
        if there.laws.len() != laws.len() {
            there.laws = laws.to_vec();
        }
        for (i, friction) in &self.contacts {
            place_friction(&mut there.laws[*i], (*i, friction), (q, t), &mut there.curves)?;
        }
        Ok(())
    }
}

/// Gives the law of a contact the coefficient of friction that it has at a place.
pub(crate) fn place_friction(
    law: &mut Law,
    (contact, friction): (usize, &Arc<dyn PlacedFriction>),
    (q, t): (&[f64], f64),
    curves: &mut Vec<Arc<CurveThere>>,
) -> Result<(), Error> {
    let mu = friction.coefficient(q, t, 0.0);
    let at = || format!("mu of contact {contact} at t = {t}");
    check(at, mu, mu >= 0.0, "a finite number >= 0")?;
    (law.mu, law.slip_dependence) = (mu, SlipDependence::None);
    if friction.by_speed() {
        let curve = there_now(curves, friction, q, t);
        law.slip_dependence = SlipDependence::Speed(FrictionCurve::User(curve));
    }
    Ok(())
}

impl LawsThere {
    #[inline]
    pub(super) fn law(&self, contact: usize) -> &Law {
        &self.laws[contact]
    }
}

/// A curve that no law holds any more, or else a new one, at this place.
fn there_now(
    curves: &mut Vec<Arc<CurveThere>>,
    friction: &Arc<dyn PlacedFriction>,
    q: &[f64],
    t: f64,
) -> Arc<dyn UserCurve> {
    let unused = curves.iter_mut().find_map(|c| Arc::get_mut(c).is_some().then_some(c));
    if let Some(slot) = unused {
        if let Some(curve) = Arc::get_mut(slot) {
            curve.friction.clone_from(friction);
            curve.q.clear();
            curve.q.extend_from_slice(q);
            curve.t = t;
        }
        return Arc::clone(slot) as Arc<dyn UserCurve>;
    }
    let new = Arc::new(CurveThere { friction: Arc::clone(friction), q: q.to_vec(), t });
    curves.push(Arc::clone(&new));
    new
}
