// What both views, of space and of the plane, have in common.

import type { Run } from "./data";
import { doing, type Doing } from "./theme";

export interface ViewOptions {
  forces: boolean;
  cones: boolean;
  modes: boolean;
  follow: boolean;
  /** Times the usual length of arrows. */
  arrows: number;
}

/** Where a body was taken hold of, and where the pointer is, in world coordinates. */
export interface Drag {
  body: number;
  point: [number, number, number];
  target: [number, number, number];
}

export interface View {
  readonly canvas: HTMLCanvasElement;
  options: ViewOptions;
  /** Shows a frame, of a replay that is playing or of one that stands. */
  show(frame: number, playing?: boolean): void;
  resize(): void;
  restyle(): void;
  /** Draws bodies and drawing anew, which a parameter of a live run has changed. */
  rebuild(): void;
  home(): void;
  /** By the keyboard: turns the camera, or moves the picture, by steps to the right and up; and nearer by a factor. */
  move(right: number, up: number): void;
  zoomBy(factor: number): void;
  /** Called while a body is dragged, with null at the end; only live runs set it. */
  onDrag: ((drag: Drag | null) => void) | null;
  /** Where a body is on the canvas, in CSS pixels; for tests and for screen readers. */
  placeOf(body: number): [number, number] | null;
}

/** Which of two that a body does at once is told. */
const RANK: Doing[] = ["open", "closed", "stick", "slide"];

/** What the contacts of each body do: sliding is told before sticking, and that before contact without friction. */
export function bodyModes(run: Run, frame: number): Map<number, Doing> {
  const found = new Map<number, Doing>();
  for (const c of run.contactsAt(frame)) {
    const d = doing(run.file.modes[c.mode]);
    for (const b of c.bodies) {
      const old = found.get(b);
      if (!old || RANK.indexOf(d) > RANK.indexOf(old)) found.set(b, d);
    }
  }
  return found;
}

/** The force by which arrows are scaled. That of a live run, which begins without frames, follows those that come. */
export class ForceScale {
  private force: number;
  private at: number;

  constructor(private run: Run) {
    this.force = usualForce(run);
    this.at = run.frames;
  }

  get value(): number {
    const { file, frames } = this.run;
    // At first often, later every second.
    if (file.frames === 0 && (frames < this.at || frames >= this.at + Math.min(30, this.at + 1))) {
      this.force = usualForce(this.run);
      this.at = frames;
    }
    return this.force;
  }
}

/** A force that most do not exceed. */
function usualForce(run: Run): number {
  const sizes: number[] = [];
  const steps = Math.max(1, Math.floor(run.frames / 200));
  for (let f = 0; f < run.frames; f += steps) {
    for (const c of run.contactsAt(f)) sizes.push(Math.hypot(...c.force));
  }
  for (const c of run.of("normal_force")) {
    const values = run.channels[c];
    for (let f = 0; f < run.frames; f += steps) if (values[f] > 0) sizes.push(values[f]);
  }
  const some = sizes.filter((s) => s > 0).sort((a, b) => a - b);
  return some.length ? some[Math.floor(0.9 * (some.length - 1))] : 1;
}
