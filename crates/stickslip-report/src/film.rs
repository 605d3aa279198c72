//! Frames side by side as SVG, and films by ffmpeg.

use crate::ReportError;
use crate::picture::{Colour, Item, PAPER, Pictures};
use plotters::prelude::*;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stickslip_scene::recording::WholeFile;
use stickslip_scene::recording::replay::ReplayFile;

/// The width of a frame of a strip, in pixels.
const STRIP_WIDTH: f64 = 240.0;
/// Films have this many pixels on their longer side, and as many frames in a second.
const FILM_SIZE: f64 = 960.0;
const FILM_RATE: f64 = 30.0;
const GIF_SIZE: f64 = 480.0;
const GIF_RATE: f64 = 20.0;
/// A film that is longer than this is refused.
const MOST_FRAMES: usize = 20_000;
/// Frames are drawn this many times as large and then averaged.
const FINER: usize = 2;

/// Writes frames at equal distances in time side by side, each with its time, as one SVG.
///
/// # Errors
/// If the replay has nothing to draw, or the file cannot be written.
pub fn write_strip(replay: &ReplayFile, path: &Path, count: usize) -> Result<PathBuf, ReportError> {
    let pictures = open(replay, path)?;
    let (dir, name) = crate::place(path)?;
    let height = pictures.height_for(STRIP_WIDTH);
    let (whole, foot) = (STRIP_WIDTH * count as f64, 24.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole} {}\" width=\"{whole}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        height + foot,
        escaped(&replay.title),
    );
    for k in 0..count {
        let frame = at_share(&pictures.times, k as f64 / (count.max(2) - 1) as f64);
        let x = STRIP_WIDTH * k as f64;
        // Nothing of a frame reaches into the next.
        let _ = writeln!(
            text,
            "<svg x=\"{x}\" y=\"0\" width=\"{STRIP_WIDTH}\" height=\"{height}\" overflow=\"hidden\">"
        );
        for item in pictures.frame(frame, [STRIP_WIDTH, height]) {
            write_item(&mut text, &item);
        }
        let _ = writeln!(
            text,
            "</svg>\n<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">t = {:.4} s</text>",
            x + 0.5 * STRIP_WIDTH,
            height + 16.0,
            pictures.times[frame]
        );
    }
    text.push_str("</svg>\n");
    Ok(WholeFile::of(&dir, &name, text.as_bytes())?.commit()?)
}

/// Writes a film, `.mp4` or `.gif`, by the program ffmpeg. A second of it is `speed` seconds of the run.
///
/// # Errors
/// If there is no ffmpeg, the film would be too long, or it cannot be written.
pub fn write_film(replay: &ReplayFile, path: &Path, speed: f64) -> Result<PathBuf, ReportError> {
    let refuse = |reason: String| ReportError::file(path, reason);
    let failed = |reason: String| ReportError::Film { path: path.to_owned(), reason };
    let pictures = open(replay, path)?;
    let gif = match path.extension().and_then(|e| e.to_str()) {
        Some("mp4") => false,
        Some("gif") => true,
        _ => return Err(refuse("the name of a film ends in .mp4 or .gif".into())),
    };
    let (size, rate) = if gif { (GIF_SIZE, GIF_RATE) } else { (FILM_SIZE, FILM_RATE) };
    let height = pictures.height_for(size);
    let shrink = size / height.max(size);
    // Encoders want even numbers.
    let [width, height] = [size, height].map(|x| (x * shrink / 2.0).round() as usize * 2);
    let span = pictures.times.last().zip(pictures.times.first()).map_or(0.0, |(b, a)| b - a);
    let count = (span / speed * rate).ceil() as usize + 1;
    if count > MOST_FRAMES {
        return Err(refuse(format!(
            "the film would have {count} frames; {MOST_FRAMES} is the most: choose a larger --speed"
        )));
    }
    let (dir, name) = crate::place(path)?;
    std::fs::create_dir_all(&dir).map_err(|e| refuse(e.to_string()))?;
    let temporary = dir.join(format!(".{}.{name}", std::process::id()));
    let filter = if gif { "split[a][b];[a]palettegen[p];[b][p]paletteuse" } else { "null" };
    let mut ffmpeg = Command::new("ffmpeg")
        .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"])
        .args(["-s", &format!("{width}x{height}"), "-r", &rate.to_string(), "-i", "-"])
        .args(["-vf", filter])
        .args(if gif { &["-loop", "0"][..] } else { &["-pix_fmt", "yuv420p"][..] })
        .arg(&temporary)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| {
            refuse(format!("ffmpeg cannot be started ({e}); install it, or use --gltf or --strip"))
        })?;
    let mut input = ffmpeg.stdin.take();
    let mut broken = None;
    for k in 0..count {
        let t = pictures.times.first().copied().unwrap_or(0.0) + k as f64 * speed / rate;
        let frame = at_time(&pictures.times, t);
        let bytes = raster(&pictures.frame(frame, [width as f64, height as f64]), [width, height])
            .map_err(|e| refuse(e.to_string()))?;
        if let Some(Err(e)) = input.as_mut().map(|input| input.write_all(&bytes)) {
            broken = Some(e);
            break;
        }
    }
    drop(input);
    let output = ffmpeg.wait_with_output().map_err(|e| failed(e.to_string()))?;
    if !output.status.success() || broken.is_some() {
        // What is left of it is of no use.
        let _ = std::fs::remove_file(&temporary);
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(format!("ffmpeg failed: {}", said.trim())));
    }
    std::fs::rename(&temporary, path).map_err(|e| failed(e.to_string()))?;
    Ok(path.to_owned())
}

