//! A pile of discs with its contact forces, drawn from the tables of a run.

use crate::Outcome;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The name of the picture, beside the tables.
pub(super) const FILE: &str = "forces_drawn.svg";

/// Pixels per metre, and around the container.
const SCALE: f64 = 480.0;
const MARGIN: f64 = 20.0;
/// The width of the line of the largest force, in pixels.
const WIDEST: f64 = 14.0;

type Point = [f64; 2];

/// A contact at the last sample.
struct Contact {
    bodies: [String; 2],
    at: Point,
    impulse: f64,
}

/// Draws the last sample of a run of `scene`, whose tables are in `folder`, into the same folder.
pub(super) fn draw(scene: &Path, folder: &Path) -> Outcome {
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|e| format!("{} cannot be read: {e}", path.display()))
    };
    let walls = container(&read(scene)?)?;
    let centres = centres(&read(&folder.join("trajectory.csv"))?)?;
    let contacts = contacts(&read(&folder.join("contacts.csv"))?)?;
    let path = folder.join(FILE);
    let svg = picture(&walls, &centres, &contacts);
    fs::write(&path, svg).map_err(|e| format!("{} cannot be written: {e}", path.display()))
}

/// The points of the chain that holds the pile.
fn container(scene: &str) -> Result<Vec<Point>, String> {
    let table: toml::Table = scene.parse().map_err(|e| format!("the scene of the pile: {e}"))?;
    let bodies = table.get("body").and_then(|b| b.as_array()).into_iter().flatten();
    let chain = bodies.filter_map(|body| body.get("shape")?.get("chain")?.as_array()).next();
    let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|i| i as f64));
    let point = |p: &toml::Value| Some([number(p.get(0)?)?, number(p.get(1)?)?]);
    let points: Option<Vec<Point>> = chain.and_then(|points| points.iter().map(point).collect());
    points.ok_or_else(|| "the scene of the pile has no chain of points".to_owned())
}

/// Where the bodies are at the end.
fn centres(trajectory: &str) -> Result<BTreeMap<String, Point>, String> {
    let (header, last) = trajectory
        .lines()
        .next()
        .zip(trajectory.lines().last())
        .ok_or("trajectory.csv is empty")?;
    let values: BTreeMap<&str, f64> = header
        .split(',')
        .zip(last.split(','))
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect();
    let names = header.split(',').filter_map(|name| name.strip_suffix(".x"));
    let centre = |name: &str| {
        let y = values.get(&*format!("{name}.y"))?;
        Some((name.to_owned(), [*values.get(&*format!("{name}.x"))?, *y]))
    };
    Ok(names.filter_map(centre).collect())
}

/// The contacts of the last sample.
fn contacts(table: &str) -> Result<Vec<Contact>, String> {
    let header: Vec<&str> =
        table.lines().next().ok_or("contacts.csv is empty")?.split(',').collect();
    let column = |name: &str| {
        let found = header.iter().position(|h| *h == name);
        found.ok_or_else(|| format!("contacts.csv has no column `{name}`"))
    };
    let [t, first, second, x, y, impulse] =
        ["t", "first", "second", "x", "y", "impulse_n"].map(column);
    let (t, first, second, x, y, impulse) = (t?, first?, second?, x?, y?, impulse?);
    let last = table.lines().last().and_then(|line| line.split(',').nth(t)).unwrap_or_default();
    let rows = table.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let at_end = rows.filter(|row| row.get(t) == Some(&last));
    let number = |row: &[&str], column: usize| row.get(column).and_then(|v| v.parse::<f64>().ok());
    let contact = |row: Vec<&str>| {
        Some(Contact {
            bodies: [first, second]
                .map(|c| row.get(c).map(|n| (*n).to_owned()).unwrap_or_default()),
            at: [number(&row, x)?, number(&row, y)?],
            impulse: number(&row, impulse)?,
        })
    };
    Ok(at_end.filter_map(contact).collect())
}

/// The picture: discs as large as their contacts say, and a line along each force, as wide as it is strong.
fn picture(walls: &[Point], centres: &BTreeMap<String, Point>, contacts: &[Contact]) -> String {
    let mut radii: BTreeMap<&str, f64> = BTreeMap::new();
    for contact in contacts {
        for name in &contact.bodies {
            let Some(c) = centres.get(name) else { continue };
            let radius = (c[0] - contact.at[0]).hypot(c[1] - contact.at[1]);
            radii.entry(name).and_modify(|r| *r = r.min(radius)).or_insert(radius);
        }
    }
    let all = || walls.iter().chain(centres.values());
    let (left, right) = extent(all().map(|p| p[0]));
    let (_, top) = extent(centres.values().map(|p| p[1]));
    let top = top + 0.12;
    let pixel = |p: Point| [MARGIN + SCALE * (p[0] - left), MARGIN + SCALE * (top - p[1])];
    let (width, height) = (2.0 * MARGIN + SCALE * (right - left), 2.0 * MARGIN + SCALE * top);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let outline: Vec<String> =
        walls.iter().map(|p| pixel(*p)).map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#444444\" stroke-width=\"4\"/>",
        outline.join(" ")
    );
    for (name, radius) in &radii {
        let [x, y] = pixel(centres[*name]);
        let r = SCALE * radius;
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"#dbe7f3\" stroke=\"#7d93a8\"/>"
        );
    }
    let largest = contacts.iter().map(|c| c.impulse).fold(f64::MIN_POSITIVE, f64::max);
    for contact in contacts {
        let wide = WIDEST * contact.impulse / largest;
        let [x, y] = pixel(contact.at);
        for centre in contact.bodies.iter().filter_map(|name| centres.get(name)) {
            let [a, b] = pixel(*centre);
            let _ = writeln!(
                svg,
                "<line x1=\"{a:.1}\" y1=\"{b:.1}\" x2=\"{x:.1}\" y2=\"{y:.1}\" stroke=\"#c0392b\" stroke-width=\"{wide:.2}\" stroke-linecap=\"round\"/>"
            );
        }
    }
    svg + "</svg>\n"
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_are_drawn_as_wide_as_they_are_strong() {
        let walls =
            container("[[body]]\nshape = { chain = [[-1, 1], [-1, 0], [1, 0.0], [1, 1]] }\n");
        let centres = centres("t,a.x,a.y,b.x,b.y\n0,0,9,0,9\n1,0,0.1,0,0.3\n").unwrap();
        let contacts = contacts(
            "t,first,second,x,y,impulse_n\n0,a,b,0,0,9\n1,container,a,0,0,2\n1,a,b,0,0.2,1\n",
        )
        .unwrap();
        assert_eq!((contacts.len(), centres["b"]), (2, [0.0, 0.3]));
        let svg = picture(&walls.unwrap(), &centres, &contacts);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert_eq!(svg.matches("stroke-width=\"14.00\"").count(), 1, "{svg}");
        assert_eq!(svg.matches("stroke-width=\"7.00\"").count(), 2, "{svg}");
    }

    #[test]
    fn tables_that_are_none_are_refused() {
        assert!(container("x = 1").is_err());
        assert!(contacts("a,b\n1,2\n").is_err_and(|e| e.contains("`t`")));
    }
}
