//! The same problem by the three iterative methods.
//!
//! An elastic string over an obstacle: −u″ = f, u ≥ ψ, in n interior points. With z = u − ψ this is
//! a complementarity problem whose matrix is the discrete Laplacian.

use complementarity::{InteriorPoint, Lcp, Matrix, Newton, Pgs, Solver};

fn main() -> Result<(), complementarity::Error> {
    let n = 40;
    let h = 1.0 / (n + 1) as f64;
    let m = Matrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    });
    let obstacle = |i: usize| {
        let x = i as f64 * h;
        if i == 0 || i == n + 1 { 0.0 } else { 0.3 - 4.0 * (x - 0.4).powi(2) }
    };
    let q = (1..=n).map(|i| 2.0 * obstacle(i) - obstacle(i - 1) - obstacle(i + 1)).collect();
    let problem = Lcp::new(m, q)?;

    println!("method          status   iterations  residual  touching points");
    let methods: [Box<dyn Solver>; 3] =
        [Box::new(Pgs::default()), Box::new(Newton::default()), Box::new(InteriorPoint::default())];
    for mut method in methods {
        let name = method.name();
        let s = method.solve(&problem);
        let touching = s.z.iter().filter(|&&z| z == 0.0).count();
        println!(
            "{name:<15} {:<8} {:>10}  {:>8.1e}  {touching}",
            s.status.to_string(),
            s.statistics.iterations,
            s.residual.scaled,
        );
    }
    Ok(())
}
