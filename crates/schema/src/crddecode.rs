//! Reading a [`Crd`] as Go's decoder would fill the type.

use ordain_value::Value;

use crate::crd::{
    Column, Condition, Conversion, Crd, CrdNames, CrdSpec, CrdStatus, CrdVersion, Scale,
    SelectableField, Service, Subresources, VersionSchema, Webhook, WebhookClient,
};
use crate::godecode::{DecodeError, Decoder, Findings};
use crate::open_api::OpenApi;
use crate::raw::Raw;

impl Crd {
    /// Reads a definition. Nothing is defaulted yet.
    ///
    /// # Errors
    /// When a field has a value of the wrong type, in Go's words.
    pub fn decode(value: &Value) -> Result<(Crd, Findings), DecodeError> {
        Crd::read(Decoder::default(), value)
    }

    /// Reads a definition that was accepted before; its schemas are read when they are looked at.
    ///
    /// # Errors
    /// When a field outside of the schemas has a value of the wrong type.
    pub fn decode_accepted(value: &Value) -> Result<Crd, DecodeError> {
        let decoder = Decoder::of_accepted();
        Crd::read(decoder, value).map(|(crd, _)| crd)
    }

    fn read(mut decoder: Decoder, value: &Value) -> Result<(Crd, Findings), DecodeError> {
        let mut crd = Crd::default();
        let ty = ("CustomResourceDefinition", "v1.CustomResourceDefinition");
        decoder.fields(value, ty, &mut |d, key, value| {
            match key {
                "apiVersion" | "kind" => {
                    d.text(value);
                }
                "metadata" => crd.metadata = d.metadata(value),
                "spec" => crd.spec = read_spec(d, value),
                "status" => crd.status = read_status(d, value),
                _ => return false,
            }
            true
        });
        decoder.finish(crd)
    }
}

fn read_spec(d: &mut Decoder, value: &Value) -> CrdSpec {
    let mut spec = CrdSpec::default();
    let ty = ("CustomResourceDefinitionSpec", "v1.CustomResourceDefinitionSpec");
    d.fields(value, ty, &mut |d, key, value| {
        match key {
            "group" => spec.group = d.text(value),
            "names" => spec.names = read_names(d, value),
            "scope" => spec.scope = d.text_as(value, "v1.ResourceScope"),
            "versions" => {
                let ty = "[]v1.CustomResourceDefinitionVersion";
                spec.versions = d.opt_list(value, ty, &mut read_version);
            }
            "conversion" => spec.conversion = present(value).map(|v| read_conversion(d, v)),
            "preserveUnknownFields" => spec.preserve_unknown_fields = d.flag(value),
            _ => return false,
        }
        true
    });
    spec
}

fn read_names(d: &mut Decoder, value: &Value) -> CrdNames {
    let mut names = CrdNames::default();
    let ty = ("CustomResourceDefinitionNames", "v1.CustomResourceDefinitionNames");
    d.fields(value, ty, &mut |d, key, value| {
        match key {
            "plural" => names.plural = d.text(value),
            "singular" => names.singular = d.text(value),
            "shortNames" => names.short_names = d.opt_texts(value),
            "kind" => names.kind = d.text(value),
            "listKind" => names.list_kind = d.text(value),
            "categories" => names.categories = d.opt_texts(value),
            _ => return false,
        }
        true
    });
    names
}

fn read_version(d: &mut Decoder, value: &Value) -> CrdVersion {
    let mut version = CrdVersion::default();
    let ty = ("CustomResourceDefinitionVersion", "v1.CustomResourceDefinitionVersion");
    d.fields(value, ty, &mut |d, key, value| {
        match key {
            "name" => version.name = d.text(value),
            "served" => version.served = d.flag(value),
            "storage" => version.storage = d.flag(value),
            "deprecated" => version.deprecated = d.flag(value),
            "deprecationWarning" => version.deprecation_warning = d.opt_text(value),
            "schema" => version.schema = present(value).map(|v| read_schema(d, v)),
            "subresources" => {
                version.subresources = present(value).map(|v| read_subresources(d, v));
            }
            "additionalPrinterColumns" => {
                let ty = "[]v1.CustomResourceColumnDefinition";
                version.columns = d.opt_list(value, ty, &mut read_column);
            }
            "selectableFields" => {
                let ty = "[]v1.SelectableField";
                version.selectable_fields = d.opt_list(value, ty, &mut read_selectable);
            }
            _ => return false,
        }
        true
    });
    version
}

