//! The pictures of the tutorial and of the gallery, each by a command of its own.

mod pile;

use crate::Outcome;
use crate::stages::{cargo, cargo_with, target};
use std::fs;
use std::path::{Path, PathBuf};

/// A picture that a run, a sweep or an analysis draws.
struct Picture {
    /// The command, without where its files go.
    command: &'static str,
    /// Which of its files.
    file: &'static str,
    /// The picture of the book.
    at: &'static str,
}

const fn picture(command: &'static str, file: &'static str, at: &'static str) -> Picture {
    Picture { command, file, at }
}

/// Where the pictures of the book are.
const BOOK: &str = "book/src";

const PICTURES: [Picture; 28] = [
    picture("run woodpecker", "coordinates.svg", "gallery/woodpecker/coordinates.svg"),
    picture("run woodpecker", "velocities.svg", "gallery/woodpecker/velocities.svg"),
    picture("run woodpecker", "phase.svg", "gallery/woodpecker/phase.svg"),
    picture("run woodpecker", "energy.svg", "gallery/woodpecker/energy.svg"),
    picture("run woodpecker", "forces.svg", "gallery/woodpecker/forces.svg"),
    picture("run woodpecker", "modes.svg", "gallery/woodpecker/modes.svg"),
    picture("run superball", "portrait-1.svg", "gallery/woodpecker/superball_path.svg"),
    picture(
        "sweep woodpecker --vary mu=0.25:0.40:301 --integrator event_driven",
        "bifurcation.png",
        "gallery/woodpecker/mu.png",
    ),
    picture(
        "sweep woodpecker --vary eps_N1=0:0.9:181 --integrator event_driven --longest 10",
        "bifurcation.png",
        "gallery/woodpecker/eps_N1.png",
    ),
    picture("run bouncing_ball", "coordinates.svg", "gallery/bouncing_ball.svg"),
    picture("run rocking_block", "phase.svg", "gallery/rocking_block.svg"),
    picture("run stick_slip_belt", "portrait-1.svg", "gallery/stick_slip_belt.svg"),
    picture("run uniform_disc", "portrait-1.svg", "gallery/uniform_disc.svg"),
    picture("run cam_follower", "outputs.svg", "gallery/cam_follower.svg"),
    picture("run tippe_top", "outputs.svg", "gallery/tippe_top.svg"),
    picture("run euler_disc", "outputs.svg", "gallery/euler_disc.svg"),
    picture("run rattleback", "portrait-1.svg", "gallery/rattleback.svg"),
    picture("run billiards", "portrait-1.svg", "gallery/billiards.svg"),
    picture("run dominoes", "energy.svg", "gallery/dominoes.svg"),
    picture("run walker", "portrait-1.svg", "gallery/walker.svg"),
    picture("run slider_crank", "outputs.svg", "gallery/slider_crank.svg"),
    picture("run woodpecker --t-end 0.3", STRIP, "gallery/woodpecker/frames.svg"),
    picture("run dominoes", STRIP, "gallery/dominoes_frames.svg"),
    picture("run tippe_top", STRIP, "gallery/tippe_top_frames.svg"),
    picture("run euler_disc", STRIP, "gallery/euler_disc_frames.svg"),
    picture("run rattleback", STRIP, "gallery/rattleback_frames.svg"),
    picture("run slider_crank", STRIP, "gallery/slider_crank_frames.svg"),
    picture(PILE, pile::FILE, "gallery/pile.svg"),
];

/// Frames of the run, side by side.
const STRIP: &str = "frames.svg";

/// The run whose forces are drawn.
const PILE: &str = "run book/figures/pile.toml";

/// Draws the pictures, as `cargo test` builds the command (the numbers are those of a release), whose names contain one of the words, or all, and those of the tutorial.
pub(crate) fn draw(words: &[String]) -> Outcome {
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(&**word));
    let pictures: Vec<&Picture> = PICTURES.iter().filter(|p| wanted(p.at)).collect();
    let tutorial = wanted("tutorial");
    if pictures.is_empty() && !tutorial {
        let known = PICTURES.map(|p| p.at).join(", ");
        return Err(format!("no picture is named so; there are tutorial, {known}"));
    }
    let mut done: Vec<&str> = Vec::new();
    for picture in pictures {
        let out = folder(picture.command);
        if !done.contains(&picture.command) {
            let (command, out) = (picture.command, out.display());
            cargo(&format!("run --quiet -p stickslip-cli -- {command} --out {out}"))?;
            done.push(picture.command);
        }
        if picture.file == STRIP {
            let out = out.display();
            cargo(&format!("run --quiet -p stickslip-cli -- report {out} --strip {out}/{STRIP}"))?;
        }
        if picture.command == PILE {
            pile::draw(Path::new("book/figures/pile.toml"), &out)?;
        }
        copy(&out.join(picture.file), &Path::new(BOOK).join(picture.at))?;
    }
    if tutorial {
        cargo_with(&[("STICKSLIP_BLESS", "1")], "test -p stickslip-cli --test cli tutorial::")?;
    }
    Ok(())
}

/// Where the files of a command go.
fn folder(command: &str) -> PathBuf {
    let name: String = command.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    target().join("book-figures").join(name)
}

fn copy(from: &Path, to: &Path) -> Outcome {
    let copied = fs::copy(from, to).map(drop);
    copied.map_err(|e| format!("{} could not become {}: {e}", from.display(), to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pictures that studies write beside their page.
    const BY_STUDIES: [&str; 2] = ["woodpecker_maps.svg", "woodpecker_model.svg"];

    #[test]
    fn every_picture_of_the_gallery_has_its_command() {
        let root = Path::new(crate::ROOT).join(BOOK);
        let mut found = Vec::new();
        for folder in ["gallery", "gallery/woodpecker"] {
            for entry in fs::read_dir(root.join(folder)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let kept = name.ends_with(".svg") || name.ends_with(".png");
                if kept && !BY_STUDIES.contains(&&*name) {
                    found.push(format!("{folder}/{name}"));
                }
            }
        }
        found.sort();
        let mut made: Vec<String> = PICTURES.iter().map(|p| p.at.to_owned()).collect();
        made.sort();
        assert_eq!(found, made);
    }

    #[test]
    fn every_picture_of_the_pages_on_analysis_names_its_command() {
        let folder = Path::new(crate::ROOT).join(BOOK).join("analysis");
        let mut seen = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|e| e != "md") {
                continue;
            }
            let page = fs::read_to_string(&path).unwrap();
            let lines: Vec<&str> = page.lines().filter(|line| !line.is_empty()).collect();
            for pair in lines.windows(2).filter(|pair| pair[0].starts_with("![")) {
                assert!(pair[1].contains("analysis_pictures"), "{}: {}", path.display(), pair[0]);
                seen += 1;
            }
        }
        assert_eq!(seen, 12);
    }

    #[test]
    fn a_word_that_names_no_picture_is_refused() {
        let error = draw(&["no-such-picture".to_owned()]).unwrap_err();
        assert!(error.contains("gallery/tippe_top.svg"), "{error}");
    }
}
