// Tests the page of tputwin whatif in a browser. WHATIF_PAGE is a page that tputwin wrote.
import assert from "node:assert/strict";
import { test } from "node:test";
import { executable, open } from "./browser.mjs";

const written = process.env.WHATIF_PAGE;
const options = {
  skip: executable ? (written ? false : "WHATIF_PAGE names no page") : "no Chromium is installed (chromium-headless-shell)",
};
const isDrawn = () => document.querySelector("#plot canvas") !== null;

for (const dark of [false, true])
  test(`a plot and a table, ${dark ? "dark" : "light"}`, options, async () => {
    const { page, errors, close } = await open(written, { dark, isDrawn });
    const names = await page.locator("#over option").allTextContents();
    for (const name of names) {
      await page.selectOption("#over", name);
      const [xs, lines] = await page.evaluate((over) => {
        const [values, times] = globalThis.tputwin.linesOver(over);
        return [values, [...times.values()]];
      }, name);
      assert.ok(xs.length >= 1 && lines.length >= 1);
      for (const line of lines) assert.equal(line.length, xs.length);
      assert.equal(await page.locator("#plot canvas").count(), 1);
    }
    const rows = await page.locator("#table tbody tr").count();
    const data = JSON.parse(await page.locator("#whatif").textContent());
    assert.equal(rows, data.rows.length + 1);
    await page.click("#theme");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), dark ? "light" : "dark");
    assert.deepEqual(errors, []);
    if (process.env.WHATIF_PICTURE && !dark) await page.screenshot({ path: process.env.WHATIF_PICTURE });
    await close();
  });
