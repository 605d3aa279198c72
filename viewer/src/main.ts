// The page of a run: replay, plots, events, parameters; recorded, or live from a simulation on this machine.

import "./style.css";
import { digits, Run, type PageData, type ReplayFile } from "./data";
import { addPlots } from "./charts";
import { connect, type LiveControls } from "./live";
import { PlaneView } from "./plane";
import { Player } from "./player";
import { Plots } from "./plots";
import { SpaceView } from "./space";
import { events, facts, liveEvents, MOST_ROWS, parameters } from "./tables";
import { toggleTheme } from "./theme";
import { button, element, check } from "./dom";
import type { View, ViewOptions } from "./view";

/** Up to so many bodies friction cones are shown at first; those of more would hide each other. */
const FEW = 50;

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
  stage.hidden = !hasPicture(file);
  app.append(stage);
  const options: ViewOptions = { forces: true, cones: file.bodies.length <= FEW, modes: hasContacts(file) || !!data.live, follow: false, arrows: 1 };
  const plane = file.in_plane || file.drawing.length > 0 || !file.bodies.some((b) => b.channel !== null);
  const view = openView(run, stage, options, plane);
  view.canvas.setAttribute("role", "img");
  view.canvas.tabIndex = 0;

  const plotHost = element("section", undefined, "plots");
  const player = new Player(run, (frame) => {
    view.show(frame, player.playing);
    plots.show(frame, !!data.live);
    table.mark?.(run.t[frame]);
    describe(view, run, frame);
  });
  const plots = new Plots(run, plotHost, (t) => player.seek(t));
  const table: Table = data.live ? liveEvents(file) : events(file, (t) => player.seek(t));
  const live = data.live ? connect(run, view, player, app, table as ReturnType<typeof liveEvents>) : null;
  if (!live) app.append(player.bar());
  const bar = viewBar(view, options, player, plane);
  if (hasPicture(file)) app.append(bar.host);
  for (const note of notes(run, data)) app.append(note);
  addPlots(run, plots, !!data.live);
  app.append(element("h2", "Plots"), plotHost);
  app.append(element("p", "Click in a plot to go to a time; Shift and wheel, or two fingers, zoom in time; drag to move; double click or 0 shows all.", "note"));

  const tables = element("section", undefined, "tables");
  tables.append(table.host);
  if (!live) tables.append(parameters(file));
  const summary = facts(data);
  if (summary) tables.append(summary);
  app.append(element("h2", live ? "Events" : "Events and parameters"), tables);

  keys(player, view, bar.follow, live);
  app.append(keyList(!!live));
  new ResizeObserver(() => view.resize()).observe(stage);
  view.resize();
  player.show(0);
  // For tests.
  Object.assign(window, { stickslip: { run, view, player, plots } });
}

interface Table { host: HTMLElement; mark?: (t: number) => void }

