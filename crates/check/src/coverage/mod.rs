//! Which constraints of a schema the cases of a table saw pass, and saw fail.

mod native;

use std::collections::BTreeMap;

use ordain_schema::{ListType, Node, NodeId, Schema, formats};
use ordain_value::Value;
use ordain_value::field::{Error, Kind as ErrorKind};

use crate::kind::{Kind, Verdict};

/// One constraint and what was seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub kind: String,
    /// Schema path with `[]` for items and `[*]` for map values.
    pub path: String,
    pub constraint: String,
    pub passed: bool,
    pub failed: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Coverage {
    seen: BTreeMap<(String, String, String), (bool, bool)>,
}

/// Schemas deeper than this are covered to here.
const DEPTH_MAX: usize = 32;
/// The origin of errors of CEL rules.
const CEL: &str = "x-kubernetes-validations";
/// Between a rule and the expression of its message.
const COMPUTED: &str = " => computed: ";

fn name(kind: &Kind) -> String {
    format!("{} {}", kind.api_version(), kind.kind)
}

impl Coverage {
    /// Takes in the constraints of a kind.
    pub(crate) fn add(&mut self, kind: &Kind) {
        let name = name(kind);
        let mut put = |path: &str, node: &Node| {
            for constraint in constraints(node) {
                self.seen.entry((name.clone(), path.to_owned(), constraint)).or_default();
            }
        };
        let schema = kind.schema();
        walk(schema, schema.root(), String::new(), &mut Vec::new(), &mut put);
        for rule in kind.native().iter().flat_map(|it| native::rules(it)) {
            self.seen.entry((name.clone(), rule.path, rule.constraint)).or_default();
        }
    }

    /// Notes what one verdict shows.
    pub(crate) fn note(&mut self, kind: &Kind, verdict: &Verdict) {
        let kind_name = name(kind);
        for error in &verdict.errors {
            let path = general(&error.path);
            for ((of, at, constraint), seen) in &mut self.seen {
                if *of == kind_name && fits(error, &path, at, constraint) {
                    seen.1 = true;
                }
            }
            self.note_computed(&kind_name, error, &path);
        }
        self.note_native(kind, &kind_name, verdict);
        let (Some(object), true) = (&verdict.object, verdict.is_accepted()) else { return };
        let mut places = Vec::new();
        visit(kind.schema(), kind.schema().root(), object, String::new(), 0, &mut places);
        for (path, constraint) in places {
            if let Some(seen) = self.seen.get_mut(&(kind_name.clone(), path, constraint)) {
                seen.0 = true;
            }
        }
    }

    /// A rule whose message is computed is recognized by the place of its error, unless the error has the
    /// words of another rule there; of several such rules by the texts in their expressions.
    fn note_computed(&mut self, kind: &str, error: &Error, path: &str) {
        if error.origin != CEL {
            return;
        }
        let detail = error.detail();
        let mut best = 0;
        let mut found = Vec::new();
        for (key, seen) in &self.seen {
            let (of, at, constraint) = key;
            let Some((_, expression)) = constraint.split_once(COMPUTED) else {
                if of == kind && fits(error, path, at, constraint) {
                    return;
                }
                continue;
            };
            let below = path == at || at.is_empty() || path.starts_with(&format!("{at}."));
            if of != kind || !below {
                continue;
            }
            let likeness =
                literals(expression).filter(|it| detail.contains(it)).map(str::len).sum();
            if likeness > best {
                best = likeness;
                found.clear();
            }
            if likeness == best {
                found.push((key.clone(), *seen));
            }
        }
        for (key, seen) in found {
            self.seen.insert(key, (seen.0, true));
        }
    }

    fn note_native(&mut self, kind: &Kind, kind_name: &str, verdict: &Verdict) {
        let Some(native) = kind.native() else { return };
        let accepted = verdict.object.as_ref().filter(|_| verdict.is_accepted());
        for rule in native::rules(native) {
            let failed = verdict.errors.iter().any(|it| rule.failed_with(it, &general(&it.path)))
                || verdict.warnings.iter().any(|it| {
                    it.split_once(": ").is_some_and(|it| rule.warned_with(&general(it.0)))
                });
            let passed = !failed && accepted.is_some_and(|it| rule.passed_by(it));
            let key = (kind_name.to_owned(), rule.path, rule.constraint);
            if let Some(seen) = self.seen.get_mut(&key) {
                *seen = (seen.0 || passed, seen.1 || failed);
            }
        }
    }

