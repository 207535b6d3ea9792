//! Admission of one write: mutating policies before it is validated, validating ones after.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ordain_admission::policy::{
    Binding, Invocation, MutatingPolicy, Params, Policy, Refusal, Round, Selected, Surroundings,
    ValidatingPolicy, Verdict, select,
};
use ordain_admission::served::{converted, kind_of};
use ordain_admission::state::{Bound, Compiled};
use ordain_admission::{
    Addressed, FailurePolicy, Namespace, Operation, Reinvocation, Request, Resources, access, roles,
};
use ordain_meta::gvk::GroupVersionResource;
use ordain_meta::status::Status;
use ordain_passes::cel_library::authz::{Authorizer, Check, Decision, Subject};
use ordain_strategy::{Admission, Family, MASTERS, Part, User, Write, WriteOptions, object};
use ordain_value::{Text, Value};

use super::Policies;
use super::reported::{Blame, Reported, add_namespace, consequence, refusal};
use crate::finding::PolicyRef;

/// Admission of one write, and what it had to say.
pub(crate) struct Review<'a> {
    policies: &'a Policies,
    user: User,
    rights: Arc<dyn Authorizer>,
    /// Whether an expression asked about permissions, which files cannot answer.
    asked: Arc<AtomicBool>,
    pub(crate) reported: Vec<Reported>,
    /// What mutating policies made of the object, one after the other.
    pub(crate) mutations: Vec<Mutation>,
    /// For the audit log: keys and values.
    pub(crate) annotations: Vec<(String, String)>,
    /// What a reader should know of policies that had nothing to say.
    pub(crate) notes: Vec<String>,
}

/// What one mutating policy made of an object.
#[derive(Debug)]
pub(crate) struct Mutation {
    pub(crate) policy: PolicyRef,
    pub(crate) before: Value,
    pub(crate) after: Value,
}

/// Rights by the roles among the texts; it is noted when there are none to decide by.
struct Rights {
    roles: Option<roles::Rights>,
    is_master: bool,
    asked: Arc<AtomicBool>,
}

impl Authorizer for Rights {
    fn authorize(&self, check: &Check) -> Decision {
        match &self.roles {
            Some(roles) => roles.authorize(check),
            None if self.is_master && check.subject == Subject::Requester => {
                Decision { allowed: true, ..Decision::default() }
            }
            None => {
                self.asked.store(true, Ordering::Relaxed);
                Decision::default()
            }
        }
    }
}

fn rights(policies: &Policies, user: &User, asked: &Arc<AtomicBool>) -> Arc<dyn Authorizer> {
    let found = policies.world.roles.clone().map(|it| it as Arc<dyn access::Authorizer>);
    let roles = found.map(|it| roles::Rights { roles: Some(it), user: user.clone() });
    Arc::new(Rights { roles, is_master: user.is_in(MASTERS), asked: Arc::clone(asked) })
}

impl<'a> Review<'a> {
    pub(super) fn new(policies: &'a Policies, user: User) -> Self {
        let asked = Arc::new(AtomicBool::new(false));
        let rights = rights(policies, &user, &asked);
        Self {
            policies,
            user,
            rights,
            asked,
            reported: Vec::new(),
            mutations: Vec::new(),
            annotations: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The write as admission sees it.
    fn request(&self, write: Write<'_>, object: &Value) -> Request {
        let resource = &write.target.resource;
        let version = &write.target.version;
        let subresource = if write.part == Part::Status { "status" } else { "" };
        let (operation, options) = match write.old {
            Some(_) => (Operation::Update, "UpdateOptions"),
            None => (Operation::Create, "CreateOptions"),
        };
        let name = Text::from(object::name(object));
        // As it is written: without the empty lists that Go leaves out.
        let written = |object: &Value| {
            resource.strategy.written(version, object).unwrap_or_else(|| object.clone())
        };
        let is_namespace = resource.group.is_empty() && resource.plural == "namespaces";
        let namespace = match (is_namespace, resource.namespaced) {
            (true, _) => name.clone(),
            (false, true) => object::namespace(object).into(),
            (false, false) => Text::default(),
        };
        Request {
            operation,
            addressed: Addressed {
                resource: GroupVersionResource::new(
                    resource.group.clone(),
                    version.clone(),
                    resource.plural.clone(),
                ),
                kind: kind_of(resource, version, subresource),
            },
            subresource: subresource.into(),
            name,
            namespace,
            user: self.user.clone(),
            dry_run: false,
            options: Some(WriteOptions::default().encode(options)),
            object: Some(written(object)),
            old: write.old.map(written),
        }
    }

    fn namespace(&self, request: &Request) -> Option<&'a Value> {
        self.policies.world.namespace(request.namespace_seen()?)
    }

    fn selected(&self, request: &Request) -> Namespace<'a> {
        match self.namespace(request) {
            Some(found) => Namespace::Found(found),
            None if request.namespace.is_empty() => Namespace::Absent,
            None => Namespace::Missing,
        }
    }

