//! FlowSchema: which requests belong to which priority level.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::{COUNT_SPEC, Hooks};
use ordain_strategy::{Change, Part, object};
use ordain_value::field::{self, Path};
use ordain_value::{Value, value};

use crate::native::Native;
use crate::shared::access::{int, items, part, some, text};
use crate::shared::diff;
use crate::shared::metadata;
use crate::shared::table::Cell::{self, Int, Of};
use crate::shared::table::{AGE, NAME};

const LEVEL: Cell = Cell::Text("spec.priorityLevelConfiguration.name");
const PRECEDENCE: Cell = Int("spec.matchingPrecedence");

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.lifecycle = COUNT_SPEC;
    // The schema that is asked first comes first.
    hooks.row_order = Some(|one, other| {
        let key = |it: &Value| int(part(it, "spec"), "matchingPrecedence");
        (key(one), object::name(one)).cmp(&(key(other), object::name(other)))
    });
    Native {
        hooks,
        columns: &[
            NAME,
            ("PriorityLevel", "string", 0, "The level of the requests.", LEVEL),
            ("MatchingPrecedence", "string", 0, "Which schema is asked first.", PRECEDENCE),
            ("DistinguisherMethod", "string", 0, "What tells flows apart.", Of(method)),
            AGE,
            ("MissingPL", "string", 0, "Whether the level is missing.", Of(dangling)),
        ],
        status_reset: &[&["spec"], &["metadata"]],
        ..Native::new("flowcontrol.apiserver.k8s.io", "FlowSchema")
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    match change.part {
        Part::Status => field::ErrorList::new(),
        _ => metadata::whole(change, false, name::subdomain_rule),
    }
}

/// The two schemas that every server has may not be changed.
pub(crate) fn mandatory(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (spec, object) = (asked.value(), asked.ask("schema"));
    let schema = object::name(&object);
    let everything = |groups: &[&str]| {
        let group = |name: &&str| value!({"kind": "Group", "group": {"name": (*name)}});
        let subjects: Vec<Value> = groups.iter().map(group).collect();
        value!([{
            "subjects": (Value::from(subjects)),
            "resourceRules": [{
                "verbs": ["*"],
                "apiGroups": ["*"],
                "resources": ["*"],
                "clusterScope": true,
                "namespaces": ["*"]
            }],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]
        }])
    };
    let fixed = match schema {
        "exempt" => value!({
            "priorityLevelConfiguration": {"name": "exempt"},
            "matchingPrecedence": 1,
            "rules": (everything(&["system:masters"]))
        }),
        "catch-all" => value!({
            "priorityLevelConfiguration": {"name": "catch-all"},
            "matchingPrecedence": 10000,
            "distinguisherMethod": {"type": "ByUser"},
            "rules": (everything(&["system:unauthenticated", "system:authenticated"]))
        }),
        _ => return,
    };
    if spec != fixed {
        let why = format!("spec of '{schema}' must equal the fixed value");
        errors.push(field::Error::invalid(path, diff::shown(&spec, "=FlowSchemaSpec"), why));
    }
}

fn method(schema: &Value) -> Value {
    let method = some(part(schema, "spec"), "distinguisherMethod");
    method.map_or("<none>", |it| text(it, "type")).into()
}

fn dangling(schema: &Value) -> Value {
    let mut conditions = items(part(schema, "status"), "conditions").iter();
    conditions.find(|it| text(it, "type") == "Dangling").map_or("?", |it| text(it, "status")).into()
}
