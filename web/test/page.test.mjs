// Tests the page in a browser, with synthetic profiles. If PROFILE_PAGE is set, also tests a page
// that tputwin wrote.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Profile } from "../src/data.js";
import { executable, open } from "./browser.mjs";
import { syntheticProfile } from "./synthetic.mjs";

const options = { skip: executable ? false : "no Chromium is installed (chromium-headless-shell)" };
const template = join(dirname(fileURLToPath(import.meta.url)), "../built/profile.html");
let directory;

before(() => (directory = mkdtempSync(join(tmpdir(), "tputwin-pages-"))));
after(() => rmSync(directory, { recursive: true, force: true }));

function page(count) {
  const path = join(directory, `${count}.html`);
  const data = JSON.stringify(syntheticProfile(count));
  writeFileSync(path, readFileSync(template, "utf8").replace("@PROFILE@", () => data));
  return path;
}

const state = () => {
  const { view, timeline } = globalThis.tputwin;
  return { begin: view.begin, end: view.end, span: view.span, total: view.total, selected: view.selected, drawn: timeline.drawn };
};

// Waits until the page has drawn all changes; returns its state.
async function settled(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page.evaluate(state);
}

// Returns the number of colours of a canvas; more than one means that it is not empty.
const colours = (id) => {
  const canvas = document.getElementById(id);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
};

for (const dark of [false, true])
  test(`loads without errors, ${dark ? "dark" : "light"}`, options, async () => {
    const { page: tab, errors, close } = await open(page(3000), { dark });
    await settled(tab);
    assert.equal(await tab.evaluate(() => document.documentElement.dataset.theme), dark ? "dark" : "light");
    assert.ok((await tab.evaluate(colours, "timeline")) > 8);
    assert.ok((await tab.evaluate(colours, "overview")) > 2);
    assert.equal(await tab.locator("#use canvas").count(), 1);
    assert.equal(await tab.locator("#roofline canvas").count(), 1);
    await tab.click("#theme");
    await settled(tab);
    assert.equal(await tab.evaluate(() => document.documentElement.dataset.theme), dark ? "light" : "dark");
    assert.deepEqual(errors, []);
    await close();
  });

test("rows of tables are times of the run, as those of the summary", () => {
  const profile = new Profile(syntheticProfile(3000));
  for (const column of ["layer", "op", "call", "kernel", "reason", "line"])
    for (const row of profile.totals(column)) assert.ok(row.time <= profile.total, `${column} ${profile.names[row.name]}`);
  const [kernel] = profile.totals("kernel");
  assert.equal(kernel.time, profile.launches[0].end - profile.launches[0].begin);
  const load = profile.totals("op").find((row) => profile.names[row.name] === "gdma_load");
  assert.ok(Math.abs(load.time - load.dma) < 1e-6 * load.dma); // one engine runs one after the other
});

test("searches", options, async () => {
  const { page: tab, errors, close } = await open(page(3000));
  await tab.keyboard.press("/");
  await tab.keyboard.type("res3/branch1");
  await settled(tab);
  assert.match(await tab.textContent("#matches"), /^24 commands, /);
  await tab.keyboard.press("Enter");
  const first = await settled(tab);
  assert.ok(first.selected >= 0 && first.span < first.total / 4);
  assert.match(await tab.textContent("#selected"), /res3\/branch1/);
  await tab.keyboard.press("Enter");
  assert.notEqual((await settled(tab)).selected, first.selected);
  await tab.keyboard.press("Escape");
  assert.equal(await tab.textContent("#matches"), "");
  await tab.click("#why li button");
  await settled(tab);
  assert.match(await tab.textContent("#matches"), /^24 commands, /);
  await tab.click("#tables tbody button");
  await settled(tab);
  assert.match(await tab.textContent("#matches"), /command/);
  assert.deepEqual(errors, []);
  await close();
});

test("zooms and moves by keys, wheel and mouse", options, async () => {
  const { page: tab, errors, close } = await open(page(3000));
  await tab.focus("#timeline");
  const whole = await settled(tab);
  assert.equal(whole.span, whole.total);
  for (let i = 0; i < 4; ++i) await tab.keyboard.press("+");
  const zoomed = await settled(tab);
  assert.ok(zoomed.span < whole.span / 3);
  await tab.keyboard.press("ArrowRight");
  const moved = await settled(tab);
  assert.ok(moved.begin > zoomed.begin && Math.abs(moved.span - zoomed.span) < 1e-6 * zoomed.span);
  const box = await tab.locator("#timeline").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + 70];
  await tab.mouse.move(x, y);
  await tab.mouse.down();
  await tab.mouse.move(x + 200, y, { steps: 4 });
  await tab.mouse.up();
  assert.ok((await settled(tab)).begin < moved.begin);
  await tab.mouse.wheel(0, -400);
  assert.ok((await settled(tab)).span < moved.span);
  await tab.keyboard.press("Shift+ArrowRight");
  assert.ok((await settled(tab)).selected >= 0);
  await tab.keyboard.press("0");
  assert.equal((await settled(tab)).span, whole.total);
  assert.deepEqual(errors, []);
  await close();
});

// The test prints the times, but has no limit for them. They depend on the host, and this browser
// paints without a GPU.
test("100,000 commands stay fluid", options, async (t) => {
  const { page: tab, errors, close } = await open(page(100_000));
  for (const span of [1, 0.1, 0.001]) {
    const times = await tab.evaluate(async (span) => {
      const { view, draw } = globalThis.tputwin;
      view.show(0, span * view.total);
      const times = [];
      for (let frame = 0; frame < 60; ++frame) {
        await new Promise(requestAnimationFrame);
        view.begin = Math.min(view.total - view.span, view.begin + 0.02 * view.span);
        view.end = view.begin + span * view.total;
        const begin = performance.now();
        draw();
        times.push(performance.now() - begin);
      }
      return times.sort((a, b) => a - b);
    }, span);
    assert.equal(times.length, 60);
    t.diagnostic(`${span * 100} % of time shown: a frame takes ${times[30].toFixed(1)} ms in the middle, ${times[57].toFixed(1)} ms in the 95th percentile`);
  }
  assert.deepEqual(errors, []);
  await close();
});

test("a page of tputwin profile", { skip: options.skip || (process.env.PROFILE_PAGE ? false : "PROFILE_PAGE names none") }, async () => {
  const { page: tab, errors, close } = await open(process.env.PROFILE_PAGE);
  await settled(tab);
  assert.ok((await tab.evaluate(colours, "timeline")) > 5);
  assert.ok((await tab.locator("#tables tbody tr").count()) > 0);
  assert.deepEqual(errors, []);
  await close();
});
