//! All kinds that are known, by group, version and kind; compiled when first asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock, RwLock};

use ordain_meta::GroupVersionKind;
use ordain_schema::crd::Crd;
use ordain_schema::declared;
use ordain_strategy::RestConfig;
use ordain_value::Value;

use crate::kind::Kind;
use crate::openapi::{Document, json_schema};
use crate::store::Store;
use ordain_strategy::gates::Gates;

/// The known kinds. Copies share what they have compiled.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    gates: Arc<Gates>,
    kinds: BTreeMap<GroupVersionKind, Arc<Entry>>,
    /// Where kinds are looked up that nothing else defines.
    stores: Vec<Store>,
    /// What the stores gave.
    stored: Arc<RwLock<BTreeMap<GroupVersionKind, Option<Arc<Entry>>>>>,
}

#[derive(Debug)]
struct Entry {
    origin: Origin,
    compiled: OnceLock<Result<Arc<Kind>, String>>,
}

#[derive(Debug)]
enum Origin {
    Definition(Arc<Crd>),
    Document(Arc<Document>),
    Declared(Arc<declared::Kind>),
    /// As a server has it: a kind of Kubernetes itself, or one that was handed in.
    Served(Arc<RestConfig>),
    /// What was found under the kind's name cannot be used.
    Unusable(String),
}

/// The kinds of Kubernetes, which every catalog knows.
static NATIVE: LazyLock<BTreeMap<GroupVersionKind, Arc<Entry>>> = LazyLock::new(|| {
    let mut kinds = BTreeMap::new();
    ordain_kubernetes::expressions::check_with(ordain_admission::policy::validate_expressions);
    for config in ordain_kubernetes::all() {
        let config = Arc::new(config);
        for version in &config.versions {
            let entry = Entry::new(Origin::Served(Arc::clone(&config)));
            kinds.insert(config.gvk(&version.name), entry);
        }
    }
    kinds
});

/// Why there is no schema for an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing is known of the kind: the group versions in which one of its name is known, if any,
    /// and the kind of its group version whose name is nearest.
    Unknown { versions: Vec<String>, similar: Option<String> },
    /// The version is there but not served.
    NotServed,
    /// Its definition does not compile.
    Broken(String),
}

impl Catalog {
    /// No kinds; those that come are judged with these gates.
    #[must_use]
    pub fn new(gates: Gates) -> Catalog {
        Catalog { gates: Arc::new(gates), ..Catalog::default() }
    }

    /// The gates that kinds are judged with.
    #[must_use]
    pub fn gates(&self) -> &Arc<Gates> {
        &self.gates
    }

    /// Takes in a definition; one that is already known is replaced.
    ///
    /// # Errors
    /// When the value is no definition at all.
    pub fn add_definition(&mut self, definition: &Value) -> Result<(), String> {
        let (mut crd, _) = Crd::decode(definition).map_err(|error| error.0)?;
        crd.set_defaults();
        let crd = Arc::new(crd);
        for version in crd.spec.versions() {
            let (group, kind) = (crd.spec.group.clone(), crd.spec.names.kind.clone());
            let key = GroupVersionKind::new(group, version.name.clone(), kind);
            self.kinds.insert(key, Entry::new(Origin::Definition(Arc::clone(&crd))));
        }
        Ok(())
    }

    /// Takes in the kinds of an OpenAPI document; what is already known stays. Returns how many
    /// the document has.
    pub fn add_document(&mut self, document: Document) -> usize {
        let document = Arc::new(document);
        for entry in document.entries() {
            let origin = || Entry::new(Origin::Document(Arc::clone(&document)));
            self.kinds.entry(entry.gvk.clone()).or_insert_with(origin);
        }
        document.entries().len()
    }

    /// Takes in the kinds that types declare; what is already known is replaced.
    pub fn add_declared(&mut self, api: &declared::Api) {
        for kind in &api.kinds {
            let shared = Arc::new(kind.clone());
            for version in &kind.versions {
                let (group, name) = (kind.group.clone(), version.name.clone());
                let key = GroupVersionKind::new(group, name, kind.kind.clone());
                self.kinds.insert(key, Entry::new(Origin::Declared(Arc::clone(&shared))));
            }
        }
    }

