//! Rigid, articulated and point-mass models of every mechanism agree, and converge, with the order of the method.

use stickslip_lab::models::{MODELS, QUANTITIES, Quantity, agreement, plans};

/// How far a measured order may fall short: three step sizes are not yet the limit.
const SHORT: f64 = 0.25;

#[test]
fn every_model_of_every_mechanism_converges_to_the_same_motion_with_the_order_of_the_method() {
    let plans = plans().unwrap();
    assert!(plans.len() >= 9 && MODELS.len() >= 5);
    let mut measured = 0;
    for plan in &plans {
        let found = agreement(plan, 2).unwrap();
        assert!(found.worst < 1e-8, "{}: certificate {}", plan.name, found.worst);
        for row in found.to_reference.iter().chain([&found.between]) {
            for (q, (quantity, name)) in QUANTITIES.iter().enumerate() {
                let Some(order) = row.order(&found.sizes, q) else { continue };
                let least = plan.order_of(*quantity) - SHORT;
                let what = format!("{}, {}, {name}", plan.name, row.name);
                assert!(order > least, "{what}: order {order} of {:?}", row.differences);
                measured += 1;
            }
        }
    }
    assert!(measured > 6 * plans.len(), "{measured} orders");
}

#[test]
fn models_are_closer_to_each_other_than_to_the_limit_where_impacts_make_the_error() {
    for plan in plans().unwrap().iter().filter(|p| p.shifts > 1) {
        let found = agreement(plan, 1).unwrap();
        let place = |row: &stickslip_lab::models::Row| row.differences[1][0].unwrap();
        assert_eq!(QUANTITIES[0].0, Quantity::Place);
        let own = found.to_reference.iter().map(place).fold(f64::INFINITY, f64::min);
        assert!(5.0 * place(&found.between) < own, "{}: {own}", plan.name);
    }
}
