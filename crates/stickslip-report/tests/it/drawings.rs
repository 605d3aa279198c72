//! `[[drawing]]` in scenes: what is refused, and that every scene of the gallery can be shown.

use stickslip_scene::recording::Units;
use stickslip_scene::recording::replay::{DrawnValue, Replay};
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
fn every_scene_of_the_gallery_shows_what_moves() {
    for entry in gallery() {
        let scene = Scene::from_gallery(entry.name).unwrap();
        let file = Replay::new(&scene, &Units::of_scene(&scene)).file();
        let drawn = |value: &DrawnValue| matches!(value, DrawnValue::Channel(_));
        let drawn = file.drawing.iter().any(|part| part.numbers.iter().any(drawn));
        let mut moving = file.bodies.iter().filter(|body| body.channel.is_some()).peekable();
        assert!(drawn || moving.peek().is_some(), "{}: nothing moves", entry.name);
        // Particles are dots.
        let shapeless = moving.find(|body| body.parts.is_empty() && body.name != "particle");
        assert!(shapeless.is_none(), "{}: {shapeless:?}", entry.name);
    }
}
