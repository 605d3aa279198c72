//! Sensors against closed forms, in every body model.

use crate::sensed::Run;
use stickslip::step::Integrator;
use stickslip_scene::Scene;

const MODELS: [&str; 3] = ["rigid", "articulated", "point_masses"];

#[test]
fn the_ground_carries_the_weight_of_a_stack_and_each_box_what_is_above_it() {
    for model in MODELS {
        let run = Run::of(&format!(
            r#"
            model = "{model}"
            gravity = [0, 0, -10]
            [run]
            t_end = 0.1
            dt = 1e-3
            samples = 20
            [collision]
            mu = 0.5
            [[body]]
            name = "low"
            mass = 3
            shape = {{ box = [0.4, 0.4, 0.2] }}
            position = [0, 0, 0.1]
            [[body]]
            name = "high"
            mass = 2
            shape = {{ box = [0.2, 0.2, 0.2] }}
            position = [0, 0, 0.3]
            [[sensor]]
            name = "ground_load"
            contact = "ground"
            [[sensor]]
            name = "all"
            contact = "low"
            [[sensor]]
            name = "above"
            contact = "low"
            against = "high"
            "#
        ));
        run.last("ground_load.fz", -50.0, 1e-6);
        run.last("ground_load.normal", 50.0, 1e-6);
        run.last("all.fz", 30.0, 1e-6);
        run.last("all.normal", 70.0, 1e-6);
        run.last("above.fz", -20.0, 1e-6);
        run.last("above.fx", 0.0, 1e-6);
        // Before any time has passed there is no mean.
        assert!(run.column("all.fz")[0].is_nan());
    }
}

#[test]
fn friction_is_part_of_the_contact_force_on_a_slope() {
    // Sliding: the normal force m g cos a and friction mu times it, against the motion.
    let run = Run::of(
        r#"
        gravity = ["9.81*sin(0.6)", 0, "-9.81*cos(0.6)"]
        [run]
        t_end = 0.05
        dt = 1e-3
        [collision]
        mu = 0.3
        [[body]]
        name = "box"
        mass = 2
        shape = { box = [0.2, 0.2, 0.1] }
        position = [0, 0, 0.05]
        velocity = [1, 0, 0]
        [[sensor]]
        name = "floor"
        contact = "box"
        against = "ground"
        "#,
    );
    let normal = 2.0 * 9.81 * 0.6f64.cos();
    run.last("floor.fz", normal, 1e-6);
    run.last("floor.fx", -0.3 * normal, 1e-6);
    run.last("floor.normal", normal, 1e-6);
}

/// A pendulum of a point-like bob at distance l from its pivot, released from the horizontal.
fn pendulum(model: &str, integrator: &str, dt: f64, end: &str) -> String {
    format!(
        r#"
        model = "{model}"
        gravity = [0, 0, -9.81]
        [run]
        t_end = 2
        dt = {dt}
        samples = {}
        integrator = "{integrator}"
        [stop]
        when = "{end}"
        [[body]]
        name = "bob"
        mass = 1.5
        shape = {{ sphere = 1e-3 }}
        position = [0.7, 0, 0]
        [[joint]]
        name = "pivot"
        kind = "revolute"
        between = ["ground", "bob"]
        at = [0, 0, 0]
        axis = [0, 1, 0]
        [[sensor]]
        name = "hold"
        reaction = "pivot"
        [[sensor]]
        name = "swing"
        coordinate = "pivot"
        [[sensor]]
        name = "tip"
        pose = "bob"
        at = [0.1, 0, 0]
        "#,
        (2.0 / dt).round()
    )
}

#[test]
fn the_pivot_of_a_pendulum_released_from_the_horizontal_carries_three_weights_at_the_bottom() {
    let weight = 1.5 * 9.81;
    for (model, integrator) in [
        ("rigid", "moreau_midpoint"),
        ("articulated", "moreau_midpoint"),
        ("point_masses", "moreau_midpoint"),
        ("articulated", "moreau_jean"),
        ("rigid", "event_driven"),
        ("articulated", "event_driven"),
    ] {
        let most = |dt: f64| {
            let run = Run::of(&pendulum(model, integrator, dt, "bob.x < -0.1"));
            run.column("hold.fz").into_iter().fold(f64::NEG_INFINITY, f64::max)
        };
        let errors = [2e-3, 1e-3].map(|dt| (most(dt) / (3.0 * weight) - 1.0).abs());
        println!("{model} {integrator}: {errors:?}");
        // 3 m g is the largest of a curve; the mean over a step lies below it by a share of the square of the step.
        assert!(errors[1] < 2e-5, "{model} {integrator}: {errors:?}");
    }
}

