//! The `stickslip` command: what is typed goes to one file per command, what comes back is an exit code.

// Its comments are the help of the command: plain text, with brackets that are no links.
#[allow(rustdoc::broken_intra_doc_links)]
mod args;
mod commands;
mod error;
mod interrupt;
mod output;
mod progress;
mod scene;
mod table;

use args::{Args, Command};
use clap::Parser;
use error::{CliError, Outcome};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    let result = match args.command.unwrap_or_else(Command::woodpecker) {
        Command::Gallery(args) => commands::gallery::run(&args),
        Command::New(args) => commands::check::create(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Schema(_) => commands::check::schema(),
        Command::Run(args) => commands::run::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Live(args) => commands::live::run(&args),
        Command::Convert(args) => commands::convert::run(&args),
        Command::Solve(args) => commands::solve::run(&args),
        Command::Cycle(args) => commands::cycle::run(&args),
        Command::Sweep(args) => commands::sweep::run(&args),
        Command::Analyze(args) => commands::analyze::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Study(args) => commands::study::run(&args),
        Command::Gauntlet(args) => commands::gauntlet::run(&args),
    };
    match result {
        Ok(outcome) => ExitCode::from(outcome.code()),
        // Whoever reads our output has seen enough.
        Err(CliError::Closed) => ExitCode::from(Outcome::Good.code()),
        Err(error) => {
            eprintln!("stickslip: {error}");
            ExitCode::from(error.code())
        }
    }
}
