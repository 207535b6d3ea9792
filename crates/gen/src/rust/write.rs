//! Modules as text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ordain_schema::declared::{Kind, Version};
use ordain_schema::{NodeId, Type};
use ordain_value::go_quote;

use super::types::{self, Declarations, Enum, Field, Struct, Types};
use super::{accessors, names};

/// The module of one version of a kind.
pub(super) fn module(kind: &Kind, version: &Version) -> String {
    let schema = &version.schema;
    let root = schema.root_node();
    let kind_name = names::camel(&kind.kind);
    let spec = root.property("spec").filter(|id| is_struct(schema, *id));
    let has = |name: &str| root.property(name).is_some();
    let only_known = root.properties.iter().all(|(name, _)| {
        matches!(name.as_str(), "apiVersion" | "kind" | "metadata" | "spec" | "status")
    });
    let derive = spec.filter(|_| only_known);
    let spec_name = format!("{kind_name}Spec");
    let mut taken = vec![kind_name.clone(), "CustomResource".into(), "Serialize".into()];
    taken.push("Deserialize".into());
    if derive.is_some() {
        taken.push(spec_name.clone());
    }
    let mut types = Types::new(schema, taken);
    let mut status = None;
    let mut own = Vec::new();
    match derive {
        Some(spec) => {
            types.object(spec, &spec_name, true);
            status = root.property("status").filter(|id| is_struct(schema, *id));
            status = status.filter(|_| has("status"));
        }
        None => {
            let wanted = |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata");
            own = types.fields(root, &kind_name, &wanted);
        }
    }
    let status = status.map(|id| types.object(id, &format!("{kind_name}Status"), false));
    let mut out = String::from(super::HEADER);
    out.push('\n');
    if derive.is_some() {
        out.push_str("use kube::CustomResource;\n");
    }
    out.push_str("use serde::{Deserialize, Serialize};\n");
    let declarations = types.out;
    let defaults = with_default(&declarations);
    if derive.is_none() {
        write_root(kind, version, &own, &defaults, &mut out);
    }
    for made in &declarations.structs {
        out.push('\n');
        let is_spec = derive.is_some() && made.name == spec_name;
        write_doc(&made.doc, "", &mut out);
        if is_spec {
            write_doc(&of_kind(version, &made.doc), "", &mut out);
        }
        write_derives(made, is_spec, &defaults, &mut out);
        if is_spec {
            write_kube(kind, version, status.as_deref(), &mut out);
        }
        write_struct(made, &mut out);
        if is_spec {
            accessors::generation(&kind_name, &mut out);
        }
    }
    for made in &declarations.enums {
        out.push('\n');
        write_enum(made, &mut out);
    }
    out
}

/// What holds for the object around a spec, behind what is said of the spec.
fn of_kind(version: &Version, before: &str) -> String {
    let lines = crate::docs::constraint_lines(&version.schema, version.schema.root());
    let mut out = String::new();
    for line in lines {
        out.push_str(&format!("- {}\n", line.replace('\n', " ")));
    }
    out.push_str(&name_line(version));
    if out.is_empty() || before.is_empty() {
        return out;
    }
    format!("\n{out}")
}

/// The format that names of objects have.
fn name_line(version: &Version) -> String {
    let format = version.name_format.as_ref();
    format.map(|it| format!("- Names have the format `{it}`.\n")).unwrap_or_default()
}

fn is_struct(schema: &ordain_schema::Schema, id: NodeId) -> bool {
    let node = schema.node(id);
    node.ty == Type::Object && !node.properties.is_empty()
}

/// The structs that have a value of their own accord: all their required fields do.
fn with_default(declarations: &Declarations) -> BTreeSet<String> {
    let mut out: BTreeSet<String> =
        declarations.structs.iter().map(|made| made.name.clone()).collect();
    loop {
        let before = out.len();
        for made in &declarations.structs {
            let all = made.fields.iter().all(|field| {
                !field.required || field.has_default || out.contains(field.ty.as_str())
            });
            if !all {
                out.remove(&made.name);
            }
        }
        if out.len() == before {
            return out;
        }
    }
}

fn write_derives(made: &Struct, is_spec: bool, defaults: &BTreeSet<String>, out: &mut String) {
    let resource = if is_spec { "CustomResource, " } else { "" };
    let default = if defaults.contains(&made.name) { ", Default" } else { "" };
    let _ = writeln!(
        out,
        "#[derive({resource}Clone, Debug, Deserialize, PartialEq, Serialize{default})]"
    );
}

fn write_kube(kind: &Kind, version: &Version, status: Option<&str>, out: &mut String) {
    let mut lines = vec![
        format!("group = {}", go_quote(&kind.group)),
        format!("version = {}", go_quote(&version.name)),
        format!("kind = {}", go_quote(&kind.kind)),
        format!("plural = {}", go_quote(&kind.plural)),
        format!("singular = {}", go_quote(&kind.singular)),
    ];
    lines.extend(kind.short_names.iter().map(|name| format!("shortname = {}", go_quote(name))));
    lines.extend(kind.categories.iter().map(|name| format!("category = {}", go_quote(name))));
    if kind.namespaced {
        lines.push("namespaced".into());
    }
    lines.extend(status.map(|name| format!("status = {}", go_quote(name))));
    lines.push("derive = \"PartialEq\"".into());
    lines.push("schema = \"disabled\"".into());
    let _ = writeln!(out, "#[kube(\n    {}\n)]", lines.join(",\n    "));
}

