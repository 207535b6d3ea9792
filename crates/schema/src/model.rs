//! The resolved schema: an arena of nodes where a reference is an id.
//!
//! Everything the passes need is data on a node. What only declared kinds have (zero-value
//! presence, unions, custom texts…) sits in a boxed [`Declared`], so that the nodes of a CRD,
//! which never have one, stay small.

use ordain_value::{Text, Value};

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

    /// The same arena seen from another root: the schema of a part, such as `status`.
    #[must_use]
    pub fn rooted_at(&self, root: NodeId) -> Schema {
        Schema { nodes: self.nodes.clone(), root }
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
    Object,
    Array,
    String,
    Integer,
    Number,
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
    Atomic,
    Set,
    Map,
}

/// `x-kubernetes-map-type`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MapType {
    Atomic,
    Granular,
}

/// One place of a schema.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Node {
    pub ty: Type,
    pub nullable: bool,
    pub preserve_unknown: bool,
    pub embedded_resource: bool,
    pub list_type: Option<ListType>,
    pub map_type: Option<MapType>,
    pub additional: Additional,
    pub items: Option<NodeId>,
    /// Sorted by name.
    pub properties: Vec<(Text, NodeId)>,
    pub list_map_keys: Vec<Text>,
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::option"))]
    pub default: Option<Value>,
    pub rules: Vec<Rule>,
    pub validation: Option<Box<Validation>>,
    pub docs: Option<Box<Docs>>,
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
    pub title: Text,
    pub description: Text,
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::option"))]
    pub example: Option<Value>,
    pub external: Option<ExternalDocs>,
}

/// `externalDocs`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExternalDocs {
    pub description: Text,
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
    pub format: Text,
    pub pattern: Text,
    pub maximum: Option<f64>,
    pub exclusive_maximum: bool,
    pub minimum: Option<f64>,
    pub exclusive_minimum: bool,
    pub multiple_of: Option<f64>,
    pub max_length: Option<i64>,
    pub min_length: Option<i64>,
    pub max_items: Option<i64>,
    pub min_items: Option<i64>,
    pub max_properties: Option<i64>,
    pub min_properties: Option<i64>,
    pub unique_items: bool,
    /// In the order written; empty when the keyword is absent or an empty list.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::list"))]
    pub enumeration: Vec<Value>,
    /// In the order written.
    pub required: Vec<Text>,
    pub all_of: Vec<NodeId>,
    pub any_of: Vec<NodeId>,
    pub one_of: Vec<NodeId>,
    pub not: Option<NodeId>,
}

/// One entry of `x-kubernetes-validations`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rule {
    pub rule: Text,
    pub message: Text,
    pub message_expression: Text,
    pub reason: Option<Text>,
    pub field_path: Text,
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
    pub presence: Presence,
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
    pub name: Text,
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::list"))]
    pub args: Vec<Value>,
}

/// A keyword, as the key of custom texts and origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Keyword {
    Type,
    Required,
    Enum,
    Format,
    Pattern,
    Maximum,
    Minimum,
    MultipleOf,
    MaxLength,
    MinLength,
    MaxItems,
    MinItems,
    MaxProperties,
    MinProperties,
    UniqueItems,
    AllOf,
    AnyOf,
    OneOf,
    Not,
    Union,
    Immutable,
    Default,
}

impl Keyword {
    /// Keywords that custom error texts may be written for, by their name in a schema.
    pub const NAMED: [(&'static str, Keyword); 15] = [
        ("type", Keyword::Type),
        ("required", Keyword::Required),
        ("enum", Keyword::Enum),
        ("format", Keyword::Format),
        ("pattern", Keyword::Pattern),
        ("maximum", Keyword::Maximum),
        ("minimum", Keyword::Minimum),
        ("multipleOf", Keyword::MultipleOf),
        ("maxLength", Keyword::MaxLength),
        ("minLength", Keyword::MinLength),
        ("maxItems", Keyword::MaxItems),
        ("minItems", Keyword::MinItems),
        ("maxProperties", Keyword::MaxProperties),
        ("minProperties", Keyword::MinProperties),
        ("uniqueItems", Keyword::UniqueItems),
    ];

    /// The keyword with this name in a schema.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Keyword> {
        Self::NAMED.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    /// The name in a schema; empty for keywords that have none.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|it| it.1 == self).map_or("", |it| it.0)
    }
}

/// A union of fields of one object.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Union {
    /// Tells several unions of one object apart; empty for the only one.
    pub name: Text,
    /// The field that names the member in force.
    pub discriminator: Option<Text>,
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
    #[default]
    ExactlyOne,
    ZeroOrOne,
}

/// A field that belongs to a union.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnionMember {
    pub field: Text,
    /// Discriminator value that selects the field.
    pub value: Text,
    /// The field may be absent while it is selected.
    pub optional: bool,
}
