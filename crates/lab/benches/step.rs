//! Time of a step of the woodpecker: `cargo bench -p stickslip-lab`.
//!
//! An item is a step. A sample is one limit cycle, free flight, impacts, sliding and sticking in the shares that
//! they have; the motion has settled before. For counts of instructions, which a busy machine does not
//! disturb, see the bin `step_counts`.

use divan::Bencher;
use divan::counter::ItemsCount;
use stickslip::step::Integrator;
use stickslip_lab::{CYCLE, March};

const METHODS: [&str; 2] = ["moreau_midpoint", "moreau_jean"];

fn settled(method: &str, dt: f64) -> March<stickslip::models::WoodpeckerSystem> {
    let method: Integrator = method.parse().expect("it is listed");
    let mut march = March::woodpecker(method).expect("the woodpecker is in range");
    march.steps((10.0 * CYCLE / dt) as usize, dt).expect("every step is certified");
    march
}

#[divan::bench(args = METHODS, consts = [100, 20])]
fn woodpecker<const MICROSECONDS: u32>(bencher: Bencher, method: &str) {
    let dt = 1e-6 * f64::from(MICROSECONDS);
    let steps = (CYCLE / dt) as usize;
    let mut march = settled(method, dt);
    bencher.counter(ItemsCount::new(steps)).bench_local(|| march.steps(steps, dt).is_ok());
}

fn main() {
    divan::main();
}
