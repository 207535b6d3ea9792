#!/usr/bin/env node
"use strict";
// Runs the binary with the arguments of this process.
const {spawnSync} = require("node:child_process");
const {packed} = require("../index.js");

const done = spawnSync(packed(), process.argv.slice(2), {stdio: "inherit"});
if (done.error) {
  console.error(`error: ${done.error.message}`);
  process.exit(2);
}
process.exit(done.status === null ? 1 : done.status);
