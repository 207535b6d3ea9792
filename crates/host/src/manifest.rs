//! Loading manifests at start: definitions first, then namespaces, then the rest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_meta::GroupVersion;
use ordain_meta::status::Reason;
use ordain_registry::decode::{Body, Media};
use ordain_registry::{Registry, Target, Warnings, WriteOptions, object};
use ordain_value::{Text, Value, json, value, yaml};

/// Why a manifest could not be loaded, in one line.
type Failure = String;

/// Creates every object of the files; what is there already stays as it is. Returns how many
/// were created.
pub async fn load(registry: &Registry, paths: &[PathBuf]) -> Result<usize, Failure> {
    create_all(registry, read_all(paths)?).await
}

/// The objects of files and folders, each with its file.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Value)>, Failure> {
    let mut objects = Vec::new();
    for path in paths {
        for file in files(path)? {
            objects.extend(read(&file)?.into_iter().map(|object| (file.clone(), object)));
        }
    }
    Ok(objects)
}

/// Creates every object of a text; `name` stands for the file in messages.
pub async fn load_text(registry: &Registry, name: &str, text: &str) -> Result<usize, Failure> {
    let file = PathBuf::from(name);
    let objects = decode(&file, text.as_bytes())?;
    create_all(registry, objects.into_iter().map(|object| (file.clone(), object)).collect()).await
}

/// What came of objects that were loaded as far as they are accepted.
#[derive(Debug, Default)]
pub struct Loaded {
    /// How many objects are new.
    pub created: usize,
    /// Why objects were left out, each in one line.
    pub refused: Vec<Failure>,
}

/// Creates every object that is accepted, and the namespaces that objects name.
pub async fn load_accepted(registry: &Registry, mut objects: Vec<(PathBuf, Value)>) -> Loaded {
    let mut loaded = Loaded::default();
    objects.extend(missing_namespaces(&objects));
    objects.sort_by_key(|(_, object)| rank(object));
    for (file, object) in objects {
        match create(registry, &file, &object).await {
            Ok(created) => loaded.created += usize::from(created),
            Err(why) => loaded.refused.push(why),
        }
    }
    loaded
}

/// The namespaces of objects, as objects; those that are there already stay as they are.
fn missing_namespaces(objects: &[(PathBuf, Value)]) -> Vec<(PathBuf, Value)> {
    let names = objects.iter().map(|(file, object)| (object::namespace(object), file));
    let names: BTreeMap<&str, &PathBuf> = names.filter(|(name, _)| !name.is_empty()).collect();
    let object =
        |name| value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    names.into_iter().map(|(name, file)| (file.clone(), object(name))).collect()
}

async fn create_all(
    registry: &Registry,
    mut objects: Vec<(PathBuf, Value)>,
) -> Result<usize, Failure> {
    objects.sort_by_key(|(_, object)| rank(object));
    let mut created = 0;
    for (file, object) in objects {
        created += usize::from(create(registry, &file, &object).await?);
    }
    Ok(created)
}

fn rank(object: &Value) -> u8 {
    match object.get("kind").and_then(Value::as_str) {
        Some("CustomResourceDefinition") => 0,
        Some("Namespace") => 1,
        _ => 2,
    }
}

/// The file itself, or the manifests of a folder by name.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let known = file.extension().and_then(|it| it.to_str());
        if file.is_file() && matches!(known, Some("yaml" | "yml" | "json")) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<Vec<Value>, Failure> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    decode(file, &bytes)
}

/// The objects of a text; the file stands in messages.
///
/// # Errors
/// When it cannot be read, in one line.
pub fn decode(file: &Path, bytes: &[u8]) -> Result<Vec<Value>, Failure> {
    let documents = yaml::decode_documents(bytes, yaml::Options::default())
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let mut objects = Vec::new();
    for document in documents {
        let value = document.value.map_err(|error| format!("{}: {error}", file.display()))?;
        if !value.is_null() {
            objects.push(value);
        }
    }
    Ok(objects)
}

async fn create(registry: &Registry, file: &Path, object: &Value) -> Result<bool, Failure> {
    let name = object::name(object);
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or("");
    let place = format!("{}: {kind} {name}", file.display());
    let api_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or("");
    let gv = GroupVersion::decode(api_version).map_err(|error| format!("{place}: {error}"))?;
    let catalog = registry.catalog();
    let resource = catalog
        .by_kind(&gv.group, kind)
        .ok_or_else(|| format!("{place}: no kind {kind:?} is served in group {:?}", gv.group))?;
    let namespace = match (resource.namespaced, object::namespace(object)) {
        (false, _) => "",
        (true, "") => "default",
        (true, given) => given,
    };
    let target = Target {
        resource: Arc::clone(resource),
        version: gv.version,
        namespace: Text::from(namespace),
        name: Text::default(),
    };
    let bytes = json::encode(object);
    let body = Body { bytes: &bytes, media: Media::Json };
    let options = WriteOptions { field_manager: "ordain".into(), ..WriteOptions::default() };
    match registry.create(&target, &body, &options, &mut Warnings::default()).await {
        Ok(_) => Ok(true),
        Err(status) if status.reason == Reason::AlreadyExists => Ok(false),
        Err(status) => Err(format!("{place}: {}", status.message)),
    }
}
