//! Impacts in no time: closed forms, and what energy does.

use complementarity::{Matrix, Status};
use proptest::prelude::*;
use stickslip::Error;
use stickslip::contact::solve::{ContactSolver, Formulation};
use stickslip::contact::{ContactProblem, Law, Mode};
use stickslip::dynamics::Assembly;
use stickslip::impact::{Impact, ImpactLaw};
use stickslip::models::{Linear, LinearContact};
use stickslip::system::System;

/// The velocity after an impact at all contacts of a system, and the impact.
fn collide(system: &mut Linear, law: ImpactLaw, u: &[f64]) -> (Vec<f64>, Impact) {
    let q = vec![0.0; u.len()];
    let mut assembly = Assembly::new(system.info());
    assembly.factorize(system, &q, 0.0).unwrap();
    let all: Vec<usize> = (0..system.info().contacts.len()).collect();
    assembly.collect(system, &all, &q, 0.0);
    let mut impact = Impact::default();
    let mut after = u.to_vec();
    let mut solver = ContactSolver::default();
    let mut before = Vec::new();
    assembly.relative_velocity(u, &mut before);
    let laws = system.info().contacts.iter().map(|c| c.law.clone());
    let pose = |bias: &[f64], laws: &[Law], problem: &mut ContactProblem| {
        assembly.pose(bias, laws, problem);
        Ok(())
    };
    if impact.resolve(law, &before, laws, &mut solver, pose).unwrap() {
        assembly.apply(&impact.impulse, &mut after);
    }
    (after, impact)
}

fn kinetic(system: &mut Linear, u: &[f64]) -> f64 {
    system.energy(&vec![0.0; u.len()], u, 0.0).kinetic
}

/// A contact problem as a system: M = 1 and directions such that H Hᵀ = W.
fn with_delassus(w: [[f64; 2]; 2], law: Law) -> Linear {
    let a = w[0][0].sqrt();
    let b = w[0][1] / a;
    let c = (w[1][1] - b * b).sqrt();
    let contact = LinearContact::new(vec![a, 0.0], vec![b, c], law);
    Linear::diagonal(&[1.0, 1.0], &[0.0, 0.0], vec![contact]).unwrap()
}

/// Three equal balls in a row; the first hits the other two, which touch.
fn three_balls(e: f64) -> Linear {
    let law = Law::coulomb(0.0).with_restitution(e, 0.0);
    let touch = |normal: [f64; 3]| LinearContact::new(normal.to_vec(), vec![0.0; 3], law.clone());
    let contacts = vec![touch([-1.0, 1.0, 0.0]), touch([0.0, -1.0, 1.0])];
    Linear::diagonal(&[1.0; 3], &[0.0; 3], contacts).unwrap()
}

#[test]
fn three_balls_under_newtons_law() {
    for e in [0.0, 0.5, 1.0] {
        let (u, impact) = collide(&mut three_balls(e), ImpactLaw::Newton, &[1.0, 0.0, 0.0]);
        let wanted = [(1.0 - 2.0 * e) / 3.0, (1.0 + e) / 3.0, (1.0 + e) / 3.0];
        assert!(u.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-14), "{u:?}");
        assert!(impact.certificate.worst < 1e-14);
    }
}

#[test]
fn newtons_law_can_create_energy_and_it_is_reported() {
    // A uniform rod of unit mass and half length at tan θ = 2; γ⁻ = (−1, 0.75), ε = 1, μ = 0.5.
    let w = [[1.6, -1.2], [-1.2, 3.4]];
    let law = Law::coulomb(0.5).with_restitution(1.0, 0.0);
    let mut system = with_delassus(w, law);
    let u = velocity_for(&mut system, [-1.0, 0.75]);
    let before = kinetic(&mut system, &u);
    let (after, impact) = collide(&mut system, ImpactLaw::Newton, &u);
    let gained = kinetic(&mut system, &after) - before;
    assert!((impact.energy_change() - gained).abs() < 1e-14);
    assert!((before - 0.3125).abs() < 1e-14 && (before + gained - 0.425).abs() < 1e-14);

    let (after, impact) = collide(&mut system, ImpactLaw::Poisson, &u);
    assert!(impact.energy_change() <= 1e-14, "{}", impact.energy_change());
    assert!(impact.after[0] >= -1e-14 && after.len() == 2);
}

