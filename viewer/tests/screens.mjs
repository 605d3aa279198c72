// The pictures of the guide: the report of a run and a live page, as a reader sees them. STICKSLIP is the command.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, program } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const book = join(here, "..", "..", "book", "src", "guide");
const folder = mkdtempSync(join(tmpdir(), "stickslip-screens-"));
const browser = await launch();
const size = { width: 900, height: 980 };
try {
  const out = join(folder, "pile");
  execFileSync(program, ["run", join(here, "scenes", "pile.toml"), "--out", out, "--quiet"]);
  execFileSync(program, ["report", out]);
  const report = await browser.newPage({ viewport: size });
  await report.goto(pathToFileURL(join(out, "report.html")).href);
  await report.waitForFunction(() => window.stickslip);
  await report.getByRole("slider", { name: "Time" }).fill("290");
  // At the heap, not at the middle of all that fell.
  await report.evaluate(() => {
    const { view } = window.stickslip;
    view.controls.target.set(0, 0, 0.1);
    view.zoomBy(3.4);
  });
  await report.locator("h1").click();
  await report.waitForTimeout(600);
  await report.screenshot({ path: join(book, "report.png") });

  const child = spawn(program, ["live", "belt_block", "--out", join(folder, "live")], { stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((resolve) => child.stdout.once("data", (data) => resolve(String(data).trim())));
  const live = await browser.newPage({ viewport: size });
  await live.goto(address);
  await live.waitForFunction(() => window.stickslip?.run.t[window.stickslip.run.frames - 1] > 1);
  await live.keyboard.press("Space");
  await live.getByRole("button", { name: "Resume" }).waitFor();
  await live.screenshot({ path: join(book, "live.png") });
  child.kill("SIGINT");
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
