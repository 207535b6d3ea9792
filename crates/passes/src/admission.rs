//! What admitting a definition asks from the passes: patterns, default values, rules.

use std::cell::OnceCell;
use std::sync::Arc;

use ordain_go::regex::{GoPattern, GoRegex};
use ordain_schema::admission::{AdmissionHooks, Expressions, RuleSession};
use ordain_schema::{NodeId, Schema};
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Map, Text, Value};

use crate::cel_library::{Environment, KubeVersion};
use crate::plan::{DEPTH_MAX, Id, Plan};
use crate::rules::session::{Environments, Session};
use crate::rules::{OBJECT_BUDGET, RuleOptions, RuleSet};
use crate::{coerce, embedded, prune};

/// Judges definitions with everything that objects are judged with later.
#[derive(Clone, Copy, Debug, Default)]
pub struct Admission {
    /// The gate for rules inside `allOf`, `anyOf`, `oneOf` and `not`, which upstream refuses.
    pub rules_in_junctors: bool,
    /// The gate for the functions that rules of declared kinds may use, in rules that are not
    /// stored yet.
    pub declared_functions: bool,
    /// The release that is emulated: what rules which are not stored yet must be understood by,
    /// and which formats are enforced.
    pub release: KubeVersion,
}

impl Admission {
    /// What rules of accepted definitions may be and use.
    #[must_use]
    pub fn rule_options(&self) -> RuleOptions {
        RuleOptions { junctors: self.rules_in_junctors, ..RuleOptions::crd() }
    }
}

impl AdmissionHooks for Admission {
    fn check_pattern(&self, pattern: &str) -> Result<(), String> {
        GoRegex::new(pattern).map(|_| ()).map_err(|error| error.to_string())
    }

    fn pattern_weight(&self, pattern: &str) -> usize {
        GoPattern::read(pattern).weight()
    }

    fn validate_defaults(
        &self,
        schema: &Schema,
        path: &Path<'_>,
        require_pruned: bool,
    ) -> ErrorList {
        let plan = match Plan::compile_at(schema, self.release) {
            Ok(plan) => Arc::new(plan),
            // Defaults that do not fit are found below, in other words; without a plan all that can be said is this.
            Err(error) => {
                return [Error::invalid(path, "", error.to_string())].into_iter().collect();
            }
        };
        let mut walk = Defaults {
            schema,
            plan,
            rules: OnceCell::new(),
            options: self.rule_options(),
            require_pruned,
            budget: OBJECT_BUDGET,
            errors: ErrorList::new(),
        };
        let at = At { node: schema.root(), resource: schema.root(), inside_meta: false };
        walk.node(at, &mut Vec::new(), path, 0);
        walk.errors
    }

    fn has_unpruned_defaults(&self, schema: &Schema) -> bool {
        let Ok(plan) = Plan::compile_at(schema, self.release) else { return false };
        schema.iter().any(|(id, node)| {
            node.default
                .as_ref()
                .is_some_and(|default| !is_pruned(&plan, id, id == schema.root(), default))
        })
    }

    fn rules_in_junctors(&self) -> bool {
        self.rules_in_junctors
    }

    fn rules<'s>(
        &'s self,
        schema: &'s Schema,
        preexisting: &'s Expressions,
    ) -> Box<dyn RuleSession + 's> {
        let environments = Environments {
            new: if self.declared_functions {
                Environment::declared()
            } else {
                Environment::crd_at(self.release)
            },
            stored: Environment::stored(),
        };
        Box::new(Session::new(schema, preexisting, environments))
    }
}

fn is_pruned(plan: &Plan, id: NodeId, as_resource: bool, default: &Value) -> bool {
    prune::pruned_at(plan, Id(id.0), as_resource, default).is_none_or(|pruned| pruned == *default)
}

/// Where the walk over the schema stands.
#[derive(Clone, Copy)]
struct At {
    node: NodeId,
    /// The nearest resource that the node belongs to.
    resource: NodeId,
    /// Inside the type or metadata of that resource.
    inside_meta: bool,
}

/// A step from a resource to a node.
#[derive(Clone)]
enum Step {
    Key(Text),
    Item,
}

struct Defaults<'s> {
    schema: &'s Schema,
    plan: Arc<Plan>,
    rules: OnceCell<RuleSet>,
    options: RuleOptions,
    require_pruned: bool,
    budget: i64,
    errors: ErrorList,
}

