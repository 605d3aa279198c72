//! Scratch.
use stickslip::solve::*;
use stickslip::*;
fn main() {
    for line in std::fs::read_to_string("/tmp/form.json").unwrap().lines() {
        let p = ContactProblem::from_json(line).unwrap();
        let mut s = ContactSolver::default();
        let a = s.solve(&p);
        println!(
            "{} {} {} {:?} {:?} {:.1e}",
            a.status, a.formulation, a.method, a.impulse, a.velocity, a.certificate.worst
        );
        for f in Formulation::ALL {
            let l = ContactSolver::encode(&p, f).unwrap();
            let mut au = complementarity::Auto::default();
            use complementarity::Solver;
            let r = au.solve(&l);
            println!("   {f} {} {:.1e} z {:?}", r.status, r.residual.scaled, r.z);
            for t in au.attempts() {
                println!("      {} {} {:.1e}", t.method, t.status, t.residual);
            }
        }
    }
}
