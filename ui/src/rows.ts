// The server's own table of a kind, kept fresh by watch.
//
// Pages of the list are shown as they come; then a watch from the list's version changes single
// rows. A watch that ends is taken up again where it was, or from a new list when that is too old.
import { attention, whileSeen } from "./attention.ts";
import { ApiError, get, stream } from "./client.ts";
import { compare, pathOf, type Kind } from "./kinds.ts";
import { Store, words } from "./store.ts";

export interface Column {
  name: string;
  type: string;
  format?: string;
  description?: string;
  priority: number;
}

export interface Row {
  uid: string;
  name: string;
  namespace: string;
  cells: unknown[];
  /** When it last changed while somebody looked; 0 for never. */
  changed: number;
}

export type State = "loading" | "live" | "waiting" | "failed";

export interface Rows {
  columns: Column[];
  rows: Row[];
  state: State;
  error: string;
  /** How many changes were seen. */
  changes: number;
}

interface Metadata {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion?: string;
  continue?: string;
}

interface Table {
  columnDefinitions?: Column[];
  metadata: Metadata;
  rows?: { cells: unknown[]; object: { metadata: Metadata } }[];
}

export interface Filter {
  namespace: string;
  labels: string;
  fields: string;
}

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PAGE = 1000;
/** Watches are taken up anew after this, so that one whose page is gone ends, too. */
export const WATCH_SECONDS = "240";
const WAIT_MAX_MS = 15_000;

export const NOTHING: Rows = { columns: [], rows: [], state: "loading", error: "", changes: 0 };

/** Follows the rows of a kind until the signal says to stop. */
export function follow(kind: Kind, filter: Filter, signal: AbortSignal): Store<Rows> {
  const store = new Store<Rows>(NOTHING);
  void new Follower(kind, filter, signal, store).run();
  return store;
}

class Follower {
  #rows = new Map<string, Row>();
  #sorted: Row[] = [];
  #version = "";
  #drawing = false;
  #now: Rows = NOTHING;

  constructor(
    private readonly kind: Kind,
    private readonly filter: Filter,
    private readonly signal: AbortSignal,
    private readonly store: Store<Rows>,
  ) {}

  async run(): Promise<void> {
    let wait = 500;
    while (!this.signal.aborted) {
      try {
        if (this.#version === "") await this.#list();
        await attention(this.signal);
        this.#put({ state: "live", error: "" });
        await whileSeen(this.signal, (signal) => this.#watch(signal));
        wait = 500;
      } catch (error) {
        if (this.signal.aborted) return;
        if (error instanceof ApiError && error.code === 410) {
          this.#version = "";
          continue;
        }
        const final = error instanceof ApiError && [400, 401, 403, 404, 405].includes(error.code);
        this.#put({ state: final ? "failed" : "waiting", error: words(error) });
        if (final) return;
        await pause(wait, this.signal);
        wait = Math.min(wait * 2, WAIT_MAX_MS);
      }
    }
  }

  #query(more: Record<string, string>): string {
    const query = new URLSearchParams(more);
    if (this.filter.labels !== "") query.set("labelSelector", this.filter.labels);
    if (this.filter.fields !== "") query.set("fieldSelector", this.filter.fields);
    return `${pathOf(this.kind, this.filter.namespace)}?${query}`;
  }

  async #list(): Promise<void> {
    const rows = new Map<string, Row>();
    let next = "";
    do {
      const page: Record<string, string> = { limit: String(PAGE) };
      if (next !== "") page.continue = next;
      const table = await get<Table>(this.#query(page), { accept: TABLE, signal: this.signal });
      const columns = table.columnDefinitions ?? this.#now.columns;
      for (const row of rowsOf(table)) rows.set(row.uid, row);
      this.#rows = rows;
      this.#sorted = [...rows.values()].sort(byName);
      this.#put({ columns, state: "loading" });
      next = table.metadata.continue ?? "";
      this.#version = table.metadata.resourceVersion ?? "";
    } while (next !== "");
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const path = this.#query({
      watch: "true",
      resourceVersion: this.#version,
      allowWatchBookmarks: "true",
      timeoutSeconds: WATCH_SECONDS,
    });
    await stream(path, { accept: TABLE, signal }, (event) => {
      const { type, object } = event as { type: string; object: Table & { code?: number } };
      if (type === "ERROR") throw new ApiError(object.code ?? 500, object as object);
      if (type !== "BOOKMARK") this.#take(type, object);
      const version = object.rows?.[0]?.object.metadata.resourceVersion ?? object.metadata?.resourceVersion;
      if (version) this.#version = version;
    });
  }

  #take(type: string, table: Table): void {
    for (const row of rowsOf(table)) {
      const known = this.#rows.get(row.uid);
      if (type === "DELETED") {
        this.#rows.delete(row.uid);
        this.#sorted = this.#sorted.filter((it) => it.uid !== row.uid);
        continue;
      }
      const fresh = { ...row, changed: Date.now() };
      this.#rows.set(row.uid, fresh);
      if (known === undefined) {
        const at = place(this.#sorted, fresh);
        this.#sorted = [...this.#sorted.slice(0, at), fresh, ...this.#sorted.slice(at)];
      } else {
        this.#sorted = this.#sorted.with(this.#sorted.indexOf(known), fresh);
      }
    }
    this.#put({ changes: this.#now.changes + 1 });
  }

  /** Shows what is known, at most once a frame. */
  #put(part: Partial<Rows>): void {
    this.#now = { ...this.#now, ...part };
    if (this.#drawing) return;
    this.#drawing = true;
    setTimeout(() => {
      this.#drawing = false;
      if (!this.signal.aborted) this.store.set({ ...this.#now, rows: this.#sorted });
    }, 16);
  }
}

function rowsOf(table: Table): Row[] {
  return (table.rows ?? []).map(({ cells, object: { metadata } }) => ({
    uid: metadata.uid,
    name: metadata.name,
    namespace: metadata.namespace ?? "",
    cells,
    changed: 0,
  }));
}

function byName(a: Row, b: Row): number {
  return compare(a.namespace, b.namespace) || compare(a.name, b.name);
}

/** Where a row belongs among sorted ones. */
function place(rows: readonly Row[], row: Row): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const there = rows[middle];
    if (there !== undefined && byName(there, row) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
