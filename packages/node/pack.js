"use strict";
// Puts the binary of this platform into the package: $ORDAIN_BINARY, or what cargo built.
const fs = require("node:fs");
const path = require("node:path");

const source =
  process.env.ORDAIN_BINARY || path.join(__dirname, "../../target/release/ordain");
if (!fs.existsSync(source)) {
  console.error(`${source}: no binary; build it first, or name it with ORDAIN_BINARY`);
  process.exit(2);
}
const folder = path.join(__dirname, "native", `${process.platform}-${process.arch}`);
fs.mkdirSync(folder, {recursive: true});
const target = path.join(folder, process.platform === "win32" ? "ordain.exe" : "ordain");
fs.copyFileSync(source, target);
fs.chmodSync(target, 0o755);
