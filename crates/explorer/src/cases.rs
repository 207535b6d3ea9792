//! The cases of `ordain test`, run against a definition that was posted along.

use std::path::Path;

use ordain_check::table::{self, Declared, Files, Run};
use ordain_check::{Catalog, Gates, Source};
use ordain_value::{Value, json, value, yaml};

use crate::ask::{Unanswered, int};

/// What a table is called in messages, and the definition beside it.
const TABLE: &str = "posted.cases.yaml";
const DEFINITION: &str = "definition.json";

/// `{definition, cases}` gives `{cases: [{name, line, failures}], coverage: [{path, …}]}`; `cases`
/// is the text of a table. Whichever definition it names, the posted one is meant.
pub(crate) fn answer(posted: &Value) -> Result<Value, Unanswered> {
    let definition = posted.get("definition").ok_or_else(|| "there is no definition".to_owned())?;
    let text = posted.get("cases").and_then(Value::as_str).unwrap_or("");
    let definition = json::encode(definition);
    let read = |_: &Path| Ok(definition.clone());
    let kinds = |types: Option<&Path>, gates: &[String]| kinds(types, gates);
    let files = Files { read: &read, kinds: &kinds };
    let run = table::run(&Source::new(TABLE, with_definition(text)), &files)?;
    Ok(show(&run))
}

/// The text with a definition named, if it names none.
fn with_definition(text: &str) -> String {
    let first = yaml::decode_first(text.as_bytes(), yaml::Options::default());
    let root = first.and_then(|it| it.value).unwrap_or_default();
    let named = ["definition", "definitions", "types"].iter().any(|key| root.get(key).is_some());
    // At the end, so that lines keep their numbers.
    if named { text.to_owned() } else { format!("{}\ndefinition: {DEFINITION}\n", text.trim_end()) }
}

fn kinds(types: Option<&Path>, set: &[String]) -> Result<Declared, String> {
    if types.is_some() {
        return Err("types are read from files: run `ordain test` on the table".to_owned());
    }
    let mut gates = Gates::default();
    for text in set {
        gates.set_from(text)?;
    }
    Ok(Declared { catalog: Catalog::new(gates), definitions: Vec::new() })
}

fn show(run: &Run) -> Value {
    let line = |number: usize| int(u64::try_from(number).unwrap_or(u64::MAX));
    let cases = run.cases.iter().map(|case| {
        let failures: Vec<Value> = case.failures.iter().map(|it| it.as_str().into()).collect();
        value!({"name": (case.name.as_str()), "line": line(case.line), "failures": failures})
    });
    let coverage = run.coverage.iter().map(|it| {
        value!({
            "path": (it.path.as_str()),
            "constraint": (it.constraint.as_str()),
            "passed": (it.passed),
            "failed": (it.failed)
        })
    });
    let (cases, coverage): (Vec<Value>, Vec<Value>) = (cases.collect(), coverage.collect());
    value!({"cases": cases, "coverage": coverage})
}
