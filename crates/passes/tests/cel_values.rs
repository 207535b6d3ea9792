//! Values of single expressions as kube-apiserver recorded them, where the recordings are
//! present: every expression that needs no object is evaluated here and its text compared.

use std::io::Read as _;
use std::path::PathBuf;

use ordain_cel::program::{Activation, EvalOptions, Program};
use ordain_cel::value::Val;
use ordain_passes::cel_library::{Environment, PER_CALL_LIMIT};
use ordain_value::Value;

/// What must agree.
const BAR: f64 = 0.995;

fn recordings() -> Vec<PathBuf> {
    let shared = std::env::var_os("ORDAIN_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let Ok(entries) = std::fs::read_dir(shared.join("transcripts/cel")) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let wanted = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with("value-"))
    };
    paths.retain(wanted);
    paths.sort();
    paths
}

fn evaluate(text: &str) -> Result<Result<String, String>, String> {
    let environment = Environment::crd();
    let checked = environment.env.compile(text).map_err(|error| error.to_string())?;
    let program =
        Program::new(&checked, &environment.functions).map_err(|error| error.to_string())?;
    let options = EvalOptions { cost_limit: Some(PER_CALL_LIMIT), ..EvalOptions::default() };
    Ok(match program.eval(&Activation::new(), options).value {
        Ok(Val::Str(text)) => Ok(text.as_str().to_owned()),
        Ok(other) => Ok(format!("{other:?}")),
        Err(error) => Err(error.message().to_owned()),
    })
}

/// What the answer would show for a rule.
fn answer(rule: &str, message: &str, fallback: &str) -> String {
    match evaluate(rule) {
        Err(error) => format!("compile: {error}"),
        // Rules show a call without overload in words of their own.
        Ok(Err(error)) if error.starts_with("no such overload") => format!(
            "Invalid value: \"object\": '{error}': call arguments did not match a supported operator, function or macro signature for rule: {fallback}"
        ),
        Ok(Err(error)) => format!("Invalid value: \"object\": {error} evaluating rule: {fallback}"),
        Ok(Ok(_)) => match evaluate(message) {
            Ok(Ok(text)) => format!("Invalid value: {text}"),
            Ok(Err(_)) => format!("Invalid value: {fallback}"),
            Err(error) => format!("compile message: {error}"),
        },
    }
}

fn rules(case: &Value) -> Vec<Value> {
    let steps =
        case.get("steps").and_then(Value::as_list).map(|steps| steps.to_vec()).unwrap_or_default();
    let schema = steps.iter().find_map(|step| {
        let version = step.get("body")?.get("spec")?.get("versions")?.as_list()?.first()?.clone();
        version.get("schema")?.get("openAPIV3Schema").cloned()
    });
    let Some(schema) = schema else { return Vec::new() };
    let spec =
        schema.get("properties").and_then(|it| it.get("spec")).cloned().unwrap_or(Value::Null);
    [schema, spec]
        .iter()
        .filter_map(|node| {
            node.get("x-kubernetes-validations")?.as_list().map(|list| list.to_vec())
        })
        .flatten()
        .collect()
}

#[test]
fn expressions_have_the_recorded_values() {
    let paths = recordings();
    if paths.is_empty() {
        eprintln!("skipped: no recordings; set ORDAIN_SHARED");
        return;
    }
    let (mut passed, mut failed) = (0usize, Vec::new());
    for path in paths {
        let mut text = String::new();
        let file = std::fs::File::open(&path).expect("a readable file");
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("valid gzip");
        for line in text.lines() {
            let case = ordain_value::json::decode(line.as_bytes()).expect("valid JSON");
            for rule in rules(&case) {
                let field = |name: &str| rule.get(name).and_then(Value::as_str).unwrap_or_default();
                let (expr, message, id) =
                    (field("rule"), field("messageExpression"), field("message"));
                if expr.contains("self") || message.contains("self") || expr.contains("oldSelf") {
                    continue;
                }
                let Some(wanted) =
                    case.get("values").and_then(|it| it.get(id)).and_then(Value::as_str)
                else {
                    continue;
                };
                let got = answer(expr, message, id);
                if got == wanted {
                    passed += 1;
                } else {
                    failed.push(format!("{id}: {expr}\n    got    {got}\n    wanted {wanted}"));
                }
            }
        }
    }
    let total = passed + failed.len();
    eprintln!("recorded values: {passed} of {total}");
    for failure in failed.iter().take(200) {
        eprintln!("  {failure}");
    }
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = passed as f64 / total.max(1) as f64;
    assert!(share >= BAR, "{share:.4} is below the bar");
}
