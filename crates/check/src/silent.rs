//! The first look: whether there is nothing at all to tell of a text. For nearly every text there is
//! nothing, so this is the way that counts; all others are read again with their places.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use ordain_meta::gvk::GroupVersion;
use ordain_value::{Text, Value};

use crate::catalog::Catalog;
use crate::kind::Kind;
use crate::manifest::{self, is_definition, is_of_tools, is_version_unset};
use crate::source;

/// More objects than this in one text are worth being shared among workers.
const ALONE_MAX: usize = 8;

/// The kinds of a catalog as one worker has met them: found by the very words of objects, and
/// without touching what all workers count with.
pub(crate) struct Silent<'a> {
    catalog: &'a Catalog,
    /// By kind, then by `apiVersion`.
    met: HashMap<Text, Vec<(Text, Option<Arc<Kind>>)>>,
}

impl<'a> Silent<'a> {
    pub(crate) fn new(catalog: &'a Catalog) -> Self {
        Silent { catalog, met: HashMap::new() }
    }

    /// The number of objects of a text, if all of them are new and a strict server takes them
    /// without a word.
    pub(crate) fn objects(&mut self, text: source::Text<'_>) -> Option<usize> {
        let objects = manifest::plain_objects(text)?;
        let count = objects.len();
        let silent = if count <= ALONE_MAX {
            objects.into_iter().all(|it| self.object(it))
        } else {
            let start = || Silent::new(self.catalog);
            objects.into_par_iter().map_init(start, Silent::object).all(|it| it)
        };
        silent.then_some(count)
    }

    fn object(&mut self, object: Value) -> bool {
        let version = object.get_path(&["metadata", "resourceVersion"]).and_then(Value::as_str);
        if !version.is_none_or(is_version_unset) {
            return false;
        }
        let text = |field| object.get(field).and_then(Value::as_text);
        let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else {
            return false;
        };
        let kind = match self.met(api_version, kind) {
            Some(found) => found.as_ref(),
            None => self.meet(api_version.clone(), kind.clone()),
        };
        kind.is_some_and(|kind| kind.check_create(object).0.is_silent())
    }

    fn met(&self, api_version: &Text, kind: &Text) -> Option<&Option<Arc<Kind>>> {
        let versions = self.met.get(kind)?;
        versions.iter().find(|it| it.0 == *api_version).map(|it| &it.1)
    }

    /// Looks a kind up, unless its objects are never taken without a word.
    fn meet(&mut self, api_version: Text, kind: Text) -> Option<&Arc<Kind>> {
        let gvk = GroupVersion::decode(&api_version).ok().map(|it| it.with_kind(kind.clone()));
        let usual = gvk.filter(|it| !is_of_tools(it) && !is_definition(it));
        let found = usual.and_then(|it| self.catalog.get(&it));
        let found = found.filter(|it| it.deprecation.is_none());
        let versions = self.met.entry(kind).or_default();
        versions.push((api_version, found));
        versions.last().and_then(|it| it.1.as_ref())
    }
}
