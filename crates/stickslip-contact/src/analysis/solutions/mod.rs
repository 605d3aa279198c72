//! All solutions of a small contact problem, or a proof that there is none.
//!
//! The law of a contact is covered by *cells*: open; stick; slip with the friction on one face of a polyhedral set, or in a
//! sector of directions of a smooth one. Contact by contact a case distinction chooses cells; since ξ = W Λ + b is linear, a
//! linear program tells where the choices contradict each other, and its Farkas vector is a piece of the proof if no
//! solution is found at all.
//!
//! - *Polyhedral* sets (planar friction, polygons, polyhedra) are exact: a choice of cells is a polyhedron, and the solutions are
//!   the maximal ones, by vertices and rays.
//! - *Smooth* sets (disc, ellipse, ellipsoid, and the ellipse of a mixed set): sectors are halved until nothing is left in them or
//!   Newton's method finds a solution that Krawczyk's test shows to be the only one near. Intervals are in floating point,
//!   widened by some units in the last place: the proof is as good as that.
//! - Sets of a user's own have no cells: one solution is looked for, and the answer is marked [`SearchLimit::UserSet`].
//!
//! ```
//! use complementarity::Matrix;
//! use stickslip_contact::analysis::solutions::{Count, Settings, all_solutions};
//! use stickslip_contact::{ContactProblem, Law, Mode};
//!
//! // Painlevé: friction drives the sliding contact into the ground faster than the normal force can lift it.
//! let w = Matrix::from_rows(&[[1.0, 0.9], [0.9, 1.0]])?;
//! let jammed = Law::coulomb(2.0).sliding_with([1.0, 0.0, 0.0]);
//! let falls = ContactProblem::new(w.clone(), vec![-1.0, 0.0], vec![jammed.clone()])?;
//! let none = all_solutions(&falls, &Settings::default())?;
//! assert_eq!(none.count(), Count::Exactly(0));
//! assert!(none.proof.as_ref().is_some_and(|proof| proof.check(&falls).is_ok()));
//!
//! let lifts = ContactProblem::new(w, vec![1.0, 0.0], vec![jammed])?;
//! let two = all_solutions(&lifts, &Settings::default())?;
//! assert_eq!(two.count(), Count::Exactly(2));
//! assert!(two.solutions.iter().any(|s| s.modes == [Mode::Open]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod equations;
mod piece;
mod smooth;
mod space;
mod tree;

use crate::error::{Error, check};
use crate::solve::ContactSolver;
use crate::{Certificate, ContactProblem, Mode};
use std::fmt;

pub use crate::proof::{Cases, Proof, ProofError, Source, Term};
pub use complementarity::enumerate::Count;

/// Limits and tolerances of [`all_solutions`].
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Contacts (bilateral ones do not count) beyond which no search is tried and one solution is looked for instead. Default
    /// 12, at most 20: the work can grow fourfold with each planar contact.
    pub max_contacts: usize,
    /// Nodes of the case distinction after which the search ends incomplete. Default 200 000, some seconds.
    pub max_nodes: usize,
    /// Multiplications, roughly, after which the search ends incomplete. Default 6·10⁹, some seconds: many rows (polyhedra with
    /// many facets) make a node cost up to a thousand times as much as others.
    pub max_work: u64,
    /// Solutions after which the search ends incomplete. Default 10 000.
    pub max_solutions: usize,
    /// Vertices and rays of one polyhedron of solutions after which one solution stands for all of it. Default 4 000.
    pub max_vertices: usize,
    /// The width of a sector of slip directions, in radians, below which it is halved no more; after every 64 sectors that
    /// stay open it is doubled. Default 1e-5.
    pub resolution: f64,
    /// The certificate that a solution must meet to be listed. Default 1e-9.
    pub tolerance: f64,
    /// Whether to keep what a proof needs when there is no solution. Default true.
    pub proof: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_contacts: 12,
            max_nodes: 200_000,
            max_work: 6_000_000_000_u64,
            max_solutions: 10_000,
            max_vertices: 4_000,
            resolution: 1e-5,
            tolerance: 1e-9,
            proof: true,
        }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    ///
    /// # Errors
    /// [`Error::Range`], which names the field.
    pub fn validate(&self) -> Result<(), Error> {
        let most = |name: &str, value: usize, high: usize, wanted: &'static str| {
            let inside = (1..=high).contains(&value);
            check(|| format!("solutions.{name}"), value as f64, inside, wanted)
        };
        most("max_contacts", self.max_contacts, 20, "from 1 to 20")?;
        most("max_nodes", self.max_nodes, usize::MAX, "at least 1")?;
        let work = self.max_work;
        check(|| "solutions.max_work".to_owned(), work as f64, work >= 1, "at least 1")?;
        most("max_solutions", self.max_solutions, usize::MAX, "at least 1")?;
        most("max_vertices", self.max_vertices, usize::MAX, "at least 1")?;
        let number = |name: &str, value: f64, inside: bool, wanted: &'static str| {
            check(|| format!("solutions.{name}"), value, inside, wanted)
        };
        let r = self.resolution;
        number("resolution", r, (1e-7..=0.5).contains(&r), "between 1e-7 and 0.5")?;
        let t = self.tolerance;
        number("tolerance", t, t > 0.0 && t <= 1e-3, "in (0, 1e-3]")
    }
}

