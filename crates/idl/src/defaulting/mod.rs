//! Native defaulting: what `+default` declares, as defaulter-gen applies it.
//!
//! Upstream: a tree of steps is built for each root type and becomes a Go function. The tree is
//! built here in the same way, so that recursive types are entered once only, maps are not entered
//! at all, and defaults of inner types apply after those of the outer ones made them appear.

mod apply;
mod check;
mod lint;
mod tree;

pub use lint::lint;
pub use tree::{CallNode, DefaultValue, Root};

use std::collections::BTreeMap;

use ordain_value::Value;

use crate::diagnostic::Diagnostic;
use crate::gojson::Codec;
use crate::graph::{NamedId, Universe};

/// What is to be defaulted.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Take every exported struct of the requested packages as a root, whatever their tags say.
    pub all_types: bool,
}

/// The defaults of the types that are defaulted on their own.
#[derive(Debug)]
pub struct Defaults<'u> {
    codec: Codec<'u>,
    universe: &'u Universe,
    /// The roots by qualified name.
    pub roots: BTreeMap<String, Root>,
}

/// Reads the `+default` tags of the requested packages.
///
/// ```
/// use ordain_idl::{defaulting, Loader, MemorySource};
/// use ordain_value::value;
/// let source = MemorySource::new().with(
///     "p/types.go",
///     "package p\n\ntype T struct {\n\t// +default=3\n\tSize *int32 `json:\"size,omitempty\"`\n}\n",
/// );
/// let universe = Loader::new(&source).package_as("p", "example.com/p").load();
/// let options = defaulting::Options { all_types: true };
/// let (defaults, diagnostics) = defaulting::declare(&universe, &options);
/// assert!(diagnostics.is_empty());
/// let named = universe.lookup("example.com/p", "T").unwrap();
/// assert_eq!(defaults.apply(named, &value!({})).unwrap(), value!({"size": 3}));
/// ```
#[must_use]
pub fn declare<'u>(universe: &'u Universe, options: &Options) -> (Defaults<'u>, Vec<Diagnostic>) {
    let codec = Codec::new(universe);
    let (roots, diagnostics) = tree::build_roots(universe, &codec, options);
    (Defaults { codec, universe, roots }, diagnostics)
}

impl Defaults<'_> {
    /// Decodes an object, applies the defaults of its type and encodes it again. A type without
    /// defaults is only decoded and encoded.
    ///
    /// # Errors
    /// When the object does not fit the type.
    pub fn apply(&self, named: NamedId, object: &Value) -> Result<Value, String> {
        let ty = self.universe.type_of(named);
        let mut value = self.codec.decode(object, ty)?;
        if let Some(root) = self.roots.get(&self.universe.qualified(named)) {
            self.run(&root.tree, &mut value, 0)?;
        }
        Ok(self.codec.encode(&value, ty))
    }
}
