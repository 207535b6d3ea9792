//! The formats of KEP-4153, which custom resources do not know: names, qualified names, versions.

use ordain_meta::{GroupVersion, name};
use ordain_schema::Node;
use ordain_value::Value;
use ordain_value::field::{BadValue, Error, ErrorList, Kind};

use super::DeclaredPlan;
use super::walk::{Location, walk_values};

const ORIGIN: &str = "format";

/// How a text is checked; the messages say what is wrong with it.
pub type Check = fn(&str) -> Vec<String>;

/// Formats by name.
pub const FORMATS: [(&str, Check); 10] = [
    ("dns1123subdomain", name::dns_1123_subdomain),
    ("dns1123label", name::dns_1123_label),
    ("dns1035label", name::dns_1035_label),
    ("apiversion", api_version),
    ("quantity", quantity),
    ("qualifiedname", name::qualified_name),
    ("fullyqualifiedname", |text| domain(text, 3)),
    ("fullyqualifieddomainname", |text| domain(text, 2)),
    ("labelvalue", name::label_value),
    ("integer", integer),
];

/// The check of a format; case and dashes in its name do not count.
#[must_use]
pub fn find(name: &str) -> Option<Check> {
    let plain: String =
        name.chars().filter(|it| *it != '-').map(|it| it.to_ascii_lowercase()).collect();
    FORMATS.iter().find(|it| it.0 == plain).map(|it| it.1)
}

/// The check that a node asks for.
pub(super) fn of(node: &Node) -> Option<Check> {
    find(&node.validation.as_ref()?.format)
}

/// Checks the formats of an object; texts that did not change are let pass.
#[must_use]
pub fn validate(plan: &DeclaredPlan, new: &Value, old: Option<&Value>) -> ErrorList {
    let mut errors = ErrorList::new();
    if !plan.formats.any(&plan.schema) {
        return errors;
    }
    walk_values(&plan.schema, &plan.formats, new, old, &mut |node, value, old, place| {
        let (Some(check), Value::Str(text)) = (of(node), value) else { return };
        if old == Some(value) {
            return;
        }
        let place: Location = place();
        for message in check(text) {
            let shown = BadValue::from(text.as_str());
            let error = Error::at(Kind::Invalid, place.to_string(), shown, message);
            errors.push(error.with_origin(ORIGIN));
        }
    });
    errors
}

fn api_version(text: &str) -> Vec<String> {
    let valid = !text.is_empty() && GroupVersion::decode(text).is_ok();
    if valid { Vec::new() } else { vec!["must be <version> or <group>/<version>".into()] }
}

fn quantity(text: &str) -> Vec<String> {
    match ordain_meta::quantity::Quantity::parse(text) {
        Ok(_) => Vec::new(),
        Err(error) => vec![error.to_string()],
    }
}

fn domain(text: &str, segments: usize) -> Vec<String> {
    let text = if segments == 2 { text.strip_suffix('.').unwrap_or(text) } else { text };
    let errors = name::dns_1123_subdomain(text);
    if !errors.is_empty() {
        return errors;
    }
    if text.split('.').count() < segments {
        let word = if segments == 2 { "two" } else { "three" };
        return vec![format!("should be a domain with at least {word} segments separated by dots")];
    }
    Vec::new()
}

fn integer(text: &str) -> Vec<String> {
    if text.parse::<i64>().is_ok() { Vec::new() } else { vec!["must be a whole number".into()] }
}
