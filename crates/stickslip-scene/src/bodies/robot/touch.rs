//! What of robots touches what, and by which law.
//!
//! Two geometries touch if the filters of the file allow it, their bodies are not excluded and not joined. Collision detection knows
//! groups of which each must meet the other; geometries that may touch the same others are one such group.

use super::shapes::geometry;
use super::{Planned, warning};
use crate::bodies::collision::{PlannedCollider, PlannedCollision};
use crate::bodies::plan::Plan;
use crate::document::Problem;
use stickslip::bodies::{Collider, Pose};
use stickslip::contact::set::ConvexSet;
use stickslip::contact::{Kind, Law};
use stickslip_robots::{ContactFilter, Format, ModelGeometry};

/// The group of all that is not of a robot.
const OTHERS: u32 = 1 << 31;
/// The most groups of robots.
const MOST: usize = 31;
/// The filter that other bodies have against robots, as a geometry without one has in MJCF.
const USUAL: ContactFilter = ContactFilter { kind: 1, with: 1 };
/// The coefficient of friction where neither robot nor scene says one.
const MU: f64 = 1.0;

/// A geometry that touches.
struct Touching<'r> {
    robot: usize,
    geometry: usize,
    model: &'r ModelGeometry,
    /// The number of its body in the plan.
    body: usize,
    collider: Collider,
    material: usize,
}

/// Friction as MJCF has it.
#[derive(Clone, Copy, PartialEq)]
struct Rubbing {
    sliding: f64,
    torsional: f64,
    dimension: u8,
    priority: i32,
}

impl Rubbing {
    fn of(geometry: &ModelGeometry) -> Option<Self> {
        let friction = geometry.friction?;
        Some(Self {
            sliding: friction.sliding,
            torsional: friction.torsional,
            dimension: geometry.contact_dimension,
            priority: geometry.priority,
        })
    }

    /// That of the higher priority, else the greater of each.
    fn with(self, other: Self) -> Self {
        match self.priority.cmp(&other.priority) {
            std::cmp::Ordering::Greater => self,
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Equal => Self {
                sliding: self.sliding.max(other.sliding),
                torsional: self.torsional.max(other.torsional),
                dimension: self.dimension.max(other.dimension),
                ..self
            },
        }
    }

    fn law(self) -> Law {
        if self.dimension < 3 || self.sliding == 0.0 {
            return Law::frictionless();
        }
        if self.dimension == 3 || self.torsional == 0.0 {
            return Law::disc(self.sliding);
        }
        let axes = vec![1.0, 1.0, self.torsional / self.sliding];
        Law::with_set(self.sliding, ConvexSet::Ellipsoid(axes))
    }
}

/// Adds the colliders of robots to what a scene has of collisions.
pub(crate) fn collide(
    robots: &[Planned<'_>],
    plan: &mut Plan,
    scene: Option<PlannedCollision>,
) -> Result<Option<PlannedCollision>, Problem> {
    let (mut all, mut rubbing) = (Vec::new(), Vec::new());
    let first = scene.as_ref().map_or(1, |s| s.materials.len());
    for (r, robot) in robots.iter().enumerate().filter(|(_, robot)| robot.draft.collides) {
        gather(robot, (r, first, scene.is_some()), &mut rubbing, &mut all, plan)?;
    }
    if all.is_empty() {
        return Ok(scene);
    }
    let path = robots[0].draft.path.clone();
    let mut planned = scene.unwrap_or_else(|| PlannedCollision {
        materials: vec![(path.clone(), Law::disc(MU))],
        pairs: Vec::new(),
        colliders: Vec::new(),
        passes: Vec::new(),
    });
    laws(&rubbing, &path, &mut planned);
    let mut passes = passes(robots, &all, plan);
    planned.passes.append(&mut passes);
    for other in &mut planned.colliders {
        other.collider.membership = OTHERS;
    }
    let groups = groups(robots, &all, &planned.passes).map_err(|count| {
        let reason = format!("the contact filters of the robots make {count} groups of geometries");
        Problem::of(path.clone(), format!("{reason}; {MOST} is the most"))
            .cure("give fewer kinds of contype, conaffinity, pairs and excludes")
    })?;
    for (touching, (membership, filter)) in all.into_iter().zip(groups) {
        planned.colliders.push(PlannedCollider {
            path: robots[touching.robot].draft.path.clone(),
            body: touching.body,
            material: touching.material,
            collider: touching.collider.with_groups(membership, filter),
        });
    }
    Ok(Some(planned))
}

/// The geometries of a robot that touch, with their materials.
fn gather<'r>(
    robot: &'r Planned<'_>,
    (number, first, given): (usize, usize, bool),
    rubbing: &mut Vec<Rubbing>,
    all: &mut Vec<Touching<'r>>,
    plan: &mut Plan,
) -> Result<(), Problem> {
    let (draft, model) = (robot.draft, &robot.draft.source.model);
    let mut without = None;
    for (g, shape) in model.geometries.iter().enumerate().filter(|(g, _)| draft.touches(*g)) {
        let root = draft.skeleton.roots[shape.body];
        let Some(made) = geometry(draft, g, root > 0, &mut plan.warnings)? else { continue };
        let frame = robot.start.links[shape.body].0.then(&shape.pose);
        let body = robot.numbers[shape.body];
        let pose = plan.pose(body);
        let back = pose.rotation.conjugate();
        let pose = Pose {
            position: back * (frame.position - pose.position),
            rotation: (back * frame.rotation).normalize(),
        };
        let material = match Rubbing::of(shape) {
            Some(own) => {
                let known = rubbing.iter().position(|r| *r == own);
                first
                    + known.unwrap_or_else(|| {
                        rubbing.push(own);
                        rubbing.len() - 1
                    })
            }
            None => {
                without.get_or_insert(shape);
                0
            }
        };
        note(shape, &mut plan.warnings);
        let collider = Collider::new(0, made).with_pose(pose);
        all.push(Touching { robot: number, geometry: g, model: shape, body, collider, material });
    }
    if let (Some(shape), false) = (without, given) {
        let text = format!(
            "the file gives no friction; its geometries have mu = {MU} (a table [collision] with `mu` gives another)"
        );
        plan.warnings.push(warning(&shape.place, &text));
    }
    Ok(())
}

