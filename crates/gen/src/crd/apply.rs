//! Markers that change the schema of the type or field they stand on.

use ordain_idl::go::ast::{DeclKind, ExprKind};
use ordain_idl::graph::{Basic, Const, ConstValue, NamedId, Type};
use ordain_idl::tags::marker::{Marker, MarkerValue};
use ordain_idl::{Diagnostic, Pos, Universe, lower};
use ordain_schema::model::{ExternalDocs, Rule};
use ordain_schema::raw::{Items, Raw};
use ordain_value::{List, Map, Text, Value};

use super::Generator;

const ITEMS: &str = "kubebuilder:validation:items:";
const REASONS: [&str; 4] =
    ["FieldValueRequired", "FieldValueInvalid", "FieldValueForbidden", "FieldValueDuplicate"];

type Outcome = Result<(), String>;

impl Generator<'_> {
    /// Applies markers in the order of their priority, those for items last.
    pub(super) fn apply(
        &mut self,
        owner: Option<NamedId>,
        markers: &[Marker],
        props: &mut Raw,
        pos: Pos,
    ) {
        let mut sorted: Vec<&Marker> = markers.iter().collect();
        sorted.sort_by_key(|marker| priority(marker.name));
        let (for_items, own): (Vec<&Marker>, Vec<&Marker>) =
            sorted.into_iter().partition(|marker| marker.name.starts_with(ITEMS));
        for marker in own {
            let outcome = match marker.name {
                "k8s:enum" => self.enumeration(owner, props),
                name if name.ends_with("OneOf") && self.stranger(owner, marker).is_some() => {
                    let field = self.stranger(owner, marker).unwrap_or_default();
                    Err(format!("{name} names `{field}`, which is no field of the struct"))
                }
                name => apply_one(name.strip_prefix("kubebuilder:").unwrap_or(name), marker, props),
            };
            if let Err(message) = outcome {
                self.misplaced(marker, pos, message);
            }
        }
        for marker in for_items {
            let ty = props.ty.clone();
            let outcome = match &mut props.items {
                Some(Items::One(items)) if ty == "array" => {
                    let name = marker.name.strip_prefix(ITEMS).unwrap_or(marker.name);
                    constraint(name, marker, items)
                }
                _ => Err(format!("must apply {} to an array value, found {ty}", marker.name)),
            };
            if let Err(message) = outcome {
                self.error("marker", pos, message);
            }
        }
    }

    /// A marker that does not fit is an error, but for what Kubernetes' own generators let pass in the
    /// packages that they publish, and that nobody can change there: a list type without a list, or
    /// keys of items that are unique in an atomic list.
    fn misplaced(&mut self, marker: &Marker, pos: Pos, message: String) {
        let mut packages = self.universe.packages().iter();
        let package = packages.find(|it| it.files.contains(&pos.file));
        let lenient = matches!(marker.name, "listType" | "listMapKey" | "k8s:listMapKey")
            && package.is_some_and(|it| lower::is_published(self.universe, it));
        if lenient {
            let finding = Diagnostic::warning("marker", pos, message);
            self.diagnostics.push(finding.help("it has no effect on the definition"));
        } else {
            self.error("marker", pos, message);
        }
    }

    /// The first field that a `OneOf` marker names and the struct does not have.
    fn stranger(&self, owner: Option<NamedId>, marker: &Marker) -> Option<String> {
        let fields = self.universe.json_fields(self.universe.named(owner?).ty);
        let names = marker.value().map(MarkerValue::as_strings).unwrap_or_default();
        let known = |name: &str| fields.iter().any(|field| field.key == name);
        names.into_iter().find(|name| !known(name)).map(str::to_string)
    }

    /// `+k8s:enum`: the string constants of the type in its package.
    fn enumeration(&mut self, owner: Option<NamedId>, props: &mut Raw) -> Outcome {
        let Some(id) = owner else {
            return Err("k8s:enum must be set on a type, not a field".into());
        };
        let named = self.universe.named(id);
        let underlying = self.universe.ty(self.universe.underlying(named.ty));
        if !matches!(underlying, Type::Basic(Basic::String)) {
            return Err(format!("enum type must be a string, not {}", self.universe.qualified(id)));
        }
        let mut values: Vec<Text> = Vec::new();
        for constant in self.universe.constants_of(id) {
            let ConstValue::Str(text) = &constant.value else { continue };
            if is_literal(self.universe, constant) {
                values.push(text.clone());
            } else {
                let message = format!(
                    "constant `{}` is no value of the enum, because it is not written as a literal",
                    constant.name
                );
                let finding = Diagnostic::warning("enum", constant.pos, message);
                self.diagnostics.push(finding.help("write the text itself"));
            }
        }
        if values.is_empty() {
            return Err(format!("no enum values found for type {}", named.name));
        }
        values.sort();
        props.ty = Text::new_static("string");
        props.enumeration = Some(values.into_iter().map(Value::from).collect());
        Ok(())
    }
}

