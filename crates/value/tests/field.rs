//! Errors of fields in the words of the API machinery's `field` package.

use ordain_value::field::{BadValue, Error, ErrorList, Kind, Path};
use ordain_value::{Value, value};

#[test]
fn paths_are_written_as_upstream_writes_them() {
    let root = Path::new("spec");
    let containers = root.child("containers");
    let first = containers.index(0);
    let labels = root.child("labels");
    assert_eq!(first.child("name").to_string(), "spec.containers[0].name");
    assert_eq!(labels.key("a.b/c").to_string(), "spec.labels[a.b/c]");
    assert_eq!(first.parent().map(ToString::to_string).as_deref(), Some("spec.containers"));
    assert!(!root.is_root());
}

#[test]
fn each_error_has_its_words_and_its_reason() {
    let path = Path::new("spec.a");
    let cases = [
        (Error::not_found(&path, "x"), "Not found: \"x\"", "FieldValueNotFound"),
        (Error::required(&path, ""), "Required value", "FieldValueRequired"),
        (Error::required(&path, "why"), "Required value: why", "FieldValueRequired"),
        (Error::duplicate(&path, 3), "Duplicate value: 3", "FieldValueDuplicate"),
        (Error::invalid(&path, "x\n", "why"), "Invalid value: \"x\\n\": why", "FieldValueInvalid"),
        (Error::invalid(&path, 1.5, "why"), "Invalid value: 1.5: why", "FieldValueInvalid"),
        (
            Error::invalid(&path, value!({"b": [1, null]}), "why"),
            "Invalid value: {\"b\":[1,null]}: why",
            "FieldValueInvalid",
        ),
        (
            Error::invalid(&path, Value::Null, "why"),
            "Invalid value: null: why",
            "FieldValueInvalid",
        ),
        (
            Error::not_supported(&path, "c", &["a", "b"]),
            "Unsupported value: \"c\": supported values: \"a\", \"b\"",
            "FieldValueNotSupported",
        ),
        (
            Error::not_supported::<&str>(&path, "c", &[]),
            "Unsupported value: \"c\"",
            "FieldValueNotSupported",
        ),
        (Error::forbidden(&path, "why"), "Forbidden: why", "FieldValueForbidden"),
        (Error::too_long(&path, 5), "Too long: may not be more than 5 bytes", "FieldValueTooLong"),
        (Error::too_long(&path, 1), "Too long: may not be more than 1 byte", "FieldValueTooLong"),
        (
            Error::too_long_characters(&path, 5),
            "Too long: may not be more than 5 characters",
            "FieldValueTooLong",
        ),
        (
            Error::too_many(&path, 3, 2),
            "Too many: 3: must have at most 2 items",
            "FieldValueTooMany",
        ),
        (Error::internal(&path, "why"), "Internal error: why", "InternalError"),
    ];
    for (error, body, reason) in cases {
        assert_eq!(error.body(), body);
        assert_eq!(error.to_string(), format!("spec.a: {body}"));
        assert_eq!(error.kind.reason(), reason, "{body}");
        assert_eq!(error.detail_len(), error.detail().len(), "{body}");
    }
}

#[test]
fn a_value_that_is_left_out_is_not_shown() {
    let error = Error::at(Kind::Invalid, "a".to_owned(), BadValue::Omitted, "why".to_owned());
    assert_eq!(error.to_string(), "a: Invalid value: why");
}

#[test]
fn lists_keep_their_order() {
    let path = Path::new("a");
    let mut list = ErrorList::new();
    assert!(list.is_empty());
    for detail in ["one", "two", "three"] {
        list.push(Error::forbidden(&path, detail).with_origin("test"));
    }
    list.retain(|it| it.detail() != "two");
    let details: Vec<String> = list.iter().map(|it| it.detail().into_owned()).collect();
    assert_eq!(details, ["one", "three"]);
    assert!(list.as_slice().iter().all(|it| it.origin == "test"));
    list.truncate(1);
    assert_eq!(list.len(), 1);
}
