//! JSON as Go writes a struct: its fields in the order of their declaration.

use ordain_schema::native::{GoField, GoKind, Program, TypeId};
use ordain_value::{Text, Value, json};

/// Declarations may be recursive; what is deeper is written in the order of its keys.
const DEPTH_MAX: usize = 64;

/// The text of a field of a struct, given what Go writes for it. What a type does not know comes last.
#[must_use]
pub fn field_text(program: &Program, ty: TypeId, field: &str, value: &Value) -> String {
    let mut known = Vec::new();
    if let GoKind::Struct(fields) = &program.ty(ty).kind {
        flatten(program, fields, &mut known, 0);
    }
    let mut out = String::new();
    match known.iter().find(|it| it.0 == field) {
        Some((_, ty)) => write(program, *ty, value, &mut out, 0),
        None => out.push_str(&json::encode_string(value)),
    }
    out
}

fn write(program: &Program, ty: TypeId, value: &Value, out: &mut String, depth: usize) {
    if depth > DEPTH_MAX {
        out.push_str(&json::encode_string(value));
        return;
    }
    match (&program.ty(ty).kind, value) {
        (GoKind::Pointer(to), _) => write(program, *to, value, out, depth + 1),
        (GoKind::List(of), Value::List(list)) => {
            sequence(out, ['[', ']'], list.iter(), |item, out| {
                write(program, *of, item, out, depth + 1);
            });
        }
        (GoKind::Map(of), Value::Map(map)) => {
            sequence(out, ['{', '}'], map.iter(), |(key, item), out| {
                write_key(key, out);
                write(program, *of, item, out, depth + 1);
            });
        }
        (GoKind::Struct(fields), Value::Map(map)) => {
            let mut order = Vec::new();
            flatten(program, fields, &mut order, depth);
            let place = |key: &Text| order.iter().position(|it| it.0 == key);
            let mut entries: Vec<(usize, &Text, &Value)> = map
                .iter()
                .map(|(key, item)| (place(key).unwrap_or(usize::MAX), key, item))
                .collect();
            entries.sort_by_key(|it| it.0);
            sequence(out, ['{', '}'], entries.into_iter(), |(at, key, item), out| {
                write_key(key, out);
                match order.get(at) {
                    Some((_, ty)) => write(program, *ty, item, out, depth + 1),
                    None => out.push_str(&json::encode_string(item)),
                }
            });
        }
        _ => out.push_str(&json::encode_string(value)),
    }
}

/// The fields of a struct, those of embedded structs at their place.
fn flatten<'p>(
    program: &'p Program,
    fields: &'p [GoField],
    out: &mut Vec<(&'p Text, TypeId)>,
    depth: usize,
) {
    for field in fields {
        if !field.inline {
            out.push((&field.json, field.ty));
            continue;
        }
        let ty = match program.ty(field.ty).kind {
            GoKind::Pointer(to) => to,
            _ => field.ty,
        };
        if let GoKind::Struct(inner) = &program.ty(ty).kind
            && depth < DEPTH_MAX
        {
            flatten(program, inner, out, depth + 1);
        }
    }
}

fn write_key(key: &str, out: &mut String) {
    out.push_str(&json::encode_string(&key.into()));
    out.push(':');
}

fn sequence<T>(
    out: &mut String,
    ends: [char; 2],
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(T, &mut String),
) {
    let [open, close] = ends;
    out.push(open);
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(close);
}