/// Whether a constant is written as a string literal; controller-gen takes no others.
fn is_literal(universe: &Universe, constant: &Const) -> bool {
    let decls = &universe.file(constant.pos.file).parsed.ast.decls;
    let specs = decls.iter().flat_map(|decl| match &decl.kind {
        DeclKind::Const(specs) => specs.as_slice(),
        _ => &[],
    });
    for spec in specs {
        let at = spec.names.iter().position(|name| name.offset == constant.pos.offset);
        if let Some(at) = at {
            let value = spec.values.get(at).map(|value| &value.kind);
            return matches!(value, Some(ExprKind::Literal(..)));
        }
    }
    false
}

/// Lower goes first: what others look at before what looks.
fn priority(name: &str) -> u32 {
    match name.strip_prefix(ITEMS).or(name.strip_prefix("kubebuilder:validation:")).unwrap_or(name)
    {
        "Type" | "XIntOrString" | "listType" | "k8s:listType" | "default" => 9,
        "AtMostOneOf" => 11,
        "ExactlyOneOf" => 12,
        "AtLeastOneOf" => 13,
        _ => 10,
    }
}

/// A marker of a type or field, by its name without `kubebuilder:`.
fn apply_one(name: &str, marker: &Marker, props: &mut Raw) -> Outcome {
    if let Some(name) = name.strip_prefix("validation:") {
        return constraint(name, marker, props);
    }
    let text = || marker.value().and_then(MarkerValue::as_str).unwrap_or("");
    match name {
        "nullable" => props.nullable = true,
        // Two markers share the name once the prefix is gone; only one carries JSON.
        "default" => native_or_own_default(marker, props),
        "example" => props.example = marker.value().map(json),
        "title" => match marker.value() {
            Some(MarkerValue::Str(title)) => props.title = Text::from(title.as_str()),
            Some(other) => return Err(format!("expected string, got {}", go_type(other))),
            None => {}
        },
        "pruning:PreserveUnknownFields" => props.preserve_unknown_fields = Some(true),
        "externalDocs" => return external_docs(marker, props),
        "listType" | "k8s:listType" => return list_type(text(), props),
        "listMapKey" | "k8s:listMapKey" => return list_map_key(text(), props),
        "mapType" => return map_type(text(), props),
        "structType" => return struct_type(text(), props),
        "k8s:immutable" => push_rule(
            props,
            Rule {
                rule: Text::new_static("self == oldSelf"),
                message: Text::new_static("field is immutable"),
                ..Rule::default()
            },
        ),
        _ => {}
    }
    Ok(())
}

fn native_or_own_default(marker: &Marker, props: &mut Raw) {
    match marker.value() {
        Some(MarkerValue::Json(Value::Null)) | None => {}
        Some(value) => {
            let own = marker.name == "kubebuilder:default";
            let empty_map = matches!(value, MarkerValue::Map(entries) if entries.is_empty());
            let value = if own && empty_map && props.ty == "array" {
                Value::List(List::new())
            } else {
                json(value)
            };
            props.default = Some(value);
        }
    }
}

