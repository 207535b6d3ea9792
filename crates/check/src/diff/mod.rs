//! Is a change of a definition safe? Each difference with a verdict, and for those that are not
//! safe an object that shows it: found by search, confirmed by running both schemas.
//!
//! * compatible: whatever the old definition accepted the new one accepts;
//! * ratcheted: some such objects can no longer be created, but those that are stored can still be
//!   changed elsewhere, because the server forgives what did not change;
//! * breaking: stored objects are refused, lose fields or mean something else.

mod both;
mod keyword;
mod regex_sample;
mod report;
mod rule;
pub(crate) mod sample;
mod search;
mod surface;
mod walk;

use std::collections::BTreeMap;

pub(crate) use keyword::KEYWORDS;
use ordain_schema::crd::{Crd, CrdVersion};
use ordain_strategy::gates::Gates;
use ordain_value::field::Error;
use ordain_value::{Map, Value, json};
use rayon::prelude::*;
pub use report::{Defined, outcome, text, value};

use crate::definition;
use crate::kind::{Kind, distinct};
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

impl Change {
    /// `widgets.shop.example.com/v1:spec.size`, by which exceptions name it.
    #[must_use]
    pub fn id(&self) -> String {
        match self.path.as_str() {
            "" => self.subject.clone(),
            path => format!("{}:{path}", self.subject),
        }
    }
}

/// All differences between two sets of definitions, the worst verdict being that of the whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub changes: Vec<Change>,
}

impl Report {
    #[must_use]
    pub fn is_breaking(&self) -> bool {
        self.is_at_least(Safety::Breaking)
    }

    /// Whether a change is that bad or worse.
    #[must_use]
    pub fn is_at_least(&self, safety: Safety) -> bool {
        self.changes.iter().any(|it| it.safety >= safety)
    }
}

/// Compares definitions by name.
///
/// # Errors
/// When one of them cannot be read or compiled.
pub fn compare(old: &[Value], new: &[Value], gates: &Gates) -> Result<Report, String> {
    compare_as(old, new, gates, true)
}

/// The same for definitions that may stand for declared types: whether a server would take them is
/// not asked then, since nobody sends them.
///
/// # Errors
/// When one of them cannot be read or compiled.
pub fn compare_as(
    old: &[Value],
    new: &[Value],
    gates: &Gates,
    are_sent: bool,
) -> Result<Report, String> {
    let name = |it: &Value| it.text_at(&["metadata", "name"]).to_owned();
    let mut by_name: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for after in new {
        by_name.entry(name(after)).or_default().push(after);
    }
    // A definition may be there several times, as in release channels side by side: each is
    // compared with the one in its place.
    let nth = |at: usize| old[..at].iter().filter(|it| name(it) == name(&old[at])).count();
    let pair = |(at, before): (usize, &Value)| match by_name.get(&name(before)).map(Vec::as_slice) {
        Some(same @ [first, ..]) => {
            one(before, same.get(nth(at)).unwrap_or(first), gates, are_sent)
        }
        _ => {
            let what = "the definition is gone".to_owned();
            let why = "its objects go with it";
            Ok(vec![Change::whole(name(before), what, Safety::Breaking, why)])
        }
    };
    let parts: Result<Vec<Vec<Change>>, String> = old.par_iter().enumerate().map(pair).collect();
    let mut changes: Vec<Change> = parts?.into_iter().flatten().collect();
    for after in new {
        if !old.iter().any(|it| name(it) == name(after)) {
            let what = "the definition is new".to_owned();
            changes.push(Change::whole(name(after), what, Safety::Compatible, ""));
        }
    }
    level(&mut changes);
    Ok(Report { changes })
}

/// Gives equal changes the same verdict: what was shown for one holds for its twins in other
/// versions and definitions, where the search may have had less luck.
fn level(changes: &mut [Change]) {
    let mut shown: BTreeMap<(String, String), Change> = BTreeMap::new();
    for change in changes.iter().filter(|it| it.example.is_some()) {
        let key = (change.path.clone(), change.what.clone());
        let worst = shown.entry(key).or_insert_with(|| change.clone());
        if change.safety > worst.safety {
            *worst = change.clone();
        }
    }
    for change in changes {
        let Some(twin) = shown.get(&(change.path.clone(), change.what.clone())) else { continue };
        let is_open = change.example.is_none() && change.safety != Safety::Compatible;
        if is_open || change.safety < twin.safety && change.example.is_some() {
            change.safety = twin.safety;
            change.why = format!("as shown for {}: {}", twin.subject, twin.why);
        }
    }
}

fn decode(definition: &Value) -> Result<Crd, String> {
    let (mut crd, _) = Crd::decode(definition).map_err(|error| error.0)?;
    crd.set_defaults();
    Ok(crd)
}

impl Change {
    /// A change of a kind or version as a whole.
    fn whole(subject: String, what: String, safety: Safety, why: &str) -> Change {
        let (path, why) = (String::new(), why.to_owned());
        Change { subject, path, what, safety, why, example: None }
    }
}

