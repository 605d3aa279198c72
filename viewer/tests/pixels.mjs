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
const fine = (page) => page.waitForFunction(() => {
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
