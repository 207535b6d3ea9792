//! Types whose JSON is not what their Go declaration suggests, and the schemas they have instead.

use std::collections::BTreeMap;

use ordain_schema::raw::{BoolOr, Items, Raw};
use ordain_value::Text;

const QUANTITY: &str = "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

/// The schema of a well-known type.
pub(super) fn schema(package: &str, name: &str, embedded_object_meta: bool) -> Option<Raw> {
    Some(match (package, name) {
        ("k8s.io/apimachinery/pkg/apis/meta/v1", "ObjectMeta") if embedded_object_meta => {
            object_meta()
        }
        ("k8s.io/apimachinery/pkg/apis/meta/v1", "ObjectMeta")
        | ("k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "Unstructured") => of("object"),
        ("k8s.io/apimachinery/pkg/apis/meta/v1", "Time" | "MicroTime") => {
            Raw { format: Text::new_static("date-time"), ..of("string") }
        }
        ("k8s.io/apimachinery/pkg/apis/meta/v1", "Duration") => of("string"),
        ("k8s.io/apimachinery/pkg/apis/meta/v1", "Fields") => {
            Raw { additional_properties: Some(BoolOr::Bool(true)), ..of("object") }
        }
        ("k8s.io/apimachinery/pkg/api/resource", "Quantity") => {
            Raw { pattern: Text::new_static(QUANTITY), ..int_or_string() }
        }
        ("k8s.io/apimachinery/pkg/util/intstr", "IntOrString") => int_or_string(),
        ("k8s.io/apimachinery/pkg/runtime", "RawExtension") => {
            Raw { preserve_unknown_fields: Some(true), ..of("object") }
        }
        (
            "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
            | "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1",
            "JSON",
        ) => Raw { preserve_unknown_fields: Some(true), ..Raw::default() },
        _ => return None,
    })
}

pub(super) fn of(ty: &'static str) -> Raw {
    Raw { ty: Text::new_static(ty), ..Raw::default() }
}

fn int_or_string() -> Raw {
    Raw { int_or_string: true, any_of: Some(vec![of("integer"), of("string")]), ..Raw::default() }
}

/// The part of the metadata that means something in an embedded object.
fn object_meta() -> Raw {
    let strings = || Raw {
        additional_properties: Some(BoolOr::Schema(Box::new(of("string")))),
        ..of("object")
    };
    let list = Raw { items: Some(Items::One(Box::new(of("string")))), ..of("array") };
    let properties = [
        ("name", of("string")),
        ("namespace", of("string")),
        ("annotations", strings()),
        ("labels", strings()),
        ("finalizers", list),
    ];
    let properties: BTreeMap<Text, Box<Raw>> =
        properties.into_iter().map(|(name, raw)| (Text::new_static(name), Box::new(raw))).collect();
    Raw { properties: Some(properties), ..of("object") }
}