fn write_struct(made: &Struct, out: &mut String) {
    if made.fields.iter().any(|field| field.name.trim_start_matches("r#") != field.json.as_str()) {
        out.push_str("#[serde(rename_all = \"camelCase\")]\n");
    }
    let _ = writeln!(out, "pub struct {} {{", made.name);
    made.fields.iter().for_each(|field| write_field(field, out));
    if made.open {
        out.push_str("    /// What else there is.\n    #[serde(flatten)]\n");
        out.push_str("    pub other: std::collections::BTreeMap<String, serde_json::Value>,\n");
    }
    out.push_str("}\n");
}

fn write_field(field: &Field, out: &mut String) {
    write_doc(&field.doc, "    ", out);
    let mut serde = Vec::new();
    if names::serde_camel(&field.name) != field.json.as_str() {
        serde.push(format!("rename = {}", go_quote(&field.json)));
    }
    if !field.required {
        serde.push("default".into());
        serde.push("skip_serializing_if = \"Option::is_none\"".into());
    }
    if !serde.is_empty() {
        let _ = writeln!(out, "    #[serde({})]", serde.join(", "));
    }
    let ty = if field.required { field.ty.clone() } else { format!("Option<{}>", field.ty) };
    let _ = writeln!(out, "    pub {}: {ty},", field.name);
}

fn write_enum(made: &Enum, out: &mut String) {
    write_doc(&made.doc, "", out);
    out.push_str("#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]\n");
    let _ = writeln!(out, "pub enum {} {{", made.name);
    for (variant, text) in &made.variants {
        if variant != text.as_str() {
            let _ = writeln!(out, "    #[serde(rename = {})]", go_quote(text));
        }
        let _ = writeln!(out, "    {variant},");
    }
    out.push_str("}\n");
}

/// A comment of documentation; the author's lines stay lines.
fn write_doc(doc: &str, indent: &str, out: &mut String) {
    for line in doc.lines() {
        let line = line.trim_end();
        let blank = if line.is_empty() { "" } else { " " };
        let _ = writeln!(out, "{indent}///{blank}{line}");
    }
}

/// A kind that is not made of spec and status alone: a struct with metadata, known to `kube`.
fn write_root(
    kind: &Kind,
    version: &Version,
    own: &[Field],
    defaults: &BTreeSet<String>,
    out: &mut String,
) {
    let name = names::camel(&kind.kind);
    let fields: Vec<Field> = own.to_vec();
    let has_default = fields
        .iter()
        .all(|field| !field.required || field.has_default || defaults.contains(&field.ty));
    out.push('\n');
    let doc = types::doc(&version.schema, version.schema.root());
    write_doc(&doc, "", out);
    write_doc(&name_line(version), "", out);
    let default = if has_default { ", Default" } else { "" };
    let _ = writeln!(out, "#[derive(Clone, Debug, Deserialize, PartialEq, Serialize{default})]");
    out.push_str("#[serde(rename_all = \"camelCase\")]\n");
    let _ = writeln!(out, "pub struct {name} {{");
    out.push_str("    pub api_version: String,\n    pub kind: String,\n");
    out.push_str("    pub metadata: kube::core::ObjectMeta,\n");
    fields.iter().for_each(|field| write_field(field, out));
    out.push_str("}\n\n");
    write_resource(&name, kind, version, out);
    accessors::parts(&name, &fields, out);
    accessors::generation(&name, out);
}

/// What makes a struct known to `kube`: its names, its scope and its metadata.
fn write_resource(name: &str, kind: &Kind, version: &Version, out: &mut String) {
    let scope = if kind.namespaced { "NamespaceResourceScope" } else { "ClusterResourceScope" };
    let api_version = match kind.group.as_str() {
        "" => version.name.to_string(),
        group => format!("{group}/{}", version.name),
    };
    let _ = write!(
        out,
        "impl kube::Resource for {name} {{
    type DynamicType = ();
    type Scope = kube::core::{scope};

    fn kind(_: &()) -> std::borrow::Cow<'_, str> {{
        {kind}.into()
    }}

    fn group(_: &()) -> std::borrow::Cow<'_, str> {{
        {group}.into()
    }}

    fn version(_: &()) -> std::borrow::Cow<'_, str> {{
        {version}.into()
    }}

    fn api_version(_: &()) -> std::borrow::Cow<'_, str> {{
        {api_version}.into()
    }}

    fn plural(_: &()) -> std::borrow::Cow<'_, str> {{
        {plural}.into()
    }}

    fn meta(&self) -> &kube::core::ObjectMeta {{
        &self.metadata
    }}

    fn meta_mut(&mut self) -> &mut kube::core::ObjectMeta {{
        &mut self.metadata
    }}
}}
",
        kind = go_quote(&kind.kind),
        group = go_quote(&kind.group),
        version = go_quote(&version.name),
        api_version = go_quote(&api_version),
        plural = go_quote(&kind.plural),
    );
}
