//! Small problems with none, one, two, three and infinitely many solutions.
//!
//! The book includes the parts between the anchors.

use complementarity::{Cases, Error, Lcp, Matrix, Proof};

fn main() -> Result<(), Error> {
    finitely_many()?;
    a_segment()?;
    none()?;
    println!("every statement of the book's page on enumeration holds");
    Ok(())
}

fn finitely_many() -> Result<(), Error> {
    // ANCHOR: three
    let m = Matrix::from_rows(&[[1.0, 2.0], [2.0, 1.0]])?;
    let problem = Lcp::new(m, vec![-1.0, -1.0])?;
    for z in [[1.0, 0.0], [0.0, 1.0], [1.0 / 3.0, 1.0 / 3.0]] {
        assert!(problem.residual(&z).scaled < 1e-15);
    }
    // ANCHOR_END: three
    let two = Lcp::new(Matrix::from_rows(&[[-1.0]])?, vec![1.0])?;
    assert_eq!(two.residual(&[0.0]).scaled, 0.0);
    assert_eq!(two.residual(&[1.0]).scaled, 0.0);
    Ok(())
}

fn a_segment() -> Result<(), Error> {
    // ANCHOR: segment
    // A weight on two supports at the same place: the forces add up to it, and that is all.
    let m = Matrix::from_rows(&[[1.0, 1.0], [1.0, 1.0]])?;
    let problem = Lcp::new(m, vec![-1.0, -1.0])?;
    for share in [0.0, 0.25, 0.5, 1.0] {
        assert_eq!(problem.residual(&[share, 1.0 - share]).scaled, 0.0);
    }
    // ANCHOR_END: segment
    Ok(())
}

fn none() -> Result<(), Error> {
    // ANCHOR: none
    // w1 = z2 - 1 and w2 = z1 + 1: z = (0, 1) meets the inequalities. But w2 > 0 forces z2 = 0, and
    // then w1 = -1. The proof splits on the second pair; each case has its Farkas vector.
    let m = Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0]])?;
    let problem = Lcp::new(m, vec![-1.0, 1.0])?;
    let contradiction = |y: [f64; 2]| Box::new(Cases::Contradiction { y: y.to_vec() });
    let proof = Proof::Exhausted {
        cases: Cases::Split {
            index: 1,
            zero_z: contradiction([1.0, 0.0]),
            zero_w: contradiction([0.0, -1.0]),
        },
    };
    assert_eq!(proof.check(&problem), Ok(()));
    // ANCHOR_END: none
    Ok(())
}
