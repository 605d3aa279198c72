//! Micro-benchmarks.
fn main() {}
