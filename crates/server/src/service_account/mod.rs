//! Tokens of service accounts: signed here, and recognized again as long as the account and the
//! object that they are bound to live.

mod claims;
mod jwt;
mod key;
mod openid;

use std::path::PathBuf;
use std::sync::Arc;

use ordain_meta::Status;
use ordain_registry::caller::User;
use ordain_registry::{Registry, Target};
use ordain_value::Value;

pub(crate) use claims::{Claims, Reference};

use crate::tls;
use key::{PublicKey, SigningKey};

/// The issuer of tokens unless another is named.
pub const DEFAULT_ISSUER: &str = "https://kubernetes.default.svc.cluster.local";
/// Clocks may differ by this much, in seconds.
const LEEWAY: i64 = 60;
/// The file of the key that is made when none is given.
const KEY_FILE: &str = "service-account.key";

/// How tokens are signed and recognized.
#[derive(Debug, Clone, Default)]
pub struct TokenOptions {
    /// Where the server's own key is kept; it is made anew at each start if there is no place.
    pub dir: Option<PathBuf>,
    /// A private key of RSA or an elliptic curve, in place of the server's own.
    pub signing_key: Option<PathBuf>,
    /// Keys that verify; that of the signing key if none is given.
    pub keys: Vec<PathBuf>,
    /// The first one signs, all are recognized.
    pub issuers: Vec<String>,
    /// Whom tokens are for; the issuers if nothing is given.
    pub audiences: Vec<String>,
    /// Where others find the key set, in place of this server.
    pub jwks_uri: Option<String>,
    /// How long a token lasts at most, in seconds.
    pub max_expiration_seconds: Option<i64>,
}

/// Signs tokens and recognizes them.
pub struct ServiceAccounts {
    registry: Arc<Registry>,
    signing: SigningKey,
    keys: Vec<PublicKey>,
    pub(crate) issuers: Vec<String>,
    pub(crate) audiences: Vec<String>,
    pub(crate) max_expiration_seconds: Option<i64>,
    jwks_uri: Option<String>,
}

/// Whose token it is, and for whom.
#[derive(Debug, Clone)]
pub(crate) struct Recognized {
    pub(crate) user: Arc<User>,
    pub(crate) audiences: Vec<String>,
}

impl ServiceAccounts {
    /// Reads the keys, or makes one.
    ///
    /// # Errors
    /// When a file cannot be read or holds no key.
    pub fn open(registry: Arc<Registry>, options: TokenOptions) -> Result<Self, String> {
        let signing = match (&options.signing_key, &options.dir) {
            (Some(path), _) => key::read(path, SigningKey::decode)?,
            (None, Some(dir)) => own_key(dir)?,
            (None, None) => SigningKey::generate()?.0,
        };
        let mut keys = Vec::new();
        for path in &options.keys {
            keys.extend(key::read(path, key::public_keys)?);
        }
        if keys.is_empty() {
            keys.push(signing.public.clone());
        }
        let mut issuers = options.issuers;
        if issuers.is_empty() {
            issuers.push(DEFAULT_ISSUER.to_owned());
        }
        let audiences =
            if options.audiences.is_empty() { issuers.clone() } else { options.audiences };
        Ok(Self {
            registry,
            signing,
            keys,
            issuers,
            audiences,
            max_expiration_seconds: options.max_expiration_seconds,
            jwks_uri: options.jwks_uri,
        })
    }

    /// Signs a token.
    pub(crate) fn sign(&self, claims: &Claims) -> Result<String, String> {
        let issuer = self.issuers.first().map_or(DEFAULT_ISSUER, String::as_str);
        jwt::sign(&self.signing, &claims.encode(issuer))
    }

