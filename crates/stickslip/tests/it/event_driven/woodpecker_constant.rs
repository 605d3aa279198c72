//! The woodpecker with constant friction ([3], end of section 4), whose sleeve skims: against a time stepping that skims.

use super::systems::Log;
use complementarity::Matrix;
use stickslip::analysis::{Search, Surface, cycle, find_cycle};
use stickslip::contact::Law;
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Generalised;
use stickslip::models::{Woodpecker, WoodpeckerSystem};
use stickslip::run::{End, EventKind};
use stickslip::system::{Directions, Energy, SystemInfo};
use stickslip::{State, System};

/// Friction of a closed contact, N.
const FRICTION: f64 = 0.2;

/// The woodpecker with other laws.
struct Constant {
    inner: WoodpeckerSystem,
    info: SystemInfo,
}

impl Constant {
    fn new() -> Self {
        let inner = Woodpecker::default().system();
        let mut info = inner.info().clone();
        for contact in &mut info.contacts {
            let (normal, tangential) = (contact.law.eps_n, contact.law.eps_t);
            contact.law = Law::constant(FRICTION).with_restitution(normal, tangential);
        }
        Self { inner, info }
    }

    /// The published start, with the lower edge of the sleeve on the pole.
    fn start() -> State {
        let mut start = Woodpecker::start();
        start.q[1] = -0.0006 / 0.0058;
        start
    }
}

impl System for Constant {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn mass(&self, q: &[f64], t: f64, m: &mut Matrix) {
        self.inner.mass(q, t, m);
    }

    fn forces(&self, q: &[f64], u: &[f64], t: f64, h: &mut [f64]) {
        self.inner.forces(q, u, t, h);
    }

    fn gaps(&self, q: &[f64], t: f64, gaps: &mut [f64]) {
        self.inner.gaps(q, t, gaps);
    }

    fn directions(&self, contact: usize, q: &[f64], t: f64, out: &mut Directions<'_>) {
        self.inner.directions(contact, q, t, out);
    }

    fn convective(&self, contact: usize, q: &[f64], u: &[f64], t: f64) -> [f64; 2] {
        self.inner.convective(contact, q, u, t)
    }

    fn force_jacobians(&self, q: &[f64], u: &[f64], t: f64, dq: &mut Matrix, du: &mut Matrix) {
        self.inner.force_jacobians(q, u, t, dq, du);
    }

