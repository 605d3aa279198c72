//! The scene language: repetition, sums, functions, tables, includes, outputs, conditions that end a run, units.

use complementarity::Matrix;
use std::path::PathBuf;
use stickslip::model::Generalised;
use stickslip::run::{End, run_until};
use stickslip::step::Integrator;
use stickslip::system::System;
use stickslip_scene::Scene;
use stickslip_scene::recording::{Facts, Format, Recorder, Summary, Timing, Units};

fn scene(text: &str) -> Scene {
    Scene::from_str(text, "scene").unwrap_or_else(|error| panic!("{error}"))
}

fn scratch(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    for (file, text) in files {
        std::fs::write(dir.join(file), text).unwrap();
    }
    dir
}

/// M, h, gaps of a scene at a state, and the names of its contacts.
fn numbers(scene: &Scene, q: &[f64], u: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>, Vec<String>) {
    let (system, dof) = (scene.system().unwrap(), q.len());
    let info = scene.info();
    let (mut m, mut h) = (Matrix::zeros(dof, dof), vec![0.0; dof]);
    let mut gaps = vec![0.0; info.contacts.len()];
    system.mass(q, 0.3, &mut m);
    system.forces(q, u, 0.3, &mut h);
    system.gaps(q, 0.3, &mut gaps);
    let names = info.contacts.iter().map(|c| c.name.clone()).collect();
    (m.as_slice().to_vec(), h, gaps, names)
}

const CHAIN: &str = r#"
[parameters]
n = 4
k = 100.0
"m{i}" = { repeat = { i = "1:n" }, value = "1 + i/10" }

[coordinates]
"x{i}" = { repeat = { i = "1:n" }, velocity = "v{i}", start = "i*0.1" }

[definitions]
"d{i}" = { repeat = { i = "1:n-1" }, value = "x{i+1} - x{i}" }

[energy]
kinetic = "sum(i, 1, n, m{i}*v{i}^2)/2"
potential = "k/2*sum(i, 1, n-1, d{i}^2)"

[forces]
"x{i}" = { repeat = { i = "2:n" }, value = "-i*v{i}" }

[[contact]]
repeat = { i = "1:n-1" }
name = "stop{i}"
gap = "x{i+1} - x{i} + 0.01*i"
"#;

#[test]
fn repeated_tables_are_the_tables_written_out() {
    let chain = scene(CHAIN);
    let written = scene(
        r#"
        [parameters]
        k = 100.0
        [coordinates]
        x1 = { velocity = "v1", start = 0.1 }
        x2 = { velocity = "v2", start = 0.2 }
        x3 = { velocity = "v3", start = "3*0.1" }
        x4 = { velocity = "v4", start = 0.4 }
        [energy]
        kinetic = "((1 + 1/10)*v1^2 + (1 + 2/10)*v2^2 + (1 + 3/10)*v3^2 + (1 + 4/10)*v4^2)/2"
        potential = "k/2*((x2 - x1)^2 + (x3 - x2)^2 + (x4 - x3)^2)"
        [forces]
        x2 = "-2*v2"
        x3 = "-3*v3"
        x4 = "-4*v4"
        [[contact]]
        name = "stop1"
        gap = "x2 - x1 + 0.01"
        [[contact]]
        name = "stop2"
        gap = "x3 - x2 + 0.01*2"
        [[contact]]
        name = "stop3"
        gap = "x4 - x3 + 0.01*3"
        "#,
    );
    let (q, u) = ([0.1, -0.3, 0.7, 0.2], [1.0, 2.0, -0.5, 0.25]);
    assert_eq!(numbers(&chain, &q, &u), numbers(&written, &q, &u));
    assert_eq!(chain.start(), written.start());
    assert_eq!(chain.info().coordinates, written.info().coordinates);
    assert_eq!(chain.info().velocities, written.info().velocities);
}

#[test]
fn a_repetition_follows_its_parameter() {
    let chain = scene(CHAIN);
    for n in [1, 2, 7] {
        let other = chain.with_overrides(&[("n", f64::from(n))]).unwrap();
        assert_eq!(other.info().coordinates.len(), n as usize);
        assert_eq!(other.info().contacts.len(), n as usize - 1);
        other.check().unwrap();
    }
    let message = chain.with_overrides(&[("n", 2.5)]).unwrap_err().to_string();
    assert!(message.contains("whole number") && message.contains("2.5"), "{message}");
    let heavy =
        chain.with_overrides(&[("m2", 9.0)]).unwrap().with_overrides(&[("n", 5.0)]).unwrap();
    assert_eq!(heavy.parameters.iter().find(|(name, _)| name == "m2").unwrap().1, 9.0);
    assert_eq!(heavy.info().coordinates.len(), 5);
}

