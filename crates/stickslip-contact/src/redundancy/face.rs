//! The points of a friction set that take most power from a slip.

use crate::set::ConvexSet;
use crate::set::Polyhedron;

/// All f of F with −ξ_T·f = h_F(−ξ_T).
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Face {
    /// All of F: there is no slip.
    Whole,
    /// One.
    Point([f64; 3]),
    /// Those of F with u·f = value, for each pair (u, value).
    Part(Vec<(Vec<f64>, f64)>),
}

/// The face of F for the slip ξ_T. `given` is the friction of the answer over its limit, if that is known well. A slip
/// with less power than `smallest` at the limit 1 is none.
///
/// Ellipsoids and a user's own sets count as strictly convex.
pub(super) fn face(set: &ConvexSet, xi: &[f64], given: Option<&[f64]>, smallest: f64) -> Face {
    let against: Vec<f64> = xi.iter().map(|x| -x).collect();
    match set {
        ConvexSet::Polyhedron(polyhedron) => of_polyhedron(polyhedron, &against, smallest),
        ConvexSet::Mixed { ellipse, spin } => {
            let flat = ConvexSet::Ellipsoid(ellipse.to_vec());
            let slides = flat.support(&against[..2]) > smallest;
            let turns = spin * against[2].abs() > smallest;
            let f = point(&flat, &against[..2], given.map(|g| &g[..2]));
            let r = spin * against[2].signum();
            let mut across = Vec::new();
            if slides {
                across.push((vec![1.0, 0.0, 0.0], f[0]));
                across.push((vec![0.0, 1.0, 0.0], f[1]));
            }
            if turns {
                across.push((vec![0.0, 0.0, 1.0], r));
            }
            match across.len() {
                0 => Face::Whole,
                3 => Face::Point([f[0], f[1], r]),
                _ => Face::Part(across),
            }
        }
        _ if set.support(&against) <= smallest => Face::Whole,
        _ => Face::Point(point(set, &against, given)),
    }
}

/// The farthest point of a strictly convex set; the given one, brought to the surface, where it agrees.
fn point(set: &ConvexSet, against: &[f64], given: Option<&[f64]>) -> [f64; 3] {
    let mut f = [0.0; 3];
    set.support_point(against, &mut f[..against.len()]);
    if let Some(given) = given {
        let gauge = set.gauge(given);
        let power: f64 = given.iter().zip(against).map(|(g, a)| g * a).sum();
        if gauge > 0.0 && power >= 0.9 * gauge * set.support(against) {
            f.iter_mut().zip(given).for_each(|(f, g)| *f = g / gauge);
        }
    }
    f
}

fn of_polyhedron(polyhedron: &Polyhedron, against: &[f64], smallest: f64) -> Face {
    let dot = |v: &[f64]| v.iter().zip(against).map(|(v, a)| v * a).sum::<f64>();
    let top = polyhedron.vertices().map(dot).fold(0.0_f64, f64::max);
    if top <= smallest {
        return Face::Whole;
    }
    let mut corners = polyhedron.vertices().filter(|v| dot(v) >= top - smallest);
    let Some(first) = corners.next() else { return Face::Whole };
    let d = against.len();
    let size = first.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for corner in corners {
        let side = corner.iter().zip(first).map(|(a, b)| a - b).collect();
        extend(&mut basis, side, 1e-9 * size);
    }
    let along = basis.len();
    // What is left of the axes, the one with the largest rest first, spans the directions across the face.
    while basis.len() < d {
        let rest = |j: &usize| basis.iter().map(|b| -b[*j] * b[*j]).sum::<f64>();
        let best = (0..d).max_by(|a, b| rest(a).total_cmp(&rest(b))).unwrap_or(0);
        let axis = (0..d).map(|j| f64::from(u8::from(j == best))).collect();
        extend(&mut basis, axis, 0.0);
    }
    if along == 0 {
        let mut f = [0.0; 3];
        f[..d].copy_from_slice(first);
        return Face::Point(f);
    }
    let value = |u: &[f64]| u.iter().zip(first).map(|(u, f)| u * f).sum::<f64>();
    Face::Part(basis.drain(along..).map(|u| (u.clone(), value(&u))).collect())
}

/// Adds what is left of a vector beside an orthonormal basis, if it is longer than `least`.
fn extend(basis: &mut Vec<Vec<f64>>, mut v: Vec<f64>, least: f64) {
    // Twice is enough (Kahan and Parlett).
    for _ in 0..2 {
        for b in basis.iter() {
            let along: f64 = b.iter().zip(&v).map(|(b, v)| b * v).sum();
            v.iter_mut().zip(b).for_each(|(v, b)| *v -= along * b);
        }
    }
    let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > least {
        v.iter_mut().for_each(|v| *v /= length);
        basis.push(v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_face_of_a_square_is_a_corner_or_an_edge() {
        let square =
            Polyhedron::hull(&[[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]).unwrap();
        let set = ConvexSet::Polyhedron(square);
        assert_eq!(face(&set, &[0.0, 0.0], None, 1e-9), Face::Whole);
        let Face::Point(corner) = face(&set, &[-1.0, -2.0], None, 1e-9) else { panic!("a corner") };
        assert!((corner[0] - 1.0).abs() < 1e-12 && (corner[1] - 1.0).abs() < 1e-12);
        let Face::Part(across) = face(&set, &[-1.0, 0.0], None, 1e-9) else { panic!("an edge") };
        let [(u, value)] = &across[..] else { panic!("one equation") };
        assert!((u[0].abs() - 1.0).abs() < 1e-12 && u[1].abs() < 1e-12);
        assert!((value * u[0] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_face_of_a_cube_is_a_square_for_a_slip_along_an_axis() {
        let e = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let set = ConvexSet::Polyhedron(Polyhedron::symmetric(&e).unwrap());
        let Face::Part(across) = face(&set, &[0.0, 0.0, 2.0], None, 1e-9) else { panic!() };
        assert_eq!(across.len(), 1);
        let Face::Part(across) = face(&set, &[0.0, 1.0, 2.0], None, 1e-9) else { panic!() };
        assert_eq!(across.len(), 2);
        assert!(matches!(face(&set, &[3.0, 1.0, 2.0], None, 1e-9), Face::Point(_)));
    }

    #[test]
    fn a_mixed_set_fixes_what_moves() {
        let set = ConvexSet::Mixed { ellipse: [1.0, 0.5], spin: 0.2 };
        assert_eq!(face(&set, &[0.0; 3], None, 1e-9), Face::Whole);
        let Face::Part(spin) = face(&set, &[0.0, 0.0, 3.0], None, 1e-9) else { panic!() };
        assert_eq!(spin, [(vec![0.0, 0.0, 1.0], -0.2)]);
        let Face::Part(slide) = face(&set, &[1.0, 0.0, 0.0], None, 1e-9) else { panic!() };
        assert_eq!(slide.len(), 2);
        assert!(matches!(face(&set, &[1.0, 0.0, 1.0], None, 1e-9), Face::Point(_)));
    }
}
