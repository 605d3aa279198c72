// Plots over time and phase portraits, on canvases that share the cursor and the span of time.

import { digits, type Run } from "./data";
import { palette } from "./theme";

/** Channels that may stand in the place of others, under a name. */
export interface PlotChoice {
  name: string;
  series: number[];
  over?: number;
}

export interface PlotSpec {
  title: string;
  unit: string;
  /** Channels over time, or one channel over another. */
  series: number[];
  over?: number;
  logarithm?: boolean;
  choices?: PlotChoice[];
}

const [LEFT, RIGHT, TOP, BOTTOM] = [62, 10, 8, 26];

/** All plots of a page. */
export class Plots {
  private panels: Panel[] = [];
  private span: [number, number] | null = null;
  private frame = 0;

  constructor(readonly run: Run, private host: HTMLElement, private seek: (t: number) => void) {}

  add(spec: PlotSpec): void {
    this.panels.push(new Panel(this, this.host, spec));
  }

  /** The times shown by all plots over time. */
  shown(): [number, number] {
    return this.span ?? [this.run.start, Math.max(this.run.end, this.run.start + 1e-9)];
  }

  setSpan(span: [number, number] | null): void {
    if (span) {
      const [first, last] = [this.run.start, this.run.end];
      const width = Math.min(last - first, Math.max(1e-6 * (last - first), span[1] - span[0]));
      const from = Math.min(Math.max(first, span[0]), last - width);
      span = width >= last - first ? null : [from, from + width];
    }
    this.span = span;
    this.draw();
  }

  seekTo(t: number): void {
    this.seek(t);
  }

  cursor(): number {
    return this.frame;
  }

  show(frame: number, grown = false): void {
    this.frame = frame;
    for (const panel of this.panels) panel.show(grown);
  }

  draw(): void {
    for (const panel of this.panels) panel.draw();
  }
}

class Panel {
  private canvas = document.createElement("canvas");
  private hidden = new Set<number>();
  private picture: HTMLCanvasElement | null = null;
  private readout = document.createElement("output");
  private seen = true;
  private box: [number, number, number, number] = [0, 1, 0, 1];

  constructor(private plots: Plots, host: HTMLElement, private spec: PlotSpec) {
    const figure = document.createElement("figure");
    figure.className = "plot";
    const caption = document.createElement("figcaption");
    const title = document.createElement("span");
    title.textContent = spec.title + (spec.unit ? ` in ${spec.unit}` : "");
    if (spec.choices?.length === 1 && spec.over !== undefined) title.textContent += `: ${spec.choices[0].name}`;
    let legend = this.legend();
    caption.append(title, legend);
    if (spec.choices && spec.choices.length > 1) {
      const menu = document.createElement("select");
      menu.setAttribute("aria-label", `${spec.title}: which`);
      spec.choices.forEach(({ name }) => menu.append(new Option(name)));
      menu.addEventListener("change", () => {
        const { series, over } = spec.choices![menu.selectedIndex];
        [this.spec.series, this.spec.over] = [series, over];
        this.hidden.clear();
        const fresh = this.legend();
        legend.replaceWith(fresh);
        legend = fresh;
        this.draw();
      });
      title.after(menu);
    }
    this.canvas.setAttribute("role", "img");
    this.canvas.tabIndex = 0;
    figure.append(caption, this.canvas, this.readout);
    host.append(figure);
    this.addPointer();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    new IntersectionObserver((entries) => {
      this.seen = entries.some((e) => e.isIntersecting);
      if (this.seen) this.draw();
    }).observe(this.canvas);
  }

  private legend(): HTMLElement {
    const legend = document.createElement("span");
    legend.className = "legend";
    if (this.spec.over !== undefined) return legend;
    this.spec.series.forEach((c, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = this.plots.run.file.channels[c].name;
      button.style.setProperty("--series", `var(--s${i % 8})`);
      button.setAttribute("aria-pressed", "true");
      button.addEventListener("click", () => {
        if (!this.hidden.delete(c)) this.hidden.add(c);
        button.setAttribute("aria-pressed", String(!this.hidden.has(c)));
        this.draw();
      });
      legend.append(button);
    });
    return legend;
  }

