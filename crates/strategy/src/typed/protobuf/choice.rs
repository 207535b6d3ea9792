//! Types of definitions whose JSON is one of two things: a schema, or something simpler.
//!
//! Protobuf has a field for each; JSON has the thing itself.

use ordain_schema::Node;
use ordain_value::{List, Map, Value};

/// What stands beside a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// A list of schemas, or of names.
    List(&'static str),
    /// Yes or no.
    Bool,
}

const SCHEMA: &str = "Schema";
const ALLOWS: &str = "Allows";

impl Choice {
    /// The choice that a place has, by the name of its Go type.
    pub(super) fn of(node: &Node) -> Option<Self> {
        Some(match node.declared.as_ref()?.go_type.as_deref()? {
            "v1.JSONSchemaPropsOrArray" => Self::List("JSONSchemas"),
            "v1.JSONSchemaPropsOrStringArray" => Self::List("Property"),
            "v1.JSONSchemaPropsOrBool" => Self::Bool,
            _ => return None,
        })
    }

    /// The JSON of what the fields of the message say.
    pub(super) fn unwrap(self, fields: &Map) -> Value {
        if let Some(schema) = fields.get(SCHEMA) {
            return schema.clone();
        }
        match self {
            Self::List(name) => fields.get(name).cloned().unwrap_or(Value::List(List::new())),
            Self::Bool => fields.get(ALLOWS).cloned().unwrap_or(Value::Bool(false)),
        }
    }

    /// The fields of the message for a JSON value. A schema allows what it describes.
    pub(super) fn wrap(self, value: &Value) -> Value {
        let mut fields = Map::new();
        match (self, value) {
            (_, Value::Map(_)) => {
                fields.insert(SCHEMA, value.clone());
                fields.insert(ALLOWS, Value::Bool(true));
            }
            (Self::List(name), list) => {
                fields.insert(name, list.clone());
            }
            (Self::Bool, flag) => {
                fields.insert(ALLOWS, flag.clone());
            }
        }
        Value::Map(fields)
    }
}
