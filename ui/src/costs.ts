// What the rules of a kind can cost, as the server estimates it from the schema.
import { post } from "./client.ts";
import type { PlacedRule, Rule, Schema } from "./schema.ts";

export interface Cost {
  /** `spec.x-kubernetes-validations[0].rule` */
  path: string;
  expression: string;
  evaluation: number;
  evaluations: number;
  cost: number;
  advice: { path: string; keyword: string; bound: number }[];
}

export interface Costs {
  rules: Cost[];
  total: number;
  limit: number;
  totalLimit: number;
}

/** The costs of all rules of a schema without references. */
export function costsOf(schema: Schema, signal: AbortSignal): Promise<Costs> {
  return post("/ui/api/rules", { schema }, signal);
}

/** The cost of one rule: that of its text at its place among the rules of a field. */
export function costOf(costs: Costs | undefined, rule: Rule, index: number): Cost | undefined {
  return costs?.rules.find(
    (it) => it.expression === rule.rule && it.path.includes(`x-kubernetes-validations[${index}]`),
  );
}

export function costOfPlaced(costs: Costs | undefined, rule: PlacedRule): Cost | undefined {
  return costOf(costs, rule, rule.index);
}
