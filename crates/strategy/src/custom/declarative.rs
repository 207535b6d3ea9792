//! Conversion that a definition declares: fields that move between a version and the stored one,
//! values that expressions make, and defaults of fields that the other side does not have.
//!
//! It stands in the annotation `ordain.dev/conversion` of a definition, so that servers which do
//! not know it keep it and convert by name only:
//!
//! ```yaml
//! v1:                                           # between v1 and the storage version
//! - {from: spec.size, to: spec.dimensions.size} # a field that moved
//! - {from: 'spec.ports[*].num', to: 'spec.ports[*].number'}
//! - {from: spec.cores, to: spec.millis, forward: 'int(self * 1000.0)', back: 'double(self) / 1000.0'}
//! - {to: spec.mode, default: careful}           # v1 has no such field
//! ```
//!
//! INVARIANT: every field is computed from the object as it came, so that the order of
//! declarations does not matter.

use std::collections::BTreeMap;

use ordain_cel::program::{EvalOptions, Program};
use ordain_cel::types::Type;
use ordain_cel::value::{ViewRef, expanded};
use ordain_passes::cel_library::{Environment, PER_CALL_LIMIT, plain};
use ordain_schema::crd::Crd;
use ordain_schema::{Additional, NodeId, Schema};
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Text, Value, yaml};

/// The annotation that declares a conversion.
pub const ANNOTATION: &str = "ordain.dev/conversion";

/// Expressions see the value of the field they are about, and the whole object.
const SELF: &str = "self";
const OBJECT: &str = "object";

/// The declared conversion of a kind.
#[derive(Debug)]
pub struct Declarative {
    storage: Text,
    /// By version: how it differs from the stored one.
    versions: BTreeMap<Text, Vec<Field>>,
}

/// A field of a version, of the stored version, or of both.
#[derive(Debug)]
struct Field {
    here: Side,
    stored: Side,
}

/// A field on one side.
#[derive(Debug, Default)]
struct Side {
    /// Empty if the side has no such field.
    place: Place,
    /// Makes its value from the other side.
    expression: Option<Expression>,
    /// Its value if the other side gives none.
    default: Option<Value>,
}

#[derive(Debug)]
struct Expression {
    text: Text,
    program: Program,
}

/// The path of a field: lists whose items have it, outermost first, and the way below.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Place {
    lists: Vec<Vec<Text>>,
    keys: Vec<Text>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    ToStored,
    FromStored,
}

impl Declarative {
    /// The conversion that a definition declares; none without the annotation.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn compile(
        definition: &Crd,
        schemas: &BTreeMap<Text, &Schema>,
    ) -> Result<Option<Self>, ErrorList> {
        let Some(text) = definition.annotation(ANNOTATION) else { return Ok(None) };
        let root = Path::new("metadata");
        let annotations = root.child("annotations");
        let path = annotations.key(ANNOTATION);
        let refuse = |why: String| Err(ErrorList::from(Error::invalid(&path, text, why)));
        let read = yaml::decode_first(text.as_bytes(), yaml::Options::default());
        let declared = match read.and_then(|it| it.value) {
            Ok(Value::Map(map)) => map,
            Ok(_) => return refuse("must be a map of versions to lists of fields".to_owned()),
            Err(error) => return refuse(error.to_string()),
        };
        let Some(storage) = definition.spec.storage_version() else { return Ok(None) };
        let mut errors = ErrorList::new();
        let mut versions = BTreeMap::new();
        for (version, fields) in declared.iter() {
            let at = path.key(version);
            let (Some(schema), Some(stored)) =
                (schemas.get(version.as_str()), schemas.get(storage.name.as_str()))
            else {
                errors.push(Error::not_found(&at, version.as_str()));
                continue;
            };
            if *version == storage.name {
                let why = "the storage version is what the others are converted to";
                errors.push(Error::forbidden(&at, why));
                continue;
            }
            let reader = Reader { schema, stored };
            versions.insert(version.clone(), reader.fields(fields, &at, &mut errors));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Some(Self { storage: storage.name.clone(), versions }))
    }

    /// The fields of an object in another version. Its apiVersion is for the caller to set.
    ///
    /// # Errors
    /// When an expression fails, in words.
    pub fn convert(&self, object: &Value, from: &str, to: &str) -> Result<Value, String> {
        let stored = self.step(object, from, Direction::ToStored)?;
        self.step(&stored, to, Direction::FromStored)
    }

    fn step(&self, object: &Value, version: &str, direction: Direction) -> Result<Value, String> {
        let mut out = object.clone();
        if version == self.storage {
            return Ok(out);
        }
        let fields = self.versions.get(version).map(Vec::as_slice).unwrap_or_default();
        for field in fields {
            let (source, _) = field.sides(direction);
            each(&source.place.lists, None, &mut out, &mut |_, item| {
                take(item, &source.place.keys);
                Ok(())
            })?;
        }
        for field in fields {
            let (source, target) = field.sides(direction);
            if target.place.keys.is_empty() {
                continue;
            }
            each(&target.place.lists, Some(object), &mut out, &mut |original, item| {
                let value = target.value(source, original, object).map_err(|why| {
                    format!("the conversion of {} by {version} failed: {why}", target.place)
                })?;
                if let Some(value) = value {
                    item.set_path(&texts(&target.place.keys), value);
                }
                Ok(())
            })?;
        }
        Ok(out)
    }
}

