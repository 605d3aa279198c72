// Colours: one palette for light and one for dark, told apart by people who do not see red and green alike (Okabe and Ito).

export interface Palette {
  paper: string; panel: string; ink: string; faint: string; grid: string;
  series: string[];
  open: string; stick: string; slide: string; closed: string;
  drawing: Record<string, string>;
}

const LIGHT: Palette = {
  paper: "#f7f7f4", panel: "#ffffff", ink: "#1c1f24", faint: "#626a75", grid: "#e3e5e8",
  series: ["#0072b2", "#d55e00", "#009e73", "#b8559b", "#8a6d00", "#3d3d3d", "#2b8fc4", "#c23b22"],
  open: "#7b8794", stick: "#0072b2", slide: "#d55e00", closed: "#009e73",
  drawing: {
    ink: "#1c1f24", ground: "#9aa1a9", wood: "#c49a6c", metal: "#8795a6", body: "#4f83b8",
    second: "#5aa08a", third: "#b07aa1", spring: "#6b7280", red: "#c8402f",
  },
};

const DARK: Palette = {
  paper: "#14171b", panel: "#1c2026", ink: "#e8eaed", faint: "#9aa3ae", grid: "#2f353d",
  series: ["#56b4e9", "#f0883e", "#2fc59a", "#e29bc9", "#f0e442", "#c8ccd2", "#8ad0f5", "#ff8f7a"],
  open: "#8a94a0", stick: "#56b4e9", slide: "#f0883e", closed: "#2fc59a",
  drawing: {
    ink: "#e8eaed", ground: "#6a727c", wood: "#b08a5e", metal: "#9fb0c3", body: "#6da5dd",
    second: "#74c2aa", third: "#cf9ac2", spring: "#a7b0bb", red: "#ef6a58",
  },
};

let chosen: "light" | "dark" | null = null;

export function isDark(): boolean {
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function palette(): Palette {
  return isDark() ? DARK : LIGHT;
}

export function toggleTheme(): void {
  chosen = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = chosen;
}

/** A colour of a drawing: a word of the palette or #rrggbb, nothing else. */
export function drawingColour(word: string): string {
  const colours = palette().drawing;
  if (Object.hasOwn(colours, word)) return colours[word];
  return /^#[0-9a-f]{6}$/i.test(word) ? word : colours.ink;
}

/** What a contact does, as one of four: closed contacts without friction neither stick nor slide. */
export type Doing = "open" | "stick" | "slide" | "closed";

export function doing(mode: string | undefined): Doing {
  if (mode === undefined || mode === "open") return "open";
  if (mode === "closed") return "closed";
  return mode.startsWith("slip") ? "slide" : "stick";
}
