//! Schema nodes as the checker and the cost estimator see them: types, sizes and the least that a value weighs.
//!
//! A node that expressions cannot see has no type. Objects are nominal: their names are the way from the node
//! whose rules are compiled, so two equal objects in two places are two types.

use std::collections::BTreeSet;
use std::sync::Arc;

use ordain_cel::cost::Size;
use ordain_cel::env::TypeProvider;
use ordain_cel::syntax::is_reserved;
use ordain_cel::types::Type;
use ordain_schema::{self as schema, Additional, Node, NodeId, Schema};
use ordain_value::{Text, Value};

use super::escape::escape;

/// The largest request.
pub(crate) const REQUEST_BYTES_MAX: i64 = 3 * 1024 * 1024;
/// A duration or a date-time with its quotes.
const TIME_TEXT_MAX: i64 = 32;
/// A date with its quotes.
const DATE_TEXT: i64 = 12;
const DATE_TIME_TEXT_MIN: i64 = 21;
const DURATION_TEXT_MIN: i64 = 3;
/// `""`, `[]`, `{}`
const EMPTY: i64 = 2;
/// `true`
const BOOL_MIN: i64 = 4;
/// `0`
const NUMBER_MIN: i64 = 1;

/// A place in [`Types`]: a schema node, or one that every resource has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u32);

/// What expressions see of a node.
#[derive(Clone, Debug)]
pub(crate) struct Decl {
    pub(crate) shape: Shape,
    /// How many characters, bytes, items or entries there can be.
    pub(crate) elements_max: i64,
    /// The least that a value takes in JSON.
    pub(crate) bytes_min: i64,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Dyn,
    Bool,
    Int,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    List(Place),
    Map(Place),
    /// Fields by the names they have in expressions, sorted.
    Object(Vec<(Text, Place)>),
}

/// The types of all nodes of a schema.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    decls: Vec<Option<Decl>>,
    nodes: usize,
}

/// Whether a node is the root of a resource, whose kind and name rules always see.
pub(crate) fn is_resource(schema: &Schema, id: NodeId) -> bool {
    id == schema.root() || schema.node(id).embedded_resource
}

/// Whether a resource declares its type and name itself; then its own declaration counts.
pub(crate) fn declares_meta(schema: &Schema, node: &Node) -> bool {
    let ty = |node: &Node, name: &str| node.property(name).map(|id| schema.node(id).ty);
    let Some(metadata) = node.property("metadata").map(|id| schema.node(id)) else { return false };
    ty(node, "kind") == Some(schema::Type::String)
        && ty(node, "apiVersion") == Some(schema::Type::String)
        && metadata.ty == schema::Type::Object
        && ty(metadata, "name") == Some(schema::Type::String)
        && ty(metadata, "generateName") == Some(schema::Type::String)
}

impl Types {
    pub(crate) fn new(schema: &Schema) -> Self {
        let nodes = schema.nodes().len();
        let mut builder = Builder { schema, states: vec![State::Todo; nodes] };
        for at in 0..nodes {
            builder.decl(NodeId(at as u32));
        }
        let mut decls: Vec<Option<Decl>> = builder
            .states
            .into_iter()
            .map(|state| match state {
                State::Done(decl) => decl.map(|decl| *decl),
                State::Todo | State::Doing => None,
            })
            .collect();
        let text =
            Decl { shape: Shape::String, elements_max: REQUEST_BYTES_MAX - 2, bytes_min: EMPTY };
        decls.push(Some(text));
        let place = Place(nodes as u32);
        decls.push(Some(Decl {
            shape: Shape::Object(vec![("generateName".into(), place), ("name".into(), place)]),
            elements_max: 0,
            bytes_min: EMPTY,
        }));
        Types { decls, nodes }
    }

    /// The type of a schema node; none when expressions cannot see it.
    pub(crate) fn of(&self, id: NodeId) -> Option<Place> {
        let place = Place(id.0);
        (id.index() < self.nodes && self.decl(place).is_some()).then_some(place)
    }

    pub(crate) fn decl(&self, at: Place) -> Option<&Decl> {
        self.decls.get(at.0 as usize)?.as_ref()
    }

    fn element(&self, at: Place) -> Option<Place> {
        match self.decl(at)?.shape {
            Shape::List(element) | Shape::Map(element) => Some(element),
            _ => None,
        }
    }

    fn field(&self, at: Place, name: &str) -> Option<(&Text, Place)> {
        let Shape::Object(fields) = &self.decl(at)?.shape else { return None };
        let found = fields.binary_search_by(|(field, _)| field.as_str().cmp(name)).ok()?;
        fields.get(found).map(|(name, place)| (name, *place))
    }

