//! Limit cycles by shooting: the return map is followed until it settles, then a fixed point of it is found
//! by Newton's method.
//!
//! The derivative of the return map is taken by central differences of two widths (an error of fourth
//! order), over motions with the same sequence of events, so that it is the derivative of one smooth map.
//! A perturbed start is put back on the closed contacts of the cycle; directions that contacts forbid
//! therefore have multipliers of zero, as has the direction of the motion itself.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | x | point of the map: coordinates that are not cyclic (local ones where rotations are quaternions), velocities | n |
//! | p | P(x), the point after the returns of one period | n |
//! | jac | DP(x) in units of `sizes` | n × n |

use super::returns::{Return, ReturnMap, Surface};
use crate::contact::Mode;
use crate::error::{Error, check};
use crate::events::linear::{Small, Solved};
use crate::events::{self, Phase, Totals};
use crate::model::Model;
use crate::run::Event;
use crate::system::{Energy, State};
use complementarity::Matrix;
use nalgebra::{Complex, DMatrix, Schur};
use std::mem::discriminant;

/// After the last return, points that are this many times farther from each other than settled ones are tried.
const HOPEFUL: f64 = 1e3;

/// A point may be this many times farther from the cycle that it settles on than multipliers say, which hold close to the cycle.
const TO_GO: f64 = 100.0;

/// Settings of the search for a cycle.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The motion. Its end time is not used.
    pub motion: events::Settings,
    /// Returns to wait for the map to settle. Default 400.
    pub settle: usize,
    /// The distance between points, relative to their sizes, at which they count as the same and Newton's method
    /// begins. Default 1e-5.
    pub settled: f64,
    /// The most returns in one period. Default 8.
    pub max_returns: usize,
    /// Steps of Newton's method. Default 12.
    pub newton: usize,
    /// How well a point must return, relative to its size. Default 1e-11.
    pub tolerance: f64,
    /// The width of differences, relative to the sizes; made smaller where the sequence of events changes.
    /// Default 1e-3.
    pub difference: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            motion: events::Settings::default(),
            settle: 400,
            settled: 1e-5,
            max_returns: 8,
            newton: 12,
            tolerance: 1e-11,
            difference: 1e-3,
        }
    }
}

impl Settings {
    /// Refuses numbers out of range.
    pub fn validate(&self) -> Result<(), Error> {
        self.motion.validate()?;
        let positive = [
            ("settled", self.settled),
            ("tolerance", self.tolerance),
            ("difference", self.difference),
        ];
        for (name, value) in positive {
            check(
                || name.into(),
                value,
                value > 0.0 && value < 1.0,
                "greater than 0 and less than 1",
            )?;
        }
        let few = self.max_returns as f64;
        check(|| "max_returns".into(), few, few >= 1.0, "at least 1")
    }
}

/// The energy of one period, and where it went. All are changes of the system's energy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnergyBalance {
    /// Change of kinetic and potential energy; along a cycle with a cyclic coordinate the potential drops.
    pub change: Energy,
    /// Work of friction, per contact.
    pub friction: Vec<f64>,
    /// Energy added by impacts, per contact.
    pub impacts: Vec<f64>,
    /// Work of moving contacts, per contact.
    pub drive: Vec<f64>,
    /// Work of forces that have no potential, and of a potential that changes with time.
    pub forces: f64,
    /// What is left: rounding, and the work of what the model does not count among its [power](crate::model::Model::power).
    pub rest: f64,
    /// The rest relative to the sum of the sizes of all works, or to the kinetic energy on the surface where that is more.
    pub relative: f64,
}

/// A limit cycle.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// The period.
    pub period: f64,
    /// The state on the surface.
    pub state: State,
    /// What the contacts do there.
    pub modes: Vec<Mode>,
    /// Returns to the surface in one period.
    pub returns: usize,
    /// How far the point is from its return, relative to its size.
    pub residual: f64,
    /// Floquet multipliers, the largest first: the derivative's eigenvalues. One of those that are zero belongs
    /// to the motion itself.
    pub multipliers: Vec<Complex<f64>>,
    /// All multipliers are smaller than 1.
    pub stable: bool,
    /// Change of each cyclic coordinate over the period, by its number.
    pub drop: Vec<(usize, f64)>,
    /// Where the energy went.
    pub energy: EnergyBalance,
    /// Events, with times since the crossing.
    pub events: Vec<Event>,
    /// The modes and when they begin, with times since the crossing.
    pub phases: Vec<Phase>,
    /// Returns made before Newton's method began.
    pub settling: usize,
}

