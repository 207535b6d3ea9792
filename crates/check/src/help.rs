//! The line that says how to mend what was found.

use ordain_schema::{Node, NodeId, Schema, Type};
use ordain_value::field::{BadValue, Error, Kind as ErrorKind};
use ordain_value::{Value, json};

/// Formats whose message does not say what is wrong with a number.
const INTEGERS: [&str; 2] = ["int32", "int64"];

/// Names listed in one help line at most.
const NAMED_MAX: usize = 8;

/// How far a path leads into a schema.
struct Walk<'s> {
    node: &'s Node,
    /// What is left of the path, without a dot at its start.
    rest: String,
}

/// Follows the text of a path through a schema as far as it goes.
fn walk<'s>(schema: &'s Schema, path: &str) -> Walk<'s> {
    let mut node = schema.root_node();
    let mut rest = if path == "<nil>" { "" } else { path.trim_start_matches('.') };
    while !rest.is_empty() {
        let Some((next, left)) = step(node, rest) else { break };
        node = schema.node(next);
        rest = left.trim_start_matches('.');
    }
    Walk { node, rest: rest.to_owned() }
}

fn step<'p>(node: &Node, rest: &'p str) -> Option<(NodeId, &'p str)> {
    let property = node.properties.iter().filter_map(|(name, id)| {
        let left = rest
            .strip_prefix(name.as_str())
            .filter(|it| it.is_empty() || it.starts_with(['.', '[']))
            .or_else(|| rest.strip_prefix('[')?.strip_prefix(name.as_str())?.strip_prefix(']'))?;
        Some((*id, left))
    });
    if let Some(found) = property.min_by_key(|(_, left)| left.len()) {
        return Some(found);
    }
    let end = match rest.strip_prefix('[') {
        Some(inside) => inside.find(']')? + 2,
        None => rest.find(['.', '[']).unwrap_or(rest.len()),
    };
    let is_index = rest.starts_with('[') && rest[1..end - 1].bytes().all(|it| it.is_ascii_digit());
    match (node.items, node.additional_node()) {
        (Some(items), _) if is_index => Some((items, &rest[end..])),
        (_, Some(values)) => Some((values, &rest[end..])),
        _ => None,
    }
}

/// How to mend a field that the schema does not know.
pub(crate) fn for_unknown(schema: &Schema, path: &str) -> Option<String> {
    let walk = walk(schema, path);
    let name = walk.rest.split(['.', '[']).next().unwrap_or_default();
    let known: Vec<&str> = walk.node.properties.iter().map(|(name, _)| name.as_str()).collect();
    if let Some(nearest) = nearest(name, &known) {
        return Some(format!("did you mean \"{nearest}\"?"));
    }
    if let Some(place) = elsewhere(schema, name) {
        return Some(format!("\"{name}\" is a field of \"{place}\""));
    }
    match known.as_slice() {
        [] => None,
        names if names.len() <= NAMED_MAX => Some(format!("known fields: {}", names.join(", "))),
        names => Some(format!(
            "known fields: {}, and {} more",
            names[..NAMED_MAX].join(", "),
            names.len() - NAMED_MAX
        )),
    }
}

/// Schemas are searched this deep for a field that stands at the wrong place.
const DEPTH_MAX: usize = 6;

/// Places of a schema that are searched.
const SEARCHED_MAX: usize = 4000;

/// A place of a schema that is searched, and the place in the list above it.
struct Searched<'s> {
    node: NodeId,
    /// The name of its property; none for the items of a list.
    name: Option<&'s str>,
    above: usize,
}

/// The one place nearest to the root that knows a field; nothing when there are several.
fn elsewhere(schema: &Schema, name: &str) -> Option<String> {
    // Nearly always no place knows it, which is seen without a way to each.
    let knows = |it: &Node| it.properties.iter().any(|(known, _)| known == name);
    if !schema.nodes().iter().any(knows) {
        return None;
    }
    let mut searched = vec![Searched { node: schema.root(), name: None, above: 0 }];
    let mut level = 0..1;
    for _ in 0..DEPTH_MAX {
        let has = |at: &usize| {
            schema.node(searched[*at].node).properties.iter().any(|(it, _)| it == name)
        };
        let mut found = level.clone().filter(has);
        match (found.next(), found.next()) {
            (Some(at), None) if at > 0 => return Some(place(&searched, at)),
            (None, _) => {}
            _ => return None,
        }
        if level.end > SEARCHED_MAX {
            return None;
        }
        let most = level.end + SEARCHED_MAX;
        for above in level.clone() {
            let node = schema.node(searched[above].node);
            let named = node.properties.iter().map(|(name, id)| (*id, Some(name.as_str())));
            let below = named.chain(node.items.map(|it| (it, None)));
            let below = below.map(|(node, name)| Searched { node, name, above });
            let room = most.saturating_sub(searched.len());
            searched.extend(below.take(room));
        }
        level = level.end..searched.len();
    }
    None
}

