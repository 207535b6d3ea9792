//! CustomResourceDefinitions as objects: judged by the spines like any other kind.

use std::sync::Arc;

use ordain_strategy::crd;
use ordain_strategy::gates::Gates;
use ordain_value::Value;

use crate::kind::{Kind, Verdict};

/// The kind of definitions, as a server with these gates has it.
#[must_use]
pub fn kind(gates: &Gates) -> Kind {
    let hooks = Arc::new(gates.definition_hooks());
    let config = crd::config(hooks, gates, ordain_kubernetes::definition_schema);
    let kind = Kind::served(Arc::new(config), "v1");
    kind.unwrap_or_else(|_| unreachable!("definitions are served in v1"))
}

/// The verdict on a definition, and on its change when the old one is given.
pub(crate) fn judge(object: &Value, old: Option<&Value>, gates: &Gates) -> Verdict {
    let kind = kind(gates);
    match old {
        None => kind.judge_create(object),
        Some(old) => kind.judge_update(object, old),
    }
}
