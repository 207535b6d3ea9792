//! Kinds to pages.

use std::collections::HashMap;

use ordain_schema::declared::{Kind, Version};
use ordain_schema::{Node, NodeId, Rule, Schema};
use ordain_value::{Text, yaml};

use super::page::{Block, Cell, FieldRow, Page, Span, code, text};
use super::words::{self, constraints, shown, type_of};

/// The page that lists all kinds.
pub(super) fn index(entries: &[(&Kind, String)]) -> Page {
    let mut page = Page { title: "API reference".into(), blocks: Vec::new() };
    let rows = entries
        .iter()
        .map(|(kind, file)| {
            let versions: Vec<&str> = kind.versions.iter().map(|it| it.name.as_str()).collect();
            vec![
                vec![vec![Span::Link(kind.kind.to_string(), file.clone())]],
                vec![vec![code(kind.group.as_str())]],
                vec![vec![text(versions.join(", "))]],
                vec![vec![Span::Prose(first_sentence(kind))]],
            ]
        })
        .collect();
    page.blocks.push(Block::Table(vec!["Kind", "Group", "Versions", "Description"], rows));
    page
}

fn first_sentence(kind: &Kind) -> String {
    let Some(version) = latest(kind) else { return String::new() };
    let description = description(version.schema.root_node());
    let paragraph = description.split("\n\n").next().unwrap_or("").replace('\n', " ");
    match paragraph.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => paragraph,
    }
}

/// The version that speaks for the kind: the stored one.
fn latest(kind: &Kind) -> Option<&Version> {
    kind.version(&kind.storage_version).or(kind.versions.last())
}

fn description(node: &Node) -> &str {
    node.docs.as_ref().map_or("", |docs| docs.description.as_str())
}

/// The page of a kind.
pub(super) fn kind(kind: &Kind) -> Page {
    let mut page = Page { title: kind.kind.to_string(), blocks: Vec::new() };
    if let Some(version) = latest(kind) {
        page.blocks.push(Block::Prose(description(version.schema.root_node()).to_string()));
    }
    page.blocks.push(Block::Table(vec!["Property", "Value"], properties(kind)));
    for version in &kind.versions {
        self::version(kind, version, &mut page.blocks);
    }
    page
}

fn properties(kind: &Kind) -> Vec<Vec<Cell>> {
    let names = |names: &[Text]| -> Vec<Span> {
        let mut out = Vec::new();
        for (at, name) in names.iter().enumerate() {
            if at > 0 {
                out.push(text(", "));
            }
            out.push(code(name.as_str()));
        }
        out
    };
    let scope = if kind.namespaced { "Namespaced" } else { "Cluster" };
    let mut rows = vec![
        ("Group", vec![code(kind.group.as_str())]),
        ("Kind", vec![code(kind.kind.as_str())]),
        ("Resource", vec![code(kind.plural.as_str())]),
        ("Scope", vec![text(scope)]),
    ];
    if !kind.short_names.is_empty() {
        rows.push(("Short names", names(&kind.short_names)));
    }
    if !kind.categories.is_empty() {
        rows.push(("Categories", names(&kind.categories)));
    }
    let versions: Vec<Text> = kind.versions.iter().map(|it| it.name.clone()).collect();
    rows.push(("Versions", names(&versions)));
    rows.push(("Stored as", vec![code(kind.storage_version.as_str())]));
    rows.into_iter().map(|(name, value)| vec![vec![vec![text(name)]], vec![value]]).collect()
}

