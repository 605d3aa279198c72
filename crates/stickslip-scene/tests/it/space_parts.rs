//! Joints, forces and friction sets of scenes with bodies, each by a motion with a closed form.

use crate::gallery::near;
use crate::space::{MODELS, end, scene, value};

/// Distances and gears leave no coordinates of their own, so that trees do not take them.
const WITHOUT_TREES: [&str; 2] = ["rigid", "point_masses"];

/// Runs a scene in these models and compares values at its end by their names.
fn ends(models: &[&str], text: &str, wanted: &[(&str, f64)], tolerance: f64) {
    for model in models {
        let scene = scene(model, text);
        let (state, ..) = end(&scene, |_| ());
        for (name, wanted) in wanted {
            let found = value(&scene, &state, name);
            assert!(
                (found - wanted).abs() <= tolerance,
                "{model}: {name} is {found}, wanted {wanted}\n{text}"
            );
        }
    }
}

/// A cart of 2 kg on a rail along x, with this in its joint.
fn cart(joint: &str) -> String {
    format!(
        r#"
        gravity = [0, 0, -9.81]
        [[body]]
        name = "cart"
        shape = {{ box = [0.2, 0.1, 0.1] }}
        mass = 2
        [[joint]]
        name = "rail"
        kind = "prismatic"
        between = ["ground", "cart"]
        at = [0, 0, 0]
        axis = [1, 0, 0]
        {joint}
        [run]
        t_end = 0.5
        dt = 1e-3
        "#
    )
}

#[test]
fn what_stands_in_a_rail_acts_on_the_cart() {
    let rest = [("cart.y", 0.0), ("cart.z", 0.0), ("cart.wy", 0.0)];
    let check = |joint: &str, models: &[&str], x: f64, v: f64, tolerance: f64| {
        let wanted = [&rest[..], &[("cart.x", x), ("cart.vx", v)]].concat();
        ends(models, &cart(joint), &wanted, tolerance);
    };
    check("speed = 1", &MODELS, 0.5, 1.0, 1e-9);
    // x = (v/ω) sin(ω t) with ω² = k/m = 25; and about a rest length.
    let (sin, cos) = 2.5_f64.sin_cos();
    check("speed = 1\nspring = { stiffness = 50 }", &MODELS, sin / 5.0, cos, 1e-4);
    let pulled = "spring = { stiffness = 50, rest = 0.2 }";
    check(pulled, &MODELS, 0.2 * (1.0 - cos), sin, 1e-4);
    // v = exp(−c t/m).
    let left = (-1.0_f64).exp();
    check("speed = 1\ndamping = 4", &MODELS, 0.5 * (1.0 - left), left, 1e-4);
    // Dry friction of 1 N slows by 0.5 m/s², and friction by the load by μ g.
    check("speed = 1\nfriction = 1", &MODELS, 0.5 - 0.0625, 0.75, 1e-3);
    let load = "speed = 1\nfriction = { mu = 0.1 }";
    let slowed = 0.1 * 9.81 * 0.5;
    check(load, &["rigid", "articulated"], 0.5 - 0.25 * slowed, 1.0 - slowed, 1e-3);
    // A motor of 2 N reaches its 0.4 m/s after 0.4 s.
    check("motor = { speed = 0.4, most = 2 }", &MODELS, 0.08 + 0.04, 0.4, 1e-3);
    // The stop holds it.
    check("speed = 1\nlimits = [-0.1, 0.2]", &MODELS, 0.2, 0.0, 2e-3);
}

/// A box that is joined to the ground, with this motion at the start.
fn joined(joint: &str, motion: &str) -> String {
    format!(
        r#"
        gravity = [0, 0, -9.81]
        [[body]]
        name = "box"
        shape = {{ box = [0.2, 0.1, 0.1] }}
        mass = 2
        {motion}
        [[joint]]
        name = "joint"
        between = ["ground", "box"]
        at = [0, 0, 0]
        {joint}
        [run]
        t_end = 0.2
        dt = 1e-3
        "#
    )
}

