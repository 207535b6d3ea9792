//! What only declared kinds (Go types, Rust types) and gated CRD extensions do to an object:
//! strip zero values, normalize and check unions, drop fields whose feature gate is off, check
//! the formats of KEP-4153, give warnings and custom error texts.
//!
//! Each pass first reads the object and lists what it would change, then changes just that: an
//! object with nothing to change is not copied, and subtrees whose schema has nothing to say are
//! not visited at all.

pub mod encoded;
pub mod format;
pub mod gate;
pub mod implied;
pub mod internal;
pub mod native;
mod route;
pub mod settle;
pub mod strip_zero;
pub mod text;
pub mod union;
pub mod unruled;
pub mod version;
mod walk;
pub mod warning;
pub mod written;

use std::sync::Arc;

use ordain_meta::KubeVersion;
use ordain_schema::extensions::Extensions;
use ordain_schema::formats::{self, FormatState};
use ordain_schema::{Declared, Node, Schema};

use route::Routes;
pub use walk::{Location, Step};

/// Which parts of a schema the declared passes have to visit; compiled once per kind and version.
#[derive(Clone, Debug)]
pub struct DeclaredPlan {
    schema: Arc<Schema>,
    unions: Routes,
    gates: Routes,
    zeros: Routes,
    formats: Routes,
    warnings: Routes,
    texts: Routes,
    watch: settle::Watch,
}

impl DeclaredPlan {
    /// Finds what the declared passes have to visit.
    pub fn compile(schema: &Arc<Schema>) -> Self {
        let of_fields = |wanted: fn(&Declared) -> bool| {
            Routes::to_fields(schema, |node| node.declared.as_deref().is_some_and(wanted))
        };
        let of_nodes = |wanted: fn(&Node) -> bool| Routes::to_nodes(schema, wanted);
        DeclaredPlan {
            unions: of_nodes(|it| it.declared.as_ref().is_some_and(|it| !it.unions.is_empty())),
            gates: of_fields(|it| !it.gates.is_empty()),
            formats: of_nodes(|it| format::of(it).is_some()),
            warnings: of_nodes(|it| it.declared.as_ref().is_some_and(|it| !it.warnings.is_empty())),
            texts: of_nodes(|it| it.declared.as_ref().is_some_and(|it| !it.texts.is_empty())),
            zeros: of_fields(|it| it.strip_zero),
            watch: settle::Watch::compile(schema, &|_| false),
            schema: Arc::clone(schema),
        }
    }

    /// The same for gates that do not change any more: fields whose gates are all on need not be
    /// looked for.
    #[must_use]
    pub fn with_gates(mut self, is_on: &dyn Fn(&str) -> bool) -> Self {
        self.gates = Routes::to_fields(&self.schema, |node| {
            let declared = node.declared.as_deref();
            declared.is_some_and(|it| !it.gates.iter().all(|gate| is_on(gate)))
        });
        self.watch = settle::Watch::compile(&self.schema, is_on);
        self
    }

    /// The same for a release that only stores some formats yet.
    #[must_use]
    pub fn with_release(mut self, release: KubeVersion) -> Self {
        self.formats = Routes::to_nodes(&self.schema, |it| {
            let name = it.validation.as_ref().map_or("", |it| it.format.as_str());
            format::of(it).is_some()
                && formats::declared_state(name, release) == FormatState::Supported
        });
        self
    }

    /// The same for a definition, which has some of the extensions and nothing else.
    #[must_use]
    pub fn with_extensions(mut self, extensions: Extensions) -> Self {
        self.formats = Routes::none();
        self.warnings = Routes::none();
        if !extensions.strip_zero {
            self.zeros = Routes::none();
        }
        if !extensions.validation_errors {
            self.texts = Routes::none();
        }
        if !extensions.unions {
            self.unions = Routes::none();
        }
        self
    }

    /// True if none of the declared passes has anything to do for this schema.
    pub fn is_idle(&self) -> bool {
        let all = [&self.unions, &self.gates, &self.zeros, &self.formats, &self.warnings];
        !all.iter().any(|it| it.any(&self.schema)) && !self.has_texts()
    }

    /// The schema that was compiled.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// True if the schema has unions.
    pub fn has_unions(&self) -> bool {
        self.unions.any(&self.schema)
    }

    /// True if the schema has gated fields.
    pub fn has_gates(&self) -> bool {
        self.gates.any(&self.schema)
    }

    /// True if the schema has fields whose zero value counts as absent.
    pub fn has_zeros(&self) -> bool {
        self.zeros.any(&self.schema)
    }

    /// True if the schema has custom error texts.
    pub fn has_texts(&self) -> bool {
        self.texts.any(&self.schema)
    }
}
