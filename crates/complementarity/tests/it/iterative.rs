//! The iterative methods over families of problems whose solutions are known or unique.

mod families;
mod making;
mod use_of_a_solver;
mod verdicts;
