//! A walk past problems of different kinds, solved by `auto`: how each ended, the independent
//! residual, and the way that led there.
//!
//! Run it with `cargo run --release --example tour`.

use complementarity::{
    Auto, Error, Lcp, Matrix, MixedSolver, Mlcp, Problem, Solution, Solver, Status,
};

fn main() -> Result<(), Error> {
    let mut auto = Auto::default();
    println!("{:<42} {:>4}  {:<20} {:>8}  answer", "problem", "n", "status", "residual");
    for (name, problem) in stops()? {
        let solution = match &problem {
            Problem::Lcp(p) => auto.solve(p),
            Problem::Mlcp(p) => auto.solve_mixed(p),
        };
        let residual = match solution.status {
            Status::NoSolution => "-".to_owned(),
            _ => format!("{:.1e}", solution.residual.scaled),
        };
        println!(
            "{name:<42} {:>4}  {:<20} {residual:>8}  {}",
            solution.z.len(),
            solution.status.to_string(),
            answer(&problem, solution)
        );
        println!("{:<42}       by {}", "", path(&auto));
    }
    Ok(())
}

/// Every method that was tried, with its pivots, sweeps or steps.
fn path(auto: &Auto) -> String {
    let steps = auto.attempts().iter().map(|a| format!("{} ({})", a.method, a.iterations));
    steps.collect::<Vec<_>>().join(", then ")
}

/// z if it is short; of a proof, whether it holds.
fn answer(problem: &Problem, solution: &Solution) -> String {
    match (solution.status, &solution.proof) {
        (Status::NoSolution, Some(proof)) => {
            let checked = match problem {
                Problem::Lcp(p) => proof.check(p),
                Problem::Mlcp(p) => proof.check_mixed(p),
            };
            match checked {
                Ok(()) => "the proof holds".to_owned(),
                Err(e) => format!("the proof does not hold: {e}"),
            }
        }
        _ if solution.z.len() <= 3 => vector(&solution.z),
        _ => {
            let active = solution.z.iter().filter(|&&z| z > 0.0).count();
            format!("{active} of {} are positive", solution.z.len())
        }
    }
}

fn vector(z: &[f64]) -> String {
    let number = |v: &f64| match v.abs() {
        size if size == 0.0 || (1e-3..1e4).contains(&size) => format!("{v:.4}"),
        _ => format!("{v:.3e}"),
    };
    let numbers: Vec<String> = z.iter().map(number).collect();
    format!("z = ({})", numbers.join(", "))
}

fn stops() -> Result<Vec<(&'static str, Problem)>, Error> {
    Ok(vec![
        ("positive definite", plain(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0])?),
        ("the same in other units", plain(&[[2e8, 1.0], [1.0, 2e-8]], &[-5e-8, -6e-16])?),
        ("a membrane over an obstacle", membrane(20)?),
        (
            "a beam on three supports (W is singular)",
            plain(&[[4.0, 1.0, -2.0], [1.0; 3], [-2.0, 1.0, 4.0]], &[-1.0; 3])?,
        ),
        ("a contact held by strong friction, mu = 2", held_contact()?),
        ("a bilateral constraint and a box", bilateral_and_box()?),
        ("inequalities that exclude each other", plain(&[[0.0, -1.0], [1.0, 0.0]], &[-1.0, 1.0])?),
    ])
}

/// A square membrane of `side` x `side` knots under a load that pushes it up in the middle and down
/// onto the obstacle elsewhere; z is the height above the obstacle.
fn membrane(side: usize) -> Result<Problem, Error> {
    let n = side * side;
    let place = |k: usize| ((k / side) as isize, (k % side) as isize);
    let m = Matrix::from_fn(n, n, |a, b| {
        let ((i, j), (k, l)) = (place(a), place(b));
        match (i - k).abs() + (j - l).abs() {
            0 => 4.0,
            1 => -1.0,
            _ => 0.0,
        }
    });
    let centre = (side as f64 - 1.0) / 2.0;
    let load = |k: usize| {
        let (i, j) = place(k);
        let (x, y) = (i as f64 / centre - 1.0, j as f64 / centre - 1.0);
        if x * x + y * y < 0.25 { -1.0 } else { 1.0 }
    };
    Ok(Problem::Lcp(Lcp::new(m, (0..n).map(load).collect())?))
}

fn plain<const N: usize>(m: &[[f64; N]; N], q: &[f64]) -> Result<Problem, Error> {
    let m = Matrix::from_rows(m)?;
    Ok(Problem::Lcp(Lcp::new(m, q.to_vec())?))
}

/// A planar contact with W = [[1.5, 1], [1, 0.75]], b = (−0.5, 0) and μ = 2, in the unknowns
/// (Λ_N, Λ_R, ξ_L) of Glocker and Studer (2005), Λ_T = Λ_R − μ Λ_N. Its only solution is
/// Λ = (3, −4), and Lemke's method ends on a ray before it.
fn held_contact() -> Result<Problem, Error> {
    let (nn, nt, tt, mu) = (1.5, 1.0, 0.75, 2.0);
    let m = [[nn - nt * mu, nt, 0.0], [nt - tt * mu, tt, 1.0], [2.0 * mu, -1.0, 0.0]];
    plain(&m, &[-0.5, 0.0, 0.0])
}

/// A free unknown, whose row is an equation, and one that ends at the upper end of [0, 1].
fn bilateral_and_box() -> Result<Problem, Error> {
    let inf = f64::INFINITY;
    let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
    let problem = Mlcp::new(m, vec![1.0, -5.0], vec![-inf, 0.0], vec![inf, 1.0])?;
    Ok(Problem::Mlcp(problem))
}