  show(grown: boolean): void {
    if (!this.seen) return;
    if (grown || !this.picture) this.draw();
    else this.drawCursor();
  }

  private size(): [number, number] {
    return [this.canvas.clientWidth, this.canvas.clientHeight];
  }

  draw(): void {
    const [w, h] = this.size();
    if (!w || !h || !this.seen) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round(w * ratio);
    this.canvas.height = Math.round(h * ratio);
    const picture = document.createElement("canvas");
    picture.width = this.canvas.width;
    picture.height = this.canvas.height;
    const c = picture.getContext("2d");
    if (!c) return;
    c.scale(ratio, ratio);
    this.measure();
    this.axes(c, w, h);
    c.save();
    c.beginPath();
    c.rect(LEFT, TOP, w - LEFT - RIGHT, h - TOP - BOTTOM);
    c.clip();
    this.spec.series.forEach((s, i) => {
      if (!this.hidden.has(s)) this.curve(c, s, i, w, h);
    });
    c.restore();
    this.picture = picture;
    this.describe();
    this.drawCursor();
  }

  /** The frames of the span that is shown: the first, and the one after the last. */
  private frames(): [number, number] {
    const { run } = this.plots;
    const [from, to] = this.plots.shown();
    return [run.frameAt(from), Math.min(run.frames, run.frameAt(to) + 2)];
  }

  /** The box of what is shown. */
  private measure(): void {
    const { run } = this.plots;
    const over = this.spec.over;
    const [from, to] = this.plots.shown();
    const frames = this.frames();
    let [low, high] = [Infinity, -Infinity];
    for (const s of this.spec.series) {
      if (this.hidden.has(s)) continue;
      const [a, b] = run.range(s, ...frames);
      [low, high] = [Math.min(low, a), Math.max(high, b)];
    }
    let [left, right] = over === undefined ? [from, to] : run.range(over, ...frames);
    const widen = (a: number, b: number): [number, number] => {
      if (!(b >= a)) return [0, 1];
      const pad = 0.06 * (b - a) || Math.max(1e-12, 0.05 * Math.abs(a)) || 1;
      return [a - pad, b + pad];
    };
    if (over !== undefined) [left, right] = widen(left, right);
    [low, high] = widen(low, high);
    this.box = [left, right, low, high];
  }

  private at(x: number, y: number, w: number, h: number): [number, number] {
    const [left, right, low, high] = this.box;
    return [
      LEFT + ((x - left) / (right - left)) * (w - LEFT - RIGHT),
      h - BOTTOM - ((y - low) / (high - low)) * (h - TOP - BOTTOM),
    ];
  }

