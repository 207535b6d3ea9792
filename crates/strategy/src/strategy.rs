//! What a kind does at the steps of the verbs.
//!
//! The verbs are the same for all kinds; where kinds differ they ask the [`Strategy`]. Custom
//! resources answer by their compiled plan, declared kinds by plan and [`Config`], and a few kinds
//! (CustomResourceDefinition) by code of their own.

use std::fmt;

use ordain_merge::FieldManager;
use ordain_meta::status::Status;
pub use ordain_passes::Known;
use ordain_passes::declared::settle::{Removed, Why};
use ordain_schema::Schema;
use ordain_schema::declared::Kind;
use ordain_schema::publish::{Options as PublishOptions, Published};
use ordain_value::{Text, Value, field, json};

use crate::context::{Caller, Context};
use crate::conversion::ConversionWebhook;
use crate::decode::{DecodeError, Decoded};
pub use crate::hooks::{Config, DeleteStrategy, GracePeriod, StatusConfig};
use crate::pool::Pool;
use crate::request::{FieldValidation, Warnings};
use crate::source::{self, Entropy};

/// Which part of an object a request writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The object itself.
    Main,
    /// Its status only.
    Status,
    /// The replicas, through the scale subresource.
    Scale,
    /// A subresource of the kind's own, by its place in the configuration.
    Other(usize),
}

/// What becomes of dependents when a delete does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GarbageCollection {
    /// They go too.
    #[default]
    DeleteDependents,
    /// They stay without an owner.
    OrphanDependents,
    /// There are none.
    Unsupported,
}

/// The fixed properties of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    /// A PUT to a name that does not exist creates it.
    pub create_on_update: bool,
    /// A PUT without resourceVersion overwrites whatever is there.
    pub unconditional_update: bool,
    /// A finished DELETE answers with the object instead of a Status.
    pub returns_deleted: bool,
    /// What becomes of dependents when a delete does not say.
    pub garbage_collection: GarbageCollection,
    /// What is reported when a DELETE leaves dependents alone because it does not say; empty for nothing.
    pub orphaning_warning: &'static str,
    /// A DELETE leaves the object in place, marked, until its content is gone.
    pub delete_marks: bool,
}

/// An object on its way into the store, with what it replaces.
pub struct Change<'a> {
    /// The version of the request.
    pub version: &'a str,
    /// What is written.
    pub part: Part,
    /// The object as it would be stored.
    pub object: &'a Value,
    /// The object as it is; none on creates.
    pub old: Option<&'a Value>,
    /// What reading the object has shown already; nothing by default.
    pub known: Known,
    /// Who writes, when, and whether for real.
    pub caller: Caller<'a>,
}

/// A field that is taken out before anything is checked, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The path of the field.
    pub field: String,
    /// Why it is taken out.
    pub why: &'static str,
}

impl From<Removed> for Dropped {
    fn from((field, why): Removed) -> Self {
        let why = match why {
            Why::Unselected => "the discriminator of its union no longer selects it",
            Why::GateOff => "its feature gate is off",
        };
        Self { field, why }
    }
}

