//! Places of a schema as Rust types: structs and enums get names, the rest is spelled out.

use std::collections::{BTreeSet, HashMap};

use ordain_schema::{Additional, Node, NodeId, Schema, Type};
use ordain_value::{Text, json};

use super::names;

const META: &str = "k8s_openapi::apimachinery::pkg::apis::meta::v1";
const JSON: &str = "serde_json::Value";

/// A struct to be written.
#[derive(Clone, Debug)]
pub(super) struct Struct {
    pub name: String,
    pub doc: String,
    pub fields: Vec<Field>,
    /// Unknown keys are kept.
    pub open: bool,
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub json: Text,
    pub name: String,
    pub doc: String,
    pub ty: String,
    pub required: bool,
    /// Whether the type has a value of its own accord.
    pub has_default: bool,
}

/// An enum of texts to be written.
#[derive(Clone, Debug)]
pub(super) struct Enum {
    pub name: String,
    pub doc: String,
    /// Variants with their texts.
    pub variants: Vec<(String, Text)>,
}

/// What a module declares, in order of discovery.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    pub structs: Vec<Struct>,
    pub enums: Vec<Enum>,
}

/// Names the types of a schema.
pub(super) struct Types<'s> {
    schema: &'s Schema,
    /// Names by the fields of an object, so that each is written once.
    known: HashMap<Vec<NodeId>, String>,
    enums: HashMap<Vec<Text>, String>,
    taken: BTreeSet<String>,
    /// Structs whose fields are being made; a value of one inside itself goes into a box.
    open: Vec<String>,
    /// Lists and maps whose elements are being spelled.
    containers: Vec<NodeId>,
    pub out: Declarations,
}

/// A type's spelling, and whether it has a value of its own accord.
struct Spelled {
    text: String,
    has_default: bool,
}

impl<'s> Types<'s> {
    pub(super) fn new(schema: &'s Schema, taken: impl IntoIterator<Item = String>) -> Self {
        Self {
            schema,
            known: HashMap::new(),
            enums: HashMap::new(),
            taken: taken.into_iter().collect(),
            open: Vec::new(),
            containers: Vec::new(),
            out: Declarations::default(),
        }
    }

