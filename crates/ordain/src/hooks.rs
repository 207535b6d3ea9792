//! What a kind does beyond its declaration, on typed objects (KEP-5975's `strategy.Config`).
//!
//! A hook gets the object as `&T` or `&mut T`. Objects that cannot be read as `T` are refused by
//! validation with the reason; until then hooks pass them over. Changes that a hook makes are
//! brought back to the object, what `T` does not know stays.

use std::marker::PhantomData;
use std::sync::Arc;

use ordain_registry::declared::Resource as Declared;
use ordain_registry::rollout::UNREADABLE;
use ordain_registry::strategy::Config;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::serde::to_value;

pub use ordain_registry::gates::Gates;
pub use ordain_registry::rollout::{Authority, Exception, Found, Marked, Rollout, exceptions};
pub use ordain_registry::source::Entropy;
pub use ordain_registry::strategy::{DeleteStrategy, GracePeriod, Strategy};
pub use ordain_registry::{Caller, Column};
pub use ordain_schema::native::Level;

use crate::kind::Resource;
use crate::patch::patch;

/// Hooks of a kind; all are optional.
#[derive(Clone, Debug)]
pub struct Hooks<T> {
    pub(crate) extras: Extras,
    ty: PhantomData<fn() -> T>,
}

/// What hooks come down to when their type is forgotten.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    pub(crate) config: Config,
    delete: Option<Arc<dyn DeleteStrategy>>,
    strategy: Option<Arc<dyn Strategy>>,
    rollout: Option<Rollout>,
    columns: Option<Vec<Column>>,
    selectable_fields: Option<Vec<String>>,
}

impl<T> Default for Hooks<T> {
    fn default() -> Self {
        Hooks { extras: Extras::default(), ty: PhantomData }
    }
}

impl<T: Resource> Hooks<T> {
    /// No hooks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Defaults that no attribute can say; they come after the declared ones.
    #[must_use]
    pub fn default_with(mut self, hook: impl Fn(&mut T) + Send + Sync + 'static) -> Self {
        self.extras.config.default = Some(Arc::new(move |object| change(object, &hook)));
        self
    }

    /// Validation of new and of changed objects, beside the declared rules.
    #[must_use]
    pub fn validate(self, hook: impl Fn(&T) -> ErrorList + Send + Sync + 'static) -> Self {
        self.validate_marked(move |it| Found::from(hook(it)))
    }

    /// The same for a hook that marks errors which a declared rule finds as well
    /// ([`Found::covered`]), so that the two can be compared and the rule can take over.
    #[must_use]
    pub fn validate_marked(mut self, hook: impl Fn(&T) -> Found + Send + Sync + 'static) -> Self {
        let hook = Arc::new(hook);
        let on_update = Arc::clone(&hook);
        self.extras.config.validate =
            Some(Arc::new(move |object, _| judged(object, |it| hook(it))));
        let on_update =
            move |object: &Value, _: &Value, _: &Caller<'_>| judged(object, |it| on_update(it));
        self.extras.config.validate_update.get_or_insert_with(|| Arc::new(on_update));
        self
    }

    /// Validation of changes (new, old), in place of what [`Hooks::validate`] does on updates.
    #[must_use]
    pub fn validate_update(
        self,
        hook: impl Fn(&T, &T) -> ErrorList + Send + Sync + 'static,
    ) -> Self {
        self.validate_update_marked(move |it, old| Found::from(hook(it, old)))
    }

    /// The same for a hook that marks errors which a declared rule finds as well.
    #[must_use]
    pub fn validate_update_marked(
        mut self,
        hook: impl Fn(&T, &T) -> Found + Send + Sync + 'static,
    ) -> Self {
        let judge =
            move |object: &Value, old: &Value, _: &Caller<'_>| judged_change(object, old, &hook);
        self.extras.config.validate_update = Some(Arc::new(judge));
        self
    }

