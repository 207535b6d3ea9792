//! Values as the server's internal Go types show them in messages: Go names of fields in the order
//! of the Go type, nothing left out. Types of `meta/v1` have JSON names there, too.

use ordain_schema::native::{GoField, GoKind, Program, TypeId};
use ordain_value::{Map, Value, json};

/// Types of `meta/v1`, which are the same inside and outside.
const META: [&str; 6] = [
    "v1.Condition",
    "v1.LabelSelector",
    "v1.LabelSelectorRequirement",
    "v1.ManagedFieldsEntry",
    "v1.ObjectMeta",
    "v1.OwnerReference",
];
/// Declarations may be recursive; no object that was decoded is deeper than this.
const DEPTH_MAX: usize = 64;

/// A value as its internal type shows it.
#[must_use]
pub fn text(program: &Program, ty: TypeId, value: &Value) -> String {
    let mut out = String::new();
    write(program, ty, value, &mut out, 0);
    out
}

fn write(program: &Program, ty: TypeId, value: &Value, out: &mut String, depth: usize) {
    if depth > DEPTH_MAX {
        out.push_str("null");
        return;
    }
    match &program.ty(ty).kind {
        GoKind::Pointer(_) if value.is_null() => out.push_str("null"),
        GoKind::Pointer(to) => write(program, *to, value, out, depth + 1),
        GoKind::Bool => out.push_str(if value.as_bool() == Some(true) { "true" } else { "false" }),
        GoKind::Int | GoKind::Float if value.is_null() => out.push('0'),
        GoKind::String if value.is_null() => out.push_str("\"\""),
        GoKind::List(of) => match value {
            Value::List(list) => {
                let items = list.iter().map(|item| (None, item));
                sequence(out, ['[', ']'], items, |item, out| {
                    write(program, *of, item, out, depth + 1);
                });
            }
            _ => out.push_str("null"),
        },
        GoKind::Map(of) => match value {
            Value::Map(map) => {
                let entries = map.iter().map(|(key, item)| (Some(key.as_str()), item));
                sequence(out, ['{', '}'], entries, |item, out| {
                    write(program, *of, item, out, depth + 1);
                });
            }
            _ => out.push_str("null"),
        },
        GoKind::Struct(fields) => {
            let tagged = META.contains(&program.ty(ty).name.as_str());
            let mut written = Vec::new();
            structure(program, fields, value, tagged, &mut written, depth);
            out.push('{');
            out.push_str(&written.join(","));
            out.push('}');
        }
        _ => out.push_str(&json::encode_string(value)),
    }
}

/// The fields of a structure; those of embedded structures stand among them.
fn structure(
    program: &Program,
    fields: &[GoField],
    value: &Value,
    tagged: bool,
    out: &mut Vec<String>,
    depth: usize,
) {
    let no_fields = Value::Map(Map::new());
    for field in fields {
        let embedded = match &program.ty(field.ty).kind {
            GoKind::Struct(inner) => Some(inner),
            _ => None,
        };
        let name = program.ty(field.ty).name.as_str();
        let meta = META.contains(&name);
        if let Some(inner) = embedded
            && depth < DEPTH_MAX
            && (field.inline || (meta && field.go == "ObjectMeta"))
        {
            let own = if field.inline { Some(value) } else { value.get(&field.json) };
            let own = own.filter(|it| !it.is_null()).unwrap_or(&no_fields);
            structure(program, inner, own, tagged || meta, out, depth + 1);
            continue;
        }
        let given = value.get(&field.json).unwrap_or(&Value::Null);
        if tagged && field.omit_empty && is_nothing(given) {
            continue;
        }
        let name = if tagged { &field.json } else { &field.go };
        let mut text = format!("{}:", json::encode_string(&name.as_str().into()));
        write(program, field.ty, given, &mut text, depth + 1);
        out.push(text);
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
        other => other.is_null(),
    }
}

fn sequence<'a>(
    out: &mut String,
    ends: [char; 2],
    items: impl Iterator<Item = (Option<&'a str>, &'a Value)>,
    mut write: impl FnMut(&Value, &mut String),
) {
    let [open, close] = ends;
    out.push(open);
    for (at, (key, item)) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        if let Some(key) = key {
            out.push_str(&json::encode_string(&key.into()));
            out.push(':');
        }
        write(item, out);
    }
    out.push(close);
}