/// The behaviour of a kind.
pub trait Strategy: fmt::Debug + Send + Sync + 'static {
    /// The fixed properties of the kind.
    fn policy(&self) -> Policy;

    /// Turns a decoded body into an object of this kind: checks its shape, removes what the
    /// schema does not know (naming it, unless ignored), and fills in defaults.
    fn decode(
        &self,
        version: &str,
        body: Value,
        validation: FieldValidation,
    ) -> Result<Decoded, DecodeError>;

    /// Takes the result of a strategic merge patch as content of the kind, with the fields that it
    /// does not know; [`Strategy::decode`] still follows.
    ///
    /// # Errors
    /// When a value does not fit, in the words of Go's converter.
    fn convert_patched(&self, _version: &str, object: &Value) -> Result<Decoded, DecodeError> {
        Ok(Decoded::new(object.clone(), Vec::new()))
    }

    /// Reads an object that one step of mutating admission changed: defaults come.
    fn reread(
        &self,
        version: &str,
        object: Value,
        validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        self.decode(version, object, validation)
    }

    /// Brings an object into the version of the request after all of mutating admission.
    fn shape_mutated(&self, version: &str, object: Value) -> Value {
        self.convert(&object, version).unwrap_or(object)
    }

    /// Brings an object that mutating admission changed into shape for the store: what its schema
    /// does not know goes. Validating admission still saw it. Nulls stay, unlike in what clients
    /// send.
    fn shape_admitted(&self, _version: &str, object: Value) -> Value {
        object
    }

    /// Fills in the defaults of an object that was merged by apply, which is neither pruned nor
    /// cleaned of nulls.
    ///
    /// # Errors
    /// When a value is not of the type of its place, in the words of Go's converter: merging takes
    /// any scalar for a time or a quantity.
    fn default_applied(&self, version: &str, object: Value) -> Result<Value, DecodeError>;

    /// Makes a stored object usable: prunes, cleans and defaults by the version that it is stored
    /// in. Custom resources stay in that version, others come in the storage version.
    fn read(&self, stored: Value) -> Value;

    /// The object in another version.
    ///
    /// # Errors
    /// When it has none there, in words; and for kinds with a [`Strategy::conversion_webhook`],
    /// which only whoever can wait for an answer may ask.
    fn convert(&self, object: &Value, version: &str) -> Result<Value, String>;

    /// Whether the versions of a custom kind differ in more than their name, as its definition
    /// declares.
    fn converts_fields(&self) -> bool {
        false
    }

    /// Who converts objects in place of [`Strategy::convert`].
    fn conversion_webhook(&self) -> Option<&ConversionWebhook> {
        None
    }

    /// Brings an object that was converted elsewhere into the shape of its new version: what the
    /// schema does not know goes. Defaults are not filled in.
    fn shape_converted(&self, _version: &str, object: Value) -> Value {
        object
    }

    /// Fields that a gate keeps from an object unless the old one has such fields already, as strict
    /// field validation names them.
    fn gated_fields(&self, _object: &Value, _old: Option<&Value>) -> Vec<String> {
        Vec::new()
    }

    /// Puts into a replacement what its client left out without meaning to: the member of a union
    /// that the unchanged discriminator still selects. Gives the places.
    fn keep_members(&self, _version: &str, _object: &mut Value, _old: &Value) -> Vec<String> {
        Vec::new()
    }

    /// The steps between admission and preparation that only declared kinds and gated extensions
    /// have: members of unions that a changed discriminator no longer names are cleared, fields of
    /// gates that are off are dropped. Returns what was removed.
    fn settle(
        &self,
        _version: &str,
        _part: Part,
        _object: &mut Value,
        _old: Option<&Value>,
    ) -> Vec<Dropped> {
        Vec::new()
    }

    /// Fills in what the object is given from pools, and gives up what it no longer needs: after
    /// admission, before preparation. `old` is absent for a new object.
    fn allocate(
        &self,
        _object: &mut Value,
        _old: Option<&Value>,
        _pool: &mut dyn Pool,
    ) -> Result<(), Status> {
        Ok(())
    }

    /// Whether objects of the kind are given anything from pools.
    fn allocates(&self) -> bool {
        false
    }

    /// Advice on a new object before it is prepared, whether it is accepted or not.
    fn warn_unprepared(&self, _object: &Value, _warnings: &mut Warnings) {}

    /// Whether a strict server surely takes a new object as it is, without a word. What is not known for
    /// certain is judged.
    fn surely_takes(&self, _version: &str, _object: &Value) -> bool {
        false
    }

    /// Sets what a create decides itself: generation, status, fields of gates.
    fn prepare_for_create(&self, version: &str, object: &mut Value, caller: &Caller<'_>);

    /// Keeps what a write to this part may not change, and counts changes of the desired state.
    fn prepare_for_update(
        &self,
        version: &str,
        part: Part,
        object: &mut Value,
        old: &Value,
        caller: &Caller<'_>,
    );

    /// Notes down when and by whom a prepared object is written, for kinds that keep it. Without an
    /// old object for a create.
    fn stamp(
        &self,
        _context: &Context<'_>,
        _part: Part,
        _object: &mut Value,
        _old: Option<&Value>,
    ) {
    }

    /// Everything that is wrong with a new object or a change. What ratcheting lets pass is a
    /// warning.
    fn validate(&self, change: &Change<'_>, warnings: &mut Warnings) -> field::ErrorList;

    /// Brings an object, of which this part was accepted, into the form in which it is stored; given
    /// what reading it has shown.
    fn canonicalize(&self, _part: Part, _object: &mut Value, _known: Known) {}

    /// Advice on an accepted object.
    fn warn(&self, change: &Change<'_>, warnings: &mut Warnings);

    /// Who keeps the record of field owners for a part of the kind.
    fn field_manager(&self, version: &str, part: Part) -> Option<&FieldManager>;

    /// An object of the kind with nothing set, as its codec writes it: what a create is compared
    /// with. `None` for kinds whose empty object has a type only.
    fn empty_object(&self, _version: &str) -> Option<Value> {
        None
    }

    /// The value of a field that may be selected by; `None` for a field that may not.
    fn field(&self, version: &str, object: &Value, field: &str) -> Option<Text>;

    /// The refusal of a field selector on an unknown field.
    fn unknown_field(&self, field: &str) -> String {
        format!("field label not supported: {field}")
    }

    /// The declaration of a kind that was declared as types.
    fn declared(&self) -> Option<&Kind> {
        None
    }

    /// The schema of a declared kind as documents show it.
    fn published(&self, _version: &str, _options: PublishOptions) -> Option<Published> {
        None
    }

    /// Makes a name from a `generateName`.
    fn generate_name(&self, entropy: &dyn Entropy, base: &str) -> Text {
        source::generate_name(entropy, base)
    }

    /// How objects are deleted, where it differs from the conventions.
    fn delete_strategy(&self) -> Option<&dyn DeleteStrategy> {
        None
    }

    /// The schema of a version, whatever family the kind is of.
    fn shape(&self, version: &str) -> Option<&Schema> {
        self.schema(version)
    }

    /// The declaration of a built-in kind, for encodings and documents.
    fn schema(&self, _version: &str) -> Option<&Schema> {
        None
    }

    /// The declaration by which objects are read and written in protobuf; kinds without one have
    /// no such form.
    fn message(&self, version: &str) -> Option<&Schema> {
        self.schema(version)
    }

    /// The cells of an object's row in the table form, for kinds that compute them.
    fn cells(&self, _object: &Value, _now_seconds: i64) -> Option<Vec<Value>> {
        None
    }

    /// Takes out of the metadata of an object's row what the server holds elsewhere in the object.
    fn row_metadata(&self, _metadata: &mut Value) {}

    /// Puts the objects of a table into the order of its rows.
    fn sort_rows(&self, _objects: &mut [Value]) {}

    /// Whether the rows of a table have an order of their own.
    fn sorts_rows(&self) -> bool {
        false
    }

    /// The object as it is written, if that is not the object itself: a struct leaves out empty lists
    /// and maps, which it may hold until it is stored.
    fn written(&self, _version: &str, _object: &Value) -> Option<Value> {
        None
    }

    /// The text of an object of the kind, as patches find it: in the order of its keys, unless the kind
    /// is held as a struct.
    fn text(&self, _version: &str, object: &Value) -> String {
        json::encode_string(object)
    }

    /// Marks an object as being deleted, for kinds whose DELETE leaves it in place.
    /// `None` when nothing holds it and it may go.
    fn mark_deleted(&self, _object: &Value, _now: &str) -> Option<Value> {
        None
    }
}
