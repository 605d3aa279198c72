//! Prints the classes of a few matrices, of which the last two come from the same friction problem:
//! one planar contact, written once without and once with an explicit slip speed.
//!
//! Run with `cargo run --release --example classify`. The book includes the part between the anchors.

use complementarity::classes::{self, Settings};
use complementarity::{Error, Matrix};

fn main() -> Result<(), Error> {
    ask()?;
    for (name, m) in [
        ("P, but not positive semidefinite", p()?),
        ("Horn's matrix", horn()),
        ("a contact with friction, three unknowns", without_slip_speed()?),
        ("the same contact with a slip speed, four unknowns", with_slip_speed()?),
    ] {
        println!("{name}\n{}", "-".repeat(name.len()));
        for i in 0..m.rows() {
            println!("  {:?}", m.row(i));
        }
        println!("\n{}", classes::classify(&m, &Settings::default())?);
    }
    Ok(())
}

fn ask() -> Result<(), Error> {
    // ANCHOR: ask
    // Not positive semidefinite, but all principal minors are positive.
    let m = Matrix::from_rows(&[[1.0, -3.0], [0.0, 1.0]])?;
    let found = classes::classify(&m, &Settings::default())?;
    assert!(found.p.is_yes());

    // A no comes with a vector, here x with x'Mx < 0, that can be checked.
    let witness = found.positive_semidefinite.witness().expect("it is not");
    assert!(witness.check(&m));

    // What the classes say about every q.
    for consequence in found.consequences() {
        println!("{} ({})", consequence.text, consequence.source);
    }
    // ANCHOR_END: ask
    Ok(())
}

fn p() -> Result<Matrix, Error> {
    Matrix::from_rows(&[[1.0, -3.0], [0.0, 1.0]])
}

/// Copositive, but not the sum of a positive semidefinite and a non-negative matrix.
fn horn() -> Matrix {
    Matrix::from_fn(5, 5, |i, j| match (i + 5 - j) % 5 {
        1 | 4 => -1.0,
        _ => 1.0,
    })
}

/// Inverse inertia of the contact: normal, coupling, tangential; and the coefficient of friction.
const W: [f64; 3] = [1.5, 1.0, 0.75];
const MU: f64 = 2.0;

/// Unknowns: normal impulse, impulse to the right edge of the cone, slip to the left.
fn without_slip_speed() -> Result<Matrix, Error> {
    let [n, c, t] = W;
    Matrix::from_rows(&[[n - c * MU, c, 0.0], [c - t * MU, t, 1.0], [2.0 * MU, -1.0, 0.0]])
}

/// Unknowns: normal impulse, friction to the right and to the left, slip speed.
fn with_slip_speed() -> Result<Matrix, Error> {
    let [n, c, t] = W;
    Matrix::from_rows(&[[n, c, -c, 0.0], [c, t, -t, 1.0], [-c, -t, t, 1.0], [MU, -1.0, -1.0, 0.0]])
}
