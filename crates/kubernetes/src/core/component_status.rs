//! ComponentStatus: how the parts of the control plane are. Nothing is stored of it.

use ordain_strategy::Verbs;
use ordain_value::Value;

use crate::native::Native;
use crate::shared::access::{items, text};
use crate::shared::table::Cell::Of;
use crate::shared::table::NAME;

pub(crate) fn native() -> Native {
    Native {
        verbs: Verbs::READ_ONLY,
        columns: &[
            NAME,
            ("Status", "string", 0, "Healthy, Unhealthy or Unknown.", Of(status)),
            ("Message", "string", 0, "What the component says.", Of(|it| told(it, "message"))),
            ("Error", "string", 0, "What went wrong.", Of(|it| told(it, "error"))),
        ],
        ..Native::new("", "ComponentStatus")
    }
}

fn healthy(component: &Value) -> Option<&Value> {
    items(component, "conditions").iter().find(|it| text(it, "type") == "Healthy")
}

fn status(component: &Value) -> Value {
    match healthy(component).map(|it| text(it, "status")) {
        None => "Unknown".into(),
        Some("True") => "Healthy".into(),
        Some(_) => "Unhealthy".into(),
    }
}

fn told(component: &Value, name: &str) -> Value {
    healthy(component).map_or("", |it| text(it, name)).into()
}