/// Why no cycle was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// The reason.
    pub reason: String,
    /// The last state.
    pub state: State,
    /// Returns made.
    pub returns: usize,
    /// The last points on the surface.
    pub points: Vec<Vec<f64>>,
}

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Search {
    /// A cycle that meets the tolerance.
    Found(Box<Cycle>),
    /// None.
    Lost(Box<Lost>),
}

/// Looks for a limit cycle: settles from a start, then solves for it. `cyclic` are the coordinates that need not
/// return ([`cyclic_coordinates`](super::cyclic_coordinates) finds those of a system), numbered as the velocities are. Where rotations are
/// quaternions, starts are perturbed by rotations, and returns differ by rotations.
///
/// Costs the returns until the map settles, and about 4 n returns per step of Newton's method.
///
/// # Errors
/// If the start, the system or a setting is refused, or the model returns what is not finite.
pub fn find_cycle<'a, M: Model>(
    model: &'a M,
    start: &State,
    surface: Surface<'a>,
    cyclic: &[usize],
    settings: &Settings,
) -> Result<Search, Error> {
    settings.validate()?;
    let map = ReturnMap::new(model, start, surface, cyclic, &settings.motion)?;
    let mut shooting = Shooting { map, settings, crossings: Vec::new(), made: 0 };
    let outcome = match shooting.settle()? {
        Ok(anchor) => shooting.shortest(anchor)?,
        Err(reason) => Err(reason),
    };
    Ok(match outcome {
        Ok(cycle) => Search::Found(Box::new(cycle)),
        Err(reason) => Search::Lost(Box::new(Lost {
            reason,
            state: shooting.map.state().clone(),
            returns: shooting.made,
            points: shooting.crossings.iter().map(|s| shooting.map.point_of(s)).collect(),
        })),
    })
}

/// A start on the surface.
#[derive(Clone)]
struct Anchor {
    state: State,
    modes: Vec<Mode>,
    point: Vec<f64>,
    returns: usize,
    sizes: Vec<f64>,
    /// How far the point is from the one before it that it repeats.
    apart: f64,
}

struct Shooting<'a, 'b, M: Model> {
    map: ReturnMap<'a, M>,
    settings: &'b Settings,
    /// The last states on the surface.
    crossings: Vec<State>,
    made: usize,
}

/// One period from a point.
struct Shot {
    point: Vec<f64>,
    time: f64,
    events: Vec<Event>,
    phases: Vec<Phase>,
}

impl<M: Model> Shooting<'_, '_, M> {
    /// Follows the map until a point comes back.
    fn settle(&mut self) -> Result<Result<Anchor, String>, Error> {
        let mut times: Vec<f64> = Vec::new();
        let last = self.settings.settle.max(2);
        for made in 1..=last {
            match self.map.next_return()? {
                Ok(Return { time, .. }) => times.push(time),
                Err(why) => return Ok(Err(why)),
            }
            self.made = made;
            self.map.take_centre();
            let point = self.map.point();
            let most = self.settings.max_returns.min(self.crossings.len());
            // Near a bifurcation motions settle slowly, but Newton's method does not mind.
            let near = self.settings.settled * if made == last { HOPEFUL } else { 1.0 };
            for m in 1..=most {
                let time: f64 = times[times.len() - m..].iter().sum();
                let sizes = self.map.sizes(time);
                let old = self.map.point_of(&self.crossings[self.crossings.len() - m]);
                let apart = distance(&point, &old, &sizes);
                if apart <= near {
                    let (state, modes) = (self.map.state().clone(), self.map.modes().to_vec());
                    return Ok(Ok(Anchor { state, modes, point, returns: m, sizes, apart }));
                }
            }
            if self.crossings.len() > 4 * self.settings.max_returns {
                self.crossings.remove(0);
            }
            self.crossings.push(self.map.state().clone());
        }
        Ok(Err(format!("the motion did not settle within {} returns", self.made)))
    }

    /// One period from a point, begun in the modes of the anchor.
    fn shoot(&mut self, anchor: &Anchor, x: &[f64]) -> Result<Result<Shot, String>, Error> {
        let state = self.map.lift(x, &anchor.state);
        self.map.motion.restart(&state, &anchor.modes)?;
        let (events, phases) = (Vec::new(), Vec::new());
        let mut shot = Shot { point: Vec::new(), time: 0.0, events, phases };
        for _ in 0..anchor.returns {
            match self.map.next_return()? {
                Ok(made) => {
                    let shifted = made.events.iter().map(|e| Event { t: e.t + shot.time, ..*e });
                    shot.events.extend(shifted);
                    for phase in made.phases {
                        if shot.phases.last().is_none_or(|last| last.modes != phase.modes) {
                            shot.phases.push(Phase { t: phase.t + shot.time, ..phase });
                        }
                    }
                    shot.time += made.time;
                }
                Err(why) => return Ok(Err(why)),
            }
        }
        shot.point = self.map.point();
        Ok(Ok(shot))
    }