fn version(kind: &Kind, version: &Version, blocks: &mut Vec<Block>) {
    let anchor = version.name.to_string();
    blocks.push(Block::Heading(2, anchor, vec![code(version.name.as_str())]));
    if version.deprecated {
        let warning =
            version.deprecation_warning.as_deref().unwrap_or("This version is deprecated.");
        blocks.push(Block::Paragraph(vec![
            Span::Strong("Deprecated. ".into()),
            Span::Prose(warning.to_string()),
        ]));
    }
    if !version.served {
        blocks.push(Block::Paragraph(vec![text("This version is not served.")]));
    }
    let mut facts = Vec::new();
    if version.status {
        facts.push(vec![text("Has a "), code("status"), text(" subresource.")]);
    }
    if let Some(scale) = &version.scale {
        facts.push(vec![text("Scales by "), code(scale.spec_replicas_path.as_str()), text(".")]);
    }
    if !version.selectable_fields.is_empty() {
        let mut line = vec![text("Field selectors may name ")];
        for (at, field) in version.selectable_fields.iter().enumerate() {
            if at > 0 {
                line.push(text(", "));
            }
            line.push(code(field.as_str()));
        }
        line.push(text("."));
        facts.push(line);
    }
    if let Some(format) = &version.name_format {
        facts.push(vec![text("Names have the format "), code(format.as_str()), text(".")]);
    }
    if !facts.is_empty() {
        blocks.push(Block::List(facts));
    }
    Fields::new(&version.schema, &version.name).write(blocks);
    columns(version, blocks);
    blocks.push(Block::Heading(3, format!("{}-example", version.name), vec![text("Example")]));
    blocks.push(Block::Code("yaml", yaml::encode(&super::example(kind, version))));
}

fn columns(version: &Version, blocks: &mut Vec<Block>) {
    if version.columns.is_empty() {
        return;
    }
    blocks.push(Block::Heading(3, format!("{}-columns", version.name), vec![text("Columns")]));
    let rows = version
        .columns
        .iter()
        .map(|column| {
            vec![
                vec![vec![text(column.name.as_str())]],
                vec![vec![text(column.ty.as_str())]],
                vec![vec![code(column.json_path.as_str())]],
                vec![vec![Span::Prose(column.description.to_string())]],
            ]
        })
        .collect();
    blocks.push(Block::Table(vec!["Column", "Type", "Path", "Description"], rows));
}

/// Whether a rule is reported in the row of the field that it is about.
fn is_about_a_field(node: &Node, rule: &Rule) -> bool {
    let name = rule.field_path.strip_prefix('.');
    name.is_some_and(|name| node.property(name).is_some())
}

/// The tables of fields of one version: one for each object, shared objects once.
struct Fields<'s> {
    schema: &'s Schema,
    version: &'s str,
    /// Where objects are described, by their fields.
    described: HashMap<Vec<NodeId>, String>,
    waiting: Vec<(String, NodeId)>,
}

impl<'s> Fields<'s> {
    fn new(schema: &'s Schema, version: &'s str) -> Self {
        Self { schema, version, described: HashMap::new(), waiting: Vec::new() }
    }

    fn write(mut self, blocks: &mut Vec<Block>) {
        self.object("", self.schema.root(), blocks);
        while let Some((path, id)) = self.waiting.pop() {
            let anchor = self.anchor(&path);
            blocks.push(Block::Heading(3, anchor, vec![code(path.as_str())]));
            // The type speaks here; what a place adds to it stands in the place's row.
            let node = self.type_of_place(id);
            let rules: Vec<Vec<Span>> = constraints(node, &|rule| !is_about_a_field(node, rule));
            if !description(node).is_empty() {
                blocks.push(Block::Prose(description(node).to_string()));
            }
            if !rules.is_empty() {
                blocks.push(Block::List(rules));
            }
            self.object(&path, id, blocks);
        }
    }

