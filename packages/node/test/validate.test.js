"use strict";
const assert = require("node:assert");
const test = require("node:test");
const {Invalid, OrdainError, validate} = require("../index.js");

const service = (port) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: {name: "s"},
  spec: {ports: [{port}]},
});

test("what a server takes is ok", () => {
  const report = validate(service(80));
  assert.ok(report.ok);
  assert.strictEqual(report.judged, 1);
  assert.strictEqual(validate([]).judged, 0);
});

test("findings name their object", () => {
  const report = validate([service(80), service(0)]);
  assert.ok(report.errors.length > 0);
  assert.ok(report.errors.every((it) => it.index === 1));
  assert.ok(report.errors.some((it) => it.field === "spec.ports[0].port"));
  assert.throws(() => report.check(), Invalid);
});

test("texts are taken as they are", () => {
  const report = validate("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndate: {}\n");
  assert.strictEqual(report.errors[0].rule, "unknown-field");
});

test("what cannot be used is an error", () => {
  assert.throws(() => validate(service(80), {crds: "/no/such/folder"}), OrdainError);
});
