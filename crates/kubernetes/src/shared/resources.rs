//! Quantities and lists of resources: names, values, requests and limits.

use std::collections::{BTreeMap, BTreeSet};

use ordain_meta::quantity::Quantity;
use ordain_meta::resource_name::HUGE_PAGES;
pub(crate) use ordain_meta::resource_name::{is_extended, is_huge_pages, is_integer, is_native};
use ordain_meta::{name, resource_name};
use ordain_passes::declared::written::Asked;
use ordain_value::field::{BadValue, Error, ErrorList, Path};
use ordain_value::{Map, Value};

use super::access::{entries, items, part, text};
use super::net;

/// Resource amounts by name.
pub type Amounts = BTreeMap<String, Quantity>;

/// A quantity that was decoded before; zero when it cannot be one.
pub(crate) fn quantity(value: &Value) -> Quantity {
    let zero = || Quantity::from_i64(0, ordain_meta::quantity::Format::DecimalSi);
    match value {
        Value::Str(text) => Quantity::parse(text).unwrap_or_else(|_| zero()),
        Value::Int(number) => Quantity::from_i64(*number, ordain_meta::quantity::Format::DecimalSi),
        _ => zero(),
    }
}

/// The amounts of a resource list.
pub(crate) fn amounts(holder: &Value, field: &str) -> Amounts {
    entries(holder, field).map(|(name, value)| (name.to_string(), quantity(value))).collect()
}

/// The same in order of their names, which stay where they are.
fn listed<'a>(holder: &'a Value, field: &str) -> Vec<(&'a str, Quantity)> {
    entries(holder, field).map(|(name, value)| (name.as_str(), quantity(value))).collect()
}

/// A resource list of amounts.
pub(crate) fn to_value(amounts: &Amounts) -> Value {
    let entries = amounts
        .iter()
        .map(|(name, amount)| (name.as_str().into(), Value::Str(amount.to_string().into())));
    Value::Map(Map::from_entries(entries.collect()))
}

/// Adds amounts to a sum; what cannot be added for its size is left as it is.
pub(crate) fn add(sum: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        match sum.get_mut(name) {
            Some(total) => {
                if let Ok(added) = total.add(amount) {
                    *total = added;
                }
            }
            None => {
                sum.insert(name.clone(), amount.clone());
            }
        }
    }
}

/// Raises amounts to at least those given.
pub(crate) fn raise(sum: &mut Amounts, least: &Amounts) {
    for (name, amount) in least {
        if sum.get(name).is_none_or(|it| it < amount) {
            sum.insert(name.clone(), amount.clone());
        }
    }
}

/// Rounds the quantities of a resource list up to thousandths: finer ones are not kept.
pub(crate) fn round(holder: &mut Value, field: &str) {
    let list = holder.get(field).and_then(Value::as_map);
    // Nearly all are whole thousandths, and stay where they are.
    if !list.is_some_and(|list| list.values().any(is_finer_than_milli)) {
        return;
    }
    let Some(Value::Map(list)) = holder.get_mut(field) else { return };
    for (_, value) in list.iter_mut().filter(|it| is_finer_than_milli(it.1)) {
        *value = Value::Str(quantity(value).rounded_to_milli().to_string().into());
    }
}

fn is_finer_than_milli(value: &Value) -> bool {
    // No suffix of a canonical text is finer.
    if value.as_str().is_some_and(Quantity::is_canonical) {
        return false;
    }
    let exact = quantity(value);
    exact.rounded_to_milli() != exact
}

/// What all containers of a pod take together, by `requests` or `limits`: init containers run one
/// after the other before the others start, those that restart always run beside them.
pub(crate) fn of_containers(spec: &Value, field: &str) -> Amounts {
    let of = |container: &Value| amounts(part(container, "resources"), field);
    let mut sum = Amounts::new();
    for container in items(spec, "containers") {
        add(&mut sum, &of(container));
    }
    let (mut beside, mut highest) = (Amounts::new(), Amounts::new());
    for container in items(spec, "initContainers") {
        let mut taken = of(container);
        if text(container, "restartPolicy") == "Always" {
            add(&mut sum, &taken);
            add(&mut beside, &taken);
            taken.clone_from(&beside);
        } else {
            add(&mut taken, &beside);
        }
        raise(&mut highest, &taken);
    }
    raise(&mut sum, &highest);
    sum
}

/// Resources that a whole pod may ask for.
pub(crate) fn is_pod_level(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || is_huge_pages(name)
}

/// A resource of which more may be promised than there is.
pub(crate) fn is_overcommit_allowed(name: &str) -> bool {
    is_native(name) && !is_huge_pages(name)
}

/// The rules of resource names everywhere; returns whether it has them.
pub(crate) fn check_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) -> bool {
    let problems = net::invalid(path, BadValue::named(name), resource_name::problems(name));
    let sound = problems.is_empty();
    errors.extend(problems);
    sound
}

/// Resource names that containers may ask for.
pub(crate) fn check_container_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let problems = resource_name::container_problems(name);
    if !problems.is_empty() {
        errors.extend(net::invalid(path, BadValue::named(name), problems));
    }
}

/// Resource names that a pod as a whole may ask for.
pub(crate) fn check_pod_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if check_name(name, path, errors) && !is_pod_level(name) {
        errors.push(Error::not_supported(
            path,
            BadValue::named(name),
            &["cpu", HUGE_PAGES, "memory"],
        ));
    }
}

