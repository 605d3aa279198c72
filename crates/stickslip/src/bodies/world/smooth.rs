//! The equations of motion on the level of accelerations, for bodies without joints.

use super::place::WorldPlace;
use super::rows::{Rows, Source};
use super::{Role, World};
use crate::bodies::contact_pair::Moving;
use crate::bodies::roles::motion_rate;
use crate::bodies::{Pose, Twist};
use crate::error::Error;
use crate::model::{Accelerations, LEVEL, Model};

impl World {
    /// Newton's and Euler's equations in world axes, and the rows of these candidates at a state.
    pub(super) fn equations(
        &self,
        place: &mut WorldPlace,
        (q, u, t): (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        if !self.joints.is_empty() {
            return Err(Error::Combination {
                part: LEVEL,
                other: "joints of a World",
                reason: "their reactions are not known there; make the mechanism a Tree, whose coordinates are those of its \
                         joints; runs can also use moreau_midpoint, moreau_jean or gap_level",
            });
        }
        self.move_to(place, q, t);
        if !candidates.is_empty() {
            self.find_candidates(place, t)?;
            self.collect(place, candidates);
        }
        out.begin(u.len());
        let WorldPlace { bodies, loads, .. } = &mut *place;
        loads.rates.clear();
        loads.rates.resize(self.free, Twist::default());
        self.accelerate((bodies, loads), (q, u, t), 1.0);
        self.add_gyroscopic(bodies, loads);
        for (rate, free) in loads.rates.iter().zip(out.free.chunks_exact_mut(6)) {
            rate.write(free);
        }
        if !out.free.iter().all(|a| a.is_finite()) {
            return Err(Error::NotFinite { what: "a force", t });
        }
        if !candidates.is_empty() {
            spread_rows(&place.rows, out);
            self.contact_accelerations(place, (q, u, t), out);
        }
        Ok(())
    }

    fn contact_accelerations(
        &self,
        place: &WorldPlace,
        (q, u, t): (&[f64], &[f64], f64),
        out: &mut Accelerations,
    ) {
        out.convective.resize(out.drive.len(), 0.0);
        let moving = |body: usize| match &self.roles[body] {
            Role::Free(i, _) => {
                let (pose, twist) = (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..]));
                Moving { pose, twist, rate: Twist::default() }
            }
            Role::Prescribed(_) if body == Self::GROUND.0 => Moving::default(),
            Role::Prescribed(motion) => {
                let (pose, twist) = place.bodies.poses[body];
                Moving { pose, twist, rate: motion_rate(motion, t) }
            }
        };
        for (source, link) in place.collected.iter().zip(&place.rows.links) {
            let Source::ContactPair(pair, close) = source else { continue };
            let pair = &self.contact_pairs[*pair];
            let rows = &mut out.convective[link.start..link.start + link.rows];
            pair.convective([&moving(pair.first), &moving(pair.second)], close, rows);
        }
    }
}

/// The collected rows, with one number for every velocity of the world.
fn spread_rows(rows: &Rows, out: &mut Accelerations) {
    let f = out.free.len();
    out.drive.extend_from_slice(&rows.drive);
    let entries = out.drive.len() * f;
    out.directions.resize(entries, 0.0);
    out.responses.resize(entries, 0.0);
    for link in &rows.links {
        for row in link.start..link.start + link.rows {
            for (side, body) in link.bodies.iter().enumerate() {
                let Some(body) = body else { continue };
                let range = row * f + 6 * body..row * f + 6 * body + 6;
                out.directions[range.clone()].copy_from_slice(&rows.values[row][side]);
                out.responses[range].copy_from_slice(&rows.response[row][side]);
            }
        }
    }
}
