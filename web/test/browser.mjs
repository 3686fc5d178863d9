// A headless Chromium that opens pages without any network.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"];
const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

export const executable = process.env.CHROMIUM ?? PLACES.find(existsSync);

const profileIsDrawn = () => globalThis.tputwin?.timeline.drawn > 0;

// {page, errors, close}: errors are whatever the console or the network complained of.
export async function open(path, { width = 1400, height = 1000, dark = false, isDrawn = profileIsDrawn } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "tputwin-page-"));
  const context = await chromium.launchPersistentContext(directory, {
    executablePath: executable, args: FLAGS, viewport: { width, height }, colorScheme: dark ? "dark" : "light",
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const errors = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || errors.push(`asks for ${request.url()}`));
  await page.goto(`file://${path}`);
  await page.waitForFunction(isDrawn);
  const close = async () => {
    await context.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { page, errors, close };
}
