//! A body that is pulled: the change of the velocities by an impulse at a point of it.
//!
//! The point is to move towards the target with a velocity in proportion to its distance. The impulse that takes it there is
//! λ = α (J M⁻¹ Jᵀ)⁻¹ (v* − v), where J are the velocities of the point for unit velocities of the model, and M comes from the
//! kinetic energy; so it works alike for light and heavy bodies, and for any model.

use glam::{DMat3, DVec3};
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
    let all: Vec<DVec3> = (0..n).map(|i| velocity(&unit(i)) - rest).collect();
    // Velocities of other free bodies do not move the point, nor are they coupled to it by the masses.
    let coupled = matches!(scene.model(), SceneModel::Generalised(_) | SceneModel::Articulated(..));
    let own: Vec<usize> = (0..n).filter(|&i| coupled || all[i] != DVec3::ZERO).collect();
    if own.len() > MOST {
        return Err(format!("mechanisms with more than {MOST} velocities cannot be dragged"));
    }
    let columns: Vec<DVec3> = own.iter().map(|&i| all[i]).collect();
    let mass = masses(model, state, &own);
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
    for (&i, response) in own.iter().zip(&responses) {
        state.u[i] += response.dot(impulse);
    }
    Ok(())
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
        let scene = Scene::from_gallery(name).unwrap();
        let mut state = scene.start();
        state.u.fill(0.0);
        scene.model().visit(Pull(&scene, drag, &mut state)).unwrap();
        state
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
