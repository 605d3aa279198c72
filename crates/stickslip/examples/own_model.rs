//! A model of one's own: a bead in space that slides and bounces on the ground. It has the twelve methods that a model must have, and
//! every time-stepping integrator, formulation and solver takes it.

use complementarity::Matrix;
use stickslip::contact::{ContactProblem, Law};
use stickslip::model::{Candidate, Model, Span};
use stickslip::run::{Settings, run};
use stickslip::system::Energy;
use stickslip::{Error, State};

const G: f64 = 9.81;

struct Bead {
    mass: f64,
    law: Law,
}

impl Model for Bead {
    // The directions are always the same: there is nothing to keep for a place.
    type Place = ();

    fn coordinates(&self) -> usize {
        3
    }
    fn velocities(&self) -> usize {
        3
    }
    fn detect(
        &self,
        _place: &mut (),
        at: &Span<'_>,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        out.push(Candidate { identity: 0, gap: Some(at.q[2]) });
        Ok(())
    }
    fn law<'a>(&'a self, _place: &'a (), _candidate: usize) -> &'a Law {
        &self.law
    }
    fn free(&self, _place: &mut (), step: &Span<'_>, out: &mut [f64]) -> Result<(), Error> {
        out.copy_from_slice(&[step.u[0], step.u[1], step.u[2] - step.dt * G]);
        Ok(())
    }
    fn collect(&self, _place: &mut (), _active: &[usize]) {}
    fn relative_velocity(&self, _place: &(), u: &[f64], gamma: &mut Vec<f64>) {
        gamma.clear();
        // The normal comes first, then the two tangents.
        gamma.extend([u[2], u[0], u[1]]);
    }
    fn pose(
        &self,
        _place: &mut (),
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        let w = Matrix::from_fn(3, 3, |i, j| if i == j { 1.0 / self.mass } else { 0.0 });
        *problem = ContactProblem::new(w, bias.to_vec(), laws.to_vec())?;
        Ok(())
    }
    fn apply(&self, _place: &(), impulse: &[f64], u: &mut [f64]) {
        for (u, lam) in u.iter_mut().zip([impulse[1], impulse[2], impulse[0]]) {
            *u += lam / self.mass;
        }
    }
    fn momentum_error(&self, _: &mut (), free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        let lam = [impulse[1], impulse[2], impulse[0]];
        let off =
            (0..3).map(|i| (self.mass * (after[i] - free[i]) - lam[i]).abs()).fold(0.0, f64::max);
        off / lam.iter().fold(f64::MIN_POSITIVE, |m, l| m.max(l.abs()))
    }
    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
        (0..3).for_each(|i| out[i] = q[i] + 0.5 * dt * (before[i] + after[i]));
    }
    fn energy(&self, q: &[f64], u: &[f64], _t: f64) -> Energy {
        let kinetic = 0.5 * self.mass * u.iter().map(|v| v * v).sum::<f64>();
        Energy { kinetic, potential: self.mass * G * q[2] }
    }
}

fn main() -> Result<(), Error> {
    let (speed, mu) = (2.0, 0.5);
    let bead = Bead { mass: 0.3, law: Law::disc(mu) };
    let start = State::new(vec![0.0; 3], vec![0.8 * speed, 0.6 * speed, 0.0]);
    let settings = Settings { t_end: 1.0, dt: 1e-3, ..Settings::default() };
    let report = run(&bead, &start, &settings, &mut (), &mut ())?;
    let way = report.state.q[0].hypot(report.state.q[1]);
    let exact = speed * speed / (2.0 * mu * G);
    println!(
        "the bead slid {way:.6} m and stopped; exact {exact:.6} m, worst certificate {:.1e}",
        report.certificate.worst
    );
    assert!((way - exact).abs() < 1e-3 && report.state.u.iter().all(|v| v.abs() < 1e-9));
    Ok(())
}
