//! Fields as properties.

use ordain_idl::go::struct_tag;
use ordain_idl::graph::{Field, Type, TypeId};
use ordain_idl::validation::GoKind;
use ordain_idl::{Diagnostic, Pos, Universe};
use ordain_value::{Map, Text, Value};

use super::tags::Lines;
use super::{Generator, Outcome, description};
use crate::insert_text;

/// Structs are inlined and lists and maps nested so deep.
const DEPTH_MAX: u32 = 64;

/// The properties of a struct, and which of them have to be there.
#[derive(Debug, Default)]
pub(super) struct Members {
    pub properties: Map,
    pub required: Vec<Text>,
}

/// Type and format of the Go types that are simple in JSON.
pub(super) fn type_format(go_name: &str) -> Option<(&'static str, &'static str)> {
    Some(match go_name {
        "uint" | "uint16" | "int" | "int16" | "int32" => ("integer", "int32"),
        "uint32" | "uint64" | "int64" => ("integer", "int64"),
        "uint8" | "int8" | "byte" => ("integer", "byte"),
        "float64" => ("number", "double"),
        "float32" => ("number", "float"),
        "bool" => ("boolean", ""),
        "time.Time" => ("string", "date-time"),
        "string" => ("string", ""),
        "[]byte" => ("string", "byte"),
        "interface{}" | "any" => ("object", ""),
        _ => return None,
    })
}

/// The parts of a field's `json` tag; none when there is no tag.
pub(super) fn json_parts(field: &Field) -> Vec<String> {
    match struct_tag::lookup(&field.tag, "json") {
        Some(tag) if !tag.is_empty() => tag.split(',').map(str::to_string).collect(),
        _ => Vec::new(),
    }
}

/// The name of a field's property; empty when it has none.
pub(super) fn property_name(field: &Field) -> String {
    match json_parts(field).into_iter().next() {
        Some(name) if name == "-" => String::new(),
        Some(name) => name,
        None => field.name.to_string(),
    }
}

pub(super) fn is_inlined(field: &Field) -> bool {
    json_parts(field).get(1).is_some_and(|part| part == "inline")
}

fn has_omitempty(field: &Field) -> bool {
    struct_tag::lookup(&field.tag, "json").is_some_and(|tag| tag.contains("omitempty"))
}

/// Whether a field may be absent: by tag, or else by `omitempty`.
pub(super) fn is_optional(field: &Field, lines: &Lines<'_>) -> Outcome<bool> {
    match (lines.has("optional"), lines.has("required")) {
        (true, true) => {
            let pos = lines.named("required").next().map_or(field.pos, |tag| tag.pos);
            let message = format!("member {} cannot be both optional and required", field.name);
            Err(Diagnostic::error("required", pos, message).help("remove one of the two tags"))
        }
        (false, true) => Ok(false),
        (true, false) => Ok(true),
        (false, false) => Ok(has_omitempty(field)),
    }
}

/// Whether a field is optional by a tag that openapi-gen does not read.
fn stated_presence(lines: &Lines<'_>) -> Option<bool> {
    let has = |names: [&str; 2]| names.iter().any(|it| lines.has(it));
    if has(["kubebuilder:validation:Optional", "k8s:optional"]) {
        return Some(true);
    }
    has(["kubebuilder:validation:Required", "k8s:required"]).then_some(false)
}

/// What a type is behind its names and pointers.
pub(super) fn resolved(universe: &Universe, ty: TypeId) -> TypeId {
    universe.native_base(ty)
}

impl<'u> Generator<'u> {
    /// Adds the properties of a struct, those of inlined structs among them.
    pub(super) fn members(&mut self, ty: TypeId, out: &mut Members, depth: u32) -> Outcome<()> {
        let universe = self.universe;
        let mut base = ty;
        for _ in 0..DEPTH_MAX {
            match universe.go_elem(base).filter(|_| universe.go_kind(base) == GoKind::Pointer) {
                Some(elem) => base = elem,
                None => break,
            }
        }
        if universe.go_kind(base) != GoKind::Struct {
            return Ok(());
        }
        for field in universe.fields(base) {
            let lines = Lines::of(universe, &field.docs);
            if lines.has_openapi_gen("false") {
                continue;
            }
            if is_inlined(field) {
                if depth >= DEPTH_MAX {
                    let message = format!("`{}` inlines itself without end", field.name);
                    return Err(Diagnostic::error("inline", field.pos, message)
                        .help("give the field a name"));
                }
                self.members(field.ty, out, depth + 1)?;
                continue;
            }
            let name = property_name(field);
            if name.is_empty() {
                continue;
            }
            if let Err(finding) = self.member(base, field, &lines, &name, out) {
                self.diagnostics.push(finding);
            }
        }
        Ok(())
    }

