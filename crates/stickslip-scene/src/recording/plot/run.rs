//! The figures of a run.

use super::{Axis, Curves, Figure, PALETTE, Panel, Rgb, Row, Series, Strip};
use crate::recording::track::Channel;
use crate::recording::{Track, Units};
use stickslip::SystemInfo;
use stickslip::contact::{Kind, Mode};
use stickslip::system::ContactInfo;

/// The colours of the modes open, stick, slip+, slip-, slip, closed, fixed.
const MODE_COLOURS: [Rgb; 7] =
    [(228, 228, 228), PALETTE[0], PALETTE[4], PALETTE[1], PALETTE[1], PALETTE[2], (140, 140, 140)];

/// Columns of a strip: two per point of its width.
const STRIP_COLUMNS: usize = 2000;

/// Colours of curves that stand alone: without the light grey.
const COLOURS: usize = PALETTE.len() - 1;

/// More panels than these in one column do not fit on a screen.
const COLUMN: usize = 6;

/// More panels than these are not drawn: the table has everything.
const MOST_PANELS: usize = 24;

/// The files that plots of a run may have, without their endings.
pub(crate) const FIGURES: [&str; 7] =
    ["coordinates", "velocities", "phase", "energy", "gaps", "forces", "modes"];

/// A run, ready to be drawn.
#[derive(Clone, Copy)]
pub(crate) struct RunPlots<'a> {
    pub(crate) title: &'a str,
    pub(crate) info: &'a SystemInfo,
    pub(crate) units: &'a Units,
    pub(crate) track: &'a Track,
}

impl RunPlots<'_> {
    /// The figure of one of the [`FIGURES`]; none if nothing is to be seen in it. One at a time, since figures are copies of what they show.
    pub(crate) fn figure(&self, name: &str) -> Option<Figure> {
        let Self { title, info, units, track } = self;
        let time = Axis::new("t", units.time.clone());
        let names: Vec<String> = info.contacts.iter().map(|c| c.name.clone()).collect();
        let figure = match name {
            "coordinates" => {
                self.over_time(name, &info.coordinates, &units.coordinates, Channel::Coordinate)
            }
            "velocities" => {
                self.over_time(name, &info.velocities, &units.velocities, Channel::Velocity)
            }
            "phase" => phase(title, info, units, track),
            "energy" => energy(title, units, track, &time),
            "gaps" => {
                let names: Vec<String> = names.iter().map(|name| format!("{name} gap")).collect();
                self.over_time(name, &names, &units.gaps, Channel::Gap)
            }
            "forces" => self.forces(&names, &time),
            _ if names.is_empty() => return None,
            _ => modes(title, info, track, &time),
        };
        (!figure.panels.is_empty()).then_some(figure)
    }

    fn over_time(
        &self,
        what: &str,
        names: &[String],
        units: &[String],
        channel: fn(usize) -> Channel,
    ) -> Figure {
        let time = Axis::new("t", self.units.time.clone());
        let panel = |(i, name): (usize, &String)| {
            let y = Axis::new(name.clone(), Units::of(units, i));
            curve(&time, y, Series::line(name.clone(), i % COLOURS, self.track.curve(channel(i))))
        };
        // Connections have no gaps.
        let has = |i: usize| match channel(i) {
            Channel::Gap(k) => self.info.contacts[k].law.kind.normals() == 1,
            _ => true,
        };
        let shown: Vec<_> = names.iter().enumerate().filter(|(i, _)| has(*i)).collect();
        let panels = shown.iter().copied().take(MOST_PANELS).map(panel).collect();
        stacked(format!("{}: {what}{}", self.title, first_of(shown.len())), panels)
    }

    /// Of every contact that carries a load: its normal force, and friction if it has any; of a constraint or connection its force.
    fn forces(&self, names: &[String], time: &Axis) -> Figure {
        let panel = |(k, name): (usize, &String)| {
            let series = |component: usize, letter: &str| {
                let points = self.track.steps(Channel::Force(k, component));
                let any = points.iter().any(|p| p.1 != 0.0);
                any.then(|| Series::line(format!("Λ_{letter}"), component, points))
            };
            let bilateral = matches!(self.info.contacts[k].law.kind, Kind::Bilateral(_));
            let letters = if bilateral { ["N", "B"] } else { ["N", "T"] };
            let series: Vec<Series> =
                [series(0, letters[0]), series(1, letters[1])].into_iter().flatten().collect();
            let y = Axis::new(format!("{name} force"), Units::of(&self.units.forces, k));
            (!series.is_empty()).then(|| Panel::Curves(Curves { x: time.clone(), y, series }))
        };
        let panels: Vec<Panel> =
            names.iter().enumerate().filter_map(panel).take(MOST_PANELS).collect();
        stacked(format!("{}: contact forces without impacts", self.title), panels)
    }
}

/// What a title says where not all panels are drawn.
fn first_of(all: usize) -> String {
    match all > MOST_PANELS {
        true => format!(" (the first {MOST_PANELS} of {all}; trajectory.csv has all)"),
        false => String::new(),
    }
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
        curve(&x, y, Series::path(info.coordinates[i].clone(), i % COLOURS, points))
    };
    // Where they are not the coordinates' own rates, velocities are no portraits of them.
    let all = if info.dof() == info.velocities.len() { info.dof() } else { 0 };
    let panels: Vec<Panel> = (0..all.min(MOST_PANELS)).map(panel).collect();
    let columns = if panels.len() <= 3 { panels.len() } else { panels.len().div_ceil(2).min(4) };
    Figure { title: format!("{title}: phase portraits{}", first_of(all)), columns, panels }
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

fn modes(title: &str, info: &SystemInfo, track: &Track, time: &Axis) -> Figure {
    let mut used = [false; Mode::ALL.len()];
    for contact in &info.contacts {
        let modes: &[usize] = match contact.law.kind {
            Kind::Planar => &[0, 1, 2, 3],
            Kind::Frictionless => &[0, 5],
            Kind::Bilateral(_) => &[6],
            _ => &[0, 1, 4],
        };
        modes.iter().for_each(|&mode| used[mode] = true);
    }
    let row = |(i, contact): (usize, &ContactInfo)| {
        let (bars, ticks) = track.strip(i, STRIP_COLUMNS);
        let bars = bars.into_iter().map(|(a, b, mode)| (a, b, MODE_COLOURS[mode])).collect();
        Row { name: contact.name.clone(), bars, ticks }
    };
    let legend = Mode::ALL.iter().zip(MODE_COLOURS).zip(used).filter(|(_, used)| *used);
    let legend = legend.map(|(mode, _)| mode);
    let strip = Strip {
        x: time.clone(),
        rows: info.contacts.iter().take(MOST_PANELS).enumerate().map(row).collect(),
        legend: legend.map(|(mode, colour)| (mode.name().replace('-', "−"), colour)).collect(),
        tick: "impact".to_owned(),
    };
    Figure {
        title: format!("{title}: contact modes{}", first_of(info.contacts.len())),
        columns: 1,
        panels: vec![Panel::Strip(strip)],
    }
}
