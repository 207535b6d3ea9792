//! What the server makes of an object before it looks whether it is valid: each field that is
//! added, dropped or replaced, and why, be it by a default or by a mutating policy.

use ordain_value::{Value, json, value, yaml};

use crate::catalog::Catalog;
use crate::finding::{Location, ObjectRef, Severity, location};
use crate::kind::{Kind, Verdict};
use crate::locate::{Aim, locate};
use crate::manifest::Manifest;
use crate::policy::{Mutation, Policies, PolicyOptions, User};
use crate::source::Source;

/// What happens to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Added,
    Dropped,
    Replaced,
}

/// One change with its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub act: Act,
    pub field: String,
    /// What was written, if anything.
    pub from: Option<Value>,
    /// What is stored, if anything.
    pub to: Option<Value>,
    pub why: String,
    /// The field, or the nearest place above it.
    pub location: Location,
}

/// All changes of one object.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    pub object: ObjectRef,
    pub file: String,
    pub changes: Vec<Change>,
    /// Why the object could not be read at all.
    pub unreadable: Option<String>,
    /// What policies have against it; there is no saying what would be stored then.
    pub refused: Vec<String>,
    /// The object as it would be stored.
    pub stored: Option<Value>,
}

/// Explains what the server does to objects.
#[derive(Debug)]
pub struct Explainer {
    policies: Option<Policies>,
    user: User,
}

impl Explainer {
    /// With the policies among the inputs and those that are named.
    #[must_use]
    pub fn new(catalog: &Catalog, inputs: &[Source], options: &PolicyOptions) -> Self {
        let policies = Policies::gather(catalog, inputs.iter().chain(&options.sources));
        Self { policies, user: options.user.clone() }
    }

    /// What kept policies from being used.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        self.policies.as_ref().map_or(&[], |it| &it.notes)
    }

    /// Explains what becomes of an object of a kind.
    #[must_use]
    pub fn explain(&self, source: &Source, manifest: &Manifest, kind: &Kind) -> Explained {
        let Some(policies) = &self.policies else { return explain(source, manifest, kind) };
        let mut review = policies.review(&self.user);
        let verdict = kind.admit_create(&manifest.value, &mut review);
        let errors = review.reported.iter().filter(|it| it.severity == Severity::Error);
        let refused = errors.map(|it| it.message.clone()).collect();
        reported(source, manifest, kind, &verdict, &review.mutations, refused)
    }
}

/// Explains what the server does to an object of a kind without policies.
#[must_use]
pub fn explain(source: &Source, manifest: &Manifest, kind: &Kind) -> Explained {
    let verdict = kind.judge_create(&manifest.value);
    reported(source, manifest, kind, &verdict, &[], Vec::new())
}

fn reported(
    source: &Source,
    manifest: &Manifest,
    kind: &Kind,
    verdict: &Verdict,
    mutations: &[Mutation],
    refused: Vec<String>,
) -> Explained {
    let mut explained = Explained {
        object: ObjectRef::of(manifest),
        file: source.name.clone(),
        changes: Vec::new(),
        unreadable: verdict.unreadable.clone().or_else(|| {
            let refused = verdict.refusal.as_ref().filter(|_| verdict.object.is_none());
            refused.map(|status| status.message.clone())
        }),
        refused,
        stored: verdict.object.clone().map(without_identity),
    };
    if let Some(stored) = &explained.stored {
        let by_policies = Mutated::all(mutations);
        let mut walk = Walk { kind, verdict, source, manifest, by_policies, out: Vec::new() };
        compare(&manifest.value, stored, "", 0, &mut |act, field, from, to| {
            walk.note(act, field, from, to);
        });
        explained.changes = walk.out;
    }
    explained
}

/// An object without what no two servers give alike.
fn without_identity(mut object: Value) -> Value {
    for field in ["uid", "creationTimestamp"] {
        object.remove_path(&["metadata", field]);
    }
    object
}

/// A field that a policy changed.
struct Mutated {
    field: String,
    why: String,
}

impl Mutated {
    fn all(mutations: &[Mutation]) -> Vec<Self> {
        let mut all = Vec::new();
        for Mutation { policy, before, after } in mutations {
            let why = format!("by MutatingAdmissionPolicy '{}', {}", policy.name, policy.place());
            compare(before, after, "", 0, &mut |_, field, _, _| {
                all.push(Self { field: field.to_owned(), why: why.clone() });
            });
        }
        all
    }

    /// Whether a change is this one, or one inside or around it.
    fn is(&self, field: &str) -> bool {
        let inside = |inner: &str, outer: &str| {
            inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        inside(field, &self.field) || inside(&self.field, field)
    }
}

struct Walk<'a> {
    kind: &'a Kind,
    verdict: &'a Verdict,
    source: &'a Source,
    manifest: &'a Manifest,
    /// In the order of the policies.
    by_policies: Vec<Mutated>,
    out: Vec<Change>,
}

/// Deeper differences are reported as one.
const DEPTH_MAX: usize = 200;

