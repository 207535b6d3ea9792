//! The local store of schemas: one file per group, version and kind, so that a kind is found by
//! its name and nothing else is read.
//!
//! A file is a CustomResourceDefinition, or an OpenAPI document that holds the kind and what it is
//! made of: `<root>/<group, or core>/<version>/<Kind>.json`. Collections of other tools have other
//! names for their files, which a template gives ([`Store::of_template`]).

use std::path::{Path, PathBuf};

use ordain_meta::GroupVersionKind;
use ordain_schema::crd::Crd;
use ordain_value::{Value, json};

use crate::openapi::Document;

/// The folder of kinds without a group.
const CORE: &str = "core";

/// A folder with schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    root: PathBuf,
    /// How files are named, if not as above.
    template: Option<String>,
}

impl Store {
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Store {
        Store { root: root.into(), template: None }
    }

    /// Files that a template names, as kubeconform has them:
    /// `dir/{{ .Group }}/{{ .ResourceKind }}_{{ .ResourceAPIVersion }}.json`. They hold JSON
    /// Schemas, definitions or documents.
    ///
    /// # Errors
    /// When the template has a name that is not known.
    pub fn of_template(template: &str) -> Result<Store, String> {
        let sample = GroupVersionKind::new("example.com", "v1", "Kind");
        filled(template, &sample)?;
        let root = template.split("{{").next().unwrap_or_default();
        Ok(Store { root: PathBuf::from(root), template: Some(template.to_owned()) })
    }

    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file of a kind; none for names that no file can have.
    fn file(&self, gvk: &GroupVersionKind) -> Option<PathBuf> {
        let group = if gvk.group.is_empty() { CORE } else { gvk.group.as_str() };
        let plain = |part: &str| {
            let fits = |it: u8| it.is_ascii_alphanumeric() || b".-_".contains(&it);
            !part.is_empty() && !part.starts_with('.') && part.bytes().all(fits)
        };
        if let Some(template) = &self.template {
            let parts = [group, gvk.version.as_str(), gvk.kind.as_str()];
            let fits = parts.iter().all(|part| plain(part));
            return fits.then(|| filled(template, gvk).ok().map(PathBuf::from)).flatten();
        }
        let parts = [group, gvk.version.as_str(), gvk.kind.as_str()];
        if !parts.iter().all(|part| plain(part)) {
            return None;
        }
        Some(self.root.join(group).join(gvk.version.as_str()).join(format!("{}.json", gvk.kind)))
    }

    /// The schema of a kind as it was put in.
    #[must_use]
    pub fn load(&self, gvk: &GroupVersionKind) -> Option<Result<Value, String>> {
        let file = self.file(gvk)?;
        match std::fs::read(&file) {
            Ok(text) => {
                Some(json::decode(&text).map_err(|error| format!("{}: {error}", file.display())))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => Some(Err(format!("{}: {error}", file.display()))),
        }
    }

    /// All kinds of the store, in order.
    #[must_use]
    pub fn kinds(&self) -> Vec<GroupVersionKind> {
        let mut kinds = Vec::new();
        // Names of kinds cannot be read back from files that a template names.
        if self.template.is_some() {
            return kinds;
        }
        for group in names(&self.root) {
            for version in names(&self.root.join(&group)) {
                for file in names(&self.root.join(&group).join(&version)) {
                    if let Some(kind) = file.strip_suffix(".json") {
                        let group = if group == CORE { "" } else { group.as_str() };
                        kinds.push(GroupVersionKind::new(group, version.as_str(), kind));
                    }
                }
            }
        }
        kinds.sort();
        kinds
    }

    /// Puts a definition in, under each of its versions. Returns the kinds.
    ///
    /// # Errors
    /// When it is no definition, or the folder cannot be written.
    pub fn put_definition(&self, definition: &Value) -> Result<Vec<GroupVersionKind>, String> {
        let (crd, _) = Crd::decode(definition).map_err(|error| error.0)?;
        let mut definition = definition.clone();
        definition.remove_path(&["status"]);
        definition.remove_path(&["metadata", "managedFields"]);
        let mut put = Vec::new();
        for version in crd.spec.versions() {
            let (group, kind) = (crd.spec.group.as_str(), crd.spec.names.kind.as_str());
            let gvk = GroupVersionKind::new(group, version.name.as_str(), kind);
            self.write(&gvk, &definition)?;
            put.push(gvk);
        }
        Ok(put)
    }

    /// Puts all kinds of a document in, each with what it is made of. Returns the kinds.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn put_document(&self, document: &Document) -> Result<Vec<GroupVersionKind>, String> {
        for entry in document.entries() {
            self.write(&entry.gvk, &document.alone(entry))?;
        }
        Ok(document.entries().iter().map(|it| it.gvk.clone()).collect())
    }

