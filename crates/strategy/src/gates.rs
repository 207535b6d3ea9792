//! Feature gates: what is switched on, by name, stage and default.
//!
//! The gates of the proposals are built in; gates that declared types name join when the types are
//! loaded. `AllAlpha` and `AllBeta` speak for every gate of their stage that is not named itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ordain_meta::KubeVersion;
use ordain_schema::declared::Api;
use ordain_schema::extensions::Extensions;
use ordain_value::Text;

use crate::crd::DefinitionHooks;
use crate::custom::CustomOptions;

/// How far a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// May change or go.
    Alpha,
    /// Will stay, perhaps changed.
    Beta,
    /// Stays as it is.
    Stable,
    /// Will go.
    Deprecated,
}

impl Stage {
    /// The word in listings.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Alpha => "ALPHA",
            Stage::Beta => "BETA",
            Stage::Stable => "GA",
            Stage::Deprecated => "DEPRECATED",
        }
    }
}

/// A switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// Its name, as `--feature-gates` takes it.
    pub name: Text,
    /// How mature it is.
    pub stage: Stage,
    /// Whether it is on when nothing is said.
    pub default: bool,
    /// It can no longer be switched.
    pub locked: bool,
}

/// Defaults of tags are applied.
pub const DECLARATIVE_DEFAULTS: &str = "DeclarativeDefaults";
/// Rules of tags run beside hand-written ones.
pub const DECLARATIVE_VALIDATION: &str = "DeclarativeValidation";
/// Rules of tags at beta decide.
pub const DECLARATIVE_VALIDATION_BETA: &str = "DeclarativeValidationBeta";
/// Rules of tags are published in OpenAPI documents.
pub const EXTENSIONS_IN_OPENAPI: &str = "DeclarativeValidationExtensionsInOpenAPI";
/// Members of unions are cleared when their discriminator changes.
pub const API_UNIONS: &str = "APIUnions";
/// Definitions may declare how their versions convert.
pub const CRD_DECLARATIVE_CONVERSION: &str = "CRDDeclarativeConversion";
/// Rules of definitions may call functions that the definition declares.
pub const CRD_RULE_FUNCTIONS: &str = "CRDRuleFunctions";
/// Definitions may drop zero values.
pub const CRD_STRIP_ZERO: &str = "CRDStripZero";
/// Definitions may word their errors.
pub const CRD_VALIDATION_ERRORS: &str = "CRDValidationErrors";
/// Rules may stand below `allOf`, `anyOf`, `oneOf` and `not`.
pub const CRD_RULES_IN_QUANTIFIERS: &str = "CRDRulesInQuantifiers";

/// Gates by name: stage and default.
const BUILT_IN: [(&str, Stage, bool); 11] = [
    (API_UNIONS, Stage::Alpha, false),
    (CRD_DECLARATIVE_CONVERSION, Stage::Alpha, false),
    (CRD_RULE_FUNCTIONS, Stage::Alpha, false),
    (CRD_RULES_IN_QUANTIFIERS, Stage::Alpha, false),
    (CRD_STRIP_ZERO, Stage::Alpha, false),
    (CRD_VALIDATION_ERRORS, Stage::Alpha, false),
    (DECLARATIVE_DEFAULTS, Stage::Beta, true),
    (DECLARATIVE_VALIDATION, Stage::Beta, true),
    (DECLARATIVE_VALIDATION_BETA, Stage::Beta, true),
    (EXTENSIONS_IN_OPENAPI, Stage::Beta, true),
    ("DeclarativeValidationTakeover", Stage::Deprecated, false),
];

/// Which gates there are and how they are set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gates {
    known: BTreeMap<Text, Gate>,
    set: BTreeMap<Text, bool>,
    release: KubeVersion,
}

impl Default for Gates {
    fn default() -> Self {
        let known = BUILT_IN.iter().map(|(name, stage, default)| {
            let name = Text::new_static(name);
            let gate = Gate { name: name.clone(), stage: *stage, default: *default, locked: false };
            (name, gate)
        });
        Gates { known: known.collect(), set: BTreeMap::new(), release: KubeVersion::CURRENT }
    }
}

impl Gates {
    /// Shows the behaviour of another release, as far as it is known here: its formats and its CEL
    /// libraries.
    pub fn emulate(&mut self, release: KubeVersion) {
        self.release = release;
    }

    /// The release whose behaviour is shown.
    pub fn release(&self) -> KubeVersion {
        self.release
    }

    /// What judges definitions.
    pub fn definition_hooks(&self) -> DefinitionHooks {
        DefinitionHooks {
            rules_in_junctors: self.is_on(CRD_RULES_IN_QUANTIFIERS),
            declared_functions: self.is_on(CRD_RULE_FUNCTIONS),
            release: self.release,
        }
    }

    /// What is said about custom resources.
    pub fn custom_options(&self) -> CustomOptions {
        CustomOptions {
            extensions: self.extensions(),
            rules_in_junctors: self.is_on(CRD_RULES_IN_QUANTIFIERS),
            release: self.release,
        }
    }

    /// Makes a gate known.
    pub fn register(&mut self, gate: Gate) {
        self.known.insert(gate.name.clone(), gate);
    }