    /// The type for the checker; objects in it are named by the way from `name`.
    pub(crate) fn cel_type(&self, at: Place, name: &str) -> Type {
        let Some(decl) = self.decl(at) else { return Type::Dyn };
        match decl.shape {
            Shape::Dyn => Type::Dyn,
            Shape::Bool => Type::Bool,
            Shape::Int => Type::Int,
            Shape::Double => Type::Double,
            Shape::String => Type::String,
            Shape::Bytes => Type::Bytes,
            Shape::Duration => Type::Duration,
            Shape::Timestamp => Type::Timestamp,
            Shape::List(items) => Type::list(self.cel_type(items, &format!("{name}.@idx"))),
            Shape::Map(values) => {
                Type::map(Type::String, self.cel_type(values, &format!("{name}.@elem")))
            }
            Shape::Object(_) => Type::Object(Arc::from(name)),
        }
    }

    /// How large the value can be that a path leads to from a node. The first step names the variable.
    pub(crate) fn size(&self, root: Place, path: &[Text]) -> Option<Size> {
        let (_, steps) = path.split_first()?;
        let mut at = root;
        for (index, step) in steps.iter().enumerate() {
            at = match step.as_str() {
                "@items" | "@values" => self.element(at)?,
                "@keys" => {
                    // A key is a string without any bound of its own, which leads nowhere further.
                    let is_map = matches!(self.decl(at)?.shape, Shape::Map(_));
                    let is_last = index + 1 == steps.len();
                    return (is_map && is_last).then_some(Size { min: 0, max: 0 });
                }
                name => self.field(at, name)?.1,
            };
        }
        let max = self.decl(at)?.elements_max;
        #[expect(clippy::cast_sign_loss, reason = "bounds that overflow count as unbounded")]
        Some(Size { min: 0, max: max as u64 })
    }

    /// Bounds a node as if its schema did; returns what has to be restored.
    pub(crate) fn set_bound(&mut self, id: NodeId, bound: i64) -> i64 {
        let Some(decl) = self.decls.get_mut(id.index()).and_then(Option::as_mut) else { return 0 };
        let is_text = matches!(decl.shape, Shape::String | Shape::Dyn);
        let elements = if is_text { bound.saturating_mul(4) } else { bound };
        std::mem::replace(&mut decl.elements_max, elements)
    }

    /// Takes a bound away again.
    pub(crate) fn restore_bound(&mut self, id: NodeId, before: i64) {
        if let Some(decl) = self.decls.get_mut(id.index()).and_then(Option::as_mut) {
            decl.elements_max = before;
        }
    }

    /// How often a value of a node fits into a request.
    pub(crate) fn cardinality_max(&self, at: Place) -> u64 {
        let bytes = self.decl(at).map_or(EMPTY, |decl| decl.bytes_min);
        let count = REQUEST_BYTES_MAX / bytes.saturating_add(1).max(1);
        u64::try_from(count).unwrap_or(0)
    }
}

#[derive(Clone)]
enum State {
    Todo,
    Doing,
    Done(Option<Box<Decl>>),
}

struct Builder<'s> {
    schema: &'s Schema,
    states: Vec<State>,
}

impl Builder<'_> {
    /// The least size of a node that expressions can see.
    fn decl(&mut self, id: NodeId) -> Option<i64> {
        match &self.states[id.index()] {
            State::Done(decl) => return decl.as_ref().map(|decl| decl.bytes_min),
            // Only objects are recursive.
            State::Doing => return Some(EMPTY),
            State::Todo => {}
        }
        self.states[id.index()] = State::Doing;
        let decl = self.build(id);
        let bytes = decl.as_ref().map(|decl| decl.bytes_min);
        self.states[id.index()] = State::Done(decl.map(Box::new));
        bytes
    }

    fn build(&mut self, id: NodeId) -> Option<Decl> {
        let node = self.schema.node(id);
        let simple = |shape: Shape, bytes_min: i64| Decl { shape, elements_max: 0, bytes_min };
        Some(match node.ty {
            schema::Type::IntOrString => Decl {
                shape: Shape::Dyn,
                elements_max: length_max(node).unwrap_or(REQUEST_BYTES_MAX - 2),
                bytes_min: 1,
            },
            schema::Type::Any => return None,
            schema::Type::Boolean => simple(Shape::Bool, BOOL_MIN),
            schema::Type::Number => simple(Shape::Double, NUMBER_MIN),
            schema::Type::Integer => simple(Shape::Int, NUMBER_MIN),
            schema::Type::String => text(node),
            schema::Type::Array => {
                let items = node.items?;
                let bytes = self.decl(items)?;
                let declared = node.validation.as_ref().and_then(|it| it.max_items);
                let estimated = (REQUEST_BYTES_MAX - 2) / (bytes + 1);
                Decl {
                    shape: Shape::List(Place(items.0)),
                    elements_max: declared.map_or(estimated, |max| max.max(0)),
                    bytes_min: EMPTY,
                }
            }
            schema::Type::Object => self.object(id)?,
        })
    }

    fn object(&mut self, id: NodeId) -> Option<Decl> {
        let node = self.schema.node(id);
        if let Additional::Node(values) = node.additional {
            let bytes = self.decl(values)?;
            let declared = node.validation.as_ref().and_then(|it| it.max_properties);
            // The key's quotes, a colon and a comma come with each value.
            let estimated = (REQUEST_BYTES_MAX - 2) / (bytes + 6);
            return Some(Decl {
                shape: Shape::Map(Place(values.0)),
                elements_max: declared.map_or(estimated, |max| max.max(0)),
                bytes_min: EMPTY,
            });
        }
        let with_meta = is_resource(self.schema, id) && !declares_meta(self.schema, node);
        let required = node.validation.as_ref().map_or(&[][..], |it| it.required.as_slice());
        let required: BTreeSet<&Text> = required.iter().collect();
        let mut properties: Vec<(Text, Place, Option<i64>)> = Vec::new();
        for (name, child) in &node.properties {
            if with_meta && matches!(name.as_str(), "kind" | "apiVersion" | "metadata") {
                continue;
            }
            if let Some(bytes) = self.decl(*child) {
                // What has a default need not be sent.
                let default = self.schema.node(*child).default.as_ref();
                let sent = default.is_none_or(Value::is_null);
                properties.push((name.clone(), Place(child.0), sent.then_some(bytes)));
            }
        }
        if with_meta {
            let text = self.schema.nodes().len() as u32;
            properties.push(("kind".into(), Place(text), Some(EMPTY)));
            properties.push(("apiVersion".into(), Place(text), Some(EMPTY)));
            properties.push(("metadata".into(), Place(text + 1), Some(EMPTY)));
        }
        let mut bytes_min = EMPTY;
        let mut fields = Vec::with_capacity(properties.len());
        for (name, place, bytes) in properties {
            if let Some(bytes) = bytes.filter(|_| required.contains(&name)) {
                bytes_min = bytes_min.saturating_add(name.len() as i64 + bytes + 4);
            }
            if let Some(escaped) = escape(&name) {
                fields.push((Text::from(escaped), place));
            }
        }
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        Some(Decl { shape: Shape::Object(fields), elements_max: 0, bytes_min })
    }
}

