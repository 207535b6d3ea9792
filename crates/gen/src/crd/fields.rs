//! Structs: which fields there are, which of them must be given, and what stands on them.

use std::collections::{BTreeMap, BTreeSet};

use ordain_idl::Pos;
use ordain_idl::go::ast;
use ordain_idl::graph::{Field, NamedId, StructId};
use ordain_idl::tags::marker::{Marker, MarkerValue};
use ordain_schema::model::Rule;
use ordain_schema::raw::Raw;
use ordain_value::Text;

use super::apply::push_rule;
use super::known::of;
use super::schema::Scope;
use super::{Generator, doc, find};

const ONE_OF: [&str; 3] = [
    "kubebuilder:validation:ExactlyOneOf",
    "kubebuilder:validation:AtMostOneOf",
    "kubebuilder:validation:AtLeastOneOf",
];

/// Marks a default that a server sets in code: definitions of upstream's types do not have it.
const UNPUBLISHED: &str = "+unpublishedDefault";

impl Generator<'_> {
    /// The schema of a struct; embedded ones stand in `allOf` until they are dissolved.
    pub(super) fn structure(
        &mut self,
        scope: Scope,
        id: StructId,
        lines: &[ast::Field],
        pos: Pos,
    ) -> Raw {
        let mut props = Raw { properties: Some(BTreeMap::new()), ..of("object") };
        let Some(owner) = scope.declared else {
            let message = "inline struct types are not supported, use a named type instead";
            self.error("type", pos, message);
            return props;
        };
        let one_of = match self.one_of_members(owner) {
            Ok(members) => members,
            Err(message) => {
                self.error("marker", pos, message);
                return props;
            }
        };
        let package = self.markers(scope.package);
        let optional_package = find(&package.package, "kubebuilder:validation:Optional").is_some();
        let mut required: Vec<Text> = Vec::new();
        let mut immutable: Vec<Text> = Vec::new();
        let universe = self.universe;
        for field in &universe.struct_type(id).fields {
            let Some(line) = lines.iter().find(|line| line.id == field.line_id) else { continue };
            if !self.takes_part(scope, owner, field, line) {
                continue;
            }
            let markers = package.of_field(field);
            let name = Text::from(field.json.name.as_str());
            let inline = field.json.inline || name.is_empty();
            match requirement(field, inline, markers, optional_package) {
                Requirement::Optional => {}
                Requirement::Required(by_marker) if one_of.contains(&name) => {
                    self.error("marker", pos, required_member(&name, by_marker));
                    return props;
                }
                Requirement::Required(_) => required.push(name.clone()),
            }
            let schema = self.field(scope, field, line, markers);
            if inline {
                props.all_of.get_or_insert_default().push(schema);
                continue;
            }
            if find(markers, "k8s:immutable").is_some() {
                immutable.push(name.clone());
            }
            props.properties.get_or_insert_default().insert(name, Box::new(schema));
        }
        required.sort();
        for name in immutable.iter().filter(|name| !required.contains(name)) {
            push_rule(&mut props, stays_set(name));
        }
        props.required = Some(required).filter(|required| !required.is_empty());
        props
    }

    /// Whether a field is encoded; one without a `json` tag is a mistake.
    fn takes_part(
        &mut self,
        scope: Scope,
        owner: NamedId,
        field: &Field,
        line: &ast::Field,
    ) -> bool {
        if !field.embedded && self.options.ignore_unexported_fields && !field.exported() {
            return false;
        }
        if !field.json.present {
            let name = if field.embedded { "" } else { field.name.as_str() };
            let message = format!(
                "encountered struct field \"{name}\" without JSON tag in type \"{}\"",
                self.universe.named(owner).name
            );
            self.error("type", scope.pos(line.span.start), message);
            return false;
        }
        !field.json.skipped
    }

    fn field(&mut self, scope: Scope, field: &Field, line: &ast::Field, markers: &[Marker]) -> Raw {
        let mut schema = if find(markers, "kubebuilder:validation:Schemaless").is_some() {
            Raw::default()
        } else {
            let inside = Scope { declared: None, ..scope };
            self.expression(inside, field.ty, &line.ty)
        };
        schema.description = doc::description(self.universe, &field.docs);
        self.apply(None, markers, &mut schema, scope.pos(line.span.start));
        if let Some(owner) = scope.declared {
            self.tags.declare_field(owner, field, &mut schema);
        }
        let lines = self.universe.comment_lines(&field.docs);
        if lines.iter().any(|it| it.text.trim() == UNPUBLISHED) {
            schema.default = None;
        }
        schema
    }

    /// The fields that `ExactlyOneOf` and its like name.
    fn one_of_members(&mut self, owner: NamedId) -> Result<BTreeSet<Text>, String> {
        let named = self.universe.named(owner);
        let markers = self.markers(named.package);
        let mut out = BTreeSet::new();
        for name in ONE_OF {
            for marker in markers.of_type(named).iter().filter(|marker| marker.name == name) {
                let members = marker.value().map(MarkerValue::as_strings).unwrap_or_default();
                let nested: Vec<&str> =
                    members.iter().copied().filter(|member| member.contains('.')).collect();
                if !nested.is_empty() {
                    let nested = nested.join(",");
                    return Err(format!("{name}: cannot reference nested fields: {nested}"));
                }
                out.extend(members.into_iter().map(Text::from));
            }
        }
        Ok(out)
    }
}

enum Requirement {
    Optional,
    /// Whether a marker says so.
    Required(bool),
}

/// What is wrong with a member of a union that must be given.
fn required_member(name: &str, by_marker: bool) -> String {
    let what = match by_marker {
        true => "cannot be marked as required",
        false => "must have omitempty or omitzero tag",
    };
    format!("field {name} is part of OneOf constraint and {what}")
}

/// The rule that an immutable field, once set, stays set: CEL at the field itself is not asked when
/// the field goes away.
fn stays_set(name: &str) -> Rule {
    Rule {
        rule: Text::from(format!("!has(oldSelf.{name}) || has(self.{name})")),
        message: Text::from(format!("field {name} is immutable once set")),
        ..Rule::default()
    }
}

fn requirement(
    field: &Field,
    inline: bool,
    markers: &[Marker],
    optional_package: bool,
) -> Requirement {
    let has = |name| find(markers, name).is_some();
    let by_marker = if has("kubebuilder:validation:Optional") {
        Some(false)
    } else if has("kubebuilder:validation:Required") {
        Some(true)
    } else if has("optional") || has("k8s:optional") {
        Some(false)
    } else if has("required") || has("k8s:required") {
        Some(true)
    } else {
        None
    };
    let omitted = field.json.omitempty || field.json.omitzero;
    match by_marker {
        Some(true) => Requirement::Required(true),
        None if !optional_package && !inline && !omitted => Requirement::Required(false),
        _ => Requirement::Optional,
    }
}
