//! A write that changes nothing but the times of owners is no write.

use ordain_value::{List, Map, Value};

use crate::managed::managed_fields;

/// Gives `new` the times of `old` if nothing else differs between them. Returns true if so.
pub fn keep_old_times_if_equal(new: &mut Value, old: &Value) -> bool {
    let (Some(new_fields), Some(old_fields)) = (managed_fields(new), managed_fields(old)) else {
        return false;
    };
    if new_fields.is_empty() || !equal_but_times(new_fields, old_fields) {
        return false;
    }
    let times = |list: &List| -> Vec<Option<Value>> {
        list.iter().map(|it| it.get("time").cloned()).collect()
    };
    if times(new_fields) == times(old_fields) {
        return false;
    }
    let old_fields = old_fields.clone();
    let equal = {
        let (new, old) = (new.as_map(), old.as_map());
        maps_equal_but(new, old, "metadata", |new, old| {
            maps_equal_but(new.as_map(), old.as_map(), "managedFields", |_, _| true)
        })
    };
    if equal {
        new.set_path(&["metadata", "managedFields"], Value::List(old_fields));
    }
    equal
}

fn equal_but_times(new: &List, old: &List) -> bool {
    new.len() == old.len()
        && new.iter().zip(old.iter()).all(|(new, old)| {
            let without_time = |it: &Value| {
                let mut it = it.clone();
                it.remove_path(&["time"]);
                it
            };
            without_time(new) == without_time(old)
        })
}

/// Equality of two maps where one key is judged by `judge`.
fn maps_equal_but(
    new: Option<&Map>,
    old: Option<&Map>,
    special: &str,
    judge: impl Fn(&Value, &Value) -> bool,
) -> bool {
    let (Some(new), Some(old)) = (new, old) else { return true };
    new.len() == old.len()
        && new.iter().zip(old.iter()).all(|((new_key, new), (old_key, old))| {
            new_key == old_key && if new_key == special { judge(new, old) } else { new == old }
        })
}
