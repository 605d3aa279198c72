//! How integrators see bodies of point masses.

use super::rows::PointRow;
use super::tetrahedron::{Bars, Quad, centre, largest, unit_momentum};
use super::world::{MOST_COMPONENTS, OFF, PointMassWorld, Role, Side, read, write};
use crate::bodies::Twist;
use crate::contact::{ContactProblem, Law};
use crate::error::{Error, check};
use crate::mechanism::{Candidate, Mechanism};
use crate::system::Energy;
use complementarity::cone::BlockMatrix;
use glam::DVec3;

impl Mechanism for PointMassWorld {
    fn coordinates(&self) -> usize {
        12 * self.bodies.len()
    }

    fn velocities(&self) -> usize {
        12 * self.bodies.len()
    }

    fn validate(&self, q: &[f64], u: &[f64]) -> Result<(), Error> {
        let expected = 12 * self.bodies.len();
        for (what, x) in [("the coordinates q", q), ("the velocities u", u)] {
            if x.len() != expected {
                return Err(Error::Size { what, expected, found: x.len() });
            }
            if !x.iter().all(|v| v.is_finite()) {
                return Err(Error::NotFinite { what, t: 0.0 });
            }
        }
        for (i, body) in self.bodies.iter().enumerate() {
            let x = read(&q[12 * i..]);
            let off = largest(&body.excess(&x)) / body.longest();
            let place = || format!("the distances of the masses of body {}, less theirs", i + 1);
            check(place, off, off < OFF, "0; make states with PointMassWorld::state")?;
            let side = super::tetrahedron::corner_map(&x).determinant();
            let place = || format!("the volume of the masses of body {}", i + 1);
            check(place, side, side > 0.0, "> 0: the masses are mirrored")?;
        }
        Ok(())
    }

    fn detect(&mut self, q: &[f64], t: f64, out: &mut Vec<Candidate>) -> Result<(), Error> {
        self.poses.clear();
        self.masses.clear();
        self.bars.clear();
        for role in &self.roles {
            self.poses.push(match role {
                Role::Free(i, ()) => {
                    let x = read(&q[12 * i..]);
                    let bars = Bars::new(&x)
                        .ok_or(Error::NotFinite { what: "a place of a point mass", t })?;
                    self.bars.push(bars);
                    self.masses.push(x);
                    (self.bodies[*i].pose(&x), Twist::default())
                }
                Role::Prescribed(motion) => motion(t),
            });
        }
        self.seen.clear();
        for (index, touch) in self.touches.iter().enumerate() {
            let (a, b) = (&self.poses[touch.first].0, &self.poses[touch.second].0);
            let (close, candidate) = touch.detect(index as u64, a, b);
            self.seen.push(close);
            out.push(candidate);
        }
        Ok(())
    }

    fn free(
        &mut self,
        q: &[f64],
        u: &[f64],
        t: f64,
        dt: f64,
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.loads(q, u, t, dt);
        for (i, (body, load)) in self.bodies.iter().zip(&self.loads).enumerate() {
            let (x, v) = (read(&q[12 * i..]), read(&u[12 * i..]));
            let end = self.step.free(body, &x, &v, *load, dt);
            let Some(end) = end.filter(|v| v.iter().all(|x| x.is_finite())) else {
                let what = "the velocity of a body of point masses after one step";
                return Err(Error::NotFinite { what, t });
            };
            write(&end, &mut out[12 * i..12 * i + 12]);
        }
        Ok(())
    }

    fn collect(&mut self, active: &[usize]) {
        self.sides.clear();
        self.components.clear();
        self.drive.clear();
        for &i in active {
            let (touch, close) = (&self.touches[i], &self.seen[i]);
            let (start, components) = (self.drive.len(), touch.law.components());
            self.components.push(components);
            let mut drive = [0.0; MOST_COMPONENTS];
            let sides = touch.sides(close);
            for side in sides {
                self.prescribed_part(close, side, &mut drive[..components]);
            }
            self.sides.push(sides.map(|side| self.side(touch, close, side)));
            self.drive.resize(start + components, 0.0);
            self.drive[start..].copy_from_slice(&drive[..components]);
        }
    }

    fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        gamma.clear();
        gamma.extend_from_slice(&self.drive);
        let mut first = 0;
        for (sides, components) in self.sides.iter().zip(&self.components) {
            for side in sides.iter().filter(|s| s.components > 0) {
                let v = read(&u[12 * side.free..]);
                for (g, row) in gamma[first..first + components].iter_mut().zip(&side.rows) {
                    *g += dot(row, &v);
                }
            }
            first += components;
        }
    }

    fn drive(&self) -> &[f64] {
        &self.drive
    }

    fn pose(
        &mut self,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        let mut at_body: Vec<Vec<(usize, &Side)>> = vec![Vec::new(); self.bodies.len()];
        for (i, sides) in self.sides.iter().enumerate() {
            for side in sides.iter().filter(|s| s.components > 0) {
                at_body[side.free].push((i, side));
            }
        }
        let mut blocks = Vec::new();
        for list in &at_body {
            for (n, &(i, a)) in list.iter().enumerate() {
                for &(j, b) in &list[..=n] {
                    let rows = a.rows[..a.components].iter();
                    let entries = rows.flat_map(|row| {
                        b.response[..b.components].iter().map(move |response| dot(row, response))
                    });
                    blocks.push((i, j, entries.collect()));
                }
            }
        }
        let w = BlockMatrix::from_blocks(&self.components, blocks)?;
        *problem = ContactProblem::new(w, bias.to_vec(), laws.to_vec())?;
        Ok(())
    }

    fn apply(&self, impulse: &[f64], u: &mut [f64]) {
        let mut first = 0;
        for (sides, components) in self.sides.iter().zip(&self.components) {
            for side in sides.iter().filter(|s| s.components > 0) {
                let mut v = read(&u[12 * side.free..]);
                for (response, lam) in side.response.iter().zip(&impulse[first..first + components])
                {
                    v.iter_mut().zip(response).for_each(|(v, r)| *v += *lam * *r);
                }
                write(&v, &mut u[12 * side.free..12 * side.free + 12]);
            }
            first += components;
        }
    }

    fn momentum_error(&self, free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        let mut reaction = vec![[DVec3::ZERO; 4]; self.bodies.len()];
        let mut first = 0;
        for (sides, components) in self.sides.iter().zip(&self.components) {
            for side in sides.iter().filter(|s| s.components > 0) {
                for (row, lam) in side.rows.iter().zip(&impulse[first..first + components]) {
                    let to = &mut reaction[side.free];
                    to.iter_mut().zip(row).for_each(|(t, r)| *t += *lam * *r);
                }
            }
            first += components;
        }
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for (i, (body, r)) in self.bodies.iter().zip(&reaction).enumerate() {
            let (a, b) = (read(&after[12 * i..]), read(&free[12 * i..]));
            let (q, mass) = (&self.masses[i], body.properties().mass());
            let inertia = body.properties().inertia();
            let turn = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z).sqrt();
            // The bars have neither force nor moment: what is left is that of a rigid body.
            let change: Quad = std::array::from_fn(|k| 0.25 * mass * (a[k] - b[k]) - r[k]);
            let (push, twist) = (4.0 * centre(&change), unit_momentum(q, &change));
            worst = worst.max(push.length() / mass.sqrt()).max(twist.length() / turn);
            let momentum = a.map(|v| 0.25 * mass * v);
            for p in [&momentum, r] {
                let size = (4.0 * centre(p)).length() / mass.sqrt();
                largest = largest.max(size).max(unit_momentum(q, p).length() / turn);
            }
        }
        if largest > 0.0 { worst / largest } else { worst }
    }

    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
        for (i, body) in self.bodies.iter().enumerate() {
            let at = 12 * i..12 * i + 12;
            let (x, a, b) =
                (read(&q[at.clone()]), read(&before[at.clone()]), read(&after[at.clone()]));
            write(&self.step.advance(body, &x, &a, &b, dt), &mut out[at]);
        }
    }

    fn stabilise(&mut self, q: &mut [f64], u: &mut [f64], t: f64) -> Result<f64, Error> {
        let mut drift = 0.0_f64;
        for (i, body) in self.bodies.iter().enumerate() {
            let at = 12 * i..12 * i + 12;
            let (mut x, mut v) = (read(&q[at.clone()]), read(&u[at.clone()]));
            drift = drift.max(largest(&body.excess(&x)));
            let bars = body.restore(&mut x).and_then(|()| Bars::new(&x));
            let Some(bars) = bars else {
                let what = "the distances of point masses, put back,";
                return Err(Error::NotFinite { what, t });
            };
            bars.hold(&mut v, [0.0; 6]);
            write(&x, &mut q[at.clone()]);
            write(&v, &mut u[at]);
        }
        Ok(drift)
    }

    fn energy(&mut self, q: &[f64], u: &[f64], _: f64) -> Energy {
        let mut energy = Energy::default();
        for (i, body) in self.bodies.iter().enumerate() {
            let (x, v) = (read(&q[12 * i..]), read(&u[12 * i..]));
            let mass = body.properties().mass();
            energy.kinetic += 0.125 * mass * v.iter().map(|v| v.length_squared()).sum::<f64>();
            energy.potential -= mass * self.gravity.dot(centre(&x));
        }
        energy
    }
}

fn dot(a: &PointRow, b: &PointRow) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}
