//! The model of a scene, whatever it is, and its states by the names of the scene.

use crate::bodies::{Ambient, plane};
use crate::sensors::Sensors;
use glam::{DQuat, DVec3};
use std::ops::Range;
use std::sync::Arc;
use stickslip::bodies::articulated::LinkId;
use stickslip::bodies::{Body, PointMassWorld, Pose, Tree, Twist, World};
use stickslip::expression::{Definition, DefinitionError, ExpressionSystem, Function, Output};
use stickslip::model::{Generalised, Model};
use stickslip::run::Sample;
use stickslip::system::{State, SystemInfo};

/// The model of a scene. Copies are cheap.
///
/// What is done with it is written once, as a [`Visitor`]:
///
/// ```
/// use stickslip::model::Model;
/// use stickslip_scene::{Scene, Visitor};
///
/// struct Kind;
///
/// impl Visitor for Kind {
///     type Output = &'static str;
///
///     fn visit<M: Model>(self, model: &M) -> &'static str {
///         model.kind()
///     }
/// }
///
/// let ball = Scene::from_gallery("bouncing_ball")?;
/// assert_eq!(ball.model().visit(Kind), "a system in generalised coordinates");
/// # Ok::<(), stickslip_scene::SceneError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SceneModel {
    /// Generalised coordinates, by expressions.
    Generalised(Arc<Generalised<ExpressionSystem>>),
    /// Rigid bodies, with those that move freely.
    Rigid(Arc<World>, Vec<Body>),
    /// Bodies in the coordinates of their joints.
    Articulated(Arc<Tree>, Vec<LinkId>),
    /// Bodies of four point masses.
    PointMasses(Arc<PointMassWorld>, Vec<Body>),
}

/// A coordinate of a scene's model as limit cycles number it: there is one for every velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalCoordinate {
    /// Its name; that of an angular velocity for the turn of a quaternion about that axis.
    pub name: String,
    /// Its place in the model's own coordinates; those of the whole quaternion for a turn.
    pub own: Range<usize>,
}

impl LocalCoordinate {
    /// Those of a body or joint whose own coordinates begin at this number. If they are more than the velocities, the last four are a
    /// quaternion and the last three velocities angular.
    pub(crate) fn of(first: usize, q: &[String], u: &[String]) -> Vec<Self> {
        let plain = if q.len() > u.len() { u.len().saturating_sub(3) } else { u.len() };
        let one = |i: usize| match i < plain {
            true => Self { name: q[i].clone(), own: first + i..first + i + 1 },
            false => Self { name: u[i].clone(), own: first + plain..first + q.len() },
        };
        (0..u.len()).map(one).collect()
    }
}

/// Something that is done with a model of any kind.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<M: Model>(self, model: &M) -> Self::Output;
}

impl SceneModel {
    /// Shows the model to a visitor.
    pub fn visit<V: Visitor>(&self, visitor: V) -> V::Output {
        match self {
            Self::Generalised(model) => visitor.visit(&**model),
            Self::Rigid(model, _) => visitor.visit(&**model),
            Self::Articulated(model, _) => visitor.visit(&**model),
            Self::PointMasses(model, _) => visitor.visit(&**model),
        }
    }

    /// Whether contacts are looked for while it moves: [`Model::finds_contacts`].
    #[must_use]
    pub fn finds_contacts(&self) -> bool {
        match self {
            Self::Generalised(model) => model.finds_contacts(),
            Self::Rigid(model, _) => model.finds_contacts(),
            Self::Articulated(model, _) => model.finds_contacts(),
            Self::PointMasses(model, _) => model.finds_contacts(),
        }
    }

    /// The same, unless states have the model's own coordinates as names.
    fn bodies(&self) -> Option<Self> {
        let own = matches!(self, Self::Generalised(_));
        (!own).then(|| self.clone())
    }

