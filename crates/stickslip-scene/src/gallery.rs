//! The scenes that come with the program.

/// A scene of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GalleryEntry {
    /// Its name, e.g. `woodpecker`.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        &[$(GalleryEntry { name: $name, text: include_str!(concat!("../scenes/", $name, ".toml")) }),*]
    };
}

const GALLERY: &[GalleryEntry] = scenes![
    "woodpecker",
    "superball",
    "woodpecker_constant_friction",
    "bouncing_ball",
    "sliding_block",
    "incline_block",
    "spring_block",
    "belt_block",
    "stick_slip_belt",
    "table_block",
    "rocking_block",
    "painleve_rod",
    "three_balls",
    "rolling_disc",
    "pressed_box",
    "wedged_peg",
    "two_footed_bar",
    "pushed_particle",
    "heading_block",
    "corner_box",
    "polygon_push",
    "polygon_round",
    "leg",
    "sliding_disc",
    "uniform_disc",
    "puck",
    "mixed_disc",
    "polyhedron_disc",
    "pushed_part",
    "cam_follower",
    "patch_box",
    "patch_onset",
    "spinning_top",
    "rolling_ball",
    "four_bar",
    "chain",
    "newtons_cradle",
    "overhanging_bricks",
    "pile",
    "torsion_pendulum",
    "motor_rod",
    "tumbling_box",
    "point_mass_box",
    "tippe_top",
    "euler_disc",
    "rattleback",
    "billiards",
    "dominoes",
    "walker",
    "slider_crank",
    "pendulum_load",
    "ball_in_a_bowl",
    "plane_incline",
    "plane_rolling_disc",
    "plane_stack",
    "plane_pile",
    "plane_rocking_block",
    "plane_kink",
];

/// All scenes of the gallery, the woodpecker first.
#[must_use]
pub fn gallery() -> &'static [GalleryEntry] {
    GALLERY
}

/// The scene of a name.
#[must_use]
pub fn gallery_entry(name: &str) -> Option<&'static GalleryEntry> {
    GALLERY.iter().find(|entry| entry.name == name)
}
