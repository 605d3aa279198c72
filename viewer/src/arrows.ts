// All arrows of a frame as one mesh whose corners are moved here, which software renderers draw much faster than instances.

import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Mesh, MeshBasicMaterial, Vector3 } from "three";

/** The width of the rim of an arrow, as a share of the radius of its shaft. */
const RIM = 0.35;

export class Arrows {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial>;
  private place: BufferAttribute;
  private colour: BufferAttribute;
  /** Arrows and rims so far. */
  private count = 0;
  private readonly circle: [number, number][];

  private readonly sides: number;

  /** Room for so many arrows; coarse ones take less time. */
  constructor(readonly room: number, coarse: boolean) {
    const sides = coarse ? 3 : 8;
    this.sides = sides;
    this.circle = Array.from({ length: sides }, (_, i) => [Math.cos((2 * Math.PI * i) / sides), Math.sin((2 * Math.PI * i) / sides)]);
    const made = new BufferGeometry();
    const corners = 2 * this.corners * room;
    this.place = new BufferAttribute(new Float32Array(3 * corners), 3).setUsage(DynamicDrawUsage);
    this.colour = new BufferAttribute(new Float32Array(3 * corners), 3).setUsage(DynamicDrawUsage);
    made.setAttribute("position", this.place);
    made.setAttribute("color", this.colour);
    made.setIndex(this.indices());
    // Arrows are seen through bodies, which else would hide most of them.
    this.mesh = new Mesh(made, new MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: !coarse, opacity: coarse ? 1 : 0.9 }));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1;
    this.finish();
  }

  /** Corners of an arrow: both ends of the shaft, the rim of the head and its tip. */
  private get corners(): number {
    return 3 * this.sides + 1;
  }

  private indices(): number[] {
    const [n, out] = [this.sides, [] as number[]];
    for (let k = 0; k < 2 * this.room; k++) {
      const first = k * this.corners;
      for (let i = 0; i < n; i++) {
        const j = (i + 1) % n;
        const [foot, top, rim, tip] = [first, first + n, first + 2 * n, first + 3 * n];
        out.push(foot + i, foot + j, top + j, foot + i, top + j, top + i, rim + i, rim + j, tip);
      }
    }
    return out;
  }

  begin(): void {
    this.count = 0;
  }

  /** An arrow from a point, with the radius of its shaft and the length of its head. Its rim tells it from a body of the same colour. */
  add(at: Vector3, way: Vector3, thick: number, head: number, colour: Color, rim: Color): void {
    if (this.count >= 2 * this.room) return;
    // What is drawn later covers what was drawn before.
    this.put(at, way, thick, head, rim, RIM * thick);
    this.put(at, way, thick, head, colour, 0);
  }

  /** An arrow that is larger by this much on all sides. */
  private put(at: Vector3, way: Vector3, thick: number, head: number, colour: Color, larger: number): void {
    const length = way.length();
    const axis = way.clone().divideScalar(length);
    const side = (Math.abs(axis.z) < 0.9 ? new Vector3(0, 0, 1) : new Vector3(1, 0, 0)).cross(axis).normalize();
    const other = axis.clone().cross(side);
    const [to, paint] = [this.place.array as Float32Array, this.colour.array as Float32Array];
    let k = 3 * this.corners * this.count++;
    const ring = (along: number, radius: number): void => {
      for (const [c, s] of this.circle) {
        to[k] = at.x + along * axis.x + radius * (c * side.x + s * other.x);
        to[k + 1] = at.y + along * axis.y + radius * (c * side.y + s * other.y);
        to[k + 2] = at.z + along * axis.z + radius * (c * side.z + s * other.z);
        paint[k] = colour.r;
        paint[k + 1] = colour.g;
        paint[k + 2] = colour.b;
        k += 3;
      }
    };
    ring(-larger, thick + larger);
    ring(length - head, thick + larger);
    ring(length - head - larger, 2.5 * thick + 2 * larger);
    const tip = length + 2 * larger;
    [to[k], to[k + 1], to[k + 2]] = [at.x + tip * axis.x, at.y + tip * axis.y, at.z + tip * axis.z];
    [paint[k], paint[k + 1], paint[k + 2]] = [colour.r, colour.g, colour.b];
  }

  /** Shows those that were added since the beginning. */
  finish(): void {
    this.mesh.geometry.setDrawRange(0, 9 * this.sides * this.count);
    for (const attribute of [this.place, this.colour]) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, 3 * this.corners * this.count);
      attribute.needsUpdate = this.count > 0;
    }
  }
}
