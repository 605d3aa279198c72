// Mechanisms in the plane: bodies with their shapes, or what the scene draws. x to the right, y up, on a canvas.

import type { Drawn, Run, Shape } from "./data";
import { doing, drawingColour, palette, type Doing } from "./theme";
import { bodyModes, ForceScale, type Drag, type View, type ViewOptions } from "./view";

type Point = [number, number];

export class PlaneView implements View {
  readonly canvas = document.createElement("canvas");
  onDrag: ((drag: Drag | null) => void) | null = null;
  private context: CanvasRenderingContext2D;
  private centre: Point = [0, 0];
  private extent: Point = [1, 1];
  private zoom = 1;
  private shift: Point = [0, 0];
  private frame = 0;
  private force: ForceScale;

  constructor(private run: Run, host: HTMLElement, public options: ViewOptions) {
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("this browser has no canvas to draw on");
    this.context = context;
    host.append(this.canvas);
    this.force = new ForceScale(run);
    this.measure();
    this.addPointer();
  }

  /** The box of all that moves, over the run; of what stands still where nothing moves. */
  private measure(): void {
    const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
    const add = (x: number, y: number, r: number): void => {
      if (!Number.isFinite(x + y + r)) return;
      box[0] = Math.min(box[0], x - r);
      box[1] = Math.min(box[1], y - r);
      box[2] = Math.max(box[2], x + r);
      box[3] = Math.max(box[3], y + r);
    };
    const { file, frames } = this.run;
    const step = Math.max(1, Math.floor(frames / 300));
    const moving = file.drawing.filter((d) => d.numbers.some((n) => "channel" in n));
    for (let f = 0; f < Math.max(1, frames); f += step) {
      for (const d of moving.length ? moving : file.drawing) {
        for (const [x, y] of outline(d, this.numbers(d, f))) add(x, y, 0);
      }
      file.bodies.forEach((b) => {
        const reach = Math.max(0, ...b.parts.map(([p, s]) => Math.hypot(p[0], p[1]) + planarRadius(s)));
        if (b.channel !== null) add(this.at(b.channel, f, b.pose[0]), this.at(b.channel + 1, f, b.pose[1]), reach);
      });
    }
    if (!Number.isFinite(box[0])) return;
    this.centre = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
    // A run that has just begun leaves room for what is to come.
    const room = frames < 30 ? 2.5 : 1;
    this.extent = [room * Math.max(1e-9, box[2] - box[0]), room * Math.max(1e-9, box[3] - box[1])];
  }

  private at(channel: number, frame: number, otherwise: number): number {
    return this.run.frames ? this.run.channels[channel][frame] : otherwise;
  }

  private numbers(d: Drawn, frame: number): number[] {
    return d.numbers.map((n) => ("constant" in n ? n.constant : this.at(n.channel, frame, 0)));
  }

  private scale(): number {
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    return 0.86 * this.zoom * Math.min(w / this.extent[0], h / this.extent[1]);
  }

  private toScreen([x, y]: Point): Point {
    const s = this.scale();
    return [
      this.canvas.clientWidth / 2 + s * (x - this.centre[0]) + this.shift[0],
      this.canvas.clientHeight / 2 - s * (y - this.centre[1]) + this.shift[1],
    ];
  }

  private toWorld([x, y]: Point): Point {
    const s = this.scale();
    return [
      this.centre[0] + (x - this.canvas.clientWidth / 2 - this.shift[0]) / s,
      this.centre[1] - (y - this.canvas.clientHeight / 2 - this.shift[1]) / s,
    ];
  }

  home(): void {
    this.zoom = 1;
    this.shift = [0, 0];
    this.measure();
    this.show(this.frame);
  }

  move(right: number, up: number): void {
    this.shift = [this.shift[0] - 40 * right, this.shift[1] + 40 * up];
    this.show(this.frame);
  }

  zoomBy(factor: number): void {
    this.zoomAt([this.canvas.clientWidth / 2, this.canvas.clientHeight / 2], factor);
  }

  private zoomAt([x, y]: Point, by: number): void {
    const before = this.toWorld([x, y]);
    this.zoom = Math.min(1000, Math.max(0.05, this.zoom * by));
    const after = this.toScreen(before);
    this.shift = [this.shift[0] + x - after[0], this.shift[1] + y - after[1]];
    this.show(this.frame);
  }