    fn around<'s>(&'s self, request: &Request, matched: &'s Addressed) -> Surroundings<'s> {
        Surroundings {
            matched,
            params: None,
            namespace: self.namespace(request),
            authorizer: &self.rights,
        }
    }

    /// The request with its objects in the version of a match.
    fn converted(&self, request: &Request, matched: &Addressed) -> Result<Request, String> {
        if matched.kind == request.addressed.kind {
            return Ok(request.clone());
        }
        let convert = |object: &Value| self.in_version(object, matched);
        Ok(Request {
            object: request.object.as_ref().map(convert).transpose()?,
            old: request.old.as_ref().map(convert).transpose()?,
            ..request.clone()
        })
    }

    fn in_version(&self, object: &Value, wanted: &Addressed) -> Result<Value, String> {
        let resource = &wanted.resource;
        match self.policies.served.0.by_resource(&resource.group, &resource.resource) {
            Some(config) => converted(&config, object, &resource.version),
            None => Ok(object.clone()),
        }
    }

    /// The evaluations of some policies with their parameters. What lacks something to decide by
    /// is reported and left out.
    fn evaluations<P: Compiled>(
        &mut self,
        request: &Request,
        bound: &[Bound<P>],
    ) -> Vec<(Selected<P>, Result<Params, String>)> {
        let policies = self.policies;
        let mut found = Vec::new();
        for step in select(bound, request, self.selected(request), &policies.served) {
            let selected = match step {
                Ok(selected) => selected,
                Err(misfit) => {
                    let blame = Blame::new(&*misfit.policy, misfit.binding.as_deref());
                    let help = match &misfit.policy.policy().param_kind {
                        Some(kind) if misfit.why == kind.not_found() => {
                            format!("name the definition of {} with --crds", kind.kind)
                        }
                        _ => add_namespace(&request.namespace),
                    };
                    self.reported.push(blame.undecided(policies, &misfit.why, help));
                    continue;
                }
            };
            let blame = Blame::new(&*selected.policy, Some(&selected.binding));
            let seen = request.namespace_seen();
            if let Some(name) = seen.filter(|_| self.namespace(request).is_none())
                && selected.policy.reads_namespace()
            {
                let why = format!("it reads namespaceObject, and namespaces \"{name}\" not found");
                self.reported.push(blame.undecided(policies, &why, add_namespace(name)));
                continue;
            }
            let params = self.params(selected.policy.policy(), &selected.binding, request);
            if params.as_ref().is_ok_and(|params| params.0.is_empty()) {
                let policy = selected.policy.policy();
                let help = missing_params(policy, &selected.binding);
                self.notes.push(format!("policy {} has no parameters: {help}", policy.name));
            }
            found.push((selected, params));
        }
        found
    }

    fn params(
        &self,
        policy: &Policy,
        binding: &Binding,
        request: &Request,
    ) -> Result<Params, String> {
        let world = &self.policies.world;
        world.params(&self.policies.served.0, policy, binding, request)
    }

    /// Reports a policy whose verdict depends on permissions that files do not know.
    fn is_undecided(&mut self, blame: &Blame<'_>) -> bool {
        let asked = self.asked.swap(false, Ordering::Relaxed);
        if asked {
            let user = &self.user.name;
            let why = format!("it asks what \"{user}\" or others may do, and there are no roles");
            let help = "add roles and their bindings to the inputs, or name their files with \
                        --policies"
                .to_owned();
            self.reported.push(blame.undecided(self.policies, &why, help));
        }
        asked
    }

