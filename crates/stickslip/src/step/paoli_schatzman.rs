//! The scheme of Paoli and Schatzman 2002, \[3\] refs. \[18, 19\]: restitution at the level of positions, over two steps.
//!
//! With q⁻, q, q⁺ at the ends of two steps of the same length Δt the scheme is
//!
//! ```text
//! M (q⁺ − 2 q + q⁻) = Δt² h(q) + Δt H Λ,     0 ≤ g((q⁺ + ε q⁻) / (1 + ε)) ⊥ Λ_N ≥ 0
//! ```
//!
//! The velocities of the states are u = (q − q⁻) / Δt and u⁺ = (q⁺ − q) / Δt, so that q⁻ = q − Δt u needs no storage: a motion goes on from
//! (q, u) alone. The mean of the positions is q + Δt (u⁺ − ε u) / (1 + ε), and with g to first order about q the condition, times
//! (1 + ε) / Δt, is one of a contact problem:
//!
//! ```text
//! u⁺ = u + Δt M⁻¹ h + M⁻¹ H Λ,     0 ≤ γ_N⁺ − ε γ_N⁻ + (1 + ε) g / Δt ⊥ Λ_N ≥ 0
//! ```
//!
//! An impact takes two steps. Numbered by steps, the first gives g₂ = −ε g₀ and the second g₃ = −ε g₁, after which
//! γ₃ = (g₃ − g₂) / Δt = −ε (g₁ − g₀) / Δt = −ε γ₁, exactly and whatever the forces; in between the bodies are inside of each other by
//! up to 2 ε / (1 + ε) times what they approach by in a step. Each contact has an ε of its own; the authors prove convergence for one ε and
//! without friction. The friction of a step is Coulomb's, with its Λ_N and the slip of its end: where it differs between the two steps of an
//! impact, by slip that ends or contacts that open, their sum depends on where in a step the impact falls, and does not converge to
//! Newton's law. So it is by the method of gaps.

use super::{Settings, Stepper, Stop};
use crate::contact::Law;
use crate::contact::solve::Formulation;
use crate::error::Error;
use crate::impact::ImpactLaw;
use crate::model::Model;
use crate::run::Stopwatch;

const NAME: &str = "paoli_schatzman";

/// What the mean of the positions adds to the normal velocity at the end of the step: (1 + ε) g / Δt − ε γ_N⁻.
pub(super) fn mean(eps: f64, gap: f64, before: f64, dt: f64) -> f64 {
    (1.0 + eps) * gap / dt - eps * before
}

/// Refuses settings that would take its restitution away.
pub(super) fn fits(settings: &Settings) -> Result<(), Error> {
    if settings.correction {
        return Err(Error::Combination {
            part: NAME,
            other: "position correction",
            reason: "the depth between the two steps of an impact is what restitution comes from; set correction to \
                     false, or use moreau_midpoint",
        });
    }
    Ok(())
}

/// Refuses the law of a contact that the mean of positions does not express.
pub(super) fn takes(impact: ImpactLaw, formulation: Formulation, law: &Law) -> Result<(), Error> {
    let refuse = |other, reason| Err(Error::Combination { part: NAME, other, reason });
    if law.eps_t != 0.0 {
        return refuse(
            "a contact with tangential restitution",
            "its restitution is one of gaps, and tangential motion has none; set eps_t to 0, or use moreau_midpoint or \
             moreau_jean",
        );
    }
    if law.eps_n != 0.0 && impact == ImpactLaw::Poisson {
        return refuse(
            "impact law poisson and restitution",
            "its restitution is Newton's; choose the impact law newton, or use moreau_midpoint",
        );
    }
    let lifts = formulation == Formulation::ConvexifiedCone && law.has_free_friction();
    if law.eps_n != 0.0 && lifts {
        return refuse(
            "convexified_cone and restitution with friction",
            "what that law lifts sliding contacts by differs between the two steps of an impact; use cone or \
             stewart_trinkle",
        );
    }
    Ok(())
}

impl<M: Model> Stepper<M> {
    /// The contact problem of the mean of positions; its γ⁺ is that of the velocity before free motion.
    pub(super) fn contact_at_mean<W: Stopwatch>(
        &mut self,
        model: &M,
        dt: f64,
        watch: &mut W,
    ) -> Result<(), Stop> {
        self.contact(model, dt, watch)?;
        model.relative_velocity(&self.place, &self.end, &mut self.outcome.after);
        Ok(())
    }
}
