//! What reviewers want of validation tags: wrappers outermost, tags no younger than the package's
//! version, and every validated field marked optional, required or forbidden.
//!
//! Upstream: `validation-gen`'s lint rules, which are fatal there too.

use std::collections::{HashMap, HashSet};

use super::discover::Extractor;
use super::shape::Kind;
use super::table::{self, Stability};
use crate::graph::{NamedId, TypeId};
use crate::source::Pos;
use crate::tags::codetag::{self, Tag, TagValue, Values};

/// Lints the root types and all they are made of.
pub(super) fn lint(extractor: &mut Extractor<'_>, roots: &[NamedId]) {
    let mut linter = Linter { seen: HashSet::new(), validated: HashMap::new() };
    for root in roots {
        if let Some(ty) = extractor.type_of(*root) {
            linter.lint_type(extractor, ty);
        }
    }
}

struct Linter {
    seen: HashSet<TypeId>,
    validated: HashMap<TypeId, Option<bool>>,
}

impl Linter {
    fn lint_type(&mut self, extractor: &mut Extractor<'_>, root: TypeId) {
        let mut pending = vec![root];
        while let Some(ty) = pending.pop() {
            let universe = extractor.universe;
            let ty = universe.unalias(ty);
            if !self.seen.insert(ty) {
                continue;
            }
            if let Some(id) = universe.as_named(ty) {
                let named = universe.named(id);
                if !universe.package_of(id).requested {
                    continue;
                }
                let lines = universe.lines(named.docs.file, named.docs.closest);
                let found = codetag::extract("+", &lines);
                if found.iter().any(|it| it.name == "k8s:validation-gen-nolint") {
                    continue;
                }
                let tags = parse_all(extractor, &named.docs, named.docs.closest);
                let level = package_level(&universe.package_of(id).path);
                for (pos, message) in common_rules(&tags, level) {
                    extractor.error(pos, format!("type {}: {message}", named.name));
                }
            }
            match extractor.kind(ty) {
                Kind::Alias(under) => pending.push(under),
                Kind::Slice(of) | Kind::Pointer(of) => pending.push(of),
                Kind::Map(key, value) => pending.extend([key, value]),
                Kind::Struct(id) => {
                    let level = universe
                        .as_named(ty)
                        .map_or(Stability::Stable, |it| package_level(&universe.package_of(it).path));
                    for field in &universe.struct_type(id).fields {
                        let tags = parse_all(extractor, &field.docs, field.docs.closest);
                        let mut found = common_rules(&tags, level);
                        if self.lacks_requiredness(extractor, field.ty, &tags) {
                            found.push((
                                field.pos,
                                "field with validation must have +k8s:optional, +k8s:required or \
                                 +k8s:forbidden"
                                    .into(),
                            ));
                        }
                        for (pos, message) in found {
                            extractor.error(pos, format!("field {}: {message}", field.name));
                        }
                        pending.push(field.ty);
                    }
                }
                _ => {}
            }
        }
    }

    fn lacks_requiredness(
        &mut self,
        extractor: &mut Extractor<'_>,
        ty: TypeId,
        tags: &[(Pos, Tag)],
    ) -> bool {
        let mut under = ty;
        while let Kind::Alias(next) = extractor.kind(under) {
            under = next;
        }
        if matches!(extractor.kind(under), Kind::Struct(_)) {
            return false;
        }
        let marked = tags.iter().any(|it| {
            ["k8s:optional", "k8s:required", "k8s:forbidden"].iter().any(|name| mentions(&it.1, name))
        });
        !marked
            && (tags.iter().any(|it| is_validation(&it.1)) || self.type_is_validated(extractor, ty).0)
    }

