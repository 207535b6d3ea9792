//! Declarations of built-in kinds: a schema with everything that codecs, merging and documents
//! need, written field by field.
//!
//! A field's `omitempty` is `strip_zero` on its node, its Go type is `go_type`; both together make
//! the JSON of a typed kind come out as its Go type writes it.

use ordain_schema::{
    Additional, Declared, ListType, MapType, Node, NodeId, Schema, Type, Validation,
};
use ordain_value::Text;

/// Builds the schema of one kind.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    nodes: Vec<Node>,
}

/// A field of a structure.
#[derive(Debug, Clone)]
pub(crate) struct FieldOf {
    name: &'static str,
    node: Node,
    required: bool,
}

impl FieldOf {
    /// Left out when it holds its zero value.
    pub(crate) fn omit(mut self) -> Self {
        self.node.declared_mut().strip_zero = true;
        self.node.declared_mut().optional = true;
        self
    }

    /// A Go pointer: absent and zero are different.
    pub(crate) fn pointer(mut self) -> Self {
        self.node.declared_mut().pointer = true;
        self.omit()
    }

    /// Always there in documents.
    pub(crate) fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Merged by strategic patches, items told apart by a key if they have one.
    pub(crate) fn merge(mut self, key: &str) -> Self {
        let declared = self.node.declared_mut();
        declared.patch_strategy = vec!["merge".into()];
        declared.patch_merge_key = Some(key).filter(|key| !key.is_empty()).map(Text::from);
        self
    }

    /// The list is owned item by item.
    pub(crate) fn keyed(mut self, keys: &[&str]) -> Self {
        self.node.list_type = Some(ListType::Map);
        self.node.list_map_keys = keys.iter().map(|key| Text::from(*key)).collect();
        self
    }

    /// The list is a set of scalars, each with its own owners.
    pub(crate) fn set(mut self) -> Self {
        self.node.list_type = Some(ListType::Set);
        self
    }

    /// The list or map is owned as a whole.
    pub(crate) fn atomic(mut self) -> Self {
        if self.node.ty == Type::Array {
            self.node.list_type = Some(ListType::Atomic);
        } else {
            self.node.map_type = Some(MapType::Atomic);
        }
        self
    }

    /// Said to readers of the documents.
    pub(crate) fn about(mut self, text: &str) -> Self {
        self.node.docs_mut().description = text.into();
        self
    }
}

impl Builder {
    fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    fn scalar(&mut self, ty: Type, format: &str, go_type: &str) -> NodeId {
        let validation = (!format.is_empty())
            .then(|| Box::new(Validation { format: format.into(), ..Validation::default() }));
        let declared = Declared { go_type: Some(go_type.into()), ..Declared::default() };
        self.add(Node { ty, validation, declared: Some(Box::new(declared)), ..Node::default() })
    }

    pub(crate) fn string(&mut self) -> NodeId {
        self.scalar(Type::String, "", "string")
    }

    /// A string type with a name of its own.
    pub(crate) fn named(&mut self, go_type: &str) -> NodeId {
        self.scalar(Type::String, "", go_type)
    }

    pub(crate) fn boolean(&mut self) -> NodeId {
        self.scalar(Type::Boolean, "", "bool")
    }

    pub(crate) fn int32(&mut self) -> NodeId {
        self.scalar(Type::Integer, "int32", "int32")
    }

    pub(crate) fn int64(&mut self) -> NodeId {
        self.scalar(Type::Integer, "int64", "int64")
    }

    pub(crate) fn time(&mut self) -> NodeId {
        let id = self.scalar(Type::String, "date-time", "v1.Time");
        self.nodes[id.index()].declared_mut().type_name =
            Some("io.k8s.apimachinery.pkg.apis.meta.v1.Time".into());
        id
    }

