//! The walk over every node of a schema, junctor branches included.

use ordain_value::field::{Error, ErrorList, Path};

use super::root::{TYPES, is_type};
use super::{Options, RuleSession, RulesAt, lists};
use crate::fieldpath;
use crate::model::{NodeId, Rule, Schema};
use crate::raw::{BoolOr, Dependency, Items, Raw};
use crate::resolve;

const META_FIELDS: [(&str, &str); 3] = [
    ("metadata", "in top-level metadata"),
    ("kind", "in top-level kind"),
    ("apiVersion", "in top-level apiVersion"),
];
const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// What one walk needs.
pub(super) struct Walk<'a> {
    pub(super) options: &'a Options,
    pub(super) suppress_cost: bool,
    /// The whole schema can be converted, and so every part of it.
    pub(super) convertible: bool,
    /// Rules in branches are judged too, against the type of the node that the branch belongs to.
    pub(super) rules_in_junctors: bool,
    /// Where rules are judged, with the resolved schema; none when they are not.
    pub(super) session: Option<(&'a Schema, Box<dyn RuleSession + 'a>)>,
}

/// Errors of one walk. Those of rules are apart: any schema error at a node or below it keeps the
/// node's rules from being judged.
#[derive(Default)]
struct Errors {
    schema: Vec<Error>,
    rules: Vec<Error>,
}

/// Where the walk stands.
#[derive(Clone, Copy)]
struct At<'a> {
    path: &'a Path<'a>,
    is_root: bool,
    /// Why a default may not be set here.
    no_default: Option<&'a str>,
    /// Inside the metadata, kind or apiVersion of a resource.
    in_meta: bool,
    /// The first place above whose old and new values cannot be matched.
    uncorrelatable: Option<&'a Path<'a>>,
    /// The node in the resolved schema, none inside junctors.
    node: Option<NodeId>,
    /// How many values the node can have in one object.
    cardinality: Option<u64>,
}

/// Walks a schema from its root.
pub(super) fn walk(raw: &Raw, path: &Path<'_>, walk: &mut Walk<'_>) -> ErrorList {
    let at = At {
        path,
        is_root: true,
        no_default: None,
        in_meta: false,
        uncorrelatable: None,
        node: walk.session.as_ref().map(|(schema, _)| schema.root()),
        cardinality: Some(1),
    };
    let mut errors = Errors::default();
    walk.node(raw, at, &mut errors);
    errors.schema.into_iter().chain(errors.rules).collect()
}

