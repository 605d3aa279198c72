//! Boxes on their corners: no run is lost, by any formulation with any friction set.

use stickslip_lab::boxes::{by_formulation, by_rho};

#[test]
fn every_formulation_makes_every_step_with_every_friction_set() {
    let (mut lines, mut lost) = (Vec::new(), Vec::new());
    by_formulation(20, &mut |line| lines.push(line.to_owned()), &mut lost).unwrap();
    let names: Vec<_> = lost.iter().map(|l| (&l.name, &l.failure.reason)).collect();
    assert!(names.is_empty(), "{names:?}");
    // 6 formulations, 8 friction sets; glocker_studer is for planar contacts alone.
    let refused: Vec<_> = lines.iter().filter(|l| l.contains("refused")).collect();
    assert_eq!((lines.len(), refused.len()), (50, 7), "{refused:?}");
    assert!(refused.iter().all(|l| l.contains("glocker_studer cannot be used with")));
}

#[test]
fn phantom_inertia_makes_every_step_whatever_rho_is() {
    let mut lost = Vec::new();
    by_rho(20, &mut |_| {}, &mut lost).unwrap();
    let names: Vec<_> = lost.iter().map(|l| (&l.name, &l.failure.reason)).collect();
    assert!(names.is_empty(), "{names:?}");
}
