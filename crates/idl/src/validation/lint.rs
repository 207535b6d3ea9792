//! The lint rules of validation tags: stability, requiredness, wrappers.

use std::collections::{BTreeMap, HashSet};

use super::check::extract_tags;
use super::gotype::GoKind;
use crate::diagnostic::Diagnostic;
use crate::go::comment::DocLine;
use crate::graph::{Docs, Field, NamedId, TypeId, Universe};
use crate::source::Pos;
use crate::tags::codetag::{self, Tag, TagValue, Values};
use crate::tags::registry::{self, Stability};

/// Lints types and all they reach, each once.
pub(super) fn lint(universe: &Universe, roots: &[TypeId]) -> Vec<Diagnostic> {
    let mut linter =
        Linter { universe, validated: validated_types(universe, roots), diagnostics: Vec::new() };
    let mut seen = HashSet::new();
    let mut waiting: Vec<TypeId> = roots.iter().rev().copied().collect();
    while let Some(ty) = waiting.pop() {
        let ty = universe.unalias(ty);
        if seen.insert(ty) && linter.lint_type(ty) {
            waiting.extend(parts(universe, ty).into_iter().rev());
        }
    }
    linter.diagnostics
}

/// The types a type is made of.
fn parts(universe: &Universe, ty: TypeId) -> Vec<TypeId> {
    match universe.go_kind(ty) {
        GoKind::Alias => vec![universe.underlying(ty)],
        GoKind::Struct => {
            universe.fields(ty).iter().map(|field| universe.unalias(field.ty)).collect()
        }
        GoKind::Slice | GoKind::Array | GoKind::Pointer | GoKind::Map => {
            universe.go_key(ty).into_iter().chain(universe.go_elem(ty)).collect()
        }
        _ => Vec::new(),
    }
}

/// The types that have a validation tag on themselves or anywhere below.
fn validated_types(universe: &Universe, roots: &[TypeId]) -> HashSet<TypeId> {
    let mut users: BTreeMap<TypeId, Vec<TypeId>> = BTreeMap::new();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut waiting: Vec<TypeId> = roots.iter().map(|ty| universe.unalias(*ty)).collect();
    while let Some(ty) = waiting.pop() {
        if !seen.insert(ty) {
            continue;
        }
        let on_type = universe
            .as_named(ty)
            .is_some_and(|id| has_any_rule(&known_tags(universe, &universe.named(id).docs)));
        let on_field = universe.go_kind(ty) == GoKind::Struct
            && universe
                .fields(ty)
                .iter()
                .any(|field| has_any_rule(&known_tags(universe, &field.docs)));
        if on_type || on_field {
            found.push(ty);
        }
        for part in parts(universe, ty) {
            users.entry(part).or_default().push(ty);
            waiting.push(part);
        }
    }
    let mut out = HashSet::new();
    while let Some(ty) = found.pop() {
        if out.insert(ty) {
            found.extend(users.get(&ty).into_iter().flatten().copied());
        }
    }
    out
}

/// The validation tags of a declaration; none when one does not parse.
fn known_tags(universe: &Universe, docs: &Docs) -> Vec<Tag> {
    let lines = universe.lines(docs.file, docs.closest);
    extract_tags(docs.file, &lines)
        .map_or_else(|_| Vec::new(), |tags| tags.into_iter().map(|tag| tag.tag).collect())
}

fn inner(tag: &Tag) -> Option<&Tag> {
    match &tag.value {
        TagValue::Tag(inner) => Some(inner),
        _ => None,
    }
}

fn has_any_rule(tags: &[Tag]) -> bool {
    tags.iter().any(|tag| match tag.name.as_str() {
        "k8s:optional" => false,
        "k8s:alpha" | "k8s:beta" => {
            inner(tag).is_some_and(|inner| has_any_rule(std::slice::from_ref(inner)))
        }
        name => registry::validation(name).is_some(),
    })
}

/// Whether a tag stands among the tags or inside one of them. Chains are short by grammar.
fn has_tag(tags: &[Tag], name: &str) -> bool {
    tags.iter().any(|tag| {
        let mut at = Some(tag);
        while let Some(tag) = at {
            if tag.name == name {
                return true;
            }
            at = inner(tag);
        }
        false
    })
}

struct Linter<'u> {
    universe: &'u Universe,
    validated: HashSet<TypeId>,
    diagnostics: Vec<Diagnostic>,
}

