//! Surfaces of triangles: who is whose neighbour, and which normals a surface has at its edges and vertices.

use crate::polytope::{Edge, Face, PolyRef};
use crate::pose::Pose;
use crate::tolerance::{COPLANAR, PREFERENCE};
use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use std::collections::BTreeMap;

const NONE: u32 = u32::MAX;

/// A triangle as a thin polytope. Face 0 is the front, face 1 the back. Edge k is from corner k to the next and has the outward normals
/// of the front; edge k + 3 is the same edge with those of the back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub(crate) vertices: [u32; 3],
    pub(crate) corners: [DVec3; 3],
    faces: [Face; 2],
    edges: [Edge; 6],
    /// The numbers of its edges on the surface.
    pub(crate) edge_numbers: [u32; 3],
    /// Edges beyond which the surface goes on in the same plane.
    pub(crate) flat: [bool; 3],
    /// The vertex across each edge.
    across: [u32; 3],
    /// The number of its plane: the same for all triangles that are connected within it.
    pub(crate) plane: u32,
    size: f64,
}

const LOOPS: [u32; 6] = [0, 1, 2, 2, 1, 0];
const LOOP_EDGES: [u32; 6] = [0, 1, 2, 1, 0, 2];

#[derive(Clone, Debug)]
pub(crate) struct Surface {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) triangles: Vec<Triangle>,
    /// Vertices about which the surface is flat.
    pub(crate) flat_vertices: Vec<bool>,
    /// The neighbours of vertex v are `ring[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    ring: Vec<u32>,
    pub(crate) tree: Bvh,
}

impl Surface {
    pub(crate) fn new(points: &[DVec3], indices: &[[usize; 3]], pose: &Pose) -> Self {
        let (vertices, indices) = welded(points, indices, pose);
        let mut triangles: Vec<Triangle> =
            indices.iter().map(|t| Triangle::new(*t, &vertices)).collect();
        let flat_vertices = connect(&mut triangles, vertices.len());
        number_planes(&mut triangles);
        let (starts, ring) = rings(&triangles, vertices.len());
        let boxes: Vec<Aabb> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.corners;
                Aabb::new(a.min(b).min(c), a.max(b).max(c))
            })
            .collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        Self { vertices, triangles, flat_vertices, starts, ring, tree }
    }

    /// Whether a normal is one of the surface at a vertex: all neighbours are below.
    pub(crate) fn admits_vertex(&self, vertex: u32, normal: DVec3) -> bool {
        let v = self.vertices[vertex as usize];
        let range =
            self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize;
        self.ring[range].iter().all(|&w| below(self.vertices[w as usize] - v, normal))
    }

    /// Whether a normal that is one of the triangle at its edge k is also one of the surface: the triangle beyond is below.
    pub(crate) fn admits_edge(&self, triangle: &Triangle, k: usize, normal: DVec3) -> bool {
        let across = triangle.across[k];
        across == NONE || below(self.vertices[across as usize] - triangle.corners[k], normal)
    }
}

fn below(way: DVec3, normal: DVec3) -> bool {
    way.dot(normal) <= PREFERENCE * way.length()
}

impl Triangle {
    fn new(vertices: [u32; 3], points: &[DVec3]) -> Self {
        let corners = vertices.map(|v| points[v as usize]);
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).normalize();
        let offset = normal.dot(a);
        let faces = [
            Face { normal, offset, start: 0, count: 3 },
            Face { normal: -normal, offset: -offset, start: 3, count: 3 },
        ];
        let edge = |k: usize, normal: DVec3, front: DVec3| {
            let outward = (corners[(k + 1) % 3] - corners[k]).cross(front).normalize();
            Edge { ends: [k as u32, (k as u32 + 1) % 3], normals: [normal, outward] }
        };
        let edges =
            std::array::from_fn(|k| edge(k % 3, if k < 3 { normal } else { -normal }, normal));
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        Self {
            vertices,
            corners,
            faces,
            edges,
            edge_numbers: [0; 3],
            flat: [false; 3],
            across: [NONE; 3],
            plane: 0,
            size: 0.5 * longest,
        }
    }

    pub(crate) fn normal(&self) -> DVec3 {
        self.faces[0].normal
    }

    pub(crate) fn view(&self) -> PolyRef<'_> {
        PolyRef {
            vertices: &self.corners,
            faces: &self.faces,
            loops: &LOOPS,
            loop_edges: &LOOP_EDGES,
            edges: &self.edges,
            size: self.size,
        }
    }
}

