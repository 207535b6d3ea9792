//! Functions that ask an authorizer whether a user may do something.
//!
//! Rules of schemas have no `authorizer`: an expression that names it is told that it is missing.
//! Policies get theirs as values of this module, made from whatever implements [`Authorizer`].

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ordain_cel::library::{Args, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::{Error, Opaque, Result, Val};
use ordain_meta::name;
use ordain_value::Text;

/// Answers whether a user may do something. It must not wait: expressions are evaluated at once.
pub trait Authorizer: Send + Sync {
    /// Whether the checked action is allowed to the user of the check.
    fn authorize(&self, check: &Check) -> Decision;
}

/// Who is asked about: the requester, or a service account that an expression names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The user who makes the request.
    Requester,
    /// A service account.
    ServiceAccount {
        /// Where it lives.
        namespace: Text,
        /// Its name.
        name: Text,
    },
}

/// What an expression asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Who wants to do it.
    pub subject: Subject,
    /// What they want to do.
    pub verb: Text,
    /// To what.
    pub object: CheckedObject,
}

/// What an action is done to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckedObject {
    /// A path that is no resource.
    Path(Text),
    /// A resource.
    Resource(ResourceCheck),
}

/// A resource, as far as an expression narrowed it down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of access rules")]
pub struct ResourceCheck {
    pub group: Text,
    pub resource: Text,
    pub subresource: Text,
    pub namespace: Text,
    pub name: Text,
    pub field_selector: Text,
    pub label_selector: Text,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Whether it is allowed.
    pub allowed: bool,
    /// Why.
    pub reason: String,
    /// What went wrong on the way.
    pub error: Option<String>,
}

/// The value of `authorizer`.
#[must_use]
pub fn authorizer(authorizer: Arc<dyn Authorizer>) -> Val<'static> {
    Val::opaque(Asked::start(authorizer))
}

/// The value of `authorizer.requestResource`.
#[must_use]
pub fn resource_check(authorizer: Arc<dyn Authorizer>, check: ResourceCheck) -> Val<'static> {
    Val::opaque(Asked { stage: Stage::Resource(check), ..Asked::start(authorizer) })
}

/// How far a question is put together.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    Authorizer,
    Path(Text),
    Group(Text),
    Resource(ResourceCheck),
}

#[derive(Clone)]
struct Asked {
    authorizer: Arc<dyn Authorizer>,
    subject: Subject,
    stage: Stage,
}

impl Asked {
    fn start(authorizer: Arc<dyn Authorizer>) -> Self {
        Self { authorizer, subject: Subject::Requester, stage: Stage::Authorizer }
    }

    fn at(&self, stage: Stage) -> Val<'static> {
        Val::opaque(Self { stage, ..self.clone() })
    }
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked")
            .field("subject", &self.subject)
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}

impl Opaque for Asked {
    fn type_name(&self) -> &str {
        match self.stage {
            Stage::Authorizer => "kubernetes.authorization.Authorizer",
            Stage::Path(_) => "kubernetes.authorization.PathCheck",
            Stage::Group(_) => "kubernetes.authorization.GroupCheck",
            Stage::Resource(_) => "kubernetes.authorization.ResourceCheck",
        }
    }

    fn equals(&self, _: &Val<'_>) -> Result<bool> {
        Err(Error::no_such_overload())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[derive(Clone, Debug)]
struct Answer(Decision);

impl Opaque for Answer {
    fn type_name(&self) -> &str {
        "kubernetes.authorization.Decision"
    }

    fn equals(&self, _: &Val<'_>) -> Result<bool> {
        Err(Error::no_such_overload())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn asked<'v>(args: Args<'v, '_>) -> Result<&'v Asked> {
    args.at(0).downcast().ok_or_else(Error::no_such_overload)
}

fn resource_of<'v>(args: Args<'v, '_>) -> Result<(&'v Asked, ResourceCheck)> {
    let asked = asked(args)?;
    match &asked.stage {
        Stage::Resource(check) => Ok((asked, check.clone())),
        _ => Err(Error::no_such_overload()),
    }
}

fn path<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let path = args.text(1)?;
    if path.trim().is_empty() {
        return Err(Error::new("path must not be empty"));
    }
    Ok(asked(args)?.at(Stage::Path(path.into())))
}

fn group<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(asked(args)?.at(Stage::Group(args.text(1)?.into())))
}

fn service_account<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (namespace, name) = (args.text(1)?, args.text(2)?);
    if !name::dns_1123_subdomain(name).is_empty() {
        return Err(Error::new("Invalid service account name"));
    }
    if !name::dns_1123_label(namespace).is_empty() {
        return Err(Error::new("Invalid service account namespace"));
    }
    let subject = Subject::ServiceAccount { namespace: namespace.into(), name: name.into() };
    Ok(Val::opaque(Asked { subject, ..asked(args)?.clone() }))
}

