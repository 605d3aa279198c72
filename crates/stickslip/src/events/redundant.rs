//! Redundant forces: where more contacts hold than are needed, many forces lead to the same motion, and the shortest of them may
//! violate a law that others obey. The ones most inside of the laws are found here.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | y | the unknown forces of the mode, in units | n |
//! | k | the forces that change nothing, as directions of y | d × n |
//! | z | how much of each is added | d |
//! | m | margins: Λ_N of all contacts and, where they stick, limit − \|Λ_T\| | |

use super::linear::{Small, Solved};
use super::motion::Motion;
use super::tolerance::{INSIDE, JOINS, ROUND, SHARPNESS};
use crate::contact::Mode;
use complementarity::Matrix;

/// Iterations: far outside of the laws each gains about load / SHARPNESS.
const ITERATIONS: usize = 200;

/// A concave margin: its value, its gradient by y, and the part of the rows that its curvature is about.
struct Margin {
    value: f64,
    gradient: Vec<f64>,
    /// −∇²m, by pairs of unknowns.
    bend: Vec<(usize, usize, f64)>,
}

impl Motion {
    /// Finds the forces most inside of the laws at the last evaluation, where its forces are not unique, and keeps near to them from
    /// now on in this mode; those on the limits or beyond only if `at_limits`. False if there are none.
    pub(super) fn centre_redundant(&mut self, at_limits: bool) -> bool {
        self.reference = None;
        let mut y = self.right.clone();
        if self.closed.is_empty()
            || self.skims()
            || self.small.solve(&self.a, &mut y) != Solved::Shortest
        {
            return false;
        }
        let kernel = self.small.kernel();
        let load =
            self.rows.iter().zip(&y).fold(0.0_f64, |m, (r, y)| m.max((self.unit[r.0] * y).abs()));
        if kernel.is_empty() || !(load > 0.0) {
            return false;
        }
        for _ in 0..ITERATIONS {
            let margins = self.margins(&y, load);
            let Some(by) = newton(&margins, &kernel, load) else { break };
            if !self.descend(&mut y, &by, load) {
                break;
            }
        }
        let inside = self.margins(&y, load).iter().all(|m| m.value > INSIDE * load);
        self.reference = (inside || at_limits).then_some(y);
        self.reference.is_some()
    }

    /// Whether a sticking contact has next to nothing left of its friction while redundant forces are centred: others cannot take
    /// anything from it, so that it begins to slide with them.
    pub(super) fn joins_slip(&self, contact: usize) -> bool {
        self.reference.is_some()
            && self.find(contact).is_some_and(|c| {
                let friction = self.lam[c.tangents()].iter().map(|x| x * x).sum::<f64>().sqrt();
                c.mode == Mode::Stick
                    && friction > (1.0 - JOINS) * self.laws[contact].limit(self.lam[c.start])
            })
    }

    /// Goes along a direction as far as the sum of the exponentials falls; false if it does not.
    fn descend(&self, y: &mut Vec<f64>, by: &[f64], load: f64) -> bool {
        let sum = |y: &[f64]| {
            let margins = self.margins(y, load);
            margins.iter().map(|m| (-SHARPNESS * m.value / load).exp()).sum::<f64>()
        };
        let (now, mut share) = (sum(y), 1.0);
        for _ in 0..20 {
            let next: Vec<f64> = y.iter().zip(by).map(|(y, d)| y + share * d).collect();
            if sum(&next) < now * (1.0 - 1e-12) {
                *y = next;
                return true;
            }
            share *= 0.5;
        }
        false
    }

    /// The margins of the closed contacts at these forces.
    fn margins(&self, y: &[f64], load: f64) -> Vec<Margin> {
        let mut all = Vec::new();
        let mut first = 0;
        for (i, c) in self.closed.iter().enumerate() {
            let count = self.rows[first..].iter().take_while(|row| row.1 == i).count();
            let unit = |k: usize| self.unit[self.rows[k].0];
            let mut normal = vec![0.0; y.len()];
            normal[first] = unit(first);
            let force = unit(first) * y[first];
            let law = &self.laws[c.contact];
            if c.mode == Mode::Stick && law.has_free_friction() {
                let tangents = first + 1..first + count;
                let squares: f64 = tangents.clone().map(|k| (unit(k) * y[k]).powi(2)).sum();
                let size = (squares + (ROUND * load).powi(2)).sqrt();
                let mut gradient: Vec<f64> = normal.iter().map(|n| law.mu * n).collect();
                let mut bend = Vec::new();
                for k in tangents.clone() {
                    gradient[k] = -unit(k) * unit(k) * y[k] / size;
                    for l in tangents.clone() {
                        let own = if k == l { unit(k) * unit(k) / size } else { 0.0 };
                        let turned = unit(k) * unit(k) * y[k] * unit(l) * unit(l) * y[l];
                        bend.push((k, l, own - turned / size.powi(3)));
                    }
                }
                all.push(Margin { value: law.limit(force) - squares.sqrt(), gradient, bend });
            }
            all.push(Margin { value: force, gradient: normal, bend: Vec::new() });
            first += count;
        }
        all
    }
}

/// Newton's step of Σ exp(−SHARPNESS m / load) over the kernel, as a change of y.
fn newton(margins: &[Margin], kernel: &[Vec<f64>], load: f64) -> Option<Vec<f64>> {
    let (d, beta) = (kernel.len(), SHARPNESS / load);
    let least = margins.iter().fold(f64::INFINITY, |m, x| m.min(x.value));
    let mut matrix = Matrix::zeros(d, d);
    let mut z = vec![0.0; d];
    for m in margins {
        // Relative to the largest exponential, which is a factor of both sides.
        let weight = (-beta * (m.value - least)).exp();
        let along: Vec<f64> = kernel.iter().map(|k| crate::dynamics::dot(k, &m.gradient)).collect();
        for i in 0..d {
            z[i] += weight * beta * along[i];
            for j in 0..d {
                let bend: f64 =
                    m.bend.iter().map(|&(r, c, b)| kernel[i][r] * b * kernel[j][c]).sum();
                matrix[(i, j)] += weight * (beta * beta * along[i] * along[j] + beta * bend);
            }
        }
    }
    if Small::default().solve(&matrix, &mut z) == Solved::No {
        return None;
    }
    let n = kernel.first()?.len();
    Some((0..n).map(|r| kernel.iter().zip(&z).map(|(k, z)| k[r] * z).sum()).collect())
}
