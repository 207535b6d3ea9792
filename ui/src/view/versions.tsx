// Two versions of a kind side by side, field by field.
import { useState } from "preact/hooks";
import { atVersion, type Kind } from "../kinds.ts";
import { limits, pathText, schemasOf, typeOf, walk } from "../schema.ts";
import { isSettled, useLoaded } from "../store.ts";

/** Each field of a version in a few words. */
async function outline(kind: Kind): Promise<Map<string, string>> {
  const schemas = await schemasOf(kind);
  const root = schemas.of(kind);
  const found = new Map<string, string>();
  if (root === undefined) return found;
  walk(
    schemas,
    root,
    (path, schema) => {
      if (path.length === 0 || path[0] === "metadata") return;
      const parts = [typeOf(schemas, schema), ...limits(schema)];
      if (schema.default !== undefined) parts.push(`default ${JSON.stringify(schema.default)}`);
      if (schema.enum !== undefined)
        parts.push(`one of ${schema.enum.map((it) => JSON.stringify(it)).join(", ")}`);
      for (const rule of schema["x-kubernetes-validations"] ?? []) parts.push(`rule ${rule.rule}`);
      found.set(pathText(path), parts.join("; "));
    },
    8,
  );
  return found;
}

export function Versions({ kind }: { kind: Kind }) {
  const names = kind.versions.map((it) => it.name);
  const [other, setOther] = useState(names.find((it) => it !== kind.version) ?? "");
  const [all, setAll] = useState(false);
  const both = useLoaded(
    () => Promise.all([kind, atVersion(kind, other)].map(outline)),
    [kind.plural, kind.version, other],
  );
  if (names.length < 2)
    return (
      <p class="empty">
        {kind.kind} has one version, {kind.version}.
      </p>
    );
  if (!isSettled(both)) return <p class="hint">Loading the schemas…</p>;
  const [left, right] = both.value ?? [];
  const paths = [...new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])].sort();
  const rows = paths.filter((it) => all || left?.get(it) !== right?.get(it));
  return (
    <div class="versions">
      <p class="tools">
        <label>
          Compare {kind.version} with{" "}
          <select value={other} onChange={(event) => setOther(event.currentTarget.value)}>
            {names
              .filter((it) => it !== kind.version)
              .map((it) => (
                <option key={it}>{it}</option>
              ))}
          </select>
        </label>
        <label>
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />{" "}
          all fields
        </label>
        <span class="hint">
          {rows.length} of {paths.length} fields{all ? "" : " differ"}
        </span>
      </p>
      {both.error && (
        <p class="error" role="alert">
          {both.error}
        </p>
      )}
      <div class="scroll" tabIndex={0} role="region" aria-label="Differences of the versions">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">{kind.version}</th>
              <th scope="col">{other}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((path) => (
              <tr key={path} class={left?.has(path) ? (right?.has(path) ? "changed" : "removed") : "added"}>
                <th scope="row">
                  <code>{path}</code>
                </th>
                <td>{left?.get(path) ?? "—"}</td>
                <td>{right?.get(path) ?? "—"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
