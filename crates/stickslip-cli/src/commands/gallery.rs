//! `stickslip gallery`: what is built in.

use crate::args::{GalleryArgs, SettingArgs};
use crate::error::{CliError, Outcome};
use crate::scene::{GALLERY, load};
use crate::{output, table};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Listed {
    name: String,
    title: &'static str,
    coordinates: Vec<String>,
    velocities: Vec<String>,
    contacts: Vec<String>,
    parameters: BTreeMap<String, f64>,
}

pub(crate) fn run(args: &GalleryArgs) -> Result<Outcome, CliError> {
    if args.json {
        let mut list = Vec::new();
        for entry in &GALLERY {
            let scene = load(entry.name, &SettingArgs::default())?;
            let info = scene.system.info();
            list.push(Listed {
                name: scene.name,
                title: entry.title,
                coordinates: info.coordinates.clone(),
                velocities: info.velocities.clone(),
                contacts: info.contacts.iter().map(|c| c.name.clone()).collect(),
                parameters: scene.parameters,
            });
        }
        output::print_json(&list)?;
    } else {
        let rows: Vec<_> = GALLERY.iter().map(|e| (e.name, e.title.to_owned())).collect();
        output::print(&table::lines(&rows))?;
        output::print("\nTry: stickslip run woodpecker\n")?;
    }
    Ok(Outcome::Good)
}
