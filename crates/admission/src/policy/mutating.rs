//! Mutating policies: apply configurations and JSON patches that expressions make.

use ordain_cel::value::{Map as CelMap, Val, expanded};
use ordain_merge::patch::Strictness;
use ordain_merge::patch::json::JsonPatch;
use ordain_merge::typed::{self, Duplicates};
use ordain_meta::status::Status;
use ordain_passes::cel_library::plain;
use ordain_value::{Map, Value, go_quote, json};

use super::Policy;
use super::validating::{Surroundings, requested};
use crate::environment::{Age, Given, NAMESPACE};
use crate::evaluate::{BUDGET, Evaluation, Inputs};
use crate::expression::{Expression, Returns};
use crate::kinds::{Kinds, Unreadable};
use crate::matching::items;
use crate::request::{Addressed, Request};

/// Values of expressions nested deeper than this make no patch.
const DEPTH_MAX: usize = 500;

/// A policy that changes objects.
#[derive(Debug)]
pub struct MutatingPolicy {
    pub policy: Policy,
    mutations: Vec<Mutation>,
    /// Whether it is asked again when others changed the object after it.
    pub reinvoked: bool,
}

#[derive(Debug)]
enum Mutation {
    Json(Expression),
    Apply(Expression),
}

/// What became of one invocation of a policy.
#[derive(Debug, Default)]
pub struct Mutated {
    /// Whether its conditions let it see the object at all.
    pub invoked: bool,
    pub changed: bool,
    /// Whether a patch was applied, be it to no effect.
    pub patched: bool,
    /// Why mutations were left out, in words.
    pub errors: Vec<String>,
}

/// Why one mutation gave no object.
enum Failed {
    /// The failure policy decides.
    Policy(String),
    /// The request fails whatever the policy says.
    Request(Box<Status>),
}

impl From<String> for Failed {
    fn from(why: String) -> Self {
        Self::Policy(why)
    }
}

impl MutatingPolicy {
    /// Compiles a policy as it is stored.
    pub fn compile(object: &Value) -> Self {
        let (policy, given) = Policy::compile(object);
        let given = Given { patches: true, ..given };
        let null = Value::Null;
        let spec = object.get("spec").unwrap_or(&null);
        let types = policy.variables.types();
        let compile = |mutation: &Value, field: &str, returns: Returns| {
            let text = mutation.get_path(&[field, "expression"]).and_then(Value::as_str);
            Expression::compile(text.unwrap_or(""), returns, Age::Stored, given, Some(types))
        };
        let mutation = |value: &Value| match value.get("patchType").and_then(Value::as_str) {
            Some("JSONPatch") => {
                Some(Mutation::Json(compile(value, "jsonPatch", Returns::Patches)))
            }
            Some("ApplyConfiguration") => {
                Some(Mutation::Apply(compile(value, "applyConfiguration", Returns::Object)))
            }
            _ => None,
        };
        let mutations = items(spec, "mutations").filter_map(mutation).collect();
        let reinvoked = spec.get("reinvocationPolicy").and_then(Value::as_str) == Some("IfNeeded");
        Self { policy, mutations, reinvoked }
    }

    /// Whether what the policy does depends on the namespace of a request.
    pub fn reads_namespace(&self) -> bool {
        let of = |it: &Mutation| {
            let (Mutation::Json(expression) | Mutation::Apply(expression)) = it;
            expression.reads(NAMESPACE)
        };
        self.policy.variables.read(NAMESPACE) || self.mutations.iter().any(of)
    }

    /// Changes the object of a request, which is in the matched version.
    ///
    /// # Errors
    /// When a patch makes something that is no object of the kind.
    pub fn mutate(
        &self,
        request: &mut Request,
        around: Surroundings<'_>,
        kinds: &dyn Kinds,
        should_run: bool,
    ) -> Result<Mutated, Box<Status>> {
        let mut mutated = Mutated::default();
        match self.is_meant(request, around) {
            Ok(true) if should_run => mutated.invoked = true,
            Ok(_) => return Ok(mutated),
            Err(why) => {
                mutated.errors.push(why);
                return Ok(mutated);
            }
        }
        let before = request.object.clone();
        for mutation in &self.mutations {
            if request.object.is_none() {
                continue;
            }
            match self.patched(mutation, request, around, kinds) {
                Ok(object) => {
                    request.object = Some(object);
                    mutated.patched = true;
                }
                Err(Failed::Policy(why)) => mutated.errors.push(why),
                Err(Failed::Request(status)) => return Err(status),
            }
        }
        mutated.changed = before != request.object;
        Ok(mutated)
    }

