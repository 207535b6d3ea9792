//! Unions of KEP-1027, with what its text says they must be.

use smol_str::SmolStr;

use crate::diagnostic::Diagnostic;
use crate::graph::{ConstValue, Field, TypeId, Universe};
use crate::source::Pos;
use crate::tags::codetag;
use crate::validation::go_json_name;

/// A discriminator and its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredUnion {
    /// JSON name of the discriminator.
    pub discriminator: SmolStr,
    /// The discriminator's values in order of their constants' names; those without a member are
    /// empty members.
    pub values: Vec<SmolStr>,
    /// The members in order of declaration.
    pub members: Vec<UnionField>,
    /// Whether the discriminator follows the member that is set.
    pub inferred: bool,
    /// Place of the discriminator.
    pub pos: Pos,
}

/// A member of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnionField {
    /// JSON name of the field.
    pub name: SmolStr,
    /// The discriminator's value that selects it.
    pub value: SmolStr,
    /// Whether it may be selected and yet not set.
    pub optional: bool,
    /// Place of the field.
    pub pos: Pos,
}

/// The tags of a field that matter here.
#[derive(Default)]
struct FieldTags {
    discriminator: Option<Pos>,
    member: Option<(String, Pos)>,
    discriminated_by: Option<(String, Pos)>,
    inferred: Option<Pos>,
    required: bool,
    defaulted: bool,
    /// Values that a marker of kubebuilder's lists.
    listed: Vec<SmolStr>,
}

/// The unions of a struct. Structs tagged with upstream's legacy `+union` declare none here.
#[must_use]
pub fn unions(universe: &Universe, ty: TypeId) -> (Vec<DeclaredUnion>, Vec<Diagnostic>) {
    let mut out: Vec<(DeclaredUnion, SmolStr)> = Vec::new();
    let mut diagnostics = Vec::new();
    let fields = universe.fields(ty);
    let legacy = universe.as_named(ty).is_some_and(|id| {
        let docs = universe.named(id).docs;
        let lines = universe.lines(docs.file, docs.closest);
        codetag::extract("+", &lines).iter().any(|line| line.name == "union")
    });
    if legacy {
        return (Vec::new(), diagnostics);
    }
    let tags: Vec<FieldTags> = fields.iter().map(|field| field_tags(universe, field)).collect();
    for (field, tags) in fields.iter().zip(&tags) {
        if let Some(pos) = tags.discriminator {
            let union = discriminator(universe, field, tags, pos, &mut diagnostics);
            out.push((union, field.name.clone()));
        } else if let Some(pos) = tags.inferred {
            let message = format!("`{}` is no discriminator that could be inferred", field.name);
            let help = "put +unionInferred beside +unionDiscriminator";
            diagnostics.push(Diagnostic::error("union", pos, message).help(help));
        }
    }
    for (field, tags) in fields.iter().zip(&tags) {
        let Some((text, pos)) = &tags.member else { continue };
        let Some(at) = owner(&out, tags, *pos, &mut diagnostics) else { continue };
        let member = member(field, text);
        if let Some((union, _)) = out.get_mut(at) {
            check_member(union, field, &member, *pos, &mut diagnostics);
            union.members.push(member);
        }
    }
    (out.into_iter().map(|(union, _)| union).collect(), diagnostics)
}

fn field_tags(universe: &Universe, field: &Field) -> FieldTags {
    let mut out = FieldTags::default();
    let lines = universe.lines(field.docs.file, field.docs.closest);
    for line in codetag::extract("+", &lines) {
        let pos = Pos { file: field.docs.file, offset: line.offset };
        let rest = line.text.get(line.name.len()..).unwrap_or("").trim();
        match line.name {
            "unionDiscriminator" => out.discriminator = Some(pos),
            "unionMember" => out.member = Some((rest.to_string(), pos)),
            "unionDiscriminatedBy" => {
                out.discriminated_by = Some((rest.trim_start_matches('=').to_string(), pos));
            }
            "unionInferred" => out.inferred = Some(pos),
            "required" | "k8s:required" | "kubebuilder:validation:Required" => out.required = true,
            "default" | "kubebuilder:default" => out.defaulted = true,
            LISTED => out.listed = listed(rest),
            _ => {}
        }
    }
    out
}

/// kubebuilder's marker for the values of an enumeration.
const LISTED: &str = "kubebuilder:validation:Enum";

/// `=A;B`, or `={"A","B"}`.
fn listed(text: &str) -> Vec<SmolStr> {
    let text = text.trim_start_matches('=').trim_matches(['{', '}']);
    let values = text.split([';', ',']).map(|it| SmolStr::new(it.trim().trim_matches('"')));
    values.collect()
}

