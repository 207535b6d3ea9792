//! Rules over one CustomResourceDefinition.

use std::collections::BTreeMap;

use ordain_passes::rules::EXPRESSION_COST_MAX;
use ordain_value::yaml::Span;
use ordain_value::{Map, Value};

use super::{Fix, Lint};
use crate::kind::distinct;
use crate::locate::{Aim, definition_path, locate};
use crate::manifest::Manifest;
use crate::source::Source;
use crate::{cost, definition};
use ordain_strategy::gates::Gates;

/// Schemas deeper than this are looked at to here.
const DEPTH_MAX: usize = 64;

/// One place of a schema.
pub(super) struct Place<'a> {
    pub(super) value: &'a Value,
    /// Path in the text.
    pub(super) doc: String,
    /// Path in objects: `spec.ports[].name`.
    pub(super) path: String,
    /// The name of the field; none for items and values.
    name: Option<&'a str>,
    /// Whether the object around it requires it.
    required: bool,
    /// An optional object around it that has no default of its own.
    optional_above: Option<String>,
}

/// All places of a version's schema, parents before children.
pub(super) fn places<'a>(version: &'a Value, doc: &str) -> Vec<Place<'a>> {
    let mut all = Vec::new();
    let Some(root) = version.get_path(&["schema", "openAPIV3Schema"]) else { return all };
    let doc = format!("{doc}.schema.openAPIV3Schema");
    let root = Place {
        value: root,
        doc,
        path: String::new(),
        name: None,
        required: true,
        optional_above: None,
    };
    let mut pending = vec![(root, 0)];
    while let Some((place, depth)) = pending.pop() {
        if depth < DEPTH_MAX {
            let from = pending.len();
            pending.extend(children(&place).into_iter().map(|it| (it, depth + 1)));
            pending[from..].reverse();
        }
        all.push(place);
    }
    all
}

fn children<'a>(of: &Place<'a>) -> Vec<Place<'a>> {
    let mut out = Vec::new();
    let required = of.value.get("required").and_then(Value::as_list);
    let properties = of.value.get("properties").and_then(Value::as_map);
    for (name, value) in properties.into_iter().flat_map(Map::iter) {
        let is_required =
            required.is_some_and(|list| list.iter().any(|it| it.as_str() == Some(name.as_str())));
        let root = of.path.is_empty();
        let open = !of.required && of.value.get("default").is_none();
        // Spec and status are there when the object is.
        let top = matches!(of.path.as_str(), "" | "spec" | "status");
        let optional_above = match &of.optional_above {
            Some(above) => Some(above.clone()),
            None if open && !top => Some(of.path.clone()),
            None => None,
        };
        out.push(Place {
            value,
            doc: format!("{}.properties.{name}", of.doc),
            path: if root { name.to_string() } else { format!("{}.{name}", of.path) },
            name: Some(name),
            required: is_required,
            optional_above,
        });
    }
    let mut inner = |key: &str, mark: &str| {
        if let Some(value) = of.value.get(key).filter(|it| matches!(it, Value::Map(_))) {
            out.push(Place {
                value,
                doc: format!("{}.{key}", of.doc),
                path: format!("{}{mark}", of.path),
                name: None,
                required: true,
                optional_above: None,
            });
        }
    };
    inner("items", "[]");
    inner("additionalProperties", "[*]");
    out
}

/// The versions of a definition with their paths in the text.
pub(super) fn versions(definition: &Value) -> Vec<(&Value, String, &str)> {
    let list = definition.get_path(&["spec", "versions"]).and_then(Value::as_list);
    let named = |(at, version)| {
        let version: &Value = version;
        let name = version.text("name");
        (version, format!("spec.versions[{at}]"), name)
    };
    list.into_iter().flat_map(|list| list.iter().enumerate().map(named)).collect()
}

