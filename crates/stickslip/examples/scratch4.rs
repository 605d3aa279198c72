//! Scratch.
use stickslip::analysis::cycle;
fn main() {
    let _ = cycle::Settings::default();
}
