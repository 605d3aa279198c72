//! The settings that a scene asks for.

use crate::scene::Scene;
use stickslip::Error;
use stickslip::integrators::JeanSettings;
use stickslip::run::Settings;

/// Samples of a run whose scene does not say how many.
const SAMPLES: usize = 1000;

impl Scene {
    /// The settings of a run; what the scene leaves open has the default of the library, but for a thousand samples.
    ///
    /// # Errors
    /// If a name is unknown to the library.
    pub fn settings(&self) -> Result<Settings, Error> {
        let (run, defaults) = (&self.run, Settings::default());
        let mut settings = Settings {
            t_end: run.t_end.unwrap_or(defaults.t_end),
            dt: run.dt.unwrap_or(defaults.dt),
            correction: run.correction.unwrap_or(defaults.correction),
            jean: JeanSettings { theta: run.theta.unwrap_or(defaults.jean.theta), ..defaults.jean },
            ..defaults
        };
        settings.sample_dt = settings.t_end / run.samples.unwrap_or(SAMPLES) as f64;
        if let Some(name) = run.integrator {
            settings.integrator = name.parse()?;
        }
        if let Some(name) = run.impact {
            settings.impact = name.parse()?;
        }
        if let Some(name) = run.formulation {
            settings.solve.formulation = name.parse()?;
        }
        if let Some(name) = run.solver {
            settings.solve.solver = name.parse()?;
        }
        Ok(settings)
    }
}
