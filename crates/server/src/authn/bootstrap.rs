//! Bootstrap tokens: secrets of kube-system by which machines are known before they have a
//! certificate.

use std::collections::BTreeSet;
use std::sync::Arc;

use ordain_meta::time::Time;
use ordain_registry::caller::User;
use ordain_registry::object;
use ordain_schema::base64;
use ordain_value::{Text, Value};

use super::token::hash;
use crate::service_account::ServiceAccounts;

const TYPE: &str = "bootstrap.kubernetes.io/token";
const GROUP: &str = "system:bootstrappers";
const ID_LEN: usize = 6;
const SECRET_LEN: usize = 16;
/// The longest name of a group behind the common beginning.
const GROUP_SUFFIX_MAX: usize = 256;

/// Whose bootstrap token it is. `None` for what is no such token, or one that is not good any more.
pub(super) async fn user(accounts: &ServiceAccounts, token: &str, now: i64) -> Option<Arc<User>> {
    let (id, secret) = parse(token)?;
    let name = format!("bootstrap-token-{id}");
    let stored = accounts.find("secrets", "kube-system", &name).await.ok()?;
    user_of(&stored, id, secret, now).map(Arc::new)
}

/// Id and secret of a token.
fn parse(token: &str) -> Option<(&str, &str)> {
    let (id, secret) = token.split_once('.')?;
    let usual = |text: &str| text.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit());
    let whole = id.len() == ID_LEN && secret.len() == SECRET_LEN && usual(id) && usual(secret);
    whole.then_some((id, secret))
}

/// Who a stored secret makes of the holder of a token.
fn user_of(stored: &Value, id: &str, secret: &str, now: i64) -> Option<User> {
    if object::deletion_timestamp(stored).is_some()
        || stored.get("type").and_then(Value::as_str) != Some(TYPE)
    {
        return None;
    }
    let data = |key: &str| {
        let text = stored.get_path(&["data", key]).and_then(Value::as_str)?;
        String::from_utf8(base64::decode(text).ok()?).ok()
    };
    // Digests, so that comparing takes as long whatever is wrong.
    let same = |key: &str, wanted: &str| data(key).is_some_and(|it| hash(&it) == hash(wanted));
    if !same("token-secret", secret) || !same("token-id", id) || is_expired(data("expiration"), now)
    {
        return None;
    }
    if data("usage-bootstrap-authentication").as_deref() != Some("true") {
        return None;
    }
    let extra = data("auth-extra-groups").unwrap_or_default();
    let groups = groups(&extra)?;
    let name = format!("system:bootstrap:{id}");
    Some(User { name: name.into(), groups, ..User::default() }.authenticated())
}

/// Whether the time of a token is over; one that cannot be read is.
fn is_expired(expiration: Option<String>, now: i64) -> bool {
    let Some(text) = expiration.filter(|text| !text.is_empty()) else { return false };
    Time::decode(&text).map_or(true, |time| time.seconds <= now)
}

/// The groups of a token, those that it names included; none if one of them may not be named.
fn groups(extra: &str) -> Option<Vec<Text>> {
    let mut groups = BTreeSet::from([Text::from(GROUP)]);
    for name in extra.split(',').filter(|_| !extra.is_empty()) {
        let suffix = name.strip_prefix(GROUP)?.strip_prefix(':')?;
        let usual = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || b":-".contains(&it);
        let ends_well = suffix.ends_with(|it: char| it.is_ascii_alphanumeric());
        if suffix.len() > GROUP_SUFFIX_MAX || !ends_well || !suffix.bytes().all(usual) {
            return None;
        }
        groups.insert(name.into());
    }
    Some(groups.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::{Map, value};

    const SECRET: &str = "0123456789abcdef";

    fn stored(data: &[(&str, &str)]) -> Value {
        let mut map = Map::new();
        for (key, text) in [
            ("token-id", "abcdef"),
            ("token-secret", SECRET),
            ("usage-bootstrap-authentication", "true"),
        ]
        .iter()
        .chain(data)
        {
            map.insert(*key, base64::encode(text.as_bytes()).into());
        }
        value!({"type": TYPE, "metadata": {}, "data": (Value::Map(map))})
    }

    #[test]
    fn a_token_names_its_user_and_groups() {
        let (id, secret) = parse("abcdef.0123456789abcdef").unwrap();
        let extra = ("auth-extra-groups", "system:bootstrappers:team:b,system:bootstrappers:a");
        let user = user_of(&stored(&[extra]), id, secret, 0).unwrap();
        assert_eq!(user.name, "system:bootstrap:abcdef");
        let groups = [
            "system:bootstrappers",
            "system:bootstrappers:a",
            "system:bootstrappers:team:b",
            "system:authenticated",
        ];
        assert_eq!(user.groups, groups);
    }

    #[test]
    fn what_is_no_token_is_none() {
        for token in ["", "abcdef", "abcdef.short", "ABCDEF.0123456789abcdef", "abcdef0123456789"] {
            assert_eq!(parse(token), None, "{token}");
        }
    }

    #[test]
    fn a_token_ends_with_its_time_use_and_groups() {
        let good = |data: &[(&str, &str)], secret: &str| {
            user_of(&stored(data), "abcdef", secret, 1_700_000_000).is_some()
        };
        assert!(good(&[], SECRET));
        assert!(good(&[("expiration", "2100-01-01T00:00:00Z")], SECRET));
        assert!(!good(&[("expiration", "2000-01-01T00:00:00Z")], SECRET));
        assert!(!good(&[("expiration", "soon")], SECRET));
        assert!(!good(&[], "0123456789abcdee"));
        assert!(!good(&[("token-id", "other1")], SECRET));
        assert!(!good(&[("usage-bootstrap-authentication", "no")], SECRET));
        for group in ["system:masters", "system:bootstrappers:", "system:bootstrappers:a-"] {
            assert!(!good(&[("auth-extra-groups", group)], SECRET), "{group}");
        }
        let mut going = stored(&[]);
        going.set_path(&["metadata", "deletionTimestamp"], "2020-01-01T00:00:00Z".into());
        assert!(user_of(&going, "abcdef", SECRET, 0).is_none());
        let mut other = stored(&[]);
        other.set_path(&["type"], "Opaque".into());
        assert!(user_of(&other, "abcdef", SECRET, 0).is_none());
    }
}
