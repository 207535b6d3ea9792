// Schemas as the server publishes them, with references followed when they are looked at.
import { get } from "./client.ts";
import { apiVersion, type Kind } from "./kinds.ts";

export interface Rule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  nullable?: boolean;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  multipleOf?: number;
  uniqueItems?: boolean;
  "x-kubernetes-validations"?: Rule[];
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-unions"?: unknown;
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
  [extension: string]: unknown;
}

interface Document {
  components?: { schemas?: Record<string, Schema> };
}

/** The schemas of one group and version. */
export class Schemas {
  constructor(private readonly byName: Record<string, Schema>) {}

  /** The schema that a kind's objects have. */
  of(kind: Kind): Schema | undefined {
    return Object.values(this.byName).find((it) =>
      it["x-kubernetes-group-version-kind"]?.some(
        (gvk) => gvk.group === kind.group && gvk.version === kind.version && gvk.kind === kind.kind,
      ),
    );
  }

  /** The name that a schema has or refers to; empty when it has none. */
  nameOf(schema: Schema | undefined): string {
    if (schema === undefined) return "";
    const named = Object.entries(this.byName).find(([, it]) => it === schema);
    return named?.[0] ?? reference(schema) ?? "";
  }

  /** A schema without the reference that it may be; what is written beside it wins. */
  open(schema: Schema | undefined): Schema {
    let found: Schema = schema ?? {};
    for (let steps = 0; steps < 20; steps += 1) {
      const inner = reference(found);
      if (inner === undefined) break;
      const { $ref: _, allOf: __, ...beside } = found;
      found = { ...(this.byName[inner] ?? {}), ...beside };
    }
    return found;
  }

  /** The schema at the end of a way of keys and `[]`; undefined when there is none. */
  at(schema: Schema, path: readonly string[]): Schema | undefined {
    let here: Schema | undefined = this.open(schema);
    for (const step of path) {
      here = this.child(here, step);
      if (here === undefined) return undefined;
    }
    return here;
  }

  /** The schema of a field, of a map's value, or of the items of a list. */
  child(schema: Schema, step: string): Schema | undefined {
    const own = schema.properties;
    if (own !== undefined && Object.hasOwn(own, step)) return this.open(own[step]);
    if (schema.items !== undefined && /^(\[\]|\d+)$/.test(step)) return this.open(schema.items);
    const more = schema.additionalProperties;
    return typeof more === "object" ? this.open(more) : undefined;
  }

