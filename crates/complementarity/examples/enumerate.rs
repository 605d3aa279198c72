//! All solutions of small problems: several, a whole face of them, none.
//!
//! Run with `cargo run --release --example enumerate`. The book includes the parts between the anchors.

use complementarity::enumerate::{Count, Enumeration, Settings, enumerate};
use complementarity::{Error, Lcp, LcpCases, Matrix, Proof};

fn main() -> Result<(), Error> {
    show("three solutions", &three()?);
    show("a segment", &segment()?);
    show("no solution", &none()?);
    proof_by_hand()
}

fn three() -> Result<Enumeration, Error> {
    // ANCHOR: three
    // Two drivers on a narrow road: either gives way, or both do in part.
    let m = Matrix::from_rows(&[[1.0, 2.0], [2.0, 1.0]])?;
    let all = enumerate(&Lcp::new(m, vec![-1.0, -1.0])?, &Settings::default())?;
    assert_eq!(all.count(), Count::Exactly(3));
    for z in all.isolated() {
        println!("{z:?}"); // (0, 1), (1, 0) and (1/3, 1/3), in the order they were found
    }
    // ANCHOR_END: three
    Ok(all)
}

fn segment() -> Result<Enumeration, Error> {
    // ANCHOR: segment
    // A weight on two supports at the same place: the forces add up to it, and that is all.
    let m = Matrix::from_rows(&[[1.0, 1.0], [1.0, 1.0]])?;
    let all = enumerate(&Lcp::new(m, vec![-1.0, -1.0])?, &Settings::default())?;
    assert_eq!(all.count(), Count::Infinite);
    let face = &all.solutions[0];
    assert_eq!((face.dimension, face.vertices.len(), face.rays.len()), (1, 2, 0));
    assert_eq!(face.interior_point(), [0.5, 0.5]);
    // ANCHOR_END: segment
    Ok(all)
}

fn none() -> Result<Enumeration, Error> {
    // ANCHOR: none
    // w1 = z2 - 1 and w2 = z1 + 1: z = (0, 1) meets the inequalities. But w2 > 0 forces z2 = 0, and
    // then w1 = -1.
    let m = Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0]])?;
    let problem = Lcp::new(m, vec![-1.0, 1.0])?;
    let all = enumerate(&problem, &Settings::default())?;
    assert_eq!(all.count(), Count::Exactly(0));
    let proof = all.proof.as_ref().expect("a complete search that finds nothing is a proof");
    assert_eq!(proof.check(&problem), Ok(()));
    // ANCHOR_END: none
    Ok(all)
}

fn proof_by_hand() -> Result<(), Error> {
    let m = Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0]])?;
    let problem = Lcp::new(m, vec![-1.0, 1.0])?;
    // ANCHOR: cases
    // The same by hand: split on the second pair; each case has its Farkas vector.
    let contradiction = |y: [f64; 2]| Box::new(LcpCases::contradiction(&y).expect("finite"));
    let proof = Proof::Exhausted {
        cases: LcpCases::Split {
            index: 1,
            zero_z: contradiction([1.0, 0.0]),
            zero_w: contradiction([0.0, -1.0]),
        },
    };
    assert_eq!(proof.check(&problem), Ok(()));
    // ANCHOR_END: cases
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
