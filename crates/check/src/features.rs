//! The features that are switched on, as far as verdicts depend on them.

use ordain_value::Text;

/// What the feature gates of a server would say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// `x-kubernetes-unions` in definitions counts; Kubernetes does not know it.
    pub custom_unions: bool,
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
            custom_unions: false,
            declared_unions: true,
            declared_defaults: true,
            beta_rules: true,
            enabled: Vec::new(),
        }
    }
}

impl Features {
    /// Whether a gate is on.
    #[must_use]
    pub fn is_on(&self, gate: &str) -> bool {
        self.enabled.iter().any(|it| it == gate)
    }
}