fn texts(keys: &[Text]) -> Vec<&str> {
    keys.iter().map(Text::as_str).collect()
}

/// Removes a field, and what it leaves empty above it.
fn take(object: &mut Value, keys: &[Text]) {
    let keys = texts(keys);
    if keys.is_empty() || object.remove_path(&keys).is_none() {
        return;
    }
    for end in (1..keys.len()).rev() {
        let above = &keys[..end];
        let is_empty =
            object.get_path(above).and_then(Value::as_map).is_some_and(|it| it.is_empty());
        if !is_empty {
            return;
        }
        object.remove_path(above);
    }
}

type Visit<'v> = dyn FnMut(Option<&Value>, &mut Value) -> Result<(), String> + 'v;

/// Visits the object, or all items of nested lists, together with the original of each.
fn each(
    lists: &[Vec<Text>],
    original: Option<&Value>,
    object: &mut Value,
    visit: &mut Visit<'_>,
) -> Result<(), String> {
    let Some((list, rest)) = lists.split_first() else { return visit(original, object) };
    let keys = texts(list);
    let Some(Value::List(items)) = object.get_path(&keys) else { return Ok(()) };
    let originals = original.and_then(|it| it.get_path(&keys)).and_then(Value::as_list);
    let mut changed = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let mut item = item.clone();
        each(rest, originals.and_then(|it| it.get(at)), &mut item, visit)?;
        changed.push(item);
    }
    object.set_path(&keys, changed.into());
    Ok(())
}

impl Field {
    /// Where the value comes from and where it goes.
    fn sides(&self, direction: Direction) -> (&Side, &Side) {
        match direction {
            Direction::ToStored => (&self.here, &self.stored),
            Direction::FromStored => (&self.stored, &self.here),
        }
    }
}

impl Side {
    /// The value of the field; none if it stays absent.
    fn value(
        &self,
        source: &Side,
        item: Option<&Value>,
        object: &Value,
    ) -> Result<Option<Value>, String> {
        let found = match source.place.keys.as_slice() {
            [] => None,
            keys => item.and_then(|item| item.get_path(&texts(keys))),
        };
        let made = match &self.expression {
            // What makes something of a field has nothing to do when there is none.
            Some(_) if found.is_none() && !source.place.keys.is_empty() => None,
            Some(expression) => expression.evaluate(found, object)?,
            None => found.cloned(),
        };
        Ok(made.or_else(|| self.default.clone()))
    }
}

impl Expression {
    fn compile(text: &str) -> Result<Self, String> {
        let base = Environment::crd();
        let env = base.env.with_variable(SELF, Type::Dyn).with_variable(OBJECT, Type::Dyn);
        let checked = env.compile(text).map_err(|error| format!("compilation failed: {error}"))?;
        let program = Program::new(&checked, &base.functions)
            .map_err(|error| format!("program instantiation failed: {error}"))?;
        Ok(Self { text: text.into(), program })
    }

    fn evaluate(&self, own: Option<&Value>, object: &Value) -> Result<Option<Value>, String> {
        let options = EvalOptions { cost_limit: Some(PER_CALL_LIMIT), ..EvalOptions::default() };
        let null = Value::Null;
        let own = own.unwrap_or(&null);
        let find = |name: &str| match name {
            SELF => Some(ViewRef::dynamic().read(own)),
            OBJECT => Some(ViewRef::dynamic().read(object)),
            _ => None,
        };
        let outcome = self.program.eval_with(find, options);
        let value = outcome
            .value
            .map_err(|error| format!("expression '{}' resulted in error: {error}", self.text))?;
        if !expanded::fits(&value) {
            return Err(format!(
                "the value of expression '{}' is larger than an object may be",
                self.text
            ));
        }
        let value = plain::value(&value, 0)?;
        Ok(Some(value).filter(|it| !it.is_null()))
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for list in &self.lists {
            write!(f, "{}[*].", list.join("."))?;
        }
        f.write_str(&self.keys.join("."))
    }
}

/// Reads the declarations of one version.
struct Reader<'a> {
    schema: &'a Schema,
    stored: &'a Schema,
}

const KEYS: [&str; 6] = ["from", "to", "forward", "back", "default", "defaultBack"];