/// All solutions of a contact problem, as far as the limits allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Solutions {
    /// The solutions, isolated points and continua, each once, in the order they were found.
    pub solutions: Vec<Solution>,
    /// Why the list may lack something; `None` if it is complete.
    pub incomplete: Option<SearchLimit>,
    /// If there is no solution: why. Present if and only if the list is empty, complete, and [`Settings::proof`] is set; it
    /// passes [`Proof::check`].
    pub proof: Option<Proof>,
    /// Sectors that could be neither excluded nor shown to hold a listed solution alone.
    pub regions: Vec<Region>,
    /// What the search took.
    pub statistics: Statistics,
}

/// Why a list of solutions may lack some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchLimit {
    /// More contacts than [`Settings::max_contacts`]: no search was made.
    Contacts {
        /// The limit.
        limit: usize,
        /// The number of contacts.
        found: usize,
    },
    /// [`Settings::max_nodes`] was reached.
    Nodes,
    /// [`Settings::max_work`] was reached.
    Work,
    /// [`Settings::max_solutions`] was reached.
    Solutions,
    /// A polyhedron of solutions has more than [`Settings::max_vertices`] vertices and rays, or takes too long to find them: of
    /// such polyhedra a few solutions are listed, without vertices.
    Vertices,
    /// Sectors at the smallest width stay open, see [`Solutions::regions`]: a continuum that was not found, a solution at which
    /// modes change, or one that is nearly so.
    Regions,
    /// Sectors around a listed continuum stay open, see [`Region::near`]: its velocities are those of all solutions there to
    /// 1e-4 of the largest, and further solutions so near to it are not excluded.
    Continuum,
    /// Rounding prevents a decision: a problem very near to this one has another solution set.
    Numerical,
    /// The friction set of this contact is a user's own, which has no cells.
    UserSet {
        /// The contact.
        contact: usize,
    },
}

impl fmt::Display for SearchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contacts { limit, found } => {
                write!(
                    f,
                    "{found} contacts are more than the limit of {limit}; one solution was looked for"
                )
            }
            Self::Nodes => write!(f, "the limit on nodes was reached"),
            Self::Work => write!(f, "the limit on work was reached"),
            Self::Solutions => write!(f, "the limit on solutions was reached"),
            Self::Vertices => write!(f, "a continuum has too many vertices"),
            Self::Regions => {
                write!(f, "some sectors of slip directions stay open at the smallest width")
            }
            Self::Continuum => write!(
                f,
                "others that nearly have the velocities of a listed continuum are not excluded"
            ),
            Self::Numerical => write!(f, "rounding prevents a decision"),
            Self::UserSet { contact } => write!(
                f,
                "the friction set of contact {contact} is a user's own; one solution was looked for"
            ),
        }
    }
}

/// A choice of cells that stays open.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// What each contact does there.
    pub modes: Vec<Mode>,
    /// Impulses near it, not a solution.
    pub impulse: Vec<f64>,
    /// The listed continuum with whose velocities all that the region may hold agrees to 1e-4 of the largest, if there is one.
    pub near: Option<usize>,
}

/// Work that a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Nodes of the case distinction.
    pub nodes: usize,
    /// Linear programs solved.
    pub programs: usize,
    /// Pivots of all linear programs.
    pub pivots: usize,
    /// Runs of Newton's method.
    pub newton: usize,
    /// Multiplications, roughly.
    pub work: u64,
}

/// A solution, or a continuum of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Λ: of a continuum a point inside of it.
    pub impulse: Vec<f64>,
    /// ξ = W Λ + b.
    pub velocity: Vec<f64>,
    /// What each contact does.
    pub modes: Vec<Mode>,
    /// How far Λ is from the laws, from the problem alone.
    pub certificate: Certificate,
    /// The worst certificate over `impulse`, the vertices, and vertices plus rays.
    pub worst: f64,
    /// 0 for an isolated solution.
    pub dimension: usize,
    /// The vertices of a polyhedral continuum; the point itself if it is isolated; none for a continuum that is not a polyhedron.
    pub vertices: Vec<Vec<f64>>,
    /// The extreme rays of a polyhedral continuum; both signs of a line.
    pub rays: Vec<Vec<f64>>,
    /// As many directions along which a continuum extends from `impulse`, orthonormal.
    pub basis: Vec<Vec<f64>>,
    /// Whether ξ is the same all over the continuum.
    pub velocity_unique: bool,
    /// Whether the dimension is proved: by exact polyhedra, or by Krawczyk's test for an isolated solution of smooth sets.
    pub proved: bool,
}

