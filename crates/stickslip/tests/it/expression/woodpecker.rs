//! The woodpecker from expressions is the woodpecker in Rust.

use super::definition;
use complementarity::Matrix;
use proptest::prelude::*;
use stickslip::expression::{Contact, Definition, ExpressionSystem};
use stickslip::models::Woodpecker;
use stickslip::system::{Directions, System};

pub(crate) fn woodpecker() -> Definition {
    let contact = |name: &str, gap: &str, slip: &str, eps_n: &str| Contact {
        name: name.into(),
        gap: gap.into(),
        slip: Some(slip.into()),
        mu: Some("mu".into()),
        eps_n: Some(eps_n.into()),
        eps_t: Some("eps_T".into()),
        rho: None,
        radius: None,
        mu_static: None,
    };
    let parameters = [
        ("r_O", 0.0025),
        ("r_M", 0.0031),
        ("h_M", 0.0058),
        ("l_M", 0.010),
        ("l_G", 0.015),
        ("h_S", 0.02),
        ("l_S", 0.0201),
        ("m_M", 0.0003),
        ("m_S", 0.0045),
        ("J_M", 5.0e-9),
        ("J_S", 7.0e-7),
        ("c_phi", 0.0056),
        ("g", 9.81),
        ("eps_N1", 0.5),
        ("eps_N2", 0.0),
        ("eps_N3", 0.0),
        ("eps_T", 0.0),
        ("mu", 0.3),
    ];
    let coordinates = [("y", "v"), ("phi_M", "omega_M"), ("phi_S", "omega_S")];
    Definition {
        kinetic: "m_M/2*v^2 + J_M/2*omega_M^2 + J_S/2*omega_S^2 \
                  + m_S/2*(v + l_M*omega_M + l_G*omega_S)^2"
            .into(),
        potential: Some(
            "m_M*g*y + m_S*g*(y + l_M*phi_M + l_G*phi_S) + c_phi/2*(phi_M - phi_S)^2".into(),
        ),
        contacts: vec![
            contact(
                "beak",
                "(l_M + l_G - l_S - r_O) - h_S*phi_S",
                "v + l_M*omega_M + (l_G - l_S)*omega_S",
                "eps_N1",
            ),
            contact("lower", "(r_M - r_O) + h_M*phi_M", "v + r_M*omega_M", "eps_N2"),
            contact("upper", "(r_M - r_O) - h_M*phi_M", "v + r_M*omega_M", "eps_N3"),
        ],
        ..definition(&coordinates, &parameters)
    }
}

/// Equal but for rounding in the last places.
#[track_caller]
fn assert_same(found: &[f64], expected: &[f64], scale: f64) {
    for (a, b) in found.iter().zip(expected) {
        assert!(
            (a - b).abs() <= 4.0 * f64::EPSILON * b.abs().max(scale),
            "{found:?}, {expected:?}"
        );
    }
}

type Numbers = (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>, [f64; 2]);

/// M, h, gaps, all that belongs to contacts, both Jacobians, energies.
fn everything(system: &dyn System, q: &[f64], u: &[f64]) -> Numbers {
    let (mut m, mut h, mut gaps) = (Matrix::zeros(3, 3), vec![0.0; 3], vec![0.0; 3]);
    system.mass(q, 0.0, &mut m);
    system.forces(q, u, 0.0, &mut h);
    system.gaps(q, 0.0, &mut gaps);
    let mut contacts = vec![];
    for i in 0..3 {
        let (mut n, mut s) = ([1.0; 3], [1.0; 3]);
        let mut out =
            Directions { normal: &mut n, tangent: &mut s, normal_drive: 1.0, tangent_drive: 1.0 };
        system.directions(i, q, 0.0, &mut out);
        let drives = [out.normal_drive, out.tangent_drive];
        contacts
            .extend(n.into_iter().chain(s).chain(drives).chain(system.convective(i, q, u, 0.0)));
    }
    let (mut dq, mut du) = (Matrix::zeros(3, 3), Matrix::zeros(3, 3));
    system.force_jacobians(q, u, 0.0, &mut dq, &mut du);
    let jacobians = [dq.as_slice(), du.as_slice()].concat();
    let energy = system.energy(q, u, 0.0);
    (m.as_slice().to_vec(), h, gaps, contacts, jacobians, [energy.kinetic, energy.potential])
}

proptest! {
    #[test]
    fn woodpecker_from_expressions_is_the_model_to_rounding(
        q in prop::array::uniform3(-0.5..0.5_f64), u in prop::array::uniform3(-20.0..20.0_f64)
    ) {
        let ours = ExpressionSystem::new(&woodpecker()).unwrap();
        let model = Woodpecker::default().system();
        prop_assert_eq!(ours.info(), model.info());
        let (found, expected) = (everything(&ours, &q, &u), everything(&model, &q, &u));
        assert_same(&found.0, &expected.0, 0.0);
        assert_same(&found.1, &expected.1, 0.0056);
        assert_same(&found.2, &expected.2, 0.01);
        assert_same(&found.3, &expected.3, 0.0);
        assert_same(&found.4, &expected.4, 0.0);
        assert_same(&found.5, &expected.5, 1e-3);
    }
}

#[test]
fn a_step_of_the_woodpecker_takes_a_handful_of_operations() {
    let operations = ExpressionSystem::new(&woodpecker()).unwrap().operations();
    assert!(
        operations[0] == 0 && operations[1] <= 6 && operations[2] <= 5 && operations[3] == 0,
        "{operations:?}"
    );
}
