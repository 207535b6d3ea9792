//! Rules of the `+k8s:` tags in CEL, for what no keyword of a schema says.

use ordain_value::{Value, go_quote, json};

use crate::native::Rule;

/// What a value must satisfy, as an expression about `subject`; none where CEL cannot say it.
/// `field` gives the name of a field as CEL writes it.
#[must_use]
pub fn predicate(
    rule: &Rule,
    subject: &str,
    field: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    Some(match rule {
        Rule::Minimum(least) => format!("{subject} >= {least}"),
        Rule::Maximum(most) => format!("{subject} <= {most}"),
        Rule::MinLength(size) | Rule::MinItems(size) => format!("size({subject}) >= {size}"),
        Rule::MaxLength(size) | Rule::MaxItems(size) => format!("size({subject}) <= {size}"),
        Rule::MaxBytes(size) => format!("size(bytes({subject})) <= {size}"),
        Rule::NotEqual(value) => format!("{subject} != {}", literal(value)),
        Rule::Format(format) => format_check(format.name(), subject)?,
        Rule::Enum { values, exclusions } if exclusions.is_empty() => {
            let values: Vec<String> = values.iter().map(|it| go_quote(it)).collect();
            format!("{subject} in [{}]", values.join(", "))
        }
        Rule::EachKey { inner } => {
            format!("{subject}.all(key, {})", predicate(&inner.rule, "key", field)?)
        }
        Rule::Subfield { json, inner, .. } => {
            let member = format!("{subject}.{}", field(json)?);
            match &inner.rule {
                Rule::Required(_) => format!("has({member})"),
                Rule::Forbidden(_) => format!("!has({member})"),
                inner => format!("!has({member}) || {}", predicate(inner, &member, field)?),
            }
        }
        Rule::Item { criteria, inner, .. } => {
            let chosen: Option<Vec<String>> = criteria
                .iter()
                .map(|it| Some(format!("item.{} == {}", field(&it.json)?, literal(&it.value))))
                .collect();
            let inner = predicate(&inner.rule, "item", field)?;
            format!("{subject}.all(item, !({}) || ({inner}))", chosen?.join(" && "))
        }
        _ => return None,
    })
}

/// A check of a named format, of `+format` or `+k8s:format`, that definitions understand.
#[must_use]
pub fn format_check(name: &str, subject: &str) -> Option<String> {
    let known =
        |format: &str, subject: &str| format!("!format.{format}().validate({subject}).hasValue()");
    Some(match name {
        "k8s-short-name" | "dns1123label" => known("dns1123Label", subject),
        "k8s-long-name" | "dns1123subdomain" => known("dns1123Subdomain", subject),
        "k8s-long-name-caseless" => known("dns1123Subdomain", &format!("{subject}.lowerAscii()")),
        "dns1035label" => known("dns1035Label", subject),
        "k8s-label-key" | "qualifiedName" => known("qualifiedName", subject),
        "k8s-label-value" => known("labelValue", subject),
        "k8s-uuid" => known("uuid", subject),
        "k8s-path-segment-name" => format!(
            "{subject} != '.' && {subject} != '..' && !{subject}.contains('/') && \
             !{subject}.contains('%')"
        ),
        _ => return None,
    })
}

/// A constant in CEL.
#[must_use]
pub fn literal(value: &Value) -> String {
    match value {
        Value::Str(text) => go_quote(text),
        other => json::encode_string(other),
    }
}
