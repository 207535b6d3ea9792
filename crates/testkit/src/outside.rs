//! What tests need that is no part of the repository: recordings beside it, tools, source trees.
//!
//! A test that lacks something fails, unless the environment variable `ORDAIN_SKIP` names it
//! (`ORDAIN_SKIP=recordings,kubectl`). `.cargo/config.toml` names what a plain checkout may lack;
//! CI sets the variable itself and so lets nothing be missing without a word.

use std::path::PathBuf;

/// The environment variable with what may be missing, separated by commas.
pub const VARIABLE: &str = "ORDAIN_SKIP";

/// Something from outside of the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Recorded sets beside the repository, or where `ORDAIN_SHARED` points.
    Recordings,
    /// The sets that take minutes in a debug build; `ORDAIN_ALL_TRANSCRIPTS=1` plays them.
    LongSets,
    /// A source tree of Kubernetes, named by `ORDAIN_K8S_TREE`.
    KubernetesSource,
    /// A folder of published OpenAPI documents, named by `ORDAIN_OPENAPI`.
    OpenApiDocuments,
    /// The schema of SARIF, named by `ORDAIN_SARIF_SCHEMA`.
    SarifSchema,
    /// A project to compile generated Rust types in, named by `ORDAIN_COMPILE_RUST`.
    CompiledRust,
    /// An etcd on the PATH.
    Etcd,
    /// kubectl on the PATH or in `ORDAIN_KUBECTL`.
    Kubectl,
    /// Python with the package `kubernetes`, named by `ORDAIN_PYTHON`.
    Python,
    /// Node, the packages of `ui/` and Chromium.
    Browser,
}

impl Need {
    /// All of them.
    pub const ALL: [Need; 10] = [
        Need::Recordings,
        Need::LongSets,
        Need::KubernetesSource,
        Need::OpenApiDocuments,
        Need::SarifSchema,
        Need::CompiledRust,
        Need::Etcd,
        Need::Kubectl,
        Need::Python,
        Need::Browser,
    ];

    /// The word by which the variable names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Need::Recordings => "recordings",
            Need::LongSets => "long-sets",
            Need::KubernetesSource => "kubernetes-source",
            Need::OpenApiDocuments => "openapi-documents",
            Need::SarifSchema => "sarif-schema",
            Need::CompiledRust => "compiled-rust",
            Need::Etcd => "etcd",
            Need::Kubectl => "kubectl",
            Need::Python => "python",
            Need::Browser => "browser",
        }
    }

    /// Whether it may be missing.
    fn may_be_missing(self) -> bool {
        let named = std::env::var(VARIABLE).unwrap_or_default();
        named.split(',').any(|it| it.trim() == self.name())
    }

    /// Tells that a test cannot run because this is missing.
    ///
    /// # Panics
    /// Unless `ORDAIN_SKIP` names it.
    #[expect(clippy::panic, clippy::print_stdout, reason = "a test that cannot run fails loudly")]
    pub fn missing(self, why: &str) {
        let name = self.name();
        if !self.may_be_missing() {
            panic!("{why}; {VARIABLE}={name} lets tests go without");
        }
        println!("not run: {why} ({VARIABLE} names {name})");
    }

    /// The value of an environment variable that names it; tells when there is none.
    #[must_use]
    pub fn named_by(self, variable: &str) -> Option<PathBuf> {
        let found = std::env::var_os(variable).map(PathBuf::from);
        if found.is_none() {
            self.missing(&format!("{variable} is not set"));
        }
        found
    }
}
