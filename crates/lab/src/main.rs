//! `lab COMMAND`: measurements, comparisons with other programs, and studies behind the book.
//!
//! A command is one file (or folder) in `commands/` with a function `run`, and one line in [`COMMANDS`].

mod commands {
    pub(crate) mod analysis_pictures;
    pub(crate) mod body_cost;
    pub(crate) mod boxes;
    pub(crate) mod campaign;
    pub(crate) mod classics;
    pub(crate) mod compare;
    pub(crate) mod cone_agreement;
    pub(crate) mod cone_compare;
    pub(crate) mod cone_scale;
    pub(crate) mod cone_table;
    pub(crate) mod convergence;
    pub(crate) mod counts;
    pub(crate) mod enumerate_timing;
    pub(crate) mod every_mode;
    pub(crate) mod existence;
    pub(crate) mod formulations;
    pub(crate) mod gauntlet;
    pub(crate) mod matrix;
    pub(crate) mod model_agreement;
    pub(crate) mod peers;
    pub(crate) mod piles;
    pub(crate) mod schemes;
    pub(crate) mod siconos;
    pub(crate) mod step_counts;
    pub(crate) mod table;
}

use commands::*;
use std::error::Error;
use std::process::ExitCode;

/// A command: its name, the question that it answers, and what it does with the arguments after its name.
struct Command {
    name: &'static str,
    question: &'static str,
    run: fn(lexopt::Parser) -> Result<(), Box<dyn Error>>,
}

/// The commands in the order of the help: name and question.
macro_rules! commands {
    ($($name:ident: $question:literal,)*) => {
        &[$(Command { name: stringify!($name), question: $question, run: $name::run }),*]
    };
}

const COMMANDS: &[Command] = commands! {
    table: "which solver settles which family of complementarity problems?",
    compare: "how fast are complementarity problems beside Siconos?",
    enumerate_timing: "how long do all solutions take?",
    counts: "how many instructions is a solve? (needs valgrind)",
    cone_table: "which solver for spatial friction, how fast?",
    cone_agreement: "do the solvers of spatial friction agree?",
    cone_compare: "how fast is spatial friction beside Siconos and Pinocchio?",
    cone_scale: "how do time and memory grow with the number of contacts?",
    siconos: "does an independent program get the same motion, and how fast?",
    schemes: "how do Paoli and Schatzman's scheme and the alternating iteration compare?",
    convergence: "with which order does time stepping converge?",
    gauntlet: "does what should stand still stand still, and is a throw lost?",
    peers: "how do the motions of the gauntlet, and piles, end by other programs?",
    piles: "what does a step of many bodies cost that fall into a container?",
    formulations: "do the formulations agree?",
    campaign: "is an answer, a proof or a refusal of the contact solver ever false?",
    boxes: "is a step of a box on its corners lost, by any formulation with any friction set?",
    body_cost: "does a step of an articulated tree cost in proportion to its links?",
    model_agreement: "do rigid, articulated and point-mass models of a mechanism agree?",
    matrix: "do model, integrator, impact law and formulation go together, each with each?",
    classics: "do tops, balls, discs and linkages move by their closed forms?",
    existence: "do the bounds for existence and uniqueness hold, and how sharp are they?",
    every_mode: "does the search for all solutions find what every mode tried one by one gives?",
    analysis_pictures: "how many solutions do the examples of the pages on analysis have?",
    step_counts: "how many instructions is a step? (needs valgrind)",
};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let name = arguments.next().map(|name| name.to_string_lossy().into_owned());
    let name = match name.as_deref() {
        None | Some("-h" | "--help" | "help") => {
            print!("{}", help());
            return ExitCode::SUCCESS;
        }
        Some(name) => name,
    };
    let Some(command) = COMMANDS.iter().find(|c| c.name == name) else {
        eprint!("lab: there is no command `{name}`\n\n{}", help());
        return ExitCode::from(2);
    };
    match (command.run)(lexopt::Parser::from_args(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("lab {name}: {e}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> String {
    let mut text = String::from(
        "Measurements, comparisons with other programs, and the studies behind the book.\n\n\
         Usage: lab COMMAND [options]; `lab COMMAND --help` shows the options\n\n",
    );
    for command in COMMANDS {
        text.push_str(&format!("  {:<18} {}\n", command.name, command.question));
    }
    text
}
