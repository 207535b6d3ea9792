//! The resolved schema: an arena of nodes where a reference is an id.
//!
//! Everything the passes need is data on a node. What only declared kinds have (zero-value
//! presence, unions, custom texts…) sits in a boxed [`Declared`], so that the nodes of a CRD,
//! which never have one, stay small.

use ordain_value::{Text, Value};

pub use crate::keyword::Keyword;

/// Index of a [`Node`] in its [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NodeId(pub u32);

impl NodeId {
    /// The id as an index, for side tables that run parallel to the arena.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A resolved schema: nodes and the root among them.
///
/// Nodes may refer to each other in cycles (declared kinds are recursive); a schema that comes
/// from a CRD is always a tree.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Schema {
    nodes: Vec<Node>,
    root: NodeId,
}

impl Schema {
    /// Builds a schema from its nodes.
    ///
    /// # Errors
    /// When the root or any reference points outside the arena.
    pub fn new(nodes: Vec<Node>, root: NodeId) -> Result<Schema, DanglingNode> {
        let count = nodes.len();
        let outside = |id: NodeId| id.index() >= count;
        if outside(root) {
            return Err(DanglingNode(root));
        }
        for node in &nodes {
            for child in node.children() {
                if outside(child) {
                    return Err(DanglingNode(child));
                }
            }
        }
        Ok(Schema { nodes, root })
    }

    /// The id of the root node.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The root node.
    #[must_use]
    pub fn root_node(&self) -> &Node {
        self.node(self.root)
    }

    /// The node with this id. Ids come from this schema, so the lookup cannot miss.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// All nodes, in id order.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Every node with its id.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0u32..).map(NodeId).zip(&self.nodes)
    }

    /// Changes a node in place. References may not be changed to ids outside the arena.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// Adds a node, which nothing refers to yet.
    pub(crate) fn push(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }
}

/// A node id that no node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DanglingNode(pub NodeId);

impl std::fmt::Display for DanglingNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "schema refers to node {} which it does not have", self.0.0)
    }
}

impl std::error::Error for DanglingNode {}

/// The type that a value must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Type {
    /// No type is written: any value (preserve-unknown-fields nodes, junctor branches).
    #[default]
    Any,
    /// A map with known or unknown keys.
    Object,
    /// A list.
    Array,
    /// A text.
    String,
    /// A whole number of 64 bits.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// `x-kubernetes-int-or-string`, which overrides any written type.
    IntOrString,
}

impl Type {
    /// The type with this OpenAPI name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Type> {
        Some(match name {
            "" => Type::Any,
            "object" => Type::Object,
            "array" => Type::Array,
            "string" => Type::String,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "boolean" => Type::Boolean,
            _ => return None,
        })
    }

    /// The OpenAPI name; empty where no single name exists.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Type::Any | Type::IntOrString => "",
            Type::Object => "object",
            Type::Array => "array",
            Type::String => "string",
            Type::Integer => "integer",
            Type::Number => "number",
            Type::Boolean => "boolean",
        }
    }
}

/// What `additionalProperties` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Additional {
    /// Not written.
    #[default]
    Absent,
    /// `additionalProperties: true`
    Any,
    /// `additionalProperties: false`
    Forbidden,
    /// A schema for every further value.
    Node(NodeId),
}

/// `x-kubernetes-list-type`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ListType {
    /// Replaced as a whole; the default.
    Atomic,
    /// No value twice; each has an owner of its own.
    Set,
    /// No key twice; items with the same key are merged.
    Map,
}

/// `x-kubernetes-map-type`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MapType {
    /// Replaced as a whole.
    Atomic,
    /// Each key has an owner of its own; the default.
    Granular,
}

/// One place of a schema.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Node {
    /// The type that the value must have.
    pub ty: Type,
    /// Whether null is a value of its own here, and not a missing one.
    pub nullable: bool,
    /// Whether fields that the schema does not name are kept.
    pub preserve_unknown: bool,
    /// Whether the value is an object with apiVersion, kind and metadata.
    pub embedded_resource: bool,
    /// How lists are merged and which items may not repeat.
    pub list_type: Option<ListType>,
    /// How maps are merged.
    pub map_type: Option<MapType>,
    /// What holds for keys that `properties` does not name.
    pub additional: Additional,
    /// What holds for each item of a list.
    pub items: Option<NodeId>,
    /// Sorted by name.
    pub properties: Vec<(Text, NodeId)>,
    /// The fields that tell items of a `map` list apart.
    pub list_map_keys: Vec<Text>,
    /// What a missing value becomes.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::option"))]
    pub default: Option<Value>,
    /// The CEL rules, in the order written.
    pub rules: Vec<Rule>,
    /// The limits, where there are any.
    pub validation: Option<Box<Validation>>,
    /// What people read about the node.
    pub docs: Option<Box<Docs>>,
    /// What only declared kinds know of the node.
    pub declared: Option<Box<Declared>>,
}

