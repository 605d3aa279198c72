//! The problems of the comparison.

use stickslip_contact::ContactProblem;
use stickslip_lab::cone::{Mix, box_pyramid, box_stack, sphere_pile};

/// A problem by name.
pub(crate) struct Posed {
    pub(crate) name: &'static str,
    /// Problems of a kind are listed from small to large; who is late at one is not given the next.
    pub(crate) kind: &'static str,
    pub(crate) make: fn() -> ContactProblem,
}

const fn posed(kind: &'static str, name: &'static str, make: fn() -> ContactProblem) -> Posed {
    Posed { name, kind, make }
}

const REST: Mix = Mix { mu: 0.5, mass_ratio: 1.0, motion: 0.0, seed: 1 };
const MOVING: Mix = Mix { motion: 0.3, ..REST };
const FAST: Mix = Mix { motion: 1.0, mu: 1.0, ..REST };
const SLIPPERY: Mix = Mix { motion: 0.1, mu: 0.1, ..REST };
const MILD: Mix = Mix { mass_ratio: 1e3, motion: 0.1, ..REST };
const HEAVY: Mix = Mix { mass_ratio: 1e6, motion: 0.1, ..REST };

/// Stacks and pyramids by their number of contacts, piles by their number of spheres.
pub(crate) const PROBLEMS: &[Posed] = &[
    posed("stack", "stack 8", || box_stack(2, REST)),
    posed("stack", "stack 8, moving", || box_stack(2, MOVING)),
    posed("stack", "stack 8, slippery", || box_stack(2, SLIPPERY)),
    posed("heavy stack", "stack 8, masses 1e6", || box_stack(2, HEAVY)),
    posed("stack", "stack 40", || box_stack(10, REST)),
    posed("stack", "stack 40, moving", || box_stack(10, MOVING)),
    posed("stack", "stack 40, fast, mu 1", || box_stack(10, FAST)),
    posed("heavy stack", "stack 40, masses 1e3", || box_stack(10, MILD)),
    posed("stack", "stack 80", || box_stack(20, REST)),
    posed("stack", "stack 80, moving", || box_stack(20, MOVING)),
    posed("stack", "stack 80, slippery", || box_stack(20, SLIPPERY)),
    posed("heavy stack", "stack 80, masses 1e6", || box_stack(20, HEAVY)),
    posed("pyramid", "pyramid 60", || box_pyramid(4, REST)),
    posed("pyramid", "pyramid 60, moving", || box_pyramid(4, MOVING)),
    posed("pyramid", "pyramid 60, slippery", || box_pyramid(4, SLIPPERY)),
    posed("fast pyramid", "pyramid 60, fast, mu 1", || box_pyramid(4, FAST)),
    posed("heavy pyramid", "pyramid 60, masses 1e6", || box_pyramid(4, HEAVY)),
    posed("pyramid", "pyramid 400", || box_pyramid(10, REST)),
    posed("pyramid", "pyramid 400, moving", || box_pyramid(10, MOVING)),
    posed("fast pyramid", "pyramid 400, fast, mu 1", || box_pyramid(10, FAST)),
    posed("heavy pyramid", "pyramid 400, masses 1e6", || box_pyramid(10, HEAVY)),
    posed("pile", "pile of 40", || sphere_pile(40, REST)),
    posed("pile", "pile of 40, moving", || sphere_pile(40, MOVING)),
    posed("pile", "pile of 40, slippery", || sphere_pile(40, SLIPPERY)),
    posed("heavy pile", "pile of 40, masses 1e3", || sphere_pile(40, MILD)),
    posed("heavy pile", "pile of 40, masses 1e6", || sphere_pile(40, HEAVY)),
    posed("pile", "pile of 100", || sphere_pile(100, REST)),
    posed("pile", "pile of 100, fast, mu 1", || sphere_pile(100, FAST)),
    posed("heavy pile", "pile of 100, masses 1e3", || sphere_pile(100, MILD)),
    posed("pile", "pile of 300", || sphere_pile(300, REST)),
    posed("pile", "pile of 300, moving", || sphere_pile(300, MOVING)),
    posed("heavy pile", "pile of 100, masses 1e6", || sphere_pile(100, HEAVY)),
    posed("heavy pile", "pile of 300, masses 1e3", || sphere_pile(300, MILD)),
    posed("pile", "pile of 1000", || sphere_pile(1000, REST)),
    posed("pile", "pile of 1000, fast, mu 1", || sphere_pile(1000, FAST)),
    posed("heavy pile", "pile of 1000, masses 1e3", || sphere_pile(1000, MILD)),
];
