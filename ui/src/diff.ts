// Differences: between texts by line, between objects by field.

export interface Line {
  kind: "same" | "added" | "removed";
  text: string;
}

/** More lines than this are compared as a block. */
const LINES_MAX = 3000;

/** The lines of both texts in order, by their longest common subsequence. */
export function lines(before: string, after: string): Line[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const same = (text: string): Line => ({ kind: "same", text });
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

function middle(a: string[], b: string[]): Line[] {
  const removed = (text: string): Line => ({ kind: "removed", text });
  const added = (text: string): Line => ({ kind: "added", text });
  if (a.length * b.length > LINES_MAX * LINES_MAX) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const down = table[(i + 1) * width + j] ?? 0;
      const right = table[i * width + j + 1] ?? 0;
      const both = (table[(i + 1) * width + j + 1] ?? 0) + 1;
      table[i * width + j] = a[i] === b[j] ? both : Math.max(down, right);
    }
  }
  const found: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      found.push({ kind: "same", text: left });
      i += 1;
      j += 1;
    } else if (
      right === undefined ||
      (left !== undefined && (table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0))
    ) {
      found.push(removed(left ?? ""));
      i += 1;
    } else {
      found.push(added(right));
      j += 1;
    }
  }
  return found;
}

export type Tree = Record<string, unknown>;

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((it, index) => equal(it, b[index]));
  }
  if (!isTree(a) || !isTree(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((it) => Object.hasOwn(b, it) && equal(a[it], b[it]))
  );
}

/** The JSON merge patch from one object to another; undefined when there is no difference. */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (!isTree(before) || !isTree(after)) return equal(before, after) ? undefined : after;
  const patch: Tree = {};
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const inner = Object.hasOwn(before, name) ? mergePatch(before[name], value) : value;
    if (inner !== undefined) patch[name] = inner;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/**
 * The fields of `whole` that `part` does not have, as paths with their values: of what is missing
 * altogether only the top. Items of lists are compared where both lists have them.
 */
export function missing(part: unknown, whole: unknown, path: string[] = []): [string[], unknown][] {
  if (Array.isArray(part) && Array.isArray(whole)) {
    return part.flatMap((it, index) =>
      index < whole.length ? missing(it, whole[index], [...path, String(index)]) : [],
    );
  }
  if (!isTree(part) || !isTree(whole)) return [];
  return Object.entries(whole).flatMap(([name, value]): [string[], unknown][] =>
    Object.hasOwn(part, name) ? missing(part[name], value, [...path, name]) : [[[...path, name], value]],
  );
}

/** What the server writes by itself into every object. */
const OWN = ["managedFields", "uid", "resourceVersion", "creationTimestamp", "generation", "selfLink"];

/** An object without what the server writes by itself. */
export function bare(object: unknown): unknown {
  if (!isTree(object)) return object;
  const metadata = isTree(object.metadata) ? { ...object.metadata } : {};
  for (const name of OWN) delete metadata[name];
  return { ...object, metadata };
}

export function withoutManagers<T>(object: T): T {
  if (!isTree(object) || !isTree(object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata } as T;
}
