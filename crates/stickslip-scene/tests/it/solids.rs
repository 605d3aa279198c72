//! Shapes by points, by files and over grids: their weights, and where bodies come to rest on them.

use crate::sensed::Run;
use std::path::PathBuf;

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        std::fs::write(folder.join(file), text).unwrap();
    }
    folder
}

const START: &str = r#"
gravity = [0, 0, -10]
[run]
t_end = 0.2
dt = 1e-3
samples = 20
[[sensor]]
name = "load"
contact = "rock"
[[sensor]]
name = "place"
pose = "rock"
"#;

/// A tetrahedron between the origin and the unit points of the axes: volume 1/6, centre at 1/4.
const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn a_hull_weighs_what_it_encloses_and_lies_on_its_face() {
    for model in ["rigid", "articulated", "point_masses"] {
        let run = Run::of(&format!(
            r#"model = "{model}"
            {START}
            [collision]
            mu = 0.5
            [[body]]
            name = "rock"
            density = 600
            shape = {{ hull = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]] }}
            position = [0, 0, 0.25]
            "#
        ));
        run.last("load.fz", 1000.0, 1e-5);
        run.last("place.z", 0.25, 1e-9);
        run.last("place.qw", 1.0, 1e-9);
    }
}

#[test]
fn a_mesh_of_any_format_has_the_mass_of_what_it_encloses() {
    let stl = r"solid t
facet normal 0 0 -1
outer loop
vertex 0 0 0
vertex 0 1 0
vertex 1 0 0
endloop
endfacet
facet normal 0 -1 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
facet normal -1 0 0
outer loop
vertex 0 0 0
vertex 0 0 1
vertex 0 1 0
endloop
endfacet
facet normal 1 1 1
outer loop
vertex 1 0 0
vertex 0 1 0
vertex 0 0 1
endloop
endfacet
endsolid t
";
    let folder = folder("meshes", &[("rock.obj", TETRAHEDRON), ("rock.stl", stl)]);
    for file in ["rock.obj", "rock.stl"] {
        let run = Run::within(
            &folder,
            &format!(
                r#"{START}
                [collision]
                mu = 0.5
                [[body]]
                name = "rock"
                density = 600
                shape = {{ mesh = {{ file = "{file}", scale = 2 }} }}
                position = [0, 0, 0.5]
                "#
            ),
        );
        run.last("load.fz", 8000.0, 1e-4);
        run.last("place.z", 0.5, 1e-9);
    }
}

/// Something for a ball of radius 0.1 to lie on, at this height.
fn ball_on(folder: &std::path::Path, shape: &str, height: f64) {
    let run = Run::within(
        folder,
        &format!(
            r#"{START}
            [collision]
            mu = 0.5
            ground = false
            [[body]]
            name = "rock"
            mass = 3
            shape = {{ sphere = 0.1 }}
            position = [0.13, 0.07, {}]
            [[body]]
            name = "hill"
            fixed = true
            shape = {shape}
            [[sensor]]
            name = "apart"
            distance = ["rock", "hill"]
            "#,
            height + 0.1
        ),
    );
    run.last("place.z", height + 0.1, 1e-8);
    run.last("load.fz", 30.0, 1e-6);
    run.last("apart", 0.0, 1e-8);
}

#[test]
fn a_ball_lies_on_height_fields_and_surfaces_of_meshes() {
    let quad = "v -1 -1 0.3\nv 1 -1 0.3\nv 1 1 0.3\nv -1 1 0.3\nf 1 2 3\nf 1 3 4\n";
    let heights = "# heights in mm\n300, 300, 300\n300, 300, 300\n";
    let folder = folder("surfaces", &[("quad.obj", quad), ("heights.csv", heights)]);
    ball_on(&folder, r#"{ mesh = "quad.obj" }"#, 0.3);
    ball_on(
        &folder,
        r#"{ height_field = { file = "heights.csv", size = [2, 1], scale = 1e-3 } }"#,
        0.3,
    );
    ball_on(
        &folder,
        r#"{ height_field = { z = "0.3 + 0*x*y", size = [2, 1], cells = [4, 4] } }"#,
        0.3,
    );
}

#[test]
fn a_height_field_is_its_expression_at_the_points_of_its_grid() {
    // A ball of no size to speak of, held above the point (0.5, -0.25) of the grid, measures the height there.
    let run = Run::of(
        r#"
        [run]
        t_end = 1e-3
        dt = 1e-3
        [parameters]
        a = 0.3
        [[body]]
        name = "probe"
        mass = 1
        shape = { sphere = 1e-6 }
        position = [0.5, -0.25, 2]
        [[body]]
        name = "hill"
        fixed = true
        shape = { height_field = { z = "-100*((x - 0.5)^2 + (y + 0.25)^2) + a", size = [2, 1], cells = [8, 4] } }
        [[sensor]]
        name = "above"
        distance = ["probe", "hill"]
        "#,
    );
    run.last("above", 2.0 - 0.3 - 1e-6, 1e-12);
}

#[test]
fn a_cone_stands_on_its_base_with_its_centre_at_a_quarter_of_its_height() {
    let volume = std::f64::consts::PI * 0.3 * 0.3 * 0.4 / 3.0;
    for patch in ["", ", patch = true"] {
        let run = Run::of(&format!(
            r#"{START}
            [collision]
            mu = 0.5
            [[body]]
            name = "rock"
            density = 300
            shape = {{ cone = {{ radius = 0.3, height = 0.4{patch} }} }}
            position = [0, 0, 0.1]
            "#
        ));
        run.last("load.fz", 3000.0 * volume, 1e-5);
        run.last("place.z", 0.1, 1e-9);
        run.last("place.qw", 1.0, 1e-9);
    }
}

#[test]
fn a_compound_weighs_what_its_parts_do_and_falls_about_their_centre() {
    for model in ["rigid", "articulated", "point_masses"] {
        // Two cubes on each other, the upper one turned about the axis.
        let run = Run::of(&format!(
            r#"model = "{model}"
            {START}
            [collision]
            mu = 0.5
            [[body]]
            name = "rock"
            density = 500
            shape = {{ compound = [
                {{ box = [0.2, 0.2, 0.2], at = [0, 0, 0.1] }},
                {{ box = [0.2, 0.2, 0.2], at = [0, 0, 0.3], orientation = {{ axis = [0, 0, 1], angle = 0.7 }} }},
            ] }}
            position = [0, 0, 0.2]
            "#
        ));
        run.last("load.fz", 500.0 * 10.0 * 0.016, 1e-5);
        run.last("place.z", 0.2, 1e-9);
        run.last("place.qw", 1.0, 1e-9);
    }
}

#[test]
fn compounds_that_cannot_be_are_refused_by_name() {
    for (shape, words) in [
        ("compound = []", "has no parts"),
        ("compound = [{ plane = [0, 0, 1] }]", "plane"),
        ("compound = [{ at = [0, 0, 1] }]", "a part of a compound is one of box"),
        ("compound = [{ sphere = 0.1, box = [1, 1, 1] }]", "a part of a compound is one of box"),
        ("compound = [{ sphere = -0.1 }]", "radius"),
        ("cone = { radius = 0.1 }", "height"),
        ("cone = { radius = 0, height = 1 }", "radius"),
    ] {
        let text = format!(
            "gravity = [0, 0, -10]\n[collision]\nmu = 0.5\n[[body]]\nname = \"a\"\nmass = 1\nshape = {{ {shape} }}\n"
        );
        let error = stickslip_scene::Scene::from_str(&text, "a").unwrap_err().to_string();
        assert!(error.contains(words), "{shape}: {error}");
    }
}
