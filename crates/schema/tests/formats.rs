//! Formats on their way into definitions.

use ordain_schema::formats::{FormatState, NEW_FORMATS, is_recognized, state};

#[test]
fn new_formats_are_stored_at_least_one_release_before_they_are_enforced() {
    for format in NEW_FORMATS {
        assert!(format.stored < format.supported, "{format:?}");
        assert_eq!(state(format.name, format.stored), FormatState::Stored, "{format:?}");
        assert_eq!(state(format.name, format.supported), FormatState::Supported, "{format:?}");
        // A server of the release before does not know it, and would have dropped it.
        let before = (format.stored.0, format.stored.1 - 1);
        assert_eq!(state(format.name, before), FormatState::Unknown, "{format:?}");
    }
}

#[test]
fn definitions_of_this_release_do_not_enforce_stored_formats() {
    for format in NEW_FORMATS {
        assert!(!is_recognized("string", format.name), "{format:?}");
    }
    assert_eq!(state("date-time", (1, 36)), FormatState::Supported);
    assert_eq!(state("rhyme", (1, 36)), FormatState::Unknown);
}
