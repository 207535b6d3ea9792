//! Parts of a definition as Go prints its internal types: every field, by its Go name, in the
//! order of the struct. Messages show refused values in this form.

use ordain_value::json;
use ordain_value::{Text, Value};

use crate::crd::{Column, CrdVersion, Scale, SelectableField, Subresources};
use crate::hoist::VersionView;
use crate::model::Rule;
use crate::raw::{BoolOr, Dependency, Items, Raw};

/// Writes Go's JSON field by field.
pub(crate) struct Writer {
    out: Vec<u8>,
}

impl Writer {
    fn render(write: impl FnOnce(&mut Writer)) -> String {
        let mut writer = Writer { out: Vec::new() };
        write(&mut writer);
        String::from_utf8_lossy(&writer.out).into_owned()
    }

    fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Starts a field: a brace before the first, a comma before the others.
    fn field(&mut self, name: &str) {
        let first = matches!(self.out.last(), None | Some(b':' | b'[' | b','));
        self.raw(if first { "{\"" } else { ",\"" });
        self.raw(name);
        self.raw("\":");
    }

    fn value(&mut self, value: &Value) {
        json::encode_to(value, &mut self.out);
    }

    fn text(&mut self, name: &str, text: &Text) {
        self.field(name);
        json::encode_string_to(text, &mut self.out);
    }

    fn flag(&mut self, name: &str, flag: bool) {
        self.field(name);
        self.raw(if flag { "true" } else { "false" });
    }

    fn opt<T>(&mut self, name: &str, value: Option<T>, write: impl FnOnce(&mut Writer, T)) {
        self.field(name);
        match value {
            Some(value) => write(self, value),
            None => self.raw("null"),
        }
    }

    fn opt_text(&mut self, name: &str, text: &Option<Text>) {
        self.opt(name, text.as_ref(), |w, text| json::encode_string_to(text, &mut w.out));
    }

    fn opt_value(&mut self, name: &str, value: Option<Value>) {
        self.opt(name, value, |w, value| w.value(&value));
    }

    fn list<T>(&mut self, name: &str, list: Option<&[T]>, mut write: impl FnMut(&mut Writer, &T)) {
        self.opt(name, list, |w, list| w.items(list, &mut write));
    }

    fn items<T>(&mut self, list: &[T], write: &mut impl FnMut(&mut Writer, &T)) {
        self.raw("[");
        for (at, item) in list.iter().enumerate() {
            if at > 0 {
                self.raw(",");
            }
            write(self, item);
        }
        self.raw("]");
    }

    fn map<'a, T: 'a>(
        &mut self,
        name: &str,
        map: Option<impl Iterator<Item = (&'a Text, &'a T)>>,
        mut write: impl FnMut(&mut Writer, &T),
    ) {
        self.opt(name, map, |w, map| {
            w.raw("{");
            for (at, (key, value)) in map.enumerate() {
                if at > 0 {
                    w.raw(",");
                }
                json::encode_string_to(key, &mut w.out);
                w.raw(":");
                write(w, value);
            }
            w.raw("}");
        });
    }

    fn end(&mut self) {
        self.raw("}");
    }

    fn schema(&mut self, raw: &Raw) {
        self.schema_scalars(raw);
        self.schema_children(raw);
        self.schema_extensions(raw);
        self.end();
    }

    fn schema_scalars(&mut self, raw: &Raw) {
        self.text("ID", &raw.id);
        self.text("Schema", &raw.schema);
        self.opt_text("Ref", &raw.reference);
        self.text("Description", &raw.description);
        self.text("Type", &raw.ty);
        self.flag("Nullable", raw.nullable);
        self.text("Format", &raw.format);
        self.text("Title", &raw.title);
        self.opt_value("Default", raw.default.clone());
        self.opt_value("Maximum", raw.maximum.map(Value::Float));
        self.flag("ExclusiveMaximum", raw.exclusive_maximum);
        self.opt_value("Minimum", raw.minimum.map(Value::Float));
        self.flag("ExclusiveMinimum", raw.exclusive_minimum);
        self.opt_value("MaxLength", raw.max_length.map(Value::Int));
        self.opt_value("MinLength", raw.min_length.map(Value::Int));
        self.text("Pattern", &raw.pattern);
        self.opt_value("MaxItems", raw.max_items.map(Value::Int));
        self.opt_value("MinItems", raw.min_items.map(Value::Int));
        self.flag("UniqueItems", raw.unique_items);
        self.opt_value("MultipleOf", raw.multiple_of.map(Value::Float));
        self.list("Enum", raw.enumeration.as_deref(), Writer::value);
        self.opt_value("MaxProperties", raw.max_properties.map(Value::Int));
        self.opt_value("MinProperties", raw.min_properties.map(Value::Int));
        self.texts("Required", raw.required.as_deref());
    }

    fn schema_children(&mut self, raw: &Raw) {
        self.opt("Items", raw.items.as_ref(), Writer::schema_or_array);
        self.list("AllOf", raw.all_of.as_deref(), Writer::schema);
        self.list("OneOf", raw.one_of.as_deref(), Writer::schema);
        self.list("AnyOf", raw.any_of.as_deref(), Writer::schema);
        self.opt("Not", raw.not.as_deref(), Writer::schema);
        self.schemas("Properties", &raw.properties);
        self.opt("AdditionalProperties", raw.additional_properties.as_ref(), Writer::bool_or);
        self.schemas("PatternProperties", &raw.pattern_properties);
        let dependencies = raw.dependencies.as_ref().map(|map| map.iter());
        self.map("Dependencies", dependencies, Writer::dependency);
        self.opt("AdditionalItems", raw.additional_items.as_ref(), Writer::bool_or);
        self.schemas("Definitions", &raw.definitions);
    }

