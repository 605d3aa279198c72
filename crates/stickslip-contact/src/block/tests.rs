//! What the storage and the factorisations promise.

use super::{BlockList, BlockLlt, BlockLu, BlockMatrix, FrontTree, SYMMETRIC};
use crate::{ContactProblem, Delassus, Error, Law};
use complementarity::Matrix;

/// Numbers between −½ and ½, always the same.
fn draws() -> impl FnMut() -> f64 {
    let mut s = 7_u64;
    move || {
        s = s
            .wrapping_mul(6_364_136_223_846_793_005_u64)
            .wrapping_add(1_442_695_040_888_963_407_u64);
        (s >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
    }
}

/// Sizes of blocks, and a matrix with nonzero blocks near the diagonal and in one corner, dominated by its diagonal and
/// unsymmetric by about `skew`.
fn banded(k: usize, skew: f64) -> (Vec<usize>, Matrix) {
    let sizes: Vec<usize> = (0..k).map(|i| 1 + i % 3).collect();
    let n: usize = sizes.iter().sum();
    let block: Vec<usize> = (0..k).flat_map(|i| vec![i; sizes[i]]).collect();
    let mut draw = draws();
    let mut m = Matrix::zeros(n, n);
    for r in 0..n {
        m[(r, r)] = 6.0;
        for c in 0..r {
            if block[r] - block[c] < 3 || (block[c] == 0 && block[r] == k - 1) {
                let x = draw();
                (m[(r, c)], m[(c, r)]) = (x, x + skew * draw());
            }
        }
    }
    (sizes, m)
}

#[test]
fn both_triangles_are_kept_bit_by_bit() {
    let (sizes, m) = banded(12, 1e-3);
    let n = m.rows();
    let blocks = BlockMatrix::from_dense(&sizes, &m).unwrap();
    assert_eq!(blocks.to_dense(), m);
    let entries = (0..n).flat_map(|r| (0..n).map(move |c| (r, c)));
    let entries = entries.map(|(r, c)| (r, c, m[(r, c)])).filter(|e| e.2 != 0.0);
    assert_eq!(BlockMatrix::from_triplets(&sizes, entries).unwrap(), blocks);
    let laws: Vec<Law> = sizes.iter().map(|&n| Law::bilateral(n)).collect();
    for w in [Delassus::from(m.clone()), blocks.into()] {
        assert!((1e-5..1e-3).contains(&w.asymmetry()) && !w.is_symmetric(), "{}", w.asymmetry());
        let problem = ContactProblem::new(w, vec![1.0; n], laws.clone()).unwrap();
        let read = ContactProblem::from_json(&problem.to_json().unwrap()).unwrap();
        assert_eq!(read.delassus(), problem.delassus());
    }
}

#[test]
fn a_block_without_its_mirror_image_gets_one_of_zeros() {
    let given = vec![(0, 0, vec![1.0]), (1, 1, vec![4.0]), (1, 0, vec![1.0])];
    let both = BlockMatrix::from_both_triangles(&[1, 1], given.clone()).unwrap();
    assert_eq!(both.to_dense().as_slice(), [1.0, 0.0, 1.0, 4.0]);
    assert_eq!((both.stored_blocks(), both.asymmetry()), (4, 0.5));
    let one = BlockMatrix::from_one_triangle(&[1, 1], given).unwrap();
    assert_eq!(one.to_dense().as_slice(), [1.0, 1.0, 1.0, 4.0]);
    assert_eq!((one.stored_blocks(), one.asymmetry()), (4, 0.0));
}

#[test]
fn a_diagonal_block_of_one_triangle_is_symmetric() {
    let refused = BlockMatrix::from_one_triangle(&[2], vec![(0, 0, vec![1.0, 0.5, 0.0, 1.0])]);
    assert!(matches!(refused, Err(Error::NotSymmetric { asymmetry: 0.5, .. })), "{refused:?}");
}

#[test]
fn asymmetry_is_relative_to_the_rows_it_is_in() {
    let of = |m: [[f64; 2]; 2]| Delassus::from(Matrix::from_rows(&m).unwrap());
    // A light body beside a heavy one: the small entries count in their own scale.
    assert!((of([[1e12, 1e3], [0.0, 1.0]]).asymmetry() - 1e-3).abs() < 1e-15);
    assert!((of([[0.0, 1.0], [-1.0, 0.0]]).asymmetry() - 2.0).abs() < 1e-15);
    assert!(of([[1.0, 0.3 + 1e-15], [0.3, 1.0]]).is_symmetric());
    assert!(!of([[1.0, 0.3 + 2.0 * SYMMETRIC], [0.3, 1.0]]).is_symmetric());
    assert_eq!(of([[1.0, f64::MAX], [-f64::MAX, 1.0]]).asymmetry(), 2.0);
}

#[test]
fn rows_and_columns_of_an_unsymmetric_matrix_are_its_own() {
    for skew in [0.0, 0.1] {
        let (sizes, m) = banded(9, skew);
        let n = m.rows();
        let blocks = BlockMatrix::from_dense(&sizes, &m).unwrap();
        let x: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
        let (mut by_rows, mut by_columns) = (vec![0.0; n], vec![0.0; n]);
        blocks.multiply_add(&x, &vec![0.0; n], &mut by_rows);
        for i in 0..sizes.len() {
            let own = blocks.offset(i)..blocks.offset(i) + sizes[i];
            blocks.add_column(i, &x[own], &mut by_columns);
        }
        for (r, exact) in m.mul_vec(&x).into_iter().enumerate() {
            assert!((by_rows[r] - exact).abs() < 1e-12, "{r}: {} {exact}", by_rows[r]);
            assert!((by_columns[r] - exact).abs() < 1e-12, "{r}: {} {exact}", by_columns[r]);
        }
    }
}

#[test]
fn the_factors_are_those_of_the_matrix_as_given() {
    for skew in [0.0, 0.5] {
        let (sizes, m) = banded(20, skew);
        let blocks = BlockMatrix::from_dense(&sizes, &m).unwrap();
        let mut lu = BlockLu::default();
        assert!(lu.factorise(&FrontTree::of(&blocks), blocks.offsets(), &blocks));
        let mut x = m.mul_vec(&vec![1.0; m.rows()]);
        lu.solve(&mut x);
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-12), "{skew}: {x:?}");
    }
}

