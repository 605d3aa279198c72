//! Problems of FCLib: written, read, and refused.

use complementarity::Matrix;
use hdf5_pure::{FileBuilder, GroupBuilder};
use stickslip::contact::block::BlockMatrix;
use stickslip::contact::{ContactProblem, Law};
use stickslip_scene::{FclibError, from_fclib, is_hdf5, read_fclib, to_fclib, write_fclib};

fn spatial(bilateral: usize) -> ContactProblem {
    let mut laws = vec![Law::disc(0.5), Law::disc(0.2)];
    laws.extend((bilateral > 0).then(|| Law::bilateral(bilateral)));
    let n = 6 + bilateral;
    let w = Matrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 2.0,
        1 => 0.1 + 0.01 * (i + j) as f64,
        _ => 0.0,
    });
    let bias = (0..n).map(|i| 0.3 * i as f64 - 1.0).collect();
    ContactProblem::new(w, bias, laws).unwrap()
}

#[test]
fn what_is_written_is_read_to_the_last_bit() {
    for problem in [spatial(0), spatial(4)] {
        let bytes = to_fclib(&problem).unwrap();
        assert!(is_hdf5(&bytes));
        assert_eq!(from_fclib(bytes).unwrap(), problem);
    }
    let w = Matrix::from_rows(&[[1.5, 1.0], [1.0, 0.75]]).unwrap();
    let planar = ContactProblem::new(w, vec![-0.5, 0.0], vec![Law::coulomb(2.0)]).unwrap();
    assert_eq!(from_fclib(to_fclib(&planar).unwrap()).unwrap(), planar);
}

#[test]
fn large_problems_stay_sparse() {
    let k = 100;
    let sizes = vec![3; k];
    let blocks = (0..k).map(|i| (i, i, Matrix::identity(3).as_slice().to_vec())).collect();
    let w = BlockMatrix::from_one_triangle(&sizes, blocks).unwrap();
    let problem = ContactProblem::new(w, vec![-1.0; 3 * k], vec![Law::disc(0.3); k]).unwrap();
    assert_eq!(from_fclib(to_fclib(&problem).unwrap()).unwrap(), problem);
}

#[test]
fn files_are_written_and_read() {
    let path = std::env::temp_dir().join(format!("stickslip-fclib-{}.hdf5", std::process::id()));
    write_fclib(&spatial(0), &path).unwrap();
    assert_eq!(read_fclib(&path).unwrap(), spatial(0));
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(read_fclib(&path), Err(FclibError::File { .. })));
}

