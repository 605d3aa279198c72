// Tests of reports of runs.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import validator from "gltf-validator";

/** How many colours the canvas of the replay has, at every eighth pixel. */
const colours = (page) => page.evaluate(() => {
  const canvas = window.stickslip.view.canvas;
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  const found = new Set();
  for (let i = 0; i < data.length; i += 32) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return found.size;
});

const cursor = (page) => page.evaluate(() => Number(document.querySelector(".plot canvas").dataset.cursor));

export function recorded({ assert, report, open, scenes, shots, folder, program }) {
  /** What holds for every report. */
  async function replays(scene, name, body) {
    const { page: file } = report(scene);
    const { page, complaints, close } = await open(file);
    const some = await colours(page);
    assert(some > 5, `the canvas is blank: ${some} colours`);
    const place = () => page.evaluate((b) => window.stickslip.view.placeOf(b), body);
    const before = await place();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.waitForTimeout(700);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    const after = await place();
    assert(Math.hypot(after[0] - before[0], after[1] - before[1]) > 3, `play does not move body ${body}: ${before} to ${after}`);
    const first = await cursor(page);
    await page.getByRole("slider", { name: "Time" }).fill("200");
    const later = await cursor(page);
    const frame = await page.evaluate(() => window.stickslip.player.frame);
    assert(frame === 200, `scrubbing leads to frame ${frame}`);
    assert(Math.abs(later - first) > 3, `scrubbing leaves the cursor of the plot at ${first}`);
    await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
    assert(complaints.length === 0, complaints.join("; "));
    await close();
    return `${some} colours, body from ${before.map(Math.round)} to ${after.map(Math.round)}, cursor from ${first} to ${later}`;
  }

  return [
    ["the report of the woodpecker replays without network", () => replays("woodpecker", "woodpecker", 4)],
    ["the report of a pile in space replays without network", () => replays(scenes("pile.toml"), "pile", 1)],
    ["bodies in the plane draw themselves", () => replays(scenes("tower.toml"), "tower", 4)],
    ["names with HTML in them are shown as text", async () => {
      const { page: file } = report(scenes("hostile.toml"));
      const { page, complaints, close } = await open(file);
      const title = await page.locator("h1").textContent();
      assert(title.includes("<img src=x onerror="), `the title is ${title}`);
      assert((await page.title()) !== "broken", "a script of the scene ran");
      assert((await page.locator("h1 img, h1 b, .lead script, td i, .legend i").count()) === 0, "markup of the scene became elements");
      assert((await page.locator("td").filter({ hasText: "<i onmouseover" }).count()) > 0, "the contact is not named");
      assert(complaints.length === 0, complaints.join("; "));
      await close();
    }],
    ["keyboard, screen reader, phone, dark", async () => {
      const { page: file } = report("dominoes");
      const { page, complaints, close } = await open(file, { viewport: { width: 390, height: 780 }, colorScheme: "dark", hasTouch: true, isMobile: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert(wide <= 390, `the page is ${wide} pixels wide on a phone of 390`);
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert(paper === "rgb(20, 23, 27)", `the dark page is ${paper}`);
      await page.keyboard.press("End");
      const [frame, frames] = await page.evaluate(() => [window.stickslip.player.frame, window.stickslip.run.frames]);
      assert(frame === frames - 1, "End does not lead to the last frame");
      await page.keyboard.press("ArrowLeft");
      assert((await page.evaluate(() => window.stickslip.player.frame)) === frames - 2, "an arrow key does not step");
      const label = await page.locator(".stage canvas").getAttribute("aria-label");
      assert(/t = .* contacts: .*hit2/.test(label), `a screen reader is told: ${label}`);
      const unnamed = await page.evaluate(() => [...document.querySelectorAll("button, input, select")]
        .filter((e) => !e.textContent.trim() && !e.getAttribute("aria-label") && !e.closest("label")).length);
      assert(unnamed === 0, `${unnamed} controls have no name`);
      await page.locator(".stage").tap();
      await page.screenshot({ path: join(shots, "phone-dark.png"), fullPage: true });
      assert(complaints.length === 0, complaints.join("; "));
      await close();
    }],
    ["a thousand bodies replay", async () => {
      const { page: file, size } = report(scenes("thousand.toml"));
      const { page, complaints, close } = await open(file, { viewport: { width: 800, height: 600 } });
      await page.evaluate(() => {
        const { player } = window.stickslip;
        player.speed = 0.2;
        player.play();
      });
      await page.waitForTimeout(3000);
      const rate = await page.evaluate(() => window.stickslip.player.rate);
      await page.screenshot({ path: join(shots, "thousand.png") });
      assert(complaints.length === 0, complaints.join("; "));
      await close();
      // The aim is 30 on a software renderer; cores that others use as well reach less. The figure is printed.
      assert(rate >= 20, `${rate} frames a second`);
      return `${rate} frames a second, ${(size / 1e6).toFixed(1)} MB`;
    }],
    ["10,000 frames of 100 bodies stay under 20 MB", async () => {
      const { size, page: file } = report(scenes("hundred.toml"));
      const { page, close } = await open(file);
      const [frames, bodies] = await page.evaluate(() => [window.stickslip.run.frames, window.stickslip.run.file.bodies.length]);
      await close();
      assert(frames >= 10_000 && bodies === 101, `${frames} frames of ${bodies} bodies`);
      assert(size < 20e6, `${size} bytes`);
      return `${frames} frames, ${(size / 1e6).toFixed(1)} MB`;
    }],
    ["glTF passes the validator of its makers, films play", async () => {
      const { dir } = report(scenes("pile.toml"));
      const [scene, film] = [join(dir, "pile.glb"), join(dir, "pile.mp4")];
      execFileSync(program, ["report", dir, "--gltf", scene], { stdio: "ignore" });
      const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(scene)));
      assert(issues.numErrors === 0 && issues.numWarnings === 0, JSON.stringify(issues.messages.slice(0, 5)));
      assert(info.animationCount === 1, "there is no animation");
      const said = `${info.totalTriangleCount} triangles, no errors, no warnings`;
      if (spawnSync("ffmpeg", ["-version"]).status !== 0) return `${said}; no ffmpeg, no film`;
      execFileSync(program, ["report", dir, "--mp4", film, "--speed", "2"], { stdio: "ignore" });
      const decoded = spawnSync("ffmpeg", ["-loglevel", "error", "-i", film, "-f", "null", "-"], { encoding: "utf8" });
      assert(decoded.status === 0 && !decoded.stderr, decoded.stderr);
      return `${said}; a film of ${statSync(film).size} bytes`;
    }],
    ["a directory without a run is refused", async () => {
      let said = "";
      try {
        execFileSync(program, ["report", folder], { stdio: "pipe" });
      } catch (error) {
        said = String(error.stderr);
        assert(error.status === 2, `exit code ${error.status}`);
      }
      assert(said.includes("replay.json"), said);
    }],
  ];
}