#[test]
fn a_definite_matrix_has_the_same_solutions_by_both_factorisations() {
    for k in [1, 2, 20, 60] {
        let (sizes, m) = banded(k, 0.0);
        let blocks = BlockMatrix::from_dense(&sizes, &m).unwrap();
        let tree = FrontTree::of(&blocks);
        let mut llt = BlockLlt::default();
        assert!(llt.factorise(&tree, blocks.offsets(), &blocks));
        let mut x = m.mul_vec(&vec![1.0; m.rows()]);
        llt.solve(&mut x);
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-12), "{k}: {x:?}");
    }
}

/// One front that is wider than the tiles, the panels and the depth of the kernels, and not a multiple of them.
#[test]
fn a_full_matrix_is_factorised_too() {
    let n = 83;
    let mut draw = draws();
    let b = Matrix::from_fn(n, n + 3, |_, _| draw());
    let gram = |i: usize, j: usize| b.row(i).iter().zip(b.row(j)).map(|(x, y)| x * y).sum();
    let m = Matrix::from_fn(n, n, |i, j| if i == j { 1.0 + gram(i, j) } else { gram(i, j) });
    let blocks = BlockMatrix::from_dense(&[n], &m).unwrap();
    let mut llt = BlockLlt::default();
    assert!(llt.factorise(&FrontTree::of(&blocks), blocks.offsets(), &blocks));
    let mut x = m.mul_vec(&vec![1.0; n]);
    llt.solve(&mut x);
    assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-10), "{x:?}");
}

#[test]
fn a_matrix_that_is_not_definite_is_told() {
    for (i, bad) in [(0, 0.0), (3, -1.0), (7, f64::MIN_POSITIVE)] {
        let (sizes, mut m) = banded(9, 0.0);
        m[(i, i)] = bad;
        let blocks = BlockMatrix::from_dense(&sizes, &m).unwrap();
        let mut llt = BlockLlt::default();
        assert!(!llt.factorise(&FrontTree::of(&blocks), blocks.offsets(), &blocks), "{i}");
    }
}

#[test]
fn a_list_that_is_used_again_makes_the_same_matrix_as_a_new_one() {
    let mut draw = draws();
    let sizes = [3, 3, 1, 2];
    let places = [(0, 0), (1, 1), (2, 2), (3, 3), (1, 0), (3, 1), (0, 1), (2, 3)];
    let (mut list, mut matrix) = (BlockList::default(), BlockMatrix::default());
    for round in 0..12 {
        // The same blocks twice, then one less, other sizes of the last, and a matrix that was another one in between.
        let left = if round % 3 == 2 { places.len() - 1 } else { places.len() };
        let sizes = if round % 4 == 3 { [3, 3, 1, 1] } else { sizes };
        if round == 5 {
            matrix = BlockMatrix::from_one_triangle(&[1, 1], vec![(0, 1, vec![2.0])]).unwrap();
        }
        list.clear();
        let mut blocks = Vec::new();
        for &(i, j) in &places[..left] {
            let n = sizes[i] * sizes[j];
            let entries: Vec<f64> =
                if i == j { vec![1.0 + draw().abs(); n] } else { (0..n).map(|_| draw()).collect() };
            list.push(i, j, entries.iter().copied());
            blocks.push((i, j, entries));
        }
        matrix.refill_one_triangle(&sizes, &mut list).unwrap();
        assert_eq!(matrix, BlockMatrix::from_one_triangle(&sizes, blocks).unwrap(), "{round}");
    }
    // Only the last block is too long: the places are those of the list before.
    for (last, fits) in [(2, true), (2, true), (3, false)] {
        list.clear();
        places.iter().for_each(|&(i, j)| list.push(i, j, vec![1.0; sizes[i] * sizes[j]]));
        list.push(2, 3, vec![0.0; last]);
        assert_eq!(matrix.refill_one_triangle(&sizes, &mut list).is_ok(), fits);
    }
}
