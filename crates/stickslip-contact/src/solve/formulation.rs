//! Formulations: which problem a contact problem is turned into.

use super::SolverChoice;
use crate::error::Error;
use crate::set::ConvexSet;
use crate::{ContactProblem, Kind, Law};
use std::fmt;
use std::str::FromStr;

/// How a contact problem is turned into a problem that solvers take.
///
/// Polyhedral formulations put a polygon or polyhedron in place of each round friction set; the answer tells the
/// error of the solver and that of the model apart. On planar contacts all are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Formulation {
    /// \[3\] eq. (33): x = (Λ_N, Λ_R, ξ_L), three unknowns per contact; planar contacts only. With constant friction the
    /// matrix is bisymmetric, and the problem is that of a convex quadratic program.
    #[default]
    GlockerStuder,
    /// \[4\] and Stewart and Trinkle 1996: x = (Λ_N, β, s) with Λ_T = D β; the columns of D are corners of a polyhedron
    /// inside of F: friction is never too strong.
    StewartTrinkle,
    /// The matrix of Stewart and Trinkle with impacts in two phases:
    /// Poisson's impact law, which an integrator must be given with it.
    AnitescuPotra,
    /// \[1\] eq. (8): x = (Λ_N, κ₊, κ₋) with ξ_T = E (κ₊ − κ₋); the columns of E are normals of a polyhedron around F:
    /// friction is never too weak.
    PhantomInertia,
    /// K ∋ Λ ⊥ ξ + μ h_F(−ξ_T) e_N ∈ K*: the exact law for any friction set.
    Cone,
    /// K ∋ Λ ⊥ ξ ∈ K*, without De Saxcé's correction: a convex program in which contacts that slide lift off. For
    /// comparison only; the certificate of the model tells what it costs.
    ConvexifiedCone,
}

impl Formulation {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::GlockerStuder,
        Self::StewartTrinkle,
        Self::AnitescuPotra,
        Self::PhantomInertia,
        Self::Cone,
        Self::ConvexifiedCone,
    ];

    /// Those with a linear complementarity problem of their own for planar contacts.
    pub const PLANAR: [Self; 2] = [Self::GlockerStuder, Self::StewartTrinkle];

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GlockerStuder => "glocker_studer",
            Self::StewartTrinkle => "stewart_trinkle",
            Self::AnitescuPotra => "anitescu_potra",
            Self::PhantomInertia => "phantom_inertia",
            Self::Cone => "cone",
            Self::ConvexifiedCone => "convexified_cone",
        }
    }

    /// Whether it is posed as a cone problem, and not as a linear complementarity problem.
    #[must_use]
    pub fn is_conic(self) -> bool {
        matches!(self, Self::Cone | Self::ConvexifiedCone)
    }

    /// Refuses a solver that cannot take what the formulation makes.
    pub fn takes_solver(self, solver: SolverChoice) -> Result<(), Error> {
        if self == Self::ConvexifiedCone && solver == SolverChoice::Alternating {
            let reason =
                "without De Saxcé's correction normals and tangents are one problem; choose cone";
            return Err(Error::Combination { part: self.name(), other: solver.name(), reason });
        }
        let takes = if self.is_conic() { solver.takes_cones() } else { solver.takes_lcps() };
        if takes {
            return Ok(());
        }
        let reason = if self.is_conic() {
            "it makes a cone problem; choose one of auto, nsgs, newton, admm, interior_point, alternating"
        } else {
            "it makes a linear complementarity problem; choose another solver, or the formulation cone"
        };
        let (part, other) = (self.name(), solver.name());
        Err(Error::Combination { part, other, reason })
    }

    /// Refuses laws that the formulation cannot pose.
    pub fn takes_laws(self, laws: &[Law]) -> Result<(), Error> {
        let planar = laws.iter().all(|l| matches!(l.kind, Kind::Planar));
        if self == Self::GlockerStuder && !planar {
            let reason =
                "it is for planar contacts; choose cone, stewart_trinkle or phantom_inertia";
            let (part, other) = (self.name(), "contacts in space or without friction");
            return Err(Error::Combination { part, other, reason });
        }
        if self == Self::ConvexifiedCone && laws.iter().any(Law::varies) {
            let other = "a coefficient of friction that depends on slip (mu_static, or mu of the slip speed)";
            let reason =
                "its contacts lift off by the coefficient with which they slip; choose cone";
            return Err(Error::Combination { part: self.name(), other, reason });
        }
        Ok(())
    }

    /// The problem that a polyhedral formulation really solves, with `directions` corners or facets in place of each
    /// round set; none if it is the given one.
    pub(super) fn model(
        self,
        problem: &ContactProblem,
        directions: usize,
    ) -> Result<Option<ContactProblem>, Error> {
        if self == Self::ConvexifiedCone {
            return Ok(Some(problem.clone().associated()));
        }
        if self.is_conic() || self == Self::GlockerStuder || !problem.laws().iter().any(is_round) {
            return Ok(None);
        }
        let polyhedral = |law: &Law| match law.kind.set() {
            Some(set) if is_round(law) => {
                let set = ConvexSet::Polyhedron(self.polyhedron(set, directions)?).into();
                let dry = matches!(law.kind, Kind::Dry(_));
                let kind = if dry { Kind::Dry(set) } else { Kind::Set(set) };
                Ok(Law { kind, ..law.clone() })
            }
            _ => Ok(law.clone()),
        };
        problem.with_laws(polyhedral).map(Some)
    }

    fn polyhedron(
        self,
        set: &ConvexSet,
        directions: usize,
    ) -> Result<crate::set::Polyhedron, Error> {
        let spatial = set.dimension() == 3;
        Ok(if self == Self::PhantomInertia {
            set.polyhedron_outside(directions)?
        } else {
            // A hull of m points in space has up to 2 m − 4 facets.
            set.polyhedron_inside(if spatial { 2 * directions - 4 } else { directions })?
        })
    }
}

/// Whether friction of this law has to be approximated by a polyhedron. Where a contact slides its friction is known.
fn is_round(law: &Law) -> bool {
    let polyhedral =
        matches!(law.kind.set(), None | Some(ConvexSet::Interval | ConvexSet::Polyhedron(_)));
    !polyhedral && law.has_free_friction()
}

impl fmt::Display for Formulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Formulation {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self, Error> {
        super::choose("formulation", s, &Self::ALL, Self::name)
    }
}
