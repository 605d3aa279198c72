// Bodies in space, by three.js.

import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, ConeGeometry,
  CylinderGeometry, DirectionalLight, DoubleSide, GridHelper, Group, IcosahedronGeometry, InstancedMesh,
  Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, PerspectiveCamera, PlaneGeometry, Quaternion, Raycaster,
  Scene, SphereGeometry, Vector2, Vector3, WebGLRenderer, Plane, LineBasicMaterial,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { mergeVertices } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { Arrows } from "./arrows";
import type { Pose, Run, Shape } from "./data";
import { Merged } from "./merged";
import { doing, palette } from "./theme";
import { bodyModes, ForceScale, type Drag, type View, type ViewOptions } from "./view";

/** A shape of one or more bodies, drawn as instances. */
interface Batch {
  mesh: InstancedMesh;
  body: number[];
  local: Matrix4[];
}

/** Above this many bodies shapes have fewer triangles, and pixels are not finer than those of the page. */
const MANY = 200;
/** Arrows are cut at this share of the extent. */
const LONGEST = 0.4;
/** While frames take longer than this many milliseconds, pixels get coarser, down to a half of those of the page. */
const SLOW = 30;
const COARSEST = 1 / 2;
/** A picture that has stood for this many milliseconds has fine pixels again. A replay stands only when it is paused. */
const STILL = 300;

export class SpaceView implements View {
  readonly canvas: HTMLCanvasElement;
  onDrag: ((drag: Drag | null) => void) | null = null;
  private renderer: WebGLRenderer;
  private scene = new Scene();
  private camera = new PerspectiveCamera(40, 1, 0.01, 1000);
  private controls: OrbitControls;
  private batches: Batch[] = [];
  private merged: Merged | null = null;
  private pose: Matrix4[];
  private floor = new Group();
  private arrows: Arrows;
  private coneMesh: InstancedMesh;
  private centre = new Vector3();
  private extent = 1;
  /** How far the largest free body reaches from its origin, by which arrows and cones are scaled. */
  private reach = 0;
  private force: ForceScale;
  private followed = new Vector3();
  private many: boolean;
  private frame = 0;
  private ratio: number;
  private finest: number;
  private took = 0;
  private still = 0;
  private last = 0;
  /** Whether a replay was playing when the last frame was shown. */
  private played = false;

  constructor(private run: Run, host: HTMLElement, public options: ViewOptions) {
    this.many = run.file.bodies.length > MANY;
    this.renderer = new WebGLRenderer({ antialias: !this.many, preserveDrawingBuffer: true });
    this.ratio = this.finest = this.many ? 1 : Math.min(2, devicePixelRatio);
    this.renderer.setPixelRatio(this.ratio);
    this.canvas = this.renderer.domElement;
    host.append(this.canvas);
    this.pose = run.file.bodies.map((b) => matrix(b.pose));
    this.measure();
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.scene.add(this.camera, this.floor);
    const sun = new DirectionalLight(0xffffff, 2.2);
    sun.position.set(1, -2, 4);
    this.scene.add(sun, new AmbientLight(0xffffff, 1.4));
    this.buildBodies();
    const most = this.mostContacts();
    this.arrows = new Arrows(most, this.many);
    const glass = new MeshBasicMaterial({ transparent: true, opacity: 0.25, side: DoubleSide, depthWrite: false });
    // The apex is at the origin and the cone opens along y.
    this.coneMesh = new InstancedMesh(new ConeGeometry(1, 1, 20, 1, true).rotateX(Math.PI).translate(0, 0.5, 0), glass, most);
    this.coneMesh.frustumCulled = false;
    this.coneMesh.count = 0;
    this.scene.add(this.arrows.mesh, this.coneMesh);
    this.force = new ForceScale(run);
    this.addDragging();
    this.restyle();
    this.home();
    // A page that is not seen draws nothing: the time until it is seen again is not that of a frame.
    document.addEventListener("visibilitychange", () => (this.played = false));
  }