/// A marker under `validation:`, for a value or for the items of a list.
fn constraint(name: &str, marker: &Marker, props: &mut Raw) -> Outcome {
    let value = marker.value();
    let number = value.and_then(MarkerValue::as_number);
    let int = value.and_then(MarkerValue::as_int);
    if name.starts_with("M") && int.is_some_and(|int| int < 0) && !name.ends_with("imum") {
        return Err(format!("{name} must not be negative"));
    }
    let flag = value.and_then(MarkerValue::as_bool).unwrap_or(false);
    let text = || Text::from(value.and_then(MarkerValue::as_str).unwrap_or(""));
    match name {
        "Maximum" => props.maximum = bound("maximum", number, props)?,
        "Minimum" => props.minimum = bound("minimum", number, props)?,
        "MultipleOf" => props.multiple_of = bound("multipleof", number, props)?,
        "ExclusiveMaximum" => {
            numeric("exclusivemaximum", props)?;
            props.exclusive_maximum = flag;
        }
        "ExclusiveMinimum" => {
            numeric("exclusiveminimum", props)?;
            props.exclusive_minimum = flag;
        }
        "MaxLength" => props.max_length = textual("maxlength", props).map(|()| int)?,
        "MinLength" => props.min_length = textual("minlength", props).map(|()| int)?,
        "Pattern" => props.pattern = textual("pattern", props).map(|()| text())?,
        "MaxItems" => props.max_items = list("maxitem", props).map(|()| int)?,
        "MinItems" => props.min_items = list("minitems", props).map(|()| int)?,
        "UniqueItems" => props.unique_items = list("uniqueitems", props).map(|()| flag)?,
        "MaxProperties" => props.max_properties = object("maxproperties", props).map(|()| int)?,
        "MinProperties" => props.min_properties = object("minproperties", props).map(|()| int)?,
        "Enum" => {
            if let Some(MarkerValue::List(values)) = value {
                props.enumeration = Some(values.iter().map(json).collect());
            }
        }
        "Format" => props.format = text(),
        "Type" => props.ty = text(),
        "XPreserveUnknownFields" => props.preserve_unknown_fields = Some(true),
        "XEmbeddedResource" | "EmbeddedResource" => props.embedded_resource = true,
        "XIntOrString" => props.int_or_string = true,
        "XValidation" => return rule(marker, props),
        "AtMostOneOf" | "ExactlyOneOf" | "AtLeastOneOf" => one_of(name, marker, props),
        // Required, Optional and Schemaless are read where the field is.
        _ => {}
    }
    Ok(())
}

fn numeric(what: &str, props: &Raw) -> Outcome {
    if matches!(props.ty.as_str(), "integer" | "number") {
        return Ok(());
    }
    Err(format!("must apply {what} to a numeric value, found {}", props.ty))
}

fn bound(what: &str, value: Option<f64>, props: &Raw) -> Result<Option<f64>, String> {
    numeric(what, props)?;
    if let Some(value) = value
        && props.ty == "integer"
        && !(value.is_finite() && value.fract() == 0.0)
    {
        return Err(format!(
            "cannot apply non-integral {what} validation ({value}) to integer value"
        ));
    }
    Ok(value)
}

fn textual(what: &str, props: &Raw) -> Outcome {
    if props.ty == "string" || props.int_or_string {
        return Ok(());
    }
    Err(format!("must apply {what} to a textual value, found type \"{}\"", props.ty))
}

fn list(what: &str, props: &Raw) -> Outcome {
    if props.ty == "array" { Ok(()) } else { Err(format!("must apply {what} to an array")) }
}

fn object(what: &str, props: &Raw) -> Outcome {
    if props.ty == "object" { Ok(()) } else { Err(format!("must apply {what} to an object")) }
}

fn list_type(text: &str, props: &mut Raw) -> Outcome {
    if props.ty != "array" {
        return Err(format!("must apply listType to an array, found {}", props.ty));
    }
    if !matches!(text, "map" | "atomic" | "set") {
        return Err("ListType must be either \"map\", \"set\" or \"atomic\"".into());
    }
    props.list_type = Some(Text::from(text));
    Ok(())
}

fn list_map_key(text: &str, props: &mut Raw) -> Outcome {
    if props.ty != "array" {
        return Err(format!("must apply listMapKey to an array, found {}", props.ty));
    }
    if props.list_type.as_deref() != Some("map") {
        return Err("must apply listMapKey to an associative-list".into());
    }
    // Two families of tags may name the same key.
    let keys = props.list_map_keys.get_or_insert_default();
    if !keys.iter().any(|it| it == text) {
        keys.push(Text::from(text));
    }
    Ok(())
}

fn map_type(text: &str, props: &mut Raw) -> Outcome {
    if props.ty != "object" {
        return Err("must apply mapType to an object".into());
    }
    if !matches!(text, "atomic" | "granular") {
        return Err("MapType must be either \"granular\" or \"atomic\"".into());
    }
    props.map_type = Some(Text::from(text));
    Ok(())
}

fn struct_type(text: &str, props: &mut Raw) -> Outcome {
    if !matches!(props.ty.as_str(), "object" | "") {
        return Err("must apply structType to an object; either explicitly set or defaulted through an empty schema type".into());
    }
    if !matches!(text, "atomic" | "granular") {
        return Err("StructType must be either \"granular\" or \"atomic\"".into());
    }
    props.map_type = Some(Text::from(text));
    Ok(())
}