    /// Has a type validation tags, at it or below? Second: a cycle kept it from being known.
    fn type_is_validated(&mut self, extractor: &mut Extractor<'_>, ty: TypeId) -> (bool, bool) {
        let ty = extractor.universe.unalias(ty);
        match self.validated.get(&ty) {
            Some(Some(known)) => return (*known, false),
            Some(None) => return (false, true),
            None => {}
        }
        self.validated.insert(ty, None);
        let universe = extractor.universe;
        let mut validated = universe.as_named(ty).is_some_and(|id| {
            let docs = universe.named(id).docs;
            let tags = parse_all(extractor, &docs, docs.closest);
            tags.iter().any(|it| is_validation(&it.1))
        });
        let mut cyclic = false;
        let children: Vec<TypeId> = match extractor.kind(ty) {
            Kind::Alias(it) | Kind::Slice(it) | Kind::Pointer(it) => vec![it],
            Kind::Map(key, value) => vec![key, value],
            Kind::Struct(id) => {
                let fields = &universe.struct_type(id).fields;
                for field in fields {
                    let tags = parse_all(extractor, &field.docs, field.docs.closest);
                    validated |= tags.iter().any(|it| is_validation(&it.1));
                }
                fields.iter().map(|it| it.ty).collect()
            }
            _ => Vec::new(),
        };
        for child in children {
            let (found, broken) = self.type_is_validated(extractor, child);
            validated |= found;
            cyclic |= broken && !found;
        }
        if validated || !cyclic {
            self.validated.insert(ty, Some(validated));
        } else {
            self.validated.remove(&ty);
        }
        (validated, cyclic)
    }
}

/// All tags of a comment that parse.
fn parse_all(
    extractor: &Extractor<'_>,
    docs: &crate::graph::Docs,
    group: Option<crate::go::comment::GroupId>,
) -> Vec<(Pos, Tag)> {
    let lines = extractor.universe.lines(docs.file, group);
    codetag::extract("+", &lines)
        .into_iter()
        .filter_map(|it| {
            let tag = codetag::parse(it.text, Values::Parsed).ok()?;
            Some((Pos { file: docs.file, offset: it.offset }, tag))
        })
        .collect()
}

/// The level that a package's version asks of its tags.
fn package_level(path: &str) -> Stability {
    let version = path.rsplit('/').next().unwrap_or(path);
    if version.contains("alpha") {
        Stability::Alpha
    } else if version.contains("beta") {
        Stability::Beta
    } else {
        Stability::Stable
    }
}

/// The first breach of each rule that concerns any place.
fn common_rules(tags: &[(Pos, Tag)], level: Stability) -> Vec<(Pos, String)> {
    let mut found = Vec::new();
    found.extend(tags.iter().find_map(|(pos, tag)| Some((*pos, wrapper_misuse(tag)?))));
    found.extend(tags.iter().find_map(|(pos, tag)| Some((*pos, too_young(tag, level)?))));
    found
}

fn inner(tag: &Tag) -> Option<&Tag> {
    match &tag.value {
        TagValue::Tag(inner) => Some(inner),
        _ => None,
    }
}

fn is_wrapper(tag: &Tag) -> bool {
    matches!(tag.name.as_str(), "k8s:alpha" | "k8s:beta")
}

fn wrapper_misuse(tag: &Tag) -> Option<String> {
    if is_wrapper(tag) && inner(tag).is_none() {
        return Some(format!(
            "tag \"{}\" requires a validation tag as its value payload",
            tag.name
        ));
    }
    let mut at = inner(tag);
    while let Some(tag) = at {
        if is_wrapper(tag) {
            return Some(format!("tag \"{}\" can't be used in between", tag.name));
        }
        at = inner(tag);
    }
    None
}

fn too_young(tag: &Tag, package: Stability) -> Option<String> {
    let (mut level, mut at) = (package, tag);
    if is_wrapper(tag) {
        level = if tag.name == "k8s:alpha" { Stability::Alpha } else { Stability::Beta };
        at = inner(tag)?;
    }
    if matches!(at.name.as_str(), "k8s:ifEnabled" | "k8s:ifDisabled") {
        level = level.min(Stability::Beta);
    }
    loop {
        let stability = table::row(&at.name)?.stability;
        if stability < level {
            return Some(format!(
                "tag \"{}\" with stability level \"{}\" cannot be used in {} validation",
                at.name,
                stability.name(),
                level.name()
            ));
        }
        at = inner(at)?;
    }
}

fn mentions(tag: &Tag, name: &str) -> bool {
    let mut at = Some(tag);
    while let Some(tag) = at {
        if tag.name == name {
            return true;
        }
        at = inner(tag);
    }
    false
}

/// Does a tag validate? Optional alone does not.
fn is_validation(tag: &Tag) -> bool {
    match tag.name.as_str() {
        "k8s:optional" => false,
        "k8s:alpha" | "k8s:beta" => inner(tag).is_some_and(is_validation),
        name => table::row(name).is_some(),
    }
}
