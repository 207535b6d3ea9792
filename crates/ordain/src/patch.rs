//! Changes of typed objects, brought back to the objects they were read from.

use ordain_value::{Map, Value};

/// Does to `object` what makes `before` into `after`. What the typed struct does not know, or
/// writes in another way than it was, stays as it is. Nulls are absent.
pub(crate) fn patch(object: &mut Value, before: &Value, after: &Value) {
    if before == after {
        return;
    }
    let (Some(old), Some(new)) = (before.as_map(), after.as_map()) else {
        *object = after.clone();
        return;
    };
    if object.as_map().is_none() {
        *object = Value::Map(Map::new());
    }
    let Some(map) = object.as_map_mut() else { return };
    for (key, old_item) in old.iter() {
        let gone = new.get(key).is_none_or(Value::is_null);
        if gone && !old_item.is_null() {
            map.remove(key);
        }
    }
    // Typed structs are read at a limited depth, so this recursion is too.
    for (key, item) in new.iter().filter(|(_, item)| !item.is_null()) {
        let old_item = old.get(key).unwrap_or(&Value::Null);
        if old_item != item {
            patch(map.get_or_insert_null(key), old_item, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use ordain_value::value;

    use super::patch;

    #[test]
    fn what_the_type_does_not_know_stays() {
        let mut object = value!({"spec": {"a": 1, "unknown": [1]}, "extra": null});
        let before = value!({"spec": {"a": 1, "b": null, "c": 2}});
        let after = value!({"spec": {"a": 2, "b": {"x": 1}, "c": null}});
        patch(&mut object, &before, &after);
        assert_eq!(
            object,
            value!({"spec": {"a": 2, "b": {"x": 1}, "unknown": [1]}, "extra": null})
        );
    }

    #[test]
    fn nothing_changed_is_nothing_done() {
        let object = value!({"a": null, "b": 1.5});
        let mut same = object.clone();
        patch(&mut same, &value!({"a": 3}), &value!({"a": 3}));
        assert!(same.same(&object));
    }
}