fn external_docs(marker: &Marker, props: &mut Raw) -> Outcome {
    let arg = |name| marker.arg(name).and_then(MarkerValue::as_str).unwrap_or("");
    let url = arg("url");
    if !is_request_uri(url) {
        return Err(format!(
            "invalid url {url:?} in kubebuilder:externalDocs marker: parse {url:?}: invalid URI for request"
        ));
    }
    props.external_docs =
        Some(ExternalDocs { url: Text::from(url), description: Text::from(arg("description")) });
    Ok(())
}

/// An absolute path, or a scheme and something behind it.
fn is_request_uri(url: &str) -> bool {
    if url.bytes().any(|byte| byte.is_ascii_control()) {
        return false;
    }
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    let has_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    url.starts_with('/') || has_scheme
}

fn rule(marker: &Marker, props: &mut Raw) -> Outcome {
    let arg = |name| Text::from(marker.arg(name).and_then(MarkerValue::as_str).unwrap_or(""));
    let reason = arg("reason");
    if !reason.is_empty() && !REASONS.contains(&reason.as_str()) {
        let [a, b, c, d] = REASONS;
        return Err(format!("invalid reason {reason}, valid values are {a}, {b}, {c} and {d}"));
    }
    let rule = Rule {
        rule: arg("rule"),
        message: arg("message"),
        message_expression: arg("messageExpression"),
        reason: Some(reason).filter(|reason| !reason.is_empty()),
        field_path: arg("fieldPath"),
        optional_old_self: marker.arg("optionalOldSelf").and_then(MarkerValue::as_bool),
    };
    push_rule(props, rule);
    Ok(())
}

pub(super) fn push_rule(props: &mut Raw, rule: Rule) {
    props.validations.get_or_insert_default().push(rule);
}

fn one_of(name: &str, marker: &Marker, props: &mut Raw) {
    let fields = marker.value().map(MarkerValue::as_strings).unwrap_or_default();
    if let Some((rule, message)) = lower::one_of_rule(name, &fields) {
        let rule = Rule { rule: Text::from(rule), message: Text::from(message), ..Rule::default() };
        push_rule(props, rule);
    }
}

/// Writes rules of `OneOf` markers, whoever added them, as releases did that count by a filter.
pub(super) fn filter_one_of(markers: &[Marker], props: &mut Raw) {
    for marker in markers.iter().filter(|it| it.name.ends_with("OneOf")) {
        let fields = marker.value().map(MarkerValue::as_strings).unwrap_or_default();
        let name = marker.name.rsplit(':').next().unwrap_or_default();
        let Some((plain, _)) = lower::one_of_rule(name, &fields) else { continue };
        let sign = match name {
            "AtMostOneOf" => "<=",
            "ExactlyOneOf" => "==",
            _ => ">=",
        };
        let set: Vec<String> = fields.iter().map(|field| format!("has(self.{field})")).collect();
        let filtered = Text::from(format!("[{}].filter(x,x==true).size() {sign} 1", set.join(",")));
        let rules = props.validations.iter_mut().flatten();
        rules.filter(|it| it.rule == plain).for_each(|it| it.rule = filtered.clone());
    }
}

fn go_type(value: &MarkerValue) -> &'static str {
    match value {
        MarkerValue::Int(_) => "int",
        MarkerValue::Number(_) => "float64",
        MarkerValue::Str(_) => "string",
        MarkerValue::Bool(_) => "bool",
        MarkerValue::List(items) if !items.is_empty() => {
            let first = items.first().map_or("", go_type);
            let same = items.iter().all(|it| go_type(it) == first);
            match first {
                "string" if same => "[]string",
                "int" if same => "[]int",
                "bool" if same => "[]bool",
                _ => "[]interface {}",
            }
        }
        MarkerValue::List(_) => "[]interface {}",
        MarkerValue::Map(_) | MarkerValue::Json(_) => "map[string]interface {}",
    }
}

/// A value as Go writes it: whole numbers without a fraction.
fn json(value: &MarkerValue) -> Value {
    whole(value.to_json())
}

fn whole(value: Value) -> Value {
    match value {
        Value::Float(number)
            if number.fract() == 0.0 && number.abs() < 9.007_199_254_740_992e15 =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            let int = number as i64;
            Value::Int(int)
        }
        Value::List(items) => Value::from(items.iter().cloned().map(whole).collect::<Vec<_>>()),
        Value::Map(map) => Value::Map(
            map.iter().map(|(key, value)| (key.clone(), whole(value.clone()))).collect::<Map>(),
        ),
        other => other,
    }
}
