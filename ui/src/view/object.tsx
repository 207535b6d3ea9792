// One object: its text with who owns each line, and tabs for events, relatives, conditions and
// what changed while somebody looked.
import { useEffect, useMemo, useState } from "preact/hooks";
import { remove } from "../deeds.ts";
import { lines as diffLines, withoutManagers, type Tree } from "../diff.ts";
import type { Kind } from "../kinds.ts";
import { owners, type Manager } from "../managers.ts";
import { followObject, type Followed, type Seen } from "../object_store.ts";
import { go, link } from "../route.ts";
import { Store, useStore, words } from "../store.ts";
import { key, read, steps, write } from "../yaml.ts";
import { Conditions } from "./conditions.tsx";
import { Events } from "./events.tsx";
import { Graph } from "./graph.tsx";

const PARTS = ["text", "events", "relatives", "conditions", "changes"] as const;

interface Props {
  kind: Kind;
  namespace: string;
  name: string;
}

export function ObjectView({ kind, namespace, name }: Props) {
  const [store, setStore] = useState(
    () => new Store<Followed>({ revisions: [], gone: false, error: "", live: false }),
  );
  const [part, setPart] = useState<(typeof PARTS)[number]>("text");
  const [error, setError] = useState("");
  useEffect(() => {
    const abort = new AbortController();
    setStore(followObject(kind, namespace, name, abort.signal));
    return () => abort.abort();
  }, [kind.plural, kind.version, namespace, name]);
  const followed = useStore(store);
  const newest = followed.revisions.at(-1)?.object;
  const onDelete = async () => {
    try {
      if (await remove(kind, namespace, name)) go(link(kind, "objects"));
    } catch (refused) {
      setError(words(refused));
    }
  };
  return (
    <div class="object">
      <div class="tools">
        <a href={link(kind, "objects")}>← {kind.plural}</a>
        <h2>
          {namespace !== "" && <span class="hint">{namespace} / </span>}
          {name}
        </h2>
        <a class="button" href={link(kind, "try", namespace || "-", name)}>
          Edit…
        </a>
        {kind.verbs.includes("delete") && (
          <button class="danger" onClick={() => void onDelete()}>
            Delete…
          </button>
        )}
        <span class={`state ${followed.gone ? "failed" : followed.live ? "live" : "waiting"}`} role="status">
          <span class="dot" aria-hidden="true" />{" "}
          {followed.gone ? "deleted" : followed.live ? "live" : "loading"}
        </span>
      </div>
      {(error || followed.error) && (
        <p class="error" role="alert">
          {error || followed.error}
        </p>
      )}
      <div class="segments" role="group" aria-label="Parts">
        {PARTS.map((it) => (
          <button key={it} aria-pressed={part === it} onClick={() => setPart(it)}>
            {it}
            {it === "changes" ? ` (${followed.revisions.length})` : ""}
          </button>
        ))}
      </div>
      {newest !== undefined && part === "text" && <Owned object={newest} />}
      {newest !== undefined && part === "events" && <Events object={newest} namespace={namespace} />}
      {newest !== undefined && part === "relatives" && <Graph kind={kind} object={newest} />}
      {newest !== undefined && part === "conditions" && <Conditions object={newest} />}
      {part === "changes" && <Changes revisions={followed.revisions} />}
    </div>
  );
}

/** The text of an object with the manager of each line. */
function Owned({ object }: { object: Tree }) {
  const [all, setAll] = useState(false);
  const { texts, byLine, names } = useMemo(() => {
    const text = write(all ? object : withoutManagers(object)).trimEnd();
    const byLine = new Map<number, Manager[]>();
    const owned = owners(object);
    for (const [path, span] of read(text).places) {
      const managers = owned.get(key(steps(path)));
      if (managers !== undefined) byLine.set(span.line, managers);
    }
    const names = [...new Set([...owned.values()].flat().map((it) => it.name))];
    return { texts: text.split("\n"), byLine, names };
  }, [object, all]);
  return (
    <>
      <p class="tools">
        <span class="hint">Managers:</span>
        {names.map((it, index) => (
          <span key={it} class={`chip owner-${index % 6}`}>
            {it}
          </span>
        ))}
        <label>
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />{" "}
          managedFields
        </label>
      </p>
      <ol class="text" tabIndex={0} aria-label="The object as YAML, with the managers of its lines">
        {texts.map((line, number) => {
          const managers = byLine.get(number) ?? [];
          return (
            <li key={number}>
              <code>{line}</code>
              {managers.map((it, index) => (
                <span
                  key={index}
                  class={`owner owner-${names.indexOf(it.name) % 6}`}
                  title={`${it.operation} ${it.subresource} ${it.time}`}
                >
                  {it.name}
                </span>
              ))}
            </li>
          );
        })}
      </ol>
    </>
  );
}

function Changes({ revisions }: { revisions: Seen[] }) {
  const [chosen, setChosen] = useState<[string, string]>(["", ""]);
  const newest = revisions.at(-1);
  const before = revisions.find((it) => it.version === chosen[0]) ?? revisions.at(-2);
  const after = revisions.find((it) => it.version === chosen[1]) ?? newest;
  if (before === undefined || after === undefined) {
    return <p class="empty">Nothing has changed since this page was opened.</p>;
  }
  const choice = (label: string, at: 0 | 1, value: string) => (
    <label>
      {label}{" "}
      <select
        value={value}
        onChange={(event) =>
          setChosen(
            at === 0 ? [event.currentTarget.value, chosen[1]] : [chosen[0], event.currentTarget.value],
          )
        }
      >
        {revisions.map((it) => (
          <option key={it.version} value={it.version}>
            {it.version} · {new Date(it.time).toLocaleTimeString()}
          </option>
        ))}
      </select>
    </label>
  );
  const text = (seen: Seen) => write(withoutManagers(seen.object)).trimEnd();
  return (
    <>
      <p class="tools">
        {choice("From", 0, before.version)} {choice("to", 1, after.version)}
      </p>
      <Diff before={text(before)} after={text(after)} />
    </>
  );
}

/** What is different between two texts, with a little of what is not. */
export function Diff({ before, after }: { before: string; after: string }) {
  const all = diffLines(before, after);
  const near = (at: number) => all.slice(Math.max(0, at - 3), at + 4).some((it) => it.kind !== "same");
  const sign = { same: " ", added: "+", removed: "-" };
  return (
    <ol class="text diff" tabIndex={0} aria-label="Differences">
      {all.map(
        (it, at) =>
          near(at) && (
            <li key={at} class={it.kind}>
              <code>
                {sign[it.kind]} {it.text}
              </code>
            </li>
          ),
      )}
    </ol>
  );
}
