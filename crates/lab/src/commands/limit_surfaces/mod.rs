//! Paper 2's limit surfaces as contact problems: a box that is pulled and twisted, a disc that slides and spins, polyhedra.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- limit_surfaces
//! cargo run --release -p stickslip-lab -- limit_surfaces --write book/src/mechanics/limit_surfaces.md
//! ```

mod dragged;
mod polyhedra;
mod spinning;
mod uniform;

use std::path::PathBuf;
use stickslip_lab::Tables;
use stickslip_lab::limit_surfaces::{Outcome, Rig};
use stickslip_lab::write_between_markers;

const HELP: &str = "\
Limit surfaces: what friction that couples sliding and spinning does, against closed forms.

Usage: lab limit_surfaces [options]

  --facets COUNT      the most facets of a polyhedron             [2048]
  --write FILE        put the tables between the markers <!-- limit-surfaces:begin --> and
                      <!-- limit-surfaces:end -->, and the plots beside the file, as limit_*.svg

Example: lab limit_surfaces --facets 256
";

/// What the sections share: the solver, what was printed, and the plots by name.
#[derive(Default)]
struct Page {
    rig: Rig,
    tables: Tables,
    plots: Vec<(&'static str, String)>,
}

pub(crate) fn run(args: lexopt::Parser) -> Outcome<()> {
    let Some((facets, write)) = options(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let mut page = Page::default();
    dragged::section(&mut page)?;
    spinning::ellipsoids(&mut page)?;
    spinning::mixed(&mut page)?;
    polyhedra::section(&mut page, facets)?;
    uniform::section(&mut page)?;
    let (solved, worst) = (page.rig.solved, page.rig.worst);
    page.tables.add(&format!(
        "All {solved} contact problems of this page have a certificate of at most {worst:.0e}."
    ));
    if let Some(path) = write {
        write_between_markers(&path, "limit-surfaces", page.tables.text())?;
        for (name, svg) in &page.plots {
            std::fs::write(path.with_file_name(format!("limit_{name}.svg")), svg)?;
        }
        println!("wrote {} and {} plots beside it", path.display(), page.plots.len());
    }
    Ok(())
}

fn options(mut args: lexopt::Parser) -> Result<Option<(usize, Option<PathBuf>)>, lexopt::Error> {
    use lexopt::prelude::*;
    let (mut facets, mut write) = (2048, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("facets") => facets = args.value()?.parse::<usize>()?.clamp(32, 4096),
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some((facets, write)))
}
