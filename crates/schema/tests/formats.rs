//! Formats on their way into definitions.

use ordain_meta::KubeVersion;
use ordain_schema::formats::{FormatState, NEW_FORMATS, declared_state, is_recognized, state};

#[test]
fn new_formats_are_stored_at_least_one_release_before_they_are_enforced() {
    for format in NEW_FORMATS {
        assert!(format.stored < format.supported, "{format:?}");
        assert_eq!(state(format.name, format.stored), FormatState::Stored, "{format:?}");
        assert_eq!(state(format.name, format.supported), FormatState::Supported, "{format:?}");
        // A server of the release before does not know it, and would have dropped it.
        let before = KubeVersion::new(format.stored.major, format.stored.minor - 1);
        assert_eq!(state(format.name, before), FormatState::Unknown, "{format:?}");
    }
}

#[test]
fn definitions_of_this_release_do_not_enforce_stored_formats() {
    for format in NEW_FORMATS {
        assert!(!is_recognized("string", format.name, KubeVersion::CURRENT), "{format:?}");
    }
    assert_eq!(state("date-time", KubeVersion::CURRENT), FormatState::Supported);
    assert_eq!(state("rhyme", KubeVersion::CURRENT), FormatState::Unknown);
}

#[test]
fn declared_kinds_enforce_a_format_one_release_before_custom_resources() {
    for format in NEW_FORMATS {
        assert_eq!(declared_state(format.name, format.declared), FormatState::Supported);
        let before = KubeVersion::new(format.declared.major, format.declared.minor - 1);
        assert_eq!(declared_state(format.name, before), FormatState::Stored);
    }
    assert_eq!(declared_state("quantity", KubeVersion::new(1, 35)), FormatState::Supported);
    assert_eq!(declared_state("rhyme", KubeVersion::CURRENT), FormatState::Unknown);
}
