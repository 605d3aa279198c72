//! Whether a motion that is looked at from return to return has settled, and after how many returns it repeats.
//!
//! A fixed distance below which two points count as the same cannot tell a motion of period two from one of period one that
//! settles slowly: next to a flip every second point agrees long before neighbours do. So it is not the distance between points
//! that is judged but the distance that is still to go, from the ratio of successive differences.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | x_n | the n-th point, each of its numbers in units of its size |
//! | δ_n | x_n − x_{n−p}, for a motion that repeats after p returns |
//! | λ | δ_n / δ_{n−p}: in the plane that the two span, a factor ρ and a turn |

/// Motions that repeat after more returns than this count as not settled.
pub const MOST_RETURNS: usize = 16;

/// The most visits that are looked at; older ones can be forgotten.
pub const MOST_VISITS: usize = 4 * MOST_RETURNS;

/// Fewer returns than these say nothing: a motion that leaves an unstable cycle stays close to it for a while.
const LEAST: usize = 24;

/// What is to go is looked at in this many returns at least, and in two periods, so that no lucky one decides.
const CONFIRMED: usize = 4;

/// Ratios below this are not relied on: a motion that leaves one cycle for another arrives faster than it settles.
const SHARPEST: f64 = 0.5;

/// Differences below this share of the tolerance are rounding, whatever their ratio.
const ROUNDING: f64 = 1e-6;

/// Points that belong to different places of a cycle are this many tolerances apart.
const DISTINCT: f64 = 5.0;

/// The same for points that scatter, in units of that.
const SCATTERED: f64 = 2.0;

/// The means of earlier and later points differ by no more than this share of their spread: half of it if they move steadily, a sixth if they
/// are a dozen of chance.
const DRIFT: f64 = 0.3;

/// Later points scatter by no more than this many times as much as earlier ones, else they leave an unstable cycle.
const GROWTH: f64 = 1.2;

/// A number that was never larger than this share of the largest is rounding.
const SMALLEST: f64 = 1e-12;

/// A return.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visit {
    /// How long it took.
    pub time: f64,
    /// Where it led to: the coordinates that have to come back, and the velocities.
    pub point: Vec<f64>,
    /// How large each of these was on the way.
    pub sizes: Vec<f64>,
}

/// After how many returns a motion repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeats {
    /// The returns.
    pub returns: usize,
    /// How far the last point is from where it settles, or how far points scatter, relative to the sizes.
    pub to_go: f64,
}

/// What settling means, relative to the sizes of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Criterion {
    /// No point is farther than this from where it settles: for points without noise, as those of event-driven motions.
    ToGo(f64),
    /// Points scatter by no more than this and go nowhere: for points of time stepping, whose noise hides what differences would tell. It takes
    /// [`MOST_VISITS`].
    Scatter(f64),
}

/// After how many returns a motion with these visits, the newest last, repeats; none while it has not settled.
///
/// ```
/// use stickslip::analysis::settling::{Criterion, Visit, repeats};
///
/// // Next to a flip: the points settle, but change sides at every return.
/// let point = |n: i32| vec![1.0 + 0.1 * (-0.98_f64).powi(n)];
/// let visits: Vec<Visit> =
///     (0..600).map(|n| Visit { time: 1.0, point: point(n), sizes: vec![1.0] }).collect();
/// assert_eq!(repeats(&visits[..250], Criterion::ToGo(1e-4)), None);
/// assert_eq!(repeats(&visits, Criterion::ToGo(1e-4)).map(|r| r.returns), Some(1));
/// ```
#[must_use]
pub fn repeats(visits: &[Visit], criterion: Criterion) -> Option<Repeats> {
    if visits.len() < LEAST {
        return None;
    }
    (1..=MOST_RETURNS).find_map(|p| judge(visits, criterion, p))?
}

