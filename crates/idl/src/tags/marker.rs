//! The marker grammar of controller-gen: `+name:arg=value,arg=value` and `+name=value`.
//!
//! Upstream: `sigs.k8s.io/controller-tools/pkg/markers`. Values are read by the type an argument
//! has; errors carry its texts and positions, which count in the arguments' text.

mod scanner;
mod table;
mod values;

pub use table::{ArgDef, ArgType, MarkerDef, RBAC, Target, WEBHOOK, definitions};
pub use values::MarkerValue;

use std::collections::{BTreeMap, HashMap};

use super::registry;
use crate::diagnostic::{Diagnostic, Severity};
use crate::graph::{Field, FileMarkers, Named, Package, RawMarker, Universe};
use crate::source::{FileId, Pos};

/// A marker that was read.
#[derive(Clone, Debug)]
pub struct Marker {
    /// The name it is registered under.
    pub name: &'static str,
    /// Its arguments; an anonymous one has the empty name.
    pub args: BTreeMap<&'static str, MarkerValue>,
    /// Place of its comment, as upstream gives it in errors.
    pub pos: Pos,
    /// Whether it stands in the doc comment of its owner.
    pub from_doc: bool,
}

impl Marker {
    /// An argument.
    #[must_use]
    pub fn arg(&self, name: &str) -> Option<&MarkerValue> {
        self.args.get(name)
    }

    /// The anonymous argument.
    #[must_use]
    pub fn value(&self) -> Option<&MarkerValue> {
        self.args.get("")
    }
}

/// The definition that reads a marker at a target: by its whole name, or without its last part.
#[must_use]
pub fn lookup(text: &str, target: Target) -> Option<&'static MarkerDef> {
    find(definitions(), text, target)
}

fn find(
    definitions: &'static [MarkerDef],
    text: &str,
    target: Target,
) -> Option<&'static MarkerDef> {
    let (name, anonymous, _) = split(text);
    let by_name = |name: &str| {
        definitions.iter().find(|def| def.name == name && def.targets.contains(&target))
    };
    by_name(anonymous).or_else(|| by_name(name))
}

/// The markers of a package that some definitions read, for generators that look at nothing else:
/// those that stand free, but for those in the comments of types and functions.
#[must_use]
pub fn package_markers(
    universe: &Universe,
    package: &Package,
    definitions: &'static [MarkerDef],
) -> (Vec<Marker>, Vec<Diagnostic>) {
    let (mut out, mut diagnostics) = (Vec::new(), Vec::new());
    for id in &package.files {
        let file = FileMarkers::of(universe.file(*id));
        let of_types = file.types.iter().flat_map(|(_, markers)| markers);
        let free = of_types.filter(|marker| !marker.from_doc);
        for marker in file.package.iter().chain(free) {
            let Some(def) = find(definitions, marker.text, Target::Package) else { continue };
            let pos = Pos { file: *id, offset: marker.comment_offset };
            let (args, errors) = parse(def, marker.text);
            for error in &errors {
                let help = format!("the marker is `+{}`", def.signature());
                diagnostics.push(Diagnostic::error("marker", pos, error.clone()).help(help));
            }
            if errors.is_empty() {
                out.push(Marker { name: def.name, args, pos, from_doc: marker.from_doc });
            }
        }
    }
    (out, diagnostics)
}

/// Name without the last part, whole name, and what stands behind `=`.
fn split(text: &str) -> (&str, &str, &str) {
    let raw = text.strip_prefix('+').unwrap_or(text);
    match raw.split_once('=') {
        None => (raw, raw, ""),
        Some((anonymous, rest)) => {
            let name = anonymous.rsplit_once(':').map_or(anonymous, |(name, _)| name);
            (name, anonymous, rest)
        }
    }
}

/// Reads a marker's arguments. Errors are upstream's, one text each; what could be read comes
/// with them.
#[must_use]
pub fn parse(
    def: &'static MarkerDef,
    text: &str,
) -> (BTreeMap<&'static str, MarkerValue>, Vec<String>) {
    let (name, anonymous, rest) = split(text);
    if def.json {
        return values::json_default(rest);
    }
    let named = !def.args.is_empty() && !def.is_anonymous();
    let fields = match anonymous.strip_prefix(name).and_then(|rest| rest.strip_prefix(':')) {
        Some(first) if named => format!("{first}={rest}"),
        _ => rest.to_string(),
    };
    values::Reader::new(&fields).arguments(def)
}

