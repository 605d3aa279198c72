//! The plots of the page.

use std::error::Error;
use stickslip_lab::classics::{self, Chain, Loss, Measure, TippeTop, falling, quasi_steady};
use stickslip_studies::plot::{Lines, LogLog};

use super::{CIRCLE, SIZES, as_it_stands};

/// Points of a curve.
const POINTS: usize = 400;

/// Names of files and pictures.
pub(crate) fn all(
    measures: &[Measure],
    chains: &[(String, Chain)],
) -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    Ok(vec![
        ("classics_order.svg", order(measures)?.to_svg()),
        ("classics_tippe_top.svg", tippe_top()?.to_svg()),
        ("classics_euler_disc.svg", euler_disc()?.to_svg()),
        ("classics_chain.svg", chain(chains).to_svg()),
    ])
}

fn thinned<const N: usize>(samples: &[[f64; N]], y: impl Fn(&[f64; N]) -> f64) -> Vec<(f64, f64)> {
    let every = (samples.len() / POINTS).max(1);
    samples.iter().step_by(every).map(|s| (s[0], y(s))).collect()
}

fn curve(m: &Measure) -> Vec<(f64, f64)> {
    m.sizes.iter().copied().zip(m.errors()).collect()
}

fn order(measures: &[Measure]) -> Result<LogLog, Box<dyn Error>> {
    let mut curves = Vec::new();
    for (name, case, quantity) in [
        ("top: cos θ, 9¼ nutations", "top, nutation", "cos θ after"),
        ("turntable: gap of orbit, m", "ball on a turntable", "gap of"),
        ("disc: gap of orbit, m", "disc on a circle", "gap of"),
        ("four-bar: coupler", "four-bar with a motor", "angle of the coupler"),
    ] {
        let found = measures.iter().find(|m| m.case == case && m.quantity.starts_with(quantity));
        curves.extend(found.map(|m| (name.to_owned(), curve(m))));
    }
    let settings = as_it_stands();
    let table = classics::turntable(&settings, &SIZES)?;
    let disc = classics::rolling(&CIRCLE, &settings, &SIZES)?;
    for (name, all, i) in [("turntable, Moreau's rule", table, 2), ("disc, Moreau's rule", disc, 1)]
    {
        curves.extend(all.get(i).map(|m| (name.to_owned(), curve(m))));
    }
    Ok(LogLog {
        title: "Errors against closed forms".to_owned(),
        x: "dt, s".to_owned(),
        y: "error".to_owned(),
        curves,
        slopes: vec![
            ("order 1".to_owned(), 1.0, (1e-3, 2e-2)),
            ("order 2".to_owned(), 2.0, (1e-3, 1e-4)),
        ],
        ..LogLog::default()
    })
}

fn tippe_top() -> Result<Lines, Box<dyn Error>> {
    let mut curves = Vec::new();
    for (name, patch) in
        [("friction at a point", 0.0), ("patch of 0.1 mm", 1e-4), ("patch of 0.5 mm", 5e-4)]
    {
        let run = TippeTop { patch, ..TippeTop::default() }.run(3.0, 2e-4)?;
        curves.push((name.to_owned(), thinned(&run.samples, |s| s[1])));
    }
    Ok(Lines {
        title: "Tippe top: μ = 0.3, 180 rad/s, lean 0.1 at the start".to_owned(),
        x: "t, s".to_owned(),
        y: "lean of the axis, rad".to_owned(),
        curves,
        ..Lines::default()
    })
}

fn euler_disc() -> Result<Lines, Box<dyn Error>> {
    const TILT: f64 = 0.3;
    const TORQUE: f64 = 0.02;
    let mut curves = Vec::new();
    for dt in [5e-4, 1e-4] {
        let run = falling(TILT, Loss::Rolling(TORQUE), 22.0, dt)?;
        let of = |s: &[f64; 5]| s[1];
        curves.push((format!("tilt, dt = {dt:.0e} s"), thinned(&run.samples, of)));
        if dt == 1e-4 {
            let rate = |s: &[f64; 5]| s[3];
            curves.push(("energy / m g a".to_owned(), thinned(&run.samples, rate)));
        }
    }
    let points = (0..=220).map(|i| {
        let t = 0.1 * f64::from(i);
        (t, quasi_steady(TILT, TORQUE, t).asin())
    });
    curves.push(("tilt, quasi-steady".to_owned(), points.collect()));
    Ok(Lines {
        title: "Euler's disc with a torque of 0.02 N m against its rotation".to_owned(),
        x: "t, s".to_owned(),
        y: "tilt, rad; energy".to_owned(),
        curves,
        ..Lines::default()
    })
}

fn chain(chains: &[(String, Chain)]) -> Lines {
    let curves = chains
        .iter()
        .filter_map(|(name, chain)| Some((name.strip_prefix("fall, ")?, chain)))
        .map(|(name, chain)| (name.to_owned(), thinned(&chain.samples, |s| s[1])))
        .collect();
    Lines {
        title: "Energy of chains that fall from the horizontal".to_owned(),
        x: "t, s".to_owned(),
        y: "change of energy / (weight · length)".to_owned(),
        curves,
        ..Lines::default()
    }
}