fn resource<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (asked, resource) = (asked(args)?, args.text(1)?);
    let Stage::Group(group) = &asked.stage else { return Err(Error::no_such_overload()) };
    if resource.trim().is_empty() {
        return Err(Error::new("resource must not be empty"));
    }
    let check = ResourceCheck {
        group: group.clone(),
        resource: resource.into(),
        ..ResourceCheck::default()
    };
    Ok(asked.at(Stage::Resource(check)))
}

/// A function that sets one part of a resource check.
macro_rules! narrowing {
    ($name:ident) => {
        fn $name<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
            let (asked, mut check) = resource_of(args)?;
            check.$name = args.text(1)?.into();
            Ok(asked.at(Stage::Resource(check)))
        }
    };
}

narrowing!(subresource);
narrowing!(namespace);
narrowing!(name);
narrowing!(field_selector);
narrowing!(label_selector);

fn check<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let asked = asked(args)?;
    let object = match &asked.stage {
        Stage::Path(path) => CheckedObject::Path(path.clone()),
        Stage::Resource(check) => CheckedObject::Resource(check.clone()),
        Stage::Authorizer | Stage::Group(_) => return Err(Error::no_such_overload()),
    };
    let check = Check { subject: asked.subject.clone(), verb: args.text(1)?.into(), object };
    Ok(Val::opaque(Answer(asked.authorizer.authorize(&check))))
}

fn decision<'v>(args: Args<'v, '_>) -> Result<&'v Decision> {
    let answer: Option<&Answer> = args.at(0).downcast();
    answer.map(|answer| &answer.0).ok_or_else(Error::no_such_overload)
}

fn errored<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(decision(args)?.error.is_some()))
}

fn error<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(decision(args)?.error.clone().unwrap_or_default()))
}

fn allowed<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(decision(args)?.allowed))
}

fn reason<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(decision(args)?.reason.clone()))
}

/// The type of `authorizer`.
#[must_use]
pub fn authorizer_type() -> Type {
    Type::object("kubernetes.authorization.Authorizer")
}

/// The type of `authorizer.requestResource`.
#[must_use]
pub fn resource_check_type() -> Type {
    Type::object("kubernetes.authorization.ResourceCheck")
}

/// The library.
pub(super) fn module() -> Module {
    let named = |name: &str| Type::object(&format!("kubernetes.authorization.{name}"));
    let (whole, of_path, of_group) = (authorizer_type(), named("PathCheck"), named("GroupCheck"));
    let (of_resource, answer) = (resource_check_type(), named("Decision"));
    let text = Type::String;
    let narrow = |name: &str, id: &str, call| {
        let params = [of_resource.clone(), Type::String];
        Function::new(name).member(id, params, of_resource.clone(), call)
    };
    let tell = |name: &str, id: &str, result: Type, call| {
        Function::new(name).member(id, [answer.clone()], result, call)
    };
    let ask = |name: &str, id: &str, result: &Type, call| {
        let params = [whole.clone(), Type::String];
        Function::new(name).member(id, params, result.clone(), call)
    };
    let account = [whole.clone(), text.clone(), text.clone()];
    Module::new("k8s.authz")
        .function(ask("path", "authorizer_path", &of_path, path))
        .function(ask("group", "authorizer_group", &of_group, group))
        .function(Function::new("serviceAccount").member(
            "authorizer_serviceaccount",
            account,
            whole.clone(),
            service_account,
        ))
        .function(Function::new("resource").member(
            "groupcheck_resource",
            [of_group.clone(), text.clone()],
            of_resource.clone(),
            resource,
        ))
        .function(narrow("subresource", "resourcecheck_subresource", subresource))
        .function(narrow("namespace", "resourcecheck_namespace", namespace))
        .function(narrow("name", "resourcecheck_name", name))
        .function(narrow("fieldSelector", "authorizer_fieldselector", field_selector))
        .function(narrow("labelSelector", "authorizer_labelselector", label_selector))
        .function(
            Function::new("check")
                .member("pathcheck_check", [of_path, text.clone()], answer.clone(), check)
                .member(
                    "resourcecheck_check",
                    [of_resource.clone(), text.clone()],
                    answer.clone(),
                    check,
                ),
        )
        .function(tell("errored", "decision_errored", Type::Bool, errored))
        .function(tell("error", "decision_error", text.clone(), error))
        .function(tell("allowed", "decision_allowed", Type::Bool, allowed))
        .function(tell("reason", "decision_reason", text, reason))
}
