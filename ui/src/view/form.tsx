// A form made from the schema, for those who do not know it. It edits the same text as the editor:
// comments and what the form does not show stay.
import { useMemo, useState } from "preact/hooks";
import { isTree } from "../diff.ts";
import type { Kind } from "../kinds.ts";
import { valueOf } from "../sample.ts";
import { limits, typeOf, type Schema, type Schemas } from "../schema.ts";
import { at, fieldSteps, read, withValue, write } from "../yaml.ts";
import type { Problem } from "../verdict.ts";

interface Props {
  kind: Kind;
  schemas: Schemas;
  root: Schema;
  text: string;
  onChange: (text: string) => void;
  problems: Problem[];
}

interface Context {
  schemas: Schemas;
  value: unknown;
  set: (path: string[], value: unknown) => void;
  problems: Problem[];
}

export function Form({ kind, schemas, root, text, onChange, problems }: Props) {
  const parsed = useMemo(() => read(text), [text]);
  if (parsed.value === undefined) return <p class="empty">The text does not parse; mend it as YAML first.</p>;
  const set = (path: string[], value: unknown) => onChange(withValue(text, path, value));
  const context: Context = { schemas, value: parsed.value, set, problems };
  const own = Object.keys(root.properties ?? {}).filter(
    (it) => !["apiVersion", "kind", "metadata", "status"].includes(it),
  );
  const required = new Set(root.required ?? []);
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()} aria-label={`${kind.kind} as a form`}>
      <Text context={context} path={["metadata", "name"]} schema={{ type: "string" }} label="name" required />
      {kind.namespaced && (
        <Text
          context={context}
          path={["metadata", "namespace"]}
          schema={{ type: "string" }}
          label="namespace"
          required={false}
        />
      )}
      {own.map((name) => (
        <Field
          key={name}
          context={context}
          path={[name]}
          schema={schemas.open(root.properties?.[name])}
          required={required.has(name)}
        />
      ))}
    </form>
  );
}

interface FieldProps {
  context: Context;
  path: string[];
  schema: Schema;
  required: boolean;
  /** Whether the value stays when it is emptied: items and entries go by their own button. */
  stays?: boolean;
}

const DEPTH_MAX = 8;

function Field({ context, path, schema, required, stays }: FieldProps) {
  const label = path.at(-1) ?? "";
  const simple =
    schema.enum !== undefined ||
    ["string", "integer", "number", "boolean"].includes(schema.type ?? "") ||
    schema["x-kubernetes-int-or-string"];
  if (simple)
    return (
      <Text context={context} path={path} schema={schema} label={label} required={required} stays={stays} />
    );
  if (path.length > DEPTH_MAX) return <Free context={context} path={path} label={label} />;
  if (schema.type === "array" && schema.items !== undefined)
    return <List context={context} path={path} schema={schema} required={required} />;
  if (Object.keys(schema.properties ?? {}).length > 0)
    return <Group context={context} path={path} schema={schema} required={required} />;
  if (typeof schema.additionalProperties === "object")
    return <MapOf context={context} path={path} schema={schema} required={required} />;
  return <Free context={context} path={path} label={label} />;
}

/** A map: its entries by key, and a place for the next key. */
function MapOf({ context, path, schema, required }: FieldProps) {
  const value = at(context.value, path);
  const entries = isTree(value) ? value : {};
  const inner = context.schemas.open(schema.additionalProperties as Schema);
  const [next, setNext] = useState("");
  const id = `form-${path.join("-")}-key`;
  const add = () => {
    context.set([...path, next], valueOf(context.schemas, inner, "minimal") ?? "");
    setNext("");
  };
  return (
    <fieldset class="list">
      <legend>
        {path.at(-1)}
        {required && <span class="badge must">required</span>}{" "}
        <small>{[typeOf(context.schemas, schema), schema.description].filter(Boolean).join(" · ")}</small>
      </legend>
      {Object.keys(entries).map((name) => (
        <div class="item" key={name}>
          <Field context={context} path={[...path, name]} schema={inner} required={false} stays />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${name}`}
            onClick={() => context.set([...path, name], undefined)}
          >
            ✕
          </button>
        </div>
      ))}
      <div class="next">
        <label for={id} class="unseen">
          Key of a new entry of {path.at(-1)}
        </label>
        <input
          id={id}
          type="text"
          placeholder="key"
          value={next}
          autocomplete="off"
          onInput={(event) => setNext(event.currentTarget.value)}
        />
        <button type="button" disabled={next === "" || Object.hasOwn(entries, next)} onClick={add}>
          Add
        </button>
      </div>
    </fieldset>
  );
}

function Group({ context, path, schema, required }: FieldProps) {
  const value = at(context.value, path);
  const [open, setOpen] = useState(isTree(value) || required || path.length === 1);
  const inner = new Set(schema.required ?? []);
  const names = Object.keys(schema.properties ?? {});
  names.sort((a, b) => Number(inner.has(b)) - Number(inner.has(a)));
  return (
    <details class="group" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {path.at(-1)}
        {required && <span class="badge must">required</span>} <small>{schema.description}</small>
      </summary>
      {open &&
        names.map((name) => (
          <Field
            key={name}
            context={context}
            path={[...path, name]}
            schema={context.schemas.open(schema.properties?.[name])}
            required={inner.has(name)}
          />
        ))}
    </details>
  );
}

function List({ context, path, schema, required }: FieldProps) {
  const value = at(context.value, path);
  const items = Array.isArray(value) ? value : [];
  const inner = context.schemas.open(schema.items);
  const add = () => context.set(path, [...items, valueOf(context.schemas, inner, "minimal") ?? ""]);
  const remove = (index: number) =>
    context.set(
      path,
      items.filter((_, it) => it !== index),
    );
  return (
    <fieldset class="list">
      <legend>
        {path.at(-1)}
        {required && <span class="badge must">required</span>}{" "}
        <small>{typeOf(context.schemas, schema)}</small>
      </legend>
      {items.map((_, index) => (
        <div class="item" key={index}>
          <Field context={context} path={[...path, String(index)]} schema={inner} required={false} stays />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${path.at(-1)} ${index + 1}`}
            onClick={() => remove(index)}
          >
            ✕
          </button>
        </div>
      ))}
      <button type="button" onClick={add}>
        Add {path.at(-1)}
      </button>
    </fieldset>
  );
}