    fn is_meant(&self, request: &Request, around: Surroundings<'_>) -> Result<bool, String> {
        let literal = Addressed {
            resource: request.addressed.resource.clone(),
            kind: around.matched.kind.clone(),
        };
        let described = Value::Map(request.describe(&literal, ""));
        let check = requested(request);
        let inputs = Inputs {
            object: request.object.as_ref(),
            old: request.old.as_ref(),
            request: &described,
            namespace: None,
            params: around.params,
            authorizer: Some((around.authorizer, &check)),
        };
        self.policy.conditions.matches(&inputs, &self.policy.variables, self.policy.failure)
    }

    fn patched(
        &self,
        mutation: &Mutation,
        request: &Request,
        around: Surroundings<'_>,
        kinds: &dyn Kinds,
    ) -> Result<Value, Failed> {
        let live = request.object.clone().unwrap_or(Value::Null);
        let described = Value::Map(request.describe(around.matched, ""));
        let check = requested(request);
        let inputs = Inputs {
            object: request.object.as_ref(),
            old: request.old.as_ref(),
            request: &described,
            namespace: around.namespace,
            params: around.params,
            authorizer: Some((around.authorizer, &check)),
        };
        let (Mutation::Json(expression) | Mutation::Apply(expression)) = mutation;
        if let Err(failure) = &expression.program {
            return Err(failure.detail.clone().into());
        }
        let mut evaluation = Evaluation::new(&inputs, &self.policy.variables, BUDGET);
        let value = evaluation.run(expression).map_err(|out| out.to_string())??;
        let (kind, asked) = (&around.matched.kind, &request.addressed.kind);
        let object = self.made(mutation, &value, &live, kind, kinds)?;
        // Upstream knows no way from one version of a native kind to another but through its
        // store, and does not take it here.
        if kind != asked && kinds.is_native(kind) {
            return Err(Failed::Policy(format!(
                "converting ({}.{}) to ({}.{}): unknown conversion",
                kind.version, kind.kind, asked.version, asked.kind
            )));
        }
        Ok(object)
    }

    /// The object that the value of a mutation makes.
    fn made(
        &self,
        mutation: &Mutation,
        value: &Val<'_>,
        live: &Value,
        kind: &ordain_meta::GroupVersionKind,
        kinds: &dyn Kinds,
    ) -> Result<Value, Failed> {
        match mutation {
            Mutation::Json(_) => {
                let Some(patched) = json_patched(value, live)? else { return Ok(live.clone()) };
                kinds.reread(kind, patched, true).map_err(|why| {
                    let why = match why {
                        Unreadable::Decode(why) => why,
                        Unreadable::Convert(why) => format!("failed to convert object: {why}"),
                    };
                    Failed::Request(Box::new(Status::internal(&why)))
                })
            }
            Mutation::Apply(_) => {
                let merged = applied(value, live, kind, kinds)?;
                kinds.reread(kind, merged, false).map_err(|why| match why {
                    Unreadable::Decode(why) | Unreadable::Convert(why) => Failed::Policy(why),
                })
            }
        }
    }
}

/// The object with a patch applied; none when a test of the patch failed.
fn json_patched(value: &Val<'_>, live: &Value) -> Result<Option<Value>, String> {
    let Val::List(list) = value else {
        return Err("type mismatch: JSONPatchType.expression should evaluate to array".to_owned());
    };
    check_size(value)?;
    let mut operations = Vec::with_capacity(list.len());
    for item in list.iter() {
        let item = item.map_err(|error| error.to_string())?;
        operations.push(operation(&item)?);
    }
    let bytes = json::encode(&Value::from(operations));
    let (patch, _) =
        JsonPatch::decode(&bytes, Strictness::Ignore).map_err(|error| error.to_string())?;
    match patch.apply(live) {
        Ok(patched) => Ok(Some(patched)),
        Err(error) if error.message().ends_with("test failed") => Ok(None),
        Err(error) => Err(format!("JSON Patch: {error}")),
    }
}

