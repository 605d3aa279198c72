//! All solutions of a small problem: a disc pressed into a wedge-like friction problem has three.
//!
//! Run with `cargo run -p complementarity --example enumerate`.

use complementarity::enumerate::{Settings, enumerate};
use complementarity::{Lcp, Matrix};

fn main() -> Result<(), complementarity::Error> {
    // Each of two unknowns is zero, or its row holds with equality.
    let m = Matrix::from_rows(&[[1.0, 2.0], [2.0, 1.0]])?;
    let problem = Lcp::new(m, vec![-1.0, -1.0])?;

    let all = enumerate(&problem, &Settings::default())?;
    println!("{:?} in {} nodes", all.count(), all.statistics.nodes);
    for face in &all.solutions {
        println!("  z = {:?}, residual {:.1e}", face.vertices[0], face.residual);
    }
    Ok(())
}
