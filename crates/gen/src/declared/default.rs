//! Defaults of KEP-1929 in definitions: what `+default` says by name or on a type, and the `{}` of
//! structs, without which the defaults below them never apply.
//!
//! controller-gen reads `+default` on fields alone and passes over names. Packages with its own
//! markers for schemas come out as it writes them; all others mean the proposal.

use ordain_idl::defaulting;
use ordain_idl::graph::{NamedId, Package, PackageId};
use ordain_idl::tags::codetag;
use ordain_idl::tags::registry::Family;
use ordain_idl::{Diagnostic, Severity, lower};
use ordain_schema::Schema;
use ordain_schema::model::NodeId;
use ordain_schema::raw::{BoolOr, Items, Raw};
use ordain_value::{Map, Text, Value};

use super::Tags;

/// Marks a struct that is no pointer until it is known what is below it.
const IMPLIED: Text = Text::new_static("implied");

impl Tags<'_> {
    /// Whether `+default` in a package means all that KEP-1929 says.
    fn means_proposal(&mut self, package: PackageId) -> bool {
        if let Some(known) = self.proposal_defaults.get(&package) {
            return *known;
        }
        let declared = self.universe.package(package);
        let means = declared.requested
            && !lower::is_custom_style(self.universe, declared)
            && (self.has_defaults(declared)
                || self.has_tags(&[Family::Validation, Family::Proposal]));
        self.proposal_defaults.insert(package, means);
        means
    }

    fn has_defaults(&self, package: &Package) -> bool {
        let universe = self.universe;
        let speaks = |docs: &ordain_idl::graph::Docs| {
            let lines = universe.lines(docs.file, docs.closest);
            codetag::extract("+", &lines).iter().any(|it| it.name == "default")
        };
        package.types.values().any(|id| {
            let named = universe.named(*id);
            let fields = if named.alias { &[] } else { universe.fields(named.target) };
            speaks(&named.docs) || fields.iter().any(|it| speaks(&it.docs))
        })
    }

    /// What the proposal forbids; a warning where the package is controller-gen's.
    pub(crate) fn default_findings(&mut self) -> Vec<Diagnostic> {
        let mut out: Vec<Diagnostic> =
            defaulting::lint(self.universe).into_iter().filter(Diagnostic::is_error).collect();
        for finding in &mut out {
            let package = finding.pos.map(|it| self.universe.file(it.file).package);
            if !package.is_some_and(|it| self.means_proposal(it)) {
                finding.severity = Severity::Warning;
            }
        }
        out
    }

    /// Adds the defaults that the one lowering knows to the fields of a struct. A field that is
    /// always there need not be given.
    pub(super) fn declare_defaults(&mut self, id: NamedId, lowered: &Schema, schema: &mut Raw) {
        if !self.means_proposal(self.universe.named(id).package) {
            return;
        }
        let root = lowered.root_node();
        for (name, property) in schema.properties.iter_mut().flatten() {
            if let Some(node) = root.property(name) {
                add_default(lowered, node, property, 0);
            }
        }
        let Raw { properties, required, .. } = schema;
        let has_default = |name: &Text| {
            let property = properties.as_ref().and_then(|it| it.get(name));
            property.is_some_and(|it| it.default.is_some())
        };
        if let Some(names) = required {
            names.retain(|it| !has_default(it));
        }
        *required = required.take().filter(|it| !it.is_empty());
    }
}

/// Lists and maps in each other.
const DEPTH_MAX: u32 = 32;

fn add_default(lowered: &Schema, node: NodeId, schema: &mut Raw, depth: u32) {
    let node = lowered.node(node);
    let is_hidden = node.declared.as_ref().is_some_and(|it| it.default_hidden);
    match &node.default {
        _ if schema.default.is_some() || is_hidden => {}
        Some(Value::Map(map)) if map.is_empty() && depth == 0 => schema.id = IMPLIED,
        // A zero value is implied as well, and a definition says that the field is required.
        Some(value) if !crate::is_zero(value) => schema.default = Some(value.clone()),
        _ => {}
    }
    if depth > DEPTH_MAX {
        return;
    }
    match (&mut schema.items, &mut schema.additional_properties) {
        (Some(Items::One(items)), _) => {
            if let Some(node) = node.items {
                add_default(lowered, node, items, depth + 1);
            }
        }
        (_, Some(BoolOr::Schema(values))) => {
            if let Some(node) = node.additional_node() {
                add_default(lowered, node, values, depth + 1);
            }
        }
        _ => {}
    }
}

/// Decides about a struct that is no pointer, once everything below it is decided: `{}` where a
/// default below it waits for it and nothing that must be given would be missing. Servers refuse
/// definitions whose defaults break the rules beside them, so rules keep it away. What is always
/// there need not be given.
pub(crate) fn imply(schema: &mut Raw) {
    let Raw { properties, required, .. } = schema;
    for (name, property) in properties.iter_mut().flatten() {
        if std::mem::take(&mut property.id) == IMPLIED && property.default.is_some() {
            required.iter_mut().for_each(|it| it.retain(|it| it != name));
        }
    }
    *required = required.take().filter(|it| !it.is_empty());
    if schema.id != IMPLIED {
        return;
    }
    let default_of = |name: &Text| schema.properties.as_ref()?.get(name)?.default.as_ref();
    let complete = schema.required.iter().flatten().all(|it| default_of(it).is_some());
    let free = schema.validations.is_none() && schema.min_properties.unwrap_or(0) == 0;
    let waits = schema.properties.iter().flatten().any(|(_, it)| it.default.is_some());
    if complete && free && waits && schema.default.is_none() {
        schema.default = Some(Value::Map(Map::new()));
    }
}