fn operation(value: &Val<'_>) -> Result<Value, String> {
    let Val::Map(fields) = value else {
        return Err(
            "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch"
                .to_owned(),
        );
    };
    let text = |name: &str| match fields.find_text(name) {
        Ok(Some(Val::Str(text))) => text.as_str().to_owned(),
        _ => String::new(),
    };
    let mut map = Map::new();
    map.insert("op", text("op").into());
    map.insert("path", text("path").into());
    let from = text("from");
    if !from.is_empty() {
        map.insert("from", from.into());
    }
    if let Ok(Some(value)) = fields.find_text("value") {
        if matches!(&value, Val::Map(map) if map.message_type().is_some()) {
            check_type_names(&value)?;
        }
        map.insert("value", json_value(&value, 0)?);
    }
    Ok(Value::Map(map))
}

/// The object with an apply configuration merged into it.
fn applied(
    value: &Val<'_>,
    live: &Value,
    kind: &ordain_meta::GroupVersionKind,
    kinds: &dyn Kinds,
) -> Result<Value, String> {
    check_size(value)?;
    check_type_names(value)?;
    let mut patch = plain::value(value, 0)?;
    if let Some(map) = patch.as_map_mut() {
        map.insert("apiVersion", kind.group_version().to_string().into());
        map.insert("kind", Value::Str(kind.kind.clone()));
    }
    let unreadable = "error applying patch: failed to convert patch object to typed object";
    let Some(types) = kinds.types(kind) else {
        let (group, version, kind) = (&kind.group, &kind.version, &kind.kind);
        return Err(format!(
            "{unreadable}: no corresponding type for {group}/{version}, Kind={kind}"
        ));
    };
    let unmergeable = typed::unmergeable(&types, &patch);
    if let [first, ..] = unmergeable.nulls.as_slice() {
        return Err(format!("{unreadable}: {first}"));
    }
    typed::validate(&types, &patch, Duplicates::Refused)
        .map_err(|errors| format!("{unreadable}: {errors}"))?;
    if !unmergeable.atomics.is_empty() {
        return Err(format!(
            "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps \
             or structs: {}",
            unmergeable.atomics.join(", ")
        ));
    }
    typed::validate(&types, live, Duplicates::Allowed).map_err(|errors| {
        format!("error applying patch: failed to convert original object to typed object: {errors}")
    })?;
    Ok(typed::merge(&types, live, &patch))
}

/// No object could take a value that is larger; it is refused before it is gone through.
fn check_size(value: &Val<'_>) -> Result<(), String> {
    if expanded::fits(value) {
        Ok(())
    } else {
        Err("the value of the expression is larger than an object may be".to_owned())
    }
}

/// Objects in an object must be of the type that their place says: `Object.spec` under `spec`.
fn check_type_names(value: &Val<'_>) -> Result<(), String> {
    let mut wrong = Vec::new();
    let root = match value {
        Val::Map(map) => map.message_type().unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    collect_wrong_names(value, &root, &mut wrong, 0);
    if wrong.is_empty() { Ok(()) } else { Err(format!("type mismatch: {}", wrong.join("\n"))) }
}

fn collect_wrong_names(value: &Val<'_>, path: &str, wrong: &mut Vec<String>, depth: usize) {
    if depth > DEPTH_MAX {
        return;
    }
    match value {
        Val::Map(CelMap::Owned(data)) => {
            let own = data.type_name();
            if let Some(own) = own.filter(|own| *own != path) {
                wrong.push(format!(
                    "unexpected type name {}, expected {}, which matches field name path from root \
                     Object type",
                    go_quote(own),
                    go_quote(path)
                ));
            }
            for (key, below) in data.entries() {
                match (own, key.as_str()) {
                    (Some(_), Some(field)) => {
                        collect_wrong_names(below, &format!("{path}.{field}"), wrong, depth + 1);
                    }
                    _ => collect_wrong_names(below, path, wrong, depth + 1),
                }
            }
        }
        Val::List(list) => {
            for item in list.iter().flatten() {
                collect_wrong_names(&item, path, wrong, depth + 1);
            }
        }
        _ => {}
    }
}

/// A value as JSON, by way of protobuf's JSON values: numbers that a double cannot hold are text.
fn json_value(value: &Val<'_>, depth: usize) -> Result<Value, String> {
    /// The largest whole number up to which a double holds every one.
    const SAFE: i64 = (1 << 53) - 1;
    match value {
        Val::Int(it) if !(-SAFE..=SAFE).contains(it) => Ok(it.to_string().into()),
        Val::Uint(it) if *it > SAFE as u64 => Ok(it.to_string().into()),
        _ => plain::tree(value, depth, json_value),
    }
}
