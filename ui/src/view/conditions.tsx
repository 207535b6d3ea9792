// The conditions of an object in the order in which they came about.
import { isTree, type Tree } from "../diff.ts";
import { compare } from "../kinds.ts";

export function Conditions({ object }: { object: Tree }) {
  const status = isTree(object.status) ? object.status : {};
  const all = (Array.isArray(status.conditions) ? status.conditions : []).filter(isTree);
  if (all.length === 0) return <p class="empty">It has no conditions.</p>;
  const time = (it: Tree) => String(it.lastTransitionTime ?? it.lastUpdateTime ?? "");
  const sorted = [...all].sort((a, b) => compare(time(a), time(b)));
  return (
    <ol class="timeline">
      {sorted.map((it) => (
        <li key={String(it.type)} class={`status-${String(it.status).toLowerCase()}`}>
          <time>{time(it) || "no time"}</time>
          <strong>{String(it.type)}</strong> <span class="chip">{String(it.status)}</span>
          {it.reason !== undefined && <code>{String(it.reason)}</code>}
          {it.message !== undefined && <p>{String(it.message)}</p>}
        </li>
      ))}
    </ol>
  );
}
