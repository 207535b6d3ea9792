//! Commands for authors of definitions: what defaults do, what rules cost, whether cases hold.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use ordain_check::{Catalog, Disk, Input, Source, cost, defaults, manifest, source, table};
use ordain_value::{Value, json, yaml};

use super::gates::GateArgs;
use super::kinds::{Kinds, Tags, go_pattern, read_types};
use super::validate::{CLEAN, FINDINGS, Form, Policed, UNUSABLE};
use super::{complain, note};

/// Show what the server adds, drops and replaces in manifests, and why.
///
/// Defaults and mutating admission policies make an object what it is stored as.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ordain explain-defaults --crds crds/ widget.yaml
  kustomize build . | ordain explain-defaults --crds crds/ -o json -
  # The objects as mutating policies leave them
  ordain explain-defaults --policies policies/ -o objects deploy/

Exit codes: 0 explained, 1 an object is refused by a policy or has no schema, 2 unusable input.")]
pub(crate) struct ExplainDefaults {
    /// Files, directories, or - for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,

    #[command(flatten)]
    kinds: Kinds,

    #[command(flatten)]
    policed: Policed,

    /// The form of the report; objects: YAML documents as they would be stored
    #[arg(short, long, default_value = "text", value_parser = ["text", "json", "yaml", "objects"])]
    output: String,
}

impl ExplainDefaults {
    pub(crate) fn run(&self) -> ExitCode {
        let (sources, failed) = source::read_all(&self.paths);
        let mut usable = report(failed.iter().map(ToString::to_string));
        let inputs: Vec<Input> = sources.iter().cloned().map(Input::text).collect();
        let mut catalog = match self.kinds.gather(Some(&inputs)) {
            Ok(gathered) => {
                usable &= report(gathered.broken.iter().map(|it| it.text()));
                gathered.catalog
            }
            Err(wrong) => {
                report(wrong);
                return ExitCode::from(UNUSABLE);
            }
        };
        let contents: Vec<_> =
            sources.iter().enumerate().map(|(at, source)| manifest::read(at, source)).collect();
        for manifest in contents.iter().flat_map(|it| &it.manifests) {
            if manifest.is_definition()
                && let Err(why) = catalog.add_definition(&manifest.value)
            {
                usable = report([why]);
            }
        }
        let options = match self.policed.options() {
            Ok(options) => options,
            Err(wrong) => {
                report(wrong);
                return ExitCode::from(UNUSABLE);
            }
        };
        let explainer = defaults::Explainer::new(&catalog, &sources, &options);
        explainer.notes().iter().for_each(|it| note(it));
        let (mut all, mut complete) = (Vec::new(), true);
        for (source, contents) in sources.iter().zip(&contents) {
            for broken in &contents.broken {
                let span = &broken.span;
                let at = format!("{}:{}:{}", source.name, span.line, span.column);
                complete &= report([format!("{at}: {}", broken.message)]);
            }
            for manifest in contents.manifests.iter().filter(|it| !it.is_definition()) {
                match catalog.find(&manifest.gvk) {
                    Ok(kind) => all.push(explainer.explain(source, manifest, &kind)),
                    Err(_) => {
                        let gvk = &manifest.gvk;
                        let (kind, version) = (&gvk.kind, gvk.group_version());
                        let why = format!("no schema for kind \"{kind}\" in \"{version}\"");
                        complete &= report([format!("{}: {why}", source.name)]);
                    }
                }
            }
        }
        complete &= all.iter().all(|it| it.refused.is_empty());
        let text = || match self.output.as_str() {
            "objects" => defaults::objects(&all),
            _ => defaults::text(&all),
        };
        if self.output == "objects" {
            let refused = all.iter().flat_map(|it| &it.refused);
            report(refused.cloned());
        }
        if !show(&self.output, text, || defaults::value(&all)) || !usable {
            return ExitCode::from(UNUSABLE);
        }
        ExitCode::from(if complete { CLEAN } else { FINDINGS })
    }
}

/// Show the estimated cost of CEL rules, and the bound to add where one is too expensive.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ordain cost crds/widgets.yaml
  ordain cost -o json crds/
  ordain cost ./api/...

Exit codes: 0 within the limits, 1 a definition would be refused, 2 unreadable input.")]
pub(crate) struct Cost {
    /// Files or directories with CustomResourceDefinitions, directories of tagged Go types
    /// (`dir/...` takes in all below), or - for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,

    #[command(flatten)]
    tags: Tags,

    /// Format of the report
    #[arg(short, long, default_value = "text", value_parser = ["text", "json", "yaml"])]
    output: String,
}

