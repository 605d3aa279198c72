//! Classical motions of bodies in space against their closed forms.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- classics
//! cargo run --release -p stickslip-lab -- classics --chain 10
//! cargo run --release -p stickslip-lab -- classics --write book/src/measurements/classics.md
//! ```

mod plots;

use std::error::Error;
use std::path::PathBuf;
use stickslip::bodies::{Reaction, SpinUpdate};
use stickslip::step;
use stickslip_lab::Tables;
use stickslip_lab::classics::{self, Chain, LINKS, Measure, Rolling, Start, Top};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
Tops, balls, discs, linkages and chains against their closed forms.

Usage: lab classics [options]

  --chain SECONDS     for how long the chains move                [100]
  --write FILE        put the tables between the markers <!-- classics:begin --> and <!-- classics:end -->, and
                      the plots beside the file

Example: lab classics --chain 10
";

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some((seconds, write)) = options(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let measures = measures()?;
    let mut tables = Tables::default();
    table(&measures, &mut tables);
    moreau(&mut tables)?;
    updates(&mut tables)?;
    if let Some(path) = &write {
        // The rest takes minutes.
        write_between_markers(path, "classics", tables.text())?;
    }
    let chains = chains(seconds, &mut tables)?;
    if let Some(path) = &write {
        write_between_markers(path, "classics", tables.text())?;
        for (name, svg) in plots::all(&measures, &chains)? {
            let picture = path.with_file_name(name);
            std::fs::write(&picture, svg)?;
            println!("wrote {}", picture.display());
        }
    }
    Ok(())
}

fn options(mut args: lexopt::Parser) -> Result<Option<(f64, Option<PathBuf>)>, lexopt::Error> {
    use lexopt::prelude::*;
    let (mut seconds, mut write) = (100.0, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("chain") => seconds = args.value()?.parse::<f64>()?.clamp(0.1, 1000.0),
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some((seconds, write)))
}

/// The circle of the rolling disc in the table.
pub(crate) const CIRCLE: Rolling = Rolling { lean: 1.2, circle: 1.0 };
/// Step sizes: the first four for motions that take a second or more, the last for those with fast spin.
pub(crate) const SIZES: [f64; 4] = [4e-3, 2e-3, 1e-3, 5e-4];
const FINE: [f64; 3] = [4e-4, 2e-4, 1e-4];

fn measures() -> Result<Vec<Measure>, Box<dyn Error>> {
    let settings = step::Settings::default();
    let mut all = classics::precession(&Top::default(), &SIZES[1..])?;
    all.extend(classics::nutation(&Top::default(), &SIZES[1..])?);
    all.extend(classics::slide_to_roll(&SIZES)?);
    all.extend(classics::slope(&SIZES)?);
    all.extend(classics::critical_friction(&SIZES[2..3])?);
    all.extend(classics::turntable(&settings, &SIZES)?);
    all.extend(classics::rolling(&CIRCLE, &settings, &SIZES)?);
    all.extend(classics::wobble(&SIZES)?);
    all.extend(classics::spinning(0.3, &SIZES[1..])?);
    all.extend(classics::tippe_top(&FINE)?);
    all.extend(classics::slider_crank(&SIZES[1..])?);
    all.extend(classics::loose_slider_crank(&[1e-4, 5e-5, 2.5e-5])?);
    all.extend(classics::four_bar(&SIZES)?);
    Ok(all)
}

