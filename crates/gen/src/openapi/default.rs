//! Defaults: stated by `+default` on the field or its type, or forced by the zero value.

use ordain_idl::graph::{ConstValue, Type, TypeId};
use ordain_idl::validation::GoKind;
use ordain_idl::{Diagnostic, Pos};
use ordain_value::{Map, Value, go_quote, json};

use super::tags::{Lines, Tag};
use super::{Generator, Outcome};

/// A default as stated: a value, or the name of a constant and the package it is looked up in.
enum Stated<'u> {
    Nothing,
    Value(Value, Pos),
    Constant(&'u str, Option<TypeId>, Pos),
}

/// Names and pointers are looked through so far.
const STEPS_MAX: usize = 64;

impl<'u> Generator<'u> {
    /// Writes the default of a field, item or value.
    pub(super) fn default_of(
        &mut self,
        lines: &Lines<'u>,
        ty: TypeId,
        omitempty: bool,
        owner: TypeId,
        pos: Pos,
        schema: &mut Map,
    ) -> Outcome<()> {
        let stated = match lines.has("unpublishedDefault") {
            true => Stated::Nothing,
            false => self.stated_default(lines, ty, owner)?,
        };
        let forced = self.forced_default(ty, omitempty, pos, 0)?;
        match (stated, forced) {
            (Stated::Value(value, at), Some(forced)) if value != forced => {
                let message = format!(
                    "invalid default value ({}) for non-pointer/non-omitempty. If specified, must be: {}",
                    go_syntax(&value, 0),
                    json::encode_string(&forced)
                );
                let help = "make the field a pointer, or give scalars `omitempty`";
                Err(Diagnostic::error("default", at, message).help(help))
            }
            (_, Some(forced)) => {
                schema.insert("default", forced);
                Ok(())
            }
            (Stated::Value(value, _), None) => {
                schema.insert("default", value);
                Ok(())
            }
            (Stated::Constant(name, owner, at), None) => {
                schema.insert("default", self.constant(name, owner, at)?);
                Ok(())
            }
            (Stated::Nothing, None) => Ok(()),
        }
    }

    /// Whether a default is stated for what a list or map holds.
    pub(super) fn has_default(&self, lines: &Lines<'u>, ty: TypeId) -> Outcome<bool> {
        let hidden = lines.has("unpublishedDefault");
        Ok(!hidden && !matches!(self.stated_default(lines, ty, ty)?, Stated::Nothing))
    }

