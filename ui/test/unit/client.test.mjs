import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const { warnings } = await load("client.ts");
const { parseMetrics, sum } = await load("metrics.ts");
const { kindsOf, matches } = await load("kinds.ts");

test("warnings come apart again", () => {
  const header = '299 - "unknown field \\"spec.x\\"", 299 - "one, two"';
  assert.deepEqual(warnings(header), ['unknown field "spec.x"', "one, two"]);
  assert.deepEqual(warnings(null), []);
});

test("metrics are read", () => {
  const samples = parseMetrics('# HELP a\na{x="1",y="q\\"}"} 2\na{x="2"} 3.5\nb 1e3\n');
  assert.equal(sum(samples, "a"), 5.5);
  assert.equal(
    sum(samples, "a", (labels) => labels.x === "1"),
    2,
  );
  assert.equal(sum(samples, "b"), 1000);
});

test("a kind of several versions is one, and found by its short name", () => {
  const resource = {
    resource: "widgets",
    responseKind: { kind: "Widget" },
    scope: "Namespaced",
    singularResource: "widget",
    verbs: ["get"],
    shortNames: ["wd"],
  };
  const kinds = kindsOf([
    {
      metadata: { name: "shop" },
      versions: [
        { version: "v1", resources: [resource] },
        { version: "v1beta1", resources: [resource] },
      ],
    },
  ]);
  assert.equal(kinds.length, 1);
  assert.deepEqual(
    kinds[0].versions.map((it) => it.name),
    ["v1", "v1beta1"],
  );
  assert.ok(matches(kinds[0], "wd") && matches(kinds[0], "WIDG") && !matches(kinds[0], "pod"));
});
