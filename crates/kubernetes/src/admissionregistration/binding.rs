//! Bindings of policies: what both kinds share.

use ordain_strategy::object;
use ordain_strategy::typed::printer;
use ordain_value::Value;

use super::metadata;
use crate::native::Native;
use crate::shared::{fields, table};

pub(super) fn native(kind: &'static str) -> Native {
    let mut native = super::native(kind, &[&["spec"]], metadata);
    native.hooks.cells = cells;
    native.columns = table::columns(
        &[
            ("PolicyName", "string", "The policy that is bound."),
            ("ParamRef", "string", "The objects that give parameters."),
        ],
        &[],
    );
    native
}

fn cells(binding: &Value, now: i64) -> Vec<Value> {
    let reference = fields::at(binding, &["spec", "paramRef"]);
    let params = reference.map_or_else(
        || "<unset>".to_owned(),
        |reference| {
            let text = |name: &str| fields::text(reference, &[name]);
            match (text("namespace"), text("name"), fields::at(reference, &["selector"])) {
                (_, "", None) => "<unset>".to_owned(),
                (_, "", Some(selector)) => go_text(selector),
                ("", name, _) => format!("*/{name}"),
                (namespace, name, _) => format!("{namespace}/{name}"),
            }
        },
    );
    vec![
        object::name(binding).into(),
        fields::text(binding, &["spec", "policyName"]).into(),
        params.into(),
        printer::age(binding, now),
    ]
}

/// A selector as Go's generated text form has it.
fn go_text(selector: &Value) -> String {
    let labels = fields::map(selector, &["matchLabels"]).into_iter().flat_map(|map| map.iter());
    let labels: String =
        labels.map(|(key, value)| format!("{key}: {},", value.as_str().unwrap_or(""))).collect();
    let expressions: String = fields::list(selector, &["matchExpressions"])
        .iter()
        .map(|it| {
            format!(
                "LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
                fields::text(it, &["key"]),
                fields::text(it, &["operator"]),
                fields::texts(it, &["values"]).join(" "),
            )
        })
        .collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:\
         []LabelSelectorRequirement{{{expressions}}},}}"
    )
}
