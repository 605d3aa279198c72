//! The contact problem of a step: its laws and bias, its answer, and what the answer does to the velocities.

use super::activation::is_connection;
use super::paoli_schatzman;
use super::{Integrator, Stepper, Stop, Unsolved};
use crate::contact::solve::{self, ContactSolver, Effort};
use crate::contact::{BodyRows, ContactProblem, Law};
use crate::dynamics::{assign, copy, largest};
use crate::error::{Error, check_coefficient};
use crate::impact::ImpactLaw;
use crate::model::{Model, Span};
use crate::run::{Stage, Stopwatch};
use complementarity::{Failure, Status};
use std::mem::replace;

/// An answer this close to the laws predicts the velocity at the end of the step.
const NEARLY: f64 = 1e-6;
/// One whose single impulses make so many times the velocities of the problem is that of bodies that are jammed, and predicts nothing.
const JAMMED: f64 = 1e6;
/// An answer leaves velocities open if those that the laws hold at zero are this share of those of the problem: jammed bodies have impulses that do
/// nothing together, and the tolerance is a share of what each of them does.
const OPEN: f64 = 1e-3;
/// An answer misses the tolerance narrowly if by no more than this factor.
const NARROW_MISS: f64 = 10.0;
/// Compliances of the last resort, as shares of the diagonal of W, and whether their answers have to be near to the laws in velocities: the least that brings
/// one so near, or else the most with which the laws are met to the tolerance.
const COMPLIANCES: [(f64, bool); 6] =
    [(1e-12, true), (1e-10, true), (1e-8, true), (1e-8, false), (1e-10, false), (1e-12, false)];
/// Relative velocities of this share of the velocities are their rounding.
const ROUNDED: f64 = 64.0 * f64::EPSILON;
/// Most predictions of it.
const PREDICTIONS: usize = 3;

impl<M: Model> Stepper<M> {
    /// γ of the velocity at the beginning, at the contacts collected and where they are predicted to end; and the impact of
    /// Poisson's law, which is one of impulses in no time, before the step.
    pub(super) fn begin_contacts(&mut self, model: &M, span: &Span<'_>) -> Result<(), Stop> {
        self.begin_plastic();
        let u = if self.middle.is_empty() { span.u } else { &self.middle };
        model.relative_velocity(&self.place, u, &mut self.outcome.before);
        assign(&mut self.outcome.drive, model.drive(&self.place));
        self.outcome.drive.resize(self.outcome.before.len(), 0.0);
        self.limits.clear();
        self.shift_before.clear();
        self.shift_after.clear();
        let follow = self.settings.follow && self.plastic.is_empty();
        if follow && !self.settings.integrator.at_positions() {
            let (shift, there) = (&mut self.shift_before, &mut self.q);
            model.relative_velocity_ahead(&mut self.place, span, u, there, shift);
            let here = &self.outcome.before;
            shift.iter_mut().zip(here).for_each(|(ahead, here)| *ahead -= here);
            self.shift_after.extend_from_slice(shift);
        }
        assign(&mut self.outcome.bend, &self.shift_before);
        self.impacted = false;
        if self.impact_solver.is_some() {
            self.strike(model)?;
        }
        Ok(())
    }

    /// What the motion of contact points and normals adds to γ if the step ends with the velocity `last`.
    pub(super) fn predict_shift(&mut self, model: &M, span: &Span<'_>) {
        let (end, shift) = (&self.last, &mut self.shift_after);
        model.relative_velocity_ahead(&mut self.place, span, end, &mut self.q, shift);
        if !shift.is_empty() {
            model.relative_velocity(&self.place, end, &mut self.gamma);
            shift.iter_mut().zip(&self.gamma).for_each(|(ahead, here)| *ahead -= here);
        }
    }

    /// Poses and solves the contact problem. The shift of the beginning of the step is none that bodies can have that stop in it: four
    /// corners that stick would have to slip by what is second order in their speed, each in its own direction. A problem that is nearly
    /// solved is therefore posed again with the shift of the end that its answer leads to.
    pub(super) fn contact_with_shift<W: Stopwatch>(
        &mut self,
        model: &M,
        span: &Span<'_>,
        watch: &mut W,
    ) -> Result<(), Stop> {
        for _ in 0..PREDICTIONS {
            match self.contact(model, span.dt, watch) {
                Err(Stop::Unsolved(unsolved))
                    if unsolved.worst < NEARLY
                        && unsolved.response < JAMMED
                        && !self.shift_after.is_empty() =>
                {
                    copy(&mut self.last, &self.free);
                    model.apply(&self.place, &self.solver.solution().impulse, &mut self.last);
                    self.predict_shift(model, span);
                }
                other => return other,
            }
        }
        self.contact(model, span.dt, watch)
    }

