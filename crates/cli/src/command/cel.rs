//! `ordain cel`: one expression, tried out.

use std::io::Read;
use std::process::ExitCode;

use clap::Args;
use ordain_cel::ast::{Ast, Expr};
use ordain_cel::cost::Cost;
use ordain_cel::program::EvalOptions;
use ordain_cel::syntax::Diagnostics;
use ordain_cel::value::{Error, Val, tree};
use ordain_check::Missing;
use ordain_meta::GroupVersion;
use ordain_passes::cel_library::{Environment, KubeVersion, PER_CALL_LIMIT};
use ordain_passes::rules::EXPRESSION_COST_MAX;
use ordain_passes::rules::probe::{self, Probe, Probed, Step};
use ordain_schema::Schema;
use ordain_schema::crd::Crd;
use ordain_value::{Value, json, value};

use super::kinds::Kinds;
use super::validate::{CLEAN, FINDINGS, UNUSABLE};
use super::{Failure, complain, say};

const EXAMPLES: &str = "\
Examples:
  # Without any input
  ordain cel '[1, 2, 3].map(i, i * 2)'

  # On a manifest: types are those of the definition, self is the part at --at
  ordain cel --crd crds/widgets.yaml --self widget.yaml --at spec 'self.size <= self.max'

  # The kind is found by itself: built in, or defined below --crds
  ordain cel --object deployment.yaml 'self.spec.replicas > 1'

  # A transition rule
  ordain cel --crd crds/widgets.yaml --at spec --self new.yaml --old-self old.yaml \\
      'self.serial == oldSelf.serial'

  # Only check it and see what it can cost
  ordain cel --crd crds/widgets.yaml --at spec.items 'self.all(i, i.name.matches(\"^[a-z]+$\"))'

  # In a script: fails unless the expression is true
  kubectl get widget w -o json | ordain cel --self - --assert 'self.status.ready'

  # A long expression from a file
  ordain cel --self widget.yaml < rule.cel

Exit codes: 0 evaluated (with --assert: true), 1 --assert and not true, or the evaluation failed,
2 bad usage, unreadable input or an expression that does not compile, 3 internal error.";

/// Evaluate a CEL expression; show its value, type and cost.
///
/// The expression sees what rules of definitions see: `self`, `oldSelf` and the libraries of
/// Kubernetes. With --crd they have the types of the schema, else no declared type.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cel {
    /// The expression; from standard input if it is left out or -
    #[arg(value_name = "EXPRESSION")]
    expression: Option<String>,

    /// The object, YAML or JSON; - for standard input
    #[arg(long = "self", value_name = "FILE")]
    own: Option<String>,

    /// The object, whose kind says what types there are: a kind of Kubernetes, or one of --crds,
    /// --types, --openapi, --schemas or --cluster
    #[arg(long, value_name = "FILE", conflicts_with = "own")]
    object: Option<String>,

    /// What the object was before
    #[arg(long, value_name = "FILE")]
    old_self: Option<String>,

    /// Let oldSelf be optional, as optionalOldSelf does
    #[arg(long)]
    optional_old_self: bool,

    /// A CustomResourceDefinition that says what types there are
    #[arg(long, value_name = "FILE")]
    crd: Option<String>,

    /// The version of the definition [default: the storage version]
    #[arg(long, value_name = "VERSION", requires = "crd")]
    version: Option<String>,

    #[command(flatten)]
    kinds: Kinds,

    /// The part of the object that the expression is about, such as spec.items[0]
    #[arg(long, value_name = "PATH", default_value = "")]
    at: String,

    /// The version of Kubernetes whose libraries the expression sees
    #[arg(long, value_name = "VERSION", default_value = "1.36")]
    kube_version: KubeVersion,

    /// See the libraries of declared kinds too
    #[arg(long, conflicts_with = "kube_version")]
    declared: bool,

    /// Fail unless the value is true
    #[arg(long)]
    assert: bool,

    /// Format of the answer
    #[arg(short, long, default_value = "text", value_parser = ["text", "json"])]
    output: String,
}

/// What came of an expression.
struct Answer {
    value: Option<Result<Value, String>>,
    shown: String,
    ty: String,
    estimate: Cost,
    actual: Option<u64>,
    holds: bool,
}

impl Cel {
    pub(crate) fn run(&self) -> ExitCode {
        match self.answer() {
            Err(why) => {
                complain(&why);
                ExitCode::from(UNUSABLE)
            }
            Ok(answer) => {
                self.show(&answer);
                let failed = matches!(answer.value, Some(Err(_)));
                let refused = failed || (self.assert && !answer.holds);
                ExitCode::from(if refused { FINDINGS } else { CLEAN })
            }
        }
    }

