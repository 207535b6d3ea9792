// The CEL console: an expression on an object, with the value of each of its parts.
import { useEffect, useState } from "preact/hooks";
import { get, post } from "../client.ts";
import type { Tree } from "../diff.ts";
import { pathOf, type Kind } from "../kinds.ts";
import type { Schema } from "../schema.ts";
import { useLoaded, words } from "../store.ts";
import { Bar, type Subject } from "./rules.tsx";

interface Outcome {
  value?: string;
  error?: string;
  cost?: number;
}

interface Answer extends Outcome {
  compile?: string;
  missing?: string;
  type?: string;
  estimate?: { min: number; max: number };
  limit?: number;
  parts?: (Outcome & { text: string; depth: number; type: string })[];
}

interface Props {
  kind: Kind;
  schema: Schema;
  subjects: Subject[];
  expression: string;
  at: string;
  onExpression: (text: string) => void;
  onAt: (text: string) => void;
}

export function Console({ kind, schema, subjects, expression, at, onExpression, onAt }: Props) {
  const [chosen, setChosen] = useState("");
  const first = subjects[0];
  const [namespace = "", name = ""] = (chosen || (first ? `${first.namespace}/${first.name}` : "/")).split(
    "/",
  );
  const object = useLoaded<Tree | undefined>(
    (signal) =>
      name === "" ? Promise.resolve(undefined) : get<Tree>(pathOf(kind, namespace, name), { signal }),
    [namespace, name],
  );
  const [typed, setTyped] = useState(true);
  const [answer, setAnswer] = useState<Answer>({});
  useEffect(() => {
    if (expression.trim() === "") return setAnswer({});
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const question = {
        expression,
        at,
        self: object.value,
        oldSelf: object.value,
        schema: typed ? schema : undefined,
      };
      post<Answer>("/ui/api/cel", question, abort.signal).then(
        (it) => abort.signal.aborted || setAnswer(it),
        (error: unknown) => abort.signal.aborted || setAnswer({ compile: words(error) }),
      );
    }, 250);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [expression, at, object.value, typed, schema]);
  return (
    <section class="console" aria-labelledby="console-title">
      <h2 id="console-title">CEL console</h2>
      <div class="tools">
        <label>
          Object{" "}
          <select
            id="console-object"
            class="long"
            value={`${namespace}/${name}`}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            {subjects.length === 0 && <option value="/">none</option>}
            {subjects.map((it) => (
              <option key={`${it.namespace}/${it.name}`} value={`${it.namespace}/${it.name}`}>
                {it.namespace === "" ? it.name : `${it.namespace}/${it.name}`}
              </option>
            ))}
          </select>
        </label>
        <label>
          self is{" "}
          <input
            id="console-at"
            type="text"
            value={at}
            placeholder="the whole object"
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => onAt(event.currentTarget.value)}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={typed}
            onChange={(event) => setTyped(event.currentTarget.checked)}
          />{" "}
          types of the schema
        </label>
      </div>
      <label for="console-text" class="unseen">
        Expression
      </label>
      <textarea
        id="console-text"
        rows={3}
        value={expression}
        spellcheck={false}
        placeholder="self.spec.replicas <= 3"
        onInput={(event) => onExpression(event.currentTarget.value)}
      />
      <AnswerView answer={answer} />
    </section>
  );
}

function AnswerView({ answer }: { answer: Answer }) {
  return (
    <div class="answer" aria-live="polite">
      {answer.compile !== undefined && (
        <pre class="error" tabIndex={0} aria-label="Errors of the expression">
          {answer.compile.trim()}
        </pre>
      )}
      {answer.type !== undefined && (
        <dl>
          <dt>Value</dt>
          <dd id="console-value">
            {answer.value !== undefined && <code>{answer.value}</code>}
            {answer.error !== undefined && <span class="error">{answer.error}</span>}
            {answer.missing !== undefined && (
              <span class="hint">there is no {answer.missing} at that place of the object</span>
            )}
          </dd>
          <dt>Type</dt>
          <dd>
            <code>{typeText(answer.type)}</code>
          </dd>
          {answer.cost !== undefined && (
            <>
              <dt>Cost</dt>
              <dd>{answer.cost}</dd>
            </>
          )}
          {answer.estimate !== undefined && (
            <>
              <dt>At most</dt>
              <dd>
                <Bar value={answer.estimate.max} limit={answer.limit ?? 1} />
              </dd>
            </>
          )}
        </dl>
      )}
      {(answer.parts ?? []).length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Values of the parts">
          <table class="plain parts">
            <thead>
              <tr>
                <th scope="col">Part</th>
                <th scope="col">Value</th>
                <th scope="col">Type</th>
                <th scope="col">Cost</th>
              </tr>
            </thead>
            <tbody>
              {answer.parts?.map((it, index) => (
                <tr key={index}>
                  <td>
                    <span class={`depth-${Math.min(it.depth, 6)}`}>
                      <code>{it.text}</code>
                    </span>
                  </td>
                  <td>
                    {it.error === undefined ? <code>{it.value}</code> : <span class="error">{it.error}</span>}
                  </td>
                  <td>{typeText(it.type)}</td>
                  <td class="number">{it.cost}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

/** A type without the names that the compiler gives to objects of a schema. */
function typeText(type: string): string {
  return type.replace(/\bselfType[\w.@]*/g, "object");
}
