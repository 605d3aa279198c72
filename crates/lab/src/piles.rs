//! Many equal bodies in a container without a lid, as plain data and as a world.

use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
use stickslip::bodies::{Collider, Geometry, MassProperties, Pose, Twist, World};
use stickslip::contact::Law;
use stickslip::model::{Candidate, Model, Span};
use stickslip::run::Sample;
use stickslip::{Error, State};
use stickslip_studies::gauntlet::{Description, Part};

/// The diameter of spheres and the edge of boxes, m.
const SIZE: f64 = 0.1;
/// The coefficient of friction everywhere.
const MU: f64 = 0.5;

/// Which bodies, and how they begin.
#[derive(Clone, Copy, Debug)]
pub struct Pile {
    /// Boxes instead of spheres.
    pub boxes: bool,
    /// At rest, instead of in layers apart from each other that fall.
    pub packed: bool,
    /// How many.
    pub bodies: usize,
}

impl Pile {
    /// The pile as plain data.
    ///
    /// # Errors
    /// Never for these bodies.
    pub fn description(&self) -> Result<Description, Error> {
        let (properties, geometry) = if self.boxes {
            let edges = DVec3::splat(SIZE);
            (MassProperties::cuboid(1.0, edges)?, Geometry::Box { half_lengths: 0.5 * edges })
        } else {
            (MassProperties::sphere(1.0, 0.5 * SIZE)?, Geometry::Sphere { radius: 0.5 * SIZE })
        };
        let Places { poses, half } = if self.packed { self.packed() } else { self.falling() };
        let (linear, angular) = (DVec3::ZERO, DVec3::ZERO);
        let part = |geometry: Geometry, pose: Pose, properties: Option<&MassProperties>| {
            let (mass, inertia) =
                properties.map_or_else(Default::default, |p| (p.mass(), p.inertia()));
            Part { geometry, pose, linear, angular, mass, inertia, mu: MU, eps: 0.0 }
        };
        Ok(Description {
            gravity: DVec3::NEG_Z * 9.81,
            fixed: walls(half).map(|pose| part(Geometry::HalfSpace, pose, None)).into(),
            bodies: poses
                .into_iter()
                .map(|pose| part(geometry.clone(), pose, Some(&properties)))
                .collect(),
            ..Description::default()
        })
    }

    /// The pile as a world with its start.
    ///
    /// # Errors
    /// Never for these bodies.
    pub fn built(&self) -> Result<(World, State), Error> {
        let description = self.description()?;
        let mut world = World::new(description.gravity)?;
        let material = world.materials().add(Law::disc(MU))?;
        for part in description.fixed {
            let collider = Collider::new(0, part.geometry).with_pose(part.pose);
            world.collider(World::GROUND, material, &collider)?;
        }
        let mut motion = Vec::with_capacity(description.bodies.len());
        for part in description.bodies {
            let body = world.body(MassProperties::new(part.mass, part.inertia)?);
            world.collider(body, material, &Collider::new(0, part.geometry))?;
            motion.push((part.pose, Twist { linear: part.linear, angular: part.angular }));
        }
        let state = world.state(&motion)?;
        Ok((world, state))
    }

