//! `--feature-gates`, for the commands that judge without a server.

use clap::Args;
use ordain_check::Features;
use ordain_registry::gates::{
    API_UNIONS, CRD_RULES_IN_QUANTIFIERS, DECLARATIVE_DEFAULTS, DECLARATIVE_VALIDATION_BETA, Gates,
};
use ordain_schema::declared::Api;

/// Which features are on.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct GateArgs {
    /// Switch features on and off, as `A=true,B=false` (may be repeated); as the server's
    #[arg(long, value_name = "GATES")]
    pub(crate) feature_gates: Vec<String>,
}

impl GateArgs {
    /// The features, the gates of declared types among them.
    ///
    /// # Errors
    /// For a gate that nobody knows.
    pub(crate) fn features(&self, api: Option<&Api>) -> Result<Features, String> {
        let mut gates = Gates::default();
        if let Some(api) = api {
            gates.register_declared(api);
        }
        for text in &self.feature_gates {
            gates.set_from(text)?;
        }
        Ok(Features {
            custom: gates.extensions(),
            custom_rules_in_quantifiers: gates.is_on(CRD_RULES_IN_QUANTIFIERS),
            // Unions of declared kinds count unless somebody switched them off.
            declared_unions: gates.choice(API_UNIONS) != Some(false),
            declared_defaults: gates.is_on(DECLARATIVE_DEFAULTS),
            beta_rules: gates.is_on(DECLARATIVE_VALIDATION_BETA),
            enabled: gates.enabled(),
        })
    }

    /// The same gates and some more.
    pub(crate) fn and(&self, more: &[String]) -> GateArgs {
        GateArgs { feature_gates: self.feature_gates.iter().chain(more).cloned().collect() }
    }
}