  resize(): void {
    const host = this.canvas.parentElement;
    if (!host) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round(host.clientWidth * ratio);
    this.canvas.height = Math.round(host.clientHeight * ratio);
    this.canvas.style.width = `${host.clientWidth}px`;
    this.canvas.style.height = `${host.clientHeight}px`;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.show(this.frame);
  }

  restyle(): void {
    this.show(this.frame);
  }

  rebuild(): void {
    this.show(this.frame);
  }

  placeOf(body: number): [number, number] | null {
    const b = this.run.file.bodies[body];
    if (b) return this.toScreen(b.channel === null ? [b.pose[0], b.pose[1]] : [this.at(b.channel, this.frame, 0), this.at(b.channel + 1, this.frame, 0)]);
    const d = this.run.file.drawing[body];
    if (!d) return null;
    const points = outline(d, this.numbers(d, this.frame));
    const mean = points.reduce<Point>((m, p) => [m[0] + p[0] / points.length, m[1] + p[1] / points.length], [0, 0]);
    return this.toScreen(mean);
  }

  show(frame: number): void {
    this.frame = frame;
    const c = this.context;
    const p = palette();
    if (this.options.follow || this.hasLeft()) this.centreOnMotion();
    c.fillStyle = p.paper;
    c.fillRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    // Without WebGL: bodies in space have no picture here.
    if (this.run.file.bodies.length && !this.run.file.in_plane && !this.run.file.drawing.length) return;
    c.lineJoin = c.lineCap = "round";
    const modes = bodyModes(this.run, frame);
    this.run.file.bodies.forEach((_, i) => this.drawBody(i, modes.get(i)));
    for (const d of this.run.file.drawing) if (d.kind !== "contact") this.drawPart(d);
    for (const d of this.run.file.drawing) if (d.kind === "contact") this.drawContact(d);
    for (const k of this.run.contactsAt(frame)) {
      const [n, f] = [k.normal, k.force];
      this.drawForce([k.position[0], k.position[1]], [n[0], n[1]], [f[0], f[1]], k.mu, doing(this.run.file.modes[k.mode]));
    }
  }

  /** Whether a live run, whose way nobody knows beforehand, has left the picture. */
  private hasLeft(): boolean {
    if (this.run.file.frames > 0 || !this.run.frames) return false;
    const moving = this.run.file.drawing.findIndex((d) => d.numbers.some((n) => "channel" in n));
    const at = this.placeOf(this.run.file.bodies.length ? this.run.file.bodies.findIndex((b) => b.free) : moving);
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    return at !== null && (at[0] < 0.05 * w || at[0] > 0.95 * w || at[1] < 0.05 * h || at[1] > 0.9 * h);
  }

  /** Keeps what moves in the middle. */
  private centreOnMotion(): void {
    const points: Point[] = [];
    for (const b of this.run.file.bodies) if (b.free && b.channel !== null) points.push([this.at(b.channel, this.frame, 0), this.at(b.channel + 1, this.frame, 0)]);
    for (const d of this.run.file.drawing) {
      if (d.numbers.some((n) => "channel" in n)) points.push(...outline(d, this.numbers(d, this.frame)));
    }
    if (!points.length) return;
    this.shift = [0, 0];
    this.centre = points.reduce<Point>((m, q) => [m[0] + q[0] / points.length, m[1] + q[1] / points.length], [0, 0]);
  }

  private path(points: Point[], closed: boolean): void {
    const c = this.context;
    c.beginPath();
    points.forEach((q, i) => {
      const [x, y] = this.toScreen(q);
      if (i) c.lineTo(x, y);
      else c.moveTo(x, y);
    });
    if (closed) c.closePath();
  }

  private ink(colour: string, fill: boolean, alpha = 0.85): void {
    const c = this.context;
    if (fill) {
      c.fillStyle = colour;
      c.globalAlpha = alpha;
      c.fill();
      c.globalAlpha = 1;
    }
    c.strokeStyle = fill ? palette().ink : colour;
    c.lineWidth = fill ? 1 : 2;
    c.stroke();
  }

