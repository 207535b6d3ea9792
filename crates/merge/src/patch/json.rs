//! JSON patch (RFC 6902), with the liberties of the library that kube-apiserver uses: negative
//! indices count from the end, a path need not start with a slash, `replace` makes a missing key,
//! `copy` of a missing key gives null, and `test` compares scalars by their text.

use ordain_value::go_format::{cannot_unmarshal, cannot_unmarshal_field, json_type};
use ordain_value::{DEPTH_MAX, Value, json as json_text};

use super::raw::{self, Entry};
use super::{PatchError, Strictness};

/// More operations than this are refused.
pub const OPERATIONS_MAX: usize = 10_000;

/// Bytes that the `copy` operations of one patch may add.
pub const COPY_BYTES_MAX: usize = 3 * 1024 * 1024;

/// Entries of lists and objects that the operations of one patch may move aside. Each insertion and
/// removal moves what stands behind it.
pub const MOVES_MAX: usize = 200_000_000;

/// What the operations of a patch have cost so far.
#[derive(Debug, Default)]
struct Effort {
    copied: usize,
    moved: usize,
}

impl Effort {
    fn moves(&mut self, count: usize) -> Result<(), String> {
        self.moved = self.moved.saturating_add(count);
        if self.moved > MOVES_MAX {
            return Err(format!("the operations move more than {MOVES_MAX} list items and fields"));
        }
        Ok(())
    }
}

/// A decoded JSON patch.
#[derive(Clone, Debug, Default)]
pub struct JsonPatch {
    operations: Vec<Operation>,
}

#[derive(Clone, Debug, Default)]
struct Operation {
    op: Option<String>,
    path: Option<String>,
    from: Option<String>,
    /// Absent and null are both `Value::Null`.
    value: Value,
    /// The text of a value that is there and not null.
    text: Option<Vec<u8>>,
}

impl JsonPatch {
    /// Whether there is no operation.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Whether an operation reads or writes in a field of the object.
    pub fn touches(&self, field: &str) -> bool {
        let within = |path: &Option<String>| {
            let path = path.as_deref().unwrap_or_default();
            path.strip_prefix('/').is_none_or(|it| it.split('/').next() == Some(field))
        };
        let from = |it: &Operation| it.from.is_some() && within(&it.from);
        self.operations.iter().any(|it| within(&it.path) || from(it))
    }

    /// Reads a patch; also gives the strict errors of the document.
    pub fn decode(bytes: &[u8], strictness: Strictness) -> Result<(Self, Vec<String>), PatchError> {
        let report = strictness == Strictness::Report;
        let prefix = if report { "error decoding patch: " } else { "" };
        let bad = |message: String| PatchError::BadRequest(format!("{prefix}{message}"));
        let limits = json_text::Limits::default();
        let (document, duplicates) =
            json_text::decode_reporting(bytes, limits).map_err(|it| bad(it.message))?;
        let whole = if report { "[]handlers.jsonPatchOp" } else { "jsonpatch.Patch" };
        let each = if report { "handlers.jsonPatchOp" } else { "jsonpatch.Operation" };
        let mismatch = |value: &Value, ty: &str| bad(cannot_unmarshal(json_type(value), ty));
        let items = match &document {
            Value::Null => return Ok((JsonPatch::default(), Vec::new())),
            Value::List(items) => items,
            other => return Err(mismatch(other, whole)),
        };
        let mut strict: Vec<(usize, String)> = duplicates
            .iter()
            .map(|it| (it.offset, format!("json patch duplicate field {:?}", it.path)))
            .collect();
        let mut operations = Vec::with_capacity(items.len());
        for (at, (item, (offset, text))) in items.iter().zip(raw::items(bytes, 0)).enumerate() {
            if !matches!(item, Value::Map(_) | Value::Null) {
                return Err(mismatch(item, each));
            }
            let mut operation = Operation::default();
            for entry in raw::entries(text, offset) {
                if !operation.set(&entry, report).map_err(bad)? {
                    let message = format!("json patch unknown field \"[{at}].{}\"", entry.key);
                    strict.push((entry.offset, message));
                }
            }
            operations.push(operation);
        }
        if operations.len() > OPERATIONS_MAX {
            return Err(PatchError::TooLarge(format!(
                "The allowed maximum operations in a JSON patch is {OPERATIONS_MAX}, got {}",
                operations.len()
            )));
        }
        strict.sort_by_key(|it| it.0);
        let strict = if report { strict.into_iter().map(|it| it.1).collect() } else { Vec::new() };
        Ok((JsonPatch { operations }, strict))
    }