/// A chain of 1,000 masses is a few lines; they are what a person would write out.
#[test]
fn a_thousand_coordinates_are_read() {
    let chain = scene(CHAIN).with_overrides(&[("n", 1000.0)]).unwrap();
    assert_eq!(chain.info().contacts.len(), 999);
    assert!(chain.info().constant_mass);
}

#[test]
fn grids_have_an_entry_for_every_pair_and_ranges_may_use_outer_indices() {
    let grid = scene(
        r#"
        coordinates.x = { velocity = "v", start = 10.0 }
        energy.kinetic = "v^2/2"
        [[contact]]
        repeat = { i = "0:2", j = "i:2" }
        name = "c{i}_{j}"
        gap = "x + i - 10*j*0 - 0.5*j"
        "#,
    );
    let (.., gaps, names) = numbers(&grid, &[10.0], &[0.0]);
    assert_eq!(names, ["c0_0", "c0_1", "c0_2", "c1_1", "c1_2", "c2_2"]);
    assert_eq!(gaps, [10.0, 9.5, 9.0, 10.5, 10.0, 11.0]);
}

/// The spokes of a wheel: gaps of a regular polygon.
#[test]
fn spokes_of_a_wheel_stand_at_equal_angles() {
    let wheel = scene(
        r#"
        parameters = { n = 6, r = 0.5 }
        coordinates.y = { velocity = "v", start = 1.0 }
        coordinates.phi = { velocity = "w" }
        energy.kinetic = "v^2/2 + w^2/8"
        energy.potential = "9.81*y"
        [[contact]]
        repeat = { i = "0:n-1" }
        name = "spoke {i+1}"
        gap = "y - r*cos(phi + i*2*pi/n)"
        "#,
    );
    let (.., gaps, names) = numbers(&wheel, &[1.0, 0.2], &[0.0, 0.0]);
    assert_eq!((names[0].as_str(), names[5].as_str()), ("spoke 1", "spoke 6"));
    for (i, gap) in gaps.iter().enumerate() {
        let angle = 0.2 + i as f64 * std::f64::consts::PI / 3.0;
        assert!((gap - (1.0 - 0.5 * angle.cos())).abs() < 1e-15);
    }
}

#[test]
fn functions_are_what_they_stand_for() {
    let with = scene(
        r#"
        parameters = { a = 0.1, F = 3.0 }
        coordinates.x = { velocity = "v", start = 1.0 }
        energy.kinetic = "v^2/2"
        energy.potential = "square(x)*square(2) + ramp(x)"
        [functions]
        "smooth(x, a)" = "x/sqrt(x^2 + a^2)"
        "square(z)" = "z*z"
        "ramp(z)" = "if(z > 0, half(square(z)), 0)"
        "half(z)" = "z/2"
        [definitions]
        friction = "-F*smooth(v, a)"
        [forces]
        x = "friction"
        "#,
    );
    let plain = scene(
        r#"
        parameters = { a = 0.1, F = 3.0 }
        coordinates.x = { velocity = "v", start = 1.0 }
        energy.kinetic = "v^2/2"
        energy.potential = "4*x^2 + if(x > 0, x^2/2, 0)"
        [forces]
        x = "-F*v/sqrt(v^2 + a^2)"
        "#,
    );
    for (x, v) in [(0.5, 1.0), (-0.5, 0.01), (2.0, -3.0)] {
        let (found, wanted) = (numbers(&with, &[x], &[v]).1[0], numbers(&plain, &[x], &[v]).1[0]);
        assert!((found - wanted).abs() < 1e-13, "{found} {wanted}");
    }
}