    /// Takes a kind out; false when it was not there.
    ///
    /// # Errors
    /// When its file cannot be removed.
    pub fn remove(&self, gvk: &GroupVersionKind) -> Result<bool, String> {
        let Some(file) = self.file(gvk) else { return Ok(false) };
        match std::fs::remove_file(&file) {
            Ok(()) => {
                // Folders go when nothing is left in them; others stay.
                for folder in file.ancestors().skip(1).take(2) {
                    let _ = std::fs::remove_dir(folder);
                }
                Ok(true)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(format!("{}: {error}", file.display())),
        }
    }

    fn write(&self, gvk: &GroupVersionKind, value: &Value) -> Result<(), String> {
        let file = self.file(gvk).ok_or_else(|| format!("{gvk} is no name of a kind"))?;
        let fail = |error: std::io::Error| format!("{}: {error}", file.display());
        let folder = file.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder).map_err(fail)?;
        // Renamed into place, so that a reader never sees half a file.
        let fresh = file.with_extension(format!("new{}", std::process::id()));
        std::fs::write(&fresh, json::encode(value)).map_err(fail)?;
        std::fs::rename(&fresh, &file).map_err(fail)
    }
}

/// The file that a template names for a kind.
fn filled(template: &str, gvk: &GroupVersionKind) -> Result<String, String> {
    let lower = |text: &str| text.to_lowercase();
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, inside)) = rest.split_once("{{") {
        let (name, after) = inside
            .split_once("}}")
            .ok_or_else(|| format!("{template}: a bracket is not closed"))?;
        out.push_str(before);
        match name.trim().trim_start_matches('.') {
            "Group" => out.push_str(&gvk.group),
            "ResourceKind" => out.push_str(&lower(&gvk.kind)),
            "ResourceAPIVersion" => out.push_str(&lower(&gvk.version)),
            "KindSuffix" => {
                // Of a group only the first part of its name is used.
                let group = gvk.group.split('.').next().filter(|it| !it.is_empty());
                let group = group.map(|it| format!("-{}", lower(it))).unwrap_or_default();
                out.push_str(&format!("{group}-{}", lower(&gvk.version)));
            }
            "StrictSuffix" => out.push_str("-strict"),
            "NormalizedKubernetesVersion" => out.push_str("master"),
            other => return Err(format!("{template}: nothing is called {other}")),
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// Names in a folder, sorted; none when it is not there.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_name_files() {
        let gvk = GroupVersionKind::new("cert-manager.io", "v1", "Issuer");
        let made = |template: &str| filled(template, &gvk);
        let usual = "s/{{.Group}}/{{ .ResourceKind }}_{{.ResourceAPIVersion}}.json";
        assert_eq!(made(usual).as_deref(), Ok("s/cert-manager.io/issuer_v1.json"));
        let old = "{{ .ResourceKind }}{{ .KindSuffix }}.json";
        assert_eq!(made(old).as_deref(), Ok("issuer-cert-manager-v1.json"));
        assert!(made("{{ .Nobody }}").is_err() && made("{{ .Group").is_err());
    }
}