    /// The node of the type that a place uses, or the place when its type has no name.
    fn type_of_place(&self, id: NodeId) -> &'s Node {
        let node = self.schema.node(id);
        let plain = node.declared.as_ref().and_then(|it| it.type_node);
        plain.map_or(node, |plain| self.schema.node(plain))
    }

    fn anchor(&self, path: &str) -> String {
        let path: String = path
            .chars()
            .map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
            .collect();
        format!("{}-{}", self.version, path.trim_matches('-').replace("--", "-"))
    }

    /// The table of an object's fields; objects in them wait for tables of their own.
    fn object(&mut self, path: &str, id: NodeId, blocks: &mut Vec<Block>) {
        let node = self.schema.node(id);
        let required =
            node.validation.as_ref().map(|it| it.required.as_slice()).unwrap_or_default();
        let mut rows = Vec::new();
        let mut found = Vec::new();
        for (name, child) in &node.properties {
            let root_field =
                path.is_empty() && matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            let inner = if root_field { None } else { self.inner_object(&path, *child) };
            let link = inner.map(|(path, id)| self.link(path, id, &mut found));
            let mut row = self.row(name, *child, required.contains(name), link);
            if let Some(words) = row.last_mut() {
                let about = |rule: &Rule| rule.field_path.strip_prefix('.') == Some(name.as_str());
                words.extend(node.rules.iter().filter(|it| about(it)).map(words::rule));
            }
            let anchor = format!("{}:{path}", self.version);
            rows.push(FieldRow { path, anchor, cells: row });
        }
        found.reverse();
        self.waiting.append(&mut found);
        if !rows.is_empty() {
            blocks.push(Block::Fields(rows));
        }
    }

    /// The object with fields in a place, behind lists and maps.
    fn inner_object(&self, path: &str, id: NodeId) -> Option<(String, NodeId)> {
        let (mut path, mut id) = (path.to_string(), id);
        for _ in 0..16 {
            let node = self.schema.node(id);
            if !node.properties.is_empty() {
                return Some((path, id));
            }
            match (node.items, node.additional_node()) {
                (Some(items), _) => {
                    path.push_str("[]");
                    id = items;
                }
                (None, Some(values)) => {
                    path.push_str("{}");
                    id = values;
                }
                (None, None) => return None,
            }
        }
        None
    }

    fn link(&mut self, path: String, id: NodeId, found: &mut Vec<(String, NodeId)>) -> String {
        let fields: Vec<NodeId> =
            self.schema.node(id).properties.iter().map(|(_, child)| *child).collect();
        if let Some(known) = self.described.get(&fields) {
            return known.clone();
        }
        let anchor = format!("#{}", self.anchor(&path));
        self.described.insert(fields, anchor.clone());
        found.push((path, id));
        anchor
    }

    fn row(&self, name: &str, id: NodeId, required: bool, link: Option<String>) -> Vec<Cell> {
        let node = self.schema.node(id);
        let linked = link.is_some();
        let field = match link {
            Some(link) => Span::Link(name.to_string(), link),
            None => code(name),
        };
        let mut ty = vec![vec![text(type_of(self.schema, id, 0))]];
        if required {
            ty.push(vec![Span::Strong("required".into())]);
        }
        // A required field has the zero value that stands in its place by itself.
        let default = node.default.as_ref().filter(|value| !required || !crate::is_zero(value));
        let default = default.map(|value| vec![code(shown(value))]);
        let mut words = Vec::new();
        if !description(node).is_empty() {
            words.push(vec![Span::Prose(description(node).to_string())]);
        }
        let own = constraints(node, &|rule| !is_about_a_field(node, rule));
        if linked && node.items.is_none() && node.additional_node().is_none() {
            // What the type says itself stands where the link leads.
            let plain = self.type_of_place(id);
            let of_type = constraints(plain, &|_| true);
            let named = !std::ptr::eq(plain, node);
            words.extend(own.into_iter().filter(|it| named && !of_type.contains(it)));
        } else {
            words.extend(own);
        }
        let inner = node.items.or_else(|| node.additional_node());
        let described = inner.is_some_and(|it| !self.schema.node(it).properties.is_empty());
        if !(linked && described) {
            words.extend(words::element_constraints(self.schema, node));
        }
        vec![vec![vec![field]], ty, default.into_iter().collect(), words]
    }
}