    fn answer(&self) -> Result<Answer, Failure> {
        let text = self.text()?;
        let steps = probe::steps(&self.at)?;
        let object = self.own.as_ref().or(self.object.as_ref()).map(|it| only(it)).transpose()?;
        let probe = self.probe(&steps, object.as_ref())?;
        let probed =
            probe.compile(&text, self.optional_old_self).map_err(|error| format!("\n{error}"))?;
        let (own, old) = (
            object.as_ref().map(|it| part_of(it, &steps, "the object")).transpose()?,
            self.old_self.as_deref().map(|it| part(it, &steps)).transpose()?,
        );
        let needs = |name: &str| probed.program.variables().iter().any(|it| it == name);
        let missing_old = needs("oldSelf") && old.is_none() && !self.optional_old_self;
        let known = !((needs("self") && own.is_none()) || missing_old);
        let mut answer = Answer {
            value: None,
            shown: String::new(),
            ty: probed.checked.result_type().to_string(),
            estimate: probed.estimate,
            actual: None,
            holds: false,
        };
        if !known {
            if self.assert {
                return Err("there is nothing to assert on: give --self and --old-self".to_owned());
            }
            return Ok(answer);
        }
        let options = EvalOptions { cost_limit: Some(PER_CALL_LIMIT), ..EvalOptions::default() };
        let outcome = probe.evaluate(&probed, own.as_ref(), old.as_ref(), options);
        answer.actual = Some(outcome.cost);
        answer.holds = matches!(outcome.value, Ok(Val::Bool(true)));
        answer.value = Some(match &outcome.value {
            Ok(value) => {
                let value = tree::to_tree(value);
                answer.shown = json::encode_pretty(&value);
                Ok(value)
            }
            Err(error) => Err(explained(error, &probed)),
        });
        Ok(answer)
    }

    fn text(&self) -> Result<String, Failure> {
        match self.expression.as_deref() {
            Some(text) if text != "-" => return Ok(text.to_owned()),
            _ if [&self.own, &self.object, &self.old_self]
                .iter()
                .any(|it| it.as_deref() == Some("-")) =>
            {
                return Err(
                    "standard input is the object already: give the expression as an argument"
                        .to_owned(),
                );
            }
            _ => {}
        }
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| format!("standard input: {error}"))?;
        if text.trim().is_empty() {
            return Err(
                "there is no expression: give one as an argument or on standard input".to_owned()
            );
        }
        Ok(text)
    }

    /// The schema of the object's kind.
    fn schema_of_object(&self, file: &str, object: &Value) -> Result<Schema, Failure> {
        let text = |field: &str| object.get(field).and_then(Value::as_str).unwrap_or_default();
        let version =
            GroupVersion::decode(text("apiVersion")).map_err(|error| format!("{file}: {error}"))?;
        let gvk = version.with_kind(text("kind"));
        let gathered = self.kinds.gather(None).map_err(|wrong| wrong.join("; "))?;
        match gathered.catalog.find(&gvk) {
            Ok(kind) => Ok(kind.schema().clone()),
            Err(Missing::Broken(why)) => Err(format!("{file}: the definition of {gvk}: {why}")),
            Err(_) => Err(format!(
                "{file}: no schema for {gvk}; name its definition with --crd or --crds"
            )),
        }
    }

    fn probe(&self, steps: &[Step], object: Option<&Value>) -> Result<Probe, Failure> {
        let environment = if self.declared {
            Environment::declared()
        } else {
            Environment::crd_at(self.kube_version)
        };
        let (file, schema) = match (&self.crd, &self.object, object) {
            (Some(file), _, _) => (file, schema(file, self.version(object))?),
            (None, Some(file), Some(object)) => (file, self.schema_of_object(file, object)?),
            _ => return Ok(Probe::untyped(environment)),
        };
        Probe::at(&schema, steps, environment).map_err(|why| format!("{file}: {}: {why}", self.at))
    }

    /// The version of the definition that is asked for: by name, or that of --object.
    fn version<'v>(&'v self, object: Option<&'v Value>) -> Option<&'v str> {
        let own = object.filter(|_| self.object.is_some());
        let own = own.and_then(|it| it.get("apiVersion")?.as_str()?.rsplit('/').next());
        self.version.as_deref().or(own)
    }

    fn show(&self, answer: &Answer) {
        if self.output == "json" {
            return say(&json::encode_pretty(&answer.tree()));
        }
        match &answer.value {
            None => {}
            Some(Ok(_)) => say(&format!("value: {}", answer.shown)),
            Some(Err(why)) => complain(why),
        }
        say(&format!("type:  {}", answer.ty));
        let mut cost = match answer.actual {
            Some(actual) => format!("{actual}, estimated "),
            None => "estimated ".to_owned(),
        };
        cost += &range(answer.estimate);
        if answer.estimate.max > EXPRESSION_COST_MAX {
            cost += &format!(", over the limit of {EXPRESSION_COST_MAX} for a rule");
        }
        say(&format!("cost:  {cost}"));
    }
}