impl Node {
    /// The node of a declared property.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<NodeId> {
        self.properties
            .binary_search_by(|(key, _)| key.as_str().cmp(name))
            .ok()
            .map(|at| self.properties[at].1)
    }

    /// Puts a property in, keeping the order by name.
    pub fn set_property(&mut self, name: Text, id: NodeId) {
        match self.properties.binary_search_by(|(key, _)| key.cmp(&name)) {
            Ok(at) => self.properties[at].1 = id,
            Err(at) => self.properties.insert(at, (name, id)),
        }
    }

    /// The node of the further values of a map, when it has a schema.
    #[must_use]
    pub fn additional_node(&self) -> Option<NodeId> {
        match self.additional {
            Additional::Node(id) => Some(id),
            _ => None,
        }
    }

    /// The value validation, made when it is missing.
    pub fn validation_mut(&mut self) -> &mut Validation {
        self.validation.get_or_insert_default()
    }

    /// The declared extension, made when it is missing.
    pub fn declared_mut(&mut self) -> &mut Declared {
        self.declared.get_or_insert_default()
    }

    /// The documentation, made when it is missing.
    pub fn docs_mut(&mut self) -> &mut Docs {
        self.docs.get_or_insert_default()
    }

    /// How presence of a field is decided here.
    #[must_use]
    pub fn presence(&self) -> Presence {
        self.declared.as_ref().map_or(Presence::Key, |d| d.presence)
    }

    /// Whose texts the errors of this node use.
    #[must_use]
    pub fn family(&self) -> Family {
        self.declared.as_ref().map_or(Family::Crd, |d| d.family)
    }

    /// All nodes that this node refers to, junctor branches included.
    pub fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        let junctors = self.validation.iter().flat_map(|v| {
            (v.all_of.iter().chain(&v.any_of).chain(&v.one_of)).chain(v.not.iter()).copied()
        });
        (self.properties.iter().map(|(_, id)| *id))
            .chain(self.items)
            .chain(self.additional_node())
            .chain(junctors)
    }
}

/// What a human reads about a node.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Docs {
    /// A short name.
    pub title: Text,
    /// A text of any length.
    pub description: Text,
    /// A value to show.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::option"))]
    pub example: Option<Value>,
    /// Where more is written.
    pub external: Option<ExternalDocs>,
}

/// `externalDocs`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExternalDocs {
    /// What is found there.
    pub description: Text,
    /// The address.
    pub url: Text,
}

impl ExternalDocs {
    /// As OpenAPI writes it; what is empty is left out.
    #[must_use]
    pub fn encode(&self) -> Value {
        let parts = [("description", &self.description), ("url", &self.url)];
        let given = parts.into_iter().filter(|(_, text)| !text.is_empty());
        Value::Map(
            given.map(|(key, text)| (Text::new_static(key), Value::Str(text.clone()))).collect(),
        )
    }
}

/// The value validation of a node.
///
/// Branches of the junctors are nodes of their own which, for CRDs, carry value validation only.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Validation {
    /// A named form of texts or width of numbers.
    pub format: Text,
    /// A regular expression that must match somewhere in the text.
    pub pattern: Text,
    /// The largest number.
    pub maximum: Option<f64>,
    /// Whether the maximum itself is too large.
    pub exclusive_maximum: bool,
    /// The smallest number.
    pub minimum: Option<f64>,
    /// Whether the minimum itself is too small.
    pub exclusive_minimum: bool,
    /// What the number must be a multiple of.
    pub multiple_of: Option<f64>,
    /// The most characters of a text.
    pub max_length: Option<i64>,
    /// The fewest characters of a text.
    pub min_length: Option<i64>,
    /// The most items of a list.
    pub max_items: Option<i64>,
    /// The fewest items of a list.
    pub min_items: Option<i64>,
    /// The most entries of a map.
    pub max_properties: Option<i64>,
    /// The fewest entries of a map.
    pub min_properties: Option<i64>,
    /// Whether no two items may be equal.
    pub unique_items: bool,
    /// In the order written; empty when the keyword is absent or an empty list.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::list"))]
    pub enumeration: Vec<Value>,
    /// In the order written.
    pub required: Vec<Text>,
    /// Nodes that must all accept the value.
    pub all_of: Vec<NodeId>,
    /// Nodes of which at least one must accept the value.
    pub any_of: Vec<NodeId>,
    /// Nodes of which exactly one must accept the value.
    pub one_of: Vec<NodeId>,
    /// A node that must not accept the value.
    pub not: Option<NodeId>,
}

/// One entry of `x-kubernetes-validations`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rule {
    /// The CEL expression; true where the value is right.
    pub rule: Text,
    /// What is said where it is not.
    pub message: Text,
    /// A CEL expression for what is said; it wins over the message.
    pub message_expression: Text,
    /// The kind of error; `FieldValueInvalid` without one.
    pub reason: Option<Text>,
    /// Where the error is, as a path from the node.
    pub field_path: Text,
    /// Whether a rule with `oldSelf` also judges values that are new.
    pub optional_old_self: Option<bool>,
}

