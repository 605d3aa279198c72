//! A frame as polygons and lines: of the plane as it is, of space as it is seen from one side.

use crate::gltf::{extent, moved};
use crate::mesh::{Triangles, pose, rounded, triangles};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;
use stickslip_scene::recording::replay::{
    BodyFile, ContactFrame, DrawnFile, DrawnValue, ReplayError, ReplayFile,
};
use stickslip_scene::{DrawingKind, LookShape};

/// Red, green, blue.
pub(crate) type Colour = [u8; 3];

const INK: Colour = [28, 31, 36];
pub(crate) const PAPER: Colour = [255, 255, 255];
const GROUND: Colour = [154, 161, 169];
const ARROW: Colour = [213, 94, 0];
/// Colours of bodies, by turns.
const BODIES: [Colour; 4] = [[79, 131, 184], [90, 160, 138], [176, 122, 161], [196, 154, 108]];
/// From where space is seen, and where the light comes from.
const EYE: DVec3 = DVec3::new(0.55, -0.9, 0.45);
const LIGHT: DVec3 = DVec3::new(0.2, -0.45, 0.87);
/// Length of the arrow of a usual force, as a share of the picture.
const ARROW_LENGTH: f64 = 0.14;

/// Something that is drawn, in the coordinates of the picture: x to the right, y down, from 0 to its width and height.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) points: Vec<[f64; 2]>,
    pub(crate) closed: bool,
    pub(crate) fill: Option<Colour>,
    pub(crate) stroke: Option<(Colour, f64)>,
}

/// A replay with its numbers, ready to be drawn.
pub(crate) struct Pictures<'a> {
    replay: &'a ReplayFile,
    pub(crate) times: Vec<f64>,
    numbers: Vec<Vec<f64>>,
    contacts: Vec<ContactFrame>,
    shapes: Vec<Vec<(DVec3, DQuat, Triangles)>>,
    /// The middle of what is seen, and half of its width and height.
    middle: [f64; 2],
    half: [f64; 2],
    force: f64,
}

impl<'a> Pictures<'a> {
    pub(crate) fn new(replay: &'a ReplayFile) -> Result<Self, ReplayError> {
        let numbers = replay.numbers()?;
        let reach = extent(replay, &numbers);
        let shapes = |body: &BodyFile| {
            let part = |(at, shape): &(_, LookShape)| {
                let stickslip_scene::recording::replay::PoseFile(at) = *at;
                let (p, r) = pose(at);
                (p, r, triangles(shape, reach))
            };
            // The ground would hide what is below it, and has no end.
            let drawn = body.parts.iter().filter(|(_, s)| *s != LookShape::HalfSpace);
            drawn.map(part).collect()
        };
        let contacts = replay.contacts.contacts()?;
        let mut sizes: Vec<f64> = contacts.iter().map(size_of).filter(|s| *s > 0.0).collect();
        sizes.extend(forces_of_drawing(replay, &numbers));
        sizes.sort_by(f64::total_cmp);
        let mut made = Self {
            replay,
            times: replay.frame_times()?,
            shapes: replay.bodies.iter().map(shapes).collect(),
            numbers,
            contacts,
            middle: [0.0; 2],
            half: [1.0; 2],
            force: sizes.get(sizes.len() * 9 / 10).copied().unwrap_or(1.0),
        };
        made.measure();
        Ok(made)
    }

    /// Whether it is drawn as it is, rather than seen from one side.
    fn is_plane(&self) -> bool {
        self.replay.in_plane || self.replay.bodies.is_empty()
    }

    /// The box of all that moves, over some frames; of what stands still where nothing moves.
    fn measure(&mut self) {
        let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
        let step = (self.times.len() / 100).max(1);
        for frame in (0..self.times.len()).step_by(step) {
            for point in self.moving_points(frame) {
                for k in 0..2 {
                    (low[k], high[k]) = (low[k].min(point[k]), high[k].max(point[k]));
                }
            }
        }
        if low[0] <= high[0] {
            self.middle = [0, 1].map(|k| 0.5 * (low[k] + high[k]));
            self.half = [0, 1].map(|k| (0.5 * (high[k] - low[k])).max(1e-9));
        }
    }