    fn energy(&self, q: &[f64], u: &[f64], t: f64) -> Energy {
        self.inner.energy(q, u, t)
    }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// M⁻¹ x by Cramer's rule.
fn divide(m: &Matrix, x: [f64; 3]) -> [f64; 3] {
    let row = |i: usize| [m[(i, 0)], m[(i, 1)], m[(i, 2)]];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let sides = [cross(row(1), row(2)), cross(row(2), row(0)), cross(row(0), row(1))];
    let det = dot(&row(0), &sides[0]);
    std::array::from_fn(|i| (0..3).map(|k| sides[k][i] * x[k]).sum::<f64>() / det)
}

/// Impulses of one contact with W = [nn, nt, tt] and bias (N, T), friction at most `most`: of the cases open or closed, sticking or
/// sliding the one that violates the law least; friction that alone opens the contact is lowered until it does not.
fn one_contact([nn, nt, tt]: [f64; 3], [bn, bt]: [f64; 2], most: f64) -> [f64; 2] {
    let (mut best, mut answer) = (f64::INFINITY, [0.0; 2]);
    for closed in [false, true] {
        for side in [0.0, 1.0, -1.0] {
            let det = nn * tt - nt * nt;
            let [n, t] = match (closed, side == 0.0) {
                (false, true) => [0.0, -bt / tt],
                (true, true) => [-(bn * tt - bt * nt) / det, -(nn * bt - nt * bn) / det],
                (false, false) => [0.0, side * most],
                (true, false) => [-(bn + nt * side * most) / nn, side * most],
            };
            let (after, slip) = (bn + nn * n + nt * t, bt + nt * n + tt * t);
            let approach = if closed { 0.0 } else { (-after).max(0.0) };
            let excess = tt * (t.abs() - most).max(0.0) + (slip * side).max(0.0);
            let violation = (-n * nn).max(0.0) + approach + excess;
            if violation < best {
                (best, answer) = (violation, [n, t]);
            }
        }
    }
    let separates = bn + nn * answer[0] + nt * answer[1] > 1e-18;
    match answer[0] <= 0.0 && separates {
        true if bn >= 0.0 => [0.0; 2],
        true => [0.0, (-bn / nt).clamp(-most, most)],
        false => answer,
    }
}

/// The impulses of all contacts, one after the other until nothing changes.
fn impulses(
    w: impl Fn(usize, usize) -> f64,
    bias: [f64; 6],
    active: &[usize],
    most: f64,
) -> [f64; 6] {
    let mut lam = [0.0; 6];
    for _ in 0..2000 {
        let old = lam;
        for &i in active {
            let (n, t) = (2 * i, 2 * i + 1);
            let others =
                |r: usize| -> f64 { (0..6).filter(|s| s / 2 != i).map(|s| w(r, s) * lam[s]).sum() };
            let given = [bias[n] + others(n), bias[t] + others(t)];
            [lam[n], lam[t]] = one_contact([w(n, n), w(n, t), w(t, t)], given, most);
        }
        let size = lam.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if lam.iter().zip(old).all(|(a, b)| (a - b).abs() <= 1e-15 * size) {
            break;
        }
    }
    lam
}

/// Moreau's midpoint rule with contacts that skim, to the end time; the state there, and when φ_S fell through zero.
fn skimming_midpoint_rule(dt: f64, t_end: f64) -> (State, Vec<f64>) {
    let (system, mut state) = (Constant::new(), Constant::start());
    let mut m = Matrix::zeros(3, 3);
    system.mass(&state.q, 0.0, &mut m);
    let mut h = [[0.0; 3]; 6];
    for i in 0..3 {
        let [normal, tangent] = &mut h[2 * i..2 * i + 2] else { unreachable!() };
        let mut to = Directions { normal, tangent, normal_drive: 0.0, tangent_drive: 0.0 };
        system.directions(i, &state.q, 0.0, &mut to);
    }
    let y = h.map(|x| divide(&m, x));
    let w = |r: usize, s: usize| dot(&h[r], &y[s]);
    let eps: Vec<f64> = system.info.contacts.iter().map(|c| c.law.eps_n).collect();
    let (mut falls, steps) = (Vec::new(), (t_end / dt).round() as usize);
    for k in 0..steps {
        let q: [f64; 3] = std::array::from_fn(|i| state.q[i] + 0.5 * dt * state.u[i]);
        let (mut gaps, mut force) = ([0.0; 3], [0.0; 3]);
        system.gaps(&q, 0.0, &mut gaps);
        system.forces(&q, &state.u, 0.0, &mut force);
        let before: [f64; 3] = std::array::from_fn(|i| state.u[i]);
        let mut u = before;
        u.iter_mut().zip(divide(&m, force)).for_each(|(u, a)| *u += dt * a);
        let active: Vec<usize> = (0..3).filter(|&i| gaps[i] <= 1e-17).collect();
        let bias: [f64; 6] = std::array::from_fn(|r| {
            let back = if r % 2 == 0 { eps[r / 2] * dot(&h[r], &before) } else { 0.0 };
            dot(&h[r], &u) + back
        });
        let lam = impulses(w, bias, &active, FRICTION * dt);
        for (y, lam) in y.iter().zip(lam) {
            u.iter_mut().zip(y).for_each(|(u, y)| *u += lam * y);
        }
        let last = state.q[2];
        for i in 0..3 {
            state.u[i] = u[i];
            state.q[i] = q[i] + 0.5 * dt * u[i];
        }
        if last > 0.0 && state.q[2] <= 0.0 {
            falls.push(dt * (k as f64 + last / (last - state.q[2])));
        }
    }
    (state, falls)
}

fn event_driven(t_end: f64) -> (State, Log) {
    let system = Constant::new();
    let model = Generalised::new(&system).unwrap();
    let (settings, mut log) = (Settings { t_end, ..Settings::default() }, Log::default());
    let report = run_event_driven(&model, &Constant::start(), &settings, &mut log).unwrap();
    assert_eq!(report.end, End::Finished);
    assert!(report.certificate.worst < 1e-12, "{:?}", report.certificate);
    (report.state, log)
}

#[test]
fn the_sleeve_skims_as_time_stepping_does_that_skims() {
    let (state, log) = event_driven(0.095);
    // The upper edge skims from the end of its slide upwards until its friction has fallen to nothing.
    let upper: Vec<_> = log.events.iter().filter(|e| e.contact == 2 && e.t > 0.073).collect();
    assert!(matches!(upper[0].kind, EventKind::Slides(_)) && (upper[0].t - 0.0754).abs() < 1e-4);
    assert!(upper[1].kind == EventKind::Opens && (upper[1].t - 0.0919).abs() < 1e-4);
    assert_eq!(upper.len(), 2);
    let size = [0.1, 1.3, 1.5];
    for (dt, bound) in [(1e-5, 2e-2), (1e-6, 1.2e-2), (2e-7, 1e-3)] {
        let (stepped, _) = skimming_midpoint_rule(dt, 0.095);
        let off = (0..3).fold(0.0_f64, |m, i| m.max((stepped.u[i] - state.u[i]).abs() / size[i]));
        assert!(off < bound, "{dt} {off}");
    }
}

#[test]
fn its_cycle_has_two_strokes_and_a_rest_that_forgets_everything() {
    let system = Constant::new();
    let mut section = |q: &[f64], _: &[f64], _: f64| -q[2];
    let model = Generalised::new(&system).unwrap();
    let surface = Surface::Section(&mut section, 1.0);
    let settings = cycle::Settings::default();
    let found = find_cycle(&model, &Constant::start(), surface, &[0], &settings).unwrap();
    let Search::Found(cycle) = found else { panic!("{found:?}") };
    assert!((cycle.period - 0.359_926_005_49).abs() < 1e-10, "{}", cycle.period);
    assert!(cycle.returns == 2 && cycle.energy.relative < 1e-9, "{:?}", cycle.energy);
    assert!(cycle.multipliers.iter().all(|m| m.norm() < 1e-6), "{:?}", cycle.multipliers);
    // Two strokes of time stepping that skims, the first after the start has been forgotten.
    for (dt, bound) in [(1e-6, 1e-3), (2e-7, 2e-4)] {
        let (_, falls) = skimming_midpoint_rule(dt, 0.75);
        let two = falls[3] - falls[1];
        assert!((two / cycle.period - 1.0).abs() < bound, "{dt} {two}");
    }
}
