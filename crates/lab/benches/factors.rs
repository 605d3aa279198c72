//! LU against L Lᵀ: one factorisation and one solve with W + R of stacks, pyramids and piles.
//!
//! ```text
//! cargo bench -p stickslip-lab --bench factors
//! ```

use divan::Bencher;
use stickslip_contact::block::{BlockLlt, BlockLu, BlockMatrix, FrontTree};
use stickslip_lab::cone::{Mix, box_pyramid, box_stack, sphere_pile};

/// Family and size: about 1000 and 3000 contacts.
const CASES: [(&str, usize); 6] = [
    ("stack", 250),
    ("stack", 750),
    ("pyramid", 16),
    ("pyramid", 27),
    ("pile", 310),
    ("pile", 880),
];

fn main() {
    divan::main();
}

/// W with a tenth of its diagonal added, as penalties do, and its tree.
fn matrix((family, size): (&str, usize)) -> (BlockMatrix, FrontTree) {
    let problem = match family {
        "stack" => box_stack(size, Mix::default()),
        "pyramid" => box_pyramid(size, Mix::default()),
        _ => sphere_pile(size, Mix::default()),
    };
    let mut w = problem.delassus().to_blocks(problem.laws());
    w.scale_diagonal(1.1);
    let tree = FrontTree::of(&w);
    (w, tree)
}

#[divan::bench(args = CASES, sample_count = 10)]
fn lu(bencher: Bencher, case: (&str, usize)) {
    let (w, tree) = matrix(case);
    let (mut factors, mut x) = (BlockLu::default(), vec![1.0; w.rows()]);
    bencher.bench_local(|| {
        assert!(factors.factorise(&tree, w.offsets(), &w));
        factors.solve(&mut x);
    });
}

#[divan::bench(args = CASES, sample_count = 10)]
fn llt(bencher: Bencher, case: (&str, usize)) {
    let (w, tree) = matrix(case);
    let (mut factors, mut x) = (BlockLlt::default(), vec![1.0; w.rows()]);
    bencher.bench_local(|| {
        assert!(factors.factorise(&tree, w.offsets(), &w));
        factors.solve(&mut x);
    });
}
