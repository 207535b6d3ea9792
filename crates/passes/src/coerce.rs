//! Coerce: `apiVersion`, `kind` and `metadata` of the object and of resources embedded in it take their shape.
//!
//! A request with a value of the wrong type there is refused; from a stored object the value is dropped.

use ordain_meta::object_meta;
use ordain_value::field::{Error, Path};
use ordain_value::{Edit, List, Map, Value};

use crate::plan::{Additional, DEPTH_MAX, Id, Plan, PlanNode};
use crate::prune;

/// Whether the unknown fields of a request are wanted (field validation `Warn` and `Strict`) or not (`Ignore`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    Tell,
    Ignore,
}

/// What is known to be right of a new object, also once a server has dropped the status and filled
/// in the namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The schema surely has nothing against the object.
    pub schema: bool,
    /// Metadata has no fields but the usual ones, and surely passes.
    pub metadata: bool,
    /// There is no empty list or map in the object.
    pub nothing_empty: bool,
    /// The object is far smaller than any may be, and there is no float in it.
    pub plain: bool,
}

impl Plan {
    /// What happens to every request body once it is decoded: metadata takes its shape, unknown fields and
    /// disallowed nulls go, embedded resources take their shape. Returns the paths of unknown fields in the order
    /// in which they are reported.
    ///
    /// # Errors
    /// When metadata, or a field of an embedded resource, has a wrong type; in the words of the API.
    pub fn shape_request(
        &self,
        object: &mut Value,
        unknown: Unknown,
    ) -> Result<Vec<String>, String> {
        let told = shape_metadata(object)?;
        self.shape_rest(object, unknown, told)
    }

    /// What one walk shows of a new object that has its defaults: nothing in it is to be pruned or
    /// cleaned of nulls, and its metadata is usual. `None` when it has to be shaped.
    #[must_use]
    pub fn recognize(&self, object: &Value, namespaced: bool) -> Option<Known> {
        let metadata = object.get("metadata").and_then(Value::as_map)?;
        if !object_meta::is_usual(metadata, namespaced) {
            return None;
        }
        let clean = self.clean(object);
        clean.pruned.then_some(Known { schema: clean.sound, metadata: true, ..Known::default() })
    }

    /// All but the object's own metadata.
    fn shape_rest(
        &self,
        object: &mut Value,
        unknown: Unknown,
        mut told: Vec<String>,
    ) -> Result<Vec<String>, String> {
        let saw_null = match unknown {
            Unknown::Ignore => prune::prune_untracked(self, object),
            Unknown::Tell => {
                let (paths, saw_null) = prune::prune_tracked(self, object);
                told.extend(paths);
                saw_null
            }
        };
        if saw_null {
            self.drop_nulls(object);
        }
        told.extend(self.coerce_embedded(object)?);
        Ok(if unknown == Unknown::Tell { told } else { Vec::new() })
    }

    /// What happens to every object that is read from the store, before its defaults are set.
    ///
    /// # Errors
    /// When metadata is no object at all.
    pub fn shape_stored(&self, object: &mut Value) -> Result<(), String> {
        if let Some(metadata) = object.get("metadata") {
            let mut metadata = object_meta::coerce_dropping_invalid(metadata)?.metadata;
            if metadata.get("generation").is_none() {
                metadata.set_path(&["generation"], Value::Int(1));
            }
            set_metadata(object, metadata);
        }
        if prune::prune_untracked(self, object) {
            self.drop_nulls(object);
        }
        let mut coercer = Coercer { plan: self, drop_invalid: true, unknown: Vec::new() };
        coercer.whole(object, false).map_err(|error| error.to_string())
    }

    /// What happens to an object that mutating admission changed before it is stored: metadata that
    /// does not fit and unknown fields go, nulls stay.
    ///
    /// # Errors
    /// When metadata is no object at all.
    pub fn shape_admitted(&self, object: &mut Value) -> Result<(), String> {
        if let Some(metadata) = object.get("metadata") {
            let metadata = object_meta::coerce_dropping_invalid(metadata)?.metadata;
            set_metadata(object, metadata);
        }
        prune::prune_untracked(self, object);
        let mut coercer = Coercer { plan: self, drop_invalid: true, unknown: Vec::new() };
        coercer.whole(object, false).map_err(|error| error.to_string())
    }

    /// Brings embedded resources of a request into shape; returns the paths of unknown metadata fields, sorted.
    ///
    /// # Errors
    /// The first value of a wrong type, as text.
    pub fn coerce_embedded(&self, object: &mut Value) -> Result<Vec<String>, String> {
        if !self.has_embedded_resources() {
            return Ok(Vec::new());
        }
        let mut coercer = Coercer { plan: self, drop_invalid: false, unknown: Vec::new() };
        coercer.whole(object, false).map_err(|error| error.to_string())?;
        coercer.unknown.sort();
        Ok(coercer.unknown)
    }
}