impl Walk<'_> {
    fn node(&mut self, raw: &Raw, at: At<'_>, out: &mut Errors) {
        let mut errors = Errors::default();
        self.keywords(raw, at, &mut errors.schema);
        self.additional(raw, at, &mut errors);
        self.properties(raw, at, &mut errors);
        self.junctors(raw, at, &mut errors);
        self.items(raw, at, &mut errors);
        for (name, dependency) in raw.dependencies.iter().flatten() {
            if let Dependency::Schema(dependent) = dependency {
                let path = at.path.child("dependencies");
                self.node(dependent, at.branch(&path.key(name)), &mut errors);
            }
        }
        let list = &mut errors.schema;
        if raw.preserve_unknown_fields == Some(false) {
            let path = at.path.child("x-kubernetes-preserve-unknown-fields");
            list.push(Error::invalid(&path, false, "must be true or undefined"));
        }
        lists::types(raw, self.options.require_atomic_sets, at.path, list);
        if self.options.require_list_map_keys {
            list.extend(lists::keys_and_items(raw, at.path));
        }
        self.rules(raw, at, &mut errors);
        out.schema.append(&mut errors.schema);
        out.rules.append(&mut errors.rules);
    }

    fn keywords(&self, raw: &Raw, at: At<'_>, list: &mut Vec<Error>) {
        let path = at.path;
        if self.options.require_valid_types && !raw.ty.is_empty() && !is_type(&raw.ty) {
            list.push(Error::not_supported(&path.child("type"), raw.ty.clone(), &TYPES));
        }
        if let Some(reason) = at.no_default.filter(|_| raw.default.is_some()) {
            let detail = format!("must not be set {reason}");
            list.push(Error::forbidden(&path.child("default"), detail));
        }
        let unsupported = [
            ("id", !raw.id.is_empty()),
            ("additionalItems", raw.additional_items.is_some()),
            ("patternProperties", raw.pattern_properties.as_ref().is_some_and(|m| !m.is_empty())),
            ("definitions", raw.definitions.as_ref().is_some_and(|m| !m.is_empty())),
            ("dependencies", raw.dependencies.is_some()),
            ("$ref", raw.reference.is_some()),
        ];
        for (keyword, _) in unsupported.iter().filter(|(_, used)| *used) {
            let detail = format!("{keyword} is not supported");
            list.push(Error::forbidden(&path.child(keyword), detail));
        }
        if raw.ty == "null" {
            let detail = "type cannot be set to null, use nullable as an alternative";
            list.push(Error::forbidden(&path.child("type"), detail));
        }
        if matches!(&raw.items, Some(Items::Many(many)) if !many.is_empty()) {
            let detail = "items must be a schema object and not an array";
            list.push(Error::forbidden(&path.child("items"), detail));
        }
        if at.in_meta && raw.embedded_resource {
            let path = path.child("x-kubernetes-embedded-resource");
            list.push(Error::forbidden(&path, "must not be used inside of resource meta"));
        }
        if raw.unique_items {
            let detail =
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
            list.push(Error::forbidden(&path.child("uniqueItems"), detail));
        }
    }

    fn additional(&mut self, raw: &Raw, at: At<'_>, out: &mut Errors) {
        let Some(additional) = &raw.additional_properties else { return };
        let path = at.path.child("additionalProperties");
        if raw.has_properties() && !matches!(additional, BoolOr::Bool(true)) {
            let detail = "additionalProperties and properties are mutual exclusive";
            out.schema.push(Error::forbidden(&path, detail));
        }
        if let Some(schema) = additional.schema() {
            let node = self.child(at, |n| n.additional_node());
            let mut below = at.below(raw, &path, node);
            if at.in_meta {
                below.no_default = Some("inside additionalProperties applying to object metadata");
            }
            self.node(schema, below, out);
        }
    }

    fn properties(&mut self, raw: &Raw, at: At<'_>, out: &mut Errors) {
        let correlatable = raw.map_type.as_ref().is_none_or(|t| t == "granular" || t == "atomic");
        for (name, property) in raw.properties() {
            let properties = at.path.child("properties");
            let path = properties.key(name);
            let node = self.child(at, |n| n.property(name));
            let mut below = at.below(raw, &path, node);
            if !correlatable {
                below.uncorrelatable = below.uncorrelatable.or(Some(at.path));
            }
            let meta = META_FIELDS.iter().find(|(field, _)| name == field);
            if let Some((_, reason)) = meta.filter(|_| at.is_root || raw.embedded_resource) {
                below.in_meta = true;
                if at.is_root {
                    below.no_default = Some(reason);
                }
            }
            self.node(property, below, out);
        }
    }

    fn junctors(&mut self, raw: &Raw, at: At<'_>, out: &mut Errors) {
        if let Some(not) = &raw.not {
            let path = at.path.child("not");
            self.node(not, self.junctor_branch(at, &path), out);
        }
        let lists = [("allOf", raw.all_of()), ("oneOf", raw.one_of()), ("anyOf", raw.any_of())];
        for (keyword, list) in lists {
            let path = at.path.child(keyword);
            for (index, branch) in list.iter().enumerate() {
                let path = path.index(index);
                self.node(branch, self.junctor_branch(at, &path), out);
            }
        }
        let path = at.path.child("definitions");
        for (name, definition) in raw.definitions.iter().flatten() {
            self.node(definition, at.branch(&path.key(name)), out);
        }
    }

    /// The place of a branch: without a node of its own, unless its rules count.
    fn junctor_branch<'b>(&self, at: At<'b>, path: &'b Path<'b>) -> At<'b> {
        let node = at.node.filter(|_| self.rules_in_junctors);
        At { node, ..at.branch(path) }
    }

    fn items(&mut self, raw: &Raw, at: At<'_>, out: &mut Errors) {
        let path = at.path.child("items");
        let node = self.child(at, |n| n.items);
        let mut below = at.below(raw, &path, node);
        // Only items of map lists have a counterpart in the old object.
        if raw.list_type.as_ref().is_none_or(|t| t != "map") {
            below.uncorrelatable = below.uncorrelatable.or(Some(at.path));
        }
        match &raw.items {
            Some(Items::One(item)) => self.node(item, below, out),
            Some(Items::Many(list)) => {
                for (index, item) in list.iter().enumerate() {
                    let path = path.index(index);
                    self.node(item, At { path: &path, node: None, ..below }, out);
                }
            }
            Some(Items::Neither) | None => {}
        }
    }

    fn child(
        &self,
        at: At<'_>,
        step: impl FnOnce(&crate::model::Node) -> Option<NodeId>,
    ) -> Option<NodeId> {
        let (schema, _) = self.session.as_ref()?;
        step(schema.node(at.node?))
    }

    fn rules(&mut self, raw: &Raw, at: At<'_>, out: &mut Errors) {
        if raw.rules().is_empty() {
            return;
        }
        let path = at.path.child("x-kubernetes-validations");
        for (index, rule) in raw.rules().iter().enumerate() {
            let convertible = self.convertible || resolve::convertible(raw).is_ok();
            rule_texts(raw, rule, convertible, &path.index(index), &mut out.schema);
        }
        if !out.schema.is_empty() {
            return;
        }
        if let (Some((_, session)), Some(node)) = (&mut self.session, at.node) {
            out.rules.extend(session.check(&RulesAt {
                node,
                raw,
                path: at.path,
                uncorrelatable: at.uncorrelatable,
                cardinality: at.cardinality,
                suppress_cost: self.suppress_cost,
            }));
        }
    }
}