    /// A kind of Kubernetes itself, by its resource.
    #[must_use]
    pub fn built_in(group: &str, resource: &str) -> Option<Arc<RestConfig>> {
        let configs = NATIVE.values().filter_map(|entry| match &entry.origin {
            Origin::Served(config) => Some(config),
            _ => None,
        });
        let mut found = configs.filter(|it| it.group == group && it.plural == resource);
        found.next().map(Arc::clone)
    }

    /// Takes in a kind as a server serves it; what is already known is replaced.
    pub fn add_served(&mut self, config: &Arc<RestConfig>) {
        for version in config.versions.iter().filter(|it| it.served) {
            let entry = Entry::new(Origin::Served(Arc::clone(config)));
            self.kinds.insert(config.gvk(&version.name), entry);
        }
    }

    /// Looks kinds up in a store as well, after all other places.
    pub fn add_store(&mut self, store: Store) {
        self.stores.push(store);
        self.stored = Arc::default();
    }

    /// Whether a kind of a definition is known already.
    pub(crate) fn defines(&self, definition: &Value) -> bool {
        let text = |path: &[&str]| definition.get_path(path).and_then(Value::as_str);
        let (Some(group), Some(kind)) =
            (text(&["spec", "group"]), text(&["spec", "names", "kind"]))
        else {
            return false;
        };
        definition.items_at(&["spec", "versions"]).iter().any(|version| {
            let name = version.text("name");
            self.entry(&GroupVersionKind::new(group, name, kind)).is_some()
        })
    }

    /// Whether there is any place where kinds could be found.
    pub(crate) fn has_places(&self) -> bool {
        !self.kinds.is_empty() || !self.stores.is_empty()
    }

    /// Whether no kind was taken in; stores are not asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// All kinds that were taken in and compile, in order; those of stores are left out.
    pub fn kinds(&self) -> impl Iterator<Item = Arc<Kind>> + '_ {
        self.kinds.iter().filter_map(|(gvk, entry)| entry.compiled(gvk, &self.gates).ok())
    }

    /// The resources that a server with these kinds would serve. What was taken in comes behind
    /// what is built in, so that it counts for those who keep the last.
    pub(crate) fn resources(&self) -> Vec<Arc<RestConfig>> {
        let native = NATIVE.values().filter_map(|entry| match &entry.origin {
            Origin::Served(config) => Some(Arc::clone(config)),
            _ => None,
        });
        native.chain(self.kinds().filter_map(|kind| kind.resource().cloned())).collect()
    }

    /// All names of kinds, those of stores included, in order.
    #[must_use]
    pub fn names(&self) -> Vec<GroupVersionKind> {
        let mut names: Vec<GroupVersionKind> = self.kinds.keys().cloned().collect();
        names.extend(self.stores.iter().flat_map(Store::kinds));
        names.extend(NATIVE.keys().cloned());
        names.sort();
        names.dedup();
        names
    }

    /// The kind of an object.
    ///
    /// # Errors
    /// When there is none that could judge it.
    pub fn find(&self, gvk: &GroupVersionKind) -> Result<Arc<Kind>, Missing> {
        self.usable(gvk, self.entry(gvk).ok_or_else(|| self.missing(gvk))?)
    }

    /// The kind of an object, for those who do not ask why there is none.
    pub(crate) fn get(&self, gvk: &GroupVersionKind) -> Option<Arc<Kind>> {
        self.usable(gvk, self.entry(gvk)?).ok()
    }

    /// Definitions and types among the inputs count first, then what is built in, which knows more
    /// than a document can say, then documents and stores.
    fn entry(&self, gvk: &GroupVersionKind) -> Option<Arc<Entry>> {
        let taken = self.kinds.get(gvk);
        if let Some(entry) = taken.filter(|it| !matches!(it.origin, Origin::Document(_))) {
            return Some(Arc::clone(entry));
        }
        NATIVE.get(gvk).or(taken).map(Arc::clone).or_else(|| self.stored(gvk))
    }

    fn usable(&self, gvk: &GroupVersionKind, entry: Arc<Entry>) -> Result<Arc<Kind>, Missing> {
        let served = match &entry.origin {
            Origin::Definition(crd) => crd.spec.version(&gvk.version).is_some_and(|it| it.served),
            Origin::Declared(kind) => kind.version(&gvk.version).is_some_and(|it| it.served),
            Origin::Document(_) | Origin::Served(_) | Origin::Unusable(_) => true,
        };
        if !served {
            return Err(Missing::NotServed);
        }
        entry.compiled(gvk, &self.gates).map_err(Missing::Broken)
    }

    /// What the stores have under a name; asked once.
    fn stored(&self, gvk: &GroupVersionKind) -> Option<Arc<Entry>> {
        if self.stores.is_empty() {
            return None;
        }
        if let Ok(known) = self.stored.read()
            && let Some(found) = known.get(gvk)
        {
            return found.clone();
        }
        let found = self.stores.iter().find_map(|store| store.load(gvk)).map(|loaded| {
            Entry::new(match loaded {
                Ok(value) => origin(&value, gvk),
                Err(why) => Origin::Unusable(why),
            })
        });
        if let Ok(mut known) = self.stored.write() {
            return known.entry(gvk.clone()).or_insert(found).clone();
        }
        found
    }

    fn missing(&self, gvk: &GroupVersionKind) -> Missing {
        let names = self.names();
        let of_kind = |same_group: bool| {
            let fits = move |it: &&GroupVersionKind| {
                it.kind == gvk.kind && (it.group == gvk.group) == same_group
            };
            names.iter().filter(fits).map(|it| it.group_version().to_string())
        };
        let mut versions: Vec<String> = of_kind(true).collect();
        if versions.is_empty() {
            versions.extend(of_kind(false));
        }
        let beside: Vec<&str> = names
            .iter()
            .filter(|it| it.group == gvk.group && it.version == gvk.version)
            .map(|it| it.kind.as_str())
            .collect();
        let similar = crate::help::nearest(&gvk.kind, &beside).map(ToOwned::to_owned);
        Missing::Unknown { versions, similar }
    }
}