/// Tells the fields that are different, the outermost of each.
fn compare(
    from: &Value,
    to: &Value,
    path: &str,
    depth: usize,
    report: &mut dyn FnMut(Act, &str, Option<&Value>, Option<&Value>),
) {
    if from.same(to) || depth > DEPTH_MAX {
        return;
    }
    match (from, to) {
        (Value::Map(from), Value::Map(to)) => {
            for (key, value) in from.iter() {
                let field = join(path, key);
                match to.get(key) {
                    Some(stored) => compare(value, stored, &field, depth + 1, report),
                    None => report(Act::Dropped, &field, Some(value), None),
                }
            }
            for (key, value) in to.iter().filter(|(key, _)| from.get(key).is_none()) {
                report(Act::Added, &join(path, key), None, Some(value));
            }
        }
        (Value::List(from), Value::List(to)) if from.len() == to.len() => {
            for (at, (from, to)) in from.iter().zip(to.iter()).enumerate() {
                compare(from, to, &format!("{path}[{at}]"), depth + 1, report);
            }
        }
        _ if from == to => {}
        _ => report(Act::Replaced, path, Some(from), Some(to)),
    }
}

impl Walk<'_> {
    fn note(&mut self, act: Act, field: &str, from: Option<&Value>, to: Option<&Value>) {
        let policy = self.by_policies.iter().rev().find(|it| it.is(field));
        let why = match (policy, act) {
            (Some(policy), _) => policy.why.clone(),
            (None, Act::Added) => added(field),
            (None, Act::Dropped) => self.dropped(from.unwrap_or(&Value::Null), field),
            (None, Act::Replaced) => self.replaced(from.unwrap_or(&Value::Null), field),
        };
        self.push(act, field, from, to, why);
    }

    fn dropped(&self, value: &Value, field: &str) -> String {
        if self.verdict.unknown.iter().any(|it| it == field) {
            return "the schema does not know the field (strict validation refuses it)".to_owned();
        }
        if field == "status" && self.kind.has_status {
            return "status is written through its own endpoint".to_owned();
        }
        if field.starts_with("metadata.") {
            return "only the server sets it".to_owned();
        }
        if value.is_null() {
            return "null is not allowed here and there is no default".to_owned();
        }
        "not kept by the schema".to_owned()
    }

    fn replaced(&self, from: &Value, path: &str) -> String {
        if from.is_null() && !path.starts_with("metadata") {
            return "null is not allowed here: the default takes its place".to_owned();
        }
        if path == "status" || path.starts_with("status.") {
            return "status is written through its own endpoint".to_owned();
        }
        "brought into the form of its type".to_owned()
    }

    fn push(
        &mut self,
        act: Act,
        field: &str,
        from: Option<&Value>,
        to: Option<&Value>,
        why: String,
    ) {
        let aim = if act == Act::Dropped { Aim::Key } else { Aim::Value };
        let place = locate(self.manifest, &self.source.text, field, aim);
        self.out.push(Change {
            act,
            field: field.to_owned(),
            from: from.cloned(),
            to: to.cloned(),
            why,
            location: location(self.source, &place.span),
        });
    }
}

fn added(field: &str) -> String {
    match field {
        "metadata" | "metadata.name" => "the server names the object".to_owned(),
        "metadata.namespace" => "the namespace of the request".to_owned(),
        "metadata.generation" => "counted by the server".to_owned(),
        _ => format!("default of {field} in the schema"),
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// What was explained, as text.
#[must_use]
pub fn text(all: &[Explained]) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for one in all {
        let _ = writeln!(out, "{}: {}", one.file, one.object);
        if let Some(why) = &one.unreadable {
            let _ = writeln!(out, "  cannot be read: {why}");
        } else if one.changes.is_empty() && one.refused.is_empty() {
            out.push_str("  stored as written\n");
        }
        for why in &one.refused {
            let _ = writeln!(out, "  refused: {why}");
        }
        for change in &one.changes {
            let show =
                |value: &Option<Value>| value.as_ref().map(json::encode_string).unwrap_or_default();
            let line = change.location.line;
            let _ = match change.act {
                Act::Added => writeln!(out, "  + {}: {}", change.field, show(&change.to)),
                Act::Dropped => writeln!(out, "  - {}: {}", change.field, show(&change.from)),
                Act::Replaced => {
                    writeln!(
                        out,
                        "  ~ {}: {} -> {}",
                        change.field,
                        show(&change.from),
                        show(&change.to)
                    )
                }
            };
            let _ = writeln!(out, "      line {line}: {}", change.why);
        }
    }
    out
}

/// The objects as they would be stored, as YAML documents. What is refused is not there.
#[must_use]
pub fn objects(all: &[Explained]) -> String {
    let stored = all.iter().filter(|it| it.refused.is_empty()).filter_map(|it| it.stored.as_ref());
    stored.map(yaml::encode).collect::<Vec<_>>().join("---\n")
}

/// What was explained, as a value.
#[must_use]
pub fn value(all: &[Explained]) -> Value {
    let one = |it: &Explained| {
        value!({
            "file": (&it.file),
            "apiVersion": (&it.object.api_version),
            "kind": (&it.object.kind),
            "name": (&it.object.name),
            "changes": (it.changes.iter().map(change_value).collect::<Value>()),
            "unreadable"?: (it.unreadable.as_ref()),
            "refused"?: (it.refused.iter().map(Value::from).collect::<Vec<_>>())
        })
    };
    all.iter().map(one).collect()
}

fn change_value(change: &Change) -> Value {
    let act = match change.act {
        Act::Added => "added",
        Act::Dropped => "dropped",
        Act::Replaced => "replaced",
    };
    value!({
        "act": act,
        "field": (&change.field),
        "why": (&change.why),
        "line": (Value::count(change.location.line)),
        "from"?: (change.from.as_ref()),
        "to"?: (change.to.as_ref())
    })
}