/// An amount is not negative, and whole where it is counted.
pub(crate) fn check_amount(name: &str, amount: &Quantity, path: &Path<'_>, errors: &mut ErrorList) {
    if amount.sign() < 0 {
        let problem = "must be greater than or equal to 0";
        errors.push(Error::invalid(path, amount.to_string(), problem));
    }
    if is_integer(name) && !is_whole(amount) {
        errors.push(Error::invalid(path, amount.to_string(), "must be an integer"));
    }
}

/// The amounts of a list, each at its key.
pub(crate) fn check_amounts(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let list = asked.value();
    for (name, amount) in list.as_map().into_iter().flat_map(Map::iter) {
        check_amount(name, &quantity(amount), &path.key(name), errors);
    }
}

/// Whether an amount has no fraction, in thousandths.
pub(crate) fn is_whole(amount: &Quantity) -> bool {
    amount.rounded_to_milli() == Quantity::from_i64(amount.value(), amount.format())
}

/// How requirements of resources are judged.
pub(crate) struct Requirements<'a> {
    pub(crate) check_name: fn(&str, &Path<'_>, &mut ErrorList),
    /// The claims that the pod declares.
    pub(crate) claims: &'a BTreeSet<&'a str>,
    /// Huge pages that are no multiple of their size pass: the old object had some.
    pub(crate) allow_indivisible: bool,
}

impl Requirements<'_> {
    /// The rules of `limits`, `requests` and `claims`.
    pub(crate) fn check(&self, value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
        let (limits, requests) = (listed(value, "limits"), listed(value, "requests"));
        let (limits_path, requests_path) = (path.child("limits"), path.child("requests"));
        for (name, amount) in &limits {
            self.check_entry(name, amount, &limits_path.key(name), errors);
        }
        for (name, amount) in &requests {
            self.check_entry(name, amount, &requests_path.key(name), errors);
            let limit = limits.binary_search_by(|it| it.0.cmp(name)).ok();
            check_against_limit(name, amount, limit.map(|at| &limits[at].1), path, errors);
        }
        let names = || limits.iter().chain(&requests).map(|it| it.0);
        let computes = names().any(|name| matches!(name, "cpu" | "memory"));
        if !computes && names().any(is_huge_pages) {
            errors.push(Error::forbidden(path, "HugePages require cpu or memory"));
        }
        self.check_claims(items(value, "claims"), &path.child("claims"), errors);
    }

    fn check_entry(&self, name: &str, amount: &Quantity, path: &Path<'_>, errors: &mut ErrorList) {
        (self.check_name)(name, path, errors);
        check_amount(name, amount, path, errors);
        if !self.allow_indivisible && is_huge_pages(name) && !is_divisible(name, amount) {
            let problem = format!("{amount} is not positive integer multiple of {name}");
            errors.push(Error::invalid(path, amount.to_string(), problem));
        }
    }

    fn check_claims(&self, claims: &[Value], path: &Path<'_>, errors: &mut ErrorList) {
        let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
        for (at, claim) in claims.iter().enumerate() {
            let path = path.index(at);
            let (name, request) = (text(claim, "name"), text(claim, "request"));
            if name.is_empty() {
                errors.push(Error::required(&path, ""));
                continue;
            }
            let whole = (name.to_owned(), String::new());
            if seen.contains(&whole) {
                errors.push(Error::duplicate(&path, name));
            } else {
                for problem in
                    name::dns_1123_label(request).into_iter().filter(|_| !request.is_empty())
                {
                    errors.push(Error::invalid(&path.child("request"), request, problem));
                }
                let key = (name.to_owned(), request.to_owned());
                if seen.contains(&key) {
                    errors.push(Error::duplicate(&path, format!("{name}/{request}")));
                } else if request.is_empty() {
                    for _ in seen.iter().filter(|it| it.0 == name) {
                        errors.push(Error::duplicate(&path, name));
                    }
                }
                seen.insert(key);
            }
            if !self.claims.contains(name) {
                let known = match self.claims.is_empty() {
                    true => " which is empty".to_owned(),
                    false => {
                        let names: Vec<&str> = self.claims.iter().copied().collect();
                        format!(": {}", names.join(", "))
                    }
                };
                let detail = format!("must be one of the names in pod.spec.resourceClaims{known}");
                let kind = ordain_value::field::Kind::NotFound;
                errors.push(Error::new(kind, &path, name, detail));
            }
        }
    }
}

fn check_against_limit(
    name: &str,
    amount: &Quantity,
    limit: Option<&Quantity>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let overcommit = is_overcommit_allowed(name);
    let path_of_requests = path.child("requests");
    match limit {
        Some(limit) if !overcommit && amount != limit => {
            let problem = format!("must be equal to {name} limit of {limit}");
            errors.push(Error::invalid(&path_of_requests, amount.to_string(), problem));
        }
        Some(limit) if amount > limit => {
            let problem = format!("must be less than or equal to {name} limit of {limit}");
            errors.push(Error::invalid(&path_of_requests, amount.to_string(), problem));
        }
        None if !overcommit => {
            let problem = "Limit must be set for non overcommitable resources";
            errors.push(Error::required(&path.child("limits"), problem));
        }
        _ => {}
    }
}

/// Whether an amount of huge pages is whole pages of the size that the name says.
pub(crate) fn is_divisible(name: &str, amount: &Quantity) -> bool {
    let size = name.strip_prefix(HUGE_PAGES).and_then(|it| Quantity::parse(it).ok());
    let Some(size) = size.filter(|it| it.sign() > 0) else { return false };
    let whole = Quantity::from_i64(size.value(), size.format()) == size.rounded_to_milli();
    whole && amount.value().checked_rem(size.value()) == Some(0)
}
