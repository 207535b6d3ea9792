//! The cases of `ordain test`, run against a definition that was posted along.

use std::path::Path;
use std::sync::Arc;

use ordain_check::table::{self, Declared, Files, Run};
use ordain_check::{Catalog, Gates, Source};
use ordain_schema::declared::Api;
use ordain_strategy::RestConfig;
use ordain_value::{Value, json, value, yaml};

use crate::ask::{Unanswered, int};

/// What a table is called in messages, and the definition beside it.
const TABLE: &str = "posted.cases.yaml";
const DEFINITION: &str = "definition.json";

/// A kind as the server that is asked serves it, and the gates that it is judged with.
#[derive(Clone, Debug)]
pub struct Served {
    /// The kind.
    pub resource: Arc<RestConfig>,
    /// The server's gates.
    pub gates: Arc<Gates>,
}

/// Where the kind of a table comes from.
enum Subject {
    /// A definition that was posted along, as JSON.
    Definition(Vec<u8>),
    /// The server's own: declared by types, built in, or defined.
    Served(Served),
}

/// `{definition, cases}` or `{group, resource, cases}` gives
/// `{cases: [{name, line, failures}], coverage: [{path, …}]}`; `cases` is the text of a table.
/// Whichever definition or types it names, the posted or served kind is meant.
pub(crate) fn answer(
    posted: &Value,
    served: &dyn Fn(&str, &str) -> Option<Served>,
) -> Result<Value, Unanswered> {
    let text = |key: &str| posted.get(key).and_then(Value::as_str).unwrap_or("");
    let subject = match posted.get("definition") {
        Some(definition) => Subject::Definition(json::encode(definition)),
        None => {
            let (group, resource) = (text("group"), text("resource"));
            let found = served(group, resource).or_else(|| built_in(group, resource));
            Subject::Served(found.ok_or_else(|| "there is no definition of the kind".to_owned())?)
        }
    };
    let read = |_: &Path| match &subject {
        Subject::Definition(definition) => Ok(definition.clone()),
        Subject::Served(_) => Ok(Vec::new()),
    };
    let kinds = |types: Option<&Path>, gates: &[String]| kinds(&subject, types, gates);
    let files = Files { read: &read, kinds: &kinds };
    let run = table::run(&Source::new(TABLE, with_definition(text("cases"))), &files)?;
    Ok(show(&run))
}

/// A kind that every cluster has: in front of one there is no server here to ask.
fn built_in(group: &str, resource: &str) -> Option<Served> {
    let resource = Catalog::built_in(group, resource)?;
    Some(Served { resource, gates: Arc::default() })
}

/// The text with a definition named, if it names none.
fn with_definition(text: &str) -> String {
    let first = yaml::decode_first(text.as_bytes(), yaml::Options::default());
    let root = first.and_then(|it| it.value).unwrap_or_default();
    let named = ["definition", "definitions", "types"].iter().any(|key| root.get(key).is_some());
    // At the end, so that lines keep their numbers.
    if named { text.to_owned() } else { format!("{}\ndefinition: {DEFINITION}\n", text.trim_end()) }
}

/// The kinds that are there before the table's definitions are read.
fn kinds(subject: &Subject, types: Option<&Path>, set: &[String]) -> Result<Declared, String> {
    let mut gates = match subject {
        Subject::Definition(_) if types.is_some() => {
            return Err("types are read from files: run `ordain test` on the table".to_owned());
        }
        Subject::Definition(_) => Gates::default(),
        Subject::Served(served) => served.gates.as_ref().clone(),
    };
    for text in set {
        gates.set_from(text)?;
    }
    let mut catalog = Catalog::new(gates);
    if let Subject::Served(served) = subject {
        match served.resource.strategy.declared() {
            // The server compiled it with its own gates: with others it is another kind.
            Some(kind) if !set.is_empty() => {
                catalog.add_declared(&Api { kinds: vec![kind.clone()] });
            }
            _ => catalog.add_served(&served.resource),
        }
    }
    Ok(Declared { catalog, definitions: Vec::new() })
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
