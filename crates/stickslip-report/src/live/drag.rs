//! A body that is pulled: the change of the velocities by an impulse at a point of it.
//!
//! The point is to move towards the target with a velocity in proportion to its distance. The impulse that takes it there is
//! λ = α (J M⁻¹ Jᵀ)⁻¹ (v* − v), where J are the velocities of the point for unit velocities of the model, and M comes from the
//! kinetic energy; so it works alike for light and heavy bodies, and for any model.

use glam::{DMat3, DVec3};
use std::ops::Range;
use stickslip::bodies::Body;
use stickslip::bodies::forces::BodyIndex;
use stickslip::model::Model;
use stickslip::system::State;
use stickslip_scene::{DrawnNumber, Scene, SceneModel};

/// Distances are made up for at this rate, 1/s.
const RATE: f64 = 8.0;
/// The share of the missing velocity that one impulse gives.
const SHARE: f64 = 0.35;
/// More velocities than these are not treated together.
const MOST: usize = 60;

/// What is pulled, and where to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drag {
    pub(super) body: usize,
    pub(super) point: DVec3,
    pub(super) target: DVec3,
}

/// Changes the velocities; says why where it cannot.
pub(super) fn pull<M: Model>(
    model: &M,
    scene: &Scene,
    drag: &Drag,
    state: &mut State,
) -> Result<(), String> {
    let Some(place) = point(scene, drag, state) else {
        return Err("what is dragged is not there".into());
    };
    let velocity =
        |u: &[f64]| point_velocity(scene, drag, &State { u: u.to_vec(), ..state.clone() });
    let n = state.u.len();
    let rest = velocity(&vec![0.0; n]);
    let unit = |i: usize| (0..n).map(|k| f64::from(u8::from(k == i))).collect::<Vec<_>>();
    let own = own_velocities(scene, drag.body, n);
    if own.len() > MOST {
        return Err(format!("mechanisms with more than {MOST} velocities cannot be dragged"));
    }
    let columns: Vec<DVec3> = own.clone().map(|i| velocity(&unit(i)) - rest).collect();
    let mass = masses(model, state, &own.clone().collect::<Vec<_>>());
    let Some(responses) = solve(mass, &columns) else {
        return Err("the masses at this point are not positive".into());
    };
    let mut a = DMat3::ZERO;
    for (column, response) in columns.iter().zip(&responses) {
        a += DMat3::from_cols(*response * column.x, *response * column.y, *response * column.z);
    }
    let size = a.x_axis.x + a.y_axis.y + a.z_axis.z;
    if !(size > 0.0) {
        return Err("this point cannot move".into());
    }
    let wanted = RATE * (drag.target - place) - velocity(&state.u);
    // Directions in which the point cannot move are left alone.
    let a = a + DMat3::from_diagonal(DVec3::splat(1e-6 * size));
    let impulse = SHARE * (a.inverse() * wanted);
    let changes: Vec<f64> = responses.iter().map(|response| response.dot(impulse)).collect();
    if changes.iter().any(|x| !x.is_finite()) {
        return Err("the target is too far away".into());
    }
    own.zip(changes).for_each(|(i, change)| state.u[i] += change);
    Ok(())
}

/// The velocities that move a body: its own where bodies are free, since the masses do not couple them, else all.
fn own_velocities(scene: &Scene, body: usize, n: usize) -> Range<usize> {
    let (SceneModel::Rigid(_, free) | SceneModel::PointMasses(_, free)) = scene.model() else {
        return 0..n;
    };
    let is_it = |b: &Body| scene.body_of_model(BodyIndex::from(*b).index()) == Some(body);
    let each = n / free.len().max(1);
    free.iter().position(is_it).map_or(0..0, |k| each * k..each * (k + 1))
}

/// Where the point is.
fn point(scene: &Scene, drag: &Drag, state: &State) -> Option<DVec3> {
    if let Some(motions) = scene.body_motions(state) {
        let (pose, _) = motions.get(drag.body)?;
        return Some(pose.position + pose.rotation * drag.point);
    }
    centre(scene, drag.body, state)
}

/// Its velocity.
fn point_velocity(scene: &Scene, drag: &Drag, state: &State) -> DVec3 {
    if let Some(motions) = scene.body_motions(state) {
        let Some((pose, twist)) = motions.get(drag.body) else { return DVec3::ZERO };
        return twist.linear + twist.angular.cross(pose.rotation * drag.point);
    }
    // Of a part of the drawing, by a small step ahead; velocities are the rates of coordinates.
    let h = 1e-6 / state.u.iter().fold(1.0, |m: f64, u| m.max(u.abs()));
    let ahead = |s: f64| {
        let q = state.q.iter().zip(&state.u).map(|(q, u)| q + s * u).collect();
        centre(scene, drag.body, &State { q, ..state.clone() })
    };
    ahead(h).zip(ahead(-h)).map_or(DVec3::ZERO, |(a, b)| (a - b) / (2.0 * h))
}

