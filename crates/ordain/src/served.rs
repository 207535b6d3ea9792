//! The kinds that a server has, with their hooks and gates.

use std::sync::Arc;

use ordain_registry::RestConfig;
use ordain_registry::declared::Resource as Declared;
use ordain_registry::gates::Gates;
use ordain_schema::declared::{Api, Kind};

use crate::declare::Kinds;
use crate::hooks::{Extras, Hooks, by_version};
use crate::kind::Resource;

/// Kinds on their way to a registry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Served {
    kinds: Kinds,
    declared: Vec<Kind>,
    hooks: Vec<Hooked>,
    gates: Vec<String>,
}

/// The hooks of one version of a kind.
#[derive(Clone, Debug)]
struct Hooked {
    group: &'static str,
    kind: &'static str,
    api_version: String,
    hooks: Extras,
}

impl Served {
    pub(crate) fn kind<T: Resource>(&mut self, hooks: Hooks<T>) {
        self.kinds.add::<T>();
        let (group, kind, api_version) = (T::GROUP, T::KIND, T::api_version());
        self.hooks.push(Hooked { group, kind, api_version, hooks: hooks.extras });
    }

    pub(crate) fn declared(&mut self, api: Api) {
        self.declared.extend(api.kinds);
    }

    pub(crate) fn gates(&mut self, gates: String) {
        self.gates.push(gates);
    }

    /// The declarations of all kinds.
    pub(crate) fn api(&self) -> Result<Api, String> {
        let mut api = self.kinds.lower().map_err(|error| error.to_string())?;
        api.kinds.extend(self.declared.iter().cloned());
        Ok(api)
    }

    /// The gates, and the kinds as a registry serves them.
    pub(crate) fn build(&self) -> Result<(Arc<Gates>, Vec<RestConfig>), String> {
        let api = self.api()?;
        let mut gates = Gates::default();
        gates.register_declared(&api);
        for text in &self.gates {
            gates.set_from(text)?;
        }
        let gates = Arc::new(gates);
        let mut configs = Vec::new();
        for kind in api.kinds {
            let own = self.hooks.iter().filter(|it| kind.group == it.group && kind.kind == it.kind);
            let own: Vec<Hooked> = own.cloned().collect();
            let config = hooked(kind, own).build(&gates);
            configs.push(config.map_err(|error| error.to_string())?);
        }
        Ok((gates, configs))
    }
}

/// A declared kind with the hooks of its versions.
fn hooked(kind: Kind, hooks: Vec<Hooked>) -> Declared {
    let mut declared = Declared::new(kind);
    let mut configs = Vec::new();
    for it in hooks {
        declared = it.hooks.apply(declared);
        configs.push((it.api_version, it.hooks.config));
    }
    declared.config(by_version(configs))
}
