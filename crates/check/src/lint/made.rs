//! Rules that look at a whole definition, for definitions that Go types make: reported at the field.

use ordain_idl::graph::{Field, NamedId, TypeId};
use ordain_idl::lower::is_custom_style;
use ordain_idl::{Diagnostic, Universe};
use ordain_value::{Value, yaml};

use super::{Lint, go, lint_definitions};
use crate::source::Source;
use ordain_strategy::gates::Gates;

/// The rules that types alone do not show.
const RULES: [&str; 7] = [
    "refused",
    "cel-cost",
    "default-unreachable",
    "immutable-bypass",
    "rule-message-missing",
    "schema-open",
    "union-undiscriminated",
];

/// Looks at what a generator made of types: its complaints, and the definitions.
#[must_use]
pub fn lint_made(
    universe: &Universe,
    complaints: &[Diagnostic],
    made: &[Value],
    gates: &Gates,
) -> Vec<Lint> {
    let mut lints = go::complaints(universe, complaints);
    for definition in made {
        let source = Source::new("made.yaml", yaml::encode(definition));
        let kind = definition.get_path(&["spec", "names", "kind"]).and_then(Value::as_str);
        let kind = kind.unwrap_or_default();
        for lint in lint_definitions(&source, gates) {
            // A kind that is served as declared is no definition that a server could refuse.
            let of_definition = lint.finding.id != "refused" || is_custom(universe, kind);
            // Annotations, such as the approval of a protected group, are added to what was made.
            let is_added = lint.finding.message.contains("api-approved.kubernetes.io");
            if RULES.contains(&lint.finding.id) && of_definition && !is_added {
                lints.push(moved(universe, kind, &lint));
            }
        }
    }
    lints
}

/// Whether a package declares the kind for controller-gen.
fn is_custom(universe: &Universe, kind: &str) -> bool {
    let mut holders = universe.requested().filter(|it| it.types.contains_key(kind));
    holders.any(|it| is_custom_style(universe, it))
}

/// A finding at the Go field that it speaks of, or at the kind.
fn moved(universe: &Universe, kind: &str, lint: &Lint) -> Lint {
    let (subject, path) = lint.finding.field.split_once(':').unwrap_or((&lint.finding.field, ""));
    let version = subject.rsplit('/').next().unwrap_or_default();
    let named = universe.all_named().filter(|(id, named)| {
        named.name == kind && universe.package_of(*id).requested && !named.alias
    });
    let named: Vec<NamedId> = named.map(|(id, _)| id).collect();
    let of_version = |id: &&NamedId| {
        universe.package_of(**id).path.rsplit('/').next().unwrap_or_default() == version
    };
    let Some(id) = named.iter().find(of_version).or(named.first()).copied() else {
        return lint.clone();
    };
    let path = object_path(path);
    let mut moved = match field_at(universe, universe.type_of(id), &path) {
        Some((owner, field)) => go::at(
            universe,
            lint.finding.id,
            field.pos,
            &field.name,
            &format!("{owner}.{}", field.name),
        ),
        None => {
            let named = universe.named(id);
            go::at(universe, lint.finding.id, named.pos, &named.name, &universe.qualified(id))
        }
    };
    moved.finding.message.clone_from(&lint.finding.message);
    moved.finding.help.clone_from(&lint.finding.help);
    moved.finding.severity = lint.finding.severity;
    moved
}

/// `…properties[spec].properties[x].items.default` is `spec.x[]`.
fn object_path(path: &str) -> String {
    if !path.contains("openAPIV3Schema") {
        return path.to_owned();
    }
    let mut out = String::new();
    for part in path.split('.') {
        match part.strip_prefix("properties[").and_then(|it| it.strip_suffix(']')) {
            Some(name) if out.is_empty() => out.push_str(name),
            Some(name) => out.push_str(&format!(".{name}")),
            None if part == "items" => out.push_str("[]"),
            None if part == "additionalProperties" => out.push_str("[*]"),
            None => {}
        }
    }
    out
}

/// The field that a path leads to, with the name of its struct.
fn field_at<'u>(universe: &'u Universe, root: TypeId, path: &str) -> Option<(String, &'u Field)> {
    let mut ty = root;
    let mut found = None;
    for part in path.split('.').filter(|it| !it.is_empty()) {
        let name = part.split('[').next().unwrap_or_default();
        let holder = universe.deref(ty);
        let fields = universe.json_fields(holder);
        let Some(field) = fields.iter().find(|it| it.key == name).map(|it| it.field) else { break };
        let owner = universe.as_named(holder).map(|it| universe.qualified(it)).unwrap_or_default();
        found = Some((owner, field));
        ty = field.ty;
        for _ in 0..part.matches('[').count() {
            ty = element(universe, ty)?;
        }
    }
    found
}

fn element(universe: &Universe, ty: TypeId) -> Option<TypeId> {
    use ordain_idl::graph::Type;
    match universe.ty(universe.underlying(universe.deref(ty))) {
        Type::Slice(item) | Type::Array(_, item) | Type::Map(_, item) => Some(*item),
        _ => None,
    }
}