impl Cost {
    pub(crate) fn run(&self) -> ExitCode {
        let types: Vec<String> =
            self.paths.iter().filter_map(|path| go_pattern(&Disk, path)).collect();
        let is_manifest = |path: &&String| go_pattern(&Disk, path).is_none();
        let paths: Vec<String> = self.paths.iter().filter(is_manifest).cloned().collect();
        let (sources, failed) = source::read_all(&paths);
        let mut usable = report(failed.iter().map(ToString::to_string));
        let mut reports = Vec::new();
        match read_types(&types, self.tags) {
            Ok(types) => {
                reports.extend(cost::price_declared(&types.api));
                for definition in &types.definitions {
                    match cost::price(definition) {
                        Ok(mut priced) => reports.append(&mut priced),
                        Err(why) => usable = report([why]),
                    }
                }
            }
            Err(wrong) => usable = report(wrong),
        }
        for source in &sources {
            let contents = manifest::read(0, source);
            for broken in &contents.broken {
                usable &= report([format!("{}: {}", source.name, broken.message)]);
            }
            for manifest in contents.manifests.iter().filter(|it| it.is_definition()) {
                match cost::price(&manifest.value) {
                    Ok(mut priced) => reports.append(&mut priced),
                    Err(why) => usable = report([format!("{}: {why}", source.name)]),
                }
            }
        }
        if reports.is_empty() && usable {
            usable = report(["no definition in the input".to_owned()]);
        }
        let text = || reports.iter().map(cost::text).collect::<String>();
        let value = || Value::from(reports.iter().map(cost::value).collect::<Vec<Value>>());
        if !show(&self.output, text, value) || !usable {
            return ExitCode::from(UNUSABLE);
        }
        let exceeds = reports.iter().any(cost::Report::exceeds);
        ExitCode::from(if exceeds { FINDINGS } else { CLEAN })
    }
}

/// Run test cases of valid and invalid objects against CRDs.
///
/// A table is a YAML file whose name ends in `.cases.yaml`; it names the definition beside it and
/// lists objects with what the server is to say to them.
#[derive(Debug, Args)]
#[command(after_help = "\
Example of a table, widgets.cases.yaml:
  definition: widgets.yaml
  base: {apiVersion: shop.example.com/v1, kind: Widget, metadata: {name: w}}
  cases:
  - name: a size within bounds
    object: {spec: {size: 3}}
    stored: {spec: {size: 3, mode: careful}}
  - name: too large
    object: {spec: {size: 30}}
    errors: [{field: spec.size, reason: FieldValueInvalid, message: less than}]
  - name: the serial stays
    old: {spec: {serial: a}}
    object: {spec: {serial: b}}
    errors: [{field: spec.serial}]

Exit codes: 0 all cases hold, 1 some do not, 2 unusable input.")]
pub(crate) struct Test {
    /// Tables, or directories with files that end in .cases.yaml
    #[arg(default_value = ".", value_name = "PATH")]
    paths: Vec<String>,

    /// List the constraints that no case saw pass, or saw fail
    #[arg(long)]
    coverage: bool,

    /// Fail (exit code 1) when cases saw less than this share of the constraints both pass and fail
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    coverage_min: Option<u8>,

    #[command(flatten)]
    tags: Tags,

    #[command(flatten)]
    gates: GateArgs,

    #[command(flatten)]
    form: Form,
}

impl Test {
    pub(crate) fn run(&self) -> ExitCode {
        let (files, failed) = source::expand(&self.paths);
        let mut usable = report(failed.iter().map(ToString::to_string));
        let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
        let kinds = |types: Option<&Path>, gates: &[String]| {
            let folder: Vec<String> =
                types.iter().map(|it| it.to_string_lossy().into_owned()).collect();
            let types = read_types(&folder, self.tags).map_err(|why| why.join("; "))?;
            let mut catalog = Catalog::new(self.gates.and(gates).gates(Some(&types.api))?);
            catalog.add_declared(&types.api);
            Ok(table::Declared { catalog, definitions: types.definitions })
        };
        let from = table::Files { read: &read, kinds: &kinds };
        let mut runs = Vec::new();
        for file in files {
            let name = file.to_string_lossy();
            let named = self.paths.iter().any(|path| *path == name);
            if !named && !name.ends_with(".cases.yaml") {
                continue;
            }
            let run =
                read(&file).and_then(|text| table::run(&Source::new(name.clone(), text), &from));
            match run {
                Ok(run) => runs.push(run),
                Err(why) => usable = report([format!("{name}: {why}")]),
            }
        }
        if runs.is_empty() && usable {
            usable = report(["no table found: their names end in .cases.yaml".to_owned()]);
        }
        let mut thin = false;
        if let Some(least) = self.coverage_min {
            let share = table::coverage_percent(&runs);
            thin = share < f64::from(least);
            if thin {
                report([format!(
                    "{share:.1} % of the constraints are covered, {least} % are wanted"
                )]);
            }
        }
        let code = if self.form.is_text() {
            let failed = runs.iter().any(|run| run.failed() > 0);
            let code = if failed { FINDINGS } else { CLEAN };
            if put(&table::text(&runs, self.coverage)) { code } else { UNUSABLE }
        } else {
            self.form.write(&table::outcome(&runs, self.coverage))
        };
        let code = if thin && code == CLEAN { FINDINGS } else { code };
        ExitCode::from(if usable { code } else { UNUSABLE })
    }
}

/// Tells what is wrong with the input; true when nothing is.
fn report(wrong: impl IntoIterator<Item = String>) -> bool {
    let mut none = true;
    for it in wrong {
        complain(&it);
        none = false;
    }
    none
}

pub(crate) fn show(form: &str, text: impl Fn() -> String, value: impl Fn() -> Value) -> bool {
    match form {
        "json" => put(&(json::encode_pretty(&value()) + "\n")),
        "yaml" => put(&yaml::encode(&value())),
        _ => put(&text()),
    }
}

/// Writes to standard output; whether that worked.
pub(crate) fn put(text: &str) -> bool {
    std::io::stdout().lock().write_all(text.as_bytes()).is_ok()
}
