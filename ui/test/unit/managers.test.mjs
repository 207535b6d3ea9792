import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const { owners } = await load("managers.ts");

test("fields, items by key and by value have their managers", () => {
  const object = {
    metadata: {
      managedFields: [
        {
          manager: "a",
          operation: "Apply",
          fieldsV1: { "f:spec": { "f:parts": { 'k:{"name":"horn"}': { ".": {}, "f:count": {} } } } },
        },
        {
          manager: "b",
          operation: "Update",
          fieldsV1: { "f:spec": { "f:tags": { 'v:"red"': {} }, "f:gone": {} } },
        },
      ],
    },
    spec: { parts: [{ name: "wheel" }, { name: "horn", count: 1 }], tags: ["blue", "red"] },
  };
  const found = new Map(
    [...owners(object)].map(([path, managers]) => [
      path.split("\0").join("."),
      managers.map((it) => it.name),
    ]),
  );
  assert.deepEqual(found.get("spec.parts.1"), ["a"]);
  assert.deepEqual(found.get("spec.parts.1.count"), ["a"]);
  assert.deepEqual(found.get("spec.tags.1"), ["b"]);
  assert.equal(found.has("spec.parts.0"), false);
});
