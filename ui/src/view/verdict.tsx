// What the server said: problems with their lines and rules, what would be stored, what would change.
import { useState } from "preact/hooks";
import type { Tree } from "../diff.ts";
import type { Kind } from "../kinds.ts";
import { outlineOf, placeOf } from "../places.ts";
import { link } from "../route.ts";
import { pathText, rules, type PlacedRule, type Schema, type Schemas } from "../schema.ts";
import { useLoaded } from "../store.ts";
import type { Problem, Verdict } from "../verdict.ts";
import { at, fieldSteps, read, write } from "../yaml.ts";
import { Diff } from "./object.tsx";

interface Props {
  kind: Kind;
  schemas: Schemas;
  root: Schema;
  verdict: Verdict;
  stale: boolean;
  text: string;
  stored: Tree | undefined;
}

export function VerdictPanel({ kind, schemas, root, verdict, stale, text, stored }: Props) {
  const [shown, setShown] = useState<"result" | "patch">("result");
  const state = verdict.ok === true ? "ok" : verdict.ok === false ? "refused" : "unknown";
  const words = {
    ok: "The server would take it.",
    refused: "The server refuses it.",
    unknown: "Not asked yet.",
  }[state];
  return (
    <section class="verdict" aria-label="Verdict" aria-busy={stale}>
      <p class={`outcome ${state}`} role="status" id="outcome">
        {verdict.ok === undefined && verdict.problems.length > 0 ? "The text is not ready." : words}
      </p>
      <ul class="problems" aria-label="Problems">
        {verdict.problems.map((it, index) => (
          <ProblemItem key={index} kind={kind} schemas={schemas} root={root} problem={it} text={text} />
        ))}
      </ul>
      {verdict.dropped.length > 0 && (
        <p class="hint">
          Dropped:{" "}
          {verdict.dropped.map((it) => (
            <code key={it}>{it}</code>
          ))}
        </p>
      )}
      {verdict.cleared.length > 0 && (
        <p class="hint">
          Cleared in the stored object:{" "}
          {verdict.cleared.map((it) => (
            <code key={it}>{it}</code>
          ))}
        </p>
      )}
      {verdict.result !== undefined && (
        <>
          <div class="segments" role="group" aria-label="What to show">
            <button aria-pressed={shown === "result"} onClick={() => setShown("result")}>
              Result
            </button>
            <button
              aria-pressed={shown === "patch"}
              onClick={() => setShown("patch")}
              disabled={stored === undefined}
            >
              Change
            </button>
          </div>
          {shown === "patch" && stored !== undefined ? (
            <Diff before={write(stored).trimEnd()} after={write(verdict.result).trimEnd()} />
          ) : (
            <pre class="result" tabIndex={0} aria-label="The object as it would be stored">
              {write(verdict.result)}
            </pre>
          )}
        </>
      )}
    </section>
  );
}

interface ItemProps {
  kind: Kind;
  schemas: Schemas;
  root: Schema;
  problem: Problem;
  text: string;
}

function ProblemItem({ kind, schemas, root, problem, text }: ItemProps) {
  const rule = problem.severity === "error" ? ruleOf(schemas, root, problem) : undefined;
  const toLine = () => dispatchEvent(new CustomEvent("ordain-line", { detail: problem.line }));
  return (
    <li class={problem.severity}>
      <button class="line-link" onClick={toLine}>
        line {problem.line + 1}
      </button>
      {problem.field !== "" && <code>{problem.field}</code>}
      <span class="message">{problem.message}</span>
      {rule !== undefined && <Why kind={kind} rule={rule} problem={problem} text={text} />}
    </li>
  );
}

/** The rule behind a refusal, with the part of the object that it saw. */
function Why({
  kind,
  rule,
  problem,
  text,
}: {
  kind: Kind;
  rule: PlacedRule;
  problem: Problem;
  text: string;
}) {
  const written = useLoaded((signal) => outlineOf(kind, signal), [kind]);
  const source = placeOf(written.value, rule);
  const place = seenBy(rule, problem);
  const seen = at(read(text).value, place);
  return (
    <details class="why">
      <summary>Why</summary>
      <p>
        Rule {rule.index + 1} of <code>{pathText(rule.path) || "the object"}</code>
        {source === undefined ? "" : `, written at ${source}`}:
      </p>
      <code class="rule">{rule.rule}</code>
      <p>
        It saw <code>{place.join(".") || "the object"}</code>:
      </p>
      <pre tabIndex={0} aria-label="What the rule saw">
        {seen === undefined ? "nothing" : write(seen)}
      </pre>
      <a href={link(kind, "rules", pathText(rule.path), String(rule.index))}>Open it at the rules desk</a>
    </details>
  );
}

/** The place in the object that a rule looked at: as deep as the rule's own place in the schema. */
function seenBy(rule: PlacedRule, problem: Problem): string[] {
  return fieldSteps(problem.field).slice(0, rule.path.length);
}

function ruleOf(schemas: Schemas, root: Schema, problem: Problem): PlacedRule | undefined {
  const steps = fieldSteps(problem.field);
  return rules(schemas, root).find((it) => {
    const said = it.message ?? it.rule;
    const fits = it.path.every((step, index) => step === "[]" || step === "{}" || step === steps[index]);
    return fits && problem.message.includes(said.trim());
  });
}
