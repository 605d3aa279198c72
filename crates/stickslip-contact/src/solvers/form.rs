//! A contact problem as the methods read it: W by blocks. A dense W is copied into blocks once per solve; one by bodies is
//! assembled when a method asks for its blocks.

use crate::block::{BlockList, BlockMatrix};
use crate::{BodyRows, ContactProblem, Delassus, Law};
use std::ops::Range;
use std::sync::OnceLock;

/// A contact problem with W by blocks, and what units its velocities have.
#[derive(Clone, Debug)]
pub(crate) struct BlockForm<'a> {
    problem: &'a ContactProblem,
    /// Blocks of a dense W.
    copied: Option<&'a BlockMatrix>,
    /// Found when it is first asked for: an answer that is known already needs none.
    reference: OnceLock<f64>,
}

impl<'a> BlockForm<'a> {
    pub(crate) fn problem(&self) -> &'a ContactProblem {
        self.problem
    }

    /// W by blocks. Where the problem has W by bodies, the first to ask has it assembled.
    pub(crate) fn w(&self) -> &'a BlockMatrix {
        let blocks = self.copied.or_else(|| self.problem.delassus().as_blocks());
        blocks.unwrap_or_else(|| unreachable!("a dense W is copied"))
    }

    /// W by bodies, if the problem has it.
    pub(crate) fn bodies(&self) -> Option<&'a BodyRows> {
        self.problem.delassus().as_bodies()
    }

    pub(crate) fn b(&self) -> &'a [f64] {
        self.problem.bias()
    }

    pub(crate) fn laws(&self) -> &'a [Law] {
        self.problem.laws()
    }

    pub(crate) fn contacts(&self) -> usize {
        self.problem.contacts()
    }

    pub(crate) fn len(&self) -> usize {
        self.problem.bias().len()
    }

    pub(crate) fn rows(&self, contact: usize) -> Range<usize> {
        self.problem.rows(contact)
    }

    pub(crate) fn is_associated(&self) -> bool {
        self.problem.is_associated()
    }

    /// The largest velocity of b at a contact that can open or slip, in units of the normal; of all rows where none moves; or 1.
    pub(crate) fn reference(&self) -> f64 {
        *self.reference.get_or_init(|| reference_velocity(self.problem))
    }

    /// What turns a normal impulse of a contact into a velocity: the normal entry of W, or where that is zero the largest.
    pub(crate) fn scale(&self, contact: usize) -> f64 {
        let n = self.rows(contact).len();
        let own;
        let w = match self.bodies() {
            Some(bodies) => {
                own = bodies.diagonal(contact);
                &own[..n * n]
            }
            None => self.w().diagonal(contact),
        };
        if w[0] > 0.0 {
            return w[0];
        }
        let largest = (0..n).fold(0.0, |m: f64, r| m.max(w[r * (n + 1)].abs()));
        if largest > 0.0 { largest } else { 1.0 }
    }
}

/// Blocks of a dense W, on storage that is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormBuffer {
    /// None until there is a dense W: an empty matrix is not free of storage.
    blocks: Option<BlockMatrix>,
    list: BlockList,
    sizes: Vec<usize>,
}

impl FormBuffer {
    pub(crate) fn form<'a>(&'a mut self, problem: &'a ContactProblem) -> BlockForm<'a> {
        let reference = OnceLock::new();
        if !matches!(problem.delassus(), Delassus::Dense(_)) {
            return BlockForm { problem, copied: None, reference };
        }
        self.sizes.clear();
        self.sizes.extend(problem.laws().iter().map(Law::components));
        let blocks = self.blocks.get_or_insert_default();
        problem.delassus().blocks_into(&self.sizes, &mut self.list, blocks);
        BlockForm { problem, copied: Some(blocks), reference }
    }
}

fn reference_velocity(problem: &ContactProblem) -> f64 {
    let mut largest = 0.0_f64;
    for (i, law) in problem.laws().iter().enumerate() {
        let b = &problem.bias()[problem.rows(i)];
        let normals = law.kind.normals();
        if normals == 1 {
            largest = largest.max(b[0].abs());
        }
        // What slides on is not restricted in its tangents.
        if let (Some(set), None) = (law.kind.set(), law.sliding) {
            let mut back = [0.0; super::MAX_TANGENTS];
            back.iter_mut().zip(&b[normals..]).for_each(|(x, b)| *x = -b);
            let d = set.dimension();
            largest = largest.max(set.support(&b[normals..])).max(set.support(&back[..d]));
        }
    }
    if largest > 0.0 {
        return largest;
    }
    let any = problem.bias().iter().fold(0.0_f64, |m, b| m.max(b.abs()));
    if any > 0.0 { any } else { 1.0 }
}
