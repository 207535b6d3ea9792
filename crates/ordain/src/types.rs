//! Types of the API machinery for fields: their JSON is not that of a plain Rust type.

use serde::{Deserialize, Serialize};

use crate::declare::{Declarations, Ty};
use crate::kind::Schema;

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident = $package:literal;)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl Schema for $name {
            fn declare(_: &mut Declarations) -> Ty {
                Ty::Foreign($package.to_owned(), stringify!($name).to_owned())
            }
        }
    )*};
}

texts! {
    /// A time in seconds, RFC 3339.
    Time = "k8s.io/apimachinery/pkg/apis/meta/v1";
    /// A time in microseconds, RFC 3339.
    MicroTime = "k8s.io/apimachinery/pkg/apis/meta/v1";
    /// A duration as Go writes it, such as `1h30m`.
    Duration = "k8s.io/apimachinery/pkg/apis/meta/v1";
}

/// An amount with a unit, such as `500m` or `2Gi`; JSON may also have a plain number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Quantity {
    /// A plain number.
    Number(f64),
    /// A number with or without a unit, as a text.
    Text(String),
}

impl Schema for Quantity {
    fn declare(_: &mut Declarations) -> Ty {
        Ty::Foreign("k8s.io/apimachinery/pkg/api/resource".into(), "Quantity".into())
    }
}

/// A number or a text, such as a port or `25%`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum IntOrString {
    /// A number, such as a port.
    Int(i32),
    /// A text, such as a port's name or a percentage.
    String(String),
}

impl Schema for IntOrString {
    fn declare(_: &mut Declarations) -> Ty {
        Ty::Foreign("k8s.io/apimachinery/pkg/util/intstr".into(), "IntOrString".into())
    }
}

/// An object of any kind, kept as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawExtension(pub ordain_value::Value);

impl Schema for RawExtension {
    fn declare(_: &mut Declarations) -> Ty {
        Ty::Foreign("k8s.io/apimachinery/pkg/runtime".into(), "RawExtension".into())
    }
}

/// Bytes, base64 in JSON; kept as that text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub String);

impl Schema for Bytes {
    fn declare(_: &mut Declarations) -> Ty {
        Ty::Bytes
    }
}