    fn schema_extensions(&mut self, raw: &Raw) {
        self.opt("ExternalDocs", raw.external_docs.as_ref(), |w, docs| {
            w.text("Description", &docs.description);
            w.text("URL", &docs.url);
            w.end();
        });
        self.opt_value("Example", raw.example.clone());
        self.opt_value("XPreserveUnknownFields", raw.preserve_unknown_fields.map(Value::from));
        self.flag("XEmbeddedResource", raw.embedded_resource);
        self.flag("XIntOrString", raw.int_or_string);
        self.texts("XListMapKeys", raw.list_map_keys.as_deref());
        self.opt_text("XListType", &raw.list_type);
        self.opt_text("XMapType", &raw.map_type);
        self.list("XValidations", raw.validations.as_deref(), Writer::rule);
    }

    fn schemas(&mut self, name: &str, map: &Option<std::collections::BTreeMap<Text, Box<Raw>>>) {
        let entries = map.as_ref().map(|map| map.iter());
        self.map(name, entries, |w, raw| w.schema(raw));
    }

    fn texts(&mut self, name: &str, list: Option<&[Text]>) {
        self.list(name, list, |w, text| json::encode_string_to(text, &mut w.out));
    }

    fn schema_or_array(&mut self, items: &Items) {
        let (one, many) = match items {
            Items::One(raw) => (Some(&**raw), None),
            Items::Many(list) => (None, Some(list.as_slice())),
            Items::Neither => (None, None),
        };
        self.opt("Schema", one, Writer::schema);
        self.list("JSONSchemas", many, Writer::schema);
        self.end();
    }

    fn bool_or(&mut self, either: &BoolOr) {
        self.flag("Allows", !matches!(either, BoolOr::Bool(false)));
        self.opt("Schema", either.schema(), Writer::schema);
        self.end();
    }

    fn dependency(&mut self, dependency: &Dependency) {
        let (schema, names) = match dependency {
            Dependency::Schema(raw) => (Some(&**raw), None),
            Dependency::Properties(names) => (None, Some(names.as_slice())),
            Dependency::Neither => (None, None),
        };
        self.opt("Schema", schema, Writer::schema);
        self.texts("Property", names);
        self.end();
    }

    fn rule(&mut self, rule: &Rule) {
        self.text("Rule", &rule.rule);
        self.text("Message", &rule.message);
        self.text("MessageExpression", &rule.message_expression);
        self.opt_text("Reason", &rule.reason);
        self.text("FieldPath", &rule.field_path);
        self.opt_value("OptionalOldSelf", rule.optional_old_self.map(Value::from));
        self.end();
    }

    fn version(&mut self, view: &VersionView<'_>) {
        let version: &CrdVersion = view.version;
        self.text("Name", &version.name);
        self.flag("Served", version.served);
        self.flag("Storage", version.storage);
        self.flag("Deprecated", version.deprecated);
        self.opt_text("DeprecationWarning", &version.deprecation_warning);
        self.opt("Schema", view.schema, |w, schema| {
            w.opt("OpenAPIV3Schema", schema.open_api.as_deref(), Writer::schema);
            w.end();
        });
        self.opt("Subresources", view.subresources, Writer::subresources);
        self.list("AdditionalPrinterColumns", view.columns, Writer::column);
        self.list("SelectableFields", view.selectable, |w, field: &SelectableField| {
            w.text("JSONPath", &field.json_path);
            w.end();
        });
        self.end();
    }

    fn subresources(&mut self, subresources: &Subresources) {
        self.opt("Status", subresources.status.then_some(()), |w, ()| w.raw("{}"));
        self.opt("Scale", subresources.scale.as_ref(), |w, scale: &Scale| {
            w.text("SpecReplicasPath", &scale.spec_replicas_path);
            w.text("StatusReplicasPath", &scale.status_replicas_path);
            w.opt_text("LabelSelectorPath", &scale.label_selector_path);
            w.end();
        });
        self.end();
    }

    fn column(&mut self, column: &Column) {
        self.text("Name", &column.name);
        self.text("Type", &column.ty);
        self.text("Format", &column.format);
        self.text("Description", &column.description);
        self.field("Priority");
        self.value(&Value::Int(column.priority));
        self.text("JSONPath", &column.json_path);
        self.end();
    }
}

/// A schema as Go prints it.
#[must_use]
pub fn schema(raw: &Raw) -> String {
    Writer::render(|w| w.schema(raw))
}

/// `items` as Go prints it.
#[must_use]
pub fn items(items: &Items) -> String {
    Writer::render(|w| w.schema_or_array(items))
}

/// A rule as Go prints it.
#[must_use]
pub fn rule(rule: &Rule) -> String {
    Writer::render(|w| w.rule(rule))
}

/// The list of versions as Go prints it; `null` when there is none.
pub(crate) fn versions(views: Option<&[VersionView<'_>]>) -> String {
    match views {
        None => "null".to_owned(),
        Some(views) => Writer::render(|w| w.items(views, &mut Writer::version)),
    }
}

/// A text as JSON.
pub(crate) fn text(text: &str) -> String {
    Writer::render(|w| json::encode_string_to(text, &mut w.out))
}