/// The path of a place that was searched.
fn place(searched: &[Searched<'_>], mut at: usize) -> String {
    let mut steps = Vec::new();
    while at > 0 {
        steps.push(searched[at].name);
        at = searched[at].above;
    }
    let mut path = String::new();
    for step in steps.into_iter().rev() {
        match step {
            Some(name) if path.is_empty() => path.push_str(name),
            Some(name) => {
                path.push('.');
                path.push_str(name);
            }
            None => path.push_str("[]"),
        }
    }
    path
}

/// How to mend a refused value. `given` says whether the text has the field itself.
pub(crate) fn for_error(schema: &Schema, error: &Error, given: bool) -> Option<String> {
    let walk = walk(schema, &error.path);
    if !walk.rest.is_empty() {
        return None;
    }
    let node = walk.node;
    match error.kind {
        ErrorKind::NotSupported => {
            // What is supported at this place may be less than what the type has.
            let detail = error.detail();
            let allowed: Vec<&str> = detail.split('"').skip(1).step_by(2).collect();
            let BadValue::Value(Value::Str(found)) = &error.bad_value else { return None };
            let near = nearest(found, &allowed).filter(|it| *it != found.as_str());
            near.map(|it| format!("did you mean \"{it}\"?"))
        }
        ErrorKind::Required => {
            let name = last_name(&error.path)?;
            // Words of the server's own say more than the type does.
            let is_reported = !error.detail().is_empty();
            let what = if is_reported { node.ty.name().to_owned() } else { describe(node) };
            Some(format!("add \"{name}\": {what}"))
        }
        ErrorKind::TypeInvalid | ErrorKind::Invalid if !given => node
            .default
            .as_ref()
            .map(|default| format!("the value is the default, {}", json::encode_string(default))),
        ErrorKind::TypeInvalid => Some(type_help(node, &error.bad_value)),
        ErrorKind::Invalid if error.detail().contains("should match") => None,
        ErrorKind::Invalid => {
            let words = describe(node);
            let bare = format!("{}, format ", node.ty.name());
            let says =
                words.contains(", ") && !INTEGERS.iter().any(|it| words == format!("{bare}{it}"));
            says.then(|| format!("expected {words}"))
        }
        _ => None,
    }
}

/// The field or key at the end of a path; none for an item of a list. Keys may have dots.
fn last_name(path: &str) -> Option<&str> {
    match path.strip_suffix(']').and_then(|it| it.rsplit_once('[')) {
        Some((_, key)) => Some(key).filter(|it| !it.bytes().all(|it| it.is_ascii_digit())),
        None => path.rsplit('.').next(),
    }
}

/// The value that the text of a path names.
fn value_at<'v>(object: &'v Value, path: &str) -> Option<&'v Value> {
    let (mut at, mut rest) = (object, path.trim_start_matches('.'));
    while !rest.is_empty() {
        let (key, left) = match rest.strip_prefix('[') {
            Some(inside) => inside.split_once(']')?,
            None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
        };
        at = match at.as_list() {
            Some(list) => list.as_slice().get(key.parse::<usize>().ok()?)?,
            None => at.get(key)?,
        };
        rest = left.trim_start_matches('.');
    }
    Some(at)
}

/// How to mend a value of an object that cannot be decoded.
pub(crate) fn for_unreadable(schema: &Schema, path: &str, object: &Value) -> Option<String> {
    let walk = walk(schema, path);
    let found = value_at(object, path).filter(|_| walk.rest.is_empty())?;
    let text = json::encode_string(found);
    match (&walk.node.ty, found) {
        (Type::String, Value::Bool(_) | Value::Int(_) | Value::Float(_)) => {
            Some("quote the value to make it text".to_owned())
        }
        (Type::Integer | Type::Number | Type::Boolean, Value::Str(it)) => {
            let is_quoted = it.parse::<f64>().is_ok() || matches!(it.as_str(), "true" | "false");
            let words = format!("expected {}", describe(walk.node));
            Some(if is_quoted { format!("write it without quotes; {words}") } else { words })
        }
        (Type::Array, it) if it.as_list().is_none() => {
            Some(format!("expected a list, such as [{text}]")).filter(|it| it.len() < LINE_MAX)
        }
        (Type::Object, it) if it.as_map().is_none() => {
            let names: Vec<&str> =
                walk.node.properties.iter().map(|it| it.0.as_str()).take(NAMED_MAX).collect();
            let fields = names.join(", ");
            Some(if fields.is_empty() {
                "expected an object".to_owned()
            } else {
                format!("expected an object with {fields}")
            })
        }
        _ => None,
    }
}

/// Longer help is no help.
const LINE_MAX: usize = 80;

