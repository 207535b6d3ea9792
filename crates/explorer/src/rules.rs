//! The rules of a schema by cost, for the bars of the rules desk.

use ordain_passes::RuleOptions;
use ordain_passes::rules::{EXPRESSION_COST_MAX, RuleCost, SCHEMA_COST_MAX, rule_costs};
use ordain_value::{Value, value};

use crate::ask::{Unanswered, int, schema};

/// `{schema}` gives `{rules: [{path, expression, cost, …}], total, limit, totalLimit}`.
pub(crate) fn answer(posted: &Value) -> Result<Value, Unanswered> {
    let schema = schema(posted)?.ok_or_else(|| "there is no schema".to_owned())?;
    let rules = rule_costs(&schema, RuleOptions::crd());
    let total = rules.iter().fold(0_u64, |sum, it| sum.saturating_add(it.cost));
    let rules: Vec<Value> = rules.iter().map(rule).collect();
    Ok(value!({
        "rules": rules,
        "total": int(total),
        "limit": int(EXPRESSION_COST_MAX),
        "totalLimit": int(SCHEMA_COST_MAX)
    }))
}

fn rule(rule: &RuleCost) -> Value {
    let advice = rule.advice.iter().map(
        |it| value!({"path": (it.path.as_str()), "keyword": (it.keyword), "bound": (it.bound)}),
    );
    let advice: Vec<Value> = advice.collect();
    value!({
        "path": (rule.path.as_str()),
        "expression": (rule.expression.as_str()),
        "evaluation": int(rule.evaluation),
        "evaluations": int(rule.evaluations),
        "cost": int(rule.cost),
        "advice": advice
    })
}