interface TextProps extends FieldProps {
  label: string;
}

function Text({ context, path, schema, label, required, stays = false }: TextProps) {
  const value = at(context.value, path);
  const id = `form-${path.join("-")}`;
  const problem = context.problems.find((it) => fieldSteps(it.field).join("\0") === path.join("\0"));
  const described = problem === undefined ? undefined : `${id}-problem`;
  const empty = schema.type === "string" ? "" : null;
  const set = (next: unknown) => context.set(path, next === undefined && stays ? empty : next);
  const placeholder =
    schema.default === undefined ? "" : `${String(JSON.stringify(schema.default))} by default`;
  const shared = {
    id,
    "aria-describedby": described,
    "aria-invalid": problem !== undefined,
    "aria-required": required,
  };
  const typing = {
    value: value === undefined || value === null ? "" : String(value),
    placeholder,
    autocomplete: "off",
    onInput: (event: { currentTarget: HTMLInputElement }) => set(entered(schema, event.currentTarget.value)),
  } as const;
  const numeric = schema.type === "integer" || schema.type === "number";
  return (
    <div class="control">
      <label for={id}>
        {label}
        {required && <span class="badge must">required</span>}
      </label>
      {schema.enum !== undefined || schema.type === "boolean" ? (
        <select
          {...shared}
          value={value === undefined ? "" : JSON.stringify(value)}
          onChange={(event) => set(choice(event.currentTarget.value))}
        >
          <option value="">{placeholder || "—"}</option>
          {(schema.enum ?? [true, false]).map((it) => (
            <option key={String(it)} value={JSON.stringify(it)}>
              {String(it) || "(empty)"}
            </option>
          ))}
        </select>
      ) : numeric ? (
        <input {...shared} {...typing} type="number" step="any" />
      ) : (
        <input {...shared} {...typing} type="text" />
      )}
      <small>{[schema.description, ...limits(schema)].filter(Boolean).join(" · ")}</small>
      {problem !== undefined && (
        <p class="error" id={described}>
          {problem.message}
        </p>
      )}
    </div>
  );
}

function choice(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

/** What somebody typed, in the type that the schema asks for. */
function entered(schema: Schema, text: string): unknown {
  if (text === "") return undefined;
  const wantsNumber = schema.type === "integer" || schema.type === "number";
  const both = schema["x-kubernetes-int-or-string"] && /^-?\d+$/.test(text);
  return (wantsNumber || both) && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Anything that has no fields of its own: a piece of YAML. */
function Free({ context, path, label }: { context: Context; path: string[]; label: string }) {
  const value = at(context.value, path);
  const [text, setText] = useState(value === undefined ? "" : write(value));
  const [wrong, setWrong] = useState("");
  const id = `form-${path.join("-")}`;
  const take = (next: string) => {
    setText(next);
    if (next.trim() === "") return context.set(path, undefined);
    const parsed = read(next);
    setWrong(parsed.mistakes[0]?.message ?? "");
    if (parsed.value !== undefined) context.set(path, parsed.value);
  };
  return (
    <div class="control">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={3}
        value={text}
        spellcheck={false}
        onInput={(event) => take(event.currentTarget.value)}
      />
      <small>YAML</small>
      {wrong !== "" && <p class="error">{wrong}</p>}
    </div>
  );
}
