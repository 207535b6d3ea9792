//! Answers in protobuf: which kinds have that form, and how each is written.

use std::sync::LazyLock;

use ordain_meta::Status;
use ordain_registry::meta_v1;
use ordain_registry::typed::protobuf;
use ordain_registry::{Family, Part, Target};
use ordain_schema::Schema;
use ordain_value::Value;

use crate::negotiate::{Accepted, Encoding, Form};

static STATUS: LazyLock<Schema> = LazyLock::new(meta_v1::status);
static PARTIAL: LazyLock<Schema> = LazyLock::new(meta_v1::partial_metadata);

/// What objects of a target are written by when protobuf is wanted; none when the kind has no
/// such form, and JSON is the answer.
pub(crate) fn schema(target: &Target, part: Part, accepted: Accepted) -> Option<&Schema> {
    if accepted.encoding != Encoding::Protobuf {
        return None;
    }
    match accepted.form {
        Form::Object if part == Part::Scale => match target.resource.family {
            Family::BuiltIn => Some(ordain_registry::scale_schema()),
            Family::Custom => None,
        },
        Form::Object => target.resource.strategy.message(&target.version),
        Form::PartialMetadata(_) | Form::PartialMetadataList(_) => Some(&PARTIAL),
        Form::Table(_) => None,
    }
}

pub(crate) fn status(status: &Status) -> Vec<u8> {
    protobuf::encode(&STATUS, &status.encode())
}

/// One event of a watch in protobuf.
pub(crate) fn frame(ty: &str, schema: &Schema, object: &Value) -> Vec<u8> {
    protobuf::watch_frame(ty, &protobuf::encode(schema, object))
}

/// The refusal that ends a watch in protobuf.
pub(crate) fn error_object_frame(status: &Value) -> Vec<u8> {
    frame("ERROR", &STATUS, status)
}
