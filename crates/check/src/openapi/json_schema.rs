//! JSON Schemas, one document per kind, as collections of them have them and `ordain gen jsonschema`
//! writes them: what of them a definition can say.

use ordain_meta::GroupVersionKind;
use ordain_meta::gvk::GroupVersion;
use ordain_value::{List, Map, Value, value};

use super::{Entry, custom};

/// Schemas deeper than this, references followed, are cut.
const DEPTH_MAX: usize = 64;

/// Places that references may blow a schema up to.
const PLACES_MAX: usize = 200_000;

/// Whether a value looks like the JSON Schema of a kind.
#[must_use]
pub fn is_schema(value: &Value) -> bool {
    let is_kind = value.get("apiVersion").is_some() && value.get("kind").is_some();
    !is_kind
        && !super::is_document(value)
        && value.get("properties").is_some_and(|it| it.as_map().is_some())
}

/// The kind that a schema says that it is for.
#[must_use]
pub fn gvk(schema: &Value) -> Option<GroupVersionKind> {
    if let Some(named) = super::gvks(schema).next() {
        return Some(named);
    }
    let only = |field: &str| {
        let property = schema.get_path(&["properties", field])?;
        let listed = property.get("enum").and_then(Value::as_list).filter(|it| it.len() == 1);
        let value = property.get("const").or_else(|| listed.and_then(|it| it.first()))?;
        value.as_str()
    };
    let version = GroupVersion::decode(only("apiVersion")?).ok()?;
    Some(version.with_kind(only("kind")?))
}

/// The definition of a kind that a schema describes.
///
/// # Errors
/// When it says something that is not understood; in words.
pub fn definition(schema: &Value, gvk: &GroupVersionKind) -> Result<Value, String> {
    let mut reader = Reader { root: schema, places: 0 };
    let mut model = reader.place(schema, 0)?;
    // What every object has is the server's to say.
    for field in ["apiVersion", "kind"] {
        model.set_path(&["properties", field], value!({"type": "string"}));
    }
    model.set_path(&["type"], "object".into());
    let has_status = model.get_path(&["properties", "status"]).is_some();
    let entry = Entry {
        gvk: gvk.clone(),
        name: gvk.kind.clone(),
        namespaced: None,
        has_status,
        plural: None,
    };
    custom::definition(&entry, &model)
}

struct Reader<'r> {
    root: &'r Value,
    places: usize,
}

impl Reader<'_> {
    fn place(&mut self, schema: &Value, depth: usize) -> Result<Value, String> {
        self.places += 1;
        if self.places > PLACES_MAX {
            return Err(format!("the schema has more than {PLACES_MAX} places"));
        }
        let open = || value!({"x-kubernetes-preserve-unknown-fields": true});
        let Value::Map(given) = schema else { return Ok(open()) };
        if depth > DEPTH_MAX {
            return Ok(open());
        }
        if let Some(pointer) = given.get("$ref").and_then(Value::as_str) {
            let target = self.target(pointer)?;
            return self.place(&target, depth + 1);
        }
        let mut out = Map::new();
        for (key, value) in given.iter() {
            let kept = match key.as_str() {
                "properties" => {
                    let mut properties = Map::new();
                    for (name, it) in value.as_map().into_iter().flat_map(Map::iter) {
                        properties.insert(name.clone(), self.place(it, depth + 1)?);
                    }
                    Value::Map(properties)
                }
                "items" => self.place(value, depth + 1)?,
                "additionalProperties" if value.as_map().is_some() => {
                    self.place(value, depth + 1)?
                }
                "allOf" | "anyOf" | "oneOf" => self.junctor(value, depth)?,
                "const" => {
                    out.insert("enum", List::from(vec![value.clone()]).into());
                    continue;
                }
                key if is_kept(key) => value.clone(),
                _ => continue,
            };
            out.insert(key.clone(), kept);
        }
        typed(given, &mut out);
        bounded(given, &mut out);
        Ok(Value::Map(out))
    }

    /// The alternatives of a place: of them a definition keeps limits, not shapes.
    fn junctor(&mut self, value: &Value, depth: usize) -> Result<Value, String> {
        let mut parts = Vec::new();
        for part in value.as_list().into_iter().flatten() {
            let mut part = self.place(part, depth + 1)?;
            for shape in ["type", "description", "default", "nullable", OPEN] {
                part.remove_path(&[shape]);
            }
            parts.push(part);
        }
        Ok(List::from(parts).into())
    }

    fn target(&self, pointer: &str) -> Result<Value, String> {
        let way = pointer.strip_prefix("#/");
        let way = way.ok_or_else(|| format!("{pointer} leads out of the document"))?;
        let found = way
            .split('/')
            .try_fold(self.root, |at, step| at.get(&step.replace("~1", "/").replace("~0", "~")));
        found.cloned().ok_or_else(|| format!("{pointer} leads nowhere"))
    }
}

const OPEN: &str = "x-kubernetes-preserve-unknown-fields";

/// Keywords that mean the same in both languages.
fn is_kept(key: &str) -> bool {
    const KEPT: [&str; 17] = [
        "description",
        "default",
        "enum",
        "format",
        "pattern",
        "minimum",
        "maximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "required",
        "nullable",
    ];
    KEPT.contains(&key) || key.starts_with("x-kubernetes-")
}

/// Gives a place its type: schemas may have several, or none that they say.
fn typed(given: &Map, out: &mut Map) {
    let named: Vec<&str> = match given.get("type") {
        Some(Value::Str(name)) => vec![name.as_str()],
        Some(Value::List(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if named.contains(&"null") {
        out.insert("nullable", true.into());
    }
    let types: Vec<&str> = named.into_iter().filter(|it| *it != "null").collect();
    let by_parts = alternatives(given);
    match types.as_slice() {
        _ if is_int_or_string(&types) || (types.is_empty() && is_int_or_string(&by_parts)) => {
            out.remove("anyOf");
            out.remove("oneOf");
            out.remove("format");
            out.insert("x-kubernetes-int-or-string", true.into());
        }
        [one] => {
            out.insert("type", (*one).into());
        }
        [] if given.contains_key("properties") || given.contains_key("additionalProperties") => {
            out.insert("type", "object".into());
        }
        [] if given.contains_key("items") => {
            out.insert("type", "array".into());
        }
        _ => {
            out.insert(OPEN, true.into());
        }
    }
    let is_empty_object = out.get("type").and_then(Value::as_str) == Some("object")
        && !out.contains_key("properties")
        && !out.contains_key("additionalProperties");
    if is_empty_object && given.get("additionalProperties") != Some(&Value::Bool(false)) {
        out.insert(OPEN, true.into());
    }
}

/// The types of the alternatives of a place.
fn alternatives(given: &Map) -> Vec<&str> {
    let list = given.get("oneOf").or_else(|| given.get("anyOf")).and_then(Value::as_list);
    list.into_iter().flatten().filter_map(|it| it.get("type")?.as_str()).collect()
}

fn is_int_or_string(types: &[&str]) -> bool {
    types.len() == 2 && types.contains(&"string") && types.contains(&"integer")
}

/// Later drafts write an exclusive bound as a number of its own.
fn bounded(given: &Map, out: &mut Map) {
    for (key, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        match given.get(key) {
            Some(flag @ Value::Bool(_)) => {
                out.insert(key, flag.clone());
            }
            Some(number @ (Value::Int(_) | Value::Float(_))) => {
                out.insert(bound, number.clone());
                out.insert(key, true.into());
            }
            _ => {}
        }
    }
}
