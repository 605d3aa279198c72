//! The flip of the scene `tumbling_box` with every model that a scene can choose, against elliptic functions.

use super::super::{Variant, run_free};
use crate::{Error, StudyReport};
use glam::DVec3;
use serde_json::json;
use stickslip::bodies::SpinUpdate;
use stickslip::bodies::point_masses::DistanceStep;

/// Edges of the box of the scene, m.
const EDGES: DVec3 = DVec3::new(0.3, 0.2, 0.1);
/// Its spin at the start, in body axes, rad/s.
const SPIN: DVec3 = DVec3::new(0.1, 10.0, 0.0);
/// Its end, s, and its steps, of 1 ms.
const T_END: f64 = 2.0;
const STEPS: usize = 2000;

/// What a scene writes, with the model that it gets.
const CHOICES: [(&str, Variant); 4] = [
    ("`rigid` (implicit midpoint)", Variant::Rigid(SpinUpdate::ImplicitMidpoint)),
    ("`point_masses`, `as_printed`", Variant::Masses(DistanceStep::AsPrinted, true)),
    ("`point_masses`, `half`", Variant::Masses(DistanceStep::Half, true)),
    ("`point_masses`, `shake`", Variant::Masses(DistanceStep::Shake, true)),
];

pub(super) fn flip(report: &mut StudyReport<'_>) -> Result<(), Error> {
    report.section("tumble-scene");
    report.titles(
        "| model | largest change of energy, as a share | of angular momentum | largest angle to the exact rotation, rad |",
        1,
    )?;
    let square = EDGES * EDGES;
    let moments = DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y) / 12.0;
    for (name, model) in CHOICES {
        let Some(errors) = run_free(model, moments, SPIN, T_END, STEPS)? else {
            let dt = T_END / STEPS as f64;
            return Err(Error::Unsolved(format!("{}: no step of {dt} s", model.name())));
        };
        report.row(
            "scene",
            json!({
                "model": model.name(), "energy": errors.energy, "momentum": errors.momentum,
                "angle": errors.rotation,
            }),
        );
        report.line(&format!(
            "| {name} | {:.1e} | {:.1e} | {:.1e} |",
            errors.energy, errors.momentum, errors.rotation
        ))?;
    }
    report.line("")
}
