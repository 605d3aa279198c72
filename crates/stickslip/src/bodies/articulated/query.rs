//! What a tree says of a state: motions of links, accelerations, forces of joints, the mass matrix.

use super::TreeJoint;
use super::place::{TreePlace, Work};
use super::placement::Placement;
use super::tree::{LinkId, Tree};
use crate::bodies::pose::logarithm;
use crate::bodies::{Pose, Twist};
use crate::error::{Error, check};
use crate::model::{Model, check_sizes};
use crate::system::State;
use glam::DVec3;
use std::ops::Range;

impl Tree {
    /// At coordinates 0 and quaternions (1, 0, 0, 0), at rest; loops may be open there.
    #[must_use]
    pub fn rest(&self) -> State {
        let mut state = State::new(vec![0.0; self.coordinates()], vec![0.0; self.velocities()]);
        for link in &self.links {
            if let Some(at) = link.joint.quaternion() {
                state.q[link.q.start + at] = 1.0;
            }
        }
        state
    }

    /// A state with these coordinates and velocities, brought onto the loops by the shortest way.
    ///
    /// # Errors
    /// If sizes or numbers are refused by [`Model::validate`], or a loop cannot close from there.
    pub fn state(&self, q: &[f64], u: &[f64]) -> Result<State, Error> {
        self.validate(q, u)?;
        let mut state = State::new(q.to_vec(), u.to_vec());
        self.close_loops(&mut TreePlace::default(), &mut state.q, &mut state.u, 0.0)?;
        Ok(state)
    }

    /// All links, in the order in which they were added.
    pub fn links(&self) -> impl Iterator<Item = LinkId> + use<> {
        (1..=self.links.len()).map(LinkId)
    }

    /// Where the coordinates and the velocities of a link's joint stand.
    ///
    /// # Errors
    /// If the link is not of this tree, or its ground.
    pub fn indices(&self, link: LinkId) -> Result<(Range<usize>, Range<usize>), Error> {
        let l = self.jointed(link, || "the link".into())?;
        Ok((l.q.clone(), l.u.clone()))
    }

    /// The pose and twist of a link's centre of mass at a state. Cost: proportional to the links.
    ///
    /// # Errors
    /// If the link is not of this tree, or the state is refused by [`Model::validate`].
    pub fn motion(&self, link: LinkId, state: &State) -> Result<(Pose, Twist), Error> {
        self.known(link, || "the link".into())?;
        self.validate(&state.q, &state.u)?;
        let Some(i) = link.0.checked_sub(1) else { return Ok(Default::default()) };
        let mut work = Work::default();
        self.move_links(&mut work, (&state.q, &state.u, state.t));
        let (pose, v) = (work.at.poses[i], work.moving.v[i]);
        Ok((pose, Twist { linear: v.linear, angular: v.angular }))
    }

    /// The poses and twists of all links at a state, in the order of [`links`](Self::links).
    ///
    /// # Errors
    /// If the state is refused by [`Model::validate`].
    pub fn motions(&self, state: &State) -> Result<Vec<(Pose, Twist)>, Error> {
        self.validate(&state.q, &state.u)?;
        let mut work = Work::default();
        self.move_links(&mut work, (&state.q, &state.u, state.t));
        let twist = |i: usize| {
            let v = work.moving.v[i];
            Twist { linear: v.linear, angular: v.angular }
        };
        Ok((0..self.links.len()).map(|i| (work.at.poses[i], twist(i))).collect())
    }

