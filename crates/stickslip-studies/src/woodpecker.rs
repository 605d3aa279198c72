//! Glocker and Studer's woodpecker \[3\]: its model and the set-valued laws in it, drawn.

use crate::plot::sketch::{Ink, Point, Shape, Sketch, View, ellipse, rectangle};
use crate::{Error, Study, StudyReport};
use serde_json::json;
use stickslip::contact::set_valued::{sgn, upr};
use stickslip::models::Woodpecker;

/// How far the axes of a map go, and where an unbounded interval is cut off.
const REACH: f64 = 2.0;
/// Angles beyond this leave the picture; the kinematics of \[3\] are linear, for small ones.
const LARGEST: f64 = 0.6;
/// Thickness of the plates of the sleeve, m.
const PLATE: f64 = 0.0014;

/// Figures 1 to 3 of the paper: the maps Upr and Sgn, the one as a pair of the other, the model of the toy.
#[derive(Clone, Debug)]
pub struct WoodpeckerStudy {
    /// The toy.
    pub toy: Woodpecker,
    /// The angles of sleeve and bird at which it is drawn beside the upright one, rad.
    pub angles: [f64; 2],
}

impl Default for WoodpeckerStudy {
    /// At the start of the paper's Table I.
    fn default() -> Self {
        Self { toy: Woodpecker::default(), angles: [-0.1036, -0.2788] }
    }
}

impl Study for WoodpeckerStudy {
    fn run(&self, report: &mut StudyReport<'_>) -> Result<(), Error> {
        for (option, angle) in [("phi-m", self.angles[0]), ("phi-s", self.angles[1])] {
            Error::unless(angle.abs() <= LARGEST, option, || {
                format!("{angle} is not an angle between -{LARGEST} and {LARGEST}")
            })?;
        }
        report.section("woodpecker_model");
        report.titles("| φ_M, rad | φ_S, rad | gap of the beak, mm | of the lower edge, mm | of the upper edge, mm |", 0)?;
        for angles in [[0.0; 2], self.angles] {
            let [beak, lower, upper] = self.gaps(angles);
            let [m, s] = angles;
            report.row("gaps", json!({"phi_m": m, "phi_s": s, "gaps": [beak, lower, upper]}));
            let [beak, lower, upper] = [beak, lower, upper].map(millimetres);
            report.line(&format!("| {m} | {s} | {beak} | {lower} | {upper} |"))?;
        }
        report.picture("woodpecker_maps.svg", maps());
        report.picture("woodpecker_model.svg", self.model());
        Ok(())
    }
}

fn millimetres(gap: f64) -> String {
    format!("{:.4}", 1e3 * gap)
}

/// [3] figures 1 and 2: the graphs from the maps at 0, where they are intervals, and aside of it.
fn maps() -> String {
    let cut = |v: f64| v.clamp(-REACH, REACH);
    let (closed, open) = (upr(0.0), upr(1.0).low);
    let primitive = |sign: f64, shift: f64| {
        let at = |v: f64| cut(sign * v + shift);
        vec![(0.0, at(closed.low)), (0.0, at(closed.high)), (REACH, at(open))]
    };
    let (rest, [left, right]) = (sgn(0.0), [-1.0, 1.0].map(|x| sgn(x).low));
    let relay = vec![(-REACH, left), (0.0, rest.low), (0.0, rest.high), (REACH, right)];
    let view = |title: &str, x: &str, graph: Vec<Point>, note: &str| View {
        title: title.to_owned(),
        shapes: axes(x).into_iter().chain([Shape::Line(graph)]).collect(),
        notes: vec![note.to_owned()],
    };
    let [first, second] = [primitive(1.0, 1.0), primitive(-1.0, -1.0)];
    Sketch {
        title: "The unilateral primitive, the relay, and the relay by two primitives".to_owned(),
        window: ((-1.2 * REACH, -1.2 * REACH), (1.2 * REACH, 1.2 * REACH)),
        columns: 2,
        views: vec![
            view("Upr(x)", "x", primitive(1.0, 0.0), "−y ∈ Upr(x): x ≥ 0, y ≥ 0, x y = 0"),
            view("Sgn(x)", "x", relay, "−y ∈ Sgn(x): dry friction over the slip x"),
            view("Upr(x_R) + 1", "x_R", first, "with the one beside it, at x = x_R − x_L:"),
            view("−Upr(x_L) − 1", "x_L", second, "−y in both is −y ∈ Sgn(x)"),
        ],
    }
    .to_svg()
}

fn axes(x: &str) -> Vec<Shape> {
    let long = 2.2 * REACH;
    vec![
        Shape::Arrow(Ink::Load, (-0.5 * long, 0.0), (long, 0.0)),
        Shape::Arrow(Ink::Load, (0.0, -0.5 * long), (0.0, long)),
        Shape::Words((1.05 * REACH, -0.15 * REACH), x.to_owned()),
        Shape::Words((-0.15 * REACH, 1.08 * REACH), "−y".to_owned()),
        Shape::Words((-0.16, 1.0), "1".to_owned()),
        Shape::Words((0.28, -1.22), "−1".to_owned()),
    ]
}

