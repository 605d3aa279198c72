// Events, parameters and what the summary says, as tables.

import { digits, type Group, type PageData, type ReplayFile, type RunEvent } from "./data";
import { button, element } from "./dom";

function table(caption: string, heads: string[], numbers: number[]): { host: HTMLElement; body: HTMLElement; row: (cells: (string | HTMLElement)[]) => HTMLElement } {
  const host = element("div", undefined, "scroll");
  host.tabIndex = 0;
  const made = element("table");
  const head = element("tr");
  heads.forEach((h, i) => {
    const cell = element("th", h, numbers.includes(i) ? "number" : undefined);
    cell.setAttribute("scope", "col");
    head.append(cell);
  });
  const thead = element("thead");
  thead.append(head);
  const body = element("tbody");
  made.append(element("caption", caption), thead, body);
  host.append(made);
  const row = (cells: (string | HTMLElement)[]): HTMLElement => {
    const line = element("tr");
    cells.forEach((c, i) => {
      const cell = element("td", undefined, numbers.includes(i) ? "number" : undefined);
      cell.append(c);
      line.append(cell);
    });
    body.append(line);
    return line;
  };
  return { host, body, row };
}

/** Rows of events that a page has; the file holds more. */
export const MOST_ROWS = 2000;
/** and a live one, which shows the last ones first. */
const LIVE_ROWS = 200;

/** The heads of the columns of events, with units where they are known and one for all. */
function heads(file: ReplayFile): string[] {
  const unit = (group: Group): string => {
    const all = new Set(file.channels.filter((c) => c.group === group).map((c) => c.unit));
    return all.size === 1 ? [...all][0] : "";
  };
  const force = unit("normal_force") || (file.bodies.length ? "N" : "");
  const [impulse, energy] = [force && `, ${force} s`, unit("energy") && `, ${unit("energy")}`];
  return ["t, s", "contact", "event", `normal impulse${impulse}`, `tangential impulse${impulse}`, `energy${energy}`];
}

function cells(e: RunEvent, t: string | HTMLElement): (string | HTMLElement)[] {
  const impact = e.event === "impact";
  return [t, e.contact, e.event, impact ? digits(e.impulse[0]) : "", impact ? digits(e.impulse[1]) : "", impact ? digits(e.energy) : ""];
}

/** The table of a live run, what adds to it, and what empties it. */
export function liveEvents(file: ReplayFile): { host: HTMLElement; add: (events: RunEvent[]) => void; clear: () => void } {
  const { host, row, body } = table(`Events, the last ${LIVE_ROWS}`, heads(file), [0, 3, 4, 5]);
  const add = (events: RunEvent[]): void => {
    for (const e of events) {
      body.prepend(row(cells(e, digits(e.t, 6))));
      if (body.childElementCount > LIVE_ROWS) body.lastElementChild?.remove();
    }
  };
  return { host, add, clear: () => body.replaceChildren() };
}

export function events(file: ReplayFile, seek: (t: number) => void): { host: HTMLElement; mark: (t: number) => void } {
  const shown = file.events.slice(0, MOST_ROWS);
  const more = file.event_count > shown.length ? `, the first ${shown.length} of ${file.event_count}` : "";
  const { host, row } = table(`Events${more}`, heads(file), [0, 3, 4, 5]);
  const lines = shown.map((e) => {
    const go = button(digits(e.t, 6), () => seek(e.t));
    go.setAttribute("aria-label", `Go to ${digits(e.t, 6)} seconds`);
    return row(cells(e, go));
  });
  let now = -1;
  const mark = (t: number): void => {
    let [low, high] = [0, shown.length];
    while (low < high) {
      const mid = (low + high) >> 1;
      if (shown[mid].t <= t) low = mid + 1;
      else high = mid;
    }
    if (low - 1 === now) return;
    lines[now]?.classList.remove("now");
    now = low - 1;
    const line = lines[now];
    if (!line) return;
    line.classList.add("now");
    // Within the table alone: the page stays where it is.
    const top = line.offsetTop - 60;
    if (top < host.scrollTop || top > host.scrollTop + host.clientHeight - 100) host.scrollTop = top;
  };
  return { host, mark };
}

export function parameters(file: ReplayFile): HTMLElement {
  const { host, row } = table("Parameters", ["name", "value"], [1]);
  file.parameters.forEach(([name, value], i) => row([name, [digits(value, 10), file.parameter_units?.[i]].filter(Boolean).join(" ")]));
  return host;
}

/** What the summary of the run says, in plain words. */
export function facts(data: PageData): HTMLElement | null {
  const summary = data.summary;
  if (!summary) return null;
  const { host, row } = table("The run", ["what", "value"], []);
  const show = (name: string, value: unknown): void => {
    if (value === null || value === undefined) return;
    if (typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) show(name ? `${name}: ${key}` : key, inner);
    } else row([name.replaceAll("_", " "), typeof value === "number" ? digits(value, 6) : String(value)]);
  };
  for (const key of ["end", "certificate", "counts", "energy", "drift", "settings", "timing"]) {
    if (key in summary) show(key, summary[key]);
  }
  return host;
}
