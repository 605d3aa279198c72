//! Contacts that impulses connect.

use crate::{ContactProblem, Delassus};

impl ContactProblem {
    /// Puts the number of the island of each contact into `out`, which is that of the first contact in it: impulses in one island make no
    /// velocities in another.
    pub fn islands(&self, out: &mut Vec<usize>) {
        out.clear();
        out.extend(0..self.contacts());
        match self.delassus() {
            Delassus::Dense(w) => {
                for i in 0..self.contacts() {
                    let coupled = |j: &usize| {
                        self.rows(i).any(|r| w.row(r)[self.rows(*j)].iter().any(|x| *x != 0.0))
                    };
                    (0..i).filter(coupled).for_each(|j| join(out, i, j));
                }
            }
            Delassus::Sparse(w) => {
                for i in 0..w.len() {
                    w.row(i).for_each(|(j, _)| join(out, i, j));
                }
            }
            Delassus::Bodies(w) => {
                for body in 0..w.bodies() {
                    let at = w.at(body as u32);
                    at.windows(2).for_each(|two| join(out, two[0].0 as usize, two[1].0 as usize));
                }
            }
        }
        // Numbers go down along the way to the first of an island, so one pass ends at it.
        for i in 0..out.len() {
            out[i] = out[out[i]];
        }
    }
}

/// Makes one island of those of two contacts.
fn join(numbers: &mut [usize], i: usize, j: usize) {
    let (a, b) = (first(numbers, i), first(numbers, j));
    numbers[a.max(b)] = a.min(b);
}

/// The first contact of an island; the way to it becomes shorter.
fn first(numbers: &mut [usize], mut i: usize) -> usize {
    while numbers[i] != i {
        numbers[i] = numbers[numbers[i]];
        i = numbers[i];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyRows, Law};

    const ROW: [f64; 6] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];

    /// Frictionless contacts between these bodies; `None` is the ground.
    fn problem(pairs: &[[Option<usize>; 2]]) -> ContactProblem {
        let mut w = BodyRows::default();
        w.start(1 + pairs.iter().flatten().flatten().max().copied().unwrap_or(0));
        for &pair in pairs {
            w.push(pair, [[ROW, ROW.map(|x| -x)]]);
        }
        w.finish().unwrap();
        let laws = pairs.iter().map(|_| Law::frictionless()).collect();
        ContactProblem::new(Delassus::from(w), vec![0.0; pairs.len()], laws).unwrap()
    }

    #[test]
    fn the_ground_connects_nothing_and_a_late_contact_joins_two_islands() {
        let (a, b, c, ground) = (Some(0), Some(1), Some(2), None);
        let mut out = Vec::new();
        let apart = problem(&[[a, ground], [b, ground], [c, ground], [b, ground]]);
        apart.islands(&mut out);
        assert_eq!(out, [0, 1, 2, 1]);
        let joined = problem(&[[a, ground], [b, ground], [c, ground], [b, c], [a, b]]);
        joined.islands(&mut out);
        assert_eq!(out, [0; 5]);
    }

    #[test]
    fn every_form_of_the_matrix_has_the_same_islands() {
        let bodies =
            problem(&[[Some(3), None], [Some(0), Some(1)], [Some(1), Some(2)], [None, Some(3)]]);
        let (mut of_bodies, mut of_others) = (Vec::new(), Vec::new());
        bodies.islands(&mut of_bodies);
        assert_eq!(of_bodies, [0, 1, 1, 0]);
        let w = bodies.delassus();
        for form in [Delassus::from(w.to_dense()), Delassus::from(w.to_blocks(bodies.laws()))] {
            let other =
                ContactProblem::new(form, bodies.bias().to_vec(), bodies.laws().to_vec()).unwrap();
            other.islands(&mut of_others);
            assert_eq!(of_others, of_bodies);
        }
    }
}
