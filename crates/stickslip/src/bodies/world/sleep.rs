//! The bodies of a world as sleeping sees them.

use super::place::WorldPlace;
use super::rows::Source;
use super::{Role, World};
use crate::bodies::pose::Coordinates;
use crate::bodies::{Pose, Twist};
use crate::model::{Sleepers, Surroundings};
use std::ops::Range;

impl Sleepers<WorldPlace> for World {
    fn bodies(&self) -> usize {
        self.roles.len()
    }

    fn ranges(&self, body: usize) -> Option<[Range<usize>; 2]> {
        let i = self.roles[body].free()?;
        Some([7 * i..7 * i + 7, 6 * i..6 * i + 6])
    }

    fn ends(&self, place: &WorldPlace, candidate: usize) -> [usize; 2] {
        match &place.sources[candidate] {
            Source::Contact(contact) => contact.bodies,
            Source::Joint(i)
            | Source::Stop(i, _)
            | Source::Drive(i, _)
            | Source::LoadFriction(i) => self.joint_bodies(*i),
        }
    }

    fn joined(&self) -> Vec<[usize; 2]> {
        self.joints.iter().map(|joint| [joint.first, joint.second]).collect()
    }

    fn speed(&self, body: usize, u: &[f64]) -> f64 {
        let Role::Free(i, p) = &self.roles[body] else { return 0.0 };
        let twist = Twist::read(&u[6 * i..]);
        // A body without colliders, whose shapes are those of pairs, reaches about as far as its mass does.
        let inertia = p.inertia();
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let size = self.contacts.extent(body).max((trace / p.mass()).sqrt());
        twist.linear.length() + size * twist.angular.length()
    }

    fn surroundings(
        &self,
        WorldPlace { loads, .. }: &mut WorldPlace,
        (q, u, t): (&[f64], &[f64], f64),
        out: &mut Vec<Surroundings>,
    ) {
        let free = |i: usize| (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..]));
        loads.set((0..self.free).map(free));
        self.load(loads, t);
        out.clear();
        out.extend(self.roles.iter().map(|role| {
            let mut around = Surroundings::default();
            match role {
                Role::Free(i, _) => {
                    let (force, torque) = loads.sums[*i];
                    around.load[..3].copy_from_slice(&force.to_array());
                    around.load[3..].copy_from_slice(&torque.to_array());
                }
                Role::Prescribed(motion) => {
                    let (pose, twist) = motion(t);
                    pose.write(&mut around.pose);
                    twist.write(&mut around.twist);
                }
            }
            around
        }));
    }
}