#[test]
fn laws_that_fclib_does_not_have_are_refused_by_contact() {
    let identity = |laws: Vec<Law>| {
        let n = laws.iter().map(Law::components).sum();
        ContactProblem::new(Matrix::identity(n), vec![0.0; n], laws).unwrap()
    };
    for (laws, word) in [
        (vec![Law::disc(0.1), Law::coulomb(0.1)], "contact 1 has another dimension"),
        (vec![Law::frictionless()], "contact 0 has a friction set"),
        (vec![Law { radius: 1.0, ..Law::disc(0.1) }], "does not depend on the load"),
        (vec![Law::disc(0.1).sliding_with([1.0, 0.0, 0.0])], "a given slip"),
        (vec![Law::bilateral(1), Law::disc(0.1)], "contact 1 has a place after"),
    ] {
        let error = to_fclib(&identity(laws)).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn broken_files_give_errors_and_no_panic() {
    assert!(matches!(from_fclib(Vec::new()), Err(FclibError::Part { .. })));
    assert!(from_fclib(b"{\"kind\":\"contact\"}".to_vec()).is_err());
    let bytes = to_fclib(&spatial(4)).unwrap();
    for end in (0..bytes.len()).step_by(97) {
        let _ = from_fclib(bytes[..end].to_vec());
    }
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 0xff;
        let _ = from_fclib(broken);
    }
}

#[test]
fn an_unsymmetric_matrix_is_kept_as_it_is() {
    let w = Matrix::from_fn(6, 6, |i, j| match (i, j) {
        (i, j) if i == j => 2.0,
        (1, 4) => 0.101,
        (4, 1) => 0.1,
        _ => 0.0,
    });
    let problem = ContactProblem::new(w, vec![-1.0; 6], vec![Law::disc(0.5); 2]).unwrap();
    let read = from_fclib(to_fclib(&problem).unwrap()).unwrap();
    assert_eq!(read, problem);
    assert!((read.delassus().asymmetry() - 5e-4).abs() < 1e-12);
    // Between contacts and connections FCLib has one matrix for both triangles.
    let laws = vec![Law::disc(0.5), Law::bilateral(3)];
    let joined = ContactProblem::new(problem.delassus().clone(), vec![-1.0; 6], laws).unwrap();
    assert_eq!(to_fclib(&joined), Err(FclibError::Coupling { row: 1 }));
}

/// A matrix as FCLib stores it: by columns, by rows, or as triplets.
fn store(parent: &mut GroupBuilder, name: &str, m: &Matrix, nz: i32) {
    let all = (0..m.rows()).flat_map(|r| (0..m.cols()).map(move |c| (r, c)));
    let mut list: Vec<(usize, usize)> = all.filter(|&(r, c)| m[(r, c)] != 0.0).collect();
    let mut group = parent.create_group(name);
    let mut put = |name: &str, values: Vec<usize>| {
        let values: Vec<i32> = values.into_iter().map(|v| v as i32).collect();
        group.create_dataset(name).with_i32_data(&values);
    };
    if nz == -1 {
        list.sort_by_key(|&(r, c)| (c, r));
    }
    let starts = |lines: usize, line: &dyn Fn(&(usize, usize)) -> usize| {
        (0..=lines).map(|l| list.iter().filter(|e| line(e) < l).count()).collect()
    };
    let (p, i) = match nz {
        -1 => (starts(m.cols(), &|e| e.1), list.iter().map(|e| e.0).collect()),
        -2 => (starts(m.rows(), &|e| e.0), list.iter().map(|e| e.1).collect()),
        _ => (list.iter().map(|e| e.0).collect(), list.iter().map(|e| e.1).collect()),
    };
    put("m", vec![m.rows()]);
    put("n", vec![m.cols()]);
    put("nzmax", vec![list.len()]);
    put("p", p);
    put("i", i);
    let nz = if nz < 0 { nz } else { list.len() as i32 };
    group.create_dataset("nz").with_i32_data(&[nz]);
    let x: Vec<f64> = list.iter().map(|&(r, c)| m[(r, c)]).collect();
    group.create_dataset("x").with_f64_data(&x);
    parent.add_group(group.finish());
}

/// A file with a global problem; G has no columns if `b` is empty.
fn global(m: &Matrix, h: &Matrix, g: &Matrix, (f, w, b): (&[f64], &[f64], &[f64])) -> Vec<u8> {
    let mut file = FileBuilder::new();
    let mut root = file.create_group("fclib_global");
    root.create_dataset("spacedim").with_i32_data(&[3]);
    store(&mut root, "M", m, -1);
    store(&mut root, "H", h, 0);
    let mut vectors = root.create_group("vectors");
    vectors.create_dataset("f").with_f64_data(f);
    vectors.create_dataset("w").with_f64_data(w);
    vectors.create_dataset("mu").with_f64_data(&vec![0.5; w.len() / 3]);
    if !b.is_empty() {
        store(&mut root, "G", g, -2);
        vectors.create_dataset("b").with_f64_data(b);
    }
    root.add_group(vectors.finish());
    file.add_group(root.finish());
    file.finish().unwrap()
}

/// Two bodies of three velocities, the first with a full mass matrix, unsymmetric by `skew`; two contacts and a row that
/// connects the bodies.
fn two_bodies(skew: f64) -> [Matrix; 3] {
    let m = Matrix::from_fn(6, 6, |i, j| match (i, j) {
        (0..3, 0..3) if i == j => 2.0 + i as f64,
        (1, 0) => 0.5 + skew,
        (0..3, 0..3) => 0.5,
        (i, j) if i == j => 4.0,
        _ => 0.0,
    });
    let h = Matrix::from_fn(6, 6, |i, j| match (i, j) {
        (i, j) if i == j => 1.0,
        (i, j) if i + 3 == j => -1.0,
        (0, 1) => 0.3,
        _ => 0.0,
    });
    let g = Matrix::from_fn(6, 1, |i, _| if i % 3 == 0 { 1.0 } else { 0.0 });
    [m, h, g]
}

#[test]
fn a_global_problem_obeys_the_equations_of_motion() {
    for (skew, b) in [(0.0, &[][..]), (0.0, &[-0.7]), (1e-3, &[-0.7])] {
        let [m, h, g] = two_bodies(skew);
        let (f, w) = ([-8.0, 1.0, 2.0, -4.0, 0.0, 3.0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
        let problem = from_fclib(global(&m, &h, &g, (&f, &w, b))).unwrap();
        assert_eq!(problem.contacts(), 2 + b.len());
        // Any impulses, with velocities v, for which M v = H r + G λ + f is checked by ξ = Jᵀ v + (w, b).
        let v: Vec<f64> = (0..6).map(|i| 1.0 - 0.4 * i as f64).collect();
        let lam = if b.is_empty() { vec![] } else { vec![0.25] };
        let r: Vec<f64> = (0..6).map(|i| 0.5 + 0.1 * i as f64).collect();
        let of = |i: usize| -> f64 {
            let push: f64 = (0..6).map(|j| h[(i, j)] * r[j]).sum();
            (0..6).map(|j| m[(i, j)] * v[j]).sum::<f64>()
                - push
                - lam.iter().map(|l| g[(i, 0)] * l).sum::<f64>()
        };
        let f: Vec<f64> = (0..6).map(of).collect();
        let problem_v = from_fclib(global(&m, &h, &g, (&f, &w, b))).unwrap();
        let impulse: Vec<f64> = r.iter().chain(&lam).copied().collect();
        let mut xi = vec![0.0; impulse.len()];
        problem_v.velocity_into(&impulse, &mut xi);
        for j in 0..6 {
            let exact = w[j] + (0..6).map(|i| h[(i, j)] * v[i]).sum::<f64>();
            assert!((xi[j] - exact).abs() < 1e-13, "{j}: {} {exact}", xi[j]);
        }
        for b in b {
            let exact = b + (0..6).map(|i| g[(i, 0)] * v[i]).sum::<f64>();
            assert!((xi[6] - exact).abs() < 1e-13, "{} {exact}", xi[6]);
        }
        assert_eq!(problem.delassus().asymmetry() > 0.0, skew > 0.0);
        let mut solver = stickslip::contact::solve::ContactSolver::default();
        let solution = solver.solve(&problem);
        assert!(skew > 0.0 || solution.is_solved(), "{:?}", solution.certificate);
    }
}

#[test]
fn a_global_problem_that_does_not_fit_is_refused_with_the_place() {
    let [m, h, g] = two_bodies(0.0);
    let zeros = [0.0; 6];
    let refused = |m: &Matrix, h: &Matrix, f: &[f64], w: &[f64]| {
        from_fclib(global(m, h, &g, (f, w, &[]))).unwrap_err().to_string()
    };
    let singular = Matrix::from_fn(6, 6, |i, j| if i == 5 { 0.0 } else { m[(i, j)] });
    let error = refused(&singular, &h, &zeros, &zeros);
    assert!(error.contains("fclib_global/M: is not positive definite"), "{error}");
    let error = refused(&m, &h, &zeros[..5], &zeros);
    assert!(error.contains("must be 5 × 5"), "{error}");
    let error = refused(&m, &Matrix::zeros(6, 4), &zeros, &zeros[..4]);
    assert!(error.contains("mu has 1 entries"), "{error}");
}
