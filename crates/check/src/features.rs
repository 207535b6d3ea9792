//! The features that are switched on, as far as verdicts depend on them.

use std::sync::Arc;

use ordain_passes::Admission;
use ordain_schema::extensions::Extensions;
use ordain_strategy::custom::CustomOptions;
use ordain_strategy::gates::{
    API_UNIONS, DECLARATIVE_DEFAULTS, DECLARATIVE_VALIDATION_BETA, Gate, Gates, Stage,
};
use ordain_value::Text;

/// What the feature gates of a server would say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// Extensions in definitions that count; Kubernetes does not know them.
    pub custom: Extensions,
    /// Rules below `allOf`, `anyOf`, `oneOf` and `not` in definitions count.
    pub custom_rules_in_quantifiers: bool,
    /// Unions of declared kinds count.
    pub declared_unions: bool,
    /// Defaults of declared kinds are set.
    pub declared_defaults: bool,
    /// Rules of declared kinds that are marked beta refuse objects.
    pub beta_rules: bool,
    /// The gates that are on, for fields and rules that name one.
    pub enabled: Vec<Text>,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            custom: Extensions::default(),
            custom_rules_in_quantifiers: false,
            declared_unions: true,
            declared_defaults: true,
            beta_rules: true,
            enabled: Vec::new(),
        }
    }
}

impl Features {
    /// What judges definitions.
    pub(crate) fn admission(&self) -> Admission {
        let rules_in_junctors = self.custom_rules_in_quantifiers;
        Admission { rules_in_junctors, ..Admission::default() }
    }

    /// The gates of a server that has these features.
    pub(crate) fn gates(&self) -> Arc<Gates> {
        let mut gates = Gates::default();
        let switch = |gates: &mut Gates, name: &str, on: bool| {
            let gate = Gate { name: name.into(), stage: Stage::Beta, default: on, locked: false };
            gates.register(gate);
        };
        for name in &self.enabled {
            switch(&mut gates, name, true);
        }
        if !self.declared_unions {
            // Setting what is known cannot fail.
            let _ = gates.set_from(&format!("{API_UNIONS}=false"));
        }
        switch(&mut gates, DECLARATIVE_DEFAULTS, self.declared_defaults);
        switch(&mut gates, DECLARATIVE_VALIDATION_BETA, self.beta_rules);
        Arc::new(gates)
    }

    /// What gates say about definitions.
    pub(crate) fn custom_options(&self) -> CustomOptions {
        CustomOptions {
            extensions: self.custom,
            rules_in_junctors: self.custom_rules_in_quantifiers,
        }
    }

    /// Whether a gate is on.
    #[must_use]
    pub fn is_on(&self, gate: &str) -> bool {
        self.enabled.iter().any(|it| it == gate)
    }
}
