//! Types to nodes: each type once.

use ordain_schema::{Additional, Declared, ListType, MapType, Node, NodeId, Presence, Type};
use ordain_value::Text;

use super::overlay::Pending;
use super::{Form, Lowering};
use crate::graph::{ANY_LENGTH, Basic, NamedId, Type as GoType, TypeId};

/// The text of a quantity, as custom resources check it.
const QUANTITY: &str = "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

impl Lowering<'_> {
    /// The node of a type. Structs get their fields later, so recursion ends here.
    pub(super) fn type_node(&mut self, ty: TypeId) -> NodeId {
        if let Some(id) = self.types.get(&ty) {
            return *id;
        }
        let id = self.add(Node::default());
        self.types.insert(ty, id);
        let mut node = self.type_content(ty, id);
        if self.form == Form::Typed && !self.pending.contains_key(&id) {
            let name = spelled(self, ty, 0);
            node.declared_mut().go_type.get_or_insert(name);
        }
        self.nodes[id.index()] = node;
        id
    }

    fn type_content(&mut self, ty: TypeId, id: NodeId) -> Node {
        let universe = self.universe;
        match universe.ty(ty).clone() {
            GoType::Named(named) => self.named(named, id),
            GoType::Basic(basic) => self.basic_node(basic),
            GoType::Pointer(inner) => {
                let base = self.type_node(inner);
                self.pending.insert(id, Pending::copy(base));
                Node::default()
            }
            GoType::Slice(item) if self.is_byte(item) => scalar(Type::String, "byte"),
            GoType::Slice(item) => {
                let items = Some(self.type_node(item));
                Node { ty: Type::Array, items, ..Node::default() }
            }
            GoType::Array(len, item) => {
                let items = Some(self.type_node(item));
                let mut node = Node { ty: Type::Array, items, ..Node::default() };
                if len != ANY_LENGTH {
                    let len = i64::try_from(len).unwrap_or(i64::MAX);
                    let validation = node.validation_mut();
                    (validation.min_items, validation.max_items) = (Some(len), Some(len));
                }
                node
            }
            GoType::Map(_, value) => {
                let additional = Additional::Node(self.type_node(value));
                Node { ty: Type::Object, additional, ..Node::default() }
            }
            GoType::Struct(_) => {
                self.queue.push((ty, id));
                Node { ty: Type::Object, ..Node::default() }
            }
            GoType::Interface(_) | GoType::Any => anything(),
            GoType::Func | GoType::Chan(_) | GoType::Param(_) => anything(),
            GoType::Unknown(..) => anything(),
        }
    }

    fn named(&mut self, named: NamedId, id: NodeId) -> Node {
        let universe = self.universe;
        let declaration = universe.named(named);
        let qualified = universe.qualified(named);
        if let Some(mut node) = well_known(&qualified) {
            if self.form == Form::Typed && qualified.ends_with("runtime.RawExtension") {
                node.map_type = Some(MapType::Atomic);
            }
            node.declared_mut().go_type = Some(go_type(self, declaration.ty));
            return node;
        }
        self.owners.entry(declaration.target).or_insert(named);
        // Aliases keep their tags, as KEP-4153's example has it.
        let base = match self.writes_itself(named) {
            true => self.add(anything()),
            false => self.type_node(declaration.target),
        };
        let overlay = self.type_overlay(named);
        self.pending.insert(id, Pending { base, overlay: Some(Box::new(overlay)) });
        Node::default()
    }

    /// Whether a struct reads and writes its JSON by methods of its own, so that its fields say nothing
    /// about it. Methods that it has from embedded structs are those of their JSON.
    fn writes_itself(&self, named: NamedId) -> bool {
        let universe = self.universe;
        let has = |name: &str| universe.methods(named).iter().any(|it| it.name == name);
        let under = universe.ty(universe.underlying(universe.named(named).ty));
        self.form == Form::Declared
            && matches!(under, GoType::Struct(_))
            && has("MarshalJSON")
            && has("UnmarshalJSON")
    }

    fn basic_node(&mut self, basic: Basic) -> Node {
        match basic.canonical() {
            Basic::Bool => scalar(Type::Boolean, ""),
            Basic::String => scalar(Type::String, ""),
            Basic::Float32 => scalar(Type::Number, "float"),
            Basic::Float64 => scalar(Type::Number, "double"),
            Basic::Int8 | Basic::Int16 | Basic::Int32 | Basic::Uint8 | Basic::Uint16 => {
                scalar(Type::Integer, "int32")
            }
            it if it.is_integer() => scalar(Type::Integer, "int64"),
            _ => anything(),
        }
    }

    fn is_byte(&self, ty: TypeId) -> bool {
        let under = self.universe.ty(self.universe.underlying(ty));
        matches!(under, GoType::Basic(it) if it.canonical() == Basic::Uint8)
    }

    /// Whether the JSON of a type is not its Go shape, so that zero values and defaults do not
    /// follow from the shape.
    pub(super) fn is_opaque(&self, ty: TypeId) -> bool {
        let named = self.universe.as_named(ty);
        named.is_some_and(|it| well_known(&self.universe.qualified(it)).is_some())
            || self.universe.has_method(ty, "UnmarshalJSON")
    }
}