impl WoodpeckerStudy {
    /// [3] eq. (15).
    fn gaps(&self, [phi_m, phi_s]: [f64; 2]) -> [f64; 3] {
        let p = &self.toy;
        let beak = (p.l_m + p.l_g - p.l_s - p.r_o) - p.h_s * phi_s;
        let play = p.r_m - p.r_o;
        [beak, play + p.h_m * phi_m, play - p.h_m * phi_m]
    }

    /// [3] figure 3, right.
    fn model(&self) -> String {
        let titled = |title: &str, angles: [f64; 2]| {
            let names = ["beak", "lower edge", "upper edge"];
            let gaps = self.gaps(angles).map(millimetres);
            let note = |(name, gap): (&str, String)| format!("gap of the {name}: {gap} mm");
            let notes = names.into_iter().zip(gaps).map(note).collect();
            View { title: title.to_owned(), shapes: self.shapes(angles), notes }
        };
        let [m, s] = self.angles;
        Sketch {
            title: "The woodpecker toy: pole, sleeve, spring, bird".to_owned(),
            window: ((-0.010, -0.020), (0.036, 0.034)),
            columns: 2,
            views: vec![
                titled("Upright: φ_M = φ_S = 0", [0.0; 2]),
                titled(&format!("φ_M = {m}, φ_S = {s}"), self.angles),
            ],
        }
        .to_svg()
    }

    /// By linear kinematics, as [3] has them: a point at r of a body that turns by φ moves by φ (−r_y, r_x).
    fn shapes(&self, [phi_m, phi_s]: [f64; 2]) -> Vec<Shape> {
        let p = &self.toy;
        let turned = |centre: Point, phi: f64, points: Vec<Point>| {
            points
                .into_iter()
                .map(|(x, y)| (centre.0 + x - phi * y, centre.1 + y + phi * x))
                .collect::<Vec<_>>()
        };
        let sleeve = |points| turned((0.0, 0.0), phi_m, points);
        let g = sleeve(vec![(p.l_m, 0.0)])[0];
        // Points of the bird seen from G.
        let bird = |points: Vec<Point>| turned(g, phi_s, points);
        let (tip, s) = (bird(vec![(p.l_g - p.l_s, p.h_s)])[0], bird(vec![(p.l_g, 0.0)])[0]);
        let plate = |side: f64| {
            let middle = (side * (p.r_m + 0.5 * PLATE), 0.0);
            Shape::Body(sleeve(rectangle(middle, PLATE, 2.0 * p.h_m, 0.0)))
        };
        let arm = rectangle((0.5 * (p.r_m + PLATE + p.l_m), 0.0), p.l_m - p.r_m - PLATE, 1e-3, 0.0);
        let head = (p.l_g - 0.004, p.h_s - 0.001);
        let beak = vec![
            (head.0 - 0.003, head.1 + 0.003),
            (head.0 - 0.003, head.1 - 0.001),
            (p.l_g - p.l_s, p.h_s),
        ];
        let word = |at: Point, dx: f64, dy: f64, word: &str| {
            Shape::Words((at.0 + 1e-3 * dx, at.1 + 1e-3 * dy), word.to_owned())
        };
        let (upper, lower) = ((p.r_m, p.h_m), (p.r_m, -p.h_m));
        let edges = [sleeve(vec![upper])[0], sleeve(vec![lower])[0]];
        vec![
            Shape::Body(rectangle((0.0, 0.007), 2.0 * p.r_o, 0.08, 0.0)),
            plate(1.0),
            plate(-1.0),
            Shape::Body(sleeve(arm)),
            Shape::Body(bird(ellipse((p.l_g, 0.002), 0.0055, 0.013))),
            Shape::Body(bird(beak)),
            Shape::Body(bird(ellipse(head, 0.005, 0.0045))),
            Shape::Line(vec![g, s]),
            Shape::Contact(tip),
            Shape::Contact(edges[0]),
            Shape::Contact(edges[1]),
            Shape::Contact(g),
            Shape::Contact(s),
            word(tip, -1.2, 2.2, "1"),
            word(edges[1], 1.6, -2.4, "2"),
            word(edges[0], 1.6, 2.4, "3"),
            word((0.0, 0.0), 0.0, 0.0, "M"),
            word(g, 0.4, -2.6, "G"),
            word(s, 1.8, -1.8, "S"),
            Shape::Arrow(Ink::Load, (0.032, 0.032), (0.0, -0.010)),
            word((0.032, 0.032), 1.6, -5.0, "g"),
            Shape::Arrow(Ink::Motion, (-0.0075, 0.014), (0.0, 0.008)),
            word((-0.0075, 0.014), -1.4, 7.0, "y"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_table_i_lies_on_the_lower_edge() {
        let [beak, lower, upper] = WoodpeckerStudy::default().gaps([-0.1036, -0.2788]);
        // 0.6 mm of play against 5.8 mm times 0.1036.
        assert!(lower.abs() < 2e-6 && upper > 1e-3 && beak > 7e-3, "{beak} {lower} {upper}");
    }

    #[test]
    fn pictures_are_whole_and_angles_beyond_them_refused() {
        let mut report = StudyReport::quiet();
        WoodpeckerStudy::default().run(&mut report).unwrap();
        for (name, svg) in report.pictures() {
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{name}");
        }
        let turned = WoodpeckerStudy { angles: [f64::NAN, 0.0], ..WoodpeckerStudy::default() };
        assert!(matches!(turned.run(&mut report), Err(Error::Option { option: "phi-m", .. })));
    }
}
