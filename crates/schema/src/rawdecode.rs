//! Reading [`Raw`] from a value.

use ordain_value::Value;

use crate::godecode::{DecodeError, Decoder, Findings};
use crate::model::{ExternalDocs, Rule};
use crate::raw::{BoolOr, Dependency, Items, Raw};

const PROPS: &str = "v1.JSONSchemaProps";
const PROPS_LIST: &str = "[]v1.JSONSchemaProps";
const PROPS_MAP: &str = "map[string]v1.JSONSchemaProps";

impl Raw {
    /// Reads a schema as written.
    ///
    /// # Errors
    /// When a keyword has a value of the wrong type, in Go's words.
    pub fn decode(value: &Value) -> Result<(Raw, Findings), DecodeError> {
        let mut decoder = Decoder::default();
        let raw = Raw::read(&mut decoder, value);
        decoder.finish(*raw)
    }

    pub(crate) fn read(d: &mut Decoder, value: &Value) -> Box<Raw> {
        d.deeper(|d| {
            let mut raw = Box::<Raw>::default();
            d.fields(value, ("JSONSchemaProps", PROPS), &mut |d, key, value| {
                raw.read_scalar(d, key, value)
                    || raw.read_child(d, key, value)
                    || raw.read_extension(d, key, value)
            });
            raw
        })
    }

    fn read_scalar(&mut self, d: &mut Decoder, key: &str, value: &Value) -> bool {
        match key {
            "id" => self.id = d.text(value),
            "$schema" => self.schema = d.text_as(value, "v1.JSONSchemaURL"),
            "$ref" => self.reference = d.opt_text(value),
            "description" => self.description = d.text(value),
            "type" => self.ty = d.text(value),
            "format" => self.format = d.text(value),
            "title" => self.title = d.text(value),
            "pattern" => self.pattern = d.text(value),
            "default" => self.default = present(value),
            "example" => self.example = present(value),
            "nullable" => self.nullable = d.flag(value),
            "maximum" => self.maximum = d.opt_number(value),
            "exclusiveMaximum" => self.exclusive_maximum = d.flag(value),
            "minimum" => self.minimum = d.opt_number(value),
            "exclusiveMinimum" => self.exclusive_minimum = d.flag(value),
            "multipleOf" => self.multiple_of = d.opt_number(value),
            "maxLength" => self.max_length = d.opt_int(value),
            "minLength" => self.min_length = d.opt_int(value),
            "maxItems" => self.max_items = d.opt_int(value),
            "minItems" => self.min_items = d.opt_int(value),
            "maxProperties" => self.max_properties = d.opt_int(value),
            "minProperties" => self.min_properties = d.opt_int(value),
            "uniqueItems" => self.unique_items = d.flag(value),
            "enum" => {
                self.enumeration = d.opt_list(value, "[]v1.JSON", &mut |_, item| item.clone());
            }
            "required" => self.required = d.opt_texts(value),
            "externalDocs" => self.external_docs = read_docs(d, value),
            _ => return false,
        }
        true
    }

    fn read_child(&mut self, d: &mut Decoder, key: &str, value: &Value) -> bool {
        match key {
            "items" => self.items = read_items(d, value),
            "allOf" => self.all_of = read_list(d, value),
            "oneOf" => self.one_of = read_list(d, value),
            "anyOf" => self.any_of = read_list(d, value),
            "not" => self.not = (!value.is_null()).then(|| Raw::read(d, value)),
            "properties" => self.properties = read_map(d, value),
            "patternProperties" => self.pattern_properties = read_map(d, value),
            "definitions" => {
                self.definitions = d.opt_map(value, "v1.JSONSchemaDefinitions", &mut Raw::read);
            }
            "additionalProperties" => self.additional_properties = read_bool_or(d, value),
            "additionalItems" => self.additional_items = read_bool_or(d, value),
            "dependencies" => {
                self.dependencies =
                    d.opt_map(value, "v1.JSONSchemaDependencies", &mut read_dependency);
            }
            _ => return false,
        }
        true
    }