/// The markers of a package by owner.
#[derive(Debug, Default)]
pub struct PackageMarkers {
    /// Markers of the package.
    pub package: Vec<Marker>,
    types: HashMap<(FileId, (u32, u32)), Vec<Marker>>,
    fields: HashMap<(FileId, u32), Vec<Marker>>,
    /// Markers that do not parse.
    pub diagnostics: Vec<Diagnostic>,
    /// Markers that have no effect where they stand.
    pub unread: Vec<Diagnostic>,
}

impl PackageMarkers {
    /// Reads all markers of a package. Free markers before a type that only a package may have
    /// are the package's.
    #[must_use]
    pub fn read(universe: &Universe, package: &Package) -> Self {
        let mut out = Self::default();
        for id in &package.files {
            let file = FileMarkers::of(universe.file(*id));
            let mut of_package = file.package;
            for (spec, markers) in file.types {
                let (own, free): (Vec<_>, Vec<_>) = markers.into_iter().partition(|marker| {
                    marker.from_doc
                        || lookup(marker.text, Target::Type).is_some()
                        || lookup(marker.text, Target::Package).is_none()
                });
                of_package.extend(free);
                let read = out.read_all(*id, &own, Target::Type);
                out.types.insert((*id, spec), read);
            }
            for (line, markers) in file.fields {
                let read = out.read_all(*id, &markers, Target::Field);
                out.fields.insert((*id, line), read);
            }
            let read = out.read_all(*id, &of_package, Target::Package);
            out.package.extend(read);
        }
        out.diagnostics.sort_by_key(|diagnostic| diagnostic.pos);
        if universe.forgive_markers {
            forgive(&mut out.unread);
        }
        out
    }

