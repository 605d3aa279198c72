//! Small systems with contacts in space, and random ones.

use crate::Draw;
use complementarity::Matrix;
use nalgebra::{DMatrix, DVector, Vector3};
use stickslip::contact::{ContactProblem, Law};

/// Half the sides of the block, in m. Its mass is 1 kg.
const HALF: [f64; 3] = [0.5, 0.3, 0.2];
/// Where the legs of the tripod meet its body, from the centre of mass, in m: without symmetry.
const LEGS: [[f64; 3]; 3] = [[0.5, 0.0, -0.1], [-0.3, 0.4, -0.1], [-0.2, -0.35, -0.1]];
/// Masses of the feet of the tripod, in kg, and what a leg adds to the mass matrix: Δt² times its stiffness.
const FEET: [f64; 3] = [0.1, 0.2, 0.4];
const LEG: f64 = 0.5;

/// A mass on the ground that falls to it with `press` and slides with (x, y).
pub fn particle(mass: f64, mu: f64, press: f64, [x, y]: [f64; 2]) -> ContactProblem {
    let w = Matrix::from_fn(3, 3, |i, j| if i == j { mass.recip() } else { 0.0 });
    posed(w, vec![-press, x, y], vec![Law::disc(mu)])
}

/// A rigid block on points of its lower face: W is singular for more than one of them, W_TT too.
///
/// `free` is the velocity without contact: of the centre of mass, then angular.
pub fn block(points: &[[f64; 2]], mu: f64, free: [f64; 6]) -> ContactProblem {
    let at: Vec<Vector3<f64>> = points.iter().map(|p| Vector3::new(p[0], p[1], -HALF[2])).collect();
    let squares = HALF.map(|h| h * h / 3.0);
    let inertia: [f64; 3] = std::array::from_fn(|i| squares.iter().sum::<f64>() - squares[i]);
    let mass = DMatrix::from_fn(6, 6, |i, j| match i {
        _ if i != j => 0.0,
        0..3 => 1.0,
        _ => inertia[i - 3],
    });
    let free = DVector::from_column_slice(&free);
    let h = rigid_rows(&at);
    from_system(&mass, &h, &free, mu)
}

/// The block on three points, sliding and spinning.
pub fn block_on_three(mu: f64) -> ContactProblem {
    let [x, y, _] = HALF;
    block(&[[x, y], [-x, y], [0.0, -y]], mu, [0.7, 0.2, -1.0, 0.05, -0.1, 0.6])
}

/// The block on its four lower corners, sliding and spinning with `spin`: the normal impulses are not unique either.
pub fn block_on_four(mu: f64, spin: f64) -> ContactProblem {
    let [x, y, _] = HALF;
    block(&[[x, y], [-x, y], [-x, -y], [x, -y]], mu, [0.7, 0.2, -1.0, 0.0, 0.0, spin])
}

/// A body on three feet, each on an elastic leg: as one implicit step sees it, with the mass matrix M + Δt² K. The feet
/// move independently, so that W is positive definite; the legs couple them.
pub fn tripod(mu: f64) -> ContactProblem {
    let n = 6 + 3 * LEGS.len();
    let mut mass = DMatrix::identity(n, n) * 5.0;
    (3..6).for_each(|i| mass[(i, i)] = 0.3);
    for (foot, leg) in LEGS.iter().enumerate() {
        // Elongation = velocity of the foot less that of the body at the leg, in the order x, y, z.
        let body = rigid_rows(&[Vector3::from(*leg)]);
        for (axis, row) in [1, 2, 0].into_iter().enumerate() {
            let at = 6 + 3 * foot + axis;
            mass[(at, at)] = FEET[foot];
            let mut g = DVector::zeros(n);
            g[at] = 1.0;
            (0..6).for_each(|i| g[i] = -body[(row, i)]);
            mass += LEG * &g * g.transpose();
        }
    }
    let h = DMatrix::from_fn(3 * LEGS.len(), n, |r, c| {
        let axis = [2, 0, 1][r % 3];
        f64::from(u8::from(c == 6 + 3 * (r / 3) + axis))
    });
    let free =
        DVector::from_fn(n, |i, _| if i % 3 == 2 { -1.0 } else { 0.4 - 0.1 * (i % 5) as f64 });
    from_system(&mass, &h, &free, mu)
}

/// A random system of unit masses in which every contact approaches; μ from 0 to `mu`. With three more coordinates than
/// rows of W, or `redundant` with fewer.
pub fn random(contacts: usize, redundant: bool, mu: f64, seed: u64) -> ContactProblem {
    let draw =
        &mut Draw::new(if redundant { "spatial, redundant" } else { "spatial" }, contacts, seed);
    let rows = 3 * contacts;
    let n = if redundant { draw.whole(2, rows as i64 - 1) as usize } else { rows + 3 };
    let free = DVector::from_vec(draw.normals(n));
    let mut h = DMatrix::from_row_slice(rows, n, &draw.normals(rows * n));
    for i in (0..rows).step_by(3) {
        if (h.row(i) * &free)[0] > 0.0 {
            h.row_mut(i).neg_mut();
        }
    }
    let laws = (0..contacts).map(|_| Law::disc(draw.between(0.0, mu))).collect();
    let w = &h * h.transpose();
    posed(Matrix::from_fn(rows, rows, |i, j| w[(i, j)]), (&h * free).as_slice().to_vec(), laws)
}

/// N, T, O of each point of a rigid body over (velocity, angular velocity).
fn rigid_rows(at: &[Vector3<f64>]) -> DMatrix<f64> {
    DMatrix::from_fn(3 * at.len(), 6, |r, c| {
        let axis = [Vector3::z(), Vector3::x(), Vector3::y()][r % 3];
        if c < 3 { axis[c] } else { at[r / 3].cross(&axis)[c - 3] }
    })
}

fn from_system(
    mass: &DMatrix<f64>,
    h: &DMatrix<f64>,
    free: &DVector<f64>,
    mu: f64,
) -> ContactProblem {
    let inverse = mass.clone().cholesky().expect("masses are positive").inverse();
    let w = h * inverse * h.transpose();
    let w = Matrix::from_fn(w.nrows(), w.ncols(), |i, j| 0.5 * (w[(i, j)] + w[(j, i)]));
    let laws = vec![Law::disc(mu); h.nrows() / 3];
    posed(w, (h * free).as_slice().to_vec(), laws)
}

fn posed(w: Matrix, bias: Vec<f64>, laws: Vec<Law>) -> ContactProblem {
    ContactProblem::new(w, bias, laws).expect("a Gram matrix and laws in range make a problem")
}