    /// Resolves an impact where a contact approaches.
    fn strike(&mut self, model: &M) -> Result<(), Stop> {
        let o = &self.outcome;
        let mut row = 0;
        for &i in &o.active {
            let c = &o.candidates[i];
            self.impacted |= c.gap.is_some() && o.before[row] < 0.0;
            row += model.law(&self.place, i).components();
        }
        let Some(solver) = self.impact_solver.as_mut().filter(|_| self.impacted) else {
            return Ok(());
        };
        refuse_patches(model, &self.place, &o.active)?;
        let place = &mut self.place;
        let laws: Vec<Law> = o.active.iter().map(|&i| model.law(place, i).clone()).collect();
        let pose =
            |bias: &[f64], laws: &[Law], problem: &mut _| model.pose(place, bias, laws, problem);
        if self.impact.resolve(ImpactLaw::Poisson, &o.before, laws.into_iter(), solver, pose)? {
            return Ok(());
        }
        let (status, worst) = (self.impact.status, self.impact.certificate.worst);
        Err(Stop::Unsolved(Unsolved::new(status, worst)))
    }

    /// The contact problem of the laws as they are. Bodies that are jammed have answers of any size; one that is too large to balance momentum, or
    /// to say what the velocities are, is looked for once more without the impulses of the last step, and is none if it stays so.
    pub(super) fn solve<W: Stopwatch>(&mut self, model: &M, watch: &mut W) -> Result<(), Stop> {
        // The certificate does not see a friction limit that is far smaller than the momenta: while limits change from problem to problem
        // of one step, the last answer is not reused. Nor does it see a small velocity beside impulses that jam.
        let guessed = self.warm && self.limits.is_empty() && self.push_out;
        match self.solve_from(model, guessed, watch) {
            Ok(missing) if missing <= self.tolerance => Ok(()),
            Ok(_) if guessed => {
                let anew = self.solve_from(model, false, watch);
                self.accept(model, anew)
            }
            ended => self.accept(model, ended),
        }
    }

    /// Solves the contact problem, from the impulses of the last step if these are a guess. Returns by how much an answer misses what the tolerance
    /// is for: velocities that are not those that its impulses make, or that impulses leave open which are so large.
    fn solve_from<W: Stopwatch>(
        &mut self,
        model: &M,
        guessed: bool,
        watch: &mut W,
    ) -> Result<f64, Stop> {
        model.pose(&mut self.place, &self.bias, &self.laws, &mut self.problem)?;
        watch.lap(Stage::Pose);
        self.search(guessed)?;
        watch.lap(Stage::Solve);
        let answer = self.solver.solution();
        if !answer.is_solved() {
            if largest(&self.bias) > 0.0 && is_rounded(&self.bias, &self.free) {
                let left = largest(&self.bias) / largest(&self.free);
                self.bias.fill(0.0);
                self.outcome.settling = self.outcome.settling.max(left);
                return self.solve_from(model, guessed, watch);
            }
            check_friction(&self.problem, &self.outcome.active, &answer.velocity)?;
            let unsolved = Unsolved::of(
                &self.problem,
                &answer.impulse,
                (answer.status, answer.certificate.worst),
            );
            let many = self.problem.contacts() > BodyRows::MANY;
            if !(many && unsolved.is_near(self.settings.accept)) {
                return Err(Stop::Unsolved(unsolved));
            }
        }
        let open = self.take_answer(model);
        let momentum = self.outcome.certificate.momentum;
        Ok(if open > OPEN && !is_rounded(&self.bias, &self.free) { open } else { momentum })
    }

    /// Has the problem solved. Among many contacts a search that goes on after sweeps takes long and mostly finds nothing, and mostly nothing in the next
    /// step either where it did not in this one: after such a step some are searched briefly, twice as many each time.
    fn search(&mut self, guessed: bool) -> Result<(), Error> {
        let many = self.problem.contacts() > BodyRows::MANY;
        let long = !many || self.retry.thorough || self.searches.tries();
        let asked = (!long).then(|| self.solver.set_effort(Effort::Least));
        if guessed {
            self.solver.solve_identified(&self.problem, &self.identities)?;
        } else {
            self.solver.solve(&self.problem);
        }
        let solved = self.solver.solution().is_solved();
        if let Some(asked) = asked {
            self.solver.set_effort(asked);
            self.retry.ended_briefly |= !solved;
        } else if many {
            self.searches.take(solved);
        }
        Ok(())
    }