    fn read_extension(&mut self, d: &mut Decoder, key: &str, value: &Value) -> bool {
        match key {
            "x-kubernetes-preserve-unknown-fields" => {
                self.preserve_unknown_fields = d.opt_flag(value);
            }
            "x-kubernetes-embedded-resource" => self.embedded_resource = d.flag(value),
            "x-kubernetes-int-or-string" => self.int_or_string = d.flag(value),
            "x-kubernetes-list-map-keys" => self.list_map_keys = d.opt_texts(value),
            "x-kubernetes-list-type" => self.list_type = d.opt_text(value),
            "x-kubernetes-map-type" => self.map_type = d.opt_text(value),
            "x-kubernetes-validations" => {
                self.validations = d.opt_list(value, "v1.ValidationRules", &mut read_rule);
            }
            crate::unions::KEY => {
                // It is kept for those who switch it on, and an unknown field for all others.
                self.unions = present(value);
                return false;
            }
            crate::extensions::STRIP_ZERO => {
                self.strip_zero = present(value);
                return false;
            }
            crate::extensions::VALIDATION_ERRORS => {
                self.validation_errors = present(value);
                return false;
            }
            _ => return false,
        }
        true
    }
}

fn present(value: &Value) -> Option<Value> {
    (!value.is_null()).then(|| value.clone())
}

fn read_list(d: &mut Decoder, value: &Value) -> Option<Vec<Raw>> {
    d.opt_list(value, PROPS_LIST, &mut |d, item| *Raw::read(d, item))
}

fn read_map(
    d: &mut Decoder,
    value: &Value,
) -> Option<std::collections::BTreeMap<ordain_value::Text, Box<Raw>>> {
    d.opt_map(value, PROPS_MAP, &mut Raw::read)
}

fn read_items(d: &mut Decoder, value: &Value) -> Option<Items> {
    d.leniently(|d| match value {
        Value::Null => None,
        Value::Map(_) => Some(Items::One(Raw::read(d, value))),
        Value::List(_) => read_list(d, value).map(Items::Many),
        _ => Some(Items::Neither),
    })
}

fn read_bool_or(d: &mut Decoder, value: &Value) -> Option<BoolOr> {
    d.leniently(|d| match value {
        Value::Null => None,
        Value::Bool(allowed) => Some(BoolOr::Bool(*allowed)),
        Value::Map(_) => Some(BoolOr::Schema(Raw::read(d, value))),
        _ => {
            d.fail("boolean or JSON schema expected".to_owned());
            None
        }
    })
}

fn read_dependency(d: &mut Decoder, value: &Value) -> Dependency {
    d.leniently(|d| match value {
        Value::Map(_) => Dependency::Schema(Raw::read(d, value)),
        Value::List(_) => Dependency::Properties(d.opt_texts(value).unwrap_or_default()),
        _ => Dependency::Neither,
    })
}

fn read_docs(d: &mut Decoder, value: &Value) -> Option<ExternalDocs> {
    if value.is_null() {
        return None;
    }
    let mut docs = ExternalDocs::default();
    d.fields(value, ("ExternalDocumentation", "v1.ExternalDocumentation"), &mut |d, key, value| {
        match key {
            "description" => docs.description = d.text(value),
            "url" => docs.url = d.text(value),
            _ => return false,
        }
        true
    });
    Some(docs)
}

fn read_rule(d: &mut Decoder, value: &Value) -> Rule {
    let mut rule = Rule::default();
    d.fields(value, ("ValidationRule", "v1.ValidationRule"), &mut |d, key, value| {
        match key {
            "rule" => rule.rule = d.text(value),
            "message" => rule.message = d.text(value),
            "messageExpression" => rule.message_expression = d.text(value),
            "reason" => {
                let ty = "v1.FieldValueErrorReason";
                rule.reason = (!value.is_null()).then(|| d.text_as(value, ty));
            }
            "fieldPath" => rule.field_path = d.text(value),
            "optionalOldSelf" => rule.optional_old_self = d.opt_flag(value),
            _ => return false,
        }
        true
    });
    rule
}
