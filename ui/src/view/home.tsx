// The first page: what is served, at a glance.
import { get } from "../client.ts";
import { byGroup, isBuiltIn, pathOf, type Kind } from "../kinds.ts";
import { link } from "../route.ts";
import { session } from "../session.ts";
import { useLoaded, useStore } from "../store.ts";

export function Home() {
  const { kinds, state } = useStore(session);
  const own = kinds.filter((it) => !isBuiltIn(it.group));
  const groups = new Set(kinds.map((it) => it.group));
  // Nothing that would move when the kinds come.
  if (state === "loading") return <p class="loading">Loading…</p>;
  return (
    <div class="page home">
      <h1>What is served here</h1>
      <p class="lead">
        {`${kinds.length} kinds in ${groups.size} groups. `}
        See a schema, watch its objects, try a change, ask its rules.
      </p>
      {own.length > 0 && (
        <section>
          <h2>Your kinds</h2>
          <ul class="cards">
            {own.map((kind) => (
              <Card key={`${kind.group}/${kind.plural}`} kind={kind} />
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Kinds of Kubernetes</h2>
        <div class="compact">
          {byGroup(kinds.filter((it) => isBuiltIn(it.group))).map(([group, members]) => (
            <div key={group}>
              <h3>{group || "core"}</h3>
              <ul>
                {members.map((kind) => (
                  <li key={kind.plural}>
                    <a href={link(kind)}>{kind.kind}</a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      </section>
      <section aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <dl class="keys">
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>look for a kind or a field</dd>
          <dt>
            <kbd>g</kbd> <kbd>s</kbd>
          </dt>
          <dd>schema</dd>
          <dt>
            <kbd>g</kbd> <kbd>o</kbd>
          </dt>
          <dd>objects</dd>
          <dt>
            <kbd>g</kbd> <kbd>t</kbd>
          </dt>
          <dd>try</dd>
          <dt>
            <kbd>g</kbd> <kbd>r</kbd>
          </dt>
          <dd>rules</dd>
          <dt>
            <kbd>g</kbd> <kbd>v</kbd>
          </dt>
          <dd>versions</dd>
          <dt>
            <kbd>g</kbd> <kbd>p</kbd>
          </dt>
          <dd>operations</dd>
        </dl>
      </section>
    </div>
  );
}

/** A kind with how many objects it has, as far as the viewer may know. */
function Card({ kind }: { kind: Kind }) {
  const counted = useLoaded((signal) => count(kind, signal), [kind.group, kind.version, kind.plural]);
  return (
    <li>
      <a href={link(kind)}>
        <strong>{kind.kind}</strong>
        <small>
          {kind.group} · {kind.versions.map((it) => it.name).join(", ")}
        </small>
        <small>
          {counted.value === undefined ? (
            "\u00a0"
          ) : (
            <>
              <b>{counted.value}</b> {counted.value === 1 ? "object" : "objects"}
            </>
          )}
        </small>
      </a>
    </li>
  );
}

/** The number of objects, by a list of one with what it says is left. */
async function count(kind: Kind, signal: AbortSignal): Promise<number> {
  const list = await get<{ items: unknown[]; metadata: { remainingItemCount?: number } }>(
    `${pathOf(kind)}?limit=1`,
    { signal },
  );
  return list.items.length + (list.metadata.remainingItemCount ?? 0);
}
