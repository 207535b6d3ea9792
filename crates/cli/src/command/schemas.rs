//! `ordain schemas`: the local store of schemas.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use ordain_check::openapi::json_schema;
use ordain_check::{Store, manifest, openapi, source};
use ordain_meta::GroupVersionKind;
use ordain_value::Value;

use super::kinds::{Connection, Kinds, Tags, definitions_of_types, value};
use super::validate::{CLEAN, UNUSABLE};
use super::{complain, note, say};

/// Manage the local schema store, for validating without a cluster.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # What a cluster serves, built-in kinds and custom resources
  ordain schemas add --cluster

  # Published OpenAPI documents, definitions, Go types
  ordain schemas add openapi/apis__apps__v1_openapi.json crds/ --types ./api/...

  ordain schemas list
  ordain schemas remove apps/v1/Deployment")]
pub(crate) struct Schemas {
    /// Directory of the store [default: below $XDG_DATA_HOME]
    #[arg(long, global = true, value_name = "DIR", env = "ORDAIN_SCHEMAS")]
    schemas: Option<PathBuf>,
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Add kinds from CRDs, OpenAPI documents, JSON Schemas, Go types or a cluster
    Add(Add),
    /// List the kinds
    List,
    /// Remove kinds: Kind, group/Kind or group/version/Kind
    Remove {
        #[arg(required = true, value_name = "KIND")]
        kinds: Vec<String>,
    },
    /// Print the directory of the store
    Path,
}

#[derive(Debug, Args)]
struct Add {
    /// Files or directories with CustomResourceDefinitions, OpenAPI documents or JSON Schemas of
    /// kinds; - for standard input
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Directories of tagged Go types; `dir/...` includes all below
    #[arg(long, value_name = "DIR")]
    types: Vec<String>,
    /// Add what the cluster of the kubeconfig serves
    #[arg(long)]
    cluster: bool,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    tags: Tags,
}

impl Schemas {
    pub(crate) fn run(&self) -> ExitCode {
        let store = Kinds { schemas: self.schemas.clone(), ..Kinds::default() }.store();
        let done = match &self.act {
            Act::Add(add) => add.run(&store),
            Act::List => {
                store.kinds().iter().for_each(|it| say(&shown(it)));
                Ok(())
            }
            Act::Remove { kinds } => remove(&store, kinds),
            Act::Path => {
                say(&store.root().display().to_string());
                Ok(())
            }
        };
        match done {
            Ok(()) => ExitCode::from(CLEAN),
            Err(wrong) => {
                wrong.iter().for_each(|it| complain(it));
                ExitCode::from(UNUSABLE)
            }
        }
    }
}

/// `group/version/Kind`
fn shown(gvk: &GroupVersionKind) -> String {
    format!("{}/{}", gvk.group_version(), gvk.kind)
}

impl Add {
    fn run(&self, store: &Store) -> Result<(), Vec<String>> {
        if self.paths.is_empty() && self.types.is_empty() && !self.cluster {
            return Err(vec!["name files, --types or --cluster".to_owned()]);
        }
        let (mut added, mut wrong) = (Vec::new(), Vec::new());
        let (texts, failed) = source::read_all(&self.paths);
        wrong.extend(failed.iter().map(ToString::to_string));
        for text in &texts {
            match add_text(store, text) {
                Ok(mut kinds) => added.append(&mut kinds),
                Err(why) => wrong.push(format!("{}: {why}", text.name)),
            }
        }
        match definitions_of_types(&self.types, self.tags) {
            Ok(definitions) => put_all(store, &definitions, &mut added, &mut wrong),
            Err(mut why) => wrong.append(&mut why),
        }
        if self.cluster {
            match self.connection.connect().and_then(|it| it.schemas(None)) {
                Ok(schemas) => {
                    for document in &schemas.documents {
                        match store.put_document(document) {
                            Ok(mut kinds) => added.append(&mut kinds),
                            Err(why) => wrong.push(why),
                        }
                    }
                    // Definitions say more than what is published of them, so they come last.
                    put_all(store, &schemas.definitions, &mut added, &mut wrong);
                    schemas.notes.iter().for_each(|it| note(it));
                }
                Err(why) => wrong.push(why),
            }
        }
        added.sort();
        added.dedup();
        say(&format!("{} kinds in {}", added.len(), store.root().display()));
        if added.is_empty() && wrong.is_empty() {
            wrong.push("there was no kind in what was read".to_owned());
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }
}

fn put_all(
    store: &Store,
    definitions: &[Value],
    added: &mut Vec<GroupVersionKind>,
    wrong: &mut Vec<String>,
) {
    for definition in definitions {
        match store.put_definition(definition) {
            Ok(mut kinds) => added.append(&mut kinds),
            Err(why) => wrong.push(why),
        }
    }
}

fn add_text(store: &Store, text: &source::Source) -> Result<Vec<GroupVersionKind>, String> {
    if let Ok(document) = value(text)
        && openapi::is_document(&document)
    {
        return store.put_document(&openapi::read(&document)?);
    }
    if let Ok(schema) = value(text)
        && json_schema::is_schema(&schema)
    {
        let gvk = json_schema::gvk(&schema)
            .ok_or("the schema does not say which apiVersion and kind it is for")?;
        return store.put_definition(&json_schema::definition(&schema, &gvk)?);
    }
    let contents = manifest::read(0, text);
    if let Some(broken) = contents.broken.first() {
        return Err(broken.message.clone());
    }
    let mut added = Vec::new();
    for manifest in contents.manifests.iter().filter(|it| it.is_definition()) {
        added.append(&mut store.put_definition(&manifest.value)?);
    }
    Ok(added)
}

fn remove(store: &Store, kinds: &[String]) -> Result<(), Vec<String>> {
    let mut wrong = Vec::new();
    for named in kinds {
        let fits = |it: &&GroupVersionKind| {
            let parts: Vec<&str> = named.split('/').collect();
            match parts.as_slice() {
                [kind] => it.kind == *kind,
                [group, kind] => {
                    it.kind == *kind
                        && (it.group == *group || (it.group.is_empty() && it.version == *group))
                }
                _ => shown(it) == *named,
            }
        };
        let found: Vec<GroupVersionKind> = store.kinds().iter().filter(fits).cloned().collect();
        if found.is_empty() {
            wrong.push(format!("the store has no {named}"));
        }
        for gvk in found {
            match store.remove(&gvk) {
                Ok(_) => say(&format!("removed {}", shown(&gvk))),
                Err(why) => wrong.push(why),
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}
