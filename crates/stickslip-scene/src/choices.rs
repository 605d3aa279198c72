//! Settings that a person chose over those of a scene, or for a problem: whatever leads here, the command or a program.

use crate::answers::AnswerError;
use crate::idle::Idle;
use crate::scene::Scene;
use serde_json::json;
use stickslip::contact::solve::{self, Formulation, Rho, SolverChoice};
use stickslip::impact::ImpactLaw;
use stickslip::run::Settings;
use stickslip::step::Integrator;

/// How contact problems are solved; an LCP or MLCP has none of it. What is left open has the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactChoices {
    /// Corners or facets of the polygon that stands for a round friction set.
    pub directions: Option<usize>,
    /// The phantom inertia: one number, or one per contact; empty if it was not given.
    pub rho: Vec<f64>,
    /// Compliance, as a share of each diagonal entry of W.
    pub relaxation: Option<f64>,
    /// Of all impulses that give the same velocities and obey the laws, the least.
    pub minimum_norm: bool,
}

impl ContactChoices {
    /// ρ, if it was given.
    #[must_use]
    pub fn rho(&self) -> Option<Rho> {
        match &self.rho[..] {
            [] => None,
            [one] => Some(Rho::Uniform(*one)),
            list => Some(Rho::PerContact(list.to_vec())),
        }
    }

    /// Settings with which a single problem is solved.
    ///
    /// # Errors
    /// If a number is out of range, or a choice does nothing with this formulation, or without one.
    pub fn settings(
        &self,
        solver: SolverChoice,
        formulation: Option<Formulation>,
        tolerance: f64,
    ) -> Result<solve::Settings, AnswerError> {
        let default = solve::Settings::default();
        let used = match formulation {
            None if !solver.takes_lcps() => Formulation::Cone,
            _ => formulation.unwrap_or_default(),
        };
        let settings = solve::Settings {
            solver,
            tolerance,
            formulation: used,
            // A formulation that was asked for is not exchanged for another.
            fall_back: formulation.is_none(),
            // What is reported as the formulation is what was used.
            cases: false,
            directions: self.directions.unwrap_or(default.directions),
            rho: self.rho().unwrap_or_default(),
            relaxation: self.relaxation.unwrap_or(default.relaxation),
            minimum_norm: self.minimum_norm,
            threads: default.threads,
        };
        settings.validate()?;
        self.refuse_idle(formulation)?;
        Ok(settings)
    }

    /// Refuses choices that do nothing with this formulation, or without one.
    ///
    /// # Errors
    /// Which choice, and what would have to be chosen with it.
    pub fn refuse_idle(&self, used: Option<Formulation>) -> Result<(), AnswerError> {
        // Without a formulation the exact law is solved, in one that has neither.
        let idle = Idle::with_formulation(used.unwrap_or(Formulation::Cone));
        let given = |key: &str| match key {
            "directions" => self.directions.is_some(),
            _ => key == "rho" && !self.rho.is_empty(),
        };
        let found = idle.into_iter().find(|idle| given(idle.key));
        found.map_or(Ok(()), |Idle { key, choice, needed, .. }| {
            Err(AnswerError::Unused { key, choice, needed })
        })
    }
}

/// How a scene is run, where it is not as the file says. What is left open is as the file says, or has the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunChoices {
    /// The step of the time-stepping integrators.
    pub dt: Option<f64>,
    /// How the system is taken through time.
    pub integrator: Option<Integrator>,
    /// How contact problems are turned into complementarity problems.
    pub formulation: Option<Formulation>,
    /// What solves the complementarity problems.
    pub solver: Option<SolverChoice>,
    /// The law of impacts.
    pub impact: Option<ImpactLaw>,
    /// The worst certificate that counts as solved.
    pub tol: Option<f64>,
    /// The worst certificate with which a step is made where no better answer is found.
    pub accept: Option<f64>,
    /// θ of moreau_jean.
    pub theta: Option<f64>,
    /// Whether the configuration is moved out of contacts at the end of each step.
    pub correction: bool,
    /// Whether bodies that are still are put to sleep.
    pub sleep: bool,
    /// How contact problems are solved.
    pub contact: ContactChoices,
}