fn open<'a>(replay: &'a ReplayFile, path: &Path) -> Result<Pictures<'a>, ReportError> {
    if replay.bodies.is_empty() && replay.drawing.is_empty() {
        return Err(ReportError::file(
            path,
            "the scene has neither bodies nor a [[drawing]], so that there is nothing to draw",
        ));
    }
    if replay.frames == 0 {
        return Err(ReportError::file(path, "the run has no frames"));
    }
    Pictures::new(replay).map_err(|source| ReportError::Replay { path: path.to_owned(), source })
}

/// The frame at a share of the whole time.
fn at_share(times: &[f64], share: f64) -> usize {
    let (first, last) = (times[0], times[times.len() - 1]);
    at_time(times, first + share * (last - first))
}

/// The last frame that is not after a time.
fn at_time(times: &[f64], t: f64) -> usize {
    times.partition_point(|x| *x <= t).saturating_sub(1)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn write_item(text: &mut String, item: &Item) {
    if item.points.iter().flatten().any(|x| !x.is_finite()) {
        return;
    }
    let hex = |[r, g, b]: Colour| format!("#{r:02x}{g:02x}{b:02x}");
    let points: Vec<String> = item.points.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
    let kind = if item.closed { "polygon" } else { "polyline" };
    let fill = item.fill.map_or("none".to_owned(), hex);
    let stroke = item.stroke.map_or(String::new(), |(colour, width)| {
        format!(" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"", hex(colour))
    });
    let _ = writeln!(text, "<{kind} points=\"{}\" fill=\"{fill}\"{stroke}/>", points.join(" "));
}

/// The pixels of a frame, three bytes each, from the top left.
fn raster(
    items: &[Item],
    [width, height]: [usize; 2],
) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let (w, h) = (width * FINER, height * FINER);
    let mut fine = vec![0; 3 * w * h];
    {
        let area = BitMapBackend::with_buffer(&mut fine, (w as u32, h as u32)).into_drawing_area();
        let rgb = |[r, g, b]: Colour| RGBColor(r, g, b);
        area.fill(&rgb(PAPER))?;
        // Far outside the numbers of pixels would not fit.
        let most = 8.0 * (w + h) as f64;
        let pixel = |p: &[f64; 2]| {
            let [x, y] = p.map(|x| (x * FINER as f64).clamp(-most, most).round() as i32);
            (x, y)
        };
        for item in items.iter().filter(|item| item.points.iter().flatten().all(|x| x.is_finite()))
        {
            let mut points: Vec<(i32, i32)> = item.points.iter().map(pixel).collect();
            if let Some(fill) = item.fill {
                area.draw(&Polygon::new(points.clone(), rgb(fill)))?;
            }
            if let Some((colour, width)) = item.stroke {
                if let (true, Some(first)) = (item.closed, points.first()) {
                    points.push(*first);
                }
                let style =
                    rgb(colour).stroke_width((width * FINER as f64).round().max(1.0) as u32);
                area.draw(&PathElement::new(points, style))?;
            }
        }
        area.present()?;
    }
    let mut pixels = Vec::with_capacity(3 * width * height);
    for y in 0..height {
        for x in 0..width {
            for c in 0..3 {
                let at = |dx: usize, dy: usize| {
                    u32::from(fine[3 * ((y * FINER + dy) * w + x * FINER + dx) + c])
                };
                let sum: u32 = (0..FINER * FINER).map(|k| at(k % FINER, k / FINER)).sum();
                pixels.push((sum / (FINER * FINER) as u32) as u8);
            }
        }
    }
    Ok(pixels)
}
