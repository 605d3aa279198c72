//! The bodies of the examples with the forces of every solution.

use std::error::Error;
use stickslip::analysis::state::LevelAnalysis;
use stickslip::contact::Mode;
use stickslip::contact::analysis::solutions::{Solution, all_solutions};
use stickslip_lab::analysis::analyse;
use stickslip_lab::analysis::problems::{Disc, G, Grasp};
use stickslip_studies::plot::sketch::{Ink, Point, Shape, Sketch, View, ellipse, rectangle};

type Fallible<T> = Result<T, Box<dyn Error>>;

pub(crate) fn all() -> Fallible<Vec<(&'static str, Sketch)>> {
    Ok(vec![
        ("rod", rod()?),
        ("walls", walls()?),
        ("peg", peg()?),
        ("bar", bar()?),
        ("disc", disc()?),
        ("grasp", grasp()?),
    ])
}

fn scaled(v: Point, by: f64) -> Point {
    (v.0 * by, v.1 * by)
}

/// The force of a contact with normal n and tangent t.
fn force(s: &Solution, contact: usize, n: Point, t: Point) -> Point {
    let (a, b) = (s.impulse[2 * contact], s.impulse[2 * contact + 1]);
    (a * n.0 + b * t.0, a * n.1 + b * t.1)
}

fn floor(window: (Point, Point)) -> Shape {
    Shape::Wall(vec![(window.0.0, 0.0), (window.1.0, 0.0)])
}

const UP: Point = (0.0, 1.0);
const RIGHT: Point = (1.0, 0.0);

fn rod() -> Fallible<Sketch> {
    let window = ((-0.42, -0.12), (0.62, 1.0));
    let theta = 2.0_f64.atan();
    let (l, (s, c)) = (0.5, theta.sin_cos());
    let base = |mu: f64, slides: bool| {
        let mut shapes = vec![
            floor(window),
            Shape::Body(rectangle((l * c, l * s), 2.0 * l, 0.03, theta)),
            Shape::Cone((0.0, 0.0), 0.5 * std::f64::consts::PI, mu.atan(), 0.3),
            Shape::Contact((0.0, 0.0)),
            Shape::Arrow(Ink::Load, (l * c, l * s), (0.0, -0.25)),
            Shape::Words((l * c + 0.07, l * s - 0.08), "m g".into()),
        ];
        if slides {
            shapes.push(Shape::Arrow(Ink::Motion, (-0.06, 0.05), (-0.3, 0.0)));
            shapes.push(Shape::Words((-0.24, 0.11), "slides".into()));
        }
        shapes
    };
    let mut views = Vec::new();
    for (mu, omega) in [(1.2, 0.0), (1.5, 0.0), (1.5, 8.0)] {
        let state = [("v", -2.0 - l * omega * s), ("w", l * omega * c), ("omega", omega)];
        let analysis = analyse("painleve_rod", &[("mu", mu)], &state)?;
        let posed = analysis.accelerations.as_ref().ok_or("the tip rests")?;
        let found = &posed.analysis.solutions.solutions;
        if found.is_empty() {
            let mut shapes = base(mu, true);
            let step = &analysis.step.analysis.solutions.solutions[0];
            let blow = force(step, 0, UP, RIGHT);
            shapes.push(Shape::Arrow(Ink::Force, (0.0, 0.0), scaled(blow, 0.35)));
            views.push(View {
                title: format!("μ = {mu}, ω = {omega}: none"),
                shapes,
                notes: vec![
                    "No force fits. An impulse stops the tip:".into(),
                    format!("N {:.3}, T {:.3} N s", step.impulse[0], step.impulse[1]),
                ],
            });
        }
        for (i, solution) in found.iter().enumerate() {
            let mut shapes = base(mu, true);
            let f = force(solution, 0, UP, RIGHT);
            shapes.push(Shape::Arrow(Ink::Force, (0.0, 0.0), scaled(f, 0.004)));
            if omega > 0.0 {
                shapes.push(Shape::Words((l * c - 0.2, l * s + 0.2), "ω = 8/s".into()));
            }
            views.push(View {
                title: format!("μ = {mu}, ω = {omega}: {} of {}", i + 1, found.len()),
                shapes,
                notes: vec![
                    format!("{}: N {:.2} N, T {:.2} N", solution.modes_in_words(), f.1, f.0),
                    format!("the tip rises with {:.2} m/s²", solution.velocity[0]),
                ],
            });
        }
    }
    Ok(Sketch {
        title: "A rod that slides on its end, tan θ = 2".into(),
        window,
        columns: 4,
        views,
    })
}

