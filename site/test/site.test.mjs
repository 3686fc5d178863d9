// Tests the site in a browser. SITE is the folder that `make site` builds; a web server of this
// test serves it. PICTURES is a folder for pictures of some pages, light and dark.
import assert from "node:assert/strict";
import { createReadStream, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { executable, launch } from "../../web/test/browser.mjs";

const { SITE, PICTURES } = process.env;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png" };
const PICTURED = ["index.html", "concepts.html", "course.html", "support.html", "api/tpukernel.html", "errors.html"];
const options = {
  skip: !executable ? "no Chromium is installed (chromium-headless-shell)" : SITE ? false : "SITE names no site",
};

let server, origin;

before(async () => {
  server = createServer((request, response) => {
    const file = join(SITE, normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)));
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const pages = () => readdirSync(SITE, { recursive: true }).map(String).filter((name) => name.endsWith(".html") && name !== "404.html").sort();

// Returns the pixels by which the page is wider than the window. The page itself must not scroll
// sideways.
const overhang = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

test("every page loads without errors and sends no request to another host", options, async () => {
  const { page, errors, close } = await launch({ origin });
  const names = pages();
  assert.ok(names.length > 50);
  for (const name of names) {
    await page.goto(`${origin}/${name}`);
    await page.waitForFunction(() => document.querySelector("article h1") !== null);
    assert.deepEqual(errors, [], name);
    assert.ok((await page.evaluate(overhang)) <= 0, `${name} is wider than the window`);
  }
  await close();
});

// Returns the address of the result that matches `wanted`, which must be among the first eight.
async function found(page, words, wanted) {
  await page.goto(`${origin}/index.html`);
  // fill() enters all words at once. With single keys, the search of a slow machine sees incomplete
  // words, and prints errors for texts like "TW-".
  await page.fill(".md-search__input", words);
  await page.press(".md-search__input", "End");
  const results = () => page.locator(".md-search-result__item a").evaluateAll((all) => all.slice(0, 8).map((a) => a.href));
  const isThere = (pattern) => [...document.querySelectorAll(".md-search-result__item a")].slice(0, 8).some((a) => new RegExp(pattern).test(a.href));
  await page.waitForFunction(isThere, wanted, { timeout: 60000 }).catch(async () => assert.fail(`${words} finds ${await results()}`));
  return (await results()).map((href) => new URL(href)).find(({ href }) => new RegExp(wanted).test(href));
}

test("the search finds pages, rules and functions, and leads to the anchors of functions", options, async () => {
  const { page, errors, close } = await launch({ origin });
  for (const [words, wanted] of [
    ["okk_bdc_conv2d", "/api/okkernel.html.*#okk_bdc_conv2d"],
    ["bm_memcpy_s2d", "/api/bmlib.html.*#bm_memcpy_s2d"],
    ["bmk1880_tpu_conv", "/api/bmkernel.html"],
    ["TW-OPS-0004", "/errors.html"],
    ["calibration threshold", "/calibration.html"],
    ["tpu_bdc_fp_add", "/api/tpukernel.html.*#tpu_bdc_fp_add"],
  ])
    await found(page, words, wanted);
  const { pathname, hash } = await found(page, "tpu_bdc_fp_add", "/api/tpukernel.html.*#tpu_bdc_fp_add");
  await page.goto(`${origin}${pathname}${hash}`);
  const { top } = await page.locator(hash).evaluate((element) => element.getBoundingClientRect().toJSON());
  assert.ok(top >= 0 && top < 400, `${top}`);
  assert.deepEqual(errors, []);
  await close();
});

for (const dark of [false, true])
  test(`pages and drawings are ${dark ? "dark" : "light"} if the reader's system is`, options, async () => {
    const { page, errors, close } = await launch({ origin, dark });
    await page.goto(`${origin}/concepts.html`);
    const scheme = () => page.evaluate(() => document.body.dataset.mdColorScheme);
    const ink = () => page.evaluate(() => getComputedStyle(document.querySelector("svg.tw text")).fill);
    assert.equal(await scheme(), dark ? "slate" : "default");
    const before = await ink();
    await page.locator("form[data-md-component=palette] label:visible").click();
    assert.equal(await scheme(), dark ? "default" : "slate");
    assert.notEqual(await ink(), before);
    assert.deepEqual(errors, []);
    await close();
  });

test("writes pictures", { skip: options.skip || (PICTURES ? false : "PICTURES names no folder") }, async () => {
  mkdirSync(PICTURES, { recursive: true });
  for (const dark of [false, true]) {
    const { page, close } = await launch({ origin, dark });
    for (const name of PICTURED) {
      await page.goto(`${origin}/${name}`);
      const path = join(PICTURES, `${name.replace(".html", "").replace("/", "-")}-${dark ? "dark" : "light"}.png`);
      await page.screenshot({ path });
      assert.ok(readFileSync(path).length > 10_000);
    }
    await close();
  }
});