fn table(measures: &[Measure], tables: &mut Tables) {
    tables.add("| motion | quantity | closed form | computed | error | order | dt, s | worst certificate | rise of energy |");
    tables.add("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    let mut last = "";
    for m in measures {
        let case = if m.case == last { "" } else { m.case };
        last = m.case;
        let order = m.order().map_or("–".to_owned(), |o| format!("{o:.1}"));
        let rise = if m.driven { "driven".to_owned() } else { small(m.rise) };
        let (Some(dt), Some(computed)) = (m.sizes.last(), m.computed.last()) else { continue };
        let (exact, computed) = (number(m.exact), number(*computed));
        let (error, worst) = (small(m.error()), small(m.worst));
        tables.add(&format!(
            "| {case} | {} | {exact} | {computed} | {error} | {order} | {dt:.1e} | {worst} | {rise} |",
            m.quantity
        ));
    }
}

fn number(x: f64) -> String {
    if x == 0.0 || x.abs() >= 1e-2 { format!("{x:.6}") } else { small(x) }
}

fn small(x: f64) -> String {
    if x < 1e-12 { "< 1e-12".to_owned() } else { format!("{x:.1e}") }
}

/// Moreau's rule as it stands: contact laws at the midpoint.
pub(crate) fn as_it_stands() -> step::Settings {
    step::Settings { follow: false, ..step::Settings::default() }
}

fn moreau(tables: &mut Tables) -> Result<(), Box<dyn Error>> {
    tables.add("\nErrors at dt = 1e-3 s, and their orders, with and without `follow`:\n");
    tables.add("| quantity | default | order | not followed | order |");
    tables.add("|---|---:|---:|---:|---:|");
    let mut found = Vec::new();
    for settings in &[step::Settings::default(), as_it_stands()] {
        let mut all = classics::turntable(settings, &SIZES[..3])?;
        all.extend(classics::rolling(&CIRCLE, settings, &SIZES[..3])?);
        found.push(all);
    }
    for (i, m) in found[0].iter().enumerate() {
        let mut line = format!("| {}: {} |", m.case, m.quantity);
        for all in &found {
            let order = all[i].order().map_or("–".to_owned(), |o| format!("{o:.1}"));
            line += &format!(" {} | {order} |", small(all[i].error()));
        }
        tables.add(&line);
    }
    Ok(())
}

fn updates(tables: &mut Tables) -> Result<(), Box<dyn Error>> {
    tables.add("\nThe top's nutation at dt = 1e-3 s with each update of free rotation:\n");
    tables.add("| update | cos θ after 9¼ periods | energy | L_z | L₃ |");
    tables.add("|---|---:|---:|---:|---:|");
    for update in SpinUpdate::ALL {
        let top = Top { update, ..Top::default() };
        let errors: Vec<_> =
            classics::nutation(&top, &SIZES[2..3])?.iter().map(|m| small(m.error())).collect();
        let [phase, _, energy, l_z, l_3] = &errors[..] else { continue };
        tables.add(&format!("| `{update}` | {phase} | {energy} | {l_z} | {l_3} |"));
    }
    Ok(())
}

fn chains(seconds: f64, tables: &mut Tables) -> Result<Vec<(String, Chain)>, Box<dyn Error>> {
    tables.add(&format!("\nChains over {seconds} s:\n"));
    tables.add("| start | links | reactions | dt, s | change of energy: mean size, first half | second half | largest | joints off, m | steps in parts | worst certificate | ended |");
    tables.add("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---|");
    let mut all = Vec::new();
    let (inside, in_problem) = (Reaction::Inside, Reaction::InProblem);
    for (start, links, reaction, dt) in [
        (Start::SWING, LINKS, inside, 4e-3),
        (Start::SWING, LINKS, inside, 2e-3),
        (Start::SWING, LINKS, inside, 1e-3),
        (Start::FALL, LINKS, inside, 1e-3),
        (Start::FALL, LINKS, inside, 5e-4),
        (Start::FALL, 10, inside, 1e-3),
        (Start::FALL, 10, inside, 5e-4),
        (Start::FALL, 10, inside, 2.5e-4),
        (Start::FALL, 10, in_problem, 1e-3),
    ] {
        let chain = classics::chain(links, start, reaction, seconds, dt)?;
        let place = if reaction == inside { "inside" } else { "in the problem" };
        let name = if start == Start::SWING { "swing" } else { "fall" };
        tables.add(&format!(
            "| {name} | {links} | {place} | {dt:.1e} | {:.1e} | {:.1e} | {:.1e} | {} | {:.2} % | {} | {} |",
            chain.halves[0],
            chain.halves[1],
            chain.largest,
            small(chain.drift),
            100.0 * chain.parted,
            small(chain.worst),
            chain.stopped.as_deref().unwrap_or("in time")
        ));
        all.push((format!("{name}, {links}, {place}, {dt:.1e} s"), chain));
    }
    Ok(all)
}
