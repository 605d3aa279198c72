//! Any plain problem, by every solver and every analysis.
#![no_main]

use complementarity_fuzz::{Bytes, assert_honest, lcp};
use libfuzzer_sys::fuzz_target;
use stickslip_lab::{analyses, plain_solvers};

fuzz_target!(|data: &[u8]| {
    let Some(problem) = lcp(&mut Bytes(data)) else {
        return;
    };
    for mut solver in plain_solvers() {
        let name = solver.name();
        let s = solver.solve(&problem);
        let proof = s.proof.as_ref().is_some_and(|p| p.check(&problem).is_ok());
        assert_honest(name, s, problem.residual(&s.z).scaled, proof);
    }
    for (_, analysis) in analyses() {
        analysis(&problem);
    }
});
