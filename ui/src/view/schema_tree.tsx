// A schema as a tree to read: each field with its type, default, limits, unions and rules, an
// anchor, and a path to copy.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { costOf, costsOf, type Costs } from "../costs.ts";
import type { Kind } from "../kinds.ts";
import { outlineOf, type Outline } from "../places.ts";
import { link } from "../route.ts";
import {
  isImmutable,
  limits,
  pathText,
  typeOf,
  unions,
  type Schema,
  type Schemas,
  type Union,
} from "../schema.ts";
import { isSettled, useLoaded } from "../store.ts";
import type { Definition } from "./kind.tsx";

interface Props {
  kind: Kind;
  schemas: Schemas;
  /** The path of the field to show. */
  target: string;
  definition: Definition | undefined;
}

export function SchemaView({ kind, schemas, target, definition }: Props) {
  const root = useMemo(() => schemas.open(schemas.of(kind)), [schemas, kind]);
  const priced = useLoaded((signal) => costsOf(schemas.whole(root), signal), [root]);
  const written = useLoaded((signal) => outlineOf(kind, signal), [kind.group, kind.version, kind.plural]);
  // Costs and gates stand between the lines: with them from the start, no line moves.
  if (!isSettled(priced) || !isSettled(written)) return <p class="hint">Loading the schema…</p>;
  const costs = priced.value;
  const more = { costs, outline: written.value };
  const version = definition?.spec?.versions?.find((it) => it.name === kind.version);
  const columns = version?.additionalPrinterColumns ?? [];
  return (
    <div class="schema">
      {root.description && <p class="lead">{root.description}</p>}
      {version?.deprecated && <p class="banner">This version is deprecated.</p>}
      <Children kind={kind} schemas={schemas} schema={root} path={[]} target={target} more={more} />
      <RuleList schema={root} costs={costs} />
      {columns.length > 0 && (
        <section>
          <h2>Columns of its table</h2>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Column</th>
                <th scope="col">Type</th>
                <th scope="col">From</th>
              </tr>
            </thead>
            <tbody>
              {columns.map((it) => (
                <tr key={it.name}>
                  <td>
                    {it.name}
                    {it.priority ? " (wide)" : ""}
                  </td>
                  <td>{it.type}</td>
                  <td>
                    <code>{it.jsonPath}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  );
}

/** What is known besides the schema, once it is loaded. */
interface More {
  costs: Costs | undefined;
  outline: Outline | undefined;
}

interface Inner {
  kind: Kind;
  schemas: Schemas;
  schema: Schema;
  path: string[];
  target: string;
  more: More;
}

function Children({ kind, schemas, schema, path, target, more }: Inner) {
  const required = new Set(schema.required ?? []);
  const declared = unions(schemas, schema);
  const properties = Object.entries(schema.properties ?? {});
  // What identifies every object comes first, what makes this kind after it.
  properties.sort(([a], [b]) => rank(path, a) - rank(path, b));
  return (
    <ul class="fields">
      {properties.map(([name, property]) => (
        <Field
          key={name}
          kind={kind}
          schemas={schemas}
          schema={schemas.open(property)}
          path={[...path, name]}
          target={target}
          more={more}
          required={required.has(name)}
          unions={declared}
        />
      ))}
    </ul>
  );
}

function rank(path: string[], name: string): number {
  if (path.length > 0) return 0;
  return { apiVersion: 0, kind: 1, metadata: 2, spec: 3, status: 5 }[name] ?? 4;
}

/** What is inside of a schema: itself, the items of a list, or the values of a map. */
function insideOf(schemas: Schemas, schema: Schema, path: string[]): { schema: Schema; path: string[] } {
  let [here, way] = [schema, path];
  for (;;) {
    if (here.items !== undefined) [here, way] = [schemas.open(here.items), [...way, "[]"]];
    else if (here.properties === undefined && typeof here.additionalProperties === "object") {
      [here, way] = [schemas.open(here.additionalProperties), [...way, "{}"]];
    } else return { schema: here, path: way };
  }
}

function Field({
  kind,
  schemas,
  schema,
  path,
  target,
  more,
  required,
  unions: around,
}: Inner & { required: boolean; unions: Union[] }) {
  const text = pathText(path);
  const gates = more.outline?.gated.find((it) => it.path === text)?.gates ?? [];
  const inside = insideOf(schemas, schema, path);
  const nested = Object.keys(inside.schema.properties ?? {}).length > 0;
  const onTheWay =
    target !== "" && (target === text || target.startsWith(`${text}.`) || target.startsWith(`${text}[`));
  const [open, setOpen] = useState(onTheWay || (path.length === 1 && path[0] === "spec"));
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (onTheWay) setOpen(true);
    if (target === text) item.current?.scrollIntoView({ block: "center" });
  }, [target]);
  return (
    <li ref={item} class={target === text ? "field target" : "field"}>
      <div class="line">
        {nested ? (
          <button
            class="twist"
            aria-expanded={open}
            aria-label={`${open ? "Close" : "Open"} ${text}`}
            onClick={() => setOpen(!open)}
          >
            {open ? "▾" : "▸"}
          </button>
        ) : (
          <span class="twist" />
        )}
        <a class="name" href={link(kind, "schema", text)}>
          {path.at(-1)}
        </a>
        <span class="type">{typeOf(schemas, schema)}</span>
        <Badges schema={schema} name={path.at(-1) ?? ""} required={required} around={around} gates={gates} />
        <button
          class="quiet copy"
          aria-label={`Copy the path ${text}`}
          title="Copy the path"
          onClick={() => void navigator.clipboard?.writeText(text)}
        >
          ⧉
        </button>
      </div>
      <Details
        schema={schema}
        inside={inside.schema === schema ? undefined : inside.schema}
        costs={more.costs}
      />
      {nested && open && (
        <Children
          kind={kind}
          schemas={schemas}
          schema={inside.schema}
          path={inside.path}
          target={target}
          more={more}
        />
      )}
    </li>
  );
}

interface BadgeProps {
  schema: Schema;
  name: string;
  required: boolean;
  around: Union[];
  gates: string[];
}

function Badges({ schema, name, required, around, gates }: BadgeProps) {
  const found: [string, string][] = [];
  if (required) found.push(["required", "must"]);
  if (isImmutable(schema)) found.push(["immutable", "must"]);
  for (const union of around) {
    if (union.discriminator === name) found.push(["discriminator", "union"]);
    for (const member of union.members) {
      if (member.field === name)
        found.push([`when ${union.discriminator} is ${member.value || "empty"}`, "union"]);
    }
  }
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"];
  if (listType === "map") found.push([`keyed by ${(keys ?? []).join(", ")}`, "shape"]);
  else if (listType !== undefined) found.push([listType, "shape"]);
  if (schema["x-kubernetes-map-type"] === "atomic") found.push(["atomic", "shape"]);
  if (schema["x-kubernetes-preserve-unknown-fields"]) found.push(["keeps unknown fields", "shape"]);
  if (schema["x-kubernetes-embedded-resource"]) found.push(["a whole object", "shape"]);
  for (const gate of gates) found.push([`gate ${gate}`, "union"]);
  return (
    <>
      {found.map(([text, kind]) => (
        <span key={text} class={`badge ${kind}`}>
          {text}
        </span>
      ))}
    </>
  );
}

function Details({
  schema,
  inside,
  costs,
}: {
  schema: Schema;
  inside: Schema | undefined;
  costs: Costs | undefined;
}) {
  const facts = [
    ...limits(schema),
    ...(inside === undefined ? [] : limits(inside).map((it) => `each: ${it}`)),
  ];
  const choices = schema.enum ?? inside?.enum;
  return (
    <div class="details">
      {schema.description && <p>{schema.description}</p>}
      {(choices !== undefined || schema.default !== undefined || facts.length > 0) && (
        <p class="limits">
          {schema.default !== undefined && (
            <span>
              default <code>{JSON.stringify(schema.default)}</code>
            </span>
          )}
          {choices !== undefined && (
            <span>
              one of{" "}
              {choices.map((it) => (
                <code key={String(it)}>{JSON.stringify(it)}</code>
              ))}
            </span>
          )}
          {facts.map((it) => (
            <span key={it}>{it}</span>
          ))}
        </p>
      )}
      <RuleList schema={schema} costs={costs} />
    </div>
  );
}

function RuleList({ schema, costs }: { schema: Schema; costs: Costs | undefined }) {
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length === 0) return null;
  return (
    <ul class="rules">
      {rules.map((it, index) => (
        <li key={index}>
          <code class="rule">{it.rule}</code>
          <span>{it.message ?? it.messageExpression ?? ""}</span>
          <small>{costText(costOf(costs, it, index)?.cost)}</small>
        </li>
      ))}
    </ul>
  );
}

function costText(cost: number | undefined): string {
  return cost === undefined ? "" : `costs at most ${cost.toLocaleString("en")}`;
}
