// The page of a run: replay, plots, events, parameters; recorded, or live from a simulation on this machine.

import "./style.css";
import { digits, Run, type PageData, type ReplayFile } from "./data";
import { connect } from "./live";
import { PlaneView } from "./plane";
import { Player } from "./player";
import { Plots } from "./plots";
import { SpaceView } from "./space";
import { facts, events, parameters } from "./tables";
import { doing, toggleTheme } from "./theme";
import { button, element, check } from "./dom";
import type { View, ViewOptions } from "./view";

const app = document.getElementById("app")!;

async function begin(): Promise<void> {
  const text = document.getElementById("run")?.textContent ?? "";
  const data = JSON.parse(text) as PageData;
  const { replay } = data;
  document.title = `${replay.title} – stickslip`;
  const run = data.live ? new Run(replay, 4096) : await Run.read(replay);
  app.replaceChildren();
  build(data, run);
}

function build(data: PageData, run: Run): void {
  const { file } = run;
  const header = element("header");
  const dark = button("Light or dark", () => {
    toggleTheme();
    view.restyle();
    plots.draw();
  });
  dark.className = "push";
  header.append(element("h1", file.title), dark);
  app.append(header);
  if (file.description) app.append(element("p", file.description, "lead"));

  const stage = element("div", undefined, "stage");
  app.append(stage);
  const options: ViewOptions = { forces: true, cones: false, modes: hasContacts(file) || !!data.live, follow: false, arrows: 1 };
  const plane = file.in_plane || file.drawing.length > 0 || !file.bodies.some((b) => b.channel !== null);
  const view = openView(run, stage, options, plane);
  view.canvas.setAttribute("role", "img");
  view.canvas.tabIndex = 0;

  const plotHost = element("section", undefined, "plots");
  const player = new Player(run, (frame) => {
    view.show(frame);
    plots.show(frame, !!data.live);
    table?.mark(run.t[frame]);
    describe(view, run, frame);
  });
  const plots = new Plots(run, plotHost, (t) => player.seek(t));
  const live = data.live ? connect(run, view, player, app) : null;
  if (!live) app.append(player.bar());
  app.append(viewBar(view, options, player, plane));
  for (const note of notes(run, data)) app.append(note);
  addPlots(run, plots);
  app.append(element("h2", "Plots"), plotHost);
  app.append(element("p", "Click in a plot to go to a time; drag, Shift and wheel, or two fingers zoom; double click or 0 shows all.", "note"));

  const tables = element("section", undefined, "tables");
  const table = live ? null : events(file, (t) => player.seek(t));
  if (table) tables.append(table.host);
  if (!live) tables.append(parameters(file));
  const summary = facts(data);
  if (summary) tables.append(summary);
  app.append(element("h2", live ? "" : "Events and parameters"), tables);

  keys(player, view, options);
  new ResizeObserver(() => view.resize()).observe(stage);
  view.resize();
  player.show(0);
  // For tests.
  Object.assign(window, { stickslip: { run, view, player, plots } });
}

/** Whether there is anything to colour by. */
function hasContacts(file: ReplayFile): boolean {
  return file.contacts.count > 0 || file.drawing.some((d) => d.contact);
}

function openView(run: Run, stage: HTMLElement, options: ViewOptions, plane: boolean): View {
  if (plane) return new PlaneView(run, stage, options);
  try {
    return new SpaceView(run, stage, options);
  } catch (error) {
    stage.append(element("p", `This browser cannot draw in three dimensions (${String(error)}); the plots are below.`, "note"));
    return new PlaneView(run, stage, options);
  }
}

/** What is to be seen, for readers who do not see it. */
function describe(view: View, run: Run, frame: number): void {
  const closed = run.contactsAt(frame).length;
  const modes = run.of("mode").map((c) => `${run.file.channels[c].name} ${run.file.modes[Math.round(run.channels[c][frame])] ?? ""}`);
  const what = modes.length ? `contacts: ${modes.join(", ")}` : `${closed} closed contacts`;
  view.canvas.setAttribute("aria-label", `${run.file.title} at t = ${digits(run.t[frame])} s, ${what}`);
}

function viewBar(view: View, options: ViewOptions, player: Player, plane: boolean): HTMLElement {
  const bar = element("div", undefined, "bar");
  const again = (): void => player.refresh();
  bar.append(
    check("Forces", options.forces, (on) => { options.forces = on; again(); }),
    check("Friction cones", options.cones, (on) => { options.cones = on; again(); }),
    check("Colour by contact", options.modes, (on) => { options.modes = on; again(); }),
    check("Follow", options.follow, (on) => { options.follow = on; again(); }),
  );
  const arrows = element("input") as HTMLInputElement;
  Object.assign(arrows, { type: "range", min: "-2", max: "2", step: "0.05", value: "0" });
  arrows.style.flex = "0 1 120px";
  arrows.addEventListener("input", () => { options.arrows = 10 ** Number(arrows.value); again(); });
  const label = element("label", "Arrows");
  label.append(arrows);
  bar.append(label, button(plane ? "Show all" : "Reset camera", () => view.home()));
  const key = element("span", undefined, "key");
  for (const [word, name] of [["open", "open"], ["stick", "sticking"], ["slide", "sliding"]]) {
    const item = element("span");
    const dot = element("i");
    dot.style.background = `var(--${word})`;
    item.append(dot, name);
    key.append(item);
  }
  bar.append(key);
  return bar;
}

