//! W by bodies is the same matrix as its blocks, for whatever reads it.

use super::*;
use crate::{ContactProblem, Delassus, Law};

/// Numbers that differ from each other, the same every time.
fn number(seed: &mut u64) -> f64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005_u64)
        .wrapping_add(1_442_695_040_888_963_407_u64);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}

/// Three bodies; contacts with the ground, between two, twice between the same two with sides exchanged, and with nothing that moves.
fn rows() -> BodyRows {
    let mut seed = 7;
    let mut rows = BodyRows::default();
    rows.start(3);
    let links = [
        [Some(0), None],
        [Some(0), Some(1)],
        [Some(1), Some(0)],
        [None, Some(2)],
        [Some(2), Some(1)],
        [None, None],
    ];
    for (i, link) in links.into_iter().enumerate() {
        let n = if i == 4 { 1 } else { 3 };
        rows.push(
            link,
            (0..n).map(|_| [[0; 6].map(|_| number(&mut seed)), [0; 6].map(|_| number(&mut seed))]),
        );
    }
    rows.finish().unwrap();
    rows
}

/// A, dense: one row per number of a body.
fn dense_factor(rows: &BodyRows) -> Vec<Vec<f64>> {
    let mut a = vec![vec![0.0; rows.rows()]; 6 * rows.bodies()];
    for i in 0..rows.len() {
        for r in rows.range(i) {
            for (side, &body) in rows.link(i).iter().enumerate().filter(|(_, b)| **b != NONE) {
                (0..6).for_each(|x| a[6 * body as usize + x][r] += rows.values[r][side][x]);
            }
        }
    }
    a
}

#[test]
fn blocks_products_and_entries_are_those_of_the_factor() {
    let rows = rows();
    let (a, n) = (dense_factor(&rows), rows.rows());
    let expected = |r: usize, c: usize| a.iter().map(|line| line[r] * line[c]).sum::<f64>();
    let w = Delassus::from(rows.clone());
    let dense = w.to_dense();
    let (x, b): (Vec<f64>, Vec<f64>) = (0..n).map(|i| (1.0 + i as f64, 2.0 - i as f64)).unzip();
    let mut product = vec![0.0; n];
    w.multiply_add(&x, &b, &mut product);
    for r in 0..n {
        let mut sum = b[r];
        for c in 0..n {
            assert!((dense.row(r)[c] - expected(r, c)).abs() < 1e-14, "{r} {c}");
            assert!((w.at(r, c) - expected(r, c)).abs() < 1e-14, "{r} {c}");
            sum += expected(r, c) * x[c];
        }
        assert!((product[r] - sum).abs() < 1e-12, "{r}");
        assert!((w.diagonal()[r] - expected(r, r)).abs() < 1e-14);
    }
}

#[test]
fn terms_and_their_sizes_are_those_of_the_rows_of_w() {
    let rows = rows();
    let (a, n) = (dense_factor(&rows), rows.rows());
    let mut seed = 5;
    let impulse: Vec<f64> = (0..n).map(|_| number(&mut seed)).collect();
    let mut terms = rows.terms(&impulse);
    for i in 0..rows.len() {
        let (mut sum, mut size) = ([1.0; 6], [2.0; 6]);
        terms.add(&rows, i, &mut sum, &mut size);
        for (at, r) in rows.range(i).enumerate() {
            let entry = |c: usize| a.iter().map(|line| line[r] * line[c]).sum::<f64>();
            let term = |c: usize| entry(c) * impulse[c];
            let expected = (0..n).map(term).fold((1.0, 2.0), |(s, t), x| (s + x, t + x.abs()));
            assert!((sum[at] - expected.0).abs() < 1e-14, "{r}");
            assert!((size[at] - expected.1).abs() < 1e-14, "{r}");
        }
    }
}

#[test]
fn the_certificate_does_not_depend_on_the_form_of_w() {
    let rows = rows();
    let laws: Vec<Law> = (0..rows.len())
        .map(|i| if i == 4 { Law::frictionless() } else { Law::disc(0.5) })
        .collect();
    let mut seed = 3;
    let bias: Vec<f64> = (0..rows.rows()).map(|_| number(&mut seed)).collect();
    let impulse: Vec<f64> = (0..rows.rows()).map(|_| number(&mut seed)).collect();
    let sparse = ContactProblem::new(rows.blocks().clone(), bias.clone(), laws.clone()).unwrap();
    let bodies = ContactProblem::new(rows, bias, laws).unwrap();
    let (a, b) = (sparse.certificate(&impulse).unwrap(), bodies.certificate(&impulse).unwrap());
    for ((name, a), (_, b)) in a.measures().into_iter().zip(b.measures()) {
        assert!((a.value - b.value).abs() <= 1e-13 * a.value.abs(), "{name}: {a:?} {b:?}");
        assert_eq!(a.contact, b.contact, "{name}");
    }
}

#[test]
fn bodies_that_do_not_exist_and_numbers_that_overflow_are_refused() {
    let one = [[1.0; 6]; 2];
    for (link, row) in
        [([Some(0), Some(2)], one), ([Some(1), Some(1)], one), ([Some(0), None], [[1e200; 6]; 2])]
    {
        let mut rows = BodyRows::default();
        rows.start(2);
        rows.push(link, [row]);
        assert!(rows.finish().is_err(), "{link:?}");
    }
}

#[test]
fn a_matrix_filled_again_is_the_new_one() {
    let mut rows = rows();
    let _ = rows.blocks();
    rows.start(1);
    rows.push([Some(0), None], [[[1.0, 2.0, 0.0, 0.0, 0.0, 0.0], [9.0; 6]]]);
    rows.finish().unwrap();
    assert_eq!(rows.blocks().to_dense().as_slice(), [5.0]);
    assert_eq!(Delassus::from(rows).diagonal(), [5.0]);
}

#[test]
fn twins_are_the_contacts_before_with_the_same_bodies_either_way_round() {
    let rows = rows();
    let twins = |i: usize| rows.twins(i).collect::<Vec<_>>();
    assert_eq!(twins(2), [(1, true)]);
    for i in [0, 1, 3, 4, 5] {
        assert_eq!(twins(i), []);
    }
}