/// Says what of a geometry has no place.
fn note(shape: &ModelGeometry, warnings: &mut Vec<String>) {
    let rolls = shape.friction.is_some_and(|f| f.rolling != 0.0) && shape.contact_dimension > 4;
    for (text, given) in [
        ("has no rolling friction: contacts have none", rolls),
        ("has no margin: contacts begin where gaps close", shape.margin != 0.0),
    ] {
        if given {
            let text = format!("the geometry `{}` {text}", shape.name);
            warnings.push(warning(&shape.place, &text));
        }
    }
}

/// Adds the materials of robots, and the laws of all their pairs.
fn laws(rubbing: &[Rubbing], path: &str, planned: &mut PlannedCollision) {
    let first = planned.materials.len();
    for (i, own) in rubbing.iter().enumerate() {
        let law = own.law();
        for (s, (_, other)) in planned.materials[..first].iter().enumerate() {
            planned.pairs.push((path.to_owned(), [s, first + i], between(other, &law)));
        }
        planned.materials.push((path.to_owned(), law));
        for (k, other) in rubbing[..i].iter().enumerate() {
            let law = own.with(*other).law();
            planned.pairs.push((path.to_owned(), [first + k, first + i], law));
        }
    }
}

/// The law between a material of the scene and a geometry: the rule of materials, with spin where the geometry has it.
fn between(scene: &Law, own: &Law) -> Law {
    let mu = (scene.mu * own.mu).sqrt();
    if mu == 0.0 || matches!(scene.kind, Kind::Frictionless) {
        return Law::frictionless().with_restitution(scene.eps_n, 0.0);
    }
    Law { mu, ..own.clone() }.with_restitution(scene.eps_n, scene.eps_t)
}