    /// The first `+default` on the field, its type, or what that points to or names.
    fn stated_default(&self, lines: &Lines<'u>, ty: TypeId, owner: TypeId) -> Outcome<Stated<'u>> {
        let universe = self.universe;
        let (mut lines, mut owner, mut next) = (lines.clone(), owner, Some(ty));
        for _ in 0..STEPS_MAX {
            let tag = lines
                .single("default")
                .map_err(|(pos, message)| Diagnostic::error("default", pos, message))?;
            if let Some(tag) = tag.filter(|tag| !tag.value.is_empty()) {
                return read(&tag, owner);
            }
            let Some(ty) = next else { break };
            lines = self.type_lines(ty);
            owner = ty;
            next = match universe.go_kind(ty) {
                GoKind::Pointer => universe.go_elem(ty),
                GoKind::Alias => Some(universe.underlying(ty)),
                _ => None,
            };
        }
        Ok(Stated::Nothing)
    }

    /// The value of a constant: of another package with its path, else of the owner's package.
    fn constant(&self, name: &str, owner: Option<TypeId>, pos: Pos) -> Outcome<Value> {
        let universe = self.universe;
        let (package, name) = match name.rsplit_once('.') {
            Some((path, name)) => (universe.package_by_path(path), name),
            None => {
                let id = owner.and_then(|owner| universe.as_named(owner));
                (id.map(|id| universe.package_of(id)), name)
            }
        };
        let constant = package.and_then(|package| package.consts.get(name));
        let Some(constant) = constant.map(|id| universe.constant(*id)) else {
            let message =
                format!("default refers to `{name}`, which is no constant that is declared");
            let help = "declare the constant, or name its package as in ref(path/of/package.Name)";
            return Err(Diagnostic::error("default", pos, message).help(help));
        };
        Ok(match &constant.value {
            ConstValue::Bool(flag) => Value::Bool(*flag),
            ConstValue::Str(text) => Value::from(text.as_str()),
            ConstValue::Int(int) => {
                i64::try_from(*int).map_or(Value::Float(*int as f64), Value::Int)
            }
            ConstValue::Float(float) => as_published(Value::Float(*float)),
        })
    }

    /// The value that a field has in JSON when Go leaves it alone; none when it can be absent.
    fn forced_default(
        &self,
        ty: TypeId,
        omitempty: bool,
        pos: Pos,
        depth: usize,
    ) -> Outcome<Option<Value>> {
        let universe = self.universe;
        if self.reads_json_itself(ty) {
            return Ok(None);
        }
        let kind = universe.go_kind(ty);
        match kind {
            GoKind::Alias if depth < STEPS_MAX => {
                self.forced_default(universe.underlying(ty), omitempty, pos, depth + 1)
            }
            GoKind::Pointer | GoKind::Map | GoKind::Slice | GoKind::Array | GoKind::Interface => {
                Ok(None)
            }
            GoKind::Struct => match universe.fields(ty) {
                [only] if only.embedded && depth < STEPS_MAX => {
                    self.forced_default(only.ty, omitempty, pos, depth + 1)
                }
                _ => Ok(Some(Value::Map(Map::new()))),
            },
            GoKind::Builtin if omitempty => Ok(None),
            GoKind::Builtin => match super::member::type_format(&universe.go_display(ty)) {
                Some(("string", _)) => Ok(Some(Value::from(""))),
                Some(("boolean", _)) => Ok(Some(Value::Bool(false))),
                Some(_) => Ok(Some(Value::Int(0))),
                None => {
                    let name = universe.go_display(ty);
                    let message =
                        format!("please add type {name} to getOpenAPITypeFormat function");
                    Err(Diagnostic::error("type", pos, message)
                        .help(format!("OpenAPI has no form for {name}; use another type")))
                }
            },
            GoKind::Unsupported if matches!(universe.ty(ty), Type::Unknown(..)) => Ok(None),
            _ => {
                let message = format!("not sure how to enforce default for {}", kind.name());
                let help =
                    format!("JSON has no form for {}; use another type", universe.go_display(ty));
                Err(Diagnostic::error("type", pos, message).help(help))
            }
        }
    }

    /// Whether the type has an `UnmarshalJSON` of its own, to which an absent field is null.
    fn reads_json_itself(&self, ty: TypeId) -> bool {
        let universe = self.universe;
        let method =
            |ty: TypeId| universe.as_named(ty).and_then(|id| universe.method(id, "UnmarshalJSON"));
        match universe.go_kind(ty) {
            GoKind::Pointer => {
                universe.go_elem(ty).and_then(method).is_some_and(|method| method.pointer)
            }
            GoKind::Struct => method(ty).is_some(),
            _ => false,
        }
    }
}

fn read<'u>(tag: &Tag<'u>, owner: TypeId) -> Outcome<Stated<'u>> {
    if let Some(name) = reference(tag.value) {
        return Ok(Stated::Constant(name, Some(owner), tag.pos));
    }
    let value = json::decode(tag.value.as_bytes()).map_err(|error| {
        let message = format!("failed to unmarshal default: {error}");
        let help = "write the default as JSON (strings in quotes), or as ref(Constant)";
        Diagnostic::error("default", tag.pos, message).help(help)
    })?;
    Ok(match as_published(value) {
        Value::Null => Stated::Nothing,
        value => Stated::Value(value, tag.pos),
    })
}

/// The name in `ref(Name)`.
pub(super) fn reference(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("ref(")?.strip_suffix(')')?;
    (!inner.is_empty() && !inner.contains('"')).then_some(inner)
}

/// Numbers as they come out of the generated program: all were `float64` on the way.
fn as_published(value: Value) -> Value {
    match value {
        Value::Int(int) => crate::number(int as f64),
        Value::Float(float) => crate::number(float),
        Value::List(list) => Value::List(list.iter().cloned().map(as_published).collect()),
        Value::Map(map) => Value::Map(
            map.iter().map(|(key, value)| (key.clone(), as_published(value.clone()))).collect(),
        ),
        other => other,
    }
}

/// A value in Go's syntax, as `%#v` prints what `encoding/json` decodes.
fn go_syntax(value: &Value, depth: usize) -> String {
    let inside = |value: &Value| {
        if depth > STEPS_MAX { "…".to_string() } else { go_syntax(value, depth + 1) }
    };
    match value {
        Value::Null => "interface {}(nil)".into(),
        Value::Str(text) => go_quote(text),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(inside).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Map(map) => {
            let entries: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}:{}", go_quote(key), inside(value)))
                .collect();
            format!("map[string]interface {{}}{{{}}}", entries.join(", "))
        }
        other => json::encode_string(other),
    }
}