fn type_help(node: &Node, found: &BadValue) -> String {
    let scalar = match found {
        BadValue::Value(Value::Str(text))
            if matches!(text.as_str(), "boolean" | "integer" | "number") =>
        {
            true
        }
        BadValue::Value(Value::Bool(_) | Value::Int(_) | Value::Float(_)) => true,
        _ => false,
    };
    if node.ty == Type::String && scalar {
        return format!("quote the value to make it text; expected {}", describe(node));
    }
    format!("expected {}", describe(node))
}

/// A node in a few words: type, bounds, allowed values, default.
#[must_use]
pub fn describe(node: &Node) -> String {
    let mut words = vec![match node.ty.name() {
        "" => "any value".to_owned(),
        name => name.to_owned(),
    }];
    if let Some(checks) = &node.validation {
        let mut bound = |name: &str, bound: Option<String>| {
            if let Some(bound) = bound {
                words.push(format!("{name} {bound}"));
            }
        };
        let float = |it: Option<f64>| it.map(ordain_value::number::go_float);
        let int = |it: Option<i64>| it.map(|it| it.to_string());
        bound("minimum", float(checks.minimum));
        bound("maximum", float(checks.maximum));
        bound("minLength", int(checks.min_length));
        bound("maxLength", int(checks.max_length));
        bound("minItems", int(checks.min_items));
        bound("maxItems", int(checks.max_items));
        bound("format", Some(checks.format.to_string()).filter(|it| !it.is_empty()));
        bound("pattern", Some(checks.pattern.to_string()).filter(|it| !it.is_empty()));
        if !checks.enumeration.is_empty() {
            let shown: Vec<String> =
                checks.enumeration.iter().take(NAMED_MAX).map(json::encode_string).collect();
            words.push(format!("one of {}", shown.join(", ")));
        }
    }
    if let Some(default) = &node.default {
        words.push(format!("default {}", json::encode_string(default)));
    }
    words.join(", ")
}

/// The name within a few edits of what was written.
pub(crate) fn nearest<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    let (in_found, found) = (bits(found), letters(found));
    // Enough for a plural: `family` and `families` are three edits apart.
    let allowed = ((found.len() + 1) / 3).clamp(1, 4);
    let near = |it: &&'a str| {
        // Each letter that one has more than the other is an edit.
        if it.chars().count().abs_diff(found.len()) > allowed {
            return None;
        }
        // So is each letter that only one of them has.
        if (in_found & !bits(it)).count_ones() as usize > allowed {
            return None;
        }
        let word = letters(it);
        // Who slips has begun right more often than not.
        let common = found.iter().zip(&word).take_while(|(a, b)| a == b).count();
        distance(&found, &word, allowed).map(|edits| (edits, found.len() - common, *it))
    };
    known.iter().filter_map(near).min().map(|(_, _, it)| it)
}

/// The set of letters in a word; some share a bit.
fn bits(word: &str) -> u64 {
    let bit = |it: char| 1_u64 << (u32::from(it) % 64);
    word.chars().flat_map(char::to_lowercase).take(LETTERS_MAX).fold(0, |all, it| all | bit(it))
}

/// Letters of a word that are compared.
const LETTERS_MAX: usize = 64;

/// The letters that are compared; nobody slips in names that are longer.
fn letters(word: &str) -> Vec<char> {
    word.chars().flat_map(char::to_lowercase).take(LETTERS_MAX).collect()
}

/// Edits (insert, remove, replace, swap of neighbours) between two words, unless there are more
/// than are allowed.
fn distance(a: &[char], b: &[char], allowed: usize) -> Option<usize> {
    let mut before: Vec<usize> = vec![usize::MAX; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut row = above.clone();
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row[j] = best;
        }
        // Every way to the end leads through one of two rows that follow each other.
        if row.iter().chain(&above).all(|it| *it > allowed) {
            return None;
        }
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut row);
    }
    Some(above[b.len()]).filter(|it| *it <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_keyboard_finds_its_name() {
        let known = ["replicas", "selector", "template"];
        assert_eq!(nearest("replcias", &known), Some("replicas"));
        assert_eq!(nearest("Template", &known), Some("template"));
        assert_eq!(nearest("zz", &known), None);
        assert_eq!(nearest("ipFamily", &["ipFamilyPolicy", "ipFamilies"]), Some("ipFamilies"));
    }

    #[test]
    fn paths_lead_to_values() {
        let object = ordain_value::value!({"spec": {"list": [{"a": 1}]}, "data": {"x.y": "z"}});
        assert_eq!(value_at(&object, "spec.list[0].a"), Some(&Value::Int(1)));
        assert_eq!(value_at(&object, "data[x.y]").and_then(Value::as_str), Some("z"));
        assert_eq!(value_at(&object, "spec.list[1]"), None);
    }

    #[test]
    fn names_end_paths() {
        for (path, name) in [
            ("spec.replicas", Some("replicas")),
            ("kind", Some("kind")),
            ("data[tls.key]", Some("tls.key")),
            ("spec.rules[0].verbs", Some("verbs")),
            ("spec.rules[0]", None),
        ] {
            assert_eq!(last_name(path), name, "{path}");
        }
    }
}
