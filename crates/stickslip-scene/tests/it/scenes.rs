//! Scenes that are in order: the gallery, overrides, and the woodpecker beside its model in Rust.

use complementarity::Matrix;
use proptest::prelude::*;
use stickslip::models::Woodpecker;
use stickslip::system::{Directions, System};
use stickslip_scene::{Crossing, Scene, gallery};

#[test]
fn every_scene_of_the_gallery_is_in_order() {
    assert_eq!(gallery()[0].name, "woodpecker");
    for entry in gallery() {
        let scene = Scene::from_gallery(entry.name).unwrap_or_else(|error| panic!("{error}"));
        assert!(!scene.title.is_empty() && !scene.description.is_empty(), "{}", entry.name);
        let run = &scene.run;
        assert!(
            run.t_end.is_some() && run.dt.is_some() && run.integrator.is_some(),
            "{}",
            entry.name
        );
        scene.check().unwrap();
    }
}

#[test]
fn every_file_of_the_gallery_is_embedded() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let names: Vec<String> =
        files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    for name in &names {
        assert!(gallery().iter().any(|entry| entry.name == name), "{name} is not in the gallery");
    }
    assert_eq!(names.len(), gallery().len());
}

/// All numbers of a system of three coordinates and three contacts at a state: first those without
/// cancellation, then h, the gaps and the energies.
fn numbers(system: &dyn System, q: &[f64], u: &[f64]) -> [Vec<f64>; 2] {
    let (mut m, mut dq, mut du) = (Matrix::zeros(3, 3), Matrix::zeros(3, 3), Matrix::zeros(3, 3));
    let (mut h, mut gaps) = ([0.0; 3], [0.0; 3]);
    system.mass(q, 0.0, &mut m);
    system.forces(q, u, 0.0, &mut h);
    system.gaps(q, 0.0, &mut gaps);
    system.force_jacobians(q, u, 0.0, &mut dq, &mut du);
    let mut plain = [m.as_slice(), dq.as_slice(), du.as_slice()].concat();
    for i in 0..3 {
        let (mut n, mut s) = ([1.0; 3], [1.0; 3]);
        let mut out =
            Directions { normal: &mut n, tangent: &mut s, normal_drive: 1.0, tangent_drive: 1.0 };
        system.directions(i, q, 0.0, &mut out);
        plain.extend([out.normal_drive, out.tangent_drive]);
        plain.extend(n.into_iter().chain(s).chain(system.convective(i, q, u, 0.0)));
    }
    let energy = system.energy(q, u, 0.0);
    [plain, [h.as_slice(), &gaps, &[energy.kinetic, energy.potential]].concat()]
}

proptest! {
    #[test]
    fn woodpecker_of_the_gallery_is_the_model_to_rounding(
        q in prop::array::uniform3(-0.5..0.5_f64), u in prop::array::uniform3(-20.0..20.0_f64)
    ) {
        let scene = Scene::from_gallery("woodpecker").unwrap();
        let (ours, model) = (scene.system().unwrap(), Woodpecker::default().system());
        prop_assert_eq!(ours.info(), model.info());
        prop_assert_eq!(scene.start(), Woodpecker::start());
        let (found, expected) = (numbers(&ours, &q, &u), numbers(&model, &q, &u));
        // Terms of about 0.01 cancel in the second part.
        for (part, scale) in [0.0, 0.01].into_iter().enumerate() {
            for (a, b) in found[part].iter().zip(&expected[part]) {
                let allowed = 4.0 * f64::EPSILON * b.abs().max(scale);
                prop_assert!((a - b).abs() <= allowed, "{} is not {}", a, b);
            }
        }
    }
}

#[test]
fn woodpecker_has_the_names_of_the_table() {
    let scene = Scene::from_gallery("woodpecker").unwrap();
    let names: Vec<&str> = scene.parameters.iter().map(|(name, _)| name.as_str()).collect();
    let table = "r_O r_M h_M l_M l_G h_S l_S m_M m_S J_M J_S c_phi g eps_N1 eps_N2 eps_N3 eps_T mu";
    assert_eq!(names.join(" "), table);
    let cycle = scene.cycle.as_ref().unwrap();
    assert_eq!((cycle.direction, cycle.cyclic.as_slice()), (Crossing::Falling, [0].as_slice()));
    let section = scene.section().unwrap();
    assert_eq!(section.value(&[0.0, 0.1, 0.2], &[0.0; 3], 0.0), 0.2);
}

#[test]
fn overrides_reach_what_is_computed_from_them() {
    let scene = Scene::from_gallery("rocking_block").unwrap();
    let tall = scene.with_overrides(&[("h", 0.6), ("mu", 1.0)]).unwrap();
    let value = |name: &str| tall.parameters.iter().find(|(n, _)| n == name).unwrap().1;
    assert_eq!(value("J"), 1.0 * (0.1 * 0.1 + 0.6 * 0.6) / 3.0);
    assert_eq!(tall.info().contacts[0].law.mu, 1.0);
    let start = 0.6 * (-0.15_f64).cos() - 0.1 * (-0.15_f64).sin();
    assert!((tall.start().q[1] - start).abs() < 1e-15);
    assert_eq!(scene.info().contacts[0].law.mu, 2.0);
}

