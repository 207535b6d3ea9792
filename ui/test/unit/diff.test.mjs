import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const { bare, equal, lines, mergePatch, missing } = await load("diff.ts");

test("lines of two texts in order", () => {
  const shown = lines("a\nb\nc", "a\nx\nc\nd").map((it) => `${it.kind[0]}${it.text}`);
  assert.deepEqual(shown, ["sa", "rb", "ax", "sc", "ad"]);
  assert.deepEqual(
    lines("a", "a").map((it) => it.kind),
    ["same"],
  );
});

test("merge patches change, add and take out", () => {
  const patch = mergePatch({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { a: 1, b: { c: 3 }, e: [1, 2], f: 4 });
  assert.deepEqual(patch, { b: { c: 3, d: null }, e: [1, 2], f: 4 });
  assert.equal(mergePatch({ a: [1] }, { a: [1] }), undefined);
});

test("what is missing is told by its top", () => {
  const whole = { a: 1, b: { c: 2, d: 3 }, l: [{ x: 1, y: 2 }] };
  assert.deepEqual(missing({ a: 1, b: { c: 2 }, l: [{ x: 1 }] }, whole), [
    [["b", "d"], 3],
    [["l", "0", "y"], 2],
  ]);
  assert.deepEqual(missing({}, { b: { c: 1 } }), [[["b"], { c: 1 }]]);
});

test("names of prototypes are plain names", () => {
  assert.deepEqual(missing({}, JSON.parse('{"__proto__": 1, "constructor": 2}')).length, 2);
  assert.equal(equal({}, JSON.parse('{"toString": 1}')), false);
});

test("objects without what the server writes", () => {
  assert.deepEqual(bare({ metadata: { name: "a", uid: "u", resourceVersion: "1" } }), {
    metadata: { name: "a" },
  });
});
