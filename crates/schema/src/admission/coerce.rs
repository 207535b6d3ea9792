//! Metadata inside default values is brought into form as it is judged: what ObjectMeta does not
//! know is dropped. Admission is the only place where this happens, so the stored definition shows
//! it.

use ordain_meta::object_meta;
use ordain_value::Value;

use crate::crd::CrdSpec;
use crate::raw::{Items, Raw};

/// Brings the defaults of all versions into form.
pub fn defaults(spec: &mut CrdSpec) {
    for version in spec.versions.iter_mut().flatten() {
        let Some(open_api) = version.schema.as_mut().and_then(|it| it.open_api.as_mut()) else {
            continue;
        };
        if open_api.may_use("default") && open_api.any(&mut |raw| raw.default.is_some()) {
            open_api.change(|raw| schema(raw, true, false));
        }
    }
}

/// Visits the defaults that admission judges: not those below `additionalProperties`, and not
/// those inside metadata, which are judged on a copy.
fn schema(raw: &mut Raw, is_root: bool, in_meta: bool) {
    let resource = is_root || raw.embedded_resource;
    let in_meta = in_meta && !resource;
    if !in_meta
        && let Some(value) = raw.default.as_ref().and_then(|value| coerced(value, raw, resource))
    {
        raw.default = Some(value);
    }
    if let Some(Items::One(item)) = &mut raw.items {
        schema(item, false, in_meta);
    }
    for (name, property) in raw.properties.iter_mut().flatten() {
        let is_meta = resource && matches!(name.as_str(), "metadata" | "apiVersion" | "kind");
        schema(property, false, in_meta || is_meta);
    }
}

/// The value in form, or none when it is so already. The walk goes no deeper than the schema.
fn coerced(value: &Value, raw: &Raw, resource: bool) -> Option<Value> {
    let mut out = value.clone();
    match value {
        Value::Map(map) => {
            let entries = out.as_map_mut()?;
            for (key, value) in map.iter() {
                let mut current = value.clone();
                if resource
                    && key == "metadata"
                    && let Ok(meta) = object_meta::coerce(value)
                {
                    current = meta.metadata;
                }
                let child = raw.property(key).or(raw.additional());
                if let Some(child) = child
                    && let Some(value) = coerced(&current, child, child.embedded_resource)
                {
                    current = value;
                }
                if current != *value {
                    entries.insert(key.clone(), current);
                }
            }
        }
        Value::List(list) => {
            let item = raw.item()?;
            let items = out.as_list_mut()?;
            for (at, value) in list.iter().enumerate() {
                if let Some(value) = coerced(value, item, item.embedded_resource) {
                    items.to_mut()[at] = value;
                }
            }
        }
        _ => return None,
    }
    (out != *value).then_some(out)
}