/// The most bytes that a text with a bound can have.
fn length_max(node: &Node) -> Option<i64> {
    let max = node.validation.as_ref()?.max_length?;
    Some(max.max(0).wrapping_mul(4))
}

fn text(node: &Node) -> Decl {
    let validation = node.validation.as_deref();
    let format = validation.map_or("", |it| it.format.as_str());
    let (shape, elements_max, bytes_min) = match format {
        "byte" => {
            let declared = validation.and_then(|it| it.max_length);
            let max = declared.map_or(REQUEST_BYTES_MAX - 2, |max| max.max(0));
            (Shape::Bytes, max, EMPTY)
        }
        "duration" => (Shape::Duration, TIME_TEXT_MAX, DURATION_TEXT_MIN),
        "date" => (Shape::Timestamp, DATE_TEXT, DATE_TEXT),
        "date-time" => (Shape::Timestamp, TIME_TEXT_MAX, DATE_TIME_TEXT_MIN),
        _ => {
            let values = validation.map_or(&[][..], |it| it.enumeration.as_slice());
            let longest = values.iter().filter_map(Value::as_str).map(str::len).max();
            let max = match length_max(node) {
                Some(max) => max,
                None if values.is_empty() => REQUEST_BYTES_MAX - 2,
                None => longest.unwrap_or(0) as i64,
            };
            (Shape::String, max, EMPTY)
        }
    };
    Decl { shape, elements_max, bytes_min }
}

/// Answers for the object types that are named from one node.
pub(crate) struct NodeTypes {
    pub(crate) types: Arc<Types>,
    pub(crate) root: Place,
    /// The name of the node's own type.
    pub(crate) name: String,
}

impl NodeTypes {
    fn find(&self, object: &str) -> Option<Place> {
        let mut at = self.root;
        let rest = object.strip_prefix(self.name.as_str())?;
        for step in rest.split('.').skip(1) {
            at = match step {
                "@idx" | "@elem" => self.types.element(at)?,
                name => self.types.field(at, name)?.1,
            };
        }
        let is_own = rest.is_empty() || rest.starts_with('.');
        is_own.then_some(at)
    }
}

impl TypeProvider for NodeTypes {
    fn find_type(&self, name: &str) -> Option<Type> {
        match name {
            "duration" => return Some(Type::Duration),
            "timestamp" => return Some(Type::Timestamp),
            _ => {}
        }
        let at = self.find(name)?;
        let decl = self.types.decl(at)?;
        matches!(decl.shape, Shape::Object(_) | Shape::List(_) | Shape::Map(_))
            .then(|| self.types.cel_type(at, name))
    }

    fn find_field(&self, object: &str, field: &str) -> Option<Type> {
        let at = self.find(object)?;
        let found = self.types.field(at, field).or_else(|| {
            let escaped = is_reserved(field).then(|| format!("__{field}__"))?;
            self.types.field(at, &escaped)
        });
        let (name, place) = found?;
        Some(self.types.cel_type(place, &format!("{object}.{name}")))
    }
}