    fn member(
        &mut self,
        parent: TypeId,
        field: &'u Field,
        lines: &Lines<'u>,
        name: &str,
        out: &mut Members,
    ) -> Outcome<()> {
        let stated = if self.options.declared { stated_presence(lines) } else { None };
        let optional = stated.map_or_else(|| is_optional(field, lines), Ok)?;
        if !optional {
            out.required.push(Text::from(name));
        }
        let mut property = self.property(parent, field, lines)?;
        if self.options.declared {
            self.declare_field(parent, field, &mut property);
        }
        if out.properties.insert(name, Value::Map(property)).is_some() {
            let message = format!("two fields have the JSON name `{name}`");
            let help = "rename one of them, or keep one out with `+k8s:openapi-gen=false`";
            return Err(Diagnostic::error("duplicate-property", field.pos, message).help(help));
        }
        Ok(())
    }

    fn property(&mut self, parent: TypeId, field: &'u Field, lines: &Lines<'u>) -> Outcome<Map> {
        let universe = self.universe;
        let owner = universe.display(parent);
        let limits = self.limits(field.ty, lines, field.pos)?;
        check_patch_tags(field, lines, &owner)?;
        let mut schema = Map::new();
        self.member_extensions(&owner, field, lines, &limits, &mut schema)?;
        let enumeration = self.enumerations.get(universe, field.ty);
        let values = enumeration.map(super::enumeration::Enumeration::values);
        let extra =
            enumeration.map(super::enumeration::Enumeration::description).unwrap_or_default();
        let texts = lines.texts().chain(extra.iter().map(String::as_str));
        insert_text(&mut schema, "description", &description::of(texts));
        if json_parts(field).get(1).is_some_and(|part| part == "string") {
            schema.insert("type", Value::from("string"));
            return Ok(schema);
        }
        self.default_of(lines, field.ty, has_omitempty(field), parent, field.pos, &mut schema)
            .map_err(|finding| prefix(finding, "default", &owner, field))?;
        limits.write(&mut schema);
        let base = resolved(universe, field.ty);
        if let Some(simple) = type_format(&universe.go_display(base)) {
            write_simple(&mut schema, simple);
            if let Some(values) =
                values.filter(|values| values.as_list().is_some_and(|it| !it.is_empty()))
            {
                schema.insert("enum", values);
            }
            return Ok(schema);
        }
        match universe.go_kind(base) {
            GoKind::Map => self
                .map_property(base, field.pos, &mut schema, 0)
                .map_err(|finding| prefix(finding, "map property", &owner, field))?,
            GoKind::Slice | GoKind::Array => self
                .list_property(base, field.pos, &mut schema, 0)
                .map_err(|finding| prefix(finding, "slice property", &owner, field))?,
            GoKind::Struct => self.struct_property(base, &mut schema)?,
            // Interfaces are not declared, so nothing can refer to them.
            GoKind::Interface => {}
            GoKind::Builtin => return Err(self.no_format(base, field.pos)),
            _ if matches!(universe.ty(base), Type::Unknown(..)) => {
                return Err(self.unknown(base, field.pos));
            }
            _ => {
                let message =
                    format!("cannot generate spec for type {}", universe.go_display(base));
                return Err(Diagnostic::error("type", field.pos, message)
                    .help("use a type that JSON can hold"));
            }
        }
        Ok(schema)
    }

    fn no_format(&self, ty: TypeId, pos: Pos) -> Diagnostic {
        let message = format!("type {} has no form in OpenAPI", self.universe.go_display(ty));
        Diagnostic::error("type", pos, message).help("use an integer, number, boolean or string")
    }

    fn unknown(&self, ty: TypeId, pos: Pos) -> Diagnostic {
        let message = format!("unknown type {}", self.universe.display(ty));
        let package = match self.universe.ty(ty) {
            Type::Unknown(package, _) => package.as_str(),
            _ => "",
        };
        Diagnostic::error("type", pos, message).help(crate::unknown_help(self.universe, package))
    }

    /// A reference to a declared struct; a struct without a name is written in place.
    fn struct_property(&mut self, ty: TypeId, schema: &mut Map) -> Outcome<()> {
        if let Some(id) = self.universe.as_named(ty) {
            schema.insert("$ref", Value::from(self.reference(id)?));
            return Ok(());
        }
        schema.insert("type", Value::from("object"));
        let mut members = Members::default();
        self.members(ty, &mut members, DEPTH_MAX / 2)?;
        if !members.properties.is_empty() {
            schema.insert("properties", Value::Map(members.properties));
        }
        if !members.required.is_empty() {
            let required: Vec<Value> = members.required.into_iter().map(Value::from).collect();
            schema.insert("required", Value::from(required));
        }
        Ok(())
    }

