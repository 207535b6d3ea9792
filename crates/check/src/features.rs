//! The features that are switched on, as far as verdicts depend on them.

use ordain_passes::{Admission, RuleOptions};
use ordain_schema::extensions::Extensions;
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

    /// What rules of definitions may be.
    pub(crate) fn rule_options(&self) -> RuleOptions {
        self.admission().rule_options()
    }

    /// Whether a gate is on.
    #[must_use]
    pub fn is_on(&self, gate: &str) -> bool {
        self.enabled.iter().any(|it| it == gate)
    }
}
