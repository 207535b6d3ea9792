//! [`Raw`] → [`Schema`]: the structural conversion.
//!
//! References, definitions and the other keywords that CRDs refuse have no place in the result, so
//! they are errors here.

use ordain_value::Text;

use crate::godecode::MAX_SCHEMA_DEPTH;
use crate::model::{Additional, Docs, ListType, MapType, Node, NodeId, Schema, Type, Validation};
use crate::raw::{BoolOr, Items, Raw};

/// Why a schema cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolveError(pub String);

impl std::fmt::Display for ResolveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ResolveError {}

/// Resolves a schema as CRDs write it.
///
/// # Errors
/// When a keyword is used that has no structural meaning, or a name is not known.
pub fn resolve(raw: &Raw) -> Result<Schema, ResolveError> {
    finish(Arena::default(), raw)
}

/// As [`resolve`], but unknown names of types count as none: admission reports them elsewhere and
/// goes on with the rest.
pub(crate) fn resolve_leniently(raw: &Raw) -> Result<Schema, ResolveError> {
    finish(Arena { nodes: Vec::new(), lenient: true }, raw)
}

fn finish(mut arena: Arena, raw: &Raw) -> Result<Schema, ResolveError> {
    let root = arena.add(raw, 0)?;
    Schema::new(arena.nodes, root).map_err(|e| ResolveError(e.to_string()))
}

#[derive(Default)]
struct Arena {
    nodes: Vec<Node>,
    lenient: bool,
}

impl Arena {
    fn add(&mut self, raw: &Raw, depth: usize) -> Result<NodeId, ResolveError> {
        if depth > MAX_SCHEMA_DEPTH {
            let text = format!("schema is nested deeper than {MAX_SCHEMA_DEPTH} levels");
            return Err(ResolveError(text));
        }
        convertible_here(raw)?;
        preserve_unknown_is_true(raw)?;
        items_is_single(raw)?;
        let Ok(at) = u32::try_from(self.nodes.len()) else {
            return Err(ResolveError("schema has too many nodes".to_owned()));
        };
        // The place is taken first: ids run in the order of reading, parents before children.
        self.nodes.push(Node::default());
        let node = self.node(raw, depth + 1)?;
        self.nodes[at as usize] = *node;
        Ok(NodeId(at))
    }

    fn known<T: Default>(&self, name: Result<T, ResolveError>) -> Result<T, ResolveError> {
        if self.lenient { Ok(name.unwrap_or_default()) } else { name }
    }

    fn node(&mut self, raw: &Raw, depth: usize) -> Result<Box<Node>, ResolveError> {
        let mut node = Box::new(Node {
            ty: self.known(node_type(raw))?,
            nullable: raw.nullable,
            preserve_unknown: raw.preserve_unknown_fields == Some(true),
            embedded_resource: raw.embedded_resource,
            list_type: self.known(raw.list_type.as_ref().map(list_type).transpose())?,
            map_type: self.known(raw.map_type.as_ref().map(map_type).transpose())?,
            list_map_keys: raw.list_map_keys().to_vec(),
            default: raw.default.clone(),
            rules: raw.rules().to_vec(),
            docs: docs(raw),
            ..Node::default()
        });
        for (name, property) in raw.properties() {
            let id = self.add(property, depth)?;
            node.properties.push((name.clone(), id));
        }
        if let Some(item) = raw.item() {
            node.items = Some(self.add(item, depth)?);
        }
        node.additional = match &raw.additional_properties {
            None => Additional::Absent,
            Some(BoolOr::Bool(true)) => Additional::Any,
            Some(BoolOr::Bool(false)) => Additional::Forbidden,
            Some(BoolOr::Schema(raw)) => Additional::Node(self.add(raw, depth)?),
        };
        node.validation = self.validation(raw, depth)?;
        let unions = crate::unions::of(raw);
        if !unions.is_empty() {
            node.declared_mut().unions = unions;
        }
        crate::extensions::put(raw, &mut node);
        Ok(node)
    }