/** What the page does not show, said where it is looked for. */
function notes(run: Run, data: PageData): HTMLElement[] {
  const { file } = run;
  const out: HTMLElement[] = [];
  const say = (text: string): void => void out.push(element("p", text, "note"));
  if (run.of("normal_force").length || file.contacts.count) say("Arrows are mean forces since the frame before; those of the largest are cut at 40 % of the picture.");
  if (data.live) return out;
  if (file.stride > 1) say(`The run has ${file.samples} samples; every ${file.stride}th is a frame here. All are in the tables of the run.`);
  if (file.contacts.every > 1) say(`Contacts are drawn as they were at every ${file.contacts.every}th frame.`);
  if (file.event_count > file.events.length) say(`The first ${file.events.length} of ${file.event_count} events are listed; all are in events.csv.`);
  if (!file.drawing.length && !file.bodies.length) say("This scene has no [[drawing]], so that there are plots alone.");
  return out;
}

function addPlots(run: Run, plots: Plots): void {
  const { channels } = run.file;
  const add = (title: string, series: number[], logarithm = false): void => {
    const units = new Set(series.map((c) => channels[c].unit));
    for (const unit of units) {
      const alike = series.filter((c) => channels[c].unit === unit).slice(0, 8);
      if (alike.length) plots.add({ title, unit, series: alike, logarithm });
    }
  };
  const [q, u] = [run.of("coordinate"), run.of("velocity")];
  add("Coordinates", q);
  addBodies(run, plots, "Positions", run.of("position"));
  if (q.length) add("Velocities", u);
  else addBodies(run, plots, "Velocities", u);
  add("Energies", run.of("energy"));
  addContacts(run, plots);
  add("Normal forces", run.of("normal_force"));
  add("Friction", run.of("friction"));
  add("Gaps", run.of("gap"));
  add("Certificate since the frame before", run.of("certificate"), true);
  for (const { title, channels: [x, y] } of run.file.plots) {
    plots.add({ title: title || `${channels[y].name} over ${channels[x].name}`, unit: channels[y].unit, series: [y], over: x });
  }
  if (!run.file.plots.length) {
    q.slice(0, 4).forEach((x, i) => {
      if (u[i] === undefined) return;
      plots.add({ title: `Phase portrait: ${channels[u[i]].name} over ${channels[x].name}`, unit: channels[u[i]].unit, series: [u[i]], over: x });
    });
  }
}

/** Channels of bodies, one body at a time. */
function addBodies(run: Run, plots: Plots, title: string, series: number[]): void {
  const { channels } = run.file;
  for (const unit of new Set(series.map((c) => channels[c].unit))) {
    const choices = new Map<string, number[]>();
    for (const c of series.filter((i) => channels[i].unit === unit)) {
      const body = channels[c].name.replace(/\.[^.]*$/, "");
      choices.set(body, [...(choices.get(body) ?? []), c]);
    }
    const list = [...choices];
    plots.add({ title, unit, series: list[0][1], choices: list });
  }
}

/** What the contacts that were found add up to. */
function addContacts(run: Run, plots: Plots): void {
  if (!run.file.contacts.count || run.file.contacts.every > 1) return;
  const along = (f: number): number[] => run.contactsAt(f).filter((c) => !c.struck).map((c) => c.force[0] * c.normal[0] + c.force[1] * c.normal[1] + c.force[2] * c.normal[2]);
  const sum = run.derive("sum", "N", "derived", (f) => along(f).reduce((a, b) => a + b, 0));
  const most = run.derive("largest", "N", "derived", (f) => Math.max(0, ...along(f)));
  plots.add({ title: "Normal forces of contacts", unit: "N", series: [sum, most] });
  const count = (word: string) => (f: number): number => run.contactsAt(f).filter((c) => doing(run.file.modes[c.mode]) === word).length;
  const sticking = run.derive("sticking", "", "derived", count("stick"));
  const sliding = run.derive("sliding", "", "derived", count("slide"));
  plots.add({ title: "Contacts", unit: "", series: [sticking, sliding] });
}

function keys(player: Player, view: View, options: ViewOptions): void {
  document.addEventListener("keydown", (e) => {
    const at = e.target as HTMLElement;
    if (e.ctrlKey || e.altKey || e.metaKey || ["INPUT", "SELECT", "BUTTON"].includes(at.tagName)) return;
    const act: Record<string, () => void> = {
      " ": () => player.toggle(),
      ArrowRight: () => player.step(e.shiftKey ? 10 : 1),
      ArrowLeft: () => player.step(e.shiftKey ? -10 : -1),
      Home: () => player.show(0),
      End: () => player.show(Infinity),
      "+": () => player.faster(2),
      "-": () => player.faster(0.5),
      r: () => view.home(),
      f: () => { options.follow = !options.follow; player.refresh(); },
    };
    const doIt = act[e.key];
    if (!doIt) return;
    doIt();
    e.preventDefault();
  });
}

begin().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  app.replaceChildren(element("p", `The run cannot be shown: ${text}`, "warning"));
});
