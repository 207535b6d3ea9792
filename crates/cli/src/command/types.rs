//! Declared types for `ordain serve --types` and `ordain conventions`: reading them, saying what
//! is wrong with them, and following their files while the server runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use ordain_check::Disk;
use ordain_conventions::{self as conventions, Exception};
use ordain_gen::{crd, kinds};
use ordain_idl::go::build_constraint::BuildContext;
use ordain_idl::lower::{is_custom_style, lower};
use ordain_idl::{Universe, packages_named};
use ordain_registry::Family;
use ordain_registry::Registry;
use ordain_registry::gates::Gates;
use ordain_registry::types::{Reload, ReloadError};
use ordain_schema::changes::{changes, ungated_fields};
use ordain_schema::declared::{Api, Kind};
use ordain_schema::formats;
use ordain_value::Value;

use crate::command::gates::GateArgs;
use crate::command::kinds::{Tags, load_types};
use crate::command::{Failure, complain, say};

/// Which types and gates a server has.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TypeArgs {
    /// Serve the kinds that the Go types in this directory declare; `DIR/...` includes all below it
    /// (may be repeated). The files are watched, and the API follows them.
    #[arg(long = "types", value_name = "DIR")]
    pub(crate) dirs: Vec<String>,
    #[command(flatten)]
    pub(crate) tags: Tags,
    /// Apply changed types even if stored objects become invalid.
    #[arg(long, requires = "dirs")]
    pub(crate) force_types: bool,
    #[command(flatten)]
    pub(crate) gates: GateArgs,
    /// Granted exceptions to the API conventions: `kind rule owner reason`, one per line. With this
    /// file, new fields without a feature gate are refused unless their kind has an exception from
    /// the rule new-field-gated; without it they are warnings.
    #[arg(long = "exceptions", value_name = "FILE")]
    pub(crate) exceptions: Option<PathBuf>,
}

/// What folders declare.
pub(crate) struct Types {
    pub(crate) api: Api,
    /// Definitions of kinds that are written for custom resources (kubebuilder's markers).
    definitions: Vec<Value>,
    /// Folders whose files the types are made of, those of imported packages included.
    folders: BTreeSet<String>,
    /// When those files were changed last, before they were read.
    seen: Stamps,
}

/// When files were changed last, and how large they were, by path.
type Stamps = BTreeMap<String, (SystemTime, u64)>;

impl Types {
    /// The kinds of the definitions, in the form that changes are reported.
    fn defined(&self) -> Api {
        let kinds = self.definitions.iter().filter_map(|it| kinds::of_definition(it).ok());
        Api { kinds: kinds.collect() }
    }
}

impl TypeArgs {
    /// Reads the types; all errors are reported, each with its place.
    pub(crate) fn load(&self) -> Result<Types, Failure> {
        load(&self.dirs, self.tags)
    }

    /// The deviations that the user grants; none without a file.
    pub(crate) fn exceptions(&self) -> Result<Option<Vec<Exception>>, Failure> {
        let Some(path) = &self.exceptions else { return Ok(None) };
        let reported = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| reported(&error))?;
        conventions::exceptions(&text).map(Some).map_err(|error| reported(&error))
    }

    /// Warns of fields that came since the store was served last without a gate before them, or
    /// refuses them where deviations are reviewed.
    pub(crate) async fn note(&self, registry: &Registry, types: &Types) -> Result<(), Failure> {
        let exceptions = self.exceptions()?;
        let found = conventions::review(registry, &types.api, exceptions.as_deref()).await?;
        found.iter().for_each(|it| complain_of(&format!("warning: {it}")));
        Ok(())
    }

    /// The gates, those of the types among them.
    pub(crate) fn gates(&self, api: &Api) -> Result<Gates, Failure> {
        let gates = self.gates.gates(Some(api))?;
        let release = gates.release();
        for kind in &api.kinds {
            for version in &kind.versions {
                for format in formats::only_stored(&version.schema, release) {
                    let (kind, version) = (&kind.kind, &version.name);
                    complain_of(&format!(
                        "warning: {kind} {version}: {release} only stores the format {format:?}, \
                         values are not checked"
                    ));
                }
            }
        }
        Ok(gates)
    }
}