fn walls() -> Fallible<Sketch> {
    let window = ((-0.3, -0.2), (0.3, 0.2));
    let base = |left: f64, right: f64| {
        let mut shapes = vec![
            Shape::Wall(vec![(-0.1, 0.2), (-0.1, -0.2)]),
            Shape::Wall(vec![(0.1, -0.2), (0.1, 0.2)]),
            Shape::Body(rectangle((0.0, 0.0), 0.2, 0.16, 0.0)),
            Shape::Contact((-0.1, 0.0)),
            Shape::Contact((0.1, 0.0)),
            Shape::Arrow(Ink::Load, (0.0, 0.0), (0.0, -0.06)),
            Shape::Words((0.035, -0.055), "m g".into()),
        ];
        for (x, a) in [(-0.21, left), (0.21, right)] {
            shapes.push(Shape::Arrow(Ink::Motion, (x - 0.008 * a, 0.13), (0.016 * a, 0.0)));
            shapes.push(Shape::Words((x, 0.165), format!("{a} m/s²")));
        }
        shapes
    };
    let mut views = Vec::new();
    for (c, word) in [(-1.0, "part"), (0.0, "run in parallel"), (1.0, "close")] {
        let analysis = analyse("pressed_box", &[("c", c)], &[])?;
        let posed = analysis.accelerations.as_ref().ok_or("the box rests")?;
        let found = &posed.analysis.solutions.solutions;
        if found.is_empty() {
            let mut shapes = base(4.0 + c, 4.0 - c);
            shapes.push(Shape::Arrow(Ink::Force, (-0.1, 0.0), (0.06, 0.0)));
            shapes.push(Shape::Arrow(Ink::Force, (0.1, 0.0), (-0.06, 0.0)));
            let title = format!("the walls {word}: none");
            let notes = vec![
                "Equal and opposite forces move nothing".into(),
                "and lose work: the gaps add up to −2 m/s².".into(),
            ];
            views.push(View { title, shapes, notes });
        }
        for (i, s) in found.iter().enumerate() {
            let mut shapes = base(4.0 + c, 4.0 - c);
            for (j, x, n) in [(0, -0.1, 1.0), (1, 0.1, -1.0)] {
                let f = force(s, j, (n, 0.0), UP);
                let scale = if s.impulse[0] > 20.0 { 0.0022 } else { 0.008 };
                shapes.push(Shape::Arrow(Ink::Force, (x, 0.0), scaled(f, scale)));
            }
            let title = format!("the walls {word}: {} of {}", i + 1, found.len());
            let motion = &posed.motions[i];
            let what = match (s.dimension, s.velocity_unique) {
                (0, _) => "the only one".to_owned(),
                (d, true) => format!("any squeeze: one of {d} dimensions"),
                (d, false) => format!("any fall from 7.81 to 0: one of {d} dimension"),
            };
            let notes = vec![
                format!("{}; falls with {:.2} m/s²", s.modes_in_words(), (-motion[1]).max(0.0)),
                what,
            ];
            views.push(View { title, shapes, notes });
        }
    }
    Ok(Sketch { title: "A box that fits between two walls".into(), window, columns: 4, views })
}