/// u with the given relative velocity at the only contact.
fn velocity_for(system: &mut Linear, gamma: [f64; 2]) -> Vec<f64> {
    let mut assembly = Assembly::new(system.info());
    assembly.factorize(system, &[0.0, 0.0], 0.0).unwrap();
    assembly.collect(system, &[0], &[0.0, 0.0], 0.0);
    let (n, t) = (assembly.direction(0), assembly.direction(1));
    let u0 = gamma[0] / n[0];
    vec![u0, (gamma[1] - t[0] * u0) / t[1]]
}

#[test]
fn poisson_returns_the_share_of_the_impulse() {
    // One frictionless contact: both laws agree, γ⁺ = −ε γ⁻.
    let law = Law::coulomb(0.0).with_restitution(0.6, 0.0);
    for impact_law in ImpactLaw::ALL {
        let mut system = with_delassus([[2.0, 0.0], [0.0, 1.0]], law.clone());
        let u = velocity_for(&mut system, [-1.0, 0.3]);
        let (_, impact) = collide(&mut system, impact_law, &u);
        assert!((impact.after[0] - 0.6).abs() < 1e-15 && (impact.after[1] - 0.3).abs() < 1e-15);
        assert!((impact.impulse[0] - 1.6 / 2.0).abs() < 1e-15);
    }
}

#[test]
fn poisson_passes_the_blow_along_a_row_of_balls() {
    // Compression brings all to 1/3; the impulses are 2/3 and 1/3, and come back once more.
    let (u, _) = collide(&mut three_balls(1.0), ImpactLaw::Poisson, &[1.0, 0.0, 0.0]);
    let wanted = [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
    assert!(u.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-14), "{u:?}");
}

#[test]
fn a_superball_comes_back_with_its_slip_reversed() {
    let law = Law::coulomb(1.0).with_restitution(1.0, 1.0);
    let mut system = with_delassus([[1.0, 0.0], [0.0, 1.0]], law);
    let u = velocity_for(&mut system, [-1.0, 0.5]);
    let (_, impact) = collide(&mut system, ImpactLaw::Newton, &u);
    assert!((impact.after[0] - 1.0).abs() < 1e-15 && (impact.after[1] + 0.5).abs() < 1e-15);
    assert!(impact.energy_change().abs() < 1e-15);
    assert_eq!(impact.modes, [Mode::Stick]);
    let refused = ImpactLaw::Poisson.takes(Formulation::default(), &system.info().contacts[0].law);
    assert!(matches!(refused, Err(Error::Combination { .. })));
}

#[test]
fn constant_friction_has_no_impulse_in_no_time() {
    let mut system = with_delassus([[1.0, 0.0], [0.0, 1.0]], Law::constant(5.0));
    let u = velocity_for(&mut system, [-1.0, 0.5]);
    let (_, impact) = collide(&mut system, ImpactLaw::Newton, &u);
    assert!(impact.after[0].abs() < 1e-15 && (impact.after[1] - 0.5).abs() < 1e-15);
}

fn system(contacts: usize) -> impl Strategy<Value = (Linear, Vec<f64>)> {
    let f = 2 * contacts + 2;
    let vector = |n| prop::collection::vec(-1.0..1.0_f64, n);
    let contact = (vector(f), vector(f), 0.0..1.0_f64);
    (prop::collection::vec(contact, contacts), 0.0..1.0_f64, vector(f)).prop_map(
        move |(contacts, eps, u)| {
            let make = |(n, t, mu): (Vec<f64>, Vec<f64>, f64)| {
                LinearContact::new(n, t, Law::coulomb(mu).with_restitution(eps, eps))
            };
            let contacts = contacts.into_iter().map(make).collect();
            (Linear::new(Matrix::identity(f), vec![0.0; f], contacts).unwrap(), u)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn moreaus_law_with_one_coefficient_never_creates_energy((mut s, u) in system(2)) {
        // ε_N = ε_T = ε at all contacts: the energy that is lost is ½ (1 − ε)/(1 + ε) ΛᵀWΛ − Λᵀξ/(1 + ε) ≥ 0.
        let (after, impact) = collide(&mut s, ImpactLaw::Newton, &u);
        if impact.status == Status::Solved {
            let change = kinetic(&mut s, &after) - kinetic(&mut s, &u);
            prop_assert!(change <= 1e-12, "{}", change);
            prop_assert!((change - impact.energy_change()).abs() < 1e-12);
        }
    }
}