fn one(old: &Value, new: &Value, gates: &Gates, are_sent: bool) -> Result<Vec<Change>, String> {
    let (before, after) = (decode(old)?, decode(new)?);
    let subject = before.name().to_owned();
    let mut changes = Vec::new();
    if are_sent {
        changes.extend(refusals(&subject, old, new, gates));
    }
    let fixed = [
        ("scope", before.spec.scope.as_str(), after.spec.scope.as_str()),
        ("kind", before.spec.names.kind.as_str(), after.spec.names.kind.as_str()),
        ("plural", before.spec.names.plural.as_str(), after.spec.names.plural.as_str()),
    ];
    for (field, from, to) in fixed.into_iter().filter(|it| it.1 != it.2) {
        let what = format!("{field} was {from} and is {to}");
        let why = "clients ask for the old one";
        changes.push(Change::whole(subject.clone(), what, Safety::Breaking, why));
    }
    changes.extend(versions(&subject, &before, &after));
    for (version, what, safety, why) in surface::differences(&before.spec, &after.spec) {
        let about = match version.as_str() {
            "" => subject.clone(),
            version => format!("{subject}/{version}"),
        };
        changes.push(Change::whole(about, what, safety, why));
    }
    for version in before.spec.versions() {
        let Some(now) = after.spec.version(&version.name) else { continue };
        let part = |definition: &Value| schema_of(definition, &version.name);
        let (was, is) = (part(old), part(new));
        let differences = walk::differences(&was, &is);
        // Most versions are what they were.
        if differences.is_empty() {
            continue;
        }
        let search = Search::new(
            Kind::compile(&before, version, gates)?,
            Kind::compile(&after, now, gates)?,
        );
        let common = both::both(&was, &is);
        let about = format!("{subject}/{}", version.name);
        let judged = differences.into_par_iter().map(|it| judged(&about, it, &common, &search));
        changes.extend(judged.collect::<Vec<Change>>());
    }
    Ok(changes)
}

/// Why the server refuses the update itself.
fn refusals(subject: &str, old: &Value, new: &Value, gates: &Gates) -> Vec<Change> {
    // Errors that the old one has as well do not come from the change, and labels and
    // annotations of a definition are nothing of its API.
    let known = definition::judge(old, None, gates).errors;
    let is_new =
        |it: &&Error| !it.path.starts_with("metadata.") && !known.iter().any(|old| old == *it);
    let refused = distinct(definition::judge(new, Some(old), gates).errors);
    let change = |error: &Error| {
        let what = format!("the server refuses the change: {error}");
        let why = "the definition cannot be updated";
        Change::whole(subject.to_owned(), what, Safety::Breaking, why)
    };
    refused.iter().filter(is_new).map(change).collect()
}

/// Versions that come, go or are served no more.
fn versions(subject: &str, before: &Crd, after: &Crd) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut push = |version: &CrdVersion, what: &str, safety: Safety, why: &str| {
        let about = format!("{subject}/{}", version.name);
        changes.push(Change::whole(about, what.to_owned(), safety, why));
    };
    let asked = "clients ask for it";
    for version in before.spec.versions() {
        match after.spec.version(&version.name) {
            None => push(version, "the version is gone", Safety::Breaking, asked),
            Some(now) if version.served && !now.served => {
                push(version, "the version is no longer served", Safety::Breaking, asked);
            }
            Some(now) if !version.deprecated && now.deprecated => {
                push(version, "the version is deprecated", Safety::Compatible, "");
            }
            Some(_) => {}
        }
    }
    let stored = before.spec.storage_version().map_or("none", |it| it.name.as_str());
    if let Some(is) = after.spec.storage_version().filter(|it| it.name != stored) {
        let what = format!("objects are stored in this version, and were in {stored}");
        push(is, &what, Safety::Compatible, "");
    }
    let is_new = |it: &&CrdVersion| before.spec.version(&it.name).is_none();
    for version in after.spec.versions().iter().filter(is_new) {
        push(version, "the version is new", Safety::Compatible, "");
    }
    changes
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

fn judged(subject: &str, change: walk::Difference, common: &Value, search: &Search) -> Change {
    let mut out = Change::whole(subject.to_owned(), change.what.clone(), Safety::Compatible, "");
    out.path.clone_from(&change.path);
    if change.effect == keyword::Effect::Loosens {
        return out;
    }
    if let Some(found) = search.counter_example(common, &change) {
        out.safety = found.safety;
        out.why = found.why;
        out.example = Some(found.object);
        return out;
    }
    let unclear = change.effect == keyword::Effect::Unclear;
    if change.effect == keyword::Effect::Changes {
        return out;
    }
    if change.is_about_new {
        out.why = "it is about fields that are new, and no stored object is refused".to_owned();
    } else if change.is_value && !change.steps.is_empty() {
        // What is below the root is forgiven where it did not change.
        out.safety = Safety::Ratcheted;
        out.why = "no counter-example was found; at worst new objects are refused".to_owned();
    } else {
        out.safety = Safety::Breaking;
        out.why = if unclear {
            "it is not clear what the change does, and no counter-example was found".to_owned()
        } else {
            "no counter-example was found, but the schema accepts less".to_owned()
        };
    }
    out
}

/// A value in few words.
fn shown(value: &Value) -> String {
    json::encode_string(value).chars().take(80).collect()
}
