// The server's own answer to a text (a dry run), brought back to the lines of the text.
import { ApiError, ask, type Status } from "./client.ts";
import { bare, isTree, mergePatch, missing, withoutManagers, type Tree } from "./diff.ts";
import type { Marks } from "./editor.ts";
import { apiVersion, pathOf, type Kind } from "./kinds.ts";
import { at, fieldSteps, key, nearest, read, write, type Parsed } from "./yaml.ts";

export type Verb = "create" | "apply" | "replace";

/** What is done with a text. */
export interface Deed {
  verb: Verb;
  /** Whether an apply takes over fields that others own. */
  force: boolean;
}

export const MANAGER = "explorer";

export interface Problem {
  message: string;
  field: string;
  reason: string;
  line: number;
  severity: "error" | "warning";
}

export interface Verdict {
  /** Whether the server would do it; undefined while it cannot be asked. */
  ok: boolean | undefined;
  problems: Problem[];
  marks: Marks;
  /** The object as it would be stored. */
  result?: Tree;
  /** The merge patch from what is stored now to what would be. */
  patch?: unknown;
  /** Fields that were in the text and would not be stored. */
  dropped: string[];
  /** Fields of the stored object that would be gone, though the text does not speak of them. */
  cleared: string[];
}

export interface Named {
  name: string;
  namespace: string;
}

/** Name and namespace of an object. */
export function nameOf(kind: Kind, object: unknown): Named {
  const metadata = isTree(object) && isTree(object.metadata) ? object.metadata : {};
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const namespace = kind.namespaced ? text(metadata.namespace) || "default" : "";
  return { name: text(metadata.name), namespace };
}

/** Sends a text to the server; with `dryRun` nothing is stored. */
export function send(
  kind: Kind,
  { verb, force }: Deed,
  text: string,
  object: unknown,
  dryRun: boolean,
  signal?: AbortSignal,
) {
  const { name, namespace } = nameOf(kind, object);
  const query = new URLSearchParams({ fieldManager: MANAGER, fieldValidation: "Warn" });
  if (dryRun) query.set("dryRun", "All");
  if (verb === "apply" && force) query.set("force", "true");
  const path = pathOf(kind, namespace, verb === "create" ? "" : name);
  const method = { create: "POST", apply: "PATCH", replace: "PUT" }[verb];
  const contentType = verb === "apply" ? "application/apply-patch+yaml" : "application/yaml";
  return ask<Tree>(`${path}?${query}`, { method, body: text, contentType, signal });
}

/** Asks the server about a text. `stored` is the object as it is now, if there is one. */
export async function judge(
  kind: Kind,
  deed: Deed,
  text: string,
  stored: Tree | undefined,
  signal: AbortSignal,
): Promise<Verdict> {
  const parsed = read(text);
  const none: Verdict = {
    ok: undefined,
    problems: [],
    marks: { problems: [], ghosts: [], dropped: [] },
    dropped: [],
    cleared: [],
  };
  const before = mistakes(kind, parsed, text);
  if (before.length > 0) return withProblems(none, before, parsed, text);
  try {
    const answer = await send(kind, deed, text, parsed.value, true, signal);
    const warnings = answer.warnings.map((it) => problemOf(parsed, it, unknownField(it), "warning", ""));
    return withProblems(accepted(none, parsed, answer.value, stored, deed.verb), warnings, parsed, text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return withProblems({ ...none, ok: false }, refusals(parsed, error.status), parsed, text);
  }
}

/** What keeps a text from being sent at all. */
function mistakes(kind: Kind, parsed: Parsed, text: string): Problem[] {
  const lineOf = (offset: number) => text.slice(0, offset).split("\n").length - 1;
  const found = parsed.mistakes.map((it): Problem => ({
    message: it.message,
    field: "",
    reason: "Syntax",
    line: lineOf(it.from),
    severity: "error",
  }));
  if (found.length > 0) return found;
  const object = parsed.value;
  const wrong = (message: string, field: string) => problemOf(parsed, message, field, "error", "Invalid");
  if (!isTree(object)) return [wrong("this is no object", "")];
  if (object.kind !== kind.kind) found.push(wrong(`kind must be ${kind.kind} here`, "kind"));
  if (object.apiVersion !== apiVersion(kind)) {
    found.push(wrong(`apiVersion must be ${apiVersion(kind)} here`, "apiVersion"));
  }
  return found;
}

function refusals(parsed: Parsed, status: Status): Problem[] {
  const causes = status.details?.causes ?? [];
  if (causes.length === 0) {
    const message = status.message ?? "refused";
    return [problemOf(parsed, message, unknownField(message), "error", status.reason ?? "")];
  }
  return causes.map((it) => problemOf(parsed, it.message ?? "", it.field ?? "", "error", it.reason ?? ""));
}

/** The field of `unknown field "spec.x"` and its like. */
function unknownField(message: string): string {
  return /(?:unknown|duplicate) field "([^"]+)"/.exec(message)?.[1] ?? "";
}

