//! Ports of a Service.

use std::collections::BTreeSet;

use ordain_value::Value;
use ordain_value::field::{self, BadValue, Path};

use super::read::Service;
use crate::shared::access::{int, part, text, text_of};
use crate::shared::net;

pub(super) fn validate(service: Service<'_>) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    let (spec, ports) = (Path::new("spec"), service.ports());
    let path = spec.child("ports");
    if ports.is_empty() && !service.is_headless() && !service.is("ExternalName") {
        errors.push(field::Error::required(&path, ""));
    }
    let mut names = BTreeSet::new();
    for (at, port) in ports.iter().enumerate() {
        one(port, ports.len() > 1, &mut names, &path.index(at), &mut errors);
    }
    node_ports(service, &path, &mut errors);
    let mut seen = BTreeSet::new();
    for (at, port) in ports.iter().enumerate() {
        let (protocol, number) = (text(port, "protocol"), int(port, "port"));
        if !seen.insert((protocol, number)) {
            let shown = key(protocol, number);
            errors.push(field::Error::duplicate(&path.index(at), shown));
        }
    }
    errors
}

/// A port that is told by protocol and number alone, as Go writes its struct.
fn key(protocol: &str, number: i64) -> BadValue {
    BadValue::Json(format!(
        "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{number},\
         \"TargetPort\":0,\"NodePort\":0}}",
        ordain_value::json::encode_string(&protocol.into())
    ))
}

fn one<'a>(
    port: &'a Value,
    needs_name: bool,
    names: &mut BTreeSet<&'a str>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let (name, at) = (text(port, "name"), path.child("name"));
    if !name.is_empty() {
        errors.extend(net::label(&at, name));
        if !names.insert(name) {
            errors.push(field::Error::duplicate(&at, name));
        }
    } else if needs_name {
        errors.push(field::Error::required(&at, ""));
    }
    let number = int(port, "port");
    if let Some(why) = net::port_number(number) {
        errors.push(field::Error::invalid(&path.child("port"), number, why));
    }
    errors.extend(net::protocol(&path.child("protocol"), text(port, "protocol")));
    errors.extend(net::port_number_or_name(&path.child("targetPort"), part(port, "targetPort")));
    if let Some(protocol) = text_of(port, "appProtocol") {
        errors.extend(net::qualified_name(&path.child("appProtocol"), protocol));
    }
}

fn node_ports(service: Service<'_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let mut seen = BTreeSet::new();
    for (at, port) in service.ports().iter().enumerate() {
        let number = int(port, "nodePort");
        if number == 0 {
            continue;
        }
        let at = path.index(at);
        if service.is("ClusterIP") {
            let why = "may not be used when `type` is 'ClusterIP'";
            errors.push(field::Error::forbidden(&at.child("nodePort"), why));
        }
        if !seen.insert((text(port, "protocol"), number)) {
            errors.push(field::Error::duplicate(&at.child("nodePort"), number));
        }
    }
}
