//! A box that falls on a plane, in two body models: against the finest run, and against each other.

use super::{Fall, TumbleStudy, angle};
use crate::plot::LogLog;
use crate::tumble::{Landed, Variant, drop_box};
use crate::{Error, StudyReport, slope};
use serde_json::json;
use stickslip::bodies::SpinUpdate;
use stickslip::bodies::point_masses::DistanceStep;

/// Both models of the box that falls, and the coarsest step.
const MODELS: [Variant; 2] =
    [Variant::Rigid(SpinUpdate::ImplicitMidpoint), Variant::Masses(DistanceStep::Shake, true)];
const COARSEST: f64 = 4e-3;
/// More sizes than this take too long.
const MOST_SIZES: usize = 7;

/// What is drawn of the columns of the table.
const COLUMNS: [&str; 8] = [
    "rigid: place, m",
    "rigid: rotation, rad",
    "",
    "masses: place, m",
    "masses: rotation, rad",
    "",
    "masses − rigid: place, m",
    "masses − rigid: rotation, rad",
];

/// The worst of all runs: certificates, and what ω_z is off at the last size, as a share, rigid and with masses.
#[derive(Default)]
struct Worst {
    certificate: f64,
    spin: [f64; 2],
}

/// Both models of the falling box against the finest run, and against each other.
pub(super) fn falling(
    study: &TumbleStudy,
    fall: &Fall,
    report: &mut StudyReport<'_>,
) -> Result<(), Error> {
    let sizes = study.sizes.min(MOST_SIZES);
    let finest = COARSEST / f64::from(1_u32 << (sizes + 2));
    let reference = drop_box(MODELS[0], fall.mu, fall.t_end, finest, 1.0)?;
    report.line(&format!("### A box falls on a plane, {}\n", fall.name))?;
    report.titles(
        "| dt, s | rigid: place, m | rotation, rad | spin, rad/s | masses: place, m | rotation, rad | spin, rad/s | \
         masses − rigid: place, m | rotation, rad |",
        0,
    )?;
    let mut columns: [Vec<(f64, f64)>; COLUMNS.len()] = Default::default();
    let mut worst = Worst::default();
    for k in 0..sizes {
        let dt = COARSEST / f64::from(1_u32 << k);
        let means = over_shifts(fall, dt, study.shifts, &reference, &mut worst)?;
        for (column, mean) in columns.iter_mut().zip(means) {
            column.push((dt, mean));
        }
        report.row(
            "falls",
            json!({
                "fall": fall.file, "mu": fall.mu, "t_end": fall.t_end, "dt": dt,
                "rigid": means[..3], "masses": means[3..6], "between": means[6..],
            }),
        );
        let cells = means.map(|x| format!("{x:.1e}")).join(" | ");
        report.line(&format!("| {dt:.2e} | {cells} |"))?;
    }
    let orders = columns.each_ref().map(|c| {
        if c.iter().all(|x| x.1 < 1e-9) {
            return "rounding".to_owned();
        }
        format!("**{:.2}**", slope(c.iter().copied()))
    });
    report.line(&format!("| order | {} |\n", orders.join(" | ")))?;
    ends(fall, finest, &reference, &worst, report)?;
    report.picture(format!("tumble_{}.svg", fall.file), picture(fall, columns));
    Ok(())
}

/// What is said below the table.
fn ends(
    fall: &Fall,
    finest: f64,
    reference: &Landed,
    worst: &Worst,
    report: &mut StudyReport<'_>,
) -> Result<(), Error> {
    report.line(&format!(
        "Finest run, dt = {finest:.1e} s: ω_z = {:.6} rad/s at the end; L_z/J_zz of the beginning is {:.6} rad/s. \
         Worst certificate of any step: {:.1e}.\n",
        reference.twist.angular.z, reference.expected_spin, worst.certificate,
    ))?;
    report.row(
        "fall_ends",
        json!({
            "fall": fall.file, "dt": finest, "omega_z": reference.twist.angular.z,
            "expected_omega_z": reference.expected_spin, "worst_certificate": worst.certificate,
        }),
    );
    if fall.mu == 0.0 {
        report.line(&format!(
            "Largest difference of ω_z to L_z/J_zz at the finest of these steps, as a share: {:.1e} rigid, {:.1e} masses.\n",
            worst.spin[0], worst.spin[1],
        ))?;
    }
    Ok(())
}

fn picture(fall: &Fall, columns: [Vec<(f64, f64)>; COLUMNS.len()]) -> String {
    let curves = COLUMNS.iter().zip(columns).filter(|(name, _)| !name.is_empty());
    LogLog {
        title: format!("A box falls on a plane, {}", fall.name),
        x: "dt, s".to_owned(),
        y: "root of the mean square difference".to_owned(),
        curves: curves.map(|(name, c)| ((*name).to_owned(), c)).collect(),
        slopes: vec![("order 1".to_owned(), 1.0, (1e-3, 3e-2))],
        ..LogLog::default()
    }
    .to_svg()
}

/// Roots of the mean squares over shifted grids.
fn over_shifts(
    fall: &Fall,
    dt: f64,
    shifts: usize,
    reference: &Landed,
    worst: &mut Worst,
) -> Result<[f64; COLUMNS.len()], Error> {
    let mut squares = [0.0; COLUMNS.len()];
    worst.spin = [0.0; 2];
    for shift in 0..shifts {
        let share = (shift + 1) as f64 / shifts as f64;
        let [a, b] = MODELS.map(|model| drop_box(model, fall.mu, fall.t_end, dt, share));
        let (a, b) = (a?, b?);
        let parts = [off(&a, reference), off(&b, reference), off(&a, &b)].concat();
        for (square, x) in squares.iter_mut().zip(parts) {
            *square += x * x / shifts as f64;
        }
        for (i, x) in [a, b].into_iter().enumerate() {
            worst.certificate = worst.certificate.max(x.worst);
            let lost = (x.twist.angular.z / x.expected_spin - 1.0).abs();
            worst.spin[i] = worst.spin[i].max(lost);
        }
    }
    Ok(squares.map(f64::sqrt))
}

/// Differences of place, rotation and spin; the first two alone where models are compared.
fn off(a: &Landed, b: &Landed) -> [f64; 3] {
    [
        (a.pose.position - b.pose.position).length(),
        angle(a.pose.rotation, b.pose.rotation),
        (a.twist.angular.z - b.twist.angular.z).abs(),
    ]
}
