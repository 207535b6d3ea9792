//! What is known of the field under the cursor.

use ordain_check::{Catalog, help};
use ordain_schema::Node;
use ordain_value::{Value, value};

use crate::object;
use crate::place::{self, Step};
use crate::text::Text;

pub(crate) fn at(catalog: &Catalog, text: &Text, offset: usize) -> Option<Value> {
    let kind = place::kind(catalog, &text.content, offset)?;
    let mut found = place::at(&text.content, offset)?;
    // The way into an item of a list starts at the item.
    if object::around(&text.content, offset).is_item
        && matches!(found.steps.as_slice(), [Step::Key(items), Step::Item(_), ..] if items == "items")
    {
        found.steps.drain(..2);
    }
    let words = match found.steps.as_slice() {
        [Step::Key(key)] if key == "kind" || key == "apiVersion" => {
            let docs = docs(kind.schema().root_node());
            format!("**{}** {}\n\n{docs}", kind.kind, kind.api_version())
        }
        steps => about(
            &place::path(steps),
            place::node(kind.schema(), steps)?,
            is_required(kind.schema(), steps),
        ),
    };
    Some(value!({
        "contents": {"kind": "markdown", "value": (words.trim_end())},
        "range": text.range(found.bytes)
    }))
}

fn docs(node: &Node) -> String {
    node.docs.as_ref().map(|it| it.description.to_string()).unwrap_or_default()
}

fn is_required(schema: &ordain_schema::Schema, steps: &[Step]) -> bool {
    let Some((Step::Key(key), above)) = steps.split_last() else { return false };
    let node = place::node(schema, above);
    node.and_then(|it| it.validation.as_ref())
        .is_some_and(|it| it.required.iter().any(|name| name.as_str() == key))
}

/// A field in Markdown: path, type and constraints, documentation, rules.
fn about(path: &str, node: &Node, required: bool) -> String {
    let required = if required { ", required" } else { "" };
    let mut out = format!("**{path}**: {}{required}\n\n", help::describe(node));
    let docs = docs(node);
    if !docs.is_empty() {
        out.push_str(&format!("{docs}\n\n"));
    }
    if !node.list_map_keys.is_empty() {
        let keys: Vec<&str> = node.list_map_keys.iter().map(|it| it.as_str()).collect();
        out.push_str(&format!("Items are told apart by {}.\n\n", keys.join(", ")));
    }
    for rule in &node.rules {
        let words = if rule.message.is_empty() { &rule.rule } else { &rule.message };
        out.push_str(&format!("- rule: {words}\n"));
        if !rule.message.is_empty() {
            out.push_str(&format!("  `{}`\n", rule.rule.lines().next().unwrap_or_default()));
        }
    }
    out
}
