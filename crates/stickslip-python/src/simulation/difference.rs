//! The derivative of a motion with respect to one number, by differences that know what the contacts do.
//!
//! A step or a run is smooth as long as every contact does the same in it, and has a kink or a jump where one does something else. Differences
//! are therefore taken over ways in which nothing changes, and judged by whether they settle as they get shorter.

/// What a contact did in a step or at an event.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    pub(crate) identity: u64,
    pub(crate) contact: usize,
    pub(crate) bodies: Option<[usize; 2]>,
    pub(crate) what: &'static str,
}

impl PartialEq for Deed {
    fn eq(&self, other: &Self) -> bool {
        (self.identity, self.what) == (other.identity, other.what)
    }
}

/// Where a motion ended, in local coordinates and velocities, and what contacts did on the way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrival {
    pub(crate) point: Vec<f64>,
    pub(crate) deeds: Vec<Deed>,
    /// The size of velocities that contacts took away, whose rounding is in the point.
    pub(crate) pace: f64,
}

/// To which side a derivative holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    Both,
    Up,
    Down,
}

/// A derivative.
#[derive(Debug)]
pub(crate) struct Slope {
    pub(crate) rate: Vec<f64>,
    /// The contact at whose change it holds to one side only.
    pub(crate) changes: Option<Deed>,
}

/// Why there is none.
#[derive(Debug)]
pub(crate) enum NoSlope {
    /// The motion itself has no answer, to this side or at all.
    Motion(String),
    /// There is another derivative to either side.
    Kink(Option<Deed>),
    /// To this side the motion goes elsewhere at once.
    Jump(&'static str, Option<Deed>),
    /// Differences do not settle.
    Rough,
}

impl From<String> for NoSlope {
    fn from(error: String) -> Self {
        Self::Motion(error)
    }
}

/// How large differences are taken, and from which size on derivatives matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// The size of the number that changes.
    size: f64,
    /// A derivative of this size is compared with it rather than with itself: it may be rounding.
    floor: f64,
}

/// A change of a number by its size matters from this share of the state on.
const MATTERS: f64 = 1e-4;

impl Scale {
    /// Of a number of this size, and states of that one.
    pub(crate) fn new(size: f64, state: f64) -> Self {
        Self { size, floor: MATTERS * state / size }
    }

    /// The largest difference as a share of the largest value.
    fn distance(self, a: &[f64], b: &[f64]) -> f64 {
        let largest = |m: f64, x: f64| m.max(x.abs());
        let size = a.iter().chain(b).copied().fold(self.floor, largest);
        let apart = a.iter().zip(b).map(|(a, b)| a - b).fold(0.0, largest);
        if apart == 0.0 { 0.0 } else { apart / size }
    }
}

/// Differences as shares of a number's size, from where curvature is small beside 16 digits to where rounding is not yet large.
const SHARES: [f64; 5] = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
/// A derivative this well known is good; the search ends.
const GOOD: f64 = 1e-9;
/// One that is known worse than this is none.
const FAIR: f64 = 1e-4;
/// Derivatives to both sides that differ by less are one.
const SAME: f64 = 1e-6;

/// The derivative at 0 of the motion that starts `f` apart from the one that arrives at `base`.
pub(crate) fn slope(
    base: &Arrival,
    scale: Scale,
    side: Side,
    mut f: impl FnMut(f64) -> Result<Arrival, String>,
) -> Result<Slope, NoSlope> {
    let mut best: Option<(f64, Vec<f64>)> = None;
    for share in SHARES {
        let Some((error, rate)) = central(base, (share * scale.size, scale), &mut f) else {
            continue;
        };
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, rate));
        }
        if error < GOOD {
            break;
        }
    }
    if let Some((error, rate)) = best
        && error < FAIR
    {
        return Ok(Slope { rate, changes: None });
    }
    one_sided(base, scale, side, &mut f)
}

/// Where contacts do something else nearby.
fn one_sided(
    base: &Arrival,
    scale: Scale,
    side: Side,
    f: &mut impl FnMut(f64) -> Result<Arrival, String>,
) -> Result<Slope, NoSlope> {
    let mut towards = |sign: f64| forward(base, (sign, scale), &mut *f);
    match side {
        Side::Up => towards(1.0),
        Side::Down => towards(-1.0),
        Side::Both => {
            let (up, down) = (towards(1.0)?, towards(-1.0)?);
            if scale.distance(&up.rate, &down.rate) < SAME {
                return Ok(Slope { rate: up.rate, changes: None });
            }
            Err(NoSlope::Kink(up.changes.or(down.changes)))
        }
    }
}

/// Central differences over a way and half of it, extrapolated, with how far they are from each other; none where contacts do something else.
fn central(
    base: &Arrival,
    (h, scale): (f64, Scale),
    f: &mut impl FnMut(f64) -> Result<Arrival, String>,
) -> Option<(f64, Vec<f64>)> {
    let mut over = |h: f64| {
        let [high, low] = [f(h).ok()?, f(-h).ok()?];
        let same = high.deeds == base.deeds && low.deeds == base.deeds;
        same.then(|| quotient(&high.point, &low.point, 2.0 * h))
    };
    let (whole, half) = (over(h)?, over(0.5 * h)?);
    let error = scale.distance(&whole, &half);
    Some((error, extrapolate(&whole, &half, 3.0)))
}

/// Differences to one side, the way halved twice.
fn forward(
    base: &Arrival,
    (sign, scale): (f64, Scale),
    f: &mut impl FnMut(f64) -> Result<Arrival, String>,
) -> Result<Slope, NoSlope> {
    let (mut best, mut jumps, mut changes) = ((f64::INFINITY, Vec::new()), false, None);
    for share in SHARES {
        let h = sign * share * scale.size;
        let arrivals = [f(h)?, f(0.5 * h)?, f(0.25 * h)?];
        let [whole, half, quarter] = [0, 1, 2]
            .map(|k: i32| quotient(&arrivals[k as usize].point, &base.point, h * 0.5_f64.powi(k)));
        let (first, second) = (extrapolate(&whole, &half, 1.0), extrapolate(&half, &quarter, 1.0));
        changes = changed(base, &arrivals[2]);
        // A jump is the same however short the way, so that quotients double.
        let twice: Vec<f64> = half.iter().map(|x| 2.0 * x).collect();
        jumps = scale.distance(&twice, &quarter) < FAIR;
        let error = scale.distance(&first, &second);
        if error < best.0 {
            best = (error, extrapolate(&first, &second, 3.0));
        }
        if error < GOOD {
            break;
        }
    }
    match best {
        (error, rate) if error < FAIR => Ok(Slope { rate, changes }),
        _ if jumps => Err(NoSlope::Jump(if sign > 0.0 { "above" } else { "below" }, changes)),
        _ => Err(NoSlope::Rough),
    }
}

/// The first contact that does something else.
fn changed(base: &Arrival, other: &Arrival) -> Option<Deed> {
    let missing =
        |from: &[Deed], of: &Arrival| from.iter().find(|d| !of.deeds.contains(d)).cloned();
    missing(&other.deeds, base).or_else(|| missing(&base.deeds, other))
}

fn quotient(high: &[f64], low: &[f64], way: f64) -> Vec<f64> {
    high.iter().zip(low).map(|(high, low)| (high - low) / way).collect()
}

/// Richardson's extrapolation of values over a way and over half of it.
fn extrapolate(whole: &[f64], half: &[f64], gain: f64) -> Vec<f64> {
    whole.iter().zip(half).map(|(whole, half)| half + (half - whole) / gain).collect()
}
