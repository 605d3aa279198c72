// A run as the Rust side writes it (`replay.json`), and its numbers unpacked.

export type Group =
  | "position" | "rotation" | "coordinate" | "velocity" | "gap" | "normal_force" | "friction"
  | "mode" | "energy" | "certificate" | "drawing" | "plot" | "derived";

export interface Row { base: number; step: number; missing?: [number, number][] }
export interface Channel { name: string; unit: string; group: Group; row: Row }
export type Pose = [number, number, number, number, number, number, number];
export type Shape =
  | "half_space"
  | { sphere: number }
  | { box: [number, number, number] }
  | { ellipsoid: [number, number, number] }
  | { capsule: [number, number] }
  | { cylinder: [number, number] }
  | { cone: [number, number] }
  | { mesh: { vertices: [number, number, number][]; triangles: [number, number, number][] } }
  | { polygon: { points: [number, number][]; radius: number } }
  | { chain: [number, number][] };
export interface Body { name: string; pose: Pose; channel: number | null; free: boolean; parts: [Pose, Shape][] }
export type DrawnValue = { constant: number } | { channel: number };
export interface Drawn {
  kind: "line" | "ellipse" | "rectangle" | "spring" | "contact";
  numbers: DrawnValue[];
  colour: string;
  fill: boolean;
  closed: boolean;
  smooth: boolean;
  contact: [number, number] | null;
}
export interface RunEvent { t: number; contact: string; event: string; impulse: [number, number]; energy: number }
export interface ReplayFile {
  version: number;
  scene: string;
  title: string;
  description: string;
  in_plane: boolean;
  parameters: [string, number][];
  parameter_units?: string[];
  frames: number;
  samples: number;
  stride: number;
  times: string;
  channels: Channel[];
  data: string;
  bodies: Body[];
  drawing: Drawn[];
  modes: string[];
  contacts: { every: number; count: number; data: string };
  plots: { title: string; channels: [number, number] }[];
  events: RunEvent[];
  event_count: number;
}
/** What stands in the page: a run, and what its summary says; or where to look for a live one. */
export interface PageData {
  replay: ReplayFile;
  summary: Record<string, unknown> | null;
  live?: boolean;
}

export interface Contact {
  bodies: [number, number];
  mode: number;
  struck: boolean;
  position: [number, number, number];
  normal: [number, number, number];
  force: [number, number, number];
  mu: number;
}

/** The frames of a run: numbers by channel, and contacts. */
export class Run {
  t: Float64Array;
  channels: Float32Array[];
  frames: number;
  private contactStart: Uint32Array = new Uint32Array(1);
  private contacts: Contact[] = [];
  private liveContacts: Contact[][] = [];
  /** Channels that follow from the others, and how. */
  private derived: { channel: number; value: (frame: number) => number }[] = [];

  constructor(readonly file: ReplayFile, room = 0) {
    this.frames = file.frames;
    const n = Math.max(file.frames, room);
    this.t = new Float64Array(n);
    this.channels = file.channels.map(() => new Float32Array(n));
  }

  /** Unpacks all that the file holds. */
  static async read(file: ReplayFile): Promise<Run> {
    const run = new Run(file);
    const times = await inflate(file.times);
    run.t = new Float64Array(times.buffer, times.byteOffset, file.frames).slice();
    unpack(await inflate(file.data), file, run.channels);
    run.readContacts(await inflate(file.contacts.data));
    return run;
  }