  private mostContacts(): number {
    let most = 64;
    for (let f = 0; f < this.run.frames; f++) most = Math.max(most, this.run.contactsAt(f).length);
    return this.run.frames ? most : 4096;
  }

  /** Where the moving bodies are over the whole run. */
  private measure(): void {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    let size = 0;
    this.run.file.bodies.forEach((body) => {
      const reach = Math.max(0, ...body.parts.map(([, shape]) => radius(shape)));
      if (body.channel === null && !(reach > 0)) return;
      if (body.free) size = Math.max(size, reach);
      for (let k = 0; k < 3; k++) {
        const [a, b] = body.channel === null || !this.run.frames
          ? [body.pose[k], body.pose[k]]
          : this.run.range(body.channel + k);
        if (a - reach < low[k]) low[k] = a - reach;
        if (b + reach > high[k]) high[k] = b + reach;
      }
    });
    if (!Number.isFinite(low[0])) return;
    this.centre.set((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
    this.reach = size || 0;
    // A live run leaves room for what is to come.
    const room = this.run.file.frames ? 1 : 1.6;
    this.extent = room * Math.max(1e-6, 3 * size, Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]));
  }

  private buildBodies(): void {
    const groups = new Map<string, { shape: Shape; body: number[]; local: Matrix4[] }>();
    this.run.file.bodies.forEach((body, i) => {
      for (const [pose, shape] of body.parts) {
        if (shape === "half_space") {
          this.addGround(this.pose[i].clone().multiply(matrix(pose)));
          continue;
        }
        const key = JSON.stringify(shape);
        const group = groups.get(key) ?? { shape, body: [], local: [] };
        group.body.push(i);
        group.local.push(matrix(pose));
        groups.set(key, group);
      }
      if (!body.parts.length && body.channel !== null) {
        const shape: Shape = { sphere: 0.012 * this.extent };
        const key = JSON.stringify(shape);
        const group = groups.get(key) ?? { shape, body: [], local: [] };
        group.body.push(i);
        group.local.push(new Matrix4());
        groups.set(key, group);
      }
    });
    const parts: { geometry: BufferGeometry; body: number; local: Matrix4 }[] = [];
    for (const { shape, body, local } of groups.values()) {
      const made = geometry(shape, this.many);
      if (this.many) {
        body.forEach((b, k) => parts.push({ geometry: made, body: b, local: local[k] }));
        continue;
      }
      const mesh = new InstancedMesh(made, new MeshLambertMaterial(), body.length);
      mesh.frustumCulled = false;
      this.batches.push({ mesh, body, local });
      this.scene.add(mesh);
    }
    if (parts.length) {
      this.merged = new Merged(parts);
      this.scene.add(this.merged.mesh);
    }
  }

