//! How the rules see a definition: what is the same in all versions stands once at the top, and is
//! gone from the versions. Paths in messages follow from this view.

use ordain_value::Value;

use crate::crd::{Column, CrdSpec, CrdVersion, SelectableField, Subresources, VersionSchema};
use crate::raw::Raw;

/// A spec with its common parts hoisted.
pub(crate) struct View<'a> {
    pub(crate) spec: &'a CrdSpec,
    pub(crate) schema: Option<&'a VersionSchema>,
    pub(crate) subresources: Option<&'a Subresources>,
    pub(crate) columns: Option<&'a [Column]>,
    pub(crate) selectable: Option<&'a [SelectableField]>,
    pub(crate) versions: Vec<VersionView<'a>>,
}

/// A version with only what is its own.
pub(crate) struct VersionView<'a> {
    pub(crate) version: &'a CrdVersion,
    pub(crate) schema: Option<&'a VersionSchema>,
    pub(crate) subresources: Option<&'a Subresources>,
    pub(crate) columns: Option<&'a [Column]>,
    pub(crate) selectable: Option<&'a [SelectableField]>,
}

impl<'a> View<'a> {
    pub(crate) fn new(spec: &'a CrdSpec) -> View<'a> {
        let mut versions: Vec<VersionView<'a>> =
            spec.versions().iter().map(VersionView::new).collect();
        let mut view = View {
            spec,
            schema: None,
            subresources: None,
            columns: None,
            selectable: None,
            versions: Vec::new(),
        };
        let encoded: Vec<Value> = spec.versions().iter().map(CrdVersion::encode).collect();
        let same = |key: &str| encoded.iter().all(|v| v.get(key) == encoded[0].get(key));
        if let Some(first) = spec.versions().first() {
            if same("schema") {
                view.schema = first.schema.as_ref();
                versions.iter_mut().for_each(|v| v.schema = None);
            }
            if same("subresources") {
                view.subresources = first.subresources.as_ref();
                versions.iter_mut().for_each(|v| v.subresources = None);
            }
            if same("additionalPrinterColumns") {
                view.columns = first.columns.as_deref();
                versions.iter_mut().for_each(|v| v.columns = None);
            }
            if same("selectableFields") {
                view.selectable = first.selectable_fields.as_deref();
                versions.iter_mut().for_each(|v| v.selectable = None);
            }
        }
        view.versions = versions;
        view
    }

    /// The hoisted schema, when it holds one.
    pub(crate) fn raw(&self) -> Option<&'a Raw> {
        self.schema?.open_api.as_deref()
    }

    /// All distinct schemas: the hoisted one, or those of the versions.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = &'a Raw> + '_ {
        self.raw().into_iter().chain(self.versions.iter().filter_map(VersionView::raw))
    }

    /// The schema that a version name stands for. A hoisted schema stands for every name, known
    /// or not; that is how upstream looks it up.
    pub(crate) fn schema_of(&self, name: &str) -> Option<Option<&'a VersionSchema>> {
        if self.versions.iter().all(|v| v.schema.is_none()) {
            return Some(self.schema);
        }
        self.versions.iter().find(|v| v.version.name == name).map(|v| v.schema)
    }

    /// The subresources that a version name stands for.
    pub(crate) fn subresources_of(&self, name: &str) -> Option<&'a Subresources> {
        if self.versions.iter().all(|v| v.subresources.is_none()) {
            return self.subresources;
        }
        self.versions.iter().find(|v| v.version.name == name)?.subresources
    }

    /// Whether any version has `status` as a subresource.
    pub(crate) fn any_status(&self) -> bool {
        self.spec.versions().iter().any(CrdVersion::has_status)
    }
}

impl<'a> VersionView<'a> {
    fn new(version: &'a CrdVersion) -> VersionView<'a> {
        VersionView {
            version,
            schema: version.schema.as_ref(),
            subresources: version.subresources.as_ref(),
            columns: version.columns.as_deref(),
            selectable: version.selectable_fields.as_deref(),
        }
    }

    pub(crate) fn raw(&self) -> Option<&'a Raw> {
        self.schema?.open_api.as_deref()
    }
}