/// A straight table is a spring, and the potential of a table has its slope as force.
#[test]
fn tables_have_exact_derivatives() {
    let files = [("spring.csv", "# measured\nx, F, E\n-1, 2, 1\n0, 0, 0\n1, -2, 1\n2, -4, 4\n")];
    let dir = scratch("tables", &files);
    let text = |interpolation: &str| {
        format!(
            r#"
            coordinates.x = {{ velocity = "v", start = 0.5 }}
            coordinates.y = {{ velocity = "w", start = 0.5 }}
            energy.kinetic = "(v^2 + w^2)/2"
            energy.potential = "well(y)"
            forces.x = "spring(x)"
            [tables.spring]
            file = "spring.csv"
            x = "x"
            y = "F"
            interpolation = "{interpolation}"
            [tables.well]
            file = "spring.csv"
            x = "x"
            y = "E"
            interpolation = "{interpolation}"
            outside = "hold"
            "#
        )
    };
    let load = |text: &str| Scene::from_str_in(text, "scene", &dir).unwrap();
    for interpolation in ["linear", "cubic"] {
        let scene = load(&text(interpolation));
        // Points on a line make the same line of both.
        for x in [-0.9, 0.0, 0.3, 1.7] {
            let h = numbers(&scene, &[x, 0.25], &[0.0, 0.0]).1;
            assert!((h[0] + 2.0 * x).abs() < 1e-14, "{h:?}");
        }
        let (here, there) = (numbers(&scene, &[0.0, 5.0], &[0.0; 2]), 0.0);
        assert_eq!(here.1[1], there, "beyond its points the value is held");
    }
    let slope = numbers(&load(&text("linear")), &[0.0, 1.5], &[0.0; 2]).1[1];
    assert_eq!(slope, -3.0);
    let outside = load(&text("linear"));
    assert!(numbers(&outside, &[3.0, 0.0], &[0.0; 2]).1[0].is_nan());
}

#[test]
fn included_files_add_their_tables() {
    let files = [(
        "main.toml",
        "include = [\"parts/masses.toml\"]\ntitle = \"main\"\n[coordinates]\ny = { velocity = \"v\", start = 1.0 }\n[energy]\nkinetic = \"m/2*v^2\"\npotential = \"m*g*y\"\n[[contact]]\nname = \"roof\"\ngap = \"3 - y\"\n",
    )];
    let dir = scratch("include", &files);
    std::fs::create_dir_all(dir.join("parts")).unwrap();
    std::fs::write(
        dir.join("parts/masses.toml"),
        "include = [\"gravity.toml\"]\n[parameters]\nm = 2.0\n",
    )
    .unwrap();
    let gravity = "[parameters]\ng = 9.81\n[[contact]]\nname = \"floor\"\ngap = \"y\"\n";
    std::fs::write(dir.join("parts/gravity.toml"), gravity).unwrap();
    let scene = Scene::load(dir.join("main.toml")).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&str> = scene.parameters.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["g", "m"]);
    assert_eq!(numbers(&scene, &[1.0], &[0.0]).3, ["floor", "roof"]);
    assert_eq!(scene.with_overrides(&[("g", 1.0)]).unwrap().parameters[0].1, 1.0);
    std::fs::write(dir.join("parts/gravity.toml"), gravity.replace("gap = \"y\"", "gap = \"yy\""))
        .unwrap();
    let error = Scene::load(dir.join("main.toml")).unwrap_err();
    assert!(error.file.ends_with("gravity.toml"), "{error}");
    assert_eq!(error.position.as_ref().unwrap().line, 5, "{error}");
}

const FALL: &str = r#"
[coordinates]
y = { velocity = "v", start = 1.0, unit = "m" }
[energy]
kinetic = "v^2/2"
potential = "9.81*y"
[[contact]]
name = "floor"
gap = "y"
eps_n = 0.5
[run]
t_end = 2.0
dt = 1e-3
[stop]
when = "y < 0.5 and v < -1"
"#;

fn ended(text: &str, integrator: Integrator) -> (End, f64) {
    let scene = scene(text);
    let mut settings = scene.settings();
    settings.step.integrator = integrator;
    let margin = scene.stop_margin().unwrap();
    let mut stop = |q: &[f64], u: &[f64], t: f64| margin.value(q, u, t);
    let model = Generalised::new(scene.system().unwrap()).unwrap();
    let report =
        run_until(&model, &scene.start(), &settings, Some(&mut stop), &mut (), &mut ()).unwrap();
    (report.end, report.state.t)
}

/// y = 1 − g t²/2 reaches 0.5 at t = √(1/g).
#[test]
fn a_condition_ends_a_run_where_it_becomes_true() {
    let exact = (1.0 / 9.81_f64).sqrt();
    let (end, t) = ended(FALL, Integrator::EventDriven);
    assert_eq!(end, End::Condition);
    assert!((t - exact).abs() < 1e-12, "{t} {exact}");
    for integrator in [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }] {
        let (end, t) = ended(FALL, integrator);
        assert_eq!(end, End::Condition);
        assert!(t >= exact - 1e-9 && t <= exact + 1e-3, "{integrator}: {t} {exact}");
    }
    // After the bounce the velocity jumps to half of it: the condition becomes true by the impact itself.
    let jump = FALL.replace("y < 0.5 and v < -1", "v > 1e-9");
    let (end, t) = ended(&jump, Integrator::EventDriven);
    assert_eq!(end, End::Condition);
    assert!((t - (2.0 / 9.81_f64).sqrt()).abs() < 1e-12, "{t}");
    let never = FALL.replace("y < 0.5 and v < -1", "not y > -1 or v > 100");
    assert_eq!(ended(&never, Integrator::EventDriven), (End::Finished, 2.0));
}

