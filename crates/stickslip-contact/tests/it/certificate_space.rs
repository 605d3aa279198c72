//! The certificate of contacts of every kind: what is wrong is named, with its contact, in any units.

use complementarity::Matrix;
use std::sync::Arc;
use stickslip_contact::set::ConvexSet;
use stickslip_contact::set::{Polyhedron, UniformDisc};
use stickslip_contact::solve::{ContactSolver, Formulation, Settings};
use stickslip_contact::{Certificate, ContactProblem, Kind, Law};

/// A law, and its friction set with lengths in another unit (spin carries one).
fn laws(length: f64) -> Vec<Law> {
    let square = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
    let prism: Vec<[f64; 3]> = (0..6)
        .map(|i| f64::from(i) * std::f64::consts::PI / 3.0)
        .map(|a| [a.cos(), a.sin(), 0.0])
        .chain([[0.0, 0.0, 4.0 / length], [0.0, 0.0, -4.0 / length]])
        .collect();
    let uniform = UniformDisc::new(0.5 * length).unwrap();
    vec![
        Law::frictionless(),
        Law::coulomb(0.3),
        Law::disc(0.5),
        Law::with_set(0.4, ConvexSet::Ellipsoid(vec![1.0, 0.6])),
        Law::with_set(0.4, ConvexSet::Ellipsoid(vec![1.0, 0.8, 0.3 * length])),
        Law::with_set(0.5, ConvexSet::Polyhedron(Polyhedron::hull(&square).unwrap())),
        Law::with_set(0.5, ConvexSet::Polyhedron(Polyhedron::new(&prism).unwrap())),
        Law::with_set(0.5, ConvexSet::Mixed { ellipse: [1.0, 0.5], spin: 0.2 * length }),
        Law::with_set(0.5, ConvexSet::Custom(Arc::new(uniform))),
    ]
}

/// ξ and Λ of one contact.
#[derive(Clone)]
struct State {
    law: Law,
    xi: Vec<f64>,
    lam: Vec<f64>,
}

/// A slip that no set of [`laws`] is indifferent to.
const SLIP: [f64; 3] = [0.7, -0.4, 0.5];

impl State {
    fn closed(law: &Law) -> Self {
        let n = law.components();
        let mut lam = vec![0.0; n];
        if !matches!(law.kind, Kind::Bilateral(_)) {
            lam[0] = 1.0;
        }
        Self { law: law.clone(), xi: vec![0.0; n], lam }
    }

    /// The point of F farthest against [`SLIP`].
    fn farthest(&self) -> Vec<f64> {
        let Some(set) = self.law.kind.set() else { return Vec::new() };
        let mut f = vec![0.0; set.dimension()];
        set.support_point(&SLIP.map(|v| -v)[..set.dimension()], &mut f);
        f
    }

    fn with_friction(mut self, share: f64) -> Self {
        let limit = self.law.limit(self.lam[0]);
        let f = self.farthest();
        self.lam.iter_mut().skip(1).zip(f).for_each(|(l, f)| *l = share * limit * f);
        self
    }

    fn with_slip(mut self) -> Self {
        self.xi.iter_mut().skip(1).zip(SLIP).for_each(|(x, s)| *x = s);
        self
    }
}

/// The problem of which these are velocities and impulses, and its certificate.
fn problem(states: &[State]) -> (ContactProblem, Vec<f64>) {
    let xi: Vec<f64> = states.iter().flat_map(|s| s.xi.clone()).collect();
    let lam: Vec<f64> = states.iter().flat_map(|s| s.lam.clone()).collect();
    let n = xi.len();
    let w =
        Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.3 / (1.0 + i.abs_diff(j) as f64) });
    let bias = (0..n)
        .map(|i| xi[i] - w.row(i).iter().zip(&lam).map(|(w, l)| w * l).sum::<f64>())
        .collect();
    let laws = states.iter().map(|s| s.law.clone()).collect();
    (ContactProblem::new(w, bias, laws).unwrap(), lam)
}

fn certificate(states: &[State]) -> Certificate {
    let (problem, lam) = problem(states);
    problem.certificate(&lam).unwrap()
}

/// Contacts that obey their laws, with one more among them.
fn among(state: State) -> [State; 4] {
    let open =
        State { xi: vec![0.5, 1.0, 0.0], lam: vec![0.0; 3], ..State::closed(&Law::disc(0.2)) };
    let slips = State::closed(&Law::coulomb(0.6)).with_friction(1.0).with_slip();
    let connection = State { lam: vec![0.4, -0.7], ..State::closed(&Law::bilateral(2)) };
    [open, slips, state, connection]
}