    /// The velocities and impulses of the step by the answer that the solver has. Returns the share of the velocities of the problem that it
    /// leaves open.
    fn take_answer(&mut self, model: &M) -> f64 {
        let (o, answer) = (&mut self.outcome, self.solver.solution());
        o.missed = !answer.is_solved();
        assign(&mut o.impulse, &answer.impulse);
        (o.certificate, o.model, o.iterations) =
            (answer.certificate, answer.model, answer.iterations);
        if self.impacted {
            o.impulse.iter_mut().zip(&self.impact.impulse).for_each(|(a, b)| *a += b);
            if self.impact.certificate.worst > o.certificate.worst {
                o.certificate = self.impact.certificate;
            }
        }
        copy(&mut self.end, &self.free);
        model.apply(&self.place, &o.impulse, &mut self.end);
        answer.modes(&self.problem, &mut o.modes);
        let open = if self.warm { self.refine(model) } else { 0.0 };
        let o = &mut self.outcome;
        o.certificate.set_momentum(model.momentum_error(
            &mut self.place,
            &self.free,
            &self.end,
            &o.impulse,
        ));
        open
    }

    /// The last resort of a step without an answer, if it is allowed: the best one if it is near to the laws; that of a problem with a little compliance, whose
    /// impulses are no larger than they need be; or the best one if it misses the tolerance narrowly and makes no energy. The step is marked.
    #[cold]
    fn accept(&mut self, model: &M, ended: Result<f64, Stop>) -> Result<(), Stop> {
        let unsolved = match ended {
            Ok(missing) if missing <= self.tolerance => return Ok(()),
            Ok(missing) => Unsolved::new(Status::Failed(Failure::Numerical), missing),
            Err(Stop::Unsolved(unsolved)) => unsolved,
            Err(stop) => return Err(stop),
        };
        let failed = matches!(unsolved.status, Status::Failed(_));
        if !(self.retry.accepts > 0.0 && failed) {
            return Err(Stop::Unsolved(unsolved));
        }
        if unsolved.is_near(self.retry.accepts) {
            self.take_answer(model);
            self.outcome.missed = true;
            return Ok(());
        }
        for (relaxation, near) in COMPLIANCES {
            let settings = solve::Settings { relaxation, ..self.solver.settings().clone() };
            let stiff = replace(&mut self.solver, ContactSolver::new(settings)?);
            let accepted = self.accepts_compliant(model, near);
            self.solver = stiff;
            if accepted {
                return Ok(());
            }
        }
        let narrow = self.solver.solution().certificate.worst <= NARROW_MISS * self.tolerance;
        if narrow {
            self.take_answer(model);
            self.outcome.missed = true;
        }
        let balanced = self.outcome.certificate.momentum <= self.retry.accepts;
        if narrow && balanced && self.created(model) <= 0.0 {
            return Ok(());
        }
        Err(Stop::Unsolved(unsolved))
    }

    /// Takes the answer of the problem with compliance if it is near to the laws of the problem without, in velocities or at least by their certificate,
    /// and makes no energy.
    fn accepts_compliant(&mut self, model: &M, near: bool) -> bool {
        let answer = self.solver.solve(&self.problem);
        let laws = answer.model.unwrap_or(answer.certificate);
        let ended = (Status::Failed(Failure::Numerical), laws.worst);
        let unsolved = Unsolved::of(&self.problem, &answer.impulse, ended);
        let most = if near { self.retry.accepts } else { f64::INFINITY };
        if !(unsolved.is_near(most) && (near || laws.worst <= self.tolerance)) {
            return false;
        }
        let open = self.take_answer(model);
        let o = &mut self.outcome;
        let momentum = o.certificate.momentum;
        let Ok(laws) = self.problem.certificate_into(&o.impulse, &mut self.gamma) else {
            return false;
        };
        (o.certificate, o.model, o.missed) = (laws, None, true);
        o.certificate.set_momentum(momentum);
        momentum <= self.retry.accepts && open <= most && self.created(model) <= 0.0
    }

    /// The largest change that forces make of the velocity of a contact in the step, with γ of the velocity without contact in store.
    fn forced(&self) -> f64 {
        let both = self.bias.iter().zip(&self.outcome.before);
        both.fold(0.0, |m, (free, before)| (free - before).abs().max(m))
    }

