//! Convex polytopes in the axes of a body: boxes, hulls, and as views also triangles, segments and points.

use crate::error::Error;
use crate::pose::{Pose, matrix};
use crate::tolerance::{COPLANAR, FLAT_HULL};
use glam::{DMat3, DVec3};

/// A flat face: all points x of the polytope have normal · x ≤ offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    /// Where its vertices start in the list of loops, and how many there are.
    pub(crate) start: u32,
    pub(crate) count: u32,
}

/// An edge with the normals of the faces beside it, between which outward normals at the edge lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) ends: [u32; 2],
    pub(crate) normals: [DVec3; 2],
}

/// A box, for the separating axes of two boxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cuboid {
    pub(crate) centre: DVec3,
    pub(crate) axes: DMat3,
    pub(crate) half: DVec3,
}

/// A convex polytope that owns its data.
#[derive(Clone, Debug)]
pub(crate) struct Polytope {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Vec<Face>,
    /// The vertices of all faces, counter-clockwise seen from outside.
    pub(crate) loops: Vec<u32>,
    /// The edge from each vertex of a loop to the next.
    pub(crate) loop_edges: Vec<u32>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) cuboid: Option<Cuboid>,
    /// Half of the extent that decides by what lengths are judged.
    pub(crate) size: f64,
}

/// A polytope that is borrowed: of points, segments and triangles there are no lists to own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolyRef<'a> {
    pub(crate) vertices: &'a [DVec3],
    pub(crate) faces: &'a [Face],
    pub(crate) loops: &'a [u32],
    pub(crate) loop_edges: &'a [u32],
    pub(crate) edges: &'a [Edge],
    pub(crate) size: f64,
}

impl<'a> PolyRef<'a> {
    pub(crate) fn face_loop(&self, face: usize) -> (&'a [u32], &'a [u32]) {
        let f = &self.faces[face];
        let range = f.start as usize..(f.start + f.count) as usize;
        (&self.loops[range.clone()], &self.loop_edges[range])
    }

    pub(crate) fn ends(&self, edge: usize) -> [DVec3; 2] {
        self.edges[edge].ends.map(|v| self.vertices[v as usize])
    }

    /// The least component along a direction.
    pub(crate) fn lowest(&self, direction: DVec3) -> f64 {
        self.vertices.iter().map(|v| v.dot(direction)).fold(f64::INFINITY, f64::min)
    }
}