    /// The cycle with the fewest returns. A motion settles on a stable cycle: one that is not stable is taken
    /// only if there is no other. (A negative multiplier makes every second point settle first.)
    fn shortest(&mut self, anchor: Anchor) -> Result<Result<Cycle, String>, Error> {
        let mut first = None;
        let mut reason = String::new();
        for returns in (1..=anchor.returns).filter(|r| anchor.returns.is_multiple_of(*r)) {
            match self.newton(Anchor { returns, ..anchor.clone() })? {
                // Newton's method may also lead to another stable cycle than the one that the motion settles on.
                Ok(cycle) if cycle.stable && self.settles_on(&cycle, &anchor) => {
                    return Ok(Ok(cycle));
                }
                Ok(cycle) if cycle.stable => {
                    reason = "the motion settles on no cycle that was found".into()
                }
                Ok(cycle) => first = first.or(Some(cycle)),
                Err(why) => reason = why,
            }
        }
        Ok(first.ok_or(reason))
    }

    /// Whether a motion as far apart from itself as the anchor is on its way to a stable cycle: what it has to go is that over 1 − |λ|ᵐ.
    fn settles_on(&self, cycle: &Cycle, anchor: &Anchor) -> bool {
        let rate = cycle.multipliers.first().map_or(0.0, |m| m.norm());
        let periods = (anchor.returns / cycle.returns) as f64;
        let to_go = anchor.apart / (1.0 - rate.powf(periods));
        let off = distance(&self.map.point_of(&cycle.state), &anchor.point, &anchor.sizes);
        off <= TO_GO * to_go.max(self.settings.settled)
    }

    /// Newton's method on P(x) − x.
    fn newton(&mut self, mut anchor: Anchor) -> Result<Result<Cycle, String>, Error> {
        let mut x = anchor.point.clone();
        let mut best = f64::INFINITY;
        let mut small = Small::default();
        for _ in 0..=self.settings.newton {
            let shot = match self.shoot(&anchor, &x)? {
                Ok(shot) => shot,
                Err(why) => return Ok(Err(why)),
            };
            let residual = distance(&shot.point, &x, &anchor.sizes);
            if residual <= self.settings.tolerance {
                return self.conclude(&mut anchor, &shot.point, residual);
            }
            if residual > 0.5 * best {
                return Ok(Err(format!("Newton's method stalls at a residual of {best:e}")));
            }
            best = residual;
            let jac = match self.derivative(&anchor, &x, &shot.events)? {
                Ok(jac) => jac,
                Err(why) => return Ok(Err(why)),
            };
            let n = x.len();
            let system = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - jac[(i, j)]);
            let scaled = (0..n).map(|i| (shot.point[i] - x[i]) / unit(anchor.sizes[i]));
            let mut step: Vec<f64> = scaled.collect();
            if small.solve(&system, &mut step) == Solved::No {
                return Ok(Err("the return map has a multiplier of 1: no isolated cycle".into()));
            }
            for i in 0..n {
                x[i] += step[i] * unit(anchor.sizes[i]);
            }
        }
        Ok(Err(format!("Newton's method did not reach its tolerance: {best:e}")))
    }

    /// DP by central differences of two widths, in units of the sizes.
    fn derivative(
        &mut self,
        anchor: &Anchor,
        x: &[f64],
        events: &[Event],
    ) -> Result<Result<Matrix, String>, Error> {
        let n = x.len();
        let mut jac = Matrix::zeros(n, n);
        for j in 0..n {
            let mut width = self.settings.difference;
            let column = loop {
                if let Some(column) = self.column(anchor, x, j, width, events)? {
                    break column;
                }
                width *= 0.1;
                if width < 1e-8 {
                    return Ok(
                        Err("events change their order next to the cycle: it grazes".into()),
                    );
                }
            };
            for i in 0..n {
                jac[(i, j)] = column[i];
            }
        }
        Ok(Ok(jac))
    }

    /// One column; none if a motion nearby has other events.
    fn column(
        &mut self,
        anchor: &Anchor,
        x: &[f64],
        j: usize,
        width: f64,
        events: &[Event],
    ) -> Result<Option<Vec<f64>>, Error> {
        let mut slopes: Vec<Vec<f64>> = Vec::new();
        for w in [width, 0.5 * width] {
            let mut ends = Vec::new();
            for side in [1.0, -1.0] {
                let mut moved = x.to_vec();
                moved[j] += side * w * unit(anchor.sizes[j]);
                match self.shoot(anchor, &moved)? {
                    Ok(shot) if same_sequence(&shot.events, events) => ends.push(shot.point),
                    _ => return Ok(None),
                }
            }
            let slope = |i: usize| (ends[0][i] - ends[1][i]) / (2.0 * w * unit(anchor.sizes[i]));
            slopes.push((0..x.len()).map(slope).collect());
        }
        // The errors of second order of the two widths cancel.
        Ok(Some((0..x.len()).map(|i| (4.0 * slopes[1][i] - slopes[0][i]) / 3.0).collect()))
    }

    /// The cycle through a point that returns.
    fn conclude(
        &mut self,
        anchor: &mut Anchor,
        x: &[f64],
        residual: f64,
    ) -> Result<Result<Cycle, String>, Error> {
        anchor.state = self.map.lift(x, &anchor.state);
        self.map.motion.restart(&anchor.state, &anchor.modes)?;
        let (start, before) = (self.map.state().clone(), self.map.motion.energy());
        let shot = match self.shoot(anchor, x)? {
            Ok(shot) => shot,
            Err(why) => return Ok(Err(why)),
        };
        let after = self.map.motion.energy();
        let energy = balance(before, after, self.map.motion.totals());
        let end = self.map.state().clone();
        let drop = self.map.drops(&start, &end);
        let jac = match self.derivative(anchor, x, &shot.events)? {
            Ok(jac) => jac,
            Err(why) => return Ok(Err(why)),
        };
        let Some(multipliers) = eigenvalues(&jac) else {
            return Ok(Err("the multipliers could not be computed".into()));
        };
        Ok(Ok(Cycle {
            period: shot.time,
            state: start,
            modes: anchor.modes.clone(),
            returns: anchor.returns,
            residual,
            stable: multipliers.first().is_none_or(|m| m.norm() < 1.0),
            multipliers,
            drop,
            energy,
            phases: shot.phases,
            events: shot.events,
            settling: self.made,
        }))
    }
}

