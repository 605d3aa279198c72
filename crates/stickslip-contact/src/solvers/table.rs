//! Which method when: the table that the default solver goes through.

use super::cascade::{SMALL, TINY, is_swept, takes_sweeps};
use super::reduced::Reduced;
use super::{BlockForm, admm, clusters, interior_point, split_point, sweeps};
use crate::law::Law;
use crate::solve::Effort;

/// The most contacts for which impulses are looked for that hold all of them: it takes an eigenvalue problem.
const MOST_HELD: usize = 32;

/// One row of the table: a method, for which problems, and why it stands where it stands.
pub(super) struct Row {
    pub(super) step: Step,
    pub(super) when: fn(&BlockForm) -> bool,
    #[allow(dead_code, reason = "the table is read by people")]
    why: &'static str,
}

/// Which method when: the rows are tried from the first to the last, each from the best point so far.
pub(super) const TABLE: &[Row] = &[
    Row {
        step: Step::QuickNewton,
        when: |p| p.contacts() <= SMALL,
        why: "Where contacts stick or slide as they first seem to, as in most small problems, it is done in a few steps; \
              where they do not, its first steps show it.",
    },
    Row {
        step: Step::BodySweeps,
        when: takes_sweeps,
        why: "Contacts between free bodies: sweeps without W, and where they come to a halt regions around the worst contacts; \
              given up when an interior point costs less, which takes seven times as long for 65 to 500 contacts of spheres that fall.",
    },
    Row {
        step: Step::Sweeps,
        when: |p| !takes_sweeps(p) && !is_few_between_bodies(p),
        why: "The cheapest method by far where loads do not travel far; given up when an interior point costs less.",
    },
    Row {
        step: Step::Reduced,
        when: Reduced::applies,
        why: "Contacts that are known to slide leave their normals to be found, and spin is put into units of its own: \
              this whole table, for a problem that every method takes and takes more easily.",
    },
    Row {
        step: Step::Interior,
        when: |p| all(p, interior_point::takes),
        why: "Round friction sets: tolerates redundancy, mass ratios and tall stacks.",
    },
    Row {
        step: Step::Split,
        when: |p| all(p, split_point::takes),
        why: "The same for friction sets of any shape and constant friction.",
    },
    Row {
        step: Step::Sweeps,
        when: is_few_between_bodies,
        why: "Of columns of boxes that fall, where Newton's method fails, sweeps solve a third, and two thirds of what they cost is lost: an interior \
              point comes first, and its answer is sharp, so that what comes to rest is found at rest.",
    },
    Row {
        step: Step::Held,
        when: |p| p.contacts() <= MOST_HELD,
        why: "Bodies that friction jams: an interior point follows impulses that grow without bound, where such as hold every contact are \
              found at once.",
    },
    Row {
        step: Step::Clusters,
        when: clusters::takes,
        why: "Few contacts are wrong where masses differ by many decades; with their neighbours they are small problems, which do \
              not stall.",
    },
    Row {
        step: Step::Path(0),
        when: |p| all(p, split_point::takes),
        why: "Follows the central path through its folds where long steps stall at one.",
    },
    Row { step: Step::Newton, when: any, why: "Takes every law, from a start by sweeps." },
    Row {
        step: Step::Admm,
        when: |p| all(p, admm::takes),
        why: "Needs no regular matrix, and comes near where Newton's method and the interior points fail.",
    },
    Row {
        step: Step::Path(4),
        when: |p| all(p, split_point::takes),
        why: "Other weights are another path, which may have no fold, or lead to another solution.",
    },
    Row { step: Step::Path(3), when: |p| all(p, split_point::takes), why: "As above." },
    Row { step: Step::Path(5), when: |p| all(p, split_point::takes), why: "As above." },
    Row { step: Step::LastSweeps, when: any, why: "Slow and sure where sweeps converge at all." },
];

/// Whether these are more contacts than a few and fewer than sweeps over bodies are made for, between free bodies.
pub(super) fn is_few_between_bodies(problem: &BlockForm) -> bool {
    problem.contacts() > TINY && !takes_sweeps(problem) && sweeps::takes(problem)
}

fn any(_: &BlockForm) -> bool {
    true
}

fn all(problem: &BlockForm, takes: fn(&Law) -> bool) -> bool {
    problem.laws().iter().all(takes)
}

/// What a row of the table does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    QuickNewton,
    BodySweeps,
    Sweeps,
    Reduced,
    Interior,
    Split,
    Held,
    Clusters,
    Path(u32),
    Newton,
    Admm,
    LastSweeps,
}

impl Step {
    /// Whether it is done before anything is counted.
    pub(super) fn is_cheap(self) -> bool {
        matches!(self, Self::QuickNewton | Self::BodySweeps | Self::Sweeps)
    }

    /// Whether a search of this length goes so far. The common methods find nearly all answers to a problem; the others are for what these leave. Of
    /// the two kinds of interior points one will do.
    pub(super) fn is_worth(self, effort: Effort, problem: &BlockForm) -> bool {
        use Step::{BodySweeps, Held, Interior, QuickNewton, Reduced, Split, Sweeps};
        let common = match self {
            QuickNewton | BodySweeps | Sweeps | Reduced | Interior | Held => true,
            Split => !all(problem, interior_point::takes),
            _ => false,
        };
        match effort {
            Effort::Least if is_swept(problem) => matches!(self, BodySweeps),
            Effort::Least | Effort::Brief => common,
            Effort::Full => true,
        }
    }
}
