// Builds the pages, built/NAME.html: each is one file that contains its script and style.
// src/shell.html surrounds the content of src/NAME.html: tools of the heading, then from <main> on
// the page. The pages contain the check sum of their sources, which web/check.cmake compares.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const pages = { profile: "main.js", whatif: "whatif.js" };

function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

function sourcesSum() {
  const files = ["build.mjs", "package-lock.json", ...readdirSync(join(here, "src")).map((name) => `src/${name}`)];
  return sha256(files.sort().map((name) => `${name} ${sha256(readFileSync(join(here, name)))}\n`).join(""));
}

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    target: ["chrome100", "firefox100", "safari15"],
    charset: "ascii",
    legalComments: "inline",
  });
  return result.outputFiles[0].text.trim();
}

function source(name) {
  return readFileSync(join(here, "src", name), "utf8");
}

const style = await bundle("src/style.css");
for (const [name, entry] of Object.entries(pages)) {
  const script = await bundle(`src/${entry}`), page = join(here, `built/${name}.html`);
  const [tools, main] = source(`${name}.html`).split(/^(?=<main>$)/m);
  const html = source("shell.html")
    .replaceAll("@NAME@", name)
    .replace("@SOURCES@", sourcesSum())
    .replace("@TOOLS@", () => tools.trimEnd())
    .replace("@MAIN@", () => main.trimEnd())
    .replace("/*STYLE*/", () => style)
    .replace("/*SCRIPT*/", () => script.replaceAll("</script", "<\\/script"));
  writeFileSync(page, html);
  console.log(`${page}: ${html.length} bytes`);
}
