// Builds the pages: each one file with its script and its style inside. They name the sources they
// were made of by their check sum, which web/check.cmake compares.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const pages = { page: ["main.js", "insight/profile/page.html"], whatif: ["whatif.js", "tools/timing/whatif.html"] };

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

const style = await bundle("src/style.css");
for (const [name, [entry, output]] of Object.entries(pages)) {
  const script = await bundle(`src/${entry}`), page = join(here, "../src", output);
  const html = readFileSync(join(here, `src/${name}.html`), "utf8")
    .replace("@SOURCES@", sourcesSum())
    .replace("/*STYLE*/", () => style)
    .replace("/*SCRIPT*/", () => script.replaceAll("</script", "<\\/script"));
  writeFileSync(page, html);
  console.log(`${page}: ${html.length} bytes`);
}
