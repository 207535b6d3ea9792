// One object, followed by watch, with the revisions that were seen.
import { attention, whileSeen } from "./attention.ts";
import { ApiError, get, stream } from "./client.ts";
import type { Tree } from "./diff.ts";
import { pathOf, type Kind } from "./kinds.ts";
import { pause, WATCH_SECONDS } from "./rows.ts";
import { Store, words } from "./store.ts";

export interface Seen {
  version: string;
  time: number;
  object: Tree;
}

export interface Followed {
  /** The newest last. */
  revisions: Seen[];
  gone: boolean;
  error: string;
  live: boolean;
}

const REVISIONS_MAX = 50;

export function followObject(
  kind: Kind,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Store<Followed> {
  const store = new Store<Followed>({ revisions: [], gone: false, error: "", live: false });
  const put = (object: Tree) => {
    const version = String((object.metadata as Tree).resourceVersion ?? "");
    const known = store.value.revisions.filter((it) => it.version !== version);
    const revisions = [...known, { version, time: Date.now(), object }].slice(-REVISIONS_MAX);
    store.set({ ...store.value, revisions, gone: false, error: "" });
  };
  const run = async () => {
    while (!signal.aborted) {
      try {
        await attention(signal);
        const object = await get<Tree>(pathOf(kind, namespace, name), { signal });
        put(object);
        store.set({ ...store.value, live: true });
        const gone = () => store.set({ ...store.value, gone: true });
        await whileSeen(signal, (seen) => watch(kind, namespace, name, object, seen, put, gone));
      } catch (error) {
        if (signal.aborted) return;
        const missing = error instanceof ApiError && error.code === 404;
        store.set({ ...store.value, live: false, gone: missing, error: words(error) });
        if (error instanceof ApiError && [401, 403].includes(error.code)) return;
      }
      await pause(2000, signal);
    }
  };
  void run();
  return store;
}

async function watch(
  kind: Kind,
  namespace: string,
  name: string,
  object: Tree,
  signal: AbortSignal,
  put: (object: Tree) => void,
  gone: () => void,
): Promise<void> {
  const query = new URLSearchParams({
    watch: "true",
    fieldSelector: `metadata.name=${name}`,
    resourceVersion: String((object.metadata as Tree).resourceVersion ?? ""),
    timeoutSeconds: WATCH_SECONDS,
  });
  await stream(`${pathOf(kind, namespace)}?${query}`, { signal }, (event) => {
    const { type, object } = event as { type: string; object: Tree };
    if (type === "DELETED") gone();
    else if (type === "ADDED" || type === "MODIFIED") put(object);
  });
}