fn peg() -> Fallible<Sketch> {
    let window = ((-0.035, -0.045), (0.075, 0.08));
    let (tilt, l, d, b) = (0.02_f64, 0.02, 0.04, 0.08);
    let (s, c) = tilt.sin_cos();
    let hole = (d + l * s) / c;
    let centre = (hole - 0.5 * d * c - 0.5 * b * s, -l - 0.5 * d * s + 0.5 * b * c);
    let half = 0.5 * std::f64::consts::PI;
    let mut views = Vec::new();
    for mu in [0.4, 0.6] {
        let analysis = analyse("wedged_peg", &[("mu", mu)], &[])?;
        let posed = analysis.accelerations.as_ref().ok_or("the peg rests")?;
        let found = &posed.analysis.solutions.solutions;
        for (i, solution) in found.iter().enumerate() {
            let mut shapes = vec![
                Shape::Body(rectangle(centre, d, b, tilt)),
                Shape::Wall(vec![(-0.05, 0.0), (0.0, 0.0), (0.0, -0.06)]),
                Shape::Wall(vec![(hole, -0.06), (hole, 0.0), (0.12, 0.0)]),
                Shape::Cone((0.0, 0.0), tilt, mu.atan(), 0.02),
                Shape::Cone((hole, -l), 2.0 * half, mu.atan(), 0.02),
                Shape::Dashed((0.0, 0.0), (hole, -l)),
                Shape::Arrow(Ink::Load, (centre.0 - 0.5 * b * s, 0.078), (0.0, -0.016)),
            ];
            let f = [force(solution, 0, (c, s), (-s, c)), force(solution, 1, (-1.0, 0.0), UP)];
            let scale = if solution.dimension > 0 { 1.3e-4 } else { 0.006 };
            for (at, f) in [(0.0, 0.0), (hole, -l)].into_iter().zip(f) {
                shapes.push(Shape::Contact(at));
                shapes.push(Shape::Arrow(Ink::Force, at, scaled(f, scale)));
            }
            let count = found.len();
            let more = match solution.dimension {
                0 => format!("goes in with {:.1} m/s²", -posed.motions[i][1]),
                _ => "stays, however squeezed".to_owned(),
            };
            views.push(View {
                title: format!("μ = {mu}: {} of {count}", i + 1),
                shapes,
                notes: vec![
                    format!("{}: {more}", solution.modes_in_words()),
                    format!(
                        "N: rim {:.2} N, corner {:.2} N",
                        solution.impulse[0], solution.impulse[2]
                    ),
                ],
            });
        }
    }
    Ok(Sketch { title: "A peg that is pushed into its hole".into(), window, columns: 3, views })
}

fn bar() -> Fallible<Sketch> {
    let window = ((-1.1, -0.15), (1.1, 0.95));
    let analysis = analyse("two_footed_bar", &[], &[])?;
    let posed: &LevelAnalysis = analysis.accelerations.as_ref().ok_or("the bar rests")?;
    let names = |modes: &str| match modes {
        "slip+, open" => "tips back",
        "open, slip+" => "tips forward",
        _ => "goes on",
    };
    let mut views = Vec::new();
    for (i, solution) in posed.analysis.solutions.solutions.iter().enumerate() {
        let mut shapes = vec![floor(window)];
        for x in [0.2, 0.4] {
            shapes.push(Shape::Body(rectangle((x, 0.25), 0.03, 0.5, 0.0)));
        }
        shapes.push(Shape::Body(rectangle((0.0, 0.5), 2.0, 0.06, 0.0)));
        shapes.push(Shape::Arrow(Ink::Load, (0.0, 0.5), (0.0, -0.35)));
        shapes.push(Shape::Words((-0.12, 0.22), "m g".into()));
        shapes.push(Shape::Arrow(Ink::Motion, (0.55, 0.85), (0.4, 0.0)));
        shapes.push(Shape::Words((0.35, 0.85), "slides".into()));
        let mut notes = Vec::new();
        for (j, (x, foot)) in [(0.2, "hind"), (0.4, "front")].into_iter().enumerate() {
            let f = force(solution, j, UP, RIGHT);
            shapes.push(Shape::Contact((x, 0.0)));
            shapes.push(Shape::Arrow(Ink::Force, (x, 0.0), scaled(f, 0.035)));
            let mode = solution.modes[j].name();
            notes.push(format!("{foot}: {mode}, N {:.2} N, T {:.2} N", f.1, f.0));
        }
        notes.push(format!("turns with {:+.2} rad/s²", posed.motions[i][2]));
        let title = format!("{}: {}", i + 1, names(&solution.modes_in_words()));
        views.push(View { title, shapes, notes });
    }
    let title = "A bar slides on two feet: three solutions (μ 0.2 and 1.2)".into();
    Ok(Sketch { title, window, columns: 3, views })
}

