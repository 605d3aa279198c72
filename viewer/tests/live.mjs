// Tests of runs that are watched while they go on, and of pages that have no business with them.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { changed } from "./pixels.mjs";

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
    // Where a test fails it does not come to the end of its program.
    process.on("exit", () => child.kill("SIGKILL"));
    return { address, url: new URL(address), end: () => new Promise((done) => { child.on("exit", done); child.kill("SIGINT"); }) };
  }

  /** Waits until something holds, and fails with what was waited for. */
  async function until(holds, what) {
    for (const end = Date.now() + 10_000; !holds() && Date.now() < end;) await new Promise((r) => setTimeout(r, 50));
    assert(holds(), `${what} did not come in 10 s`);
  }

  async function open(address, frames = 4) {
    const context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
    page.on("pageerror", (e) => complaints.push(e.message));
    await page.goto(address);
    await page.waitForFunction((least) => window.stickslip?.run.frames >= least, frames, { timeout: 20_000 });
    return { page, complaints, close: () => context.close() };
  }

  const now = (page) => page.evaluate(() => {
    const { run } = window.stickslip;
    return { t: run.t[run.frames - 1], x: run.channels[0][run.frames - 1], frames: run.frames };
  });
  const slide = (page, name, value) => page.getByRole("slider", { name, exact: true }).fill(value);
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
      await slide(page, "F", "1");
      await page.waitForFunction(() => window.stickslip.run.channels[0][window.stickslip.run.frames - 1] > 0.05, null, { timeout: 5000 });
      const pushed = await now(page);
      await page.getByLabel("F, as a number").fill("-2");
      await page.getByLabel("F, as a number").press("Enter");
      await page.waitForFunction(() => window.stickslip.run.channels[1][window.stickslip.run.frames - 1] < 0, null, { timeout: 5000 });
      await page.locator("h1").click();
      await page.keyboard.press("Space");
      await says(page, "Resume").waitFor();
      const wider = await changed(page, async () => {
        await slide(page, "a", "0.5");
        await page.waitForFunction(() => window.stickslip.run.file.drawing[1].numbers[2].constant === 0.5);
      });
      assert(wider > 300, `a wider block changes ${wider} pixels`);
      const held = await now(page);
      await page.waitForTimeout(400);
      assert((await now(page)).t === held.t, "pause does not stop the clock");
      await says(page, "Step").click();
      await page.waitForFunction((t) => window.stickslip.run.t[window.stickslip.run.frames - 1] > t, held.t);
      const step = (await now(page)).t - held.t;
      assert(Math.abs(step - 1e-3) < 1e-9, `a step takes ${step} s`);
      const other = await open(address, 1);
      assert((await now(other.page)).t === held.t + step, "a page that is opened while the run stands shows another time");
      assert((await other.page.evaluate(() => window.stickslip.run.file.drawing[1].numbers[2].constant)) === 0.5, "a page that is opened later shows the width of the start");
      await other.close();
      await says(page, "Reset").click();
      await page.waitForFunction(() => window.stickslip.run.t[window.stickslip.run.frames - 1] < 0.01);
      await page.getByLabel("F, as a number").fill("0");
      await page.getByLabel("F, as a number").press("Enter");
      await says(page, "Record").click();
      await says(page, "Resume").click();
      await page.waitForFunction(() => window.stickslip.view.frame > 0 && window.stickslip.run.t[window.stickslip.view.frame] > 0.2);
      const before = (await now(page)).x;
      const [x, y] = await page.evaluate(() => {
        const box = window.stickslip.view.canvas.getBoundingClientRect();
        const at = window.stickslip.view.placeOf(1);
        return [box.left + at[0], box.top + at[1]];
      });
      await page.mouse.move(x + 2, y);
      await page.mouse.down();
      await page.mouse.move(x + 120, y, { steps: 8 });
      await page.waitForFunction((x) => window.stickslip.run.channels[0][window.stickslip.run.frames - 1] > x + 0.02, before, { timeout: 10_000 }).catch(() => {});
      await page.mouse.up();
      const dragged = (await now(page)).x;
      assert(dragged - before > 0.02, `dragging moves the block from ${before} to ${dragged}`);
      await page.screenshot({ path: join(shots, "live.png"), fullPage: true });
      await says(page, "Stop recording").click();
      await page.getByText("written:").waitFor();
      assert(existsSync(join(folder, "live", "recording-1", "report.html")), "there is no recording");
      await says(page, "Record").click();
      await says(page, "Stop recording").waitFor();
      await page.waitForTimeout(200);
      assert(complaints.length === 0, complaints.join("; "));
      await close();
      assert((await end()) === 0, "live does not end well");
      assert(existsSync(join(folder, "live", "recording-2", "report.html")), "a recording in progress is lost at the end");
      return `F = 1 moves it to ${pushed.x.toFixed(2)}, dragged to ${dragged.toFixed(2)}`;
    }],
    ["live: bodies in space are dragged, their contacts and events shown; event-driven scenes run too", async () => {
      const { address, end } = await start(scenes("box.toml"));
      const { page, complaints, close } = await open(address);
      // On the floor, with forces of some newtons, and drawn there.
      await page.waitForFunction(() => {
        const { run, view } = window.stickslip;
        return view.frame > 0 && run.t[view.frame] > 1 && run.contactsAt(run.frames - 1).some((c) => Math.hypot(...c.force) > 1);
      }, null, { timeout: 20_000 });
      const place = () => page.evaluate(() => {
        const { run, view } = window.stickslip;
        const box = view.canvas.getBoundingClientRect();
        const [x, y] = view.placeOf(1);
        const { channel } = run.file.bodies[1];
        return { x: box.left + x, y: box.top + y, z: run.channels[channel + 2][run.frames - 1] };
      });
      const rest = await place();
      await page.mouse.move(rest.x, rest.y);
      await page.mouse.down();
      await page.mouse.move(rest.x, rest.y - 120, { steps: 8 });
      await page.waitForFunction((z) => {
        const { run } = window.stickslip;
        return run.channels[run.file.bodies[1].channel + 2][run.frames - 1] > z + 0.02;
      }, rest.z, { timeout: 10_000 }).catch(() => {});
      const lifted = await place();
      await page.screenshot({ path: join(shots, "live-space.png"), fullPage: true });
      await page.mouse.up();
      assert(lifted.z - rest.z > 0.02, `dragging lifts the box from ${rest.z} to ${lifted.z}`);
      const force = await page.evaluate(() => window.stickslip.view.force.value);
      assert(force !== 1, "arrows of a live run are scaled by 1 N");
      const curve = await page.evaluate(() => window.stickslip.run.range(window.stickslip.run.of("derived")[0]));
      assert(curve[1] > 1, `the plot of contact forces reaches ${curve[1]} N`);
      assert((await page.locator("tbody tr").filter({ hasText: "impact" }).count()) > 0, "no event is listed");
      assert((await page.locator("h2").allTextContents()).every((text) => text.trim()), "a heading is empty");
      assert(complaints.length === 0, complaints.join("; "));
      await close();
      await end();
      const dominoes = await start("dominoes");
      const opened = await open(dominoes.address);
      const first = await now(opened.page);
      await opened.page.waitForFunction((t) => window.stickslip.run.t[window.stickslip.run.frames - 1] > t, first.t);
      assert(opened.complaints.length === 0, opened.complaints.join("; "));
      await opened.close();
      await dominoes.end();
      return `lifted by ${(lifted.z - rest.z).toFixed(2)} m, arrows scaled by ${force.toFixed(1)} N`;
    }],
    ["live: names with HTML in them are shown as text", async () => {
      const { address, end } = await start(scenes("hostile.toml"));
      const { page, complaints, close } = await open(address);
      assert((await page.locator("h1").textContent()).includes("<img src=x onerror="), "the title is not shown");
      assert((await page.title()) !== "broken" && (await page.locator("h1 img, h1 b, td i, figcaption u").count()) === 0, "markup of the scene became elements");
      assert(complaints.length === 0, complaints.join("; "));
      await close();
      await end();
    }],
    ["live: input that makes no sense is refused, and it goes on", async () => {
      const { address, url, end } = await start(scenes("block.toml"));
      const { page, close } = await open(address);
      const long = await ask(new URL(`/${url.search}&x=${"y".repeat(9000)}`, url)).catch((e) => ({ status: e.code }));
      assert(long.status !== 200, "a head of 9 kB is answered");
      const send = (text) => page.evaluate(({ search, text }) => new Promise((done) => {
        const socket = new WebSocket(`ws://${location.host}/socket${search}`);
        socket.onopen = () => { socket.send(text); setTimeout(() => { done(socket.readyState); socket.close(); }, 150); };
        socket.onerror = () => done("error");
      }), { search: url.search, text });
      const messages = [
        "no JSON", '{"do":', '{"do":"launch"}', '{"do":"set","name":"nobody","value":1}', '{"do":"set","name":"m","value":null}',
        '{"do":"set","name":"m","value":0}', '{"do":"speed","value":1e-22}', '{"do":"speed","value":-1}',
        '{"do":"drag","body":1000000000,"point":[0,0,0],"target":[0,0,0]}', '{"do":"drag","body":-1,"point":[0,0,0],"target":[0,0,0]}',
        '{"do":"drag","body":1,"point":[0,0,0],"target":[1e308,1e308,0]}', '{"do":"release"}',
      ];
      for (const text of messages) assert((await send(text)) === 1, `the socket breaks at ${text}`);
      const huge = await send(JSON.stringify({ do: "set", name: "F".repeat(5000), value: 1 }));
      assert(huge !== 1, "a message of 5 kB is taken");
      const { t } = await now(page);
      await page.waitForFunction((t) => window.stickslip.run.t[window.stickslip.run.frames - 1] > t, t, { timeout: 5000 });
      assert((await ask(url)).status === 200, "the page is not answered any more");
      assert(Number.isFinite((await now(page)).x), "the motion is lost");
      await close();
      await end();
      return `${messages.length + 2} inputs`;
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
      // What the server answered, whether or not the browser hands it to the page.
      const network = await context.newCDPSession(evil);
      // The two come from two processes of the browser, in any order and at any time.
      const [asked, answered] = [new Map(), new Map()];
      network.on("Network.requestWillBeSent", ({ requestId, request, type }) => asked.set(requestId, [request, type]));
      network.on("Network.responseReceivedExtraInfo", ({ requestId, statusCode }) => answered.set(requestId, statusCode));
      const answersTo = (wanted) => [...asked]
        .filter(([id, [request, type]]) => answered.has(id) && request.url.startsWith(url.origin) && `${request.method} ${type}` === wanted)
        .map(([id]) => answered.get(id));
      await network.send("Network.enable");
      await evil.goto(`http://localhost:${stranger.address().port}/`);
      const tries = await evil.evaluate(async ({ address, host, search }) => {
        const settled = (p) => Promise.race([p, new Promise((r) => setTimeout(() => r("nothing came"), 2500))]);
        const fetched = await settled(fetch(address).then((r) => r.text(), (e) => `refused: ${e.message}`));
        const blind = await settled(fetch(address, { mode: "no-cors" }).then((r) => r.type, (e) => `refused: ${e.message}`));
        const posted = await settled(fetch(address, { method: "POST", mode: "no-cors", body: '{"do":"set","name":"F","value":9}' }).then((r) => r.type, (e) => `refused: ${e.message}`));
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
        form.innerHTML = '<input name="do" value="set"><input name="name" value="F"><input name="value" value="9">';
        document.body.append(form);
        form.submit();
        await new Promise((r) => setTimeout(r, 500));
        return { fetched, blind, posted, socket };
      }, { address, host: url.host, search: url.search });
      assert(/^refused/.test(tries.fetched), `fetch: ${tries.fetched}`);
      assert(tries.socket === "refused", `socket: ${tries.socket}`);
      // Those that came to an answer, with or without the page being told.
      const kinds = { "GET Fetch": 2, "POST Fetch": 1, "POST Document": 1 };
      for (const [wanted, count] of Object.entries(kinds)) {
        await until(() => answersTo(wanted).length === count, `${count} answers to ${wanted}`);
        assert(answersTo(wanted).every((status) => status === 403), `${wanted}: ${answersTo(wanted)}`);
      }
      const { x } = await now(page);
      const force = await page.getByLabel("F, as a number").inputValue();
      assert(Number(force) === 0 && Math.abs(x) < 1e-9, `the stranger moved the block: F = ${force}, x = ${x}`);
      await context.close();
      stranger.close();
      await close();
      await end();
      return `${Object.keys(kinds).flatMap(answersTo).length} answers, all 403, socket ${tries.socket}`;
    }],
  ];
}
