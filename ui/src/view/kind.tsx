// One kind: its name and facts, and a tab for each way to look at it.
import { useEffect } from "preact/hooks";
import { get } from "../client.ts";
import { apiVersion, isBuiltIn, type Kind } from "../kinds.ts";
import { go, link, place, TABS } from "../route.ts";
import { documentPath, schemasOf, type Schemas } from "../schema.ts";
import { isSettled, useLoaded, useStore } from "../store.ts";
import { ObjectView } from "./object.tsx";
import { Objects } from "./objects.tsx";
import { Rules } from "./rules.tsx";
import { SchemaView } from "./schema_tree.tsx";
import { Try } from "./try.tsx";
import { Versions } from "./versions.tsx";

export interface Definition {
  spec?: {
    versions?: {
      name: string;
      storage?: boolean;
      deprecated?: boolean;
      additionalPrinterColumns?: { name: string; type: string; jsonPath: string; priority?: number }[];
    }[];
  };
}

export function KindView({ kind }: { kind: Kind }) {
  const here = useStore(place);
  useEffect(() => document.getElementById("main")?.scrollTo(0, 0), [kind.plural, here.tab]);
  const schemas = useLoaded(() => schemasOf(kind), [kind.group, kind.version, kind.plural]);
  const definition = useLoaded<Definition>(
    (signal) =>
      isBuiltIn(kind.group)
        ? Promise.resolve({})
        : get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${kind.plural}.${kind.group}`, {
            signal,
          }),
    [kind.group, kind.plural],
  );
  // The heading is as tall as what it says: what is below it comes after it.
  if (!isSettled(definition)) return <p class="loading">Loading…</p>;
  const tab = here.tab === "object" ? "objects" : here.tab;
  return (
    <div class="page kind">
      <div class="heading">
        <h1>{kind.kind}</h1>
        <label class="version">
          <span class="unseen">Version</span>
          <select
            value={kind.version}
            onChange={(event) => go(link({ ...kind, version: event.currentTarget.value }, tab))}
          >
            {kind.versions.map((it) => (
              <option key={it.name} value={it.name}>
                {kind.group === "" ? it.name : `${kind.group}/${it.name}`}
              </option>
            ))}
          </select>
        </label>
        <Facts kind={kind} definition={definition.value} />
      </div>
      <nav class="tabs" aria-label={`Views of ${kind.kind}`}>
        {TABS.map((name) => (
          <a
            key={name}
            id={`tab-${name}`}
            href={link(kind, name)}
            aria-current={tab === name ? "page" : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <Tab kind={kind} schemas={schemas.value} error={schemas.error} definition={definition.value} />
    </div>
  );
}

function Facts({ kind, definition }: { kind: Kind; definition: Definition | undefined }) {
  const storage = definition?.spec?.versions?.find((it) => it.storage)?.name;
  const facts = [
    kind.namespaced ? "namespaced" : "cluster-wide",
    kind.plural,
    ...kind.shortNames,
    ...(storage === undefined ? [] : [`stored as ${storage}`]),
  ];
  return (
    <p class="facts">
      {facts.map((it) => (
        <span key={it} class="chip">
          {it}
        </span>
      ))}
      <span class="verbs">{[...kind.verbs].sort().join(" ")}</span>
      <a class="raw" href={`/openapi/v3/${documentPath(kind)}`} target="_blank" rel="noreferrer">
        OpenAPI of {apiVersion(kind)}
      </a>
    </p>
  );
}

interface TabProps {
  kind: Kind;
  schemas: Schemas | undefined;
  error: string | undefined;
  definition: Definition | undefined;
}

function Tab({ kind, schemas, error, definition }: TabProps) {
  const here = useStore(place);
  if (here.tab === "objects") return <Objects kind={kind} />;
  if (here.tab === "object") {
    const [namespace = "", name = ""] = here.rest;
    return (
      <ObjectView
        kind={kind}
        namespace={namespace === "-" ? "" : namespace}
        name={name}
        key={`${namespace}/${name}`}
      />
    );
  }
  if (error !== undefined)
    return (
      <p class="error" role="alert">
        {error}
      </p>
    );
  if (schemas === undefined) return <p class="hint">Loading the schema…</p>;
  if (here.tab === "try") {
    const [namespace, name] = here.rest;
    return (
      <Try
        kind={kind}
        schemas={schemas}
        namespace={namespace}
        name={name}
        key={`${kind.version}/${namespace}/${name}`}
      />
    );
  }
  if (here.tab === "rules") return <Rules kind={kind} schemas={schemas} key={kind.version} />;
  if (here.tab === "versions") return <Versions kind={kind} />;
  return <SchemaView kind={kind} schemas={schemas} target={here.rest[0] ?? ""} definition={definition} />;
}
