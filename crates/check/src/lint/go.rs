//! Rules over tagged Go types.

use std::collections::{BTreeMap, BTreeSet};

use ordain_idl::graph::{Basic, Docs, Field, Named, NamedId, Type};
use ordain_idl::source::Pos;
use ordain_idl::{Diagnostic, Universe, lower};
use ordain_schema::Schema;
use ordain_value::yaml::Span;

use super::definition::is_camel_case;
use super::{Fix, Lint, drift};
use crate::finding::Severity;
use crate::source::{Media, Source};

/// Looks at the types of the packages that were asked for. `old` are the types as they were
/// before, for rules about what is new.
#[must_use]
pub fn lint(universe: &Universe, old: Option<&Universe>) -> Vec<Lint> {
    let mut out = Out { universe, old, list: Vec::new() };
    let syntax = universe.diagnostics();
    for diagnostic in syntax {
        out.diagnostic("syntax", diagnostic);
    }
    // Tags, defaults, unions and rules, as whoever serves the types reads them.
    let lowered = lower::lower(universe);
    for diagnostic in lowered.diagnostics.iter().filter(|it| !syntax.contains(it)) {
        out.diagnostic("tag", diagnostic);
    }
    for (id, named) in universe.all_named() {
        if is_api_type(universe, id, named) {
            out.structure(id, named);
        }
    }
    out.drift();
    out.list.extend(super::taste::lint(universe));
    out.list
}

/// A finding at a name in a Go file, without its message.
pub(super) fn at(universe: &Universe, id: &'static str, pos: Pos, name: &str, path: &str) -> Lint {
    let (source, span) = (source_of(universe, pos), span_of(universe, pos, name.len()));
    Lint::new(id, &source, &span, path, "")
}

fn source_of(universe: &Universe, pos: Pos) -> Source {
    let file = universe.file(pos.file);
    Source { name: file.path.to_string(), text: file.text.as_bytes().to_vec(), media: Media::Yaml }
}

fn span_of(universe: &Universe, pos: Pos, len: usize) -> Span {
    let file = universe.file(pos.file);
    let at = pos.offset as usize;
    let place = ordain_value::json::position_of(file.text.as_bytes(), at);
    Span { bytes: at..at + len, line: place.line, column: place.column }
}

/// What a reader of tags complains of.
pub(super) fn complaints(universe: &Universe, list: &[Diagnostic]) -> Vec<Lint> {
    let mut out = Out { universe, old: None, list: Vec::new() };
    for diagnostic in list.iter().filter(|it| !universe.diagnostics().contains(it)) {
        out.diagnostic("tag", diagnostic);
    }
    out.list
}

/// A struct of the packages at hand that JSON is made of; lists of objects are boilerplate.
pub(super) fn is_api_type(universe: &Universe, id: NamedId, named: &Named) -> bool {
    let exported = named.name.chars().next().is_some_and(char::is_uppercase);
    if !exported || named.alias || !universe.package_of(id).requested || !named.args.is_empty() {
        return false;
    }
    let fields = universe.fields(named.ty);
    let is_list = named.name.ends_with("List") && fields.iter().any(|it| it.name == "Items");
    !is_list && fields.iter().any(|it| it.json.present)
}

struct Out<'a> {
    universe: &'a Universe,
    old: Option<&'a Universe>,
    list: Vec<Lint>,
}

/// Names of the tags of a field or type.
pub(super) fn tag_names(universe: &Universe, docs: &Docs) -> BTreeSet<String> {
    tag_lines(universe, docs)
        .iter()
        .map(|line| line.split(['=', '(', ' ', '{']).next().unwrap_or_default().to_owned())
        .collect()
}

/// The tags of a field or type without their plus signs.
fn tag_lines(universe: &Universe, docs: &Docs) -> Vec<String> {
    let mut lines = universe.comment_lines(docs);
    lines.extend(universe.doc_lines(docs));
    let mut texts: Vec<String> = lines
        .iter()
        .filter_map(|line| line.text.trim().strip_prefix('+').map(|it| it.trim().to_owned()))
        .collect();
    texts.sort();
    texts.dedup();
    texts
}

pub(super) fn any(names: &BTreeSet<String>, wanted: &[&str]) -> bool {
    wanted.iter().any(|it| names.contains(*it))
}

