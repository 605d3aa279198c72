//! What the classes of a matrix mean for its complementarity problems, and how they are printed.

use super::{Basis, Class, Classes, Undecided, Verdict};
use std::fmt;

/// Something that holds for every complementarity problem with the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consequence {
    /// The class that it follows from.
    pub class: Class,
    /// What holds, for every q unless it says otherwise.
    pub text: &'static str,
    /// Where it is proved; CPS is Cottle, Pang and Stone, The Linear Complementarity Problem.
    pub source: &'static str,
}

/// The theorems used, each with the classes that it asks for.
const THEOREMS: [(&[Class], &str, &str); 17] = {
    use Class::*;
    [
        (
            &[Symmetric],
            "the solutions are the stationary points of ½zᵀMz + qᵀz over z ≥ 0",
            "CPS section 1.4",
        ),
        (
            &[Z],
            "if w ≥ 0, z ≥ 0 can be met at all, the least such z is a solution; n pivots find it",
            "CPS section 3.11; Chandrasekaran 1970",
        ),
        (
            &[M],
            "the one solution is the least z with w ≥ 0, z ≥ 0; projected Gauss-Seidel converges",
            "CPS sections 3.11 and 5.3",
        ),
        (
            &[PositiveDefinite],
            "exactly one solution; Lemke, principal pivoting and interior points find it",
            "CPS sections 3.1 and 4.4",
        ),
        (
            &[Symmetric, PositiveDefinite],
            "projected Gauss-Seidel converges to the solution",
            "CPS section 5.3",
        ),
        (
            &[PositiveSemidefinite],
            "a solution if w ≥ 0, z ≥ 0 can be met at all; the solutions form a convex polyhedron",
            "CPS section 3.1",
        ),
        (&[Symmetric, PositiveSemidefinite], "w is the same for all solutions", "CPS section 3.1"),
        (&[P], "exactly one solution; Lemke finds it", "CPS theorem 3.3.7 and section 4.4"),
        (
            &[P0],
            "the problem with M + εI has exactly one solution for every ε > 0",
            "CPS sections 3.4 and 5.6",
        ),
        (
            &[P0, R0],
            "a solution exists, and the solutions are bounded",
            "CPS section 3.9; Aganagić and Cottle 1979",
        ),
        (
            &[StrictlyCopositive],
            "a solution exists, and Lemke finds one; the solutions are bounded",
            "CPS sections 3.8 and 4.4",
        ),
        (
            &[CopositivePlus],
            "Lemke finds a solution or shows that w ≥ 0, z ≥ 0 cannot be met",
            "Lemke 1965; CPS section 4.4",
        ),
        (
            &[Copositive],
            "Lemke finds a solution if vᵀq ≥ 0 for every solution v of the problem with q = 0",
            "CPS sections 3.8 and 4.4",
        ),
        (&[R0], "the solutions are bounded (there may be none)", "CPS section 3.9"),
        (
            &[RowSufficient],
            "a solution if w ≥ 0, z ≥ 0 can be met at all: each stationary point of zᵀw is one",
            "CPS theorem 3.5.4",
        ),
        (&[ColumnSufficient], "the solutions form a convex set", "CPS theorem 3.5.8"),
        (
            &[Sufficient],
            "the criss-cross method ends with a solution or shows that there is none",
            "den Hertog, Roos and Terlaky 1993",
        ),
    ]
};

impl Classes {
    /// What is known to hold for the problems with this matrix, by what classes it is in.
    ///
    /// What a class that holds only [to rounding](super::Reason::within) says is true of a matrix
    /// that close to this one.
    #[must_use]
    pub fn consequences(&self) -> Vec<Consequence> {
        let holds = |c: &Class| self.get(*c).is_yes();
        THEOREMS
            .iter()
            .filter(|(classes, _, _)| classes.iter().all(holds))
            .map(|&(classes, text, source)| Consequence {
                class: classes[classes.len() - 1],
                text,
                source,
            })
            .collect()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes(reason) => {
                match reason.basis {
                    Basis::Test(test) => write!(f, "yes: {test}")?,
                    Basis::Class(class) => write!(f, "yes: it is {class}")?,
                }
                if reason.within > 0.0 {
                    write!(f, ", to rounding ({:.0e})", reason.within)?;
                }
                Ok(())
            }
            Self::No(witness) => write!(f, "no: {witness}"),
            Self::Undecided(Undecided::TooLarge) => {
                f.write_str("undecided: too large at this size")
            }
            Self::Undecided(Undecided::TooClose) => {
                f.write_str("undecided: too close to call in floating point")
            }
        }
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (class, verdict) in self.iter() {
            writeln!(f, "{class:<22} {verdict}")?;
        }
        let consequences = self.consequences();
        if !consequences.is_empty() {
            writeln!(f, "\nFor every q:")?;
        }
        for c in consequences {
            writeln!(f, "- {} ({}; {})", c.text, c.class, c.source)?;
        }
        Ok(())
    }
}