    /// What a step of the gap level with this certificate τ may do, from bodies that were this deep inside of each other.
    ///
    /// A normal velocity is missed by at most τ v, where v is the largest sum of terms of a row of the contact: what the impulses of both
    /// bodies do to it, κ Σ|Λ| with κ = 1/m + ρ²/I for each, and b, which is the velocity at the end less that. Corners of boxes do not
    /// go straight on besides, nor do faces keep their normals, while they turn by θ = |ω| Δt.
    ///
    /// The energy changes by Λᵀ ξ⁺ − ½ Λᵀ W Λ less what the step loses: only impulses that take bodies apart, at d/Δt where they were d deep, and
    /// velocities that are missed add to it.
    pub fn allowed(
        &self,
        sample: &Sample<'_>,
        (dt, depth): (f64, f64),
        loads: &mut Vec<f64>,
    ) -> Allowed {
        let (radius, kappa) = if self.boxes {
            (0.75_f64.sqrt() * SIZE, 1.0 + 0.75 * 6.0)
        } else {
            (0.5 * SIZE, 1.0 + 0.25 / 0.1)
        };
        loads.clear();
        loads.resize(self.bodies + 1, 0.0);
        let mut own = sample.impulses;
        let points = || sample.points.iter().flatten();
        for point in points() {
            let (impulse, rest) = own.split_at(point.components);
            own = rest;
            let size: f64 = impulse.iter().map(|x| x.abs()).sum();
            point.bodies.iter().for_each(|&b| loads[b] += kappa * size);
        }
        // The ground, which nothing moves, is body 0.
        loads[0] = 0.0;
        let moves = |b: usize| {
            let part = |at: usize| DVec3::from_slice(&sample.u[6 * (b - 1) + at..]).length();
            if b > 0 { [part(0), part(3)] } else { [0.0; 2] }
        };
        let off = sample.certificate.min(1.0);
        let mut allowed = Allowed { depth: 0.0, rise: 0.0 };
        let mut own = sample.impulses;
        for point in points() {
            let (impulse, rest) = own.split_at(point.components);
            own = rest;
            let [a, b] = point.bodies;
            let ([va, wa], [vb, wb]) = (moves(a), moves(b));
            let slip = va + vb + radius * (wa + wb);
            let terms = (2.0 * (loads[a] + loads[b]) + slip) / (1.0 - off);
            let (ta, tb) = if self.boxes { (wa * dt, wb * dt) } else { (0.0, 0.0) };
            let turning = 0.5 * radius * (ta * ta + tb * tb) + (ta + tb) * dt * slip;
            allowed.depth = allowed.depth.max(dt * off * terms + turning);
            let missed: f64 = impulse.iter().map(|x| x.abs() * off * terms).sum();
            allowed.rise += impulse.first().map_or(0.0, |x| x.abs() * depth / dt) + missed;
        }
        allowed
    }

    /// In layers apart from each other, each body shifted and turned a little so that no two columns are the same.
    fn falling(&self) -> Places {
        const PITCH: f64 = 1.3 * SIZE;
        let side = ((self.bodies as f64).cbrt() * 1.2).ceil().max(2.0) as usize;
        let place = |i: usize| {
            // Multiples of irrational numbers are spread evenly.
            let share = |k: f64| (i as f64 * k).fract() - 0.5;
            let (x, y, z) = (i % side, i / side % side, i / (side * side));
            let middle = 0.5 * (side as f64 - 1.0);
            let shift = 0.01 * DVec3::new(share(0.618_034), share(0.754_878), 0.0);
            let position = DVec3::new(x as f64 - middle, y as f64 - middle, z as f64 + 0.6) * PITCH;
            let turn = 0.2 * DVec3::new(share(0.569_84), share(0.4142), share(0.7321));
            let rotation = if self.boxes { DQuat::from_scaled_axis(turn) } else { DQuat::IDENTITY };
            Pose { position: position + shift, rotation }
        };
        let half = 0.5 * side as f64 * PITCH + 0.02;
        Places { poses: (0..self.bodies).map(place).collect(), half }
    }

    /// At rest: spheres in layers that touch the walls, with smaller layers in their hollows; boxes in columns.
    fn packed(&self) -> Places {
        let side = (self.bodies as f64).cbrt().ceil().max(2.0) as usize;
        let (pitch, rise, half) = if self.boxes {
            (1.2 * SIZE, SIZE, 0.6 * SIZE * side as f64)
        } else {
            (SIZE, SIZE * FRAC_1_SQRT_2, 0.5 * SIZE * side as f64)
        };
        let mut poses = Vec::with_capacity(self.bodies);
        for layer in 0.. {
            let across = if self.boxes { side } else { side - layer % 2 };
            let middle = 0.5 * (across as f64 - 1.0);
            for i in 0..across * across {
                if poses.len() == self.bodies {
                    return Places { poses, half };
                }
                let (x, y) = ((i % across) as f64 - middle, (i / across) as f64 - middle);
                let z = 0.5 * SIZE + layer as f64 * rise;
                poses.push(Pose::at(DVec3::new(pitch * x, pitch * y, z)));
            }
        }
        Places { poses, half }
    }
}