impl Linter<'_> {
    /// Lints a type; false when it asks to be left alone.
    fn lint_type(&mut self, ty: TypeId) -> bool {
        let named = self.universe.as_named(ty);
        if let Some(id) = named {
            let docs = self.universe.named(id).docs;
            let lines = self.universe.lines(docs.file, docs.closest);
            let names: Vec<&str> =
                codetag::extract("+", &lines).iter().map(|line| line.name).collect();
            if names.contains(&"k8s:validation-gen-nolint") {
                return false;
            }
            let tags = all_tags(&lines);
            let pos = self.universe.named(id).pos;
            for message in self.messages(id, &tags) {
                self.report(id, None, pos, &message);
            }
        }
        if self.universe.go_kind(ty) == GoKind::Struct {
            for field in self.universe.fields(ty) {
                self.lint_field(ty, named, field);
            }
        }
        true
    }

    fn lint_field(&mut self, owner: TypeId, named: Option<NamedId>, field: &Field) {
        let Some(id) = named else { return };
        let lines = self.universe.lines(field.docs.file, field.docs.closest);
        let tags = all_tags(&lines);
        let mut messages = self.messages(id, &tags);
        messages.extend(self.requiredness(owner, field, &tags));
        for message in messages {
            self.report(id, Some(field), field.pos, &message);
        }
    }

    fn report(&mut self, id: NamedId, field: Option<&Field>, pos: Pos, message: &str) {
        let place = match field {
            Some(field) => format!("type {}: field {}", self.universe.qualified(id), field.name),
            None => format!("type {}", self.universe.qualified(id)),
        };
        let help = "fix it, or add +k8s:validation-gen-nolint to the type or package";
        let diagnostic =
            Diagnostic::error("validation-lint", pos, format!("{place}: {message}")).help(help);
        self.diagnostics.push(diagnostic);
    }

    fn messages(&self, id: NamedId, tags: &[Tag]) -> Vec<String> {
        let mut out = Vec::new();
        out.extend(tags.iter().find_map(wrapper_inside));
        let path = &self.universe.package_of(id).path;
        let version = path.rsplit('/').next().unwrap_or("");
        let level = if version.contains("alpha") {
            Stability::Alpha
        } else if version.contains("beta") {
            Stability::Beta
        } else {
            Stability::Stable
        };
        out.extend(tags.iter().find_map(|tag| too_young(tag, level)));
        out
    }

    /// A field with rules says whether it must be given.
    fn requiredness(&self, owner: TypeId, field: &Field, tags: &[Tag]) -> Option<String> {
        let ty = self.universe.unalias(field.ty);
        let kind = self.universe.go_kind(self.universe.underlying(ty));
        if ty == owner || kind == GoKind::Struct {
            return None;
        }
        let reported = ["k8s:optional", "k8s:required", "k8s:forbidden"];
        if reported.iter().any(|name| has_tag(tags, name)) {
            return None;
        }
        (has_any_rule(tags) || self.validated.contains(&ty)).then(|| {
            "field with validation must have +k8s:optional, +k8s:required or +k8s:forbidden".into()
        })
    }
}

/// All tags that parse, by name and then in order.
fn all_tags(lines: &[DocLine<'_>]) -> Vec<Tag> {
    let mut found = codetag::extract("+", lines);
    found.sort_by(|a, b| a.name.cmp(b.name));
    let broken: Vec<&str> = found
        .iter()
        .filter(|line| codetag::parse(line.text, Values::Parsed).is_err())
        .map(|line| line.name)
        .collect();
    found
        .iter()
        .filter(|line| !broken.contains(&line.name))
        .filter_map(|line| codetag::parse(line.text, Values::Parsed).ok())
        .collect()
}

fn wrapper_inside(tag: &Tag) -> Option<String> {
    let mut root = true;
    let mut at = Some(tag);
    while let Some(tag) = at {
        if matches!(tag.name.as_str(), "k8s:alpha" | "k8s:beta") {
            if !root {
                return Some(format!("tag \"{}\" can't be used in between", tag.name));
            }
            if inner(tag).is_none() {
                return Some(format!(
                    "tag \"{}\" requires a validation tag as its value payload",
                    tag.name
                ));
            }
        }
        root = false;
        at = inner(tag);
    }
    None
}

fn too_young(tag: &Tag, default: Stability) -> Option<String> {
    let (mut level, mut at) = (default, Some(tag));
    if matches!(tag.name.as_str(), "k8s:alpha" | "k8s:beta") {
        level = if tag.name == "k8s:alpha" { Stability::Alpha } else { Stability::Beta };
        at = inner(tag);
    }
    let option =
        at.is_some_and(|tag| matches!(tag.name.as_str(), "k8s:ifEnabled" | "k8s:ifDisabled"));
    if option && level == Stability::Stable {
        level = Stability::Beta;
    }
    while let Some(tag) = at {
        let spec = registry::validation(&tag.name)?;
        if spec.stability < level {
            return Some(format!(
                "tag \"{}\" with stability level \"{}\" cannot be used in {} validation",
                tag.name,
                spec.stability.name(),
                level.name()
            ));
        }
        at = inner(tag);
    }
    None
}
