// The kinds by group, with search by name, short name or field.
import { useEffect, useMemo, useState } from "preact/hooks";
import { byGroup, matches, type Kind } from "../kinds.ts";
import { link, place, TABS } from "../route.ts";
import { findFields, type FieldHit } from "../search.ts";
import { session } from "../session.ts";
import { useStore } from "../store.ts";

export function Sidebar() {
  const { kinds } = useStore(session);
  const [query, setQuery] = useState("");
  const found = useMemo(
    () => (query.trim() === "" ? kinds : kinds.filter((it) => matches(it, query))),
    [kinds, query],
  );
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") setQuery("");
    if (event.key === "Enter" || event.key === "ArrowDown") {
      event.preventDefault();
      const first = document.querySelector<HTMLElement>(".sidebar a");
      if (event.key === "Enter") first?.click();
      else first?.focus();
    }
  };
  return (
    <aside class="sidebar" aria-label="Kinds" onKeyDown={moveFocus}>
      <label class="search">
        <span class="unseen">Search kinds and fields</span>
        <input
          id="search"
          type="search"
          placeholder="Kind or field  /"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={onKey}
          autocomplete="off"
        />
      </label>
      <div class="lists" aria-live="polite">
        {byGroup(found).map(([group, members]) => (
          <Group key={group} name={group} kinds={members} />
        ))}
        {query.trim().length >= 2 && <Fields query={query} />}
      </div>
    </aside>
  );
}

function Group({ name, kinds }: { name: string; kinds: Kind[] }) {
  const here = useStore(place);
  // Whoever looks at objects of one kind wants to see those of the next.
  const tab = TABS.find((it) => it === here.tab) ?? "schema";
  return (
    <section>
      <h2>{name || "core"}</h2>
      <ul>
        {kinds.map((kind) => {
          const current = here.plural === kind.plural && here.group === kind.group;
          return (
            <li key={kind.plural}>
              <a
                href={link(kind, tab)}
                aria-current={current ? "page" : undefined}
                title={[kind.kind, ...kind.shortNames].join(", ")}
              >
                {kind.kind}
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Fields({ query }: { query: string }) {
  const [hits, setHits] = useState<FieldHit[] | undefined>(undefined);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      void findFields(query).then((it) => current && setHits(it));
    }, 200);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [query]);
  return (
    <section>
      <h2>Fields</h2>
      {hits === undefined && <p class="hint">Looking…</p>}
      {hits?.length === 0 && <p class="hint">No field of that name.</p>}
      <ul>
        {(hits ?? []).map((hit) => (
          <li key={`${hit.kind.group}/${hit.kind.plural}/${hit.path}`}>
            <a href={link(hit.kind, "schema", hit.path)}>
              <code>{hit.path}</code> <small>{hit.kind.kind}</small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Arrow keys go through the links. */
function moveFocus(event: KeyboardEvent) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  const links = [...document.querySelectorAll<HTMLElement>(".sidebar a")];
  const next = links[links.indexOf(event.target) + step];
  (next ?? document.getElementById("search"))?.focus();
}
