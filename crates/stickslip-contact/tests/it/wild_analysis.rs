//! The analysis on wild input: it ends, says nothing false, and admits what it does not know.

mod known;
mod limits;
mod made;
mod numbers;
mod scales;
mod theorems;
