//! Running the lab and the studies: benchmarks, and the commands that write the figures of the book.

use crate::Outcome;
use crate::stages::{Stages, cargo};

/// The package of measurements, whose one command has a subcommand for each, as cargo runs it.
const LAB: &str = "stickslip-lab --";
/// The command for users, with the studies that they can make as well.
const STUDY: &str = "stickslip-cli -- study";

/// A command that writes figures of the book.
struct Figures {
    /// The package that has it, and what stands before its name.
    of: &'static str,
    command: &'static str,
    /// The page, or the folder, that it writes.
    page: &'static str,
    /// What it needs besides.
    options: &'static str,
}

const fn figures(command: &'static str, page: &'static str) -> Figures {
    Figures { of: LAB, command, page, options: "" }
}

const fn study(command: &'static str, page: &'static str) -> Figures {
    Figures { of: STUDY, command, page, options: "" }
}

/// What stands on the page unless options say otherwise; of an option given twice the last holds.
const TABLE: Figures = Figures {
    of: LAB,
    command: "table",
    page: "book/src/measurements/table.md",
    options: "--sizes 1,2,3,6,12,30,60,100,200,500 --seeds 2",
};

const BENCHES: [Figures; 2] = [
    figures("enumerate_timing", "book/src/concepts/enumeration.md"),
    figures("compare", "book/src/measurements/speed.md"),
];

const MEASURES: [Figures; 19] = [
    figures("formulations", "book/src/measurements/formulations.md"),
    figures("siconos", "book/src/measurements/siconos.md"),
    figures("convergence", "book/src/measurements/order.md"),
    figures("schemes", "book/src/measurements/schemes.md"),
    study("limit-surfaces", "book/src/measurements/limit_surfaces.md"),
    study("rank", "book/src/measurements/phantom_inertia.md"),
    study("rho", "book/src/measurements/phantom_inertia.md"),
    study("polygons", "book/src/measurements/phantom_inertia.md"),
    figures("body_cost", "book/src/measurements/body_cost.md"),
    Figures {
        of: LAB,
        command: "piles",
        page: "book/src/measurements/piles.md",
        options: "--table 10000 --tolerance 1e-3",
    },
    figures("model_agreement", "book/src/measurements/model_agreement.md"),
    study("tumble", "book/src/measurements/tumble.md"),
    study("woodpecker", "book/src/gallery/woodpecker.md"),
    figures("classics", "book/src/measurements/classics.md"),
    Figures {
        of: LAB,
        command: "existence",
        page: "book/src/measurements/bounds.md",
        options: "--count 400 --tries 4",
    },
    figures("every_mode", "book/src/measurements/every_mode.md"),
    figures("analysis_pictures", "."),
    figures("cone_agreement", "book/src/measurements/cone_agreement.md"),
    figures("cone_compare", "book/src/measurements/cone_compare.md"),
];

/// The table of solvers and families, with further options.
pub(crate) fn table(arguments: &[String]) -> Outcome {
    TABLE.write(&arguments.join(" "))
}

/// The benchmarks, and the figures that are times of solvers.
pub(crate) fn bench() -> Outcome {
    let mut stages = Stages::default();
    stages.run("benchmarks", || cargo("bench -p stickslip-lab"))?;
    for figures in &BENCHES {
        stages.run(figures.command, || figures.write(""))?;
    }
    stages.summarise();
    Ok(())
}

/// The figures of the commands named, or of all.
pub(crate) fn measure(commands: &[String]) -> Outcome {
    if let Some(unknown) = commands.iter().find(|c| MEASURES.iter().all(|m| m.command != **c)) {
        let known = MEASURES.map(|m| m.command).join(", ");
        return Err(format!("`{unknown}` writes no figures; these do: {known}"));
    }
    let wanted = |m: &&Figures| commands.is_empty() || commands.iter().any(|c| c == m.command);
    let mut stages = Stages::default();
    for figures in MEASURES.iter().filter(wanted) {
        stages.run(figures.command, || figures.write(""))?;
    }
    stages.summarise();
    Ok(())
}

impl Figures {
    fn write(&self, further: &str) -> Outcome {
        let Self { of, command, page, options } = self;
        cargo(&format!("run --release -p {of} {command} --write {page} {options} {further}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::read_to_string;
    use std::path::Path;

    #[test]
    fn every_command_exists_and_every_page_has_its_markers() {
        let root = Path::new(crate::ROOT);
        let lab = read_to_string(root.join("crates/lab/src/main.rs")).unwrap();
        let studies = read_to_string(root.join("crates/stickslip-cli/src/args/study.rs")).unwrap();
        for f in [TABLE].iter().chain(&BENCHES).chain(&MEASURES) {
            let exists = match f.of {
                LAB => lab.contains(&format!("    {}: \"", f.command)),
                _ => studies.contains(&format!("\n  stickslip study {}", f.command)),
            };
            assert!(exists, "{}", f.command);
            if f.page != "." {
                let page = read_to_string(root.join(f.page)).unwrap();
                assert!(page.contains(":begin -->"), "{}", f.page);
            }
        }
    }

    #[test]
    fn a_command_that_writes_no_figures_is_refused() {
        let error = measure(&["counts".to_owned()]).unwrap_err();
        assert!(error.contains("`counts`") && error.contains("classics"), "{error}");
    }
}
