// What is on the canvas of a page.

/** Runs in the page: the pixels of the replay. */
const read = `(() => {
  const canvas = window.stickslip.view.canvas;
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  return context.getImageData(0, 0, copy.width, copy.height).data;
})()`;

/** How many colours there are, at every eighth pixel. */
export const colours = (page) => page.evaluate(`(() => {
  const data = ${read};
  const found = new Set();
  for (let i = 0; i < data.length; i += 32) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return found.size;
})()`);

/** Pixels are coarse while something moves, on a machine that does not keep up, and get fine again. */
export const fine = (page) => page.waitForFunction(() => {
  const { width, clientWidth } = window.stickslip.view.canvas;
  return width >= clientWidth;
});

/** How many pixels an action changes. */
export async function changed(page, act) {
  await fine(page);
  await page.evaluate(`void (window.before = ${read})`);
  await act();
  await fine(page);
  return page.evaluate(`(() => {
    const [before, now] = [window.before, ${read}];
    let count = 0;
    for (let i = 0; i < now.length; i += 4) {
      if (Math.abs(now[i] - before[i]) + Math.abs(now[i + 1] - before[i + 1]) + Math.abs(now[i + 2] - before[i + 2]) > 24) count++;
    }
    return count;
  })()`);
}

/** How many pixels have the hue of each colour of the legend, and are as colourful as a shaded surface of that colour. */
export const legend = (page) => page.evaluate(`(() => {
  const polar = ([r, g, b]) => {
    const [x, y] = [r - (g + b) / 2, (Math.sqrt(3) / 2) * (g - b)];
    return [Math.atan2(y, x), Math.hypot(x, y) / Math.max(r, g, b, 1)];
  };
  const dots = [...document.querySelectorAll(".key span")];
  const names = dots.map((d) => d.textContent);
  const wanted = dots.map((d) => polar(getComputedStyle(d.querySelector("i")).backgroundColor.match(/\\d+/g).map(Number)));
  const data = ${read};
  const count = names.map(() => 0);
  for (let i = 0; i < data.length; i += 4) {
    const [hue, chroma] = polar([data[i], data[i + 1], data[i + 2]]);
    wanted.forEach(([h, c], k) => {
      const off = Math.abs(Math.atan2(Math.sin(hue - h), Math.cos(hue - h)));
      if (off < 0.12 && chroma > 0.8 * c) count[k]++;
    });
  }
  return Object.fromEntries(names.map((name, k) => [name, count[k]]));
})()`);
