//! ServiceCIDR: a range that services are given addresses from.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, Lifecycle, printer, rules};
use ordain_strategy::{Change, Part, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{part, texts};
use crate::shared::fields::IMMUTABLE;
use crate::shared::{internal, net};

pub(crate) fn native() -> Native {
    let mut native = Native::new("networking.k8s.io", "ServiceCIDR");
    native.columns = printer::columns(&[("CIDRs", "The networks of the range.")]);
    native.status_reset = &[&["metadata"], &["spec"]];
    native.hooks = Hooks { lifecycle: Lifecycle::Reset, cells, ..Hooks::new(validate) };
    native
}

fn cells(object: &Value, now: i64) -> Vec<Value> {
    let cidrs = texts(part(object, "spec"), "cidrs").join(",");
    vec![object::name(object).into(), cidrs.into(), printer::age(object, now)]
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = rules::metadata(change, false, name::subdomain_rule);
    let (spec, root) = (part(change.object, "spec"), Path::new("spec"));
    let path = root.child("cidrs");
    match change.old {
        _ if change.part == Part::Status => {}
        None => cidrs(spec, &path, &mut errors),
        Some(old) => update(spec, part(old, "spec"), &path, &mut errors),
    }
    errors
}

fn cidrs(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let given = texts(spec, "cidrs");
    if given.is_empty() {
        errors.push(field::Error::required(path, "at least one CIDR required"));
        return;
    }
    if given.len() > 2 {
        let shown = internal::structure(&[("CIDRs", internal::plain(spec.get("cidrs")))]);
        errors.push(field::Error::invalid(path, shown, "may only hold up to 2 values"));
        return;
    }
    for (at, cidr) in given.iter().enumerate() {
        errors.extend(net::invalid(&path.index(at), cidr, net::canonical_cidr(cidr)));
    }
    let families: Vec<bool> =
        given.iter().filter_map(|it| net::parse_cidr(it)).map(|it| it.ip.is_ipv4()).collect();
    if let [first, second] = families.as_slice()
        && first == second
    {
        let why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and \
                   2001:db8::/64";
        let shown = spec.get("cidrs").cloned().unwrap_or(Value::Null);
        errors.push(field::Error::invalid(path, shown, why));
    }
}

/// Networks stay; a second one may be added.
fn update(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (new, before) = (texts(spec, "cidrs"), texts(old, "cidrs"));
    let changed = new.iter().zip(&before).enumerate().filter(|(_, (new, old))| new != old);
    match (before.len(), new.len()) {
        (then, now) if then == now || (then, now) == (1, 2) => {
            for (at, (cidr, _)) in changed {
                errors.push(field::Error::invalid(&path.index(at), *cidr, IMMUTABLE));
            }
            if then != now {
                cidrs(spec, path, errors);
            }
        }
        _ => {
            let shown = spec.get("cidrs").cloned().unwrap_or(Value::Null);
            errors.push(field::Error::invalid(path, shown, IMMUTABLE));
        }
    }
}