/// A type as Go spells it, with package names.
pub(super) fn go_type(lowering: &Lowering<'_>, ty: TypeId) -> Text {
    let universe = lowering.universe;
    match universe.as_named(ty) {
        Some(id) => {
            let package = &universe.package_of(id).name;
            Text::from(format!("{package}.{}", universe.named(id).name))
        }
        None => Text::from(universe.display(ty)),
    }
}

/// A type as Go's decoder names it in errors: packages by name, bytes as `[]uint8`.
fn spelled(lowering: &Lowering<'_>, ty: TypeId, depth: usize) -> Text {
    let universe = lowering.universe;
    if universe.as_named(ty).is_some() || depth > 32 {
        return go_type(lowering, ty);
    }
    let inner = |ty: TypeId| spelled(lowering, ty, depth + 1);
    match universe.ty(ty) {
        GoType::Pointer(item) => inner(*item),
        GoType::Slice(item) => format!("[]{}", inner(*item)).into(),
        GoType::Map(key, value) => format!("map[{}]{}", inner(*key), inner(*value)).into(),
        GoType::Basic(basic) if basic.canonical() == Basic::Uint8 => Text::new_static("uint8"),
        _ => go_type(lowering, ty),
    }
}

fn scalar(ty: Type, format: &'static str) -> Node {
    let mut node = Node { ty, ..Node::default() };
    if !format.is_empty() {
        node.validation_mut().format = Text::new_static(format);
    }
    node
}

/// A value whose type is not known to the declaration.
pub(super) fn anything() -> Node {
    Node { preserve_unknown: true, ..Node::default() }
}

/// Types whose JSON is not their Go shape.
fn well_known(qualified: &str) -> Option<Node> {
    if qualified == "encoding/json.RawMessage" {
        return Some(anything());
    }
    let name = qualified.strip_prefix("k8s.io/")?;
    Some(match name {
        "apimachinery/pkg/apis/meta/v1.Time" | "apimachinery/pkg/apis/meta/v1.MicroTime" => {
            scalar(Type::String, "date-time")
        }
        "apimachinery/pkg/apis/meta/v1.Duration" => scalar(Type::String, ""),
        "apimachinery/pkg/api/resource.Quantity" => {
            let mut node = Node { ty: Type::IntOrString, ..Node::default() };
            node.validation_mut().pattern = Text::new_static(QUANTITY);
            node
        }
        "apimachinery/pkg/util/intstr.IntOrString" => {
            Node { ty: Type::IntOrString, ..Node::default() }
        }
        "apimachinery/pkg/runtime.RawExtension" | "apimachinery/pkg/apis/meta/v1.FieldsV1" => {
            Node { ty: Type::Object, preserve_unknown: true, ..Node::default() }
        }
        "apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON" => anything(),
        "apimachinery/pkg/apis/meta/v1/unstructured.Unstructured" => {
            let embedded_resource = true;
            Node { ty: Type::Object, preserve_unknown: true, embedded_resource, ..Node::default() }
        }
        _ => return None,
    })
}

/// The list type that a tag names.
pub(super) fn list_type(text: &str) -> Option<ListType> {
    Some(match text.trim_matches('"') {
        "atomic" => ListType::Atomic,
        "set" => ListType::Set,
        "map" => ListType::Map,
        _ => return None,
    })
}

/// The declared part of a use whose zero value counts as absent.
pub(super) fn zero_is_absent(declared: &mut Declared) {
    declared.presence = Presence::GoZero;
    declared.strip_zero = true;
}