    /// Makes the gates known that declared types name: alpha, off.
    pub fn register_declared(&mut self, api: &Api) {
        for name in declared_gates(api) {
            if !self.known.contains_key(&name) {
                let stage = Stage::Alpha;
                self.register(Gate { name, stage, default: false, locked: false });
            }
        }
    }

    /// Sets gates as `A=true,B=false` says.
    ///
    /// # Errors
    /// An entry that is none, an unknown gate (with those that are known), a locked one.
    pub fn set_from(&mut self, text: &str) -> Result<(), String> {
        for entry in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let (name, value) = entry
                .split_once('=')
                .ok_or_else(|| format!("missing bool value for feature gate {entry:?}"))?;
            let (name, value) = (name.trim(), value.trim());
            let on = match value.to_ascii_lowercase().as_str() {
                "true" | "1" | "t" => true,
                "false" | "0" | "f" => false,
                _ => {
                    return Err(format!("invalid value of {name}={value}, it is true or false"));
                }
            };
            if !matches!(name, "AllAlpha" | "AllBeta") {
                let Some(gate) = self.known.get(name) else {
                    let known: Vec<&str> = self.known.keys().map(Text::as_str).collect();
                    let known = known.join(", ");
                    return Err(format!("unrecognized feature gate: {name}; known are {known}"));
                };
                if gate.locked && on != gate.default {
                    let default = gate.default;
                    return Err(format!(
                        "cannot set feature gate {name} to {on}, feature is locked to {default}"
                    ));
                }
            }
            self.set.insert(name.into(), on);
        }
        Ok(())
    }

    /// Whether a gate is on. Gates nobody knows are off.
    pub fn is_on(&self, name: &str) -> bool {
        let Some(gate) = self.known.get(name) else { return false };
        self.chosen(gate).unwrap_or(gate.default)
    }

    /// Whether someone chose the state of a gate, and which.
    pub fn choice(&self, name: &str) -> Option<bool> {
        self.known.get(name).and_then(|gate| self.chosen(gate))
    }

    fn chosen(&self, gate: &Gate) -> Option<bool> {
        if let Some(on) = self.set.get(&gate.name) {
            return Some(*on);
        }
        match gate.stage {
            Stage::Alpha => self.set.get("AllAlpha").copied(),
            Stage::Beta => self.set.get("AllBeta").copied(),
            Stage::Stable | Stage::Deprecated => None,
        }
    }

    /// The gates that are on, which rules may ask for by `ifEnabled`.
    pub fn enabled(&self) -> Vec<Text> {
        self.known.keys().filter(|name| self.is_on(name)).cloned().collect()
    }

    /// The extensions that definitions may have.
    pub fn extensions(&self) -> Extensions {
        Extensions {
            unions: self.is_on(API_UNIONS),
            strip_zero: self.is_on(CRD_STRIP_ZERO),
            validation_errors: self.is_on(CRD_VALIDATION_ERRORS),
            conversion: self.is_on(CRD_DECLARATIVE_CONVERSION),
        }
    }

    /// The gates as a page of help lists them.
    pub fn help(&self) -> String {
        let line = |gate: &Gate| {
            let Gate { name, stage, default, .. } = gate;
            format!("{name}=true|false ({} - default={default})", stage.name())
        };
        let mut lines = vec![
            "AllAlpha=true|false (ALPHA - default=false)".to_owned(),
            "AllBeta=true|false (BETA - default=false)".to_owned(),
        ];
        lines.extend(self.known.values().map(line));
        lines.join("\n")
    }

    /// All gates, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Gate> {
        self.known.values()
    }
}

/// The gates that the schemas and rules of an API name.
fn declared_gates(api: &Api) -> BTreeSet<Text> {
    let mut names = BTreeSet::new();
    for version in api.kinds.iter().flat_map(|it| &it.versions) {
        let declared = version.schema.nodes().iter().filter_map(|it| it.declared.as_ref());
        names.extend(declared.flat_map(|it| it.gates.iter().cloned()));
        if let Some(native) = &version.native {
            names.extend(native.program.options());
        }
    }
    names
}

/// Gates that many share.
pub type Shared = Arc<Gates>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_gate_is_refused_with_those_that_are_known() {
        let error = Gates::default().set_from("Wishes=true").expect_err("unknown");
        assert!(error.contains("Wishes") && error.contains("APIUnions"), "{error}");
        assert!(Gates::default().set_from("APIUnions").is_err());
        assert!(Gates::default().set_from("APIUnions=maybe").is_err());
    }

    #[test]
    fn a_stage_speaks_for_its_gates_unless_they_are_named() {
        let mut gates = Gates::default();
        gates.set_from("AllAlpha=true, DeclarativeDefaults=false").expect("set");
        assert!(gates.is_on(API_UNIONS) && !gates.is_on(DECLARATIVE_DEFAULTS));
        gates.set_from("APIUnions=false").expect("set");
        assert!(!gates.is_on(API_UNIONS));
        assert_eq!(gates.choice(DECLARATIVE_VALIDATION), None);
    }

    #[test]
    fn a_locked_gate_keeps_its_state() {
        let mut gates = Gates::default();
        let name = Text::new_static("Done");
        gates.register(Gate { name, stage: Stage::Stable, default: true, locked: true });
        assert!(gates.set_from("Done=true").is_ok());
        assert!(gates.set_from("Done=false").is_err());
    }
}