  private drawBody(i: number, mode: Doing | undefined): void {
    const body = this.run.file.bodies[i];
    const p = palette();
    const moving = body.channel !== null;
    const [x, y, angle] = moving
      ? [this.at(body.channel!, this.frame, body.pose[0]), this.at(body.channel! + 1, this.frame, body.pose[1]), this.at(body.channel! + 2, this.frame, turnOf(body.pose))]
      : [body.pose[0], body.pose[1], turnOf(body.pose)];
    const colour = !moving ? p.drawing.ground : this.options.modes ? p[mode ?? "open"] : p.series[i % p.series.length];
    for (const [pose, shape] of body.parts) {
      const place = (q: Point): Point => turned([x, y], angle, turned([pose[0], pose[1]], turnOf(pose), q));
      if (shape === "half_space") {
        // Turned so that its normal, z of its axes, lies in the plane.
        this.drawHalfPlane([x, y], angle, pose, colour);
      } else if ("polygon" in shape) {
        const round = rounded(shape.polygon.points, shape.polygon.radius);
        this.path(round.map(place), true);
        this.ink(colour, true, moving ? 0.55 : 0.85);
        if (shape.polygon.points.length === 1) this.spoke(place(shape.polygon.points[0]), place([shape.polygon.points[0][0] + shape.polygon.radius, shape.polygon.points[0][1]]));
      } else if ("chain" in shape) {
        this.path(shape.chain.map(place), false);
        this.ink(colour, false);
      }
    }
  }

  private drawHalfPlane(at: Point, angle: number, pose: number[], colour: string): void {
    const [w, a, b, c] = pose.slice(3);
    const normal: Point = [2 * (a * c + w * b), 2 * (b * c - w * a)];
    const n = turned([0, 0], angle, normal);
    const size = Math.hypot(...n) || 1;
    const [nx, ny] = [n[0] / size, n[1] / size];
    const origin = turned(at, angle, [pose[0], pose[1]]);
    const far = 20 * Math.max(...this.extent);
    const along = (s: number, depth: number): Point => [origin[0] - ny * s - nx * depth, origin[1] + nx * s - ny * depth];
    this.path([along(-far, 0), along(far, 0), along(far, far), along(-far, far)], true);
    this.ink(colour, true);
  }

  private spoke(from: Point, to: Point): void {
    this.path([from, to], false);
    this.context.strokeStyle = palette().ink;
    this.context.lineWidth = 1;
    this.context.stroke();
  }

  private drawPart(d: Drawn): void {
    const numbers = this.numbers(d, this.frame);
    this.path(outline(d, numbers), d.kind !== "line" && d.kind !== "spring" ? true : d.closed);
    this.ink(drawingColour(d.colour), d.fill);
    if (d.kind === "ellipse" && numbers.length > 4 && numbers[2] === numbers[3]) {
      this.spoke([numbers[0], numbers[1]], turned([numbers[0], numbers[1]], numbers[4], [numbers[2], 0]));
    }
  }

  private drawContact(d: Drawn): void {
    if (!d.contact || !this.run.frames) return;
    const [x, y, nx, ny, tx, ty] = this.numbers(d, this.frame);
    const [first, mu] = d.contact;
    const value = (k: number): number => this.run.channels[first + k][this.frame];
    const mode = doing(this.run.file.modes[Math.round(value(3))]);
    const unit = ([a, b]: Point): Point => {
      const size = Math.hypot(a, b) || 1;
      return [a / size, b / size];
    };
    const [n, t] = [unit([nx, ny]), unit([tx, ty])];
    const [normal, friction] = [value(1) || 0, value(2) || 0];
    this.drawForce([x, y], n, [normal * n[0] + friction * t[0], normal * n[1] + friction * t[1]], mu, mode);
    const c = this.context;
    const [sx, sy] = this.toScreen([x, y]);
    c.beginPath();
    c.arc(sx, sy, mode === "open" ? 3 : 5, 0, 2 * Math.PI);
    c.fillStyle = this.options.modes ? palette()[mode] : palette().ink;
    c.fill();
  }