  /** The schema with all references replaced; what is nested too deeply becomes "anything". */
  whole(schema: Schema, depth = 0): Schema {
    const { description: _, ...here } = this.open(schema);
    if (depth > 12) return { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const inner = (it: Schema) => this.whole(it, depth + 1);
    const made: Schema = { ...here };
    if (here.properties !== undefined) {
      const entries = Object.entries(here.properties).map(([key, it]) => [key, inner(it)] as const);
      made.properties = Object.fromEntries(entries);
    }
    if (here.items !== undefined) made.items = inner(here.items);
    if (typeof here.additionalProperties === "object") {
      made.additionalProperties = inner(here.additionalProperties);
    }
    delete made["x-kubernetes-group-version-kind"];
    return made;
  }
}

const PREFIX = "#/components/schemas/";

function reference(schema: Schema): string | undefined {
  const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  return ref?.startsWith(PREFIX) ? ref.slice(PREFIX.length) : undefined;
}

const loaded = new Map<string, { hash: string; schemas: Promise<Schemas> }>();

/** Where the OpenAPI document of a group and version is. */
export function documentPath(kind: Kind): string {
  return kind.group === "" ? `api/${kind.version}` : `apis/${apiVersion(kind)}`;
}

interface Index {
  paths: Record<string, { serverRelativeURL: string }>;
}

/** How long the index of documents counts as new. */
const INDEX_MS = 2000;
let index: { time: number; paths: Promise<Index> } | undefined;

function indexNow(): Promise<Index> {
  const now = Date.now();
  if (index === undefined || now - index.time > INDEX_MS) {
    index = { time: now, paths: get<Index>("/openapi/v3") };
    index.paths.catch(() => (index = undefined));
  }
  return index.paths;
}

/** The schemas of a kind's group and version, asked for again when they changed. */
export async function schemasOf(kind: Kind): Promise<Schemas> {
  const index = await indexNow();
  const path = documentPath(kind);
  const url = index.paths[path]?.serverRelativeURL;
  if (url === undefined) throw new Error(`the server publishes no schema of ${path}`);
  const known = loaded.get(path);
  if (known?.hash === url) return known.schemas;
  const schemas = get<Document>(url).then((it) => new Schemas(it.components?.schemas ?? {}));
  loaded.set(path, { hash: url, schemas });
  schemas.catch(() => loaded.delete(path));
  return schemas;
}

/** The type of a schema in a few words. */
export function typeOf(schemas: Schemas, schema: Schema): string {
  const here = schemas.open(schema);
  if (here["x-kubernetes-int-or-string"]) return "integer or string";
  if (here.type === "array") return `list of ${typeOf(schemas, here.items ?? {})}`;
  if (here.type === "object" && here.properties === undefined) {
    const more = here.additionalProperties;
    if (typeof more === "object") return `map of ${typeOf(schemas, more)}`;
  }
  if (here.type === undefined) return here.properties === undefined ? "anything" : "object";
  return here.format === undefined ? here.type : `${here.type} (${here.format})`;
}

/** The limits of a schema, each in a few words. */
export function limits(schema: Schema): string[] {
  const found: string[] = [];
  const range = (min: unknown, max: unknown, unit: string) => {
    if (min === undefined && max === undefined) return;
    if (min === max) found.push(`exactly ${min}${unit}`);
    else if (max === undefined) found.push(`at least ${min}${unit}`);
    else if (min === undefined) found.push(`at most ${max}${unit}`);
    else found.push(`${min} to ${max}${unit}`);
  };
  if (schema.exclusiveMinimum || schema.exclusiveMaximum) {
    if (schema.minimum !== undefined) found.push(`${schema.exclusiveMinimum ? ">" : "≥"} ${schema.minimum}`);
    if (schema.maximum !== undefined) found.push(`${schema.exclusiveMaximum ? "<" : "≤"} ${schema.maximum}`);
  } else {
    range(schema.minimum, schema.maximum, "");
  }
  range(schema.minLength, schema.maxLength, " characters");
  range(schema.minItems, schema.maxItems, " items");
  range(schema.minProperties, schema.maxProperties, " entries");
  if (schema.multipleOf !== undefined) found.push(`multiple of ${schema.multipleOf}`);
  if (schema.pattern !== undefined) found.push(`matches ${schema.pattern}`);
  if (schema.uniqueItems) found.push("no item twice");
  if (schema.nullable) found.push("may be null");
  return found;
}

/** Whether a rule keeps a value from changing. */
export function isImmutable(schema: Schema): boolean {
  const rules = schema["x-kubernetes-validations"] ?? [];
  return rules.some((it) => /^\s*(self\s*==\s*oldSelf|oldSelf\s*==\s*self)\s*$/.test(it.rule));
}

export interface Union {
  discriminator: string;
  members: { value: string; field: string }[];
}

/** The unions whose discriminators are properties of this schema. */
export function unions(schemas: Schemas, schema: Schema): Union[] {
  const found: Union[] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const declared = schemas.open(property)["x-kubernetes-unions"];
    if (typeof declared !== "object" || declared === null || Array.isArray(declared)) continue;
    const { fieldMembers } = declared as { fieldMembers?: Record<string, { name?: string } | null> };
    const members = Object.entries(fieldMembers ?? {}).map(([value, member]) => ({
      value,
      field: member?.name ?? "",
    }));
    found.push({ discriminator: name, members });
  }
  return found;
}

/** A rule and the place that it belongs to. */
export interface PlacedRule extends Rule {
  path: string[];
  index: number;
}

/** All rules of a schema, outer ones first. */
export function rules(schemas: Schemas, schema: Schema): PlacedRule[] {
  const found: PlacedRule[] = [];
  walk(schemas, schema, (path, here) => {
    (here["x-kubernetes-validations"] ?? []).forEach((rule, index) => found.push({ ...rule, path, index }));
  });
  return found;
}

/** Visits a schema and everything inside of it; types that contain themselves are entered once. */
export function walk(
  schemas: Schemas,
  root: Schema,
  visit: (path: string[], schema: Schema) => void,
  depth = 14,
): void {
  const enter = (schema: Schema, path: string[], above: readonly Schema[]) => {
    const here = schemas.open(schema);
    visit(path, here);
    const seen = here.properties ?? here.items;
    if (path.length >= depth || above.some((it) => it === seen)) return;
    const inside = seen === undefined ? above : [...above, seen as Schema];
    for (const [name, property] of Object.entries(here.properties ?? {})) {
      enter(property, [...path, name], inside);
    }
    if (here.items !== undefined) enter(here.items, [...path, "[]"], inside);
    if (typeof here.additionalProperties === "object") {
      enter(here.additionalProperties, [...path, "{}"], inside);
    }
  };
  enter(root, [], []);
}

/** `spec.items[].name` */
export function pathText(path: readonly string[]): string {
  return path.reduce((text, step) => {
    if (step === "[]") return `${text}[]`;
    if (step === "{}") return `${text}.*`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}
