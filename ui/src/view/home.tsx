// The first page: what is served, at a glance.
import { isBuiltIn, type Kind } from "../kinds.ts";
import { link } from "../route.ts";
import { session } from "../session.ts";
import { useStore } from "../store.ts";

export function Home() {
  const { kinds, state } = useStore(session);
  const own = kinds.filter((it) => !isBuiltIn(it.group));
  const groups = new Set(kinds.map((it) => it.group));
  return (
    <div class="page home">
      <h1>What is served here</h1>
      <p class="lead">
        {state === "loading" ? "Loading…" : `${kinds.length} kinds in ${groups.size} groups. `}
        See a schema, watch its objects, try a change, ask its rules.
      </p>
      {own.length > 0 && <Cards title="Your kinds" kinds={own} />}
      <Cards title="Kinds of Kubernetes" kinds={kinds.filter((it) => isBuiltIn(it.group))} />
      <section aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <dl class="keys">
          <dt><kbd>/</kbd></dt><dd>look for a kind or a field</dd>
          <dt><kbd>g</kbd> <kbd>s</kbd></dt><dd>schema</dd>
          <dt><kbd>g</kbd> <kbd>o</kbd></dt><dd>objects</dd>
          <dt><kbd>g</kbd> <kbd>t</kbd></dt><dd>try</dd>
          <dt><kbd>g</kbd> <kbd>r</kbd></dt><dd>rules</dd>
          <dt><kbd>g</kbd> <kbd>v</kbd></dt><dd>versions</dd>
          <dt><kbd>g</kbd> <kbd>p</kbd></dt><dd>operations</dd>
        </dl>
      </section>
    </div>
  );
}

function Cards({ title, kinds }: { title: string; kinds: Kind[] }) {
  return (
    <section>
      <h2>{title}</h2>
      <ul class="cards">
        {kinds.map((kind) => (
          <li key={`${kind.group}/${kind.plural}`}>
            <a href={link(kind)}>
              <strong>{kind.kind}</strong>
              <small>{kind.group || "core"} · {kind.versions.map((it) => it.name).join(", ")}</small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