#[track_caller]
fn names(states: &[State], measure: &str, contact: u32) {
    let c = certificate(states);
    for (name, m) in c.measures() {
        if name == measure {
            assert!(m.value > 1e-4, "{measure} is not seen: {c:?}");
            assert_eq!(m.contact, Some(contact), "{measure}: {c:?}");
            assert_eq!(c.worst, m.value, "{c:?}");
        } else {
            assert!(m.value < 1e-9, "{name} beside {measure}: {c:?}");
        }
    }
}

const SMALL: f64 = 1e-3;

#[test]
fn right_answers_of_every_law_are_certified() {
    for law in laws(1.0) {
        let closed = State::closed(&law);
        for state in [
            closed.clone(),
            closed.clone().with_friction(0.6),
            closed.with_friction(1.0).with_slip(),
        ] {
            let worst = certificate(&among(state)).worst;
            assert!(worst < 1e-9, "{law:?}: {worst}");
        }
    }
}

#[test]
fn a_contact_that_approaches_is_named_by_penetration() {
    for law in laws(1.0) {
        let mut state = State::closed(&law);
        (state.xi[0], state.lam[0]) = (-SMALL, 0.0);
        names(&among(state), "penetration", 2);
    }
}

#[test]
fn a_contact_that_pulls_is_named_by_tension() {
    for law in laws(1.0) {
        let mut state = State::closed(&law);
        state.lam[0] = -SMALL;
        names(&among(state), "tension", 2);
    }
}

#[test]
fn a_contact_that_pushes_while_it_separates_is_named_by_complementarity() {
    for law in laws(1.0) {
        let mut state = State::closed(&law);
        state.xi[0] = SMALL;
        names(&among(state), "complementarity", 2);
    }
}

#[test]
fn friction_beyond_its_limit_is_named_by_the_cone() {
    for law in laws(1.0).into_iter().filter(|l| l.tangents() > 0) {
        names(&among(State::closed(&law).with_friction(1.0 + 10.0 * SMALL)), "cone", 2);
        let constant = Law { mu: 0.0, radius: 0.3, ..law };
        names(&among(State::closed(&constant).with_friction(1.0 + 10.0 * SMALL)), "cone", 2);
    }
}

#[test]
fn friction_that_takes_too_little_power_is_named_by_dissipation() {
    for law in laws(1.0).into_iter().filter(|l| l.tangents() > 0) {
        names(
            &among(State::closed(&law).with_friction(1.0 - 10.0 * SMALL).with_slip()),
            "dissipation",
            2,
        );
        // As large as it may be, but not against the slip.
        let mut aside = State::closed(&law).with_friction(1.0).with_slip();
        aside.xi.iter_mut().skip(1).for_each(|x| *x = -*x);
        names(&among(aside), "dissipation", 2);
    }
}

#[test]
fn a_connection_that_moves_is_named_by_bilateral() {
    let mut states = among(State::closed(&Law::disc(0.5)));
    states[3].xi[1] = SMALL;
    names(&states, "bilateral", 3);
}

#[test]
fn a_contact_given_as_sliding_has_one_friction() {
    for law in laws(1.0).into_iter().filter(|l| l.tangents() > 0) {
        let law = law.sliding_with(SLIP);
        // Its acceleration is free.
        let right = State::closed(&law).with_friction(1.0);
        let moved = State {
            xi: right.clone().with_slip().xi.iter().map(|x| -x).collect(),
            ..right.clone()
        };
        assert!(certificate(&among(right)).worst < 1e-9, "{law:?}");
        assert!(certificate(&among(moved)).worst < 1e-9, "{law:?}");
        for share in [1.0 + 10.0 * SMALL, 1.0 - 10.0 * SMALL, -1.0] {
            names(&among(State::closed(&law).with_friction(share)), "cone", 2);
        }
    }
}

#[test]
fn the_worst_of_several_contacts_is_named() {
    let bad = |by: f64| {
        let mut state = State::closed(&Law::disc(0.5));
        state.xi[0] = by;
        state
    };
    let c = certificate(&[bad(SMALL), bad(3.0 * SMALL), bad(2.0 * SMALL)]);
    assert_eq!(c.complementarity.contact, Some(1));
}

