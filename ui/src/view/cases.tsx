// The cases of `ordain test`, run against the definition that is served, with what they cover.
import { useState } from "preact/hooks";
import { get, post } from "../client.ts";
import type { Tree } from "../diff.ts";
import { apiVersion, type Kind } from "../kinds.ts";
import { words } from "../store.ts";
import { write } from "../yaml.ts";

interface Run {
  cases: { name: string; line: number; failures: string[] }[];
  coverage: { path: string; constraint: string; passed: boolean; failed: boolean }[];
}

/** A table to begin with. */
function template(kind: Kind): string {
  return write({
    base: {
      apiVersion: apiVersion(kind),
      kind: kind.kind,
      metadata: kind.namespaced ? { name: "a", namespace: "default" } : { name: "a" },
    },
    cases: [{ name: "a plain one is accepted", object: { spec: {} } }],
  });
}

export function Cases({ kind }: { kind: Kind }) {
  const [text, setText] = useState(() => template(kind));
  const [run, setRun] = useState<Run | undefined>(undefined);
  const [error, setError] = useState("");
  const act = async () => {
    try {
      const definition = await get<Tree>(
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${kind.plural}.${kind.group}`,
      );
      setRun(await post<Run>("/ui/api/cases", { definition, cases: text }));
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
