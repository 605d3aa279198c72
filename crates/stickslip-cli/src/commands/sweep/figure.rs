//! The diagram of a sweep.

use super::collector::Crossing;
use super::{Identity, Point, Status};
use crate::args::Vary;
use stickslip::SystemInfo;
use stickslip_scene::recording::Units;
use stickslip_scene::recording::plot::{Axis, Curves, Figure, Panel, Series};

/// Values that differ by less than this share of their size do not make a panel: the time between stroboscopic states, the angle on a section
/// of that angle.
const ALIKE: f64 = 1e-6;

/// More panels than these are no diagram any more.
const MOST_PANELS: usize = 12;

/// The colours of what has settled and of what has not.
const SETTLED: usize = 0;
const OTHERS: usize = 7;

/// What a diagram needs to know of the system.
pub(super) struct Shown<'a> {
    pub(super) info: &'a SystemInfo,
    pub(super) units: &'a Units,
    /// Coordinates that need not come back.
    pub(super) cyclic: &'a [usize],
    /// States are taken after every period, so that their distance in time says nothing.
    pub(super) stroboscopic: bool,
}

/// States at the section over one parameter, or after how many returns motions repeat over two.
pub(super) fn figure(
    identity: &Identity,
    vary: &[Vary],
    points: &[Point],
    shown: &Shown<'_>,
) -> Figure {
    let Identity { scene, section, .. } = identity;
    let axis = |i: usize| Axis::new(vary[i].name.clone(), "");
    if vary.len() == 2 {
        let panel = Panel::Curves(Curves { x: axis(0), y: axis(1), series: classes(points) });
        let title = format!("{scene}: after how many returns to {section} the motion repeats");
        return Figure { title, columns: 1, panels: vec![panel] };
    }
    let panels: Vec<Panel> = quantities(shown, points)
        .into_iter()
        .filter_map(|(y, value, least)| panel(axis(0), y, points, (&value, least)))
        .take(MOST_PANELS)
        .collect();
    let columns = if panels.len() > 1 { 2 } else { 1 };
    let lost = points.iter().filter(|p| p.crossings.is_empty() || p.status == Status::NoReturn);
    let lost = match lost.count() {
        0 => String::new(),
        n => format!(" ({n} of {} runs do not return)", points.len()),
    };
    Figure { title: format!("{scene}: states at {section}{lost}"), columns, panels }
}

/// Spots over two parameters.
fn classes(points: &[Point]) -> Vec<Series> {
    let names = [
        ("after 1", 0),
        ("2", 1),
        ("3", 2),
        ("4 or more", 3),
        ("not settled", 6),
        ("no return", 7),
        ("failed", 4),
    ];
    let class = |p: &Point| match (p.status, p.repeats) {
        (_, Some((n, _))) => n.clamp(1, 4) - 1,
        (Status::NoReturn, _) => 5,
        (Status::Failed, _) => 6,
        _ => 4,
    };
    let series = |(k, (name, colour)): (usize, (&str, usize))| {
        let chosen = points.iter().filter(|p| class(p) == k);
        Series::spots(name, colour, chosen.map(|p| (p.values[0], p.values[1])).collect())
    };
    let all = names.into_iter().enumerate().map(series);
    all.filter(|s| !s.points.is_empty()).collect()
}

type Value = Box<dyn Fn(&Crossing) -> Option<f64>>;

/// What can be shown of a crossing, and how far its values differ at least if they differ at all.
fn quantities(shown: &Shown<'_>, points: &[Point]) -> Vec<(Axis, Value, f64)> {
    let Shown { info, units, cyclic, stroboscopic } = shown;
    let largest = |value: &dyn Fn(&Crossing) -> f64| {
        let crossings = points.iter().flat_map(|p| &p.crossings);
        crossings.map(value).filter(|v| v.is_finite()).fold(0.0, f64::max)
    };
    let longest = largest(&|c| c.since.unwrap_or(0.0));
    let mut all: Vec<(Axis, Value, f64)> = Vec::new();
    if !stroboscopic {
        all.push((Axis::new("return time", "s"), Box::new(|c| c.since), ALIKE * longest));
    }
    let unit = |list: &[String], i: usize| list.get(i).cloned().unwrap_or_default();
    for (i, name) in info.coordinates.iter().enumerate().filter(|(i, _)| !cyclic.contains(i)) {
        let axis = Axis::new(name.clone(), unit(&units.coordinates, i));
        // A body has seven coordinates and six velocities: each of its coordinates is measured by all of them.
        let rates = match info.coordinates.len() == info.velocities.len() {
            true => i..i + 1,
            false => i / 7 * 6..i / 7 * 6 + 6,
        };
        let fastest = |c: &Crossing| {
            c.u.get(rates.clone()).unwrap_or_default().iter().fold(0.0, |m: f64, u| m.max(u.abs()))
        };
        let reach = longest * largest(&fastest);
        all.push((axis, Box::new(move |c| c.q.get(i).copied()), ALIKE * reach));
    }
    for (i, name) in info.velocities.iter().enumerate() {
        let axis = Axis::new(name.clone(), unit(&units.velocities, i));
        let fastest = largest(&|c| c.u.get(i).map_or(0.0, |u| u.abs()));
        all.push((axis, Box::new(move |c| c.u.get(i).copied()), ALIKE * fastest));
    }
    all
}

/// The values of one quantity over the parameter; none where they are all alike. Motions that do not return are not part of it.
fn panel(x: Axis, mut y: Axis, points: &[Point], (value, least): (&Value, f64)) -> Option<Panel> {
    let dots = |status: Status| {
        let chosen = points.iter().filter(|p| p.status == status);
        let of = |p: &Point| {
            let x = p.values[0];
            p.crossings.iter().filter_map(|c| Some((x, value(c)?))).collect::<Vec<_>>()
        };
        chosen.flat_map(of).collect::<Vec<_>>()
    };
    let (settled, others) = (dots(Status::Settled), dots(Status::NotSettled));
    let all = || settled.iter().chain(&others).map(|p| p.1);
    let range = all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min);
    if !(range > least) {
        return None;
    }
    let (low, high) = bulk(all());
    let kinds = [("not settled", OTHERS, others), ("settled", SETTLED, settled)];
    let mut outside = 0;
    let mut series: Vec<Series> = Vec::new();
    for (name, colour, mut points) in kinds {
        let before = points.len();
        points.retain(|p| (low..=high).contains(&p.1));
        outside += before - points.len();
        if !points.is_empty() {
            series.push(Series::dots(name, colour, points));
        }
    }
    if outside > 0 {
        y.name = format!("{} ({outside} outside)", y.name);
    }
    Some(Panel::Curves(Curves { x, y, series }))
}

/// Runs that go astray (a fall without end) would squeeze all others into a line: what is far outside of the
/// bulk is left out, and counted.
fn bulk(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted.get((share * sorted.len() as f64) as usize).copied();
    let all = (f64::NEG_INFINITY, f64::INFINITY);
    let (Some(low), Some(high)) = (at(0.06), at(0.94)) else { return all };
    let (Some(least), Some(largest)) = (sorted.first(), sorted.last()) else { return all };
    let room = 1.5 * (high - low);
    if largest - least <= 4.0 * (high - low + 2.0 * room) {
        return all;
    }
    (low - room, high + room)
}
