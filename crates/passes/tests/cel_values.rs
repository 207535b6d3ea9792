//! Values of single expressions as kube-apiserver recorded them: every expression that needs no object is evaluated here and its text compared.

use ordain_cel::program::{Activation, EvalOptions, Program};
use ordain_cel::value::Val;
use ordain_passes::cel_library::{Environment, PER_CALL_LIMIT};
use ordain_testkit::tally::Tally;
use ordain_testkit::transcript;
use ordain_value::Value;

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
    let folder = transcript::vendored().join("cel");
    let mut tally = Tally::new("passes-expressions");
    for (file, case) in transcript::cases(&folder, "value-").expect("readable recordings") {
        for (at, rule) in rules(&case).iter().enumerate() {
            let field = |name: &str| rule.get(name).and_then(Value::as_str).unwrap_or_default();
            let (expr, message, id) = (field("rule"), field("messageExpression"), field("message"));
            if expr.contains("self") || message.contains("self") {
                continue;
            }
            let recorded = case.get("values").and_then(|it| it.get(id)).and_then(Value::as_str);
            let Some(wanted) = recorded else { continue };
            tally.compare(
                &format!("{file} {id}#{at}"),
                &answer(expr, message, id).as_str(),
                &wanted,
            );
        }
    }
    tally.check(1000);
}