#[test]
fn a_reaction_has_the_torque_of_a_beam_that_is_held_at_its_end() {
    // A weld carries m g, and m g l about the wall; the sum of a second body beyond it adds to both.
    for model in MODELS {
        let run = Run::of(&format!(
            r#"
            model = "{model}"
            gravity = [0, 0, -10]
            [run]
            t_end = 0.02
            dt = 1e-3
            [[body]]
            name = "beam"
            mass = 2
            shape = {{ box = [1, 0.1, 0.1] }}
            position = [0.5, 0, 0]
            [[body]]
            name = "load"
            mass = 3
            shape = {{ sphere = 0.1 }}
            position = [1, 0, -0.2]
            [[joint]]
            name = "wall"
            kind = "fixed"
            between = ["ground", "beam"]
            at = [0, 0, 0]
            [[joint]]
            name = "hook"
            kind = "fixed"
            between = ["load", "beam"]
            at = [1, 0, 0]
            [[sensor]]
            name = "held"
            reaction = "wall"
            [[sensor]]
            name = "hooked"
            reaction = "hook"
            "#
        ));
        run.last("held.fz", 50.0, 1e-8);
        run.last("held.ty", -(2.0 * 0.5 + 3.0) * 10.0, 1e-8);
        // The second body of the hook is the beam: it carries the load.
        run.last("hooked.fz", -30.0, 1e-8);
        run.last("hooked.ty", 0.0, 1e-8);
    }
}

#[test]
fn coordinates_and_points_of_a_pendulum_agree_with_its_energy() {
    for model in MODELS {
        let run = Run::of(&pendulum(model, "moreau_midpoint", 5e-4, "swing.angle > 1"));
        let (angle, rate) = (run.column("swing.angle"), run.column("swing.rate"));
        // Half of l times the square of the rate is g times the fall.
        for (angle, rate) in angle.iter().zip(&rate) {
            let inertia = 0.49 + 0.4e-6;
            let error = 0.5 * inertia * rate * rate - 9.81 * 0.7 * angle.sin();
            assert!(error.abs() < 2e-5, "{model}: {error}");
        }
        let last = *angle.last().unwrap();
        assert!((1.0..1.0 + 6e-3).contains(&last), "{model}: {last}");
        run.last("tip.x", 0.8 * last.cos(), 1e-6);
        run.last("tip.z", -0.8 * last.sin(), 1e-6);
        let rate = *rate.last().unwrap();
        run.last("tip.vz", -0.8 * rate * last.cos(), 1e-5);
        run.last("tip.wy", rate, 1e-6);
        run.last("tip.qy", (0.5 * last).sin(), 1e-6);
    }
}

#[test]
fn two_spheres_that_fly_apart_have_the_distance_of_their_centres_less_their_radii() {
    for model in MODELS {
        let run = Run::of(&format!(
            r#"
            model = "{model}"
            [run]
            t_end = 1
            dt = 1e-2
            [stop]
            when = "apart > 4"
            [[body]]
            name = "a"
            mass = 1
            shape = {{ sphere = 0.5 }}
            velocity = [-3, 0, 0]
            [[body]]
            name = "b"
            mass = 1
            shape = {{ sphere = 0.25 }}
            position = [1, 0, 1]
            velocity = [0, 4, 0]
            [[sensor]]
            name = "apart"
            distance = ["a", "b"]
            [[sensor]]
            name = "height"
            distance = ["b", "ground"]
            "#
        ));
        for ((t, _), apart) in run.rows.iter().zip(run.column("apart")) {
            let centres = ((1.0 + 3.0 * t).powi(2) + (4.0 * t).powi(2) + 1.0).sqrt();
            assert!((apart - (centres - 0.75)).abs() < 1e-12, "{model} at {t}: {apart}");
        }
        run.last("height", 0.75, 1e-12);
        let end = run.rows.last().unwrap().0;
        assert!(end < 1.0, "{end}");
    }
}

