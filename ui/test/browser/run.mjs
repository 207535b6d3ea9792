// Runs one case against a server:  node run.mjs CASE URL [TOKEN]
import { visit } from "./driver.mjs";
import * as attacks from "./attacks.mjs";
import * as views from "./views.mjs";

const [name, url, token] = process.argv.slice(2);
const cases = { ...views, ...attacks };
const chosen = cases[name];
if (chosen === undefined) {
  console.error(`there is no case ${name}; there is: ${Object.keys(cases).join(", ")}`);
  process.exit(2);
}
try {
  await visit(url, (it) => chosen(it, token));
} catch (error) {
  console.error(`${name}: ${error.stack ?? error}`);
  process.exit(1);
}
