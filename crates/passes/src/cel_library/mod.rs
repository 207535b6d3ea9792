//! Kubernetes' own CEL libraries, and the environments that rules are compiled in.
//!
//! [`Environment::crd`] is what rules of CRDs see in Kubernetes 1.36; [`Environment::declared`]
//! adds what declared kinds may use. An environment is made once and shared: give
//! [`Environment::env`] the variables and types of a place, compile, and make programs with
//! [`Environment::functions`].

use std::sync::{Arc, OnceLock};

use ordain_cel::ast::Const;
use ordain_cel::check::Validator;
use ordain_cel::env::{Env, EnvOptions};
use ordain_cel::go_regex::GoRegex;
use ordain_cel::go_time::{self, Timestamp};
use ordain_cel::library::{self, Functions, Module};

pub mod authz;
mod cidr;
pub mod cost;
pub mod declared;
pub mod format;
mod go_url;
pub mod ip;
pub mod lists;
mod netip;
pub mod quantity;
pub mod regex;
pub mod semver;
pub mod url;

pub use self::cost::{LibraryCost, LibraryEstimator, Sizes};

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

/// The libraries of CRD rules in Kubernetes 1.36.
fn crd_modules() -> Vec<Module> {
    vec![
        library::standard::module(),
        url::module(),
        regex::module(),
        lists::module(),
        authz::module(),
        library::optionals::module(2),
        quantity::module(),
        library::strings::module(2),
        library::sets::module(),
        ip::module(),
        cidr::module(),
        format::module(),
        library::comprehensions::module(),
        semver::module(),
        library::lists::module(3),
    ]
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
        Const::String(text) => GoRegex::new(text).is_ok(),
        _ => true,
    }
}

impl Environment {
    fn new(modules: &[Module]) -> Option<Self> {
        let options = EnvOptions { cross_type_comparisons: true, homogeneous_literals: false };
        let mut builder = Env::builder()
            .options(options)
            .validator(Validator::Literal { function: "duration", is_valid: is_duration })
            .validator(Validator::Literal { function: "timestamp", is_valid: is_timestamp })
            .validator(Validator::Literal { function: "matches", is_valid: is_pattern })
            .validator(Validator::HomogeneousLiterals);
        let mut functions =
            Functions::new().presence_test_has_cost(false).runtime_cost(Arc::new(LibraryCost));
        for module in modules {
            builder = builder.library(module.library());
            functions = functions.module(module);
        }
        Some(Self { env: builder.build().ok()?, functions: Arc::new(functions) })
    }

    /// What rules of CRDs see.
    ///
    /// # Panics
    /// Never: the libraries are declared without contradiction, which a test checks.
    #[must_use]
    pub fn crd() -> &'static Self {
        static CRD: OnceLock<Environment> = OnceLock::new();
        CRD.get_or_init(|| Self::new(&crd_modules()).expect("INVARIANT: the libraries agree"))
    }

    /// What rules of declared kinds see.
    ///
    /// # Panics
    /// Never: the libraries are declared without contradiction, which a test checks.
    #[must_use]
    pub fn declared() -> &'static Self {
        static DECLARED: OnceLock<Environment> = OnceLock::new();
        DECLARED.get_or_init(|| {
            let mut modules = crd_modules();
            modules.push(declared::module());
            Self::new(&modules).expect("INVARIANT: the libraries agree")
        })
    }
}
