// The page in a real Chromium. Each test is a function; the first that fails ends the run with its reason.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, program } from "./browser.mjs";
import { recorded } from "./recorded.mjs";
import { live } from "./live.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "stickslip-viewer-"));
const shots = join(here, "..", "shots");
mkdirSync(shots, { recursive: true });

const browser = await launch();

export function assert(truth, text) {
  if (!truth) throw new Error(text);
}

const reports = new Map();

/** Runs a scene and writes its report, once for all tests; the path of the page. */
function report(scene) {
  const known = reports.get(scene) ?? makeReport(scene);
  reports.set(scene, known);
  return known;
}

function makeReport(scene) {
  const out = join(folder, `run-${Math.random().toString(36).slice(2)}`);
  execFileSync(program, ["run", scene, "--out", out, "--quiet"], { stdio: ["ignore", "ignore", "inherit"] });
  execFileSync(program, ["report", out], { stdio: "ignore" });
  return { dir: out, page: join(out, "report.html"), size: statSync(join(out, "report.html")).size };
}

/** A page without network that must not complain; `complaints` holds what it said. */
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  await context.setOffline(true);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
  page.on("pageerror", (e) => complaints.push(e.message));
  page.on("request", (r) => {
    if (!/^(file|data|blob):/.test(r.url())) complaints.push(`asked for ${r.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => window.stickslip, null, { timeout: 30_000 });
  return { page, complaints, close: () => context.close() };
}

const scenes = (name) => join(here, "scenes", name);
const kit = { assert, report, open, scenes, shots, folder, program, browser };
let failed = false;
try {
  for (const [name, test] of [...recorded(kit), ...live(kit)].filter(([name]) => !process.argv[2] || name.includes(process.argv[2]))) {
    const start = Date.now();
    try {
      const said = await test();
      console.log(`ok    ${name}${said ? `: ${said}` : ""} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed = true;
      console.log(`FAIL  ${name}: ${error instanceof Error ? error.stack : error}`);
    }
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