impl Polytope {
    pub(crate) fn view(&self) -> PolyRef<'_> {
        PolyRef {
            vertices: &self.vertices,
            faces: &self.faces,
            loops: &self.loops,
            loop_edges: &self.loop_edges,
            edges: &self.edges,
            size: self.size,
        }
    }

    /// A box. Vertex k has the signs of the bits of k; faces are +x, −x, +y, −y, +z, −z; see [`Cuboid::edge`] for the edges.
    pub(crate) fn cuboid(half: DVec3, pose: &Pose) -> Self {
        let axes = matrix(pose.rotation);
        let sign = |k: usize, axis: usize| if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
        let corner = |k: usize| half * DVec3::new(sign(k, 0), sign(k, 1), sign(k, 2));
        let vertices: Vec<DVec3> = (0..8).map(|k| pose.position + axes * corner(k)).collect();
        let (mut faces, mut loops, mut loop_edges) = (Vec::new(), Vec::new(), Vec::new());
        for axis in 0..3 {
            for up in [true, false] {
                let normal = if up { axes.col(axis) } else { -axes.col(axis) };
                let offset = normal.dot(pose.position) + half[axis];
                faces.push(Face { normal, offset, start: loops.len() as u32, count: 4 });
                let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                let base = usize::from(up) << axis;
                let mut corners = [base, base | u, base | u | v, base | v];
                if !up {
                    corners.reverse();
                }
                for k in 0..4 {
                    let (a, b) = (corners[k], corners[(k + 1) % 4]);
                    let along = (a ^ b).trailing_zeros() as usize;
                    let signs = [sign(a, (along + 1) % 3), sign(a, (along + 2) % 3)];
                    loops.push(a as u32);
                    loop_edges.push(Cuboid::edge(along, signs) as u32);
                }
            }
        }
        let edges = (0..12).map(|e| cuboid_edge(e, &axes)).collect();
        let cuboid = Some(Cuboid { centre: pose.position, axes, half });
        let size = half.max_element();
        Self { vertices, faces, loops, loop_edges, edges, cuboid, size }
    }

    /// The convex hull of points.
    pub(crate) fn hull(points: &[DVec3], pose: &Pose, place: &str) -> Result<Self, Error> {
        let degenerate = |problem| Error::Degenerate {
            place: place.to_owned(),
            problem,
            cure: "give at least four points that do not lie in one plane",
        };
        if points.len() < 4 {
            return Err(degenerate("has fewer than four points"));
        }
        if !spatial(points) {
            return Err(degenerate("has no volume"));
        }
        let (vertices, triangles) = parry3d_f64::transformation::try_convex_hull(points)
            .map_err(|_| degenerate("has no volume"))?;
        let polytope = merged(&vertices, &triangles, pose)
            .ok_or_else(|| degenerate("has no volume that can be told from rounding"))?;
        if polytope.is_convex() {
            return Ok(polytope);
        }
        Err(degenerate("has no volume that can be told from rounding"))
    }

    /// Whether all vertices are below all faces, up to rounding.
    fn is_convex(&self) -> bool {
        let slack = 10.0 * COPLANAR * self.size;
        self.faces.iter().all(|f| {
            let heights = self.vertices.iter().map(|v| f.normal.dot(*v) - f.offset);
            let (low, high) =
                heights.fold((0.0_f64, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            high <= slack && low < -FLAT_HULL * self.size
        })
    }
}

impl Cuboid {
    /// The number of the edge along an axis at these signs of the next two axes.
    pub(crate) fn edge(along: usize, signs: [f64; 2]) -> usize {
        4 * along + usize::from(signs[0] > 0.0) + 2 * usize::from(signs[1] > 0.0)
    }
}

fn cuboid_edge(e: usize, axes: &DMat3) -> Edge {
    let (along, u, v) = (e / 4, (e / 4 + 1) % 3, (e / 4 + 2) % 3);
    let (up, vp) = (e & 1, e >> 1 & 1);
    let base = (up << u | vp << v) as u32;
    let sign = |bit: usize| if bit == 1 { 1.0 } else { -1.0 };
    let normals = [sign(up) * axes.col(u), sign(vp) * axes.col(v)];
    Edge { ends: [base, base | 1 << along], normals }
}

/// Whether points span space: some four of them have a volume that rounding does not explain.
fn spatial(points: &[DVec3]) -> bool {
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        points.iter().copied().fold((0.0, points[0]), |(best, at), p| {
            let m = measure(p);
            if m > best { (m, p) } else { (best, at) }
        })
    };
    let origin = points[0];
    let (length, a) = farthest(&|p| (p - origin).length());
    if !(length > 0.0) {
        return false;
    }
    let u = (a - origin) / length;
    let (width, b) = farthest(&|p| (p - origin).cross(u).length());
    if !(width > FLAT_HULL * length) {
        return false;
    }
    let n = u.cross(b - origin).normalize();
    farthest(&|p| (p - origin).dot(n).abs()).0 > FLAT_HULL * length
}

/// The polytope of a triangulated hull: triangles in one plane become one face, and vertices inside of faces or edges disappear.
fn merged(vertices: &[DVec3], triangles: &[[u32; 3]], pose: &Pose) -> Option<Polytope> {
    let middle = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
    let size = vertices.iter().map(|v| (*v - middle).length()).fold(0.0, f64::max);
    let mut loops = face_loops(vertices, triangles, COPLANAR * size)?;
    let mut uses = vec![0; vertices.len()];
    loops.iter().flatten().for_each(|&v| uses[v as usize] += 1);
    for l in &mut loops {
        l.retain(|&v| uses[v as usize] > 2);
    }
    loops.retain(|l| l.len() > 2);
    let mut number = vec![u32::MAX; vertices.len()];
    let mut kept = Vec::new();
    for (k, &n) in uses.iter().enumerate() {
        if n > 2 {
            number[k] = kept.len() as u32;
            kept.push(pose.point(vertices[k]));
        }
    }
    for v in loops.iter_mut().flatten() {
        *v = number[*v as usize];
    }
    assemble(kept, &loops, size)
}