impl RunChoices {
    /// The settings of a run, with these choices over others, which have the solver already. Those of them that were given by hand are `given`:
    /// they must do something.
    ///
    /// # Errors
    /// If one of those does nothing with the integrator and the formulation that are used.
    pub fn over(&self, base: Settings, given: &Self) -> Result<Settings, AnswerError> {
        let mut s = base;
        fn chosen<T: Copy>(slot: &mut T, value: Option<T>) {
            *slot = value.unwrap_or(*slot);
        }
        chosen(&mut s.dt, self.dt);
        chosen(&mut s.step.integrator, self.integrator);
        if let Some(theta) = self.theta {
            s.step.integrator = s.step.integrator.with_theta(theta);
        }
        chosen(&mut s.step.impact, self.impact);
        s.step.correction |= self.correction;
        chosen(&mut s.step.accept, self.accept);
        let solve = s.step.solve.get_or_insert_default();
        chosen(&mut solve.tolerance, self.tol);
        chosen(&mut solve.formulation, self.formulation);
        given.refuse_idle(s.step.integrator, solve.formulation)?;
        chosen(&mut solve.directions, self.contact.directions);
        // Of bodies also where joints have friction.
        if let [rho] = self.contact.rho[..] {
            solve.rho = rho.into();
        }
        chosen(&mut solve.relaxation, self.contact.relaxation);
        solve.minimum_norm |= self.contact.minimum_norm;
        // As in [`Scene::settings`], with what was chosen.
        let plain = solve.relaxation == 0.0 && !solve.minimum_norm;
        solve.cases &= self.formulation.is_none() && plain;
        Ok(s)
    }

    /// Refuses choices that do nothing with the integrator and the formulation that are used.
    fn refuse_idle(
        &self,
        integrator: Integrator,
        formulation: Formulation,
    ) -> Result<(), AnswerError> {
        let given = |key: &str| match key {
            "theta" => self.theta.is_some(),
            "dt" => self.dt.is_some(),
            "correction" => self.correction,
            "directions" => self.contact.directions.is_some(),
            "rho" => !self.contact.rho.is_empty(),
            _ => false,
        };
        let idle = Idle::with(integrator, formulation).into_iter().find(|idle| given(idle.key));
        idle.map_or(Ok(()), |idle| Err(AnswerError::Idle(idle)))
    }
}

impl Scene {
    /// The scene's settings, and over them what was chosen.
    ///
    /// # Errors
    /// If a choice does nothing with the integrator and the formulation that are used.
    pub fn settings_for(&self, choices: &RunChoices) -> Result<Settings, AnswerError> {
        let theta = choices.theta.or(self.run.theta);
        let mut base = self.settings_with_solver(choices.solver);
        if choices.sleep {
            base.step.sleep = Some(self.run.sleeps());
        }
        RunChoices { theta, ..choices.clone() }.over(base, choices)
    }
}

/// The settings by name, as recordings keep them.
#[must_use]
pub fn settings_json(s: &Settings) -> serde_json::Value {
    let (step, solve) = (&s.step, s.step.solve.clone().unwrap_or_default());
    let theta = match step.integrator {
        Integrator::MoreauJean { theta } => Some(theta),
        _ => None,
    };
    let rho = match &solve.rho {
        Rho::Uniform(rho) => json!(rho),
        Rho::PerContact(list) => json!(list),
        _ => json!("chosen"),
    };
    json!({
        "integrator": step.integrator.name(),
        "t_end": s.t_end,
        "dt": s.dt,
        "sample_dt": s.sample_dt,
        "formulation": solve.formulation.name(),
        "solver": solve.solver.name(),
        "directions": solve.directions,
        "rho": rho,
        "relaxation": solve.relaxation,
        "minimum_norm": solve.minimum_norm,
        "tol": solve.tolerance,
        "cases": solve.cases,
        "fall_back": solve.fall_back,
        "impact": step.impact.name(),
        "correction": step.correction,
        "accept": step.accept,
        "sleep": step.sleep.map(|s| json!({"still_for": s.still_for, "slower_than": s.slower_than})),
        "theta": theta,
    })
}