/// Whether a motion repeats after `p` returns: none if it does not, and inside none if points that should differ do not do so clearly.
fn judge(visits: &[Visit], criterion: Criterion, p: usize) -> Option<Option<Repeats>> {
    let (points, to_go, distinct) = match criterion {
        Criterion::ToGo(same) => {
            let points = newest(visits, p)?;
            let to_go = to_go(&points, p, ROUNDING * same).filter(|to_go| *to_go <= same)?;
            (points, to_go, DISTINCT * same)
        }
        Criterion::Scatter(most) => {
            let points = scaled(visits.get(visits.len().checked_sub(MOST_VISITS)?..)?);
            let scatter = scatter(&points, p).filter(|scatter| *scatter <= most)?;
            (points, scatter, SCATTERED * scatter)
        }
    };
    let places = points.len() - p..points.len();
    let apart =
        |d: usize| places.clone().map(|i| distance(&points[i], &points[i - d])).fold(0.0, f64::max);
    let mut divisors = (1..p).filter(|d| p.is_multiple_of(*d));
    let clear = divisors.all(|d| apart(d) > distinct);
    Some(clear.then_some(Repeats { returns: p, to_go }))
}

/// The points by which a motion is judged that repeats after `p` returns, in units of their sizes in these returns: those of earlier ones
/// would hide that a motion dies out.
fn newest(visits: &[Visit], p: usize) -> Option<Vec<Vec<f64>>> {
    let first = visits.len().checked_sub(CONFIRMED.max(2 * p) + 2 * p)?;
    Some(scaled(&visits[first..]))
}

/// The points in units of their sizes, with the times of the returns.
fn scaled(visits: &[Visit]) -> Vec<Vec<f64>> {
    let n = visits.first().map_or(0, |v| v.point.len());
    let largest = |i: usize| visits.iter().fold(0.0_f64, |m, v| m.max(v.sizes[i]));
    let sizes: Vec<f64> = (0..n).map(largest).collect();
    let least = SMALLEST * sizes.iter().copied().fold(0.0, f64::max);
    let longest = visits.iter().fold(0.0_f64, |m, v| m.max(v.time));
    let share = |x: f64, size: f64| if size > 0.0 { x / size } else { 0.0 };
    let point = |v: &Visit| {
        let parts = v.point.iter().zip(&sizes).map(|(x, s)| share(*x, s.max(least)));
        parts.chain([share(v.time, longest)]).collect()
    };
    visits.iter().map(point).collect()
}

/// The most that one of the last points has to go if the motion repeats after `p` returns; none if it does not come closer.
fn to_go(points: &[Vec<f64>], p: usize, rounding: f64) -> Option<f64> {
    let last = points.len().checked_sub(1)?;
    let mut most = 0.0_f64;
    for k in 0..CONFIRMED.max(2 * p) {
        let at = |back: usize| last.checked_sub(k + back).map(|i| &points[i]);
        let (x, y, z) = (at(0)?, at(p)?, at(2 * p)?);
        let (new, old) = (distance(x, y), distance(y, z));
        if new <= rounding {
            most = most.max(new);
            continue;
        }
        let rho = new / old;
        if !(rho < 1.0) {
            return None;
        }
        let along: f64 = (0..x.len()).map(|i| (x[i] - y[i]) * (y[i] - z[i])).sum();
        let turn = along / (new * old);
        let rho = rho.max(SHARPEST);
        // |δ λ / (1 − λ)|, the rest of a geometric series.
        most = most.max(new * rho / (1.0 - 2.0 * rho * turn + rho * rho).sqrt());
    }
    Some(most)
}