    /// A tree of field names, which is JSON inside other encodings.
    pub(crate) fn fields_v1(&mut self) -> NodeId {
        let id = self.scalar(Type::Object, "", "v1.FieldsV1");
        self.nodes[id.index()].declared_mut().type_name =
            Some("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1".into());
        id
    }

    pub(crate) fn list(&mut self, item: NodeId) -> NodeId {
        let go_type = format!("[]{}", self.go_type(item));
        let declared = Declared { go_type: Some(go_type.into()), ..Declared::default() };
        let declared = Some(Box::new(declared));
        self.add(Node { ty: Type::Array, items: Some(item), declared, ..Node::default() })
    }

    pub(crate) fn map(&mut self, value: NodeId) -> NodeId {
        let go_type = format!("map[string]{}", self.go_type(value));
        let declared = Declared { go_type: Some(go_type.into()), ..Declared::default() };
        let declared = Some(Box::new(declared));
        let additional = Additional::Node(value);
        self.add(Node { ty: Type::Object, additional, declared, ..Node::default() })
    }

    fn go_type(&self, id: NodeId) -> Text {
        let declared = self.nodes[id.index()].declared.as_ref();
        declared.and_then(|declared| declared.go_type.clone()).unwrap_or_default()
    }

    /// A field of some type with its number in protobuf.
    pub(crate) fn field(&self, name: &'static str, number: u32, ty: NodeId) -> FieldOf {
        let mut node = self.nodes[ty.index()].clone();
        node.declared_mut().protobuf = Some(number);
        FieldOf { name, node, required: false }
    }

    /// A structure, by its Go name and the name it is published under.
    pub(crate) fn structure(
        &mut self,
        go_type: &str,
        published: &str,
        fields: Vec<FieldOf>,
    ) -> NodeId {
        let mut node = Node { ty: Type::Object, ..Node::default() };
        let declared = node.declared_mut();
        declared.go_type = Some(go_type.into());
        declared.type_name = Some(published.into());
        for field in fields {
            if field.required {
                node.validation_mut().required.push(field.name.into());
            }
            let id = self.add(field.node);
            node.set_property(field.name.into(), id);
        }
        self.add(node)
    }

    /// Makes a structure one that is owned as a whole.
    pub(crate) fn atomic(&mut self, id: NodeId) {
        self.nodes[id.index()].map_type = Some(MapType::Atomic);
    }

    pub(crate) fn describe(&mut self, id: NodeId, text: &str) {
        self.nodes[id.index()].docs_mut().description = text.into();
    }

    /// The schema of something that has a type and no metadata.
    pub(crate) fn options(
        mut self,
        go_type: &str,
        published: &str,
        mut fields: Vec<FieldOf>,
    ) -> Schema {
        let text = self.string();
        for name in ["apiVersion", "kind"] {
            let mut field = self.field(name, 0, text).omit();
            field.node.declared_mut().protobuf = None;
            fields.push(field);
        }
        let root = self.structure(go_type, published, fields);
        self.finish(root)
    }

    fn finish(self, root: NodeId) -> Schema {
        match Schema::new(self.nodes, root) {
            Ok(schema) => schema,
            Err(error) => unreachable!("a builder hands out its own ids only: {error}"),
        }
    }

    /// The schema of a kind: its own fields beside those that every object has.
    pub(crate) fn kind(
        mut self,
        kind: &'static str,
        published: &str,
        about: &str,
        mut fields: Vec<FieldOf>,
    ) -> Schema {
        let text = self.string();
        let mut type_fields = Vec::new();
        for name in ["apiVersion", "kind"] {
            let mut field = self.field(name, 0, text).omit();
            field.node.declared_mut().protobuf = None;
            type_fields.push(field);
        }
        let metadata = super::object_meta::declare(&mut self);
        type_fields.push(self.field("metadata", 1, metadata));
        type_fields.append(&mut fields);
        let root = self.structure(kind, published, type_fields);
        self.describe(root, about);
        self.finish(root)
    }
}
