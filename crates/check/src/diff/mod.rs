//! Is a change of a definition safe? Each difference with a verdict, and for those that are not
//! safe an object that shows it: found by search, confirmed by running both schemas.
//!
//! * compatible: whatever the old definition accepted the new one accepts;
//! * ratcheted: some such objects can no longer be created, but those that are stored can still be
//!   changed elsewhere, because the server forgives what did not change;
//! * breaking: stored objects are refused, lose fields or mean something else.

mod keyword;
mod regex_sample;
pub(crate) mod sample;
mod search;
mod surface;
mod walk;

pub(crate) use keyword::KEYWORDS;
use ordain_schema::crd::Crd;
use ordain_value::{Map, Text, Value, json, value};

use crate::definition;
use crate::kind::Kind;
use ordain_strategy::gates::Gates;
use search::Search;

/// How safe a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safety {
    Compatible,
    Ratcheted,
    Breaking,
}

impl Safety {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Safety::Compatible => "compatible",
            Safety::Ratcheted => "ratcheted",
            Safety::Breaking => "breaking",
        }
    }
}

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The definition and, when it is about one, the version: `widgets.shop.example.com/v1`.
    pub subject: String,
    /// The field, empty for the whole kind.
    pub path: String,
    /// What changed, in words.
    pub what: String,
    pub safety: Safety,
    /// What the new definition says to the example.
    pub why: String,
    /// An object that the old definition takes and the new one does not.
    pub example: Option<Value>,
}

/// All differences between two sets of definitions, the worst verdict being that of the whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub changes: Vec<Change>,
}

impl Report {
    #[must_use]
    pub fn is_breaking(&self) -> bool {
        self.changes.iter().any(|it| it.safety == Safety::Breaking)
    }
}

