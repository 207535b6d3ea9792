//! What a definition offers beside its schemas: names, columns, field selectors, subresources.

use ordain_schema::crd::{CrdSpec, CrdVersion};
use ordain_value::Text;

use super::Safety;

/// A difference: the version that it is about (empty for the whole definition), what changed, how
/// safe that is, and why.
type Difference = (Text, String, Safety, &'static str);

pub(super) fn differences(old: &CrdSpec, new: &CrdSpec) -> Vec<Difference> {
    let mut out = Vec::new();
    let names = |list: &Option<Vec<Text>>| list.clone().unwrap_or_default();
    let lists = [
        ("short name", names(&old.names.short_names), names(&new.names.short_names)),
        ("category", names(&old.names.categories), names(&new.names.categories)),
    ];
    for (word, before, after) in lists {
        let parts = changed(&before, &after, &before, &after);
        for (what, _) in parts {
            out.push((Text::default(), format!("{word} {what}"), Safety::Compatible, ""));
        }
    }
    for before in old.versions() {
        if let Some(after) = new.version(&before.name) {
            version(before, after, &mut out);
        }
    }
    out
}

fn version(before: &CrdVersion, after: &CrdVersion, out: &mut Vec<Difference>) {
    let mut push = |what: String, safety: Safety, why: &'static str| {
        out.push((before.name.clone(), what, safety, why));
    };
    let columns = |it: &CrdVersion| it.columns.clone().unwrap_or_default();
    let (old, new) = (columns(before), columns(after));
    let names = |list: &[ordain_schema::crd::Column]| -> Vec<Text> {
        list.iter().map(|it| it.name.clone()).collect()
    };
    for (what, _) in changed(&names(&old), &names(&new), &old, &new) {
        push(format!("column {what}"), Safety::Compatible, "");
    }
    let fields = |it: &CrdVersion| -> Vec<Text> {
        it.selectable_fields.iter().flatten().map(|it| it.json_path.clone()).collect()
    };
    let (old, new) = (fields(before), fields(after));
    for (what, gone) in changed(&old, &new, &old, &new) {
        let what = format!("selectable field {what}");
        if gone {
            push(what, Safety::Breaking, "clients select by it");
        } else {
            push(what, Safety::Compatible, "");
        }
    }
    match (before.has_status(), after.has_status()) {
        (false, true) => push(
            "the status subresource is new".to_owned(),
            Safety::Breaking,
            "writes of the whole object no longer change status",
        ),
        (true, false) => push(
            "the status subresource is gone".to_owned(),
            Safety::Breaking,
            "clients write status by it",
        ),
        _ => {}
    }
    let scale = |it: &CrdVersion| it.subresources.as_ref().and_then(|it| it.scale.clone());
    match (scale(before), scale(after)) {
        (None, Some(_)) => {
            push("the scale subresource is new".to_owned(), Safety::Compatible, "");
        }
        (Some(_), None) => {
            push(
                "the scale subresource is gone".to_owned(),
                Safety::Breaking,
                "clients scale by it",
            );
        }
        (Some(old), Some(new)) if old != new => push(
            "the scale subresource reads other fields".to_owned(),
            Safety::Breaking,
            "clients scale by it",
        ),
        _ => {}
    }
}

/// Names that are new, gone or mean something else, and whether they are gone.
fn changed<T: PartialEq>(
    old_names: &[Text],
    new_names: &[Text],
    old: &[T],
    new: &[T],
) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    for (name, value) in old_names.iter().zip(old) {
        match new_names.iter().position(|it| it == name) {
            None => out.push((format!("{name} is gone"), true)),
            Some(at) if new.get(at) != Some(value) => out.push((format!("{name} changed"), false)),
            Some(_) => {}
        }
    }
    let added = new_names.iter().filter(|it| !old_names.contains(it));
    out.extend(added.map(|name| (format!("{name} is new"), false)));
    out
}
