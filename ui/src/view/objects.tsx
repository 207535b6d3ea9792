// The objects of a kind as the server's own table, live, drawn only as far as it is seen.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get } from "../client.ts";
import type { Kind } from "../kinds.ts";
import { link } from "../route.ts";
import { follow, NOTHING, type Column, type Row, type Rows } from "../rows.ts";
import { Store, useLoaded, useStore } from "../store.ts";

const ROW = 34;
/** How long a changed row is marked. */
const FLASH_MS = 1600;

export function Objects({ kind }: { kind: Kind }) {
  const [namespace, setNamespace] = useState("");
  const [labels, setLabels] = useState("");
  const [fields, setFields] = useState("");
  const [wide, setWide] = useState(false);
  const rows = useRows(kind, namespace, labels, fields);
  return (
    <div class="objects">
      <div class="tools">
        {kind.namespaced && <Namespaces value={namespace} onChange={setNamespace} />}
        <Selector label="Labels" hint="app=shop,tier!=test" onChange={setLabels} />
        <Selector label="Fields" hint="metadata.name=gizmo" onChange={setFields} />
        <label>
          <input type="checkbox" checked={wide} onChange={(event) => setWide(event.currentTarget.checked)} />{" "}
          all columns
        </label>
        {kind.verbs.includes("create") && (
          <a class="button" href={link(kind, "try")}>
            Create…
          </a>
        )}
        <StateMark rows={rows} />
      </div>
      {rows.error !== "" && (
        <p class={rows.state === "failed" ? "error" : "hint"} role="alert">
          {rows.error}
        </p>
      )}
      <Table kind={kind} rows={rows} wide={wide} everywhere={kind.namespaced && namespace === ""} />
    </div>
  );
}

function useRows(kind: Kind, namespace: string, labels: string, fields: string): Rows {
  const [store, setStore] = useState(() => new Store<Rows>(NOTHING));
  useEffect(() => {
    const abort = new AbortController();
    setStore(follow(kind, { namespace, labels, fields }, abort.signal));
    return () => abort.abort();
  }, [kind.group, kind.version, kind.plural, namespace, labels, fields]);
  return useStore(store);
}

function Namespaces({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const loaded = useLoaded<{ items: { metadata: { name: string } }[] }>(
    (signal) => get("/api/v1/namespaces", { signal }),
    [],
  );
  return (
    <label>
      Namespace{" "}
      <select class="short" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">all</option>
        {(loaded.value?.items ?? []).map(({ metadata: { name } }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

function Selector({
  label,
  hint,
  onChange,
}: {
  label: string;
  hint: string;
  onChange: (value: string) => void;
}) {
  const [text, setText] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => onChange(text.trim()), 400);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label>
      {label}{" "}
      <input
        type="text"
        placeholder={hint}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        spellcheck={false}
        autocomplete="off"
      />
    </label>
  );
}

const STATES = {
  loading: "loading",
  live: "live",
  waiting: "connection lost, trying again",
  failed: "refused",
};

function StateMark({ rows }: { rows: Rows }) {
  return (
    <span class={`state ${rows.state}`} role="status">
      <span class="dot" aria-hidden="true" /> {STATES[rows.state]} · <b id="count">{rows.rows.length}</b>{" "}
      objects
      {rows.changes > 0 && ` · ${rows.changes} changes`}
    </span>
  );
}

interface TableProps {
  kind: Kind;
  rows: Rows;
  wide: boolean;
  everywhere: boolean;
}

function Table({ kind, rows: { columns, rows, state }, wide, everywhere }: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  const shown = useMemo(
    () => columns.map((it, index) => ({ ...it, index })).filter((it) => wide || it.priority === 0),
    [columns, wide],
  );
  const first = Math.max(0, Math.floor(view.top / ROW) - 8);
  const seen = rows.slice(first, first + Math.ceil(view.height / ROW) + 16);
  const template = `${everywhere ? "minmax(90px, 1fr) " : ""}${shown.map(width).join(" ")}`;
  return (
    <div
      class="grid"
      ref={box}
      role="table"
      aria-label={`${kind.kind} objects`}
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      onKeyDown={moveRow}
    >
      <div class="grid-row head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
        {everywhere && <span role="columnheader">Namespace</span>}
        {shown.map((it) => (
          <span key={it.name} role="columnheader" title={it.description}>
            {it.name}
          </span>
        ))}
      </div>
      {/* The space of all rows, so that the scroll bar tells the truth. */}
      <div class="space" role="rowgroup" style={{ height: `${rows.length * ROW}px` }}>
        {seen.map((row, index) => (
          <RowLine
            key={row.uid}
            kind={kind}
            row={row}
            at={first + index}
            columns={shown}
            template={template}
            everywhere={everywhere}
          />
        ))}
      </div>
      {rows.length === 0 && state === "live" && (
        <div role="row">
          <span role="cell" class="empty">
            There are none.
          </span>
        </div>
      )}
    </div>
  );
}

function width(column: Column): string {
  if (column.format === "name") return "minmax(160px, 2fr)";
  return column.type === "date" || column.type === "integer" ? "minmax(70px, .6fr)" : "minmax(90px, 1fr)";
}

interface LineProps {
  kind: Kind;
  row: Row;
  at: number;
  columns: (Column & { index: number })[];
  template: string;
  everywhere: boolean;
}

function RowLine({ kind, row, at, columns, template, everywhere }: LineProps) {
  const fresh = row.changed > 0 && Date.now() - row.changed < FLASH_MS;
  const target = link(kind, "object", row.namespace || "-", row.name);
  return (
    <div
      class="grid-row"
      role="row"
      aria-rowindex={at + 2}
      data-name={row.name}
      style={{ gridTemplateColumns: template, transform: `translateY(${at * ROW}px)` }}
    >
      {/* A new element for each change starts the animation again. */}
      {fresh && <span key={row.changed} class="flash" aria-hidden="true" />}
      {everywhere && <span role="cell">{row.namespace}</span>}
      {columns.map((column) => (
        <span role="cell" key={column.name} class={column.type === "integer" ? "number" : ""}>
          {column.format === "name" ? (
            <a href={target}>{show(row.cells[column.index])}</a>
          ) : (
            show(row.cells[column.index])
          )}
        </span>
      ))}
    </div>
  );
}

function show(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

/** Arrow keys go from row to row, Home and End to the ends. */
function moveRow(event: KeyboardEvent) {
  const grid = event.currentTarget as HTMLElement;
  if (event.key === "Home" || event.key === "End") {
    event.preventDefault();
    grid.scrollTo({ top: event.key === "Home" ? 0 : grid.scrollHeight });
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const focused = event.target instanceof HTMLAnchorElement ? event.target.closest("[role=row]") : null;
  if (step === undefined || (focused === null && step < 0)) return;
  const links = [...grid.querySelectorAll<HTMLElement>("a")].sort((a, b) => rowIndex(a) - rowIndex(b));
  const own = focused === null ? -1 : links.findIndex((it) => it.closest("[role=row]") === focused);
  const next = links[own + step];
  if (next !== undefined) {
    event.preventDefault();
    next.focus();
  }
}

function rowIndex(element: HTMLElement): number {
  return Number(element.closest("[role=row]")?.getAttribute("aria-rowindex"));
}