    /// The motions of the bodies that move freely, in the order of the file; none if the scene has no bodies, or the state is not one of
    /// the model.
    #[must_use]
    pub fn motions(&self, state: &State) -> Option<Vec<(Pose, Twist)>> {
        match self {
            Self::Generalised(_) => None,
            Self::Rigid(world, bodies) => {
                world.validate(&state.q, &state.u).ok()?;
                Some(bodies.iter().map(|&body| world.motion(body, state)).collect())
            }
            Self::Articulated(tree, links) => {
                let (all, order) = (tree.motions(state).ok()?, tree.links().collect::<Vec<_>>());
                let of = |link: &LinkId| order.iter().position(|l| l == link).map(|i| all[i]);
                links.iter().map(of).collect()
            }
            Self::PointMasses(world, bodies) => {
                let fits =
                    state.q.len() == world.coordinates() && state.u.len() == world.velocities();
                fits.then(|| bodies.iter().map(|&body| world.motion(body, state)).collect())
            }
        }
    }

    /// The state by the names of the scene: coordinates and velocities themselves, or those of the bodies.
    #[must_use]
    pub fn observe(&self, state: &State) -> State {
        if self.ambient().is_plane() {
            let found = self.expanded(state);
            return found.map_or_else(|| state.clone(), |(q, u)| State { t: state.t, q, u });
        }
        let Some(motions) = self.motions(state) else { return state.clone() };
        let (mut q, mut u) = (Vec::new(), Vec::new());
        for (pose, twist) in motions {
            let (p, r) = (pose.position, pose.rotation);
            q.extend([p.x, p.y, p.z, r.w, r.x, r.y, r.z]);
            u.extend(twist.linear.to_array().into_iter().chain(twist.angular.to_array()));
        }
        State { t: state.t, q, u }
    }
}

impl SceneModel {
    /// Whether its bodies are in the plane.
    pub(crate) fn ambient(&self) -> Ambient {
        match self {
            Self::Articulated(tree, _) if tree.is_in_plane() => Ambient::Plane,
            _ => Ambient::Space,
        }
    }

    /// Coordinates of the bodies that move freely, and their derivatives, as expressions see them.
    fn expanded(&self, state: &State) -> Option<(Vec<f64>, Vec<f64>)> {
        let motions = self.motions(state)?;
        match self {
            Self::Articulated(tree, links) if tree.is_in_plane() => {
                Some(plane::expand(&motions, Some(&plane::angles(tree, links, state)?)))
            }
            _ => Some(expand(&motions)),
        }
    }
}

/// Coordinates of bodies, and their derivatives with respect to time, as expressions see them.
pub(crate) fn expand(motions: &[(Pose, Twist)]) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut u) =
        (Vec::with_capacity(7 * motions.len()), Vec::with_capacity(7 * motions.len()));
    for (pose, twist) in motions {
        let (p, r, v) = (pose.position, pose.rotation, twist.linear);
        // q̇ = ½ ω q
        let w: DVec3 = 0.5 * twist.angular;
        let rate = DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * r;
        q.extend([p.x, p.y, p.z, r.w, r.x, r.y, r.z]);
        u.extend([v.x, v.y, v.z, rate.w, rate.x, rate.y, rate.z]);
    }
    (q, u)
}

/// A function of the state of a scene's model, in the names of the scene.
#[derive(Clone, Debug)]
pub struct StateFunction {
    function: OfState,
    /// None where the names are those of the model's own coordinates.
    model: Option<SceneModel>,
}

#[derive(Clone, Debug)]
enum OfState {
    Plain(Function),
    WithSensors(Output, Arc<Sensors>),
}

impl From<Function> for StateFunction {
    fn from(function: Function) -> Self {
        Self { function: OfState::Plain(function), model: None }
    }
}

impl StateFunction {
    /// The function that a text at a place of the scene stands for.
    pub(crate) fn of(
        definition: &Definition,
        (place, text): (&str, &str),
        model: &SceneModel,
        sensors: &Arc<Sensors>,
    ) -> Result<Self, DefinitionError> {
        let names = sensors.names_of_state();
        let function = match names.is_empty() {
            true => definition.function(place, text).map(OfState::Plain),
            false => definition
                .function_of(&names, (place, text))
                .map(|output| OfState::WithSensors(output, sensors.clone())),
        };
        Ok(Self { function: function.map_err(|e| sensors.explain(e))?, model: model.bodies() })
    }

    /// A function that is positive where a condition holds.
    pub(crate) fn margin(
        definition: &Definition,
        (place, text): (&str, &str),
        model: &SceneModel,
        sensors: &Arc<Sensors>,
    ) -> Result<Self, DefinitionError> {
        let names = sensors.names_of_state();
        let function = match names.is_empty() {
            true => definition.margin(place, text).map(OfState::Plain),
            false => definition
                .margin_of(&names, (place, text))
                .map(|output| OfState::WithSensors(output, sensors.clone())),
        };
        Ok(Self { function: function.map_err(|e| sensors.explain(e))?, model: model.bodies() })
    }