/// How presence of a field is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Presence {
    /// By the key alone, as custom resources do.
    #[default]
    Key,
    /// A Go zero value counts as absent, as typed kinds do.
    GoZero,
}

/// Whose error kinds and texts a constraint speaks with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Family {
    /// The custom-resource engine's.
    #[default]
    Crd,
    /// Those of declarative validation of typed kinds.
    Declared,
}

/// What only declared (Go or Rust) kinds know about a place. Each field's default is neutral.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Declared {
    /// When the field is encoded and when it counts as given.
    pub presence: Presence,
    /// Which tags the type was declared with.
    pub family: Family,
    /// Remove the field from a request when it holds its zero value.
    pub strip_zero: bool,
    /// The field is a pointer in its Go declaration.
    pub pointer: bool,
    /// The default is applied and not published, as one that upstream's code sets.
    pub default_hidden: bool,
    /// Written `+optional` (declared kinds keep it apart from `required`).
    pub optional: bool,
    /// Name under which the type is published and may be referred to.
    pub type_name: Option<Text>,
    /// The Go type as written, for messages that name it.
    pub go_type: Option<Text>,
    /// The unions among the fields of this object.
    pub unions: Vec<Union>,
    /// Unions in upstream's first tags (`+union`): published as they were then, and nothing else.
    pub legacy_unions: Vec<Union>,
    /// The union whose discriminator the field is; published with it.
    pub discriminates: Option<Union>,
    /// Feature gates that must all be on for the field to exist.
    pub gates: Vec<Text>,
    /// Custom error texts by keyword.
    pub texts: Vec<(Keyword, Text)>,
    /// Reasons that custom error texts come with, where they have one.
    pub reasons: Vec<(Keyword, Text)>,
    /// The warning that clients get who set the field.
    pub warnings: Vec<Text>,
    /// The node of the plain type that this place uses, without what the place adds to it.
    pub type_node: Option<NodeId>,
    /// The name by which versions of the kind know the field, where it is not its own; `-` for a
    /// field that other versions do not have and need not keep.
    pub conversion_name: Option<Text>,
    /// Where a constraint was written, by keyword.
    pub origins: Vec<(Keyword, Text)>,
    /// `x-kubernetes-patch-strategy`, in the order written.
    pub patch_strategy: Vec<Text>,
    /// The field by which strategic merge patches find an item.
    pub patch_merge_key: Option<Text>,
    /// Field number in the protobuf message.
    pub protobuf: Option<u32>,
    /// Go names of the embedded structs that hold the field and that its JSON does not show.
    pub embedded: Vec<Text>,
    /// `omitzero`: left out of JSON when it is Go's zero value, structs and times included.
    pub omit_zero: bool,
    /// Numbers of the messages around the field that its JSON does not show (inlined structs).
    pub protobuf_through: Vec<u32>,
    /// Name of the protobuf wire type (`varint`, `bytes`…).
    pub protobuf_wire: Option<Text>,
    /// Constraints that no OpenAPI keyword can carry, in the order written.
    pub checks: Vec<Check>,
    /// Sentences about rules that no keyword can carry, for people; backticks mark code.
    pub notes: Vec<Text>,
}

impl Declared {
    /// The custom text for a keyword.
    #[must_use]
    pub fn text(&self, keyword: Keyword) -> Option<&Text> {
        self.texts.iter().find(|(k, _)| *k == keyword).map(|(_, t)| t)
    }

    /// The reason that the custom text of a keyword comes with.
    #[must_use]
    pub fn reason(&self, keyword: Keyword) -> Option<&Text> {
        self.reasons.iter().find(|(k, _)| *k == keyword).map(|(_, t)| t)
    }
}

/// A constraint beyond OpenAPI's keywords: its tag name and arguments as data.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Check {
    /// The name of the tag.
    pub name: Text,
    /// What the tag was given.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::list"))]
    pub args: Vec<Value>,
}

/// A union of fields of one object.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Union {
    /// Tells several unions of one object apart; empty for the only one.
    pub name: Text,
    /// The field that names the member in force.
    pub discriminator: Option<Text>,
    /// The fields of which one is in force.
    pub members: Vec<UnionMember>,
    /// Discriminator values that are valid and select no member.
    pub empty_values: Vec<Text>,
    /// How many members may be set.
    pub arity: Arity,
    /// Whether the discriminator follows the member that is set where a request does not change it:
    /// the fields are older than their discriminator, and so are some clients.
    pub inferred: bool,
}

/// How many members of a union may be set at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Arity {
    /// One member is set, and one only.
    #[default]
    ExactlyOne,
    /// One member is set, or none.
    ZeroOrOne,
}

/// A field that belongs to a union.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnionMember {
    /// The field's name in JSON.
    pub field: Text,
    /// Discriminator value that selects the field.
    pub value: Text,
    /// The field may be absent while it is selected.
    pub optional: bool,
}