    fn moving_points(&self, frame: usize) -> Vec<[f64; 2]> {
        let moves = |d: &&DrawnFile| d.numbers.iter().any(|n| matches!(n, DrawnValue::Channel(_)));
        let some = self.replay.drawing.iter().any(|d| moves(&d));
        let drawn = self.replay.drawing.iter().filter(|d| !some || moves(d));
        let mut points: Vec<[f64; 2]> =
            drawn.flat_map(|d| outline(d, &self.values(d, frame))).collect();
        for (i, body) in self.replay.bodies.iter().enumerate() {
            let Some(channel) = body.channel else { continue };
            let (p, r) = moved(self.replay.in_plane, &self.numbers, channel, frame);
            for (at, turn, mesh) in &self.shapes[i] {
                let world = |v: &DVec3| p + r * (*at + *turn * *v);
                points.extend(mesh.vertices.iter().map(|v| self.seen(world(v)).0));
            }
        }
        points.into_iter().filter(|p| p[0].is_finite() && p[1].is_finite()).collect()
    }

    fn values(&self, d: &DrawnFile, frame: usize) -> Vec<f64> {
        let value = |n: &DrawnValue| match n {
            DrawnValue::Constant(x) => *x,
            DrawnValue::Channel(c) => {
                self.numbers.get(*c).and_then(|row| row.get(frame)).copied().unwrap_or(f64::NAN)
            }
        };
        d.numbers.iter().map(value).collect()
    }

    /// A point as it is seen, x to the right and y up, and how near it is.
    fn seen(&self, p: DVec3) -> ([f64; 2], f64) {
        if self.is_plane() {
            return ([p.x, p.y], 0.0);
        }
        let eye = EYE.normalize();
        let right = DVec3::Z.cross(eye).normalize();
        ([p.dot(right), p.dot(eye.cross(right))], p.dot(eye))
    }

    /// How large a picture of this width has to be to show all without waste.
    pub(crate) fn height_for(&self, width: f64) -> f64 {
        (width * self.half[1] / self.half[0]).clamp(0.4 * width, 2.5 * width)
    }

    /// A frame in a picture of this size.
    pub(crate) fn frame(&self, frame: usize, [width, height]: [f64; 2]) -> Vec<Item> {
        let scale = 0.46 * (width / self.half[0]).min(height / self.half[1]);
        let place = |p: [f64; 2]| {
            let [x, y] = [p[0] - self.middle[0], p[1] - self.middle[1]].map(|d| scale * d);
            [0.5 * width + x, 0.5 * height - y]
        };
        let mut items = if self.is_plane() { self.flat(frame) } else { self.solid(frame) };
        for item in &mut items {
            item.points.iter_mut().for_each(|p| *p = place(*p));
        }
        let length = ARROW_LENGTH * width.min(height) / self.force.max(f64::MIN_POSITIVE);
        for (at, force) in self.forces(frame) {
            let from = place(at);
            let to = [from[0] + length * force[0], from[1] - length * force[1]];
            items.extend(arrow(from, to));
        }
        items
    }

