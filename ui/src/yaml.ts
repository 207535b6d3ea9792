// YAML texts with places: which line a field is on, and which field a line is about.
import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  stringify,
  type Document,
  type Node,
} from "yaml";
import { isTree } from "./diff.ts";

/** Where something is: lines count from 0, offsets from the start of the text. */
export interface Span {
  line: number;
  from: number;
  to: number;
  /** The last line of the value. */
  lastLine: number;
  column: number;
}

export interface Parsed {
  document: Document.Parsed;
  value: unknown;
  /** Mistakes of the text itself. */
  mistakes: { from: number; to: number; message: string }[];
  /** Places by path, keys joined by NUL. */
  places: Map<string, Span>;
}

const JOIN = "\u0000";

export function key(path: readonly string[]): string {
  return path.join(JOIN);
}

export function steps(joined: string): string[] {
  return joined === "" ? [] : joined.split(JOIN);
}

/** Reads a text as Kubernetes does: YAML 1.1, one document. */
export function read(text: string): Parsed {
  const counter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: counter,
    version: "1.1",
    schema: "yaml-1.1",
    merge: true,
    prettyErrors: false,
    customTags: [],
  });
  const places = new Map<string, Span>();
  const put = (path: string[], from: number, to: number, end: number) => {
    const start = counter.linePos(from);
    const last = counter.linePos(Math.max(from, end - 1));
    places.set(key(path), {
      line: start.line - 1,
      column: start.col - 1,
      lastLine: last.line - 1,
      from,
      to,
    });
  };
  const enter = (node: unknown, path: string[]) => {
    if (isMap(node)) {
      for (const pair of node.items) {
        if (!isPair(pair) || !isScalar(pair.key)) continue;
        const inside = [...path, String(pair.key.value)];
        const [from = 0, to = from] = pair.key.range ?? [];
        const end = (pair.value as Node | null)?.range?.[1] ?? to;
        put(inside, from, to, end);
        enter(pair.value, inside);
      }
    } else if (isSeq(node)) {
      node.items.forEach((item, index) => {
        const inside = [...path, String(index)];
        const [from = 0, to = from] = (item as Node | null)?.range ?? [];
        put(inside, from, to, to);
        enter(item, inside);
      });
    }
  };
  enter(document.contents, []);
  const mistakes = document.errors.map((it) => ({
    from: it.pos[0],
    to: Math.max(it.pos[1], it.pos[0] + 1),
    message: it.message,
  }));
  let value: unknown;
  try {
    value = mistakes.length === 0 ? document.toJS({ maxAliasCount: 100 }) : undefined;
  } catch {
    value = undefined;
  }
  return { document, value, mistakes, places };
}

/** The value at the end of a way. */
export function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((here, step) => {
    if (Array.isArray(here)) return here[Number(step)];
    return isTree(here) && Object.hasOwn(here, step) ? here[step] : undefined;
  }, value);
}

/** A text with a value set, or taken out if it is undefined. Comments and order stay. */
export function withValue(text: string, path: readonly string[], value: unknown): string {
  const { document, value: object } = read(text);
  const known = path.findIndex((_, index) => at(object, path.slice(0, index + 1)) === undefined);
  const end = known < 0 ? path.length : known + 1;
  const steps = path
    .slice(0, end)
    .map((step, index) => (Array.isArray(at(object, path.slice(0, index))) ? Number(step) : step));
  // What is missing on the way is made as plain maps.
  const made = path.slice(end).reduceRight<unknown>((inner, step) => ({ [step]: inner }), value);
  if (value === undefined) document.deleteIn(steps);
  // A plain value takes the place of the one before it, and its comment.
  else document.setIn(steps, typeof made === "object" ? document.createNode(made) : made);
  return document.toString({ lineWidth: 0 });
}

export function write(value: unknown): string {
  return stringify(value, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false });
}

/** The place of a path, or of the nearest thing above it that is there. */
export function nearest(parsed: Parsed, path: readonly string[]): Span | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const span = parsed.places.get(key(path.slice(0, length)));
    if (span !== undefined) return span;
  }
  return undefined;
}

/** The steps of a path as the API writes it: `spec.items[0].labels[app/x]`. */
export function fieldSteps(field: string): string[] {
  const found: string[] = [];
  let at = 0;
  while (at < field.length) {
    if (field[at] === "[") {
      const end = field.indexOf("]", at);
      const inside = field.slice(at + 1, end < 0 ? undefined : end);
      found.push(inside.replace(/^"(.*)"$/, "$1"));
      at = end < 0 ? field.length : end + 1;
    } else {
      if (field[at] === ".") at += 1;
      const tail = field.slice(at).search(/[.[]/);
      const end = tail < 0 ? field.length : at + tail;
      if (end > at) found.push(field.slice(at, end));
      at = end === at ? at + 1 : end;
    }
  }
  return found;
}

interface Layout {
  /** Columns of the dashes that the line begins with. */
  dashes: number[];
  /** Where the text after them begins. */
  column: number;
  key: string | undefined;
}

function layout(line: string): Layout | undefined {
  if (line.trim() === "" || /^\s*#/.test(line)) return undefined;
  let rest = line.trimStart();
  let column = line.length - rest.length;
  const dashes: number[] = [];
  while (/^-(\s|$)/.test(rest)) {
    dashes.push(column);
    const inner = rest.slice(1);
    column += 1 + inner.length - inner.trimStart().length;
    rest = inner.trimStart();
  }
  const name = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s:#][^:#]*?)\s*:(\s|$)/.exec(rest)?.[1];
  return { dashes, column, key: name?.replace(/^["']|["']$/g, "") };
}

/**
 * The path of the mapping that a key at this line and column is in, by indentation alone: texts do
 * not parse while somebody types. Items of lists count as `[]`.
 */
export function enclosing(lines: readonly string[], at: number, column: number): string[] {
  const path: string[] = [];
  // Parents are further to the left; the key of a list may be right above its dashes.
  let [keyBelow, dashBelow] = [column, column];
  for (let number = at; number >= 0 && (keyBelow > 0 || dashBelow > 0); number -= 1) {
    const found = layout(lines[number] ?? "");
    if (found === undefined) continue;
    if (number !== at && found.key !== undefined && found.column < keyBelow) {
      path.unshift(found.key);
      keyBelow = dashBelow = found.column;
    }
    for (const dash of found.dashes.reverse()) {
      if (dash >= dashBelow) continue;
      path.unshift("[]");
      dashBelow = dash;
      keyBelow = dash + 1;
    }
  }
  return path;
}

/** The path that a line is about. */
export function pathAtLine(lines: readonly string[], at: number): string[] {
  const found = layout(lines[at] ?? "");
  if (found === undefined) return [];
  const above = enclosing(lines, at, found.column);
  return found.key === undefined ? above : [...above, found.key];
}