  /** The surface of a half-space: a plate and lines on it. */
  private addGround(pose: Matrix4): void {
    const size = 2.5 * this.extent;
    const plate = new Mesh(new PlaneGeometry(size, size), new MeshLambertMaterial({ side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
    plate.name = "plate";
    const grid = new GridHelper(size, 25);
    grid.rotateX(Math.PI / 2);
    const ground = new Group();
    ground.add(plate, grid);
    pose.decompose(ground.position, ground.quaternion, ground.scale);
    // Centred under the motion, in its own plane.
    const normal = new Vector3(0, 0, 1).applyQuaternion(ground.quaternion);
    const off = normal.dot(this.centre.clone().sub(ground.position));
    ground.position.copy(this.centre).addScaledVector(normal, -off);
    this.floor.add(ground);
  }

  home(): void {
    const d = 0.95 * this.extent;
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).add(new Vector3(0.55 * d, -0.9 * d, 0.45 * d));
    this.camera.near = 1e-3 * this.extent;
    this.camera.far = 100 * this.extent;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  move(right: number, up: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const size = offset.length();
    const round = Math.atan2(offset.y, offset.x) + 0.1 * right;
    const high = Math.min(1.5, Math.max(-1.5, Math.asin(offset.z / size) + 0.1 * up));
    offset.set(Math.cos(high) * Math.cos(round), Math.cos(high) * Math.sin(round), Math.sin(high)).multiplyScalar(size);
    this.place(offset);
  }

  zoomBy(factor: number): void {
    this.place(this.camera.position.clone().sub(this.controls.target).divideScalar(factor));
  }

  /** Puts the camera at an offset from what it looks at. */
  private place(offset: Vector3): void {
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.draw();
  }

  resize(): void {
    const host = this.canvas.parentElement;
    if (!host) return;
    const [w, h] = [host.clientWidth, host.clientHeight];
    this.renderer.setSize(w, h);
    this.camera.aspect = w / Math.max(1, h);
    // A tall screen sees as much of the scene as a wide one.
    this.camera.fov = this.camera.aspect < 1 ? Math.min(90, 40 / this.camera.aspect) : 40;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  restyle(): void {
    const p = palette();
    this.scene.background = new Color(p.paper);
    this.floor.traverse((o) => {
      if (o instanceof Mesh && o.name === "plate") (o.material as MeshLambertMaterial).color.set(p.panel);
      if (o instanceof GridHelper) {
        const material = o.material as LineBasicMaterial;
        material.vertexColors = false;
        material.color.set(p.drawing.ground);
        material.needsUpdate = true;
      }
    });
    this.show(this.frame);
  }

  rebuild(): void {
    for (const { mesh } of this.batches) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
    }
    if (this.merged) this.scene.remove(this.merged.mesh);
    this.merged?.mesh.geometry.dispose();
    [this.batches, this.merged] = [[], null];
    this.floor.clear();
    this.run.file.bodies.forEach((b, i) => {
      if (b.channel === null) setPose(this.pose[i], b.pose);
    });
    this.buildBodies();
    this.restyle();
  }

  /** Makes pixels coarser while frames follow each other too slowly, and fine again where the picture stands. */
  private adapt(playing: boolean): void {
    const now = performance.now();
    const gap = now - this.last;
    // A replay that plays shows its frames as fast as it can, however slow that is; other frames come when something is asked for.
    const follows = playing ? this.played : gap <= STILL;
    [this.last, this.played] = [now, playing];
    clearTimeout(this.still);
    if (!playing) this.still = window.setTimeout(() => this.setRatio(this.finest), STILL);
    if (!follows) {
      this.took = 0;
      return;
    }
    this.took = this.took ? 0.8 * this.took + 0.2 * gap : gap;
    if (this.took < SLOW || this.ratio <= COARSEST) return;
    const factor = this.took > STILL ? COARSEST : 0.8;
    this.took = 0;
    this.setRatio(Math.max(COARSEST, factor * this.ratio));
  }

  private setRatio(ratio: number): void {
    if (ratio === this.ratio) return;
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
    this.draw();
  }

  show(frame: number, playing = false): void {
    this.frame = frame;
    this.adapt(playing);
    const { file, channels } = this.run;
    if (this.run.frames) {
      file.bodies.forEach((body, i) => {
        if (body.channel === null) return;
        const at = (k: number): number => channels[body.channel! + k][frame];
        setPose(this.pose[i], [at(0), at(1), at(2), at(3), at(4), at(5), at(6)]);
      });
    }
    const p = palette();
    const modes = this.options.modes ? bodyModes(this.run, frame) : null;
    const [colour, world] = [new Color(), new Matrix4()];
    const colourOf = (b: number, into: Color): void => {
      const fixed = file.bodies[b].channel === null;
      into.set(fixed ? p.drawing.ground : modes ? p[modes.get(b) ?? "open"] : p.series[b % p.series.length]);
      // Neighbours of one colour differ a little, so that they can be told apart.
      if (!fixed) into.multiplyScalar(0.75 + 0.25 * ((b * 0.618) % 1));
    };
    this.merged?.update(this.pose, colourOf);
    for (const { mesh, body, local } of this.batches) {
      body.forEach((b, k) => {
        mesh.setMatrixAt(k, world.multiplyMatrices(this.pose[b], local[k]));
        colourOf(b, colour);
        mesh.setColorAt(k, colour);
      });
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    this.showContacts(frame);
    if (this.options.follow) this.follow();
    this.draw();
  }

  private showContacts(frame: number): void {
    const contacts = this.options.forces || this.options.cones ? this.run.contactsAt(frame) : [];
    const p = palette();
    const up = new Vector3(0, 1, 0);
    const [turn, world, colour, rim] = [new Quaternion(), new Matrix4(), new Color(), new Color(p.panel)];
    const reach = this.reach || 0.1 * this.extent;
    const unit = (1.6 * reach * this.options.arrows) / this.force.value;
    const thick = 0.05 * reach;
    let cones = 0;
    this.arrows.begin();
    for (const c of contacts.slice(0, this.arrows.room)) {
      colour.set(this.options.modes ? p[doing(this.run.file.modes[c.mode])] : p.ink);
      const at = new Vector3(...c.position);
      const force = new Vector3(...c.force).multiplyScalar(unit);
      const length = Math.min(force.length(), LONGEST * this.extent);
      force.setLength(length || 1e-300);
      if (this.options.forces && length > 1e-4 * this.extent) {
        this.arrows.add(at, force, thick, Math.min(0.4 * length, 5 * thick), colour, rim);
      }
      if (this.options.cones && c.mu > 0) {
        const height = 0.8 * reach;
        turn.setFromUnitVectors(up, new Vector3(...c.normal).normalize());
        world.compose(at, turn, new Vector3(c.mu * height, height, c.mu * height));
        this.coneMesh.setMatrixAt(cones, world);
        this.coneMesh.setColorAt(cones, colour);
        cones++;
      }
    }
    this.arrows.finish();
    this.coneMesh.count = cones;
    this.coneMesh.instanceMatrix.needsUpdate = true;
    if (this.coneMesh.instanceColor) this.coneMesh.instanceColor.needsUpdate = true;
  }

  /** Keeps the mean of the free bodies where it is on the screen. */
  private follow(): void {
    const free = this.run.file.bodies.flatMap((b, i) => (b.free ? [i] : []));
    if (!free.length) return;
    const mean = new Vector3();
    for (const i of free) mean.add(new Vector3().setFromMatrixPosition(this.pose[i]));
    mean.divideScalar(free.length);
    if (this.followed.lengthSq() > 0) {
      const way = mean.clone().sub(this.followed);
      this.camera.position.add(way);
      this.controls.target.add(way);
    }
    this.followed.copy(mean);
  }

  private draw(): void {
    if (!this.options.follow) this.followed.set(0, 0, 0);
    this.renderer.render(this.scene, this.camera);
  }

  placeOf(body: number): [number, number] | null {
    const at = new Vector3().setFromMatrixPosition(this.pose[body]).project(this.camera);
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    return [((at.x + 1) / 2) * w, ((1 - at.y) / 2) * h];
  }

  /** A body is dragged in the plane through the point that was hit, parallel to the screen. */
  private addDragging(): void {
    const ray = new Raycaster();
    const plane = new Plane();
    let held: { body: number; local: Vector3; id: number } | null = null;
    const aim = (e: PointerEvent): void => {
      const box = this.canvas.getBoundingClientRect();
      const at = new Vector2(((e.clientX - box.left) / box.width) * 2 - 1, 1 - ((e.clientY - box.top) / box.height) * 2);
      ray.setFromCamera(at, this.camera);
    };
    this.canvas.addEventListener("pointerdown", (e) => {
      if (!this.onDrag || e.button !== 0) return;
      aim(e);
      const hits = this.batches.flatMap((b) => ray.intersectObject(b.mesh).map((h) => ({ ...h, body: b.body[h.instanceId ?? 0] })));
      const merged = this.merged;
      if (merged) hits.push(...ray.intersectObject(merged.mesh).map((h) => ({ ...h, body: merged.bodyOf(h.faceIndex ?? 0) })));
      const hit = hits.filter((h) => this.run.file.bodies[h.body].free).sort((a, b) => a.distance - b.distance)[0];
      if (!hit) return;
      this.controls.enabled = false;
      plane.setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), hit.point);
      held = { body: hit.body, local: hit.point.clone().applyMatrix4(this.pose[hit.body].clone().invert()), id: e.pointerId };
      this.canvas.setPointerCapture(e.pointerId);
    }, true);
    this.canvas.addEventListener("pointermove", (e) => {
      if (!held || e.pointerId !== held.id) return;
      aim(e);
      const target = ray.ray.intersectPlane(plane, new Vector3());
      if (target) this.onDrag?.({ body: held.body, point: held.local.toArray(), target: target.toArray() });
    });
    const end = (e: PointerEvent): void => {
      if (!held || e.pointerId !== held.id) return;
      held = null;
      this.controls.enabled = true;
      this.onDrag?.(null);
    };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
  }
}

function matrix(pose: Pose): Matrix4 {
  return setPose(new Matrix4(), pose);
}

const [P, Q, ONE] = [new Vector3(), new Quaternion(), new Vector3(1, 1, 1)];

function setPose(into: Matrix4, [x, y, z, w, a, b, c]: Pose): Matrix4 {
  return into.compose(P.set(x, y, z), Q.set(a, b, c, w).normalize(), ONE);
}

/** How far a shape reaches from its origin; a half-space does not count. */
function radius(shape: Shape): number {
  if (shape === "half_space") return 0;
  if ("sphere" in shape) return shape.sphere;
  if ("box" in shape) return Math.hypot(...shape.box);
  if ("ellipsoid" in shape) return Math.max(...shape.ellipsoid);
  if ("capsule" in shape) return shape.capsule[0] + shape.capsule[1];
  if ("cylinder" in shape) return Math.hypot(...shape.cylinder);
  if ("cone" in shape) return Math.hypot(...shape.cone);
  if ("mesh" in shape) return shape.mesh.vertices.reduce((m, v) => Math.max(m, Math.hypot(...v)), 0);
  return 0;
}

/** An icosahedron of twelve corners, lit as a sphere. */
function coarseSphere(r: number): BufferGeometry {
  const made = new IcosahedronGeometry(r).deleteAttribute("normal").deleteAttribute("uv");
  const merged = mergeVertices(made);
  merged.computeVertexNormals();
  return merged;
}

function geometry(shape: Shape, coarse: boolean): BufferGeometry {
  const n = coarse ? 6 : 32;
  if (shape === "half_space") return new BufferGeometry();
  if ("sphere" in shape) return coarse ? coarseSphere(shape.sphere) : new SphereGeometry(shape.sphere, n, n / 2);
  if ("box" in shape) return new BoxGeometry(...(shape.box.map((h) => 2 * h) as [number, number, number]));
  if ("ellipsoid" in shape) return (coarse ? coarseSphere(1) : new SphereGeometry(1, n, n / 2)).scale(...shape.ellipsoid);
  // These of three.js stand along y; the axes here are along z.
  if ("capsule" in shape) return new CapsuleGeometry(shape.capsule[0], 2 * shape.capsule[1], n / 4, n).rotateX(Math.PI / 2);
  if ("cylinder" in shape) return new CylinderGeometry(shape.cylinder[0], shape.cylinder[0], 2 * shape.cylinder[1], n).rotateX(Math.PI / 2);
  if ("cone" in shape) return new ConeGeometry(shape.cone[0], 2 * shape.cone[1], n).rotateX(Math.PI / 2);
  if ("mesh" in shape) {
    const made = new BufferGeometry();
    const { vertices, triangles } = shape.mesh;
    const flat = triangles.flatMap((t) => t.flatMap((v) => vertices[v]));
    made.setAttribute("position", new BufferAttribute(new Float32Array(flat), 3));
    made.computeVertexNormals();
    return made;
  }
  return new BufferGeometry();
}

