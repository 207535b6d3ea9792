//! Schema → types.

use std::collections::HashMap;

use ordain_schema::{
    Additional, ListType as SchemaListType, MapType as SchemaMapType, Node, NodeId,
};
use ordain_schema::{Schema, Type};
use ordain_value::{Text, Value};

use super::{Atom, Field, ListType, MapType, Scalar, TypeRef, Types};

impl Types {
    /// The types of one version of a kind. The root and embedded resources get Kubernetes' own
    /// `apiVersion`, `kind` and `metadata`, whatever the schema says there.
    pub fn compile(schema: &Schema) -> Self {
        let mut compile = Compile {
            schema,
            atoms: Types::common(),
            known: HashMap::new(),
            object_meta: None,
            pending: Vec::new(),
        };
        let root = compile.type_of(schema.root(), false);
        compile.finish();
        compile.add_object_fields(root, schema.root_node(), false);
        Types { atoms: compile.atoms, root }
    }
}

struct Compile<'a> {
    schema: &'a Schema,
    atoms: Vec<Atom>,
    /// Nodes already given a type, by whether an ancestor preserves unknown fields.
    known: HashMap<(NodeId, bool), TypeRef>,
    object_meta: Option<TypeRef>,
    /// Types given out but not yet filled: a worklist instead of recursion, as schemas have cycles.
    pending: Vec<(NodeId, bool, TypeRef)>,
}

