//! Functions that ask an authorizer. Rules of schemas have none, so these are declared but never run: an
//! expression that uses them is told that `authorizer` is missing, and nothing else.

use ordain_cel::library::{Function, Module};
use ordain_cel::types::Type;

/// The library.
pub(super) fn module() -> Module {
    let named = |name: &str| Type::object(&format!("kubernetes.authorization.{name}"));
    let (authorizer, path, group) = (named("Authorizer"), named("PathCheck"), named("GroupCheck"));
    let (resource, decision) = (named("ResourceCheck"), named("Decision"));
    let text = Type::String;
    let on_resource = |name: &str, id: &str| {
        Function::new(name).declared_member(id, [resource.clone(), Type::String], resource.clone())
    };
    let of_decision = |name: &str, id: &str, result: Type| {
        Function::new(name).declared_member(id, [decision.clone()], result)
    };
    Module::new("k8s.authz")
        .function(Function::new("path").declared_member(
            "authorizer_path",
            [authorizer.clone(), text.clone()],
            path.clone(),
        ))
        .function(Function::new("group").declared_member(
            "authorizer_group",
            [authorizer.clone(), text.clone()],
            group.clone(),
        ))
        .function(Function::new("serviceAccount").declared_member(
            "authorizer_serviceaccount",
            [authorizer.clone(), text.clone(), text.clone()],
            authorizer.clone(),
        ))
        .function(Function::new("resource").declared_member(
            "groupcheck_resource",
            [group, text.clone()],
            resource.clone(),
        ))
        .function(on_resource("subresource", "resourcecheck_subresource"))
        .function(on_resource("namespace", "resourcecheck_namespace"))
        .function(on_resource("name", "resourcecheck_name"))
        .function(on_resource("fieldSelector", "authorizer_fieldselector"))
        .function(on_resource("labelSelector", "authorizer_labelselector"))
        .function(
            Function::new("check")
                .declared_member("pathcheck_check", [path, text.clone()], decision.clone())
                .declared_member(
                    "resourcecheck_check",
                    [resource.clone(), text.clone()],
                    decision.clone(),
                ),
        )
        .function(of_decision("errored", "decision_errored", Type::Bool))
        .function(of_decision("error", "decision_error", text.clone()))
        .function(of_decision("allowed", "decision_allowed", Type::Bool))
        .function(of_decision("reason", "decision_reason", text))
}
