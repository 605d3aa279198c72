//! The theorem in words.

use super::{Bounds, Definiteness, Limit, Theorem};
use std::fmt;

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.factor == 0.0 && self.common == 0.0 {
            return f.write_str("no bound");
        }
        match self.common {
            c if c.is_infinite() => f.write_str("any friction")?,
            c => write!(f, "one μ for all below {c:.6}")?,
        }
        match self.factor {
            s if s.is_infinite() => f.write_str("; the given μ are within, however scaled"),
            s if s > 1.0 => {
                write!(f, "; the given μ are within, at {:.1} % of the bound", 100.0 / s)
            }
            0.0 => f.write_str("; no bound for the given μ"),
            s => write!(f, "; the given μ are beyond, {:.4} times the bound", 1.0 / s),
        }
    }
}

impl fmt::Display for Definiteness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { smallest, error, rows, rank, .. } = self;
        if self.is_singular() {
            let free = rows - rank;
            write!(f, "W is singular: rank {rank} of {rows}, self-stresses of dimension {free}")
        } else if self.is_definite() {
            write!(
                f,
                "W is positive definite: smallest eigenvalue {smallest:.3e} ± {error:.0e} (scaled)"
            )
        } else if *smallest < -error {
            write!(f, "W is indefinite: eigenvalue {smallest:.3e} ± {error:.0e} (scaled)")
        } else {
            write!(f, "whether W is definite is not decided: {smallest:.3e} ± {error:.0e} (scaled)")
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.definiteness)?;
        writeln!(
            f,
            "exactly one solution for every b, whichever contacts slide: {}",
            self.at_any_velocity
        )?;
        writeln!(
            f,
            "a solution for every b, whichever contacts slide: {}",
            self.existence_at_any_velocity
        )?;
        writeln!(f, "a solution for every b, sliding as now: {}", self.existence)?;
        write!(f, "exactly one for every b, sliding as now: {}", self.uniqueness)?;
        if let Some(modes) = &self.modes {
            write!(f, "\nby all modes: a solution: {}", modes.existence)?;
            write!(f, "\nby all modes: exactly one: {}", modes.uniqueness)?;
            if modes.sharp && modes.uniqueness.factor.is_finite() {
                write!(f, " (exact: at the bound some b has several)")?;
            }
        }
        if let Some(effective) = &self.effective {
            let c = &effective.classes;
            let word = |v: &complementarity::classes::Verdict| {
                if v.is_yes() {
                    "yes"
                } else if v.is_no() {
                    "no"
                } else {
                    "not decided"
                }
            };
            write!(
                f,
                "\nthe effective matrix: P {}, strictly copositive {}, R0 {}",
                word(&c.p),
                word(&c.strictly_copositive),
                word(&c.r0)
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Theorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.bounds)?;
        match &self.program {
            Some(program) => write!(f, "\nself-stress: {program}"),
            None => Ok(()),
        }
    }
}