fn read_schema(d: &mut Decoder, value: &Value) -> VersionSchema {
    let mut schema = VersionSchema::default();
    let ty = ("CustomResourceValidation", "v1.CustomResourceValidation");
    d.fields(value, ty, &mut |d, key, value| {
        match key {
            "openAPIV3Schema" => schema.open_api = present(value).map(|v| read_open_api(d, v)),
            _ => return false,
        }
        true
    });
    schema
}

fn read_open_api(d: &mut Decoder, value: &Value) -> OpenApi {
    if d.is_accepted { OpenApi::accepted(value) } else { OpenApi::new(*Raw::read(d, value)) }
}

fn read_subresources(d: &mut Decoder, value: &Value) -> Subresources {
    let mut subresources = Subresources::default();
    let ty = ("CustomResourceSubresources", "v1.CustomResourceSubresources");
    d.fields(value, ty, &mut |d, key, value| {
        match key {
            "status" => {
                let ty = ("CustomResourceSubresourceStatus", "v1.CustomResourceSubresourceStatus");
                d.fields(value, ty, &mut |_, _, _| false);
                subresources.status = !value.is_null();
            }
            "scale" => subresources.scale = present(value).map(|v| read_scale(d, v)),
            _ => return false,
        }
        true
    });
    subresources
}

fn read_scale(d: &mut Decoder, value: &Value) -> Scale {
    let mut scale = Scale::default();
    let ty = ("CustomResourceSubresourceScale", "v1.CustomResourceSubresourceScale");
    d.fields(value, ty, &mut |d, key, value| {
        match key {
            "specReplicasPath" => scale.spec_replicas_path = d.text(value),
            "statusReplicasPath" => scale.status_replicas_path = d.text(value),
            "labelSelectorPath" => scale.label_selector_path = d.opt_text(value),
            _ => return false,
        }
        true
    });
    scale
}

fn read_column(d: &mut Decoder, value: &Value) -> Column {
    let mut column = Column::default();
    let ty = ("CustomResourceColumnDefinition", "v1.CustomResourceColumnDefinition");
    d.fields(value, ty, &mut |d, key, value| {
        match key {
            "name" => column.name = d.text(value),
            "type" => column.ty = d.text(value),
            "format" => column.format = d.text(value),
            "description" => column.description = d.text(value),
            "priority" => column.priority = d.opt_int32(value).unwrap_or_default(),
            "jsonPath" => column.json_path = d.text(value),
            _ => return false,
        }
        true
    });
    column
}

fn read_selectable(d: &mut Decoder, value: &Value) -> SelectableField {
    let mut selectable = SelectableField::default();
    d.fields(value, ("SelectableField", "v1.SelectableField"), &mut |d, key, value| {
        match key {
            "jsonPath" => selectable.json_path = d.text(value),
            _ => return false,
        }
        true
    });
    selectable
}

fn read_conversion(d: &mut Decoder, value: &Value) -> Conversion {
    let mut conversion = Conversion::default();
    let ty = ("CustomResourceConversion", "v1.CustomResourceConversion");
    d.fields(value, ty, &mut |d, key, value| {
        match key {
            "strategy" => conversion.strategy = d.text_as(value, "v1.ConversionStrategyType"),
            "webhook" => conversion.webhook = present(value).map(|v| read_webhook(d, v)),
            _ => return false,
        }
        true
    });
    conversion
}

