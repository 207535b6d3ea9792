//! Defaults against their types: what upstream finds out when its code is compiled or run.

use std::sync::Arc;

use ordain_value::go_format::cannot_unmarshal;
use ordain_value::{Value, json};
use smol_str::SmolStr;

use super::tree::{Builder, DefaultValue, Written};
use crate::diagnostic::Diagnostic;
use crate::gojson::{self, GoValue};
use crate::graph::{Basic, ConstValue, Type, TypeId, Universe};
use crate::validation::GoKind;

impl Builder<'_, '_> {
    /// Checks a default and gives it its type. `None` when it is wrong (which is reported), or
    /// when it is the zero value, which changes nothing.
    pub(super) fn default(&mut self, ty: TypeId, written: &Written) -> Option<Arc<DefaultValue>> {
        match self.typed_default(ty, written) {
            Ok(default) => default.map(Arc::new),
            Err(diagnostic) => {
                self.report(diagnostic);
                None
            }
        }
    }

    fn typed_default(
        &mut self,
        ty: TypeId,
        written: &Written,
    ) -> Result<Option<DefaultValue>, Diagnostic> {
        let native = self.universe.native(ty);
        let base = native.base;
        if let Some(name) = reference(&written.text) {
            return self.referenced(ty, written, name).map(Some);
        }
        let value = json::decode(written.text.as_bytes()).map_err(|error| {
            let message = format!("Failed to unmarshal default: {error}");
            let help = "write the default as JSON (strings in quotes), or as ref(Constant)";
            Diagnostic::error("default", written.pos, message).help(help)
        })?;
        if let Type::Basic(basic) = *self.universe.ty(base) {
            if native.pointers == 0 && is_zero_of(basic, &value) {
                return Ok(None);
            }
            let Some(value) = gojson::scalar(basic, &value) else {
                return Err(self.wrong_type(ty, written, &value));
            };
            return Ok(Some(DefaultValue::Scalar { value, pointers: native.pointers }));
        }
        if !self.universe.is_nilable(ty) {
            let message = format!(
                "default on a value of type {}, which is never absent",
                self.universe.go_display(ty)
            );
            let help = "make the field a pointer, or put the defaults on the fields of its type";
            return Err(Diagnostic::error("default", written.pos, message).help(help));
        }
        if value.is_null() {
            return Ok(None);
        }
        self.warn_of_unknown_keys(ty, &value, written);
        let fits = well_known_fit(self.universe, ty, &value, 0);
        match fits.and_then(|()| self.codec.decode(&value, ty)) {
            Ok(value) => Ok(Some(DefaultValue::Whole(value))),
            Err(error) => {
                let message = format!("default does not fit the type: {error}");
                Err(Diagnostic::error("default", written.pos, message).help("correct the JSON"))
            }
        }
    }

    fn wrong_type(&self, ty: TypeId, written: &Written, value: &Value) -> Diagnostic {
        let message = format!(
            "default {} ({}) cannot be a value of type {}",
            written.text,
            value.kind_name(),
            self.universe.go_display(ty)
        );
        Diagnostic::error("default", written.pos, message)
            .help("write a default of the field's type")
    }

    /// `ref(Name)` or `ref(path/of/package.Name)`.
    fn referenced(
        &mut self,
        ty: TypeId,
        written: &Written,
        name: &str,
    ) -> Result<DefaultValue, Diagnostic> {
        let (package, name) = match name.rsplit_once('.') {
            Some((path, name)) => (self.universe.package_by_path(path), name),
            None => (Some(self.universe.package(self.package_at(written.pos))), name),
        };
        let constant = package.and_then(|package| package.consts.get(name));
        let Some(constant) = constant.map(|id| self.universe.constant(*id)) else {
            let message =
                format!("default refers to `{name}`, which is no constant that is declared");
            let help = "declare the constant, or name its package as in ref(path/of/package.Name)";
            return Err(Diagnostic::error("default", written.pos, message).help(help));
        };
        let native = self.universe.native(ty);
        let Type::Basic(basic) = *self.universe.ty(native.base) else {
            let message = format!(
                "default refers to a constant, but the field is of type {}",
                self.universe.go_display(ty)
            );
            return Err(Diagnostic::error("default", written.pos, message)
                .help("write the default as JSON"));
        };
        let value = match convert(basic, &constant.value) {
            Some(value) => value,
            None => {
                let message = format!(
                    "constant `{name}` cannot be converted to {}",
                    self.universe.go_display(ty)
                );
                return Err(Diagnostic::error("default", written.pos, message)
                    .help("refer to a constant of the field's type"));
            }
        };
        if basic == Basic::String && !matches!(constant.value, ConstValue::Str(_)) {
            let message =
                format!("constant `{name}` is a number and becomes the letter with that code");
            self.report(
                Diagnostic::warning("default", written.pos, message)
                    .help("refer to a string constant"),
            );
        }
        Ok(DefaultValue::Scalar { value, pointers: native.pointers })
    }

    /// Keys that no field has are dropped by Go without a word.
    fn warn_of_unknown_keys(&mut self, ty: TypeId, value: &Value, written: &Written) {
        let mut unknown = Vec::new();
        unknown_keys(self.universe, ty, value, 0, &mut unknown);
        for key in unknown {
            let message = format!("default sets `{key}`, which is no field of the type");
            let diagnostic = Diagnostic::warning("default", written.pos, message)
                .help("remove the key, or correct its name");
            self.report(diagnostic);
        }
    }
}

