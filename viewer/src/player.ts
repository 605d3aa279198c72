// Which frame is shown, and when: play, pause, scrub, speed.

import { digits, type Run } from "./data";
import { button, element } from "./dom";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
/** A replay lasts about this many seconds unless a speed is chosen. */
const USUAL = 8;

/** What a frame says about how exactly its steps were solved. */
export function certificateAt(run: Run, frame: number): string {
  const [channel] = run.of("certificate");
  const value = channel === undefined ? NaN : run.channels[channel][frame];
  if (!Number.isFinite(value)) return "";
  // Smaller ones are not told apart.
  return `certificate ${value > -20 ? (10 ** value).toExponential(1) : "0"}`;
}

export class Player {
  frame = 0;
  playing = false;
  speed: number;
  private t = 0;
  private last = 0;
  private playButton: HTMLButtonElement | null = null;
  private slider: HTMLInputElement | null = null;
  private clock: HTMLElement | null = null;
  private menu: HTMLSelectElement | null = null;
  private certificate: HTMLElement | null = null;
  /** Frames drawn in the last second of playing. */
  rate = 0;
  private drawn: number[] = [];

  constructor(private run: Run, private draw: (frame: number) => void) {
    const length = run.end - run.start;
    const nearest = (s: number): number => Math.abs(Math.log(s * USUAL) - Math.log(length || USUAL));
    this.speed = SPEEDS.reduce((a, b) => (nearest(b) < nearest(a) ? b : a));
    if (Math.abs(Math.log(length / USUAL)) < Math.log(4)) this.speed = 1;
  }

  bar(): HTMLElement {
    const bar = element("div", undefined, "bar");
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", "Replay");
    this.playButton = button("Play", () => this.toggle());
    this.slider = element("input") as HTMLInputElement;
    Object.assign(this.slider, { type: "range", min: "0", max: String(Math.max(0, this.run.frames - 1)), step: "1", value: "0" });
    this.slider.setAttribute("aria-label", "Time");
    this.slider.addEventListener("input", () => {
      this.pause();
      this.show(Number(this.slider!.value));
    });
    this.clock = element("span", "", "clock");
    this.menu = element("select") as HTMLSelectElement;
    this.menu.setAttribute("aria-label", "Speed");
    for (const s of SPEEDS) {
      const option = element("option", `${s}×`) as HTMLOptionElement;
      option.value = String(s);
      option.selected = s === this.speed;
      this.menu.append(option);
    }
    this.menu.addEventListener("change", () => (this.speed = Number(this.menu!.value)));
    const back = button("◀", () => this.step(-1));
    back.setAttribute("aria-label", "Frame before");
    const on = button("▶", () => this.step(1));
    on.setAttribute("aria-label", "Next frame");
    this.certificate = element("span", "", "note");
    this.certificate.title = "The worst certificate of the steps since the frame before";
    bar.append(this.playButton, back, on, this.slider, this.clock, this.menu, this.certificate);
    return bar;
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.playing || this.run.frames < 2) return;
    if (this.frame >= this.run.frames - 1) this.show(0);
    this.playing = true;
    this.t = this.run.t[this.frame];
    this.last = performance.now();
    this.drawn = [];
    if (this.playButton) this.playButton.textContent = "Pause";
    requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    if (this.playButton) this.playButton.textContent = "Play";
    this.refresh();
  }

  private tick(now: number): void {
    if (!this.playing) return;
    this.t += (this.speed * Math.max(0, now - this.last)) / 1000;
    this.last = now;
    this.drawn = this.drawn.filter((d) => d > now - 1000);
    this.drawn.push(now);
    this.rate = this.drawn.length;
    const t = this.t;
    this.show(this.run.frameAt(t), false);
    if (t >= this.run.end) this.pause();
    else requestAnimationFrame((later) => this.tick(later));
  }

  /** Shows a frame, or the nearest there is. */
  show(frame: number, exact = true): void {
    this.frame = Math.min(Math.max(0, frame), Math.max(0, this.run.frames - 1));
    if (exact) this.t = this.run.t[this.frame];
    this.refresh();
  }

  refresh(): void {
    if (!this.run.frames) return;
    this.draw(this.frame);
    const t = this.run.t[this.frame];
    if (this.slider) {
      this.slider.value = String(this.frame);
      this.slider.setAttribute("aria-valuetext", `${digits(t)} seconds`);
    }
    if (this.clock) this.clock.textContent = `t = ${t.toFixed(4)} s  (${this.frame + 1}/${this.run.frames})`;
    if (this.certificate) this.certificate.textContent = certificateAt(this.run, this.frame);
  }

  seek(t: number): void {
    this.pause();
    this.show(this.run.frameAt(t));
  }

  step(by: number): void {
    this.pause();
    this.show(this.frame + by);
  }

  faster(by: number): void {
    this.speed = Math.min(SPEEDS[SPEEDS.length - 1], Math.max(SPEEDS[0], this.speed * by));
    if (this.menu) {
      const near = SPEEDS.reduce((a, b) => (Math.abs(b - this.speed) < Math.abs(a - this.speed) ? b : a));
      this.speed = near;
      this.menu.value = String(near);
    }
  }
}
