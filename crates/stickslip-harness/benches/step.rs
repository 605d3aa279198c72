//! Time of a step: `cargo bench -p stickslip-harness`.
fn main() {}