    /// One round of mutating policies; whether another one may be needed.
    fn mutate_round(
        &mut self,
        request: &mut Request,
        bound: &[Bound<MutatingPolicy>],
        mut round: Round<'_>,
    ) -> ControlFlow<(), bool> {
        let mut invocations = Vec::new();
        for (selected, params) in self.evaluations(request, bound) {
            match params {
                Ok(params) if self.are_native(&selected.policy.policy) => {
                    invocations.extend(Invocation::all(selected, params.without_type()));
                }
                Ok(params) => invocations.extend(Invocation::all(selected, params)),
                Err(why) => round.misconfigured(selected.misfit(why)),
            }
        }
        let policies = self.policies;
        for invocation in &invocations {
            let Selected { policy, binding, matched } = &*invocation.selected;
            let blame = Blame::new(&**policy, Some(binding));
            let converted = match self.converted(request, matched) {
                Ok(converted) => converted,
                Err(why) => {
                    self.reported.push(unconverted(policies, &blame, &why));
                    continue;
                }
            };
            let around = self.around(request, matched);
            let changed = round.invoke(invocation, converted, around, &policies.served);
            if self.is_undecided(&blame) {
                continue;
            }
            match changed.map(|it| it.map(|it| self.in_version(&it, &request.addressed))) {
                Ok(Some(Ok(object))) => {
                    let before = request.object.replace(object.clone()).unwrap_or_default();
                    let policy = blame.place(policies, "spec.mutations", "");
                    self.mutations.push(Mutation { policy, before, after: object });
                }
                Ok(Some(Err(why))) => self.reported.push(unconverted(policies, &blame, &why)),
                Ok(None) => {}
                Err(status) => {
                    self.reported.push(unusable(policies, &blame, &status));
                    return ControlFlow::Break(());
                }
            }
        }
        let refusals: Vec<Refusal> = round.refusals.clone();
        if round.finish(request).is_ok_and(|again| again) {
            return ControlFlow::Continue(true);
        }
        self.reported.extend(refusals.iter().map(|it| refusal(policies, it)));
        if refusals.is_empty() { ControlFlow::Continue(false) } else { ControlFlow::Break(()) }
    }

    fn are_native(&self, policy: &Policy) -> bool {
        let kind = policy.param_kind.as_ref().map(|kind| kind.gvk());
        let found = kind.and_then(|it| self.policies.served.0.by_kind(&it.group, &it.kind));
        found.is_some_and(|it| it.family == Family::BuiltIn)
    }

    fn judge(&mut self, request: &Request, bound: &[Bound<ValidatingPolicy>]) {
        let policies = self.policies;
        for (selected, params) in self.evaluations(request, bound) {
            let mut verdict = Verdict::default();
            let blame = Blame::new(&*selected.policy, Some(&selected.binding));
            match (params, self.converted(request, &selected.matched)) {
                (Ok(params), Ok(converted)) => {
                    let around = self.around(request, &selected.matched);
                    verdict.judge(&selected, &params, &converted, around, &|| true);
                }
                (Ok(_), Err(why)) => {
                    self.reported.push(unconverted(policies, &blame, &why));
                    continue;
                }
                (Err(why), _) => {
                    if selected.policy.policy.failure == FailurePolicy::Fail {
                        let help = missing_params(&selected.policy.policy, &selected.binding);
                        self.reported.push(blame.undecided(policies, &why, help));
                    }
                    continue;
                }
            }
            if self.is_undecided(&blame) {
                continue;
            }
            let reported = verdict.consequences.iter().filter_map(|it| consequence(policies, it));
            self.reported.extend(reported);
            for annotation in verdict.annotations() {
                if !self.annotations.contains(&annotation) {
                    self.annotations.push(annotation);
                }
            }
        }
    }
}

/// A patch made something that is no object of the kind.
fn unusable(policies: &Policies, blame: &Blame<'_>, status: &Status) -> Reported {
    blame.undecided(policies, &status.message, "mend the mutation".to_owned())
}

/// The policy matches another version, and nobody here can convert.
fn unconverted(policies: &Policies, blame: &Blame<'_>, why: &str) -> Reported {
    let help = "write the object in a version that the policy names".to_owned();
    blame.undecided(policies, why, help)
}

/// What to add so that there are parameters.
fn missing_params(policy: &Policy, binding: &Binding) -> String {
    let kind = policy.param_kind.as_ref().map_or("", |it| it.kind.as_str());
    format!(
        "add the {kind} that the binding '{}' refers to, or name its file with --policies",
        binding.name
    )
}

impl Admission for Review<'_> {
    fn mutate(&mut self, write: Write<'_>, object: &mut Value) -> ControlFlow<()> {
        let bound = self.policies.state.mutating(&write.target.resource.plural);
        let mut request = self.request(write, object);
        if bound.is_empty() || request.is_exempt_from_policies() {
            return ControlFlow::Continue(());
        }
        let mut reinvocation = Reinvocation::default();
        for at in 0..2 {
            let round = Round::new(&mut reinvocation, at == 0);
            if !self.mutate_round(&mut request, &bound, round)? {
                break;
            }
        }
        if let Some(changed) = request.object.filter(|it| it != object) {
            let target = write.target;
            *object = target.resource.strategy.shape_mutated(&target.version, changed);
        }
        ControlFlow::Continue(())
    }

    fn validate(&mut self, write: Write<'_>, object: &dyn Fn() -> Value) {
        let bound = self.policies.state.validating(&write.target.resource.plural);
        if bound.is_empty() {
            return;
        }
        let request = self.request(write, &object());
        if !request.is_exempt_from_policies() {
            self.judge(&request, &bound);
        }
    }
}
