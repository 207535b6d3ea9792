//! The authenticated identity behind a request.

use std::collections::BTreeMap;

use ordain_value::{Map, Text, Value};

/// The group whose members may do everything.
pub const MASTERS: &str = "system:masters";
/// The group of everyone who is known.
pub const AUTHENTICATED: &str = "system:authenticated";
/// The group of everyone who is not.
pub const UNAUTHENTICATED: &str = "system:unauthenticated";
/// The name of those who are not known.
pub const ANONYMOUS: &str = "system:anonymous";

/// Name, groups and what else the authenticator knows of a requester.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: Text,
    /// What tells apart users who had the same name in turn; may be empty.
    pub uid: Text,
    /// The groups that they are in.
    pub groups: Vec<Text>,
    /// What the authenticator adds.
    pub extra: BTreeMap<Text, Vec<Text>>,
}

impl User {
    /// A requester without credentials.
    pub fn anonymous() -> Self {
        Self { name: ANONYMOUS.into(), groups: vec![UNAUTHENTICATED.into()], ..Self::default() }
    }

    /// The identity of every request on a connection that asks for no credentials.
    pub fn everybody() -> Self {
        let groups = vec![MASTERS.into(), AUTHENTICATED.into()];
        Self { name: "admin".into(), uid: "1".into(), groups, ..Self::default() }
    }

    /// The user with the group of all authenticated users.
    pub fn authenticated(mut self) -> Self {
        if !self.is_in(AUTHENTICATED) && !self.is_in(UNAUTHENTICATED) && self.name != ANONYMOUS {
            self.groups.push(AUTHENTICATED.into());
        }
        self
    }

    /// The user as reviews, events and policies show one.
    pub fn encode(&self) -> Value {
        let texts = |list: &[Text]| -> Value {
            list.iter().cloned().map(Value::Str).collect::<Vec<_>>().into()
        };
        let mut map = Map::new();
        for (key, text) in [("username", &self.name), ("uid", &self.uid)] {
            if !text.is_empty() {
                map.insert(key, Value::Str(text.clone()));
            }
        }
        if !self.groups.is_empty() {
            map.insert("groups", texts(&self.groups));
        }
        if !self.extra.is_empty() {
            let extra = self.extra.iter().map(|(key, values)| (key.clone(), texts(values)));
            map.insert("extra", Value::Map(extra.collect()));
        }
        Value::Map(map)
    }

    /// Whether the user is in a group.
    pub fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|it| it == group)
    }
}