/// The vertices in body axes, with those that coincide made one, so that triangles know their neighbours.
fn welded(points: &[DVec3], indices: &[[usize; 3]], pose: &Pose) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut known = BTreeMap::new();
    let mut vertices = Vec::new();
    let mut number = |p: DVec3| {
        // Adding zero makes one of the two zeros.
        *known.entry(p.to_array().map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
            vertices.push(pose.point(p));
            vertices.len() as u32 - 1
        })
    };
    let indices = indices.iter().map(|t| t.map(|v| number(points[v]))).collect();
    (vertices, indices)
}

/// Tells triangles what is beyond their edges; gives the vertices all of whose edges are flat.
fn connect(triangles: &mut [Triangle], vertices: usize) -> Vec<bool> {
    let mut owner = BTreeMap::new();
    let mut numbers = BTreeMap::new();
    for (t, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (triangle.vertices[k], triangle.vertices[(k + 1) % 3]);
            owner.entry((a, b)).or_insert((t, k));
            let next = numbers.len() as u32;
            numbers.entry((a.min(b), a.max(b))).or_insert(next);
        }
    }
    let mut flat_vertices = vec![true; vertices];
    for t in 0..triangles.len() {
        for k in 0..3 {
            let (a, b) = (triangles[t].vertices[k], triangles[t].vertices[(k + 1) % 3]);
            triangles[t].edge_numbers[k] = numbers[&(a.min(b), a.max(b))];
            if let Some(&(other, j)) = owner.get(&(b, a)) {
                triangles[t].across[k] = triangles[other].vertices[(j + 2) % 3];
                let turn = triangles[t].normal() - triangles[other].normal();
                triangles[t].flat[k] = turn.length() < COPLANAR;
            }
            if !triangles[t].flat[k] {
                flat_vertices[a as usize] = false;
                flat_vertices[b as usize] = false;
            }
        }
    }
    flat_vertices
}

/// Numbers the planes by their first triangles.
fn number_planes(triangles: &mut [Triangle]) {
    let mut of_edge: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (t, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            if triangle.flat[k] {
                of_edge.entry(triangle.edge_numbers[k]).or_default().push(t);
            }
        }
    }
    let mut seen = vec![false; triangles.len()];
    for seed in 0..triangles.len() {
        let mut stack = if seen[seed] { vec![] } else { vec![seed] };
        seen[seed] = true;
        while let Some(t) = stack.pop() {
            triangles[t].plane = seed as u32;
            for k in 0..3 {
                let beside = of_edge.get(&triangles[t].edge_numbers[k]);
                for &other in beside.into_iter().flatten() {
                    if triangles[t].flat[k] && !seen[other] {
                        seen[other] = true;
                        stack.push(other);
                    }
                }
            }
        }
    }
}

fn rings(triangles: &[Triangle], vertices: usize) -> (Vec<u32>, Vec<u32>) {
    let mut edges: Vec<(u32, u32)> = triangles
        .iter()
        .flat_map(|t| {
            let [a, b, c] = t.vertices;
            [(a, b), (b, a), (b, c), (c, b), (c, a), (a, c)]
        })
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let starts = (0..=vertices as u32).map(|v| edges.partition_point(|e| e.0 < v) as u32).collect();
    (starts, edges.into_iter().map(|e| e.1).collect())
}