#[test]
fn units_of_mass_length_and_time_do_not_matter() {
    let (mass, length, time) = (1e3, 1e-2, 60.0);
    for (law, other) in laws(1.0).into_iter().zip(laws(length)) {
        for (xi_n, lam_n, share) in [(-SMALL, 0.5, 1.2), (SMALL, 1.0, 0.9), (0.0, -SMALL, 0.0)] {
            let mut state = State::closed(&law).with_friction(share).with_slip();
            (state.xi[0], state.lam[0]) = (xi_n, lam_n);
            let mut states = among(state);
            states[3].xi[0] = SMALL;
            let (here, lam) = problem(&states);
            // Velocities and impulses of each row in the other units; spin has no length, its torque one more.
            let spins: Vec<bool> =
                states.iter().flat_map(|s| (0..s.xi.len()).map(|i| i == 3)).collect();
            let v = |i: usize| if spins[i] { 1.0 / time } else { length / time };
            let p = |i: usize| mass * length * length / time / if spins[i] { 1.0 } else { length };
            let n = spins.len();
            let w = here.delassus().to_dense();
            let w = Matrix::from_fn(n, n, |i, j| w.row(i)[j] * v(i) / p(j));
            let bias = here.bias().iter().enumerate().map(|(i, b)| b * v(i)).collect();
            let mut laws: Vec<Law> = states.iter().map(|s| s.law.clone()).collect();
            laws[2] = other.clone();
            let there = ContactProblem::new(w, bias, laws).unwrap();
            let moved: Vec<f64> = lam.iter().enumerate().map(|(i, l)| l * p(i)).collect();
            let (a, b) = (here.certificate(&lam).unwrap(), there.certificate(&moved).unwrap());
            for ((name, a), (_, b)) in a.measures().into_iter().zip(b.measures()) {
                assert!((a.value - b.value).abs() < 1e-9, "{name} of {law:?}: {a:?} {b:?}");
                assert!(a.contact == b.contact || a.value < 1e-12, "{name}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn solver_and_model_errors_are_told_apart_and_the_model_improves_with_directions() {
    let sets = [ConvexSet::Disc, ConvexSet::Ellipsoid(vec![1.0, 0.5])];
    for formulation in [Formulation::StewartTrinkle, Formulation::PhantomInertia] {
        for set in &sets {
            let mut last = f64::INFINITY;
            for directions in [4, 8, 16, 32, 64] {
                let settings = Settings { formulation, directions, ..Settings::default() };
                let mut solver = ContactSolver::new(settings).unwrap();
                let mut worst = 0.0_f64;
                for i in 0..24 {
                    let heading = 0.01 + f64::from(i) * std::f64::consts::TAU / 24.0;
                    let law = Law::with_set(0.5, set.clone());
                    let bias = vec![-1.0, 2.0 * heading.cos(), 2.0 * heading.sin()];
                    let problem =
                        ContactProblem::new(Matrix::identity(3), bias, vec![law]).unwrap();
                    let answer = solver.solve(&problem);
                    assert!(answer.is_solved() && answer.certificate.worst <= 1e-10);
                    let model = answer.model.expect("a polygon is a model");
                    worst = worst.max(model.worst);
                }
                assert!(worst < 0.8 * last, "{formulation} {directions}: {worst} after {last}");
                last = worst;
            }
            // Directions are π/64 apart, and a wrong direction counts in first order.
            assert!(last < 0.01, "{formulation}: {last}");
        }
    }
}

#[test]
fn a_row_that_nothing_acts_on_is_measured_beside_the_energies_of_its_connection() {
    // The second row is a turn, in units a thousand times as small.
    let w = Matrix::from_rows(&[[1.0, 0.0], [0.0, 1e6]]).unwrap();
    let p = ContactProblem::new(w, vec![-1.0, 0.0], vec![Law::bilateral(2)]).unwrap();
    let off = |error: f64| p.certificate(&[1.0, 1e-3 * error]).unwrap().bilateral.value;
    // Rounding passes, and what is more than rounding does not.
    assert!(off(1e-16) < 1e-15 && off(1e-9) > 1e-10 && off(1e-3) > 1e-4);
}

#[test]
fn a_stop_at_rest_that_a_motor_presses_is_measured_beside_the_drive() {
    // Both act on the same turn: the drive wants 2 rad/s and has 0.05 N m s, the stop is as good as still.
    let w = Matrix::from_rows(&[[40.0, -40.0], [-40.0, 40.0]]).unwrap();
    let laws = vec![Law::frictionless(), Law::dry(0.05, ConvexSet::Interval)];
    let p = ContactProblem::new(w, vec![-3e-11, -2.0], laws).unwrap();
    let held = 0.05 + 3e-11 / 40.0;
    let worst = |error: f64| p.certificate(&[held * (1.0 + error), 0.05]).unwrap().worst;
    assert!(worst(0.0) < 1e-10, "{}", worst(0.0));
    // What is more than rounding is seen, to either side.
    for error in [1e-9, 1e-6, 1e-3] {
        assert!(worst(error) > 0.1 * error && worst(-error) > 0.1 * error, "{error}");
    }
    let mut solver =
        ContactSolver::new(Settings { tolerance: 1e-9, ..Settings::default() }).unwrap();
    assert!(solver.solve(&p).is_solved(), "{:?}", solver.solution());
}
