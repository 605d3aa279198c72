// Which plots a page has.

import type { Run } from "./data";
import type { PlotChoice, Plots } from "./plots";
import { doing } from "./theme";

/** Series in one plot; of more there is a menu. */
const TOGETHER = 8;

/** All plots of a run; of one that is live, whose contacts nobody knows beforehand, those of contacts as well. */
export function addPlots(run: Run, plots: Plots, live: boolean): void {
  const { channels, bodies } = run.file;
  const add = (title: string, series: number[], logarithm = false): void => {
    for (const unit of new Set(series.map((c) => channels[c].unit))) {
      const alike = series.filter((c) => channels[c].unit === unit);
      const choices: PlotChoice[] = [];
      for (let i = 0; i < alike.length; i += TOGETHER) {
        const some = alike.slice(i, i + TOGETHER);
        choices.push({ name: `${channels[some[0]].name} to ${channels[some[some.length - 1]].name}`, series: some });
      }
      plots.add({ title, unit, series: choices[0].series, choices, logarithm });
    }
  };
  const [q, u] = [run.of("coordinate"), run.of("velocity")];
  add("Coordinates", q);
  addBodies(run, plots, "Positions", run.of("position"));
  if (run.file.in_plane) addBodies(run, plots, "Angles", run.of("rotation"));
  if (q.length) add("Velocities", u);
  else addBodies(run, plots, "Velocities", u);
  add("Energies", run.of("energy"));
  if (run.file.contacts.count ? run.file.contacts.every === 1 : live && bodies.some((b) => b.free)) addContacts(run, plots);
  add("Normal forces", run.of("normal_force"));
  add("Friction", run.of("friction"));
  add("Gaps", run.of("gap"));
  add("Certificate since the frame before", run.of("certificate"), true);
  for (const { title, channels: [x, y] } of run.file.plots) {
    plots.add({ title: title || `${channels[y].name} over ${channels[x].name}`, unit: channels[y].unit, series: [y], over: x });
  }
  if (!run.file.plots.length) addPortraits(run, plots, q, u);
}

/** Velocities over their coordinates, or those of bodies over their positions. */
function addPortraits(run: Run, plots: Plots, q: number[], u: number[]): void {
  const { channels } = run.file;
  const pairs: [number, number][] = q.flatMap((x, i) => (u[i] === undefined ? [] : [[x, u[i]] as [number, number]]));
  if (!q.length) {
    const named = new Map(u.map((c) => [channels[c].name, c]));
    for (const x of run.of("position")) {
      const v = named.get(channels[x].name.replace(/\.([xyz])$/, ".v$1"));
      if (v !== undefined && v !== x) pairs.push([x, v]);
    }
  }
  const choices = pairs.map(([x, v]) => ({ name: `${channels[v].name} over ${channels[x].name}`, series: [v], over: x }));
  if (!choices.length) return;
  plots.add({ title: "Phase portrait", unit: "", ...choices[0], choices });
}

/** Channels of bodies, one body at a time. */
function addBodies(run: Run, plots: Plots, title: string, series: number[]): void {
  const { channels } = run.file;
  for (const unit of new Set(series.map((c) => channels[c].unit))) {
    const bodies = new Map<string, number[]>();
    for (const c of series.filter((i) => channels[i].unit === unit)) {
      const body = channels[c].name.replace(/\.[^.]*$/, "");
      bodies.set(body, [...(bodies.get(body) ?? []), c]);
    }
    const choices = [...bodies].map(([name, some]) => ({ name, series: some }));
    plots.add({ title, unit, series: choices[0].series, choices });
  }
}

/** What the contacts that were found add up to. */
function addContacts(run: Run, plots: Plots): void {
  const along = (f: number): number[] => run.contactsAt(f).filter((c) => !c.struck).map((c) => c.force[0] * c.normal[0] + c.force[1] * c.normal[1] + c.force[2] * c.normal[2]);
  const sum = run.derive("sum", "N", "derived", (f) => along(f).reduce((a, b) => a + b, 0));
  const most = run.derive("largest", "N", "derived", (f) => along(f).reduce((a, b) => Math.max(a, b), 0));
  plots.add({ title: "Normal forces of contacts", unit: "N", series: [sum, most] });
  const count = (word: string) => (f: number): number => run.contactsAt(f).filter((c) => doing(run.file.modes[c.mode]) === word).length;
  const kinds = [["sticking", "stick"], ["sliding", "slide"], ["without friction", "closed"]];
  const series = kinds.map(([name, word]) => run.derive(name, "", "derived", count(word)));
  plots.add({ title: "Contacts", unit: "", series });
}