fn disc() -> Fallible<Sketch> {
    let window = ((-0.2, -0.15), (0.2, 0.15));
    let cases = [
        ("pushed with 3 N: stays", Disc::pushed(3.0)),
        ("pushed with 4 N: moves and turns", Disc::pushed(4.0)),
        ("slides and spins", Disc { sliding: Some([1.0, 0.0, 10.0]), ..Disc::pushed(0.0) }),
    ];
    let mut views = Vec::new();
    for (title, disc) in cases {
        let all = all_solutions(&disc.problem()?, &Default::default())?;
        let s = all.solutions.first().ok_or("a disc has a solution")?;
        let mut shapes = vec![
            Shape::Body(ellipse((0.0, 0.0), Disc::RADIUS, Disc::RADIUS)),
            Shape::Contact((0.0, 0.0)),
            Shape::Arrow(Ink::Force, (0.0, 0.0), scaled((s.impulse[1], s.impulse[2]), 0.03)),
        ];
        if disc.push > 0.0 {
            let from = (-0.03 * disc.push - 0.085, disc.beside);
            shapes.push(Shape::Arrow(Ink::Load, from, (0.03 * disc.push, 0.0)));
            shapes.push(Shape::Dashed((-0.085, disc.beside), (0.085, disc.beside)));
        }
        if let Some([v, _, w]) = disc.sliding {
            shapes.push(Shape::Arrow(Ink::Motion, (0.0, -0.05), (0.12 * v, 0.0)));
            shapes.push(Shape::Words((0.0, 0.125), format!("v = {v} m/s, ω = {w} rad/s")));
        }
        let limit = disc.mu * G * Disc::MASS;
        let share = s.impulse[1].hypot(s.impulse[3] / Disc::SPIN) / limit;
        let notes = vec![
            format!(
                "{}: force {:.3} N, torque {:.4} N m",
                s.modes_in_words(),
                s.impulse[1],
                s.impulse[3]
            ),
            format!("{:.1} % of the limit surface", 100.0 * share),
        ];
        views.push(View { title: title.into(), shapes, notes });
    }
    let title = "A disc on its limit surface, from above".into();
    Ok(Sketch { title, window, columns: 3, views })
}

fn grasp() -> Fallible<Sketch> {
    let window = ((-0.115, -0.09), (0.115, 0.075));
    // Seen from above the horizon, turned so that no finger hides another; the second number is how far behind.
    let seen = |p: glam::DVec3| {
        let (x, y) = (0.35 * p.x + 0.937 * p.y, -0.937 * p.x + 0.35 * p.y);
        ((x, 0.92 * p.z + 0.38 * y), y)
    };
    let mut views = Vec::new();
    let cases = [
        ("μ = 0.36: holds", Grasp::pressed(0.36, 5.0), 0.007),
        ("μ = 0.30: slips", Grasp::pressed(0.3, 5.0), 0.007),
        (
            "fixed fingers at 17°: any squeeze",
            Grasp { fingers: 3, mu: 0.5, latitude: 0.3, driven: None },
            0.004,
        ),
    ];
    for (title, grasp, scale) in cases {
        let all = all_solutions(&grasp.problem()?, &Default::default())?;
        // Fixed fingers can also let the ball drop.
        let held = all.solutions.iter().find(|s| s.modes.iter().all(|m| *m != Mode::Open));
        let s = held.ok_or("a grasp has a solution")?;
        let (mut behind, mut front, mut forces) = (Vec::new(), Vec::new(), Vec::new());
        for (c, (at, axes)) in grasp.frames().into_iter().enumerate() {
            let ((tip, depth), (back, _)) = (seen(at), seen(at - 0.05 * axes[0]));
            let (dx, dy) = (back.0 - tip.0, back.1 - tip.1);
            let middle = (tip.0 + 0.5 * dx, tip.1 + 0.5 * dy);
            let finger = Shape::Body(rectangle(middle, dx.hypot(dy), 0.014, dy.atan2(dx)));
            if depth > 0.0 {
                behind.push(finger)
            } else {
                front.push(finger)
            }
            let lam = &s.impulse[3 * c..3 * c + 3];
            let f = axes[0] * lam[0] + axes[1] * lam[1] + axes[2] * lam[2];
            forces.push(Shape::Contact(tip));
            forces.push(Shape::Arrow(Ink::Force, tip, scaled(seen(f).0, scale)));
        }
        let mut shapes = behind;
        shapes.push(Shape::Body(ellipse((0.0, 0.0), Grasp::RADIUS, Grasp::RADIUS)));
        shapes.extend(front);
        shapes.push(Shape::Arrow(Ink::Load, (0.0, 0.0), (0.0, -0.06)));
        shapes.push(Shape::Words((-0.014, -0.06), "m g".into()));
        shapes.extend(forces);
        let notes = vec![
            s.modes_in_words(),
            format!(
                "each: N {:.2} N, friction {:.2} N",
                s.impulse[0],
                s.impulse[1].hypot(s.impulse[2])
            ),
            match s.dimension {
                0 if s.modes.iter().all(|m| *m == Mode::Stick) => "stays".to_owned(),
                0 => format!("falls with {:.2} m/s²", -s.velocity[2]),
                d => format!("one of {d} dimensions of forces"),
            },
        ];
        views.push(View { title: title.into(), shapes, notes });
    }
    Ok(Sketch { title: "A ball of 0.5 kg between three fingers".into(), window, columns: 3, views })
}
