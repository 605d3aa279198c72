//! The pictures of the pages on analysis, and their problem files, from computed solutions.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- analysis_pictures --write .
//! ```

mod maps;
mod views;

use std::error::Error;
use std::path::PathBuf;
use stickslip_lab::analysis::problems::{Disc, Grasp, Tip};

const HELP: &str = "\
The solutions of the examples of the pages on analysis, as pictures.

Usage: lab analysis_pictures [options]

  --cells COUNT       cells along each axis of the map of the rod    [400]
  --write ROOT        write book/src/analysis/*.svg and problems/*.json below this folder

Example: lab analysis_pictures --write .
";

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut cells, mut root) = (400_usize, None::<PathBuf>);
    while let Some(arg) = args.next()? {
        match arg {
            Long("cells") => cells = args.value()?.parse::<usize>()?.clamp(2, 2000),
            Long("write") => root = Some(args.value()?.into()),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let mut files = Vec::new();
    for (name, sketch) in views::all()? {
        files.push((format!("book/src/analysis/{name}.svg"), sketch.to_svg()));
    }
    for (name, figure) in maps::all(cells)? {
        files.push((format!("book/src/analysis/{name}.svg"), figure.to_svg()?));
    }
    let fixed = Grasp { fingers: 3, mu: 0.5, latitude: 0.3, driven: None };
    let tip = Tip { theta: 2.0_f64.atan(), mu: 1.5, spin: 1.0 };
    for (name, problem) in [
        ("disc_pushed", Disc::pushed(4.0).problem()?),
        ("spinning_tip", tip.problem()?),
        ("grasp", Grasp::pressed(0.36, 5.0).problem()?),
        ("grasp_slips", Grasp::pressed(0.3, 5.0).problem()?),
        ("grasp_fixed", fixed.problem()?),
    ] {
        files.push((format!("problems/{name}.json"), problem.to_json()? + "\n"));
    }
    for (name, text) in &files {
        match &root {
            Some(root) => {
                let path = root.join(name);
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder)?;
                }
                std::fs::write(&path, text)?;
                println!("wrote {}", path.display());
            }
            None => println!("{name}: {} bytes", text.len()),
        }
    }
    Ok(())
}
