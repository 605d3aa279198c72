// The browser and the command under test: STICKSLIP is the command, CHROMIUM the browser if it is not on the PATH.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

if (!process.env.STICKSLIP) throw new Error("give the command under test in STICKSLIP");
export const program = process.env.STICKSLIP;

export function launch() {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  const places = [process.env.CHROMIUM, ...names.flatMap((name) => folders.map((folder) => join(folder, name)))];
  const executablePath = places.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("there is no Chromium: apt-get install -y chromium, or give its path in CHROMIUM");
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
}
