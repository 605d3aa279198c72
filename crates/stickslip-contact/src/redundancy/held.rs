//! Impulses that hold every contact where it is.

use super::admissible::Admissible;
use super::nearest::{FOUND, Nearest, Space, nearest};
use super::spectrum;
use crate::ContactProblem;
use nalgebra::{DMatrix, DVector};

/// Eigenvalues of the scaled W below this share of the largest are rounding.
const ROUNDING: f64 = 1e-13;

/// The least impulses with W Λ = −b that the laws allow at velocities of zero; none if there are none, or they are not found. Bodies that friction
/// jams have them: to any impulses can be added those that do nothing together, which press contacts until friction holds.
pub(crate) fn held(problem: &ContactProblem) -> Option<Vec<f64>> {
    let mut set = Admissible::of_held(problem)?;
    let (n, s) = (set.scale.len(), &set.scale);
    let w = problem.delassus().to_dense();
    let scaled = DMatrix::from_fn(n, n, |i, j| w.row(i)[j] / (s[i] * s[j]));
    if n == 0 || !scaled.iter().all(|w| w.is_finite()) {
        return None;
    }
    let (sizes, vectors) = spectrum(scaled, true)?;
    let largest = sizes.amax();
    let (null, range): (Vec<usize>, Vec<usize>) =
        (0..n).partition(|&i| sizes[i] <= ROUNDING * largest);
    let asked = DVector::from_fn(n, |i, _| -problem.bias()[i] / s[i]);
    let (a, z) = (vectors.select_columns(&range).transpose(), vectors.select_columns(&null));
    let along = DVector::from_iterator(range.len(), range.iter().map(|&i| sizes[i]));
    let start = a.transpose() * (&a * asked).component_div(&along);
    set.reference = start.amax();
    if !(set.reference > 0.0 && set.reference.is_finite()) {
        return None;
    }
    set.start.copy_from_slice(start.as_slice());
    let Nearest { x, residual, .. } = nearest(&set, &Space { a, z }, &DVector::zeros(n))?;
    (residual <= FOUND).then(|| set.impulse(x.as_slice()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Law;
    use complementarity::Matrix;

    /// A body between two walls, which touches each with one contact: normals x and −x, tangents y and z.
    fn between_walls(mu: f64, b: [f64; 6]) -> ContactProblem {
        let h = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let sides = [1.0, -1.0].map(|side| [h[0].map(|x| side * x), h[1], h[2]]);
        let rows: Vec<[f64; 3]> = sides.into_iter().flatten().collect();
        let mut w = Matrix::zeros(6, 6);
        for (i, a) in rows.iter().enumerate() {
            for (j, b) in rows.iter().enumerate() {
                w.row_mut(i)[j] = a.iter().zip(b).map(|(x, y)| x * y).sum();
            }
        }
        let laws = vec![Law::disc(mu); 2];
        ContactProblem::new(w, b.to_vec(), laws).unwrap()
    }

    #[test]
    fn friction_that_needs_to_be_pressed_is() {
        // The body falls along y with 1; both walls together need 1 of friction, and so are pressed by 1 / 2 μ each.
        let problem = between_walls(0.2, [0.0, -1.0, 0.0, 0.0, -1.0, 0.0]);
        let impulse = held(&problem).unwrap();
        let expected = [2.5, 0.5, 0.0, 2.5, 0.5, 0.0];
        assert!(impulse.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{impulse:?}");
        assert!(problem.certificate(&impulse).unwrap().worst < 1e-12);
    }

    #[test]
    fn what_no_impulse_holds_is_not_held() {
        // What opens; and what falls between walls without friction.
        let falls = ContactProblem::new(Matrix::identity(1), vec![1.0], vec![Law::frictionless()]);
        assert!(held(&falls.unwrap()).is_none());
        assert!(held(&between_walls(0.0, [0.0, -1.0, 0.0, 0.0, -1.0, 0.0])).is_none());
    }
}
