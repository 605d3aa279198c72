// A run that goes on: frames come over a socket, and what is asked for goes back.

import { Run, digits, type Body, type Contact, type Drawn, type ReplayFile, type RunEvent } from "./data";
import { button, element } from "./dom";
import { certificateAt, type Player } from "./player";
import type { View } from "./view";

interface FrameMessage { kind: "frame"; t: number; values: number[]; contacts: [number, number, number, number, number[], number[], number[], number][] }
interface EventsMessage { kind: "events"; events: RunEvent[] }
interface LooksMessage { kind: "looks"; drawing: Drawn[]; bodies: Body[] }
interface StateMessage { kind: "state"; running: boolean; recording: boolean; speed: number; parameters: [string, number][]; text: string }
interface ClearMessage { kind: "clear" }
type Message = FrameMessage | EventsMessage | LooksMessage | StateMessage | ClearMessage;

/** What the keys of the page do in a live run. */
export interface LiveControls {
  toggle: () => void;
  step: () => void;
}

/** Connects to the program that served the page, and adds its controls; events go into the table. */
export function connect(run: Run, view: View, player: Player, host: HTMLElement, table: { add: (events: RunEvent[]) => void; clear: () => void }): LiveControls {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const socket = new WebSocket(`ws://${location.host}/socket?token=${encodeURIComponent(token)}`);
  const send = (message: unknown): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const bar = element("div", undefined, "bar");
  const status = element("span", "connecting …", "clock");
  status.setAttribute("role", "status");
  const toggle = (): void => send({ do: pause.textContent === "Pause" ? "pause" : "resume" });
  const step = (): void => send({ do: "step" });
  const pause = button("Pause", toggle);
  const record = button("Record", () => send({ do: "record" }));
  const said = element("p", "", "note");
  said.setAttribute("role", "status");
  const speed = element("select") as HTMLSelectElement;
  speed.setAttribute("aria-label", "Speed");
  for (const s of [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]) {
    const option = element("option", `${s}×`) as HTMLOptionElement;
    option.value = String(s);
    option.selected = s === 1;
    speed.append(option);
  }
  const setSpeed = (value: number): void => {
    if (document.activeElement === speed) return;
    const known = [...speed.options].find((o) => Math.abs(Number(o.value) - value) < 1e-3 * value);
    if (!known) {
      const option = element("option", `${digits(value, 2)}×`) as HTMLOptionElement;
      option.value = String(value);
      speed.append(option);
    }
    speed.value = known ? known.value : String(value);
  };
  speed.addEventListener("change", () => send({ do: "speed", value: Number(speed.value) }));
  bar.append(pause, button("Step", step), button("Reset", () => send({ do: "reset" })), record, speed, status);
  const sliders = element("div", undefined, "sliders");
  host.append(bar, said);
  if (run.file.parameters.length) host.append(element("h2", "Parameters"), sliders);
  const controls = makeSliders(run.file, sliders, send);

  view.onDrag = (drag) => send(drag ? { do: "drag", ...drag } : { do: "release" });
  socket.onclose = () => {
    status.textContent = "the simulation has ended; start it again";
  };
  let [due, begun, clock] = [false, false, 0];
  const draw = (): void => {
    due = false;
    if (!begun && run.frames) {
      begun = true;
      view.home();
    }
    player.show(run.frames - 1);
    status.textContent = `t = ${digits(clock, 5)} s  ${certificateAt(run, run.frames - 1)}`;
  };
  socket.onmessage = (event: MessageEvent<string>) => {
    const message = JSON.parse(event.data) as Message;
    if (message.kind === "clear") {
      run.clear();
      table.clear();
    } else if (message.kind === "frame") {
      const contacts = message.contacts.map(([a, b, mode, struck, position, normal, force, mu]) => ({ bodies: [a, b], mode, struck: !!struck, position, normal, force, mu }) as Contact);
      run.append(message.t, message.values.map((v) => (v === null ? NaN : v)), contacts);
      clock = message.t;
      if (!due) requestAnimationFrame(draw);
      due = true;
    } else if (message.kind === "events") {
      table.add(message.events);
    } else if (message.kind === "looks") {
      const { drawing, bodies } = run.file;
      if (JSON.stringify([drawing, bodies]) === JSON.stringify([message.drawing, message.bodies])) return;
      Object.assign(run.file, { drawing: message.drawing, bodies: message.bodies });
      view.rebuild();
    } else {
      pause.textContent = message.running ? "Pause" : "Resume";
      record.textContent = message.recording ? "Stop recording" : "Record";
      said.textContent = message.text;
      setSpeed(message.speed);
      for (const [name, value] of message.parameters) controls.get(name)?.(value);
    }
  };
  return { toggle, step };
}

/** A slider from 0 to three times each value, and a field for any number. */
function makeSliders({ parameters, parameter_units }: ReplayFile, host: HTMLElement, send: (m: unknown) => void): Map<string, (value: number) => void> {
  const setters = new Map<string, (value: number) => void>();
  parameters.forEach(([name, start], i) => {
    const label = element("label");
    const slider = element("input") as HTMLInputElement;
    const field = element("input") as HTMLInputElement;
    const size = Math.abs(start) || 1;
    const [low, high] = start === 0 ? [-1, 1] : start > 0 ? [0, 3 * size] : [-3 * size, 0];
    Object.assign(slider, { type: "range", min: String(low), max: String(high), step: "any", value: String(start) });
    slider.setAttribute("aria-label", name);
    Object.assign(field, { type: "number", step: "any", value: String(start) });
    field.setAttribute("aria-label", `${name}, as a number`);
    const set = (value: number): void => send({ do: "set", name, value });
    slider.addEventListener("input", () => {
      field.value = digits(Number(slider.value), 6);
      set(Number(slider.value));
    });
    field.addEventListener("change", () => {
      slider.value = field.value;
      set(Number(field.value));
    });
    setters.set(name, (value) => {
      if (document.activeElement !== slider) slider.value = String(value);
      if (document.activeElement !== field) field.value = String(Number(value.toPrecision(6)));
    });
    const unit = parameter_units?.[i];
    label.append(element("span", unit ? `${name} in ${unit}` : name), slider, field);
    host.append(label);
  });
  return setters;
}
