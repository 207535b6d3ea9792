//! Types and constraints in words.

use ordain_schema::{
    Additional, Arity, Docs, Keyword, ListType, Node, NodeId, Rule, Schema, Type, Union, Validation,
};
use ordain_value::{Value, json};

use super::page::{Span, code, text};

/// Lists in lists are named so deep.
const DEPTH_MAX: u32 = 8;

/// The type of a place: `list of strings` and the like.
pub(super) fn type_of(schema: &Schema, id: NodeId, depth: u32) -> String {
    let node = schema.node(id);
    let inner = |id: NodeId| {
        if depth >= DEPTH_MAX { "…".to_string() } else { type_of(schema, id, depth + 1) }
    };
    let format = node.validation.as_ref().map_or("", |it| it.format.as_str());
    match node.ty {
        Type::Array => match node.items {
            Some(items) => format!("list of {}", inner(items)),
            None => "list".into(),
        },
        Type::Object => match node.additional {
            Additional::Node(values) => format!("map of {}", inner(values)),
            _ if node.embedded_resource => "object of any kind".into(),
            _ => "object".into(),
        },
        Type::Any => "any value".into(),
        Type::IntOrString => "integer or string".into(),
        ty if format.is_empty() => ty.name().into(),
        ty => format!("{} ({format})", ty.name()),
    }
}

/// A value as it is written in code.
pub(super) fn shown(value: &Value) -> String {
    json::encode_string(value)
}

/// A rule in CEL, with what it says when it is broken.
pub(super) fn rule(rule: &Rule) -> Vec<Span> {
    let mut line = vec![text("Rule "), code(rule.rule.as_str())];
    if !rule.message.is_empty() {
        line.push(text(": "));
        line.push(Span::Prose(rule.message.to_string()));
    }
    line
}