pub(super) fn lint(source: &Source, manifest: &Manifest, gates: &Gates) -> Vec<Lint> {
    let mut out = Out { source, manifest, name: manifest.name().to_owned(), list: Vec::new() };
    out.refused(gates);
    for (version, doc, name) in versions(&manifest.value) {
        let prefix = format!("{}/{name}", out.name);
        let places = places(version, &doc);
        out.version(version, &doc, &prefix);
        for place in &places {
            out.place(place, &prefix);
        }
        out.costs(name, &prefix, &places);
    }
    out.list
}

struct Out<'a> {
    source: &'a Source,
    manifest: &'a Manifest,
    name: String,
    list: Vec<Lint>,
}

pub(super) fn span_of(source: &Source, manifest: &Manifest, doc: &str) -> Span {
    locate(manifest, &source.text, doc, Aim::Key).span
}

impl Out<'_> {
    fn report(
        &mut self,
        id: &'static str,
        doc: &str,
        path: String,
        message: impl Into<String>,
    ) -> &mut Lint {
        let span = span_of(self.source, self.manifest, doc);
        self.list.push(Lint::new(id, self.source, &span, path, message));
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    fn help(&mut self, help: String) {
        if let Some(last) = self.list.last_mut() {
            last.finding.help = Some(help);
        }
    }

    fn refused(&mut self, gates: &Gates) {
        let verdict = definition::judge(&self.manifest.value, None, gates);
        let name = self.name.clone();
        if let Some(why) = verdict.unreadable {
            self.report("refused", "spec", name, why);
            return;
        }
        for field in &verdict.unknown {
            self.report("refused", field, format!("{name}:{field}"), "unknown field");
        }
        for error in &distinct(verdict.errors) {
            let doc = definition_path(&error.path);
            self.report("refused", &doc, format!("{name}:{}", error.path), error.body());
        }
    }

    fn version(&mut self, version: &Value, doc: &str, prefix: &str) {
        let root = version.get_path(&["schema", "openAPIV3Schema"]);
        let has_status = root.is_some_and(|it| it.get_path(&["properties", "status"]).is_some());
        if has_status && version.get_path(&["subresources", "status"]).is_none() {
            let doc = format!("{doc}.schema.openAPIV3Schema.properties.status");
            let path = format!("{prefix}:status");
            self.report("status-not-subresource", &doc, path, "status has no subresource");
            self.help("add subresources: {status: {}} to the version".to_owned());
        }
        let required = root.and_then(|it| it.get("required")).and_then(Value::as_list);
        if required.is_some_and(|list| list.iter().any(|it| it.as_str() == Some("status"))) {
            let doc = format!("{doc}.schema.openAPIV3Schema.required");
            self.report("status-required", &doc, format!("{prefix}:status"), "status is required");
        }
    }

    fn place(&mut self, place: &Place<'_>, prefix: &str) {
        // What every object has is not the author's.
        let first = place.path.split(['.', '[']).next().unwrap_or_default();
        if matches!(first, "apiVersion" | "kind" | "metadata") {
            return;
        }
        let path = format!("{prefix}:{}", place.path);
        self.shape(place, &path);
        self.lists(place, &path);
        self.rules(place, &path);
        self.names(place, &path);
    }

    fn shape(&mut self, place: &Place<'_>, path: &str) {
        let (value, doc) = (place.value, place.doc.as_str());
        let own = |it: &str| path.to_owned() + it;
        if value.get("default").is_some() {
            if place.required && !place.path.ends_with(']') && !place.path.is_empty() {
                self.report("required-with-default", doc, own(""), "required, and has a default");
            }
            if let Some(above) = &place.optional_above {
                let message = format!("the default is set only when {above} is written");
                self.report("default-unreachable", doc, own(""), message);
                self.help(format!("give {above} the default {{}}"));
            }
        }
        let format = value.text("format");
        match value.text("type") {
            "number" => {
                self.report("float-used", doc, own(""), "a floating-point number");
                self.help("use an integer of a smaller unit, or a quantity".to_owned());
            }
            "integer" if !matches!(format, "int32" | "int64") => {
                self.report("integer-width", doc, own(""), "an integer without a width");
                self.help("add format: int32 or format: int64".to_owned());
            }
            _ => {}
        }
        if value.is_set("x-kubernetes-preserve-unknown-fields")
            && !value.is_set("x-kubernetes-embedded-resource")
        {
            self.report("schema-open", doc, own(""), "unknown fields are kept here");
        }
        if place.name.is_some() && value.text("description").trim().is_empty() {
            self.report("undocumented", doc, own(""), "no description");
        }
        if is_choice(value) && !has_discriminator(value) {
            self.report(
                "union-undiscriminated",
                doc,
                own(""),
                "one of several fields, and none names the choice",
            );
            self.help("add an enum field that names the member which is set".to_owned());
        }
    }

    fn lists(&mut self, place: &Place<'_>, path: &str) {
        let (value, doc) = (place.value, place.doc.as_str());
        if value.text("type") != "array" {
            return;
        }
        let kind = value.text("x-kubernetes-list-type");
        if kind.is_empty() {
            let fix = self.list_type_fix(doc);
            let lint =
                self.report("list-type-missing", doc, path.to_owned(), "no x-kubernetes-list-type");
            lint.fix = fix;
            self.help(
                "atomic is what it is now; map with keys lets several appliers share it".to_owned(),
            );
        }
        let keys = value.items("x-kubernetes-list-map-keys");
        let items = value.get("items").cloned().unwrap_or_default();
        let required = items.get("required").and_then(Value::as_list).cloned().unwrap_or_default();
        if kind == "map" {
            for key in keys.iter().filter_map(Value::as_str) {
                let has_default = items.get_path(&["properties", key, "default"]).is_some();
                let is_required = required.iter().any(|it| it.as_str() == Some(key));
                if has_default || !is_required {
                    let what = if has_default { "has a default" } else { "is optional" };
                    let message = format!("the key {key} {what}");
                    self.report("list-map-key-optional", doc, path.to_owned(), message);
                    self.help(format!("require {key} and drop its default"));
                }
            }
        }
        if place.path.ends_with("conditions") && items.text("type") == "object" {
            let wanted = ["type", "status", "reason", "message", "lastTransitionTime"];
            let lacks: Vec<&str> = wanted
                .into_iter()
                .filter(|it| items.get_path(&["properties", it]).is_none())
                .collect();
            let by_type = matches!(keys, [one] if one.as_str() == Some("type"));
            if !lacks.is_empty() {
                let message = format!("conditions lack {}", lacks.join(", "));
                self.report("conditions-shape", doc, path.to_owned(), message);
            } else if kind != "map" || !by_type {
                let message = "conditions are no list-map with the key type";
                self.report("conditions-shape", doc, path.to_owned(), message);
            }
        }
    }

    /// A line with the list type that holds anyway, behind the line with the type.
    fn list_type_fix(&self, doc: &str) -> Option<Fix> {
        let place = self.manifest.marks.find(&format!("{doc}.type")).filter(|it| it.exact)?;
        let key = place.mark.key.as_ref()?;
        let text = &self.source.text;
        let start =
            text[..key.bytes.start].iter().rposition(|it| *it == b'\n').map_or(0, |at| at + 1);
        let indent = &text[start..key.bytes.start];
        // Only where the key stands alone on its line.
        let value_end = place.mark.value.bytes.end;
        let end = text[value_end..].iter().position(|it| *it == b'\n')? + value_end;
        let alone =
            indent.iter().all(|it| *it == b' ') && text[value_end..end].trim_ascii().is_empty();
        alone.then(|| Fix {
            file: self.source.name.clone(),
            bytes: end..end,
            text: format!("\n{}x-kubernetes-list-type: atomic", String::from_utf8_lossy(indent)),
        })
    }

    fn rules(&mut self, place: &Place<'_>, path: &str) {
        let rules = place.value.get("x-kubernetes-validations").and_then(Value::as_list);
        for (at, rule) in rules.into_iter().flat_map(|it| it.iter().enumerate()) {
            let doc = format!("{}.x-kubernetes-validations[{at}].rule", place.doc);
            if rule.text("message").is_empty() && rule.text("messageExpression").is_empty() {
                let shown = rule.text("rule").lines().next().unwrap_or_default().to_owned();
                let message = format!("no message for {shown}");
                self.report("rule-message-missing", &doc, path.to_owned(), message);
            }
            let bare: String = rule.text("rule").split_whitespace().collect();
            let immutable = matches!(bare.as_str(), "self==oldSelf" | "oldSelf==self");
            if immutable && !place.required && !rule.is_set("optionalOldSelf") {
                let name = place.path.rsplit('.').next().unwrap_or_default();
                self.report(
                    "immutable-bypass",
                    &doc,
                    path.to_owned(),
                    "removing the field and adding it again gets around the rule",
                );
                self.help(format!(
                    "add `!has(oldSelf.{name}) || has(self.{name})` to the object around it"
                ));
            }
        }
    }

    fn names(&mut self, place: &Place<'_>, path: &str) {
        if let Some(name) = place.name.filter(|it| !is_camel_case(it)) {
            let message = format!("{name} is no camelCase");
            self.report("field-name-case", &place.doc, path.to_owned(), message);
        }
        let values = place.value.get("enum").and_then(Value::as_list);
        let odd: Vec<&str> = values
            .into_iter()
            .flat_map(|it| it.iter())
            .filter_map(Value::as_str)
            .filter(|it| !it.is_empty() && !is_pascal_case(it))
            .collect();
        if !odd.is_empty() {
            let doc = format!("{}.enum", place.doc);
            let message = format!("not in PascalCase: {}", odd.join(", "));
            self.report("enum-case", &doc, path.to_owned(), message);
        }
    }

    fn costs(&mut self, version: &str, prefix: &str, places: &[Place<'_>]) {
        let Ok(reports) = cost::price(&self.manifest.value) else { return };
        let by_path: BTreeMap<&str, &str> =
            places.iter().map(|it| (it.path.as_str(), it.doc.as_str())).collect();
        for rule in reports.iter().filter(|it| it.version == version).flat_map(|it| &it.rules) {
            if rule.cost <= EXPRESSION_COST_MAX / 2 || rule.cost > EXPRESSION_COST_MAX {
                continue;
            }
            let at = rule.path.split(".x-kubernetes-validations").next().unwrap_or_default();
            let doc = by_path.get(at).map_or("spec", |it| it).to_owned();
            let percent = rule.cost.saturating_mul(100) / EXPRESSION_COST_MAX;
            let message = format!("{} uses {percent}% of what a rule may cost", rule.expression);
            self.report("cel-cost", &doc, format!("{prefix}:{at}"), message);
            if let Some(advice) = rule.advice.first() {
                let (keyword, bound, at) = (advice.keyword, advice.bound, &advice.path);
                self.help(format!("add {keyword}: {bound} to {at}"));
            }
        }
    }
}

/// A `oneOf` whose branches each require one field.
fn is_choice(value: &Value) -> bool {
    let Some(branches) = value.get("oneOf").and_then(Value::as_list) else { return false };
    let one_field = |branch: &Value| {
        branch.get("required").and_then(Value::as_list).is_some_and(|it| it.len() == 1)
    };
    branches.len() > 1 && branches.iter().all(one_field)
}

fn has_discriminator(value: &Value) -> bool {
    let properties = value.get("properties").and_then(Value::as_map);
    properties.is_some_and(|map| {
        map.values().any(|it| it.text("type") == "string" && it.get("enum").is_some())
    })
}

pub(super) fn is_camel_case(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|it| it.is_ascii_lowercase())
        && letters.all(|it| it.is_ascii_alphanumeric())
}

fn is_pascal_case(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|it| it.is_ascii_uppercase() || it.is_ascii_digit())
        && letters.all(|it| it.is_ascii_alphanumeric() || matches!(it, '.'))
}