/// How far points that should be the same are from each other at most, if they go nowhere: a slow approach, or a slow departure, shows in the
/// means of earlier and later points.
fn scatter(points: &[Vec<f64>], p: usize) -> Option<f64> {
    let (n, m) = (points.len(), points.first()?.len());
    let mut most = 0.0_f64;
    for k in 0..p {
        let class: Vec<&Vec<f64>> = (k..n).step_by(p).map(|back| &points[n - 1 - back]).collect();
        let spread = |points: &[&Vec<f64>]| {
            let of = |i: usize| {
                let values = || points.iter().map(|x| x[i]);
                values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
            };
            (0..m).map(of).fold(0.0, f64::max)
        };
        let (new, old) = class.split_at(class.len() / 2);
        let grows = spread(new) > GROWTH * spread(old);
        let spread = spread(&class);
        let mean = |half: &[&Vec<f64>], i: usize| {
            half.iter().map(|x| x[i]).sum::<f64>() / half.len() as f64
        };
        let drift = (0..m).map(|i| (mean(new, i) - mean(old, i)).abs()).fold(0.0, f64::max);
        if grows || drift > DRIFT * spread {
            return None;
        }
        most = most.max(spread);
    }
    Some(most)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visits(n: usize, x: impl Fn(i32) -> f64) -> Vec<Visit> {
        let visit = |i| Visit { time: 1.0, point: vec![x(i)], sizes: vec![1.0] };
        (0..n as i32).map(visit).collect()
    }

    fn returns(n: usize, x: impl Fn(i32) -> f64) -> Option<usize> {
        repeats(&visits(n, x), Criterion::ToGo(1e-4)).map(|r| r.returns)
    }

    #[test]
    fn cycles_are_told_apart_and_chaos_is_not_settled() {
        assert_eq!(returns(60, |_| 0.3), Some(1));
        for p in [2, 3, 4, 6, 16] {
            assert_eq!(returns(70, |i| f64::from(i % p)), Some(usize_of(p)), "{p}");
        }
        let logistic = |x: &f64| Some(3.9 * x * (1.0 - x));
        let chaos: Vec<f64> = std::iter::successors(Some(0.3), logistic).take(60).collect();
        assert_eq!(returns(60, |i| chaos[usize_of(i)]), None);
        assert_eq!(returns(10, |_| 0.3), None);
        assert_eq!(repeats(&[], Criterion::ToGo(1e-4)), None);
    }

    fn usize_of(i: i32) -> usize {
        usize::try_from(i).unwrap()
    }

    #[test]
    fn a_slow_approach_is_not_settled_until_little_is_left_to_go() {
        for lambda in [-0.99_f64, -0.9, 0.9, 0.99] {
            let x = |i: i32| 0.5 * lambda.powi(i);
            let first = (24..2000).find(|&n| returns(n, x).is_some()).unwrap();
            let left = x(first as i32 - 1).abs();
            assert!((3e-5..2e-4).contains(&left) || first == 24, "{lambda}: {left}");
            assert_eq!(returns(first, x), Some(1));
        }
    }

    #[test]
    fn a_motion_that_leaves_a_cycle_has_not_settled_on_it() {
        for lambda in [-1.02_f64, 1.02] {
            assert_eq!(returns(40, |i| 1e-6 * lambda.powi(i)), None);
        }
    }

    #[test]
    fn two_close_branches_are_two() {
        assert_eq!(returns(60, |i| 1e-3 * f64::from(i % 2)), Some(2));
        // Between one tolerance and several it is not said which.
        assert_eq!(returns(60, |i| 3e-4 * f64::from(i % 2)), None);
    }

    #[test]
    fn noise_is_scatter_and_a_slow_departure_is_not() {
        let noise = |i: i32| 1e-3 * (f64::from(i) * 12.9898).sin();
        let scattered = |n: usize, x: &dyn Fn(i32) -> f64| {
            repeats(&visits(n, x), Criterion::Scatter(0.05)).map(|r| r.returns)
        };
        assert_eq!((returns(80, noise), scattered(60, &noise)), (None, None));
        assert_eq!(scattered(80, &noise), Some(1));
        assert_eq!(scattered(80, &|i| noise(i) + 0.1 * f64::from(i % 2)), Some(2));
        // From an unstable cycle of period one to one of period two.
        assert_eq!(scattered(80, &|i| noise(i) + 0.02 * (-1.01_f64).powi(i)), None);
        assert_eq!(scattered(80, &|i| noise(i) + 0.01 * 1.02_f64.powi(i)), None);
    }

    #[test]
    fn bounces_that_die_out_have_no_period() {
        let visit = |i: i32| {
            let u = 0.6_f64.powi(i);
            Visit { time: u, point: vec![u], sizes: vec![u] }
        };
        let all: Vec<Visit> = (0..200).map(visit).collect();
        assert!((1..200).all(|n| repeats(&all[..n], Criterion::ToGo(1e-4)).is_none()));
    }
}