fn read_webhook(d: &mut Decoder, value: &Value) -> Webhook {
    let mut webhook = Webhook::default();
    d.fields(value, ("WebhookConversion", "v1.WebhookConversion"), &mut |d, key, value| {
        match key {
            "clientConfig" => webhook.client = present(value).map(|v| read_client(d, v)),
            "conversionReviewVersions" => webhook.review_versions = d.opt_texts(value),
            _ => return false,
        }
        true
    });
    webhook
}

fn read_client(d: &mut Decoder, value: &Value) -> WebhookClient {
    let mut client = WebhookClient::default();
    d.fields(value, ("WebhookClientConfig", "v1.WebhookClientConfig"), &mut |d, key, value| {
        match key {
            "url" => client.url = d.opt_text(value),
            "service" => client.service = present(value).map(|v| read_service(d, v)),
            "caBundle" => client.ca_bundle = d.base64(value),
            _ => return false,
        }
        true
    });
    client
}

fn read_service(d: &mut Decoder, value: &Value) -> Service {
    let mut service = Service::default();
    d.fields(value, ("ServiceReference", "v1.ServiceReference"), &mut |d, key, value| {
        match key {
            "namespace" => service.namespace = d.text(value),
            "name" => service.name = d.text(value),
            "path" => service.path = d.opt_text(value),
            "port" => service.port = d.opt_int32(value),
            _ => return false,
        }
        true
    });
    service
}

fn read_status(d: &mut Decoder, value: &Value) -> CrdStatus {
    let mut status = CrdStatus::default();
    let ty = ("CustomResourceDefinitionStatus", "v1.CustomResourceDefinitionStatus");
    d.fields(value, ty, &mut |d, key, value| {
        match key {
            "conditions" => {
                let ty = "[]v1.CustomResourceDefinitionCondition";
                status.conditions = d.opt_list(value, ty, &mut read_condition);
            }
            "acceptedNames" => status.accepted_names = read_names(d, value),
            "storedVersions" => status.stored_versions = d.opt_texts(value),
            "observedGeneration" => {
                status.observed_generation = d.opt_int(value).unwrap_or_default();
            }
            _ => return false,
        }
        true
    });
    status
}

fn read_condition(d: &mut Decoder, value: &Value) -> Condition {
    let mut condition = Condition::default();
    let ty = ("CustomResourceDefinitionCondition", "v1.CustomResourceDefinitionCondition");
    d.fields(value, ty, &mut |d, key, value| {
        match key {
            "type" => {
                condition.ty = d.text_as(value, "v1.CustomResourceDefinitionConditionType");
            }
            "status" => condition.status = d.text_as(value, "v1.ConditionStatus"),
            "lastTransitionTime" => condition.last_transition_time = d.time(value),
            "reason" => condition.reason = d.text(value),
            "message" => condition.message = d.text(value),
            "observedGeneration" => {
                condition.observed_generation = d.opt_int(value).unwrap_or_default();
            }
            _ => return false,
        }
        true
    });
    condition
}

fn present(value: &Value) -> Option<&Value> {
    (!value.is_null()).then_some(value)
}

/// Whether a key that stands twice is reported in a definition. Inside values that the type reads
/// by its own means (items, further properties, defaults…) it goes unnoticed upstream.
#[must_use]
pub fn reports_duplicate(path: &str) -> bool {
    let Some((_, path)) = path.split_once(".schema.openAPIV3Schema.") else {
        return !path.contains(".fieldsV1.");
    };
    let mut in_map = false;
    let mut steps = path.split('.').peekable();
    while let Some(step) = steps.next() {
        let keyword = step.split('[').next().unwrap_or_default();
        if std::mem::take(&mut in_map) {
            continue;
        }
        match keyword {
            "properties" | "patternProperties" | "definitions" => in_map = true,
            "items"
            | "additionalProperties"
            | "additionalItems"
            | "default"
            | "example"
            | "enum" => return steps.peek().is_none() && !step.contains('['),
            "dependencies" => return steps.nth(1).is_none(),
            _ => {}
        }
    }
    true
}