    fn read_all(&mut self, file: FileId, raw: &[RawMarker<'_>], target: Target) -> Vec<Marker> {
        let mut out = Vec::new();
        for marker in raw {
            let pos = Pos { file, offset: marker.comment_offset };
            let Some(def) = lookup(marker.text, target) else {
                self.unread.extend(unread(marker.text, target, pos));
                continue;
            };
            let (args, errors) = parse(def, marker.text);
            if errors.is_empty() {
                out.push(Marker { name: def.name, args, pos, from_doc: marker.from_doc });
            }
            for error in errors {
                let diagnostic = Diagnostic::error("marker", pos, error)
                    .help(format!("the marker is `+{}`", def.signature()));
                self.diagnostics.push(diagnostic);
            }
        }
        out
    }

    /// The markers of a type.
    #[must_use]
    pub fn of_type(&self, named: &Named) -> &[Marker] {
        self.types.get(&(named.pos.file, named.spec)).map_or(&[], Vec::as_slice)
    }

    /// The markers of a field.
    #[must_use]
    pub fn of_field(&self, field: &Field) -> &[Marker] {
        self.fields.get(&(field.pos.file, field.line_id)).map_or(&[], Vec::as_slice)
    }
}

/// Makes warnings of findings about markers that nothing reads where they stand.
pub(super) fn forgive(diagnostics: &mut [Diagnostic]) {
    for finding in diagnostics {
        let marker = finding.message.contains("`+kubebuilder:");
        if marker && matches!(finding.code, "unknown-tag" | "misplaced-tag") {
            finding.severity = Severity::Warning;
        }
    }
}

/// A `kubebuilder:` marker that nobody reads where it stands: controller-gen passes it over in
/// silence, and the author believes that it works.
fn unread(text: &str, target: Target, pos: Pos) -> Option<Diagnostic> {
    let (_, name, _) = split(text);
    if !name.starts_with("kubebuilder:") {
        return None;
    }
    let name = name.trim_end_matches(':');
    if name.contains(char::is_whitespace) {
        // Prose that begins with a plus sign, or a blank before the sign: no more than a hint.
        let message =
            format!("`+{name}` is no marker because of the blank in it, and has no effect");
        return Some(Diagnostic::warning("unknown-tag", pos, message));
    }
    let elsewhere: Vec<&str> = [Target::Package, Target::Type, Target::Field]
        .into_iter()
        .filter(|other| lookup(text, *other).is_some())
        .map(Target::words)
        .collect();
    if !elsewhere.is_empty() {
        let message = format!("marker `+{name}` has no effect on {}", target.words());
        let help = format!("it belongs on {}", elsewhere.join(" or "));
        return Some(Diagnostic::error("misplaced-tag", pos, message).help(help));
    }
    match registry::judge(name) {
        registry::Known::Yes | registry::Known::Foreign | registry::Known::Newer => None,
        registry::Known::Mistake(similar) => {
            let help = match similar {
                Some(similar) => format!("did you mean `+{similar}`?"),
                None => "remove it; `ordain tags` lists the tags there are".into(),
            };
            let message = format!("unknown marker `+{name}`");
            Some(Diagnostic::error("unknown-tag", pos, message).help(help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MarkerValue, Target, lookup, parse};

    fn read(text: &str, target: Target) -> (String, Vec<String>) {
        let def = lookup(text, target).unwrap_or_else(|| panic!("{text} is not known"));
        let (args, errors) = parse(def, text);
        let shown: Vec<String> =
            args.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        (shown.join(" "), errors)
    }

    #[test]
    fn values_follow_the_types_of_arguments() {
        for (text, expected) in [
            ("+kubebuilder:validation:MaxLength=5", "=Int(5)"),
            ("+kubebuilder:validation:Maximum=-1.5", "=Number(-1.5)"),
            ("+kubebuilder:validation:Pattern=`^a,b$`", "=Str(\"^a,b$\")"),
            ("+kubebuilder:validation:Enum=a;b;1", "=List([Str(\"a\"), Str(\"b\"), Int(1)])"),
            ("+kubebuilder:validation:Enum={a,b}", "=List([Str(\"a\"), Str(\"b\")])"),
            (
                "+kubebuilder:default={a: 1, \"b\": {x: true}}",
                "=Map({\"a\": Int(1), \"b\": Map({\"x\": Bool(true)})})",
            ),
            ("+kubebuilder:default={1,2}", "=List([Int(1), Int(2)])"),
            ("+kubebuilder:default={}", "=Map({})"),
            ("+kubebuilder:default=some words here", "=Str(\"some words here\")"),
            ("+kubebuilder:default=true", "=Bool(true)"),
            ("+kubebuilder:default=a;b", "=List([Str(\"a\"), Str(\"b\")])"),
            ("+kubebuilder:validation:items:Enum=x", "=List([Str(\"x\")])"),
        ] {
            let (shown, errors) = read(text, Target::Field);
            assert!(errors.is_empty(), "{text}: {errors:?}");
            assert_eq!(shown, expected, "{text}");
        }
        let (shown, errors) = read(
            "+kubebuilder:printcolumn:name=\"A b\",type=string,JSONPath=.spec.x,priority=1",
            Target::Type,
        );
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(
            shown,
            "JSONPath=Str(\".spec.x\") name=Str(\"A b\") priority=Int(1) type=Str(\"string\")"
        );
    }

    #[test]
    fn errors_are_upstreams() {
        for (text, target, expected) in [
            (
                "+kubebuilder:validation:MaxLength=many",
                Target::Field,
                "expected integer, got \"many\" (at <input>:1:1)",
            ),
            (
                "+kubebuilder:validation:MaxLength",
                Target::Field,
                "missing argument \"\" (at <input>)",
            ),
            (
                "+nullable=true",
                Target::Field,
                "extra arguments provided: \"true\" (at <input>:1:1)",
            ),
            (
                "+kubebuilder:printcolumn:type=string,JSONPath=\".spec\"",
                Target::Type,
                "missing argument \"name\" (at <input>:1:29)",
            ),
            (
                "+kubebuilder:printcolumn:name=A,type=string,JSONPath=\".spec\",priority=high",
                Target::Type,
                "expected integer, got \"high\" (at <input>:1:46)",
            ),
        ] {
            let (_, errors) = read(text, target);
            assert_eq!(errors, [expected], "{text}");
        }
    }

    #[test]
    fn native_defaults_are_json() {
        let def = lookup("+default={\"a\":[1]}", Target::Field).expect("known");
        let (args, errors) = parse(def, "+default={\"a\":[1]}");
        assert!(errors.is_empty());
        assert!(matches!(args[""], MarkerValue::Json(_)));
        let (_, errors) = parse(def, "+default=word");
        assert_eq!(errors, ["invalid character 'w' looking for beginning of value"]);
    }
}
