//! Rules of kube-api-linter about Go types that sound APIs may break with reason, and those about the
//! markers themselves.

use std::collections::BTreeSet;

use ordain_idl::Universe;
use ordain_idl::graph::{Basic, Docs, Field, Type, TypeId};

use super::Lint;
use super::go::{self, OPTIONAL, REQUIRED, any, is_api_type, tag_names};

/// Looks at the types of the packages that were asked for.
pub(super) fn lint(universe: &Universe) -> Vec<Lint> {
    let mut out = Taste { universe, list: Vec::new() };
    for (id, named) in universe.all_named() {
        if !is_api_type(universe, id, named) {
            continue;
        }
        let owner = universe.qualified(id);
        out.twice(&named.docs, &owner, named.pos, &named.name);
        for field in universe.fields(named.ty).iter().filter(|it| it.exported()) {
            if !field.json.skipped && !field.embedded && !field.json.inline {
                out.field(&owner, field);
            }
        }
    }
    out.list
}

/// Looks for markers that a project does not want: forbidden names, and names with a better one.
#[must_use]
pub fn lint_markers(
    universe: &Universe,
    forbidden: &[String],
    preferred: &[(String, String)],
) -> Vec<Lint> {
    let mut out = Vec::new();
    let mut look = |docs: &Docs, owner: &str, pos, name: &str| {
        for found in tag_names(universe, docs) {
            if forbidden.contains(&found) {
                let mut lint = go::at(universe, "marker-forbidden", pos, name, owner);
                lint.finding.message = format!("+{found} is not to be used here");
                out.push(lint);
            }
            if let Some((_, better)) = preferred.iter().find(|(old, _)| *old == found) {
                let mut lint = go::at(universe, "marker-preferred", pos, name, owner);
                lint.finding.message = format!("+{found} is written, and +{better} is preferred");
                out.push(lint);
            }
        }
    };
    for (id, named) in universe.all_named() {
        if !universe.package_of(id).requested || named.alias {
            continue;
        }
        let owner = universe.qualified(id);
        look(&named.docs, &owner, named.pos, &named.name);
        for field in universe.fields(named.ty) {
            look(&field.docs, &format!("{owner}.{}", field.name), field.pos, &field.name);
        }
    }
    out
}

/// Tags by which a string or list has a greatest length.
const MOST: [&str; 7] = [
    "kubebuilder:validation:MaxLength",
    "kubebuilder:validation:MaxItems",
    "k8s:maxLength",
    "k8s:maxItems",
    "k8s:maxBytes",
    "maxLength",
    "maxItems",
];
/// Tags by which it has a least one.
const LEAST: [&str; 6] = [
    "kubebuilder:validation:MinLength",
    "kubebuilder:validation:MinItems",
    "k8s:minLength",
    "k8s:minItems",
    "minLength",
    "minItems",
];
/// Tags that say as much as both: the values are listed, or have a known form.
const BOUNDED: [&str; 6] = [
    "enum",
    "k8s:enum",
    "kubebuilder:validation:Enum",
    "kubebuilder:validation:Format",
    "format",
    "k8s:format",
];

struct Taste<'u> {
    universe: &'u Universe,
    list: Vec<Lint>,
}

impl Taste<'_> {
    fn report(&mut self, id: &'static str, owner: &str, field: &Field, message: impl Into<String>) {
        let path = format!("{owner}.{}", field.name);
        let mut lint = go::at(self.universe, id, field.pos, &field.name, &path);
        lint.finding.message = message.into();
        self.list.push(lint);
    }

    /// Markers that stand twice with the same value.
    fn twice(&mut self, docs: &Docs, path: &str, pos: ordain_idl::Pos, name: &str) {
        let lines = self.universe.doc_lines(docs);
        let mut seen = BTreeSet::new();
        for line in lines.iter().map(|it| it.text.trim()).filter(|it| it.starts_with('+')) {
            if !seen.insert(line.to_owned()) {
                let mut lint = go::at(self.universe, "marker-duplicate", pos, name, path);
                lint.finding.message = format!("{line} is written twice");
                self.list.push(lint);
            }
        }
    }

    fn field(&mut self, owner: &str, field: &Field) {
        let universe = self.universe;
        let path = format!("{owner}.{}", field.name);
        self.twice(&field.docs, &path, field.pos, &field.name);
        let names = tag_names(universe, &field.docs);
        if any(&names, &OPTIONAL) && any(&names, &REQUIRED) {
            self.report("marker-conflict", owner, field, "marked optional and required");
        }
        if field.name == "Phase" {
            self.report("phase-used", owner, field, "a phase");
        }
        if field.name.to_ascii_lowercase().contains("timestamp") {
            let better = field.name.replace("Timestamp", "Time").replace("TimeStamp", "Time");
            self.report("timestamp-name", owner, field, format!("{better} says the same"));
        }
        let bare = universe.deref(field.ty);
        let qualified = universe.as_named(bare).map(|it| universe.qualified(it));
        if matches!(
            qualified.as_deref(),
            Some("k8s.io/apimachinery/pkg/apis/meta/v1.Duration" | "time.Duration")
        ) {
            self.report("duration-used", owner, field, "a duration");
            return;
        }
        match universe.ty(universe.underlying(bare)) {
            Type::Basic(Basic::Bool) => self.report("bool-used", owner, field, "a boolean"),
            Type::Basic(Basic::String) | Type::Slice(_) => {
                self.length(owner, field, bare, &names);
            }
            Type::Map(key, value) if !(self.is_text(*key) && self.is_text(*value)) => {
                self.report("map-used", owner, field, "a map");
            }
            _ => {}
        }
    }

    fn is_text(&self, ty: TypeId) -> bool {
        let beneath = self.universe.ty(self.universe.underlying(ty));
        matches!(beneath, Type::Basic(Basic::String))
    }

    /// Limits of a length, on the field or on its type.
    fn length(&mut self, owner: &str, field: &Field, ty: TypeId, names: &BTreeSet<String>) {
        let of_type = self.universe.as_named(ty);
        let of_type = of_type.map(|id| tag_names(self.universe, &self.universe.named(id).docs));
        let of_type = of_type.unwrap_or_default();
        let has = |tags: &[&str]| any(names, tags) || any(&of_type, tags);
        if has(&BOUNDED) {
            return;
        }
        if !has(&MOST) {
            self.report("max-length-missing", owner, field, "no greatest length");
        }
        if any(names, &REQUIRED) && !has(&LEAST) {
            self.report("min-length-missing", owner, field, "required, and may be empty");
        }
    }
}
