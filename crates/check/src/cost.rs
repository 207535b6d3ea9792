//! What the rules of a definition cost, and the bounds that make an expensive one cheap enough.

use std::fmt::Write;

use ordain_passes::RuleOptions;
use ordain_passes::rules::{EXPRESSION_COST_MAX, RuleCost, SCHEMA_COST_MAX, rule_costs};
use ordain_schema::Schema;
use ordain_schema::crd::Crd;
use ordain_schema::declared::Api;
use ordain_schema::folding::fold;
use ordain_value::{Value, value};

/// The rules of one version of a definition by cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The definition and its version.
    pub name: String,
    pub version: String,
    /// The most expensive first.
    pub rules: Vec<RuleCost>,
    /// Of all rules together.
    pub total: u64,
}

impl Report {
    /// Whether the server refuses the definition for its costs.
    #[must_use]
    pub fn exceeds(&self) -> bool {
        self.total > SCHEMA_COST_MAX || self.rules.iter().any(|it| it.cost > EXPRESSION_COST_MAX)
    }
}

/// Prices the rules of a definition, version by version.
///
/// # Errors
/// When the value is no definition, or a schema is none that rules can be costed in.
pub fn price(definition: &Value) -> Result<Vec<Report>, String> {
    let (crd, _) = Crd::decode(definition).map_err(|error| error.0)?;
    let mut reports = Vec::new();
    for version in crd.spec.versions() {
        let Some(raw) = version.raw() else { continue };
        let schema = ordain_schema::resolve(raw).map_err(|error| error.to_string())?;
        reports.push(report(crd.name(), &version.name, &schema, RuleOptions::crd()));
    }
    Ok(reports)
}

/// Prices the rules of declared kinds, version by version.
#[must_use]
pub fn price_declared(api: &Api) -> Vec<Report> {
    let versions = api.kinds.iter().flat_map(|kind| kind.versions.iter().map(move |it| (kind, it)));
    versions
        .map(|(kind, version)| {
            let name = kind.resource_name();
            // Bounds of `+k8s:` tags count as well.
            let folded = version.native.as_ref().map(|it| fold(&version.schema, it));
            let schema = folded.as_ref().unwrap_or(&version.schema);
            report(&name, &version.name, schema, RuleOptions::declared())
        })
        .collect()
}

fn report(name: &str, version: &str, schema: &Schema, options: RuleOptions) -> Report {
    let mut rules = rule_costs(schema, options);
    let total = rules.iter().fold(0_u64, |sum, it| sum.saturating_add(it.cost));
    rules.sort_by_key(|it| std::cmp::Reverse(it.cost));
    Report { name: name.to_owned(), version: version.to_owned(), rules, total }
}

/// A report as text.
#[must_use]
pub fn text(report: &Report) -> String {
    let mut out = format!("{} {}\n", report.name, report.version);
    if report.rules.is_empty() {
        out.push_str("  no rules\n");
    }
    for rule in &report.rules {
        let mark = if rule.cost > EXPRESSION_COST_MAX { "REFUSED" } else { "ok" };
        let _ = writeln!(
            out,
            "  {mark:7} {:>12} = {} x {}  ({} of the limit)",
            rule.cost,
            rule.evaluation,
            rule.evaluations,
            share(rule.cost, EXPRESSION_COST_MAX)
        );
        let _ = writeln!(out, "          {}", rule.path);
        let _ = writeln!(out, "          {}", rule.expression.lines().next().unwrap_or_default());
        for advice in &rule.advice {
            let _ = writeln!(
                out,
                "          help: add {}: {} to {} ({} of the limit then)",
                advice.keyword,
                advice.bound,
                advice.path,
                share(advice.cost, EXPRESSION_COST_MAX)
            );
        }
    }
    let mark = if report.total > SCHEMA_COST_MAX { "REFUSED" } else { "ok" };
    let share = share(report.total, SCHEMA_COST_MAX);
    let _ = writeln!(out, "  {mark:7} {:>12} in all ({share} of the limit)", report.total);
    out
}

#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
fn share(cost: u64, of: u64) -> String {
    let percent = cost as f64 * 100.0 / of as f64;
    if percent > 1000.0 {
        format!("{:.1} times", percent / 100.0)
    } else {
        format!("{percent:.2}%")
    }
}

/// A report as a value.
#[must_use]
pub fn value(report: &Report) -> Value {
    let int = Value::count::<u64>;
    let rules = report.rules.iter().map(|rule| {
        let advice = rule.advice.iter().map(|advice| {
            value!({
                "path": (advice.path.as_str()),
                "keyword": (advice.keyword),
                "value": (advice.bound),
                "cost": int(advice.cost)
            })
        });
        value!({
            "path": (rule.path.as_str()),
            "expression": (rule.expression.as_str()),
            "evaluation": int(rule.evaluation),
            "evaluations": int(rule.evaluations),
            "cost": int(rule.cost),
            "exceeds": (rule.cost > EXPRESSION_COST_MAX),
            "advice": (advice.collect::<Value>())
        })
    });
    value!({
        "name": (report.name.as_str()),
        "version": (report.version.as_str()),
        "rules": (rules.collect::<Value>()),
        "total": int(report.total),
        "exceeds": (report.exceeds())
    })
}