function problemOf(
  parsed: Parsed,
  message: string,
  field: string,
  severity: Problem["severity"],
  reason: string,
): Problem {
  const line = nearest(parsed, fieldSteps(field))?.line ?? 0;
  return { message, field, reason, line, severity };
}

function withProblems(verdict: Verdict, problems: Problem[], parsed: Parsed, text: string): Verdict {
  const starts = text.split("\n");
  const offset = (line: number) => starts.slice(0, line).reduce((sum, it) => sum + it.length + 1, 0);
  const marked = problems.map((it) => {
    const span = nearest(parsed, fieldSteps(it.field));
    const from = span?.from ?? offset(it.line);
    const to = span?.to ?? from + (starts[it.line]?.length ?? 0);
    return { from, to, message: it.message, severity: it.severity };
  });
  return { ...verdict, problems, marks: { ...verdict.marks, problems: marked } };
}

/** What an accepted text becomes: defaults, dropped fields, the patch. */
function accepted(
  none: Verdict,
  parsed: Parsed,
  answer: Tree,
  stored: Tree | undefined,
  verb: Verb,
): Verdict {
  const result = withoutManagers(answer);
  const dropped = missing(result, parsed.value).map(([path]) => path);
  const added = missing(parsed.value, bare(result)).filter(([path]) => path[0] !== "status");
  const known = stored === undefined ? undefined : withoutManagers(stored);
  // Under apply, what others own stays without being said.
  const ghosts =
    verb === "apply" && known !== undefined ? added.filter(([path]) => at(known, path) === undefined) : added;
  const cleared = known === undefined ? [] : missing(result, bare(known)).map(([path]) => path);
  return {
    ...none,
    ok: true,
    result,
    patch: known === undefined ? undefined : mergePatch(bare(known), bare(result)),
    dropped: dropped.map((it) => it.join(".")),
    cleared: cleared.map((it) => it.join(".")),
    marks: {
      problems: [],
      ghosts: ghostLines(parsed, ghosts),
      dropped: dropped.flatMap((path) => {
        const span = parsed.places.get(key(path));
        return span === undefined ? [] : [{ from: span.from, to: endOf(parsed, path, span.to) }];
      }),
    },
  };
}

/** Where the value of a field ends in the text. */
function endOf(parsed: Parsed, path: string[], fallback: number): number {
  const node = parsed.document.getIn(path, true) as { range?: [number, number, number] } | undefined;
  return node?.range?.[1] ?? fallback;
}

/** Fields that are added, as lines below the last line of what they are added to. */
function ghostLines(parsed: Parsed, added: [string[], unknown][]): Marks["ghosts"] {
  const byParent = new Map<string, Tree>();
  for (const [path, value] of added) {
    const parent = key(path.slice(0, -1));
    byParent.set(parent, { ...byParent.get(parent), [path.at(-1) ?? ""]: value });
  }
  const found: Marks["ghosts"] = [];
  for (const [parent, fields] of byParent) {
    const inside = [...parsed.places].filter(([it]) => it.startsWith(parent === "" ? "" : `${parent}\u0000`));
    const line = Math.max(...inside.map(([, it]) => it.lastLine), parsed.places.get(parent)?.lastLine ?? 0);
    const depth = parent === "" ? 0 : parent.split("\u0000").length;
    const first = inside.find(([it]) => it.split("\u0000").length === depth + 1)?.[1];
    const indent = first?.column ?? (parsed.places.get(parent)?.column ?? -2) + 2;
    const text = write(fields)
      .trimEnd()
      .split("\n")
      .map((it) => " ".repeat(indent) + it)
      .join("\n");
    found.push({ line, text });
  }
  return found;
}