/// For defaults inside a made-up object: the root counts as a resource, and what does not fit is dropped.
pub(crate) fn coerce_root_default(plan: &Plan, object: &mut Value) -> Result<(), String> {
    let mut coercer = Coercer { plan, drop_invalid: true, unknown: Vec::new() };
    coercer.whole(object, true).map_err(|error| error.to_string())
}

/// The value of one place in shape, or `None` when it already is; what does not fit is refused.
pub(crate) fn coerced_at(
    plan: &Plan,
    id: Id,
    as_resource: bool,
    value: &Value,
    path: &Path<'_>,
) -> Result<Option<Value>, Error> {
    let mut coercer = Coercer { plan, drop_invalid: false, unknown: Vec::new() };
    match value {
        Value::Map(map) if as_resource => {
            Ok(coercer.map(map, plan.node(id), true, path, 0)?.map(Value::Map))
        }
        _ => coercer.value(value, id, path, 0),
    }
}

/// Brings the object's own metadata into shape; returns the paths of its unknown fields.
fn shape_metadata(object: &mut Value) -> Result<Vec<String>, String> {
    let Some(metadata) = object.get("metadata") else { return Ok(Vec::new()) };
    let coerced = object_meta::coerce(metadata)?;
    let told = coerced.unknown.iter().map(|path| format!("metadata.{path}")).collect();
    set_metadata(object, coerced.metadata);
    Ok(told)
}

fn set_metadata(object: &mut Value, metadata: Value) {
    let unchanged = object.get("metadata").is_some_and(|it| it.same(&metadata));
    if let (false, Value::Map(map)) = (unchanged, object) {
        map.insert("metadata", metadata);
    }
}

struct Coercer<'p> {
    plan: &'p Plan,
    drop_invalid: bool,
    unknown: Vec<String>,
}

impl Coercer<'_> {
    fn whole(&mut self, object: &mut Value, as_resource: bool) -> Result<(), Error> {
        let node = self.plan.node(self.plan.root);
        let embedded = as_resource || node.embedded;
        if !(embedded || node.below.embedded) {
            return Ok(());
        }
        if let Value::Map(map) = object
            && let Some(shaped) = self.map(map, node, embedded, &Path::root(), 0)?
        {
            *object = Value::Map(shaped);
        }
        Ok(())
    }

    /// The value in shape, or `None` when it already is.
    fn value(
        &mut self,
        value: &Value,
        id: Id,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Option<Value>, Error> {
        let node = self.plan.node(id);
        if !node.below.embedded || depth >= DEPTH_MAX {
            return Ok(None);
        }
        match (value, node.items) {
            (Value::Map(map), _) => {
                Ok(self.map(map, node, node.embedded, path, depth)?.map(Value::Map))
            }
            (Value::List(list), Some(items)) => {
                Ok(self.list(list, items, path, depth)?.map(Value::List))
            }
            _ => Ok(None),
        }
    }

    fn map(
        &mut self,
        map: &Map,
        node: &PlanNode,
        embedded: bool,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Option<Map>, Error> {
        let mut sweep = node.properties.sweep();
        map.try_edited(|key, value| {
            let property = sweep.find(key);
            if embedded && prune::is_meta_field(key) {
                return self.meta_field(key, value, path);
            }
            let changed = match (property, node.additional) {
                (Some(property), _) => {
                    self.value(value, property.node, &path.child(key), depth + 1)?
                }
                (None, Additional::Node(id)) => self.value(value, id, &path.key(key), depth + 1)?,
                _ => None,
            };
            Ok(changed.into())
        })
    }

    fn meta_field(&mut self, key: &str, value: &Value, path: &Path<'_>) -> Result<Edit, Error> {
        if key != "metadata" {
            return match (value, self.drop_invalid) {
                (Value::Str(_), _) => Ok(Edit::Keep),
                (_, true) => Ok(Edit::Drop),
                (_, false) => Err(Error::invalid(&path.child(key), value, "must be a string")),
            };
        }
        let coerced = if self.drop_invalid {
            match object_meta::coerce_dropping_invalid(value) {
                Ok(coerced) => coerced,
                Err(_) => return Ok(Edit::Keep),
            }
        } else {
            object_meta::coerce(value)
                .map_err(|text| Error::invalid(&path.child(key), value, text))?
        };
        let prefix = path.child(key);
        self.unknown.extend(coerced.unknown.iter().map(|unknown| format!("{prefix}.{unknown}")));
        let unchanged = coerced.metadata.same(value);
        Ok(if unchanged { Edit::Keep } else { Edit::Put(coerced.metadata) })
    }

    fn list(
        &mut self,
        list: &List,
        items: Id,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Option<List>, Error> {
        list.try_edited(|at, value| self.value(value, items, &path.index(at), depth + 1))
    }
}