/// Reads the types of folders.
pub(crate) fn load(dirs: &[String], tags: Tags) -> Result<Types, Failure> {
    load_again(dirs, tags, &BTreeSet::new())
}

/// Reads the types of folders; `known` are folders that they are known to import from.
fn load_again(dirs: &[String], tags: Tags, known: &BTreeSet<String>) -> Result<Types, Failure> {
    // A file that changes while it is read has changed since.
    let before = stamps(dirs, known);
    let universe = load_types(&Disk, dirs, tags);
    let lowered = lower(&universe);
    let mut errors = 0;
    for finding in &lowered.diagnostics {
        errors += usize::from(finding.is_error());
        complain_of(&universe.locate(finding).to_string());
    }
    let definitions = definitions(&universe, tags, &mut errors);
    if errors > 0 {
        return Err(format!("the types in {} have {errors} errors", dirs.join(", ")));
    }
    if lowered.api.kinds.is_empty() && definitions.is_empty() && !dirs.is_empty() {
        return Err(format!("the types in {} declare no kind", dirs.join(", ")));
    }
    let folders = folders(&universe);
    let mut seen = stamps(dirs, &folders);
    seen.extend(before);
    Ok(Types { api: lowered.api, definitions, folders, seen })
}

/// The folders of all packages that were read, the built-in ones aside.
fn folders(universe: &Universe) -> BTreeSet<String> {
    let files = universe.packages().iter().flat_map(|package| &package.files);
    let paths = files.map(|file| universe.file(*file).path.as_str());
    let parents = paths.filter_map(|path| Path::new(path).parent()?.to_str());
    parents.filter(|dir| Path::new(dir).is_dir()).map(str::to_owned).collect()
}

/// Tells a finding without the word that stands before failures of the command.
fn complain_of(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// The kinds that are written for custom resources, as controller-gen would define them.
fn definitions(universe: &Universe, tags: Tags, errors: &mut usize) -> Vec<Value> {
    if !universe.requested().any(|package| is_custom_style(universe, package)) {
        return Vec::new();
    }
    let options = crd::Options { allow_loss: tags.allow_loss, ..crd::Options::default() };
    let output = crd::generate(universe, &options);
    for finding in output.diagnostics.iter().filter(|it| it.is_error()) {
        *errors += 1;
        complain_of(&universe.locate(finding).to_string());
    }
    output.files.into_iter().map(|file| file.crd).collect()
}

/// Serves the kinds of types.
pub(crate) async fn serve(registry: &Registry, types: &Types) -> Result<usize, Failure> {
    let api = own_kinds(registry, &types.api);
    let configs = ordain_registry::declared::build(&api, registry.gates())
        .map_err(|error| error.to_string())?;
    let count = configs.len();
    registry.serve_declared(configs);
    if types.definitions.is_empty() {
        return Ok(count);
    }
    registry.replace_definitions(&[], &types.definitions).await?;
    Ok(count + types.definitions.len())
}

/// The kinds that the server does not have by itself: what it needs to run (roles, namespaces and
/// their like) keeps the behaviour that is built in, whatever types of the same name declare.
fn own_kinds(registry: &Registry, api: &Api) -> Api {
    let catalog = registry.catalog();
    let is_built_in = |kind: &&Kind| {
        let known = catalog.get(&kind.group, &kind.plural);
        known.is_some_and(|it| it.family == Family::BuiltIn)
    };
    let (built_in, own): (Vec<&Kind>, Vec<&Kind>) = api.kinds.iter().partition(is_built_in);
    for kind in built_in {
        complain_of(&format!(
            "{}: note: {} is built in and stays",
            kind.place,
            kind.resource_name()
        ));
    }
    Api { kinds: own.into_iter().cloned().collect() }
}

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(700);

/// Follows the files of declared types: what changed is reported, and taken up unless stored objects
/// would break by it.
pub(crate) async fn follow(registry: Arc<Registry>, args: TypeArgs, mut types: Types) {
    // Those of the types that were read last, whether they were taken up or not.
    let (mut folders, mut seen) = (types.folders.clone(), types.seen.clone());
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let now = stamps(&args.dirs, &folders);
        if now == seen {
            continue;
        }
        seen = now;
        let (dirs, tags, known) = (args.dirs.clone(), args.tags, folders.clone());
        let read = tokio::task::spawn_blocking(move || load_again(&dirs, tags, &known)).await;
        let Ok(read) = read else { continue };
        match read {
            Ok(new) => {
                (folders, seen) = (new.folders.clone(), new.seen.clone());
                take_up(&registry, &args, &mut types, new).await;
            }
            Err(why) => complain(&format!("{why}; the types before stay in force")),
        }
    }
}

