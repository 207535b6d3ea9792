// Makes the page: one script, one style sheet, one document and the licences of what is inside.
//
//   node build.mjs           writes crates/explorer/assets
//   node build.mjs --check   fails if what is there is not what would be written
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const assets = join(here, "../crates/explorer/assets");

async function bundle(entry) {
  const made = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    target: ["chrome123", "firefox120", "safari17.5"],
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    absWorkingDir: here,
  });
  return { text: made.outputFiles[0].text, inputs: Object.keys(made.metafile.inputs) };
}

/** The licences of the packages that a bundle holds, by name. */
function licenses(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const parts = input.split("node_modules/").pop().split("/");
    if (input.includes("node_modules/")) {
      names.add(parts[0].startsWith("@") ? parts.slice(0, 2).join("/") : parts[0]);
    }
  }
  const texts = [...names].sort().map((name) => {
    const folder = join(here, "node_modules", name);
    const file = readdirSync(folder).find((it) => /^licen[sc]e/i.test(it));
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const text = file === undefined ? license : readFileSync(join(folder, file), "utf8").trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return `The explorer contains these packages.\n\n${texts.join("\n" + "-".repeat(72) + "\n\n")}`;
}

const [script, style] = [await bundle("src/main.tsx"), await bundle("src/style.css")];
const files = {
  "app.js": script.text,
  "app.css": style.text,
  "index.html": readFileSync(join(here, "src/index.html"), "utf8"),
  "licenses.txt": licenses(script.inputs),
};
let stale = false;
for (const [name, text] of Object.entries(files)) {
  const path = join(assets, name);
  if (!process.argv.includes("--check")) {
    writeFileSync(path, text);
  } else if (readFileSync(path, "utf8") !== text) {
    console.error(`crates/explorer/assets/${name} is stale: run \`npm run build\` in ui/`);
    stale = true;
  }
}
process.exit(stale ? 1 : 0);
