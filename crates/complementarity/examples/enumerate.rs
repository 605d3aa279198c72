//! All solutions of small problems: several, none, and a whole face of them.
//!
//! Run with `cargo run -p complementarity --example enumerate`.

use complementarity::enumerate::{Enumeration, Settings, enumerate};
use complementarity::{Error, Lcp, Matrix};

fn main() -> Result<(), Error> {
    // ANCHOR: three
    // Two drivers on a narrow road: either gives way, or both do in part.
    let chicken = Matrix::from_rows(&[[1.0, 2.0], [2.0, 1.0]])?;
    let problem = Lcp::new(chicken, vec![-1.0, -1.0])?;
    show("three solutions", &enumerate(&problem, &Settings::default())?);
    // ANCHOR_END: three

    // One contact that slides while friction wedges it: the normal force grows with itself.
    let painleve = Matrix::from_rows(&[[-1.0]])?;
    let problem = Lcp::new(painleve, vec![-1.0])?;
    let none = enumerate(&problem, &Settings::default())?;
    show("no solution", &none);
    if let Some(proof) = &none.proof {
        println!("  the proof holds: {:?}", proof.check(&problem));
    }

    // Two legs of a table share a load of one in any proportion.
    let table = Matrix::from_rows(&[[1.0, 1.0], [1.0, 1.0]])?;
    let problem = Lcp::new(table, vec![-1.0, -1.0])?;
    show("a segment", &enumerate(&problem, &Settings::default())?);
    Ok(())
}

fn show(title: &str, found: &Enumeration) {
    println!("{title}: {:?}, {} nodes", found.count(), found.statistics.nodes);
    for face in &found.solutions {
        println!(
            "  dimension {}, vertices {:?}, rays {:?}, residual {:.1e}",
            face.dimension, face.vertices, face.rays, face.residual
        );
    }
}
