//! What Kustomize and Helm make of a folder, by the tools themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use ordain_check::{Input, Source};

/// What is rendered first.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Rendering")]
pub(crate) struct Rendered {
    /// Validate the output of `kustomize build` for this directory (may be repeated)
    #[arg(long, value_name = "DIR")]
    kustomize: Vec<PathBuf>,

    /// Validate the output of `helm template` for this chart (may be repeated)
    #[arg(long, value_name = "CHART")]
    helm: Vec<PathBuf>,

    /// Values for --helm (may be repeated)
    #[arg(long, value_name = "FILE", requires = "helm")]
    values: Vec<PathBuf>,
}

impl Rendered {
    pub(crate) fn is_asked(&self) -> bool {
        !self.kustomize.is_empty() || !self.helm.is_empty()
    }

    /// The texts that the tools make.
    ///
    /// # Errors
    /// With a line for each tool that is not there or fails.
    pub(crate) fn inputs(&self) -> Result<Vec<Input>, Vec<String>> {
        let mut inputs = Vec::new();
        for folder in &self.kustomize {
            let text = kustomize(folder).map_err(|why| vec![why])?;
            let name = format!("{} (rendered)", folder.display());
            inputs.push(Input::text(Source::new(name, text)));
        }
        for chart in &self.helm {
            let text = helm(chart, &self.values).map_err(|why| vec![why])?;
            let name = format!("{} (rendered)", chart.display());
            if text.trim().is_empty() {
                inputs.push(Input::text(Source::new(name, text)));
                continue;
            }
            let parts = split_by_template(&name, &text).into_iter();
            inputs.extend(parts.map(|(name, part)| Input::text(Source::new(name, part))));
        }
        Ok(inputs)
    }
}

/// Kustomize is a program of its own and a part of kubectl.
fn kustomize(folder: &Path) -> Result<String, String> {
    let folder = folder.as_os_str();
    let tries: [(&str, &[&str]); 2] = [("kustomize", &["build"]), ("kubectl", &["kustomize"])];
    for (program, arguments) in tries {
        if let Some(run) = run(Command::new(program).args(arguments).arg(folder), program) {
            return run;
        }
    }
    Err("--kustomize needs `kustomize` or `kubectl` on the PATH; without them: render elsewhere and pipe the result into `ordain validate -`".to_owned())
}

fn helm(chart: &Path, values: &[PathBuf]) -> Result<String, String> {
    let mut command = Command::new("helm");
    command.args(["template", "--include-crds"]).arg(chart);
    for file in values {
        command.arg("--values").arg(file);
    }
    let missing = "--helm needs `helm` on the PATH; without it: render elsewhere and pipe the result into `ordain validate -`";
    run(&mut command, "helm").unwrap_or_else(|| Err(missing.to_owned()))
}

/// What a program writes; nothing when it is not there.
fn run(command: &mut Command, name: &str) -> Option<Result<String, String>> {
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return Some(Err(format!("{name}: {error}"))),
    };
    if !output.status.success() {
        let reported = String::from_utf8_lossy(&output.stderr);
        return Some(Err(format!("{name} failed: {}", reported.trim())));
    }
    Some(String::from_utf8(output.stdout).map_err(|error| format!("{name}: {error}")))
}

/// Helm names the template above each document; findings are reported under that name, with lines of
/// what the template made.
fn split_by_template(whole: &str, text: &str) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    let documents = text.split_inclusive('\n').fold(vec![String::new()], |mut all, line| {
        if line.trim_end() == "---" {
            all.push(String::new());
        } else if let Some(last) = all.last_mut() {
            last.push_str(line);
        }
        all
    });
    for document in documents {
        let template = document.lines().find_map(|it| it.strip_prefix("# Source: "));
        let name = template.map_or_else(|| whole.to_owned(), |it| format!("{it} (rendered)"));
        if document.trim().is_empty() {
            continue;
        }
        match parts.last_mut().filter(|it| it.0 == name) {
            Some((_, text)) => *text += &format!("---\n{document}"),
            None => parts.push((name, document)),
        }
    }
    // What is a comment alone is nothing that a template made.
    let is_object =
        |text: &str| text.lines().any(|it| !it.is_empty() && !it.starts_with(['#', '-']));
    parts.retain(|it| is_object(&it.1));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_one_template_stay_together() {
        let text = "---\n# Source: web/templates/a.yaml\na: 1\n---\n# Source: web/templates/a.yaml\nb: 1\n---\n# Source: web/templates/empty.yaml\n---\n# Source: web/templates/c.yaml\nc: 1\n";
        let parts = split_by_template("web (rendered)", text);
        let names: Vec<&str> = parts.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(names, ["web/templates/a.yaml (rendered)", "web/templates/c.yaml (rendered)"]);
        assert_eq!(parts[0].1.matches("---").count(), 1);
    }
}
