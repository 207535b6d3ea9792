// The rules desk: what a kind's rules can cost, and a console to ask an object.
import { useEffect, useMemo, useState } from "preact/hooks";
import { get } from "../client.ts";
import { costOfPlaced, costsOf, type Costs } from "../costs.ts";
import { pathOf, type Kind } from "../kinds.ts";
import { link, place } from "../route.ts";
import { pathText, rules, type PlacedRule, type Schema, type Schemas } from "../schema.ts";
import { isSettled, useLoaded, useStore } from "../store.ts";
import { outlineOf, placeOf, type Outline } from "../places.ts";
import { Cases } from "./cases.tsx";
import { Console } from "./console.tsx";

export interface Subject {
  namespace: string;
  name: string;
}

interface Listed {
  items: { metadata: { name: string; namespace?: string } }[];
}

export function Rules({ kind, schemas }: { kind: Kind; schemas: Schemas }) {
  const here = useStore(place);
  const schema = useMemo<Schema>(() => schemas.whole(schemas.of(kind) ?? {}), [schemas, kind]);
  const all = useMemo(() => rules(schemas, schemas.of(kind) ?? {}), [schemas, kind]);
  const costs = useLoaded((signal) => costsOf(schema, signal), [schema]);
  const outline = useLoaded((signal) => outlineOf(kind, signal), [kind]);
  const subjects = useLoaded<Listed>(
    (signal) =>
      get(`${pathOf(kind)}?limit=100`, {
        accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        signal,
      }),
    [kind],
  );
  const [expression, setExpression] = useState("");
  const [at, setAt] = useState("");
  const take = (rule: PlacedRule) => {
    setExpression(rule.rule);
    setAt(pathText(rule.path).replaceAll("[]", "[0]"));
  };
  useEffect(() => {
    const [path, index] = here.rest;
    const rule = all.find((it) => pathText(it.path) === path && String(it.index) === index);
    if (rule !== undefined) take(rule);
  }, [here, all]);
  if (!isSettled(costs) || !isSettled(outline)) return <p class="hint">Pricing the rules…</p>;
  return (
    <div class="rules-desk">
      <section aria-labelledby="rules-title">
        <h2 id="rules-title">Rules and what they can cost</h2>
        {all.length === 0 && <p class="empty">{kind.kind} has no rules in its published schema.</p>}
        {costs.error !== undefined && (
          <p class="error" role="alert">
            {costs.error}
          </p>
        )}
        <ul class="rule-list">
          {all.map((rule) => (
            <RuleItem
              key={`${pathText(rule.path)}/${rule.index}`}
              kind={kind}
              rule={rule}
              costs={costs.value}
              outline={outline.value}
              onTake={take}
            />
          ))}
        </ul>
        {costs.value !== undefined && all.length > 0 && (
          <p class="total">
            All together <Bar value={costs.value.total} limit={costs.value.totalLimit} />
          </p>
        )}
      </section>
      <div>
        <Console
          kind={kind}
          schema={schema}
          subjects={(subjects.value?.items ?? []).map(({ metadata }) => ({
            name: metadata.name,
            namespace: metadata.namespace ?? "",
          }))}
          expression={expression}
          at={at}
          onExpression={setExpression}
          onAt={setAt}
        />
        <Cases kind={kind} schemas={schemas} />
      </div>
    </div>
  );
}

interface ItemProps {
  kind: Kind;
  rule: PlacedRule;
  costs: Costs | undefined;
  outline: Outline | undefined;
  onTake: (rule: PlacedRule) => void;
}

function RuleItem({ kind, rule, costs, outline, onTake }: ItemProps) {
  const cost = costOfPlaced(costs, rule);
  const path = pathText(rule.path);
  const place = placeOf(outline, rule);
  return (
    <li>
      <span>
        <a href={link(kind, "schema", path)}>
          <code>{path || "the object"}</code>
        </a>{" "}
        {place !== undefined && <small>{place}</small>}
      </span>
      <code class="rule">{rule.rule}</code>
      {rule.message !== undefined && <p>{rule.message}</p>}
      {rule.messageExpression !== undefined && (
        <p>
          <code>{rule.messageExpression}</code>
        </p>
      )}
      {cost !== undefined && costs !== undefined && (
        <Bar value={cost.cost} limit={costs.limit} detail={`${cost.evaluation} × ${cost.evaluations}`} />
      )}
      {cost?.advice.map((it) => (
        <p key={it.path} class="hint">
          {it.keyword}: {it.bound} at {it.path} would make it cheap enough.
        </p>
      ))}
      <button onClick={() => onTake(rule)}>Ask it in the console</button>
    </li>
  );
}

/** A cost against its budget. The scale is logarithmic: costs differ by powers of ten. */
export function Bar({ value, limit, detail }: { value: number; limit: number; detail?: string }) {
  const share = Math.min(1, Math.log10(value + 1) / Math.log10(limit + 1));
  return (
    <span class="cost">
      <meter
        min={0}
        max={1}
        low={0.8}
        high={0.95}
        optimum={0}
        value={share}
        aria-label={`Cost ${value} of ${limit}`}
      />
      <span>
        {value.toLocaleString("en")} of {limit.toLocaleString("en")}
        {detail === undefined ? "" : ` (${detail})`}
      </span>
    </span>
  );
}
