//! What policies look at besides the request: namespaces, parameters, roles and kinds.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_admission::policy::{Binding, Params, Policy, Selection};
use ordain_admission::served::converted;
use ordain_admission::{Request, Resources, roles};
use ordain_meta::GroupVersionKind;
use ordain_strategy::{Family, RestConfig, object};
use ordain_value::{Text, Value, value};

use crate::catalog::Catalog;
use crate::manifest::Manifest;

/// The namespaces that every server has.
const USUAL: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// The objects of all texts, as a server would hold them.
#[derive(Debug, Default)]
pub(super) struct World {
    /// By group and kind.
    objects: BTreeMap<(Text, Text), Vec<Value>>,
    namespaces: BTreeMap<Text, Value>,
    /// None if no text has a role or a binding of one.
    pub(super) roles: Option<Arc<roles::Policy>>,
}

impl World {
    /// Takes in an object. One that cannot be stored is reported where it is judged.
    pub(super) fn add(&mut self, catalog: &Catalog, manifest: Manifest) {
        let GroupVersionKind { group, kind, .. } = manifest.gvk.clone();
        let Some(found) = catalog.get(&manifest.gvk) else { return };
        let mut value = manifest.value;
        if found.namespaced && object::namespace(&value).is_empty() {
            object::set(&mut value, "namespace", "default".into());
        }
        let Some(stored) = found.judge_create(&value).object else { return };
        if group.is_empty() && kind == "Namespace" {
            self.namespaces.insert(object::name(&stored).into(), stored.clone());
        }
        self.objects.entry((group, kind)).or_default().push(stored);
    }

    /// Arranges what was taken in.
    pub(super) fn settle(&mut self) {
        for name in USUAL {
            self.namespaces.entry(name.into()).or_insert_with(|| {
                value!({
                    "apiVersion": "v1",
                    "kind": "Namespace",
                    "metadata": {
                        "name": name,
                        "labels": {"kubernetes.io/metadata.name": name}
                    },
                    "spec": {"finalizers": ["kubernetes"]},
                    "status": {"phase": "Active"}
                })
            });
        }
        let of = |kind: &str| {
            self.objects
                .get(&(roles::GROUP.into(), kind.into()))
                .map(Vec::as_slice)
                .unwrap_or_default()
        };
        let parts = ["ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding"].map(of);
        let [cluster_roles, own, cluster_bindings, bindings] = parts;
        if parts.iter().any(|it| !it.is_empty()) {
            let roles = roles::Policy::new(cluster_roles, own, cluster_bindings, bindings);
            self.roles = Some(Arc::new(roles));
        }
    }

    /// The namespace of a request, as an object.
    pub(super) fn namespace(&self, name: &str) -> Option<&Value> {
        self.namespaces.get(name)
    }

    /// The parameters that a binding gives to a policy for a request.
    ///
    /// # Errors
    /// When the binding does not fit, or wants some and there are none; in words.
    pub(super) fn params(
        &self,
        kinds: &Kinds,
        policy: &Policy,
        binding: &Binding,
        request: &Request,
    ) -> Result<Params, String> {
        let place = policy.param_kind.as_ref().map(|kind| kind.gvk());
        let place = place.and_then(|gvk| Some((kinds.by_kind(&gvk.group, &gvk.kind)?, gvk)));
        let (Some((resource, gvk)), Some(wanted)) = (place, &binding.params) else {
            return Ok(Params::none());
        };
        let namespace = wanted.place(resource.namespaced, &request.namespace)?;
        let all = self.objects.get(&(gvk.group.clone(), gvk.kind.clone()));
        let fits = |it: &&Value| {
            object::namespace(it) == namespace
                && match &wanted.selection {
                    Selection::Name(name) => object::name(it) == name,
                    Selection::Labels(selector) => selector.matches(object::labels(it)),
                }
        };
        let present = |it: &Value| converted(&resource, it, &gvk.version);
        let found: Result<Vec<Value>, String> =
            all.into_iter().flatten().filter(fits).map(present).collect();
        let found = wanted.found(found?)?;
        let is_native = resource.family == Family::BuiltIn;
        Ok(if is_native { found.without_owners() } else { found })
    }
}

/// The kinds of a catalog, by resource and by kind.
#[derive(Debug)]
pub(super) struct Kinds {
    by_resource: BTreeMap<(Text, Text), Arc<RestConfig>>,
    by_kind: BTreeMap<(Text, Text), Arc<RestConfig>>,
}

impl Kinds {
    pub(super) fn new(catalog: &Catalog) -> Self {
        let (mut by_resource, mut by_kind) = (BTreeMap::new(), BTreeMap::new());
        for config in catalog.resources() {
            let group = &config.group;
            by_resource.insert((group.clone(), config.plural.clone()), Arc::clone(&config));
            by_kind.insert((group.clone(), config.kind.clone()), config);
        }
        Self { by_resource, by_kind }
    }
}

impl Resources for Kinds {
    fn by_resource(&self, group: &str, plural: &str) -> Option<Arc<RestConfig>> {
        self.by_resource.get(&(group.into(), plural.into())).cloned()
    }

    fn by_kind(&self, group: &str, kind: &str) -> Option<Arc<RestConfig>> {
        self.by_kind.get(&(group.into(), kind.into())).cloned()
    }
}