#[test]
fn joints_leave_the_motions_of_their_kind_and_no_others() {
    let motion = "velocity = [1, 0.5, 0.2]\nangular_velocity = [0, 0, 3]";
    let fall = 0.2 * 0.2 - 0.5 * 9.81 * 0.04;
    let cylindrical = joined("kind = \"cylindrical\"\naxis = [0, 0, 1]", motion);
    let wanted = [("box.x", 0.0), ("box.y", 0.0), ("box.z", fall), ("box.wz", 3.0)];
    ends(&MODELS, &cylindrical, &wanted, 1e-5);
    let planar = joined("kind = \"planar\"\naxis = [0, 0, 1]", motion);
    let wanted = [("box.x", 0.2), ("box.y", 0.1), ("box.z", 0.0), ("box.wz", 3.0)];
    ends(&MODELS, &planar, &wanted, 1e-5);
    let fixed = joined("kind = \"fixed\"", motion);
    let wanted = [("box.x", 0.0), ("box.y", 0.0), ("box.z", 0.0), ("box.wz", 0.0)];
    ends(&MODELS, &fixed, &wanted, 1e-9);
    let spherical = joined("kind = \"spherical\"", motion);
    let wanted = [("box.x", 0.0), ("box.y", 0.0), ("box.z", 0.0), ("box.wz", 3.0)];
    ends(&MODELS, &spherical, &wanted, 1e-5);
    // About z first, then about x: a turn about y is excluded.
    let universal =
        joined("kind = \"universal\"\naxis = [0, 0, 1]\nsecond_axis = [1, 0, 0]", motion);
    let wanted = [("box.x", 0.0), ("box.z", 0.0), ("box.wy", 0.0), ("box.wz", 3.0)];
    ends(&MODELS, &universal, &wanted, 1e-5);
}

#[test]
fn a_ball_on_a_massless_rod_goes_round_with_constant_speed() {
    let text = r#"
        [[body]]
        name = "ball"
        shape = { sphere = 0.05 }
        mass = 1
        position = [0.5, 0, 0]
        velocity = [0, 1, 0]
        [[joint]]
        name = "rod"
        kind = "distance"
        between = ["ground", "ball"]
        at = [0, 0, 0]
        to = [0.5, 0, 0]
        [run]
        t_end = 0.5
        dt = 1e-3
    "#;
    let (sin, cos) = 1.0_f64.sin_cos();
    let wanted = [("ball.x", 0.5 * cos), ("ball.y", 0.5 * sin), ("ball.vx", -sin)];
    ends(&WITHOUT_TREES, text, &wanted, 1e-3);
}

#[test]
fn gears_share_a_torque_by_their_ratio() {
    let text = r#"
        [[body]]
        repeat = { i = "1:2" }
        name = "wheel{i}"
        shape = { cylinder = { radius = 0.1, height = 0.02 } }
        mass = 2
        position = ["0.3*i", 0, 0]
        [[joint]]
        repeat = { i = "1:2" }
        name = "axle{i}"
        kind = "revolute"
        between = ["ground", "wheel{i}"]
        at = ["0.3*i", 0, 0]
        axis = [0, 0, 1]
        [[joint]]
        name = "gear"
        kind = "gear"
        between = ["wheel1", "wheel2"]
        axis = [0, 0, 1]
        ratio = 2
        [[force]]
        body = "wheel1"
        torque = [0, 0, 0.1]
        [run]
        t_end = 0.5
        dt = 1e-3
    "#;
    for model in WITHOUT_TREES {
        let scene = scene(model, text);
        let (state, ..) = end(&scene, |_| ());
        let [a, b] = ["wheel1.wz", "wheel2.wz"].map(|name| value(&scene, &state, name));
        // Both wheels have J = 0.01: ω₁ = τ t/(J (1 + (ω₂/ω₁)²)).
        assert!((a / b - 2.0).abs() < 1e-6, "{model}: {a} {b}");
        near(a, 0.1 * 0.5 / (0.01 * 1.25), 1e-4);
    }
}