/// What a value of a place has to keep, in lines, with the rules that are asked for.
pub(super) fn constraints(node: &Node, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Vec<Span>> {
    let mut out = Vec::new();
    if let Some(validation) = &node.validation {
        limits(validation, &mut out);
    }
    match node.list_type {
        Some(ListType::Set) => out.push(vec![text("No item twice.")]),
        Some(ListType::Map) => {
            let mut line = vec![text("One item per ")];
            for (at, key) in node.list_map_keys.iter().enumerate() {
                if at > 0 {
                    line.push(text(" and "));
                }
                line.push(code(key.as_str()));
            }
            line.push(text("."));
            out.push(line);
        }
        Some(ListType::Atomic) | None => {}
    }
    if node.nullable {
        out.push(vec![text("May be "), code("null"), text(".")]);
    }
    if node.preserve_unknown && !node.properties.is_empty() {
        out.push(vec![text("Fields that are not listed are kept.")]);
    }
    out.extend(node.rules.iter().filter(|it| wanted(it)).map(rule));
    if let Some(docs) = &node.docs {
        documentation(docs, &mut out);
    }
    if let Some(declared) = &node.declared {
        for check in &declared.checks {
            out.push(match check.name.as_str() {
                "immutable" => vec![text("Cannot be changed once it is set.")],
                name => vec![text("Format "), code(name), text(".")],
            });
        }
        for gate in &declared.gates {
            out.push(vec![text("Exists while the feature "), code(gate.as_str()), text(" is on.")]);
        }
        declared.unions.iter().for_each(|it| out.extend(union(it)));
        declared.notes.iter().for_each(|it| out.push(vec![Span::Prose(it.to_string())]));
        for warning in &declared.warnings {
            out.push(vec![Span::Strong("Warning: ".into()), Span::Prose(warning.to_string())]);
        }
        for (keyword, message) in &declared.texts {
            let words = Span::Prose(message.to_string());
            out.push(match keyword {
                Keyword::Required => vec![words],
                keyword => vec![code(keyword.name()), text(" broken: "), words],
            });
        }
    }
    out
}

/// What the elements of a list or map have to keep, in lines.
pub(super) fn element_constraints(schema: &Schema, node: &Node) -> Vec<Vec<Span>> {
    let mut out = Vec::new();
    for (prefix, inner) in [("Each item: ", node.items), ("Each value: ", node.additional_node())] {
        let Some(inner) = inner else { continue };
        for mut line in constraints(schema.node(inner), &|_| true) {
            line.insert(0, text(prefix));
            out.push(line);
        }
    }
    out
}

/// What may stand together in a union, and which value of the discriminator selects what.
fn union(union: &Union) -> Vec<Vec<Span>> {
    let count = match union.arity {
        _ if union.members.iter().any(|it| it.optional) => "At most one of ",
        Arity::ExactlyOne if union.empty_values.is_empty() => "Exactly one of ",
        _ => "At most one of ",
    };
    let mut line = vec![text(count)];
    for (at, member) in union.members.iter().enumerate() {
        if at > 0 {
            line.push(text(", "));
        }
        line.push(code(member.field.as_str()));
    }
    line.push(text("."));
    let Some(discriminator) = &union.discriminator else { return vec![line] };
    let mut selects = vec![code(discriminator.as_str()), text(" says which: ")];
    for (at, member) in union.members.iter().enumerate() {
        if at > 0 {
            selects.push(text(", "));
        }
        selects.push(code(shown(&Value::from(member.value.clone()))));
        selects.push(text(" selects "));
        selects.push(code(member.field.as_str()));
        if member.optional {
            selects.push(text(" (which may be left out)"));
        }
    }
    for value in &union.empty_values {
        selects.extend([text(", "), code(shown(&Value::from(value.clone()))), text(" none")]);
    }
    selects.push(text("."));
    if union.inferred {
        selects.push(text(" Left out, it follows the one that is set."));
    }
    vec![line, selects]
}

/// Examples and documents elsewhere.
fn documentation(docs: &Docs, out: &mut Vec<Vec<Span>>) {
    if !docs.title.is_empty() {
        out.push(vec![Span::Strong(docs.title.to_string())]);
    }
    if let Some(example) = &docs.example {
        out.push(vec![text("Example: "), code(shown(example)), text(".")]);
    }
    if let Some(external) = &docs.external {
        let words = if external.description.is_empty() {
            external.url.to_string()
        } else {
            external.description.to_string()
        };
        out.push(vec![text("See "), Span::Link(words, external.url.to_string()), text(".")]);
    }
}

fn limits(validation: &Validation, out: &mut Vec<Vec<Span>>) {
    if !validation.enumeration.is_empty() {
        let mut line = vec![text("One of ")];
        for (at, value) in validation.enumeration.iter().enumerate() {
            if at > 0 {
                line.push(text(", "));
            }
            line.push(code(value.as_str().map_or_else(|| shown(value), str::to_string)));
        }
        line.push(text("."));
        out.push(line);
    }
    let number = |value: f64| code(shown(&crate::number(value)));
    if let Some(least) = validation.minimum {
        let words = if validation.exclusive_minimum { "Greater than " } else { "At least " };
        out.push(vec![text(words), number(least), text(".")]);
    }
    if let Some(most) = validation.maximum {
        let words = if validation.exclusive_maximum { "Less than " } else { "At most " };
        out.push(vec![text(words), number(most), text(".")]);
    }
    if let Some(factor) = validation.multiple_of {
        out.push(vec![text("A multiple of "), number(factor), text(".")]);
    }
    for (one, many, least, most) in [
        ("character", "characters", validation.min_length, validation.max_length),
        ("item", "items", validation.min_items, validation.max_items),
        ("entry", "entries", validation.min_properties, validation.max_properties),
    ] {
        let noun = |count: i64| if count == 1 { one } else { many };
        let words = match (least, most) {
            (None, None) => continue,
            (Some(least), None) => format!("At least {least} {}.", noun(least)),
            (None, Some(most)) => format!("At most {most} {}.", noun(most)),
            (Some(least), Some(most)) if least == most => format!("Exactly {most} {}.", noun(most)),
            (Some(least), Some(most)) => format!("{least} to {most} {many}."),
        };
        out.push(vec![text(words)]);
    }
    if !validation.pattern.is_empty() {
        out.push(vec![text("Matches "), code(validation.pattern.as_str()), text(".")]);
    }
    if validation.unique_items {
        out.push(vec![text("No item twice.")]);
    }
}