    fn unique(&mut self, base: &str) -> String {
        let mut name = base.to_string();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}{number}");
            number += 1;
        }
        name
    }

    /// Makes the struct of an object and gives its name; `fixed` names are the caller's.
    pub(super) fn object(&mut self, id: NodeId, hint: &str, fixed: bool) -> String {
        let node = self.schema.node(id);
        let fields: Vec<NodeId> = node.properties.iter().map(|(_, child)| *child).collect();
        if let Some(known) = self.known.get(&fields) {
            return known.clone();
        }
        let name = if fixed { hint.to_string() } else { self.unique(hint) };
        self.known.insert(fields, name.clone());
        self.open.push(name.clone());
        let at = self.out.structs.len();
        let open = node.preserve_unknown || matches!(node.additional, Additional::Any);
        // What stands on a field is about the field.
        let of_type = node.declared.as_ref().and_then(|it| it.type_node);
        let doc = doc(self.schema, of_type.unwrap_or(id));
        self.out.structs.push(Struct { name: name.clone(), doc, fields: Vec::new(), open });
        let fields = self.fields(node, &name, &|_| true);
        if let Some(made) = self.out.structs.get_mut(at) {
            made.fields = fields;
        }
        self.open.pop();
        name
    }

    /// The fields of an object, or those of them that are wanted.
    pub(super) fn fields(
        &mut self,
        node: &Node,
        owner: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Vec<Field> {
        let required =
            node.validation.as_ref().map(|it| it.required.as_slice()).unwrap_or_default();
        let mut names = BTreeSet::new();
        let mut out = Vec::new();
        for (json, child) in node.properties.iter().filter(|(json, _)| wanted(json)) {
            let inner = self.schema.node(*child);
            let spelled = self.spell(*child, &format!("{owner}{}", names::camel(json)));
            let defaulted = inner.default.as_ref().is_some_and(|it| !crate::is_zero(it));
            let required = required.contains(json) && !inner.nullable && !defaulted;
            let base = names::field(json);
            let mut name = base.clone();
            let mut number = 2;
            while !names.insert(name.clone()) {
                name = format!("{}_{number}", base.trim_start_matches("r#"));
                number += 1;
            }
            out.push(Field {
                json: json.clone(),
                name,
                doc: doc(self.schema, *child),
                ty: spelled.text,
                required,
                has_default: spelled.has_default,
            });
        }
        out
    }

    fn spell(&mut self, id: NodeId, hint: &str) -> Spelled {
        let node = self.schema.node(id);
        let format = node.validation.as_ref().map_or("", |it| it.format.as_str());
        let go_type =
            node.declared.as_ref().and_then(|it| it.go_type.as_deref()).unwrap_or_default();
        let plain = |text: &str| Spelled { text: text.to_string(), has_default: true };
        let library = |text: String| Spelled { text, has_default: false };
        match node.ty {
            Type::Boolean => plain("bool"),
            Type::Integer => plain(if format == "int32" { "i32" } else { "i64" }),
            Type::Number => plain(if format == "float" { "f32" } else { "f64" }),
            Type::String if go_type == "v1.MicroTime" => library(format!("{META}::MicroTime")),
            Type::String if format == "date-time" => library(format!("{META}::Time")),
            Type::String if format == "byte" => plain("k8s_openapi::ByteString"),
            Type::String => self.text(node, hint),
            Type::IntOrString if is_quantity(node, go_type) => {
                plain("k8s_openapi::apimachinery::pkg::api::resource::Quantity")
            }
            Type::IntOrString => plain("k8s_openapi::apimachinery::pkg::util::intstr::IntOrString"),
            Type::Any => plain(JSON),
            Type::Array => match node.items {
                Some(items) => {
                    let item = self.element(id, items, hint);
                    Spelled { text: format!("Vec<{item}>"), has_default: true }
                }
                None => plain(&format!("Vec<{JSON}>")),
            },
            Type::Object => self.object_type(id, node, hint),
        }
    }

    /// The type of an element, which a list or map holds on the heap anyway. A list or map that
    /// holds itself has no name to be spelled with, and holds anything.
    fn element(&mut self, container: NodeId, id: NodeId, hint: &str) -> String {
        if self.containers.contains(&container) {
            return JSON.to_string();
        }
        self.containers.push(container);
        let text = self.spell(id, hint).text;
        self.containers.pop();
        match text.strip_prefix("Box<").and_then(|inner| inner.strip_suffix('>')) {
            Some(inner) => inner.to_string(),
            None => text,
        }
    }

    fn object_type(&mut self, id: NodeId, node: &Node, hint: &str) -> Spelled {
        if node.embedded_resource {
            return Spelled { text: JSON.into(), has_default: true };
        }
        if let Additional::Node(values) = node.additional {
            let value = self.element(id, values, hint);
            let text = format!("std::collections::BTreeMap<String, {value}>");
            return Spelled { text, has_default: true };
        }
        if node.properties.is_empty() {
            let text = format!("std::collections::BTreeMap<String, {JSON}>");
            return Spelled { text, has_default: true };
        }
        if is_condition(node) {
            return Spelled { text: format!("{META}::Condition"), has_default: false };
        }
        let declared = node.declared.as_ref().and_then(|it| it.type_name.clone());
        let hint = match &declared {
            Some(name) => names::camel(name.rsplit(['.', '/']).next().unwrap_or(name)),
            None => hint.to_string(),
        };
        let name = self.object(id, &hint, false);
        let text = if self.open.contains(&name) { format!("Box<{name}>") } else { name };
        Spelled { text, has_default: false }
    }

    /// A text, or an enum of texts.
    fn text(&mut self, node: &Node, hint: &str) -> Spelled {
        let values: Vec<Text> = node
            .validation
            .iter()
            .flat_map(|it| &it.enumeration)
            .filter_map(|value| value.as_text().cloned())
            .collect();
        if values.is_empty() {
            return Spelled { text: "String".into(), has_default: true };
        }
        if let Some(known) = self.enums.get(&values) {
            return Spelled { text: known.clone(), has_default: false };
        }
        let name = self.unique(hint);
        self.enums.insert(values.clone(), name.clone());
        let mut taken = BTreeSet::new();
        let variants = values.into_iter().map(|value| {
            let base = names::camel(&value);
            let mut variant = base.clone();
            let mut number = 2;
            while !taken.insert(variant.clone()) {
                variant = format!("{base}{number}");
                number += 1;
            }
            (variant, value)
        });
        let doc = format!("Values of `{hint}`.");
        let made = Enum { name: name.clone(), doc, variants: variants.collect() };
        self.out.enums.push(made);
        Spelled { text: name, has_default: false }
    }
}

fn is_quantity(node: &Node, go_type: &str) -> bool {
    go_type == "resource.Quantity"
        || node.validation.as_ref().is_some_and(|it| it.pattern.contains("[KMGTPE]i"))
}

/// The author's words about a place, and what its values have to keep.
pub(super) fn doc(schema: &Schema, id: NodeId) -> String {
    let node = schema.node(id);
    let mut out = node.docs.as_ref().map(|it| it.description.to_string()).unwrap_or_default();
    let mut lines = crate::docs::constraint_lines(schema, id);
    let format = node.validation.as_ref().map_or("", |it| it.format.as_str());
    if node.ty == Type::String && !matches!(format, "" | "byte" | "date-time") {
        lines.push(format!("Format: `{format}`."));
    }
    if let Some(default) = node.default.as_ref().filter(|it| !crate::is_zero(it)) {
        lines.push(format!("Default: `{}`.", json::encode_string(default)));
    }
    if !lines.is_empty() && !out.is_empty() {
        out.push_str("\n\n");
    }
    for line in lines {
        // One line of the list, whatever the author wrote into a message.
        out.push_str(&format!("- {}\n", line.replace('\n', " ")));
    }
    out
}

/// Whether an object is `metav1.Condition`, which the library has.
fn is_condition(node: &Node) -> bool {
    let fields =
        ["lastTransitionTime", "message", "observedGeneration", "reason", "status", "type"];
    node.properties.iter().map(|(name, _)| name.as_str()).eq(fields)
}
