//! `[[drawing]]` in scenes: what is refused, and that every scene of the gallery can be shown.

use stickslip_scene::recording::Units;
use stickslip_scene::recording::replay::Replay;
use stickslip_scene::{Scene, gallery};

const BALL: &str = "[coordinates]\ny = { velocity = \"v\", start = 1 }\n[energy]\nkinetic = \"v^2/2\"\n\
                    [[contact]]\nname = \"floor\"\ngap = \"y\"\n[[drawing]]\n";

/// Why a ball with this drawing is refused.
fn refusal(drawing: &str) -> String {
    let error = Scene::from_str(&format!("{BALL}{drawing}\n"), "ball").unwrap_err();
    assert!(error.position.is_some(), "{error}");
    error.to_string()
}

#[test]
fn mistakes_are_named_with_their_place() {
    let cases = [
        ("colour = \"red\"", "a drawing is one of"),
        ("line = [[0, 0], [1, 1]]\ncolour = \"rde\"", "is not a colour"),
        ("line = [[0, 0]]", "two points or more"),
        ("line = [[0, 0], [1]]", "must have 2"),
        ("circle = { centre = [0, \"y\"] }", "radius"),
        ("circle = { centre = [0, \"z\"], radius = 1 }", "z"),
        ("circle = { centre = [0, \"1/(y - 1)\"], radius = 1 }", "at the start"),
        ("contact = \"flor\"\nat = [0, 0]\nnormal = [0, 1]", "there is no contact"),
        ("circle = { centre = [0, 0], radius = 1 }\nat = [0, 0]", "does nothing here"),
        (
            "circle = { centre = [0, 0], radius = 1 }\nspring = { from = [0, 0], to = [0, 1] }",
            "one of",
        ),
    ];
    for (drawing, said) in cases {
        let error = refusal(drawing);
        assert!(error.contains(said), "{drawing}: {error}");
    }
}

#[test]
fn bodies_are_drawn_by_their_shapes_alone() {
    let text = "[[body]]\nname = \"a\"\nmass = 1\nshape = { sphere = 1 }\n[[drawing]]\nline = [[0, 0], [1, 1]]\n";
    let error = Scene::from_str(text, "bodies").unwrap_err().to_string();
    assert!(error.contains("shapes"), "{error}");
}

#[test]
fn every_scene_of_the_gallery_has_a_replay_and_nine_have_drawings() {
    let mut drawn = 0;
    for entry in gallery() {
        let scene = Scene::from_gallery(entry.name).unwrap();
        let file = Replay::new(&scene, &Units::of_scene(&scene)).file();
        drawn += usize::from(!file.drawing.is_empty());
        let moving = file.bodies.iter().filter(|body| body.channel.is_some()).count();
        let generalised = scene.system().is_some();
        assert!(generalised || moving > 0, "{}: nothing moves", entry.name);
    }
    assert!(drawn >= 9, "{drawn}");
}
