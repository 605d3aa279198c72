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
  show(frame: number): void;
  resize(): void;
  restyle(): void;
  home(): void;
  /** Called while a body is dragged, with null at the end; only live runs set it. */
  onDrag: ((drag: Drag | null) => void) | null;
  /** Where a body is on the canvas, in CSS pixels; for tests and for screen readers. */
  placeOf(body: number): [number, number] | null;
}

/** What the worst contact of each body does: sliding is told before sticking. */
export function bodyModes(run: Run, frame: number): Map<number, Doing> {
  const found = new Map<number, Doing>();
  for (const c of run.contactsAt(frame)) {
    const d = doing(run.file.modes[c.mode]);
    for (const b of c.bodies) {
      const old = found.get(b);
      if (!old || d === "slide" || (d === "stick" && old === "open")) found.set(b, d);
    }
  }
  return found;
}

/** A force that most do not exceed, by which arrows are scaled. */
export function usualForce(run: Run): number {
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