/// The boundaries of groups of triangles in one plane, each as a loop of vertices.
fn face_loops(vertices: &[DVec3], triangles: &[[u32; 3]], slack: f64) -> Option<Vec<Vec<u32>>> {
    use std::collections::BTreeMap;
    let corner = |t: usize| triangles[t].map(|v| vertices[v as usize]);
    let area = |t: usize| {
        let [a, b, c] = corner(t);
        (b - a).cross(c - a)
    };
    let mut owner = BTreeMap::new();
    for (t, tri) in triangles.iter().enumerate() {
        for k in 0..3 {
            owner.insert((tri[k], tri[(k + 1) % 3]), t);
        }
    }
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    // The largest first: their planes are the most accurate.
    order.sort_by(|&s, &t| {
        area(t).length_squared().total_cmp(&area(s).length_squared()).then(s.cmp(&t))
    });
    let mut group = vec![usize::MAX; triangles.len()];
    let mut loops = Vec::new();
    for &seed in &order {
        if group[seed] != usize::MAX {
            continue;
        }
        let (normal, origin) = (area(seed).try_normalize()?, corner(seed)[0]);
        let flat = |t: usize| corner(t).iter().all(|p| (*p - origin).dot(normal).abs() < slack);
        let (mut stack, mut next) = (vec![seed], BTreeMap::new());
        group[seed] = seed;
        while let Some(t) = stack.pop() {
            for k in 0..3 {
                let (a, b) = (triangles[t][k], triangles[t][(k + 1) % 3]);
                let other = *owner.get(&(b, a))?;
                if group[other] == usize::MAX && flat(other) {
                    group[other] = seed;
                    stack.push(other);
                }
                if group[other] != seed {
                    next.insert(a, b);
                }
            }
        }
        loops.push(chain(&next)?);
    }
    Some(loops)
}

/// One closed loop from each vertex to the next.
fn chain(next: &std::collections::BTreeMap<u32, u32>) -> Option<Vec<u32>> {
    let (&start, _) = next.first_key_value()?;
    let mut chain = vec![start];
    loop {
        let v = *next.get(chain.last()?)?;
        if v == start {
            break;
        }
        if chain.len() > next.len() {
            return None;
        }
        chain.push(v);
    }
    (chain.len() == next.len()).then_some(chain)
}

fn assemble(vertices: Vec<DVec3>, faces_of: &[Vec<u32>], size: f64) -> Option<Polytope> {
    use std::collections::BTreeMap;
    let (mut faces, mut loops, mut loop_edges) = (Vec::new(), Vec::new(), Vec::new());
    let mut edges: Vec<Edge> = Vec::new();
    let mut known: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for l in faces_of {
        let at = |k: usize| vertices[l[k % l.len()] as usize];
        let origin = at(0);
        // Newell's normal: the sum of the areas of the triangles about one vertex.
        let area: DVec3 =
            (1..l.len() - 1).map(|k| (at(k) - origin).cross(at(k + 1) - origin)).sum();
        let normal = area.try_normalize()?;
        let offset =
            l.iter().map(|&v| normal.dot(vertices[v as usize])).sum::<f64>() / l.len() as f64;
        faces.push(Face { normal, offset, start: loops.len() as u32, count: l.len() as u32 });
        for k in 0..l.len() {
            let (a, b) = (l[k], l[(k + 1) % l.len()]);
            let edge = if let Some(&e) = known.get(&(b, a)) {
                edges[e as usize].normals[1] = normal;
                e
            } else {
                let e = edges.len() as u32;
                known.insert((a, b), e);
                edges.push(Edge { ends: [a, b], normals: [normal, DVec3::ZERO] });
                e
            };
            loops.push(a);
            loop_edges.push(edge);
        }
    }
    let closed = edges.iter().all(|e| e.normals[1] != DVec3::ZERO);
    let euler = vertices.len() + faces.len() == edges.len() + 2;
    (closed && euler).then_some(Polytope {
        vertices,
        faces,
        loops,
        loop_edges,
        edges,
        cuboid: None,
        size,
    })
}