    /// The laws over a step, and the bias γ_free + ε γ⁻. With γ⁻ and γ⁺ at the ends of the step rather than at its midpoint,
    /// from which they differ by −δ⁻ and δ⁺, γ⁺ + ε γ⁻ has δ⁺ − ε δ⁻ more. Connections with ε = 1 exclude motions of the
    /// velocity θ u⁺ + (1 − θ) u of the displacement, so ε is (1 − θ) / θ. Gaps at the level of positions add g / Δt, but what is
    /// inside comes out no faster than it would go on in, as by Newton's law with ε = 1, or than forces move anything in a step. The mean
    /// of positions has a term of its own in place of ε γ⁻. After an
    /// impact of Poisson's law there is no restitution left, and its impulses have acted.
    pub(super) fn set_bias(&mut self, model: &M, dt: f64) {
        let integrator = self.settings.integrator;
        let past = (1.0 - integrator.motion()) / integrator.motion();
        let at_mean = integrator == Integrator::PaoliSchatzman;
        let newton = self.settings.impact == ImpactLaw::Newton && !at_mean;
        if self.impacted {
            self.struck.clear();
            self.struck.extend_from_slice(&self.free);
            model.apply(&self.place, &self.impact.impulse, &mut self.struck);
            model.relative_velocity(&self.place, &self.struck, &mut self.bias);
        } else {
            model.relative_velocity(&self.place, &self.free, &mut self.bias);
        }
        let o = &self.outcome;
        let forced = if matches!(integrator, Integrator::GapLevel) { self.forced() } else { 0.0 };
        if self.laws.len() != o.active.len() {
            self.laws.resize_with(o.active.len(), Law::default);
        }
        self.identities.clear();
        let mut row = 0;
        for (law, &i) in self.laws.iter_mut().zip(&o.active) {
            let c = &o.candidates[i];
            if self.warm {
                self.identities.push(c.identity);
            }
            law.clone_from(model.law(&self.place, i));
            law.radius *= dt;
            let normals = row + law.kind.normals();
            let fixed = is_connection(&law.kind);
            let share = if fixed { past } else { f64::from(newton) };
            if let Some(gap) = c.gap {
                if matches!(integrator, Integrator::GapLevel) {
                    let fastest = if self.push_out { (-self.bias[row]).max(forced) } else { 0.0 };
                    self.bias[row] += (gap / dt).max(-fastest);
                } else if at_mean {
                    self.bias[row] += paoli_schatzman::mean(law.eps_n, gap, o.before[row], dt);
                }
            }
            let end = row + law.components();
            for r in row..end {
                let eps = share * if r < normals { law.eps_n } else { law.eps_t };
                self.bias[r] += eps * o.before[r];
                if let (Some(after), Some(before)) =
                    (self.shift_after.get(r), self.shift_before.get(r))
                {
                    self.bias[r] += after - eps * before;
                }
            }
            row = end;
        }
        if !self.plastic.is_empty() {
            self.leave_out_restitution(model);
        }
    }
}

/// Whether bodies move together: what their velocities leave of the relative ones is no question that has an answer.
fn is_rounded(bias: &[f64], free: &[f64]) -> bool {
    largest(bias) <= ROUNDED * largest(free)
}

/// Refuses contacts that have friction alone, which are the middles of patches, in an impact of two phases: their rims have parted when
/// the load is known that their friction goes by.
fn refuse_patches<M: Model>(model: &M, place: &M::Place, active: &[usize]) -> Result<(), Error> {
    let mut points = active.iter().filter_map(|&i| model.contact_point(place, i));
    if points.all(|point| point.normals > 0) {
        return Ok(());
    }
    Err(Error::Combination {
        part: "impact law poisson",
        other: "a collider with patches",
        reason: "friction of a patch depends on the load of its rim, which is known after both phases of an impact only; take newton, or leave \
                 the patch out",
    })
}

/// Refuses a coefficient of friction that is negative at the slip speed of an answer, or at the one without impulses.
#[cold]
fn check_friction(problem: &ContactProblem, active: &[usize], xi: &[f64]) -> Result<(), Error> {
    for (i, law) in problem.laws().iter().enumerate() {
        let Some(curve) = law.curve() else { continue };
        let rows = problem.rows(i).start + law.kind.normals()..problem.rows(i).end;
        for velocities in [xi, problem.bias()] {
            let speed = velocities.get(rows.clone()).map_or(0.0, Law::slip_speed);
            check_coefficient(active[i], speed, curve.coefficient(speed))?;
        }
    }
    Ok(())
}