impl Compile<'_> {
    fn add(&mut self, atom: Atom) -> TypeRef {
        let at = u32::try_from(self.atoms.len()).unwrap_or(u32::MAX);
        self.atoms.push(atom);
        TypeRef(at)
    }

    fn type_of(&mut self, id: NodeId, preserve: bool) -> TypeRef {
        if let Some(known) = self.known.get(&(id, preserve)) {
            return *known;
        }
        let ty = self.add(Atom::default());
        self.known.insert((id, preserve), ty);
        self.pending.push((id, preserve, ty));
        ty
    }

    fn finish(&mut self) {
        while let Some((id, preserve, ty)) = self.pending.pop() {
            let node = self.schema.node(id);
            let atom = self.atom(node, preserve || node.preserve_unknown);
            self.atoms[ty.0 as usize] = atom;
            if node.embedded_resource {
                self.add_object_fields(ty, node, preserve);
            }
        }
    }

    fn atom(&mut self, node: &Node, preserve: bool) -> Atom {
        let scalar = |it| Atom { scalar: Some(it), ..Atom::default() };
        // Typed kinds keep such content as bytes; in a tree it has fields of its own.
        let raw = node.map_type == Some(ordain_schema::MapType::Atomic)
            && node.properties.is_empty()
            && node.preserve_unknown;
        if raw {
            return self.atoms[Types::UNTYPED_ATOMIC.0 as usize].clone();
        }
        match node.ty {
            Type::Object => Atom { map: Some(self.map(node, preserve)), ..Atom::default() },
            Type::Array => Atom { list: Some(self.list(node, preserve)), ..Atom::default() },
            Type::Integer | Type::Number => scalar(Scalar::Numeric),
            Type::Boolean => scalar(Scalar::Boolean),
            Type::String => {
                let format = node.validation.as_ref().map_or("", |it| it.format.as_str());
                // Other formats may be written as something else than a string.
                scalar(if matches!(format, "" | "byte") { Scalar::String } else { Scalar::Untyped })
            }
            Type::IntOrString if node.declared.is_some() => scalar(Scalar::Untyped),
            Type::Any | Type::IntOrString => Atom {
                scalar: Some(Scalar::Untyped),
                list: Some(self.list(node, preserve)),
                map: Some(self.map(node, preserve)),
            },
        }
    }

    fn map(&mut self, node: &Node, preserve: bool) -> MapType {
        let fields = node.properties.iter().map(|(name, id)| self.field(name, *id, preserve));
        let fields: Vec<Field> = fields.collect();
        let element = match node.additional {
            // An object that declares nothing is free-form.
            Additional::Absent => (preserve || fields.is_empty()).then_some(Types::DEDUCED),
            Additional::Node(id) => Some(self.type_of(id, preserve)),
            Additional::Any => Some(Types::DEDUCED),
            Additional::Forbidden => None,
        };
        MapType::new(fields, element, node.map_type == Some(SchemaMapType::Atomic))
    }

    fn field(&mut self, name: &Text, id: NodeId, preserve: bool) -> Field {
        let node = self.schema.node(id);
        let declared = node.declared.as_deref();
        let strategy = declared.map(|it| it.patch_strategy.join(",")).filter(|it| !it.is_empty());
        Field {
            name: name.clone(),
            ty: self.type_of(id, preserve),
            default: node.default.clone().or_else(|| zero_of_typed(node)),
            patch_strategy: strategy.map(Text::from),
            patch_merge_key: declared.and_then(|it| it.patch_merge_key.clone()),
        }
    }

    fn list(&mut self, node: &Node, preserve: bool) -> ListType {
        let element = match node.items {
            Some(id) => self.type_of(id, preserve),
            None => Types::UNTYPED_ATOMIC,
        };
        let declared = node.declared.as_deref();
        let merges = declared.is_some_and(|it| it.patch_strategy.iter().any(|it| it == "merge"));
        let (associative, keys) = match node.list_type {
            Some(SchemaListType::Map) => (true, node.list_map_keys.clone()),
            Some(SchemaListType::Set) => (true, Vec::new()),
            None if merges => {
                let key = declared.and_then(|it| it.patch_merge_key.clone());
                (true, key.into_iter().collect())
            }
            Some(SchemaListType::Atomic) | None => (false, Vec::new()),
        };
        ListType { element, associative, keys: keys.into() }
    }

    /// Gives a type the fields that every Kubernetes object has. With them it declares something,
    /// so it is not free-form.
    fn add_object_fields(&mut self, ty: TypeRef, node: &Node, preserve: bool) {
        let string = self.add(Atom { scalar: Some(Scalar::String), ..Atom::default() });
        let metadata = self.object_meta();
        let Some(map) = &mut self.atoms[ty.0 as usize].map else { return };
        let mut fields: Vec<Field> = map
            .fields
            .iter()
            .filter(|it| !matches!(it.name.as_str(), "apiVersion" | "kind" | "metadata"))
            .cloned()
            .collect();
        fields.push(plain_field("apiVersion", string));
        fields.push(plain_field("kind", string));
        fields.push(plain_field("metadata", metadata));
        let closed = node.additional == Additional::Absent && !preserve && !node.preserve_unknown;
        let element = map.element.filter(|_| !closed);
        *map = MapType::new(fields, element, map.atomic);
    }

    /// The type of metadata, which is the same for all kinds.
    ///
    /// A table of its fields.
    fn object_meta(&mut self) -> TypeRef {
        if let Some(known) = self.object_meta {
            return known;
        }
        let scalar = |it| Atom { scalar: Some(it), ..Atom::default() };
        let string = self.add(scalar(Scalar::String));
        let numeric = self.add(scalar(Scalar::Numeric));
        let boolean = self.add(scalar(Scalar::Boolean));
        let time = self.add(scalar(Scalar::Untyped));
        let struct_of = |fields, atomic| Atom {
            map: Some(MapType::new(fields, None, atomic)),
            ..Atom::default()
        };
        let list_of = |element, associative, keys: &[&str]| Atom {
            list: Some(ListType {
                element,
                associative,
                keys: keys.iter().map(Text::new).collect(),
            }),
            ..Atom::default()
        };
        let strings = MapType::new(Vec::new(), Some(string), false);
        let strings = self.add(Atom { map: Some(strings), ..Atom::default() });
        let finalizers = self.add(list_of(string, true, &[]));
        let with_default =
            |name| Field { default: Some(Value::str("")), ..plain_field(name, string) };
        let owner = vec![
            with_default("apiVersion"),
            plain_field("blockOwnerDeletion", boolean),
            plain_field("controller", boolean),
            with_default("kind"),
            with_default("name"),
            with_default("uid"),
        ];
        let owner = self.add(struct_of(owner, true));
        let owners = self.add(list_of(owner, true, &["uid"]));
        let entry = vec![
            plain_field("apiVersion", string),
            plain_field("fieldsType", string),
            plain_field("fieldsV1", Types::DEDUCED),
            plain_field("manager", string),
            plain_field("operation", string),
            plain_field("subresource", string),
            plain_field("time", time),
        ];
        let entry = self.add(struct_of(entry, false));
        let entries = self.add(list_of(entry, false, &[]));
        let merged = |name, ty, key: Option<&str>| Field {
            patch_strategy: Some(Text::new_static("merge")),
            patch_merge_key: key.map(Text::new),
            ..plain_field(name, ty)
        };
        let fields = vec![
            plain_field("annotations", strings),
            plain_field("creationTimestamp", time),
            plain_field("deletionGracePeriodSeconds", numeric),
            plain_field("deletionTimestamp", time),
            merged("finalizers", finalizers, None),
            plain_field("generateName", string),
            plain_field("generation", numeric),
            plain_field("labels", strings),
            plain_field("managedFields", entries),
            plain_field("name", string),
            plain_field("namespace", string),
            merged("ownerReferences", owners, Some("uid")),
            plain_field("resourceVersion", string),
            plain_field("selfLink", string),
            plain_field("uid", string),
        ];
        let object_meta = self.add(struct_of(fields, false));
        self.object_meta = Some(object_meta);
        object_meta
    }
}

/// A scalar that Go always writes is its zero value where a list item that it tells apart does not
/// say it.
fn zero_of_typed(node: &Node) -> Option<Value> {
    let declared = node.declared.as_deref()?;
    if declared.go_type.is_none() || declared.pointer || declared.strip_zero {
        return None;
    }
    match node.ty {
        Type::String => Some(Value::str("")),
        Type::Integer => Some(Value::Int(0)),
        Type::Boolean => Some(Value::Bool(false)),
        _ => None,
    }
}

fn plain_field(name: &'static str, ty: TypeRef) -> Field {
    Field {
        name: Text::new_static(name),
        ty,
        default: None,
        patch_strategy: None,
        patch_merge_key: None,
    }
}