    /// Whose token it is, if it is for one of these audiences, or for this server if none is
    /// named. `None` for what is no token of a service account.
    ///
    /// # Errors
    /// Why a token is not good.
    pub(crate) async fn recognize(
        &self,
        token: &str,
        audiences: &[String],
    ) -> Result<Option<Recognized>, String> {
        let Some(parsed) = jwt::parse(token) else { return Ok(None) };
        let issuer = parsed.claims.text("iss");
        if !self.issuers.iter().any(|it| it == issuer) {
            return Ok(None);
        }
        parsed.verify(&self.keys)?;
        let claims = Claims::decode(&parsed.claims).ok_or("the claims cannot be read")?;
        let wanted = if audiences.is_empty() { &self.audiences } else { audiences };
        let given = if claims.audiences.is_empty() { &self.audiences } else { &claims.audiences };
        let common: Vec<String> = given.iter().filter(|it| wanted.contains(it)).cloned().collect();
        if common.is_empty() {
            return Err(format!(
                "token audiences {} is invalid for the target audiences {}",
                quoted(given),
                quoted(wanted)
            ));
        }
        self.check(&claims, crate::log::now().seconds).await?;
        let user = Arc::new(claims.user().authenticated());
        Ok(Some(Recognized { user, audiences: common }))
    }

    /// Refuses a token whose time is over, and one of an account or object that is gone.
    async fn check(&self, claims: &Claims, now: i64) -> Result<(), String> {
        claims.check_time(now, LEEWAY)?;
        let (namespace, account) = (&claims.namespace, &claims.account);
        let found = self.find("serviceaccounts", namespace, &account.name).await;
        let found = found.map_err(|status| status.message)?;
        let uid = ordain_registry::object::uid(&found);
        if uid != account.uid {
            return Err(format!(
                "service account UID ({uid}) does not match claim ({})",
                account.uid
            ));
        }
        if is_long_deleted(&found, now) {
            return Err(format!("service account {namespace}/{} has been deleted", account.name));
        }
        // The node of a pod is named, and may go before the pod does.
        let node = claims.node.as_ref().filter(|_| claims.pod.is_none());
        for (what, plural, namespace, bound) in [
            ("secret", "secrets", namespace.as_str(), claims.secret.as_ref()),
            ("pod", "pods", namespace.as_str(), claims.pod.as_ref()),
            ("node", "nodes", "", node),
        ] {
            let Some(bound) = bound else { continue };
            let invalidated = || "service account token has been invalidated".to_owned();
            let found = self.find(plural, namespace, &bound.name).await;
            let found = found.map_err(|_| invalidated())?;
            let uid = ordain_registry::object::uid(&found);
            if uid != bound.uid {
                return Err(format!(
                    "{what} UID ({uid}) does not match service account {what} ref claim ({})",
                    bound.uid
                ));
            }
            if is_long_deleted(&found, now) {
                return Err(invalidated());
            }
        }
        Ok(())
    }

    /// An object of the core group.
    pub(crate) async fn find(
        &self,
        plural: &str,
        namespace: &str,
        name: &str,
    ) -> Result<Value, Status> {
        let resource = self.registry.catalog().get("", plural).cloned();
        let resource = resource.ok_or_else(Status::path_not_found)?;
        let target = Target {
            version: "v1".into(),
            namespace: namespace.into(),
            name: name.into(),
            resource,
        };
        self.registry.get(&target, "").await
    }
}

/// The server's own key, made at the first start.
fn own_key(dir: &std::path::Path) -> Result<SigningKey, String> {
    let path = dir.join(KEY_FILE);
    if path.exists() {
        return key::read(&path, SigningKey::decode);
    }
    let (key, pem) = SigningKey::generate()?;
    tls::make_private_dir(dir)
        .and_then(|()| tls::write_private(&path, pem.as_bytes()))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(key)
}

/// Whether an object should be gone already.
fn is_long_deleted(object: &Value, now: i64) -> bool {
    let deleted = ordain_registry::object::deletion_timestamp(object);
    deleted.is_some_and(|time| time.seconds < now - LEEWAY)
}

fn quoted(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| ordain_value::go_quote(text)).collect();
    format!("[{}]", texts.join(" "))
}
