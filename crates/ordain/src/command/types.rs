//! Declared types for `ordain serve --types` and `ordain conventions`: reading them, saying what
//! is wrong with them, and following their files while the server runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use ordain::manifest;
use ordain_gen::crd;
use ordain_idl::lower::{is_custom_style, lower};
use ordain_idl::{Loader, Universe};
use ordain_registry::Registry;
use ordain_registry::gates::Gates;
use ordain_schema::declared::Api;
use ordain_value::yaml;

use crate::command::generate::Disk;
use crate::command::{Failure, complain, say};

/// Which types and gates a server has.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TypeArgs {
    /// Serve the kinds that the Go types in this folder declare; `DIR/...` takes in all below
    /// (may be repeated). The files are watched, and the API follows them.
    #[arg(long = "types", value_name = "DIR")]
    pub(crate) dirs: Vec<String>,
    /// Take up changed types even if stored objects break by it.
    #[arg(long, requires = "dirs")]
    pub(crate) force_types: bool,
    /// Switch features on and off, as `A=true,B=false` (may be repeated).
    #[arg(long, value_name = "GATES", long_help = gates_help())]
    pub(crate) feature_gates: Vec<String>,
}

/// What folders declare.
pub(crate) struct Types {
    pub(crate) api: Api,
    /// Definitions of kinds that are written for custom resources (kubebuilder's markers).
    definitions: String,
}

fn gates_help() -> String {
    format!(
        "Switch features on and off, as `A=true,B=false` (may be repeated). Besides the gates that \
         types name:\n{}",
        Gates::default().help()
    )
}

impl TypeArgs {
    /// Reads the types; all errors are told, each with its place.
    pub(crate) fn load(&self) -> Result<Types, Failure> {
        load(&self.dirs)
    }

    /// The gates, those of the types among them.
    pub(crate) fn gates(&self, api: &Api) -> Result<Gates, Failure> {
        let mut gates = Gates::default();
        gates.register_declared(api);
        for text in &self.feature_gates {
            gates.set_from(text)?;
        }
        Ok(gates)
    }
}

/// Reads the types of folders.
pub(crate) fn load(dirs: &[String]) -> Result<Types, Failure> {
    let source = Disk;
    let mut loader = Loader::new(&source);
    for dir in dirs {
        loader = match dir.strip_suffix("/...") {
            Some(dir) => loader.packages_below(dir),
            None => loader.package(dir.trim_end_matches('/')),
        };
    }
    let universe = loader.load();
    let lowered = lower(&universe);
    let mut errors = 0;
    for finding in &lowered.diagnostics {
        errors += usize::from(finding.is_error());
        complain_of(&universe.locate(finding).to_string());
    }
    let definitions = definitions(&universe, &mut errors);
    if errors > 0 {
        return Err(format!("the types in {} have {errors} errors", dirs.join(", ")));
    }
    if lowered.api.kinds.is_empty() && definitions.is_empty() && !dirs.is_empty() {
        return Err(format!("the types in {} declare no kind", dirs.join(", ")));
    }
    Ok(Types { api: lowered.api, definitions })
}

/// Tells a finding without the word that stands before failures of the command.
fn complain_of(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// The kinds that are written for custom resources, as controller-gen would define them.
fn definitions(universe: &Universe, errors: &mut usize) -> String {
    if !universe.requested().any(|package| is_custom_style(universe, package)) {
        return String::new();
    }
    let output = crd::generate(universe, &crd::Options::default());
    for finding in output.diagnostics.iter().filter(|it| it.is_error()) {
        *errors += 1;
        complain_of(&universe.locate(finding).to_string());
    }
    let texts: Vec<String> = output.files.iter().map(|file| yaml::encode(&file.crd)).collect();
    texts.join("\n---\n")
}

/// Serves the kinds of types.
pub(crate) async fn serve(registry: &Registry, types: &Types) -> Result<usize, Failure> {
    let configs = ordain_registry::declared::build(&types.api, registry.gates())
        .map_err(|error| error.to_string())?;
    let count = configs.len();
    registry.serve_declared(configs);
    if types.definitions.is_empty() {
        return Ok(count);
    }
    let loaded = manifest::load_text(registry, "the types", &types.definitions).await?;
    Ok(count + loaded)
}

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(700);

/// Follows the files of declared types: what changed is told, and taken up unless stored objects
/// would break by it.
pub(crate) async fn follow(registry: Arc<Registry>, args: TypeArgs, mut types: Types) {
    let mut seen = stamps(&args.dirs);
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let now = stamps(&args.dirs);
        if now == seen {
            continue;
        }
        seen = now;
        let dirs = args.dirs.clone();
        let Ok(read) = tokio::task::spawn_blocking(move || load(&dirs)).await else { continue };
        match read {
            Ok(new) => take_up(&registry, &args, &mut types, new).await,
            Err(why) => complain(&format!("{why}; the types before stay in force")),
        }
    }
}

async fn take_up(registry: &Registry, args: &TypeArgs, types: &mut Types, new: Types) {
    match registry.reload_types(&types.api, &new.api, args.force_types).await {
        Err(error) => complain(&format!("{error}; the types before stay in force")),
        Ok(reload) if !reload.applied => {
            reload.changes.iter().for_each(|it| say(&format!("  {it}")));
            reload.broken.iter().for_each(|it| say(&format!("  breaks {it}")));
            complain(
                "the changed types would break stored objects and are not taken up; \
                 start with --force-types to take them up all the same",
            );
        }
        Ok(reload) => {
            if !reload.changes.is_empty() {
                say(&format!("types reloaded, {} changes:", reload.changes.len()));
                reload.changes.iter().for_each(|it| say(&format!("  {it}")));
                for change in ordain_schema::changes::ungated_fields(&reload.changes) {
                    say(&format!("  warning: {change}, and no feature gate stands before it"));
                }
            }
            if new.definitions != types.definitions {
                let loaded = manifest::load_text(registry, "the types", &new.definitions).await;
                match loaded {
                    Ok(count) => say(&format!("types reloaded, {count} definitions")),
                    Err(why) => complain(&why),
                }
            }
            *types = new;
        }
    }
}

/// When the Go files of folders were changed last.
fn stamps(dirs: &[String]) -> BTreeMap<String, (SystemTime, u64)> {
    let mut out = BTreeMap::new();
    let mut pending: Vec<(String, bool)> = dirs
        .iter()
        .map(|dir| match dir.strip_suffix("/...") {
            Some(dir) => (dir.to_owned(), true),
            None => (dir.clone(), false),
        })
        .collect();
    while let Some((dir, below)) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(Path::new(&dir)) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path().to_string_lossy().into_owned();
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() && below {
                pending.push((path, true));
            } else if path.ends_with(".go") {
                let changed = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                out.insert(path, (changed, about.len()));
            }
        }
    }
    out
}
