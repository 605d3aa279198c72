//! Local problems of FCLib: written, read, and refused.

use complementarity::Matrix;
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
    let w = BlockMatrix::from_blocks(&sizes, blocks).unwrap();
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
