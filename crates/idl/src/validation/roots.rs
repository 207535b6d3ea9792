//! Which types are validated on their own, and on which subresources.

use super::discover::Discovery;
use super::gotype::GoKind;
use super::rule::{Program, Root};
use super::{Options, lint};
use crate::diagnostic::{Diagnostic, Severity};
use crate::go::comment::DocLine;
use crate::graph::{Docs, Field, NamedId, Package, TypeId, Universe};
use crate::source::{FileId, Pos};
use crate::tags::codetag::{self, Values};
use crate::tags::registry::{self, Family};

const TAG: &str = "k8s:validation-gen";
const NOLINT: &str = "k8s:validation-gen-nolint";

pub(super) fn declare(universe: &Universe, options: &Options) -> (Program, Vec<Diagnostic>) {
    let mut discovery = Discovery::new(universe);
    discovery.newer_tags_pass = options.newer_tags_pass;
    let mut linted = Vec::new();
    for package in universe.packages() {
        if discovery.takes_part(package.id) {
            discovery.check_constants(package.id);
        }
    }
    for package in universe.requested() {
        let lines = universe.package_lines(package);
        let Some(wanted) = wanted(&lines, options, &mut discovery) else {
            continue;
        };
        let nolint = tag_values(&lines, NOLINT).is_some();
        let speaks = !options.all_types || speaks(universe, package);
        for (name, id) in &package.types {
            let ty = universe.type_of(*id);
            let named = universe.named(*id);
            if named.alias || !is_root(universe, *id, ty, name, &wanted) {
                continue;
            }
            if !nolint && !options.no_lint {
                linted.push(ty);
            }
            let known = discovery.diagnostics.len();
            let node = discovery.discover_root(ty, named.pos);
            if options.all_types && !speaks {
                discovery.diagnostics.iter_mut().skip(known).for_each(relent);
            }
            let Some(node) = node else { continue };
            let subresources = subresources(universe, *id, &mut discovery);
            discovery.program.roots.push(Root { named: *id, node, subresources });
        }
    }
    discovery.program.roots.sort_by_key(|root| universe.qualified(root.named));
    let mut diagnostics = std::mem::take(&mut discovery.diagnostics);
    if !diagnostics.iter().any(Diagnostic::is_error) {
        // Upstream lints only what it could read.
        diagnostics.extend(lint::lint(universe, &linted));
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.pos);
    (discovery.program, diagnostics)
}

/// Whether a package has validation tags itself.
fn speaks(universe: &Universe, package: &Package) -> bool {
    let tagged = |docs: &Docs| {
        let lines = universe.lines(docs.file, docs.closest);
        let found = codetag::extract("+", &lines);
        found
            .iter()
            .flat_map(|it| registry::find(it.name))
            .any(|it| it.family == Family::Validation)
    };
    package.types.values().any(|id| {
        let named = universe.named(*id);
        let fields = if named.alias { &[] } else { universe.fields(named.target) };
        tagged(&named.docs) || fields.iter().any(|field| tagged(&field.docs))
    })
}

/// What validation-gen does not support hinders only those who ask it: a package without its tags
/// loses what the tags of other packages' types say there.
fn relent(found: &mut Diagnostic) {
    if found.is_error() {
        found.severity = Severity::Warning;
        found.help = Some("rules of +k8s: tags do not hold there; nothing else changes".to_owned());
    }
}

/// The values of a tag in comment lines; `None` when it is not there.
fn tag_values(lines: &[(FileId, DocLine<'_>)], name: &str) -> Option<Vec<(String, Pos)>> {
    let mut out: Option<Vec<(String, Pos)>> = None;
    for (file, line) in lines {
        for found in codetag::extract("+", std::slice::from_ref(line)) {
            if found.name == name
                && let Ok(tag) = codetag::parse(found.text, Values::Raw)
            {
                let pos = Pos { file: *file, offset: found.offset };
                out.get_or_insert_default().push((tag.value.text().to_string(), pos));
            }
        }
    }
    out
}

/// What a package asks for: field names, or `*`. `None` when it takes no part.
fn wanted(
    lines: &[(FileId, DocLine<'_>)],
    options: &Options,
    discovery: &mut Discovery<'_>,
) -> Option<Vec<String>> {
    if options.all_types {
        return Some(vec!["*".into()]);
    }
    let values = tag_values(lines, TAG)?;
    if let [(value, pos)] = values.as_slice()
        && value.is_empty()
    {
        let message = format!("found package tag \"{TAG}\" with no value");
        let help = format!("name the field that root types have, as in +{TAG}=TypeMeta, or `*`");
        discovery.diagnostics.push(Diagnostic::error("validation-tag", *pos, message).help(help));
        return None;
    }
    Some(values.into_iter().map(|(value, _)| value).collect())
}

fn is_root(universe: &Universe, id: NamedId, ty: TypeId, name: &str, wanted: &[String]) -> bool {
    let docs = universe.named(id).docs;
    let second: Vec<(FileId, DocLine<'_>)> = universe
        .lines(docs.file, docs.second_closest)
        .into_iter()
        .map(|line| (docs.file, line))
        .collect();
    match tag_values(&second, TAG).as_deref() {
        Some([(value, _)]) if value == "false" => return false,
        Some([(value, _)]) if value == "true" => return true,
        _ => {}
    }
    let fields = universe.fields(ty);
    let is_struct = universe.go_kind(ty) == GoKind::Struct;
    if is_struct && fields.iter().any(|field| is_list_meta(universe, field)) {
        return false;
    }
    // Functions are no data; with a tag of their own they are refused.
    let is_data = universe.go_kind(universe.underlying(ty)) != GoKind::Func;
    let exported = is_data && name.chars().next().is_some_and(char::is_uppercase);
    wanted.iter().any(|wanted| {
        (wanted == "*" && exported)
            || (is_struct && fields.iter().any(|field| field.name == wanted.as_str()))
    })
}

fn is_list_meta(universe: &Universe, field: &Field) -> bool {
    field.embedded
        && universe.as_named(field.ty).is_some_and(|id| {
            universe.qualified(id) == "k8s.io/apimachinery/pkg/apis/meta/v1.ListMeta"
        })
}

fn subresources(universe: &Universe, id: NamedId, discovery: &mut Discovery<'_>) -> Vec<String> {
    let docs = universe.named(id).docs;
    let lines = universe.comment_lines(&docs);
    let mut out: Vec<String> = Vec::new();
    let mut own = Vec::new();
    for found in codetag::extract("+", &lines) {
        let target = match found.name {
            "k8s:supportsSubresource" => &mut out,
            "k8s:isSubresource" => &mut own,
            _ => continue,
        };
        let pos = Pos { file: docs.file, offset: found.offset };
        match codetag::parse(found.text, Values::Parsed) {
            Ok(tag) => target.push(tag.value.text().to_string()),
            Err(error) => {
                let message = format!("failed to parse tags: {}: [{}]", error.message, found.text);
                discovery.diagnostics.push(Diagnostic::error("validation-tag", pos, message));
            }
        }
    }
    if own.len() > 1 {
        let message = format!(
            "Type \"{}\" contains more than one usage of \"k8s:isSubresource\"",
            universe.qualified(id)
        );
        let pos = universe.named(id).pos;
        discovery.diagnostics.push(Diagnostic::error("validation-tag", pos, message));
    }
    out.push(own.into_iter().next().unwrap_or_else(|| "/".into()));
    out.sort();
    out.dedup();
    out
}