impl Solution {
    /// Whether it is a point, not a continuum.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.dimension == 0
    }

    /// The modes as words, e.g. `stick, slip+`.
    #[must_use]
    pub fn modes_in_words(&self) -> String {
        self.modes.iter().map(|m| m.name()).collect::<Vec<_>>().join(", ")
    }

    /// What an impact (Δt = 0) adds to the kinetic energy: Λᵀ(γ⁻ + γ⁺)/2 with γ⁺ = γ⁻ + W Λ, negative where it
    /// dissipates. `before` is γ⁻.
    ///
    /// # Errors
    /// If `before` does not have as many entries as b, or the solution is of another problem.
    pub fn energy_change(&self, problem: &ContactProblem, before: &[f64]) -> Result<f64, Error> {
        let expected = problem.bias().len();
        for (what, found) in [("before", before.len()), ("impulse", self.impulse.len())] {
            if found != expected {
                return Err(Error::Size { what, expected, found });
            }
        }
        let after_terms = self.velocity.iter().zip(problem.bias()).map(|(xi, b)| xi - b);
        let means = before.iter().zip(after_terms).map(|(v, change)| v + 0.5 * change);
        Ok(means.zip(&self.impulse).map(|(mean, lam)| mean * lam).sum())
    }
}

impl Solutions {
    /// Whether every solution is on the list.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.incomplete.is_none()
    }

    /// The number of solutions.
    #[must_use]
    pub fn count(&self) -> Count {
        if self.solutions.iter().any(|s| !s.is_isolated()) {
            Count::Infinite
        } else if self.is_complete() {
            Count::Exactly(self.solutions.len())
        } else {
            Count::AtLeast(self.solutions.len())
        }
    }

    /// A few lines for a person.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = match (self.solutions.len(), &self.proof) {
            (0, Some(proof)) => format!(
                "no solution: proved by {} cases, each of which contradicts itself",
                proof.contradictions()
            ),
            (0, None) => "no solution found".into(),
            (1, _) => "one solution".into(),
            (n, _) => format!("{n} solutions"),
        };
        if let Some(why) = self.incomplete {
            text += &format!(" (perhaps not all: {why})");
        }
        for (i, s) in self.solutions.iter().enumerate() {
            text += &format!("\n  {}: {}", i + 1, s.modes_in_words());
            if s.dimension > 0 {
                let same =
                    if s.velocity_unique { "the same velocities" } else { "other velocities" };
                text += &format!("; one of a continuum of dimension {} with {same}", s.dimension);
            }
            text += &format!("; certificate {:.1e}", s.worst);
        }
        text
    }
}

/// Finds all solutions of a small contact problem.
///
/// Cost: in the worst case 4^k linear programs for k planar contacts, one for each choice of cells with polyhedral sets; far
/// fewer as a rule. Smooth sets add the halvings of their sectors. On random problems about 5 µs for one planar contact, 5 ms for
/// six, 1 ms for three discs, 7 ms for four; 0.1 s for a box on four corners with discs, whose forces are not unique.
///
/// Beyond [`Settings::max_contacts`], and for sets of a user's own, one solution is looked for with a
/// solver, and [`Solutions::incomplete`] says so.
///
/// # Errors
/// A setting out of range, or a W that is not positive semidefinite where bilateral rows are redundant, or overflows there.
pub fn all_solutions(problem: &ContactProblem, settings: &Settings) -> Result<Solutions, Error> {
    settings.validate()?;
    problem.refuse_varying_friction("the search for all solutions")?;
    problem.refuse_associated("the search for all solutions")?;
    let found = problem.laws().iter().filter(|l| !is_bilateral(l)).count();
    let limit = settings.max_contacts;
    if found > limit {
        return one_solution(problem, settings, SearchLimit::Contacts { limit, found });
    }
    if let Some(contact) = problem.laws().iter().position(crate::Law::has_user_set) {
        return one_solution(problem, settings, SearchLimit::UserSet { contact });
    }
    tree::search(problem, crate::proof::cells::factors(problem), settings)
}

fn is_bilateral(law: &crate::Law) -> bool {
    matches!(law.kind, crate::Kind::Bilateral(_))
}

/// What a solver finds, where there can be no search.
fn one_solution(
    problem: &ContactProblem,
    settings: &Settings,
    why: SearchLimit,
) -> Result<Solutions, Error> {
    let mut solver = ContactSolver::default();
    let mut solutions = Vec::new();
    let found = solver.solve(problem);
    if found.is_solved() {
        let impulse = found.impulse.clone();
        solutions.extend(piece::isolated(problem, settings, impulse, false));
    }
    Ok(Solutions {
        solutions,
        incomplete: Some(why),
        proof: None,
        regions: Vec::new(),
        statistics: Statistics::default(),
    })
}
