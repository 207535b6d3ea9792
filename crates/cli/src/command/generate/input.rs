//! What is read: directories of Go packages, and files with definitions.

use std::path::PathBuf;

use clap::Args;
use ordain_check::Disk;
use ordain_idl::Universe;
use ordain_idl::go::build_constraint::BuildContext;
use ordain_value::{Value, yaml};

use crate::command::kinds::Tags;
use crate::command::{Failure, note};

#[derive(Debug, Args)]
pub(super) struct Input {
    /// Go packages as the go command takes them (directories; `dir/...` includes all below), or
    /// files with CRDs where a command takes kinds.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// The module cache in which imported packages are found [default: as for the go command].
    #[arg(long, env = "GOMODCACHE", value_name = "DIR")]
    module_cache: Option<String>,
    /// The Go installation, for packages of the standard library.
    #[arg(long, env = "GOROOT", value_name = "DIR")]
    go_root: Option<String>,
    /// Build tags to set.
    #[arg(long, value_delimiter = ',', value_name = "TAG")]
    tags: Vec<String>,
    #[command(flatten)]
    pub(super) reading: Tags,
}

/// What was read.
pub(super) struct Sources {
    /// The types of the directories; none when no directory was named.
    pub universe: Option<Universe>,
    /// Definitions with the places they are from.
    pub definitions: Vec<(String, Value)>,
}

impl Input {
    /// Reads directories alone.
    pub(super) fn types(&self) -> Result<Universe, Failure> {
        self.types_with(&[], false)
    }

    /// Reads directories alone; of those that a pattern matches, the ones that declare an API.
    pub(super) fn apis(&self) -> Result<Universe, Failure> {
        self.types_with(&[], true)
    }

    /// Reads directories alone, with some build tags set.
    pub(super) fn types_with(&self, tags: &[&str], apis: bool) -> Result<Universe, Failure> {
        let file = self.paths.iter().find(|path| is_definition(path));
        match file {
            Some(path) => Err(format!("{path}: this takes directories of Go packages")),
            None => {
                let dirs: Vec<&str> = self.paths.iter().map(String::as_str).collect();
                Ok(self.load_with(&dirs, tags, apis))
            }
        }
    }

    pub(super) fn read(&self) -> Result<Sources, Failure> {
        let (files, dirs): (Vec<&str>, Vec<&str>) =
            self.paths.iter().map(String::as_str).partition(|path| is_definition(path));
        let mut definitions = Vec::new();
        let mut without = Vec::new();
        for path in files {
            let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
            let documents = yaml::decode_documents(&bytes, yaml::Options::default())
                .map_err(|error| format!("{path}: {error}"))?;
            let before = definitions.len();
            for document in documents {
                let value = document.value.map_err(|error| format!("{path}: {error}"))?;
                if value.get("kind").and_then(Value::as_str) == Some("CustomResourceDefinition") {
                    definitions.push((path.to_string(), value));
                }
            }
            if definitions.len() == before {
                without.push(format!("{path}: holds no CustomResourceDefinition"));
            }
        }
        // Folders of definitions have other files too, and shells name them all.
        match (definitions.is_empty(), without.as_slice()) {
            (true, [first, ..]) => return Err(first.clone()),
            (_, others) => others.iter().for_each(|it| note(it)),
        }
        let universe = (!dirs.is_empty()).then(|| self.load_with(&dirs, &[], true));
        Ok(Sources { universe, definitions })
    }

    fn load_with(&self, dirs: &[&str], tags: &[&str], apis: bool) -> Universe {
        let source = Disk;
        let mut build = BuildContext::default();
        build.tags.extend(self.tags.iter().cloned());
        build.tags.extend(tags.iter().map(|it| (*it).to_owned()));
        let mut loader = self.reading.loader(&source).build(build).apis_only(apis);
        if let Some(cache) = self.module_cache.clone().or_else(usual_module_cache) {
            loader = loader.module_cache(cache);
        }
        if let Some(root) = &self.go_root {
            loader = loader.go_root(root.as_str());
        }
        for dir in dirs {
            loader = loader.named(dir);
        }
        loader.load()
    }
}

/// Where the go command keeps modules when it is not told.
pub(crate) fn usual_module_cache() -> Option<String> {
    let root = match std::env::var_os("GOPATH") {
        Some(path) => std::env::split_paths(&path).next()?,
        None => PathBuf::from(std::env::var_os("HOME")?).join("go"),
    };
    let cache = root.join("pkg/mod");
    cache.is_dir().then(|| cache.to_string_lossy().into_owned())
}

fn is_definition(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending))
}
