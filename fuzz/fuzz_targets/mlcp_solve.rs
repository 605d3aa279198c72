//! Any mixed problem, by every solver.
#![no_main]

use complementarity_fuzz::{Bytes, assert_honest, mlcp};
use libfuzzer_sys::fuzz_target;
use stickslip_lab::mixed_solvers;

fuzz_target!(|data: &[u8]| {
    let Some(problem) = mlcp(&mut Bytes(data)) else {
        return;
    };
    for (name, mut solver) in mixed_solvers() {
        let s = solver.solve_mixed(&problem);
        let proof = s.proof.as_ref().is_some_and(|p| p.check_mixed(&problem).is_ok());
        assert_honest(name, s, problem.residual(&s.z).scaled, proof);
    }
});
