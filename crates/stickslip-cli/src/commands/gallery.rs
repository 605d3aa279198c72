//! `stickslip gallery`: what is built in.

use crate::args::GalleryArgs;
use crate::error::{CliError, Outcome};
use crate::{output, scene, table};
use serde::Serialize;
use std::collections::BTreeMap;
use stickslip_scene::{gallery, gallery_entry};

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    title: String,
    description: String,
    coordinates: Vec<String>,
    velocities: Vec<String>,
    contacts: Vec<String>,
    parameters: BTreeMap<String, f64>,
}

pub(crate) fn run(args: &GalleryArgs) -> Result<Outcome, CliError> {
    if let Some(name) = &args.scene {
        // Reading refuses a name that is not there, with the names that are near.
        let scene = scene::read(name)?;
        let text = gallery_entry(name).map(|entry| entry.text).ok_or_else(|| {
            CliError::misuse(format!("`{}` is not a scene of the gallery", scene.title))
        })?;
        output::print(text)?;
        return Ok(Outcome::Good);
    }
    let mut list = Vec::new();
    for entry in gallery() {
        let scene = scene::read(entry.name)?;
        let info = scene.info();
        list.push(Listed {
            name: entry.name,
            coordinates: info.coordinates.clone(),
            velocities: info.velocities.clone(),
            contacts: info.contacts.iter().map(|c| c.name.clone()).collect(),
            parameters: scene.parameters.into_iter().collect(),
            title: scene.title,
            description: scene.description,
        });
    }
    if args.json {
        output::print_json(&list)?;
    } else {
        let rows: Vec<_> = list.iter().map(|e| (e.name, e.title.clone())).collect();
        output::print(&table::lines(&rows))?;
        output::print("\nTry: stickslip run bouncing_ball\n")?;
    }
    Ok(Outcome::Good)
}
