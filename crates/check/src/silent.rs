//! The first look: whether there is nothing at all to report about a text. For nearly every text there
//! is nothing, so this is the way that counts; all others are read again with their places.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use ordain_meta::GroupVersionKind;
use ordain_meta::gvk::GroupVersion;
use ordain_value::{Text, Value};

use crate::catalog::Catalog;
use crate::foreign;
use crate::kind::{Kind, Verdict};
use crate::manifest::{self, is_definition, is_version_unset};
use crate::policy::is_policy;
use crate::source;

/// More objects than this in one text are worth being shared among workers.
const ALONE_MAX: usize = 8;

/// The result of a first look at a text.
pub(crate) enum Glance {
    /// So many objects without findings.
    Silent(usize),
    /// There is something to report; the verdict on the first object that it is about, when there
    /// is one.
    Reported(Option<Box<Verdict>>),
    /// It has a kind that is unknown so far.
    Unknown,
}

/// Whether an object is new by the version that it says it has.
fn has_version_unset(object: &Value) -> bool {
    let version = object.get_path(&["metadata", "resourceVersion"]).and_then(Value::as_str);
    version.is_none_or(is_version_unset)
}

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

    /// Whether all objects of a text are new and a strict server takes them without a word.
    pub(crate) fn objects(&mut self, text: source::Text<'_>) -> Glance {
        let Some(objects) = manifest::plain_objects(text) else { return Glance::Reported(None) };
        let count = objects.len();
        let doubt = if count <= ALONE_MAX {
            objects.into_iter().find_map(|it| self.object(it))
        } else {
            let start = || Silent::new(self.catalog);
            objects.into_par_iter().map_init(start, Silent::object).find_map_first(|it| it)
        };
        doubt.unwrap_or(Glance::Silent(count))
    }

    /// Why there is something to report about an object, if there is.
    fn object(&mut self, object: Value) -> Option<Glance> {
        let text = |field| object.get(field).and_then(Value::as_text);
        let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else {
            return Some(Glance::Reported(None));
        };
        let kind = match self.met(api_version, kind) {
            Some(found) => found.as_ref(),
            None => self.meet(api_version.clone(), kind.clone()),
        };
        match kind {
            None => Some(Glance::Unknown),
            Some(kind) if kind.deprecation.is_some() => Some(Glance::Reported(None)),
            Some(kind) if kind.surely_takes(&object) => None,
            Some(_) if !has_version_unset(&object) => Some(Glance::Reported(None)),
            Some(kind) => {
                let verdict = kind.check_create(object);
                (!verdict.is_silent()).then(|| Glance::Reported(Some(Box::new(verdict))))
            }
        }
    }

    fn met(&self, api_version: &Text, kind: &Text) -> Option<&Option<Arc<Kind>>> {
        let versions = self.met.get(kind)?;
        versions.iter().find(|it| it.0 == *api_version).map(|it| &it.1)
    }

    /// Looks a kind up, unless its objects are not sent to servers or say how others are judged.
    fn meet(&mut self, api_version: Text, kind: Text) -> Option<&Arc<Kind>> {
        let gvk = GroupVersion::decode(&api_version).ok().map(|it| it.with_kind(kind.clone()));
        let is_usual = |it: &GroupVersionKind| {
            foreign::of_kind(it).is_none() && !is_definition(it) && !is_policy(it)
        };
        let usual = gvk.filter(is_usual);
        let found = usual.and_then(|it| self.catalog.get(&it));
        let versions = self.met.entry(kind).or_default();
        versions.push((api_version, found));
        versions.last().and_then(|it| it.1.as_ref())
    }
}
