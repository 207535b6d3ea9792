//! Ports of a Service.

use std::collections::BTreeSet;

use ordain_passes::declared::written::Asked;
use ordain_value::field::{self, BadValue, Path};

use crate::shared::access::{int, text};

/// Two ports are told apart by protocol and number.
pub(crate) fn check_duplicates(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let ports = asked.value();
    let mut seen = BTreeSet::new();
    for (at, port) in ports.as_list().into_iter().flat_map(|list| list.iter()).enumerate() {
        let (protocol, number) = (text(port, "protocol"), int(port, "port"));
        if !seen.insert((protocol, number)) {
            errors.push(field::Error::duplicate(&path.index(at), key(protocol, number)));
        }
    }
}

/// A port that is shown by protocol and number alone, as Go writes its struct.
fn key(protocol: &str, number: i64) -> BadValue {
    BadValue::Json(format!(
        "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{number},\
         \"TargetPort\":0,\"NodePort\":0}}",
        ordain_value::json::encode_string(&protocol.into())
    ))
}
