// Modules of the page for tests without a browser.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

export async function load(name) {
  const entry = fileURLToPath(new URL(`../../src/${name}`, import.meta.url));
  const made = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
  });
  return import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].text).toString("base64")}`);
}
