import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const { isImmutable, limits, pathText, rules, Schemas, typeOf, unions, walk } = await load("schema.ts");
const { sample } = await load("sample.ts");

const ROOT = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: { allOf: [{ $ref: "#/components/schemas/Spec" }], default: {}, description: "beside" },
  },
  "x-kubernetes-group-version-kind": [{ group: "g", version: "v1", kind: "K" }],
};
const SPEC = {
  type: "object",
  required: ["name", "size", "finish"],
  properties: {
    name: { type: "string", maxLength: 4, "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
    size: { type: "integer", minimum: 3, maximum: 9 },
    list: {
      type: "array",
      items: { type: "string" },
      "x-kubernetes-validations": [{ rule: "self.size() < 3" }],
    },
    inner: { $ref: "#/components/schemas/Spec" },
    finish: {
      type: "object",
      properties: {
        type: {
          type: "string",
          enum: ["Paint", "Raw"],
          "x-kubernetes-unions": { fieldMembers: { Paint: { name: "paint" }, Raw: null } },
        },
        paint: { type: "string" },
      },
    },
  },
};
const schemas = new Schemas({ Root: ROOT, Spec: SPEC });
const kind = { group: "g", version: "v1", kind: "K", plural: "ks", namespaced: false, verbs: ["get"] };

test("references are followed, and what is beside them wins", () => {
  const spec = schemas.at(ROOT, ["spec"]);
  assert.equal(spec.description, "beside");
  assert.equal(schemas.at(ROOT, ["spec", "list", "[]"]).type, "string");
  assert.equal(schemas.at(ROOT, ["spec", "inner", "inner", "size"]).minimum, 3);
  assert.equal(schemas.at(ROOT, ["spec", "constructor"]), undefined);
});

test("types that contain themselves are entered once", () => {
  let visited = 0;
  walk(schemas, ROOT, () => (visited += 1));
  assert.ok(visited < 40, String(visited));
});

test("schemas in a few words", () => {
  assert.equal(typeOf(schemas, SPEC.properties.list), "list of string");
  assert.deepEqual(limits(SPEC.properties.size), ["3 to 9"]);
  assert.equal(isImmutable(SPEC.properties.name), true);
  assert.deepEqual(unions(schemas, SPEC.properties.finish), [
    {
      discriminator: "type",
      members: [
        { value: "Paint", field: "paint" },
        { value: "Raw", field: "" },
      ],
    },
  ]);
  assert.equal(pathText(["spec", "list", "[]", "x"]), "spec.list[].x");
  assert.deepEqual(
    rules(schemas, ROOT)
      .slice(0, 2)
      .map((it) => pathText(it.path)),
    ["spec.name", "spec.list"],
  );
});

test("samples keep to the limits", () => {
  const made = sample(kind, schemas, "minimal");
  assert.deepEqual(Object.keys(made.spec), ["name", "size", "finish"]);
  assert.equal(made.spec.name, "exam");
  assert.equal(made.spec.size, 3);
  assert.equal(sample(kind, schemas, "full").spec.finish.paint, "example");
});
