//! The number of solutions over two parameters, with the closed forms as lines.

use std::error::Error;
use stickslip::contact::ContactProblem;
use stickslip::contact::analysis::solutions::{Count, Solutions, all_solutions};
use stickslip::contact::{Law, Mode};
use stickslip::level::{Level, pose};
use stickslip::model::Generalised;
use stickslip_lab::analysis::closed_forms::{
    grasp_limit, peg_limit, peg_work_factors, rod_limit, tip_limit,
};
use stickslip_lab::analysis::problems::{G, Grasp, Tip};
use stickslip_lab::analysis::{only_count, scene};
use stickslip_scene::recording::plot::{Axis, Figure, Map, Panel, Series};

type Fallible<T> = Result<T, Box<dyn Error>>;
type Rgb = (u8, u8, u8);

/// The colours of the command's maps.
const NUMBERS: [(&str, Rgb); 6] = [
    ("none", (213, 94, 0)),
    ("1", (225, 236, 244)),
    ("2", (86, 180, 233)),
    ("3", (0, 158, 115)),
    ("4 or more", (204, 121, 167)),
    ("infinite", (240, 228, 66)),
];

pub(crate) fn all(cells: usize) -> Fallible<Vec<(&'static str, Figure)>> {
    Ok(vec![
        ("rod_map", rod(cells)?),
        ("peg_map", peg()?),
        ("peg_impact_map", peg_impact()?),
        ("bar_map", bar()?),
        ("tip_map", tip()?),
        ("grasp_map", grasp()?),
    ])
}

/// One axis: its name and unit, its ends, its number of values.
struct Along<'a>(&'a str, &'a str, (f64, f64), usize);

impl Along<'_> {
    fn value(&self, i: usize) -> f64 {
        let (from, to) = self.2;
        from + (to - from) * i as f64 / (self.3 - 1) as f64
    }

    /// Cells lie around their values.
    fn range(&self) -> (f64, f64) {
        let half = 0.5 * (self.2.1 - self.2.0) / (self.3 - 1) as f64;
        (self.2.0 - half, self.2.1 + half)
    }
}