  private readContacts(bytes: Uint8Array): void {
    const n = this.file.contacts.count;
    const words = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 12 * n));
    const scratch = new DataView(new ArrayBuffer(4));
    const float = (k: number, i: number): number => {
      for (let b = 0; b < 4; b++) scratch.setUint8(b, bytes[13 * n + (4 * k + b) * n + i]);
      return scratch.getFloat32(0, true);
    };
    const three = (k: number, i: number): [number, number, number] => [float(k, i), float(k + 1, i), float(k + 2, i)];
    this.contactStart = new Uint32Array(this.frames + 1);
    let frame = 0;
    const counts = new Uint32Array(this.frames + 1);
    for (let i = 0; i < n; i++) {
      frame += words[i];
      counts[Math.min(frame, this.frames)]++;
      const mode = bytes[12 * n + i];
      this.contacts.push(this.onMoving({
        bodies: [words[n + i], words[2 * n + i]],
        mode: mode & 127,
        struck: mode > 127,
        position: three(0, i),
        normal: three(3, i),
        force: three(6, i),
        mu: float(9, i),
      }));
    }
    for (let f = 0, sum = 0; f <= this.frames; f++) {
      this.contactStart[f] = sum;
      sum += counts[f];
    }
  }

  /** A contact as it acts on a body that moves: the other side of it where the first body stands still. */
  private onMoving(c: Contact): Contact {
    const moves = (b: number): boolean => (this.file.bodies[b]?.channel ?? null) !== null;
    if (moves(c.bodies[0]) || !moves(c.bodies[1])) return c;
    const back = (v: [number, number, number]): [number, number, number] => [-v[0], -v[1], -v[2]];
    return { ...c, bodies: [c.bodies[1], c.bodies[0]], normal: back(c.normal), force: back(c.force) };
  }

  /** The contacts of a frame, or of the last one before it that has them. */
  contactsAt(frame: number): Contact[] {
    if (this.liveContacts.length) return this.liveContacts[frame] ?? [];
    const every = this.file.contacts.every || 1;
    const f = Math.floor(frame / every) * every;
    if (this.contactStart.length < 2) return [];
    return this.contacts.slice(this.contactStart[f], this.contactStart[f + 1]);
  }

  /** Adds a frame of a live run, or puts it in the place of the last where that has its time; the oldest half is dropped when there is no room. */
  append(t: number, values: number[], contacts: Contact[]): void {
    if (this.frames && this.t[this.frames - 1] === t) {
      this.frames--;
      this.liveContacts.pop();
    }
    if (this.frames >= this.t.length) {
      const half = this.frames >> 1;
      this.t.copyWithin(0, half);
      this.channels.forEach((c) => c.copyWithin(0, half));
      this.liveContacts.splice(0, half);
      this.frames -= half;
    }
    this.t[this.frames] = t;
    values.forEach((v, c) => (this.channels[c][this.frames] = v));
    this.liveContacts.push(contacts.map((c) => this.onMoving(c)));
    for (const { channel, value } of this.derived) this.channels[channel][this.frames] = value(this.frames);
    this.frames++;
  }

  clear(): void {
    this.frames = 0;
    this.liveContacts = [];
  }

  /** The last frame that is not after a time. */
  frameAt(t: number): number {
    let [low, high] = [0, this.frames];
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.t[mid] <= t) low = mid + 1;
      else high = mid;
    }
    return Math.max(0, low - 1);
  }

  /** Adds a channel that follows from the others. */
  derive(name: string, unit: string, group: Group, value: (frame: number) => number): number {
    const made = new Float32Array(this.t.length);
    for (let f = 0; f < this.frames; f++) made[f] = value(f);
    this.file.channels.push({ name, unit, group, row: { base: 0, step: 1 } });
    const channel = this.channels.push(made) - 1;
    this.derived.push({ channel, value });
    return channel;
  }

  get start(): number {
    return this.frames ? this.t[0] : 0;
  }

  get end(): number {
    return this.frames ? this.t[this.frames - 1] : 0;
  }

  of(group: Group): number[] {
    return this.file.channels.flatMap((c, i) => (c.group === group ? [i] : []));
  }

  /** The least and the largest finite number of a channel. */
  range(channel: number, from = 0, to = this.frames): [number, number] {
    const values = this.channels[channel];
    let [low, high] = [Infinity, -Infinity];
    for (let i = from; i < to; i++) {
      const v = values[i];
      if (v < low) low = v;
      if (v > high) high = v;
    }
    return [low, high];
  }
}

async function inflate(text: string): Promise<Uint8Array> {
  if (!("DecompressionStream" in window)) {
    throw new Error(
      "this browser cannot unpack the run: it has no DecompressionStream (Chrome 80, Firefox 113, Safari 16.4 have it)",
    );
  }
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Second differences in zigzag and seven bits a byte, channel after channel. */
function unpack(bytes: Uint8Array, file: ReplayFile, into: Float32Array[]): void {
  let at = 0;
  file.channels.forEach((channel, c) => {
    const values = into[c];
    let [last, rate] = [0, 0];
    for (let i = 0; i < file.frames; i++) {
      let [value, scale] = [0, 1];
      for (;;) {
        const byte = bytes[at++];
        if (byte === undefined) throw new Error("the numbers of the run end too early");
        value += (byte & 127) * scale;
        if (byte < 128) break;
        scale *= 128;
      }
      rate += value % 2 ? -(value + 1) / 2 : value / 2;
      last += rate;
      const { base, step } = channel.row;
      const number = base + step * last;
      // Numbers are rounded to steps from the first one on: what is within half a step of zero is zero.
      values[i] = last && Math.abs(number) <= step / 2 ? 0 : number;
    }
    for (const [first, count] of channel.row.missing ?? []) values.fill(NaN, first, first + count);
  });
}

/** A number with so many digits, as a reader would write it. */
export function digits(x: number, n = 4): string {
  if (!Number.isFinite(x)) return "–";
  const short = String(Number(x.toPrecision(n)));
  return Math.abs(x) >= 1e6 ? Number(x.toPrecision(n)).toExponential().replace("e+", "e") : short;
}
