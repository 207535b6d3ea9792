//! ComponentStatus: how the parts of the control plane are. Nothing is stored of it.

use ordain_strategy::Verbs;
use ordain_strategy::object;
use ordain_strategy::typed::{Hooks, printer};
use ordain_value::Value;

use crate::native::Native;
use crate::shared::access::{items, text};

pub(crate) fn native() -> Native {
    let hooks = Hooks { cells, ..Hooks::default() };
    let column = |name: &str, about: &str| printer::column(name, about, 0);
    Native {
        verbs: Verbs::READ_ONLY,
        hooks,
        columns: vec![
            column("Name", printer::NAME),
            column("Status", "Healthy, Unhealthy or Unknown."),
            column("Message", "What the component says."),
            column("Error", "What went wrong."),
        ],
        ..Native::new("", "ComponentStatus")
    }
}

fn cells(component: &Value, _now: i64) -> Vec<Value> {
    let healthy = items(component, "conditions").iter().find(|it| text(it, "type") == "Healthy");
    let status = match healthy.map(|it| text(it, "status")) {
        None => "Unknown",
        Some("True") => "Healthy",
        Some(_) => "Unhealthy",
    };
    let of = |name: &str| Value::from(healthy.map_or("", |it| text(it, name)));
    vec![object::name(component).into(), status.into(), of("message"), of("error")]
}