    /// Bodies in the plane, and the drawing.
    fn flat(&self, frame: usize) -> Vec<Item> {
        let mut items = Vec::new();
        for (i, body) in self.replay.bodies.iter().enumerate() {
            let (p, r) = match body.channel {
                Some(channel) => moved(true, &self.numbers, channel, frame),
                None => pose(body.pose.0),
            };
            let colour = if body.channel.is_some() { BODIES[i % 4] } else { GROUND };
            for (at, shape) in &body.parts {
                let (q, turn) = pose(at.0);
                let world = |x: f64, y: f64| {
                    let v = p + r * (q + turn * DVec3::new(x, y, 0.0));
                    [v.x, v.y]
                };
                match shape {
                    LookShape::Polygon { points, radius } => {
                        let points = rounded(points, *radius);
                        let points = points.iter().map(|[x, y]| world(*x, *y)).collect();
                        items.push(filled(points, colour));
                    }
                    LookShape::Chain(points) => {
                        items.push(line(points.iter().map(|[x, y]| world(*x, *y)).collect(), INK));
                    }
                    LookShape::HalfSpace => {
                        let normal = r * (turn * DVec3::Z);
                        let along = DVec3::new(-normal.y, normal.x, 0.0);
                        let origin = p + r * q;
                        let far = 20.0 * self.half[0].max(self.half[1]);
                        let corner = |s: f64, d: f64| {
                            let v = origin + far * (s * along - d * normal);
                            [v.x, v.y]
                        };
                        let points = [(-1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (-1.0, 1.0)];
                        items.push(filled(points.map(|(s, d)| corner(s, d)).to_vec(), GROUND));
                    }
                    _ => {}
                }
            }
        }
        let drawn = self.replay.drawing.iter().filter(|d| d.kind != DrawingKind::Contact);
        items.extend(drawn.map(|d| {
            let points = outline(d, &self.values(d, frame));
            let colour = colour_of(&d.colour);
            let closed =
                d.closed || matches!(d.kind, DrawingKind::Ellipse | DrawingKind::Rectangle);
            match d.fill {
                true => filled(points, colour),
                false => Item { closed, ..line(points, colour) },
            }
        }));
        items
    }

    /// Triangles of bodies in space, the farthest first.
    fn solid(&self, frame: usize) -> Vec<Item> {
        let mut all: Vec<(f64, Item)> = Vec::new();
        let eye = EYE.normalize();
        for (i, body) in self.replay.bodies.iter().enumerate() {
            let (p, r) = match body.channel {
                Some(channel) => moved(false, &self.numbers, channel, frame),
                None => pose(body.pose.0),
            };
            let colour = if body.channel.is_some() { BODIES[i % 4] } else { GROUND };
            for (at, turn, mesh) in &self.shapes[i] {
                let world: Vec<DVec3> =
                    mesh.vertices.iter().map(|v| p + r * (*at + *turn * *v)).collect();
                for t in &mesh.triangles {
                    let corners = t.map(|v| world[v]);
                    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                    if normal.dot(eye) <= 0.0 {
                        continue;
                    }
                    let bright = 0.55 + 0.45 * normal.normalize_or_zero().dot(LIGHT.normalize());
                    let colour = colour.map(|c| (f64::from(c) * bright.clamp(0.2, 1.0)) as u8);
                    let points = corners.map(|c| self.seen(c).0).to_vec();
                    let depth = corners.map(|c| self.seen(c).1).iter().sum::<f64>();
                    // A thin line of the same colour hides the seams.
                    let stroke = Some((colour, 0.6));
                    let item = Item { points, closed: true, fill: Some(colour), stroke };
                    all.push((depth, item));
                }
            }
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.into_iter().map(|(_, item)| item).collect()
    }

    /// Points and forces of a frame, as they are seen.
    fn forces(&self, frame: usize) -> Vec<([f64; 2], [f64; 2])> {
        let every = self.replay.contacts.every.max(1);
        let at = (frame / every * every) as u32;
        let begin = self.contacts.partition_point(|c| c.frame < at);
        let end = self.contacts.partition_point(|c| c.frame <= at);
        let moves =
            |b: u32| self.replay.bodies.get(b as usize).is_some_and(|b| b.channel.is_some());
        let seen = |c: &ContactFrame| {
            let [p, f] = [c.position, c.force].map(|v| DVec3::from_array(v.map(f64::from)));
            // On the body that moves.
            let sign = if moves(c.bodies[0]) || !moves(c.bodies[1]) { 1.0 } else { -1.0 };
            (self.seen(p).0, self.seen(sign * f).0)
        };
        let mut all: Vec<_> = self.contacts[begin..end].iter().map(seen).collect();
        for d in &self.replay.drawing {
            let (Some((first, _)), &[x, y, nx, ny, tx, ty]) =
                (d.contact, &self.values(d, frame)[..])
            else {
                continue;
            };
            let value = |k: usize| self.numbers.get(first + k).map_or(0.0, |row| row[frame]);
            let [normal, friction] =
                [value(1), value(2)].map(|f| if f.is_finite() { f } else { 0.0 });
            let (n, t) = (nx.hypot(ny).max(1e-300), tx.hypot(ty).max(1e-300));
            let force = [normal * nx / n + friction * tx / t, normal * ny / n + friction * ty / t];
            all.push(([x, y], force));
        }
        all
    }
}

fn size_of(c: &ContactFrame) -> f64 {
    DVec3::from_array(c.force.map(f64::from)).length()
}

/// Normal forces of contacts that the drawing shows.
fn forces_of_drawing(replay: &ReplayFile, numbers: &[Vec<f64>]) -> Vec<f64> {
    let contacts = replay.drawing.iter().filter_map(|d| d.contact);
    let rows = contacts.filter_map(|(first, _)| numbers.get(first + 1));
    rows.flatten().copied().filter(|f| *f > 0.0).collect()
}

fn filled(points: Vec<[f64; 2]>, colour: Colour) -> Item {
    Item { points, closed: true, fill: Some(colour), stroke: Some((INK, 1.0)) }
}

fn line(points: Vec<[f64; 2]>, colour: Colour) -> Item {
    Item { points, closed: false, fill: None, stroke: Some((colour, 2.0)) }
}

/// A line with a head; nothing where it would be shorter than a pixel.
fn arrow(from: [f64; 2], to: [f64; 2]) -> Vec<Item> {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let length = dx.hypot(dy);
    if !(length > 1.0 && length.is_finite()) {
        return Vec::new();
    }
    let (ux, uy) = (dx / length, dy / length);
    let head = (0.5 * length).min(9.0);
    let neck = [to[0] - head * ux, to[1] - head * uy];
    let side = |s: f64| [neck[0] - s * head * uy, neck[1] + s * head * ux];
    let tip = vec![to, side(0.5), side(-0.5)];
    vec![
        Item { points: vec![from, neck], closed: false, fill: None, stroke: Some((ARROW, 2.5)) },
        Item { points: tip, closed: true, fill: Some(ARROW), stroke: None },
    ]
}

/// The colour of a word of the palette, or of `#rrggbb`.
fn colour_of(word: &str) -> Colour {
    let hex = word.strip_prefix('#').and_then(|digits| u32::from_str_radix(digits, 16).ok());
    if let Some(hex) = hex {
        return [(hex >> 16) as u8, (hex >> 8) as u8, hex as u8];
    }
    match word {
        "ground" => GROUND,
        "wood" => [196, 154, 108],
        "metal" => [135, 149, 166],
        "body" => BODIES[0],
        "second" => BODIES[1],
        "third" => BODIES[2],
        "spring" => [107, 114, 128],
        "red" => [200, 64, 47],
        _ => INK,
    }
}

/// The points of a part of a drawing.
fn outline(d: &DrawnFile, numbers: &[f64]) -> Vec<[f64; 2]> {
    let at = |k: usize| numbers.get(k).copied();
    let turned = |angle: f64, [a, b]: [f64; 2]| {
        let (s, c) = angle.sin_cos();
        [numbers[0] + c * a - s * b, numbers[1] + s * a + c * b]
    };
    let Some(&[x, y]) = numbers.first_chunk::<2>() else { return Vec::new() };
    match d.kind {
        DrawingKind::Line => {
            let points: Vec<[f64; 2]> = numbers.as_chunks::<2>().0.to_vec();
            if d.smooth { spline(&points, d.closed) } else { points }
        }
        DrawingKind::Ellipse => {
            let (a, b) = (at(2).unwrap_or(0.0), at(3).unwrap_or(0.0));
            let angle = at(4).unwrap_or(0.0);
            let point = |i: usize| {
                let (s, c) = (TAU * i as f64 / 48.0).sin_cos();
                turned(angle, [a * c, b * s])
            };
            (0..48).map(point).collect()
        }
        DrawingKind::Rectangle => {
            let (a, b) = (0.5 * at(2).unwrap_or(0.0), 0.5 * at(3).unwrap_or(0.0));
            let angle = at(4).unwrap_or(0.0);
            [[-a, -b], [a, -b], [a, b], [-a, b]].map(|p| turned(angle, p)).to_vec()
        }
        DrawingKind::Spring => {
            let (dx, dy) = (at(2).unwrap_or(x) - x, at(3).unwrap_or(y) - y);
            let (length, angle) = (dx.hypot(dy), dy.atan2(dx));
            let coils = at(4).unwrap_or(6.0).round().clamp(1.0, 60.0) as usize;
            let width = at(5).unwrap_or(0.2 * length);
            let coil = |i: usize| {
                let side = if i.is_multiple_of(2) { 0.5 } else { -0.5 };
                [length * (i as f64 + 0.5) / (2 * coils) as f64, side * width]
            };
            let points = std::iter::once([0.0, 0.0]).chain((0..2 * coils).map(coil));
            points.chain([[length, 0.0]]).map(|p| turned(angle, p)).collect()
        }
        DrawingKind::Contact => vec![[x, y]],
    }
}

/// A smooth line through points (Catmull and Rom).
fn spline(points: &[[f64; 2]], closed: bool) -> Vec<[f64; 2]> {
    let n = points.len() as isize;
    let at = |i: isize| {
        let i = if closed { i.rem_euclid(n) } else { i.clamp(0, n - 1) };
        points[i as usize]
    };
    let mut out = Vec::new();
    for i in 0..if closed { n } else { n - 1 } {
        let [p, q, r, s] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
        for k in 0..8 {
            let u = f64::from(k) / 8.0;
            out.push([0, 1].map(|j| {
                let (a, b) = (r[j] - p[j], 2.0 * p[j] - 5.0 * q[j] + 4.0 * r[j] - s[j]);
                let c = 3.0 * q[j] - p[j] - 3.0 * r[j] + s[j];
                0.5 * (2.0 * q[j] + a * u + b * u * u + c * u * u * u)
            }));
        }
    }
    if let (false, Some(last)) = (closed, points.last()) {
        out.push(*last);
    }
    out
}
