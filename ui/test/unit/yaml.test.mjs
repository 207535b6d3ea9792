import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const { enclosing, fieldSteps, key, nearest, pathAtLine, read, withValue } = await load("yaml.ts");

const TEXT = `spec:
  parts:
  - name: wheel
    count: 4
  - name: horn
  labels:
    app.kubernetes.io/name: x
  nested:
    - - a: 1
`;
const LINES = TEXT.split("\n");

test("paths of the API become steps", () => {
  assert.deepEqual(fieldSteps("spec.parts[0].count"), ["spec", "parts", "0", "count"]);
  assert.deepEqual(fieldSteps("metadata.labels[app.kubernetes.io/name]"), [
    "metadata",
    "labels",
    "app.kubernetes.io/name",
  ]);
  assert.deepEqual(fieldSteps(""), []);
  assert.deepEqual(fieldSteps("a[b"), ["a", "b"]);
});

test("lines have paths by indentation", () => {
  assert.deepEqual(pathAtLine(LINES, 3), ["spec", "parts", "[]", "count"]);
  assert.deepEqual(pathAtLine(LINES, 4), ["spec", "parts", "[]", "name"]);
  assert.deepEqual(pathAtLine(LINES, 6), ["spec", "labels", "app.kubernetes.io/name"]);
  assert.deepEqual(pathAtLine(LINES, 8), ["spec", "nested", "[]", "[]", "a"]);
  assert.deepEqual(pathAtLine(["", "# a: 1"], 1), []);
});

test("a new key belongs to the mapping of its column", () => {
  assert.deepEqual(enclosing([...LINES.slice(0, 5), "    "], 5, 4), ["spec", "parts", "[]"]);
  assert.deepEqual(enclosing([...LINES.slice(0, 5), "  "], 5, 2), ["spec"]);
  assert.deepEqual(enclosing([...LINES.slice(0, 5), ""], 5, 0), []);
});

test("fields have places, and what is missing that of what it is missing in", () => {
  const parsed = read(TEXT);
  assert.equal(parsed.places.get(key(["spec", "parts", "0", "count"])).line, 3);
  assert.equal(nearest(parsed, ["spec", "parts", "1", "count"]).line, 4);
  assert.equal(nearest(parsed, ["status"]), undefined);
});

test("YAML 1.1 as Kubernetes reads it", () => {
  assert.deepEqual(read("a: yes\nb: 010\nc: 'x'").value, { a: true, b: 8, c: "x" });
  assert.equal(read("a: [").value, undefined);
  assert.ok(read("a: [").mistakes.length > 0);
});

test("aliases that multiply are not followed", () => {
  const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
  for (const [before, name] of ["ab", "bc", "cd", "de", "ef"].map((it) => it.split(""))) {
    bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(",")}]`);
  }
  assert.equal(read(bomb.join("\n")).value, undefined);
});

test("values are set where they belong, and comments stay", () => {
  const text = "# mine\nspec:\n  size: Small # keep\n";
  assert.deepEqual(read(withValue(text, ["spec", "prices", "EUR"], 1)).value, {
    spec: { size: "Small", prices: { EUR: 1 } },
  });
  assert.match(withValue(text, ["spec", "size"], "Large"), /# mine\nspec:\n {2}size: Large # keep/);
  assert.deepEqual(read(withValue("a: [1, 2]", ["a", "1"], 3)).value, { a: [1, 3] });
  assert.deepEqual(read(withValue("a: {b: 1}", ["a", "b"], undefined)).value, { a: {} });
  assert.deepEqual(read(withValue("a: 1", ["b", "c"], undefined)).value, { a: 1 });
});
