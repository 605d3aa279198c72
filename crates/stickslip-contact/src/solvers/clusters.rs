//! Where every method comes near to an answer and none meets it: the contacts around the worst one are solved as a problem of their own,
//! beside the impulses of all others, until the certificate is met everywhere.
//!
//! Contacts whose masses or speeds differ by many decades stall methods that move all of them at once. Few are wrong at a time, and what their
//! neighbours need follows; small problems are decided by cases and pivoting, which do not stall. These are the steps of Gauss and Seidel
//! with clusters in place of contacts, in the order of their errors (Southwell's).

use super::BlockForm;
use crate::solve::{ContactSolution, ContactSolver};
use crate::{Certificate, ContactProblem};
use complementarity::{Failure, Matrix, Status};

/// The contacts of a cluster, by how often its middle was the worst contact before.
const CLUSTER: [usize; 4] = [LEAST, 6, 12, 24];
/// Problems with no more contacts are not taken apart.
const LEAST: usize = 3;
/// Clusters without an answer before it is given up.
const MOST_FAILED: usize = 4;
/// Clusters in a row after which nothing is better before it is given up.
const PATIENCE: usize = 40;

/// Whether a problem is larger than the clusters. The convexified law is a convex program, which stalls no method.
pub(super) fn takes(problem: &BlockForm) -> bool {
    problem.contacts() > LEAST && !problem.is_associated()
}

/// Improves impulses that are near to an answer, by at most as many clusters as there are rows. None if there was none to solve.
pub(super) fn solve(
    problem: &ContactProblem,
    tolerance: f64,
    near: &ContactSolution,
) -> Option<ContactSolution> {
    let sizes = CLUSTER.iter().filter(|&&size| size < problem.contacts()).count();
    let mut solver = ContactSolver::of_clusters(tolerance).ok()?;
    let mut trial = near.clone();
    let mut best = near.clone();
    (trial.iterations, trial.factorisations) = (0, 0);
    let mut visits = vec![0_usize; problem.contacts()];
    let (mut failed, mut waited) = (0, 0);
    for _ in 0..problem.bias().len() {
        let middle = worst_contact(&trial.certificate)?;
        let size = CLUSTER[visits[middle].min(sizes.checked_sub(1)?)];
        visits[middle] += 1;
        trial.iterations += 1;
        if !solve_cluster(&mut solver, problem, &around(problem, middle, size), &mut trial) {
            failed += 1;
        }
        trial.certificate = Certificate::judge(problem, &trial.impulse, &mut trial.velocity);
        if trial.certificate.worst < best.certificate.worst {
            best.clone_from(&trial);
            waited = 0;
        }
        waited += 1;
        if best.certificate.worst <= tolerance {
            best.status = Status::Solved;
            return Some(best);
        }
        if failed > MOST_FAILED || waited > PATIENCE {
            break;
        }
    }
    best.status = Status::Failed(Failure::Stalled);
    Some(best)
}

/// Solves some contacts beside the impulses of all others, and takes the answer over if it is one.
fn solve_cluster(
    solver: &mut ContactSolver,
    problem: &ContactProblem,
    cluster: &[usize],
    whole: &mut ContactSolution,
) -> bool {
    let rows: Vec<usize> = cluster.iter().flat_map(|&c| problem.rows(c)).collect();
    let Some(part) = restrict(problem, cluster, &rows, &whole.impulse) else { return false };
    let answer = solver.solve(&part);
    if answer.is_solved() {
        rows.iter().zip(&answer.impulse).for_each(|(&r, x)| whole.impulse[r] = *x);
    }
    answer.is_solved()
}

/// The contact where the certificate is worst.
fn worst_contact(certificate: &Certificate) -> Option<usize> {
    let measures = certificate.measures();
    let worst = measures.iter().max_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
    worst.1.contact.map(|c| c as usize)
}

/// The contact and those nearest to it, by the bodies that they share.
fn around(problem: &ContactProblem, middle: usize, most: usize) -> Vec<usize> {
    let mut owner = vec![0; problem.bias().len()];
    (0..problem.contacts()).for_each(|c| owner[problem.rows(c)].fill(c));
    let mut cluster = vec![middle];
    let mut at = 0;
    while at < cluster.len() && cluster.len() < most {
        for row in problem.rows(cluster[at]) {
            for (other, _) in problem.delassus().row_entries(row) {
                if !cluster.contains(&owner[other]) && cluster.len() < most {
                    cluster.push(owner[other]);
                }
            }
        }
        at += 1;
    }
    cluster.sort_unstable();
    cluster
}

/// The problem of these contacts, which have these rows, beside the impulses of all others.
fn restrict(
    problem: &ContactProblem,
    cluster: &[usize],
    rows: &[usize],
    impulse: &[f64],
) -> Option<ContactProblem> {
    let mut place = vec![None; impulse.len()];
    rows.iter().enumerate().for_each(|(i, &r)| place[r] = Some(i));
    let mut w = Matrix::zeros(rows.len(), rows.len());
    let mut bias = Vec::with_capacity(rows.len());
    for (i, &row) in rows.iter().enumerate() {
        let mut b = problem.bias()[row];
        for (col, entry) in problem.delassus().row_entries(row) {
            match place[col] {
                Some(j) => w.row_mut(i)[j] = entry,
                None => b += entry * impulse[col],
            }
        }
        bias.push(b);
    }
    let laws = cluster.iter().map(|&c| problem.laws()[c].clone()).collect();
    ContactProblem::new(w, bias, laws).ok()
}
