//! Claims to devices that others use are for namespaces that allow it.

use ordain_kubernetes::admin_access::{LABEL, requested};
use ordain_meta::status::Status;
use ordain_strategy::{Part, Target};
use ordain_value::Value;
use ordain_value::field::{BadValue, Error, Kind};

use crate::object;
use crate::registry::Registry;

impl Registry {
    /// Refuses a claim that asks for more than its namespace allows.
    pub(crate) async fn check_admin_access(
        &self,
        target: &Target,
        part: Part,
        object: &Value,
        old: Option<&Value>,
    ) -> Result<(), Status> {
        let resource = &target.resource;
        if resource.group != "resource.k8s.io" {
            return Ok(());
        }
        let Some(path) = requested(&resource.plural, part, object, old) else { return Ok(()) };
        let Some(namespaces) = self.catalog().get("", "namespaces").cloned() else { return Ok(()) };
        let key = namespaces.key("", &target.namespace);
        let namespace = self.read(&namespaces, &key).await?.map(|it| it.object);
        let label = namespace.as_ref().and_then(object::labels).and_then(|it| it.get(LABEL));
        if label.and_then(Value::as_str) == Some("true") {
            return Ok(());
        }
        let why = format!(
            "admin access to devices requires the `{LABEL}: true` label on the containing namespace"
        );
        let error = Error::at(Kind::Forbidden, path, BadValue::Omitted, why);
        Err(Status::invalid(&resource.group_kind(), object::name(object), &error.into()))
    }
}
