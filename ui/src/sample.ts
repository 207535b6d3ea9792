// Samples of a kind, made from its schema: the least that it asks for, or all that it knows.
import { isTree, type Tree } from "./diff.ts";
import { apiVersion, type Kind } from "./kinds.ts";
import { leastOfKind, leastOfType } from "./least.ts";
import { unions, type Schema, type Schemas } from "./schema.ts";

export type Size = "minimal" | "full";

const DEPTH_MAX = 6;

export function sample(kind: Kind, schemas: Schemas, size: Size): Tree {
  const type = schemas.of(kind);
  const root = schemas.open(type);
  const made: Tree = {
    apiVersion: apiVersion(kind),
    kind: kind.kind,
    metadata: {
      // What is answered and not stored has no name.
      ...(kind.verbs.includes("get") ? { name: "example" } : {}),
      ...(kind.namespaced ? { namespace: "default" } : {}),
    },
  };
  const required = new Set(root.required ?? []);
  for (const [name, property] of Object.entries(root.properties ?? {})) {
    if (["apiVersion", "kind", "metadata", "status"].includes(name)) continue;
    if (size === "full" || required.has(name) || name === "spec") {
      made[name] = valueOf(schemas, property, size, 1);
    }
  }
  const asked = [leastOfType(schemas.nameOf(type)), leastOfKind(kind.group, kind.kind)];
  return asked.reduce<Tree>((object, least) => over(object, least) as Tree, made);
}

/** A value with what is asked for laid over it: maps by their keys, lists by their places. */
function over(value: unknown, asked: unknown): unknown {
  if (asked === undefined) return value;
  if (isTree(value) && isTree(asked)) {
    const keys = Object.keys(asked).map((key) => [key, over(value[key], asked[key])] as const);
    return { ...value, ...Object.fromEntries(keys) };
  }
  if (Array.isArray(value) && Array.isArray(asked)) {
    return asked.map((it: unknown, index) => over(value[index], it));
  }
  return asked;
}

/** A value that fits a schema, and what the server asks of built-in types besides. */
export function valueOf(schemas: Schemas, schema: Schema, size: Size, depth = 0): unknown {
  return over(plainValueOf(schemas, schema, size, depth), leastOfType(schemas.nameOf(schema)));
}

function plainValueOf(schemas: Schemas, schema: Schema, size: Size, depth: number): unknown {
  const here = schemas.open(schema);
  if (here.default !== undefined && (size === "minimal" || here.properties === undefined)) {
    if (!isNothing(here.default)) return here.default;
  }
  if (here.enum !== undefined && here.enum.length > 0) return here.enum.find((it) => it !== "");
  if (here["x-kubernetes-int-or-string"]) return 1;
  switch (here.type) {
    case "string":
      return text(here);
    case "integer":
    case "number":
      return number(here);
    case "boolean":
      return true;
    case "array":
      return list(schemas, here, size, depth);
    default:
      return here.properties === undefined && here.additionalProperties === undefined
        ? {}
        : object(schemas, here, size, depth);
  }
}

/** What Go's zero values become in a schema; nobody would choose it. */
function isNothing(value: unknown): boolean {
  if (value === "" || value === 0) return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function object(schemas: Schemas, here: Schema, size: Size, depth: number): Tree {
  const made: Tree = {};
  if (depth > DEPTH_MAX) return made;
  const required = new Set(here.required ?? []);
  const cleared = notSelected(schemas, here);
  for (const [name, property] of Object.entries(here.properties ?? {})) {
    const wanted = size === "full" ? !cleared.has(name) : required.has(name);
    if (wanted) made[name] = valueOf(schemas, property, size, depth + 1);
  }
  const more = here.additionalProperties;
  const least = here.minProperties ?? 0;
  if (typeof more === "object" && (size === "full" || least > Object.keys(made).length)) {
    made.key = valueOf(schemas, more, size, depth + 1);
  }
  return made;
}

/** The members of unions that the first value of the discriminator does not select. */
function notSelected(schemas: Schemas, here: Schema): Set<string> {
  const cleared = new Set<string>();
  for (const union of unions(schemas, here)) {
    const discriminator = schemas.child(here, union.discriminator) ?? {};
    const chosen = valueOf(schemas, discriminator, "minimal");
    for (const member of union.members) {
      if (member.field !== "" && member.value !== chosen) cleared.add(member.field);
    }
  }
  return cleared;
}

function list(schemas: Schemas, here: Schema, size: Size, depth: number): unknown[] {
  if (depth > DEPTH_MAX) return [];
  const least = here.minItems ?? (size === "full" ? 1 : 0);
  const count = Math.min(Math.max(least, 0), 5);
  return Array.from({ length: count }, () => valueOf(schemas, here.items ?? {}, size, depth + 1));
}

const FORMATS: Record<string, string> = {
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  duration: "5m0s",
  uri: "https://example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  ip: "192.0.2.1",
  cidr: "192.0.2.0/24",
  email: "somebody@example.com",
  hostname: "example.com",
  byte: "ZXhhbXBsZQ==",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  quantity: "1",
};

function text(here: Schema): string {
  const made = FORMATS[here.format ?? ""] ?? "example";
  const long = made.padEnd(here.minLength ?? 0, "x");
  return here.maxLength === undefined ? long : long.slice(0, here.maxLength);
}

function number(here: Schema): number {
  const step = here.multipleOf ?? (here.type === "integer" ? 1 : 0.5);
  const low = here.minimum ?? Math.min(1, here.maximum ?? 1);
  const least = here.exclusiveMinimum && here.minimum !== undefined ? low + step : low;
  const high = here.maximum ?? Infinity;
  return Math.min(least, here.exclusiveMaximum ? high - step : high);
}