/// The first point of a part of the drawing: a centre, or an end.
fn centre(scene: &Scene, part: usize, state: &State) -> Option<DVec3> {
    let drawing = scene.drawing();
    let (_, numbers) = drawing.get(part)?;
    let value = |k: usize| match numbers.get(k)? {
        DrawnNumber::Constant(x) => Some(*x),
        DrawnNumber::Function(f) => Some(f.value(&state.q, &state.u, state.t)),
    };
    Some(DVec3::new(value(0)?, value(1)?, 0.0))
}

/// The entries of M for some velocities: the kinetic energy is ½ uᵀ M u + bᵀ u + c.
fn masses<M: Model>(model: &M, state: &State, own: &[usize]) -> Vec<Vec<f64>> {
    let mut u = vec![0.0; state.u.len()];
    let mut energy = |set: &[usize]| {
        u.fill(0.0);
        set.iter().for_each(|&i| u[i] += 1.0);
        model.energy(&state.q, &u, state.t).kinetic
    };
    let none = energy(&[]);
    let single: Vec<f64> = own.iter().map(|&i| energy(&[i])).collect();
    let mut m = vec![vec![0.0; own.len()]; own.len()];
    for i in 0..own.len() {
        for j in 0..=i {
            let both = energy(&[own[i], own[j]]);
            m[i][j] = both - single[i] - single[j] + none;
            m[j][i] = m[i][j];
        }
    }
    m
}

/// M⁻¹ of columns, by Cholesky's method; none if M is not positive definite.
fn solve(mut m: Vec<Vec<f64>>, columns: &[DVec3]) -> Option<Vec<DVec3>> {
    let n = m.len();
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| m[i][k] * m[j][k]).sum();
            m[i][j] = if i == j {
                let rest = m[i][i] - sum;
                if !(rest > 0.0) {
                    return None;
                }
                rest.sqrt()
            } else {
                (m[i][j] - sum) / m[j][j]
            };
        }
    }
    let mut x = columns.to_vec();
    for i in 0..n {
        let sum: DVec3 = (0..i).map(|k| m[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / m[i][i];
    }
    for i in (0..n).rev() {
        let sum: DVec3 = (i + 1..n).map(|k| m[k][i] * x[k]).sum();
        x[i] = (x[i] - sum) / m[i][i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_scene::Visitor;

    struct Pull<'a>(&'a Scene, Drag, &'a mut State);

    impl Visitor for Pull<'_> {
        type Output = Result<(), String>;

        fn visit<M: Model>(self, model: &M) -> Self::Output {
            pull(model, self.0, &self.1, self.2)
        }
    }

    fn pulled(name: &str, drag: Drag) -> State {
        try_pull(name, drag).unwrap()
    }

    fn try_pull(name: &str, drag: Drag) -> Result<State, String> {
        let scene = Scene::from_gallery(name).unwrap();
        let mut state = scene.start();
        state.u.fill(0.0);
        scene.model().visit(Pull(&scene, drag, &mut state))?;
        Ok(state)
    }

    #[test]
    fn each_of_many_free_bodies_is_pulled_alone() {
        for name in ["billiards", "plane_stack", "point_mass_box"] {
            let scene = Scene::from_gallery(name).unwrap();
            let free: Vec<usize> =
                scene.looks().iter().enumerate().filter(|(_, b)| b.free).map(|(i, _)| i).collect();
            let motions = |s: &State| scene.body_motions(s).unwrap();
            let begin = motions(&scene.start());
            for &body in &free {
                let target = begin[body].0.position + DVec3::X;
                let state = pulled(name, Drag { body, point: DVec3::ZERO, target });
                for &other in &free {
                    let moves = motions(&state)[other].1.linear.length() > 0.1;
                    assert_eq!(moves, other == body, "{name}: {body} {other}");
                }
            }
        }
    }

    #[test]
    fn a_target_beyond_all_numbers_is_refused() {
        let drag = Drag { body: 1, point: DVec3::ZERO, target: DVec3::X * 1e308 };
        assert!(try_pull("tumbling_box", drag).unwrap_err().contains("too far"));
    }

    #[test]
    fn a_free_body_is_pulled_towards_the_target_by_its_share() {
        let to = |target| Drag { body: 1, point: DVec3::ZERO, target };
        let state = pulled("tumbling_box", to(DVec3::new(0.5, 0.0, -1.0)));
        let expected = SHARE * RATE * DVec3::new(0.5, 0.0, -1.0);
        assert!((DVec3::from_slice(&state.u) - expected).length() < 1e-4, "{:?}", state.u);
        assert!(state.u[3..].iter().all(|w| w.abs() < 1e-9));
    }

    #[test]
    fn a_pull_beside_the_centre_turns_the_body() {
        let drag = Drag { body: 1, point: DVec3::X * 0.15, target: DVec3::new(0.15, 0.0, 1.0) };
        assert!(pulled("tumbling_box", drag).u[4] < -0.1);
    }

    #[test]
    fn a_part_of_a_drawing_moves_its_coordinate() {
        // The block of the scene, after floor, wall and spring.
        let drag = Drag { body: 3, point: DVec3::ZERO, target: DVec3::new(1.2, 0.05, 0.0) };
        let state = pulled("spring_block", drag);
        assert!((state.u[0] - SHARE * RATE).abs() < 1e-3, "{:?}", state.u);
    }
}
