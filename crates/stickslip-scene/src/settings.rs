//! The settings that a scene asks for.

use crate::scene::Scene;
use crate::view::Visitor;
use stickslip::contact::solve;
use stickslip::model::Model;
use stickslip::run::Settings;
use stickslip::step;

/// Samples of a run whose scene does not say how many.
const SAMPLES: usize = 1000;
/// The step of a run whose scene does not say how long.
const DT: f64 = 1e-4;

/// The settings of the solver that a model has by default.
struct Exact;

impl Visitor for Exact {
    type Output = solve::Settings;

    fn visit<M: Model>(self, model: &M) -> solve::Settings {
        step::exact(model)
    }
}

impl Scene {
    /// The settings of a run; what the scene leaves open has the default of the library, but for steps of 0.1 ms and a thousand
    /// samples.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let (run, defaults) = (&self.run, Settings::default());
        let t_end = run.t_end.unwrap_or(defaults.t_end);
        let integrator = run.integrator.unwrap_or(defaults.step.integrator);
        let solve = self.model().visit(Exact);
        let solve = solve::Settings {
            formulation: run.formulation.unwrap_or(solve.formulation),
            solver: run.solver.unwrap_or(solve.solver),
            directions: run.directions.unwrap_or(solve.directions),
            rho: run.rho.clone().unwrap_or(solve.rho.clone()),
            relaxation: run.relaxation.unwrap_or(solve.relaxation),
            minimum_norm: run.minimum_norm.unwrap_or(solve.minimum_norm),
            ..solve
        };
        let step = step::Settings {
            integrator: run.theta.map_or(integrator, |theta| integrator.with_theta(theta)),
            solve: Some(solve),
            impact: run.impact.unwrap_or(defaults.step.impact),
            correction: run.correction.unwrap_or(defaults.step.correction),
            ..defaults.step
        };
        let sample_dt = t_end / run.samples.unwrap_or(SAMPLES) as f64;
        Settings { t_end, dt: run.dt.unwrap_or(DT), sample_dt, step }
    }
}
