//! Tags nobody knows, tags in the wrong place, and tags that contradict each other.

use super::codetag::{self, Extracted, Values};
use super::newer;
use super::registry::{self, Family, Known, Place, TagSpec};
use crate::diagnostic::Diagnostic;
use crate::go::comment::DocLine;
use crate::graph::{Docs, Universe};
use crate::source::{FileId, Pos};

/// Looks at every tag of the requested packages.
///
/// Errors: an unknown name of the family `kubebuilder:`, a name within one edit of a known one, a
/// tag where none of its readers looks, limits and presence that contradict each other. Warnings:
/// other unknown names, which may be some other tool's or a newer release's.
#[must_use]
pub fn lint(universe: &Universe) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for package in universe.requested() {
        for (file, line) in universe.package_lines(package) {
            names(universe, file, std::slice::from_ref(&line), Place::Package, &mut out);
        }
        for id in package.types.values() {
            let named = universe.named(*id);
            let second = universe.lines(named.docs.file, named.docs.second_closest);
            // Free comments before a type may also speak for the package.
            names_anywhere(
                universe,
                named.docs.file,
                &second,
                &[Place::Type, Place::Package],
                &mut out,
            );
            declaration(universe, &named.docs, Place::Type, &mut out);
            if !named.alias {
                for field in universe.fields(named.target) {
                    if universe.file(field.pos.file).package == package.id {
                        declaration(universe, &field.docs, Place::Field, &mut out);
                    }
                }
            }
        }
        for id in package.consts.values() {
            declaration(universe, &universe.constant(*id).docs, Place::Constant, &mut out);
        }
    }
    if universe.forgive_markers {
        super::marker::forgive(&mut out);
    }
    out.sort_by(|a, b| (a.pos, &a.message).cmp(&(b.pos, &b.message)));
    out.dedup();
    out
}

fn declaration(universe: &Universe, docs: &Docs, place: Place, out: &mut Vec<Diagnostic>) {
    let lines = universe.lines(docs.file, docs.closest);
    names(universe, docs.file, &lines, place, out);
    contradictions(docs.file, &lines, out);
}

fn names(
    universe: &Universe,
    file: FileId,
    lines: &[DocLine<'_>],
    place: Place,
    out: &mut Vec<Diagnostic>,
) {
    names_anywhere(universe, file, lines, &[place], out);
}

/// The name a reader would look up: codetags end at `(`, markers at `=`.
fn full_name<'a>(found: &Extracted<'a>) -> &'a str {
    found.name.trim_end_matches(':')
}

fn names_anywhere(
    universe: &Universe,
    file: FileId,
    lines: &[DocLine<'_>],
    places: &[Place],
    out: &mut Vec<Diagnostic>,
) {
    for found in codetag::extract("+", lines) {
        let name = full_name(&found);
        let pos = Pos { file, offset: found.offset };
        if name.is_empty() {
            continue;
        }
        let specs = specs_of(name);
        if specs.is_empty() {
            out.extend(unknown(universe, name, pos));
            continue;
        }
        if !specs.iter().any(|spec| places.iter().any(|place| spec.places.contains(place))) {
            let mut fitting: Vec<&str> =
                specs.iter().flat_map(|spec| spec.places).map(|place| place.words()).collect();
            fitting.sort_unstable();
            fitting.dedup();
            let here = places.first().map_or("", |place| place.words());
            let message = format!("tag `+{name}` has no effect on {here}");
            let help = format!("it belongs on {}", fitting.join(", "));
            out.push(Diagnostic::error("misplaced-tag", pos, message).help(help));
        }
    }
}

/// The rows of a name. Arguments of kubebuilder markers follow a colon, so the last parts of a
/// name are taken off until something is known.
fn specs_of(name: &str) -> Vec<&'static TagSpec> {
    let mut at = name;
    loop {
        let specs = registry::find(at);
        let whole = at == name;
        let found: Vec<_> = specs
            .into_iter()
            .filter(|spec| {
                whole
                    || spec.family == Family::Kubebuilder
                        && spec.any_args
                        && takes_arguments(spec.name)
            })
            .collect();
        if !found.is_empty() {
            return found;
        }
        match at.rsplit_once(':') {
            Some((shorter, _)) if shorter.contains(':') => at = shorter,
            _ => return Vec::new(),
        }
    }
}

/// Whether a marker takes named arguments, so that one may stand behind a colon.
fn takes_arguments(name: &str) -> bool {
    super::marker::definitions()
        .iter()
        .any(|def| def.name == name && !def.args.is_empty() && !def.is_anonymous())
}

fn unknown(universe: &Universe, name: &str, pos: Pos) -> Option<Diagnostic> {
    let message = format!("unknown tag `+{name}`");
    match registry::judge(name) {
        Known::Yes => None,
        Known::Mistake(similar) => {
            let help = match similar {
                Some(similar) => format!("did you mean `+{similar}`?"),
                None => "remove it; `ordain tags` lists the tags there are".into(),
            };
            Some(Diagnostic::error("unknown-tag", pos, message).help(help))
        }
        Known::Newer => Some(newer::finding(universe, pos, message, newer::help(name))),
        Known::Foreign => Some(
            Diagnostic::warning("unknown-tag", pos, message)
                .help("no reader here knows it; it has no effect"),
        ),
    }
}

/// Pairs of limits, the lower first.
const LIMITS: &[(&str, &str)] = &[
    ("k8s:minimum", "k8s:maximum"),
    ("k8s:minLength", "k8s:maxLength"),
    ("k8s:minItems", "k8s:maxItems"),
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("kubebuilder:validation:Minimum", "kubebuilder:validation:Maximum"),
    ("kubebuilder:validation:MinLength", "kubebuilder:validation:MaxLength"),
    ("kubebuilder:validation:MinItems", "kubebuilder:validation:MaxItems"),
    ("kubebuilder:validation:MinProperties", "kubebuilder:validation:MaxProperties"),
];

/// Tags that cannot stand together.
const RIVALS: &[(&str, &str)] = &[
    ("k8s:required", "k8s:optional"),
    ("k8s:required", "k8s:forbidden"),
    ("k8s:optional", "k8s:forbidden"),
    ("required", "optional"),
    ("kubebuilder:validation:Required", "kubebuilder:validation:Optional"),
];

fn contradictions(file: FileId, lines: &[DocLine<'_>], out: &mut Vec<Diagnostic>) {
    let found = codetag::extract("+", lines);
    let first = |name: &str| found.iter().find(|it| it.name == name);
    for (one, other) in RIVALS {
        if let (Some(one), Some(other)) = (first(one), first(other)) {
            let later = if one.offset > other.offset { one } else { other };
            let message =
                format!("tags `+{}` and `+{}` contradict each other", one.name, other.name);
            let pos = Pos { file, offset: later.offset };
            out.push(Diagnostic::error("contradiction", pos, message).help("keep one of them"));
        }
    }
    let number = |it: &Extracted<'_>| {
        let tag = codetag::parse(it.text, Values::Raw).ok()?;
        tag.value.text().trim().parse::<f64>().ok()
    };
    for (lower, upper) in LIMITS {
        let (Some(lower), Some(upper)) = (first(lower), first(upper)) else { continue };
        if let (Some(least), Some(most)) = (number(lower), number(upper))
            && least > most
        {
            let message = format!(
                "no value satisfies both `+{}={least}` and `+{}={most}`",
                lower.name, upper.name
            );
            let pos = Pos { file, offset: upper.offset.max(lower.offset) };
            out.push(Diagnostic::error("contradiction", pos, message).help("exchange the limits"));
        }
    }
}
