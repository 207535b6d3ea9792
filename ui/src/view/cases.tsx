// The cases of `ordain test`, run against the kind as it is served, with what they cover.
import { useState } from "preact/hooks";
import { get, post } from "../client.ts";
import type { Tree } from "../diff.ts";
import { isBuiltIn, type Kind } from "../kinds.ts";
import { sample } from "../sample.ts";
import type { Schemas } from "../schema.ts";
import { session } from "../session.ts";
import { words } from "../store.ts";
import { write } from "../yaml.ts";

interface Run {
  cases: { name: string; line: number; failures: string[] }[];
  coverage: { path: string; constraint: string; passed: boolean; failed: boolean }[];
}

/** A table to begin with. */
function template(kind: Kind, schemas: Schemas): string {
  const { spec, ...base } = sample(kind, schemas, "minimal");
  const object = spec === undefined ? {} : { spec };
  return write({ base, cases: [{ name: "a plain one is accepted", object }] });
}

/** The definition of a kind that the server behind the page has and the page's own does not. */
async function definitionOf(kind: Kind): Promise<Tree | undefined> {
  if (session.value.about?.mode !== "cluster" || isBuiltIn(kind.group)) return undefined;
  const name = encodeURIComponent(`${kind.plural}.${kind.group}`);
  return get<Tree>(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`);
}

export function Cases({ kind, schemas }: { kind: Kind; schemas: Schemas }) {
  const [text, setText] = useState(() => template(kind, schemas));
  const [run, setRun] = useState<Run | undefined>(undefined);
  const [error, setError] = useState("");
  const act = async () => {
    try {
      const { group, plural: resource } = kind;
      const definition = await definitionOf(kind);
      setRun(await post<Run>("/ui/api/cases", { group, resource, definition, cases: text }));
      setError("");
    } catch (refused) {
      setRun(undefined);
      setError(words(refused));
    }
  };
  const read = async (file: File | undefined) => file !== undefined && setText(await file.text());
  return (
    <section class="cases" aria-labelledby="cases-title">
      <h2 id="cases-title">Cases</h2>
      <p class="tools">
        <label>
          A table of <code>ordain test</code>{" "}
          <input
            type="file"
            accept=".yaml,.yml"
            onChange={(event) => void read(event.currentTarget.files?.[0])}
          />
        </label>
        <button class="primary" id="run-cases" onClick={() => void act()}>
          Run
        </button>
      </p>
      <label for="cases-text" class="unseen">
        Cases as YAML
      </label>
      <textarea
        id="cases-text"
        rows={10}
        value={text}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {error !== "" && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {run !== undefined && <Outcome run={run} />}
    </section>
  );
}

function Outcome({ run }: { run: Run }) {
  const covered = run.coverage.filter((it) => it.passed && it.failed).length;
  const open = run.coverage.filter((it) => !it.passed || !it.failed);
  return (
    <div aria-live="polite">
      <ul class="checks">
        {run.cases.map((it) => (
          <li key={`${it.line}/${it.name}`} class={it.failures.length === 0 ? "well" : "ill"}>
            {it.name} <small>line {it.line}</small>
            {it.failures.map((why) => (
              <p key={why} class="error">
                {why}
              </p>
            ))}
          </li>
        ))}
      </ul>
      <p class="total">
        {covered} of {run.coverage.length} constraints were seen to pass and to fail.
      </p>
      {open.length > 0 && (
        <details>
          <summary>What is not covered</summary>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Constraint</th>
                <th scope="col">Never seen to</th>
              </tr>
            </thead>
            <tbody>
              {open.map((it) => (
                <tr key={`${it.path}/${it.constraint}`}>
                  <td>
                    <code>{it.path || "the object"}</code>
                  </td>
                  <td>
                    <code>{it.constraint}</code>
                  </td>
                  <td>{[it.passed ? "" : "pass", it.failed ? "" : "fail"].filter(Boolean).join(" or ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </div>
  );
}
