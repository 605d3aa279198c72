//! The settings that a scene asks for.

use crate::scene::Scene;
use crate::spec::RunSpec;
use crate::view::Visitor;
use stickslip::contact::solve::{self, Formulation, SolverChoice};
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

/// The formulation where none is chosen: solvers of cones have no use for the linear problem of planar contacts.
fn usual(solver: Option<SolverChoice>, of_model: Formulation) -> Formulation {
    match solver {
        Some(solver) if !solver.takes_lcps() => Formulation::Cone,
        _ => of_model,
    }
}

impl Scene {
    /// The settings of a run with another solver than that of the scene.
    #[must_use]
    pub fn settings_with_solver(&self, solver: Option<SolverChoice>) -> Settings {
        let run = RunSpec { solver: solver.or(self.run.solver), ..self.run.clone() };
        self.settings_of(&run)
    }

    /// The step that files of robots ask for, the shortest of them, with the file: that of runs whose scene does not say one.
    #[must_use]
    pub fn file_dt(&self) -> Option<(f64, &str)> {
        self.robot_steps().min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The settings of a run; what the scene leaves open has the default of the library, but for steps of 0.1 ms, or those that the
    /// files of robots ask for, and a thousand samples.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.settings_of(&self.run)
    }

    fn settings_of(&self, run: &RunSpec) -> Settings {
        let defaults = Settings::default();
        let t_end = run.t_end.unwrap_or(defaults.t_end);
        let integrator = run.integrator.unwrap_or(defaults.step.integrator);
        let solve = self.model().visit(Exact);
        let (relaxation, minimum_norm) = (
            run.relaxation.unwrap_or(solve.relaxation),
            run.minimum_norm.unwrap_or(solve.minimum_norm),
        );
        let solve = solve::Settings {
            // A formulation that was asked for is used for every contact problem; so is what it is asked to do.
            cases: run.formulation.is_none() && relaxation == 0.0 && !minimum_norm,
            formulation: run.formulation.unwrap_or(usual(run.solver, solve.formulation)),
            solver: run.solver.unwrap_or(solve.solver),
            directions: run.directions.unwrap_or(solve.directions),
            rho: run.rho.clone().unwrap_or(solve.rho.clone()),
            relaxation,
            minimum_norm,
            ..solve
        };
        let step = step::Settings {
            integrator: run.theta.map_or(integrator, |theta| integrator.with_theta(theta)),
            solve: Some(solve),
            impact: run.impact.unwrap_or(defaults.step.impact),
            correction: run.correction.unwrap_or(defaults.step.correction),
            sleep: run.sleep.unwrap_or_default().then(|| run.sleeps()),
            ..defaults.step
        };
        let sample_dt = t_end / run.samples.unwrap_or(SAMPLES) as f64;
        Settings {
            t_end,
            dt: run.dt.or(self.file_dt().map(|(dt, _)| dt)).unwrap_or(DT),
            sample_dt,
            step,
        }
    }
}