fn discriminator(
    universe: &Universe,
    field: &Field,
    tags: &FieldTags,
    pos: Pos,
    diagnostics: &mut Vec<Diagnostic>,
) -> DeclaredUnion {
    let named = universe.as_named(universe.deref(field.ty));
    let is_string = universe.is_go_string(universe.native_base(field.ty));
    let constants = named.map(|id| universe.constants_of(id)).unwrap_or_default();
    let mut values: Vec<SmolStr> = constants
        .iter()
        .filter_map(|constant| match &constant.value {
            ConstValue::Str(text) => Some(text.clone()),
            _ => None,
        })
        .collect();
    let mut is_enum = !tags.listed.is_empty();
    if let Some(id) = named {
        let lines = universe.comment_lines(&universe.named(id).docs);
        for line in codetag::extract("+", &lines) {
            let rest = line.text.get(line.name.len()..).unwrap_or("").trim();
            is_enum |= matches!(line.name, "enum" | "k8s:enum" | LISTED);
            if line.name == LISTED {
                values = listed(rest);
            }
        }
    }
    if !tags.listed.is_empty() {
        values.clone_from(&tags.listed);
    }
    if !is_string || !is_enum || values.is_empty() {
        let message = format!("discriminator `{}` is no enum of strings", field.name);
        let help = "give it a string type with +enum and constants for its values";
        diagnostics.push(Diagnostic::error("union", pos, message).help(help));
    }
    let has_none = values.iter().any(SmolStr::is_empty);
    let required = tags.required || (!field.json.omitempty && !has_none);
    if !(required || tags.defaulted || (has_none && field.json.omitempty)) {
        let message = format!("discriminator `{}` is neither required nor defaulted", field.name);
        let help = "add +required, or a +default, or an empty value to its enum";
        diagnostics.push(Diagnostic::error("union", pos, message).help(help));
    }
    if let Some(pos) = tags.inferred.filter(|_| required || tags.defaulted) {
        let message = format!(
            "discriminator `{}` is required or defaulted, so nothing infers it",
            field.name
        );
        let help = "let it be optional, with an empty value in its enum, or remove +unionInferred";
        diagnostics.push(Diagnostic::error("union", pos, message).help(help));
    }
    DeclaredUnion {
        discriminator: go_json_name(field).into(),
        values,
        members: Vec::new(),
        inferred: tags.inferred.is_some(),
        pos: field.pos,
    }
}

/// The union a member belongs to: the one it names, or the only one.
fn owner(
    unions: &[(DeclaredUnion, SmolStr)],
    tags: &FieldTags,
    pos: Pos,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<usize> {
    if let Some((name, pos)) = &tags.discriminated_by {
        let found = unions
            .iter()
            .position(|(union, go_name)| go_name == name.as_str() || union.discriminator == *name);
        if found.is_none() {
            let message = format!("no discriminator `{name}` in this struct");
            let help = "name a field of the same struct that has +unionDiscriminator";
            diagnostics.push(Diagnostic::error("union", *pos, message).help(help));
        }
        return found;
    }
    let (message, help) = match unions.len() {
        1 => return Some(0),
        0 => (
            "union member in a struct without a discriminator",
            "add +unionDiscriminator to a field of the same struct; unions do not span structs",
        ),
        _ => (
            "union member in a struct with several unions does not say which",
            "add +unionDiscriminatedBy=<field>",
        ),
    };
    diagnostics.push(Diagnostic::error("union", pos, message).help(help));
    None
}

/// `=name,optional`, `,optional`, `=name` or nothing.
fn member(field: &Field, text: &str) -> UnionField {
    let (name, options) = match text.strip_prefix('=') {
        Some(rest) => rest.split_once(',').unwrap_or((rest, "")),
        None => ("", text.strip_prefix(',').unwrap_or("")),
    };
    let name = name.trim().trim_matches('"');
    UnionField {
        name: go_json_name(field).into(),
        value: if name.is_empty() { field.name.clone() } else { SmolStr::new(name) },
        optional: options.split(',').any(|option| option.trim() == "optional"),
        pos: field.pos,
    }
}

fn check_member(
    union: &DeclaredUnion,
    field: &Field,
    member: &UnionField,
    pos: Pos,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if !union.values.is_empty() && !union.values.contains(&member.value) {
        let values: Vec<&str> = union.values.iter().map(SmolStr::as_str).collect();
        let message = format!(
            "union member `{}` stands for `{}`, which is no value of the discriminator",
            field.name, member.value
        );
        let help = format!("the values are {}", values.join(", "));
        diagnostics.push(Diagnostic::error("union", pos, message).help(help));
    }
    if !member.value.eq_ignore_ascii_case(&member.name) {
        let message = format!(
            "union member `{}` stands for `{}`, which is not its JSON name",
            member.name, member.value
        );
        let help = "let both be equal but for the case of letters";
        diagnostics.push(Diagnostic::error("union", pos, message).help(help));
    }
    if union.members.iter().any(|known| known.value == member.value) {
        let message = format!("two union members stand for `{}`", member.value);
        diagnostics.push(
            Diagnostic::error("union", pos, message).help("give each member a value of its own"),
        );
    }
}
