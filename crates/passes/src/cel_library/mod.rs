//! Kubernetes' own CEL libraries, and the environments that rules are compiled in.
//!
//! [`Environment::crd_at`] is what new rules of CRDs see at a compatibility version and
//! [`Environment::stored`] what stored ones do; [`Environment::declared`] adds what declared kinds
//! may use. An environment is made once and shared: give
//! [`Environment::env`] the variables and types of a place, compile, and make programs with
//! [`Environment::functions`].

use std::sync::Arc;

use ordain_cel::ast::Const;
use ordain_cel::check::Validator;
use ordain_cel::env::{Env, EnvOptions};
use ordain_cel::library::{Functions, Module};
use ordain_go::regex::translate;
use ordain_go::time::{self as go_time, Timestamp};

pub mod authz;
mod cidr;
pub mod cost;
pub mod declared;
pub mod format;
pub mod ip;
mod json_patch;
pub mod lists;
mod netip;
pub mod plain;
pub mod quantity;
pub mod regex;
pub mod semver;
pub mod url;
mod version;
pub mod written;

pub use self::cost::{LibraryCost, LibraryEstimator, Sizes};
pub use ordain_meta::KubeVersion;

/// What one evaluation may cost.
pub const PER_CALL_LIMIT: u64 = 1_000_000;

/// The declarations and implementations that rules are compiled against.
#[derive(Clone)]
pub struct Environment {
    /// For the checker: without variables.
    pub env: Env,
    /// For programs.
    pub functions: Arc<Functions>,
}

fn is_duration(literal: &Const) -> bool {
    matches!(literal, Const::String(text) if go_time::parse_duration(text).is_some())
}

fn is_timestamp(literal: &Const) -> bool {
    match literal {
        Const::String(text) => Timestamp::parse(text).is_some(),
        // From the year 1 to the year 9999.
        Const::Int(seconds) => (-62_135_596_800..=253_402_300_799).contains(seconds),
        _ => false,
    }
}

fn is_pattern(literal: &Const) -> bool {
    match literal {
        Const::String(text) => translate(text).is_ok(),
        _ => true,
    }
}

impl Environment {
    fn new(modules: &[Module], version: KubeVersion) -> Option<Self> {
        let options = EnvOptions {
            cross_type_comparisons: version >= version::CROSS_TYPE_COMPARISONS,
            homogeneous_literals: false,
        };
        let mut builder = Env::builder().options(options);
        if version >= version::LITERAL_CHECKS {
            builder = builder
                .validator(Validator::Literal { function: "duration", is_valid: is_duration })
                .validator(Validator::Literal { function: "timestamp", is_valid: is_timestamp })
                .validator(Validator::Literal { function: "matches", is_valid: is_pattern });
        }
        builder = builder.validator(Validator::HomogeneousLiterals);
        let mut functions =
            Functions::new().presence_test_has_cost(false).runtime_cost(Arc::new(LibraryCost));
        for module in modules {
            builder = builder.library(module.library());
            functions = functions.module(module);
        }
        Some(Self { env: builder.build().ok()?, functions: Arc::new(functions) })
    }
}