#[test]
fn an_override_that_does_not_fit_says_why() {
    let scene = Scene::from_gallery("woodpecker").unwrap();
    let message = |values: &[(&str, f64)]| scene.with_overrides(values).unwrap_err().to_string();
    let unknown = "woodpecker: there is no parameter `m_m`\n  = did you mean `m_M`?";
    assert_eq!(message(&[("m_m", 1.0)]), unknown);
    let listed = message(&[("friction", 1.0)]);
    assert!(listed.contains("there are `r_O`, `r_M`,"), "{listed}");
    let range = message(&[("mu", -1.0)]);
    assert!(range.contains("mu = `mu` is -1; it must be at least 0 (with mu = -1)"), "{range}");
    assert!(message(&[("g", f64::NAN)]).contains("NaN is not a finite number"));
    assert!(message(&[("J_S", -1.0)]).contains("the mass of `phi_S` is"));
}

#[test]
fn an_unknown_name_of_the_gallery_is_answered_with_the_nearest() {
    let error = Scene::from_gallery("woodpeker").unwrap_err();
    assert_eq!(error.cure.as_deref(), Some("did you mean `woodpecker`?"));
}

/// Micrometres inside are tolerated where the gap is made of millimetres, a nanometre always.
#[test]
fn a_start_slightly_inside_is_tolerated_relative_to_the_lengths_of_the_gap() {
    let ball = |start: f64, gap: &str| {
        let text = format!(
            "coordinates.y = {{ velocity = \"v\", start = {start:?} }}\nenergy.kinetic = \"v^2\"\n\
             contact = [{{ name = \"floor\", gap = \"{gap}\" }}]"
        );
        Scene::from_str(&text, "ball")
    };
    assert!(ball(0.9999, "y - 1").is_ok());
    assert!(ball(0.95, "y - 1").is_err());
    assert!(ball(-1e-10, "y").is_ok());
    assert!(ball(-1e-6, "y").is_err());
}

/// Contacts that begin closed are closed to rounding.
#[test]
fn scenes_start_where_their_comments_say() {
    let gaps = |name: &str| {
        let scene = Scene::from_gallery(name).unwrap();
        let mut gaps = vec![0.0; scene.info().contacts.len()];
        scene.system().unwrap().gaps(&scene.start().q, 0.0, &mut gaps);
        gaps
    };
    let rocking = gaps("rocking_block");
    assert!(rocking[0] > 0.02 && rocking[1].abs() < 1e-15, "{rocking:?}");
    let balls = gaps("three_balls");
    assert!((balls[0] - 0.1).abs() < 1e-15 && balls[1] == 0.0, "{balls:?}");
    for name in [
        "sliding_block",
        "incline_block",
        "spring_block",
        "belt_block",
        "table_block",
        "rolling_disc",
        "painleve_rod",
    ] {
        assert_eq!(gaps(name), [0.0], "{name}");
    }
}

/// The factor of the normal force that the file states, at its least friction 4/3 and beside it.
#[test]
fn rod_has_no_normal_acceleration_of_its_own_at_four_thirds() {
    let rod = Scene::from_gallery("painleve_rod").unwrap();
    let (system, l) = (rod.system().unwrap(), 0.5_f64);
    let inertia = [1.0, 1.0, l * l / 3.0];
    let factor = |theta: f64, mu: f64| {
        let (mut n, mut s) = ([0.0; 3], [0.0; 3]);
        let mut out =
            Directions { normal: &mut n, tangent: &mut s, normal_drive: 0.0, tangent_drive: 0.0 };
        system.directions(0, &[0.0, 0.0, theta], 0.0, &mut out);
        // The tip slides to the left, so that friction is +μ times the normal force.
        (0..3).map(|i| n[i] * (n[i] + mu * s[i]) / inertia[i]).sum::<f64>()
    };
    assert!(factor(2.0_f64.atan(), 4.0 / 3.0).abs() < 1e-14);
    for theta in [0.6, 1.0, 2.0_f64.atan(), 1.3] {
        let (sine, cosine) = f64::sin_cos(theta);
        for mu in [1.2, 1.5] {
            let expected = 1.0 + 3.0 * cosine * cosine - 3.0 * mu * sine * cosine;
            assert!((factor(theta, mu) - expected).abs() < 1e-14);
        }
        assert!(factor(theta, 1.3) > 0.0);
    }
}

#[test]
fn numbers_can_be_written_in_every_way_of_toml() {
    let text = "parameters = { a = 1_000.5, b = 0x10, c = 1e3, d = -7, e = \"a*b\" }\n\
                coordinates.x = { velocity = \"v\" }\nenergy.kinetic = \"v^2\"\n";
    let scene = Scene::from_str(text, "numbers").unwrap();
    let values: Vec<f64> = scene.parameters.iter().map(|(_, value)| *value).collect();
    assert_eq!(values, [1000.5, 16.0, 1000.0, -7.0, 16008.0]);
}

#[test]
fn coordinates_keep_the_order_of_the_file() {
    let text = "[coordinates]\nz = { velocity = \"u\" }\na = { velocity = \"w\" }\n\
                [energy]\nkinetic = \"u^2 + 2*w^2\"\n";
    let scene = Scene::from_str(text, "order").unwrap();
    assert_eq!(scene.info().coordinates, ["z", "a"]);
    assert_eq!(scene.title, "order");
}

proptest! {
    #[test]
    fn a_scene_with_any_line_changed_is_read_or_refused(
        which in 0..13_usize, line in 0..80_usize, text in "[ -~]{0,30}"
    ) {
        let scene = gallery()[which % gallery().len()].text;
        let mut lines: Vec<&str> = scene.lines().collect();
        let at = line % lines.len();
        lines[at] = &text;
        if let Err(error) = Scene::from_str(&lines.join("\n"), "scene") {
            prop_assert!(error.to_string().starts_with("scene"));
        }
    }
}
