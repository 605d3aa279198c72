//! Calling a method by name: defaults, settings, a warm start, a sparse problem, reading the result.
//!
//! The book includes the parts between the anchors.

use complementarity::{
    Auto, Error, InteriorPoint, Lcp, Lemke, Matrix, Newton, Pgs, Solver, SparseLcp, SparseMatrix,
    Status, pgs,
};

fn main() -> Result<(), Error> {
    path()?;
    one_method()?;
    settings_and_guess()?;
    any_method()?;
    sparse()?;
    println!("every statement of the book's page on solvers holds");
    Ok(())
}

fn path() -> Result<(), Error> {
    // ANCHOR: auto
    // A contact with friction, mu = 2, on which Lemke's method ends on a ray. With (4, -1, 0) as the last
    // row `auto` would know the form, and need no pivots at all.
    let m = Matrix::from_rows(&[[-0.5, 1.0, 0.0], [-0.5, 0.75, 1.0], [8.0, -2.0, 0.0]])?;
    let problem = Lcp::new(m, vec![-0.5, 0.0, 0.0])?;

    let mut auto = Auto::default();
    assert!(auto.solve(&problem).is_solved());
    for attempt in auto.attempts() {
        println!("{}: {}", attempt.method, attempt.status);
    }
    let path: Vec<&str> = auto.attempts().iter().map(|a| a.method).collect();
    assert_eq!(path, ["block exchanges", "lemke", "lemke, centred"]);
    // ANCHOR_END: auto
    Ok(())
}

fn one_method() -> Result<(), Error> {
    // ANCHOR: one
    let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
    let problem = Lcp::new(m, vec![-5.0, -6.0])?;

    let mut lemke = Lemke::default();
    let solution = lemke.solve(&problem);
    match solution.status {
        Status::Solved => println!("z = {:?}", solution.z),
        Status::NoSolution => println!("there is none: {:?}", solution.proof),
        Status::Failed(_) => println!("{}", solution.status),
    }
    assert!(solution.is_solved());
    // ANCHOR_END: one
    Ok(())
}

fn settings_and_guess() -> Result<(), Error> {
    // ANCHOR: guess
    let mut problem = Lcp::new(Matrix::identity(3), vec![-1.0, 2.0, -3.0])?;
    let mut solver = Pgs::new(pgs::Settings { relaxation: 1.3, ..pgs::Settings::default() })?;
    let last = solver.solve(&problem).z.clone();

    // The next time step: q changes a little, M does not, and the storage is kept.
    problem.set_q(&[-1.1, 2.0, -2.9])?;
    let solution = solver.solve_from(&problem, &last)?;
    assert!(solution.is_solved());
    // ANCHOR_END: guess
    Ok(())
}

fn any_method() -> Result<(), Error> {
    // ANCHOR: any
    let m = Matrix::from_rows(&[[4.0, -1.0], [1.0, 2.0]])?;
    let problem = Lcp::new(m, vec![-1.0, -2.0])?;
    let mut methods: Vec<Box<dyn Solver>> = vec![
        Box::new(Lemke::default()),
        Box::new(Newton::default()),
        Box::new(InteriorPoint::default()),
        Box::new(Pgs::default()),
    ];
    for method in &mut methods {
        let name = method.name();
        let solution = method.solve(&problem);
        assert!(solution.is_solved(), "{name}: {}", solution.status);
    }
    // ANCHOR_END: any
    Ok(())
}

fn sparse() -> Result<(), Error> {
    // ANCHOR: sparse
    // A string on an elastic bed: 3000 entries instead of a million.
    let n = 1000;
    let mut triplets = Vec::new();
    for i in 0..n {
        triplets.push((i, i, 4.0));
        if i > 0 {
            triplets.push((i, i - 1, -1.0));
            triplets.push((i - 1, i, -1.0));
        }
    }
    let m = SparseMatrix::from_triplets(n, n, &triplets)?;
    let problem = SparseLcp::new(m, vec![-1.0; n])?;
    assert!(Pgs::default().solve_sparse(&problem).is_solved());
    // ANCHOR_END: sparse
    Ok(())
}
