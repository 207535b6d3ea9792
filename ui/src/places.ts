// Where the rules of a kind are written, when it is served from types.
import { get } from "./client.ts";
import type { Kind } from "./kinds.ts";
import { pathText, type PlacedRule } from "./schema.ts";

export interface RulePlace {
  path: string;
  rule: number;
  expression: string;
  place: string;
}

/** What a declaration says beside its published schema. */
export interface Outline {
  rules: RulePlace[];
  gated: { path: string; gates: string[] }[];
}

export function outlineOf(kind: Kind, signal: AbortSignal): Promise<Outline> {
  const query = new URLSearchParams({ group: kind.group, version: kind.version, resource: kind.plural });
  return get(`/ui/api/outline?${query}`, { signal });
}

/** `types.go:12:6`, if it is known. */
export function placeOf(outline: Outline | undefined, rule: PlacedRule): string | undefined {
  const same = outline?.rules.filter((it) => it.expression === rule.rule) ?? [];
  // A type that several fields have is shown at the first of them.
  return (same.find((it) => it.path === pathText(rule.path)) ?? same[0])?.place;
}