impl Reader<'_> {
    fn fields(&self, fields: &Value, path: &Path<'_>, errors: &mut ErrorList) -> Vec<Field> {
        let Value::List(list) = fields else {
            errors.push(Error::invalid(path, fields.clone(), "must be a list of fields"));
            return Vec::new();
        };
        let read = list.iter().enumerate().map(|(at, it)| self.field(it, &path.index(at), errors));
        read.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    fn field(&self, value: &Value, path: &Path<'_>, errors: &mut ErrorList) -> Option<Field> {
        let before = errors.len();
        let known = value.as_map().into_iter().flat_map(|map| map.keys());
        for key in known.filter(|key| !KEYS.contains(&key.as_str())) {
            errors.push(Error::not_supported(path, key.as_str(), &KEYS));
        }
        let here = place(value, "from", self.schema, path, errors);
        let stored = place(value, "to", self.stored, path, errors);
        if here.keys.is_empty() && stored.keys.is_empty() {
            errors.push(Error::required(path, "from, to or both name a field"));
        }
        let both = !here.keys.is_empty() && !stored.keys.is_empty();
        if both && here.lists != stored.lists {
            let why = "items of a list stay in it: both paths begin with the same lists";
            errors.push(Error::invalid(&path.child("to"), stored.to_string(), why));
        }
        // A default without a source is that of the only side.
        let default = |key: &str| value.get(key).cloned();
        let (stored_default, here_default) = if stored.keys.is_empty() {
            (None, default("default").or(default("defaultBack")))
        } else {
            (default("default"), default("defaultBack"))
        };
        let stored = Side {
            expression: expression(value, "forward", &stored, path, errors),
            place: stored,
            default: stored_default,
        };
        let here = Side {
            expression: expression(value, "back", &here, path, errors),
            place: here,
            default: here_default,
        };
        (errors.len() == before).then_some(Field { here, stored })
    }
}

fn expression(
    value: &Value,
    key: &str,
    place: &Place,
    path: &Path<'_>,
    errors: &mut ErrorList,
) -> Option<Expression> {
    let text = value.get(key).and_then(Value::as_str)?;
    if place.keys.is_empty() {
        errors.push(Error::forbidden(&path.child(key), "there is no field that it could make"));
        return None;
    }
    match Expression::compile(text) {
        Ok(expression) => Some(expression),
        Err(why) => {
            errors.push(Error::invalid(&path.child(key), text, why));
            None
        }
    }
}

/// Reads a path and looks whether the schema has such a field.
fn place(
    value: &Value,
    key: &str,
    schema: &Schema,
    path: &Path<'_>,
    errors: &mut ErrorList,
) -> Place {
    let Some(text) = value.get(key).and_then(Value::as_str) else { return Place::default() };
    let place = Place::read(text);
    let all: Vec<&Text> = place.lists.iter().flatten().chain(&place.keys).collect();
    let wrong = match all.as_slice() {
        [] => Some("must name a field"),
        [first, ..] if matches!(first.as_str(), "apiVersion" | "kind") => Some("may not change"),
        [first, second, ..]
            if *first == "metadata" && matches!(second.as_str(), "labels" | "annotations") =>
        {
            None
        }
        [first, ..] if *first == "metadata" => {
            Some("only labels and annotations of metadata may change")
        }
        _ if !has(schema, &place) => Some("the schema of the version has no such field"),
        _ => None,
    };
    if let Some(why) = wrong {
        errors.push(Error::invalid(&path.child(key), text, why));
    }
    place
}

impl Place {
    /// `spec.ports[*].name`, `metadata.annotations[example.com/x]`.
    fn read(text: &str) -> Self {
        let mut place = Self::default();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(behind) = rest.strip_prefix("[*]") {
                place.lists.push(std::mem::take(&mut place.keys));
                rest = behind;
            } else if let Some((key, behind)) =
                rest.strip_prefix('[').and_then(|it| it.split_once(']'))
            {
                place.keys.push(key.into());
                rest = behind;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let (key, behind) = rest.split_at(end);
                if !key.is_empty() {
                    place.keys.push(key.into());
                }
                rest = behind;
            }
            rest = rest.strip_prefix('.').unwrap_or(rest);
        }
        place
    }
}

/// Whether a schema has a field.
fn has(schema: &Schema, place: &Place) -> bool {
    let mut at = schema.root();
    for list in &place.lists {
        let Some(found) = below(schema, at, list) else { return false };
        let Some(items) = schema.node(found).items else { return false };
        at = items;
    }
    below(schema, at, &place.keys).is_some()
}

fn below(schema: &Schema, from: NodeId, keys: &[Text]) -> Option<NodeId> {
    let mut at = from;
    for key in keys {
        let node = schema.node(at);
        at = match (node.property(key), node.additional) {
            (Some(found), _) | (None, Additional::Node(found)) => found,
            // Whatever is below is not looked at.
            (None, Additional::Any) => return Some(at),
            (None, _) if node.preserve_unknown => return Some(at),
            (None, _) => return None,
        };
    }
    Some(at)
}
