//! A walk past problems of different kinds: what each is, its known answer, and how the
//! independent residual judges it.
//!
//! Run it with `cargo run --release --example tour`.

use complementarity::{Error, Lcp, Matrix, Mlcp, Problem, Proof};

/// A problem with what is known about it.
struct Stop {
    name: &'static str,
    problem: Problem,
    known: Known,
}

enum Known {
    Answer(Vec<f64>),
    NoSolution(Proof),
}

fn main() -> Result<(), Error> {
    println!("{:<44} {:>4}  {:>8}  verdict", "problem", "n", "residual");
    for stop in stops()? {
        let (n, residual, verdict) = judge(&stop);
        println!("{:<44} {n:>4}  {residual:>8}  {verdict}", stop.name);
    }
    Ok(())
}

fn judge(stop: &Stop) -> (usize, String, String) {
    let n = match &stop.problem {
        Problem::Lcp(p) => p.len(),
        Problem::Mlcp(p) => p.len(),
    };
    match &stop.known {
        Known::Answer(z) => {
            let residual = match &stop.problem {
                Problem::Lcp(p) => p.residual(z),
                Problem::Mlcp(p) => p.residual(z),
            };
            let verdict = format!("z = {}", vector(z));
            (n, format!("{:.1e}", residual.scaled), verdict)
        }
        Known::NoSolution(proof) => {
            let checked = match &stop.problem {
                Problem::Lcp(p) => proof.check(p),
                Problem::Mlcp(p) => proof.check_mixed(p),
            };
            let verdict = match checked {
                Ok(()) => "no solution, and the proof holds".to_owned(),
                Err(e) => format!("the proof does not hold: {e}"),
            };
            (n, "-".to_owned(), verdict)
        }
    }
}

fn vector(z: &[f64]) -> String {
    let number = |v: &f64| match v.abs() {
        size if size == 0.0 || (1e-3..1e4).contains(&size) => format!("{v:.4}"),
        _ => format!("{v:.3e}"),
    };
    let numbers: Vec<String> = z.iter().map(number).collect();
    format!("({})", numbers.join(", "))
}

fn stops() -> Result<Vec<Stop>, Error> {
    let answer =
        |name, problem, z: &[f64]| Stop { name, problem, known: Known::Answer(z.to_vec()) };
    Ok(vec![
        answer(
            "positive definite",
            plain(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0])?,
            &[4.0 / 3.0, 7.0 / 3.0],
        ),
        answer(
            "the same in other units",
            plain(&[[2e8, 1.0], [1.0, 2e-8]], &[-5e-8, -6e-16])?,
            &[4e-16 / 3.0, 7e-8 / 3.0],
        ),
        answer(
            "a beam on three supports (W is singular)",
            plain(&[[4.0, 1.0, -2.0], [1.0; 3], [-2.0, 1.0, 4.0]], &[-1.0; 3])?,
            &[0.5, 0.0, 0.5],
        ),
        answer("a contact held by strong friction, mu = 2", held_contact()?, &[3.0, 2.0, 0.0]),
        answer("a bilateral constraint and a box", bilateral_and_box()?, &[-1.0, 1.0]),
        Stop {
            name: "inequalities that exclude each other",
            problem: plain(&[[0.0, -1.0], [1.0, 0.0]], &[-1.0, 1.0])?,
            known: Known::NoSolution(Proof::Infeasible { y: vec![1.0, 0.0] }),
        },
    ])
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