impl Defaults<'_> {
    fn node(&mut self, mut at: At, steps: &mut Vec<Step>, path: &Path<'_>, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let schema = self.schema;
        let node = schema.node(at.node);
        let is_resource = node.embedded_resource || at.node == schema.root();
        let mut own = Vec::new();
        let steps = if is_resource {
            at = At { inside_meta: false, resource: at.node, ..at };
            &mut own
        } else {
            steps
        };
        if let Some(default) = node.default.as_ref().filter(|it| !it.is_null()) {
            let path = path.child("default");
            if at.inside_meta {
                self.in_metadata(at, default, steps, &path);
            } else {
                self.value(at.node, is_resource, default, &path);
            }
            if self.budget < 0 {
                return;
            }
        }
        if let Some(items) = node.items {
            steps.push(Step::Item);
            self.node(At { node: items, ..at }, steps, &path.child("items"), depth + 1);
            steps.pop();
            if self.budget < 0 {
                return;
            }
        }
        for (name, child) in &node.properties {
            let inside_meta = at.inside_meta || (is_resource && prune::is_meta_field(name));
            let properties = path.child("properties");
            steps.push(Step::Key(name.clone()));
            let at = At { node: *child, inside_meta, ..at };
            self.node(at, steps, &properties.key(name), depth + 1);
            steps.pop();
            if self.budget < 0 {
                return;
            }
        }
    }

    /// A default outside of metadata.
    fn value(&mut self, node: NodeId, is_resource: bool, default: &Value, path: &Path<'_>) {
        if self.require_pruned && !is_pruned(&self.plan, node, is_resource, default) {
            self.errors.push(Error::invalid(path, default, "must not have unknown fields"));
        }
        let id = Id(node.0);
        let default = match coerce::coerced_at(&self.plan, id, is_resource, default, path) {
            Ok(coerced) => coerced.unwrap_or_else(|| default.clone()),
            Err(error) => return self.errors.push(error),
        };
        let errors = embedded::validate_at(&self.plan, id, is_resource, &default, path);
        if !errors.is_empty() {
            return self.errors.extend(errors);
        }
        self.schema_and_rules(node, &default, path);
    }

    /// A default inside of metadata is judged as part of an object that has nothing else.
    fn in_metadata(&mut self, at: At, default: &Value, steps: &[Step], path: &Path<'_>) {
        let mut object = default.clone();
        for step in steps.iter().rev() {
            object = match step {
                Step::Key(key) => Value::Map([(key.clone(), object)].into_iter().collect::<Map>()),
                Step::Item => Value::from(vec![object]),
            };
        }
        if let Value::Map(map) = &mut object {
            for (key, value) in [("kind", "Validation"), ("apiVersion", "validation/v1")] {
                if !map.contains_key(key) {
                    map.insert(key, value.into());
                }
            }
        }
        let id = Id(at.resource.0);
        let root = Path::root();
        let wrong = |why: String| {
            Error::invalid(path, default, format!("must result in valid metadata: {why}"))
        };
        let object = match coerce::coerced_at(&self.plan, id, true, &object, &root) {
            Ok(coerced) => coerced.unwrap_or(object),
            Err(error) => return self.errors.push(wrong(error.to_string())),
        };
        let errors = embedded::validate_at(&self.plan, id, true, &object, &root);
        if !errors.is_empty() {
            return self.errors.push(wrong(aggregate(&errors)));
        }
        self.schema_and_rules(at.node, default, path);
    }

    fn schema_and_rules(&mut self, node: NodeId, default: &Value, path: &Path<'_>) {
        let mut errors = self.plan.validate_at(Id(node.0), default, None, &path.to_string());
        // For defaults upstream forgets that an int-or-string has types at all.
        errors.retain(|error| !error.detail().contains("must be of type integer,string:"));
        if !errors.is_empty() {
            return self.errors.extend(errors);
        }
        let (schema, plan, options) = (self.schema, &self.plan, self.options);
        let rules =
            self.rules.get_or_init(|| RuleSet::compile(schema, options, Some(Arc::clone(plan))));
        let (errors, left) = rules.evaluate_at(node, default, Some(default), path, self.budget);
        let fine = errors.is_empty();
        self.errors.extend(errors);
        let mut remaining = left;
        if fine {
            // A rule with an optional old value may judge a new value otherwise.
            let (errors, left) = rules.evaluate_at(node, default, None, path, self.budget);
            self.errors.extend(errors);
            remaining = remaining.min(left);
        }
        self.budget = remaining;
    }
}

/// Errors as one text, each once.
fn aggregate(errors: &ErrorList) -> String {
    let mut texts: Vec<String> = Vec::new();
    for error in errors {
        let text = error.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    }
}
