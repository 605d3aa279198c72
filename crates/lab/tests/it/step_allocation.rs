//! Steps allocate nothing once storage is in place.

use allocation_counter::measure;
use stickslip::step::Integrator;
use stickslip_lab::{CYCLE, March};

const DT: f64 = 2e-5;

#[test]
fn the_counter_counts() {
    let info = measure(|| drop(std::hint::black_box(vec![1.0; 100])));
    assert_eq!(info.count_total, 1);
}

/// Over a whole cycle: free flight, impacts, sliding and sticking.
#[test]
fn a_settled_woodpecker_allocates_nothing() {
    let cycle = (CYCLE / DT).ceil() as usize;
    for method in [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }] {
        let mut march = March::woodpecker(method).unwrap();
        march.steps(2 * cycle, DT).unwrap();
        let mut contacts = 0;
        let info = measure(|| {
            for _ in 0..cycle {
                march.step(DT).unwrap();
                contacts += march.stepper.outcome().active.len();
            }
        });
        assert!(contacts > cycle / 10, "{method}: {contacts} contacts in {cycle} steps");
        assert_eq!((info.count_total, info.bytes_total), (0, 0), "{method}");
    }
}