/// Compares definitions by name.
///
/// # Errors
/// When one of them cannot be read or compiled.
pub fn compare(old: &[Value], new: &[Value], gates: &Gates) -> Result<Report, String> {
    let mut report = Report::default();
    let name = |it: &Value| {
        it.get_path(&["metadata", "name"]).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    for before in old {
        match new.iter().find(|it| name(it) == name(before)) {
            Some(after) => one(before, after, gates, &mut report)?,
            None => report.changes.push(Change {
                subject: name(before),
                path: String::new(),
                what: "the definition is gone".to_owned(),
                safety: Safety::Breaking,
                why: "its objects go with it".to_owned(),
                example: None,
            }),
        }
    }
    for after in new {
        if !old.iter().any(|it| name(it) == name(after)) {
            report.changes.push(Change {
                subject: name(after),
                path: String::new(),
                what: "the definition is new".to_owned(),
                safety: Safety::Compatible,
                why: String::new(),
                example: None,
            });
        }
    }
    Ok(report)
}

fn decode(definition: &Value) -> Result<Crd, String> {
    let (mut crd, _) = Crd::decode(definition).map_err(|error| error.0)?;
    crd.set_defaults();
    Ok(crd)
}

fn one(old: &Value, new: &Value, gates: &Gates, report: &mut Report) -> Result<(), String> {
    let (before, after) = (decode(old)?, decode(new)?);
    let subject = before.name().to_owned();
    let mut push = |version: &str, what: String, safety: Safety, why: &str| {
        let subject = match version {
            "" => subject.clone(),
            version => format!("{subject}/{version}"),
        };
        let (path, why) = (String::new(), why.to_owned());
        report.changes.push(Change { subject, path, what, safety, why, example: None });
    };
    for error in &definition::judge(new, Some(old), gates).errors {
        let what = format!("the server refuses the change: {error}");
        push("", what, Safety::Breaking, "the definition cannot be updated");
    }
    let fixed = [
        ("scope", before.spec.scope.as_str(), after.spec.scope.as_str()),
        ("kind", before.spec.names.kind.as_str(), after.spec.names.kind.as_str()),
        ("plural", before.spec.names.plural.as_str(), after.spec.names.plural.as_str()),
    ];
    for (field, from, to) in fixed {
        if from != to {
            let what = format!("{field} was {from} and is {to}");
            push("", what, Safety::Breaking, "clients ask for the old one");
        }
    }
    for version in before.spec.versions() {
        let name = version.name.as_str();
        match after.spec.version(name) {
            None => {
                push(name, "the version is gone".to_owned(), Safety::Breaking, "clients ask for it")
            }
            Some(now) if version.served && !now.served => {
                push(
                    name,
                    "the version is no longer served".to_owned(),
                    Safety::Breaking,
                    "clients ask for it",
                );
            }
            Some(now) if !version.deprecated && now.deprecated => {
                push(name, "the version is deprecated".to_owned(), Safety::Compatible, "");
            }
            _ => {}
        }
    }
    for version in after.spec.versions() {
        if before.spec.version(&version.name).is_none() {
            push(&version.name, "the version is new".to_owned(), Safety::Compatible, "");
        }
    }
    for (version, what, safety, why) in surface::differences(&before.spec, &after.spec) {
        push(&version, what, safety, why);
    }
    for version in before.spec.versions() {
        let Some(now) = after.spec.version(&version.name) else { continue };
        let search = Search::new(
            Kind::compile(&before, version, gates)?,
            Kind::compile(&after, now, gates)?,
        );
        let part = |definition: &Value| schema_of(definition, &version.name);
        let (was, is) = (part(old), part(new));
        let about = format!("{subject}/{}", version.name);
        for change in walk::differences(&was, &is) {
            report.changes.push(judged(&about, change, &was, &search));
        }
    }
    Ok(())
}

/// The schema of a version as written.
fn schema_of(definition: &Value, version: &str) -> Value {
    let versions = definition.get_path(&["spec", "versions"]).and_then(Value::as_list);
    let named = |it: &&Value| it.get("name").and_then(Value::as_str) == Some(version);
    versions
        .and_then(|list| list.iter().find(named))
        .and_then(|it| it.get_path(&["schema", "openAPIV3Schema"]))
        .cloned()
        .unwrap_or_else(|| Value::Map(Map::new()))
}

fn judged(subject: &str, change: walk::Difference, root: &Value, search: &Search) -> Change {
    let mut out = Change {
        subject: subject.to_owned(),
        path: change.path.clone(),
        what: change.what.clone(),
        safety: Safety::Compatible,
        why: String::new(),
        example: None,
    };
    if change.effect == keyword::Effect::Loosens {
        return out;
    }
    if let Some(found) = search.counter_example(root, &change) {
        out.safety = found.safety;
        out.why = found.why;
        out.example = Some(found.object);
    } else if change.effect == keyword::Effect::Tightens {
        out.safety = Safety::Breaking;
        out.why = "no counter-example was found, but the schema accepts less".to_owned();
    } else if change.effect == keyword::Effect::Unclear {
        out.safety = Safety::Breaking;
        out.why =
            "it is not clear what the change does, and no counter-example was found".to_owned();
    }
    out
}

/// A report as text.
#[must_use]
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    for change in &report.changes {
        let place = match change.path.as_str() {
            "" => change.subject.clone(),
            path => format!("{} {path}", change.subject),
        };
        out.push_str(&format!("{:10} {place}: {}\n", change.safety.name(), change.what));
        if !change.why.is_empty() {
            out.push_str(&format!("           {}\n", change.why));
        }
        if let Some(example) = &change.example {
            for line in ordain_value::yaml::encode(example).lines() {
                out.push_str(&format!("           | {line}\n"));
            }
        }
    }
    let count = |safety: Safety| report.changes.iter().filter(|it| it.safety == safety).count();
    out.push_str(&format!(
        "{} breaking, {} ratcheted, {} compatible\n",
        count(Safety::Breaking),
        count(Safety::Ratcheted),
        count(Safety::Compatible)
    ));
    out
}

/// A report as a value.
#[must_use]
pub fn value(report: &Report) -> Value {
    let changes: Vec<Value> = report
        .changes
        .iter()
        .map(|change| {
            let mut map = Map::new();
            for (key, text) in [
                ("subject", change.subject.as_str()),
                ("path", change.path.as_str()),
                ("change", change.what.as_str()),
                ("verdict", change.safety.name()),
                ("reason", change.why.as_str()),
            ] {
                if !text.is_empty() {
                    map.insert(Text::from(key), text.into());
                }
            }
            if let Some(example) = &change.example {
                map.insert("example", example.clone());
            }
            Value::Map(map)
        })
        .collect();
    value!({"changes": Value::from(changes), "breaking": (report.is_breaking())})
}

/// A value in few words.
fn shown(value: &Value) -> String {
    json::encode_string(value).chars().take(80).collect()
}
