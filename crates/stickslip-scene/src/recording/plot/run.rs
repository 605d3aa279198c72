//! The figures of a run.

use super::{Axis, Curves, Figure, PALETTE, Panel, Rgb, Row, Series, Strip};
use crate::recording::track::{Channel, MODES};
use crate::recording::{Track, Units};
use stickslip::SystemInfo;

/// The colours of the modes open, stick, slip+, slip-, slip, closed, fixed.
const MODE_COLOURS: [Rgb; 7] =
    [(228, 228, 228), PALETTE[0], PALETTE[4], PALETTE[1], PALETTE[1], PALETTE[2], (140, 140, 140)];

/// Columns of a strip: two per point of its width.
const STRIP_COLUMNS: usize = 2000;

/// More panels than these in one column do not fit on a screen.
const COLUMN: usize = 6;

/// Every figure with the name of its file. Those about contacts are left out where there are none.
pub(crate) fn of_run(
    title: &str,
    info: &SystemInfo,
    units: &Units,
    track: &Track,
) -> Vec<(&'static str, Figure)> {
    let time = Axis::new("t", units.time.clone());
    let over_time = |names: &[String], units: &[String], channel: fn(usize) -> Channel| {
        let panel = |(i, name): (usize, &String)| {
            let y = Axis::new(name.clone(), Units::of(units, i));
            curve(&time, y, Series::line(name.clone(), i, track.curve(channel(i))))
        };
        names.iter().enumerate().map(panel).collect::<Vec<_>>()
    };
    let coordinates = over_time(&info.coordinates, &units.coordinates, Channel::Coordinate);
    let velocities = over_time(&info.velocities, &units.velocities, Channel::Velocity);
    let mut figures = vec![
        ("coordinates", stacked(format!("{title}: coordinates"), coordinates)),
        ("velocities", stacked(format!("{title}: velocities"), velocities)),
        ("phase", phase(title, info, units, track)),
        ("energy", energy(title, units, track, &time)),
    ];
    if !info.contacts.is_empty() {
        let names: Vec<String> = info.contacts.iter().map(|c| c.name.clone()).collect();
        let gap_names: Vec<String> = names.iter().map(|name| format!("{name} gap")).collect();
        let gaps = over_time(&gap_names, &units.gaps, Channel::Gap);
        figures.push(("gaps", stacked(format!("{title}: gaps"), gaps)));
        figures.push(("modes", modes(title, &names, track, &time)));
    }
    figures
}

fn stacked(title: String, panels: Vec<Panel>) -> Figure {
    let columns = panels.len().div_ceil(COLUMN);
    Figure { title, columns, panels }
}

fn curve(x: &Axis, y: Axis, series: Series) -> Panel {
    Panel::Curves(Curves { x: x.clone(), y, series: vec![series] })
}

fn phase(title: &str, info: &SystemInfo, units: &Units, track: &Track) -> Figure {
    let panel = |i: usize| {
        let x = Axis::new(info.coordinates[i].clone(), Units::of(&units.coordinates, i));
        let y = Axis::new(info.velocities[i].clone(), Units::of(&units.velocities, i));
        let points = track.portrait(Channel::Coordinate(i), Channel::Velocity(i));
        curve(&x, y, Series::path(info.coordinates[i].clone(), i, points))
    };
    let panels: Vec<Panel> = (0..info.dof().min(info.velocities.len())).map(panel).collect();
    let columns = if panels.len() <= 3 { panels.len() } else { panels.len().div_ceil(2).min(4) };
    Figure { title: format!("{title}: phase portraits"), columns, panels }
}

fn energy(title: &str, units: &Units, track: &Track, time: &Axis) -> Figure {
    let total = track.curve(Channel::Total);
    let start = total.first().map_or(0.0, |p| p.1);
    let change = total.iter().map(|&(t, e)| (t, e - start)).collect();
    let parts = vec![
        Series::line("kinetic", 0, track.curve(Channel::Kinetic)),
        Series::line("potential", 1, track.curve(Channel::Potential)),
        Series::line("total", 6, total),
    ];
    let axis = |name: &str| Axis::new(name, units.energy.clone());
    let panels = vec![
        Panel::Curves(Curves { x: time.clone(), y: axis("energy"), series: parts }),
        curve(time, axis("change of total"), Series::line("change of total", 6, change)),
    ];
    Figure { title: format!("{title}: energy"), columns: 1, panels }
}

fn modes(title: &str, names: &[String], track: &Track, time: &Axis) -> Figure {
    let row = |(i, name): (usize, &String)| {
        let (bars, ticks) = track.strip(i, STRIP_COLUMNS);
        let bars = bars.into_iter().map(|(a, b, mode)| (a, b, MODE_COLOURS[mode])).collect();
        Row { name: name.clone(), bars, ticks }
    };
    // Those of a planar contact.
    let legend = MODES.iter().zip(MODE_COLOURS).take(4);
    let strip = Strip {
        x: time.clone(),
        rows: names.iter().enumerate().map(row).collect(),
        legend: legend.map(|(mode, colour)| (mode.name().replace('-', "−"), colour)).collect(),
        tick: "impact".to_owned(),
    };
    Figure {
        title: format!("{title}: contact modes"),
        columns: 1,
        panels: vec![Panel::Strip(strip)],
    }
}
