// Opens pages in a headless Chromium without any network.
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

// Returns {page, errors, close} with an empty page. `errors` collects errors and warnings of the
// console, and requests to anything except this host's files and `origin`.
export async function launch({ origin, width = 1400, height = 1000, dark = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "tputwin-page-"));
  const context = await chromium.launchPersistentContext(directory, {
    executablePath: executable, args: FLAGS, viewport: { width, height }, colorScheme: dark ? "dark" : "light",
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const errors = [];
  const isOurs = (url) => /^(file|data|blob):/.test(url) || (origin && url.startsWith(`${origin}/`));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => isOurs(request.url()) || errors.push(`requests ${request.url()}`));
  const close = async () => {
    await context.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { page, errors, close };
}

// Returns {page, errors, close} when the page of a file is drawn.
export async function open(path, { isDrawn = profileIsDrawn, ...options } = {}) {
  const launched = await launch(options);
  await launched.page.goto(`file://${path}`);
  await launched.page.waitForFunction(isDrawn);
  return launched;
}