/// The reference in `ref(…)`.
pub(super) fn reference(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("ref(")?.strip_suffix(')')?;
    (!inner.is_empty() && !inner.contains('"')).then_some(inner)
}

fn is_zero_of(basic: Basic, value: &Value) -> bool {
    gojson::scalar(basic, value).is_some_and(|value| gojson::is_zero(&value))
}

/// Go's conversion of a constant to a type.
fn convert(basic: Basic, value: &ConstValue) -> Option<GoValue> {
    match (basic.canonical(), value) {
        (Basic::Bool, ConstValue::Bool(value)) => Some(GoValue::Bool(*value)),
        (Basic::String, ConstValue::Str(text)) => Some(GoValue::Str(text.clone())),
        (Basic::String, ConstValue::Int(code)) => {
            let letter = u32::try_from(*code).ok().and_then(char::from_u32);
            let letter = letter.unwrap_or(char::REPLACEMENT_CHARACTER);
            Some(GoValue::Str(SmolStr::from(letter.to_string())))
        }
        (basic, ConstValue::Int(value)) if basic.is_float() =>
        {
            #[expect(clippy::cast_precision_loss, reason = "Go converts the same way")]
            Some(GoValue::Float(*value as f64))
        }
        (basic, ConstValue::Float(value)) if basic.is_float() => Some(GoValue::Float(*value)),
        (basic, ConstValue::Int(value)) => {
            let (min, max) = basic.integer_range()?;
            (*value >= min && *value <= max).then_some(GoValue::Int(*value))
        }
        (basic, ConstValue::Float(value)) if value.fract() == 0.0 => {
            let (min, max) = basic.integer_range()?;
            #[expect(
                clippy::cast_possible_truncation,
                reason = "whole, and checked against the type"
            )]
            let value = *value as i128;
            (value >= min && value <= max).then_some(GoValue::Int(value))
        }
        _ => None,
    }
}

/// Whether the values of types that read JSON themselves are such that they can.
fn well_known_fit(
    universe: &Universe,
    ty: TypeId,
    value: &Value,
    depth: u32,
) -> Result<(), String> {
    if depth > 100 || value.is_null() {
        return Ok(());
    }
    let base = universe.native_base(ty);
    let name = universe.as_named(base).map(|id| universe.qualified(id)).unwrap_or_default();
    let is_text = value.as_str().is_some();
    let is_number = matches!(value, Value::Int(_) | Value::Float(_));
    let fits = match name.as_str() {
        "k8s.io/apimachinery/pkg/util/intstr.IntOrString" => {
            is_text || matches!(value, Value::Int(_))
        }
        "k8s.io/apimachinery/pkg/api/resource.Quantity" => is_text || is_number,
        "k8s.io/apimachinery/pkg/apis/meta/v1.Duration" => {
            value.as_str().is_some_and(|it| ordain_go::time::parse_duration(it).is_some())
        }
        "k8s.io/apimachinery/pkg/apis/meta/v1.Time"
        | "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime" => is_text,
        _ => true,
    };
    let elem = universe.go_elem(base);
    let is_bytes = universe.go_kind(base) == GoKind::Slice
        && elem.is_some_and(|it| matches!(universe.basic(it), Some(Basic::Byte | Basic::Uint8)));
    if !fits || (is_bytes && !is_text) {
        let shown = universe.go_display(base);
        return Err(cannot_unmarshal(value.kind_name(), &shown));
    }
    match (universe.go_kind(base), value, elem) {
        (GoKind::Struct, Value::Map(map), _) if !universe.has_method(base, "UnmarshalJSON") => {
            for field in universe.json_fields(base) {
                if let Some(value) = map.get(&field.key) {
                    well_known_fit(universe, field.field.ty, value, depth + 1)?;
                }
            }
            Ok(())
        }
        (GoKind::Map, Value::Map(map), Some(elem)) => {
            map.iter().try_for_each(|(_, it)| well_known_fit(universe, elem, it, depth + 1))
        }
        (GoKind::Slice | GoKind::Array, Value::List(list), Some(elem)) => {
            list.iter().try_for_each(|it| well_known_fit(universe, elem, it, depth + 1))
        }
        _ => Ok(()),
    }
}

fn unknown_keys(universe: &Universe, ty: TypeId, value: &Value, depth: u32, out: &mut Vec<String>) {
    if depth > 100 {
        return;
    }
    let base = universe.native_base(ty);
    match (universe.go_kind(base), value) {
        (GoKind::Struct, Value::Map(map)) if !universe.has_method(base, "UnmarshalJSON") => {
            let fields = universe.json_fields(base);
            for (key, value) in map.iter() {
                match fields.iter().find(|field| field.key == *key) {
                    Some(found) => unknown_keys(universe, found.field.ty, value, depth + 1, out),
                    None => out.push(key.to_string()),
                }
            }
        }
        (GoKind::Map, Value::Map(map)) => {
            if let Some(elem) = universe.go_elem(base) {
                for (_, value) in map.iter() {
                    unknown_keys(universe, elem, value, depth + 1, out);
                }
            }
        }
        (GoKind::Slice | GoKind::Array, Value::List(list)) => {
            if let Some(elem) = universe.go_elem(base) {
                for value in list.iter() {
                    unknown_keys(universe, elem, value, depth + 1, out);
                }
            }
        }
        _ => {}
    }
}
