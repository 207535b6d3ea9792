//! Quick fixes for diagnostics: take the suggestion, remove the unknown field, add the
//! required one.

use std::ops::Range;

use ordain_check::{Catalog, Finding, Input, Manifest, Source, manifest};
use ordain_schema::{Node, Type};
use ordain_value::{Map, Value, json, value};

use crate::place::{self, Step};
use crate::text::Text;
use crate::{diagnostics, modeline};

/// An edit that mends a finding.
struct Fix {
    title: String,
    bytes: Range<usize>,
    text: String,
}

/// The quick fixes for findings that touch a range of a text.
pub(crate) fn within(
    catalog: &Catalog,
    name: &str,
    text: &Text,
    role: &ordain_check::Role,
    range: &Value,
) -> Value {
    let at = |key: &str| range.get(key).map_or(0, |it| text.offset(it));
    let (start, end) = (at("start"), at("end"));
    let touches = |it: &&Finding| it.location.bytes.start <= end && start <= it.location.bytes.end;
    let role = modeline::role(&text.content, role);
    let input = Input::text(Source::new(name, text.content.as_bytes())).taken_for(role);
    let findings = diagnostics::findings(catalog, Vec::new(), input);
    let contents = manifest::read(0, &Source::new("a.yaml", text.content.as_bytes()));
    let mut actions = Vec::new();
    for finding in findings.iter().filter(touches) {
        let Some(manifest) = around(&contents.manifests, finding) else { continue };
        for fix in fixes(catalog, text, manifest, finding) {
            actions.push(action(name, text, finding, fix));
        }
    }
    actions.into()
}

fn around<'m>(manifests: &'m [Manifest], finding: &Finding) -> Option<&'m Manifest> {
    let object = finding.object.as_ref()?;
    let starts = |it: &&Manifest| it.start.bytes.start <= finding.location.bytes.start;
    let is_it = |it: &&Manifest| it.name() == object.name && it.gvk.kind == object.kind.as_str();
    manifests.iter().filter(starts).rfind(is_it)
}

fn action(uri: &str, text: &Text, finding: &Finding, fix: Fix) -> Value {
    let edit = value!({"range": text.range(fix.bytes), "newText": (fix.text.as_str())});
    let mut changes = Map::new();
    changes.insert(uri, Value::from(vec![edit]));
    value!({
        "title": (fix.title.as_str()),
        "kind": "quickfix",
        "isPreferred": (finding.help.as_ref().is_some_and(|it| it.starts_with("did you mean"))),
        "diagnostics": [diagnostics::shown(text, finding)],
        "edit": {"changes": Value::Map(changes)}
    })
}

fn fixes(catalog: &Catalog, text: &Text, manifest: &Manifest, finding: &Finding) -> Vec<Fix> {
    let mut fixes = Vec::new();
    let help = finding.help.as_deref().unwrap_or_default();
    let meant = help.strip_prefix("did you mean \"").and_then(|it| it.split_once('"'));
    if let Some((meant, _)) = meant {
        let bytes = finding.location.bytes.clone();
        let title = format!("Change to \"{meant}\"");
        fixes.push(Fix { title, bytes, text: meant.to_owned() });
    }
    if finding.id == "unknown-field"
        && let Some(bytes) = lines_of(text, manifest, &finding.field)
    {
        let title = format!("Remove \"{}\"", finding.field);
        fixes.push(Fix { title, bytes, text: String::new() });
    }
    if finding.reason == "FieldValueRequired" {
        fixes.extend(missing(catalog, text, manifest, &finding.field));
    }
    fixes
}

/// The whole lines of a field in block style.
fn lines_of(text: &Text, manifest: &Manifest, field: &str) -> Option<Range<usize>> {
    let path = inside(manifest, field);
    let place = manifest.marks.find(&path).filter(|it| it.exact)?;
    let key = place.mark.key.as_ref()?;
    let content = &text.content;
    let start = content.get(..key.bytes.start)?.rfind('\n').map_or(0, |at| at + 1);
    if !content.get(start..key.bytes.start)?.trim().is_empty() {
        return None;
    }
    let end = place.mark.value.bytes.end.max(key.bytes.end);
    let value = content.get(key.bytes.start..end)?.trim_end();
    let end = key.bytes.start + value.len();
    let behind = content.get(end..)?;
    let line = behind.split('\n').next().unwrap_or_default();
    // Something else on the line, other than a comment, is a mapping in brackets.
    let rest = line.trim_start().trim_start_matches(':').trim();
    let is_alone = rest.is_empty() || rest.starts_with('#');
    is_alone.then(|| start..(end + line.len() + 1).min(content.len()))
}

fn inside(manifest: &Manifest, field: &str) -> String {
    match manifest.prefix.as_str() {
        "" => field.to_owned(),
        prefix => format!("{prefix}.{field}"),
    }
}

/// A line for a field that is missing.
fn missing(catalog: &Catalog, text: &Text, manifest: &Manifest, field: &str) -> Option<Fix> {
    let (above, name) = field.rsplit_once('.').unwrap_or(("", field));
    let place = manifest.marks.find(&inside(manifest, above)).filter(|it| it.exact)?;
    let marks = &manifest.marks;
    let last = marks.keys(place.mark).last()?.1;
    let first = marks.keys(place.mark).next()?.1.key.as_ref()?;
    let content = &text.content;
    // In brackets there are no lines to add.
    if content.get(place.mark.value.bytes.clone())?.starts_with(['{', '[']) {
        return None;
    }
    let kind = catalog.find(&manifest.gvk).ok()?;
    let node = place::node(kind.schema(), &steps(field))?;
    let end = last.value.bytes.end.max(last.key.as_ref()?.bytes.end);
    let value = content.get(first.bytes.start..end)?.trim_end();
    let end = first.bytes.start + value.len();
    let end = end + content.get(end..)?.find('\n').unwrap_or(content.len() - end);
    let line = format!("\n{}{name}: {}", " ".repeat(first.column.saturating_sub(1)), blank(node));
    Some(Fix { title: format!("Add \"{field}\""), bytes: end..end, text: line })
}

/// The steps of a path such as `spec.ports[0].name`.
fn steps(field: &str) -> Vec<Step> {
    let spelled = field.replace('[', ".[");
    let step = |it: &str| match it.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        Some(index) => index.parse().map_or_else(|_| Step::Key(index.to_owned()), Step::Item),
        None => Step::Key(it.to_owned()),
    };
    spelled.split('.').filter(|it| !it.is_empty()).map(step).collect()
}

/// Something to start from.
fn blank(node: &Node) -> String {
    let listed = node.validation.as_ref().and_then(|it| it.enumeration.first());
    if let Some(value) = node.default.as_ref().or(listed) {
        return json::encode_string(value);
    }
    match node.ty {
        Type::Integer | Type::Number => "0".to_owned(),
        Type::Boolean => "false".to_owned(),
        Type::Array => "[]".to_owned(),
        Type::String => "\"\"".to_owned(),
        _ => "{}".to_owned(),
    }
}