  private drawForce(at: Point, normal: Point, force: Point, mu: number, mode: Doing): void {
    const c = this.context;
    const colour = this.options.modes ? palette()[mode] : palette().ink;
    const [x, y] = this.toScreen(at);
    const size = Math.hypot(...force);
    const reach = 0.16 * Math.min(this.canvas.clientWidth, this.canvas.clientHeight);
    if (this.options.cones && mu > 0 && mode !== "open") {
      const h = 0.6 * reach;
      const n = Math.hypot(...normal) || 1;
      const [nx, ny] = [normal[0] / n, -normal[1] / n];
      c.beginPath();
      c.moveTo(x + h * (nx - mu * ny), y + h * (ny + mu * nx));
      c.lineTo(x, y);
      c.lineTo(x + h * (nx + mu * ny), y + h * (ny - mu * nx));
      c.fillStyle = c.strokeStyle = colour;
      c.globalAlpha = 0.2;
      c.fill();
      c.globalAlpha = 0.7;
      c.lineWidth = 1;
      c.stroke();
      c.globalAlpha = 1;
    }
    if (!this.options.forces || !(size > 0)) return;
    const length = Math.min(2.5 * reach, (reach * this.options.arrows * size) / this.force.value);
    if (length < 1) return;
    const [ux, uy] = [force[0] / size, -force[1] / size];
    const head = Math.min(9, 0.5 * length);
    c.strokeStyle = c.fillStyle = colour;
    c.lineWidth = 2.5;
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x + ux * (length - head), y + uy * (length - head));
    c.stroke();
    c.beginPath();
    c.moveTo(x + ux * length, y + uy * length);
    c.lineTo(x + ux * (length - head) - uy * 0.5 * head, y + uy * (length - head) + ux * 0.5 * head);
    c.lineTo(x + ux * (length - head) + uy * 0.5 * head, y + uy * (length - head) - ux * 0.5 * head);
    c.fill();
  }

  /** Drag to move the picture, wheel or pinch to zoom; in live runs a body or part is dragged. */
  private addPointer(): void {
    const fingers = new Map<number, Point>();
    let held: { body: number; point: Point; id: number } | null = null;
    const local = (e: PointerEvent | WheelEvent): Point => {
      const box = this.canvas.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    this.canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.zoomAt(local(e), Math.exp(-0.0015 * e.deltaY));
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (e) => {
      this.canvas.setPointerCapture(e.pointerId);
      const at = local(e);
      const hit = this.onDrag ? this.nearest(at) : null;
      if (hit !== null) held = { body: hit.body, point: hit.point, id: e.pointerId };
      else fingers.set(e.pointerId, at);
    });
    this.canvas.addEventListener("pointermove", (e) => {
      const at = local(e);
      if (held?.id === e.pointerId) {
        const target = this.toWorld(at);
        this.onDrag?.({ body: held.body, point: [held.point[0], held.point[1], 0], target: [target[0], target[1], 0] });
        return;
      }
      const old = fingers.get(e.pointerId);
      if (!old) return;
      const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1];
      fingers.set(e.pointerId, at);
      if (other) {
        const gap = (q: Point): number => Math.hypot(q[0] - other[0], q[1] - other[1]);
        this.zoomAt([(at[0] + other[0]) / 2, (at[1] + other[1]) / 2], gap(at) / Math.max(1, gap(old)));
      } else {
        this.shift = [this.shift[0] + at[0] - old[0], this.shift[1] + at[1] - old[1]];
        this.show(this.frame);
      }
    });
    const end = (e: PointerEvent): void => {
      fingers.delete(e.pointerId);
      if (held?.id === e.pointerId) {
        held = null;
        this.onDrag?.(null);
      }
    };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
  }

  /** The free body or moving part nearest to a point of the screen, and the point in its axes. */
  private nearest(at: Point): { body: number; point: Point } | null {
    const world = this.toWorld(at);
    let best: { body: number; point: Point; d: number } | null = null;
    const consider = (body: number, point: Point, d: number): void => {
      if (!best || d < best.d) best = { body, point, d };
    };
    this.run.file.bodies.forEach((b, i) => {
      if (!b.free || b.channel === null) return;
      const centre: Point = [this.at(b.channel, this.frame, 0), this.at(b.channel + 1, this.frame, 0)];
      const reach = Math.max(0.02 * Math.max(...this.extent), ...b.parts.map(([p, s]) => Math.hypot(p[0], p[1]) + planarRadius(s)));
      const d = Math.hypot(world[0] - centre[0], world[1] - centre[1]);
      const angle = this.at(b.channel + 2, this.frame, 0);
      if (d < reach) consider(i, turned([0, 0], -angle, [world[0] - centre[0], world[1] - centre[1]]), d);
    });
    this.run.file.drawing.forEach((d, i) => {
      if (d.kind === "contact" || !d.numbers.some((n) => "channel" in n)) return;
      const points = outline(d, this.numbers(d, this.frame));
      const near = Math.min(...points.map(([x, y]) => Math.hypot(x - world[0], y - world[1])));
      if (inside(points, world)) consider(i, [0, 0], 0);
      else if (near < 0.03 * Math.max(...this.extent)) consider(i, [0, 0], near);
    });
    return best;
  }
}

