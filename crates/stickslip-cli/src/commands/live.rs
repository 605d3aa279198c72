//! `stickslip live`: a simulation in the browser.

use crate::args::LiveArgs;
use crate::commands::report;
use crate::error::{CliError, Outcome};
use crate::{interrupt, output, scene};
use std::path::Path;
use stickslip_report::live::{LiveSettings, serve};

pub(crate) fn run(args: &LiveArgs) -> Result<Outcome, CliError> {
    let loaded = scene::load(&args.scene, &args.settings)?;
    scene::validate(&loaded)?;
    scene::note_idle(&loaded);
    scene::note_stop(&loaded.scene);
    interrupt::listen();
    let out = || Path::new("out").join(format!("{}-live", loaded.name));
    let settings = LiveSettings { port: args.port, out: args.out.clone().unwrap_or_else(out) };
    let mut printed = Ok(());
    let ready = |address: &str| {
        printed = output::print(&format!("{address}\n"));
        eprintln!("stickslip: live until Ctrl-C; recordings go to {}", settings.out.display());
        if args.open {
            // The browser asks for the page before its program ends.
            let address = address.to_owned();
            std::thread::spawn(move || report::open(address));
        }
    };
    let last = serve((&loaded.scene, &loaded.settings), &settings, ready, interrupt::asked)?;
    printed?;
    if let Some(path) = last {
        output::print(&format!("{}\n", path.display()))?;
    }
    Ok(Outcome::Good)
}
