//! Static bearer tokens, from a file of kube-apiserver's form: `token,user,uid,"group,group"`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ordain_registry::caller::User;
use ring::digest::{SHA256, digest};

/// Users by the digest of their token. Tokens themselves are not kept, and finding one takes as
/// long as not finding one.
#[derive(Default, Clone)]
pub struct Tokens {
    users: HashMap<[u8; 32], Arc<User>>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tokens({})", self.users.len())
    }
}

/// A token longer than this is not looked at.
const TOKEN_BYTES_MAX: usize = 16 * 1024;

impl Tokens {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("token file {}: {error}", path.display()))?;
        Self::decode(&text).map_err(|why| format!("token file {}: {why}", path.display()))
    }

    /// Reads the text of a file.
    pub fn decode(text: &str) -> Result<Self, String> {
        let mut tokens = Self::default();
        for (number, line) in text.lines().enumerate() {
            let number = number + 1;
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let columns = columns(line).map_err(|why| format!("line {number}: {why}"))?;
            let [token, name, uid, rest @ ..] = columns.as_slice() else {
                let found = columns.len();
                return Err(format!(
                    "line {number}: must have at least 3 columns (token, user name, user uid), \
                     found {found}"
                ));
            };
            if token.is_empty() {
                return Err(format!("line {number}: the token is empty"));
            }
            let groups = rest.first().map(String::as_str).unwrap_or("");
            let groups = groups.split(',').map(str::trim).filter(|group| !group.is_empty());
            let user = User {
                name: name.as_str().into(),
                uid: uid.as_str().into(),
                groups: groups.map(Into::into).collect(),
                ..User::default()
            };
            let user = Arc::new(user.authenticated());
            if tokens.users.insert(hash(token), user).is_some() {
                return Err(format!("line {number}: the token stands in the file twice"));
            }
        }
        Ok(tokens)
    }

    /// Whose token it is.
    pub(crate) fn user(&self, token: &str) -> Option<Arc<User>> {
        if token.len() > TOKEN_BYTES_MAX {
            return None;
        }
        self.users.get(&hash(token)).cloned()
    }
}

pub(super) fn hash(token: &str) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
    out
}

/// The columns of a line; a column in quotes may hold commas, and quotes that stand twice.
fn columns(line: &str) -> Result<Vec<String>, String> {
    let mut columns = Vec::new();
    let mut rest = line;
    loop {
        let (column, tail) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_column(quoted)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        columns.push(column);
        match tail.strip_prefix(',') {
            Some(tail) => rest = tail,
            None if tail.is_empty() => return Ok(columns),
            None => return Err("there is text after a closing quote".to_owned()),
        }
    }
}

fn quoted_column(text: &str) -> Result<(String, &str), String> {
    let mut column = String::new();
    let mut rest = text;
    loop {
        let Some(end) = rest.find('"') else {
            return Err("a quote is not closed".to_owned());
        };
        column.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(tail) => {
                column.push('"');
                rest = tail;
            }
            None => return Ok((column, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_name_users_with_their_groups() {
        let text = "secret,bob,7,\"dev,ops\"\n\nother,ann,8\nthird,\"a \"\"b\"\"\",9,one\n";
        let tokens = Tokens::decode(text).unwrap();
        let bob = tokens.user("secret").unwrap();
        assert_eq!((bob.name.as_str(), bob.uid.as_str()), ("bob", "7"));
        assert_eq!(bob.groups, ["dev", "ops", "system:authenticated"]);
        assert_eq!(tokens.user("other").unwrap().groups, ["system:authenticated"]);
        assert_eq!(tokens.user("third").unwrap().name, "a \"b\"");
        assert!(tokens.user("").is_none());
        assert!(tokens.user(&"x".repeat(1 << 20)).is_none());
    }

    #[test]
    fn broken_files_are_refused_with_their_line() {
        for (text, why) in [
            ("a,b", "line 1: must have at least 3 columns (token, user name, user uid), found 2"),
            ("a,b,c\n,b,c", "line 2: the token is empty"),
            ("a,b,c\na,x,d", "line 2: the token stands in the file twice"),
            ("a,\"b,c", "line 1: a quote is not closed"),
            ("a,\"b\"x,c", "line 1: there is text after a closing quote"),
        ] {
            assert_eq!(Tokens::decode(text).unwrap_err(), why);
        }
    }
}