    /// Its value at coordinates and velocities of the model; NaN if they are not a state of it.
    #[must_use]
    pub fn value(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        let Some(model) = &self.model else { return self.function.value((q, u, t), &[]) };
        let state = State { t, q: q.to_vec(), u: u.to_vec() };
        let Some((q, u)) = model.expanded(&state) else { return f64::NAN };
        let shown = match &self.function {
            OfState::Plain(_) => Vec::new(),
            OfState::WithSensors(_, sensors) => sensors.values_of_state(&state),
        };
        self.function.value((&q, &u, t), &shown)
    }
}

impl OfState {
    fn value(&self, (q, u, t): (&[f64], &[f64], f64), shown: &[f64]) -> f64 {
        match self {
            Self::Plain(function) => function.value(q, u, t),
            Self::WithSensors(output, _) => output.value(q, u, t, shown),
        }
    }
}

/// Components of friction, in the order of a contact's impulses: along its two tangents, and the moment about its normal.
const FRICTION: [&str; 3] = ["t", "o", "r"];

/// What expressions of outputs and plots have beside the state where there are bodies: energies, and of every contact its gap and its
/// force, normal, tangential, and the components of friction.
pub(crate) fn results(info: &SystemInfo) -> Vec<String> {
    let mut names = ["kinetic", "potential", "energy"].map(String::from).to_vec();
    for contact in &info.contacts {
        let name = &contact.name;
        names.push(format!("gap.{name}"));
        names.push(format!("force.{name}.normal"));
        names.push(format!("force.{name}.tangential"));
        let friction = contact.law.components() - contact.law.kind.normals();
        names.extend(FRICTION.iter().take(friction).map(|part| format!("force.{name}.{part}")));
    }
    names
}

/// A function of what a run shows, in the names of the scene.
#[derive(Clone, Debug)]
pub struct SampleFunction {
    output: Output,
    /// With bodies: what their states are made from, and of every contact how many of its components are normal, and how many there are.
    bodies: Option<(SceneModel, Vec<[usize; 2]>)>,
}

impl SampleFunction {
    pub(crate) fn new(output: Output, model: &SceneModel, info: &SystemInfo) -> Self {
        let own = matches!(model, SceneModel::Generalised(_));
        let sizes = info.contacts.iter().map(|c| [c.law.kind.normals(), c.law.components()]);
        Self { output, bodies: (!own).then(|| (model.clone(), sizes.collect())) }
    }

    /// Its value; `forces` are those of all components of all contacts, `sensors` the values of all
    /// [columns](crate::SensorBank::values) of sensors. It is not a number where the sample is not one of the model, and where it has a
    /// sensor that is not given.
    #[must_use]
    pub fn value(&self, sample: &Sample<'_>, forces: &[f64], sensors: &[f64]) -> f64 {
        let Some((model, sizes)) = &self.bodies else {
            return self.output.value(sample.q, sample.u, sample.t, forces);
        };
        let state = State { t: sample.t, q: sample.q.to_vec(), u: sample.u.to_vec() };
        let Some((q, u)) = model.expanded(&state) else { return f64::NAN };
        let energy = sample.energy;
        let mut shown = vec![energy.kinetic, energy.potential, energy.total()];
        let mut row = 0;
        for (i, &[normals, all]) in sizes.iter().enumerate() {
            let of = forces.get(row..row + all).unwrap_or_default();
            let (normal, friction) = of.split_at(normals.min(of.len()));
            shown.push(sample.gaps.get(i).copied().unwrap_or(f64::NAN));
            shown.push(normal.first().copied().unwrap_or(f64::NAN));
            // Of friction with spin the third component is a torque.
            shown.push(friction.iter().take(2).map(|x| x * x).sum::<f64>().sqrt());
            let parts = (all - normals).min(FRICTION.len());
            shown.extend((0..parts).map(|k| friction.get(k).copied().unwrap_or(f64::NAN)));
            row += all;
        }
        shown.extend_from_slice(sensors);
        self.output.value(&q, &u, sample.t, &shown)
    }
}