    /// Validation of new and of changed objects that needs to know who writes, when, or whether for
    /// real; the old object is absent for a new one.
    #[must_use]
    pub fn validate_in(
        mut self,
        hook: impl Fn(&Caller<'_>, &T, Option<&T>) -> ErrorList + Send + Sync + 'static,
    ) -> Self {
        let hook = Arc::new(hook);
        let on_update = Arc::clone(&hook);
        self.extras.config.validate = Some(Arc::new(move |object, caller| {
            judged(object, |it| Found::from(hook(caller, it, None)))
        }));
        self.extras.config.validate_update = Some(Arc::new(move |object, old, caller| {
            let judge = |it: &T, old: &T| Found::from(on_update(caller, it, Some(old)));
            judged_change(object, old, &judge)
        }));
        self
    }

    /// Warnings for clients that create or update, which need to know who writes, when, or whether
    /// for real; the old object is absent for a new one.
    #[must_use]
    pub fn warnings_in(
        mut self,
        hook: impl Fn(&Caller<'_>, &T, Option<&T>) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        let hook = Arc::new(hook);
        let on_update = Arc::clone(&hook);
        self.extras.config.warnings_on_create = Some(Arc::new(move |object, caller| {
            T::from_object(object).map(|it| hook(caller, &it, None)).unwrap_or_default()
        }));
        self.extras.config.warnings_on_update = Some(Arc::new(move |object, old, caller| {
            let both = (T::from_object(object), T::from_object(old));
            let (Ok(object), Ok(old)) = both else { return Vec::new() };
            on_update(caller, &object, Some(&old))
        }));
        self
    }

    /// Warnings for clients that create.
    #[must_use]
    pub fn warnings_on_create(
        mut self,
        hook: impl Fn(&T) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        let advise = move |object: &Value| T::from_object(object).map(|it| hook(&it));
        self.extras.config.warnings_on_create =
            Some(Arc::new(move |it, _| advise(it).unwrap_or_default()));
        self
    }

    /// Warnings for clients that update (new, old).
    #[must_use]
    pub fn warnings_on_update(
        mut self,
        hook: impl Fn(&T, &T) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.extras.config.warnings_on_update = Some(Arc::new(move |object, old, _| {
            let both = (T::from_object(object), T::from_object(old));
            if let (Ok(object), Ok(old)) = both { hook(&object, &old) } else { Vec::new() }
        }));
        self
    }

    /// Preparation of new objects, after the conventional one.
    #[must_use]
    pub fn prepare_for_create(self, hook: impl Fn(&mut T) + Send + Sync + 'static) -> Self {
        self.prepare_for_create_in(move |_, object| hook(object))
    }

    /// The same for a hook that needs to know who writes, when, or whether for real.
    #[must_use]
    pub fn prepare_for_create_in(
        mut self,
        hook: impl Fn(&Caller<'_>, &mut T) + Send + Sync + 'static,
    ) -> Self {
        self.extras.config.prepare_for_create = Some(Arc::new(move |object, caller| {
            change(object, &|it: &mut T| hook(caller, it));
        }));
        self
    }

    /// Preparation of changes (new, old), after the conventional one.
    #[must_use]
    pub fn prepare_for_update(self, hook: impl Fn(&mut T, &T) + Send + Sync + 'static) -> Self {
        self.prepare_for_update_in(move |_, object, old| hook(object, old))
    }

    /// The same for a hook that needs to know who writes, when, or whether for real.
    #[must_use]
    pub fn prepare_for_update_in(
        mut self,
        hook: impl Fn(&Caller<'_>, &mut T, &T) + Send + Sync + 'static,
    ) -> Self {
        self.extras.config.prepare_for_update = Some(Arc::new(move |object, old, caller| {
            change_from(object, old, &|it: &mut T, old: &T| hook(caller, it, old));
        }));
        self
    }

    /// Drops fields of gates that are off, after the declared ones were dropped.
    #[must_use]
    pub fn drop_disabled_fields(
        mut self,
        hook: impl Fn(&mut T, Option<&T>, &Gates) + Send + Sync + 'static,
    ) -> Self {
        self.extras.config.drop_disabled_fields = Some(Arc::new(move |object, old, gates| {
            let old = old.and_then(|old| T::from_object(old).ok());
            change(object, &|it: &mut T| hook(it, old.as_ref(), gates));
        }));
        self
    }

    /// Validation of writes to the status (new, old).
    #[must_use]
    pub fn validate_status_update(
        mut self,
        hook: impl Fn(&T, &T) -> ErrorList + Send + Sync + 'static,
    ) -> Self {
        let hook = move |it: &T, old: &T| Found::from(hook(it, old));
        let judge =
            move |object: &Value, old: &Value, _: &Caller<'_>| judged_change(object, old, &hook);
        self.extras.config.status.validate_update = Some(Arc::new(judge));
        self
    }

    /// Warnings for clients that write the status (new, old).
    #[must_use]
    pub fn warnings_on_status_update(
        mut self,
        hook: impl Fn(&T, &T) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.extras.config.status.warnings_on_update = Some(Arc::new(move |object, old, _| {
            let both = (T::from_object(object), T::from_object(old));
            if let (Ok(object), Ok(old)) = both { hook(&object, &old) } else { Vec::new() }
        }));
        self
    }

    /// Preparation of writes to the status (new, old).
    #[must_use]
    pub fn prepare_for_status_update(
        self,
        hook: impl Fn(&mut T, &T) + Send + Sync + 'static,
    ) -> Self {
        self.prepare_for_status_update_in(move |_, object, old| hook(object, old))
    }

    /// The same for a hook that needs to know who writes, when, or whether for real.
    #[must_use]
    pub fn prepare_for_status_update_in(
        mut self,
        hook: impl Fn(&Caller<'_>, &mut T, &T) + Send + Sync + 'static,
    ) -> Self {
        self.extras.config.status.prepare_for_update =
            Some(Arc::new(move |object, old, caller| {
                change_from(object, old, &|it: &mut T, old: &T| hook(caller, it, old));
            }));
        self
    }

    /// Objects get so many seconds to end when they are deleted.
    #[must_use]
    pub fn grace_period(self, seconds: i64) -> Self {
        self.delete_strategy(Arc::new(GracePeriod(seconds)))
    }

    /// Replaces how objects are deleted.
    #[must_use]
    pub fn delete_strategy(mut self, delete: Arc<dyn DeleteStrategy>) -> Self {
        self.extras.delete = Some(delete);
        self
    }

    /// Makes names from `generateName`. The names that come out need not be free: an object that
    /// meets another one is refused and may be tried again.
    #[must_use]
    pub fn name_generator(
        mut self,
        generate: impl Fn(&dyn Entropy, &str) -> String + Send + Sync + 'static,
    ) -> Self {
        let generate = move |chance: &dyn Entropy, base: &str| generate(chance, base).into();
        self.extras.config.name_generator = Some(Arc::new(generate));
        self
    }

    /// Makes this version of objects of another version, where the names of fields
    /// (`tag = "conversionName=…"`) are not enough. Objects are converted from the stored version and
    /// to it, so that the stored version needs this for every other one, and every other one for the
    /// stored version. What the server keeps in metadata stays as it is.
    #[must_use]
    pub fn convert_from<U: Resource>(
        mut self,
        hook: impl Fn(&U) -> T + Send + Sync + 'static,
    ) -> Self {
        let others = self.extras.config.convert.take();
        self.extras.config.convert = Some(Arc::new(move |object: &Value, version: &str| {
            let from = object.get("apiVersion").and_then(Value::as_str);
            if version == T::VERSION && from == Some(U::api_version().as_str()) {
                let converted = U::from_object(object).and_then(|it| hook(&it).to_object());
                if let Ok(converted) = converted {
                    return converted;
                }
            }
            others.as_ref().map_or_else(|| object.clone(), |it| it(object, version))
        }));
        self
    }

    /// Replaces the columns of the table form, in every version.
    #[must_use]
    pub fn columns(mut self, columns: Vec<Column>) -> Self {
        self.extras.columns = Some(columns);
        self
    }

    /// Columns of the table form whose cells are computed: `cells` gives one for each column, from the
    /// object and the time in seconds.
    #[must_use]
    pub fn computed_columns(
        mut self,
        columns: Vec<Column>,
        cells: impl Fn(&T, i64) -> Vec<Value> + Send + Sync + 'static,
    ) -> Self {
        let count = columns.len();
        self.extras.config.cells = Some(Arc::new(move |object, now| {
            let name = object.get_path(&["metadata", "name"]).cloned().unwrap_or_default();
            let mut row = vec![name];
            row.extend(T::from_object(object).map(|it| cells(&it, now)).unwrap_or_default());
            row.resize(count + 1, Value::Null);
            row
        }));
        self.columns(columns)
    }

    /// Replaces the fields that may be selected by, such as `.spec.size`, in every version.
    #[must_use]
    pub fn selectable_fields(mut self, paths: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.extras.selectable_fields = Some(paths.into_iter().map(Into::into).collect());
        self
    }

    /// Replaces everything that the declaration would do by a strategy written by hand.
    #[must_use]
    pub fn strategy(mut self, strategy: Arc<dyn Strategy>) -> Self {
        self.extras.strategy = Some(strategy);
        self
    }

    /// Says who decides between hand-written and declared validation.
    #[must_use]
    pub fn rollout(mut self, rollout: Rollout) -> Self {
        self.extras.rollout = Some(rollout);
        self
    }
}

impl Extras {
    /// Puts everything but the hooks proper on a declared kind.
    pub(crate) fn apply(&self, mut declared: Declared) -> Declared {
        if let Some(delete) = &self.delete {
            declared = declared.delete_strategy(Arc::clone(delete));
        }
        if let Some(strategy) = &self.strategy {
            declared = declared.strategy(Arc::clone(strategy));
        }
        if let Some(rollout) = &self.rollout {
            declared = declared.rollout(rollout.clone());
        }
        if let Some(columns) = &self.columns {
            declared = declared.columns(columns.clone());
        }
        if let Some(paths) = &self.selectable_fields {
            // Selectors name fields without the dot that paths begin with.
            let paths = paths.iter().map(|it| it.strip_prefix('.').unwrap_or(it).into()).collect();
            declared = declared.selectable_fields(paths);
        }
        declared
    }
}

/// One configuration for a kind whose versions have hooks of their own: hooks see objects in the
/// version of the request, and each is for one version.
pub(crate) fn by_version(configs: Vec<(String, Config)>) -> Config {
    let configs = match <[_; 1]>::try_from(configs) {
        Ok([(_, config)]) => return config,
        Err(configs) => Arc::new(configs),
    };
    macro_rules! dispatch {
        ($out:ident, $($field:ident).+, |$object:ident $(, $more:ident)*|) => {
            if configs.iter().any(|(_, it)| it.$($field).+.is_some()) {
                let configs = Arc::clone(&configs);
                $out.$($field).+ = Some(Arc::new(move |$object $(, $more)*| {
                    let config = of_version(&configs, $object);
                    match config.and_then(|it| it.$($field).+.as_ref()) {
                        Some(hook) => hook($object $(, $more)*),
                        None => Default::default(),
                    }
                }));
            }
        };
    }
    let mut out = Config::default();
    dispatch!(out, default, |object|);
    dispatch!(out, validate, |object, caller|);
    dispatch!(out, validate_update, |object, old, caller|);
    dispatch!(out, warnings_on_create, |object, caller|);
    dispatch!(out, warnings_on_update, |object, old, caller|);
    dispatch!(out, prepare_for_create, |object, caller|);
    dispatch!(out, prepare_for_update, |object, old, caller|);
    dispatch!(out, drop_disabled_fields, |object, old, gates|);
    dispatch!(out, status.validate_update, |object, old, caller|);
    dispatch!(out, status.warnings_on_update, |object, old, caller|);
    dispatch!(out, cells, |object, now|);
    dispatch!(out, status.prepare_for_update, |object, old, caller|);
    dispatch!(out, status.drop_disabled_fields, |object, old, gates|);
    // Whoever is converted to does the work.
    if configs.iter().any(|(_, it)| it.convert.is_some()) {
        let configs = Arc::clone(&configs);
        out.convert = Some(Arc::new(move |object, version| {
            let own = |api_version: &str| api_version.rsplit('/').next() == Some(version);
            let config = configs.iter().find(|(api_version, _)| own(api_version));
            match config.and_then(|(_, it)| it.convert.as_ref()) {
                Some(convert) => convert(object, version),
                None => object.clone(),
            }
        }));
    }
    // A name is made before there is an object to look at: there is one generator for all.
    out.name_generator = configs.iter().find_map(|(_, it)| it.name_generator.clone());
    out
}

fn of_version<'a>(configs: &'a [(String, Config)], object: &Value) -> Option<&'a Config> {
    let version = object.get("apiVersion").and_then(Value::as_str)?;
    configs.iter().find(|(own, _)| own == version).map(|(_, config)| config)
}

/// Lets a hook change an object.
fn change<T: Resource>(object: &mut Value, hook: &impl Fn(&mut T)) {
    let Ok(mut typed) = T::from_object(object) else { return };
    let Ok(before) = to_value(&typed) else { return };
    hook(&mut typed);
    if let Ok(after) = to_value(&typed) {
        patch(object, &before, &after);
    }
}

fn change_from<T: Resource>(object: &mut Value, old: &Value, hook: &impl Fn(&mut T, &T)) {
    if let Ok(old) = T::from_object(old) {
        change(object, &|it: &mut T| hook(it, &old));
    }
}

fn judged<T: Resource>(object: &Value, hook: impl Fn(&T) -> Found) -> Found {
    match T::from_object(object) {
        Ok(typed) => hook(&typed),
        Err(error) => unreadable::<T>(&error),
    }
}

fn judged_change<T: Resource>(
    object: &Value,
    old: &Value,
    hook: &impl Fn(&T, &T) -> Found,
) -> Found {
    match (T::from_object(object), T::from_object(old)) {
        (Ok(object), Ok(old)) => hook(&object, &old),
        (Err(error), _) => unreadable::<T>(&error),
        // What was stored before stays writable: the new object alone is judged.
        (Ok(object), Err(_)) => hook(&object, &object),
    }
}

/// The schema let pass what the type cannot hold; if it did not, its words are better.
fn unreadable<T: Resource>(error: &ordain_value::serde::Error) -> Found {
    let detail = format!("cannot be read as {}: {error}", T::KIND);
    let error = Error::invalid(&Path::root(), T::KIND, detail).with_origin(UNREADABLE);
    Found::from(ErrorList::from(error))
}