fn map(
    [x, y]: [Along<'_>; 2],
    legend: &[(&str, Rgb)],
    curves: Vec<Series>,
    mut cell: impl FnMut(f64, f64) -> Fallible<usize>,
) -> Fallible<Panel> {
    let mut found = Vec::new();
    for j in 0..y.3 {
        for i in 0..x.3 {
            found.push(cell(x.value(i), y.value(j))?);
        }
    }
    let used: Vec<usize> = (0..legend.len()).filter(|i| found.contains(i)).collect();
    let cells = found.iter().map(|c| used.iter().position(|u| u == c).unwrap_or(usize::MAX));
    Ok(Panel::Map(Map {
        cells: cells.collect(),
        x_range: x.range(),
        y_range: y.range(),
        columns: x.3,
        legend: used.iter().map(|&i| (legend[i].0.to_owned(), legend[i].1)).collect(),
        curves,
        x: Axis::new(x.0, x.1),
        y: Axis::new(y.0, y.1),
    }))
}

fn line(name: &str, from: f64, to: f64, f: impl Fn(f64) -> (f64, f64)) -> Series {
    let points = (0..=400).map(|i| f(from + (to - from) * f64::from(i) / 400.0));
    Series::path(name, 6, points.collect())
}

fn number(all: &Solutions) -> usize {
    match all.count() {
        Count::Exactly(n) | Count::AtLeast(n) => n.min(4),
        Count::Infinite => 5,
    }
}

fn one(title: &str, panel: Panel) -> Figure {
    Figure { title: title.to_owned(), columns: 1, panels: vec![panel] }
}

/// The rod's problem with other friction.
fn with_mu(problem: &ContactProblem, mu: f64) -> Result<ContactProblem, stickslip::contact::Error> {
    let laws = problem.laws().iter().map(|l| Law { mu, ..l.clone() }).collect();
    ContactProblem::new(problem.delassus().to_dense(), problem.bias().to_vec(), laws)
}

fn rod(cells: usize) -> Fallible<Figure> {
    let mut panels = Vec::new();
    for omega in [0.0, 8.0] {
        let theta = Along("θ", "rad", (0.02, 1.55), cells);
        // W and b do not depend on μ: one system for each angle.
        let mut at_angle = Vec::new();
        for i in 0..cells {
            let angle = theta.value(i);
            let u = [
                ("v", -2.0 - 0.5 * omega * angle.sin()),
                ("w", 0.5 * omega * angle.cos()),
                ("omega", omega),
            ];
            let (system, state) = scene("painleve_rod", &[("theta_0", angle)], &u)?;
            at_angle.push(pose(
                &Generalised::new(&system)?,
                &state,
                &[0],
                Level::Acceleration(1e-9),
            )?);
        }
        let name = format!("μ at ω = {omega}/s");
        let axes = [theta, Along(&name, "", (0.01, 4.0), cells)];
        let curve = line("(4 + tan²θ)/(3 tan θ)", 0.02, 1.55, |a| (a, rod_limit(a)));
        let mut next = 0;
        panels.push(map(axes, &NUMBERS, vec![curve], |_, mu| {
            let problem = &at_angle[next % cells];
            next += 1;
            Ok(number(&all_solutions(&with_mu(problem, mu)?, &only_count())?))
        })?);
    }
    let title = "Painlevé's rod: number of accelerations".into();
    Ok(Figure { title, columns: 2, panels })
}

fn peg() -> Fallible<Figure> {
    let legend = [("moves", (225, 236, 244)), ("jams", (86, 180, 233)), ("wedged", (240, 228, 66))];
    let mut panels = Vec::new();
    for beta in [0.0, -0.4] {
        let name = format!("μ, push at {beta} rad");
        let axes = [Along("l/d", "", (0.05, 1.5), 120), Along(&name, "", (0.0, 2.0), 120)];
        let curve = line("tan θ + l/(d cos θ)", 0.05, 1.5, |r| (r, peg_limit(0.02, r, 1.0)));
        panels.push(map(axes, &legend, vec![curve], |ratio, mu| {
            let parameters = [("l", 0.04 * ratio), ("mu", mu), ("beta", beta)];
            let (system, state) = scene("wedged_peg", &parameters, &[])?;
            let problem =
                pose(&Generalised::new(&system)?, &state, &[0, 1], Level::Acceleration(1e-9))?;
            let all = all_solutions(&problem, &only_count())?;
            let stays = all.solutions.iter().filter(|s| s.velocity.iter().all(|v| v.abs() < 1e-6));
            let rays = |s: &stickslip::contact::analysis::solutions::Solution| {
                s.modes == [Mode::Stick; 2] && !s.rays.is_empty()
            };
            Ok(stays.map(|s| 1 + usize::from(rays(s))).max().unwrap_or(0))
        })?);
    }
    Ok(Figure { title: "A peg in its hole, tilt 0.02 rad".into(), columns: 2, panels })
}

fn peg_impact() -> Fallible<Figure> {
    let mut panels = Vec::new();
    for mu in [0.6, 0.4] {
        let name = format!("velocity u at μ = {mu}");
        let axes =
            [Along("turning ω", "rad/s", (-3.0, 3.0), 100), Along(&name, "m/s", (-0.1, 0.1), 100)];
        let [across, turning] = peg_work_factors();
        let curve = line("work of the self-stress = 0", -0.1, 0.1, |u| (-across * u / turning, u));
        panels.push(map(axes, &NUMBERS, vec![curve], |omega, u| {
            let state = [("omega", omega), ("u", u)];
            let (system, state) = scene("wedged_peg", &[("e", 0.5), ("mu", mu)], &state)?;
            let problem = pose(&Generalised::new(&system)?, &state, &[0, 1], Level::Impact)?;
            Ok(number(&all_solutions(&problem, &only_count())?))
        })?);
    }
    let title = "A peg that bounces, ε = 0.5: number of impacts".into();
    Ok(Figure { title, columns: 2, panels })
}

fn bar() -> Fallible<Figure> {
    let axes = [
        Along("μ of the hind foot", "", (0.0, 1.0), 150),
        Along("μ of the front foot", "", (0.0, 3.0), 150),
    ];
    let curves = vec![
        line("μ₁ h = x₁", 0.0, 3.0, |m| (0.4, m)),
        line("μ₂ h = x₂", 0.0, 1.0, |m| (m, 0.8)),
        line("k x₂ (μ₂ h − x₂) = 1", 0.0, 1.0, |m| (m, (0.4 + 1.0 / 1.2) / 0.5)),
    ];
    let panel = map(axes, &NUMBERS, curves, |hind, front| {
        let (system, state) = scene("two_footed_bar", &[("mu_1", hind), ("mu_2", front)], &[])?;
        let problem =
            pose(&Generalised::new(&system)?, &state, &[0, 1], Level::Acceleration(1e-9))?;
        Ok(number(&all_solutions(&problem, &only_count())?))
    })?;
    Ok(one("A bar that slides on two feet: number of accelerations", panel))
}

fn tip() -> Fallible<Figure> {
    let theta = 2.0_f64.atan();
    let axes = [Along("spin e_r ω/v", "", (0.0, 2.0), 150), Along("μ", "", (0.02, 4.0), 150)];
    let curve = line("4/3 √(1 + spin²)", 0.0, 2.0, |s| (s, tip_limit(theta, s)));
    let panel = map(axes, &NUMBERS, vec![curve], |spin, mu| {
        Ok(number(&all_solutions(&Tip { theta, mu, spin }.problem()?, &only_count())?))
    })?;
    Ok(one("A rod on a tip that spins, tan θ = 2: number of accelerations", panel))
}

fn grasp() -> Fallible<Figure> {
    let weight = Grasp::MASS * G;
    let legend =
        [("slips", (213, 94, 0)), ("holds", (225, 236, 244)), ("not unique", (120, 120, 120))];
    let axes = [
        Along("force of each finger over the weight", "", (0.2, 3.0), 100),
        Along("μ", "", (0.02, 1.5), 100),
    ];
    let curve = line("weight/(3 F)", 0.2, 3.0, |f| (f, grasp_limit(1.0, 3, f)));
    let panel = map(axes, &legend, vec![curve], |share, mu| {
        let all = all_solutions(&Grasp::pressed(mu, share * weight).problem()?, &only_count())?;
        Ok(match (all.count(), all.solutions.first()) {
            (Count::Exactly(1), Some(s)) => usize::from(s.modes == [Mode::Stick; 3]),
            _ => 2,
        })
    })?;
    Ok(one("A ball between three fingers", panel))
}
