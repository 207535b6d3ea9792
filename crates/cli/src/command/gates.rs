//! `--feature-gates` and `--emulated-version`, for the commands that judge without a server.

use clap::Args;
use ordain_meta::KubeVersion;
use ordain_registry::gates::Gates;
use ordain_schema::declared::Api;

/// Which features are on.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct GateArgs {
    /// Feature gates to enable or disable, as `A=true,B=false` (may be repeated)
    #[arg(long, value_name = "GATES", long_help = gates_help())]
    pub(crate) feature_gates: Vec<String>,
    /// Emulate the formats and CEL functions of this release: 1.35, 1.36 (the default) or 1.37
    #[arg(long, value_name = "VERSION", value_parser = emulated)]
    pub(crate) emulated_version: Option<KubeVersion>,
}

impl GateArgs {
    /// The gates, those of declared types among them.
    ///
    /// # Errors
    /// For an unknown gate.
    pub(crate) fn gates(&self, api: Option<&Api>) -> Result<Gates, String> {
        let mut gates = Gates::default();
        gates.emulate(self.emulated_version.unwrap_or_default());
        if let Some(api) = api {
            gates.register_declared(api);
        }
        for text in &self.feature_gates {
            gates.set_from(text)?;
        }
        Ok(gates)
    }

    /// The same gates and some more.
    pub(crate) fn and(&self, more: &[String]) -> GateArgs {
        let feature_gates = self.feature_gates.iter().chain(more).cloned().collect();
        GateArgs { feature_gates, ..self.clone() }
    }
}

fn gates_help() -> String {
    format!(
        "Feature gates to enable or disable, as `A=true,B=false` (may be repeated). Besides the \
         gates that types name:\n{}",
        Gates::default().help()
    )
}

/// A release that can be emulated.
pub(crate) fn emulated(text: &str) -> Result<KubeVersion, String> {
    let version = text.parse()?;
    if KubeVersion::EMULATED.contains(&version) {
        return Ok(version);
    }
    let known = KubeVersion::EMULATED.map(|it| it.to_string()).join(", ");
    Err(format!("{version} cannot be emulated; {known} can"))
}
