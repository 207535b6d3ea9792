"use strict";
// The Kubernetes API server's verdict on objects, without a server: one run of the binary.
const {spawnSync} = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

/** Bytes of a report that are read. */
const OUTPUT_MAX = 256 * 1024 * 1024;

/** The binary is not there, or could not use what it was given. */
class OrdainError extends Error {}

/** The server would refuse an object. */
class Invalid extends Error {
  constructor(report) {
    super(report.errors.map((it) => (it.field ? `${it.field}: ${it.message}` : it.message)).join("\n"));
    this.report = report;
  }
}

/** Where the package has its binary for this platform, if it has one. */
function own() {
  const name = process.platform === "win32" ? "ordain.exe" : "ordain";
  return path.join(__dirname, "native", `${process.platform}-${process.arch}`, name);
}

/** The path of the binary: $ORDAIN, that of the package, or one on the PATH. */
function binary() {
  return process.env.ORDAIN || (fs.existsSync(own()) ? own() : "ordain");
}

/** The binary of the package. The command runs nothing else: a name on the PATH may be its own. */
function packed() {
  if (!fs.existsSync(own())) {
    throw new OrdainError(`the package has no binary for ${process.platform}-${process.arch}`);
  }
  return own();
}

function list(value) {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

/** The arguments that name definitions; those without a file are written to a folder. */
function definitions(crds, folder) {
  return list(crds).flatMap((crd, at) => {
    const isText = typeof crd === "string" && crd.includes("\n");
    if (typeof crd === "string" && !isText) return ["--crds", crd];
    const file = path.join(folder, `${at}.yaml`);
    fs.writeFileSync(file, isText ? crd : JSON.stringify(crd));
    return ["--crds", file];
  });
}

/** Judges objects as a server with these definitions would judge their creation. */
function validate(objects, options = {}) {
  const given = list(objects);
  if (given.length === 0) return report([], 0);
  const byLine = given.every((it) => typeof it === "object");
  const text = byLine
    ? given.map((it) => JSON.stringify(it) + "\n").join("")
    : given.map((it) => (typeof it === "object" ? JSON.stringify(it) : it)).join("\n---\n");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ordain-"));
  try {
    const named = definitions(options.crds, folder);
    const missing = options.ignoreMissingSchemas ? ["--ignore-missing-schemas"] : [];
    const more = [...missing, ...named, ...list(options.arguments)];
    const done = spawnSync(
      binary(),
      ["--config", "none", "validate", "-o", "json", ...more, "-"],
      {input: text, encoding: "utf8", maxBuffer: OUTPUT_MAX},
    );
    if (done.error) throw new OrdainError(done.error.message);
    if (done.status !== 0 && done.status !== 1) throw new OrdainError(done.stderr.trim());
    const told = JSON.parse(done.stdout);
    const findings = told.findings.map((it) => ({...it, index: byLine ? it.line - 1 : undefined}));
    return report(findings, told.summary.objects);
  } finally {
    fs.rmSync(folder, {recursive: true, force: true});
  }
}

function report(findings, judged) {
  const of = (severity) => findings.filter((it) => it.severity === severity);
  const made = {findings, judged, errors: of("error"), warnings: of("warning")};
  made.ok = made.errors.length === 0;
  made.check = () => {
    if (!made.ok) throw new Invalid(made);
    return made;
  };
  return made;
}

module.exports = {Invalid, OrdainError, binary, packed, validate};