impl<'a> At<'a> {
    /// The place below a structural keyword of `raw`, which stands at this place.
    fn below<'b>(self, raw: &Raw, path: &'b Path<'b>, node: Option<NodeId>) -> At<'b>
    where
        'a: 'b,
    {
        let cardinality = match (self.cardinality, elements_max(raw)) {
            (Some(here), Some(factor)) => Some(here.saturating_mul(factor)),
            _ => None,
        };
        At { path, is_root: false, node, cardinality, ..self }
    }

    /// The place of a branch, which has no node of its own.
    fn branch<'b>(self, path: &'b Path<'b>) -> At<'b>
    where
        'a: 'b,
    {
        At { path, is_root: false, node: None, ..self }
    }
}

/// How many children of one kind a value can have; none if that is unbounded.
fn elements_max(raw: &Raw) -> Option<u64> {
    let count = |max: Option<i64>| max.map(|n| u64::try_from(n).unwrap_or(0));
    match raw.ty.as_str() {
        "object" if raw.additional_properties.is_some() => count(raw.max_properties),
        "array" => count(raw.max_items),
        _ => Some(1),
    }
}

/// What can be determined about a rule without compiling it.
fn rule_texts(raw: &Raw, rule: &Rule, convertible: bool, path: &Path<'_>, list: &mut Vec<Error>) {
    let has_line_break = |text: &str| text.contains(['\n', '\r']);
    let (text, message) = (rule.rule.trim(), rule.message.trim());
    let message_path = path.child("message");
    if text.is_empty() {
        list.push(Error::required(&path.child("rule"), "rule is not specified"));
    } else if !rule.message.is_empty() && message.is_empty() {
        let detail = "must be non-empty if specified";
        list.push(Error::invalid(&message_path, rule.message.clone(), detail));
    } else if has_line_break(message) {
        let detail = "must not contain line breaks";
        list.push(Error::invalid(&message_path, rule.message.clone(), detail));
    } else if has_line_break(text) && message.is_empty() {
        let detail = "message must be specified if rule contains line breaks";
        list.push(Error::required(&message_path, detail));
    }
    if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
        let detail = "messageExpression must be non-empty if specified";
        list.push(Error::required(&path.child("messageExpression"), detail));
    }
    if let Some(reason) = rule.reason.as_ref().filter(|r| !REASONS.contains(&r.as_str())) {
        list.push(Error::not_supported(&path.child("reason"), reason.clone(), &REASONS));
    }
    let field_path = path.child("fieldPath");
    let mut invalid = |detail: &str| {
        list.push(Error::invalid(&field_path, rule.field_path.clone(), detail));
    };
    if !rule.field_path.is_empty() && rule.field_path.trim().is_empty() {
        invalid("must be non-empty if specified");
    }
    if has_line_break(&rule.field_path) {
        invalid("must not contain line breaks");
    }
    if !rule.field_path.is_empty()
        && convertible
        && fieldpath::follow(&rule.field_path, raw, true).is_err()
    {
        invalid("must be a valid path");
    }
}