/** Whether anything is drawn: a scene in generalised coordinates without [[drawing]] has plots alone. */
function hasPicture(file: ReplayFile): boolean {
  return file.drawing.length > 0 || file.bodies.some((b) => b.channel !== null || b.parts.length > 0);
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

function viewBar(view: View, options: ViewOptions, player: Player, plane: boolean): { host: HTMLElement; follow: HTMLElement } {
  const bar = element("div", undefined, "bar");
  const again = (): void => player.refresh();
  const key = element("span", undefined, "key");
  key.hidden = !options.modes;
  const follow = check("Follow", options.follow, (on) => { options.follow = on; again(); });
  bar.append(
    check("Forces", options.forces, (on) => { options.forces = on; again(); }),
    check("Friction cones", options.cones, (on) => { options.cones = on; again(); }),
    check("Colour by contact", options.modes, (on) => { options.modes = on; key.hidden = !on; again(); }),
    follow,
  );
  const arrows = element("input") as HTMLInputElement;
  Object.assign(arrows, { type: "range", min: "-2", max: "2", step: "0.05", value: "0" });
  arrows.style.flex = "0 1 120px";
  arrows.addEventListener("input", () => { options.arrows = 10 ** Number(arrows.value); again(); });
  const label = element("label", "Arrows");
  label.append(arrows);
  bar.append(label, button(plane ? "Show all" : "Reset camera", () => view.home()));
  for (const [word, name] of [["open", "open"], ["stick", "sticking"], ["slide", "sliding"], ["closed", "without friction"]]) {
    const item = element("span");
    const dot = element("i");
    dot.style.background = `var(--${word})`;
    item.append(dot, name);
    key.append(item);
  }
  bar.append(key);
  return { host: bar, follow };
}

/** What the page does not show, said where it is looked for. */
function notes(run: Run, data: PageData): HTMLElement[] {
  const { file } = run;
  const out: HTMLElement[] = [];
  const say = (text: string): void => void out.push(element("p", text, "note"));
  if (run.of("normal_force").length || file.contacts.count) say("Arrows are mean forces since the frame before; the longest are cut at 40 % of the picture.");
  if (data.live) return out;
  if (file.stride > 1) say(`The run has ${file.samples} samples; every ${file.stride}th is a frame here. All are in the tables of the run.`);
  if (file.contacts.every > 1) say(`Contacts are drawn as they were at every ${file.contacts.every}th frame.`);
  const listed = Math.min(MOST_ROWS, file.events.length);
  if (file.event_count > listed) say(`The first ${listed} of ${file.event_count} events are listed; all are in events.csv.`);
  if (!hasPicture(file)) say("This scene has no [[drawing]], so there is no picture of the motion, only plots.");
  if (!run.of("velocity").length) say("Velocities of so many bodies are not plotted; they are in the tables of the run.");
  return out;
}

/** What the keys do, for all pages and for live ones in their place. */
const KEYS: [string, string][] = [
  ["Space", "play or pause"], ["← →", "a frame back or on, with Shift ten"], ["Home, End", "first and last frame"],
  ["+ −", "faster, slower"],
];
const LIVE_KEYS: [string, string][] = [["Space", "pause or resume"], ["→", "one step"]];
const VIEW_KEYS: [string, string][] = [
  ["a d w s", "turn the camera, or move the picture"], ["i o", "zoom in and out"], ["r", "show all"], ["f", "follow the motion"],
];

function keyList(live: boolean): HTMLElement {
  const host = element("details", undefined, "note");
  const list = element("dl");
  for (const [key, meaning] of [...(live ? LIVE_KEYS : KEYS), ...VIEW_KEYS]) list.append(element("dt", key), element("dd", meaning));
  host.append(element("summary", "Keys"), list);
  return host;
}

function keys(player: Player, view: View, follow: HTMLElement, live: LiveControls | null): void {
  document.addEventListener("keydown", (e) => {
    const at = e.target as HTMLElement;
    if (e.ctrlKey || e.altKey || e.metaKey || ["INPUT", "SELECT", "SUMMARY"].includes(at.tagName)) return;
    // A button that has the focus is pressed by this key.
    if (e.key === " " && at.tagName === "BUTTON") return;
    const ofView: Record<string, () => void> = {
      a: () => view.move(-1, 0), d: () => view.move(1, 0), w: () => view.move(0, 1), s: () => view.move(0, -1),
      i: () => view.zoomBy(1.2), o: () => view.zoomBy(1 / 1.2),
      r: () => view.home(),
      f: () => follow.click(),
    };
    const ofLive: Record<string, () => void> | null = live && { " ": live.toggle, ArrowRight: live.step };
    const ofReplay: Record<string, () => void> = {
      " ": () => player.toggle(),
      ArrowRight: () => player.step(e.shiftKey ? 10 : 1),
      ArrowLeft: () => player.step(e.shiftKey ? -10 : -1),
      Home: () => player.show(0),
      End: () => player.show(Infinity),
      "+": () => player.faster(2),
      "-": () => player.faster(0.5),
    };
    const doIt = ofView[e.key] ?? (ofLive ?? ofReplay)[e.key];
    if (!doIt) return;
    doIt();
    e.preventDefault();
  });
}

begin().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  app.replaceChildren(element("p", `The run cannot be shown: ${text}`, "warning"));
});
