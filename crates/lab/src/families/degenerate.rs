//! Degenerate problems: ties in every ratio test.

use super::semidefinite::put_program;
use crate::Expected;
use crate::dense::{normal_matrix, skew, transposed_product};
use crate::instance::Plain;
use complementarity::Matrix;
use stickslip_studies::Draw;

/// Small whole numbers: a Gram matrix, and a solution in which a third of the pairs are both zero.
pub(super) fn ties(d: &mut Draw, n: usize) -> Plain {
    let g = Matrix::from_fn(n.div_ceil(2), n, |_, _| d.whole(-1, 1) as f64);
    let m = transposed_product(&g, &g);
    let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        match d.index(3) {
            0 => z[i] = 1.0,
            1 => w[i] = 1.0,
            _ => {}
        }
    }
    Plain::planted(m, z, &w)
}

/// q = 0, solved by z = 0 whatever the matrix; here semidefinite, skew, or P.
pub(super) fn zero_q(d: &mut Draw, n: usize) -> Plain {
    let m = match d.index(3) {
        0 => {
            let g = normal_matrix(d, n.div_ceil(2), n);
            transposed_product(&g, &g)
        }
        1 => skew(d, n, 1.0),
        _ => Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 2.0 * d.unit() }),
    };
    Plain::planted(m, vec![0.0; n], &vec![0.0; n])
}

/// Every row and column twice or more: M = GᵀG with repeated columns in G, q = −Gᵀc.
///
/// These are the optimality conditions of min ½‖Gz − c‖² over z ≥ 0. The cone {Gz} is closed, so
/// the nearest point of it exists.
pub(super) fn duplicates(d: &mut Draw, n: usize) -> Plain {
    let columns = n.div_ceil(2);
    let base = normal_matrix(d, columns, columns);
    let copies: Vec<usize> =
        (0..n).map(|j| if j < columns { j } else { d.index(columns) }).collect();
    let g = Matrix::from_fn(columns, n, |i, j| base[(i, copies[j])]);
    let c = d.normals(columns);
    let q = g.transposed().mul_vec(&c).iter().map(|x| -x).collect();
    Plain::new(transposed_product(&g, &g), q, Expected::Solvable)
}

/// The identity with all q equal: z = max(0, −q).
pub(super) fn identity(d: &mut Draw, n: usize) -> Plain {
    let q = d.whole(-1, 1) as f64;
    let (z, w) = (vec![(-q).max(0.0); n], vec![q.max(0.0); n]);
    Plain::planted(Matrix::identity(n), z, &w)
}

/// A transport problem with whole numbers: supplies, demands, costs; M is skew.
///
/// Supplies cover demands and costs are ≥ 0, so the program and its dual are feasible and have
/// optimal solutions (strong duality). With unit supplies and demands it is an assignment.
pub(super) fn transport(d: &mut Draw, n: usize) -> Plain {
    // sources·sinks + sources + sinks ≤ n
    let sources = (((n + 1) as f64).sqrt() as usize).saturating_sub(1).max(1);
    let sinks = ((n.max(3) - sources) / (sources + 1)).max(1);
    let assignment = d.chance(0.5);
    let demand: Vec<i64> = (0..sinks).map(|_| if assignment { 1 } else { d.whole(0, 4) }).collect();
    let mut supply = vec![0; sources];
    for unit in 0..demand.iter().sum() {
        let place = if assignment { unit as usize % sources } else { d.index(sources) };
        supply[place] += 1;
    }
    let routes = sources * sinks;
    let mut a = Matrix::zeros(sources + sinks, routes);
    for i in 0..sources {
        for j in 0..sinks {
            a[(i, i * sinks + j)] = -1.0;
            a[(sources + j, i * sinks + j)] = 1.0;
        }
    }
    let size = routes + sources + sinks;
    let mut m = Matrix::zeros(size, size);
    put_program(&mut m, &a);
    let q = (0..routes)
        .map(|_| d.whole(0, 3))
        .chain(supply)
        .chain(demand.into_iter().map(|x| -x))
        .map(|x| x as f64)
        .collect();
    Plain::new(m, q, Expected::Solvable)
}
