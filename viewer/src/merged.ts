// Many bodies as one mesh whose corners are moved here.
//
// A software renderer draws instances one by one, at some 25 µs each; corners moved in JavaScript and drawn at once are several times faster.

import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Matrix4, Mesh, MeshBasicMaterial } from "three";

/** Where the light comes from. */
const LIGHT = [0.22, -0.44, 0.87];

interface Part {
  geometry: BufferGeometry;
  body: number;
  local: Matrix4;
  /** Its first corner. */
  first: number;
}

export class Merged {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial>;
  private parts: Part[] = [];
  private place: BufferAttribute;
  private colour: BufferAttribute;
  /** The body of each triangle. */
  private owner: number[] = [];

  constructor(parts: { geometry: BufferGeometry; body: number; local: Matrix4 }[]) {
    const indices: number[] = [];
    let corners = 0;
    for (const { geometry, body, local } of parts) {
      const count = geometry.getAttribute("position").count;
      const index = geometry.getIndex();
      const all = index ? Array.from(index.array) : Array.from({ length: count }, (_, i) => i);
      for (const i of all) indices.push(corners + i);
      for (let k = 0; k < all.length / 3; k++) this.owner.push(body);
      this.parts.push({ geometry, body, local, first: corners });
      corners += count;
    }
    const made = new BufferGeometry();
    this.place = new BufferAttribute(new Float32Array(3 * corners), 3).setUsage(DynamicDrawUsage);
    this.colour = new BufferAttribute(new Float32Array(3 * corners), 3).setUsage(DynamicDrawUsage);
    made.setAttribute("position", this.place);
    made.setAttribute("color", this.colour);
    made.setIndex(indices);
    this.mesh = new Mesh(made, new MeshBasicMaterial({ vertexColors: true }));
    this.mesh.frustumCulled = false;
  }

  /** Moves all corners, and lights them. */
  update(pose: Matrix4[], colourOf: (body: number, into: Color) => void): void {
    const [world, colour] = [new Matrix4(), new Color()];
    const [to, paint] = [this.place.array as Float32Array, this.colour.array as Float32Array];
    for (const { geometry, body, local, first } of this.parts) {
      const m = world.multiplyMatrices(pose[body], local).elements;
      colourOf(body, colour);
      const from = geometry.getAttribute("position").array as Float32Array;
      const normals = geometry.getAttribute("normal").array as Float32Array;
      // The light in the axes of the shape.
      const a = m[0] * LIGHT[0] + m[1] * LIGHT[1] + m[2] * LIGHT[2];
      const b = m[4] * LIGHT[0] + m[5] * LIGHT[1] + m[6] * LIGHT[2];
      const c = m[8] * LIGHT[0] + m[9] * LIGHT[1] + m[10] * LIGHT[2];
      for (let i = 0, k = 3 * first; i < from.length; i += 3, k += 3) {
        const [x, y, z] = [from[i], from[i + 1], from[i + 2]];
        to[k] = m[0] * x + m[4] * y + m[8] * z + m[12];
        to[k + 1] = m[1] * x + m[5] * y + m[9] * z + m[13];
        to[k + 2] = m[2] * x + m[6] * y + m[10] * z + m[14];
        const light = 0.6 + 0.4 * (a * normals[i] + b * normals[i + 1] + c * normals[i + 2]);
        paint[k] = colour.r * light;
        paint[k + 1] = colour.g * light;
        paint[k + 2] = colour.b * light;
      }
    }
    this.place.needsUpdate = this.colour.needsUpdate = true;
    this.mesh.geometry.boundingSphere = null;
  }

  bodyOf(triangle: number): number {
    return this.owner[triangle];
  }
}