/// What a step may do.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// How deep bodies may be inside of each other after it, in m.
    pub depth: f64,
    /// By how much their energy may rise, in J.
    pub rise: f64,
}

/// Where bodies begin, and half the width of the container.
struct Places {
    poses: Vec<Pose>,
    half: f64,
}

/// The floor and four walls.
fn walls(half: f64) -> [Pose; 5] {
    let wall = |axis: DVec3, angle: f64| {
        let rotation = DQuat::from_axis_angle(axis, angle);
        Pose { position: -half * (rotation * DVec3::Z), rotation }
    };
    [
        Pose::default(),
        wall(DVec3::Y, FRAC_PI_2),
        wall(DVec3::Y, -FRAC_PI_2),
        wall(DVec3::X, FRAC_PI_2),
        wall(DVec3::X, -FRAC_PI_2),
    ]
}

/// What the states of a pile after each step tell, whoever made them.
#[derive(Debug)]
pub struct Watch {
    world: World,
    place: <World as Model>::Place,
    candidates: Vec<Candidate>,
    energy: f64,
    /// The deepest penetration so far, in m.
    pub deepest: f64,
    /// The largest rise of the energy in a step so far, in J.
    pub rise: f64,
}

impl Watch {
    /// From the start on.
    pub fn new(world: World, start: &State) -> Self {
        let energy = world.energy(&start.q, &start.u, start.t).total();
        let place = <World as Model>::Place::default();
        Self { world, place, candidates: Vec::new(), energy, deepest: 0.0, rise: 0.0 }
    }

    /// Takes in the state after a step.
    ///
    /// # Errors
    /// If a number is not finite or a quaternion is none of a rotation.
    pub fn see(&mut self, state: &State) -> Result<(), Error> {
        self.world.validate(&state.q, &state.u)?;
        let at = Span { q: &state.q, u: &state.u, t: state.t, dt: 0.0 };
        self.candidates.clear();
        self.world.detect(&mut self.place, &at, &mut self.candidates)?;
        let gaps = self.candidates.iter().filter_map(|c| c.gap);
        self.deepest = gaps.fold(self.deepest, |m, g| m.max(-g));
        let now = self.world.energy(&state.q, &state.u, state.t).total();
        self.rise = self.rise.max(now - self.energy);
        self.energy = now;
        Ok(())
    }
}