/// A size to divide by.
fn unit(size: f64) -> f64 {
    if size > 0.0 { size } else { 1.0 }
}

fn distance(a: &[f64], b: &[f64], sizes: &[f64]) -> f64 {
    let parts = a.iter().zip(b).zip(sizes);
    parts.fold(0.0, |m: f64, ((a, b), s)| m.max((a - b).abs() / unit(*s)))
}

fn same_sequence(a: &[Event], b: &[Event]) -> bool {
    let same = |(x, y): (&Event, &Event)| {
        x.contact == y.contact && discriminant(&x.kind) == discriminant(&y.kind)
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

fn balance(before: Energy, after: Energy, totals: &Totals) -> EnergyBalance {
    let change = Energy {
        kinetic: after.kinetic - before.kinetic,
        potential: after.potential - before.potential,
    };
    let works = [&totals.friction, &totals.impacts, &totals.drive];
    let all = || works.iter().flat_map(|w| w.iter()).chain([&totals.forces]);
    let sum: f64 = all().sum();
    // The energy itself counts: where a drive and a damper share a force, their works cancel.
    let size = all().map(|v| v.abs()).sum::<f64>().max(before.kinetic.abs());
    let rest = change.total() - sum;
    EnergyBalance {
        change,
        friction: totals.friction.clone(),
        impacts: totals.impacts.clone(),
        drive: totals.drive.clone(),
        forces: totals.forces,
        rest,
        relative: if size > 0.0 { rest.abs() / size } else { 0.0 },
    }
}

/// Steps of the QR iteration per eigenvalue, of which three are usual.
const SCHUR_STEPS: usize = 200;

/// The eigenvalues of a square matrix, the largest first; none if an entry is not finite or the iteration does not end.
fn eigenvalues(m: &Matrix) -> Option<Vec<Complex<f64>>> {
    let n = m.rows();
    if n == 0 || m.as_slice().iter().any(|v| !v.is_finite()) {
        return (n == 0).then(Vec::new);
    }
    let m = DMatrix::from_row_slice(n, n, m.as_slice());
    let schur = Schur::try_new(m, f64::EPSILON, SCHUR_STEPS * n)?;
    let mut values: Vec<_> = schur.complex_eigenvalues().iter().copied().collect();
    values.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
    Some(values)
}
