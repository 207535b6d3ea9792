//! `ordain convert`: objects in another version of their kind, without a server.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use ordain_check::{Catalog, Input, Source, convert, manifest, source};
use ordain_registry::gates::CRD_DECLARATIVE_CONVERSION;
use ordain_value::{Value, json, value, yaml};

use super::complain;
use super::kinds::Kinds;
use super::validate::{CLEAN, FINDINGS, UNUSABLE};

/// Convert objects to another version of their kind, as a server would.
///
/// Built-in kinds convert as in Kubernetes; custom kinds by name, or as the annotation
/// `ordain.dev/conversion` of their definition declares (with the feature gate
/// CRDDeclarativeConversion, which is on here); declared kinds by the names of their fields.
/// `--prove` looks for objects that do not come back from another version as they were.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ordain convert -f widget.yaml --to v2 --crds crds/
  kustomize build . | ordain convert --to autoscaling/v2 -
  ordain convert --prove --crds crds/widgets.yaml

Exit codes: 0 converted, 1 an object cannot be converted or does not come back, 2 unusable input.")]
pub(crate) struct Convert {
    /// Files, directories, or - for standard input
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    /// A file, as kubectl names it (may be repeated)
    #[arg(short, long = "filename", value_name = "PATH")]
    files: Vec<String>,

    /// The version: v2, or group/v2
    #[arg(long, value_name = "VERSION", required_unless_present = "prove")]
    to: Option<String>,

    /// Instead, convert generated objects of every version back and forth, and report those that
    /// change
    #[arg(long, conflicts_with = "to")]
    prove: bool,

    #[command(flatten)]
    kinds: Kinds,

    /// Format of the objects
    #[arg(short, long, default_value = "yaml", value_parser = ["yaml", "json"])]
    output: String,
}

impl Convert {
    pub(crate) fn run(&self) -> ExitCode {
        ExitCode::from(self.convert().unwrap_or_else(|wrong| {
            wrong.iter().for_each(|it| complain(it));
            UNUSABLE
        }))
    }

    fn convert(&self) -> Result<u8, Vec<String>> {
        let mut paths = self.files.clone();
        paths.extend(self.paths.iter().cloned());
        if self.prove {
            paths.extend(self.kinds.crds.iter().cloned());
        }
        if paths.is_empty() {
            return Err(vec!["name files or directories, or - for standard input".to_owned()]);
        }
        let (sources, failed) = source::read_all(&paths);
        if !failed.is_empty() {
            return Err(failed.iter().map(ToString::to_string).collect());
        }
        let inputs: Vec<Input> = sources.iter().cloned().map(Input::text).collect();
        let mut kinds = self.kinds.clone();
        // What the command line says counts more.
        kinds.gates.feature_gates.insert(0, format!("{CRD_DECLARATIVE_CONVERSION}=true"));
        let mut catalog = kinds.gather(Some(&inputs))?.catalog;
        let broken = ordain_check::define(&mut catalog, &sources);
        if !broken.is_empty() {
            let reported = broken.iter().map(|it| {
                let at = &it.location;
                format!("{}:{}:{}: {}", at.file, at.line, at.column, it.text())
            });
            return Err(reported.collect());
        }
        match &self.to {
            Some(version) => Ok(self.each(&catalog, &sources, version)),
            None => self.proof(&catalog, &sources),
        }
    }

    /// Converts every object and writes them all.
    fn each(&self, catalog: &Catalog, sources: &[Source], version: &str) -> u8 {
        let (mut converted, mut code) = (Vec::new(), CLEAN);
        for source in sources {
            for manifest in manifest::read(0, source).manifests {
                // Definitions say what kinds there are; they are not converted themselves.
                if manifest.is_definition() {
                    continue;
                }
                match convert::convert(catalog, &manifest, version) {
                    Ok(object) => converted.push(object),
                    Err(why) => {
                        let at = &manifest.start;
                        complain(&format!("{}:{}:{}: {why}", source.name, at.line, at.column));
                        code = FINDINGS;
                    }
                }
            }
        }
        let text = match self.output.as_str() {
            "json" => as_json(converted) + "\n",
            _ => converted.iter().map(yaml::encode).collect::<Vec<String>>().join("---\n"),
        };
        if std::io::stdout().lock().write_all(text.as_bytes()).is_err() {
            return UNUSABLE;
        }
        code
    }

    fn proof(&self, catalog: &Catalog, sources: &[Source]) -> Result<u8, Vec<String>> {
        let (mut code, mut found) = (CLEAN, false);
        for source in sources {
            for manifest in manifest::read(0, source).manifests {
                if !manifest.is_definition() {
                    continue;
                }
                found = true;
                let proof = convert::prove(catalog, &manifest.value)
                    .map_err(|why| vec![format!("{}: {why}", source.name)])?;
                for loss in &proof.losses {
                    complain(&format!("{}: {loss}", source.name));
                    code = FINDINGS;
                }
                let kept = proof.pairs - proof.losses.len();
                super::say(&format!(
                    "{}: {kept} of {} ways there and back keep {} objects",
                    manifest.name(),
                    proof.pairs,
                    proof.objects
                ));
            }
        }
        if found { Ok(code) } else { Err(vec!["no definition in the input".to_owned()]) }
    }
}

/// One object as it is, several as a list.
fn as_json(mut objects: Vec<Value>) -> String {
    match objects.len() {
        1 => json::encode_pretty(&objects.remove(0)),
        _ => {
            let list = value!({"apiVersion": "v1", "kind": "List", "items": Value::from(objects)});
            json::encode_pretty(&list)
        }
    }
}