pub(super) const OPTIONAL: [&str; 3] =
    ["optional", "k8s:optional", "kubebuilder:validation:Optional"];
pub(super) const REQUIRED: [&str; 3] =
    ["required", "k8s:required", "kubebuilder:validation:Required"];
const DEFAULT: [&str; 3] = ["default", "kubebuilder:default", "k8s:default"];
const LIST_TYPE: [&str; 2] = ["listType", "k8s:listType"];
const DISCRIMINATOR: [&str; 2] = ["unionDiscriminator", "k8s:unionDiscriminator"];
const GATE: [&str; 4] =
    ["featureGate", "k8s:featureGate", "k8s:ifEnabled", "openshift:enable:FeatureGate"];

impl Out<'_> {
    fn diagnostic(&mut self, id: &'static str, diagnostic: &Diagnostic) {
        let Some(pos) = diagnostic.pos else { return };
        if !self.universe.requested().any(|package| package.files.contains(&pos.file)) {
            return;
        }
        let (source, span) = (source_of(self.universe, pos), span_of(self.universe, pos, 1));
        let file = source.name.rsplit('/').next().unwrap_or_default().to_owned();
        let path = format!("{file}:{}", diagnostic.code);
        let mut lint = Lint::new(id, &source, &span, path, diagnostic.message.clone());
        if !diagnostic.is_error() {
            lint.finding.severity = Severity::Warning;
        }
        lint.finding.help = diagnostic.help.clone();
        self.list.push(lint);
    }

    fn report(
        &mut self,
        id: &'static str,
        owner: &str,
        field: &Field,
        message: impl Into<String>,
    ) -> &mut Lint {
        let path = format!("{owner}.{}", field.name);
        let mut lint = at(self.universe, id, field.pos, &field.name, &path);
        lint.finding.message = message.into();
        self.list.push(lint);
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    fn structure(&mut self, id: NamedId, named: &Named) {
        let universe = self.universe;
        let owner = universe.qualified(id);
        let is_kind = universe.fields(named.ty).iter().any(|it| it.name == "ObjectMeta");
        for field in universe.fields(named.ty).iter().filter(|it| it.exported()) {
            if field.json.skipped || field.embedded || field.json.inline {
                continue;
            }
            // The parts of a kind follow their own custom.
            let part = is_kind && matches!(field.name.as_str(), "Spec" | "Status");
            self.field(&owner, named, field, part);
        }
        let had = self.had(&owner);
        if let Some(had) = had {
            self.gates(&owner, named, &had);
            self.migrated(&owner, named, &had);
        }
    }

    /// The fields that a published type had before.
    fn had(&self, owner: &str) -> Option<BTreeSet<String>> {
        let old = self.old?;
        let (_, before) = old.all_named().find(|(id, _)| old.qualified(*id) == owner)?;
        Some(old.fields(before.ty).iter().map(|it| it.name.to_string()).collect())
    }

    /// Discriminators that come to members which clients know without them.
    fn migrated(&mut self, owner: &str, named: &Named, had: &BTreeSet<String>) {
        let universe = self.universe;
        let fields: Vec<(&Field, BTreeSet<String>)> = (universe.fields(named.ty).iter())
            .map(|it| (it, tag_names(universe, &it.docs)))
            .collect();
        let is_known = |(field, names): &&(&Field, BTreeSet<String>)| {
            let member =
                |it: &String| it.split(',').next().is_some_and(|it| it.ends_with("nionMember"));
            had.contains(field.name.as_str()) && names.iter().any(member)
        };
        let Some((member, _)) = fields.iter().find(is_known) else { return };
        for (field, names) in &fields {
            let is_new = !had.contains(field.name.as_str()) && any(names, &DISCRIMINATOR);
            if is_new && !names.contains("unionInferred") {
                let message =
                    format!("a new discriminator of members that were there: {}", member.name);
                self.report("union-older-members", owner, field, message).finding.help =
                    Some("let it be optional and add +unionInferred".to_owned());
            }
        }
    }

    fn field(&mut self, owner: &str, named: &Named, field: &Field, part: bool) {
        let universe = self.universe;
        let names = tag_names(universe, &field.docs);
        if !field.json.present {
            self.report("json-tag-missing", owner, field, "no json tag");
            return;
        }
        let json = field.json.name.as_str();
        if !json.is_empty() && !is_camel_case(json) {
            self.report("field-name-case", owner, field, format!("{json} is no camelCase"));
        } else if !json.eq_ignore_ascii_case(&field.name) {
            let message = format!("{} is {json} in JSON", field.name);
            self.report("json-tag-differs", owner, field, message);
        }
        self.presence(owner, named, field, &names, part);
        self.documentation(owner, field, json);
        self.types(owner, field, &names);
    }

    fn presence(
        &mut self,
        owner: &str,
        named: &Named,
        field: &Field,
        names: &BTreeSet<String>,
        part: bool,
    ) {
        let (optional, required) = (any(names, &OPTIONAL), any(names, &REQUIRED));
        let of_package = self.package_presence(named);
        if !optional
            && !required
            && !of_package
            && !part
            && !names.iter().any(|it| it.contains("union"))
        {
            self.report("presence-unmarked", owner, field, "neither +optional nor +required")
                .finding
                .help = Some("say which, whatever the generator would choose".to_owned());
        }
        if optional && !field.json.omitempty && !field.json.omitzero {
            self.report("optional-always-written", owner, field, "optional without omitempty");
        }
        if required && any(names, &DEFAULT) {
            self.report("required-with-default", owner, field, "required, and has a default");
        }
    }

    /// Whether the package says what fields without a mark are.
    fn package_presence(&self, named: &Named) -> bool {
        let package = self.universe.package(named.package);
        self.universe.package_lines(package).iter().any(|(_, line)| {
            matches!(
                line.text.trim(),
                "+kubebuilder:validation:Optional" | "+kubebuilder:validation:Required"
            )
        })
    }

    fn documentation(&mut self, owner: &str, field: &Field, json: &str) {
        let lines = self.universe.doc_lines(&field.docs);
        let mut words = lines.iter().filter(|it| {
            let text = it.text.trim();
            !text.is_empty() && !text.starts_with('+')
        });
        let Some(first) = words.next() else {
            self.report("undocumented", owner, field, "no comment");
            return;
        };
        let text = first.text.trim_start();
        let word = text.split([' ', ',', ':']).next().unwrap_or_default();
        if word == field.name && word != json {
            let at = first.offset as usize + (first.text.len() - text.len());
            let fix = Fix {
                file: self.universe.file(field.pos.file).path.to_string(),
                bytes: at..at + word.len(),
                text: json.to_owned(),
            };
            let message = format!("the comment starts with {word}, users know {json}");
            self.report("comment-start", owner, field, message).fix = Some(fix);
        }
    }

    fn types(&mut self, owner: &str, field: &Field, names: &BTreeSet<String>) {
        let universe = self.universe;
        let bare = universe.deref(field.ty);
        match universe.ty(universe.underlying(bare)) {
            Type::Basic(basic) if basic.is_float() => {
                self.report("float-used", owner, field, format!("a {}", basic.name()))
                    .finding
                    .help = Some("use an integer of a smaller unit, or a quantity".to_owned());
            }
            Type::Basic(basic)
                if basic.is_integer()
                    && !matches!(basic.canonical(), Basic::Int32 | Basic::Int64) =>
            {
                self.report("integer-width", owner, field, format!("a {}", basic.name()));
            }
            Type::Slice(item) => self.list(owner, field, names, *item),
            _ => {}
        }
    }

    fn list(
        &mut self,
        owner: &str,
        field: &Field,
        names: &BTreeSet<String>,
        item: ordain_idl::graph::TypeId,
    ) {
        let universe = self.universe;
        let is_bytes = matches!(universe.ty(universe.underlying(item)), Type::Basic(it) if it.canonical() == Basic::Uint8);
        if is_bytes {
            return;
        }
        let lines = tag_lines(universe, &field.docs);
        let named = universe.as_named(universe.deref(item));
        let item_name = named.map(|it| universe.named(it).name.to_string()).unwrap_or_default();
        let keys: Vec<&str> = lines
            .iter()
            .filter_map(|it| {
                it.strip_prefix("listMapKey=").or_else(|| it.strip_prefix("k8s:listMapKey="))
            })
            .map(|it| it.trim_matches(['"', '`']))
            .collect();
        if field.name == "Conditions" && item_name == "Condition" && keys != ["type"] {
            let message = "conditions are no list-map with the key type";
            self.report("conditions-shape", owner, field, message).finding.help =
                Some("add +listType=map and +listMapKey=type".to_owned());
        } else if !any(names, &LIST_TYPE) {
            let fix = self.list_type_fix(field);
            let lint = self.report("list-type-missing", owner, field, "no +listType");
            lint.fix = Some(fix);
            lint.finding.help = Some(
                "+listType=atomic is what it is now; map lets several appliers share it".to_owned(),
            );
        }
        for key in keys {
            let fields = universe.json_fields(universe.deref(item));
            let Some(found) = fields.iter().find(|it| it.key == key) else { continue };
            let tags = tag_names(universe, &found.field.docs);
            let pointer = matches!(universe.ty(found.field.ty), Type::Pointer(_));
            if any(&tags, &OPTIONAL) || any(&tags, &DEFAULT) || pointer {
                let message = format!("the key {key} may be absent");
                self.report("list-map-key-optional", owner, field, message);
            }
        }
    }

    fn list_type_fix(&self, field: &Field) -> Fix {
        let file = self.universe.file(field.pos.file);
        let at = field.pos.offset as usize;
        let start = file.text[..at].rfind('\n').map_or(0, |it| it + 1);
        let indent = &file.text[start..at];
        Fix {
            file: file.path.to_string(),
            bytes: start..start,
            text: format!("{indent}// +listType=atomic\n"),
        }
    }

    /// Fields that a published type did not have before.
    fn gates(&mut self, owner: &str, named: &Named, had: &BTreeSet<String>) {
        let universe = self.universe;
        for field in universe.fields(named.ty).iter().filter(|it| it.exported()) {
            let guarded = any(&tag_names(universe, &field.docs), &GATE);
            if !had.contains(field.name.as_str()) && !guarded && !field.embedded {
                self.report("gate-missing", owner, field, "new, and no feature gate guards it")
                    .finding
                    .help = Some("add +featureGate=Name".to_owned());
            }
        }
    }

    /// Tags that differ between versions of a type: packages beside each other, named as versions.
    fn drift(&mut self) {
        let universe = self.universe;
        let mut types: BTreeMap<(String, String), Vec<NamedId>> = BTreeMap::new();
        for (id, named) in universe.all_named() {
            let path = &universe.package_of(id).path;
            let Some((group, version)) = path.rsplit_once('/') else { continue };
            if is_version(version) && is_api_type(universe, id, named) {
                types.entry((group.to_owned(), named.name.to_string())).or_default().push(id);
            }
        }
        for ids in types.values().filter(|it| it.len() > 1) {
            let newest = ids.iter().max_by(|a, b| {
                let name = |id: &NamedId| {
                    universe.package_of(*id).path.rsplit('/').next().unwrap_or_default().to_owned()
                };
                ordain_meta::gvk::compare_versions(&name(a), &name(b))
            });
            let Some(newest) = newest.copied() else { continue };
            for id in ids.iter().copied().filter(|it| *it != newest) {
                self.drift_of(id, newest);
            }
        }
    }

    fn drift_of(&mut self, id: NamedId, newest: NamedId) {
        let universe = self.universe;
        let other = universe.package_of(newest).path.rsplit('/').next().unwrap_or_default();
        let owner = universe.qualified(id);
        let (Some(here), Some(there)) =
            (lower::lower_type(universe, id).0, lower::lower_type(universe, newest).0)
        else {
            return;
        };
        let newest_fields = universe.fields(universe.named(newest).ty);
        for field in universe.fields(universe.named(id).ty) {
            let Some(twin) = newest_fields.iter().find(|it| it.name == field.name) else {
                continue;
            };
            let rules = |schema: &Schema, field: &Field| {
                drift::rules(schema, &field.json.name, &tag_lines(universe, &field.docs))
            };
            let (here, there) = (rules(&here, field), rules(&there, twin));
            if here != there {
                let shown = |list: &BTreeSet<String>, beyond: &BTreeSet<String>| {
                    let own: Vec<&str> = list.difference(beyond).map(String::as_str).collect();
                    if own.is_empty() { "none".to_owned() } else { own.join(", ") }
                };
                let message = format!(
                    "rules are {} here and {} in {other}",
                    shown(&here, &there),
                    shown(&there, &here)
                );
                self.report("version-drift", &owner, field, message);
            }
        }
    }
}

fn is_version(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('v') else { return false };
    rest.chars().next().is_some_and(|it| it.is_ascii_digit())
}