    pub(crate) fn lines(&self) -> Vec<Line> {
        self.seen
            .iter()
            .map(|((kind, path, constraint), (passed, failed))| Line {
                kind: kind.clone(),
                path: path.clone(),
                constraint: constraint.clone(),
                passed: *passed,
                failed: *failed,
            })
            .collect()
    }
}

/// Whether an object has a value at a general path.
fn is_there(value: &Value, path: &str) -> bool {
    let path = path.trim_start_matches('.');
    if path.is_empty() {
        return true;
    }
    if let Some(rest) = path.strip_prefix("[]") {
        return value.as_list().is_some_and(|list| list.iter().any(|it| is_there(it, rest)));
    }
    if let Some(rest) = path.strip_prefix("[*]") {
        return value.as_map().is_some_and(|map| map.iter().any(|(_, it)| is_there(it, rest)));
    }
    let end = path.find(['.', '[']).unwrap_or(path.len());
    value.get(&path[..end]).is_some_and(|it| is_there(it, &path[end..]))
}

/// The texts that stand in quotes in an expression.
fn literals(expression: &str) -> impl Iterator<Item = &str> {
    let quote = if expression.contains('\'') { '\'' } else { '"' };
    expression.split(quote).skip(1).step_by(2).filter(|it| !it.trim().is_empty())
}

