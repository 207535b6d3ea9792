//! Extensions: `x-kubernetes-*` from tags.

use ordain_idl::go::literal;
use ordain_idl::graph::{Field, NamedId};
use ordain_idl::{Diagnostic, Pos};
use ordain_value::{Map, Value};

use super::limits::Limits;
use super::tags::Lines;
use super::{Generator, Outcome};
use crate::texts;

/// A tag that becomes an extension.
struct Known {
    tag: &'static str,
    extension: &'static str,
    kind: &'static str,
    allowed: &'static [&'static str],
}

/// By tag, in the order in which they are written.
const KNOWN: &[Known] = &[
    known("listMapKey", "x-kubernetes-list-map-keys", "Slice", &[]),
    known("listType", "x-kubernetes-list-type", "Slice", &["atomic", "map", "set"]),
    known("mapType", "x-kubernetes-map-type", "Map", &["atomic", "granular"]),
    known("patchMergeKey", "x-kubernetes-patch-merge-key", "Slice", &[]),
    known("patchStrategy", "x-kubernetes-patch-strategy", "Slice", &["merge", "retainKeys"]),
    known("structType", "x-kubernetes-map-type", "Struct", &["atomic", "granular"]),
    known("validations", "x-kubernetes-validations", "Slice", &[]),
];

const fn known(
    tag: &'static str,
    extension: &'static str,
    kind: &'static str,
    allowed: &'static [&'static str],
) -> Known {
    Known { tag, extension, kind, allowed }
}

/// An extension as stated.
struct Stated<'u> {
    name: &'u str,
    values: Vec<&'u str>,
    known: Option<&'static Known>,
    pos: Pos,
}

/// The extensions of a comment, and what is wrong with some.
fn read<'u>(lines: &Lines<'u>) -> (Vec<Stated<'u>>, Vec<(Pos, String)>) {
    let (mut out, mut wrong) = (Vec::new(), Vec::new());
    for tag in lines.named("k8s:openapi-gen") {
        if !tag.value.starts_with("x-kubernetes-") {
            continue;
        }
        match tag.value.split_once(':') {
            Some((name, value)) => {
                out.push(Stated { name, values: vec![value], known: None, pos: tag.pos });
            }
            None => wrong.push((tag.pos, format!("invalid extension value: {}", tag.value))),
        }
    }
    for known in KNOWN {
        let tags: Vec<_> = lines.named(known.tag).collect();
        let Some(first) = tags.first() else { continue };
        out.push(Stated {
            name: known.extension,
            values: tags.iter().map(|tag| tag.value).collect(),
            known: Some(known),
            pos: first.pos,
        });
    }
    (out, wrong)
}

impl<'u> Generator<'u> {
    pub(super) fn struct_extensions(
        &mut self,
        id: NamedId,
        lines: &Lines<'u>,
        limits: &Limits,
        schema: &mut Map,
    ) -> Outcome<()> {
        let (extensions, mut wrong) = read(lines);
        let unions = self.unions(self.universe.named(id).ty, &mut wrong, 0);
        let name = self.universe.qualified(id);
        for (pos, text) in wrong {
            self.warn("extension", pos, format!("[{name}]: {text}"));
        }
        write(&extensions, schema)?;
        if !unions.is_empty() {
            insert(
                schema,
                "x-kubernetes-unions",
                Value::from(unions),
                self.universe.named(id).pos,
            )?;
        }
        limits.write_rules(schema, self.universe.named(id).pos)
    }

    pub(super) fn member_extensions(
        &mut self,
        owner: &str,
        field: &Field,
        lines: &Lines<'u>,
        limits: &Limits,
        schema: &mut Map,
    ) -> Outcome<()> {
        let (extensions, mut wrong) = read(lines);
        let kind = self.universe.go_kind(field.ty).name();
        for stated in &extensions {
            let Some(known) = stated.known else { continue };
            if !known.allowed.is_empty()
                && stated.values.iter().any(|value| !known.allowed.contains(value))
            {
                let text = format!(
                    "[{}] not allowed for {}. Allowed values: [{}]",
                    stated.values.join(" "),
                    known.tag,
                    known.allowed.join(" ")
                );
                wrong.push((stated.pos, text));
            }
            if kind != known.kind {
                let text = format!(
                    "tag {} on type {kind}; only allowed on type {}",
                    known.tag, known.kind
                );
                wrong.push((stated.pos, text));
            }
        }
        let shown = self.universe.go_display(field.ty);
        for (pos, text) in wrong {
            self.warn("extension", pos, format!("[{owner}] {} {shown}: {text}", field.name));
        }
        write(&extensions, schema)?;
        limits.write_rules(schema, field.pos)
    }
}

fn write(extensions: &[Stated<'_>], schema: &mut Map) -> Outcome<()> {
    for stated in extensions {
        let mut values = Vec::with_capacity(stated.values.len());
        for value in &stated.values {
            values.push(unescape(value, stated)?);
        }
        let always_list = stated.known.is_some_and(|known| known.tag == "listMapKey");
        let value = match values.as_slice() {
            [only] if !always_list => Value::from(only.as_str()),
            values => texts(values.iter().map(String::as_str)),
        };
        insert(schema, stated.name, value, stated.pos)?;
    }
    Ok(())
}

/// The value ends up in a Go string literal, whose escapes it may use and whose end it may not be.
fn unescape(value: &str, stated: &Stated<'_>) -> Outcome<String> {
    literal::unquote(&format!("\"{value}\"")).ok_or_else(|| {
        let message = format!("value of {} holds a quote or a broken escape: {value}", stated.name);
        Diagnostic::error("extension", stated.pos, message)
            .help("write the value without quotes; write a backslash twice")
    })
}

/// Inserts an extension that is not there yet.
pub(super) fn insert(schema: &mut Map, name: &str, value: Value, pos: Pos) -> Outcome<()> {
    if schema.contains_key(name) {
        let message = format!("{name} is stated twice");
        return Err(Diagnostic::error("extension", pos, message).help("keep one of the two tags"));
    }
    schema.insert(name, value);
    Ok(())
}
