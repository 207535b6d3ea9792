//! What policies have to say about an object, with the policy's place and the fields it read.

use ordain_admission::policy::{Action, Binding, Consequence, Policy, Refusal};
use ordain_admission::state::{Compiled, Configuration};
use ordain_value::Text;

use super::Policies;
use crate::finding::{PolicyRef, Severity};

/// One thing that a policy says about an object.
#[derive(Debug)]
pub(crate) struct Reported {
    pub(crate) severity: Severity,
    pub(crate) id: &'static str,
    /// The server's words.
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// Fields of the object that may be the cause, the likeliest first.
    pub(crate) fields: Vec<String>,
    pub(crate) policy: PolicyRef,
}

/// Who says something: a policy, perhaps under a binding.
pub(super) struct Blame<'a> {
    configuration: Configuration,
    policy: &'a Policy,
    binding: Option<&'a Binding>,
}

impl<'a> Blame<'a> {
    pub(super) fn new<P: Compiled>(policy: &'a P, binding: Option<&'a Binding>) -> Self {
        Self { configuration: P::CONFIGURATION, policy: policy.policy(), binding }
    }

    fn kind(&self) -> &'static str {
        match self.configuration {
            Configuration::MutatingPolicy => "MutatingAdmissionPolicy",
            _ => "ValidatingAdmissionPolicy",
        }
    }

    pub(super) fn place(&self, policies: &Policies, field: &str, expression: &str) -> PolicyRef {
        let binding = self.binding.map_or("", |binding| binding.name.as_str());
        PolicyRef {
            name: self.policy.name.to_string(),
            binding: binding.to_owned(),
            expression: expression.to_owned(),
            location: policies.place(self.configuration, &self.policy.name, field),
        }
    }

    /// The policy cannot be asked, whatever it would do then.
    pub(super) fn undecided(&self, policies: &Policies, why: &str, help: String) -> Reported {
        let binding = self.binding.map(|it| format!(" with binding '{}'", it.name));
        let message = format!(
            "{} '{}'{} cannot be evaluated: {why}",
            self.kind(),
            self.policy.name,
            binding.unwrap_or_default()
        );
        Reported {
            severity: Severity::Error,
            id: "policy-undecided",
            message,
            help: Some(help),
            fields: Vec::new(),
            policy: self.place(policies, "metadata.name", ""),
        }
    }
}

/// What follows from a verdict, unless only the audit log is to know.
pub(super) fn consequence(policies: &Policies, it: &Consequence) -> Option<Reported> {
    let (severity, id) = match it.action {
        Action::Deny => (Severity::Error, "policy-denied"),
        Action::Warn => (Severity::Warning, "policy-warned"),
        Action::Audit => return None,
    };
    let blame = Blame::new(&*it.policy, it.binding.as_deref());
    let (field, expression, fields) = match it.validation {
        Some(index) => (
            format!("spec.validations[{index}].expression"),
            it.policy.expression(index).unwrap_or_default(),
            it.policy.fields_read(index),
        ),
        None => ("metadata.name".to_owned(), "", Vec::new()),
    };
    let policy = blame.place(policies, &field, expression);
    let help = Some(format!("by {}: {}", policy.place(), shown(expression, &policy.name)));
    Some(Reported { severity, id, message: it.text(), help, fields, policy })
}

/// What a mutating policy refused.
pub(super) fn refusal(policies: &Policies, it: &Refusal) -> Reported {
    let blame = Blame::new(&*it.policy, it.binding.as_deref());
    let policy = blame.place(policies, "spec.mutations", "");
    let help = Some(format!("by {}: {}", policy.place(), policy.name));
    let (severity, id) = (Severity::Error, "policy-denied");
    Reported { severity, id, message: it.text(), help, fields: Vec::new(), policy }
}

/// An expression in one line; the policy's name if there is none.
fn shown(expression: &str, name: &str) -> String {
    let words: Vec<&str> = expression.split_whitespace().collect();
    if words.is_empty() { name.to_owned() } else { words.join(" ") }
}

/// What to add so that a namespace is known.
pub(super) fn add_namespace(name: &Text) -> String {
    format!("add the Namespace {name} to the inputs, or name its file with --policies")
}