#[test]
fn forces_by_numbers_expressions_and_springs_act_alike() {
    let with = |force: &str| {
        format!(
            r#"
            [[body]]
            name = "ball"
            shape = {{ sphere = 0.1 }}
            mass = 2
            position = [0.3, 0, 0]
            orientation = {{ axis = [0, 0, 1], angle = "pi/2" }}
            [[force]]
            {force}
            [run]
            t_end = 0.5
            dt = 1e-3
            "#
        )
    };
    let (sin, cos) = 2.5_f64.sin_cos();
    let swings = [("ball.x", 0.3 * cos), ("ball.vx", -1.5 * sin), ("ball.y", 0.0)];
    let expression = "body = \"ball\"\nforce = [\"-50*ball.x\", 0, 0]";
    ends(&MODELS, &with(expression), &swings, 2e-3);
    ends(&MODELS, &with("between = [\"ground\", \"ball\"]\nstiffness = 50"), &swings, 2e-3);
    // The x axis of the body is the y axis of the world.
    let pushed = [("ball.x", 0.3), ("ball.y", 0.125), ("ball.vy", 0.5)];
    ends(&MODELS, &with("body = \"ball\"\naxes = \"body\"\nforce = [2, 0, 0]"), &pushed, 1e-9);
    // J = 0.4 m r² = 0.008.
    let turned = [("ball.wz", 0.5), ("ball.x", 0.3)];
    ends(&MODELS, &with("body = \"ball\"\ntorque = [0, 0, 0.008]"), &turned, 1e-6);
    let grows = [("ball.vz", 0.25)];
    ends(&MODELS, &with("body = \"ball\"\nforce = [0, 0, \"4*t\"]"), &grows, 1e-6);
}

#[test]
fn friction_sets_slow_by_their_support_in_the_direction_of_slip() {
    let slowed = |friction: &str, velocity: &str, name: &str, share: f64| {
        let text = format!(
            r#"
            gravity = [0, 0, -10]
            [[body]]
            name = "disc"
            mass = 1
            inertia = [0.0025, 0.0025, 0.005]
            {velocity}
            parts.face = {{ point = [0, 0, 0] }}
            [[contact]]
            between = ["disc.face", "ground"]
            mu = 0.5
            friction = {friction}
            [run]
            t_end = 0.1
            dt = 1e-3
            "#
        );
        // Speeds fall from 1 by μ g t = 0.5 times the share, the spin of 40 by μ m g t/J times it.
        let wanted = if name == "disc.wz" { 40.0 - 100.0 * share } else { 1.0 - 0.5 * share };
        ends(&["rigid", "articulated"], &text, &[(name, wanted)], 1e-6);
    };
    let (along, across) = ("velocity = [1, 0, 0]", "velocity = [0, 1, 0]");
    let spins = "angular_velocity = [0, 0, 40]";
    for set in ["{ ellipse = [1, 0.4] }", "{ ellipsoid = [1, 0.4, 0.2] }"] {
        slowed(set, along, "disc.vx", 1.0);
        slowed(set, across, "disc.vy", 0.4);
    }
    let polygon = "{ polygon = [[1, 0], [0, 0.4], [-1, 0], [0, -0.4]] }";
    slowed(polygon, along, "disc.vx", 1.0);
    slowed(polygon, across, "disc.vy", 0.4);
    let mixed = "{ mixed = { ellipse = [1, 0.4], spin = 0.2 } }";
    slowed(mixed, across, "disc.vy", 0.4);
    slowed(mixed, spins, "disc.wz", 0.2);
    slowed("{ ellipsoid = [1, 0.4, 0.2] }", spins, "disc.wz", 0.2);
    // A box of half edges 1, 0.4 and 0.2, by its faces.
    let faces = "{ polyhedron = [[1, 0, 0], [-1, 0, 0], [0, 2.5, 0], [0, -2.5, 0], [0, 0, 5], [0, 0, -5]] }";
    slowed(faces, across, "disc.vy", 0.4);
    slowed(faces, spins, "disc.wz", 0.2);
    // Uniform pressure: 2/3 μ N R about the centre.
    slowed("{ uniform_disc = 0.3 }", spins, "disc.wz", 0.2);
}