    /// The angle about z of a link of a tree [in the plane](Tree::in_plane), with all its turns: the sum of those of the joints that it
    /// hangs on. Cost: proportional to their number.
    ///
    /// # Errors
    /// If the tree is not in the plane, the link is not one that hangs on joints, or sizes do not fit.
    pub fn angle(&self, link: LinkId, q: &[f64]) -> Result<f64, Error> {
        let flat = self.is_in_plane();
        let wanted = "one of a tree in the plane: links in space have quaternions";
        check(|| "the link of an angle".into(), link.number() as f64, flat, wanted)?;
        check_sizes(self, q, &vec![0.0; self.velocities()])?;
        let (mut sum, mut next) = (0.0, link);
        while next != Self::GROUND {
            let l = self.jointed(next, || "the link of an angle".into())?;
            let held = l.moved.is_none();
            check(|| "the link of an angle".into(), next.number() as f64, held, "not prescribed")?;
            let still = l.on_parent.rotation * l.on_link.rotation.conjugate();
            let own = match l.joint {
                TreeJoint::Revolute => q[l.q.start],
                TreeJoint::Planar => q[l.q.start + 2],
                _ => 0.0,
            };
            // Frames may be turned over.
            let up = (l.on_parent.rotation * DVec3::Z).z;
            sum += logarithm(still).z + up.signum() * own;
            next = LinkId(l.parent.map_or(0, |p| p + 1));
        }
        Ok(sum)
    }

    /// u̇ at a state without contacts, limits, friction and closures. Cost: proportional to the links.
    ///
    /// # Errors
    /// If the state is refused by [`Model::validate`], or the mass matrix is singular to rounding.
    pub fn acceleration(&self, state: &State) -> Result<Vec<f64>, Error> {
        self.validate(&state.q, &state.u)?;
        let (mut work, mut out) = (Work::default(), vec![0.0; self.velocities()]);
        work.at.place(&self.links, &state.q, state.t)?;
        self.accelerate(&mut work, (&state.q, &state.u, state.t), &mut out);
        Ok(out)
    }

    /// The forces of the joints that give the accelerations `a` against gravity and forces on links, by recursive
    /// Newton-Euler; forces of joints that were added do not count. Cost: proportional to the links.
    ///
    /// # Errors
    /// If sizes do not fit or the state is refused by [`Model::validate`].
    pub fn inverse_dynamics(&self, state: &State, a: &[f64]) -> Result<Vec<f64>, Error> {
        self.validate(&state.q, &state.u)?;
        let mut out = self.vector("the accelerations", a)?;
        let mut work = Work::default();
        work.at.locate(&self.links, &state.q, state.t);
        self.bias(&mut work, (&state.q, &state.u, state.t));
        let bias = work.moving.bias(self.gravity);
        work.at.inverse(&self.links, Some(bias), a, &mut work.sweep, &mut out);
        Ok(out)
    }

    /// M⁻¹ x at coordinates. Cost: proportional to the links.
    ///
    /// # Errors
    /// If sizes do not fit, or the mass matrix is singular to rounding.
    pub fn inverse_mass_times(&self, q: &[f64], x: &[f64]) -> Result<Vec<f64>, Error> {
        let mut out = self.vector("the vector", x)?;
        self.validate(q, x)?;
        let mut work = Work::default();
        work.at.place(&self.links, q, 0.0)?;
        work.solve(&self.links, x, &mut out);
        Ok(out)
    }

    /// The mass matrix by rows, by composite rigid bodies. Cost: velocities times depth, and storage for all entries.
    ///
    /// # Errors
    /// If sizes do not fit.
    pub fn mass_matrix(&self, q: &[f64]) -> Result<Vec<f64>, Error> {
        let u = vec![0.0; self.velocities()];
        self.validate(q, &u)?;
        let mut at = Placement::default();
        at.locate(&self.links, q, 0.0);
        Ok(at.mass_matrix(&self.links))
    }

    /// Storage for one number per velocity, if the given vector has as many.
    fn vector(&self, what: &'static str, x: &[f64]) -> Result<Vec<f64>, Error> {
        let (expected, found) = (self.velocities(), x.len());
        if expected != found {
            return Err(Error::Size { what, expected, found });
        }
        Ok(vec![0.0; expected])
    }
}