fn origin(value: &Value, gvk: &GroupVersionKind) -> Origin {
    if json_schema::is_schema(value) {
        return match json_schema::definition(value, gvk) {
            Ok(definition) => origin(&definition, gvk),
            Err(why) => Origin::Unusable(why),
        };
    }
    if crate::openapi::is_document(value) {
        return match crate::openapi::read(value) {
            Ok(document) => Origin::Document(Arc::new(document)),
            Err(why) => Origin::Unusable(why),
        };
    }
    match Crd::decode(value) {
        Ok((mut crd, _)) => {
            crd.set_defaults();
            Origin::Definition(Arc::new(crd))
        }
        Err(error) => Origin::Unusable(error.0),
    }
}

impl Entry {
    fn new(origin: Origin) -> Arc<Entry> {
        Arc::new(Entry { origin, compiled: OnceLock::new() })
    }

    fn compiled(&self, gvk: &GroupVersionKind, gates: &Arc<Gates>) -> Result<Arc<Kind>, String> {
        self.compiled.get_or_init(|| self.compile(gvk, gates).map(Arc::new)).clone()
    }

    fn compile(&self, gvk: &GroupVersionKind, gates: &Arc<Gates>) -> Result<Kind, String> {
        match &self.origin {
            Origin::Definition(crd) => {
                let version =
                    crd.spec.version(&gvk.version).ok_or_else(|| "no such version".to_owned())?;
                Kind::compile(crd, version, gates)
            }
            Origin::Document(document) => {
                let entry = document.entry(gvk).ok_or("the document does not have the kind")?;
                Kind::of_document(document, entry, gates)
            }
            Origin::Declared(kind) => {
                let version = kind.version(&gvk.version).ok_or("no such version")?;
                Kind::of_declared(kind, version, gates)
            }
            Origin::Served(config) => Kind::served(Arc::clone(config), &gvk.version),
            Origin::Unusable(why) => Err(why.clone()),
        }
    }
}
