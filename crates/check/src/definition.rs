//! CustomResourceDefinitions as objects: the verdict of their admission.

use ordain_meta::object_meta;
use ordain_schema::admission;
use ordain_schema::crd::Crd;
use ordain_schema::formats;
use ordain_value::{Map, Value};

use crate::kind::{Verdict, distinct};
use ordain_strategy::crd::conversion_errors;
use ordain_strategy::gates::Gates;

/// The verdict on a definition, and on its change when the old one is given.
pub(crate) fn judge(object: &Value, old: Option<&Value>, gates: &Gates) -> Verdict {
    let mut verdict = Verdict::default();
    let mut crd = match read(object, &mut verdict, gates) {
        Ok(crd) => crd,
        Err(why) => {
            verdict.unreadable = Some(why);
            return verdict;
        }
    };
    let old = old.and_then(|old| read(old, &mut Verdict::default(), gates).ok());
    verdict.errors = distinct(match &old {
        None => {
            crd.prepare_for_create();
            admission::validate_create(&mut crd, &gates.definition_hooks())
        }
        Some(old) => {
            let mut old = old.clone();
            old.prepare_for_create();
            // Stored definitions have versions; both have the same one here.
            for crd in [&mut old, &mut crd] {
                crd.metadata.insert("resourceVersion", "1".into());
            }
            crd.prepare_for_update(&old);
            admission::validate_update(&mut crd, &old, &gates.definition_hooks())
        }
    });
    verdict.errors.extend(gates.extensions().validate(&crd));
    if verdict.errors.is_empty() {
        verdict.errors.extend(conversion_errors(&crd, gates.extensions(), gates.release()));
    }
    if verdict.errors.is_empty() {
        verdict.warnings =
            formats::warnings(&crd.spec, old.as_ref().map(|old| &old.spec), gates.release());
    }
    verdict
}

fn read(object: &Value, verdict: &mut Verdict, gates: &Gates) -> Result<Crd, String> {
    let mut object = object.clone();
    let metadata = object.get("metadata").cloned().unwrap_or(Value::Map(Map::new()));
    let coerced = object_meta::coerce(&metadata)?;
    verdict.unknown.extend(coerced.unknown.iter().map(|path| format!("metadata.{path}")));
    if let Value::Map(map) = &mut object {
        map.insert("metadata", coerced.metadata);
    }
    let (mut crd, findings) = Crd::decode(&object).map_err(|error| error.0)?;
    let unknown = findings.unknown_fields.iter().filter(|path| !gates.extensions().know(path));
    verdict.unknown.extend(unknown.map(ToString::to_string));
    gates.extensions().strip(&mut crd);
    crd.set_defaults();
    Ok(crd)
}