function turnOf(pose: number[]): number {
  return 2 * Math.atan2(pose[6], pose[3]);
}

function turned([x, y]: Point, angle: number, [a, b]: Point): Point {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [x + c * a - s * b, y + s * a + c * b];
}

/** Whether a point is inside of an outline. */
function inside(points: Point[], [x, y]: Point): boolean {
  let odd = false;
  points.forEach(([a, b], i) => {
    const [c, d] = points[(i + 1) % points.length];
    if (b > y !== d > y && x < a + ((y - b) / (d - b)) * (c - a)) odd = !odd;
  });
  return odd;
}

function planarRadius(shape: Shape): number {
  if (shape === "half_space") return 0;
  if ("polygon" in shape) return shape.polygon.radius + Math.max(...shape.polygon.points.map((q) => Math.hypot(...q)));
  return 0;
}

/** All points within the radius of a convex polygon, as its outline. */
export function rounded(points: Point[], radius: number): Point[] {
  if (!(radius > 0)) return points;
  const n = points.length;
  const out: Point[] = [];
  points.forEach((q, i) => {
    const [a, b] = [points[(i + n - 1) % n], points[(i + 1) % n]];
    const leave = (u: Point, v: Point): number => Math.atan2(v[1] - u[1], v[0] - u[0]) - Math.PI / 2;
    const from = n === 1 ? 0 : leave(a, q);
    let to = n === 1 ? 2 * Math.PI : leave(q, b);
    while (to < from - 1e-12) to += 2 * Math.PI;
    const steps = Math.max(2, Math.ceil((to - from) / 0.06));
    for (let k = 0; k <= steps; k++) {
      const angle = from + ((to - from) * k) / steps;
      out.push([q[0] + radius * Math.cos(angle), q[1] + radius * Math.sin(angle)]);
    }
  });
  return out;
}

/** The points of a part of a drawing. */
export function outline(d: Drawn, numbers: number[]): Point[] {
  const [x, y, a, b, angle] = numbers;
  switch (d.kind) {
    case "line": {
      const points: Point[] = [];
      for (let i = 0; i + 1 < numbers.length; i += 2) points.push([numbers[i], numbers[i + 1]]);
      return d.smooth ? spline(points, d.closed) : points;
    }
    case "ellipse":
      return Array.from({ length: 96 }, (_, i) => {
        const u = (2 * Math.PI * i) / 96;
        return turned([x, y], angle ?? 0, [a * Math.cos(u), b * Math.sin(u)]);
      });
    case "rectangle": {
      const corners: Point[] = [[-a / 2, -b / 2], [a / 2, -b / 2], [a / 2, b / 2], [-a / 2, b / 2]];
      return corners.map((q) => turned([x, y], angle ?? 0, q));
    }
    case "spring": {
      const length = Math.hypot(a - x, b - y);
      const turn = Math.atan2(b - y, a - x);
      const coils = Math.max(1, Math.min(60, Math.round(angle)));
      const width = numbers[5] ?? length / 5;
      const points: Point[] = [[0, 0]];
      for (let i = 0; i < 2 * coils; i++) points.push([(length * (i + 0.5)) / (2 * coils), (i % 2 ? -0.5 : 0.5) * width]);
      points.push([length, 0]);
      return points.map((q) => turned([x, y], turn, q));
    }
    case "contact":
      return [[x, y]];
  }
}

/** A smooth line through points (Catmull and Rom). */
function spline(points: Point[], closed: boolean): Point[] {
  const n = points.length;
  const at = (i: number): Point => (closed ? points[(i + n) % n] : points[Math.min(n - 1, Math.max(0, i))]);
  const out: Point[] = [];
  for (let i = 0; i < (closed ? n : n - 1); i++) {
    const [p, q, r, s] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
    for (let k = 0; k < 8; k++) {
      const u = k / 8;
      const mix = (j: 0 | 1): number =>
        0.5 * (2 * q[j] + (r[j] - p[j]) * u + (2 * p[j] - 5 * q[j] + 4 * r[j] - s[j]) * u * u + (3 * q[j] - p[j] - 3 * r[j] + s[j]) * u ** 3);
      out.push([mix(0), mix(1)]);
    }
  }
  if (!closed) out.push(points[n - 1]);
  return out;
}