#[test]
fn outputs_are_columns_and_know_energies_gaps_and_forces() {
    let block = scene(
        r#"
        coordinates.x = { velocity = "u", start_velocity = 3.0, unit = "m" }
        coordinates.y = { velocity = "v", unit = "m" }
        energy.kinetic = "2*(u^2 + v^2)/2"
        energy.potential = "2*9.81*y"
        contact = [{ name = "floor", gap = "y", slip = "u", mu = 0.5 }]
        run = { t_end = 0.1, dt = 1e-3, samples = 10 }
        [[output]]
        name = "load"
        value = "force.floor.normal"
        unit = "N"
        [[output]]
        name = "friction"
        value = "force.floor.tangential"
        [[output]]
        name = "E"
        value = "energy - kinetic - potential + gap.floor + slip.floor - u"
        [[plot]]
        y = "force.floor.normal"
        "#,
    );
    let dir = scratch("outputs", &[]);
    let mut recorder =
        Recorder::create(&dir, "block", block.info(), Units::default(), Format::Csv).unwrap();
    for output in &block.outputs {
        let value = block.output(&output.value).unwrap();
        recorder.add_output(&output.name, output.unit.as_deref().unwrap_or(""), value);
    }
    let plot = &block.plots[0];
    let axis = |text: &str| block.output(text).unwrap();
    recorder.add_portrait(None, (&plot.x, axis(&plot.x)), (&plot.y, axis(&plot.y)));
    let model = Generalised::new(block.system().unwrap()).unwrap();
    let settings = block.settings();
    let report =
        stickslip::run::run(&model, &block.start(), &settings, &mut recorder, &mut ()).unwrap();
    let summary = Summary::new(Facts::default(), block.info(), &report, Timing::default());
    let recording = recorder.finish(&summary).unwrap();
    let names: Vec<_> = recording.files.iter().map(|f| f.file_name().unwrap()).collect();
    assert!(
        names.iter().any(|n| *n == "outputs.svg") && names.iter().any(|n| *n == "portrait-1.png")
    );
    let table = std::fs::read_to_string(dir.join("trajectory.csv")).unwrap();
    let mut lines = table.lines();
    assert!(lines.next().unwrap().ends_with("floor.mode,load,friction,E"));
    let last: Vec<&str> = lines.next_back().unwrap().split(',').collect();
    let number = |k: usize| last[last.len() - k].parse::<f64>().unwrap();
    assert!((number(3) - 2.0 * 9.81).abs() < 1e-9, "{table}");
    assert!((number(2) + 9.81).abs() < 1e-9, "{table}");
    assert!(number(1).abs() < 1e-12);
}

#[test]
fn units_are_checked_where_parameters_have_them() {
    let text = r#"
        [parameters]
        m = { value = 2.0, unit = "kg" }
        g = { value = 9.81, unit = "m/s^2" }
        k = { value = 100.0, unit = "N/m" }
        w = "sqrt(k/m)"
        A = { value = "2*g/w^2", unit = "m" }
        [coordinates]
        y = { velocity = "v", start = 1.0, unit = "m" }
        phi = { velocity = "omega", unit = "rad" }
        [definitions]
        h = "y - A*cos(phi)*sin(w*t)"
        [energy]
        kinetic = "m/2*(v^2 + (A*omega)^2) + m*v*rate(h)*0"
        potential = "m*g*y + k/2*hypot(y, A)^2 + if(y > 0, k*y^2, 0)"
        [forces]
        phi = "-m*A^2*omega*w"
        [[contact]]
        name = "floor"
        gap = "y + 3"
        slip = "v + A*omega"
        [[contact]]
        name = "stop"
        gap = "2 - phi"
        [[output]]
        name = "power"
        value = "m*g*v"
        unit = "W"
    "#;
    let checked = scene(text);
    assert!(checked.checks_units() && checked.without_unit().is_empty());
    let wrong = text.replace("m*g*y + k/2", "m*g + k/2");
    let message = Scene::from_str(&wrong, "scene").unwrap_err().to_string();
    assert!(message.contains("the first is in N, the second in J"), "{message}");
    // Without units of parameters the same expression passes, as a system of unit mass might.
    let bare =
        scene("coordinates.y = { velocity = \"v\", unit = \"m\" }\nenergy.kinetic = \"v^2/2\"");
    assert!(!bare.checks_units());
}
