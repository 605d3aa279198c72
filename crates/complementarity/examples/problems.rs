//! Making problems, judging vectors, reading and writing JSON, checking a proof.
//!
//! The book includes the parts between the anchors.

use complementarity::{
    Error, Lcp, Matrix, Mlcp, Problem, Proof, Residual, SparseLcp, SparseMatrix,
};

fn main() -> Result<(), Error> {
    plain()?;
    sparse()?;
    mixed()?;
    json()?;
    units()?;
    proof()?;
    println!("every statement of the book's problem pages holds");
    Ok(())
}

fn plain() -> Result<(), Error> {
    // ANCHOR: lcp
    let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
    let problem = Lcp::new(m, vec![-5.0, -6.0])?;

    let residual = problem.residual(&[4.0 / 3.0, 7.0 / 3.0]);
    assert!(residual.scaled < 1e-15);

    // z2 too small: w2 is negative, and the residual says where and how badly.
    let residual = problem.residual(&[4.0 / 3.0, 2.0]);
    assert!(residual.scaled > 0.05 && residual.worst == 1);
    // ANCHOR_END: lcp

    // ANCHOR: misuse
    let error = Lcp::new(Matrix::identity(2), vec![1.0, f64::NAN]).unwrap_err();
    assert_eq!(error.to_string(), "q[1] is NaN; every entry must be a finite number");
    // ANCHOR_END: misuse
    Ok(())
}

fn sparse() -> Result<(), Error> {
    // ANCHOR: sparse
    let triplets = [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)];
    let m = SparseMatrix::from_triplets(2, 2, &triplets)?;
    let problem = SparseLcp::new(m, vec![-1.0, -1.0])?;
    assert_eq!(problem.residual(&[1.0, 1.0]).scaled, 0.0);
    // ANCHOR_END: sparse
    Ok(())
}

fn mixed() -> Result<(), Error> {
    // ANCHOR: mlcp
    let inf = f64::INFINITY;
    let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
    // z1 is free, so its row is an equation; z2 lies between 0 and 1.
    let problem = Mlcp::new(m, vec![1.0, -5.0], vec![-inf, 0.0], vec![inf, 1.0])?;
    // z2 ends at its upper bound, where w2 = -4 may be negative.
    assert_eq!(problem.residual(&[-1.0, 1.0]).scaled, 0.0);
    // ANCHOR_END: mlcp
    Ok(())
}

fn json() -> Result<(), Error> {
    // ANCHOR: json
    let text = r#"{"kind":"lcp","m":[[2.0,1.0],[1.0,2.0]],"q":[-5.0,-6.0]}"#;
    let problem = Problem::from_json(text)?;
    assert_eq!(problem.to_json(), text);
    let Problem::Lcp(problem) = problem else { panic!("the text says lcp") };
    assert_eq!(problem.q(), [-5.0, -6.0]);
    // ANCHOR_END: json
    Ok(())
}

fn units() -> Result<(), Error> {
    // ANCHOR: units
    let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
    let q = [-5.0, -6.0];
    let z = [1.5, 2.0];
    let here: Residual = Lcp::new(m.clone(), q.to_vec())?.residual(&z);

    // Row 2 in thousandths, unknown 2 in millions (powers of two, to keep every bit).
    let (row, unknown) = ([1.0, 1024.0], [1.0, 1048576.0]);
    let m = Matrix::from_fn(2, 2, |i, j| row[i] * m[(i, j)] * unknown[j]);
    let q = vec![row[0] * q[0], row[1] * q[1]];
    let z = [z[0] / unknown[0], z[1] / unknown[1]];
    let there = Lcp::new(m, q)?.residual(&z);

    assert_eq!(here.scaled, there.scaled);
    assert_ne!(here.natural, there.natural);
    // ANCHOR_END: units
    Ok(())
}

fn proof() -> Result<(), Error> {
    // ANCHOR: proof
    // w1 = -z2 - 1 cannot be non-negative. y = (1, 0) says so: y >= 0, M'y = (0, -1) <= 0, q'y = -1.
    let m = Matrix::from_rows(&[[0.0, -1.0], [1.0, 0.0]])?;
    let problem = Lcp::new(m, vec![-1.0, 1.0])?;
    let proof = Proof::infeasible(&[1.0, 0.0]).expect("finite");
    assert_eq!(proof.check(&problem), Ok(()));

    let wrong = Proof::infeasible(&[0.0, 1.0]).expect("finite");
    assert!(wrong.check(&problem).is_err());
    // ANCHOR_END: proof
    Ok(())
}
