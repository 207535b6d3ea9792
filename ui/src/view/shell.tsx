// The frame: header, list of kinds, and the view of the place.
import { useEffect, useRef, useState } from "preact/hooks";
import { hasToken } from "../client.ts";
import { atVersion } from "../kinds.ts";
import { place } from "../route.ts";
import { load, logout, session } from "../session.ts";
import { useStore } from "../store.ts";
import { nextTheme, theme } from "../theme.ts";
import { Confirm } from "./confirm.tsx";
import { Home } from "./home.tsx";
import { KindView } from "./kind.tsx";
import { Login } from "./login.tsx";
import { Operations } from "./operations.tsx";
import { Sidebar } from "./sidebar.tsx";

export function Shell() {
  const { state, error } = useStore(session);
  useEffect(() => void load(), []);
  if (state === "login") return <Login />;
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <Frame />
      <Confirm />
      {state === "failed" && (
        <p class="banner error" role="alert">
          {error} <button onClick={() => void load()}>Try again</button>
        </p>
      )}
    </>
  );
}

function skip(event: Event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Frame() {
  const { about } = useStore(session);
  const mode = useStore(theme);
  const here = useStore(place);
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [here]);
  useKeys();
  return (
    <div class={open ? "frame open" : "frame"}>
      <header>
        <button class="menu" aria-expanded={open} aria-label="Kinds" onClick={() => setOpen(!open)}>
          ☰
        </button>
        <a class="brand" href="#/">
          <Mark /> Ordain
        </a>
        <span class="where">{whereText(about)}</span>
        {about?.user !== undefined && !about.open && (
          <span class="user" title={(about.user.groups ?? []).join(", ")}>
            {about.user.name}
            {hasToken() && (
              <button class="quiet" onClick={logout}>
                Sign out
              </button>
            )}
          </span>
        )}
        <nav aria-label="Views">
          <a href="#/operations" aria-current={here.view === "operations" ? "page" : undefined}>
            Operations
          </a>
        </nav>
        <button
          class="quiet"
          onClick={nextTheme}
          aria-label={`Theme: ${mode}. Change it`}
          title={`Theme: ${mode}`}
        >
          {{ system: "◐", light: "☀", dark: "☾" }[mode]}
        </button>
      </header>
      <Sidebar />
      <main id="main" tabIndex={0}>
        <View />
      </main>
    </div>
  );
}

function whereText(about: ReturnType<typeof useStore<typeof session.value>>["about"]): string {
  if (about === undefined) return "";
  if (about.mode === "cluster") return about.server ?? "cluster";
  if (about.mode === "files") return (about.paths ?? []).join(", ");
  return location.host;
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M12 2 22 12 12 22 2 12Z" fill="none" stroke="currentColor" stroke-width="2" />
      <path d="m7.5 12 3 3 6-6" fill="none" stroke="currentColor" stroke-width="2" />
    </svg>
  );
}

function View() {
  const here = useStore(place);
  const { kinds, state } = useStore(session);
  const title = useRef("");
  useEffect(() => {
    const name = here.view === "kind" ? here.plural : here.view;
    title.current = `${name} · Ordain explorer`;
    document.title = title.current;
  }, [here]);
  if (here.view === "operations") return <Operations />;
  if (here.view === "home") return <Home />;
  const kind = kinds.find((it) => it.group === here.group && it.plural === here.plural);
  if (kind === undefined) {
    return <p class="empty">{state === "loading" ? "Loading…" : `There is no ${here.plural} here.`}</p>;
  }
  return <KindView kind={atVersion(kind, here.version)} key={`${here.group}/${here.plural}`} />;
}

/** Keys that work everywhere: `/` looks for a kind, `g` and a letter goes to a view. */
function useKeys() {
  useEffect(() => {
    let prefix = "";
    const onKey = (event: KeyboardEvent) => {
      const target = event.composedPath()[0];
      const typing =
        target instanceof HTMLElement &&
        (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
      if (typing || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.key === "/") {
        event.preventDefault();
        document.getElementById("search")?.focus();
      } else if (prefix === "g") {
        const tab = { s: "schema", o: "objects", t: "try", r: "rules", v: "versions" }[event.key];
        if (event.key === "h") location.hash = "#/";
        else if (event.key === "p") location.hash = "#/operations";
        else if (tab !== undefined) document.getElementById(`tab-${tab}`)?.click();
      }
      prefix = event.key;
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