    fn map_property(&mut self, ty: TypeId, pos: Pos, schema: &mut Map, depth: u32) -> Outcome<()> {
        let universe = self.universe;
        let key = universe.go_key(ty).map(|key| resolved(universe, key));
        if key.is_none_or(|key| universe.go_display(key) != "string") {
            let message = format!(
                "map with non-string keys are not supported by OpenAPI in {}",
                universe.display(ty)
            );
            return Err(Diagnostic::error("type", pos, message).help("use strings as keys"));
        }
        schema.insert("type", Value::from("object"));
        let values = self.element(ty, pos, "map", depth)?;
        schema.insert("additionalProperties", Value::Map(values));
        Ok(())
    }

    fn list_property(&mut self, ty: TypeId, pos: Pos, schema: &mut Map, depth: u32) -> Outcome<()> {
        schema.insert("type", Value::from("array"));
        let items = self.element(ty, pos, "slice", depth)?;
        schema.insert("items", Value::Map(items));
        Ok(())
    }

    /// The schema of what a list or map holds.
    fn element(&mut self, ty: TypeId, pos: Pos, holder: &str, depth: u32) -> Outcome<Map> {
        let universe = self.universe;
        let mut schema = Map::new();
        let Some(elem) = universe.go_elem(ty) else { return Ok(schema) };
        if depth >= DEPTH_MAX {
            let message = format!("type {} holds itself without end", universe.display(ty));
            return Err(Diagnostic::error("type", pos, message).help("put a struct in between"));
        }
        let lines = self.type_lines(elem);
        // An item that is null gets the default of its type (KEP-1929); openapi-gen holds items
        // to the rule for fields, which are never null.
        let stated = self.options.declared && self.has_default(&lines, elem)?;
        self.default_of(&lines, elem, stated, elem, pos, &mut schema)?;
        let base = resolved(universe, elem);
        if let Some(simple) = type_format(&universe.go_display(base)) {
            write_simple(&mut schema, simple);
            let values = self.enumerations.get(universe, elem).map(|found| found.values());
            if let Some(values) =
                values.filter(|values| values.as_list().is_some_and(|it| !it.is_empty()))
            {
                schema.insert("enum", values);
            }
            return Ok(schema);
        }
        match universe.go_kind(base) {
            GoKind::Struct => self.struct_property(base, &mut schema)?,
            GoKind::Slice | GoKind::Array => {
                self.list_property(base, pos, &mut schema, depth + 1)?;
            }
            GoKind::Map => self.map_property(base, pos, &mut schema, depth + 1)?,
            GoKind::Builtin => return Err(self.no_format(base, pos)),
            _ if matches!(universe.ty(base), Type::Unknown(..)) => {
                return Err(self.unknown(base, pos));
            }
            kind => {
                let message = format!(
                    "{holder} Element kind {} is not supported in {}",
                    kind.name(),
                    universe.display(ty)
                );
                return Err(
                    Diagnostic::error("type", pos, message).help("use a type that JSON can hold")
                );
            }
        }
        Ok(schema)
    }
}

fn prefix(mut finding: Diagnostic, what: &str, owner: &str, field: &Field) -> Diagnostic {
    finding.message =
        format!("failed to generate {what} in {owner}: {}: {}", field.name, finding.message);
    finding
}

fn write_simple(schema: &mut Map, (ty, format): (&'static str, &'static str)) {
    schema.insert("type", Value::from(ty));
    insert_text(schema, "format", format);
}

/// Tags of strategic merge patch stand in the comment and in the struct tag, and must agree.
fn check_patch_tags(field: &Field, lines: &Lines<'_>, owner: &str) -> Outcome<()> {
    for key in ["patchMergeKey", "patchStrategy"] {
        let in_struct = struct_tag::lookup(&field.tag, key).unwrap_or_default();
        let tag =
            lines.single(key).map_err(|(pos, message)| Diagnostic::error("patch", pos, message))?;
        let in_comment = tag.map_or("", |tag| tag.value);
        if in_struct != in_comment {
            let pos = tag.map_or(field.pos, |tag| tag.pos);
            let message = format!(
                "Tags in comment and struct should match for member ({}) of ({owner})",
                field.name
            );
            let help = format!(
                "`+{key}={in_comment}` stands in the comment and `{key}:\"{in_struct}\"` in the struct tag"
            );
            return Err(Diagnostic::error("patch", pos, message).help(help));
        }
    }
    Ok(())
}