/// Pairs of bodies of the plan that pass through each other.
fn passes(robots: &[Planned<'_>], all: &[Touching<'_>], plan: &mut Plan) -> Vec<[usize; 2]> {
    let mut passes = Vec::new();
    // Bodies that stand still have nothing that a contact between them could move.
    let still = |b: usize| b == 0 || !plan.bodies[b - 1].moves();
    let held: Vec<usize> = (0..=plan.bodies.len()).filter(|&b| still(b)).collect();
    let of_robots = |b: usize| all.iter().any(|t| t.body == b);
    for (i, &a) in held.iter().enumerate() {
        for &b in held[..i].iter().filter(|&&b| of_robots(a) || of_robots(b)) {
            passes.push([b, a]);
        }
    }
    for (r, robot) in robots.iter().enumerate() {
        let (model, roots) = (&robot.draft.source.model, &robot.draft.skeleton.roots);
        for (b, body) in model.bodies.iter().enumerate() {
            if roots[b] != b || b == 0 || model.options.parent_contacts {
                continue;
            }
            let parent = roots[body.parent.unwrap_or(0)];
            let of_parent = |t: &&Touching<'_>| t.robot == r && roots[t.model.body] == parent;
            // What hangs on the world of an MJCF file may touch it.
            if parent > 0 || model.format == Format::Urdf {
                let others = all.iter().filter(of_parent).map(|t| t.body);
                passes.extend(others.map(|other| [other, robot.numbers[b]]));
            }
        }
        for pair in &model.pairs {
            let [a, b] = [pair.first, pair.second].map(|g| robot.numbers[model.geometries[g].body]);
            let mut left = Vec::new();
            if passes.contains(&[a, b]) || passes.contains(&[b, a]) {
                left.push("its bodies are joined, and do not touch");
            }
            if pair.friction.is_some() || pair.contact_dimension.is_some() {
                left.push("its friction is that of its geometries");
            }
            if pair.margin.is_some_and(|m| m != 0.0) {
                left.push("it has no margin");
            }
            for text in left {
                let text = format!("of the pair `{}`, {text}", pair.name);
                plan.warnings.push(warning(&pair.place, &text));
            }
        }
    }
    for (i, a) in all.iter().enumerate() {
        for b in all[..i].iter().filter(|b| b.body != a.body && excluded(robots, a, b)) {
            let of = |body: usize| all.iter().filter(move |t| t.body == body);
            let none = of(a.body).all(|x| of(b.body).all(|y| !allowed(robots, x, y)));
            if none {
                passes.push([a.body, b.body]);
            }
        }
    }
    passes.iter_mut().for_each(|pair| pair.sort_unstable());
    passes.sort_unstable();
    passes.dedup();
    passes.retain(|[a, b]| a != b);
    passes
}

/// Whether the file excludes the bodies of two geometries.
fn excluded(robots: &[Planned<'_>], a: &Touching<'_>, b: &Touching<'_>) -> bool {
    let both = [a.model.body, b.model.body];
    let excluded = &robots[a.robot].draft.source.model.excluded;
    a.robot == b.robot
        && excluded.iter().any(|e| [e.first, e.second] == both || [e.second, e.first] == both)
}

/// Whether the file pairs two geometries.
fn paired(robots: &[Planned<'_>], a: &Touching<'_>, b: &Touching<'_>) -> bool {
    let both = [a.geometry, b.geometry];
    let pairs = &robots[a.robot].draft.source.model.pairs;
    a.robot == b.robot
        && pairs.iter().any(|p| [p.first, p.second] == both || [p.second, p.first] == both)
}

/// Whether two geometries may touch.
fn allowed(robots: &[Planned<'_>], a: &Touching<'_>, b: &Touching<'_>) -> bool {
    paired(robots, a, b) || (a.model.filter.allows(b.model.filter) && !excluded(robots, a, b))
}

/// The groups of all geometries, and those that they meet; the number of groups if it is too large.
fn groups(
    robots: &[Planned<'_>],
    all: &[Touching<'_>],
    passes: &[[usize; 2]],
) -> Result<Vec<(u32, u32)>, usize> {
    // Where bodies pass through each other anyway, the filters alone keep groups few.
    let meets = |a: &Touching<'_>, b: &Touching<'_>| {
        let pair = [a.body.min(b.body), a.body.max(b.body)];
        match a.body == b.body || passes.contains(&pair) {
            true => a.model.filter.allows(b.model.filter),
            false => allowed(robots, a, b),
        }
    };
    let row = |a: &Touching<'_>| all.iter().map(|b| meets(a, b)).collect::<Vec<bool>>();
    let rows: Vec<Vec<bool>> = all.iter().map(row).collect();
    let mut kinds: Vec<(usize, bool)> = Vec::new();
    let usual = |i: usize| all[i].model.filter.allows(USUAL);
    let of: Vec<usize> = (0..all.len())
        .map(|i| {
            let same = |&(k, u): &(usize, bool)| rows[k] == rows[i] && u == usual(i);
            kinds.iter().position(same).unwrap_or_else(|| {
                kinds.push((i, usual(i)));
                kinds.len() - 1
            })
        })
        .collect();
    if kinds.len() > MOST {
        return Err(kinds.len());
    }
    let filter = |i: usize| {
        let met = kinds.iter().enumerate().filter(|(_, (k, _))| rows[i][*k]);
        let met = met.fold(0, |bits, (kind, _)| bits | 1 << kind);
        if usual(i) { met | OTHERS } else { met }
    };
    Ok((0..all.len()).map(|i| (1 << of[i], filter(i))).collect())
}
