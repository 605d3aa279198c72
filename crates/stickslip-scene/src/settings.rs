//! The settings that a scene asks for.

use crate::scene::Scene;
use stickslip::contact::solve;
use stickslip::integrators::JeanSettings;
use stickslip::run::Settings;

/// Samples of a run whose scene does not say how many.
const SAMPLES: usize = 1000;

impl Scene {
    /// The settings of a run; what the scene leaves open has the default of the library, but for a thousand samples.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let (run, defaults) = (&self.run, Settings::default());
        let t_end = run.t_end.unwrap_or(defaults.t_end);
        Settings {
            integrator: run.integrator.unwrap_or(defaults.integrator),
            t_end,
            dt: run.dt.unwrap_or(defaults.dt),
            sample_dt: t_end / run.samples.unwrap_or(SAMPLES) as f64,
            impact: run.impact.unwrap_or(defaults.impact),
            correction: run.correction.unwrap_or(defaults.correction),
            solve: solve::Settings {
                formulation: run.formulation.unwrap_or(defaults.solve.formulation),
                solver: run.solver.unwrap_or(defaults.solve.solver),
                ..defaults.solve
            },
            jean: JeanSettings { theta: run.theta.unwrap_or(defaults.jean.theta), ..defaults.jean },
        }
    }
}