async fn take_up(registry: &Registry, args: &TypeArgs, types: &mut Types, new: Types) {
    let force = args.force_types;
    match reload(registry, types, &new, force).await {
        Err(why) => complain(&format!("{why}; the types before stay in force")),
        Ok(reload) if !reload.applied => {
            say("the types changed:");
            reload.changes.iter().for_each(|it| say(&format!("  {it}")));
            reload.broken.iter().for_each(|it| say(&format!("  breaks {it}")));
            complain(
                "the changed types would break stored objects and are not taken up; \
                 start with --force-types to take them up all the same",
            );
        }
        Ok(reload) => {
            match reload.changes.len() {
                0 => say("types reloaded, nothing changed in the API"),
                1 => say("types reloaded, 1 change:"),
                count => say(&format!("types reloaded, {count} changes:")),
            }
            reload.changes.iter().for_each(|it| say(&format!("  {it}")));
            reload.broken.iter().for_each(|it| say(&format!("  breaks {it}")));
            let declared = changes(&types.api, &new.api);
            for change in ungated_fields(&declared) {
                say(&format!("  warning: {change}, and no feature gate stands before it"));
            }
            *types = new;
        }
    }
}

/// Puts types in the place of others, definitions and declared kinds together or not at all.
async fn reload(
    registry: &Registry,
    old: &Types,
    new: &Types,
    force: bool,
) -> Result<Reload, String> {
    let reported = |error: ReloadError| error.to_string();
    let broken = registry.broken_by_definitions(&old.definitions, &new.definitions).await;
    let mut broken = broken.map_err(reported)?;
    let hindered = !broken.is_empty() && !force;
    if hindered {
        let mut all = changes(&old.api, &new.api);
        all.extend(changes(&old.defined(), &new.defined()));
        return Ok(Reload { changes: all, broken, applied: false });
    }
    let mut reload = registry.reload_types(&old.api, &new.api, force).await.map_err(reported)?;
    reload.changes.extend(changes(&old.defined(), &new.defined()));
    reload.broken.append(&mut broken);
    if reload.applied && old.definitions != new.definitions {
        registry.replace_definitions(&old.definitions, &new.definitions).await?;
    }
    Ok(reload)
}

/// When the Go files of folders were changed last.
fn stamps(dirs: &[String], more: &BTreeSet<String>) -> Stamps {
    let build = BuildContext::default();
    let named = dirs.iter().flat_map(|dir| packages_named(&Disk, &build, dir));
    let folders: BTreeSet<String> = named.chain(more.iter().cloned()).collect();
    let mut out = BTreeMap::new();
    for entries in folders.iter().filter_map(|dir| std::fs::read_dir(dir).ok()) {
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path().to_string_lossy().into_owned();
            let about = entry.metadata().ok().filter(|it| !it.is_dir() && path.ends_with(".go"));
            let Some(about) = about else { continue };
            let changed = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            out.insert(path, (changed, about.len()));
        }
    }
    out
}