  private axes(c: CanvasRenderingContext2D, w: number, h: number): void {
    const p = palette();
    c.fillStyle = p.panel;
    c.fillRect(0, 0, w, h);
    c.strokeStyle = p.grid;
    c.fillStyle = p.faint;
    c.font = "11px system-ui, sans-serif";
    c.lineWidth = 1;
    const [left, right, low, high] = this.box;
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const v of ticks(low, high, Math.max(2, Math.floor(h / 45)))) {
      const [, y] = this.at(left, v, w, h);
      line(c, LEFT, y, w - RIGHT, y);
      c.fillText(this.spec.logarithm ? `1e${digits(v, 2)}` : digits(v), LEFT - 6, y);
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const v of ticks(left, right, Math.max(2, Math.floor(w / 90)))) {
      const [x] = this.at(v, low, w, h);
      line(c, x, TOP, x, h - BOTTOM);
      c.fillText(digits(v), x, h - BOTTOM + 5);
    }
    c.textAlign = "right";
    const over = this.spec.over;
    const name = over === undefined ? "t" : this.plots.run.file.channels[over].name;
    const unit = over === undefined ? "s" : this.plots.run.file.channels[over].unit;
    c.fillText(unit ? `${name} in ${unit}` : name, w - RIGHT, h - 12);
  }

  /** A curve; where many frames fall on one column of pixels, their least and largest values. */
  private curve(c: CanvasRenderingContext2D, channel: number, i: number, w: number, h: number): void {
    const { run } = this.plots;
    const values = run.channels[channel];
    const over = this.spec.over;
    c.strokeStyle = palette().series[i % 8];
    c.lineWidth = 1.4;
    c.beginPath();
    let pen = false;
    const to = (x: number, y: number): void => {
      if (pen) c.lineTo(x, y);
      else c.moveTo(x, y);
      pen = true;
    };
    if (over !== undefined) {
      const right = run.channels[over];
      const [first, end] = this.frames();
      for (let f = first; f < end; f++) {
        if (Number.isFinite(values[f]) && Number.isFinite(right[f])) to(...this.at(right[f], values[f], w, h));
        else pen = false;
      }
      c.stroke();
      return;
    }
    const [from, until] = this.plots.shown();
    const [first, last] = [Math.max(0, run.frameAt(from) - 1), Math.min(run.frames - 1, run.frameAt(until) + 1)];
    const dense = last - first > 2 * w;
    let [column, low, high, held] = [-1, 0, 0, false];
    const flush = (): void => {
      if (!held) return;
      to(column, low);
      if (high !== low) to(column, high);
      held = false;
    };
    for (let f = first; f <= last; f++) {
      if (!Number.isFinite(values[f])) {
        flush();
        pen = false;
        continue;
      }
      const [x, y] = this.at(run.t[f], values[f], w, h);
      if (!dense) {
        to(x, y);
      } else if (held && Math.round(x) === column) {
        [low, high] = [Math.min(low, y), Math.max(high, y)];
      } else {
        flush();
        [column, low, high, held] = [Math.round(x), y, y, true];
      }
    }
    flush();
    c.stroke();
  }

  private drawCursor(): void {
    const c = this.canvas.getContext("2d");
    if (!c || !this.picture) return;
    const [w, h] = this.size();
    const { run } = this.plots;
    const ratio = this.canvas.width / Math.max(1, w);
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.drawImage(this.picture, 0, 0);
    if (!run.frames) return;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const f = this.plots.cursor();
    const p = palette();
    const over = this.spec.over;
    const right = over === undefined ? run.t[f] : run.channels[over][f];
    const [x] = this.at(right, this.box[2], w, h);
    this.canvas.dataset.cursor = x.toFixed(1);
    if (over === undefined && x >= LEFT - 1 && x <= w - RIGHT + 1) {
      c.strokeStyle = p.ink;
      c.lineWidth = 1;
      line(c, x, TOP, x, h - BOTTOM);
    }
    this.spec.series.forEach((s, i) => {
      const v = run.channels[s][f];
      if (this.hidden.has(s) || !Number.isFinite(v)) return;
      const [px, py] = this.at(right, v, w, h);
      if (px < LEFT - 1 || px > w - RIGHT + 1) return;
      c.beginPath();
      c.arc(px, py, 3.2, 0, 2 * Math.PI);
      c.fillStyle = p.series[i % 8];
      c.fill();
    });
    this.readout.textContent = this.spec.series
      .filter((s) => !this.hidden.has(s))
      .slice(0, 4)
      .map((s) => {
        const v = run.channels[s][f];
        return `${run.file.channels[s].name} = ${this.text(v)}`;
      })
      .join("   ");
  }

  /** A value as it is read. */
  private text(v: number): string {
    return this.spec.logarithm && Number.isFinite(v) ? (10 ** v).toExponential(1) : digits(v);
  }

  /** What a reader who does not see the curves is told. */
  private describe(): void {
    const { run } = this.plots;
    const parts = this.spec.series.slice(0, 8).map((s) => {
      const [a, b] = run.range(s).map((v) => this.text(v));
      return `${run.file.channels[s].name} from ${a} to ${b}`;
    });
    const over = this.spec.over === undefined ? "time" : run.file.channels[this.spec.over].name;
    this.canvas.setAttribute("aria-label", `${this.spec.title} over ${over}: ${parts.join(", ")}`);
  }

  /** A click goes to a time, a drag moves the span, the wheel or two fingers zoom, a double click shows all. */
  private addPointer(): void {
    const { plots } = this;
    const timeAt = (clientX: number): number => {
      const box = this.canvas.getBoundingClientRect();
      const [from, to] = plots.shown();
      return from + ((clientX - box.left - LEFT) / (box.width - LEFT - RIGHT)) * (to - from);
    };
    const portrait = (): boolean => this.spec.over !== undefined;
    const timeOf = (e: MouseEvent): number => (portrait() ? this.timeNear(e) : timeAt(e.clientX));
    const zoom = (t: number, by: number): void => {
      const [from, to] = plots.shown();
      plots.setSpan([t - (t - from) * by, t + (to - t) * by]);
    };
    this.canvas.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.shiftKey && document.activeElement !== this.canvas) return;
      e.preventDefault();
      zoom(timeOf(e), Math.exp(0.0015 * (e.deltaY || e.deltaX)));
    }, { passive: false });
    const fingers = new Map<number, number>();
    let moved = false;
    this.canvas.addEventListener("pointerdown", (e) => {
      this.canvas.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, e.clientX);
      moved = fingers.size > 1;
    });
    this.canvas.addEventListener("pointermove", (e) => {
      const old = fingers.get(e.pointerId);
      if (old === undefined) return;
      const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1];
      if (other !== undefined) {
        zoom(portrait() ? plots.run.t[plots.cursor()] : timeAt((old + other) / 2), Math.max(20, Math.abs(old - other)) / Math.max(20, Math.abs(e.clientX - other)));
      } else if (!portrait() && (Math.abs(e.clientX - old) > 4 || moved)) {
        const way = timeAt(old) - timeAt(e.clientX);
        const [from, to] = plots.shown();
        plots.setSpan([from + way, to + way]);
        moved = true;
      } else return;
      fingers.set(e.pointerId, e.clientX);
    });
    const end = (e: PointerEvent): void => {
      if (fingers.delete(e.pointerId) && !moved && e.type === "pointerup") plots.seekTo(timeOf(e));
    };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
    this.canvas.addEventListener("dblclick", () => plots.setSpan(null));
    this.canvas.addEventListener("keydown", (e) => {
      const t = plots.run.t[plots.cursor()];
      if (e.key === "+" || e.key === "=") zoom(t, 0.7);
      else if (e.key === "-") zoom(t, 1 / 0.7);
      else if (e.key === "0") plots.setSpan(null);
      else return;
      e.preventDefault();
      e.stopPropagation();
    });
  }

  /** The time of the point of a portrait that is nearest to the pointer. */
  private timeNear(e: MouseEvent): number {
    const { run } = this.plots;
    const [w, h] = this.size();
    const box = this.canvas.getBoundingClientRect();
    const [right, up] = [run.channels[this.spec.over!], run.channels[this.spec.series[0]]];
    const [first, end] = this.frames();
    let [best, least] = [first, Infinity];
    for (let f = first; f < end; f++) {
      const [x, y] = this.at(right[f], up[f], w, h);
      const d = Math.hypot(x - (e.clientX - box.left), y - (e.clientY - box.top));
      if (d < least) [best, least] = [f, d];
    }
    return run.t[best];
  }
}

function line(c: CanvasRenderingContext2D, x: number, y: number, u: number, v: number): void {
  c.beginPath();
  c.moveTo(x, y);
  c.lineTo(u, v);
  c.stroke();
}

/** Round numbers between two, about so many. */
export function ticks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / Math.max(1, count);
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const out: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high && out.length < 100; i++) out.push(i * step);
  return out;
}