#[test]
fn a_joint_of_a_loop_is_refused_by_name() {
    // Two rods of a triangle whose base is the ground, and a weight that hangs on one of them.
    let mut text = "gravity = [0, 0, -10]\n".to_owned();
    for (name, x) in [("left", -0.5), ("right", 0.5), ("weight", 0.0)] {
        text += &format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\nshape = {{ sphere = 0.1 }}\nposition = [{x}, 0, 0.5]\n"
        );
    }
    for (name, a, b, x, z) in [
        ("foot", "ground", "left", -1, 0),
        ("top", "left", "right", 0, 1),
        ("other_foot", "right", "ground", 1, 0),
        ("hook", "left", "weight", 0, 0),
    ] {
        text += &format!(
            "[[joint]]\nname = \"{name}\"\nkind = \"revolute\"\nbetween = [\"{a}\", \"{b}\"]\nat = [{x}, 0, {z}]\naxis = [0, 1, 0]\n"
        );
    }
    let with = |joint: &str| format!("{text}[[sensor]]\nname = \"s\"\nreaction = \"{joint}\"\n");
    for joint in ["foot", "top", "other_foot"] {
        let message = Scene::from_str(&with(joint), "loop").unwrap_err().to_string();
        assert!(message.contains(&format!("the joint `{joint}` is part of a loop")), "{message}");
    }
    assert!(Scene::from_str(&with("hook"), "loop").is_ok());
}

#[test]
fn sensors_are_columns_and_names_of_outputs() {
    let text = pendulum("rigid", "moreau_midpoint", 1e-2, "t > 0.1");
    let text = format!("{text}\n[[output]]\nname = \"weights\"\nvalue = \"hold.fz/(1.5*9.81)\"\n");
    let scene = Scene::from_str(&text, "outputs").unwrap();
    assert!(scene.output("hold.fz + tip.vx").is_ok());
    assert_eq!(scene.settings().step.integrator, Integrator::MoreauMidpoint);
    let message = Scene::from_str(&text.replace("t > 0.1", "hold.fz > 1"), "stop");
    let message = message.unwrap_err().to_string();
    assert!(message.contains("`hold.fz` is a force, which the state does not tell"), "{message}");
}

#[test]
fn the_hinge_of_the_gallery_carries_three_weights() {
    let run = Run::of(Scene::from_gallery("pendulum_load").unwrap().text());
    let forces = run.column("load.fx").into_iter().zip(run.column("load.fz"));
    let most = forces.map(|(x, z): (f64, f64)| x.hypot(z)).fold(0.0, f64::max);
    assert!((most / (1.5 * 9.81) - 3.0).abs() < 1e-3, "{most}");
    let least = run.column("clearance").into_iter().fold(f64::INFINITY, f64::min);
    assert!((least - 0.05).abs() < 1e-5, "{least}");
    assert!(run.rows.last().unwrap().0 < 1.0);
}

#[test]
fn the_ball_in_the_bowl_weighs_more_at_the_bottom() {
    let scene = Scene::from_gallery("ball_in_a_bowl").unwrap();
    let text = format!("{}\n[[sensor]]\nname = \"way\"\npose = \"ball\"\n", scene.text());
    let run = Run::of(&text);
    let fastest = run.column("way.vx").into_iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let drop = 0.125 + 0.05 / 1.25_f64.sqrt() - 0.05;
    let expected = (2.0 * 9.81 * drop).sqrt();
    assert!((fastest / expected - 1.0).abs() < 0.01, "{fastest} is not {expected}");
    // Cells of 16 mm are passed in 10 ms, and the force has a peak at each edge: the mean over some of them.
    let (x, load) = (run.column("way.x"), run.column("channel.normal"));
    let (mut impulse, mut time) = (0.0, 0.0);
    for i in (1..x.len()).filter(|&i| x[i].abs() < 0.1) {
        let passed = run.rows[i].0 - run.rows[i - 1].0;
        (impulse, time) = (impulse + passed * load[i], time + passed);
    }
    let mean = impulse / time;
    let expected = 0.5 * (9.81 + expected * expected / 0.95);
    assert!((mean / expected - 1.0).abs() < 0.05, "{mean} is not {expected}");
}
