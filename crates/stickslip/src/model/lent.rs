//! A model that is lent is a model.

use super::{Accelerations, Candidate, FrictionLimit, Model, ThetaStep};
use crate::contact::{ContactProblem, Law};
use crate::error::Error;
use crate::system::Energy;

type At<'a> = (&'a [f64], &'a [f64], f64);

impl<M: Model + ?Sized> Model for &mut M {
    fn kind(&self) -> &'static str {
        (**self).kind()
    }

    fn is_planar(&self) -> bool {
        (**self).is_planar()
    }

    fn coordinates(&self) -> usize {
        (**self).coordinates()
    }

    fn velocities(&self) -> usize {
        (**self).velocities()
    }

    fn validate(&self, q: &[f64], u: &[f64]) -> Result<(), Error> {
        (**self).validate(q, u)
    }

    fn detect(&mut self, q: &[f64], t: f64, out: &mut Vec<Candidate>) -> Result<(), Error> {
        (**self).detect(q, t, out)
    }

    fn law(&self, candidate: usize) -> &Law {
        (**self).law(candidate)
    }

    fn free(
        &mut self,
        q: &[f64],
        u: &[f64],
        t: f64,
        dt: f64,
        out: &mut [f64],
    ) -> Result<(), Error> {
        (**self).free(q, u, t, dt, out)
    }

    fn collect(&mut self, active: &[usize]) {
        (**self).collect(active);
    }

    fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        (**self).relative_velocity(u, gamma);
    }

    fn relative_velocity_ahead(
        &mut self,
        at: At<'_>,
        dt: f64,
        end: &[f64],
        there: &mut [f64],
        gamma: &mut Vec<f64>,
    ) {
        (**self).relative_velocity_ahead(at, dt, end, there, gamma);
    }

    fn correct_free(
        &mut self,
        q: &[f64],
        u: &[f64],
        t: f64,
        dt: f64,
        end: &[f64],
        free: &mut [f64],
    ) -> Result<f64, Error> {
        (**self).correct_free(q, u, t, dt, end, free)
    }

    fn ends_settled(&self) -> bool {
        (**self).ends_settled()
    }

    fn has_theta(&self) -> bool {
        (**self).has_theta()
    }

    fn free_theta(
        &mut self,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        (**self).free_theta(step, end, out)
    }

    fn redundancy(&self) -> usize {
        (**self).redundancy()
    }

    fn drive(&self) -> &[f64] {
        (**self).drive()
    }

    fn pose(
        &mut self,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        (**self).pose(bias, laws, problem)
    }

    fn friction_limits(
        &mut self,
        impulse: &[f64],
        end: &[f64],
        limits: &mut Vec<Option<FrictionLimit>>,
    ) {
        (**self).friction_limits(impulse, end, limits);
    }

    fn apply(&self, impulse: &[f64], u: &mut [f64]) {
        (**self).apply(impulse, u);
    }

    fn momentum_error(&mut self, free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        (**self).momentum_error(free, after, impulse)
    }

    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
        (**self).advance(q, before, after, dt, out);
    }

    fn finish_step(
        &mut self,
        at: At<'_>,
        dt: f64,
        impulse: &[f64],
        stabilise: bool,
        end: &mut [f64],
        out: &mut [f64],
    ) -> Result<f64, Error> {
        (**self).finish_step(at, dt, impulse, stabilise, end, out)
    }

    fn stabilise(&mut self, q: &mut [f64], u: &mut [f64], t: f64) -> Result<f64, Error> {
        (**self).stabilise(q, u, t)
    }

    fn energy(&mut self, q: &[f64], u: &[f64], t: f64) -> Energy {
        (**self).energy(q, u, t)
    }

    fn gaps(&mut self, q: &[f64], t: f64, out: &mut Vec<Candidate>) -> Result<(), Error> {
        (**self).gaps(q, t, out)
    }

    fn accelerations(
        &mut self,
        at: At<'_>,
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        (**self).accelerations(at, candidates, out)
    }

    fn is_curved(&self) -> bool {
        (**self).is_curved()
    }

    fn displace(&self, q: &[f64], xi: &[f64], out: &mut [f64]) {
        (**self).displace(q, xi, out);
    }

    fn chart_rate(&self, xi: &[f64], u: &[f64], out: &mut [f64]) {
        (**self).chart_rate(xi, u, out);
    }

    fn turn(&self, xi: &[f64]) -> f64 {
        (**self).turn(xi)
    }

    fn sizes(&self, q: &[f64], out: &mut [f64]) {
        (**self).sizes(q, out);
    }

    fn pool(&self, sizes: &mut [f64]) {
        (**self).pool(sizes);
    }
}