/// Seconds that the processor spent on this thread where the system tells, else those of the clock: other work on the machine does not
/// count then.
pub fn processor_time() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(
        || {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(0.0, |t| t.as_secs_f64())
        },
        |ns| 1e-9 * ns,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::run::{self, Event, Flow, Observer};
    use stickslip::step;

    const TWO: Pile = Pile { boxes: false, packed: false, bodies: 2 };

    /// Other programs read these names and orders.
    #[test]
    fn a_pile_is_handed_over_with_names_that_scripts_read() {
        let text = |boxes: bool| {
            let pile = Pile { boxes, ..TWO }.description().unwrap();
            serde_json::to_value(pile).unwrap()
        };
        let spheres = text(false);
        assert_eq!(spheres["gravity"][2], -9.81);
        assert_eq!(spheres["fixed"].as_array().unwrap().len(), 5);
        assert_eq!(spheres["fixed"][0]["geometry"], "half_space");
        assert_eq!(
            spheres["fixed"][0]["pose"]["rotation"],
            serde_json::json!([0.0, 0.0, 0.0, 1.0])
        );
        let body = &spheres["bodies"][1];
        assert_eq!(body["geometry"]["sphere"]["radius"], 0.05);
        assert_eq!(
            (&body["mass"], &body["mu"], &body["eps"]),
            (&1.0.into(), &0.5.into(), &0.0.into())
        );
        assert!((body["inertia"][4].as_f64().unwrap() - 1e-3).abs() < 1e-15);
        for empty in ["forces", "guides", "links"] {
            assert!(spheres[empty].as_array().unwrap().is_empty());
        }
        let half = &text(true)["bodies"][0]["geometry"]["box"]["half_lengths"];
        assert_eq!(*half, serde_json::json!([0.05, 0.05, 0.05]));
    }

    #[test]
    fn depth_and_rising_energy_are_seen_in_states() {
        let (world, start) = TWO.built().unwrap();
        let mut watch = Watch::new(world, &start);
        watch.see(&start).unwrap();
        assert_eq!((watch.deepest, watch.rise), (0.0, 0.0));
        let mut state = start.clone();
        // 2 mm below the floor, and then 1 m/s more.
        state.q[2] = 0.048;
        watch.see(&state).unwrap();
        assert!((watch.deepest - 2e-3).abs() < 1e-12, "{}", watch.deepest);
        assert_eq!(watch.rise, 0.0);
        state.u[0] = 1.0;
        watch.see(&state).unwrap();
        assert!((watch.rise - 0.5).abs() < 1e-12, "{}", watch.rise);
        state.q[0] = f64::NAN;
        assert!(watch.see(&state).is_err());
    }

    /// The largest depth after a step as a share of what is allowed, and of what is if the certificate were a thousandth; the same of the rise
    /// of the energy.
    struct Shares {
        pile: Pile,
        before: [f64; 2],
        shares: [f64; 2],
        rises: [f64; 2],
    }

    impl Observer for Shares {
        fn sample(&mut self, sample: &Sample<'_>) -> Flow {
            let depth = sample.gaps.iter().fold(0.0_f64, |m, gap| m.max(-gap));
            let energy = sample.energy.total();
            let [deep, most] = self.before;
            for (i, by) in [1.0, 1e-3].into_iter().enumerate() {
                let sample = Sample { certificate: by * sample.certificate, ..*sample };
                let allowed = self.pile.allowed(&sample, (DT, by * deep), &mut Vec::new());
                let share = if depth > 1e-14 { depth / allowed.depth } else { 0.0 };
                self.shares[i] = self.shares[i].max(share);
                let rise = energy - most;
                let share = if rise > 1e-12 * energy.abs() { rise / allowed.rise } else { 0.0 };
                self.rises[i] = self.rises[i].max(share);
            }
            self.before = [depth, energy];
            Flow::Continue
        }

        fn event(&mut self, _: &Event) {}
    }

    const DT: f64 = 5e-3;

    /// A pile that falls, at a tolerance of 10⁻³.
    fn shares(pile: Pile, t_end: f64) -> Shares {
        let (world, start) = pile.built().unwrap();
        let solve =
            Some(stickslip::contact::solve::Settings { tolerance: 1e-3, ..step::exact(&world) });
        let step = step::Settings {
            integrator: step::Integrator::GapLevel,
            solve,
            ..step::Settings::default()
        };
        let settings = run::Settings { dt: DT, sample_dt: DT, t_end, step };
        let before = [0.0, f64::INFINITY];
        let mut shares = Shares { pile, before, shares: [0.0; 2], rises: [0.0; 2] };
        run::run(&world, &start, &settings, &mut shares, &mut ()).unwrap();
        shares
    }

    #[test]
    fn spheres_are_no_deeper_than_certificates_allow_and_the_bound_is_no_thousand_times_too_large()
    {
        let pile = Pile { boxes: false, packed: false, bodies: 60 };
        let [as_certified, as_if_better] = shares(pile, 0.6).shares;
        assert!(as_certified > 0.0 && as_certified <= 1.0, "{as_certified}");
        assert!(as_if_better > 1.0, "{as_if_better}");
    }

    /// One of these boxes, which turns as it lands, was 0.4 mm in the floor where points were looked for no further away than bodies go in a
    /// step before they are struck.
    #[test]
    fn boxes_that_impacts_turn_are_no_deeper_than_certificates_allow() {
        let pile = Pile { boxes: true, packed: false, bodies: 100 };
        let [as_certified, _] = shares(pile, 0.13).shares;
        assert!(as_certified > 0.0 && as_certified <= 1.0, "{as_certified}");
    }

    #[test]
    fn energy_rises_by_no_more_than_depths_and_certificates_allow() {
        for boxes in [false, true] {
            let pile = Pile { boxes, packed: true, bodies: 60 };
            let [as_certified, as_if_better] = shares(pile, 0.5).rises;
            assert!(as_certified > 0.0 && as_certified <= 1.0, "{as_certified}");
            assert!(as_if_better > 1.0, "{as_if_better}");
        }
    }
}
