//! How a pod resolves names.

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::check::required_one_of;
use crate::shared::access::{items, part, some, text, texts};
use crate::shared::net;

const NAMESERVERS_MAX: usize = 3;
const SEARCHES_MAX: usize = 32;
const SEARCH_BYTES_MAX: usize = 2048;

/// The policy and the settings for resolving names.
pub(super) fn check(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    required_one_of(spec, "dnsPolicy", &policies, path, errors);
    let config = some(spec, "dnsConfig");
    let path = path.child("dnsConfig");
    let servers = texts(config.unwrap_or(&Value::Null), "nameservers");
    if text(spec, "dnsPolicy") == "None" {
        if config.is_none() {
            let problem = "must provide `dnsConfig` when `dnsPolicy` is None";
            errors.push(Error::required(&path, problem));
            return;
        }
        if servers.is_empty() {
            let problem = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            errors.push(Error::required(&path.child("nameservers"), problem));
            return;
        }
    }
    let Some(config) = config else { return };
    let list = path.child("nameservers");
    if servers.len() > NAMESERVERS_MAX {
        let problem = format!("must not have more than {NAMESERVERS_MAX} nameservers");
        errors.push(Error::invalid(&list, part(config, "nameservers").clone(), problem));
    }
    for (at, server) in servers.into_iter().enumerate() {
        errors.extend(net::legacy_ip(&list.index(at), server, &[]));
    }
    check_searches(config, &path.child("searches"), errors);
    let list = path.child("options");
    for (at, option) in items(config, "options").iter().enumerate() {
        if text(option, "name").is_empty() {
            errors.push(Error::required(&list.index(at), "must not be empty"));
        }
    }
}

fn check_searches(config: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let searches = texts(config, "searches");
    let all = || part(config, "searches").clone();
    if searches.len() > SEARCHES_MAX {
        let problem = format!("must not have more than {SEARCHES_MAX} search paths");
        errors.push(Error::invalid(path, all(), problem));
    }
    if searches.join(" ").len() > SEARCH_BYTES_MAX {
        let problem = format!(
            "must not have more than {SEARCH_BYTES_MAX} characters (including spaces) in the \
             search list"
        );
        errors.push(Error::invalid(path, all(), problem));
    }
    for (at, search) in searches.into_iter().enumerate().filter(|it| it.1 != ".") {
        let search = search.strip_suffix('.').unwrap_or(search);
        errors.extend(net::invalid(&path.index(at), search, search_problems(search)));
    }
}

/// A subdomain whose labels may begin with and have underscores.
fn search_problems(text: &str) -> Vec<String> {
    let is_word = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    let is_label = |label: &str| {
        let bytes = label.strip_prefix('_').unwrap_or(label).as_bytes();
        bytes.first().is_some_and(|it| is_word(*it))
            && bytes.last().is_some_and(|it| is_word(*it))
            && bytes.iter().all(|it| is_word(*it) || matches!(it, b'-' | b'_'))
    };
    let mut problems = Vec::new();
    if text.len() > name::DNS_SUBDOMAIN_BYTES_MAX {
        problems.push(name::max_len_message(name::DNS_SUBDOMAIN_BYTES_MAX));
    }
    if !text.split('.').all(is_label) {
        problems.push(name::pattern_message(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, \
             '_', '-' or '.', and must start and end with an alphanumeric character",
            "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*",
            &["example.com"],
        ));
    }
    problems
}