/// `spec.ports[0].name` to `spec.ports[].name`.
pub(crate) fn general(path: &str) -> String {
    let mut out = String::new();
    let mut rest = if path == "<nil>" { "" } else { path };
    while let Some(open) = rest.find('[') {
        let close = rest[open..].find(']').map_or(rest.len(), |at| open + at);
        let inside = rest.get(open + 1..close).unwrap_or_default();
        out.push_str(&rest[..open]);
        let is_index = !inside.is_empty() && inside.bytes().all(|it| it.is_ascii_digit());
        out.push_str(if is_index { "[]" } else { "[*]" });
        rest = rest.get(close + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn fits(error: &Error, path: &str, at: &str, constraint: &str) -> bool {
    let detail = &error.detail();
    if let Some(rule) = constraint.strip_prefix("rule ") {
        if rule.contains(COMPUTED) {
            return false;
        }
        let message = rule.split_once(" => ").map_or(rule, |(_, message)| message);
        let below = path == at || at.is_empty() || path.starts_with(&format!("{at}."));
        return below
            && (detail.contains(message)
                || detail.contains("failed rule") && detail.contains(rule));
    }
    if let Some(field) = constraint.strip_prefix("required ") {
        let full = if at.is_empty() { field.to_owned() } else { format!("{at}.{field}") };
        return error.kind == ErrorKind::Required && path == full;
    }
    if constraint == "unique items" {
        return error.kind == ErrorKind::Duplicate && path == format!("{at}[]");
    }
    if constraint.starts_with("union") {
        let inside = path.strip_prefix(at).map(|it| it.trim_start_matches('.'));
        return inside.is_some_and(|it| !it.contains(['.', '['])) && is_of_union(detail);
    }
    if path != at {
        return false;
    }
    match constraint {
        "enum" => error.kind == ErrorKind::NotSupported,
        "maxLength" => error.kind == ErrorKind::TooLong,
        "maxItems" | "maxProperties" => error.kind == ErrorKind::TooMany,
        "minimum" => detail.contains("greater than"),
        "maximum" => detail.contains("less than"),
        "minLength" => detail.contains("at least") && detail.contains("chars"),
        "minItems" => detail.contains("at least") && detail.contains("items"),
        "minProperties" => detail.contains("at least") && detail.contains("properties"),
        "multipleOf" => detail.contains("multiple of"),
        "pattern" => detail.contains("should match"),
        "format" => detail.contains("must be of type") && error.kind == ErrorKind::Invalid,
        junctor => detail.contains(&format!("({junctor})")),
    }
}

/// Whether an error speaks of a union and its members.
fn is_of_union(detail: &str) -> bool {
    ["must specify", "may only be specified when", "supported values", "must be specified"]
        .iter()
        .any(|it| detail.contains(it))
}

/// The constraints of a node by name.
fn constraints(node: &Node) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if let Some(checks) = node.validation.as_deref() {
        for (name, is_there) in [
            ("enum", !checks.enumeration.is_empty()),
            ("maxLength", checks.max_length.is_some()),
            ("minLength", checks.min_length.is_some()),
            ("maxItems", checks.max_items.is_some()),
            ("minItems", checks.min_items.is_some()),
            ("maxProperties", checks.max_properties.is_some()),
            ("minProperties", checks.min_properties.is_some()),
            ("minimum", checks.minimum.is_some()),
            ("maximum", checks.maximum.is_some()),
            ("multipleOf", checks.multiple_of.is_some()),
            ("pattern", !checks.pattern.is_empty()),
            (
                "format",
                formats::is_recognized(
                    node.ty.name(),
                    &checks.format,
                    ordain_meta::KubeVersion::CURRENT,
                ),
            ),
            ("allOf", !checks.all_of.is_empty()),
            ("anyOf", !checks.any_of.is_empty()),
            ("oneOf", !checks.one_of.is_empty()),
            ("not", checks.not.is_some()),
        ] {
            if is_there {
                names.push(name.to_owned());
            }
        }
        names.extend(checks.required.iter().map(|field| format!("required {field}")));
    }
    if matches!(node.list_type, Some(ListType::Set | ListType::Map)) {
        names.push("unique items".to_owned());
    }
    for union in node.declared.iter().flat_map(|it| &it.unions) {
        let by = union.discriminator.as_deref().unwrap_or_default();
        names.push(format!("union {by}").trim_end().to_owned());
    }
    for rule in &node.rules {
        let text = rule.rule.lines().next().unwrap_or_default();
        names.push(match (rule.message.as_str(), rule.message_expression.as_str()) {
            ("", "") => format!("rule {text}"),
            (message, "") => format!("rule {text} => {message}"),
            (_, expression) => format!("rule {text}{COMPUTED}{expression}"),
        });
    }
    names
}

fn child(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Visits a node and what is inside of it. A type that contains itself is entered once, so that
/// `above`, the nodes on the way down, bounds the walk.
fn walk(
    schema: &Schema,
    id: NodeId,
    path: String,
    above: &mut Vec<NodeId>,
    put: &mut dyn FnMut(&str, &Node),
) {
    if above.len() > DEPTH_MAX || above.contains(&id) {
        return;
    }
    let node = schema.node(id);
    put(&path, node);
    above.push(id);
    for (name, property) in &node.properties {
        walk(schema, *property, child(&path, name), above, put);
    }
    if let Some(items) = node.items {
        walk(schema, items, format!("{path}[]"), above, put);
    }
    if let Some(values) = node.additional_node() {
        walk(schema, values, format!("{path}[*]"), above, put);
    }
    above.pop();
}

/// The constraints that hold for the values of an accepted object.
fn visit(
    schema: &Schema,
    id: NodeId,
    value: &Value,
    path: String,
    depth: usize,
    out: &mut Vec<(String, String)>,
) {
    if depth > DEPTH_MAX {
        return;
    }
    let node = schema.node(id);
    out.extend(constraints(node).into_iter().map(|constraint| (path.clone(), constraint)));
    match value {
        Value::Map(map) => {
            for (key, value) in map.iter() {
                match (node.property(key), node.additional_node()) {
                    (Some(property), _) => {
                        visit(schema, property, value, child(&path, key), depth + 1, out);
                    }
                    (None, Some(values)) => {
                        visit(schema, values, value, format!("{path}[*]"), depth + 1, out);
                    }
                    (None, None) => {}
                }
            }
        }
        Value::List(list) => {
            for item in list.iter() {
                if let Some(items) = node.items {
                    visit(schema, items, item, format!("{path}[]"), depth + 1, out);
                }
            }
        }
        _ => {}
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match (self.passed, self.failed) {
            (true, true) => "seen to pass and to fail",
            (true, false) => "never failed",
            (false, true) => "never passed",
            (false, false) => "never seen",
        };
        let path = if self.path.is_empty() { "<root>" } else { &self.path };
        write!(f, "{what}: {path}: {} ({})", self.constraint, self.kind)
    }
}

/// How many constraints were seen to pass and to fail.
pub(crate) fn covered(lines: &[Line]) -> usize {
    lines.iter().filter(|line| line.passed && line.failed).count()
}

/// The constraints that something is missing for, with the share that is covered.
pub(crate) fn text(table: &str, lines: &[Line]) -> String {
    use std::fmt::Write;
    let covered = covered(lines);
    let mut out =
        format!("{table}: {covered} of {} constraints seen to pass and to fail\n", lines.len());
    for line in lines.iter().filter(|it| !(it.passed && it.failed)) {
        let _ = writeln!(out, "  {line}");
    }
    out
}