    /// Applies the operations in order, all or none.
    pub fn apply(&self, current: &Value) -> Result<Value, PatchError> {
        let mut document = current.clone();
        let mut effort = Effort::default();
        for operation in &self.operations {
            operation.apply(&mut document, &mut effort).map_err(PatchError::Rejected)?;
        }
        // Operations can nest what the decoders would refuse.
        if !self.operations.is_empty() && depth(&document) > DEPTH_MAX {
            return Err(PatchError::Rejected("exceeded max depth".to_owned()));
        }
        Ok(document)
    }
}

impl Operation {
    /// Takes in one member; false if no member has this name.
    fn set(&mut self, entry: &Entry<'_>, report: bool) -> Result<bool, String> {
        let value = json_text::decode(entry.text).map_err(|it| it.message)?;
        let slot = match entry.key.as_str() {
            "op" => &mut self.op,
            "path" => &mut self.path,
            "from" => &mut self.from,
            "value" => {
                self.text = (!value.is_null()).then(|| entry.text.to_vec());
                self.value = value;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        match value {
            Value::Str(text) => *slot = Some(text.to_string()),
            Value::Null => {
                if !report {
                    *slot = None;
                }
            }
            other if report => {
                let field = format!("jsonPatchOp.{}", entry.key);
                return Err(cannot_unmarshal_field(json_type(&other), &field, "string"));
            }
            _ => *slot = None,
        }
        Ok(true)
    }

    fn apply(&self, document: &mut Value, effort: &mut Effort) -> Result<(), String> {
        let path = || self.path.as_deref().ok_or("operation missing path field".to_owned());
        let from = || self.from.as_deref().ok_or("operation, missing from field".to_owned());
        match self.op.as_deref() {
            Some("add") => {
                let path = path()?;
                let (parent, key) = find(document, path).ok_or_else(|| {
                    format!("add operation does not apply: {}", missing_quoted(path))
                })?;
                let value = self.value.clone();
                add(parent, &key, value, effort).map_err(at("error in add for path", path))
            }
            Some("remove") => {
                let path = path()?;
                let (parent, key) = find(document, path).ok_or_else(|| {
                    format!("remove operation does not apply: {}", missing_quoted(path))
                })?;
                take(parent, &key, effort).map(drop).map_err(at("error in remove for path", path))
            }
            Some("replace") => self.replace(document, path()?),
            Some("move") => {
                let (from, path) = (from()?, path()?);
                let (parent, key) =
                    find(document, from).ok_or_else(|| missing("move", "from path", from))?;
                let value =
                    take(parent, &key, effort).map_err(at("error in move for path", &key))?;
                let (parent, key) = find(document, path)
                    .ok_or_else(|| missing("move", "destination path", path))?;
                add(parent, &key, value, effort).map_err(at("error in move for path", path))
            }
            Some("test") => self.test(document, path()?),
            Some("copy") => {
                let (from, path) = (from()?, path()?);
                let (parent, key) =
                    find(document, from).ok_or_else(|| missing("copy", "from path", from))?;
                let value = get(parent, &key).map_err(at("error in copy for from", from))?;
                let value = value.cloned().unwrap_or_default();
                let (parent, key) = find(document, path)
                    .ok_or_else(|| missing("copy", "destination path", path))?;
                if !value.is_null() {
                    effort.copied += json_text::encode(&value).len();
                }
                let copied = effort.copied;
                if copied > COPY_BYTES_MAX {
                    return Err(format!(
                        "Unable to complete the copy, the accumulated size increase of copy is {copied}, exceeding the limit {COPY_BYTES_MAX}"
                    ));
                }
                add(parent, &key, value, effort)
                    .map_err(|why| format!("error while adding value during copy: {why}"))
            }
            other => Err(format!("Unexpected kind: {}", other.unwrap_or("unknown"))),
        }
    }

    fn replace(&self, document: &mut Value, path: &str) -> Result<(), String> {
        if path.is_empty() {
            if !matches!(self.value, Value::Map(_) | Value::List(_)) {
                return Err("replace operation value must be object or array".to_owned());
            }
            *document = self.value.clone();
            return Ok(());
        }
        let (parent, key) = find(document, path).ok_or_else(|| missing("replace", "path", path))?;
        match parent {
            Value::Map(map) => {
                map.insert(key, self.value.clone());
                Ok(())
            }
            Value::List(list) => {
                let at = index(&key, list.len()).map_err(|_| missing("replace", "key", path))?;
                list.to_mut()[at] = self.value.clone();
                Ok(())
            }
            _ => Err(missing("replace", "path", path)),
        }
    }

    fn test(&self, document: &mut Value, path: &str) -> Result<(), String> {
        let failed = || Err(format!("testing value {path} failed: test failed"));
        let found = if path.is_empty() {
            Some(&*document)
        } else {
            let (parent, key) = find(document, path).ok_or_else(|| {
                format!("test operation does not apply: is missing path: {path}: missing value")
            })?;
            get(parent, &key).map_err(at("error in test for path", path))?
        };
        match (found.filter(|it| !it.is_null()), &self.text) {
            (None, None) => Ok(()),
            (Some(found), Some(text)) if raw::matches(found, text) => Ok(()),
            _ => failed(),
        }
    }
}

/// How many containers are nested.
fn depth(value: &Value) -> usize {
    let mut deepest = 0;
    let mut pending = vec![(value, 1)];
    while let Some((value, depth)) = pending.pop() {
        match value {
            Value::List(list) => pending.extend(list.iter().map(|it| (it, depth + 1))),
            Value::Map(map) => pending.extend(map.values().map(|it| (it, depth + 1))),
            _ => continue,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn missing_quoted(path: &str) -> String {
    format!("doc is missing path: \"{path}\": missing value")
}

/// The complaint that an operation has no place to work on.
fn missing(operation: &str, what: &str, path: &str) -> String {
    format!("{operation} operation does not apply: doc is missing {what}: {path}: missing value")
}

/// Says where something went wrong.
fn at<'a>(what: &'a str, path: &'a str) -> impl Fn(String) -> String + 'a {
    move |why| format!("{what}: '{path}': {why}")
}

/// The container that holds the last step of `path`, and that step.
fn find<'d>(document: &'d mut Value, path: &str) -> Option<(&'d mut Value, String)> {
    let mut steps = path.split('/');
    steps.next();
    let steps: Vec<&str> = steps.collect();
    let (last, parents) = steps.split_last()?;
    let mut at = document;
    for step in parents {
        let key = unescape(step);
        let next = match at {
            Value::Map(map) => map.get_mut(&key),
            Value::List(list) => match index(&key, list.len()) {
                Ok(at) => list.to_mut().get_mut(at),
                Err(_) => None,
            },
            _ => None,
        };
        at = next?;
    }
    matches!(at, Value::Map(_) | Value::List(_)).then(|| (at, unescape(last)))
}

/// `~1` is a slash and `~0` a tilde, read in one pass.
fn unescape(step: &str) -> String {
    let mut out = String::with_capacity(step.len());
    let mut rest = step;
    while let Some(at) = rest.find('~') {
        out.push_str(&rest[..at]);
        match rest.as_bytes().get(at + 1) {
            Some(b'1') => out.push('/'),
            Some(b'0') => out.push('~'),
            _ => {
                out.push('~');
                rest = &rest[at + 1..];
                continue;
            }
        }
        rest = &rest[at + 2..];
    }
    out.push_str(rest);
    out
}

/// A position among `len` items; negative ones count from the end.
fn index(key: &str, len: usize) -> Result<usize, String> {
    let invalid = || format!("Unable to access invalid index: {key}: invalid index referenced");
    // Go's Atoi takes a sign and leading zeros; so does this.
    let at = key.parse::<i64>().map_err(|_| format!("not a proper array index: '{key}'"))?;
    let len_signed = i64::try_from(len).map_err(|_| invalid())?;
    let at = if at < 0 { at.checked_add(len_signed).ok_or_else(invalid)? } else { at };
    usize::try_from(at).ok().filter(|it| *it < len).ok_or_else(invalid)
}

/// The value under `key`: a missing map key is no error, a missing index is.
fn get<'d>(parent: &'d Value, key: &str) -> Result<Option<&'d Value>, String> {
    match parent {
        Value::Map(map) => Ok(map.get(key)),
        Value::List(list) => index(key, list.len()).map(|at| list.get(at)),
        _ => Ok(None),
    }
}

fn add(parent: &mut Value, key: &str, value: Value, effort: &mut Effort) -> Result<(), String> {
    match parent {
        Value::Map(map) => {
            effort.moves(map.len())?;
            map.insert(key, value);
        }
        Value::List(list) if key == "-" => list.push(value),
        Value::List(list) => {
            let at = index(key, list.len() + 1)?;
            effort.moves(list.len() - at)?;
            list.to_mut().insert(at, value);
        }
        _ => return Err("missing value".to_owned()),
    }
    Ok(())
}

fn take(parent: &mut Value, key: &str, effort: &mut Effort) -> Result<Value, String> {
    match parent {
        Value::Map(map) => {
            effort.moves(map.len())?;
            map.remove(key)
                .ok_or_else(|| format!("Unable to remove nonexistent key: {key}: missing value"))
        }
        Value::List(list) => {
            let at = index(key, list.len())?;
            effort.moves(list.len() - at)?;
            Ok(list.to_mut().remove(at))
        }
        _ => Err("missing value".to_owned()),
    }
}
