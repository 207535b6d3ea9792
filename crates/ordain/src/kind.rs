//! What a Rust type must be to be declared and served.

use ordain_value::Value;
use ordain_value::serde::{Error, from_value, to_value};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::declare::{Declarations, Ty};
use crate::object_meta::ObjectMeta;

/// A type with a declaration. Derive it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no declaration",
    label = "not a type that an API can have",
    note = "derive `ordain::Schema` for it, or use a type that has one: bool, i32, i64, f64, String, Option, Box, Vec, BTreeMap<String, _>, ordain::Value or those of ordain::types"
)]
pub trait Schema: 'static {
    /// Adds the declaration of this type and of all types it uses.
    fn declare(declarations: &mut Declarations) -> Ty;
}

/// A kind. Derive it for a struct with `metadata`.
pub trait Resource: Schema + Serialize + DeserializeOwned + Send + Sync {
    /// The API group, such as `shop.example.com`.
    const GROUP: &'static str;
    /// The version that this struct is.
    const VERSION: &'static str;
    /// The kind's name.
    const KIND: &'static str;
    /// Where the declaration is published; the last part is the version.
    const PACKAGE: &'static str;

    /// The object's metadata.
    fn metadata(&self) -> &ObjectMeta;

    /// The object's metadata, to be changed.
    fn metadata_mut(&mut self) -> &mut ObjectMeta;

    /// How many times the wanted state has changed.
    fn generation(&self) -> i64 {
        self.metadata().generation
    }

    /// Sets how many times the wanted state has changed.
    fn set_generation(&mut self, generation: i64) {
        self.metadata_mut().generation = generation;
    }

    /// `<group>/<version>`
    #[must_use]
    fn api_version() -> String {
        format!("{}/{}", Self::GROUP, Self::VERSION)
    }

    /// Reads an object.
    ///
    /// # Errors
    /// When the object is not of this shape.
    fn from_object(object: &Value) -> Result<Self, Error> {
        let mut object = object.clone();
        if let Some(map) = object.as_map_mut() {
            // They are the type itself; a struct that refuses unknown fields does not know them.
            map.remove("apiVersion");
            map.remove("kind");
        }
        from_value(&object)
    }

    /// Writes an object with its kind and version.
    ///
    /// # Errors
    /// When a part of the struct has no form as JSON.
    fn to_object(&self) -> Result<Value, Error> {
        let mut object = to_value(self)?;
        if let Some(map) = object.as_map_mut() {
            map.insert("apiVersion", Self::api_version().into());
            map.insert("kind", Self::KIND.into());
        }
        Ok(object)
    }
}

/// A kind with a wanted state.
pub trait HasSpec {
    /// The type of the field `spec`.
    type Spec;
    /// The wanted state.
    fn spec(&self) -> &Self::Spec;
    /// The wanted state, to be changed.
    fn spec_mut(&mut self) -> &mut Self::Spec;
}

/// A kind with an observed state; it has a status subresource.
pub trait HasStatus {
    /// The type of the field `status`.
    type Status;
    /// The observed state.
    fn status(&self) -> &Self::Status;
    /// The observed state, to be changed.
    fn status_mut(&mut self) -> &mut Self::Status;
}
