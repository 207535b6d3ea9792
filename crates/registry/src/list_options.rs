//! Which options of a list or watch contradict each other.

use ordain_meta::GroupKind;
use ordain_meta::status::Status;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use crate::request::ListOptions;

const NOT_OLDER_THAN: &str = "NotOlderThan";
const EXACT: &str = "Exact";

/// Refuses list options that contradict each other.
pub(crate) fn check_list_options(options: &ListOptions) -> Result<(), Status> {
    let mut errors = ErrorList::new();
    if options.watch {
        check_watch(options, &mut errors);
    } else {
        check_list(options, &mut errors);
    }
    if errors.is_empty() {
        return Ok(());
    }
    Err(Status::invalid(&GroupKind::new("meta.k8s.io", "ListOptions"), "", &errors))
}

fn check_list(options: &ListOptions, errors: &mut ErrorList) {
    let path = Path::new("resourceVersionMatch");
    let matching = options.resource_version_match.as_str();
    if !matching.is_empty() {
        if options.resource_version.is_empty() {
            let detail = "resourceVersionMatch is forbidden unless resourceVersion is provided";
            errors.push(Error::forbidden(&path, detail));
        }
        if !options.continue_token.is_empty() {
            let detail = "resourceVersionMatch is forbidden when continue is provided";
            errors.push(Error::forbidden(&path, detail));
        }
        if matching != EXACT && matching != NOT_OLDER_THAN {
            let supported = [EXACT, NOT_OLDER_THAN, ""];
            errors.push(Error::not_supported(&path, Value::from(matching), &supported));
        }
        if matching == EXACT && options.resource_version == "0" {
            let detail = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
            errors.push(Error::forbidden(&path, detail));
        }
    }
    if options.send_initial_events.is_some() {
        let path = Path::new("sendInitialEvents");
        errors.push(Error::forbidden(&path, "sendInitialEvents is forbidden for list"));
    }
}

fn check_watch(options: &ListOptions, errors: &mut ErrorList) {
    let path = Path::new("resourceVersionMatch");
    let matching = options.resource_version_match.as_str();
    if options.send_initial_events.is_some() && matching != NOT_OLDER_THAN {
        let detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
        errors.push(Error::forbidden(&path, detail));
    }
    if matching.is_empty() {
        return;
    }
    if options.send_initial_events.is_none() {
        let detail =
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
        errors.push(Error::forbidden(&path, detail));
    }
    if matching != NOT_OLDER_THAN {
        errors.push(Error::not_supported(&path, Value::from(matching), &[NOT_OLDER_THAN]));
    }
    if !options.continue_token.is_empty() {
        let detail = "resourceVersionMatch is forbidden when continue is provided";
        errors.push(Error::forbidden(&path, detail));
    }
}