impl Answer {
    fn tree(&self) -> Value {
        let int = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        let mut cost = value!({
            "estimate": {"min": int(self.estimate.min), "max": int(self.estimate.max)},
            "limit": int(EXPRESSION_COST_MAX)
        });
        if let Some(actual) = self.actual {
            cost.set_path(&["actual"], int(actual));
        }
        let mut out = value!({"type": (self.ty.as_str()), "cost": cost});
        match &self.value {
            None => {}
            Some(Ok(value)) => out.set_path(&["value"], value.clone()),
            Some(Err(why)) => out.set_path(&["error"], Value::str(why.as_str())),
        }
        out
    }
}

fn range(cost: Cost) -> String {
    match (cost.min, cost.max) {
        (min, max) if min == max => format!("{max}"),
        (min, u64::MAX) => format!("{min} or more, without bound"),
        (min, max) => format!("{min} to {max}"),
    }
}

/// The error of an evaluation, with the place that it is about where that is known.
fn explained(error: &Error, probed: &Probed) -> String {
    let text = error.message();
    let ast = probed.checked.ast();
    let Some(key) = text.strip_prefix("no such key: ") else { return text.to_owned() };
    let Some(offset) = selection(ast, key) else { return text.to_owned() };
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(ast.source().location(offset), text.to_owned());
    let shown = diagnostics.display(ast.source());
    format!("\n{shown}\nhelp: test with has(…) first, or use an optional selection (?.)")
}

/// Where a field of this name is selected.
fn selection(ast: &Ast, name: &str) -> Option<u32> {
    let mut pending = vec![ast.root()];
    while let Some(id) = pending.pop() {
        if let Expr::Select(select) = ast.expr(id)
            && *select.field == *name
            && !select.test_only
        {
            return ast.span(id).map(|span| span.start);
        }
        ast.for_each_child(id, |child| pending.push(child));
    }
    None
}

/// The schema of one version of a definition.
fn schema(file: &str, version: Option<&str>) -> Result<Schema, Failure> {
    let wrong = |why: String| format!("{file}: {why}");
    let definitions = read(file)?;
    let is_definition =
        |it: &&Value| it.get("kind").and_then(Value::as_str) == Some("CustomResourceDefinition");
    let definition = definitions
        .iter()
        .find(is_definition)
        .ok_or_else(|| wrong("there is no CustomResourceDefinition in it".to_owned()))?;
    let (crd, _) = Crd::decode(definition).map_err(|error| wrong(error.0))?;
    let found = match version {
        Some(name) => crd.spec.version(name),
        None => crd.spec.storage_version(),
    };
    let found = found.ok_or_else(|| {
        let known: Vec<&str> = crd.spec.versions().iter().map(|it| it.name.as_str()).collect();
        wrong(format!("there is no version {version:?}; there is: {}", known.join(", ")))
    })?;
    let raw = found.raw().ok_or_else(|| wrong(format!("{} has no schema", found.name)))?;
    ordain_schema::resolve(raw).map_err(|error| wrong(error.to_string()))
}

/// The part of an object in a file.
fn part(file: &str, steps: &[Step]) -> Result<Value, Failure> {
    part_of(&only(file)?, steps, file)
}

fn part_of(object: &Value, steps: &[Step], name: &str) -> Result<Value, Failure> {
    let part = probe::value_at(object, steps);
    part.cloned().ok_or_else(|| format!("{name}: there is nothing at --at"))
}

/// The one object of a file.
fn only(file: &str) -> Result<Value, Failure> {
    match read(file)?.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(format!("{file}: there is no object in it")),
        _ => Err(format!("{file}: there is more than one object in it")),
    }
}

fn read(file: &str) -> Result<Vec<Value>, Failure> {
    let failed = |why: &dyn std::fmt::Display| format!("{file}: {why}");
    let bytes = if file == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        bytes
    } else {
        std::fs::read(file).map_err(|error| failed(&error))?
    };
    super::manifest::decode(std::path::Path::new(file), &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_read_and_followed() {
        let steps = probe::steps("spec.items[1].labels[app.kubernetes.io/name]").expect("a way");
        let object = value!({"spec": {"items": [{}, {"labels": {"app.kubernetes.io/name": "x"}}]}});
        assert_eq!(probe::value_at(&object, &steps), Some(&Value::str("x")));
        assert_eq!(probe::steps("").expect("the whole"), []);
        assert!(probe::steps("a..b").is_err());
        assert!(probe::steps("a[0").is_err());
    }
}
