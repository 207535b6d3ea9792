// The events about an object.
import { get } from "../client.ts";
import { isTree, type Tree } from "../diff.ts";
import { useLoaded } from "../store.ts";

interface Event {
  metadata: { uid: string; creationTimestamp?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  lastTimestamp?: string;
  eventTime?: string;
}

export function Events({ object, namespace }: { object: Tree; namespace: string }) {
  const uid = isTree(object.metadata) ? String(object.metadata.uid ?? "") : "";
  const loaded = useLoaded<{ items: Event[] }>(
    (signal) => {
      const query = new URLSearchParams({ fieldSelector: `involvedObject.uid=${uid}` });
      return get(`/api/v1/namespaces/${encodeURIComponent(namespace || "default")}/events?${query}`, {
        signal,
      });
    },
    [uid],
  );
  if (loaded.error !== undefined)
    return (
      <p class="error" role="alert">
        {loaded.error}
      </p>
    );
  const items = loaded.value?.items;
  if (items === undefined) return <p class="hint">Loading…</p>;
  if (items.length === 0) return <p class="empty">There are no events about it.</p>;
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Type</th>
          <th scope="col">Reason</th>
          <th scope="col">Message</th>
        </tr>
      </thead>
      <tbody>
        {items.map((it) => (
          <tr key={it.metadata.uid}>
            <td>{it.lastTimestamp ?? it.eventTime ?? it.metadata.creationTimestamp}</td>
            <td>{it.type}</td>
            <td>
              {it.reason}
              {(it.count ?? 1) > 1 ? ` ×${it.count}` : ""}
            </td>
            <td>{it.message}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
