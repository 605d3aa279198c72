// Tests of runs that are watched while they go on, and of pages that have no business with them.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";

export function live({ assert, scenes, shots, folder, program, browser }) {
  /** Starts the program; its address and what ends it. */
  async function start(scene, ...options) {
    const child = spawn(program, ["live", scene, "--out", join(folder, "live"), ...options], { stdio: ["ignore", "pipe", "pipe"] });
    const address = await new Promise((resolve, reject) => {
      let text = "";
      child.stdout.on("data", (data) => {
        text += data;
        if (text.includes("\n")) resolve(text.trim());
      });
      child.on("exit", (code) => reject(new Error(`live ended with ${code}`)));
    });
    child.removeAllListeners("exit");
    return { address, url: new URL(address), end: () => new Promise((done) => { child.on("exit", done); child.kill("SIGINT"); }) };
  }

  async function open(address) {
    const context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
    page.on("pageerror", (e) => complaints.push(e.message));
    await page.goto(address);
    await page.waitForFunction(() => window.stickslip?.run.frames > 3, null, { timeout: 20_000 });
    return { page, complaints, close: () => context.close() };
  }

  const now = (page) => page.evaluate(() => {
    const { run } = window.stickslip;
    return { t: run.t[run.frames - 1], x: run.channels[0][run.frames - 1], frames: run.frames };
  });
  const says = (page, text) => page.getByRole("button", { name: text, exact: true });

  /** Asks as any program can, with any headers; the status. */
  const ask = (url, options = {}) => new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: url.port, path: url.pathname + url.search, ...options }, (answer) => {
      let body = "";
      answer.on("data", (d) => (body += d));
      answer.on("end", () => resolve({ status: answer.statusCode, body, headers: answer.headers }));
    });
    sent.on("error", reject);
    sent.on("upgrade", () => resolve({ status: 101, body: "" }));
    sent.end();
  });

  return [
    ["live: pause, step, sliders, drag, reset, record", async () => {
      const { address, end } = await start(scenes("block.toml"));
      const { page, complaints, close } = await open(address);
      const rest = await now(page);
      assert(Math.abs(rest.x) < 1e-9, `the block moves by itself: ${rest.x}`);
      await page.getByLabel("F, as a number").fill("2");
      await page.getByLabel("F, as a number").press("Enter");
      await page.waitForTimeout(800);
      const pushed = await now(page);
      assert(pushed.x > 0.05, `the slider does not change the motion: ${pushed.x}`);
      await says(page, "Pause").click();
      await says(page, "Go on").waitFor();
      const held = await now(page);
      await page.waitForTimeout(400);
      assert((await now(page)).t === held.t, "pause does not stop the clock");
      await says(page, "Step").click();
      await page.waitForFunction((t) => window.stickslip.run.t[window.stickslip.run.frames - 1] > t, held.t);
      const step = (await now(page)).t - held.t;
      assert(Math.abs(step - 1e-3) < 1e-9, `a step takes ${step} s`);
      await says(page, "Reset").click();
      await page.waitForFunction(() => window.stickslip.run.t[window.stickslip.run.frames - 1] < 0.01);
      await page.getByLabel("F, as a number").fill("0");
      await page.getByLabel("F, as a number").press("Enter");
      await says(page, "Record").click();
      await says(page, "Go on").click();
      await page.waitForTimeout(300);
      const before = (await now(page)).x;
      const [x, y] = await page.evaluate(() => {
        const box = window.stickslip.view.canvas.getBoundingClientRect();
        const at = window.stickslip.view.placeOf(1);
        return [box.left + at[0], box.top + at[1]];
      });
      await page.mouse.move(x + 2, y);
      await page.mouse.down();
      await page.mouse.move(x + 120, y, { steps: 8 });
      await page.waitForTimeout(600);
      await page.mouse.up();
      const dragged = (await now(page)).x;
      assert(dragged - before > 0.02, `dragging moves the block from ${before} to ${dragged}`);
      await page.screenshot({ path: join(shots, "live.png"), fullPage: true });
      await says(page, "Stop recording").click();
      await page.getByText("written:").waitFor();
      assert(existsSync(join(folder, "live", "recording-1", "report.html")), "there is no recording");
      assert(complaints.length === 0, complaints.join("; "));
      await close();
      await end();
      return `F = 2 moves it to ${pushed.x.toFixed(2)}, dragged to ${dragged.toFixed(2)}`;
    }],
    ["live: bodies in space and event-driven scenes run too", async () => {
      for (const scene of [scenes("pile.toml"), "dominoes"]) {
        const { address, end } = await start(scene);
        const { page, complaints, close } = await open(address);
        const first = await now(page);
        await page.waitForFunction((t) => window.stickslip.run.t[window.stickslip.run.frames - 1] > t, first.t);
        assert(complaints.length === 0, complaints.join("; "));
        await close();
        await end();
      }
    }],
    ["live: other programs, hosts and tokens are refused with 403", async () => {
      const { url, end } = await start(scenes("block.toml"));
      const good = `127.0.0.1:${url.port}`;
      const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==", "sec-websocket-version": "13" };
      const socket = new URL(`/socket${url.search}`, url);
      const cases = [
        ["the page", url, {}, 200],
        ["no token", new URL("/", url), {}, 403],
        ["a wrong token", new URL("/?token=00000000000000000000000000000000", url), {}, 403],
        ["a name that resolves here (DNS rebinding)", url, { headers: { host: `evil.example:${url.port}` } }, 403],
        ["another port in Host", url, { headers: { host: "127.0.0.1:1" } }, 403],
        ["another Origin", url, { headers: { host: good, origin: "http://evil.example" } }, 403],
        ["another site", url, { headers: { host: good, "sec-fetch-site": "cross-site" } }, 403],
        ["a post", url, { method: "POST", headers: { host: good } }, 403],
        ["another path", new URL(`/secret${url.search}`, url), {}, 403],
        ["a socket without Origin", socket, { headers: { host: good, ...upgrade } }, 403],
        ["a socket of another Origin", socket, { headers: { host: good, origin: "http://evil.example", ...upgrade } }, 403],
        ["a socket by another name", socket, { headers: { host: `evil.example:${url.port}`, origin: `http://evil.example:${url.port}`, ...upgrade } }, 403],
        ["a socket without token", new URL("/socket", url), { headers: { host: good, origin: `http://${good}`, ...upgrade } }, 403],
        ["the socket", socket, { headers: { host: good, origin: `http://${good}`, ...upgrade } }, 101],
      ];
      for (const [name, at, options, expected] of cases) {
        const { status, body } = await ask(at, options);
        assert(status === expected, `${name}: ${status} ${body}`);
        if (status === 403) assert(body.trim().length > 5, `${name}: no reason is given`);
      }
      const headers = (await ask(url)).headers;
      assert(headers["x-frame-options"] === "DENY" && headers["cache-control"] === "no-store", JSON.stringify(headers));
      const elsewhere = Object.values(networkInterfaces()).flat().find((i) => i && !i.internal && i.family === "IPv4");
      if (elsewhere) {
        const reached = await new Promise((done) => {
          const c = connect({ host: elsewhere.address, port: Number(url.port), timeout: 1000 }, () => { c.destroy(); done(true); });
          c.on("error", () => done(false));
          c.on("timeout", () => { c.destroy(); done(false); });
        });
        assert(!reached, `it listens on ${elsewhere.address}`);
      }
      await end();
      return `${cases.length} requests${elsewhere ? ", and one by the network" : ""}`;
    }],
    ["live: a stranger's page cannot drive it, even with the token", async () => {
      const { address, url, end } = await start(scenes("block.toml"));
      const { page, close } = await open(address);
      const stranger = createServer((_, answer) => {
        answer.setHeader("content-type", "text/html");
        answer.end("<!doctype html><title>stranger</title><p>Hello");
      });
      await new Promise((ready) => stranger.listen(0, "127.0.0.1", ready));
      const context = await browser.newContext();
      const evil = await context.newPage();
      await evil.goto(`http://localhost:${stranger.address().port}/`);
      const tries = await evil.evaluate(async ({ address, host, search }) => {
        const settled = (p) => Promise.race([p, new Promise((r) => setTimeout(() => r("nothing came"), 2500))]);
        const fetched = await settled(fetch(address).then((r) => r.text(), (e) => `refused: ${e.message}`));
        const blind = await settled(fetch(address, { mode: "no-cors" }).then((r) => `type ${r.type}, readable ${r.ok}`, (e) => `refused: ${e.message}`));
        const posted = await settled(fetch(address, { method: "POST", mode: "no-cors", body: '{"do":"set","name":"F","value":9}' }).then((r) => `type ${r.type}, readable ${r.ok}`, (e) => `refused: ${e.message}`));
        const socket = await settled(new Promise((done) => {
          const s = new WebSocket(`ws://${host}/socket${search}`);
          s.onopen = () => { s.send('{"do":"set","name":"F","value":9}'); done("open"); };
          s.onerror = () => done("refused");
        }));
        const frame = document.createElement("iframe");
        frame.name = "target";
        document.body.append(frame);
        const form = document.createElement("form");
        Object.assign(form, { method: "post", action: address, target: "target" });
        form.innerHTML = '<input name="do" value="set"><input name="value" value="9">';
        document.body.append(form);
        form.submit();
        await new Promise((r) => setTimeout(r, 500));
        let framed = "not readable";
        try {
          framed = frame.contentDocument?.body.textContent ?? "not readable";
        } catch { /* As it should be. */ }
        return { fetched, blind, posted, socket, framed };
      }, { address, host: url.host, search: url.search });
      assert(/^refused/.test(tries.fetched), `fetch: ${tries.fetched}`);
      assert(!/readable true/.test(tries.blind), `fetch without reading: ${tries.blind}`);
      assert(!/readable true/.test(tries.posted), `post: ${tries.posted}`);
      assert(tries.socket === "refused", `socket: ${tries.socket}`);
      assert(!/stickslip|Block/.test(tries.framed), `frame: ${tries.framed}`);
      const { x } = await now(page);
      const force = await page.getByLabel("F, as a number").inputValue();
      assert(Number(force) === 0 && Math.abs(x) < 1e-9, `the stranger moved the block: F = ${force}, x = ${x}`);
      await context.close();
      stranger.close();
      await close();
      await end();
      return `fetch ${tries.fetched.slice(0, 7)}, socket ${tries.socket}`;
    }],
  ];
}
