//! A small part of the command `cone_agreement`: a few dozen random problems per law.

use stickslip_lab::cone::{
    CONE_AUTO, LAW_FAMILIES, Outcome, Verdict, compare, cone_instance, cone_solvers, run_all,
};

const TOLERANCE: f64 = 1e-9;
const SIZES: [usize; 3] = [1, 2, 5];
const SEEDS: u64 = 12;

/// What a law's problems must show: `auto` solves all, nobody lies, and all find the same velocities,
/// or sharp answers prove that there are several where the law allows it.
fn check(law: &str) {
    let family = LAW_FAMILIES.iter().find(|f| f.name == law).unwrap();
    // The sets of users are evaluated by integrals: a thousand times the work of a disc.
    let seeds = if law == "uniform_disc" || law == "mixture" { 3 } else { SEEDS };
    let (mut agreed, mut several) = (0, 0);
    for size in SIZES {
        for seed in 100..100 + seeds {
            let instance = cone_instance(family, size, seed);
            let mut solvers = cone_solvers(TOLERANCE).unwrap();
            let runs = run_all(&instance.problem, &mut solvers, TOLERANCE).unwrap();
            let name = instance.name();
            for run in &runs {
                assert_ne!(run.outcome, Outcome::Lied, "{name}: {}", run.solver);
                if run.solver == CONE_AUTO {
                    assert_eq!(run.outcome, Outcome::Solved, "{name}: {:e}", run.residual);
                }
            }
            match compare(&instance.problem, &runs) {
                Verdict::Alone => {}
                Verdict::Agree(_) | Verdict::AgreeSharpened(_) => agreed += 1,
                Verdict::Several(d) => {
                    assert!(!instance.unique, "{name} has one velocity, but two differ by {d:e}");
                    several += 1;
                }
                Verdict::Undecided(d) => panic!("{name}: answers differ by {d:e}"),
            }
        }
    }
    assert!(agreed as u64 >= 2 * seeds, "{law}: only {agreed} problems were compared");
    assert!(several <= 4, "{law}: {several} problems with several solutions");
}

/// One test per law, so that they run side by side and a failure names its law.
macro_rules! laws {
    ($($law:ident),* $(,)?) => {
        $(#[test] fn $law() { check(stringify!($law)); })*

        #[test]
        fn every_law_has_a_test() {
            let tested = [$(stringify!($law)),*];
            assert!(LAW_FAMILIES.iter().map(|f| f.name).eq(tested));
        }
    };
}

laws!(
    frictionless,
    planar,
    disc,
    ellipse,
    ellipsoid,
    polygon,
    polyhedron,
    mixed,
    constant_radius,
    uniform_disc,
    bilateral,
    mixture,
);
