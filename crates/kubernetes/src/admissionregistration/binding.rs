//! Bindings of policies: what both kinds share.

use ordain_value::Value;

use super::metadata;
use crate::native::Native;
use crate::shared::fields;
use crate::shared::table::Cell::{Of, Text};
use crate::shared::table::{AGE, NAME};

pub(super) fn native(kind: &'static str) -> Native {
    let mut native = super::native(kind, &[&["spec"]], metadata);
    native.columns = &[
        NAME,
        ("PolicyName", "string", 0, "The policy that is bound.", Text("spec.policyName")),
        ("ParamRef", "string", 0, "The objects that give parameters.", Of(params)),
        AGE,
    ];
    native
}

fn params(binding: &Value) -> Value {
    let reference = fields::at(binding, &["spec", "paramRef"]);
    let shown = reference.map_or_else(
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
    shown.into()
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
