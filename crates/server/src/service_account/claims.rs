//! What a token says: whose it is, for whom, how long, and what it ends with.

use std::collections::BTreeMap;

use ordain_registry::caller::User;
use ordain_value::{Map, Value, value};

/// The private claims of Kubernetes.
const KUBERNETES: &str = "kubernetes.io";

/// An object by name and identity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) name: String,
    pub(crate) uid: String,
}

impl Reference {
    pub(crate) fn of(object: &Value) -> Self {
        let name = ordain_registry::object::name(object).to_owned();
        Self { name, uid: ordain_registry::object::uid(object).to_owned() }
    }

    fn decode(value: &Value) -> Self {
        let text = |name: &str| value.text(name).to_owned();
        Self { name: text("name"), uid: text("uid") }
    }

    fn encode(&self) -> Value {
        let mut map = Map::new();
        for (key, text) in [("name", &self.name), ("uid", &self.uid)] {
            if !text.is_empty() {
                map.insert(key, text.as_str().into());
            }
        }
        Value::Map(map)
    }
}

/// The claims of a token. Times are seconds since 1970.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Claims {
    pub(crate) id: String,
    pub(crate) audiences: Vec<String>,
    pub(crate) issued_at: Option<i64>,
    pub(crate) not_before: Option<i64>,
    pub(crate) expires_at: Option<i64>,
    /// When the holder should have got a new one.
    pub(crate) warn_after: Option<i64>,
    pub(crate) namespace: String,
    pub(crate) account: Reference,
    pub(crate) pod: Option<Reference>,
    pub(crate) secret: Option<Reference>,
    pub(crate) node: Option<Reference>,
}

impl Claims {
    fn user_name(&self) -> String {
        format!("system:serviceaccount:{}:{}", self.namespace, self.account.name)
    }

    pub(crate) fn encode(&self, issuer: &str) -> Value {
        let mut own = value!({
            "namespace": (self.namespace.as_str()),
            "serviceaccount": (self.account.encode())
        });
        for (key, bound) in [("pod", &self.pod), ("secret", &self.secret), ("node", &self.node)] {
            if let Some(bound) = bound {
                own.set_path(&[key], bound.encode());
            }
        }
        if let Some(time) = self.warn_after {
            own.set_path(&["warnafter"], Value::Int(time));
        }
        let audiences: Vec<Value> = self.audiences.iter().map(|it| it.as_str().into()).collect();
        let mut claims = value!({
            "aud": (audiences),
            "iss": issuer,
            "jti": (self.id.as_str()),
            "sub": (self.user_name())
        });
        claims.set_path(&[KUBERNETES], own);
        for (key, time) in
            [("iat", self.issued_at), ("nbf", self.not_before), ("exp", self.expires_at)]
        {
            if let Some(time) = time {
                claims.set_path(&[key], Value::Int(time));
            }
        }
        claims
    }

    /// Reads verified claims; `None` when they name no account.
    pub(crate) fn decode(claims: &Value) -> Option<Self> {
        let own = claims.get(KUBERNETES)?;
        let time = |value: &Value, name: &str| value.get(name).and_then(Value::as_int);
        let bound = |name: &str| own.get(name).filter(|it| !it.is_null()).map(Reference::decode);
        let account = bound("serviceaccount").filter(|it| !it.name.is_empty())?;
        // A single audience may stand without a list.
        let audiences = match claims.get("aud") {
            Some(Value::Str(one)) => vec![one.to_string()],
            Some(Value::List(list)) => {
                list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        Some(Self {
            id: claims.text("jti").to_owned(),
            audiences,
            issued_at: time(claims, "iat"),
            not_before: time(claims, "nbf"),
            expires_at: time(claims, "exp"),
            warn_after: time(own, "warnafter"),
            namespace: own.text("namespace").to_owned(),
            account,
            pod: bound("pod"),
            secret: bound("secret"),
            node: bound("node"),
        })
    }

    /// Refuses a token before and after its time.
    pub(crate) fn check_time(&self, now: i64, leeway: i64) -> Result<(), String> {
        let later = |time: Option<i64>| time.is_some_and(|time| time > now.saturating_add(leeway));
        if later(self.not_before) {
            return Err("service account token is not valid yet".to_owned());
        }
        if self.expires_at.is_some_and(|time| time < now.saturating_sub(leeway)) {
            return Err("service account token has expired".to_owned());
        }
        if later(self.issued_at) {
            return Err("service account token is issued in the future".to_owned());
        }
        Ok(())
    }

    /// The user that the holder is.
    pub(crate) fn user(&self) -> User {
        let mut extra = BTreeMap::new();
        let mut add = |key: &'static str, text: &str| {
            if !text.is_empty() {
                extra.insert(ordain_value::Text::new_static(key), vec![text.into()]);
            }
        };
        if !self.id.is_empty() {
            add("authentication.kubernetes.io/credential-id", &format!("JTI={}", self.id));
        }
        if let Some(pod) = &self.pod {
            add("authentication.kubernetes.io/pod-name", &pod.name);
            add("authentication.kubernetes.io/pod-uid", &pod.uid);
        }
        if let Some(node) = &self.node {
            add("authentication.kubernetes.io/node-name", &node.name);
            add("authentication.kubernetes.io/node-uid", &node.uid);
        }
        User {
            name: self.user_name().into(),
            uid: self.account.uid.as_str().into(),
            groups: vec![
                "system:serviceaccounts".into(),
                format!("system:serviceaccounts:{}", self.namespace).into(),
            ],
            extra,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims() -> Claims {
        Claims {
            id: "id".into(),
            audiences: vec!["a".into(), "b".into()],
            issued_at: Some(1_000),
            not_before: Some(1_000),
            expires_at: Some(2_000),
            namespace: "ns".into(),
            account: Reference { name: "robot".into(), uid: "1".into() },
            pod: Some(Reference { name: "p".into(), uid: "2".into() }),
            ..Claims::default()
        }
    }

    #[test]
    fn claims_are_read_as_they_were_written() {
        let written = claims().encode("https://issuer");
        assert_eq!(written.get("sub"), Some(&"system:serviceaccount:ns:robot".into()));
        assert_eq!(Claims::decode(&written), Some(claims()));
        let single = value!({"aud": "x", "kubernetes.io": {"serviceaccount": {"name": "n"}}});
        assert_eq!(Claims::decode(&single).unwrap().audiences, ["x"]);
        assert_eq!(Claims::decode(&value!({"kubernetes.io": {}})), None);
    }

    #[test]
    fn a_token_has_its_time() {
        let claims = claims();
        assert!(claims.check_time(939, 60).unwrap_err().contains("not valid yet"));
        assert_eq!(claims.check_time(940, 60), Ok(()));
        assert_eq!(claims.check_time(2_060, 60), Ok(()));
        assert!(claims.check_time(2_061, 60).unwrap_err().contains("expired"));
    }

    #[test]
    fn the_user_carries_what_the_token_is_bound_to() {
        let user = claims().user();
        assert_eq!(user.groups, ["system:serviceaccounts", "system:serviceaccounts:ns"]);
        assert_eq!(user.extra["authentication.kubernetes.io/pod-uid"], ["2"]);
        assert_eq!(user.extra["authentication.kubernetes.io/credential-id"], ["JTI=id"]);
    }
}