    fn validation(
        &mut self,
        raw: &Raw,
        depth: usize,
    ) -> Result<Option<Box<Validation>>, ResolveError> {
        let mut validation = Box::new(Validation {
            format: raw.format.clone(),
            pattern: raw.pattern.clone(),
            maximum: raw.maximum,
            exclusive_maximum: raw.exclusive_maximum,
            minimum: raw.minimum,
            exclusive_minimum: raw.exclusive_minimum,
            multiple_of: raw.multiple_of,
            max_length: raw.max_length,
            min_length: raw.min_length,
            max_items: raw.max_items,
            min_items: raw.min_items,
            max_properties: raw.max_properties,
            min_properties: raw.min_properties,
            unique_items: raw.unique_items,
            enumeration: raw.enumeration.clone().unwrap_or_default(),
            required: raw.required().to_vec(),
            ..Validation::default()
        });
        validation.all_of = self.branches(raw.all_of(), depth)?;
        validation.any_of = self.branches(raw.any_of(), depth)?;
        validation.one_of = self.branches(raw.one_of(), depth)?;
        if let Some(not) = &raw.not {
            validation.not = Some(self.add(not, depth)?);
        }
        Ok((*validation != Validation::default()).then_some(validation))
    }

    fn branches(&mut self, list: &[Raw], depth: usize) -> Result<Vec<NodeId>, ResolveError> {
        list.iter().map(|raw| self.add(raw, depth)).collect()
    }
}

fn node_type(raw: &Raw) -> Result<Type, ResolveError> {
    if raw.int_or_string {
        return Ok(Type::IntOrString);
    }
    Type::from_name(&raw.ty)
        .ok_or_else(|| ResolveError(format!("type {:?} is not supported", raw.ty.as_str())))
}

fn list_type(name: &Text) -> Result<ListType, ResolveError> {
    match name.as_str() {
        "atomic" => Ok(ListType::Atomic),
        "set" => Ok(ListType::Set),
        "map" => Ok(ListType::Map),
        other => Err(ResolveError(format!("list type {other:?} is not supported"))),
    }
}

fn map_type(name: &Text) -> Result<MapType, ResolveError> {
    match name.as_str() {
        "atomic" => Ok(MapType::Atomic),
        "granular" => Ok(MapType::Granular),
        other => Err(ResolveError(format!("map type {other:?} is not supported"))),
    }
}

fn docs(raw: &Raw) -> Option<Box<Docs>> {
    let docs = Docs {
        title: raw.title.clone(),
        description: raw.description.clone(),
        example: raw.example.clone(),
        external: raw.external_docs.clone(),
    };
    (docs != Docs::default()).then(|| Box::new(docs))
}

/// Whether the whole schema can be converted at all; the first obstacle is the error. Unlike
/// [`resolve`] this lets unknown names of types pass: other admission rules speak about those.
pub(crate) fn convertible(raw: &Raw) -> Result<(), ResolveError> {
    convertible_here(raw)?;
    if let Some(not) = &raw.not {
        convertible(not)?;
    }
    for branch in raw.all_of().iter().chain(raw.any_of()).chain(raw.one_of()) {
        convertible(branch)?;
    }
    preserve_unknown_is_true(raw)?;
    items_is_single(raw)?;
    if let Some(item) = raw.item() {
        convertible(item)?;
    }
    for (_, property) in raw.properties() {
        convertible(property)?;
    }
    raw.additional().map_or(Ok(()), convertible)
}

fn convertible_here(raw: &Raw) -> Result<(), ResolveError> {
    let unsupported = [
        ("id", !raw.id.is_empty()),
        ("schema", !raw.schema.is_empty()),
        ("$ref", raw.reference.as_ref().is_some_and(|r| !r.is_empty())),
        ("patternProperties", raw.pattern_properties.as_ref().is_some_and(|m| !m.is_empty())),
        ("dependencies", raw.dependencies.as_ref().is_some_and(|m| !m.is_empty())),
        ("additionalItems", raw.additional_items.is_some()),
        ("definitions", raw.definitions.as_ref().is_some_and(|m| !m.is_empty())),
    ];
    match unsupported.iter().find(|(_, used)| *used) {
        Some((keyword, _)) => {
            Err(ResolveError(format!("OpenAPIV3Schema '{keyword}' is not supported")))
        }
        None => Ok(()),
    }
}

fn preserve_unknown_is_true(raw: &Raw) -> Result<(), ResolveError> {
    if raw.preserve_unknown_fields == Some(false) {
        let text =
            "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
        return Err(ResolveError(text.to_owned()));
    }
    Ok(())
}

fn items_is_single(raw: &Raw) -> Result<(), ResolveError> {
    match &raw.items {
        Some(Items::Many(list)) if !list.is_empty() => Err(ResolveError(
            "OpenAPIV3Schema 'items' must be a schema, but is an array".to_owned(),
        )),
        _ => Ok(()),
    }
}
