//! Which links of a robot are one body, and what they are called in the scene.

use stickslip_robots::{ModelJointKind, RobotModel};

/// Bodies of a model as bodies of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    /// The first of the links that each link is welded to; 0 for what stands still.
    pub(super) roots: Vec<usize>,
    /// Names of all links, of all joints, of constraints, and of sensors.
    pub(super) bodies: Vec<String>,
    pub(super) joints: Vec<String>,
    pub(super) equalities: Vec<String>,
    pub(super) sensors: Vec<String>,
    /// Whether there is mass in the links that are welded to one.
    massive: Vec<bool>,
}

impl Skeleton {
    pub(super) fn new(model: &RobotModel, prefix: Option<&str>) -> Self {
        let mut roots = vec![0; model.bodies.len()];
        let mut massive = vec![false; model.bodies.len()];
        for (b, body) in model.bodies.iter().enumerate().skip(1) {
            let moves = body.joints.iter().any(|&j| model.joints[j].kind != ModelJointKind::Fixed);
            roots[b] = if moves { b } else { body.parent.map_or(0, |p| roots[p]) };
            massive[roots[b]] |= body.inertia.is_some();
        }
        let bodies = model.bodies.iter().map(|body| body.name.as_str());
        let joints = model.joints.iter().map(|joint| joint.name.as_str());
        let equalities = model.equalities.iter().map(|equality| equality.name.as_str());
        // Constraints become joints beside those of the tree.
        let both = unique(prefix, "joint", joints.chain(equalities));
        let (joints, equalities) = both.split_at(model.joints.len());
        Self {
            roots,
            massive,
            bodies: unique(prefix, "body", bodies),
            joints: joints.to_vec(),
            equalities: equalities.to_vec(),
            sensors: unique(prefix, "sensor", model.sensors.iter().map(|s| s.name.as_str())),
        }
    }

    /// Whether a link is the first of a body that forces move.
    pub(super) fn is_free(&self, body: usize) -> bool {
        body > 0 && self.roots[body] == body && self.massive[body]
    }

    /// Whether a link is the first of a body that moves.
    pub(super) fn moves(&self, body: usize) -> bool {
        body > 0 && self.roots[body] == body
    }
}

/// Names that expressions can use, each but once.
fn unique<'n>(
    prefix: Option<&str>,
    nameless: &str,
    names: impl Iterator<Item = &'n str>,
) -> Vec<String> {
    let mut made: Vec<String> = Vec::new();
    for (i, name) in names.enumerate() {
        let letter = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '_' };
        let plain: String = name.chars().map(letter).collect();
        let plain = if plain.is_empty() { format!("{nameless}_{i}") } else { plain };
        let mut full = prefix.map_or(plain.clone(), |prefix| format!("{prefix}_{plain}"));
        if full.starts_with(char::is_numeric) || full == "ground" {
            full.insert(0, '_');
        }
        while made.contains(&full) {
            full.push('_');
        }
        made.push(full);
    }
    made
}
