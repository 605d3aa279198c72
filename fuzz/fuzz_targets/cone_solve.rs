//! Any cone problem, by every solver: W symmetric or not, of any definiteness, with any numbers.
#![no_main]

use complementarity::Status;
use complementarity_fuzz::{Bytes, cone};
use libfuzzer_sys::fuzz_target;
use stickslip_lab::cone::cone_solvers;

const TOLERANCE: f64 = 1e-9;

fuzz_target!(|data: &[u8]| {
    let Some(problem) = cone(&mut Bytes(data)) else {
        return;
    };
    let solvers = cone_solvers(TOLERANCE).expect("a tolerance in range");
    for mut solver in solvers {
        let name = solver.name();
        let s = solver.solve(&problem);
        let scaled = problem.certificate(&s.impulse).expect("an answer of the right size").worst;
        match s.status {
            Status::Solved => {
                assert!(scaled <= TOLERANCE, "{name}: solved with residual {scaled:e}")
            }
            Status::NoSolution => panic!("{name}: no cone solver proves that"),
            Status::Failed(_) => {}
        }
    }
});
